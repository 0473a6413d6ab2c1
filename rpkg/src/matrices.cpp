// Eigenvalues, conditioning, whole matrices, and kernel values. What has no value is NaN.
#include "model.h"

// The `count` largest eigenvalues, or their eigenvectors, n x count
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_eigenvalues(SEXP handle, int count, bool vectors) {
  Model& model = model_of(handle);
  const int n = dimensions_of(model).n;
  auto out = vectors ? Rcpp::NumericVector(fresh<Rcpp::NumericMatrix>(n, count)) : fresh<Rcpp::NumericVector>(count);
  check(model,
        freeridge_eigenvalues(model.core, count, vectors ? nullptr : out.begin(), vectors ? out.begin() : nullptr, n));
  return out;
}

// condition and rank: one for each lambda
// [[Rcpp::export(rng = false)]]
Rcpp::List core_condition(SEXP handle, Rcpp::NumericVector lambdas) {
  Model& model = model_of(handle);
  const int count = static_cast<int>(lambdas.size());
  auto condition = fresh<Rcpp::NumericVector>(count), rank = fresh<Rcpp::NumericVector>(count);
  check_but_undefined(model,
                      freeridge_condition_number(model.core, count, lambdas.begin(), condition.begin(), rank.begin()));
  return Rcpp::List::create(Rcpp::Named("condition") = condition, Rcpp::Named("rank") = rank);
}

// H, or the inverse: n x n
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_hat_matrix(SEXP handle, double lambda, bool inverse) {
  Model& model = model_of(handle);
  const int n = dimensions_of(model).n;
  auto out = fresh<Rcpp::NumericMatrix>(n, n);
  check(model,
        freeridge_hat_matrix(model.core, lambda, inverse ? nullptr : out.begin(), inverse ? out.begin() : nullptr, n));
  return out;
}

// x: m x d, z: r x d; m x r
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_kernel_evaluate(Rcpp::List kernel, SEXP x, SEXP z) {
  const KernelPtr made = make_kernel(kernel, R_NilValue);
  const Points points(x), others(z);
  if (points.fields.d != others.fields.d) refuse("x and z have different numbers of columns");
  auto out = fresh<Rcpp::NumericMatrix>(points.rows(), others.rows());
  check(freeridge_kernel_evaluate(made.get(), &points.fields, &others.fields, FREERIDGE_COL_MAJOR, out.begin(),
                                  points.rows()));
  return out;
}

// The d divisors of a linear kernel; of another one NULL. d = 0: an empty vector for any linear kernel.
// [[Rcpp::export(rng = false)]]
SEXP core_kernel_linear_scale(Rcpp::List kernel, int d) {
  const KernelPtr made = make_kernel(kernel, R_NilValue);
  auto scale = fresh<Rcpp::NumericVector>(d);
  std::int32_t linear = 0;
  check(freeridge_kernel_linear_scale(made.get(), d, d > 0 ? scale.begin() : nullptr, &linear));
  return linear != 0 ? SEXP(scale) : R_NilValue;
}
