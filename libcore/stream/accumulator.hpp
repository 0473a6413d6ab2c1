// What an accumulator handle holds: the rows so far (row_stack.hpp), and their reduced problem, which is made when an
// answer is asked for, and kept until rows are added. Members either do their work, or throw Error and leave everything
// as it was. Const members may run side by side.
#pragma once

#include <memory>
#include <mutex>

#include "libcore/base/bytes.hpp"
#include "libcore/stream/reduced_problem.hpp"

namespace freeridge {

class Accumulator {
 public:
  explicit Accumulator(RowStack rows) : rows_(std::move(rows)) {}

  const RowStack& rows() const { return rows_; }
  // weights: n numbers, or NULL.
  void add(const Rows& x, const LayoutView& y, const double* weights);
  void merge(const Accumulator& other);
  // add, merge, reduced and the answers of the reduced problem report to it.
  void set_listener(const Listener& listener) { listener_ = listener; }
  const Listener& listener() const { return listener_; }
  // The most bytes that the accumulator and its answers allocate, however many rows come, without the caller's arrays.
  Index memory_required() const;
  // Both throw INVALID_STATE before the first row.
  void require_rows() const;
  std::shared_ptr<const ReducedProblem> reduced() const;

 private:
  RowStack rows_;
  Listener listener_;
  mutable std::mutex mutex_;  // guards reduced_: the first const call that needs it makes it, others wait
  mutable std::shared_ptr<const ReducedProblem> reduced_;
};

// The payload: d, t, intercept, n, sum_w, sum_log_w, the rows of the stack; with an intercept and n > 0 the d + t
// shifts; the stack, column by column. A loaded stack is the saved one bit for bit, also as more rows come.
void save(const RowStack& rows, ByteWriter& out);
RowStack load_rows(const ByteSource& source);

}  // namespace freeridge
