// The window of freeridge.h for C++ tests: a handle that frees itself.
#pragma once

#include <memory>

#include "support/accumulator.hpp"

namespace support {

class Window {
 public:
  struct State {
    std::int64_t n, d, t, rows;
    double lambda, lost;
    std::int64_t factorizations;
  };

  // z: the coordinates of landmarks, or no rows.
  Window(const Kernel& kernel, const Matrix& z, std::int64_t d, std::int64_t t, bool intercept, double lambda,
         std::int64_t capacity, double forgetting = 1) {
    freeridge_window* out = nullptr;
    const Points landmarks = at(z);
    check(freeridge_window_create(kernel.get(), z.rows > 0 ? &landmarks.fields : nullptr, d, t, intercept ? 1 : 0,
                                  lambda, capacity, forgetting, &out),
          "freeridge_window_create");
    handle_.reset(out);
  }
  freeridge_window* get() const { return handle_.get(); }

  // All rows of the problem; returns the error of each before it came, where it is wanted.
  Matrix add(const oracle::Problem& rows, bool errors, freeridge_layout layout = FREERIDGE_COL_MAJOR) {
    const Packed x = pack(rows.x, layout, 1), y = pack(rows.y, layout, 2);
    Matrix out(errors ? rows.x.rows : 0, rows.y.cols);
    check(freeridge_window_add(get(), at(x, rows.x.rows, rows.x.cols), layout, y.values.data(), y.ld,
                               rows.weights.empty() ? nullptr : rows.weights.data(),
                               errors ? out.values.data() : nullptr, out.rows),
          "freeridge_window_add");
    return out;
  }
  void remove(const std::vector<std::int64_t>& rows) {
    check(freeridge_window_remove(get(), static_cast<std::int64_t>(rows.size()), rows.data()),
          "freeridge_window_remove");
  }
  void remove_oldest(std::int64_t count) {
    check(freeridge_window_remove(get(), count, nullptr), "freeridge_window_remove");
  }
  void lambda(double value) { check(freeridge_window_set_lambda(get(), value), "freeridge_window_set_lambda"); }
  State state() const {
    State out{};
    check(freeridge_window_get_state(get(), &out.n, &out.d, &out.t, &out.rows, &out.lambda, &out.lost,
                                     &out.factorizations),
          "freeridge_window_get_state");
    return out;
  }
  Matrix loo(freeridge_status expected = FREERIDGE_OK) const {
    const State of = state();
    Matrix out(of.n, of.t);
    EXPECT_EQ(freeridge_window_loo(get(), out.values.data(), of.n), expected) << freeridge_last_error();
    return out;
  }
  Matrix coefficients(Vector& b) const {
    const State of = state();
    Matrix out(of.rows, of.t);
    b.assign(static_cast<std::size_t>(of.t), -1);
    check(freeridge_window_coefficients(get(), out.values.data(), of.rows, b.data()), "freeridge_window_coefficients");
    return out;
  }
  Matrix predict(const Matrix& points) const {
    Matrix out(points.rows, state().t);
    check(freeridge_window_predict(get(), at(points), FREERIDGE_COL_MAJOR, out.values.data(), points.rows),
          "freeridge_window_predict");
    return out;
  }
  // x, y and weights, as a problem.
  oracle::Problem rows() const {
    const State of = state();
    oracle::Problem out;
    out.x = Matrix(of.n, of.d);
    out.y = Matrix(of.n, of.t);
    out.weights.assign(static_cast<std::size_t>(of.n), 0);
    check(freeridge_window_get_rows(get(), FREERIDGE_COL_MAJOR, out.x.values.data(), of.n, out.y.values.data(), of.n,
                                    out.weights.data()),
          "freeridge_window_get_rows");
    return out;
  }

 private:
  struct Destroy {
    void operator()(freeridge_window* window) const { freeridge_window_destroy(window); }
  };
  std::unique_ptr<freeridge_window, Destroy> handle_;
};

}  // namespace support
