#include "libcore/stream/accumulator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
void Accumulator::add(const Rows& x, const LayoutView& y, const double* weights) {
  rows_.require_memory_for(x.rows);
  const Hearing hearing(listener_);
  require_finite("x", x);
  require_finite("y", y);
  require_weights(weights, x.rows);
  if (rows_.has_room(x.rows)) {
    rows_.add(x, y, weights);
  } else {  // a copy, so that a failure changes nothing; it costs little beside the reductions
    RowStack next = rows_.copy();
    next.add(x, y, weights);
    rows_ = std::move(next);
  }
  reduced_.reset();
}

void Accumulator::merge(const Accumulator& other) {
  const RowStack& theirs = other.rows_;
  if (&other == this) fail(Status::invalid_argument, "other is the accumulator itself");
  const auto same = [](const char* name, Index ours, Index of_other) {
    if (ours != of_other)
      fail(Status::dimension_mismatch, "other has ", name, " = ", of_other, ", and the accumulator ", ours);
  };
  same("d", rows_.d(), theirs.d());
  same("t", rows_.t(), theirs.t());
  same("intercept", rows_.ones(), theirs.ones());
  const Hearing hearing(listener_);
  RowStack next = rows_.copy();
  next.add(theirs);
  report(1);
  rows_ = std::move(next);
  reduced_.reset();
}

void Accumulator::require_rows() const {
  if (rows_.n() == 0)
    fail(Status::invalid_state, "the accumulator has no rows yet; call freeridge_accumulator_add first");
}

std::shared_ptr<const ReducedProblem> Accumulator::reduced() const {
  require_rows();
  std::unique_lock lock(mutex_, std::defer_lock);
  lock_patiently(lock);
  if (!reduced_) reduced_ = std::make_shared<const ReducedProblem>(rows_.copy());
  return reduced_;
}

Index Accumulator::memory_required() const {
  // Two stacks (one is the copy that rows are added to, or that is reduced for an answer); about 12 p x p matrices:
  // those that the reduced problem keeps, its two decompositions, one after the other, and their workspaces; tiles of a
  // second pass.
  const Index p = rows_.p();
  return checked_doubles(checked_doubles(2, rows_.capacity()) + checked_doubles(12, p) + 8192, p) * 8 + (1 << 22);
}

void save(const RowStack& rows, ByteWriter& out) {
  out.integer(rows.d());
  out.integer(rows.t());
  out.integer(rows.ones());
  out.integer(rows.n());
  out.number(rows.sum_w());
  out.number(rows.sum_log_w());
  out.integer(rows.rows().rows);
  out.numbers(rows.shift());
  const ConstMatrixView stack = rows.rows();
  for (Index k = 0; k < stack.cols && stack.rows > 0; ++k) out.numbers({stack.col(k), stack.rows});
}

RowStack load_rows(const ByteSource& source) {
  constexpr Index largest_size = std::numeric_limits<std::int32_t>::max();
  constexpr double largest = std::numeric_limits<double>::max();
  ByteReader in(source, {SavedKind::accumulator});
  const Index d = in.integer("d", 1, largest_size);
  const Index t = in.integer("t", 1, largest_size - 1 - d);
  const bool intercept = in.integer("intercept", 0, 1) == 1;
  const RowStack empty(d, t, intercept);
  const Index n = in.integer("n", 0, std::numeric_limits<Index>::max());
  const double sum_w = in.number("sum_w", largest), sum_log_w = in.number("sum_log_w", largest);
  if (n > 0 ? !(sum_w > 0) : sum_w != 0) fail(Status::corrupt, "the saved sum_w is ", sum_w, " for ", n, " rows");
  const Index height = in.integer("stack", std::min(n, empty.p()), std::min(n, empty.capacity()));
  const Index shifts = intercept && n > 0 ? d + t : 0;
  // Arrays are allocated only when the bytes are known to hold their numbers. (height * p might overflow, so the
  // division.)
  const Index left = in.left() - shifts;
  if (left < 0 || left / empty.p() != height || left % empty.p() != 0)
    fail(Status::corrupt, "the saved bytes hold ", in.left(), " numbers for a stack of ", height, " rows, d = ", d,
         " and t = ", t);
  Array<double> shift(shifts);
  in.numbers("the shifts", largest, shift);
  Matrix rows(height, empty.p());
  in.numbers("the stack", largest_entry, rows.values());
  in.end();
  return RowStack(d, t, intercept, n, sum_w, sum_log_w, std::move(shift), std::move(rows));
}

}  // namespace freeridge
