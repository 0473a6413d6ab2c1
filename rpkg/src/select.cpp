// Choosing lambda and the bandwidth, and scores at given lambdas.
#include "model.h"

// Chooses lambda for each output; score, edge: one per output; lambdas, scores: every one tried (NaN: not this output).
// [[Rcpp::export(rng = false)]]
Rcpp::List core_select_lambda(SEXP handle, std::string criterion) {
  Model& model = model_of(handle);
  const int t = dimensions_of(model).t;
  Rcpp::NumericVector lambda(t), score(t);
  check(model, freeridge_select_lambda(model.core, criterion_of(criterion), 0, 0, lambda.begin(), score.begin()));
  return Rcpp::List::create(Rcpp::Named("lambda") = lambda, Rcpp::Named("score") = score);
}

// Every lambda the last search tried: lambdas ascending, scores count x t (NaN: not tried for that output), edge t.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_search(SEXP handle) {
  const Model& model = model_of(handle);
  const int t = dimensions_of(model).t;
  std::int64_t count = 0;
  check(freeridge_get_search_count(model.core, &count));
  const int rows = static_cast<int>(count);
  Rcpp::NumericVector lambdas(rows);
  Rcpp::NumericMatrix scores(rows, t);
  Rcpp::IntegerVector edge(t);
  check(freeridge_get_search(model.core, lambdas.begin(), scores.begin(), rows, edge.begin()));
  return Rcpp::List::create(Rcpp::Named("lambdas") = lambdas, Rcpp::Named("scores") = scores,
                            Rcpp::Named("edge") = edge);
}

// sigma: the choice; tried: a matrix with the columns sigma and criterion, in the order tried.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_select_bandwidth(SEXP handle, std::string criterion, int budget) {
  Model& model = model_of(handle);
  double sigma = 0;
  std::int64_t used = 0;
  Rcpp::NumericMatrix tried(budget, 2);
  check(model,
        freeridge_select_bandwidth(model.core, criterion_of(criterion), 0, 0, budget, &sigma, tried.begin(), &used));
  const Rcpp::NumericMatrix rows = tried(Rcpp::Range(0, static_cast<int>(used) - 1), Rcpp::_);
  return Rcpp::List::create(Rcpp::Named("sigma") = sigma, Rcpp::Named("tried") = rows);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_lambda_grid(SEXP handle, int count) {
  Rcpp::NumericVector lambdas(count);
  check(freeridge_lambda_grid(model_of(handle).core, count, lambdas.begin()));
  return lambdas;
}

// length(lambdas) x t
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_score(SEXP handle, std::string criterion, Rcpp::NumericVector lambdas) {
  Model& model = model_of(handle);
  const int count = static_cast<int>(lambdas.size());
  Rcpp::NumericMatrix scores(count, dimensions_of(model).t);
  check_but_undefined(
      model, freeridge_score(model.core, criterion_of(criterion), count, lambdas.begin(), scores.begin(), count));
  return scores;
}

// [[Rcpp::export(rng = false)]]
std::string core_build_info() {
  return freeridge_build_info();
}
