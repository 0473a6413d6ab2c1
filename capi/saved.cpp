// The C layer, save and load: each call is one lambda behind the wall, checks its arguments, and hands over to the
// core.
#include <memory>
#include <string>

#include "capi/handles.hpp"
#include "libcore/base/bytes_file.hpp"
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

const Progress& progress_of(const freeridge_model* model) {
  const Predictor* const predictor = predictor_of(model);
  return predictor != nullptr ? predictor->progress() : model->model.progress();
}

std::string checked_path(const char* path) {
  required("path", path);
  if (*path == 0) fail(Status::invalid_argument, "path is empty");
  return path;
}

// Writes make(model) to a file. The callback is called until the last block is written; then the new file replaces the
// old.
template <class Make>
void to_file(const freeridge_model* model, const char* path, SavedKind kind, const Make& make) {
  const Progress& progress = progress_of(model);
  const std::string name = checked_path(path);
  const Payload payload = make(model);
  const Hearing hearing(progress);
  write_file(name, [&](ByteSink& sink) {
    write_container(kind, payload, sink);
    progress.report(1);
  });
}

// Writes make(model) to the caller's memory. No callback is called: after a cancelled call the output must be as it
// was.
template <class Make>
void to_memory(const freeridge_model* model, int64_t size, void* bytes, int64_t* length, SavedKind kind,
               const Make& make) {
  required("model", model);
  check_room(size, bytes, length);
  hand_out_bytes(size, bytes, length, kind, make(model));
}

freeridge_model* made(Loaded loaded) {
  return new freeridge_model{std::move(loaded.model), std::move(loaded.predictor)};
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_save(const freeridge_model* model, const char* path) {
  return guarded(__func__, [&] { to_file(model, path, SavedKind::model, whole); });
}

freeridge_status freeridge_save_predictor(const freeridge_model* model, const char* path) {
  return guarded(__func__, [&] { to_file(model, path, SavedKind::predictor, for_prediction); });
}

freeridge_status freeridge_load(const char* path, freeridge_model** out) {
  return guarded(__func__, [&] {
    const std::string name = checked_path(path);
    required("out", out);
    const FileSource source(name);
    try {
      *out = made(load(source));
    } catch (const Error& error) {
      if (error.status() != Status::corrupt && error.status() != Status::newer_format) throw;
      throw Error(error.status(), text(name, ": ", std::string_view(error.what())));
    }
  });
}

freeridge_status freeridge_save_to_memory(const freeridge_model* model, int64_t size, void* bytes, int64_t* length) {
  return guarded(__func__, [&] { to_memory(model, size, bytes, length, SavedKind::model, whole); });
}

freeridge_status freeridge_save_predictor_to_memory(const freeridge_model* model, int64_t size, void* bytes,
                                                    int64_t* length) {
  return guarded(__func__, [&] { to_memory(model, size, bytes, length, SavedKind::predictor, for_prediction); });
}

freeridge_status freeridge_load_from_memory(const void* bytes, int64_t size, freeridge_model** out) {
  return guarded(__func__, [&] {
    const MemorySource source = checked_bytes(bytes, size);
    required("out", out);
    *out = made(load(source));
  });
}
