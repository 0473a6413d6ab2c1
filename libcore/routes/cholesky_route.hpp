// Dual Cholesky route, for any kernel and few lambdas: K_w is kept, and every lambda is paid for anew.
//     Z'GZ = s L L',   P~ = C'C,  C = L^-1 Z'      diag P~ = squared column norms of C,   P~_SS = C_S' C_S
//     log|Z'GZ| = m log s + 2 sum log L_ii,   Y~'PY~ = |L^-1 Z'Y~|^2 / s
//     H_ii = 1 - rho P~_ii
//     H_ii = K_ii / lambda - sum_j K_ij^2 / lambda^2 + ...
// The second form of H_ii serves without an intercept at a lambda far above tr K_w, where 1 - rho P~_ii has no digits.
// s is a power of two next to the mean eigenvalue of Z'GZ, so that L and P~ = s P have moderate numbers in any units of
// x, also where 1 / lambda overflows. A lambda costs m^3/3, its LOO m^3/3 more.
// Memory: n^2, in the host's memory or on a device (cholesky_matrix.hpp).
#pragma once

#include <limits>
#include <memory>
#include <utility>

#include "libcore/base/array.hpp"
#include "libcore/factor/factorization.hpp"
#include "libcore/factor/reduced_kernel.hpp"
#include "libcore/routes/cholesky_matrix.hpp"

namespace freeridge {

class Cholesky final : public Factorization {
 public:
  // The kernel's own matrix is in `matrix`.
  Cholesky(ProblemPtr problem, ReducedKernel kernel, std::unique_ptr<CholeskyMatrix> matrix);

  Route route() const override { return Route::cholesky; }
  // The trace is a bound of the largest eigenvalue; the smallest may be as small as rounding.
  EigenvalueRange eigenvalue_range() const override { return {std::min(tolerance(), trace_), trace_}; }
  double floor() const override { return trace_ > 0 ? sure_of_matrix * kernel_.noise(trace_) : 0; }
  // Below this lambda potrf has no answer.
  double tolerance() const override {
    return static_cast<double>(contrast().m()) * std::numeric_limits<double>::epsilon() * trace_;
  }
  Eigenvalues eigenvalues() const override { no_eigenvalues(); }
  void eigenvectors(MatrixView) const override { no_eigenvalues(); }
  std::unique_ptr<ResidualMaker> at(double lambda) const override;
  bool at_is_free() const override { return false; }
  std::unique_ptr<RowBlock> rows(Span<const Index> which) const override;
  void save(ByteWriter& out) const override;

  const Contrast& contrast() const { return kernel_.contrast; }
  const CholeskyMatrix& matrix() const { return *matrix_; }
  double mean_eigenvalue() const { return trace_ / static_cast<double>(std::max<Index>(contrast().m(), 1)); }
  double constant_part() const { return kernel_.constant_part; }
  double trace() const { return trace_; }
  Span<const double> row_share() const { return row_share_; }
  Span<const double> square_share() const { return square_share_; }
  ConstMatrixView reduced_outputs() const { return contrast().rows(z_y_.view()); }
  ConstMatrixView k_q1() const { return kernel_.k_q1.view(); }
  // The sizes d_i of the rows of Z'K_wZ, where they differ widely; else empty.
  Span<const double> sizes() const { return sizes_; }

 private:
  [[noreturn]] static void no_eigenvalues() {
    fail(Status::invalid_state, "the CHOLESKY route knows no eigenvalues; set the route SPECTRAL");
  }
  void set_shares(Span<const double> diagonal);

  ReducedKernel kernel_;  // without its storage
  std::unique_ptr<CholeskyMatrix> matrix_;
  Matrix z_y_;        // Z'Y~ in its last m rows
  double trace_ = 0;  // of Z'K_wZ
  Array<double> sizes_;
  // K_ii / tr K_w and sum_j (K_ij / tr K_w)^2; empty with an intercept
  Array<double> row_share_, square_share_;
};

}  // namespace freeridge
