# docs/public_headers.md says which headers are installed. panto_public: these, as src/panto/...
set(panto_public_table ${CMAKE_CURRENT_LIST_DIR}/../docs/public_headers.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${panto_public_table})
file(STRINGS ${panto_public_table} panto_public REGEX "^\\| `[a-z_/]+\\.hpp` \\|")
list(TRANSFORM panto_public REPLACE "^\\| `([a-z_/]+\\.hpp)`.*" "${PROJECT_SOURCE_DIR}/src/panto/\\1")
