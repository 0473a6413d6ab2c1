// Left-out errors with the choices included: the kernel and the lambdas, as far as they were chosen, are chosen again
// without the row, and the error of the row is that of the fit to all other rows with them. The rows that had a part in
// the choice are dealt into folds S:
//     theta_S = kernel and lambdas chosen without the rows S,     e_i = the left-out error at theta_S, i in S
// Every other row takes part in the fit, and none of the rows S in the choice. A fold for each row is leaving one out as
// one would by hand, with the search as it was made. With larger folds a search for a kernel begins where that of all
// rows ended, at each of the minima of REML that it found. Rows that had no part in the choice keep the errors of the
// fit. Where one row more or less leads to another minimum, as it may where rows are few, only a fold for each row sees
// it.
// Cost: for each fold the choice and a factorization of all rows; of a kernel with larger folds 8 gradients from each
// minimum.
// The degrees of freedom of the choice, beside the trace of the hat matrix, of a kernel and a lambda that minimise REML f
// (kernel_objective.hpp) over z:
//     sum_i sum_k (d fitted_i / d z_k) (d z_k / d y_i) = -tr(H^-1 A),
//     H = d^2 f / dz^2,   A_jk = sum_i (d^2 f / dz_j dy_i) J_ik,   J = d fitted / dz
// H and A are difference quotients of gradients of f, where z, and where y along a column of J, is moved. Numbers at a bound
// are held. Of H an eigenvalue below 1/9 counts as 1/9: REML says next to nothing of the numbers along such a vector. What a
// change to another minimum costs is not in the sum.
// Cost: 4 gradients and 2 factorizations for each number.
// Sources: M. Stone, Cross-validatory choice and assessment of statistical predictions, J. R. Stat. Soc. B 36 (1974); J. Ye,
// On measuring and correcting the effects of data mining and model selection, J. Am. Stat. Assoc. 93 (1998).
#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/data/folds.hpp"
#include "libcore/linalg/symmetric_eigen.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

constexpr Index few_rows = 50, some_rows = 100;  // up to few: a fold for each row
constexpr Index more_folds = 20, fewer_folds = 10;
constexpr Index evaluations = 8;  // of f from each minimum
constexpr double step = 1e-3;     // of z, and of y in its unit: the error of a quotient is about step^2
constexpr double least_curvature = 1.0 / 9;

}  // namespace

Model Model::chosen_on(Span<const Index> rows, bool anew) const {
  const Choice& choice = *choice_;
  Model others = of_rows(rows, choice.criterion == Criterion::groups);
  others.listener_ = listener_;
  others.route_ = route_;
  others.landmark_method_ = landmark_method_;
  others.landmark_seed_ = landmark_seed_;
  others.smoothness_ = smoothness_;
  others.data_->landmarks = std::min(data_->landmarks, others.n());
  others.kernel_ = choice.kernel;
  Model out(*this);
  out.expected_lambdas_ = 1;
  Array<double> lambdas;
  Stage stage(0, 0.8);
  if (anew || !kernel_search_) {
    choice.again(others);
    out.kernel_ = others.kernel_;
    lambdas = others.fit_->lambdas;
  } else {
    const auto [kernel, lambda] = search_again(*kernel_search_, others.rows_of_search(choice.criterion), evaluations);
    if (!kernel) fail(Status::undefined, "the criterion has no value on ", rows.size(), " of the rows");
    out.kernel_ = kernel;
    lambdas.assign(t(), lambda);
  }
  stage.next(1);
  // Of a kernel learnt on some rows the lambdas are chosen on all of them, as they were.
  if (out.kernel_ != kernel_) out.factorization_ = out.factorized(out.kernel_, wanted_landmarks());
  if (kernel_search_ && kernel_search_->rows < n())
    lambdas = lambda_for_learnt(*out.factorization_, *kernel_search_).best;
  else if (!anew && kernel_search_ && t() > 1)
    lambdas =
        others.lambda_for_learnt(*others.factorized(out.kernel_, others.wanted_landmarks()), *kernel_search_).best;
  out.fit_ = std::make_shared<const Fit>(out.solve(*out.factorization_, lambdas));
  return out;
}

void Model::each_chosen_without(const Folds& folds, const TakeChosen& take) const {
  require_fitted();
  if (!choice_)
    fail(Status::invalid_state,
         "neither lambda nor the kernel was chosen (freeridge_select_lambda): freeridge_loo has the left-out errors");
  const Array<Index> had_part = kernel_search_ ? kernel_search_->learnt_on : consecutive(0, n());
  const Index rows = std::ssize(had_part);
  if (kernel_search_ && learns_with_landmarks(rows))
    fail(Status::invalid_state, "the kernel was learnt with landmarks on ", rows,
         " rows; errors with its learning included are for kernels learnt on up to ", usual_rows_of_kernel);
  Index count = folds.count;
  if (count < 0 || count == 1 || count > rows)
    fail(Status::invalid_argument, "folds is ", count, "; it must be 0 or lie between 2 and ", rows,
         ", the rows that had a part in the choice");
  if (count == 0) count = rows <= few_rows ? rows : rows <= some_rows ? more_folds : fewer_folds;
  require_room_to_choose_again(choice_->criterion, rows);
  const Hearing hearing(listener_);
  Array<std::int32_t> label(rows);
  make_folds(static_cast<std::int32_t>(count), folds.seed, label);
  Stage stage(0, 1 / static_cast<double>(count + 1));
  Model fit(*this);
  fit.fit_ = std::make_shared<const Fit>(solve(*factorization_, search_->best));
  take(&fit, other_indices(had_part, n()));
  for (Index fold = 0; fold < count; ++fold) {
    stage.next(fraction(fold + 2, count + 1));
    Array<Index> left_out, others;
    for (Index k = 0; k < rows; ++k) (label[k] == fold ? left_out : others).push_back(had_part[k]);
    const auto made = value_of([&] {
      const Model chosen = chosen_on(others, count == rows);
      take(&chosen, left_out);
      return true;
    });
    if (!made) take(nullptr, left_out);
  }
  report(1);
}

Model::LearntLoo Model::learnt_loo(const Folds& folds) const {
  LearntLoo out{Matrix(n(), t()), Array<double>(n(), 0.0), {}};
  Matrix held, errors(n(), t());
  each_chosen_without(folds, [&](const Model* chosen, Span<const Index> left_out) {
    const bool first = held.cols() == 0;
    keep_first(out.reason, chosen == nullptr ? nothing_chosen : chosen->loo(errors.view()));
    if (chosen == nullptr) std::ranges::fill(errors.values(), nan);
    if (first) held = copy_of(errors.view());
    double moved = 0, all = 0;
    for (Index k = 0; k < n() * t(); ++k) {
      const double was = held.values()[k], difference = errors.values()[k] - was;
      if (!std::isfinite(difference)) continue;
      moved += difference * difference;
      all += was * was;
    }
    for (const Index i : left_out) {
      out.change[i] = all > 0 ? std::sqrt(moved / all) : 0;
      for (Index j = 0; j < t(); ++j) out.errors(i, j) = errors(i, j);
    }
  });
  return out;
}

double Model::freedom_of_choice() const {
  require_fitted();
  if (!choice_ || !kernel_search_ || choice_->criterion != Criterion::reml || kernel_search_->kept ||
      kernel_search_->rows < n() || t() > 1 || data_->missing || data_->landmarks > 0)
    return nan;
  const KernelSearch& search = *kernel_search_;
  const KernelObjective& objective = search.smoother ? *search.smoother : *search.objective;
  const Array<double>& z = search.smoother ? search.smoother_z : search.ends.front().z;
  Array<Index> free;
  for (std::size_t k = 0; k < z.size(); ++k)
    if (z[k] - 2 * step > search.low_z[k] && z[k] + 2 * step < search.high_z[k]) free.push_back(static_cast<Index>(k));
  const Index count = std::ssize(free);
  const Hearing hearing(listener_);
  Stage stage(0, 0);
  const auto moved = [&](Index k, double by) {
    Array<double> out = z;
    out[free[k]] += by;
    return out;
  };
  // Adds factor times the gradient by the free numbers to a column.
  const auto add_gradient = [&](const Model& of, Span<const double> at, double factor, Span<double> sum) {
    Array<double> g(z.size());
    const double f = objective(of.rows_of_search(Criterion::reml), Criterion::reml, at, g).f;
    for (Index j = 0; j < count; ++j) sum[j] += std::isnan(f) ? nan : factor * g[free[j]];
  };
  const auto add_fitted = [&](Span<const double> at, double factor, MatrixView sum) {
    Model there(*this);
    there.expected_lambdas_ = 1;
    there.kernel_ = objective.kernel(at);
    there.factorization_ = there.factorized(there.kernel_, {});
    there.fit_ = std::make_shared<const Fit>(there.solve(*there.factorization_, Array<double>{objective.lambda(at)}));
    Matrix fitted(n(), 1);
    there.fitted(fitted.view());
    for (Index i = 0; i < n(); ++i) sum(i, 0) += factor * fitted(i, 0);
  };
  const Array<Index> rows = consecutive(0, n());
  const auto with_outputs = [&](ConstMatrixView direction, double by) {
    Model out = of_rows(rows, false);
    auto y = std::make_shared<Matrix>(n(), 1);
    for (Index i = 0; i < n(); ++i) (*y)(i, 0) = data_->y(i, 0) + by * direction(i, 0);
    out.data_->y = layout_view(*y);
    out.data_->y_copy = std::move(y);
    return out;
  };
  double mean = 0, spread = 0;
  for (Index i = 0; i < n(); ++i) mean += data_->y(i, 0) / static_cast<double>(n());
  for (Index i = 0; i < n(); ++i) spread += (data_->y(i, 0) - mean) * (data_->y(i, 0) - mean);
  const Model here = of_rows(rows, false);
  Matrix h(count, count, 0.0), a(count, count, 0.0);
  const auto found = value_of([&] {
    for (Index k = 0; k < count; ++k) {
      stage.next(fraction(k + 1, count));
      Matrix along(n(), 1, 0.0);
      for (const double sign : {1.0, -1.0}) {
        const Array<double> at = moved(k, sign * step);
        add_gradient(here, at, sign / (2 * step), {h.view().col(k), count});
        add_fitted(at, sign / (2 * step), along.view());
      }
      double length = 0;
      for (const double value : along.values()) length += value * value;
      if (length == 0) continue;
      const double by = step * std::sqrt(spread / length);
      for (const double sign : {1.0, -1.0})
        add_gradient(with_outputs(along.view(), sign * by), z, sign / (2 * by), {a.view().col(k), count});
    }
    return true;
  });
  if (!found || !all_finite(h.values()) || !all_finite(a.values())) return nan;
  for (Index j = 0; j < count; ++j)
    for (Index k = 0; k < j; ++k) h(j, k) = (h(j, k) + h(k, j)) / 2;
  Array<double> eigenvalues(count);
  if (count > 0) symmetric_eigen(h.view(), eigenvalues);
  double sum = 0;
  for (Index e = 0; e < count; ++e)
    for (Index j = 0; j < count; ++j)
      for (Index k = 0; k < count; ++k) sum -= h(j, e) * a(j, k) * h(k, e) / std::max(eigenvalues[e], least_curvature);
  report(1);
  return sum;
}

}  // namespace freeridge
