// Progress and cancelling: the user's callback is called between pieces of work, on the thread that made the call.
//   Hearing    lives as long as a call of the API; while it lives, the work of this thread is reported to the callback
//   Progress   a stretch [low, high] of the call's fraction 0 to 1, for a part of the work that reports by itself
//   worked     worked(units): so much work has been done. Any code may say so, also where there is no Progress; the
//              callback is called whenever `beat` units have been done since its last call
//   Stage      says how worked moves the fraction: that many units fill this stretch
// A unit is the time of one flop of a matrix product, so that `beat` takes 10 ms at 100 Gflop/s, 100 ms at 10; with a
// slow BLAS a flop is many units (flop(), linalg/blas_library.hpp). No piece of work between two calls of worked is
// larger than `grain`. Fractions never fall within a call. When the user wishes to cancel, report and worked throw
// CANCELLED. Each thread finds its Hearing through one thread-local pointer, which is NULL again when the call ends.
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
  // Turns a fraction of this stretch into a fraction of the whole call.
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
// The units of work that this thread has reported since its call began.
double units_heard();
// For a thread that waits for others: calls the callback again with the last fraction, so that it can cancel.
void still_waiting();
// The stretch that work without a Progress of its own fills at present; outside a Hearing, one that reports nothing.
Progress here();

// While it lives, no callback is called for this thread's work: between two changes that must both be made, or neither,
// and within the callback itself.
class Undisturbed {
 public:
  Undisturbed();
  ~Undisturbed();
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  class Hearing* own_;
};

// While it lives, the calling thread's work is reported to the callback. Begins by reporting the fraction 0.
class Hearing {
 public:
  explicit Hearing(const Progress& progress);
  // For a thread that helps the one that made the call: it calls no callback, but worked throws CANCELLED once `stop`
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
  double units_ = 0, done_ = 0;  // of the stage: all its units (0: not known), and those done
  double fraction_ = 0;          // the largest so far
  double since_ = 0;             // units since the callback was last called
  double heard_ = 0;             // units since the call began
};

// While it lives, work of `units` units moves the fraction through `progress`. units = 0: how much work there is is not
// known, and only reports move the fraction.
class Stage {
 public:
  Stage(const Progress& progress, double units);
  // Gives the present stretch its number of units, unless it has one already.
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
