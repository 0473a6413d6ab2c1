// Weights over up to 24 decades: the error of each row is measured beside that row's own exact answer, from
//     [K + lambda W^-1, 1; 1', 0]^-1 = [P, ...]      e_i = c_i / P_ii,  fitted = Y - lambda W^-1 c,  c = P Y
// in quadruple precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/compare.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/quad_refit.hpp"

namespace weights_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

constexpr std::int64_t n = 20;

QuadMatrix kernel_of_problem(const Problem& problem) {
  if (problem.kernel.family == Family::linear) {
    const QuadMatrix x = to_quad(problem.x);
    return multiply(x, transpose(x));
  }
  const Dense k = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
  QuadMatrix out(n, n);
  for (std::size_t e = 0; e < k.values.size(); ++e) out.values[e] = k.values[e];
  return out;
}

struct Exact {
  Matrix fitted, loo;
};

Exact exact(const Problem& problem, const QuadMatrix& k, double lambda) {
  const std::int64_t size = problem.intercept ? n + 1 : n;
  QuadMatrix a(size, size), unit(size, size);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) a(i, j) = k(i, j);
    a(j, j) += Quad(lambda) / Quad(problem.weight(j));
    if (problem.intercept) a(n, j) = a(j, n) = 1;
  }
  for (std::int64_t j = 0; j < size; ++j) unit(j, j) = 1;
  const QuadMatrix p = solve(a, unit);
  Exact out{Matrix(n, 1), Matrix(n, 1)};
  for (std::int64_t i = 0; i < n; ++i) {
    Quad c = 0;
    for (std::int64_t j = 0; j < n; ++j) c += p(i, j) * Quad(problem.y(j, 0));
    out.loo(i, 0) = static_cast<double>(c / p(i, i));
    out.fitted(i, 0) = static_cast<double>(Quad(problem.y(i, 0)) - Quad(lambda) / Quad(problem.weight(i)) * c);
  }
  return out;
}

double largest(const Matrix& a) {
  double out = 0;
  for (const double value : a.values) out = std::max(out, std::abs(value));
  return out;
}

// body(problem) for both kernels, with and without an intercept, the heavy rows first, last and anywhere.
template <class Body>
void for_each_problem(double decades, Body body) {
  Random random(70);
  for (const Family family : {Family::laplacian, Family::linear})
    for (const bool intercept : {false, true})
      for (const char* order : {"heavy first", "light first", "mixed"}) {
        Problem problem = random_problem(random, kernel_of(family, 3), n, 3, 1, true, intercept);
        problem.x = scaled(problem.x, 2.0);  // the laplacian kernel's matrix is well-conditioned
        const std::vector<std::int64_t> mixed = random.permutation(n);
        for (std::int64_t i = 0; i < n; ++i) {
          const std::int64_t place = *order == 'h' ? i : *order == 'l' ? n - 1 - i : mixed[static_cast<std::size_t>(i)];
          problem.weights[static_cast<std::size_t>(place)] =
              std::pow(10.0, decades * (0.5 - static_cast<double>(i) / (n - 1)));
        }
        SCOPED_TRACE(::testing::Message() << family_name(family) << (intercept ? ", intercept, " : ", ") << decades
                                          << " decades, " << order);
        body(problem);
      }
}

// What a route may make of rounding. CHOLESKY and BAND factorize K + lambda W^-1: where K is singular its rounding is
// divided by the smallest lambda / w_i. BAND mixes all rows.
double amplification(const Problem& problem, freeridge_route route, double lambda) {
  const auto [low, high] = std::minmax_element(problem.weights.begin(), problem.weights.end());
  const double mixed = route == FREERIDGE_ROUTE_BAND ? std::sqrt(*high / *low) : 1;
  const bool singular = problem.kernel.family == Family::linear && problem.x.cols < n;
  if (!needs_positive_definite(route) || !singular) return mixed;
  return mixed * (1 + 12 * *high / lambda);
}

void expect_exact(const Problem& problem, freeridge_route route, const Vector& lambdas, double more = 1) {
  SCOPED_TRACE(route_name(route));
  const QuadMatrix k = kernel_of_problem(problem);
  Model model = oracle::make_model(problem, route);
  model.factorize();
  for (const double lambda : lambdas) {
    if (lambda == 0 && problem.kernel.family == Family::linear) continue;
    SCOPED_TRACE(lambda);
    try {
      model.lambda(lambda);
    } catch (const StatusError& error) {
      EXPECT_EQ(error.status, FREERIDGE_NOT_POSITIVE_DEFINITE);
      EXPECT_TRUE(route == FREERIDGE_ROUTE_BAND || amplification(problem, route, lambda) > 1e12);
      continue;
    }
    const double allowed = 2e-13 * more * amplification(problem, route, lambda);
    if (allowed > 1) continue;
    const Exact expected = exact(problem, k, lambda);
    const Matrix fitted = model.fitted();
    for (std::int64_t i = 0; i < n; ++i)
      EXPECT_NEAR(fitted(i, 0), expected.fitted(i, 0), allowed * largest(problem.y)) << i;
    const Matrix loo = model.loo();
    // A route that makes 1 - |B_i|^2 by subtraction knows a heavy row's leverage to rounding.
    const double left_out = route == FREERIDGE_ROUTE_PRIMAL ? 1e-9 : 50 * allowed;
    for (std::int64_t i = 0; i < n; ++i)
      EXPECT_NEAR(loo(i, 0), expected.loo(i, 0),
                  left_out * std::abs(expected.loo(i, 0)) + allowed * largest(expected.loo))
          << i;
  }
}

const Vector all_lambdas = {0, 1e-9, 1e-3, 1, 1e3, 1e9};

TEST(WideWeights, DualRoutes) {
  for (const double decades : {6.5, 8.5, 12.0, 18.0, 24.0})
    for_each_problem(decades, [](const Problem& problem) {
      for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND})
        expect_exact(problem, route, all_lambdas);
    });
}

TEST(WideWeights, Primal) {
  for (const double decades : {6.5, 12.0, 24.0})
    for_each_problem(decades, [](Problem problem) {
      if (problem.kernel.family != Family::linear) return;
      expect_exact(problem, FREERIDGE_ROUTE_PRIMAL, all_lambdas);
      Random random(71);  // more columns than rows
      problem.x = random.uniform_matrix(n, n + 5, -1.0, 1.0);
      expect_exact(problem, FREERIDGE_ROUTE_PRIMAL, {1e-9, 1, 1e9});
      expect_exact(problem, FREERIDGE_ROUTE_SPECTRAL, {1e-9, 1, 1e9});
    });
}

// Each left-out error beside its own size, or a tenth of the largest y: eps (largest weight / smallest)^(1/2) at most, far less by QR.
TEST(WideWeights, Landmarks) {
  const Rows rows = {0, 3, 6, 9, 12, 15};
  for (const double decades : {6.5, 12.0, 24.0})
    for_each_problem(decades, [&](Problem problem) {
      if (problem.kernel.family == Family::linear) return;
      QuadProblem refits{QuadMatrix(n, 6), QuadMatrix(6, 6), to_quad(problem.y), problem.weights, problem.intercept};
      const QuadMatrix k = kernel_of_problem(problem);
      for (std::int64_t j = 0; j < 6; ++j) {
        for (std::int64_t i = 0; i < n; ++i) refits.a(i, j) = k(i, 3 * j);
        for (std::int64_t i = 0; i < 6; ++i) refits.penalty(i, j) = k(3 * i, 3 * j);
      }
      for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM}) {
        Model model = oracle::make_model(problem, FREERIDGE_ROUTE_LANDMARK);
        set_reduction(set_landmarks(model, rows), reduction).factorize();
        const double heavy = 0x1p-52 * std::pow(10.0, decades / 2), qr = 1e-10 + heavy / 100, gram = 1e-9 + heavy;
        for (const double lambda : {1e-6, 1e-2, 1.0, 1e2, 1e6}) {
          SCOPED_TRACE(::testing::Message() << "reduction " << reduction << ", lambda " << lambda);
          const Matrix errors = model.lambda(lambda).loo(), expected = refit_errors(refits, single_groups(n), lambda);
          for (std::int64_t i = 0; i < n; ++i)
            EXPECT_NEAR(errors(i, 0), expected(i, 0),
                        (reduction == FREERIDGE_REDUCTION_QR ? qr : gram) *
                            std::max(std::abs(expected(i, 0)), 0.1 * largest(problem.y)))
                << i;
        }
      }
    });
}

// A full rank is seen, and lambda = 0 interpolates.
TEST(WideWeights, Rank) {
  for_each_problem(18, [](const Problem& problem) {
    if (problem.kernel.family != Family::laplacian) return;
    Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
    model.factorize().lambda(0);
    std::int64_t rank = 0;
    ASSERT_EQ(freeridge_get_rank(model.get(), &rank), FREERIDGE_OK);
    EXPECT_EQ(rank, problem.intercept ? n - 1 : n);
    EXPECT_CLOSE(model.fitted(), problem.y, 1e-15);
  });
}

// Rows that stand twice, heavy and light: K lacks directions, and its rounding is divided by the smallest lambda / w_i.
// Of some of these the rotations of columns do not end (linalg/jacobi_svd.hpp).
TEST(WideWeights, EqualColumns) {
  Random random(6);
  for (int count = 0; count < 300; ++count) {
    SCOPED_TRACE(count);
    Matrix x = random.uniform_matrix(8, 6, -1, 1);
    for (std::int64_t i = 0; i < 8; ++i) x(i, 1) = x(i, 0);
    const Matrix y = random.uniform_matrix(8, 1, -1, 1);
    Vector weights;
    for (const double power : random.uniform_vector(8, -4, 4)) weights.push_back(std::pow(10, power));
    Matrix errors[2];
    for (const freeridge_route route : {FREERIDGE_ROUTE_AUTO, FREERIDGE_ROUTE_SPECTRAL}) {
      Model model(Kernel::linear());
      model.data(x, y).route(route).weights(weights);
      ASSERT_EQ(freeridge_factorize(model.get()), FREERIDGE_OK) << freeridge_last_error();
      errors[route == FREERIDGE_ROUTE_SPECTRAL] = model.lambda(0.1 * *std::ranges::max_element(weights)).loo();
    }
    EXPECT_CLOSE(errors[0], errors[1], 1e-9);
  }
}

TEST(WideWeights, RowsThatStandTwice) {
  for_each_problem(24, [](Problem problem) {
    for (std::int64_t i = 0; i < n; i += 2)
      for (std::int64_t k = 0; k < 3; ++k) problem.x(i + 1, k) = problem.x(i, k);
    for (const double lambda : {1.0, 1e3, 1e9})
      expect_exact(problem, FREERIDGE_ROUTE_SPECTRAL, {lambda}, 1 + 1e12 / lambda);
  });
}

// AUTO takes a route that keeps the digits.
TEST(WideWeights, Auto) {
  Random random(72);
  Problem problem = random_problem(random, kernel_of(Family::laplacian, 3), 300, 3, 1, true, true);
  for (const double low : {1.0, 1e-12}) {
    problem.weights[5] = low;
    Model model = oracle::make_model(problem);
    model.expected_lambdas(1000).factorize();
    freeridge_route route = FREERIDGE_ROUTE_AUTO;
    ASSERT_EQ(freeridge_get_route(model.get(), &route), FREERIDGE_OK);
    EXPECT_TRUE(low == 1 || route != FREERIDGE_ROUTE_BAND);
  }
}

}  // namespace weights_test
