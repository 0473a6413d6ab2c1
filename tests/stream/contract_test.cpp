// The contract of the accumulator's calls: every argument's bad values, sizes that do not fit together, calls before
// the first row; and a failed call leaves the accumulator, and the outputs, as they were.
#include <gtest/gtest.h>

#include "capi/support/accumulator_calls.hpp"
#include "capi/support/refusals.hpp"
#include "support/accumulator.hpp"
#include "support/problems.hpp"

namespace contract_test {

using support::Accumulator;
using Bytes = std::vector<unsigned char>;

constexpr int64_t n = sample::n, d = sample::d, t = sample::t;

using namespace accumulator;

TEST(ContractAccumulator, CreateRefusesWhatIsTooLarge) {
  Create large;
  large.d = 2147483645;
  large.t = 2;
  expect_failure(large, FREERIDGE_INVALID_ARGUMENT, {"d", "2147483645", "t", "2"});
  freeridge_accumulator_destroy(nullptr);
}

TEST(ContractAccumulator, MergeRefusesItselfAndWhatIsUnlike) {
  const Accumulator accumulator(sample_problem());
  const Bytes before = accumulator.save();
  Merge itself;
  itself.accumulator = accumulator.get();
  itself.other = accumulator.get();
  expect_failure(itself, FREERIDGE_INVALID_ARGUMENT, {"other"});
  struct Other {
    const char* argument;
    int64_t d, t;
    bool intercept;
  };
  for (const Other& other : {Other{"d", d + 1, t, true}, {"t", d, t + 1, true}, {"intercept", d, t, false}}) {
    const Accumulator unlike(other.d, other.t, other.intercept);
    Merge call;
    call.accumulator = accumulator.get();
    call.other = unlike.get();
    expect_failure(call, FREERIDGE_DIMENSION_MISMATCH, {"other", other.argument});
  }
  EXPECT_EQ(accumulator.save(), before);
}

TEST(ContractAccumulator, GetDimensionsTakesNullForEach) {
  const Accumulator accumulator(sample_problem());
  double weights = 0;
  for (const double weight : sample::weights()) weights += weight;
  for (int left_out = 0; left_out < 5; ++left_out) {
    GetDimensions call;
    call.accumulator = accumulator.get();
    call.n.null = left_out == 0;
    call.d.null = left_out == 1;
    call.t.null = left_out == 2;
    call.sum_w.null = left_out == 3;
    ASSERT_EQ(call(), FREERIDGE_OK);
    EXPECT_TRUE(left_out == 0 ? call.n.untouched() : call.n.values[0] == n);
    EXPECT_TRUE(left_out == 1 ? call.d.untouched() : call.d.values[0] == d);
    EXPECT_TRUE(left_out == 2 ? call.t.untouched() : call.t.values[0] == t);
    EXPECT_TRUE(left_out == 3 ? call.sum_w.untouched() : call.sum_w.values[0] == weights);
  }
  const Accumulator empty(4, 5, false);
  EXPECT_EQ(empty.n(), 0);
  EXPECT_EQ(empty.sum_w(), 0.0);
}

TEST(ContractAccumulator, AnswersNeedRows) {
  const Accumulator empty(d, t, true);
  const auto refused = [&](auto call) {
    call.accumulator = empty.get();
    expect_failure(call, FREERIDGE_INVALID_STATE, {"freeridge_accumulator_add"});
  };
  refused(Solve());
  refused(Score());
  refused(LambdaGrid());
  refused(Loo());
  refused(SquaredErrors());
  refused(SquaredErrorsSparse());
}

// The last of many rows is bad, long after others were taken in; or the sum of the weights is; or a number overflows
// only once it is weighted.
TEST(ContractAccumulator, AFailedAddLeavesTheRowsAsTheyWere) {
  support::Random random(41);
  const oracle::Problem good = support::random_problem(random, oracle::KernelSpec::linear(), 2000, 3, 2, true, true);
  for (const int64_t rows : {1, 300, 1500}) {
    Accumulator accumulator(support::slice(good, 0, 300));
    const Bytes before = accumulator.save();
    const support::Matrix loo = accumulator.loo(support::slice(good, 0, 300), {0.1});
    const auto refuse = [&](freeridge_status status, auto spoil) {
      oracle::Problem bad = support::slice(good, 300, rows);
      spoil(bad);
      EXPECT_EQ(freeridge_accumulator_add(accumulator.get(), support::at(bad.x), FREERIDGE_COL_MAJOR,
                                          bad.y.values.data(), rows, bad.weights.data()),
                status)
          << freeridge_last_error();
      EXPECT_EQ(accumulator.save(), before);
      EXPECT_TRUE(support::bit_equal(accumulator.loo(support::slice(good, 0, 300), {0.1}), loo));
    };
    refuse(FREERIDGE_NOT_FINITE, [](oracle::Problem& bad) { bad.x.values.back() = NaN; });
    refuse(FREERIDGE_NOT_FINITE, [](oracle::Problem& bad) { bad.y.values.back() = Inf; });
    refuse(FREERIDGE_NOT_FINITE, [](oracle::Problem& bad) { bad.y.values.back() = 1e301; });
    refuse(FREERIDGE_NOT_FINITE, [](oracle::Problem& bad) { bad.x.values.back() = -1e301; });
    refuse(FREERIDGE_NOT_FINITE, [](oracle::Problem& bad) {
      bad.weights.back() = 1e200;
      bad.x.values.back() = 1e205;
    });
    refuse(FREERIDGE_INVALID_ARGUMENT, [](oracle::Problem& bad) { bad.weights.back() = 0; });
  }
  // The first row of all, too: nothing of it stays.
  Accumulator empty(1, 1, true);
  const Bytes nothing = empty.save();
  const double x[2] = {1e300, -1e300}, y[2] = {0, 0}, weights[2] = {1e308, 1e308};
  EXPECT_EQ(freeridge_accumulator_add(empty.get(), support::at(FREERIDGE_COL_MAJOR, 2, 1, x, 2), FREERIDGE_COL_MAJOR, y,
                                      2, nullptr),
            FREERIDGE_NOT_FINITE);
  EXPECT_EQ(freeridge_accumulator_add(empty.get(), support::at(FREERIDGE_COL_MAJOR, 2, 1, y, 2), FREERIDGE_COL_MAJOR, y,
                                      2, weights),
            FREERIDGE_NOT_FINITE);
  EXPECT_EQ(empty.save(), nothing);
}

TEST(ContractAccumulator, AMergeThatOverflowsLeavesBothAsTheyWere) {
  const auto one_row = [](double x, double weight) {
    return oracle::Problem{
        oracle::KernelSpec::linear(), support::to_column({x}), support::to_column({0.0}), {weight}, true};
  };
  const Accumulator high(one_row(1e300, 1.0)), low(one_row(-1e300, 1.0)), heavy(one_row(1.0, 1.7e308)),
      heavier(one_row(1.0, 1e308));
  for (const auto& [into, from] : {std::pair{&high, &low}, std::pair{&heavy, &heavier}}) {
    const Bytes before = into->save(), other = from->save();
    EXPECT_EQ(freeridge_accumulator_merge(into->get(), from->get()), FREERIDGE_NOT_FINITE);
    EXPECT_EQ(into->save(), before);
    EXPECT_EQ(from->save(), other);
  }
}

TEST(ContractAccumulator, WhatDoesNotFitIntoMemoryIsRefusedBeforeItIsTried) {
  // The arrays handed over are short, so that a read would be seen.
  const double row[1] = {1.0};
  for (const int64_t features : {2000000000, 2147483645}) {
    const Accumulator accumulator(features, 1, true);
    for (const int64_t rows : {int64_t{1000}, int64_t{2000000}}) {
      Add call;
      call.accumulator = accumulator.get();
      call.layout = FREERIDGE_ROW_MAJOR;
      call.points = dense_points(rows, {row[0]});
      call.points.fields.layout = FREERIDGE_ROW_MAJOR;
      call.points.fields.d = call.points.fields.ldx = features;
      call.y.values.assign(row, row + 1);
      call.ldy = 1;
      expect_failure(call, FREERIDGE_OUT_OF_MEMORY, {"bytes", text_of(features)});
      EXPECT_EQ(accumulator.n(), 0);
    }
  }
}

}  // namespace contract_test
