// freeridge.h for the benchmarks: handles that free themselves, a check of every status, names of routes.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "freeridge.h"

namespace bench {

inline void check(freeridge_status status) {
  if (status == FREERIDGE_OK) return;
  std::fprintf(stderr, "%s: %s\n", freeridge_status_name(status), freeridge_last_error());
  std::exit(1);
}

struct Destroy {
  void operator()(freeridge_model* model) const { freeridge_destroy(model); }
  void operator()(freeridge_kernel* kernel) const { freeridge_kernel_destroy(kernel); }
  void operator()(freeridge_accumulator* accumulator) const { freeridge_accumulator_destroy(accumulator); }
};
using Model = std::unique_ptr<freeridge_model, Destroy>;
using Kernel = std::unique_ptr<freeridge_kernel, Destroy>;
using Accumulator = std::unique_ptr<freeridge_accumulator, Destroy>;

// A kernel in the words of freeridge_kernel_parse.
inline Kernel make_kernel(const char* text) {
  freeridge_kernel* kernel = nullptr;
  check(freeridge_kernel_parse(text, &kernel));
  return Kernel(kernel);
}

// Dense points without gaps.
inline freeridge_points points_of(freeridge_layout layout, std::int64_t n, std::int64_t d, const double* x) {
  freeridge_points points{};
  points.size = sizeof points;
  points.n = n;
  points.d = d;
  points.layout = layout;
  points.x = x;
  return points;
}

// A model in state DATA that borrows x (n x d, column-major) and y.
inline Model make_model(const Kernel& kernel, std::int64_t n, std::int64_t d, const double* x, const double* y) {
  freeridge_model* handle = nullptr;
  check(freeridge_create(kernel.get(), &handle));
  Model model(handle);
  const freeridge_points points = points_of(FREERIDGE_COL_MAJOR, n, d, x);
  check(freeridge_set_points(handle, &points, 1, FREERIDGE_COL_MAJOR, 1, y, n));
  return model;
}

// By its number, so that this also builds with a freeridge.h from before the route; there, set_route refuses it.
constexpr freeridge_route band_route = 3;

constexpr struct {
  freeridge_route route;
  const char* name;
} routes[] = {{FREERIDGE_ROUTE_AUTO, "auto"},          {FREERIDGE_ROUTE_CHOLESKY, "cholesky"},
              {FREERIDGE_ROUTE_SPECTRAL, "spectral"},  {band_route, "band"},
              {FREERIDGE_ROUTE_PRIMAL, "primal"},      {FREERIDGE_ROUTE_LANDMARK, "landmark"},
              {FREERIDGE_ROUTE_ITERATIVE, "iterative"}};

inline const char* route_name(freeridge_route route) {
  for (const auto& each : routes)
    if (each.route == route) return each.name;
  return "of a later version";
}

inline const char* route_name(const Model& model) {
  freeridge_route route = FREERIDGE_ROUTE_AUTO;
  check(freeridge_get_route(model.get(), &route));
  return route_name(route);
}

}  // namespace bench
