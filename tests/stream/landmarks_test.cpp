// Accumulators over the features of landmarks answer as models of the route LANDMARK with the same landmarks do; their
// bytes merge; what they have no answer for is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "support/accumulator.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"

namespace landmarks_test {

using namespace support;
using oracle::Family;
using oracle::KernelSpec;
using oracle::Problem;
using Bytes = std::vector<unsigned char>;

const Vector lambda_values = {1e-3, 0.1, 2.0, 1e3};

Accumulator over(const Problem& problem, const Matrix& z, freeridge_reduction reduction) {
  return Accumulator(oracle::make_kernel(problem.kernel), z, problem.y.cols, problem.intercept, reduction);
}

void add_in_chunks(Accumulator& to, const Problem& problem, std::int64_t chunk) {
  for (std::int64_t first = 0; first < problem.x.rows; first += chunk)
    to.add(slice(problem, first, std::min(chunk, problem.x.rows - first)));
}

Matrix loo_scores(const Accumulator& rows, const Problem& problem, std::int64_t chunk) {
  const auto count = static_cast<std::int64_t>(lambda_values.size()), t = problem.y.cols;
  Vector joined(static_cast<std::size_t>(5 * count * t), 0.0), part(joined.size());
  for (std::int64_t first = 0; first < problem.x.rows; first += chunk) {
    const Problem some = slice(problem, first, std::min(chunk, problem.x.rows - first));
    check(freeridge_accumulator_moments(rows.get(), at(some.x), FREERIDGE_COL_MAJOR, some.y.values.data(), some.x.rows,
                                        some.weights.empty() ? nullptr : some.weights.data(), nullptr, count,
                                        lambda_values.data(), part.data()),
          "freeridge_accumulator_moments");
    check(freeridge_moments_join(count * t, part.data(), joined.data()), "freeridge_moments_join");
  }
  Matrix out(count, t);
  check(freeridge_moments_score(count, lambda_values.data(), t, joined.data(), out.values.data(), nullptr, count),
        "freeridge_moments_score");
  return out;
}

// Everything that both answer.
void expect_same(const Accumulator& rows, Model& model, const Problem& problem, double tolerance) {
  for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_REML})
    EXPECT_CLOSE(rows.score(criterion, lambda_values), model.score(criterion, lambda_values), tolerance);
  EXPECT_CLOSE(loo_scores(rows, problem, 130), model.score(FREERIDGE_LOO, lambda_values), tolerance);
  const Matrix errors = rows.loo(problem, lambda_values);
  const std::int64_t t = problem.y.cols, n = problem.x.rows;
  for (std::size_t l = 0; l < lambda_values.size(); ++l) {
    SCOPED_TRACE(lambda_values[l]);
    model.lambda(lambda_values[l]);
    Matrix here(n, t), f(n, t);
    for (std::int64_t j = 0; j < t; ++j)
      for (std::int64_t i = 0; i < n; ++i) here(i, j) = errors(i, static_cast<std::int64_t>(l) * t + j);
    EXPECT_CLOSE(here, model.loo(), 10 * tolerance);
    const Vector lambda(static_cast<std::size_t>(t), lambda_values[l]);
    freeridge_model* predictor = nullptr;
    ASSERT_EQ(freeridge_accumulator_predictor(rows.get(), lambda.data(), &predictor), FREERIDGE_OK);
    check(freeridge_predict(predictor, FREERIDGE_COL_MAJOR, n, problem.x.values.data(), n, f.values.data(), n),
          "freeridge_predict");
    EXPECT_CLOSE(f, model.predict(problem.x), 10 * tolerance);
    freeridge_destroy(predictor);
    const SquaredErrors squares = rows.squared_errors(problem, {lambda_values[l]});
    for (std::int64_t j = 0; j < t; ++j) {
      double expected = 0;
      for (std::int64_t i = 0; i < n; ++i)
        expected += problem.weight(i) * (problem.y(i, j) - f(i, j)) * (problem.y(i, j) - f(i, j));
      EXPECT_NEAR(squares.squares(0, j), expected, 1e3 * tolerance * expected);
    }
  }
}

TEST(StreamLandmarks, EqualTheRouteOfAModel) {
  Random random(77);
  const std::vector<KernelSpec> kernels = {KernelSpec::gaussian(2.0), KernelSpec::radial(Family::laplacian, 1.5),
                                           KernelSpec::polynomial(2, 0.5, 1.0)};
  for (const KernelSpec& kernel : kernels)
    for (const bool intercept : {false, true})
      for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM}) {
        SCOPED_TRACE(::testing::Message() << static_cast<int>(kernel.family) << ", reduction " << reduction
                                          << (intercept ? ", intercept" : ""));
        const Problem problem = random_problem(random, kernel, 400, 3, 2, intercept, intercept);
        const support::Rows chosen = some_landmarks(random, 400, 25);
        Model model = oracle::make_model(problem, FREERIDGE_ROUTE_LANDMARK);
        set_landmarks(model, chosen);
        check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, reduction), "freeridge_set_parameter");
        model.factorize();
        const Matrix z = select_rows(problem.x, chosen);
        Accumulator rows = over(problem, z, reduction), other = over(problem, z, reduction);
        add_in_chunks(rows, slice(problem, 0, 170), 33);
        add_in_chunks(other, slice(problem, 170, 230), 230);
        rows.merge(other);
        const double tolerance = reduction == FREERIDGE_REDUCTION_QR ? 1e-12 : 1e-11;
        expect_same(rows, model, problem, tolerance);
        check(freeridge_accumulator_prepare(rows.get()), "freeridge_accumulator_prepare");
        const Accumulator loaded(rows.save());
        EXPECT_EQ(loaded.save(), rows.save());
        EXPECT_TRUE(bit_equal(loaded.loo(problem, lambda_values), rows.loo(problem, lambda_values)));
        EXPECT_TRUE(bit_equal(loaded.score(FREERIDGE_REML, lambda_values), rows.score(FREERIDGE_REML, lambda_values)));
      }
}

// So many landmarks that the Gram matrix is summed of psi, where K_RR has hardly a digit, some, and all; the bytes go on
// with the same features.
TEST(StreamLandmarks, EqualTheRouteWherePhiIsNotFormed) {
  Random random(78);
  for (const KernelSpec& kernel :
       {KernelSpec::gaussian(1.0), KernelSpec::gaussian(0.3), KernelSpec::radial(Family::laplacian, 1.0)}) {
    SCOPED_TRACE(::testing::Message() << static_cast<int>(kernel.family) << ", sigma " << kernel.sigma);
    const Problem problem = random_problem(random, kernel, 1500, 3, 1, true, true);
    const support::Rows chosen = some_landmarks(random, 1500, 300);
    Model model = oracle::make_model(problem, FREERIDGE_ROUTE_LANDMARK);
    set_landmarks(model, chosen);
    model.factorize();
    Accumulator rows = over(problem, select_rows(problem.x, chosen), FREERIDGE_REDUCTION_AUTO);
    add_in_chunks(rows, problem, 500);
    EXPECT_CLOSE(rows.score(FREERIDGE_GCV, lambda_values), model.score(FREERIDGE_GCV, lambda_values), 1e-9);
    EXPECT_CLOSE(loo_scores(rows, problem, 400), model.score(FREERIDGE_LOO, lambda_values), 1e-9);
    Accumulator loaded(rows.save());
    for (Accumulator* each : {&rows, &loaded}) each->add(slice(problem, 0, 100));
    EXPECT_EQ(loaded.save(), rows.save());
  }
}

TEST(StreamLandmarks, BytesMergeInAnyOrderAndGoOn) {
  Random random(79);
  const Problem problem = random_problem(random, KernelSpec::gaussian(1.5), 900, 2, 2, true, true);
  const Matrix z = random.uniform_matrix(20, 2, -1.0, 1.0);  // no rows of the data
  for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM}) {
    Accumulator whole = over(problem, z, reduction);
    whole.add(problem);
    std::vector<Bytes> shards;
    for (const auto& [first, count] : {std::pair{0, 0}, {0, 800}, {800, 1}, {801, 99}}) {
      Accumulator shard = over(problem, z, reduction);
      if (count > 0) shard.add(slice(problem, first, count));
      const Bytes before = shard.save();
      EXPECT_EQ(Accumulator(before).save(), before);
      check(freeridge_accumulator_compact(shard.get()), "freeridge_accumulator_compact");
      shards.push_back(shard.save());
      EXPECT_EQ(shards.back().size(), shards[0].size());
      EXPECT_EQ(Accumulator(shards.back()).save(), shards.back());
    }
    for (const std::vector<std::size_t>& order : {std::vector<std::size_t>{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}}) {
      Bytes sum = shards[order[0]];
      for (std::size_t k = 1; k < order.size(); ++k)
        ASSERT_EQ(freeridge_accumulator_merge_bytes(shards[order[k]].data(), static_cast<std::int64_t>(sum.size()),
                                                    sum.data()),
                  FREERIDGE_OK)
            << freeridge_last_error();
      const Accumulator merged(sum);
      EXPECT_EQ(merged.n(), 900);
      EXPECT_CLOSE(merged.score(FREERIDGE_REML, lambda_values), whole.score(FREERIDGE_REML, lambda_values), 1e-11);
      EXPECT_CLOSE(merged.loo(problem, lambda_values), whole.loo(problem, lambda_values), 1e-10);
    }
    for (std::size_t k = 0; k < shards[1].size(); k += 61) {
      Bytes bad = shards[1];
      bad[k] ^= 4;
      freeridge_accumulator* out = nullptr;
      EXPECT_EQ(freeridge_accumulator_load_from_memory(bad.data(), static_cast<std::int64_t>(bad.size()), &out),
                FREERIDGE_CORRUPT);
    }
  }
}

TEST(StreamLandmarks, WhatDependsOnOthersIsLeftOut) {
  Random random(80);
  const Problem problem = random_problem(random, KernelSpec::polynomial(1, 1.0, 1.0), 60, 2, 1, false, false);
  Matrix z = random.uniform_matrix(9, 2, -1.0, 1.0);  // three functions alone
  for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM}) {
    Accumulator rows = over(problem, z, reduction);
    rows.add(problem);
    const double lambda = 0.7;
    const oracle::Fit fit = oracle::fit(problem, lambda);  // the same functions
    EXPECT_CLOSE(rows.loo(problem, {lambda}), oracle::loo(problem, lambda), 1e-10);
    freeridge_model* predictor = nullptr;
    ASSERT_EQ(freeridge_accumulator_predictor(rows.get(), &lambda, &predictor), FREERIDGE_OK);
    std::int64_t n = 0, d = 0, t = 0;
    check(freeridge_get_dimensions(predictor, &n, &d, &t), "freeridge_get_dimensions");
    EXPECT_EQ(n, 3);
    freeridge_destroy(predictor);
  }
}

// A Gram matrix tells the squared residuals of y far from zero, without an intercept, by a difference: six digits of
// them, or no criterion and no training error.
TEST(StreamLandmarks, SquaredResidualsHaveSixDigitsOrNoValue) {
  int without = 0;
  for (const double level : {0.0, 1.0, 1e2, 1e3, 1e5}) {
    SCOPED_TRACE(level);
    Random random(61);
    Problem problem{KernelSpec::polynomial(3, 1, 1), Matrix(80, 1), Matrix(80, 1), {}, false};
    for (std::int64_t i = 0; i < 80; ++i) {
      const double x = problem.x(i, 0) = -1 + static_cast<double>(i) / 39.5;
      problem.y(i, 0) = level + x - x * x * x + 1e-3 * random.normal();
    }
    const std::vector<std::int64_t> rows = {0, 25, 55, 79};
    const Matrix z = select_rows(problem.x, rows);
    Accumulator gram = over(problem, z, FREERIDGE_REDUCTION_GRAM), qr = over(problem, z, FREERIDGE_REDUCTION_QR);
    gram.add(problem);
    qr.add(problem);
    for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_REML}) {
      freeridge_status status = FREERIDGE_OK;
      const double score = gram.score(criterion, {1e-9}, &status)(0, 0);
      EXPECT_EQ(std::isnan(score), status == FREERIDGE_UNDEFINED);
      without += std::isnan(score) ? 1 : 0;
      EXPECT_FALSE(std::isnan(score) && level <= 1);
      if (!std::isnan(score)) {
        EXPECT_NEAR(score / qr.score(criterion, {1e-9})(0, 0), 1, 1e-6);
      }
    }
  }
  EXPECT_GT(without, 0);
}

TEST(StreamLandmarks, Refusals) {
  Random random(81);
  const Matrix z = random.uniform_matrix(4, 2, -1.0, 1.0);
  const Kernel gaussian = oracle::make_kernel(KernelSpec::gaussian(1.0)),
               wider = oracle::make_kernel(KernelSpec::gaussian(2.0)),
               linear = oracle::make_kernel(KernelSpec::linear()),
               scaled = oracle::make_kernel(KernelSpec::gaussian(1.0).with_columns({1.0, 2.0, 3.0}));
  const auto status = [&](const Kernel& kernel, const Matrix& points) {
    freeridge_accumulator* out = nullptr;
    const freeridge_status answer = freeridge_accumulator_create_landmarks(
        kernel.get(), FREERIDGE_COL_MAJOR, 4, 2, points.values.data(), 4, 1, 1, FREERIDGE_REDUCTION_AUTO, &out);
    EXPECT_EQ(out != nullptr, answer == FREERIDGE_OK);
    freeridge_accumulator_destroy(out);
    return answer;
  };
  EXPECT_EQ(status(gaussian, z), FREERIDGE_OK);
  EXPECT_EQ(status(linear, z), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(status(scaled, z), FREERIDGE_DIMENSION_MISMATCH);
  EXPECT_EQ(status(Kernel::precomputed(), z), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(status(Kernel::polynomial(2, 1, 0), Matrix(4, 2, 0.0)), FREERIDGE_INVALID_ARGUMENT);  // k(z, z) = 0
  Matrix bad = z;
  bad(3, 1) = std::nan("");
  EXPECT_EQ(status(gaussian, bad), FREERIDGE_NOT_FINITE);
  Matrix far = z;
  far(0, 0) = 3;
  Accumulator rows(gaussian, z, 1, true, FREERIDGE_REDUCTION_AUTO);
  EXPECT_EQ(freeridge_accumulator_merge(rows.get(), Accumulator(wider, z, 1, true, FREERIDGE_REDUCTION_AUTO).get()),
            FREERIDGE_DIMENSION_MISMATCH);
  EXPECT_EQ(
      freeridge_accumulator_merge(rows.get(), Accumulator(gaussian, far, 1, true, FREERIDGE_REDUCTION_AUTO).get()),
      FREERIDGE_DIMENSION_MISMATCH);
  EXPECT_EQ(freeridge_accumulator_merge(rows.get(), Accumulator(gaussian, z, 1, true, FREERIDGE_REDUCTION_QR).get()),
            FREERIDGE_DIMENSION_MISMATCH);
  EXPECT_EQ(freeridge_accumulator_merge(rows.get(), Accumulator(4, 1, true).get()), FREERIDGE_DIMENSION_MISMATCH);
  rows.add(random_problem(random, KernelSpec::gaussian(1.0), 20, 2, 1, false, true));
  double w[8], b = 0;
  const double lambda = 1;
  EXPECT_EQ(freeridge_accumulator_solve(rows.get(), 1, &lambda, w, 4, &b), FREERIDGE_INVALID_STATE);
  // a row whose values with the landmarks overflow
  Accumulator cubes(Kernel::polynomial(3, 1, 1), z, 1, true, FREERIDGE_REDUCTION_AUTO);
  Problem huge = random_problem(random, KernelSpec::gaussian(1.0), 5, 2, 1, false, true);
  cubes.add(huge);
  const support::Bytes before = cubes.save();
  huge.x(3, 0) = 1e150;
  EXPECT_EQ(freeridge_accumulator_add(cubes.get(), at(huge.x), FREERIDGE_COL_MAJOR, huge.y.values.data(), 5, nullptr),
            FREERIDGE_NOT_FINITE);
  EXPECT_NE(std::string(freeridge_last_error()).find("rows 3"), std::string::npos) << freeridge_last_error();
  EXPECT_EQ(cubes.save(), before);
}

}  // namespace landmarks_test
