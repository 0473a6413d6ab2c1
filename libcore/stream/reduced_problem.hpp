// The answers that a stack of rows gives. Its triangle (row_stack.hpp), on the left without an intercept, on the right
// with one, is
//     R = [R_xx R_xy; 0 R_yy],      R = [r_0 r_x r_y; 0 R_xx R_xy; 0 0 R_yy],     xbar = s + r_x / r_0,  ybar likewise
// The SVD R_xx = U_R diag(S) V' has r = min(m, d) singular values, m = n - 1 with an intercept, else n. It gives all of
// spectrum/spectrum.hpp but the basis B:
//     Lambda = S^2,   Gamma = U_R'R_xy,   |E_j|^2 = |R_yy e_j|^2 (0 when r = m: there is no complement)
//     w = V (S Gamma / (Lambda + lambda)),    b = ybar - xbar'w
// An eigenvalue below its noise (spectrum/small_svd.hpp) is rounding, and counts as zero at every lambda: otherwise its
// rounding errors would add eps |x| |y| / lambda to w.
//
// A second pass gives the leave-one-out errors: the rows of the basis are B = W^(1/2) (X - 1 xbar') F, F = R_xx^+ U_R,
//     e_i = r_i / (1 - h_i),     W_ii^(1/2) r_i = W_ii^(1/2) (y_i - ybar) - sum_k B_ik Gamma_k f_k,
//     h_i = W_ii / sum(w) + sum_k B_ik^2 f_k,     f_k = Lambda_k / (Lambda_k + lambda)
// Where the rank is m, the fit at lambda = 0 passes through every point. Then r_i and 1 - h_i are sums without a
// difference, as N = 0 in spectrum/spectrum.hpp, and
//     e_i = W_ii^(-1/2) sum_k B_ik p_k Gamma_k / sum_k B_ik^2 p_k
// Elsewhere 1 - h_i is a difference. Where it has too few digits the row has no error (NaN): R holds that row and all
// others in sums, and beside a row of such weight the sums have lost the others' digits.
// R_xx^+ is computed from R_xx with columns divided by their norms, so that the units of the columns cost B no digits.
// (F = V S^-1 in exact arithmetic, but each number of V S^-1 has the rounding error of the largest column.)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/select/lambda_search.hpp"
#include "libcore/stream/row_stack.hpp"

namespace freeridge {

class ReducedProblem {
 public:
  // Takes a stack with at least one row. At most about 10 p^3 + 20 d^3.
  explicit ReducedProblem(RowStack rows);

  // w: d x (lambdas t), output j of lambda l in column l t + j; b: t x lambdas. O(d r t) a lambda.
  void solve(std::span<const double> lambdas, MatrixView w, MatrixView b) const;
  // GCV or REML, lambdas x t, NaN where there is no value; returns the reason for the first NaN. O(r t) for each
  // lambda.
  std::string score(Criterion criterion, std::span<const double> lambdas, MatrixView out) const;
  // As for a model.
  LambdaRange lambda_range() const;
  // Checks x, y and weights (NULL: ones). errors: x.rows x (lambdas t), NaN where there is none; returns the reason for
  // the first NaN. O(d r) for each row, and O(r t) for each row and lambda.
  std::string loo(const LayoutView& x, const LayoutView& y, const double* weights, std::span<const double> lambdas,
                  MatrixView errors) const;

 private:
  // The weights p at one lambda, as in spectrum/spectrum.hpp.
  struct Weights {
    std::vector<double> eigenvalues;  // Lambda_k, 0 where it counts as zero
    std::vector<double> p;
    double smallest;
  };
  Weights weights(double lambda) const;
  // Gamma_k factor_k for each lambda, r x (lambdas t). factor_k = S_k / (Lambda_k + lambda) for w and
  // Lambda_k / (Lambda_k + lambda) for fitted values; 0 where Lambda_k counts as zero.
  enum class Factor { hyperplane, fitted };
  double factor(Factor of, const Weights& at, double lambda, Index k) const;
  Matrix coefficients(Factor of, std::span<const double> lambdas) const;
  double gcv(const Weights& at, Index output) const;
  double reml(const Weights& at, double lambda, Index output) const;

  void set_basis(ConstMatrixView r_xx, ConstMatrixView u);
  // The smallest 1 - h_i that has six digits; a row below it has no error.
  double least_residual() const;
  // sum_k B_ik p_k Gamma_kj / sum_k B_ik^2 p_k for one row i and all outputs j; NaN where that is 0 / 0.
  void quotients(ConstMatrixView b, Index row, const Weights& at, std::span<double> out) const;

  Index r() const { return static_cast<Index>(s_.size()); }
  bool complement() const { return r() < m_; }

  RowStack rows_;
  Index m_;                         // n - 1 or n
  std::vector<double> rest_;        // means minus shifts, d + t numbers; empty without intercept
  std::vector<double> s_;           // S, descending
  std::vector<double> lambda_;      // Lambda; 0 where it is noise
  std::vector<double> noise_;       // of Lambda
  Index rank_ = 0;                  // how many Lambda_k are above their noise
  Matrix vt_;                       // r x d
  Matrix f_;                        // F, d x r
  double condition_ = 1;            // of R_xx with columns of norm one, without singular values that count as zero
  Matrix gamma_;                    // r x t
  std::vector<double> rest_norm2_;  // |E_j|^2
};

}  // namespace freeridge
