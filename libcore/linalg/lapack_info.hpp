// What LAPACK's routines answer, for the files that call them.
#pragma once

#include <algorithm>
#include <cmath>

#include "libcore/linalg/blas_int.hpp"

namespace freeridge {

inline void check(BlasInt info, const char* routine) {
  if (info < 0) fail(Status::internal, "LAPACK ", routine, " refused argument ", -info);
  if (info > 0) fail(Status::not_converged, "LAPACK ", routine, " did not converge (info ", info, ")");
}

// The workspace size that a query left in a double.
inline Index queried(double size) {
  return static_cast<Index>(std::max(1.0, std::ceil(size)));
}

}  // namespace freeridge
