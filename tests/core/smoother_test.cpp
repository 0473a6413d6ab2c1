// The rows of the smoother and the posterior variance at new points, which the core hands to its own layers: the core
// is asked directly, every route, against dense matrices in long double. With M = K + lambda W^-1, k = k(X, x*), u =
// M^-1 1
//     a(x*) = P k + u / (1'u),   P = M^-1 - u u' / (1'u)       a(x*)'Y = f(x*) + b       (without intercept u = 0)
//     variance = k(x*, x*) - k'M^-1 k + (1 - u'k)^2 / (1'u)
// and with landmarks K_TR K_RR^-1 K_RT, K_TR K_RR^-1 k(R, x*), k(x*, R) K_RR^-1 k(R, x*) in place of K, k, k(x*, x*).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "libcore/routes/routes.hpp"
#include "support/compare.hpp"
#include "support/gauss.hpp"
#include "support/landmark_oracle.hpp"
#include "support/problems.hpp"

namespace {

using namespace support;
using oracle::Family;
using oracle::KernelSpec;
using oracle::Problem;

struct Reference {
  Dense a, variance;  // n x m, m x 1
};

Reference reference(const Problem& problem, const Dense& k, const Dense& k_new, const Dense& prior, double lambda) {
  const std::int64_t n = k.rows, m = k_new.cols;
  Dense shifted_k = k, rhs(n, m + 1, 1);  // [k, 1]
  for (std::int64_t i = 0; i < n; ++i) {
    shifted_k(i, i) += static_cast<Real>(lambda) / static_cast<Real>(problem.weight(i));
    for (std::int64_t q = 0; q < m; ++q) rhs(i, q) = k_new(i, q);
  }
  const Dense inverse = solve(shifted_k, rhs);  // [M^-1 k, u]
  Real sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += inverse(i, m);
  Reference out{Dense(n, m), Dense(m, 1)};
  for (std::int64_t q = 0; q < m; ++q) {
    Real missing = 1, form = 0;  // 1 - u'k, k'M^-1 k
    for (std::int64_t i = 0; i < n; ++i) {
      missing -= inverse(i, m) * k_new(i, q);
      form += k_new(i, q) * inverse(i, q);
    }
    for (std::int64_t i = 0; i < n; ++i)
      out.a(i, q) = inverse(i, q) + (problem.intercept ? missing * inverse(i, m) / sum : 0);
    out.variance(q, 0) = prior(q, 0) - form + (problem.intercept ? missing * missing / sum : 0);
  }
  return out;
}

freeridge::LayoutView view(const Matrix& x) {
  return {x.values.data(), x.rows, x.cols, x.rows, freeridge::Layout::col_major};
}

using Rows = std::vector<std::int64_t>;

enum class Kernels { all, linear, others };

struct Route {
  const char* name;
  Kernels of;
  Rows landmarks;
  std::function<freeridge::FactorizationPtr(freeridge::ProblemPtr)> factorize;
};

std::vector<Route> routes(const Rows& landmarks) {
  using freeridge::ProblemPtr;
  using freeridge::Reduction;
  const auto by_landmarks = [=](Reduction reduction) {
    return [=](ProblemPtr problem) {
      return freeridge::factorize_landmark(std::move(problem),
                                           {static_cast<freeridge::Index>(landmarks.size()), landmarks}, reduction);
    };
  };
  const auto primal = [](Reduction reduction) {
    return [=](ProblemPtr problem) { return freeridge::factorize_primal(std::move(problem), reduction); };
  };
  return {
      {"Cholesky", Kernels::all, {}, [](ProblemPtr p) { return freeridge::factorize_cholesky(std::move(p)); }},
      {"Spectral", Kernels::all, {}, [](ProblemPtr p) { return freeridge::factorize_spectral(std::move(p)); }},
      {"Primal, QR", Kernels::linear, {}, primal(Reduction::qr)},
      {"Primal, Gram", Kernels::linear, {}, primal(Reduction::gram)},
      {"Landmarks, QR", Kernels::all, landmarks, by_landmarks(Reduction::qr)},
      {"Landmarks, Gram", Kernels::all, landmarks, by_landmarks(Reduction::gram)},
      {"Iterative",
       Kernels::others,
       {},
       [](ProblemPtr p) { return freeridge::factorize_iterative(std::move(p), 1e-12); }},
  };
}

TEST(Smoother, RowsAndVarianceOfEveryRoute) {
  Random random(500);
  for (const Family family : {Family::linear, Family::gaussian})
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true}) {
        Problem problem = random_problem(random, kernel_of(family, 4), 25, 4, 2, weighted, intercept);
        const Matrix points = random.uniform_matrix(6, 4, -1.5, 1.5);
        const freeridge::KernelPtr kernel =
            family == Family::linear ? freeridge::linear_kernel() : freeridge::gaussian_kernel(problem.kernel.sigma);
        for (const Route& route : routes({3, 20, 11})) {
          if (route.of != Kernels::all && (route.of == Kernels::linear) != (family == Family::linear)) continue;
          const freeridge::FactorizationPtr factorization = route.factorize(std::make_shared<const freeridge::Problem>(
              kernel, view(problem.x), view(problem.y), problem.weights, intercept));
          Dense k = oracle::kernel_matrix(problem.kernel, problem.x, problem.x),
                k_new = oracle::kernel_matrix(problem.kernel, problem.x, points), prior(6, 1);
          const Dense of_points = oracle::kernel_matrix(problem.kernel, points, points);
          for (std::int64_t q = 0; q < 6; ++q) prior(q, 0) = of_points(q, q);
          if (!route.landmarks.empty()) {
            const Matrix at = select_rows(problem.x, route.landmarks);
            const Dense rr = oracle::kernel_matrix(problem.kernel, at, at),
                        rt = oracle::kernel_matrix(problem.kernel, at, problem.x),
                        r_new = oracle::kernel_matrix(problem.kernel, at, points);
            const Dense inner = solve(rr, r_new);  // K_RR^-1 k(R, x*)
            k = multiply(transpose(rt), solve(rr, rt));
            k_new = multiply(transpose(rt), inner);
            for (std::int64_t q = 0; q < 6; ++q) {
              prior(q, 0) = 0;
              for (std::int64_t i = 0; i < rr.rows; ++i) prior(q, 0) += r_new(i, q) * inner(i, q);
            }
          }
          for (const double lambda : {1e-2, 1.0, 1e2})
            for (const std::int64_t first : {0, 2}) {  // all points, and those from the third on
              SCOPED_TRACE(::testing::Message()
                           << family_name(family) << " " << route.name << (weighted ? ", weights" : "")
                           << (intercept ? ", intercept" : "") << ", lambda = " << lambda << ", from " << first);
              const std::int64_t count = 6 - first;
              Matrix a(25, count), variance(count, 1), expected_a(25, count), expected_variance(count, 1);
              const auto maker = factorization->at(lambda);
              const freeridge::MatrixView a_view{a.values.data(), 25, count, 25};
              maker->smoother(view(points), first, a_view, freeridge::Span<double>(variance.values));
              const Reference expected = reference(problem, k, k_new, prior, lambda);
              for (std::int64_t q = 0; q < count; ++q) {
                expected_variance(q, 0) = static_cast<double>(expected.variance(first + q, 0));
                for (std::int64_t i = 0; i < 25; ++i) expected_a(i, q) = static_cast<double>(expected.a(i, first + q));
              }
              EXPECT_CLOSE(a, expected_a, 1e-10);
              EXPECT_CLOSE(variance, expected_variance, 1e-10);
              // Each alone.
              Matrix alone_a(25, count), alone_variance(count, 1);
              maker->smoother(view(points), first, {alone_a.values.data(), 25, count, 25}, {});
              maker->smoother(view(points), first, {}, freeridge::Span<double>(alone_variance.values));
              EXPECT_TRUE(bit_equal(alone_a, a));
              EXPECT_TRUE(bit_equal(alone_variance, variance));
              // The rows at work: a(x*)'Y is the prediction of the refit.
              const oracle::Fit fit = route.landmarks.empty()
                                          ? oracle::fit(problem, lambda)
                                          : oracle::LandmarkOracle(problem, route.landmarks).fit(lambda);
              const Matrix predicted = oracle::predict(problem, fit, points);
              Matrix at_work(count, 2), at_points(count, 2);
              for (std::int64_t j = 0; j < 2; ++j)
                for (std::int64_t q = 0; q < count; ++q) {
                  at_points(q, j) = predicted(first + q, j);
                  for (std::int64_t i = 0; i < 25; ++i) at_work(q, j) += a(i, q) * problem.y(i, j);
                }
              EXPECT_CLOSE(at_work, at_points, 1e-9);
            }
        }
      }
}

}  // namespace
