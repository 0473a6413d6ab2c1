// Models of the sample of tests/capi, of every route and kind that is saved differently.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "capi/support/sample.hpp"

struct SavedCase {
  std::string name;
  // A model in that state; FITTED by a search for lambda.
  std::function<Model(sample::State)> make;
};

const std::vector<SavedCase>& saved_cases();

inline const std::vector<sample::State> saved_states = {sample::State::empty, sample::State::data,
                                                        sample::State::factorized, sample::State::fitted};
