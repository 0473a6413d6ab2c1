// What the merges of tridiagonal and of bidiagonal halves have in common (divide and conquer: tridiagonal_merge.hpp,
// bidiagonal_merge.hpp): the vectors of the halves are the columns of
//     [Z1 0; 0 Z2],   Z1 with k columns,
// each with its number d_i and its part z_i of what joins the halves. Where f |z_i|, or what a rotation of two
// neighbours in d leaves between them, is at most a tolerance, a column is done with ("deflated"). The vectors of the
// whole are products of the others with coordinates, which keep the zeros of Z1 and Z2 out.
#pragma once

#include <span>
#include <vector>

#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {

template <class T>
decltype(auto) at(T&& values, Index i) {
  return values[static_cast<std::size_t>(i)];
}

// body(first, count) for stretches of 0 ... total - 1, each element taking `cost` operations.
template <class Body>
void parallel_stretches(Index total, Index cost, const Body& body) {
  const auto most = static_cast<Index>(grain / (nanosecond * static_cast<double>(std::max<Index>(cost, 1))));
  const Index size = std::max<Index>(std::min(std::max<Index>(total / 16, 16), most), 1);
  parallel_for((total + size - 1) / size, Progress(),
               [&](Index i) { body(i * size, std::min(size, total - i * size)); },
               static_cast<double>(total) * static_cast<double>(cost));
}

// Columns multiplied at once: enough of them for products at full speed.
Index panel_width(Index n);

struct Deflation {
  struct Rotation {  // of the columns i and j: [q_i q_j] [c -s; s c]
    Index i, j;
    double c, s;
  };
  std::vector<Index> kept, linked, loose;  // not deflated, d ascending; deflated: of both halves, and of one
  std::vector<Rotation> rotations;         // of Z1 with Z2
};

// order: the columns by d, ascending. Rotations of columns of one half are done in all the bases at once, which are
// square or have no more columns than rows; d and z become those of the rotated columns. No two d that are kept are
// nearer than twice the tolerance.
Deflation deflate(std::span<const Index> order, Index k, std::span<const MatrixView> bases, std::span<double> d,
                  std::span<double> z, double f, double tolerance);

// A basis whose Z1 and Z2 are taken out of the diagonal blocks of v, so that v may be used for other things until its
// columns are the vectors of the whole.
class HalvedBasis {
 public:
  static Index room(Index n, Index k) { return k * k + (n - k) * (n - k); }
  // `besides`: columns that vectors of the whole are made of, too.
  HalvedBasis(MatrixView v, Index k, const Deflation& deflation, std::span<const Index> besides, double* room);

  // Coordinates: so many, that of the column i in this place.
  Index size() const { return std::ssize(top_) + std::ssize(bottom_); }
  Index place(Index i) const { return at(place_, i); }
  // Of the columns as they are, from those of the rotated ones.
  void rotate_back(double* s) const;
  // The columns first, first + 1, ... of v: for coordinates s.
  void multiply(Index first, ConstMatrixView s) const;
  // The same for a loose column.
  void copy_back(Index i, Index to) const;

 private:
  MatrixView v_;
  Index k_;
  const Deflation& deflation_;
  MatrixView z1_, z2_;
  std::vector<Index> top_, bottom_;  // which columns of Z1, of Z2 take part, in their order
  std::vector<Index> place_;         // of top_ and bottom_ in a vector of coordinates; of loose columns in Z1 or Z2
};

}  // namespace freeridge
