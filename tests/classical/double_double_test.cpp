// Error-free transforms and the refinement made of them, in the core itself.
#include <gtest/gtest.h>

#include <algorithm>

#include "libcore/linalg/refine.hpp"
#include "libcore/linalg/threads.hpp"
#include "support/compare.hpp"
#include "support/quad.hpp"
#include "support/random.hpp"

namespace double_double_test {

using namespace support;
using freeridge::DoubleDouble;

// Numbers of very different sizes and of both signs.
double wild(Random& random, int range) {
  return std::ldexp(random.uniform(-1.0, 1.0), static_cast<int>(random.index(2 * range)) - range);
}

Quad value(DoubleDouble a) {
  return Quad(a.hi) + Quad(a.lo);
}

TEST(DoubleDoubles, TransformsAreExact) {
  Random random(81);
  for (int round = 0; round < 20000; ++round) {
    const double a = wild(random, 25), b = wild(random, 25);
    EXPECT_EQ(value(freeridge::two_sum(a, b)), Quad(a) + Quad(b));
    const DoubleDouble fused = freeridge::FusedProduct::of(a, b), split = freeridge::SplitProduct::of(a, b);
    EXPECT_EQ(value(fused), Quad(a) * Quad(b));
    EXPECT_EQ(fused.hi, split.hi);
    EXPECT_EQ(fused.lo, split.lo);
  }
}

TEST(DoubleDoubles, ArithmeticHasTwiceTheDigits) {
  Random random(82);
  const auto number = [&] { return freeridge::two_sum(wild(random, 5), 0x1p-54 * wild(random, 5)); };
  for (int round = 0; round < 20000; ++round) {
    const DoubleDouble a = number(), b = number();
    const auto expect_close = [](DoubleDouble actual, Quad expected) {
      EXPECT_LE(absolute(value(actual) - expected), Quad(0x1p-100) * absolute(expected));
    };
    expect_close(a * b, value(a) * value(b));
    expect_close(a / b, value(a) / value(b));
    expect_close(a + b, value(a) + value(b));
    expect_close(a - b, value(a) - value(b));
  }
}

TEST(DoubleDoubles, SumsOfProductsThatCancel) {
  Random random(83);
  for (const std::int64_t n : {0, 1, 7, 8, 9, 1000}) {
    Vector x(static_cast<std::size_t>(n)), hi(x.size()), lo(x.size());
    Quad expected = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = wild(random, 20);
      hi[i] = wild(random, 20);
      lo[i] = hi[i] * 0x1p-55 * random.uniform(-1.0, 1.0);
      expected += Quad(x[i]) * (Quad(hi[i]) + Quad(lo[i]));
      size += absolute(Quad(x[i]) * Quad(hi[i]));
    }
    const Quad error = value(freeridge::twofold_dot(n, x.data(), hi.data(), lo.data())) - expected;
    EXPECT_LE(absolute(error), Quad(static_cast<double>(n) * 0x1p-102) * size);

    // The same sum as an update of a number: hi + lo - x w
    const DoubleDouble w = {0.7, 0.7 * 0x1p-55};
    Vector new_hi = hi, new_lo = lo;
    freeridge::subtract_multiple(n, x.data(), w, new_hi.data(), new_lo.data());
    freeridge::twofold_normalize(n, new_hi.data(), new_lo.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Quad exact = Quad(hi[i]) + Quad(lo[i]) - Quad(x[i]) * value(w);
      EXPECT_LE(absolute(Quad(new_hi[i]) + Quad(new_lo[i]) - exact),
                Quad(0x1p-102) * (absolute(Quad(hi[i])) + absolute(Quad(x[i]))));
    }
  }
}

freeridge::LayoutView view(const Packed& a, std::int64_t rows, std::int64_t cols) {
  return {a.values.data(), rows, cols, a.ld, static_cast<freeridge::Layout>(a.layout)};
}

// (X_c'W X_c + diag p)^-1 in long double, rounded and spoilt by one part in a thousand: a poor solver, as a
// factorization of an ill-conditioned matrix is.
freeridge::NormalSolver spoilt_solver(const QuadMatrix& normal, double spoil) {
  QuadMatrix identity(normal.rows, normal.rows);
  for (std::int64_t k = 0; k < normal.rows; ++k) identity(k, k) = 1;
  const Matrix inverse = to_double(solve(normal, identity));
  return [inverse, spoil](freeridge::MatrixView g) {
    for (std::int64_t j = 0; j < g.cols; ++j) {
      Vector out(static_cast<std::size_t>(g.rows), 0.0);
      for (std::int64_t k = 0; k < g.rows; ++k)
        for (std::int64_t i = 0; i < g.rows; ++i)
          out[static_cast<std::size_t>(i)] += (1 + spoil * static_cast<double>(i % 3 - 1)) * inverse(i, k) * g(k, j);
      std::copy(out.begin(), out.end(), g.col(j));
    }
  };
}

TEST(Refine, WeightedPenalisedLeastSquares) {
  Random random(84);
  const std::int64_t n = 1300, d = 5, t = 2;  // more than one tile
  Matrix x = random.uniform_matrix(n, d, 5.0, 6.0);
  const Matrix y = random.uniform_matrix(n, t, -1.0, 1.0);
  const Vector weights = random.uniform_vector(n, 0.2, 2.0), penalty = {0.5, 0.0, 3.0, 0.0, 1e-3};
  const Vector x_factor = {1, 2, 0.5, 1, 4}, y_factor = {1, 8};
  for (const bool intercept : {true, false}) {
    QuadMatrix a = to_quad(x), b = to_quad(y), normal(d, d), rhs(d, t);
    std::vector<Quad> mean(d + t, 0);
    Quad total = 0;
    for (std::int64_t k = 0; k < d; ++k)
      for (std::int64_t i = 0; i < n; ++i) a(i, k) *= x_factor[static_cast<std::size_t>(k)];
    for (std::int64_t j = 0; j < t; ++j)
      for (std::int64_t i = 0; i < n; ++i) b(i, j) *= y_factor[static_cast<std::size_t>(j)];
    for (const double w : weights) total += w;
    const auto centre = [&](QuadMatrix& m, std::size_t first) {
      for (std::int64_t k = 0; k < m.cols && intercept; ++k) {
        Quad& average = mean[first + static_cast<std::size_t>(k)];
        for (std::int64_t i = 0; i < n; ++i) average += weights[static_cast<std::size_t>(i)] * m(i, k) / total;
        for (std::int64_t i = 0; i < n; ++i) m(i, k) -= average;
      }
    };
    centre(a, 0);
    centre(b, d);
    for (std::int64_t k = 0; k < d; ++k) {
      normal(k, k) = penalty[static_cast<std::size_t>(k)];
      for (std::int64_t i = 0; i < n; ++i) {
        const Quad weighted = weights[static_cast<std::size_t>(i)] * a(i, k);
        for (std::int64_t l = 0; l < d; ++l) normal(k, l) += weighted * a(i, l);
        for (std::int64_t j = 0; j < t; ++j) rhs(k, j) += weighted * b(i, j);
      }
    }
    const QuadMatrix expected = solve(normal, rhs);
    for (const auto layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
      const Packed px = pack(x, layout, 1), py = pack(y, layout, 2);
      const freeridge::LeastSquaresData data{view(px, n, d), view(py, n, t), weights, intercept,
                                             penalty,        x_factor,       y_factor};
      freeridge::LeastSquaresSolution solution(d, t);
      const freeridge::Refinement done = refine(data, spoilt_solver(normal, 1e-3), 40, solution);
      EXPECT_TRUE(done.converged);
      EXPECT_LE(done.steps, 12);
      for (std::int64_t j = 0; j < t; ++j) {
        Quad b_expected = intercept ? mean[static_cast<std::size_t>(d + j)] : Quad(0);
        for (std::int64_t k = 0; k < d; ++k) {
          b_expected -= intercept ? mean[static_cast<std::size_t>(k)] * expected(k, j) : Quad(0);
          EXPECT_LE(absolute(value(solution.w(k, j)) - expected(k, j)), Quad(1e-22));
        }
        EXPECT_LE(absolute(value(solution.b[static_cast<std::size_t>(j)]) - b_expected), Quad(1e-21));
      }
      {
        const freeridge::SingleThreadedBlas single;  // the same bits for any number of threads
        freeridge::LeastSquaresSolution again(d, t);
        refine(data, spoilt_solver(normal, 1e-3), 40, again);
        EXPECT_TRUE(std::ranges::equal(again.w.lo.values(), solution.w.lo.values()));
        EXPECT_TRUE(std::ranges::equal(again.w.hi.values(), solution.w.hi.values()));
      }
      freeridge::LeastSquaresSolution few(d, t);
      EXPECT_EQ(refine(data, spoilt_solver(normal, 1e-3), 2, few).steps, 2);
    }
  }
}

// Without a solver that brings it nearer, the solution stays where it is and this is said.
TEST(Refine, ASolverThatDivergesIsNoticed) {
  Random random(85);
  const Matrix x = random.uniform_matrix(20, 2, -1.0, 1.0), y = random.uniform_matrix(20, 1, -1.0, 1.0);
  const Packed px = pack(x, FREERIDGE_COL_MAJOR, 0), py = pack(y, FREERIDGE_COL_MAJOR, 0);
  const freeridge::LeastSquaresData data{view(px, 20, 2), view(py, 20, 1)};
  for (const double bad : {-1.0, 50.0, std::numeric_limits<double>::quiet_NaN()}) {
    freeridge::LeastSquaresSolution solution(2, 1);
    const freeridge::Refinement done = refine(
        data,
        [&](freeridge::MatrixView g) {
          for (std::int64_t k = 0; k < 2; ++k) g(k, 0) *= bad;
        },
        50, solution);
    EXPECT_FALSE(done.converged);
    EXPECT_LE(done.steps, 10);
    EXPECT_TRUE(std::isfinite(solution.w.hi(0, 0)));
  }
}

// (A + lambda I) g = v with a residual that the caller forms.
TEST(Refine, AnySystem) {
  Random random(86);
  for (const std::int64_t n : {1, 9, 80}) {
    Matrix a = random.uniform_matrix(n, n, -0.1, 0.1);
    for (std::int64_t i = 0; i < n; ++i) a(i, i) = static_cast<double>(n) / 8 + 1;
    const Matrix v = random.uniform_matrix(n, 2, -1.0, 1.0);
    const double lambda = 0.3, diagonal = a(0, 0) + lambda;
    const auto residual = [&](const freeridge::TwofoldMatrix& now, freeridge::TwofoldMatrix& r) {
      for (std::int64_t j = 0; j < 2; ++j) {
        for (std::int64_t i = 0; i < n; ++i)
          r.set(i, j, freeridge::DoubleDouble(v(i, j)) - freeridge::DoubleDouble(lambda) * now(i, j));
        for (std::int64_t k = 0; k < n; ++k)
          freeridge::subtract_multiple(n, &a(0, k), now(k, j), r.hi.col(j), r.lo.col(j));
        freeridge::twofold_normalize(n, r.hi.col(j), r.lo.col(j));
      }
    };
    freeridge::TwofoldMatrix g(n, 2);
    const freeridge::Refinement done = refine_system(
        residual,
        [&](freeridge::MatrixView r) {
          for (std::int64_t j = 0; j < 2; ++j)
            for (std::int64_t i = 0; i < n; ++i) r(i, j) /= diagonal;
        },
        200, g);
    EXPECT_TRUE(done.converged);
    for (std::int64_t j = 0; j < 2; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        Quad rest = Quad(v(i, j)) - Quad(lambda) * value(g(i, j));
        for (std::int64_t k = 0; k < n; ++k) rest -= Quad(a(i, k)) * value(g(k, j));
        EXPECT_LE(absolute(rest), Quad(1e-20));
      }
  }
}

}  // namespace double_double_test
