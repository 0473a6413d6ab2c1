// freeridge_points: rows of features, dense, sparse or handed out by a reader, with their unpenalised columns. They are
// checked here as far as that can be done without the numbers, and handed to the core as Points (data/problem.hpp).
#pragma once

#include <functional>

#include "capi/wall.hpp"
#include "libcore/data/problem.hpp"
#include "libcore/stream/row_reader.hpp"

namespace freeridge::capi {

// Which points a call takes beside those of one of the three kinds, whose number is known.
struct Allowed {
  bool unknown_number = false;  // a reader's rows, until it has no more
  bool none = false;            // n = 0: then no array is read
  bool of_no_kind = false;      // without rows: those that a model has
};

// Rows of which all are zero may have neither index nor value.
inline bool is_sparse(const freeridge_points& points) {
  return points.value != nullptr || (points.start != nullptr && points.x == nullptr && points.reader == nullptr);
}

class GivenPoints {
 public:
  // name: that of the argument, which the messages begin with. It must outlive the object.
  GivenPoints(const char* name, const freeridge_points* points, const Allowed& allowed = {});

  Index n() const { return given_.n; }  // -1: until the reader has no more
  Index d() const { return given_.d; }
  bool read() const { return given_.reader != nullptr; }  // the rows are a reader's
  bool any() const { return given_.x != nullptr || is_sparse(given_) || read(); }
  LayoutView unpenalised() const { return unpenalised_of(0, given_.n); }

  // The rows in memory.
  Points in_memory() const;
  // t: the outputs that the reader hands out beside the rows; 0: new points.
  RowReader reader(Index t) const;

  // Throw DIMENSION_MISMATCH unless there are d columns, INVALID_ARGUMENT where there are unpenalised ones.
  void require_columns(Index d) const;
  void refuse_unpenalised(const char* whose) const;

  // New points that are in memory: throws NOT_FINITE where they have another number.
  void require_finite() const;
  // use(first, points) for new points: for those in memory once, for a reader's in stretches, which the listener hears
  // as one call.
  using Use = std::function<void(Index first, const Points& points)>;
  void each(const Listener& listener, const Use& use) const;
  // All new points as points in memory; those of a reader are put into `room`, and live as long as it does.
  Points filled(Matrix& room, const Listener& listener, Index memory_limit) const;

 private:
  LayoutView unpenalised_of(Index first, Index rows) const;

  const char* name_;
  freeridge_points given_;
};

constexpr const char* no_effects_of_classifiers = "a classifier has no unpenalised columns";

// `out`, of `columns` columns for each of the points, from the row `first` on.
inline double* from_row(double* out, Layout layout, Index first, Index ldout) {
  return out + (layout == Layout::col_major ? first : first * ldout);
}

}  // namespace freeridge::capi
