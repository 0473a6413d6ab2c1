// Sparse rows with one thing wrong: a size, a pointer, a place or a number. Every array has room for n d entries, so that
// a call which believed a wrong start would still read no further than that.
#pragma once

#include "fuzz/source.hpp"
#include "support/sparse.hpp"

namespace fuzz {

class SpoiltSparse {
 public:
  SpoiltSparse(Source& in, std::int64_t rows, std::int64_t columns);

  freeridge_sparse_format format;
  std::int64_t n;
  const std::int64_t* start;
  const std::int32_t* index;
  const double* value;

 private:
  support::Sparse x_;
};

}  // namespace fuzz
