// The linear model of a window: the triangle of its rows (row_triangle.hpp) in p features phi(x): x, divided by the
// scales of the kernel, or the features of landmarks (row_features.hpp).
//
// Errors do not age. What a removal loses stays in the triangle; so from the first removal on a second triangle gets
// each new row. As soon as the rows that it does not have are gone, it is the window, made without any removal, and
// takes the place of the first: with the oldest rows leaving that is once in a window's length, at the cost of one more
// `add` a change. Where other rows leave, all rows are factorized again after 2 max(n, q) removals. Digits that were
// lost are counted,
//     delta <- delta + eps at each change,     delta <- delta / (1 - h) where a row of 1 - h < 1/2 leaves,
// and where delta > 1e-10, as after a row of large numbers, all rows are factorized again at the next answer: 2 n q^2.
//
// Exact left-out errors:  e_i = r_i / (1 - h_i),  r_i = y_i - f(x_i),  h_i = |R^-T a_i|^2. With g = R^-1 R^-T a of a row a
// that is not in R, s = a'g and u_i = a_i'g
//     a comes: h_i <- h_i - u_i^2 / (1 + s), its own h = s / (1 + s)        a left: h_i <- h_i + u_i^2 / (1 + s)
// so that all errors after a change cost 2 q^2 + 4 n q. Where 1 - h_i < 1e-4, r_i / (1 - h_i) has lost digits: these rows
// F are left out of a triangle of the others, and a binary tree adds all of F but one, |F| log2 |F| times `add`:
// e_i = y_i - f_(-i)(x_i).
//
// Without a capacity no rows are kept: rows are added alone, to a triangle without lambda's rows; by a forgetting factor
// f < 1, R <- f^(1/2) R before each row. Then lambda's rows are added to a copy for each solution, 2 q^3; without
// forgetting a second triangle has them from the beginning.
#pragma once

#include "libcore/stream/row_features.hpp"
#include "libcore/stream/window_factor.hpp"

namespace freeridge {

// phi(x).
struct WindowFeatures {
  std::shared_ptr<const RowFeatures> landmarks;  // NULL: x
  Array<double> scale;                           // of the columns of x; empty: ones
  bool own() const { return landmarks || !scale.empty(); }
  Index p(Index d) const { return landmarks ? landmarks->p() : d; }
  // phi of rows row, row + 1, ... of the points, out.rows of them.
  void form(const Rows& x, Index row, MatrixView out) const;
};

// The solution of a triangle, and predictions by it.
struct Plane {
  Matrix w;  // p x t
  Array<double> level;
  bool known = false;
  void solve(const RowTriangle& of);
};

class LinearFactor : public WindowFactor {
 public:
  LinearFactor(const WindowFeatures& features, const WindowSettings& settings);

  std::unique_ptr<WindowFactor> copy() const override;
  void factorize(const WindowRows& rows, double lambda) override;
  void reserve(Index n) override { h_.reserve(n); }
  void prepare(const WindowRows&, const GivenRow&) override {}
  void error(const WindowRows& rows, const GivenRow& row, Span<double> e) override;
  bool append(const WindowRows& rows, const GivenRow& row) override;
  bool remove(const WindowRows& rows, Index position) override;
  Index coefficient_rows(const WindowRows& rows) const override;
  void coefficients(const WindowRows& rows, MatrixView c, Span<double> b) override;
  void predict(const WindowRows& rows, const Rows& points, MatrixView out) override;
  std::string loo(const WindowRows& rows, MatrixView errors) override;
  double lost() const override { return delta_; }

 protected:
  RowTriangle& main() { return main_; }
  const WindowSettings& settings() const { return settings_; }
  void forget_plane() { plane_.known = false; }
  LinearFactor(const LinearFactor& other);

 private:
  const Plane& plane();
  double residual(const Plane& plane, Span<const double> shift, const GivenRow& row, Index j) const;
  // u_i^2 / (1 + s) of all rows but `position`, added to h with this sign.
  void change_leverages(const WindowRows& rows, const GivenRow& row, Index position, double sign);
  void leave_out(RowTriangle of, Span<const Index> some, const WindowRows& rows, MatrixView errors,
                 std::string& reason) const;

  WindowFeatures features_;
  WindowSettings settings_;
  double lambda_;
  RowTriangle main_, second_;
  bool has_second_ = false;
  Index missing_ = 0;   // how many of the rows, the oldest, the second triangle does not have
  Index removals_ = 0;  // since the triangle was made without removals
  double delta_ = 0;
  Plane plane_;
  Array<double> g_;
  Array<double> h_;  // of the rows, where h_known_
  bool h_known_ = false;
  Index unasked_ = 0;  // changes since left-out errors were asked for
  Index turn_ = 0;     // the row whose h is made afresh next
};

// Rows that are not kept.
class ForgettingFactor final : public LinearFactor {
 public:
  ForgettingFactor(const WindowFeatures& features, const WindowSettings& settings);
  std::unique_ptr<WindowFactor> copy() const override;
  void factorize(const WindowRows& rows, double lambda) override;
  bool append(const WindowRows& rows, const GivenRow& row) override;

 private:
  ForgettingFactor(const ForgettingFactor& other) : LinearFactor(other), data_(other.data_.copy()) {}
  RowTriangle data_;  // without lambda's rows
};

}  // namespace freeridge
