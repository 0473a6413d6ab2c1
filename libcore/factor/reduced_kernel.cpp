#include "libcore/factor/reduced_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/memory.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lower_triangle.hpp"

namespace freeridge {
namespace {

// a_i + sum_k |q1_ik| a'|q1_k| from a_i = K_w,ii^(1/2): |K_w,ij| <= a_i a_j, and taking q1 out adds terms with v_i
// (K_w v)_j and v_i v_j v'K_w v, where v_i = q1_i and (K_w v)_j <= a_j a'|v|.
Array<double> without_free(Array<double> a, const Matrix& q1) {
  Array<double> out = a;
  for (Index k = 0; k < q1.cols(); ++k) {
    double mixed = 0;
    for (Index i = 0; i < q1.rows(); ++i) mixed += a[i] * std::abs(q1(i, k));
    for (Index i = 0; i < q1.rows(); ++i) out[i] += std::abs(q1(i, k)) * mixed;
  }
  return out;
}

double trace_of_product(const Matrix& a, const Matrix& b) {  // tr A'B
  double sum = 0;
  for (Index k = 0; k < a.cols(); ++k) sum += dot(a.rows(), a.col(k), b.col(k));
  return sum;
}

// From the diagonal of K_w as it stands in storage: n numbers, where the kernel would be called n times.
Array<double> sizes_in(ConstMatrixView k_w, const Problem& problem) {
  Array<double> a;
  for (Index i = 0; i < k_w.rows; ++i) a.push_back(std::sqrt(std::max(k_w(i, i), 0.0)));
  return without_free(std::move(a), problem.q1());
}

// From the kernel's values, for a saved model, whose K_w is gone.
Array<double> sizes_of(const Problem& problem) {
  Array<double> a(problem.n());
  if (problem.shift.empty())
    own_diagonal(*problem.kernel, problem.x, a);
  else
    kernel_diagonal(*problem.kernel, problem.x, 0, problem.shift, a);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = problem.sqrt_w[i] * std::sqrt(std::max(a[i], 0.0));
  return without_free(std::move(a), problem.q1());
}

}  // namespace

ReducedKernel::ReducedKernel(const Problem& problem, Pivot pivot)
    : contrast(problem.n(), problem.q1().view(), pivot),
      storage(problem.n(), problem.n()),
      k_q1(problem.n(), problem.q()),
      constant_part(0) {
  weighted_kernel_matrix(*problem.kernel, problem.x, problem.shift, problem.sqrt_w, storage.view());
  if (pivot == Pivot::heaviest) sizes = sizes_in(storage.view(), problem);
  if (!contrast.active()) return;
  symm(storage.view(), problem.q1().view(), k_q1.view());
  constant_part = trace_of_product(k_q1, problem.q1());
  // Every K_ij may be a number and their sums none; where the kernel's rank makes all eigenvalues zero none tells.
  if (!std::isfinite(constant_part)) fail_eigenvalues_overflow();
  contrast.reduce_symmetric(storage.view(), k_q1.view());
}

ReducedKernel::ReducedKernel(const Problem& problem, WithoutMatrix)
    : contrast(problem.n(), problem.q1().view()),
      k_q1(problem.n(), problem.q()),
      constant_part(0),
      sizes(sizes_of(problem)) {}

ReducedKernel::ReducedKernel(const Problem& problem, ByteReader& in, Index more, Pivot pivot)
    : contrast(problem.n(), problem.q1().view(), pivot),
      k_q1(in.matrix("K_w q1", std::numeric_limits<double>::max(), problem.n(), problem.q())),
      constant_part(trace_of_product(k_q1, problem.q1())),
      sizes(pivot == Pivot::heaviest ? sizes_of(problem) : Array<double>()) {
  if (!std::isfinite(constant_part)) fail(Status::corrupt, "the saved K_w q1 is too large");
  in.require("the kernel matrix", more);
  require_memory(checked_doubles(problem.n(), problem.n()) * 8, "the kernel matrix of the saved model",
                 "save it for prediction only (FREERIDGE_SAVE_PREDICTOR)");
  storage = Matrix(problem.n(), problem.n());
}

Array<double> ReducedKernel::diagonal() const {
  const ConstMatrixView k = inner();
  Array<double> out;
  for (Index i = 0; i < k.rows; ++i) out.push_back(k(i, i));
  return out;
}

double ReducedKernel::trace(Span<const double> diagonal) const {
  const double trace = sum_of(diagonal);
  if (trace <= 16 * std::numeric_limits<double>::epsilon() * constant_part) return 0;
  if (!std::isfinite(trace))
    fail(Status::not_finite, "the trace of the kernel matrix overflows; rescale x or the weights");
  return trace;
}

bool ReducedKernel::graded() const {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const double size : sizes) {
    if (size > 0) least = std::min(least, size);
    most = std::max(most, size);
  }
  return std::isfinite(most) && most / least > std::sqrt(wide_weights);  // squares of sizes are as weights
}

Array<double> ReducedKernel::inner_sizes() const {
  Array<double> out;
  for (Index place = contrast.q(); place < contrast.n(); ++place) out.push_back(sizes[contrast.row(place)]);
  return out;
}

Array<double> ReducedKernel::direction_noise(ConstMatrixView b) const {
  Array<double> out;
  for (Index k = 0; k < b.cols; ++k) {
    double sum = 0;
    for (Index i = 0; i < b.rows; ++i) {
      const double part = sizes[i] * b(i, k);
      sum += part * part;
    }
    out.push_back(relative_noise(contrast.n()) * sum);
    worked(touched * static_cast<double>(b.rows));
  }
  return out;
}

double ReducedKernel::noise(double largest) const {
  return relative_noise(contrast.n()) * std::max(largest, constant_part);
}

double ReducedKernel::indefinite(double largest) const {
  return std::max(1e-8 * largest, noise(largest));
}

void ReducedKernel::require_semidefinite() {
  const MatrixView k = inner();
  if (k.rows == 0) return;
  Array<double> diagonal;
  for (Index i = 0; i < k.rows; ++i) diagonal.push_back(k(i, i));
  const double largest = symmetric_norm1(k), below = indefinite(largest);
  if (!std::isfinite(largest)) fail_eigenvalues_overflow();
  mirror_lower(k);
  for (Index i = 0; i < k.rows; ++i) k(i, i) += below;
  const bool factored = largest == 0 || potrf(k, Triangle::upper);
  for (Index i = 0; i < k.rows; ++i) k(i, i) = diagonal[i];
  if (!factored) fail_indefinite(contrast, text("it has an eigenvalue below ", -below));
}

double relative_noise(Index n) {
  return 4 * std::sqrt(static_cast<double>(n)) * std::numeric_limits<double>::epsilon();
}

double indefinite(Index n, double largest) {
  return std::max(1e-8, relative_noise(n)) * largest;
}

void fail_indefinite(Index free, const std::string& found) {
  fail(Status::invalid_argument, "x is a precomputed kernel matrix and must be positive semi-definite",
       free > 1    ? " (but for the fixed effects)"
       : free == 1 ? " (but for a constant)"
                   : "",
       ", but ", found);
}

void fail_indefinite(const Contrast& contrast, const std::string& found) {
  fail_indefinite(contrast.q(), found);
}

void fail_eigenvalues_overflow() {
  fail(Status::not_finite, "the eigenvalues of the kernel matrix overflow; rescale x or the weights");
}

}  // namespace freeridge
