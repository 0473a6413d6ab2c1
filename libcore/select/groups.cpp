#include "libcore/select/groups.hpp"

#include <algorithm>
#include <limits>
#include <map>

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
    for (auto& [value, members] : rows) groups_.push_back({value, std::move(members), r});
  }
}

void Groups::labels(Span<std::int32_t> out) const {
  std::ranges::fill(out, -1);
  const Index n = std::ssize(out) / divisions_;
  for (const Group& group : groups_)
    for (const Index row : group.rows) out[group.division * n + row] = group.label;
}

bool group_errors(const Problem& problem, const RowBlock& rows, const Group& group, const ResidualMaker& residual_maker,
                  Index first, MatrixView out) {
  const bool defined = problem.determined_without(group.rows) && rows.left_out(residual_maker, first, out);
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i)
      out(i, j) = defined ? out(i, j) / problem.sqrt_w[group.rows[i]] : std::numeric_limits<double>::quiet_NaN();
  return defined;
}

}  // namespace freeridge
