// OpenBLAS maps a buffer of 128 MiB for each thread that is inside it, and keeps it. Where the system refuses a buffer (a
// limit of the address space, as ulimit -v sets; strict accounting), OpenBLAS asks again for ever. So the core tries a
// mapping of that size before a thread's first call of the BLAS, and a buffer that cannot be had is OUT_OF_MEMORY. Of
// another BLAS nothing is asked.
#pragma once

namespace freeridge {

// Before what a thread computes first; costs nothing afterwards. Throws OUT_OF_MEMORY.
void require_buffer_of_blas();

// For a loop on `team` >= 1 threads: how many of them may be inside the BLAS at one time, at least 1.
int team_with_buffers(int team);

// set(count), where the BLAS has `now` threads: OpenBLAS takes buffers for more of them. Throws OUT_OF_MEMORY before.
void set_threads_with_buffers(void (*set)(int), int now, int count);

}  // namespace freeridge
