#include "fuzz/answers.hpp"

#include <algorithm>

#include "support/sparse.hpp"

namespace fuzz {
namespace {

template <class T>
std::vector<T> repeated(const std::vector<T>& values, std::int64_t count) {
  std::vector<T> out;
  for (std::size_t k = 0; k < size_of(count); ++k) out.push_back(values[k % values.size()]);
  return out;
}

// x: column by column. Some of its numbers become zeros, which are left out.
support::Sparse sparse_of(const std::vector<double>& x, std::int64_t rows, std::int64_t columns) {
  support::Matrix out(rows, columns);
  for (std::size_t k = 0; k < x.size(); ++k) out.values[k] = k % 3 == 1 ? 0 : x[k];
  return support::Sparse(out, FREERIDGE_CSC);
}

struct Sizes {
  std::int64_t n = 1, d = 1, t = 1;
};

void ask_for_what_is_set(const freeridge_model* model, const Sizes& size, Caller& call) {
  Output<double> sigma(1), tolerance(1), trace_left(1), trace(1);
  Output<std::int32_t> route(1);
  Output<std::int64_t> landmarks(1), rank(1);
  ASK(freeridge_get_bandwidth, 0, model, sigma, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  ASK(freeridge_get_route, 0, model, route);
  ASK(freeridge_get_rank, 0, model, rank);
  ASK(freeridge_get_tolerance, 0, model, tolerance);
  const auto counted = ASK(freeridge_get_landmarks, 0, model, landmarks, nullptr);
  Output<std::int64_t> rows(counted == FREERIDGE_OK ? size_of(landmarks.values[0]) : 0);
  ASK(freeridge_get_landmarks, 0, model, nullptr, rows);
  ASK(freeridge_landmark_trace, 0, model, trace_left, trace);
  Output<double> lambda(size_of(size.t));
  ASK(freeridge_get_lambda, 0, model, lambda);
}

// What the setters were told.
void ask_for_settings(const freeridge_model* model, const Sizes& size, Caller& call) {
  const auto one = [&](const char* name, auto get, auto output) {
    call(
        name, 0, [&] { return get(model, output.get()); }, output);
  };
  one("freeridge_get_weights", freeridge_get_weights, Output<double>(size_of(size.n)));
  // Not those that change no answer, which a twin (model_twin.cpp) is not told.
  for (const int which : {0, int{FREERIDGE_INTERCEPT}, int{FREERIDGE_ROUTE}, int{FREERIDGE_LANDMARK_METHOD},
                          int{FREERIDGE_LANDMARK_SEED}, int{FREERIDGE_REDUCTION}, int{FREERIDGE_REFINEMENT}, 16}) {
    Output<double> value(1);
    ASK(freeridge_get_parameter, 0, model, which, value);
  }
  Output<std::int64_t> divisions(1), layers(1);  // as many as a forged file says
  const bool grouped = ASK(freeridge_get_groups, 0, model, divisions, nullptr, layers, nullptr) == FREERIDGE_OK;
  Output<std::int32_t> group(size_of(size.n * (grouped ? divisions.values[0] : 1)));
  Output<std::int32_t> gap(size_of(size.n * (grouped ? divisions.values[0] * layers.values[0] : 1)));
  ASK(freeridge_get_groups, 0, model, nullptr, group, nullptr, gap);
  Output<std::int64_t> count(1), given(1), landmarks(size_of(size.n));
  ASK(freeridge_get_requested_landmarks, 0, model, count, given, landmarks);
  Output<freeridge_kernel*> out(1);
  const auto status = ASK(freeridge_get_kernel, 0, model, out);
  const KernelHandle kernel(status == FREERIDGE_OK ? out.values[0] : nullptr);
}

// The answers of set_lambda at many lambdas.
void ask_for_paths(const freeridge_model* model, const Sizes& size, const Questions& questions, Caller& call) {
  const auto [n, d, t] = size;
  const std::int64_t m = questions.m, count = static_cast<std::int64_t>(questions.lambdas.size());
  const double* const lambdas = questions.lambdas.data();
  const std::vector<double> x = repeated(questions.numbers, m * d);
  Output<double> out(size_of(m, count * t)), c(size_of(n, count * t)), w(size_of(d, count * t)), b(size_of(t, count)),
      b_of_w(size_of(t, count));
  const support::Points points = support::at(FREERIDGE_COL_MAJOR, m, d, x.data());
  ASK(freeridge_predict_points, Caller::in_pieces, model, &points.fields, count, lambdas, FREERIDGE_COL_MAJOR, out, m);
  ASK(freeridge_coefficients, Caller::in_pieces, model, count, lambdas, c, n, b);
  ASK(freeridge_hyperplane, Caller::in_pieces, model, count, lambdas, w, d, b_of_w);
}

void ask_for_matrices(const freeridge_model* model, const Sizes& size, const Questions& questions, Caller& call) {
  const std::int64_t n = size.n, lambdas = static_cast<std::int64_t>(questions.lambdas.size());
  Output<double> values(1), vector(size_of(n)), alone(size_of(n)), condition(questions.lambdas.size()),
      rank(questions.lambdas.size()), hat(size_of(n, n)), inverse(size_of(n, n));
  ASK(freeridge_eigenvalues, 0, model, 1, values, vector, n);
  ASK(freeridge_eigenvalues, 0, model, std::max<std::int64_t>(n - 1, 1), alone.get(), nullptr, 0);
  ASK(freeridge_condition_number, 0, model, lambdas, questions.lambdas.data(), condition, rank);
  ASK(freeridge_hat_matrix, Caller::in_pieces, model, questions.lambdas[0], hat, inverse, n);
}

void ask_for_the_fit(const freeridge_model* model, const Sizes& size, const Questions& questions, Caller& call) {
  const auto [n, d, t] = size;
  Output<double> errors(size_of(n, t)), left_out(size_of(n, t)), c(size_of(n, t)), w(size_of(d, t)), b(size_of(t)),
      fitted(size_of(n, t)), leverage(size_of(n, t)), df(size_of(t)), sigma2(size_of(t)), distance(size_of(n, t));
  ASK(freeridge_loo, 0, model, errors, n);
  const std::vector<std::int32_t> labels = repeated(questions.labels, n);
  ASK(freeridge_group_errors, Caller::may_be_nan, model, labels.data(), 0, nullptr, left_out, n);
  Output<double> beside_gaps(size_of(n, t));
  const std::vector<std::int32_t> gap(labels.rbegin(), labels.rend());
  ASK(freeridge_group_errors, Caller::may_be_nan, model, labels.data(), 1, gap.data(), beside_gaps, n);
  ASK(freeridge_coefficients, 0, model, 0, nullptr, c, n, nullptr);
  ASK(freeridge_hyperplane, 0, model, 0, nullptr, w, d, nullptr);
  const std::int64_t side = (d + 1) * t;  // at most
  Output<double> covariance(size_of(side, side)), w_errors(size_of(d, t)), b_errors(size_of(t));
  ASK(freeridge_coefficient_covariance, 0, model, FREERIDGE_COVARIANCE_BAYESIAN, covariance, side);
  ASK(freeridge_coefficient_errors, 0, model, FREERIDGE_COVARIANCE_FREQUENTIST, w_errors, d, b_errors);
  ASK(freeridge_coefficients, 0, model, 0, nullptr, nullptr, 0, b);
  ASK(freeridge_get_fitted, 0, model, fitted, n);
  ASK(freeridge_get_leverage, 0, model, leverage, n);
  ASK(freeridge_degrees_of_freedom, 0, model, df, sigma2);
  ASK(freeridge_cooks_distance, 0, model, distance, n);
  Output<double> freedom(size_of(n, t)), sigma(size_of(n, t)), change(size_of(n, side)), statistic(size_of(t)),
      p(size_of(t));
  ASK(freeridge_influence, 0, model, freedom, sigma, n, nullptr, 0);
  ASK(freeridge_influence, 0, model, nullptr, nullptr, 0, change, n);
  std::vector<double> difference(static_cast<std::size_t>(n * n), 0.0);
  for (std::int64_t i = 0; i < n; i += 2) difference[static_cast<std::size_t>(i * (n + 1))] = 1;
  ASK(freeridge_score_test, 0, model, difference.data(), n, statistic, p);
}

// With unpenalised columns, where the model has some: as many columns of the same numbers.
void ask_with_fixed_effects(const freeridge_model* model, const Sizes& size, const Questions& questions, Caller& call) {
  Output<std::int64_t> known(1);
  ASK(freeridge_get_unpenalised, 0, model, known, nullptr, nullptr, nullptr, 0);
  const std::int64_t m = questions.m, d = size.d, t = size.t, q = known.untouched() ? 0 : known.values[0];
  const std::vector<double> x = repeated(questions.numbers, m * d), fixed = repeated(questions.numbers, m * (q + 1));
  Output<double> out(size_of(m, t)), lower(size_of(m, t)), upper(size_of(m, t)), variance(size_of(m, t)),
      noise(size_of(t)), effects(size_of(q, t)), errors(size_of(q, t)), residual(size_of(t)), path(size_of(m, t)),
      covariance(size_of(q, q * t));
  Output<std::int32_t> kept(size_of(q));
  const support::Points both = support::with(support::at(FREERIDGE_COL_MAJOR, m, d, x.data()), q, fixed.data());
  const freeridge_points* const points = both;
  ASK(freeridge_predict_points, Caller::in_pieces, model, points, 0, nullptr, FREERIDGE_COL_MAJOR, out, m);
  ASK(freeridge_predict_points, Caller::in_pieces, model, points, 1, questions.lambdas.data(), FREERIDGE_COL_MAJOR,
      path, m);
  ASK(freeridge_predict_jackknife, Caller::may_be_inf, model, points, questions.level, -1, 0, FREERIDGE_COL_MAJOR,
      lower, upper, m);
  ASK(freeridge_predict_variance, 0, model, points, FREERIDGE_COL_MAJOR, variance, m, noise);
  Output<double> point_errors(size_of(m, t)), pairs(size_of(m, m * t));
  ASK(freeridge_predict_covariance, 0, model, points, FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COL_MAJOR, point_errors,
      m, pairs, m);
  ASK(freeridge_get_unpenalised, 0, model, nullptr, kept, effects, errors, std::max<std::int64_t>(q, 1));
  ASK(freeridge_get_unpenalised_covariance, 0, model, covariance, std::max<std::int64_t>(q, 1));
  std::int64_t terms = 1;
  (void)freeridge_variance_components(model, &terms, nullptr, nullptr, nullptr, nullptr);
  Output<double> random(size_of(terms, t)), share(size_of(terms, t)), error(size_of(terms + 1, t));
  ASK(freeridge_variance_components, 0, model, nullptr, residual, random, share, error);
}

void ask_at_new_points(const freeridge_model* model, const Sizes& size, const Questions& questions, Caller& call) {
  const std::int64_t m = questions.m, d = size.d, t = size.t;
  const std::vector<double> x = repeated(questions.numbers, m * d);
  Output<double> out(size_of(m, t)), by_rows(size_of(m, t)), lower(size_of(m, t)), upper(size_of(m, t)),
      variance(size_of(m, t)), noise(size_of(t));
  ASK(freeridge_predict, Caller::in_pieces, model, FREERIDGE_COL_MAJOR, m, x.data(), m, out, m);
  ASK(freeridge_predict, Caller::in_pieces, model, FREERIDGE_ROW_MAJOR, m, x.data(), d, by_rows, t);
  const support::Sparse thin = sparse_of(x, m, d);
  Output<double> of_sparse(size_of(m, t));
  const support::Points sparse = support::at(thin), columns = support::at(FREERIDGE_COL_MAJOR, m, d, x.data()),
                        rows = support::at(FREERIDGE_ROW_MAJOR, m, d, x.data());
  ASK(freeridge_predict_points, Caller::in_pieces, model, &sparse.fields, 0, nullptr, FREERIDGE_COL_MAJOR, of_sparse,
      m);
  ASK(freeridge_predict_jackknife, Caller::may_be_inf, model, &columns.fields, questions.level, -1, 0,
      FREERIDGE_COL_MAJOR, lower, upper, m);
  ASK(freeridge_predict_variance, 0, model, &rows.fields, FREERIDGE_ROW_MAJOR, variance, t, noise);
  const std::vector<std::int32_t> label(static_cast<std::size_t>(m), 1);
  Output<double> without(size_of(m, t)), without_each(size_of(m, size.n * t));
  ASK(freeridge_predict_left_out, 0, model, &columns.fields, nullptr, label.data(), FREERIDGE_COL_MAJOR, without, m);
  ASK(freeridge_predict_left_out, 0, model, &rows.fields, nullptr, nullptr, FREERIDGE_ROW_MAJOR, without_each,
      size.n * t);
  Output<double> point_errors(size_of(m, t)), pairs(size_of(m, m * t));
  ASK(freeridge_predict_covariance, 0, model, &columns.fields, FREERIDGE_COVARIANCE_FREQUENTIST, FREERIDGE_ROW_MAJOR,
      point_errors, t, pairs, m);
  Output<double> gradient(size_of(m, d * t)), slopes(size_of(d, t)), slope_errors(size_of(d, t));
  ASK(freeridge_predict_gradient, Caller::in_pieces, model, &rows.fields, FREERIDGE_ROW_MAJOR, gradient, d * t);
  ASK(freeridge_average_gradient, 0, model, &columns.fields, nullptr, FREERIDGE_COVARIANCE_BAYESIAN, slopes,
      slope_errors, d);
  std::vector<std::int64_t> group(static_cast<std::size_t>(m));
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = static_cast<std::int64_t>(i % 2);
  const std::int64_t groups = std::min<std::int64_t>(m, 2);
  Output<double> sums(size_of(groups, t)), sum_errors(size_of(groups, t)), sum_pairs(size_of(groups, groups * t));
  ASK(freeridge_predict_combinations, 0, model, &columns.fields, groups, group.data(), x.data(),
      FREERIDGE_COVARIANCE_BAYESIAN, sums, sum_errors, groups, sum_pairs, groups);
}

void ask_for_gradients(const freeridge_model* model, const Questions& questions, Caller& call) {
  freeridge_kernel* kernel = nullptr;
  std::int64_t count = 0;
  if (freeridge_get_kernel(model, &kernel) != FREERIDGE_OK) return;
  const KernelHandle own(kernel);
  if (freeridge_kernel_get_hyperparameters(kernel, &count, nullptr) != FREERIDGE_OK) wrong("a kernel has no count");
  for (std::int32_t criterion = FREERIDGE_LOO; criterion <= FREERIDGE_EVIDENCE; ++criterion) {
    Output<double> score(1), by_lambda(1), by_kernel(std::max<std::int64_t>(count, 1));
    ASK(freeridge_score_gradient, 0, model, criterion, questions.lambdas[0], score, by_lambda, by_kernel);
  }
}

void ask_for_scores(const freeridge_model* model, const Sizes& size, const Questions& questions, Caller& call) {
  const auto count = static_cast<std::int64_t>(questions.lambdas.size());
  Output<double> grid(4);
  ASK(freeridge_lambda_grid, 0, model, 4, grid);
  Output<double> training(size_of(count, size.t)), norm2(size_of(count, size.t)), objective(size_of(count, size.t));
  ASK(freeridge_objective, 0, model, count, questions.lambdas.data(), training, norm2, objective, count);
  ask_for_gradients(model, questions, call);
  for (std::int32_t criterion = FREERIDGE_LOO; criterion <= FREERIDGE_EVIDENCE; ++criterion) {
    Output<double> scores(size_of(count, size.t)), again(size_of(count, size.t)), errors(size_of(count, size.t));
    const double* const lambdas = questions.lambdas.data();
    ASK(freeridge_score, 0, model, criterion, count, lambdas, scores, nullptr, count);
    ASK(freeridge_score, 0, model, criterion, count, lambdas, again, errors, count);
  }
}

void ask_for_the_search(const freeridge_model* model, const Sizes& size, Caller& call) {
  SearchArgument how_many, of_outputs, rule, tried;
  ASK(freeridge_get_search, 0, model, how_many);
  const std::int64_t count = how_many.count.untouched() ? 1 : how_many.count.values[0];
  const std::size_t t = size_of(size.t);
  of_outputs.with("lambda score edge decades dips", t);
  ASK(freeridge_get_search, 0, model, of_outputs);
  rule.with("standard_error one_se_lambda one_se_score", t);
  ASK(freeridge_get_search, 0, model, rule);
  tried.with("lambdas", size_of(count)).with("scores", size_of(count, size.t));
  ASK(freeridge_get_search, Caller::may_be_nan, model, tried);
  Output<double> floor(1);
  Output<std::int32_t> below(t), end(t);
  ASK(freeridge_lambda_flags, 0, model, floor, below, end);
}

void ask_for_the_bandwidth_search(const freeridge_model* model, Caller& call) {
  Output<std::int32_t> end(1), minima(1);
  Output<double> flat(1);
  ASK(freeridge_get_bandwidth, 0, model, nullptr, nullptr, nullptr, nullptr, end, flat, minima);
}

void ask_for_the_kernel_search(const freeridge_model* model, Caller& call) {
  KernelSearchArgument how_many, all, tried;
  const bool learnt = ASK(freeridge_get_kernel_search, 0, model, how_many) == FREERIDGE_OK;
  const auto room = [&](const Output<std::int64_t>& count) { return learnt ? size_of(count.values[0]) : 1; };
  const std::size_t trials = room(how_many.evaluations);
  all.with("ended", 5).with("stage lambda", trials).with("row", room(how_many.rows));
  all.with("variable low high at", room(how_many.hyperparameters));
  ASK(freeridge_get_kernel_search, 0, model, all);
  tried.with("score gradient", trials);
  ASK(freeridge_get_kernel_search, Caller::may_be_nan, model, tried);
}

template <class Save>
Bytes bytes_of(const char* name, Caller& call, const Save& save) {
  Output<std::int64_t> length(1), again(1);
  if (call(
          name, 0, [&] { return save(0, nullptr, length.get()); }, length) != FREERIDGE_OK)
    return {};
  Bytes out(size_of(length.values[0]));
  if (call(
          name, 0, [&] { return save(length.values[0], out.data(), again.get()); }, again) != FREERIDGE_OK ||
      again.values[0] != length.values[0])
    wrong(std::string(name) + ": the length alone, but not the bytes");
  return out;
}

template <class Handle, class Load>
Handle loaded(const char* name, const Bytes& bytes, Caller& call, const Load& load) {
  const std::unique_ptr<unsigned char[]> exact(new unsigned char[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  Output<typename Handle::pointer> out(1);
  const auto size = static_cast<std::int64_t>(bytes.size());
  const freeridge_status status = call(
      name, 0, [&] { return load(exact.get(), size, out.get()); }, out);
  return Handle(status == FREERIDGE_OK ? out.values[0] : nullptr);
}

}  // namespace

void ask(const freeridge_model* model, const Questions& questions, Caller& call) {
  Output<std::int64_t> n(1), d(1), t(1);
  const auto status = ASK(freeridge_get_dimensions, 0, model, n, d, t);
  Sizes size;
  if (status == FREERIDGE_OK) size = {n.values[0], d.values[0], t.values[0]};
  ask_for_what_is_set(model, size, call);
  ask_for_settings(model, size, call);
  ask_for_scores(model, size, questions, call);
  ask_for_the_search(model, size, call);
  if (questions.bandwidth_search) ask_for_the_bandwidth_search(model, call);
  if (questions.kernel_search) ask_for_the_kernel_search(model, call);
  ask_for_the_fit(model, size, questions, call);
  ask_for_matrices(model, size, questions, call);
  ask_for_paths(model, size, questions, call);
  ask_at_new_points(model, size, questions, call);
  ask_with_fixed_effects(model, size, questions, call);
}

void ask(const freeridge_classifier* classifier, std::int64_t n, std::int64_t d, const Questions& questions,
         Caller& call) {
  const std::int64_t m = questions.m;
  const std::vector<double> x = repeated(questions.numbers, m * d);
  Output<double> decision(size_of(m)), probability(size_of(m)), alone(size_of(m)), left_out(size_of(n)), c(size_of(n)),
      b(1), objective(1), stationarity(1), dual(1), gap(1), margin(1);
  Output<std::int64_t> iterations(1), count(1), rows(size_of(n));
  ASK(freeridge_classifier_predict, Caller::in_pieces, classifier, support::at(FREERIDGE_COL_MAJOR, m, d, x.data()),
      decision, probability);
  ASK(freeridge_classifier_predict, Caller::in_pieces, classifier, support::at(FREERIDGE_ROW_MAJOR, m, d, x.data()),
      alone, nullptr);
  ASK(freeridge_classifier_loo, 0, classifier, left_out);
  ASK(freeridge_classifier_get_coefficients, 0, classifier, c, b);
  ASK(freeridge_classifier_get_convergence, 0, classifier, objective, iterations, stationarity, dual, gap);
  ASK(freeridge_classifier_get_support, Caller::may_be_inf, classifier, count, rows, margin);
  Output<double> distance(size_of(m)), of_points(size_of(n)), slack(size_of(n)), alpha(size_of(n));
  Output<std::int32_t> kind(size_of(n));
  ASK(freeridge_classifier_distances, 0, classifier, support::at(FREERIDGE_COL_MAJOR, m, d, x.data()), distance);
  ASK(freeridge_classifier_get_margins, 0, classifier, of_points, slack, alpha, kind);
  ASK(freeridge_classifier_get_margins, 0, classifier, of_points, nullptr, alpha, nullptr);
  Output<double> lambda(1), weights(size_of(n));
  Output<std::int64_t> points(1), features(1);
  ASK(freeridge_classifier_get_lambda, 0, classifier, lambda);
  ASK(freeridge_classifier_get_weights, 0, classifier, weights);
  for (freeridge_parameter which = 0; which <= FREERIDGE_SIGMA2 + 1; ++which) {
    Output<double> setting(1);
    ASK(freeridge_classifier_get_parameter, 0, classifier, which, setting);
  }
  ASK(freeridge_classifier_get_dimensions, 0, classifier, points, features);
}

void ask(const freeridge_accumulator* accumulator, const Questions& questions, Caller& call) {
  Output<std::int64_t> rows(1), columns(1), outputs(1), memory(1);
  Output<double> sum(1);
  ASK(freeridge_accumulator_get_dimensions, 0, accumulator, rows, columns, outputs, sum);
  ASK(freeridge_accumulator_memory_required, 0, accumulator, memory);
  const std::int64_t m = questions.m, d = columns.values[0], t = outputs.values[0];
  const auto count = static_cast<std::int64_t>(questions.lambdas.size());
  const double* const lambdas = questions.lambdas.data();
  Output<double> w(size_of(d, count * t)), b(size_of(t, count)), grid(4), errors(size_of(m, count * t));
  ASK(freeridge_accumulator_solve, 0, accumulator, count, lambdas, w, d, b);
  ASK(freeridge_accumulator_lambda_grid, 0, accumulator, 4, grid);
  Output<double> training(size_of(count, t)), norm2(size_of(count, t)), objective(size_of(count, t));
  ASK(freeridge_accumulator_objective, 0, accumulator, count, lambdas, training, norm2, objective, count);
  for (std::int32_t criterion = FREERIDGE_LOO; criterion <= FREERIDGE_REML; ++criterion) {
    Output<double> scores(size_of(count, t));
    ASK(freeridge_accumulator_score, 0, accumulator, criterion, count, lambdas, scores, count);
  }
  for (std::int32_t criterion = FREERIDGE_LOO; criterion <= FREERIDGE_REML; ++criterion) {
    SearchArgument search;
    search.with("lambda score edge decades dips below", size_of(t));
    ASK(freeridge_accumulator_select_lambda, 0, accumulator, criterion, 0, 0, search);
  }
  for (freeridge_parameter which = 0; which <= FREERIDGE_SIGMA2 + 1; ++which) {
    Output<double> setting(1);
    ASK(freeridge_accumulator_get_parameter, 0, accumulator, which, setting);
  }
  // Rows that were never added: the numbers mean nothing, and may be any.
  const std::vector<double> x = repeated(questions.numbers, m * d), y = repeated(questions.numbers, m * t);
  ASK(freeridge_accumulator_errors, Caller::in_pieces | Caller::may_be_nan | Caller::may_be_inf, accumulator,
      support::at(FREERIDGE_COL_MAJOR, m, d, x.data(), m), FREERIDGE_COL_MAJOR, y.data(), m, nullptr, nullptr, count,
      lambdas, errors, m);
  std::vector<std::int32_t> group(size_of(m));
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = static_cast<std::int32_t>(i % 3);
  Output<double> group_errors(errors.values.size()), moments(size_of(5 * count * t));
  ASK(freeridge_accumulator_errors, Caller::may_be_nan, accumulator,
      support::at(FREERIDGE_COL_MAJOR, m, d, x.data(), m), FREERIDGE_COL_MAJOR, y.data(), m, nullptr, group.data(),
      count, lambdas, group_errors, m);
  ASK(freeridge_accumulator_moments, 0, accumulator, support::at(FREERIDGE_COL_MAJOR, m, d, x.data(), m),
      FREERIDGE_COL_MAJOR, y.data(), m, nullptr, group.data(), count, lambdas, moments);
  Output<std::int64_t> unpenalised(1);
  Output<std::int32_t> kept(size_of(d));
  ASK(freeridge_accumulator_get_unpenalised, 0, accumulator, unpenalised, kept);
  const support::Sparse thin = sparse_of(x, m, d);
  Output<double> sparse_errors(errors.values.size());
  ASK(freeridge_accumulator_errors, Caller::in_pieces | Caller::may_be_nan | Caller::may_be_inf, accumulator,
      support::at(thin), FREERIDGE_COL_MAJOR, y.data(), m, nullptr, nullptr, count, lambdas, sparse_errors, m);
  Output<double> sum_w(1), squares(size_of(count * t)), sparse_sum(1), sparse_squares(size_of(count * t));
  ASK(freeridge_accumulator_squared_errors, 0, accumulator, support::at(FREERIDGE_COL_MAJOR, m, d, x.data(), m),
      FREERIDGE_COL_MAJOR, y.data(), m, nullptr, count, lambdas, sum_w, squares, count);
  ASK(freeridge_accumulator_squared_errors, 0, accumulator, support::at(thin), FREERIDGE_COL_MAJOR, y.data(), m,
      nullptr, count, lambdas, sparse_sum, sparse_squares, count);
}

Bytes saved(const freeridge_model* model, bool predictor, Caller& call) {
  const freeridge_save_kind what = predictor ? FREERIDGE_SAVE_PREDICTOR : FREERIDGE_SAVE_MODEL;
  return bytes_of("freeridge_save_to_memory", call, [&](std::int64_t size, void* bytes, std::int64_t* length) {
    return freeridge_save_to_memory(model, what, size, bytes, length);
  });
}

Bytes saved(const freeridge_accumulator* accumulator, Caller& call) {
  return bytes_of("freeridge_accumulator_save_to_memory", call,
                  [&](std::int64_t size, void* bytes, std::int64_t* length) {
                    return freeridge_accumulator_save_to_memory(accumulator, size, bytes, length);
                  });
}

Bytes saved(const freeridge_classifier* classifier, Caller& call) {
  return bytes_of("freeridge_classifier_save_to_memory", call,
                  [&](std::int64_t size, void* bytes, std::int64_t* length) {
                    return freeridge_classifier_save_to_memory(classifier, size, bytes, length);
                  });
}

ModelHandle cloned(const freeridge_model* model, Caller& call) {
  Output<freeridge_model*> out(1);
  const auto status = ASK(freeridge_clone, 0, model, out);
  return ModelHandle(status == FREERIDGE_OK ? out.values[0] : nullptr);
}

ModelHandle loaded_model(const Bytes& bytes, Caller& call) {
  return loaded<ModelHandle>("freeridge_load_from_memory", bytes, call, freeridge_load_from_memory);
}

AccumulatorHandle loaded_accumulator(const Bytes& bytes, Caller& call) {
  return loaded<AccumulatorHandle>("freeridge_accumulator_load_from_memory", bytes, call,
                                   freeridge_accumulator_load_from_memory);
}

ClassifierHandle loaded_classifier(const Bytes& bytes, Caller& call) {
  return loaded<ClassifierHandle>("freeridge_classifier_load_from_memory", bytes, call,
                                  freeridge_classifier_load_from_memory);
}

std::string text_of(const freeridge_kernel* kernel) {
  std::int64_t length = 0;
  if (freeridge_kernel_describe(kernel, 0, nullptr, &length) != FREERIDGE_OK) wrong("a kernel has no text");
  std::string text(size_of(length), '\0');
  if (freeridge_kernel_describe(kernel, length + 1, text.data(), &length) != FREERIDGE_OK)
    wrong("a kernel has no text");
  return text;
}

// A kernel with its own hyperparameters is the same kernel.
void ask_hyperparameters(const freeridge_kernel* kernel, Caller& call) {
  Output<std::int64_t> count(1);
  ASK(freeridge_kernel_get_hyperparameters, 0, kernel, count, nullptr);
  for (std::int64_t i = 0; i < std::min<std::int64_t>(count.values[0], 8); ++i) {
    Output<std::int64_t> length(1);
    ASK(freeridge_kernel_hyperparameter_name, 0, kernel, i, 0, nullptr, length);
  }
  Output<double> values(std::max<std::int64_t>(count.values[0], 1));
  ASK(freeridge_kernel_get_hyperparameters, 0, kernel, nullptr, values);
  Output<freeridge_kernel*> out(1);
  const auto status = ASK(freeridge_kernel_with_hyperparameters, 0, kernel, values.values.data(), out);
  if (status != FREERIDGE_OK) return;
  const KernelHandle again(out.values[0]);
  if (text_of(kernel) != text_of(again.get())) wrong("a kernel with its own hyperparameters is another kernel");
}

// What a kernel is made of, level by level.
void ask_structure(const freeridge_kernel* kernel, Caller& call) {
  Output<std::int32_t> parameters(1), parts(1);
  ASK(freeridge_kernel_get_counts, 0, kernel, parameters, parts);
  if (freeridge_kernel_name(kernel) == nullptr) wrong("a kernel has no name");
  for (std::int32_t i = 0; i < parameters.values[0]; ++i) {
    if (freeridge_kernel_parameter_name(kernel, i) == nullptr) wrong("a parameter has no name");
    Output<std::int64_t> length(1);
    ASK(freeridge_kernel_get_parameter, 0, kernel, i, 0, nullptr, length);
    Output<double> values(length.values[0]);
    ASK(freeridge_kernel_get_parameter, 0, kernel, i, length.values[0], values, length);
  }
  ask_hyperparameters(kernel, call);
  for (std::int32_t i = 0; i < parts.values[0]; ++i) {
    Output<freeridge_kernel*> out(1);
    const auto status = ASK(freeridge_kernel_get_part, 0, kernel, i, out);
    if (status != FREERIDGE_OK) continue;
    const KernelHandle part(out.values[0]);
    ask_structure(part.get(), call);
  }
}

KernelHandle parsed(const char* text, Caller& call) {
  Output<freeridge_kernel*> out(1);
  const auto status = ASK(freeridge_kernel_parse, 0, text, out);
  if (status != FREERIDGE_OK) return nullptr;
  ask_structure(out.values[0], call);
  return KernelHandle(out.values[0]);
}

}  // namespace fuzz
