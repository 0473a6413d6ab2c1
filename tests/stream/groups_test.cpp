// Groups of rows left out together, in an accumulator's second pass and in a reader's model: against refits in long double
// without each group, and against models with all rows, with gaps, several divisions and fixed effects; groups of few rows and
// of more than there are columns, together and scattered; groups without errors; what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/accumulator.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/reader.hpp"
#include "support/unpenalised.hpp"

namespace groups_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const Vector lambda_values = {1e-3, 0.2, 5.0, 1e3};

// Labels 2, 3, ...: two small groups, rows that never are left out, and the rest in groups of about `size` rows, either
// together or dealt out in turn.
Labels labels_of(std::int64_t n, std::int64_t size, bool together) {
  Labels out;
  const std::int64_t groups = std::max<std::int64_t>((n - 5) / size, 2);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t place = together ? i * groups / n : i % groups;
    out.push_back(i == 1 ? 2 : i == 4 || i == 5 ? 9 : i == 7 ? -3 : static_cast<std::int32_t>(10 + place));
  }
  return out;
}

// The errors at each lambda, output j of lambda l in column l t + j.
Matrix group_errors(const Accumulator& rows, const Problem& problem, const Labels& group, const Vector& lambdas,
                    freeridge_status expected = FREERIDGE_OK) {
  const auto count = static_cast<std::int64_t>(lambdas.size()), n = problem.x.rows;
  Matrix out(n, count * problem.y.cols);
  EXPECT_EQ(freeridge_accumulator_errors(rows.get(), at(problem.x), FREERIDGE_COL_MAJOR, problem.y.values.data(), n,
                                         problem.weights.empty() ? nullptr : problem.weights.data(), group.data(),
                                         count, lambdas.data(), out.values.data(), n),
            expected)
      << freeridge_last_error();
  return out;
}

Vector group_moments(const Accumulator& rows, const Problem& problem, const Labels& group, const Vector& lambdas) {
  const auto count = static_cast<std::int64_t>(lambdas.size()), n = problem.x.rows;
  Vector out(5 * static_cast<std::size_t>(count * problem.y.cols), -1);
  EXPECT_EQ(freeridge_accumulator_moments(rows.get(), at(problem.x), FREERIDGE_COL_MAJOR, problem.y.values.data(), n,
                                          problem.weights.empty() ? nullptr : problem.weights.data(), group.data(),
                                          count, lambdas.data(), out.data()),
            FREERIDGE_OK)
      << freeridge_last_error();
  return out;
}

Matrix columns(const Matrix& a, std::int64_t first, std::int64_t count) {
  Matrix out(a.rows, count);
  for (std::int64_t j = 0; j < count; ++j)
    for (std::int64_t i = 0; i < a.rows; ++i) out(i, j) = a(i, first + j);
  return out;
}

struct Case {
  std::int64_t n, d, t, size;
  bool weighted, intercept;
};
const Case cases[] = {{30, 4, 2, 3, true, true},  {30, 4, 1, 9, true, false},   {60, 3, 2, 20, false, true},
                      {14, 20, 2, 4, true, true}, {14, 20, 1, 3, false, false}, {1300, 5, 1, 300, true, true}};

TEST(StreamGroups, ErrorsAreThoseOfRefits) {
  for (const Case& c : cases)
    for (const bool together : {true, false}) {
      SCOPED_TRACE(::testing::Message() << "n = " << c.n << ", d = " << c.d << (together ? ", together" : ""));
      Random random(3 + static_cast<unsigned>(c.n));
      const Problem problem = random_problem(random, KernelSpec::linear(), c.n, c.d, c.t, c.weighted, c.intercept);
      const Labels group = labels_of(c.n, c.size, together);
      const Accumulator rows(problem, 11);
      const Matrix found = group_errors(rows, problem, group, lambda_values);
      Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
      model.factorize();
      for (std::size_t l = 0; l < lambda_values.size(); ++l) {
        SCOPED_TRACE(lambda_values[l]);
        const Matrix at = columns(found, static_cast<std::int64_t>(l) * c.t, c.t);
        EXPECT_CLOSE(at, model.lambda(lambda_values[l]).group_errors(group), 1e-10);
        if (c.n <= 60) {
          EXPECT_CLOSE(at, oracle::group_errors(problem, group, lambda_values[l]), 1e-9);
        }
      }
    }
}

// A group of one row is left out as that row.
TEST(StreamGroups, OfSingleRowsAreLeaveOneOut) {
  Random random(8);
  const Problem problem = random_problem(random, KernelSpec::linear(), 40, 6, 2, true, true);
  const Accumulator rows(problem);
  Labels group;
  for (std::int32_t i = 0; i < 40; ++i) group.push_back(i);
  EXPECT_CLOSE(group_errors(rows, problem, group, lambda_values), rows.loo(problem, lambda_values), 1e-12);
}

// The groups of the errors, one after the other: 5 x (columns of errors).
Vector by_definition(const Matrix& errors, const Problem& problem, const Labels& group) {
  Vector out;
  for (std::int64_t c = 0; c < errors.cols; ++c) {
    std::vector<std::pair<long double, long double>> terms;  // v_g, q_g
    long double undefined = 0, v = 0, mean = 0, spread = 0;
    for (std::int32_t label = 0; label < 400; ++label) {
      long double weight = 0, sum = 0;
      for (std::int64_t i = 0; i < errors.rows; ++i) {
        if (group[static_cast<std::size_t>(i)] != label) continue;
        weight += problem.weight(i);
        sum += static_cast<long double>(problem.weight(i)) * errors(i, c) * errors(i, c);
      }
      if (weight == 0) continue;
      if (std::isnan(sum)) undefined += 1;
      if (!std::isnan(sum)) terms.emplace_back(weight, sum / weight);
    }
    for (const auto& [weight, q] : terms) v += weight, mean += weight * q;
    mean = terms.empty() ? 0 : mean / v;
    for (const auto& [weight, q] : terms) spread += weight * (q - mean) * (q - mean);
    for (const long double value : {static_cast<long double>(terms.size()), v, mean, std::sqrt(spread), undefined})
      out.push_back(static_cast<double>(value));
  }
  return out;
}

Matrix five_rows(const Vector& moments) {
  Matrix out(static_cast<std::int64_t>(moments.size() / 5), 5);
  for (std::size_t k = 0; k < moments.size(); ++k)
    out(static_cast<std::int64_t>(k / 5), static_cast<std::int64_t>(k % 5)) = moments[k];
  return out;
}

Problem with_labels(const Problem& problem, const Labels& group, std::int32_t from, std::int32_t to, Labels& own) {
  std::vector<std::int64_t> rows;
  own.clear();
  for (std::int64_t i = 0; i < problem.x.rows; ++i)
    if (const std::int32_t label = group[static_cast<std::size_t>(i)]; label >= from && label < to) {
      rows.push_back(i);
      own.push_back(label);
    }
  return rows_of(problem, rows);
}

TEST(StreamGroups, MomentsAreThoseOfTheErrorsJoinAndScore) {
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message() << "n = " << c.n << ", d = " << c.d);
    Random random(5 + static_cast<unsigned>(c.n));
    const Problem problem = random_problem(random, KernelSpec::linear(), c.n, c.d, c.t, c.weighted, c.intercept);
    const Labels group = labels_of(c.n, c.size, false);
    const Accumulator rows(problem);
    const Vector moments = group_moments(rows, problem, group, lambda_values);
    const Matrix errors = group_errors(rows, problem, group, lambda_values);
    EXPECT_CLOSE(five_rows(moments), five_rows(by_definition(errors, problem, group)), 1e-11);
    Labels own;  // the groups of two calls join
    const Problem first = with_labels(problem, group, -5, 11, own);
    Vector joined = group_moments(rows, first, own, lambda_values);
    const Problem second = with_labels(problem, group, 11, 400, own);
    const Vector more = group_moments(rows, second, own, lambda_values);
    check(freeridge_moments_join(static_cast<std::int64_t>(more.size() / 5), more.data(), joined.data()), "join");
    EXPECT_CLOSE(five_rows(joined), five_rows(moments), 1e-11);
    const auto count = static_cast<std::int64_t>(lambda_values.size());
    Matrix scores(count, c.t), se(count, c.t), expected(count, c.t), expected_se(count, c.t);
    check(freeridge_moments_score(count, lambda_values.data(), c.t, moments.data(), scores.values.data(),
                                  se.values.data(), count),
          "freeridge_moments_score");
    Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
    model.groups(group).factorize();
    check(freeridge_score(model.get(), FREERIDGE_GROUPS, count, lambda_values.data(), expected.values.data(),
                          expected_se.values.data(), count),
          "freeridge_score");
    EXPECT_CLOSE(scores, expected, 1e-10);
    EXPECT_CLOSE(se, expected_se, 1e-9);
  }
  const Problem problem = {KernelSpec::linear(), Matrix(3, 1, 1.0), Matrix(3, 1, 2.0), {}, true};
  EXPECT_EQ(group_moments(Accumulator(problem), problem, {-1, -2, -1}, {1.0}), Vector(5, 0.0));
}

TEST(StreamGroups, WithColumnsThatAreNotPenalised) {
  Random random(19);
  Problem problem = random_problem(random, KernelSpec::linear(), 50, 7, 2, true, true);
  for (std::int64_t i = 0; i < 50; ++i) problem.x(i, 1) = 2 * problem.x(i, 0) - 1;  // depends on the first
  Accumulator rows(problem, 13);
  check(freeridge_accumulator_set_parameter(rows.get(), FREERIDGE_UNPENALISED, 3),
        "freeridge_accumulator_set_parameter");
  std::int64_t count = 0;
  Labels kept(3, 9);
  EXPECT_EQ(freeridge_accumulator_get_unpenalised(rows.get(), &count, kept.data()), FREERIDGE_OK);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(kept, (Labels{1, 0, 1}));
  Problem rest = problem;
  rest.x = columns(problem.x, 3, 4);
  Model model = oracle::make_model(rest, FREERIDGE_ROUTE_SPECTRAL);
  set_unpenalised(model, columns(problem.x, 0, 3));
  model.factorize();
  Source source{problem, true};
  Model read(Kernel::linear());
  set_reader(read, source);
  check(freeridge_set_parameter(read.get(), FREERIDGE_UNPENALISED, 3), "freeridge_set_parameter");
  read.factorize();
  for (const std::int64_t size : {3, 18}) {
    const Labels group = labels_of(50, size, false);
    const Matrix found = group_errors(rows, problem, group, lambda_values);
    read.groups(group);
    for (std::size_t l = 0; l < lambda_values.size(); ++l) {
      const Matrix expected = model.lambda(lambda_values[l]).group_errors(group);
      EXPECT_CLOSE(columns(found, 2 * static_cast<std::int64_t>(l), 2), expected, 1e-9);
      Matrix errors(50, 2);
      check(freeridge_set_lambda(read.get(), lambda_values[l]), "freeridge_set_lambda");
      ASSERT_EQ(freeridge_group_errors(read.get(), group.data(), 0, nullptr, errors.values.data(), 50), FREERIDGE_OK);
      EXPECT_CLOSE(errors, expected, 1e-9);
    }
  }
}

// ---- readers ----

struct Tables {
  Matrix scores, errors;
};
Tables scores_of(const Model& model, std::int64_t t) {
  const auto count = static_cast<std::int64_t>(lambda_values.size());
  Tables out{Matrix(count, t), Matrix(count, t)};
  EXPECT_EQ(freeridge_score(model.get(), FREERIDGE_GROUPS, count, lambda_values.data(), out.scores.values.data(),
                            out.errors.values.data(), count),
            FREERIDGE_OK)
      << freeridge_last_error();
  return out;
}

void expect_same(Model& read, Model& whole, const Source& source, const Labels& group, const Labels& gap,
                 double tolerance) {
  const std::int64_t n = source.problem.x.rows, t = source.problem.y.cols;
  const auto layers = static_cast<std::int64_t>(gap.size() / group.size());
  const Tables found = scores_of(read, t), expected = scores_of(whole, t);
  EXPECT_CLOSE(found.scores, expected.scores, tolerance);
  EXPECT_CLOSE(found.errors, expected.errors, 10 * tolerance);
  Vector lambda(static_cast<std::size_t>(t)), score(lambda), whole_lambda(lambda), whole_score(lambda);
  EXPECT_EQ(freeridge_select_lambda(read.get(), FREERIDGE_GROUPS, 0, 0, lambda.data(), score.data()), FREERIDGE_OK)
      << freeridge_last_error();
  check(freeridge_select_lambda(whole.get(), FREERIDGE_GROUPS, 0, 0, whole_lambda.data(), whole_score.data()),
        "freeridge_select_lambda");
  EXPECT_CLOSE(score, whole_score, tolerance);
  Vector lambdas(static_cast<std::size_t>(t), 0.5);
  lambdas.back() = 3.0;
  const Labels one(group.begin(), group.begin() + n), one_gap(gap.begin(), gap.begin() + layers * n);
  for (Model* const model : {&read, &whole}) check(freeridge_set_lambdas(model->get(), lambdas.data()), "set_lambdas");
  Matrix errors(n, t), expected_errors(n, t);
  ASSERT_EQ(freeridge_group_errors(read.get(), one.data(), layers, one_gap.data(), errors.values.data(), n),
            FREERIDGE_OK)
      << freeridge_last_error();
  check(freeridge_group_errors(whole.get(), one.data(), layers, one_gap.data(), expected_errors.values.data(), n),
        "freeridge_group_errors");
  EXPECT_CLOSE(errors, expected_errors, 10 * tolerance);
}

TEST(StreamGroups, OfAReaderAreThoseOfAModelWithAllRows) {
  for (const bool linear : {true, false})
    for (const std::int64_t size : {4, 700}) {
      const std::int64_t n = linear ? 9000 : 2500;
      Random random(6);
      const KernelSpec kernel = linear ? KernelSpec::linear() : KernelSpec::gaussian(2.0);
      Source source{random_problem(random, kernel, n, 4, 2, true, true), size == 4};
      Model whole = oracle::make_model(source.problem, linear ? FREERIDGE_ROUTE_PRIMAL : FREERIDGE_ROUTE_LANDMARK);
      Model read(oracle::make_kernel(kernel));
      set_reader(read, source);
      const support::Rows chosen = some_landmarks(random, n, 25);
      for (Model* const model : {&whole, &read}) {
        if (!linear) check(freeridge_set_landmarks(model->get(), 25, chosen.data()), "freeridge_set_landmarks");
        model->factorize();
      }
      for (const bool together : {true, false}) {
        SCOPED_TRACE(::testing::Message()
                     << (linear ? "linear" : "landmarks") << ", groups of " << size << (together ? "" : ", scattered"));
        const Labels group = labels_of(n, size, together);
        for (Model* const model : {&whole, &read}) model->groups(group);
        expect_same(read, whole, source, group, {}, 1e-10);
      }
      // Two divisions, of which the second leaves out half the rows; the rows beside each block are left out with it.
      Labels two = labels_of(n, size, true), more = labels_of(n, size + 3, true), gap(2 * two.size(), -1);
      std::fill_n(more.begin(), n / 2, -1);
      two.insert(two.end(), more.begin(), more.end());
      for (std::size_t i = 1; i + 1 < gap.size() / 2; ++i)
        for (const std::size_t from : {std::size_t{0}, gap.size() / 2})
          gap[from + i] = two[from + i + 1] != two[from + i] ? two[from + i + 1] : two[from + i - 1];
      for (Model* const model : {&whole, &read}) model->groups(two, 2, gap);
      expect_same(read, whole, source, two, gap, 1e-10);
      std::int64_t divisions = 0, layers = 0;
      Labels again(two.size());
      EXPECT_EQ(freeridge_get_groups(read.get(), &divisions, again.data(), nullptr, nullptr), FREERIDGE_OK);
      for (std::size_t i = 0; i < two.size(); ++i) EXPECT_EQ(again[i], std::max(two[i], -1));
      EXPECT_EQ(freeridge_get_groups(read.get(), nullptr, nullptr, &layers, nullptr), FREERIDGE_OK);
      EXPECT_TRUE(divisions == 2 && layers == 1);
    }
}

// A column that one group alone has; all rows in one group; more rows than stay.
TEST(StreamGroups, WithoutErrorsAreNaN) {
  Random random(4);
  for (const std::int64_t own : {2, 12}) {
    Problem problem = random_problem(random, KernelSpec::linear(), 40, 3, 1, true, true);
    Labels group(40, 5);
    for (std::int64_t i = 0; i < 40; ++i) {
      if (i >= own) problem.x(i, 2) = 0;
      group[static_cast<std::size_t>(i)] = i < own ? 7 : static_cast<std::int32_t>(i % 3);
    }
    Accumulator rows(problem);
    check(freeridge_accumulator_set_parameter(rows.get(), FREERIDGE_UNPENALISED, 0),
          "freeridge_accumulator_set_parameter");
    const Matrix errors = group_errors(rows, problem, group, {0.0, 1.0}, FREERIDGE_UNDEFINED);
    EXPECT_NE(std::string(freeridge_last_error()).find("group 7"), std::string::npos) << freeridge_last_error();
    for (std::int64_t i = 0; i < 40; ++i) {
      EXPECT_EQ(std::isnan(errors(i, 0)), i < own);
      EXPECT_FALSE(std::isnan(errors(i, 1)));
    }
    const Vector moments = group_moments(rows, problem, group, {0.0, 1.0});
    EXPECT_TRUE(moments[0] == 3 && moments[4] == 1 && moments[5] == 4 && moments[9] == 0);
    const Matrix none = group_errors(rows, problem, Labels(40, 1), {1.0}, FREERIDGE_UNDEFINED);
    EXPECT_TRUE(std::isnan(none(0, 0)) && std::isnan(none(39, 0)));
  }
}

// Rows of one group far from all others, so that the sums of all rows hardly know what the others say.
TEST(StreamGroups, AnErrorHasSixDigitsOrIsNaN) {
  bool unknown = false;
  for (const std::int64_t own : {2, 9})
    for (int power = 0; power <= 10; ++power) {
      SCOPED_TRACE(::testing::Message() << own << " rows at 1e" << power);
      Random random(31 + static_cast<unsigned>(power));
      Problem problem = random_problem(random, KernelSpec::linear(), 40, 3, 1, false, true);
      Labels group(40, 5);
      for (std::int64_t i = 0; i < 40; ++i) {
        for (std::int64_t k = 0; k < 3 && i < own; ++k) problem.x(i, k) *= std::pow(10.0, power);
        group[static_cast<std::size_t>(i)] = i < own ? 7 : static_cast<std::int32_t>(i % 3);
      }
      const Accumulator rows(problem);
      for (const double lambda : {0.0, 1e-3, 1.0}) {
        Matrix errors(40, 1);
        freeridge_accumulator_errors(rows.get(), at(problem.x), FREERIDGE_COL_MAJOR, problem.y.values.data(), 40,
                                     nullptr, group.data(), 1, &lambda, errors.values.data(), 40);
        const Matrix expected = oracle::group_errors(problem, group, std::max(lambda, 1e-12));
        double size = 0;
        for (std::int64_t i = 0; i < own; ++i) size = std::max(size, std::abs(expected(i, 0)));
        for (std::int64_t i = 0; i < own; ++i) {
          unknown = unknown || std::isnan(errors(i, 0));
          EXPECT_FALSE(power <= 2 && std::isnan(errors(i, 0))) << lambda;
          if (!std::isnan(errors(i, 0))) {
            EXPECT_NEAR(errors(i, 0), expected(i, 0), 1e-6 * size) << lambda;
          }
        }
      }
    }
  EXPECT_TRUE(unknown);
}

TEST(StreamGroups, Refused) {
  Random random(2);
  Source source{random_problem(random, KernelSpec::linear(), 3000, 3, 1, false, true), true};
  Model unknown(Kernel::linear()), read(Kernel::linear());
  const Labels none(3000, -1), some = labels_of(3000, 2, false);
  EXPECT_EQ(freeridge_set_parameter(read.get(), FREERIDGE_UNPENALISED, 1), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_get_unpenalised(read.get(), nullptr, nullptr, nullptr, nullptr, 0), FREERIDGE_INVALID_STATE);
  set_reader(unknown, source, false);
  EXPECT_EQ(freeridge_set_groups(unknown.get(), 1, some.data(), 0, nullptr), FREERIDGE_INVALID_STATE);
  set_reader(read, source);
  for (const std::int64_t count : {std::int64_t{-1}, std::int64_t{3}, INT64_MAX, INT64_MIN})
    EXPECT_EQ(freeridge_set_parameter(read.get(), FREERIDGE_UNPENALISED, static_cast<double>(count)),
              FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_set_groups(read.get(), 1, none.data(), 0, nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_set_groups(read.get(), INT64_MAX, some.data(), 0, nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_set_groups(read.get(), 1, nullptr, 1, some.data()), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_get_groups(read.get(), nullptr, nullptr, nullptr, nullptr), FREERIDGE_INVALID_STATE);
  read.factorize();
  double lambda = 1, score = 0;
  EXPECT_EQ(freeridge_score(read.get(), FREERIDGE_GROUPS, 1, &lambda, &score, nullptr, 1), FREERIDGE_INVALID_STATE);
  read.groups(some, 1, some);
  EXPECT_EQ(freeridge_set_groups(read.get(), 1, none.data(), 0, nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_set_groups(read.get(), 1, some.data(), 1, nullptr), FREERIDGE_INVALID_ARGUMENT);
  std::int64_t divisions = 0, layers = 0;
  Labels labels(3000);
  EXPECT_EQ(freeridge_get_groups(read.get(), &divisions, labels.data(), &layers, nullptr), FREERIDGE_OK);
  Labels expected = some;
  for (std::int32_t& label : expected) label = std::max(label, -1);
  EXPECT_EQ(labels, expected);
  EXPECT_EQ(std::pair(divisions, layers), std::pair(std::int64_t{1}, std::int64_t{1}));
  Labels kept(1, 9);
  check(freeridge_set_parameter(read.get(), FREERIDGE_UNPENALISED, 1),
        "freeridge_set_parameter");  // forgets the factorization
  EXPECT_EQ(freeridge_get_unpenalised(read.get(), nullptr, kept.data(), nullptr, nullptr, 0), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_score(read.get(), FREERIDGE_GROUPS, 1, &lambda, &score, nullptr, 1), FREERIDGE_INVALID_STATE);
  read.factorize();
  EXPECT_EQ(freeridge_get_unpenalised(read.get(), nullptr, kept.data(), nullptr, nullptr, 0), FREERIDGE_OK);
  EXPECT_EQ(kept[0], 1);
  EXPECT_EQ(freeridge_score(read.get(), FREERIDGE_GROUPS, 1, &lambda, &score, nullptr, 1), FREERIDGE_OK);
  check(freeridge_set_parameter(read.get(), FREERIDGE_MEMORY_LIMIT, 50000), "freeridge_set_parameter");
  EXPECT_EQ(freeridge_score(read.get(), FREERIDGE_GROUPS, 1, &lambda, &score, nullptr, 1), FREERIDGE_OUT_OF_MEMORY);
  EXPECT_NE(std::string(freeridge_last_error()).find("together"), std::string::npos) << freeridge_last_error();
  Model landmarks(Kernel::gaussian(1.0));
  set_reader(landmarks, source);
  check(freeridge_set_landmarks(landmarks.get(), 5, nullptr), "freeridge_set_landmarks");
  check(freeridge_set_parameter(landmarks.get(), FREERIDGE_UNPENALISED, 1), "freeridge_set_parameter");
  EXPECT_EQ(freeridge_factorize(landmarks.get()), FREERIDGE_INVALID_ARGUMENT);
}

}  // namespace groups_test
