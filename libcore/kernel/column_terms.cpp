#include "libcore/kernel/column_terms.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include "libcore/kernel/feature_sums.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/kernel/parts.hpp"

namespace freeridge {
namespace {

Array<double> chosen(Span<const double> values, Span<const Index> places) {
  Array<double> out;
  if (!values.empty())
    for (const Index k : places) out.push_back(values[k]);
  return out;
}

// Whether a scaled kernel is among the parts of `kernel`, or is the kernel itself.
bool holds_scaled(const Kernel& kernel) {
  return kernel.name() == std::string_view("scaled") ||
         std::ranges::any_of(kernel.parts(), [](const KernelPtr& part) { return holds_scaled(*part); });
}

}  // namespace

TermPoints::TermPoints(ConstMatrixView x, Span<const Index> columns) {
  const Index first = columns.front(), count = std::ssize(columns);
  if (columns.back() - first + 1 == count) {
    view_ = x.columns(first, count);
    return;
  }
  space_ = Matrix(x.rows, count);
  for (Index c = 0; c < count; ++c) std::copy_n(x.col(columns[c]), x.rows, space_.col(c));
  view_ = std::as_const(space_).view();
}

ColumnTerms::ColumnTerms(KernelPtr inner, Array<double> label)
    : inner_(std::move(inner)), label_(std::move(label)), extent_(extent_of({&inner_, 1}, 0)) {
  for (Index k = 0; k < std::ssize(label_); ++k) {
    if (label_[k] < 0) continue;
    terms_.resize(std::max(terms_.size(), static_cast<std::size_t>(label_[k]) + 1));
    terms_[static_cast<std::size_t>(label_[k])].push_back(k);
  }
}

void ColumnTerms::describe(KernelText& out) const {
  out.add(std::string_view(name()), "(");
  for (std::size_t k = 0; k < label_.size(); ++k) out.add(k == 0 ? "[" : ", ", static_cast<Index>(label_[k]));
  if (!label_.empty()) out.add("], ");
  inner_->describe(out);
  out.add(")");
}

void ColumnTerms::check_features(Index d) const {
  if (!label_.empty() && d != std::ssize(label_))
    fail(Status::dimension_mismatch, "x has d = ", d, " columns, the ", std::string_view(name()),
         " kernel has labels of d = ", std::ssize(label_));
  each_term(d, [&](Span<const Index> columns) { inner_->check_features(std::ssize(columns)); });
}

void ColumnTerms::slopes_of_term(Span<const Index> columns, ConstMatrixView a, ConstMatrixView b,
                                 const SlopeFactor& factor, const TakeSlope& take) const {
  const TermPoints left(a, columns), right(b, columns);
  const Array<double> divisor = chosen(factor.divisor, columns);
  inner_->slopes(left.view(), right.view(), {factor.q, factor.weight, divisor}, [&](const SlopeTerm& term) {
    Array<double> all(a.cols, std::numeric_limits<double>::infinity());  // none of the other columns
    for (std::size_t c = 0; c < columns.size(); ++c) all[columns[c]] = term.divisor.empty() ? 1 : term.divisor[c];
    take({term.form, term.q, term.weight, all, term.unit});
  });
}

double ColumnTerms::add_gradient_of_term(Span<const Index> columns, const std::optional<OneFeature>& fast,
                                         ConstMatrixView a, ConstMatrixView b, ConstMatrixView s, MatrixView room,
                                         const LogGradient& to, bool value) const {
  double found = 0;
  if (fast && columns.size() == 1) {
    const Index k = columns[0];
    double sums[16] = {}, slope = 0;
    for (Index j = 0; j < s.cols; ++j) fast->passes->contract(a.col(k), s.rows, b(j, k), fast->a, s.col(j), sums);
    for (Index i = 0; i < 8; ++i) {
      found += sums[i];
      slope += sums[8 + i];
    }
    slope *= to.weight;
    to.parameters[0] += slope;  // the bandwidth
    if (!to.lengths.empty()) to.lengths[k] += slope;
    return found;
  }
  const TermPoints left(a, columns), right(b, columns);
  if (value) {
    inner_->evaluate(left.view(), right.view(), room);
    found = sum_of_products(s, room);
  }
  if (room.data != s.data) copy(s, room);
  Array<double> lengths(columns.size(), 0.0);
  inner_->add_log_gradient(left.view(), right.view(), room,
                           {to.weight, to.parameters, to.lengths.empty() ? Span<double>() : Span<double>(lengths)});
  for (std::size_t c = 0; c < columns.size() && !to.lengths.empty(); ++c) to.lengths[columns[c]] += lengths[c];
  return found;
}

Array<double> checked_labels(const char* kind, const Kernel& inner, Span<const std::int32_t> label) {
  require_function("inner", inner);
  if (holds_scaled(inner))
    fail(Status::invalid_argument, "inner has a scaled kernel, but its points are the columns of one term; scale the ",
         std::string_view(kind), " kernel instead");
  Array<double> canonical;
  std::map<std::int32_t, Index> terms;
  for (const std::int32_t one : label)
    canonical.push_back(one < 0 ? -1.0 : static_cast<double>(terms.try_emplace(one, std::ssize(terms)).first->second));
  if (!label.empty() && terms.empty())
    fail(Status::invalid_argument, "label[0] is ", label[0], ", and all others are negative, too; one term is needed");
  return canonical;
}

}  // namespace freeridge
