// Diagnostics against their definitions (diagnostics_oracle.hpp) on every route, and where they have no value.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/diagnostics_oracle.hpp"
#include "support/compare.hpp"
#include "support/saved.hpp"

namespace diagnostics_test {

using namespace diagnostics;
using oracle::Family;

constexpr double tolerance = 1e-9;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  const char* name;
  Family family;
  freeridge_route route;
  freeridge_reduction reduction = FREERIDGE_REDUCTION_AUTO;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class Diagnostics : public ::testing::TestWithParam<Case> {
 protected:
  // body(problem, model, kernel values with the points, points)
  template <class Body>
  void for_each_problem(Body body) {
    struct Shape {
      std::int64_t n, d;
    };
    const Case c = GetParam();
    Random random(5100);
    for (const Shape shape : {Shape{16, 3}, Shape{9, 12}})
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true}) {
          SCOPED_TRACE(::testing::Message() << "n = " << shape.n << ", d = " << shape.d << (weighted ? ", weights" : "")
                                            << (intercept ? ", intercept" : ""));
          Problem problem =
              random_problem(random, kernel_of(c.family, shape.d), shape.n, shape.d, 3, weighted, intercept);
          if (weighted && intercept) problem.sigma2 = 0.4;
          const Matrix points = random.uniform_matrix(7, shape.d, -1.3, 1.3);
          Model model = oracle::make_model(problem, c.route, FREERIDGE_ROW_MAJOR, 1);
          check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, c.reduction), "freeridge_set_parameter");
          if (c.route == FREERIDGE_ROUTE_LANDMARK) {
            const std::vector<std::int64_t> landmarks =
                c.family == Family::linear ? std::vector<std::int64_t>{6, 1} : std::vector<std::int64_t>{6, 0, 3, 8, 5};
            check(freeridge_set_landmarks(model.get(), static_cast<std::int64_t>(landmarks.size()), landmarks.data()),
                  "freeridge_set_landmarks");
            body(problem, model.factorize(), restricted_values(problem, points, landmarks), points);
          } else {
            body(problem, model.factorize(), kernel_values(problem, points), points);
          }
        }
  }
};

const Vector lambdas = {0.3, 0.3, 20.0};  // outputs that share a lambda, and one that does not

TEST_P(Diagnostics, DegreesOfFreedomAndErrorVariance) {
  for_each_problem([](const Problem& problem, Model& model, const Values& k, const Matrix&) {
    for (const double lambda : {1e-2, 1.0, 1e3}) {
      SCOPED_TRACE(lambda);
      const Freedom expected = freedom(problem, k, lambda);
      model.lambda(lambda);
      EXPECT_CLOSE(model.degrees_of_freedom(), expected.df, tolerance);
      EXPECT_CLOSE(model.error_variance(), expected.sigma2, tolerance);
    }
    model.lambdas(lambdas);
    const Vector df = model.degrees_of_freedom(), sigma2 = model.error_variance();
    for (std::size_t j = 0; j < 3; ++j) {
      const Freedom expected = freedom(problem, k, lambdas[j]);
      EXPECT_NEAR(df[j], expected.df[j], tolerance * expected.df[j]);
      EXPECT_NEAR(sigma2[j], expected.sigma2[j], tolerance * expected.sigma2[j]);
    }
  });
}

TEST_P(Diagnostics, CooksDistance) {
  for_each_problem([](const Problem& problem, Model& model, const Values& k, const Matrix&) {
    model.lambdas(lambdas);
    EXPECT_CLOSE(model.cooks_distance(),
                 oracle::per_output(lambdas, [&](double lambda) { return cook(problem, k, lambda); }), tolerance);
    for (const double lambda : {1e-2, 1e2})
      EXPECT_CLOSE(model.lambda(lambda).cooks_distance(), cook(problem, k, lambda), tolerance);
  });
}

TEST_P(Diagnostics, JackknifeIntervalsAreThoseOfRefits) {
  for_each_problem([](const Problem& problem, Model& model, const Values& k, const Matrix& points) {
    const std::int64_t n = problem.x.rows;
    struct Level {
      std::int64_t numerator, denominator;
    };
    model.lambdas(lambdas);
    // 55 / 100 at n = 19 and the like are whole numbers but for rounding; 999 / 1000 has no place among n.
    for (const Level level : {Level{8, 10}, Level{n, n + 1}, Level{55, 100}, Level{1, 2}, Level{1, 1000000},
                              Level{3, 10}, Level{999, 1000}}) {
      const double value = static_cast<double>(level.numerator) / static_cast<double>(level.denominator);
      SCOPED_TRACE(value);
      const auto expected = [&](double lambda) {
        return jackknife(problem, k, lambda, place(level.numerator, level.denominator, n), each_row(n));
      };
      const Matrix lower = oracle::per_output(lambdas, [&](double lambda) { return expected(lambda).lower; });
      const Matrix upper = oracle::per_output(lambdas, [&](double lambda) { return expected(lambda).upper; });
      for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
        const Intervals actual = model.predict_jackknife(points, value, layout, 2);
        if (level.numerator == 999) {
          for (std::size_t p = 0; p < lower.values.size(); ++p) {
            EXPECT_EQ(actual.lower.values[p], -infinity);
            EXPECT_EQ(actual.upper.values[p], infinity);
          }
          continue;
        }
        EXPECT_CLOSE(actual.lower, lower, tolerance);
        EXPECT_CLOSE(actual.upper, upper, tolerance);
      }
    }
  });
}

// Two divisions, the second with rows that are never left out; a row in the gap of each group of the first.
TEST_P(Diagnostics, IntervalsOfGroupsAreThoseOfRefits) {
  for_each_problem([](const Problem& problem, Model& model, const Values& k, const Matrix& points) {
    const std::int64_t n = problem.x.rows;
    Labels label(static_cast<std::size_t>(2 * n)), gap(label);
    std::vector<LeftOutRows> sets(7, LeftOutRows{{}, 0});
    for (std::int64_t i = 0; i < n; ++i) {
      const auto first = static_cast<std::size_t>(i % 4), second = static_cast<std::size_t>(i % 5);
      label[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(first);
      label[static_cast<std::size_t>(n + i)] = second > 2 ? -1 : static_cast<std::int32_t>(10 * second);
      gap[static_cast<std::size_t>(i)] = i < 4 ? static_cast<std::int32_t>((i + 1) % 4) : -1;
      gap[static_cast<std::size_t>(n + i)] = -1;
      sets[first].rows.push_back(i);
      if (second <= 2) sets[4 + second].rows.push_back(i);
    }
    std::int64_t terms = 0;
    for (LeftOutRows& set : sets) terms += static_cast<std::int64_t>(set.scored = set.rows.size());
    for (std::int64_t i = 0; i < 4; ++i) sets[static_cast<std::size_t>((i + 1) % 4)].rows.push_back(i);
    model.lambdas(lambdas).groups(label, 2, gap, 1);
    for (const std::int64_t percent : {80, 50, 99}) {
      const Intervals actual = model.predict_jackknife(points, static_cast<double>(percent) / 100, FREERIDGE_ROW_MAJOR,
                                                       1, nullptr, without_groups);
      const auto expected = [&](double lambda) {
        return jackknife(problem, k, lambda, place(percent, 100, terms), sets);
      };
      EXPECT_CLOSE(actual.lower, oracle::per_output(lambdas, [&](double l) { return expected(l).lower; }), tolerance);
      EXPECT_CLOSE(actual.upper, oracle::per_output(lambdas, [&](double l) { return expected(l).upper; }), tolerance);
    }
  });
}

// Each row by itself for every point; a row, nothing (a label that no row has), and rows together for some points.
TEST_P(Diagnostics, PredictionsWithoutRowsAreThoseOfRefits) {
  for_each_problem([](const Problem& problem, Model& model, const Values& k, const Matrix& points) {
    const std::int64_t n = problem.x.rows, m = points.rows, t = problem.y.cols;
    model.lambdas(lambdas);
    std::vector<std::int32_t> rows(static_cast<std::size_t>(n)), groups(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<std::int32_t>(i);
      groups[i] = i % 4 == 3 ? -1 : static_cast<std::int32_t>(10 * (i % 4));
    }
    const std::vector<std::int32_t> some = {0, 10, -1, 20, 7, 10, 5};
    for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
      const bool by_rows = layout == FREERIDGE_ROW_MAJOR;
      const auto found = [&](const std::vector<std::int32_t>* group, const std::vector<std::int32_t>* label,
                             std::int64_t columns) {
        Packed out = pack(Matrix(m, columns), layout, 1);
        check(freeridge_predict_left_out(model.get(), at(points), group == nullptr ? nullptr : group->data(),
                                         label == nullptr ? nullptr : label->data(), layout, out.values.data(), out.ld),
              "freeridge_predict_left_out");
        return unpack(out, m, columns);
      };
      const auto expected = [&](const std::vector<std::int32_t>& group, std::int32_t label) {
        return oracle::per_output(lambdas, [&](double lambda) { return left_out(problem, k, lambda, group, label); });
      };
      const Matrix each = found(nullptr, nullptr, n * t);
      for (std::int64_t i = 0; i < n; ++i) {
        const Matrix without = expected(rows, static_cast<std::int32_t>(i));
        Matrix own(m, t);
        for (std::int64_t j = 0; j < t; ++j)
          for (std::int64_t p = 0; p < m; ++p) own(p, j) = each(p, i + n * j);
        EXPECT_CLOSE(own, without, tolerance) << i << (by_rows ? " by rows" : "");
      }
      for (const std::vector<std::int32_t>* group : {static_cast<const std::vector<std::int32_t>*>(nullptr),
                                                     static_cast<const std::vector<std::int32_t>*>(&groups)}) {
        const Matrix out = found(group, &some, t);
        for (std::int64_t p = 0; p < m; ++p) {
          const Matrix without = expected(group == nullptr ? rows : groups, some[static_cast<std::size_t>(p)]);
          EXPECT_CLOSE(select_rows(out, {p}), select_rows(without, {p}), tolerance);
        }
      }
    }
  });
}

// df and sigma without each row; and the changes of the coefficients of linear kernels, as those of predictions.
TEST_P(Diagnostics, TheInfluenceOfARowIsThatOfRefits) {
  const bool linear = GetParam().family == Family::linear;
  for_each_problem([&](const Problem& problem, Model& model, const Values& k, const Matrix& points) {
    const std::int64_t n = problem.x.rows, d = problem.x.cols, t = problem.y.cols, m = points.rows;
    const std::int64_t first = problem.intercept ? 1 : 0, p = d + first;
    model.lambdas(lambdas);
    Matrix df(n, t), sigma(n, t), change(linear ? n : 0, linear ? p * t : 0);
    check(freeridge_influence(model.get(), df.values.data(), sigma.values.data(), n,
                              linear ? change.values.data() : nullptr, n),
          "freeridge_influence");
    const auto expected = [&](double lambda) { return without_each_row(problem, k, lambda); };
    EXPECT_CLOSE(df, oracle::per_output(lambdas, [&](double l) { return expected(l).df; }), tolerance);
    EXPECT_CLOSE(sigma, oracle::per_output(lambdas, [&](double l) { return expected(l).sigma; }), tolerance);
    std::vector<std::int32_t> rows(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int32_t>(i);
    const auto predicted = [&](std::int32_t label) {
      return oracle::per_output(lambdas, [&](double lambda) { return left_out(problem, k, lambda, rows, label); });
    };
    const Matrix all = predicted(-1);
    for (std::int64_t i = 0; i < n && linear; ++i) {
      Matrix moved = all, expected_move = predicted(static_cast<std::int32_t>(i));
      for (std::int64_t j = 0; j < t; ++j)
        for (std::int64_t q = 0; q < m; ++q) {
          expected_move(q, j) = all(q, j) - expected_move(q, j);
          moved(q, j) = first == 1 ? change(i, p * j) : 0;
          for (std::int64_t c = 0; c < d; ++c) moved(q, j) += points(q, c) * change(i, p * j + first + c);
        }
      EXPECT_CLOSE(moved, expected_move, 10 * tolerance) << i;
    }
  });
}

// Where lambda is so small that I - H is small beside I, sigma and df without a row are those of refits.
TEST(Influence, FarBelowTheEigenvalues) {
  const std::int64_t n = 40;
  Random random(79);
  const Matrix x = random.uniform_matrix(n, 1, 0, 30);
  Matrix y(n, 1);
  for (std::int64_t i = 0; i < n; ++i) y(i, 0) = std::sin(x(i, 0));
  for (const freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_BAND})
    for (const double lambda : {1e-3, 1e-6, 1e-9}) {
      SCOPED_TRACE(::testing::Message() << route_name(route) << ", lambda = " << lambda);
      const auto fit = [&](const std::vector<std::int64_t>& rows) {
        Model model(Kernel::matern(1.5, 1.0));
        model.data(select_rows(x, rows), select_rows(y, rows)).route(route).factorize().lambda(lambda);
        return model;
      };
      std::vector<std::int64_t> all(static_cast<std::size_t>(n));
      std::iota(all.begin(), all.end(), 0);
      const Model model = fit(all);
      Vector df(all.size()), sigma(all.size());
      check(freeridge_influence(model.get(), df.data(), sigma.data(), n, nullptr, n), "freeridge_influence");
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<std::int64_t> others = all;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        const Model without = fit(others);
        EXPECT_NEAR(df[i] / without.degrees_of_freedom()[0], 1, 1e-12);
        EXPECT_NEAR(sigma[i] * sigma[i] / without.error_variance()[0], 1, 1e-8);
      }
    }
}

// Without a kernel P = W / lambda, and of a D that is 1 / W_ii in two rows lambda q is the share s of these rows in the
// sum of W_ii Y_i^2, for normal errors a beta variable: p = (1 - s)^((n - 2) / 2).
TEST(ScoreTest, OfTwoRowsItIsABetaTail) {
  const std::int64_t n = 12;
  const double lambda = 0.7;
  Random random(77);
  for (const bool weighted : {false, true})
    for (const double share : {1e-6, 1e-3, 0.02, 0.1, 2.0 / 12, 0.3, 0.6, 0.9, 0.99, 0.9999}) {
      Problem problem = random_problem(random, oracle::KernelSpec::linear(), n, 1, 1, weighted, false);
      problem.x = Matrix(n, 1, 0.0);
      Matrix difference(n, n, 0.0);
      double of_two = 0, rest = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        if (i < 2) difference(i, i) = 1 / problem.weight(i);
        (i < 2 ? of_two : rest) += problem.weight(i) * problem.y(i, 0) * problem.y(i, 0);
      }
      for (std::int64_t i = 0; i < 2; ++i) problem.y(i, 0) *= std::sqrt(rest / of_two * share / (1 - share));
      for (const freeridge_route route : {FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_CHOLESKY}) {
        Model model = oracle::make_model(problem, route, FREERIDGE_COL_MAJOR);
        model.factorize().lambda(lambda);
        double q = nan, p = nan;
        check(freeridge_score_test(model.get(), difference.values.data(), n, &q, &p), "freeridge_score_test");
        EXPECT_NEAR(lambda * q, share, 1e-12);
        const double expected = std::pow(1 - share, static_cast<double>(n - 2) / 2);
        EXPECT_NEAR(p, expected, 1e-9 * expected) << share;
        // D = 0, and a D of which every statistic is the same
        const std::vector<double> none(static_cast<std::size_t>(n * n), 0.0);
        EXPECT_EQ(freeridge_score_test(model.get(), none.data(), n, &q, &p), FREERIDGE_UNDEFINED);
        Matrix all(n, n, 0.0);
        for (std::int64_t i = 0; i < n; ++i) all(i, i) = 1 / problem.weight(i);
        EXPECT_EQ(freeridge_score_test(model.get(), all.values.data(), n, &q, &p), FREERIDGE_UNDEFINED);
        EXPECT_TRUE(std::isnan(p));
      }
    }
}

// With another sigma2 that is known all covariances are in proportion, and are told so by a model that was saved.
TEST(KnownNoise, KnownSigma2IsThatOfAllCovariances) {
  Random random(5177);
  Problem problem = random_problem(random, oracle::KernelSpec::linear(), 20, 3, 2, true, true);
  const Matrix points = random.uniform_matrix(4, 3, -1, 1);
  const auto covariances = [&](const freeridge_model* model) {
    Vector out(8 * 8 + 4 * 4 * 2 + 4 * 2, nan);
    check(freeridge_coefficient_covariance(model, FREERIDGE_COVARIANCE_BAYESIAN, out.data(), 8),
          "coefficient_covariance");
    check(freeridge_predict_covariance(model, at(points), FREERIDGE_COVARIANCE_FREQUENTIST, FREERIDGE_COL_MAJOR,
                                       out.data() + 96, 4, out.data() + 64, 4),
          "predict_covariance");
    for (std::size_t i = 96; i < out.size(); ++i) out[i] *= out[i];
    return out;
  };
  const auto told = [&](double sigma2) {
    problem.sigma2 = sigma2;
    Model model = oracle::make_model(problem);
    model.factorize().lambda(0.7);
    EXPECT_EQ(model.error_variance(), Vector(2, sigma2));
    const Vector found = covariances(model.get());
    EXPECT_TRUE(bit_equal(covariances(loaded(saved(model.get())).get()), found));
    double random_variance[2], residual[2];
    EXPECT_EQ(freeridge_variance_components(model.get(), nullptr, residual, random_variance, nullptr, nullptr),
              FREERIDGE_INVALID_STATE);
    return found;
  };
  const Vector small = told(0.25), large = told(4);
  for (std::size_t i = 0; i < small.size(); ++i) EXPECT_NEAR(large[i], 16 * small[i], 1e-12 * std::abs(large[i])) << i;
  problem.sigma2 = 0;  // the outputs beside one another: variances as those of the estimate, times their ratio
  Model model = oracle::make_model(problem);
  const Vector usual = covariances(model.factorize().lambda(0.7).get()), sigma2 = model.error_variance();
  for (std::size_t k = 0; k < 8; ++k)
    EXPECT_NEAR(small[9 * k], usual[9 * k] * 0.25 / sigma2[k / 4], 1e-12 * usual[9 * k]) << k;
  for (std::size_t i = 64; i < small.size(); ++i) {
    const std::size_t output = i < 96 ? (i - 64) / 16 : (i - 96) / 4;
    EXPECT_NEAR(small[i], usual[i] * 0.25 / sigma2[output], 1e-12 * std::abs(usual[i])) << i;
  }
}

// Estimates of the variance of the errors are divided by KEPT_SQUARES in all answers, and a variance that is known is not.
TEST(KeptSquares, DivideTheVarianceOfTheErrorsInAllAnswers) {
  Random random(5178);
  Problem problem = random_problem(random, oracle::KernelSpec::linear(), 20, 3, 2, true, true);
  const Matrix points = random.uniform_matrix(4, 3, -1, 1);
  const auto answers = [&](const freeridge_model* model) {  // variances, and the inverse of Cook's distances
    std::vector<Vector> out = {Vector(2), Vector(64), Vector(8),  Vector(32), Vector(8),
                               Vector(2), Vector(40), Vector(40), Vector(2),  Vector(2)};
    check(freeridge_degrees_of_freedom(model, nullptr, out[0].data()), "degrees_of_freedom");
    check(freeridge_coefficient_covariance(model, FREERIDGE_COVARIANCE_BAYESIAN, out[1].data(), 8), "coefficients");
    check(freeridge_predict_covariance(model, at(points), FREERIDGE_COVARIANCE_FREQUENTIST, FREERIDGE_COL_MAJOR,
                                       out[2].data(), 4, out[3].data(), 4),
          "predict_covariance");
    check(freeridge_predict_variance(model, at(points), FREERIDGE_COL_MAJOR, out[4].data(), 4, out[5].data()),
          "variance");
    check(freeridge_influence(model, nullptr, out[6].data(), 20, nullptr, 0), "influence");
    check(freeridge_cooks_distance(model, out[7].data(), 20), "cooks_distance");
    if (freeridge_variance_components(model, nullptr, out[8].data(), out[9].data(), nullptr, nullptr) != FREERIDGE_OK)
      out[8] = out[9] = Vector(2);
    for (const std::size_t roots : {2, 6})
      for (double& value : out[roots]) value *= value;
    for (double& value : out[7]) value = 1 / value;
    return out;
  };
  for (const double known : {0.0, 0.3}) {
    problem.sigma2 = known;
    Model model = oracle::make_model(problem);
    const std::vector<Vector> usual = answers(model.factorize().lambda(0.7).get());
    const double share = 0.64;
    check(freeridge_set_parameter(model.get(), FREERIDGE_KEPT_SQUARES, share), "freeridge_set_parameter");
    const std::vector<Vector> found = answers(model.get());
    for (std::size_t k = 0; k < usual.size(); ++k)
      for (std::size_t i = 0; i < usual[k].size(); ++i)
        EXPECT_NEAR(found[k][i], usual[k][i] / (known > 0 ? 1 : share), 1e-12 * std::abs(usual[k][i]))
            << k << ", " << i;
    if (known == 0) {
      EXPECT_EQ(answers(loaded(saved(model.get())).get()), found);
    }
  }
}

TEST_P(Diagnostics, PredictiveVarianceIsTheDenseFormula) {
  for_each_problem([](const Problem& problem, Model& model, const Values& k, const Matrix& points) {
    model.lambdas(lambdas);
    const auto expected = [&](double lambda) { return variance(problem, k, lambda); };
    const Matrix values = oracle::per_output(lambdas, [&](double lambda) { return expected(lambda).variance; });
    for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
      const PredictedVariance actual = model.predict_variance(points, layout, 2);
      EXPECT_CLOSE(actual.variance, values, tolerance);
      for (std::size_t j = 0; j < 3; ++j) {
        const double noise = expected(lambdas[j]).noise[j];
        EXPECT_NEAR(actual.noise[j], noise, tolerance * noise);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Every, Diagnostics,
                         ::testing::Values(Case{"LinearCholesky", Family::linear, FREERIDGE_ROUTE_CHOLESKY},
                                           Case{"LinearSpectral", Family::linear, FREERIDGE_ROUTE_SPECTRAL},
                                           Case{"LinearPrimal", Family::linear, FREERIDGE_ROUTE_PRIMAL},
                                           Case{"LinearPrimalGram", Family::linear, FREERIDGE_ROUTE_PRIMAL,
                                                FREERIDGE_REDUCTION_GRAM},
                                           Case{"LinearLandmark", Family::linear, FREERIDGE_ROUTE_LANDMARK},
                                           Case{"PolynomialSpectral", Family::polynomial, FREERIDGE_ROUTE_SPECTRAL},
                                           Case{"GaussianCholesky", Family::gaussian, FREERIDGE_ROUTE_CHOLESKY},
                                           Case{"GaussianSpectral", Family::gaussian, FREERIDGE_ROUTE_SPECTRAL},
                                           Case{"GaussianLandmark", Family::gaussian, FREERIDGE_ROUTE_LANDMARK},
                                           Case{"Matern32Landmark", Family::matern32, FREERIDGE_ROUTE_LANDMARK},
                                           Case{"SumCholesky", Family::sum, FREERIDGE_ROUTE_CHOLESKY},
                                           Case{"LaplacianSpectral", Family::laplacian, FREERIDGE_ROUTE_SPECTRAL}),
                         ::testing::PrintToStringParamName());

Problem gaussian_problem(std::int64_t n, bool intercept) {
  Random random(5101);
  return random_problem(random, oracle::KernelSpec::gaussian(1.2), n, 3, 2, true, intercept);
}

Matrix new_points(std::int64_t m, std::int64_t d) {
  Random random(5102);
  return random.uniform_matrix(m, d, -1.0, 1.0);
}

constexpr freeridge_route dual_routes[] = {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL};

TEST(DiagnosticsPrecomputed, IntervalsAreThoseOfTheKernelAndVarianceIsRefused) {
  const Problem problem = gaussian_problem(14, true);
  const Matrix points = new_points(5, 3);
  for (const freeridge_route route : dual_routes) {
    Model model(Kernel::precomputed());
    model.data(to_double(oracle::kernel_matrix(problem.kernel, problem.x, problem.x)), problem.y);
    model.weights(problem.weights).route(route).factorize().lambda(0.4);
    const Matrix cross = to_double(oracle::kernel_matrix(problem.kernel, points, problem.x));
    const Intervals expected = jackknife(problem, kernel_values(problem, points), 0.4, place(9, 10, 14), each_row(14));
    for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
      const Intervals actual = model.predict_jackknife(cross, 0.9, layout, 1);
      EXPECT_CLOSE(actual.lower, expected.lower, tolerance);
      EXPECT_CLOSE(actual.upper, expected.upper, tolerance);
    }
    Vector out(10);
    EXPECT_EQ(freeridge_predict_variance(model.get(), at(cross), FREERIDGE_COL_MAJOR, out.data(), 5, nullptr),
              FREERIDGE_INVALID_ARGUMENT);
  }
}

// The place among n values, where level (n + 1) is a whole number on paper but not in floating point: 0.55 * 20 is
// 11.000000000000002. y = -1 / n sums: with a constant kernel of 0 and no intercept f = 0, e = y, a = 0, so that the
// ends are order statistics of -|y| and |y|.
TEST(DiagnosticsJackknife, PlacesAreWholeNumbersOnPaper) {
  for (std::int64_t n = 1; n <= 200; ++n) {
    Matrix x(n, 1), y(n, 1);
    for (std::int64_t i = 0; i < n; ++i) y(i, 0) = static_cast<double>((i * 7919) % n + 1) * (i % 2 == 0 ? 1 : -1);
    bool distinct = n % 7919 != 0;
    ASSERT_TRUE(distinct);
    Model model(Kernel::linear());
    model.data(x, y).intercept(false).route(FREERIDGE_ROUTE_SPECTRAL).factorize().lambda(1.0);
    for (std::int64_t percent = 1; percent < 100; ++percent) {
      const Intervals actual = model.predict_jackknife(Matrix(1, 1, 3.0), static_cast<double>(percent) / 100.0);
      const std::int64_t k = place(percent, 100, n);
      ASSERT_EQ(actual.upper(0, 0), k > n ? infinity : static_cast<double>(k)) << n << " " << percent;
      ASSERT_EQ(actual.lower(0, 0), k > n ? -infinity : -static_cast<double>(k)) << n << " " << percent;
    }
  }
}

// More points than a tile takes, in two layouts, one at a time and all together.
TEST(DiagnosticsTiles, PointsDoNotDependOnEachOther) {
  const Problem problem = gaussian_problem(40, true);
  const Matrix points = new_points(700, 3);
  for (const freeridge_route route : dual_routes) {
    Model model = oracle::make_model(problem, route);
    model.factorize().lambda(0.2);
    const Intervals all = model.predict_jackknife(points, 0.8);
    const PredictedVariance variances = model.predict_variance(points);
    for (const std::int64_t q : {0, 1, 350, 699}) {
      const Matrix point = select_rows(points, {q});
      EXPECT_CLOSE(model.predict_jackknife(point, 0.8).lower, select_rows(all.lower, {q}), 1e-12);
      EXPECT_CLOSE(model.predict_jackknife(point, 0.8).upper, select_rows(all.upper, {q}), 1e-12);
      EXPECT_CLOSE(model.predict_variance(point).variance, select_rows(variances.variance, {q}), 1e-10);
    }
  }
}

// The errors left out are kept with the fit, and go with it.
TEST(DiagnosticsJackknife, WhatIsKeptBelongsToTheFit) {
  const Problem problem = gaussian_problem(40, true);
  const Matrix points = new_points(3, 3);
  for (const freeridge_route route : dual_routes) {
    Model model = oracle::make_model(problem, route);
    model.factorize();
    for (const Vector& each : {Vector{0.2, 0.2}, Vector{0.2, 3.0}, Vector{5.0, 5.0}}) {
      Model fresh = oracle::make_model(problem, route);
      const Intervals expected = fresh.factorize().lambdas(each).predict_jackknife(points, 0.8);
      model.lambdas(each);
      for (int call = 0; call < 2; ++call) {
        const Intervals actual = model.predict_jackknife(points, 0.8);
        EXPECT_TRUE(bit_equal(actual.lower, expected.lower) && bit_equal(actual.upper, expected.upper));
      }
    }
  }
}

// Units of x and Y: intervals move with Y, variances with its square, Cook's distances and df not at all.
TEST(DiagnosticsScale, UnitsOfXAndY) {
  const Problem problem = gaussian_problem(15, true);
  const Matrix points = new_points(4, 3);
  for (const freeridge_route route : dual_routes) {
    Model model = oracle::make_model(problem, route);
    model.factorize().lambda(0.3);
    for (const double unit : {1e150, 1e-150}) {
      SCOPED_TRACE(unit);
      Problem moved = problem;
      moved.y = scaled(problem.y, unit);
      moved.x = scaled(problem.x, 1 / unit);
      moved.kernel.sigma /= unit;
      Model other = oracle::make_model(moved, route);
      other.factorize().lambda(0.3);
      const Matrix moved_points = scaled(points, 1 / unit);
      EXPECT_CLOSE(other.cooks_distance(), model.cooks_distance(), 1e-10);
      EXPECT_CLOSE(other.degrees_of_freedom(), model.degrees_of_freedom(), 1e-10);
      EXPECT_CLOSE(other.predict_jackknife(moved_points, 0.8).lower,
                   scaled(model.predict_jackknife(points, 0.8).lower, unit), 1e-10);
      EXPECT_CLOSE(other.predict_variance(moved_points).variance,
                   scaled(scaled(model.predict_variance(points).variance, unit), unit), 1e-10);
    }
    Problem huge = problem;  // Y^2 overflows: Cook's distances do not care, variances cannot be had
    huge.y = scaled(problem.y, 1e200);
    Model other = oracle::make_model(huge, route);
    other.factorize().lambda(0.3);
    EXPECT_CLOSE(other.cooks_distance(), model.cooks_distance(), 1e-10);
    Vector sigma2(2), out(8);
    EXPECT_EQ(freeridge_degrees_of_freedom(other.get(), nullptr, sigma2.data()), FREERIDGE_NOT_FINITE);
    EXPECT_EQ(freeridge_predict_variance(other.get(), at(points), FREERIDGE_COL_MAJOR, out.data(), 4, nullptr),
              FREERIDGE_NOT_FINITE);
  }
}

// A small df is a sum of small leverages, not n less a sum that is nearly n.
TEST(DiagnosticsFreedom, SmallDegreesOfFreedomKeepTheirDigits) {
  Random random(5103);
  const Problem problem = random_problem(random, oracle::KernelSpec::linear(), 20, 3, 1, true, false);
  const Values k = kernel_values(problem, problem.x);
  for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_PRIMAL}) {
    SCOPED_TRACE(route_name(route));
    Model model = oracle::make_model(problem, route);
    model.factorize();
    for (const double lambda : {1e3, 1e5, 1e7, 1e10, 1e14, 1e100}) {
      SCOPED_TRACE(lambda);
      // Cholesky: where 1 - rho P_ii meets a series of two terms, (20 eps)^(2/3) is left.
      const double allowed = route == FREERIDGE_ROUTE_CHOLESKY ? 1e-9 : 1e-12;
      model.lambda(lambda);
      // The oracle itself subtracts nothing: H = K M^-1 is a product.
      EXPECT_CLOSE(model.degrees_of_freedom(), freedom(problem, k, lambda).df, allowed);
      const Dense h = hat(problem, k, lambda);
      Matrix leverage(20, 1);
      for (std::int64_t i = 0; i < 20; ++i) leverage(i, 0) = static_cast<double>(h(i, i));
      EXPECT_CLOSE(model.leverage(), leverage, allowed);
      EXPECT_CLOSE(model.cooks_distance(), cook(problem, k, lambda), allowed);
    }
  }
}

TEST(DiagnosticsUndefined, NoLambdaNoFreedomNoLeftOutError) {
  const Matrix points = new_points(3, 3);
  freeridge_status status = FREERIDGE_OK;
  const Problem problem = gaussian_problem(8, false);
  for (const freeridge_route route : dual_routes) {
    SCOPED_TRACE(route_name(route));
    Model model = oracle::make_model(problem, route);
    model.factorize().lambda(0.0);  // interpolates: n - df = 0
    EXPECT_CLOSE(model.degrees_of_freedom(), Vector(2, 8.0), 1e-12);
    EXPECT_CLOSE(to_column(model.error_variance(&status)), Matrix(2, 1, nan), 0.0);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    EXPECT_CLOSE(model.cooks_distance(&status), Matrix(8, 2, nan), 0.0);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    EXPECT_CLOSE(model.predict_variance(points, FREERIDGE_COL_MAJOR, 0, &status).variance, Matrix(3, 2, nan), 0.0);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    model.lambdas({0.0, 0.5});  // the other output has its variance
    const PredictedVariance half = model.predict_variance(points, FREERIDGE_COL_MAJOR, 0, &status);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    const PredictedVariance whole = model.lambda(0.5).predict_variance(points);
    for (std::int64_t q = 0; q < 3; ++q) {
      EXPECT_TRUE(std::isnan(half.variance(q, 0)));
      EXPECT_EQ(half.variance(q, 1), whole.variance(q, 1));
    }
    EXPECT_TRUE(std::isnan(half.noise[0]));
    EXPECT_EQ(half.noise[1], whole.noise[1]);
  }

  // One point with an intercept: its leverage is one.
  Model one(Kernel::gaussian(1));
  one.data(new_points(1, 3), Matrix(1, 1, 5.0)).factorize().lambda(1.0);
  EXPECT_CLOSE(one.degrees_of_freedom(), Vector{1.0}, 1e-15);
  EXPECT_TRUE(std::isnan(one.error_variance(&status)[0]));
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  EXPECT_CLOSE(one.cooks_distance(&status), Matrix(1, 1, nan), 0.0);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  const Intervals none = one.predict_jackknife(points, 0.5, FREERIDGE_COL_MAJOR, 0, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  EXPECT_CLOSE(none.lower, Matrix(3, 1, nan), 0.0);
  EXPECT_CLOSE(none.upper, Matrix(3, 1, nan), 0.0);
  EXPECT_CLOSE(one.predict_variance(points, FREERIDGE_COL_MAJOR, 0, &status).variance, Matrix(3, 1, nan), 0.0);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);

  // One row whose leverage is one: its distance alone has no value, but no interval has one.
  for (const freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_PRIMAL}) {
    SCOPED_TRACE(route_name(route));
    Matrix x(4, 1), y(4, 1);
    x(0, 0) = 2;
    for (std::int64_t i = 0; i < 4; ++i) y(i, 0) = static_cast<double>(i) - 1.5;
    Model model(Kernel::linear());
    model.data(x, y).intercept(false).route(route).factorize().lambda(0.0);
    const Matrix distance = model.cooks_distance(&status);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    EXPECT_TRUE(std::isnan(distance(0, 0)));
    for (std::int64_t i = 1; i < 4; ++i) EXPECT_EQ(distance(i, 0), 0.0);
    EXPECT_CLOSE(model.degrees_of_freedom(), Vector{1.0}, 1e-14);
    EXPECT_TRUE(
        std::isnan(model.predict_jackknife(Matrix(1, 1, 1.0), 0.5, FREERIDGE_COL_MAJOR, 0, &status).lower(0, 0)));
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  }
}

// Residuals of zero: sigma2 is 0, which is a value, but no measure for Cook's distances.
TEST(DiagnosticsUndefined, ResidualsOfZero) {
  Model model(Kernel::linear());
  model.data(new_points(6, 2), Matrix(6, 1)).factorize().lambda(1.0);
  EXPECT_EQ(model.error_variance()[0], 0.0);
  freeridge_status status = FREERIDGE_OK;
  EXPECT_CLOSE(model.cooks_distance(&status), Matrix(6, 1, nan), 0.0);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  for (const double value : model.predict_variance(new_points(3, 2)).variance.values) EXPECT_EQ(value, 0.0);
}

}  // namespace diagnostics_test
