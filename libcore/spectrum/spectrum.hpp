// A factorization that knows the spectrum:  Z'K_wZ = U diag(Lambda) U',  B = Z U  (n x r, orthonormal, B'q1 = 0).
// The spectral route has r = m; the primal and landmark routes have r <= min(m, features), their other m - r
// eigenvalues are zero ("the complement").
//
//     P~ = B diag(p) B' + N,   p_k = s / (Lambda_k + lambda),   s = Lambda_min + lambda,   0/0 = 1
//     N  = I - q1 q1' - B B' when there is a complement (then Lambda_min = 0, s = lambda), else 0
//     Gamma = B'Y~,  E = N Y~:    P~Y~ = B (p Gamma) + E,    diag P~ = (B o B) p + diag N
//     tr P~ = sum p + (m - r),    |P~Y~|^2 = sum p^2 Gamma^2 + |E|^2
//     log|Z'GZ| = sum log(Lambda_k + lambda) + (m - r) log lambda
//     Y~'PY~ = sum Gamma^2 / (Lambda_k + lambda) + |E|^2 / lambda
//     c~ = B g + E / lambda,      g = Gamma / (Lambda + lambda)
//
// All p are in [0, 1], so nothing overflows and nothing is subtracted at any lambda, 0 included; N_ii and E_i of rows of
// high leverage are had as high_leverage.hpp says.
// A column of B that is not orthonormal to rounding (blur_k, streamed_basis.cpp) is left out of N and E, and its p_k is p_k - 1:
// what is wrong with it then comes with the factor 1 - p_k = Lambda_k / (Lambda_k + lambda).
// An eigenvalue below its noise is rounding. At lambda >= noise it does not matter; below, it counts as zero, and
// directions of eigenvalue zero are left out of g: that is the minimum-norm solution as lambda -> 0.
//
// B comes in tiles of rows: from storage (StoredSpectrum) or formed from the data at each pass (streamed_basis.cpp).
// Cost a lambda: O(n r t); many lambdas together as two matrix products.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "libcore/factor/digits.hpp"
#include "libcore/factor/factorization.hpp"
#include "libcore/factor/intercept.hpp"
#include "libcore/spectrum/high_leverage.hpp"

namespace freeridge {

// How a sweep is cut: so many lambdas in one product with so many rows of B, of which B o B is formed by fewer.
struct SweepPieces {
  Index lambdas, rows, squares;
};
SweepPieces sweep_pieces(Index r, Index t, Index lambdas);

// out_i += sum_k B_ik^2 weight_k
void add_weighted_squares(ConstMatrixView b, std::span<const double> weight, std::span<double> out);

struct Spectrum {
  std::vector<double> eigenvalues;  // Lambda, r
  std::vector<double> noise;        // r
  Matrix gamma;                     // r x t
  std::vector<double> rest_norm2;   // |N Y~_j|^2, t; empty without complement
  std::vector<double> blur;         // r: how far a column of B is from orthonormal to the others; empty: rounding alone
};

class SpectrumFactorization : public Factorization {
 public:
  Range eigenvalue_range() const override;
  std::optional<Index> rank() const override;
  double tolerance() const override { return tolerance_; }
  double floor() const override;
  bool below_floor(double lambda) const;
  bool solves_functions() const override { return true; }
  // Whether solve leaves directions whose eigenvalue is exactly zero out of g.
  virtual bool functions_only(double) const { return true; }
  std::unique_ptr<ResidualMaker> at(double lambda) const override;
  bool solve_each(std::span<const double> lambdas, Solution& solution) const override;
  bool coefficients_each(std::span<const double> lambdas, MatrixView out) const override;
  std::unique_ptr<RowBlock> rows(std::span<const Index> which) const override;
  void sweep(std::span<const double> lambdas, Index first, Index outputs, SweepSink& sink,
             const Progress& progress) const override;

 protected:
  explicit SpectrumFactorization(ProblemPtr problem) : Factorization(std::move(problem)) {}
  void set_spectrum(Spectrum spectrum);
  void set_rest_norm2(std::vector<double> values) { spectrum_.rest_norm2 = std::move(values); }

  // What digits.hpp takes for direction k, and for directions that were left out of the spectrum: of no noise where none
  // was.
  virtual Direction direction(Index k) const = 0;
  virtual Direction left_out() const { return {0, 0, 0}; }

  // Rows of B, and of E and diag N where there is a complement. The views live as long as the room and the
  // factorization.
  struct Tile {
    ConstMatrixView b, rest;
    std::span<const double> rest_diagonal;
    std::span<const Index> small;  // the rows of it whose E and N_ii are small_residuals', and not here
  };
  struct Room {
    Matrix b, rest, features;
    std::vector<double> rest_diagonal;
    std::vector<Index> small;
  };
  // The rows [row, row + count), or any rows.
  virtual Tile tile(Index row, Index count, Room& room) const = 0;
  virtual Tile gather(std::span<const Index> which, Room& room) const = 0;
  virtual Index tile_rows() const = 0;  // how many at once
  // Products of rows of B with directions, which are zero where N lacks the column of B.
  virtual EachProjectedTile projected_tiles() const = 0;
  // E and N_ii of all rows that tiles have named (Tile::small), ascending. Made once and kept.
  std::shared_ptr<const SmallResiduals> small_residuals(std::vector<Index> rows) const;

  // out = B z, n x q.
  virtual void multiply(ConstMatrixView z, MatrixView out) const;

  // From g (r x count) to the solution of the outputs [first, first + count).
  virtual void solve(Index first, ConstMatrixView g, Solution& solution) const = 0;
  // c~ at lambda from g; here B g + E / lambda (without E where `rest` is false).
  virtual void coefficients(Index first, ConstMatrixView g, double lambda, bool rest, MatrixView out) const;
  // ResidualMaker::refine. inverse: 1 / (Lambda + lambda), 0 for eigenvalues that count as zero.
  virtual void refine(Index first, Index count, Index steps, double lambda, std::span<const double> inverse,
                      Solution& solution, const Progress& progress) const = 0;
  // z (r x q) = B'kappa of the points[first ...], see ResidualMaker::smoother; variance (q, or empty) at lambda.
  virtual void project(const Rows& points, Index first, double lambda, MatrixView z,
                       std::span<double> variance) const = 0;

  // E and diag N for rows of B, from rows of Y~ and q1, by subtraction; in `small` the rows for which that is not good
  // enough.
  void set_rest(ConstMatrixView b, ConstMatrixView y_rows, std::span<const double> q1_rows, MatrixView rest,
                std::span<double> rest_diagonal, std::vector<Index>& small) const;

  Index r() const { return static_cast<Index>(spectrum_.eigenvalues.size()); }
  bool complement() const { return r() < problem().degrees(); }
  const Spectrum& spectrum() const { return spectrum_; }
  // Gamma, zero where N lacks the column of B.
  ConstMatrixView gamma_inside() const { return outside_.empty() ? spectrum_.gamma.view() : gamma_inside_.view(); }

 private:
  friend class SpectrumMaker;
  friend class SpectrumRows;

  // g of every output at its own lambda.
  Matrix coefficients_of_each(std::span<const double> lambdas, bool functions) const;
  // The numbers of one lambda.
  struct Weights {
    std::vector<double> eigenvalues;  // Lambda_k as they count at this lambda
    std::vector<double> p;
    double s;
    bool projects;  // some eigenvalues count as zero: P~ is a projector there, exact zeros are rounded
  };
  Weights weights(double lambda) const;
  // out = B shares + E / rest_divisor (0: without E) of the outputs from `first` on (out.cols of them, or none), and diagonal = (B o B)
  // squares + diag N (or none). One pass.
  void products(ConstMatrixView shares, std::span<const double> squares, double rest_divisor, Index first,
                MatrixView out, std::span<double> diagonal) const;
  // Whether column k of B is part of I - N.
  bool in_projector(Index k) const { return outside_.empty() || outside_[static_cast<std::size_t>(k)] == 0; }
  // Of B_k in P~: p_k, or p_k - 1.
  double share(const Weights& w, Index k) const {
    return in_projector(k) ? w.p[static_cast<std::size_t>(k)] : w.p[static_cast<std::size_t>(k)] - 1;
  }
  // The error of the length of a row of N made of off-diagonals, and of the elements of N made by subtraction.
  double row_noise() const;
  double subtraction_noise() const;
  // The columns of b that N does not have become zero.
  void drop_outside(MatrixView b) const;
  // Makes diag(P~) exactly 0 where it is 0 but for rounding.
  void clear_rounding(const Weights& weights, std::span<double> diagonal) const;

  Spectrum spectrum_;
  std::vector<char> outside_;  // r: whether N lacks column k of B; empty: it has them all
  Matrix gamma_inside_;        // Gamma, zero where it does; empty likewise
  double tolerance_ = 0;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const SmallResiduals> small_;  // the last that was asked for
};

// B in storage: n r doubles, and n (t + 1) for E and diag N.
class StoredSpectrum : public SpectrumFactorization {
 protected:
  // storage holds B in its last r = eigenvalues.size() columns.
  StoredSpectrum(ProblemPtr problem, Matrix storage, std::vector<double> eigenvalues, std::vector<double> noise);

  Tile tile(Index row, Index count, Room& room) const override;
  Tile gather(std::span<const Index> which, Room& room) const override;
  Index tile_rows() const override { return problem().n(); }
  EachProjectedTile projected_tiles() const override;

  ConstMatrixView basis() const { return storage_.view().columns(storage_.cols() - r(), r()); }

 private:
  void orthogonalise_rest(ConstMatrixView b);

  Matrix storage_;
  Matrix rest_;                        // E, n x t; empty without complement
  std::vector<double> rest_diagonal_;  // diag N, n; empty without complement
};

}  // namespace freeridge
