// Degrees of freedom, Cook's distances, jackknife+ intervals and predictive variances by their definitions: refits
// without each row, dense formulas, all in long double; the landmark problem as the dual one of its restricted kernel
// k_xR K_RR^-1 K_Rz.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/gauss.hpp"
#include "support/problems.hpp"

namespace diagnostics {

using namespace support;
using oracle::Problem;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Kernel values: among the rows (n x n), of the rows with new points (n x m), of each new point with itself.
struct Values {
  Dense rows, cross;
  std::vector<Real> own;
};

inline Values kernel_values(const Problem& problem, const Matrix& points) {
  Values out{oracle::kernel_matrix(problem.kernel, problem.x, problem.x),
             oracle::kernel_matrix(problem.kernel, problem.x, points),
             {}};
  const Dense own = oracle::kernel_matrix(problem.kernel, points, points);
  for (std::int64_t q = 0; q < points.rows; ++q) out.own.push_back(own(q, q));
  return out;
}

inline Values restricted_values(const Problem& problem, const Matrix& points,
                                const std::vector<std::int64_t>& landmarks) {
  const Matrix r = select_rows(problem.x, landmarks);
  const Dense k_r = oracle::kernel_matrix(problem.kernel, r, r);
  const Dense to_rows = oracle::kernel_matrix(problem.kernel, r, problem.x);
  const Dense to_points = oracle::kernel_matrix(problem.kernel, r, points);
  const Dense weights = solve(k_r, to_points);
  Values out{multiply(transpose(to_rows), solve(k_r, to_rows)), multiply(transpose(to_rows), weights), {}};
  for (std::int64_t q = 0; q < points.rows; ++q) {
    Real own = 0;
    for (std::int64_t i = 0; i < r.rows; ++i) own += to_points(i, q) * weights(i, q);
    out.own.push_back(own);
  }
  return out;
}

inline std::vector<char> all_but(std::int64_t n, std::int64_t left_out) {
  std::vector<char> use(static_cast<std::size_t>(n), 1);
  if (left_out >= 0) use[static_cast<std::size_t>(left_out)] = 0;
  return use;
}

inline Dense evaluate(const Dense& cross, const oracle::Fit& fit) {
  Dense out = multiply(transpose(cross), fit.c);
  for (std::int64_t j = 0; j < out.cols; ++j)
    for (std::int64_t q = 0; q < out.rows; ++q) out(q, j) += fit.b(0, j);
  return out;
}

// The smallest whole number that is at least level (n + 1).
inline std::int64_t place(std::int64_t numerator, std::int64_t denominator, std::int64_t n) {
  return (numerator * (n + 1) + denominator - 1) / denominator;
}

// Rows that are left out together; the first of them are scored.
struct LeftOutRows {
  std::vector<std::int64_t> rows;
  std::size_t scored;
};

inline std::vector<LeftOutRows> each_row(std::int64_t n) {
  std::vector<LeftOutRows> out;
  for (std::int64_t i = 0; i < n; ++i) out.push_back({{i}, 1});
  return out;
}

// By refits without each set of rows; place(numerator, denominator, scored rows of all sets).
inline Intervals jackknife(const Problem& problem, const Values& k, double lambda, std::int64_t upper_place,
                           const std::vector<LeftOutRows>& sets) {
  const std::int64_t n = k.rows.rows, m = k.cross.cols, t = problem.y.cols;
  const Dense y = to_real(problem.y);
  std::vector<std::vector<Real>> low(static_cast<std::size_t>(m * t)), high(low);
  for (const LeftOutRows& set : sets) {
    std::vector<char> use(static_cast<std::size_t>(n), 1);
    for (const std::int64_t i : set.rows) use[static_cast<std::size_t>(i)] = 0;
    const oracle::Fit fit = oracle::fit_with(problem, k.rows, y, use, lambda);
    const Dense at_rows = evaluate(k.rows, fit), at_points = evaluate(k.cross, fit);
    for (std::int64_t j = 0; j < t; ++j)
      for (std::int64_t q = 0; q < m; ++q)
        for (std::size_t s = 0; s < set.scored; ++s) {
          const Real error = std::abs(y(set.rows[s], j) - at_rows(set.rows[s], j));
          low[static_cast<std::size_t>(q + j * m)].push_back(at_points(q, j) - error);
          high[static_cast<std::size_t>(q + j * m)].push_back(at_points(q, j) + error);
        }
  }
  Intervals out{Matrix(m, t, -infinity), Matrix(m, t, infinity)};
  for (std::size_t p = 0; p < low.size(); ++p) {
    const auto place = static_cast<std::size_t>(upper_place);
    if (place > low[p].size()) continue;
    std::sort(low[p].begin(), low[p].end());
    std::sort(high[p].begin(), high[p].end());
    out.lower.values[p] = static_cast<double>(low[p][low[p].size() - place]);
    out.upper.values[p] = static_cast<double>(high[p][place - 1]);
  }
  return out;
}

// f(x) + b at the points, m x t, of the refit without the rows with a label.
inline Matrix left_out(const Problem& problem, const Values& k, double lambda, const std::vector<std::int32_t>& group,
                       std::int32_t label) {
  std::vector<char> use(group.size(), 1);
  for (std::size_t i = 0; i < group.size(); ++i) use[i] = label < 0 || group[i] != label;
  return to_double(evaluate(k.cross, oracle::fit_with(problem, k.rows, to_real(problem.y), use, lambda)));
}

inline Dense hat(const Problem& problem, const Values& k, double lambda) {
  const std::int64_t n = k.rows.rows;
  return evaluate(k.rows, oracle::fit_with(problem, k.rows, identity(n), all_but(n, -1), lambda));
}

struct Freedom {
  Vector df, sigma2;
};

inline Freedom freedom(const Problem& problem, const Values& k, double lambda) {
  const std::int64_t n = k.rows.rows;
  const Dense h = hat(problem, k, lambda), y = to_real(problem.y), f = multiply(h, y);
  Real df = 0;
  for (std::int64_t i = 0; i < n; ++i) df += h(i, i);
  Freedom out;
  for (std::int64_t j = 0; j < y.cols; ++j) {
    Real sum = 0;
    for (std::int64_t i = 0; i < n; ++i)
      sum += static_cast<Real>(problem.weight(i)) * (y(i, j) - f(i, j)) * (y(i, j) - f(i, j));
    out.df.push_back(static_cast<double>(df));
    out.sigma2.push_back(problem.sigma2 > 0 ? problem.sigma2 : static_cast<double>(sum / (static_cast<Real>(n) - df)));
  }
  return out;
}

// Of the refit without each row, n x t each: df and sigma.
struct WithoutRows {
  Matrix df, sigma;
};

inline WithoutRows without_each_row(const Problem& problem, const Values& k, double lambda) {
  const std::int64_t n = k.rows.rows, t = problem.y.cols;
  const Dense y = to_real(problem.y);
  WithoutRows out{Matrix(n, t), Matrix(n, t)};
  for (std::int64_t i = 0; i < n; ++i) {
    const std::vector<char> use = all_but(n, i);
    const Dense h = evaluate(k.rows, oracle::fit_with(problem, k.rows, identity(n), use, lambda));
    const Dense f = evaluate(k.rows, oracle::fit_with(problem, k.rows, y, use, lambda));
    Real df = 0;
    for (std::int64_t p = 0; p < n; ++p) df += p == i ? 0 : h(p, p);
    for (std::int64_t j = 0; j < t; ++j) {
      Real sum = 0;
      for (std::int64_t p = 0; p < n; ++p)
        if (p != i) sum += static_cast<Real>(problem.weight(p)) * (y(p, j) - f(p, j)) * (y(p, j) - f(p, j));
      out.df(i, j) = static_cast<double>(df);
      out.sigma(i, j) = problem.sigma2 > 0 ? std::sqrt(problem.sigma2)
                                           : static_cast<double>(std::sqrt(sum / (static_cast<Real>(n - 1) - df)));
    }
  }
  return out;
}

// W_ii e_i^2 h_i / (df sigma2), e from refits without the row.
inline Matrix cook(const Problem& problem, const Values& k, double lambda) {
  const std::int64_t n = k.rows.rows;
  const Dense h = hat(problem, k, lambda), y = to_real(problem.y);
  const Freedom of = freedom(problem, k, lambda);
  Matrix out(n, y.cols);
  for (std::int64_t i = 0; i < n; ++i) {
    const Dense left_out = evaluate(k.rows, oracle::fit_with(problem, k.rows, y, all_but(n, i), lambda));
    for (std::int64_t j = 0; j < y.cols; ++j) {
      const Real e = y(i, j) - left_out(i, j);
      const auto at = static_cast<std::size_t>(j);
      out(i, j) = static_cast<double>(static_cast<Real>(problem.weight(i)) * e * e * h(i, i) /
                                      (static_cast<Real>(of.df[at]) * static_cast<Real>(of.sigma2[at])));
    }
  }
  return out;
}

// tau^2 (k(x, x) - k'M^-1 k + (1 - 1'M^-1 k)^2 / (1'M^-1 1)), and lambda tau^2.
inline PredictedVariance variance(const Problem& problem, const Values& k, double lambda) {
  const std::int64_t n = k.rows.rows, m = k.cross.cols, t = problem.y.cols;
  Dense big = k.rows, right(n, t + 1 + m);
  for (std::int64_t i = 0; i < n; ++i) {
    big(i, i) += static_cast<Real>(lambda) / static_cast<Real>(problem.weight(i));
    for (std::int64_t j = 0; j < t; ++j) right(i, j) = problem.y(i, j);
    right(i, t) = 1;
    for (std::int64_t q = 0; q < m; ++q) right(i, t + 1 + q) = k.cross(i, q);
  }
  const Dense products = multiply(transpose(right), solve(big, right));
  const Real ones = products(t, t);
  PredictedVariance out{Matrix(m, t), {}};
  for (std::int64_t j = 0; j < t; ++j) {
    Real tau2 = products(j, j);
    if (problem.intercept) tau2 -= products(t, j) * products(t, j) / ones;
    tau2 /= static_cast<Real>(n - (problem.intercept ? 1 : 0));
    if (problem.sigma2 > 0) tau2 = problem.sigma2 / static_cast<Real>(lambda);
    out.noise.push_back(static_cast<double>(static_cast<Real>(lambda) * tau2));
    for (std::int64_t q = 0; q < m; ++q) {
      const std::int64_t at = t + 1 + q;
      Real v = k.own[static_cast<std::size_t>(q)] - products(at, at);
      if (problem.intercept) v += (1 - products(t, at)) * (1 - products(t, at)) / ones;
      out.variance(q, j) = static_cast<double>(tau2 * v);
    }
  }
  return out;
}

}  // namespace diagnostics
