// Fixed effects: columns that no penalty touches, their coefficients, and the variance components of the mixed model. What
// has no value is NaN.
#include "model.h"

// kept: q flags; effects, errors: q x t (errors: 0 x 0 where `se` is false); reason: why errors are NaN, or ""
// [[Rcpp::export(rng = false)]]
Rcpp::List core_fixed_effects(SEXP handle, bool se) {
  Model& model = model_of(handle);
  const int q = unpenalised_count(model), t = dimensions_of(model).t;
  auto kept = fresh<Rcpp::IntegerVector>(q);
  auto effects = fresh<Rcpp::NumericMatrix>(q, t), errors = fresh<Rcpp::NumericMatrix>(se ? q : 0, se ? t : 0);
  const std::string reason = reason_of(
      model,
      freeridge_get_unpenalised(model.core, nullptr, kept.begin(), effects.begin(), se ? errors.begin() : nullptr, q));
  return Rcpp::List::create(Rcpp::Named("kept") = kept, Rcpp::Named("effects") = effects,
                            Rcpp::Named("errors") = errors, Rcpp::Named("reason") = reason);
}

// covariance: q x q t, output after output; reason: as above
// [[Rcpp::export(rng = false)]]
Rcpp::List core_fixed_covariance(SEXP handle) {
  Model& model = model_of(handle);
  const int q = unpenalised_count(model), t = dimensions_of(model).t;
  auto covariance = fresh<Rcpp::NumericMatrix>(q, q * t);
  const std::string reason = reason_of(model, freeridge_get_unpenalised_covariance(model.core, covariance.begin(), q));
  return Rcpp::List::create(Rcpp::Named("covariance") = covariance, Rcpp::Named("reason") = reason);
}

// residual: t numbers; random and share terms x t; se, the errors of the shares, (terms + 1) x t, the last of the share of
// the residual; and the reason for those that are NaN, or ""; errors: whether se is wanted
// [[Rcpp::export(rng = false)]]
Rcpp::List core_variance_components(SEXP handle, bool errors) {
  Model& model = model_of(handle);
  const int t = dimensions_of(model).t;
  std::int64_t count = 0;
  check(model, freeridge_variance_components(model.core, &count, nullptr, nullptr, nullptr, nullptr));
  const int terms = static_cast<int>(count);
  auto residual = fresh<Rcpp::NumericVector>(t);
  Rcpp::NumericMatrix random(terms, t), share(terms, t), error(terms + 1, t);
  const std::string reason =
      reason_of(model, freeridge_variance_components(model.core, nullptr, residual.begin(), random.begin(),
                                                     share.begin(), errors ? error.begin() : nullptr));
  return Rcpp::List::create(Rcpp::Named("random") = random, Rcpp::Named("residual") = residual,
                            Rcpp::Named("share") = share, Rcpp::Named("se") = error, Rcpp::Named("reason") = reason);
}
