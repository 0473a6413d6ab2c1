// The covariances of m functionals, of which a caller wants the variances alone, or the whole symmetric matrix. With a
// column for each functional in A and in B, a route adds up
//     variances   out[q]    += factor a_q'b_q
//     whole       out(p, q) += factor (a_p'b_q + b_p'a_q) / 2
// so that its formula is written once. Nothing is set to zero before.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {

class Covariances {
 public:
  Covariances() = default;                                          // none are wanted
  Covariances(Span<double> variances) : variances_(variances) {}    // NOLINT: variances are covariances
  Covariances(Array<double>& variances) : variances_(variances) {}  // NOLINT: likewise
  explicit Covariances(MatrixView whole) : whole_(whole) {}         // m x m

  Index count() const { return is_whole() ? whole_.cols : std::ssize(variances_); }
  bool wanted() const { return count() > 0; }
  bool is_whole() const { return whole_.cols > 0; }
  Span<double> variances() const { return variances_; }  // without numbers where the whole is wanted
  MatrixView whole() const { return whole_; }

  // Throws NOT_FINITE; of_functionals: the points have factors.
  void require_finite(bool of_functionals) const {
    bool finite = all_finite(variances_);
    for (Index q = 0; q < whole_.cols; ++q) finite = finite && all_finite({whole_.col(q), whole_.rows});
    if (!finite)
      fail(Status::not_finite, "the covariances overflow; rescale x", of_functionals ? ", or the factors" : "");
  }

  void add(double factor, ConstMatrixView a, ConstMatrixView b) const {
    for (std::size_t q = 0; q < variances_.size(); ++q)
      variances_[q] += factor * dot(a.rows, a.col(static_cast<Index>(q)), b.col(static_cast<Index>(q)));
    if (!is_whole() || a.rows == 0) return;
    const Index m = whole_.cols;
    const bool same = a.data == b.data;
    gemm(Op::transpose, Op::none, same ? factor : factor / 2, a.columns(0, m), b.columns(0, m), 1, whole_);
    if (!same) gemm(Op::transpose, Op::none, factor / 2, b.columns(0, m), a.columns(0, m), 1, whole_);
  }
  void add(double factor, ConstMatrixView a) const { add(factor, a, a); }

 private:
  Span<double> variances_;
  MatrixView whole_;
};

}  // namespace freeridge
