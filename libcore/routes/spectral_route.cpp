// Dual spectral route, for any kernel and many lambdas: Z'K_wZ = U diag(Lambda) U' by divide and conquer
// (symmetric_eigen). Once: about 9 m^3 flops at the rate of a matrix product and n^2 kernel values. Memory: n^2 for K,
// in whose place B = Z U stays, and 1.1 n^2 of workspace.
// Where the rows of K_w differ widely in size, usually by their weights: by Cholesky and Jacobi (graded_eigen), which
// give each eigenvalue to its own relative accuracy, and each direction a noise of its own. That costs some 30 n^3 at
// the speed of memory, or O(n^2 r) where the rank r of the kernel is low; n^2 of workspace.
// On a device K, its eigenvectors and B are made there, and B comes back: n^2 in the host's memory, and all that follows
// is as on the CPU.
#include <algorithm>
#include <cmath>

#include "libcore/factor/reduced_kernel.hpp"
#include "libcore/factor/refinement.hpp"
#include "libcore/linalg/graded_eigen.hpp"
#include "libcore/linalg/scaling.hpp"
#include "libcore/linalg/symmetric_eigen.hpp"
#include "libcore/routes/kernel_on_device.hpp"
#include "libcore/routes/routes.hpp"
#include "libcore/routes/saved_route.hpp"
#include "libcore/spectrum/stored_basis.hpp"

namespace freeridge {
namespace {

class Spectral final : public StoredBasis {
 public:
  Spectral(ProblemPtr problem, ReducedKernel kernel, const Array<double>& eigenvalues, Array<double> noise)
      : StoredBasis(std::move(problem), std::move(kernel.storage), eigenvalues, std::move(noise), sure_of_matrix),
        k_q1_(std::move(kernel.k_q1)) {
    // the first are zero by the kernel's rank
    while (zeros_ < r() && spectrum().eigenvalues[zeros_] == 0) ++zeros_;
    if (zeros_ < r()) smallest_ = std::max(spectrum().eigenvalues[zeros_], 0.0);
  }

  Route route() const override { return Route::spectral; }
  void save(ByteWriter& out) const override {
    out.matrix(k_q1_.view());
    out.numbers(spectrum().eigenvalues);
    out.matrix(basis());
  }

 protected:
  // Directions whose eigenvalue is zero by the kernel's rank belong to the function zero, and c predicts better without
  // them. But let Lambda_r be the smallest eigenvalue that is not zero: rounding mixes a share noise / Lambda_r of its
  // direction into the zero directions. Without them that share is lost; with them a rounding error noise / lambda is
  // added. So they are left out where lambda <= Lambda_r. Linear kernels decide column by column (set_expansion).
  bool functions_only(double lambda) const override { return !problem().linear() && lambda <= smallest_; }

  void solve(Index first, ConstMatrixView g, Solution& solution) const override {
    Matrix c_tilde(problem().n(), g.cols), nearly_none;
    const ConstMatrixView b = basis();
    if (!problem().linear()) {
      gemm(Op::none, Op::none, 1, b, g, 0, c_tilde.view());
    } else {  // the zeros are the first
      const Index zeros = zeros_, rest = r() - zeros;
      nearly_none = Matrix(problem().n(), zeros > 0 ? g.cols : 0);
      gemm(Op::none, Op::none, 1, b.columns(zeros, rest), g.row_range(zeros, rest), 0, c_tilde.view());
      if (zeros > 0) gemm(Op::none, Op::none, 1, b.columns(0, zeros), g.row_range(0, zeros), 0, nearly_none.view());
    }
    set_expansion(problem(), k_q1_.view(), first, c_tilde.view(), solution, nearly_none.view());
  }

  void refine(Index first, Index count, Index steps, double lambda, Span<const double> inverse,
              Solution& solution) const override {
    if (problem().linear())
      fail(Status::invalid_state, "the SPECTRAL route refines no linear kernel; set the route PRIMAL");
    const auto apply = [&](MatrixView v) {  // v = B diag(1 / (Lambda + lambda)) B'v
      Matrix g(r(), v.cols);
      gemm(Op::transpose, Op::none, 1, basis(), v, 0, g.view());
      gemm(Op::none, Op::none, 1, basis(), scaled_rows(inverse, g.view()).view(), 0, v);
    };
    refine_expansion(problem(), apply, lambda, first, count, steps, solution);
  }

  void project(const Points& points, Index first, double lambda, MatrixView z,
               const Covariances& variance) const override {
    Matrix kappa(problem().n(), z.cols);
    centred_cross_kernel(problem(), k_q1_.view(), points, first, kappa.view(), variance);
    gemm(Op::transpose, Op::none, 1, basis(), kappa.view(), 0, z);
    subtract_explained(z, lambda, variance);
    problem().add_free_variance(points, first, lambda, variance);
  }

 private:
  // variance -= z_q'diag(1 / (Lambda + lambda)) z_q
  void subtract_explained(ConstMatrixView z, double lambda, const Covariances& variance) const {
    if (!variance.wanted()) return;
    Array<double> inverse;
    for (const double eigenvalue : spectrum().eigenvalues)
      inverse.push_back(eigenvalue > 0 ? 1 / (eigenvalue + lambda) : 0);
    variance.add(-1, z, scaled_rows(inverse, z).view());  // z_k^2 may be out of range
  }

  Matrix k_q1_;
  Index zeros_ = 0;      // eigenvalues that are exactly zero
  double smallest_ = 0;  // of the others
};

// B is in the kernel's storage.
FactorizationPtr finished(ProblemPtr problem, ReducedKernel kernel, const Array<double>& eigenvalues, bool graded) {
  Array<double> noise(eigenvalues.size(), kernel.noise(largest_magnitude(eigenvalues)));
  if (graded) noise = kernel.direction_noise(kernel.contrast.outer(kernel.storage.view()));
  return std::make_shared<Spectral>(std::move(problem), std::move(kernel), eigenvalues, std::move(noise));
}

// The splits of the progress are by the usual share of the time.
ReducedKernel decomposed(const Problem& problem, Index rank_bound, Span<double> eigenvalues, double& left) {
  Stage stage(0, 0.1);
  ReducedKernel kernel(problem);
  const Contrast& contrast = kernel.contrast;
  stage.next(0.98);
  if (kernel.graded())
    left = graded_eigen(kernel.inner(), kernel.inner_sizes(), rank_bound, eigenvalues);
  else
    symmetric_eigen(kernel.inner(), eigenvalues);
  stage.next(1);
  contrast.expand(contrast.outer(kernel.storage.view()));
  report(1);
  return kernel;
}

ReducedKernel decomposed_on(const EnginePtr& engine, const Problem& problem, Span<double> eigenvalues) {
  Stage stage(0, 0.1);
  KernelOnDevice there(engine, problem);
  if (there.about.graded())
    fail(Status::invalid_argument,
         "rows of the kernel matrix differ widely in size, by their weights or values, and SPECTRAL is exact for them ",
         "on the CPU alone; set DEVICE to 0, or the route CHOLESKY");
  stage.next(1);
  ReducedKernel kernel = there.eigenvectors(eigenvalues);
  report(1);
  return kernel;
}

}  // namespace

FactorizationPtr factorize_spectral(ProblemPtr problem, const EnginePtr& engine) {
  const Index rank_bound = problem->kernel->rank_bound(problem->d());
  Array<double> eigenvalues(problem->degrees());
  double left = 0;
  ReducedKernel kernel = engine != nullptr ? decomposed_on(engine, *problem, eigenvalues)
                                           : decomposed(*problem, rank_bound, eigenvalues, left);
  const Contrast& contrast = kernel.contrast;
  const Index m = contrast.m();
  const bool graded = kernel.graded();

  // Eigenvalues beyond the rank that the kernel can have are exactly zero: the computed numbers are rounding errors.
  std::fill_n(eigenvalues.begin(), std::max<Index>(m - rank_bound, 0), 0.0);
  const double largest = largest_magnitude(eigenvalues);
  if (!std::isfinite(largest)) fail_eigenvalues_overflow();
  if (problem->kernel->precomputed() && !eigenvalues.empty() && eigenvalues.front() < -kernel.indefinite(largest))
    fail_indefinite(contrast,
                    text("its smallest eigenvalue is ", eigenvalues.front(), " and its largest ", eigenvalues.back()));
  if (problem->kernel->precomputed() && left > 1e-8)
    fail_indefinite(contrast, text("elimination leaves ", left, " of the diagonal where it must leave nothing"));
  return finished(std::move(problem), std::move(kernel), eigenvalues, graded);
}

FactorizationPtr load_spectral(ProblemPtr problem, ByteReader& in) {
  const Index n = problem->n(), m = problem->degrees();
  ReducedKernel kernel(*problem, in, m + n * m);
  Array<double> eigenvalues = in.vector("the eigenvalues", any_finite, m);
  load_matrix(in, "the eigenvectors", orthonormal, kernel.contrast.outer(kernel.storage.view()));
  const bool graded = in.version() >= 2 && kernel.graded();
  return finished(std::move(problem), std::move(kernel), eigenvalues, graded);
}

}  // namespace freeridge
