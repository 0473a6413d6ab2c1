// The interface of the engines. With G = the leading m x m block of H K_w H (reflected_kernel.hpp) and B the first m
// columns of H,
//     P = B (G + lambda I)^-1 B',   P Y~ and diag P at any lambda
//     LOO, GCV, REML and the solution as in libcore/factor/factorization.hpp, with s = 1
// The answers are known on all ranks, n numbers for each lambda and output.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "libcore/factor/digits.hpp"
#include "libcore/factor/eigenvalues.hpp"
#include "mpi/reflected_kernel.hpp"

namespace freeridge::mpi {

struct Outputs {
  Index first, count;
};

// The answer at one lambda; where there is none, `reason` says why.
struct Answer {
  std::string reason;
  Matrix residual;         // P Y~, n x outputs; where it was wanted
  Array<double> diagonal;  // diag P, n; where it was wanted
  double trace = 0, log_determinant = 0;
  Array<double> squared_norm, quadratic_form;  // |P Y~|^2 and Y~'P Y~ of each output
};

// traces: the traces and norms alone; solution: P Y~ in addition; errors: P Y~ and diag P in addition.
enum class Wanted { traces, solution, errors };

class DenseFactor {
 public:
  virtual ~DenseFactor() = default;
  // Comes first: the kernel matrix, and what is made of it once. Collective.
  virtual void make() = 0;
  // sink(l, answer) for each lambda in turn, on all ranks, within a `together`. Collective.
  using Sink = std::function<void(Index l, const Answer& answer)>;
  virtual void answers(Span<const double> lambdas, Outputs outputs, Wanted wanted, const Sink& sink) = 0;
  // For the search: the range of the eigenvalues of G, as far as it is known, and whether a lambda costs next to
  // nothing.
  virtual EigenvalueRange eigenvalue_range() const = 0;
  virtual bool at_is_free() const = 0;
  virtual const Matrix& k_q1() const = 0;  // K_w q1, n x q
  // noise: the size of rounding errors in the eigenvalues of G. Left-out errors have six digits from lambda = `floor`
  // on.
  virtual double noise() const = 0;
  double floor() const { return sure_of_matrix * noise(); }
  // The reason where there is no answer.
  std::string singular() const {
    return text("K + lambda I is numerically singular (below ", noise(), " eigenvalues are rounding)");
  }
};

// Each rank makes these by itself, and then calls make(). A factor for each lambda, by pdpotrf and pdtrtri:
std::unique_ptr<DenseFactor> factor_by_cholesky(const Team& team, const Grid& grid, const Problem& problem);
// Eigenvalues and eigenvectors, by pdsyevd or ELPA:
std::unique_ptr<DenseFactor> factor_by_eigenvectors(const Team& team, const Grid& grid, const Problem& problem,
                                                    bool elpa);
// The most doubles that each engine allocates on this rank for problems of n x d with t outputs, beside the problem.
Index numbers_of_cholesky(const Dealing& dealing, Index d, Index t);
Index numbers_of_eigenvectors(const Dealing& dealing, Index d, Index t, bool elpa);
// Throws INVALID_ARGUMENT where this rank's share is too large for the numbers of 32 bits that pdsyevd counts in.
void require_workspace(const Dealing& dealing);
bool has_elpa();

}  // namespace freeridge::mpi
