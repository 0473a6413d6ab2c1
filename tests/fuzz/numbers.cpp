// Numeric extremes: NaN, Inf, subnormal and huge numbers, neighbours, zeros and repetitions as data, weights, lambdas
// and parameters, in the calls without a handle and on each handle's way from data to answers. Every answer obeys the
// rules of checked.hpp: a status that the call's comment names, and finite numbers with OK.
#include <algorithm>

#include "fuzz/answers.hpp"
#include "fuzz/source.hpp"
#include "support/points.hpp"

namespace {

using fuzz::Caller;
using fuzz::size_of;
using fuzz::Source;

struct Data {
  std::int64_t n, d, t;
  std::vector<double> x, y, lambdas;  // x and y are tight in both layouts
  bool finite;
};

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

Data data_from(Source& in) {
  Data out;
  const bool finite = !in.one_in(16);
  out.n = in.from(1, 8), out.d = in.from(1, 4), out.t = in.from(1, 2);
  // One scale for all is the rule; anything beside anything, too.
  const int common = in.one_in(2) ? 8 * static_cast<std::int8_t>(in.byte()) : 0;
  out.x = in.wild(out.n * out.d, finite), out.y = in.wild(out.n * out.t, finite);
  const auto scale = [&](std::vector<double>& values) {
    for (double& value : values)
      if (std::isfinite(value) && std::isfinite(std::ldexp(value, common))) value = std::ldexp(value, common);
  };
  if (in.one_in(2)) scale(out.x);
  if (in.one_in(2)) scale(out.y);
  for (int k = 0; k < 3; ++k) out.lambdas.push_back(std::fabs(in.wild(true)));
  out.finite = all_finite(out.x) && all_finite(out.y);
  return out;
}

// Numbers that are none are refused before anything else.
void expect_refused(const Data& data, freeridge_status status, const std::string& name) {
  if (!data.finite && status == FREERIDGE_OK) fuzz::wrong(name + " took NaN or Inf");
}

void solve_at_once(Source& in, Caller& call) {
  const Data data = data_from(in);
  const std::int64_t n = data.n, d = data.d, t = data.t;
  const double* const x = data.x.data();
  const double* const y = data.y.data();
  const bool by_rows = in.one_in(2);
  const auto layout = by_rows ? FREERIDGE_ROW_MAJOR : FREERIDGE_COL_MAJOR;
  const std::int64_t ldx = by_rows ? d : n, ldy = by_rows ? t : n;
  const auto intercept = static_cast<std::int32_t>(in.below(2));
  fuzz::Questions none;
  Output<double> w(size_of(d, t)), b(size_of(t)), w_error(size_of(d, t)), b_error(size_of(t)), sigma(size_of(t)),
      r_squared(size_of(t)), inverse(size_of(n, d)), distances(size_of(n)), of_x(size_of(n, d)), of_y(size_of(n, t));
  Output<std::int64_t> rank(1);
  freeridge_ols_answers ols{sizeof ols, 0, w.get(), b.get(), nullptr, nullptr, nullptr, nullptr};
  freeridge_tls_answers tls{sizeof tls, w.get(), b.get(), sigma.get(), distances.get(), of_x.get(), of_y.get()};
  const auto total = [&](const std::int32_t* exact) {
    const auto made = [&] { return freeridge_tls(layout, n, d, x, ldx, t, y, ldy, intercept, exact, &tls); };
    return call("freeridge_tls", 0, made, w, b, sigma, distances, of_x, of_y);
  };
  const double lambda = data.lambdas[0];
  freeridge_status status = FREERIDGE_OK;
  switch (in.byte() % 7) {
    case 0: {
      const double rcond = in.one_in(2) ? -1.0 : in.wild(true);
      status = ASK(freeridge_pinv, 0, layout, n, d, x, ldx, rcond, inverse, by_rows ? n : d, rank);
      // y plays no part.
      if (!all_finite(data.x) && status == FREERIDGE_OK) fuzz::wrong("freeridge_pinv took NaN or Inf");
      return;
    }
    case 1:
      status = call(
          "freeridge_ols", 0, [&] { return freeridge_ols(layout, n, d, x, ldx, t, y, ldy, intercept, &ols); }, w, b);
      break;
    case 2:
      ols.w_error = w_error.get(), ols.b_error = b_error.get(), ols.sigma = sigma.get(),
      ols.r_squared = r_squared.get();
      status = call(
          "freeridge_ols", 0, [&] { return freeridge_ols(layout, n, d, x, ldx, t, y, ldy, intercept, &ols); }, w, b,
          w_error, b_error, sigma, r_squared);
      break;
    case 3:
      status = ASK(freeridge_ridge, 0, layout, n, d, x, ldx, t, y, ldy, intercept, lambda, nullptr, w, b);
      break;
    case 4: {
      std::vector<double> penalty = in.wild(d, true);
      for (double& factor : penalty) factor = in.one_in(8) ? factor : std::fabs(factor);
      status = ASK(freeridge_ridge, 0, layout, n, d, x, ldx, t, y, ldy, intercept, lambda, penalty.data(), w, b);
      break;
    }
    case 5:
      status = total(nullptr);
      break;
    default: {
      std::vector<std::int32_t> exact;
      for (std::int64_t k = 0; k < d; ++k) exact.push_back(static_cast<std::int32_t>(in.below(2)));
      status = total(exact.data());
    }
  }
  expect_refused(data, status, call.answers.back().call);
}

// Gradients, gradient descent, early stopping and calibration, of any loss with any numbers.
void descent_calls(Source& in, Caller& call, std::int64_t n, std::int64_t d, const std::vector<double>& x,
                   const std::vector<double>& values, const std::vector<double>& weights) {
  const auto loss = static_cast<std::int32_t>(in.from(0, 5)), rule = static_cast<std::int32_t>(in.from(0, 4));
  std::vector<double> y = values;
  if (loss <= FREERIDGE_LOSS_HINGE && !in.one_in(8))
    for (double& value : y) value = in.one_in(2) ? 1 : -1;
  const std::vector<double> w = in.wild(n + d, true);
  const double* const given = in.one_in(2) ? nullptr : weights.data();
  const double lambda = in.one_in(4) ? 0 : std::fabs(in.wild(true)), step = in.one_in(2) ? 0 : std::fabs(in.wild(true));
  const std::int64_t steps[2] = {in.from(0, 3), in.from(1, 20)}, batch = in.from(0, n);
  Output<double> objective(2), gradient(size_of(n + d)), by_b(1), b(2), path(size_of(d, 2));
  ASK(freeridge_loss_gradient, 0, loss, FREERIDGE_COL_MAJOR, n, d, x.data(), n, y.data(), given, lambda, 1, w.data(),
      w.data(), objective, gradient, by_b);
  const std::vector<double> k = in.wild(n * n, true);
  Output<double> value(1), by_c(size_of(n)), by_offset(1);
  ASK(freeridge_expansion_gradient, 0, loss, n, k.data(), n, y.data(), given, lambda, w.data(), w[0], value, by_c,
      by_offset);
  Output<double> at(2);
  freeridge_descent descent{sizeof descent, 1, 0, nullptr, 0, 0, rule, step, batch, 1, nullptr, nullptr, 0};
  ASK(freeridge_gradient_descent, 0, loss, FREERIDGE_COL_MAJOR, n, d, x.data(), n, y.data(), given, lambda, 2, steps,
      &descent, path, b, at);
  Output<double> stopped(size_of(d, 2)), df(2);
  freeridge_early_stopping_answers answers{};
  answers.size = sizeof answers, answers.w = stopped.get(), answers.df = df.get();
  const auto stop = [&] {
    return freeridge_early_stopping(FREERIDGE_COL_MAJOR, n, d, x.data(), n, values.data(), 1, step, 2, steps, &answers);
  };
  call("freeridge_early_stopping", 0, stop, stopped, df);
  Output<double> slope(1), offset(1);
  ASK(freeridge_calibrate, 0, n, values.data(), y.data(), given, slope, offset);
}

void small_calls(Source& in, Caller& call) {
  const std::int64_t n = in.from(1, 8), d = in.from(1, 4);
  const bool finite = !in.one_in(8);
  const std::vector<double> values = in.wild(n, finite), weights = in.wild(n, finite), x = in.wild(n * d, finite);
  const auto degree = static_cast<std::int32_t>(in.from(0, 5)), bias = static_cast<std::int32_t>(in.below(2));
  const double scale = in.wild(finite), offset = in.wild(finite);
  Output<double> one(1);
  Output<std::int64_t> counted(1);
  ASK(freeridge_weighted_median, 0, n, values.data(), weights.data(), one);
  Output<double> slope(1), converted(1);
  ASK(freeridge_absolute_slope, 0, n, values.data(), weights.data(), slope);
  Output<double> w(size_of(d)), errors(size_of(n));
  ASK(freeridge_stack_weights, 0, FREERIDGE_COL_MAJOR, n, d, x.data(), n, values.data(),
      in.one_in(2) ? nullptr : weights.data(), in.one_in(2) ? 0 : std::fabs(scale), w, errors);
  const auto from = static_cast<std::int32_t>(in.from(0, 15)), to = static_cast<std::int32_t>(in.from(0, 15));
  ASK(freeridge_convert_lambda, 0, from, to, n, scale, offset, converted);
  Output<std::int32_t> labels(size_of(n));
  const auto folds = static_cast<std::int32_t>(in.from(0, 9));
  const auto seed = static_cast<std::int64_t>(in.word());
  ASK(freeridge_make_folds, 0, n, folds, seed, labels);
  Output<std::int32_t> holdout(size_of(n));
  ASK(freeridge_make_holdout, 0, n, scale, seed, holdout);
  Output<std::int64_t> layers(1);
  Output<std::int32_t> blocks(size_of(n));
  if (ASK(freeridge_make_blocks, 0, n, folds, from, seed, layers, blocks, nullptr) == FREERIDGE_OK) {
    Output<std::int32_t> gap(size_of(n * layers.values[0]));
    ASK(freeridge_make_blocks, 0, n, folds, from, seed, nullptr, nullptr, gap);
  }
  descent_calls(in, call, n, d, x, values, weights);
  if (ASK(freeridge_polynomial_exponents, 0, d, degree, bias, counted, nullptr) != FREERIDGE_OK) return;
  const std::int64_t count = counted.values[0];
  Output<double> features(size_of(n, count)), factors(size_of(count + 1));
  ASK(freeridge_polynomial_features, 0, FREERIDGE_COL_MAJOR, n, d, x.data(), n, degree, bias, features, n);
  ASK(freeridge_polynomial_feature_factors, 0, d, degree, scale, offset, factors);
}

fuzz::KernelHandle kernel_from(Source& in, std::int64_t d, Caller& call) {
  Output<freeridge_kernel*> out(1), scaled(1), sum(1);
  const double a = in.one_in(4) ? in.wild(false) : std::fabs(in.wild(true)), b = in.wild(true);
  freeridge_status status = FREERIDGE_OK;
  const auto kernel = [&](const char* name, auto make) { status = call(name, 0, make, out); };
  switch (in.byte() % 6) {
    case 0:
      kernel("freeridge_kernel_gaussian", [&] { return freeridge_kernel_gaussian(a, out.get()); });
      break;
    case 1:
      kernel("freeridge_kernel_laplacian", [&] { return freeridge_kernel_laplacian(a, out.get()); });
      break;
    case 2: {
      const double nu = 0.5 + static_cast<double>(in.below(4));
      kernel("freeridge_kernel_matern", [&] { return freeridge_kernel_matern(nu, a, out.get()); });
      break;
    }
    case 3: {
      const auto degree = static_cast<std::int32_t>(in.from(0, 5));
      kernel("freeridge_kernel_polynomial", [&] { return freeridge_kernel_polynomial(degree, a, b, out.get()); });
      break;
    }
    default:
      kernel("freeridge_kernel_linear", [&] { return freeridge_kernel_linear(out.get()); });
  }
  if (status != FREERIDGE_OK) return nullptr;
  fuzz::KernelHandle made(out.values[0]);
  if (in.one_in(4)) {
    const std::vector<double> columns = in.wild(d, true);
    status = ASK(freeridge_kernel_scaled, 0, made.get(), d, columns.data(), scaled);
    if (status == FREERIDGE_OK) made.reset(scaled.values[0]);
  }
  if (in.one_in(4)) {
    const freeridge_kernel* const terms[] = {made.get(), made.get()};
    const double weights[] = {a, std::fabs(b)};
    status = ASK(freeridge_kernel_sum, 0, terms, weights, 2, sum);
    if (status == FREERIDGE_OK) made.reset(sum.values[0]);
  }
  return made;
}

// The kernel's values at the data's own points.
void evaluate(const freeridge_kernel* kernel, const Data& data, Caller& call) {
  const std::int64_t n = data.n;
  const support::Points points = support::at(FREERIDGE_ROW_MAJOR, n, data.d, data.x.data());
  Output<double> out(size_of(n, n));
  const auto status = ASK(freeridge_kernel_evaluate, Caller::in_pieces, kernel, &points.fields, &points.fields,
                          FREERIDGE_ROW_MAJOR, out, n);
  if (!all_finite(data.x) && status == FREERIDGE_OK) fuzz::wrong("freeridge_kernel_evaluate took NaN or Inf");
}

fuzz::Questions questions_from(Source& in, const Data& data) {
  fuzz::Questions out;
  out.numbers = in.wild(7, !in.one_in(16));
  out.lambdas = data.lambdas;
  return out;
}

void one_model(Source& in, Caller& call) {
  const Data data = data_from(in);
  const fuzz::KernelHandle kernel = kernel_from(in, data.d, call);
  if (!kernel) return;
  evaluate(kernel.get(), data, call);
  freeridge_model* made = nullptr;
  if (freeridge_create(kernel.get(), &made) != FREERIDGE_OK) fuzz::wrong("freeridge_create");
  const fuzz::ModelHandle model(made);
  const freeridge_status status = ASK(freeridge_set_data, 0, made, FREERIDGE_ROW_MAJOR, data.n, data.d, data.x.data(),
                                      data.d, data.t, data.y.data(), data.t);
  expect_refused(data, status, "freeridge_set_data");
  if (status != FREERIDGE_OK) return;
  if (in.one_in(3)) {
    std::vector<double> weights = in.wild(data.n, !in.one_in(16));
    for (double& weight : weights) weight = in.one_in(32) ? weight : std::fabs(weight);
    ASK(freeridge_set_weights, 0, made, weights.data());
  }
  freeridge_set_parameter(made, FREERIDGE_INTERCEPT, static_cast<std::int32_t>(in.below(3)));
  freeridge_set_parameter(made, FREERIDGE_ROUTE, static_cast<std::int32_t>(in.below(6)));
  freeridge_set_parameter(made, FREERIDGE_REDUCTION, static_cast<std::int32_t>(in.below(3)));
  if (in.one_in(3)) freeridge_set_landmarks(made, in.from(1, data.n), nullptr);
  if (in.one_in(8)) freeridge_set_parameter(made, FREERIDGE_REFINEMENT, static_cast<std::int32_t>(in.below(4)));
  const fuzz::Questions questions = questions_from(in, data);
  if (ASK(freeridge_factorize, 0, made) != FREERIDGE_OK) return;
  Output<double> lambda(size_of(data.t)), score(size_of(data.t));
  if (in.one_in(4)) {
    const auto criterion = static_cast<std::int32_t>(in.from(1, 3));
    const double low = in.one_in(2) ? 0.0 : data.lambdas[1], high = low == 0 ? 0.0 : data.lambdas[2];
    ASK(freeridge_select_lambda, 0, made, criterion, low, high, lambda, score);
  } else {
    ASK(freeridge_set_lambda, 0, made, data.lambdas[0]);
  }
  fuzz::ask(made, questions, call);
}

void one_classifier(Source& in, Caller& call) {
  const Data data = data_from(in);
  const fuzz::KernelHandle kernel = kernel_from(in, data.d, call);
  if (!kernel) return;
  freeridge_classifier* made = nullptr;
  const auto loss = in.one_in(2) ? FREERIDGE_LOSS_HINGE : FREERIDGE_LOSS_LOGISTIC;
  if (freeridge_classifier_create(kernel.get(), loss, &made) != FREERIDGE_OK)
    fuzz::wrong("freeridge_classifier_create");
  const fuzz::ClassifierHandle classifier(made);
  std::vector<double> y;
  for (std::int64_t i = 0; i < data.n; ++i) y.push_back(in.one_in(2) ? 1.0 : -1.0);
  const freeridge_status status = ASK(freeridge_classifier_set_data, 0, made,
                                      support::at(FREERIDGE_COL_MAJOR, data.n, data.d, data.x.data()), y.data());
  if (status == FREERIDGE_OK && !all_finite(data.x)) fuzz::wrong("freeridge_classifier_set_data took NaN or Inf");
  if (status != FREERIDGE_OK) return;
  if (in.one_in(3)) {
    std::vector<double> weights = in.wild(data.n, true);
    for (double& weight : weights) weight = std::fabs(weight);
    ASK(freeridge_classifier_set_weights, 0, made, weights.data());
  }
  freeridge_classifier_set_parameter(made, FREERIDGE_INTERCEPT, static_cast<std::int32_t>(in.below(3)));
  ASK(freeridge_classifier_set_parameter, 0, made, FREERIDGE_TOLERANCE, 1e-6);
  ASK(freeridge_classifier_set_parameter, 0, made, FREERIDGE_ITERATIONS, static_cast<double>(1 + in.below(100)));
  for (const double lambda : data.lambdas) ASK(freeridge_classifier_fit, 0, made, lambda);
  fuzz::ask(made, data.n, data.d, questions_from(in, data), call);
}

void one_accumulator(Source& in, Caller& call) {
  const Data data = data_from(in);
  freeridge_accumulator* made = nullptr;
  if (freeridge_accumulator_create(data.d, data.t, static_cast<std::int32_t>(in.below(2)), &made) != FREERIDGE_OK)
    fuzz::wrong("freeridge_accumulator_create");
  const fuzz::AccumulatorHandle accumulator(made);
  std::vector<double> weights = in.wild(data.n, true);
  for (double& weight : weights) weight = std::fabs(weight);
  const bool weighted = in.one_in(3);
  const std::int64_t chunk = in.from(1, data.n);
  for (std::int64_t first = 0; first < data.n; first += chunk) {
    const auto status =
        ASK(freeridge_accumulator_add, 0, made,
            support::at(FREERIDGE_ROW_MAJOR, std::min(chunk, data.n - first), data.d, data.x.data() + first * data.d,
                        data.d),
            FREERIDGE_ROW_MAJOR, data.y.data() + first * data.t, data.t, weighted ? weights.data() + first : nullptr);
    if (chunk == data.n) expect_refused(data, status, "freeridge_accumulator_add");
  }
  fuzz::ask(made, questions_from(in, data), call);
}

void one_window(Source& in, Caller& call) {
  const Data data = data_from(in);
  const fuzz::KernelHandle kernel = kernel_from(in, data.d, call);
  if (!kernel) return;
  Output<freeridge_window*> out(1);
  const std::int64_t capacity = in.from(0, data.n);
  if (ASK(freeridge_window_create, 0, kernel.get(), nullptr, data.d, data.t, static_cast<std::int32_t>(in.below(2)),
          data.lambdas[0], capacity, 1.0, out) != FREERIDGE_OK)
    return;
  const std::unique_ptr<freeridge_window, void (*)(freeridge_window*)> window(out.values[0], freeridge_window_destroy);
  std::vector<double> weights = in.wild(data.n, true);
  for (double& weight : weights) weight = std::fabs(weight);
  const bool weighted = in.one_in(3), wanted = in.one_in(2);
  const std::int64_t chunk = in.from(1, data.n);
  for (std::int64_t first = 0; first < data.n; first += chunk) {
    const std::int64_t count = std::min(chunk, data.n - first);
    Output<double> errors(size_of(count, data.t));
    errors.null = !wanted;
    ASK(freeridge_window_add, Caller::may_be_nan, window.get(),
        support::at(FREERIDGE_ROW_MAJOR, count, data.d, data.x.data() + first * data.d, data.d), FREERIDGE_ROW_MAJOR,
        data.y.data() + first * data.t, data.t, weighted ? weights.data() + first : nullptr, errors, count);
    if (in.one_in(4)) ASK(freeridge_window_remove, 0, window.get(), 1, nullptr);
    std::int64_t n = 0, rows = 0;
    freeridge_window_get_state(window.get(), &n, nullptr, nullptr, &rows, nullptr, nullptr, nullptr);
    Output<double> loo(size_of(n, data.t)), c(size_of(rows, data.t)), b(size_of(data.t)), f(size_of(data.n, data.t));
    ASK(freeridge_window_loo, 0, window.get(), loo, n);
    ASK(freeridge_window_coefficients, 0, window.get(), c, rows, b);
    ASK(freeridge_window_predict, 0, window.get(),
        support::at(FREERIDGE_ROW_MAJOR, data.n, data.d, data.x.data(), data.d), FREERIDGE_COL_MAJOR, f, data.n);
  }
}

// Models of a few rows each, some of none.
void one_batch(Source& in, Caller& call) {
  const Data data = data_from(in);
  const fuzz::KernelHandle kernel = kernel_from(in, data.d, call);
  if (!kernel) return;
  freeridge_model* made = nullptr;
  if (freeridge_create(kernel.get(), &made) != FREERIDGE_OK) fuzz::wrong("freeridge_create");
  const std::unique_ptr<freeridge_model, void (*)(freeridge_model*)> model(made, freeridge_destroy);
  std::vector<double> weights = in.wild(data.n, true);
  for (double& weight : weights) weight = std::fabs(weight);
  std::vector<std::int64_t> start = {0};
  while (start.back() < data.n) start.push_back(std::min(start.back() + in.from(0, data.n), data.n));
  const std::int64_t models = std::ssize(start) - 1;
  Output<double> b(size_of(data.t, models)), lambda = b, score = b, df = b, sigma2 = b, c(size_of(data.n, data.t)),
                                             errors = c;
  freeridge_batch_answers answers = {};
  answers.size = sizeof answers;
  answers.b = b.get();
  answers.lambda = lambda.get();
  answers.score = score.get();
  answers.df = df.get();
  answers.sigma2 = sigma2.get();
  answers.c = c.get();
  answers.errors = errors.get();
  const double one = in.one_in(3) ? data.lambdas[0] : 0;
  ASK(freeridge_batch, 0, made, support::at(FREERIDGE_ROW_MAJOR, data.n, data.d, data.x.data(), data.d),
      FREERIDGE_ROW_MAJOR, data.t, data.y.data(), data.t, in.one_in(3) ? weights.data() : nullptr, models, start.data(),
      FREERIDGE_LOO, one, one, &answers);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  freeridge_set_threads(1);
  Source in(bytes, size);
  Caller call;
  const std::uint8_t kind = in.byte();
  if (kind >= 248) {
    (kind >= 252 ? one_window : one_batch)(in, call);
    return 0;
  }
  switch (kind % 8) {
    case 0:
      small_calls(in, call);
      break;
    case 1:
    case 2:
      solve_at_once(in, call);
      break;
    case 3:
      one_accumulator(in, call);
      break;
    case 4:
      one_classifier(in, call);
      break;
    default:
      one_model(in, call);
      break;
  }
  return 0;
}
