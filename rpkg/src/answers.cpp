// Answers at the lambdas in force: matrices n x t unless said otherwise.
#include "model.h"

int unpenalised_count(const Model& model) {
  std::int64_t count = 0;
  check(freeridge_get_unpenalised(model.core, &count, nullptr, nullptr, nullptr, 0));
  return static_cast<int>(count);
}

NewPoints::NewPoints(const Model& model, SEXP x, SEXP fixed) : Points(x) {
  if (fields.d != dimensions_of(model).d) refuse("newdata has another number of columns");
  add_unpenalised(fixed, "newdata");
  if (fields.unpenalised_count > 0 && fields.unpenalised_count != unpenalised_count(model))
    refuse("fixed has another number of columns");
}

namespace {

using Getter = freeridge_status (*)(const freeridge_model*, double*, std::int64_t);

Rcpp::NumericMatrix get(SEXP handle, Getter getter) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  auto out = fresh<Rcpp::NumericMatrix>(size.n, size.t);
  check_but_undefined(model, getter(model.core, out.begin(), size.n));
  return out;
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_fitted(SEXP handle) {
  return get(handle, freeridge_get_fitted);
}

// NaN where there is no value
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_by_row(SEXP handle, std::string what) {
  if (what == "coefficients")
    return get(handle, [](const freeridge_model* model, double* c, std::int64_t n) {
      return freeridge_coefficients(model, 0, nullptr, c, n, nullptr);
    });
  if (what == "leverage") return get(handle, freeridge_get_leverage);
  if (what == "loo") return get(handle, freeridge_loo);
  if (what == "cooks_distance") return get(handle, freeridge_cooks_distance);
  refuse("unknown answer '" + what + "'");
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_group_errors(SEXP handle, Rcpp::IntegerVector group, int layers, Rcpp::IntegerVector gap) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  auto errors = fresh<Rcpp::NumericMatrix>(size.n, size.t);
  check_but_undefined(model,
                      freeridge_group_errors(model.core, group.begin(), layers, gap.begin(), errors.begin(), size.n));
  return errors;
}

// d x t
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_hyperplane(SEXP handle) {
  const Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  auto w = fresh<Rcpp::NumericMatrix>(size.d, size.t);
  check(freeridge_hyperplane(model.core, 0, nullptr, w.begin(), size.d, nullptr));
  return w;
}

// t numbers
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_intercept(SEXP handle) {
  const Model& model = model_of(handle);
  auto b = fresh<Rcpp::NumericVector>(dimensions_of(model).t);
  check(freeridge_coefficients(model.core, 0, nullptr, nullptr, 0, b.begin()));
  return b;
}

// x: m x d, a matrix or a dgCMatrix; fixed: m x q, NULL without fixed effects; the answer is m x t
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_predict(SEXP handle, SEXP x, SEXP fixed = R_NilValue) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  const NewPoints points(model, x, fixed);
  auto out = fresh<Rcpp::NumericMatrix>(points.rows(), size.t);
  check(model, freeridge_predict_points(model.core, &points.fields, 0, nullptr, FREERIDGE_COL_MAJOR, out.begin(),
                                        points.rows()));
  return out;
}
