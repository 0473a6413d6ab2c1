// How much memory the machine can still give, so that a request that cannot fit is refused before it is tried.
#pragma once

#include <string_view>

#include "libcore/linalg/matrix.hpp"

namespace freeridge {

// Bytes that can be had without swapping; the largest Index when the system does not tell.
Index available_memory();

// Throws OUT_OF_MEMORY when `bytes` cannot fit: "<what> needs 3.2 GiB (3435973836 bytes), 1 GiB are available;
// <advice>".
void require_memory(Index bytes, std::string_view what, std::string_view advice);

}  // namespace freeridge
