# cupool_embed_code(TARGET FILE...): compiles each ptx/NAME.ptx, and the machine code sm_90/NAME.cubin made of it, into TARGET as
# `const ShippedCode NAME_code`: see embedded_code.hpp.

function(cupool_embed_code target)
  foreach(file IN LISTS ARGN)
    get_filename_component(name "${file}" NAME_WE)
    get_filename_component(path "${file}" ABSOLUTE)
    get_filename_component(cubin "sm_90/${name}.cubin" ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    file(READ "${path}" text)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/embedded_code/${name}.cpp")
    # The compiler need not parse machine code, so the assembler brings it.
    set(content "// Made of ${name}.ptx and ${name}.cubin by EmbedCode.cmake.
#include \"support/embedded_code.hpp\"

asm(R\"(
    .pushsection .rodata
    .balign 16
    .globl cupool_${name}_begin
    .globl cupool_${name}_end
    .hidden cupool_${name}_begin
    .hidden cupool_${name}_end
cupool_${name}_begin:
    .incbin \"${cubin}\"
cupool_${name}_end:
    .popsection
)\");

extern \"C\" const char cupool_${name}_begin[] __attribute__((visibility(\"hidden\")));
extern \"C\" const char cupool_${name}_end[] __attribute__((visibility(\"hidden\")));

namespace cupool::detail {

extern const ShippedCode ${name}_code;
const ShippedCode ${name}_code{
    .ptx = R\"ptx(${text})ptx\",
    .sm_90_begin = cupool_${name}_begin,
    .sm_90_end = cupool_${name}_end};

}  // namespace cupool::detail
")
    set(old "")
    if(EXISTS "${source}")
      file(READ "${source}" old)
    endif()
    if(NOT old STREQUAL content)
      file(WRITE "${source}" "${content}")
    endif()
    set_source_files_properties("${source}" PROPERTIES
      SKIP_PRECOMPILE_HEADERS ON
      COMPILE_OPTIONS -Wno-overlength-strings  # of -Wpedantic, which is about old compilers
      OBJECT_DEPENDS "${cubin}")
    target_sources(${target} PRIVATE "${source}")
  endforeach()
endfunction()

# cupool_embed_templates(TARGET FILE...): compiles each ptx/templates/NAME.ptx, which the library completes at run time, into TARGET as
# `const char* const NAME_template`.

function(cupool_embed_templates target)
  foreach(file IN LISTS ARGN)
    get_filename_component(name "${file}" NAME_WE)
    get_filename_component(path "${file}" ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    file(READ "${path}" text)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/embedded_code/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Made of ${name}.ptx by EmbedCode.cmake.

namespace cupool::detail {

extern const char* const ${name}_template;
const char* const ${name}_template = R\"ptx(${text})ptx\";

}  // namespace cupool::detail
" @ONLY)
    set_source_files_properties("${source}" PROPERTIES
      SKIP_PRECOMPILE_HEADERS ON
      COMPILE_OPTIONS -Wno-overlength-strings)  # of -Wpedantic, which is about old compilers
    target_sources(${target} PRIVATE "${source}")
  endforeach()
endfunction()
