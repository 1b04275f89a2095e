# What `cmake --install` puts where, and the package that find_package(cupool [COMPONENTS driver kernels pool cluster simulator]) finds.
#
# `cmake --install <build> --component library|tools|simulator` installs one part; library and simulator each suffice for find_package.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cupool)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME library)

install(TARGETS cupool_driver cupool_kernels cupool_pool cupool_cluster cupool_cupool EXPORT cupoolTargets)
foreach(root . driver kernels pool cluster)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${root}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
foreach(mpi openmpi mpich)
  if(TARGET cupool_${mpi}_plugin)
    install(TARGETS cupool_${mpi}_plugin DESTINATION ${CMAKE_INSTALL_LIBDIR}/cupool)
  endif()
endforeach()
install(EXPORT cupoolTargets NAMESPACE cupool:: DESTINATION ${package_dir})

if(CUPOOL_TOOLS)
  install(TARGETS devquery cupool cupool-worker COMPONENT tools)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/devquery.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  set(completions ${PROJECT_SOURCE_DIR}/tools/completions)
  install(FILES ${completions}/devquery.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME devquery
    COMPONENT tools)
  install(FILES ${completions}/_devquery DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tools)
  install(FILES ${completions}/devquery.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tools)
endif()

# The simulated driver, its header, and a folder where it goes by the name of libcuda.so.1.
if(CUPOOL_SIMULATOR)
  set(libcuda_dir ${CMAKE_INSTALL_LIBDIR}/cupool/simulator)
  set_target_properties(cupool_simulator_interface PROPERTIES EXPORT_NAME simulator)
  set_target_properties(cupool_simulated_libcuda PROPERTIES EXPORT_NAME simulated_libcuda)
  target_include_directories(cupool_simulator_interface INTERFACE $<INSTALL_INTERFACE:include>)
  target_compile_definitions(cupool_simulator_interface INTERFACE
    $<INSTALL_INTERFACE:CUPOOL_SIMULATOR_LIBRARY="$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/libcupool-sim.so">)
  target_link_options(cupool_simulated_libcuda INTERFACE $<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/${libcuda_dir}>)
  install(TARGETS cupool_simulator COMPONENT simulator)
  install(TARGETS cupool_simulator_interface cupool_simulated_libcuda EXPORT cupoolSimulatorTargets)
  install(EXPORT cupoolSimulatorTargets NAMESPACE cupool:: DESTINATION ${package_dir} COMPONENT simulator)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/simulator/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT simulator)
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${libcuda_dir}\")
    file(MAKE_DIRECTORY \"\${folder}\")
    file(CREATE_LINK ../../libcupool-sim.so \"\${folder}/libcuda.so.1\" SYMBOLIC)" COMPONENT simulator)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/cupoolConfig.cmake.in ${PROJECT_BINARY_DIR}/cupoolConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cupoolConfigVersion.cmake COMPATIBILITY SameMinorVersion)
foreach(component library simulator)
  install(FILES ${PROJECT_BINARY_DIR}/cupoolConfig.cmake ${PROJECT_BINARY_DIR}/cupoolConfigVersion.cmake
    DESTINATION ${package_dir} COMPONENT ${component})
endforeach()
