// Least squares with n < d. U = [1, the columns without penalty] = Q [R_U; 0], X the other columns, and
// F = penalty^(-1/2) X'Q = [F_1 F_2], where F_1 belongs to the columns of Q that U spans and F_2 to the others (Z).
// Then the equations of refine_dual (linalg/refine.hpp),
//     (X penalty^-1 X' + lambda I) a + U v = rho,   U'a = sigma
// become, with a = Q [alpha_1; alpha_2] and [zeta_1; zeta_2] = Q'rho,
//     R_U' alpha_1 = sigma
//     (F_2'F_2 + lambda I) alpha_2 = zeta_2 - F_2'F_1 alpha_1          by Cholesky, or the QR of [F_2; sqrt(lambda) I]
//     R_U v = zeta_1 - lambda alpha_1 - F_1'(F_1 alpha_1 + F_2 alpha_2)
// All columns are centred first, which changes b alone: b_c = b + shift'w.
#include <algorithm>
#include <cmath>

#include "libcore/classical/least_squares.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

// Whether every pivot of R exceeds `tolerance` times the largest.
bool regular(ConstMatrixView qr, Index size, double tolerance) {
  double largest = 0, smallest = HUGE_VAL;
  for (Index k = 0; k < size; ++k) {
    largest = std::max(largest, std::abs(qr(k, k)));
    smallest = std::min(smallest, std::abs(qr(k, k)));
  }
  return smallest > tolerance * largest;
}

class Dual {
 public:
  // gram: tries Cholesky first, which costs at most half as much as QR. It needs a well conditioned K, and refinement
  // afterwards.
  Dual(const ScaledProblem& scaled, double tolerance, bool gram) : scaled_(scaled) {
    const PenalisedProblem& problem = scaled.problem();
    const Index n = problem.n();
    for (const Index k : scaled.varying()) (scaled.penalty(k) > 0 ? penalised_ : free_).push_back(k);
    ones_ = problem.intercept ? 1 : 0;
    q_ = ones_ + static_cast<Index>(free_.size());
    if (q_ >= n) return;  // Z has no column: the columns without penalty fit all points, or U is singular

    u_ = Matrix(n, q_, 1.0);
    scaled.centred(free_, u_.view().columns(ones_, q_ - ones_));
    order_.resize(q_);
    tau_.resize(q_);
    geqp3(u_.view(), ones_, order_, tau_);
    if (!regular(u_.view(), q_, tolerance)) return;
    l_u_ = lower_factor(u_.view(), 0, q_);

    const auto d = static_cast<Index>(penalised_.size());
    f_ = Matrix(n, d);  // F'
    scaled.centred(penalised_, f_.view());
    for (Index k = 0; k < d; ++k) divide_by(f_.view().columns(k, 1), std::sqrt(scaled.penalty(penalised_[k])));
    ormqr(u_.view(), tau_, f_.view(), Op::transpose);
    regular_ = (gram && by_cholesky()) || by_qr(tolerance);
  }

  bool is_regular() const { return regular_; }

  void solve(MatrixView points, MatrixView features, Span<double> ones) const {
    const Index t = points.cols, n = points.rows, d = f_.cols();
    ormqr(u_.view(), tau_, points, Op::transpose);
    const MatrixView zeta_1 = points.row_range(0, q_), zeta_2 = points.row_range(q_, n - q_);
    const ConstMatrixView f_1 = f_.view().row_range(0, q_), f_2 = f_.view().row_range(q_, n - q_);
    Matrix alpha_1(q_, t), product(d, t), v(q_, t);
    for (Index j = 0; j < t; ++j)
      for (Index k = 0; k < q_; ++k) {
        const Index u = order_[k] - ones_;
        alpha_1(k, j) = u < 0 ? ones[j] : features(free_[u], j) - scaled_.shift(free_[u]) * (ones_ > 0 ? ones[j] : 0);
      }
    trsm(Op::none, l_u_.view(), alpha_1.view());
    gemm(Op::transpose, Op::none, 1, f_1, alpha_1.view(), 0, product.view());
    gemm(Op::none, Op::none, -1, f_2, product.view(), 1, zeta_2);
    solve_lower_factor(l_.view(), zeta_2);  // alpha_2
    gemm(Op::transpose, Op::none, 1, f_2, zeta_2, 1, product.view());
    for (Index j = 0; j < t; ++j)
      for (Index k = 0; k < q_; ++k) {
        v(k, j) = zeta_1(k, j) - scaled_.lambda() * alpha_1(k, j);
        zeta_1(k, j) = alpha_1(k, j);
      }
    gemm(Op::none, Op::none, -1, f_1, product.view(), 1, v.view());
    trsm(Op::transpose, l_u_.view(), v.view());
    ormqr(u_.view(), tau_, points);

    for (Index j = 0; j < t; ++j) {
      std::fill_n(features.col(j), features.rows, 0.0);
      double shifted = 0;  // shift'dw
      for (Index k = 0; k < d; ++k)
        shifted += scaled_.shift(penalised_[k]) * product(k, j) / std::sqrt(scaled_.penalty(penalised_[k]));
      ones[j] = 0;
      for (Index k = 0; k < q_; ++k) {
        const Index u = order_[k] - ones_;
        if (u < 0) {
          ones[j] = v(k, j);
          continue;
        }
        features(free_[u], j) = v(k, j);
        shifted += scaled_.shift(free_[u]) * v(k, j);
      }
      if (ones_ > 0) ones[j] -= shifted;
    }
  }

 private:
  bool by_cholesky() {
    const Index m = u_.rows() - q_;
    l_ = Matrix(m, m, 0.0);
    syrk(Op::none, 1, f_.view().row_range(q_, m), 0, l_.view());
    for (Index i = 0; i < m; ++i) l_(i, i) += scaled_.lambda();
    return potrf(l_.view()) && regular(l_.view(), m, gram_pivot_tolerance);
  }

  bool by_qr(double tolerance) {
    const Index m = u_.rows() - q_, d = f_.cols(), below = scaled_.lambda() > 0 ? m : 0;
    if (d + below < m) return false;
    Matrix stack(d + below, m, 0.0);
    transpose(f_.view().row_range(q_, m), stack.view());
    for (Index i = 0; i < below; ++i) stack(d + i, i) = std::sqrt(scaled_.lambda());
    Array<double> tau(m);
    geqrf(stack.view(), tau);
    const bool strict = below > 0 || scaled_.spread(penalised_) > spread_of_units;
    if (!regular(stack.view(), m, strict ? std::max(tolerance, penalised_pivot_tolerance) : tolerance)) return false;
    l_ = lower_factor(stack.view(), 0, m);
    return true;
  }

  const ScaledProblem& scaled_;
  Array<Index> penalised_, free_, order_;
  Array<double> tau_;
  Matrix u_, l_u_, f_, l_;
  Index ones_ = 0, q_ = 0;
  bool regular_ = false;
};

}  // namespace

std::optional<SolvedLeastSquares> solve_dual(const PenalisedProblem& given, Index max_steps) {
  PenalisedProblem problem = given;
  const Array<double> all_one(problem.d(), 1.0);
  const bool penalised = problem.lambda > 0 && std::ranges::any_of(problem.penalty, [](double p) { return p > 0; });
  if (!penalised) {  // the limit lambda -> 0: the norm of all of w is minimised
    problem.lambda = 0;
    problem.penalty = all_one;
  }
  SolvedLeastSquares out{ScaledProblem::uniform(problem), {problem.d(), problem.t()}, problem.m(), {}, {}};
  for (const bool gram : {true, false}) {
    if (gram && max_steps == 0) continue;
    const Dual dual(out.scaled, pivot_tolerance(problem.n(), problem.d()), gram);
    if (!dual.is_regular()) return {};
    // The solution is got by refining zero: the first step gives the unrefined solution, max_steps more refine it.
    const DualSolver solve = [&](MatrixView points, MatrixView features, Span<double> ones) {
      dual.solve(points, features, ones);
    };
    const Refinement refinement =
        refine_dual(out.scaled.data(), out.scaled.lambda(), solve, max_steps + 1, out.solution);
    if (max_steps == 0 || refinement.converged) return out;
  }
  return {};
}

}  // namespace freeridge
