// Primal route for sparse rows: one d x d matrix beside the rows, which stay sparse. With X~ = W^(1/2) (X - 1 shift')
// diag(scale)^-1 (data/problem.hpp)
//     G = X~'X~ = Q B Q',  B banded (linalg/band_reduction.hpp),   Gamma = Q'X~'Y~,   z_i = Q'x~_i
// a lambda costs a banded factorization B + lambda I = unit L L', and a row 2 d b for its leverage:
//     w_s = Q (B + lambda I)^-1 Gamma,   P~ = I - H (s = lambda),   P~Y~ = Y~ - X~ w_s,
//     H_ii = |q1_i|^2 + |L^-1 z_i|^2 / unit,    P~_SS = I - q1_S q1_S' - (L^-1 Z_S')'(L^-1 Z_S') / unit
//     log|Z'GZ| = log|B + lambda I| + (m - d) log lambda,    tr P~ = m - d + lambda tr (B + lambda I)^-1
//     |P~Y~|^2 = |Y~|^2 - Gamma'(B + lambda I)^-1 Gamma - lambda |(B + lambda I)^-1 Gamma|^2
//     Y~'P Y~ = |P~Y~|^2 / lambda + |(B + lambda I)^-1 Gamma|^2
// Where the difference for |P~Y~|^2 cancels, it is summed row by row instead.
// G squares the condition of x: eigenvalues below max(d, 10) eps times the largest sum of squares of a column are
// rounding, and there is no answer where the smallest eigenvalue of G + lambda I is smaller still. An H_ii within 256
// eps of 1 counts as 1.
// Once: the products of each row's entries with each other, 8/3 d^3, and d for each entry. For many lambdas leverages
// are computed at a few of them (resolvent_nodes.hpp).
#pragma once

#include <algorithm>

#include "libcore/base/array.hpp"
#include "libcore/factor/digits.hpp"
#include "libcore/factor/factorization.hpp"
#include "libcore/linalg/band_kernels.hpp"
#include "libcore/routes/banded_factor.hpp"
#include "libcore/routes/saved_route.hpp"

namespace freeridge {

class SparsePrimal final : public Factorization {
 public:
  SparsePrimal(ProblemPtr problem);
  SparsePrimal(ProblemPtr problem, ByteReader& in);  // saved
  void save(ByteWriter& out) const override;

  Route route() const override { return Route::primal; }
  EigenvalueRange eigenvalue_range() const override;
  std::optional<Index> rank() const override;
  double tolerance() const override { return tolerance_; }
  double floor() const override { return smallest_direction().floor(); }
  Direction smallest_direction() const { return {bounds_.smallest, tolerance_, sure_of_matrix}; }
  double largest() const { return bounds_.largest; }
  bool is_zero() const { return bounds_.largest == 0 && tolerance_ == 0; }  // G
  // What is added to B: lambda, or 1 for the limit lambda -> 0 of G = 0, where w = 0 and P~ = I - q1 q1' at any lambda.
  double penalty(double lambda) const { return is_zero() && lambda == 0 ? 1 : lambda; }

  Eigenvalues eigenvalues() const override;
  void eigenvectors(MatrixView) const override {
    fail(Status::invalid_state, "the PRIMAL route has no eigenvectors of sparse rows; set the reduction QR");
  }
  std::unique_ptr<ResidualMaker> at(double lambda) const override;
  std::optional<FeatureSystem> feature_system(double lambda) const override;
  Matrix unit_slopes(double lambda) const override;
  std::unique_ptr<RowBlock> rows(Span<const Index> which) const override;
  void sweep(Span<const double> lambdas, Index first, Index outputs, SweepSink& sink) const override;

  // Throws NOT_POSITIVE_DEFINITE.
  BandedFactor factor(double lambda) const;
  const BandMatrix& band() const { return b_; }
  Index d() const { return basis_.cols(); }
  // w_s = Q g, d x k.
  Matrix hyperplane(ConstMatrixView g) const;
  // X~ w_s for the rows row, row + 1, ... (out.rows of them).
  void fitted(Index row, ConstMatrixView w_s, MatrixView out) const;
  // H_ii at several lambdas for the rows [row, row + out.rows); out.rows x lambdas.
  void leverages(Index row, Span<const BandedFactor> factors, MatrixView out) const;
  // z_i in column i, d x count, of these rows; and the same of any points, without weights.
  Matrix projected_rows(Span<const Index> which) const;
  void project(const Points& points, Index first, MatrixView z) const;

  static constexpr Index bandwidth = 16, panel_columns = 32;  // a multiple of it

 private:
  class Sweep;  // primal_sparse_sweep.cpp

  // Rows of X~ by their entries, with their row numbers.
  struct Entries {
    SparseTile tile;
    Array<Index> rows;
  };
  struct Coefficients {
    Array<double> values;  // BandedCholesky::row_coefficients
    double unit;
  };
  // C' of Problem over scale, d x q; with an intercept the shift in its first column
  Matrix parts() const;
  void set_centre();
  void gram(MatrixView g);
  Entries entries(Span<const Index> which) const;
  // |L^-1 z_i|^2 / unit of the rows, entries.rows x coefficients.
  void leverages(const Entries& entries, Span<const Coefficients> at, MatrixView out) const;

  // The columns [col, col + width) of Q, transposed: width x d. Q is stored in such panels, one after the other, so
  // that a product with some entries of a row reads numbers that lie close together.
  ConstMatrixView panel(Index col) const {
    const Index width = std::min(panel_columns, d() - col);
    return {basis_.data() + col * d(), width, d(), width};
  }
  template <class F>
  void each_panel(const F& f) const {
    for (Index col = 0; col < d(); col += panel_columns) f(col, panel(col));
  }
  // Q'v, d x k.
  void reduce(ConstMatrixView v, MatrixView out) const;

  Matrix basis_;   // Q, in panels
  Matrix centre_;  // Q' times what the columns of U explain of x / scale, d x q
  BandMatrix b_;
  Matrix gamma_;
  EigenvalueBounds bounds_{0, 0};
  double tolerance_ = 0;
  BandKernels kernels_ = band_kernels().front();
};

// How a sweep is cut: so many lambdas in hand for so many rows.
struct SparsePieces {
  Index lambdas, rows;
};
SparsePieces sparse_pieces(Index n, Index d, Index t, Index lambdas);

// 256 eps: 1 - h below it is 0.
double not_one(double h);

}  // namespace freeridge
