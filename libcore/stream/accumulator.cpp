#include "libcore/stream/accumulator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

void require_same(const RowStack& ours, const char* own, const RowStack& theirs) {
  const auto same = [&](const char* name, Index one, Index another) {
    if (one != another) fail(Status::dimension_mismatch, "other has ", name, " = ", another, ", and ", own, " ", one);
  };
  same("d", ours.d(), theirs.d());
  same("t", ours.t(), theirs.t());
  same("intercept", ours.ones(), theirs.ones());
}

// The features are the same, too.
void require_same(const Accumulator& ours, const char* own, const Accumulator& theirs) {
  if (!ours.features().same(theirs.features()))
    fail(Status::dimension_mismatch, "other has other landmarks, another kernel or another reduction than ", own,
         ", or another number of columns that are not penalised");
}

void require_compact(const char* name, const Accumulator& it) {
  if (it.rows().reduced() && !it.prepared()) return;
  fail(Status::invalid_argument, name,
       it.prepared() ? " is prepared: merge first, and prepare the sum of all" : " is not compact",
       "; see freeridge_accumulator_compact");
}

}  // namespace

void Accumulator::add(const Rows& x, const LayoutView& y, const double* weights) {
  if (x.rows == 0) return;
  rows_.require_memory_for(x.rows);
  const Hearing hearing(listener_);
  require_finite("x", x);
  require_finite("y", y);
  require_weights(weights, x.rows);
  if (rows_.has_room(x.rows)) {
    add_to(rows_, x, y, weights);
  } else {  // a copy, so that a failure changes nothing; it costs little beside the reductions
    RowStack next = rows_.copy();
    add_to(next, x, y, weights);
    rows_ = std::move(next);
  }
  reduced_.reset();
  prepared_ = false;
}

void Accumulator::add(const RowReader& reader) {
  const Hearing hearing(listener_);
  RowStack next = rows_.copy();
  reader.pass({}, [&](const RowReader::Chunk& chunk) {
    next.require_memory_for(chunk.x.rows);
    add_to(next, chunk.x, chunk.y, chunk.weights);
  });
  rows_ = std::move(next);
  reduced_.reset();
  prepared_ = false;
}

void Accumulator::add_to(RowStack& rows, const Rows& x, const LayoutView& y, const double* weights) const {
  if (!features_->landmarks()) return rows.add(x, y, weights);
  double trace = rows.trace();
  Array<double> own;
  rows.add(x.rows, weights, [&](Index row, MatrixView of_x, MatrixView of_y) {
    features_->form(x, row, of_x);
    copy_rows(y, row, of_y);
    own.resize(of_x.rows);
    kernel_diagonal(*features_->kernel(), x, row, {}, own);
    for (Index i = 0; i < of_x.rows; ++i) trace += (weights == nullptr ? 1 : weights[row + i]) * own[i];
  });
  rows.set_trace(std::isfinite(trace) ? trace : std::numeric_limits<double>::infinity());
}

void Accumulator::add_checked(const Rows& x, const LayoutView& y, const double* weights) {
  add_to(rows_, x, y, weights);
  reduced_.reset();
  prepared_ = false;
}

void Accumulator::take(RowStack rows) {
  rows_ = std::move(rows);
  reduced_.reset();
  prepared_ = false;
}

void Accumulator::set_unpenalised(Index count) {
  if (features_->landmarks())
    fail(Status::invalid_argument,
         "the accumulator is over landmarks, whose Gram matrices have no columns without a penalty");
  if (count < 0 || count >= d())
    fail(Status::invalid_argument, "the value of UNPENALISED is ", count, "; it must be from 0 to d - 1 = ", d() - 1);
  if (count == features_->unpenalised()) return;
  features_ = std::make_shared<const RowFeatures>(d(), count);
  reduced_.reset();
  prepared_ = false;
}

void Accumulator::compact() {
  const Hearing hearing(listener_);
  if (!rows_.reduced()) {
    RowStack next = rows_.copy();
    next.reduce();
    report(1);
    take(std::move(next));
  }
  prepared_ = false;
}

void Accumulator::prepare() {
  require_rows();
  const Hearing hearing(listener_);
  RowStack next = rows_.copy();
  next.reduce();
  auto problem = std::make_shared<const ReducedProblem>(next.copy(), features_);
  report(1);
  take(std::move(next));
  reduced_ = std::move(problem);
  prepared_ = true;
}

void Accumulator::merge(const Accumulator& other) {
  if (&other == this) fail(Status::invalid_argument, "other is the accumulator itself");
  require_same(rows_, "the accumulator", other.rows_);
  require_same(*this, "the accumulator", other);
  const Hearing hearing(listener_);
  RowStack next = rows_.copy();
  next.add(other.rows_);
  report(1);
  take(std::move(next));
}

void Accumulator::require_rows() const {
  if (rows_.n() == 0)
    fail(Status::invalid_state, "the accumulator has no rows yet; call freeridge_accumulator_add first");
}

std::shared_ptr<const ReducedProblem> Accumulator::reduced() const {
  require_rows();
  std::unique_lock lock(mutex_, std::defer_lock);
  lock_patiently(lock);
  if (!reduced_) reduced_ = std::make_shared<const ReducedProblem>(rows_.copy(), features_);
  return reduced_;
}

Index Accumulator::memory_required() const {
  // Two stacks (one is the copy that rows are added to, or that is reduced for an answer); about 11 p x p matrices:
  // those that the reduced problem keeps, its two decompositions, one after the other, and their workspaces; tiles of a
  // second pass.
  // With landmarks also the landmarks, L, and two sums in two levels each.
  const Index p = rows_.p();
  const Index more = features_->landmarks() ? checked_doubles(8, p) + features_->d() : 0;
  return checked_doubles(checked_doubles(2, rows_.capacity()) + checked_doubles(11, p) + 8192 + more, p) * 8 +
         (1 << 22);
}

void Accumulator::save(ByteWriter& out) const {
  save_rows(*features_, rows_, prepared_, out);
  if (prepared_) reduced_->save(out);
}

Accumulator::Accumulator(SavedRows saved, ByteReader& in)
    : prepared_(saved.prepared), features_(std::move(saved.features)), rows_(std::move(saved.rows)) {
  if (prepared_) reduced_ = std::make_shared<const ReducedProblem>(rows_.copy(), features_, in);
  in.end();
}

Accumulator::Accumulator(const ByteSource& source) : Accumulator(ByteReader(source, {SavedKind::accumulator})) {}

void merge_bytes(Span<unsigned char> inout, Span<const unsigned char> more) {
  Accumulator sum{MemorySource(inout)};
  const Accumulator other{MemorySource(more)};
  require_compact("inout", sum);
  require_compact("other", other);
  require_same(sum.rows(), "inout", other.rows());
  require_same(sum, "inout", other);
  sum.merge(other);
  sum.compact();
  Array<unsigned char> room(inout.size());
  MemorySink sink(room);
  write_container(
      SavedKind::accumulator, [&](ByteWriter& out) { sum.save(out); }, sink);
  std::ranges::copy(room, inout.begin());
}

}  // namespace freeridge
