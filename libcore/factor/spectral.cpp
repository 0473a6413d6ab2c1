// Dual spectral route, for any kernel and many lambdas: Z'K_wZ = U diag(Lambda) U' by divide and conquer
// (symmetric_eigen). Once: about 9 m^3 flops at the rate of a matrix product and n^2 kernel values. Memory: n^2 for K,
// in whose place B = Z U stays, and 1.1 n^2 of workspace.
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/factor/refinement.hpp"
#include "libcore/factor/routes.hpp"
#include "libcore/factor/spectrum.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/symmetric_eigen.hpp"

namespace freeridge {
namespace {

constexpr double indefinite = 1e-8;  // of the largest eigenvalue: what rounding in a precomputed K may come to

class Spectral final : public StoredSpectrum {
 public:
  Spectral(ProblemPtr problem, Matrix storage, std::vector<double> eigenvalues, double noise, std::vector<double> k_q1)
      : StoredSpectrum(std::move(problem), std::move(storage), eigenvalues,
                       std::vector<double>(eigenvalues.size(), noise)),
        k_q1_(std::move(k_q1)) {}

  Route route() const override { return Route::spectral; }

 protected:
  void solve(Index first, ConstMatrixView g, Solution& solution) const override {
    Matrix c_tilde(problem().n(), g.cols);
    gemm(Op::none, Op::none, 1, basis(), g, 0, c_tilde.view());
    set_expansion(problem(), k_q1_, first, c_tilde.view(), solution);
  }

  void refine(Index first, Index count, Index steps, double lambda, std::span<const double> inverse, Solution& solution,
              const Progress& progress) const override {
    if (problem().linear())
      fail(Status::invalid_state, "the SPECTRAL route refines no linear kernel; set the route PRIMAL");
    const auto apply = [&](MatrixView v) {  // v = B diag(1 / (Lambda + lambda)) B'v
      Matrix g(r(), v.cols);
      gemm(Op::transpose, Op::none, 1, basis(), v, 0, g.view());
      for (Index j = 0; j < v.cols; ++j)
        for (Index k = 0; k < r(); ++k) g(k, j) *= inverse[static_cast<std::size_t>(k)];
      gemm(Op::none, Op::none, 1, basis(), g.view(), 0, v);
    };
    refine_expansion(problem(), apply, lambda, first, count, steps, solution, progress);
  }

  void project(const LayoutView& points, Index first, double lambda, MatrixView z,
               std::span<double> variance) const override {
    Matrix kappa(problem().n(), z.cols);
    std::vector<double> prior(variance.size());
    centred_cross_kernel(problem(), k_q1_, points, first, kappa.view(), prior);
    gemm(Op::transpose, Op::none, 1, basis(), kappa.view(), 0, z);
    for (std::size_t q = 0; q < variance.size(); ++q) {
      variance[q] = prior[q] + (problem().intercept ? lambda / problem().sum_w : 0);
      for (Index k = 0; k < r(); ++k) {
        const double value = z(k, static_cast<Index>(q)),
                     eigenvalue = spectrum().eigenvalues[static_cast<std::size_t>(k)];
        if (eigenvalue > 0) variance[q] -= value * value / (eigenvalue + lambda);
      }
    }
  }

 private:
  std::vector<double> k_q1_;
};

}  // namespace

FactorizationPtr factorize_spectral(ProblemPtr problem, const Progress& progress) {
  const Index n = problem->n();
  const Contrast contrast(n, problem->q1);
  Matrix k(n, n);
  std::vector<double> k_q1(problem->q1.size()), eigenvalues(static_cast<std::size_t>(contrast.m()));
  // The split of the progress is by the usual share of the time.
  weighted_kernel_matrix(*problem->kernel, problem->x, problem->shift, problem->sqrt_w, k.view(),
                         progress.part(0, 0.1));
  if (contrast.active()) symv(k.view(), problem->q1.data(), k_q1.data());
  contrast.reduce_symmetric(k.view());
  symmetric_eigen(contrast.inner(k.view()), eigenvalues, progress.part(0.1, 0.98));
  contrast.expand(contrast.outer(k.view()));
  progress.report(1);

  // Eigenvalues beyond the rank that the kernel can have are zero, exactly: what divide and conquer leaves there is
  // rounding.
  const Index zeros = std::max<Index>(contrast.m() - problem->kernel->rank_bound(problem->d()), 0);
  std::fill_n(eigenvalues.begin(), zeros, 0.0);
  double largest = 0;
  for (const double value : eigenvalues) largest = std::max(largest, std::abs(value));
  if (!std::isfinite(largest))
    fail(Status::not_finite, "the eigenvalues of the kernel matrix overflow; rescale x or the weights");
  // A precomputed K may be anything: negative eigenvalues that are not rounding would count as zero without a word.
  if (problem->kernel->precomputed() && !eigenvalues.empty() && eigenvalues.front() < -indefinite * largest)
    fail(Status::invalid_argument, "x is a precomputed kernel matrix and must be positive semi-definite",
         contrast.active() ? " (but for a constant)" : "", ", but its smallest eigenvalue is ", eigenvalues.front(),
         " and its largest ", eigenvalues.back());
  // The rounding errors of K_w and of its reduction are those of a random matrix (norm 2 sqrt(n) eps |K_w|), also where
  // the constant part q1'K_w q1, which the contrast removes, was all there was.
  const double constant_part = contrast.active() ? dot(n, k_q1.data(), problem->q1.data()) : 0;
  const double noise =
      4 * std::sqrt(static_cast<double>(n)) * std::numeric_limits<double>::epsilon() * std::max(largest, constant_part);
  return std::make_shared<Spectral>(std::move(problem), std::move(k), std::move(eigenvalues), noise, std::move(k_q1));
}

}  // namespace freeridge
