// What the library calls of CUDA, declared by hand from NVIDIA's documents, for the versions 12 and 13 alike:
//     libcuda.so.1       the driver's interface
//     libnvrtc           compiles kernels at run time
//     libcublas          products of matrices, triangular systems
//     libcusolver        Cholesky factors and eigenvectors
// Nothing of them is there when the library is built, and nothing is linked: cuda.cpp looks the functions up. All return
// a number, 0 where all is well. Their enums are ints, and their handles are pointers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace freeridge::cuda {

using Handle = void*;
using Address = unsigned long long;  // of the device's memory

// CUDA_MEMCPY2D: `height` rows of `width` bytes. Memory types: 1 the host's, 2 the device's.
struct Copy2D {
  std::size_t from_x = 0, from_y = 0;
  int from_type = 0;
  const void* from_host = nullptr;
  Address from_device = 0;
  Handle from_array = nullptr;
  std::size_t from_pitch = 0;
  std::size_t to_x = 0, to_y = 0;
  int to_type = 0;
  void* to_host = nullptr;
  Address to_device = 0;
  Handle to_array = nullptr;
  std::size_t to_pitch = 0;
  std::size_t width = 0, height = 0;
};
constexpr int on_host = 1, on_device = 2;

// Values of their enums.
constexpr int driver_out_of_memory = 2, nvrtc_out_of_memory = 1, cublas_alloc_failed = 3, cusolver_alloc_failed = 2;
constexpr int capability_major = 75, capability_minor = 76;  // of CUdevice_attribute
constexpr int op_none = 0, op_transpose = 1;                 // cublasOperation_t
constexpr int left = 0, right = 1, lower = 0, not_unit = 0;  // cublasSideMode_t, cublasFillMode_t, cublasDiagType_t
constexpr int real_64 = 1;                                   // cudaDataType: CUDA_R_64F
constexpr int with_vectors = 1;                              // cusolverEigMode_t

// F(name, arguments): int name(arguments)
#define FREERIDGE_CUDA_DRIVER(F)                                                                                  \
  F(cuInit, unsigned)                                                                                             \
  F(cuDriverGetVersion, int*)                                                                                     \
  F(cuGetErrorString, int, const char**)                                                                          \
  F(cuDeviceGetCount, int*)                                                                                       \
  F(cuDeviceGet, int*, int)                                                                                       \
  F(cuDeviceGetName, char*, int, int)                                                                             \
  F(cuDeviceGetAttribute, int*, int, int)                                                                         \
  F(cuDevicePrimaryCtxRetain, Handle*, int)                                                                       \
  F(cuDevicePrimaryCtxRelease_v2, int)                                                                            \
  F(cuCtxPushCurrent_v2, Handle)                                                                                  \
  F(cuCtxPopCurrent_v2, Handle*)                                                                                  \
  F(cuCtxSynchronize, void)                                                                                       \
  F(cuMemGetInfo_v2, std::size_t*, std::size_t*)                                                                  \
  F(cuMemAlloc_v2, Address*, std::size_t)                                                                         \
  F(cuMemFree_v2, Address)                                                                                        \
  F(cuMemcpyHtoD_v2, Address, const void*, std::size_t)                                                           \
  F(cuMemcpyDtoH_v2, void*, Address, std::size_t)                                                                 \
  F(cuMemcpy2D_v2, const Copy2D*)                                                                                 \
  F(cuModuleLoadData, Handle*, const void*)                                                                       \
  F(cuModuleUnload, Handle)                                                                                       \
  F(cuModuleGetFunction, Handle*, Handle, const char*)                                                            \
  F(cuLaunchKernel, Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, \
    void**)

#define FREERIDGE_CUDA_NVRTC(F)                                                                         \
  F(nvrtcCreateProgram, Handle*, const char*, const char*, int, const char* const*, const char* const*) \
  F(nvrtcCompileProgram, Handle, int, const char* const*)                                               \
  F(nvrtcDestroyProgram, Handle*)                                                                       \
  F(nvrtcGetProgramLogSize, Handle, std::size_t*)                                                       \
  F(nvrtcGetProgramLog, Handle, char*)                                                                  \
  F(nvrtcGetCUBINSize, Handle, std::size_t*)                                                            \
  F(nvrtcGetCUBIN, Handle, char*)

#define FREERIDGE_CUDA_CUBLAS(F)                                                                                       \
  F(cublasCreate_v2, Handle*)                                                                                          \
  F(cublasDestroy_v2, Handle)                                                                                          \
  F(cublasDgemm_v2, Handle, int, int, int, int, int, const double*, const void*, int, const void*, int, const double*, \
    void*, int)                                                                                                        \
  F(cublasDtrsm_v2, Handle, int, int, int, int, int, int, const double*, const void*, int, void*, int)

#define FREERIDGE_CUDA_CUSOLVER(F)                                                                                     \
  F(cusolverDnCreate, Handle*)                                                                                         \
  F(cusolverDnDestroy, Handle)                                                                                         \
  F(cusolverDnCreateParams, Handle*)                                                                                   \
  F(cusolverDnDestroyParams, Handle)                                                                                   \
  F(cusolverDnXpotrf_bufferSize, Handle, Handle, int, std::int64_t, int, const void*, std::int64_t, int, std::size_t*, \
    std::size_t*)                                                                                                      \
  F(cusolverDnXpotrf, Handle, Handle, int, std::int64_t, int, void*, std::int64_t, int, void*, std::size_t, void*,     \
    std::size_t, int*)                                                                                                 \
  F(cusolverDnXsyevd_bufferSize, Handle, Handle, int, int, std::int64_t, int, const void*, std::int64_t, int,          \
    const void*, int, std::size_t*, std::size_t*)                                                                      \
  F(cusolverDnXsyevd, Handle, Handle, int, int, std::int64_t, int, void*, std::int64_t, int, void*, int, void*,        \
    std::size_t, void*, std::size_t, int*)

// Pointers to all of them, by their names.
struct Functions {
#define FREERIDGE_DECLARE(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  FREERIDGE_CUDA_DRIVER(FREERIDGE_DECLARE)
  FREERIDGE_CUDA_NVRTC(FREERIDGE_DECLARE)
  FREERIDGE_CUDA_CUBLAS(FREERIDGE_DECLARE)
  FREERIDGE_CUDA_CUSOLVER(FREERIDGE_DECLARE)
#undef FREERIDGE_DECLARE
};

}  // namespace freeridge::cuda
