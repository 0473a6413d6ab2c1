// Degrees of freedom and intervals at the lambdas in force. What has no value is NaN.
#include "model.h"

// df and sigma2: one for each output
// [[Rcpp::export(rng = false)]]
Rcpp::List core_degrees_of_freedom(SEXP handle) {
  Model& model = model_of(handle);
  const int t = dimensions_of(model).t;
  auto df = fresh<Rcpp::NumericVector>(t), sigma2 = fresh<Rcpp::NumericVector>(t);
  check_but_undefined(model, freeridge_degrees_of_freedom(model.core, df.begin(), sigma2.begin()));
  return Rcpp::List::create(Rcpp::Named("df") = df, Rcpp::Named("sigma2") = sigma2);
}

// x: m x d, fixed: m x q, or NULL without fixed effects; lower and upper are m x t
// [[Rcpp::export(rng = false)]]
Rcpp::List core_predict_jackknife(SEXP handle, SEXP x, double level, SEXP fixed = R_NilValue) {
  Model& model = model_of(handle);
  const NewPoints points(model, x, fixed);
  const int m = points.m, t = dimensions_of(model).t;
  auto lower = fresh<Rcpp::NumericMatrix>(m, t), upper = fresh<Rcpp::NumericMatrix>(m, t);
  check_but_undefined(model,
                      points.fixed != nullptr
                          ? freeridge_predict_jackknife_fixed(model.core, FREERIDGE_COL_MAJOR, m, points.x.data(), m,
                                                              points.fixed, m, level, lower.begin(), upper.begin(), m)
                          : freeridge_predict_jackknife(model.core, FREERIDGE_COL_MAJOR, m, points.x.data(), m, level,
                                                        lower.begin(), upper.begin(), m));
  return Rcpp::List::create(Rcpp::Named("lower") = lower, Rcpp::Named("upper") = upper);
}

// x: m x d, fixed: m x q, or NULL without fixed effects; variance is m x t, noise one for each output
// [[Rcpp::export(rng = false)]]
Rcpp::List core_predict_variance(SEXP handle, SEXP x, SEXP fixed = R_NilValue) {
  Model& model = model_of(handle);
  const NewPoints points(model, x, fixed);
  const int m = points.m, t = dimensions_of(model).t;
  auto variance = fresh<Rcpp::NumericMatrix>(m, t);
  auto noise = fresh<Rcpp::NumericVector>(t);
  check_but_undefined(
      model, points.fixed != nullptr
                 ? freeridge_predict_variance_fixed(model.core, FREERIDGE_COL_MAJOR, m, points.x.data(), m,
                                                    points.fixed, m, variance.begin(), m, noise.begin())
                 : freeridge_predict_variance(model.core, FREERIDGE_COL_MAJOR, m, points.x.data(), m, variance.begin(),
                                              m, noise.begin()));
  return Rcpp::List::create(Rcpp::Named("variance") = variance, Rcpp::Named("noise") = noise);
}
