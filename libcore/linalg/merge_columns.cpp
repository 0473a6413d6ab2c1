#include "libcore/linalg/merge_columns.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

// [x y] = [x y] [c -s; s c]
void rotate(double* x, double* y, Index count, double c, double s) {
  for (Index i = 0; i < count; ++i) {
    const double x_i = x[i], y_i = y[i];
    x[i] = c * x_i + s * y_i;
    y[i] = c * y_i - s * x_i;
  }
  worked(4 * touched * static_cast<double>(count));
}

}  // namespace

Index panel_width(Index n) {
  return std::clamp<Index>(n / 12, 128, 512);
}

Deflation deflate(Span<const Index> order, Index k, Span<const MatrixView> bases, Span<double> d, Span<double> z,
                  double f, double tolerance) {
  Deflation out;
  Array<char> mixed(d.size(), false);  // taken part in a rotation of Z1 with Z2
  // False when the rotation of the neighbours i and j that makes z_i zero leaves at most the tolerance between them.
  const auto separate = [&](Index i, Index j) {
    const double length = std::hypot(z[i], z[j]), c = z[j] / length, s = -z[i] / length;
    const double d_i = d[i], d_j = d[j];
    if (std::abs((d_j - d_i) * c * s) > tolerance) return true;
    z[j] = length;
    z[i] = 0;
    d[i] = d_i * (c * c) + d_j * (s * s);
    d[j] = d_i * (s * s) + d_j * (c * c);
    const bool top = i < k;
    if (top == (j < k) && !mixed[i] && !mixed[j]) {
      for (const MatrixView& v : bases)
        rotate(v.col(i) + (top ? 0 : k), v.col(j) + (top ? 0 : k), top ? k : v.rows - k, c, s);
    } else {  // the columns of Z1 and Z2 stay apart: it is the coordinates that are rotated, later
      mixed[i] = mixed[j] = true;
      out.rotations.push_back({i, j, c, s});
    }
    return false;
  };
  Array<Index> deflated;
  Index before = -1;
  for (const Index i : order) {
    if (f * std::abs(z[i]) <= tolerance) {
      deflated.push_back(i);
      continue;
    }
    if (before >= 0) (separate(before, i) ? out.kept : deflated).push_back(before);
    before = i;
  }
  if (before >= 0) out.kept.push_back(before);
  for (const Index i : deflated) (mixed[i] ? out.linked : out.loose).push_back(i);
  return out;
}

HalvedBasis::HalvedBasis(MatrixView v, Index k, const Deflation& deflation, Span<const Index> besides, double* room)
    : v_(v), k_(k), deflation_(deflation), z1_{room, k, k, k}, z2_{room + k * k, v.rows - k, v.cols - k, v.rows - k} {
  for (const Span<const Index> list : {besides, Span<const Index>(deflation.kept), Span<const Index>(deflation.linked)})
    for (const Index i : list) (i < k ? top_ : bottom_).push_back(i);
  place_.assign(v.cols, -1);
  for (std::size_t r = 0; r < top_.size(); ++r) place_[top_[r]] = static_cast<Index>(r);
  for (std::size_t r = 0; r < bottom_.size(); ++r) place_[bottom_[r]] = static_cast<Index>(top_.size() + r);
  Array<Index> first = top_, second = bottom_;
  for (const Index i : deflation.loose) {
    Array<Index>& half = i < k ? first : second;
    place_[i] = std::ssize(half);
    half.push_back(i);
  }
  const auto take_out = [&](const Array<Index>& columns, Index row, MatrixView to) {
    for (Index j = 0; j < std::ssize(columns); ++j) {
      std::copy_n(v.col(columns[j]) + row, to.rows, to.col(j));
      worked(3 * touched * static_cast<double>(to.rows));
    }
  };
  take_out(first, 0, z1_);
  take_out(second, k, z2_);
}

void HalvedBasis::rotate_back(double* s) const {
  for (auto rotation = deflation_.rotations.rbegin(); rotation != deflation_.rotations.rend(); ++rotation) {
    const Index i = place(rotation->i), j = place(rotation->j);
    const double x = s[i], y = s[j];
    s[i] = rotation->c * x - rotation->s * y;
    s[j] = rotation->s * x + rotation->c * y;
  }
}

void HalvedBasis::multiply(Index first, ConstMatrixView s) const {
  const Index above = std::ssize(top_), below = std::ssize(bottom_);
  gemm(Op::none, Op::none, 1, z1_.columns(0, above), s.row_range(0, above), 0, v_.block(0, first, k_, s.cols));
  gemm(Op::none, Op::none, 1, z2_.columns(0, below), s.row_range(above, below), 0,
       v_.block(k_, first, v_.rows - k_, s.cols));
}

void HalvedBasis::copy_back(Index i, Index to) const {
  const bool top = i < k_;
  const Index rest = v_.rows - k_;
  double* const column = v_.col(to);
  std::copy_n((top ? z1_ : z2_).col(place(i)), top ? k_ : rest, column + (top ? 0 : k_));
  std::fill_n(column + (top ? k_ : 0), top ? rest : k_, 0.0);
  worked(touched * static_cast<double>(v_.rows));
}

}  // namespace freeridge
