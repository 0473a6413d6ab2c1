// No stale answers: every setter after a full fit, then every getter. A setter that goes back to DATA makes the getters
// answer INVALID_STATE, and after a new fit they give what a fresh model of the new problem gives, bit for bit; a
// setter that changes no state changes no answer.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace state_test {

using namespace support;
using oracle::Problem;

constexpr std::int64_t n = 24, d = 3, t = 2;
constexpr double lambda = 0.3;

Problem first_problem() {
  Random random(100);
  return random_problem(random, oracle::KernelSpec::gaussian(1.1), n, d, t, true, true);
}

Matrix points() {
  Random random(101);
  return random.uniform_matrix(6, d, -1.0, 1.0);
}

enum class State { data, factorized, fitted };

struct Getter {
  const char* name;
  State needs;
  std::function<Vector(const Model&)> get;
};

const std::vector<Getter>& getters() {
  static const std::vector<Getter> all = {
      {"loo", State::fitted, [](const Model& m) { return m.loo().values; }},
      {"group_errors", State::fitted, [](const Model& m) { return m.group_errors(modulo_groups(n + 8, 5)).values; }},
      {"predict", State::fitted, [](const Model& m) { return m.predict(points()).values; }},
      {"get_coefficients", State::fitted, [](const Model& m) { return m.coefficients().values; }},
      {"intercept", State::fitted, [](const Model& m) { return m.intercepts(); }},
      {"get_fitted", State::fitted, [](const Model& m) { return m.fitted().values; }},
      {"get_leverage", State::fitted, [](const Model& m) { return m.leverage().values; }},
      {"get_lambda", State::fitted, [](const Model& m) { return m.lambda_in_force(); }},
      {"get_route", State::factorized, [](const Model& m) { return Vector{static_cast<double>(m.route_used())}; }},
      {"lambda_grid", State::factorized, [](const Model& m) { return m.lambda_grid(9); }},
      {"score LOO", State::factorized,
       [](const Model& m) {
         return m.score(FREERIDGE_LOO, {0.1, 2.0}).values;
       }},
      {"score GCV", State::factorized,
       [](const Model& m) {
         return m.score(FREERIDGE_GCV, {0.1, 2.0}).values;
       }},
      {"score REML", State::factorized,
       [](const Model& m) {
         return m.score(FREERIDGE_REML, {0.1, 2.0}).values;
       }},
      {"get_bandwidth", State::data, [](const Model& m) { return Vector{m.bandwidth()}; }},
  };
  return all;
}

// Every getter on a model in the given state: a copy of its answer, or INVALID_STATE where the state is too low.
void expect_same_answers(const Model& actual, const Model& expected) {
  for (const Getter& getter : getters()) {
    SCOPED_TRACE(getter.name);
    EXPECT_TRUE(bit_equal(getter.get(actual), getter.get(expected)));
  }
}

void expect_state(const Model& model, State state) {
  for (const Getter& getter : getters()) {
    SCOPED_TRACE(getter.name);
    if (getter.needs <= state) {
      EXPECT_NO_THROW(getter.get(model));
      continue;
    }
    try {
      getter.get(model);
      ADD_FAILURE() << "answered though the state is too low";
    } catch (const StatusError& error) {
      EXPECT_EQ(error.status, FREERIDGE_INVALID_STATE);
    }
  }
}

Model fresh(const Problem& problem, freeridge_route route = FREERIDGE_ROUTE_AUTO) {
  Model model = oracle::make_model(problem, route);
  model.factorize().lambda(lambda);
  return model;
}

struct Setter {
  const char* name;
  std::function<void(Problem&)> on_problem;  // what it means
  std::function<void(Model&, const Problem&)> on_model;
  freeridge_route route = FREERIDGE_ROUTE_AUTO;  // the route afterwards
};

std::vector<Setter> setters_back_to_data() {
  const auto new_data = [](Problem& problem) {
    Random random(200);
    const Problem other = random_problem(random, problem.kernel, n, d, t, false, true);
    problem.x = other.x;
    problem.y = other.y;
    problem.weights.clear();  // weights belong to the rows: they are dropped
  };
  return {
      {"set_data", new_data, [](Model& m, const Problem& p) { m.data(p.x, p.y, FREERIDGE_ROW_MAJOR, 1); }},
      {"set_data of another size",
       [](Problem& problem) {
         Random random(201);
         const Problem other = random_problem(random, problem.kernel, n + 5, d, t, false, true);
         problem.x = other.x;
         problem.y = other.y;
         problem.weights.clear();
       },
       [](Model& m, const Problem& p) { m.data(p.x, p.y); }},
      {"set_weights",
       [](Problem& problem) {
         Random random(202);
         problem.weights = random.uniform_vector(n, 0.1, 3.0);
       },
       [](Model& m, const Problem& p) { m.weights(p.weights); }},
      {"set_weights NULL", [](Problem& problem) { problem.weights.clear(); },
       [](Model& m, const Problem&) { m.weights({}); }},
      {"set_kernel", [](Problem& problem) { problem.kernel = oracle::KernelSpec::gaussian(0.7); },
       [](Model& m, const Problem& p) { m.kernel(oracle::make_kernel(p.kernel)); }},
      {"set_intercept", [](Problem& problem) { problem.intercept = false; },
       [](Model& m, const Problem&) { m.intercept(false); }},
      {"set_route", [](Problem&) {}, [](Model& m, const Problem&) { m.route(FREERIDGE_ROUTE_CHOLESKY); },
       FREERIDGE_ROUTE_CHOLESKY},
  };
}

TEST(State, SettersThatGoBackToDataLeaveNothingStale) {
  for (const Setter& setter : setters_back_to_data()) {
    SCOPED_TRACE(setter.name);
    Problem problem = first_problem();
    Model model = fresh(problem);
    setter.on_problem(problem);
    setter.on_model(model, problem);
    expect_state(model, State::data);
    EXPECT_EQ(model.search_count(), 0);
    EXPECT_EQ(freeridge_set_lambda(model.get(), lambda), FREERIDGE_INVALID_STATE);
    expect_state(model.factorize(), State::factorized);
    expect_state(model.lambda(lambda), State::fitted);
    expect_same_answers(model, fresh(problem, setter.route));
  }
}

TEST(State, ViewsGoBackToDataToo) {
  Problem problem = first_problem();
  Model model = fresh(problem);
  Random random(203);
  const Problem other = random_problem(random, problem.kernel, n, d, t, false, true);
  const Packed x = pack(other.x, FREERIDGE_COL_MAJOR, 0), y = pack(other.y, FREERIDGE_COL_MAJOR, 0);
  model.data_view(x, y, n, d, t);
  expect_state(model, State::data);
  model.factorize().lambda(lambda);
  expect_same_answers(model, fresh(other));
}

TEST(State, SettersThatChangeNoStateChangeNoAnswer) {
  const Problem problem = first_problem();
  const Model expected = fresh(problem);
  Model model = fresh(problem);
  model.groups(modulo_groups(n, 3));
  expect_same_answers(model, expected);
  model.expected_lambdas(1);
  expect_same_answers(model, expected);
  int calls = 0;
  model.progress([](double, void* user) { return ++*static_cast<int*>(user), 0; }, &calls);
  expect_same_answers(model, expected);
  EXPECT_GT(calls, 0);
  model.progress(nullptr, nullptr);
  expect_same_answers(model, expected);
  model.groups({});
  expect_same_answers(model, expected);
}

TEST(State, FactorizeAgainUnsetsLambdaAndGivesTheSameAnswers) {
  const Problem problem = first_problem();
  Model model = fresh(problem);
  model.factorize();
  expect_state(model, State::factorized);
  model.lambda(lambda);
  expect_same_answers(model, fresh(problem));
}

TEST(State, NewLambdasReplaceEveryAnswer) {
  const Problem problem = first_problem();
  Model model = fresh(problem);
  const Vector other = {0.02, 5.0};
  model.lambdas(other);
  Model expected = oracle::make_model(problem);
  expected.factorize().lambdas(other);
  expect_same_answers(model, expected);
  EXPECT_EQ(model.lambda_in_force(), other);

  const LambdaChoice choice = model.select_lambda(FREERIDGE_GCV);
  expected.lambdas(choice.lambda);
  expect_same_answers(model, expected);
  EXPECT_EQ(model.lambda_in_force(), choice.lambda);
}

TEST(State, ScoresLeaveTheLambdaInForce) {
  const Problem problem = first_problem();
  Model model = fresh(problem);
  model.groups(modulo_groups(n, 4));
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS})
    model.score(criterion, {1e-4, 10.0, 1e5});
  expect_same_answers(model, fresh(problem));
}

// Whether a fit is held or not: at other addresses a BLAS may sum in another order (core.oldest_kernels).
TEST(State, AFitThatIsHeldChangesNoBitOfAScore) {
  for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_SPECTRAL}) {
    SCOPED_TRACE(route_name(route));
    Model model = oracle::make_model(first_problem(), route);
    model.factorize();
    const auto scores = [&] { return model.score(FREERIDGE_LOO, {0.1, 0.5, 2.0, 7.0}); };
    const Matrix before = scores();
    model.lambda(lambda);
    EXPECT_TRUE(bit_equal(scores(), before));
  }
}

TEST(State, GroupsBelongToTheRows) {
  const Problem problem = first_problem();
  Model model = fresh(problem);
  const auto score = [&] {
    Matrix out(1, t);
    const double at = 1.0;
    return freeridge_score(model.get(), FREERIDGE_GROUPS, 1, &at, out.values.data(), nullptr, 1);
  };
  EXPECT_EQ(score(), FREERIDGE_INVALID_STATE);
  model.groups(modulo_groups(n, 4));
  EXPECT_EQ(score(), FREERIDGE_OK);
  model.kernel(Kernel::gaussian(2.0)).factorize();  // the same rows: still there
  EXPECT_EQ(score(), FREERIDGE_OK);
  model.data(problem.x, problem.y).factorize();
  EXPECT_EQ(score(), FREERIDGE_INVALID_STATE);
}

// The primal route for this kernel is refused by factorize: the setter has gone back to DATA, factorize stays there.
TEST(State, ARouteThatFactorizeRefusesMayBeSetBack) {
  Model model = fresh(first_problem());
  const Model expected = fresh(first_problem());
  model.route(FREERIDGE_ROUTE_PRIMAL);
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_INVALID_ARGUMENT);
  expect_state(model, State::data);
  model.route(FREERIDGE_ROUTE_AUTO).factorize().lambda(lambda);
  expect_same_answers(model, expected);
}

}  // namespace state_test
