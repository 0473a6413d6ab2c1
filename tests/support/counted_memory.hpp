// operator new that counts: what is asked for before it is known to be there, and what is held at once. LAPACK's and the
// BLAS's workspaces are the library's own arrays, so that all of it goes by there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace support {

// Bytes of the largest request since the last call.
std::size_t largest_allocation();

// Bytes held now; and the most that were held since the last call.
std::int64_t held_bytes();
std::int64_t most_held_bytes();

}  // namespace support
