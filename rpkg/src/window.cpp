// Rows that come and go: a window behind an external pointer.
#include "model.h"

namespace {

using Window = Owner<freeridge_window, freeridge_window_destroy>;

constexpr const char* window_tag = "freeridge_window";

Window& window_of(SEXP handle) {
  return *static_cast<Window*>(address_of(handle, window_tag));
}

struct WindowState {
  explicit WindowState(const Window& window) {
    check(freeridge_window_get_state(window.core, &n, &d, &t, &rows, &lambda, &lost, &factorizations));
  }
  std::int64_t n = 0, d = 0, t = 0, rows = 0, factorizations = 0;
  double lambda = 0, lost = 0;
};

}  // namespace

// landmarks: NULL or a matrix
// [[Rcpp::export(rng = false)]]
SEXP core_window_create(Rcpp::List kernel, SEXP landmarks, double d, double t, bool intercept, double lambda,
                        double capacity, double forgetting) {
  const KernelPtr made_kernel = make_kernel(kernel, R_NilValue);
  std::unique_ptr<Points> z;
  if (!Rf_isNull(landmarks)) z = std::make_unique<Points>(landmarks);
  auto made = std::make_unique<Window>();
  check(freeridge_window_create(made_kernel.get(), z ? &z->fields : nullptr, static_cast<std::int64_t>(d),
                                static_cast<std::int64_t>(t), intercept ? 1 : 0, lambda,
                                static_cast<std::int64_t>(capacity), forgetting, &made->core));
  check(freeridge_window_set_progress(made->core, listen, static_cast<Listener*>(made.get())));
  return new_handle(std::move(made), window_tag);
}

// weights: NULL or n numbers. The errors of the rows before they came, n x t, or NULL where they are not wanted
// [[Rcpp::export(rng = false)]]
SEXP core_window_add(SEXP handle, SEXP x, SEXP y_in, SEXP weights_in, bool errors) {
  Window& window = window_of(handle);
  const Points points(x);
  const View y = Rcpp::as<View>(y_in);
  const WindowState size(window);
  const Optional<Rcpp::NumericVector> weights(weights_in);
  if (points.rows() != y.rows() || points.fields.d != size.d || y.cols() != size.t)
    refuse("x and y do not fit the window");
  auto found = fresh<Rcpp::NumericMatrix>(errors ? points.rows() : 0, static_cast<int>(size.t));
  check(window, freeridge_window_add(window.core, &points.fields, FREERIDGE_COL_MAJOR, y.data(), y.rows(),
                                     weights.get(), errors ? found.begin() : nullptr, points.rows()));
  return errors ? SEXP(found) : R_NilValue;
}

// rows: NULL, the `count` oldest, or numbers from 0 on
// [[Rcpp::export(rng = false)]]
void core_window_remove(SEXP handle, double count, SEXP rows) {
  Window& window = window_of(handle);
  if (Rf_isNull(rows)) {
    check(window, freeridge_window_remove(window.core, static_cast<std::int64_t>(count), nullptr));
    return;
  }
  const Rcpp::NumericVector given(rows);
  const std::vector<std::int64_t> positions(given.begin(), given.end());
  check(window, freeridge_window_remove(window.core, static_cast<std::int64_t>(positions.size()), positions.data()));
}

// [[Rcpp::export(rng = false)]]
void core_window_set_lambda(SEXP handle, double lambda) {
  check(freeridge_window_set_lambda(window_of(handle).core, lambda));
}

// c(lambda, score)
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_window_select_lambda(SEXP handle, std::string criterion, double low, double high) {
  Window& window = window_of(handle);
  double lambda = 0, score = 0;
  check(window, freeridge_window_select_lambda(window.core, criterion_of(criterion), low, high, &lambda, &score));
  return Rcpp::NumericVector::create(Rcpp::Named("lambda") = lambda, Rcpp::Named("score") = score);
}

// n x t
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_window_loo(SEXP handle) {
  Window& window = window_of(handle);
  const WindowState size(window);
  auto errors = fresh<Rcpp::NumericMatrix>(static_cast<int>(size.n), static_cast<int>(size.t));
  check_but_undefined(window, freeridge_window_loo(window.core, errors.begin(), std::max<std::int64_t>(1, size.n)));
  return errors;
}

// c: rows x t, b: t
// [[Rcpp::export(rng = false)]]
Rcpp::List core_window_coefficients(SEXP handle) {
  Window& window = window_of(handle);
  const WindowState size(window);
  auto c = fresh<Rcpp::NumericMatrix>(static_cast<int>(size.rows), static_cast<int>(size.t));
  auto b = fresh<Rcpp::NumericVector>(static_cast<R_xlen_t>(size.t));
  check(window, freeridge_window_coefficients(window.core, c.begin(), std::max<std::int64_t>(1, size.rows), b.begin()));
  return Rcpp::List::create(Rcpp::Named("c") = c, Rcpp::Named("b") = b);
}

// m x t
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_window_predict(SEXP handle, SEXP x) {
  Window& window = window_of(handle);
  const Points points(x);
  auto out = fresh<Rcpp::NumericMatrix>(points.rows(), static_cast<int>(WindowState(window).t));
  check(window, freeridge_window_predict(window.core, &points.fields, FREERIDGE_COL_MAJOR, out.begin(), points.rows()));
  return out;
}

// x, y and weights of the rows that are there
// [[Rcpp::export(rng = false)]]
Rcpp::List core_window_rows(SEXP handle) {
  const Window& window = window_of(handle);
  const WindowState size(window);
  const int n = static_cast<int>(size.n);
  auto x = fresh<Rcpp::NumericMatrix>(n, static_cast<int>(size.d)),
       y = fresh<Rcpp::NumericMatrix>(n, static_cast<int>(size.t));
  auto weights = fresh<Rcpp::NumericVector>(static_cast<R_xlen_t>(n));
  check(freeridge_window_get_rows(window.core, FREERIDGE_COL_MAJOR, x.begin(), n, y.begin(), n, weights.begin()));
  return Rcpp::List::create(Rcpp::Named("x") = x, Rcpp::Named("y") = y, Rcpp::Named("weights") = weights);
}

// c(n, d, t, lambda, lost, factorizations)
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_window_state(SEXP handle) {
  const WindowState of(window_of(handle));
  return Rcpp::NumericVector::create(
      Rcpp::Named("n") = static_cast<double>(of.n), Rcpp::Named("d") = static_cast<double>(of.d),
      Rcpp::Named("t") = static_cast<double>(of.t), Rcpp::Named("lambda") = of.lambda, Rcpp::Named("lost") = of.lost,
      Rcpp::Named("factorizations") = static_cast<double>(of.factorizations));
}
