// What fixed effects come to: least squares at a large lambda, the intercept as one of them, columns that depend on others,
// rows and groups that alone determine an effect, thin-plate splines, the mixed model of genetics; saved models.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/fixed_effects_oracle.hpp"
#include "support/compare.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/unpenalised.hpp"

namespace mixed_model_test {

using namespace support;
using fixed_effects::Mixed;
using fixed_effects::with_ones;

constexpr double tolerance = 1e-10;
const freeridge_route dual_routes[] = {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND};

struct Effects {
  Labels kept;
  Matrix effects, errors;
};

Effects effects_of(const Model& model, std::int64_t q, std::int64_t t) {
  Effects out{Labels(static_cast<std::size_t>(q), -1), Matrix(q, t), Matrix(q, t)};
  check(freeridge_get_unpenalised(model.get(), nullptr, out.kept.data(), out.effects.values.data(),
                                  out.errors.values.data(), q),
        "freeridge_get_unpenalised");
  return out;
}

Matrix predicted(const Model& model, const Matrix& x, const Matrix& f, std::int64_t t) {
  Matrix out(x.rows, t);
  check(
      freeridge_predict_points(model.get(), with(at(x), f), 0, nullptr, FREERIDGE_COL_MAJOR, out.values.data(), x.rows),
      "freeridge_predict_points");
  return out;
}

struct Sample {
  oracle::Problem problem;
  Matrix f;
};

Sample sample(std::int64_t n, std::int64_t q, bool weighted = true, bool intercept = true) {
  Random random(1958);
  Sample out{random_problem(random, oracle::KernelSpec::gaussian(1.5), n, 2, 2, weighted, intercept),
             random.uniform_matrix(n, q, -2, 3)};
  return out;
}

TEST(MixedModel, LargeLambdaIsWeightedLeastSquares) {
  for (const freeridge_route route : dual_routes) {
    const Sample s = sample(25, 3);
    Model model = oracle::make_model(s.problem, route);
    set_unpenalised(model, s.f);
    model.factorize().lambda(1e14);
    Mixed mixed{Dense(25, 25), with_ones(s.f, true), to_real(s.problem.y), s.problem.weights, 1};
    const Mixed::Fit fit = mixed.fit();
    const Effects found = effects_of(model, 3, 2);
    for (std::int64_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(model.intercepts()[static_cast<std::size_t>(j)], static_cast<double>(fit.a(0, j)), 1e-11);
      for (std::int64_t k = 0; k < 3; ++k)
        EXPECT_NEAR(found.effects(k, j), static_cast<double>(fit.a(1 + k, j)), 1e-11);
    }
    EXPECT_NEAR(model.degrees_of_freedom()[0], 4, 1e-9);
  }
}

TEST(MixedModel, AConstantColumnIsTheIntercept) {
  for (const freeridge_route route :
       {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL}) {
    for (const double constant : {1.0, -3.5}) {
      SCOPED_TRACE(::testing::Message() << route_name(route) << ", " << constant);
      Sample s = sample(25, 1);
      if (route == FREERIDGE_ROUTE_PRIMAL) s.problem.kernel = oracle::KernelSpec::linear();
      Model with = oracle::make_model(s.problem, route), without = oracle::make_model(s.problem, route);
      without.intercept(false);
      set_unpenalised(without, Matrix(25, 1, constant));
      with.factorize().lambda(0.3);
      without.factorize().lambda(0.3);
      EXPECT_CLOSE(without.loo(), with.loo(), 1e-12);
      EXPECT_CLOSE(without.group_errors(modulo_groups(25, 4)), with.group_errors(modulo_groups(25, 4)), 1e-11);
      EXPECT_CLOSE(without.fitted(), with.fitted(), 1e-12);
      EXPECT_CLOSE(without.leverage(), with.leverage(), 1e-12);
      EXPECT_CLOSE(without.degrees_of_freedom(), with.degrees_of_freedom(), 1e-12);
      EXPECT_CLOSE(without.cooks_distance(), with.cooks_distance(), 1e-11);
      const Matrix one(25, 1, 1.0);
      for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV})
        EXPECT_CLOSE(without.score(criterion, {0.1, 10}), with.score(criterion, {0.1, 10}), 1e-12);
      // log|F'M^-1 F| is in the units of F
      EXPECT_CLOSE(shifted(without.score(FREERIDGE_REML, {0.1, 10}), -std::log(std::abs(constant))),
                   with.score(FREERIDGE_REML, {0.1, 10}), 1e-12);
      Matrix b(1, 2);
      b.values = with.intercepts();
      EXPECT_CLOSE(scaled(effects_of(without, 1, 2).effects, constant), b, 1e-12);
      EXPECT_CLOSE(predicted(without, s.problem.x, Matrix(25, 1, constant), 2), with.predict(s.problem.x), 1e-12);
    }
  }
}

TEST(MixedModel, ColumnsThatDependOnOthers) {
  const Sample s = sample(25, 2);
  Matrix f(25, 7);
  for (std::int64_t i = 0; i < 25; ++i) {
    f(i, 0) = s.f(i, 0);
    f(i, 1) = 4;          // the intercept
    f(i, 2) = 0;          // nothing
    f(i, 3) = s.f(i, 0);  // the first again
    f(i, 4) = s.f(i, 1);
    f(i, 5) = 2 * s.f(i, 0) - s.f(i, 1);  // both
    f(i, 6) = 1e200 * s.f(i, 1);
  }
  for (const freeridge_route route : dual_routes) {
    Model model = oracle::make_model(s.problem, route), plain = oracle::make_model(s.problem, route);
    set_unpenalised(model, f);
    set_unpenalised(plain, s.f);
    model.factorize().lambda(0.3);
    plain.factorize().lambda(0.3);
    const Effects found = effects_of(model, 7, 2), expected = effects_of(plain, 2, 2);
    EXPECT_EQ(found.kept, (Labels{1, 0, 0, 0, 1, 0, 0}));
    for (std::int64_t j = 0; j < 2; ++j)
      for (const std::int64_t k : {0, 1, 2, 3, 4, 5, 6}) {
        EXPECT_EQ(found.effects(k, j), k == 0 ? expected.effects(0, j) : k == 4 ? expected.effects(1, j) : 0) << k;
        EXPECT_EQ(found.errors(k, j), k == 0 ? expected.errors(0, j) : k == 4 ? expected.errors(1, j) : 0) << k;
      }
    EXPECT_TRUE(bit_equal(model.loo(), plain.loo()));
    EXPECT_CLOSE(predicted(model, s.problem.x, f, 2), predicted(plain, s.problem.x, s.f, 2), 1e-14);
  }
}

TEST(MixedModel, UnitsOfTheColumnsDoNotMatter) {
  const Sample s = sample(25, 2);
  Matrix f = s.f;
  for (std::int64_t i = 0; i < 25; ++i) {
    f(i, 0) = std::ldexp(f(i, 0), 900);
    f(i, 1) = std::ldexp(f(i, 1), -900);
  }
  for (const freeridge_route route : dual_routes) {
    Model model = oracle::make_model(s.problem, route), plain = oracle::make_model(s.problem, route);
    set_unpenalised(model, f);
    set_unpenalised(plain, s.f);
    model.factorize().lambda(0.3);
    plain.factorize().lambda(0.3);
    EXPECT_TRUE(bit_equal(model.loo(), plain.loo()));
    const Effects found = effects_of(model, 2, 2), expected = effects_of(plain, 2, 2);
    for (std::int64_t j = 0; j < 2; ++j) {
      EXPECT_EQ(found.effects(0, j), std::ldexp(expected.effects(0, j), -900));
      EXPECT_EQ(found.effects(1, j), std::ldexp(expected.effects(1, j), 900));
    }
  }
}

// Row 3 alone has a number in a column of its own, and rows 5, 6, 7 in another: without them their effect is unknown.
TEST(MixedModel, RowsThatAloneDetermineAnEffect) {
  const Sample s = sample(30, 1);
  Matrix f(30, 3);
  for (std::int64_t i = 0; i < 30; ++i) {
    f(i, 0) = i == 3 ? 2 : 0;
    f(i, 1) = i >= 5 && i <= 7 ? 1 : 0;
    f(i, 2) = s.f(i, 0);
  }
  Labels group = modulo_groups(30, 10);
  for (std::size_t i = 5; i <= 7; ++i) group[i] = 77;
  Sample linear = s;
  linear.problem.kernel = oracle::KernelSpec::linear();
  for (const freeridge_route route :
       {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL}) {
    SCOPED_TRACE(route_name(route));
    const Sample& used = route == FREERIDGE_ROUTE_PRIMAL ? linear : s;
    Model model = oracle::make_model(used.problem, route);
    set_unpenalised(model, f);
    model.factorize().lambda(0.2);
    const Dense k = oracle::kernel_matrix(used.problem.kernel, used.problem.x, used.problem.x);
    const Mixed mixed{k, with_ones(f, true), to_real(used.problem.y), used.problem.weights, Real{0.2}};
    Labels but = single_groups(30);
    but[3] = -1;
    freeridge_status status = FREERIDGE_OK;
    EXPECT_CLOSE(model.loo(&status), mixed.left_out(but), 1e-9);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    Labels rest = group;
    for (std::size_t i = 0; i < 30; ++i)
      if (group[i] == 77 || group[i] == group[3]) rest[i] = -1;
    EXPECT_CLOSE(model.group_errors(group, &status), mixed.left_out(rest), 1e-9);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    model.cooks_distance(&status);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    const Matrix score = model.score(FREERIDGE_LOO, {0.1, 1.0}, &status);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    EXPECT_TRUE(std::isnan(score(0, 0)) && std::isnan(score(1, 1)));
    EXPECT_CLOSE(model.fitted(), to_double(Mixed::at(mixed.fit(), k, mixed.f)), tolerance);
  }
}

// r^2 log r is positive definite on what polynomials of degree one leave alone: K need be no more.
TEST(MixedModel, ThinPlateSpline) {
  Random random(1977);
  const std::int64_t n = 28;
  const Matrix x = random.uniform_matrix(n, 2, -1, 1), y = responses(random, x, 2, 0.1);
  Matrix k(n, n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      const double r2 = std::pow(x(i, 0) - x(j, 0), 2) + std::pow(x(i, 1) - x(j, 1), 2);
      k(i, j) = r2 > 0 ? r2 * std::log(r2) : 0;
    }
  for (const freeridge_route route : dual_routes) {
    SCOPED_TRACE(route_name(route));
    Model model(Kernel::precomputed());
    model.data(k, y).route(route);
    set_unpenalised(model, x);
    model.factorize().lambda(0.01);
    const Mixed mixed{to_real(k), with_ones(x, true), to_real(y), {}, Real{0.01L}};
    EXPECT_CLOSE(model.loo(), mixed.left_out(single_groups(n)), 1e-9);
    EXPECT_CLOSE(model.fitted(), to_double(Mixed::at(mixed.fit(), mixed.k, mixed.f)), tolerance);
  }
  Model without(Kernel::precomputed());
  without.data(k, y).route(FREERIDGE_ROUTE_SPECTRAL);
  EXPECT_EQ(freeridge_factorize(without.get()), FREERIDGE_INVALID_ARGUMENT);
}

// A relationship matrix of markers, REML by brute force over log lambda, the curvature of its definition.
TEST(MixedModel, VarianceComponents) {
  Random random(2011);
  const std::int64_t n = 40, markers = 60;
  Matrix z = random.uniform_matrix(n, markers, -1, 1), k(n, n), y(n, 1), f = random.uniform_matrix(n, 2, 0, 1);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t p = 0; p < markers; ++p) k(i, j) += 3 * z(i, p) * z(j, p) / static_cast<double>(markers);
  const Vector u = random.uniform_vector(markers, -1, 1);
  for (std::int64_t i = 0; i < n; ++i) {
    y(i, 0) = 2 + f(i, 0) - 3 * f(i, 1) + 1.5 * random.normal();
    for (std::int64_t p = 0; p < markers; ++p) y(i, 0) += z(i, p) * u[static_cast<std::size_t>(p)];
  }
  const auto reml = [&](Real log_lambda) {
    return Mixed{to_real(k), with_ones(f, true), to_real(y), {}, std::exp(log_lambda)}.reml(0);
  };
  Real low = -8, high = 8;
  for (Real at = low; at <= 8; at += 1)
    if (reml(at) < reml(low)) low = at;
  high = low + 1, low -= 1;
  for (int step = 0; step < 90; ++step) {  // golden section
    const Real part = (high - low) * 0.381966011250105L;
    (reml(low + part) < reml(high - part) ? high : low) =
        reml(low + part) < reml(high - part) ? high - part : low + part;
  }
  const Real best = (low + high) / 2, h = 1e-3L;
  const Real curvature = (reml(best + h) - 2 * reml(best) + reml(best - h)) / (h * h);
  for (const freeridge_route route : dual_routes) {
    SCOPED_TRACE(route_name(route));
    Model model(Kernel::precomputed());
    model.data(k, y).route(route);
    set_unpenalised(model, f);
    model.factorize();
    Vector lambda(1), score(1);
    check(freeridge_select_lambda(model.get(), FREERIDGE_REML, 0, 0, lambda.data(), score.data()),
          "freeridge_select_lambda");
    EXPECT_NEAR(std::log(lambda[0]), static_cast<double>(best), 1e-4);
    double residual = 0, function = 0, share = 0, error[2];
    check(freeridge_variance_components(model.get(), nullptr, &residual, &function, &share, error),
          "freeridge_variance_components");
    const Mixed mixed{to_real(k), with_ones(f, true), to_real(y), {}, static_cast<Real>(lambda[0])};
    EXPECT_NEAR(function / static_cast<double>(mixed.tau2(0)), 1, tolerance);
    EXPECT_NEAR(residual / static_cast<double>(mixed.tau2(0) * mixed.lambda), 1, tolerance);
    EXPECT_NEAR(share, 1 / (1 + lambda[0]), 1e-15);
    EXPECT_NEAR(error[0] / (share * (1 - share) / std::sqrt(static_cast<double>(curvature))), 1, 1e-4);
    EXPECT_NEAR(error[1], error[0], 1e-12 * error[0]);
    model.lambda(0);
    EXPECT_EQ(freeridge_variance_components(model.get(), nullptr, &residual, &function, &share, error),
              FREERIDGE_UNDEFINED);
    EXPECT_TRUE(std::isnan(residual) && std::isnan(function) && std::isnan(share) && std::isnan(error[0] + error[1]));
  }
}

// Three matrices of few levels each, the last of which has no part in y.
struct Levels {
  std::int64_t n = 48;
  Labels level[3];
  Matrix k[3], y, f;
  std::vector<double> truth = {1.5, 0.4, 0};

  explicit Levels(std::int64_t outputs) : y(n, outputs, 2.0), f(n, 1) {
    Random random(1984);
    for (int p = 0; p < 3; ++p) {
      k[p] = Matrix(n, n);
      for (std::int64_t i = 0; i < n; ++i) level[p].push_back(static_cast<std::int32_t>(i * (p + 1) / 3 % (6 + p)));
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i)
          k[p](i, j) = level[p][static_cast<std::size_t>(i)] == level[p][static_cast<std::size_t>(j)] ? 1 : 0;
    }
    for (std::int64_t j = 0; j < outputs; ++j)
      for (int p = 0; p < 3; ++p) {
        Vector effect;
        for (int l = 0; l < 9; ++l) effect.push_back(std::sqrt(truth[static_cast<std::size_t>(p)]) * random.normal());
        double mean[9] = {}, rows[9] = {};  // the errors have the mean zero in each level of the last factor
        Vector errors = random.uniform_vector(static_cast<std::size_t>(n), -1, 1);
        for (std::size_t i = 0; i < errors.size(); ++i) mean[level[2][i]] += errors[i], rows[level[2][i]] += 1;
        for (std::size_t i = 0; i < errors.size(); ++i)
          y(static_cast<std::int64_t>(i), j) += effect[static_cast<std::size_t>(level[p][i])] +
                                                (p == 2 ? errors[i] - mean[level[2][i]] / rows[level[2][i]] : 0);
      }
    for (std::int64_t i = 0; i < n; ++i) f(i, 0) = random.normal();
  }
  Matrix side_by_side() const {
    Matrix out(n, 3 * n);
    for (int p = 0; p < 3; ++p) std::copy(k[p].values.begin(), k[p].values.end(), out.values.begin() + p * n * n);
    return out;
  }
  // A column for each level, those of the factors one after the other, and their kernel.
  Matrix columns() const {
    Matrix out(n, 21);
    for (int p = 0, first = 0; p < 3; first += 6 + p, ++p)
      for (std::int64_t i = 0; i < n; ++i) out(i, first + level[p][static_cast<std::size_t>(i)]) = 1;
    return out;
  }
  Kernel kernel_of_columns() const {
    std::vector<Kernel> terms;
    for (int p = 0, first = 0; p < 3; first += 6 + p, ++p) {
      Labels label(21, -1);
      std::fill_n(label.begin() + first, 6 + p, 0);
      terms.push_back(Kernel::additive(Kernel::linear(), label));
    }
    return Kernel::sum(terms, {1, 1, 1});
  }
  Real reml(const Vector& weights, Real lambda) const {
    Dense sum(n, n);
    for (std::size_t p = 0; p < 3; ++p)
      for (std::size_t i = 0; i < sum.values.size(); ++i)
        sum.values[i] += static_cast<Real>(weights[p]) * Real{k[p].values[i]};
    const Mixed mixed{sum, with_ones(f, true), to_real(y), {}, lambda};
    Real out = 0;
    for (std::int64_t j = 0; j < y.cols; ++j) out += mixed.reml(j);
    return out;
  }
};

struct Components {
  std::int64_t count = 0;
  Matrix residual, random, share, error;
  freeridge_status status;
  Components(const Model& model, std::int64_t t) : residual(1, t), random(3, t), share(3, t), error(4, t) {
    status = freeridge_variance_components(model.get(), &count, residual.values.data(), random.values.data(),
                                           share.values.data(), error.values.data());
  }
};

// Of matrices, and of linear kernels of columns, which have no other numbers.
Vector weights_in_force(const Model& model) {
  return model.kernel_in_force().hyperparameters();
}

// The weights of matrices that are given, and of linear kernels of the columns of levels, are at the maximum of the
// restricted likelihood, found at zero where that is zero, and their standard errors are those of its second derivatives.
TEST(MixedModel, SeveralVariancesByReml) {
  const Labels free = {-1, 0, 1};
  for (const std::int64_t outputs : {1, 2}) {
    const Levels of(outputs);
    Model given(Kernel::parse("precomputed() + precomputed() + precomputed()")), columns(of.kernel_of_columns());
    given.data(of.side_by_side(), of.y);
    columns.data(of.columns(), of.y);
    for (Model* const model : {&given, &columns}) {
      SCOPED_TRACE(::testing::Message() << outputs << " outputs, " << (model == &given ? "given" : "columns"));
      set_unpenalised(*model, of.f);
      const KernelChoice found = model->select_kernel(FREERIDGE_REML, free, std::numeric_limits<double>::infinity());
      const Vector w = weights_in_force(*model), lambda = model->lambda_in_force();
      EXPECT_EQ(w[0], 1);
      EXPECT_GT(w[1], 0);
      EXPECT_EQ(w[2], 0);
      EXPECT_EQ(found.at[2], -1);
      if (outputs > 1) continue;  // each has a lambda of its own
      const auto at = [&](Real a, Real b, Real c) {
        return of.reml(
            {std::exp(static_cast<double>(a)), w[1] * std::exp(static_cast<double>(b)), static_cast<double>(c)},
            static_cast<Real>(lambda[0]));
      };
      const Real h = 1e-3L, h00 = at(0, 0, 0);
      const Real g0 = (at(h, 0, 0) - at(-h, 0, 0)) / (2 * h), g1 = (at(0, h, 0) - at(0, -h, 0)) / (2 * h);
      const Real a = (at(h, 0, 0) - 2 * h00 + at(-h, 0, 0)) / (h * h),
                 b = (at(0, h, 0) - 2 * h00 + at(0, -h, 0)) / (h * h);
      const Real c = (at(h, h, 0) - at(h, -h, 0) - at(-h, h, 0) + at(-h, -h, 0)) / (4 * h * h);
      const Real det = a * b - c * c;
      EXPECT_LT(std::abs((b * g0 - c * g1) / det), 2e-6L) << "of log w_0 to its maximum";
      EXPECT_LT(std::abs((a * g1 - c * g0) / det), 2e-6L) << "of log w_1 to its maximum";
      EXPECT_GT(at(0, 0, 1e-4L), h00);
      const Components parts(*model, 1);
      EXPECT_EQ(parts.status, FREERIDGE_UNDEFINED);  // that of the third share
      EXPECT_EQ(parts.count, 3);
      EXPECT_TRUE(parts.random(2, 0) == 0 && parts.share(2, 0) == 0 && std::isnan(parts.error(2, 0)));
      const double all = 1 + w[1] + lambda[0], s0 = 1 / all, s1 = w[1] / all;
      EXPECT_NEAR(parts.share(0, 0) / s0, 1, 1e-12);
      EXPECT_NEAR(parts.share(1, 0) / s1, 1, 1e-12);
      EXPECT_NEAR(parts.residual(0, 0) / parts.random(0, 0), lambda[0], 1e-12 * lambda[0]);
      const auto error = [&](Real d0, Real d1) {
        return static_cast<double>(std::sqrt((d0 * d0 * b - 2 * d0 * d1 * c + d1 * d1 * a) / det));
      };
      EXPECT_NEAR(parts.error(0, 0) / error(s0 * (1 - s0), -s0 * s1), 1, 1e-4);
      EXPECT_NEAR(parts.error(1, 0) / error(-s0 * s1, s1 * (1 - s1)), 1, 1e-4);
      const double of_errors = lambda[0] / all;
      EXPECT_NEAR(parts.error(3, 0) / error(-of_errors * s0, -of_errors * s1), 1, 1e-4);
    }
    EXPECT_CLOSE(given.lambda_in_force(), columns.lambda_in_force(), 1e-5);
    EXPECT_CLOSE(given.loo(), columns.loo(), 1e-5);
    const Components a(given, outputs), b(columns, outputs);
    EXPECT_CLOSE(a.random, b.random, 1e-5);
  }
}

// Of outputs with missing values each has the variances of the rows in which it is observed, and their errors.
TEST(MixedModel, SeveralVariancesOfObservedRows) {
  const Levels of(2);
  Matrix y = of.y;
  for (const std::int64_t i : {3, 4, 17}) y(i, 1) = std::numeric_limits<double>::quiet_NaN();
  const auto fit = [&](const std::vector<std::int64_t>& rows, const Matrix& outputs) {
    Model model(of.kernel_of_columns());
    check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
    model.data(select_rows(of.columns(), rows), select_rows(outputs, rows));
    set_unpenalised(model, select_rows(of.f, rows));
    model.factorize().lambda(0.4);
    return Components(model, outputs.cols);
  };
  std::vector<std::int64_t> all, observed;
  for (std::int64_t i = 0; i < of.n; ++i) {
    all.push_back(i);
    if (!std::isnan(y(i, 1))) observed.push_back(i);
  }
  const Components both = fit(all, y), first = fit(all, column(y, 0)), second = fit(observed, column(y, 1));
  for (const auto of_each : {&Components::residual, &Components::random, &Components::share, &Components::error}) {
    EXPECT_CLOSE(column(both.*of_each, 0), first.*of_each, 1e-8);
    EXPECT_CLOSE(column(both.*of_each, 1), second.*of_each, 1e-8);
    EXPECT_FALSE(std::isnan((second.*of_each)(0, 0)));
  }
}

// A weight of zero is no end: a term that was given a small weight is found.
TEST(MixedModel, AVarianceLeavesZero) {
  const Levels of(1);
  Vector w[2];
  for (const double start : {1.0, 1e-7}) {
    std::vector<Kernel> terms;
    for (int p = 0; p < 3; ++p) terms.push_back(Kernel::precomputed());
    Model model(Kernel::sum(terms, {1, start, start}));
    model.data(of.side_by_side(), of.y);
    set_unpenalised(model, of.f);
    model.select_kernel(FREERIDGE_REML, {-1, 0, 1}, std::numeric_limits<double>::infinity());
    w[start < 1] = weights_in_force(model);
  }
  EXPECT_CLOSE(w[0], w[1], 1e-5);
}

// Where a single variance is zero, as between groups of equal means, it is said to be so.
TEST(MixedModel, AVarianceOfZero) {
  const Levels of(1);
  Model model(Kernel::precomputed());
  Matrix y(of.n, 1);
  for (std::int64_t i = 0; i < of.n; ++i) y(i, 0) = static_cast<double>(i / 24 * 2 - 1) * (i % 2 == 0 ? 1 : -1);
  model.data(of.k[0], y).factorize();
  Vector lambda(1), score(1);
  check(freeridge_select_lambda(model.get(), FREERIDGE_REML, 0, 0, lambda.data(), score.data()), "select_lambda");
  double residual = 0, random = 7, share = 7;
  EXPECT_EQ(freeridge_variance_components(model.get(), nullptr, &residual, &random, &share, nullptr), FREERIDGE_OK);
  EXPECT_TRUE(random == 0 && share == 0);
  double squares = 0;
  for (const double value : y.values) squares += value * value;
  EXPECT_NEAR(residual, squares / static_cast<double>(of.n - 1), 1e-9);
}

// Matrices side by side give the answers of their sum, on every route and with landmarks.
TEST(MixedModel, MatricesSideBySideAreTheirSum) {
  const Levels of(2);
  Random random(7);
  const Matrix x = random.uniform_matrix(of.n, 2, -1, 1), cross = random.uniform_matrix(5, 2 * of.n, -1, 1);
  Matrix both(of.n, 2 * of.n), sum(of.n, of.n), of_new(5, of.n);
  for (std::int64_t j = 0; j < of.n; ++j) {
    for (std::int64_t i = 0; i < of.n; ++i) {
      both(i, j) = std::exp(-std::pow(x(i, 0) - x(j, 0), 2)) + (i == j ? 0.1 : 0);
      both(i, of.n + j) = of.k[0](i, j);
      sum(i, j) = 2 * both(i, j) + 0.5 * both(i, of.n + j);
    }
    for (std::int64_t i = 0; i < 5; ++i) of_new(i, j) = 2 * cross(i, j) + 0.5 * cross(i, of.n + j);
  }
  const Kernel two = Kernel::parse("2 * precomputed() + 0.5 * precomputed()");
  for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                                      FREERIDGE_ROUTE_LANDMARK, FREERIDGE_ROUTE_ITERATIVE}) {
    SCOPED_TRACE(route_name(route));
    Model a(two), b(Kernel::precomputed());
    a.data(both, of.y).route(route);
    b.data(sum, of.y).route(route);
    for (Model* const model : {&a, &b}) {
      if (route == FREERIDGE_ROUTE_LANDMARK) set_landmarks(*model, {0, 3, 9, 20, 31, 40});
      model->factorize().lambda(0.3);
    }
    const double close = route == FREERIDGE_ROUTE_ITERATIVE ? 1e-6 : 1e-11;
    EXPECT_CLOSE(a.predict(cross), b.predict(of_new), close);
    EXPECT_CLOSE(a.fitted(), b.fitted(), close);
    if (route == FREERIDGE_ROUTE_ITERATIVE) continue;
    EXPECT_CLOSE(a.loo(), b.loo(), 1e-10);
    EXPECT_CLOSE(a.group_errors(modulo_groups(of.n, 5)), b.group_errors(modulo_groups(of.n, 5)), 1e-10);
    EXPECT_CLOSE(a.score(FREERIDGE_REML, {0.1, 10}), b.score(FREERIDGE_REML, {0.1, 10}), 1e-11);
  }
  Model model(two);
  EXPECT_EQ(freeridge_set_data(model.get(), FREERIDGE_COL_MAJOR, of.n, of.n, sum.values.data(), of.n, 2,
                               of.y.values.data(), of.n),
            FREERIDGE_DIMENSION_MISMATCH);
  model.data(both, of.y);
  double score = 0;
  model.intercept_kind(FREERIDGE_INTERCEPT_PENALISED);
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_INVALID_ARGUMENT);
  set_landmarks(model.intercept_kind(FREERIDGE_INTERCEPT_FREE), {0, 1, 2});
  EXPECT_EQ(freeridge_select_kernel(model.get(), FREERIDGE_REML, nullptr, 0, 0, 0, 0, &score), FREERIDGE_INVALID_STATE);
  both(1, 2) += 1;
  Model crooked(two);
  crooked.data(both, of.y);
  EXPECT_EQ(freeridge_factorize(crooked.get()), FREERIDGE_INVALID_ARGUMENT);
}

// An output that is not asked for has no say in the status: the likelihood of alternating signs has no maximum here, and
// the share no standard error.
TEST(MixedModel, OnlyWhatIsAskedForMayBeUndefined) {
  Matrix x(6, 1), y(6, 1);
  for (std::int64_t i = 0; i < 6; ++i) x(i, 0) = static_cast<double>(i), y(i, 0) = i % 2 == 0 ? 1 : -1;
  Model model(Kernel::gaussian(1));
  model.data(x, y).factorize().lambda(0.001);
  double residual = 0, share = 0, error[2];
  EXPECT_EQ(freeridge_variance_components(model.get(), nullptr, nullptr, nullptr, &share, error), FREERIDGE_UNDEFINED);
  EXPECT_TRUE(std::isnan(error[0]) && std::isnan(error[1]));
  EXPECT_EQ(freeridge_variance_components(model.get(), nullptr, &residual, nullptr, &share, nullptr), FREERIDGE_OK);
  EXPECT_GT(residual, 0);
  model.lambda(0);
  EXPECT_EQ(freeridge_variance_components(model.get(), nullptr, &residual, nullptr, nullptr, nullptr),
            FREERIDGE_UNDEFINED);
  EXPECT_EQ(freeridge_variance_components(model.get(), nullptr, nullptr, nullptr, nullptr, nullptr), FREERIDGE_OK);
}

// Rows of high and of low weight, each to its own size.
TEST(MixedModel, WeightsOverManyDecades) {
  Sample s = sample(24, 2);
  for (std::size_t i = 0; i < 24; ++i) s.problem.weights[i] = std::pow(10.0, static_cast<double>(i % 13) - 6);
  Sample linear = s;
  linear.problem.kernel = oracle::KernelSpec::linear();
  for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_PRIMAL}) {
    SCOPED_TRACE(route_name(route));
    const Sample& used = route == FREERIDGE_ROUTE_PRIMAL ? linear : s;
    Model model = oracle::make_model(used.problem, route);
    set_unpenalised(model, s.f);
    model.factorize().lambda(1);
    const Dense k = oracle::kernel_matrix(used.problem.kernel, used.problem.x, used.problem.x);
    const Mixed mixed{k, with_ones(s.f, true), to_real(s.problem.y), used.problem.weights, 1};
    const Matrix found = model.loo(), expected = mixed.left_out(single_groups(24));
    for (std::int64_t i = 0; i < 24; ++i)
      EXPECT_NEAR(found(i, 0) / expected(i, 0), 1, 1e-9)
          << "row " << i << " of weight " << used.problem.weights[static_cast<std::size_t>(i)];
  }
}

TEST(MixedModel, SavedAndCloned) {
  for (const freeridge_route route :
       {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL}) {
    Sample s = sample(25, 3);
    if (route == FREERIDGE_ROUTE_PRIMAL) s.problem.kernel = oracle::KernelSpec::linear();
    Model model = oracle::make_model(s.problem, route);
    set_unpenalised(model, s.f);
    model.factorize().lambda(0.3);
    const Matrix made = predicted(model, s.problem.x, s.f, 2), loo = model.loo();
    const auto try_copy = [&](freeridge_model* copy, bool whole) {
      EXPECT_EQ(unpenalised_count(copy), 3);
      Matrix again(25, 2), errors(25, 2);
      EXPECT_EQ(freeridge_predict_points(copy, with(at(s.problem.x), s.f), 0, nullptr, FREERIDGE_COL_MAJOR,
                                         again.values.data(), 25),
                FREERIDGE_OK);
      EXPECT_TRUE(bit_equal(again, made));
      EXPECT_EQ(
          freeridge_predict(copy, FREERIDGE_COL_MAJOR, 25, s.problem.x.values.data(), 25, again.values.data(), 25),
          FREERIDGE_INVALID_STATE);
      if (whole) {
        EXPECT_EQ(freeridge_loo(copy, errors.values.data(), 25), FREERIDGE_OK);
        EXPECT_TRUE(bit_equal(errors, loo));
      }
      Matrix effects(3, 2);
      EXPECT_EQ(freeridge_get_unpenalised(copy, nullptr, nullptr, effects.values.data(), nullptr, 3), FREERIDGE_OK);
      EXPECT_TRUE(bit_equal(effects, effects_of(model, 3, 2).effects));
      freeridge_destroy(copy);
    };
    freeridge_model* copy = nullptr;
    ASSERT_EQ(freeridge_clone(model.get(), &copy), FREERIDGE_OK);
    try_copy(copy, true);
    for (const bool whole : {true, false}) {
      const freeridge_save_kind what = whole ? FREERIDGE_SAVE_MODEL : FREERIDGE_SAVE_PREDICTOR;
      std::int64_t length = 0;
      freeridge_save_to_memory(model.get(), what, 0, nullptr, &length);
      std::vector<unsigned char> bytes(static_cast<std::size_t>(length));
      ASSERT_EQ(freeridge_save_to_memory(model.get(), what, length, bytes.data(), &length), FREERIDGE_OK);
      ASSERT_EQ(freeridge_load_from_memory(bytes.data(), length, &copy), FREERIDGE_OK) << freeridge_last_error();
      try_copy(copy, whole);
    }
  }
}

TEST(MixedModel, WithoutEffectsAgain) {
  const Sample s = sample(10, 2);
  Model model = oracle::make_model(s.problem, FREERIDGE_ROUTE_SPECTRAL);
  set_unpenalised(model, s.f);
  model.factorize().lambda(1);
  set_unpenalised(model, Matrix(10, 0));
  EXPECT_EQ(freeridge_set_lambda(model.get(), 1), FREERIDGE_INVALID_STATE) << "back to DATA";
  EXPECT_EQ(unpenalised_count(model.get()), 0);
  Model never = oracle::make_model(s.problem, FREERIDGE_ROUTE_SPECTRAL);
  EXPECT_TRUE(bit_equal(model.factorize().lambda(1).loo(), never.factorize().lambda(1).loo()));
}

// Nothing is left for the kernel: as many free columns as points but one, and one of them the intercept.
TEST(MixedModel, NoDegreeOfFreedom) {
  Random random(4);
  const std::int64_t n = 6;
  for (const freeridge_route route : dual_routes) {
    SCOPED_TRACE(route_name(route));
    Model model(Kernel::gaussian(1));
    const Matrix x = random.uniform_matrix(n, 1, 0, 1), y = random.uniform_matrix(n, 1, 0, 1);
    model.data(x, y).route(route);
    set_unpenalised(model, random.uniform_matrix(n, n - 1, -1, 1));
    model.factorize().lambda(1);
    freeridge_status status = FREERIDGE_OK;
    EXPECT_CLOSE(model.fitted(), y, 1e-12);
    const Matrix errors = model.loo(&status);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    EXPECT_TRUE(std::isnan(errors(0, 0)));
    EXPECT_NEAR(model.degrees_of_freedom()[0], static_cast<double>(n), 1e-12);
  }
}

}  // namespace mixed_model_test
