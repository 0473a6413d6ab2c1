// Iterative route for linear kernels and sparse rows: neither d^2 nor n^2 numbers. X~ as in centred_sparse_rows.hpp,
// and conjugate gradients for each lambda (normal_equations.hpp), with s = lambda:
//     (X~'X~ + lambda I) w_s = X~'Y~,     P~ = I - q1 q1' - X~ (X~'X~ + lambda I)^-1 X~',     P~Y~ = Y~ - X~ w_s
//     Y~'P Y~ = |P~Y~|^2 / lambda + |w_s|^2,     c~ = P~Y~ / lambda
// Each computed w has the accuracy that was asked for, by a proven bound of |w - w_s|_A / |w_s|_A with
// |v|_A^2 = |X~ v|^2 + lambda |v|^2; otherwise the status is NOT_CONVERGED. Several lambdas are solved from large to
// small, each from the solution before.
// The diagonal of P~ is estimated from random signs z (spectrum/estimated_residual_diagonal.hpp), which are further
// columns of the same products. LOO, tr(P~) (GCV) and tr(H) (degrees of freedom) follow from it. The first guess of the
// diagonal takes the columns of x for orthogonal (CentredSparseRows::bounds). Where n (n + d) <= 2^18 the diagonal is
// exact, from the columns of P~. Answers about single points (left-out errors, leverages, groups) and log-determinants
// are refused. lambda below 4 eps times the largest eigenvalue: NOT_POSITIVE_DEFINITE.
// The standard errors of estimates include the errors of solutions that end early, by their bounds (early_errors).
// Memory: x once more, X~'Y~, and while a lambda is solved for (13 d + n) (t + 8).
// Cost: 4 flops an entry and column in each step, 20 to 500 steps a lambda.
#pragma once

#include <memory>

#include "libcore/base/bytes.hpp"
#include "libcore/factor/factorization.hpp"
#include "libcore/routes/normal_equations.hpp"
#include "libcore/spectrum/estimating.hpp"

namespace freeridge {

class SparseIterative final : public Estimating {
 public:
  SparseIterative(ProblemPtr problem, double accuracy);
  SparseIterative(ProblemPtr problem, ByteReader& in);
  void save(ByteWriter& out) const override;

  std::unique_ptr<ResidualMaker> at(double lambda) const override;
  std::unique_ptr<RowBlock> rows(Span<const Index>) const override { refuse("errors left out of groups"); }
  void estimate(Span<const double> lambdas, Index first, Index outputs, Index probes,
                EstimateSink& sink) const override;
  [[nodiscard]] bool solve_each(Span<const double> lambdas, Solution& solution) const override;

  // Whether the diagonal of P~ is exact, from n columns, and how many columns estimates solve for.
  static bool exact(Index n, Index d) { return n <= most_exact_doubles && n * (n + d) <= most_exact_doubles; }
  static Index columns(Index n, Index d, Index probes) { return exact(n, d) ? n : probes; }

  const CentredSparseRows& rows() const { return rows_; }
  // X~'Y~, d x t.
  const Matrix& products() const { return xy_; }
  // Throws NOT_POSITIVE_DEFINITE where lambda is as small as rounding.
  void require_lambda(double lambda) const;
  // The outputs [first, first + count), or other right-hand sides, solved; throws NOT_CONVERGED.
  NormalColumns solved(double lambda, ConstMatrixView b, ConstMatrixView start) const;
  // P~Y~ for the outputs [first, first + out.cols) from their w_s.
  void residual(Index first, ConstMatrixView w_s, MatrixView out) const;

 private:
  void set();
  // Random signs, or for few rows the unit vectors.
  bool exact() const { return exact(problem().n(), problem().d()); }
  void probe(Index p, Span<double> z) const;
  // X~'z, d x columns.
  Matrix probe_products(Index count) const;
  // z_i (H z)_i from the solutions for probe_products, n x columns.
  Matrix hat_products(ConstMatrixView solutions) const;
  // Bounds of the errors that solutions which end early leave in |P~Y~|_2 of each output, in the trace, and in |P~ z|_2
  // of all probes.
  struct EarlyErrors {
    Array<double> of_outputs;
    double of_trace = 0, of_probes = 0;
  };
  // hat: of hat_products, corrected for few rows.
  EarlyErrors early_errors(const NormalColumns& made, ConstMatrixView b, Index outputs, MatrixView hat) const;
  void give(Index lambda, double value, ConstMatrixView residual, Matrix hat, const EarlyErrors& errors,
            EstimateSink& sink) const;

  static constexpr Index most_exact_doubles = 1 << 18;
  CentredSparseRows rows_;
  NormalEquations equations_;
  Matrix xy_;
};

}  // namespace freeridge
