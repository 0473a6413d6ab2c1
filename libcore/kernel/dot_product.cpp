// Kernels of the inner product:
//   linear       x'z                              derivative by x'z    1
//   polynomial   (scale x'z + offset)^degree                           degree scale (scale x'z + offset)^(degree - 1)
#include <algorithm>
#include <cmath>

#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/parameters.hpp"
#include "libcore/kernel/value_loops.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

void inner_products(ConstMatrixView a, ConstMatrixView b, MatrixView out) {
  gemm(Op::none, Op::transpose, 1, a, b, 0, out);
}

class Linear final : public Kernel {
 public:
  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override { inner_products(a, b, out); }
  void slopes(ConstMatrixView, ConstMatrixView, const SlopeFactor& factor, const TakeSlope& take) const override {
    take({SlopeTerm::Form::point, factor.q, factor.weight, factor.divisor});
  }
  const char* name() const override { return "linear"; }
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

  void slopes(ConstMatrixView a, ConstMatrixView b, const SlopeFactor& factor, const TakeSlope& take) const override {
    if (degree_ > 1) {
      Matrix tile(factor.q.rows, factor.q.cols);
      inner_products(a, b, tile.view());
      each_run(tile.view(), [&](double* v, Index n) { passes().power(v, n, scale_, offset_, degree_ - 1); });
      multiply(tile.view(), factor.q);
    }
    take({SlopeTerm::Form::point, factor.q, factor.weight * power_ * scale_, factor.divisor});
  }

  const char* name() const override { return "polynomial"; }
  Index parameter_count() const override { return 3; }
  KernelParameter parameter(Index i) const override {
    if (i == 0) return {"degree", {&power_, 1}, true};
    return i == 1 ? KernelParameter{"scale", {&scale_, 1}} : KernelParameter{"offset", {&offset_, 1}};
  }

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
  Index degree_;
  double power_, scale_, offset_;  // power_: the degree
};

}  // namespace

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
