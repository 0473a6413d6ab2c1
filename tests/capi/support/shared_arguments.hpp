// The arguments that many calls have in common: structs of calls (call.hpp) derive from them.
#pragma once

#include "capi/support/call.hpp"
#include "capi/support/sample.hpp"

struct OnModel {
  freeridge_model* model = nullptr;
};

// New points.
struct PlainPoints {
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::m;
  Input<double> x{sample::new_x()};
  int64_t ldx = sample::m;
};

// The same as freeridge_points.
inline PointsArgument dense_points(int64_t n, std::vector<double> x) {
  PointsArgument out;
  out.fields.size = sizeof out.fields;
  out.fields.n = n;
  out.fields.d = sample::d;
  out.fields.layout = FREERIDGE_COL_MAJOR;
  out.fields.ldx = n;
  out.x.values = std::move(x);
  return out;
}
// A matrix that is full, by columns.
inline PointsArgument sparse_points(int64_t n, std::vector<double> x) {
  PointsArgument out;
  out.fields.size = sizeof out.fields;
  out.fields.n = n;
  out.fields.d = sample::d;
  out.fields.format = FREERIDGE_CSC;
  out.start.values = sample::starts(n, sample::d);
  out.index.values = sample::places(n, sample::d);
  out.value.values = std::move(x);
  return out;
}
inline PointsArgument with_unpenalised(PointsArgument points, std::vector<double> unpenalised) {
  points.fields.layout = FREERIDGE_COL_MAJOR;
  points.fields.unpenalised_count = sample::q;
  points.fields.ldu = points.fields.n;
  points.unpenalised.values = std::move(unpenalised);
  return points;
}

struct AtPoints : OnModel {
  PointsArgument points = dense_points(sample::m, sample::new_x());
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
};
struct AtSparsePoints : OnModel {
  PointsArgument points = sparse_points(sample::m, sample::new_x());
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
};
// Of a model with unpenalised columns (sample::Variant::fixed).
struct AtPointsFixed : OnModel {
  PointsArgument points = with_unpenalised(dense_points(sample::m, sample::new_x()), sample::new_fixed());
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
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
