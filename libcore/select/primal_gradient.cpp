#include "libcore/select/primal_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/kernel/log_gradient.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/routes/feature_reduction.hpp"
#include "libcore/select/feature_groups.hpp"
#include "libcore/select/feature_loo.hpp"
#include "libcore/select/gradient_parts.hpp"
#include "libcore/select/wide_gradient.hpp"

namespace freeridge {
namespace {

Array<double> squared_row_norms(ConstMatrixView a) {
  Array<double> out(a.rows, 0.0);
  for (Index j = 0; j < a.cols; ++j) {
    for (Index i = 0; i < a.rows; ++i) out[i] += a(i, j) * a(i, j);
    worked(touched * static_cast<double>(a.rows));
  }
  return out;
}

class PrimalGradient {
 public:
  PrimalGradient(const Factorization& factorization, const FeatureSystem& system, double lambda)
      : f_(factorization), problem_(f_.problem()), system_(system), rows_(problem_, system), lambda_(lambda) {
    w_ = turned_back(copy_of(rows_.gamma()));
    out_.kernel.assign(d(), 0.0);
  }

  ScoreGradient loo() {
    const Array<double> alpha = output_shares(problem_, Criterion::loo);
    struct Part {
      Matrix g;  // Psi'rbar
      Array<double> squares;
      double score = 0;
    };
    const int team = rows_.team();
    Array<Part> parts;
    for (int worker = 0; worker < team; ++worker) parts.push_back({Matrix(d(), t(), 0.0), Array<double>(d(), 0.0), 0});
    each_loo_tile(f_, lambda_, rows_, team, alpha, [&](RowTile& tile, const TileAdjoint& at, int worker) {
      Part& part = parts[worker];
      const MatrixView u = tile.psi.view();
      gemm(Op::transpose, Op::none, 1, u, at.rbar.view(), 1, part.g.view());
      rows_.solve_back(u);
      for (Index k = 0; k < d(); ++k) {
        double sum = 0;
        for (Index i = 0; i < u.rows; ++i) sum += at.dbar[i] * u(i, k) * u(i, k);
        part.squares[k] += sum;
        worked(touched * static_cast<double>(u.rows));
      }
      for (const double score : at.score) part.score += score;
    });
    for (Part& part : parts) {
      out_.score += part.score;
      add_products(turned_back(std::move(part.g)).view());
      for (Index k = 0; k < d(); ++k) out_.kernel[k] += part.squares[k];
    }
    return finished();
  }

  ScoreGradient gcv() {
    out_.score = combined_score(f_, Criterion::gcv, nullptr, lambda_);
    const Array<double> alpha = output_shares(problem_, Criterion::gcv);
    const double trace = residual_maker_at(f_, lambda_)->trace(), dbar = -2 * out_.score / trace;
    Matrix g = copy_of(w_.view());
    trsm(Op::none, system_.c.view(), g.view());
    g = turned_back(std::move(g));
    for (Index j = 0; j < t(); ++j)
      for (Index k = 0; k < d(); ++k)
        g(k, j) *= 2 * static_cast<double>(problem_.n()) * alpha[j] * lambda_ / trace / trace;
    add_products(g.view());
    const Array<double> squares =
        by_half() ? squared_row_norms(normal_solved(copy_of(system_.half.view())).view()) : inverse_less_its_square();
    for (Index k = 0; k < d(); ++k) out_.kernel[k] += dbar * squares[k];
    return finished();
  }

  ScoreGradient groups(const Groups& groups) {
    const Array<double> alpha = output_shares(problem_, Criterion::groups), beta = group_shares(problem_, groups);
    LeftOutGroup left_out;
    Stage stage(0, 0);
    for (std::size_t g = 0; g < beta.size(); ++g) {
      stage.next(fraction(g + 1, beta.size()));
      leave_out(rows_, groups.all()[g], lambda_, left_out);
      const Matrix epsilon = turned_back(std::move(left_out.epsilon)), nu = turned_back(std::move(left_out.nu));
      for (Index j = 0; j < t(); ++j) {
        const double share = alpha[j] * beta[g];
        out_.score += share * dot(groups.all()[g].scored, left_out.e.col(j), left_out.e.col(j));
        for (Index k = 0; k < d(); ++k) out_.kernel[k] += 2 * share * nu(k, j) * (w_(k, j) - epsilon(k, j));
      }
      report(1);
    }
    return finished();
  }

  ScoreGradient reml() {
    out_.score = combined_score(f_, Criterion::reml, nullptr, lambda_);
    const std::unique_ptr<ResidualMaker> maker = residual_maker_at(f_, lambda_);
    Array<double> explained(d());
    if (by_half()) {
      Matrix half = copy_of(system_.half.view());
      for (Index k = 0; k < half.cols(); ++k) divide_by(half.view().columns(k, 1), std::sqrt(system_.weight[k]));
      explained = squared_row_norms(half.view());
    } else {
      const Matrix inverse = inverse_normal();
      for (Index k = 0; k < d(); ++k) explained[k] = 1 - lambda_ * inverse(k, k);
    }
    for (Index k = 0; k < d(); ++k) out_.kernel[k] = static_cast<double>(t()) * explained[k];
    for (Index j = 0; j < t(); ++j) {
      const double factor = 1 / problem_.prior_variance(j, lambda_, maker->quadratic_form(j));
      for (Index k = 0; k < d(); ++k) out_.kernel[k] -= factor * w_(k, j) * w_(k, j);
    }
    set_log_lambda();
    for (Index j = 0; j < t(); ++j) out_.log_lambda -= static_cast<double>(problem_.copies_of(j).count) / 2;
    return std::move(out_);
  }

 private:
  Index d() const { return rows_.p(); }
  Index t() const { return problem_.t(); }
  bool by_half() const { return system_.half.rows() > 0; }

  // C^-T a
  Matrix turned_back(Matrix a) const {
    trsm(Op::transpose, system_.c.view(), a.view());
    return a;
  }
  // N^-1 a
  Matrix normal_solved(Matrix a) const {
    trsm(Op::none, system_.c.view(), a.view());
    return turned_back(std::move(a));
  }
  Matrix inverse_normal() const {
    Matrix out(d(), d(), 0.0);
    for (Index k = 0; k < d(); ++k) out(k, k) = 1;
    return normal_solved(std::move(out));
  }
  // diag N^-1 (N - lambda I) N^-1
  Array<double> inverse_less_its_square() const {
    const Matrix inverse = inverse_normal();
    Array<double> out = squared_row_norms(inverse.view());
    for (Index k = 0; k < d(); ++k) out[k] = inverse(k, k) - lambda_ * out[k];
    return out;
  }

  void add_products(ConstMatrixView g) {
    for (Index j = 0; j < t(); ++j)
      for (Index k = 0; k < d(); ++k) out_.kernel[k] += w_(k, j) * g(k, j);
  }
  void set_log_lambda() {
    for (const double value : out_.kernel) out_.log_lambda -= value / 2;
  }
  ScoreGradient finished() {
    for (double& value : out_.kernel) value *= -2 * lambda_;
    set_log_lambda();
    return std::move(out_);
  }

  const Factorization& f_;
  const Problem& problem_;
  const FeatureSystem& system_;
  FeatureRows rows_;
  double lambda_;
  Matrix w_;
  ScoreGradient out_;
};

}  // namespace

ScoreGradient column_gradient(const Factorization& factorization, Criterion criterion, const Groups* groups,
                              double lambda) {
  require_differentiable(criterion);
  require_not_of_labels(criterion);
  Stage stage(0, 0.1);
  const std::optional<FeatureSystem> system = factorization.feature_system(lambda);
  stage.next(1);
  ScoreGradient out = [&] {
    if (!system || !system->complement) return wide_gradient(factorization, criterion, groups, lambda);
    PrimalGradient gradient(factorization, *system, lambda);
    return gradient_by(gradient, criterion, groups);
  }();
  report(1);
  return out;
}

ScoreGradient primal_gradient(const Factorization& factorization, const Kernel& kernel, Index d, Criterion criterion,
                              const Groups* groups, double lambda) {
  const Problem& problem = factorization.problem();
  ScoreGradient out = column_gradient(factorization, criterion, groups, lambda);
  Matrix v(1, d), ones(1, d, 1.0), s(1, 1, 1.0);
  for (Index k = 0; k < d; ++k) {
    const double scale = (*problem.linear_scale)[k];
    v(0, k) = out.kernel[k] * scale / 2 * scale;
  }
  out.kernel.assign(hyperparameter_count(kernel), 0.0);
  add_log_gradient(kernel, v.view(), ones.view(), s.view(), out.kernel);
  require_finite(out, kernel);
  return out;
}

Index primal_gradient_bytes(Index n, Index d, Index t, Index rows) {
  if (n <= d + 1)
    return checked_doubles(1, checked_doubles(rows, rows + 2 * t) + checked_doubles(d, 3 * n + rows + 4 * t) +
                                  checked_doubles(n, 4 * t + 6)) *
           8;
  const Index workers = reduction_workers(n, d + t);
  Index doubles = checked_doubles(6, checked_doubles(d, d + t + divided_columns)) +
                  checked_doubles(workers, checked_doubles(std::min(tile_rows(d), n), d + 4 * t + 4 + divided_columns));
  if (rows > 0) doubles += leave_out_doubles(rows, d, d, t);
  return checked_doubles(doubles, 1) * 8;
}

}  // namespace freeridge
