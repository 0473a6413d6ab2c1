// Shared by the merges of tridiagonal and of bidiagonal halves (tridiagonal_merge.hpp, bidiagonal_merge.hpp). The
// vectors of the halves are the columns of
//     [Z1 0; 0 Z2],   Z1 with k columns;
// column i has the eigenvalue or singular value d_i and the element z_i of the vector z that joins the halves. A column
// is "deflated", that is a vector of the whole without a change, where f |z_i| is at most a tolerance, or after a
// rotation with its neighbour in d that makes z_i zero and leaves an element below the tolerance beside the diagonal.
// The other vectors of the whole are [Z1 0; 0 Z2] times coordinates; Z1 and Z2 are multiplied one by one.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {

// body(first, count) for stretches of 0 ... total - 1, each element taking `cost` operations.
template <class Body>
void parallel_stretches(Index total, Index cost, const Body& body) {
  const auto most = static_cast<Index>(grain / (nanosecond * static_cast<double>(std::max<Index>(cost, 1))));
  const Index size = std::max<Index>(std::min(std::max<Index>(total / 16, 16), most), 1);
  parallel_for(
      pieces(total, size), [&](Index i) { body(i * size, std::min(size, total - i * size)); },
      static_cast<double>(total) * static_cast<double>(cost));
}

// Columns multiplied at once: enough of them for products at full speed.
Index panel_width(Index n);

struct Deflation {
  struct Rotation {  // of the columns i and j: [q_i q_j] [c -s; s c]
    Index i, j;
    double c, s;
  };
  Array<Index> kept;          // not deflated, d ascending
  Array<Index> linked;        // deflated, rotated with a column of the other half
  Array<Index> loose;         // deflated, a column of Z1 or of Z2 alone
  Array<Rotation> rotations;  // of a column of Z1 with one of Z2
};

// order: the columns by d, ascending. Two columns of the same half are rotated in each of `bases` (which have no more
// columns than rows); d and z become those of the rotated columns. The d that are kept differ by at least twice the
// tolerance.
Deflation deflate(Span<const Index> order, Index k, Span<const MatrixView> bases, Span<double> d, Span<double> z,
                  double f, double tolerance);

// Copies Z1 and Z2 out of the diagonal blocks of v, so that v can hold other numbers, and then writes the vectors of
// the whole into the columns of v.
class HalvedBasis {
 public:
  static Index room(Index n, Index k) { return k * k + (n - k) * (n - k); }
  // `besides`: further columns that take part in the vectors of the whole.
  HalvedBasis(MatrixView v, Index k, const Deflation& deflation, Span<const Index> besides, double* room);

  // The number of coordinates of a vector of the whole, and the place of column i among them.
  Index size() const { return std::ssize(top_) + std::ssize(bottom_); }
  Index place(Index i) const { return place_[i]; }
  // In: coordinates for the columns after deflation.rotations. Out: for the columns of Z1 and Z2.
  void rotate_back(double* s) const;
  // The columns first, first + 1, ... of v become [Z1 0; 0 Z2] s.
  void multiply(Index first, ConstMatrixView s) const;
  // The column `to` of v becomes the loose column i.
  void copy_back(Index i, Index to) const;

 private:
  MatrixView v_;
  Index k_;
  const Deflation& deflation_;
  MatrixView z1_, z2_;
  Array<Index> top_, bottom_;  // which columns of Z1, of Z2 take part, in their order
  Array<Index> place_;         // of top_ and bottom_ in a vector of coordinates; of loose columns in Z1 or Z2
};

}  // namespace freeridge
