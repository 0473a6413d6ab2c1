// Factorize and lambda: bad arguments, routes that do not fit the kernel, numbers that overflow, singular matrices.
#include <cmath>

#include "capi/support/refusals.hpp"
#include "capi/support/setting_calls.hpp"

namespace factorize_test {

TEST(ContractFactorize, PrimalNeedsALinearKernel) {
  for (const Kernel& kernel : {Kernel::gaussian(sample::sigma), Kernel::polynomial(2, 1.0, 1.0),
                               Kernel::scaled(Kernel::gaussian(sample::sigma), sample::scale())}) {
    Model model = sample::model_of(kernel, sample::x(), sample::y(), sample::n);
    model.route(FREERIDGE_ROUTE_PRIMAL);
    const Fingerprint before = fingerprint(model.get());
    MemoryRequired memory;
    Factorize factorize;
    memory.model = factorize.model = model.get();
    expect_failure(memory, FREERIDGE_INVALID_ARGUMENT, {"PRIMAL", "linear"});
    expect_failure(factorize, FREERIDGE_INVALID_ARGUMENT, {"PRIMAL", "linear"});
    EXPECT_EQ(difference(before, fingerprint(model.get())), "");
  }
}

TEST(ContractFactorize, PrimalTakesAScaledLinearKernel) {
  const Kernel kernel = Kernel::scaled(Kernel::linear(), sample::scale());
  Model model = sample::model_of(kernel, sample::x(), sample::y(), sample::n);
  model.route(FREERIDGE_ROUTE_PRIMAL);
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_OK) << freeridge_last_error();
}

// x'z and its powers overflow though x is finite.
TEST(ContractFactorize, AKernelValueThatOverflowsIsNotFinite) {
  const std::vector<double> x = {1.0, 1e200, -3.0, 2.0}, y = {1.0, 2.0, 3.0, 4.0};
  for (const Kernel& kernel : {Kernel::linear(), Kernel::polynomial(2, 1.0, 1.0)}) {
    for (freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND}) {
      Model model = sample::model_of(kernel, x, y, 4);
      model.route(route);
      Factorize factorize;
      factorize.model = model.get();
      expect_failure(factorize, FREERIDGE_NOT_FINITE, {});
      EXPECT_EQ(sample::state_of(model.get()), sample::State::data);
    }
  }
}

// The primal route needs no kernel value: an answer is finite, or the status says that there is none.
TEST(ContractFactorize, ThePrimalRouteStaysFiniteOrSaysSo) {
  for (double huge : {1e150, 1e200, 1.7e308}) {
    Model model = sample::model_of(Kernel::linear(), {1.0, huge, -huge, 2.0}, {1.0, 2.0, 3.0, 4.0}, 4);
    model.route(FREERIDGE_ROUTE_PRIMAL);
    freeridge_status status = freeridge_factorize(model.get());
    if (status == FREERIDGE_OK) status = freeridge_set_lambda(model.get(), 1.0);
    double w = NaN, errors[4] = {NaN, NaN, NaN, NaN};
    if (status == FREERIDGE_OK) status = freeridge_hyperplane(model.get(), 0, nullptr, &w, 1, nullptr);
    if (status == FREERIDGE_OK) status = freeridge_loo(model.get(), errors, 4);
    if (status == FREERIDGE_OK) {
      EXPECT_TRUE(std::isfinite(w)) << "x = " << huge;
      for (double error : errors) EXPECT_TRUE(std::isfinite(error)) << "x = " << huge;
    } else {
      EXPECT_TRUE(status == FREERIDGE_NOT_FINITE || status == FREERIDGE_UNDEFINED) << freeridge_last_error();
    }
  }
}

// Row 1 is row 0 again, so that K is singular. At lambda = 0 the Cholesky route has no answer and keeps the old one.
TEST(ContractFactorize, ASingularMatrixIsNotPositiveDefinite) {
  std::vector<double> x = sample::x();
  x[1] = x[0];
  x[sample::n + 1] = x[sample::n];
  for (int32_t intercept : {0, 1}) {
    Model model = sample::model_of(Kernel::gaussian(sample::sigma), x, sample::y(), sample::n);
    model.intercept(intercept).route(FREERIDGE_ROUTE_CHOLESKY).factorize();
    SetLambda zero;
    zero.model = model.get();
    zero.lambda = 0.0;
    expect_failure(zero, FREERIDGE_NOT_POSITIVE_DEFINITE, {"lambda", "0"});
    EXPECT_EQ(sample::state_of(model.get()), sample::State::factorized);
    model.lambda(0.5);
    const Fingerprint before = fingerprint(model.get());
    expect_failure(zero, FREERIDGE_NOT_POSITIVE_DEFINITE, {"lambda", "0"});
    SetLambdas one_zero;
    one_zero.model = model.get();
    one_zero.lambda.values = {2.0, 0.0};
    expect_failure(one_zero, FREERIDGE_NOT_POSITIVE_DEFINITE, {"lambda", "0"});
    EXPECT_EQ(difference(before, fingerprint(model.get())), "");
  }
}

TEST(ContractFactorize, LambdaZeroHasAnAnswerOnTheOtherRoutes) {
  for (sample::Variant variant : {sample::Variant::spectral, sample::Variant::primal}) {
    Model model = sample::model(sample::State::factorized, variant);
    for (double zero : {0.0, -0.0}) {
      model.lambda(zero);
      double lambda[sample::t] = {NaN, NaN};
      ASSERT_EQ(freeridge_get_lambda(model.get(), lambda), FREERIDGE_OK);
      for (double value : lambda) EXPECT_EQ(value, 0.0);
    }
  }
}

TEST(ContractFactorize, EveryLambdaOfADoubleIsAnswered) {
  for (sample::Variant variant : sample::variants) {
    Model model = sample::model(sample::State::factorized, variant);
    for (double lambda : {1e-12, 1e12, 1e100, 1e300, 1.7e308}) {
      SCOPED_TRACE(lambda);
      model.lambda(lambda);
      std::vector<double> fitted(sample::size(sample::n, sample::t), NaN), errors = fitted;
      ASSERT_EQ(freeridge_get_fitted(model.get(), fitted.data(), sample::n), FREERIDGE_OK) << freeridge_last_error();
      ASSERT_EQ(freeridge_loo(model.get(), errors.data(), sample::n), FREERIDGE_OK) << freeridge_last_error();
      for (double value : fitted) EXPECT_TRUE(std::isfinite(value));
      for (double value : errors) EXPECT_TRUE(std::isfinite(value));
    }
  }
}

}  // namespace factorize_test
