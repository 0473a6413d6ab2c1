#include "libcore/kernel/parts.hpp"

#include <algorithm>

#include "libcore/base/error.hpp"

namespace freeridge {
namespace {

constexpr Index depth_limit = 1000;              // a walk through a kernel takes one stack frame for each level
constexpr Index kernels_limit = Index{1} << 20;  // 64 sums of a kernel with itself would have 2^64 parts

bool holds_multiplicative(const Kernel& kernel) {
  return kernel.name() == std::string_view("multiplicative") ||
         std::ranges::any_of(kernel.parts(), [](const KernelPtr& part) { return holds_multiplicative(*part); });
}

}  // namespace

Kernel::Extent extent_of(Span<const KernelPtr> parts, Index own) {
  Kernel::Extent out{0, 0, 0, own};
  for (const KernelPtr& part : parts) {
    const Kernel::Extent inner = part->extent();
    out = {std::max(out.depth, inner.depth), out.kernels + inner.kernels, out.bandwidths + inner.bandwidths,
           out.hyperparameters + inner.hyperparameters};
  }
  ++out.depth;
  ++out.kernels;
  if (out.depth > depth_limit)
    fail(Status::invalid_argument, "the kernel would be ", out.depth, " kernels deep; at most ", depth_limit,
         " are possible");
  if (out.kernels > kernels_limit)
    fail(Status::invalid_argument, "the kernel would be made of ", out.kernels, " kernels; at most ", kernels_limit,
         " are possible");
  return out;
}

Index doubles_of_gradient(const Kernel& kernel, Index side, Index d) {
  const Kernel::Extent extent = kernel.extent();
  const Index terms = holds_multiplicative(kernel) ? 2 * d + 4 : 0;  // values of each term
  return checked_doubles(terms, side * side) + checked_doubles(6 + 2 * extent.depth, side * (d + 1)) +
         checked_doubles(4 + 4 * std::min(extent.depth + extent.kernels, kernels_limit), side * side);
}

void require_function(std::string_view name, const Kernel& part) {
  if (part.precomputed())
    fail(Status::invalid_argument, name,
         " is a precomputed kernel, which cannot be a part of another kernel, but for a sum of precomputed kernels "
         "alone, whose matrices stand side by side; combine the matrices instead");
}

}  // namespace freeridge
