# What `cmake --install` puts where, and the package that find_package(cupool [COMPONENTS driver kernels pool simulator]) finds.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cupool)

install(TARGETS cupool_driver cupool_kernels cupool_pool cupool_cupool EXPORT cupoolTargets)
foreach(root . driver kernels pool)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${root}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()

if(CUPOOL_TOOLS)
  install(TARGETS devquery cupool)
endif()

# The simulated driver, its header, and a folder where it goes by the name of libcuda.so.1.
if(CUPOOL_SIMULATOR)
  set_target_properties(cupool_simulator_interface PROPERTIES EXPORT_NAME simulator)
  target_include_directories(cupool_simulator_interface INTERFACE $<INSTALL_INTERFACE:include>)
  target_compile_definitions(cupool_simulator_interface INTERFACE
    $<INSTALL_INTERFACE:CUPOOL_SIMULATOR_LIBRARY="$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/libcupool-sim.so">)
  install(TARGETS cupool_simulator)
  install(TARGETS cupool_simulator_interface EXPORT cupoolTargets)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/simulator/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/cupool/simulator\")
    file(MAKE_DIRECTORY \"\${folder}\")
    file(CREATE_LINK ../../libcupool-sim.so \"\${folder}/libcuda.so.1\" SYMBOLIC)")
endif()

install(EXPORT cupoolTargets NAMESPACE cupool:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/cupoolConfig.cmake.in ${PROJECT_BINARY_DIR}/cupoolConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cupoolConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cupoolConfig.cmake ${PROJECT_BINARY_DIR}/cupoolConfigVersion.cmake DESTINATION ${package_dir})
