// Answers at the lambdas in force: matrices n x t unless said otherwise.
#include "model.h"

View points_of(const Model& model, SEXP x) {
  const auto view = Rcpp::as<View>(x);
  if (view.cols() != dimensions_of(model).d) refuse("newdata has another number of columns");
  return view;
}

NewPoints::NewPoints(const Model& model, SEXP x_in, SEXP fixed_in)
    : x(points_of(model, x_in)), m(static_cast<int>(x.rows())) {
  if (Rf_isNull(fixed_in)) return;
  const auto values = Rcpp::as<View>(fixed_in);
  if (values.rows() != m) refuse("fixed and newdata differ in their number of rows");
  std::int64_t q = 0;  // the core reads so many columns of `fixed`
  check(freeridge_get_fixed_count(model.core, &q));
  if (values.cols() != q) refuse("fixed has another number of columns");
  fixed = values.data();
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
  if (what == "coefficients") return get(handle, freeridge_coefficients);
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
  check_but_undefined(
      model, freeridge_group_errors_with_gaps(model.core, group.begin(), layers, gap.begin(), errors.begin(), size.n));
  return errors;
}

// d x t
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_hyperplane(SEXP handle) {
  const Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  auto w = fresh<Rcpp::NumericMatrix>(size.d, size.t);
  check(freeridge_get_hyperplane(model.core, w.begin(), size.d));
  return w;
}

// t numbers
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_intercept(SEXP handle) {
  const Model& model = model_of(handle);
  auto b = fresh<Rcpp::NumericVector>(dimensions_of(model).t);
  check(freeridge_get_intercept(model.core, b.begin()));
  return b;
}

// x: m x d, a matrix or, without fixed effects, a dgCMatrix; fixed: m x q, NULL without fixed effects; the answer is m x t
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_predict(SEXP handle, SEXP x, SEXP fixed = R_NilValue) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  if (Rf_isS4(x)) {
    const SparseView view{Rcpp::S4(x)};
    if (view.columns != size.d) refuse("newdata has another number of columns");
    auto out = fresh<Rcpp::NumericMatrix>(view.rows, size.t);
    check(model, freeridge_predict_sparse(model.core, FREERIDGE_CSC, view.rows, view.start.data(), view.index.begin(),
                                          view.value.begin(), FREERIDGE_COL_MAJOR, out.begin(), view.rows));
    return out;
  }
  const NewPoints points(model, x, fixed);
  const int m = points.m;
  auto out = fresh<Rcpp::NumericMatrix>(m, size.t);
  check(model, points.fixed != nullptr
                   ? freeridge_predict_fixed(model.core, FREERIDGE_COL_MAJOR, m, points.x.data(), m, points.fixed, m,
                                             out.begin(), m)
                   : freeridge_predict(model.core, FREERIDGE_COL_MAJOR, m, points.x.data(), m, out.begin(), m));
  return out;
}
