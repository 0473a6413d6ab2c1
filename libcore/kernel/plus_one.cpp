// k(x, z) + 1, the kernel of a penalised offset (data/offset.hpp). Models make it for themselves; it has no word in the
// grammar of kernel_text.hpp and is never saved.
#include <utility>

#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/kernel_text.hpp"

namespace freeridge {
namespace {

class PlusOne final : public Kernel {
 public:
  explicit PlusOne(KernelPtr inner) : inner_(std::move(inner)) {}

  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    inner_->evaluate(a, b, out);
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < out.rows; ++i) out(i, j) += 1;
  }

  DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const override {
    return inner_->twofold(x, z) + DoubleDouble(1);
  }

  // The derivative of the 1 is zero. (Those by x are asked of the model's own kernel.)
  void add_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s, const LogGradient& to) const override {
    inner_->add_log_gradient(a, b, s, to);
  }

  const char* name() const override { return "plus one"; }
  Span<const KernelPtr> parts() const override { return {&inner_, 1}; }
  KernelPtr rebuilt(Span<const double> /*numbers*/, Array<KernelPtr> parts) const override {
    return plus_one(std::move(parts[0]));
  }
  Extent extent() const override {
    const Extent inner = inner_->extent();
    return {inner.depth + 1, inner.kernels + 1, inner.bandwidths, inner.hyperparameters};
  }
  void describe(KernelText& out) const override {
    inner_->describe(out);
    out.add(" + 1");
  }
  Array<double> feature_scale(Index d) const override { return inner_->feature_scale(d); }
  Index rank_bound(Index d) const override {
    const Index bound = inner_->rank_bound(d);
    return bound == std::numeric_limits<Index>::max() ? bound : bound + 1;
  }

 private:
  KernelPtr inner_;
};

}  // namespace

KernelPtr plus_one(KernelPtr inner) {
  return std::make_shared<PlusOne>(std::move(inner));
}

}  // namespace freeridge
