// One problem, as every route sees it: the points, and the outputs in weighted and centred form.
//   U, q1                     what is not penalised, the ones of the intercept and fixed effects (unpenalised.hpp)
//   Y~ = W^(1/2) (Y - U A),   A = diag(nu)^-2 U'W Y;  with an intercept alone A is ybar', the weighted means
// Subtracting U A changes neither P~Y~ (P~ q1 = 0) nor c; it makes a large mean of Y harmless.
// For a linear kernel the points are centred too, for the same reason: by shift = xbar with an intercept, and by the
// part of them that fixed effects explain,
//   X_s = (X - 1 shift') diag(scale)^-1,   X~ = W^(1/2) (X_s - U C diag(scale)^-1)
//   C = diag(nu)^-2 U'W (X - 1 shift')
// With an intercept the first row of C is what rounding left of the means; it is not subtracted.
#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/data/covariances.hpp"
#include "libcore/data/missing.hpp"
#include "libcore/data/repeated_rows.hpp"
#include "libcore/data/unpenalised.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// The largest weight over the smallest; 1 without weights.
double weight_span(Span<const double> weights);
// From this span on, an operation that mixes rows carries the rounding errors of rows of high weight into digits of
// rows of low weight.
constexpr double wide_weights = 0x1p20;

// m linear functionals of f(x) + u(x)'a, as averages and derivatives are.
struct Functionals {
  ConstMatrixView g;  // q x m, of what is not penalised, as Problem::directions has it
  // Of f = sum_l c_l k(x_l, .): their values at k(x_l, .), a row for each row of the problem or landmark. Without
  // numbers f counts as zero.
  ConstMatrixView kappa;
  ConstMatrixView prior;   // their covariances under f ~ N(0, k), m x m, or the variances alone, m x 1
  ConstMatrixView slopes;  // of f = w'(x - shift), a linear kernel: what w is multiplied by, m x d
  bool of_function() const { return kappa.cols > 0 || slopes.cols > 0; }
};

// New points as a route sees them: their rows, and the values of their fixed effects, without columns where the problem
// has none. Or functionals in the place of the values at points: then x is not read.
struct Points {
  Points(const Rows& rows, const LayoutView& effects = {}) : x(rows), fixed(effects) {}  // NOLINT: rows are points
  Points(const LayoutView& rows) : x(rows) {}                                            // NOLINT: likewise
  explicit Points(const Functionals& of) : functionals(&of) {}                           // which must outlive it

  Rows x;
  LayoutView fixed;
  const Functionals* functionals = nullptr;
};

struct Problem {
  // x, y, weights and fixed are borrowed; weights: n numbers or empty; fixed: F (n rows), or without columns.
  Problem(KernelPtr kernel, const Rows& x, const LayoutView& y, Span<const double> weights, bool intercept,
          const LayoutView& fixed = {});

  Index n() const { return x.rows; }
  Index d() const { return x.cols; }
  Index t() const { return y_tilde.cols(); }
  Index q() const { return unpenalised.q(); }  // columns that are not penalised
  Index degrees() const { return n() - q(); }  // m: the dimension that P~ acts on
  const Matrix& q1() const { return unpenalised.q1(); }
  double weight(Index i) const { return sqrt_w[i] * sqrt_w[i]; }
  bool linear() const { return linear_scale.has_value(); }
  double free_function(Index i, Index k) const;  // U_ik
  // |q1_i|^2: the leverage of row i in the fit of what is not penalised alone.
  double free_leverage(Index i) const;
  Matrix q1_of(Span<const Index> rows) const;

  Points own_points() const { return {x, fixed}; }
  // g = diag(nu)^-1 u(x) of the points[first ...], q x g.cols.
  void directions(const Points& points, Index first, MatrixView g) const {
    if (points.functionals != nullptr) return copy(points.functionals->g.columns(first, g.cols), g);
    unpenalised.directions(points.fixed, first, g);
  }
  // The smoother rows a = W^(1/2) (P kappa + q1 g) of some points, in place of P kappa (n x count).
  void finish_smoother(const Points& points, Index first, MatrixView p_kappa) const;
  // lambda |g|^2 of a point, lambda g_p'g_q of two: the covariances of what is not penalised.
  void add_free_variance(const Points& points, Index first, double lambda, const Covariances& variance) const;

  // tile -= U_I C'. U_I: the rows row, row + 1, ... of U, and of these the columns [from, q). C has a row for each
  // column of the tile and a column for each column of U.
  void subtract_free(Index row, Index from, ConstMatrixView c, MatrixView tile) const;
  // Weighted, centred features of any rows I: tile = W_I^(1/2) (tile - U_I C').
  void centre_and_weigh(Span<const Index> rows, ConstMatrixView c, MatrixView tile) const;

  // Whether the other rows than these determine what is not penalised. Where they do not, nothing can be predicted for
  // these rows from the others.
  bool determined_without(Span<const Index> rows) const;
  // Puts 0 in the diagonal, which begins with that of `row`, for the decisive rows. A row is decisive where the others
  // do not determine what is not penalised: its leverage is 1 at every lambda.
  void clear_decisive(Index row, Span<double> diagonal) const;

  // For linear kernels the rows row, row + 1, ...: of X_s, for any points, and of X~. Throws NOT_FINITE where X~
  // overflows.
  void scaled_rows(const Points& points, Index row, MatrixView out) const;
  void weighted_rows(Index row, MatrixView out) const;
  // For linear kernels: column k of X~ has an error of eps times this, however little of the column is left, as the
  // part of it that U explains was subtracted: |nu_l C_lk / scale_k|, nu_l before U was made orthogonal.
  Array<double> explained_norms() const;
  // The entries of sparse rows divided by `scale`: X_s without the shift.
  void scaled_entries(Index row, Index count, SparseTile& out) const;

  // a = W^(1/2) a, n rows.
  void weight_rows(MatrixView a) const { multiply_rows(sqrt_w, a); }

  KernelPtr kernel;
  Rows x;
  Rows basis;  // the points that landmarks are rows of: x, unless x is some rows of them (Model::of_rows)
  std::shared_ptr<const void> x_numbers;  // holds what x views, where that is the problem's own
  LayoutView y;
  Span<const double> weights;
  LayoutView fixed;  // F
  bool intercept;
  // Which outputs are not observed in which rows; NULL: all are observed. y and y_tilde have numbers in these places,
  // too, which must not be taken for observations.
  MissingPtr missing;
  // For one output: the rows in which it is not observed. For its other rows: their number, the dimension that their P~
  // acts on, and the sums of their weights and of the logarithms of their weights.
  Span<const Index> missing_rows(Index output) const;
  Index n_of(Index output) const { return n() - std::ssize(missing_rows(output)); }
  Index degrees_of(Index output) const { return degrees() + absent - std::ssize(missing_rows(output)); }
  // How many rows more the problem stands for, where its rows only have their sums (stream/reduced_model.hpp).
  Index absent = 0;
  // For REML of an output, which counts copies of rows once (repeated_rows.hpp).
  const Copies& copies_of(Index output) const { return copies.of(*this, output); }
  Index reml_degrees_of(Index output) const { return degrees_of(output) - copies_of(output).count; }
  // sigma2 of a row of weight one where it is known, the same for all outputs; 0: it is estimated.
  double known_sigma2 = 0;
  // s2 = sigma2 / lambda, which multiplies k in the variance of f: by REML Y~'PY~ / m from the quadratic form; NaN
  // without degrees of freedom.
  double prior_variance(Index output, double lambda, double quadratic_form) const {
    if (known_sigma2 > 0) return known_sigma2 / lambda;
    const Index m = reml_degrees_of(output);
    return m > 0 ? quadratic_form / static_cast<double>(m) : std::numeric_limits<double>::quiet_NaN();
  }
  // The derivative of REML by log lambda at fixed M and Y~'PY~: that of 1/2 (m log s2 + Y~'PY~ / s2), which is 0 where
  // s2 is estimated.
  double reml_slope(Index output, double lambda, double quadratic_form) const {
    if (known_sigma2 == 0) return 0;
    return (quadratic_form / (known_sigma2 / lambda) - static_cast<double>(reml_degrees_of(output))) / 2;
  }
  double sum_w_of(Index output) const;
  double sum_log_w_of(Index output) const;

  Array<double> sqrt_w;  // n
  double sum_w = 0;
  double sum_log_w = 0;
  Matrix y_tilde;  // n x t
  Unpenalised unpenalised;
  Matrix y_free;  // A, q x t
  // A of the output that a column of solutions belongs to: output j of lambda l is in column l t + j.
  Span<const double> free_of_column(Index column) const { return {y_free.col(column % t()), q()}; }
  Array<Index> decisive;  // rows, ascending (clear_decisive)
  LazyCopies copies;
  std::optional<Array<double>> linear_scale;  // d divisors, for linear kernels
  Array<double> shift;                        // d; empty unless the kernel is linear and there is an intercept
  Matrix x_free;                              // C', d x q; of linear kernels

 private:
  void set_y();
  void set_centre();
  void divide_by_scale(MatrixView out) const;
};

using ProblemPtr = std::shared_ptr<const Problem>;

}  // namespace freeridge
