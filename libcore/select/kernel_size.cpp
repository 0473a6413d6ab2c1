#include "libcore/select/kernel_size.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/kernel/given_values.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/kernel/log_gradient.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {

KernelSize kernel_size(const Kernel& kernel, ConstMatrixView points, double weight) {
  const Index m = points.rows;
  const auto count = static_cast<double>(m);
  Matrix k(m, m), identity(m, m, 0.0), centring(m, m, -1 / (count * count));
  if (kernel.precomputed())
    given_values(kernel, {points.data, m, points.cols, points.ld, Layout::col_major}, 0, 0, k.view());
  else
    kernel.evaluate(points, points, k.view());
  double trace = 0;
  for (Index i = 0; i < m; ++i) {
    trace += k(i, i);
    identity(i, i) = 1;
    centring(i, i) += 1 / count;
  }
  worked(touched * static_cast<double>(m * m));
  if (!(trace > 0)) fail(Status::undefined, "the kernel matrix of ", m, " of the points has the trace ", trace);
  KernelSize out;
  out.log_size = std::log(trace / count) + std::log(weight);
  out.spread = weight * std::max(0.0, dot(m * m, centring.data(), k.data()));
  out.gradient.assign(hyperparameter_count(kernel), 0.0);
  out.spread_gradient = out.gradient;
  add_log_gradient(kernel, points, points, identity.view(), out.gradient);
  add_log_gradient(kernel, points, points, centring.view(), out.spread_gradient);
  for (double& slope : out.gradient) slope /= trace;
  for (double& slope : out.spread_gradient) slope *= weight;
  return out;
}

}  // namespace freeridge
