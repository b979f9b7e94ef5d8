# Installs the build, then builds and runs a user's programs against what was installed.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed (${result}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(work ${PANTO_BUILD}/install_check)
set(project ${CMAKE_CURRENT_LIST_DIR}/../..)
file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --build ${PANTO_BUILD} --target panto panto_io panto_live panto_app panto_words)
run(${CMAKE_COMMAND} --install ${PANTO_BUILD} --prefix ${work}/prefix)

# exactly the public headers are installed
file(STRINGS ${project}/docs/public_headers.md public REGEX "^\\| `[a-z_/]+\\.hpp` \\|")
list(TRANSFORM public REPLACE "^\\| `([a-z_/]+\\.hpp)`.*" "\\1")
file(GLOB_RECURSE installed RELATIVE ${work}/prefix/include/panto ${work}/prefix/include/panto/*)
list(SORT public)
list(SORT installed)
if(NOT installed STREQUAL public)
  message(FATAL_ERROR "installed headers: ${installed}\nbut docs/public_headers.md lists: ${public}")
endif()

# what a shell and `man` read
foreach(file share/man/man1/panto.1 share/bash-completion/completions/panto share/zsh/site-functions/_panto
        share/fish/vendor_completions.d/panto.fish)
  file(READ ${work}/prefix/${file} words)
  if(NOT words MATCHES "retarget")
    message(FATAL_ERROR "${file} does not know the command's words")
  endif()
endforeach()

set(compiler -G Ninja -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_BUILD_TYPE=Release)
set(user ${compiler} -S ${CMAKE_CURRENT_LIST_DIR} -DCMAKE_PREFIX_PATH=${work}/prefix)
set(no_files -DCMAKE_DISABLE_FIND_PACKAGE_EXPAT=ON -DCMAKE_DISABLE_FIND_PACKAGE_pugixml=ON
             -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)

# the core alone, and with the live link: none of the file libraries may be looked for, or be linked
foreach(part core live)
  run(${CMAKE_COMMAND} ${user} -B ${work}/${part} -DCOMPONENT=${part} ${no_files})
  run(${CMAKE_COMMAND} --build ${work}/${part})
  run(${work}/${part}/${part}_only)
  run(ldd ${work}/${part}/${part}_only)
  string(REGEX MATCHALL "lib[a-zA-Z_+-]+\\.so" libraries "${output}")
  list(REMOVE_DUPLICATES libraries)
  list(REMOVE_ITEM libraries libc.so libm.so libstdc++.so libgcc_s.so)
  list(FILTER libraries EXCLUDE REGEX "^(libpanto|libasan|libubsan)")
  if(libraries)
    message(FATAL_ERROR "a program that uses ${part} alone links ${libraries}")
  endif()
endforeach()

# a program that does all four jobs, and an example, as a user would build them; the other examples include public headers
# too (tools/public_headers.py)
run(${CMAKE_COMMAND} ${user} -B ${work}/io -DCOMPONENT=io -DEXAMPLES=${project}/examples/01_track_a_clip.cpp
    -DEXAMPLE_DATA=${project}/examples/data)
run(${CMAKE_COMMAND} --build ${work}/io)
run(${work}/io/01_track_a_clip)
if(NOT output MATCHES "150 frames at 30 Hz, 66 joint angles")
  message(FATAL_ERROR "01_track_a_clip printed:\n${output}")
endif()
run(${work}/io/consumer ${project}/examples/data/walk.bvh)
foreach(verdict "(Good|Usable, but)" "frames" "imu")
  if(NOT output MATCHES "${verdict}")
    message(FATAL_ERROR "the consumer's verdict does not mention '${verdict}':\n${output}")
  endif()
endforeach()

# the project itself without the file libraries
run(${CMAKE_COMMAND} ${compiler} -S ${project} -B ${work}/without_io -DPANTO_BUILD_IO=OFF -DPANTO_BUILD_TESTS=OFF ${no_files})
run(${CMAKE_COMMAND} --build ${work}/without_io --target help)
if(output MATCHES "panto_io")
  message(FATAL_ERROR "PANTO_BUILD_IO=OFF still knows panto_io")
endif()
message(STATUS "installed package: core alone, with the live link, with files, and a project without files all build")
