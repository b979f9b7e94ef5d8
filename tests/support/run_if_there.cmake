# cmake -DNEEDS=<file> -P run_if_there.cmake -- command...: runs the command; where `NEEDS` is absent it skips
# loudly, and fails in CI, where nothing may be absent.
set(command)
set(after_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_dashes)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

if(NOT EXISTS "${NEEDS}")
  if(NOT "$ENV{CI}" STREQUAL "" AND NOT "$ENV{CI}" STREQUAL "false")
    message(FATAL_ERROR "${NEEDS} is not there; `./dev test` installs and builds all that is needed")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo
                  "SKIPPED: ${NEEDS} is not there; `./dev test` installs and builds all that is needed")
  return()
endif()

execute_process(COMMAND ${command} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "failed (${result})")
endif()
