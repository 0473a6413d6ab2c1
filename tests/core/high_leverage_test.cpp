// Rows of leverage near one, alone and together: errors left out against refits in quadruple precision, where 1 - H_ii and
// Y - H Y are numbers near one less numbers near one.
#include <gtest/gtest.h>

#include <cmath>

#include "support/accumulator.hpp"
#include "support/compare.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/quad_refit.hpp"

namespace high_leverage_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

constexpr double epsilon = 0x1p-52;

// Element by element, relative to the element, or to a thousandth of the largest where it is smaller.
double worst(const Matrix& actual, const Matrix& expected) {
  double size = 0, out = 0;
  for (const double value : expected.values)
    if (!std::isnan(value)) size = std::max(size, std::abs(value));
  for (std::size_t k = 0; k < actual.values.size(); ++k) {
    const double a = actual.values[k], e = expected.values[k];
    if (std::isnan(a) && std::isnan(e)) continue;
    const double here = std::abs(a - e) / std::max(std::abs(e), 1e-3 * size);
    out = std::isnan(here) ? INFINITY : std::max(out, here);
  }
  return out;
}

struct Grouping {
  const char* name;
  Labels label;
};

// Single rows, folds, all rows but three, all, and the first two.
std::vector<Grouping> groupings(std::int64_t n) {
  Labels most(static_cast<std::size_t>(n), 0), two(most.size(), -1);
  for (std::size_t i = 0; i < 3; ++i) most[most.size() - 1 - i] = -1;
  two[0] = two[1] = 0;
  return {{"single rows", single_groups(n)},
          {"three folds", modulo_groups(n, 3)},
          {"all but three", most},
          {"all", Labels(most.size(), 0)},
          {"two", two}};
}

// rounded: the problem with its values rounded anew; twenty times what that moves is allowed beside the tolerance.
void expect_refits(const Model& model, const QuadProblem& problem, double lambda, double at_least,
                   const QuadProblem* rounded = nullptr) {
  freeridge_status status = FREERIDGE_OK;
  for (const Grouping& grouping : groupings(problem.a.rows)) {
    const Matrix expected = refit_errors(problem, grouping.label, lambda);
    double tolerance = at_least;
    if (rounded) tolerance += 20 * worst(refit_errors(*rounded, grouping.label, lambda), expected);
    EXPECT_LE(worst(model.group_errors(grouping.label, &status), expected), tolerance) << grouping.name;
    if (grouping.label != single_groups(problem.a.rows)) continue;
    EXPECT_LE(worst(model.loo(&status), expected), tolerance) << "loo";
    EXPECT_EQ(status, FREERIDGE_OK);
    double sum = 0, weights = 0;
    for (std::int64_t i = 0; i < expected.rows; ++i) {
      const double w = problem.weights.empty() ? 1 : problem.weights[static_cast<std::size_t>(i)];
      sum += w * expected(i, 0) * expected(i, 0);
      weights += w;
    }
    EXPECT_NEAR(model.score(FREERIDGE_LOO, {lambda})(0, 0) / (sum / weights), 1, 4 * tolerance);
  }
}

// Values of the kernel are off by up to `rounding` of themselves, each pair of points alike in both of its places.
QuadProblem landmark_problem(const Problem& problem, double sigma, const Rows& rows, double rounding = 0) {
  const auto r = static_cast<std::int64_t>(rows.size());
  const auto kernel = [&](std::int64_t i, std::int64_t j) {
    double square = 0;
    for (std::int64_t k = 0; k < problem.x.cols; ++k)
      square += (problem.x(i, k) - problem.x(j, k)) * (problem.x(i, k) - problem.x(j, k));
    Random random(1000 * std::min(i, j) + std::max(i, j));
    return Quad(std::exp(-square / (sigma * sigma))) * (Quad(1) + Quad(random.uniform(-rounding, rounding)));
  };
  QuadProblem out{QuadMatrix(problem.x.rows, r), QuadMatrix(r, r), to_quad(problem.y), problem.weights,
                  problem.intercept};
  for (std::int64_t j = 0; j < r; ++j) {
    const std::int64_t row = rows[static_cast<std::size_t>(j)];
    for (std::int64_t i = 0; i < problem.x.rows; ++i) out.a(i, j) = kernel(i, row);
    for (std::int64_t i = 0; i < r; ++i) out.penalty(i, j) = kernel(rows[static_cast<std::size_t>(i)], row);
  }
  return out;
}

class LandmarksOfHighLeverage : public ::testing::TestWithParam<freeridge_reduction> {};
INSTANTIATE_TEST_SUITE_P(Every, LandmarksOfHighLeverage,
                         ::testing::Values(FREERIDGE_REDUCTION_GRAM, FREERIDGE_REDUCTION_QR));

TEST_P(LandmarksOfHighLeverage, EqualRefits) {
  struct Case {
    std::int64_t n, d, r;
    double sigma;
    bool chosen;
  };
  Random random(500);
  for (const Case& c : {Case{8, 1, 4, 0.29, false}, Case{30, 2, 10, 0.15, false}, Case{30, 2, 10, 0.15, true},
                        Case{40, 2, 8, 1.0, false}})
    for (const int setting : {0, 1, 2, 3}) {
      Problem problem =
          random_problem(random, KernelSpec::gaussian(c.sigma), c.n, c.d, 1, setting % 2 == 1, setting > 1);
      Rows rows;
      for (std::int64_t k = 0; k < c.r; ++k) rows.push_back(c.n == 8 ? 2 * k : k);
      for (std::int64_t i = 0; i < 8 && c.n == 8; ++i) {
        problem.x(i, 0) = static_cast<double>(i);
        problem.y(i, 0) = std::cos(3.0 * static_cast<double>(i));
      }
      Model model = oracle::make_model(problem, FREERIDGE_ROUTE_LANDMARK);
      set_reduction(c.chosen ? choose_landmarks(model, c.r, FREERIDGE_LANDMARKS_PIVOTED) : set_landmarks(model, rows),
                    GetParam())
          .factorize();
      const QuadProblem refits = landmark_problem(problem, c.sigma, landmark_rows(model)),
                        rounded = landmark_problem(problem, c.sigma, landmark_rows(model), epsilon);
      for (const double lambda : {1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1.0, 1e2}) {
        SCOPED_TRACE(::testing::Message() << c.n << " points, sigma " << c.sigma << ", chosen " << c.chosen
                                          << ", setting " << setting << ", lambda " << lambda);
        expect_refits(model.lambda(lambda), refits, lambda, 1e-10 + 1e-16 / lambda * 1e2, &rounded);
      }
    }
}

// Rows at 10^3 to 10^10 beside rows of size 1. What no route can undo is the rounding of x less its mean, where there is an
// intercept, and of the kernel matrix on the dual routes and of the Gram matrix, which their tolerance tells.
TEST(HighLeverage, HeavyRowsOnEveryRoute) {
  struct Way {
    const char* name;
    freeridge_route route;
    freeridge_reduction reduction;
  };
  constexpr Way ways[] = {{"QR", FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_QR},
                          {"Gram", FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_GRAM},
                          {"Cholesky", FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_REDUCTION_AUTO},
                          {"spectral", FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_REDUCTION_AUTO},
                          {"band", FREERIDGE_ROUTE_BAND, FREERIDGE_REDUCTION_AUTO}};
  Random random(501);
  for (const std::int64_t d : {1, 3})
    for (const std::int64_t heavy : {1, 2})
      for (const bool intercept : {false, true})
        for (const double size : {1e3, 1e6, 1e8, 1e10}) {
          Problem problem = random_problem(random, KernelSpec::linear(), 30, d, 1, false, intercept);
          for (std::int64_t i = 0; i < heavy; ++i)
            for (std::int64_t k = 0; k < d; ++k) problem.x(i, k) = size * random.uniform(0.5, 1);
          QuadProblem refits{to_quad(problem.x), QuadMatrix(d, d), to_quad(problem.y), {}, intercept};
          for (std::int64_t k = 0; k < d; ++k) refits.penalty(k, k) = 1;
          for (const Way& way : ways) {
            Model model = oracle::make_model(problem, way.route);
            set_reduction(model, way.reduction).factorize();
            for (const double lambda : {1e-4, 1.0, 1e4, 1e8}) {
              SCOPED_TRACE(::testing::Message() << way.name << ", " << d << " columns, " << heavy << " heavy rows of "
                                                << size << ", intercept " << intercept << ", lambda " << lambda);
              const double noise = tolerance_of(model) / lambda;
              if (noise > 1e-4) continue;  // below ten thousand tolerances
              expect_refits(model.lambda(lambda), refits, lambda,
                            1e-10 + (intercept ? 500 * epsilon * size : 0) + 10 * noise);
            }
          }
        }
}

TEST(HighLeverage, OneRowOfTwo) {
  const Problem problem{KernelSpec::linear(), to_column({2e7, 1}), to_column({0, 1}), {}, false};
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
  model.factorize().lambda(4e7);
  EXPECT_NEAR(model.loo()(0, 0), -2e7 / (1 + 4e7), 1e-14);
}

// The second pass of an accumulator sees no other row: six digits, or none.
TEST(HighLeverage, AccumulatorsHaveSixDigitsOrNone) {
  Random random(502);
  for (const bool intercept : {false, true})
    for (const double size : {1e1, 1e3, 1e4, 1e6, 1e8, 1e10}) {
      SCOPED_TRACE(::testing::Message() << size << ", intercept " << intercept);
      Problem problem = random_problem(random, KernelSpec::linear(), 50, 1, 1, false, intercept);
      problem.x(7, 0) = size;
      QuadProblem refits{to_quad(problem.x), QuadMatrix(1, 1), to_quad(problem.y), {}, intercept};
      refits.penalty(0, 0) = 1;
      freeridge_status status = FREERIDGE_OK;
      const Matrix expected = refit_errors(refits, single_groups(50), 1.0);
      const Matrix errors = Accumulator(problem).loo(problem, {1.0}, &status);
      EXPECT_EQ(status, size > 1e4 ? FREERIDGE_UNDEFINED : FREERIDGE_OK);
      for (std::int64_t i = 0; i < 50; ++i) {
        if (i == 7 && size > 1e4)
          EXPECT_TRUE(std::isnan(errors(i, 0)));
        else
          EXPECT_NEAR(errors(i, 0) / expected(i, 0), 1, 1e-6) << i;
      }
    }
}

// Columns that are copies of others, and nearly: w against the singular value decomposition in quadruple precision, in which
// a direction that is the rounding of x is none at any lambda.
TEST(CollinearColumns, OnTheWayToNoPenalty) {
  Random random(503);
  for (const bool intercept : {false, true})
    for (const double apart : {0.0, 1e-12, 1e-9, 1e-6, 1e-3}) {
      Problem problem = random_problem(random, KernelSpec::linear(), 20, 3, 1, false, intercept);
      for (std::int64_t i = 0; i < 20; ++i) problem.x(i, 2) = problem.x(i, 0) + apart * random.normal();
      std::vector<Quad> mean;
      QuadMatrix x = to_quad(problem.x), y = to_quad(problem.y);
      if (intercept) x = centred(x, mean), y = centred(y, mean);
      const QuadSvd svd = jacobi_svd(x);
      Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
      model.factorize();
      const Accumulator sums(problem);
      for (const double lambda : {1e-30, 1e-26, 1e-16, 1e-12, 1e-8, 1e-4, 1.0, 1e2}) {
        SCOPED_TRACE(::testing::Message() << "apart " << apart << ", intercept " << intercept << ", lambda " << lambda);
        Matrix w(3, 1);
        for (std::size_t k = 0; k < (apart == 0 ? 2U : 3U); ++k) {
          const auto column = static_cast<std::int64_t>(k);
          Quad g = 0;
          for (std::int64_t i = 0; i < 20; ++i) g += svd.u(i, column) * y(i, 0);
          for (std::int64_t j = 0; j < 3; ++j)
            w(j, 0) += static_cast<double>(svd.v(j, column) * svd.s[k] * g / (svd.s[k] * svd.s[k] + Quad(lambda)));
        }
        // How far w moves when x moves by epsilon: by the condition, which lambda makes smaller, to one and not below.
        const double least = apart == 0 ? 1 : std::min(std::max(apart, std::sqrt(lambda)), 1.0);
        const double tolerance = 50 * epsilon / least * (1 + 1 / least / 10);
        EXPECT_CLOSE(model.lambda(lambda).hyperplane(), w, tolerance);
        EXPECT_CLOSE(sums.solve({lambda}).w, w, tolerance);
      }
    }
}

}  // namespace high_leverage_test
