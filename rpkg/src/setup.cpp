// Making a model: kernel, data, weights, groups, route, factorization, lambda.
#include "model.h"

namespace {

// Heard by the core between blocks of work, on R's main thread. A jump (interrupt, time limit) that R asks for is kept
// as a C++ exception until the core has returned.
SEXP check_interrupt(void*) {
  R_CheckUserInterrupt();
  return R_NilValue;
}

std::int32_t listen(double, void* user) {
  try {
    Rcpp::unwindProtect(&check_interrupt, nullptr);
    return 0;
  } catch (...) {
    static_cast<Model*>(user)->interrupt = std::current_exception();
    return 1;
  }
}

void destroy(Model* model) {
  delete model;
}

}  // namespace

// Builds the kernel and throws it away: the core's own words on its parameters.
// [[Rcpp::export(rng = false)]]
void core_check_kernel(Rcpp::List kernel) {
  make_kernel(kernel, R_NilValue);
}

// x, y: numeric matrices with n rows. They are not copied: the model borrows R's own memory.
// [[Rcpp::export(rng = false)]]
SEXP core_create(Rcpp::List kernel, SEXP scale, SEXP x, SEXP y) {
  using View = Eigen::Map<Eigen::MatrixXd>;
  const auto x_view = Rcpp::as<View>(x);
  const auto y_view = Rcpp::as<View>(y);
  if (x_view.rows() != y_view.rows()) Rcpp::stop("x and y differ in their number of rows");

  const KernelPtr k = make_kernel(kernel, scale);
  auto model = std::make_unique<Model>();
  model->x = x;
  model->y = y;
  check(freeridge_create(k.get(), &model->core));
  check(freeridge_set_data_view(model->core, FREERIDGE_COL_MAJOR, x_view.rows(), x_view.cols(), x_view.data(),
                                x_view.rows(), y_view.cols(), y_view.data(), y_view.rows()));
  check(freeridge_set_progress(model->core, listen, model.get()));
  return Rcpp::XPtr<Model, Rcpp::PreserveStorage, destroy>(model.release(), true, Rf_install("freeridge_model"));
}

// Whether the handle is of this session (an external pointer that was saved comes back empty).
// [[Rcpp::export(rng = false)]]
bool core_is_alive(SEXP handle) {
  return TYPEOF(handle) == EXTPTRSXP && R_ExternalPtrAddr(handle) != nullptr;
}

// [[Rcpp::export(rng = false)]]
void core_set_intercept(SEXP handle, bool on) {
  check(freeridge_set_intercept(model_of(handle).core, on ? 1 : 0));
}

// [[Rcpp::export(rng = false)]]
void core_set_weights(SEXP handle, Rcpp::NumericVector weights) {
  check(freeridge_set_weights(model_of(handle).core, weights.begin()));
}

// [[Rcpp::export(rng = false)]]
void core_set_groups(SEXP handle, Rcpp::IntegerVector group) {
  check(freeridge_set_groups(model_of(handle).core, group.begin()));
}

// [[Rcpp::export(rng = false)]]
void core_set_route(SEXP handle, std::string route) {
  check(freeridge_set_route(model_of(handle).core, route_of(route)));
}

// [[Rcpp::export(rng = false)]]
std::string core_route(SEXP handle) {
  freeridge_route route = FREERIDGE_AUTO;
  check(freeridge_get_route(model_of(handle).core, &route));
  return route_name(route);
}

// [[Rcpp::export(rng = false)]]
void core_expect_lambdas(SEXP handle, int count) {
  check(freeridge_set_expected_lambdas(model_of(handle).core, count));
}

// [[Rcpp::export(rng = false)]]
void core_factorize(SEXP handle) {
  Model& model = model_of(handle);
  check(model, freeridge_factorize(model.core));
}

// lambda: one number for all outputs, or one per output.
// [[Rcpp::export(rng = false)]]
void core_set_lambda(SEXP handle, Rcpp::NumericVector lambda) {
  Model& model = model_of(handle);
  if (lambda.size() == 1)
    check(model, freeridge_set_lambda(model.core, lambda[0]));
  else
    check(model, freeridge_set_lambdas(model.core, lambda.begin()));
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_lambda(SEXP handle) {
  const Model& model = model_of(handle);
  Rcpp::NumericVector lambda(dimensions_of(model).t);
  check(freeridge_get_lambda(model.core, lambda.begin()));
  return lambda;
}

// The place (from 1, column by column) of the first NA, NaN or infinite number in x; 0 when there is none.
// [[Rcpp::export(rng = false)]]
double first_not_finite(Rcpp::NumericVector x) {
  for (R_xlen_t i = 0; i < x.size(); ++i)
    if (!R_FINITE(x[i])) return static_cast<double>(i) + 1;
  return 0;
}
