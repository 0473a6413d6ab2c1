// Exact leave-group-out errors: for the rows S of a group, e_S = W_S^(-1/2) (P~_SS)^-1 (P~Y~)_S.
// A division puts each row into a group or into none (a negative label): k-fold, hold-out, uneven groups. There may be
// several divisions, as k random splits of the data.
#pragma once

#include <string>

#include "libcore/base/array.hpp"
#include "libcore/factor/factorization.hpp"

namespace freeridge {

struct Group {
  std::int32_t label;
  Array<Index> rows;
  Index division = 0;
};

class Groups {
 public:
  // label: one a row, for each division after the other. Throws INVALID_ARGUMENT when a division has none that is >= 0.
  explicit Groups(Span<const std::int32_t> label, Index divisions = 1);
  const Array<Group>& all() const { return groups_; }  // the groups of a division side by side
  Index divisions() const { return divisions_; }
  // The labels as they were given, -1 for rows that a division never leaves out.
  void labels(Span<std::int32_t> out) const;

 private:
  Array<Group> groups_;
  Index divisions_;
};

// e_S of the outputs [first, first + out.cols), group rows x outputs. False, and out is NaN, when leaving the group out
// leaves no answer (P~_SS is singular to working precision).
bool group_errors(const Problem& problem, const RowBlock& rows, const Group& group, const ResidualMaker& residual_maker,
                  Index first, MatrixView out);

}  // namespace freeridge
