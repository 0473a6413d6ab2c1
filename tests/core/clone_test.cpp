// A clone answers as its model, to the last bit, in every state and on every route; and what is done to one of them, its
// end included, does not show in the other.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <optional>

#include "support/compare.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/saved.hpp"

namespace clone_test {

using namespace support;
using oracle::Problem;

Handle clone_of(const freeridge_model* model) {
  freeridge_model* out = nullptr;
  check(freeridge_clone(model, &out), "freeridge_clone");
  return Handle(out);
}

Problem problem_of(bool linear) {
  Random random(11);
  return random_problem(random, linear ? oracle::KernelSpec::linear() : oracle::KernelSpec::gaussian(1.2), 20, 3, 2,
                        true, true);
}

Model fitted(freeridge_route route) {
  const Problem problem = problem_of(route == FREERIDGE_ROUTE_PRIMAL);
  Model model = oracle::make_model(problem, route == FREERIDGE_ROUTE_LANDMARK ? FREERIDGE_ROUTE_AUTO : route);
  model.groups(modulo_groups(20, 4));
  if (route == FREERIDGE_ROUTE_LANDMARK) set_landmarks(model, {1, 9, 4});
  model.factorize().select_lambda(FREERIDGE_GCV);
  return model;
}

class Clone : public ::testing::TestWithParam<freeridge_route> {};

// What is saved is all there is: settings, data, factorization, fit and search.
TEST_P(Clone, IsTheModel) {
  const Model model = fitted(GetParam());
  const Bytes before = saved(model.get());
  const Handle clone = clone_of(model.get());
  EXPECT_EQ(saved(clone.get()), before);
  double errors[40], own[40];
  ASSERT_EQ(freeridge_loo(clone.get(), errors, 20), FREERIDGE_OK) << freeridge_last_error();
  ASSERT_EQ(freeridge_loo(model.get(), own, 20), FREERIDGE_OK);
  EXPECT_EQ(std::memcmp(errors, own, sizeof own), 0);
}

TEST_P(Clone, OutlivesTheModel) {
  std::optional<Model> model(fitted(GetParam()));
  const Bytes before = saved(model->get());
  const Matrix loo = model->loo();
  const Handle clone = clone_of(model->get());
  model.reset();
  EXPECT_EQ(saved(clone.get()), before);
  double errors[40];
  ASSERT_EQ(freeridge_loo(clone.get(), errors, 20), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_EQ(std::memcmp(errors, loo.values.data(), sizeof errors), 0);
  ASSERT_EQ(freeridge_set_lambda(clone.get(), 2.0), FREERIDGE_OK);
  EXPECT_EQ(saved(clone.get()), saved(fitted(GetParam()).lambda(2.0).get()));
}

// Each call changes the one that it is made on, and the other stays.
TEST_P(Clone, IsIndependent) {
  const Vector ones(20, 2.0);
  const double x[] = {1, 2, 3}, y[] = {1, 0, 1};
  const Kernel kernel = Kernel::scaled(Kernel::linear(), {1, 2, 3});
  const std::function<freeridge_status(freeridge_model*)> changes[] = {
      [](freeridge_model* m) { return freeridge_set_lambda(m, 7.0); },
      [](freeridge_model* m) { return freeridge_factorize(m); },
      [&](freeridge_model* m) { return freeridge_set_weights(m, ones.data()); },
      [](freeridge_model* m) { return freeridge_set_weights(m, nullptr); },
      [](freeridge_model* m) { return freeridge_set_groups(m, 1, nullptr, 0, nullptr); },
      [](freeridge_model* m) { return freeridge_set_parameter(m, FREERIDGE_INTERCEPT, 0); },
      [](freeridge_model* m) { return freeridge_set_landmarks(m, 0, nullptr); },
      [&](freeridge_model* m) { return freeridge_set_kernel(m, kernel.get()); },
      [&](freeridge_model* m) { return freeridge_set_data(m, FREERIDGE_COL_MAJOR, 3, 1, x, 3, 1, y, 3); },
  };
  for (const auto& change : changes)
    for (const bool of_clone : {false, true}) {
      const Model model = fitted(GetParam());
      const Bytes before = saved(model.get());
      const Handle clone = clone_of(model.get());
      freeridge_model* const changed = of_clone ? clone.get() : model.get();
      freeridge_model* const other = of_clone ? model.get() : clone.get();
      ASSERT_EQ(change(changed), FREERIDGE_OK) << freeridge_last_error();
      EXPECT_NE(saved(changed), before);
      EXPECT_EQ(saved(other), before);
      ASSERT_EQ(freeridge_factorize(changed), FREERIDGE_OK) << freeridge_last_error();
      EXPECT_EQ(saved(other), before);
    }
}

INSTANTIATE_TEST_SUITE_P(EveryRoute, Clone,
                         ::testing::Values(FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                                           FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_LANDMARK));

TEST(CloneOf, EveryStateAndAPredictor) {
  Model empty(Kernel::gaussian(2.0));
  empty.expected_lambdas(9);
  EXPECT_EQ(saved(clone_of(empty.get()).get()), saved(empty.get()));
  const Problem problem = problem_of(false);
  Model model = oracle::make_model(problem);
  EXPECT_EQ(saved(clone_of(model.get()).get()), saved(model.get()));
  model.factorize();
  EXPECT_EQ(saved(clone_of(model.get()).get()), saved(model.get()));
  const Handle predictor = loaded(saved_predictor(model.lambda(0.5).get()));
  const Handle clone = clone_of(predictor.get());
  EXPECT_EQ(saved_predictor(clone.get()), saved_predictor(predictor.get()));
  EXPECT_EQ(freeridge_factorize(clone.get()), FREERIDGE_INVALID_STATE);
}

// Borrowed rows stay borrowed: the clone reads the same array.
TEST(CloneOf, AView) {
  double x[] = {1, 2, 3, 4}, y[] = {1, 3, 2, 5};
  Handle clone;
  {
    Model model(Kernel::linear());
    check(freeridge_set_points(model.get(), at(FREERIDGE_COL_MAJOR, 4, 1, x), 1, FREERIDGE_COL_MAJOR, 1, y, 4),
          "freeridge_set_points");
    clone = clone_of(model.get());
  }
  y[0] = 2;
  Model other(Kernel::linear());
  check(freeridge_set_data(other.get(), FREERIDGE_COL_MAJOR, 4, 1, x, 4, 1, y, 4), "freeridge_set_data");
  EXPECT_EQ(saved(clone.get()), saved(other.get()));
}

// The callback is not copied.
TEST(CloneOf, ACallback) {
  int calls = 0;
  Model model = fitted(FREERIDGE_ROUTE_SPECTRAL);
  model.progress([](double, void* user) -> std::int32_t { return ++*static_cast<int*>(user), 0; }, &calls);
  const Handle clone = clone_of(model.get());
  ASSERT_EQ(freeridge_factorize(clone.get()), FREERIDGE_OK);
  EXPECT_EQ(calls, 0);
}

}  // namespace clone_test
