// Threads: one number for the core and the BLAS. The core's own loops run on that many threads, and the BLAS has one
// thread inside them: otherwise every BLAS call in the loop would start a team of its own, which costs ten times the
// loop. The number is the caller's (set_thread_count), else what the BLAS is set to (OPENBLAS_NUM_THREADS and the
// like), else OMP_NUM_THREADS, else the machine's.
// One BLAS cannot be told: Debian's libblas.so.3 of BLIS with threads of its own hides its functions, and goes by
// BLIS_NUM_THREADS, or OMP_NUM_THREADS without that: BLIS_NUM_THREADS=1 leaves the threads to the core.
// The loops use plain threads that end with the loop: nothing is left behind for a fork() to stumble over. To start one
// costs 20 to 50 us, so a loop that says how little it has to do runs on fewer, or on the calling thread alone.
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

// For a call of the BLAS of so many units (progress.hpp): while it lives, one that would be over before a team of
// threads has met gets none. That is for a BLAS that asks OpenMP for a team of whatever product (BLIS): with two threads
// it takes 2 to 4 times as long as with one for a problem of a dozen rows. Others look at the size themselves.
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

// While one of these lives the BLAS uses one thread, in the whole process, and loops of this thread start none;
// counted, so that they may overlap. It ends on the thread that made it.
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
constexpr Work work_for_a_thread = 2e5;  // under this a thread is not worth its start

// How many threads a loop over `count` items uses: of thread_count(), as many as there are items and work for.
int team_size(Index count, Work work = plenty);

// In all loops: progress is heard on the calling thread, which is worker 0, between its own items, now and then while
// it waits for the others, and at the end. Cancelled, the others stop at their next worked() (progress.hpp). The first
// exception ends the loop and is thrown here. The BLAS is single-threaded inside, but for a team of one, which may be
// the only item of a large problem; in parallel_in_order always.

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
void parallel_for(Index count, const Progress& progress, const std::function<void(Index)>& body, Work work = plenty);

// body(i, worker) for i = 0 ... count - 1; worker = 0 ... team - 1 has the items from count worker / team to count
// (worker + 1) / team, in order. What each worker adds up is the same in each run with this team (team_size()).
void parallel_shares(Index count, int team, const Progress& progress, const std::function<void(Index, int)>& body);

// make(i, worker) side by side, and use(i, worker) one at a time and in the order i = 0 ... count - 1, on the thread
// that made item i: what is added up in use() is the same to the last bit for any team. use() should be a small part of
// the work, or the workers wait for each other. A worker uses its item before it makes the next.
void parallel_in_order(Index count, int team, const Progress& progress, const std::function<void(Index, int)>& make,
                       const std::function<void(Index, int)>& use);

}  // namespace freeridge
