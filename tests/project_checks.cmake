# Everything that `./dev test` checks beside the C++ tests, as ctests, so that one summary closes them all:
# sanitizers, layers, headers, format, tidy, installation, the report page, Python.
#
# A missing tool or build skips its test, saying so; where CI is set (to anything but "" and "false") it fails.

find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
include(ProcessorCount)
ProcessorCount(processors)

# panto_check(name COMMAND ... [NEEDS file] [LABEL label]): a test that is skipped where the file `NEEDS` is absent
function(panto_check name)
  cmake_parse_arguments(C "" "NEEDS;LABEL" "COMMAND" ${ARGN})
  if(NOT C_NEEDS)
    list(GET C_COMMAND 0 C_NEEDS)
  endif()
  add_test(NAME ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
           COMMAND ${CMAKE_COMMAND} -DNEEDS=${C_NEEDS} -P ${CMAKE_CURRENT_SOURCE_DIR}/support/run_if_there.cmake -- ${C_COMMAND})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800 SKIP_REGULAR_EXPRESSION "^SKIPPED: ")
  if(C_LABEL)
    set_tests_properties(${name} PROPERTIES LABELS ${C_LABEL})
  endif()
endfunction()

# the test programs of which libraries are under sanitizers; those of solvers take a quarter of an hour
set(sanitizer asan)
if(PANTO_SANITIZE STREQUAL "thread")
  set(sanitizer tsan)
endif()
foreach(module ${sanitized_readers} ${sanitized_solvers})
  set(leave_out "")
  if(module STREQUAL "io")
    set(leave_out --gtest_filter=-RigMap.*:RigFamilies.*)  # what they test is not under sanitizers there
  endif()
  panto_check(${sanitizer}.test_${module} LABEL ${sanitizer} COMMAND $<TARGET_FILE:test_${module}_sanitized> --gtest_brief=1 ${leave_out})
  set_tests_properties(${sanitizer}.test_${module} PROPERTIES
    ENVIRONMENT "ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1;UBSAN_OPTIONS=print_stacktrace=1;TSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/support/threads.supp:history_size=4"
    COST 1000)  # the longest begin first
  if(module IN_LIST sanitized_solvers)
    set_tests_properties(${sanitizer}.test_${module} PROPERTIES LABELS "${sanitizer};thorough")
  endif()
endforeach()

# the include table of docs/reading_guide.md and its own test; Python's standard library is enough
panto_check(layers COMMAND ${Python3_EXECUTABLE} -B tools/check_layers.py)
panto_check(layers.catch_planted_violations COMMAND ${Python3_EXECUTABLE} -B tests/tools/check_layers_test.py)

# what is installed: docs/public_headers.md
panto_check(headers.public COMMAND ${Python3_EXECUTABLE} -B tools/public_headers.py)
panto_check(headers.catch_planted_violations COMMAND ${Python3_EXECUTABLE} -B tests/tools/public_headers_test.py)

# the map of the rooms shows the includes as they are; no part of the documents grows beyond its size
panto_check(rooms.map COMMAND ${Python3_EXECUTABLE} -B tools/draw_rooms.py --check)
panto_check(words.count COMMAND ${Python3_EXECUTABLE} -B tools/count_words.py)
panto_check(words.catch_planted_violations COMMAND ${Python3_EXECUTABLE} -B tests/tools/count_words_test.py)
panto_check(words.draw_messages COMMAND ${Python3_EXECUTABLE} -B tests/tools/draw_messages_test.py)
panto_check(words.library_messages COMMAND ${Python3_EXECUTABLE} -B tests/tools/library_messages_test.py)

# every path, page and link that sources and pages name exists
panto_check(citations COMMAND ${Python3_EXECUTABLE} -B tools/check_citations.py)
panto_check(citations.catch_planted_violations COMMAND ${Python3_EXECUTABLE} -B tests/tools/check_citations_test.py)

# every fault of the battery has its tests
panto_check(faults COMMAND ${Python3_EXECUTABLE} -B tools/check_faults.py)
panto_check(faults.catch_planted_violations COMMAND ${Python3_EXECUTABLE} -B tests/tools/check_faults_test.py)

# sources and functions that are larger than a reviewer likes say why
panto_check(sizes COMMAND ${Python3_EXECUTABLE} -B tools/check_sizes.py)
panto_check(sizes.catch_planted_violations COMMAND ${Python3_EXECUTABLE} -B tests/tools/check_sizes_test.py)

# what plants faults to see whether the tests notice (tools/mutate.py, by hand)
panto_check(mutants COMMAND ${Python3_EXECUTABLE} -B tests/tools/mutate_test.py)

# the same bits: every function that reaches a result is our own
panto_check(bits COMMAND ${Python3_EXECUTABLE} -B tools/check_bits.py)
panto_check(bits.catch_planted_violations COMMAND ${Python3_EXECUTABLE} -B tests/tools/check_bits_test.py)
panto_check(bits.comparison COMMAND ${Python3_EXECUTABLE} -B tests/tools/same_bits_test.py)
# what `./dev demo` builds, by clang, and the core by emscripten, in trees of their own; node runs the second
find_program(PANTO_CLANG clang++)
find_program(PANTO_EMSCRIPTEN em++)
panto_check(bits.clang NEEDS ${PANTO_CLANG}
            COMMAND ${Python3_EXECUTABLE} -B tools/same_bits.py clang $<TARGET_FILE:panto_bits_probe> --jobs ${processors})
panto_check(bits.wasm NEEDS ${PANTO_EMSCRIPTEN}
            COMMAND ${Python3_EXECUTABLE} -B tools/same_bits.py wasm --jobs ${processors})
# other machines are refused before anything is compiled
panto_check(machines NEEDS ${PANTO_CLANG} COMMAND ${Python3_EXECUTABLE} -B tests/tools/machines_test.py ${PANTO_CLANG})
# six minutes, in CI and the thorough tier; the C++ tests compare this compiler's bits with recorded ones in every run
set_tests_properties(bits.clang bits.wasm PROPERTIES PROCESSORS ${processors} COST 900 LABELS compilers)

# the README's code and commands, and the tables of all pages
panto_check(readme COMMAND ${Python3_EXECUTABLE} -B tests/tools/readme_test.py $<$<TARGET_EXISTS:panto_app>:$<TARGET_FILE:panto_app>>)

# the numbered examples, and their index
panto_check(examples.index COMMAND ${Python3_EXECUTABLE} -B tests/tools/examples_test.py)
if(PANTO_BUILD_EXAMPLES AND PANTO_BUILD_IO)
  file(GLOB example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/[0-9]*.cpp)
  foreach(source ${example_sources})
    cmake_path(GET source STEM name)
    panto_check(examples.${name} COMMAND ${Python3_EXECUTABLE} -B tests/tools/examples_test.py ${PROJECT_BINARY_DIR}/examples/${name})
  endforeach()
endif()

# every header compiles alone: those that are installed in every run, all (five minutes) in the thorough tier; so does every
# source there, outside of units
foreach(kind stand_alone public_stand_alone sources)
  string(REGEX MATCH "public|sources" only ${kind})
  list(TRANSFORM only PREPEND "--")
  panto_check(headers.${kind} COMMAND ${Python3_EXECUTABLE} -B tools/headers_alone.py ${CMAKE_CXX_COMPILER} ${PROJECT_BINARY_DIR}/${kind}
              $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES> --jobs ${processors} ${only})
  set_tests_properties(headers.${kind} PROPERTIES PROCESSORS ${processors} COST 900)
endforeach()
set_tests_properties(headers.stand_alone headers.sources PROPERTIES LABELS thorough)
panto_check(headers.catch_lacking_includes COMMAND ${Python3_EXECUTABLE} -B tests/tools/headers_alone_test.py ${CMAKE_CXX_COMPILER}
            $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)

# clang-format and clang-tidy, each in the one version whose opinion counts: they differ from release to release
file(GLOB_RECURSE formatted CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/*.?pp ${PROJECT_SOURCE_DIR}/apps/*.?pp ${PROJECT_SOURCE_DIR}/tests/*.?pp
  ${PROJECT_SOURCE_DIR}/benchmarks/*.?pp ${PROJECT_SOURCE_DIR}/examples/*.?pp ${PROJECT_SOURCE_DIR}/python/*.?pp)
find_program(PANTO_CLANG_FORMAT clang-format-14)
panto_check(format NEEDS ${PANTO_CLANG_FORMAT} COMMAND ${PANTO_CLANG_FORMAT} --dry-run -Werror ${formatted})

# from PyPI, three times as fast as Debian's: since release 21 it does not look for flaws in the system's headers
set(PANTO_CLANG_TIDY ${PROJECT_SOURCE_DIR}/.venv/bin/clang-tidy)
# Sources that can be compiled as one unit are checked as one: most of the time goes into the headers they share.
function(panto_tidy_check name like source)
  panto_check(tidy.${name} NEEDS ${PANTO_CLANG_TIDY}
              COMMAND ${Python3_EXECUTABLE} -B tools/tidy.py ${PANTO_CLANG_TIDY} ${PROJECT_BINARY_DIR} ${like} ${source})
  set_tests_properties(tidy.${name} PROPERTIES LABELS "tidy;thorough")  # ten minutes: `./dev tidy` before a change lands
endfunction()
foreach(target panto panto_io panto_live panto_bridge panto_measure panto_app)
  if(TARGET ${target})
    get_target_property(sources ${target} SOURCES)
    get_target_property(source_dir ${target} SOURCE_DIR)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    panto_units(${target})
    set(groups "")
    foreach(line ${${target}_units})
      string(REGEX MATCH "^([0-9]+) (.+)$" line "${line}")
      list(APPEND groups ${CMAKE_MATCH_1})
      list(APPEND unit_${target}_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endforeach()
    list(REMOVE_DUPLICATES groups)
    foreach(group ${groups})
      set(unit ${PROJECT_BINARY_DIR}/tidy/${target}_${group}.cpp)
      list(TRANSFORM unit_${target}_${group} REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE lines)
      list(JOIN lines "\n" lines)
      file(CONFIGURE OUTPUT ${unit} CONTENT "@lines@\n" @ONLY)
      list(GET unit_${target}_${group} 0 like)
      panto_tidy_check(${target}_${group} ${like} ${unit})
    endforeach()
    foreach(source ${sources})
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${source_dir})
      if(NOT "${${target}_units}" MATCHES "${source}")
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
        panto_tidy_check(${name} ${source} ${source})
      endif()
    endforeach()
  endif()
endforeach()

# what users do: install, find_package, build, run
set(launcher "")
if(CMAKE_CXX_COMPILER_LAUNCHER)
  list(GET CMAKE_CXX_COMPILER_LAUNCHER -1 launcher)
endif()  # ccache alone: users' programs have no precompiled header
panto_check(install.find_package COMMAND ${CMAKE_COMMAND} -DPANTO_BUILD=${PROJECT_BINARY_DIR}
  -DCXX=${CMAKE_CXX_COMPILER} -DLAUNCHER=${launcher} -P ${CMAKE_CURRENT_SOURCE_DIR}/install/check.cmake)

# the report page: its types, and itself in a browser (skipped without npm's packages or a browser)
if(PANTO_BUILD_IO AND TARGET panto_app)
  set(page_work ${PROJECT_BINARY_DIR}/viewer/work)
  find_program(PANTO_CHROMIUM NAMES chromium chromium-browser google-chrome)
  panto_check(viewer.types NEEDS ${page_work}/node_modules/typescript/bin/tsc
              COMMAND ${PANTO_NODE} ${page_work}/node_modules/typescript/bin/tsc --noEmit --project ${page_work})
  set(browser "$<$<BOOL:${PANTO_CHROMIUM}>:${PANTO_CHROMIUM}>")
  foreach(name report_page report_page_compare report_page_motion report_page_pictures report_page_scene report_page_use view live headset)
    panto_check(viewer.${name} NEEDS ${PANTO_NODE}
                COMMAND ${PANTO_NODE} ${CMAKE_CURRENT_SOURCE_DIR}/viewer/${name}_test.mjs)
    set_tests_properties(viewer.${name} PROPERTIES RUN_SERIAL ON TIMEOUT 600
      ENVIRONMENT "PANTO_COMMAND=$<TARGET_FILE:panto_app>;PANTO_PAGE_WORK=${page_work};PANTO_CHROMIUM=${browser}")
  endforeach()
endif()

# the page in the browser: built by another compiler (ten minutes), then used in a browser
panto_check(web.builds NEEDS ${PANTO_EMSCRIPTEN} COMMAND tools/build_web.sh ${processors})
set_tests_properties(web.builds PROPERTIES LABELS thorough PROCESSORS ${processors} COST 1000 FIXTURES_SETUP web_page
                     ENVIRONMENT "PANTO_WEB_OPTIONAL=1")
if(TARGET panto_app)
  panto_check(web.page NEEDS ${PANTO_NODE} COMMAND ${PANTO_NODE} ${CMAKE_CURRENT_SOURCE_DIR}/viewer/app_test.mjs)
  set_tests_properties(web.page PROPERTIES LABELS thorough RUN_SERIAL ON TIMEOUT 600 FIXTURES_REQUIRED web_page
    ENVIRONMENT "PANTO_COMMAND=$<TARGET_FILE:panto_app>;PANTO_PAGE_WORK=${page_work};PANTO_CHROMIUM=${browser}")
endif()

# Python: one test per file, by the project's own virtual environment, told where the built programs are
set(python_environment "PANTO_TEST_DATA_DEFAULT=${PANTO_TEST_DATA_DEFAULT};PYTHONDONTWRITEBYTECODE=1")
foreach(program COMMAND=panto_app PROBE=panto_probe QP_PROBE=panto_qp_probe STEP_PROBE=panto_step_probe NPZ_PROBE=panto_npz_probe
                REST_PROBE=panto_rest_probe LINK_PROBE=panto_link_probe ARM_PROBE=panto_arm_probe
                SCALING_PROBE=panto_scaling_probe)
  string(REPLACE "=" ";" program ${program})
  list(GET program 0 variable)
  list(GET program 1 target)
  list(APPEND python_environment "PANTO_${variable}=$<$<TARGET_EXISTS:${target}>:$<TARGET_FILE:${target}>>")
endforeach()
if(TARGET panto_python)
  list(APPEND python_environment "PANTO_PACKAGE=$<TARGET_FILE_DIR:panto_python>/..")
endif()
file(GLOB python_tests CONFIGURE_DEPENDS python/test_*.py)
foreach(file ${python_tests})
  cmake_path(GET file STEM name)
  panto_check(python.${name} LABEL python COMMAND ${PROJECT_SOURCE_DIR}/.venv/bin/python -B -m pytest -q -p no:cacheprovider ${file})
  set_tests_properties(python.${name} PROPERTIES ENVIRONMENT "${python_environment}")
endforeach()
set_tests_properties(python.test_full_body PROPERTIES COST 950)  # the longest begin first
# its robot keeps real time
set_tests_properties(python.test_servo_loop PROPERTIES RUN_SERIAL ON)

# the site of the documents: a minute; the tutorials on it run in every test (python.test_tutorials)
if(TARGET panto_app AND TARGET panto_python)
  panto_check(docs.site NEEDS ${PROJECT_SOURCE_DIR}/.venv-docs/bin/python
              COMMAND ${PROJECT_SOURCE_DIR}/.venv-docs/bin/python -B tools/docs_site.py ${PROJECT_BINARY_DIR}/docs)
  set_tests_properties(docs.site PROPERTIES LABELS thorough ENVIRONMENT
    "PANTO_COMMAND=$<TARGET_FILE:panto_app>;PANTO_PACKAGE=$<TARGET_FILE_DIR:panto_python>/..")
endif()
