// A kernel whose values are given: x is K (n x n), new points are rows of k(x*, X) (m x n). Sums: given_values.hpp.
#include "libcore/base/error.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/kernel/given_values.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/value_loops.hpp"

namespace freeridge {
namespace {

constexpr double one = 1;

class Precomputed final : public Kernel {
 public:
  void evaluate(ConstMatrixView, ConstMatrixView, MatrixView) const override { no_function(); }
  DoubleDouble twofold(Span<const DoubleDouble>, Span<const DoubleDouble>) const override { no_function(); }
  void add_log_gradient(ConstMatrixView, ConstMatrixView, MatrixView, const LogGradient&) const override {}

  const char* name() const override { return "precomputed"; }
  KernelPtr rebuilt(Span<const double>, Array<KernelPtr>) const override { return precomputed_kernel(); }

  void check_data(Index n, Index d) const override {
    if (n != d)
      fail(Status::dimension_mismatch, "x is ", n, " x ", d,
           "; with a precomputed kernel it is the kernel matrix itself, n x n");
  }

  Span<const double> given_weights() const override { return {&one, 1}; }

 private:
  [[noreturn]] static void no_function() { fail(Status::internal, "a precomputed kernel has no function to evaluate"); }
};

}  // namespace

KernelPtr precomputed_kernel() {
  return std::make_shared<Precomputed>();
}

void given_values(const Kernel& kernel, const LayoutView& x, Index row, Index col, MatrixView out) {
  const Span<const double> weights = kernel.given_weights();
  if (weights.size() == 1 && weights[0] == 1) return copy_rows(x.columns(col, out.cols), row, out);
  const Index width = given_width(kernel, x.cols);
  Matrix tile(out.rows, out.cols);
  fill_each(out, [](Index, Index) { return 0.0; });
  for (std::size_t k = 0; k < weights.size(); ++k) {
    copy_rows(x.columns(static_cast<Index>(k) * width + col, out.cols), row, tile.view());
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < out.rows; ++i) out(i, j) += weights[k] * tile(i, j);
  }
}

double given_value(const Kernel& kernel, const LayoutView& x, Index i, Index j) {
  const Span<const double> weights = kernel.given_weights();
  const Index width = given_width(kernel, x.cols);
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * x(i, static_cast<Index>(k) * width + j);
  return sum;
}

void add_given_gradient(const Kernel& kernel, const LayoutView& x, Index row, Index col, ConstMatrixView s,
                        double weight, Span<double> out) {
  const Span<const double> weights = kernel.given_weights();
  const Index width = given_width(kernel, x.cols);
  Matrix tile(s.rows, s.cols);
  for (std::size_t k = 0; k < out.size(); ++k) {
    copy_rows(x.columns(static_cast<Index>(k) * width + col, s.cols), row, tile.view());
    double sum = 0;
    for (Index j = 0; j < s.cols; ++j)
      for (Index i = 0; i < s.rows; ++i) sum += s(i, j) * tile(i, j);
    out[k] += weight * weights[k] * sum;
  }
}

Matrix given_among(const Kernel& kernel, const LayoutView& x, Span<const Index> rows) {
  const Index count = std::ssize(rows), width = given_width(kernel, x.cols);
  Matrix out(count, count * std::ssize(kernel.given_weights()));
  for (Index j = 0; j < out.cols(); ++j) {
    const Index column = j / count * width + rows[j % count];
    for (Index i = 0; i < count; ++i) out(i, j) = x(rows[i], column);
    worked(touched * static_cast<double>(count));
  }
  return out;
}

}  // namespace freeridge
