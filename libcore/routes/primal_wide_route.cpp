// Primal route for d >= m (m = n - q). X X' is not formed, as it squares the condition and mixes the units of the
// columns:
//     T = (Z'X_s)'  (d x m),   T P = Q [R; 0]  (scaled_qr.hpp),   R' = U_R diag(S) V_R'
//     B = Z P U_R,   Lambda = S^2,   V = Q [V_R; 0],   w_s = Q [V_R diag(S) g; 0]
// V is not formed. A new point phi has Q'phi = [h; rest], u = V'phi = V_R'h and |phi - V u| = |rest|, without a
// subtraction.
// Once: 2 n^2 d flops and an SVD of order m. Memory: n d for the reflectors, as much for their making, and n^2.
#include <algorithm>
#include <cmath>

#include "libcore/factor/contrast.hpp"
#include "libcore/factor/refinement.hpp"
#include "libcore/linalg/jacobi_svd.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/row_order.hpp"
#include "libcore/routes/linear_features.hpp"
#include "libcore/routes/primal_basis.hpp"
#include "libcore/routes/saved_route.hpp"
#include "libcore/routes/scaled_qr.hpp"
#include "libcore/spectrum/small_svd.hpp"

namespace freeridge {
namespace {

constexpr Index points_at_once = 64;      // on their way to T
constexpr Index directions_at_once = 64;  // formed for their noise

class Wide final : public PrimalBasis {
 public:
  Wide(ProblemPtr problem, Matrix basis, Array<double> noise, Array<double> singular_values, Matrix right, ScaledQr qr)
      : PrimalBasis(std::move(problem), std::move(basis), std::move(singular_values), std::move(noise)),
        right_(std::move(right)),
        qr_(std::move(qr)) {}

  void save(ByteWriter& out) const override {
    out.integer(saved_wide);
    out.numbers(s_);
    out.numbers(spectrum().noise);
    out.matrix(right_.view());
    qr_.save(out);
    out.matrix(basis());
  }

 protected:
  Matrix apply_v(ConstMatrixView u) const override {
    Matrix h(r(), u.cols), w(problem().d(), u.cols);
    gemm(Op::none, Op::none, 1, right_.view(), u, 0, h.view());
    qr_.expand(h.view(), w.view());
    return w;
  }

  void refine(Index first, Index count, Index steps, double lambda, Span<const double> inverse,
              Solution& solution) const override {
    const auto solve_normal = [&](MatrixView g) {  // V diag(inverse) V'g
      Matrix u(r(), g.cols);
      apply_v_transposed(g, u.view());
      copy(apply_v(scaled_rows(inverse, u.view()).view()).view(), g);
    };
    refine_hyperplane(problem(), solve_normal, lambda, first, count, steps, solution);
  }

  void project(const Points& points, Index first, double lambda, MatrixView z,
               const Covariances& variance) const override {
    Matrix rows(z.cols, problem().d()), phi(problem().d(), z.cols);
    linear_rows(problem(), points, first, rows.view());
    transpose(rows.view(), phi.view());
    apply_v_transposed(phi.view(), z);
    if (variance.wanted()) {
      variance.add(1, z, scaled_rows(unexplained(s_, lambda), z).view());
      const Matrix inside = apply_v(z);
      for (Index q = 0; q < z.cols; ++q)
        for (Index k = 0; k < phi.rows(); ++k) phi(k, q) -= inside(k, q);
      variance.add(1, phi.view());
    }
    multiply_rows(s_, z);
    problem().add_free_variance(points, first, lambda, variance);
  }

 private:
  // u = V'w
  void apply_v_transposed(ConstMatrixView w, MatrixView u) const {
    Matrix h(r(), w.cols);
    qr_.reduce(w, h.view());
    gemm(Op::transpose, Op::none, 1, right_.view(), h.view(), 0, u);
  }

  Matrix right_;  // V_R, m x m
  ScaledQr qr_;
};

// X_s' Z in the last m columns.
Matrix turned_points(const Problem& problem, const Contrast& contrast) {
  const Index n = problem.n(), d = problem.d();
  Matrix all(d, n), rows(std::min(points_at_once, n), d);
  for (Index row = 0; row < n; row += points_at_once) {
    const MatrixView tile = rows.view().row_range(0, std::min(points_at_once, n - row));
    problem.weighted_rows(row, tile);
    transpose(tile, all.view().columns(row, tile.rows));
    worked(4 * touched * static_cast<double>(tile.rows * d));
  }
  contrast.reduce_right(all.view());
  return all;
}

// U = P U_R and S from R; answers with V_R. The rows of R descend in size by the groups, and its columns by the
// weights; small_svd takes a matrix whose columns descend. Where weights differ widely, Jacobi's method keeps the
// digits of small columns of R, and with them those of light rows of B.
Matrix decompose(const ScaledQr& qr, Matrix triangle, bool wide, Span<double> s, MatrixView u) {
  const Index m = qr.m();
  Matrix right(m, m), other(m, m);
  if (!qr.several_groups()) {
    if (wide)
      jacobi_svd(triangle.view(), s, right.view(), other.view());
    else
      small_svd(triangle.view(), s, right.view(), other.view());
    transpose(other.view(), u);
    return right;
  }
  transpose(triangle.view(), right.view());
  triangle = Matrix();
  small_svd(right.view(), s, u, other.view());
  restore_rows(qr.pivots(), u);
  transpose(other.view(), right.view());
  return right;
}

// The noise of direction k: (c eps |D v_k|)^2, D the error norms of the features (small_svd.hpp, scaled_qr.hpp). Where
// S_k exceeds c eps max D the noise is taken to be (c eps max D)^2, and v_k is not formed.
Array<double> wide_noise(const ScaledQr& qr, Span<const double> explained, Span<const double> s,
                         ConstMatrixView right) {
  const double factor = rounding_of_rows(qr.d(), qr.m());
  const Array<double> norms = with_parts({qr.error_norms().begin(), qr.error_norms().end()}, explained);
  const double most = factor * (norms.empty() ? 0 : std::ranges::max(norms));
  Array<double> out(s.size(), most * most);
  const Index m = qr.m(), first = std::ranges::find_if(s, [&](double value) { return value <= most; }) - s.begin();
  for (Index k = first; k < m; k += directions_at_once) {
    const Index count = std::min(directions_at_once, m - k);
    Matrix v(qr.d(), count);
    qr.expand(right.columns(k, count), v.view());
    for (Index j = 0; j < count; ++j) {
      double mixed = 0;
      for (Index i = 0; i < qr.d(); ++i) mixed = std::hypot(mixed, norms[i] * v(i, j));
      worked(15 * nanosecond * static_cast<double>(qr.d()));
      out[k + j] = factor * mixed * (factor * mixed);
    }
  }
  return out;
}

}  // namespace

FactorizationPtr factorize_wide(ProblemPtr problem) {
  const Contrast contrast(problem->n(), problem->q1().view());
  const Index m = contrast.m();
  Stage stage(0, 0.1);
  Matrix points = turned_points(*problem, contrast);
  report(1);
  Matrix basis(problem->n(), m), triangle(m, m);
  stage.next(0.7);
  ScaledQr qr(std::move(points), triangle.view());
  require_finite_squares(qr.error_norms(), "x");
  Array<double> s(m);
  stage.next(0.98);
  Matrix right =
      decompose(qr, std::move(triangle), weight_span(problem->weights) > wide_weights, s, contrast.rows(basis.view()));
  contrast.expand(basis.view());
  require_finite_squares(s, "x");
  stage.next(1);
  Array<double> noise = wide_noise(qr, problem->explained_norms(), s, right.view());
  drop_noise(s, noise);
  report(1);
  return std::make_shared<Wide>(std::move(problem), std::move(basis), std::move(noise), std::move(s), std::move(right),
                                std::move(qr));
}

FactorizationPtr load_wide(ProblemPtr problem, ByteReader& in) {
  const Index m = problem->degrees();
  if (problem->d() < m) fail(Status::corrupt, "the saved way to B needs as many features as points");
  Array<double> s = load_scales(in, "the singular values", std::sqrt(any_finite), m, false);
  Array<double> noise = load_scales(in, "the noise", any_finite, m, false);
  Matrix right = in.matrix("V", orthonormal, m, m);
  ScaledQr qr(in, problem->d(), m);
  Matrix basis = in.matrix("B", orthonormal, problem->n(), m);
  return std::make_shared<Wide>(std::move(problem), std::move(basis), std::move(noise), std::move(s), std::move(right),
                                std::move(qr));
}

}  // namespace freeridge
