// The heart. Every route is a way to apply one symmetric n x n matrix, the residual maker, up to a positive scalar s
// that the route knows, and what users ask for are ratios in which s cancels. With G = K_w + lambda I, K_w = W^(1/2) K
// W^(1/2), Y~ = W^(1/2) Y, 1~ = W^(1/2) 1 (numerics.md has the derivations):
//
//     P~ = s P,   P = G^-1 - G^-1 1~ 1~' G^-1 / (1~' G^-1 1~)        without intercept P = G^-1
//     rho P~ = I - H                                                  rho = lambda / s, in [0, 1] for the spectral
//     routes LOO     e_i = (P~Y~)_i / (P~_ii sqrt(W_ii)) group   e_S = W_S^(-1/2) (P~_SS)^-1 (P~Y~)_S GCV     n
//     |P~Y~|^2 / tr(P~)^2 c       = W^(1/2) P Y~
//
// The choice of s is what makes lambda -> 0 work: s = lambda where K is singular (P~ tends to the residual maker of
// least squares), s = smallest eigenvalue + lambda in general, s = a power of two for Cholesky. The intercept is folded
// in by the route (contrast.hpp); select/ and model/ never see it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/factor/solution.hpp"
#include "libcore/progress.hpp"

namespace freeridge {

enum class Route : std::int32_t { automatic = 0, cholesky = 1, spectral = 2, primal = 4 };

// P~ at one lambda. Immutable; every call is const and may run beside others.
class ResidualMaker {
 public:
  virtual ~ResidualMaker() = default;

  // P~Y~ for the outputs [first, first + out.cols), n x out.cols.
  virtual void residual(Index first, MatrixView out) const = 0;
  // diag(P~), n numbers. An exact 0 marks a point whose left-out error does not exist.
  virtual void diagonal(std::span<double> out) const = 0;
  // P~_SS, lower triangle.
  virtual void block(std::span<const Index> rows, MatrixView out) const = 0;
  // tr(P~)
  virtual double trace() const = 0;
  // rho = lambda / s: I - H = rho P~.
  virtual double shrinkage() const = 0;
  // diag(H), n numbers: the leverages, the intercept's share included.
  virtual void leverage(std::span<double> out) const = 0;

  // What REML needs, with the true scale: log|Z'GZ| and Y~'P Y~ of one output (-Inf and Inf where P does not exist).
  virtual double log_determinant() const = 0;
  virtual double quadratic_form(Index output) const = 0;
  // |P~Y~|^2 of one output.
  virtual double squared_norm(Index output) const = 0;

  // c~ = P Y~, the minimum-norm one where P does not exist, for outputs [first, first + out.cols), n x out.cols.
  virtual void coefficients(Index first, MatrixView out) const = 0;
  // The solution for outputs [first, first + count), into a Solution with room for all t.
  virtual void solve(Index first, Index count, Solution& solution) const = 0;
};

// Takes the tiles of a sweep over many lambdas. residual: rows x (lambdas * outputs), the j-th output of lambda l in
// column l * outputs + j; diagonal: rows x lambdas.
class SweepSink {
 public:
  virtual ~SweepSink() = default;
  virtual void tile(Index row, Index lambda, Index lambdas, ConstMatrixView residual, ConstMatrixView diagonal) = 0;
  // There is no P~ at this lambda, and why.
  virtual void undefined(Index lambda, const std::string& reason) = 0;
};

class Factorization {
 public:
  explicit Factorization(ProblemPtr problem) : problem_(std::move(problem)) {}
  virtual ~Factorization() = default;

  const Problem& problem() const { return *problem_; }
  virtual Route route() const = 0;

  // The eigenvalues of Z'K_wZ that are not zero lie between these, as far as the route can tell; both 0 if there are
  // none.
  struct Range {
    double smallest, largest;
  };
  virtual Range eigenvalue_range() const = 0;

  // P~ at lambda >= 0. It must not outlive the factorization. Throws NOT_POSITIVE_DEFINITE (Cholesky).
  virtual std::unique_ptr<ResidualMaker> at(double lambda) const = 0;

  // (P~Y~, diag P~) at many lambdas for the outputs [first, first + outputs), in tiles, each (row, lambda) once;
  // nothing of size n x lambdas is kept. Here: lambda by lambda; routes that can share work between lambdas overrule
  // it.
  virtual void sweep(std::span<const double> lambdas, Index first, Index outputs, SweepSink& sink,
                     const Progress& progress) const;

 protected:
  ProblemPtr problem_;
};

using FactorizationPtr = std::shared_ptr<const Factorization>;

// The routes. Cost and memory are said in their files.
FactorizationPtr factorize_cholesky(ProblemPtr problem, const Progress& progress);
FactorizationPtr factorize_spectral(ProblemPtr problem, const Progress& progress);
FactorizationPtr factorize_primal(ProblemPtr problem, const Progress& progress);

}  // namespace freeridge
