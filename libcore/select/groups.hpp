// Exact leave-group-out errors: for the rows S of a group, e_S = W_S^(-1/2) (P~_SS)^-1 (P~Y~)_S.
// A division puts each row into a group or into none (a negative label): k-fold, hold-out, uneven groups. There may be
// several divisions, as k random splits of the data.
// Gaps: rows that are left out with a group but not scored, as the neighbours in time of a block. S is then the group
// and its gap, and of e_S the group's rows alone count. A row may be in the gaps of several groups, one in each layer
// of labels, and in a group of its own beside them.
#pragma once

#include <string>

#include "libcore/base/array.hpp"
#include "libcore/factor/factorization.hpp"

namespace freeridge {

struct Group {
  std::int32_t label;
  Array<Index> rows;  // S: the rows that are scored, and after them those of the gap; both ascending
  Index scored = 0;   // how many of them are scored, at least one
  Index division = 0;
};

class Groups {
 public:
  // label: one a row, for each division after the other. Throws INVALID_ARGUMENT when a division has none that is >= 0.
  explicit Groups(Span<const std::int32_t> label, Index divisions = 1);
  // The same groups with other gaps. gap: one label a row, for each layer of the first division after the other, then
  // for those of the second, ...; labels of no group of the division, and of the row's own group, count for nothing.
  Groups with_gaps(Span<const std::int32_t> gap, Index layers) const;
  // The same groups for outputs that are not observed in these rows: the rows are in the gap of every group. A group
  // that has only such rows is left out, and it may be that no group remains.
  Groups without(Span<const Index> rows) const;
  const Array<Group>& all() const { return groups_; }  // the groups of a division side by side
  Index divisions() const { return divisions_; }
  Index layers() const { return layers_; }  // 0: no gaps
  // The labels as they were given, -1 for rows that a division never leaves out.
  void labels(Span<std::int32_t> out) const;
  // Labels that with_gaps makes the same gaps of, layers() for each division.
  void gaps(Span<std::int32_t> out) const;

 private:
  Array<Group> groups_;
  Index divisions_, layers_ = 0;
};

// Why a group has no errors.
std::string no_group_error(const Group& group);

// 0 in the rows of the gap; a: group.rows x any columns.
void clear_gap(const Group& group, MatrixView a);

// e_S of the outputs [first, first + out.cols), group.rows x outputs. False, and out is NaN, when leaving the group out
// leaves no answer (P~_SS is singular to working precision).
bool group_errors(const Problem& problem, const RowBlock& rows, const Group& group, const ResidualMaker& residual_maker,
                  Index first, MatrixView out);

}  // namespace freeridge
