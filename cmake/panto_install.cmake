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
  # the manual page, and what completes the command's words in a shell: from its options
  set(words "")
  foreach(entry "man!panto.1!${CMAKE_INSTALL_MANDIR}/man1"
                "completion bash!panto!${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
                "completion zsh!_panto!${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
                "completion fish!panto.fish!${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
    string(REPLACE "!" ";" entry ${entry})
    list(GET entry 0 command)
    list(GET entry 1 name)
    list(GET entry 2 folder)
    string(REPLACE " " ";" command ${command})
    set(file ${PROJECT_BINARY_DIR}/words/${name})
    add_custom_command(OUTPUT ${file} COMMAND panto_app ${command} > ${file} DEPENDS panto_app VERBATIM)
    install(FILES ${file} DESTINATION ${folder})
    list(APPEND words ${file})
  endforeach()
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/words)
  add_custom_target(panto_words ALL DEPENDS ${words})
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

# pkg-config, for builds without CMake; its paths follow the file
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(library panto panto_io panto_live)
  if(TARGET ${library})
    set(pc_requires eigen3)
    if(NOT library STREQUAL panto)
      set(pc_requires "panto = ${PROJECT_VERSION}")
    endif()
    if(library STREQUAL panto_io) # archives need theirs
      string(APPEND pc_requires ", expat, pugixml, tomlplusplus, fmt, libzip")
    endif()
    configure_file(cmake/library.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endif()
endforeach()

# `cpack -G DEB`: one package; dpkg-shlibdeps finds what it needs at run time
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_PACKAGE_CONTACT "the Panto developers <panto@localhost>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libeigen3-dev")
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  include(CPack)
endif()
