// Progress and cancelling: the user's callback is called between pieces of work, on the thread that made the call.
//   Listener   the user's callback
//   Hearing    lives as long as a call of the API; while it lives, the work of this thread is heard by a Listener
//   Stage      a stretch [low, high] of the stretch that the thread fills at present, for a part of the work; the whole
//              call is [0, 1]
//   report     report(fraction): so much of the present stretch is done
//   worked     worked(units): so much work has been done, whatever it was for. The callback is called whenever `beat`
//              units have been done since its last call
// Reports move the fraction through a stretch. Where a Stage says how many units of work fill its stretch, `worked`
// alone moves the fraction: reports and stages within that Stage change nothing. In a stretch of no length (low = high)
// nothing moves the fraction: such a stretch is for a part of the work whose own reports must not be seen.
// A unit is the time of one flop of a matrix product, so that `beat` takes 10 ms at 100 Gflop/s, 100 ms at 10; with a
// slow BLAS a flop is many units (flop(), linalg/blas_library.hpp). No piece of work between two calls of worked is
// larger than `grain`. Fractions never fall within a call. When the user wishes to cancel, report and worked throw
// CANCELLED. Each thread finds its Hearing through one thread-local pointer, which is NULL again when the call ends:
// elsewhere nothing is heard.
#pragma once

#include <atomic>
#include <cstdint>

#include "libcore/base/error.hpp"

namespace freeridge {

constexpr double beat = 1e9;
constexpr double grain = 3 * 0x1p30;  // a product of two matrices of order 1172
constexpr double touched = 64;        // units for a number that comes from memory
constexpr double nanosecond = 100;

struct Listener {
  using Callback = std::int32_t (*)(double fraction, void* user);
  Callback callback = nullptr;  // nullptr: nobody hears
  void* user = nullptr;
};

void report(double fraction);
void worked(double units);
// The units of work that this thread has reported since its call began.
double units_heard();
// For a thread that waits for others: calls the callback again with the last fraction, so that it can cancel.
void still_waiting();

template <class Count>
double fraction(Count done, Count all) {
  return static_cast<double>(done) / static_cast<double>(all);
}

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

// While it lives, the calling thread's work is reported to the callback. Begins by reporting the fraction 0. Within a
// Hearing of the same callback it changes nothing: a call that answers in parts is heard as one.
class Hearing {
 public:
  explicit Hearing(const Listener& listener);
  // For a thread that helps the one that made the call: it calls no callback, but worked throws CANCELLED once `stop`
  // is set.
  explicit Hearing(const std::atomic<bool>& stop);
  ~Hearing();
  Hearing(const Hearing&) = delete;
  Hearing& operator=(const Hearing&) = delete;

 private:
  friend class Stage;
  friend void report(double fraction);
  friend void worked(double units);
  friend double units_heard();
  friend void still_waiting();
  void call(double fraction);

  struct Stretch {
    double low, high;
    double units, done;  // all its units (0: not known), and those done
    double at(double fraction) const { return low + (high - low) * fraction; }
    bool hears_reports() const { return units == 0 && low < high; }
  };
  Hearing* before_;
  Listener listener_;
  const std::atomic<bool>* stop_ = nullptr;
  Stretch stretch_{0, 1, 0, 0};
  double fraction_ = 0;  // the largest so far
  double since_ = 0;     // units since the callback was last called
  double heard_ = 0;     // units since the call began
};

// While it lives, the part [low, high] of the stretch before it is the present one; where `units` are given, worked
// moves the fraction through it.
class Stage {
 public:
  Stage(double low, double high, double units = 0);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Goes on with the part from the present end to `high`.
  void next(double high);

 private:
  Hearing* hearing_;  // NULL: the stretch before it stays
  Hearing::Stretch before_{};
  double high_;
};

}  // namespace freeridge
