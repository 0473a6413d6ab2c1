// The choice of lambda by GCV and REML is a model's, with the same shape of the criterion; and no lambda nearby has a
// lower score.
#include <gtest/gtest.h>

#include <cmath>

#include "support/accumulator.hpp"
#include "support/problems.hpp"
#include "support/search.hpp"

namespace select_lambda_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

struct Choice {
  Vector lambda, score, decades;
  Labels edge, dips, below;
};

Choice select(const Accumulator& accumulator, std::size_t t, freeridge_criterion criterion, double low = 0,
              double high = 0) {
  Choice out{Vector(t), Vector(t), Vector(t), Labels(t, 9), Labels(t, 9), Labels(t, 9)};
  freeridge_search search = search_of(out.lambda.data(), out.score.data());
  search.edge = out.edge.data();
  search.decades = out.decades.data();
  search.dips = out.dips.data();
  search.below = out.below.data();
  check(freeridge_accumulator_select_lambda(accumulator.get(), criterion, low, high, &search),
        "freeridge_accumulator_select_lambda");
  EXPECT_GE(search.count, 100);
  return out;
}

TEST(StreamSelectLambda, IsTheModels) {
  Random random(9);
  for (const bool intercept : {false, true})
    for (const std::int64_t n : {30, 6}) {
      const Problem problem = random_problem(random, KernelSpec::linear(), n, 5, 3, true, intercept);
      const Accumulator accumulator(problem, 4);
      Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
      model.factorize();
      for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_REML})
        for (const double low : {0.0, 0.5}) {
          SCOPED_TRACE(::testing::Message() << n << " rows, criterion " << criterion << ", low " << low);
          const Choice found = select(accumulator, 3, criterion, low, 4 * low);
          const LambdaChoice expected = model.select_lambda(criterion, low, 4 * low);
          EXPECT_CLOSE(found.score, expected.score, 1e-10);
          EXPECT_EQ(found.edge, model.search().edge);
          EXPECT_EQ(found.below, model.lambda_flags().below);
          for (std::size_t j = 0; j < 3; ++j) {
            if (found.edge[j] == 0) {
              EXPECT_NEAR(std::log(found.lambda[j]), std::log(expected.lambda[j]), 1e-4);
            }
            for (const double factor : {0.97, 1.03}) {
              const double other = found.lambda[j] * factor;
              if ((low > 0 && (other < low || other > 4 * low)) || (low == 0 && found.edge[j] != 0)) continue;
              const double score = accumulator.score(criterion, {other})(0, static_cast<std::int64_t>(j));
              EXPECT_GE(score, found.score[j] - 1e-11 * std::abs(found.score[j]));
            }
          }
          EXPECT_CLOSE(found.decades, model.search_shape().decades, 1e-3);
          EXPECT_EQ(found.dips, model.search_shape().dips);
        }
    }
}

TEST(StreamSelectLambda, Refuses) {
  Random random(10);
  const Problem problem = random_problem(random, KernelSpec::linear(), 12, 2, 1, false, true);
  const Accumulator accumulator(problem), empty(2, 1, true);
  double lambda = 7, score = 7;
  const auto ask = [&](const Accumulator& of, freeridge_criterion criterion, double low, double high) {
    freeridge_search search = search_of(&lambda, &score);
    return freeridge_accumulator_select_lambda(of.get(), criterion, low, high, &search);
  };
  for (const freeridge_criterion criterion :
       std::initializer_list<freeridge_criterion>{0, FREERIDGE_LOO, FREERIDGE_GROUPS, FREERIDGE_ERROR_RATE, 77})
    EXPECT_EQ(ask(accumulator, criterion, 0, 0), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(ask(empty, FREERIDGE_GCV, 0, 0), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(ask(accumulator, FREERIDGE_GCV, 2, 1), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(ask(accumulator, FREERIDGE_GCV, -1, 1), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(ask(accumulator, FREERIDGE_GCV, 1, NAN), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(ask(accumulator, FREERIDGE_GCV, INFINITY, INFINITY), FREERIDGE_NOT_FINITE);
  Problem constant = problem;
  std::fill(constant.x.values.begin(), constant.x.values.end(), 3.0);
  EXPECT_EQ(lambda, 7);
  EXPECT_EQ(score, 7);
  EXPECT_EQ(ask(Accumulator(constant), FREERIDGE_REML, 0, 0), FREERIDGE_OK);
  EXPECT_EQ(lambda, 1);  // no lambda matters
  EXPECT_EQ(ask(accumulator, FREERIDGE_GCV, 0, 0), FREERIDGE_OK);
}

}  // namespace select_lambda_test
