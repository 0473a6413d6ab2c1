// Several divisions of the rows into groups: the criterion GROUPS is the mean of the scores of the divisions, each by
// refits in long double, with the standard error of C. Nadeau and Y. Bengio; what was set is kept, saved and cloned.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/criteria.hpp"
#include "support/problems.hpp"
#include "support/saved.hpp"

namespace divisions_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

constexpr std::int64_t n = 17;
const Vector lambda_values = {1e-2, 0.3, 1e2};

// Uneven folds, two hold-outs of different sizes, and folds dealt at random.
std::vector<Labels> columns() {
  std::vector<Labels> out{modulo_groups(n, 4), Labels(n, -1), Labels(n, -5), Labels(n)};
  out[0][1] = -1;
  for (const std::size_t row : {1, 4, 5, 12}) out[1][row] = 7;
  for (const std::size_t row : {0, 2, 4, 9, 13, 16}) out[2][row] = 0;
  check(freeridge_make_folds(n, 5, 3, out[3].data()), "freeridge_make_folds");
  return out;
}

Labels joined(const std::vector<Labels>& divisions) {
  Labels out;
  for (const Labels& division : divisions) out.insert(out.end(), division.begin(), division.end());
  return out;
}

// The score and its standard error from the group means: v of a group is its part of what its division leaves out.
std::pair<Real, Real> expected(const Problem& problem, const std::vector<Labels>& divisions, double lambda,
                               std::int64_t output) {
  std::vector<Real> parts, means;
  Real all = 0, overlap = 0;
  for (std::int64_t i = 0; i < n; ++i) all += static_cast<Real>(problem.weight(i));
  for (const Labels& group : divisions) {
    const Matrix errors = oracle::group_errors(problem, group, lambda);
    Real left_out = 0;
    const std::size_t first = parts.size();
    for (std::int32_t label = 0; label < 10; ++label) {
      Real weight = 0, sum = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        if (group[static_cast<std::size_t>(i)] != label) continue;
        const Real error = errors(i, output), w = static_cast<Real>(problem.weight(i));
        weight += w;
        sum += w * error * error;
      }
      if (weight == 0) continue;
      parts.push_back(weight);
      means.push_back(sum / weight);
      left_out += weight;
      overlap += weight / (all - weight);
    }
    for (std::size_t g = first; g < parts.size(); ++g) parts[g] /= left_out;
  }
  Real score = 0, weights = 0;
  for (std::size_t g = 0; g < parts.size(); ++g) score += parts[g] * means[g], weights += parts[g];
  return {score / weights, oracle::standard_error(parts, means) * std::sqrt(1 + overlap)};
}

TEST(Divisions, TheScoreIsTheMeanOverRefits) {
  Random random(71);
  const std::vector<Labels> divisions = columns();
  for (const Family family : {Family::linear, Family::gaussian})
    for (const bool weighted : {false, true})
      for (const freeridge_route route : std::vector<freeridge_route>{
               FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL,
               FREERIDGE_ROUTE_CHOLESKY + on_device, FREERIDGE_ROUTE_SPECTRAL + on_device}) {
        if (route == FREERIDGE_ROUTE_PRIMAL && family != Family::linear) continue;
        SCOPED_TRACE(::testing::Message()
                     << family_name(family) << " " << route_name(route) << (weighted ? ", weights" : ""));
        const Problem problem = random_problem(random, kernel_of(family, 3), n, 3, 2, weighted, true);
        Model model = oracle::make_model(problem, route);
        model.groups(joined(divisions), 4).factorize();
        const ScoresWithErrors found = model.score_with_error(FREERIDGE_GROUPS, lambda_values);
        Matrix mean(3, 2);
        for (std::int64_t l = 0; l < 3; ++l)
          for (std::int64_t j = 0; j < 2; ++j) {
            const double lambda = lambda_values[static_cast<std::size_t>(l)];
            const auto [score, error] = expected(problem, divisions, lambda, j);
            EXPECT_NEAR(found.scores(l, j), static_cast<double>(score), 1e-9 * static_cast<double>(score));
            EXPECT_NEAR(found.errors(l, j), static_cast<double>(error), 1e-8 * static_cast<double>(error));
            for (const Labels& division : divisions)
              mean(l, j) += static_cast<double>(oracle::score(problem, FREERIDGE_GROUPS, division, lambda, j)) / 4;
          }
        EXPECT_CLOSE(found.scores, mean, 1e-9);
      }
}

// The same division twice tells no more than once; its standard error is not smaller for it.
TEST(Divisions, OneDivisionTwice) {
  Random random(72);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.5), n, 3, 1, true, true);
  const Labels folds = columns()[3];
  Model model = oracle::make_model(problem);
  const ScoresWithErrors once = model.groups(folds).factorize().score_with_error(FREERIDGE_GROUPS, lambda_values);
  const ScoresWithErrors twice =
      model.groups(joined({folds, folds}), 2).score_with_error(FREERIDGE_GROUPS, lambda_values);
  EXPECT_CLOSE(twice.scores, once.scores, 1e-13);
  for (std::size_t l = 0; l < lambda_values.size(); ++l) EXPECT_GT(twice.errors.values[l], once.errors.values[l]);
}

TEST(Divisions, AreSearchedSavedAndCloned) {
  Random random(73);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.5), n, 3, 2, true, true);
  const std::vector<Labels> divisions = columns();
  Model model = oracle::make_model(problem);
  model.groups(joined(divisions), 4).factorize();
  const LambdaChoice chosen = model.select_lambda(FREERIDGE_GROUPS);
  for (std::int64_t j = 0; j < 2; ++j) {
    const double lambda = chosen.lambda[static_cast<std::size_t>(j)];
    for (const double factor : {0.9, 1.0, 1.1}) {
      const auto score = static_cast<double>(expected(problem, divisions, factor * lambda, j).first);
      EXPECT_GE(score, chosen.score[static_cast<std::size_t>(j)] * (1 - 1e-9));
      if (factor == 1) {
        EXPECT_NEAR(score, chosen.score[static_cast<std::size_t>(j)], 1e-9 * score);
      }
    }
  }
  freeridge_model* copy = nullptr;
  check(freeridge_clone(model.get(), &copy), "freeridge_clone");
  const Handle clone(copy), again = loaded(saved(model.get()));
  EXPECT_EQ(saved(again.get()), saved(model.get()));
  Labels wanted = joined(divisions);
  for (std::int32_t& label : wanted) label = std::max(label, -1);
  for (const freeridge_model* each :
       {static_cast<const freeridge_model*>(model.get()), static_cast<const freeridge_model*>(clone.get()),
        static_cast<const freeridge_model*>(again.get())}) {
    std::int64_t count = -1;
    ASSERT_EQ(freeridge_get_groups(each, &count, nullptr, nullptr, nullptr), FREERIDGE_OK);
    ASSERT_EQ(count, 4);
    Labels labels(4 * n, -9);
    ASSERT_EQ(freeridge_get_groups(each, nullptr, labels.data(), nullptr, nullptr), FREERIDGE_OK);
    EXPECT_EQ(labels, wanted);
    Matrix scores(3, 2), expected_scores = model.score(FREERIDGE_GROUPS, lambda_values);
    ASSERT_EQ(freeridge_score(each, FREERIDGE_GROUPS, 3, lambda_values.data(), scores.values.data(), nullptr, 3),
              FREERIDGE_OK);
    EXPECT_TRUE(bit_equal(scores, expected_scores));
  }
}

TEST(Divisions, RefuseWhatCannotBe) {
  Random random(74);
  Model model = oracle::make_model(random_problem(random, oracle::KernelSpec::linear(), n, 2, 1, false, true));
  const Labels good = joined(columns());
  model.groups(good, 4);
  const auto refused = [&](std::int64_t divisions, const Labels& group, const char* words) {
    EXPECT_EQ(freeridge_set_groups(model.get(), divisions, group.data(), 0, nullptr), FREERIDGE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(freeridge_last_error()).find(words), std::string::npos) << freeridge_last_error();
  };
  for (const std::int64_t divisions : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN, std::int64_t{1} << 31, INT64_MAX})
    refused(divisions, good, "divisions is ");
  Labels empty = good;
  std::fill_n(empty.begin() + 2 * n, n, -1);
  refused(4, empty, "in division 2");
  std::int64_t count = -1;
  ASSERT_EQ(freeridge_get_groups(model.get(), &count, nullptr, nullptr, nullptr), FREERIDGE_OK);
  EXPECT_EQ(count, 4);
}

// A division that leaves an answer for none of its rows has no score; neither has the mean.
TEST(Divisions, ADivisionWithoutAScoreIsUndefined) {
  Random random(75);
  const Problem problem = random_problem(random, oracle::KernelSpec::linear(), n, 2, 1, false, true);
  Model model = oracle::make_model(problem);
  Labels all(n, 0);
  model.groups(joined({columns()[0], all}), 2).factorize();
  freeridge_status status = FREERIDGE_OK;
  const ScoresWithErrors found = model.score_with_error(FREERIDGE_GROUPS, {0.5}, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  EXPECT_TRUE(std::isnan(found.scores(0, 0)) && std::isnan(found.errors(0, 0)));
}

}  // namespace divisions_test
