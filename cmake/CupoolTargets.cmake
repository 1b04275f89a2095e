# cupool_library(NAME SOURCES... ) and the compile settings that every target of the project shares.

find_package(Threads REQUIRED)

# Most of the time to compile a small file goes into reading the standard library. The builds with sanitizers read it, and the HEADERs given,
# once for each target. The other builds read it in each file, and so prove that each file includes what it uses.
function(cupool_precompile_headers target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources source_count)
  if(CUPOOL_SANITIZE AND source_count GREATER 5)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <exception>
      <filesystem> <fstream> <functional> <future> <iostream> <limits> <map> <memory> <mutex> <numeric> <optional> <random> <set> <span>
      <sstream> <stdexcept> <string> <string_view> <thread> <tuple> <type_traits> <unordered_map> <utility> <variant> <vector>
      ${ARGN})
    # With these, a compiler cache may take a precompiled header for the one of another checkout.
    target_compile_options(${target} PRIVATE
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>" $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endfunction()

function(cupool_settings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  # Errors name the source file they come from: by its place in the project, not on the machine that built it.
  # A compiler cache may give the compiler paths that are relative to the build directory.
  file(RELATIVE_PATH project_from_build ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/)
  target_compile_options(${target} PRIVATE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${project_from_build}=)
  if(CUPOOL_WARNINGS_AS_ERRORS)
    # GCC 13 suspects fmt 9, which Ubuntu 24.04 brings, of what it does not do.
    target_compile_options(${target} PRIVATE -Werror -Wno-error=array-bounds)
  endif()
  if(CUPOOL_SANITIZE)
    list(JOIN CUPOOL_SANITIZE "," sanitizers)
    target_compile_options(${target} PRIVATE -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer
      $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # instrumented code misleads this warning
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND "undefined" IN_LIST CUPOOL_SANITIZE)
      # A driver's entry points are called by types of our own, which this check compares with those of whoever built the driver.
      target_compile_options(${target} PRIVATE -fno-sanitize=function)
    endif()
    target_link_options(${target} PRIVATE -fsanitize=${sanitizers})
  endif()
  cupool_precompile_headers(${target})
endfunction()

# cupool_guides_fuzzers(<target> [<source>...]): instruments a target, or only these sources of it, so that the fuzzers see which branches they
# reach. This is for what reads input from outside: what computes would be slower in all tests.
function(cupool_guides_fuzzers target)
  if(NOT CUPOOL_FUZZERS)
    return()
  endif()
  if(ARGN)
    # Clang refuses a precompiled header that is instrumented otherwise.
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fsanitize=fuzzer-no-link SKIP_PRECOMPILE_HEADERS ON)
  else()
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# A layer of the library: static unless BUILD_SHARED_LIBS says otherwise, its public headers below <layer>/include.
function(cupool_library layer)
  add_library(cupool_${layer} ${ARGN})
  add_library(cupool::${layer} ALIAS cupool_${layer})
  set_target_properties(cupool_${layer} PROPERTIES EXPORT_NAME ${layer} OUTPUT_NAME cupool-${layer})
  target_compile_features(cupool_${layer} PUBLIC cxx_std_20)
  target_include_directories(cupool_${layer}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE src)
  cupool_settings(cupool_${layer})
endfunction()

# A tool: one file, bin/<name>, that can be copied to another host, so the compiler's own libraries are linked into it.
function(cupool_tool name)
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(NOT CUPOOL_SANITIZE)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  cupool_settings(${name})
endfunction()
