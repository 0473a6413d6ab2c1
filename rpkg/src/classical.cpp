// Classical utilities: matrices in, answers out; no handles.
#include <freeridge_classical.h>

#include "model.h"

namespace {

// x (n x d) and y (n x t), and room for w and b.
struct Regression {
  Regression(SEXP x_in, SEXP y_in)
      : x(Rcpp::as<View>(x_in)),
        y(Rcpp::as<View>(y_in)),
        w(fresh<Rcpp::NumericMatrix>(static_cast<int>(x.cols()), static_cast<int>(y.cols()))),
        b(fresh<Rcpp::NumericVector>(static_cast<int>(y.cols()))) {
    if (x.rows() != y.rows()) refuse("x and y differ in their number of rows");
  }
  View x, y;
  Rcpp::NumericMatrix w;
  Rcpp::NumericVector b;
};

}  // namespace

// summary: also the standard errors, sigma and R squared, NaN where there is no value
// [[Rcpp::export(rng = false)]]
Rcpp::List core_ols(SEXP x, SEXP y, bool intercept, bool summary = false) {
  Regression r(x, y);
  const int d = static_cast<int>(r.x.cols()), t = static_cast<int>(r.y.cols());
  auto w_error = fresh<Rcpp::NumericMatrix>(d, t);
  auto b_error = fresh<Rcpp::NumericVector>(t), sigma = fresh<Rcpp::NumericVector>(t),
       r_squared = fresh<Rcpp::NumericVector>(t);
  freeridge_ols_answers answers{};
  answers.size = sizeof answers, answers.w = r.w.begin(), answers.b = r.b.begin();
  if (summary) {
    answers.w_error = w_error.begin(), answers.b_error = b_error.begin();
    answers.sigma = sigma.begin(), answers.r_squared = r_squared.begin();
  }
  check_but_undefined(freeridge_ols(FREERIDGE_COL_MAJOR, r.x.rows(), d, r.x.data(), r.x.rows(), t, r.y.data(),
                                    r.y.rows(), intercept ? 1 : 0, &answers));
  Rcpp::List out = Rcpp::List::create(Rcpp::Named("w") = r.w, Rcpp::Named("b") = r.b,
                                      Rcpp::Named("rank") = static_cast<double>(answers.rank));
  if (!summary) return out;
  out.push_back(w_error, "w_error");
  out.push_back(b_error, "b_error");
  out.push_back(sigma, "sigma");
  out.push_back(r_squared, "r_squared");
  return out;
}

// penalty: NULL or d numbers
// [[Rcpp::export(rng = false)]]
Rcpp::List core_ridge(SEXP x, SEXP y, bool intercept, double lambda, SEXP penalty) {
  Regression r(x, y);
  const Optional<Rcpp::NumericVector> factors(penalty);
  check(freeridge_ridge(FREERIDGE_COL_MAJOR, r.x.rows(), r.x.cols(), r.x.data(), r.x.rows(), r.y.cols(), r.y.data(),
                        r.y.rows(), intercept ? 1 : 0, lambda, factors.get(), r.w.begin(), r.b.begin()));
  return Rcpp::List::create(Rcpp::Named("w") = r.w, Rcpp::Named("b") = r.b);
}

// exact: NULL or d flags
// [[Rcpp::export(rng = false)]]
Rcpp::List core_tls(SEXP x, SEXP y, bool intercept, SEXP exact) {
  Regression r(x, y);
  const int n = static_cast<int>(r.x.rows()), d = static_cast<int>(r.x.cols()), t = static_cast<int>(r.y.cols());
  const Optional<Rcpp::IntegerVector> flags(exact);
  auto singular_values = fresh<Rcpp::NumericVector>(t), distances = fresh<Rcpp::NumericVector>(n);
  auto x_correction = fresh<Rcpp::NumericMatrix>(n, d), y_correction = fresh<Rcpp::NumericMatrix>(n, t);
  freeridge_tls_answers answers{sizeof answers,    r.w.begin(),          r.b.begin(),         singular_values.begin(),
                                distances.begin(), x_correction.begin(), y_correction.begin()};
  check(freeridge_tls(FREERIDGE_COL_MAJOR, n, d, r.x.data(), n, t, r.y.data(), n, intercept ? 1 : 0, flags.get(),
                      &answers));
  return Rcpp::List::create(Rcpp::Named("w") = r.w, Rcpp::Named("b") = r.b,
                            Rcpp::Named("singular_values") = singular_values, Rcpp::Named("distances") = distances,
                            Rcpp::Named("x_correction") = x_correction, Rcpp::Named("y_correction") = y_correction);
}

// a: m x n; inverse: n x m
// [[Rcpp::export(rng = false)]]
Rcpp::List core_pinv(SEXP a, double rcond) {
  const auto view = Rcpp::as<View>(a);
  auto out = fresh<Rcpp::NumericMatrix>(static_cast<int>(view.cols()), static_cast<int>(view.rows()));
  std::int64_t rank = 0;
  check(freeridge_pinv(FREERIDGE_COL_MAJOR, view.rows(), view.cols(), view.data(), view.rows(), rcond, out.begin(),
                       view.cols(), &rank));
  return Rcpp::List::create(Rcpp::Named("inverse") = out, Rcpp::Named("rank") = static_cast<double>(rank));
}

// How many monomials there are: more than R can index is refused.
// [[Rcpp::export(rng = false)]]
int core_polynomial_count(double d, int degree, bool bias) {
  std::int64_t count = 0;
  check(freeridge_polynomial_exponents(static_cast<std::int64_t>(d), degree, bias ? 1 : 0, &count, nullptr));
  return static_cast<int>(count);
}

// features: n x count, exponents: count x d
// [[Rcpp::export(rng = false)]]
Rcpp::List core_polynomial_features(SEXP x, int degree, bool bias) {
  const auto view = Rcpp::as<View>(x);
  const int count = core_polynomial_count(static_cast<double>(view.cols()), degree, bias);
  auto features = fresh<Rcpp::NumericMatrix>(static_cast<int>(view.rows()), count);
  auto exponents = fresh<Rcpp::IntegerMatrix>(count, static_cast<int>(view.cols()));
  check(freeridge_polynomial_features(FREERIDGE_COL_MAJOR, view.rows(), view.cols(), view.data(), view.rows(), degree,
                                      bias ? 1 : 0, features.begin(), view.rows()));
  check(freeridge_polynomial_exponents(view.cols(), degree, bias ? 1 : 0, nullptr, exponents.begin()));
  return Rcpp::List::create(Rcpp::Named("features") = features, Rcpp::Named("exponents") = exponents);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_polynomial_factors(double d, int degree, double scale, double offset) {
  auto factors = fresh<Rcpp::NumericVector>(core_polynomial_count(d, degree, true));
  check(freeridge_polynomial_feature_factors(static_cast<std::int64_t>(d), degree, scale, offset, factors.begin()));
  return factors;
}

// [[Rcpp::export(rng = false)]]
double core_weighted_median(Rcpp::NumericVector values, Rcpp::NumericVector weights) {
  double median = 0;
  check(freeridge_weighted_median(values.size(), values.begin(), weights.begin(), &median));
  return median;
}

// [[Rcpp::export(rng = false)]]
double core_absolute_slope(Rcpp::NumericVector x, Rcpp::NumericVector y) {
  double slope = 0;
  check(freeridge_absolute_slope(x.size(), x.begin(), y.begin(), &slope));
  return slope;
}

// list(w, errors), the errors NaN where there is nothing to learn the weights from
// [[Rcpp::export(rng = false)]]
Rcpp::List core_stack_weights(Rcpp::NumericMatrix f, Rcpp::NumericVector y, Rcpp::NumericVector weights, double prior) {
  const R_xlen_t n = f.nrow(), k = f.ncol();
  if (y.size() != n || weights.size() != n) refuse("the sizes differ");
  auto w = fresh<Rcpp::NumericVector>(static_cast<int>(k)), errors = fresh<Rcpp::NumericVector>(static_cast<int>(n));
  check_but_undefined(freeridge_stack_weights(FREERIDGE_COL_MAJOR, n, k, f.begin(), n, y.begin(), weights.begin(),
                                              prior, w.begin(), errors.begin()));
  return Rcpp::List::create(Rcpp::Named("w") = w, Rcpp::Named("errors") = errors);
}

// A model for each of many stretches of rows, start[g] to start[g + 1]. weights: NULL or n numbers. Also why some numbers are
// NaN, "" where none is
// [[Rcpp::export(rng = false)]]
Rcpp::List core_batch(Rcpp::NumericMatrix x, Rcpp::NumericMatrix y, SEXP weights_in, Rcpp::NumericVector start,
                      bool intercept, std::string criterion, double low, double high) {
  const Optional<Rcpp::NumericVector> weights(weights_in);
  const int n = x.nrow(), d = x.ncol(), t = y.ncol(), models = static_cast<int>(start.size()) - 1;
  if (y.nrow() != n || models < 1 || (weights.given && weights.kept.size() != n)) refuse("the sizes differ");
  const std::vector<std::int64_t> places(start.begin(), start.end());
  const KernelPtr kernel = make_kernel(Rcpp::List::create(Rcpp::Named("name") = "linear"), R_NilValue);
  Model settings;
  check(freeridge_create(kernel.get(), &settings.core));
  check(freeridge_set_parameter(settings.core, FREERIDGE_INTERCEPT,
                                intercept ? FREERIDGE_INTERCEPT_FREE : FREERIDGE_INTERCEPT_NONE));
  check(freeridge_set_parameter(settings.core, FREERIDGE_MISSING, 1));
  check(freeridge_set_progress(settings.core, listen, static_cast<Listener*>(&settings)));
  auto w = fresh<Rcpp::NumericMatrix>(d, models * t), b = fresh<Rcpp::NumericMatrix>(t, models);
  auto lambda = fresh<Rcpp::NumericMatrix>(t, models), score = fresh<Rcpp::NumericMatrix>(t, models);
  auto df = fresh<Rcpp::NumericMatrix>(t, models), sigma2 = fresh<Rcpp::NumericMatrix>(t, models);
  auto errors = fresh<Rcpp::NumericMatrix>(n, t);
  auto status = fresh<Rcpp::IntegerVector>(models);
  freeridge_batch_answers answers{};
  answers.size = sizeof answers;
  answers.w = w.begin();
  answers.b = b.begin();
  answers.lambda = lambda.begin();
  answers.score = score.begin();
  answers.df = df.begin();
  answers.sigma2 = sigma2.begin();
  answers.errors = errors.begin();
  answers.status = status.begin();
  const Points points(x);
  const std::string reason = reason_of(
      settings, freeridge_batch(settings.core, &points.fields, FREERIDGE_COL_MAJOR, t, y.begin(), n, weights.get(),
                                models, places.data(), criterion_of(criterion), low, high, &answers));
  return Rcpp::List::create(Rcpp::Named("w") = w, Rcpp::Named("b") = b, Rcpp::Named("lambda") = lambda,
                            Rcpp::Named("score") = score, Rcpp::Named("df") = df, Rcpp::Named("sigma2") = sigma2,
                            Rcpp::Named("errors") = errors, Rcpp::Named("status") = status,
                            Rcpp::Named("reason") = reason);
}
