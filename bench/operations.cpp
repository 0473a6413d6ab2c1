// Time of the calls that matter, by Google Benchmark: the factorization, one lambda with its exact leave-one-out
// errors, and the leave-one-out score at 100 lambdas. Gaussian kernel with d = 8, and a linear model of 20000 x 100.
#include <benchmark/benchmark.h>

#include "problem.hpp"

namespace {

constexpr std::int64_t features = 8;
constexpr std::int64_t count = 100;  // lambdas

struct Gaussian {
  explicit Gaussian(std::int64_t n) : problem(bench::make_problem(n, features)), kernel(bench::gaussian(2.0)) {}
  bench::Problem problem;
  bench::Kernel kernel;
};

struct Linear {
  explicit Linear(std::int64_t n) : problem(bench::make_problem(n, 100)), kernel(bench::linear()) {}
  bench::Problem problem;
  bench::Kernel kernel;
};

template <class Data>
void factorize(benchmark::State& state) {
  const Data data(state.range(0));
  const bench::Model model = bench::make_model(data.kernel, data.problem);
  for (auto _ : state) {
    bench::check(freeridge_set_route(model.get(), FREERIDGE_AUTO));  // forget the last factorization
    bench::check(freeridge_factorize(model.get()));
  }
  state.SetLabel(bench::route_name(model));
}

template <class Data>
void one_lambda_with_loo(benchmark::State& state) {
  const Data data(state.range(0));
  const bench::Model model = bench::make_model(data.kernel, data.problem);
  bench::check(freeridge_factorize(model.get()));
  std::vector<double> errors(static_cast<std::size_t>(data.problem.n));
  double lambda = 0.1;
  for (auto _ : state) {
    lambda *= 1.0001;  // another one each time
    bench::check(freeridge_set_lambda(model.get(), lambda));
    bench::check(freeridge_loo(model.get(), errors.data(), data.problem.n));
    benchmark::DoNotOptimize(errors.data());
  }
}

template <class Data>
void loo_score_at_100_lambdas(benchmark::State& state) {
  const Data data(state.range(0));
  const bench::Model model = bench::make_model(data.kernel, data.problem);
  bench::check(freeridge_factorize(model.get()));
  std::vector<double> lambdas(count);
  std::vector<double> scores(count);
  bench::check(freeridge_lambda_grid(model.get(), count, lambdas.data()));
  for (auto _ : state) {
    bench::check(freeridge_score(model.get(), FREERIDGE_LOO, count, lambdas.data(), scores.data(), count));
    benchmark::DoNotOptimize(scores.data());
  }
}

void gaussian_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(500)->Arg(1000)->Arg(2000)->Unit(benchmark::kMillisecond)->UseRealTime();
}

void linear_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(20000)->Unit(benchmark::kMillisecond)->UseRealTime();
}

}  // namespace

BENCHMARK_TEMPLATE(factorize, Gaussian)->Apply(gaussian_sizes);
BENCHMARK_TEMPLATE(one_lambda_with_loo, Gaussian)->Apply(gaussian_sizes);
BENCHMARK_TEMPLATE(loo_score_at_100_lambdas, Gaussian)->Apply(gaussian_sizes);
BENCHMARK_TEMPLATE(factorize, Linear)->Apply(linear_sizes);
BENCHMARK_TEMPLATE(one_lambda_with_loo, Linear)->Apply(linear_sizes);
BENCHMARK_TEMPLATE(loo_score_at_100_lambdas, Linear)->Apply(linear_sizes);

BENCHMARK_MAIN();
