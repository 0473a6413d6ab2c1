#include "libcore/factor/reduced_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/memory.hpp"

namespace freeridge {

ReducedKernel::ReducedKernel(const Problem& problem, const Progress& progress)
    : contrast(problem.n(), problem.q1), storage(problem.n(), problem.n()), k_q1(problem.q1.size()), constant_part(0) {
  weighted_kernel_matrix(*problem.kernel, problem.x, problem.shift, problem.sqrt_w, storage.view(), progress);
  if (!contrast.active()) return;
  symv(storage.view(), problem.q1.data(), k_q1.data());
  constant_part = dot(problem.n(), k_q1.data(), problem.q1.data());
  // Every K_ij may be a number and their sums none; where the kernel's rank makes all eigenvalues zero none tells.
  if (!std::isfinite(constant_part)) fail_eigenvalues_overflow();
  contrast.reduce_symmetric(storage.view());
}

ReducedKernel::ReducedKernel(const Problem& problem, ByteReader& in, Index more)
    : contrast(problem.n(), problem.q1),
      k_q1(in.vector("K_w q1", std::numeric_limits<double>::max(), static_cast<Index>(problem.q1.size()))),
      constant_part(contrast.active() ? dot(problem.n(), k_q1.data(), problem.q1.data()) : 0) {
  if (!std::isfinite(constant_part)) fail(Status::corrupt, "the saved K_w q1 is too large");
  in.require("the kernel matrix", more);
  require_memory(checked_doubles(problem.n(), problem.n()) * 8, "the kernel matrix of the saved model",
                 "save it for prediction only (freeridge_save_predictor)");
  storage = Matrix(problem.n(), problem.n());
}

double ReducedKernel::noise(double largest) const {
  return relative_noise(contrast.n()) * std::max(largest, constant_part);
}

double ReducedKernel::indefinite(double largest) const {
  return std::max(1e-8 * largest, noise(largest));
}

double relative_noise(Index n) {
  return 4 * std::sqrt(static_cast<double>(n)) * std::numeric_limits<double>::epsilon();
}

void fail_indefinite(const Contrast& contrast, const std::string& found) {
  fail(Status::invalid_argument, "x is a precomputed kernel matrix and must be positive semi-definite",
       contrast.active() ? " (but for a constant)" : "", ", but ", found);
}

void fail_eigenvalues_overflow() {
  fail(Status::not_finite, "the eigenvalues of the kernel matrix overflow; rescale x or the weights");
}

}  // namespace freeridge
