// A model that any calls are made on, in any order, and what it was told. At any moment its twin (model_twin.hpp) has to
// answer the same to the last bit: nothing is stale, and a call that failed has left nothing behind.
#pragma once

#include <string>

#include "fuzz/model_twin.hpp"
#include "fuzz/source.hpp"

namespace fuzz {

struct Cancel {
  int beats;  // left before it cancels; negative: never
  static std::int32_t heard(double, void* user) {
    auto& self = *static_cast<Cancel*>(user);
    return self.beats >= 0 && self.beats-- == 0 ? 1 : 0;
  }
};

class ModelSequence {
 public:
  ModelSequence();

  // One call of the fuzzer's choice.
  void step(Source& in);
  // Compares with a fresh model.
  void verify() const;

 private:
  void make(Source& in);
  void set_kernel(Source& in);
  void set_data(Source& in, bool borrow, bool sparse = false);
  void set_reader(Source& in);
  void set_missing(Source& in);
  void forget_data(std::shared_ptr<const Settings::Data> next);
  void set_weights(Source& in);
  void set_fixed_effects(Source& in);
  void set_groups(Source& in);
  void set_choice(Source& in);
  void set_landmarks(Source& in);
  void set_hints(Source& in);
  void factorize(Source& in);
  void set_lambda(Source& in);
  void select_lambda(Source& in);
  void select_bandwidth(Source& in);
  void select_kernel(Source& in);
  void learn_again() const;
  void save_and_load(Source& in);
  void clone();
  void predictor() const;
  void ask_one(Source& in) const;
  void misuse(Source& in);
  void misuse_sparse(Source& in);

  // The call, which may be cancelled at the beat that the fuzzer chose; true when it did its work.
  template <class Call, class... Output>
  bool worked(Source& in, const char* name, const Call& call, Output&... output) {
    Cancel cancel{in.one_in(8) ? static_cast<int>(in.below(16)) : -1};
    const bool scarce = in.one_in(32);
    freeridge_set_progress(model_.get(), Cancel::heard, &cancel);
    freeridge_set_parameter(model_.get(), FREERIDGE_MEMORY_LIMIT, scarce ? 1 : 0);
    Caller caller;
    caller.memory_may_lack = scarce;
    caller.missing_values = missing_values();
    const freeridge_status status = caller(name, 0, call, output...);
    freeridge_set_parameter(model_.get(), FREERIDGE_MEMORY_LIMIT, 0);
    freeridge_set_progress(model_.get(), nullptr, nullptr);
    return status == FREERIDGE_OK;
  }

  // Whether NaN are among the answers.
  bool missing_values() const { return told_.data && told_.data->missing; }

  Settings told_;
  ModelHandle model_;
};

// One of a few kernels as text; any but the last has a bandwidth.
std::string chosen_kernel(Source& in);

}  // namespace fuzz
