// Backward-error ratios in the manner of LAPACK's tests, with the residuals in long double (LAPACK's are in double).
// eps = 2^-53 is DLAMCH('Epsilon'), |.| the 1-norm, t the number of outputs; each is the largest of all outputs.
//
//   normal_ratio     TESTING/LIN/dqrt17.f   |R'A| / (|A| |B| max(n, d, t) eps),  R = B - A X: the normal equations
//                                           (IRESID = 1). Ridge: A'R - lambda X instead, with the same |A|:
//                                           stricter than the stacked [A; lambda^(1/2) I].
//   solve_ratio      TESTING/LIN/dqrt16.f   |B - A X| / (max(n, d) |A| |X| eps), where B is in the range of A
//   row_space_ratio  TESTING/LIN/dqrt14.f   max |X - V V'X| / (max |X| max(n, d, t) eps): X in the row space of A, of
//                                           which V is a basis: the minimum norm. LAPACK takes a QR of [A', X] without
//                                           pivoting, which sees nothing when n >= d; V sees a deficient rank, too.
//   singular_ratio   TESTING/LIN/dqrt12.f   sum |s - svd(A)| / (|s|_2 max(n, d) eps)
//   system_ratio     TESTING/LIN/dpot02.f   |B - A X| / (|A| |X| eps), A symmetric. (dpot01.f, |L L' - A| / (n |A|
//                                           eps), needs L, which the interface does not show.)
//                                           An intercept: [A 1; 1' 0] [X; b] = [B; 0] over |A| |X| + n |b|, and
//                                           |1'X| / (|X| eps)
//   inverse_ratio    TESTING/LIN/dpot03.f   |I - A X| / (n |A| |X| eps), X for the inverse of A
//
// An intercept makes A = [1 A_c] with centred columns. It is a block of its own, so that no unit of x is beside that of
// the ones: R'A in two ratios, |A| |X| = |1| |b| + |A_c| |w|. W^(1/2) goes into A and B. X may be so small that it is
// rounded to subnormal numbers: an error of that size is none.
#pragma once

#include "digits/designs.hpp"

namespace digits {

inline constexpr Real eps = 0x1p-53L;
inline constexpr Real smallest = 0x1p-1074L;  // of the doubles that are not zero

inline Real column_sum(const Dense& a, std::int64_t j) {
  Real sum = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) sum += std::abs(a(i, j));
  return sum;
}

// The 1-norm: the largest column sum.
inline Real norm(const Dense& a) {
  Real out = 0;
  for (std::int64_t j = 0; j < a.cols; ++j) out = std::max(out, column_sum(a, j));
  return out;
}

inline Real max_entry(const Dense& a, std::int64_t j) {
  Real out = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) out = std::max(out, std::abs(a(i, j)));
  return out;
}

// 0 / 0 is 0: nothing is wrong.
inline Real ratio(Real error, Real size) {
  return error == 0 ? 0 : error / (size * eps);
}

inline Real largest_size(std::initializer_list<std::int64_t> all) {
  return static_cast<Real>(std::max(all));
}

// A = W^(1/2) X, less the weighted means with an intercept; the ones times W^(1/2); B = W^(1/2) Y.
struct LinearProblem {
  Dense a, y;
  std::vector<Real> mean, root;  // of the columns of x; W^(1/2)
  bool intercept = false;

  LinearProblem(const Matrix& x, const Matrix& right, bool with_intercept, const Vector& weights = {})
      : a(support::to_real(x)),
        y(support::to_real(right)),
        mean(static_cast<std::size_t>(x.cols)),
        root(static_cast<std::size_t>(x.rows), 1),
        intercept(with_intercept) {
    for (std::size_t i = 0; i < weights.size(); ++i) root[i] = std::sqrt(Real(weights[i]));
    Real total = 0;
    for (const Real value : root) total += value * value;
    for (std::int64_t k = 0; k < a.cols; ++k) {
      Real& m = mean[static_cast<std::size_t>(k)];
      for (std::int64_t i = 0; intercept && i < a.rows; ++i) m += weight(i) * a(i, k) / total;
      for (std::int64_t i = 0; i < a.rows; ++i) a(i, k) = (a(i, k) - m) * root[static_cast<std::size_t>(i)];
    }
    for (std::int64_t j = 0; j < y.cols; ++j)
      for (std::int64_t i = 0; i < y.rows; ++i) y(i, j) *= root[static_cast<std::size_t>(i)];
  }

  Real weight(std::int64_t i) const { return root[static_cast<std::size_t>(i)] * root[static_cast<std::size_t>(i)]; }

  // W^(1/2) (Y - X w - b)
  Dense residual(const Matrix& w, const Vector& b) const {
    Dense r = y;
    for (std::int64_t j = 0; j < y.cols; ++j) {
      Real constant = b[static_cast<std::size_t>(j)];
      for (std::int64_t k = 0; k < a.cols; ++k) constant += mean[static_cast<std::size_t>(k)] * w(k, j);
      for (std::int64_t k = 0; k < a.cols; ++k)
        for (std::int64_t i = 0; i < a.rows; ++i) r(i, j) -= a(i, k) * w(k, j);
      for (std::int64_t i = 0; i < a.rows; ++i) r(i, j) -= constant * root[static_cast<std::size_t>(i)];
    }
    return r;
  }
};

inline Real normal_ratio(const LinearProblem& problem, const Dense& r, const Matrix& w, double lambda) {
  const Dense& a = problem.a;
  const Real size = norm(a);
  Real out = 0;
  for (std::int64_t j = 0; j < w.cols; ++j) {
    Real error = 0;
    for (std::int64_t k = 0; k < a.cols; ++k) {
      Real sum = -Real(lambda) * w(k, j);
      for (std::int64_t i = 0; i < a.rows; ++i) sum += a(i, k) * r(i, j);
      error = std::max(error, std::abs(sum) - Real(lambda) * smallest * static_cast<Real>(a.rows + a.cols));
    }
    if (std::isnan(error)) return error;
    const Real most = largest_size({a.rows, a.cols, w.cols});
    out = std::max(out, ratio(std::max(error, Real(0)), size * column_sum(problem.y, j) * most));
  }
  return out;
}

// |1'R| / (|1|_inf max(|B|, |1 m' X| + |A_c| |X|) max(n, d, t) eps), m the means: B - A X is a difference of these
inline Real ones_ratio(const LinearProblem& problem, const Dense& r, const Matrix& w) {
  const Dense& a = problem.a;
  Real out = 0;
  for (std::int64_t j = 0; j < r.cols; ++j) {
    Real sum = 0, fitted = 0;
    for (std::int64_t i = 0; i < r.rows; ++i) sum += problem.root[static_cast<std::size_t>(i)] * r(i, j);
    for (std::int64_t k = 0; k < a.cols; ++k)
      fitted += (static_cast<Real>(r.rows) * std::abs(problem.mean[static_cast<std::size_t>(k)]) + column_sum(a, k)) *
                std::abs(w(k, j));
    const Real size = std::max(column_sum(problem.y, j), fitted);
    out = std::max(out, ratio(std::abs(sum), size * largest_size({r.rows, a.cols, r.cols})));
  }
  return out;
}

inline Real solve_ratio(const LinearProblem& problem, const Dense& r, const Matrix& w, std::int64_t j) {
  Real constant = 0;  // |1| |b|, b that of the centred columns
  for (std::int64_t i = 0; i < r.rows && problem.intercept; ++i)
    constant += problem.root[static_cast<std::size_t>(i)] * problem.y(i, j);
  const Real size = std::abs(constant) + norm(problem.a) * column_sum(support::to_real(w), j);
  return ratio(column_sum(r, j), size * largest_size({r.rows, problem.a.cols}));
}

inline Real row_space_ratio(const Dense& v, const Matrix& x, std::int64_t most) {
  const Dense exact = support::to_real(x),
              inside = support::multiply(v, support::multiply(support::transpose(v), exact));
  Real out = 0;
  for (std::int64_t j = 0; j < x.cols; ++j) {
    Real error = 0;
    for (std::int64_t k = 0; k < x.rows; ++k) error = std::max(error, std::abs(exact(k, j) - inside(k, j)));
    error = std::max(error - static_cast<Real>(x.rows + most) * smallest, Real(0));
    out = std::max(out, ratio(error, max_entry(exact, j) * largest_size({most, x.rows, x.cols})));
  }
  return out;
}

inline Real singular_ratio(const std::vector<Real>& s, const std::vector<Real>& expected, std::int64_t most) {
  Real error = 0, square = 0;
  for (std::size_t k = 0; k < s.size(); ++k) {
    error += std::abs(s[k] - expected[k]);
    square += expected[k] * expected[k];
  }
  return ratio(error, std::sqrt(square) * static_cast<Real>(most));
}

inline Real system_ratio(const Dense& a, const Matrix& x, const Vector& b, const Dense& r) {
  const Real size = norm(a);
  const Dense exact = support::to_real(x);
  Real out = 0;
  for (std::int64_t j = 0; j < x.cols; ++j) {
    const Real constant = static_cast<Real>(a.rows) * std::abs(Real(b[static_cast<std::size_t>(j)]));
    out = std::max(out, ratio(column_sum(r, j), size * column_sum(exact, j) + constant));
  }
  return out;
}

// What c leaves of (K + lambda W^-1) c + b = Y and 1'c = 0.
struct Expansion {
  Dense a, r;
  Real sum = 0;  // the largest |1'c| / (|c| eps)

  Expansion(const Dense& k, const Matrix& y, const Vector& weights, double lambda, const Matrix& c, const Vector& b)
      : a(k), r(support::to_real(y)) {
    for (std::int64_t i = 0; i < a.rows; ++i)
      a(i, i) += weights.empty() ? Real(lambda) : Real(lambda) / weights[static_cast<std::size_t>(i)];
    const Dense product = support::multiply(a, support::to_real(c));
    for (std::int64_t j = 0; j < r.cols; ++j) {
      Real total = 0;
      for (std::int64_t i = 0; i < r.rows; ++i) {
        r(i, j) -= product(i, j) + b[static_cast<std::size_t>(j)];
        total += c(i, j);
      }
      sum = std::max(sum, ratio(std::abs(total), column_sum(support::to_real(c), j)));
    }
  }
};

// |I - A X| / (n |A| |X| eps)
inline Real inverse_ratio(const Dense& a, const Matrix& x) {
  const Dense inverse = support::to_real(x);
  Dense error = support::multiply(a, inverse);
  for (std::int64_t i = 0; i < a.rows; ++i) error(i, i) -= 1;
  return ratio(norm(error), norm(a) * norm(inverse) * static_cast<Real>(a.rows));
}

}  // namespace digits
