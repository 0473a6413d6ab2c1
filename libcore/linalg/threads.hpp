// Threads: one number for the core and the BLAS. The core's own loops run on that many threads, and the BLAS has one
// thread inside them: otherwise every BLAS call in the loop would start a team of its own, which costs ten times the
// loop. The number is the caller's (set_thread_count), else what the BLAS is set to (OPENBLAS_NUM_THREADS and the
// like), else OMP_NUM_THREADS, else the machine's.
// One BLAS cannot be told: Debian's libblas.so.3 of BLIS with threads of its own hides its functions, and goes by
// BLIS_NUM_THREADS, or OMP_NUM_THREADS without that: BLIS_NUM_THREADS=1 leaves the threads to the core.
// The threads of a loop end with the loop, so that a process may fork between two calls. Starting a thread costs 20 to 50
// us: a loop that says that it has little work runs on fewer threads, or on the calling thread alone.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas_library.hpp"

namespace freeridge {

constexpr int most_threads = 1024;

// The number of threads for core and BLAS in the whole process; 0: back to what BLAS and environment say. UNDEFINED:
// the BLAS says that it has more than it was told; the core goes by the number.
void set_thread_count(int count);
// The number in force, at least 1; on a thread that is inside a loop of the core, 1: loops within loops start none.
int thread_count();
// A BLAS whose number belongs to each thread (BlasControl::of_thread) is told it here, on the thread that will call it.
void adopt_thread_count();

// Around a call of the BLAS of so many units (progress.hpp): with fewer than units_for_a_team the call runs on one
// thread. BLIS asks OpenMP for a team of threads at every product, however small: for a problem of a dozen rows two
// threads take 2 to 4 times as long as one. Other BLAS decide by the size of the product themselves.
class TeamIfWorth {
 public:
  explicit TeamIfWorth(double units);
  ~TeamIfWorth();
  TeamIfWorth(const TeamIfWorth&) = delete;
  TeamIfWorth& operator=(const TeamIfWorth&) = delete;

 private:
  int levels_before_;
};
constexpr double units_for_a_team = 0x1p21;

// While one of these lives, the BLAS has one thread in the whole process, and the core's loops on this thread start no
// others. Several may live at once: the last one that ends gives the threads back. Each ends on the thread that made it.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  TeamIfWorth no_teams_{0};
  int openmp_before_ = 0;
};

// What a loop has to do in all, in floating-point operations or what takes as long (about a nanosecond each).
using Work = double;
constexpr Work plenty = 1e300;
constexpr Work work_for_a_thread = 2e5;  // with less of it to start a thread takes longer than the work

// How many threads a loop over `count` items uses: of thread_count(), as many as there are items and work for.
int team_size(Index count, Work work = plenty);

// In all loops: the calling thread is worker 0, and is heard (progress.hpp): between its own items, each a stage of its
// own, every 50 ms while it waits for the others, and at the end. A loop that says its work is heard by that alone, as a
// matrix product is. When worker 0 is cancelled, the others stop at their next worked(). The first exception ends the
// loop and is thrown by it. Inside the BLAS has one thread, except where the team is one thread: the
// loop may then be the only item of a large problem. In parallel_in_order it always has one.

constexpr std::chrono::milliseconds patience{50};  // between two reports of a thread that waits for others

// Takes a lock; progress is heard while it is another's.
template <class Lock>
void lock_patiently(Lock& lock) {
  constexpr std::chrono::milliseconds nap{1};
  for (int naps = 1; !lock.try_lock(); ++naps) {
    std::this_thread::sleep_for(nap);
    if (naps % (patience / nap) == 0) still_waiting();
  }
}

// body(i) for i = 0 ... count - 1, in no particular order.
void parallel_for(Index count, const std::function<void(Index)>& body, Work work = plenty);

// body(i, worker) for i = 0 ... count - 1; worker = 0 ... team - 1 has the items from count worker / team to count
// (worker + 1) / team, in order. What each worker adds up is the same in each run with this team (team_size()).
void parallel_shares(Index count, int team, const std::function<void(Index, int)>& body);

// make(i, worker) on all threads at once; use(i, worker) one after the other in the order i = 0 ... count - 1, on the
// thread that made item i, before that thread makes its next item. So a sum that use() adds to is the same to the last
// bit for any team. use() should be a small part of the work, or the workers wait for each other.
void parallel_in_order(Index count, int team, const std::function<void(Index, int)>& make,
                       const std::function<void(Index, int)>& use);

}  // namespace freeridge
