// Derivatives of the additive kernel by logarithms: that by a parameter of inner is the mean of its derivatives over
// the terms, and that by l_k the derivative of the term with k. Cost of values and derivatives: those of inner on each
// term. Panels of `panel_points` points z keep them in the cache.
#include "libcore/kernel/additive.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/kernel/column_terms.hpp"
#include "libcore/kernel/value_loops.hpp"

namespace freeridge {
namespace {

constexpr Index panel_points = 32;

class Additive final : public ColumnTerms {
 public:
  Additive(KernelPtr inner, Array<double> label) : ColumnTerms(std::move(inner), std::move(label)) {}

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
    each_twofold(x, z, [&](DoubleDouble value) { sum += value; });
    return sum / DoubleDouble(static_cast<double>(term_count(std::ssize(x))));
  }

  void slopes(ConstMatrixView a, ConstMatrixView b, const SlopeFactor& factor, const TakeSlope& take) const override {
    Matrix tile(factor.q.rows, factor.q.cols);
    const double weight = factor.weight / static_cast<double>(term_count(a.cols));
    each_term(a.cols, [&](Span<const Index> columns) {
      copy(factor.q, tile.view());
      slopes_of_term(columns, a, b, {tile.view(), weight, factor.divisor}, take);
    });
  }

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

  const char* name() const override { return "additive"; }

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

 private:
  KernelPtr of_inner(KernelPtr inner) const override { return std::make_shared<Additive>(std::move(inner), label_); }

  void add_gradient(ConstMatrixView a, ConstMatrixView b, ConstMatrixView s, const LogGradient& to,
                    double* value) const override {
    const std::optional<OneFeature> fast = one_feature(*inner_);
    Matrix tile(s.rows, std::min(panel_points, s.cols));
    const auto terms = static_cast<double>(term_count(a.cols));
    for (Index first = 0; first < s.cols; first += panel_points) {
      const ConstMatrixView part = s.columns(first, std::min(panel_points, s.cols - first));
      const ConstMatrixView points = b.row_range(first, part.cols);
      const MatrixView own = tile.view().columns(0, part.cols);
      each_term(a.cols, [&](Span<const Index> columns) {
        const double of_term = add_gradient_of_term(columns, fast, a, points, part, own,
                                                    {to.weight / terms, to.parameters, to.lengths}, value != nullptr);
        if (value != nullptr) *value += of_term / terms;
      });
    }
  }
};

}  // namespace

KernelPtr additive_kernel(KernelPtr inner, Span<const std::int32_t> label) {
  return kernel_of_terms<Additive>("additive", std::move(inner), label);
}

}  // namespace freeridge
