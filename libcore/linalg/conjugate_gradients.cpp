#include "libcore/linalg/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/constants.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

constexpr double divergence = 1e16;  // of a square

// y = a x + b y
void combine(Index n, double a, const double* x, double b, double* y) {
  for (Index i = 0; i < n; ++i) y[i] = a * x[i] + b * y[i];
}

class Block {
 public:
  Block(const ShiftedSystem& system, const StoppingRule& rule, MatrixView x, MatrixView r)
      : system_(system), rule_(rule), x_(x), r_(r), p_(r.rows, r.cols), q_(r.rows, r.cols), ends_(r.cols) {
    order_ = consecutive(0, r.cols);
    products_ = first_ = least_ = Array<double>(r.cols);
  }

  Array<ColumnEnd> solve() {
    start();
    for (Index step = 0; step < rule_.most_steps && active_ > 0; ++step) advance();
    restore_order();
    return std::move(ends_);
  }

 private:
  Span<const Index> columns() const { return {order_.data(), active_}; }
  MatrixView r() const { return r_.columns(0, active_); }
  MatrixView p() { return p_.view().columns(0, active_); }
  MatrixView q() { return q_.view().columns(0, active_); }
  double square(Index j, double product) const {
    if (rule_.measure == StoppingRule::Measure::euclidean || rule_.measure == StoppingRule::Measure::euclidean_relative)
      return dot(r_.rows, r_.col(j), r_.col(j));
    return rule_.measure == StoppingRule::Measure::enclosed ? ends_[order_[j]].gamma * product : product;
  }
  double target(Index column) const {
    const bool alone =
        rule_.measure == StoppingRule::Measure::preconditioned || rule_.measure == StoppingRule::Measure::euclidean;
    return rule_.targets[column] * (alone ? 1 : ends_[column].below);
  }

  void start() {
    active_ = r_.cols;
    system_.precondition(r(), columns(), p());
    for (Index j = active_ - 1; j >= 0; --j) {
      const Index column = order_[j];
      products_[column] = dot(r_.rows, r_.col(j), p_.col(j));
      first_[column] = least_[column] = square(j, products_[column]);
      judge(j);
    }
  }

  void advance() {
    system_.apply(p(), q());
    for (Index j = active_ - 1; j >= 0; --j) move(j);
    if (active_ == 0) return;
    system_.precondition(r(), columns(), q());
    for (Index j = active_ - 1; j >= 0; --j) turn(j);
    worked(10 * touched * static_cast<double>(r_.rows) * static_cast<double>(active_));
    report(progress());
  }

  // x and r of the column in place j go along p.
  void move(Index j) {
    const Index n = r_.rows, column = order_[j];
    combine(n, system_.lambdas[column], p_.col(j), 1, q_.col(j));
    const double curvature = dot(n, p_.col(j), q_.col(j)), alpha = products_[column] / curvature;
    if (!(curvature > 0) || !std::isfinite(alpha)) return leave(j, true);
    combine(n, alpha, p_.col(j), 1, x_.col(column));
    combine(n, -alpha, q_.col(j), 1, r_.col(j));
    ends_[column].below += alpha * products_[column];
    ends_[column].gamma -= alpha;
    ++ends_[column].steps;
  }

  // The next p of the column in place j; its z is in q.
  void turn(Index j) {
    const Index column = order_[j];
    const double product = dot(r_.rows, r_.col(j), q_.col(j));
    const double beta = product / products_[column];
    combine(r_.rows, 1, q_.col(j), beta, p_.col(j));
    double& gamma = ends_[column].gamma;  // rounding may have made it negative
    gamma = gamma > 0 ? gamma / (gamma + beta) : 1;
    products_[column] = product;
    judge(j);
  }

  // Whether the column in place j goes on.
  void judge(Index j) {
    const Index column = order_[j];
    ColumnEnd& end = ends_[column];
    end.square = square(j, products_[column]);
    if (end.square >= 0 && end.square <= target(column)) {
      end.converged = true;
      return leave(j, false);
    }
    least_[column] = std::min(least_[column], end.square);
    if (!(products_[column] > 0) || !std::isfinite(end.square) || end.square > divergence * least_[column])
      leave(j, true);
  }

  // The last column of the block takes place j.
  void leave(Index j, bool broken) {
    ends_[order_[j]].broken = broken;
    --active_;
    exchange(j, active_);
    std::swap_ranges(p_.col(j), p_.col(j) + p_.rows(), p_.col(active_));
    std::swap_ranges(q_.col(j), q_.col(j) + q_.rows(), q_.col(active_));
  }

  void exchange(Index j, Index k) {
    if (j == k) return;
    std::swap_ranges(r_.col(j), r_.col(j) + r_.rows, r_.col(k));
    std::swap(order_[j], order_[k]);
  }

  void restore_order() {
    for (Index j = 0; j < r_.cols; ++j)
      while (order_[j] != j) exchange(j, order_[j]);
  }

  // The share of the way, in digits, of the column that has done least of it.
  double progress() const {
    double least = 1;
    for (const Index column : columns()) {
      const double all = std::log(first_[column] / target(column));
      const double done = std::log(first_[column] / least_[column]);
      least = std::min(least, all > 0 && std::isfinite(all) ? done / all : 0.0);
    }
    return least;
  }

  const ShiftedSystem& system_;
  const StoppingRule& rule_;
  MatrixView x_, r_;    // r by places, x by columns
  Matrix p_, q_;        // by places
  Array<Index> order_;  // the column in each place; the first `active_` places are those of the block
  Index active_ = 0;
  Array<ColumnEnd> ends_;
  Array<double> products_, first_, least_;  // r'z, the first square and the least; by columns
};

}  // namespace

Array<ColumnEnd> conjugate_gradients(const ShiftedSystem& system, const StoppingRule& rule, MatrixView x,
                                     MatrixView r) {
  return Block(system, rule, x, r).solve();
}

double BoundedColumns::accuracy(Index j) const {
  if (bound[j] == 0) return 0;
  const double at_least = size[j] - bound[j];
  return at_least > 0 ? bound[j] / at_least : infinity;
}

}  // namespace freeridge
