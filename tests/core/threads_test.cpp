// Calls that take a const model run side by side on one model; different models run in different threads. The answers
// are those of a single thread.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace {

using namespace support;
using oracle::Family;
using oracle::Problem;

constexpr std::int64_t n = 120, d = 4;
constexpr double tolerance = 1e-13;

Problem problem_for(Family family, std::uint64_t seed) {
  Random random(seed);
  return random_problem(random, kernel_of(family, d), n, d, 2, true, true);
}

struct Answers {
  Matrix loo, groups, predictions, fitted, leverage, loo_scores, gcv_scores, group_scores;
};

Answers all_answers(const Model& model) {
  Random random(17);
  const Matrix points = random.uniform_matrix(40, d, -1.0, 1.0);
  const Vector lambdas = {1e-3, 0.1, 10.0};
  return {model.loo(),
          model.group_errors(modulo_groups(n, 8)),
          model.predict(points),
          model.fitted(),
          model.leverage(),
          model.score(FREERIDGE_LOO, lambdas),
          model.score(FREERIDGE_GCV, lambdas),
          model.score(FREERIDGE_GROUPS, lambdas)};
}

void expect_same(const Answers& actual, const Answers& expected) {
  EXPECT_CLOSE(actual.loo, expected.loo, tolerance);
  EXPECT_CLOSE(actual.groups, expected.groups, tolerance);
  EXPECT_CLOSE(actual.predictions, expected.predictions, tolerance);
  EXPECT_CLOSE(actual.fitted, expected.fitted, tolerance);
  EXPECT_CLOSE(actual.leverage, expected.leverage, tolerance);
  EXPECT_CLOSE(actual.loo_scores, expected.loo_scores, tolerance);
  EXPECT_CLOSE(actual.gcv_scores, expected.gcv_scores, tolerance);
  EXPECT_CLOSE(actual.group_scores, expected.group_scores, tolerance);
}

Model fitted_model(Family family, freeridge_route route, std::uint64_t seed) {
  Model model = oracle::make_model(problem_for(family, seed), route);
  model.groups(modulo_groups(n, 5)).factorize().lambda(0.05);
  return model;
}

struct Case {
  Family family;
  freeridge_route route;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << route_name(c.route);
}

class Threads : public ::testing::TestWithParam<Case> {};

TEST_P(Threads, ConstCallsSideBySideOnOneModel) {
  const Model model = fitted_model(GetParam().family, GetParam().route, 1);
  const Answers expected = all_answers(model);
  constexpr std::size_t threads = 4, repeats = 5;
  std::vector<std::vector<Answers>> actual(threads);
  std::vector<std::thread> running;
  for (std::size_t k = 0; k < threads; ++k)
    running.emplace_back([&, k] {
      for (std::size_t repeat = 0; repeat < repeats; ++repeat) actual[k].push_back(all_answers(model));
    });
  for (std::thread& thread : running) thread.join();
  for (const auto& answers : actual) {
    ASSERT_EQ(answers.size(), repeats);
    for (const Answers& answer : answers) expect_same(answer, expected);
  }
}

TEST_P(Threads, OneModelAThread) {
  constexpr std::size_t threads = 4;
  std::vector<Answers> expected, actual(threads);
  for (std::size_t k = 0; k < threads; ++k)
    expected.push_back(all_answers(fitted_model(GetParam().family, GetParam().route, k)));
  std::vector<std::thread> running;
  for (std::size_t k = 0; k < threads; ++k)
    running.emplace_back([&, k] {
      for (int repeat = 0; repeat < 3; ++repeat)
        actual[k] = all_answers(fitted_model(GetParam().family, GetParam().route, k));
    });
  for (std::thread& thread : running) thread.join();
  for (std::size_t k = 0; k < threads; ++k) expect_same(actual[k], expected[k]);
}

INSTANTIATE_TEST_SUITE_P(Every, Threads,
                         ::testing::Values(Case{Family::linear, FREERIDGE_PRIMAL},
                                           Case{Family::gaussian, FREERIDGE_SPECTRAL},
                                           Case{Family::gaussian, FREERIDGE_CHOLESKY}),
                         ::testing::PrintToStringParamName());

TEST(ThreadErrors, EachThreadHasItsOwnWords) {
  Model model(Kernel::linear());
  EXPECT_EQ(freeridge_set_lambda(model.get(), 1.0), FREERIDGE_INVALID_STATE);
  const std::string mine = freeridge_last_error();
  EXPECT_FALSE(mine.empty());
  std::string before, after;
  std::thread([&] {
    before = freeridge_last_error();
    freeridge_kernel* kernel = nullptr;
    EXPECT_EQ(freeridge_kernel_gaussian(-1.0, &kernel), FREERIDGE_INVALID_ARGUMENT);
    after = freeridge_last_error();
  }).join();
  EXPECT_EQ(before, "");
  EXPECT_NE(after, "");
  EXPECT_NE(after, mine);
  EXPECT_EQ(mine, freeridge_last_error());
}

}  // namespace
