// Predictions, coefficients and hyperplanes at many lambdas in one call: refits in long double, and the calls of one
// lambda to rounding, on every route, in both layouts; the lambda in force stays.
#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"

namespace path_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

const Vector lambdas = {10.0, 0.1, 0.1, 1.0};

// Columns l t, ..., l t + t - 1.
Matrix at_lambda(const Matrix& all, std::size_t l, std::int64_t t) {
  Matrix out(all.rows, t);
  for (std::int64_t j = 0; j < t; ++j)
    for (std::int64_t i = 0; i < all.rows; ++i) out(i, j) = all(i, static_cast<std::int64_t>(l) * t + j);
  return out;
}

Matrix predict_path(const Model& model, const Matrix& x, const Vector& at, std::int64_t t, freeridge_layout layout,
                    std::int64_t padding) {
  const auto count = static_cast<std::int64_t>(at.size());
  const Packed px = pack(x, layout, padding);
  Packed out = pack(Matrix(x.rows, count * t), layout, padding);
  check(freeridge_predict_points(model.get(), support::at(px, x.rows, x.cols), count, at.data(), layout,
                                 out.values.data(), out.ld),
        "freeridge_predict_points");
  return unpack(out, x.rows, count * t);
}

using PathCall = freeridge_status (*)(const freeridge_model*, std::int64_t, const double*, double*, std::int64_t,
                                      double*);

// c or w, and b in its t x count.
Matrix path(const Model& model, PathCall call, std::int64_t rows, const Vector& at, std::int64_t t, Matrix* b) {
  const auto count = static_cast<std::int64_t>(at.size());
  *b = Matrix(t, count);
  return padded_output(rows, count * t, "a path", nullptr, [&](double* out, std::int64_t ld) {
    return call(model.get(), count, at.data(), out, ld, b->values.data());
  });
}

struct Case {
  freeridge_route route;
  Family family;
  bool intercept;
};

class Path : public ::testing::TestWithParam<Case> {};

TEST_P(Path, IsThatOfEachLambda) {
  const auto [route, family, intercept] = GetParam();
  Random random(7);
  const Problem problem = random_problem(random, kernel_of(family, 4), 23, 4, 2, true, intercept);
  const Matrix points = random.uniform_matrix(9, 4, -1, 1);
  Model model = oracle::make_model(problem, route == FREERIDGE_ROUTE_LANDMARK ? FREERIDGE_ROUTE_AUTO : route);
  if (route == FREERIDGE_ROUTE_LANDMARK) set_landmarks(model, {20, 3, 11, 5, 8});
  model.factorize().lambda(3.0);
  Matrix b, b_of_w, w;
  const Matrix by_columns = predict_path(model, points, lambdas, 2, FREERIDGE_COL_MAJOR, 3);
  const Matrix by_rows = predict_path(model, points, lambdas, 2, FREERIDGE_ROW_MAJOR, 1);
  const Matrix c = path(model, freeridge_coefficients, 23, lambdas, 2, &b);
  if (family == Family::linear) w = path(model, freeridge_hyperplane, 4, lambdas, 2, &b_of_w);
  const auto count = static_cast<std::int64_t>(lambdas.size());
  for (const PathCall call : {freeridge_coefficients, freeridge_hyperplane}) {  // b alone, of every kernel
    Matrix alone(2, count);
    check(call(model.get(), count, lambdas.data(), nullptr, 0, alone.values.data()), "b at many lambdas");
    EXPECT_TRUE(bit_equal(alone, b));
  }
  EXPECT_EQ(model.lambda_in_force(), (Vector{3.0, 3.0}));
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    SCOPED_TRACE(lambdas[l]);
    model.lambda(lambdas[l]);
    for (const Matrix& each : {by_columns, by_rows}) EXPECT_CLOSE(at_lambda(each, l, 2), model.predict(points), 1e-14);
    EXPECT_TRUE(bit_equal(at_lambda(c, l, 2), model.coefficients()));
    EXPECT_EQ(column(b, static_cast<std::int64_t>(l)).values, model.intercepts());
    if (family == Family::linear) {
      EXPECT_TRUE(bit_equal(at_lambda(w, l, 2), model.hyperplane()));
      EXPECT_EQ(column(b_of_w, static_cast<std::int64_t>(l)).values, model.intercepts());
    }
    if (route == FREERIDGE_ROUTE_LANDMARK) continue;  // another problem, with an oracle of its own
    EXPECT_CLOSE(at_lambda(by_columns, l, 2), oracle::predict(problem, oracle::fit(problem, lambdas[l]), points),
                 1e-10);
  }
}

// A callback that cancels lets no answer be made. The intercepts, and nothing at all, are handed out nevertheless.
TEST_P(Path, WhatIsNotWantedIsNotMade) {
  const auto [route, family, intercept] = GetParam();
  Random random(11);
  const Problem problem = random_problem(random, kernel_of(family, 4), 23, 4, 2, false, intercept);
  Model model = oracle::make_model(problem, route == FREERIDGE_ROUTE_LANDMARK ? FREERIDGE_ROUTE_AUTO : route);
  if (route == FREERIDGE_ROUTE_LANDMARK) set_landmarks(model, {20, 3, 11, 5, 8});
  model.factorize().lambda(0.5);
  Vector c(46), w(8), b(2);
  const Vector expected = model.intercepts();
  model.progress([](double, void*) { return 1; }, nullptr);
  EXPECT_EQ(freeridge_coefficients(model.get(), 0, nullptr, c.data(), 23, nullptr), FREERIDGE_CANCELLED);
  EXPECT_EQ(freeridge_coefficients(model.get(), 0, nullptr, nullptr, 0, b.data()), FREERIDGE_OK);
  EXPECT_EQ(b, expected);
  EXPECT_EQ(freeridge_hyperplane(model.get(), 0, nullptr, nullptr, 0, b.data()), FREERIDGE_OK);
  EXPECT_EQ(freeridge_coefficients(model.get(), 0, nullptr, nullptr, 0, nullptr), FREERIDGE_OK);
  EXPECT_EQ(freeridge_hyperplane(model.get(), 0, nullptr, w.data(), 4, b.data()),
            family == Family::linear ? FREERIDGE_OK : FREERIDGE_INVALID_STATE);
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const bool intercept : {false, true})
    for (const Family family : {Family::linear, Family::gaussian})
      for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                                          FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_LANDMARK})
        if (route != FREERIDGE_ROUTE_PRIMAL || family == Family::linear) out.push_back({route, family, intercept});
  return out;
}

INSTANTIATE_TEST_SUITE_P(EveryRoute, Path, ::testing::ValuesIn(cases()));

// So many lambdas and outputs that they are solved in several blocks; refined; and from borrowed rows.
TEST(PathOf, ManyLambdasInBlocks) {
  Random random(8);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 6, 2, 3, false, true);
  const Matrix points = random.uniform_matrix(2, 2, -1, 1);
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
  check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, 3), "freeridge_set_parameter");
  model.factorize();
  Vector many(5000);
  for (std::size_t l = 0; l < many.size(); ++l) many[l] = 0.01 + static_cast<double>(l % 7);
  const Matrix all = predict_path(model, points, many, 3, FREERIDGE_ROW_MAJOR, 0);
  for (const std::size_t l :
       {std::size_t{0}, std::size_t{2729}, std::size_t{2730}, std::size_t{2731}, many.size() - 1}) {
    SCOPED_TRACE(l);
    EXPECT_CLOSE(at_lambda(all, l, 3), model.lambda(many[l]).predict(points), 1e-14);
  }
}

// More lambdas than one product takes, on the routes that have one: each has its own answer.
TEST(PathOf, ManyLambdasInProducts) {
  Random random(9);
  Vector many;
  for (int l = 0; l < 75; ++l) many.push_back(std::pow(10.0, 3 - 0.05 * l));
  for (const auto& [route, family] : {std::pair{FREERIDGE_ROUTE_SPECTRAL, Family::gaussian},
                                      {FREERIDGE_ROUTE_SPECTRAL, Family::linear},
                                      {FREERIDGE_ROUTE_PRIMAL, Family::linear},
                                      {FREERIDGE_ROUTE_LANDMARK, Family::gaussian}}) {
    SCOPED_TRACE(static_cast<int>(route) * 10 + static_cast<int>(family));
    const Problem problem = random_problem(random, kernel_of(family, 3), 150, 3, 2, true, true);
    const Matrix points = random.uniform_matrix(40, 3, -1, 1);
    Model model = oracle::make_model(problem, route == FREERIDGE_ROUTE_LANDMARK ? FREERIDGE_ROUTE_AUTO : route);
    if (route == FREERIDGE_ROUTE_LANDMARK) set_landmarks(model, {20, 3, 11, 5, 8});
    model.factorize();
    const Matrix all = predict_path(model, points, many, 2, FREERIDGE_COL_MAJOR, 0);
    for (std::size_t l = 0; l < many.size(); ++l) {
      SCOPED_TRACE(many[l]);
      EXPECT_CLOSE(at_lambda(all, l, 2), model.lambda(many[l]).predict(points), 1e-12);
    }
  }
}

}  // namespace path_test
