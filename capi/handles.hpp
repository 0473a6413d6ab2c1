// What the opaque handles of freeridge.h are, and what the calls on models share.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "capi/wall.hpp"
#include "libcore/base/array.hpp"
#include "libcore/losses/classifier.hpp"
#include "libcore/model/model.hpp"
#include "libcore/stream/accumulator.hpp"
#include "libcore/stream/reader_model.hpp"
#include "libcore/stream/window.hpp"

struct freeridge_kernel {
  freeridge::KernelPtr kernel;
};

struct freeridge_model {
  freeridge::Model model;
  // Set for a model that was saved for prediction only. Then `model` is EMPTY, with the kernel and the callback.
  std::shared_ptr<const freeridge::Predictor> predictor = nullptr;
  // Set where a reader hands out the rows. Then `model` is EMPTY, with the settings and the callback.
  std::unique_ptr<freeridge::ReaderModel> reader = nullptr;
  // Set beside `predictor` for the fit of an accumulator.
  std::shared_ptr<const freeridge::ReducedModel> reduced = nullptr;
};

struct freeridge_accumulator {
  freeridge::Accumulator accumulator;
};

struct freeridge_window {
  freeridge::Window window;
};

struct freeridge_classifier {
  freeridge::Classifier classifier;
};

namespace freeridge::capi {

// The predictor that the handle was loaded from, or the fit to a reader's rows; NULL where there is neither. Calls that
// a predictor can answer ask for it first.
inline const Predictor* predictor_of(const freeridge_model* model) {
  const freeridge_model& it = required("model", model);
  return it.reader ? it.reader->fit() : it.predictor.get();
}

inline const ReducedModel* reduced_of(const freeridge_model& model) {
  return model.reader ? model.reader->reduced() : model.reduced.get();
}

inline void require_whole(const freeridge_model& model) {
  if (model.reduced)
    fail(Status::invalid_state,
         "the model is the fit of an accumulator, which keeps sums of its rows and no row: it predicts with standard "
         "errors, and tells its degrees of freedom, dimensions, lambda, intercept, and coefficients or hyperplane");
  if (model.predictor)
    fail(Status::invalid_state,
         "the model was saved for prediction only (FREERIDGE_SAVE_PREDICTOR): it predicts, and tells its dimensions, "
         "lambda, intercept, and coefficients or hyperplane");
}
inline void require_points(const freeridge_model& model) {
  if (model.reader && model.reader->fit() != nullptr)
    fail(Status::invalid_state,
         "the rows of the model are a reader's (freeridge_set_points), and the call needs all of them in memory");
  if (model.reader && model.reader->factorized())
    fail(Status::invalid_state,
         "the rows of the model are a reader's (freeridge_set_points), and no lambda is set, or the call needs all "
         "rows in memory; call freeridge_set_lambda or freeridge_select_lambda first");
  if (model.reader)
    fail(Status::invalid_state,
         "the rows of the model are a reader's (freeridge_set_points), and the model is not factorized, or the call "
         "needs all rows in memory; call freeridge_factorize first");
  require_whole(model);
}
// Handle: freeridge_model or const freeridge_model; the answer is const likewise.
template <class Handle>
auto& model_of(Handle* model) {
  require_points(required("model", model));
  return model->model;
}
// Whatever answers questions of a fit that sums over its rows decide: a model with rows in memory, or that of a reader's
// rows or of an accumulator's (stream/reduced_model.hpp).
class Answering {
 public:
  explicit Answering(const freeridge_model* model) : handle_(required("model", model)), reduced_(reduced_of(handle_)) {
    if (reduced_ == nullptr)
      model_of(model);
    else
      made_.emplace(reduced_->model(handle_.model.listener()));
  }

  const Model& model() const { return made_ ? *made_ : handle_.model; }
  const Listener& listener() const { return handle_.model.listener(); }
  Index d() const { return reduced_ ? reduced_->d() : model().d(); }
  // Of these the coefficients have covariances; throws INVALID_STATE for landmarks without their points.
  const Model& with_slopes() const {
    if (reduced_ != nullptr && reduced_->landmarks())
      fail(Status::invalid_state, "only a linear kernel has slopes with covariances, and the fit has landmarks");
    return model();
  }
  // use(first, points) for some of its points, at most `rows` at a time where they are made anew.
  void each(const Points& points, Index rows, const std::function<void(Index, const Points&)>& use) const {
    if (reduced_ == nullptr) return use(0, points);
    const Hearing hearing(listener());
    reduced_->each(points, rows, use);
  }

 private:
  const freeridge_model& handle_;
  const ReducedModel* reduced_;
  std::optional<Model> made_;
};

// The model with its settings, whoever hands out its rows.
template <class Handle>
auto& settings_of(Handle* model) {
  require_whole(required("model", model));
  return model->model;
}
template <class Handle>
auto& classifier_of(Handle* classifier) {
  return required("classifier", classifier).classifier;
}
// The model, whoever hands out its rows. Handle as in model_of.
template <class Handle>
auto& whole_of(Handle* model) {
  using Whole = std::conditional_t<std::is_const_v<Handle>, const AbstractModel, AbstractModel>;
  Whole& settings = settings_of(model);
  return model->reader ? *model->reader : settings;
}

static_assert(FREERIDGE_INTERCEPT_NONE == int(Offset::none) && FREERIDGE_INTERCEPT_FREE == int(Offset::free) &&
              FREERIDGE_INTERCEPT_PENALISED == int(Offset::penalised));

inline Criterion checked_criterion(freeridge_criterion criterion) {
  require_one_of(
      "criterion", criterion,
      {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS, FREERIDGE_ERROR_RATE, FREERIDGE_LOG_LOSS});
  return static_cast<Criterion>(criterion);
}
// Of calls that take EVIDENCE, too.
inline Criterion checked_learning_criterion(freeridge_criterion criterion) {
  return criterion == FREERIDGE_EVIDENCE ? Criterion::evidence : checked_criterion(criterion);
}

// Tables of count x t, each of which may be NULL.
inline ObjectiveViews checked_objectives(double* training, double* norm2, double* objective, std::int64_t count,
                                         std::int64_t t, std::int64_t ld) {
  require_ld("ld", ld, "count", count, t);
  return {optional_output(training, count, t, ld), optional_output(norm2, count, t, ld),
          optional_output(objective, count, t, ld)};
}

// The number of layers of gaps, and their labels: 0 and NULL without gaps.
inline void require_gaps(std::int64_t layers, const std::int32_t* gap) {
  if (layers < 0 || layers > largest_size)
    fail(Status::invalid_argument, "layers is ", layers, "; it must be from 0 to ", largest_size);
  if (layers > 0) required("gap", gap);
}

inline CovarianceType checked_kind(freeridge_covariance_type kind) {
  require_one_of("kind", kind, {FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COVARIANCE_FREQUENTIST});
  return static_cast<CovarianceType>(kind);
}

}  // namespace freeridge::capi
