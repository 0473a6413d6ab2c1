// Ridge regression on rows that come in chunks: an accumulator behind an external pointer.
#include "model.h"

namespace {

using Accumulator = Owner<freeridge_accumulator, freeridge_accumulator_destroy>;

constexpr const char* accumulator_tag = "freeridge_accumulator";

Accumulator& accumulator_of(SEXP handle) {
  return *static_cast<Accumulator*>(address_of(handle, accumulator_tag));
}

SEXP listening(std::unique_ptr<Accumulator> made) {
  check(freeridge_accumulator_set_progress(made->core, listen, static_cast<Listener*>(made.get())));
  return new_handle(std::move(made), accumulator_tag);
}

struct Sizes {
  std::int64_t n = 0, d = 0, t = 0;
  double sum_w = 0;
};

Sizes sizes_of(const freeridge_accumulator* core) {
  Sizes out;
  check(freeridge_accumulator_get_dimensions(core, &out.n, &out.d, &out.t, &out.sum_w));
  return out;
}

// Rows for an accumulator, as R hands them over.
struct Rows {
  Rows(freeridge_accumulator* rows_for, SEXP x_in, SEXP y_in, SEXP weights_in)
      : core(rows_for), x(Rcpp::as<View>(x_in)), y(Rcpp::as<View>(y_in)), weights(weights_in) {
    const Sizes size = sizes_of(core);
    if (x.rows() != y.rows() || x.cols() != size.d || y.cols() != size.t) refuse("x and y do not fit the accumulator");
  }
  // A call of the core with the rows; rest: its arguments after the weights.
  template <class Call, class... Rest>
  freeridge_status given_to(Call call, Rest... rest) const {
    freeridge_points points{};
    points.size = sizeof points;
    points.n = x.rows();
    points.d = x.cols();
    points.layout = FREERIDGE_COL_MAJOR;
    points.x = x.data();
    points.ldx = x.rows();
    return call(core, &points, FREERIDGE_COL_MAJOR, y.data(), y.rows(), weights.get(), rest...);
  }
  freeridge_accumulator* core;
  View x, y;
  Optional<Rcpp::NumericVector> weights;
};

}  // namespace

// unpenalised: how many of the first columns have no penalty
// [[Rcpp::export(rng = false)]]
SEXP core_accumulator_create(double d, double t, bool intercept, double unpenalised = 0) {
  auto made = std::make_unique<Accumulator>();
  check(freeridge_accumulator_create(static_cast<std::int64_t>(d), static_cast<std::int64_t>(t), intercept ? 1 : 0,
                                     &made->core));
  check(freeridge_accumulator_set_parameter(made->core, FREERIDGE_UNPENALISED, unpenalised));
  return listening(std::move(made));
}

// weights: NULL or n numbers
// [[Rcpp::export(rng = false)]]
void core_accumulator_add(SEXP handle, SEXP x, SEXP y, SEXP weights) {
  Accumulator& accumulator = accumulator_of(handle);
  const Rows rows(accumulator.core, x, y, weights);
  check(accumulator, rows.given_to(freeridge_accumulator_add));
}

// [[Rcpp::export(rng = false)]]
void core_accumulator_merge(SEXP handle, SEXP other) {
  Accumulator& accumulator = accumulator_of(handle);
  check(accumulator, freeridge_accumulator_merge(accumulator.core, accumulator_of(other).core));
}

// c(n, d, t, sum_w, intercept); intercept: 1 or 0
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_accumulator_sizes(SEXP handle) {
  const freeridge_accumulator* core = accumulator_of(handle).core;
  const Sizes size = sizes_of(core);
  double intercept = 0;
  check(freeridge_accumulator_get_parameter(core, FREERIDGE_INTERCEPT, &intercept));
  return Rcpp::NumericVector::create(Rcpp::Named("n") = static_cast<double>(size.n),
                                     Rcpp::Named("d") = static_cast<double>(size.d),
                                     Rcpp::Named("t") = static_cast<double>(size.t), Rcpp::Named("sum_w") = size.sum_w,
                                     Rcpp::Named("intercept") = intercept);
}

// w: d x (t count), output j of lambda l in column l t + j; b: t x count
// [[Rcpp::export(rng = false)]]
Rcpp::List core_accumulator_solve(SEXP handle, Rcpp::NumericVector lambdas) {
  Accumulator& accumulator = accumulator_of(handle);
  const Sizes size = sizes_of(accumulator.core);
  const int t = static_cast<int>(size.t), count = static_cast<int>(lambdas.size());
  auto w = fresh<Rcpp::NumericMatrix>(static_cast<int>(size.d), t * count), b = fresh<Rcpp::NumericMatrix>(t, count);
  check(accumulator,
        freeridge_accumulator_solve(accumulator.core, count, lambdas.begin(), w.begin(), size.d, b.begin()));
  return Rcpp::List::create(Rcpp::Named("w") = w, Rcpp::Named("b") = b);
}

// length(lambdas) x t, NaN where there is no value
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_accumulator_score(SEXP handle, std::string criterion, Rcpp::NumericVector lambdas) {
  Accumulator& accumulator = accumulator_of(handle);
  const int count = static_cast<int>(lambdas.size());
  auto scores = fresh<Rcpp::NumericMatrix>(count, static_cast<int>(sizes_of(accumulator.core).t));
  check_but_undefined(accumulator, freeridge_accumulator_score(accumulator.core, criterion_of(criterion), count,
                                                               lambdas.begin(), scores.begin(), count));
  return scores;
}

// training, norm2 and objective: length(lambdas) x t each
// [[Rcpp::export(rng = false)]]
Rcpp::List core_accumulator_objective(SEXP handle, Rcpp::NumericVector lambdas) {
  Accumulator& accumulator = accumulator_of(handle);
  const int count = static_cast<int>(lambdas.size());
  ObjectiveTables tables(count, static_cast<int>(sizes_of(accumulator.core).t));
  check_but_undefined(accumulator,
                      freeridge_accumulator_objective(accumulator.core, count, lambdas.begin(), tables.training.begin(),
                                                      tables.norm2.begin(), tables.objective.begin(), count));
  return tables.list();
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_accumulator_lambda_grid(SEXP handle, int count) {
  auto lambdas = fresh<Rcpp::NumericVector>(count);
  Accumulator& accumulator = accumulator_of(handle);
  check(accumulator, freeridge_accumulator_lambda_grid(accumulator.core, count, lambdas.begin()));
  return lambdas;
}

// list(lambda, score, edge, decades, dips, below), t numbers each; low = high = 0: the range of the grid
// [[Rcpp::export(rng = false)]]
Rcpp::List core_accumulator_select_lambda(SEXP handle, std::string criterion, double low, double high) {
  Accumulator& accumulator = accumulator_of(handle);
  const int t = static_cast<int>(sizes_of(accumulator.core).t);
  auto lambda = fresh<Rcpp::NumericVector>(t), score = fresh<Rcpp::NumericVector>(t);
  auto decades = fresh<Rcpp::NumericVector>(t);
  auto edge = fresh<Rcpp::IntegerVector>(t), dips = fresh<Rcpp::IntegerVector>(t),
       below = fresh<Rcpp::IntegerVector>(t);
  freeridge_search search{};
  search.size = sizeof search;
  search.lambda = lambda.begin(), search.score = score.begin(), search.edge = edge.begin();
  search.decades = decades.begin(), search.dips = dips.begin(), search.below = below.begin();
  check(accumulator,
        freeridge_accumulator_select_lambda(accumulator.core, criterion_of(criterion), low, high, &search));
  return Rcpp::List::create(Rcpp::Named("lambda") = lambda, Rcpp::Named("score") = score, Rcpp::Named("edge") = edge,
                            Rcpp::Named("decades") = decades, Rcpp::Named("dips") = dips, Rcpp::Named("below") = below);
}

// Whether left-out errors at lambda > 0 may have fewer than six digits. (A lambda without REML is not asked about.)
// [[Rcpp::export(rng = false)]]
bool core_accumulator_below(SEXP handle, double lambda) {
  Accumulator& accumulator = accumulator_of(handle);
  std::vector<std::int32_t> below(static_cast<std::size_t>(sizes_of(accumulator.core).t), 0);
  freeridge_search search{};
  search.size = sizeof search;
  search.below = below.data();
  const freeridge_status status =
      freeridge_accumulator_select_lambda(accumulator.core, FREERIDGE_REML, lambda, lambda, &search);
  if (status != FREERIDGE_UNDEFINED) check(accumulator, status);
  return below[0] != 0;
}

// An accumulator over the features of landmarks: a kernel and their coordinates.
// [[Rcpp::export(rng = false)]]
SEXP core_accumulator_create_landmarks(Rcpp::List kernel, Rcpp::NumericMatrix landmarks, double t, bool intercept) {
  const KernelPtr made_kernel = make_kernel(kernel, R_NilValue);
  auto made = std::make_unique<Accumulator>();
  check(freeridge_accumulator_create_landmarks(
      made_kernel.get(), FREERIDGE_COL_MAJOR, landmarks.nrow(), landmarks.ncol(), landmarks.begin(), landmarks.nrow(),
      static_cast<std::int64_t>(t), intercept ? 1 : 0, FREERIDGE_REDUCTION_AUTO, &made->core));
  return listening(std::move(made));
}

// [[Rcpp::export(rng = false)]]
void core_accumulator_prepare(SEXP handle) {
  Accumulator& accumulator = accumulator_of(handle);
  check(accumulator, freeridge_accumulator_prepare(accumulator.core));
}

// The moments of left-out errors, 5 x (t count): rows, weight, mean, spread and rows without an error. group: NULL, where
// each row is left out alone, or a label for each row, from 0 on; the rows of a group, all of them, are left out together
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_accumulator_moments(SEXP handle, SEXP x, SEXP y, SEXP weights, SEXP group,
                                             Rcpp::NumericVector lambdas) {
  Accumulator& accumulator = accumulator_of(handle);
  const Rows rows(accumulator.core, x, y, weights);
  const Optional<Rcpp::IntegerVector> labels(group);
  if (labels.given && labels.kept.size() != rows.x.rows()) refuse("a label for each row");
  const int count = static_cast<int>(lambdas.size());
  auto moments = fresh<Rcpp::NumericMatrix>(5, static_cast<int>(rows.y.cols()) * count);
  check(accumulator,
        rows.given_to(freeridge_accumulator_moments, labels.get(), count, lambdas.begin(), moments.begin()));
  return moments;
}

// The moments of all rows of which `first` and `second` have the moments
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_moments_join(Rcpp::NumericMatrix first, Rcpp::NumericMatrix second) {
  if (first.nrow() != 5 || second.nrow() != 5 || first.ncol() != second.ncol()) refuse("moments of other lambdas");
  Rcpp::NumericMatrix sum = Rcpp::clone(first);
  check(freeridge_moments_join(sum.ncol(), second.begin(), sum.begin()));
  return sum;
}

// list(scores, errors), count x t each, NaN where there is no value
// [[Rcpp::export(rng = false)]]
Rcpp::List core_moments_score(Rcpp::NumericVector lambdas, int t, Rcpp::NumericMatrix moments) {
  const int count = static_cast<int>(lambdas.size());
  if (moments.nrow() != 5 || moments.ncol() != count * t) refuse("moments of other lambdas");
  auto scores = fresh<Rcpp::NumericMatrix>(count, t), errors = fresh<Rcpp::NumericMatrix>(count, t);
  check_but_undefined(
      freeridge_moments_score(count, lambdas.begin(), t, moments.begin(), scores.begin(), errors.begin(), count));
  return Rcpp::List::create(scores, errors);
}

// list(lambda, score, edge, decades, dips, next), t numbers each
// [[Rcpp::export(rng = false)]]
Rcpp::List core_moments_select_lambda(Rcpp::NumericVector lambdas, int t, Rcpp::NumericMatrix moments) {
  if (moments.nrow() != 5 || moments.ncol() != lambdas.size() * t) refuse("moments of other lambdas");
  auto lambda = fresh<Rcpp::NumericVector>(t), score = fresh<Rcpp::NumericVector>(t);
  auto decades = fresh<Rcpp::NumericVector>(t), next = fresh<Rcpp::NumericVector>(t);
  auto edge = fresh<Rcpp::IntegerVector>(t), dips = fresh<Rcpp::IntegerVector>(t);
  freeridge_search search{};
  search.size = sizeof search;
  search.lambda = lambda.begin(), search.score = score.begin(), search.edge = edge.begin();
  search.decades = decades.begin(), search.dips = dips.begin(), search.next = next.begin();
  check(freeridge_moments_select_lambda(lambdas.size(), lambdas.begin(), t, moments.begin(), &search));
  return Rcpp::List::create(Rcpp::Named("lambda") = lambda, Rcpp::Named("score") = score, Rcpp::Named("edge") = edge,
                            Rcpp::Named("decades") = decades, Rcpp::Named("dips") = dips, Rcpp::Named("next") = next);
}

// The one-standard-error rule on moments, as core_one_standard_error() has it
// [[Rcpp::export(rng = false)]]
Rcpp::List core_moments_one_standard_error(Rcpp::NumericVector lambdas, int t, Rcpp::NumericMatrix moments) {
  if (moments.nrow() != 5 || moments.ncol() != lambdas.size() * t) refuse("moments of other lambdas");
  auto lambda = fresh<Rcpp::NumericVector>(t), score = fresh<Rcpp::NumericVector>(t),
       error = fresh<Rcpp::NumericVector>(t);
  freeridge_search search{};
  search.size = sizeof search;
  search.score = score.begin(), search.standard_error = error.begin(), search.one_se_lambda = lambda.begin();
  check_but_undefined(freeridge_moments_select_lambda(lambdas.size(), lambdas.begin(), t, moments.begin(), &search));
  return Rcpp::List::create(Rcpp::Named("lambda") = lambda, Rcpp::Named("score") = score, Rcpp::Named("se") = error);
}

// A model for predictions. lambda: one for each output
// [[Rcpp::export(rng = false)]]
SEXP core_accumulator_predictor(SEXP handle, Rcpp::NumericVector lambda) {
  Accumulator& accumulator = accumulator_of(handle);
  if (lambda.size() != sizes_of(accumulator.core).t) refuse("lambda must have a number for each output");
  auto model = std::make_unique<Model>();
  check(accumulator, freeridge_accumulator_predictor(accumulator.core, lambda.begin(), &model->core));
  return new_model_handle(std::move(model));
}

// Left-out errors, n x (t count), NaN where there is no value; group: as of core_accumulator_moments()
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_accumulator_errors(SEXP handle, SEXP x, SEXP y, SEXP weights, SEXP group,
                                            Rcpp::NumericVector lambdas) {
  Accumulator& accumulator = accumulator_of(handle);
  const Rows rows(accumulator.core, x, y, weights);
  const Optional<Rcpp::IntegerVector> labels(group);
  if (labels.given && labels.kept.size() != rows.x.rows()) refuse("a label for each row");
  const int count = static_cast<int>(lambdas.size());
  auto errors = fresh<Rcpp::NumericMatrix>(static_cast<int>(rows.x.rows()), static_cast<int>(rows.y.cols()) * count);
  check_but_undefined(accumulator, rows.given_to(freeridge_accumulator_errors, labels.get(), count, lambdas.begin(),
                                                 errors.begin(), rows.x.rows()));
  return errors;
}

// sum_w; squares: length(lambdas) x t
// [[Rcpp::export(rng = false)]]
Rcpp::List core_accumulator_squared_errors(SEXP handle, SEXP x, SEXP y, SEXP weights, Rcpp::NumericVector lambdas) {
  Accumulator& accumulator = accumulator_of(handle);
  const Rows rows(accumulator.core, x, y, weights);
  const int count = static_cast<int>(lambdas.size());
  auto squares = fresh<Rcpp::NumericMatrix>(count, static_cast<int>(rows.y.cols()));
  double sum_w = 0;
  check(accumulator,
        rows.given_to(freeridge_accumulator_squared_errors, count, lambdas.begin(), &sum_w, squares.begin(), count));
  return Rcpp::List::create(Rcpp::Named("sum_w") = sum_w, Rcpp::Named("squares") = squares);
}

// compact: first reduces the rows to their triangle, which makes the bytes as few as they can be
// [[Rcpp::export(rng = false)]]
Rcpp::RawVector core_accumulator_save(SEXP handle, bool compact = false) {
  Accumulator& accumulator = accumulator_of(handle);
  freeridge_accumulator* const core = accumulator.core;
  if (compact) check(accumulator, freeridge_accumulator_compact(core));
  std::int64_t length = 0;
  check(freeridge_accumulator_save_to_memory(core, 0, nullptr, &length));
  auto bytes = fresh<Rcpp::RawVector>(static_cast<R_xlen_t>(length));
  check(freeridge_accumulator_save_to_memory(core, length, bytes.begin(), &length));
  return bytes;
}

// [[Rcpp::export(rng = false)]]
SEXP core_accumulator_load(Rcpp::RawVector bytes) {
  auto made = std::make_unique<Accumulator>();
  check(freeridge_accumulator_load_from_memory(bytes.begin(), bytes.size(), &made->core));
  return listening(std::move(made));
}
