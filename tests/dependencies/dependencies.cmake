# cmake -D ROOT=<the project's folder> -P dependencies.cmake: fails if a file includes a header that its room may not include.
#
# A room is a path, and its files are those that begin with it; if several paths match, the longest one counts. A room may include its own
# headers, those of the rooms in its row of the table, and nothing else of the project. A file without a room is an error.

cmake_minimum_required(VERSION 3.22)

# ---------------------------------------------------------------------------------------------------------------------------- the table

# room(<path> MAY_INCLUDE <room>...)
function(room path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" MAY_INCLUDE)
  set_property(GLOBAL APPEND PROPERTY rooms ${path})
  set_property(GLOBAL PROPERTY "allowed_${path}" ${arg_MAY_INCLUDE})
endfunction()

# The public headers of a layer and of those below it.
set(abi driver/include/cupool/driver/abi driver/include/cupool/driver/device_attributes.def driver/include/cupool/driver/entry_points.def)
set(driver driver/include ${abi})
set(kernels kernels/include ${driver})
set(pool pool/include ${kernels})
set(cluster cluster/include ${pool})

# driver
room(driver/include/cupool/driver/abi MAY_INCLUDE ${abi})
room(driver/include/cupool/driver/device_attributes.def)
room(driver/include/cupool/driver/entry_points.def)
room(driver/include MAY_INCLUDE ${abi})
room(driver/src MAY_INCLUDE ${driver})
room(driver/src/calls MAY_INCLUDE ${driver})
room(driver/src/devices MAY_INCLUDE ${driver})
room(driver/src/contexts MAY_INCLUDE ${driver})
room(driver/src/streams MAY_INCLUDE ${driver})
room(driver/src/memory MAY_INCLUDE ${driver})
room(driver/src/kernels MAY_INCLUDE ${driver})
room(driver/src/graphs MAY_INCLUDE ${driver} driver/src/streams)
room(driver/src/loading MAY_INCLUDE ${driver})
room(driver/src/management MAY_INCLUDE ${driver})
room(driver/src/profiling MAY_INCLUDE ${driver} driver/src/loading)

# kernels: what all jobs share, then the jobs. The list of curves knows nothing, and shipped code is listed by it.
room(kernels/include MAY_INCLUDE ${driver})
room(kernels/src/curve/for_each_curve.hpp)
room(kernels/src/support MAY_INCLUDE ${kernels} kernels/src/curve/for_each_curve.hpp)
room(kernels/src/transfer MAY_INCLUDE ${kernels} kernels/src/support)
room(kernels/src/field MAY_INCLUDE ${kernels} kernels/src/support)
room(kernels/src/curve MAY_INCLUDE ${kernels} kernels/src/support kernels/src/field kernels/src/curve/for_each_curve.hpp)
room(kernels/src/reduce MAY_INCLUDE ${kernels} kernels/src/support kernels/src/transfer)
room(kernels/src/coloring MAY_INCLUDE ${kernels} kernels/src/support kernels/src/replicas)
room(kernels/src/replicas MAY_INCLUDE ${kernels} kernels/src/support)
room(kernels/src/collective MAY_INCLUDE ${kernels} kernels/src/support kernels/src/reduce)
room(kernels/src/ntt MAY_INCLUDE ${kernels} kernels/src/support kernels/src/transfer kernels/src/field kernels/src/curve
  kernels/src/curve/for_each_curve.hpp)
room(kernels/src/poseidon MAY_INCLUDE ${kernels} kernels/src/support kernels/src/transfer kernels/src/field kernels/src/curve)
room(kernels/src/vectors MAY_INCLUDE ${kernels} kernels/src/support kernels/src/transfer kernels/src/field kernels/src/curve
  kernels/src/curve/for_each_curve.hpp)
set(below_msm ${kernels} kernels/src/support kernels/src/transfer kernels/src/field kernels/src/curve
  kernels/src/curve/for_each_curve.hpp)
room(kernels/src/msm MAY_INCLUDE ${below_msm} kernels/src/msm/host kernels/src/msm/device)
room(kernels/src/msm/host MAY_INCLUDE ${below_msm} kernels/src/msm)
room(kernels/src/msm/device MAY_INCLUDE ${below_msm} kernels/src/msm)
room(kernels/src/msm/device/stages MAY_INCLUDE ${below_msm} kernels/src/msm/device)

# pool: what its jobs share, its state, then the jobs
set(kernels_internal ${kernels} kernels/src/support kernels/src/transfer kernels/src/curve/for_each_curve.hpp)
set(msm_internal kernels/src/curve kernels/src/msm kernels/src/msm/device)
room(pool/include MAY_INCLUDE ${kernels})
room(pool/src/scheduling MAY_INCLUDE ${pool})
room(pool/src/peers MAY_INCLUDE ${pool} ${kernels_internal} pool/src)
room(pool/src MAY_INCLUDE ${pool} ${kernels_internal} kernels/src/msm kernels/src/reduce pool/src/scheduling pool/src/peers pool/src/msm)
room(pool/src/reduce MAY_INCLUDE ${pool} ${kernels_internal} kernels/src/reduce pool/src)
room(pool/src/checkpoint MAY_INCLUDE ${pool})
room(pool/src/replicas MAY_INCLUDE ${pool} ${kernels_internal} kernels/src/replicas pool/src/checkpoint pool/src)
room(pool/src/coloring MAY_INCLUDE ${pool} ${kernels_internal} kernels/src/coloring kernels/src/replicas pool/src/checkpoint pool/src)
room(pool/src/launch MAY_INCLUDE ${pool} ${kernels_internal} pool/src/scheduling pool/src)
room(pool/src/msm MAY_INCLUDE ${pool} ${kernels_internal} ${msm_internal} pool/src/scheduling pool/src)
room(pool/src/batch MAY_INCLUDE ${pool} ${kernels_internal} pool/src)
room(pool/src/ntt MAY_INCLUDE ${pool} ${kernels_internal} kernels/src/ntt pool/src/batch pool/src/collectives pool/src)
room(pool/src/poseidon MAY_INCLUDE ${pool} ${kernels_internal} pool/src/batch pool/src)
room(pool/src/collectives MAY_INCLUDE ${pool} ${kernels_internal} kernels/src/reduce kernels/src/collective pool/src/scheduling
  pool/src/peers pool/src)
room(pool/src/worker_process/message_bytes.hpp MAY_INCLUDE ${driver})
room(pool/src/worker_process MAY_INCLUDE ${pool} pool/src/worker_process/message_bytes.hpp kernels/src/curve kernels/src/curve/for_each_curve.hpp pool/src/scheduling)

# What kernels offers to pool beside its public headers: kernels/CMakeLists.txt, cupool_kernels_internal.
string(CONCAT offered_to_pool "^kernels/src/(collective/|coloring/|reduce/|replicas/|transfer/|support/parallel_for\\.hpp|"
  "ntt/(checks|sliced_ntt)\\.hpp|curve/(for_each_curve|host_curve)\\.hpp|msm/[a-z_]+\\.hpp|msm/device/(budget|device_msm|strided_msms)\\.hpp)")

# cluster
room(cluster/include MAY_INCLUDE ${pool})
room(cluster/src/mpi MAY_INCLUDE ${cluster} kernels/src/curve/for_each_curve.hpp kernels/src/reduce
  pool/src/worker_process/message_bytes.hpp)

# The simulator is a libcuda: of the other layers it knows the declarations of the ABI only. Its PTX interpreter stands alone. All objects
# of the simulated driver refer to each other, so most of its rooms do so, too.
set(simulator simulator/include ${abi})
room(simulator/include)
room(simulator/src/ptx MAY_INCLUDE simulator/src/ptx/parse simulator/src/ptx/compile simulator/src/ptx/checks)
room(simulator/src/ptx/parse MAY_INCLUDE simulator/src/ptx)
room(simulator/src/ptx/compile MAY_INCLUDE simulator/src/ptx simulator/src/ptx/parse simulator/src/ptx/run simulator/src/ptx/checks)
room(simulator/src/ptx/run MAY_INCLUDE simulator/src/ptx simulator/src/ptx/parse simulator/src/ptx/checks)
room(simulator/src/ptx/checks MAY_INCLUDE simulator/src/ptx simulator/src/ptx/parse simulator/src/ptx/run)
room(simulator/src/api MAY_INCLUDE ${simulator} simulator/src/checks simulator/src/device simulator/src/faults simulator/src/memory
  simulator/src/objects simulator/src/ptx simulator/src/scheduling)
room(simulator/src/objects MAY_INCLUDE ${simulator} simulator/src/api simulator/src/checks simulator/src/faults simulator/src/memory
  simulator/src/ptx simulator/src/scheduling)
room(simulator/src/device MAY_INCLUDE ${simulator} simulator/src/api simulator/src/checks simulator/src/faults simulator/src/memory
  simulator/src/objects simulator/src/scheduling)
room(simulator/src/memory MAY_INCLUDE ${simulator} simulator/src/api simulator/src/checks simulator/src/device simulator/src/objects)
room(simulator/src/scheduling MAY_INCLUDE ${simulator} simulator/src/api simulator/src/checks simulator/src/device simulator/src/faults
  simulator/src/memory simulator/src/objects simulator/src/ptx)
room(simulator/src/faults MAY_INCLUDE ${simulator} simulator/src/api simulator/src/device simulator/src/scheduling)
room(simulator/src/checks MAY_INCLUDE ${simulator} simulator/src/api simulator/src/faults simulator/src/memory simulator/src/ptx
  simulator/src/scheduling)

# tools: what all tools share, then the tools
room(tools/src/formats MAY_INCLUDE ${kernels})
room(tools/src/io MAY_INCLUDE ${pool} tools/src/formats)
room(tools/src/program MAY_INCLUDE ${pool} tools/src/formats)
room(tools/src/options MAY_INCLUDE ${pool} tools/src/formats tools/src/io tools/src/program)
room(tools/src/checks MAY_INCLUDE ${pool} tools/src/formats tools/src/io tools/src/options tools/src/program)
set(shared_by_tools ${pool} tools/src/checks tools/src/formats tools/src/io tools/src/options tools/src/program)
room(tools/src/commands MAY_INCLUDE ${shared_by_tools})
room(tools/src/bench MAY_INCLUDE ${shared_by_tools} tools/src/commands)
room(tools/src/doctor MAY_INCLUDE ${shared_by_tools})
room(tools/src/devquery MAY_INCLUDE ${shared_by_tools} tools/src/doctor)
room(tools/src/worker MAY_INCLUDE ${pool})

# programs beside the layers
room(include MAY_INCLUDE ${pool})
room(examples MAY_INCLUDE ${pool} include simulator/include)
room(bench MAY_INCLUDE ${cluster} include kernels/src/support kernels/src/field kernels/src/curve kernels/src/msm kernels/src/msm/device
  kernels/src/ntt simulator/include simulator/src/ptx tools/src/bench tools/src/checks tools/src/formats)

# Includes that break the table and have yet to go, as <file>:<header>.
set(exceptions
  kernels/src/curve/host_points.hpp:kernels/src/msm/host/bucket_sum.hpp
  kernels/src/curve/host_points.hpp:kernels/src/msm/host/bucket_terms.hpp
  kernels/src/curve/host_points.hpp:kernels/src/msm/host/vector_bucket_sum.hpp
  kernels/src/curve/quad_xyzz.cuh:kernels/src/msm/device/kernel_params.hpp
  kernels/src/curve/lane_group_xyzz.cuh:kernels/src/msm/device/kernel_params.hpp
  kernels/src/msm/host/host_msm.cpp:kernels/src/msm/device/kernel_params.hpp
  kernels/src/reduce/host_tile.hpp:kernels/src/field/x86_intrinsics.hpp
  kernels/src/transfer/operand_checks.hpp:kernels/src/msm/device/kernel_params.hpp
  pool/src/scheduling/make_balancer.hpp:pool/src/pool_member.hpp)

# -------------------------------------------------------------------------------------------------------------------------- the check

get_property(rooms GLOBAL PROPERTY rooms)

# The room of a file.
function(room_of file result)
  set(longest "")
  string(LENGTH "${longest}" length)
  foreach(room IN LISTS rooms)
    string(FIND "${file}" "${room}" position)
    string(LENGTH "${room}" room_length)
    if(position EQUAL 0 AND room_length GREATER length)
      set(longest "${room}")
      set(length ${room_length})
    endif()
  endforeach()
  set(${result} "${longest}" PARENT_SCOPE)
endfunction()

# Where an included header lies: in the folder of the file, or in one of the folders in which the compiler looks.
function(find_header file name result)
  get_filename_component(folder "${file}" DIRECTORY)
  foreach(base IN ITEMS "${folder}" kernels/src pool/src simulator/src driver/src tools/src
      cluster/src
      include driver/include kernels/include pool/include cluster/include simulator/include)
    if(EXISTS "${ROOT}/${base}/${name}")
      file(RELATIVE_PATH found "${ROOT}" "${ROOT}/${base}/${name}")
      set(${result} "${found}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${result} "" PARENT_SCOPE)
endfunction()

set(files "")
foreach(folder driver kernels pool cluster simulator tools include examples bench)
  foreach(extension cpp hpp cu cuh def inc)
    file(GLOB_RECURSE found RELATIVE "${ROOT}" "${ROOT}/${folder}/*.${extension}")
    list(APPEND files ${found})
  endforeach()
endforeach()

set(count 0)
set(errors "")
foreach(file IN LISTS files)
  room_of("${file}" room)
  if(room STREQUAL "")
    string(APPEND errors "  ${file} is in no room of the table\n")
    continue()
  endif()
  get_property(allowed GLOBAL PROPERTY "allowed_${room}")
  file(STRINGS "${ROOT}/${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]+(\"|<cupool/)")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[^\"<]*[\"<]([^\">]+)[\">].*$" "\\1" name "${line}")
    find_header("${file}" "${name}" header)
    room_of("${header}" other)
    math(EXPR count "${count} + 1")
    if(header STREQUAL "")
      string(APPEND errors "  ${file} includes ${name}, which is nowhere\n")
    elseif(file MATCHES "^(pool|cluster)/" AND header MATCHES "^kernels/src/" AND NOT header MATCHES "${offered_to_pool}")
      string(APPEND errors "  ${file} includes ${header}, which kernels offers to no layer above\n")
    elseif("${file}:${header}" IN_LIST exceptions)
      list(REMOVE_ITEM exceptions "${file}:${header}")
    elseif(NOT other STREQUAL room AND NOT other IN_LIST allowed)
      string(APPEND errors "  ${file} includes ${header}: ${room} may not include ${other}\n")
    endif()
  endforeach()
endforeach()

foreach(exception IN LISTS exceptions)
  string(REGEX REPLACE ":.*" "" file "${exception}")
  if(NOT EXISTS "${ROOT}/${file}")
    continue()
  endif()
  string(APPEND errors "  ${exception} is no include any more: remove the exception\n")
endforeach()
if(count LESS 1000)
  string(APPEND errors "  only ${count} includes were found in ${ROOT}\n")
endif()
if(NOT errors STREQUAL "")
  message(FATAL_ERROR "Includes that the table does not allow:\n${errors}")
endif()
message(STATUS "${count} includes follow the table")
