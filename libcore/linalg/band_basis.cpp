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

// How many reflectors one update of Q takes: more of them run faster, but T costs their cube.
Index reflectors_together(Index m) {
  return m < 4096 ? 128 : 256;
}

}  // namespace

BandBasis::BandBasis(MatrixView a, Index b, std::vector<double> tau, Index formed_from)
    : a_(a), b_(b), tau_(std::move(tau)), formed_from_(formed_from) {
  if (formed()) set_corner();
}

void BandBasis::settle() {
  const Undisturbed undisturbed;
  if (taken_up_) take_up();
}

BandBasis::Block BandBasis::block(Index first, Index count) const {
  const Index origin = first + b_, rows = a_.rows - origin;
  Block out{Matrix(rows, count, 0.0), {}};
  for (Index j = 0; j < count; ++j) {
    out.v(j, j) = 1;
    std::copy(a_.col(first + j) + origin + j + 1, a_.col(first + j) + a_.rows, out.v.col(j) + j + 1);
  }
  out.t = compact_wy(out.v.view(), tau_.data() + first);
  return out;
}

// Q = H_1 ... H_f diag(I, Q_f), where Q_f is the part that is formed.
void BandBasis::apply(MatrixView c, bool transposed) const {
  const Index together = reflectors_together(a_.rows), blocks = (formed_from_ + together - 1) / together;
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
    if (taken_up_ && taken_up_->first == first) return;  // multiply_half_formed has met them
    const Block h = block(first, count);
    multiply_compact_wy(transposed ? Op::transpose : Op::none, h.v.view(), h.t.view(),
                        c.row_range(first + b_, h.v.rows()));
  };
  const auto multiply_rest = [&] { taken_up_ ? multiply_half_formed(c, transposed) : multiply_formed(); };
  if (transposed) {
    for (Index k = 0; k < blocks; ++k) multiply_block(k);
    multiply_rest();
  } else {
    multiply_rest();
    for (Index k = blocks - 1; k >= 0; --k) multiply_block(k);
  }
}

// H diag(I, Q_f) where some columns of Q_f have met H already: their rows from `origin` on are those of the product.
void BandBasis::multiply_half_formed(MatrixView c, bool transposed) const {
  const TakenUp& t = *taken_up_;
  const Index count = t.after - t.origin, rest = a_.rows - t.after;
  const MatrixView all = c.row_range(t.origin, count + rest), last = c.row_range(t.after, rest);
  Matrix done(count + rest, c.cols, 0.0), other(count + rest, c.cols, 0.0);
  const auto each_piece_of = [&](bool met, const auto& f) {
    for (Index col = 0; col < rest; col += t.width)
      if ((t.met[static_cast<std::size_t>(col / t.width)] != 0) == met) f(col, std::min(t.width, rest - col));
  };
  if (!transposed) {
    // H [c1; Q_other c2_other] + [H Q]_met c2_met
    for (Index j = 0; j < c.cols; ++j) std::copy_n(all.col(j), count, other.col(j));
    each_piece_of(false, [&](Index col, Index cols) {
      gemm(Op::none, Op::none, 1, a_.block(t.after, t.after + col, rest, cols), last.row_range(col, cols), 1,
           other.view().row_range(count, rest));
    });
    each_piece_of(true, [&](Index col, Index cols) {
      gemm(Op::none, Op::none, 1, a_.block(t.origin, t.after + col, count + rest, cols), last.row_range(col, cols), 1,
           done.view());
    });
    multiply_compact_wy(Op::none, t.h.v.view(), t.h.t.view(), other.view());
    for (Index j = 0; j < c.cols; ++j)
      for (Index i = 0; i < all.rows; ++i) all(i, j) = other(i, j) + done(i, j);
    return;
  }
  // d = H'c:  [d1; Q_other'd2], and [H Q]_met'c
  for (Index j = 0; j < c.cols; ++j) {
    std::copy_n(all.col(j), all.rows, done.col(j));
    std::copy_n(all.col(j), all.rows, other.col(j));
  }
  multiply_compact_wy(Op::transpose, t.h.v.view(), t.h.t.view(), other.view());
  for (Index j = 0; j < c.cols; ++j) std::copy_n(other.col(j), count, all.col(j));
  each_piece_of(false, [&](Index col, Index cols) {
    gemm(Op::transpose, Op::none, 1, a_.block(t.after, t.after + col, rest, cols), other.view().row_range(count, rest),
         0, last.row_range(col, cols));
  });
  each_piece_of(true, [&](Index col, Index cols) {
    gemm(Op::transpose, Op::none, 1, a_.block(t.origin, t.after + col, count + rest, cols), done.view(), 0,
         last.row_range(col, cols));
  });
}

// From the last reflectors to the first: with H = I - V T V' and V = [V1; V2], V1 square,
//     H diag(I, Q_f) = [I - V1 T V1', -V1 T (V2'Q_f); -V2 T V1', Q_f - V2 T (V2'Q_f)]
// Its first columns take the place of reflectors that have been taken up already. A piece of columns is changed as a
// whole or not at all, so that the work may be left between any two of them.
void BandBasis::form(const Progress& progress) {
  while (formed_from_ > 0) {
    const auto done = [&](Index left) { return work_done(left, reflectors()); };
    const Index before = formed_from_;
    if (!taken_up_) {
      const Index together = reflectors_together(a_.rows), first = (formed_from_ - 1) / together * together;
      const Index origin = first + b_, after = formed_from_ + b_, width = pieces_of(a_.rows - after);
      // Less than a grain, and not to be cancelled: it would be lost, and each call that is cancelled early lose it anew.
      const Undisturbed undisturbed;
      auto next =
          std::make_unique<TakenUp>(TakenUp{block(first, formed_from_ - first), first, origin, after, width, {}});
      next->met.assign(static_cast<std::size_t>((a_.rows - after + width - 1) / width), 0);
      taken_up_ = std::move(next);
    }
    const Stage stage(progress.part(done(before), done(taken_up_->first)), 0);
    take_up();
    progress.report(done(formed_from_));
  }
}

void BandBasis::take_up() {
  TakenUp& t = *taken_up_;
  const Index m = a_.rows, count = t.after - t.origin, rest = m - t.after;
  const ConstMatrixView v1 = t.h.v.view().row_range(0, count), v2 = t.h.v.view().row_range(count, rest);
  const MatrixView q = a_.block(t.after, t.after, rest, rest), top = a_.block(t.origin, t.after, count, rest);
  // What is left of the stage when it is taken up again is reported as if it were all.
  const Stage stage(4.0 * flop() * static_cast<double>(rest * count) * static_cast<double>(rest) / thread_count());
  each_columns(rest, t.width, 4.0 * static_cast<double>(rest * rest * count), [&](Index col, Index cols) {
    char& met = t.met[static_cast<std::size_t>(col / t.width)];
    if (met != 0) return;
    Matrix inner(count, cols), scaled(count, cols);
    gemm(Op::transpose, Op::none, 1, v2, q.columns(col, cols), 0, inner.view());
    gemm(Op::none, Op::none, 1, t.h.t.view(), inner.view(), 0, scaled.view());
    {
      const Undisturbed undisturbed;
      gemm(Op::none, Op::none, -1, v2, scaled.view(), 1, q.columns(col, cols));
      gemm(Op::none, Op::none, -1, v1, scaled.view(), 0, top.columns(col, cols));
      met = 1;
    }
    worked(2.0 * flop() * static_cast<double>(m * count) * static_cast<double>(cols));
  });
  Matrix left(count, count);
  {
    const SingleThreadedBlas single;
    gemm(Op::none, Op::transpose, 1, t.h.t.view(), v1, 0, left.view());
  }
  const Undisturbed undisturbed;  // the columns of the reflectors themselves
  const MatrixView fresh = a_.block(t.origin, t.origin, m - t.origin, count);
  each_columns(count, 64, 2.0 * static_cast<double>(fresh.rows * count * count), [&](Index col, Index cols) {
    gemm(Op::none, Op::none, -1, t.h.v.view(), left.view().columns(col, cols), 0, fresh.columns(col, cols));
  });
  for (Index j = 0; j < count; ++j) a_(t.origin + j, t.origin + j) += 1;
  formed_from_ = t.first;
  taken_up_.reset();
  if (formed()) set_corner();
}

void BandBasis::set_corner() {
  for (Index j = 0; j < std::min(b_, a_.rows); ++j)
    for (Index i = 0; i < a_.rows; ++i) a_(i, j) = a_(j, i) = i == j ? 1 : 0;
}

}  // namespace freeridge
