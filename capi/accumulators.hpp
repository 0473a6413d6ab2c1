// What the calls on accumulators share: the handle, and rows that are handed over.
#pragma once

#include <memory>

#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "libcore/base/checks.hpp"

namespace freeridge::capi {

template <class Handle>
auto& accumulator_of(Handle* accumulator) {
  return required("accumulator", accumulator).accumulator;
}

// Rows that an accumulator adds, or that it sees again: points, y and weights (NULL: all one). A reader hands out y and
// the weights beside its points.
class GivenRows {
 public:
  GivenRows(const Accumulator& accumulator, const freeridge_points* points, freeridge_layout layout, const double* y,
            std::int64_t ldy, const double* weights, const Allowed& allowed = {})
      : points_("points", points, allowed), weights_(weights), t_(accumulator.rows().t()) {
    points_.require_columns(accumulator.d());
    points_.refuse_unpenalised("those of an accumulator are the first columns of x (FREERIDGE_UNPENALISED)");
    if (points_.read()) {
      if (y != nullptr || weights != nullptr)
        fail(Status::invalid_argument, y != nullptr ? "y" : "weights", " is not NULL, but the reader hands it out");
      return;
    }
    y_ = {nullptr, 0, t_, 1, Layout::col_major};
    if (n() > 0) y_ = checked_matrix("y", y, checked_layout(layout), "points.n", n(), "t", t_, "ldy", ldy);
  }

  Index n() const { return points_.n(); }
  bool read() const { return points_.read(); }
  RowReader reader() const { return points_.reader(t_); }
  // Checks the rows in memory, and the lambdas of a second pass; a reader's rows are checked as they come.
  void require_passed(Span<const double> lambdas) const {
    if (read()) return require_lambdas("lambdas", lambdas);
    each([&](Index, const Rows& x, const LayoutView& y, const double* weights) {
      ReducedProblem::require_passed(x, y, weights, lambdas);
    });
  }

  // use(first, x, y, weights) for all rows: those in memory at once, those of a reader in stretches.
  template <class Use>
  void each(const Use& use) const {
    if (n() == 0) return use(Index{0}, Rows(LayoutView{nullptr, 0, points_.d(), 1, Layout::col_major}), y_, weights_);
    if (!read()) return use(Index{0}, points_.in_memory().x, y_, weights_);
    reader().pass({}, [&](const RowReader::Chunk& chunk) { use(chunk.first, Rows(chunk.x), chunk.y, chunk.weights); });
  }

 private:
  GivenPoints points_;
  const double* weights_;
  Index t_;
  LayoutView y_;
};

// The reduced problem, for a call that reports progress: making it is the first half of the call.
inline std::shared_ptr<const ReducedProblem> reduced(const Accumulator& accumulator) {
  const Stage stage(0, 0.5);
  return accumulator.reduced();
}

}  // namespace freeridge::capi
