// Fixed effects on every route, against refits and explicit matrices in long double (fixed_effects_oracle.hpp); what a
// large lambda, a constant column and dependent columns come to; and arguments that are wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>

#include "core/fixed_effects_oracle.hpp"
#include "support/compare.hpp"
#include "support/deep.hpp"
#include "support/problems.hpp"
#include "support/sparse.hpp"
#include "support/unpenalised.hpp"

namespace fixed_effects_test {

using namespace support;
using fixed_effects::Mixed;
using fixed_effects::with_ones;

constexpr double tolerance = 1e-10;

struct Way {
  const char* name;
  freeridge_route route;
  oracle::Family family;
  std::int64_t n, d;
  freeridge_reduction reduction = FREERIDGE_REDUCTION_AUTO;
  std::int64_t landmarks = 0;
  bool sparse = false;
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
  return out << way.name;
}

const Way ways[] = {
    {"Cholesky", FREERIDGE_ROUTE_CHOLESKY, oracle::Family::gaussian, 24, 3},
    {"CholeskyLinear", FREERIDGE_ROUTE_CHOLESKY, oracle::Family::linear, 24, 4},
    {"Spectral", FREERIDGE_ROUTE_SPECTRAL, oracle::Family::gaussian, 24, 3},
    {"SpectralLinear", FREERIDGE_ROUTE_SPECTRAL, oracle::Family::linear, 24, 4},
    {"SpectralWide", FREERIDGE_ROUTE_SPECTRAL, oracle::Family::linear, 18, 30},
    {"Band", FREERIDGE_ROUTE_BAND, oracle::Family::matern52, 45, 3},
    {"BandLinear", FREERIDGE_ROUTE_BAND, oracle::Family::linear, 40, 50},
    {"Primal", FREERIDGE_ROUTE_PRIMAL, oracle::Family::linear, 24, 5},
    {"PrimalGram", FREERIDGE_ROUTE_PRIMAL, oracle::Family::linear, 24, 5, FREERIDGE_REDUCTION_GRAM},
    {"PrimalWide", FREERIDGE_ROUTE_PRIMAL, oracle::Family::linear, 18, 30},
    {"PrimalHardlyTall", FREERIDGE_ROUTE_PRIMAL, oracle::Family::linear, 20, 18},
    {"PrimalSparse", FREERIDGE_ROUTE_PRIMAL, oracle::Family::linear, 60, 20, FREERIDGE_REDUCTION_AUTO, 0, true},
    {"SpectralSparse", FREERIDGE_ROUTE_SPECTRAL, oracle::Family::linear, 24, 8, FREERIDGE_REDUCTION_AUTO, 0, true},
    {"Landmark", FREERIDGE_ROUTE_LANDMARK, oracle::Family::gaussian, 30, 3, FREERIDGE_REDUCTION_QR, 7},
    {"LandmarkGram", FREERIDGE_ROUTE_LANDMARK, oracle::Family::gaussian, 30, 3, FREERIDGE_REDUCTION_GRAM, 7},
    {"LandmarkLinear", FREERIDGE_ROUTE_LANDMARK, oracle::Family::linear, 24, 9, FREERIDGE_REDUCTION_QR, 5},
};

// Polynomials of a point's last column and a column that is drawn, all away from zero.
Matrix effects_of(Random& random, const Matrix& x, std::int64_t q) {
  Matrix out(x.rows, q);
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < q; ++j)
      out(i, j) = j == 1 ? random.normal() : 3 + std::pow(x(i, 0) + 0.5, static_cast<double>(j + 1));
  return out;
}

struct Case {
  oracle::Problem problem;
  Matrix f, points, f_points;
  std::vector<std::int64_t> landmarks;
  Model model{Kernel::linear()};
  Mixed mixed;
  Dense cross, f_new;
  std::vector<Real> own;
};

// The kernel restricted to landmarks, k_xR K_RR^-1 K_Rz.
Dense restricted(const oracle::KernelSpec& kernel, const Matrix& a, const Matrix& b, const Matrix& r) {
  const Dense k_r = oracle::kernel_matrix(kernel, r, r);
  return multiply(transpose(oracle::kernel_matrix(kernel, r, a)), solve(k_r, oracle::kernel_matrix(kernel, r, b)));
}

void set_data(const Way& way, Case& c) {
  if (!way.sparse) {
    c.model.data(c.problem.x, c.problem.y);
    return;
  }
  c.model.data(c.problem.x, c.problem.y);  // whose sizes the wrapper remembers
  check(set_sparse(c.model.get(), Sparse(c.problem.x, FREERIDGE_CSR), c.problem.y, false), "freeridge_set_points");
}

Case make_case(const Way& way, std::int64_t q, bool weighted, bool intercept, double lambda) {
  Random random(1971);
  Case c;
  c.problem = random_problem(random, kernel_of(way.family, way.d), way.n, way.d, 2, weighted, intercept);
  if (way.sparse)
    for (std::int64_t k = 0; k < way.d; ++k)
      for (std::int64_t i = 0; i < way.n; ++i)
        if ((i * 7 + k * 5) % 3 != 0) c.problem.x(i, k) = 0;
  c.f = effects_of(random, c.problem.x, q);
  c.points = random.uniform_matrix(4, way.d, -1, 1);
  c.f_points = effects_of(random, c.points, q);
  for (std::int64_t i = 0; i < way.landmarks; ++i) c.landmarks.push_back(2 * i + 1);

  c.model = Model(oracle::make_kernel(c.problem.kernel));
  set_data(way, c);
  c.model.weights(c.problem.weights).intercept(intercept).route(way.route);
  check(freeridge_set_parameter(c.model.get(), FREERIDGE_REDUCTION, way.reduction), "freeridge_set_parameter");
  if (way.landmarks > 0)
    check(freeridge_set_landmarks(c.model.get(), way.landmarks, c.landmarks.data()), "freeridge_set_landmarks");
  const freeridge_layout layout = weighted ? FREERIDGE_ROW_MAJOR : FREERIDGE_COL_MAJOR;
  set_unpenalised(c.model, c.f, layout);
  c.model.factorize().lambda(lambda);

  const Matrix r = select_rows(c.problem.x, c.landmarks);
  const auto k = [&](const Matrix& a, const Matrix& b) {
    return way.landmarks > 0 ? restricted(c.problem.kernel, a, b, r) : oracle::kernel_matrix(c.problem.kernel, a, b);
  };
  c.mixed = {k(c.problem.x, c.problem.x), with_ones(c.f, intercept), to_real(c.problem.y), c.problem.weights,
             static_cast<Real>(lambda)};
  c.cross = k(c.problem.x, c.points);
  const Dense own = k(c.points, c.points);
  for (std::int64_t i = 0; i < own.rows; ++i) c.own.push_back(own(i, i));
  c.f_new = with_ones(c.f_points, intercept);
  return c;
}

class FixedEffects : public ::testing::TestWithParam<Way> {
 protected:
  template <class Body>
  static void each(const Body& body) {
    for (const std::int64_t q : {1, 3})
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true})
          for (const double lambda : {0.02, 3.0}) {
            // Of eight of these sixteen each three have all their values.
            if (!deep() && (weighted != intercept) != ((q == 3) != (lambda > 1))) continue;
            SCOPED_TRACE(::testing::Message() << "q = " << q << (weighted ? ", weights" : "")
                                              << (intercept ? ", intercept" : "") << ", lambda = " << lambda);
            const Case c = make_case(GetParam(), q, weighted, intercept, lambda);
            body(c, lambda);
          }
  }
};

Matrix predict_fixed(const Case& c, freeridge_layout layout) {
  const Packed x = pack(c.points, layout, 1), f = pack(c.f_points, layout, 2);
  Packed out = pack(Matrix(c.points.rows, c.problem.y.cols), layout, 1);
  const Points points = with(at(x, c.points.rows, c.points.cols), c.f_points.cols, f.values.data(), f.ld);
  check(freeridge_predict_points(c.model.get(), points, 0, nullptr, layout, out.values.data(), out.ld),
        "freeridge_predict_points");
  return unpack(out, c.points.rows, c.problem.y.cols);
}

TEST_P(FixedEffects, LeavesOneOut) {
  each([](const Case& c, double) {
    const Matrix expected = c.mixed.left_out(single_groups(c.mixed.n()));
    EXPECT_CLOSE(c.model.loo(), expected, tolerance);
    EXPECT_CLOSE(c.model.group_errors(single_groups(c.mixed.n())), expected, tolerance);
  });
}

TEST_P(FixedEffects, LeavesGroupsOut) {
  each([](const Case& c, double) {
    Labels half(static_cast<std::size_t>(c.mixed.n()), -1), some = modulo_groups(c.mixed.n(), 4);
    for (std::size_t i = 0; i < half.size(); ++i) half[i] = i % 2 == 0 ? 0 : -1;
    for (std::size_t i = 0; i < some.size(); i += 3) some[i] = -1;
    Labels most(half.size(), 0);
    for (std::size_t i = 0; i < 9; ++i) most[i] = -1;
    for (const Labels& group : {modulo_groups(c.mixed.n(), 5), half, some, most})
      EXPECT_CLOSE(c.model.group_errors(group), c.mixed.left_out(group), 1e-9);
  });
}

TEST_P(FixedEffects, FitsAndPredicts) {
  each([](const Case& c, double lambda) {
    const Mixed::Fit fit = c.mixed.fit();
    EXPECT_CLOSE(c.model.fitted(), to_double(Mixed::at(fit, c.mixed.k, c.mixed.f)), tolerance);
    const Matrix expected = to_double(Mixed::at(fit, c.cross, c.f_new));
    EXPECT_CLOSE(predict_fixed(c, FREERIDGE_COL_MAJOR), expected, tolerance);
    EXPECT_CLOSE(predict_fixed(c, FREERIDGE_ROW_MAJOR), expected, tolerance);
    Matrix path(c.points.rows, 2 * c.problem.y.cols);
    const Vector lambdas = {lambda, 1e6};
    check(freeridge_predict_points(c.model.get(), with(at(c.points), c.f_points), 2, lambdas.data(),
                                   FREERIDGE_COL_MAJOR, path.values.data(), 4),
          "freeridge_predict_points");
    for (std::int64_t j = 0; j < expected.cols; ++j) EXPECT_CLOSE(column(path, j), column(expected, j), tolerance);
  });
}

TEST_P(FixedEffects, EffectsAndTheirErrors) {
  each([](const Case& c, double) {
    const std::int64_t q = c.f.cols, t = c.problem.y.cols, ones = c.problem.intercept ? 1 : 0;
    const Mixed::Fit fit = c.mixed.fit();
    const Dense covariance = c.mixed.effects_covariance();
    Matrix effects(q, t), errors(q, t), expected(q, t), expected_errors(q, t), b(1, t), expected_b(1, t);
    Labels kept(static_cast<std::size_t>(q), -1);
    Matrix whole(q, q * t), expected_whole(q, q * t);
    check(freeridge_get_unpenalised_covariance(c.model.get(), whole.values.data(), q), "the covariance");
    check(
        freeridge_get_unpenalised(c.model.get(), nullptr, kept.data(), effects.values.data(), errors.values.data(), q),
        "freeridge_get_unpenalised");
    for (std::int64_t j = 0; j < t; ++j) {
      for (std::int64_t k = 0; k < q; ++k) {
        expected(k, j) = static_cast<double>(fit.a(ones + k, j));
        expected_errors(k, j) = static_cast<double>(std::sqrt(c.mixed.tau2(j) * covariance(ones + k, ones + k)));
        for (std::int64_t l = 0; l < q; ++l)
          expected_whole(k, q * j + l) = static_cast<double>(c.mixed.tau2(j) * covariance(ones + k, ones + l));
      }
      if (ones == 1) expected_b(0, j) = static_cast<double>(fit.a(0, j));
    }
    b.values = c.model.intercepts();
    EXPECT_CLOSE(effects, expected, 1e-9);
    EXPECT_CLOSE(errors, expected_errors, 1e-9);
    EXPECT_CLOSE(whole, expected_whole, 1e-9);
    EXPECT_CLOSE(b, expected_b, 1e-9);
    EXPECT_EQ(kept, Labels(static_cast<std::size_t>(q), 1));
  });
}

TEST_P(FixedEffects, LeveragesAndDegreesOfFreedom) {
  each([](const Case& c, double lambda) {
    const Dense hat = c.mixed.hat();
    const std::int64_t n = c.mixed.n();
    Matrix leverages(n, 2), made(n, n), p(n, n);
    Real df = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      df += hat(i, i);
      leverages(i, 0) = leverages(i, 1) = static_cast<double>(hat(i, i));
    }
    EXPECT_CLOSE(c.model.leverage(), leverages, tolerance);
    EXPECT_CLOSE(c.model.degrees_of_freedom(), Vector(2, static_cast<double>(df)), tolerance);
    check(freeridge_hat_matrix(c.model.get(), lambda, made.values.data(), p.values.data(), n), "freeridge_hat_matrix");
    EXPECT_CLOSE(made, to_double(hat), tolerance);
    const Dense y = c.mixed.y, fitted = multiply(hat, y);
    Matrix cook(n, 2);
    const Matrix e = c.mixed.left_out(single_groups(n));
    for (std::int64_t j = 0; j < 2; ++j) {
      Real sigma2 = 0;
      for (std::int64_t i = 0; i < n; ++i) sigma2 += c.mixed.w(i) * (y(i, j) - fitted(i, j)) * (y(i, j) - fitted(i, j));
      sigma2 /= static_cast<Real>(n) - df;
      EXPECT_NEAR(c.model.error_variance()[static_cast<std::size_t>(j)] / static_cast<double>(sigma2), 1, tolerance);
      for (std::int64_t i = 0; i < n; ++i)
        cook(i, j) = static_cast<double>(c.mixed.w(i) * static_cast<Real>(e(i, j)) * static_cast<Real>(e(i, j)) *
                                         hat(i, i) / (df * sigma2));
    }
    EXPECT_CLOSE(c.model.cooks_distance(), cook, 1e-9);
  });
}

TEST_P(FixedEffects, Criteria) {
  each([](const Case& c, double lambda) {
    Matrix reml(1, 2), gcv(1, 2), loo(1, 2);
    const Matrix e = c.mixed.left_out(single_groups(c.mixed.n()));
    for (std::int64_t j = 0; j < 2; ++j) {
      reml(0, j) = static_cast<double>(c.mixed.reml(j));
      gcv(0, j) = static_cast<double>(c.mixed.gcv(j));
      Real sum = 0, weights = 0;
      for (std::int64_t i = 0; i < c.mixed.n(); ++i) {
        sum += c.mixed.w(i) * static_cast<Real>(e(i, j)) * static_cast<Real>(e(i, j));
        weights += c.mixed.w(i);
      }
      loo(0, j) = static_cast<double>(sum / weights);
    }
    EXPECT_CLOSE(c.model.score(FREERIDGE_REML, {lambda}), reml, tolerance);
    EXPECT_CLOSE(c.model.score(FREERIDGE_GCV, {lambda}), gcv, tolerance);
    EXPECT_CLOSE(c.model.score(FREERIDGE_LOO, {lambda}), loo, tolerance);
    Vector grid;
    for (double value = 1e-3; value < 1e4; value *= 1.5) grid.push_back(value);
    const Matrix many = c.model.score(FREERIDGE_LOO, grid);
    const Matrix alone = c.model.score(FREERIDGE_LOO, {grid[20]});
    EXPECT_NEAR(many(20, 1) / alone(0, 1), 1, tolerance);
  });
}

TEST_P(FixedEffects, VariancesAndIntervals) {
  each([](const Case& c, double) {
    const std::int64_t n = c.mixed.n(), m = c.points.rows;
    Matrix variance(m, 2), expected(m, 2), lower(m, 2), upper(m, 2), expected_lower(m, 2), expected_upper(m, 2);
    Vector noise(2);
    const Points points = with(at(c.points), c.f_points);
    check(
        freeridge_predict_variance(c.model.get(), points, FREERIDGE_COL_MAJOR, variance.values.data(), m, noise.data()),
        "freeridge_predict_variance");
    check(freeridge_predict_jackknife(c.model.get(), points, 0.8, -1, 0, FREERIDGE_COL_MAJOR, lower.values.data(),
                                      upper.values.data(), m),
          "freeridge_predict_jackknife");
    const auto place = static_cast<std::size_t>(std::ceil(0.8L * static_cast<Real>(n + 1)));
    for (std::int64_t j = 0; j < 2; ++j) {
      std::vector<Mixed::Fit> fits;  // without row i each
      Dense without(n, 1);           // its error then
      for (std::int64_t i = 0; i < n; ++i) {
        std::vector<char> use(static_cast<std::size_t>(n), 1);
        use[static_cast<std::size_t>(i)] = 0;
        fits.push_back(c.mixed.fit(column(c.mixed.y, j), use));
        without(i, 0) = std::abs(c.mixed.y(i, j) - Mixed::at(fits.back(), c.mixed.k, c.mixed.f)(i, 0));
      }
      for (std::int64_t q = 0; q < m; ++q) {
        const Dense cross = column(c.cross, q), f = select_rows(c.f_new, {q});
        expected(q, j) = static_cast<double>(c.mixed.variance(j, cross, c.own[static_cast<std::size_t>(q)], f));
        std::vector<Real> low, high;
        for (std::int64_t i = 0; i < n; ++i) {
          const Real e = without(i, 0), there = Mixed::at(fits[static_cast<std::size_t>(i)], cross, f)(0, 0);
          low.push_back(there - e);
          high.push_back(there + e);
        }
        std::sort(low.begin(), low.end());
        std::sort(high.begin(), high.end());
        expected_lower(q, j) = static_cast<double>(low[static_cast<std::size_t>(n) - place]);
        expected_upper(q, j) = static_cast<double>(high[place - 1]);
      }
    }
    EXPECT_CLOSE(variance, expected, 1e-9);
    EXPECT_CLOSE(lower, expected_lower, tolerance);
    EXPECT_CLOSE(upper, expected_upper, tolerance);
    for (std::int64_t j = 0; j < 2; ++j)
      EXPECT_NEAR(noise[static_cast<std::size_t>(j)] / static_cast<double>(c.mixed.lambda * c.mixed.tau2(j)), 1,
                  tolerance);
  });
}

// Of b and w, from the normal equations of [1, F, X] with lambda for the last columns.
TEST_P(FixedEffects, CovariancesOfCoefficients) {
  if (GetParam().family != oracle::Family::linear || GetParam().landmarks > 0) return;
  each([](const Case& c, double lambda) {
    const Dense design = fixed_effects::beside(c.mixed.f, to_real(c.problem.x)), hat = c.mixed.hat();
    const std::int64_t n = c.mixed.n(), free = c.mixed.f.cols, d = c.problem.x.cols, ones = c.problem.intercept ? 1 : 0;
    Dense weighted = design;
    for (std::int64_t k = 0; k < design.cols; ++k)
      for (std::int64_t i = 0; i < n; ++i) weighted(i, k) *= c.mixed.w(i);
    const Dense gram = multiply(transpose(design), weighted);
    Dense penalised = gram;
    for (std::int64_t k = free; k < design.cols; ++k) penalised(k, k) += static_cast<Real>(lambda);
    const Dense inverse = solve(penalised, identity(design.cols)),
                frequentist = multiply(inverse, multiply(gram, inverse));
    const Dense fitted = multiply(hat, c.mixed.y);
    Real df = 0, sigma2[2] = {0, 0};
    for (std::int64_t i = 0; i < n; ++i) {
      df += hat(i, i);
      for (std::int64_t j = 0; j < 2; ++j)
        sigma2[j] += c.mixed.w(i) * (c.mixed.y(i, j) - fitted(i, j)) * (c.mixed.y(i, j) - fitted(i, j));
    }
    const auto place = [&](std::int64_t k) { return k < ones ? 0 : free + k - ones; };
    for (const freeridge_covariance_type kind : {FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COVARIANCE_FREQUENTIST}) {
      const std::int64_t side = ones + d;
      Matrix found(2 * side, 2 * side), block(side, side), expected(side, side);
      check(freeridge_coefficient_covariance(c.model.get(), kind, found.values.data(), 2 * side),
            "freeridge_coefficient_covariance");
      const Dense& whole = kind == FREERIDGE_COVARIANCE_BAYESIAN ? inverse : frequentist;
      for (std::int64_t j = 0; j < 2; ++j) {
        for (std::int64_t q = 0; q < side; ++q)
          for (std::int64_t k = 0; k < side; ++k) {
            block(k, q) = found(j * side + k, j * side + q);
            expected(k, q) = static_cast<double>(sigma2[j] / (static_cast<Real>(n) - df) * whole(place(k), place(q)));
          }
        EXPECT_CLOSE(block.values, expected.values, 1e-9);  // F explains a column of x: those of it are zero
      }
    }
  });
}

// c and the effects after refinement, and the averages of f's derivatives with errors from P.
TEST_P(FixedEffects, RefinementAndAverages) {
  if (GetParam().family == oracle::Family::linear || GetParam().landmarks > 0) return;
  each([](const Case& c, double lambda) {
    const std::int64_t q = c.f.cols, ones = c.problem.intercept ? 1 : 0, n = c.mixed.n(), m = c.points.rows;
    const Mixed::Fit fit = c.mixed.fit();
    check(freeridge_set_parameter(c.model.get(), FREERIDGE_REFINEMENT, 4), "freeridge_set_parameter");
    check(freeridge_set_lambda(c.model.get(), lambda), "freeridge_set_lambda");
    Matrix effects(q, 2), expected(q, 2);
    check(freeridge_get_unpenalised(c.model.get(), nullptr, nullptr, effects.values.data(), nullptr, q),
          "freeridge_get_unpenalised");
    for (std::int64_t j = 0; j < 2; ++j)
      for (std::int64_t k = 0; k < q; ++k) expected(k, j) = static_cast<double>(fit.a(ones + k, j));
    EXPECT_CLOSE(effects, expected, 1e-11);
    EXPECT_CLOSE(c.model.coefficients(), to_double(fit.c), 1e-11);

    Matrix z(m, c.points.cols, 0.25), change(1, 2), errors(1, 2), expected_change(1, 2), expected_errors(1, 2);
    Matrix both(2 * m, c.points.cols, 0.25), f(2 * m, q, 0.0);
    Vector a(static_cast<std::size_t>(2 * m), -1 / static_cast<double>(m));
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t k = 0; k < both.cols; ++k) both(i, k) = c.points(i, k);
      a[static_cast<std::size_t>(i)] *= -1;
    }
    check(freeridge_predict_combinations(c.model.get(), with(at(both), f), 1, nullptr, a.data(),
                                         FREERIDGE_COVARIANCE_FREQUENTIST, change.values.data(), errors.values.data(),
                                         1, nullptr, 0),
          "freeridge_predict_combinations");
    const Dense other = oracle::kernel_matrix(c.problem.kernel, c.problem.x, z);
    Dense delta(n, 1);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t p = 0; p < m; ++p) delta(i, 0) += (c.cross(i, p) - other(i, p)) / static_cast<Real>(m);
    const Dense maker = c.mixed.fit(identity(n), std::vector<char>(static_cast<std::size_t>(n), 1)).c;
    const Dense of_y = multiply(maker, delta);
    for (std::int64_t j = 0; j < 2; ++j) {
      Real sum = 0, variance = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        sum += delta(i, 0) * fit.c(i, j);
        variance += of_y(i, 0) * of_y(i, 0) / c.mixed.w(i);
      }
      expected_change(0, j) = static_cast<double>(sum);
      expected_errors(0, j) =
          std::sqrt(c.model.error_variance()[static_cast<std::size_t>(j)] * static_cast<double>(variance));
    }
    EXPECT_CLOSE(change, expected_change, 1e-10);
    EXPECT_CLOSE(errors, expected_errors, 1e-9);
  });
}

// Several tiles: the same numbers from the rows in storage and as they stream by.
TEST(FixedEffectsOfManyRows, Streamed) {
  Random random(3);
  const std::int64_t n = 1700, q = 6;
  const oracle::Problem problem = random_problem(random, oracle::KernelSpec::linear(), n, 5, 2, true, true);
  oracle::Problem thin = problem;
  for (std::int64_t k = 0; k < 5; ++k)
    for (std::int64_t i = 0; i < n; ++i)
      if ((i + k) % 9 != 0) thin.x(i, k) = 0;
  const Matrix f = effects_of(random, problem.x, q);
  const auto answers = [&](const oracle::Problem& of, freeridge_reduction reduction, bool sparse,
                           std::int64_t landmarks) {
    Model model(landmarks > 0 ? Kernel::gaussian(1.5) : Kernel::linear());
    model.data(of.x, of.y);
    if (sparse) check(set_sparse(model.get(), Sparse(of.x, FREERIDGE_CSC), of.y, false), "freeridge_set_points");
    model.weights(of.weights).route(landmarks > 0 ? FREERIDGE_ROUTE_LANDMARK : FREERIDGE_ROUTE_PRIMAL);
    check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, reduction), "freeridge_set_parameter");
    if (landmarks > 0) check(freeridge_set_landmarks(model.get(), landmarks, nullptr), "freeridge_set_landmarks");
    set_unpenalised(model, f);
    model.factorize().lambda(0.1);
    Matrix effects(q, 2);
    check(freeridge_get_unpenalised(model.get(), nullptr, nullptr, effects.values.data(), nullptr, q),
          "freeridge_get_unpenalised");
    const Matrix loo = model.loo(), groups = model.group_errors(modulo_groups(n, 3));
    Matrix out(n, 6);
    for (std::int64_t j = 0; j < 2; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        out(i, j) = loo(i, j), out(i, 2 + j) = groups(i, j);
        out(i, 4 + j) = i < q ? effects(i, j) : 1;
      }
    return out;
  };
  const Matrix kept = answers(problem, FREERIDGE_REDUCTION_QR, false, 0);
  EXPECT_CLOSE(answers(problem, FREERIDGE_REDUCTION_GRAM, false, 0), kept, 1e-9);
  EXPECT_CLOSE(answers(thin, FREERIDGE_REDUCTION_AUTO, true, 0), answers(thin, FREERIDGE_REDUCTION_QR, false, 0), 1e-9);
  EXPECT_CLOSE(answers(problem, FREERIDGE_REDUCTION_GRAM, false, 40),
               answers(problem, FREERIDGE_REDUCTION_QR, false, 40), 1e-8);
}

// More columns than a row of the band route's basis loses one by one.
TEST(ManyFixedEffects, AreLeftOutOnTheBandRoute) {
  Random random(1975);
  const oracle::Problem problem = random_problem(random, kernel_of(oracle::Family::matern52, 2), 60, 2, 1, true, true);
  const Matrix f = random.uniform_matrix(60, 6, -2, 2);
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_BAND);
  set_unpenalised(model, f);
  model.factorize().lambda(0.4);
  const Mixed mixed{oracle::kernel_matrix(problem.kernel, problem.x, problem.x), with_ones(f, true), to_real(problem.y),
                    problem.weights, Real{0.4}};
  for (const Labels& group : {single_groups(60), modulo_groups(60, 7)})
    EXPECT_CLOSE(model.group_errors(group), mixed.left_out(group), 1e-10);
}

// Columns of x that fixed effects span, in other units and in sums too, explain nothing: what is left of them is least
// squares on F at every lambda, without a rank. Beside them a column of its own has all that it would have alone.
TEST(ColumnsThatFixedEffectsSpan, AreNoFeatures) {
  struct Spanned {
    const char* name;
    freeridge_route route;
    freeridge_reduction reduction;
    std::int64_t n, landmarks;
    bool sparse, limit;          // limit: lambda = 0 has an answer
    double unit = 1, shift = 0;  // of x, with landmarks
  };
  for (const Spanned& way :
       {Spanned{"QR", FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_QR, 20, 0, false, true},
        Spanned{"GRAM", FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_GRAM, 20, 0, false, true},
        Spanned{"wide", FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_AUTO, 7, 0, false, true},
        Spanned{"SPECTRAL", FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_REDUCTION_AUTO, 20, 0, false, true},
        Spanned{"CHOLESKY", FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_REDUCTION_AUTO, 20, 0, false, false},
        Spanned{"landmarks, QR", FREERIDGE_ROUTE_LANDMARK, FREERIDGE_REDUCTION_QR, 20, 5, false, true},
        Spanned{"landmarks, GRAM", FREERIDGE_ROUTE_LANDMARK, FREERIDGE_REDUCTION_GRAM, 20, 5, false, true},
        Spanned{"QR, / 1000", FREERIDGE_ROUTE_LANDMARK, FREERIDGE_REDUCTION_QR, 20, 5, false, true, 1e-3},
        Spanned{"GRAM, / 1000", FREERIDGE_ROUTE_LANDMARK, FREERIDGE_REDUCTION_GRAM, 20, 5, false, true, 1e-3},
        Spanned{"QR, * 1000", FREERIDGE_ROUTE_LANDMARK, FREERIDGE_REDUCTION_QR, 20, 5, false, true, 1e3},
        Spanned{"GRAM, * 1000", FREERIDGE_ROUTE_LANDMARK, FREERIDGE_REDUCTION_GRAM, 20, 5, false, true, 1e3},
        Spanned{"QR, + 50", FREERIDGE_ROUTE_LANDMARK, FREERIDGE_REDUCTION_QR, 20, 5, false, true, 1, 50},
        Spanned{"GRAM, + 50", FREERIDGE_ROUTE_LANDMARK, FREERIDGE_REDUCTION_GRAM, 20, 5, false, true, 1, 50},
        Spanned{"sparse", FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_AUTO, 20, 0, true, false}})
    for (const bool weighted : {false, true})
      for (const std::int64_t own : {0, 1}) {
        SCOPED_TRACE(::testing::Message() << way.name << (weighted ? ", weights" : "") << ", own " << own);
        if (way.n < 10 && own == 1) continue;  // what is left has leverage one
        Random random(1973);
        const std::int64_t n = way.n;
        Matrix f = random.uniform_matrix(n, 2, -2, 2), x(n, 4 + own);
        const Matrix z = random.uniform_matrix(n, own, -2, 2), y = random.uniform_matrix(n, 1, -2, 2);
        const bool polynomial = way.landmarks > 0;
        for (std::int64_t i = 0; i < n; ++i) {
          if (polynomial) f(i, 1) = f(i, 0) * f(i, 0);
          for (std::int64_t k = 0; k < own; ++k) x(i, 4 + k) = z(i, k);
          x(i, 0) = f(i, 0), x(i, 1) = 1.8 * f(i, 1), x(i, 2) = f(i, 0) - 0.3 * f(i, 1), x(i, 3) = 0.1;
        }
        if (polynomial && own == 1) continue;
        if (polynomial) {  // its square is in the kernel
          x = Matrix(n, 1);
          for (std::int64_t i = 0; i < n; ++i) x(i, 0) = way.unit * f(i, 0) + way.shift;
        }
        const Vector weights = weighted ? random.uniform_vector(n, 0.5, 2) : Vector();
        Dense k(n, n);
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < n && own == 1; ++j) k(i, j) = Real(z(i, 0)) * z(j, 0);
        for (const double lambda : {0.0, 1e-31, 1e-12, 1e-3}) {
          if (lambda < 1e-6 && (!way.limit || own == 1)) continue;
          if (lambda == 1e-12 && way.route == FREERIDGE_ROUTE_SPECTRAL)
            continue;  // where it knows no digits, and says so
          SCOPED_TRACE(::testing::Message() << "lambda " << lambda);
          Model model(polynomial ? Kernel::polynomial(2, 1, 1) : Kernel::linear());
          model.data(x, y);
          if (way.sparse) check(set_sparse(model.get(), Sparse(x, FREERIDGE_CSR), y, false), "freeridge_set_points");
          model.weights(weights).intercept(true).route(way.route);
          check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, way.reduction), "freeridge_set_parameter");
          if (polynomial) check(freeridge_set_landmarks(model.get(), 5, nullptr), "freeridge_set_landmarks");
          set_unpenalised(model, f);
          model.factorize().lambda(lambda);
          const bool few_digits = way.unit < 1 && way.reduction == FREERIDGE_REDUCTION_GRAM;  // a flag says so
          if (few_digits && model.lambda_flags().below[0] == 1) continue;
          const Mixed mixed{k, with_ones(f, true), to_real(y), weights, lambda > 0 ? static_cast<Real>(lambda) : 1};
          EXPECT_CLOSE(model.loo(), mixed.left_out(single_groups(n)), 1e-10);
          if (own == 0) {
            EXPECT_NEAR(model.degrees_of_freedom()[0], 3, 1e-10);
          }
          std::int64_t rank = -1;
          if (!few_digits && freeridge_get_rank(model.get(), &rank) == FREERIDGE_OK) {
            EXPECT_EQ(rank, own);
          }
          Vector errors(static_cast<std::size_t>(x.cols));
          if (lambda == 0 && !polynomial) {
            EXPECT_EQ(freeridge_coefficient_errors(model.get(), FREERIDGE_COVARIANCE_FREQUENTIST, errors.data(), x.cols,
                                                   nullptr),
                      FREERIDGE_UNDEFINED);
          }
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Routes, FixedEffects, ::testing::ValuesIn(ways), ::testing::PrintToStringParamName());

}  // namespace fixed_effects_test
