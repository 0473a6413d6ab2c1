// Threads: the core and the BLAS have one number of threads. Loops of the core run on that many threads, and inside
// them the BLAS has one: a team of threads for every BLAS call in a loop would cost ten times the loop. The number is
// the user's (set_thread_count), else that of the BLAS (OPENBLAS_NUM_THREADS and the like), else OMP_NUM_THREADS, else
// that of the machine.
// The number cannot be set for one BLAS: Debian's libblas.so.3 of BLIS with its own threads hides its functions, and
// reads BLIS_NUM_THREADS or OMP_NUM_THREADS. With BLIS_NUM_THREADS=1 only the core has threads.
// The threads of a loop end with the loop, so that a process may fork between two calls. A thread takes 20 to 50 us to
// start: a loop with little work runs on fewer threads, or on the calling thread alone.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas_library.hpp"

namespace freeridge {

constexpr int most_threads = 1024;

// The number of threads for core and BLAS in the whole process; 0: that of BLAS and environment again. Throws UNDEFINED
// where the BLAS reports more threads afterwards; the core keeps `count`.
void set_thread_count(int count);
// The number in force, at least 1; on a thread that is inside a loop of the core, 1: loops within loops start none.
int thread_count();
// Sets the number of a BLAS that has one for each calling thread (BlasControl::of_thread), for this thread.
void adopt_thread_count();

// Around a call of the BLAS of `units` of work (progress.hpp): below units_for_a_team the call runs on one thread. BLIS
// starts a team of OpenMP threads for the smallest product: on a dozen rows two threads take 2 to 4 times as long as
// one. Other BLAS choose by the size of the product.
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

// While an object of this class lives, the BLAS has one thread in the whole process, and loops of the core on this
// thread start no threads. Of several objects the last to end restores the number. Each ends on the thread that made
// it.
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

// How many pieces of `size` there are in `total`, the last of which may be smaller.
inline Index pieces(Index total, Index size) {
  return (total + size - 1) / size;
}

// The work of a whole loop, in floating-point operations or others of about a nanosecond.
using Work = double;
constexpr Work plenty = 1e300;
constexpr Work work_for_a_thread = 2e5;  // starting a thread takes about as long

// The number of threads of a loop over `count` items: thread_count(), or fewer where items or work are few.
int team_size(Index count, Work work = plenty);

// In all loops: the calling thread is worker 0, and is heard (progress.hpp): between its own items, each a stage of its
// own, every 50 ms while it waits for the others, and at the end. A loop with a given `work` reports only through
// worked(), as a matrix product does. When worker 0 is cancelled, the others stop at their next worked(). The first
// exception ends the loop and is thrown by it. Inside a loop the BLAS has one thread, except where the team is one
// thread: the loop may then be the only item of a large problem. In parallel_in_order the BLAS always has one.

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

// body(i, worker) for i = 0 ... count - 1; worker w < team has the items from count w / team to count (w + 1) / team,
// in order. So the sums of each worker are the same in every run with this team (team_size()).
void parallel_shares(Index count, int team, const std::function<void(Index, int)>& body);

// make(i, worker) in parallel; use(i, worker) in the order i = 0 ... count - 1, on the thread that made item i and
// before this thread makes its next item. So a sum over use() has the same bits for any team. use() should be a small
// part of the work, or the workers wait for each other.
void parallel_in_order(Index count, int team, const std::function<void(Index, int)>& make,
                       const std::function<void(Index, int)>& use);

}  // namespace freeridge
