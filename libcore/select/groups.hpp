// Exact leave-group-out errors: for the rows S of a group, e_S = W_S^(-1/2) (P~_SS)^-1 (P~Y~)_S.
// Any partition: k-fold, hold-out, uneven groups; rows with a negative label are never left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/factor/factorization.hpp"

namespace freeridge {

struct Group {
  std::int32_t label;
  std::vector<Index> rows;
};

class Groups {
 public:
  // label: one a row. Throws INVALID_ARGUMENT when none is >= 0.
  explicit Groups(std::span<const std::int32_t> label);
  const std::vector<Group>& all() const { return groups_; }
  // The label of each row, -1 for those that are never left out.
  void labels(std::span<std::int32_t> out) const;

 private:
  std::vector<Group> groups_;
};

// e_S of the outputs [first, first + out.cols), group rows x outputs. False, and out is NaN, when leaving the group out
// leaves no answer (P~_SS is singular to working precision).
bool group_errors(const Problem& problem, const RowBlock& rows, const Group& group, const ResidualMaker& residual_maker,
                  Index first, MatrixView out);

}  // namespace freeridge
