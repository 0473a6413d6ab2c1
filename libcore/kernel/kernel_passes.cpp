#include "libcore/kernel/kernel_passes.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "libcore/base/progress.hpp"
#include "libcore/kernel/given_values.hpp"
#include "libcore/kernel/value_loops.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index side = PassLoops::side, together = PassLoops::together;
constexpr Index group_numbers = side * together;  // of a tile's rows and a group of columns

// Tiles whose sums are added to the whole together: four where there are many.
Index strip_tiles(Index n) {
  return n >= 16 * side ? 4 : 1;
}

template <class Number>
const TileLoops<Number>& tile_loops() {
  if constexpr (std::is_same_v<Number, float>)
    return pass_loops().floats;
  else
    return pass_loops().doubles;
}

}  // namespace

// The tiles of some rows on and below the diagonal, on one thread. Columns to multiply, and sums, are in groups of
// eight, a group's tiles one after the other (pass_loops.hpp).
template <class Number>
class KernelPasses::Strip {
 public:
  Strip(const KernelPasses& of, Span<const Number> p, Index groups, Matrix& sum)
      : of_(of), p_(p), groups_(groups), tiles_(sum.rows() / group_numbers), sum_(sum), tile_(side * side, Number{}) {
    if (std::is_same_v<Number, float> || of_.kernel_->precomputed()) return;
    a_ = Matrix(side, of_.x_.cols, 0.0);
    b_ = Matrix(side, of_.x_.cols, 0.0);
  }

  // The rows of the tiles [first, end).
  void run(Index first, Index end) {
    std::fill_n(sum_.data(), sum_.rows() * sum_.cols(), 0.0);
    for (Index j = 0; j < end; ++j)
      for (Index i = std::max(first, j); i < end; ++i) add(i, j);
  }

 private:
  void evaluate(Index i, Index j, float* tile) { of_.single_->evaluate(i, j, tile); }
  // Beyond the last point the tile has finite numbers, which meet zeros.
  void evaluate(Index i, Index j, double* tile) {
    const Rows& x = of_.x_;
    const MatrixView out{tile, rows_of(i), rows_of(j), side};
    if (of_.kernel_->precomputed()) return given_values(*of_.kernel_, x.dense(), i * side, j * side, out);
    take_points(i, a_.view());
    if (i != j) take_points(j, b_.view());
    const Matrix& b = i == j ? a_ : b_;
    if (of_.radial_) return of_.radial_->make(a_.data(), b.data(), x.cols, of_.radial_->factor, tile);
    of_.kernel_->evaluate(a_.view().row_range(0, out.rows), b.view().row_range(0, out.cols), out);
  }
  Index rows_of(Index tile) const { return std::min(side, of_.x_.rows - tile * side); }
  void take_points(Index tile, MatrixView to) const {
    const MatrixView points = to.row_range(0, rows_of(tile));
    copy_rows(of_.x_, tile * side, points);
    if (!of_.radial_ || of_.radial_->divisor.empty()) return;
    for (Index k = 0; k < points.cols; ++k)
      passes().divide(points.col(k), points.rows, of_.radial_->divisor[k], points.col(k));
  }

  void add(Index i, Index j) {
    evaluate(i, j, tile_.data());
    for (Index g = 0; g < groups_; ++g) {
      const Index at_i = (g * tiles_ + i) * group_numbers, at_j = (g * tiles_ + j) * group_numbers;
      double* const other = i == j ? unused_ : sum_.data() + at_j;
      tile_loops<Number>().products(tile_.data(), p_.data() + at_i, p_.data() + at_j, sum_.data() + at_i, other);
    }
    worked((30 + static_cast<double>(of_.x_.cols + 16 * groups_)) * side * side * sizeof(Number) / 4);
  }

  const KernelPasses& of_;
  Span<const Number> p_;
  Index groups_, tiles_;
  Matrix& sum_;
  Array<Number> tile_;
  Matrix a_, b_;
  double unused_[group_numbers] = {};  // of T'p on the diagonal
};

// Columns are divided by powers of two near their norms: floats neither overflow nor vanish.
template <class Number>
void KernelPasses::multiply_in(ConstMatrixView p, MatrixView out) const {
  const Index n = x_.rows, k = p.cols, tiles = pieces(n, side), groups = pieces(k, together), strip = strip_tiles(n),
              strips = pieces(tiles, strip);
  const auto place = [&](Index i, Index j) {
    return (j / together * tiles + i / side) * group_numbers + PassLoops::place<Number>(i % side, j % together);
  };
  Array<Number> packed(groups * tiles * group_numbers, Number{});
  Array<double> column(n), unit(k, 1.0);
  for (Index j = 0; j < k; ++j) {
    for (Index i = 0; i < n; ++i) column[i] = sqrt_w_[i] * p(i, j);
    const double norm = norm2(n, column.data());
    if (norm > 0) unit[j] = std::ldexp(1.0, std::ilogb(norm));
    for (Index i = 0; i < n; ++i) packed[place(i, j)] = static_cast<Number>(column[i] / unit[j]);
  }
  const int team = team_size(strips, 2 * static_cast<double>(n) * static_cast<double>(n));
  Array<Matrix> sums(team);
  for (Matrix& sum : sums) sum = Matrix(tiles * group_numbers, groups);
  Matrix total(tiles * group_numbers, groups, 0.0);
  parallel_in_order(
      strips, team,
      [&](Index s, int worker) {
        Strip<Number>(*this, packed, groups, sums[worker]).run(s * strip, std::min(tiles, (s + 1) * strip));
      },
      [&](Index s, int worker) {
        const Index end = std::min(tiles, (s + 1) * strip) * group_numbers;
        for (Index g = 0; g < groups; ++g)
          for (Index i = 0; i < end; ++i) total(i, g) += sums[worker](i, g);
      });
  for (Index j = 0; j < k; ++j)
    for (Index i = 0; i < n; ++i) out(i, j) = sqrt_w_[i] * total.data()[place(i, j)] * unit[j];
}

void KernelPasses::multiply(ConstMatrixView p, MatrixView out, Precision precision) const {
  {
    const Stage still(0, 0);  // a part of an iteration, which reports by itself
    precision == Precision::single_precision ? multiply_in<float>(p, out) : multiply_in<double>(p, out);
  }
  for (Index j = 0; j < out.cols; ++j)
    if (first_not_finite({out.col(j), x_.rows}) < x_.rows)
      fail(Status::not_finite, "a product with the kernel matrix overflows; rescale x");
}

}  // namespace freeridge
