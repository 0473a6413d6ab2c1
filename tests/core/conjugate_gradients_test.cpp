// Conjugate gradients on a block of columns, each with its own shift: against elimination in long double.
#include "libcore/linalg/conjugate_gradients.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"
#include "support/gauss.hpp"
#include "support/random.hpp"

namespace {

using namespace support;
using freeridge::Array;
using freeridge::ColumnEnd;
using freeridge::ConstMatrixView;
using freeridge::Index;
using freeridge::MatrixView;
using freeridge::ShiftedSystem;
using freeridge::Span;
using freeridge::StoppingRule;
using Measure = StoppingRule::Measure;

constexpr Index n = 40;
const Array<double> lambdas = {1e3, 1e-3, 1, 1e12, 0.5};
constexpr Index columns = 5;

// A = B B' with B n x 12; right-hand sides of norm 1, but for one that is zero.
struct Example {
  freeridge::Matrix a{n, n}, b{n, columns}, x{n, columns, 0.0}, r{n, columns};
  Index products = 0;
  Array<Index> widths;

  Example() {
    Random random(7);
    freeridge::Matrix half(n, 12);
    for (double& value : half.values()) value = random.normal();
    gemm(freeridge::Op::none, freeridge::Op::transpose, 1, half.view(), half.view(), 0, a.view());
    for (double& value : b.values()) value = random.normal() / std::sqrt(double{n});
    for (Index i = 0; i < n; ++i) b(i, 4) = 0;
    freeridge::copy(b.view(), r.view());
  }
  ShiftedSystem system(bool with_diagonal = true) {
    return {[this](ConstMatrixView p, MatrixView out) {
              gemm(freeridge::Op::none, freeridge::Op::none, 1, a.view(), p, 0, out);
              ++products;
              widths.push_back(p.cols);
            },
            [this, with_diagonal](ConstMatrixView residual, Span<const Index> which, MatrixView z) {
              for (Index j = 0; j < z.cols; ++j)
                for (Index i = 0; i < n; ++i)
                  z(i, j) = residual(i, j) / (with_diagonal ? a(i, i) + lambdas[which[j]] : 1);
            },
            lambdas};
  }
  // |x_j - elimination's|, relative
  double error(Index j) const {
    Dense matrix(n, n), right(n, 1);
    for (Index i = 0; i < n; ++i) {
      right(i, 0) = b(i, j);
      for (Index k = 0; k < n; ++k) matrix(i, k) = a(i, k) + (i == k ? Real(lambdas[j]) : Real(0));
    }
    const Dense exact = solve(matrix, right);
    Real difference = 0, size = 0;
    for (Index i = 0; i < n; ++i) {
      difference += (exact(i, 0) - x(i, j)) * (exact(i, 0) - x(i, j));
      size += exact(i, 0) * exact(i, 0);
    }
    return static_cast<double>(std::sqrt(size > 0 ? difference / size : difference));
  }
};

TEST(ConjugateGradients, SolvesEachColumnWithItsShift) {
  for (const bool with_diagonal : {true, false})
    for (const Measure measure : {Measure::euclidean, Measure::preconditioned, Measure::relative}) {
      Example e;
      Array<double> targets(columns, 1e-28);
      if (measure == Measure::preconditioned && with_diagonal)
        for (Index j = 0; j < columns; ++j) targets[j] /= lambdas[j] + 1;
      const Array<ColumnEnd> ends =
          conjugate_gradients(e.system(with_diagonal), {measure, targets, 500}, e.x.view(), e.r.view());
      for (Index j = 0; j < columns; ++j) {
        EXPECT_TRUE(ends[j].converged && !ends[j].broken) << j;
        EXPECT_LE(ends[j].square, targets[j] * (measure == Measure::relative ? ends[j].below : 1));
        EXPECT_LE(e.error(j), 1e-9) << j;
      }
      EXPECT_EQ(ends[4].steps, 0);
    }
}

TEST(ConjugateGradients, ColumnsLeave) {
  Example e;
  const Array<double> targets(columns, 1e-20);
  const Array<ColumnEnd> ends =
      conjugate_gradients(e.system(), {Measure::euclidean, targets, 500}, e.x.view(), e.r.view());
  Index longest = 0;
  for (const ColumnEnd& end : ends) longest = std::max(longest, end.steps);
  EXPECT_EQ(e.products, longest);
  for (Index step = 0; step < e.products; ++step) {
    Index expected = 0;
    for (const ColumnEnd& end : ends) expected += end.steps > step;
    EXPECT_EQ(e.widths[step], expected);
  }
  EXPECT_LT(ends[3].steps, ends[1].steps);
}

TEST(ConjugateGradients, TheResidualIsThatOfItsColumn) {
  Example e;
  const Array<double> targets(columns, 1e-6);
  (void)conjugate_gradients(e.system(), {Measure::euclidean, targets, 500}, e.x.view(), e.r.view());
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < n; ++i) {
      double value = e.b(i, j) - lambdas[j] * e.x(i, j);
      for (Index k = 0; k < n; ++k) value -= e.a(i, k) * e.x(k, j);
      EXPECT_NEAR(e.r(i, j), value, 1e-10);
    }
}

TEST(ConjugateGradients, GoesOnFromAStart) {
  Example e;
  const Array<double> rough(columns, 1e-4), fine(columns, 1e-26);
  const Array<ColumnEnd> first =
      conjugate_gradients(e.system(), {Measure::euclidean, rough, 500}, e.x.view(), e.r.view());
  const Array<ColumnEnd> second =
      conjugate_gradients(e.system(), {Measure::euclidean, fine, 500}, e.x.view(), e.r.view());
  for (Index j = 0; j < columns; ++j) {
    EXPECT_TRUE(first[j].converged && second[j].converged);
    EXPECT_LE(e.error(j), 1e-9);
  }
}

TEST(ConjugateGradients, StopsWhenToldTo) {
  Example e;
  const Array<double> targets(columns, 0.0);
  const Array<ColumnEnd> ends =
      conjugate_gradients(e.system(), {Measure::euclidean, targets, 2}, e.x.view(), e.r.view());
  for (Index j = 0; j < 3; ++j) {
    EXPECT_EQ(ends[j].steps, 2);
    EXPECT_FALSE(ends[j].converged || ends[j].broken);
  }
  EXPECT_TRUE(ends[4].converged);  // the right-hand side is zero
}

// What is not positive definite, or overflows, leaves; the other columns go on.
TEST(ConjugateGradients, SeesWhatItCannotSolve) {
  for (const double sign : {-1.0, std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    Example e;
    ShiftedSystem system = e.system();
    system.apply = [&](ConstMatrixView p, MatrixView out) {
      for (Index j = 0; j < p.cols; ++j)
        for (Index i = 0; i < n; ++i) out(i, j) = sign * 1e9 * static_cast<double>(i % 2 * (i + 1)) * p(i, j);
    };
    const Array<double> targets(columns, 1e-20);
    const Array<ColumnEnd> ends =
        conjugate_gradients(system, {Measure::preconditioned, targets, 500}, e.x.view(), e.r.view());
    EXPECT_FALSE(ends[1].converged) << sign;
    if (sign == -1) {
      EXPECT_TRUE(ends[1].broken);
      EXPECT_TRUE(ends[3].converged && !ends[3].broken);
    }
    for (const double value : e.x.values()) EXPECT_TRUE(std::isfinite(value)) << sign;
  }
}

TEST(ConjugateGradients, IsCancelled) {
  Example e;
  const auto run = [&] {
    int calls = 0;
    const freeridge::Hearing hearing(
        {[](double, void* count) { return std::int32_t(++*static_cast<int*>(count) > 3); }, &calls});
    const Array<double> targets(columns, 1e-28);
    (void)conjugate_gradients(e.system(), {Measure::euclidean, targets, 500}, e.x.view(), e.r.view());
  };
  try {
    run();
    FAIL() << "was not cancelled";
  } catch (const freeridge::Error& error) {
    EXPECT_EQ(error.status(), freeridge::Status::cancelled);
  }
}

}  // namespace
