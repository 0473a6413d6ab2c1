# Which BLAS and LAPACK the library is linked with. It calls them by their Fortran names, which all of them have.
#
# libblas and liblapack by their plain names, where these are alternatives (Debian, Ubuntu): then they stand for
# whichever is chosen on the machine that runs the program (update-alternatives --config libblas.so.3-...), so that it
# can be changed without building again. Elsewhere the first that CMake finds, or that of BLA_VENDOR.
if(NOT BLA_VENDOR AND NOT DEFINED ENV{BLA_VENDOR})
  find_library(FREERIDGE_PLAIN_BLAS blas)
  find_library(FREERIDGE_PLAIN_LAPACK lapack)
  mark_as_advanced(FREERIDGE_PLAIN_BLAS FREERIDGE_PLAIN_LAPACK)
  if(FREERIDGE_PLAIN_BLAS AND FREERIDGE_PLAIN_LAPACK AND
     EXISTS /etc/alternatives/libblas.so.3-${CMAKE_LIBRARY_ARCHITECTURE})
    set(BLA_VENDOR Generic)
    set(FREERIDGE_ANY_BLAS TRUE)
  endif()
endif()

find_package(Threads REQUIRED)
find_package(BLAS REQUIRED)
find_package(LAPACK REQUIRED)

# The C++ runtime, for a C program with the static library.
set(cxx_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM cxx_runtime ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_DUPLICATES cxx_runtime)

# That of Fortran, for a static BLAS or LAPACK: what the compiler finds of it.
set(fortran_runtime "")
foreach(library gfortran quadmath)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${library}.a OUTPUT_VARIABLE path
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(IS_ABSOLUTE "${path}")
    list(APPEND fortran_runtime ${library})
  endif()
endforeach()

# The installed package makes a target of this name, too: cmake/freeridge-config.cmake.in.
add_library(freeridge::dependencies INTERFACE IMPORTED)
target_link_libraries(freeridge::dependencies INTERFACE LAPACK::LAPACK BLAS::BLAS Threads::Threads ${CMAKE_DL_LIBS})
if("${LAPACK_LIBRARIES};${BLAS_LIBRARIES}" MATCHES "\\.a(;|$)")
  target_link_libraries(freeridge::dependencies INTERFACE ${fortran_runtime} m)
endif()
