// What a window (window.hpp) knows of its rows at one lambda, on one interface: the triangle of a linear problem
// (linear_window.hpp), or the bordered Cholesky factor of a kernel matrix (kernel_window.hpp). `factorize` makes it of
// the rows; append and remove change it, allocate nothing and do not fail: where rounding, or the number of removals,
// asks for a factorization of all rows they answer false, and the factor is void until `factorize`.
#pragma once

#include <memory>
#include <string>

#include "libcore/base/matrix.hpp"
#include "libcore/stream/window_rows.hpp"

namespace freeridge {

class WindowFactor {
 public:
  virtual ~WindowFactor() = default;
  WindowFactor& operator=(const WindowFactor&) = delete;
  virtual std::unique_ptr<WindowFactor> copy() const = 0;

  // Throws, and leaves the factor void, where it cannot be done.
  virtual void factorize(const WindowRows& rows, double lambda) = 0;
  // Room for n rows, so that append does not fail.
  virtual void reserve(Index n) = 0;
  // All of `append` that may fail, for the row that comes next.
  virtual void prepare(const WindowRows& rows, const GivenRow& row) = 0;
  // e: y less the prediction of the prepared row, t numbers; NaN where there are no rows, and an intercept.
  virtual void error(const WindowRows& rows, const GivenRow& row, Span<double> e) = 0;
  // The prepared row comes; where rows are kept it is the newest of them already.
  virtual bool append(const WindowRows& rows, const GivenRow& row) = 0;
  // Row `position` goes; it is still among the rows.
  virtual bool remove(const WindowRows& rows, Index position) = 0;

  // The coefficients of the solution, and b: t numbers.
  virtual Index coefficient_rows(const WindowRows& rows) const = 0;
  virtual void coefficients(const WindowRows& rows, MatrixView c, Span<double> b) = 0;
  virtual void predict(const WindowRows& rows, const Rows& points, MatrixView out) = 0;
  // errors: n x t; the reason why some are NaN, empty where none is.
  virtual std::string loo(const WindowRows& rows, MatrixView errors) = 0;
  // About how much of the answers rounding has taken since the last factorization.
  virtual double lost() const = 0;

 protected:
  WindowFactor() = default;
  WindowFactor(const WindowFactor&) = default;
};

// What a window is made of when it is made.
struct WindowSettings {
  Index d, t;
  bool intercept;
  double lambda;
  Index capacity;     // 0: rows are not kept
  double forgetting;  // below 1 without rows alone
};

// The rows' leverages, and so their left-out errors, are changed with the rows as long as somebody asks for them: after
// so many changes without a question making them afresh costs as much.
constexpr Index changes_unasked(Index width) {
  return 4 + width / 32;
}

constexpr const char* window_of_one = "a window of one row with an intercept has no left-out error";

}  // namespace freeridge
