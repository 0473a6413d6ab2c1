#include "mpi/dense.hpp"

#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/model/prediction.hpp"
#include "mpi/wall.hpp"

namespace freeridge::mpi {
namespace {

constexpr double most_span = 0x1p27;        // of the weights: the reflection mixes all rows
constexpr Index few_lambdas = 8;            // for so many a factor each is cheaper than eigenvectors
constexpr Index most_numbers = 2147483647;  // of a rank's blocks: ScaLAPACK counts in 32 bits

Matrix copied(const LayoutView& from) {
  Matrix to(from.rows, from.cols);
  copy_rows(from, 0, to.view());
  return to;
}

}  // namespace

void Dense::deal(Team&& team) {
  team_ = std::move(team);
  grid_.emplace(team_);
  team_.together([&] {
    require_share();
    dealing_.emplace(*grid_, problem_->n());
  });
}

void Dense::take(KernelPtr kernel, const LayoutView& x, const LayoutView& y, const double* weights, bool intercept,
                 Alike& alike) {
  if (kernel->precomputed()) fail(Status::invalid_argument, "kernel is precomputed: K is made here, by a function");
  kernel->check_features(x.cols);
  if (intercept && x.rows < 2)
    fail(Status::invalid_argument, "n is ", x.rows, "; with an intercept it must be at least 2");
  require_finite("x", x);
  require_finite("y", y);
  require_weights(weights, x.rows);
  x_ = copied(x);
  y_ = copied(y);
  if (weights != nullptr) weights_.assign(weights, weights + x.rows);
  if (const double span = weight_span(weights_); span > most_span)
    fail(Status::not_positive_definite, "the weights differ by a factor of ", span,
         ", and rows of low weight are rounding beside those of high weight; one process's CHOLESKY keeps them apart");
  problem_.emplace(std::move(kernel), Rows(layout_view(x_)), layout_view(y_), weights_, intercept);
  alike.number("n", problem_->n());
  alike.number("d", problem_->d());
  alike.number("t", problem_->t());
  alike.number("intercept", std::int64_t{problem_->intercept});
  alike.text("kernel", describe(*problem_->kernel));
  alike.numbers("x", x_.values());
  alike.numbers("y", y_.values());
  alike.numbers("weights", weights_);
}

// The first place of the grid has the largest share of the blocks.
void Dense::require_share() const {
  const Index n = problem_->n();
  const auto most = [&](Index places) { return n / places + 64; };
  if (most(grid_->rows) > most_numbers / most(grid_->cols))
    fail(Status::invalid_argument, "n is ", n, ": a share of K on a grid of ", grid_->rows, " x ", grid_->cols,
         " ranks has more than ", most_numbers, " numbers, and ScaLAPACK counts in 32 bits; take more ranks");
}

Index Dense::bytes(freeridge_mpi_engine engine) const {
  const Index d = problem_->d(), t = problem_->t();
  if (engine == FREERIDGE_MPI_ENGINE_CHOLESKY) return 8 * numbers_of_cholesky(*dealing_, d, t);
  if (engine == FREERIDGE_MPI_ENGINE_AUTO)
    return bytes(has_elpa() ? FREERIDGE_MPI_ENGINE_ELPA : FREERIDGE_MPI_ENGINE_PDSYEVD);
  return 8 * numbers_of_eigenvectors(*dealing_, d, t, engine == FREERIDGE_MPI_ENGINE_ELPA);
}

DenseFactor& Dense::factor() const {
  if (factor_ == nullptr)
    fail(Status::invalid_state, "the problem is not factorized; call freeridge_mpi_dense_factorize first");
  return *factor_;
}

void Dense::factorize(freeridge_mpi_engine engine, Index expected_lambdas) {
  const Heard heard(team_, listener_);
  if (engine == FREERIDGE_MPI_ENGINE_AUTO)
    engine = expected_lambdas <= few_lambdas ? FREERIDGE_MPI_ENGINE_CHOLESKY
             : has_elpa()                    ? FREERIDGE_MPI_ENGINE_ELPA
                                             : FREERIDGE_MPI_ENGINE_PDSYEVD;
  std::unique_ptr<DenseFactor> made;
  team_.together([&] {
    if (engine == FREERIDGE_MPI_ENGINE_PDSYEVD) require_workspace(*dealing_);
    require_memory(bytes(engine), "the share of this rank", "take more ranks, CHOLESKY, or landmarks");
    made = engine == FREERIDGE_MPI_ENGINE_CHOLESKY
               ? factor_by_cholesky(team_, *grid_, *problem_)
               : factor_by_eigenvectors(team_, *grid_, *problem_, engine == FREERIDGE_MPI_ENGINE_ELPA);
  });
  made->make();
  heard.finish();
  factor_ = std::move(made);
  engine_ = engine;
}

double Dense::score(Criterion criterion, const Answer& answer, Index j) const {
  const Problem& problem = *problem_;
  if (!answer.reason.empty()) return nan;
  if (criterion == Criterion::gcv) return gcv(problem.n(), answer.squared_norm[j], answer.trace);
  if (criterion == Criterion::reml) {
    const double q = answer.quadratic_form[j];
    return reml(problem.degrees(), q / static_cast<double>(problem.degrees()), q, answer.log_determinant,
                problem.unpenalised.log_determinant() - problem.sum_log_w);
  }
  double sum = 0;  // W_ii e_i^2 = ((P Y~)_i / P_ii)^2
  for (Index i = 0; i < problem.n(); ++i) {
    const double e = answer.residual(i, j) / answer.diagonal[i];
    sum += e * e;
  }
  return sum / problem.sum_w;
}

std::string Dense::scores(Criterion criterion, Span<const double> lambdas, Index first, MatrixView out) const {
  std::string reason;
  Matrix made;
  team_.together([&] { made = Matrix(out.rows, out.cols); });
  const Wanted wanted = criterion == Criterion::loo ? Wanted::errors : Wanted::traces;
  const auto sink = [&](Index l, const Answer& answer) {
    std::string why = answer.reason;
    for (Index j = 0; j < out.cols; ++j) {
      const double value = score(criterion, answer, j);
      made(l, j) = std::isfinite(value) ? value : nan;
      if (!std::isfinite(value)) keep_first(why, no_score(criterion, first + j));
    }
    if (!why.empty()) keep_first(reason, text(why, " (lambda = ", lambdas[l], ")"));
  };
  factor().answers(lambdas, {first, out.cols}, wanted, std::ref(sink));
  team_.broadcast(made.values());
  copy(made.view(), out);
  return reason;
}

std::string Dense::errors(Span<const double> lambdas, MatrixView out) const {
  const Problem& problem = *problem_;
  const Index t = problem.t();
  std::string reason;
  const auto sink = [&](Index l, const Answer& answer) {
    if (!answer.reason.empty()) keep_first(reason, text(answer.reason, " (lambda = ", lambdas[l], ")"));
    for (Index j = 0; j < t; ++j)
      for (Index i = 0; i < problem.n(); ++i) {
        const double p = answer.reason.empty() ? answer.diagonal[i] : 0;
        if (p == 0) keep_first(reason, no_left_out_error(i));
        double& e = out(i, l * t + j);
        e = p == 0 ? nan : answer.residual(i, j) / p / problem.sqrt_w[i];
        if (p != 0 && !std::isfinite(e))
          fail(Status::not_finite, "the leave-one-out error of row ", i, " overflows; rescale y or x");
      }
  };
  factor().answers(lambdas, {0, t}, Wanted::errors, std::ref(sink));
  for (Index j = 0; j < out.cols; ++j) team_.broadcast({out.col(j), out.rows});
  return reason;
}

Array<unsigned char> Dense::predictor(Span<const double> lambdas) const {
  const Index n = problem_->n(), t = problem_->t();
  Matrix c_tilde;
  team_.together([&] { c_tilde = Matrix(n, t); });
  for (Index j = 0; j < t; ++j) {
    const auto sink = [&](Index, const Answer& answer) {
      if (!answer.reason.empty())
        fail(Status::not_positive_definite, answer.reason, "; lambdas[", j, "] is ", lambdas[j]);
      copy(answer.residual.view(), c_tilde.view().columns(j, 1));
    };
    factor().answers(lambdas.subspan(j, 1), {j, 1}, Wanted::solution, std::ref(sink));
  }
  Array<unsigned char> bytes;
  team_.together([&] {
    if (team_.rank() == 0) bytes = saved(lambdas, c_tilde);
  });
  return bytes;
}

Array<unsigned char> Dense::saved(Span<const double> lambdas, const Matrix& c_tilde) const {
  const Problem& problem = *problem_;
  const Index n = problem.n(), d = problem.d(), t = problem.t();
  Solution solution;
  solution.b.assign(t, 0.0);
  solution.level.assign(t, 0.0);
  solution.fixed = Matrix(0, t);
  if (problem.linear())
    solution.w = Matrix(d, t);
  else
    solution.c = Matrix(n, t);
  set_expansion(problem, factor().k_q1().view(), 0, c_tilde.view(), solution);
  require_no_overflow("the coefficients", problem.linear() ? solution.w.view() : solution.c.view());
  const Prediction prediction{*problem.kernel,
                              n,
                              d,
                              t,
                              lambdas,
                              solution.b,
                              solution.w.view(),
                              problem.shift,
                              solution.level,
                              problem.x,
                              solution.c.view(),
                              {},
                              solution.fixed.view()};
  const Payload payload = [&](ByteWriter& out) { save_prediction(prediction, out); };
  Array<unsigned char> bytes(container_size(payload));
  MemorySink sink(bytes);
  write_container(SavedKind::predictor, payload, sink);
  return bytes;
}

}  // namespace freeridge::mpi
