// Making a model: kernel, data, weights, groups, landmarks, route, factorization, lambda.
#include <algorithm>
#include <cmath>

#include "model.h"

SparseView::SparseView(const Rcpp::S4& x) : index(x.slot("i")), value(x.slot("x")) {
  const Rcpp::IntegerVector size = x.slot("Dim"), p = x.slot("p");
  if (size.size() != 2 || p.size() != R_xlen_t{size[1]} + 1 || index.size() != value.size() ||
      p[size[1]] != index.size())
    refuse("x is not a valid dgCMatrix");
  rows = size[0];
  columns = size[1];
  start.assign(p.begin(), p.end());
}

Points::Points(SEXP x) {
  fields.size = sizeof fields;
  fields.layout = FREERIDGE_COL_MAJOR;
  if (Rf_isS4(x)) {
    sparse = std::make_unique<SparseView>(Rcpp::S4(x));
    fields.n = sparse->rows;
    fields.d = sparse->columns;
    fields.format = FREERIDGE_CSC;
    fields.start = sparse->start.data();
    fields.index = sparse->index.begin();
    fields.value = sparse->value.begin();
    return;
  }
  const auto view = Rcpp::as<View>(x);
  fields.n = view.rows();
  fields.d = view.cols();
  fields.x = view.data();
}

void Points::add_unpenalised(SEXP values, const char* what) {
  if (Rf_isNull(values)) return;
  const auto view = Rcpp::as<View>(values);
  if (view.rows() != fields.n) refuse(std::string("fixed and ") + what + " differ in their number of rows");
  fields.unpenalised_count = view.cols();
  fields.unpenalised = view.data();
}

// x: a numeric matrix or a dgCMatrix, y: a numeric matrix. Neither is copied: the model borrows R's own memory. fixed: n x
// q, copied, or NULL.
// [[Rcpp::export(rng = false)]]
SEXP core_create(Rcpp::List kernel, SEXP scale, SEXP x, SEXP y, bool missing = false, SEXP fixed = R_NilValue) {
  auto model = std::make_unique<Model>();
  model->x = x;
  model->y = y;
  check(freeridge_create(make_kernel(kernel, scale).get(), &model->core));
  check(freeridge_set_parameter(model->core, FREERIDGE_MISSING, missing ? 1 : 0));
  const auto outputs = Rcpp::as<View>(y);
  Points points(x);
  if (points.rows() != outputs.rows()) refuse("x and y differ in their number of rows");
  points.add_unpenalised(fixed, "x");
  check(freeridge_set_points(model->core, &points.fields, 1, FREERIDGE_COL_MAJOR, outputs.cols(), outputs.data(),
                             outputs.rows()));
  if (points.sparse) model->start = std::move(points.sparse->start);
  return new_model_handle(std::move(model));
}

// [[Rcpp::export(rng = false)]]
void core_set_kept_squares(SEXP handle, double share) {
  check(freeridge_set_parameter(model_of(handle).core, FREERIDGE_KEPT_SQUARES, share));
}

// [[Rcpp::export(rng = false)]]
void core_set_sigma2(SEXP handle, double sigma2) {
  check(freeridge_set_parameter(model_of(handle).core, FREERIDGE_SIGMA2, sigma2));
}

// [[Rcpp::export(rng = false)]]
void core_set_intercept(SEXP handle, int intercept) {
  check(freeridge_set_parameter(model_of(handle).core, FREERIDGE_INTERCEPT, intercept));
}

// [[Rcpp::export(rng = false)]]
void core_set_weights(SEXP handle, Rcpp::NumericVector weights) {
  check(freeridge_set_weights(model_of(handle).core, weights.begin()));
}

// [[Rcpp::export(rng = false)]]
void core_set_groups(SEXP handle, int divisions, Rcpp::IntegerVector group, int layers, Rcpp::IntegerVector gap) {
  check(freeridge_set_groups(model_of(handle).core, divisions, group.begin(), layers, gap.begin()));
}

// [[Rcpp::export(rng = false)]]
void core_set_route(SEXP handle, std::string route) {
  check(freeridge_set_parameter(model_of(handle).core, FREERIDGE_ROUTE, route_of(route)));
}

// [[Rcpp::export(rng = false)]]
void core_set_reduction(SEXP handle, std::string reduction) {
  const freeridge_reduction value = number_of(
      reduction, "reduction",
      {{"auto", FREERIDGE_REDUCTION_AUTO}, {"qr", FREERIDGE_REDUCTION_QR}, {"gram", FREERIDGE_REDUCTION_GRAM}});
  check(freeridge_set_parameter(model_of(handle).core, FREERIDGE_REDUCTION, value));
}

// [[Rcpp::export(rng = false)]]
void core_set_refinement(SEXP handle, int steps) {
  check(freeridge_set_parameter(model_of(handle).core, FREERIDGE_REFINEMENT, steps));
}

// [[Rcpp::export(rng = false)]]
void core_set_accuracy(SEXP handle, double accuracy) {
  check(freeridge_set_parameter(model_of(handle).core, FREERIDGE_ACCURACY, accuracy));
}

// [[Rcpp::export(rng = false)]]
void core_set_device(SEXP handle, double device) {
  check(freeridge_set_parameter(model_of(handle).core, FREERIDGE_DEVICE, device));
}

// [[Rcpp::export(rng = false)]]
std::string core_route(SEXP handle) {
  freeridge_route route = FREERIDGE_ROUTE_AUTO;
  check(freeridge_get_route(model_of(handle).core, &route));
  return route_name(route);
}

// [[Rcpp::export(rng = false)]]
double core_rank(SEXP handle) {
  std::int64_t rank = 0;
  check(freeridge_get_rank(model_of(handle).core, &rank));
  return static_cast<double>(rank);
}

// [[Rcpp::export(rng = false)]]
double core_tolerance(SEXP handle) {
  double tolerance = 0;
  check(freeridge_get_tolerance(model_of(handle).core, &tolerance));
  return tolerance;
}

// [[Rcpp::export(rng = false)]]
double core_memory(SEXP handle) {
  std::int64_t bytes = 0;
  check(freeridge_memory_required(model_of(handle).core, &bytes));
  return static_cast<double>(bytes);
}

// [[Rcpp::export(rng = false)]]
void core_expect_lambdas(SEXP handle, int count) {
  check(freeridge_set_parameter(model_of(handle).core, FREERIDGE_EXPECTED_LAMBDAS, count));
}

// [[Rcpp::export(rng = false)]]
void core_expect_criterion(SEXP handle, std::string criterion) {
  check(freeridge_set_parameter(model_of(handle).core, FREERIDGE_EXPECTED_CRITERION, criterion_of(criterion)));
}

// [[Rcpp::export(rng = false)]]
std::string core_explain(SEXP handle) {
  std::string text(4096, '\0');
  std::int64_t length = 0;
  check(freeridge_explain(model_of(handle).core, static_cast<std::int64_t>(text.size()), text.data(), &length));
  text.resize(static_cast<std::size_t>(length));
  return text;
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
  auto lambda = fresh<Rcpp::NumericVector>(dimensions_of(model).t);
  check(freeridge_get_lambda(model.core, lambda.begin()));
  return lambda;
}

// The place (from 1, column by column) of the first NA, NaN or infinite number in x; 0 when there is none.
// [[Rcpp::export(rng = false)]]
double first_not_finite(Rcpp::NumericVector x) {
  const double* const values = x.begin();
  const R_xlen_t size = x.size(), piece = 4096;
  for (R_xlen_t start = 0; start < size; start += piece) {
    const R_xlen_t end = std::min(start + piece, size);
    double zero = 0;  // one multiplication a number: Inf * 0 and NaN * 0 are NaN
    for (R_xlen_t i = start; i < end; ++i) zero += values[i] * 0;
    if (zero == 0) continue;
    for (R_xlen_t i = start; i < end; ++i)
      if (!std::isfinite(values[i])) return static_cast<double>(i) + 1;
  }
  return 0;
}
