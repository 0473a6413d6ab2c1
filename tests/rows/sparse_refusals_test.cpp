// What is wrong with a sparse matrix is refused by every call that takes one, and nothing changes.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "support/accumulator.hpp"
#include "support/sparse.hpp"

namespace sparse_refusals_test {

using namespace support;

constexpr std::int64_t n = 4, d = 3;
const Matrix y = to_column({1, 2, 3, 5});

Matrix numbers() {
  Matrix x(n, d);
  x(0, 0) = 1, x(0, 2) = 2, x(1, 1) = 3, x(3, 0) = 4, x(3, 1) = -1, x(3, 2) = 0.5;
  return x;
}

struct Wrong {
  const char* what;
  std::function<void(Sparse&)> spoil;
  freeridge_status status;
  const char* words;
};

const Wrong wrongs[] = {
    {"an index below", [](Sparse& x) { x.index[2] = -1; }, FREERIDGE_INVALID_ARGUMENT, "index[2] is -1"},
    {"an index beyond", [](Sparse& x) { x.index.back() = 9; }, FREERIDGE_INVALID_ARGUMENT, "index[5] is 9"},
    {"a place twice", [](Sparse& x) { x.index[1] = x.index[0]; }, FREERIDGE_INVALID_ARGUMENT, "each place once"},
    {"places that fall", [](Sparse& x) { std::swap(x.index[0], x.index[1]); }, FREERIDGE_INVALID_ARGUMENT,
     "must ascend"},
    {"a start that is not 0", [](Sparse& x) { x.start[0] = 1; }, FREERIDGE_INVALID_ARGUMENT, "start[0] is 1"},
    {"a start below 0", [](Sparse& x) { x.start[1] = -2; }, FREERIDGE_INVALID_ARGUMENT, "start[1] is -2"},
    {"starts that fall", [](Sparse& x) { x.start[1] = 3, x.start[2] = 2; }, FREERIDGE_INVALID_ARGUMENT,
     "start[2] is 2"},
    {"more entries than places", [](Sparse& x) { x.start[1] = 2000000; }, FREERIDGE_INVALID_ARGUMENT, "entries"},
    {"an end beyond all sizes", [](Sparse& x) { x.start.back() = std::numeric_limits<std::int64_t>::max(); },
     FREERIDGE_INVALID_ARGUMENT, "entries"},
    {"NaN", [](Sparse& x) { x.value[1] = std::nan(""); }, FREERIDGE_NOT_FINITE, "] is "},
    {"Inf", [](Sparse& x) { x.value[5] = HUGE_VAL; }, FREERIDGE_NOT_FINITE, "] is inf"},
    {"a format that is none", [](Sparse& x) { x.format = 3; }, FREERIDGE_INVALID_ARGUMENT, "format is 3"},
};

TEST(SparseRefusals, EveryCallWithASparseMatrix) {
  for (const auto format : {FREERIDGE_CSR, FREERIDGE_CSC}) {
    const Sparse right(numbers(), format);
    Model model(Kernel::linear());
    check(set_sparse(model.get(), right, y, false), "freeridge_set_points");
    model.factorize().lambda(0.5);
    const Matrix before = predict_sparse(model.get(), right, 1, FREERIDGE_COL_MAJOR);
    Accumulator rows(d, 1, true), others(d, 1, true);
    const double lambda = 0.5;
    check(freeridge_accumulator_add(others.get(), at(right), FREERIDGE_COL_MAJOR, y.values.data(), n, nullptr),
          "freeridge_accumulator_add");
    for (const Wrong& wrong : wrongs) {
      SCOPED_TRACE(wrong.what);
      Sparse x = right;
      wrong.spoil(x);
      Vector out(n, 7.0);
      const auto expect = [&](freeridge_status status) {
        EXPECT_EQ(status, wrong.status);
        EXPECT_NE(std::string(freeridge_last_error()).find(wrong.words), std::string::npos) << freeridge_last_error();
      };
      expect(set_sparse(model.get(), x, y, false));
      expect(set_sparse(model.get(), x, y, true));
      expect(freeridge_predict_points(model.get(), at(x), 0, nullptr, FREERIDGE_COL_MAJOR, out.data(), n));
      EXPECT_EQ(freeridge_predict_variance(model.get(), at(x), FREERIDGE_COL_MAJOR, out.data(), n, nullptr),
                wrong.status);
      EXPECT_EQ(freeridge_predict_gradient(model.get(), at(x), FREERIDGE_COL_MAJOR, out.data(), 2 * n), wrong.status);
      EXPECT_EQ(out, Vector(n, 7.0));
      expect(freeridge_accumulator_add(rows.get(), at(x), FREERIDGE_COL_MAJOR, y.values.data(), n, nullptr));
      EXPECT_EQ(rows.n(), 0);
      expect(freeridge_accumulator_errors(others.get(), at(x), FREERIDGE_COL_MAJOR, y.values.data(), n, nullptr,
                                          nullptr, 1, &lambda, out.data(), n));
      expect(freeridge_accumulator_squared_errors(others.get(), at(x), FREERIDGE_COL_MAJOR, y.values.data(), n, nullptr,
                                                  1, &lambda, nullptr, out.data(), 1));
      EXPECT_EQ(out, Vector(n, 7.0));
    }
    const Matrix after = predict_sparse(model.get(), right, 1, FREERIDGE_COL_MAJOR);
    EXPECT_EQ(after.values, before.values);
  }
}

TEST(SparseRefusals, SizesPointersAndKernels) {
  const Sparse x(numbers(), FREERIDGE_CSR);
  Model model(Kernel::linear());
  const auto set = [&](std::int64_t rows, std::int64_t columns, const std::int64_t* start, const std::int32_t* index,
                       const double* value, std::int64_t t, const double* outputs, std::int64_t ld) {
    return freeridge_set_points(model.get(), at(x.format, rows, columns, start, index, value), 0, FREERIDGE_COL_MAJOR,
                                t, outputs, ld);
  };
  const auto *const s = x.start.data(), *const none = static_cast<const std::int64_t*>(nullptr);
  const auto* const i = x.index.data();
  const double *const v = x.value.data(), *const out = y.values.data();
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    EXPECT_EQ(set(size, d, s, i, v, 1, out, n), FREERIDGE_INVALID_ARGUMENT);
    EXPECT_EQ(set(n, size, s, i, v, 1, out, n), FREERIDGE_INVALID_ARGUMENT);
    EXPECT_EQ(set(n, d, s, i, v, size, out, n), FREERIDGE_INVALID_ARGUMENT);
  }
  EXPECT_EQ(set(n, d, none, i, v, 1, out, n), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(set(n, d, s, nullptr, v, 1, out, n), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(set(n, d, s, i, nullptr, 1, out, n), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(set(n, d, s, i, v, 1, nullptr, n), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(set(n, d, s, i, v, 1, out, n - 1), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(set(n, d, s, i, v, 1, out, n), FREERIDGE_OK);
  EXPECT_EQ(set_sparse(nullptr, x, y, true), FREERIDGE_INVALID_ARGUMENT);

  EXPECT_EQ(freeridge_set_kernel(model.get(), Kernel::precomputed().get()), FREERIDGE_DIMENSION_MISMATCH);
  Matrix square(n, n);
  square(0, 0) = 1;
  Model other(Kernel::precomputed());
  EXPECT_EQ(set_sparse(other.get(), Sparse(square, FREERIDGE_CSR), y, false), FREERIDGE_INVALID_ARGUMENT);
  for (std::int64_t k = 0; k < n; ++k) square(k, k) = 1;
  const Sparse values(square, FREERIDGE_CSR);
  Matrix f(n, 1);
  other.data(square, y).factorize().lambda(1);
  EXPECT_EQ(freeridge_predict_points(other.get(), at(values), 0, nullptr, FREERIDGE_COL_MAJOR, f.values.data(), n),
            FREERIDGE_INVALID_ARGUMENT);

  check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, 2), "freeridge_set_parameter");
  model.factorize();
  EXPECT_EQ(freeridge_set_lambda(model.get(), 1), FREERIDGE_INVALID_STATE);
  double predicted = 0;
  EXPECT_EQ(freeridge_predict_points(model.get(), at(x.format, 1, d, s, i, v), 0, nullptr, FREERIDGE_COL_MAJOR,
                                     &predicted, 1),
            FREERIDGE_INVALID_STATE);
}

TEST(SparseRefusals, AMemoryLimitIsHeard) {
  const Sparse x(numbers(), FREERIDGE_CSC);
  Model model(Kernel::linear());
  check(freeridge_set_parameter(model.get(), FREERIDGE_MEMORY_LIMIT, 1), "freeridge_set_parameter");
  EXPECT_EQ(set_sparse(model.get(), x, y, false), FREERIDGE_OUT_OF_MEMORY);
  check(set_sparse(model.get(), x, y, true), "freeridge_set_points");
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_OUT_OF_MEMORY);
}

}  // namespace sparse_refusals_test
