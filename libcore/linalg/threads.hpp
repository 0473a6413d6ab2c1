// Threads: one number for the core and the BLAS. The core's own loops start as many threads as the BLAS is set to use
// (OPENBLAS_NUM_THREADS and the like), and the BLAS is set to one thread inside them: otherwise every BLAS call in the
// loop would start a team of its own, which costs ten times the loop.
// The loops use plain threads that end with the loop: nothing is left behind for a fork() to stumble over.
#pragma once

#include <functional>
#include <string>

#include "libcore/linalg/matrix.hpp"
#include "libcore/progress.hpp"

namespace freeridge {

// How many threads the BLAS is set to, or the machine's when the BLAS does not say; at least 1.
int thread_count();

// "OpenBLAS 0.3.21 ... (SkylakeX), 2 threads": as far as the BLAS that is loaded tells.
std::string blas_description();

// While one of these lives the BLAS uses one thread, in the whole process; counted, so that they may overlap.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

// body(i) for i = 0 ... count - 1, in no particular order, on thread_count() threads, BLAS single-threaded inside.
// Progress is heard on the calling thread, between its own items and at the end. The first exception ends the loop and
// is thrown here.
void parallel_for(Index count, const Progress& progress, const std::function<void(Index)>& body);

}  // namespace freeridge
