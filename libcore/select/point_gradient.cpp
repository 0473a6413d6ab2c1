#include "libcore/select/point_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/factor/left_out_rows.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lower_triangle.hpp"
#include "libcore/select/gradient_parts.hpp"

namespace freeridge {
namespace {

constexpr Index columns_at_once = 64;

// P, c and p.
struct AllPairs {
  Matrix p, c;
  Array<double> diagonal;
};

AllPairs all_pairs(const Factorization& factorization, double lambda) {
  const Problem& problem = factorization.problem();
  const Index n = problem.n();
  const std::unique_ptr<ResidualMaker> maker = residual_maker_at(factorization, lambda);
  AllPairs out{Matrix(n, n), Matrix(n, problem.t()), Array<double>(n)};
  for (Index col = 0; col < n; col += columns_at_once)
    maker->columns(col, {}, out.p.view().columns(col, std::min(columns_at_once, n - col)));
  maker->residual_and_diagonal(0, out.c.view(), out.diagonal);
  double trace = 0;
  for (Index i = 0; i < n; ++i) trace += out.p(i, i);
  const double scale = maker->trace() / trace;  // P~ = scale P
  for (double& value : out.c.values()) value /= scale;
  for (double& value : out.diagonal) value /= scale;
  return out;
}

// S = -sym(P cbar c') - P diag(pbar) P, pbar <= 0; lower triangle.
void add_means(const AllPairs& at, ConstMatrixView cbar, Span<const double> pbar, MatrixView s) {
  Matrix scaled = copy_of(at.p.view()), v(cbar.rows, cbar.cols);
  for (Index j = 0; j < scaled.cols(); ++j) {
    const double root = std::sqrt(-pbar[j]);
    for (Index i = 0; i < scaled.rows(); ++i) scaled(i, j) *= root;
    worked(touched * static_cast<double>(scaled.rows()));
  }
  syrk(Op::none, 1, scaled.view(), 0, s);
  gemm(Op::none, Op::none, 1, at.p.view(), cbar, 0, v.view());
  syr2k(-0.5, v.view(), at.c.view(), 1, s);
}

void add_loo(const Problem& problem, const AllPairs& at, MatrixView s) {
  const Array<double> alpha = output_shares(problem, Criterion::loo);
  Matrix cbar(problem.n(), problem.t());
  Array<double> pbar(problem.n(), 0.0);
  for (Index j = 0; j < cbar.cols(); ++j)
    for (Index i = 0; i < cbar.rows(); ++i) {
      const double p = at.diagonal[i], e = at.c(i, j) / p;
      cbar(i, j) = 2 * alpha[j] * e / p / problem.sum_w;
      pbar[i] -= cbar(i, j) * e;
    }
  add_means(at, cbar.view(), pbar, s);
}

void add_gcv(const Problem& problem, const AllPairs& at, MatrixView s) {
  const Array<double> alpha = output_shares(problem, Criterion::gcv);
  const double trace = sum_of(at.diagonal);
  double score = 0;
  Matrix cbar(problem.n(), problem.t());
  for (Index j = 0; j < cbar.cols(); ++j) {
    const double factor = static_cast<double>(problem.n()) * alpha[j] / trace / trace;
    for (Index i = 0; i < cbar.rows(); ++i) cbar(i, j) = 2 * factor * at.c(i, j);
    score += factor * dot(problem.n(), at.c.col(j), at.c.col(j));
  }
  add_means(at, cbar.view(), Array<double>(problem.n(), -2 * score / trace), s);
}

// Answers with the derivative by log lambda beside that of M.
double add_reml(const Problem& problem, const AllPairs& at, double lambda, MatrixView s) {
  double slope = 0;
  const double half_t = static_cast<double>(problem.t()) / 2;
  for (Index j = 0; j < s.cols; ++j)
    for (Index i = j; i < s.rows; ++i) s(i, j) = half_t * at.p(i, j);
  Matrix scaled = copy_of(at.c.view());
  for (Index j = 0; j < scaled.cols(); ++j) {
    const double form = dot(problem.n(), problem.y_tilde.col(j), at.c.col(j));
    slope += problem.reml_slope(j, lambda, form) - static_cast<double>(problem.copies_of(j).count) / 2;
    const double s2 = problem.prior_variance(j, lambda, form);
    for (Index i = 0; i < scaled.rows(); ++i) scaled(i, j) *= std::sqrt(1 / s2 / 2);
  }
  syrk(Op::none, -1, scaled.view(), 1, s);
  return slope;
}

void add_group(const AllPairs& at, const Group& group, Span<const double> alpha, double beta, MatrixView s) {
  const Index n = s.rows, size = std::ssize(group.rows), t = at.c.cols();
  Matrix own(size, size), columns(n, size), e(size, t), v(size, t), a(n, t), b = copy_of(at.c.view());
  for (Index k = 0; k < size; ++k) {
    std::copy_n(at.p.col(group.rows[k]), n, columns.col(k));
    for (Index i = 0; i < size; ++i) own(i, k) = columns(group.rows[i], k);
    own(k, k) = at.diagonal[group.rows[k]];
    for (Index j = 0; j < t; ++j) e(k, j) = at.c(group.rows[k], j);
    worked(2 * touched * static_cast<double>(n));
  }
  const LeftOutFactor system(own.view());
  if (!system.regular()) fail_no_value(no_group_error(group));
  system.solve(e.view());
  copy(e.view(), v.view());
  clear_gap(group, v.view());
  system.solve(v.view());
  for (Index j = 0; j < t; ++j)
    for (Index i = 0; i < size; ++i) v(i, j) *= 2 * alpha[j] * beta;
  gemm(Op::none, Op::none, 1, columns.view(), v.view(), 0, a.view());
  gemm(Op::none, Op::none, 1, columns.view(), e.view(), -1, b.view());
  syr2k(0.5, a.view(), b.view(), 1, s);
}

void add_groups(const Problem& problem, const AllPairs& at, const Groups& groups, MatrixView s) {
  const Array<double> alpha = output_shares(problem, Criterion::groups), beta = group_shares(problem, groups);
  for (std::size_t g = 0; g < beta.size(); ++g) {
    add_group(at, groups.all()[g], alpha, beta[g], s);
    report(fraction(g + 1, beta.size()));
  }
}

}  // namespace

PointGradient point_gradient(const Factorization& factorization, Criterion criterion, const Groups* groups,
                             double lambda) {
  const Problem& problem = factorization.problem();
  Stage stage(0, 0.1);
  PointGradient out{combined_score(factorization, criterion, groups, lambda), 0, Matrix(problem.n(), problem.n(), 0.0)};
  stage.next(0.4);
  const AllPairs at = all_pairs(factorization, lambda);
  stage.next(1);
  const MatrixView s = out.s.view();
  if (criterion == Criterion::loo) add_loo(problem, at, s);
  if (criterion == Criterion::gcv) add_gcv(problem, at, s);
  if (criterion == Criterion::reml) out.log_lambda = add_reml(problem, at, lambda, s);
  if (criterion == Criterion::groups) add_groups(problem, at, *groups, s);
  mirror_lower(s);
  for (Index i = 0; i < problem.n(); ++i) out.log_lambda += lambda * s(i, i);
  return out;
}

}  // namespace freeridge
