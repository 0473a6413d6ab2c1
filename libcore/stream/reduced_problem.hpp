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
// those of them whose eigenvalue is not zero, and with p, E and N as in spectrum_factorization.hpp
//     e_i = W_ii^(-1/2) (sum_k B_ik p_k Gamma_k + E_i) / (sum_k B_ik^2 p_k + N_ii)
//     E_i = W_ii^(1/2) (y_i - ybar) - sum_k B_ik Gamma_k,     N_ii = 1 - W_ii / sum(w) - sum_k B_ik^2
// e_i is NaN where it does not have six digits: R holds sums over all rows, and the rounding error of a row i of large
// numbers may exceed what the other rows add. With a complement 1 - h_i, a difference, must exceed its own rounding;
// and rounding of R moves each B_ik by phi_k (basis_noise), and so the sums of a row of high leverage by
//     numerator   |phi (1 - p) Gamma|,    divisor   2 (sum_k phi_k^2 (1 - p_k))^(1/2)
// Where the rank is m, N = 0 (the fit at lambda = 0 meets every point), and the sums of any row move by
//     numerator   |phi p Gamma|,          divisor   2 (P~_ii sum_k phi_k^2 p_k)^(1/2) + sum_k phi_k^2 p_k
// e_i is compared with the errors of all rows, of which |P~Y~| n^(-1/2) is a measure.
// Landmarks (row_features.hpp): x is phi(x), d their number p. The Gram matrix of their rows gives the same spectrum by
// its eigenvalues (feature_reduction.hpp), and F = V S^-1. Where L is well conditioned F and the means are folded with
// it, so that the rows of a second pass only need k(z, x).
// Columns that are not penalised (unpenalised_columns.hpp): R_xx, R_xy and R_yy are the blocks below R_uu,
// m = n - 1 - q, and
//     B = (W^(1/2) (X - 1 xbar') - Q R_ux) F,    E_i less Q_i R_uy,    N_ii less |Q_i|^2
// R_xx^+ is computed with the columns of R_xx divided by their norms, so that the units of the columns cost B no
// digits. (F = V S^-1 would have the rounding error of the largest column in every number.)
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "libcore/base/array.hpp"
#include "libcore/base/bytes.hpp"
#include "libcore/select/lambda_search.hpp"
#include "libcore/select/moments.hpp"
#include "libcore/select/objective.hpp"
#include "libcore/spectrum/lambda_products.hpp"
#include "libcore/spectrum/spectrum.hpp"
#include "libcore/stream/row_features.hpp"
#include "libcore/stream/row_stack.hpp"
#include "libcore/stream/unpenalised_columns.hpp"

namespace freeridge {

constexpr Index pass_rows = 512;  // rows of a pass: B and its squares stay in the L2 cache for moderate d
constexpr double six_digits = 1e6;
constexpr Index sweep_columns = 512;  // lambdas x outputs in one product: bounds the memory

// Sums over rows that were not added: of their weights, and of W_ii e_i^2, lambdas x outputs.
struct SquaredErrors {
  double sum_w = 0;
  Matrix squares;
};

class ReducedProblem {
 public:
  // Takes a stack with at least one row. At most about 10 p^3 + 20 d^3.
  ReducedProblem(RowStack rows, std::shared_ptr<const RowFeatures> features);
  // From saved bytes; the rows are reduced already.
  ReducedProblem(RowStack rows, std::shared_ptr<const RowFeatures> features, ByteReader& in);
  void save(ByteWriter& out) const;

  const RowStack& rows() const { return rows_; }
  const RowFeatures& features() const { return *features_; }
  // Rows with the sums of squares and products of the centred [X, Y], at most 1 + d + t; of landmarks [phi, Y], where
  // those of two outputs with one another are missing.
  Matrix centred_rows() const;
  // kept[k] for the columns without a penalty: 0 where column k depends on the columns before it, else 1.
  void unpenalised_kept(Span<std::int32_t> kept) const;
  // xbar, ybar: d + t numbers; empty without intercept.
  const Array<double>& means() const { return means_; }
  // Landmarks: the coefficients c = L^-T w of the landmarks of which phi is made, p x t, and b, at the lambdas of all
  // outputs.
  void expansion(Span<const double> lambdas, MatrixView c, Span<double> b) const;
  // w: d x (lambdas t), output j of lambda l in column l t + j; b: t x lambdas. O(d r t) a lambda.
  void solve(Span<const double> lambdas, MatrixView w, MatrixView b) const;
  // GCV or REML for outputs [first, first + out.cols), NaN where there is no value; returns the reason for the first
  // NaN. O(r) a lambda and output.
  std::string score(Criterion criterion, Span<const double> lambdas, Index first, MatrixView out) const;
  // O(r) a lambda and output.
  ObjectiveTables objective(Span<const double> lambdas) const;
  // From this lambda on left-out errors have six digits (factor/digits.hpp); and whether they may have fewer at lambda,
  // also as landmarks were left out.
  double floor() const { return spectrum_.floor(); }
  bool below_floor(double lambda) const { return spectrum_.below_floor(lambda); }
  LambdaRange lambda_range() const;
  LambdaRange search_range(double low, double high) const;
  // GCV or REML, minimised over lambda for each output; over search_range.
  LambdaSearch select_lambda(Criterion criterion, double low, double high) const;
  // Checks that x, y and weights are finite. errors: x.rows x (lambdas t), NaN where there is none; returns the reason
  // for the first NaN, which counts rows from `first`. weights: NULL: ones. O(d r) a row and O(r t) a row and lambda.
  std::string loo(const Rows& x, const LayoutView& y, const double* weights, Span<const double> lambdas,
                  MatrixView errors, Index first = 0) const;
  // Joins the moments of the rows' errors to `moments`, lambdas t of them, pair l t + j. Otherwise as `loo`.
  void add_loo_moments(const Rows& x, const LayoutView& y, const double* weights, Span<const double> lambdas,
                       Span<Moments> moments) const;
  // The same for rows and lambdas that were checked; without the spread where it is not wanted.
  void add_checked_moments(const Rows& x, const LayoutView& y, const double* weights, Span<const double> lambdas,
                           bool with_spread, Span<Moments> moments) const;
  // The matrix of a second pass: [B, Q, q1, E] of rows row, row + 1, ..., out.rows x (basis_size() + t); q1 with an
  // intercept only. x, y and weights were checked. room: workspace that is kept from call to call. O(d r) a row.
  void basis_rows(const Rows& x, const LayoutView& y, const double* weights, Index row, Matrix& room,
                  MatrixView out) const;
  Index basis_size() const { return rank_ + free_.q() + rows_.ones(); }
  static void require_passed(const Rows& x, const LayoutView& y, const double* weights, Span<const double> lambdas);
  // The spectrum of B: the eigenvalues above their noise.
  const Spectrum& passed() const { return passed_; }
  // The smallest 1 - h_i that is divided by, where there is a complement.
  double least_residual() const;
  // What rounding of R does to the sums of a row at one lambda. 10^6 times that is `wanted`: six digits.
  struct RowNoise {
    bool complement = false;
    double wanted_divisor = 0;       // 10^6 (sum_k phi_k^2 p_k)^(1/2), or with 1 - p_k
    Array<double> wanted_numerator;  // of each output
    Array<double> size;              // |P~Y~| n^(-1/2) of each output
    // The part of P~_ii that is not known to six digits: an error of e_i in units of `size` counts, too.
    double of_divisor(double divisor) const;
    // Whether the quotient of these sums has six digits.
    bool known(double numerator, double divisor, Index output) const;
  };
  RowNoise row_noise(const SpectrumAt& at) const;
  // Checks as `loo`. Throws NOT_FINITE where a sum overflows. O(d t) a row and lambda (development_rows.cpp).
  SquaredErrors squared_errors(const Rows& x, const LayoutView& y, const double* weights,
                               Span<const double> lambdas) const;

 private:
  // S / (Lambda + lambda) Gamma for w, Lambda / (Lambda + lambda) Gamma for the fitted values: r x (lambdas t), 0 in
  // directions whose eigenvalue is zero.
  enum class Factor { hyperplane, fitted };
  Matrix coefficients(Factor of, Span<const double> lambdas) const;

  void from_triangle();
  // The reduced rows, whose directions below their noise are zero, and all that follows from them.
  void take(ReducedFeatures found);
  // d less the columns that are not penalised.
  Index penalised() const { return rows_.d() - features_->unpenalised(); }
  void take_out_unpenalised();
  void set_along();
  // [R_xx R_xy; 0 R_yy]
  ConstMatrixView problem_triangle() const;
  void from_gram();
  void set_means();
  void set_landmark_digits();
  // Whether |P~Y~_j|^2 exceeds its rounding so many times: a Gram matrix tells |E_j|^2 by a difference alone.
  bool sums_tell(const SpectrumAt& at, Index output, double digits) const;
  std::string scores(Criterion criterion, Span<const double> lambdas, Index first, MatrixView out, double digits) const;
  void finish();
  void set_basis_noise();
  void set_basis(ConstMatrixView r_xx, ConstMatrixView u);
  // Landmarks: folds L^-1 into F and the means, where L permits it, so that `pack` need not compute phi.
  void fold();
  // Rows row, row + 1, ... as columns [W^(1/2) 1, x or features, y], weighted and centred.
  void pack(const Rows& x, const LayoutView& y, const double* weights, Index row, MatrixView tile) const;
  Matrix planes(Span<const double> lambdas) const;
  // The numbers that a second pass needs of the lambdas, in chunks. The last ones are kept for more rows at the same
  // lambdas.
  struct Swept {
    Array<double> lambdas;
    Array<LambdaProducts> products;
    Array<RowNoise> noise;
    Index chunk;
  };
  std::shared_ptr<const Swept> swept(Span<const double> lambdas) const;
  // Some rows of a second pass at some lambdas, as a SweepSink gets them; sqrt_w belongs to these rows.
  struct PassedRows {
    Index row, lambda, lambdas;
    ConstMatrixView residual, diagonal;
    Span<const double> sqrt_w;
    // Whether the error of row i, output j, has six digits at lambda number l.
    bool known(Index i, Index l, Index j) const {
      const RowNoise& of_l = noise[lambda + l];
      return diagonal(i, l) > least && of_l.known(residual(i, l * std::ssize(of_l.size) + j), diagonal(i, l), j);
    }
    double least;
    Span<const RowNoise> noise;  // of all lambdas
  };
  using UsePassedRows = std::function<void(const PassedRows&)>;
  // Tile by tile.
  void pass(const Rows& x, const LayoutView& y, const double* weights, Span<const double> lambdas,
            const UsePassedRows& use) const;
  void add_squares(const Rows& x, const LayoutView& y, const double* weights, ConstMatrixView planes,
                   Span<double> sums) const;
  Index r() const { return spectrum_.r(); }

  RowStack rows_;
  Spectrum spectrum_;     // Lambda is 0 where it is noise
  Index rank_ = 0;        // how many Lambda_k are above their noise
  Array<double> rest_;    // means less shifts, d + t; empty without intercept. Not of landmarks
  Array<double> means_;   // d + t; empty without intercept
  Array<double> centre_;  // of landmarks: the means of what the second pass makes of x; 0 without intercept
  bool folded_ = false;
  UnpenalisedColumns free_;  // where there are any
  Matrix along_;             // R_ux F
  std::shared_ptr<const RowFeatures> features_;
  Array<double> s_;  // S, descending
  Matrix vt_;        // r x d, or the penalised columns of these
  Matrix f_;         // F, as many x rank: of the directions whose eigenvalue is not zero
  Matrix saved_f_;   // of landmarks: F before it was folded
  Spectrum passed_;  // their eigenvalues, noise and Gamma
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Swept> swept_;
  Array<double> basis_noise_;  // phi
  Array<double> rest_noise_;   // Gram matrices: what rounding does to |E_j|^2
  double condition_ = 1;       // of R_xx with columns of norm one, zero singular values apart
};

}  // namespace freeridge
