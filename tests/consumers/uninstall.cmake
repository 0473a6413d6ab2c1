# Installs BUILD under the DESTDIR STAGE, first what programs need to run and then the rest, and uninstalls it: what was
# there before is left, and nothing else, no folder either.
file(REMOVE_RECURSE ${STAGE})
file(STRINGS ${BUILD}/CMakeCache.txt prefix REGEX "^CMAKE_INSTALL_PREFIX:")
string(REGEX REPLACE "^[^=]*=" "" prefix "${prefix}")
set(ENV{DESTDIR} ${STAGE})
file(WRITE ${STAGE}${prefix}/lib/cmake/other/other-config.cmake "not ours\n")

# expect_files(COMPONENT COUNT): so many files are there after it.
function(expect_files component expected)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component ${component} COMMAND_ERROR_IS_FATAL ANY
                  OUTPUT_QUIET)
  file(GLOB_RECURSE installed ${STAGE}/*freeridge*)
  list(FILTER installed EXCLUDE REGEX "/man3/freeridge_")  # of each call; install.cmake knows them
  list(LENGTH installed count)
  if(NOT count EQUAL expected)
    message(FATAL_ERROR "${count} files after ${component}, expected ${expected}: ${installed}")
  endif()
endfunction()
expect_files(runtime 2)       # the library and the link that is its soname
expect_files(development 15)  # the files of install.cmake

execute_process(COMMAND ${CMAKE_COMMAND} -P ${BUILD}/uninstall.cmake COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
file(GLOB_RECURSE left LIST_DIRECTORIES true RELATIVE ${STAGE}${prefix} ${STAGE}${prefix}/*)
list(SORT left)
if(NOT left STREQUAL "lib;lib/cmake;lib/cmake/other;lib/cmake/other/other-config.cmake")
  message(FATAL_ERROR "left after uninstall: ${left}")
endif()

# There is nothing to uninstall any more, and it says so.
execute_process(COMMAND ${CMAKE_COMMAND} -P ${BUILD}/uninstall.cmake RESULT_VARIABLE status OUTPUT_QUIET
                ERROR_VARIABLE words)
if(status EQUAL 0 OR NOT words MATCHES "nothing to uninstall")
  message(FATAL_ERROR "a second uninstall: ${status}, ${words}")
endif()
