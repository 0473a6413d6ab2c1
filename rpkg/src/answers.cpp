// Answers at the lambdas in force: matrices n x t unless said otherwise.
#include "model.h"

namespace {

using Getter = freeridge_status (*)(const freeridge_model*, double*, std::int64_t);

Rcpp::NumericMatrix get(SEXP handle, Getter getter) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  auto out = fresh<Rcpp::NumericMatrix>(size.n, size.t);
  check(model, getter(model.core, out.begin(), size.n));
  return out;
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_fitted(SEXP handle) {
  return get(handle, freeridge_get_fitted);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_coefficients(SEXP handle) {
  return get(handle, freeridge_coefficients);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_leverage(SEXP handle) {
  return get(handle, freeridge_get_leverage);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_loo(SEXP handle) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  auto errors = fresh<Rcpp::NumericMatrix>(size.n, size.t);
  check_but_undefined(model, freeridge_loo(model.core, errors.begin(), size.n));
  return errors;
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

// x: m x d, fixed: m x q, or NULL without fixed effects; the answer is m x t
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_predict(SEXP handle, SEXP x, SEXP fixed = R_NilValue) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  const auto view = Rcpp::as<View>(x);
  if (view.cols() != size.d) refuse("newdata has another number of columns");
  const std::int64_t m = view.rows();
  const FixedValues values(fixed, m);
  auto out = fresh<Rcpp::NumericMatrix>(static_cast<int>(m), size.t);
  if (values.given) {
    values.check_columns(model);
    check(model,
          freeridge_predict_fixed(model.core, FREERIDGE_COL_MAJOR, m, view.data(), m, values.data, m, out.begin(), m));
  } else {
    check(model, freeridge_predict(model.core, FREERIDGE_COL_MAJOR, m, view.data(), m, out.begin(), m));
  }
  return out;
}

// The same of a dgCMatrix.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_predict_sparse(SEXP handle, Rcpp::S4 x) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  const SparseView view(x);
  if (view.columns != size.d) refuse("newdata has another number of columns");
  auto out = fresh<Rcpp::NumericMatrix>(view.rows, size.t);
  check(model, freeridge_predict_sparse(model.core, FREERIDGE_CSC, view.rows, view.start.data(), view.index.begin(),
                                        view.value.begin(), FREERIDGE_COL_MAJOR, out.begin(), view.rows));
  return out;
}
