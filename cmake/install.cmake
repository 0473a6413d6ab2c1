# What `cmake --install` puts in place, and the target `uninstall`. Everything finds the rest by relative paths, so that
# the installed folder can be moved. Components: runtime (the shared library), mpi
# (libfreeridge_mpi with its header), development (all else).
include(CMakePackageConfigHelpers)

# What folders this makes: `uninstall` removes them again, those that are empty then.
set(folders ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_LIBDIR}/cmake/freeridge ${CMAKE_INSTALL_INCLUDEDIR}
            ${CMAKE_INSTALL_MANDIR}/man3)
configure_file(cmake/note_folders.cmake.in ${PROJECT_BINARY_DIR}/note_folders.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/note_folders.cmake ALL_COMPONENTS)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/freeridge)
install(TARGETS freeridge EXPORT freeridge_shared
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS freeridge_static EXPORT freeridge_static
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(FILES capi/freeridge.h capi/freeridge_classical.h capi/freeridge.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# The CMake package. Each library has targets of its own: the shared one can be had without what the static one needs.
foreach(kind shared static)
  install(EXPORT freeridge_${kind} FILE freeridge-${kind}.cmake NAMESPACE freeridge:: DESTINATION ${package_dir}
          COMPONENT development)
endforeach()
configure_package_config_file(cmake/freeridge-config.cmake.in ${PROJECT_BINARY_DIR}/package/freeridge-config.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Also while MAJOR is 0: what a version offers, every later one with the same MAJOR offers (docs/abi.md).
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/freeridge-config-version.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/freeridge-config.cmake
              ${PROJECT_BINARY_DIR}/package/freeridge-config-version.cmake
        DESTINATION ${package_dir} COMPONENT development)

# pkg-config. Libs.private is what a static link needs: the libraries that were found, those of their folders that the
# compiler does not know, and the runtimes of C++ and Fortran.
set(private_flags "")
get_target_property(private_libraries freeridge::dependencies INTERFACE_LINK_LIBRARIES)
string(REPLACE "LAPACK::LAPACK" "${LAPACK_LIBRARIES}" private_libraries "${private_libraries}")
string(REPLACE "BLAS::BLAS" "${BLAS_LIBRARIES}" private_libraries "${private_libraries}")
string(REPLACE "Threads::Threads" "-pthread" private_libraries "${private_libraries}")
foreach(library IN LISTS private_libraries cxx_runtime fortran_runtime ITEMS m)
  if(library MATCHES "^(/.*)/lib([^/]+)\\.(so|a|dylib)$")
    set(name ${CMAKE_MATCH_2})
    file(REAL_PATH ${CMAKE_MATCH_1} folder)
    if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND private_flags -L${folder})
    endif()
    list(APPEND private_flags -l${name})
  elseif(library MATCHES "^[-/]")
    list(APPEND private_flags ${library})
  else()
    list(APPEND private_flags -l${library})
  endif()
endforeach()
list(REMOVE_DUPLICATES private_flags)
list(JOIN private_flags " " pc_private)
file(RELATIVE_PATH pc_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
configure_file(cmake/freeridge.pc.in ${PROJECT_BINARY_DIR}/package/freeridge.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/freeridge.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
if(TARGET freeridge_mpi)
  configure_file(mpi/freeridge_mpi.pc.in ${PROJECT_BINARY_DIR}/package/freeridge_mpi.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/freeridge_mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT mpi)
endif()

if(PROJECT_IS_TOP_LEVEL)
  configure_file(cmake/uninstall.cmake.in ${PROJECT_BINARY_DIR}/uninstall.cmake @ONLY)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${PROJECT_BINARY_DIR}/uninstall.cmake VERBATIM)
endif()
