// Diagnostics and intervals: bad arguments, outputs that are not wanted, layouts and leading dimensions.
#include "capi/support/answer_calls.hpp"
#include "capi/support/refusals.hpp"

namespace diagnostics_test {

constexpr int64_t n = sample::n, t = sample::t;

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

TEST(ContractDiagnostics, ThePaddingOfDistancesIsNotWritten) {
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
  }
}

// A new point whose prediction overflows leaves the outputs alone.
TEST(ContractDiagnostics, AnOverflowIsNotFinite) {
  for (const Kernel& kernel : {Kernel::polynomial(3, 1.0, 1.0), Kernel::linear()}) {
    Model model = sample::model_of(kernel, {1.0, 2.0, 3.0}, {1.0, 50.0, 9.0}, 3);
    model.factorize().lambda(1e-3);
    PredictJackknife call;
    call.model = model.get();
    call.points.x.values = {0.5, 1.7e308, 0.5};
    call.points.fields.d = 1;
    expect_failure(call, FREERIDGE_NOT_FINITE, {"x"});
    PredictVariance variance;
    variance.model = model.get();
    variance.points = call.points;
    expect_failure(variance, FREERIDGE_NOT_FINITE, {"x"});
  }
}

}  // namespace diagnostics_test
