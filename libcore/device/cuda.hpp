// CUDA's libraries, looked for when a caller asks for a device: first in the folders of the environment variable
// FREERIDGE_CUDA_PATH (several with ':' between them), and there also in lib, lib64, and in the folders lib of pip's
// wheels (nvidia/cublas/lib ...); then where the system looks (LD_LIBRARY_PATH, ldconfig); then in /usr/local/cuda.
// The driver says which version of CUDA it runs, 12.0 at least; the other libraries are of the same version, 13 before
// 12. They stay loaded until the process ends.
#pragma once

#include "libcore/device/cuda_api.hpp"

namespace freeridge::cuda {

// Throws DEVICE_UNAVAILABLE, with what is missing and where it was looked for.
Functions load();

// Throws DEVICE_UNAVAILABLE, or OUT_OF_MEMORY where that is what the number says, unless code is 0. call: its name.
void check(const Functions& functions, int code, const char* call);

}  // namespace freeridge::cuda
