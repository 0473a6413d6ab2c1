// Dual spectral route, for any kernel and many lambdas: Z'K_wZ = U diag(Lambda) U' by divide and conquer (LAPACK
// dsyevd). Once: about 9 m^3 flops and n^2 kernel values. Memory: n^2 for K, in whose place B = Z U stays, and 2 n^2 of
// workspace.
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/factor/spectrum.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

class Spectral final : public SpectrumFactorization {
 public:
  Spectral(ProblemPtr problem, Matrix storage, std::vector<double> eigenvalues, double tolerance,
           std::vector<double> k_q1)
      : SpectrumFactorization(std::move(problem), std::move(storage), std::move(eigenvalues), tolerance),
        k_q1_(std::move(k_q1)) {}

  Route route() const override { return Route::spectral; }

 protected:
  void solve(Index first, ConstMatrixView g, Solution& solution) const override {
    Matrix c_tilde(problem().n(), g.cols);
    gemm(Op::none, Op::none, 1, basis(), g, 0, c_tilde.view());
    set_expansion(problem(), k_q1_, first, c_tilde.view(), solution);
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
  // The split of the progress is by the usual share of the time; dsyevd itself cannot be asked.
  weighted_kernel_matrix(*problem->kernel, problem->x, problem->shift, problem->sqrt_w, k.view(),
                         progress.part(0, 0.1));
  if (contrast.active()) symv(k.view(), problem->q1.data(), k_q1.data());
  contrast.reduce_symmetric(k.view());
  syevd(contrast.inner(k.view()), eigenvalues);
  contrast.expand(contrast.outer(k.view()));
  progress.report(1);

  // Eigenvalues beyond the rank that the kernel can have are zero, exactly: what dsyevd leaves there is rounding.
  const Index zeros = std::max<Index>(contrast.m() - problem->kernel->rank_bound(problem->d()), 0);
  std::fill_n(eigenvalues.begin(), zeros, 0.0);
  double largest = 0;
  for (const double value : eigenvalues) largest = std::max(largest, std::abs(value));
  if (!std::isfinite(largest))
    fail(Status::not_finite, "the eigenvalues of the kernel matrix overflow; rescale x or the weights");
  // The rounding errors of K_w and of its reduction are those of a random matrix (norm 2 sqrt(n) eps |K_w|), also where
  // the constant part q1'K_w q1, which the contrast removes, was all there was.
  const double constant_part = contrast.active() ? dot(n, k_q1.data(), problem->q1.data()) : 0;
  const double tolerance =
      4 * std::sqrt(static_cast<double>(n)) * std::numeric_limits<double>::epsilon() * std::max(largest, constant_part);
  return std::make_shared<Spectral>(std::move(problem), std::move(k), std::move(eigenvalues), tolerance,
                                    std::move(k_q1));
}

}  // namespace freeridge
