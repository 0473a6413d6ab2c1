// Singular values and vectors of bidiagonal matrices, which the core is asked for directly: by backward errors as
// LAPACK's tests have them, |B V - U S| / (n eps |B|) and |U'U - I| / (n eps), |V'V - I| / (n eps) in the 1-norm, against
// LAPACK's dbdsdc and known singular values; on matrices that are hard for divide and conquer, at sizes around those
// where they are torn; deep: at more of them, and larger ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "dense.hpp"
#include "heard.hpp"
#include "libcore/base/random.hpp"
#include "libcore/linalg/bidiagonal_svd.hpp"
#include "libcore/linalg/lapack.hpp"
#include "support/deep.hpp"

namespace bidiagonal_svd_test {

using freeridge::ConstMatrixView;
using freeridge::Index;
using freeridge::Matrix;
using freeridge::MatrixView;
using freeridge::Op;
using freeridge::Random;
using Vector = std::vector<double>;

constexpr double eps = std::numeric_limits<double>::epsilon();

struct Bidiagonal {
  Vector d, e;
  Index size() const { return std::ssize(d); }
};

double number(Index i) {
  return static_cast<double>(i);
}

double& item(Vector& v, Index i) {
  return v[static_cast<std::size_t>(i)];
}

Bidiagonal made(Index n, const std::function<double(Index)>& d, const std::function<double(Index)>& e) {
  Bidiagonal out;
  for (Index i = 0; i < n; ++i) out.d.push_back(d(i));
  for (Index i = 0; i + 1 < n; ++i) out.e.push_back(e(i));
  return out;
}

Bidiagonal random_bidiagonal(Index n, double scale = 1) {
  Random random(1);
  const auto any = [&](Index) { return scale * (2 * random.uniform() - 1); };
  return made(n, any, any);
}

struct Family {
  const char* name;
  std::function<Bidiagonal(Index)> make;
};

std::vector<Family> families() {
  const auto constant = [](double value) { return [=](Index) { return value; }; };
  const auto both = [=](double d, double e) { return [=](Index n) { return made(n, constant(d), constant(e)); }; };
  const auto graded = [](double ratio) {
    return [=](Index n) {
      const auto value = [=](Index i) { return std::pow(ratio, number(i)); };
      return made(n, value, [=](Index i) { return -0.7 * value(i); });
    };
  };
  const auto glued = [](double glue) {
    return [=](Index n) {
      return made(
          n, [](Index i) { return std::abs(number(i % 21 - 10)); }, [=](Index i) { return i % 21 == 20 ? glue : 1.0; });
    };
  };
  const auto changed = [](const std::function<void(Bidiagonal&)>& change) {
    return [=](Index n) {
      Bidiagonal b = random_bidiagonal(n);
      change(b);
      return b;
    };
  };
  const auto every = [](Vector& values, std::size_t first, std::size_t step, double value) {
    for (std::size_t i = first; i < values.size(); i += step) values[i] = value;
  };
  return {
      {"random", [](Index n) { return random_bidiagonal(n); }},
      {"times 2^500", [](Index n) { return random_bidiagonal(n, 0x1p500); }},
      {"times 2^-500", [](Index n) { return random_bidiagonal(n, 0x1p-500); }},
      {"times 2^1020", [](Index n) { return random_bidiagonal(n, 0x1p1020); }},
      {"times 2^-960", [](Index n) { return random_bidiagonal(n, 0x1p-960); }},
      {"graded downwards", graded(0.5)},
      {"graded upwards", [=](Index n) { return graded(2)(std::min<Index>(n, 900)); }},
      {"graded slowly", graded(0.9)},
      {"of all magnitudes",
       [](Index n) {
         Random random(2);
         const auto any = [&](Index) { return std::pow(10, -20 * random.uniform()); };
         return made(n, any, any);
       }},
      {"all zero", both(0, 0)},
      {"identity", both(1, 0)},
      {"zero but above the diagonal", both(0, 1)},
      {"nearly identity", both(1, 1e-9)},
      {"within rounding of the identity", both(1, 1e-15)},
      {"ones", both(1, 1)},
      {"second differences",
       [](Index n) {
         return made(
             n, [](Index i) { return std::sqrt((number(i) + 2) / (number(i) + 1)); },
             [](Index i) { return -std::sqrt((number(i) + 1) / (number(i) + 2)); });
       }},
      {"Kahan",
       [](Index n) {
         return made(
             n, [](Index i) { return std::pow(0.8, number(i)); }, [](Index) { return -0.6; });
       }},
      {"diagonal, ascending", [=](Index n) { return made(n, number, constant(0)); }},
      {"three clusters",
       [](Index n) {
         return made(
             n, [](Index i) { return number(i % 3) + 1e-13 * number(i); },
             [](Index i) { return 1e-12 * number(i % 5); });
       }},
      {"glued by 1e-3", glued(1e-3)},
      {"glued by 1e-8", glued(-1e-8)},
      {"glued by 1e-14", glued(1e-14)},
      {"glued by nothing", glued(0)},
      {"zeros on the diagonal", changed([=](Bidiagonal& b) { every(b.d, 3, 7, 0); })},
      {"zeros above the diagonal", changed([=](Bidiagonal& b) { every(b.e, 4, 9, 0); })},
      {"zeros here and there", changed([=](Bidiagonal& b) { every(b.d, 0, 5, 0), every(b.e, 2, 6, 0); })},
      {"first and last zero", changed([=](Bidiagonal& b) { b.d.front() = b.d.back() = 0; })},
      {"torn where it is zero", changed([](Bidiagonal& b) {
         const Index middle = (b.size() - 1) / 2;
         item(b.d, middle) = 0;
         if (b.size() > 1) item(b.e, std::min(middle, b.size() - 2)) = 0;
       })},
      {"torn where it is nearly zero", changed([](Bidiagonal& b) {
         const Index middle = (b.size() - 1) / 2;
         item(b.d, middle) = 1e-17;
         if (b.size() > 1) item(b.e, std::min(middle, b.size() - 2)) = -1e-17;
       })},
      {"of a third of the rank", changed([](Bidiagonal& b) {
         for (Index i = b.size() / 3; i < b.size(); ++i) item(b.d, i) = 0;
         for (Index i = b.size() / 3; i + 1 < b.size(); ++i) item(b.e, i) = 0;
       })},
      {"of a third of the rank, and rounding", changed([](Bidiagonal& b) {
         for (Index i = b.size() / 3; i < b.size(); ++i) item(b.d, i) *= 2e-16;
         for (Index i = b.size() / 3; i + 1 < b.size(); ++i) item(b.e, i) *= 2e-16;
       })},
  };
}

struct Svd {
  Vector s;
  Matrix u, v;  // v: a row and a column more
};

Svd decomposed(const Bidiagonal& b) {
  const Index n = b.size();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Svd out{b.d, Matrix(n, n, nan), Matrix(n + 1, n + 1, nan)};
  Vector e = b.e;
  freeridge::bidiagonal_svd(out.s, e, out.u.view(), out.v.view());
  return out;
}

Svd by_lapack(const Bidiagonal& b) {
  const Index n = b.size();
  Svd out{b.d, Matrix(n, n), Matrix(n + 1, n + 1, 0.0)};
  Matrix vt(n, n);
  Vector e = b.e;
  freeridge::bdsdc('U', out.s, e, out.u.view(), vt.view());
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) out.v(j, i) = vt(i, j);
  out.v(n, n) = 1;
  return out;
}

// |Q'Q - I| / (n eps) in the 1-norm.
double angle(ConstMatrixView q) {
  Matrix inner(q.cols, q.cols);
  freeridge::gemm(Op::transpose, Op::none, 1, q, q, 0, inner.view());
  double most = 0;
  for (Index j = 0; j < q.cols; ++j) {
    double sum = 0;
    for (Index i = 0; i < q.cols; ++i) sum += std::abs(inner(i, j) - (i == j ? 1 : 0));
    most = sum <= most ? most : sum;
  }
  return most / (eps * number(q.cols));
}

// |B V - U S| / (n eps |B|) in the 1-norm.
double residual(const Bidiagonal& b, const Svd& svd) {
  const Index n = b.size();
  Bidiagonal scaled = b;
  double norm = 0, largest = 0, most = 0;
  for (const Vector* values : {&b.d, &b.e})
    for (const double value : *values) largest = std::max(largest, std::abs(value));
  const int exponent = largest > 0 ? std::ilogb(largest) : 0;
  for (Vector* values : {&scaled.d, &scaled.e})
    for (double& value : *values) value = std::ldexp(value, -exponent);
  for (Index j = 0; j < n; ++j)
    norm = std::max(norm, std::abs(item(scaled.d, j)) + (j > 0 ? std::abs(item(scaled.e, j - 1)) : 0));
  for (Index j = 0; j < n; ++j) {
    double sum = 0;
    const double s = std::ldexp(svd.s[static_cast<std::size_t>(j)], -exponent);
    for (Index i = 0; i < n; ++i) {
      const long double beside = i + 1 < n ? static_cast<long double>(item(scaled.e, i)) * svd.v(i + 1, j) : 0;
      sum += static_cast<double>(std::abs(static_cast<long double>(item(scaled.d, i)) * svd.v(i, j) + beside -
                                          static_cast<long double>(s) * svd.u(i, j)));
    }
    most = sum <= most ? most : sum;
  }
  return most / (eps * number(n) * (norm > 0 ? norm : 1));
}

// No worse than twice LAPACK's, where those are not mere luck.
void expect_accurate(const Bidiagonal& b) {
  const Index n = b.size();
  const Svd svd = decomposed(b), reference = by_lapack(b);
  const double usual = n < 64 ? 3 : 1;
  EXPECT_LE(residual(b, svd), std::max(usual, 2 * residual(b, reference)));
  EXPECT_LE(angle(svd.u.view()), std::max(usual, 2 * angle(reference.u.view())));
  EXPECT_LE(angle(svd.v.view()), std::max(usual, 2 * angle(reference.v.view())));
  EXPECT_TRUE(std::is_sorted(svd.s.rbegin(), svd.s.rend()));
  EXPECT_GE(svd.s.back(), 0);
  for (std::size_t i = 0; i < svd.s.size(); ++i)
    ASSERT_NEAR(svd.s[i], reference.s[i], eps * (8 + number(n) / 4) * svd.s[0]) << "singular value " << i;
  for (Index i = 0; i <= n; ++i) {
    ASSERT_EQ(std::abs(svd.v(i, n)), i == n ? 1 : 0);
    ASSERT_EQ(std::abs(svd.v(n, i)), i == n ? 1 : 0);
  }
}

TEST(BidiagonalSvd, HardMatrices) {
  for (const Family& family : families())
    for (const Index n : support::deep() ? std::vector<Index>{1, 2, 3, 25, 26, 63, 64, 65, 66, 129, 130, 131, 259, 300}
                                         : std::vector<Index>{1, 2, 3, 25, 26, 64, 65, 130, 259}) {
      SCOPED_TRACE(std::string(family.name) + ", n = " + std::to_string(n));
      expect_accurate(family.make(n));
    }
}

TEST(BidiagonalSvd, LargerMatrices) {
  for (const Family& family : families())
    for (const char* name : {"random", "graded slowly", "second differences", "nearly identity"})
      if (family.name == std::string(name)) {
        SCOPED_TRACE(name);
        expect_accurate(family.make(support::deep() ? 1001 : 520));
      }
}

// Ones on the diagonal and above it: 2 cos(k pi / (2 n + 1)). No rotation, sign or order is lost on the way either.
TEST(BidiagonalSvd, KnownSingularValues) {
  for (const Index n : {64, 65, 320, 515}) {
    SCOPED_TRACE(n);
    const auto one = [](Index) { return 1.0; };
    const Svd svd = decomposed(made(n, one, one));
    for (Index k = 0; k < n; ++k)
      ASSERT_NEAR(svd.s[static_cast<std::size_t>(k)],
                  2 * std::cos(number(k + 1) * std::numbers::pi / number(2 * n + 1)), eps * number(n))
          << k;
  }
}

// Singular values small beside the largest are lost to rounding where they stand together with it, and only there: each
// half has a scale of its own until it meets the other.
TEST(BidiagonalSvd, ZerosAreFoundAndNotMadeOfLargeNumbers) {
  const Index n = 200;
  Bidiagonal b = random_bidiagonal(n);
  for (Index i = 0; i < n; i += 10) item(b.d, i) = 0;
  const Svd svd = decomposed(b);
  const Svd reference = by_lapack(b);
  const auto zeros = [&](const Vector& s) {
    return std::ranges::count_if(s, [&](double value) { return value <= 16 * eps * s[0]; });
  };
  EXPECT_GE(zeros(svd.s), 1);
  EXPECT_EQ(zeros(svd.s), zeros(reference.s));
}

TEST(BidiagonalSvd, TouchesItsMatricesAloneAndGivesTheSameBits) {
  const Index n = 230, ld = n + 4;
  const Bidiagonal b = random_bidiagonal(n);
  const Svd svd = decomposed(b);
  Matrix first(ld, n + 2, 7.0), second(ld, n + 3, 7.0);
  Vector s = b.d, e = b.e;
  freeridge::bidiagonal_svd(s, e, first.view().block(1, 1, n, n), second.view().block(1, 1, n + 1, n + 1));
  EXPECT_EQ(s, svd.s);
  for (const auto& [storage, want, size] : {std::tuple{&first, &svd.u, n}, {&second, &svd.v, n + 1}})
    for (Index j = 0; j < storage->cols(); ++j)
      for (Index i = 0; i < ld; ++i) {
        const bool inside = i >= 1 && j >= 1 && i <= size && j <= size;
        ASSERT_EQ((*storage)(i, j), inside ? (*want)(i - 1, j - 1) : 7.0) << i << " " << j;
      }
}

TEST(BidiagonalSvd, ProgressAndCancelling) {
  const auto one = [](Index) { return 1.0; };
  const Bidiagonal b = made(900, one, one);
  EXPECT_GE(reports_of([&] { decomposed(b); }), 4);
}

}  // namespace bidiagonal_svd_test
