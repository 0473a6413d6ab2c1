// The gradient of a criterion by lambda and by every number of the kernel: against differences of the criteria by their
// definitions in long double, and of freeridge_score; what it says where there is none.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "support/compare.hpp"
#include "support/criteria.hpp"
#include "support/kernel_numbers.hpp"
#include "support/problems.hpp"
#include "support/sparse.hpp"
#include "support/unpenalised.hpp"

namespace score_gradient_test {

using namespace support;
using oracle::Family;
using oracle::KernelSpec;
using oracle::Problem;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
constexpr freeridge_criterion criteria[] = {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS};

struct Gradient {
  double score = nan, by_lambda = nan;
  Vector by_kernel;
};

freeridge_status ask(const Model& model, freeridge_criterion criterion, double lambda, Gradient& out) {
  out.by_kernel.assign(model.kernel_in_force().hyperparameters().size(), nan);
  return freeridge_score_gradient(model.get(), criterion, lambda, &out.score, &out.by_lambda, out.by_kernel.data());
}

Gradient gradient(const Model& model, freeridge_criterion criterion, double lambda) {
  Gradient out;
  check(ask(model, criterion, lambda, out), "freeridge_score_gradient");
  return out;
}

// The derivative of f at 0, of the fourth order.
Real difference(double step, const std::function<Real(double)>& f) {
  return (8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * static_cast<Real>(step));
}

// The weights with which the scores of several outputs are added up.
Vector shares(const Problem& problem, freeridge_criterion criterion) {
  Vector out(static_cast<std::size_t>(problem.y.cols), 1.0);
  if (problem.y.cols == 1 || criterion == FREERIDGE_REML) return out;
  for (std::int64_t j = 0; j < problem.y.cols; ++j) {
    Real sum = 0, mean = 0, variance = 0;
    for (std::int64_t i = 0; i < problem.y.rows; ++i) sum += problem.weight(i);
    for (std::int64_t i = 0; i < problem.y.rows; ++i) mean += problem.weight(i) * problem.y(i, j) / sum;
    for (std::int64_t i = 0; i < problem.y.rows; ++i)
      variance += problem.weight(i) * (problem.y(i, j) - mean) * (problem.y(i, j) - mean) / sum;
    out[static_cast<std::size_t>(j)] = static_cast<double>(1 / variance);
  }
  return out;
}

Real defined_score(const Problem& problem, freeridge_criterion criterion, const Labels& group, double lambda) {
  const Vector share = shares(problem, criterion);
  Real sum = 0;
  for (std::int64_t j = 0; j < problem.y.cols; ++j)
    sum += share[static_cast<std::size_t>(j)] * oracle::score(problem, criterion, group, lambda, j);
  return sum;
}

void expect_derivative(double actual, Real expected, double score, const std::string& what) {
  const auto value = static_cast<double>(expected);
  EXPECT_NEAR(actual, value, 1e-7 * std::abs(value) + 1e-10 * std::abs(score)) << what;
}

// Against the definitions. At most `most` numbers of the kernel, from the first and from the last.
void expect_by_definition(const Problem& problem, const Labels& group, double lambda, std::size_t most) {
  Model model = oracle::make_model(problem);
  model.groups(group);
  for (const freeridge_criterion criterion : criteria) {
    const Gradient found = gradient(model, criterion, lambda);
    const Real score = defined_score(problem, criterion, group, lambda);
    EXPECT_NEAR(found.score, static_cast<double>(score), 1e-10 * (1 + std::abs(static_cast<double>(score))));
    const std::string about = "criterion " + std::to_string(criterion) + ", ";
    expect_derivative(
        found.by_lambda,
        difference(0x1p-10, [&](double h) { return defined_score(problem, criterion, group, lambda * std::exp(h)); }),
        found.score, about + "lambda");
    Problem moved = problem;
    const std::vector<double*> numbers = oracle::numbers_of(moved.kernel);
    ASSERT_EQ(numbers.size(), found.by_kernel.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i >= most / 2 && i + most / 2 < numbers.size()) continue;
      const double value = *numbers[i];
      const Real expected = difference(0x1p-10, [&](double h) {
        *numbers[i] = value * std::exp(h);
        return defined_score(moved, criterion, group, lambda);
      });
      *numbers[i] = value;
      expect_derivative(found.by_kernel[i], expected, found.score, about + "number " + std::to_string(i));
    }
  }
}

// Every family, and trees in which sums, products and scaled kernels stand inside one another.
std::vector<std::pair<std::string, KernelSpec>> kernels(std::int64_t d) {
  const double root = std::sqrt(static_cast<double>(d));
  const KernelSpec gaussian = KernelSpec::gaussian(root), laplacian = KernelSpec::radial(Family::laplacian, 2 * root);
  const KernelSpec matern = KernelSpec::radial(Family::matern52, 1.5 * root);
  const KernelSpec cubic = kernel_of(Family::polynomial, d);
  const Vector scales = column_scales(d);
  std::vector<std::pair<std::string, KernelSpec>> out;
  for (const Family family : oracle::all_families)
    for (const bool scaled : {false, true})
      out.emplace_back(std::string(family_name(family)) + (scaled ? ", scaled" : ""), kernel_of(family, d, scaled));
  out.emplace_back("sum of scaled",
                   KernelSpec::sum({gaussian.with_columns(scales), laplacian.with_columns(scales)}, {0.5, 1.5}));
  out.emplace_back("product of sums",
                   KernelSpec::product({KernelSpec::sum({gaussian, KernelSpec::linear()}, {0.7, 0.2}),
                                        KernelSpec::sum({matern.with_columns(scales), cubic}, {1.1, 0.1})}));
  out.emplace_back("sum of a product and a sum, scaled",
                   KernelSpec::sum({KernelSpec::product({laplacian, cubic.with_columns(scales)}),
                                    KernelSpec::sum({matern, gaussian.with_columns(scales)}, {2.0, 0.3})},
                                   {0.4, 1.0})
                       .with_columns(scales));
  return out;
}

TEST(ScoreGradient, IsThatOfTheDefinitions) {
  Random random(2024);
  int turn = 0;
  for (const std::int64_t d : {2, 13})
    for (const auto& [name, kernel] : kernels(d))
      for (const std::int64_t t : {1, 3}) {
        const bool weighted = (turn & 1) != 0, intercept = (turn / 2 & 1) == 0;
        ++turn;
        SCOPED_TRACE(name + ", d = " + std::to_string(d) + ", t = " + std::to_string(t));
        Problem problem = random_problem(random, kernel, 11, d, t, weighted, intercept);
        if (turn % 3 == 0) problem.sigma2 = 0.6;
        Labels group = modulo_groups(problem.x.rows, 4);
        group[3] = -1;
        expect_by_definition(problem, group, t == 1 ? 0.2 : 1.5, 6);
      }
}

// By differences of what freeridge_score says, on every route that the model may take.
void expect_by_scores(Model& model, const Kernel& kernel, const Problem& problem, double lambda) {
  const Vector values = kernel.hyperparameters();
  const bool is_linear =
      problem.x.cols == 3 && values.size() <= 3 && kernel.description().find("linear()") != std::string::npos;
  for (const freeridge_criterion criterion : criteria) {
    SCOPED_TRACE("criterion " + std::to_string(criterion));
    const Vector share = shares(problem, criterion);
    const auto score = [&](double at) -> Real {
      const Matrix each = model.factorize().score(criterion, {at});
      Real sum = 0;
      for (std::int64_t j = 0; j < each.cols; ++j)
        sum += static_cast<Real>(share[static_cast<std::size_t>(j)]) * each(0, j);
      return sum;
    };
    const Gradient found = gradient(model, criterion, lambda);
    for (const freeridge_route route :
         {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_AUTO}) {
      model.route(route);
      EXPECT_NEAR(found.score, static_cast<double>(score(lambda)), 1e-11 * (1 + std::abs(found.score)));
      const Gradient again = gradient(model, criterion, lambda);
      if (is_linear) {  // by columns on AUTO, by K on the others
        EXPECT_NEAR(again.score, found.score, 1e-11 * (1 + std::abs(found.score)));
        EXPECT_CLOSE(again.by_kernel, found.by_kernel, 1e-9);
        continue;
      }
      EXPECT_EQ(again.score, found.score);
      EXPECT_EQ(again.by_kernel, found.by_kernel);
    }
    model.route(FREERIDGE_ROUTE_CHOLESKY);
    const double tolerance = 1e-7, floor = 1e-3 * std::abs(found.score);
    const auto expect = [&](double actual, Real expected) {
      EXPECT_NEAR(actual, static_cast<double>(expected),
                  tolerance * std::max(std::abs(static_cast<double>(expected)), floor));
    };
    expect(found.by_lambda, difference(0x1p-10, [&](double h) { return score(lambda * std::exp(h)); }));
    for (std::size_t i = 0; i < values.size(); ++i) {
      SCOPED_TRACE("number " + std::to_string(i));
      expect(found.by_kernel[i], difference(0x1p-10, [&](double h) {
               Vector moved = values;
               moved[i] *= std::exp(h);
               model.kernel(kernel.with_hyperparameters(moved));
               return score(lambda);
             }));
      model.kernel(kernel);
    }
  }
}

const char* const composite =
    "scaled([0.7, 1.4, 3], 0.6 * gaussian(sigma = 1.5) + 0.3 * product(laplacian(sigma = 3), polynomial(degree = 2, "
    "scale = 0.2, offset = 0.5)) + 0.1 * linear())";

TEST(ScoreGradient, IsThatOfScoresWithManyTilesAndInterceptsOfEachKind) {
  Random random(77);
  for (const char* const text : {composite, "scaled([1, 2, 0.5], linear())", "0.3 * linear() + 2 * linear()",
                                 "scaled([2, 1, 3], matern(nu = 0.5, length = 2))"})
    for (const freeridge_intercept intercept :
         {FREERIDGE_INTERCEPT_NONE, FREERIDGE_INTERCEPT_FREE, FREERIDGE_INTERCEPT_PENALISED}) {
      SCOPED_TRACE(std::string(text) + ", intercept " + std::to_string(intercept));
      const bool large = text == composite && intercept == FREERIDGE_INTERCEPT_FREE;
      const Problem problem = random_problem(random, KernelSpec::linear(), large ? 300 : 40, 3, 2, true, true);
      const Kernel kernel = Kernel::parse(text);
      Model model(kernel);
      model.data(problem.x, problem.y).weights(problem.weights).intercept_kind(intercept);
      Labels group = modulo_groups(problem.x.rows, 7);  // two divisions
      for (std::int64_t i = 0; i < problem.x.rows; ++i) group.push_back(static_cast<std::int32_t>(i / 9) - 1);
      model.groups(group, 2, modulo_groups(2 * problem.x.rows, 5));
      expect_by_scores(model, kernel, problem, 0.8);
    }
}

TEST(ScoreGradient, IsThatOfScoresWithFixedEffects) {
  Random random(76);
  const Problem problem = random_problem(random, KernelSpec::linear(), 40, 3, 2, true, true);
  const Matrix effects = random.uniform_matrix(40, 2, -1, 1);
  for (const char* const text : {composite, "scaled([1, 2, 0.5], linear())"}) {
    const Kernel kernel = Kernel::parse(text);
    Model model(kernel);
    model.data(problem.x, problem.y).weights(problem.weights).groups(modulo_groups(40, 7));
    set_unpenalised(model, effects);
    expect_by_scores(model, kernel, problem, 0.8);
  }
}

// A row that is added to a problem: another row's x, and the outputs of that row, or other ones.
struct AddedRow {
  std::int64_t of;
  std::vector<char> same;  // of each output
};
struct CopiesCase {
  const char* what;
  bool rounded;  // y has numbers that stand at two different x
  std::vector<AddedRow> added;
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>>
      copies;  // of each output: (row, the row it is one with)
};

// The rows of one output without its copies, with the sums of their weights.
Problem without_copies(const Problem& problem, std::int64_t output,
                       const std::vector<std::pair<std::int64_t, std::int64_t>>& copies) {
  Vector weights(static_cast<std::size_t>(problem.x.rows));
  for (std::int64_t i = 0; i < problem.x.rows; ++i) weights[static_cast<std::size_t>(i)] = problem.weight(i);
  std::vector<std::int64_t> rows;
  for (const auto& [copy, of] : copies)
    weights[static_cast<std::size_t>(of)] += weights[static_cast<std::size_t>(copy)];
  Problem out{problem.kernel, {}, {}, {}, problem.intercept};
  for (std::int64_t i = 0; i < problem.x.rows; ++i)
    if (std::ranges::none_of(copies, [&](const auto& each) { return each.first == i; })) {
      rows.push_back(i);
      out.weights.push_back(weights[static_cast<std::size_t>(i)]);
    }
  out.x = select_rows(problem.x, rows);
  out.y = Matrix(out.x.rows, 1);
  for (std::int64_t i = 0; i < out.x.rows; ++i) out.y(i, 0) = problem.y(rows[static_cast<std::size_t>(i)], output);
  return out;
}

// REML counts copies of rows once: it is that of the rows without the copies, by its definition, and so are its slopes,
// on every route; the variance of f is that of these rows, too.
TEST(ScoreGradient, RemlCountsCopiesOnce) {
  constexpr std::int64_t n = 14;
  const std::vector<char> both = {1, 1}, none = {0, 0};
  const std::vector<CopiesCase> cases = {
      {"copies", false, {{3, both}, {3, both}, {5, both}}, {{{14, 3}, {15, 3}, {16, 5}}, {{14, 3}, {15, 3}, {16, 5}}}},
      {"repetitions", false, {{3, none}, {5, none}}, {{}, {}}},
      {"a copy among repetitions", false, {{3, none}, {3, both}}, {{{15, 3}}, {{15, 3}}}},
      {"numbers that are rounded", true, {{3, both}, {5, none}, {5, both}}, {{{14, 3}}, {{14, 3}}}},
      {"a copy in one output", false, {{3, {1, 0}}}, {{{14, 3}}, {}}}};
  Random random(91);
  for (const CopiesCase& each : cases)
    for (const bool weighted : {false, true})
      for (const bool intercept : {true, false}) {
        SCOPED_TRACE(std::string(each.what) + (weighted ? ", weights" : "") + (intercept ? ", intercept" : ""));
        Problem problem = random_problem(random, kernel_of(Family::gaussian, 3, true), n, 3, 2, weighted, intercept);
        if (each.rounded)
          for (double& value : problem.y.values) value = std::round(value);
        const Matrix y = problem.y;
        std::vector<std::int64_t> rows(n);
        std::iota(rows.begin(), rows.end(), 0);
        for (const AddedRow& row : each.added) rows.push_back(row.of);
        problem.x = select_rows(problem.x, rows);
        problem.y = select_rows(y, rows);
        if (weighted) problem.weights = random.uniform_vector(problem.x.rows, 0.5, 2);
        for (std::size_t k = 0; k < each.added.size(); ++k)
          for (std::int64_t j = 0; j < 2; ++j)
            if (each.added[k].same[static_cast<std::size_t>(j)] == 0)
              problem.y(n + static_cast<std::int64_t>(k), j) += each.rounded ? 1 : random.uniform(0.2, 1);
        const double lambda = 0.3;
        const auto expected = [&](const KernelSpec& kernel, double at, std::int64_t output) {
          Problem single = without_copies(problem, output, each.copies[static_cast<std::size_t>(output)]);
          single.kernel = kernel;
          return oracle::score(single, FREERIDGE_REML, {}, at, 0);
        };
        const auto sum = [&](const KernelSpec& kernel, double at) {
          return expected(kernel, at, 0) + expected(kernel, at, 1);
        };
        Model model = oracle::make_model(problem);
        const auto expect_value_and_slopes = [&] {
          const Gradient found = gradient(model, FREERIDGE_REML, lambda);
          expect_derivative(found.by_lambda,
                            difference(0x1p-10, [&](double h) { return sum(problem.kernel, lambda * std::exp(h)); }),
                            found.score, "lambda");
          KernelSpec moved = problem.kernel;
          const std::vector<double*> numbers = oracle::numbers_of(moved);
          for (std::size_t i = 0; i < numbers.size(); ++i) {
            const double value = *numbers[i];
            const Real slope = difference(0x1p-10, [&](double h) {
              *numbers[i] = value * std::exp(h);
              return sum(moved, lambda);
            });
            *numbers[i] = value;
            expect_derivative(found.by_kernel[i], slope, found.score, "number " + std::to_string(i));
          }
        };
        expect_value_and_slopes();
        for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND}) {
          const Matrix scores = model.route(route).factorize().score(FREERIDGE_REML, {lambda});
          for (std::int64_t j = 0; j < 2; ++j)
            EXPECT_NEAR(scores(0, j), static_cast<double>(expected(problem.kernel, lambda, j)), 1e-10) << route;
        }
        model.lambda(lambda);
        const Matrix points = random.uniform_matrix(5, 3, -1, 1), variance = model.predict_variance(points).variance;
        for (std::int64_t j = 0; j < 2; ++j) {
          Model single = oracle::make_model(without_copies(problem, j, each.copies[static_cast<std::size_t>(j)]));
          const Matrix of_one = single.factorize().lambda(lambda).predict_variance(points).variance;
          for (std::int64_t i = 0; i < 5; ++i) EXPECT_NEAR(variance(i, j), of_one(i, 0), 1e-10 * of_one(i, 0));
        }
        // As many landmarks as there are different x.
        std::vector<std::int64_t> landmarks(rows.begin(), rows.begin() + n);
        model.route(FREERIDGE_ROUTE_AUTO);
        check(freeridge_set_landmarks(model.get(), n, landmarks.data()), "freeridge_set_landmarks");
        expect_value_and_slopes();
      }
}

TEST(ScoreGradient, GroupsOfOneRowAreLeftOutOneAtATime) {
  Random random(78);
  const Problem problem = random_problem(random, KernelSpec::linear(), 90, 3, 1, true, true);
  Model model(Kernel::parse(composite));
  model.data(problem.x, problem.y).weights(problem.weights).groups(single_groups(90));  // more than one panel
  const Gradient loo = gradient(model, FREERIDGE_LOO, 0.3), groups = gradient(model, FREERIDGE_GROUPS, 0.3);
  EXPECT_NEAR(groups.score, loo.score, 1e-12 * loo.score);
  EXPECT_NEAR(groups.by_lambda, loo.by_lambda, 1e-10 * loo.score);
  for (std::size_t i = 0; i < loo.by_kernel.size(); ++i)
    EXPECT_NEAR(groups.by_kernel[i], loo.by_kernel[i], 1e-10 * loo.score);
}

TEST(ScoreGradient, OfSparseRowsIsThatOfTheSameNumbers) {
  Random random(79);
  Problem problem = random_problem(random, KernelSpec::linear(), 50, 3, 2, true, true);
  for (std::int64_t i = 0; i < 50; ++i) problem.x(i, i % 3) = 0;
  for (const char* const text : {composite, "scaled([1, 2, 0.5], linear())"})
    for (const freeridge_sparse_format format : {FREERIDGE_CSR, FREERIDGE_CSC}) {
      const Sparse sparse(problem.x, format);
      Model dense(Kernel::parse(text)), other(Kernel::parse(text));
      dense.data(problem.x, problem.y).weights(problem.weights);
      check(set_sparse(other.get(), sparse, problem.y, false), "freeridge_set_points");
      other.weights(problem.weights);
      for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_REML}) {
        const Gradient expected = gradient(dense, criterion, 0.4), found = gradient(other, criterion, 0.4);
        EXPECT_NEAR(found.score, expected.score, 1e-11 * std::abs(expected.score));
        EXPECT_NEAR(found.by_lambda, expected.by_lambda, 1e-10 * std::abs(expected.score));
        for (std::size_t i = 0; i < found.by_kernel.size(); ++i)
          EXPECT_NEAR(found.by_kernel[i], expected.by_kernel[i], 1e-10 * std::abs(expected.score));
      }
    }
}

TEST(ScoreGradient, OfAGivenMatrixIsByLambdaAlone) {
  Random random(80);
  const Problem problem = random_problem(random, KernelSpec::gaussian(1.5), 30, 3, 2, true, true);
  const Matrix k = to_double(oracle::kernel_matrix(problem.kernel, problem.x, problem.x));
  Model given(Kernel::precomputed()), own = oracle::make_model(problem);
  given.data(k, problem.y).weights(problem.weights);
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML})
    for (const freeridge_intercept intercept :
         {FREERIDGE_INTERCEPT_NONE, FREERIDGE_INTERCEPT_FREE, FREERIDGE_INTERCEPT_PENALISED}) {
      given.intercept_kind(intercept);
      own.intercept_kind(intercept);
      const Gradient expected = gradient(own, criterion, 0.4);
      double score = nan, by_lambda = nan;
      check(freeridge_score_gradient(given.get(), criterion, 0.4, &score, &by_lambda, nullptr),
            "freeridge_score_gradient");
      EXPECT_NEAR(score, expected.score, 1e-11 * (1 + std::abs(expected.score)));
      EXPECT_NEAR(by_lambda, expected.by_lambda, 1e-10 * (1 + std::abs(expected.score)));
    }
}

// Numbers that are zero stay zero on a log scale; a constant column moves nothing; nor does a column of length
// infinity.
TEST(ScoreGradient, IsZeroWhereNothingMoves) {
  Random random(81);
  Problem problem = random_problem(random, KernelSpec::linear(), 25, 3, 1, false, true);
  for (std::int64_t i = 0; i < 25; ++i) problem.x(i, 1) = 1 / 3.0;
  Model model(
      Kernel::parse("scaled([1, 1, 1e200], 0 * laplacian(sigma = 1) + 1 * gaussian(sigma = 1) + 0.5 * "
                    "polynomial(degree = 1, scale = 1e-3, offset = 0))"));
  model.data(problem.x, problem.y);
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML}) {
    const Gradient found = gradient(model, criterion, 0.1);
    // scales 0 1 2, weight sigma, weight sigma, weight scale offset
    EXPECT_NE(found.by_kernel[0], 0);
    EXPECT_NEAR(found.by_kernel[1], 0, 1e-14);
    EXPECT_EQ(found.by_kernel[2], 0);
    EXPECT_EQ(found.by_kernel[3], 0);
    EXPECT_EQ(found.by_kernel[4], 0);
    EXPECT_NE(found.by_kernel[6], 0);
    EXPECT_EQ(found.by_kernel[9], 0);
    EXPECT_EQ(gradient(model, criterion, 0.1).by_kernel, found.by_kernel);
  }
}

// All scales of x at once, of y and of lambda: what units change is known.
TEST(ScoreGradient, UnitsDoNotMatter) {
  Random random(82);
  const Problem problem = random_problem(random, KernelSpec::linear(), 30, 2, 1, true, true);
  const auto of = [&](double unit, const char* kernel, double lambda, freeridge_criterion criterion) {
    Matrix x = problem.x;
    for (double& value : x.values) value *= unit;
    Model model(Kernel::parse(kernel));
    model.data(x, problem.y).weights(problem.weights);
    return gradient(model, criterion, lambda);
  };
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML}) {
    const Gradient small = of(0x1p-400, "matern(nu = 1.5, length = 7.7451838296986366e-121)", 0.3, criterion);
    const Gradient usual = of(1, "matern(nu = 1.5, length = 2)", 0.3, criterion);
    EXPECT_NEAR(small.score, usual.score, 1e-12 * std::abs(usual.score));
    EXPECT_NEAR(small.by_kernel[0], usual.by_kernel[0], 1e-12 * std::abs(usual.score));
    // x'x is 2^900 times as large, and lambda, too; REML is larger by no constant that a derivative knows.
    const Gradient linear = of(1, "polynomial(degree = 1, scale = 1, offset = 0)", 0.3, criterion);
    const Gradient large =
        of(0x1p450, "polynomial(degree = 1, scale = 1, offset = 0)", std::ldexp(0.3, 900), criterion);
    EXPECT_NEAR(large.by_lambda, linear.by_lambda, 1e-12 * std::abs(linear.score));
    EXPECT_NEAR(large.by_kernel[0], linear.by_kernel[0], 1e-12 * std::abs(linear.score));
    // A score that no common factor of K and lambda changes, or, of REML, by none of log |M| and of the quadratic form.
    EXPECT_NEAR(linear.by_kernel[0] + linear.by_lambda, 0, 1e-12 * std::abs(linear.score));
  }
}

// The derivative by a factor of the kernel is that by lambda, with the other sign, also where K is so large beside lambda
// that rounding of K is larger than both.
TEST(ScoreGradient, AFactorOfTheKernelHasTheDigitsOfLambda) {
  Random random(88);
  const Problem problem = random_problem(random, KernelSpec::linear(), 30, 2, 1, true, true);
  for (const char* kernel : {"1e25 * gaussian(sigma = 3)", "scaled([1, 2], 1e25 * gaussian(sigma = 2))",
                             "1e25 * linear()", "additive(1e25 * gaussian(sigma = 3))"})
    for (const std::int64_t landmarks : {0, 5}) {
      SCOPED_TRACE(::testing::Message() << kernel << ", " << landmarks << " landmarks");
      Model model(Kernel::parse(kernel));
      model.data(problem.x, problem.y).weights(problem.weights).groups(modulo_groups(30, 4));
      check(freeridge_set_landmarks(model.get(), landmarks, nullptr), "freeridge_set_landmarks");
      Gradient found;
      for (const freeridge_criterion criterion : criteria) {
        const freeridge_status status = ask(model, criterion, 1.0, found);
        if (status == FREERIDGE_NOT_POSITIVE_DEFINITE) continue;
        ASSERT_EQ(status, FREERIDGE_OK) << freeridge_last_error();
        const std::size_t place = kernel[0] == 's' ? 2 : 0;
        EXPECT_EQ(found.by_kernel[place], -found.by_lambda);
        if (criterion != FREERIDGE_REML) {
          EXPECT_LT(std::abs(found.by_lambda), 1e-12 * found.score);
        }
      }
    }
}

struct Refusal {
  const char* what;
  freeridge_status status;
  freeridge_criterion criterion;
  double lambda;
  std::function<void(Model&)> prepare;
};

TEST(ScoreGradient, SaysWhereThereIsNone) {
  Random random(83);
  const Problem problem = random_problem(random, KernelSpec::linear(), 20, 3, 1, false, true);
  const auto nothing = [](Model&) {};
  Matrix twice = problem.x, one(1, 3, 0.5), one_y(1, 1, 2.0);
  for (std::int64_t k = 0; k < 3; ++k) twice(7, k) = twice(3, k);
  const Refusal refusals[] = {
      {"ERROR_RATE", FREERIDGE_INVALID_ARGUMENT, FREERIDGE_ERROR_RATE, 1, nothing},
      {"lambda", FREERIDGE_INVALID_ARGUMENT, FREERIDGE_LOO, -1, nothing},
      {"lambda", FREERIDGE_NOT_FINITE, FREERIDGE_LOO, nan, nothing},
      {"lambda", FREERIDGE_NOT_FINITE, FREERIDGE_REML, infinity, nothing},
      {"freeridge_set_groups", FREERIDGE_INVALID_STATE, FREERIDGE_GROUPS, 1, nothing},
      {"landmarks", FREERIDGE_INVALID_ARGUMENT, FREERIDGE_LOO, 1,
       [](Model& model) {
         check(freeridge_set_landmarks(model.get(), 5, nullptr), "freeridge_set_landmarks");
         model.route(FREERIDGE_ROUTE_CHOLESKY);
       }},
      {"singular", FREERIDGE_NOT_POSITIVE_DEFINITE, FREERIDGE_LOO, 0,
       [&](Model& model) { model.data(twice, problem.y); }},
      {"singular", FREERIDGE_NOT_POSITIVE_DEFINITE, FREERIDGE_REML, 1e-17,
       [&](Model& model) { model.data(twice, problem.y); }},
      {"row 0", FREERIDGE_UNDEFINED, FREERIDGE_LOO, 1, [&](Model& model) { model.data(one, one_y); }},
      {"no value", FREERIDGE_UNDEFINED, FREERIDGE_REML, 1, [&](Model& model) { model.data(one, one_y); }},
      {"no value", FREERIDGE_UNDEFINED, FREERIDGE_GCV, 1, [&](Model& model) { model.data(one, one_y); }},
      {"group 4", FREERIDGE_UNDEFINED, FREERIDGE_GROUPS, 1,
       [](Model& model) { model.groups(Labels(20, 4)); }},  // all rows together
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.what);
    Model model(Kernel::gaussian(1.0));
    model.data(problem.x, problem.y);
    refusal.prepare(model);
    Gradient out;
    EXPECT_EQ(ask(model, refusal.criterion, refusal.lambda, out), refusal.status) << freeridge_last_error();
    EXPECT_NE(std::string(freeridge_last_error()).find(refusal.what), std::string::npos) << freeridge_last_error();
    EXPECT_TRUE(std::isnan(out.score) && std::isnan(out.by_lambda) && std::isnan(out.by_kernel[0]));
  }
}

// Outputs that the fit meets exactly have no likelihood, and a left-out error of zero.
TEST(ScoreGradient, OfConstantOutputsAndRepeatedRows) {
  Random random(84);
  Problem problem = random_problem(random, KernelSpec::linear(), 20, 3, 1, false, true);
  for (std::int64_t k = 0; k < 3; ++k) problem.x(7, k) = problem.x(3, k);
  const Kernel kernel = Kernel::parse("scaled([1, 2, 3], laplacian(sigma = 1))");
  Model model(kernel);
  model.data(problem.x, problem.y).groups(modulo_groups(20, 3));
  expect_by_scores(model, kernel, problem, 0.5);
  for (double& value : problem.y.values) value = 3;
  model.data(problem.x, problem.y);
  Gradient out;
  EXPECT_EQ(ask(model, FREERIDGE_LOO, 0.5, out), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_NEAR(out.score, 0, 1e-25);
  EXPECT_EQ(ask(model, FREERIDGE_REML, 0.5, out), FREERIDGE_UNDEFINED);
}

// Every row a landmark: the problem without landmarks. Landmarks that the model chooses are those it has.
TEST(ScoreGradient, LandmarksGivenAndChosen) {
  Random random(87);
  const Problem problem = random_problem(random, KernelSpec::gaussian(1.5), 30, 3, 2, true, true);
  Model dual = oracle::make_model(problem), all = oracle::make_model(problem), some = oracle::make_model(problem);
  dual.groups(modulo_groups(30, 4));
  all.groups(modulo_groups(30, 4));
  check(freeridge_set_landmarks(all.get(), 30, nullptr), "freeridge_set_landmarks");
  for (const freeridge_criterion criterion : criteria) {
    const Gradient expected = gradient(dual, criterion, 0.2), found = gradient(all, criterion, 0.2);
    EXPECT_NEAR(found.score, expected.score, 1e-9 * std::abs(expected.score));
    EXPECT_NEAR(found.by_lambda, expected.by_lambda, 1e-8 * std::abs(expected.score));
    EXPECT_NEAR(found.by_kernel[0], expected.by_kernel[0], 1e-8 * std::abs(expected.score));
  }
  check(freeridge_set_landmarks(some.get(), 7, nullptr), "freeridge_set_landmarks");
  const Gradient before = gradient(some, FREERIDGE_LOO, 0.2);
  some.factorize();
  const Gradient after = gradient(some, FREERIDGE_LOO, 0.2);
  EXPECT_EQ(before.score, after.score);
  EXPECT_EQ(before.by_kernel, after.by_kernel);
}

}  // namespace score_gradient_test
