// The calls that save and load as structs: their arguments, valid until a test spoils one.
#pragma once

#include "capi/support/shared_arguments.hpp"
#include "support/saved.hpp"

struct Save : AnyCall, OnModel {
  freeridge_save_kind what = FREERIDGE_SAVE_MODEL;
  Input<char> path{{'/', 'd', 'e', 'v', '/', 'n', 'u', 'l', 'l', '\0'}};
  FREERIDGE_CALL(freeridge_save);
};
struct SavePredictor : Save {
  SavePredictor() { what = FREERIDGE_SAVE_PREDICTOR; }
};

// Room for any model of the sample.
struct SaveToMemory : AnyCall, OnModel {
  static constexpr int64_t most = 16384;
  freeridge_save_kind what = FREERIDGE_SAVE_MODEL;
  int64_t size = most;
  Output<unsigned char> bytes{most};
  Output<int64_t> length{1};
  FREERIDGE_CALL(freeridge_save_to_memory);
};
struct SavePredictorToMemory : SaveToMemory {
  SavePredictorToMemory() { what = FREERIDGE_SAVE_PREDICTOR; }
};

struct Load : AnyCall {
  Input<char> path{{'/', 'n', 'o', 'n', 'e', '\0'}};
  Output<freeridge_model*> out{1};
  FREERIDGE_CALL(freeridge_load);
};

struct LocateSavedX : AnyCall {
  Input<unsigned char> bytes{support::saved_predictor(sample::model(sample::State::fitted).get())};
  int64_t size = static_cast<int64_t>(bytes.values.size());
  Output<int64_t> first{1}, length{1};
  FREERIDGE_CALL(freeridge_locate_saved_x);
};

struct LoadFromMemory : AnyCall {
  Input<unsigned char> bytes{support::saved(sample::model(sample::State::fitted).get())};
  int64_t size = static_cast<int64_t>(bytes.values.size());
  Output<freeridge_model*> out{1};
  FREERIDGE_CALL(freeridge_load_from_memory);
};
