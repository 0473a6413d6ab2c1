// Time of the calls that matter, by Google Benchmark: factorization by route, one lambda with its exact leave-one-out
// errors, leave-one-out scores at 100 lambdas, gradients of scores, kernel values a second, rows of an accumulator a
// second, a small fit.
// Data are made up: x uniform on [-1, 1], y = sin(3 x_1) + x_2^2 + noise. --benchmark_filter=WORD picks some of them.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "handles.hpp"

namespace {

using bench::check;

constexpr std::int64_t features = 8;
constexpr const char* gaussian = "gaussian(sigma = 2)";

struct Problem {
  Problem(std::int64_t points, std::int64_t columns)
      : n(points), d(columns), x(static_cast<std::size_t>(n * d)), y(static_cast<std::size_t>(n)) {
    std::mt19937_64 random(20240607);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::normal_distribution<double> noise(0, 0.1);
    for (double& value : x) value = uniform(random);
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = std::sin(3 * x[i]) + x[i + y.size()] * x[i + y.size()] + noise(random);
  }
  bench::Model model(const char* kernel) const {
    return bench::make_model(bench::make_kernel(kernel), n, d, x.data(), y.data());
  }

  std::int64_t n, d;
  std::vector<double> x, y;
};

// A benchmark's problem: how many points, which kernel, which route (and, for linear kernels, which reduction).
struct Case {
  std::string name;
  std::int64_t n, d;
  const char* kernel;
  freeridge_route route;
  freeridge_reduction reduction = FREERIDGE_REDUCTION_AUTO;
};

// The case's model in state DATA; null, with a word to Google Benchmark, when the library does not have the route.
bench::Model prepare(benchmark::State& state, const Case& which, const Problem& problem) {
  bench::Model model = problem.model(which.kernel);
  if (freeridge_set_parameter(model.get(), FREERIDGE_ROUTE, which.route) != FREERIDGE_OK) {
    state.SkipWithError("this library does not have the route");
    return nullptr;
  }
  check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, which.reduction));
  if (which.route == FREERIDGE_ROUTE_LANDMARK) {
    check(freeridge_set_landmarks(model.get(), which.n / 20, nullptr));
    check(freeridge_set_parameter(model.get(), FREERIDGE_LANDMARK_METHOD, FREERIDGE_LANDMARKS_RANDOM));
    check(freeridge_set_parameter(model.get(), FREERIDGE_LANDMARK_SEED, 1));
  }
  return model;
}

void factorize(benchmark::State& state, const Case& which) {
  const Problem problem(which.n, which.d);
  const bench::Model model = prepare(state, which, problem);
  if (!model) return;
  for (auto _ : state) {
    check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, which.reduction));  // forget the last factorization
    check(freeridge_factorize(model.get()));
  }
  state.SetLabel(bench::route_name(model));
}

void one_lambda_with_loo(benchmark::State& state, const Case& which) {
  const Problem problem(which.n, which.d);
  const bench::Model model = prepare(state, which, problem);
  if (!model) return;
  check(freeridge_factorize(model.get()));
  std::vector<double> errors(problem.y.size());
  double lambda = 0.1;
  for (auto _ : state) {
    lambda *= 1.0001;  // another one each time
    check(freeridge_set_lambda(model.get(), lambda));
    check(freeridge_loo(model.get(), errors.data(), problem.n));
    benchmark::DoNotOptimize(errors.data());
  }
}

void loo_at_100_lambdas(benchmark::State& state, const Case& which) {
  const Problem problem(which.n, which.d);
  const bench::Model model = prepare(state, which, problem);
  if (!model) return;
  check(freeridge_factorize(model.get()));
  constexpr std::int64_t count = 100;
  std::vector<double> lambdas(count), scores(count);
  for (std::size_t l = 0; l < count; ++l) lambdas[l] = std::pow(10.0, -3 + 0.06 * static_cast<double>(l));
  for (auto _ : state) {
    check(freeridge_score(model.get(), FREERIDGE_LOO, count, lambdas.data(), scores.data(), nullptr, count));
    benchmark::DoNotOptimize(scores.data());
  }
}

// The derivatives of a criterion by lambda, a length for each feature and sigma. GROUPS: ten of them.
void score_gradient(benchmark::State& state, freeridge_criterion criterion, std::int64_t n, std::int64_t d) {
  const Problem problem(n, d);
  std::string kernel = "scaled([1";
  for (std::int64_t k = 1; k < d; ++k) kernel += ", 1";
  const bench::Model model = problem.model((kernel + "], gaussian(sigma = 3))").c_str());
  std::vector<std::int32_t> group;
  for (std::int64_t i = 0; i < n; ++i) group.push_back(static_cast<std::int32_t>(i % 10));
  check(freeridge_set_groups(model.get(), 1, group.data(), 0, nullptr));
  std::vector<double> by_kernel(static_cast<std::size_t>(d + 1));
  double score = 0, by_lambda = 0;
  for (auto _ : state) {
    check(freeridge_score_gradient(model.get(), criterion, 0.1, &score, &by_lambda, by_kernel.data()));
    benchmark::DoNotOptimize(by_kernel.data());
  }
}

// The rate is that of predictions: 20000 points against 2000.
void kernel_values(benchmark::State& state, const char* kernel, std::int64_t d) {
  const Problem problem(2000, d), points(20000, d);
  const bench::Model model = problem.model(kernel);
  check(freeridge_set_parameter(model.get(), FREERIDGE_ROUTE, FREERIDGE_ROUTE_CHOLESKY));
  check(freeridge_factorize(model.get()));
  check(freeridge_set_lambda(model.get(), 1));
  std::vector<double> out(points.y.size());
  for (auto _ : state) {
    check(
        freeridge_predict(model.get(), FREERIDGE_COL_MAJOR, points.n, points.x.data(), points.n, out.data(), points.n));
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * problem.n * points.n);
}

void accumulator(benchmark::State& state, std::int64_t rows_at_a_time) {
  const Problem problem(rows_at_a_time, 100);
  const freeridge_points rows = bench::points_of(FREERIDGE_COL_MAJOR, problem.n, problem.d, problem.x.data());
  freeridge_accumulator* handle = nullptr;
  check(freeridge_accumulator_create(problem.d, 1, 1, &handle));
  const bench::Accumulator sums(handle);
  for (auto _ : state) {
    check(freeridge_accumulator_add(handle, &rows, FREERIDGE_COL_MAJOR, problem.y.data(), problem.n, nullptr));
  }
  state.SetItemsProcessed(state.iterations() * problem.n);
}

// From the data to the model at the lambda that is best by leave-one-out.
void whole_fit(benchmark::State& state, std::int64_t n, std::int64_t d) {
  const Problem problem(n, d);
  for (auto _ : state) {
    const bench::Model model = problem.model(gaussian);
    double lambda = 0, score = 0;
    check(freeridge_factorize(model.get()));
    check(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 0, 0, &lambda, &score));
    benchmark::DoNotOptimize(lambda);
  }
}

template <class Function, class... Values>
void add(const std::string& name, Function function, Values... values) {
  benchmark::RegisterBenchmark(name.c_str(), function, values...)->Unit(benchmark::kMillisecond)->UseRealTime();
}

void add_all() {
  std::vector<Case> cases;
  for (const std::int64_t n : {500, 1000, 2000})
    for (const freeridge_route route :
         {freeridge_route{FREERIDGE_ROUTE_CHOLESKY}, freeridge_route{FREERIDGE_ROUTE_SPECTRAL}, bench::band_route})
      cases.push_back({"gaussian/" + std::to_string(n) + "/" + bench::route_name(route), n, features, gaussian, route});
  cases.push_back({"gaussian/20000/landmark", 20000, features, gaussian, FREERIDGE_ROUTE_LANDMARK});
  cases.push_back({"linear/20000x100/qr", 20000, 100, "linear()", FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_QR});
  cases.push_back({"linear/20000x100/gram", 20000, 100, "linear()", FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_GRAM});

  for (const Case& each : cases) add("factorize/" + each.name, factorize, each);
  for (const Case& each : cases) add("one_lambda_with_loo/" + each.name, one_lambda_with_loo, each);
  for (const Case& each : cases)
    if (each.route != FREERIDGE_ROUTE_CHOLESKY) add("loo_at_100_lambdas/" + each.name, loo_at_100_lambdas, each);

  constexpr struct {
    const char* name;
    freeridge_criterion criterion;
  } criteria[] = {
      {"loo", FREERIDGE_LOO}, {"gcv", FREERIDGE_GCV}, {"reml", FREERIDGE_REML}, {"groups", FREERIDGE_GROUPS}};
  for (const auto& each : criteria)
    for (const std::int64_t d : {10, 50})
      add("score_gradient/" + std::string(each.name) + "/n=2000/d=" + std::to_string(d), score_gradient, each.criterion,
          std::int64_t{2000}, d);

  constexpr struct {
    const char *name, *text;
  } kernels[] = {{"polynomial", "polynomial(degree = 3, scale = 1, offset = 1)"},
                 {"gaussian", gaussian},
                 {"laplacian", "laplacian(sigma = 2)"},
                 {"matern_1.5", "matern(nu = 1.5, length = 2)"},
                 {"matern_2.5", "matern(nu = 2.5, length = 2)"}};
  for (const auto& kernel : kernels)
    for (const std::int64_t d : {2, 8, 100})
      add("kernel_values/" + std::string(kernel.name) + "/d=" + std::to_string(d), kernel_values, kernel.text, d);
  for (const std::int64_t rows : {1, 100, 10000})
    add("accumulator/d=100/rows=" + std::to_string(rows), accumulator, rows);
  add("whole_fit/n=50/d=5", whole_fit, 50, 5);
}

}  // namespace

int main(int argc, char** argv) {
  add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  std::fprintf(stderr, "%s\n", freeridge_build_info());
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
