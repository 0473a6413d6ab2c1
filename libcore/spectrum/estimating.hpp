// Routes that can multiply with P~ but do not know its diagonal. They estimate it with probes, whose columns share the
// passes of the solutions (estimated_residual_diagonal.hpp). Answers that would take a solution for each point are
// refused here, for all such routes.
#pragma once

#include <mutex>
#include <string>

#include "libcore/factor/factorization.hpp"
#include "libcore/spectrum/estimated_residual_diagonal.hpp"

namespace freeridge {

// Takes what is known at each of some lambdas, once each, in any order.
class EstimateSink {
 public:
  virtual ~EstimateSink() = default;
  // Whether this is good enough. If not, P~_ii of the most uncertain rows is solved for, row by row.
  virtual bool enough(ConstMatrixView residual, const DiagonalEvidence& evidence) const = 0;
  // residual: P~Y~ of the outputs that were asked for. What is handed over lives as long as the call.
  virtual void at(Index lambda, ConstMatrixView residual, const DiagonalEvidence& evidence) = 0;
  // There is no solution at this lambda, and why.
  virtual void undefined(Index lambda, const std::string& reason) = 0;
};

// The usual number of probes: 7, which with one output makes eight columns, and more where the points are few, as the
// error of a mean over points falls with the root of points x probes.
Index usual_probes(Index n);

class ByteReader;  // bytes.hpp

class Estimating : public Factorization {
 public:
  const Estimating* estimating() const final { return this; }
  Route route() const final { return Route::iterative; }
  EigenvalueRange eigenvalue_range() const final { return range_; }
  double tolerance() const final { return tolerance_; }
  double floor() const final { return tolerance_; }
  Eigenvalues eigenvalues() const final { refuse("eigenvalues"); }
  void eigenvectors(MatrixView) const final { refuse("eigenvectors"); }
  bool at_is_free() const final { return false; }

  // For the outputs [first, first + outputs), with so many probes, which are the same for every lambda and every call.
  virtual void estimate(Span<const double> lambdas, Index first, Index outputs, Index probes,
                        EstimateSink& sink) const = 0;
  // tr(P~), from the usual probes. Throws NOT_CONVERGED.
  Estimate trace(double lambda) const;

  // "the ITERATIVE route knows no <what>; ..."
  [[noreturn]] static void refuse(const char* what);

 protected:
  // accuracy: of each solution, relative, in the norm that the route bounds.
  Estimating(ProblemPtr problem, double accuracy) : Factorization(std::move(problem)), accuracy_(accuracy) {}
  Estimating(ProblemPtr problem, ByteReader& in);

  // Messages. not_converged: a solution is certain to less than `wanted`, the accuracy that the user asked for.
  // estimate_not_converged: the same for a solution that estimates are made of, whose accuracy is not the user's.
  static std::string not_converged(double lambda, double accuracy, double wanted);
  static std::string estimate_not_converged(double lambda, double accuracy, double wanted);
  // Which of the columns [first, first + count) is farthest from the accuracy that was wanted for it.
  template <class Columns>
  static Index worst_column(const Columns& solved, Span<const double> wanted, Index first, Index count) {
    Index worst = first;
    for (Index j = first; j < first + count; ++j)
      if (!(solved.accuracy(j) / wanted[j] <= solved.accuracy(worst) / wanted[worst])) worst = j;
    return worst;
  }

  double accuracy_;
  EigenvalueRange range_{};
  double tolerance_ = 0;
};

// P~ with s = lambda. Its trace is an estimate, made when it is first asked for.
class EstimatingMaker : public ResidualMaker {
 public:
  void diagonal(Span<double>) const final { Estimating::refuse("errors left out of single points"); }
  void residual_and_diagonal(Index, MatrixView, Span<double> out) const final { diagonal(out); }
  double trace() const final;
  bool below_floor() const final { return false; }
  double shrinkage() const final { return 1; }
  void leverage(Span<double>) const final { Estimating::refuse("leverages"); }
  double degrees_of_freedom() const final;
  double log_determinant() const final { Estimating::refuse("log-determinant, and so no REML"); }

 protected:
  EstimatingMaker(const Estimating& of, double lambda) : lambda_(lambda), of_(of) {}
  double lambda_;

 private:
  const Estimating& of_;
  mutable std::mutex mutex_;
  mutable std::optional<double> trace_;
};

}  // namespace freeridge
