// Predictions of linear kernels about a large mean of x, and along columns that are small beside the others: against the
// hyperplane in quadruple precision.
#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/quad.hpp"
#include "support/saved.hpp"

namespace large_means_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

constexpr std::int64_t n = 20, d = 3;

// (points - xbar)'w + ybar, w = (X_c'X_c + lambda I)^-1 X_c'Y
Matrix exact_predictions(const Problem& problem, double lambda, const Matrix& points) {
  std::vector<Quad> x_mean, y_mean;
  const QuadMatrix x = centred(to_quad(problem.x), x_mean), y = centred(to_quad(problem.y), y_mean);
  QuadMatrix normal = multiply(transpose(x), x);
  for (std::int64_t k = 0; k < d; ++k) normal(k, k) += Quad(lambda);
  QuadMatrix moved = to_quad(points);
  for (std::int64_t k = 0; k < d; ++k)
    for (std::int64_t i = 0; i < points.rows; ++i) moved(i, k) -= x_mean[static_cast<std::size_t>(k)];
  QuadMatrix out = multiply(moved, solve(normal, multiply(transpose(x), y)));
  for (Quad& value : out.values) value += y_mean[0];
  return to_double(out);
}

Problem problem_with(const Vector& units, double offset, Matrix& points) {
  Random random(80);
  Problem problem = random_problem(random, KernelSpec::linear(), n, d, 1, false, true);
  points = random.uniform_matrix(7, d, -1.0, 1.0);
  for (std::int64_t k = 0; k < d; ++k) {
    const double unit = units[static_cast<std::size_t>(k)];
    for (std::int64_t i = 0; i < n; ++i) problem.x(i, k) = problem.x(i, k) * unit + offset;
    for (std::int64_t i = 0; i < 7; ++i) points(i, k) = (i < d ? (i == k ? 1 : 0) : points(i, k)) * unit + offset;
  }
  return problem;
}

TEST(LargeMeans, PredictionsKeepTheirDigits) {
  for (const double offset : {0.0, 1e4, 1e8, -1e12}) {
    SCOPED_TRACE(offset);
    Matrix points;
    const double unit = std::abs(offset) > 1e10 ? 1e3 : 1;  // so that x is still a few thousand numbers
    const Problem problem = problem_with(Vector(d, unit), offset, points);
    for (const double lambda : {1e-3, 1.0, 1e3}) {
      const Matrix expected = exact_predictions(problem, lambda, points);
      for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM})
        for (const freeridge_route route :
             {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL})
          for (const std::int32_t steps : {0, 3}) {
            if (route != FREERIDGE_ROUTE_PRIMAL && (steps > 0 || reduction == FREERIDGE_REDUCTION_GRAM)) continue;
            SCOPED_TRACE(::testing::Message() << route_name(route) << " " << reduction << " lambda " << lambda);
            Model model = oracle::make_model(problem, route);
            check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, reduction), "freeridge_set_parameter");
            check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, steps), "freeridge_set_parameter");
            model.factorize().lambda(lambda);
            // CHOLESKY and BAND: the rounding of K over lambda
            const double allowed = needs_positive_definite(route) ? 1e-14 * (1 + 100 * unit * unit / lambda) : 1e-13;
            EXPECT_CLOSE(model.predict(points), expected, allowed);
            const Handle whole = loaded(saved(model.get())), predictor = loaded(saved_predictor(model.get()));
            for (const freeridge_model* copy : {whole.get(), predictor.get()}) {
              Matrix again(7, 1);
              ASSERT_EQ(
                  freeridge_predict(copy, FREERIDGE_COL_MAJOR, 7, points.values.data(), 7, again.values.data(), 7),
                  FREERIDGE_OK);
              EXPECT_TRUE(bit_equal(again, model.predict(points)));
            }
            if (steps > 0 || route != FREERIDGE_ROUTE_PRIMAL) continue;
            const auto interval = model.predict_jackknife(points, 0.5);
            for (std::int64_t i = 0; i < 7; ++i) EXPECT_LE(interval.lower(i, 0), interval.upper(i, 0));
          }
    }
  }
}

// SPECTRAL beside CHOLESKY, whose c has all directions: what K rounds away of a small column is in no eigenvector of its
// own, but in c.
// Without an intercept almost all of y is fitted: what is left is told by the residuals, not by |y|^2 less what the fit
// explains. r, tr H and with them sigma2, GCV and the training error in quadruple precision.
TEST(LargeMeans, SquaredResidualsOfYFarFromZero) {
  for (const double level : {1.0, 1e4, 1e6})
    for (const bool landmarks : {false, true})
      for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM}) {
        SCOPED_TRACE(::testing::Message() << level << (landmarks ? ", landmarks " : ", linear ") << reduction);
        Random random(81);
        const std::int64_t rows = 60, p = 4;
        const Vector weights = random.uniform_vector(rows, 0.5, 2.0);
        Problem problem{landmarks ? KernelSpec::polynomial(3, 1, 1) : KernelSpec::linear(),
                        Matrix(rows, landmarks ? 1 : p), Matrix(rows, 1), weights, false};
        QuadMatrix a(rows, p), penalty(p, p);  // K_TR and K_RR, or X and I
        const Rows chosen = {0, 20, 40, 59};
        for (std::int64_t i = 0; i < rows; ++i) {
          const double x = -1 + 2 * static_cast<double>(i) / static_cast<double>(rows - 1);
          for (std::int64_t k = 0; k < problem.x.cols; ++k) problem.x(i, k) = landmarks ? x : std::pow(x, k);
          problem.y(i, 0) = level + x - x * x * x + 1e-3 * random.normal();
        }
        for (std::int64_t k = 0; k < p; ++k) {
          const auto kernel = [&](std::int64_t i) {
            const Quad u = Quad(problem.x(i, 0)) * Quad(problem.x(chosen[static_cast<std::size_t>(k)], 0)) + 1;
            return u * u * u;
          };
          for (std::int64_t i = 0; i < rows; ++i) a(i, k) = landmarks ? kernel(i) : Quad(problem.x(i, k));
          for (std::int64_t l = 0; l < p; ++l)
            penalty(l, k) = landmarks ? kernel(chosen[static_cast<std::size_t>(l)]) : Quad(k == l ? 1 : 0);
        }
        const double lambda = 1e-9;
        QuadMatrix weighted = a, y = to_quad(problem.y);
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t k = 0; k < p; ++k) weighted(i, k) *= Quad(weights[static_cast<std::size_t>(i)]);
        QuadMatrix normal = multiply(transpose(weighted), a);
        for (std::int64_t k = 0; k < p; ++k)
          for (std::int64_t l = 0; l < p; ++l) normal(k, l) += Quad(lambda) * penalty(k, l);
        const QuadMatrix hat = solve(normal, transpose(weighted)), fitted = multiply(a, multiply(hat, y));
        Quad squares = 0, trace = 0, sum_w = 0;
        for (std::int64_t i = 0; i < rows; ++i) {
          const Quad r = y(i, 0) - fitted(i, 0), w = weights[static_cast<std::size_t>(i)];
          squares += w * r * r;
          sum_w += w;
          for (std::int64_t k = 0; k < p; ++k) trace += a(i, k) * hat(k, i);
        }
        const double left = static_cast<double>(rows) - static_cast<double>(trace);

        Model model = oracle::make_model(problem);
        if (landmarks) set_landmarks(model, chosen);
        set_reduction(model, reduction).factorize().lambda(lambda);
        const double near = 1e-9 + 1e-12 * level;  // residuals of 1e-3 are rounded to eps level
        const auto expect = [&](double actual, double expected) { EXPECT_NEAR(actual / expected, 1, near); };
        expect(model.error_variance()[0], static_cast<double>(squares) / left);
        expect(model.score(FREERIDGE_GCV, {lambda})(0, 0),
               static_cast<double>(rows) * static_cast<double>(squares) / left / left);
        double training = 0;
        check(freeridge_objective(model.get(), 1, &lambda, &training, nullptr, nullptr, 1), "freeridge_objective");
        expect(training, static_cast<double>(squares / sum_w));
      }
}

TEST(LargeMeans, ColumnsThatKDoesNotShow) {
  for (const Vector& units : {Vector{1e7, 1, 1}, Vector{1e9, 1, 1e-3}, Vector{1e7, 1e3, 0.1}, Vector{1, 1e8, 1}}) {
    SCOPED_TRACE(::testing::PrintToString(units));
    Matrix points;
    const Problem problem = problem_with(units, 0, points);
    Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
    model.factorize();
    double tolerance = 0;
    ASSERT_EQ(freeridge_get_tolerance(model.get(), &tolerance), FREERIDGE_OK);
    for (const double times : {2.0, 1e2, 1e4, 1e6, 1e8, 1e10}) {
      SCOPED_TRACE(times);
      const Matrix expected = exact_predictions(problem, times * tolerance, points);
      model.lambda(times * tolerance);
      const Matrix found = model.predict(points);
      for (std::int64_t i = 0; i < 7; ++i)  // rounding of K over lambda
        EXPECT_NEAR(found(i, 0), expected(i, 0), (1 / times + 1e-13) * std::abs(expected(i, 0)) * 0.1 + 1e-13) << i;
    }
  }
}

}  // namespace large_means_test
