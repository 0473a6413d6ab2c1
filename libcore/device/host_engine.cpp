// The operations of an Engine by the core's own BLAS and LAPACK: the device is the host.
#include <algorithm>
#include <cmath>

#include "libcore/base/memory.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/device/engine.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/symmetric_eigen.hpp"

namespace freeridge {
namespace {

constexpr std::align_val_t alignment{64};

MatrixView here(DeviceView a) {
  return {reinterpret_cast<double*>(a.data), a.rows, a.cols, a.ld};
}
ConstMatrixView here(ConstDeviceView a) {
  return {reinterpret_cast<const double*>(a.data), a.rows, a.cols, a.ld};
}

double factor_of(Span<const double> factors, Index i) {
  return factors.empty() ? 1 : factors[i];
}

class HostKernel final : public DeviceKernel {
 public:
  HostKernel(KernelPtr kernel, Index d) : kernel_(std::move(kernel)), d_(d) {}
  Index columns() const override { return d_; }
  void prepare(ConstMatrixView x, MatrixView out) const override { copy(x, out); }
  void evaluate(ConstDeviceView a, ConstDeviceView b, DeviceView out) override {
    kernel_->evaluate(here(a), here(b), here(out));
    worked(touched * static_cast<double>(out.rows * out.cols));
  }

 private:
  KernelPtr kernel_;
  Index d_;
};

class HostEngine final : public Engine {
 public:
  std::string name() const override { return "the CPU in the place of a device"; }
  Index free_bytes() override { return available_memory().bytes; }
  double matrix_product_rate() override { return freeridge::matrix_product_rate(); }

  OnDevice* allocate(Index numbers) override {
    return static_cast<OnDevice*>(::operator new(static_cast<std::size_t>(numbers) * sizeof(double), alignment));
  }
  void release(OnDevice* data) noexcept override { ::operator delete(data, alignment); }
  void upload(ConstMatrixView from, DeviceView to) override { copy(from, here(to)); }
  void download(ConstDeviceView from, MatrixView to) override { copy(here(from), to); }

  void fill(double value, DeviceView to) override {
    for (Index j = 0; j < to.cols; ++j) std::fill_n(here(to).col(j), to.rows, value);
  }
  void scale(Span<const double> rows, Span<const double> columns, ConstDeviceView from, DeviceView to) override {
    for (Index j = 0; j < to.cols; ++j) {
      for (Index i = 0; i < to.rows; ++i)
        here(to)(i, j) = here(from)(i, j) * (factor_of(rows, i) * factor_of(columns, j));
      worked(touched * static_cast<double>(to.rows));
    }
  }
  void magnitudes(ConstDeviceView a, Span<double> out) override {
    sums(a, out, [](double value) { return std::abs(value); });
  }
  void squares(double factor, ConstDeviceView a, Span<double> out) override {
    sums(a, out, [&](double value) { return factor * value * (factor * value); });
  }

  void gemm(Op op_a, Op op_b, double alpha, ConstDeviceView a, ConstDeviceView b, double beta, DeviceView c) override {
    freeridge::gemm(op_a, op_b, alpha, here(a), here(b), beta, here(c));
  }
  void trsm(Op op, ConstDeviceView l, DeviceView b) override { freeridge::trsm(op, here(l), here(b)); }
  void trsm_right(Op op, ConstDeviceView l, DeviceView b) override { freeridge::trsm_right(op, here(l), here(b)); }
  bool potrf(DeviceView a) override { return freeridge::potrf(here(a)); }
  void eigen(DeviceView a, Span<double> w) override { symmetric_eigen(here(a), w); }
  Index eigen_bytes(Index n) override { return checked_doubles(n + n / 10 + 512, n) * 8; }

  std::unique_ptr<DeviceKernel> kernel(KernelPtr kernel, Index d) override {
    return std::make_unique<HostKernel>(std::move(kernel), d);
  }

 private:
  template <class F>
  static void sums(ConstDeviceView a, Span<double> out, const F& f) {
    for (Index j = 0; j < a.cols; ++j) {
      out[j] = 0;
      for (Index i = 0; i < a.rows; ++i) out[j] += f(here(a)(i, j));
      worked(touched * static_cast<double>(a.rows));
    }
  }
};

}  // namespace

EnginePtr make_host_engine() {
  return std::make_shared<HostEngine>();
}

}  // namespace freeridge
