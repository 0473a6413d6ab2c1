// Q of the reduction to banded form (band_reduction.hpp): products with it, and its columns in the place of the
// reflectors.
#include <algorithm>
#include <utility>

#include "libcore/linalg/band_reduction.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/compact_wy.hpp"
#include "libcore/linalg/pieces.hpp"
#include "libcore/linalg/work_done.hpp"

namespace freeridge {
namespace {

// The number of reflectors in one update of Q: products with many are faster, but T costs the cube of their number, and
// V and T V2'Q take 2 m numbers for each reflector (form_block): at most m^2 / 16 from m = 4096 on.
Index reflectors_together(Index m) {
  return m < 8192 ? 128 : 256;
}

}  // namespace

BandBasis::BandBasis(MatrixView a, Index b, Array<double> tau, Index formed_from)
    : a_(a), b_(b), tau_(std::move(tau)), formed_from_(formed_from) {
  if (formed()) set_corner();
}

BandBasis::Block BandBasis::block(Index first, Index count) const {
  const Index origin = first + b_;
  Block out{reflectors_below(a_.block(origin, first, a_.rows - origin, count)), {}};
  out.t = compact_wy(out.v.view(), tau_.data() + first);
  return out;
}

// Q = H_1 ... H_f diag(I, Q_f), where Q_f is the part that is formed.
void BandBasis::apply(MatrixView c, bool transposed) const {
  const Index together = reflectors_together(a_.rows), blocks = pieces(formed_from_, together);
  const auto multiply_formed = [&] {
    const Index from = formed() ? 0 : formed_from_ + b_, size = a_.rows - from;
    if (formed_from_ == reflectors() && !formed()) return;  // nothing is formed
    Matrix copy(size, c.cols);
    for (Index j = 0; j < c.cols; ++j) std::copy_n(c.col(j) + from, size, copy.col(j));
    gemm(transposed ? Op::transpose : Op::none, Op::none, 1, a_.block(from, from, size, size), copy.view(), 0,
         c.row_range(from, size));
  };
  const auto multiply_block = [&](Index k) {
    const Index first = k * together, count = std::min(together, formed_from_ - first);
    const Block h = block(first, count);
    multiply_compact_wy(transposed ? Op::transpose : Op::none, h.v.view(), h.t.view(),
                        c.row_range(first + b_, h.v.rows()));
  };
  if (transposed) {
    for (Index k = 0; k < blocks; ++k) multiply_block(k);
    multiply_formed();
  } else {
    multiply_formed();
    for (Index k = blocks - 1; k >= 0; --k) multiply_block(k);
  }
}

// From the last reflectors to the first: with H = I - V T V' and V = [V1; V2], V1 square,
//     H diag(I, Q_f) = [I - V1 T V1', -V1 T (V2'Q_f); -V2 T V1', Q_f - V2 T (V2'Q_f)]
// Its first columns take the place of these reflectors.
void BandBasis::form() {
  while (formed_from_ > 0) {
    const Index together = reflectors_together(a_.rows);
    form_block((formed_from_ - 1) / together * together);
    report(work_done(formed_from_, reflectors()));
  }
}

// For the reflectors from `first` on. First everything that may run out of memory or be cancelled, which does not
// change Q; then Q is changed in one loop that cannot fail.
void BandBasis::form_block(Index first) {
  const Index m = a_.rows, origin = first + b_, after = formed_from_ + b_, count = after - origin, rest = m - after;
  const Index width = pieces_of(rest), others = pieces(rest, width);
  const double flops = 2.0 * static_cast<double>(rest * count) * static_cast<double>(m);
  const Block h = block(first, count);
  const ConstMatrixView v1 = h.v.view().row_range(0, count), v2 = h.v.view().row_range(count, rest);
  const MatrixView q = a_.block(after, after, rest, rest), top = a_.block(origin, after, count, rest);
  Matrix scaled(count, rest), left(count, count);  // T V2'Q_f and T V1'
  each_block(rest, width, flops, [&](Index col, Index cols) {
    const MatrixView product = top.columns(col, cols);
    gemm(Op::transpose, Op::none, 1, v2, q.columns(col, cols), 0, product);
    gemm(Op::none, Op::none, 1, h.t.view(), product, 0, scaled.view().columns(col, cols));
  });
  {
    const SingleThreadedBlas single;
    gemm(Op::none, Op::transpose, 1, h.t.view(), v1, 0, left.view());
  }
  {
    const Undisturbed undisturbed;
    const MatrixView own = a_.block(origin, origin, m - origin, count);
    each_piece(others + pieces(count, 64), flops, [&](Index piece) {
      if (piece < others) {
        const Index col = piece * width, cols = std::min(width, rest - col);
        const ConstMatrixView with = scaled.view().columns(col, cols);
        gemm(Op::none, Op::none, -1, v2, with, 1, q.columns(col, cols));
        gemm(Op::none, Op::none, -1, v1, with, 0, top.columns(col, cols));
      } else {
        const Index col = (piece - others) * 64, cols = std::min<Index>(64, count - col);
        gemm(Op::none, Op::none, -1, h.v.view(), left.view().columns(col, cols), 0, own.columns(col, cols));
      }
    });
    for (Index j = 0; j < count; ++j) a_(origin + j, origin + j) += 1;
    formed_from_ = first;
    if (formed()) set_corner();
  }
  worked(flop() * flops / thread_count());
}

void BandBasis::set_corner() {
  for (Index j = 0; j < std::min(b_, a_.rows); ++j)
    for (Index i = 0; i < a_.rows; ++i) a_(i, j) = a_(j, i) = i == j ? 1 : 0;
}

}  // namespace freeridge
