// The BLAS that is called: its name, its threads and whether it makes use of the processor. It is whichever the loader
// brought (Debian's alternatives, R and Python switch it at run time), or the program was linked with statically, so all
// of this is asked by names of functions that it may or may not have.
#pragma once

#include <string>
#include <string_view>

namespace freeridge {

// How the number of threads is told to the BLAS and to OpenMP; null where there is no way.
struct BlasControl {
  int (*get)() = nullptr;
  void (*set)(int) = nullptr;
  // The number is OpenMP's and belongs to the thread that sets it (OpenBLAS built with OpenMP, a BLAS of unknown make
  // in a process with OpenMP): a thread that is new starts with that of the environment or the machine.
  bool of_thread = false;
  // OpenMP's own number, always one of the thread that sets it; null in a process without OpenMP.
  int (*get_openmp)() = nullptr;
  void (*set_openmp)(int) = nullptr;
  // How deep OpenMP's teams may nest on the thread that sets it; 0: none at all. For a BLAS that asks OpenMP for a number
  // it has read from the environment, whatever OpenMP's own is: BLIS, whose functions Debian's libblas.so.3 hides.
  int (*get_levels)() = nullptr;
  void (*set_levels)(int) = nullptr;
};

// Looked up once: a process keeps its BLAS.
const BlasControl& blas_control();

// The matrix product of the BLAS that the core calls: its name for dlsym, and its address.
const char* product_name();
void* product_address();

// "OpenBLAS 0.3.21, Haswell kernels, threads by pthread": as far as the BLAS that is loaded tells.
std::string blas_description();

// What one flop of a matrix product takes, in units of progress.hpp: 1; or 16 with a BLAS that does not say what it is.
// That is the reference BLAS as a rule, about 1 Gflop/s, which does no worse by small pieces of work. The number is the
// same in every run with a BLAS: how work is cut by it, and the rounding with that, does not depend on the clock.
double flop();

// What vector instructions a processor has, or kernels use.
enum class Vectors { unknown, older, avx2, avx512 };
Vectors processor_vectors();

// A sentence that says so when the BLAS runs kernels of an older kind than the processor, and how to mend it; else
// empty. core: OpenBLAS's name of its kernels; dynamic: it has those of other processors, too.
std::string blas_advice(std::string_view core, bool dynamic, Vectors processor);
// The same for the BLAS and the processor at hand.
std::string blas_advice();

}  // namespace freeridge
