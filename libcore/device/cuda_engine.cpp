// The operations of an Engine on a GPU: products and triangular systems by cuBLAS, Cholesky factors and eigenvectors by
// cuSOLVER, and loops over matrices, with the kernel's values among them, in CUDA C++ that NVRTC compiles. TF32 is never
// used. All calls go to the default stream of the device's primary context, which other libraries in the process share.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "libcore/device/cuda.hpp"
#include "libcore/device/engine.hpp"
#include "libcore/device/kernel_source.hpp"

namespace freeridge {
namespace {

using cuda::Address;
using cuda::Handle;

constexpr Index rate_size = 4096;                // of the product that is timed
constexpr Index threads = 128;                   // in a block
constexpr Index strip = 16;                      // columns of a tile of kernel values that a thread makes
constexpr Index chunk = 2048;                    // rows that a thread sums up
constexpr Index registers = 32;                  // columns of a point that a thread keeps
constexpr Index most_blocks = 65535;             // along y
using Arguments = std::array<std::int64_t, 10>;  // of a kernel: numbers and addresses of 8 bytes each; it reads its own

constexpr const char* prelude =
    "typedef long long integer;\n"
    "typedef double real;\n"
    "#define FREERIDGE_FUNCTION static __device__ __forceinline__\n"
    "#define ENTRY extern \"C\" __global__ void\n"
    "#define ROW (blockIdx.x * (integer)blockDim.x + threadIdx.x)\n";

// A thread has one row i, and every gridDim.y-th column; in column_sums one column and a chunk of its rows.
constexpr const char* loops = R"(
ENTRY fill_matrix(integer bits, real* to, integer ldt, integer rows, integer cols) {
  const integer i = ROW;
  if (i >= rows) return;
  for (integer j = blockIdx.y; j < cols; j += gridDim.y) to[i + j * ldt] = __longlong_as_double(bits);
}
ENTRY scale_matrix(const real* r, const real* c, const real* from, integer ldf, real* to,
                                        integer ldt, integer rows, integer cols) {
  const integer i = ROW;
  if (i >= rows) return;
  const real own = r ? r[i] : 1;
  for (integer j = blockIdx.y; j < cols; j += gridDim.y)
    to[i + j * ldt] = from[i + j * ldf] * (own * (c ? c[j] : 1));
}
ENTRY column_sums(integer squares, integer bits, const real* a, integer lda, integer rows,
                                       integer cols, integer chunk, real* out) {
  const integer j = ROW, first = blockIdx.y * chunk, end = first + chunk < rows ? first + chunk : rows;
  if (j >= cols) return;
  const real factor = __longlong_as_double(bits);
  real sum = 0;
  for (integer i = first; i < end; ++i) {
    const real value = a[i + j * lda];
    sum += squares ? factor * value * (factor * value) : fabs(value);
  }
  out[j + blockIdx.y * cols] = sum;
}
)";

// A thread has one row of the tile and a strip of its columns.
constexpr const char* tile = R"(
ENTRY kernel_tile(const real* __restrict__ a, integer lda, const real* __restrict__ b, integer ldb,
                                       const real* __restrict__ p, real* __restrict__ out, integer ldo, integer rows,
                                       integer cols) {
  const integer i = ROW, first = blockIdx.y * STRIP, end = first + STRIP < cols ? first + STRIP : cols;
  if (i >= rows) return;
#ifdef KEPT
  real x[KEPT];
  for (integer c = 0; c < KEPT; ++c) x[c] = a[i + c * lda];
  for (integer j = first; j < end; ++j) out[i + j * ldo] = kernel_value(x, 1, b + j, ldb, p);
#else
  for (integer j = first; j < end; ++j) out[i + j * ldo] = kernel_value(a + i, lda, b + j, ldb, p);
#endif
}
)";

std::int64_t address(ConstDeviceView a) {
  return std::bit_cast<std::int64_t>(a.data);
}

int int_of(Index value) {
  if (value > std::numeric_limits<int>::max())
    fail(Status::device_unavailable, "a matrix on the device has ", value,
         " rows or columns; at most 2^31 - 1 go there");
  return static_cast<int>(value);
}

// A context, and cuBLAS and cuSOLVER in it.
class CudaEngine final : public Engine, public std::enable_shared_from_this<CudaEngine> {
 public:
  explicit CudaEngine(Index number) : f_(cuda::load()) {
    int count = 0;
    call("cuDeviceGetCount", f_.cuDeviceGetCount, &count);
    if (number >= count)
      fail(Status::device_unavailable, "there is no CUDA device ", number, "; the driver has ", count,
           count == 1 ? " device" : " devices");
    call("cuDeviceGet", f_.cuDeviceGet, &device_, static_cast<int>(number));
    char name[128] = {};
    call("cuDeviceGetName", f_.cuDeviceGetName, name, static_cast<int>(sizeof name - 1), device_);
    name_ = text("CUDA device ", number, " (", static_cast<const char*>(name), ")");
    int major = 0, minor = 0;
    call("cuDeviceGetAttribute", f_.cuDeviceGetAttribute, &major, cuda::capability_major, device_);
    call("cuDeviceGetAttribute", f_.cuDeviceGetAttribute, &minor, cuda::capability_minor, device_);
    architecture_ = text("--gpu-architecture=sm_", major, minor);
    call("cuDevicePrimaryCtxRetain", f_.cuDevicePrimaryCtxRetain, &context_, device_);
    try {
      const Current current(*this);
      call("cublasCreate_v2", f_.cublasCreate_v2, &blas_);
      call("cusolverDnCreate", f_.cusolverDnCreate, &solver_);
      call("cusolverDnCreateParams", f_.cusolverDnCreateParams, &parameters_);
    } catch (...) {
      close();
      throw;
    }
  }
  ~CudaEngine() override { close(); }
  CudaEngine(const CudaEngine&) = delete;
  CudaEngine& operator=(const CudaEngine&) = delete;

  std::string name() const override { return name_; }
  Index free_bytes() override {
    const Current current(*this);
    std::size_t free = 0, total = 0;
    call("cuMemGetInfo_v2", f_.cuMemGetInfo_v2, &free, &total);
    return static_cast<Index>(free);
  }

  double matrix_product_rate() override {
    const EnginePtr self = shared_from_this();
    DeviceMatrix a(self, rate_size, rate_size), c(self, rate_size, rate_size);
    fill(1, a.view());
    gemm(Op::none, Op::none, 1, a.view(), a.view(), 0, c.view());
    const auto start = std::chrono::steady_clock::now();
    gemm(Op::none, Op::none, 1, a.view(), a.view(), 0, c.view());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const auto size = static_cast<double>(rate_size);
    return 2 * size * size * size / std::max(seconds.count(), 1e-9);
  }

  OnDevice* allocate(Index numbers) override {
    const Current current(*this);
    return std::bit_cast<OnDevice*>(bytes(static_cast<std::size_t>(numbers) * sizeof(double)));
  }
  void release(OnDevice* data) noexcept override {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (f_.cuCtxPushCurrent_v2(context_) != 0) {  // freed with the engine
      try {
        unfreed_.push_back(std::bit_cast<Address>(data));
      } catch (const std::bad_alloc&) {
      }
      return;
    }
    f_.cuMemFree_v2(std::bit_cast<Address>(data));
    Handle before = nullptr;
    f_.cuCtxPopCurrent_v2(&before);
  }

  void upload(ConstMatrixView from, DeviceView to) override {
    if (from.rows == 0 || from.cols == 0) return;
    const Current current(*this);
    if (contiguous(from) && contiguous(to))
      return call("cuMemcpyHtoD_v2", f_.cuMemcpyHtoD_v2, std::bit_cast<Address>(to.data),
                  static_cast<const void*>(from.data), bytes_of(from));
    cuda::Copy2D copy = sides(from, to);
    copy.from_type = cuda::on_host, copy.from_host = from.data;
    copy.to_type = cuda::on_device, copy.to_device = std::bit_cast<Address>(to.data);
    call("cuMemcpy2D_v2", f_.cuMemcpy2D_v2, &std::as_const(copy));
  }
  void download(ConstDeviceView from, MatrixView to) override {
    if (from.rows == 0 || from.cols == 0) return;
    const Current current(*this);
    if (contiguous(from) && contiguous(to))
      return call("cuMemcpyDtoH_v2", f_.cuMemcpyDtoH_v2, static_cast<void*>(to.data), std::bit_cast<Address>(from.data),
                  bytes_of(from));
    cuda::Copy2D copy = sides(from, to);
    copy.from_type = cuda::on_device, copy.from_device = std::bit_cast<Address>(from.data);
    copy.to_type = cuda::on_host, copy.to_host = to.data;
    call("cuMemcpy2D_v2", f_.cuMemcpy2D_v2, &std::as_const(copy));
  }

  void fill(double value, DeviceView to) override {
    run("fill_matrix", loops, to.rows, std::min(to.cols, most_blocks), to.cols,
        {std::bit_cast<std::int64_t>(value), address(to), to.ld, to.rows, to.cols});
  }
  void scale(Span<const double> rows, Span<const double> columns, ConstDeviceView from, DeviceView to) override {
    const DeviceMatrix r = vector_of(rows), c = vector_of(columns);
    run("scale_matrix", loops, to.rows, std::min(to.cols, most_blocks), to.cols,
        {address(r.view()), address(c.view()), address(from), from.ld, address(to), to.ld, to.rows, to.cols});
  }
  void magnitudes(ConstDeviceView a, Span<double> out) override { column_sums(false, 1, a, out); }
  void squares(double factor, ConstDeviceView a, Span<double> out) override { column_sums(true, factor, a, out); }

  void gemm(Op op_a, Op op_b, double alpha, ConstDeviceView a, ConstDeviceView b, double beta, DeviceView c) override {
    if (c.rows == 0 || c.cols == 0) return;
    const Index inner = op_a == Op::none ? a.cols : a.rows;
    const Current current(*this);
    call("cublasDgemm_v2", f_.cublasDgemm_v2, blas_, number_of(op_a), number_of(op_b), int_of(c.rows), int_of(c.cols),
         int_of(inner), &std::as_const(alpha), static_cast<const void*>(a.data), int_of(a.ld),
         static_cast<const void*>(b.data), int_of(b.ld), &std::as_const(beta), static_cast<void*>(c.data),
         int_of(c.ld));
    finish();
  }
  void trsm(Op op, ConstDeviceView l, DeviceView b) override { solve(cuda::left, op, l, b); }
  void trsm_right(Op op, ConstDeviceView l, DeviceView b) override { solve(cuda::right, op, l, b); }

  bool potrf(DeviceView a) override {
    if (a.rows == 0) return true;
    const Current current(*this);
    std::size_t on_device = 0, on_host = 0;
    call("cusolverDnXpotrf_bufferSize", f_.cusolverDnXpotrf_bufferSize, solver_, parameters_, cuda::lower, a.rows,
         cuda::real_64, static_cast<const void*>(a.data), a.ld, cuda::real_64, &on_device, &on_host);
    const Room room(*this, on_device, on_host);
    call("cusolverDnXpotrf", f_.cusolverDnXpotrf, solver_, parameters_, cuda::lower, a.rows, cuda::real_64,
         static_cast<void*>(a.data), a.ld, cuda::real_64, room.device(), on_device, room.host(), on_host, room.info());
    return answer_of(room, "cusolverDnXpotrf") == 0;
  }
  void eigen(DeviceView a, Span<double> w) override {
    if (a.rows == 0) return;
    const Current current(*this);
    DeviceMatrix values(shared_from_this(), a.rows, 1);
    const auto [on_device, on_host] = eigen_rooms(a, values.view());
    const Room room(*this, on_device, on_host);
    call("cusolverDnXsyevd", f_.cusolverDnXsyevd, solver_, parameters_, cuda::with_vectors, cuda::lower, a.rows,
         cuda::real_64, static_cast<void*>(a.data), a.ld, cuda::real_64, static_cast<void*>(values.view().data),
         cuda::real_64, room.device(), on_device, room.host(), on_host, room.info());
    if (answer_of(room, "cusolverDnXsyevd") > 0)
      fail(Status::not_converged, "the eigenvalues of the kernel matrix did not converge on the device");
    download(values.view(), {w.data(), a.rows, 1, a.rows});
  }
  Index eigen_bytes(Index n) override {
    const Current current(*this);
    return static_cast<Index>(eigen_rooms({nullptr, n, n, n}, {nullptr, n, 1, n}).first);
  }

  std::unique_ptr<DeviceKernel> kernel(KernelPtr kernel, Index d) override {
    return std::make_unique<CudaKernel>(*this, kernel_source(*kernel, d));
  }

 private:
  // While it lives, calls of this thread go to the context, and no other thread uses the engine.
  class Current {
   public:
    explicit Current(CudaEngine& engine) : engine_(engine), lock_(engine.mutex_) {
      engine.call("cuCtxPushCurrent_v2", engine.f_.cuCtxPushCurrent_v2, engine.context_);
    }
    ~Current() {
      Handle before = nullptr;
      engine_.f_.cuCtxPopCurrent_v2(&before);
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    CudaEngine& engine_;
    std::lock_guard<std::recursive_mutex> lock_;
  };

  // The workspaces of a call of cuSOLVER, and the number in which it answers.
  class Room {
   public:
    Room(CudaEngine& engine, std::size_t on_device, std::size_t on_host)
        : device_(engine.shared_from_this(), static_cast<Index>(on_device / sizeof(double) + 2), 1),
          host_((on_host + sizeof(double) - 1) / sizeof(double)) {}
    void* device() const { return address_of(0); }
    void* host() const { return host_.empty() ? nullptr : const_cast<double*>(host_.data()); }
    int* info() const { return static_cast<int*>(address_of(device_.rows() - 1)); }
    ConstDeviceView answer() const { return device_.view().row_range(device_.rows() - 1, 1); }

   private:
    void* address_of(Index place) const { return const_cast<OnDevice*>(device_.view().data + place); }
    DeviceMatrix device_;  // the workspace, which begins where memory does, and the answer behind it
    Array<double> host_;
  };

  class CudaKernel final : public DeviceKernel {
   public:
    CudaKernel(CudaEngine& engine, KernelSource source)
        : engine_(engine), source_(std::move(source)), p_(engine.vector_of(source_.numbers)) {
      const std::string kept = columns() <= registers ? text("#define KEPT ", columns(), "\n") : "";
      text_ = text("#define STRIP ", strip, "\n", kept, source_.text, tile);
    }
    Index columns() const override { return source_.columns(); }
    void prepare(ConstMatrixView x, MatrixView out) const override { source_.prepare(x, out); }
    void evaluate(ConstDeviceView a, ConstDeviceView b, DeviceView out) override {
      const Index at_once = strip * most_blocks;
      for (Index col = 0; col < out.cols; col += at_once) {
        const Index cols = std::min(at_once, out.cols - col);
        const DeviceView part = out.columns(col, cols);
        engine_.run("kernel_tile", text_, out.rows, (cols + strip - 1) / strip, cols,
                    {address(a), a.ld, address(b.row_range(col, cols)), b.ld, address(p_.view()), address(part),
                     part.ld, part.rows, part.cols});
      }
    }

   private:
    CudaEngine& engine_;
    KernelSource source_;
    DeviceMatrix p_;
    std::string text_;
  };

  template <class... Parameters, class... Arguments_>
  void call(const char* name, int (*function)(Parameters...), Arguments_... arguments) const {
    cuda::check(f_, function(arguments...), name);
  }
  // Waits for the device: an error of what runs there is an error of the operation that began it.
  void finish() const { call("cuCtxSynchronize", f_.cuCtxSynchronize); }

  Address bytes(std::size_t count) {
    Address out = 0;
    call("cuMemAlloc_v2", f_.cuMemAlloc_v2, &out, std::max<std::size_t>(count, sizeof(double)));
    return out;
  }
  DeviceMatrix vector_of(Span<const double> values) {
    if (values.empty()) return {};
    const Index n = std::ssize(values);
    return uploaded(shared_from_this(), {values.data(), n, 1, n});
  }

  template <class T>
  static bool contiguous(BasicView<T> a) {
    return a.cols == 1 || a.ld == a.rows;
  }
  template <class View>
  static std::size_t bytes_of(View a) {
    return static_cast<std::size_t>(a.rows * a.cols) * sizeof(double);
  }
  template <class From, class To>
  static cuda::Copy2D sides(From from, To to) {
    cuda::Copy2D out;
    out.from_pitch = static_cast<std::size_t>(from.ld) * sizeof(double);
    out.to_pitch = static_cast<std::size_t>(to.ld) * sizeof(double);
    out.width = static_cast<std::size_t>(from.rows) * sizeof(double);
    out.height = static_cast<std::size_t>(from.cols);
    return out;
  }
  static int number_of(Op op) { return op == Op::none ? cuda::op_none : cuda::op_transpose; }

  void solve(int side, Op op, ConstDeviceView l, DeviceView b) {
    if (b.rows == 0 || b.cols == 0) return;
    const double one = 1;
    const Current current(*this);
    call("cublasDtrsm_v2", f_.cublasDtrsm_v2, blas_, side, cuda::lower, number_of(op), cuda::not_unit, int_of(b.rows),
         int_of(b.cols), &one, static_cast<const void*>(l.data), int_of(l.ld), static_cast<void*>(b.data),
         int_of(b.ld));
    finish();
  }

  std::pair<std::size_t, std::size_t> eigen_rooms(ConstDeviceView a, ConstDeviceView w) const {
    std::size_t on_device = 0, on_host = 0;
    call("cusolverDnXsyevd_bufferSize", f_.cusolverDnXsyevd_bufferSize, solver_, parameters_, cuda::with_vectors,
         cuda::lower, a.rows, cuda::real_64, static_cast<const void*>(a.data), a.ld, cuda::real_64,
         static_cast<const void*>(w.data), cuda::real_64, &on_device, &on_host);
    return {on_device, on_host};
  }
  // What a call of cuSOLVER has left in its `info`: above 0 where there is no factor, or no convergence.
  int answer_of(const Room& room, const char* name) {
    finish();
    double bits = 0;
    download(room.answer(), {&bits, 1, 1, 1});
    const auto info = static_cast<std::int32_t>(std::bit_cast<std::int64_t>(bits) & 0xffffffff);
    if (info < 0) fail(Status::internal, name, " refused its argument ", -info);
    return info;
  }

  void column_sums(bool of_squares, double factor, ConstDeviceView a, Span<double> out) {
    std::ranges::fill(out, 0.0);
    if (a.rows == 0 || a.cols == 0) return;
    const Index chunks = (a.rows + chunk - 1) / chunk;
    DeviceMatrix sums(shared_from_this(), a.cols, chunks);
    run("column_sums", loops, a.cols, chunks, a.rows,
        {of_squares ? 1 : 0, std::bit_cast<std::int64_t>(factor), address(a), a.ld, a.rows, a.cols, chunk,
         address(sums.view())});
    Matrix parts(a.cols, chunks);
    download(sums.view(), parts.view());
    for (Index c = 0; c < chunks; ++c)
      for (Index j = 0; j < a.cols; ++j) out[j] += parts(j, c);
  }

  // Runs the function `name` of a program with a thread for each of `rows`, and `blocks` blocks of these; nothing where
  // there are no rows or columns.
  void run(const char* name, const std::string& program, Index rows, Index blocks, Index cols, Arguments arguments) {
    if (rows == 0 || cols == 0) return;
    const Current current(*this);
    Handle function = nullptr;
    call("cuModuleGetFunction", f_.cuModuleGetFunction, &function, module_of(program), name);
    std::array<void*, std::tuple_size_v<Arguments>> addresses{};
    for (std::size_t i = 0; i < addresses.size(); ++i) addresses[i] = &arguments[i];
    call("cuLaunchKernel", f_.cuLaunchKernel, function, static_cast<unsigned>((rows + threads - 1) / threads),
         static_cast<unsigned>(blocks), 1U, static_cast<unsigned>(threads), 1U, 1U, 0U, Handle{}, addresses.data(),
         static_cast<void**>(nullptr));
    finish();
  }

  // A program is compiled once, and kept as long as the engine.
  Handle module_of(const std::string& program) {
    const auto known = modules_.find(program);
    if (known != modules_.end()) return known->second;
    const std::string code = compiled(program);
    Handle module = nullptr;
    call("cuModuleLoadData", f_.cuModuleLoadData, &module, static_cast<const void*>(code.data()));
    modules_.emplace(program, module);
    return module;
  }

  std::string compiled(const std::string& program) const {
    struct Program {
      const cuda::Functions& f;
      Handle handle = nullptr;
      ~Program() {
        if (handle != nullptr) f.nvrtcDestroyProgram(&handle);
      }
    } it{f_};
    const std::string source = text(prelude, program);
    call("nvrtcCreateProgram", f_.nvrtcCreateProgram, &it.handle, source.c_str(), "freeridge.cu", 0,
         static_cast<const char* const*>(nullptr), static_cast<const char* const*>(nullptr));
    const char* const options[] = {architecture_.c_str(), "--fmad=false"};  // the core does not fuse either
    if (const int code = f_.nvrtcCompileProgram(it.handle, 2, options); code != 0) {
      std::size_t size = 0;
      std::string log;
      if (f_.nvrtcGetProgramLogSize(it.handle, &size) == 0) log.resize(size);
      if (size == 0 || f_.nvrtcGetProgramLog(it.handle, log.data()) != 0) log.clear();
      fail(Status::device_unavailable, "nvrtcCompileProgram answered ", code, " with the option ", architecture_, ": ",
           log.c_str());
    }
    std::size_t size = 0;
    call("nvrtcGetCUBINSize", f_.nvrtcGetCUBINSize, it.handle, &size);
    std::string out(size, '\0');
    call("nvrtcGetCUBIN", f_.nvrtcGetCUBIN, it.handle, out.data());
    return out;
  }

  void close() noexcept {
    if (context_ == nullptr) return;
    if (f_.cuCtxPushCurrent_v2(context_) == 0) {
      for (const Address memory : unfreed_) f_.cuMemFree_v2(memory);
      for (const auto& [program, module] : modules_) f_.cuModuleUnload(module);
      if (parameters_ != nullptr) f_.cusolverDnDestroyParams(parameters_);
      if (solver_ != nullptr) f_.cusolverDnDestroy(solver_);
      if (blas_ != nullptr) f_.cublasDestroy_v2(blas_);
      Handle before = nullptr;
      f_.cuCtxPopCurrent_v2(&before);
    }
    f_.cuDevicePrimaryCtxRelease_v2(device_);
  }

  cuda::Functions f_;
  int device_ = 0;
  std::string name_, architecture_;
  Handle context_ = nullptr, blas_ = nullptr, solver_ = nullptr, parameters_ = nullptr;
  std::recursive_mutex mutex_;  // operations are made of operations
  std::map<std::string, Handle> modules_;
  Array<Address> unfreed_;
};

}  // namespace

EnginePtr make_cuda_engine(Index device) {
  return std::make_shared<CudaEngine>(device);
}

}  // namespace freeridge
