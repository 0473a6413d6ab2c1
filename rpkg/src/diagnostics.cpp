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

// x: m x d, a matrix or a dgCMatrix, fixed: m x q, or NULL without fixed effects; lower and upper are m x t; learnt: all
// that was chosen is chosen again without each fold
// [[Rcpp::export(rng = false)]]
Rcpp::List core_predict_jackknife(SEXP handle, SEXP x, double level, bool learnt, SEXP fixed = R_NilValue) {
  Model& model = model_of(handle);
  const NewPoints points(model, x, fixed);
  const int m = points.rows(), t = dimensions_of(model).t;
  auto lower = fresh<Rcpp::NumericMatrix>(m, t), upper = fresh<Rcpp::NumericMatrix>(m, t);
  check_but_undefined(model, freeridge_predict_jackknife(model.core, &points.fields, level, learnt ? 0 : -1, 0,
                                                         FREERIDGE_COL_MAJOR, lower.begin(), upper.begin(), m));
  return Rcpp::List::create(Rcpp::Named("lower") = lower, Rcpp::Named("upper") = upper);
}

// x and fixed: as above; variance is m x t, noise one for each output
// [[Rcpp::export(rng = false)]]
Rcpp::List core_predict_variance(SEXP handle, SEXP x, SEXP fixed = R_NilValue) {
  Model& model = model_of(handle);
  const NewPoints points(model, x, fixed);
  const int m = points.rows(), t = dimensions_of(model).t;
  auto variance = fresh<Rcpp::NumericMatrix>(m, t);
  auto noise = fresh<Rcpp::NumericVector>(t);
  check_but_undefined(model, freeridge_predict_variance(model.core, &points.fields, FREERIDGE_COL_MAJOR,
                                                        variance.begin(), m, noise.begin()));
  return Rcpp::List::create(Rcpp::Named("variance") = variance, Rcpp::Named("noise") = noise);
}
