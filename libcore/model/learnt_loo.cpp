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
// Source: M. Stone, Cross-validatory choice and assessment of statistical predictions, J. R. Stat. Soc. B 36 (1974).
#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/data/folds.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

constexpr Index few_rows = 50, some_rows = 100;  // up to few: a fold for each row
constexpr Index more_folds = 20, fewer_folds = 10;
constexpr Index evaluations = 8;  // of f from each minimum

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

}  // namespace freeridge
