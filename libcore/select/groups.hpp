// Exact leave-group-out errors: for the rows S of a group, e_S = W_S^(-1/2) (P~_SS)^-1 (P~Y~)_S.
// Any partition: k-fold, hold-out, uneven groups; rows with a negative label are never left out.
#pragma once

#include <string>

#include "libcore/base/array.hpp"
#include "libcore/factor/factorization.hpp"

namespace freeridge {

struct Group {
  std::int32_t label;
  Array<Index> rows;
};

class Groups {
 public:
  // label: one a row. Throws INVALID_ARGUMENT when none is >= 0.
  explicit Groups(Span<const std::int32_t> label);
  const Array<Group>& all() const { return groups_; }
  // The label of each row, -1 for those that are never left out.
  void labels(Span<std::int32_t> out) const;

 private:
  Array<Group> groups_;
};

// e_S of the outputs [first, first + out.cols), group rows x outputs. False, and out is NaN, when leaving the group out
// leaves no answer (P~_SS is singular to working precision).
bool group_errors(const Problem& problem, const RowBlock& rows, const Group& group, const ResidualMaker& residual_maker,
                  Index first, MatrixView out);

}  // namespace freeridge
