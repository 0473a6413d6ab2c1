// A device computes in a memory of its own. A route that runs on one asks an Engine for some ten operations on matrices
// there, all in double precision:
//     host_engine.cpp    the core's own BLAS and LAPACK, in the host's memory: what is built on an Engine is tested with
//                        it where there is no other device
//     cuda_engine.cpp    a GPU by CUDA's libraries, which are looked for when a caller asks for one
// An operation returns when it is done. A device that is not there, or fails, is DEVICE_UNAVAILABLE; one that has not
// enough memory OUT_OF_MEMORY. Several threads may use one Engine.
#pragma once

#include <memory>
#include <string>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {

// A number in the memory of a device, which the host cannot read: numbers go there and back by upload and download.
struct OnDevice {
  double value;
};
using DeviceView = BasicView<OnDevice>;
using ConstDeviceView = BasicView<const OnDevice>;

// The diagonal of a square matrix, as a matrix of one row.
template <class T>
BasicView<T> diagonal_of(BasicView<T> a) {
  return {a.data, 1, a.rows, a.ld + 1};
}

// A kernel as a device evaluates it. Points are n x columns() numbers there, which `prepare` makes of n x d.
class DeviceKernel {
 public:
  virtual ~DeviceKernel() = default;
  virtual Index columns() const = 0;
  virtual void prepare(ConstMatrixView x, MatrixView out) const = 0;
  // out(i, j) = k(a_i, b_j)
  virtual void evaluate(ConstDeviceView a, ConstDeviceView b, DeviceView out) = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string name() const = 0;  // for people
  virtual Index free_bytes() = 0;        // of its memory
  virtual double matrix_product_rate() = 0;

  virtual OnDevice* allocate(Index numbers) = 0;
  virtual void release(OnDevice* data) noexcept = 0;
  virtual void upload(ConstMatrixView from, DeviceView to) = 0;
  virtual void download(ConstDeviceView from, MatrixView to) = 0;

  // to = value, in all places
  virtual void fill(double value, DeviceView to) = 0;
  // to(i, j) = from(i, j) (rows_i columns_j); an empty factor is all ones. `from` may be `to`.
  virtual void scale(Span<const double> rows, Span<const double> columns, ConstDeviceView from, DeviceView to) = 0;
  // out_j = sum_i |a_ij|, or sum_i (factor a_ij)^2
  virtual void magnitudes(ConstDeviceView a, Span<double> out) = 0;
  virtual void squares(double factor, ConstDeviceView a, Span<double> out) = 0;

  // C = alpha op(A) op(B) + beta C
  virtual void gemm(Op op_a, Op op_b, double alpha, ConstDeviceView a, ConstDeviceView b, double beta,
                    DeviceView c) = 0;
  // B = op(L)^-1 B and B = B op(L)^-1, L lower triangular
  virtual void trsm(Op op, ConstDeviceView l, DeviceView b) = 0;
  virtual void trsm_right(Op op, ConstDeviceView l, DeviceView b) = 0;
  // A = L L' in the lower triangle; false when A is not positive definite.
  [[nodiscard]] virtual bool potrf(DeviceView a) = 0;
  // A = V diag(w) V', w ascending, V in the place of A (lower triangle); and the memory that this takes beside A.
  virtual void eigen(DeviceView a, Span<double> w) = 0;
  virtual Index eigen_bytes(Index n) = 0;

  // A kernel of points with d features; not a precomputed one.
  virtual std::unique_ptr<DeviceKernel> kernel(KernelPtr kernel, Index d) = 0;
};
using EnginePtr = std::shared_ptr<Engine>;

// The same numbers as those of freeridge_device in freeridge.h. From first_cuda on, the CUDA devices in their order.
constexpr Index no_device = 0, host_device = -1, first_cuda = 1;
// NULL for no_device. Models that use a device at the same time have one engine.
EnginePtr open_engine(Index number);

// An owning matrix on a device; its numbers are not initialised.
class DeviceMatrix {
 public:
  DeviceMatrix() = default;
  DeviceMatrix(EnginePtr engine, Index rows, Index cols)
      : engine_(std::move(engine)), data_(engine_->allocate(checked_doubles(rows, cols))), rows_(rows), cols_(cols) {}
  DeviceMatrix(DeviceMatrix&& other) noexcept { *this = std::move(other); }
  DeviceMatrix& operator=(DeviceMatrix&& other) noexcept {
    std::swap(engine_, other.engine_);
    std::swap(data_, other.data_);
    std::swap(rows_, other.rows_);
    std::swap(cols_, other.cols_);
    return *this;
  }
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;
  ~DeviceMatrix() {
    if (engine_) engine_->release(data_);
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  DeviceView view() { return {data_, rows_, cols_, rows_ > 0 ? rows_ : 1}; }
  ConstDeviceView view() const { return {data_, rows_, cols_, rows_ > 0 ? rows_ : 1}; }

 private:
  EnginePtr engine_;
  OnDevice* data_ = nullptr;
  Index rows_ = 0, cols_ = 0;
};

// The same numbers on the device.
DeviceMatrix uploaded(const EnginePtr& engine, ConstMatrixView from);
// The diagonal, by way of neighbouring numbers: copies of single numbers between the memories are slow.
Array<double> diagonal_from(const EnginePtr& engine, ConstDeviceView a);
void set_diagonal(const EnginePtr& engine, Span<const double> values, DeviceView a);
// The largest sum of magnitudes of a column; NaN or Inf where a number is.
double norm1(Engine& engine, ConstDeviceView a);

// What open_engine opens.
EnginePtr make_host_engine();
EnginePtr make_cuda_engine(Index device);

}  // namespace freeridge
