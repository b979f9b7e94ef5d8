# cmake -DOUTPUT=... -DFOLDER=... -P embed_tables.cmake
# Writes OUTPUT, the C++ file that holds every table of FOLDER under its file's name.
cmake_minimum_required(VERSION 3.25)

file(GLOB tables ${FOLDER}/*.toml)
list(SORT tables)
set(text "// Made by models/embed_tables.cmake.\n#include \"panto/io/shipped_tables.hpp\"\n\n")
string(APPEND text "namespace panto::io {\nnamespace {\n\nconstexpr ShippedTable kTables[] = {\n")
foreach(table IN LISTS tables)
  cmake_path(GET table STEM name)
  file(READ ${table} content)
  string(APPEND text "    {\"${name}\", R\"panto_table(${content})panto_table\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\n")
string(APPEND text "std::span<const ShippedTable> shipped_tables() noexcept { return kTables; }\n\n}  // namespace panto::io\n")
file(WRITE ${OUTPUT} "${text}")
