// The eleven linear regression sets of the NIST Statistical Reference Datasets. Coefficients against the solution in
// exact rational arithmetic of the design as doubles hold it, in decimal digits of the worst coefficient; standard
// errors against the same, sigma and R^2 against the certified values (which are those of the decimal data).
#include <gtest/gtest.h>

#include <map>

#include "support/accumulator.hpp"
#include "support/classical.hpp"
#include "support/model.hpp"

namespace nist_test {

using namespace support;

class NistOls : public ::testing::TestWithParam<std::string> {};

TEST_P(NistOls, CoefficientsHaveFifteenDigits) {
  const NistSet set = nist_set(GetParam());
  for (const auto layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
    RegressionData data = set.data;
    data.layout = layout;
    data.padding = 3;
    const Regression fit = ols(data);
    EXPECT_EQ(fit.rank, data.x.cols);
    EXPECT_GE(worst_digits(coefficients(set, fit.w, fit.b), set.estimate), 15.0);
    // The decimal data, and their powers, are not quite those that doubles hold.
    EXPECT_GE(worst_digits(coefficients(set, fit.w, fit.b), set.certified), GetParam() == "Filip" ? 7.5 : 13.0);
  }
}

TEST_P(NistOls, RidgeAtZeroIsOls) {
  const NistSet set = nist_set(GetParam());
  const Regression fit = ridge(set.data, 0.0);
  EXPECT_GE(worst_digits(coefficients(set, fit.w, fit.b), set.estimate), 15.0);
}

// The standard errors rest on the factor in double: eps cond(x) of them is lost.
TEST_P(NistOls, Summary) {
  const NistSet set = nist_set(GetParam());
  const Summary fit = ols_summary(set.data);
  const std::vector<double> errors = coefficients(set, fit.w_error, fit.b_error);
  const std::map<std::string, double> least = {{"Filip", 7}, {"Wampler1", 14}, {"Wampler2", 9}};
  const double wanted = least.contains(GetParam()) ? least.at(GetParam()) : 11;
  RecordProperty("digits_of_errors", std::to_string(worst_digits(errors, set.error)));
  RecordProperty("digits_of_sigma", std::to_string(digits(fit.sigma[0], set.sigma)));
  EXPECT_GE(worst_digits(errors, set.error), wanted);
  // Wampler2's certified sigma is 0 (of the decimal data), what is left of its rounded data is 1e-16.
  EXPECT_GE(digits(fit.sigma[0], set.sigma), GetParam() == "Filip" ? 7 : 13);
  EXPECT_GE(digits(fit.r_squared[0], set.r_squared), GetParam() == "Filip" ? 9 : 14);
}

// Models of the PRIMAL route as lambda -> 0: half a digit less than least squares without refinement, and with it 14.
// (B0 of Norris is a 1600th of the means that it is a difference of: two roundings of x and y leave 11.8 digits of it.)
TEST_P(NistOls, ModelsAsLambdaVanishes) {
  const std::map<std::string, double> least = {
      {"Norris", 11.8},  {"Pontius", 11},    {"NoInt1", 13.5},  {"NoInt2", 13.5}, {"Longley", 13}, {"Filip", 6.5},
      {"Wampler1", 8.5}, {"Wampler2", 10.5}, {"Wampler3", 8.5}, {"Wampler4", 7},  {"Wampler5", 5}};
  const NistSet set = nist_set(GetParam());
  Model model(Kernel::linear());
  model.data(set.data.x, set.data.y).intercept(set.data.intercept).route(FREERIDGE_ROUTE_PRIMAL).factorize();
  for (const std::int32_t steps : {0, 10}) {
    check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, steps), "freeridge_set_parameter");
    for (const double lambda : {0.0, 1e-200}) {
      model.lambda(lambda);
      const std::vector<double> found = coefficients(set, model.hyperplane(), model.intercepts());
      EXPECT_GE(worst_digits(found, set.estimate), steps > 0 ? 14 : least.at(GetParam())) << "lambda " << lambda;
    }
  }
}

TEST(NistAccumulators, InChunks) {
  for (const std::string name : {"Norris", "Longley"})
    for (const std::int64_t chunk : {0, 1, 5}) {
      const NistSet set = nist_set(name);
      const Accumulator rows({oracle::KernelSpec::linear(), set.data.x, set.data.y, {}, true}, chunk);
      const Planes planes = rows.solve({0.0});
      EXPECT_GE(worst_digits(coefficients(set, planes.w, planes.b.values), set.estimate), 12.0);
    }
}

// With powers by repeated multiplication (freeridge_polynomial_features) it is another problem, and solved as well.
TEST(NistOlsOfFeatures, FilipAgreesWithQuadruplePrecision) {
  const NistSet set = nist_set("Filip");
  RegressionData data = set.data;
  const Matrix x = column(data.x, 0);
  check(freeridge_polynomial_features(FREERIDGE_COL_MAJOR, x.rows, 1, x.values.data(), x.rows, 10, 0,
                                      data.x.values.data(), x.rows),
        "freeridge_polynomial_features");
  const Regression fit = ols(data);
  const QuadRegression expected = penalised(data, 0);
  EXPECT_GE(digits(fit.w, expected.w), 15.0);
  EXPECT_GE(digits(fit.b[0], expected.b(0, 0)), 15.0);
  EXPECT_NEAR(fit.b[0], -1467.4896313887714, 1e-9);  // in rational arithmetic
}

INSTANTIATE_TEST_SUITE_P(All, NistOls, ::testing::ValuesIn(nist_sets()), [](const auto& set) { return set.param; });

}  // namespace nist_test
