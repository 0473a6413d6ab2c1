// The calls that hear a progress callback, as functions of a handle that answer with their outputs, and models for them.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "support/accumulator.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"

namespace heard {

using support::Labels;
using support::Matrix;
using support::Model;
using support::Vector;

// What a call that was cancelled leaves in its outputs.
constexpr double untouched = -987654.25;

struct Answer {
  freeridge_status status;
  Vector numbers;
};

template <class Handle>
struct Call {
  std::string name;
  std::function<Answer(const Handle&)> run;
  bool by_pieces = false;  // its output may be partly written when it is cancelled
  bool allocates = true;   // memory that a limit could refuse
};

// Writes the fractions down; cancels at the report of that place, from 0 on.
struct Listener {
  std::size_t cancel_at = std::numeric_limits<std::size_t>::max();
  Vector fractions = {};
  bool on_other_thread = false;
  std::thread::id thread = std::this_thread::get_id();

  static std::int32_t hear(double fraction, void* user) {
    auto* self = static_cast<Listener*>(user);
    if (std::this_thread::get_id() != self->thread) self->on_other_thread = true;
    self->fractions.push_back(fraction);
    return self->fractions.size() - 1 == self->cancel_at ? 7 : 0;  // any number but 0 cancels
  }
};

struct Case {
  const char* name;
  const char* kernel;
  freeridge_route route;
  std::int64_t landmarks = 0;
  freeridge_reduction reduction = FREERIDGE_REDUCTION_AUTO;
  freeridge_criterion expected = FREERIDGE_LOO;
  std::int32_t refinement = 0;
  bool two_lambdas = false;  // one for each output
  bool two_scales = false;   // of the columns of x, 1 and 1e-9
};

struct Sizes {
  std::int64_t n, d, t = 2, m = 7;
};

// DATA
Model data_model(const Case& c, const Sizes& size);
// FACTORIZED
Model factorized_model(const Case& c, const Sizes& size);
// FITTED, with groups
Model fitted_model(const Case& c, const Sizes& size);

// set_data and factorize; calls of FACTORIZED; calls of FITTED.
std::vector<Call<Model>> data_calls(const Case& c, const Sizes& size);
std::vector<Call<Model>> factorized_calls(const Case& c, const Sizes& size);
std::vector<Call<Model>> fitted_calls(const Case& c, const Sizes& size);

// The bytes that a call which was refused says it needs; -1 when it does not.
std::int64_t bytes_in_message();

// Everything that a model answers in its state, without a callback.
std::vector<Vector> everything(const Case& c, const Sizes& size, const Model& model);
bool same(const std::vector<Vector>& a, const std::vector<Vector>& b);

}  // namespace heard
