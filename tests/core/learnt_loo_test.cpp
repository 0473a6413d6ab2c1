// freeridge_loo_learnt against choosing everything again by hand, without each row or without each fold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/criteria.hpp"
#include "support/gauss.hpp"
#include "support/problems.hpp"

namespace learnt_loo_test {

using namespace support;

struct Data {
  Matrix x, y, unpenalised;
  Vector weights;
  Labels group;

  Data without(const std::vector<char>& out) const {
    Data rest{Matrix(0, x.cols), Matrix(0, y.cols), Matrix(0, unpenalised.cols), {}, {}};
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < x.rows; ++i)
      if (out[static_cast<std::size_t>(i)] == 0) kept.push_back(i);
    rest.x = picked(x, kept), rest.y = picked(y, kept);
    if (unpenalised.cols > 0) rest.unpenalised = picked(unpenalised, kept);
    for (const std::int64_t i : kept) {
      if (!weights.empty()) rest.weights.push_back(weights[static_cast<std::size_t>(i)]);
      if (!group.empty()) rest.group.push_back(group[static_cast<std::size_t>(i)]);
    }
    return rest;
  }
  static Matrix picked(const Matrix& from, const std::vector<std::int64_t>& rows) {
    Matrix out(static_cast<std::int64_t>(rows.size()), from.cols);
    for (std::int64_t j = 0; j < from.cols; ++j)
      for (std::int64_t i = 0; i < out.rows; ++i) out(i, j) = from(rows[static_cast<std::size_t>(i)], j);
    return out;
  }
};

struct Case {
  const char* name;
  std::int64_t n, d, t;
  const char* kernel;
  std::function<void(Model&)> choose;
  enum Extra { none = 0, weighted = 1, no_intercept = 2, unpenalised = 4, grouped = 8, missing = 16 };
  int extra = none;
};

constexpr const char* lengths = "scaled([1, 1], matern(nu = 1.5, length = 1))";
void by_loo(Model& model) {
  model.factorize().select_lambda(FREERIDGE_LOO);
}
void by_reml(Model& model) {
  model.select_kernel(FREERIDGE_REML);
}
const std::vector<Case> cases = {
    {"lambda", 20, 3, 1, "linear()", by_loo},
    {"lambda of two outputs", 20, 3, 2, "linear()", by_loo, Case::weighted},
    {"lambda by GCV, no intercept", 20, 2, 1, "gaussian(sigma = 1)",
     [](Model& m) { m.factorize().select_lambda(FREERIDGE_GCV); }, Case::no_intercept},
    {"lambda in a range", 20, 2, 1, "gaussian(sigma = 1)",
     [](Model& m) { m.factorize().select_lambda(FREERIDGE_REML, 0.01, 0.6); }},
    {"lambda by groups", 24, 2, 1, "gaussian(sigma = 1)",
     [](Model& m) { m.factorize().select_lambda(FREERIDGE_GROUPS); }, Case::grouped},
    {"lambda, outputs with missing values", 22, 2, 2, "gaussian(sigma = 1)", by_loo, Case::missing},
    {"lambda, unpenalised columns", 22, 2, 1, "gaussian(sigma = 1)", by_loo, Case::unpenalised},
    {"bandwidth", 20, 2, 1, "gaussian(sigma = 1)", [](Model& m) { m.select_bandwidth(FREERIDGE_LOO, 0, 0, 12); }},
    {"kernel", 20, 2, 1, lengths, by_reml, Case::weighted},
    {"kernel of two outputs", 20, 2, 2, lengths, by_reml},
    {"kernel and its smoothness", 20, 2, 1, lengths,
     [](Model& m) {
       check(freeridge_set_parameter(m.get(), FREERIDGE_SMOOTHNESS, 1), "freeridge_set_parameter");
       by_reml(m);
     }},
    {"kernel by LOO", 20, 2, 1, lengths, [](Model& m) { m.select_kernel(FREERIDGE_LOO); }, Case::unpenalised},
    {"kernel with labels, unshrunk", 20, 2, 1, lengths,
     [](Model& m) {
       m.select_kernel(FREERIDGE_REML, {7, 7, -1}, 1e300);
     }},
    {"kernel of two outputs by groups", 20, 2, 2, lengths, [](Model& m) { m.select_kernel(FREERIDGE_GROUPS); },
     Case::grouped},
    {"kernel by groups", 20, 2, 1, "gaussian(sigma = 1)", [](Model& m) { m.select_kernel(FREERIDGE_GROUPS); },
     Case::grouped},
};

Data data_of(const Case& c, std::uint64_t seed) {
  Random random(seed);
  Data out{random.uniform_matrix(c.n, c.d, -1, 1), Matrix(c.n, c.t), Matrix(0, 0), {}, {}};
  for (std::int64_t i = 0; i < c.n; ++i)
    for (std::int64_t j = 0; j < c.t; ++j)
      out.y(i, j) = 3 + std::sin(3 * out.x(i, 0) + static_cast<double>(j)) + 0.4 * out.x(i, 1) + 0.3 * random.normal();
  if ((c.extra & Case::weighted) != 0) out.weights = random.uniform_vector(c.n, 0.4, 2.5);
  if ((c.extra & Case::unpenalised) != 0) out.unpenalised = random.uniform_matrix(c.n, 1, 0, 3);
  if ((c.extra & Case::grouped) != 0)
    for (std::int64_t i = 0; i < c.n; ++i) out.group.push_back(static_cast<std::int32_t>(i % 6));
  if ((c.extra & Case::missing) != 0) out.y(3, 1) = out.y(7, 1) = out.y(8, 0) = std::nan("");
  return out;
}

Model model_of(const Case& c, const Data& data) {
  Model model(Kernel::parse(c.kernel));
  if ((c.extra & Case::missing) != 0)
    check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
  if (data.unpenalised.cols > 0)
    model.data(data.x, data.y, data.unpenalised);
  else
    model.data(data.x, data.y);
  model.weights(data.weights).intercept((c.extra & Case::no_intercept) == 0);
  if (!data.group.empty()) model.groups(data.group);
  return model;
}

Model chosen(const Case& c, const Data& data) {
  Model model = model_of(c, data);
  c.choose(model);
  return model;
}

struct Answer {
  Matrix errors;
  Vector change;
  double freedom = 0;
};

Answer loo_learnt(const Model& model, const Matrix& like, std::int64_t folds, std::int64_t seed = 0) {
  Answer out{Matrix(like.rows, like.cols), Vector(static_cast<std::size_t>(like.rows))};
  check(freeridge_loo_learnt(model.get(), folds, seed, out.errors.values.data(), like.rows, out.change.data(),
                             &out.freedom),
        "freeridge_loo_learnt");
  return out;
}

double norm(const Matrix& of) {
  double sum = 0;
  for (const double value : of.values) sum += std::isnan(value) ? 0 : value * value;
  return std::sqrt(sum);
}

// The kernel and the lambdas that are chosen without some rows, in a model of all rows, and its left-out errors.
Matrix by_hand(const Case& c, const Data& data, const std::vector<char>& out) {
  const Model others = chosen(c, data.without(out));
  Model all = model_of(c, data);
  all.kernel(others.kernel_in_force()).factorize().lambdas(others.lambda_in_force());
  return all.loo();
}

void expect_errors_of(const Matrix& expected, const Matrix& errors, const std::vector<char>& rows, double tolerance) {
  const double size = norm(expected);
  for (std::int64_t j = 0; j < errors.cols; ++j)
    for (std::int64_t i = 0; i < errors.rows; ++i) {
      if (rows[static_cast<std::size_t>(i)] == 0) continue;
      ASSERT_EQ(std::isnan(errors(i, j)), std::isnan(expected(i, j))) << i << ", " << j;
      if (std::isnan(expected(i, j))) continue;
      EXPECT_NEAR(errors(i, j), expected(i, j), tolerance * size) << i << ", " << j;
    }
}

TEST(LearntLoo, ARowIsLeftOutAsByHand) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Data data = data_of(c, 11);
    const Model model = chosen(c, data);
    const Answer found = loo_learnt(model, data.y, 0);  // no more than 50 rows: a fold for each
    const Matrix held = model.loo();
    bool differs = false;
    for (std::int64_t i = 0; i < c.n; ++i) {
      std::vector<char> out(static_cast<std::size_t>(c.n), 0);
      out[static_cast<std::size_t>(i)] = 1;
      const Matrix expected = by_hand(c, data, out);
      expect_errors_of(expected, found.errors, out, 1e-8);
      double moved = 0, all = 0;
      for (std::size_t k = 0; k < held.values.size(); ++k) {
        if (std::isnan(held.values[k])) continue;
        moved += std::pow(expected.values[k] - held.values[k], 2);
        all += std::pow(held.values[k], 2);
      }
      EXPECT_NEAR(found.change[static_cast<std::size_t>(i)], std::sqrt(moved / all), 1e-7);
      differs = differs || moved > 1e-6 * all;
    }
    EXPECT_TRUE(differs);
    expect_errors_of(found.errors, loo_learnt(model, data.y, c.n, 5).errors, std::vector<char>(found.change.size(), 1),
                     1e-12);
  }
}

struct Ends {
  Matrix lower, upper;
};

Points points_of(const Data& data) {
  return data.unpenalised.cols > 0 ? with(at(data.x), data.unpenalised) : at(data.x);
}

Ends jackknife(const Model& model, const Data& points, std::int64_t folds, std::int64_t seed = 0) {
  Ends out{Matrix(points.x.rows, points.y.cols), Matrix(points.x.rows, points.y.cols)};
  check(freeridge_predict_jackknife(model.get(), points_of(points), 0.8, folds, seed, FREERIDGE_COL_MAJOR,
                                    out.lower.values.data(), out.upper.values.data(), points.x.rows),
        "freeridge_predict_jackknife");
  return out;
}

// f_(-i)(x) is the prediction of the model that is chosen and fitted without row i; the rows at hand are the points.
TEST(LearntLoo, JackknifeIntervalsAreThoseOfModelsChosenWithoutTheRow) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Data data = data_of(c, 11), points = data_of(c, 12);
    const Ends found = jackknife(chosen(c, data), points, 0);
    std::vector<Vector> low(static_cast<std::size_t>(c.n * c.t)), high(low);
    for (std::int64_t i = 0; i < c.n; ++i) {
      std::vector<char> out(static_cast<std::size_t>(c.n), 0);
      out[static_cast<std::size_t>(i)] = 1;
      const Model others = chosen(c, data.without(out));
      Matrix at_points(c.n, c.t), at_rows(c.n, c.t);
      for (const auto& [from, to] : {std::pair{&points, &at_points}, std::pair{&data, &at_rows}})
        check(freeridge_predict_points(others.get(), points_of(*from), 0, nullptr, FREERIDGE_COL_MAJOR,
                                       to->values.data(), c.n),
              "freeridge_predict_points");
      for (std::int64_t j = 0; j < c.t; ++j) {
        if (std::isnan(data.y(i, j))) continue;
        const double error = std::abs(data.y(i, j) - at_rows(i, j));
        for (std::int64_t p = 0; p < c.n; ++p) {
          low[static_cast<std::size_t>(p + c.n * j)].push_back(at_points(p, j) - error);
          high[static_cast<std::size_t>(p + c.n * j)].push_back(at_points(p, j) + error);
        }
      }
    }
    Ends expected = found;
    for (std::size_t k = 0; k < low.size(); ++k) {
      std::sort(low[k].begin(), low[k].end());
      std::sort(high[k].begin(), high[k].end());
      const auto place = static_cast<std::size_t>(std::ceil(0.8 * static_cast<double>(low[k].size() + 1) - 1e-9));
      expected.lower.values[k] = low[k][low[k].size() - place];
      expected.upper.values[k] = high[k][place - 1];
    }
    EXPECT_CLOSE(found.lower, expected.lower, 1e-7);
    EXPECT_CLOSE(found.upper, expected.upper, 1e-7);
  }
}

// Rows that had no part in the choice of the kernel have f_(-i) at what was learnt; with a given kernel and lambda's
// choice alone, folds choose lambda.
TEST(LearntLoo, JackknifeIntervalsOfFolds) {
  const Case c{"kernel", 30, 2, 1, lengths, [](Model& m) { m.select_kernel(FREERIDGE_REML, {}, 0, 20, 4); }};
  const Data data = data_of(c, 5), points = data_of(c, 6);
  Model model = chosen(c, data);
  const Ends held = jackknife(model, points, -1), found = jackknife(model, points, 4, 1);
  EXPECT_NE(found.lower.values, held.lower.values);
  EXPECT_CLOSE(found.lower, jackknife(model, points, 4, 1).lower, 0);
  double width = 0, of_held = 0;
  for (std::size_t k = 0; k < held.lower.values.size(); ++k) {
    width += found.upper.values[k] - found.lower.values[k];
    of_held += held.upper.values[k] - held.lower.values[k];
  }
  EXPECT_LT(std::abs(std::log(width / of_held)), 0.5);
  Matrix out(c.n, 2);
  const auto ask = [&](std::int64_t folds) {
    return freeridge_predict_jackknife(model.get(), points_of(points), 0.8, folds, 0, 1, out.values.data(),
                                       out.values.data(), c.n);
  };
  for (const std::int64_t folds : {-3, 1, 21}) EXPECT_EQ(ask(folds), FREERIDGE_INVALID_ARGUMENT) << folds;
  EXPECT_EQ(ask(-2), FREERIDGE_INVALID_STATE);  // there are no groups
  model.factorize().lambda(1);
  EXPECT_EQ(ask(0), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(ask(-1), FREERIDGE_OK);
}

// The same without folds of several rows. A kernel is then searched from where the first search ended, and with so few
// rows may end elsewhere than a whole search: see the next test.
TEST(LearntLoo, FoldsAreLeftOutAsByHand) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Data data = data_of(c, 12);
    const Model model = chosen(c, data);
    const Answer found = loo_learnt(model, data.y, 5, 3);
    if (std::string(c.name).starts_with("kernel")) {
      EXPECT_LT(std::abs(std::log(norm(found.errors) / norm(model.loo()))), 0.5);
      continue;
    }
    Labels fold(static_cast<std::size_t>(c.n));
    check(freeridge_make_folds(c.n, 5, 3, fold.data()), "freeridge_make_folds");
    for (std::int32_t k = 0; k < 5; ++k) {
      std::vector<char> out;
      for (const std::int32_t label : fold) out.push_back(label == k ? 1 : 0);
      expect_errors_of(by_hand(c, data, out), found.errors, out, 1e-8);
    }
    EXPECT_NE(loo_learnt(model, data.y, 5, 4).errors.values, found.errors.values);
    expect_errors_of(found.errors, loo_learnt(model, data.y, 5, 3).errors, std::vector<char>(fold.size(), 1), 0);
  }
}

// 60 rows: twenty folds are near to learning anew without each row, and nearer than errors with all that was learnt held.
TEST(LearntLoo, FoldsAreNearToLeavingOutRows) {
  for (const freeridge_criterion criterion : {FREERIDGE_REML, FREERIDGE_LOO}) {
    const Case c{"kernel",
                 60,
                 3,
                 1,
                 "scaled([1, 1, 1], matern(nu = 1.5, length = 1))",
                 [=](Model& m) { m.select_kernel(criterion); }};
    double held = 0, by_folds = 0;
    for (const std::uint64_t seed : {1, 2}) {
      const Data data = data_of(c, seed);
      const Model model = chosen(c, data);
      const double truth = norm(loo_learnt(model, data.y, c.n).errors);
      held += std::log(norm(model.loo()) / truth);
      by_folds += std::log(norm(loo_learnt(model, data.y, 0).errors) / truth);
    }
    EXPECT_LT(held, -0.02) << criterion;
    EXPECT_LT(std::abs(by_folds), 0.5 * std::abs(held)) << criterion;
  }
}

// With REML f of the oracle, theta the logarithms of lambda and the divisors: the quotients of f for H and for its mixed
// derivatives by theta and each y_i, those of the oracle's fitted values, and the sum over rows.
double freedom_by_definition(const Data& data, const Vector& theta) {
  const auto problem_at = [&](const Vector& at) {
    oracle::Problem problem;
    problem.x = data.x, problem.y = data.y, problem.weights = data.weights;
    problem.kernel =
        oracle::KernelSpec::radial(oracle::Family::matern32, 1).with_columns({std::exp(at[1]), std::exp(at[2])});
    return problem;
  };
  const std::size_t p = theta.size();
  const auto moved = [&](std::size_t j, double by, Vector from) { return from[j] += by, from; };
  const auto reml = [&](const Vector& at, std::int64_t row = 0, double by = 0) {
    oracle::Problem problem = problem_at(at);
    problem.y(row, 0) += by;
    return oracle::reml(problem, std::exp(at[0]), 0);
  };
  constexpr double h = 1e-3;
  Dense curvature(3, 3), j(data.x.rows, 3), effect(3, data.x.rows);
  for (std::size_t a = 0; a < p; ++a) {
    const auto column = static_cast<std::int64_t>(a);
    for (std::size_t b = 0; b < p; ++b) {
      const auto quotient = [&](double sign) {
        const Vector at = moved(a, sign * h, theta);
        return reml(moved(b, h, at)) - reml(moved(b, -h, at));
      };
      curvature(column, static_cast<std::int64_t>(b)) = (quotient(1) - quotient(-1)) / (4 * h * h);
    }
    const Vector up = moved(a, h, theta), down = moved(a, -h, theta);
    const Dense above = oracle::hat_matrix(problem_at(up), std::exp(up[0]));
    const Dense below = oracle::hat_matrix(problem_at(down), std::exp(down[0]));
    for (std::int64_t i = 0; i < data.x.rows; ++i) {
      for (std::int64_t k = 0; k < data.x.rows; ++k)
        j(i, column) += (above(i, k) - below(i, k)) * data.y(k, 0) / (2 * h);
      effect(column, i) = (reml(up, i, h) - reml(up, i, -h) - reml(down, i, h) + reml(down, i, -h)) / (4 * h * h);
    }
  }
  const Dense change = solve(curvature, effect);  // - d theta / d y
  Real sum = 0;
  for (std::int64_t i = 0; i < data.x.rows; ++i)
    for (std::int64_t k = 0; k < 3; ++k) sum -= j(i, k) * change(k, i);
  return static_cast<double>(sum);
}

TEST(LearntLoo, DegreesOfFreedomOfTheChoice) {
  for (const int extra : {Case::none, Case::weighted}) {
    const Case c{"freedom",
                 30,
                 2,
                 1,
                 lengths,
                 [](Model& m) {
                   m.select_kernel(FREERIDGE_REML, {0, 1, -1}, std::numeric_limits<double>::infinity()); },
                 extra};
    const Data data = data_of(c, 4);
    const Model model = chosen(c, data);
    const Vector numbers = model.kernel_in_force().hyperparameters();
    const double expected =
        freedom_by_definition(data, {std::log(model.lambda_in_force()[0]), std::log(numbers[0]), std::log(numbers[1])});
    EXPECT_GT(std::abs(expected), 0.1);
    EXPECT_NEAR(loo_learnt(model, data.y, 3).freedom, expected, 1e-3 * std::abs(expected));
  }
  for (const Case& c : cases) {  // known for a kernel by REML, of one output
    const Data data = data_of(c, 11);
    const bool known = std::string(c.name) == "kernel" || std::string(c.name) == "kernel and its smoothness" ||
                       std::string(c.name) == "kernel with labels, unshrunk";
    EXPECT_EQ(std::isfinite(loo_learnt(chosen(c, data), data.y, 2).freedom), known) << c.name;
  }
}

TEST(LearntLoo, RowsWithoutAPartInTheChoiceKeepTheirErrors) {
  const Case c{"kernel", 30, 2, 1, lengths, [](Model& m) { m.select_kernel(FREERIDGE_REML, {}, 0, 20, 4); }};
  const Data data = data_of(c, 5);
  const Model model = chosen(c, data);
  const Matrix held = model.loo();
  for (const std::int64_t folds : {0, 4}) {
    const Answer found = loo_learnt(model, data.y, folds);
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < c.n; ++i) {
      const bool same = found.errors(i, 0) == held(i, 0);
      EXPECT_EQ(same, found.change[static_cast<std::size_t>(i)] == 0);
      kept += same ? 1 : 0;
    }
    EXPECT_EQ(kept, 10);
  }
}

TEST(LearntLoo, WithLandmarks) {
  const Case c{"lambda", 40, 2, 1, "gaussian(sigma = 1)", by_loo};
  const Data data = data_of(c, 6);
  Model model = model_of(c, data);
  check(freeridge_set_landmarks(model.get(), 12, nullptr), "freeridge_set_landmarks");
  by_loo(model);
  const Matrix held = model.loo();
  const Answer found = loo_learnt(model, data.y, 8);
  EXPECT_NE(found.errors.values, held.values);
  EXPECT_NEAR(norm(found.errors) / norm(held), 1, 0.1);
  const std::vector<std::int64_t> rows = {0, 5, 9, 20, 31};
  check(freeridge_set_landmarks(model.get(), 5, rows.data()), "freeridge_set_landmarks");
  by_loo(model);
  EXPECT_NEAR(norm(loo_learnt(model, data.y, 8).errors) / norm(model.loo()), 1, 0.1);
}

TEST(LearntLoo, AnswersStayUntilTheModelChanges) {
  const Case& c = cases[8];
  const Data data = data_of(c, 7);
  Model model = chosen(c, data);
  const Answer found = loo_learnt(model, data.y, 0);
  model.lambda(3 * model.lambda_in_force()[0]);
  EXPECT_EQ(loo_learnt(model, data.y, 0).errors.values, found.errors.values);
  model.weights({});
  Matrix errors(c.n, 1);
  const auto refused = [&](std::int64_t folds) {
    return freeridge_loo_learnt(model.get(), folds, 0, errors.values.data(), c.n, nullptr, nullptr);
  };
  EXPECT_EQ(refused(0), FREERIDGE_INVALID_STATE);
  model.factorize().lambda(1);
  EXPECT_EQ(refused(0), FREERIDGE_INVALID_STATE);
  EXPECT_NE(std::string(freeridge_last_error()).find("was chosen"), std::string::npos);
  by_loo(model);
  for (const std::int64_t folds : {-1, 1, 21}) EXPECT_EQ(refused(folds), FREERIDGE_INVALID_ARGUMENT) << folds;
  EXPECT_EQ(refused(20), FREERIDGE_OK);
}

}  // namespace learnt_loo_test
