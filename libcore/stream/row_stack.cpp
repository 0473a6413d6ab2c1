#include "libcore/stream/row_stack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "libcore/base/memory.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr Index least_block = 512;
constexpr Index blocks_per_p = 4;
constexpr Index least_rows = 16;  // the height of a stack that gets its first rows

bool too_large(double value) {
  return !(std::abs(value) <= largest_entry);
}

Array<double> row_of(const Rows& x, const LayoutView& y, Index row) {
  Array<double> out;
  for (Index k = 0; k < x.cols; ++k) out.push_back(x(row, k));
  for (Index j = 0; j < y.cols; ++j) out.push_back(y(row, j));
  return out;
}

void copy_block(ConstMatrixView from, MatrixView to) {
  for (Index k = 0; k < to.cols && to.rows > 0; ++k) {
    std::copy_n(from.col(k), to.rows, to.col(k));
    worked(touched * static_cast<double>(to.rows));
  }
}

}  // namespace

void pack_weighted(const Rows& x, const LayoutView& y, const double* weights, Index row, Span<const double> shift,
                   MatrixView tile) {
  const Index ones = shift.empty() ? 0 : 1, d = x.cols;
  copy_rows(x, row, tile.columns(ones, d));
  copy_rows(y, row, tile.columns(ones + d, y.cols));
  Array<double> sqrt_w(tile.rows, 1.0);
  for (Index i = 0; i < std::ssize(sqrt_w) && weights != nullptr; ++i) sqrt_w[i] = std::sqrt(weights[row + i]);
  if (ones == 1) std::copy(sqrt_w.begin(), sqrt_w.end(), tile.col(0));
  for (Index k = 0; k < d + y.cols; ++k) {
    double* const column = tile.col(ones + k);
    const double centre = shift.empty() ? 0 : shift[k];
    for (std::size_t i = 0; i < sqrt_w.size(); ++i) {
      column[i] = sqrt_w[i] * (column[i] - centre);
      if (too_large(column[i]))
        fail(Status::not_finite, k < d ? "x[" : "y[", row + static_cast<Index>(i), ", ", k < d ? k : k - d,
             "], weighted and centred, is beyond ", largest_entry, "; rescale it");
    }
    worked(touched * static_cast<double>(tile.rows));
  }
}

void move_shift(Span<const double> delta, MatrixView rows) {
  for (std::size_t k = 0; k < delta.size(); ++k) {
    if (delta[k] == 0) continue;
    double* const column = rows.col(static_cast<Index>(k) + 1);
    for (Index i = 0; i < rows.rows; ++i) column[i] -= delta[k] * rows(i, 0);
    worked(touched * static_cast<double>(rows.rows));
  }
}

RowStack::RowStack(Index d, Index t, bool intercept) : d_(d), t_(t), intercept_(intercept) {
  if (1 + d + t > std::numeric_limits<std::int32_t>::max())
    fail(Status::invalid_argument, "d is ", d, " and t is ", t, "; 1 + d + t must be at most ",
         std::numeric_limits<std::int32_t>::max());
}

RowStack::RowStack(Index d, Index t, bool intercept, Index n, double sum_w, double sum_log_w, Array<double> shift,
                   Matrix rows)
    : d_(d),
      t_(t),
      intercept_(intercept),
      n_(n),
      sum_w_(sum_w),
      sum_log_w_(sum_log_w),
      shift_(std::move(shift)),
      stack_(std::move(rows)),
      filled_(stack_.rows()) {}

RowStack RowStack::copy() const {
  Matrix rows(filled_, p());
  copy_block(stack_.view(), rows.view());
  return RowStack(d_, t_, intercept_, n_, sum_w_, sum_log_w_, shift_, std::move(rows));
}

Index RowStack::capacity() const {
  return p() + std::max(least_block, blocks_per_p * p());
}

// The height that a stack for `rows` rows gets. It at least doubles each time, so that a row is moved about once on
// average.
Index RowStack::wanted_height(Index rows) const {
  if (rows <= stack_.rows()) return stack_.rows();
  return std::min(capacity(), std::max({rows, 2 * stack_.rows(), least_rows}));
}

void RowStack::require_memory_for(Index count) const {
  const Index height = wanted_height(filled_ + std::min(count, capacity() - filled_));
  if (height == stack_.rows()) return;
  require_memory(checked_doubles(height, p()) * 8, text("an accumulator of d = ", d_, " and t = ", t_),
                 "use fewer features or outputs");
}

void RowStack::reserve(Index rows) {
  if (rows <= stack_.rows()) return;
  require_memory_for(rows - filled_);
  Matrix larger(wanted_height(rows), p());
  copy_block(this->rows(), larger.view().row_range(0, filled_));
  stack_ = std::move(larger);
}

// Adds to the number of rows and replaces the sums of the weights; changes nothing when it fails.
void RowStack::count(Index rows, double sum_w, double sum_log_w) {
  Index n = 0;
  if (__builtin_add_overflow(n_, rows, &n))
    fail(Status::invalid_argument, "n is ", rows, ", which is too many beside the ", n_, " rows so far");
  if (!std::isfinite(sum_w)) fail(Status::not_finite, "the sum of the weights overflows");
  n_ = n;
  sum_w_ = sum_w;
  sum_log_w_ = sum_log_w;
}

void RowStack::add(const Rows& x, const LayoutView& y, const double* weights) {
  for (Index row = 0; row < x.rows;) {
    if (!has_room(1)) {
      const Stage stage(fraction(row, x.rows), fraction(std::min(row + capacity(), x.rows), x.rows));
      reduce();
    }
    const Index taken = std::min(x.rows - row, capacity() - filled_);
    reserve(filled_ + taken);
    Array<double> first;
    if (intercept_ && n_ == 0) first = row_of(x, y, row);
    pack_weighted(x, y, weights, row, n_ == 0 ? first : shift_, stack_.view().row_range(filled_, taken));
    double sum_w = sum_w_, sum_log_w = sum_log_w_;
    for (Index i = row; i < row + taken; ++i) {
      sum_w += weights == nullptr ? 1 : weights[i];
      sum_log_w += weights == nullptr ? 0 : std::log(weights[i]);
    }
    report(fraction(row + taken, x.rows));
    const bool begins = n_ == 0;
    count(taken, sum_w, sum_log_w);
    if (begins) shift_ = std::move(first);
    filled_ += taken;
    row += taken;
  }
}

void RowStack::add(const RowStack& other) {
  if (other.n_ == 0) return;
  if (n_ == 0) {
    *this = other.copy();
    return;
  }
  for (Index row = 0; row < other.filled_;) {
    if (!has_room(1)) reduce();
    const Index taken = std::min(other.filled_ - row, capacity() - filled_);
    reserve(filled_ + taken);
    const MatrixView rows = stack_.view().row_range(filled_, taken);
    copy_block(other.rows().row_range(row, taken), rows);
    Array<double> delta = shift_;  // computed for each piece, as reduce() changes the shift
    for (std::size_t k = 0; k < delta.size(); ++k) delta[k] -= other.shift_[k];
    move_shift(delta, rows);
    for (Index k = 0; k < rows.cols; ++k)
      if (std::any_of(rows.col(k), rows.col(k) + taken, too_large))
        fail(Status::not_finite, "column ", k - ones(),
             " of [x y] of the two accumulators together, centred, is beyond ", largest_entry);
    filled_ += taken;
    row += taken;
  }
  count(other.n_, sum_w_ + other.sum_w_, sum_log_w_ + other.sum_log_w_);
}

// Moves the shifts to the weighted mean: delta_k = A_0'A_k / A_0'A_0. Any delta keeps the sums right; with the mean the
// columns are smallest, and so are rounding errors.
void RowStack::centre(MatrixView rows) {
  Array<double> q(rows.col(0), rows.col(0) + rows.rows), delta(shift_.size());
  const double norm = std::sqrt(dot(rows.rows, q.data(), q.data()));
  for (double& value : q) value /= norm;
  for (std::size_t k = 0; k < delta.size(); ++k) {
    delta[k] = dot(rows.rows, q.data(), rows.col(static_cast<Index>(k) + 1)) / norm;
    const double moved = shift_[k] + delta[k];
    if (!std::isfinite(moved)) {
      delta[k] = 0;
      continue;
    }
    delta[k] = moved - shift_[k];  // by how much the rounded shift has moved, exactly
    shift_[k] = moved;
  }
  move_shift(delta, rows);
}

void RowStack::reduce() {
  const MatrixView rows = stack_.view().row_range(0, filled_);
  if (intercept_) centre(rows);
  const Index kept = std::min(filled_, p());
  Array<double> tau(kept);
  geqrf(rows, tau);
  for (Index k = 0; k < p(); ++k)
    for (Index i = k + 1; i < kept; ++i) rows(i, k) = 0;
  filled_ = kept;
}

}  // namespace freeridge
