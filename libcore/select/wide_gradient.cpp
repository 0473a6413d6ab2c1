#include "libcore/select/wide_gradient.hpp"

#include <algorithm>

#include "libcore/factor/left_out_rows.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/select/gradient_parts.hpp"

namespace freeridge {
namespace {

constexpr Index gradient_rows = 64;

class WideGradient {
 public:
  WideGradient(const Factorization& factorization, double lambda)
      : problem_(factorization.problem()),
        lambda_(lambda),
        maker_(residual_maker_at(factorization, lambda)),
        slopes_(factorization.unit_slopes(lambda)),
        w_(d(), t()),
        c_(n(), t()),
        diagonal_(n()) {
    gemm(Op::none, Op::none, 1, slopes_.view(), problem_.y_tilde.view(), 0, w_.view());
    maker_->residual_and_diagonal(0, c_.view(), diagonal_);
    divide_by(c_.view(), maker_->scale());
    for (double& value : diagonal_) value /= maker_->scale();
    out_.kernel.assign(d(), 0.0);
  }

  void loo() {
    const Array<double> alpha = output_shares(problem_, Criterion::loo);
    Matrix cbar(n(), t());
    Array<double> pbar(n(), 0.0);  // less its sign
    for (Index j = 0; j < t(); ++j)
      for (Index i = 0; i < n(); ++i) {
        const double e = c_(i, j) / diagonal_[i];
        cbar(i, j) = 2 * alpha[j] * e / diagonal_[i] / problem_.sum_w;
        pbar[i] += cbar(i, j) * e;
      }
    add_means(cbar, pbar);
  }

  void gcv() {
    const Array<double> alpha = output_shares(problem_, Criterion::gcv);
    const double trace = sum_of(diagonal_);
    double score = 0;
    Matrix cbar(n(), t());
    for (Index j = 0; j < t(); ++j) {
      const double factor = static_cast<double>(n()) * alpha[j] / trace / trace;
      for (Index i = 0; i < n(); ++i) cbar(i, j) = 2 * factor * c_(i, j);
      score += factor * dot(n(), c_.col(j), c_.col(j));
    }
    add_means(cbar, Array<double>(n(), 2 * score / trace));
  }

  void reml() {
    Matrix x(std::min(gradient_rows, n()), d());
    for (Index row = 0; row < n(); row += gradient_rows) {
      const MatrixView rows = x.view().row_range(0, std::min(gradient_rows, n() - row));
      problem_.weighted_rows(row, rows);
      for (Index i = 0; i < rows.rows; ++i)
        for (Index k = 0; k < d(); ++k) out_.kernel[k] += static_cast<double>(t()) * rows(i, k) * slopes_(k, row + i);
      worked(2 * touched * static_cast<double>(rows.rows * d()));
    }
    for (Index j = 0; j < t(); ++j) {
      const double s2 = problem_.prior_variance(j, lambda_, dot(n(), problem_.y_tilde.col(j), c_.col(j)));
      for (Index k = 0; k < d(); ++k) out_.kernel[k] -= w_(k, j) * w_(k, j) / s2;
    }
  }

  void groups(const Groups& groups) {
    const Array<double> alpha = output_shares(problem_, Criterion::groups), beta = group_shares(problem_, groups);
    for (std::size_t g = 0; g < beta.size(); ++g) {
      const Group& group = groups.all()[g];
      const Index size = std::ssize(group.rows);
      Matrix own = block(group.rows), e = picked_rows(c_.view(), group.rows), of_e(d(), t()), of_v(d(), t());
      const LeftOutFactor system(own.view());
      if (!system.regular()) fail_no_value(no_group_error(group));
      system.solve(e.view());
      Matrix v = copy_of(e.view()), t_g(d(), size);
      clear_gap(group, v.view());
      system.solve(v.view());
      for (Index i = 0; i < size; ++i) std::copy_n(slopes_.col(group.rows[i]), d(), t_g.col(i));
      gemm(Op::none, Op::none, 1, t_g.view(), e.view(), 0, of_e.view());
      gemm(Op::none, Op::none, 1, t_g.view(), v.view(), 0, of_v.view());
      for (Index j = 0; j < t(); ++j)
        for (Index k = 0; k < d(); ++k) out_.kernel[k] += 4 * alpha[j] * beta[g] * of_v(k, j) * (of_e(k, j) - w_(k, j));
      report(fraction(g + 1, beta.size()));
    }
  }

  ScoreGradient finish(double score) {
    out_.score = score;
    for (const double value : out_.kernel) out_.log_lambda -= value / 2;
    return std::move(out_);
  }

 private:
  Index n() const { return problem_.n(); }
  Index d() const { return problem_.d(); }
  Index t() const { return problem_.t(); }

  void add_means(const Matrix& cbar, Span<const double> pbar) {
    Matrix along(d(), t());
    gemm(Op::none, Op::none, 1, slopes_.view(), cbar.view(), 0, along.view());
    for (Index i = 0; i < n(); ++i) {
      for (Index k = 0; k < d(); ++k) out_.kernel[k] += 2 * pbar[i] * slopes_(k, i) * slopes_(k, i);
      worked(touched * static_cast<double>(d()));
    }
    for (Index j = 0; j < t(); ++j)
      for (Index k = 0; k < d(); ++k) out_.kernel[k] -= 2 * along(k, j) * w_(k, j);
  }

  // P_SS
  Matrix block(Span<const Index> rows) const {
    const Index size = std::ssize(rows);
    Matrix out(size, size), column(n(), 1);
    for (Index j = 0; j < size; ++j) {
      maker_->columns(rows[j], {}, column.view());
      for (Index i = 0; i < size; ++i) out(i, j) = column(rows[i], 0);
      out(j, j) = diagonal_[rows[j]];
    }
    return out;
  }

  const Problem& problem_;
  double lambda_;
  std::unique_ptr<ResidualMaker> maker_;
  Matrix slopes_;  // T
  Matrix w_, c_;
  Array<double> diagonal_;
  ScoreGradient out_;
};

}  // namespace

ScoreGradient wide_gradient(const Factorization& factorization, Criterion criterion, const Groups* groups,
                            double lambda) {
  Stage stage(0, 0.4);
  const double score = combined_score(factorization, criterion, groups, lambda);
  stage.next(1);
  WideGradient gradient(factorization, lambda);
  if (criterion == Criterion::loo) gradient.loo();
  if (criterion == Criterion::gcv) gradient.gcv();
  if (criterion == Criterion::reml) gradient.reml();
  if (criterion == Criterion::groups) gradient.groups(*groups);
  return gradient.finish(score);
}

}  // namespace freeridge
