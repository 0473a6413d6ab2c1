// Answers from a stack of rows (row_stack.hpp). Its triangle without intercept, and with one, is
//     R = [R_xx R_xy; 0 R_yy],      R = [r_0 r_x r_y; 0 R_xx R_xy; 0 0 R_yy],     xbar = s + r_x / r_0,  ybar likewise
// The SVD R_xx = U_R diag(S) V' with r = min(m, d) singular values, m = n - 1 or n, gives a spectrum
// (spectrum/spectrum.hpp) without a basis:
//     Lambda = S^2,   Gamma = U_R'R_xy,   |E_j|^2 = |R_yy e_j|^2 (0 when r = m: there is no complement)
//     w = V (S Gamma / (Lambda + lambda)),    b = ybar - xbar'w
// An eigenvalue below its noise (spectrum/small_svd.hpp) counts as zero at every lambda: its rounding error would add
// about eps |x| |y| / lambda to w.
//
// A second pass gives the leave-one-out errors: the rows of the basis are B = W^(1/2) (X - 1 xbar') F, F = R_xx^+ U_R,
//     e_i = r_i / (1 - h_i),     W_ii^(1/2) r_i = W_ii^(1/2) (y_i - ybar) - sum_k B_ik Gamma_k f_k,
//     h_i = W_ii / sum(w) + sum_k B_ik^2 f_k,     f_k = Lambda_k / (Lambda_k + lambda)
// Where the rank is m, N = 0 in spectrum_factorization.hpp (the fit at lambda = 0 meets every point), and in
//     e_i = W_ii^(-1/2) sum_k B_ik p_k Gamma_k / sum_k B_ik^2 p_k
// nothing cancels. Elsewhere e_i is NaN where 1 - h_i is little more than rounding: R holds sums over all rows, and the
// rounding error of such a row i exceeds what the other rows add.
// R_xx^+ is computed with the columns of R_xx divided by their norms, so that the units of the columns cost B no
// digits. (F = V S^-1 would have the rounding error of the largest column in every number.)
#pragma once

#include <string>

#include "libcore/base/array.hpp"
#include "libcore/select/lambda_search.hpp"
#include "libcore/select/objective.hpp"
#include "libcore/spectrum/spectrum.hpp"
#include "libcore/stream/row_stack.hpp"

namespace freeridge {

constexpr Index tile_rows = 512;      // rows of a pass: B and its squares stay in the L2 cache for moderate d
constexpr Index sweep_columns = 512;  // lambdas x outputs in one product: bounds the memory

// Of rows that were not added: the sum of their weights, and lambdas x outputs the sums of W_ii e_i^2.
struct SquaredErrors {
  double sum_w = 0;
  Matrix squares;
};

class ReducedProblem {
 public:
  // Takes a stack with at least one row. At most about 10 p^3 + 20 d^3.
  explicit ReducedProblem(RowStack rows);

  // w: d x (lambdas t), output j of lambda l in column l t + j; b: t x lambdas. O(d r t) a lambda.
  void solve(Span<const double> lambdas, MatrixView w, MatrixView b) const;
  // GCV or REML for outputs [first, first + out.cols), NaN where there is no value; returns the reason for the first
  // NaN. O(r) a lambda and output.
  std::string score(Criterion criterion, Span<const double> lambdas, Index first, MatrixView out) const;
  // O(r) a lambda and output.
  ObjectiveTables objective(Span<const double> lambdas) const;
  // From this lambda on left-out errors have six digits (factor/digits.hpp).
  double floor() const { return spectrum_.floor(); }
  LambdaRange lambda_range() const;
  // GCV or REML, minimised over lambda for each output; low = high = 0: over lambda_range.
  LambdaSearch select_lambda(Criterion criterion, double low, double high) const;
  // Checks that x, y and weights are finite. errors: x.rows x (lambdas t), NaN where there is none; returns the reason
  // for the first NaN. weights: NULL: ones. O(d r) a row and O(r t) a row and lambda.
  std::string loo(const Rows& x, const LayoutView& y, const double* weights, Span<const double> lambdas,
                  MatrixView errors) const;
  // Checks as `loo`. Throws NOT_FINITE where a sum overflows. O(d t) a row and lambda (development_rows.cpp).
  SquaredErrors squared_errors(const Rows& x, const LayoutView& y, const double* weights,
                               Span<const double> lambdas) const;

 private:
  // S / (Lambda + lambda) Gamma for w, Lambda / (Lambda + lambda) Gamma for the fitted values: r x (lambdas t), 0 in
  // directions whose eigenvalue is zero.
  enum class Factor { hyperplane, fitted };
  Matrix coefficients(Factor of, Span<const double> lambdas) const;

  void set_basis(ConstMatrixView r_xx, ConstMatrixView u);
  // Some rows of a second pass.
  struct PassedRows {
    ConstMatrixView y;            // Y~
    MatrixView b, squares;        // B, B o B
    MatrixView f, hat, residual;  // f, h, W^(1/2) r of some lambdas together
    Array<double> weight;         // W_ii
    Array<double> rest;           // 1 - W_ii / sum(w)
  };
  // The left-out errors of `passed`, rows x (lambdas t); its first row is row `row` of x.
  void loo_of(const PassedRows& passed, Index row, Span<const double> lambdas, MatrixView errors,
              std::string& reason) const;
  void add_squares(const Rows& x, const LayoutView& y, const double* weights, ConstMatrixView planes,
                   Span<double> sums) const;
  // The smallest 1 - h_i that is divided by.
  double least_residual() const;
  // sum_k B_ik p_k Gamma_kj / sum_k B_ik^2 p_k for one row and all outputs; NaN: 0 / 0.
  void quotients(ConstMatrixView b, Index row, const SpectrumAt& at, Span<double> out) const;

  Index r() const { return spectrum_.r(); }

  RowStack rows_;
  Spectrum spectrum_;     // Lambda is 0 where it is noise
  Index rank_ = 0;        // how many Lambda_k are above their noise
  Array<double> rest_;    // means less shifts, d + t; empty without intercept
  Array<double> s_;       // S, descending
  Matrix vt_;             // r x d
  Matrix f_;              // F, d x r
  double condition_ = 1;  // of R_xx with columns of norm one, zero singular values apart
};

}  // namespace freeridge
