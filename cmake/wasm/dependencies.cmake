# The libraries that panto_io needs, compiled for WebAssembly from the sources that tools/web_sources.sh unpacked, under the
# names that CMake's packages give them. Headers alone come from the system.
set(PANTO_WEB_SOURCES ${PROJECT_SOURCE_DIR}/build/web-sources CACHE PATH "Sources that tools/web_sources.sh unpacked")

# web_library(name folder sources...): a C or C++ library without warnings
function(web_library name folder)
  if(NOT IS_DIRECTORY ${folder})
    message(FATAL_ERROR "${folder} is missing: run tools/web_sources.sh")
  endif()
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} SYSTEM PUBLIC ${folder})
  target_compile_options(${name} PRIVATE -w)
endfunction()

set(expat ${PANTO_WEB_SOURCES}/expat/expat/lib)
web_library(web_expat ${expat} ${expat}/xmlparse.c ${expat}/xmlrole.c ${expat}/xmltok.c)
# no source of random numbers: names of hostile files may collide, which costs their reader time in a page of its own
target_compile_definitions(web_expat PRIVATE XML_POOR_ENTROPY XML_NS XML_DTD XML_GE=1 XML_CONTEXT_BYTES=1024 HAVE_MEMMOVE PUBLIC XML_STATIC)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/web_expat/expat_config.h CONTENT "#define BYTEORDER 1234\n")
target_include_directories(web_expat PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/web_expat)
add_library(EXPAT::EXPAT ALIAS web_expat)

set(zlib ${PANTO_WEB_SOURCES}/zlib)
web_library(web_zlib ${zlib} ${zlib}/adler32.c ${zlib}/crc32.c ${zlib}/deflate.c ${zlib}/inffast.c ${zlib}/inflate.c
            ${zlib}/inftrees.c ${zlib}/trees.c ${zlib}/zutil.c)

# libzip: all but other systems' files, encryption and other compressions
set(libzip ${PANTO_WEB_SOURCES}/libzip/lib)
file(GLOB sources ${libzip}/zip_*.c)
list(FILTER sources EXCLUDE REGEX "win32|uwp|_aes|crypto|bzip2|_xz|zstd")
set(made ${CMAKE_CURRENT_BINARY_DIR}/web_libzip)
file(STRINGS ${libzip}/zip.h codes REGEX "^#define ZIP_ER_[A-Z0-9_]+ +[0-9]+ ")
set(texts "")
set(types "")
foreach(code ${codes})
  string(REGEX MATCH "/\\* ([NLSZ]) ([^*]+) \\*/" _ "${code}")
  string(APPEND texts "  \"${CMAKE_MATCH_2}\",\n")
  string(APPEND types "  ${CMAKE_MATCH_1},\n")
endforeach()
file(CONFIGURE OUTPUT ${made}/zip_err_str.c CONTENT "#include \"zipint.h\"
#define L ZIP_ET_LIBZIP
#define N ZIP_ET_NONE
#define S ZIP_ET_SYS
#define Z ZIP_ET_ZLIB
const char* const _zip_err_str[] = {\n${texts}};
const int _zip_nerr_str = sizeof(_zip_err_str) / sizeof(_zip_err_str[0]);
const int _zip_err_type[] = {\n${types}};\n")
foreach(has FILENO FSEEKO FTELLO LOCALTIME_R MKSTEMP SNPRINTF STRCASECMP STRDUP STRTOLL STRTOULL STDBOOL_H STRINGS_H UNISTD_H)
  string(APPEND defines "#define HAVE_${has}\n")
endforeach()
file(CONFIGURE OUTPUT ${made}/config.h CONTENT "#include \"zipconf.h\"
${defines}#define SIZEOF_OFF_T 8
#define SIZEOF_SIZE_T 4
#define PACKAGE \"libzip\"
#define VERSION \"0\"\n")
set(ZIP_STATIC ON)
set(LIBZIP_TYPES_INCLUDE "#include <stdint.h>")
set(ZIP_NULLABLE_DEFINES "#define _Nullable\n#define _Nonnull")
foreach(bits 8 16 32 64)
  set(ZIP_INT${bits}_T int${bits}_t)
  set(ZIP_UINT${bits}_T uint${bits}_t)
endforeach()
foreach(part _MAJOR _MINOR _PATCH)
  set(libzip_VERSION${part} 0)
endforeach()
configure_file(${libzip}/../cmake-zipconf.h.in ${made}/zipconf.h)
web_library(web_libzip ${libzip} ${sources} ${made}/zip_err_str.c)
target_include_directories(web_libzip SYSTEM PUBLIC ${made})
target_compile_definitions(web_libzip PRIVATE HAVE_CONFIG_H)
target_link_libraries(web_libzip PUBLIC web_zlib)
add_library(LibZip::zip ALIAS web_libzip)

set(pugixml ${PANTO_WEB_SOURCES}/pugixml/src)
web_library(web_pugixml ${pugixml} ${pugixml}/pugixml.cpp)
add_library(pugixml::pugixml ALIAS web_pugixml)

# headers alone, from the system's packages; a folder of links, since the system's other headers are another C library's
set(links ${CMAKE_CURRENT_BINARY_DIR}/web_headers)
file(MAKE_DIRECTORY ${links})
foreach(name fmt nlohmann toml++)
  find_path(PANTO_HEADERS_${name} ${name} PATHS /usr/include /usr/local/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  file(CREATE_LINK ${PANTO_HEADERS_${name}}/${name} ${links}/${name} SYMBOLIC)
endforeach()
foreach(name fmt::fmt nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus)
  string(REPLACE "::" "_" library web_${name})
  add_library(${library} INTERFACE)
  target_include_directories(${library} SYSTEM INTERFACE ${links})
  target_compile_definitions(${library} INTERFACE FMT_HEADER_ONLY)
  add_library(${name} ALIAS ${library})
endforeach()
