// Derivatives of the multiplicative kernel: with P_t the product of the values of all other terms,
//     d <S, K> = sum_t <S o P_t, d inner(x_t, z_t)>
// P_t is the product of the terms before t and of those behind it, as a value may be 0. Cost of derivatives: those of
// inner on each term, and its values once more. Memory: panels of `product_points` points z for each term.
#include "libcore/kernel/multiplicative.hpp"

#include <algorithm>
#include <utility>

#include "libcore/kernel/column_terms.hpp"
#include "libcore/kernel/feature_sums.hpp"
#include "libcore/kernel/value_loops.hpp"

namespace freeridge {
namespace {

constexpr Index product_points = 8;  // few, as there are values of each term

class Multiplicative final : public ColumnTerms {
 public:
  Multiplicative(KernelPtr inner, Array<double> label) : ColumnTerms(std::move(inner), std::move(label)) {}

  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    Matrix tile(out.rows, std::min(product_points, out.cols));
    for (Index first = 0; first < out.cols; first += product_points) {
      const MatrixView part = out.columns(first, std::min(product_points, out.cols - first));
      const MatrixView values = tile.view().columns(0, part.cols);
      bool begun = false;
      each_term(a.cols, [&](Span<const Index> columns) {
        values_of_term(columns, a, b.row_range(first, part.cols), begun ? values : part);
        if (begun) multiply(values, part);
        begun = true;
      });
    }
  }

  DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const override {
    DoubleDouble product(1);
    each_twofold(x, z, [&](DoubleDouble value) { product = product * value; });
    return product;
  }

  void slopes(ConstMatrixView a, ConstMatrixView b, const SlopeFactor& factor, const TakeSlope& take) const override {
    each_factor(a, b, factor.q, [&](Span<const Index> columns, MatrixView others, const Matrix&) {
      slopes_of_term(columns, a, b, {others, factor.weight, factor.divisor}, take);
    });
  }

  // The other terms are factors that do not depend on column k.
  void along(ConstMatrixView a, ConstMatrixView b, Index k, const AlongColumn& out) const override {
    out.each([](MatrixView part) { fill_each(part, [](Index, Index) { return 1.0; }); });
    Matrix values(a.rows, b.rows);
    bool found = false;
    each_term(a.cols, [&](Span<const Index> columns) {
      const auto place = std::ranges::find(columns, k);
      if (place == columns.end()) {
        values_of_term(columns, a, b, values.view());
        return out.each([&](MatrixView part) {
          if (part.cols > 0) multiply(values.view(), part);
        });
      }
      found = true;
      const TermPoints left(a, columns), right(b, columns);
      Matrix room[4];
      for (Matrix& one : room) one = Matrix(a.rows, b.rows);
      const AlongColumn own{room[0].view(), room[1].view(), room[2].view(), room[3].view()};
      inner_->along(left.view(), right.view(), place - columns.begin(), own);
      out.each(own, [](MatrixView part, ConstMatrixView factor) {
        if (part.cols > 0) multiply(factor, part);
      });
    });
    if (found) return;
    const AlongColumn slopes{{}, out.by_x, out.by_z, out.mixed};
    slopes.each([](MatrixView part) { fill_each(part, [](Index, Index) { return 0.0; }); });
  }

  const char* name() const override { return "multiplicative"; }

  Index rank_bound(Index d) const override {
    Index bound = 1;
    bool overflow = false;
    each_term(d, [&](Span<const Index> columns) {
      overflow = __builtin_mul_overflow(bound, inner_->rank_bound(std::ssize(columns)), &bound) || overflow;
    });
    return overflow ? Kernel::rank_bound(d) : bound;
  }

 private:
  KernelPtr of_inner(KernelPtr inner) const override {
    return std::make_shared<Multiplicative>(std::move(inner), label_);
  }

  void values_of_term(Span<const Index> columns, ConstMatrixView a, ConstMatrixView b, MatrixView out) const {
    const std::optional<OneFeature> fast = one_feature(*inner_);
    if (!fast || columns.size() > 1) {
      const TermPoints left(a, columns), right(b, columns);
      return inner_->evaluate(left.view(), right.view(), out);
    }
    for (Index j = 0; j < out.cols; ++j) {
      std::fill_n(out.col(j), out.rows, 0.0);
      fast->passes->add(a.col(columns[0]), out.rows, b(j, columns[0]), fast->a, out.col(j));
    }
  }

  // take(columns of term t, S o P_t, values of term t), for one term after another.
  template <class Take>
  void each_factor(ConstMatrixView a, ConstMatrixView b, ConstMatrixView s, const Take& take) const {
    const Index count = term_count(a.cols);
    Array<Matrix> values;
    each_term(a.cols, [&](Span<const Index> columns) {
      values.emplace_back(s.rows, s.cols);
      values_of_term(columns, a, b, values.back().view());
    });
    Array<Matrix> behind(count);  // the product of the values behind a term
    for (Index t = count - 1; t > 0; --t) {
      behind[t - 1] = copy_of(std::as_const(values[t]).view());
      if (t + 1 < count) multiply(behind[t].view(), behind[t - 1].view());
    }
    Matrix before = copy_of(s), tile(s.rows, s.cols);
    Index t = 0;
    each_term(a.cols, [&](Span<const Index> columns) {
      copy(std::as_const(before).view(), tile.view());
      if (t + 1 < count) multiply(behind[t].view(), tile.view());
      take(columns, tile.view(), values[t]);
      multiply(values[t].view(), before.view());
      ++t;
    });
  }

  void add_gradient(ConstMatrixView a, ConstMatrixView b, ConstMatrixView s, const LogGradient& to,
                    double* value) const override {
    const std::optional<OneFeature> fast = one_feature(*inner_);
    for (Index first = 0; first < s.cols; first += product_points) {
      const ConstMatrixView part = s.columns(first, std::min(product_points, s.cols - first));
      const ConstMatrixView points = b.row_range(first, part.cols);
      bool counted = value == nullptr;
      each_factor(a, points, part, [&](Span<const Index> columns, MatrixView others, const Matrix& values) {
        if (!std::exchange(counted, true)) *value += sum_of_products(others, values.view());
        add_gradient_of_term(columns, fast, a, points, others, others, to, false);
      });
    }
  }
};

}  // namespace

KernelPtr multiplicative_kernel(KernelPtr inner, Span<const std::int32_t> label) {
  return kernel_of_terms<Multiplicative>("multiplicative", std::move(inner), label);
}

}  // namespace freeridge
