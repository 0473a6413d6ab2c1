#include "libcore/base/progress.hpp"

#include <algorithm>
#include <utility>

namespace freeridge {
namespace {

thread_local Hearing* hearing = nullptr;  // the Hearing of the call that this thread makes, if any

[[noreturn]] void cancel() {
  fail(Status::cancelled, "cancelled by the progress callback");
}

}  // namespace

Undisturbed::Undisturbed() : own_(std::exchange(hearing, nullptr)) {}

Undisturbed::~Undisturbed() {
  hearing = own_;
}

Hearing::Hearing(const Listener& listener) : before_(hearing), listener_(listener) {
  if (before_ != nullptr && listener.callback != nullptr && before_->listener_.callback == listener.callback &&
      before_->listener_.user == listener.user)
    return;
  hearing = this;
  try {
    report(0);
  } catch (...) {
    hearing = before_;
    throw;
  }
}

Hearing::Hearing(const std::atomic<bool>& stop) : before_(hearing), stop_(&stop) {
  hearing = this;
}

Hearing::~Hearing() {
  hearing = before_;
}

void Hearing::call(double fraction) {
  fraction_ = std::max(fraction_, fraction);
  since_ = 0;
  const Undisturbed undisturbed;
  if (listener_.callback(fraction_, listener_.user) != 0) cancel();
}

void report(double fraction) {
  Hearing* const own = hearing;
  if (own == nullptr || own->listener_.callback == nullptr || !own->stretch_.hears_reports()) return;
  own->call(own->stretch_.at(std::clamp(fraction, 0.0, 1.0)));
}

void worked(double units) {
  Hearing* const own = hearing;
  if (own == nullptr) return;
  if (own->stop_ != nullptr && *own->stop_) cancel();
  if (own->listener_.callback == nullptr) return;
  Hearing::Stretch& stretch = own->stretch_;
  stretch.done += units;
  own->since_ += units;
  own->heard_ += units;
  if (own->since_ < beat) return;
  own->call(stretch.at(stretch.units > 0 ? std::min(stretch.done / stretch.units, 1.0) : 0));
}

double units_heard() {
  return hearing == nullptr ? 0 : hearing->heard_;
}

void still_waiting() {
  if (hearing != nullptr && hearing->listener_.callback != nullptr) hearing->call(0);
}

Stage::Stage(double low, double high, double units) : hearing_(hearing), high_(high) {
  if (hearing_ == nullptr) return;
  before_ = hearing_->stretch_;
  if (before_.hears_reports())
    hearing_->stretch_ = {before_.at(low), before_.at(high), units, 0};
  else
    hearing_ = nullptr;
}

Stage::~Stage() {
  if (hearing_ != nullptr) hearing_->stretch_ = before_;
}

void Stage::next(double high) {
  if (hearing_ != nullptr) hearing_->stretch_ = {before_.at(high_), before_.at(high), 0, 0};
  high_ = high;
}

}  // namespace freeridge
