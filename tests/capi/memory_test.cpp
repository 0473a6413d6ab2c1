// Requests that no machine can hold: refused before anything is tried.
#include <string>

#include "capi/support/refusals.hpp"
#include "capi/support/selection_calls.hpp"
#include "capi/support/setting_calls.hpp"

namespace memory_test {

// Arrays of these sizes are asked to be copied; the arrays handed over are short, so that a read would be seen.
template <class Check>
void with_sizes(int64_t n, int64_t d, int64_t t, Check check) {
  const Model model = sample::model(sample::State::fitted);
  const Fingerprint before = fingerprint(model.get());
  for (freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
    SetData call;
    call.model = model.get();
    call.layout = layout;
    call.n = n;
    call.d = d;
    call.t = t;
    call.ldx = layout == FREERIDGE_COL_MAJOR ? n : d;
    call.ldy = layout == FREERIDGE_COL_MAJOR ? n : t;
    check(call);
    EXPECT_EQ(difference(before, fingerprint(model.get())), "");
  }
}

// 8e18 bytes can be counted, but no machine has them.
TEST(ContractMemory, DataThatCannotBeCopied) {
  const auto refused = [](SetData& call) { expect_failure(call, FREERIDGE_OUT_OF_MEMORY, {"bytes"}); };
  with_sizes(1000000000, 1000000000, 1, refused);
  with_sizes(1000000000, 1, 1000000000, refused);
  with_sizes(10000000, 10000000, 1, refused);
}

// Each size is in range, but the bytes of their product overflow.
TEST(ContractMemory, DataWhoseSizeOverflows) {
  with_sizes(2000000000, 2000000001, 1, [](SetData& call) {
    expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"n", "2000000000", "d", "2000000001"});
  });
  with_sizes(2000000000, 1, 2000000001, [](SetData& call) {
    expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"n", "2000000000", "t", "2000000001"});
  });
  with_sizes(INT32_MAX, INT32_MAX, 1, [](SetData& call) {
    expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"n", "d", "2147483647"});
  });
}

// Two million points: x and y are small, but K would have 4e12 entries.
class ContractMemoryBigModel : public testing::Test {
 protected:
  static constexpr int64_t n = 2000000;
  void SetUp() override {
    for (int64_t i = 0; i < n; ++i) {
      x_[sample::size(i)] = 1e-3 * static_cast<double>(i);
      y_[sample::size(i)] = static_cast<double>(i % 7);
    }
    ASSERT_EQ(freeridge_set_points(model_.get(), support::at(FREERIDGE_COL_MAJOR, n, 1, x_.data()), 1,
                                   FREERIDGE_COL_MAJOR, 1, y_.data(), n),
              FREERIDGE_OK)
        << freeridge_last_error();
  }

  std::vector<double> x_ = std::vector<double>(n), y_ = x_;
  Model model_ = Model(Kernel::gaussian(sample::sigma));
};

// The number of bytes, and what to do instead.
TEST_F(ContractMemoryBigModel, FactorizeRefuses) {
  for (freeridge_route route : {FREERIDGE_ROUTE_AUTO, FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL}) {
    model_.route(route);
    MemoryRequired memory;
    memory.model = model_.get();
    ASSERT_EQ(memory(), FREERIDGE_OK) << freeridge_last_error();
    const int64_t bytes = memory.bytes.values[0];
    EXPECT_GE(bytes, 8 * n * n);
    Factorize factorize;
    factorize.model = model_.get();
    expect_failure(
        factorize, FREERIDGE_OUT_OF_MEMORY,
        {"n", text_of(n), text_of(bytes), "bytes", "use landmarks (freeridge_set_landmarks) or fewer points"});
    EXPECT_EQ(sample::state_of(model_.get()), sample::State::data);
  }
}

TEST_F(ContractMemoryBigModel, SelectBandwidthRefuses) {
  SelectBandwidth select;
  select.model = model_.get();
  expect_failure(select, FREERIDGE_OUT_OF_MEMORY, {"bytes"});
  EXPECT_EQ(sample::state_of(model_.get()), sample::State::data);
}

TEST_F(ContractMemoryBigModel, ALinearKernelFits) {
  model_.kernel(Kernel::linear());
  MemoryRequired memory;
  memory.model = model_.get();
  ASSERT_EQ(memory(), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_LT(memory.bytes.values[0], 1000 * n);
  EXPECT_EQ(freeridge_factorize(model_.get()), FREERIDGE_OK) << freeridge_last_error();
}

TEST(ContractMemory, TheEstimateGrowsWithTheData) {
  int64_t last = 0;
  for (int64_t n : {10, 20, 40}) {
    std::vector<double> x, y;
    for (int64_t i = 0; i < n; ++i) {
      x.push_back(static_cast<double>(i));
      y.push_back(static_cast<double>(i % 3));
    }
    Model model = sample::model_of(Kernel::gaussian(sample::sigma), x, y, n);
    MemoryRequired memory;
    memory.model = model.get();
    ASSERT_EQ(memory(), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_GE(memory.bytes.values[0], 8 * n * n);
    EXPECT_GT(memory.bytes.values[0], last);
    last = memory.bytes.values[0];
  }
}

}  // namespace memory_test
