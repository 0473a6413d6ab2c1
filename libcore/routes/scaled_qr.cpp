#include "libcore/routes/scaled_qr.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/base/saved_values.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/row_order.hpp"
#include "libcore/routes/saved_route.hpp"

namespace freeridge {
namespace {

constexpr double group_width = 1e-4;

// The norms of the rows, in units of the largest number of each: no square overflows.
Array<double> row_norms(ConstMatrixView a) {
  Array<double> largest(a.rows, 0.0), sum(a.rows, 0.0);
  for (Index j = 0; j < a.cols; ++j) {
    for (Index i = 0; i < a.rows; ++i) largest[i] = std::max(largest[i], std::abs(a(i, j)));
    worked(touched * static_cast<double>(a.rows));
  }
  for (Index j = 0; j < a.cols; ++j) {
    for (Index i = 0; i < a.rows; ++i) {
      const double value = largest[i] > 0 ? a(i, j) / largest[i] : 0;
      sum[i] += value * value;
    }
    worked(2 * touched * static_cast<double>(a.rows));
  }
  for (Index i = 0; i < a.rows; ++i) sum[i] = largest[i] * std::sqrt(sum[i]);
  return sum;
}

// The first k rows of R to `to`, and zeros in their place: what stays below are reflectors.
void take_triangle(MatrixView from, Index k, MatrixView to) {
  for (Index j = 0; j < from.cols; ++j) {
    const Index count = std::min(j + 1, k);
    std::copy_n(from.col(j), count, to.col(j));
    std::fill(to.col(j) + count, to.col(j) + k, 0.0);
    std::fill_n(from.col(j), count, 0.0);
    worked(2 * touched * static_cast<double>(k));
  }
}

}  // namespace

Index ScaledQr::all_reflectors() const {
  Index sum = 0;
  for (Index g = 0; g < group_count(); ++g) sum += reflectors(g);
  return sum;
}

// Sorts the rows by their norms where there are several groups. Rows of zeros go into the last one.
void ScaledQr::group(Span<const double> norms) {
  order_ = consecutive(0, std::ssize(norms));
  const auto [low, high] = std::ranges::minmax(norms);
  if (low > group_width * high || high == 0) {
    ends_ = {d()};
    return;
  }
  std::ranges::stable_sort(order_, std::greater<>(), [&](Index i) { return norms[i]; });
  double largest = high;
  for (Index i = 0; i < d(); ++i) {
    const double norm = norms[order_[i]];
    if (norm == 0 || norm >= group_width * largest) continue;
    ends_.push_back(i);
    largest = norm;
  }
  ends_.push_back(d());
  take_rows(order_, t());
}

void ScaledQr::set_error_norms(Array<double> norms) {
  for (Index g = 0; g < group_count(); ++g) {
    const Span<const Index> members = Span<const Index>(order_).subspan(begin(g), rows(g));
    double largest = 0;
    for (const Index i : members) largest = std::max(largest, norms[i]);
    for (const Index i : members.first(reflectors(g))) norms[i] = largest;
  }
  error_norms_ = std::move(norms);
}

ScaledQr::ScaledQr(Matrix storage, MatrixView triangle) : storage_(std::move(storage)), m_(triangle.cols) {
  Array<double> norms = row_norms(t());
  group(norms);
  set_error_norms(std::move(norms));
  tau_.resize(all_reflectors());
  if (several_groups()) stack_ = Matrix(all_reflectors(), m());
  const Stage stage(0, 1, 4 * static_cast<double>(d()) * static_cast<double>(m()) * static_cast<double>(m()));
  for (Index g = 0, row = 0; g < group_count(); row += reflectors(g), ++g) {
    const Index k = reflectors(g);
    const MatrixView part = t().row_range(begin(g), rows(g));
    geqrf(part, Span(tau_).subspan(row, k));
    take_triangle(part, k, several_groups() ? stack_.view().row_range(row, k) : triangle);
  }
  if (!several_groups()) return;
  stack_tau_.resize(m());
  pivots_.resize(m());
  geqp3(stack_.view(), 0, pivots_, stack_tau_);
  take_triangle(stack_.view(), m(), triangle);
}

void ScaledQr::expand(ConstMatrixView h, MatrixView out) const {
  Matrix top(all_reflectors(), h.cols, 0.0);
  copy(h, top.view().row_range(0, m()));
  for (Index j = 0; j < out.cols; ++j) std::fill_n(out.col(j), d(), 0.0);
  if (several_groups()) ormqr(stack_.view(), stack_tau_, top.view());
  for (Index g = 0, row = 0; g < group_count(); row += reflectors(g), ++g) {
    const Index k = reflectors(g);
    copy(top.view().row_range(row, k), out.row_range(begin(g), k));
    ormqr(t().row_range(begin(g), rows(g)), Span(tau_).subspan(row, k), out.row_range(begin(g), rows(g)));
  }
  restore_rows(order_, out);
}

void ScaledQr::reduce(ConstMatrixView a, MatrixView h) const {
  Matrix top(all_reflectors(), a.cols), y = copy_of(a);
  take_rows(order_, y.view());
  for (Index g = 0, row = 0; g < group_count(); row += reflectors(g), ++g) {
    const Index k = reflectors(g);
    ormqr(t().row_range(begin(g), rows(g)), Span(tau_).subspan(row, k), y.view().row_range(begin(g), rows(g)),
          Op::transpose);
    for (Index j = 0; j < a.cols; ++j) std::copy_n(y.col(j) + begin(g), k, top.col(j) + row);
  }
  if (several_groups()) ormqr(stack_.view(), stack_tau_, top.view(), Op::transpose);
  for (Index j = 0; j < a.cols; ++j) std::copy_n(top.col(j), m(), h.col(j));
}

void ScaledQr::save(ByteWriter& out) const {
  out.integer(group_count());
  out.indices(ends_);
  out.indices(order_);
  out.numbers(tau_);
  out.matrix(t());
  if (!several_groups()) return;
  out.numbers(stack_tau_);
  out.matrix(stack_.view());
}

ScaledQr::ScaledQr(ByteReader& in, Index d, Index m) : m_(m) {
  constexpr double largest_tau = 2;
  const Index groups = in.integer("number of groups", 1, d);
  ends_ = load_indices("the groups", "end of a group", 1, d, groups, in);
  for (Index g = 0; g < groups; ++g)
    if (ends_[g] <= begin(g) || (g + 1 == groups && ends_[g] != d))
      fail(Status::corrupt, "the saved groups of features are none");
  order_ = load_indices("the order of the features", "feature", 0, d - 1, d, in);
  Array<char> seen(d, 0);
  for (const Index i : order_)
    if (std::exchange(seen[i], char{1}) != 0) fail(Status::corrupt, "feature ", i, " is saved twice");
  const Index count = all_reflectors();
  tau_ = in.vector("tau", largest_tau, count);
  storage_ = in.matrix("the reflectors of X'", orthonormal, d, m);
  if (!several_groups()) return;
  stack_tau_ = in.vector("tau of all groups", largest_tau, m);
  stack_ = in.matrix("the reflectors of all groups", orthonormal, count, m);
}

}  // namespace freeridge
