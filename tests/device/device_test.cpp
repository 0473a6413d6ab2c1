// The parameter DEVICE: what it takes, refuses and explains; what runs there has the answers of the CPU (the oracles are
// those of tests/core, whose tables have the routes on a device); clones, saved models, progress and cancelling.
#include <freeridge.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/compare.hpp"
#include "support/problems.hpp"
#include "support/saved.hpp"

namespace device_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

Problem small_problem(std::int64_t n = 60, Family family = Family::gaussian) {
  Random random(48);
  return random_problem(random, kernel_of(family, 3), n, 3, 2, true, true);
}

std::string explained(const Model& model) {
  std::int64_t length = 0;
  std::string out(8192, '\0');
  EXPECT_EQ(freeridge_explain(model.get(), 8192, out.data(), &length), FREERIDGE_OK) << freeridge_last_error();
  out.resize(static_cast<std::size_t>(length));
  return out;
}

double device_of(const freeridge_model* model) {
  double out = -7;
  EXPECT_EQ(freeridge_get_parameter(model, FREERIDGE_DEVICE, &out), FREERIDGE_OK);
  return out;
}

TEST(Device, IsAParameter) {
  Model model(Kernel::linear());
  const auto set = [&](double value) { return freeridge_set_parameter(model.get(), FREERIDGE_DEVICE, value); };
  EXPECT_EQ(device_of(model.get()), FREERIDGE_DEVICE_CPU);
  EXPECT_EQ(set(FREERIDGE_DEVICE_HOST), FREERIDGE_OK);
  EXPECT_EQ(device_of(model.get()), FREERIDGE_DEVICE_HOST);
  for (const double value : {-2.0, 0.5, 1025.0, 1e300}) EXPECT_EQ(set(value), FREERIDGE_INVALID_ARGUMENT) << value;
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) EXPECT_EQ(set(value), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(device_of(model.get()), FREERIDGE_DEVICE_HOST);
  double low = 0, high = 0, usual = 1;
  std::int32_t whole = 0;
  EXPECT_EQ(freeridge_parameter_bounds(FREERIDGE_DEVICE, &low, &high, &usual, &whole), FREERIDGE_OK);
  EXPECT_EQ((std::vector<double>{low, high, usual}), (std::vector<double>{-1, 1024, 0}));
  EXPECT_EQ(whole, 1);
}

TEST(Device, GoesBackToData) {
  Model model = oracle::make_model(small_problem(), FREERIDGE_ROUTE_SPECTRAL);
  model.factorize();
  model.device(FREERIDGE_DEVICE_HOST);
  EXPECT_EQ(freeridge_set_lambda(model.get(), 1), FREERIDGE_INVALID_STATE);
}

// AUTO takes what runs there, and nothing goes to the CPU in silence.
TEST(Device, OtherRoutesAreRefused) {
  const auto expect_refused = [](Model& model, const char* word) {
    std::int64_t bytes = 0;
    EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(freeridge_last_error()).find(word), std::string::npos) << freeridge_last_error();
    EXPECT_EQ(freeridge_memory_required(model.get(), &bytes), FREERIDGE_INVALID_ARGUMENT);
    EXPECT_EQ(freeridge_factorize(model.device(FREERIDGE_DEVICE_CPU).get()), FREERIDGE_OK) << freeridge_last_error();
  };
  const Problem problem = small_problem(), linear = small_problem(60, Family::linear);
  for (const freeridge_route route : {FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_ITERATIVE}) {
    Model model = oracle::make_model(problem, route);
    expect_refused(model.device(FREERIDGE_DEVICE_HOST), "runs on the CPU alone");
  }
  Model primal = oracle::make_model(linear, FREERIDGE_ROUTE_AUTO),
        landmarks = oracle::make_model(problem, FREERIDGE_ROUTE_AUTO);
  expect_refused(primal.device(FREERIDGE_DEVICE_HOST), "PRIMAL");
  EXPECT_EQ(freeridge_set_landmarks(landmarks.get(), 10, nullptr), FREERIDGE_OK);
  expect_refused(landmarks.device(FREERIDGE_DEVICE_HOST), "LANDMARK");
  Model free = oracle::make_model(problem, FREERIDGE_ROUTE_AUTO);
  EXPECT_EQ(free.device(FREERIDGE_DEVICE_HOST).factorize().route_used(), FREERIDGE_ROUTE_SPECTRAL);
  EXPECT_EQ(free.expected_lambdas(1).factorize().route_used(), FREERIDGE_ROUTE_CHOLESKY);
  // Weights over many decades: SPECTRAL has no graded eigenvectors there, CHOLESKY has its units.
  Problem graded = problem;
  for (std::size_t i = 0; i < graded.weights.size(); ++i) graded.weights[i] = i % 2 == 0 ? 1e-12 : 1;
  Model uneven = oracle::make_model(graded, FREERIDGE_ROUTE_SPECTRAL);
  EXPECT_EQ(freeridge_factorize(uneven.device(FREERIDGE_DEVICE_HOST).get()), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(freeridge_last_error()).find("differ widely"), std::string::npos) << freeridge_last_error();
  uneven.route(FREERIDGE_ROUTE_CHOLESKY).factorize().lambda(0.3);
  EXPECT_CLOSE(uneven.loo(), oracle::loo(graded, 0.3), 1e-9);
}

TEST(Device, ExplainsWhatRunsThere) {
  Model model = oracle::make_model(small_problem(), FREERIDGE_ROUTE_AUTO);
  EXPECT_EQ(explained(model).find("device"), std::string::npos);
  const std::string said = explained(model.device(FREERIDGE_DEVICE_HOST));
  for (const char* const word :
       {"on the CPU in the place of a device:", "on the device", "BAND       runs on the CPU alone"})
    EXPECT_NE(said.find(word), std::string::npos) << said;
}

// 2 n^2 numbers are needed there, and a few columns here.
TEST(Device, ItsMemoryIsCountedAndRefused) {
  constexpr std::int64_t n = 2000000;
  Model model(Kernel::gaussian(1.0));
  model.data(Matrix(n, 1), Matrix(n, 1)).route(FREERIDGE_ROUTE_CHOLESKY).device(FREERIDGE_DEVICE_HOST);
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_OUT_OF_MEMORY);
  EXPECT_NE(std::string(freeridge_last_error()).find("on the CPU in the place of a device"), std::string::npos)
      << freeridge_last_error();
  std::int64_t cpu = 0, device = 0;
  Model other = oracle::make_model(small_problem(3000), FREERIDGE_ROUTE_CHOLESKY);
  EXPECT_EQ(freeridge_memory_required(other.get(), &cpu), FREERIDGE_OK);
  EXPECT_EQ(freeridge_memory_required(other.device(FREERIDGE_DEVICE_HOST).get(), &device), FREERIDGE_OK);
  EXPECT_LT(device, cpu + (std::int64_t{64} << 20));
}

TEST(Device, SavedModelsLoadAnywhere) {
  const Problem problem = small_problem();
  for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL}) {
    SCOPED_TRACE(route_name(route));
    Model there = oracle::make_model(problem, route + on_device);
    there.factorize().lambda(0.3);
    const Handle here = loaded(saved(there.get()));
    ASSERT_NE(here, nullptr);
    EXPECT_EQ(device_of(here.get()), FREERIDGE_DEVICE_CPU);
    Matrix errors(60, 2), fitted(60, 2);
    EXPECT_EQ(freeridge_loo(here.get(), errors.values.data(), 60), FREERIDGE_OK);
    EXPECT_EQ(freeridge_get_fitted(here.get(), fitted.values.data(), 60), FREERIDGE_OK);
    EXPECT_CLOSE(errors, there.loo(), 1e-12);
    EXPECT_CLOSE(fitted, there.fitted(), 1e-12);
    freeridge_model* clone = nullptr;
    ASSERT_EQ(freeridge_clone(there.get(), &clone), FREERIDGE_OK);
    EXPECT_EQ(device_of(clone), test_device());
    EXPECT_EQ(freeridge_set_lambda(clone, 2), FREERIDGE_OK);
    freeridge_destroy(clone);
    EXPECT_CLOSE(there.lambda(0.3).loo(), errors, 1e-12);
  }
}

// The callback of a call that is cancelled at its report number `left`.
struct Countdown {
  int left, heard = 0;
  static std::int32_t hear(double, void* user) {
    auto& self = *static_cast<Countdown*>(user);
    ++self.heard;
    return --self.left < 0 ? 1 : 0;
  }
};

TEST(Device, CanBeCancelledBetweenItsPieces) {
  const Problem problem = small_problem(300);
  for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL})
    for (int left = 0;; ++left) {
      Model model = oracle::make_model(problem, route + on_device);
      Countdown countdown{left};
      freeridge_set_progress(model.get(), Countdown::hear, &countdown);
      const freeridge_status status = freeridge_factorize(model.get());
      freeridge_set_progress(model.get(), nullptr, nullptr);
      if (status == FREERIDGE_OK) {
        EXPECT_GT(countdown.heard, 4);
        break;
      }
      EXPECT_EQ(status, FREERIDGE_CANCELLED);
      EXPECT_EQ(freeridge_set_lambda(model.get(), 1), FREERIDGE_INVALID_STATE);
      model.factorize();
    }
}

// More rows than a block of columns has, of the factor and of its inverse; and where the last block has no factor.
TEST(Device, ManyBlocks) {
  const Problem problem = small_problem(2300);
  Model there = oracle::make_model(problem, FREERIDGE_ROUTE_CHOLESKY + on_device),
        here = oracle::make_model(problem, FREERIDGE_ROUTE_CHOLESKY);
  there.factorize().lambda(0.1);
  here.factorize().lambda(0.1);
  EXPECT_CLOSE(there.loo(), here.loo(), 1e-10);
  EXPECT_CLOSE(there.coefficients(), here.coefficients(), 1e-10);
  EXPECT_EQ(freeridge_set_lambda(there.get(), 0), FREERIDGE_NOT_POSITIVE_DEFINITE);
}

// Precomputed matrices, sparse rows and values that overflow.
TEST(Device, OtherRows) {
  const Problem problem = small_problem();
  Model model(Kernel::precomputed());
  Matrix k(60, 60);
  const Dense values = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
  for (std::int64_t j = 0; j < 60; ++j)
    for (std::int64_t i = 0; i < 60; ++i) k(i, j) = static_cast<double>(values(i, j));
  for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL}) {
    model.data(k, problem.y).weights(problem.weights).route(route + on_device).factorize().lambda(0.2);
    EXPECT_CLOSE(model.loo(), oracle::loo(problem, 0.2), 1e-9);
    Matrix indefinite = k;
    for (std::int64_t i = 0; i < 60; ++i) indefinite(i, i) -= 0.9;
    model.data(indefinite, problem.y);
    EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(freeridge_last_error()).find("positive semi-definite"), std::string::npos);

    Model overflowing(Kernel::polynomial(9, 1.0, 1.0));
    overflowing.data(scaled(problem.x, 1e40), problem.y).route(route + on_device);
    EXPECT_EQ(freeridge_factorize(overflowing.get()), FREERIDGE_NOT_FINITE);
  }
}

}  // namespace device_test
