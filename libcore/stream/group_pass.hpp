// Groups that are left out, in a second pass over the rows in order, tile by tile. A group is open from its first row
// to its last, with the rows of its gap, and takes the memory that group_sum.hpp says. Where the rows of each group are
// neighbours, few groups are open at a time; where they are scattered, as in random folds, all are.
#pragma once

#include <functional>
#include <string>

#include "libcore/select/groups.hpp"
#include "libcore/select/moments.hpp"
#include "libcore/stream/reduced_problem.hpp"

namespace freeridge {

// Hands all rows to `use`, some after the others, which have been checked; weights: NULL: ones.
using UseRows = std::function<void(const Rows& x, const LayoutView& y, const double* weights)>;
using PassOverRows = std::function<void(const UseRows& use)>;

// The most bytes that the open groups take at any time of a pass.
Index group_pass_bytes(const ReducedProblem& problem, const Groups& groups);

// The criterion GROUPS (select/group_criteria.hpp) at some lambdas, by one pass.
class StreamedGroupScores {
 public:
  StreamedGroupScores(const ReducedProblem& problem, const Groups& groups, Span<const double> lambdas,
                      const PassOverRows& pass);
  // Of one division: lambda and output l t + j. The terms are the groups, weighted with the weights of their rows.
  const Array<Moments>& moments() const { return moments_; }
  // As moment_scores; of several divisions the mean of their scores.
  std::string give(MatrixView scores, MatrixView errors) const;

 private:
  Index divisions_;
  Array<double> lambdas_;
  Array<Moments> moments_;  // those of each division, one after the other
  double overlap_ = 0;      // of several divisions: G rho
  std::string reason_;
};

// The left-out errors of all groups: of groups of few rows when they are complete, of groups of many rows in another
// pass. columns: lambdas t numbers, where in `errors` those of lambda l and output j (l t + j) go, -1: nowhere. errors:
// NaN where there is none, as in rows of no group. Returns the reason for the first NaN of a group. Throws NOT_FINITE
// where an error has overflowed.
std::string streamed_group_errors(const ReducedProblem& problem, const Groups& groups, Span<const double> lambdas,
                                  Array<Index> columns, MatrixView errors, const PassOverRows& pass);

}  // namespace freeridge
