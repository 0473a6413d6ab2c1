// What the benchmarks share: made-up data, a model that frees itself, a check of every status, a clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "freeridge.h"

namespace bench {

inline void check(freeridge_status status) {
  if (status == FREERIDGE_OK) return;
  std::fprintf(stderr, "%s: %s\n", freeridge_status_name(status), freeridge_last_error());
  std::exit(1);
}

// x: n x d, column-major, uniform on [-1, 1];  y = sin(pi x_1) + x_2^2 + the mean of x + noise of standard deviation
// 0.1
struct Problem {
  std::int64_t n;
  std::int64_t d;
  std::vector<double> x;
  std::vector<double> y;
};

inline Problem make_problem(std::int64_t n, std::int64_t d) {
  Problem problem{n, d, std::vector<double>(static_cast<std::size_t>(n * d)),
                  std::vector<double>(static_cast<std::size_t>(n))};
  std::mt19937_64 random(20240607);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::normal_distribution<double> noise(0.0, 0.1);
  for (double& value : problem.x) value = uniform(random);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto x = [&](std::int64_t j) { return problem.x[static_cast<std::size_t>(i + (j % d) * n)]; };
    double mean = 0;
    for (std::int64_t j = 0; j < d; ++j) mean += x(j) / static_cast<double>(d);
    problem.y[static_cast<std::size_t>(i)] = std::sin(3.14159265358979 * x(0)) + x(1) * x(1) + mean + noise(random);
  }
  return problem;
}

struct Destroy {
  void operator()(freeridge_model* model) const { freeridge_destroy(model); }
  void operator()(freeridge_kernel* kernel) const { freeridge_kernel_destroy(kernel); }
};
using Model = std::unique_ptr<freeridge_model, Destroy>;
using Kernel = std::unique_ptr<freeridge_kernel, Destroy>;

inline Kernel gaussian(double sigma) {
  freeridge_kernel* kernel = nullptr;
  check(freeridge_kernel_gaussian(sigma, &kernel));
  return Kernel(kernel);
}

inline Kernel linear() {
  freeridge_kernel* kernel = nullptr;
  check(freeridge_kernel_linear(&kernel));
  return Kernel(kernel);
}

// A model in state DATA that borrows the problem's numbers.
inline Model make_model(const Kernel& kernel, const Problem& problem, freeridge_route route = FREERIDGE_AUTO) {
  freeridge_model* handle = nullptr;
  check(freeridge_create(kernel.get(), &handle));
  Model model(handle);
  check(freeridge_set_data_view(handle, FREERIDGE_COL_MAJOR, problem.n, problem.d, problem.x.data(), problem.n, 1,
                                problem.y.data(), problem.n));
  check(freeridge_set_route(handle, route));
  return model;
}

inline const char* route_name(const Model& model) {
  freeridge_route route = FREERIDGE_AUTO;
  check(freeridge_get_route(model.get(), &route));
  switch (route) {
    case FREERIDGE_CHOLESKY:
      return "cholesky";
    case FREERIDGE_SPECTRAL:
      return "spectral";
    case FREERIDGE_PRIMAL:
      return "primal";
    default:
      return "?";
  }
}

// Wall-clock seconds that action() takes.
template <class Action>
double seconds(const Action& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace bench
