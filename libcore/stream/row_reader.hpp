// Rows that a callback hands out, in order and as often as they are asked for: a pass begins at row 0, and asks for one
// stretch after the other. The number of rows and a checksum of all numbers are compared between passes: a reader whose
// rows change is found out. So is one that does not know its number of rows, and gives fewer than it was asked for before
// its last one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// The same type as freeridge_reader.
using ReadRows = std::int64_t (*)(std::int64_t first, std::int64_t count, double* x, double* y, double* weights,
                                  void* user);

// The number of rows that a pass has read, and their checksum.
struct PassRead {
  Index rows = 0;
  std::uint64_t checksum = 0;
};

class RowReader {
 public:
  // n: how many rows there are, or -1: until the reader has no more. t = 0: rows of new points, which have neither y
  // nor weights; the reader is then called with NULL for both.
  RowReader(ReadRows callback, void* user, Layout layout, Index n, Index d, Index t)
      : read_(callback), user_(user), layout_(layout), n_(n), d_(d), t_(t) {}

  Index n() const { return n_; }
  Index d() const { return d_; }
  Index t() const { return t_; }
  Index bytes() const;  // of the buffers of a pass

  // A stretch of rows, all finite, with positive weights.
  struct Chunk {
    Index first;
    LayoutView x, y;
    const double* weights;  // NULL: new points
  };
  // use(chunk) for all rows. before: what the first pass read; nothing: this is the first one. Throws IO, with the row,
  // where the reader fails, ends too early or has changed, NOT_FINITE or INVALID_ARGUMENT for its numbers.
  PassRead pass(const std::optional<PassRead>& before, const std::function<void(const Chunk&)>& use) const;

 private:
  Index rows_at_once() const;
  Index read(Index first, Index count, double* x, double* y, double* weights) const;
  void check(const Chunk& chunk) const;
  void require_end(Index row, double* x, double* y, double* weights) const;

  ReadRows read_;
  void* user_;
  Layout layout_;
  Index n_, d_, t_;
};

}  // namespace freeridge
