# Installs BUILD into WORK/first, looks at every file of it, and moves it to WORK/moved for the strangers.
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first COMMAND_ERROR_IS_FATAL ANY
                OUTPUT_QUIET)

# These files, and no others.
string(TOLOWER "${CONFIGURATION}" configuration)
set(package ${LIBDIR}/cmake/freeridge)
set(expected
    ${INCLUDEDIR}/freeridge.h
    ${INCLUDEDIR}/freeridge.hpp
    ${INCLUDEDIR}/freeridge_classical.h
    ${LIBDIR}/libfreeridge.a
    ${LIBDIR}/libfreeridge.so
    ${LIBDIR}/libfreeridge.so.${SOVERSION}
    ${LIBDIR}/libfreeridge.so.${ABI_VERSION}
    ${LIBDIR}/pkgconfig/freeridge.pc
    ${package}/freeridge-config.cmake
    ${package}/freeridge-config-version.cmake
    ${package}/freeridge-shared.cmake
    ${package}/freeridge-shared-${configuration}.cmake
    ${package}/freeridge-static.cmake
    ${package}/freeridge-static-${configuration}.cmake
    ${MANDIR}/man3/freeridge.3)
foreach(header freeridge freeridge_classical)  # a page for each call
  file(READ ${SOURCE}/capi/${header}.h text)
  string(REGEX MATCHALL "FREERIDGE_API [^;(]*[ *]freeridge_[a-z_0-9]+\\(" declarations "${text}")
  foreach(declaration IN LISTS declarations)
    string(REGEX REPLACE ".*[ *](freeridge_[a-z_0-9]+)\\($" "${MANDIR}/man3/\\1.3" page "${declaration}")
    list(APPEND expected ${page})
  endforeach()
endforeach()
# libfreeridge_mpi, where it was built.
if(EXISTS ${WORK}/first/${INCLUDEDIR}/freeridge_mpi.h)
  list(APPEND expected
       ${INCLUDEDIR}/freeridge_mpi.h
       ${LIBDIR}/libfreeridge_mpi.so
       ${LIBDIR}/libfreeridge_mpi.so.${SOVERSION}
       ${LIBDIR}/libfreeridge_mpi.so.${ABI_VERSION}
       ${LIBDIR}/pkgconfig/freeridge_mpi.pc
       ${package}/freeridge-mpi.cmake
       ${package}/freeridge-mpi-${configuration}.cmake)
endif()
list(SORT expected)
file(GLOB_RECURSE found RELATIVE ${WORK}/first ${WORK}/first/*)
list(SORT found)
if(NOT found STREQUAL expected)
  message(FATAL_ERROR "installed:\n  ${found}\nexpected:\n  ${expected}")
endif()

# The links by which programs and linkers find the library.
foreach(link so so.${SOVERSION})
  file(READ_SYMLINK ${WORK}/first/${LIBDIR}/libfreeridge.${link} target)
  if(NOT target MATCHES "^libfreeridge\\.so\\.[0-9.]+$")
    message(FATAL_ERROR "libfreeridge.${link} is a link to ${target}")
  endif()
endforeach()

# No text names the place it was installed to, built in, or built from.
foreach(name IN LISTS found)
  if(name MATCHES "\\.(cmake|pc|h|hpp)$")
    file(READ ${WORK}/first/${name} text)
    foreach(place ${WORK} ${BUILD} ${SOURCE})
      string(FIND "${text}" "${place}" position)
      if(NOT position EQUAL -1)
        message(FATAL_ERROR "${name} names ${place}: it cannot be moved")
      endif()
    endforeach()
  endif()
endforeach()
file(RENAME ${WORK}/first ${WORK}/moved)
