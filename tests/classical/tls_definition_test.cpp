// Total least squares against its definition, with several outputs: whether there is one solution, and that the errors it
// asks for are the smallest there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/classical.hpp"
#include "support/problems.hpp"

namespace tls_definition_test {

using namespace support;

// The columns of x and y with errors less their projection on the exact ones: C (Eckart and Young: it cannot become of
// rank d for less than the squares of its t smallest singular values), and of it the part of x.
struct Inner {
  QuadMatrix c, x_part;
  std::vector<std::int64_t> noisy;
};

Inner inner_problem(const RegressionData& data, const Labels& exact) {
  const std::int64_t n = data.x.rows;
  std::vector<Quad> fixed, others;
  Inner out;
  if (data.intercept) fixed.assign(static_cast<std::size_t>(n), 1);
  for (std::int64_t k = 0; k < data.x.cols; ++k) {
    const bool known = !exact.empty() && exact[static_cast<std::size_t>(k)] != 0;
    if (!known) out.noisy.push_back(k);
    for (std::int64_t i = 0; i < n; ++i) (known ? fixed : others).push_back(data.x(i, k));
  }
  for (const double value : data.y.values) others.push_back(value);
  QuadMatrix e(n, static_cast<std::int64_t>(fixed.size()) / n);
  out.c = QuadMatrix(n, static_cast<std::int64_t>(others.size()) / n);
  e.values = fixed;
  out.c.values = others;
  if (e.cols > 0) {
    const QuadMatrix t = transpose(e);
    out.c = subtract(out.c, multiply(e, solve(multiply(t, e), multiply(t, out.c))));
  }
  out.x_part = QuadMatrix(n, static_cast<std::int64_t>(out.noisy.size()));
  std::copy_n(out.c.values.begin(), out.x_part.values.size(), out.x_part.values.begin());
  return out;
}

// |[E F]|_F^2 of a solution: E Z = R, R the residuals and Z = [w; -I] of the noisy columns, is R (Z'Z)^-1 Z' at the
// least, whose square is trace((Z'Z)^-1 R'R).
Quad square_of_errors(const RegressionData& data, const Inner& inner, const Regression& fit) {
  const std::int64_t n = data.x.rows, t = data.y.cols;
  QuadMatrix gram(t, t), r = subtract(to_quad(data.y), multiply(to_quad(data.x), to_quad(fit.w)));
  for (std::int64_t j = 0; j < t; ++j) {
    for (std::int64_t i = 0; i < n; ++i) r(i, j) -= fit.b[static_cast<std::size_t>(j)];
    gram(j, j) = 1;
    for (std::int64_t l = 0; l < t; ++l)
      for (const std::int64_t k : inner.noisy) gram(l, j) += Quad(fit.w(k, l)) * fit.w(k, j);
  }
  const QuadMatrix part = solve(gram, multiply(transpose(r), r));
  Quad trace = 0;
  for (std::int64_t j = 0; j < t; ++j) trace += part(j, j);
  return trace;
}

// The only w that the definition leaves, -V_12 V_22^-1, against the one that was found.
double digits_of_w(const Inner& inner, const QuadSvd& svd, const Regression& fit) {
  const auto d = static_cast<std::int64_t>(inner.noisy.size()), t = svd.v.cols - d;
  QuadMatrix v12(t, d), v22(t, t);  // transposed
  Matrix found(t, d);
  for (std::int64_t j = 0; j < t; ++j) {
    for (std::int64_t k = 0; k < d; ++k) v12(j, k) = -svd.v(k, d + j);
    for (std::int64_t k = 0; k < t; ++k) v22(j, k) = svd.v(d + k, d + j);
    for (std::int64_t k = 0; k < d; ++k) found(j, k) = fit.w(inner.noisy[static_cast<std::size_t>(k)], j);
  }
  return norm_digits(found, solve(v22, v12));
}

Quad bound(const QuadSvd& svd, std::size_t d) {
  Quad sum = 0;
  for (std::size_t k = d; k < svd.s.size(); ++k) sum += svd.s[k] * svd.s[k];
  return sum;
}

// Data without a relation between x and y: with more than one output there is a solution, too, where x has singular
// values below those that [x y] loses. Every other one has two columns that are the same to 1e-1 to 1e-8.
TEST(TlsDefinition, TheBoundIsAttained) {
  Random random(56);
  int below = 0;
  for (const std::int64_t d : {1, 2, 3, 4})
    for (const std::int64_t t : {1, 2, 3})
      for (int round = 0; round < 16; ++round) {
        const bool one_exact = round % 2 == 1 && d > 1;
        RegressionData data;
        data.intercept = round % 4 < 2;
        data.x = random.uniform_matrix(d + t + 1 + round / 2, d, -1.0, 1.0);
        data.y = random.uniform_matrix(data.x.rows, t, -1.5, 1.5);
        for (std::int64_t i = 0; i < data.x.rows && d > 1 && round > 7; ++i)  // nearly the same column
          data.x(i, 0) = data.x(i, 1) + std::pow(10.0, 7 - round) * data.x(i, 0);
        Labels exact;
        if (one_exact) exact.assign(static_cast<std::size_t>(d), 0), exact.back() = 1;
        SCOPED_TRACE(testing::Message() << d << " features, " << t << " outputs, round " << round);
        const Regression fit = tls(data, exact, true);
        ASSERT_EQ(fit.status, FREERIDGE_OK) << freeridge_last_error();
        const Inner inner = inner_problem(data, exact);
        const QuadSvd svd = jacobi_svd(inner.c);
        const std::size_t kept = inner.noisy.size();
        below += jacobi_svd(inner.x_part).s.back() < svd.s[kept] ? 1 : 0;
        // What rounding of the data does to w: eps S_1 / gap in V, and |V_22^-1|, about |w|, times that in w.
        const auto gap = static_cast<double>((svd.s[kept - 1] - svd.s[kept]) / svd.s[0]);
        double size = 1;
        for (const double w : fit.w.values) size = std::max(size, std::abs(w));
        EXPECT_GE(digits_of_w(inner, svd, fit), 14.0 + std::log10(gap / size));
        const Quad excess = square_root(square_of_errors(data, inner, fit)) - square_root(bound(svd, kept));
        EXPECT_LE(absolute(excess), 1e-13 * svd.s[0]);
      }
  EXPECT_GE(below, 30);
}

// [x y] = U S V', U of signs orthogonal to the ones, V of signs or units in the order given: whole numbers.
RegressionData whole_numbers(const Vector& s, std::int64_t d, bool units, const std::vector<std::int64_t>& order,
                             Matrix& v) {
  const auto sign = [](std::int64_t i, std::int64_t k) {
    return __builtin_parity(static_cast<unsigned>(i & k)) != 0 ? -1.0 : 1.0;
  };
  RegressionData data{Matrix(8, d), Matrix(8, 4 - d), order[0] % 2 == 0};
  v = Matrix(4, 4);
  for (std::int64_t k = 0; k < 4; ++k)
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t column = order[static_cast<std::size_t>(k)];
      v(i, k) = units ? (i == column ? 1.0 : 0.0) : sign(i, column);
      for (std::int64_t row = 0; row < 8; ++row)
        (i < d ? data.x(row, i) : data.y(row, i - d)) += sign(row, k + 1) * s[static_cast<std::size_t>(k)] * v(i, k);
    }
  return data;
}

// Whether the null space of a best approximation of rank d can be written as [w; -I]: V's last t columns, of those with
// the singular value S_d = S_(d + 1) as many as there are places, drawn by chance.
bool has_hyperplane(const Vector& s, std::int64_t d, const Matrix& v, Random& random) {
  const std::int64_t t = 4 - d;
  const auto value = [&](std::int64_t k) { return s[static_cast<std::size_t>(k)]; };
  QuadMatrix last_rows(t, t);
  for (std::int64_t j = 0; j < t; ++j)
    for (std::int64_t k = 0; k < 4; ++k) {
      const bool drawn = value(d - 1) == value(d) && value(d + j) == value(d);
      const double factor = drawn ? (value(k) == value(d) ? random.uniform(-1, 1) : 0) : (k == d + j ? 1 : 0);
      for (std::int64_t i = 0; i < t; ++i) last_rows(i, j) += Quad(factor) * v(d + i, k);
    }
  return jacobi_svd(last_rows).s.back() > Quad(1e-9);
}

TEST(TlsDefinition, EqualSingularValues) {
  Random random(57);
  std::map<std::string, int> seen;
  for (const Vector& s : std::vector<Vector>{{5, 3, 2, 1},
                                             {5, 3, 3, 1},
                                             {5, 3, 1, 1},
                                             {5, 5, 3, 1},
                                             {3, 3, 3, 1},
                                             {5, 3, 3, 3},
                                             {3, 3, 3, 3},
                                             {5, 3, 0, 0},
                                             {5, 0, 0, 0},
                                             {0, 0, 0, 0}})
    for (const std::int64_t d : {1, 2, 3})
      for (const bool units : {false, true}) {
        std::vector<std::int64_t> order = {0, 1, 2, 3};
        do {
          Matrix v;
          const RegressionData data = whole_numbers(s, d, units, order, v);
          const bool tie = s[static_cast<std::size_t>(d - 1)] == s[static_cast<std::size_t>(d)];
          const std::string words = !has_hyperplane(s, d, v, random) ? "no solution exists"
                                    : tie                            ? "more than one solution exists"
                                                                     : "";
          ++seen[words];
          SCOPED_TRACE(testing::Message() << "S = " << s[0] << s[1] << s[2] << s[3] << ", d = " << d << ", units "
                                          << units << ", V " << order[0] << order[1] << order[2] << order[3]);
          const Regression fit = tls(data, {}, true);
          ASSERT_EQ(fit.status, words.empty() ? FREERIDGE_OK : FREERIDGE_UNDEFINED) << freeridge_last_error();
          if (words.empty()) {
            const Inner inner = inner_problem(data, {});
            EXPECT_GE(digits_of_w(inner, jacobi_svd(inner.c), fit), 14.0);
          } else {
            EXPECT_NE(std::string(freeridge_last_error()).find(words), std::string::npos) << freeridge_last_error();
            EXPECT_TRUE(std::isnan(fit.w(0, 0)) && std::isnan(fit.b[0])) << "an output was written";
          }
        } while (std::next_permutation(order.begin(), order.end()));
      }
  for (const char* kind : {"", "no solution exists", "more than one solution exists"})
    EXPECT_GT(seen[kind], 100) << kind;
}

}  // namespace tls_definition_test
