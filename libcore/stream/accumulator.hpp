// What an accumulator handle holds: the rows so far (row_stack.hpp), and their reduced problem, which is made when an
// answer is asked for, and kept until rows are added. Members either do their work, or throw Error and leave everything
// as it was. Const members may run side by side.
#pragma once

#include <memory>
#include <mutex>

#include "libcore/base/bytes.hpp"
#include "libcore/stream/reduced_problem.hpp"
#include "libcore/stream/row_reader.hpp"
#include "libcore/stream/saved_rows.hpp"

namespace freeridge {

// The payload: saved_rows.hpp, and the reduced problem where it was prepared. A loaded accumulator goes on bit for bit
// as the saved one would have, also when more rows come.
class Accumulator {
 public:
  // For rows of x itself, and for the features of landmarks.
  Accumulator(Index d, Index t, bool intercept)
      : features_(std::make_shared<const RowFeatures>(d)), rows_(d, t, intercept) {}
  Accumulator(std::shared_ptr<const RowFeatures> features, Index t, bool intercept)
      : features_(std::move(features)),
        rows_(features_->p(), t, intercept, features_->reduction() == Reduction::gram) {}

  Index d() const { return features_->d(); }
  const RowFeatures& features() const { return *features_; }
  const RowStack& rows() const { return rows_; }  // their d is the number of features
  // The first `count` columns of x are not penalised; without landmarks. Rows that were added stay: they do not depend
  // on this.
  void set_unpenalised(Index count);
  // weights: n numbers, or NULL.
  void add(const Rows& x, const LayoutView& y, const double* weights);
  void add(const RowReader& reader);  // all of its rows
  void merge(const Accumulator& other);
  // add for rows that were checked, within a call that reports progress itself. When it throws, some of the rows may
  // have been added.
  void add_checked(const Rows& x, const LayoutView& y, const double* weights);
  // Reduces the rows to a triangle, and with `prepare` makes the reduced problem, which `save` keeps until rows are
  // added.
  void compact();
  void prepare();
  bool prepared() const { return prepared_; }
  // add, merge, compact, prepare, reduced and the answers of the reduced problem report to it.
  void set_listener(const Listener& listener) { listener_ = listener; }
  const Listener& listener() const { return listener_; }
  // The most bytes that the accumulator and its answers allocate, however many rows come, without the caller's arrays.
  Index memory_required() const;
  // Both throw INVALID_STATE before the first row.
  void require_rows() const;
  std::shared_ptr<const ReducedProblem> reduced() const;

  // From saved bytes.
  explicit Accumulator(const ByteSource& source);
  void save(ByteWriter& out) const;

 private:
  Accumulator(SavedRows saved, ByteReader& in);
  explicit Accumulator(ByteReader&& in) : Accumulator(load_rows(in), in) {}
  void take(RowStack rows);

  void add_to(RowStack& rows, const Rows& x, const LayoutView& y, const double* weights) const;

  bool prepared_ = false;
  std::shared_ptr<const RowFeatures> features_;
  RowStack rows_;
  Listener listener_;
  mutable std::mutex mutex_;  // guards reduced_: the first const call that needs it makes it, others wait
  mutable std::shared_ptr<const ReducedProblem> reduced_;
};

// inout = inout and more: two saved accumulators of one size, compact and not prepared, of the same d, t and intercept.
// Leaves inout as it was when it throws.
void merge_bytes(Span<unsigned char> inout, Span<const unsigned char> more);

}  // namespace freeridge
