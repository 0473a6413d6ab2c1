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
constexpr Index gram_rows = 768;
constexpr Index least_rows = 16;  // the height of a stack that gets its first rows

bool too_large(double value) {
  return !(std::abs(value) <= largest_entry);
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
  const Index ones = shift.empty() ? 0 : 1;
  copy_rows(x, row, tile.columns(ones, x.cols));
  copy_rows(y, row, tile.columns(ones + x.cols, y.cols));
  weigh_rows(weights, row, shift, x.cols, tile);
}

void weigh_rows(const double* weights, Index row, Span<const double> shift, Index d, MatrixView tile) {
  const Index ones = shift.empty() ? 0 : 1;
  Array<double> sqrt_w(tile.rows, 1.0);
  for (Index i = 0; i < std::ssize(sqrt_w) && weights != nullptr; ++i) sqrt_w[i] = std::sqrt(weights[row + i]);
  if (ones == 1) std::copy(sqrt_w.begin(), sqrt_w.end(), tile.col(0));
  for (Index k = 0; ones + k < tile.cols; ++k) {
    double* const column = tile.col(ones + k);
    const double centre = shift.empty() ? 0 : shift[k];
    bool beyond = false;  // looked for without a branch for each number
    for (std::size_t i = 0; i < sqrt_w.size(); ++i) {
      column[i] = sqrt_w[i] * (column[i] - centre);
      beyond |= too_large(column[i]);
    }
    for (std::size_t i = 0; beyond && i < sqrt_w.size(); ++i)
      if (too_large(column[i]))
        fail(Status::not_finite, k < d ? "x[" : "y[", row + static_cast<Index>(i), ", ", k < d ? k : k - d,
             "], weighted and centred, is beyond ", largest_entry, "; rescale it");
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

RowStack::RowStack(Index d, Index t, bool intercept, bool by_gram)
    : d_(d), t_(t), intercept_(intercept), by_gram_(by_gram) {
  if (1 + d + t > std::numeric_limits<std::int32_t>::max())
    fail(Status::invalid_argument, "d is ", d, " and t is ", t, "; 1 + d + t must be at most ",
         std::numeric_limits<std::int32_t>::max());
}

RowStack::RowStack(Index d, Index t, bool intercept, Index n, double sum_w, double sum_log_w, Array<double> shift,
                   Matrix rows, bool reduced, std::optional<GramSum> sum)
    : d_(d),
      t_(t),
      intercept_(intercept),
      n_(n),
      sum_w_(sum_w),
      sum_log_w_(sum_log_w),
      shift_(std::move(shift)),
      stack_(std::move(rows)),
      filled_(stack_.rows()),
      reduced_(reduced),
      by_gram_(sum.has_value()) {
  if (sum) sum_ = std::move(*sum);
}

RowStack RowStack::copy() const {
  Matrix rows(filled_, p());
  copy_block(stack_.view(), rows.view());
  RowStack out{d_,         t_,     intercept_,      n_,       sum_w_,
               sum_log_w_, shift_, std::move(rows), reduced_, by_gram_ ? std::optional(sum_.copy()) : std::nullopt};
  out.trace_ = trace_;
  return out;
}

Index RowStack::capacity() const {
  if (by_gram_) return gram_rows;
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
  reduced_ = false;
}

void RowStack::add(const Rows& x, const LayoutView& y, const double* weights) {
  add(x.rows, weights, [&](Index row, MatrixView of_x, MatrixView of_y) {
    copy_rows(x, row, of_x);
    copy_rows(y, row, of_y);
  });
}

// Whether a row, or rows, of this weight in all are so much heavier than all before them, of the weight `before`, that these
// would have to be far from the weighted mean to be seen: as the shift they would leave the heavy ones their rounding.
bool RowStack::begins_anew(double weight, double before) const {
  constexpr double much_heavier = 16;
  return intercept_ && sum_.empty() && weight > much_heavier * before;
}

// From one shift to another; nothing where rows of this weight would go beyond the largest number.
Array<double> RowStack::delta_of(Span<const double> from, Span<const double> to, double weight) {
  Array<double> delta(to.begin(), to.end());
  for (std::size_t k = 0; k < delta.size(); ++k) {
    delta[k] -= from[k];
    if (!(std::abs(delta[k]) * std::sqrt(weight) <= largest_entry / 2)) return {};
  }
  return delta;
}

// Weighs the rows of a tile, as if they came one by one. Answers with the moves of the shift on the way, which the rows
// before the tile have to make, too; shift: that of the stack, then that after the tile.
Array<Array<double>> RowStack::weigh_tile(const double* weights, Index row, MatrixView tile,
                                          Array<double>& shift) const {
  const auto values = [&](Index i) {
    Array<double> out;
    for (Index k = ones(); k < p(); ++k) out.push_back(tile(i, k));
    return out;
  };
  if (intercept_ && n_ == 0) shift = values(0);
  Array<Array<double>> moves;
  double before = sum_w_;
  Index begin = 0;
  for (Index i = 0; i < tile.rows && weights != nullptr; ++i) {
    const double weight = weights[row + i];
    if (n_ + i > 0 && begins_anew(weight, before)) {
      Array<double> delta = delta_of(shift, values(i), weight);
      if (!delta.empty()) {
        weigh_rows(weights, row + begin, shift, d_, tile.row_range(begin, i - begin));
        move_shift(delta, tile.row_range(0, i));
        moves.push_back(std::move(delta));
        shift = values(i);
        begin = i;
      }
    }
    before += weight;
  }
  weigh_rows(weights, row + begin, shift, d_, tile.row_range(begin, tile.rows - begin));
  return moves;
}

void RowStack::add(Index n, const double* weights, const FillRows& fill) {
  for (Index row = 0; row < n;) {
    if (!has_room(1)) {
      const Stage stage(fraction(row, n), fraction(std::min(row + capacity(), n), n));
      flush();
    }
    const Index taken = std::min(n - row, capacity() - filled_);
    reserve(filled_ + taken);
    const MatrixView tile = stack_.view().row_range(filled_, taken);
    fill(row, tile.columns(ones(), d_), tile.columns(ones() + d_, t_));
    Array<double> shift = shift_;
    const Array<Array<double>> moves = weigh_tile(weights, row, tile, shift);
    double sum_w = sum_w_, sum_log_w = sum_log_w_;
    for (Index i = row; i < row + taken; ++i) {
      sum_w += weights == nullptr ? 1 : weights[i];
      sum_log_w += weights == nullptr ? 0 : std::log(weights[i]);
    }
    report(fraction(row + taken, n));
    count(taken, sum_w, sum_log_w);
    for (const Array<double>& delta : moves) move_shift(delta, stack_.view().row_range(0, filled_));
    shift_ = std::move(shift);
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
  const bool anew = other.sum_.empty() && begins_anew(other.sum_w_, sum_w_);
  count(other.n_, sum_w_ + other.sum_w_, sum_log_w_ + other.sum_log_w_);
  const Array<double> to_theirs = anew ? delta_of(shift_, other.shift_, other.sum_w_) : Array<double>();
  if (!to_theirs.empty()) {
    move_shift(to_theirs, stack_.view().row_range(0, filled_));
    shift_ = other.shift_;
  }
  trace_ += other.trace_;
  if (!other.sum_.empty()) add_sum(other);
  for (Index row = 0; row < other.filled_;) {
    if (!has_room(1)) flush();
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
    reduced_ = false;
  }
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

// Makes room: by QR the rows become a triangle, otherwise their Gram matrix is added to the sum.
void RowStack::flush() {
  if (!by_gram_) return reduce();
  if (filled_ == 0) return;
  const MatrixView rows = stack_.view().row_range(0, filled_);
  if (intercept_ && sum_.empty()) centre(rows);
  sum_.add(rows);
  filled_ = 0;
}

void RowStack::add_sum(const RowStack& other) {
  flush();
  GramSum theirs = other.sum_.copy();
  Matrix gram = theirs.take();
  Array<double> delta = shift_, of_ones(p());
  for (std::size_t k = 0; k < delta.size(); ++k) delta[k] -= other.shift_[k];
  for (Index k = 0; k < p(); ++k) of_ones[k] = gram(k, 0);
  const auto moved = [&](Index k) { return k == 0 || delta.empty() ? 0 : delta[k - 1]; };
  for (Index l = 0; l < p(); ++l) {
    for (Index k = l; k < p(); ++k) {
      gram(k, l) -= moved(k) * of_ones[l] + moved(l) * of_ones[k] - moved(k) * moved(l) * of_ones[0];
      if (!std::isfinite(gram(k, l))) fail(Status::not_finite, "the sums of the two accumulators together overflow");
    }
    worked(3 * touched * static_cast<double>(p() - l));
  }
  sum_.add_sum(gram);
}

void RowStack::reduce() {
  if (reduced_) return;
  if (by_gram_) {
    flush();
    if (!sum_.empty()) sum_ = GramSum::of(sum_.take(), {}, 0);
    reduced_ = true;
    return;
  }
  const MatrixView rows = stack_.view().row_range(0, filled_);
  if (intercept_ && filled_ > 0) centre(rows);
  const Index kept = std::min({filled_, p(), n_});  // where other stacks were added R may have more rows than there are
  Array<double> tau(std::min(filled_, p()));
  if (filled_ > 0) geqrf(rows, tau);
  for (Index k = 0; k < p(); ++k)
    for (Index i = k + 1; i < kept; ++i) rows(i, k) = 0;
  filled_ = kept;
  reduced_ = true;
}

}  // namespace freeridge
