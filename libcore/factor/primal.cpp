// Primal route, for linear kernels with d < n (it works for d >= n too, where the dual routes are cheaper):
//     X_s = W^(1/2) (X - 1 shift') diag(scale)^-1,   Z'X_s = Q R,   R = U_R diag(S) V',   B = Z Q U_R,   Lambda = S^2
// and w_s = V diag(S) g. By Householder QR and the SVD of R, never by the Gram matrix X'X, which squares the condition.
// Once: about 6 n d^2 + O(d^3) flops. Memory: 2 n d (X_s and B) and about 7 d^2; for d >= n the SVD of Z'X_s itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/factor/spectrum.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

class Primal final : public SpectrumFactorization {
 public:
  Primal(ProblemPtr problem, Matrix basis, std::vector<double> eigenvalues, double tolerance,
         std::vector<double> singular_values, Matrix vt)
      : SpectrumFactorization(std::move(problem), std::move(basis), std::move(eigenvalues), tolerance),
        s_(std::move(singular_values)),
        vt_(std::move(vt)) {}

  Route route() const override { return Route::primal; }

 protected:
  void solve(Index first, ConstMatrixView g, Solution& solution) const override {
    Matrix scaled(g.rows, g.cols), w_s(problem().d(), g.cols, 0.0);
    for (Index j = 0; j < g.cols; ++j)
      for (Index k = 0; k < g.rows; ++k) scaled(k, j) = s_[static_cast<std::size_t>(k)] * g(k, j);
    gemm(Op::transpose, Op::none, 1, vt_.view(), scaled.view(), 0, w_s.view());
    set_hyperplane(problem(), first, w_s.view(), solution);
  }

 private:
  std::vector<double> s_;
  Matrix vt_;  // r x d
};

// X_s
Matrix weighted_features(const Problem& problem) {
  Matrix x(problem.n(), problem.d());
  pack_rows(problem.x, 0, problem.shift, x.view());
  for (Index k = 0; k < x.cols(); ++k)
    for (Index i = 0; i < x.rows(); ++i) {
      x(i, k) =
          x(i, k) / (*problem.linear_scale)[static_cast<std::size_t>(k)] * problem.sqrt_w[static_cast<std::size_t>(i)];
      if (!std::isfinite(x(i, k))) fail(Status::not_finite, "x[", i, ", ", k, "], weighted and scaled, overflows");
    }
  return x;
}

}  // namespace

FactorizationPtr factorize_primal(ProblemPtr problem, const Progress& progress) {
  const Index n = problem->n(), d = problem->d();
  const Contrast contrast(n, problem->q1);
  const Index m = contrast.m(), r = std::min(m, d);
  Matrix x = weighted_features(*problem);
  const MatrixView zx = contrast.reduce(x.view());
  Matrix basis(n, r), vt(r, d);
  std::vector<double> s(static_cast<std::size_t>(r)), tau(static_cast<std::size_t>(r));
  const MatrixView u = contrast.rows(basis.view());
  progress.report(0.1);

  if (m > d) {
    geqrf(zx, tau);
    progress.report(0.5);
    Matrix upper(d, d, 0.0);
    for (Index j = 0; j < d; ++j) std::copy_n(zx.col(j), j + 1, upper.col(j));
    for (double& value : basis.values()) value = 0;
    gesdd(upper.view(), s, u.row_range(0, d), vt.view());
    progress.report(0.6);
    ormqr(zx, tau, u);
  } else {
    gesdd(zx, s, u, vt.view());
  }
  contrast.expand(basis.view());
  progress.report(1);

  std::vector<double> eigenvalues(s.size());
  for (std::size_t k = 0; k < s.size(); ++k) eigenvalues[k] = s[k] * s[k];
  const double largest = s.empty() ? 0 : s.front();
  if (!std::isfinite(largest * largest))
    fail(Status::not_finite, "the squared singular values of x overflow; rescale x");
  const double noise = static_cast<double>(std::max(n, d)) * std::numeric_limits<double>::epsilon() * largest;
  return std::make_shared<Primal>(std::move(problem), std::move(basis), std::move(eigenvalues), noise * noise,
                                  std::move(s), std::move(vt));
}

}  // namespace freeridge
