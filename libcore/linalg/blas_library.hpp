// The BLAS in use: its name, its threads and whether its kernels fit the processor. The BLAS is known at run time only
// (Debian's alternatives, R and Python switch it), or linked statically: its functions are looked up by name, and may
// be missing.
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
  // How deep OpenMP's teams may nest on the thread that sets it; 0: no teams. For BLIS, which starts teams of the size
  // that it read from the environment, and whose functions Debian's libblas.so.3 hides.
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

bool is_openblas();
// How OpenBLAS makes threads, as openblas_get_parallel() says; versions without that function use pthread.
enum OpenBlasThreads { serial = 0, pthread = 1, openmp = 2 };
int openblas_threads();
// OpenBLAS with OpenMP takes the buffers of so many threads, which it keeps.
void openblas_take_buffers(int threads);
// How OpenBLAS takes a buffer and gives it back, which it keeps for the next taker; null where it does not show that, or
// where each thread keeps buffers of its own (USE_TLS).
struct BufferCalls {
  void* (*take)(int) = nullptr;
  void (*give_back)(void*) = nullptr;
};
const BufferCalls& openblas_buffers();

// One flop of a matrix product in units of progress.hpp: 1, or 16 with a BLAS that does not tell its name. Such a BLAS
// is mostly the reference BLAS, with about 1 Gflop/s, which loses nothing by small pieces of work. The number decides
// how work is cut, and so the rounding. It is not measured, so that the bits of an answer do not depend on the clock.
double flop();

// The vector instructions that a processor has, or that kernels use.
enum class Vectors { unknown, older, avx2, avx512 };
Vectors processor_vectors();

// A warning with advice where the BLAS runs kernels for an older processor; else empty. core: OpenBLAS's name of its
// kernels; dynamic: whether it has those of other processors, too.
std::string blas_advice(std::string_view core, bool dynamic, Vectors processor);
// The warning for the BLAS and the processor at hand.
std::string blas_advice();

}  // namespace freeridge
