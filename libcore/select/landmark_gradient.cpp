#include "libcore/select/landmark_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/kernel/log_gradient.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lower_triangle.hpp"
#include "libcore/routes/feature_reduction.hpp"
#include "libcore/select/feature_groups.hpp"
#include "libcore/select/feature_loo.hpp"
#include "libcore/select/gradient_parts.hpp"
#include "libcore/select/landmark_contraction.hpp"
#include "libcore/select/point_gradient.hpp"

namespace freeridge {
namespace {

// a = C^-T a C^-1, symmetric; answers with its trace.
double turn_back(const FeatureSystem& system, MatrixView a) {
  trsm(Op::transpose, system.c.view(), a);
  trsm_right(Op::none, system.c.view(), a);
  double trace = 0;
  for (Index k = 0; k < a.cols; ++k) trace += a(k, k);
  return trace;
}

// The sums over all rows that LOO and GROUPS need, made in a first pass.
struct RowSums {
  RowSums(Index p, Index t, Index q)
      : inner(p, p, 0.0), gamma_r(p, t, 0.0), free(p, q, 0.0), free_r(q, t, 0.0), score(t, 0.0) {}
  void add(const RowSums& other) {
    const auto sum = [](Span<double> to, Span<const double> from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    sum(inner.values(), other.inner.values());
    sum(gamma_r.values(), other.gamma_r.values());
    sum(free.values(), other.free.values());
    sum(free_r.values(), other.free_r.values());
    sum(score, other.score);
    worked(3 * touched * static_cast<double>(inner.values().size()));
  }
  double total() const { return sum_of(score); }
  Matrix inner;    // Psi'D Psi, lower triangle
  Matrix gamma_r;  // Psi'rbar
  Matrix free;     // Psi'D q1
  Matrix free_r;   // q1'rbar
  Array<double> score;
};

class LandmarkGradient {
 public:
  LandmarkGradient(const Factorization& factorization, const FeatureSystem& system, double lambda)
      : f_(factorization),
        problem_(f_.problem()),
        system_(system),
        rows_(problem_, system),
        lambda_(lambda),
        p_(rows_.p()),
        t_(problem_.t()),
        q_(problem_.q()) {
    out_.kernel.assign(hyperparameter_count(*problem_.kernel), 0.0);
  }

  ScoreGradient loo() {
    const Array<double> alpha = output_shares(problem_, Criterion::loo);
    Stage stage(0, 0.4);
    const int team = rows_.team();
    Array<RowSums> parts;
    for (int worker = 0; worker < team; ++worker) parts.emplace_back(p_, t_, q_);
    const MendedRows mended =
        each_loo_tile(f_, lambda_, rows_, team, alpha,
                      [&](RowTile& tile, const TileAdjoint& at, int worker) { add_tile(tile, at, parts[worker]); });
    for (std::size_t k = 1; k < parts.size(); ++k) parts[0].add(parts[k]);
    RowSums sums = std::move(parts[0]);
    parts.clear();
    mirror_lower(sums.inner.view());
    stage.next(1);
    out_.score = sums.total();
    finish(sums, [&](RowTile& tile, MatrixView rbar, Span<double> d) {
      mended.put_into(tile);
      TileAdjoint at;
      loo_adjoint(problem_, alpha, tile, at);
      copy(at.rbar.view(), rbar);
      std::ranges::copy(at.dbar, d.begin());
    });
    return std::move(out_);
  }

  ScoreGradient gcv() {
    out_.score = combined_score(f_, Criterion::gcv, nullptr, lambda_);
    const Array<double> alpha = output_shares(problem_, Criterion::gcv);
    const double trace = residual_maker_at(f_, lambda_)->trace(), dbar = -2 * out_.score / trace;
    Array<double> factor;
    for (const double share : alpha) factor.push_back(2 * static_cast<double>(problem_.n()) * share / trace / trace);
    RowSums sums(p_, t_, q_);
    Matrix half = copy_of(system_.half.view());  // Psi'Psi = C^-1 half half' C^-T
    trsm(Op::none, system_.c.view(), half.view());
    syrk(Op::none, dbar, half.view(), 0, sums.inner.view());
    mirror_lower(sums.inner.view());
    const Matrix w = hyperplane();
    copy(w.view(), sums.gamma_r.view());  // Psi'r = lambda C^-1 w
    trsm(Op::none, system_.c.view(), sums.gamma_r.view());
    for (Index j = 0; j < t_; ++j) multiply_by(sums.gamma_r.view().columns(j, 1), lambda_ * factor[j]);
    finish(sums, [&](RowTile& tile, MatrixView rbar, Span<double> d) {
      std::ranges::fill(d, dbar);
      for (Index j = 0; j < t_; ++j)
        for (Index i = 0; i < rbar.rows; ++i) rbar(i, j) = factor[j] * tile.r(i, j);
    });
    return std::move(out_);
  }

  ScoreGradient reml() {
    out_.score = combined_score(f_, Criterion::reml, nullptr, lambda_);
    const double t = static_cast<double>(t_);
    const std::unique_ptr<ResidualMaker> maker = residual_maker_at(f_, lambda_);
    Matrix half = copy_of(system_.half.view()), w = hyperplane(), h(p_, p_);
    for (Index k = 0; k < half.cols(); ++k) divide_by(half.view().columns(k, 1), std::sqrt(system_.weight[k]));
    syrk(Op::none, -t / 2, half.view(), 0, h.view());
    Array<double> factor;
    out_.log_lambda = t * maker->trace() / 2;
    for (Index j = 0; j < t_; ++j) {
      const double form = maker->quadratic_form(j);
      factor.push_back(1 / (lambda_ * problem_.prior_variance(j, lambda_, form)) / 2);
      out_.log_lambda += problem_.reml_slope(j, lambda_, form) - factor[j] * maker->squared_norm(j) -
                         static_cast<double>(problem_.copies_of(j).count) / 2;
      multiply_by(w.view().columns(j, 1), std::sqrt(factor[j] * lambda_));
    }
    syrk(Op::none, 1, w.view(), 1, h.view());
    mirror_lower(h.view());
    add_landmark_pairs(problem_, system_, h.view(), out_.kernel);
    LastPass pass{{}, copy_of(rows_.gamma()), [&](RowTile& tile, MatrixView left, Span<double> d) {
                    std::ranges::fill(d, -t / 2);
                    for (Index j = 0; j < t_; ++j)
                      for (Index i = 0; i < left.rows; ++i) left(i, j) = factor[j] * tile.r(i, j);
                  }};
    run_last_pass(rows_, pass, out_.kernel);
    return std::move(out_);
  }

  ScoreGradient groups(const Groups& groups);

 private:
  // w = C^-T Gamma
  Matrix hyperplane() const {
    Matrix w = copy_of(rows_.gamma());
    trsm(Op::transpose, system_.c.view(), w.view());
    return w;
  }

  // Adds the rows of a tile; psi is destroyed.
  void add_tile(RowTile& tile, const TileAdjoint& at, RowSums& to) const {
    const MatrixView psi = tile.psi.view();
    const Index count = tile.count();
    gemm(Op::transpose, Op::none, 1, psi, at.rbar.view(), 1, to.gamma_r.view());
    Array<double> root(count);
    for (Index i = 0; i < count; ++i) root[i] = std::sqrt(-at.dbar[i]);
    for (Index j = 0; j < t_; ++j) to.score[j] += at.score[j];
    if (q_ > 0) {
      Matrix free = problem_.q1_of(tile.rows);
      gemm(Op::transpose, Op::none, 1, free.view(), at.rbar.view(), 1, to.free_r.view());
      for (Index j = 0; j < q_; ++j)
        for (Index i = 0; i < count; ++i) free(i, j) *= at.dbar[i];
      gemm(Op::transpose, Op::none, 1, psi, free.view(), 1, to.free.view());
    }
    for (Index k = 0; k < p_; ++k) {
      for (Index i = 0; i < count; ++i) psi(i, k) *= root[i];
      worked(touched * static_cast<double>(count));
    }
    syrk(Op::transpose, -1, psi, 1, to.inner.view());
  }

  // From the sums to the gradient; adjoint: rbar and D of a tile.
  template <class Adjoint>
  void finish(RowSums& sums, const Adjoint& adjoint) {
    Matrix e = copy_of(sums.inner.view());
    gemm(Op::none, Op::transpose, 0.5, sums.gamma_r.view(), rows_.gamma(), 1, e.view());
    gemm(Op::none, Op::transpose, 0.5, rows_.gamma(), sums.gamma_r.view(), 1, e.view());
    out_.log_lambda = lambda_ * turn_back(system_, e.view());
    for (double& value : e.values()) value *= lambda_;
    add_landmark_pairs(problem_, system_, e.view(), out_.kernel);
    LastPass pass{std::move(sums.inner), Matrix(p_, 2 * t_ + q_), {}};
    copy(rows_.gamma(), pass.right.view().columns(0, t_));
    copy(sums.gamma_r.view(), pass.right.view().columns(t_, t_));
    copy(sums.free.view(), pass.right.view().columns(2 * t_, q_));
    pass.fill = [&](RowTile& tile, MatrixView left, Span<double> d) {
      const Index count = tile.count();
      const MatrixView rbar = left.columns(0, t_);
      adjoint(tile, rbar, d);
      gemm(Op::none, Op::none, -1, tile.psi.view(), sums.gamma_r.view(), 1, rbar);
      const Matrix free = problem_.q1_of(tile.rows);
      if (q_ > 0) gemm(Op::none, Op::none, -1, free.view(), sums.free_r.view(), 1, rbar);  // P~ rbar
      for (Index j = 0; j < t_; ++j)
        for (Index i = 0; i < count; ++i) {
          rbar(i, j) /= 2;
          left(i, t_ + j) = tile.r(i, j) / 2;
        }
      for (Index j = 0; j < q_; ++j)
        for (Index i = 0; i < count; ++i) left(i, 2 * t_ + j) = -free(i, j);
    };
    run_last_pass(rows_, pass, out_.kernel);
  }

  const Factorization& f_;
  const Problem& problem_;
  const FeatureSystem& system_;
  FeatureRows rows_;
  double lambda_;
  Index p_, t_, q_;
  ScoreGradient out_;
};

// The block Z_g of Z of a group has rank 2 t. It adds -2 W^(1/2) Z_g Psi_g (L C)^-1 to the group's rows of K-bar when
// the group is made.
ScoreGradient LandmarkGradient::groups(const Groups& groups) {
  const Array<double> alpha = output_shares(problem_, Criterion::groups), beta = group_shares(problem_, groups);
  RowSums sums(p_, t_, q_);
  Matrix rbar(problem_.n(), t_, 0.0);
  LandmarkContraction contraction(rows_, 1);
  LeftOutGroup out;
  Stage stage(0, 0.7);
  for (std::size_t g = 0; g < beta.size(); ++g) {
    const Group& group = groups.all()[g];
    leave_out(rows_, group, lambda_, out);
    const Index size = out.tile.count();
    const Matrix free = problem_.q1_of(out.tile.rows);
    Array<double> along_e(q_), along_v(q_);
    Matrix scaled = copy_of(out.nu.view()), left(size, 2 * t_), right(2 * t_, p_), block(size, p_);
    for (Index j = 0; j < t_; ++j) {
      const double share = alpha[j] * beta[g];
      sums.score[j] += share * dot(group.scored, out.e.col(j), out.e.col(j));
      for (Index i = 0; i < size; ++i) {
        rbar(out.tile.rows[i], j) += 2 * share * out.v(i, j);
        left(i, j) = -share * out.v(i, j);
        left(i, t_ + j) = -share * out.e(i, j);
      }
      for (Index c = 0; c < q_; ++c) {
        along_e[c] = dot(size, free.col(c), out.e.col(j));
        along_v[c] = dot(size, free.col(c), out.v.col(j));
        sums.free_r(c, j) += 2 * share * along_v[c];
      }
      for (Index k = 0; k < p_; ++k) {
        right(j, k) = out.epsilon(k, j);
        right(t_ + j, k) = out.nu(k, j);
        sums.gamma_r(k, j) += 2 * share * out.nu(k, j);
        for (Index c = 0; c < q_; ++c)
          sums.free(k, c) -= share * (along_v[c] * out.epsilon(k, j) + along_e[c] * out.nu(k, j));
        scaled(k, j) *= -share;
      }
    }
    syr2k(1, scaled.view(), out.epsilon.view(), 1, sums.inner.view());
    rows_.solve_back(right.view());
    gemm(Op::none, Op::none, 1, left.view(), right.view(), 0, block.view());
    contraction.add_solved(out.tile, block.view(), 0);
    report(fraction(g + 1, beta.size()));
  }
  stage.next(1);
  mirror_lower(sums.inner.view());
  out_.score = sums.total();
  contraction.add_to(out_.kernel);
  finish(sums,
         [&](RowTile& tile, MatrixView to, Span<double>) { copy(picked_rows(rbar.view(), tile.rows).view(), to); });
  return std::move(out_);
}

// By all pairs of points: K-bar_TR = 2 W^(1/2) S F L^-1, K-bar_RR = -L^-T F'S F L^-1, F = W^(1/2) Phi.
ScoreGradient by_pairs(const Factorization& factorization, const FeatureSystem& system, Criterion criterion,
                       const Groups* groups, double lambda) {
  const Problem& problem = factorization.problem();
  const Index n = problem.n(), p = system.l.rows();
  PointGradient at = point_gradient(factorization, criterion, groups, lambda);
  ScoreGradient out{at.score, at.log_lambda, Array<double>(hyperparameter_count(*problem.kernel), 0.0)};
  if (out.kernel.empty()) return out;
  Matrix phi(n, p), sphi(n, p), h(p, p), points(n, problem.d());
  copy_rows(problem.x, 0, points.view());
  const Support support(problem.kernel, problem.basis, system.kept);
  support.evaluate(problem.x, 0, phi.view());
  problem.weight_rows(phi.view());
  trsm_right(Op::transpose, system.l.view(), phi.view());
  gemm(Op::none, Op::none, 1, at.s.view(), phi.view(), 0, sphi.view());
  gemm(Op::transpose, Op::none, -1, phi.view(), sphi.view(), 0, h.view());
  add_landmark_pairs(problem, system, h.view(), out.kernel);
  trsm_right(Op::none, system.l.view(), sphi.view());
  problem.weight_rows(sphi.view());
  for (double& value : sphi.values()) value *= 2;
  add_log_gradient(*problem.kernel, points.view(), landmark_points(problem, system).view(), sphi.view(), out.kernel);
  return out;
}

}  // namespace

ScoreGradient landmark_gradient(const Factorization& factorization, Criterion criterion, const Groups* groups,
                                double lambda) {
  require_differentiable(criterion);
  require_not_of_labels(criterion);
  Stage stage(0, 0.05);
  const std::optional<FeatureSystem> system = factorization.feature_system(lambda);
  if (!system) fail(Status::internal, "the route of these derivatives is LANDMARK");
  stage.next(1);
  ScoreGradient out = [&] {
    if (!system->complement) return by_pairs(factorization, *system, criterion, groups, lambda);
    LandmarkGradient gradient(factorization, *system, lambda);
    return gradient_by(gradient, criterion, groups);
  }();
  require_finite(out, *factorization.problem().kernel);
  report(1);
  return out;
}

Index landmark_gradient_bytes(const Kernel& kernel, Index n, Index d, Index t, Index q, Index landmarks, Index rows) {
  const Index p = landmarks, workers = reduction_workers(n, p + t);
  const Index tile = checked_doubles(std::min(tile_rows(p), n), 2 * p + d + 5 * t + 3 * q + 3 + divided_columns);
  Index doubles = checked_doubles(8 + workers, checked_doubles(p, p + t + q + 3 + divided_columns)) +
                  checked_doubles(workers, tile) + checked_doubles(3, checked_doubles(p, d));
  if (rows > 0)
    doubles += leave_out_doubles(rows, p + q, d, t) + checked_doubles(rows, p + 2 * t + 2 * q) + checked_doubles(n, t);
  if (n <= p + q) doubles += checked_doubles(4, checked_doubles(n, n)) + checked_doubles(n, 2 * p + d);
  return checked_doubles(doubles, 1) * 8 + log_gradient_bytes(kernel, d);
}

}  // namespace freeridge
