#include "libcore/linalg/threads.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace freeridge {
namespace {

// The BLAS is whichever the loader brought (Debian's alternatives switch it at run time), so its thread control is
// looked up by name; a BLAS without one (the reference BLAS) has one thread.
template <class Function>
Function* symbol(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

struct ThreadControl {
  int (*get)() = nullptr;
  void (*set)(int) = nullptr;
};

ThreadControl thread_control() {
  constexpr const char* names[][2] = {{"openblas_get_num_threads", "openblas_set_num_threads"},
                                      {"bli_thread_get_num_threads", "bli_thread_set_num_threads"},
                                      {"MKL_Get_Max_Threads", "MKL_Set_Num_Threads"}};
  for (const auto& [get, set] : names) {
    const ThreadControl found{symbol<int()>(get), symbol<void(int)>(set)};
    if (found.get != nullptr && found.set != nullptr) return found;
  }
  return {};
}

std::mutex single_mutex;
int single_depth = 0;    // how many SingleThreadedBlas live now
int threads_before = 1;  // what the first of them found

}  // namespace

int thread_count() {
  const ThreadControl control = thread_control();
  return std::max(1, control.get != nullptr ? control.get() : static_cast<int>(std::thread::hardware_concurrency()));
}

std::string blas_description() {
  std::string name = "BLAS of unknown make";
  if (auto* config = symbol<char*()>("openblas_get_config")) name = config();
  if (auto* core = symbol<char*()>("openblas_get_corename")) name = text(name, " (", std::string_view(core()), ")");
  return text(name, ", ", thread_count(), thread_count() == 1 ? " thread" : " threads");
}

SingleThreadedBlas::SingleThreadedBlas() {
  const ThreadControl control = thread_control();
  const std::lock_guard lock(single_mutex);
  if (single_depth++ > 0 || control.set == nullptr) return;
  threads_before = control.get();
  control.set(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  const ThreadControl control = thread_control();
  const std::lock_guard lock(single_mutex);
  if (--single_depth == 0 && control.set != nullptr) control.set(threads_before);
}

void parallel_for(Index count, const Progress& progress, const std::function<void(Index)>& body) {
  const Index workers = std::min<Index>(thread_count(), count);
  if (workers <= 1) {
    for (Index i = 0; i < count; ++i) {
      body(i);
      progress.report(static_cast<double>(i + 1) / static_cast<double>(count));
    }
    return;
  }

  std::atomic<Index> next{0}, done{0};
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto work = [&](bool reports) {
    try {
      for (Index i = next++; i < count; i = next++) {
        body(i);
        const Index finished = ++done;
        if (reports) progress.report(static_cast<double>(finished) / static_cast<double>(count));
      }
    } catch (...) {
      next = count;  // the others stop after the item in hand
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };

  const SingleThreadedBlas single;
  std::vector<std::thread> team;
  team.reserve(static_cast<std::size_t>(workers - 1));
  try {
    for (Index i = 1; i < workers; ++i) team.emplace_back(work, false);
  } catch (const std::system_error&) {
    // no more threads to be had: the loop runs on those there are
  }
  work(true);
  for (std::thread& thread : team) thread.join();
  if (failure) std::rethrow_exception(failure);
  progress.report(1);  // the others may have been so quick that this thread had no item of its own
}

}  // namespace freeridge
