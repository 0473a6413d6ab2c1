// The inner loops of the band route, for each instruction set that this processor has, against plain sums.
#include "libcore/linalg/band_kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "linalg/dense.hpp"

namespace band_kernels_test {

using namespace freeridge;

TEST(BandKernels, ThereIsAlwaysOneAndThePlainOneIsLast) {
  ASSERT_FALSE(band_kernels().empty());
  EXPECT_STREQ(band_kernels().back().instruction_set, "plain");
}

TEST(BandKernels, SymmetricTile) {
  constexpr Index width = symmetric_tile_width;
  for (const BandKernels& kernels : band_kernels()) {
    SCOPED_TRACE(kernels.instruction_set);
    for (const Index rows : {1, 2, 3, 63, 64})
      for (const Index cols : {1, 3, 4, 7, 8, 9, 127, 128}) {
        const Matrix a = dense::random(rows, cols, 1), v_rows = dense::random(width, rows, 2),
                     v_cols = dense::random(width, cols, 3);
        Matrix y_rows = dense::random(width, rows, 4), y_cols = dense::random(width, cols, 5);
        Matrix more_rows = dense::product(v_cols.view(), a.view(), true),
               more_cols = dense::product(v_rows.view(), a.view());
        for (std::size_t k = 0; k < y_rows.values().size(); ++k) more_rows.values()[k] += y_rows.values()[k];
        for (std::size_t k = 0; k < y_cols.values().size(); ++k) more_cols.values()[k] += y_cols.values()[k];
        kernels.symmetric_tile(a.view(), v_rows.data(), v_cols.data(), y_rows.data(), y_cols.data());
        EXPECT_LE(dense::difference(y_rows.view(), more_rows.view()), 1e-13) << rows << " x " << cols;
        EXPECT_LE(dense::difference(y_cols.view(), more_cols.view()), 1e-13) << rows << " x " << cols;
      }
  }
}

TEST(BandKernels, BandedRows) {
  constexpr Index strip = BandKernels::strip;
  for (const BandKernels& kernels : band_kernels()) {
    SCOPED_TRACE(kernels.instruction_set);
    for (const Index b : {4, 16, 32, 64})
      for (const Index size : {1, 2, 3, 4, 5, 15, 16, 17, 31, 64, 65, 130, 517}) {
        SCOPED_TRACE(::testing::Message() << "b = " << b << ", size = " << size);
        const Index m = BandKernels::padded(size), stride = BandKernels::stride(b);
        Matrix q = dense::random(strip, m, 6), coefficients(stride, m, 0.0);
        const Matrix random = dense::random(stride, m, 7);
        for (Index j = 0; j < size; ++j) {
          coefficients(0, j) = 1 + random(0, j) / 4;
          for (Index k = 1; k <= std::min(b, j); ++k) coefficients(k, j) = random(k, j) / static_cast<double>(2 * b);
        }
        for (Index j = size; j < m; ++j) std::fill_n(q.col(j), strip, 0.0);
        Matrix expected(strip, b + m, 0.0), t(strip, b + m, 0.0);
        std::vector<double> norms(strip, 0.0), sums(strip, 0.0), last(static_cast<std::size_t>(b * strip), 0.0);
        Matrix room(strip, BandKernels::room_columns(b));
        for (Index j = 0; j < size; ++j)
          for (Index i = 0; i < strip; ++i) {
            double value = coefficients(0, j) * q(i, j);
            for (Index k = 1; k <= b; ++k) value += coefficients(k, j) * expected(i, b + j - k);
            expected(i, b + j) = value;
            norms[static_cast<std::size_t>(i)] += value * value;
          }
        const auto expect_norms = [&] {
          for (std::size_t i = 0; i < strip; ++i) EXPECT_NEAR(sums[i], norms[i], 1e-13 * norms[i]);
        };
        kernels.squared_norms(m, b, q.data(), coefficients.data(), last.data(), room.data(), sums.data());
        expect_norms();
        // By blocks of columns, on top of what is there.
        std::ranges::fill(last, 0.0);
        std::ranges::fill(sums, 0.0);
        for (Index j = 0; j < m; j += 12)
          kernels.squared_norms(std::min<Index>(12, m - j), b, q.col(j), coefficients.col(j), last.data(), room.data(),
                                sums.data());
        expect_norms();
        kernels.solve(m, b, q.data(), coefficients.data(), t.data(), sums.data());
        expect_norms();
        EXPECT_LE(dense::difference(t.view(), expected.view()), 1e-13);
      }
  }
}

}  // namespace band_kernels_test
