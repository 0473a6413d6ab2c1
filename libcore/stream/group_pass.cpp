#include "libcore/stream/group_pass.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/constants.hpp"
#include "libcore/select/criteria.hpp"

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

}  // namespace

GroupsInOrder::GroupsInOrder(const Array<Group>& groups)
    : groups_(groups), waiting_(consecutive(0, std::ssize(groups))) {
  std::ranges::stable_sort(waiting_, std::greater<>(), [&](Index g) { return first_row(groups_[g]); });
}

void GroupsInOrder::each(Index end, const Use& use) {
  for (; !waiting_.empty() && first_row(groups_[waiting_.back()]) < end; waiting_.pop_back())
    open_.push_back({waiting_.back(), 0, 0});
  for (Open& open : open_) {
    const Group& group = groups_[open.group];
    const Span<const Index> scored = rows_below(end, scored_rows(group), open.scored),
                            gap = rows_below(end, gap_rows(group), open.gap);
    open.complete = open.scored + open.gap == std::ssize(group.rows);
    if (!scored.empty() || !gap.empty()) use(open.group, scored, gap, open.complete);
  }
  std::erase_if(open_, [](const Open& open) { return open.complete; });
}

GroupPass::GroupPass(const ReducedProblem& problem, const Groups& groups, Use use)
    : problem_(problem), groups_(groups.all()), use_(std::move(use)), order_(groups_), sums_(groups_.size()) {}

Index GroupPass::memory_required(const ReducedProblem& problem, const Groups& groups) {
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

void GroupPass::take(Index group, Span<const Index> rows, Index first, const double* weights, bool scored) {
  if (rows.empty()) return;
  const Index count = std::ssize(rows);
  const MatrixView some = gathered_.view().row_range(0, count);
  for (Index k = 0; k < tile_.cols(); ++k) {
    for (Index i = 0; i < count; ++i) some(i, k) = tile_(rows[i] - first, k);
    worked(touched * static_cast<double>(count));
  }
  Array<double> own(count, 1.0);
  for (Index i = 0; i < count && weights != nullptr; ++i) own[i] = weights[rows[i] - first];
  sums_[group]->add(some, rows, own, scored);
}

void GroupPass::add(const Rows& x, const LayoutView& y, const double* weights) {
  const Index columns = problem_.basis_size() + problem_.rows().t();
  if (tile_.cols() == 0) {
    tile_ = Matrix(pass_rows, columns);
    gathered_ = Matrix(pass_rows, columns);
  }
  for (Index row = 0; row < x.rows; row += pass_rows) {
    const Index count = std::min(pass_rows, x.rows - row), first = next_ + row;
    problem_.basis_rows(x, y, weights, row, room_, tile_.view().row_range(0, count));
    order_.each(first + count, [&](Index group, Span<const Index> scored, Span<const Index> gap, bool complete) {
      std::unique_ptr<GroupSum>& sum = sums_[group];
      const Group& all = groups_[group];
      if (!sum) sum = std::make_unique<GroupSum>(problem_, std::ssize(all.rows), has_gap(all));
      const double* const own = weights == nullptr ? nullptr : weights + row;
      take(group, scored, first, own, true);
      take(group, gap, first, own, false);
      if (!complete) return;
      use_(group, *sum);
      sum.reset();
    });
    report(fraction(row + count, x.rows));
  }
  next_ += x.rows;
}

StreamedGroupScores::StreamedGroupScores(const ReducedProblem& problem, const Groups& groups,
                                         Span<const double> lambdas)
    : problem_(problem),
      groups_(groups),
      lambdas_(lambdas.begin(), lambdas.end()),
      at_(each_at(problem, lambdas)),
      moments_(groups.divisions() * std::ssize(lambdas) * problem.rows().t()) {}

void StreamedGroupScores::take(Index group, const GroupSum& sum) {
  const Index t = problem_.rows().t(), division = groups_.all()[group].division;
  Moments* const own = moments_.data() + division * std::ssize(lambdas_) * t;
  for (std::size_t l = 0; l < at_.size(); ++l) {
    const bool defined = sum.left_out(at_[l], left_out_);
    for (Index j = 0; j < t; ++j) {
      Moments& all = own[static_cast<Index>(l) * t + j];
      if (!defined) {
        all.undefined += 1;
        keep_first(reason_, no_errors(groups_.all()[group], lambdas_[l]));
        continue;
      }
      const double mean = left_out_.squares[j] / sum.scored_sum_w();
      if (!std::isfinite(mean)) fail(Status::not_finite, "the squares of the left-out errors overflow; rescale y");
      all.join({1, sum.scored_sum_w(), mean, 0, 0});
    }
  }
  overlap_ += sum.scored_sum_w() / (problem_.rows().sum_w() - sum.sum_w());
}

std::string StreamedGroupScores::give(MatrixView scores, MatrixView errors) const {
  const Index pairs = scores.rows * scores.cols, divisions = groups_.divisions();
  Array<double> all(pairs * moment_numbers);
  for (Index pair = 0; pair < pairs; ++pair) {
    Moments joined = moments_[pair];
    if (divisions > 1) joined = {};
    for (Index r = 0; r < divisions && divisions > 1; ++r) {  // groups by their parts of what their division leaves out
      Moments one = moments_[r * pairs + pair];
      if (one.weight > 0) one.spread /= std::sqrt(one.weight);
      if (one.weight > 0) one.weight = 1;
      joined.join(one);
    }
    put_moments(joined, pair, all);
  }
  std::string reason = reason_;
  keep_first(reason, moment_scores(lambdas_, all, scores, errors));
  for (Index j = 0; j < scores.cols && errors.data != nullptr && divisions > 1; ++j)
    for (Index l = 0; l < scores.rows; ++l) errors(l, j) *= std::sqrt(1 + overlap_);
  return reason;
}

StreamedGroupErrors::StreamedGroupErrors(const ReducedProblem& problem, const Groups& groups,
                                         Span<const double> lambdas, Array<Index> columns, MatrixView errors)
    : problem_(problem),
      groups_(groups.all()),
      lambdas_(lambdas.begin(), lambdas.end()),
      at_(each_at(problem, lambdas)),
      columns_(std::move(columns)),
      errors_(errors),
      order_(groups_),
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
  if (tile_.cols() == 0) tile_ = Matrix(pass_rows, k + t);
  Array<Index> output(errors_.cols);
  for (std::size_t l = 0; l < at_.size(); ++l)
    for (Index j = 0; j < t; ++j)
      if (column(l, j) >= 0) output[column(l, j)] = j;
  for (Index row = 0; row < x.rows; row += pass_rows) {
    const Index count = std::min(pass_rows, x.rows - row), first = next_ + row;
    problem_.basis_rows(x, y, weights, row, room_, tile_.view().row_range(0, count));
    order_.each(first + count, [&](Index group, Span<const Index> scored, Span<const Index>, bool complete) {
      Matrix& solved = solved_[group];
      for (Index c = 0; c < solved.cols(); ++c)
        for (const Index i : scored) {
          double e = tile_(i - first, k + output[c]);
          for (Index b = 0; b < k; ++b) e += tile_(i - first, b) * solved(b, c);
          errors_(i, c) = e / (weights == nullptr ? 1 : std::sqrt(weights[i - next_]));
        }
      worked(touched * static_cast<double>(std::ssize(scored) * k * solved.cols()));
      if (complete) solved = Matrix();
    });
    report(fraction(row + count, x.rows));
  }
  next_ += x.rows;
}

}  // namespace freeridge
