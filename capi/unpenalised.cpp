// The C layer, unpenalised columns (fixed effects): how many there are, their effects, and the mixed model.
#include <optional>
#include <utility>

#include "capi/handles.hpp"

using namespace freeridge;
using namespace freeridge::capi;

namespace freeridge::capi {
namespace {

void require_some(Index q) {
  if (q == 0)
    fail(Status::invalid_state,
         "the model has no unpenalised columns; they are set beside its rows by freeridge_set_points");
}

void require_kept(const void* kept) {
  if (kept != nullptr)
    fail(Status::invalid_state, "kept is not known of a model that was saved for prediction only; hand NULL over");
}
void require_errors(const void* errors) {
  if (errors != nullptr)
    fail(Status::invalid_state, "errors need all rows in memory, and a predictor has none of them; hand NULL over");
}

// Of a model that was saved for prediction.
void unpenalised_saved(const Predictor& saved, int64_t* count, int32_t* kept, double* effects, double* errors,
                       int64_t ld) {
  const ConstMatrixView fixed = saved.fixed().view();
  require_kept(kept);
  require_errors(errors);
  if (effects != nullptr) require_some(fixed.rows);
  if (effects != nullptr) {
    require_ld("ld", ld, "the number of unpenalised columns", fixed.rows, fixed.cols);
    copy(fixed, {effects, fixed.rows, fixed.cols, ld});
  }
  if (count != nullptr) *count = fixed.rows;
}

}  // namespace
}  // namespace freeridge::capi

freeridge_status freeridge_get_unpenalised(const freeridge_model* model, int64_t* count, int32_t* kept, double* effects,
                                           double* errors, int64_t ld) {
  return guarded(__func__, [&] {
    const freeridge_model& asked = required("model", model);
    if (asked.predictor && !asked.reduced) return unpenalised_saved(*asked.predictor, count, kept, effects, errors, ld);
    const std::optional<Answering> answering = asked.reduced ? std::optional<Answering>(model) : std::nullopt;
    const AbstractModel& m = answering ? answering->model() : whole_of(model);
    const Index q = m.fixed_count();
    std::string reason;
    if (kept != nullptr || effects != nullptr || errors != nullptr) {
      require_some(q);
      if (effects != nullptr || errors != nullptr) {
        m.require_fitted();
        require_ld("ld", ld, "the number of unpenalised columns", q, m.t());
      }
      Matrix found(q, errors != nullptr ? m.t() : 0);
      if (errors != nullptr) reason = m.fixed_errors(found.view());
      if (kept != nullptr) m.fixed_kept({kept, q});  // the last that can fail
      if (errors != nullptr) copy_out(found.view(), Layout::col_major, errors, ld);
      if (effects != nullptr) m.fixed_effects(optional_output(effects, q, m.t(), ld));
    }
    if (count != nullptr) *count = q;
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_get_unpenalised_covariance(const freeridge_model* model, double* covariance, int64_t ld) {
  return guarded(__func__, [&] {
    const Answering answering(model);
    const Model& m = answering.model();
    required("covariance", covariance);
    m.require_fitted();
    const Index q = m.fixed_count();
    require_some(q);
    require_ld("ld", ld, "the number of unpenalised columns", q, q * m.t());
    Matrix found(q, q * m.t());
    std::string reason = m.fixed_covariance(found.view());
    copy_out(found.view(), Layout::col_major, covariance, ld);
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_variance_components(const freeridge_model* model, int64_t* count, double* residual,
                                               double* random, double* share, double* error) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    Model::VarianceComponents found = m.variance_components(error != nullptr);
    if (count != nullptr) *count = found.random.rows();
    copy_to(found.residual, residual);
    copy_to(found.random.values(), random);
    copy_to(found.share.values(), share);
    copy_to(found.share_error.values(), error);
    if (residual != nullptr || random != nullptr || share != nullptr || error != nullptr)
      report_undefined(std::move(found.reason));
  });
}
