#include "libcore/select/score_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/kernel/log_gradient.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/lower_triangle.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/linalg/work_done.hpp"
#include "libcore/select/bandwidth.hpp"
#include "libcore/select/group_gradient.hpp"
#include "libcore/select/log_loss.hpp"
#include "libcore/select/residual_matrix.hpp"

namespace freeridge {
namespace {

// The computation of one gradient. P~ and c~ = P~Y~ stand in the place of P and c, so that it makes S~ = s S in the
// notation of the header.
class DualGradient {
 public:
  DualGradient(const Problem& problem, Criterion criterion, double lambda)
      : problem_(problem),
        criterion_(criterion),
        lambda_(lambda),
        p_(problem, lambda),
        divisors_(score_divisors(problem, criterion)),
        scores_(problem.t()) {
    out_.kernel.assign(hyperparameter_count(*problem.kernel), 0.0);
  }

  ScoreGradient loo() {
    const Index n = problem_.n(), t = problem_.t();
    Matrix u(n, t);
    Array<double> d(n, 0.0);
    for (Index i = 0; i < n; ++i) {
      const double p = p_.p(i, i);
      if (!(p > 0)) fail(Status::undefined, no_left_out_error(i), " (lambda = ", lambda_, ")");
      double squares = 0;
      for (Index j = 0; j < t; ++j) {
        const double e = p_.c(i, j) / p;  // W_ii^(1/2) times the left-out error
        scores_[j] += e * e;
        squares += e * e / divisors_[j];
        u(i, j) = 2 * e / p / problem_.sum_w / divisors_[j];
      }
      d[i] = -2 * squares / p / problem_.sum_w;
    }
    for (double& score : scores_) score /= problem_.sum_w;
    return contract_square(u, d);
  }

  ScoreGradient gcv() {
    const Index n = problem_.n(), t = problem_.t();
    double trace = 0;
    for (Index i = 0; i < n; ++i) trace += p_.p(i, i);
    Matrix u(n, t);
    for (Index j = 0; j < t; ++j) {
      scores_[j] = freeridge::gcv(n, dot(n, p_.c.col(j), p_.c.col(j)), trace);
      for (Index i = 0; i < n; ++i) u(i, j) = 2 * (static_cast<double>(n) / trace) * p_.c(i, j) / trace / divisors_[j];
    }
    set_score();
    return contract_square(u, Array<double>(n, -2 * out_.score / trace));
  }

  ScoreGradient log_loss() {
    const Index n = problem_.n(), t = problem_.t();
    Matrix u(n, t);
    Array<double> d(n, 0.0), f(n), y(n), weights(n);
    for (Index i = 0; i < n; ++i) weights[i] = problem_.weight(i);
    for (Index j = 0; j < t; ++j) {
      for (Index i = 0; i < n; ++i) {
        if (!(p_.p(i, i) > 0)) fail(Status::undefined, no_left_out_error(i), " (lambda = ", lambda_, ")");
        y[i] = problem_.y(i, j);
        f[i] = y[i] - p_.c(i, j) / p_.p(i, i) / problem_.sqrt_w[i];
      }
      const LogLoss found = freeridge::log_loss(f, y, weights);
      scores_[j] = found.score;
      for (Index i = 0; i < n; ++i) {
        u(i, j) = -found.slope[i] / problem_.sqrt_w[i] / p_.p(i, i);
        d[i] -= u(i, j) * (p_.c(i, j) / p_.p(i, i));
      }
    }
    return contract_square(u, d);
  }

  ScoreGradient reml() {
    const Index n = problem_.n(), t = problem_.t();
    Matrix right(n, t);
    for (Index j = 0; j < t; ++j) {
      scores_[j] = freeridge::reml(problem_, j, lambda_, p_.quadratic_form[j], p_.log_determinant);
      out_.log_lambda +=
          problem_.reml_slope(j, lambda_, p_.quadratic_form[j]) - static_cast<double>(problem_.copies_of(j).count) / 2;
      const double factor = 1 / (2 * problem_.prior_variance(j, lambda_, p_.quadratic_form[j])) / p_.s;
      for (Index i = 0; i < n; ++i) right(i, j) = factor * p_.c(i, j);
    }
    set_score();
    const double half = static_cast<double>(t) / 2;
    contract(p_.c.view(), right.view(), [&](Index row, Index col, MatrixView tile) {
      for (Index j = 0; j < tile.cols; ++j) {
        const Index begin = row == col ? j : 0;
        for (Index i = begin; i < tile.rows; ++i) tile(i, j) = -half * p_.p(row + i, col + j);
        for (Index i = begin; i < tile.rows && row == col; ++i) tile(j, i) = tile(i, j);
      }
    });
    return finish();
  }

  ScoreGradient groups(const Groups& groups) {
    mirror_lower(p_.p.view());
    GroupGradient parts(problem_, p_, groups, divisors_, lambda_);
    for (Index j = 0; j < problem_.t(); ++j) scores_[j] = parts.score(j);
    set_score();
    while (parts.next_panel())
      contract(parts.left(), parts.right(), [](Index, Index, MatrixView tile) {
        for (Index j = 0; j < tile.cols; ++j) std::fill_n(tile.col(j), tile.rows, 0.0);
      });
    return finish();
  }

 private:
  void set_score() {
    require_scores(scores_, lambda_);
    out_.score = combined_score(problem_, criterion_, scores_);
    require_scores({&out_.score, 1}, lambda_);
  }

  // S~ = sym(P~ u c~') + B sign(d) B', B = P~ |diag(d)|^(1/2) in the place of P~.
  ScoreGradient contract_square(const Matrix& u, const Array<double>& d) {
    set_score();
    Matrix v(u.rows(), u.cols());
    symm(p_.p.view(), u.view(), v.view());
    Array<double> root(d.size());
    for (std::size_t i = 0; i < d.size(); ++i) root[i] = std::sqrt(std::abs(d[i]));
    p_.fill_upper_and_scale(root);
    const bool one_sign = std::ranges::none_of(d, [](double each) { return each > 0; });
    contract(v.view(), p_.c.view(), [&](Index row, Index col, MatrixView tile) {
      const ConstMatrixView b = p_.p.view();
      if (one_sign && row != col)
        return gemm(Op::none, Op::transpose, -1, b.row_range(row, tile.rows), b.row_range(col, tile.cols), 0, tile);
      if (one_sign) {
        syrk(Op::none, -1, b.row_range(row, tile.rows), 0, tile);
        for (Index j = 0; j < tile.cols; ++j)
          for (Index i = 0; i < j; ++i) tile(i, j) = tile(j, i);
        return;
      }
      Matrix with_sign = copy_of(b.row_range(row, tile.rows));
      for (Index k = 0; k < with_sign.cols(); ++k)
        for (Index i = 0; i < tile.rows && d[k] < 0; ++i) with_sign(i, k) = -with_sign(i, k);
      gemm(Op::none, Op::transpose, 1, with_sign.view(), b.row_range(col, tile.cols), 0, tile);
    });
    return finish();
  }

  // Adds -<S~, dG> for S~ = first + sym(left right'), first: what `fill` puts into a tile.
  void contract(ConstMatrixView left, ConstMatrixView right, const FillTile& fill) {
    const Index n = problem_.n(), tiles = pieces(n, log_gradient_tile);
    Array<double> trace(tiles, 0.0);
    const auto tile_of_s = [&](Index row, Index col, MatrixView tile) {
      fill(row, col, tile);
      const auto add = [&](ConstMatrixView a, ConstMatrixView b) {
        gemm(Op::none, Op::transpose, 0.5, a.row_range(row, tile.rows), b.row_range(col, tile.cols), 1, tile);
      };
      add(left, right);
      add(right, left);
      for (Index i = 0; i < tile.rows && row == col; ++i) trace[row / log_gradient_tile] += tile(i, i);
    };
    if (out_.kernel.empty()) {
      parallel_for(tiles, [&](Index k) {
        const Index row = k * log_gradient_tile, rows = std::min(log_gradient_tile, n - row);
        Matrix tile(rows, rows);
        tile_of_s(row, row, tile.view());
      });
    } else {
      const Array<double> by_kernel =
          log_gradient(*problem_.kernel, problem_.x, problem_.shift, problem_.sqrt_w, tile_of_s);
      for (std::size_t i = 0; i < out_.kernel.size(); ++i) out_.kernel[i] -= by_kernel[i] / p_.s;
    }
    for (const double part : trace) out_.log_lambda -= lambda_ / p_.s * part;
  }

  ScoreGradient finish() {
    require_finite(out_, *problem_.kernel);
    return std::move(out_);
  }

  const Problem& problem_;
  Criterion criterion_;
  double lambda_;
  ResidualMatrix p_;
  Array<double> divisors_, scores_;
  ScoreGradient out_;
};

}  // namespace

void require_differentiable(Criterion criterion) {
  if (criterion == Criterion::error_rate)
    fail(Status::invalid_argument, "criterion is ", name_of(criterion),
         ", which counts points and has no derivative; use LOO, GROUPS, REML or GCV");
}

void require_not_of_labels(Criterion criterion) {
  if (is_of_labels(criterion))
    fail(Status::invalid_argument, "criterion is ", name_of(criterion),
         ", whose derivatives take all pairs of points: it goes without landmarks");
}

void require_scores(Span<const double> scores, double lambda) {
  for (std::size_t j = 0; j < scores.size(); ++j)
    if (!std::isfinite(scores[j]))
      fail(Status::undefined, "the criterion of output ", j, " has no value (lambda = ", lambda, ")");
}

void add(ScoreGradient& sum, const ScoreGradient& part, double share) {
  sum.score += share * part.score;
  sum.log_lambda += share * part.log_lambda;
  sum.kernel.resize(part.kernel.size(), 0.0);
  for (std::size_t k = 0; k < sum.kernel.size(); ++k) sum.kernel[k] += share * part.kernel[k];
}

void require_finite(const ScoreGradient& gradient, const Kernel& kernel) {
  if (!std::isfinite(gradient.score)) fail(Status::not_finite, "the score overflows; rescale y or x");
  if (!std::isfinite(gradient.log_lambda))
    fail(Status::not_finite, "the derivative by log lambda overflows; rescale y or x");
  require_finite_gradient(kernel, gradient.kernel);
}

ScoreGradient score_gradient(const Problem& problem, Criterion criterion, const Groups* groups, double lambda) {
  require_differentiable(criterion);
  const bool square = is_mean(criterion) ? criterion != Criterion::groups : criterion == Criterion::gcv;
  const double n = static_cast<double>(problem.n());
  const Stage stage(0, 1, flop() * cube(problem.n()) * (square ? 2.0 : 1.0) + 4 * touched * n * n);
  DualGradient gradient(problem, criterion, lambda);
  return criterion == Criterion::log_loss ? gradient.log_loss() : gradient_by(gradient, criterion, groups);
}

double reml_score(const Problem& problem, double lambda) {
  const double n = static_cast<double>(problem.n());
  const Stage stage(0, 1, flop() * cube(problem.n()) / 3 + touched * n * n);
  const ResidualMatrix residual(problem, lambda, false);
  Array<double> scores;
  for (Index j = 0; j < problem.t(); ++j)
    scores.push_back(reml(problem, j, lambda, residual.quadratic_form[j], residual.log_determinant));
  require_scores(scores, lambda);
  return combined_score(problem, Criterion::reml, scores);
}

Index score_gradient_bytes(const Kernel& kernel, Index n, Index d, Index t, Criterion criterion, const Groups* groups) {
  const Index tiles = criterion == Criterion::log_loss ? Index{thread_count()} * log_gradient_tile : 0;  // of rows
  const Index columns = checked_doubles(n, 12 + 4 * t + tiles);
  const Index room = groups != nullptr ? group_gradient_doubles(n, t, *groups) : 0;
  return checked_doubles(checked_doubles(n, n) + columns + room +
                             4 * Index{thread_count()} * log_gradient_tile * (log_gradient_tile + d),
                         1) *
             8 +
         log_gradient_bytes(kernel, d);
}

}  // namespace freeridge
