// Progress and cancelling: a callback heard between blocks of work, on the thread that made the call.
#pragma once

#include <cstdint>

#include "libcore/error.hpp"

namespace freeridge {

class Progress {
 public:
  using Callback = std::int32_t (*)(double fraction, void* user);

  Progress() = default;
  Progress(Callback callback, void* user) : callback_(callback), user_(user) {}

  // Says that `fraction` of this part of the work is done; throws CANCELLED when the user wishes.
  void report(double fraction) const {
    if (callback_ != nullptr && callback_(low_ + (high_ - low_) * fraction, user_) != 0)
      fail(Status::cancelled, "cancelled by the progress callback");
  }

  // The stretch [low, high] of this progress, for a part of the work.
  Progress part(double low, double high) const {
    Progress inner = *this;
    inner.low_ = low_ + (high_ - low_) * low;
    inner.high_ = low_ + (high_ - low_) * high;
    return inner;
  }

 private:
  Callback callback_ = nullptr;
  void* user_ = nullptr;
  double low_ = 0, high_ = 1;
};

}  // namespace freeridge
