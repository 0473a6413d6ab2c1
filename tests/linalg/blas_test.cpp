// What the BLAS is asked for stays within the arrays that it is given; linalg.oldest_kernels runs this with the kernels
// that OpenBLAS has for old processors and takes where it does not know the processor. Calls that are so large that they are
// cut into pieces: deep.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/triangle_divisor.hpp"
#include "support/deep.hpp"
#include "support/random.hpp"

namespace blas_test {

using namespace freeridge;

// Numbers that end where their page ends, before one that cannot be read.
class AtTheEndOfAPage {
 public:
  explicit AtTheEndOfAPage(Index count) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(count);
    const std::size_t readable = (bytes + page - 1) / page * page;
    size_ = readable + page;
    pages_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages_ == MAP_FAILED) throw std::runtime_error("mmap");
    char* const end = static_cast<char*>(pages_) + readable;
    if (mprotect(end, page, PROT_NONE) != 0) throw std::runtime_error("mprotect");
    data_ = reinterpret_cast<double*>(end - bytes);
  }
  ~AtTheEndOfAPage() { munmap(pages_, size_); }
  AtTheEndOfAPage(const AtTheEndOfAPage&) = delete;
  AtTheEndOfAPage& operator=(const AtTheEndOfAPage&) = delete;

  double* data() const { return data_; }

 private:
  void* pages_ = nullptr;
  std::size_t size_ = 0;
  double* data_ = nullptr;
};

TEST(Blas, SymmetricProductsStayWithinTheirArrays) {
  support::Random random(5);
  for (Index n = 1; n <= 40; ++n) {
    const AtTheEndOfAPage a(n * n), x(n), y(n);
    for (Index k = 0; k < n * n; ++k) a.data()[k] = random.normal();
    for (Index k = 0; k < n; ++k) x.data()[k] = random.normal();
    symv({a.data(), n, n, n}, x.data(), y.data());
    for (Index i = 0; i < n; ++i) {
      double expected = 0, size = 0;
      for (Index j = 0; j < n; ++j) {
        const double term = a.data()[std::max(i, j) + std::min(i, j) * n] * x.data()[j];
        expected += term, size += std::abs(term);
      }
      EXPECT_NEAR(y.data()[i], expected, 1e-15 * static_cast<double>(n) * size) << n << ", " << i;
    }
  }
}

// B = X op(L) for an X that is known; the columns of L fall by 1e6 within a block of 32, as those of a pivoted Cholesky do.
TEST(Blas, TriangleDivisorDividesAsSubstitutionDoes) {
  support::Random random(6);
  for (const Index p : {1, 31, 32, 33, 64, 65, 200})
    for (const Index rows : {1, 7, 100}) {
      Matrix l(p, p, 0.0), x(rows, p);
      for (Index j = 0; j < p; ++j) {
        const double scale = std::pow(10, -6 * static_cast<double>(j) / 32);
        for (Index i = j; i < p; ++i) l(i, j) = scale * (i == j ? 1 : 0.2 * random.normal());
      }
      for (double& value : x.values()) value = random.normal();
      const TriangleDivisor divisor(copy_of(l.view()));
      for (const Op op : {Op::none, Op::transpose}) {
        Matrix product(rows, p);
        gemm(Op::none, op, 1, x.view(), l.view(), 0, product.view());
        Matrix b = copy_of(product.view()), by_substitution = copy_of(product.view());
        divisor.divide(op, b.view());
        trsm_right(op, l.view(), by_substitution.view());
        // Residuals, row by row, of the size that those of substitution have.
        Matrix left = copy_of(product.view()), other = copy_of(product.view());
        gemm(Op::none, op, -1, b.view(), l.view(), 1, left.view());
        gemm(Op::none, op, -1, by_substitution.view(), l.view(), 1, other.view());
        const auto norm = [](const Matrix& of) { return norm2(std::ssize(of.values()), of.values().data()); };
        EXPECT_LE(norm(left), 4 * norm(other) + 1e-15 * norm(product)) << p << " columns, " << rows << " rows";
      }
    }
}

Matrix random_matrix(support::Random& random, Index rows, Index cols) {
  Matrix out(rows, cols);
  for (double& value : out.values()) value = random.uniform(-1, 1);
  return out;
}

TEST(BlasPieces, SumsOfManySquares) {
  if (!support::deep()) return;
  support::Random random(6);
  const Index n = 600, inner = 10000;
  const Matrix a = random_matrix(random, n, inner);
  for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
    Matrix c(n, n, 1.0);
    syrk(Op::none, 2, a.view(), 3, c.view(), triangle);
    for (const auto& [i, j] : {std::pair<Index, Index>{0, 0}, {599, 0}, {599, 598}, {301, 299}, {300, 300}}) {
      double expected = 3;
      for (Index k = 0; k < inner; ++k) expected += 2 * a(i, k) * a(j, k);
      EXPECT_NEAR(triangle == Triangle::lower ? c(i, j) : c(j, i), expected, 1e-9) << i << ", " << j;
    }
  }
}

// A x for an A of 2 GiB, of whose pages those with a number that is not zero alone take memory.
TEST(BlasPieces, SymmetricProductsOfManyRows) {
  if (!support::deep()) return;
  const Index n = 16500, half = n / 2;
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(n * n);
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  const MatrixView a{static_cast<double*>(pages), n, n, n};
  std::vector<double> x(static_cast<std::size_t>(n)), y(x.size(), 7.0), expected(x.size(), 0.0);
  support::Random random(8);
  for (double& value : x) value = random.uniform(-1, 1);
  for (const auto& [i, j] : {std::pair<Index, Index>{0, 0},
                             {n - 1, n - 1},
                             {half, half - 1},
                             {n - 1, 0},
                             {half - 1, 3},
                             {n - 2, half + 1},
                             {half + 900, 200}}) {
    a(i, j) = random.uniform(1, 2);
    expected[static_cast<std::size_t>(i)] += a(i, j) * x[static_cast<std::size_t>(j)];
    if (i != j) expected[static_cast<std::size_t>(j)] += a(i, j) * x[static_cast<std::size_t>(i)];
  }
  symv(a, x.data(), y.data());
  munmap(pages, bytes);
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-14) << i;
}

// op(L) X = B, and X L = B or X L' = B: the residual of some columns.
TEST(BlasPieces, TriangularSystems) {
  if (!support::deep()) return;
  support::Random random(7);
  const auto entry = [](const Matrix& l, Triangle triangle, Op op, Index i, Index k) {
    if (op == Op::transpose) std::swap(i, k);
    return (triangle == Triangle::lower ? k <= i : i <= k) ? l(i, k) : 0.0;
  };
  for (const auto& [side, other] : {std::pair<Index, Index>{1300, 2000}, {1600, 1300}})
    for (const Op op : {Op::none, Op::transpose})
      for (const Triangle triangle : {Triangle::lower, Triangle::upper})
        for (const bool right : {false, true}) {
          if (right && triangle == Triangle::upper) continue;
          const Index rows = right ? other : side, cols = right ? side : other;
          Matrix l = random_matrix(random, side, side);
          for (Index k = 0; k < side; ++k) l(k, k) = static_cast<double>(side);
          const Matrix b = random_matrix(random, rows, cols);
          Matrix x = copy_of(b.view());
          if (right)
            trsm_right(op, l.view(), x.view());
          else
            trsm(op, l.view(), x.view(), triangle);
          for (const auto& [i, j] : {std::pair<Index, Index>{0, 0}, {rows - 1, cols - 1}, {649, 651}, {751, 649}}) {
            double sum = 0;
            for (Index k = 0; k < side; ++k)
              sum += right ? x(i, k) * entry(l, triangle, op, k, j) : entry(l, triangle, op, i, k) * x(k, j);
            EXPECT_NEAR(sum, b(i, j), 1e-10) << rows << ": " << i << ", " << j << (right ? " right" : "");
          }
        }
}

}  // namespace blas_test
