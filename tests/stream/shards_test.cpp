// Rows in shards: compact bytes have one size and merge as rows do; what is prepared answers with the same bits; moments of
// left-out errors are those of their definition, and lambda chosen from them is a model's; processes without rows.
#include <gtest/gtest.h>

#include <cmath>

#include "support/accumulator.hpp"
#include "support/problems.hpp"
#include "support/search.hpp"

namespace shards_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;
using Bytes = std::vector<unsigned char>;

const Vector lambda_values = {0.01, 0.3, 2.0, 50.0};

Problem problem_of(std::int64_t n, std::int64_t d, std::int64_t t, bool weighted = true, bool intercept = true) {
  Random random(41 + static_cast<unsigned>(n));
  return random_problem(random, KernelSpec::linear(), n, d, t, weighted, intercept);
}

Bytes compact(Accumulator rows) {
  check(freeridge_accumulator_compact(rows.get()), "freeridge_accumulator_compact");
  return rows.save();
}

freeridge_status merge(Bytes& inout, const Bytes& in) {
  return freeridge_accumulator_merge_bytes(in.data(), static_cast<std::int64_t>(inout.size()), inout.data());
}

Vector moments_of(const Accumulator& rows, const Problem& problem, const Vector& lambdas,
                  freeridge_status expected = FREERIDGE_OK) {
  const auto count = static_cast<std::int64_t>(lambdas.size());
  Vector out(5 * static_cast<std::size_t>(count * problem.y.cols), -1);
  EXPECT_EQ(freeridge_accumulator_moments(rows.get(), at(problem.x), FREERIDGE_COL_MAJOR, problem.y.values.data(),
                                          problem.x.rows, problem.weights.empty() ? nullptr : problem.weights.data(),
                                          nullptr, count, lambdas.data(), out.data()),
            expected)
      << freeridge_last_error();
  return out;
}

Vector join(Vector a, const Vector& b) {
  check(freeridge_moments_join(static_cast<std::int64_t>(a.size() / 5), b.data(), a.data()), "freeridge_moments_join");
  return a;
}

struct Scores {
  Matrix scores, errors;
  freeridge_status status;
};
Scores scores_of(const Vector& moments, const Vector& lambdas) {
  const auto count = static_cast<std::int64_t>(lambdas.size()),
             t = static_cast<std::int64_t>(moments.size()) / 5 / count;
  Scores out{Matrix(count, t), Matrix(count, t), FREERIDGE_OK};
  out.status = freeridge_moments_score(count, lambdas.data(), t, moments.data(), out.scores.values.data(),
                                       out.errors.values.data(), count);
  return out;
}

TEST(Shards, CompactBytesHaveOneSizeAndAnswerBitForBit) {
  for (const bool intercept : {false, true}) {
    const Bytes empty = compact(Accumulator(6, 2, intercept));
    for (const std::int64_t n : {2, 5, 8, 9, 10, 600, 1700}) {
      SCOPED_TRACE(n);
      const Problem problem = problem_of(n, 6, 2, true, intercept);
      Accumulator rows(problem, 37);
      const Planes before = rows.solve(lambda_values);
      const Matrix loo = rows.loo(problem, lambda_values);
      EXPECT_EQ(freeridge_accumulator_compact(rows.get()), FREERIDGE_OK);
      const Bytes bytes = rows.save();
      EXPECT_EQ(bytes.size(), empty.size());
      const Accumulator loaded(bytes);
      EXPECT_EQ(loaded.save(), bytes);
      EXPECT_EQ(loaded.n(), n);
      for (const Accumulator* const each : {&std::as_const(rows), &loaded}) {
        const Planes after = each->solve(lambda_values);
        EXPECT_TRUE(bit_equal(after.w, before.w) && bit_equal(after.b, before.b));
        EXPECT_TRUE(bit_equal(each->loo(problem, lambda_values), loo));
      }
      rows.add(problem);  // no longer compact
      EXPECT_NEAR(rows.sum_w(), 2 * loaded.sum_w(), 1e-12 * rows.sum_w());
    }
  }
}

TEST(Shards, BytesMergeAsRowsDoInAnyOrder) {
  for (const bool intercept : {false, true}) {
    const Problem problem = problem_of(90, 5, 2, true, intercept);
    const Accumulator whole(problem);
    const Planes expected = whole.solve(lambda_values);
    const Matrix loo = whole.loo(problem, lambda_values);
    const std::vector<std::int64_t> ends = {0, 1, 1, 3, 40, 40, 90};  // two shards without rows
    std::vector<Bytes> shards;
    for (std::size_t k = 1; k < ends.size(); ++k) {
      Accumulator shard(5, 2, intercept);
      if (ends[k] > ends[k - 1]) shard.add(slice(problem, ends[k - 1], ends[k] - ends[k - 1]));
      shards.push_back(compact(std::move(shard)));
    }
    Bytes left = shards[0], right = shards.back(), tree = shards[1], rest = shards[4];
    for (std::size_t k = 1; k < shards.size(); ++k) ASSERT_EQ(merge(left, shards[k]), FREERIDGE_OK);
    for (std::size_t k = shards.size() - 1; k-- > 0;) ASSERT_EQ(merge(right, shards[k]), FREERIDGE_OK);
    ASSERT_EQ(merge(rest, shards[3]), FREERIDGE_OK);
    ASSERT_EQ(merge(rest, shards[5]), FREERIDGE_OK);
    for (const std::size_t k : {0, 2}) ASSERT_EQ(merge(tree, shards[k]), FREERIDGE_OK);
    ASSERT_EQ(merge(tree, rest), FREERIDGE_OK);
    for (const Bytes& bytes : {left, right, tree}) {
      const Accumulator merged(bytes);
      EXPECT_EQ(bytes.size(), shards[0].size());
      EXPECT_EQ(merged.n(), 90);
      const Planes planes = merged.solve(lambda_values);
      EXPECT_CLOSE(planes.w, expected.w, 1e-12);
      EXPECT_CLOSE(planes.b, expected.b, 1e-12);
      EXPECT_CLOSE(merged.loo(problem, lambda_values), loo, 1e-11);
    }
  }
}

TEST(Shards, WhatDoesNotMergeIsRefusedAndNothingIsWritten) {
  const Bytes good = compact(Accumulator(problem_of(7, 3, 1)));
  const auto refused = [&](Bytes inout, const Bytes& in, freeridge_status status) {
    const Bytes before = inout;
    EXPECT_EQ(merge(inout, in), status) << freeridge_last_error();
    EXPECT_EQ(inout, before);
  };
  for (std::size_t k = 0; k < good.size(); ++k) {
    Bytes bad = good;
    bad[k] ^= 0x10;
    refused(good, bad, FREERIDGE_CORRUPT);
    if (k % 5 == 0) refused(bad, good, FREERIDGE_CORRUPT);
  }
  Accumulator prepared(problem_of(7, 3, 1)), rows(problem_of(7, 3, 1));
  check(freeridge_accumulator_prepare(prepared.get()), "freeridge_accumulator_prepare");
  refused(prepared.save(), prepared.save(), FREERIDGE_INVALID_ARGUMENT);
  refused(rows.save(), rows.save(), FREERIDGE_INVALID_ARGUMENT);
  // As many numbers, and other ones: d + t is the same.
  refused(good, compact(Accumulator(problem_of(7, 2, 2))), FREERIDGE_DIMENSION_MISMATCH);
  Problem huge = problem_of(7, 3, 1);
  for (double& value : huge.x.values) value *= 1e299;
  Problem other = huge;
  for (double& value : other.x.values) value = -value + 9e299;
  Bytes far = compact(Accumulator(huge));
  EXPECT_NE(merge(far, compact(Accumulator(other))), FREERIDGE_INTERNAL);
  Bytes one(1);
  EXPECT_EQ(freeridge_accumulator_merge_bytes(good.data(), 0, one.data()), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_accumulator_merge_bytes(good.data(), 1, one.data()), FREERIDGE_CORRUPT);
}

TEST(Shards, PreparedBytesAnswerWithTheSameBits) {
  for (const std::int64_t n : {3, 9, 200}) {
    const Problem problem = problem_of(n, 4, 2);
    Accumulator rows(problem);
    const Planes planes = rows.solve(lambda_values);
    const Matrix scores = rows.score(FREERIDGE_REML, lambda_values), loo = rows.loo(problem, lambda_values);
    check(freeridge_accumulator_prepare(rows.get()), "freeridge_accumulator_prepare");
    const Bytes bytes = rows.save();
    const Accumulator loaded(bytes);
    EXPECT_EQ(loaded.save(), bytes);
    EXPECT_GT(bytes.size(), compact(Accumulator(problem)).size());
    EXPECT_TRUE(bit_equal(loaded.solve(lambda_values).w, planes.w));
    EXPECT_TRUE(bit_equal(loaded.score(FREERIDGE_REML, lambda_values), scores));
    EXPECT_TRUE(bit_equal(loaded.loo(problem, lambda_values), loo));
    check(freeridge_accumulator_compact(rows.get()), "freeridge_accumulator_compact");
    EXPECT_EQ(rows.save(), compact(Accumulator(problem)));
    for (std::size_t k = 0; k < bytes.size(); k += 7) {
      Bytes bad = bytes;
      bad[k] ^= 1;
      freeridge_accumulator* out = nullptr;
      EXPECT_EQ(freeridge_accumulator_load_from_memory(bad.data(), static_cast<std::int64_t>(bad.size()), &out),
                FREERIDGE_CORRUPT)
          << k;
    }
  }
  Accumulator none(3, 1, true);
  EXPECT_EQ(freeridge_accumulator_prepare(none.get()), FREERIDGE_INVALID_STATE);
}

// Each moment from the errors themselves, in long double.
Vector by_definition(const Matrix& errors, const Vector& weights) {
  Vector out;
  for (std::int64_t c = 0; c < errors.cols; ++c) {
    long double rows = 0, weight = 0, sum = 0, spread = 0;
    const auto each = [&](auto use) {
      for (std::int64_t i = 0; i < errors.rows; ++i)
        if (!std::isnan(errors(i, c)))
          use(weights.empty() ? 1.0L : weights[static_cast<std::size_t>(i)],
              static_cast<long double>(errors(i, c)) * errors(i, c));
    };
    each([&](long double w, long double square) { rows += 1, weight += w, sum += w * square; });
    const long double mean = rows > 0 ? sum / weight : 0;
    each([&](long double w, long double square) { spread += w * (square - mean) * (square - mean); });
    for (const long double value : {rows, weight, mean, std::sqrt(spread), errors.rows - rows})
      out.push_back(static_cast<double>(value));
  }
  return out;
}

Matrix five_rows(const Vector& moments) {  // each moment in a column of its own
  Matrix out(static_cast<std::int64_t>(moments.size() / 5), 5);
  for (std::size_t k = 0; k < moments.size(); ++k)
    out(static_cast<std::int64_t>(k / 5), static_cast<std::int64_t>(k % 5)) = moments[k];
  return out;
}

TEST(Shards, MomentsAreThoseOfTheErrorsAndJoin) {
  for (const bool weighted : {false, true})
    for (const std::int64_t n : {3, 7, 40, 1500}) {
      SCOPED_TRACE(n);
      const Problem problem = problem_of(n, 6, 2, weighted);
      const Accumulator rows(problem);
      const Vector expected = by_definition(rows.loo(problem, lambda_values), problem.weights);
      EXPECT_CLOSE(five_rows(moments_of(rows, problem, lambda_values)), five_rows(expected), 1e-11);
      for (const std::int64_t chunk : {1, 3, 700}) {
        Vector joined(5 * lambda_values.size() * 2, 0.0);
        for (std::int64_t first = 0; first < n && (chunk > 1 || n < 50); first += chunk)
          joined = join(std::move(joined),
                        moments_of(rows, slice(problem, first, std::min(chunk, n - first)), lambda_values));
        if (chunk > 1 || n < 50) {
          EXPECT_CLOSE(five_rows(joined), five_rows(expected), 1e-11);
        }
      }
      Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
      model.factorize();
      const auto count = static_cast<std::int64_t>(lambda_values.size());
      Matrix scores(count, 2), errors(count, 2);
      check(freeridge_score(model.get(), FREERIDGE_LOO, count, lambda_values.data(), scores.values.data(),
                            errors.values.data(), count),
            "freeridge_score");
      const Scores found = scores_of(moments_of(rows, problem, lambda_values), lambda_values);
      EXPECT_EQ(found.status, FREERIDGE_OK);
      EXPECT_CLOSE(found.scores, scores, 1e-10);
      EXPECT_CLOSE(found.errors, errors, 1e-9);
    }
}

// A feature that row 0 alone has.
TEST(Shards, RowsWithoutAnErrorAreCounted) {
  Problem problem = problem_of(12, 3, 1);
  std::fill_n(problem.x.values.begin(), 12, 0.0);
  problem.x.values[0] = 1;
  const Accumulator rows(problem);
  const Vector lambdas = {0.0, 1e-14, 1.0};
  freeridge_status status = FREERIDGE_OK;
  const Matrix errors = rows.loo(problem, lambdas, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  const Vector moments = moments_of(rows, problem, lambdas);
  EXPECT_CLOSE(five_rows(moments), five_rows(by_definition(errors, problem.weights)), 1e-11);
  EXPECT_EQ(moments[4], 1);
  EXPECT_EQ(moments[14], 0);
  const Scores scores = scores_of(moments, lambdas);
  EXPECT_EQ(scores.status, FREERIDGE_UNDEFINED);
  EXPECT_TRUE(std::isnan(scores.scores(0, 0)) && std::isnan(scores.errors(0, 0)) && scores.scores(2, 0) > 0);
  const Scores none = scores_of(Vector(10, 0.0), {1.0, 2.0});
  EXPECT_EQ(none.status, FREERIDGE_UNDEFINED);
}

// Errors of 1e-120 and 1e120: their squares' squares leave the range of doubles.
TEST(Shards, MomentsOfErrorsOfAnySize) {
  for (const double size : {1e-120, 1.0, 1e120}) {
    Problem problem = problem_of(30, 3, 1);
    for (double& value : problem.y.values) value *= size;
    const Vector moments = moments_of(Accumulator(problem), problem, {1.0});
    Problem plain = problem_of(30, 3, 1);
    const Vector expected = moments_of(Accumulator(plain), plain, {1.0});
    EXPECT_NEAR(moments[2] / size / size, expected[2], 1e-11 * expected[2]);
    EXPECT_NEAR(moments[3] / size / size, expected[3], 1e-11 * expected[3]);
  }
  Problem beyond = problem_of(30, 3, 1);  // the squares themselves
  for (double& value : beyond.y.values) value *= 1e160;
  for (const double value : moments_of(Accumulator(beyond), beyond, {1.0}, FREERIDGE_NOT_FINITE)) EXPECT_EQ(value, -1);
}

// Rows, weight, mean, spread, and rows without an error.
TEST(Shards, OneRowHasNoStandardError) {
  for (const double rows : {1.0, 2.0}) {
    const Scores found = scores_of({rows, 2, 0.5, 0.3, 0}, {1.0});
    EXPECT_EQ(found.status, rows == 1 ? FREERIDGE_UNDEFINED : FREERIDGE_OK);
    EXPECT_EQ(found.scores(0, 0), 0.5);
    if (rows == 1)
      EXPECT_TRUE(std::isnan(found.errors(0, 0)));
    else
      EXPECT_DOUBLE_EQ(found.errors(0, 0), 0.3 / std::sqrt(2.0));
    double score = -1, error = -1;
    const Vector lambda = {1.0}, moments = {rows, 2, 0.5, 0.3, 0};
    freeridge_search search = search_of(nullptr, &score);
    EXPECT_EQ(freeridge_moments_select_lambda(1, lambda.data(), 1, moments.data(), &search), FREERIDGE_OK);
    search.standard_error = &error;
    EXPECT_EQ(freeridge_moments_select_lambda(1, lambda.data(), 1, moments.data(), &search), found.status);
    EXPECT_EQ(score, 0.5);
    EXPECT_EQ(std::isnan(error), rows == 1);
  }
}

TEST(Shards, LambdaChosenFromMomentsIsAModels) {
  for (const std::int64_t n : {25, 300}) {
    const Problem problem = problem_of(n, 8, 3);
    const Accumulator rows(problem);
    Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
    model.factorize();
    const LambdaChoice expected = model.select_lambda(FREERIDGE_LOO);
    Vector lambdas = rows.lambda_grid(100), moments = moments_of(rows, problem, lambdas);
    Vector lambda(3), score(3), error(3), decades(3), next(3), rule(3), there(3);
    Labels edge(3, 9), dips(3, 9);
    for (int round = 0; round < 3; ++round) {
      const auto count = static_cast<std::int64_t>(lambdas.size());
      freeridge_search search = search_of(lambda.data(), score.data());
      Matrix scores(count, 3);
      Vector tried(lambdas.size());
      search.standard_error = error.data(), search.edge = edge.data(), search.decades = decades.data();
      search.dips = dips.data(), search.next = next.data();
      search.one_se_lambda = rule.data(), search.one_se_score = there.data();
      search.lambdas = tried.data(), search.scores = scores.values.data();
      ASSERT_EQ(freeridge_moments_select_lambda(count, lambdas.data(), 3, moments.data(), &search), FREERIDGE_OK)
          << freeridge_last_error();
      EXPECT_EQ(search.count, count);
      EXPECT_TRUE(std::is_sorted(tried.begin(), tried.end()));
      const Scores given = scores_of(moments, lambdas);
      for (std::int64_t l = 0; l < count; ++l) {
        const auto place = std::find(tried.begin(), tried.end(), lambdas[static_cast<std::size_t>(l)]) - tried.begin();
        for (std::int64_t j = 0; j < 3; ++j) EXPECT_EQ(scores(place, j), given.scores(l, j));
      }
      for (std::size_t j = 0; j < 3; ++j) {
        std::size_t l = static_cast<std::size_t>(std::find(tried.begin(), tried.end(), lambda[j]) - tried.begin());
        const auto at = [&](std::size_t place) {
          return scores(static_cast<std::int64_t>(place), static_cast<std::int64_t>(j));
        };
        while (l + 1 < tried.size() && at(l + 1) <= score[j] + error[j]) ++l;
        EXPECT_EQ(rule[j], tried[l]);
        EXPECT_EQ(there[j], at(l));
      }
      Vector more;
      for (std::size_t j = 0; j < 3; ++j)
        if (next[j] != lambda[j] && std::find(more.begin(), more.end(), next[j]) == more.end()) more.push_back(next[j]);
      if (more.empty()) break;
      const Vector added = moments_of(rows, problem, more);
      lambdas.insert(lambdas.end(), more.begin(), more.end());
      moments.insert(moments.end(), added.begin(), added.end());
    }
    EXPECT_CLOSE(score, expected.score, 1e-10);
    EXPECT_EQ(edge, model.search().edge);
    EXPECT_EQ(dips, model.search_shape().dips);
    EXPECT_CLOSE(decades, model.search_shape().decades, 1e-3);
    for (std::size_t j = 0; j < 3; ++j)
      if (edge[j] == 0) {
        EXPECT_NEAR(std::log(lambda[j]), std::log(expected.lambda[j]), 1e-4);
      }
  }
}

TEST(Shards, NoMomentsAreRefused) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Vector fine = {3, 2.5, 1, 0.5, 0}, not_finite = {std::nan(""), infinity, -infinity};
  const auto status_of = [&](std::size_t place, double value) {
    Vector moments = fine, other = fine;
    moments[place] = value;
    const freeridge_status first = freeridge_moments_join(1, other.data(), moments.data());
    EXPECT_EQ(freeridge_moments_join(1, moments.data(), other.data()), first);
    EXPECT_EQ(other, fine);
    return first;
  };
  for (std::size_t place = 0; place < 5; ++place) {
    for (const double value : not_finite) EXPECT_EQ(status_of(place, value), FREERIDGE_NOT_FINITE);
    EXPECT_EQ(status_of(place, -1), FREERIDGE_INVALID_ARGUMENT);
  }
  for (const std::size_t count : {0, 4}) EXPECT_EQ(status_of(count, 1.5), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(status_of(0, 0), FREERIDGE_INVALID_ARGUMENT);  // a mean of no rows
  Vector large = {1, 1e308, 1, 0, 0}, other = large;
  EXPECT_EQ(freeridge_moments_join(1, other.data(), large.data()), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(large, other);
  const Vector zero = {0.0, 1.0}, moments = {3, 1, 1, 1, 0, 3, 1, 1, 1, 0};
  double lambda = -1, score = -1;
  freeridge_search search = search_of(&lambda, &score);
  EXPECT_EQ(freeridge_moments_select_lambda(2, zero.data(), 1, moments.data(), &search), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(lambda, -1);
  const Vector one = {1.0}, of_no_row = {0, 0, 0, 0, 7};  // seven rows, none of them with an error
  EXPECT_EQ(freeridge_moments_select_lambda(1, one.data(), 1, of_no_row.data(), &search), FREERIDGE_UNDEFINED);
  EXPECT_EQ(lambda, -1);
}

// So that the lengths of its coefficients are known.
TEST(Shards, ThePredictorTellsItsInterceptAndWhatIsNotPenalised) {
  for (const bool intercept : {false, true})
    for (const std::int64_t count : {0, 2}) {
      Accumulator rows(4, 3, intercept);
      check(freeridge_accumulator_set_parameter(rows.get(), FREERIDGE_UNPENALISED, static_cast<double>(count)), "set");
      rows.add(problem_of(30, 4, 3, true, intercept));
      const Vector lambda = {0.5, 0.5, 7.0};
      freeridge_model* out = nullptr;
      ASSERT_EQ(freeridge_accumulator_predictor(rows.get(), lambda.data(), &out), FREERIDGE_OK);
      double found = -1;
      EXPECT_EQ(freeridge_get_parameter(out, FREERIDGE_INTERCEPT, &found), FREERIDGE_OK);
      EXPECT_EQ(found, intercept ? FREERIDGE_INTERCEPT_FREE : FREERIDGE_INTERCEPT_NONE);
      EXPECT_EQ(freeridge_get_parameter(out, FREERIDGE_UNPENALISED, &found), FREERIDGE_OK);
      EXPECT_EQ(found, static_cast<double>(count));
      EXPECT_EQ(freeridge_get_parameter(out, FREERIDGE_ROUTE, &found), FREERIDGE_INVALID_STATE);
      freeridge_destroy(out);
    }
}

TEST(Shards, ThePredictorIsTheSolution) {
  for (const bool intercept : {false, true}) {
    const Problem problem = problem_of(30, 4, 3, true, intercept);
    const Accumulator rows(problem);
    const Vector lambda = {0.5, 0.5, 7.0};
    freeridge_model* out = nullptr;
    ASSERT_EQ(freeridge_accumulator_predictor(rows.get(), lambda.data(), &out), FREERIDGE_OK);
    Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
    model.factorize();
    check(freeridge_set_lambdas(model.get(), lambda.data()), "freeridge_set_lambdas");
    std::int64_t n = 0, d = 0, t = 0, length = 0;
    EXPECT_EQ(freeridge_get_dimensions(out, &n, &d, &t), FREERIDGE_OK);
    EXPECT_TRUE(n == 30 && d == 4 && t == 3);
    Matrix w(4, 3), f(30, 3), expected(30, 3);
    Vector b(3), at(3);
    EXPECT_EQ(freeridge_hyperplane(out, 0, nullptr, w.values.data(), 4, nullptr), FREERIDGE_OK);
    EXPECT_EQ(freeridge_coefficients(out, 0, nullptr, nullptr, 0, b.data()), FREERIDGE_OK);
    EXPECT_EQ(freeridge_get_lambda(out, at.data()), FREERIDGE_OK);
    EXPECT_EQ(at, lambda);
    EXPECT_CLOSE(w, model.hyperplane(), 1e-11);
    EXPECT_CLOSE(b, model.intercepts(), 1e-11);
    for (const auto& [from, to] : {std::pair{out, &f}, std::pair{model.get(), &expected}})
      check(freeridge_predict(from, FREERIDGE_COL_MAJOR, 30, problem.x.values.data(), 30, to->values.data(), 30),
            "freeridge_predict");
    EXPECT_CLOSE(f, expected, 1e-11);
    const std::int64_t side = 3 * (intercept ? 5 : 4);  // what sums of the rows decide: reader_test.cpp has more
    Matrix covariance(side, side), expected_covariance(side, side);
    for (const auto& [from, to] : {std::pair{out, &covariance}, std::pair{model.get(), &expected_covariance}})
      check(freeridge_coefficient_covariance(from, FREERIDGE_COVARIANCE_BAYESIAN, to->values.data(), side),
            "freeridge_coefficient_covariance");
    EXPECT_CLOSE(covariance, expected_covariance, 1e-10);
    freeridge_model* copy = nullptr;
    EXPECT_EQ(freeridge_clone(out, &copy), FREERIDGE_OK);
    freeridge_destroy(out);
    out = copy;
    Vector df(3), expected_df(3);
    EXPECT_EQ(freeridge_degrees_of_freedom(out, df.data(), nullptr), FREERIDGE_OK);
    check(freeridge_degrees_of_freedom(model.get(), expected_df.data(), nullptr), "freeridge_degrees_of_freedom");
    EXPECT_CLOSE(df, expected_df, 1e-11);
    EXPECT_EQ(freeridge_save_to_memory(out, FREERIDGE_SAVE_PREDICTOR, 0, nullptr, &length), FREERIDGE_OK);
    Bytes bytes(static_cast<std::size_t>(length));
    EXPECT_EQ(freeridge_save_to_memory(out, FREERIDGE_SAVE_PREDICTOR, length, bytes.data(), &length), FREERIDGE_OK);
    freeridge_model* loaded = nullptr;
    EXPECT_EQ(freeridge_load_from_memory(bytes.data(), length, &loaded), FREERIDGE_OK);
    Matrix again(30, 3);
    check(freeridge_predict(loaded, FREERIDGE_COL_MAJOR, 30, problem.x.values.data(), 30, again.values.data(), 30),
          "freeridge_predict");
    EXPECT_TRUE(bit_equal(again, f));
    EXPECT_EQ(freeridge_loo(out, f.values.data(), 30), FREERIDGE_INVALID_STATE);
    EXPECT_EQ(freeridge_degrees_of_freedom(loaded, df.data(), nullptr), FREERIDGE_INVALID_STATE);
    freeridge_destroy(loaded);
    freeridge_destroy(out);
  }
}

TEST(Shards, NoRowsAreRows) {
  const Problem problem = problem_of(20, 3, 1);
  Accumulator rows(3, 1, true);
  EXPECT_EQ(freeridge_accumulator_add(rows.get(), no_points(0, 3), FREERIDGE_ROW_MAJOR, nullptr, 0, nullptr),
            FREERIDGE_OK);
  EXPECT_EQ(rows.n(), 0);
  Vector moments(10, -1);
  EXPECT_EQ(freeridge_accumulator_moments(rows.get(), no_points(0, 3), FREERIDGE_ROW_MAJOR, nullptr, 0, nullptr,
                                          nullptr, 2, lambda_values.data(), moments.data()),
            FREERIDGE_INVALID_STATE);
  rows.add(problem);
  const Bytes before = rows.save();
  EXPECT_EQ(freeridge_accumulator_add(rows.get(), no_points(0, 3), FREERIDGE_ROW_MAJOR, nullptr, 0, nullptr),
            FREERIDGE_OK);
  EXPECT_EQ(freeridge_accumulator_moments(rows.get(), no_points(0, 3), FREERIDGE_ROW_MAJOR, nullptr, 0, nullptr,
                                          nullptr, 2, lambda_values.data(), moments.data()),
            FREERIDGE_OK);
  EXPECT_EQ(moments, Vector(10, 0.0));
  EXPECT_EQ(rows.save(), before);
}

}  // namespace shards_test
