// The interface of all routes. A route applies the residual maker P, a symmetric n x n matrix, times a number s > 0
// that the route chooses. With G = K_w + lambda I, K_w = W^(1/2) K W^(1/2), Y~ = W^(1/2) Y, 1~ = W^(1/2) 1
// (derivations: numerics.md)
//
//     P~ = s P,   P = G^-1 - G^-1 1~ 1~' G^-1 / (1~' G^-1 1~)        without intercept P = G^-1; with fixed effects
//                                                                    W^(1/2) [1, F] stands in the place of 1~
//     rho P~ = I - H,   rho = lambda / s, in [0, 1] for the routes that know the spectrum
//     LOO     e_i = (P~Y~)_i / (P~_ii sqrt(W_ii))
//     group   e_S = W_S^(-1/2) (P~_SS)^-1 (P~Y~)_S
//     GCV     n |P~Y~|^2 / tr(P~)^2
//     c       = W^(1/2) P Y~
//
// s cancels in LOO, group errors and GCV, and keeps P~ finite as lambda -> 0: s = lambda where K is singular (P~ tends
// to the residual maker of least squares), s = smallest eigenvalue + lambda in general, s = a power of two for
// Cholesky. Routes take care of the intercept and of fixed effects (contrast.hpp); select/ and model/
// do not.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "libcore/base/array.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/factor/digits.hpp"
#include "libcore/factor/eigenvalues.hpp"
#include "libcore/factor/feature_system.hpp"
#include "libcore/factor/solution.hpp"

namespace freeridge {

enum class Route : std::int32_t {
  automatic = 0,
  cholesky = 1,
  spectral = 2,
  band = 3,
  primal = 4,
  landmark = 5,
  iterative = 6
};

// P~ at one lambda. Immutable; every call is const and may run beside others.
class ResidualMaker {
 public:
  virtual ~ResidualMaker() = default;

  // P~Y~ for the outputs [first, first + out.cols), n x out.cols.
  virtual void residual(Index first, MatrixView out) const = 0;
  // diag(P~), n numbers. An exact 0 marks a point whose left-out error does not exist.
  virtual void diagonal(Span<double> out) const = 0;
  // Both, in one pass over the data where the route makes passes.
  virtual void residual_and_diagonal(Index first, MatrixView out, Span<double> diagonal_out) const {
    residual(first, out);
    diagonal(diagonal_out);
  }
  // tr(P~)
  virtual double trace() const = 0;
  // Whether its errors left out may have fewer than six digits (digits.hpp).
  virtual bool below_floor() const = 0;
  // rho = lambda / s: I - H = rho P~.
  virtual double shrinkage() const = 0;
  // s. Not of ITERATIVE, as what outputs with missing values need (below).
  virtual double scale() const { never_asked(); }
  // diag(H), n numbers: the leverages, the intercept's share included.
  virtual void leverage(Span<double> out) const = 0;
  // tr(H)
  virtual double degrees_of_freedom() const = 0;

  // For REML: log|Z'GZ| and Y~'P Y~ of one output, with P instead of P~. -Inf and Inf where P does not exist.
  virtual double log_determinant() const = 0;
  virtual double quadratic_form(Index output) const = 0;
  // |P~Y~|^2 of one output.
  virtual double squared_norm(Index output) const = 0;
  // |f|_K^2 = c~'K_w c~ of one output.
  virtual double function_norm2(Index output) const = 0;

  // c~ = P Y~ for outputs [first, first + out.cols), n x out.cols; the c~ of minimum norm where P does not exist. (The
  // landmark route: c itself, zero in rows that are no landmarks.)
  virtual void coefficients(Index first, MatrixView out) const = 0;
  // The solution for outputs [first, first + count), into a Solution with room for all t.
  virtual void solve(Index first, Index count, Solution& solution) const = 0;

  // Refines the solution that solve has made, with residuals in twice the working precision (refinement.hpp), in at
  // most `steps` steps. Throws INVALID_STATE on a route without refinement. Not of ObservedRows.
  virtual void refine(Index /*first*/, Index /*count*/, Index /*steps*/, Solution&) const { never_asked(); }

  // c += the part of c whose function sum_i c_i k(x_i, .) is zero, refined by one step. solve and refine leave this
  // part out (solves_functions).
  virtual void complete(Index, Index, Solution&) const {}

  // For the new points x*_q = points[first + q]: column q of `a` (n x q) is the smoother row a(x*_q), f(x*_q) + b =
  // a'Y:
  //     a = W^(1/2) (P kappa + q1 g),   kappa = W^(1/2) k(X, x*) - K_w q1 g,   g as Problem::directions has it
  // variance: the posterior variances of f(x*_q) + b over tau^2 are added, or the covariances of all points (then
  // `points` are these alone, and first = 0); NaN for precomputed kernels, whose k(x*, x*) is not known:
  //     lambda |g|^2 + k~(x*, x*) - kappa'P kappa,   k~ = k(x*, x*) - 2 g'q1'W^(1/2) k(X, x*) + g'q1'K_w q1 g
  // Either may be empty: not wanted. Lambda = 0: directions of eigenvalue zero are left out.
  virtual void smoother(const Points& points, Index first, MatrixView a, const Covariances& variance) const = 0;

  // The columns [first, first + cols) of two symmetric n x n matrices; either view may be without columns: not wanted.
  //     hat      W^(1/2) H W^(-1/2) = I - lambda P
  //     inverse  the matrix that maps Y~ to c~: P; at lambda = 0, where P may not exist, the pseudo-inverse of
  //              (I - q1 q1') K_w (I - q1 q1'). The landmark route has the K that its landmarks span.
  // Not of ObservedRows.
  virtual void columns(Index /*first*/, MatrixView /*hat*/, MatrixView /*inverse*/) const { never_asked(); }

  // For outputs that are not observed in some rows (observed_rows.hpp).
  // The columns `which` of P~, n x which.size().
  virtual void columns_of(Span<const Index> /*which*/, MatrixView /*out*/) const { never_asked(); }
  // All of P~, n x n, and what `diagonal` has.
  virtual void whole(MatrixView out, Span<double> diagonal_out) const;
  // The solution for Y~ less e in the rows `which`. residual: P~ times these outputs. e and residual have a column for
  // each output.
  virtual void solve_without(Span<const Index> /*which*/, ConstMatrixView /*e*/, ConstMatrixView /*residual*/,
                             Index /*first*/, Solution& /*solution*/) const {
    never_asked();
  }
  // For a P~ of some rows alone: the other rows; P~ of all rows; and by how much the numbers that one output has in the
  // other rows are above their predictions.
  virtual Span<const Index> unobserved() const { return {}; }
  virtual const ResidualMaker& of_all() const { return *this; }
  virtual Array<double> excess(Index /*output*/) const { return {}; }

 private:
  [[noreturn]] static void never_asked() {
    fail(Status::internal, "an answer was asked of a P~ that does not have it");
  }
};

// Some rows S of a factorization.
class RowBlock {
 public:
  virtual ~RowBlock() = default;
  // (P~_SS)^-1 (P~Y~)_S for the outputs [first, first + out.cols), s x out.cols, P~ at a lambda of the same
  // factorization. False, and `out` has no meaning, when P~_SS is singular to working precision.
  [[nodiscard]] virtual bool left_out(const ResidualMaker& residual_maker, Index first, MatrixView out) const = 0;
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

class ByteWriter;  // bytes.hpp
class Estimating;  // spectrum/estimating.hpp

class Factorization {
 public:
  explicit Factorization(ProblemPtr problem) : problem_(std::move(problem)) {}
  virtual ~Factorization() = default;

  const Problem& problem() const { return *problem_; }
  virtual Route route() const = 0;

  // Of the eigenvalues of Z'K_wZ, as far as the route can tell.
  virtual EigenvalueRange eigenvalue_range() const = 0;
  // How many eigenvalues are not zero to working precision, where the route knows.
  virtual std::optional<Index> rank() const { return std::nullopt; }
  // Eigenvalues below it are rounding.
  virtual double tolerance() const = 0;
  // All of them, as far as they are not zero; some routes compute them here. Throws INVALID_STATE where the route knows
  // none.
  virtual Eigenvalues eigenvalues() const = 0;
  // The eigenvectors Z U of the largest ones, n x out.cols. Throws INVALID_STATE where the route has none.
  virtual void eigenvectors(MatrixView out) const = 0;

  // From this lambda on left-out errors have six digits (digits.hpp); 0: at every lambda.
  virtual double floor() const = 0;
  // From this lambda on no answer is flagged: the floor, or more where landmarks that were left out may matter above.
  virtual double flagged_below() const { return floor(); }

  // Whether solve may leave out a part of c whose function, sum_i c_i k(x_i, .), is zero.
  virtual bool solves_functions() const { return false; }

  // Whether the coefficients of the solution are c itself, and making them again would cost as much as the solution.
  virtual bool keeps_solutions() const { return false; }

  // The landmarks of the landmark route, in the order given or chosen.
  virtual Span<const Index> landmarks() const { return {}; }

  // P~ at lambda >= 0. It must not outlive the factorization. Throws NOT_POSITIVE_DEFINITE (Cholesky).
  virtual std::unique_ptr<ResidualMaker> at(double lambda) const = 0;
  // The same, or NULL where `at` throws NOT_POSITIVE_DEFINITE: `undefined` is told the words.
  template <class Undefined>
  std::unique_ptr<ResidualMaker> try_at(double lambda, const Undefined& undefined) const {
    try {
      return at(lambda);
    } catch (const Error& error) {
      if (error.status() != Status::not_positive_definite) throw;
      undefined(error.what());
      return nullptr;
    }
  }
  // Solutions in one product, column by column at lambdas[j]: column j is of output j mod t; the number of columns is a
  // multiple of t. False, and nothing is done, on routes that need a P~ for each lambda.
  [[nodiscard]] virtual bool solve_each(Span<const double> /*lambdas*/, Solution& /*solution*/) const { return false; }
  // The same for c~ (ResidualMaker::coefficients), n rows.
  [[nodiscard]] virtual bool coefficients_each(Span<const double> /*lambdas*/, MatrixView /*out*/) const {
    return false;
  }
  // Whether at() costs next to nothing, so that lambdas may be the inner loop.
  virtual bool at_is_free() const { return true; }
  // The rows `which`, to be left out together at many lambdas. It must not outlive the factorization.
  virtual std::unique_ptr<RowBlock> rows(Span<const Index> which) const = 0;

  // (P~Y~, diag P~) at many lambdas for the outputs [first, first + outputs), in tiles that cover each (row, lambda)
  // once; nothing of size n x lambdas is kept. Here lambda by lambda; routes override it to share work between lambdas.
  virtual void sweep(Span<const double> lambdas, Index first, Index outputs, SweepSink& sink) const;

  // The ridge problem in few features that the route has made of the data, at lambda >= 0; nothing on other routes.
  // O(p^3) for p features.
  virtual std::optional<FeatureSystem> feature_system(double /*lambda*/) const { return std::nullopt; }
  // X~'P, d x n, at lambda: the slopes w for each unit vector in the place of Y~. On PRIMAL without a complement.
  virtual Matrix unit_slopes(double /*lambda*/) const { fail(Status::internal, "slopes of units are those of PRIMAL"); }

  // This object, on routes that estimate the diagonal of P~; NULL on others.
  virtual const Estimating* estimating() const { return nullptr; }

  // What load_factorization reads (saved_route.hpp).
  virtual void save(ByteWriter& out) const = 0;
  // While the returned handle lives, save writes the same bytes each time: no part of the factorization is made, and
  // calls that need one which is still to be made wait. NULL where all parts are made at once.
  virtual std::shared_ptr<const void> hold() const { return nullptr; }

 protected:
  ProblemPtr problem_;
};

using FactorizationPtr = std::shared_ptr<const Factorization>;

}  // namespace freeridge
