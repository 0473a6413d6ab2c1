// The library's own threads: with one the same bits each time, with several the same answers to rounding. So the lambdas
// are large enough for well-conditioned systems. (Threads of the caller's: tests/threads.)
#include <gtest/gtest.h>

#include <ostream>
#include <vector>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace threads_test {

using namespace support;
using oracle::Family;

constexpr double tolerance = 1e-13;

struct Answers {
  Matrix loo, groups, predictions, fitted, leverage, loo_scores, gcv_scores, group_scores;
};

// 1 - h: h is from 0 to 1, and its error is relative to one.
Matrix less_than_one(Matrix leverage) {
  for (double& h : leverage.values) h = 1 - h;
  return leverage;
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

// The whole model with the process set to `threads`.
struct Sized {
  Family family;
  freeridge_route route;
  std::int64_t n, d;
};

std::ostream& operator<<(std::ostream& out, const Sized& c) {
  return out << route_name(c.route);
}

struct Threaded {
  Answers answers;
  Matrix coefficients;
  Vector intercepts, chosen, score;
};

Threaded whole_model(const Sized& size, std::int32_t threads) {
  check(freeridge_set_threads(threads), "freeridge_set_threads");
  std::int32_t count = 0;
  check(freeridge_get_threads(&count), "freeridge_get_threads");
  EXPECT_EQ(count, threads);
  Random random(23);
  Model model = oracle::make_model(
      random_problem(random, kernel_of(size.family, size.d), size.n, size.d, 2, true, true), size.route);
  if (size.route == FREERIDGE_ROUTE_LANDMARK) {
    std::vector<std::int64_t> rows;
    for (std::int64_t q = 0; q < 40; ++q) rows.push_back(q * size.n / 40);
    check(freeridge_set_landmarks(model.get(), 40, rows.data()), "freeridge_set_landmarks");
  }
  model.groups(modulo_groups(size.n, static_cast<std::int32_t>(size.n / 5))).factorize();
  Threaded out;
  out.chosen = Vector(2), out.score = Vector(2);
  check(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 1.0, 1e4, out.chosen.data(), out.score.data()),
        "freeridge_select_lambda");
  model.lambda(20.0);  // well conditioned on every route
  out.coefficients = model.coefficients();
  out.intercepts = model.intercepts();
  const Matrix points = random.uniform_matrix(700, size.d, -1.0, 1.0);
  const Vector lambdas = {5.0, 20.0, 100.0};
  out.answers = {model.loo(),
                 model.group_errors(modulo_groups(size.n, static_cast<std::int32_t>(size.n / 4))),
                 model.predict(points),
                 model.fitted(),
                 less_than_one(model.leverage()),
                 model.score(FREERIDGE_LOO, lambdas),
                 model.score(FREERIDGE_GCV, lambdas),
                 model.score(FREERIDGE_GROUPS, lambdas)};
  return out;
}

class ThreadCounts : public ::testing::TestWithParam<Sized> {
 protected:
  ~ThreadCounts() override { freeridge_set_threads(0); }
};

TEST_P(ThreadCounts, OneGivesTheSameBitsAndAnyTheSameAnswers) {
  const Threaded one = whole_model(GetParam(), 1), again = whole_model(GetParam(), 1);
  EXPECT_TRUE(bit_equal(again.coefficients, one.coefficients));
  EXPECT_TRUE(bit_equal(again.intercepts, one.intercepts));
  EXPECT_TRUE(bit_equal(again.chosen, one.chosen));
  EXPECT_TRUE(bit_equal(again.score, one.score));
  const auto each = [](const Answers& a) {
    return std::vector<const Matrix*>{&a.loo,      &a.groups,     &a.predictions, &a.fitted,
                                      &a.leverage, &a.loo_scores, &a.gcv_scores,  &a.group_scores};
  };
  for (std::size_t k = 0; k < each(one.answers).size(); ++k)
    EXPECT_TRUE(bit_equal(*each(again.answers)[k], *each(one.answers)[k])) << k;
  const Threaded more = whole_model(GetParam(), 3);
  expect_same(more.answers, one.answers);
  EXPECT_CLOSE(more.coefficients, one.coefficients, tolerance);
  EXPECT_CLOSE(more.intercepts, one.intercepts, tolerance);
  EXPECT_CLOSE(more.score, one.score, tolerance);
  EXPECT_CLOSE(more.chosen, one.chosen, 1e-6);  // flat at its minimum
}

// Sizes with several tiles for each thread; the tall one is streamed.
INSTANTIATE_TEST_SUITE_P(Every, ThreadCounts,
                         ::testing::Values(Sized{Family::linear, FREERIDGE_ROUTE_PRIMAL, 400, 5},
                                           Sized{Family::gaussian, FREERIDGE_ROUTE_SPECTRAL, 520, 4},
                                           Sized{Family::gaussian, FREERIDGE_ROUTE_CHOLESKY, 300, 4},
                                           Sized{Family::gaussian, FREERIDGE_ROUTE_LANDMARK, 3000, 4}),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Tall, ThreadCounts,
                         ::testing::Values(Sized{Family::linear, FREERIDGE_ROUTE_PRIMAL, 60000, 40}),
                         ::testing::PrintToStringParamName());

}  // namespace threads_test
