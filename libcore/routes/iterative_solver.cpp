#include "libcore/routes/iterative_solver.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/conjugate_gradients.hpp"

namespace freeridge {
namespace {

// The most steps of conjugate gradients before the residual is computed anew. Fewer in single precision, where the
// residual soon consists of rounding errors.
constexpr Index most_steps = 1000, most_in_single = 200;
constexpr int most_rounds = 16;
// The columns have norms from 1 to 2 before q1 is taken out. One that is left with a smaller norm than this lies along
// q1 up to rounding, and becomes zero.
constexpr double least_apart = 0.5;
constexpr double share_of_bound = 0.5;  // of the bound that is wanted, for what conjugate gradients leave
constexpr double progress_made = 0.5;   // of the bound, in a round; else there is no point in another one
constexpr double enclosure = 4;         // what may be left of the square of an error, over what is certain of it
constexpr Index enclosing_steps = 40;
constexpr double round_in_single = 3e-5;  // of the bound, in a round of single precision; two make 1e-8
// Single precision is tried for lambda from this multiple of |K_w|_F n^(-1/2) on, the size of its rounding errors in
// K_w.
constexpr double single_noise = 4 * 0x1p-24;

}  // namespace

// One call of solve; columns of b are divided by powers of two near their norms.
class IterativeSolver::Run {
 public:
  Run(const IterativeSolver& of, ConstMatrixView b, Span<const double> lambdas, Span<const double> wanted)
      : of_(of), lambdas_(lambdas), wanted_(wanted), b_(copy_of(b)) {
    const Index n = b.rows, k = b.cols;
    double squares = of.preconditioner_.trace_left() * of.preconditioner_.trace_left();
    for (const double value : of.preconditioner_.eigenvalues()) squares += value * value;
    noise_ = std::sqrt(squares / static_cast<double>(n));
    out_.c = Matrix(n, k, 0.0);
    out_.bound.assign(k, 0.0);
    out_.size.assign(k, 0.0);
    out_.steps.assign(k, 0);
    for (Index j = 0; j < k; ++j) {
      const double norm = norm2(n, b.col(j));
      unit_.push_back(norm > 0 ? std::ldexp(1.0, std::ilogb(norm)) : 1);
      divide_by(b_.view().columns(j, 1), unit_[j]);
      in_single_.push_back(of.passes_.has_single() && lambdas[j] > single_noise * noise_);
    }
    of.preconditioner_.take_out(b_.view());
    for (Index j = 0; j < k; ++j)
      if (norm2(n, b_.col(j)) < least_apart) std::fill_n(b_.col(j), n, 0.0);
    r_ = copy_of(b_.view());
  }

  IterativeColumns solve(Bounds bounds) {
    Array<Index> open = consecutive(0, b_.cols());
    set_bounds(open);
    std::erase_if(open, [&](Index j) { return reached(j); });
    Stage stage(0, 0);
    for (int round = 0; round < most_rounds && !open.empty(); ++round) {
      const double before = 1 - std::ldexp(1.0, -2 * round), after = 1 - std::ldexp(1.0, -2 * round - 2);
      Array<Index> in_single, in_double, left;
      for (const Index j : open) (in_single_[j] ? in_single : in_double).push_back(j);
      stage.next(in_double.empty() ? after : in_single.empty() ? before : (before + after) / 2);
      if (!in_single.empty()) advance(in_single, Precision::single_precision, left);
      stage.next(after);
      if (!in_double.empty()) advance(in_double, Precision::double_precision, left);
      open = std::move(left);
    }
    if (bounds == Bounds::tight) tighten();
    for (Index j = 0; j < b_.cols(); ++j) {
      out_.rounding.push_back(rounding(j) * unit_[j]);
      multiply_by(out_.c.view().columns(j, 1), unit_[j]);
      out_.bound[j] *= unit_[j];
      out_.size[j] *= unit_[j];
    }
    return std::move(out_);
  }

 private:
  ShiftedSystem system(Span<const double> lambdas, Precision precision) const {
    return {[this, precision](ConstMatrixView p, MatrixView out) {
              of_.passes_.multiply(p, out, precision);
              of_.preconditioner_.take_out(out);
            },
            [this, lambdas](ConstMatrixView v, Span<const Index> columns, MatrixView z) {
              Array<double> own;
              for (const Index k : columns) own.push_back(lambdas[k]);
              of_.preconditioner_.apply(v, own, z);
            },
            lambdas};
  }

  // Tightens the bounds by enclosures of r'P r, where they are more than twice those of rounding.
  void tighten() {
    Array<Index> which;
    for (Index j = 0; j < b_.cols(); ++j)
      if (std::isfinite(out_.bound[j]) && out_.bound[j] > 2 * rounding(j)) which.push_back(j);
    if (which.empty()) return;
    const Array<double> lambdas = lambdas_of(which), targets(which.size(), enclosure);
    Matrix r = picked_columns(r_.view(), which), steps(r.rows(), r.cols(), 0.0);
    const Array<ColumnEnd> ends =
        conjugate_gradients(system(lambdas, Precision::double_precision),
                            {StoppingRule::Measure::enclosed, targets, enclosing_steps}, steps.view(), r.view());
    for (std::size_t k = 0; k < which.size(); ++k) {
      out_.steps[which[k]] += ends[k].steps;
      const double bound = std::sqrt(ends[k].below + ends[k].square) + rounding(which[k]);
      if (!ends[k].broken) out_.bound[which[k]] = std::min(out_.bound[which[k]], bound);
    }
  }

  bool reached(Index j) const { return out_.accuracy(j) <= wanted_[j]; }

  Array<double> lambdas_of(Span<const Index> which) const {
    Array<double> out;
    for (const Index j : which) out.push_back(lambdas_[j]);
    return out;
  }

  void set_bounds(Span<const Index> which) {
    Matrix z = picked_columns(r_.view(), which);
    const Index n = z.rows();
    of_.preconditioner_.apply(z.view(), lambdas_of(which), z.view());
    for (Index k = 0; k < z.cols(); ++k) {
      const Index j = which[k];
      double c_g_c = 0;  // c'(b - r) = c'(K_w + lambda) c
      for (Index i = 0; i < n; ++i) c_g_c += out_.c(i, j) * (b_(i, j) - r_(i, j));
      out_.size[j] = std::sqrt(std::max(c_g_c, 0.0));
      out_.bound[j] = std::sqrt(std::max(dot(n, r_.col(j), z.col(k)), 0.0)) + rounding(j);
      if (std::isnan(out_.bound[j])) out_.bound[j] = infinity;
    }
  }

  double rounding(Index j) const {
    const double c = norm2(b_.rows(), out_.c.col(j));
    if (c == 0) return 0;
    return 2 * eps * (c * (noise_ + lambdas_[j]) + norm2(b_.rows(), b_.col(j))) / std::sqrt(lambdas_[j]);
  }

  // One round: conjugate gradients for the residuals. `left`: the columns that go on.
  void advance(Span<const Index> which, Precision precision, Array<Index>& left) {
    const Array<double> lambdas = lambdas_of(which);
    Matrix r = picked_columns(r_.view(), which), c(r.rows(), r.cols(), 0.0);
    const bool first = out_.steps[which.front()] == 0;  // from zero, of all columns or none
    Array<double> targets, before;
    for (const Index j : which) {
      const double least = precision == Precision::single_precision ? round_in_single : 0;
      const double target = first ? std::max(share_of_bound * wanted_[j], least)
                                  : std::max(share_of_bound * wanted_[j] * out_.size[j], least * out_.bound[j]);
      targets.push_back(target * target);
      before.push_back(out_.bound[j]);
    }
    const Index most = precision == Precision::single_precision ? most_in_single : most_steps;
    const auto measure = first ? StoppingRule::Measure::relative : StoppingRule::Measure::preconditioned;
    const Array<ColumnEnd> ends =
        conjugate_gradients(system(lambdas, precision), {measure, targets, most}, c.view(), r.view());
    for (Index k = 0; k < c.cols(); ++k) {
      out_.steps[which[k]] += ends[k].steps + 1;
      for (Index i = 0; i < c.rows(); ++i) c(i, k) += out_.c(i, which[k]);
    }
    exchange(which, c, residual_of(which, c));
    for (Index k = 0; k < c.cols(); ++k) {
      const Index j = which[k];
      if (reached(j)) continue;
      const bool moved = out_.bound[j] < progress_made * before[k];
      if (moved || precision == Precision::single_precision) left.push_back(j);
      if (!moved) in_single_[j] = false;
    }
  }

  Matrix residual_of(Span<const Index> which, const Matrix& c) const {
    Matrix r(c.rows(), c.cols());
    of_.passes_.multiply(c.view(), r.view(), Precision::double_precision);
    for (Index k = 0; k < c.cols(); ++k) {
      const Index j = which[k];
      for (Index i = 0; i < c.rows(); ++i) r(i, k) = b_(i, j) - (r(i, k) + lambdas_[j] * c(i, k));
    }
    of_.preconditioner_.take_out(r.view());
    return r;
  }

  // Takes over the columns of c, with their residuals r, whose error bounds are smaller than those of the present
  // columns.
  void exchange(Span<const Index> which, Matrix& c, Matrix r) {
    const auto swap = [&](Index k) {
      std::swap_ranges(c.col(k), c.col(k) + c.rows(), out_.c.col(which[k]));
      std::swap_ranges(r.col(k), r.col(k) + r.rows(), r_.col(which[k]));
    };
    Array<double> bound, size;
    for (Index k = 0; k < c.cols(); ++k) {
      bound.push_back(out_.bound[which[k]]);
      size.push_back(out_.size[which[k]]);
      swap(k);
    }
    set_bounds(which);
    for (Index k = 0; k < c.cols(); ++k) {
      if (out_.bound[which[k]] < bound[k]) continue;
      swap(k);
      out_.bound[which[k]] = bound[k];
      out_.size[which[k]] = size[k];
    }
  }

  const IterativeSolver& of_;
  Span<const double> lambdas_, wanted_;
  double noise_;  // |K_w|_F n^(-1/2), from above
  Matrix b_, r_;
  Array<double> unit_;
  Array<char> in_single_;
  IterativeColumns out_;
};

IterativeColumns IterativeSolver::solve(ConstMatrixView b, Span<const double> lambdas, Span<const double> wanted,
                                        Bounds bounds) const {
  return Run(*this, b, lambdas, wanted).solve(bounds);
}

}  // namespace freeridge
