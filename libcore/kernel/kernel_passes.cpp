#include "libcore/kernel/kernel_passes.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index pass_tile = 256;  // a tile of 512 KiB and its points stay in the L2 cache
// Rows of a strip, whose sums are added to the whole together: four tiles where there are many.
Index strip_rows(Index n) {
  return n >= 16 * pass_tile ? 4 * pass_tile : pass_tile;
}

}  // namespace

// The tiles of the rows [first, end) on and below the diagonal, on one thread.
class KernelPasses::Strip {
 public:
  Strip(const KernelPasses& of, ConstMatrixView p, Matrix& sum)
      : of_(of), p_(p), sum_(sum), tile_(pass_tile, pass_tile) {
    if (of_.kernel_->precomputed()) return;
    a_ = Matrix(pass_tile, of_.x_.cols);
    b_ = Matrix(pass_tile, of_.x_.cols);
  }

  void run(Index first, Index end) {
    const MatrixView sum = sum_.view().row_range(0, end);
    for (Index j = 0; j < sum.cols; ++j) std::fill_n(sum.col(j), end, 0.0);
    for (Index i = first; i < end; i += pass_tile) {
      const Index rows = std::min(pass_tile, end - i);
      const MatrixView a = a_.view().row_range(0, a_.rows() > 0 ? rows : 0);
      if (a.rows > 0) copy_rows(of_.x_, i, a);
      for (Index j = 0; j <= i; j += pass_tile)
        add(i, j, a, tile_.view().block(0, 0, rows, std::min(pass_tile, end - j)));
    }
  }

 private:
  void add(Index i, Index j, ConstMatrixView a, MatrixView tile) {
    if (of_.kernel_->precomputed()) {
      copy_rows(of_.x_.dense().columns(j, tile.cols), i, tile);
    } else {
      const MatrixView b = b_.view().row_range(0, tile.cols);
      if (i != j) copy_rows(of_.x_, j, b);
      of_.kernel_->evaluate(a, i == j ? a : b, tile);
    }
    worked((60 + 2 * static_cast<double>(of_.x_.cols)) * static_cast<double>(tile.rows * tile.cols));
    gemm(Op::none, Op::none, 1, tile, p_.row_range(j, tile.cols), 1, sum_.view().row_range(i, tile.rows));
    if (i != j)
      gemm(Op::transpose, Op::none, 1, tile, p_.row_range(i, tile.rows), 1, sum_.view().row_range(j, tile.cols));
  }

  const KernelPasses& of_;
  ConstMatrixView p_;
  Matrix& sum_;
  Matrix tile_, a_, b_;
};

// The same in single precision. Sums, and the columns to multiply, lie by rows of eight columns, one group of eight after the
// other.
class KernelPasses::SingleStrip {
 public:
  static constexpr Index side = SingleLoops::side, together = SingleLoops::together;

  SingleStrip(const SinglePoints& points, Span<const float> p, Index groups, Index tiles, Matrix& sum)
      : points_(points), p_(p), groups_(groups), tiles_(tiles), sum_(sum), tile_(side * side) {}

  void run(Index first, Index end) {
    std::fill_n(sum_.data(), sum_.rows() * sum_.cols(), 0.0);
    for (Index i = first; i < end; ++i)
      for (Index j = 0; j <= i; ++j) add(i, j);
  }

 private:
  Index place(Index group, Index tile) const { return (group * tiles_ + tile) * side * together; }

  void add(Index i, Index j) {
    points_.evaluate(i, j, tile_.data());
    for (Index g = 0; g < groups_; ++g) {
      std::fill_n(own_, side * together, 0.0f);
      std::fill_n(other_, side * together, 0.0f);
      single_loops().products(tile_.data(), p_.data() + place(g, i), p_.data() + place(g, j), own_, other_);
      double* const of_i = sum_.data() + place(g, i);
      for (Index k = 0; k < side * together; ++k) of_i[k] += own_[k];
      if (i == j) continue;
      double* const of_j = sum_.data() + place(g, j);
      for (Index k = 0; k < side * together; ++k) of_j[k] += other_[k];
    }
    worked((30 + static_cast<double>(points_.d()) + 16 * static_cast<double>(groups_)) * side * side);
  }

  const SinglePoints& points_;
  Span<const float> p_;
  Index groups_, tiles_;
  Matrix& sum_;
  Array<float> tile_;
  float own_[side * together], other_[side * together];
};

void KernelPasses::multiply(ConstMatrixView p, MatrixView out, Precision precision) const {
  const Index n = x_.rows;
  Matrix weighted(n, p.cols);
  for (Index j = 0; j < p.cols; ++j)
    for (Index i = 0; i < n; ++i) weighted(i, j) = sqrt_w_[i] * p(i, j);
  {
    const Stage still(0, 0);  // a part of an iteration, which reports by itself
    if (precision == Precision::single_precision)
      multiply_single(weighted.view(), out);
    else
      multiply_double(weighted.view(), out);
  }
  for (Index j = 0; j < out.cols; ++j) {
    for (Index i = 0; i < n; ++i) out(i, j) *= sqrt_w_[i];
    if (first_not_finite({out.col(j), n}) < n)
      fail(Status::not_finite, "a product with the kernel matrix overflows; rescale x");
  }
}

void KernelPasses::multiply_double(ConstMatrixView weighted, MatrixView out) const {
  const Index n = x_.rows, strip = strip_rows(n), strips = (n + strip - 1) / strip, k = weighted.cols;
  for (Index j = 0; j < k; ++j) std::fill_n(out.col(j), n, 0.0);
  const int team = team_size(strips, 20 * static_cast<double>(n) * static_cast<double>(n));
  Array<Matrix> sums(team);
  for (Matrix& sum : sums) sum = Matrix(n, k);
  parallel_in_order(
      strips, team,
      [&](Index s, int worker) { Strip(*this, weighted, sums[worker]).run(s * strip, std::min(n, (s + 1) * strip)); },
      [&](Index s, int worker) {
        const Index end = std::min(n, (s + 1) * strip);
        for (Index j = 0; j < k; ++j)
          for (Index i = 0; i < end; ++i) out(i, j) += sums[worker](i, j);
      });
}

// Columns are divided by powers of two near their norms: floats neither overflow nor vanish.
void KernelPasses::multiply_single(ConstMatrixView weighted, MatrixView out) const {
  constexpr Index side = SingleStrip::side, together = SingleStrip::together;
  const Index n = x_.rows, k = weighted.cols, tiles = (n + side - 1) / side, groups = (k + together - 1) / together,
              strip = strip_rows(n) / side, strips = (tiles + strip - 1) / strip;
  const auto place = [&](Index i, Index j) {
    return ((j / together * tiles + i / side) * side + i % side) * together + j % together;
  };
  Array<float> p(groups * tiles * side * together, 0.0f);
  Array<double> unit(k, 1.0);
  for (Index j = 0; j < k; ++j) {
    const double norm = norm2(n, weighted.col(j));
    if (norm > 0) unit[j] = std::ldexp(1.0, std::ilogb(norm));
    for (Index i = 0; i < n; ++i) p[place(i, j)] = static_cast<float>(weighted(i, j) / unit[j]);
  }
  const int team = team_size(strips, 2 * static_cast<double>(n) * static_cast<double>(n));
  Array<Matrix> sums(team);
  for (Matrix& sum : sums) sum = Matrix(tiles * side * together, groups);
  Matrix total(tiles * side * together, groups, 0.0);
  parallel_in_order(
      strips, team,
      [&](Index s, int worker) {
        SingleStrip(*single_, p, groups, tiles, sums[worker]).run(s * strip, std::min(tiles, (s + 1) * strip));
      },
      [&](Index s, int worker) {
        const Index end = std::min(tiles, (s + 1) * strip) * side * together;
        for (Index g = 0; g < groups; ++g)
          for (Index i = 0; i < end; ++i) total(i, g) += sums[worker](i, g);
      });
  for (Index j = 0; j < k; ++j)
    for (Index i = 0; i < n; ++i) out(i, j) = total.data()[place(i, j)] * unit[j];
}

Index KernelPasses::doubles(Index n, Index d, Index k, Index threads) {
  const Index columns = (k + 7) / 8 * 8;  // floats of them, sums, and what is added up
  return checked_doubles(n + pass_tile, (threads + 3) * columns) + checked_doubles(n, d) / 2 +
         threads * checked_doubles(pass_tile, pass_tile + 2 * d);
}

}  // namespace freeridge
