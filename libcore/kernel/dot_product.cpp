// Kernels of the inner product, and the constant, its power zero:
//   constant     1
//   linear       x'z                              derivative by x'z    1
//   polynomial   (scale x'z + offset)^degree                           degree scale (scale x'z + offset)^(degree - 1)
// Of a polynomial by logarithms, with Q = S o degree (scale x'z + offset)^(degree - 1):
//   by log scale   <Q, scale x'z>
//   by log offset  offset sum_ij Q_ij
//   by log l_k     -2 scale sum_ij Q_ij x_ik z_jk
// Along column k, u = scale x'z + offset:
//   by x_k and z_k  degree scale u^(degree - 1) + degree (degree - 1) scale^2 u^(degree - 2) x_k z_k
#include <algorithm>
#include <cmath>

#include "libcore/kernel/feature_sums.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/parameters.hpp"
#include "libcore/kernel/twofold_functions.hpp"
#include "libcore/kernel/value_loops.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

void inner_products(ConstMatrixView a, ConstMatrixView b, MatrixView out) {
  gemm(Op::none, Op::transpose, 1, a, b, 0, out);
}

class Constant final : public Kernel {
 public:
  void evaluate(ConstMatrixView, ConstMatrixView, MatrixView out) const override {
    fill_each(out, [](Index, Index) { return 1.0; });
  }
  DoubleDouble twofold(Span<const DoubleDouble>, Span<const DoubleDouble>) const override { return DoubleDouble(1); }
  void slopes(ConstMatrixView, ConstMatrixView, const SlopeFactor&, const TakeSlope&) const override {}
  void along(ConstMatrixView a, ConstMatrixView b, Index /*k*/, const AlongColumn& out) const override {
    if (out.value.cols > 0) evaluate(a, b, out.value);
    for (const MatrixView& slope : {out.by_x, out.by_z, out.mixed}) fill_each(slope, [](Index, Index) { return 0.0; });
  }
  bool differentiable() const override { return true; }
  void add_log_gradient(ConstMatrixView, ConstMatrixView, MatrixView, const LogGradient&) const override {}
  const char* name() const override { return "constant"; }
  KernelPtr rebuilt(Span<const double>, Array<KernelPtr>) const override { return constant_kernel(); }
  Index rank_bound(Index) const override { return 1; }
};

class Linear final : public Kernel {
 public:
  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override { inner_products(a, b, out); }
  DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const override {
    return twofold_inner_product(x, z);
  }
  void slopes(ConstMatrixView, ConstMatrixView, const SlopeFactor& factor, const TakeSlope& take) const override {
    take({SlopeTerm::Form::point, factor.q, factor.weight, factor.divisor});
  }
  void along(ConstMatrixView a, ConstMatrixView b, Index k, const AlongColumn& out) const override {
    if (out.value.cols > 0) inner_products(a, b, out.value);
    fill_each(out.by_x, [&](Index, Index j) { return b(j, k); });
    fill_each(out.by_z, [&](Index i, Index) { return a(i, k); });
    fill_each(out.mixed, [](Index, Index) { return 1.0; });
  }
  bool differentiable() const override { return true; }
  void add_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s, const LogGradient& to) const override {
    if (!to.lengths.empty()) add_scaled(-2 * to.weight, products_by_feature(a, b, s), to.lengths);
  }
  const char* name() const override { return "linear"; }
  KernelPtr rebuilt(Span<const double>, Array<KernelPtr>) const override { return linear_kernel(); }
  std::optional<Array<double>> linear_scale(Index d) const override { return feature_scale(d); }
  Index rank_bound(Index d) const override { return d; }
};

class Polynomial final : public Kernel {
 public:
  Polynomial(Index degree, double scale, double offset)
      : degree_(degree), power_(static_cast<double>(degree)), scale_(scale), offset_(offset) {}

  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    inner_products(a, b, out);
    each_run(out, [&](double* v, Index n) { passes().power(v, n, scale_, offset_, degree_); });
  }

  DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const override {
    const DoubleDouble base = DoubleDouble(scale_) * twofold_inner_product(x, z) + DoubleDouble(offset_);
    DoubleDouble out(1);
    for (Index k = 0; k < degree_; ++k) out = out * base;
    return out;
  }

  void slopes(ConstMatrixView a, ConstMatrixView b, const SlopeFactor& factor, const TakeSlope& take) const override {
    if (degree_ > 1) {
      Matrix tile(factor.q.rows, factor.q.cols);
      inner_products(a, b, tile.view());
      multiply_by_power(tile.view(), factor.q);
    }
    take({SlopeTerm::Form::point, factor.q, factor.weight * power_ * scale_, factor.divisor});
  }

  void along(ConstMatrixView a, ConstMatrixView b, Index k, const AlongColumn& out) const override {
    if (out.value.cols > 0) evaluate(a, b, out.value);
    Matrix base(a.rows, b.rows);  // scale x'z + offset
    inner_products(a, b, base.view());
    for (double& value : base.values()) value = scale_ * value + offset_;
    const auto slope = [&](Index i, Index j) { return power_ * scale_ * std::pow(base(i, j), power_ - 1); };
    fill_each(out.by_x, [&](Index i, Index j) { return slope(i, j) * b(j, k); });
    fill_each(out.by_z, [&](Index i, Index j) { return slope(i, j) * a(i, k); });
    fill_each(out.mixed, [&](Index i, Index j) {
      if (degree_ == 1) return scale_;
      const double curve = power_ * (power_ - 1) * scale_ * scale_ * std::pow(base(i, j), power_ - 2);
      return slope(i, j) + curve * a(i, k) * b(j, k);
    });
  }
  bool differentiable() const override { return true; }

  void add_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s, const LogGradient& to) const override {
    Matrix products(s.rows, s.cols);
    inner_products(a, b, products.view());
    Matrix tile = copy_of(products.view());
    multiply_by_power(tile.view(), s);
    double by_scale = 0, by_offset = 0;
    for (Index j = 0; j < s.cols; ++j) {
      by_scale += dot(s.rows, s.col(j), products.col(j));
      for (Index i = 0; i < s.rows; ++i) by_offset += s(i, j);
    }
    const double weight = to.weight * power_;
    to.parameters[0] += weight * scale_ * by_scale;
    to.parameters[1] += weight * offset_ * by_offset;
    if (!to.lengths.empty()) add_scaled(-2 * weight * scale_, products_by_feature(a, b, s), to.lengths);
  }

  const char* name() const override { return "polynomial"; }
  Index parameter_count() const override { return 3; }
  KernelParameter parameter(Index i) const override {
    if (i == 0) return {"degree", {&power_, 1}, true, true};
    return i == 1 ? KernelParameter{"scale", {&scale_, 1}} : KernelParameter{"offset", {&offset_, 1}};
  }
  KernelPtr rebuilt(Span<const double> numbers, Array<KernelPtr> /*parts*/) const override {
    return polynomial_kernel(degree_, numbers[0], numbers[1]);
  }
  Extent extent() const override { return {1, 1, 0, 2}; }

  // The number of monomials of degree at most p in d variables. Without offset only those of degree p count, of which
  // there are as many as monomials of degree at most p in d - 1 variables.
  Index rank_bound(Index d) const override {
    const Index variables = offset_ > 0 ? d : d - 1;
    double count = 1;  // binomial coefficient (variables + p over p); exact while it is below 2^53
    for (Index e = 1; e <= std::min(degree_, variables); ++e)
      count = std::round(count * static_cast<double>(std::max(degree_, variables) + e) / static_cast<double>(e));
    return count < 1e9 ? static_cast<Index>(count) : Kernel::rank_bound(d);
  }

 private:
  // q = q o (scale tile + offset)^(degree - 1), tile: the inner products, used up.
  void multiply_by_power(MatrixView tile, MatrixView q) const {
    if (degree_ == 1) return;
    each_run(tile, [&](double* v, Index n) { passes().power(v, n, scale_, offset_, degree_ - 1); });
    multiply(tile, q);
  }

  Index degree_;
  double power_, scale_, offset_;  // power_: the degree
};

}  // namespace

KernelPtr constant_kernel() {
  return std::make_shared<Constant>();
}

KernelPtr linear_kernel() {
  return std::make_shared<Linear>();
}

KernelPtr polynomial_kernel(Index degree, double scale, double offset) {
  if (degree < 1) fail(Status::invalid_argument, "degree is ", degree, "; it must be at least 1");
  require_positive("scale", scale);
  if (!std::isfinite(offset)) fail(Status::not_finite, "offset is ", offset, "; it must be finite");
  if (offset < 0) fail(Status::invalid_argument, "offset is ", offset, "; it must not be negative");
  return std::make_shared<Polynomial>(degree, scale, offset);
}

}  // namespace freeridge
