// What kernels that are made of kernels share.
#pragma once

#include <string_view>

#include "libcore/kernel/kernel.hpp"

namespace freeridge {

// The extent of a kernel of these parts; own: the hyperparameters beside theirs. Throws INVALID_ARGUMENT where it would
// be too deep or of too many kernels.
Kernel::Extent extent_of(Span<const KernelPtr> parts, Index own);

// The part `name` of another kernel must be a function of two points. Throws INVALID_ARGUMENT.
void require_function(std::string_view name, const Kernel& part);

}  // namespace freeridge
