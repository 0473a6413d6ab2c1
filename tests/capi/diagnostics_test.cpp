// Diagnostics and intervals: bad arguments, outputs that are not wanted, layouts and leading dimensions.
#include "capi/support/answer_calls.hpp"
#include "capi/support/refusals.hpp"

namespace diagnostics_test {

constexpr int64_t n = sample::n, d = sample::d, t = sample::t, m = sample::m;

TEST(ContractDiagnostics, OutputsThatAreNotWanted) {
  for (sample::Variant variant : sample::variants) {
    Model model = sample::model(sample::State::fitted, variant);
    DegreesOfFreedom all, df, sigma2, none;
    all.model = df.model = sigma2.model = none.model = model.get();
    df.sigma2.null = sigma2.df.null = none.df.null = none.sigma2.null = true;
    for (DegreesOfFreedom* call : {&all, &df, &sigma2, &none}) ASSERT_EQ((*call)(), FREERIDGE_OK);
    EXPECT_EQ(df.df.values, all.df.values);
    EXPECT_EQ(sigma2.sigma2.values, all.sigma2.values);
    PredictVariance with, without;
    with.model = without.model = model.get();
    without.noise.null = true;
    ASSERT_EQ(with(), FREERIDGE_OK);
    ASSERT_EQ(without(), FREERIDGE_OK);
    EXPECT_EQ(with.variance.values, without.variance.values);
  }
}

TEST(ContractDiagnostics, ThePaddingOfOutputsIsNotWritten) {
  for (sample::Variant variant : sample::variants) {
    Model model = sample::model(sample::State::fitted, variant);
    CooksDistance tight, wide;
    tight.model = wide.model = model.get();
    wide.ld += 3;
    wide.distance = Output<double>(sample::size(wide.ld, t));
    ASSERT_EQ(tight(), FREERIDGE_OK);
    ASSERT_EQ(wide(), FREERIDGE_OK);
    for (int64_t j = 0; j < t; ++j)
      for (int64_t i = 0; i < wide.ld; ++i)
        EXPECT_EQ(wide.distance.values[sample::size(i + j * wide.ld)],
                  i < n ? tight.distance.values[sample::size(i + j * n)] : sentinel<double>());

    PredictJackknife expected;
    PredictVariance expected_variance;
    expected.model = expected_variance.model = model.get();
    ASSERT_EQ(expected(), FREERIDGE_OK);
    ASSERT_EQ(expected_variance(), FREERIDGE_OK);
    for (freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR})
      for (int64_t padding : {0, 2}) {
        const support::Packed x = support::pack(sample::matrix(m, sample::new_x()), layout, padding);
        PredictJackknife call;
        PredictVariance variance_call;
        call.model = variance_call.model = model.get();
        call.layout = variance_call.layout = layout;
        call.x.values = variance_call.x.values = x.values;
        call.ldx = variance_call.ldx = x.ld;
        call.ldout = variance_call.ldout = (layout == FREERIDGE_COL_MAJOR ? m : t) + padding;
        const std::size_t size = sample::size(call.ldout, layout == FREERIDGE_COL_MAJOR ? t : m);
        call.lower = call.upper = variance_call.variance = Output<double>(size);
        ASSERT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
        ASSERT_EQ(variance_call(), FREERIDGE_OK) << freeridge_last_error();
        const auto compare = [&](const Output<double>& actual, const Output<double>& wanted) {
          std::size_t untouched = 0;
          for (double value : actual.values) untouched += value == sentinel<double>();
          EXPECT_EQ(untouched, actual.values.size() - sample::size(m, t));
          for (int64_t j = 0; j < t; ++j)
            for (int64_t i = 0; i < m; ++i)
              EXPECT_EQ(actual.values[support::packed_index(layout, call.ldout, i, j)],
                        wanted.values[sample::size(i + j * m)]);
        };
        compare(call.lower, expected.lower);
        compare(call.upper, expected.upper);
        compare(variance_call.variance, expected_variance.variance);
      }
  }
}

// A new point whose prediction overflows leaves the outputs alone.
TEST(ContractDiagnostics, AnOverflowIsNotFinite) {
  for (const Kernel& kernel : {Kernel::polynomial(3, 1.0, 1.0), Kernel::linear()}) {
    Model model = sample::model_of(kernel, {1.0, 2.0, 3.0}, {1.0, 50.0, 9.0}, 3);
    model.factorize().lambda(1e-3);
    PredictJackknife call;
    call.model = model.get();
    call.x.values = {0.5, 1.7e308, 0.5};
    expect_failure(call, FREERIDGE_NOT_FINITE, {"x"});
    PredictVariance variance;
    variance.model = model.get();
    variance.x.values = call.x.values;
    expect_failure(variance, FREERIDGE_NOT_FINITE, {"x"});
  }
}

}  // namespace diagnostics_test
