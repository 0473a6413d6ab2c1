#include "libcore/select/kernel_size.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/kernel/log_gradient.hpp"

namespace freeridge {

KernelSize kernel_size(const Kernel& kernel, ConstMatrixView points, bool centred) {
  const Index m = points.rows;
  const auto count = static_cast<double>(m);
  Matrix k(m, m), s(m, m);
  kernel.evaluate(points, points, k.view());
  double size = 0, diagonal = 0;
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < m; ++i) {
      s(i, j) = ((i == j ? 1 : 0) - (centred ? 1 / count : 0)) / count;
      size += s(i, j) * k(i, j);
      if (i == j) diagonal += k(i, i) / count;
    }
  worked(touched * count * count);
  KernelSize out;
  out.gradient.assign(hyperparameter_count(kernel), 0.0);
  const double least = count * eps * diagonal;
  out.log_size = std::log(std::max(size, least));
  if (size <= least) return out;
  add_log_gradient(kernel, points, points, s.view(), out.gradient);
  for (double& slope : out.gradient) slope /= size;
  return out;
}

}  // namespace freeridge
