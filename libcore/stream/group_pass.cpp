#include "libcore/stream/group_pass.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "libcore/base/constants.hpp"
#include "libcore/select/criteria.hpp"
#include "libcore/stream/group_sum.hpp"

namespace freeridge {
namespace {

Span<const Index> scored_rows(const Group& group) {
  return Span<const Index>(group.rows).first(group.scored);
}
Span<const Index> gap_rows(const Group& group) {
  return Span<const Index>(group.rows).subspan(group.scored);
}
bool has_gap(const Group& group) {
  return group.scored < std::ssize(group.rows);
}
Index first_row(const Group& group) {
  return has_gap(group) ? std::min(group.rows.front(), gap_rows(group).front()) : group.rows.front();
}
Index last_row(const Group& group) {
  return std::max(scored_rows(group).back(), group.rows.back());
}

// The rows from position `from` on whose numbers are below `end`; `from` becomes the position after them.
Span<const Index> rows_below(Index end, Span<const Index> rows, Index& from) {
  const auto begin = rows.begin() + from;
  const Index count = std::lower_bound(begin, rows.end(), end) - begin;
  from += count;
  return rows.subspan(from - count, count);
}

Array<SpectrumAt> each_at(const ReducedProblem& problem, Span<const double> lambdas) {
  Array<SpectrumAt> out;
  for (const double lambda : lambdas) out.emplace_back(problem.passed(), lambda);
  return out;
}

std::string no_errors(const Group& group, double lambda) {
  return text("the errors of group ", group.label,
              " are undefined: the other rows do not determine its predictions, or to less than six digits (lambda = ",
              lambda, ")");
}

// The tiles of a pass, [B, Q, q1, E] of ReducedProblem::basis_rows, and the groups that have rows in each of them.
class GroupTiles {
 public:
  // What a group has in a tile, which begins with row `first`: the rows that are scored and those of the gap, and
  // whether all rows of the group have been passed. weights: of the tile, or NULL.
  struct Part {
    Index group, first;
    const double* weights;
    Span<const Index> scored, gap;
    bool complete;
  };
  using Use = std::function<void(const Part& part, ConstMatrixView tile)>;
  // Both must outlive it.
  GroupTiles(const ReducedProblem& problem, const Array<Group>& groups);
  // The next rows, which have been checked.
  void each(const Rows& x, const LayoutView& y, const double* weights, const Use& use);

 private:
  struct Open {
    Index group, scored, gap;  // the rows of it that have come by
    bool complete = false;
  };

  const ReducedProblem& problem_;
  const Array<Group>& groups_;
  Array<Index> waiting_;  // by their first rows, the last of them first
  Array<Open> open_;
  Index next_ = 0;  // the row that comes next
  Matrix room_, tile_;
};

// One pass, which hands out the sum of each group as soon as all its rows have been passed.
class GroupPass {
 public:
  using Use = std::function<void(Index group, const GroupSum& sum)>;
  // Both must outlive it.
  GroupPass(const ReducedProblem& problem, const Groups& groups, Use use);
  // The next rows, which have been checked.
  void add(const Rows& x, const LayoutView& y, const double* weights);

 private:
  // The rows of the part that are scored, or those of the gap.
  void take(const GroupTiles::Part& part, ConstMatrixView tile, bool scored);

  const ReducedProblem& problem_;
  const Array<Group>& groups_;
  Use use_;
  GroupTiles tiles_;
  Array<std::unique_ptr<GroupSum>> sums_;
  Matrix gathered_;
};

class StreamedGroupErrors {
 public:
  StreamedGroupErrors(const ReducedProblem& problem, const Groups& groups, Span<const double> lambdas,
                      Array<Index> columns, MatrixView errors);
  void take(Index group, const GroupSum& sum);
  bool needs_rows_again() const { return again_; }
  void add_again(const Rows& x, const LayoutView& y, const double* weights);
  void require_finite() const;
  const std::string& reason() const { return reason_; }

 private:
  Index column(std::size_t l, Index j) const { return columns_[static_cast<Index>(l) * problem_.rows().t() + j]; }

  const ReducedProblem& problem_;
  const Array<Group>& groups_;
  Array<double> lambdas_;
  Array<SpectrumAt> at_;
  Array<Index> columns_;
  MatrixView errors_;
  GroupTiles tiles_;
  Array<Matrix> solved_;  // of groups of many rows: y for each column of errors
  bool again_ = false;
  LeftOutRows left_out_;
  std::string reason_;
};

GroupTiles::GroupTiles(const ReducedProblem& problem, const Array<Group>& groups)
    : problem_(problem), groups_(groups), waiting_(consecutive(0, std::ssize(groups))) {
  std::ranges::stable_sort(waiting_, std::greater<>(), [&](Index g) { return first_row(groups_[g]); });
}

void GroupTiles::each(const Rows& x, const LayoutView& y, const double* weights, const Use& use) {
  if (tile_.cols() == 0) tile_ = Matrix(pass_rows, problem_.basis_size() + problem_.rows().t());
  for (Index row = 0; row < x.rows; row += pass_rows) {
    const Index count = std::min(pass_rows, x.rows - row), first = next_ + row, end = first + count;
    const MatrixView tile = tile_.view().row_range(0, count);
    const double* const own = weights == nullptr ? nullptr : weights + row;
    problem_.basis_rows(x, y, weights, row, room_, tile);
    for (; !waiting_.empty() && first_row(groups_[waiting_.back()]) < end; waiting_.pop_back())
      open_.push_back({waiting_.back(), 0, 0});
    for (Open& open : open_) {
      const Group& group = groups_[open.group];
      const Span<const Index> scored = rows_below(end, scored_rows(group), open.scored),
                              gap = rows_below(end, gap_rows(group), open.gap);
      open.complete = open.scored + open.gap == std::ssize(group.rows);
      if (!scored.empty() || !gap.empty()) use({open.group, first, own, scored, gap, open.complete}, tile);
    }
    std::erase_if(open_, [](const Open& open) { return open.complete; });
    report(fraction(row + count, x.rows));
  }
  next_ += x.rows;
}

GroupPass::GroupPass(const ReducedProblem& problem, const Groups& groups, Use use)
    : problem_(problem), groups_(groups.all()), use_(std::move(use)), tiles_(problem, groups_), sums_(groups_.size()) {}

void GroupPass::take(const GroupTiles::Part& part, ConstMatrixView tile, bool scored) {
  const Span<const Index> rows = scored ? part.scored : part.gap;
  if (rows.empty()) return;
  const Index count = std::ssize(rows);
  const MatrixView some = gathered_.view().row_range(0, count);
  for (Index k = 0; k < tile.cols; ++k) {
    for (Index i = 0; i < count; ++i) some(i, k) = tile(rows[i] - part.first, k);
    worked(touched * static_cast<double>(count));
  }
  Array<double> own(count, 1.0);
  for (Index i = 0; i < count && part.weights != nullptr; ++i) own[i] = part.weights[rows[i] - part.first];
  sums_[part.group]->add(some, rows, own, scored);
}

void GroupPass::add(const Rows& x, const LayoutView& y, const double* weights) {
  if (gathered_.cols() == 0) gathered_ = Matrix(pass_rows, problem_.basis_size() + problem_.rows().t());
  tiles_.each(x, y, weights, [&](const GroupTiles::Part& part, ConstMatrixView tile) {
    std::unique_ptr<GroupSum>& sum = sums_[part.group];
    const Group& all = groups_[part.group];
    if (!sum) sum = std::make_unique<GroupSum>(problem_, std::ssize(all.rows), has_gap(all));
    take(part, tile, true);
    take(part, tile, false);
    if (!part.complete) return;
    use_(part.group, *sum);
    sum.reset();
  });
}

StreamedGroupErrors::StreamedGroupErrors(const ReducedProblem& problem, const Groups& groups,
                                         Span<const double> lambdas, Array<Index> columns, MatrixView errors)
    : problem_(problem),
      groups_(groups.all()),
      lambdas_(lambdas.begin(), lambdas.end()),
      at_(each_at(problem, lambdas)),
      columns_(std::move(columns)),
      errors_(errors),
      tiles_(problem, groups_),
      solved_(groups_.size()) {
  for (Index k = 0; k < errors.cols; ++k) std::fill_n(errors.col(k), errors.rows, nan);
}

void StreamedGroupErrors::take(Index group, const GroupSum& sum) {
  const Index t = problem_.rows().t();
  const Span<const Index> rows = sum.kept_rows();
  const bool many = rows.empty();
  again_ = again_ || many;
  for (std::size_t l = 0; l < at_.size(); ++l) {
    if (!sum.left_out(at_[l], left_out_)) {
      keep_first(reason_, no_errors(groups_[group], lambdas_[l]));
      continue;
    }
    const Index k = left_out_.y.rows();
    if (many && solved_[group].cols() == 0) solved_[group] = Matrix(k, errors_.cols, nan);
    for (Index j = 0; j < t; ++j) {
      const Index to = column(l, j);
      if (to < 0) continue;
      if (many) std::copy_n(left_out_.y.col(j), k, solved_[group].col(to));
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i] >= 0) errors_(rows[i], to) = left_out_.e(static_cast<Index>(i), j) / sum.sqrt_w()[i];
    }
  }
}

void StreamedGroupErrors::require_finite() const {
  for (Index j = 0; j < errors_.cols; ++j)
    if (std::any_of(errors_.col(j), errors_.col(j) + errors_.rows, [](double e) { return std::isinf(e); }))
      fail(Status::not_finite, "the errors of a group overflow; rescale y or x");
}

// E + M y
void StreamedGroupErrors::add_again(const Rows& x, const LayoutView& y, const double* weights) {
  const Index t = problem_.rows().t(), k = problem_.basis_size();
  Array<Index> output(errors_.cols);
  for (std::size_t l = 0; l < at_.size(); ++l)
    for (Index j = 0; j < t; ++j)
      if (column(l, j) >= 0) output[column(l, j)] = j;
  tiles_.each(x, y, weights, [&](const GroupTiles::Part& part, ConstMatrixView tile) {
    Matrix& solved = solved_[part.group];
    for (Index c = 0; c < solved.cols(); ++c)
      for (const Index i : part.scored) {
        const Index in_tile = i - part.first;
        double e = tile(in_tile, k + output[c]);
        for (Index b = 0; b < k; ++b) e += tile(in_tile, b) * solved(b, c);
        errors_(i, c) = e / (part.weights == nullptr ? 1 : std::sqrt(part.weights[in_tile]));
      }
    worked(touched * static_cast<double>(std::ssize(part.scored) * k * solved.cols()));
    if (part.complete) solved = Matrix();
  });
}

}  // namespace

Index group_pass_bytes(const ReducedProblem& problem, const Groups& groups) {
  Array<std::pair<Index, Index>> changes;  // a row, and the doubles that are taken there
  for (const Group& group : groups.all()) {
    const Index doubles = GroupSum::doubles(problem, std::ssize(group.rows), has_gap(group));
    changes.emplace_back(first_row(group), doubles);
    changes.emplace_back(last_row(group) + pass_rows, -doubles);
  }
  std::ranges::sort(changes, {}, [](const auto& change) { return change.first; });
  Index now = 0, most = 0;
  for (const auto& [row, doubles] : changes) {
    if (__builtin_add_overflow(now, doubles, &now)) fail(Status::out_of_memory, "the groups exceed the address space");
    most = std::max(most, now);
  }
  const Index columns = problem.basis_size() + problem.rows().t() + problem.rows().p();
  return checked_doubles(most, 1) * 8 + checked_doubles(3 * pass_rows + 2 * columns, columns) * 8;
}

StreamedGroupScores::StreamedGroupScores(const ReducedProblem& problem, const Groups& groups,
                                         Span<const double> lambdas, const PassOverRows& pass_over)
    : divisions_(groups.divisions()),
      lambdas_(lambdas.begin(), lambdas.end()),
      moments_(groups.divisions() * std::ssize(lambdas) * problem.rows().t()) {
  const Index t = problem.rows().t();
  const Array<SpectrumAt> at = each_at(problem, lambdas);
  LeftOutRows left_out;
  GroupPass pass(problem, groups, [&](Index which, const GroupSum& sum) {
    const Group& group = groups.all()[which];
    Moments* const own = moments_.data() + group.division * std::ssize(lambdas_) * t;
    for (std::size_t l = 0; l < at.size(); ++l) {
      const bool defined = sum.left_out(at[l], left_out);
      for (Index j = 0; j < t; ++j) {
        Moments& all = own[static_cast<Index>(l) * t + j];
        if (!defined) {
          all.undefined += 1;
          keep_first(reason_, no_errors(group, lambdas_[l]));
          continue;
        }
        const double mean = left_out.squares[j] / sum.scored_sum_w();
        if (!std::isfinite(mean)) fail(Status::not_finite, "the squares of the left-out errors overflow; rescale y");
        all.join({1, sum.scored_sum_w(), mean, 0, 0});
      }
    }
    overlap_ += sum.scored_sum_w() / (problem.rows().sum_w() - sum.sum_w());
  });
  pass_over([&](const Rows& x, const LayoutView& y, const double* weights) { pass.add(x, y, weights); });
}

std::string StreamedGroupScores::give(MatrixView scores, MatrixView errors) const {
  const Index pairs = scores.rows * scores.cols;
  Array<double> all(pairs * moment_numbers);
  for (Index pair = 0; pair < pairs; ++pair) {
    Moments joined = moments_[pair];
    if (divisions_ > 1) joined = {};
    // Groups by their parts of what their division leaves out.
    for (Index r = 0; r < divisions_ && divisions_ > 1; ++r) {
      Moments one = moments_[r * pairs + pair];
      if (one.weight > 0) one.spread /= std::sqrt(one.weight);
      if (one.weight > 0) one.weight = 1;
      joined.join(one);
    }
    put_moments(joined, pair, all);
  }
  std::string reason = reason_;
  keep_first(reason, moment_scores(lambdas_, all, scores, errors));
  for (Index j = 0; j < scores.cols && errors.data != nullptr && divisions_ > 1; ++j)
    for (Index l = 0; l < scores.rows; ++l) errors(l, j) *= std::sqrt(1 + overlap_);
  return reason;
}

std::string streamed_group_errors(const ReducedProblem& problem, const Groups& groups, Span<const double> lambdas,
                                  Array<Index> columns, MatrixView errors, const PassOverRows& pass_over) {
  StreamedGroupErrors found(problem, groups, lambdas, std::move(columns), errors);
  GroupPass pass(problem, groups, [&](Index group, const GroupSum& sum) { found.take(group, sum); });
  Stage stage(0, 0.5);
  pass_over([&](const Rows& x, const LayoutView& y, const double* weights) { pass.add(x, y, weights); });
  stage.next(1);
  if (found.needs_rows_again())
    pass_over([&](const Rows& x, const LayoutView& y, const double* weights) { found.add_again(x, y, weights); });
  found.require_finite();
  return found.reason();
}

}  // namespace freeridge
