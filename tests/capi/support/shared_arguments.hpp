// The arguments that many calls have in common: structs of calls (call.hpp) derive from them.
#pragma once

#include "capi/support/call.hpp"
#include "capi/support/sample.hpp"

struct OnModel {
  freeridge_model* model = nullptr;
};

// New points.
struct Points {
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::m;
  Input<double> x{sample::new_x()};
  int64_t ldx = sample::m;
};
struct AtPoints : OnModel, Points {};

// New points with their fixed effects.
struct AtPointsFixed : AtPoints {
  Input<double> fixed{sample::new_fixed()};
  int64_t ldfixed = sample::m;
};

// Calls on a handle with one output or one value, as a line each: the struct, what it derives from, the handle, the
// function, and the argument's type, name, and size or value.
#define FREERIDGE_GETTER(Call, Base, handle, function, type, output, size) \
  struct Call : AnyCall, Base {                                            \
    Output<type> output{static_cast<std::size_t>(size)};                   \
    FREERIDGE_CALL(function, handle, output);                              \
  }
#define FREERIDGE_SETTER(Call, Base, handle, function, type, argument, value) \
  struct Call : AnyCall, Base {                                               \
    type argument = value;                                                    \
    FREERIDGE_CALL(function, handle, argument);                               \
  }
