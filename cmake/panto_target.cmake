# One place for compiler settings. Bits must be the same on every machine: no contraction, never -ffast-math.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(PANTO_CCACHE ccache)
  if(PANTO_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${PANTO_CCACHE})
  endif()
endif()

function(panto_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off -fno-math-errno -fno-trapping-math)
  # g++ 12 makes masked loads of `c ? a : array[l]` and mixes up their masks; where loops begin is not left to what else
  # is linked (both: docs/decisions/0015)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fno-tree-sink $<$<CONFIG:Release>:-falign-functions=64>)
  endif()
  # clang counts changes of sign among conversions, and does not know `GCC ivdep`, which changes no result
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -Wno-sign-conversion -Wno-unknown-pragmas)
  endif()
  # g++ 12 sees overlapping copies in "text" + std::string (its bug 105651)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(PANTO_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(PANTO_SANITIZE)
    # a null pointer ends at address 0, and Eigen asserts what it needs aligned: checking both at every access takes
    # half of all the time
    target_compile_options(${target} PRIVATE -fsanitize=${PANTO_SANITIZE} -fno-sanitize=null,alignment,vptr,object-size
                           -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${PANTO_SANITIZE})
  endif()
endfunction()

# panto_library(name MODULES ...): all sources of these folders of src/panto, with their headers beside them
function(panto_library name)
  cmake_parse_arguments(LIB "" "" "MODULES" ${ARGN})
  list(TRANSFORM LIB_MODULES REPLACE "(.+)" "src/panto/\\1/*.cpp" OUTPUT_VARIABLE source_globs)
  list(TRANSFORM LIB_MODULES REPLACE "(.+)" "src/panto/\\1/*.hpp" OUTPUT_VARIABLE header_globs)
  file(GLOB sources CONFIGURE_DEPENDS ${source_globs})
  file(GLOB headers CONFIGURE_DEPENDS ${header_globs})
  add_library(${name} ${sources} ${headers})
  add_library(panto::${name} ALIAS ${name})
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers})
  set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON POSITION_INDEPENDENT_CODE ON
                                           LINKER_LANGUAGE CXX)
  panto_compile_options(${name})
endfunction()
