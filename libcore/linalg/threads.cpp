#include "libcore/linalg/threads.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "libcore/linalg/blas_buffer.hpp"

namespace freeridge {
namespace {

// ---- the setting ----

std::mutex mutex;                   // of the next four
int setting = 0;                    // the caller's number; 0: none
int blas_before_setting = 0;        // what the BLAS was set to when the caller's first number came
int single_depth = 0;               // how many SingleThreadedBlas live now
int blas_before_single = 0;         // what the BLAS goes back to after the last of them
std::atomic<int> setting_seen = 0;  // a copy, read without the mutex

thread_local int single_here = 0;  // how many of them live on this thread; 1 on the workers of a loop
// What adopt_thread_count found on this thread: the number of threads of the BLAS, and how many levels of OpenMP may be
// active. 0: it has changed nothing here.
thread_local int blas_before_adopted = 0, levels_before_adopted = 0;

// For a BLAS that has no number: what OpenMP programs go by, and the cores this process may use.
int default_threads() {  // GCOVR_EXCL_START: such a BLAS (./dev test-blas)
  const char* wish = std::getenv("OMP_NUM_THREADS");
  const long wished = wish != nullptr ? std::strtol(wish, nullptr, 10) : 0;
  if (wished > 0) return static_cast<int>(std::min<long>(wished, most_threads));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}  // GCOVR_EXCL_STOP

// A BLAS with one number for the whole process.
bool has_shared_number() {
  return blas_control().get != nullptr && !blas_control().of_thread;
}

// Switches OpenMP's teams off on this thread. Returns the levels before, for levels_back; 0 where nothing was changed.
int levels_away() {
  const BlasControl& blas = blas_control();
  const int before = blas.set_levels != nullptr ? blas.get_levels() : 0;
  if (before > 0) blas.set_levels(0);
  return before;
}

void levels_back(int before) {
  if (before > 0) blas_control().set_levels(before);
}

}  // namespace

void set_thread_count(int count) {
  const BlasControl& blas = blas_control();
  int kept = 0;  // the BLAS's own number after it was told
  const int before = setting;
  {
    const std::lock_guard lock(mutex);
    if (has_shared_number() && (count > 0 || setting > 0)) {
      if (setting == 0) blas_before_setting = single_depth > 0 ? blas_before_single : blas.get();
      const int wanted = count > 0 ? count : blas_before_setting;
      if (single_depth > 0) {
        blas_before_single = wanted;
      } else {
        set_threads_with_buffers(blas.set, blas.get(), wanted);
        kept = blas.get();
      }
    }
    setting = count;
    setting_seen = count;
  }
  try {
    adopt_thread_count();
  } catch (...) {
    const std::lock_guard lock(mutex);
    setting = before;
    setting_seen = before;
    throw;
  }
  if (count > 0 && kept > count)
    fail(Status::undefined, "the library has ", count, count == 1 ? " thread" : " threads", " now, but the BLAS keeps ",
         kept, ": it does not go by the number that it is told (", blas_description(), ")");
}

void adopt_thread_count() {
  const BlasControl& blas = blas_control();
  if (!blas.of_thread || single_here > 0) return;
  const int wanted = setting_seen;  // GCOVR_EXCL_START: OpenMP and BLIS (./dev test-blas)
  if (wanted == 1 && levels_before_adopted == 0) levels_before_adopted = levels_away();
  if (wanted != 1) levels_back(std::exchange(levels_before_adopted, 0));
  if (wanted > 0) {
    const int now = blas.get();
    if (blas_before_adopted == 0) blas_before_adopted = now;
    if (now != wanted) set_threads_with_buffers(blas.set, now, wanted);
  } else if (blas_before_adopted > 0) {
    blas.set(blas_before_adopted);
    blas_before_adopted = 0;
  }
}  // GCOVR_EXCL_STOP

int thread_count() {
  if (single_here > 0) return 1;
  if (const int count = setting_seen; count > 0) return count;
  const BlasControl& blas = blas_control();
  if (blas.get == nullptr) return default_threads();
  if (blas.of_thread) return std::max(1, blas.get());
  const std::lock_guard lock(mutex);
  const int count = single_depth > 0 ? blas_before_single : blas.get();
  return count > 0 ? count : default_threads();  // BLIS says -1 when it was told nothing
}

TeamIfWorth::TeamIfWorth(double units) : levels_before_(units < units_for_a_team ? levels_away() : 0) {}

TeamIfWorth::~TeamIfWorth() {
  levels_back(levels_before_);
}

// OpenMP's number goes to 1 whatever the BLAS is: a BLAS that is built with OpenMP uses it, the others ignore it.
SingleThreadedBlas::SingleThreadedBlas() {
  const BlasControl& blas = blas_control();
  if (blas.set_openmp != nullptr) {
    openmp_before_ = blas.get_openmp();
    blas.set_openmp(1);
  }
  ++single_here;
  const std::lock_guard lock(mutex);
  if (single_depth++ > 0 || !has_shared_number()) return;
  blas_before_single = blas.get();
  blas.set(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  const BlasControl& blas = blas_control();
  {
    const std::lock_guard lock(mutex);
    if (--single_depth == 0 && has_shared_number()) blas.set(blas_before_single);
  }
  --single_here;
  if (openmp_before_ > 0) blas.set_openmp(openmp_before_);
}

int team_size(Index count, Work work) {
  const double worth = std::clamp(work / work_for_a_thread, 1.0, static_cast<double>(most_threads));
  return static_cast<int>(std::max<Index>(1, std::min<Index>({thread_count(), count, static_cast<Index>(worth)})));
}

// ---- the loops ----

namespace {

// The first exception of several threads.
class Failure {
 public:
  void keep(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    there_ = true;
  }
  bool there() const { return there_; }
  const std::atomic<bool>& flag() const { return there_; }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> there_ = false;
};

// A new thread starts with the machine's number for OpenMP, whatever its maker had.
void be_worker() {
  single_here = 1;
  if (blas_control().set_openmp != nullptr) blas_control().set_openmp(1);
  levels_away();
}

// run(worker) for worker = 0 ... team - 1 on as many threads, 0 on this one, which reports while it waits for the
// others. What run throws ends in `failure`.
template <class Run>
void run_team(int team, Failure& failure, const Run& run) {
  const auto caught = [&](const auto& body) {
    try {
      body();
    } catch (...) {
      failure.keep(std::current_exception());
    }
  };
  const SingleThreadedBlas single;
  std::mutex ended_mutex;
  std::condition_variable one_ended;
  int running = 0;
  const int most = team_with_buffers(team);
  Array<std::thread> threads;
  threads.reserve(team - 1);
  int next = 1;
  try {
    for (; next < most; ++next) {
      {
        const std::lock_guard lock(ended_mutex);
        ++running;
      }
      threads.emplace_back([&, worker = next] {
        be_worker();
        {
          const Hearing hearing(failure.flag());
          caught([&] { run(worker); });
        }
        const std::lock_guard lock(ended_mutex);
        --running;
        one_ended.notify_one();
      });
    }
  } catch (...) {  // no more threads to be had, whatever the reason: this thread does what is left
    const std::lock_guard lock(ended_mutex);
    --running;
  }
  for (int own = 0; own < team; own = own == 0 ? next : own + 1) caught([&] { run(own); });
  const auto all_ended = [&] { return running == 0; };
  for (std::unique_lock lock(ended_mutex); !one_ended.wait_for(lock, patience, all_ended);) {
    lock.unlock();
    if (!failure.there()) caught(still_waiting);
    lock.lock();
  }
  for (std::thread& thread : threads) thread.join();
}

// On the calling thread each item of a loop is a stage of its own.
template <class Body>
void run_item(std::atomic<Index>& done, Index count, const Body& body) {
  {
    const Index before = done;
    const Stage stage(fraction(before, count), fraction(before + 1, count));
    body();
  }
  const Index after = ++done;
  report(fraction(after, count));
}

// The item's share of the work is said where the body has not said it itself; it alone moves the fraction.
template <class Body>
void run_item_of_work(double units, const Body& body) {
  const double before = units_heard();
  {
    const Stage still(0, 0);
    body();
  }
  worked(std::max(0.0, units - (units_heard() - before)));
}

}  // namespace

void parallel_for(Index count, const std::function<void(Index)>& body, Work work) {
  std::atomic<Index> next{0}, done{0};
  const double units = work / static_cast<double>(std::max<Index>(count, 1)) * nanosecond;
  const auto item = [&](Index i) {
    if (work < plenty)
      run_item_of_work(units, [&] { body(i); });
    else
      run_item(done, count, [&] { body(i); });
  };
  const int team = team_size(count, work);
  if (team == 1) {
    for (Index i = 0; i < count; ++i) item(i);
    return;
  }
  Failure failure;
  run_team(team, failure, [&](int) {
    for (Index i = next++; i < count && !failure.there(); i = next++) item(i);
  });
  failure.rethrow();
  if (work == plenty) report(1);  // this thread may have had no item, where the others were quick
}

void parallel_shares(Index count, int team, const std::function<void(Index, int)>& body) {
  std::atomic<Index> done{0};
  if (team <= 1) {
    for (Index i = 0; i < count; ++i) run_item(done, count, [&] { body(i, 0); });
    return;
  }
  Failure failure;
  run_team(team, failure, [&](int worker) {
    const Index end = count * (worker + 1) / team;
    for (Index i = count * worker / team; i < end && !failure.there(); ++i)
      run_item(done, count, [&] { body(i, worker); });
  });
  failure.rethrow();
  report(1);
}

void parallel_in_order(Index count, int team, const std::function<void(Index, int)>& make,
                       const std::function<void(Index, int)>& use) {
  std::atomic<Index> next{0}, done{0};
  if (team <= 1) {
    const SingleThreadedBlas single;  // the bits of a larger team
    for (Index i = 0; i < count; ++i)
      run_item(done, count, [&] {
        make(i, 0);
        use(i, 0);
      });
    return;
  }
  // Items are handed out in order, so the worker that has the first unused item never waits: there is no deadlock.
  std::mutex turn_mutex;
  std::condition_variable turn_came;
  Index turn = 0;
  Failure failure;
  const auto end_turn = [&](Index i) {
    const std::lock_guard lock(turn_mutex);
    turn = i + 1;
    turn_came.notify_all();
  };
  const auto wait_for_turn = [&](Index i) {
    const auto came = [&] { return turn == i || failure.there(); };
    for (std::unique_lock lock(turn_mutex); !turn_came.wait_for(lock, patience, came);) {
      lock.unlock();
      still_waiting();
      lock.lock();
    }
  };
  run_team(team, failure, [&](int worker) {
    try {
      for (Index i = next++; i < count && !failure.there(); i = next++) {
        run_item(done, count, [&] {
          make(i, worker);
          wait_for_turn(i);
          if (failure.there()) return;
          use(i, worker);
          end_turn(i);
        });
      }
    } catch (...) {
      failure.keep(std::current_exception());
      const std::lock_guard lock(turn_mutex);  // so that no worker misses this between its test of came() and its wait
      turn_came.notify_all();
    }
  });
  failure.rethrow();
  report(1);
}

}  // namespace freeridge
