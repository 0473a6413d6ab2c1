// P~ at one lambda, and rows of it, by the Cholesky route; notation of cholesky_route.hpp.
#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/factor/left_out_row_block.hpp"
#include "libcore/factor/matrix_columns.hpp"
#include "libcore/factor/refinement.hpp"
#include "libcore/factor/residual_diagonal.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lower_triangle.hpp"
#include "libcore/routes/cholesky_route.hpp"
#include "libcore/routes/regular_cholesky.hpp"

namespace freeridge {
namespace {

// Room for an upper triangle: the factorization's own, or a new one while somebody else has that. The new one has the
// same leading dimension and alignment: some BLAS sum in another order where the alignment differs, and the bits of an
// answer must not depend on whether a fit is held.
class Loan {
 public:
  explicit Loan(const Cholesky& factor)
      : factor_(factor), view_(factor.borrow_upper()), borrowed_(view_.data != nullptr) {
    if (borrowed_) return;
    const Index n = factor.problem().n();
    own_ = Matrix(n, n);
    view_ = factor.contrast().inner(own_.view());
  }
  ~Loan() {
    if (borrowed_) factor_.give_back_upper();
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  MatrixView view() const { return view_; }

 private:
  const Cholesky& factor_;
  MatrixView view_;
  bool borrowed_;
  Matrix own_;
};

class CholeskyResidualMaker final : public ResidualMaker {
 public:
  CholeskyResidualMaker(const Cholesky& factor, double lambda)
      : f_(factor),
        lambda_(lambda),
        s_(cholesky_unit(f_.mean_eigenvalue(), lambda)),
        m_(f_.contrast().m()),
        loan_(factor),
        u_(loan_.view()),
        half_(m_, f_.problem().t()),
        g_(f_.problem().n(), f_.problem().t()) {
    factorize();
  }

  void residual(Index first, MatrixView out) const override { copy(g_.view().columns(first, out.cols), out); }

  // (P~Y~)_S
  void residual_at(Span<const Index> rows, Index first, MatrixView out) const {
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < out.rows; ++i) out(i, j) = g_(rows[i], first + j);
  }

  void coefficients(Index first, MatrixView out) const override {
    residual(first, out);
    divide_by(out, s_);
  }

  void diagonal(Span<double> out) const override {
    residual_diagonal(
        f_.contrast(), [&](MatrixView b, Index from) { solve_half(b, from); }, out);
  }

  // P~_SS, lower triangle.
  void block(Span<const Index> rows, MatrixView out) const {
    const Index offset = f_.problem().n() - m_;
    Matrix c(m_, static_cast<Index>(rows.size()), 0.0);
    for (Index j = 0; j < c.cols(); ++j) {
      const Index point = f_.contrast().place(rows[j]);
      if (f_.contrast().active()) {
        const ConstMatrixView factor = f_.contrast().factors().row_range(point, 1);
        gemm(Op::none, Op::transpose, -1, f_.contrast().tail(), factor, 0, c.view().columns(j, 1));
      }
      if (point >= offset) c(point - offset, j) += 1;
      worked(touched * static_cast<double>(m_));
    }
    solve_half(c.view());
    syrk(Op::transpose, 1, c.view(), 0, out);
  }

  double trace() const override {
    Array<double> values(f_.problem().n());
    diagonal(values);
    return sum_of(values);
  }

  // By the estimate of the smallest eigenvalue.
  bool below_floor() const override { return std::max(lambda_, smallest_) < f_.floor(); }
  double shrinkage() const override { return lambda_ / s_; }
  double scale() const override { return s_; }

  void leverage(Span<double> out) const override {
    if (is_faint()) {
      const double x = f_.trace() / lambda_;
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = x * (f_.row_share()[i] - x * f_.square_share()[i]);
      return;
    }
    diagonal(out);
    for (double& value : out) value = 1 - shrinkage() * value;
  }

  double degrees_of_freedom() const override {
    if (!is_faint()) return static_cast<double>(f_.problem().n()) - shrinkage() * trace();
    Array<double> values(f_.problem().n());
    leverage(values);
    return sum_of(values);
  }

  double log_determinant() const override {
    double sum = static_cast<double>(m_) * std::log(s_);
    for (Index i = 0; i < m_; ++i) sum += 2 * std::log(u_(i, i));
    return sum;
  }

  double quadratic_form(Index output) const override { return dot(m_, half_.col(output), half_.col(output)); }

  double squared_norm(Index output) const override { return dot(g_.rows(), g_.col(output), g_.col(output)); }

  // u'(Z'K_wZ) u, c~ = Z u
  double function_norm2(Index output) const override {
    Matrix c(f_.problem().n(), 1);
    coefficients(output, c.view());
    const double* const u = f_.contrast().reduce(c.view()).data;
    double sum = 0;
    for (Index j = 0; j < m_; ++j)
      sum += u[j] * (f_.diagonal()[j] * u[j] + 2 * dot(m_ - j - 1, f_.inner().col(j) + j + 1, u + j + 1));
    return sum;
  }

  void solve(Index first, Index count, Solution& solution) const override {
    Matrix c(f_.problem().n(), count);
    coefficients(first, c.view());
    set_expansion(f_.problem(), f_.k_q1(), first, c.view(), solution);
  }

  void refine(Index first, Index count, Index steps, Solution& solution) const override {
    if (f_.problem().linear())
      fail(Status::invalid_state, "the CHOLESKY route refines no linear kernel; set the route PRIMAL");
    refine_expansion(
        f_.problem(), [&](MatrixView v) { apply(v); }, lambda_, first, count, steps, solution);
  }

  void smoother(const Points& points, Index first, MatrixView a, Span<double> variance) const override {
    const Problem& problem = f_.problem();
    Matrix kappa(problem.n(), std::max(a.cols, static_cast<Index>(variance.size())));
    Array<double> prior(variance.size());
    centred_cross_kernel(problem, f_.k_q1(), points, first, kappa.view(), prior);
    const MatrixView half = f_.contrast().reduce(kappa.view());
    divide_by(half, s_);
    solve_half(half);
    for (Index q = 0; q < static_cast<Index>(variance.size()); ++q)
      variance[q] = prior[q] - s_ * dot(m_, half.col(q), half.col(q));
    problem.add_free_variance(points, first, lambda_, variance);
    if (a.cols == 0) return;
    solve_other_half(half);
    f_.contrast().expand(kappa.view());
    copy(kappa.view().columns(0, a.cols), a);
    problem.finish_smoother(points, first, a);
  }

  void columns(Index first, MatrixView hat, MatrixView inverse) const override {
    columns_by_product(*this, f_.problem(), lambda_, lambda_ >= f_.trace(), first, hat, inverse,
                       [&](MatrixView v) { apply(v); });
  }

  void functional_norms(MatrixView delta, Span<double> out) const override {
    f_.problem().weight_rows(delta);
    const MatrixView half = f_.contrast().reduce(delta);
    divide_by(half, s_);
    solve_half(half);
    solve_other_half(half);
    for (Index q = 0; q < half.cols; ++q) out[q] = dot(m_, half.col(q), half.col(q));
  }

  void functional_variances(MatrixView delta, Span<double> variance) const override {
    f_.problem().weight_rows(delta);
    const MatrixView half = f_.contrast().reduce(delta);
    divide_by(half, s_);
    solve_half(half);
    for (Index q = 0; q < half.cols; ++q) variance[q] -= s_ * dot(m_, half.col(q), half.col(q));
  }

  void columns_of(Span<const Index> which, MatrixView out) const override {
    for (Index q = 0; q < out.cols; ++q) {
      std::fill_n(out.col(q), out.rows, 0.0);
      out(which[q], q) = 1;
    }
    const MatrixView half = f_.contrast().reduce(out);
    solve_half(half);
    solve_other_half(half);
    f_.contrast().expand(out);
  }

  // Z (L L')^-1 Z'. Its diagonal comes from L^-1, which is made on the way.
  void whole(MatrixView out, Span<double> diagonal_out) const override {
    const MatrixView inner = f_.contrast().inner(out);
    for (Index j = 0; j < out.cols; ++j) std::fill_n(out.col(j), out.rows, 0.0);
    for (Index j = 0; j < m_; ++j)
      for (Index i = 0; i <= j; ++i) inner(j, i) = u_(i, j);
    worked(2 * touched * static_cast<double>(m_ * m_));
    trtri(inner);
    Matrix z = copy_of(f_.contrast().tail());
    solve_half(z.view());
    residual_diagonal(f_.contrast(), inner, z.view(), diagonal_out);
    lauum(inner);
    f_.contrast().expand_symmetric(out);
    mirror_lower(out);
  }

  void solve_without(Span<const Index> which, ConstMatrixView e, ConstMatrixView residual, Index first,
                     Solution& solution) const override {
    Matrix c = copy_of(residual);
    divide_by(c.view(), s_);
    set_expansion(f_.problem(), f_.k_q1(), first, c.view(), solution);
    take_out(f_.problem(), which, e, first, solution);
  }

 private:
  void factorize() {
    const ConstMatrixView k = f_.inner();
    const double factor = 1 / s_;
    each_pair_below(m_, [&, u = u_](Index i, Index j) { u(j, i) = factor * k(i, j); });
    for (Index j = 0; j < m_; ++j) u_(j, j) = f_.diagonal()[j] / s_ + lambda_ / s_;
    smallest_ = regular_cholesky(u_, Triangle::upper, {lambda_, s_, f_.constant_part(), f_.sizes()});
    copy(f_.reduced_outputs(), half_.view());
    solve_half(half_.view());
    const MatrixView g = f_.contrast().rows(g_.view());
    copy(half_.view(), g);
    solve_other_half(g);
    f_.contrast().expand(g_.view());
    divide_by(half_.view(), std::sqrt(s_));
  }

  // L^-1 b and L^-T b, L' = U
  void solve_half(MatrixView b, Index from = 0) const {
    trsm(Op::transpose, ConstMatrixView(u_).block(from, from, b.rows, b.rows), b, Triangle::upper);
  }
  void solve_other_half(MatrixView b) const { trsm(Op::none, u_, b, Triangle::upper); }

  // Whether leverages by their series have more digits than those by the difference 1 - rho P~_ii. With
  // x = tr K_w / lambda the relative error of the series is x^2, and that of the difference is m eps / x. With an
  // intercept H_ii >= q1_i^2, and the difference is good enough.
  bool is_faint() const {
    return !f_.contrast().active() && f_.trace() < std::cbrt(static_cast<double>(m_) * eps) * lambda_;
  }

  // v = P v
  void apply(MatrixView v) const {
    const MatrixView half = f_.contrast().reduce(v);
    divide_by(half, s_);
    solve_half(half);
    solve_other_half(half);
    f_.contrast().expand(v);
  }

  const Cholesky& f_;
  double lambda_;
  double s_;  // a power of two: to divide by it is exact
  Index m_;
  double smallest_ = 0;  // an estimate of the smallest eigenvalue of Z'GZ, from below but for a small factor
  Loan loan_;
  MatrixView u_;  // m x m, upper triangle: U = L'
  Matrix half_;   // L^-1 Z'Y~ / sqrt(s)
  Matrix g_;      // P~Y~
};

}  // namespace

std::unique_ptr<RowBlock> Cholesky::rows(Span<const Index> which) const {
  return std::make_unique<LeftOutRowBlock<CholeskyResidualMaker>>(which);
}

std::unique_ptr<ResidualMaker> Cholesky::at(double lambda) const {
  return std::make_unique<CholeskyResidualMaker>(*this, lambda);
}

}  // namespace freeridge
