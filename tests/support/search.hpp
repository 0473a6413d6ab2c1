// freeridge_search and freeridge_kernel_search with nothing wanted: a test sets the pointers that it wants.
#pragma once

#include <freeridge.h>

namespace support {

inline freeridge_search no_search() {
  freeridge_search out{};
  out.size = sizeof out;
  return out;
}
inline freeridge_search search_of(double* lambda, double* score) {
  freeridge_search out = no_search();
  out.lambda = lambda;
  out.score = score;
  return out;
}
inline freeridge_kernel_search no_kernel_search() {
  freeridge_kernel_search out{};
  out.size = sizeof out;
  return out;
}

}  // namespace support
