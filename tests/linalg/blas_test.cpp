// What the BLAS is asked for stays within the arrays that it is given; linalg.oldest_kernels runs this with the kernels
// that OpenBLAS has for old processors and takes where it does not know the processor.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/triangle_divisor.hpp"
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

}  // namespace blas_test
