#include <algorithm>
#include <cmath>

#include "fuzz/other_sequences.hpp"
#include "support/model.hpp"
#include "support/points.hpp"

namespace fuzz {
namespace {

std::int32_t cancel(double, void* user) {
  int& left = *static_cast<int*>(user);
  return left >= 0 && left-- == 0 ? 1 : 0;
}

}  // namespace

WindowSequence::Handle WindowSequence::fresh(Caller& call) const {
  Output<freeridge_window*> out(1);
  const support::Kernel kernel = kernel_ ? support::Kernel::gaussian(2.0) : support::Kernel::linear();
  if (ASK(freeridge_window_create, 0, kernel.get(), nullptr, d_, t_, intercept_, lambda_, capacity_, 1.0, out) !=
      FREERIDGE_OK)
    wrong("freeridge_window_create");
  return Handle(out.values[0], freeridge_window_destroy);
}

void WindowSequence::make(Source& in) {
  kernel_ = in.one_in(2);
  d_ = in.from(1, 4), t_ = in.from(1, 2), intercept_ = in.one_in(2) ? 0 : 1;
  capacity_ = in.from(1, 12);
  lambda_ = std::ldexp(1.0, static_cast<int>(in.from(-6, 4)));
  rows_.clear();
  Caller call;
  handle_ = fresh(call);
}

void WindowSequence::add(Source& in) {
  const std::int64_t n = in.one_in(4) ? in.from(1, 9) : 1;
  const std::vector<double> x = in.tame(n * d_), y = in.tame(n * t_);
  std::vector<double> weights(size_of(n), 1.0);
  for (double& weight : weights) weight = std::ldexp(1.0, static_cast<int>(in.from(-2, 2)));
  Output<double> errors(size_of(n, t_));
  errors.null = in.one_in(2);
  int beats = in.one_in(8) ? static_cast<int>(in.below(4)) : -1;
  freeridge_window_set_progress(handle_.get(), cancel, &beats);
  Caller call;
  const auto status = ASK(freeridge_window_add, Caller::may_be_nan, handle_.get(),
                          support::at(FREERIDGE_ROW_MAJOR, n, d_, x.data(), d_), FREERIDGE_ROW_MAJOR, y.data(), t_,
                          weights.data(), errors, n);
  freeridge_window_set_progress(handle_.get(), nullptr, nullptr);
  if (status == FREERIDGE_CANCELLED) return;
  if (status != FREERIDGE_OK) wrong("freeridge_window_add");
  for (std::int64_t i = 0; i < n; ++i) {
    rows_.push_back({{x.begin() + i * d_, x.begin() + (i + 1) * d_},
                     {y.begin() + i * t_, y.begin() + (i + 1) * t_},
                     weights[size_of(i)]});
    if (static_cast<std::int64_t>(rows_.size()) > capacity_) rows_.erase(rows_.begin());
  }
}

void WindowSequence::remove(Source& in) {
  const auto n = static_cast<std::int64_t>(rows_.size());
  const std::int64_t count = in.from(1, 3);
  std::vector<std::int64_t> given(size_of(count));
  for (std::int64_t& row : given) row = in.from(-1, 8);
  std::vector<std::int64_t> sorted = given;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const bool right = count <= n && sorted.front() < n && sorted.back() >= 0 &&
                     std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  Caller call;
  const auto status = ASK(freeridge_window_remove, 0, handle_.get(), count, given.data());
  if (status != (right ? FREERIDGE_OK : FREERIDGE_INVALID_ARGUMENT)) wrong("freeridge_window_remove");
  for (std::size_t k = 0; right && k < sorted.size(); ++k) rows_.erase(rows_.begin() + sorted[k]);
}

void WindowSequence::set_lambda(Source& in) {
  const double lambda = in.one_in(4) ? in.tame() : std::ldexp(1.0, static_cast<int>(in.from(-6, 4)));
  Caller call;
  const auto status = ASK(freeridge_window_set_lambda, 0, handle_.get(), lambda);
  if (status != (lambda > 0 ? FREERIDGE_OK : FREERIDGE_INVALID_ARGUMENT)) wrong("freeridge_window_set_lambda");
  if (lambda > 0) lambda_ = lambda;
}

// The answers are those of a window that has been given the rows at once.
void WindowSequence::verify() const {
  Caller call;
  const auto n = static_cast<std::int64_t>(rows_.size());
  Output<std::int64_t> there(1);
  ASK(freeridge_window_get_state, 0, handle_.get(), there, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  if (there.values[0] != n) wrong("freeridge_window_get_state has other rows");
  if (n == 0) return;
  std::vector<double> x, y, weights;
  for (const Row& row : rows_) {
    x.insert(x.end(), row.x.begin(), row.x.end());
    y.insert(y.end(), row.y.begin(), row.y.end());
    weights.push_back(row.weight);
  }
  const Handle twin = fresh(call);
  const auto at = support::at(FREERIDGE_ROW_MAJOR, n, d_, x.data(), d_);
  if (ASK(freeridge_window_add, 0, twin.get(), at, FREERIDGE_ROW_MAJOR, y.data(), t_, weights.data(), nullptr, n) !=
      FREERIDGE_OK)
    wrong("rows that were added are not added at once");
  for (const bool loo : {true, false}) {
    Output<double> ours(size_of(n, t_)), theirs(size_of(n, t_));
    const auto ask = [&](freeridge_window* window, Output<double>& out) {
      return loo ? ASK(freeridge_window_loo, 0, window, out, n)
                 : ASK(freeridge_window_predict, 0, window, at, FREERIDGE_COL_MAJOR, out, n);
    };
    if (ask(handle_.get(), ours) != ask(twin.get(), theirs)) wrong("a window has another status than its rows at once");
    for (std::size_t k = 0; k < ours.values.size(); ++k)
      if (!(std::abs(ours.values[k] - theirs.values[k]) <= 1e-8 * (8 + std::abs(theirs.values[k]))) &&
          !(std::isnan(ours.values[k]) && std::isnan(theirs.values[k])))
        wrong("a window answers otherwise than its rows at once");
  }
}

void WindowSequence::step(Source& in) {
  switch (in.byte() % 16) {
    case 0:
      return make(in);
    case 1:
      return set_lambda(in);
    case 2:
    case 3:
    case 4:
      return remove(in);
    case 5:
    case 6:
    case 7:
    case 8:
      return verify();
    default:
      return add(in);
  }
}

}  // namespace fuzz
