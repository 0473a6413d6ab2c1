// P~ at one lambda, and rows of it, by the Cholesky route; notation of cholesky_route.hpp.
#include <algorithm>
#include <cmath>
#include <memory>

#include "libcore/base/constants.hpp"
#include "libcore/factor/left_out_row_block.hpp"
#include "libcore/routes/cholesky_route.hpp"
#include "libcore/routes/factored_maker.hpp"
#include "libcore/routes/regular_cholesky.hpp"

namespace freeridge {
namespace {

class CholeskyResidualMaker final : public FactoredMaker {
 public:
  CholeskyResidualMaker(const Cholesky& factor, double lambda)
      : FactoredMaker(factor, factor.k_q1(), lambda),
        f_(factor),
        s_(cholesky_unit(f_.mean_eigenvalue(), lambda)),
        m_(f_.contrast().m()),
        factor_(f_.matrix().factor({lambda, s_, f_.constant_part(), f_.sizes()})),
        half_(m_, f_.problem().t()),
        g_(f_.problem().n(), f_.problem().t()) {
    copy(f_.reduced_outputs(), half_.view());
    half_solve(half_.view());
    const MatrixView g = f_.contrast().rows(g_.view());
    copy(half_.view(), g);
    other_half_solve(g);
    f_.contrast().expand(g_.view());
    divide_by(half_.view(), std::sqrt(s_));
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

  void diagonal(Span<double> out) const override { factor_->diagonal(f_.contrast(), out); }

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
    factor_->block(c.view(), out);
  }

  double trace() const override {
    Array<double> values(f_.problem().n());
    diagonal(values);
    return sum_of(values);
  }

  // By the estimate of the smallest eigenvalue.
  bool below_floor() const override { return std::max(lambda_, factor_->smallest()) < f_.floor(); }
  double shrinkage() const override { return lambda_ / s_; }
  double scale() const override { return s_; }

  void leverage(Span<double> out) const override {
    if (is_small()) {
      const double x = f_.trace() / lambda_;
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = x * (f_.row_share()[i] - x * f_.square_share()[i]);
      return;
    }
    diagonal(out);
    for (double& value : out) value = 1 - shrinkage() * value;
  }

  double degrees_of_freedom() const override {
    if (!is_small()) return static_cast<double>(f_.problem().n()) - shrinkage() * trace();
    Array<double> values(f_.problem().n());
    leverage(values);
    return sum_of(values);
  }

  double log_determinant() const override { return static_cast<double>(m_) * std::log(s_) + 2 * factor_->log_sum(); }

  double quadratic_form(Index output) const override { return dot(m_, half_.col(output), half_.col(output)); }

  double squared_norm(Index output) const override { return dot(g_.rows(), g_.col(output), g_.col(output)); }

  // u'(Z'K_wZ) u, c~ = Z u
  double function_norm2(Index output) const override {
    Matrix c(f_.problem().n(), 1);
    coefficients(output, c.view());
    return f_.matrix().quadratic_form(f_.contrast().reduce(c.view()).data);
  }

  void whole(MatrixView out, Span<double> diagonal_out) const override {
    if (!factor_->whole(f_.contrast(), out, diagonal_out)) ResidualMaker::whole(out, diagonal_out);
  }

 private:
  double unit() const override { return s_; }
  double ratio() const override { return 1; }
  MatrixView reduce(MatrixView v) const override { return f_.contrast().reduce(v); }
  void expand(MatrixView v) const override { f_.contrast().expand(v); }
  void half_solve(MatrixView b) const override { factor_->half_solve(b); }
  void other_half_solve(MatrixView b) const override { factor_->other_half_solve(b); }
  bool is_faint() const override { return lambda_ >= f_.trace(); }

  // Whether leverages by their series have more digits than those by the difference 1 - rho P~_ii. With
  // x = tr K_w / lambda the relative error of the series is x^2, and that of the difference is m eps / x. With an
  // intercept H_ii >= q1_i^2, and the difference is good enough.
  bool is_small() const {
    return !f_.contrast().active() && f_.trace() < std::cbrt(static_cast<double>(m_) * eps) * lambda_;
  }

  const Cholesky& f_;
  double s_;  // a power of two: to divide by it is exact
  Index m_;
  std::unique_ptr<CholeskyFactor> factor_;
  Matrix half_;  // L^-1 Z'Y~ / sqrt(s)
  Matrix g_;     // P~Y~
};

}  // namespace

std::unique_ptr<RowBlock> Cholesky::rows(Span<const Index> which) const {
  return std::make_unique<LeftOutRowBlock<CholeskyResidualMaker>>(which);
}

std::unique_ptr<ResidualMaker> Cholesky::at(double lambda) const {
  return std::make_unique<CholeskyResidualMaker>(*this, lambda);
}

}  // namespace freeridge
