// The C layer, save and load: each call is one lambda behind the wall, checks its arguments, and hands over to the
// core.
#include "capi/saving.hpp"
#include "libcore/model/saved_model.hpp"

namespace freeridge::capi {
namespace {

// The payload of a whole model, and below of a predictor. Each refers to the model, which must outlive it.
Payload whole(const freeridge_model* model) {
  const Model& m = model_of(model);
  return [&m, held = m.hold()](ByteWriter& out) { m.save(out); };
}

Payload for_prediction(const freeridge_model* model) {
  if (const Predictor* const predictor = predictor_of(model))
    return [predictor](ByteWriter& out) { save_prediction(predictor->prediction(), out); };
  const Model& m = model_of(model);
  m.require_fitted();
  return [&m](ByteWriter& out) { save_prediction(m.prediction(), out); };
}

freeridge_model* made(Loaded loaded) {
  return new freeridge_model{std::move(loaded.model), std::move(loaded.predictor)};
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_save(const freeridge_model* model, const char* path) {
  return guarded(__func__, [&] {
    required("model", model);
    checked_path(path);
    save_to_file(path, SavedKind::model, model->model.listener(), whole(model));
  });
}

freeridge_status freeridge_save_predictor(const freeridge_model* model, const char* path) {
  return guarded(__func__, [&] {
    required("model", model);
    checked_path(path);
    save_to_file(path, SavedKind::predictor, model->model.listener(), for_prediction(model));
  });
}

freeridge_status freeridge_load(const char* path, freeridge_model** out) {
  return guarded(__func__, [&] {
    checked_path(path);
    required("out", out);
    *out = made(load_from_file(path, [](const ByteSource& source) { return load(source); }));
  });
}

freeridge_status freeridge_save_to_memory(const freeridge_model* model, int64_t size, void* bytes, int64_t* length) {
  return guarded(__func__, [&] {
    required("model", model);
    check_room(size, bytes, length);
    hand_out_bytes(size, bytes, length, SavedKind::model, whole(model));
  });
}

freeridge_status freeridge_save_predictor_to_memory(const freeridge_model* model, int64_t size, void* bytes,
                                                    int64_t* length) {
  return guarded(__func__, [&] {
    required("model", model);
    check_room(size, bytes, length);
    hand_out_bytes(size, bytes, length, SavedKind::predictor, for_prediction(model));
  });
}

freeridge_status freeridge_locate_saved_x(const void* bytes, int64_t size, int64_t* first, int64_t* length) {
  return guarded(__func__, [&] {
    const MemorySource source = checked_bytes(bytes, size);
    required("first", first);
    required("length", length);
    ByteReader in(source, {SavedKind::predictor, SavedKind::classifier});
    const SavedX x =
        sound([&] { return in.kind() == SavedKind::predictor ? Predictor::locate_x(in) : Classifier::locate_x(in); });
    *first = x.first;
    *length = x.length;
  });
}

freeridge_status freeridge_load_from_memory(const void* bytes, int64_t size, freeridge_model** out) {
  return guarded(__func__, [&] {
    const MemorySource source = checked_bytes(bytes, size);
    required("out", out);
    *out = made(load(source));
  });
}
