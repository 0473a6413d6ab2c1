// Parts of the gradient of the criterion GROUPS (score_gradient.hpp): for the rows S of each group and for each output
//     e = P_SS^-1 c_S,    v = 2 alpha share / (sum of weights) P_SS^-1 D e,    a = P_:S v,   r = c - P_:S e
// D: the rows that are scored, whose weights are summed; rows of a gap have 0.
// S = sym(sum a r'), the columns a and r panel by panel. r is zero in the rows of S. share: the part of the group in
// the mean (group_criteria.hpp): its sum of weights over those that its division leaves out, over the number of
// divisions. Memory: 2 n t for each division, two panels of n columns each, n / 20 or 32 or as many as there are, and
// |S|^2.
#pragma once

#include <utility>

#include "libcore/base/array.hpp"
#include "libcore/select/groups.hpp"
#include "libcore/select/residual_matrix.hpp"

namespace freeridge {

class GroupGradient {
 public:
  // p: both triangles. divisors: 1 / alpha. Throws UNDEFINED where a group has no left-out errors.
  GroupGradient(const Problem& problem, const ResidualMatrix& p, const Groups& groups, Span<const double> divisors,
                double lambda);

  double score(Index output) const { return scores_[output]; }
  // Makes the next panel; false when there are no more.
  bool next_panel();
  ConstMatrixView left() const { return std::as_const(left_).view().columns(0, count_); }
  ConstMatrixView right() const { return std::as_const(right_).view().columns(0, count_); }

 private:
  // e and v of one group.
  void solve(const Group& group, double share, double weights, double lambda);

  const ResidualMatrix& p_;
  const Array<Group>& groups_;
  Span<const double> divisors_;
  Array<double> scores_;
  Array<Matrix> e_, v_;  // of each group, rows x t
  Matrix left_, right_;
  Index next_ = 0, count_ = 0;  // column next_ is of group next_ / t and output next_ mod t
};

// The doubles that GroupGradient takes.
Index group_gradient_doubles(Index n, Index t, const Groups& groups);

}  // namespace freeridge
