// What must not change the answers, or must change them in a known way: repeated rows and weights, the scale of weights
// and lambda, the order of the rows, a shift of Y, the layout, borrowing, setting lambda again.
#include <gtest/gtest.h>

#include <numeric>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace invariance_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

struct Case {
  Family family;
  freeridge_route route;
};

constexpr Case cases[] = {
    {Family::linear, FREERIDGE_ROUTE_CHOLESKY},     {Family::linear, FREERIDGE_ROUTE_SPECTRAL},
    {Family::linear, FREERIDGE_ROUTE_PRIMAL},       {Family::polynomial, FREERIDGE_ROUTE_CHOLESKY},
    {Family::polynomial, FREERIDGE_ROUTE_SPECTRAL}, {Family::gaussian, FREERIDGE_ROUTE_CHOLESKY},
    {Family::gaussian, FREERIDGE_ROUTE_SPECTRAL}};

class Invariance : public ::testing::Test {
 protected:
  static constexpr std::int64_t n = 40, d = 4, t = 2;
  static constexpr double lambda = 0.05;
  static constexpr double tolerance = 1e-11;

  // body(problem) for every kernel and route, with intercept and without.
  template <class Body>
  void for_each_problem(bool weighted, Body body) {
    Random random(2024);
    for (const Case& c : cases)
      for (const bool intercept : {true, false}) {
        SCOPED_TRACE(::testing::Message()
                     << family_name(c.family) << " " << route_name(c.route) << (intercept ? ", intercept" : ""));
        route_ = c.route;
        body(random_problem(random, kernel_of(c.family, d), n, d, t, weighted, intercept));
      }
  }
  Model fit(const Problem& problem, double at = lambda) const {
    Model model = oracle::make_model(problem, route_);
    model.factorize().lambda(at);
    return model;
  }
  static Matrix points() {
    Random random(9);
    return random.uniform_matrix(11, d, -1.2, 1.2);
  }

  freeridge_route route_ = FREERIDGE_ROUTE_AUTO;
};

TEST_F(Invariance, WeightTwoIsTheRowTwice) {
  for_each_problem(false, [&](Problem heavy) {
    const std::int64_t twice = 7;
    Problem twin = heavy;
    heavy.weights.assign(n, 1.0);
    heavy.weights[twice] = 2.0;
    std::vector<std::int64_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0);
    rows.push_back(twice);
    twin.x = select_rows(heavy.x, rows);
    twin.y = select_rows(heavy.y, rows);

    const Model a = fit(heavy), b = fit(twin);
    EXPECT_CLOSE(a.predict(points()), b.predict(points()), tolerance);
    EXPECT_CLOSE(a.intercepts(), b.intercepts(), tolerance);
    EXPECT_CLOSE(select_rows(a.fitted(), rows), b.fitted(), tolerance);
    Labels twins_together = single_groups(n + 1);
    twins_together[n] = static_cast<std::int32_t>(twice);
    EXPECT_CLOSE(select_rows(a.loo(), rows), b.group_errors(twins_together), tolerance);
  });
}

TEST_F(Invariance, ScalingWeightsAndLambdaTogetherChangesNothing) {
  for_each_problem(true, [&](const Problem& problem) {
    const double factor = 7.3;
    Problem heavier = problem;
    for (double& weight : heavier.weights) weight *= factor;
    const Model a = fit(problem), b = fit(heavier, factor * lambda);
    EXPECT_CLOSE(b.predict(points()), a.predict(points()), tolerance);
    EXPECT_CLOSE(b.loo(), a.loo(), tolerance);
    EXPECT_CLOSE(b.fitted(), a.fitted(), tolerance);
    EXPECT_CLOSE(b.intercepts(), a.intercepts(), tolerance);
    EXPECT_CLOSE(b.leverage(), a.leverage(), tolerance);
    EXPECT_CLOSE(b.coefficients(), a.coefficients(), tolerance);
    const Labels folds = modulo_groups(n, 6);
    EXPECT_CLOSE(b.group_errors(folds), a.group_errors(folds), tolerance);
    EXPECT_CLOSE(b.score(FREERIDGE_LOO, {factor * lambda}), a.score(FREERIDGE_LOO, {lambda}), tolerance);
  });
}

TEST_F(Invariance, WeightsOfOneAreNoWeights) {
  for_each_problem(false, [&](const Problem& problem) {
    Problem ones = problem;
    ones.weights.assign(n, 1.0);
    EXPECT_CLOSE(fit(ones).loo(), fit(problem).loo(), tolerance);
    EXPECT_CLOSE(fit(ones).predict(points()), fit(problem).predict(points()), tolerance);
  });
}

TEST_F(Invariance, PermutingRowsPermutesTheAnswers) {
  for_each_problem(true, [&](const Problem& problem) {
    Random random(31);
    const auto order = random.permutation(n);
    Problem shuffled = problem;
    shuffled.x = select_rows(problem.x, order);
    shuffled.y = select_rows(problem.y, order);
    shuffled.weights = select_rows(to_column(problem.weights), order).values;
    const Model a = fit(problem), b = fit(shuffled);
    EXPECT_CLOSE(b.loo(), select_rows(a.loo(), order), tolerance);
    EXPECT_CLOSE(b.fitted(), select_rows(a.fitted(), order), tolerance);
    EXPECT_CLOSE(b.coefficients(), select_rows(a.coefficients(), order), tolerance);
    EXPECT_CLOSE(b.leverage(), select_rows(a.leverage(), order), tolerance);
    EXPECT_CLOSE(b.predict(points()), a.predict(points()), tolerance);
  });
}

TEST_F(Invariance, ShiftingYMovesTheInterceptAlone) {
  for_each_problem(true, [&](const Problem& problem) {
    if (!problem.intercept) return;
    const double shift = 64.0;
    Problem moved = problem;
    moved.y = shifted(problem.y, shift);
    const Model a = fit(problem), b = fit(moved);
    EXPECT_CLOSE(b.loo(), a.loo(), tolerance);
    EXPECT_CLOSE(b.coefficients(), a.coefficients(), tolerance);
    EXPECT_CLOSE(b.predict(points()), shifted(a.predict(points()), shift), tolerance);
    EXPECT_CLOSE(to_column(b.intercepts()), shifted(to_column(a.intercepts()), shift), tolerance);
  });
}

TEST_F(Invariance, OutputsDoNotMeet) {
  for_each_problem(true, [&](const Problem& problem) {
    const Model both = fit(problem);
    for (std::int64_t j = 0; j < t; ++j) {
      Problem alone = problem;
      alone.y = column(problem.y, j);
      const Model one = fit(alone);
      EXPECT_CLOSE(column(both.loo(), j), one.loo(), tolerance);
      EXPECT_CLOSE(column(both.fitted(), j), one.fitted(), tolerance);
      EXPECT_CLOSE(column(both.predict(points()), j), one.predict(points()), tolerance);
    }
  });
}

TEST_F(Invariance, LayoutAndBorrowingDoNotMatter) {
  for_each_problem(true, [&](const Problem& problem) {
    const Model reference = fit(problem, 1.0);
    for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR})
      for (const std::int64_t padding : {0, 5})
        for (const bool borrowed : {false, true}) {
          SCOPED_TRACE(::testing::Message()
                       << "layout " << layout << ", padding " << padding << (borrowed ? ", borrowed" : ", copied"));
          const Packed x = pack(problem.x, layout, padding), y = pack(problem.y, layout, padding);
          Model model(oracle::make_kernel(problem.kernel));
          if (borrowed)
            model.data_view(x, y, n, d, t);
          else
            model.data(problem.x, problem.y, layout, padding);  // its arrays are gone when this call returns
          model.weights(problem.weights).intercept(problem.intercept).route(route_).factorize().lambda(1.0);
          EXPECT_CLOSE(model.loo(), reference.loo(), 1e-14);
          EXPECT_CLOSE(model.fitted(), reference.fitted(), 1e-14);
          EXPECT_CLOSE(model.coefficients(), reference.coefficients(), 1e-14);
          EXPECT_CLOSE(model.predict(points()), reference.predict(points()), 1e-14);
          EXPECT_CLOSE(model.predict(points(), FREERIDGE_ROW_MAJOR, 3), reference.predict(points()), 1e-14);
        }
  });
}

TEST_F(Invariance, SettingLambdaAgainLeavesNoTrace) {
  for_each_problem(true, [&](const Problem& problem) {
    const Model once = fit(problem);
    Model again = fit(problem, 100.0);
    again.loo();
    again.select_lambda(FREERIDGE_LOO);
    again.score(FREERIDGE_GCV, {3.0, 4.0});
    again.lambdas({1.0, 2.0});
    again.lambda(lambda).lambda(lambda);
    EXPECT_TRUE(bit_equal(again.loo(), once.loo()));
    EXPECT_TRUE(bit_equal(again.fitted(), once.fitted()));
    EXPECT_TRUE(bit_equal(again.coefficients(), once.coefficients()));
    EXPECT_TRUE(bit_equal(again.predict(points()), once.predict(points())));
    EXPECT_TRUE(bit_equal(again.leverage(), once.leverage()));
    EXPECT_EQ(again.intercepts(), once.intercepts());
    again.lambdas({lambda, lambda});
    EXPECT_CLOSE(again.loo(), once.loo(), 1e-14);
    EXPECT_CLOSE(again.predict(points()), once.predict(points()), 1e-14);
  });
}

TEST_F(Invariance, InputsAreLeftAlone) {
  for_each_problem(true, [&](const Problem& problem) {
    const Packed x = pack(problem.x, FREERIDGE_ROW_MAJOR, 1), y = pack(problem.y, FREERIDGE_ROW_MAJOR, 1);
    const Packed x_before = x, y_before = y;
    Model model(oracle::make_kernel(problem.kernel));
    model.data_view(x, y, n, d, t).weights(problem.weights).route(route_).factorize();
    model.select_lambda(FREERIDGE_LOO);
    model.loo();
    model.predict(points());
    EXPECT_TRUE(bit_equal(x.values, x_before.values));
    EXPECT_TRUE(bit_equal(y.values, y_before.values));
  });
}

}  // namespace invariance_test
