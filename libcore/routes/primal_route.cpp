// Primal route, for linear kernels with d < m (m = n - q; d >= m: primal_wide_route.cpp):
//     X_s = W^(1/2) (X - 1 shift') diag(scale)^-1,   Z'X_s = Q R,   R = U_R diag(S) V',   B = Z Q U_R,   Lambda = S^2
// and w_s = V diag(S) g.
// A small X_s: Householder QR of X_s with Q kept, so that B is orthonormal to rounding whatever the condition; for
// d >= n the SVD of Z'X_s itself. Memory 2 n d and about 7 d^2; about 6 n d^2 flops.
// A large X_s is streamed (feature_reduction.hpp), 2 n d^2 by blocks of rows, or n d^2 by the Gram matrix; B is formed
// anew in each pass.
#include <algorithm>
#include <cmath>
#include <functional>

#include "libcore/factor/contrast.hpp"
#include "libcore/linalg/jacobi_svd.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/row_order.hpp"
#include "libcore/routes/linear_features.hpp"
#include "libcore/routes/primal_basis.hpp"
#include "libcore/routes/primal_sparse_route.hpp"
#include "libcore/routes/saved_route.hpp"
#include "libcore/spectrum/small_svd.hpp"

namespace freeridge {
namespace {

constexpr Index kept_doubles = 1 << 21;  // X_s and B of at most 16 MiB each are kept

class Primal final : public PrimalBasis {
 public:
  Primal(ProblemPtr problem, Matrix basis, Array<double> noise, Array<double> singular_values, Matrix vt, Matrix r)
      : PrimalBasis(std::move(problem), std::move(basis), std::move(singular_values), std::move(noise)),
        vt_(std::move(vt)),
        r_(std::move(r)) {}

  void save(ByteWriter& out) const override {
    out.integer(saved_kept);
    out.numbers(s_);
    out.numbers(spectrum().noise);
    out.matrix(vt_.view());
    save_triangle(out, r_.view(), Triangle::upper);
    out.matrix(basis());
  }
  std::optional<FeatureSystem> feature_system(double lambda) const override {
    FeatureSystem out = make_feature_system(vt_.view(), s_, spectrum().noise, spectrum().gamma.view(), lambda);
    out.complement = complement();
    return out;
  }

 protected:
  Matrix apply_v(ConstMatrixView u) const override {
    Matrix w(problem().d(), u.cols, 0.0);
    gemm(Op::transpose, Op::none, 1, vt_.view(), u, 0, w.view());
    return w;
  }

  void refine(Index first, Index count, Index steps, double lambda, Span<const double> inverse,
              Solution& solution) const override {
    refine_features(problem(), r_.view(), vt_.view(), inverse, lambda, first, count, steps, solution);
  }

  void project(const Points& points, Index first, double lambda, MatrixView z,
               const Covariances& variance) const override {
    Matrix phi(z.cols, problem().d(), 0.0);
    linear_rows(problem(), points, first, phi.view());
    project_features(phi.view(), vt_.view(), s_, lambda, z, variance);
    problem().add_free_variance(points, first, lambda, variance);
  }

 private:
  Matrix vt_;  // r x d
  Matrix r_;   // R, d x d, upper triangle; empty for m <= d, which files may have
};

// The order of the rows: the heaviest first where weights differ widely, else as they stand. With heavy rows first the
// errors of Householder QR with column pivoting are in each row of that row's size (A. Cox, N. Higham, 1998), so that
// light rows of B keep their digits.
Array<Index> rows_in_order(const Problem& problem, bool wide) {
  Array<Index> order = consecutive(0, problem.n());
  if (wide) std::ranges::stable_sort(order, std::greater<>(), [&](Index i) { return problem.sqrt_w[i]; });
  return order;
}

// X_s weighted, its rows in that order.
Matrix weighted_rows(const Problem& problem, bool wide, Span<const Index> order) {
  const Index n = problem.n(), d = problem.d();
  Matrix x(n, d);
  problem.weighted_rows(0, x.view());
  if (wide) take_rows(order, x.view());
  return x;
}

// The SVD Z'X_s = U diag(S) V' by QR; U is written to the matrix that the caller hands over.
struct Directions {
  Array<double> s, noise;
  Matrix vt, triangle;
};

Directions tall_directions(MatrixView zx, Span<const double> norms, Index n, bool wide, MatrixView u) {
  const Index d = zx.cols;
  Directions out{Array<double>(d), {}, Matrix(d, d), Matrix(d, d)};
  Array<double> tau(d);
  Array<Index> order(d);
  Stage stage(0, 0.4);
  if (wide)
    geqp3(zx, 0, order, tau);
  else
    geqrf(zx, tau);
  Matrix upper(d, d, 0.0);
  for (Index j = 0; j < d; ++j) std::copy_n(zx.col(j), j + 1, upper.col(j));
  out.triangle = wide ? restored_columns(order, upper.view()) : copy_of(upper.view());
  if (wide) {  // a triangle again, of the columns in their own order
    Array<double> other_tau(d);
    geqrf(out.triangle.view(), other_tau);
  }
  stage.next(0.65);
  if (wide)
    jacobi_svd(upper.view(), out.s, u.row_range(0, d), out.vt.view());
  else
    small_svd(upper.view(), out.s, u.row_range(0, d), out.vt.view());
  if (wide) out.vt = restored_columns(order, out.vt.view());
  stage.next(1);
  ormqr(zx, tau, u);
  out.noise = direction_noise(norms, out.vt.view(), n);
  return out;
}

FactorizationPtr factorize_kept(ProblemPtr problem) {
  const Index n = problem->n(), d = problem->d();
  const bool wide = weight_span(problem->weights) > wide_weights;
  const Array<Index> order = rows_in_order(*problem, wide);
  const Contrast contrast(n, problem->q1_of(order).view());
  Matrix x = weighted_rows(*problem, wide, order), basis(n, d, 0.0);
  const MatrixView zx = contrast.reduce(x.view()), u = contrast.rows(basis.view());
  const Array<double> norms = with_parts(column_norms(zx), problem->explained_norms());
  require_finite_squares(norms, "x");
  report(0.1);

  const Stage stage(0.1, 1);
  Directions found = tall_directions(zx, norms, n, wide, u);
  contrast.expand(basis.view());
  if (wide) restore_rows(order, basis.view());
  report(1);

  require_finite_squares(found.s, "x");
  drop_noise(found.s, found.noise);
  return std::make_shared<Primal>(std::move(problem), std::move(basis), std::move(found.noise), std::move(found.s),
                                  std::move(found.vt), std::move(found.triangle));
}

}  // namespace

FactorizationPtr load_primal(ProblemPtr problem, ByteReader& in) {
  if (!problem->linear()) fail(Status::corrupt, "the saved route is PRIMAL, but the kernel is not linear");
  const std::int64_t way = in.integer("way to B", saved_kept, problem->x.is_sparse() ? saved_sparse : saved_wide);
  if (way == saved_sparse) return std::make_shared<SparsePrimal>(std::move(problem), in);
  if (way == saved_wide) return load_wide(std::move(problem), in);
  if (way == saved_streamed) {
    auto map = std::make_unique<LinearFeatures>(*problem);
    return load_streamed(std::move(problem), Route::primal, std::move(map), in);
  }
  const Index n = problem->n(), d = problem->d(), m = problem->degrees(), r = std::min(m, d);
  Array<double> s = load_scales(in, "the singular values", std::sqrt(any_finite), r, false);
  Array<double> noise = load_scales(in, "the noise", any_finite, r, false);
  Matrix vt = in.matrix("V'", orthonormal, r, d), triangle;
  if (m > d) triangle = load_triangle(in, "R", d, Triangle::upper);
  Matrix basis = in.matrix("B", orthonormal, n, r);
  return std::make_shared<Primal>(std::move(problem), std::move(basis), std::move(noise), std::move(s), std::move(vt),
                                  std::move(triangle));
}

bool primal_streams(Index n, Index d, Reduction reduction) {
  return d < n && (reduction == Reduction::gram || n > kept_doubles / d);
}

bool primal_is_sparse(bool sparse, Index n, Index d, Reduction reduction) {
  return sparse && d < n && reduction != Reduction::qr;
}

FactorizationPtr factorize_primal(ProblemPtr problem, Reduction reduction) {
  if (problem->d() <= problem->degrees() &&
      primal_is_sparse(problem->x.is_sparse(), problem->n(), problem->d(), reduction))
    return std::make_shared<SparsePrimal>(std::move(problem));
  if (problem->degrees() <= problem->d()) return factorize_wide(std::move(problem));
  if (!primal_streams(problem->n(), problem->d(), reduction)) return factorize_kept(std::move(problem));
  auto map = std::make_unique<LinearFeatures>(*problem);
  return factorize_streamed(std::move(problem), Route::primal, std::move(map),
                            reduction == Reduction::gram ? Reduction::gram : Reduction::qr);
}

}  // namespace freeridge
