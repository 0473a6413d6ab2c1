// Primal route, for linear kernels with d < m (m = n or n - 1; d >= m: primal_wide.cpp):
//     X_s = W^(1/2) (X - 1 shift') diag(scale)^-1,   Z'X_s = Q R,   R = U_R diag(S) V',   B = Z Q U_R,   Lambda = S^2
// and w_s = V diag(S) g.
// Few numbers: Householder QR of X_s and Q kept, so that B is orthonormal to rounding whatever the condition; memory 2
// n d and about 7 d^2; for d >= n the SVD of Z'X_s itself. About 6 n d^2 flops.
// Many: X_s is streamed (features.hpp), 2 n d^2 by blocks of rows, or n d^2 by the Gram matrix; B is formed at each
// pass.
#include <algorithm>
#include <cmath>

#include "libcore/factor/linear_features.hpp"
#include "libcore/factor/saved.hpp"
#include "libcore/factor/small_svd.hpp"
#include "libcore/factor/spectrum.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr Index kept_doubles = 1 << 21;  // X_s and B of at most 16 MiB each are kept

class Primal final : public StoredSpectrum {
 public:
  Primal(ProblemPtr problem, Matrix basis, std::vector<double> eigenvalues, std::vector<double> noise,
         std::vector<double> singular_values, Matrix vt, Matrix r)
      : StoredSpectrum(std::move(problem), std::move(basis), std::move(eigenvalues), std::move(noise)),
        s_(std::move(singular_values)),
        vt_(std::move(vt)),
        r_(std::move(r)) {}

  Route route() const override { return Route::primal; }
  void save(ByteWriter& out) const override {
    out.integer(saved_kept);
    out.numbers(s_);
    out.numbers(spectrum().noise);
    out.matrix(vt_.view());
    save_triangle(out, r_.view(), Triangle::upper);
    out.matrix(basis());
  }

 protected:
  void solve(Index first, ConstMatrixView g, Solution& solution) const override {
    Matrix scaled(g.rows, g.cols), w_s(problem().d(), g.cols, 0.0);
    for (Index j = 0; j < g.cols; ++j)
      for (Index k = 0; k < g.rows; ++k) scaled(k, j) = s_[static_cast<std::size_t>(k)] * g(k, j);
    gemm(Op::transpose, Op::none, 1, vt_.view(), scaled.view(), 0, w_s.view());
    set_hyperplane(problem(), first, w_s.view(), solution);
  }

  void refine(Index first, Index count, Index steps, double lambda, std::span<const double> inverse, Solution& solution,
              const Progress& progress) const override {
    refine_features(problem(), r_.view(), vt_.view(), inverse, lambda, first, count, steps, solution, progress);
  }

  void project(const LayoutView& points, Index first, double lambda, MatrixView z,
               std::span<double> variance) const override {
    Matrix phi(z.cols, problem().d());
    LinearFeatures(problem()).raw(points, first, phi.view());
    project_features(problem(), phi.view(), vt_.view(), s_, lambda, z, variance);
  }

 private:
  std::vector<double> s_;
  Matrix vt_;  // r x d
  Matrix r_;   // R, d x d, upper triangle; empty for m <= d, which files may have
};

FactorizationPtr factorize_kept(ProblemPtr problem, const Progress& progress) {
  const Index n = problem->n(), d = problem->d();
  const Contrast contrast(n, problem->q1);
  Matrix x(n, d);
  LinearFeatures(*problem).raw(problem->x, 0, x.view());
  for (Index k = 0; k < d; ++k)
    for (Index i = 0; i < n; ++i) {
      x(i, k) *= problem->sqrt_w[static_cast<std::size_t>(i)];
      if (!std::isfinite(x(i, k))) fail(Status::not_finite, "x[", i, ", ", k, "], weighted and scaled, overflows");
    }
  const MatrixView zx = contrast.reduce(x.view());
  const std::vector<double> norms = column_norms(zx);
  require_finite_squares(norms, "x");
  Matrix basis(n, d), vt(d, d);
  std::vector<double> s(static_cast<std::size_t>(d)), tau(static_cast<std::size_t>(d));
  const MatrixView u = contrast.rows(basis.view());
  progress.report(0.1);

  {
    const Stage stage(progress.part(0.1, 0.5), 0);
    geqrf(zx, tau);
  }
  Matrix upper(d, d, 0.0), triangle(d, d);
  for (Index j = 0; j < d; ++j) std::copy_n(zx.col(j), j + 1, upper.col(j));
  std::copy(upper.values().begin(), upper.values().end(), triangle.values().begin());
  for (double& value : basis.values()) value = 0;
  {
    const Stage stage(progress.part(0.5, 0.7), 0);
    small_svd(upper.view(), s, u.row_range(0, d), vt.view());
  }
  {
    const Stage stage(progress.part(0.7, 1), 0);
    ormqr(zx, tau, u);
  }
  contrast.expand(basis.view());
  progress.report(1);

  require_finite_squares(s, "x");
  std::vector<double> eigenvalues = squares(s);
  std::vector<double> noise = direction_noise(norms, vt.view(), n);
  return std::make_shared<Primal>(std::move(problem), std::move(basis), std::move(eigenvalues), std::move(noise),
                                  std::move(s), std::move(vt), std::move(triangle));
}

}  // namespace

FactorizationPtr load_primal(ProblemPtr problem, ByteReader& in) {
  if (!problem->linear()) fail(Status::corrupt, "the saved route is PRIMAL, but the kernel is not linear");
  const std::int64_t way = in.integer("way to B", saved_kept, saved_wide);
  if (way == saved_wide) return load_wide(std::move(problem), in);
  if (way == saved_streamed) {
    auto map = std::make_unique<LinearFeatures>(*problem);
    return load_streamed(std::move(problem), Route::primal, std::move(map), in);
  }
  const Index n = problem->n(), d = problem->d(), m = problem->degrees(), r = std::min(m, d);
  std::vector<double> s = load_scales(in, "the singular values", std::sqrt(any_finite), r, false);
  std::vector<double> noise = load_scales(in, "the noise", any_finite, r, false), eigenvalues = squares(s);
  Matrix vt = in.matrix("V'", orthonormal, r, d), triangle;
  if (m > d) {
    in.require("R", triangle_numbers(d));
    triangle = Matrix(d, d, 0.0);
    load_triangle(in, "R", triangle.view(), Triangle::upper);
  }
  Matrix basis = in.matrix("B", orthonormal, n, r);
  return std::make_shared<Primal>(std::move(problem), std::move(basis), std::move(eigenvalues), std::move(noise),
                                  std::move(s), std::move(vt), std::move(triangle));
}

bool primal_streams(Index n, Index d, Reduction reduction) {
  return d < n && (reduction == Reduction::gram || n > kept_doubles / d);
}

FactorizationPtr factorize_primal(ProblemPtr problem, Reduction reduction, const Progress& progress) {
  if (problem->degrees() <= problem->d()) return factorize_wide(std::move(problem), progress);
  if (!primal_streams(problem->n(), problem->d(), reduction)) return factorize_kept(std::move(problem), progress);
  auto map = std::make_unique<LinearFeatures>(*problem);
  return factorize_streamed(std::move(problem), Route::primal, std::move(map),
                            reduction == Reduction::gram ? Reduction::gram : Reduction::qr, progress);
}

}  // namespace freeridge
