// Sparse x against the same numbers as an ordinary matrix, which the tests of tests/core hold to refits: every answer, in
// both formats, borrowed and copied; and leave-one-out errors against refits in long double.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

#include "support/accumulator.hpp"
#include "support/compare.hpp"
#include "support/problems.hpp"
#include "support/quad_refit.hpp"
#include "support/saved.hpp"
#include "support/sparse.hpp"

namespace sparse_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

Problem sparse_problem(std::int64_t n, std::int64_t d, std::int64_t t, const KernelSpec& kernel, bool weighted,
                       bool intercept, double density = 0.2) {
  Random random(static_cast<std::uint64_t>(n + d));
  Problem problem = random_problem(random, kernel, n, d, t, weighted, intercept);
  for (double& value : problem.x.values)
    if (random.uniform(0, 1) > density) value = 0;
  return problem;
}

KernelSpec scaled_linear(std::int64_t d) {
  KernelSpec out = KernelSpec::linear();
  for (std::int64_t k = 0; k < d; ++k) out.columns.push_back(0.5 + static_cast<double>(k % 7));
  return out;
}

Model dense_model(const Problem& problem, freeridge_route route = FREERIDGE_ROUTE_AUTO) {
  return oracle::make_model(problem, route);
}

Model sparse_model(const Problem& problem, const Sparse& x, bool view, freeridge_route route = FREERIDGE_ROUTE_AUTO) {
  Model model = dense_model(problem, route);
  check(set_sparse(model.get(), x, problem.y, view), "freeridge_set_points");
  model.weights(problem.weights);
  return model;
}

// A name and what it is of a model.
using Answer = std::pair<const char*, std::function<Matrix(const Model&)>>;

// The training error, the norm and the objective side by side.
Matrix objective(const Model& model) {
  const Vector lambdas = {0.3, 2.0, 1e7};
  const auto count = std::ssize(lambdas), t = std::ssize(model.intercepts());
  Matrix out(count, 3 * t);
  double* const first = out.values.data();
  check(freeridge_objective(model.get(), count, lambdas.data(), first, first + count * t, first + 2 * count * t, count),
        "freeridge_objective");
  return out;
}

std::vector<Answer> answers(const Problem& problem, const Matrix& points) {
  const Labels groups = modulo_groups(problem.x.rows, 5);
  std::vector<Answer> out = {
      {"loo", [](const Model& m) { return m.loo(); }},
      {"leverage", [](const Model& m) { return m.leverage(); }},
      {"coefficients", [](const Model& m) { return m.coefficients(); }},
      {"Cook", [](const Model& m) { return m.cooks_distance(); }},
      {"freedom", [](const Model& m) { return to_column(m.degrees_of_freedom()); }},
      {"variance of errors", [](const Model& m) { return to_column(m.error_variance()); }},
      {"groups", [=](const Model& m) { return m.group_errors(groups); }},
      {"prediction", [=](const Model& m) { return m.predict(points); }},
      {"jackknife", [=](const Model& m) { return m.predict_jackknife(points, 0.8).lower; }},
      {"variance", [=](const Model& m) { return m.predict_variance(points).variance; }},
      {"objective", objective},
  };
  if (problem.kernel.family == oracle::Family::linear)
    out.push_back({"hyperplane", [](const Model& m) { return m.hyperplane(); }});
  return out;
}

void expect_same(const Model& sparse, const Model& dense, const Problem& problem, const Matrix& points,
                 double allowed) {
  for (const auto& [name, answer] : answers(problem, points)) {
    SCOPED_TRACE(name);
    EXPECT_CLOSE(answer(sparse), answer(dense), allowed);
  }
  for (std::int64_t i = 0; i < problem.x.rows; ++i)  // beside y: they may be next to nothing
    for (std::int64_t j = 0; j < problem.y.cols; ++j)
      EXPECT_NEAR(sparse.fitted()(i, j), dense.fitted()(i, j), allowed * 10);
}

const Vector many_lambdas = [] {
  Vector out;
  for (int l = 0; l < 100; ++l) out.push_back(std::exp(-5 + 0.15 * l));
  return out;
}();

TEST(Sparse, EveryAnswerIsThatOfTheOrdinaryMatrix) {
  const std::pair<std::int64_t, std::int64_t> sizes[] = {{60, 7}, {90, 33}, {15, 40}};
  for (const auto& [n, d] : sizes)
    for (int design = 0; design < 16; ++design) {
      const bool csr = (design & 1) != 0, weighted = (design & 2) != 0, intercept = (design & 4) != 0,
                 scaled = (design & 8) != 0, view = (design & 1) == ((design >> 1) & 1);
      const std::int64_t t = design % 3 == 0 ? 3 : 1;
      SCOPED_TRACE(::testing::Message() << n << " x " << d << ", design " << design);
      const Problem problem =
          sparse_problem(n, d, t, scaled ? scaled_linear(d) : KernelSpec::linear(), weighted, intercept);
      const Sparse x(problem.x, csr ? FREERIDGE_CSR : FREERIDGE_CSC);
      const Matrix points = sparse_problem(6, d, 1, KernelSpec::linear(), false, true).x;
      Model sparse = sparse_model(problem, x, view), dense = dense_model(problem);
      sparse.factorize(), dense.factorize();
      EXPECT_EQ(sparse.route_used() == FREERIDGE_ROUTE_PRIMAL, d < n);
      for (const double lambda : {0.02, 1.0, 500.0}) {
        SCOPED_TRACE(lambda);
        sparse.lambda(lambda), dense.lambda(lambda);
        expect_same(sparse, dense, problem, points, 1e-10);
        for (const auto layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR})
          for (const auto format : {FREERIDGE_CSR, FREERIDGE_CSC})
            EXPECT_CLOSE(predict_sparse(dense.get(), Sparse(points, format), t, layout), dense.predict(points), 1e-12);
      }
      for (const auto criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML})
        EXPECT_CLOSE(sparse.score(criterion, many_lambdas), dense.score(criterion, many_lambdas), 1e-10);
      EXPECT_CLOSE(sparse.select_lambda(FREERIDGE_LOO).score, dense.select_lambda(FREERIDGE_LOO).score, 1e-10);
      if (d >= n) continue;
      EXPECT_CLOSE(sparse.lambda_grid(9), dense.lambda_grid(9), 1e-10);
      sparse.lambda(0), dense.lambda(0);  // of full rank
      EXPECT_CLOSE(sparse.loo(), dense.loo(), 1e-9);
      EXPECT_CLOSE(sparse.coefficients(), dense.coefficients(), 1e-9);
    }
}

TEST(Sparse, LeaveOneOutErrorsAreThoseOfRefits) {
  const Problem problem = sparse_problem(14, 4, 2, KernelSpec::linear(), true, true, 0.5);
  Model model = sparse_model(problem, Sparse(problem.x, FREERIDGE_CSC), false);
  model.factorize().lambda(0.3);
  EXPECT_CLOSE(model.loo(), oracle::loo(problem, 0.3), 1e-11);
}

TEST(Sparse, OtherKernelsLandmarksRoutesAndReductionsSeeTiles) {
  struct Case {
    KernelSpec kernel;
    freeridge_route route;
    freeridge_reduction reduction;
  };
  const Case cases[] = {{KernelSpec::gaussian(1.5), FREERIDGE_ROUTE_AUTO, FREERIDGE_REDUCTION_AUTO},
                        {KernelSpec::gaussian(1.5), FREERIDGE_ROUTE_LANDMARK, FREERIDGE_REDUCTION_AUTO},
                        {KernelSpec::linear(), FREERIDGE_ROUTE_LANDMARK, FREERIDGE_REDUCTION_QR},
                        {KernelSpec::linear(), FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_QR},
                        {KernelSpec::linear(), FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_REDUCTION_AUTO},
                        {KernelSpec::linear(), FREERIDGE_ROUTE_BAND, FREERIDGE_REDUCTION_AUTO},
                        {KernelSpec::linear(), FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_REDUCTION_AUTO}};
  for (const Case& c : cases)
    for (const auto format : {FREERIDGE_CSR, FREERIDGE_CSC}) {
      SCOPED_TRACE(route_name(c.route));
      const Problem problem = sparse_problem(40, 9, 2, c.kernel, true, true);
      const Matrix points = sparse_problem(6, 9, 1, KernelSpec::linear(), false, true).x;
      const Sparse x(problem.x, format);
      Model sparse = sparse_model(problem, x, false, c.route), dense = dense_model(problem, c.route);
      const std::int64_t landmarks[] = {3, 30, 7, 12, 25};
      for (Model* model : {&sparse, &dense}) {
        check(freeridge_set_parameter(model->get(), FREERIDGE_REDUCTION, c.reduction), "freeridge_set_parameter");
        if (c.route == FREERIDGE_ROUTE_LANDMARK)
          check(freeridge_set_landmarks(model->get(), 5, landmarks), "freeridge_set_landmarks");
        model->factorize().lambda(0.7);
      }
      expect_same(sparse, dense, problem, points, 1e-10);
      EXPECT_CLOSE(predict_sparse(sparse.get(), Sparse(points, format), 2, FREERIDGE_ROW_MAJOR), dense.predict(points),
                   1e-10);
    }
}

TEST(Sparse, RowsOfHighLeverageAtManyLambdas) {
  Problem problem = sparse_problem(80, 12, 1, KernelSpec::linear(), false, true);
  for (std::int64_t i = 0; i < 80; ++i) problem.x(i, 3) = i == 17 ? 40.0 : 0;  // alone in its column
  Model sparse = sparse_model(problem, Sparse(problem.x, FREERIDGE_CSR), false), dense = dense_model(problem);
  sparse.factorize(), dense.factorize();
  EXPECT_CLOSE(sparse.score(FREERIDGE_LOO, many_lambdas), dense.score(FREERIDGE_LOO, many_lambdas), 1e-9);
}

TEST(Sparse, DependentColumnsHaveNoLimitByTheGramMatrixButByQr) {
  Problem problem = sparse_problem(30, 5, 1, KernelSpec::linear(), false, true);
  for (std::int64_t i = 0; i < 30; ++i) problem.x(i, 4) = problem.x(i, 1);
  const Sparse x(problem.x, FREERIDGE_CSR);
  Model sparse = sparse_model(problem, x, true), dense = dense_model(problem);
  sparse.factorize(), dense.factorize();
  std::int64_t rank = 0;
  check(freeridge_get_rank(sparse.get(), &rank), "freeridge_get_rank");
  EXPECT_EQ(rank, 4);
  EXPECT_EQ(freeridge_set_lambda(sparse.get(), 0), FREERIDGE_NOT_POSITIVE_DEFINITE);
  check(freeridge_set_parameter(sparse.get(), FREERIDGE_REDUCTION, FREERIDGE_REDUCTION_QR), "freeridge_set_parameter");
  sparse.factorize().lambda(0), dense.lambda(0);
  EXPECT_CLOSE(sparse.hyperplane(), dense.hyperplane(), 1e-10);
}

// Half of the rows go and fewer stay than there are columns, also columns far from zero; and a row goes that has almost
// all the leverage. Against refits in quadruple precision, sparse and dense.
TEST(Sparse, GroupsThatLeaveFewRowsOrHoldAllTheLeverage) {
  struct Case {
    std::int64_t n, d;
    std::int32_t folds;
    double lambda, mean, row;
    bool weighted, intercept;
  };
  for (const Case& c : {Case{30, 20, 2, 1e-5, 0, 1, false, true}, Case{30, 20, 2, 1e-9, 0, 1, true, true},
                        Case{30, 20, 2, 1e-2, 66280, 1, false, false}, Case{40, 5, 4, 10, 0, 1e6, true, true}}) {
    SCOPED_TRACE(::testing::Message() << c.n << " x " << c.d << ", lambda " << c.lambda << ", mean " << c.mean);
    Problem problem = sparse_problem(c.n, c.d, 2, KernelSpec::linear(), c.weighted, c.intercept, 0.6);
    for (std::int64_t k = 0; k < c.d; ++k) {
      problem.x(3, k) *= c.row;
      for (std::int64_t i = 0; i < c.n; ++i) problem.x(i, k) += c.mean;
    }
    QuadProblem refits{to_quad(problem.x), QuadMatrix(c.d, c.d), to_quad(problem.y), problem.weights, c.intercept};
    for (std::int64_t k = 0; k < c.d; ++k) refits.penalty(k, k) = 1;
    const Labels group = modulo_groups(c.n, c.folds);
    const Matrix expected = refit_errors(refits, group, c.lambda);
    Model sparse = sparse_model(problem, Sparse(problem.x, FREERIDGE_CSR), false), dense = dense_model(problem);
    for (Model* const model : {&sparse, &dense})
      EXPECT_CLOSE(model->factorize().lambda(c.lambda).group_errors(group), expected, 1e-9);
  }
}

// x times a power of two, with lambda times its square, changes the hyperplane's units alone.
TEST(Sparse, UnitsOfXDoNotMatter) {
  const Problem problem = sparse_problem(60, 7, 1, KernelSpec::linear(), true, true);
  const auto of = [&](int exponent) {
    Problem scaled = problem;
    for (double& value : scaled.x.values) value = std::ldexp(value, exponent);
    Model model = sparse_model(scaled, Sparse(scaled.x, FREERIDGE_CSR), false);
    model.factorize().lambda(std::ldexp(0.5, 2 * exponent));
    return model;
  };
  const auto tolerance_of = [](const Model& model) {
    double tolerance = 0;
    check(freeridge_get_tolerance(model.get(), &tolerance), "freeridge_get_tolerance");
    return tolerance;
  };
  const Model usual = of(0);
  const double choice = of(0).select_lambda(FREERIDGE_LOO).lambda[0];
  for (const int exponent : {-200, 200}) {
    Model model = of(exponent);
    EXPECT_EQ(tolerance_of(model), std::ldexp(tolerance_of(usual), 2 * exponent));
    EXPECT_CLOSE(model.loo(), usual.loo(), 1e-12);
    const double found = model.select_lambda(FREERIDGE_LOO).lambda[0];
    EXPECT_NEAR(std::ldexp(found, -2 * exponent), choice, 1e-6 * choice);  // the minimum is flat
  }
}

// Exactly by QR, which takes the mean out of each number; x'x less that of the means has rounding of x'x.
TEST(Sparse, AColumnOfOneNumberHasNoSlope) {
  Problem problem = sparse_problem(60, 7, 2, KernelSpec::linear(), true, true);
  for (std::int64_t i = 0; i < 60; ++i) problem.x(i, 4) = 0.1;
  for (const freeridge_sparse_format format : {FREERIDGE_CSR, FREERIDGE_CSC}) {
    Model model = sparse_model(problem, Sparse(problem.x, format), false);
    for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM}) {
      check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, reduction), "freeridge_set_parameter");
      const Matrix w = model.factorize().lambda(1e-3).hyperplane();
      for (std::int64_t j = 0; j < 2; ++j) EXPECT_NEAR(w(4, j), 0, reduction == FREERIDGE_REDUCTION_QR ? 0 : 1e-12);
    }
  }
}

// No column varies: none has an entry, or all are large constants, whose squares leave rounding. Every lambda has the
// same answer, 0 too.
TEST(Sparse, NoColumnVaries) {
  Problem problem = sparse_problem(12, 3, 1, KernelSpec::linear(), false, true);
  for (const double value : {0.0, 0.1, 1e7})
    for (const auto format : {FREERIDGE_CSR, FREERIDGE_CSC}) {
      problem.x = Matrix(12, 3, value);
      Model sparse = sparse_model(problem, Sparse(problem.x, format), false);
      sparse.factorize();
      double lambda = 0, score = 0;
      EXPECT_EQ(freeridge_select_lambda(sparse.get(), FREERIDGE_LOO, 0, 0, &lambda, &score), FREERIDGE_OK);
      EXPECT_EQ(lambda, 1);
      Model dense = dense_model(problem);
      dense.factorize();
      for (const double each : {0.0, 1e-3, 1.0}) {
        sparse.lambda(each);
        dense.lambda(each);
        EXPECT_CLOSE(sparse.loo(), dense.loo(), 1e-14);
        EXPECT_CLOSE(sparse.fitted(), dense.fitted(), 1e-14);
        EXPECT_CLOSE(sparse.hyperplane(), Matrix(3, 1), 0);
      }
    }
}

TEST(Sparse, SavedModelsAndPredictorsAnswerWithTheSameBits) {
  for (const std::int64_t d : {6, 40})
    for (const auto format : {FREERIDGE_CSR, FREERIDGE_CSC}) {
      const Problem problem = sparse_problem(30, d, 2, scaled_linear(d), true, true);
      const Sparse x(problem.x, format);
      Model model = sparse_model(problem, x, true);
      model.factorize().lambda(0.4);
      const Handle whole = loaded(saved(model.get())), predictor = loaded(saved_predictor(model.get()));
      Matrix errors(30, 2);
      ASSERT_EQ(freeridge_loo(whole.get(), errors.values.data(), 30), FREERIDGE_OK);
      EXPECT_TRUE(bit_equal(errors, model.loo()));
      for (const freeridge_model* copy : {whole.get(), predictor.get()})
        EXPECT_TRUE(bit_equal(predict_sparse(copy, x, 2, FREERIDGE_COL_MAJOR),
                              predict_sparse(model.get(), x, 2, FREERIDGE_COL_MAJOR)));
      EXPECT_EQ(saved(whole.get()), saved(model.get()));
    }
}

TEST(Sparse, AnAccumulatorHasTheBitsOfTheOrdinaryRows) {
  for (const bool weighted : {false, true})
    for (const auto format : {FREERIDGE_CSR, FREERIDGE_CSC}) {
      const Problem problem = sparse_problem(700, 5, 2, KernelSpec::linear(), weighted, true);
      const Sparse x(problem.x, format);
      Accumulator sparse(5, 2, true), dense(problem);
      check(freeridge_accumulator_add(sparse.get(), at(x), FREERIDGE_COL_MAJOR, problem.y.values.data(), 700,
                                      weighted ? problem.weights.data() : nullptr),
            "freeridge_accumulator_add");
      EXPECT_TRUE(bit_equal(sparse.solve({0.1, 10}).w, dense.solve({0.1, 10}).w));
      const Vector lambdas = {0.0, 0.1, 10};
      Matrix errors(700, 6);
      check(freeridge_accumulator_errors(sparse.get(), at(x), FREERIDGE_COL_MAJOR, problem.y.values.data(), 700,
                                         weighted ? problem.weights.data() : nullptr, nullptr, 3, lambdas.data(),
                                         errors.values.data(), 700),
            "freeridge_accumulator_errors");
      EXPECT_TRUE(bit_equal(errors, dense.loo(problem, lambdas)));
      Matrix squares(3, 2);
      double sum_w = -1;
      check(freeridge_accumulator_squared_errors(sparse.get(), at(x), FREERIDGE_COL_MAJOR, problem.y.values.data(), 700,
                                                 weighted ? problem.weights.data() : nullptr, 3, lambdas.data(), &sum_w,
                                                 squares.values.data(), 3),
            "freeridge_accumulator_squared_errors");
      const SquaredErrors expected = dense.squared_errors(problem, lambdas);
      EXPECT_TRUE(bit_equal(squares, expected.squares));
      EXPECT_EQ(sum_w, expected.sum_w);
    }
}

TEST(Sparse, ExplainAndMemoryTellOfIt) {
  const Problem problem = sparse_problem(3000, 40, 1, KernelSpec::linear(), false, true, 0.02);
  Model model = sparse_model(problem, Sparse(problem.x, FREERIDGE_CSC), false), dense = dense_model(problem);
  std::int64_t bytes = 0, of_dense = 0;
  check(freeridge_memory_required(model.get(), &bytes), "freeridge_memory_required");
  check(freeridge_memory_required(dense.get(), &of_dense), "freeridge_memory_required");
  EXPECT_GT(bytes, 0);
  char text[4096];
  std::int64_t length = 0;
  check(freeridge_explain(model.get(), sizeof text, text, &length), "freeridge_explain");
  EXPECT_NE(std::string(text).find("(sparse, "), std::string::npos) << text;
  EXPECT_EQ(std::string(text).rfind("route PRIMAL", 0), 0u) << text;
}

}  // namespace sparse_test
