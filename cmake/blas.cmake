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

# The installed package makes a target of this name, too: cmake/freeridge-config.cmake.in.
add_library(freeridge::dependencies INTERFACE IMPORTED)
target_link_libraries(freeridge::dependencies INTERFACE LAPACK::LAPACK BLAS::BLAS Threads::Threads ${CMAKE_DL_LIBS})
