// How the core chooses landmarks, how far the restricted kernel is from the whole one, and the criterion against their
// number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/compare.hpp"
#include "support/landmark_oracle.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"

namespace landmark_choice_test {

using namespace support;
using oracle::Family;
using oracle::KernelSpec;
using oracle::LandmarkOracle;
using oracle::Problem;

constexpr freeridge_landmark_method methods[] = {FREERIDGE_LANDMARKS_AUTO, FREERIDGE_LANDMARKS_RANDOM,
                                                 FREERIDGE_LANDMARKS_KMEANS, FREERIDGE_LANDMARKS_PIVOTED};

Rows chosen(const Problem& problem, std::int64_t count, freeridge_landmark_method method, std::int64_t seed) {
  Model model = oracle::make_model(problem);
  choose_landmarks(model, count, method, seed).factorize();
  return landmark_rows(model);
}

// `places` in d features, far from each other, and n points around them with that spread; row i belongs to i % places.
Matrix clusters(Random& random, std::int64_t n, std::int64_t d, std::int64_t places, double spread) {
  Matrix centre = random.uniform_matrix(places, d, -1.0, 1.0), x(n, d);
  for (std::int64_t p = 0; p < places; ++p) centre(p, p % d) += 20.0 * static_cast<double>(1 + p / d);
  for (std::int64_t k = 0; k < d; ++k)
    for (std::int64_t i = 0; i < n; ++i) x(i, k) = centre(i % places, k) + spread * random.normal();
  return x;
}

Problem problem_on(Random& random, const KernelSpec& kernel, const Matrix& x) {
  return {kernel, x, responses(random, x, 1, 0.3), {}, true};
}

TEST(LandmarkChoice, DistinctRowsTheSameForASeedOthersForAnother) {
  Random random(200);
  for (const std::int64_t n : {40, 900}) {  // above 64 landmarks the pivoted choice goes by blocks
    const Problem problem = random_problem(random, KernelSpec::gaussian(0.3), n, 3, 1, true, true);
    const std::int64_t count = n / 4;
    for (const freeridge_landmark_method method : methods) {
      SCOPED_TRACE(::testing::Message() << "n = " << n << ", method " << method);
      const Rows rows = chosen(problem, count, method, 1);
      EXPECT_EQ(static_cast<std::int64_t>(rows.size()), count);
      const std::set<std::int64_t> distinct(rows.begin(), rows.end());
      EXPECT_EQ(distinct.size(), rows.size());
      EXPECT_GE(*distinct.begin(), 0);
      EXPECT_LT(*distinct.rbegin(), n);
      EXPECT_EQ(chosen(problem, count, method, 1), rows);
      std::set<Rows> seen = {rows};
      for (const std::int64_t seed :
           {std::int64_t{0}, std::int64_t{2}, std::int64_t{-1}, -(std::int64_t{1} << 53), std::int64_t{1} << 53})
        seen.insert(chosen(problem, count, method, seed));
      EXPECT_EQ(seen.size(), 6u);
      if (method == FREERIDGE_LANDMARKS_AUTO) {
        EXPECT_EQ(chosen(problem, count, FREERIDGE_LANDMARKS_PIVOTED, 1), rows);
      }
    }
  }
}

// Each row is as likely as any other: 3 of 12 rows, 2000 seeds, so that a row is expected 500 times with a standard
// deviation of 19.4; five of them are never left by a uniform choice with these seeds.
TEST(LandmarkChoice, RandomIsUniform) {
  Random random(201);
  const Problem problem = random_problem(random, KernelSpec::gaussian(1.0), 12, 1, 1, false, true);
  Model model = oracle::make_model(problem);
  std::vector<int> count(12, 0);
  for (std::int64_t seed = 0; seed < 2000; ++seed) {
    choose_landmarks(model, 3, FREERIDGE_LANDMARKS_RANDOM, seed).factorize();
    for (const std::int64_t row : landmark_rows(model)) ++count[static_cast<std::size_t>(row)];
  }
  for (const int times : count) EXPECT_NEAR(times, 500, 97);
}

// The pivoted choice takes its first row in proportion to k(x, x), and its second to what the first leaves: with the
// linear kernel in one feature nothing, and with orthogonal rows the rest of the diagonal. 4000 seeds; five deviations.
TEST(LandmarkChoice, PivotedHasItsProbabilities) {
  Problem problem;
  problem.kernel = KernelSpec::linear();
  problem.x = Matrix(3, 3);
  const double norm2[] = {1.0, 2.0, 5.0};
  for (std::int64_t i = 0; i < 3; ++i) problem.x(i, i) = std::sqrt(norm2[i]);
  problem.y = Matrix(3, 1, 1.0);
  Model model = oracle::make_model(problem);
  constexpr int seeds = 4000;
  Matrix pairs(3, 3);
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    choose_landmarks(model, 2, FREERIDGE_LANDMARKS_PIVOTED, seed).factorize();
    const Rows rows = landmark_rows(model);
    ASSERT_EQ(rows.size(), 2u);
    pairs(rows[0], rows[1]) += 1;
  }
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 3; ++j) {
      const double p = i == j ? 0 : norm2[i] / 8 * norm2[j] / (8 - norm2[i]);
      EXPECT_NEAR(pairs(i, j), seeds * p, 5 * std::sqrt(seeds * p * (1 - p))) << i << ", " << j;
    }
}

TEST(LandmarkChoice, PivotedStopsWhenNothingIsLeft) {
  Random random(202);
  for (const std::int64_t n : {30, 500}) {
    const Problem problem = random_problem(random, KernelSpec::linear(), n, 3, 1, false, true);
    Model model = oracle::make_model(problem);
    choose_landmarks(model, n / 2, FREERIDGE_LANDMARKS_PIVOTED).factorize().lambda(0.1);
    const Traces traces = landmark_traces(model);
    EXPECT_LE(traces.left, 1e-13 * traces.all);
    EXPECT_EQ(rank_of(model), 3);
    EXPECT_EQ(landmark_count(model), 3);
    Model full = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
    full.factorize().lambda(0.1);
    EXPECT_CLOSE(model.loo(), full.loo(), 1e-9);
  }
  // Four places and no more.
  Matrix x(40, 2);
  for (std::int64_t i = 0; i < 40; ++i) x(i, 0) = static_cast<double>(i % 2), x(i, 1) = static_cast<double>(i / 2 % 2);
  const Problem problem = problem_on(random, KernelSpec::gaussian(1.0), x);
  for (std::int64_t seed = 0; seed < 20; ++seed) {
    const Rows rows = chosen(problem, 25, FREERIDGE_LANDMARKS_PIVOTED, seed);
    std::set<std::int64_t> places;
    for (const std::int64_t row : rows) places.insert(row % 4);
    EXPECT_EQ(rows.size(), 4u);
    EXPECT_EQ(places.size(), 4u);
  }
}

// All rows are asked for: every method has them all, and nothing is left.
TEST(LandmarkChoice, AllRows) {
  Random random(203);
  const Problem problem = random_problem(random, KernelSpec::radial(Family::laplacian, 1.0), 90, 2, 1, false, true);
  for (const freeridge_landmark_method method : methods) {
    Model model = oracle::make_model(problem);
    choose_landmarks(model, 90, method).factorize();
    Rows rows = landmark_rows(model);
    std::sort(rows.begin(), rows.end());
    Rows all(90);
    for (std::size_t i = 0; i < 90; ++i) all[i] = static_cast<std::int64_t>(i);
    EXPECT_EQ(rows, all) << "method " << method;
    EXPECT_LE(landmark_traces(model).left, 1e-12 * 90);
  }
}

TEST(LandmarkChoice, KmeansTakesOneOfEachCluster) {
  Random random(204);
  const Problem problem = problem_on(random, KernelSpec::linear(), clusters(random, 200, 3, 5, 1e-3));
  const Problem gaussian = problem_on(random, KernelSpec::gaussian(5.0), problem.x);
  for (const Problem& each : {problem, gaussian})
    for (std::int64_t seed = 0; seed < 20; ++seed) {
      std::set<std::int64_t> places;
      for (const std::int64_t row : chosen(each, 5, FREERIDGE_LANDMARKS_KMEANS, seed)) places.insert(row % 5);
      EXPECT_EQ(places.size(), 5u) << "seed " << seed;
    }
}

// k-means++ on points of which all but a few coincide: the distinct ones first.
TEST(LandmarkChoice, KmeansTakesDistinctPointsFirst) {
  Random random(205);
  Matrix x(30, 1, 2.0);
  x(7, 0) = -1, x(19, 0) = 5;
  const Problem problem = problem_on(random, KernelSpec::gaussian(1.0), x);
  const Rows rows = chosen(problem, 6, FREERIDGE_LANDMARKS_KMEANS, 3);
  ASSERT_EQ(rows.size(), 6u);
  std::set<double> first;
  for (std::size_t i = 0; i < 3; ++i) first.insert(x(rows[i], 0));
  EXPECT_EQ(first.size(), 3u);
  EXPECT_EQ(std::set<std::int64_t>(rows.begin(), rows.end()).size(), 6u);
}

// On clusters of uneven sizes a uniform choice misses the small ones.
TEST(LandmarkChoice, PivotedLeavesNoMoreThanRandomOnAverage) {
  Random random(206);
  Matrix x = clusters(random, 300, 2, 12, 0.05);
  for (std::int64_t i = 0; i < 300; ++i)
    if (i % 12 < 6 && i >= 24)
      for (std::int64_t k = 0; k < 2; ++k) x(i, k) = x(11, k) + 0.05 * random.normal();
  const Problem problem = problem_on(random, KernelSpec::gaussian(1.0), x);
  double left[3] = {0, 0, 0};
  const freeridge_landmark_method compared[] = {FREERIDGE_LANDMARKS_PIVOTED, FREERIDGE_LANDMARKS_KMEANS,
                                                FREERIDGE_LANDMARKS_RANDOM};
  Model model = oracle::make_model(problem);
  for (std::int64_t seed = 0; seed < 20; ++seed)
    for (std::size_t m = 0; m < 3; ++m) {
      choose_landmarks(model, 20, compared[m], seed).factorize();
      left[m] += landmark_traces(model).left;
    }
  EXPECT_LT(left[0], 0.2 * left[2]);
  EXPECT_LT(left[1], left[2]);
}

TEST(LandmarkTrace, AgreesWithItsDefinition) {
  Random random(207);
  for (const Family family : oracle::all_families) {
    SCOPED_TRACE(family_name(family));
    const Problem problem = random_problem(random, kernel_of(family, 5), 60, 5, 1, true, true);
    for (const std::int64_t count : {1, 2, 4}) {
      Model model = oracle::make_model(problem);
      choose_landmarks(model, count, FREERIDGE_LANDMARKS_RANDOM, count).factorize();
      const LandmarkOracle oracle(problem, landmark_rows(model));
      const Traces traces = landmark_traces(model);
      EXPECT_NEAR(traces.all, static_cast<double>(oracle.trace()), 1e-13 * traces.all);
      EXPECT_NEAR(traces.left, static_cast<double>(oracle.trace_left()), 1e-12 * traces.all);
    }
  }
}

// The trace needs more than one tile of rows, and each number can be asked for alone.
TEST(LandmarkTrace, EachAlone) {
  Random random(208);
  const Problem problem = random_problem(random, KernelSpec::gaussian(0.8), 2500, 2, 1, false, true);
  Model model = oracle::make_model(problem);
  choose_landmarks(model, 5, FREERIDGE_LANDMARKS_KMEANS).factorize();
  const LandmarkOracle oracle(problem, landmark_rows(model));
  double left = -1, all = -1;
  check(freeridge_landmark_trace(model.get(), &left, nullptr), "freeridge_landmark_trace");
  EXPECT_NEAR(left, static_cast<double>(oracle.trace_left()), 1e-12 * 2500);
  check(freeridge_landmark_trace(model.get(), nullptr, &all), "freeridge_landmark_trace");
  EXPECT_NEAR(all, 2500, 1e-9);
}

// ---- the criterion as the number of landmarks grows ----

struct Curve {
  Matrix lambdas, scores;
};

Curve curve_of(const Model& model, freeridge_criterion criterion, const Rows& sizes, std::int64_t t) {
  const auto count = static_cast<std::int64_t>(sizes.size());
  const std::int64_t ld = count + 2;
  Matrix lambdas(ld, t, -7.0), scores(ld, t, -7.0);
  check(freeridge_landmark_curve(model.get(), criterion, count, sizes.data(), lambdas.values.data(),
                                 scores.values.data(), ld),
        "freeridge_landmark_curve");
  Curve out{Matrix(count, t), Matrix(count, t)};
  for (std::int64_t j = 0; j < t; ++j) {
    for (std::int64_t i = 0; i < count; ++i) out.lambdas(i, j) = lambdas(i, j), out.scores(i, j) = scores(i, j);
    for (std::int64_t i = count; i < ld; ++i) {
      EXPECT_EQ(lambdas(i, j), -7.0);
      EXPECT_EQ(scores(i, j), -7.0);
    }
  }
  return out;
}

// Each point of the curve is a model of its own, with the first landmarks of one choice.
TEST(LandmarkCurve, IsOneModelForEachSize) {
  Random random(209);
  Problem problem = random_problem(random, KernelSpec::gaussian(1.0), 80, 2, 2, true, true);
  const Labels folds = modulo_groups(80, 5);
  const Rows given = random.permutation(80), sizes = {1, 3, 10, 20};
  for (const freeridge_landmark_method method :
       {FREERIDGE_LANDMARKS_AUTO, FREERIDGE_LANDMARKS_RANDOM, FREERIDGE_LANDMARKS_KMEANS, FREERIDGE_LANDMARKS_PIVOTED})
    for (const bool gives : {false, true}) {
      if (gives && method != FREERIDGE_LANDMARKS_AUTO) continue;
      Model model = oracle::make_model(problem);
      model.groups(folds);
      if (gives)
        set_landmarks(model, {given.begin(), given.begin() + 25});
      else
        choose_landmarks(model, 20, method, 9);
      Model whole = oracle::make_model(problem);
      if (!gives) choose_landmarks(whole, 20, method, 9).factorize();
      const Rows order = gives ? given : landmark_rows(whole);
      for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS}) {
        SCOPED_TRACE(::testing::Message() << "method " << method << ", criterion " << criterion);
        const Curve curve = curve_of(model, criterion, sizes, 2);
        for (std::int64_t i = 0; i < 4; ++i) {
          const auto size = static_cast<std::ptrdiff_t>(sizes[static_cast<std::size_t>(i)]);
          Model single = oracle::make_model(problem);
          single.groups(folds);
          set_landmarks(single, {order.begin(), order.begin() + size}).factorize();
          const LambdaChoice choice = single.select_lambda(criterion);
          for (std::int64_t j = 0; j < 2; ++j) {
            EXPECT_EQ(curve.lambdas(i, j), choice.lambda[static_cast<std::size_t>(j)]);
            EXPECT_EQ(curve.scores(i, j), choice.score[static_cast<std::size_t>(j)]);
          }
        }
      }
    }
}

// A choice that ends early: the larger sizes have what there is.
TEST(LandmarkCurve, GoesOnWhenTheChoiceEndsEarly) {
  Random random(210);
  const Problem problem = random_problem(random, KernelSpec::linear(), 40, 3, 1, false, true);
  Model model = oracle::make_model(problem);
  choose_landmarks(model, 12, FREERIDGE_LANDMARKS_PIVOTED);
  const Curve curve = curve_of(model, FREERIDGE_LOO, {2, 3, 5, 12}, 1);
  EXPECT_NE(curve.scores(0, 0), curve.scores(1, 0));
  for (const std::int64_t i : {2, 3}) {
    EXPECT_EQ(curve.scores(i, 0), curve.scores(1, 0));
    EXPECT_EQ(curve.lambdas(i, 0), curve.lambdas(1, 0));
  }
  Model none(Kernel::linear());  // nor any landmark where the kernel is zero
  none.data(Matrix(9, 2, 0.0), to_column({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  choose_landmarks(none, 3, FREERIDGE_LANDMARKS_PIVOTED);
  const std::int64_t size = 2;
  double lambda = -7, score = -7;
  EXPECT_EQ(freeridge_landmark_curve(none.get(), FREERIDGE_GCV, 1, &size, &lambda, &score, 1), FREERIDGE_UNDEFINED);
  EXPECT_EQ(std::pair(lambda, score), std::pair(-7.0, -7.0));
}

}  // namespace landmark_choice_test
