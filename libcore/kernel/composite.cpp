// Kernels made of kernels:
//   scaled       inner(x / scale, z / scale), column by column
//   sum          sum_i weight_i term_i(x, z), weight_i >= 0      of functions, or of precomputed kernels alone
//   product      prod_i factor_i(x, z)        positive semi-definite by Schur's product theorem
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "libcore/kernel/feature_sums.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/kernel/one_pass.hpp"
#include "libcore/kernel/parameters.hpp"
#include "libcore/kernel/parts.hpp"
#include "libcore/kernel/value_loops.hpp"

namespace freeridge {
namespace {

constexpr Index unbounded = std::numeric_limits<Index>::max();

// Room for the same parts.
class RoomAlong {
 public:
  explicit RoomAlong(const AlongColumn& like) {
    std::size_t p = 0;
    like.each([&](MatrixView part) { room_[p++] = Matrix(part.cols > 0 ? part.rows : 0, part.cols); });
  }
  AlongColumn views() { return {room_[0].view(), room_[1].view(), room_[2].view(), room_[3].view()}; }

 private:
  Matrix room_[4];
};

class Scaled final : public Kernel {
 public:
  Scaled(KernelPtr inner, Array<double> scale)
      : inner_(std::move(inner)), scale_(std::move(scale)), extent_(extent_of({&inner_, 1}, std::ssize(scale_))) {}

  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    const Matrix scaled = divided(a, b);
    inner_->evaluate(scaled.view().row_range(0, a.rows), scaled.view().row_range(a.rows, b.rows), out);
  }

  DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const override {
    Array<DoubleDouble> both;
    for (const Span<const DoubleDouble> point : {x, z})
      for (std::size_t k = 0; k < scale_.size(); ++k) both.push_back(point[k] / DoubleDouble(scale_[k]));
    const Span<const DoubleDouble> all(both);
    return inner_->twofold(all.first(scale_.size()), all.subspan(scale_.size()));
  }

  void slopes(ConstMatrixView a, ConstMatrixView b, const SlopeFactor& factor, const TakeSlope& take) const override {
    Matrix scaled_a(a.rows, a.cols), scaled_b(b.rows, b.cols);
    divide(a, scaled_a.view());
    divide(b, scaled_b.view());
    Array<double> divisor = scale_;
    for (std::size_t k = 0; k < factor.divisor.size(); ++k) divisor[k] *= factor.divisor[k];
    inner_->slopes(scaled_a.view(), scaled_b.view(), {factor.q, factor.weight, divisor}, take);
  }
  bool differentiable() const override { return inner_->differentiable(); }

  void along(ConstMatrixView a, ConstMatrixView b, Index k, const AlongColumn& out) const override {
    const Matrix scaled = divided(a, b);
    inner_->along(scaled.view().row_range(0, a.rows), scaled.view().row_range(a.rows, b.rows), k, out);
    for (const MatrixView& slope : {out.by_x, out.by_z}) divide_by(slope, scale_[k]);
    divide_by(out.mixed, scale_[k]);
    divide_by(out.mixed, scale_[k]);
  }

  // The divisors of the columns are lengths of the inner kernel.
  void add_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s, const LogGradient& to) const override {
    const Matrix scaled = divided(a, b);
    Array<double> lengths(scale_.size(), 0.0);
    inner_->add_log_gradient(scaled.view().row_range(0, a.rows), scaled.view().row_range(a.rows, b.rows), s,
                             {to.weight, to.parameters.subspan(scale_.size()), lengths});
    add_scaled(1, lengths, to.parameters.first(scale_.size()));
    if (!to.lengths.empty()) add_scaled(1, lengths, to.lengths);
  }

  const char* name() const override { return "scaled"; }
  KernelPtr rebuilt(Span<const double> numbers, Array<KernelPtr> parts) const override {
    return scaled_kernel(std::move(parts[0]), numbers);
  }
  Index parameter_count() const override { return 1; }
  KernelParameter parameter(Index /*i*/) const override { return {"scale", scale_}; }
  Span<const KernelPtr> parts() const override { return {&inner_, 1}; }

  void describe(KernelText& out) const override {
    for (std::size_t k = 0; k < scale_.size(); ++k) out.add(k == 0 ? "scaled([" : ", ", scale_[k]);
    out.add("], ");
    inner_->describe(out);
    out.add(")");
  }
  Extent extent() const override { return extent_; }

  void check_features(Index d) const override {
    if (d != features())
      fail(Status::dimension_mismatch, "x has d = ", d, " columns, the scaled kernel has d = ", features(), " scales");
    inner_->check_features(d);
  }

  Index rank_bound(Index d) const override { return inner_->rank_bound(d); }

  std::optional<Array<double>> linear_scale(Index d) const override {
    std::optional<Array<double>> product = inner_->linear_scale(d);
    if (product)
      for (std::size_t k = 0; k < product->size(); ++k) (*product)[k] *= scale_[k];
    return product;
  }

  Array<double> feature_scale(Index d) const override {
    Array<double> product = inner_->feature_scale(d);
    for (std::size_t k = 0; k < product.size(); ++k) product[k] *= scale_[k];
    return product;
  }

  std::optional<double> bandwidth() const override { return inner_->bandwidth(); }
  KernelPtr with_bandwidth(double sigma) const override {
    KernelPtr inner = inner_->with_bandwidth(sigma);
    return inner ? std::make_shared<Scaled>(std::move(inner), scale_) : nullptr;
  }

 private:
  Index features() const { return static_cast<Index>(scale_.size()); }

  void divide(ConstMatrixView x, MatrixView out) const {
    for (Index k = 0; k < x.cols; ++k) passes().divide(x.col(k), x.rows, scale_[k], out.col(k));
  }
  // The points a and below them the points b, divided. One array for both: two would each be so large that the
  // allocator returns them to the system after every tile.
  Matrix divided(ConstMatrixView a, ConstMatrixView b) const {
    Matrix out(a.rows + b.rows, a.cols);
    divide(a, out.view().row_range(0, a.rows));
    divide(b, out.view().row_range(a.rows, b.rows));
    return out;
  }

  KernelPtr inner_;
  Array<double> scale_;
  Extent extent_;
};

// What sums and products share. The bandwidth is that of a part, where exactly one part has a bandwidth.
class Composite : public Kernel {
 public:
  Span<const KernelPtr> parts() const override { return parts_; }
  Extent extent() const override { return extent_; }
  bool differentiable() const override {
    return std::ranges::all_of(parts_, [](const KernelPtr& part) { return part->differentiable(); });
  }

  void check_features(Index d) const override {
    for (const KernelPtr& part : parts_) part->check_features(d);
  }

  Array<double> feature_scale(Index d) const override {
    return bandwidth_ ? parts_[part_]->feature_scale(d) : Kernel::feature_scale(d);
  }

  std::optional<double> bandwidth() const override { return bandwidth_; }

  KernelPtr with_bandwidth(double sigma) const override {
    if (!bandwidth_) return nullptr;
    Array<KernelPtr> parts = parts_;
    parts[part_] = parts_[part_]->with_bandwidth(sigma);
    return rebuilt(weights_, std::move(parts));
  }

 protected:
  Composite(Array<KernelPtr> parts, Array<double> weights)
      : parts_(std::move(parts)), weights_(std::move(weights)), extent_(extent_of(parts_, std::ssize(weights_))) {
    if (extent_.bandwidths != 1) return;
    while (!parts_[part_]->bandwidth()) ++part_;
    bandwidth_ = parts_[part_]->bandwidth();
  }

  Array<KernelPtr> parts_;
  Array<double> weights_;  // of a sum; else empty

 private:
  Extent extent_;
  std::optional<double> bandwidth_;  // that of parts_[part_], if no other part has one
  std::size_t part_ = 0;
};

class Sum final : public Composite {
 public:
  Sum(Array<KernelPtr> terms, Array<double> weights) : Composite(std::move(terms), std::move(weights)) {}

  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    Matrix tile(out.rows, out.cols);
    for (Index j = 0; j < out.cols; ++j) std::fill_n(out.col(j), out.rows, 0.0);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      parts_[p]->evaluate(a, b, tile.view());
      for (Index j = 0; j < out.cols; ++j) passes().add(tile.col(j), out.rows, weights_[p], out.col(j));
    }
  }

  DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const override {
    DoubleDouble out;
    for (std::size_t p = 0; p < parts_.size(); ++p) out += DoubleDouble(weights_[p]) * parts_[p]->twofold(x, z);
    return out;
  }

  void slopes(ConstMatrixView a, ConstMatrixView b, const SlopeFactor& factor, const TakeSlope& take) const override {
    Matrix tile(factor.q.rows, factor.q.cols);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (weights_[p] == 0) continue;
      copy(factor.q, tile.view());
      parts_[p]->slopes(a, b, {tile.view(), factor.weight * weights_[p], factor.divisor}, take);
    }
  }

  void along(ConstMatrixView a, ConstMatrixView b, Index k, const AlongColumn& out) const override {
    RoomAlong room(out);
    out.each([](MatrixView part) { fill_each(part, [](Index, Index) { return 0.0; }); });
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (weights_[p] == 0) continue;
      parts_[p]->along(a, b, k, room.views());
      out.each(room.views(), [&](MatrixView to, ConstMatrixView from) {
        for (Index j = 0; j < to.cols; ++j) passes().add(from.col(j), to.rows, weights_[p], to.col(j));
      });
    }
  }

  // A term of weight zero has no part in it, nor in any derivative.
  void add_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s, const LogGradient& to) const override {
    Matrix tile(s.rows, s.cols);
    Span<double> rest = to.parameters;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Index count = parts_[p]->extent().hyperparameters;
      const Span<double> by_weight = rest.first(1), by_part = rest.subspan(1, count);
      rest = rest.subspan(1 + count);
      if (weights_[p] == 0) continue;
      const LogGradient of_part{to.weight * weights_[p], by_part, to.lengths};
      if (const auto* const both = dynamic_cast<const ValuesWithGradient*>(parts_[p].get())) {
        copy(s, tile.view());
        by_weight[0] += of_part.weight * both->add_value_and_log_gradient(a, b, tile.view(), of_part);
        continue;
      }
      parts_[p]->evaluate(a, b, tile.view());
      by_weight[0] += of_part.weight * sum_of_products(s, tile.view());
      if (count == 0 && to.lengths.empty()) continue;
      copy(s, tile.view());
      parts_[p]->add_log_gradient(a, b, tile.view(), of_part);
    }
  }

  // Of precomputed kernels: then x has the matrix of each term, side by side.
  Span<const double> given_weights() const override {
    return parts_[0]->precomputed() ? Span<const double>(weights_) : Span<const double>();
  }
  void check_data(Index n, Index d) const override {
    if (!precomputed()) return check_features(d);
    const Index count = std::ssize(parts_);
    if (n != d / count || d % count != 0)
      fail(Status::dimension_mismatch, "x is ", n, " x ", d, "; with a sum of ", count,
           " precomputed kernels it has their matrices side by side, n x ", count, " n");
  }

  const char* name() const override { return "sum"; }
  KernelPtr rebuilt(Span<const double> numbers, Array<KernelPtr> parts) const override {
    return sum_kernel(std::move(parts), numbers);
  }
  Index parameter_count() const override { return 1; }
  KernelParameter parameter(Index /*i*/) const override { return {"weights", weights_}; }

  void describe(KernelText& out) const override {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      out.add(p == 0 ? "" : " + ", weights_[p], parts_[p]->is_sum() ? " * (" : " * ");
      parts_[p]->describe(out);
      if (parts_[p]->is_sum()) out.add(")");
    }
  }
  bool is_sum() const override { return true; }

  // A sum of linear kernels is linear: weight_1 / s_1^2 + weight_2 / s_2^2 + ... = 1 / s^2 in every column.
  std::optional<Array<double>> linear_scale(Index d) const override {
    Array<double> precision(d, 0.0);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const std::optional<Array<double>> scale = parts_[p]->linear_scale(d);
      if (!scale) return std::nullopt;
      for (std::size_t k = 0; k < precision.size(); ++k) precision[k] += weights_[p] / (*scale)[k] / (*scale)[k];
    }
    for (double& value : precision) value = value > 0 ? 1 / std::sqrt(value) : 0x1p500;  // 0: without a part
    return precision;
  }

  Index rank_bound(Index d) const override {
    Index bound = 0;
    for (const KernelPtr& part : parts_)
      if (__builtin_add_overflow(bound, part->rank_bound(d), &bound)) return unbounded;
    return bound;
  }
};

class Product final : public Composite {
 public:
  explicit Product(Array<KernelPtr> factors) : Composite(std::move(factors), {}) {}

  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    parts_[0]->evaluate(a, b, out);
    Matrix tile(out.rows, out.cols);
    for (std::size_t p = 1; p < parts_.size(); ++p) {
      parts_[p]->evaluate(a, b, tile.view());
      for (Index j = 0; j < out.cols; ++j) passes().multiply(tile.col(j), out.rows, out.col(j));
    }
  }

  DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const override {
    DoubleDouble out(1);
    for (const KernelPtr& part : parts_) out = out * part->twofold(x, z);
    return out;
  }

  void slopes(ConstMatrixView a, ConstMatrixView b, const SlopeFactor& factor, const TakeSlope& take) const override {
    each_factor(a, b, factor.q, [&](const Kernel& part, MatrixView others) {
      part.slopes(a, b, {others, factor.weight, factor.divisor}, take);
    });
  }

  // One factor more, with value v, makes of value, by_x, by_z and mixed
  //     value v     by_x v + value v_x     by_z v + value v_z     mixed v + by_x v_z + by_z v_x + value v_xz
  void along(ConstMatrixView a, ConstMatrixView b, Index k, const AlongColumn& out) const override {
    Matrix all[8];
    for (Matrix& one : all) one = Matrix(a.rows, b.rows);
    const AlongColumn whole{all[0].view(), all[1].view(), all[2].view(), all[3].view()};
    const AlongColumn own{all[4].view(), all[5].view(), all[6].view(), all[7].view()};
    parts_[0]->along(a, b, k, whole);
    for (std::size_t p = 1; p < parts_.size(); ++p) {
      parts_[p]->along(a, b, k, own);
      fill_each(whole.mixed, [&](Index i, Index j) {
        return whole.mixed(i, j) * own.value(i, j) + whole.by_x(i, j) * own.by_z(i, j) +
               whole.by_z(i, j) * own.by_x(i, j) + whole.value(i, j) * own.mixed(i, j);
      });
      fill_each(whole.by_x, [&](Index i, Index j) {
        return whole.by_x(i, j) * own.value(i, j) + whole.value(i, j) * own.by_x(i, j);
      });
      fill_each(whole.by_z, [&](Index i, Index j) {
        return whole.by_z(i, j) * own.value(i, j) + whole.value(i, j) * own.by_z(i, j);
      });
      multiply(own.value, whole.value);
    }
    out.each(whole, [](MatrixView to, ConstMatrixView from) {
      if (to.cols > 0) copy(from, to);
    });
  }

  void add_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s, const LogGradient& to) const override {
    Span<double> rest = to.parameters;
    each_factor(a, b, s, [&](const Kernel& part, MatrixView others) {
      const Index count = part.extent().hyperparameters;
      part.add_log_gradient(a, b, others, {to.weight, rest.first(count), to.lengths});
      rest = rest.subspan(count);
    });
  }

  const char* name() const override { return "product"; }
  KernelPtr rebuilt(Span<const double> /*numbers*/, Array<KernelPtr> parts) const override {
    return product_kernel(std::move(parts));
  }

  void describe(KernelText& out) const override {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      out.add(p == 0 ? "product(" : ", ");
      parts_[p]->describe(out);
    }
    out.add(")");
  }

  std::optional<Array<double>> linear_scale(Index d) const override {
    return parts_.size() == 1 ? parts_[0]->linear_scale(d) : std::nullopt;
  }

  Index rank_bound(Index d) const override {
    Index bound = 1;
    for (const KernelPtr& part : parts_)
      if (__builtin_mul_overflow(bound, part->rank_bound(d), &bound)) return unbounded;
    return bound;
  }

 private:
  // take(factor p, s times all other factors), for one factor after another: a derivative of the product has the others
  // as they are. s is used up.
  template <class Take>
  void each_factor(ConstMatrixView a, ConstMatrixView b, MatrixView s, const Take& take) const {
    const std::size_t count = parts_.size();
    const auto room = [&] { return Matrix(s.rows, s.cols); };
    Array<Matrix> after(count);  // the product of the factors p + 1, p + 2, ...
    Matrix value = room();
    for (std::size_t p = count - 1; p > 0; --p) {
      after[p - 1] = room();
      parts_[p]->evaluate(a, b, after[p - 1].view());
      if (p + 1 < count) multiply(after[p].view(), after[p - 1].view());
    }
    Matrix tile = room();
    for (std::size_t p = 0; p < count; ++p) {
      copy(s, tile.view());
      if (p + 1 < count) multiply(after[p].view(), tile.view());
      take(*parts_[p], tile.view());
      if (p + 1 == count) break;
      parts_[p]->evaluate(a, b, value.view());
      multiply(value.view(), s);  // from here on with the factors before the next one
    }
  }
};

}  // namespace

KernelPtr scaled_kernel(KernelPtr inner, Span<const double> scale) {
  require_function("inner", *inner);
  for (std::size_t k = 0; k < scale.size(); ++k) require_positive(text("scale[", k, "]"), scale[k]);
  inner->check_features(static_cast<Index>(scale.size()));
  return std::make_shared<Scaled>(std::move(inner), Array<double>(scale.begin(), scale.end()));
}

KernelPtr sum_kernel(Array<KernelPtr> terms, Span<const double> weights) {
  const auto is_given = [](const KernelPtr& term) { return term->name() == std::string_view("precomputed"); };
  if (!std::ranges::all_of(terms, is_given))
    for (std::size_t i = 0; i < terms.size(); ++i) require_function(text("terms[", i, "]"), *terms[i]);
  double largest = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i])) fail(Status::not_finite, "weights[", i, "] is ", weights[i], "; it must be finite");
    if (weights[i] < 0) fail(Status::invalid_argument, "weights[", i, "] is ", weights[i], "; it must not be negative");
    largest = std::max(largest, weights[i]);
  }
  if (largest == 0) fail(Status::invalid_argument, "weights[0] is 0, and so are all others; one must be positive");
  return std::make_shared<Sum>(std::move(terms), Array<double>(weights.begin(), weights.end()));
}

KernelPtr product_kernel(Array<KernelPtr> factors) {
  for (std::size_t i = 0; i < factors.size(); ++i) require_function(text("factors[", i, "]"), *factors[i]);
  return std::make_shared<Product>(std::move(factors));
}

}  // namespace freeridge
