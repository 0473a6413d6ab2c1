#include "libcore/select/group_gradient.hpp"

#include <algorithm>

#include "libcore/base/progress.hpp"
#include "libcore/factor/left_out_rows.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

constexpr Index least_panel = 32;  // columns

Index panel_columns(Index n, Index columns) {
  return std::min(columns, std::max(least_panel, n / 20));
}

// a = a + P_:S v,  r = r - P_:S e  for up to four rows k, k + 1, ... of S: a and r are read once for all.
void add_columns(const Matrix& p, Span<const Index> rows, Index k, const double* v, const double* e, double* a,
                 double* r) {
  const Index count = std::min<Index>(4, std::ssize(rows) - k);
  const double* column[4];
  double by_v[4] = {}, by_e[4] = {};
  for (Index q = 0; q < 4; ++q) {
    column[q] = p.col(rows[q < count ? k + q : k]);
    if (q < count) by_v[q] = v[k + q], by_e[q] = e[k + q];
  }
  for (Index i = 0; i < p.rows(); ++i) {
    const double p0 = column[0][i], p1 = column[1][i], p2 = column[2][i], p3 = column[3][i];
    a[i] += by_v[0] * p0 + by_v[1] * p1 + by_v[2] * p2 + by_v[3] * p3;
    r[i] -= by_e[0] * p0 + by_e[1] * p1 + by_e[2] * p2 + by_e[3] * p3;
  }
}

}  // namespace

GroupGradient::GroupGradient(const Problem& problem, const ResidualMatrix& p, const Groups& groups,
                             Span<const double> divisors, double lambda)
    : p_(p), groups_(groups.all()), divisors_(divisors), scores_(problem.t(), 0.0) {
  Array<double> weights, left_out(groups.divisions(), 0.0);
  for (const Group& group : groups_) {
    weights.push_back(0);
    for (Index k = 0; k < group.scored; ++k) weights.back() += problem.weight(group.rows[k]);
    left_out[group.division] += weights.back();
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const double share = weights[g] / left_out[groups_[g].division] / static_cast<double>(groups.divisions());
    solve(groups_[g], share, weights[g], lambda);
  }
  const Index n = problem.n(), columns = std::ssize(groups_) * problem.t();
  left_ = Matrix(n, panel_columns(n, columns));
  right_ = Matrix(n, left_.cols());
}

void GroupGradient::solve(const Group& group, double share, double weights, double lambda) {
  const Index s = std::ssize(group.rows), t = std::ssize(scores_);
  Matrix block(s, s);
  for (Index j = 0; j < s; ++j) {
    for (Index i = j; i < s; ++i) block(i, j) = p_.p(group.rows[i], group.rows[j]);
    worked(touched * static_cast<double>(s - j));
  }
  Matrix e = picked_rows(p_.c.view(), group.rows);
  const LeftOutFactor factor(block.view());
  if (!factor.regular()) fail(Status::undefined, no_group_error(group), " (lambda = ", lambda, ")");
  factor.solve(e.view());
  Matrix v = copy_of(e.view());
  clear_gap(group, v.view());
  factor.solve(v.view());
  for (Index j = 0; j < t; ++j) {
    scores_[j] += share * (dot(group.scored, e.col(j), e.col(j)) / weights);
    for (Index i = 0; i < s; ++i) v(i, j) *= 2 * share / weights / divisors_[j];
  }
  e_.push_back(std::move(e));
  v_.push_back(std::move(v));
}

bool GroupGradient::next_panel() {
  const Index n = p_.p.rows(), t = std::ssize(scores_), all = std::ssize(groups_) * t;
  count_ = std::min(left_.cols(), all - next_);
  for (Index q = 0; q < count_; ++q) {
    const Index g = (next_ + q) / t, j = (next_ + q) % t;
    const Array<Index>& rows = groups_[g].rows;
    double *const a = left_.col(q), *const r = right_.col(q);
    std::fill_n(a, n, 0.0);
    std::copy_n(p_.c.col(j), n, r);
    for (Index k = 0; k < std::ssize(rows); k += 4) add_columns(p_.p, rows, k, v_[g].col(j), e_[g].col(j), a, r);
    worked(touched * static_cast<double>(n * std::ssize(rows)));
    for (const Index row : rows) r[row] = 0;
  }
  next_ += count_;
  return count_ > 0;
}

Index group_gradient_doubles(Index n, Index t, const Groups& groups) {
  Index rows = 0, largest = 0;
  for (const Group& group : groups.all()) {
    rows += std::ssize(group.rows);
    largest = std::max(largest, static_cast<Index>(std::ssize(group.rows)));
  }
  return checked_doubles(2 * rows, t) + checked_doubles(largest, largest) +
         checked_doubles(2 * panel_columns(n, std::ssize(groups.all()) * t), n);
}

}  // namespace freeridge
