// Gaussian elimination with partial pivoting in long double: the oracles' only linear algebra.
#pragma once

#include "support/matrix.hpp"

namespace support {

// The solution z of a z = b. Throws std::domain_error when a pivot is zero.
Dense solve(Dense a, Dense b);

// log |det a|; -infinity when a pivot is zero.
Real log_determinant(Dense a);

Dense multiply(const Dense& a, const Dense& b);
Dense transpose(const Dense& a);
Dense identity(std::int64_t n);

}  // namespace support
