// The calls that save and load as structs: their arguments, valid until a test spoils one.
#pragma once

#include "capi/support/arrays.hpp"
#include "capi/support/sample.hpp"
#include "support/saved.hpp"

// freeridge_save and freeridge_save_predictor have the same arguments.
template <bool predictor>
struct SaveCall {
  static constexpr const char* name = predictor ? "freeridge_save_predictor" : "freeridge_save";
  freeridge_model* model = nullptr;
  Input<char> path{{'/', 'd', 'e', 'v', '/', 'n', 'u', 'l', 'l', '\0'}};
  freeridge_status operator()() {
    constexpr auto call = predictor ? freeridge_save_predictor : freeridge_save;
    return call(model, path.get());
  }
};
using Save = SaveCall<false>;
using SavePredictor = SaveCall<true>;

// Room for any model of the sample.
template <bool predictor>
struct SaveToMemoryCall {
  static constexpr const char* name = predictor ? "freeridge_save_predictor_to_memory" : "freeridge_save_to_memory";
  static constexpr int64_t most = 16384;
  freeridge_model* model = nullptr;
  int64_t size = most;
  Output<unsigned char> bytes{most};
  Output<int64_t> length{1};
  freeridge_status operator()() {
    constexpr auto call = predictor ? freeridge_save_predictor_to_memory : freeridge_save_to_memory;
    return call(model, size, bytes.get(), length.get());
  }
  void each_output(auto visit) { visit(bytes), visit(length); }
};
using SaveToMemory = SaveToMemoryCall<false>;
using SavePredictorToMemory = SaveToMemoryCall<true>;

struct Load {
  static constexpr const char* name = "freeridge_load";
  Input<char> path{{'/', 'n', 'o', 'n', 'e', '\0'}};
  Output<freeridge_model*> out{1};
  freeridge_status operator()() { return freeridge_load(path.get(), out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct LoadFromMemory {
  static constexpr const char* name = "freeridge_load_from_memory";
  Input<unsigned char> bytes{support::saved(sample::model(sample::State::fitted).get())};
  int64_t size = static_cast<int64_t>(bytes.values.size());
  Output<freeridge_model*> out{1};
  freeridge_status operator()() { return freeridge_load_from_memory(bytes.get(), size, out.get()); }
  void each_output(auto visit) { visit(out); }
};
