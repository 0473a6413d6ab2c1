// What reduced features answer: the new points in their directions, and refined solutions.
#include <algorithm>
#include <cmath>

#include "libcore/factor/refinement.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/routes/feature_reduction.hpp"
#include "libcore/spectrum/spectrum.hpp"
#include "libcore/spectrum/stacked_triangle.hpp"

namespace freeridge {

Array<double> unexplained(Span<const double> s, double lambda) {
  Array<double> out;
  for (const double value : s) out.push_back(value * value > 0 ? lambda / (value * value + lambda) : 1);
  return out;
}

void project_features(ConstMatrixView phi, ConstMatrixView vt, Span<const double> s, double lambda, MatrixView z,
                      const Covariances& variance) {
  gemm(Op::none, Op::transpose, 1, vt, phi, 0, z);
  if (variance.wanted()) variance.add(1, z, scaled_rows(unexplained(s, lambda), z).view());
  if (variance.wanted() && vt.rows < vt.cols) {
    Matrix rest(vt.cols, z.cols);
    transpose(phi, rest.view());
    gemm(Op::transpose, Op::none, -1, vt, z, 1, rest.view());
    variance.add(1, rest.view());
  }
  for (Index q = 0; q < z.cols; ++q)
    for (Index k = 0; k < z.rows; ++k) z(k, q) *= s[k];
}

void subtract_parts(const Problem& problem, const Points& points, Index first, ConstMatrixView parts, MatrixView phi) {
  if (problem.q() == 0) return;
  Matrix g(problem.q(), phi.rows);
  problem.directions(points, first, g.view());
  for (Index p = 0; p < g.cols(); ++p)
    for (Index k = 0; k < g.rows(); ++k) g(k, p) *= problem.unpenalised.nu(k);
  gemm(Op::transpose, Op::transpose, -1, g.view(), parts, 1, phi);
}

void refine_features(const Problem& problem, ConstMatrixView r, ConstMatrixView vt, Span<const double> inverse,
                     double lambda, Index first, Index count, Index steps, Solution& solution) {
  const Index p = vt.cols;
  const bool regular = r.rows == p && p > 0 && static_cast<Index>(inverse.size()) == p &&
                       std::ranges::all_of(inverse, [](double value) { return value > 0; });
  if (!regular) {
    const auto solve = [&](MatrixView g) {
      Matrix u(vt.rows, g.cols);
      gemm(Op::none, Op::none, 1, vt, g, 0, u.view());
      gemm(Op::transpose, Op::none, 1, vt, scaled_rows(inverse, u.view()).view(), 0, g);
    };
    return refine_hyperplane(problem, solve, lambda, first, count, steps, solution);
  }

  Matrix stack(2 * p, p, 0.0);
  for (Index j = 0; j < p; ++j) {
    std::copy_n(r.col(j), j + 1, stack.col(j));
    stack(p + j, j) = std::sqrt(lambda);
  }
  const StackedTriangle triangle(stack.view(), p);
  const auto solve = [&](MatrixView g) {
    const auto divide = [&] {
      for (Index j = 0; j < g.cols; ++j)
        for (Index k = 0; k < p; ++k) g(k, j) /= triangle.norms[k];
    };
    divide();
    trsm(Op::none, triangle.l.view(), g);
    trsm(Op::transpose, triangle.l.view(), g);
    divide();
  };
  refine_hyperplane(problem, solve, lambda, first, count, steps, solution);
}

}  // namespace freeridge
