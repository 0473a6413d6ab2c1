// Groups that are left out, in a second pass over the rows in order, tile by tile. A group is open from its first row
// to its last, with the rows of its gap, and takes the memory that group_sum.hpp says. Where the rows of each group are
// neighbours, few groups are open at a time; where they are scattered, as in random folds, all are.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "libcore/select/groups.hpp"
#include "libcore/select/moments.hpp"
#include "libcore/stream/group_sum.hpp"

namespace freeridge {

// Finds the groups that have some of the rows [next, end), where `next` is the end of the call before. use(group,
// scored, gap, complete) for each of them: its number, these rows, and whether all rows of the group have been passed.
class GroupsInOrder {
 public:
  using Use = std::function<void(Index group, Span<const Index> scored, Span<const Index> gap, bool complete)>;
  explicit GroupsInOrder(const Array<Group>& groups);
  void each(Index end, const Use& use);

 private:
  struct Open {
    Index group, scored, gap;  // the rows of it that have come by
    bool complete = false;
  };

  const Array<Group>& groups_;
  Array<Index> waiting_;  // by their first rows, the last of them first
  Array<Open> open_;
};

// One pass, which hands out the sum of each group as soon as all its rows have been passed.
class GroupPass {
 public:
  using Use = std::function<void(Index group, const GroupSum& sum)>;
  // Both must outlive it.
  GroupPass(const ReducedProblem& problem, const Groups& groups, Use use);
  // The next rows, which have been checked.
  void add(const Rows& x, const LayoutView& y, const double* weights);
  // The most bytes that the open groups take at any time.
  static Index memory_required(const ReducedProblem& problem, const Groups& groups);

 private:
  // rows: rows of the tile, which begins with row `first`; weights: those of the tile, or NULL.
  void take(Index group, Span<const Index> rows, Index first, const double* weights, bool scored);

  const ReducedProblem& problem_;
  const Array<Group>& groups_;
  Use use_;
  GroupsInOrder order_;
  Array<std::unique_ptr<GroupSum>> sums_;
  Index next_ = 0;  // the row that comes next
  Matrix room_, tile_, gathered_;
};

// The criterion GROUPS (select/group_criteria.hpp) at some lambdas.
class StreamedGroupScores {
 public:
  StreamedGroupScores(const ReducedProblem& problem, const Groups& groups, Span<const double> lambdas);
  void take(Index group, const GroupSum& sum);
  // Of one division: lambda and output l t + j. The terms are the groups, weighted with the weights of their rows.
  const Array<Moments>& moments() const { return moments_; }
  // As moment_scores; of several divisions the mean of their scores.
  std::string give(MatrixView scores, MatrixView errors) const;

 private:
  const ReducedProblem& problem_;
  const Groups& groups_;
  Array<double> lambdas_;
  Array<SpectrumAt> at_;
  Array<Moments> moments_;  // those of each division, one after the other
  double overlap_ = 0;      // of several divisions: G rho
  LeftOutRows left_out_;
  std::string reason_;
};

// The left-out errors of all groups: of groups of few rows when they are complete, of groups of many rows in another
// pass.
class StreamedGroupErrors {
 public:
  // columns: lambdas t numbers, where in `errors` those of lambda l and output j (l t + j) go, -1: nowhere. errors: NaN
  // where there is none, as in rows of no group.
  StreamedGroupErrors(const ReducedProblem& problem, const Groups& groups, Span<const double> lambdas,
                      Array<Index> columns, MatrixView errors);
  void take(Index group, const GroupSum& sum);
  bool needs_rows_again() const { return again_; }
  void add_again(const Rows& x, const LayoutView& y, const double* weights);
  // Throws NOT_FINITE where an error has overflowed.
  void require_finite() const;
  // The reason for the first NaN of a group.
  const std::string& reason() const { return reason_; }

 private:
  Index column(std::size_t l, Index j) const { return columns_[static_cast<Index>(l) * problem_.rows().t() + j]; }

  const ReducedProblem& problem_;
  const Array<Group>& groups_;
  Array<double> lambdas_;
  Array<SpectrumAt> at_;
  Array<Index> columns_;
  MatrixView errors_;
  GroupsInOrder order_;
  Array<Matrix> solved_;  // of groups of many rows: y for each column of errors
  bool again_ = false;
  Index next_ = 0;
  Matrix room_, tile_;
  LeftOutRows left_out_;
  std::string reason_;
};

}  // namespace freeridge
