file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status}): ${ARGN}")
  endif()
endfunction()

# Configures and builds a project that is to find the package below PREFIX.
function(build source prefix binary)
  run(${CMAKE_COMMAND} -S ${source} -B ${binary} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_PREFIX_PATH=${prefix})
  run(${CMAKE_COMMAND} --build ${binary})
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
if(EXISTS ${WORK}/prefix/bin/devquery)
  foreach(file man/man1/devquery.1 bash-completion/completions/devquery zsh/site-functions/_devquery
      fish/vendor_completions.d/devquery.fish)
    if(NOT EXISTS ${WORK}/prefix/share/${file})
      message(FATAL_ERROR "share/${file} is not installed")
    endif()
  endforeach()
endif()
build(${CONSUMER} ${WORK}/prefix ${WORK}/consumer)
run(${WORK}/consumer/consumer)

# The examples over a pool, on simulated GPUs.
build(${POOL_EXAMPLES} ${WORK}/prefix ${WORK}/pool_examples)
foreach(example device_workers inherit_device own_kernel msm_per_device sliced_array thread_per_device)
  run(${CMAKE_COMMAND} -E env CUPOOL_DRIVER=${SIMULATOR} CUPOOL_SIM_DEVICES=4 ${WORK}/pool_examples/${example})
endforeach()

# The simulated driver by itself, then beside the library: the example asks for no more than that and tests a little more then.
if(EXAMPLE)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/simulator_alone --component simulator)
  foreach(prefix simulator_alone prefix)
    build(${EXAMPLE} ${WORK}/${prefix} ${WORK}/example_with_${prefix})
    run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/example_with_${prefix} --output-on-failure --no-tests=error)
  endforeach()
endif()
