// The integer of BLAS and LAPACK is 32 bits wide; every size passes through here on its way to them.
#pragma once

#include <cstdint>
#include <limits>

#include "libcore/base/matrix.hpp"

namespace freeridge {

using BlasInt = std::int32_t;

inline BlasInt blas_int(Index value) {
  if (value < 0 || value > std::numeric_limits<BlasInt>::max())
    fail(Status::internal, "a size of ", value, " reached BLAS, whose integers have 32 bits");
  return static_cast<BlasInt>(value);
}

}  // namespace freeridge
