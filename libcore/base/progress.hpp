// Progress and cancelling: a callback heard between pieces of work, on the thread that made the call.
//   Hearing    lives as long as a call of the API; from then on the work of this thread is heard
//   Progress   a stretch [low, high] of the call, handed down to the parts of the work that report for themselves
//   worked     said by whatever does work of its own, also where no Progress was handed down: the callback is called
//              when `beat` units have been done since it was last
//   Stage      what the fraction does meanwhile: so many units fill this stretch
// A unit is the time of one flop of a matrix product, so that `beat` takes 10 ms at 100 Gflop/s, 100 ms at 10; with a
// slow BLAS a flop is many units (flop(), linalg/blas_library.hpp). No piece of work between two calls of worked is
// larger than `grain`. Fractions never fall within a call; the user's wish to cancel comes out of report and worked as
// CANCELLED, so both may throw. What this thread hears is found through one thread-local pointer to the Hearing, which
// is gone when the call is: nothing is remembered.
#pragma once

#include <atomic>
#include <cstdint>

#include "libcore/base/error.hpp"

namespace freeridge {

constexpr double beat = 1e9;
constexpr double grain = 3 * 0x1p30;  // a product of two matrices of order 1172
constexpr double touched = 64;        // units for a number that comes from memory
constexpr double nanosecond = 100;

class Progress {
 public:
  using Callback = std::int32_t (*)(double fraction, void* user);

  Progress() = default;
  Progress(Callback callback, void* user) : callback_(callback), user_(user) {}

  // Says that `fraction` of this part of the work is done; throws CANCELLED when the user wishes.
  void report(double fraction) const;

  bool heard() const { return callback_ != nullptr; }
  // The fraction of the call at which `fraction` of this part is done.
  double at(double fraction) const { return low_ + (high_ - low_) * fraction; }

  // The stretch [low, high] of this progress, for a part of the work.
  Progress part(double low, double high) const {
    Progress inner = *this;
    inner.low_ = at(low);
    inner.high_ = at(high);
    return inner;
  }

 private:
  friend class Hearing;
  friend class Stage;
  Callback callback_ = nullptr;
  void* user_ = nullptr;
  double low_ = 0, high_ = 1;
};

// So many units of work have been done on this thread.
void worked(double units);
// The units heard from this thread since its call began.
double units_heard();
// The callback once more with the last fraction, on a thread that waits for others.
void still_waiting();
// The stretch that work without a Progress of its own fills now; silent where nothing is heard.
Progress here();

// While it lives this thread's work is not heard: between two changes that belong together, or in the callback.
class Undisturbed {
 public:
  Undisturbed();
  ~Undisturbed();
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  class Hearing* own_;
};

// From here on the calling thread's work is heard. Begins with the fraction 0.
class Hearing {
 public:
  explicit Hearing(const Progress& progress);
  // On a thread that helps the one that made the call: nothing to hear, but CANCELLED comes out of worked once `stop`
  // is set.
  explicit Hearing(const std::atomic<bool>& stop);
  ~Hearing();
  Hearing(const Hearing&) = delete;
  Hearing& operator=(const Hearing&) = delete;

 private:
  friend class Progress;
  friend class Stage;
  friend void worked(double units);
  friend double units_heard();
  friend void still_waiting();
  friend Progress here();
  void call(double fraction);

  Hearing* before_;
  Progress stretch_;  // of the stage
  const std::atomic<bool>* stop_ = nullptr;
  double units_ = 0, done_ = 0;  // of the stage; 0: not known
  double fraction_ = 0;          // the largest so far
  double since_ = 0;             // units since the callback was last called
  double heard_ = 0;             // units since the call began
};

// While it lives, work fills `progress`; of so many units, or unknown (0): the fraction then moves by reports alone.
class Stage {
 public:
  Stage(const Progress& progress, double units);
  // So many units fill the stretch that is being filled, unless that knows its units already.
  explicit Stage(double units);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  Hearing* hearing_;
  Progress stretch_;
  double units_ = 0, done_ = 0;
};

}  // namespace freeridge
