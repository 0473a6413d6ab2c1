// Gradient descent, early stopping, and probabilities from decision values: matrices in, answers out.
#include <freeridge_classical.h>

#include "model.h"

// w: d x count; b: count; weights: NULL or n numbers. objective and gradient_b: count, gradient: d x count
// [[Rcpp::export(rng = false)]]
Rcpp::List core_loss_gradient(int loss, SEXP x, Rcpp::NumericVector y, SEXP weights, double lambda, SEXP w,
                              Rcpp::NumericVector b) {
  const auto points = Rcpp::as<View>(x), at = Rcpp::as<View>(w);
  if (points.rows() != y.size() || points.cols() != at.rows() || at.cols() != b.size()) refuse("the sizes differ");
  const Optional<Rcpp::NumericVector> given(weights);
  const int d = static_cast<int>(at.rows()), count = static_cast<int>(at.cols());
  auto objective = fresh<Rcpp::NumericVector>(count), by_b = fresh<Rcpp::NumericVector>(count);
  auto gradient = fresh<Rcpp::NumericMatrix>(d, count);
  check(freeridge_loss_gradient(loss, FREERIDGE_COL_MAJOR, points.rows(), d, points.data(), points.rows(), y.begin(),
                                given.get(), lambda, count, at.data(), b.begin(), objective.begin(), gradient.begin(),
                                by_b.begin()));
  return Rcpp::List::create(Rcpp::Named("objective") = objective, Rcpp::Named("gradient") = gradient,
                            Rcpp::Named("gradient_b") = by_b);
}

// k: n x n, symmetric; c: n numbers
// [[Rcpp::export(rng = false)]]
Rcpp::List core_expansion_gradient(int loss, SEXP k, Rcpp::NumericVector y, SEXP weights, double lambda,
                                   Rcpp::NumericVector c, double b) {
  const auto values = Rcpp::as<View>(k);
  if (values.rows() != y.size() || values.cols() != y.size() || c.size() != y.size()) refuse("the sizes differ");
  const Optional<Rcpp::NumericVector> given(weights);
  double objective = 0, by_b = 0;
  auto gradient = fresh<Rcpp::NumericVector>(static_cast<int>(y.size()));
  check(freeridge_expansion_gradient(loss, y.size(), values.data(), y.size(), y.begin(), given.get(), lambda, c.begin(),
                                     b, &objective, gradient.begin(), &by_b));
  return Rcpp::List::create(Rcpp::Named("objective") = objective, Rcpp::Named("gradient") = gradient,
                            Rcpp::Named("gradient_b") = by_b);
}

// start: NULL or c(w, b). plan: list(intercept, rule, step, batch, seed, average)
// [[Rcpp::export(rng = false)]]
Rcpp::List core_gradient_descent(int loss, SEXP x, Rcpp::NumericVector y, SEXP weights, double lambda, SEXP start,
                                 Rcpp::List plan, Rcpp::NumericVector steps) {
  const auto points = Rcpp::as<View>(x);
  if (points.rows() != y.size()) refuse("x and y differ in their number of rows");
  const Optional<Rcpp::NumericVector> given(weights), from(start);
  const int d = static_cast<int>(points.cols()), count = static_cast<int>(steps.size());
  const std::vector<std::int64_t> at(steps.begin(), steps.end());
  auto w = fresh<Rcpp::NumericMatrix>(d, count);
  auto b = fresh<Rcpp::NumericVector>(count), objective = fresh<Rcpp::NumericVector>(count);
  const auto number = [&](const char* name) { return Rcpp::as<double>(plan[name]); };
  Listener listener;
  freeridge_descent descent{};
  descent.size = sizeof descent;
  descent.intercept = number("intercept") != 0 ? 1 : 0, descent.average = number("average") != 0 ? 1 : 0;
  descent.start_w = from.get(), descent.start_b = from.given ? from.get()[d] : 0;
  descent.rule = static_cast<std::int32_t>(number("rule")), descent.step = number("step");
  descent.batch = static_cast<std::int64_t>(number("batch")), descent.seed = static_cast<std::int64_t>(number("seed"));
  descent.callback = listen, descent.user = &listener;
  check(listener, freeridge_gradient_descent(loss, FREERIDGE_COL_MAJOR, points.rows(), d, points.data(), points.rows(),
                                             y.begin(), given.get(), lambda, count, at.data(), &descent, w.begin(),
                                             b.begin(), objective.begin()));
  return Rcpp::List::create(Rcpp::Named("w") = w, Rcpp::Named("b") = b, Rcpp::Named("objective") = objective,
                            Rcpp::Named("step") = descent.step_used);
}

// [[Rcpp::export(rng = false)]]
Rcpp::List core_early_stopping(SEXP x, Rcpp::NumericVector y, bool intercept, double step, Rcpp::NumericVector steps) {
  const auto points = Rcpp::as<View>(x);
  if (points.rows() != y.size()) refuse("x and y differ in their number of rows");
  const int d = static_cast<int>(points.cols()), count = static_cast<int>(steps.size());
  const std::vector<std::int64_t> at(steps.begin(), steps.end());
  auto w = fresh<Rcpp::NumericMatrix>(d, count), ridge_w = fresh<Rcpp::NumericMatrix>(d, count);
  auto b = fresh<Rcpp::NumericVector>(count), df = fresh<Rcpp::NumericVector>(count),
       lambda = fresh<Rcpp::NumericVector>(count), ridge_b = fresh<Rcpp::NumericVector>(count),
       ridge_df = fresh<Rcpp::NumericVector>(count);
  freeridge_early_stopping_answers answers{
      sizeof answers,  0, w.begin(), b.begin(), df.begin(), lambda.begin(), ridge_w.begin(), ridge_b.begin(),
      ridge_df.begin()};
  check(freeridge_early_stopping(FREERIDGE_COL_MAJOR, points.rows(), d, points.data(), points.rows(), y.begin(),
                                 intercept ? 1 : 0, step, count, at.data(), &answers));
  return Rcpp::List::create(Rcpp::Named("w") = w, Rcpp::Named("b") = b, Rcpp::Named("df") = df,
                            Rcpp::Named("lambda") = lambda, Rcpp::Named("ridge_w") = ridge_w,
                            Rcpp::Named("ridge_b") = ridge_b, Rcpp::Named("ridge_df") = ridge_df,
                            Rcpp::Named("step") = answers.step_used);
}

// c(offset, slope)
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_calibrate(Rcpp::NumericVector decision, Rcpp::NumericVector y, Rcpp::NumericVector weights) {
  if (decision.size() != y.size() || weights.size() != y.size()) refuse("the sizes differ");
  auto out = fresh<Rcpp::NumericVector>(2);
  check(freeridge_calibrate(decision.size(), decision.begin(), y.begin(), weights.begin(), &out[1], &out[0]));
  return out;
}
