#include "libcore/factor/row_refit.hpp"

#include <cmath>
#include <limits>

#include "libcore/linalg/blas.hpp"

namespace freeridge {

void RowRefit::penalise(ConstMatrixView pi) {
  Matrix rows(pi.rows, k_ + t_, 0.0);
  copy(pi, rows.view().columns(0, pi.cols));
  qr_.absorb(rows.view());
}

// The columns of [A; Pi] have norms of about one where their features are made orthonormal; else they count beside the
// largest.
bool RowRefit::determined() const {
  double largest = 0;
  for (Index k = 0; k < k_; ++k) largest = std::max(largest, norm2(k + 1, r().col(k)));
  const double least = static_cast<double>(k_) * std::numeric_limits<double>::epsilon() * largest;
  for (Index k = 0; k < k_; ++k)
    if (!(std::abs(r()(k, k)) > least)) return false;
  return true;
}

Matrix RowRefit::beta() const {
  Matrix out = copy_of(qr_.r().block(0, k_, k_, t_));
  trsm(Op::none, r(), out.view(), Triangle::upper);
  return out;
}

Matrix RowRefit::leave_out(ConstMatrixView a, MatrixView v) const {
  Matrix inner(k_, v.cols);
  gemm(Op::transpose, Op::none, 1, a, v, 0, inner.view());
  trsm(Op::transpose, r(), inner.view(), Triangle::upper);
  trsm(Op::none, r(), inner.view(), Triangle::upper);
  gemm(Op::none, Op::none, 1, a, inner.view(), 1, v);
  return inner;
}

}  // namespace freeridge
