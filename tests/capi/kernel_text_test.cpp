// Precomputed kernels and kernels as text: bad arguments, and what a description and its reader say.
#include <algorithm>

#include "capi/support/kernel_calls.hpp"
#include "capi/support/refusals.hpp"
#include "capi/support/setting_calls.hpp"

namespace kernel_text_test {

// "gaussian(sigma = 1.5)": 21 bytes and the 0. A buffer that is too small is left alone, and the length is told.
TEST(ContractKernelText, DescribeFillsABufferThatIsLargeEnough) {
  const std::string expected = "gaussian(sigma = 1.5)";
  for (int64_t size : {22, 23, 30}) {
    KernelDescribe call;
    call.size = size;
    ASSERT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_EQ(std::string(call.text.get()), expected);
    EXPECT_EQ(call.length.values[0], 21);
    EXPECT_TRUE(call.text.untouched_from(22));
  }
  for (int64_t size : {1, 20, 21}) {
    KernelDescribe call;
    call.size = size;
    leave_stale_error();
    EXPECT_EQ(call(), FREERIDGE_INVALID_ARGUMENT);
    expect_message(freeridge_last_error(), {"size", text_of(size), "22"});
    EXPECT_TRUE(call.text.untouched());
    EXPECT_EQ(call.length.values[0], 21);
  }
  for (bool null : {false, true}) {
    KernelDescribe call;
    call.size = 0;
    call.text.null = null;
    ASSERT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_EQ(call.length.values[0], 21);
    EXPECT_TRUE(call.text.untouched());
  }
}

struct BadText {
  std::string text;
  Words words;
  freeridge_status status = FREERIDGE_INVALID_ARGUMENT;
};

TEST(ContractKernelText, ParseSaysWhatWasExpectedAndWhere) {
  const std::vector<BadText> table = {
      {"", {"expected", "1"}},
      {"   ", {"expected", "4"}},
      {"gauss(sigma = 1)", {"gaussian", "expected", "1"}},
      {"linear", {"(", "expected", "7"}},
      {"linear(", {")", "expected", "8"}},
      {"linear()x", {"expected", "9", "x"}},
      {"linear() +", {"expected", "11"}},
      {"linear() linear()", {"expected", "10"}},
      {"2 linear()", {"*", "expected", "3"}},
      {"gaussian()", {"sigma", "expected", "10"}},
      {"gaussian(1)", {"sigma", "expected", "10"}},
      {"gaussian(sigma 1)", {"=", "expected", "16"}},
      {"gaussian(sigma = )", {"number", "expected", "18"}},
      {"gaussian(sigma = 1, sigma = 2)", {")", "expected", "19"}},
      {"gaussian(sigma = +1)", {"number", "expected", "18"}},
      {"gaussian(sigma = 0x10)", {")", "expected", "19"}},
      {"gaussian(sigma = 0)", {"sigma", "0", "positive", "1"}},
      {"  gaussian(sigma = -2)", {"sigma", "-2", "positive", "3"}},
      {"gaussian(sigma = 1e999)", {"18", "double"}, FREERIDGE_NOT_FINITE},
      {"gaussian(sigma = inf)", {"sigma", "inf", "finite"}, FREERIDGE_NOT_FINITE},
      {"gaussian(sigma = nan)", {"sigma", "nan", "finite"}, FREERIDGE_NOT_FINITE},
      {"polynomial(degree = 2.5, scale = 1, offset = 0)", {",", "expected", "22"}},
      {"polynomial(degree = 99999999999, scale = 1, offset = 0)", {"number", "32", "21"}},
      {"polynomial(degree = 0, scale = 1, offset = 0)", {"degree", "0"}},
      {"polynomial(scale = 1, degree = 1, offset = 0)", {"degree", "expected", "12"}},
      {"matern(nu = 1, length = 1)", {"nu", "1"}},
      {"scaled([], linear())", {"number", "expected", "9"}},
      {"scaled([1, 2,], linear())", {"number", "expected", "14"}},
      {"scaled([1, 0], linear())", {"scale[1]", "0", "positive"}},
      {"scaled([1, 2], scaled([1], linear()))", {"d", "2", "1"}, FREERIDGE_DIMENSION_MISMATCH},
      {"product()", {"expected", "9"}},
      {"product(linear(),)", {"expected", "18"}},
      {"product(precomputed())", {"factors[0]", "precomputed"}},
      {"1 * linear() + 2 * precomputed()", {"terms[1]", "precomputed"}},
      {"scaled([1], precomputed())", {"inner", "precomputed"}},
      {"-1 * linear()", {"weights[0]", "-1"}},
      {"0 * linear()", {"weights[0]", "0"}},
      {"linear()\x01", {"byte", "1", "9"}},
      {"linear()\xc3\xa9", {"byte", "195", "9"}},
  };
  for (const BadText& row : table) {
    SCOPED_TRACE(row.text);
    KernelParse call;
    call.owned = row.text;
    call.text = call.owned.c_str();
    expect_failure(call, row.status, row.words);
  }
}

TEST(ContractKernelText, APrecomputedKernelIsNoPart) {
  const Kernel given = Kernel::precomputed();
  KernelSum sum;
  sum.terms.values[1] = given.get();
  expect_failure(sum, FREERIDGE_INVALID_ARGUMENT, {"terms[1]", "precomputed"});
  KernelProduct product;
  product.factors.values[0] = given.get();
  expect_failure(product, FREERIDGE_INVALID_ARGUMENT, {"factors[0]", "precomputed"});
  KernelScaled scaled;
  scaled.inner = given.get();
  expect_failure(scaled, FREERIDGE_INVALID_ARGUMENT, {"inner", "precomputed"});
  KernelAdditive additive;
  additive.inner = given.get();
  expect_failure(additive, FREERIDGE_INVALID_ARGUMENT, {"inner", "precomputed"});
}

TEST(ContractKernelText, PrecomputedDataAreSquare) {
  const Kernel given = Kernel::precomputed();
  freeridge_model* made = nullptr;
  ASSERT_EQ(freeridge_create(given.get(), &made), FREERIDGE_OK);
  SetData call;
  call.model = made;
  expect_failure(call, FREERIDGE_DIMENSION_MISMATCH, {"x", text_of(sample::n), text_of(sample::d)});
  freeridge_destroy(made);
}

}  // namespace kernel_text_test
