// A kernel whose values are given: x is K (n x n), new points are rows of k(x*, X) (m x n).
#include "libcore/base/error.hpp"
#include "libcore/kernel/kernel.hpp"

namespace freeridge {
namespace {

class Precomputed final : public Kernel {
 public:
  void evaluate(ConstMatrixView, ConstMatrixView, MatrixView) const override {
    fail(Status::internal, "a precomputed kernel has no function to evaluate");
  }

  DoubleDouble twofold(Span<const DoubleDouble>, Span<const DoubleDouble>) const override {
    fail(Status::internal, "a precomputed kernel has no function to evaluate");
  }
  void add_log_gradient(ConstMatrixView, ConstMatrixView, MatrixView, const LogGradient&) const override {}

  const char* name() const override { return "precomputed"; }
  KernelPtr rebuilt(Span<const double>, Array<KernelPtr>) const override { return precomputed_kernel(); }

  void check_data(Index n, Index d) const override {
    if (n != d)
      fail(Status::dimension_mismatch, "x is ", n, " x ", d,
           "; with a precomputed kernel it is the kernel matrix itself, n x n");
  }

  bool precomputed() const override { return true; }
};

}  // namespace

KernelPtr precomputed_kernel() {
  return std::make_shared<Precomputed>();
}

}  // namespace freeridge
