#include "libcore/select/groups.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "libcore/linalg/lapack.hpp"

namespace freeridge {

Groups::Groups(std::span<const std::int32_t> label) {
  std::map<std::int32_t, std::vector<Index>> rows;
  for (std::size_t i = 0; i < label.size(); ++i)
    if (label[i] >= 0) rows[label[i]].push_back(static_cast<Index>(i));
  if (rows.empty()) fail(Status::invalid_argument, "group has no label >= 0; at least one row must be left out");
  for (auto& [value, members] : rows) groups_.push_back({value, std::move(members)});
}

bool group_errors(const Problem& problem, const ResidualMaker& maker, const Group& group, ConstMatrixView residual,
                  MatrixView out) {
  const Index s = static_cast<Index>(group.rows.size());
  Matrix p(s, s);
  maker.block(group.rows, p.view());
  // Scaled to a unit diagonal, D^-1/2 P~_SS D^-1/2, so that the condition is about the group and not about how
  // leverages differ.
  std::vector<double> root(static_cast<std::size_t>(s));
  bool defined = true;
  for (Index i = 0; i < s; ++i) {
    root[static_cast<std::size_t>(i)] = std::sqrt(p(i, i));
    defined = defined && p(i, i) > 0;
  }
  if (defined) {
    for (Index j = 0; j < s; ++j)
      for (Index i = j; i < s; ++i) p(i, j) /= root[static_cast<std::size_t>(i)] * root[static_cast<std::size_t>(j)];
    const double norm = symmetric_norm1(p.view());
    const double limit = static_cast<double>(s) * std::numeric_limits<double>::epsilon();
    defined = potrf(p.view()) && reciprocal_condition(p.view(), norm) > limit;
  }
  if (!defined) {
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < s; ++i) out(i, j) = std::numeric_limits<double>::quiet_NaN();
    return false;
  }
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < s; ++i)
      out(i, j) = residual(group.rows[static_cast<std::size_t>(i)], j) / root[static_cast<std::size_t>(i)];
  trsm(Op::none, p.view(), out);
  trsm(Op::transpose, p.view(), out);
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < s; ++i)
      out(i, j) /= root[static_cast<std::size_t>(i)] *
                   problem.sqrt_w[static_cast<std::size_t>(group.rows[static_cast<std::size_t>(i)])];
  return true;
}

}  // namespace freeridge
