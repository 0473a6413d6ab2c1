// A factorization that knows the spectrum (spectrum.hpp) and has the eigenvectors B = Z U (n x r, orthonormal, B'q1 =
// 0):
//
//     P~ = B diag(p) B' + N,    N = I - q1 q1' - B B' with a complement, else 0
//     P~Y~ = B (p Gamma) + E,   diag P~ = (B o B) p + diag N,   c~ = B g + E / lambda
//
// The spectral route has r = m; the primal and landmark routes have r <= min(m, features).
// N_ii and E_i of rows of high leverage: high_leverage.hpp.
// A column B_k that is not orthonormal to rounding (blur_k, streamed_basis.cpp) is left out of N and of E, and its
// share of P~ is p_k - 1 in the place of p_k: the error of that column then comes with the factor 1 - p_k = Lambda_k /
// (Lambda_k + lambda).
//
// B comes in tiles of rows: from storage (stored_basis.hpp) or formed from the data at each pass (streamed_basis.cpp).
// Cost a lambda: O(n r t); many lambdas together as two matrix products.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>

#include "libcore/base/array.hpp"
#include "libcore/factor/factorization.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/spectrum/high_leverage.hpp"
#include "libcore/spectrum/spectrum.hpp"

namespace freeridge {

// How a sweep is cut: the number of lambdas and of rows of B in one product, and the number of rows of B o B that are
// formed at once.
struct SweepPieces {
  Index lambdas, rows, squares;
};
SweepPieces sweep_pieces(Index r, Index t, Index lambdas);

// out_i += sum_k B_ik^2 weight_k
void add_weighted_squares(ConstMatrixView b, Span<const double> weight, Span<double> out);

class SpectrumFactorization : public Factorization {
 public:
  EigenvalueRange eigenvalue_range() const override { return spectrum_.range(); }
  std::optional<Index> rank() const override { return spectrum_.rank(); }
  double tolerance() const override { return tolerance_; }
  Eigenvalues eigenvalues() const override { return descending(spectrum_.eigenvalues, spectrum_.noise); }
  void eigenvectors(MatrixView out) const override;
  double floor() const override { return spectrum_.floor(); }
  double flagged_below() const override { return std::max(spectrum_.floor(), spectrum_.sure * spectrum_.wanting); }
  bool solves_functions() const override { return true; }
  // Whether solve leaves directions whose eigenvalue is exactly zero out of g.
  virtual bool functions_only(double) const { return true; }
  std::unique_ptr<ResidualMaker> at(double lambda) const override;
  bool solve_each(Span<const double> lambdas, Solution& solution) const override;
  bool coefficients_each(Span<const double> lambdas, MatrixView out) const override;
  std::unique_ptr<RowBlock> rows(Span<const Index> which) const override;
  void sweep(Span<const double> lambdas, Index first, Index outputs, SweepSink& sink) const override;

  const Spectrum& spectrum() const { return spectrum_; }
  Index r() const { return spectrum_.r(); }
  bool complement() const { return spectrum_.complement(); }

  // Rows of B, and of E and diag N where there is a complement. The views live as long as the room and the
  // factorization.
  struct Tile {
    ConstMatrixView b, rest;
    Span<const double> rest_diagonal;
    Span<const Index> small;  // the rows of the tile whose E and N_ii are not here, but in small_residuals
  };
  struct Room {
    Matrix b, rest, features;
    Array<double> rest_diagonal;
    Array<Index> small;
  };
  // The rows [row, row + count), or any rows.
  virtual Tile tile(Index row, Index count, Room& room) const = 0;
  virtual Tile gather(Span<const Index> which, Room& room) const = 0;
  virtual Index tile_rows() const = 0;  // how many at once
  // E and N_ii of the rows that tiles name as small, ascending. The last ones are kept.
  std::shared_ptr<const SmallResiduals> small_residuals(Array<Index> rows) const;

  // out = B z, n x q.
  virtual void multiply(ConstMatrixView z, MatrixView out) const;
  // out = B shares + E / rest_divisor (0: without E) of the outputs from `first` on (out.cols of them, or none), and
  // diagonal = (B o B) squares + diag N (or none). One pass.
  void products(ConstMatrixView shares, Span<const double> squares, double rest_divisor, Index first, MatrixView out,
                Span<double> diagonal) const;

  // Whether N and E know column k of B.
  bool in_projector(Index k) const { return outside_.empty() || outside_[k] == 0; }
  // The columns of b that N does not know become zero.
  void drop_outside(MatrixView b) const;
  // The share of B_k in P~: p_k, or p_k - 1.
  double share(const SpectrumAt& at, Index k) const { return in_projector(k) ? at.p(k) : at.p(k) - 1; }
  // share Gamma of the outputs [first, first + count), r x count.
  Matrix shared_gamma(const SpectrumAt& at, Index first, Index count) const;
  // The error of the length of a row of N made of off-diagonals, and of the elements of N made by subtraction.
  double row_noise() const;
  double subtraction_noise() const;
  // Makes diag(P~) exactly 0 where it is 0 but for rounding. projects: SpectrumAt's.
  void clear_rounding(bool projects, Span<double> diagonal) const;

  // From g (r x count) to the solution of the outputs [first, first + count).
  virtual void solve(Index first, ConstMatrixView g, Solution& solution) const = 0;
  // c~ at lambda from g; here B g + E / lambda (without E where `rest` is false).
  virtual void coefficients(Index first, ConstMatrixView g, double lambda, bool rest, MatrixView out) const;
  // ResidualMaker::refine. inverse: 1 / (Lambda + lambda), 0 for eigenvalues that count as zero.
  virtual void refine(Index first, Index count, Index steps, double lambda, Span<const double> inverse,
                      Solution& solution) const = 0;
  // z (r x q) = B'kappa of the points[first ...], see ResidualMaker::smoother; variance += that at lambda, if wanted.
  virtual void project(const Points& points, Index first, double lambda, MatrixView z,
                       const Covariances& variance) const = 0;

 protected:
  explicit SpectrumFactorization(ProblemPtr problem) : Factorization(std::move(problem)) {}
  // spectrum.degrees is set here. blur: r numbers, how far a column of B is from orthonormal to the others; empty:
  // rounding alone.
  void set_spectrum(Spectrum spectrum, Array<double> blur = {});
  void set_rest_norm2(Array<double> values) { spectrum_.rest_norm2 = std::move(values); }

  // Products of rows of B with directions, which are zero where N does not know the column of B.
  virtual EachProjectedTile projected_tiles() const = 0;
  // E and diag N for rows of B, from rows of Y~ and q1, by subtraction; in `small` the rows for which that is not good
  // enough.
  void set_rest(ConstMatrixView b, ConstMatrixView y_rows, ConstMatrixView q1_rows, MatrixView rest,
                Span<double> rest_diagonal, Array<Index>& small) const;
  // Gamma, zero where N does not know the column of B.
  ConstMatrixView gamma_inside() const { return outside_.empty() ? spectrum_.gamma.view() : gamma_inside_.view(); }

 private:
  // g of every output at its own lambda.
  Matrix coefficients_of_each(Span<const double> lambdas, bool functions) const;

  Spectrum spectrum_;
  Array<double> blur_;
  Array<char> outside_;  // r: whether N does not know column k of B; empty: N knows them all
  Matrix gamma_inside_;  // Gamma, zero in the columns outside; empty likewise
  double tolerance_ = 0;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const SmallResiduals> small_;  // the last that was asked for
};

}  // namespace freeridge
