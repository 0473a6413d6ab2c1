// The objective, the training error and the norm of f at many lambdas, against explicit fits in long double, on every
// route and from an accumulator; far above the largest eigenvalue, where a difference of larger numbers would have no
// digits left; and at lambda 0.
#include <gtest/gtest.h>

#include "support/accumulator.hpp"
#include "support/compare.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"

namespace objective_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

struct Tables {
  Matrix training, norm2, value;
};

using Call = std::function<freeridge_status(double*, double*, double*, std::int64_t)>;

// Each table by a call of its own, and all three by one: the same bits.
Tables tables_of(std::int64_t count, std::int64_t t, const Call& call) {
  const auto one = [&](auto place) {
    return padded_output(count, t, "an objective", nullptr,
                         [&](double* out, std::int64_t ld) { return place(out, ld); });
  };
  Tables out = {one([&](double* to, std::int64_t ld) { return call(to, nullptr, nullptr, ld); }),
                one([&](double* to, std::int64_t ld) { return call(nullptr, to, nullptr, ld); }),
                one([&](double* to, std::int64_t ld) { return call(nullptr, nullptr, to, ld); })};
  Tables all = {Matrix(count, t), Matrix(count, t), Matrix(count, t)};
  check(call(all.training.values.data(), all.norm2.values.data(), all.value.values.data(), count), "an objective");
  EXPECT_TRUE(bit_equal(all.training, out.training) && bit_equal(all.norm2, out.norm2) &&
              bit_equal(all.value, out.value));
  return out;
}

Tables objective(const Model& model, const Vector& at, std::int64_t t) {
  const auto count = static_cast<std::int64_t>(at.size());
  return tables_of(count, t, [&](double* training, double* norm2, double* value, std::int64_t ld) {
    return freeridge_objective(model.get(), count, at.data(), training, norm2, value, ld);
  });
}

Tables objective(const Accumulator& rows, const Vector& at, std::int64_t t) {
  const auto count = static_cast<std::int64_t>(at.size());
  return tables_of(count, t, [&](double* training, double* norm2, double* value, std::int64_t ld) {
    return freeridge_accumulator_objective(rows.get(), count, at.data(), training, norm2, value, ld);
  });
}

// sum_i W_ii (y_i - sum_j K_ij c_j - b)^2 / sum_i W_ii, c'K c, and the objective of both.
Tables expected(const Problem& problem, const Vector& at) {
  const auto k = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
  const std::int64_t n = problem.x.rows, t = problem.y.cols, count = static_cast<std::int64_t>(at.size());
  Tables out = {Matrix(count, t), Matrix(count, t), Matrix(count, t)};
  for (std::int64_t l = 0; l < count; ++l) {
    const double lambda = at[static_cast<std::size_t>(l)];
    const oracle::Fit fit = oracle::fit(problem, lambda);
    for (std::int64_t j = 0; j < t; ++j) {
      Real squares = 0, norm2 = 0, weights = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        Real f = 0;
        for (std::int64_t m = 0; m < n; ++m) f += k(i, m) * fit.c(m, j);
        const Real r = problem.y(i, j) - f - fit.b(0, j), w = problem.weight(i);
        squares += w * r * r;
        norm2 += fit.c(i, j) * f;
        weights += w;
      }
      out.training(l, j) = static_cast<double>(squares / weights);
      out.norm2(l, j) = static_cast<double>(norm2);
      out.value(l, j) = static_cast<double>(squares + lambda * norm2);
    }
  }
  return out;
}

// Each number to its own digits.
void expect_close(const Tables& found, const Tables& wanted, double tolerance) {
  const auto compare = [&](const Matrix& a, const Matrix& b, const char* what) {
    SCOPED_TRACE(what);
    for (std::size_t i = 0; i < b.values.size(); ++i)
      EXPECT_NEAR(a.values[i], b.values[i], tolerance * std::abs(b.values[i]));
  };
  compare(found.training, wanted.training, "training error");
  compare(found.norm2, wanted.norm2, "norm");
  compare(found.value, wanted.value, "objective");
}

struct Case {
  freeridge_route route;
  Family family;
  bool weighted, intercept;
};

class Objective : public ::testing::TestWithParam<Case> {};

TEST_P(Objective, IsThatOfTheExplicitFit) {
  const auto [route, family, weighted, intercept] = GetParam();
  Random random(11);
  const Problem problem =
      random_problem(random, oracle::KernelSpec::radial(family, 0.9), 19, 3, 2, weighted, intercept);
  const Vector lambdas = {0.05, 1.0, 1e2, 1e9};
  Model model = oracle::make_model(problem, route);
  expect_close(objective(model.factorize(), lambdas, 2), expected(problem, lambdas), 1e-10);
  if (family == Family::linear)
    expect_close(objective(Accumulator(problem, 7), lambdas, 2), expected(problem, lambdas), 1e-10);
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const freeridge_route route :
       {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL})
    for (const Family family : {Family::linear, Family::gaussian})
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true})
          if (route != FREERIDGE_ROUTE_PRIMAL || family == Family::linear)
            out.push_back({route, family, weighted, intercept});
  return out;
}

INSTANTIATE_TEST_SUITE_P(EveryRoute, Objective, ::testing::ValuesIn(cases()));

// Eigenvalues that are rounding have no part in the norm, also where lambda is small beside their noise times |Y|^2.
TEST(ObjectiveOf, AKernelOfLowRankBySpectral) {
  Random random(14);
  const Problem problem = random_problem(random, oracle::KernelSpec::linear(), 120, 3, 2, true, true);
  const Vector lambdas = {1e-2, 1e-4, 1e-5};
  Model spectral = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL), primal = oracle::make_model(problem);
  expect_close(objective(spectral.factorize(), lambdas, 2), objective(primal.factorize(), lambdas, 2), 1e-8);
}

// Landmarks: f = sum_r c_r k(z_r, .), so |f|^2 = c'K_RR c, and the training error is that of predictions at the data.
TEST(ObjectiveOf, Landmarks) {
  Random random(12);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 30, 2, 1, true, true);
  Model model = oracle::make_model(problem);
  const Rows landmarks = {2, 9, 17, 26};
  set_landmarks(model, landmarks).factorize().lambda(0.3);
  const Matrix c = model.coefficients(), fitted = model.predict(problem.x);
  const auto k = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
  double squares = 0, weights = 0, norm2 = 0;
  for (std::int64_t i = 0; i < 30; ++i) {
    const double r = problem.y(i, 0) - fitted(i, 0);
    squares += problem.weight(i) * r * r;
    weights += problem.weight(i);
  }
  for (const std::int64_t r : landmarks)
    for (const std::int64_t s : landmarks) norm2 += c(r, 0) * static_cast<double>(k(r, s)) * c(s, 0);
  const Tables found = objective(model, {0.3}, 1);
  EXPECT_NEAR(found.training(0, 0), squares / weights, 1e-10 * squares / weights);
  EXPECT_NEAR(found.norm2(0, 0), norm2, 1e-9 * norm2);
  EXPECT_NEAR(found.value(0, 0), squares + 0.3 * norm2, 1e-10 * squares);
}

// x = 0, 1, 2 and y = 1, 3, 6, by hand: w = 2.5, b = 5/6, residuals 1/6, -1/3, 1/6. The fit of lambda 0 interpolates
// where it can, and no x explains a constant.
TEST(ObjectiveOf, LambdaZero) {
  Problem line;
  line.kernel = oracle::KernelSpec::linear();
  line.x = to_column({0, 1, 2});
  line.y = to_column({1, 3, 6});
  for (const freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_PRIMAL}) {
    Model model = oracle::make_model(line, route);
    expect_close(objective(model.factorize(), {0.0}, 1),
                 {to_column({1.0 / 18}), to_column({6.25}), to_column({1.0 / 6})}, 1e-13);
  }
  line.x = to_column({2, 2, 2});
  Model constant = oracle::make_model(line, FREERIDGE_ROUTE_PRIMAL);
  expect_close(objective(constant.factorize(), {0.0, 5.0}, 1),
               {to_column({38.0 / 9, 38.0 / 9}), to_column({0, 0}), to_column({38.0 / 3, 38.0 / 3})}, 1e-14);
}

// What overflows is NaN, and the rest is valid.
TEST(ObjectiveOf, NumbersOutOfRange) {
  Problem problem;
  problem.kernel = oracle::KernelSpec::linear();
  problem.x = to_column({1, 2, 3, 4});
  problem.y = to_column({1e200, -1e200, 3e200, 1e200});
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
  model.factorize();
  const double lambda = 1;
  double training = 0, norm2 = 0;
  EXPECT_EQ(freeridge_objective(model.get(), 1, &lambda, &training, &norm2, nullptr, 1), FREERIDGE_UNDEFINED);
  EXPECT_TRUE(std::isnan(training) && std::isnan(norm2));
}

}  // namespace objective_test
