// The answers of a fitted model (notation as in factorization.hpp):
//   fitted = Y - W^(-1/2) rho P~Y~,   c = W^(1/2) c~,   f(x) = w'x + b or k(x, X) c + b
#include <algorithm>

#include "libcore/base/checks.hpp"
#include "libcore/model/model.hpp"
#include "libcore/select/estimated_criteria.hpp"
#include "libcore/spectrum/estimating.hpp"

namespace freeridge {
void Model::answer(const char* what, MatrixView to, const EachPart& part) const {
  require_fitted();
  require_room(lambda_bytes(), what, "use fewer outputs, or landmarks");
  const Hearing hearing(listener_);
  Matrix out(n(), t());
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& residual_maker, Index first, Index count) {
    part(residual_maker, first, out.view().columns(first, count));
  });
  report(1);
  copy(out.view(), to);
}

std::string Model::loo(MatrixView errors) const {
  std::string reason;
  answer("leaving one out", errors, [&](const ResidualMaker& residual_maker, Index first, MatrixView part) {
    keep_first(reason, loo_errors(factorization_->problem(), residual_maker, first, part));
  });
  return reason;
}

std::string Model::group_errors(const std::int32_t* label, Index layers, const std::int32_t* gap,
                                MatrixView errors) const {
  require_fitted();
  const Groups groups = Groups(Span(label, n())).with_gaps(Span(gap, layers * n()), layers);
  require_room_for_score(&groups, 1);
  const Hearing hearing(listener_);
  Matrix out(n(), t());
  std::string reason;
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& residual_maker, Index first, Index count) {
    keep_first(reason, freeridge::group_errors(*factorization_, residual_maker, groups, first,
                                               out.view().columns(first, count)));
  });
  report(1);
  copy(out.view(), errors);
  return reason;
}

std::string Model::score(Criterion criterion, Span<const double> lambdas, MatrixView out, MatrixView errors) const {
  require_factorized();
  if (errors.data != nullptr && !is_mean(criterion))
    fail(Status::invalid_argument, "criterion is ", name_of(criterion),
         ", which has no standard error: GCV and REML are no means over points or groups");
  require_lambdas("lambdas", lambdas);
  const Groups* const groups = groups_for(criterion);
  require_room_for_score(groups, static_cast<Index>(lambdas.size()));
  const Hearing hearing(listener_);
  const Index count = static_cast<Index>(lambdas.size());
  Matrix table(count, t()), error_table(errors.data != nullptr ? count : 0, t());
  std::string reason = scores(*factorization_, criterion, groups, lambdas, 0, table.view(),
                              errors.data != nullptr ? error_table.view() : MatrixView{});
  report(1);
  copy(table.view(), out);
  if (errors.data != nullptr) copy(error_table.view(), errors);
  return reason;
}

std::string Model::estimate_score(Criterion criterion, Index probes, Span<const double> lambdas, MatrixView out,
                                  MatrixView uncertainty) const {
  require_factorized();
  const Index count = std::ssize(lambdas);
  if (factorization_->estimating() == nullptr) {
    std::string reason = score(criterion, lambdas, out);
    for (Index j = 0; j < t(); ++j)
      for (Index l = 0; l < count; ++l) uncertainty(l, j) = 0 * out(l, j);
    return reason;
  }
  require_lambdas("lambdas", lambdas);
  if (probes == 0) probes = usual_probes(n());
  require_room_to_estimate(probes, count);
  const Hearing hearing(listener_);
  Matrix table(count, t()), errors(count, t());
  std::string reason =
      estimated_scores(*factorization_, criterion, lambdas, 0, table.view(), {}, errors.view(), probes);
  report(1);
  copy(table.view(), out);
  copy(errors.view(), uncertainty);
  return reason;
}

std::string Model::objective(Span<const double> lambdas, const ObjectiveViews& out) const {
  require_factorized();
  require_lambdas("lambdas", lambdas);
  require_room_for_score(nullptr, static_cast<Index>(lambdas.size()));
  const Hearing hearing(listener_);
  const Problem& problem = factorization_->problem();
  ObjectiveTables tables = objectives(lambdas, t(), [&](double lambda, const auto& set, const auto& undefined) {
    try_residual_maker(
        lambda, 0, t(),
        [&](const ResidualMaker& maker, Index first, Index count) {
          for (Index j = first; j < first + count; ++j) set(maker, j, problem.sum_w_of(j));
        },
        undefined);
  });
  report(1);
  return tables.give(out);
}

Prediction Model::prediction() const {
  return prediction(fit());
}

Prediction Model::prediction(const Fit& fit) const {
  const Solution& solution = fit.solution;
  const bool landmarks = fit.landmark_x.rows() > 0;
  const Matrix& x = fit.landmark_x;
  return {*kernel_,
          n(),
          d(),
          static_cast<Index>(solution.b.size()),
          fit.lambdas,
          solution.b,
          solution.w.view(),
          factorization_->problem().shift,
          solution.level,
          landmarks ? Rows(layout_view(x)) : data_->x,
          landmarks ? fit.landmark_c.view() : solution.c.view(),
          landmarks ? factorization_->landmarks() : Span<const Index>(),
          solution.fixed.view()};
}

void Model::predict(const Points& points, Layout layout, double* out, Index ldout) const {
  require_fitted();
  require_room_to_predict(points.x.rows, 0, 0);
  const Hearing hearing(listener_);
  freeridge::predict(prediction(), points, layout, out, ldout);
}

// The solution's own coefficients are enough to predict, but may lack a part that K maps to zero (its function is
// zero). Where all of c is wanted, complete() adds that part to refined coefficients, and coefficients() makes
// unrefined ones.
bool Model::keeps_coefficients(const Fit& fit) const {
  return fit.solution.c.rows() > 0 && (factorization_->keeps_solutions() || !factorization_->landmarks().empty() ||
                                       (fit.refined && !factorization_->solves_functions()));
}

void Model::make_coefficients(const Fit& fit, MatrixView out) const {
  if (fit.solution.c.rows() > 0 && fit.refined) {
    Solution whole{copy_of(fit.solution.c.view()), {}, fit.solution.b, {}, copy_of(fit.solution.fixed.view())};
    for_each_residual_maker(*factorization_, fit, [&](const ResidualMaker& residual_maker, Index first, Index count) {
      residual_maker.complete(first, count, whole);
    });
    require_no_overflow("the coefficients", whole.c.view());
    return copy(whole.c.view(), out);
  }
  if (fit.shared || data_->missing || !factorization_->coefficients_each(fit.lambdas, out))
    for_each_residual_maker(*factorization_, fit, [&](const ResidualMaker& residual_maker, Index first, Index count) {
      residual_maker.coefficients(first, out.columns(first, count));
    });
  factorization_->problem().weight_rows(out);
  require_no_overflow("the coefficients", out);
}

void Model::coefficients(MatrixView c) const {
  const bool kept = keeps_coefficients(fit());
  if (!kept) require_room(lambda_bytes(), "the coefficients", "use fewer outputs, or landmarks");
  const Hearing hearing(listener_);
  if (kept) {
    report(1);
    return copy(fit_->solution.c.view(), c);
  }
  Matrix made(n(), t());
  make_coefficients(*fit_, made.view());
  report(1);
  copy(made.view(), c);
}

void Model::hyperplane(MatrixView w) const {
  const Solution& solution = fit().solution;
  if (!factorization_->problem().linear())
    fail(Status::invalid_state, "only a linear kernel has a hyperplane; see freeridge_coefficients");
  copy(solution.w.view(), w);
}

void Model::intercept(double* b) const {
  std::copy(fit().solution.b.begin(), fit().solution.b.end(), b);
}

void Model::accuracy(double* out) const {
  const Array<double>& accuracy = fit().solution.accuracy;
  if (accuracy.empty())
    fail(Status::invalid_state, "the ", route_name(route()),
         " route has no bound of its error: its solutions are those of a factorization");
  std::copy(accuracy.begin(), accuracy.end(), out);
}

void Model::fitted(MatrixView fitted) const {
  answer("the fitted values", fitted, [&](const ResidualMaker& residual_maker, Index first, MatrixView part) {
    residual_maker.residual(first, part);
    const double rho = residual_maker.shrinkage();
    for (Index j = 0; j < part.cols; ++j)
      for (Index i = 0; i < part.rows; ++i)
        part(i, j) = data_->y(i, first + j) - rho * part(i, j) / factorization_->problem().sqrt_w[i];
    for (Index j = 0; j < part.cols && !residual_maker.unobserved().empty(); ++j) {
      const Array<double> excess = residual_maker.excess(first + j);
      for (std::size_t k = 0; k < excess.size(); ++k) part(residual_maker.unobserved()[k], j) -= excess[k];
    }
    require_no_overflow("the fitted values", part);
  });
}

void Model::leverage(MatrixView leverage) const {
  answer("the leverages", leverage, [&](const ResidualMaker& residual_maker, Index, MatrixView part) {
    residual_maker.leverage({part.col(0), part.rows});
    for (Index j = 1; j < part.cols; ++j) std::copy_n(part.col(0), part.rows, part.col(j));
    require_no_overflow("the leverages", part);
  });
}

const LambdaSearch& Model::require_search() const {
  if (!search_) fail(Status::invalid_state, "there has been no search; call freeridge_select_lambda first");
  return *search_;
}

Model::LambdaFlags Model::lambda_flags() const {
  const Array<double>& lambdas = fit().lambdas;
  LambdaFlags out{factorization_->floor(), Array<std::int32_t>(lambdas.size(), 0), {}};
  out.edge = out.below;
  if (search_)
    for (std::size_t j = 0; j < lambdas.size(); ++j)
      if (lambdas[j] == search_->best[j]) out.edge[j] = search_->edge[j];
  if (std::ranges::all_of(lambdas, [&](double lambda) { return lambda >= factorization_->flagged_below(); }))
    return out;
  require_room(lambda_bytes(), "the flags of lambda", "use fewer outputs, or landmarks");
  const Hearing hearing(listener_);
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& residual_maker, Index first, Index count) {
    if (residual_maker.below_floor()) std::fill_n(out.below.begin() + first, count, 1);
  });
  report(1);
  return out;
}

const BandwidthSearch& Model::require_bandwidth_search() const {
  if (!bandwidth_search_)
    fail(Status::invalid_state, "no bandwidth has been chosen; call freeridge_select_bandwidth first");
  return *bandwidth_search_;
}

Array<double> Model::lambda_grid(Index count) const {
  return log_grid(lambda_range(factorization()), count);
}

}  // namespace freeridge
