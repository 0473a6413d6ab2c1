#include "libcore/select/groups.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "libcore/base/constants.hpp"

namespace freeridge {

Groups::Groups(Span<const std::int32_t> label, Index divisions) : divisions_(divisions) {
  const Index n = std::ssize(label) / divisions;
  for (Index r = 0; r < divisions; ++r) {
    std::map<std::int32_t, Array<Index>> rows;
    for (Index i = 0; i < n; ++i)
      if (label[r * n + i] >= 0) rows[label[r * n + i]].push_back(i);
    if (rows.empty())
      fail(Status::invalid_argument, "group has no label >= 0", divisions > 1 ? text(" in division ", r) : "",
           "; at least one row must be left out");
    for (auto& [value, members] : rows) {
      const Index count = std::ssize(members);
      groups_.push_back({value, std::move(members), count, r});
    }
  }
}

Groups Groups::with_gaps(Span<const std::int32_t> gap, Index layers) const {
  Groups out(*this);
  out.layers_ = layers;
  std::map<std::pair<Index, std::int32_t>, Group*> group_of;
  for (Group& group : out.groups_) {
    group.rows.resize(group.scored);
    group_of[{group.division, group.label}] = &group;
  }
  const Index n = layers == 0 ? 0 : std::ssize(gap) / (layers * divisions_);
  for (Index r = 0; r < divisions_; ++r)
    for (Index i = 0; i < n; ++i)
      for (Index l = 0; l < layers; ++l) {
        const auto found = group_of.find({r, gap[(r * layers + l) * n + i]});
        if (found == group_of.end()) continue;
        Group& group = *found->second;
        const auto end = group.rows.begin() + group.scored;
        if (group.rows.back() != i && !std::binary_search(group.rows.begin(), end, i)) group.rows.push_back(i);
      }
  return out;
}

Groups Groups::without(Span<const Index> rows) const {
  Groups out(*this);
  out.groups_.clear();
  for (const Group& group : groups_) {
    Group left{group.label, {}, 0, group.division};
    const auto is_left = [&](Index row) { return !std::ranges::binary_search(rows, row); };
    const auto middle = group.rows.begin() + group.scored;
    std::copy_if(group.rows.begin(), middle, std::back_inserter(left.rows), is_left);
    left.scored = std::ssize(left.rows);
    if (left.scored == 0) continue;
    std::copy_if(middle, group.rows.end(), std::back_inserter(left.rows), is_left);
    left.rows.insert(left.rows.end(), rows.begin(), rows.end());
    std::sort(left.rows.begin() + left.scored, left.rows.end());
    out.groups_.push_back(std::move(left));
  }
  return out;
}

void Groups::labels(Span<std::int32_t> out) const {
  std::ranges::fill(out, -1);
  const Index n = std::ssize(out) / divisions_;
  for (const Group& group : groups_)
    for (Index k = 0; k < group.scored; ++k) out[group.division * n + group.rows[k]] = group.label;
}

void Groups::gaps(Span<std::int32_t> out) const {
  const Index labels = layers_ * divisions_, n = labels == 0 ? 0 : std::ssize(out) / labels;
  Array<Index> used(n * divisions_, 0);  // the layers of each row that hold a label
  std::ranges::fill(out, -1);
  for (const Group& group : groups_)
    for (Index k = group.scored; k < std::ssize(group.rows); ++k) {
      const Index row = group.rows[k];
      out[(group.division * layers_ + used[group.division * n + row]++) * n + row] = group.label;
    }
}

std::string no_group_error(const Group& group) {
  return text("the errors of group ", group.label, " are undefined: the other rows do not determine its predictions");
}

void clear_gap(const Group& group, MatrixView a) {
  for (Index j = 0; j < a.cols; ++j) std::fill(a.col(j) + group.scored, a.col(j) + a.rows, 0.0);
}

bool group_errors(const Problem& problem, const RowBlock& rows, const Group& group, const ResidualMaker& residual_maker,
                  Index first, MatrixView out) {
  const bool defined = problem.determined_without(group.rows) && rows.left_out(residual_maker, first, out);
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) = defined ? out(i, j) / problem.sqrt_w[group.rows[i]] : nan;
  return defined;
}

}  // namespace freeridge
