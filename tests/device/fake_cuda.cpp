// CUDA without a GPU: the functions of libcore/device/cuda_api.hpp, all in one library, which stands under the names of
// NVIDIA's. The device's memory is the host's; what NVRTC would compile the host's compiler compiles, and a kernel runs
// thread by thread. So all of cuda_engine.cpp runs and is checked where there is no GPU; speed means nothing here.
//     fake_fail_at   the call of this number, counted from 1, answers with an error; 0: none
//     fake_calls     how many calls there were
//     fake_failed_push   whether that call was cuCtxPushCurrent
//     fake_live      how many pieces of memory, contexts, modules, programs and handles there are
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "libcore/device/cuda_api.hpp"

using namespace freeridge::cuda;

extern "C" {
int fake_fail_at = 0, fake_calls = 0, fake_live = 0, fake_driver = 13000, fake_code = 700, fake_failed_push = 0;
}

namespace {

bool fails() {
  return ++fake_calls == fake_fail_at;
}
#define MAY_FAIL \
  if (fails()) return fake_code

struct Dim {
  unsigned x, y, z;
};
struct Function {
  void (*run)(long long, long long, long long, long long, long long, long long, long long, long long, long long,
              long long);
  Dim *block, *block_size, *thread, *grid;
};
struct Program {
  std::string source, library;
};

double* numbers(const void* p) {
  return static_cast<double*>(const_cast<void*>(p));
}

// What CUDA C++ has beside C++.
constexpr const char* cuda_words = R"(
#include <cmath>
#include <cstring>
using std::exp; using std::fabs; using std::fma; using std::fmin; using std::sqrt;
#define __device__
#define __global__
#define __forceinline__ inline
struct Dim { unsigned x, y, z; };
extern "C" { Dim blockIdx, blockDim, threadIdx, gridDim; }
static double __longlong_as_double(long long bits) { double out; std::memcpy(&out, &bits, sizeof out); return out; }
)";

// The library of a program, compiled once.
std::string compiled(const std::string& source) {
  static std::map<std::string, std::string> known;
  static int count = 0;
  const auto found = known.find(source);
  if (found != known.end()) return found->second;
  const std::string stem =
      std::string(FAKE_FOLDER) + "/program" + std::to_string(getpid()) + "_" + std::to_string(++count);
  std::ofstream(stem + ".cpp") << cuda_words << source;
  const std::string command =
      std::string(FAKE_COMPILER) + " -O1 -ffp-contract=off -shared -fPIC -o " + stem + ".so " + stem + ".cpp";
  if (std::system(command.c_str()) != 0) return {};
  return known[source] = stem + ".so";
}

// Cyclic Jacobi rotations: A = V diag(w) V', lower triangle of A.
void jacobi(std::int64_t n, double* a, std::int64_t lda, double* w) {
  std::vector<double> m(static_cast<std::size_t>(n * n)), v(m.size(), 0.0);
  const auto at = [n](std::vector<double>& x, std::int64_t i, std::int64_t j) -> double& {
    return x[static_cast<std::size_t>(i + j * n)];
  };
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) at(m, i, j) = at(m, j, i) = a[i + j * lda];
  for (std::int64_t i = 0; i < n; ++i) at(v, i, i) = 1;
  for (int sweep = 0; sweep < 30; ++sweep)
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) {
        const double apq = at(m, p, q);
        if (apq == 0) continue;
        const double theta = (at(m, q, q) - at(m, p, p)) / (2 * apq);
        const double t = std::abs(theta) > 1e150
                             ? 1 / (2 * theta)
                             : (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(1 + theta * theta));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        for (std::int64_t k = 0; k < n; ++k) {
          const double kp = at(m, k, p), kq = at(m, k, q);
          at(m, k, p) = c * kp - s * kq, at(m, k, q) = s * kp + c * kq;
          const double vp = at(v, k, p), vq = at(v, k, q);
          at(v, k, p) = c * vp - s * vq, at(v, k, q) = s * vp + c * vq;
        }
        for (std::int64_t k = 0; k < n; ++k) {
          const double pk = at(m, p, k), qk = at(m, q, k);
          at(m, p, k) = c * pk - s * qk, at(m, q, k) = s * pk + c * qk;
        }
        at(m, p, q) = at(m, q, p) = 0;
      }
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) { return at(m, i, i) < at(m, j, j); });
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t from = order[static_cast<std::size_t>(j)];
    w[j] = at(m, from, from);
    for (std::int64_t i = 0; i < n; ++i) a[i + j * lda] = at(v, i, from);
  }
}

int made(Handle* out) {
  *out = new char;
  ++fake_live;
  return 0;
}
int unmade(Handle handle) {
  delete static_cast<char*>(handle);
  --fake_live;
  return 0;
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  MAY_FAIL;
  return 0;
}
int cuDriverGetVersion(int* version) {
  MAY_FAIL;
  *version = fake_driver;
  return 0;
}
int cuGetErrorString(int code, const char** words) {
  MAY_FAIL;
  *words = "as the test wants it";
  return code == 0;
}
int cuDeviceGetCount(int* count) {
  MAY_FAIL;
  *count = 1;
  return 0;
}
int cuDeviceGet(int* device, int) {
  MAY_FAIL;
  *device = 7;
  return 0;
}
int cuDeviceGetName(char* name, int size, int) {
  MAY_FAIL;
  std::strncpy(name, "fake", static_cast<std::size_t>(size));
  return 0;
}
int cuDeviceGetAttribute(int* value, int which, int) {
  MAY_FAIL;
  *value = which == capability_major ? 9 : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(Handle* context, int device) {
  MAY_FAIL;
  static char primary;
  *context = &primary;
  ++fake_live;
  return device == 7 ? 0 : 1;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  --fake_live;
  return 0;
}
int cuCtxPushCurrent_v2(Handle) {
  if (!fails()) return 0;
  fake_failed_push = 1;
  return fake_code;
}
int cuCtxPopCurrent_v2(Handle* context) {
  *context = nullptr;
  return 0;
}
int cuCtxSynchronize(void) {
  MAY_FAIL;
  return 0;
}
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  MAY_FAIL;
  *free = *total = std::size_t{1} << 30;
  return 0;
}
int cuMemAlloc_v2(Address* out, std::size_t size) {
  MAY_FAIL;
  void* const p = std::malloc(size);
  std::memset(p, 0xff, size);  // NaN
  *out = reinterpret_cast<Address>(p);
  ++fake_live;
  return 0;
}
int cuMemFree_v2(Address p) {
  std::free(reinterpret_cast<void*>(p));
  --fake_live;
  return 0;
}
int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t size) {
  MAY_FAIL;
  std::memcpy(reinterpret_cast<void*>(to), from, size);
  return 0;
}
int cuMemcpyDtoH_v2(void* to, Address from, std::size_t size) {
  MAY_FAIL;
  std::memcpy(to, reinterpret_cast<const void*>(from), size);
  return 0;
}
int cuMemcpy2D_v2(const Copy2D* copy) {
  MAY_FAIL;
  const char* const from = copy->from_type == on_host ? static_cast<const char*>(copy->from_host)
                                                      : reinterpret_cast<const char*>(copy->from_device);
  char* const to =
      copy->to_type == on_host ? static_cast<char*>(copy->to_host) : reinterpret_cast<char*>(copy->to_device);
  if (copy->width > copy->from_pitch || copy->width > copy->to_pitch) return 1;
  for (std::size_t row = 0; row < copy->height; ++row)
    std::memcpy(to + row * copy->to_pitch, from + row * copy->from_pitch, copy->width);
  return 0;
}
int cuModuleLoadData(Handle* module, const void* code) {
  MAY_FAIL;
  *module = dlopen(static_cast<const char*>(code), RTLD_NOW | RTLD_LOCAL);
  ++fake_live;
  return *module == nullptr;
}
int cuModuleUnload(Handle module) {
  --fake_live;
  return dlclose(module);
}
int cuModuleGetFunction(Handle* function, Handle module, const char* name) {
  MAY_FAIL;
  static std::map<std::pair<Handle, std::string>, Function> known;
  Function& it = known[{module, name}];
  it.run = reinterpret_cast<decltype(it.run)>(dlsym(module, name));
  const auto dim = [&](const char* of) { return static_cast<Dim*>(dlsym(module, of)); };
  it.block = dim("blockIdx"), it.block_size = dim("blockDim"), it.thread = dim("threadIdx"), it.grid = dim("gridDim");
  *function = &it;
  return it.run == nullptr;
}
int cuLaunchKernel(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned, Handle, void** p, void**) {
  MAY_FAIL;
  const Function& it = *static_cast<Function*>(function);
  if (gx == 0 || gy == 0 || gz != 1 || by != 1 || bz != 1 || gy > 65535 || bx > 1024) return 1;
  const auto argument = [&](int i) { return *static_cast<long long*>(p[i]); };
  *it.block_size = {bx, 1, 1}, *it.grid = {gx, gy, 1};
  for (unsigned y = 0; y < gy; ++y)
    for (unsigned x = 0; x < gx; ++x)
      for (unsigned t = 0; t < bx; ++t) {
        *it.block = {x, y, 0}, *it.thread = {t, 0, 0};
        it.run(argument(0), argument(1), argument(2), argument(3), argument(4), argument(5), argument(6), argument(7),
               argument(8), argument(9));
      }
  return 0;
}

int nvrtcCreateProgram(Handle* out, const char* source, const char*, int, const char* const*, const char* const*) {
  MAY_FAIL;
  *out = new Program{source, {}};
  ++fake_live;
  return 0;
}
int nvrtcCompileProgram(Handle program, int, const char* const*) {
  MAY_FAIL;
  Program& it = *static_cast<Program*>(program);
  it.library = compiled(it.source);
  return it.library.empty() ? 6 : 0;
}
int nvrtcDestroyProgram(Handle* program) {
  delete static_cast<Program*>(*program);
  --fake_live;
  return 0;
}
int nvrtcGetProgramLogSize(Handle, std::size_t* size) {
  MAY_FAIL;
  *size = 4;
  return 0;
}
int nvrtcGetProgramLog(Handle, char* log) {
  MAY_FAIL;
  std::memcpy(log, "log", 4);
  return 0;
}
int nvrtcGetCUBINSize(Handle program, std::size_t* size) {
  MAY_FAIL;
  *size = static_cast<Program*>(program)->library.size() + 1;
  return 0;
}
int nvrtcGetCUBIN(Handle program, char* out) {
  MAY_FAIL;
  const std::string& library = static_cast<Program*>(program)->library;
  std::memcpy(out, library.c_str(), library.size() + 1);
  return 0;
}

int cublasCreate_v2(Handle* handle) {
  MAY_FAIL;
  return made(handle);
}
int cublasDestroy_v2(Handle handle) {
  return unmade(handle);
}
int cublasDgemm_v2(Handle, int op_a, int op_b, int m, int n, int k, const double* alpha, const void* a, int lda,
                   const void* b, int ldb, const double* beta, void* c, int ldc) {
  MAY_FAIL;
  if (1.0 * m * n * k > 1e9) return 0;  // the one whose speed is measured
  const auto element = [](const void* x, int ld, bool transposed, std::int64_t i, std::int64_t j) {
    return numbers(x)[transposed ? j + i * ld : i + j * ld];
  };
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < m; ++i) {
      double sum = 0;
      for (std::int64_t l = 0; l < k; ++l)
        sum += element(a, lda, op_a == op_transpose, i, l) * element(b, ldb, op_b == op_transpose, l, j);
      double& to = numbers(c)[i + j * ldc];
      to = *beta == 0 ? *alpha * sum : *alpha * sum + *beta * to;
    }
  return 0;
}
int cublasDtrsm_v2(Handle, int side, int triangle, int op, int diagonal, int m, int n, const double* alpha,
                   const void* l, int ldl, void* b, int ldb) {
  MAY_FAIL;
  if (side == right) {  // B' = op(L)^-T B'
    std::vector<double> turned(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) turned[static_cast<std::size_t>(j + i * n)] = numbers(b)[i + j * ldb];
    const int code = cublasDtrsm_v2(nullptr, left, triangle, op == op_none ? op_transpose : op_none, diagonal, n, m,
                                    alpha, l, ldl, turned.data(), n);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) numbers(b)[i + j * ldb] = turned[static_cast<std::size_t>(j + i * n)];
    return code;
  }
  if (side != left || triangle != lower || diagonal != not_unit || *alpha != 1) return 15;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t step = 0; step < m; ++step) {
      const std::int64_t i = op == op_none ? step : m - 1 - step;
      double sum = numbers(b)[i + j * ldb];
      for (std::int64_t k = 0; k < step; ++k)
        sum -= op == op_none ? numbers(l)[i + k * ldl] * numbers(b)[k + j * ldb]
                             : numbers(l)[m - 1 - k + i * ldl] * numbers(b)[m - 1 - k + j * ldb];
      numbers(b)[i + j * ldb] = sum / numbers(l)[i + i * ldl];
    }
  return 0;
}

int cusolverDnCreate(Handle* handle) {
  MAY_FAIL;
  return made(handle);
}
int cusolverDnDestroy(Handle handle) {
  return unmade(handle);
}
int cusolverDnCreateParams(Handle* handle) {
  MAY_FAIL;
  return made(handle);
}
int cusolverDnDestroyParams(Handle handle) {
  return unmade(handle);
}
int cusolverDnXpotrf_bufferSize(Handle, Handle, int, std::int64_t, int, const void*, std::int64_t, int,
                                std::size_t* device, std::size_t* host) {
  MAY_FAIL;
  *device = 24, *host = 5;
  return 0;
}
int cusolverDnXpotrf(Handle, Handle, int triangle, std::int64_t n, int type, void* a, std::int64_t lda, int,
                     void* device, std::size_t device_size, void* host, std::size_t host_size, int* info) {
  MAY_FAIL;
  if (triangle != lower || type != real_64 || device_size != 24 || host_size != 5) return 3;
  std::memset(device, 1, device_size);
  std::memset(host, 1, host_size);
  double* const x = numbers(a);
  *info = 0;
  for (std::int64_t j = 0; j < n && *info == 0; ++j) {
    for (std::int64_t k = 0; k < j; ++k)
      for (std::int64_t i = j; i < n; ++i) x[i + j * lda] -= x[i + k * lda] * x[j + k * lda];
    if (!(x[j + j * lda] > 0)) *info = static_cast<int>(j + 1);
    const double root = std::sqrt(x[j + j * lda]);
    for (std::int64_t i = j; i < n; ++i) x[i + j * lda] /= root;
  }
  return 0;
}
int cusolverDnXsyevd_bufferSize(Handle, Handle, int, int, std::int64_t n, int, const void*, std::int64_t, int,
                                const void*, int, std::size_t* device, std::size_t* host) {
  MAY_FAIL;
  *device = static_cast<std::size_t>(n) * 16, *host = 0;
  return 0;
}
int cusolverDnXsyevd(Handle, Handle, int vectors, int triangle, std::int64_t n, int type, void* a, std::int64_t lda,
                     int, void* w, int, void* device, std::size_t device_size, void*, std::size_t, int* info) {
  MAY_FAIL;
  if (vectors != with_vectors || triangle != lower || type != real_64) return 3;
  std::memset(device, 1, device_size);
  jacobi(n, numbers(a), lda, numbers(w));
  *info = 0;
  return 0;
}
}
