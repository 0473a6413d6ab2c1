// Rows that are copies of others, which REML counts once. A measurement of Y that is equal to the last digit to another
// one at the same x (and the same fixed effects) is the same measurement for a second time: it says nothing of the
// noise. As another measurement, it would say that there is none, and REML would be least for a fit through every
// point. So copies are one row of their summed weight. With G the groups of copies of an output, c = sum_G (|G| - 1)
// copies in all, and M_u the matrix of the rows without them, weighted by the sums,
//     Y'P Y = Y_u'P_u Y_u,     log|M| = log|M_u| + c log lambda + sum_G (log sum_G w - sum_G log w)
// so that REML of the rows without copies comes from the factorization of all rows: m - c in the place of m, and
// log|M_u| in that of log|M|. Copies in an output:
//     rows with equal x, fixed effects and Y; but where Y has a number at two different x, Y is rounded, and rows with
//     equal x may have equal Y by chance: then only if all rows at this x have the same Y
// Rows with equal x and different Y are true repetitions: log|M| and Y'P Y of all rows hold what they say of the noise.
// A linear kernel with fewer columns than rows cannot go through every point, and its REML is that of a mixed model,
// whose rows are all counted. Cost: O(entries + n log n) and O(n log n) for each output.
#pragma once

#include <memory>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/base/once.hpp"

namespace freeridge {

struct Problem;

// The number of the group of equal rows (x and the fixed effects) that a row belongs to, from 0 in the order of the
// first rows; -0 is 0.
struct EqualRows {
  Array<Index> group;
  Index groups = 0;
};
EqualRows equal_rows(const Problem& problem);

struct Copies {
  Index count = 0;         // c
  double log_weights = 0;  // sum_G (log sum_G w - sum_G log w)
};
// Of each output among the rows in which it is observed.
Array<Copies> copies_of(const Problem& problem);

// The copies of a problem, found when they are first asked for.
class LazyCopies {
 public:
  const Copies& of(const Problem& problem, Index output) const {
    once_.run([&] { copies_ = copies_of(problem); });
    return copies_[output];
  }

 private:
  mutable Once once_;
  mutable Array<Copies> copies_;
};

}  // namespace freeridge
