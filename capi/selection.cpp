// The C layer, choosing lambda and the bandwidth: each call checks its arguments and hands over to the core, behind the
// exception wall.
#include <algorithm>
#include <cmath>
#include <limits>

#include "capi/handles.hpp"
#include "capi/searches.hpp"
#include "libcore/base/checks.hpp"
#include "libcore/data/folds.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/select/estimated_criteria.hpp"
#include "libcore/select/lambda_convention.hpp"
#include "libcore/spectrum/estimated_residual_diagonal.hpp"

namespace freeridge::capi {
namespace {

static_assert(FREERIDGE_SEARCH_NONE == int(SearchEnd::none) && FREERIDGE_SEARCH_GRADIENT == int(SearchEnd::gradient) &&
              FREERIDGE_SEARCH_CHANGE == int(SearchEnd::change) && FREERIDGE_SEARCH_BUDGET == int(SearchEnd::budget) &&
              FREERIDGE_SEARCH_NO_LOWER == int(SearchEnd::no_lower));
static_assert(FREERIDGE_CONVENTION_TOTAL == int(Convention::total) &&
              FREERIDGE_CONVENTION_MEAN == int(Convention::mean) &&
              FREERIDGE_CONVENTION_GLMNET == int(Convention::glmnet) &&
              FREERIDGE_CONVENTION_SKLEARN == int(Convention::sklearn) &&
              FREERIDGE_CONVENTION_LM_RIDGE == int(Convention::lm_ridge) &&
              FREERIDGE_CONVENTION_KRLS == int(Convention::krls) &&
              FREERIDGE_CONVENTION_GURLS == int(Convention::gurls) &&
              FREERIDGE_CONVENTION_TIKHONOV_SQUARED == int(Convention::tikhonov_squared) &&
              FREERIDGE_CONVENTION_TIKHONOV_HALF == int(Convention::tikhonov_half) &&
              FREERIDGE_CONVENTION_TIKHONOV_LOGISTIC == int(Convention::tikhonov_logistic) &&
              FREERIDGE_CONVENTION_TIKHONOV_HINGE == int(Convention::tikhonov_hinge) &&
              FREERIDGE_CONVENTION_COST == int(Convention::cost) &&
              FREERIDGE_CONVENTION_COST_MEAN == int(Convention::cost_mean) &&
              FREERIDGE_CONVENTION_COST_MEAN_NORM == int(Convention::cost_mean_norm));

// The size of freeridge_kernel_search in the first header.
constexpr std::size_t first_kernel_search = offsetof(freeridge_kernel_search, at) + sizeof(freeridge_kernel_search::at);

Convention checked_convention(const char* name, freeridge_convention convention) {
  require_one_of(name, convention,
                 {FREERIDGE_CONVENTION_TOTAL, FREERIDGE_CONVENTION_MEAN, FREERIDGE_CONVENTION_GLMNET,
                  FREERIDGE_CONVENTION_SKLEARN, FREERIDGE_CONVENTION_LM_RIDGE, FREERIDGE_CONVENTION_KRLS,
                  FREERIDGE_CONVENTION_GURLS, FREERIDGE_CONVENTION_TIKHONOV_SQUARED, FREERIDGE_CONVENTION_TIKHONOV_HALF,
                  FREERIDGE_CONVENTION_TIKHONOV_LOGISTIC, FREERIDGE_CONVENTION_TIKHONOV_HINGE,
                  FREERIDGE_CONVENTION_COST, FREERIDGE_CONVENTION_COST_MEAN, FREERIDGE_CONVENTION_COST_MEAN_NORM});
  return static_cast<Convention>(convention);
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_lambda_grid(const freeridge_model* model, int64_t count, double* lambdas) {
  return guarded(__func__, [&] {
    const AbstractModel& m = whole_of(model);
    require_size("count", count);
    required("lambdas", lambdas);
    std::ranges::copy(m.lambda_grid(count), lambdas);
  });
}

freeridge_status freeridge_score(const freeridge_model* model, freeridge_criterion criterion, int64_t count,
                                 const double* lambdas, double* scores, double* errors, int64_t ld) {
  return guarded(__func__, [&] {
    const AbstractModel& m = whole_of(model);
    const Criterion chosen = checked_criterion(criterion);
    const Span<const double> values = checked_lambdas(count, lambdas);
    required("scores", scores);
    m.require_factorized();
    const MatrixView out = checked_output("scores", scores, "count", count, m.t(), ld);
    const MatrixView errors_out = optional_output(errors, count, m.t(), ld);
    report_undefined(m.score(chosen, values, out, errors_out));
  });
}

freeridge_status freeridge_estimate_score(const freeridge_model* model, freeridge_criterion criterion, int64_t probes,
                                          int64_t count, const double* lambdas, double* scores, double* errors,
                                          int64_t ld) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    const Criterion chosen = checked_criterion(criterion);
    if (probes != 0 && (probes < fewest_probes || probes > most_probes))
      fail(Status::invalid_argument, "probes is ", probes, "; it must be 0, or from ", fewest_probes, " to ",
           most_probes);
    const Span<const double> values = checked_lambdas(count, lambdas);
    required("scores", scores);
    required("errors", errors);
    m.require_factorized();
    const MatrixView out = checked_output("scores", scores, "count", count, m.t(), ld);
    const MatrixView errors_out = checked_output("errors", errors, "count", count, m.t(), ld);
    report_undefined(m.estimate_score(chosen, probes, values, out, errors_out));
  });
}

freeridge_status freeridge_score_gradient(const freeridge_model* model, freeridge_criterion criterion, double lambda,
                                          double* score, double* by_log_lambda, double* by_log_hyperparameters) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    const Criterion chosen = checked_learning_criterion(criterion);
    required("score", score);
    required("by_log_lambda", by_log_lambda);
    if (hyperparameter_count(*m.kernel()) > 0) required("by_log_hyperparameters", by_log_hyperparameters);
    const ScoreGradient found = m.score_gradient(chosen, lambda);
    *score = found.score;
    *by_log_lambda = found.log_lambda;
    if (!found.kernel.empty()) std::ranges::copy(found.kernel, by_log_hyperparameters);
  });
}

freeridge_status freeridge_objective(const freeridge_model* model, int64_t count, const double* lambdas,
                                     double* training, double* norm2, double* objective, int64_t ld) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    const Span<const double> values = checked_lambdas(count, lambdas);
    m.require_factorized();
    report_undefined(m.objective(values, checked_objectives(training, norm2, objective, count, m.t(), ld)));
  });
}

freeridge_status freeridge_select_lambda(freeridge_model* model, freeridge_criterion criterion, double low, double high,
                                         double* lambda, double* score) {
  return guarded(__func__, [&] {
    AbstractModel& m = whole_of(model);
    const Criterion chosen = checked_criterion(criterion);
    required("lambda", lambda);
    required("score", score);
    const LambdaSearch& search = m.select_lambda(chosen, low, high);
    std::ranges::copy(search.best, lambda);
    std::ranges::copy(search.best_score, score);
  });
}

freeridge_status freeridge_get_search(const freeridge_model* model, freeridge_search* search) {
  return guarded(__func__, [&] {
    const AbstractModel& m = whole_of(model);
    const GivenSearch given(search);
    given.refuse("below", given->below, "freeridge_lambda_flags tells it");
    given.refuse("next", given->next, "the search of a model has tried it");
    given.give(m.require_search());
  });
}

freeridge_status freeridge_select_bandwidth(freeridge_model* model, freeridge_criterion criterion, double low,
                                            double high, int64_t budget, double* sigma) {
  return guarded(__func__, [&] {
    Model& m = model_of(model);
    const Criterion chosen = checked_criterion(criterion);
    if (budget != 0 && (budget < 3 || budget > largest_size))
      fail(Status::invalid_argument, "budget is ", budget, "; it must be 0 (the library's choice) or from 3 to ",
           largest_size);
    required("sigma", sigma);
    *sigma = m.select_bandwidth(chosen, low, high, budget).best;
  });
}

freeridge_status freeridge_select_kernel(freeridge_model* model, freeridge_criterion criterion, const int32_t* label,
                                         double shrinkage, int64_t rows, int64_t seed, int64_t evaluations,
                                         double* score) {
  return guarded(__func__, [&] {
    Model& m = model_of(model);
    const Criterion chosen = checked_learning_criterion(criterion);
    if (std::isnan(shrinkage))
      fail(Status::not_finite, "shrinkage is ", shrinkage, "; it must be 0 (the library's choice) or positive");
    if (shrinkage < 0)
      fail(Status::invalid_argument, "shrinkage is ", shrinkage, "; it must be 0 (the library's choice) or positive");
    if (rows != 0 && (rows < 2 || rows > largest_size))
      fail(Status::invalid_argument, "rows is ", rows, "; it must be 0 (the library's choice) or from 2 to ",
           largest_size);
    if (evaluations < 0 || evaluations > largest_size)
      fail(Status::invalid_argument, "evaluations is ", evaluations,
           "; it must be 0 (the library's choice) or from 1 to ", largest_size);
    required("score", score);
    Span<const int32_t> labels;
    if (label != nullptr) labels = {label, hyperparameter_count(*m.kernel())};
    *score = m.select_kernel(chosen, labels, shrinkage, rows, seed, evaluations).score;
  });
}

freeridge_status freeridge_get_kernel_search(const freeridge_model* model, freeridge_kernel_search* search) {
  return guarded(__func__, [&] {
    const Model& m = settings_of(model);
    const freeridge_kernel_search out = checked_struct("search", search, first_kernel_search);
    const KernelSearch& found = m.require_kernel_search();
    search->evaluations = std::ssize(found.trials);
    search->hyperparameters = std::ssize(found.variable);
    search->learnt = found.learnt;
    search->rows = found.rows;
    search->sample = found.sample;
    search->kept = found.kept ? 1 : 0;
    search->lambda_at = found.lambda_at;
    if (out.ended != nullptr)
      std::ranges::transform(found.end, out.ended, [](SearchEnd why) { return static_cast<int32_t>(why); });
    for (std::size_t i = 0; i < found.trials.size(); ++i) {
      const KernelTrial& trial = found.trials[i];
      if (out.stage != nullptr) out.stage[i] = static_cast<int32_t>(trial.stage);
      if (out.score != nullptr) out.score[i] = trial.score;
      if (out.lambda != nullptr) out.lambda[i] = trial.lambda;
      if (out.gradient != nullptr) out.gradient[i] = trial.gradient;
    }
    copy_to(found.learnt_on, out.row);
    copy_to(found.variable, out.variable);
    copy_to(found.low, out.low);
    copy_to(found.high, out.high);
    copy_to(found.at, out.at);
  });
}

freeridge_status freeridge_loo_learnt(const freeridge_model* model, int64_t folds, int64_t seed, double* errors,
                                      int64_t ld, double* change, double* freedom) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("errors", errors);
    const MatrixView to = checked_output("errors", errors, "n", m.n(), m.t(), ld);
    Model::LearntLoo found = m.learnt_loo({folds, seed});
    const double of_choice = freedom != nullptr ? m.freedom_of_choice() : 0;
    copy(found.errors.view(), to);
    copy_to(found.change, change);
    if (freedom != nullptr) *freedom = of_choice;
    report_undefined(std::move(found.reason));
  });
}

freeridge_status freeridge_lambda_flags(const freeridge_model* model, double* floor, int32_t* below, int32_t* edge) {
  return guarded(__func__, [&] {
    const AbstractModel::LambdaFlags flags = whole_of(model).lambda_flags();
    if (floor != nullptr) *floor = std::min(flags.floor, std::numeric_limits<double>::max());
    copy_to(flags.below, below);
    copy_to(flags.edge, edge);
  });
}

freeridge_status freeridge_make_folds(int64_t n, int32_t folds, int64_t seed, int32_t* group) {
  return guarded(__func__, [&] {
    require_size("n", n);
    make_folds(folds, seed, {&required("group", group), n});
  });
}

freeridge_status freeridge_make_holdout(int64_t n, double fraction, int64_t seed, int32_t* group) {
  return guarded(__func__, [&] {
    require_size("n", n);
    make_holdout(fraction, seed, {&required("group", group), n});
  });
}

freeridge_status freeridge_make_blocks(int64_t n, int32_t folds, int64_t before, int64_t after, int64_t* layers,
                                       int32_t* group, int32_t* gap) {
  return guarded(__func__, [&] {
    require_size("n", n);
    const Blocks blocks(n, folds, before, after);
    if (gap != nullptr) require_product("n", n, "layers", blocks.layers());
    if (layers != nullptr) *layers = blocks.layers();
    if (group != nullptr) blocks.labels({group, n});
    if (gap != nullptr) blocks.gaps({gap, n * blocks.layers()});
  });
}

freeridge_status freeridge_convert_lambda(freeridge_convention from, freeridge_convention to, int64_t n, double sd_y,
                                          double lambda, double* out) {
  return guarded(__func__, [&] {
    const Convention source = checked_convention("from", from), target = checked_convention("to", to);
    require_size("n", n);
    required("out", out) = convert_lambda(source, target, n, sd_y, lambda);
  });
}

freeridge_status freeridge_get_bandwidth(const freeridge_model* model, double* sigma, int64_t* count, double* sigmas,
                                         double* scores, int32_t* edge, double* decades, int32_t* dips) {
  return guarded(__func__, [&] {
    const Model& m = settings_of(model);
    const bool asks_for_search = count != nullptr || sigmas != nullptr || scores != nullptr || edge != nullptr ||
                                 decades != nullptr || dips != nullptr;
    const BandwidthSearch* const search = asks_for_search ? &m.require_bandwidth_search() : nullptr;
    if (sigma != nullptr) *sigma = m.bandwidth();
    if (search == nullptr) return;
    if (count != nullptr) *count = static_cast<int64_t>(search->sigma.size());
    copy_to(search->sigma, sigmas);
    copy_to(search->score, scores);
    if (edge != nullptr) *edge = search->shape.edge;
    if (decades != nullptr) *decades = search->shape.decades;
    if (dips != nullptr) *dips = search->shape.dips;
  });
}
