# One place for compiler settings. Bits must be the same on every machine: no contraction, never -ffast-math.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(PANTO_CCACHE ccache)
  if(PANTO_CCACHE)
    # without this leave ccache refuses files with a precompiled header
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${PANTO_CCACHE})
  endif()
endif()

function(panto_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -fno-trapping-math)
  # g++ 12 makes masked loads of `c ? a : array[l]` and mixes up their masks; where loops begin is not left to what else
  # is linked (both: docs/decisions/0015)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fno-tree-sink $<$<CONFIG:Release>:-falign-functions=64>)
    # g++ collects its own garbage less often: a tenth less time, below 1 GB a process
    target_compile_options(${target} PRIVATE --param=ggc-min-expand=400 --param=ggc-min-heapsize=1000000)
  endif()
  if(PANTO_WARNINGS)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
    # clang counts changes of sign among conversions, and does not know `GCC ivdep`, which changes no result
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      target_compile_options(${target} PRIVATE -Wno-sign-conversion -Wno-unknown-pragmas)
    endif()
    # g++ 12 sees overlapping copies in "text" + std::string (its bug 105651)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      target_compile_options(${target} PRIVATE -Wno-restrict)
    endif()
  else()
    target_compile_options(${target} PRIVATE -w)
  endif()
endfunction()

# panto_sanitize(target): after panto_compile_options, for tests alone. A null pointer ends at address 0, and Eigen asserts
# what it needs aligned: checking both at every access takes half of all the time. Under the address sanitizer Eigen would
# allocate by a scheme of its own, which the tests' code, compiled without, could not free.
function(panto_sanitize target)
  target_compile_definitions(${target} PRIVATE EIGEN_MALLOC_ALREADY_ALIGNED=1)
  target_compile_options(${target} PRIVATE -O1 -g1 -UNDEBUG -w -fsanitize=${PANTO_SANITIZE} -fno-sanitize=null,alignment,vptr,object-size
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
endfunction()

# panto_sanitized_objects(library sources...): the library once more, under the sanitizers; `panto_sanitized_tests` links it
function(panto_sanitized_objects library)
  add_library(${library}_sanitized OBJECT EXCLUDE_FROM_ALL ${ARGN})
  target_include_directories(${library}_sanitized PRIVATE $<TARGET_PROPERTY:${library},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${library}_sanitized PRIVATE $<TARGET_PROPERTY:${library},COMPILE_DEFINITIONS>)
  panto_compile_options(${library}_sanitized)
  panto_sanitize(${library}_sanitized)
  panto_unity(${library}_sanitized)
endfunction()

# panto_precompile(target headers... [TEMPLATES] [ROOMS rooms...]): the target's own precompiled header. Saves a quarter
# of the compiler's time; files include what they use all the same (the test headers.stand_alone, and PANTO_PCH=OFF). By
# clang, in units, it also holds all headers of these rooms and the templates that most sources use, which saves a
# quarter of the time before code is generated. Not by g++, which loads a precompiled header whole.
function(panto_precompile target)
  if(NOT PANTO_PCH)
    return()
  endif()
  cmake_parse_arguments(PCH "TEMPLATES" "" "ROOMS" ${ARGN})
  set(headers ${PCH_UNPARSED_ARGUMENTS})
  if(PCH_ROOMS AND PANTO_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    list(TRANSFORM PCH_ROOMS REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/panto/\\1/*.hpp")
    file(GLOB of_rooms CONFIGURE_DEPENDS ${PCH_ROOMS})
    list(APPEND headers ${of_rooms})
    if(PCH_TEMPLATES)
      list(APPEND headers ${PROJECT_SOURCE_DIR}/cmake/common_templates.hpp)
    endif()
  endif()
  target_precompile_headers(${target} PRIVATE ${headers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache asks for it
  endif()
  if(TARGET ${target}_sanitized)
    panto_precompile(${target}_sanitized ${PCH_UNPARSED_ARGUMENTS})
  endif()
endfunction()

# panto_share_precompiled(target donor): for targets compiled with the donor's options
function(panto_share_precompiled target donor)
  if(PANTO_PCH)
    target_precompile_headers(${target} REUSE_FROM ${donor})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
      target_compile_options(${target} PRIVATE -fpch-preprocess)
    endif()
  endif()
endfunction()

set(panto_std_headers <algorithm> <array> <cmath> <cstdint> <cstdio> <functional> <limits> <memory> <numbers> <optional>
                      <random> <span> <string> <string_view> <utility> <vector>)
set(panto_eigen_headers <Eigen/Core> <Eigen/Geometry> <Eigen/Cholesky>)

# panto_units(target): sets `<target>_units`, a list of "group;source" lines (tools/unity_groups.py), in the caller
function(panto_units target)
  find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(names "")
  foreach(source ${sources})
    if(source MATCHES "\\.cpp$")
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
      list(APPEND names ${source})
    endif()
  endforeach()
  set(lines "")
  if(Python3_FOUND)
    execute_process(COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/unity_groups.py ${names}
                    OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  endif()
  string(REPLACE ";" " " lines "${lines}")
  string(REPLACE "\n" ";" lines "${lines}")
  set(${target}_units "${lines}" PARENT_SCOPE)
endfunction()

# panto_unity(target): with PANTO_UNITY, compiles the target's sources in units; without Python each alone
function(panto_unity target)
  if(NOT PANTO_UNITY)
    return()
  endif()
  panto_units(${target})
  foreach(line ${${target}_units})
    string(REGEX MATCH "^([0-9]+) (.+)$" line "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# panto_speed(target level [demo_level]): less than -O3 where nothing runs per frame; the other level where a release
# build is at -O1 (`./dev demo`)
function(panto_speed target level)
  if(CMAKE_CXX_FLAGS_RELEASE MATCHES "-O1")
    set(level ${ARGN})
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake)

# panto_library(name MODULES ...): all sources of these folders of src/panto, with their headers beside them. The headers
# of docs/public_headers.md are the library's own; programs of this tree see all others too (tools/headers_alone.py).
function(panto_library name)
  cmake_parse_arguments(LIB "" "" "MODULES" ${ARGN})
  list(TRANSFORM LIB_MODULES REPLACE "(.+)" "src/panto/\\1/*.cpp" OUTPUT_VARIABLE source_globs)
  list(TRANSFORM LIB_MODULES REPLACE "(.+)" "src/panto/\\1/*.hpp" OUTPUT_VARIABLE header_globs)
  file(GLOB sources CONFIGURE_DEPENDS ${source_globs})
  file(GLOB headers CONFIGURE_DEPENDS ${header_globs})
  set(inner ${headers})
  list(REMOVE_ITEM inner ${panto_public})
  set(public ${headers})
  list(REMOVE_ITEM public ${inner})
  add_library(${name} ${sources} ${headers})
  add_library(panto::${name} ALIAS ${name})
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${public})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON LINKER_LANGUAGE CXX)
  panto_compile_options(${name})
  panto_unity(${name})
  if(PANTO_SANITIZE)
    panto_sanitized_objects(${name} ${sources})
  endif()
endfunction()
