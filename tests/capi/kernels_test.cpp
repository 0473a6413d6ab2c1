// Kernels: bad parameters, ownership, and parameters that are extreme but allowed.
#include <cmath>
#include <optional>

#include "capi/support/kernel_calls.hpp"
#include "capi/support/refusals.hpp"
#include "capi/support/setting_calls.hpp"

namespace kernels_test {

TEST(ContractKernels, SumRefuses) {
  KernelSum none, zeros;
  none.terms.values[1] = nullptr;
  expect_failure(none, FREERIDGE_INVALID_ARGUMENT, {"terms[1]", "NULL"});
  zeros.weights.values = {0.0, 0.0};
  expect_failure(zeros, FREERIDGE_INVALID_ARGUMENT, {"weights", "0", "positive"});
}

TEST(ContractKernels, ProductRefuses) {
  KernelProduct none;
  none.factors.values[0] = nullptr;
  expect_failure(none, FREERIDGE_INVALID_ARGUMENT, {"factors[0]", "NULL"});
}

// NULL weights are ones, and a weight of zero drops its term.
TEST(ContractKernels, SumTakesNullWeightsAndZeros) {
  for (const bool zero : {false, true}) {
    KernelSum call;
    freeridge_kernel* made = nullptr;
    const double weights[2] = {0.0, 1.0};
    ASSERT_EQ(freeridge_kernel_sum(call.terms.get(), zero ? weights : nullptr, 2, &made), FREERIDGE_OK);
    freeridge_model* handle = nullptr;
    ASSERT_EQ(freeridge_create(made, &handle), FREERIDGE_OK);
    freeridge_kernel_destroy(made);
    const double x[2] = {1.0, 3.0}, y[2] = {2.0, 5.0};
    ASSERT_EQ(freeridge_set_data(handle, FREERIDGE_COL_MAJOR, 2, 1, x, 2, 1, y, 2), FREERIDGE_OK);
    ASSERT_EQ(freeridge_set_parameter(handle, FREERIDGE_INTERCEPT, 0), FREERIDGE_OK);
    ASSERT_EQ(freeridge_factorize(handle), FREERIDGE_OK);
    ASSERT_EQ(freeridge_set_lambda(handle, 2.0), FREERIDGE_OK);
    // (K + 2 I) c = y, by Cramer's rule.
    const double g = zero ? 0.0 : 1.0, near = std::exp(-4.0 / (sample::sigma * sample::sigma));
    const double a = g + 1 + 2, b = g * near + 3, e = g + 9 + 2, determinant = a * e - b * b;
    double c[2] = {0.0, 0.0};
    ASSERT_EQ(freeridge_coefficients(handle, 0, nullptr, c, 2, nullptr), FREERIDGE_OK);
    EXPECT_NEAR(c[0], (2 * e - 5 * b) / determinant, 1e-14);
    EXPECT_NEAR(c[1], (5 * a - 2 * b) / determinant, 1e-14);
    freeridge_destroy(handle);
  }
}

TEST(ContractKernels, SetKernelRefusesAScaledKernelOfAnotherD) {
  Model model = sample::model(sample::State::fitted);
  const Fingerprint before = fingerprint(model.get());
  for (const std::vector<double>& scale : {std::vector<double>{1.0}, std::vector<double>{1.0, 2.0, 3.0}}) {
    const Kernel kernel = Kernel::scaled(Kernel::gaussian(sample::sigma), scale);
    SetKernel call;
    call.model = model.get();
    call.kernel = kernel.get();
    const auto columns = static_cast<int64_t>(scale.size());
    expect_failure(call, FREERIDGE_DIMENSION_MISMATCH, {"kernel", text_of(columns), text_of(sample::d)});
    EXPECT_EQ(difference(before, fingerprint(model.get())), "");
  }
}

TEST(ContractKernels, ScaledKernelsNestWhenTheirDAgrees) {
  const Kernel once = Kernel::scaled(Kernel::gaussian(sample::sigma), sample::scale());  // 0.5, 2
  const Kernel twice = Kernel::scaled(once, {2.0, 3.0});
  const Kernel direct = Kernel::scaled(Kernel::gaussian(sample::sigma), {1.0, 6.0});
  Model nested = sample::model_of(twice, sample::x(), sample::y(), sample::n);
  Model expected = sample::model_of(direct, sample::x(), sample::y(), sample::n);
  const support::Matrix errors = nested.factorize().lambda(0.5).loo();
  const support::Matrix expected_errors = expected.factorize().lambda(0.5).loo();
  for (std::size_t i = 0; i < errors.values.size(); ++i) {
    EXPECT_NEAR(errors.values[i], expected_errors.values[i], 1e-12);
  }
}

TEST(ContractKernels, ScaledRefusesAScaledKernelOfAnotherD) {
  KernelScaled call;
  const Kernel three = Kernel::scaled(Kernel::gaussian(sample::sigma), {1.0, 2.0, 3.0});
  call.inner = three.get();
  expect_failure(call, FREERIDGE_DIMENSION_MISMATCH, {"d", "2", "3"});
}

TEST(ContractKernels, AdditiveRefusesScaledKernelsAndLabelsThatDoNotFit) {
  KernelAdditive call;
  const Kernel one = Kernel::parse("linear() + 2 * scaled([1], gaussian(sigma = 1))");
  call.inner = one.get();
  expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"inner", "scaled"});
  call.label.null = true;
  expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"inner", "scaled"});
  KernelAdditive none;
  none.label.values = {-1, INT32_MIN};
  expect_failure(none, FREERIDGE_INVALID_ARGUMENT, {"label[0]", "-1"});
  KernelAdditive nested;
  const Kernel three = Kernel::additive(Kernel::gaussian(sample::sigma), {0, 1, 1});
  nested.inner = three.get();
  expect_failure(nested, FREERIDGE_DIMENSION_MISMATCH, {"d = 1", "d = 3"});
  SetData data;
  Model model(three);
  data.model = model.get();
  expect_failure(data, FREERIDGE_DIMENSION_MISMATCH, {text_of(sample::d), "3"});
}

TEST(ContractKernels, DestroyTakesNull) {
  OutputCapture capture;
  freeridge_kernel_destroy(nullptr);
  freeridge_destroy(nullptr);
  EXPECT_EQ(capture.end(), "");
}

// The kernel inside, the scales and the kernel itself are gone before the model is used.
TEST(ContractKernels, EverythingIsCopied) {
  std::optional<Model> created, set;
  {
    std::vector<double> scale = sample::scale();
    std::optional<Kernel> inner = Kernel::gaussian(sample::sigma);
    const Kernel outer = Kernel::scaled(*inner, scale);
    inner.reset();
    scale.assign(scale.size(), NaN);
    created.emplace(outer);
    set.emplace(Kernel::linear()).kernel(outer);
  }
  Model expected = sample::model_of(Kernel::scaled(Kernel::gaussian(sample::sigma), sample::scale()), sample::x(),
                                    sample::y(), sample::n);
  expected.factorize().lambda(0.5);
  for (Model* model : {&*created, &*set}) {
    model->data(sample::matrix(sample::n, sample::x()), sample::matrix(sample::n, sample::y()));
    model->factorize().lambda(0.5);
    EXPECT_EQ(difference(fingerprint(expected.get()), fingerprint(model->get())), "");
  }
}

// A parameter may be as extreme as a double can be: an answer is finite, or there is none and the status says so.
TEST(ContractKernels, ExtremeParametersNeverGiveNotANumber) {
  std::vector<Kernel> kernels;
  for (double sigma : {5e-324, 1e-200, 1e200, 1.7e308}) kernels.push_back(Kernel::gaussian(sigma));
  for (int32_t degree : {1, 60, 5000, INT32_MAX}) kernels.push_back(Kernel::polynomial(degree, 1.0, 1.0));
  kernels.push_back(Kernel::polynomial(2, 5e-324, 0.0));
  kernels.push_back(Kernel::polynomial(2, 1e300, 1e300));
  kernels.push_back(Kernel::scaled(Kernel::linear(), {5e-324, 1.0}));
  kernels.push_back(Kernel::scaled(Kernel::gaussian(sample::sigma), {5e-324, 1.0}));
  kernels.push_back(Kernel::scaled(Kernel::gaussian(sample::sigma), {1.7e308, 1.7e308}));
  int answered = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    SCOPED_TRACE(i);
    Model model = sample::model_of(kernels[i], sample::x(), sample::y(), sample::n);
    OutputCapture capture;
    freeridge_status status = freeridge_factorize(model.get());
    if (status == FREERIDGE_OK) status = freeridge_set_lambda(model.get(), 0.5);
    std::vector<double> errors(sample::size(sample::n, sample::t)), out(sample::size(sample::m, sample::t));
    if (status == FREERIDGE_OK) status = freeridge_loo(model.get(), errors.data(), sample::n);
    if (status == FREERIDGE_OK) {
      status = freeridge_predict(model.get(), FREERIDGE_COL_MAJOR, sample::m, sample::new_x().data(), sample::m,
                                 out.data(), sample::m);
    }
    EXPECT_EQ(capture.end(), "");
    if (status == FREERIDGE_OK) {
      ++answered;
      for (double value : errors) EXPECT_TRUE(std::isfinite(value));
      for (double value : out) EXPECT_TRUE(std::isfinite(value));
    } else {
      EXPECT_TRUE(status == FREERIDGE_NOT_FINITE || status == FREERIDGE_UNDEFINED) << freeridge_last_error();
    }
  }
  EXPECT_GE(answered, 6);
}

// c is about y / K: where no double has it, there is no answer, and not the prediction 0.
TEST(ContractKernels, CoefficientsThatUnderflow) {
  const std::vector<double> x = {1.0, 2.0, 3.0};
  for (const double unit : {1.0, 1e-20}) {
    const std::vector<double> y = {unit, -2.0 * unit, 3.5 * unit};
    Model model = sample::model_of(Kernel::polynomial(2, 1e150, 1e150), x, y, 3);
    model.intercept(false).route(FREERIDGE_ROUTE_SPECTRAL).factorize();
    EXPECT_EQ(freeridge_set_lambda(model.get(), 1.0), unit == 1 ? FREERIDGE_OK : FREERIDGE_NOT_FINITE);
  }
  Model linear = sample::model_of(Kernel::linear(), {1e140, 2e140, -1e140}, {1e-180, 2e-180, 1e-180}, 3);
  linear.factorize();
  EXPECT_EQ(freeridge_set_lambda(linear.get(), 1.0), FREERIDGE_NOT_FINITE);
}

TEST(ContractKernels, AGaussianOfVanishingBandwidthIsTheIdentity) {
  // k(x, z) is 1 for x = z and 0 else, so that without intercept K = I and the errors are y itself.
  const std::vector<double> y = {1.0, -2.0, 3.5};
  Model model = sample::model_of(Kernel::gaussian(1e-200), {0.0, 1.0, 2.0}, y, 3);
  model.intercept(false).factorize().lambda(1.0);
  const support::Matrix errors = model.loo(), fitted = model.fitted();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(errors.values[i], y[i]);
    EXPECT_DOUBLE_EQ(fitted.values[i], y[i] / 2);
  }
}

}  // namespace kernels_test
