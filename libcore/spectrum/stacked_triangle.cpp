#include "libcore/spectrum/stacked_triangle.hpp"

#include "libcore/linalg/row_qr.hpp"
#include "libcore/spectrum/small_svd.hpp"

namespace freeridge {

StackedTriangle::StackedTriangle(MatrixView stack, Index p) : norms(column_norms(stack.columns(0, p))), l(p, p, 0.0) {
  for (Index k = 0; k < p; ++k) {
    double& norm = norms[k];
    if (norm == 0) norm = 1;
    for (Index i = 0; i < stack.rows; ++i) stack(i, k) /= norm;
  }
  RowQr qr(stack.cols);
  qr.absorb(stack);
  for (Index k = 0; k < p; ++k)
    for (Index i = 0; i <= k; ++i) l(k, i) = qr.r()(i, k);
  right = copy_of(qr.r().block(0, p, p, stack.cols - p));
}

}  // namespace freeridge
