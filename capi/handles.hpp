// What the opaque handles of freeridge.h are, and what the calls on models share.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "capi/wall.hpp"
#include "libcore/base/bytes.hpp"
#include "libcore/model/model.hpp"
#include "libcore/stream/accumulator.hpp"

struct freeridge_kernel {
  freeridge::KernelPtr kernel;
};

struct freeridge_model {
  freeridge::Model model;
  std::unique_ptr<freeridge::Predictor> predictor = nullptr;  // set for a model that was saved for prediction only
};

struct freeridge_accumulator {
  freeridge::Accumulator accumulator;
};

namespace freeridge::capi {

// The predictor, if the handle was loaded from one, else NULL. Calls that a predictor can answer ask for it first.
inline Predictor* predictor_of(freeridge_model* model) {
  return required("model", model).predictor.get();
}
inline const Predictor* predictor_of(const freeridge_model* model) {
  return required("model", model).predictor.get();
}

inline void require_whole(const Predictor* predictor) {
  if (predictor != nullptr)
    fail(Status::invalid_state,
         "the model was saved for prediction only (freeridge_save_predictor): it predicts, and tells its dimensions, "
         "lambda, intercept, and coefficients or hyperplane");
}
inline Model& model_of(freeridge_model* model) {
  require_whole(predictor_of(model));
  return model->model;
}
inline const Model& model_of(const freeridge_model* model) {
  require_whole(predictor_of(model));
  return model->model;
}

inline Criterion checked_criterion(freeridge_criterion criterion) {
  require_one_of("criterion", criterion,
                 {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS, FREERIDGE_ERROR_RATE});
  return static_cast<Criterion>(criterion);
}

inline void check_room(std::int64_t size, void* bytes, std::int64_t* length) {
  required("length", length);
  if (size != 0) required("bytes", static_cast<char*>(bytes));
}

// Writes saved bytes to `bytes` (room for `size` of them), and how many there are to *length. size = 0: *length alone.
inline void hand_out_bytes(std::int64_t size, void* bytes, std::int64_t* length, SavedKind kind,
                           const Payload& payload) {
  check_room(size, bytes, length);
  const Index needed = container_size(payload);
  if (size == 0 || size < needed) *length = needed;
  if (size == 0) return;
  if (size < needed)
    fail(Status::invalid_argument, "size is ", size, "; it must be at least ", needed, ", or 0 for the length alone");
  MemorySink sink({static_cast<unsigned char*>(bytes), static_cast<std::size_t>(needed)});
  write_container(kind, payload, sink);
  *length = needed;
}

inline MemorySource checked_bytes(const void* bytes, std::int64_t size) {
  const auto* const from = static_cast<const unsigned char*>(bytes);
  required("bytes", from);
  if (size < 1) fail(Status::invalid_argument, "size is ", size, "; it must be at least 1");
  return MemorySource({from, static_cast<std::size_t>(size)});
}

// Called after the outputs are written, some of them NaN: throws UNDEFINED with the reason. The text is moved, not
// copied, because no allocation may fail once an output is written.
inline void report_undefined(std::string&& reason) {
  if (!reason.empty()) throw Error(Status::undefined, std::move(reason));
}

}  // namespace freeridge::capi
