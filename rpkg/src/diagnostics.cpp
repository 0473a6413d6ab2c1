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

// df and sigma without each row, n x t each
// [[Rcpp::export(rng = false)]]
Rcpp::List core_influence(SEXP handle) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  auto df = fresh<Rcpp::NumericMatrix>(size.n, size.t), sigma = fresh<Rcpp::NumericMatrix>(size.n, size.t);
  check_but_undefined(model, freeridge_influence(model.core, df.begin(), sigma.begin(), size.n, nullptr, 0));
  return Rcpp::List::create(Rcpp::Named("df") = df, Rcpp::Named("sigma") = sigma);
}

// coefficients: p; n x (p t)
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_dfbeta(SEXP handle, int coefficients) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  auto out = fresh<Rcpp::NumericMatrix>(size.n, coefficients * size.t);
  check_but_undefined(model, freeridge_influence(model.core, nullptr, nullptr, 0, out.begin(), size.n));
  return out;
}

// difference: n x n, symmetric
// [[Rcpp::export(rng = false)]]
Rcpp::List core_score_test(SEXP handle, Rcpp::NumericMatrix difference) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  auto statistic = fresh<Rcpp::NumericVector>(size.t), p = fresh<Rcpp::NumericVector>(size.t);
  check_but_undefined(model,
                      freeridge_score_test(model.core, difference.begin(), size.n, statistic.begin(), p.begin()));
  return Rcpp::List::create(Rcpp::Named("statistic") = statistic, Rcpp::Named("p") = p);
}

// x: m x d, a matrix or a dgCMatrix, fixed: m x q, or NULL without fixed effects; lower and upper are m x t; folds: 0: all
// that was chosen is chosen again without each fold, -1: rows are left out, -2: groups of rows
// [[Rcpp::export(rng = false)]]
Rcpp::List core_predict_jackknife(SEXP handle, SEXP x, double level, int folds, SEXP fixed = R_NilValue) {
  Model& model = model_of(handle);
  const NewPoints points(model, x, fixed);
  const int m = points.rows(), t = dimensions_of(model).t;
  auto lower = fresh<Rcpp::NumericMatrix>(m, t), upper = fresh<Rcpp::NumericMatrix>(m, t);
  check_but_undefined(model, freeridge_predict_jackknife(model.core, &points.fields, level, folds, 0,
                                                         FREERIDGE_COL_MAJOR, lower.begin(), upper.begin(), m));
  return Rcpp::List::create(Rcpp::Named("lower") = lower, Rcpp::Named("upper") = upper);
}

// x and fixed: as above. label: for each point the label in `group` (from 0) of the rows that are left out, of an empty
// `group` the row itself: m x t. An empty label: each row by itself: m x (n t).
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_predict_left_out(SEXP handle, SEXP x, Rcpp::IntegerVector group, Rcpp::IntegerVector label,
                                          SEXP fixed = R_NilValue) {
  Model& model = model_of(handle);
  const NewPoints points(model, x, fixed);
  const Dimensions size = dimensions_of(model);
  const bool every_row = label.size() == 0;
  const int m = points.rows(), columns = every_row ? size.n * size.t : size.t;
  auto out = fresh<Rcpp::NumericMatrix>(m, columns);
  check_but_undefined(
      model, freeridge_predict_left_out(model.core, &points.fields, group.size() == 0 ? nullptr : group.begin(),
                                        every_row ? nullptr : label.begin(), FREERIDGE_COL_MAJOR, out.begin(), m));
  return out;
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
