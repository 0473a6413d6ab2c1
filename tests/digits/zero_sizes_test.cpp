// The sizes that LAPACK's tests begin with and freeridge.h refuses: a zero among n, d and t is INVALID_ARGUMENT
// wherever sizes go in, and no output is touched.
#include <gtest/gtest.h>

#include <array>

#include "digits/designs.hpp"
#include "support/model.hpp"

namespace zero_sizes_test {

using digits::Vector;

constexpr double untouched = -12345.678;

class ZeroSizes : public ::testing::Test {
 protected:
  // body(n, d, t) for all sizes with a zero among them.
  template <class Body>
  void for_each(Body body) {
    std::vector<std::int64_t> all = {0};
    all.insert(all.end(), std::begin(digits::sizes), std::end(digits::sizes));
    for (const std::int64_t n : all)
      for (const std::int64_t d : all)
        for (const std::int64_t t : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}}) {
          if (n != 0 && d != 0 && t != 0) continue;
          SCOPED_TRACE(::testing::Message() << "n = " << n << ", d = " << d << ", t = " << t);
          body(n, d, t);
          for (const double value : out_) ASSERT_EQ(value, untouched);
          for (const double value : b_) ASSERT_EQ(value, untouched);
        }
  }
  // Room enough for every array and leading dimension.
  const Vector x_ = Vector(130 * 130, 1.0), y_ = Vector(130 * 3, 2.0);
  Vector out_ = Vector(130 * 130, untouched), b_ = Vector(3, untouched);
};

TEST_F(ZeroSizes, CallsWithoutAHandle) {
  for_each([&](std::int64_t n, std::int64_t d, std::int64_t t) {
    const Vector penalty(130, 1.0);
    const std::vector<std::int32_t> exact(130, 0);
    for (const std::int32_t intercept : {0, 1}) {
      const double *x = x_.data(), *y = y_.data();
      double *w = out_.data(), *b = b_.data();
      std::int64_t rank = -7;
      EXPECT_EQ(freeridge_ols(FREERIDGE_COL_MAJOR, n, d, x, 130, t, y, 130, intercept, w, b, &rank, nullptr, nullptr,
                              nullptr, nullptr),
                FREERIDGE_INVALID_ARGUMENT);
      EXPECT_EQ(freeridge_ols(FREERIDGE_ROW_MAJOR, n, d, x, 130, t, y, 130, intercept, w, b, &rank, nullptr, nullptr,
                              nullptr, nullptr),
                FREERIDGE_INVALID_ARGUMENT);
      for (const double lambda : {0.0, 0x1p-52, 1.0, 0x1p52}) {
        EXPECT_EQ(freeridge_ridge(FREERIDGE_COL_MAJOR, n, d, x, 130, t, y, 130, intercept, lambda, nullptr, w, b),
                  FREERIDGE_INVALID_ARGUMENT);
        EXPECT_EQ(
            freeridge_ridge(FREERIDGE_COL_MAJOR, n, d, x, 130, t, y, 130, intercept, lambda, penalty.data(), w, b),
            FREERIDGE_INVALID_ARGUMENT);
      }
      EXPECT_EQ(freeridge_tls(FREERIDGE_ROW_MAJOR, n, d, x, 130, t, y, 130, intercept, nullptr, w, b, nullptr, nullptr,
                              nullptr, nullptr),
                FREERIDGE_INVALID_ARGUMENT);
      EXPECT_EQ(freeridge_tls(FREERIDGE_COL_MAJOR, n, d, x, 130, t, y, 130, intercept, exact.data(), w, b, nullptr,
                              nullptr, nullptr, nullptr),
                FREERIDGE_INVALID_ARGUMENT);
      EXPECT_EQ(rank, -7);
    }
    if (n != 0 && d != 0) return;
    std::int64_t rank = -7;
    EXPECT_EQ(freeridge_pinv(FREERIDGE_COL_MAJOR, n, d, x_.data(), 130, -1, out_.data(), 130, &rank),
              FREERIDGE_INVALID_ARGUMENT);
    EXPECT_EQ(rank, -7);
  });
}

TEST_F(ZeroSizes, ModelsAndAccumulators) {
  for (const support::Kernel& kernel : std::array<support::Kernel, 3>{
           support::Kernel::linear(), support::Kernel::gaussian(1.0), support::Kernel::precomputed()}) {
    support::Model model(kernel);
    for_each([&](std::int64_t n, std::int64_t d, std::int64_t t) {
      for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
        EXPECT_EQ(freeridge_set_data(model.get(), layout, n, d, x_.data(), 130, t, y_.data(), 130),
                  FREERIDGE_INVALID_ARGUMENT);
        EXPECT_EQ(freeridge_set_data_view(model.get(), layout, n, d, x_.data(), 130, t, y_.data(), 130),
                  FREERIDGE_INVALID_ARGUMENT);
      }
    });
    EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_INVALID_STATE);  // there are no data
  }
  support::Model model(support::Kernel::linear());
  model.data(digits::Matrix(3, 2, 1.0), digits::Matrix(3, 1, 1.0)).factorize().lambda(1.0);
  EXPECT_EQ(freeridge_predict(model.get(), FREERIDGE_COL_MAJOR, 0, x_.data(), 130, out_.data(), 130),
            FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(out_[0], untouched);
  for (const auto& [d, t] : {std::pair<int, int>{0, 1}, {1, 0}, {0, 0}}) {
    freeridge_accumulator* accumulator = nullptr;
    EXPECT_EQ(freeridge_accumulator_create(d, t, 1, &accumulator), FREERIDGE_INVALID_ARGUMENT);
    EXPECT_EQ(accumulator, nullptr);
  }
  freeridge_accumulator* accumulator = nullptr;
  ASSERT_EQ(freeridge_accumulator_create(2, 1, 1, &accumulator), FREERIDGE_OK);
  // No rows are added: a process may have none.
  EXPECT_EQ(freeridge_accumulator_add(accumulator, FREERIDGE_COL_MAJOR, 0, x_.data(), 130, y_.data(), 130, nullptr),
            FREERIDGE_OK);
  std::int64_t rows = -1;
  EXPECT_EQ(freeridge_accumulator_get_dimensions(accumulator, &rows, nullptr, nullptr, nullptr), FREERIDGE_OK);
  EXPECT_EQ(rows, 0);
  freeridge_accumulator_destroy(accumulator);
}

}  // namespace zero_sizes_test
