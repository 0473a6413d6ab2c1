// The contract of the accumulator's calls: every argument's bad values, sizes that do not fit together, calls before
// the first row; and a failed call leaves the accumulator, and the outputs, as they were.
#include <gtest/gtest.h>

#include "capi/support/refusals.hpp"
#include "support/accumulator.hpp"
#include "support/problems.hpp"

namespace {

using support::Accumulator;
using Bytes = std::vector<unsigned char>;

constexpr int64_t n = sample::n, d = sample::d, t = sample::t, count = 3;

oracle::Problem sample_problem() {
  return {oracle::KernelSpec::linear(), sample::matrix(n, sample::x()), sample::matrix(n, sample::y()),
          sample::weights(), true};
}

struct Create {
  static constexpr const char* name = "freeridge_accumulator_create";
  int64_t d = 2, t = 3;
  int32_t intercept = 1;
  Output<freeridge_accumulator*> out{1};
  freeridge_status operator()() { return freeridge_accumulator_create(d, t, intercept, out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct Add {
  static constexpr const char* name = "freeridge_accumulator_add";
  freeridge_accumulator* accumulator = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n;
  Input<double> y{sample::y()};
  int64_t ldy = sample::n;
  Input<double> weights{sample::weights()};
  freeridge_status operator()() {
    return freeridge_accumulator_add(accumulator, layout, n, x.get(), ldx, y.get(), ldy, weights.get());
  }
};

struct Merge {
  static constexpr const char* name = "freeridge_accumulator_merge";
  freeridge_accumulator* accumulator = nullptr;
  const freeridge_accumulator* other = nullptr;
  freeridge_status operator()() { return freeridge_accumulator_merge(accumulator, other); }
};

struct GetDimensions {
  static constexpr const char* name = "freeridge_accumulator_get_dimensions";
  freeridge_accumulator* accumulator = nullptr;
  Output<int64_t> n{1}, d{1}, t{1};
  Output<double> sum_w{1};
  freeridge_status operator()() {
    return freeridge_accumulator_get_dimensions(accumulator, n.get(), d.get(), t.get(), sum_w.get());
  }
  void each_output(auto visit) { visit(n), visit(d), visit(t), visit(sum_w); }
};

struct Solve {
  static constexpr const char* name = "freeridge_accumulator_solve";
  freeridge_accumulator* accumulator = nullptr;
  int64_t count = ::count;
  Input<double> lambdas{{0.0, 1e-1, 1e1}};
  Output<double> w{sample::size(sample::d, ::count* sample::t)};
  int64_t ld = sample::d;
  Output<double> b{sample::size(sample::t, ::count)};
  freeridge_status operator()() {
    return freeridge_accumulator_solve(accumulator, count, lambdas.get(), w.get(), ld, b.get());
  }
  void each_output(auto visit) { visit(w), visit(b); }
};

struct Score {
  static constexpr const char* name = "freeridge_accumulator_score";
  freeridge_accumulator* accumulator = nullptr;
  freeridge_criterion criterion = FREERIDGE_GCV;
  int64_t count = ::count;
  Input<double> lambdas{{1e-2, 1e-1, 1e1}};
  Output<double> scores{sample::size(::count, sample::t)};
  int64_t ld = ::count;
  freeridge_status operator()() {
    return freeridge_accumulator_score(accumulator, criterion, count, lambdas.get(), scores.get(), ld);
  }
  void each_output(auto visit) { visit(scores); }
};

struct LambdaGrid {
  static constexpr const char* name = "freeridge_accumulator_lambda_grid";
  freeridge_accumulator* accumulator = nullptr;
  int64_t count = ::count;
  Output<double> lambdas{sample::size(::count)};
  freeridge_status operator()() { return freeridge_accumulator_lambda_grid(accumulator, count, lambdas.get()); }
  void each_output(auto visit) { visit(lambdas); }
};

struct Loo {
  static constexpr const char* name = "freeridge_accumulator_loo";
  freeridge_accumulator* accumulator = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n;
  Input<double> y{sample::y()};
  int64_t ldy = sample::n;
  Input<double> weights{sample::weights()};
  int64_t count = ::count;
  Input<double> lambdas{{1e-2, 1e-1, 1e1}};
  Output<double> errors{sample::size(sample::n, ::count* sample::t)};
  int64_t ld = sample::n;
  freeridge_status operator()() {
    return freeridge_accumulator_loo(accumulator, layout, n, x.get(), ldx, y.get(), ldy, weights.get(), count,
                                     lambdas.get(), errors.get(), ld);
  }
  void each_output(auto visit) { visit(errors); }
};

struct Save {
  static constexpr const char* name = "freeridge_accumulator_save";
  freeridge_accumulator* accumulator = nullptr;
  int64_t size = 100000;
  Output<unsigned char> bytes{100000};
  Output<int64_t> length{1};
  freeridge_status operator()() { return freeridge_accumulator_save(accumulator, size, bytes.get(), length.get()); }
  void each_output(auto visit) { visit(bytes), visit(length); }
};

struct Load {
  static constexpr const char* name = "freeridge_accumulator_load";
  Input<unsigned char> bytes{Accumulator(sample_problem()).save()};
  int64_t size = static_cast<int64_t>(bytes.values.size());
  Output<freeridge_accumulator*> out{1};
  freeridge_status operator()() { return freeridge_accumulator_load(bytes.get(), size, out.get()); }
  void each_output(auto visit) { visit(out); }
};

// Each bad value on an accumulator with rows, which must be the same, bit for bit, afterwards.
template <class Call>
void expect_refused_on_accumulator(const std::vector<Row<Call>>& rows) {
  const Accumulator accumulator(sample_problem(), 5);
  const Bytes before = accumulator.save();
  expect_each_refused(
      rows, [&](Call& call) { call.accumulator = accumulator.get(); }, [&] { EXPECT_EQ(accumulator.save(), before); });
  const Accumulator other(sample_problem());  // and the call as it stands is fine
  Call call;
  call.accumulator = accumulator.get();
  if constexpr (requires { call.other; }) call.other = other.get();
  EXPECT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
}

template <class Call>
BadValues<Call> row_major(BadValues<Call> result) {
  for (BadValue<Call>& value : result)
    value.spoil = [spoil = value.spoil](Call& call) {
      call.layout = FREERIDGE_ROW_MAJOR;
      call.ldx = d;
      call.ldy = t;
      spoil(call);
    };
  return result;
}

TEST(ContractAccumulator, CreateRefuses) {
  expect_refused<Create>({
      {"d", values(&Create::d, bad_sizes)},
      {"t", values(&Create::t, bad_sizes)},
      {"out", null(&Create::out)},
  });
  Create large;
  large.d = 2147483645;
  large.t = 2;
  expect_failure(large, FREERIDGE_INVALID_ARGUMENT, {"d", "2147483645", "t", "2"});
  freeridge_accumulator_destroy(nullptr);
}

TEST(ContractAccumulator, AddRefuses) {
  expect_refused_on_accumulator<Add>({
      {"accumulator", null(&Add::accumulator)},
      {"layout", values(&Add::layout, unknown_layouts)},
      {"n", values(&Add::n, bad_sizes)},
      {"x", null(&Add::x)},
      {"x", entries(&Add::x, not_finite), FREERIDGE_NOT_FINITE},
      {"ldx", values(&Add::ldx, bad_leading(n))},
      {"ldx", row_major(values(&Add::ldx, bad_leading(d)))},
      {"y", null(&Add::y)},
      {"y", entries(&Add::y, not_finite), FREERIDGE_NOT_FINITE},
      {"ldy", values(&Add::ldy, bad_leading(n))},
      {"ldy", row_major(values(&Add::ldy, bad_leading(t)))},
      {"weights", entries(&Add::weights, {0.0, -1.0, -1e-300})},
      {"weights", entries(&Add::weights, not_finite), FREERIDGE_NOT_FINITE},
  });
}

TEST(ContractAccumulator, MergeRefuses) {
  expect_refused_on_accumulator<Merge>({
      {"accumulator", null(&Merge::accumulator)},
      {"other", null(&Merge::other)},
  });
  const Accumulator accumulator(sample_problem());
  const Bytes before = accumulator.save();
  Merge itself{accumulator.get(), accumulator.get()};
  expect_failure(itself, FREERIDGE_INVALID_ARGUMENT, {"other"});
  struct Other {
    const char* argument;
    int64_t d, t;
    bool intercept;
  };
  for (const Other& other : {Other{"d", d + 1, t, true}, {"t", d, t + 1, true}, {"intercept", d, t, false}}) {
    const Accumulator unlike(other.d, other.t, other.intercept);
    Merge call{accumulator.get(), unlike.get()};
    expect_failure(call, FREERIDGE_DIMENSION_MISMATCH, {"other", other.argument});
  }
  EXPECT_EQ(accumulator.save(), before);
}

TEST(ContractAccumulator, GetDimensionsTakesNullForEach) {
  expect_refused_on_accumulator<GetDimensions>({{"accumulator", null(&GetDimensions::accumulator)}});
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

TEST(ContractAccumulator, SolveRefuses) {
  expect_refused_on_accumulator<Solve>({
      {"accumulator", null(&Solve::accumulator)},
      {"count", values(&Solve::count, bad_sizes)},
      {"lambdas", null(&Solve::lambdas)},
      {"lambdas", entries(&Solve::lambdas, {-1.0, -1e-300})},
      {"lambdas", entries(&Solve::lambdas, not_finite), FREERIDGE_NOT_FINITE},
      {"w", null(&Solve::w)},
      {"ld", values(&Solve::ld, bad_leading(d))},
      {"b", null(&Solve::b)},
  });
}

TEST(ContractAccumulator, ScoreRefuses) {
  expect_refused_on_accumulator<Score>({
      {"accumulator", null(&Score::accumulator)},
      {"criterion", values(&Score::criterion, {0, FREERIDGE_LOO, FREERIDGE_GROUPS, FREERIDGE_ERROR_RATE, 99, -1})},
      {"count", values(&Score::count, bad_sizes)},
      {"lambdas", null(&Score::lambdas)},
      {"lambdas", entries(&Score::lambdas, {-1.0, -1e-300})},
      {"lambdas", entries(&Score::lambdas, not_finite), FREERIDGE_NOT_FINITE},
      {"scores", null(&Score::scores)},
      {"ld", values(&Score::ld, bad_leading(count))},
  });
}

TEST(ContractAccumulator, LambdaGridRefuses) {
  expect_refused_on_accumulator<LambdaGrid>({
      {"accumulator", null(&LambdaGrid::accumulator)},
      {"count", values(&LambdaGrid::count, bad_sizes)},
      {"lambdas", null(&LambdaGrid::lambdas)},
  });
}

TEST(ContractAccumulator, LooRefuses) {
  expect_refused_on_accumulator<Loo>({
      {"accumulator", null(&Loo::accumulator)},
      {"layout", values(&Loo::layout, unknown_layouts)},
      {"n", values(&Loo::n, bad_sizes)},
      {"x", null(&Loo::x)},
      {"x", entries(&Loo::x, not_finite), FREERIDGE_NOT_FINITE},
      {"ldx", values(&Loo::ldx, bad_leading(n))},
      {"ldx", row_major(values(&Loo::ldx, bad_leading(d)))},
      {"y", null(&Loo::y)},
      {"y", entries(&Loo::y, not_finite), FREERIDGE_NOT_FINITE},
      {"ldy", values(&Loo::ldy, bad_leading(n))},
      {"ldy", row_major(values(&Loo::ldy, bad_leading(t)))},
      {"weights", entries(&Loo::weights, {0.0, -1.0})},
      {"weights", entries(&Loo::weights, not_finite), FREERIDGE_NOT_FINITE},
      {"count", values(&Loo::count, bad_sizes)},
      {"lambdas", null(&Loo::lambdas)},
      {"lambdas", entries(&Loo::lambdas, {-1.0, -1e-300})},
      {"lambdas", entries(&Loo::lambdas, not_finite), FREERIDGE_NOT_FINITE},
      {"errors", null(&Loo::errors)},
      {"ld", values(&Loo::ld, bad_leading(n))},
  });
}

TEST(ContractAccumulator, SaveRefuses) {
  expect_refused_on_accumulator<Save>({
      {"accumulator", null(&Save::accumulator)},
      {"bytes", null(&Save::bytes)},
      {"length", null(&Save::length)},
  });
  // Too small a size: StreamSaved.TheLengthFirst.
}

TEST(ContractAccumulator, LoadRefuses) {
  expect_refused<Load>({
      {"bytes", null(&Load::bytes)},
      {"size", values(&Load::size, {0, -1, INT64_MIN})},
      {"size", values(&Load::size, {1, 39}), FREERIDGE_CORRUPT},
      {"out", null(&Load::out)},
  });
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
      EXPECT_EQ(freeridge_accumulator_add(accumulator.get(), FREERIDGE_COL_MAJOR, rows, bad.x.values.data(), rows,
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
  EXPECT_EQ(freeridge_accumulator_add(empty.get(), FREERIDGE_COL_MAJOR, 2, x, 2, y, 2, nullptr), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(freeridge_accumulator_add(empty.get(), FREERIDGE_COL_MAJOR, 2, y, 2, y, 2, weights), FREERIDGE_NOT_FINITE);
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
      call.n = rows;
      call.x.values.assign(row, row + 1);
      call.ldx = features;
      call.y.values.assign(row, row + 1);
      call.ldy = 1;
      expect_failure(call, FREERIDGE_OUT_OF_MEMORY, {"bytes", text_of(features)});
      EXPECT_EQ(accumulator.n(), 0);
    }
  }
}

}  // namespace
