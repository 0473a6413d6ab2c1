#include "libcore/stream/reduced_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/kernel/kernel.hpp"

namespace freeridge {
namespace {

// H [sum(w)^(1/2) 0; 0 C] (sum(w) / n')^(-1/2) without its first column, and the means added.
Matrix rows_around_means(const Matrix& centred, Span<const double> means, double sum_w) {
  const Index count = centred.rows() + 1;
  const double root = std::sqrt(static_cast<double>(count)), first = 1 - 1 / root;
  const double norm2 = first * first + static_cast<double>(count - 1) / static_cast<double>(count);
  const double unit = root / std::sqrt(sum_w);
  Matrix out(count, centred.cols());
  for (Index j = 0; j < centred.cols(); ++j) {
    double sum = 0;
    for (Index i = 0; i < centred.rows(); ++i) sum += centred(i, j);
    const double along = count == 1 ? 0 : -2 * sum / root / norm2;  // 2 v'c / v'v, v = e_1 - n'^(-1/2) 1
    out(0, j) = means[j] - unit * along * first;
    for (Index i = 0; i < centred.rows(); ++i) out(i + 1, j) = means[j] + unit * (centred(i, j) + along / root);
  }
  return out;
}

}  // namespace

Model ReducedModel::made() const {
  const RowStack& rows = problem_->rows();
  const Index q = problem_->features().unpenalised(), d = rows.d() - q, t = rows.t();
  Matrix all = problem_->centred_rows();
  if (rows.intercept()) all = rows_around_means(all, problem_->means(), rows.sum_w());
  if (!all_finite(all.values())) fail(Status::not_finite, "the rows overflow; rescale x or y");
  const LayoutView view = layout_view(all);
  Model out(linear_kernel());
  out.set_intercept(rows.intercept() ? Offset::free : Offset::none);
  out.set_data(Points(Rows(view.columns(q, d)), view.columns(0, q)), view.columns(q + d, t), true);
  if (rows.intercept()) {
    const Array<double> weights(all.rows(), rows.sum_w() / static_cast<double>(all.rows()));
    out.set_weights(weights.data());
  }
  out.set_absent(rows.n() - all.rows());
  out.set_route(Route::primal);
  out.factorize();
  out.set_lambdas(lambdas_);
  return out;
}

Model ReducedModel::model(const Listener& listener) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!model_) {
    const Hearing hearing(listener);
    const Stage still(0, 0);
    model_.emplace(made());
  }
  Model out = model_->clone();
  out.set_listener(listener);
  return out;
}

void ReducedModel::each(const Points& given, Index rows, const std::function<void(Index, const Points&)>& use) const {
  const RowFeatures& features = problem_->features();
  const Index q = features.unpenalised(), d = features.d();
  require_fixed(0, given.fixed);
  require_finite("x", given.x);
  if (!landmarks() && q == 0) return use(0, given);
  if (!landmarks() && !given.x.is_sparse()) {
    const LayoutView x = given.x.dense();
    return use(0, Points(Rows(x.columns(q, d - q)), x.columns(0, q)));
  }
  Stage stage(0, 0);
  for (Index row = 0; row < given.x.rows; row += rows) {
    const Index count = std::min(rows, given.x.rows - row);
    stage.next(fraction(row + count, given.x.rows));
    Matrix room(count, features.p());
    if (landmarks()) {
      features.map().raw(given.x, row, room.view());
      features.map().apply(room.view());
    } else {
      copy_rows(given.x, row, room.view());
    }
    const LayoutView x = layout_view(room);
    use(row, q == 0 ? Points(Rows(x)) : Points(Rows(x.columns(q, d - q)), x.columns(0, q)));
  }
}

}  // namespace freeridge
