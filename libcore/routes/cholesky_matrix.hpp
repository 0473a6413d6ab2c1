// Z'K_wZ as the CHOLESKY route keeps it, and the factor of Z'GZ = Z'K_wZ + lambda I = s L L' for one lambda at a time: in
// the host's memory (cholesky_host.cpp), or on a device (cholesky_device.cpp). Notation of cholesky_route.hpp.
#pragma once

#include <memory>

#include "libcore/base/array.hpp"
#include "libcore/device/engine.hpp"
#include "libcore/factor/contrast.hpp"
#include "libcore/factor/reduced_kernel.hpp"
#include "libcore/routes/regular_cholesky.hpp"

namespace freeridge {

class CholeskyFactor {
 public:
  virtual ~CholeskyFactor() = default;
  // An estimate of the smallest eigenvalue of Z'GZ, from below but for a small factor.
  virtual double smallest() const = 0;
  virtual double log_sum() const = 0;                     // sum log L_ii
  virtual void half_solve(MatrixView b) const = 0;        // b = L^-1 b
  virtual void other_half_solve(MatrixView b) const = 0;  // b = L^-T b
  // diag Z (L L')^-1 Z', n numbers
  virtual void diagonal(const Contrast& contrast, Span<double> out) const = 0;
  // (L^-1 c)'(L^-1 c), lower triangle; c is used up.
  virtual void block(MatrixView c, MatrixView out) const = 0;
  // Z (L L')^-1 Z', n x n, and its diagonal. False where it is as well made by columns.
  virtual bool whole(const Contrast&, MatrixView, Span<double>) const { return false; }
};

class CholeskyMatrix {
 public:
  virtual ~CholeskyMatrix() = default;
  virtual Array<double> diagonal() const = 0;
  // The elements below the diagonal of column j. `room` has place for m numbers.
  virtual Span<const double> below(Index j, Span<double> room) const = 0;
  // u'(Z'K_wZ) u
  virtual double quadratic_form(const double* u) const = 0;
  // sum_j (K_ij / unit)^2 for each row i
  virtual Array<double> square_sums(double unit) const = 0;
  // Throws NOT_POSITIVE_DEFINITE. It must not outlive the matrix.
  virtual std::unique_ptr<CholeskyFactor> factor(const RegularMatrix& about) const = 0;
};

// Takes the storage out of the kernel.
std::unique_ptr<CholeskyMatrix> matrix_on_host(ReducedKernel& kernel);
// storage: n x n, Z'K_wZ in its last m rows and columns, both triangles.
std::unique_ptr<CholeskyMatrix> matrix_on_device(EnginePtr engine, DeviceMatrix storage, Index m);

}  // namespace freeridge
