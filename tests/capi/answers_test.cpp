// Answers: bad arguments, leading dimensions and layouts of outputs, answers that do not exist.
#include "capi/support/answer_calls.hpp"

#include <algorithm>
#include <cmath>

#include "capi/support/refusals.hpp"

namespace answers_test {

constexpr int64_t n = sample::n, d = sample::d, t = sample::t, m = sample::m;

TEST(ContractAnswers, GroupErrorsRefusesGroupsWithoutAnyLabel) {
  Model model = sample::model(sample::State::fitted);
  const Fingerprint before = fingerprint(model.get());
  for (int32_t label : {-1, INT32_MIN}) {
    GroupErrors call;
    call.model = model.get();
    call.group.values.assign(n, label);
    expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"group"});
    EXPECT_EQ(difference(before, fingerprint(model.get())), "");
  }
}

// A new point whose prediction overflows: the message names its row. The points before it may have been predicted.
TEST(ContractAnswers, APredictionThatOverflowsIsNotFinite) {
  for (const Kernel& kernel : {Kernel::polynomial(3, 1.0, 1.0), Kernel::linear()}) {
    Model model = sample::model_of(kernel, {1.0, 2.0, 3.0}, {1.0, 50.0, 9.0}, 3);
    model.factorize().lambda(1e-3);
    for (int64_t row : {0, 40000, 99999}) {
      SCOPED_TRACE(row);
      Predict call;
      call.model = model.get();
      call.m = call.ldx = call.ldout = 100000;
      call.x.values.assign(sample::size(call.m), 0.5);
      call.x.values[sample::size(row)] = 1.7e308;
      call.out = Output<double>(sample::size(call.m));
      expect_failure(call, FREERIDGE_NOT_FINITE, {"x", text_of(row)}, true);
    }
  }
}

template <class Call>
void expect_overflow(const Model& model, int64_t rows, const char* word, const char* verb) {
  Call call;
  call.model = model.get();
  call.ld = rows;
  expect_failure(call, FREERIDGE_NOT_FINITE, {word, verb});
}

// OK means that all numbers are finite: answers beyond the range of a double, of a fit within it, are refused.
TEST(ContractAnswers, AnAnswerThatOverflowsIsNotFinite) {
  for (const freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_CHOLESKY,
                                      FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_AUTO}) {
    SCOPED_TRACE(route);
    // c = (y - fitted) / lambda
    Model tiny = sample::model_of(Kernel::linear(), {1e-60, 2e-60, 4e-60}, {1e300, -1e300, 0.0}, 3);
    tiny.route(route).factorize();
    const double lambda = 1e-20;
    if (freeridge_set_lambda(tiny.get(), lambda) == FREERIDGE_OK)
      expect_overflow<Coefficients>(tiny, 3, "coefficients", "overflow");
    else  // w overflows, too
      expect_message(freeridge_last_error(), {"solution", "overflows"});
    // The line through the first two points, at the third, which weighs nothing.
    Model line = sample::model_of(Kernel::linear(), {1.0, 2.0, 1000.0}, {-1e307, 1e307, 0.0}, 3);
    line.weights({1.0, 1.0, route == FREERIDGE_ROUTE_BAND ? 1e-7 : 1e-30}).route(route).factorize().lambda(1);
    expect_overflow<GetFitted>(line, 3, "fitted", "overflow");
    expect_overflow<Loo>(line, 3, "row 2", "overflows");
    GroupErrors groups;
    groups.model = line.get();
    groups.ld = 3;
    groups.group.values = {-1, 0, 1};
    expect_failure(groups, FREERIDGE_NOT_FINITE, {"group", "overflow"});
  }
}

// --- outputs with room behind each column or row: the room is not written, the answers are the same ----------------

template <class Call>
void expect_padding_untouched(Output<double> Call::*output, int64_t rows, sample::Variant variant) {
  SCOPED_TRACE(Call::name);
  constexpr int64_t padding = 3;
  Model model = sample::model(sample::State::fitted, variant);
  Call tight, wide;
  tight.model = wide.model = model.get();
  wide.ld += padding;
  wide.*output = Output<double>(sample::size(wide.ld, t));
  ASSERT_EQ(tight(), FREERIDGE_OK) << freeridge_last_error();
  ASSERT_EQ(wide(), FREERIDGE_OK) << freeridge_last_error();
  for (int64_t j = 0; j < t; ++j) {
    for (int64_t i = 0; i < wide.ld; ++i) {
      const double value = (wide.*output).values[sample::size(i + j * wide.ld)];
      const double expected = i < rows ? (tight.*output).values[sample::size(i + j * rows)] : sentinel<double>();
      EXPECT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected))) << value << ", not " << expected;
    }
  }
  EXPECT_TRUE((tight.*output).guard_untouched());
  EXPECT_TRUE((wide.*output).guard_untouched());
}

TEST(ContractAnswers, LeadingDimensionsOfOutputs) {
  for (sample::Variant variant : sample::variants) {
    expect_padding_untouched(&Loo::errors, n, variant);
    expect_padding_untouched(&GroupErrors::errors, n, variant);
    expect_padding_untouched(&Coefficients::c, n, variant);
    expect_padding_untouched(&GetFitted::fitted, n, variant);
    expect_padding_untouched(&GetLeverage::leverage, n, variant);
  }
  expect_padding_untouched(&Hyperplane::w, d, sample::Variant::primal);
}

// In each layout, with and without padding: the same numbers, and the padding untouched.
template <class Call>
void expect_layouts(const Model& model, const std::vector<Output<double> Call::*>& outputs) {
  SCOPED_TRACE(Call::name);
  Call expected;
  expected.model = model.get();
  ASSERT_EQ(expected(), FREERIDGE_OK) << freeridge_last_error();
  for (freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR})
    for (int64_t padding : {0, 2}) {
      SCOPED_TRACE("layout " + std::to_string(layout) + ", padding " + std::to_string(padding));
      const support::Packed x = support::pack(sample::matrix(m, sample::new_x()), layout, padding);
      Call call;
      call.model = model.get();
      call.layout = layout;
      if constexpr (requires { call.points; }) {
        call.points.fields.layout = layout;
        call.points.x.values = x.values;
        call.points.fields.ldx = x.ld;
      } else {
        call.x.values = x.values;
        call.ldx = x.ld;
      }
      call.ldout = (layout == FREERIDGE_COL_MAJOR ? m : t) + padding;
      for (const auto output : outputs)
        call.*output = Output<double>(sample::size(call.ldout, layout == FREERIDGE_COL_MAJOR ? t : m));
      ASSERT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
      for (const auto output : outputs) {
        const std::vector<double>& values = (call.*output).values;
        const std::ptrdiff_t untouched = std::count(values.begin(), values.end(), sentinel<double>());
        EXPECT_EQ(untouched, static_cast<std::ptrdiff_t>(values.size()) - m * t);
        for (int64_t j = 0; j < t; ++j)
          for (int64_t i = 0; i < m; ++i)
            EXPECT_EQ(values[support::packed_index(layout, call.ldout, i, j)],
                      (expected.*output).values[sample::size(i + j * m)]);
      }
    }
}

TEST(ContractAnswers, LayoutsOfPredictions) {
  for (sample::Variant variant : sample::variants) {
    const Model model = sample::model(sample::State::fitted, variant);
    expect_layouts<Predict>(model, {&Predict::out});
    expect_layouts<PredictJackknife>(model, {&PredictJackknife::lower, &PredictJackknife::upper});
    expect_layouts<PredictVariance>(model, {&PredictVariance::variance});
    expect_layouts<PredictCovariance>(model, {&PredictCovariance::errors});
    expect_layouts<PredictLeftOut>(model, {&PredictLeftOut::out});
  }
}

// --- answers that do not exist --------------------------------------------------------------------------------------

// Without intercept and at lambda = 0, a feature that is nonzero in row 0 alone fits that row: its leverage is one.
// The other rows are fitted by 0, left out or not.
TEST(ContractUndefined, ALeverageOfOneLeavesTheOtherErrorsValid) {
  const std::vector<double> y = {3.0, -1.0, 2.0};
  for (freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_PRIMAL}) {
    SCOPED_TRACE(route);
    Model model = sample::model_of(Kernel::linear(), {2.0, 0.0, 0.0}, y, 3);
    model.intercept(false).route(route).factorize().lambda(0.0);
    Loo loo;
    loo.model = model.get();
    loo.ld = 3;
    loo.errors = Output<double>(3);
    expect_failure(loo, FREERIDGE_UNDEFINED, {});
    EXPECT_TRUE(std::isnan(loo.errors.values[0]));
    EXPECT_DOUBLE_EQ(loo.errors.values[1], y[1]);
    EXPECT_DOUBLE_EQ(loo.errors.values[2], y[2]);
    GroupErrors groups;
    groups.model = model.get();
    groups.ld = 3;
    groups.errors = Output<double>(3);
    groups.group.values = {4, -1, 9};
    expect_failure(groups, FREERIDGE_UNDEFINED, {});
    EXPECT_TRUE(std::isnan(groups.errors.values[0]));
    EXPECT_TRUE(std::isnan(groups.errors.values[1]));
    EXPECT_DOUBLE_EQ(groups.errors.values[2], y[2]);
  }
}

TEST(ContractUndefined, AGroupOfAllRows) {
  for (sample::Variant variant : sample::variants) {
    SCOPED_TRACE(static_cast<int>(variant));
    // With an intercept nothing is left to find it from.
    Model model = sample::model(sample::State::fitted, variant);
    GroupErrors call;
    call.model = model.get();
    call.group.values.assign(n, 6);
    expect_failure(call, FREERIDGE_UNDEFINED, {});
    for (int64_t i = 0; i < n * t; ++i) EXPECT_TRUE(std::isnan(call.errors.values[sample::size(i)]));
    // Without one, f = 0 is left: the errors are y.
    model.intercept(false).factorize().lambda(0.5);
    ASSERT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
    for (int64_t i = 0; i < n * t; ++i) {
      EXPECT_NEAR(call.errors.values[sample::size(i)], sample::y()[sample::size(i)], 1e-11);
    }
  }
}

}  // namespace answers_test
