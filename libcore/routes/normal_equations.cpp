#include "libcore/routes/normal_equations.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/base/random.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/conjugate_gradients.hpp"

namespace freeridge {
namespace {

constexpr int power_steps = 5;
constexpr std::int64_t power_seed = 0;
constexpr Index normal_steps = 20000;  // of conjugate gradients, before the residual is computed anew
constexpr int normal_rounds = 10;
constexpr double share_of_steps = 0.9;   // of the bound that is wanted, for what conjugate gradients leave
constexpr double known_well = 0.5;       // a bound, over the size that it leaves certain
constexpr double normal_progress = 0.5;  // of the bound, in a round; else there is no point in another one

}  // namespace

NormalEquations::NormalEquations(const CentredSparseRows& rows) : rows_(rows) {
  const Index d = rows.d();
  Matrix v(d, 1), product(d, 1);
  Random random(power_seed);
  for (Index j = 0; j < d; ++j) v(j, 0) = std::sqrt(rows.squares()[j]) * (random.next() >> 63 != 0 ? 1 : -1);
  for (int step = 0; step < power_steps; ++step) {
    const double norm = norm2(d, v.data());
    if (!(norm > 0)) return;
    for (double& value : v.values()) value /= norm;
    rows.normal_multiply(v.view(), product.view());
    largest_ = std::max(largest_, dot(d, v.data(), product.data()));
    std::swap(v, product);
    report(fraction(step + 1, power_steps));
  }
  largest_ = std::max(largest_, *std::ranges::max_element(rows.squares()));
}

// One call of solve; columns of b are divided by powers of two near their norms.
class NormalEquations::Run {
 public:
  Run(const NormalEquations& of, ConstMatrixView b, double lambda, Span<const double> wanted)
      : of_(of), lambda_(lambda), wanted_(wanted), b_(copy_of(b)), r_(b.rows, b.cols) {
    const Index k = b.cols;
    out_.w = Matrix(b.rows, k, 0.0);
    out_.bound.assign(k, 0.0);
    out_.size.assign(k, 0.0);
    for (Index j = 0; j < k; ++j) {
      const double norm = norm2(b.rows, b.col(j));
      unit_.push_back(norm > 0 && std::isfinite(norm) ? std::ldexp(1.0, std::ilogb(norm)) : 1);
      norm_.push_back(norm / unit_[j]);
      for (Index i = 0; i < b.rows; ++i) b_(i, j) /= unit_[j];
    }
  }

  NormalColumns solve(ConstMatrixView start) {
    Array<Index> open;
    for (Index j = 0; j < b_.cols(); ++j) {
      open.push_back(j);
      for (Index i = 0; i < start.rows && j < start.cols; ++i) out_.w(i, j) = start(i, j) / unit_[j];
    }
    if (start.cols > 0)
      set_residuals(open);
    else
      copy(b_.view(), r_.view());
    judge(open, true);
    Stage stage(0, 0);
    for (int round = 0; round < normal_rounds && !open.empty(); ++round) {
      stage.next(1 - std::ldexp(0.25, -2 * round));
      advance(open);
    }
    for (Index j = 0; j < b_.cols(); ++j) {
      for (Index i = 0; i < b_.rows(); ++i) out_.w(i, j) *= unit_[j];
      out_.bound[j] *= unit_[j];
      out_.size[j] *= unit_[j];
    }
    return std::move(out_);
  }

 private:
  // r = b - A w
  void set_residuals(Span<const Index> of) {
    const Matrix w = picked_columns(out_.w.view(), of);
    Matrix product(w.rows(), w.cols());
    of_.rows_.normal_multiply(w.view(), product.view());
    for (Index k = 0; k < w.cols(); ++k)
      for (Index i = 0; i < w.rows(); ++i) r_(i, of[k]) = b_(i, of[k]) - (product(i, k) + lambda_ * w(i, k));
  }

  double rounding(Index j) const {
    return 4 * eps * ((of_.largest_ + lambda_) * norm2(b_.rows(), out_.w.col(j)) + norm_[j]);
  }

  // Sets the bounds, and keeps in `open` the columns that are not accurate enough yet.
  void judge(Array<Index>& open, bool first) {
    Array<Index> left;
    for (const Index j : open) {
      const Index d = b_.rows();
      double square = 0;  // w'(b - r) = w'A w
      for (Index i = 0; i < d; ++i) square += out_.w(i, j) * (b_(i, j) - r_(i, j));
      out_.size[j] = std::sqrt(std::max(square, 0.0));
      const double before = out_.bound[j];
      out_.bound[j] = norm_[j] == 0 ? 0 : (norm2(d, r_.col(j)) + rounding(j)) / std::sqrt(lambda_);
      if (!(out_.accuracy(j) <= wanted_[j]) && (first || out_.bound[j] < normal_progress * before)) left.push_back(j);
    }
    open = std::move(left);
  }

  void precondition(ConstMatrixView r, MatrixView z) const {
    for (Index k = 0; k < r.cols; ++k)
      for (Index i = 0; i < r.rows; ++i) z(i, k) = r(i, k) / (of_.rows_.squares()[i] + lambda_);
  }

  // Lower bounds of |A^-1 b|_A: the larger of |w|_A - bound and, where that is weak, b'z / |z|_A with z = M^-1 b.
  Array<double> least_sizes(Span<const Index> open) {
    Array<double> known;
    for (const Index j : open) known.push_back(out_.size[j] - out_.bound[j]);
    if (std::ranges::all_of(open, [&](Index j) { return out_.bound[j] <= known_well * out_.size[j]; })) return known;
    const Matrix b = picked_columns(b_.view(), open);
    Matrix z(b.rows(), b.cols()), product(b.rows(), b.cols());
    precondition(b.view(), z.view());
    of_.rows_.normal_multiply(z.view(), product.view());
    Array<double> out;
    for (Index k = 0; k < b.cols(); ++k) {
      const Index d = b.rows();
      const double square = dot(d, z.col(k), product.col(k)) + lambda_ * dot(d, z.col(k), z.col(k));
      out.push_back(std::max(known[k], dot(d, b.col(k), z.col(k)) / std::sqrt(square)));
    }
    return out;
  }

  // One round: conjugate gradients for the residuals, after which these are computed anew.
  void advance(Array<Index>& open) {
    const Array<double> lambdas(open.size(), lambda_);
    const bool from_zero = std::ranges::all_of(open, [&](Index j) { return out_.size[j] == 0; });
    const Array<double> least = from_zero ? Array<double>(open.size(), 1.0) : least_sizes(open);
    const auto measure = from_zero ? StoppingRule::Measure::euclidean_relative : StoppingRule::Measure::euclidean;
    Matrix r = picked_columns(r_.view(), open), more(r.rows(), r.cols(), 0.0);
    Array<double> targets;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const double wanted = wanted_[open[k]] / (1 + wanted_[open[k]]);  // of |w|_A, so that it is that of |A^-1 b|_A
      const double target = share_of_steps * wanted * least[k] * std::sqrt(lambda_);
      targets.push_back(target * target);
    }
    const ShiftedSystem system{[&](ConstMatrixView p, MatrixView out) { of_.rows_.normal_multiply(p, out); },
                               [&](ConstMatrixView v, Span<const Index>, MatrixView z) { precondition(v, z); },
                               lambdas};
    conjugate_gradients(system, {measure, targets, normal_steps}, more.view(), r.view());
    const Matrix before = picked_columns(out_.w.view(), open), r_before = picked_columns(r_.view(), open);
    Array<double> bound, size;
    for (Index k = 0; k < more.cols(); ++k) {
      const Index j = open[k];
      bound.push_back(out_.bound[j]);
      size.push_back(out_.size[j]);
      for (Index i = 0; i < more.rows(); ++i) out_.w(i, j) += more(i, k);
    }
    set_residuals(open);
    const Array<Index> tried = open;
    judge(open, false);
    for (Index k = 0; k < more.cols(); ++k) {  // a column that became worse goes back
      const Index j = tried[k];
      if (out_.bound[j] <= bound[k]) continue;
      std::copy_n(before.col(k), before.rows(), out_.w.col(j));
      std::copy_n(r_before.col(k), before.rows(), r_.col(j));
      out_.bound[j] = bound[k];
      out_.size[j] = size[k];
    }
  }

  const NormalEquations& of_;
  double lambda_;
  Span<const double> wanted_;
  Matrix b_, r_;
  Array<double> unit_, norm_;
  NormalColumns out_;
};

NormalColumns NormalEquations::solve(ConstMatrixView b, double lambda, ConstMatrixView start,
                                     Span<const double> wanted) const {
  return Run(*this, b, lambda, wanted).solve(start);
}

}  // namespace freeridge
