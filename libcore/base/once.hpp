// Work that is done once, by the first thread that asks for it, while others wait; where it throws, the next one that asks
// does it. (std::call_once, which is that, ends a program for Windows: its part in libstdc++ does not see the function.)
#pragma once

#include <atomic>
#include <mutex>

namespace freeridge {

class Once {
 public:
  template <class Work>
  void run(const Work& work) {
    if (done_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) return;
    work();
    done_.store(true, std::memory_order_release);
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> done_{false};
};

}  // namespace freeridge
