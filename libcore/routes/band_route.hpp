// Dual band route, for any kernel and many lambdas at large n: Z'K_wZ = Q B Q' with B banded (band_reduction.hpp), and
// no eigenvectors. With ZQ (n x m) and Gamma = (ZQ)'Y~ a lambda costs a banded factorization B + lambda I = L L':
//     T = ZQ L^-T                               row by row, 2 n m b flops (band_kernels.hpp)
//     diag P = the squared norms of the rows of T,   P_SS = T_S T_S'
//     P Y~ = ZQ (B + lambda I)^-1 Gamma,   |P Y~| = |(B + lambda I)^-1 Gamma|,   Y~'P Y~ = |L^-1 Gamma|^2
//     log|Z'GZ| = 2 sum log L_ii,   tr P = tr (B + lambda I)^-1 by the inverse within the band
//     H_ii = 1 - rho P~_ii
//     H_ii = |q1_i|^2 + (K_ii - |L^-1 B q_i|^2) / lambda,   q_i: row i of ZQ
// The second form of H_ii serves where lambda exceeds the largest eigenvalue: there the first one loses digits.
// s = smallest eigenvalue + lambda. Once: n^2 kernel values, 4/3 m^3 flops for B; 4/3 m^3 more for Q when its rows are
// first needed (GCV, REML, the solution and predictions do not need them). Memory: n^2, in which the reflectors and
// then Q take the place of K.
#pragma once

#include <optional>
#include <shared_mutex>

#include "libcore/base/array.hpp"
#include "libcore/factor/digits.hpp"
#include "libcore/factor/factorization.hpp"
#include "libcore/factor/reduced_kernel.hpp"
#include "libcore/linalg/band_kernels.hpp"
#include "libcore/routes/banded_factor.hpp"

namespace freeridge {

struct BandFactor : BandedFactor {
  double s;  // in the factor's unit
};

inline constexpr Index strip = BandKernels::strip;
constexpr Index solved_columns = 512;  // of T at once, for a block of rows

// How a sweep is cut: the number of lambdas whose factors are kept together, and the number of rows of ZQ in a tile,
// which does not depend on the lambdas.
struct BandPieces {
  Index lambdas, rows;
};
BandPieces band_pieces(Index n, Index bandwidth, Index t, Index lambdas);

class Band final : public Factorization {
 public:
  // Z'K_wZ in the kernel is overwritten.
  Band(ProblemPtr problem, ReducedKernel kernel, Index bandwidth, bool with_basis);

  Route route() const override { return Route::band; }
  EigenvalueRange eigenvalue_range() const override;
  double tolerance() const override { return tolerance_; }
  double floor() const override { return smallest_direction().floor(); }
  // From saved bytes, of which the bandwidth and how much of Q is formed have been read.
  Band(ProblemPtr problem, ReducedKernel kernel, Index bandwidth, Index formed_from, ByteReader& in);
  void save(ByteWriter& out) const override;
  std::shared_ptr<const void> hold() const override;

  Eigenvalues eigenvalues() const override;
  void eigenvectors(MatrixView) const override {
    fail(Status::invalid_state, "the BAND route has no eigenvectors; set the route SPECTRAL");
  }
  std::unique_ptr<ResidualMaker> at(double lambda) const override;
  // The factor of a lambda keeps two matrices of the size of Gamma, so lambdas are taken one at a time.
  bool at_is_free() const override { return false; }
  std::unique_ptr<RowBlock> rows(Span<const Index> which) const override;
  void sweep(Span<const double> lambdas, Index first, Index outputs, SweepSink& sink) const override;

  const Contrast& contrast() const { return kernel_.contrast; }
  const BandMatrix& b() const { return b_; }
  Index bandwidth() const { return b_.bandwidth(); }
  const BandKernels& kernels() const { return kernels_; }
  double largest() const { return bounds_.largest; }
  // The direction of the smallest eigenvalue, as digits.hpp takes it.
  Direction smallest_direction() const { return {bounds_.smallest, tolerance_, sure_of_matrix}; }
  ConstMatrixView k_q1() const { return kernel_.k_q1.view(); }

  // Throws NOT_POSITIVE_DEFINITE.
  BandFactor factor(double lambda) const;
  // Z Q c in the rows of `out` (n x k), from C = rows(out); and (ZQ)'v in rows(v) from v.
  void expand(MatrixView out) const;
  MatrixView reduce(MatrixView v) const;

  // Forms Q, unless it is formed already.
  void require_basis() const;
  // The rows `which` of ZQ, of its columns [col, col + cols), as strips, `apart` numbers from one to the next: each
  // padded(cols) x strip by columns, zeros beyond.
  void pack(Span<const Index> which, Index col, Index cols, double* strips, Index apart) const;
  // Rows [row, row + out.rows) of ZQ g.
  void multiply_rows(Index row, ConstMatrixView g, MatrixView out) const;
  // The flops of the factor of a lambda and of its row coefficients.
  double work_of_factor() const {
    return 40.0 * static_cast<double>(contrast().m() * bandwidth()) +
           static_cast<double>(gamma_.rows() * gamma_.cols());
  }
  static Index strip_doubles(Index cols) { return BandKernels::padded(cols) * BandKernels::strip; }
  Index strip_doubles() const { return strip_doubles(contrast().m()); }
  // How many rows are a piece of work: the same for any number of threads, so that the answers do not depend on it.
  Index tile_rows() const { return band_pieces(problem().n(), bandwidth(), 1, 1).rows; }
  // diag(P) at several lambdas (row_coefficients of each), rows [row, row + out.rows) x lambdas, over unit.
  void squared_norms(Index row, Span<const Array<double>> coefficients, MatrixView out) const;

 private:
  BandKernels kernels_ = band_kernels().front();
  ReducedKernel kernel_;  // its storage has the reflectors, and then Q
  BandMatrix b_;
  mutable std::shared_mutex forming_;  // held alone while Q is formed
  mutable std::shared_mutex held_;     // taken before forming_; shared by those for whom Q must not be formed
  mutable std::optional<BandBasis> basis_;
  Matrix tail_;   // Q'V[q:] of the contrast's reflector, m x q
  Matrix gamma_;  // m x t
  EigenvalueBounds bounds_{0, 0};
  double tolerance_ = 0;
};

}  // namespace freeridge
