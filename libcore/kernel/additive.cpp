// Derivatives of the additive kernel by logarithms: that by a parameter of inner is the mean of its derivatives over
// the terms, and that by l_k the derivative of the term with k. Cost of values and derivatives: those of inner on each
// term. Panels of `panel_points` points z keep them in the cache.
#include "libcore/kernel/additive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "libcore/kernel/feature_sums.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/kernel/one_pass.hpp"
#include "libcore/kernel/parts.hpp"
#include "libcore/kernel/value_loops.hpp"

namespace freeridge {
namespace {

constexpr Index panel_points = 32;

// The points of a term: where they stand if its columns are neighbours, else copied.
class TermPoints {
 public:
  TermPoints(ConstMatrixView x, Span<const Index> columns) {
    const Index first = columns.front(), count = std::ssize(columns);
    if (columns.back() - first + 1 == count) {
      view_ = x.columns(first, count);
      return;
    }
    space_ = Matrix(x.rows, count);
    for (Index c = 0; c < count; ++c) std::copy_n(x.col(columns[c]), x.rows, space_.col(c));
    view_ = std::as_const(space_).view();
  }
  ConstMatrixView view() const { return view_; }

 private:
  Matrix space_;
  ConstMatrixView view_;
};

Array<double> chosen(Span<const double> values, Span<const Index> places) {
  Array<double> out;
  if (!values.empty())
    for (const Index k : places) out.push_back(values[k]);
  return out;
}

class Additive final : public Kernel, public ValuesWithGradient {
 public:
  // label: one for each column, 0, 1, ... in the order of their first columns, -1: in no term. Empty: each column is a
  // term.
  Additive(KernelPtr inner, Array<double> label)
      : inner_(std::move(inner)), label_(std::move(label)), extent_(extent_of({&inner_, 1}, 0)) {
    for (Index k = 0; k < std::ssize(label_); ++k) {
      if (label_[k] < 0) continue;
      terms_.resize(std::max(terms_.size(), static_cast<std::size_t>(label_[k]) + 1));
      terms_[static_cast<std::size_t>(label_[k])].push_back(k);
    }
  }

  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    const std::optional<OneFeature> fast = one_feature(*inner_);
    Matrix tile(out.rows, std::min(panel_points, out.cols));
    for (Index first = 0; first < out.cols; first += panel_points) {
      const MatrixView part = out.columns(first, std::min(panel_points, out.cols - first));
      const MatrixView values = tile.view().columns(0, part.cols);
      const ConstMatrixView points = b.row_range(first, part.cols);
      for (Index j = 0; j < part.cols; ++j) std::fill_n(part.col(j), part.rows, 0.0);
      each_term(a.cols, [&](Span<const Index> columns) {
        if (fast && columns.size() == 1) {
          const Index k = columns[0];
          for (Index j = 0; j < part.cols; ++j)
            fast->passes->add(a.col(k), part.rows, points(j, k), fast->a, part.col(j));
          return;
        }
        const TermPoints left(a, columns), right(points, columns);
        inner_->evaluate(left.view(), right.view(), values);
        for (Index j = 0; j < part.cols; ++j) passes().add(values.col(j), part.rows, 1, part.col(j));
      });
      const auto terms = static_cast<double>(term_count(a.cols));
      for (Index j = 0; j < part.cols; ++j) passes().divide(part.col(j), part.rows, terms, part.col(j));
    }
  }

  DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const override {
    DoubleDouble sum;
    Array<DoubleDouble> left, right;
    each_term(std::ssize(x), [&](Span<const Index> columns) {
      left.clear();
      right.clear();
      for (const Index k : columns) {
        left.push_back(x[k]);
        right.push_back(z[k]);
      }
      sum += inner_->twofold(left, right);
    });
    return sum / DoubleDouble(static_cast<double>(term_count(std::ssize(x))));
  }

  void slopes(ConstMatrixView a, ConstMatrixView b, const SlopeFactor& factor, const TakeSlope& take) const override {
    Matrix tile(factor.q.rows, factor.q.cols);
    const double weight = factor.weight / static_cast<double>(term_count(a.cols));
    each_term(a.cols, [&](Span<const Index> columns) {
      const TermPoints left(a, columns), right(b, columns);
      const Array<double> divisor = chosen(factor.divisor, columns);
      copy(factor.q, tile.view());
      inner_->slopes(left.view(), right.view(), {tile.view(), weight, divisor}, [&](const SlopeTerm& term) {
        Array<double> all(a.cols, std::numeric_limits<double>::infinity());  // none of the other columns
        for (std::size_t c = 0; c < columns.size(); ++c) all[columns[c]] = term.divisor.empty() ? 1 : term.divisor[c];
        take({term.form, term.q, term.weight, all, term.unit});
      });
    });
  }
  bool differentiable() const override { return inner_->differentiable(); }

  // The term with column k alone has derivatives along it.
  void along(ConstMatrixView a, ConstMatrixView b, Index k, const AlongColumn& out) const override {
    if (out.value.cols > 0) evaluate(a, b, out.value);
    const AlongColumn slopes{{}, out.by_x, out.by_z, out.mixed};
    slopes.each([](MatrixView part) { fill_each(part, [](Index, Index) { return 0.0; }); });
    each_term(a.cols, [&](Span<const Index> columns) {
      const auto place = std::ranges::find(columns, k);
      if (place == columns.end()) return;
      const TermPoints left(a, columns), right(b, columns);
      inner_->along(left.view(), right.view(), place - columns.begin(), slopes);
      slopes.each([&](MatrixView part) { divide_by(part, static_cast<double>(term_count(a.cols))); });
    });
  }

  void add_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s, const LogGradient& to) const override {
    add_gradient(a, b, s, to, nullptr);
  }
  double add_value_and_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s,
                                    const LogGradient& to) const override {
    double value = 0;
    add_gradient(a, b, s, to, &value);
    return value;
  }

  const char* name() const override { return "additive"; }
  KernelPtr rebuilt(Span<const double> /*numbers*/, Array<KernelPtr> parts) const override {
    return std::make_shared<Additive>(std::move(parts[0]), label_);
  }
  Index parameter_count() const override { return 1; }
  KernelParameter parameter(Index /*i*/) const override { return {"label", label_, true, true}; }
  Span<const KernelPtr> parts() const override { return {&inner_, 1}; }

  void describe(KernelText& out) const override {
    out.add("additive(");
    for (std::size_t k = 0; k < label_.size(); ++k) out.add(k == 0 ? "[" : ", ", static_cast<Index>(label_[k]));
    if (!label_.empty()) out.add("], ");
    inner_->describe(out);
    out.add(")");
  }
  Extent extent() const override { return extent_; }

  void check_features(Index d) const override {
    if (!label_.empty() && d != std::ssize(label_))
      fail(Status::dimension_mismatch, "x has d = ", d,
           " columns, the additive kernel has labels of d = ", std::ssize(label_));
    each_term(d, [&](Span<const Index> columns) { inner_->check_features(std::ssize(columns)); });
  }

  Index rank_bound(Index d) const override {
    Index bound = 0;
    bool overflow = false;
    each_term(d, [&](Span<const Index> columns) {
      overflow = __builtin_add_overflow(bound, inner_->rank_bound(std::ssize(columns)), &bound) || overflow;
    });
    return overflow ? Kernel::rank_bound(d) : bound;
  }

  // Linear terms: k = 1 / m sum_k x_k z_k / s_k^2. A column in no term has a divisor that makes it vanish. (d = 0 asks
  // whether it is linear.)
  std::optional<Array<double>> linear_scale(Index d) const override {
    Array<double> out(d, 0x1p500);
    bool linear = true;
    const double root = std::sqrt(static_cast<double>(term_count(d)));
    each_term(d, [&](Span<const Index> columns) {
      const std::optional<Array<double>> own = inner_->linear_scale(std::ssize(columns));
      linear = linear && own;
      for (std::size_t c = 0; c < columns.size() && own; ++c)
        if (columns[c] < d) out[columns[c]] = root * (*own)[c];
    });
    return linear ? std::optional(std::move(out)) : std::nullopt;
  }

  std::optional<double> bandwidth() const override { return inner_->bandwidth(); }
  KernelPtr with_bandwidth(double sigma) const override {
    KernelPtr inner = inner_->with_bandwidth(sigma);
    return inner ? std::make_shared<Additive>(std::move(inner), label_) : nullptr;
  }

 private:
  Index term_count(Index d) const { return label_.empty() ? d : std::ssize(terms_); }

  // value: <S, K> is added to it; NULL: not asked for.
  void add_gradient(ConstMatrixView a, ConstMatrixView b, ConstMatrixView s, const LogGradient& to,
                    double* value) const {
    const std::optional<OneFeature> fast = one_feature(*inner_);
    Matrix tile(s.rows, std::min(panel_points, s.cols));
    const auto terms = static_cast<double>(term_count(a.cols));
    for (Index first = 0; first < s.cols; first += panel_points) {
      const ConstMatrixView part = s.columns(first, std::min(panel_points, s.cols - first));
      const ConstMatrixView points = b.row_range(first, part.cols);
      const MatrixView own = tile.view().columns(0, part.cols);
      each_term(a.cols, [&](Span<const Index> columns) {
        Array<double> lengths(columns.size(), 0.0);
        double of_term = 0;
        if (fast && columns.size() == 1) {
          of_term = add_feature_gradient(*fast, a, points, columns[0], part, to, lengths);
        } else {
          const TermPoints left(a, columns), right(points, columns);
          if (value != nullptr) {
            inner_->evaluate(left.view(), right.view(), own);
            of_term = sum_of_products(part, own);
          }
          copy(part, own);
          inner_->add_log_gradient(
              left.view(), right.view(), own,
              {to.weight / terms, to.parameters, to.lengths.empty() ? Span<double>() : Span<double>(lengths)});
        }
        if (value != nullptr) *value += of_term / terms;
        for (std::size_t c = 0; c < columns.size() && !to.lengths.empty(); ++c) to.lengths[columns[c]] += lengths[c];
      });
    }
  }

  // Of the term with feature k alone; answers <S, inner>.
  double add_feature_gradient(const OneFeature& fast, ConstMatrixView a, ConstMatrixView b, Index k, ConstMatrixView s,
                              const LogGradient& to, Span<double> length) const {
    double sums[16] = {}, value = 0, slope = 0;
    for (Index j = 0; j < s.cols; ++j) fast.passes->contract(a.col(k), s.rows, b(j, k), fast.a, s.col(j), sums);
    for (Index i = 0; i < 8; ++i) {
      value += sums[i];
      slope += sums[8 + i];
    }
    slope *= to.weight / static_cast<double>(term_count(a.cols));
    to.parameters[0] += slope;  // the bandwidth
    length[0] = slope;
    return value;
  }

  template <class Take>
  void each_term(Index d, const Take& take) const {
    if (!label_.empty())
      for (const Array<Index>& columns : terms_) take(Span<const Index>(columns));
    else
      for (Index k = 0; k < d; ++k) take(Span<const Index>(&k, 1));
  }

  KernelPtr inner_;
  Array<double> label_;  // as a parameter: numbers
  Array<Array<Index>> terms_;
  Extent extent_;
};

// Whether a scaled kernel is among the parts of `kernel`, or is the kernel itself.
bool holds_scaled(const Kernel& kernel) {
  return kernel.name() == std::string_view("scaled") ||
         std::ranges::any_of(kernel.parts(), [](const KernelPtr& part) { return holds_scaled(*part); });
}

}  // namespace

KernelPtr additive_kernel(KernelPtr inner, Span<const std::int32_t> label) {
  require_function("inner", *inner);
  if (holds_scaled(*inner))
    fail(Status::invalid_argument,
         "inner has a scaled kernel, but its points are the columns of one term; scale the additive kernel instead");
  Array<double> canonical;
  std::map<std::int32_t, Index> terms;
  for (const std::int32_t one : label)
    canonical.push_back(one < 0 ? -1.0 : static_cast<double>(terms.try_emplace(one, std::ssize(terms)).first->second));
  if (!label.empty() && terms.empty())
    fail(Status::invalid_argument, "label[0] is ", label[0], ", and all others are negative, too; one term is needed");
  auto out = std::make_shared<Additive>(std::move(inner), std::move(canonical));
  if (!label.empty()) out->check_features(std::ssize(label));
  return out;
}

}  // namespace freeridge
