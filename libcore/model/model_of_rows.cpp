// Model::of_rows: a model of some rows and outputs, which are copied, with their weights, groups and fixed effects.
#include <algorithm>
#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/kernel/given_values.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

struct CopiedRows {
  std::shared_ptr<const Matrix> dense;
  std::shared_ptr<const SparseMatrix> sparse;
  Rows view;
};

// given: a kernel of given values, of whose columns only those with the numbers of these rows are copied, or NULL.
CopiedRows copied_rows(const Rows& x, Span<const Index> rows, const Kernel* given) {
  CopiedRows out;
  const Index count = std::ssize(rows);
  if (x.is_sparse()) {
    auto copied = std::make_shared<SparseMatrix>();
    copied->start.push_back(0);
    SparseTile tile;
    for (const Index row : rows) {
      take_rows(x.sparse(), row, 1, tile);
      copied->index.insert(copied->index.end(), tile.column.begin(), tile.column.end());
      copied->value.insert(copied->value.end(), tile.value.begin(), tile.value.end());
      copied->start.push_back(std::ssize(copied->index));
      worked(touched * static_cast<double>(tile.column.size() + 1));
    }
    out.view = copied->view(SparseFormat::csr, count, x.cols);
    out.sparse = std::move(copied);
    return out;
  }
  auto copied =
      std::make_shared<Matrix>(given != nullptr ? given_among(*given, x.dense(), rows) : Matrix(count, x.cols));
  for (Index i = 0; i < count && given == nullptr; ++i) {
    copy_rows(x, rows[i], copied->view().row_range(i, 1));
    worked(touched * static_cast<double>(copied->cols()));
  }
  out.view = layout_view(*copied);
  out.dense = std::move(copied);
  return out;
}

}  // namespace

Model Model::of_rows(Span<const Index> rows, bool with_groups, Span<const Index> outputs, Columns columns) const {
  Model out(kernel_);
  out.offset_ = offset_;
  out.reduction_ = reduction_;
  out.known_sigma2_ = known_sigma2_;
  out.kept_squares_ = kept_squares_;
  out.memory_limit_ = memory_limit_;
  if (std::ssize(rows) == n() && outputs.empty()) {
    out.data_ = data_;
    out.data_->landmarks = 0;
    out.data_->landmark_rows.clear();
    return out;
  }
  const Array<Index> all_outputs = consecutive(0, t());
  if (outputs.empty()) outputs = all_outputs;
  auto y = std::make_shared<Matrix>(std::ssize(rows), std::ssize(outputs));
  for (Index j = 0; j < y->cols(); ++j)
    for (Index i = 0; i < y->rows(); ++i) (*y)(i, j) = data_->y(rows[i], outputs[j]);
  CopiedRows x =
      copied_rows(data_->x, rows, kernel_->precomputed() && columns == Columns::own ? kernel_.get() : nullptr);
  Data data{x.view, layout_view(*y), x.dense, y, x.sparse, {}, {}, 0, {}, {}};
  if (data_->missing) data.missing = data_->missing->among(rows, outputs);
  for (Index j = 0; j < y->cols() && data.missing; ++j)
    if (const Index values = y->rows() - std::ssize(data.missing->rows_of(j)); values < 2)
      fail(Status::invalid_argument, "rows is ", rows.size(), ", and output ", outputs[j], " has ", values,
           " values in the rows drawn; it must have at least 2; learn the kernel on more rows");
  if (data_->fixed) data.fixed = copied_rows(data_->fixed_view(), rows, nullptr).dense;
  if (data_->weights) {
    Array<double> weights;
    for (const Index row : rows) weights.push_back((*data_->weights)[row]);
    data.weights = std::make_shared<const Array<double>>(std::move(weights));
  }
  if (with_groups) {
    const Index divisions = data_->groups->divisions();
    Array<std::int32_t> all(n() * divisions), drawn;
    data_->groups->labels(all);
    for (Index r = 0; r < divisions; ++r) {
      for (const Index row : rows) drawn.push_back(all[r * n() + row]);
      if (std::ranges::all_of(Span(drawn).last(rows.size()), [](std::int32_t label) { return label < 0; }))
        fail(Status::invalid_argument, "rows is ", rows.size(),
             ", and none of the rows drawn is in a group; learn the kernel on more rows");
    }
    const Index layers = data_->groups->layers();
    Array<std::int32_t> gaps(n() * layers * divisions), gaps_drawn;
    data_->groups->gaps(gaps);
    for (Index l = 0; l < layers * divisions; ++l)
      for (const Index row : rows) gaps_drawn.push_back(gaps[l * n() + row]);
    data.groups = Groups(drawn, divisions).with_gaps(gaps_drawn, layers);
  }
  out.data_ = std::move(data);
  return out;
}

}  // namespace freeridge
