// Choosing lambda and the bandwidth: bad arguments, what a search leaves behind, searches without an answer.
#include <cmath>

#include "capi/support/answer_calls.hpp"
#include "capi/support/refusals.hpp"
#include "capi/support/selection_calls.hpp"
#include "capi/support/setting_calls.hpp"

namespace selection_test {

const std::vector<sample::Variant> with_bandwidth = {sample::Variant::spectral, sample::Variant::cholesky};

// The sample's Y are no classes.
TEST(ContractSelection, TheErrorRateNeedsClasses) {
  for (sample::Variant variant : sample::variants) {
    const Model model = sample::model(sample::State::fitted, variant);
    const Fingerprint before = fingerprint(model.get());
    const auto refused = [&](auto call) {
      call.model = model.get();
      call.criterion = FREERIDGE_ERROR_RATE;
      expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"ERROR_RATE", "y"});
    };
    refused(Score());
    refused(SelectLambda());
    if (variant != sample::Variant::primal) refused(SelectBandwidth());
    EXPECT_EQ(difference(before, fingerprint(model.get())), "");
  }
}

TEST(ContractSelection, ABudgetOfZeroIsTheDefault) {
  Model model = sample::model(sample::State::data), same = sample::model(sample::State::data);
  SelectBandwidth call, expected;
  call.model = model.get();
  expected.model = same.get();
  call.budget = 0;
  expected.budget = 15;
  ASSERT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
  ASSERT_EQ(expected(), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_EQ(call.sigma.values, expected.sigma.values);
  EXPECT_EQ(difference(fingerprint(model.get()), fingerprint(same.get())), "");
}

TEST(ContractSelection, GetSearchFillsWhatItSays) {
  Model model = sample::model(sample::State::fitted);
  freeridge_search search = support::no_search();
  ASSERT_EQ(freeridge_get_search(model.get(), &search), FREERIDGE_OK) << freeridge_last_error();
  const int64_t count = search.count;
  ASSERT_GE(count, 100);
  ASSERT_LT(count, GetSearch::most);
  GetSearch short_ld;
  short_ld.model = model.get();
  short_ld.search.fields.ld = count - 1;
  expect_failure(short_ld, FREERIDGE_INVALID_ARGUMENT, {"search.ld", text_of(count - 1)});
  GetSearch without_gaps, with_gaps;
  without_gaps.model = with_gaps.model = model.get();
  without_gaps.search.fields.ld = 0;  // count
  ASSERT_EQ(without_gaps(), FREERIDGE_OK) << freeridge_last_error();
  ASSERT_EQ(with_gaps(), FREERIDGE_OK) << freeridge_last_error();
  const SearchArgument &tight = without_gaps.search, &wide = with_gaps.search;
  EXPECT_EQ(tight.count.values[0], count);
  EXPECT_TRUE(tight.lambdas.untouched_from(sample::size(count)));
  EXPECT_TRUE(tight.scores.untouched_from(sample::size(count, sample::t)));
  EXPECT_TRUE(tight.edge.guard_untouched());
  double least[sample::t] = {Inf, Inf};
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) {
      EXPECT_LT(tight.lambdas.values[sample::size(i - 1)], tight.lambdas.values[sample::size(i)]);
    }
    for (int64_t j = 0; j < sample::t; ++j) {
      const double score = tight.scores.values[sample::size(i + j * count)];
      const double same = wide.scores.values[sample::size(i + j * GetSearch::most)];
      EXPECT_TRUE(score == same || (std::isnan(score) && std::isnan(same)));
      if (score < least[j]) least[j] = score;
    }
  }
  double lambda[sample::t], score[sample::t];
  ASSERT_EQ(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 1e-3, 1e3, lambda, score), FREERIDGE_OK);
  for (int64_t j = 0; j < sample::t; ++j) EXPECT_EQ(score[j], least[j]);
}

TEST(ContractSelection, ARangeOfOnePointIsARange) {
  Model model = sample::model(sample::State::factorized);
  SelectLambda call;
  call.model = model.get();
  call.low = call.high = 0.5;
  ASSERT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
  for (int64_t j = 0; j < sample::t; ++j) EXPECT_EQ(call.lambda.values[sample::size(j)], 0.5);
}

// Of the other calls capi/states_test.cpp says it.
TEST(ContractSelection, OutputsAreNotOverrun) {
  Model model = sample::model(sample::State::fitted);
  Score score;
  GetOneStandardError rule;
  LambdaFlags flags;
  flags.model = score.model = rule.model = model.get();
  score.ld = sample::count + 2;
  score.scores = score.errors = Output<double>(sample::size(score.ld, sample::t));
  ASSERT_EQ(score(), FREERIDGE_OK) << freeridge_last_error();
  ASSERT_EQ(rule(), FREERIDGE_OK) << freeridge_last_error();
  ASSERT_EQ(flags(), FREERIDGE_OK) << freeridge_last_error();
  const auto guarded = [](const AnyOutput& output) { EXPECT_TRUE(output.guard_untouched()); };
  score.each_output(guarded);
  rule.each_output(guarded);
  flags.each_output(guarded);
  for (int64_t j = 0; j < sample::t; ++j)
    for (int64_t i = sample::count; i < score.ld; ++i) {
      EXPECT_EQ(score.scores.values[sample::size(i + j * score.ld)], sentinel<double>());
      EXPECT_EQ(score.errors.values[sample::size(i + j * score.ld)], sentinel<double>());
    }
}

TEST(ContractSelection, Bandwidth) {
  Model model = sample::model(sample::State::data);
  SelectBandwidth call;
  call.model = model.get();
  call.criterion = FREERIDGE_LOO;
  call.budget = 9;
  ASSERT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
  int64_t count = 0;
  GetBandwidth search;
  search.model = model.get();
  search.count = &count;
  ASSERT_EQ(search(), FREERIDGE_OK) << freeridge_last_error();
  ASSERT_GE(count, 1);
  ASSERT_LE(count, call.budget);
  Output<double> sigmas(sample::size(count)), scores(sample::size(count)), decades(1);
  Output<int32_t> edge(1), dips(1);
  ASSERT_EQ(freeridge_get_bandwidth(model.get(), nullptr, nullptr, sigmas.get(), scores.get(), edge.get(),
                                    decades.get(), dips.get()),
            FREERIDGE_OK);
  for (const Output<double>* output : {&sigmas, &scores, &decades}) EXPECT_TRUE(output->guard_untouched());
  EXPECT_TRUE(edge.guard_untouched() && dips.guard_untouched());
  double best = Inf, sigma = NaN;
  for (std::size_t i = 0; i < sigmas.values.size() && i < sample::size(count); ++i) {
    EXPECT_GE(sigmas.values[i], call.low * (1 - 1e-12));
    EXPECT_LE(sigmas.values[i], call.high * (1 + 1e-12));
    if (scores.values[i] < best) best = scores.values[i], sigma = sigmas.values[i];
  }
  EXPECT_EQ(call.sigma.values[0], sigma);
  EXPECT_EQ(search.sigma.values[0], sigma);
}

// --- searches without an answer -------------------------------------------------------------------------------------

// Constant x: with an intercept no lambda matters, and lambda = 1 is chosen. A row left out is predicted by the mean of
// the others.
TEST(ContractSelection, NoEigenvalueNoGrid) {
  for (const Kernel& kernel : {Kernel::gaussian(sample::sigma), Kernel::linear()}) {
    Model model = sample::model_of(kernel, {2.0, 2.0, 2.0, 2.0}, {1.0, 2.0, 3.0, 5.0}, 4);
    model.factorize();
    LambdaGrid grid;
    grid.model = model.get();
    expect_failure(grid, FREERIDGE_UNDEFINED, {});
    double lambda = 0, score = 0;
    ASSERT_EQ(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 0, 0, &lambda, &score), FREERIDGE_OK);
    EXPECT_EQ(lambda, 1);
    double mean_square = 0;
    for (const double y : {1.0, 2.0, 3.0, 5.0}) mean_square += std::pow(4.0 / 3 * (y - 2.75), 2) / 4;
    EXPECT_NEAR(score, mean_square, 1e-14 * mean_square);
  }
}

// One point with an intercept: no error can be left out, whatever lambda is.
TEST(ContractSelection, NoScoreNoChoice) {
  Model model = sample::model_of(Kernel::gaussian(sample::sigma), {1.0}, {5.0}, 1);
  model.factorize();
  Score score;
  SelectLambda select;
  score.model = select.model = model.get();
  score.scores = score.errors = Output<double>(sample::size(sample::count));
  select.lambda = select.score = Output<double>(1);
  for (freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV}) {
    score.criterion = select.criterion = criterion;
    score.errors.null = criterion == FREERIDGE_GCV;  // which has none
    expect_failure(score, FREERIDGE_UNDEFINED, {});
    for (int64_t i = 0; i < sample::count; ++i) EXPECT_TRUE(std::isnan(score.scores.values[sample::size(i)]));
    expect_failure(select, FREERIDGE_UNDEFINED, {});
    EXPECT_EQ(sample::state_of(model.get()), sample::State::factorized);
  }
}

TEST(ContractSelection, CoincidingPointsHaveNoBandwidth) {
  Model model = sample::model_of(Kernel::gaussian(1.25), {2.0, 2.0, 2.0, 2.0}, {1.0, 2.0, 3.0, 5.0}, 4);
  SelectBandwidth call;
  call.model = model.get();
  call.low = call.high = 0.0;
  expect_failure(call, FREERIDGE_UNDEFINED, {});
  EXPECT_EQ(sample::state_of(model.get()), sample::State::data);
  double sigma = NaN;
  ASSERT_EQ(freeridge_get_bandwidth(model.get(), &sigma, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
            FREERIDGE_OK);
  EXPECT_EQ(sigma, 1.25);
}

// What an earlier fit shares with its factorization goes before that does.
TEST(ContractSelection, SelectBandwidthFromAFittedModel) {
  for (const sample::Variant variant : {sample::Variant::spectral, sample::Variant::cholesky}) {
    const Model fresh = sample::model(sample::State::data, variant), used = sample::model(sample::State::data, variant);
    ASSERT_EQ(freeridge_factorize(used.get()), FREERIDGE_OK);
    ASSERT_EQ(freeridge_set_lambda(used.get(), 0.5), FREERIDGE_OK);
    for (const Model* model : {&fresh, &used}) {
      SelectBandwidth call;
      call.model = model->get();
      ASSERT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
    }
    EXPECT_EQ(difference(fingerprint(fresh.get()), fingerprint(used.get())), "");
  }
}

}  // namespace selection_test
