// Outputs that are not observed in some rows. The outputs with the same missing rows form one part, and share work.
#pragma once

#include <algorithm>
#include <memory>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

class MissingOutputs {
 public:
  struct Part {
    Array<Index> rows;     // S, in which the outputs are not observed, ascending; may be empty
    Array<Index> outputs;  // ascending
  };

  // rows: for each output those in which it is not observed, ascending.
  explicit MissingOutputs(const Array<Array<Index>>& rows);
  const Array<Part>& parts() const { return parts_; }
  // The missing places among the given rows (ascending) and outputs alone. Rows and outputs are numbered anew, by their
  // places in these lists. NULL where nothing is missing there.
  std::shared_ptr<const MissingOutputs> among(Span<const Index> rows, Span<const Index> outputs) const;
  Span<const Index> rows_of(Index output) const { return parts_[part_of_[output]].rows; }
  // The sum of the numbers of missing rows over the parts that have outputs in [first, first + count).
  Index rows_in(Index first, Index count) const;

  // Calls f(part, begin, size) for each run of neighbouring outputs of one part, within [first, first + count).
  template <class F>
  static void each_run(const Part& part, Index first, Index count, const F& f) {
    for (std::size_t k = 0, end; k < part.outputs.size(); k = end) {
      const Index begin = part.outputs[k];
      for (end = k + 1; end < part.outputs.size() && part.outputs[end] == begin + static_cast<Index>(end - k);) ++end;
      const Index from = std::max(begin, first), to = std::min(begin + static_cast<Index>(end - k), first + count);
      if (from < to) f(from, to - from);
    }
  }

 private:
  Array<Part> parts_;
  Array<std::size_t> part_of_;  // t
};

using MissingPtr = std::shared_ptr<const MissingOutputs>;

// The rows in which each output is NaN; NULL where there is no NaN.
MissingPtr missing_outputs(const LayoutView& y);

// Puts the median of an output's observed values in the place of its missing ones, whose part in sums is taken out again:
// a mean could be far from all of them, as with one value of next to no weight that is far off, and leave its rounding.
// Throws INVALID_ARGUMENT where an
// output has fewer than two values.
void fill_missing(const MissingOutputs& missing, MatrixView y);

}  // namespace freeridge
