// Models whose rows a reader hands out: the answers of a model with all rows, whatever the layout and whether n is known; and
// readers that fail, end too early, give what is no number, or change their mind: a status with the row, the model as before.
#include <gtest/gtest.h>

#include <cmath>
#include <new>
#include <stdexcept>
#include <string>

#include "support/compare.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/reader.hpp"
#include "support/unpenalised.hpp"

namespace reader_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

struct Scores {
  Matrix scores, errors;
};
Scores scores_of(const Model& model, freeridge_criterion criterion, const Vector& lambdas, std::int64_t t) {
  const auto count = static_cast<std::int64_t>(lambdas.size());
  Scores out{Matrix(count, t), Matrix(count, t)};
  double* const errors = criterion == FREERIDGE_LOO ? out.errors.values.data() : nullptr;
  const freeridge_status status =
      freeridge_score(model.get(), criterion, count, lambdas.data(), out.scores.values.data(), errors, count);
  EXPECT_EQ(status, FREERIDGE_OK) << freeridge_last_error();
  return out;
}

const Vector lambda_values = {1e-2, 0.5, 20.0};

// What sums of all rows decide: standard errors and covariances of predictions, and degrees of freedom.
void expect_same_errors(const Model& read, const Model& whole, const Points& points, const Points& of_whole,
                        std::int64_t t, double tolerance) {
  const std::int64_t m = points.fields.n;
  Vector df[2], sigma2[2], noise[2];
  Matrix variance[2];
  for (const int side : {0, 1}) {
    const freeridge_model* const model = (side == 0 ? read : whole).get();
    df[side].resize(static_cast<std::size_t>(t)), sigma2[side] = noise[side] = df[side];
    variance[side] = Matrix(m, t);
    ASSERT_EQ(freeridge_degrees_of_freedom(model, df[side].data(), sigma2[side].data()), FREERIDGE_OK)
        << freeridge_last_error();
    ASSERT_EQ(freeridge_predict_variance(model, side == 0 ? points : of_whole, FREERIDGE_COL_MAJOR,
                                         variance[side].values.data(), m, noise[side].data()),
              FREERIDGE_OK)
        << freeridge_last_error();
  }
  EXPECT_CLOSE(df[0], df[1], tolerance);
  EXPECT_CLOSE(sigma2[0], sigma2[1], tolerance);
  EXPECT_CLOSE(noise[0], noise[1], tolerance);
  EXPECT_CLOSE(variance[0], variance[1], tolerance);
  const support::Rows group = {0, 0, 1, 1, 1};
  for (const auto kind : {FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COVARIANCE_FREQUENTIST}) {
    Matrix errors[2], covariance[2], value[2], of_values[2];
    for (const int side : {0, 1}) {
      const freeridge_model* const model = (side == 0 ? read : whole).get();
      const Points& at = side == 0 ? points : of_whole;
      errors[side] = Matrix(m, t), covariance[side] = Matrix(m, m * t);
      value[side] = Matrix(2, t), of_values[side] = Matrix(2, 2 * t);
      ASSERT_EQ(freeridge_predict_covariance(model, at, kind, FREERIDGE_COL_MAJOR, errors[side].values.data(), m,
                                             covariance[side].values.data(), m),
                FREERIDGE_OK)
          << freeridge_last_error();
      ASSERT_EQ(freeridge_predict_combinations(model, at, 2, group.data(), nullptr, kind, value[side].values.data(),
                                               nullptr, 2, of_values[side].values.data(), 2),
                FREERIDGE_OK)
          << freeridge_last_error();
    }
    EXPECT_CLOSE(errors[0], errors[1], tolerance);
    EXPECT_CLOSE(covariance[0], covariance[1], tolerance);
    EXPECT_CLOSE(value[0], value[1], tolerance);
    EXPECT_CLOSE(of_values[0], of_values[1], tolerance);
  }
}

void expect_same_coefficient_errors(const Model& read, const Model& whole, std::int64_t d, std::int64_t t,
                                    bool intercept, double tolerance) {
  const std::int64_t side = (d + (intercept ? 1 : 0)) * t;
  for (const auto kind : {FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COVARIANCE_FREQUENTIST}) {
    Matrix w(d, t), expected_w(d, t), all(side, side), expected(side, side);
    Vector b(static_cast<std::size_t>(t)), expected_b(b);
    EXPECT_EQ(freeridge_coefficient_errors(read.get(), kind, w.values.data(), d, b.data()), FREERIDGE_OK);
    check(freeridge_coefficient_errors(whole.get(), kind, expected_w.values.data(), d, expected_b.data()), "errors");
    EXPECT_EQ(freeridge_coefficient_covariance(read.get(), kind, all.values.data(), side), FREERIDGE_OK);
    check(freeridge_coefficient_covariance(whole.get(), kind, expected.values.data(), side), "covariance");
    EXPECT_CLOSE(w, expected_w, tolerance);
    EXPECT_CLOSE(b, expected_b, tolerance);
    EXPECT_CLOSE(all, expected, tolerance);
  }
}

Matrix first_rows(const Matrix& x, std::int64_t rows, std::int64_t from = 0) {
  Matrix out(rows, x.cols - from);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t k = from; k < x.cols; ++k) out(i, k - from) = x(i, k);
  return out;
}

// What both models answer, and what a predictor of each does.
void expect_same(Model& read, Model& whole, const Source& source, double tolerance) {
  const std::int64_t n = source.problem.x.rows, t = source.problem.y.cols, d = source.problem.x.cols;
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML}) {
    const Scores found = scores_of(read, criterion, lambda_values, t),
                 expected = scores_of(whole, criterion, lambda_values, t);
    EXPECT_CLOSE(found.scores, expected.scores, tolerance);
    if (criterion == FREERIDGE_LOO) {
      EXPECT_CLOSE(found.errors, expected.errors, 10 * tolerance);
    }
    Vector lambda(static_cast<std::size_t>(t)), score(lambda), expected_lambda(lambda), expected_score(lambda);
    ASSERT_EQ(freeridge_select_lambda(read.get(), criterion, 0, 0, lambda.data(), score.data()), FREERIDGE_OK)
        << freeridge_last_error();
    ASSERT_EQ(freeridge_select_lambda(whole.get(), criterion, 0, 0, expected_lambda.data(), expected_score.data()),
              FREERIDGE_OK);
    EXPECT_CLOSE(score, expected_score, tolerance);
    freeridge_search search = no_search();
    EXPECT_EQ(freeridge_get_search(read.get(), &search), FREERIDGE_OK);
    EXPECT_GE(search.count, 100);
    if (criterion != FREERIDGE_LOO) continue;
    Vector rule(lambda), error(lambda), expected_rule(lambda), expected_error(lambda);
    search.one_se_lambda = rule.data(), search.standard_error = error.data();
    EXPECT_EQ(freeridge_get_search(read.get(), &search), FREERIDGE_OK);
    search.one_se_lambda = expected_rule.data(), search.standard_error = expected_error.data();
    check(freeridge_get_search(whole.get(), &search), "freeridge_get_search");
    // The error is that at the lambda chosen, which a search knows to some 1e-7 only, as scores are flat there.
    EXPECT_CLOSE(rule, expected_rule, 1e-6);
    EXPECT_CLOSE(error, expected_error, 1e-6);
  }
  Vector lambdas(static_cast<std::size_t>(t), 0.5);
  lambdas.back() = 3.0;
  for (Model* const model : {&read, &whole}) check(freeridge_set_lambdas(model->get(), lambdas.data()), "set_lambdas");
  Matrix errors(n, t), expected(n, t), f(n, t), g(n, t);
  ASSERT_EQ(freeridge_loo(read.get(), errors.values.data(), n), FREERIDGE_OK) << freeridge_last_error();
  check(freeridge_loo(whole.get(), expected.values.data(), n), "freeridge_loo");
  EXPECT_CLOSE(errors, expected, 10 * tolerance);
  Labels below(static_cast<std::size_t>(t), 9), edge(below);
  ASSERT_EQ(freeridge_lambda_flags(read.get(), nullptr, below.data(), edge.data()), FREERIDGE_OK);
  EXPECT_EQ(below, whole.lambda_flags().below);
  EXPECT_EQ(edge, whole.lambda_flags().edge);
  for (const auto& [from, to] : {std::pair{&read, &f}, std::pair{&whole, &g}})
    check(
        freeridge_predict(from->get(), FREERIDGE_COL_MAJOR, n, source.problem.x.values.data(), n, to->values.data(), n),
        "freeridge_predict");
  EXPECT_CLOSE(f, g, 10 * tolerance);
  const Matrix some = first_rows(source.problem.x, 5);
  expect_same_errors(read, whole, at(some), at(some), t, 1000 * tolerance);
  if (source.problem.kernel.family == oracle::Family::linear)
    expect_same_coefficient_errors(read, whole, d, t, source.problem.intercept, 1000 * tolerance);
  std::int64_t sizes[3] = {0, 0, 0};
  EXPECT_EQ(freeridge_get_dimensions(read.get(), &sizes[0], &sizes[1], &sizes[2]), FREERIDGE_OK);
  EXPECT_TRUE(sizes[0] == n && sizes[1] == d && sizes[2] == t);
}

TEST(Reader, LinearRowsAnswerAsInMemory) {
  Random random(5);
  for (const std::int64_t n : {40, 9000})
    for (const bool by_rows : {false, true})
      for (const bool knows_n : {false, true}) {
        SCOPED_TRACE(::testing::Message() << n << (by_rows ? ", by rows" : "") << (knows_n ? ", n known" : ""));
        Source source{random_problem(random, KernelSpec::linear(), n, 4, 2, by_rows, knows_n), by_rows};
        Model whole = oracle::make_model(source.problem, FREERIDGE_ROUTE_PRIMAL);
        whole.factorize();
        Model read(oracle::make_kernel(source.problem.kernel));
        set_reader(read, source, knows_n);
        check(freeridge_set_parameter(read.get(), FREERIDGE_INTERCEPT, source.problem.intercept ? 1 : 0),
              "freeridge_set_parameter");
        std::int64_t bytes = 0;
        EXPECT_EQ(freeridge_memory_required(read.get(), &bytes), FREERIDGE_OK);
        EXPECT_GT(bytes, 0);
        read.factorize();
        EXPECT_EQ(source.passes, 1);
        expect_same(read, whole, source, 1e-10);
        EXPECT_LT(source.largest, 1 << 14);
      }
}

// A linear kernel that divides its columns is not the linear kernel.
TEST(Reader, ScalesOfALinearKernelAreTheReadersOwn) {
  Random random(5);
  Source source{random_problem(random, KernelSpec::linear(), 40, 2, 1, false, true), true};
  const double scale[] = {1, 3}, ones[] = {1, 1};
  for (const double* const divisors : {scale, ones}) {
    Model read(Kernel::scaled(Kernel::linear(), Vector(divisors, divisors + 2)));
    set_reader(read, source, true);
    EXPECT_EQ(freeridge_factorize(read.get()), divisors == ones ? FREERIDGE_OK : FREERIDGE_INVALID_ARGUMENT);
  }
  EXPECT_NE(std::string(freeridge_last_error()).find("divides its columns"), std::string::npos);
}

// Landmarks so near to others that K_RR in doubles does not tell them apart.
TEST(Reader, FlagsWhatLandmarksLeaveOpen) {
  Random random(16);
  Source source{random_problem(random, KernelSpec::gaussian(3.0), 60, 1, 1, false, true), true};
  Model read(oracle::make_kernel(source.problem.kernel));
  set_reader(read, source, true);
  check(freeridge_set_landmarks(read.get(), 20, nullptr), "freeridge_set_landmarks");
  read.factorize();
  for (const double lambda : {1e-9, 100.0}) {
    check(freeridge_set_lambda(read.get(), lambda), "freeridge_set_lambda");
    std::int32_t below = -1;
    check(freeridge_lambda_flags(read.get(), nullptr, &below, nullptr), "freeridge_lambda_flags");
    EXPECT_EQ(below, lambda < 1 ? 1 : 0);
  }
}

TEST(Reader, LandmarksAnswerAsTheirRoute) {
  Random random(6);
  for (const bool given : {false, true}) {
    Source source{random_problem(random, KernelSpec::gaussian(2.0), 3000, 3, 1, true, true), true};
    Model whole = oracle::make_model(source.problem, FREERIDGE_ROUTE_LANDMARK);
    Model read(oracle::make_kernel(source.problem.kernel));
    set_reader(read, source, given);
    const support::Rows chosen = some_landmarks(random, 3000, 30);
    for (Model* const model : {&whole, &read}) {
      check(freeridge_set_landmarks(model->get(), 30, given ? chosen.data() : nullptr), "freeridge_set_landmarks");
      check(freeridge_set_parameter(model->get(), FREERIDGE_LANDMARK_METHOD, FREERIDGE_LANDMARKS_RANDOM),
            "freeridge_set_parameter");
      check(freeridge_set_parameter(model->get(), FREERIDGE_LANDMARK_SEED, 12), "freeridge_set_parameter");
      model->factorize();
    }
    EXPECT_EQ(source.passes, given ? 2 : 3);
    support::Rows rows(30), expected(30);
    check(freeridge_get_landmarks(read.get(), nullptr, rows.data()), "freeridge_get_landmarks");
    check(freeridge_get_landmarks(whole.get(), nullptr, expected.data()), "freeridge_get_landmarks");
    EXPECT_EQ(rows, expected);
    expect_same(read, whole, source, 1e-10);
    for (Model* const model : {&whole, &read}) check(freeridge_set_lambda(model->get(), 0.5), "freeridge_set_lambda");
    Vector c(30), all(3000);  // of the landmarks, in their order, and of all rows
    check(freeridge_coefficients(read.get(), 0, nullptr, c.data(), 30, nullptr), "freeridge_coefficients");
    check(freeridge_coefficients(whole.get(), 0, nullptr, all.data(), 3000, nullptr), "freeridge_coefficients");
    for (std::size_t k = 0; k < 30; ++k)
      EXPECT_NEAR(c[k], all[static_cast<std::size_t>(rows[k])], 1e-7 * (1 + std::abs(c[k]))) << k;
    EXPECT_EQ(freeridge_coefficients(read.get(), 0, nullptr, c.data(), 29, nullptr), FREERIDGE_INVALID_ARGUMENT);
    // Chosen among a sample: as good as they are, and not worse than a tenth.
    check(freeridge_set_parameter(read.get(), FREERIDGE_LANDMARK_METHOD, FREERIDGE_LANDMARKS_AUTO),
          "freeridge_set_parameter");
    check(freeridge_set_parameter(read.get(), FREERIDGE_LANDMARK_SEED, 1), "freeridge_set_parameter");
    check(freeridge_set_landmarks(read.get(), 30, nullptr), "freeridge_set_landmarks");
    read.factorize();
    EXPECT_LT(scores_of(read, FREERIDGE_LOO, {0.5}, 1).scores(0, 0),
              1.1 * scores_of(whole, FREERIDGE_LOO, {0.5}, 1).scores(0, 0));
  }
}

TEST(Reader, ColumnsThatAreNotPenalisedAreFixedEffects) {
  Random random(15);
  Source source{random_problem(random, KernelSpec::linear(), 300, 5, 2, true, true), true};
  Problem rest = source.problem;
  rest.x = Matrix(300, 3);
  for (std::int64_t i = 0; i < 300; ++i)
    for (std::int64_t k = 0; k < 3; ++k) rest.x(i, k) = source.problem.x(i, k + 2);
  const Vector& x = source.problem.x.values;
  Model whole = oracle::make_model(rest, FREERIDGE_ROUTE_SPECTRAL), read(Kernel::linear());
  Matrix free(300, 2);
  std::copy_n(x.begin(), 600, free.values.begin());
  set_unpenalised(whole, free);
  set_reader(read, source);
  check(freeridge_set_parameter(read.get(), FREERIDGE_UNPENALISED, 2), "freeridge_set_parameter");
  double count = -1;
  check(freeridge_get_parameter(read.get(), FREERIDGE_UNPENALISED, &count), "freeridge_get_parameter");
  EXPECT_EQ(count, 2);
  for (Model* const model : {&whole, &read}) model->factorize();
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML})
    EXPECT_CLOSE(scores_of(read, criterion, lambda_values, 2).scores,
                 scores_of(whole, criterion, lambda_values, 2).scores, 1e-10);
  for (Model* const model : {&whole, &read}) check(freeridge_set_lambda(model->get(), 0.7), "freeridge_set_lambda");
  Matrix errors(300, 2), f(300, 2), expected(300, 2), w(5, 2), effects(2, 2);
  ASSERT_EQ(freeridge_loo(read.get(), errors.values.data(), 300), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_CLOSE(errors, whole.loo(), 1e-10);
  check(freeridge_predict(read.get(), FREERIDGE_COL_MAJOR, 300, x.data(), 300, f.values.data(), 300), "predict");
  check(freeridge_predict_points(whole.get(), with(at(rest.x), free), 0, nullptr, FREERIDGE_COL_MAJOR,
                                 expected.values.data(), 300),
        "freeridge_predict_points");
  EXPECT_CLOSE(f, expected, 1e-10);
  check(freeridge_hyperplane(read.get(), 0, nullptr, w.values.data(), 5, nullptr), "freeridge_hyperplane");
  const auto effects_of = [](const Model& model, Matrix& to) {
    check(freeridge_get_unpenalised(model.get(), nullptr, nullptr, to.values.data(), nullptr, 2),
          "freeridge_get_unpenalised");
  };
  Matrix own(2, 2);
  effects_of(whole, effects), effects_of(read, own);
  EXPECT_CLOSE(own, effects, 1e-9);
  for (std::int64_t j = 0; j < 2; ++j)
    for (std::int64_t k = 0; k < 2; ++k) EXPECT_EQ(w(k, j), own(k, j));
  const Matrix some = first_rows(source.problem.x, 5), some_rest = first_rows(rest.x, 5),
               some_free = first_rows(free, 5);
  expect_same_errors(read, whole, at(some), with(at(some_rest), some_free), 2, 1e-9);
  Matrix covariance(2, 4), expected_covariance(2, 4);
  for (const auto& [model, to] : {std::pair{&read, &covariance}, std::pair{&whole, &expected_covariance}})
    check(freeridge_get_unpenalised_covariance(model->get(), to->values.data(), 2), "covariance");
  EXPECT_CLOSE(covariance, expected_covariance, 1e-9);
  for (const auto& [model, to] : {std::pair{&read, &own}, std::pair{&whole, &effects}})
    check(freeridge_get_unpenalised(model->get(), nullptr, nullptr, nullptr, to->values.data(), 2), "errors");
  EXPECT_CLOSE(own, effects, 1e-9);
}

TEST(Reader, WhatGoesWrongIsAStatusWithItsRowAndNothingChanges) {
  Random random(7);
  Source source{random_problem(random, KernelSpec::linear(), 30000, 3, 1, true, true), true};
  Model model(oracle::make_kernel(KernelSpec::linear()));
  set_reader(model, source);
  model.factorize();
  check(freeridge_set_lambda(model.get(), 0.3), "freeridge_set_lambda");
  const Scores before = scores_of(model, FREERIDGE_LOO, lambda_values, 1);
  struct Fault {
    const char* name;
    freeridge_status status;
    std::string row;
    decltype(source.spoil) spoil;
  };
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const std::vector<Fault> faults = {
      {"fails", FREERIDGE_IO, "8192",
       [](std::int64_t first, std::int64_t got, double*, double*, double*) { return first == 8192 ? -3 : got; }},
      {"stops short", FREERIDGE_IO, "16383",
       [](std::int64_t first, std::int64_t got, double*, double*, double*) { return first < 16384 ? got : 0; }},
      {"too many", FREERIDGE_IO, "8192",
       [](std::int64_t first, std::int64_t got, double*, double*, double*) { return first == 8192 ? got + 1 : got; }},
      {"NaN in x", FREERIDGE_NOT_FINITE, "8193",
       [=](std::int64_t first, std::int64_t got, double* x, double*, double*) {
         if (first == 8192) x[3 + 2] = nan;
         return got;
       }},
      {"Inf in y", FREERIDGE_NOT_FINITE, "16384",
       [=](std::int64_t first, std::int64_t got, double*, double* y, double*) {
         if (first == 16384) y[0] = infinity;
         return got;
       }},
      {"a weight of zero", FREERIDGE_INVALID_ARGUMENT, "7",
       [](std::int64_t first, std::int64_t got, double*, double*, double* weights) {
         if (first == 0) weights[7] = 0;
         return got;
       }},
      {"another x", FREERIDGE_IO, "30000",
       [](std::int64_t first, std::int64_t got, double* x, double*, double*) {
         if (first == 8192) x[3 * 11 + 1] += 1e-13;
         return got;
       }},
      {"another y", FREERIDGE_IO, "30000",
       [](std::int64_t first, std::int64_t got, double*, double* y, double*) {
         if (first == 8192) y[11] += 1e-13;
         return got;
       }},
      {"another weight", FREERIDGE_IO, "30000",
       [](std::int64_t first, std::int64_t got, double*, double*, double* weights) {
         if (first == 8192) weights[0] *= 2;
         return got;
       }}};
  Matrix errors(30000, 1);
  double scores[3], lambda = -1, score = -1;
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.name);
    const bool in_first_pass = fault.row != "30000";  // what differs is seen when there is something to differ from
    source.spoil = fault.spoil;
    const auto expect_refused = [&](freeridge_status status) {
      EXPECT_EQ(status, fault.status) << freeridge_last_error();
      EXPECT_NE(std::string(freeridge_last_error()).find(fault.row), std::string::npos) << freeridge_last_error();
    };
    if (in_first_pass) expect_refused(freeridge_factorize(model.get()));
    expect_refused(freeridge_score(model.get(), FREERIDGE_LOO, 3, lambda_values.data(), scores, nullptr, 3));
    expect_refused(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 0, 0, &lambda, &score));
    expect_refused(freeridge_loo(model.get(), errors.values.data(), 30000));
    source.spoil = nullptr;
    EXPECT_TRUE(bit_equal(scores_of(model, FREERIDGE_LOO, lambda_values, 1).scores, before.scores));
    double at = 0;
    EXPECT_EQ(freeridge_get_lambda(model.get(), &at), FREERIDGE_OK);
    EXPECT_EQ(at, 0.3);
  }
  EXPECT_EQ(lambda, -1);
  // What a reader in C++ throws ends the call, and goes no further.
  source.spoil = [](std::int64_t, std::int64_t, double*, double*, double*) -> std::int64_t { throw 1; };
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_INTERNAL);
  source.spoil = [](std::int64_t, std::int64_t, double*, double*, double*) -> std::int64_t {
    throw std::runtime_error("the table is locked");
  };
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_INTERNAL);
  EXPECT_STREQ(freeridge_last_error(), "freeridge_factorize: the table is locked");
  source.spoil = [](std::int64_t, std::int64_t, double*, double*, double*) -> std::int64_t { throw std::bad_alloc(); };
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_OUT_OF_MEMORY);
  EXPECT_STREQ(freeridge_last_error(), "freeridge_factorize: out of memory");
  source.spoil = [](std::int64_t, std::int64_t, double*, double*, double*) { return std::int64_t{0}; };
  Model unknown(oracle::make_kernel(KernelSpec::linear()));
  set_reader(unknown, source, false);
  EXPECT_EQ(freeridge_factorize(unknown.get()), FREERIDGE_IO);
  source.spoil = [](std::int64_t first, std::int64_t got, double*, double*, double*) {
    return first == 8192 ? std::min<std::int64_t>(got, 100) : got;
  };
  EXPECT_EQ(freeridge_factorize(unknown.get()), FREERIDGE_IO);
  EXPECT_NE(std::string(freeridge_last_error()).find("before row 8292"), std::string::npos) << freeridge_last_error();
  source.spoil = nullptr;
  EXPECT_EQ(freeridge_factorize(unknown.get()), FREERIDGE_OK) << freeridge_last_error();
  // More rows than 32 bits count may be said.
  ASSERT_EQ(
      freeridge_set_points(unknown.get(), at(FREERIDGE_COL_MAJOR, std::int64_t{1} << 33, 3, Source::read, &source), 0,
                           FREERIDGE_COL_MAJOR, 1, nullptr, 0),
      FREERIDGE_OK);
  std::int64_t rows = 0, columns = 0, outputs = 0;
  ASSERT_EQ(freeridge_get_dimensions(unknown.get(), &rows, &columns, &outputs), FREERIDGE_OK);
  EXPECT_EQ(rows, std::int64_t{1} << 33);
  EXPECT_EQ(freeridge_set_points(unknown.get(), at(FREERIDGE_COL_MAJOR, -2, 3, Source::read, &source), 0,
                                 FREERIDGE_COL_MAJOR, 1, nullptr, 0),
            FREERIDGE_INVALID_ARGUMENT);
  EXPECT_TRUE(bit_equal(scores_of(model, FREERIDGE_LOO, lambda_values, 1).scores, before.scores));
}

// Hands out the first column of a matrix as y and all of them as x, packed as if `got` were the leading dimension.
std::int64_t packed(std::int64_t first, std::int64_t count, double* x, double* y, double*, void* user) {
  const Matrix& a = *static_cast<const Matrix*>(user);
  const std::int64_t got = std::min(count, a.rows - first);
  for (std::int64_t k = 0; k < a.cols; ++k)
    for (std::int64_t i = 0; i < got; ++i) x[k * got + i] = a(first + i, k);
  for (std::int64_t i = 0; i < got; ++i) y[i] = a(first + i, 0);
  return got;
}

// The columns of a stretch begin `count` numbers apart, also where fewer rows are given: what was not written there is
// seen, and the reason said.
TEST(Reader, ColumnsThatBeginElsewhereAreSeen) {
  Random random(2045);
  Matrix a = random.uniform_matrix(100, 3, -1, 1);
  Model model(Kernel::linear());
  Accumulator sums(3, 1, true);
  const auto set = [&](std::int64_t n) {
    const Points points = at(FREERIDGE_COL_MAJOR, n, 3, packed, &a);
    check(freeridge_set_points(model.get(), points, 0, FREERIDGE_COL_MAJOR, 1, nullptr, 0), "freeridge_set_points");
    return points;
  };
  set(100);
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_OK);
  const Points points = set(-1);
  for (const freeridge_status status :
       {freeridge_factorize(model.get()),
        freeridge_accumulator_add(sums.get(), points, FREERIDGE_COL_MAJOR, nullptr, 0, nullptr)}) {
    EXPECT_EQ(status, FREERIDGE_NOT_FINITE);
    EXPECT_NE(std::string(freeridge_last_error()).find("its columns begin 8192 numbers apart"), std::string::npos)
        << freeridge_last_error();
  }
}

std::int32_t third_time(double, void* user) {
  return ++*static_cast<int*>(user) >= 3 ? 1 : 0;
}

TEST(Reader, CanBeCancelledAndSaved) {
  Random random(8);
  Source source{random_problem(random, KernelSpec::linear(), 30000, 3, 1, false, true), true};
  Model model(oracle::make_kernel(KernelSpec::linear()));
  set_reader(model, source);
  int heard = 0;
  check(freeridge_set_progress(model.get(), third_time, &heard), "freeridge_set_progress");
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_CANCELLED);
  check(freeridge_set_progress(model.get(), nullptr, nullptr), "freeridge_set_progress");
  double w[3];
  EXPECT_EQ(freeridge_set_lambda(model.get(), 1), FREERIDGE_INVALID_STATE);
  model.factorize();
  check(freeridge_set_lambda(model.get(), 1), "freeridge_set_lambda");
  EXPECT_EQ(freeridge_hyperplane(model.get(), 0, nullptr, w, 3, nullptr), FREERIDGE_OK);
  std::int64_t length = 0;
  EXPECT_EQ(freeridge_save_to_memory(model.get(), FREERIDGE_SAVE_PREDICTOR, 0, nullptr, &length), FREERIDGE_OK);
  EXPECT_EQ(freeridge_save_to_memory(model.get(), FREERIDGE_SAVE_MODEL, 0, nullptr, &length), FREERIDGE_INVALID_STATE);
  freeridge_model* clone = nullptr;
  ASSERT_EQ(freeridge_clone(model.get(), &clone), FREERIDGE_OK);
  EXPECT_EQ(freeridge_set_parameter(clone, FREERIDGE_INTERCEPT, 0),
            FREERIDGE_OK);  // which forgets the clone's factorization alone
  EXPECT_EQ(freeridge_hyperplane(clone, 0, nullptr, w, 3, nullptr), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_hyperplane(model.get(), 0, nullptr, w, 3, nullptr), FREERIDGE_OK);
  EXPECT_EQ(freeridge_factorize(clone), FREERIDGE_OK);
  freeridge_destroy(clone);
}

// Which route, how many passes and how many bytes; or why there is none.
TEST(Reader, ExplainsItsRoute) {
  Random random(10);
  Source source{random_problem(random, KernelSpec::linear(), 50, 3, 1, false, true), true};
  const struct {
    bool linear, knows_n;
    std::int64_t landmarks;
    freeridge_route route;
    const char* said;
  } cases[] = {
      {true, true, 0, FREERIDGE_ROUTE_AUTO, "(n = 50): PRIMAL. Passes over the rows: one to factorize"},
      {true, false, 0, FREERIDGE_ROUTE_PRIMAL, "(n is not known): PRIMAL"},
      {false, true, 7, FREERIDGE_ROUTE_AUTO, "LANDMARK, 7 landmarks. Passes over the rows: one for the landmarks, "},
      {false, false, 7, FREERIDGE_ROUTE_LANDMARK, "one to count them, one for the landmarks"},
      {false, true, 0, FREERIDGE_ROUTE_AUTO, "the kernel is not linear"},
      {false, true, 0, FREERIDGE_ROUTE_PRIMAL, "route is PRIMAL, and the kernel is not linear"},
      {true, true, 7, FREERIDGE_ROUTE_AUTO, "the kernel is linear, and there are landmarks"},
      {true, true, 7, FREERIDGE_ROUTE_PRIMAL, "the kernel is linear, and there are landmarks"},
      {true, true, 0, FREERIDGE_ROUTE_BAND, "the route needs the kernel matrix of all points"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.said);
    Model model(c.linear ? Kernel::linear() : Kernel::gaussian(1));
    set_reader(model, source, c.knows_n);
    check(freeridge_set_landmarks(model.get(), c.landmarks, nullptr), "freeridge_set_landmarks");
    model.route(c.route);
    char text[2048] = "";
    std::int64_t length = 0;
    const freeridge_status status = freeridge_explain(model.get(), 2048, text, &length);
    const std::string words = status == FREERIDGE_OK ? text : freeridge_last_error();
    EXPECT_NE(words.find(c.said), std::string::npos) << words;
    EXPECT_EQ(status == FREERIDGE_OK, c.route != FREERIDGE_ROUTE_BAND && c.linear == (c.landmarks == 0)) << words;
  }
}

// Landmarks that a reader who does not say how many rows he has turns out not to have.
TEST(Reader, LandmarksBeyondItsRowsAreRefused) {
  Random random(11);
  Source source{random_problem(random, KernelSpec::gaussian(1), 50, 3, 1, false, true), true};
  const support::Rows within = {3, 49, 20}, beyond = {3, 50, 20};
  const struct {
    std::int64_t count;
    const std::int64_t* rows;
    const char* said;  // or it factorizes
  } cases[] = {{50, nullptr, nullptr},
               {51, nullptr, "there are 51 landmarks, and the reader gave 50 rows"},
               {3, within.data(), nullptr},
               {3, beyond.data(), "rows has 50, and the reader gave 50 rows"}};
  for (const auto& c : cases) {
    Model model(Kernel::gaussian(1));
    set_reader(model, source, false);
    check(freeridge_set_landmarks(model.get(), c.count, c.rows), "freeridge_set_landmarks");
    EXPECT_EQ(freeridge_factorize(model.get()), c.said == nullptr ? FREERIDGE_OK : FREERIDGE_INVALID_ARGUMENT);
    if (c.said != nullptr) {
      EXPECT_NE(std::string(freeridge_last_error()).find(c.said), std::string::npos) << freeridge_last_error();
    }
  }
}

TEST(Reader, WhatNeedsAllPointsSaysSo) {
  Random random(9);
  Source source{random_problem(random, KernelSpec::linear(), 50, 3, 1, false, true), true};
  Model model(oracle::make_kernel(KernelSpec::linear()));
  set_reader(model, source);
  const auto factorize = [&] { return freeridge_factorize(model.get()); };
  for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND}) {
    model.route(route);
    EXPECT_EQ(factorize(), FREERIDGE_INVALID_ARGUMENT);
  }
  model.route(FREERIDGE_ROUTE_LANDMARK);
  EXPECT_EQ(factorize(), FREERIDGE_INVALID_STATE);
  model.route(FREERIDGE_ROUTE_AUTO);
  check(freeridge_set_parameter(model.get(), FREERIDGE_INTERCEPT, FREERIDGE_INTERCEPT_PENALISED),
        "freeridge_set_parameter");
  EXPECT_EQ(factorize(), FREERIDGE_INVALID_ARGUMENT);
  check(freeridge_set_parameter(model.get(), FREERIDGE_INTERCEPT, 1), "freeridge_set_parameter");
  model.kernel(oracle::make_kernel(KernelSpec::gaussian(1.0)));
  EXPECT_EQ(factorize(), FREERIDGE_INVALID_ARGUMENT);
  model.kernel(oracle::make_kernel(KernelSpec::linear()));
  double scores[1], score = 0, lambda = 1, df = 0;
  check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, 2),
        "freeridge_set_parameter");  // counts where a lambda is set
  check(freeridge_set_parameter(model.get(), FREERIDGE_ACCURACY, 1e-6), "freeridge_set_parameter");
  check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
  EXPECT_EQ(factorize(), FREERIDGE_OK);
  EXPECT_EQ(freeridge_set_lambda(model.get(), 1), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_select_lambda(model.get(), FREERIDGE_GCV, 0, 0, &lambda, &score), FREERIDGE_INVALID_STATE);
  check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, 0), "freeridge_set_parameter");
  check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 0), "freeridge_set_parameter");
  const Kernel of_two = Kernel::scaled(Kernel::linear(), {1.0, 2.0});
  EXPECT_EQ(freeridge_set_kernel(model.get(), of_two.get()), FREERIDGE_DIMENSION_MISMATCH);
  check(freeridge_set_parameter(model.get(), FREERIDGE_ACCURACY, 1e-6),
        "freeridge_set_parameter");  // forgets the factorization
  EXPECT_EQ(freeridge_set_lambda(model.get(), 1), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(factorize(), FREERIDGE_OK);
  EXPECT_EQ(freeridge_score(model.get(), FREERIDGE_ERROR_RATE, 1, &lambda, scores, nullptr, 1),
            FREERIDGE_INVALID_ARGUMENT);
  for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_REML}) {  // no means, and so no errors
    EXPECT_EQ(freeridge_score(model.get(), criterion, 1, &lambda, scores, &score, 1), FREERIDGE_INVALID_ARGUMENT);
    EXPECT_EQ(freeridge_score(model.get(), criterion, 1, &lambda, scores, nullptr, 1), FREERIDGE_OK);
  }
  check(freeridge_set_lambda(model.get(), 1), "freeridge_set_lambda");
  Vector many(50);
  EXPECT_EQ(freeridge_degrees_of_freedom(model.get(), &df, nullptr), FREERIDGE_OK);
  EXPECT_EQ(freeridge_get_leverage(model.get(), many.data(), 50), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_get_fitted(model.get(), many.data(), 50), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_set_weights(model.get(), many.data()), FREERIDGE_INVALID_STATE);
  EXPECT_NE(std::string(freeridge_last_error()).find("reader"), std::string::npos);
  const support::Rows twice = {3, 3}, beyond = {50};
  EXPECT_EQ(freeridge_set_landmarks(model.get(), 2, twice.data()), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_set_landmarks(model.get(), 1, beyond.data()), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_set_landmarks(model.get(), 51, nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_set_landmarks(model.get(), -1, twice.data()), FREERIDGE_INVALID_ARGUMENT);
  model.data(source.problem.x, source.problem.y);  // and it is a model like any other
  EXPECT_EQ(factorize(), FREERIDGE_OK);
  check(freeridge_set_lambda(model.get(), 1), "freeridge_set_lambda");
  EXPECT_EQ(freeridge_degrees_of_freedom(model.get(), &df, nullptr), FREERIDGE_OK);
}

}  // namespace reader_test
