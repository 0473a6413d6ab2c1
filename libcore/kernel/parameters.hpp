// Checks of kernel parameters.
#pragma once

#include <cmath>

#include "libcore/base/error.hpp"

namespace freeridge {

inline void require_positive(std::string_view name, double value) {
  if (!std::isfinite(value)) fail(Status::not_finite, name, " is ", value, "; it must be finite");
  if (value <= 0) fail(Status::invalid_argument, name, " is ", value, "; it must be positive");
}

}  // namespace freeridge
