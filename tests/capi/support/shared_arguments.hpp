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

namespace call {

// The type of a function's last argument, which is its second.
template <class Handle, class Argument>
Argument last(freeridge_status (*)(Handle, Argument));
template <class Argument>
using Target = std::remove_pointer_t<Argument>;

}  // namespace call

// Calls on a handle with one output or one value, as a line each: the struct, what it derives from, the function, and the
// size of the output or the value.
#define FREERIDGE_GETTER(Call, Base, function, size)                                                                \
  struct Call : AnyCall, Base {                                                                                     \
    Output<call::Target<decltype(call::last(function))>> FREERIDGE_LAST_##function{static_cast<std::size_t>(size)}; \
    FREERIDGE_CALL(function);                                                                                       \
  }
#define FREERIDGE_SETTER(Call, Base, function, value)                 \
  struct Call : AnyCall, Base {                                       \
    decltype(call::last(function)) FREERIDGE_LAST_##function = value; \
    FREERIDGE_CALL(function);                                         \
  }
