// What kernels share that are made of kernels, or may be.
#pragma once

#include <string_view>

#include "libcore/kernel/kernel.hpp"

namespace freeridge {

// The extent of a kernel of these parts; own: the hyperparameters beside theirs. Throws INVALID_ARGUMENT where it would
// be too deep or of too many kernels.
Kernel::Extent extent_of(Span<const KernelPtr> parts, Index own);

// The numbers that the parts of a kernel hold at most, all together, while one tile of `side` x `side` pairs of points
// with d features goes through them: points and tiles for each of them.
Index doubles_of_gradient(const Kernel& kernel, Index side, Index d);

// The part `name` of another kernel must be a function of two points. Throws INVALID_ARGUMENT.
void require_function(std::string_view name, const Kernel& part);

}  // namespace freeridge
