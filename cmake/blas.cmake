# Which BLAS and LAPACK the library is linked with.
#
# libblas and liblapack by their plain names, where they have CBLAS (Debian, Ubuntu): these names stand for whichever is
# chosen on the machine that runs the program (update-alternatives --config libblas.so.3-...), so that it can be changed
# without building again. Elsewhere the first that CMake finds, or that of BLA_VENDOR. LAPACKE comes with it.
include(CheckFunctionExists)

if(NOT BLA_VENDOR AND NOT DEFINED ENV{BLA_VENDOR})
  find_library(FREERIDGE_PLAIN_BLAS blas)
  find_library(FREERIDGE_PLAIN_LAPACK lapack)
  mark_as_advanced(FREERIDGE_PLAIN_BLAS FREERIDGE_PLAIN_LAPACK)
  if(FREERIDGE_PLAIN_BLAS AND FREERIDGE_PLAIN_LAPACK)
    set(CMAKE_REQUIRED_LIBRARIES ${FREERIDGE_PLAIN_BLAS})
    check_function_exists(cblas_dgemm FREERIDGE_PLAIN_BLAS_HAS_CBLAS)
    unset(CMAKE_REQUIRED_LIBRARIES)
    if(FREERIDGE_PLAIN_BLAS_HAS_CBLAS)
      set(BLA_VENDOR Generic)
    endif()
  endif()
endif()

find_package(Threads REQUIRED)
find_package(BLAS REQUIRED)
find_package(LAPACK REQUIRED)
find_library(FREERIDGE_LAPACKE lapacke REQUIRED)
mark_as_advanced(FREERIDGE_LAPACKE)

# The installed package makes a target of this name, too: cmake/freeridge-config.cmake.in.
add_library(freeridge::dependencies INTERFACE IMPORTED)
target_link_libraries(freeridge::dependencies INTERFACE ${FREERIDGE_LAPACKE} LAPACK::LAPACK BLAS::BLAS Threads::Threads
                      ${CMAKE_DL_LIBS})
