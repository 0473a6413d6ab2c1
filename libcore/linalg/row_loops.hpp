// Loops over the rows of a triangle that gains and loses rows of data, compiled for several instruction sets
// (base/instruction_sets.hpp). Vectors of n numbers:
//     rotate         to = c a + s x,           x = c x - s a           (to may be a)
//     unrotate       a = (a - s x) / c,        x = c x - s a           (with the new a)
//     add            b = b + factor a
//     dot            a'b
//     shifted_dot    (a - shift)'b
// Sums are made in another order with each instruction set: their last digits differ.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct RowLoops {
  const char* instruction_set;
  void (*rotate)(Index n, double c, double s, const double* a, double* to, double* x);
  void (*unrotate)(Index n, double c, double s, double* a, double* x);
  void (*add)(Index n, double factor, const double* a, double* b);
  double (*dot)(Index n, const double* a, const double* b);
  double (*shifted_dot)(Index n, const double* a, const double* shift, const double* b);
};

// Those that run on this processor, the fastest first.
Span<const RowLoops> row_loops();
inline const RowLoops& best_row_loops() {
  static const RowLoops best = row_loops()[0];
  return best;
}

// The rotation (c, s) that takes (a, x) to (h, 0), h = (a^2 + x^2)^(1/2) without overflow. x != 0.
struct Rotation {
  double c, s;
};
Rotation rotation_of(double a, double x);

}  // namespace freeridge
