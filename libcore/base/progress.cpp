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

void Progress::report(double fraction) const {
  if (callback_ == nullptr) return;
  const double value = at(std::clamp(fraction, 0.0, 1.0));
  Hearing* const own = hearing;
  if (own != nullptr && own->stretch_.callback_ == callback_ && own->stretch_.user_ == user_) return own->call(value);
  if (callback_(value, user_) != 0) cancel();
}

Hearing::Hearing(const Progress& progress) : before_(hearing), stretch_(progress) {
  hearing = this;
  try {
    progress.report(0);
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
  if (stretch_.callback_(fraction_, stretch_.user_) != 0) cancel();
}

void worked(double units) {
  Hearing* const own = hearing;
  if (own == nullptr) return;
  if (own->stop_ != nullptr && *own->stop_) cancel();
  if (!own->stretch_.heard()) return;
  own->done_ += units;
  own->since_ += units;
  own->heard_ += units;
  if (own->since_ < beat) return;
  own->call(own->stretch_.at(own->units_ > 0 ? std::min(own->done_ / own->units_, 1.0) : 0));
}

double units_heard() {
  return hearing == nullptr ? 0 : hearing->heard_;
}

void still_waiting() {
  if (hearing != nullptr && hearing->stretch_.heard()) hearing->call(0);
}

Progress here() {
  return hearing == nullptr ? Progress() : hearing->stretch_;
}

Stage::Stage(const Progress& progress, double units) : hearing_(hearing) {
  if (hearing_ == nullptr) return;
  stretch_ = hearing_->stretch_;
  if (progress.heard()) hearing_->stretch_ = progress;
  units_ = std::exchange(hearing_->units_, units);
  done_ = std::exchange(hearing_->done_, 0.0);
}

Stage::Stage(double units) : hearing_(hearing) {
  if (hearing_ == nullptr) return;
  stretch_ = hearing_->stretch_;
  units_ = hearing_->units_;
  done_ = hearing_->done_;
  if (units_ > 0) {
    hearing_ = nullptr;
    return;
  }
  hearing_->units_ = units;
  hearing_->done_ = 0;
}

Stage::~Stage() {
  if (hearing_ == nullptr) return;
  hearing_->stretch_ = stretch_;
  hearing_->units_ = units_;
  hearing_->done_ = done_;
}

}  // namespace freeridge
