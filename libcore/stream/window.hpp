// What a window handle holds: rows that come and go at one lambda (window_rows.hpp), and what is known of them
// (window_factor.hpp): the triangle of a linear model, also over the features of landmarks, or the bordered factor of a
// kernel matrix. One row at a time changes the factor; many rows at once make it void, as all do that rounding asks for,
// and the next answer factorizes all rows. With a capacity the oldest row leaves as soon as there are more.
// Members either do their work, or throw Error and leave everything as it was. Const members may run side by side.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "libcore/base/progress.hpp"
#include "libcore/select/criteria.hpp"
#include "libcore/stream/linear_window.hpp"

namespace freeridge {

class Window {
 public:
  // landmarks: their coordinates, or no rows: the kernel of x itself.
  Window(KernelPtr kernel, const Rows& landmarks, const WindowSettings& settings);

  const WindowSettings& settings() const { return settings_; }
  Index n() const { return keeps_rows() ? state_.rows.n() : state_.added; }
  const WindowRows& rows() const;  // throws INVALID_STATE where they are not kept
  Index coefficient_rows() const { return state_.factor->coefficient_rows(state_.rows); }
  // About how much of the answers rounding has taken since the last factorization, and how many there were.
  struct Digits {
    double lost;
    Index factorizations;
  };
  Digits digits() const;
  void set_listener(const Listener& listener) { listener_ = listener; }
  const Listener& listener() const { return listener_; }

  // weights: n numbers, or NULL. errors: n x t, of each row before it comes; without data: not wanted.
  void add(const Rows& x, const LayoutView& y, const double* weights, MatrixView errors);
  // The rows of these positions, 0 is the oldest; NULL: the `count` oldest.
  void remove(Index count, const Index* positions);
  void set_lambda(double lambda);
  // The lambda with the least mean of the outputs' scores, which is set, and that mean. low = high = 0: the library's
  // range.
  struct Choice {
    double lambda, score;
  };
  Choice select_lambda(Criterion criterion, double low, double high);

  // These throw INVALID_STATE where there are no rows.
  void coefficients(MatrixView c, Span<double> b) const;
  void predict(const Rows& points, MatrixView out) const;
  [[nodiscard]] std::string loo(MatrixView errors) const;

 private:
  class NewRows;
  struct State {
    WindowRows rows;
    Index added = 0;  // rows, where they are not kept
    std::unique_ptr<WindowFactor> factor = nullptr;
    bool is_void = false;  // the factor
    Index factorizations = 0;
    State copy() const { return {rows.copy(), added, factor->copy(), is_void, factorizations}; }
  };
  bool keeps_rows() const { return settings_.capacity > 0; }
  void require_any() const;
  // The factor of all rows, which is made where it is void.
  WindowFactor& ready(State& state) const;
  // error: of the row before it comes, t numbers, or NULL.
  void add_one(State& state, const NewRows& from, Index row, double* error) const;

  KernelPtr kernel_;
  WindowFeatures features_;
  WindowSettings settings_;
  Listener listener_;
  mutable std::mutex mutex_;  // const members may make the factor, its solution and leverages
  mutable State state_;
};

}  // namespace freeridge
