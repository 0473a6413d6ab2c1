// The mixed problem by its definition, in long double: every fit by elimination on
//     [ K + lambda W^-1   F ] [c]   [Y]
//     [ F'                0 ] [a] = [0],    F = [1, fixed effects]
// every row or group left out by fitting again, and generalised least squares with explicit matrices.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <vector>

#include "support/gauss.hpp"
#include "support/matrix.hpp"

namespace fixed_effects {

using support::Dense;
using support::Labels;
using support::Matrix;
using support::Real;
using support::Vector;

inline Dense beside(const Dense& a, const Dense& b) {
  Dense out(a.rows, a.cols + b.cols);
  std::copy(a.values.begin(), a.values.end(), out.values.begin());
  std::copy(b.values.begin(), b.values.end(), out.values.begin() + static_cast<std::ptrdiff_t>(a.values.size()));
  return out;
}

inline Dense with_ones(const Matrix& f, bool intercept) {
  return intercept ? beside(Dense(f.rows, 1, 1), support::to_real(f)) : support::to_real(f);
}

struct Mixed {
  Dense k, f, y;   // n x n, n x q with the ones, n x t
  Vector weights;  // empty: all one
  Real lambda = 1;

  std::int64_t n() const { return k.rows; }
  Real w(std::int64_t i) const { return weights.empty() ? Real{1} : Real{weights[static_cast<std::size_t>(i)]}; }

  struct Fit {
    Dense c, a;
  };
  Fit fit(const Dense& right, const std::vector<char>& use) const {
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < n(); ++i)
      if (use[static_cast<std::size_t>(i)]) rows.push_back(i);
    const auto count = static_cast<std::int64_t>(rows.size());
    Dense big(count + f.cols, count + f.cols), rhs(count + f.cols, right.cols);
    for (std::int64_t p = 0; p < count; ++p) {
      const std::int64_t i = rows[static_cast<std::size_t>(p)];
      for (std::int64_t s = 0; s < count; ++s) big(p, s) = k(i, rows[static_cast<std::size_t>(s)]);
      big(p, p) += lambda / w(i);
      for (std::int64_t j = 0; j < f.cols; ++j) big(p, count + j) = big(count + j, p) = f(i, j);
      for (std::int64_t j = 0; j < right.cols; ++j) rhs(p, j) = right(i, j);
    }
    const Dense z = support::solve(std::move(big), std::move(rhs));
    Fit out{Dense(n(), right.cols), Dense(f.cols, right.cols)};
    for (std::int64_t j = 0; j < right.cols; ++j) {
      for (std::int64_t p = 0; p < count; ++p) out.c(rows[static_cast<std::size_t>(p)], j) = z(p, j);
      for (std::int64_t q = 0; q < f.cols; ++q) out.a(q, j) = z(count + q, j);
    }
    return out;
  }
  Fit fit() const { return fit(y, std::vector<char>(static_cast<std::size_t>(n()), 1)); }

  // At points with the kernel values `cross` (n x m) and the rows `of_f` (m x q).
  static Dense at(const Fit& fit, const Dense& cross, const Dense& of_f) {
    Dense out = support::multiply(support::transpose(cross), fit.c);
    const Dense free = support::multiply(of_f, fit.a);
    for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] += free.values[i];
    return out;
  }

  Matrix left_out(const Labels& group) const {
    Matrix out(n(), y.cols, std::numeric_limits<double>::quiet_NaN());
    for (const std::int32_t label : std::set<std::int32_t>(group.begin(), group.end())) {
      if (label < 0) continue;
      std::vector<char> use(static_cast<std::size_t>(n()), 1);
      for (std::size_t i = 0; i < use.size(); ++i)
        if (group[i] == label) use[i] = 0;
      const Dense made = at(fit(y, use), k, f);
      for (std::int64_t j = 0; j < y.cols; ++j)
        for (std::int64_t i = 0; i < n(); ++i)
          if (!use[static_cast<std::size_t>(i)]) out(i, j) = static_cast<double>(y(i, j) - made(i, j));
    }
    return out;
  }

  Dense hat() const {
    return at(fit(support::identity(n()), std::vector<char>(static_cast<std::size_t>(n()), 1)), k, f);
  }

  Dense m_inverse_of(const Dense& right) const {
    Dense m = k;
    for (std::int64_t i = 0; i < n(); ++i) m(i, i) += lambda / w(i);
    return support::solve(std::move(m), right);
  }
  // (F'M^-1 F)^-1
  Dense effects_covariance() const {
    return support::solve(support::multiply(support::transpose(f), m_inverse_of(f)), support::identity(f.cols));
  }
  // Y'PY of an output.
  Real quadratic_form(std::int64_t output) const {
    const Fit all = fit();
    Real sum = 0;
    for (std::int64_t i = 0; i < n(); ++i) sum += y(i, output) * all.c(i, output);
    return sum;
  }
  Real tau2(std::int64_t output) const { return quadratic_form(output) / static_cast<Real>(n() - f.cols); }
  Real reml(std::int64_t output) const {
    const auto m = static_cast<Real>(n() - f.cols);
    Dense big = k;
    for (std::int64_t i = 0; i < n(); ++i) big(i, i) += lambda / w(i);
    const Real of_f = support::log_determinant(support::multiply(support::transpose(f), m_inverse_of(f)));
    return (m * std::log(2 * std::numbers::pi_v<Real> * tau2(output)) + m + support::log_determinant(big) + of_f) / 2;
  }
  Real gcv(std::int64_t output) const {
    const Dense h = hat(), made = support::multiply(h, y);
    Real trace = 0, sum = 0;
    for (std::int64_t i = 0; i < n(); ++i) {
      trace += 1 - h(i, i);
      sum += w(i) * (y(i, output) - made(i, output)) * (y(i, output) - made(i, output));
    }
    return static_cast<Real>(n()) * sum / (trace * trace);
  }
  // tau^2 (k(x, x) - k'M^-1 k + r'(F'M^-1 F)^-1 r)
  Real variance(std::int64_t output, const Dense& cross, Real own, const Dense& of_f) const {
    const Dense solved = m_inverse_of(cross), r_k = support::multiply(support::transpose(f), solved);
    Dense r(f.cols, 1);
    Real v = own;
    for (std::int64_t i = 0; i < n(); ++i) v -= cross(i, 0) * solved(i, 0);
    for (std::int64_t q = 0; q < f.cols; ++q) r(q, 0) = of_f(0, q) - r_k(q, 0);
    const Dense z = support::multiply(effects_covariance(), r);
    for (std::int64_t q = 0; q < f.cols; ++q) v += r(q, 0) * z(q, 0);
    return tau2(output) * v;
  }
};

}  // namespace fixed_effects
