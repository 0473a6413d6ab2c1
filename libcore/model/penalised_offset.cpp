#include "libcore/model/penalised_offset.hpp"

#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/progress.hpp"

namespace freeridge {
namespace {

OffsetRows dense_rows(const LayoutView& x, double shift, Index more) {
  auto copy = std::make_shared<Matrix>(x.rows, x.cols + more, 1.0);
  const MatrixView values = copy->view().columns(0, x.cols);
  copy_rows(x, 0, values);
  for (Index j = 0; j < values.cols && shift != 0; ++j) {
    for (Index i = 0; i < values.rows; ++i) values(i, j) += shift;
    worked(touched * static_cast<double>(values.rows));
  }
  const LayoutView view = layout_view(*copy);
  return {view, std::move(copy)};
}

// The entries of x, and a 1 in the last column of each row.
OffsetRows sparse_rows(const SparseView& x) {
  auto copy = std::make_shared<SparseMatrix>();
  const Index lines = x.lines(), column = x.cols;
  if (x.format == SparseFormat::csc) {
    *copy = SparseMatrix(x);
    for (Index i = 0; i < x.rows; ++i) copy->index.push_back(static_cast<std::int32_t>(i));
    copy->value.resize(copy->index.size(), 1.0);
    copy->start.push_back(static_cast<Index>(copy->index.size()));
  } else {
    copy->start.push_back(0);
    for (Index i = 0; i < lines; ++i) {
      copy->index.insert(copy->index.end(), x.index + x.start[i], x.index + x.start[i + 1]);
      copy->value.insert(copy->value.end(), x.value + x.start[i], x.value + x.start[i + 1]);
      copy->index.push_back(static_cast<std::int32_t>(column));
      copy->value.push_back(1.0);
      copy->start.push_back(static_cast<Index>(copy->index.size()));
    }
  }
  worked(touched * static_cast<double>(copy->index.size()));
  const SparseView view = copy->view(x.format, x.rows, x.cols + 1);
  return {view, std::move(copy)};
}

}  // namespace

KernelPtr offset_kernel(const KernelPtr& kernel, Index d) {
  if (kernel->precomputed()) return kernel;
  std::optional<Array<double>> scale = kernel->linear_scale(d);
  if (!scale) return plus_one(kernel);
  scale->push_back(1);
  return scaled_kernel(linear_kernel(), *scale);
}

OffsetRows offset_rows(const Kernel& kernel, const Rows& x) {
  if (kernel.precomputed() && kernel.is_sum())
    fail(Status::invalid_argument,
         "the kernel is a sum of precomputed ones: its intercept cannot be penalised; give a matrix of ones beside "
         "them");
  if (kernel.precomputed()) return dense_rows(x.dense(), 1, 0);
  if (!kernel.linear_scale(x.cols)) return {x, nullptr};
  return x.is_sparse() ? sparse_rows(x.sparse()) : dense_rows(x.dense(), 0, 1);
}

Index offset_doubles(const Kernel& kernel, const Rows& x) {
  if (!kernel.precomputed() && !kernel.linear_scale(x.cols)) return 0;
  return x.is_sparse() ? 3 * (x.entries() + x.rows) : checked_doubles(x.rows, x.cols + 1);
}

void take_offset(Solution& solution) {
  const bool linear = solution.w.rows() > 0;
  const Index rows = linear ? solution.w.rows() - 1 : solution.c.rows(), count = std::ssize(solution.b);
  for (Index j = 0; j < count; ++j) {
    double b = linear ? solution.w(rows, j) : 0;
    for (Index i = 0; i < rows && !linear; ++i) b += solution.c(i, j);
    solution.b[j] = b;
  }
  if (!linear) return;
  solution.w = copy_of(solution.w.view().row_range(0, rows));
  solution.level = solution.b;
}

}  // namespace freeridge
