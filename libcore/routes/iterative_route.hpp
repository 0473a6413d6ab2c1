// Iterative route, for kernels that are not linear: the problem of all points, where n is too large for n^2 numbers or
// n^3 operations. Solutions come from conjugate gradients over kernel values that are made anew in each pass
// (iterative_solver.hpp). Each has a bound of its error in the norm of G that is as small as was asked for; otherwise
// the status is NOT_CONVERGED.
//     s = lambda,   P~Y~ = lambda c~,   Y~'P Y~ = Y~'c~,   |f|_K^2 = c~'(Y~ - lambda c~)
// LOO, GCV and tr(P~) are estimated, with standard errors (iterative_estimates.cpp). Answers that need many columns of
// P (left-out errors of single points, leverages, log-determinants) are refused. A few columns, for a few new points or
// a small group of rows, are solved for.
// Memory: n r for the preconditioner, and 6 n t while a lambda is solved for. Cost: set-up n r kernel values and
// 5 n r^2 + 9 r^3; a lambda some 5 to 50 passes of n^2 / 2 kernel values.
#pragma once

#include <memory>
#include <mutex>

#include "libcore/factor/factorization.hpp"
#include "libcore/routes/iterative_neighbourhoods.hpp"
#include "libcore/routes/iterative_solver.hpp"
#include "libcore/spectrum/estimating.hpp"

namespace freeridge {

// How many columns estimates solve for together, unless one lambda has more.
constexpr Index estimated_columns = 64;

class Iterative final : public Estimating {
 public:
  Iterative(ProblemPtr problem, double accuracy);
  Iterative(ProblemPtr problem, ByteReader& in);

  std::unique_ptr<ResidualMaker> at(double lambda) const override;
  bool keeps_solutions() const override { return true; }
  void estimate(Span<const double> lambdas, Index first, Index outputs, Index probes,
                EstimateSink& sink) const override;
  std::unique_ptr<RowBlock> rows(Span<const Index> which) const override;
  void save(ByteWriter& out) const override;

  // The solutions of the outputs [first, first + count) at one lambda. The last ones, 2 t columns, are remembered, and
  // serve for the same lambda and the same outputs only: rounding depends on which columns are solved for together, and
  // an answer must not depend on earlier calls. Throws NOT_CONVERGED.
  struct Solved {
    Matrix c;                // c~, n x count
    Array<double> accuracy;  // relative, in the norm of G
    Array<double> size;      // |c~|_G
    Solved copy() const { return {copy_of(c.view()), accuracy, size}; }
  };
  Solved solved(double lambda, Index first, Index count) const;
  // P b for other right-hand sides, in place.
  void solve(double lambda, MatrixView b) const;
  ConstMatrixView k_q1() const;

 private:
  class Estimates;
  // Made with the factorization; after loading by the first call that needs it.
  struct Parts {
    Parts(const Problem& problem, Index rank);
    KernelPasses passes;
    IterativePreconditioner preconditioner;
    Matrix k_q1;  // K_w q1
  };
  struct Remembered {
    double lambda;
    Index first;
    Solved solved;
  };
  const Parts& parts() const;
  void remember(double lambda, Index first, const Solved& solved) const;
  void require_accuracy(const IterativeColumns& columns, double lambda) const;

  Index rank_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const Parts> parts_;
  mutable std::unique_ptr<const IterativeNeighbourhoods> neighbourhoods_;  // made by the first estimate
  mutable Array<Remembered> remembered_;
};

}  // namespace freeridge
