# Which versions of which libraries a build contains: each is compared with the least one of docs/dependencies.md, and all go
# into the bill of materials, sbom.cdx.json (CycloneDX), which is installed beside the licence.
set(panto_dependency_table ${CMAKE_CURRENT_LIST_DIR}/../docs/dependencies.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${panto_dependency_table})

# panto_uses(NAME VERSION): this build contains it; an empty version is one that the library does not tell
function(panto_uses name version)
  string(REGEX REPLACE "([+.])" "\\\\\\1" pattern "${name}")
  file(STRINGS ${panto_dependency_table} row REGEX "^\\| ${pattern} \\|" LIMIT_COUNT 1)
  if(NOT row)
    message(FATAL_ERROR "docs/dependencies.md has no row of ${name}")
  endif()
  string(REGEX REPLACE "^\\|[^|]*\\| *([0-9.]+) *\\|.*" "\\1" least "${row}")
  if(version AND version VERSION_LESS least)
    message(FATAL_ERROR "Panto needs ${name} ${least} or newer; this is ${version}")
  endif()
  set_property(GLOBAL APPEND PROPERTY panto_used "${name}=${version}")
endfunction()

# panto_header_version(OUT FILE MACRO...): the version that macros of a header tell, joined by points
function(panto_header_version out file)
  set(parts "")
  foreach(macro ${ARGN})
    file(STRINGS ${file} line REGEX "^ *# *define +${macro} +" LIMIT_COUNT 1)
    string(REGEX REPLACE "^ *# *define +${macro} +\"?([0-9._]+).*" "\\1" part "${line}")
    string(REPLACE "_" "." part "${part}")
    list(APPEND parts "${part}")
  endforeach()
  list(JOIN parts "." version)
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

# panto_bill_of_materials(): called last, when all is found
function(panto_bill_of_materials)
  find_package(Python3 3.9 COMPONENTS Interpreter)
  if(NOT Python3_Interpreter_FOUND)
    message(STATUS "No bill of materials: it needs Python 3.9 or newer")
    return()
  endif()
  get_property(used GLOBAL PROPERTY panto_used)
  list(REMOVE_DUPLICATES used)
  list(JOIN used "\n" lines)
  set(versions ${PROJECT_BINARY_DIR}/sbom_versions.txt)
  set(bill ${PROJECT_BINARY_DIR}/sbom.cdx.json)
  file(CONFIGURE OUTPUT ${versions} CONTENT "panto=${PROJECT_VERSION}\n@lines@\n" @ONLY)
  add_custom_command(OUTPUT ${bill}
                     COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/sbom.py ${versions} ${bill}
                     DEPENDS ${versions} ${panto_dependency_table} ${PROJECT_SOURCE_DIR}/viewer/package-lock.json
                             ${PROJECT_SOURCE_DIR}/tools/sbom.py
                     COMMENT "The bill of materials" VERBATIM)
  add_custom_target(panto_bill ALL DEPENDS ${bill})
  if(PANTO_INSTALL)
    include(GNUInstallDirs)
    install(FILES ${bill} DESTINATION ${CMAKE_INSTALL_DOCDIR})
  endif()
endfunction()
