// What a model or classifier was told can be read again, also after it was saved, loaded or cloned; and kernel values
// are those of the formulas, in long double.
#include <gtest/gtest.h>

#include <vector>

#include "support/compare.hpp"
#include "support/problems.hpp"
#include "support/saved.hpp"

namespace settings_test {

using namespace support;
using oracle::Problem;

// What a model was told, parameter by parameter.
std::vector<double> parameters_of(const freeridge_model* m) {
  std::vector<double> out;
  for (freeridge_parameter which = FREERIDGE_MISSING; which <= FREERIDGE_UNPENALISED; ++which) {
    out.push_back(-1);
    EXPECT_EQ(freeridge_get_parameter(m, which, &out.back()), FREERIDGE_OK) << freeridge_last_error();
  }
  return out;
}

std::string kernel_of_model(const freeridge_model* model) {
  freeridge_kernel* kernel = nullptr;
  check(freeridge_get_kernel(model, &kernel), "freeridge_get_kernel");
  return Kernel::adopt(kernel).description();
}

TEST(Settings, AreReadAgain) {
  Model model(Kernel::matern(1.5, 0.75));
  std::vector<double> usual;
  for (freeridge_parameter which = FREERIDGE_MISSING; which <= FREERIDGE_UNPENALISED; ++which) {
    usual.push_back(-1);
    EXPECT_EQ(freeridge_parameter_bounds(which, nullptr, nullptr, &usual.back(), nullptr), FREERIDGE_OK);
  }
  EXPECT_EQ(parameters_of(model.get()), usual);
  EXPECT_EQ(usual, (std::vector<double>{0, 1, 0, 100, 1, 0, 0, 0, 0, 0, 1e-8, 0}));
  std::vector<double> told = {1, 0, 3, 7, 3, 1 << 30, 2, -9, 2, 5, 1e-3};
  for (std::size_t k = 0; k < told.size(); ++k)
    check(freeridge_set_parameter(model.get(), static_cast<freeridge_parameter>(k + 1), told[k]), "set_parameter");
  told.push_back(0);  // UNPENALISED, which a model without a reader cannot be told
  EXPECT_EQ(parameters_of(model.get()), told);
  told[5] = 0;  // the limit is of the machine, and not saved
  EXPECT_EQ(parameters_of(loaded(saved(model.get())).get()), told);
  EXPECT_EQ(kernel_of_model(loaded(saved(model.get())).get()), "matern(nu = 1.5, length = 0.75)");
}

// Each bound is taken, and nothing beyond it, nor between whole numbers; a refused value changes nothing.
TEST(Settings, HaveBounds) {
  Model model(Kernel::linear());
  const auto set = [&](freeridge_parameter which, double value) {
    return freeridge_set_parameter(model.get(), which, value);
  };
  std::vector<freeridge_parameter> of_models = {FREERIDGE_SMOOTHNESS, FREERIDGE_SIGMA2, FREERIDGE_KEPT_SQUARES};
  for (freeridge_parameter which = FREERIDGE_MISSING; which < FREERIDGE_UNPENALISED; ++which)
    of_models.push_back(which);
  for (const freeridge_parameter which : of_models) {
    SCOPED_TRACE(which);
    double low = NAN, high = NAN, usual = NAN, found = NAN;
    std::int32_t whole = -1;
    ASSERT_EQ(freeridge_parameter_bounds(which, &low, &high, &usual, &whole), FREERIDGE_OK);
    EXPECT_TRUE(low <= usual && usual <= high);
    for (const double value : {low, high, usual}) {
      EXPECT_EQ(set(which, value), FREERIDGE_OK) << value;
      EXPECT_EQ(freeridge_get_parameter(model.get(), which, &found), FREERIDGE_OK);
      EXPECT_EQ(found, value);
    }
    for (const double value : {std::nextafter(low, -INFINITY), std::nextafter(high, INFINITY)})
      EXPECT_EQ(set(which, value), FREERIDGE_INVALID_ARGUMENT) << value;
    for (const double value : {static_cast<double>(NAN), static_cast<double>(INFINITY), -static_cast<double>(INFINITY)})
      EXPECT_EQ(set(which, value), FREERIDGE_NOT_FINITE);
    EXPECT_EQ(set(which, usual < high ? usual + 0.5 : usual - 0.5),
              whole == 1 ? FREERIDGE_INVALID_ARGUMENT : FREERIDGE_OK);
    EXPECT_EQ(set(which, usual), FREERIDGE_OK);
    EXPECT_EQ(freeridge_get_parameter(model.get(), which, &found), FREERIDGE_OK);
    EXPECT_EQ(found, usual);
    EXPECT_EQ(freeridge_get_parameter(model.get(), which, nullptr), FREERIDGE_INVALID_ARGUMENT);
  }
  EXPECT_EQ(set(FREERIDGE_UNPENALISED, 1), FREERIDGE_INVALID_STATE);  // no reader
  for (const int other : {0, -1, int{FREERIDGE_TOLERANCE}, int{FREERIDGE_ITERATIONS}, int{FREERIDGE_LOSS}, 20})
    EXPECT_EQ(set(other, 1), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_parameter_bounds(20, nullptr, nullptr, nullptr, nullptr), FREERIDGE_INVALID_ARGUMENT);
}

TEST(Settings, OfRows) {
  const double x[] = {1, 2, 3}, y[] = {1, 3, 2};
  Model model(Kernel::linear());
  double weights[3];
  std::int32_t group[3];
  std::int64_t count = -1, given = -1, rows[3] = {-1, -1, -1};
  EXPECT_EQ(freeridge_get_weights(model.get(), weights), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_get_requested_landmarks(model.get(), &count, &given, rows), FREERIDGE_INVALID_STATE);
  check(freeridge_set_data(model.get(), FREERIDGE_COL_MAJOR, 3, 1, x, 3, 1, y, 3), "freeridge_set_data");
  EXPECT_EQ(freeridge_get_groups(model.get(), nullptr, group, nullptr, nullptr), FREERIDGE_INVALID_STATE);
  ASSERT_EQ(freeridge_get_weights(model.get(), weights), FREERIDGE_OK);
  EXPECT_EQ(Vector(weights, weights + 3), Vector(3, 1.0));
  ASSERT_EQ(freeridge_get_requested_landmarks(model.get(), &count, &given, rows), FREERIDGE_OK);
  EXPECT_EQ(std::pair(count, given), (std::pair<std::int64_t, std::int64_t>(0, 0)));

  const std::int64_t chosen[] = {2, 0};
  model.weights({0.5, 2, 1e-300}).groups({4, -7, 0});
  check(freeridge_set_landmarks(model.get(), 2, chosen), "freeridge_set_landmarks");
  const Handle again = loaded(saved(model.get()));
  for (const freeridge_model* each :
       {static_cast<const freeridge_model*>(model.get()), static_cast<const freeridge_model*>(again.get())}) {
    ASSERT_EQ(freeridge_get_weights(each, weights), FREERIDGE_OK);
    EXPECT_EQ(Vector(weights, weights + 3), (Vector{0.5, 2, 1e-300}));
    ASSERT_EQ(freeridge_get_groups(each, nullptr, group, nullptr, nullptr), FREERIDGE_OK);
    EXPECT_EQ(Labels(group, group + 3), (Labels{4, -1, 0}));
    ASSERT_EQ(freeridge_get_requested_landmarks(each, &count, &given, rows), FREERIDGE_OK);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(given, 2);
    EXPECT_EQ(rows[0], 2);
    EXPECT_EQ(rows[1], 0);
  }
}

TEST(Settings, OfAPredictorTheKernelAlone) {
  Random random(3);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.5), 8, 2, 1, false, true);
  Model model = oracle::make_model(problem);
  const Handle predictor = loaded(saved_predictor(model.factorize().lambda(1).get()));
  EXPECT_EQ(kernel_of_model(predictor.get()), "gaussian(sigma = 1.5)");
  double on = -7;
  EXPECT_EQ(freeridge_get_parameter(predictor.get(), FREERIDGE_INTERCEPT, &on), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(on, -7);
}

TEST(KernelEvaluate, IsTheFormula) {
  Random random(5);
  for (const oracle::Family family : oracle::all_families)
    for (const auto& [m, r, d] :
         {std::tuple<std::int64_t, std::int64_t, std::int64_t>{1, 1, 1}, {300, 5, 3}, {4, 600, 2}})
      for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
        SCOPED_TRACE(family_name(family));
        const oracle::KernelSpec spec = kernel_of(family, d, family == oracle::Family::gaussian);
        const Matrix x = random.uniform_matrix(m, d, -1, 1), z = random.uniform_matrix(r, d, -1, 1);
        const Packed px = pack(x, layout, 2), pz = pack(z, layout, 1);
        Packed out = pack(Matrix(m, r), layout, 3);
        const Kernel kernel = oracle::make_kernel(spec);
        ASSERT_EQ(
            freeridge_kernel_evaluate(kernel.get(), at(px, m, d), at(pz, r, d), layout, out.values.data(), out.ld),
            FREERIDGE_OK)
            << freeridge_last_error();
        EXPECT_CLOSE(unpack(out, m, r), to_double(oracle::kernel_matrix(spec, x, z)), 1e-14);
      }
}

TEST(KernelEvaluate, Refuses) {
  const double x[] = {1, 2}, large[] = {1e200, 1}, nan[] = {NAN, 1};
  double out[4] = {7, 7, 7, 7};
  const auto evaluate = [&](const Kernel& kernel, const double* a, const double* b, std::int64_t d = 1) {
    return freeridge_kernel_evaluate(kernel.get(), at(FREERIDGE_COL_MAJOR, 2 / d, d, a, 2),
                                     at(FREERIDGE_COL_MAJOR, 2 / d, d, b, 2), FREERIDGE_COL_MAJOR, out, 2);
  };
  EXPECT_EQ(evaluate(Kernel::precomputed(), x, x), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(evaluate(Kernel::gaussian(1), nan, x), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(evaluate(Kernel::gaussian(1), x, nan), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(evaluate(Kernel::scaled(Kernel::linear(), {1, 2}), x, x), FREERIDGE_DIMENSION_MISMATCH);
  EXPECT_EQ(Vector(out, out + 4), Vector(4, 7.0));
  EXPECT_EQ(evaluate(Kernel::linear(), large, large), FREERIDGE_NOT_FINITE);
}

}  // namespace settings_test
