// Eigenvalues and eigenvectors of symmetric matrices, which the core is asked for directly: against their definition
// in long double, |A - V diag(w) V'| and |V'V - I| (Frobenius) within (n + 8) eps, against known eigenvalues and
// LAPACK's dsyevd; on matrices that are hard for divide and conquer, at sizes around those where the method changes; deep:
// at more of them, and larger ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "libcore/base/random.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/symmetric_eigen.hpp"
#include "linalg/dense.hpp"
#include "support/deep.hpp"

namespace symmetric_eigen_test {

using freeridge::Index;
using freeridge::Matrix;
using freeridge::MatrixView;
using freeridge::Random;
using Vector = std::vector<double>;

constexpr double eps = std::numeric_limits<double>::epsilon();

Matrix filled(Index n, const std::function<double(Index, Index)>& element) {  // i >= j
  Matrix a(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) a(i, j) = a(j, i) = element(i, j);
  return a;
}

Matrix random_symmetric(Index n) {
  Random random(1);
  return filled(n, [&](Index, Index) { return random.uniform() - 0.5; });
}

Matrix tridiagonal(Index n, const std::function<double(Index)>& d, const std::function<double(Index)>& e) {
  return filled(n, [&](Index i, Index j) { return i == j ? d(i) : i == j + 1 ? e(j) : 0; });
}

// Q diag(w) Q' with three random reflectors in Q.
Matrix with_eigenvalues(Index n, const std::function<double(Index)>& w) {
  Matrix a = filled(n, [&](Index i, Index j) { return i == j ? w(i) : 0; });
  Random random(2);
  for (int k = 0; k < 3; ++k) {
    Vector v(static_cast<std::size_t>(n)), y(v.size());
    double norm2 = 0;
    for (double& x : v) x = random.uniform() - 0.5, norm2 += x * x;
    for (double& x : v) x *= std::sqrt(2 / norm2);  // H = I - v v'
    freeridge::symv(a.view(), v.data(), y.data());
    const double half = freeridge::dot(n, v.data(), y.data()) / 2;
    for (std::size_t i = 0; i < v.size(); ++i) y[i] -= half * v[i];
    freeridge::syr2(-1, v.data(), y.data(), a.view());
  }
  return filled(n, [&](Index i, Index j) { return a(i, j); });
}

Matrix gaussian_kernel(Index n, double sigma) {
  Random random(3);
  Matrix x(3, n);
  for (double& value : x.values()) value = random.uniform();
  return filled(n, [&](Index i, Index j) {
    double sum = 0;
    for (Index k = 0; k < 3; ++k) sum += std::pow((x(k, i) - x(k, j)) / sigma, 2);
    return std::exp(-sum);
  });
}

struct Family {
  const char* name;
  std::function<Matrix(Index)> make;
};

std::vector<Family> families() {
  const auto real = [](Index i) { return static_cast<double>(i); };
  const auto one = [](Index) { return 1.0; };
  const auto wilkinson = [=](Index i) { return std::abs(real(i % 21) - 10); };
  const auto glued = [=](double glue) {
    return [=](Index n) { return tridiagonal(n, wilkinson, [=](Index i) { return i % 21 == 20 ? glue : 1.0; }); };
  };
  return {
      {"random", random_symmetric},
      {"smooth Gaussian kernel", [](Index n) { return gaussian_kernel(n, 2); }},
      {"rough Gaussian kernel", [](Index n) { return gaussian_kernel(n, 0.1); }},
      {"zero", [](Index n) { return Matrix(n, n, 0.0); }},
      {"all ones", [](Index n) { return Matrix(n, n, 1.0); }},
      {"identity", [=](Index n) { return tridiagonal(n, one, [](Index) { return 0.0; }); }},
      {"diagonal, descending",
       [=](Index n) {
         return tridiagonal(
             n, [=](Index i) { return real(n - i); }, [](Index) { return 0.0; });
       }},
      {"rank one and noise",
       [](Index n) {
         Random random(4);
         return filled(n, [&](Index, Index) { return 1 + 1e-12 * random.uniform(); });
       }},
      {"one eigenvalue, n - 1 times",
       [](Index n) { return with_eigenvalues(n, [](Index i) { return i == 3 ? 2.0 : 1.0; }); }},
      {"three clusters",
       [=](Index n) { return with_eigenvalues(n, [=](Index i) { return real(i % 3) + 1e-13 * real(i); }); }},
      {"geometric", [=](Index n) { return with_eigenvalues(n, [=](Index i) { return std::pow(0.9, real(i)); }); }},
      {"half zero, half arithmetic",
       [=](Index n) { return with_eigenvalues(n, [=](Index i) { return std::max(real(i - n / 2), 0.0); }); }},
      {"graded downwards",
       [=](Index n) {
         Random random(5);
         return filled(n, [&](Index i, Index j) { return (random.uniform() - 0.5) * std::pow(0.8, real(i + j)); });
       }},
      {"graded upwards",
       [=](Index n) {
         Random random(6);
         return filled(n,
                       [&](Index i, Index j) { return (random.uniform() - 0.5) * std::pow(0.8, real(2 * n - i - j)); });
       }},
      {"second differences",
       [=](Index n) {
         return tridiagonal(
             n, [](Index) { return 2.0; }, [](Index) { return -1.0; });
       }},
      {"Wilkinson",
       [=](Index n) {
         return tridiagonal(
             n, [=](Index i) { return std::abs(real(i) - real(n - 1) / 2); }, one);
       }},
      {"Wilkinson, glued by 1e-3", glued(1e-3)},
      {"Wilkinson, glued by 1e-8", glued(-1e-8)},
      {"Wilkinson, glued by 1e-14", glued(1e-14)},
      {"Wilkinson, side by side", glued(0)},
      {"torn where it is zero",
       [=](Index n) { return tridiagonal(n, one, [=](Index i) { return i == n / 2 - 1 ? 0.0 : 0.3; }); }},
      {"of huge numbers",
       [](Index n) {
         Matrix a = random_symmetric(n);
         for (double& x : a.values()) x *= 1e300;
         return a;
       }},
      {"of tiny numbers",
       [](Index n) {
         Matrix a = random_symmetric(n);
         for (double& x : a.values()) x *= 1e-290;
         return a;
       }},
  };
}

double largest(const Vector& w) {
  double out = 0;
  for (const double value : w) out = std::max(out, std::abs(value));
  return out;
}

void expect_eigenpairs(const Matrix& a, const Vector& w, const Matrix& v) {
  const dense::EigenErrors errors = dense::eigen_errors(a.view(), w, v.view());
  // LAPACK's tests allow 30 n eps for each of the two; with OpenBLAS both are below (n + 8) eps, BLIS adds up in another
  // order and exceeds that by a twentieth.
  const double unit = 2 * eps * static_cast<double>(a.rows() + 8);
  EXPECT_LE(errors.residual, unit);
  EXPECT_LE(errors.angle, unit);
  EXPECT_TRUE(std::ranges::is_sorted(w));
}

void expect_close(const Vector& got, const Vector& want) {
  const double bound = eps * static_cast<double>(want.size()) * largest(want);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], bound) << "eigenvalue " << i;
}

Vector eigenvalues(Matrix& a) {
  Vector w(static_cast<std::size_t>(a.rows()));
  freeridge::symmetric_eigen(a.view(), w);
  return w;
}

TEST(SymmetricEigen, HardMatrices) {
  for (const Family& family : families())
    for (const Index n : support::deep() ? std::vector<Index>{1, 2, 3, 40, 200, 201, 202, 257, 294}
                                         : std::vector<Index>{1, 2, 3, 40, 201, 257}) {
      SCOPED_TRACE(std::string(family.name) + ", n = " + std::to_string(n));
      const Matrix a = family.make(n);
      Matrix v = dense::copy(a), reference = dense::copy(a);
      const Vector w = eigenvalues(v);
      expect_eigenpairs(a, w, v);
      Vector expected(w.size());
      freeridge::syevd(reference.view(), expected);
      expect_close(w, expected);
    }
}

TEST(SymmetricEigen, LargerMatrices) {
  for (const auto& make :
       {+[](Index n) { return random_symmetric(n); }, +[](Index n) { return gaussian_kernel(n, 0.5); }}) {
    const Matrix a = make(support::deep() ? 1000 : 520);
    Matrix v = dense::copy(a);
    const Vector w = eigenvalues(v);
    expect_eigenpairs(a, w, v);
  }
}

// Clement's matrix has the eigenvalues n - 1, n - 3, ..., 1 - n; second differences 2 - 2 cos(k pi / (n + 1)).
TEST(SymmetricEigen, KnownEigenvalues) {
  for (const Index n : {201, 320, 515}) {
    SCOPED_TRACE(n);
    const auto real = [](Index i) { return static_cast<double>(i); };
    Matrix clement = tridiagonal(
        n, [](Index) { return 0.0; }, [=](Index i) { return std::sqrt(real(i + 1) * real(n - 1 - i)); });
    Vector want;
    for (Index k = 0; k < n; ++k) want.push_back(real(1 - n + 2 * k));
    expect_close(eigenvalues(clement), want);
    Matrix differences = tridiagonal(
        n, [](Index) { return 2.0; }, [](Index) { return -1.0; });
    want.clear();
    for (Index k = 1; k <= n; ++k) want.push_back(2 - 2 * std::cos(real(k) * std::numbers::pi / real(n + 1)));
    expect_close(eigenvalues(differences), want);
  }
}

// Blocks of their own keep an accuracy of their own: the eigenvalues of a small one are not those of rounding in a
// large one beside it.
TEST(SymmetricEigen, BlocksOfDifferentScale) {
  const Index large = 90, small = 150, n = large + small;
  const Matrix block = random_symmetric(small);
  Matrix beside = filled(n, [&](Index i, Index j) {
    if (j >= large) return 1e-20 * block(i - large, j - large);
    return i < large ? 1.0 / static_cast<double>(i + j + 1) : 0;
  });
  const Vector all = eigenvalues(beside);
  Matrix alone = dense::copy(block);
  Vector want(static_cast<std::size_t>(small));
  freeridge::syevd(alone.view(), want);
  for (double& value : want) value *= 1e-20;
  // The large block's own rounding stands among them: each wanted one must be there.
  for (const double value : want) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const double got : all) nearest = std::min(nearest, std::abs(got - value));
    EXPECT_LE(nearest, 100 * eps * largest(want)) << value;
  }
}

TEST(SymmetricEigen, TridiagonalMatrices) {
  Random random(7);
  for (const Index n : {0, 1, 2, 64, 65, 130, 385}) {
    SCOPED_TRACE(n);
    Vector d(static_cast<std::size_t>(n)), e(static_cast<std::size_t>(std::max<Index>(n - 1, 0)));
    for (double& x : d) x = random.uniform();
    for (double& x : e) x = random.uniform() - 0.5;
    const Matrix t = tridiagonal(
        n, [&](Index i) { return d[static_cast<std::size_t>(i)]; },
        [&](Index i) { return e[static_cast<std::size_t>(i)]; });
    Matrix z(n, n, std::numeric_limits<double>::quiet_NaN());
    freeridge::tridiagonal_eigen(d, e, z.view());
    expect_eigenpairs(t, d, z);
  }
}

TEST(SymmetricEigen, TouchesTheMatrixAloneAndReadsItsLowerTriangle) {
  const Index n = 230, ld = n + 3;
  const Matrix a = random_symmetric(n);
  Matrix storage(ld, n + 1, 7.0);
  const MatrixView view = storage.view().block(1, 1, n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) view(i, j) = i >= j ? a(i, j) : std::numeric_limits<double>::quiet_NaN();
  Vector w(static_cast<std::size_t>(n));
  freeridge::symmetric_eigen(view, w);
  Matrix v(n, n);
  for (Index j = 0; j < n; ++j) std::copy_n(view.col(j), n, v.col(j));
  expect_eigenpairs(a, w, v);
  for (Index j = 0; j <= n; ++j)
    for (Index i = 0; i < ld; ++i)
      if (j == 0 || i == 0 || i > n) {
        ASSERT_EQ(storage(i, j), 7.0);
      }
}

TEST(SymmetricEigen, NotFinite) {
  for (const Index n : {3, 220})
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
      for (const Index at : {Index{0}, n - 1}) {
        Matrix a = random_symmetric(n);
        a(n - 1, at) = bad;
        for (const double w : eigenvalues(a)) ASSERT_TRUE(std::isnan(w));
      }
  // Finite numbers with an eigenvalue that is not.
  Matrix a(220, 220, 1e307);
  EXPECT_EQ(eigenvalues(a).back(), std::numeric_limits<double>::infinity());
}

TEST(SymmetricEigen, ProgressAndCancelling) {
  struct Heard {
    Vector fractions;
    std::size_t cancel_at = 0;
  };
  const auto hear = [](double fraction, void* user) -> std::int32_t {
    auto* heard = static_cast<Heard*>(user);
    heard->fractions.push_back(fraction);
    return heard->fractions.size() == heard->cancel_at ? 1 : 0;
  };
  const Matrix a = random_symmetric(400);
  Heard whole;
  Vector w(400);
  Matrix v = dense::copy(a);
  const auto run = [&](Heard& heard) {
    const freeridge::Hearing hearing(freeridge::Listener{hear, &heard});
    freeridge::symmetric_eigen(v.view(), w);
  };
  run(whole);
  ASSERT_GE(whole.fractions.size(), 20u);
  EXPECT_TRUE(std::ranges::is_sorted(whole.fractions));
  EXPECT_GE(whole.fractions.front(), 0);
  EXPECT_EQ(whole.fractions.back(), 1);
  for (std::size_t k = 1; k < whole.fractions.size(); ++k) EXPECT_LE(whole.fractions[k] - whole.fractions[k - 1], 0.25);
  for (std::size_t k = 1; k <= whole.fractions.size(); k += 5) {
    Heard heard{{}, k};
    v = dense::copy(a);
    EXPECT_THROW(run(heard), freeridge::Error);
    EXPECT_EQ(heard.fractions.size(), k);
  }
}

}  // namespace symmetric_eigen_test
