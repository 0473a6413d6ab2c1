// Choosing lambda and the bandwidth, scores at given lambdas, folds, and the lambdas of other systems.
#include <algorithm>

#include "model.h"

// Chooses lambda in [low, high] (both 0: the core's range) for each output.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_select_lambda(SEXP handle, std::string criterion, double low, double high) {
  Model& model = model_of(handle);
  const int t = dimensions_of(model).t;
  auto lambda = fresh<Rcpp::NumericVector>(t), score = fresh<Rcpp::NumericVector>(t);
  check(model, freeridge_select_lambda(model.core, criterion_of(criterion), low, high, lambda.begin(), score.begin()));
  return Rcpp::List::create(Rcpp::Named("lambda") = lambda, Rcpp::Named("score") = score);
}

// Every lambda that the last search tried: lambdas ascending, scores count x t (NaN: not tried for that output). The shape of
// the search: edge, decades and dips, t each.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_search(SEXP handle) {
  const Model& model = model_of(handle);
  const int t = dimensions_of(model).t;
  freeridge_search search{};
  search.size = sizeof search;
  check(freeridge_get_search(model.core, &search));
  const int rows = static_cast<int>(search.count);
  auto lambdas = fresh<Rcpp::NumericVector>(rows), decades = fresh<Rcpp::NumericVector>(t);
  auto scores = fresh<Rcpp::NumericMatrix>(rows, t);
  auto edge = fresh<Rcpp::IntegerVector>(t), dips = fresh<Rcpp::IntegerVector>(t);
  search.edge = edge.begin(), search.decades = decades.begin(), search.dips = dips.begin();
  search.lambdas = lambdas.begin(), search.scores = scores.begin();
  check(freeridge_get_search(model.core, &search));
  return Rcpp::List::create(Rcpp::Named("lambdas") = lambdas, Rcpp::Named("scores") = scores,
                            Rcpp::Named("edge") = edge, Rcpp::Named("decades") = decades, Rcpp::Named("dips") = dips);
}

// floor: from this lambda on left-out errors have six digits; below: t flags, where the lambda in force does not reach it
// [[Rcpp::export(rng = false)]]
Rcpp::List core_lambda_flags(SEXP handle) {
  const Model& model = model_of(handle);
  double floor = 0;
  auto below = fresh<Rcpp::IntegerVector>(dimensions_of(model).t);
  check(freeridge_lambda_flags(model.core, &floor, below.begin(), nullptr));
  return Rcpp::List::create(Rcpp::Named("floor") = floor, Rcpp::Named("below") = below);
}

// The one-standard-error rule on the last search: its lambda, and the best score and that score's error, t numbers each, NaN
// where there is no standard error.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_one_standard_error(SEXP handle) {
  Model& model = model_of(handle);
  const int t = dimensions_of(model).t;
  auto lambda = fresh<Rcpp::NumericVector>(t), score = fresh<Rcpp::NumericVector>(t),
       error = fresh<Rcpp::NumericVector>(t);
  freeridge_search search{};
  search.size = sizeof search;
  search.score = score.begin(), search.standard_error = error.begin(), search.one_se_lambda = lambda.begin();
  check_but_undefined(model, freeridge_get_search(model.core, &search));
  return Rcpp::List::create(Rcpp::Named("lambda") = lambda, Rcpp::Named("score") = score, Rcpp::Named("se") = error);
}

// sigma: the choice; tried: a matrix with the columns sigma and criterion, in the order tried; edge, decades, dips: how sure
// the choice is. budget 0: the core's own.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_select_bandwidth(SEXP handle, std::string criterion, double low, double high, int budget) {
  Model& model = model_of(handle);
  double sigma = 0;
  check(model, freeridge_select_bandwidth(model.core, criterion_of(criterion), low, high, budget, &sigma));
  std::int64_t count = 0;
  check(freeridge_get_bandwidth(model.core, nullptr, &count, nullptr, nullptr, nullptr, nullptr, nullptr));
  auto tried = fresh<Rcpp::NumericMatrix>(static_cast<int>(count), 2);
  std::int32_t edge = 0, dips = 0;
  double decades = 0;
  check(freeridge_get_bandwidth(model.core, nullptr, nullptr, tried.begin(), tried.begin() + count, &edge, &decades,
                                &dips));
  return Rcpp::List::create(Rcpp::Named("sigma") = sigma, Rcpp::Named("tried") = tried, Rcpp::Named("edge") = edge,
                            Rcpp::Named("decades") = decades, Rcpp::Named("dips") = dips);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_lambda_grid(SEXP handle, int count) {
  auto lambdas = fresh<Rcpp::NumericVector>(std::max(count, 1));
  check(freeridge_lambda_grid(model_of(handle).core, count, lambdas.begin()));
  return lambdas;
}

// length(lambdas) x t
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_score(SEXP handle, std::string criterion, Rcpp::NumericVector lambdas) {
  Model& model = model_of(handle);
  const int count = static_cast<int>(lambdas.size());
  auto scores = fresh<Rcpp::NumericMatrix>(count, dimensions_of(model).t);
  check_but_undefined(model, freeridge_score(model.core, criterion_of(criterion), count, lambdas.begin(),
                                             scores.begin(), nullptr, count));
  return scores;
}

// training, norm2 and objective: length(lambdas) x t each
// [[Rcpp::export(rng = false)]]
Rcpp::List core_objective(SEXP handle, Rcpp::NumericVector lambdas) {
  Model& model = model_of(handle);
  const int count = static_cast<int>(lambdas.size());
  ObjectiveTables tables(count, dimensions_of(model).t);
  check_but_undefined(model, freeridge_objective(model.core, count, lambdas.begin(), tables.training.begin(),
                                                 tables.norm2.begin(), tables.objective.begin(), count));
  return tables.list();
}

// scores and se: length(lambdas) x t each
// [[Rcpp::export(rng = false)]]
Rcpp::List core_score_with_error(SEXP handle, std::string criterion, Rcpp::NumericVector lambdas) {
  Model& model = model_of(handle);
  const int count = static_cast<int>(lambdas.size());
  const int t = dimensions_of(model).t;
  auto scores = fresh<Rcpp::NumericMatrix>(count, t), errors = fresh<Rcpp::NumericMatrix>(count, t);
  check_but_undefined(model, freeridge_score(model.core, criterion_of(criterion), count, lambdas.begin(),
                                             scores.begin(), errors.begin(), count));
  return Rcpp::List::create(Rcpp::Named("scores") = scores, Rcpp::Named("se") = errors);
}

// The bounds of the relative errors of the solutions in force, one for each output.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_accuracy(SEXP handle) {
  Model& model = model_of(handle);
  auto out = fresh<Rcpp::NumericVector>(dimensions_of(model).t);
  check(freeridge_get_accuracy(model.core, out.begin()));
  return out;
}

// Scores of a route that estimates them, with the standard errors of the estimates.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_estimate_score(SEXP handle, std::string criterion, Rcpp::NumericVector lambdas) {
  Model& model = model_of(handle);
  const int count = static_cast<int>(lambdas.size());
  const int t = dimensions_of(model).t;
  auto scores = fresh<Rcpp::NumericMatrix>(count, t), errors = fresh<Rcpp::NumericMatrix>(count, t);
  check_but_undefined(model, freeridge_estimate_score(model.core, criterion_of(criterion), 0, count, lambdas.begin(),
                                                      scores.begin(), errors.begin(), count));
  return Rcpp::List::create(Rcpp::Named("scores") = scores, Rcpp::Named("se") = errors);
}

// Labels 0, 1, ..., folds - 1
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector core_make_folds(double n, double folds, double seed) {
  auto group = fresh<Rcpp::IntegerVector>(static_cast<R_xlen_t>(n));
  check(freeridge_make_folds(static_cast<std::int64_t>(n), static_cast<std::int32_t>(folds),
                             static_cast<std::int64_t>(seed), group.begin()));
  return group;
}

// group: labels 0, 1, ..., folds - 1; gap: n x layers of them, -1 for none
// [[Rcpp::export(rng = false)]]
Rcpp::List core_make_blocks(double n, double folds, double before, double after) {
  std::int64_t layers = 0;
  const auto rows = static_cast<std::int64_t>(n), first = static_cast<std::int64_t>(before),
             last = static_cast<std::int64_t>(after);
  auto group = fresh<Rcpp::IntegerVector>(static_cast<R_xlen_t>(n));
  check(freeridge_make_blocks(rows, static_cast<std::int32_t>(folds), first, last, &layers, group.begin(), nullptr));
  auto gap = fresh<Rcpp::IntegerMatrix>(static_cast<int>(n), static_cast<int>(layers));
  check(freeridge_make_blocks(rows, static_cast<std::int32_t>(folds), first, last, nullptr, nullptr, gap.begin()));
  return Rcpp::List::create(Rcpp::Named("group") = group, Rcpp::Named("gap") = gap);
}

// Labels 0 (left out) and -1
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector core_make_holdout(double n, double fraction, double seed) {
  auto group = fresh<Rcpp::IntegerVector>(static_cast<R_xlen_t>(n));
  check(freeridge_make_holdout(static_cast<std::int64_t>(n), fraction, static_cast<std::int64_t>(seed), group.begin()));
  return group;
}

namespace {

freeridge_convention convention_of(const std::string& name) {
  return number_of(name, "convention",
                   {{"total", FREERIDGE_CONVENTION_TOTAL},
                    {"mean", FREERIDGE_CONVENTION_MEAN},
                    {"glmnet", FREERIDGE_CONVENTION_GLMNET},
                    {"sklearn", FREERIDGE_CONVENTION_SKLEARN},
                    {"lm.ridge", FREERIDGE_CONVENTION_LM_RIDGE},
                    {"KRLS", FREERIDGE_CONVENTION_KRLS},
                    {"GURLS", FREERIDGE_CONVENTION_GURLS},
                    {"tikhonov_squared", FREERIDGE_CONVENTION_TIKHONOV_SQUARED},
                    {"tikhonov_half", FREERIDGE_CONVENTION_TIKHONOV_HALF},
                    {"tikhonov_logistic", FREERIDGE_CONVENTION_TIKHONOV_LOGISTIC},
                    {"tikhonov_hinge", FREERIDGE_CONVENTION_TIKHONOV_HINGE},
                    {"cost", FREERIDGE_CONVENTION_COST},
                    {"cost_mean", FREERIDGE_CONVENTION_COST_MEAN},
                    {"cost_mean_norm", FREERIDGE_CONVENTION_COST_MEAN_NORM}});
}

}  // namespace

// sd_y: as long as lambda
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_convert_lambda(Rcpp::NumericVector lambda, std::string from, std::string to, double n,
                                        Rcpp::NumericVector sd_y) {
  auto out = fresh<Rcpp::NumericVector>(lambda.size());
  for (R_xlen_t i = 0; i < lambda.size(); ++i)
    check(freeridge_convert_lambda(convention_of(from), convention_of(to), static_cast<std::int64_t>(n), sd_y[i],
                                   lambda[i], &out[i]));
  return out;
}

// The number of threads in force, before it is set to `count`, where that is not negative.
// [[Rcpp::export(rng = false)]]
int core_threads(int count = -1) {
  std::int32_t before = 0;
  check(freeridge_get_threads(&before));
  if (count >= 0) check(freeridge_set_threads(count));
  return before;
}

// [[Rcpp::export(rng = false)]]
std::string core_build_info() {
  return freeridge_build_info();
}
