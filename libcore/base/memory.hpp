// How much memory the process can still have, so that a request that cannot fit is refused before it is tried:
//     available = the least of MemAvailable, of what a limit of the process leaves (ulimit -v, -d), and of what each
//                 control group leaves that the process is in (Docker, Slurm, Kubernetes, systemd)
#pragma once

#include <string>
#include <string_view>

#include "libcore/base/matrix.hpp"

namespace freeridge {

struct AvailableMemory {
  Index bytes;
  std::string_view bound;  // " within ...": the limit that says so; empty: the machine
};

// The largest Index when the system does not tell. root: where the folders proc and sys stand.
AvailableMemory available_memory(const std::string& root = "");

// Whether a limit of the process, or strict accounting of the machine, can refuse address space that is not used.
bool address_space_is_limited();

// Throws OUT_OF_MEMORY when `bytes` cannot fit, or exceed a limit that was set (0: none): "<what> needs 3.2 GiB
// (3435973836 bytes), 1 GiB are available; <advice>". The system is not asked about few bytes: asking takes longer than
// using them.
void require_memory(Index bytes, std::string_view what, std::string_view advice, Index limit = 0);

// Whether require_memory would let this pass.
bool fits_into_memory(Index bytes, Index limit);

}  // namespace freeridge
