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
// All p are in [0, 1], so nothing overflows and nothing is subtracted at any lambda, 0 included.
// An eigenvalue below its noise is rounding. At lambda >= noise it does not matter; below, it counts as zero, and
// directions of eigenvalue zero are left out of g: that is the minimum-norm solution as lambda -> 0.
//
// B comes in tiles of rows: from storage (StoredSpectrum) or formed from the data at each pass (streamed.cpp).
// Cost a lambda: O(n r t); many lambdas together as two matrix products.
#pragma once

#include <span>
#include <vector>

#include "libcore/factor/contrast.hpp"
#include "libcore/factor/factorization.hpp"

namespace freeridge {

// How a sweep is cut: so many lambdas in one product with so many rows of B, of which B o B is formed by fewer.
struct SweepPieces {
  Index lambdas, rows, squares;
};
SweepPieces sweep_pieces(Index r, Index t, Index lambdas);

struct Spectrum {
  std::vector<double> eigenvalues;  // Lambda, r
  std::vector<double> noise;        // r
  Matrix gamma;                     // r x t
  std::vector<double> rest_norm2;   // |E_j|^2, t; empty without complement
  double blur = 0;                  // the relative error of the columns of B
};

class SpectrumFactorization : public Factorization {
 public:
  Range eigenvalue_range() const override;
  std::optional<Index> rank() const override;
  double tolerance() const override { return tolerance_; }
  bool solves_functions() const override { return true; }
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

  // Rows of B, and of E and diag N where there is a complement. The views live as long as the room and the
  // factorization.
  struct Tile {
    ConstMatrixView b, rest;
    std::span<const double> rest_diagonal;
  };
  struct Room {
    Matrix b, rest, features;
    std::vector<double> rest_diagonal;
  };
  // The rows [row, row + count), or any rows.
  virtual Tile tile(Index row, Index count, Room& room) const = 0;
  virtual Tile gather(std::span<const Index> which, Room& room) const = 0;
  virtual Index tile_rows() const = 0;  // how many at once

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
  virtual void project(const LayoutView& points, Index first, double lambda, MatrixView z,
                       std::span<double> variance) const = 0;

  // E and diag N for rows of B, from rows of Y~ and q1.
  void set_rest(ConstMatrixView b, ConstMatrixView y_rows, std::span<const double> q1_rows, MatrixView rest,
                std::span<double> rest_diagonal) const;

  Index r() const { return static_cast<Index>(spectrum_.eigenvalues.size()); }
  bool complement() const { return r() < problem().degrees(); }
  const Spectrum& spectrum() const { return spectrum_; }

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
  // The absolute error of the elements of N and of I - B_S'B_S, made by subtraction.
  double subtraction_noise() const;
  // Makes diag(P~) exactly 0 where it is 0 but for rounding.
  void clear_rounding(const Weights& weights, std::span<double> diagonal) const;

  Spectrum spectrum_;
  double tolerance_ = 0;
};

// B in storage: n r doubles, and n (t + 1) for E and diag N.
class StoredSpectrum : public SpectrumFactorization {
 protected:
  // storage holds B in its last r = eigenvalues.size() columns.
  StoredSpectrum(ProblemPtr problem, Matrix storage, std::vector<double> eigenvalues, std::vector<double> noise);

  Tile tile(Index row, Index count, Room& room) const override;
  Tile gather(std::span<const Index> which, Room& room) const override;
  Index tile_rows() const override { return problem().n(); }

  ConstMatrixView basis() const { return storage_.view().columns(storage_.cols() - r(), r()); }

 private:
  void orthogonalise_rest(ConstMatrixView b);

  Matrix storage_;
  Matrix rest_;                        // E, n x t; empty without complement
  std::vector<double> rest_diagonal_;  // diag N, n; empty without complement
};

}  // namespace freeridge
