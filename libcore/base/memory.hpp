// How much memory the machine can still give, so that a request that cannot fit is refused before it is tried.
#pragma once

#include <string_view>

#include "libcore/base/matrix.hpp"

namespace freeridge {

// Bytes that can be had without swapping; the largest Index when the system does not tell.
Index available_memory();

// Throws OUT_OF_MEMORY when `bytes` cannot fit, or exceed a limit that was set (0: none): "<what> needs 3.2 GiB
// (3435973836 bytes), 1 GiB are available; <advice>".
void require_memory(Index bytes, std::string_view what, std::string_view advice, Index limit = 0);

// Whether require_memory would let this pass. The system is not asked about few bytes: asking takes longer than using
// them.
bool fits_into_memory(Index bytes, Index limit);

}  // namespace freeridge
