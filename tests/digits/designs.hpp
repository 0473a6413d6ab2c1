// The matrices of LAPACK's least squares tests (TESTING/LIN/dqrt15.f, ddrvls.f), whose factors are known:
//     X = U diag(s) V' + 1 mean',   U (n x r), V (d x r) with orthonormal columns, 1'U = 0 with an intercept
//     s_1 = 1, the others uniform in (0.1, 1);   r = 3/4 min(n, d), rounded down, or all that there can be
//     mean = 0 without an intercept
// and three outputs: in the range of X (and the ones); the same with as much noise; noise alone.
// Rounding X to double changes its singular values by no more than 2^-53 sqrt(n d) of the largest entry.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "support/deep.hpp"
#include "support/gauss.hpp"
#include "support/random.hpp"

namespace digits {

using support::Dense;
using support::Matrix;
using support::Random;
using support::Real;
using support::Vector;

enum class Rank { full, deficient };

struct Design {
  Dense u, v;
  std::vector<Real> s;  // descending
  Matrix x, y;
  bool intercept = false;

  std::int64_t rank() const { return static_cast<std::int64_t>(s.size()); }
};

inline constexpr std::int64_t sizes[] = {1, 2, 3, 5, 10, 50, 129};
inline constexpr int exponents[] = {0, 500, -500};

// The exponents for a problem of these sizes: the largest size at the middle one alone, but deep.
inline std::span<const int> exponents_for(std::int64_t n, std::int64_t d) {
  return std::span(exponents).first(std::max(n, d) > 100 && !support::deep() ? 1 : 3);
}

inline constexpr std::int64_t outputs = 3;

// Of random columns, made orthogonal to the first `fixed` ones and to one another, twice; those are then left out.
inline Dense orthonormal(Dense a, std::int64_t fixed) {
  for (std::int64_t j = 0; j < a.cols; ++j) {
    for (int pass = 0; pass < 2; ++pass)
      for (std::int64_t k = 0; k < j; ++k) {
        Real inner = 0;
        for (std::int64_t i = 0; i < a.rows; ++i) inner += a(i, k) * a(i, j);
        for (std::int64_t i = 0; i < a.rows; ++i) a(i, j) -= inner * a(i, k);
      }
    Real square = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) square += a(i, j) * a(i, j);
    for (std::int64_t i = 0; i < a.rows; ++i) a(i, j) /= std::sqrt(square);
  }
  Dense out(a.rows, a.cols - fixed);
  std::copy(a.values.begin() + static_cast<std::ptrdiff_t>(a.rows * fixed), a.values.end(), out.values.begin());
  return out;
}

// `columns` orthonormal columns, orthogonal to the ones if asked for.
inline Dense random_orthonormal(Random& random, std::int64_t rows, std::int64_t columns, bool to_ones) {
  const std::int64_t fixed = to_ones ? 1 : 0;
  Dense a(rows, fixed + columns, 1);
  for (std::int64_t j = fixed; j < a.cols; ++j)
    for (std::int64_t i = 0; i < rows; ++i) a(i, j) = random.normal();
  return orthonormal(a, fixed);
}

// 1, and uniform numbers in (low, high), descending.
inline std::vector<Real> singular_values(Random& random, std::int64_t count, double low, double high) {
  std::vector<Real> s;
  for (std::int64_t k = 0; k < count; ++k) s.push_back(k == 0 ? high : random.uniform(low, high));
  std::sort(s.begin(), s.end(), std::greater<>());
  return s;
}

// U diag(s) V'
inline Dense product(const Dense& u, const std::vector<Real>& s, const Dense& v) {
  Dense scaled = u;
  for (std::int64_t k = 0; k < u.cols; ++k)
    for (std::int64_t i = 0; i < u.rows; ++i) scaled(i, k) *= s[static_cast<std::size_t>(k)];
  return support::multiply(scaled, support::transpose(v));
}

inline Design make_design(std::int64_t n, std::int64_t d, Rank rank, bool intercept) {
  const std::int64_t small = std::min(n, d), most = std::min(n - (intercept ? 1 : 0), d),
                     r = rank == Rank::full ? most : 3 * small / 4;
  Random random(static_cast<std::uint64_t>(100000 + 4 * (1000 * n + d) + (rank == Rank::full ? 2 : 0) + intercept));
  Design out;
  out.intercept = intercept;
  out.s = singular_values(random, r, 0.1, 1);
  out.u = random_orthonormal(random, n, r, intercept);
  out.v = random_orthonormal(random, d, r, false);
  const Dense product = digits::product(out.u, out.s, out.v);
  out.x = Matrix(n, d);
  for (std::int64_t k = 0; k < d; ++k) {
    const double mean = intercept && r > 0 ? random.uniform(-1, 1) : 0;
    for (std::int64_t i = 0; i < n; ++i) out.x(i, k) = static_cast<double>(product(i, k) + mean);
  }
  Dense z(r, outputs);
  for (Real& value : z.values) value = random.normal();
  const Dense range = support::multiply(out.u, z);
  const double noise = std::sqrt(static_cast<double>(std::max<std::int64_t>(r, 1)) / static_cast<double>(n));
  out.y = Matrix(n, outputs);
  for (std::int64_t j = 0; j < outputs; ++j) {
    const double mean = intercept ? random.uniform(-1, 1) : 0;
    for (std::int64_t i = 0; i < n; ++i)
      out.y(i, j) = static_cast<double>((j == 2 ? 0 : range(i, j)) + (j == 0 ? 0 : noise * random.normal()) + mean);
  }
  return out;
}

inline Matrix scaled(Matrix a, int exponent) {
  for (double& value : a.values) value = std::ldexp(value, exponent);
  return a;
}

// x times 2^x_exponent, y times 2^y_exponent: exactly.
inline Design scaled(Design design, int x_exponent, int y_exponent) {
  design.x = scaled(design.x, x_exponent);
  design.y = scaled(design.y, y_exponent);
  for (Real& s : design.s) s = std::ldexp(s, x_exponent);
  return design;
}

// Whether V spans the rows of the rounded X as far as the solution at lambda sees them: where rank is missing, rounding
// adds s = eps to it, and s / (s^2 + lambda) of the noise to w.
inline bool row_space_is_known(const Design& design, double lambda) {
  const std::int64_t most = std::min(design.x.rows - (design.intercept ? 1 : 0), design.x.cols);
  return design.rank() == most || lambda == 0 || (design.rank() > 0 && lambda >= design.s.front() * design.s.front());
}

// 0, eps, 1, 1/eps as they stand, and times the square of the scale of x where that is another number.
inline Vector lambdas(int x_exponent) {
  Vector out = {0, 0x1p-52, 1, 0x1p52};
  for (const int e : {-52, 0, 52})
    if (x_exponent != 0 && e + 2 * x_exponent < 1024) out.push_back(std::ldexp(1.0, e + 2 * x_exponent));
  return out;
}

}  // namespace digits
