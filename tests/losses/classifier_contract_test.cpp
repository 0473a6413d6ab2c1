// The contract of freeridge_classifier: hostile arguments, states, ownership.
#include "capi/support/classifier_calls.hpp"
#include "capi/support/refusals.hpp"

namespace classifier {
namespace classifier_contract_test {

using sample::d, sample::m, sample::n;

// ---- hostile arguments ----

TEST(ClassifierArguments, BothClassesArePresent) {
  for (const double only : {1.0, -1.0}) {
    const Classifier c = classifier(State::fitted);
    const Vector before = everything(c);
    SetData call;
    call.classifier = c.get();
    call.y.values.assign(n, only);
    expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"y", only > 0 ? "-1" : "1"});
    call.points.fields.n = call.points.fields.ldx = 1;  // one point has one class
    expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"y", only > 0 ? "-1" : "1"});
    EXPECT_TRUE(support::bit_equal(everything(c), before));
  }
}

TEST(ClassifierArguments, TheKernelFitsTheFeatures) {
  Classifier c(Kernel::scaled(Kernel::linear(), {1.0, 2.0, 3.0}), FREERIDGE_LOSS_LOGISTIC);
  SetData call;
  call.classifier = c.get();
  expect_failure(call, FREERIDGE_DIMENSION_MISMATCH, {"2", "3"});
}

TEST(ClassifierArguments, WhatMayBeNull) {
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE}) {
    const Classifier c = classifier(State::fitted, loss);
    const Vector x = sample::new_x();
    EXPECT_EQ(freeridge_classifier_predict(c.get(), support::at(FREERIDGE_COL_MAJOR, m, d, x.data()), nullptr, nullptr),
              FREERIDGE_OK);
    EXPECT_EQ(freeridge_classifier_get_coefficients(c.get(), nullptr, nullptr), FREERIDGE_OK);
    EXPECT_EQ(freeridge_classifier_get_convergence(c.get(), nullptr, nullptr, nullptr, nullptr, nullptr), FREERIDGE_OK);
    EXPECT_EQ(freeridge_classifier_get_margins(c.get(), nullptr, nullptr, nullptr, nullptr), FREERIDGE_OK);
    EXPECT_EQ(freeridge_classifier_set_weights(c.get(), nullptr), FREERIDGE_OK);
    Classifier unit(Kernel::gaussian(sample::sigma), loss);
    unit.data(sample::matrix(n, sample::x()), labels()).fit(0.5);
    ASSERT_EQ(freeridge_classifier_fit(c.get(), 0.5), FREERIDGE_OK);
    EXPECT_TRUE(support::bit_equal(c.c(), unit.c()));  // no weights left
  }
}

TEST(ClassifierArguments, OnlyLogisticHasProbabilitiesOnlyHingeSupportAndAHardMarginNoLeftOutValues) {
  const Classifier hinge = classifier(State::fitted, FREERIDGE_LOSS_HINGE), logistic = classifier(State::fitted);
  Predict predict;
  predict.classifier = hinge.get();
  expect_failure(predict, FREERIDGE_INVALID_ARGUMENT, {"probability", "HINGE"});
  Classifier hard(Kernel::linear(), FREERIDGE_LOSS_HINGE);
  support::Matrix two(2, 1);
  two(0, 0) = 1, two(1, 0) = -1;
  hard.data(two, {1, -1}).fit(0);
  Loo loo;
  loo.classifier = hard.get();
  expect_failure(loo, FREERIDGE_INVALID_STATE, {"lambda is 0"});
  GetSupport support;
  support.classifier = logistic.get();
  expect_failure(support, FREERIDGE_INVALID_STATE, {"HINGE", "LOGISTIC"});
  GetMargins margins;
  margins.classifier = logistic.get();
  expect_failure(margins, FREERIDGE_INVALID_STATE, {"slacks", "HINGE", "LOGISTIC"});
  margins.slack.null = true;
  expect_failure(margins, FREERIDGE_INVALID_STATE, {"support", "HINGE", "LOGISTIC"});
  margins.support.null = true;
  EXPECT_EQ(margins(), FREERIDGE_OK);  // margins and alpha are known for both
}

TEST(ClassifierArguments, DataThatOverflowTheKernel) {
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE}) {
    Classifier c(Kernel::linear(), loss);
    c.data(support::scaled(sample::matrix(n, sample::x()), 1e160), labels());
    Fit call;
    call.classifier = c.get();
    expect_failure(call, FREERIDGE_NOT_FINITE, {"kernel"});
    c.data(support::scaled(sample::matrix(n, sample::x()), 1e140), labels()).fit(1e280);  // and can be used again
    EXPECT_LE(c.convergence().stationarity, 1e-8);
  }
}

TEST(ClassifierArguments, MoreThanTheMemory) {
  Classifier c(Kernel::linear(), FREERIDGE_LOSS_HINGE);
  const std::int64_t rows = 4000000;  // 116 TiB of kernel values
  support::Matrix x(rows, 1);
  Vector y(static_cast<std::size_t>(rows), 1.0);
  y[0] = -1;
  c.data(x, y);
  Fit call;
  call.classifier = c.get();
  expect_failure(call, FREERIDGE_OUT_OF_MEMORY, {"kernel", "GiB"});
}

TEST(ClassifierArguments, TooFewIterations) {
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE}) {
    const losses::Problem p = losses::random_problem(51, oracle::KernelSpec::linear(), 60, 5, false, true);
    Classifier c = losses::make_classifier(p, loss);
    c.fit(1e-3);
    const losses::Convergence before = c.convergence();
    c.control(1e-8, 1);
    Fit call;
    call.classifier = c.get();
    call.lambda = 1e-4;
    expect_failure(call, FREERIDGE_NOT_CONVERGED, {"FREERIDGE_TOLERANCE and FREERIDGE_ITERATIONS"});
    GetConvergence get;
    get.classifier = c.get();
    expect_failure(get, FREERIDGE_INVALID_STATE, {"freeridge_classifier_fit"});  // set_parameter went back to DATA
    c.control(1e-8, int64_t{1} << 53).fit(1e-3);
    EXPECT_EQ(c.convergence().iterations, before.iterations);  // from the start, as the first time
  }
}

// ---- states ----

template <class Call>
void expect_least(State least, const char* missing_first, const char* missing_second, freeridge_loss loss) {
  for (const State state : {State::empty, State::data, State::fitted}) {
    const Classifier c = classifier(state, loss);
    Call call;
    call.classifier = c.get();
    if constexpr (std::is_same_v<Call, Predict>) call.probability.null = loss == FREERIDGE_LOSS_HINGE;
    if (state >= least)
      EXPECT_EQ(call(), FREERIDGE_OK) << Call::name << ": " << freeridge_last_error();
    else
      expect_failure(call, FREERIDGE_INVALID_STATE, {state == State::empty ? missing_first : missing_second});
  }
}

TEST(ClassifierStates, EachCallNamesTheOneThatIsMissing) {
  const char* const data = "freeridge_classifier_set_data";
  const char* const fit = "freeridge_classifier_fit";
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE}) {
    expect_least<SetData>(State::empty, "", "", loss);
    expect_least<SetParameter>(State::empty, "", "", loss);
    expect_least<SetProgress>(State::empty, "", "", loss);
    expect_least<SetWeights>(State::data, data, "", loss);
    expect_least<Fit>(State::data, data, "", loss);
    expect_least<Predict>(State::fitted, data, fit, loss);
    expect_least<GetCoefficients>(State::fitted, data, fit, loss);
    expect_least<GetConvergence>(State::fitted, data, fit, loss);
    expect_least<Distances>(State::fitted, data, fit, loss);
  }
  expect_least<Loo>(State::fitted, data, fit, FREERIDGE_LOSS_LOGISTIC);
  expect_least<GetSupport>(State::fitted, data, fit, FREERIDGE_LOSS_HINGE);
  expect_least<GetMargins>(State::fitted, data, fit, FREERIDGE_LOSS_HINGE);
}

template <class Setter>
void expect_back_to_data(bool back) {
  const Classifier c = classifier(State::fitted);
  Setter set;
  set.classifier = c.get();
  ASSERT_EQ(set(), FREERIDGE_OK) << freeridge_last_error();
  GetConvergence get;
  get.classifier = c.get();
  if (back)
    expect_failure(get, FREERIDGE_INVALID_STATE, {"freeridge_classifier_fit"});
  else
    EXPECT_EQ(get(), FREERIDGE_OK);
}

TEST(ClassifierStates, SettersGoBack) {
  expect_back_to_data<SetData>(true);
  expect_back_to_data<SetWeights>(true);
  expect_back_to_data<SetParameter>(true);
  expect_back_to_data<SetTolerance>(true);
  expect_back_to_data<SetIterations>(true);
  expect_back_to_data<SetProgress>(false);
}

TEST(ClassifierStates, NewDataDropTheWeights) {
  Classifier c = classifier(State::fitted);
  c.data(sample::matrix(n, sample::x()), labels()).fit(0.5);
  Classifier unit(Kernel::gaussian(sample::sigma), FREERIDGE_LOSS_LOGISTIC);
  unit.data(sample::matrix(n, sample::x()), labels()).fit(0.5);
  EXPECT_TRUE(support::bit_equal(c.c(), unit.c()));
}

// ---- ownership ----

TEST(ClassifierOwnership, NothingOfTheCallersIsKept) {
  Vector expected;
  for (const bool spoil : {false, true}) {
    freeridge_classifier* handle = nullptr;
    {
      const Kernel kernel = Kernel::gaussian(sample::sigma);
      ASSERT_EQ(freeridge_classifier_create(kernel.get(), FREERIDGE_LOSS_HINGE, &handle), FREERIDGE_OK);
    }  // the kernel is gone
    Vector x = sample::x(), y = labels(), weights = sample::weights();
    ASSERT_EQ(freeridge_classifier_set_data(handle, support::at(FREERIDGE_COL_MAJOR, n, d, x.data()), y.data()),
              FREERIDGE_OK);
    ASSERT_EQ(freeridge_classifier_set_weights(handle, weights.data()), FREERIDGE_OK);
    if (spoil)
      for (Vector* values : {&x, &y, &weights}) std::fill(values->begin(), values->end(), NaN);
    ASSERT_EQ(freeridge_classifier_fit(handle, 0.5), FREERIDGE_OK) << freeridge_last_error();
    Vector c(n);
    ASSERT_EQ(freeridge_classifier_get_coefficients(handle, c.data(), nullptr), FREERIDGE_OK);
    freeridge_classifier_destroy(handle);
    if (!spoil) expected = c;
    EXPECT_TRUE(support::bit_equal(c, expected));
  }
}

}  // namespace classifier_contract_test
}  // namespace classifier
