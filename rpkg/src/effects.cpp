// Covariances of coefficients, derivatives of f, and their averages with standard errors. What has no value is NaN.
#include "model.h"

namespace {

freeridge_covariance_type covariance_type_of(const std::string& name) {
  return number_of(name, "type of covariance",
                   {{"bayesian", FREERIDGE_COVARIANCE_BAYESIAN}, {"frequentist", FREERIDGE_COVARIANCE_FREQUENTIST}});
}

struct Effects {
  Effects(int rows, int t, bool se)
      : average(fresh<Rcpp::NumericMatrix>(rows, t)), errors(fresh<Rcpp::NumericMatrix>(se ? rows : 0, se ? t : 0)) {}
  double* errors_or_null() { return errors.size() > 0 ? errors.begin() : nullptr; }
  Rcpp::List list() const {
    return Rcpp::List::create(Rcpp::Named("average") = average, Rcpp::Named("errors") = errors);
  }
  Rcpp::NumericMatrix average, errors;
};

}  // namespace

// covariance: p t x p t, p = d and 1 with an intercept
// [[Rcpp::export(rng = false)]]
Rcpp::List core_coefficient_covariance(SEXP handle, std::string type, bool intercept) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  const int side = (size.d + (intercept ? 1 : 0)) * size.t;
  auto covariance = fresh<Rcpp::NumericMatrix>(side, side);
  const std::string reason = reason_of(
      model, freeridge_coefficient_covariance(model.core, covariance_type_of(type), covariance.begin(), side));
  return Rcpp::List::create(Rcpp::Named("covariance") = covariance, Rcpp::Named("reason") = reason);
}

// w: d x t, b: t
// [[Rcpp::export(rng = false)]]
Rcpp::List core_coefficient_errors(SEXP handle, std::string type) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  auto w = fresh<Rcpp::NumericMatrix>(size.d, size.t);
  auto b = fresh<Rcpp::NumericVector>(size.t);
  const std::string reason = reason_of(
      model, freeridge_coefficient_errors(model.core, covariance_type_of(type), w.begin(), size.d, b.begin()));
  return Rcpp::List::create(Rcpp::Named("w") = w, Rcpp::Named("b") = b, Rcpp::Named("reason") = reason);
}

// x: m x d, fixed: m x q, or NULL without fixed effects; errors: m x t, covariance: m x (m t), NULL where it is not wanted
// [[Rcpp::export(rng = false)]]
Rcpp::List core_predict_covariance(SEXP handle, SEXP x, std::string type, bool pairs, SEXP fixed = R_NilValue) {
  Model& model = model_of(handle);
  const NewPoints points(model, x, fixed);
  const int m = points.rows(), t = dimensions_of(model).t;
  auto errors = fresh<Rcpp::NumericMatrix>(m, t);
  SEXP covariance = R_NilValue;
  if (pairs) covariance = fresh<Rcpp::NumericMatrix>(m, m * t);
  const std::string reason = reason_of(
      model, freeridge_predict_covariance(model.core, &points.fields, covariance_type_of(type), FREERIDGE_COL_MAJOR,
                                          errors.begin(), m, pairs ? REAL(covariance) : nullptr, m));
  return Rcpp::List::create(Rcpp::Named("errors") = errors, Rcpp::Named("covariance") = covariance,
                            Rcpp::Named("reason") = reason);
}

// x: m x d; m x (d t), the columns of an output side by side
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_predict_gradient(SEXP handle, SEXP x) {
  Model& model = model_of(handle);
  const NewPoints points(model, x);
  const Dimensions size = dimensions_of(model);
  const int m = points.rows();
  auto gradient = fresh<Rcpp::NumericMatrix>(m, size.d * size.t);
  check(model, freeridge_predict_gradient(model.core, &points.fields, FREERIDGE_COL_MAJOR, gradient.begin(), m));
  return gradient;
}

// x: m x d, weights: m; average and errors are d x t
// [[Rcpp::export(rng = false)]]
Rcpp::List core_average_gradient(SEXP handle, SEXP x, Rcpp::NumericVector weights, std::string type, bool se) {
  Model& model = model_of(handle);
  const NewPoints points(model, x);
  const Dimensions size = dimensions_of(model);
  if (weights.size() != points.rows()) refuse("weights must be one number for each row");
  Effects out(size.d, size.t, se);
  check_but_undefined(model,
                      freeridge_average_gradient(model.core, &points.fields, weights.begin(), covariance_type_of(type),
                                                 out.average.begin(), out.errors_or_null(), size.d));
  return out.list();
}

// x: m x d, fixed: as above; group: m numbers from 0 to groups - 1, factors: m; value and errors: groups x t, covariance:
// groups x (groups t), NULL where it is not wanted
// [[Rcpp::export(rng = false)]]
Rcpp::List core_predict_combinations(SEXP handle, SEXP x, Rcpp::IntegerVector group, int groups,
                                     Rcpp::NumericVector factors, std::string type, bool se, bool pairs,
                                     SEXP fixed = R_NilValue) {
  Model& model = model_of(handle);
  const NewPoints points(model, x, fixed);
  const int t = dimensions_of(model).t;
  if (group.size() != points.rows() || factors.size() != points.rows())
    refuse("group and factors must be one number for each row");
  const std::vector<std::int64_t> labels(group.begin(), group.end());
  auto value = fresh<Rcpp::NumericMatrix>(groups, t), errors = fresh<Rcpp::NumericMatrix>(se ? groups : 0, se ? t : 0);
  SEXP covariance = R_NilValue;
  if (pairs) covariance = fresh<Rcpp::NumericMatrix>(groups, groups * t);
  const std::string reason = reason_of(
      model, freeridge_predict_combinations(model.core, &points.fields, groups, labels.data(), factors.begin(),
                                            covariance_type_of(type), value.begin(), se ? errors.begin() : nullptr,
                                            groups, pairs ? REAL(covariance) : nullptr, groups));
  return Rcpp::List::create(Rcpp::Named("value") = value, Rcpp::Named("errors") = errors,
                            Rcpp::Named("covariance") = covariance, Rcpp::Named("reason") = reason);
}
