# Which BLAS and LAPACK the library is linked with. It calls them through cblas.h and lapacke.h.
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

# The headers, and where the C functions are: in the BLAS and LAPACK that were found, or in a library beside them
# (Debian's liblapacke, which goes on to whichever liblapack.so.3 is chosen). c_libraries: the names of those.
find_path(FREERIDGE_CBLAS_INCLUDE cblas.h PATH_SUFFIXES cblas openblas flexiblas)
find_path(FREERIDGE_LAPACKE_INCLUDE lapacke.h PATH_SUFFIXES lapacke openblas flexiblas)
mark_as_advanced(FREERIDGE_CBLAS_INCLUDE FREERIDGE_LAPACKE_INCLUDE)
if(NOT FREERIDGE_CBLAS_INCLUDE OR NOT FREERIDGE_LAPACKE_INCLUDE)
  message(FATAL_ERROR "freeridge needs cblas.h and lapacke.h (Debian, Ubuntu: liblapacke-dev), or -D FREERIDGE_CBLAS_INCLUDE "
                      "and -D FREERIDGE_LAPACKE_INCLUDE, the folders that have them")
endif()

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

include(CheckFunctionExists)
include(CMakePushCheckState)
cmake_push_check_state(RESET)
set(CMAKE_REQUIRED_LIBRARIES LAPACK::LAPACK BLAS::BLAS Threads::Threads ${fortran_runtime} m)
check_function_exists(cblas_dgemm FREERIDGE_CBLAS_IN_BLAS)
check_function_exists(LAPACKE_dgesvj_work FREERIDGE_LAPACKE_IN_LAPACK)
cmake_pop_check_state()
set(c_includes ${FREERIDGE_CBLAS_INCLUDE} ${FREERIDGE_LAPACKE_INCLUDE})
set(c_libraries "")
if(NOT FREERIDGE_LAPACKE_IN_LAPACK)
  list(APPEND c_libraries lapacke)
endif()
if(NOT FREERIDGE_CBLAS_IN_BLAS)
  list(APPEND c_libraries cblas)
endif()
set(c_paths "")
foreach(library IN LISTS c_libraries)
  set(names ${library})
  if(BLA_STATIC)
    set(names lib${library}.a ${library})
  endif()
  find_library(FREERIDGE_LIBRARY_${library} NAMES ${names} REQUIRED)
  mark_as_advanced(FREERIDGE_LIBRARY_${library})
  list(APPEND c_paths ${FREERIDGE_LIBRARY_${library}})
endforeach()

# The installed package makes a target of this name, too: cmake/freeridge-config.cmake.in.
add_library(freeridge::dependencies INTERFACE IMPORTED)
target_link_libraries(freeridge::dependencies INTERFACE ${c_paths} LAPACK::LAPACK BLAS::BLAS Threads::Threads
                      ${CMAKE_DL_LIBS})
if("${c_paths};${LAPACK_LIBRARIES};${BLAS_LIBRARIES}" MATCHES "\\.a(;|$)")
  target_link_libraries(freeridge::dependencies INTERFACE ${fortran_runtime} m)
endif()
