# find_package(panto) after `cmake --install`: panto::panto, and panto::panto_io and panto::panto_live where they
# were built.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/panto)

# one export per library: who asks for the core alone needs none of the other's dependencies
install(TARGETS panto EXPORT panto-core FILE_SET HEADERS)
install(EXPORT panto-core NAMESPACE panto:: DESTINATION ${package_dir})
if(TARGET panto_io)
  install(TARGETS panto_io EXPORT panto-io FILE_SET HEADERS)
  install(EXPORT panto-io NAMESPACE panto:: DESTINATION ${package_dir})
endif()
if(TARGET panto_live)
  install(TARGETS panto_live EXPORT panto-live FILE_SET HEADERS)
  install(EXPORT panto-live NAMESPACE panto:: DESTINATION ${package_dir})
endif()
if(TARGET panto_app)
  install(TARGETS panto_app)
endif()

configure_package_config_file(cmake/panto-config.cmake.in ${PROJECT_BINARY_DIR}/panto-config.cmake
                              INSTALL_DESTINATION ${package_dir})
# 0.x may break with every minor version
write_basic_package_version_file(${PROJECT_BINARY_DIR}/panto-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/panto-config.cmake ${PROJECT_BINARY_DIR}/panto-config-version.cmake
        DESTINATION ${package_dir})
if(TARGET panto_io)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindLibZip.cmake DESTINATION ${package_dir})
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
