#include "libcore/kernel/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

void require_positive(const char* name, double value) {
  if (!std::isfinite(value)) fail(Status::not_finite, name, " is ", value, "; it must be finite");
  if (value <= 0) fail(Status::invalid_argument, name, " is ", value, "; it must be positive");
}

void inner_products(ConstMatrixView a, ConstMatrixView b, MatrixView out) {
  gemm(Op::none, Op::transpose, 1, a, b, 0, out);
}

class Linear final : public Kernel {
 public:
  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override { inner_products(a, b, out); }
  std::optional<std::vector<double>> linear_scale(Index d) const override { return feature_scale(d); }
  Index rank_bound(Index d) const override { return d; }
};

class Polynomial final : public Kernel {
 public:
  Polynomial(Index degree, double scale, double offset) : degree_(degree), scale_(scale), offset_(offset) {}

  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    inner_products(a, b, out);
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < out.rows; ++i) out(i, j) = power(scale_ * out(i, j) + offset_);
  }

  // The number of monomials of degree up to p in d variables (of degree p exactly without offset, in one variable fewer).
  Index rank_bound(Index d) const override {
    const Index variables = offset_ > 0 ? d : d - 1;
    double count = 1;  // the binomial coefficient (variables + p over p); exact where it is small enough to matter
    for (Index e = 1; e <= std::min(degree_, variables); ++e)
      count = std::round(count * static_cast<double>(std::max(degree_, variables) + e) / static_cast<double>(e));
    return count < 1e9 ? static_cast<Index>(count) : Kernel::rank_bound(d);
  }

 private:
  double power(double base) const {
    double result = 1;
    for (Index e = degree_; e > 0; e /= 2, base *= base)
      if (e % 2 == 1) result *= base;
    return result;
  }

  Index degree_;
  double scale_, offset_;
};

class Gaussian final : public Kernel {
 public:
  explicit Gaussian(double sigma) : sigma_(sigma) {}

  // Distances from differences, not from ||x||^2 + ||z||^2 - 2 x'z: nothing cancels, so near and equal points are
  // exact, and the loop is memory-friendly as it stands (one output column stays in the L1 cache for all d features).
  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    for (Index j = 0; j < out.cols; ++j) {
      double* const o = out.col(j);
      for (Index i = 0; i < out.rows; ++i) o[i] = 0;
      for (Index k = 0; k < a.cols; ++k) {
        const double* const x = a.col(k);
        const double z = b(j, k);
        for (Index i = 0; i < out.rows; ++i) o[i] += (x[i] - z) * (x[i] - z);
      }
      // Divided twice, because sigma^2 may overflow or underflow where the ratio does not.
      for (Index i = 0; i < out.rows; ++i) o[i] = std::exp(-(o[i] / sigma_ / sigma_));
    }
  }

  std::optional<double> bandwidth() const override { return sigma_; }
  KernelPtr with_bandwidth(double sigma) const override { return gaussian_kernel(sigma); }

 private:
  double sigma_;
};

class Scaled final : public Kernel {
 public:
  Scaled(KernelPtr inner, std::vector<double> scale) : inner_(std::move(inner)), scale_(std::move(scale)) {}

  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    const Matrix scaled_a = divided(a), scaled_b = divided(b);
    inner_->evaluate(scaled_a.view(), scaled_b.view(), out);
  }

  void check_features(Index d) const override {
    if (d != features())
      fail(Status::dimension_mismatch, "x has d = ", d, " columns, the scaled kernel has d = ", features(), " scales");
    inner_->check_features(d);
  }

  Index rank_bound(Index d) const override { return inner_->rank_bound(d); }

  std::optional<std::vector<double>> linear_scale(Index d) const override {
    return inner_->linear_scale(d) ? std::optional(feature_scale(d)) : std::nullopt;
  }

  std::vector<double> feature_scale(Index d) const override {
    std::vector<double> product = inner_->feature_scale(d);
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

  Matrix divided(ConstMatrixView x) const {
    Matrix out(x.rows, x.cols);
    for (Index k = 0; k < x.cols; ++k)
      for (Index i = 0; i < x.rows; ++i) out(i, k) = x(i, k) / scale_[static_cast<std::size_t>(k)];
    return out;
  }

  KernelPtr inner_;
  std::vector<double> scale_;
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

KernelPtr gaussian_kernel(double sigma) {
  require_positive("sigma", sigma);
  return std::make_shared<Gaussian>(sigma);
}

KernelPtr scaled_kernel(KernelPtr inner, std::span<const double> scale) {
  for (std::size_t k = 0; k < scale.size(); ++k) require_positive(text("scale[", k, "]").c_str(), scale[k]);
  inner->check_features(static_cast<Index>(scale.size()));
  return std::make_shared<Scaled>(std::move(inner), std::vector<double>(scale.begin(), scale.end()));
}

}  // namespace freeridge
