// The inverse from a Cholesky factor, whole and by halves, against A A^-1 v = v and against solutions.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "libcore/linalg/lapack.hpp"
#include "linalg/dense.hpp"
#include "support/deep.hpp"

namespace inverse_test {

using namespace freeridge;

// A_ij = exp(-|i - j| / 3) + [i = j]: eigenvalues from 1 to 7.
double element(Index i, Index j) {
  return std::exp(-std::abs(static_cast<double>(i - j)) / 3) + (i == j ? 1 : 0);
}

TEST(Inverse, TimesTheMatrixIsTheIdentity) {
  constexpr double above = -7;
  std::vector<Index> sizes = {0, 1, 2, 3, 64, 257, 1800};  // the last by halves
  if (support::deep()) sizes.push_back(3000);              // and the products of these by halves, too
  for (const Index n : sizes) {
    SCOPED_TRACE(n);
    Matrix a(n, n, above);
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i) a(i, j) = element(i, j);
    ASSERT_TRUE(potrf(a.view()));
    potri(a.view());
    const Matrix v = dense::random(n, 1, 3);
    Matrix x(n, 1), back(n, 1, 0.0);
    if (n > 0) symv(a.view(), v.data(), x.data());
    for (Index j = 0; j < n; ++j)
      for (Index i = std::max<Index>(0, j - 150); i < std::min(n, j + 150); ++i) back(i, 0) += element(i, j) * x(j, 0);
    EXPECT_LE(dense::difference(back.view(), v.view()), 1e-12);
    for (Index j = 1; j < n; ++j) ASSERT_EQ(a(j - 1, j), above) << "the other triangle is not its own";
  }
}

}  // namespace inverse_test
