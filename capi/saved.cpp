// The C layer, save and load: each call checks its arguments and hands over to the core, behind the exception wall.
#include "capi/saving.hpp"
#include "libcore/model/saved_model.hpp"

namespace freeridge::capi {
namespace {

// What is to be saved. The payload refers to the model, which must outlive it.
struct ToSave {
  SavedKind kind;
  Payload payload;
};

ToSave to_save(const freeridge_model* model, freeridge_save_kind what) {
  if (what == FREERIDGE_SAVE_MODEL) {
    const Model& m = model_of(model);
    return {SavedKind::model, [&m, held = m.hold()](ByteWriter& out) { m.save(out); }};
  }
  if (const Predictor* const predictor = predictor_of(model))
    return {SavedKind::predictor, [predictor](ByteWriter& out) { save_prediction(predictor->prediction(), out); }};
  const Model& m = model_of(model);
  m.require_fitted();
  return {SavedKind::predictor, [&m](ByteWriter& out) { save_prediction(m.prediction(), out); }};
}

void require_kind(freeridge_save_kind what) {
  require_one_of("what", what, {FREERIDGE_SAVE_MODEL, FREERIDGE_SAVE_PREDICTOR});
}

freeridge_model* made(Loaded loaded) {
  return new freeridge_model{std::move(loaded.model), std::move(loaded.predictor)};
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_save(const freeridge_model* model, freeridge_save_kind what, const char* path) {
  return guarded(__func__, [&] {
    required("model", model);
    require_kind(what);
    checked_path(path);
    const ToSave it = to_save(model, what);
    save_to_file(path, it.kind, model->model.listener(), it.payload);
  });
}

freeridge_status freeridge_load(const char* path, freeridge_model** out) {
  return guarded(__func__, [&] {
    checked_path(path);
    required("out", out);
    *out = made(load_from_file(path, [](const ByteSource& source) { return load(source); }));
  });
}

freeridge_status freeridge_save_to_memory(const freeridge_model* model, freeridge_save_kind what, int64_t size,
                                          void* bytes, int64_t* length) {
  return guarded(__func__, [&] {
    required("model", model);
    require_kind(what);
    check_room(size, bytes, length);
    const ToSave it = to_save(model, what);
    hand_out_bytes(size, bytes, length, it.kind, it.payload);
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
