// Trials of saving and loading, of models of every route in FITTED and of their predictors, to memory and to a file in a
// directory of its own: a call that fails leaves no file behind.
#include "capi/support/saved_calls.hpp"
#include "faults/directory.hpp"
#include "faults/models.hpp"

namespace faults {
namespace {

struct ToFile {
  Directory directory;
  Model model;
};

template <bool predictor>
void add_save(Scenarios& all, const char* name, freeridge_route route) {
  constexpr freeridge_save_kind what = predictor ? FREERIDGE_SAVE_PREDICTOR : FREERIDGE_SAVE_MODEL;
  all.push_back({"freeridge_save", name + std::string(predictor ? "_predictor" : ""), true, [route] {
                   std::shared_ptr<ToFile> own(new ToFile{{}, model_on(route, State::fitted)});
                   return Trial{[own] { return freeridge_save(own->model.get(), what, own->directory.file.c_str()); },
                                [own] { return own->directory.take(); },
                                [own] { return bytes_of(fingerprint(own->model.get())); }};
                 }});
}

// What was saved, and the model that a call makes of it.
struct Loading {
  Directory directory;
  Bytes bytes;
  freeridge_model* made = nullptr;

  ~Loading() { freeridge_destroy(made); }
};

void add_loading(Scenarios& all, const char* call_name, const std::string& about, freeridge_route route, bool predictor,
                 freeridge_status (*call)(Loading&)) {
  all.push_back({call_name, about, false, [=] {
                   auto own = std::make_shared<Loading>();
                   const Model model = model_on(route, State::fitted);
                   int64_t length = 0;
                   const freeridge_save_kind what = predictor ? FREERIDGE_SAVE_PREDICTOR : FREERIDGE_SAVE_MODEL;
                   support::check(freeridge_save_to_memory(model.get(), what, 0, nullptr, &length), "save");
                   own->bytes.resize(static_cast<std::size_t>(length));
                   support::check(freeridge_save_to_memory(model.get(), what, length, own->bytes.data(), &length),
                                  "save");
                   own->directory.write(own->bytes);
                   return Trial{[=] { return call(*own); },
                                [=] { return own->made ? bytes_of(fingerprint(own->made)) : Bytes(); }};
                 }});
}

}  // namespace

void add_saved(Scenarios& all) {
  add_plain<LocateSavedX>(all);
  add_on_routes<SaveToMemory>(all, true);
  add_on_routes<SavePredictorToMemory>(all, true, "predictor");
  for (const auto& [name, route] : routes) {
    add_save<false>(all, name, route);
    add_save<true>(all, name, route);
    for (const bool predictor : {false, true}) {
      const std::string about = name + std::string(predictor ? "_predictor" : "");
      add_loading(all, "freeridge_load", about, route, predictor,
                  [](Loading& own) { return freeridge_load(own.directory.file.c_str(), &own.made); });
      add_loading(all, "freeridge_load_from_memory", about, route, predictor, [](Loading& own) {
        return freeridge_load_from_memory(own.bytes.data(), static_cast<int64_t>(own.bytes.size()), &own.made);
      });
    }
  }
}

}  // namespace faults
