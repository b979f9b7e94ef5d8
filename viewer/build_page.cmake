# cmake -DOUTPUT=... [-DMISSING=why] [-DSTAMP= -DNPM= -DSOURCE= -DWORK=] -P build_page.cmake
# Writes OUTPUT, the C++ file that holds the page: built by npm from SOURCE in the folder WORK, or none and the reason.
cmake_minimum_required(VERSION 3.25)

function(write_page page missing)
  set(text "// Made by viewer/build_page.cmake.\n#include \"panto/report/page.hpp\"\n\nnamespace panto {\nnamespace {\n")
  string(APPEND text "constexpr char kPage[] = R\"panto_page(${page})panto_page\";\n")
  string(APPEND text "constexpr char kMissing[] = R\"panto_page(${missing})panto_page\";\n}  // namespace\n\n")
  string(APPEND text "std::string_view report_page_template() noexcept { return {kPage, sizeof(kPage) - 1}; }\n")
  string(APPEND text "std::string_view report_page_missing() noexcept { return {kMissing, sizeof(kMissing) - 1}; }\n\n")
  string(APPEND text "}  // namespace panto\n")
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "@text@" @ONLY)  # touched only if it differs
endfunction()

if(DEFINED MISSING)
  write_page("" "${MISSING}")
  return()
endif()

file(REMOVE ${STAMP})

# npm's words when a step fails; the build goes on without the page, but not where nothing may be missing
function(run_npm what)
  execute_process(COMMAND ${NPM} ${ARGN} WORKING_DIRECTORY ${WORK} TIMEOUT 900  # seconds: it may be slow, but not hang
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0)
    return()
  endif()
  if(NOT "$ENV{CI}" STREQUAL "" AND NOT "$ENV{CI}" STREQUAL "false")
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
  message(WARNING "${what} failed (${result}); Panto is built without the report page:\n${output}")
  write_page("" "this Panto was built without the page, since ${what} failed: usually no network, or a package registry that npm does not know. Build again when that is mended; the build then prints npm's own words")
  set(failed TRUE PARENT_SCOPE)
endfunction()

set(failed FALSE)
file(MAKE_DIRECTORY ${WORK})
file(REMOVE_RECURSE ${WORK}/src)
file(COPY ${SOURCE}/src ${SOURCE}/index.html ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/.npmrc
          ${SOURCE}/vite.config.mjs ${SOURCE}/tsconfig.json DESTINATION ${WORK})
file(SHA256 ${SOURCE}/package-lock.json lock)
set(installed ${WORK}/node_modules/panto-lock-${lock})
if(NOT EXISTS ${installed})
  run_npm("`npm ci`" ci --no-audit --no-fund)
  if(failed)
    return()
  endif()
  file(TOUCH ${installed})
endif()
run_npm("`npm run build`" run build)
if(failed)
  return()
endif()

file(READ ${WORK}/dist/index.html page)
write_page("${page}" "")
file(TOUCH ${STAMP})
