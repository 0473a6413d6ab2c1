#include "libcore/select/estimated_criteria.hpp"

#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/spectrum/estimating.hpp"

namespace freeridge {
namespace {

constexpr double sharp = 0.004;  // relative: the error of a LOO that needs no solutions for single rows

class EstimateSum final : public EstimateSink {
 public:
  EstimateSum(const Problem& problem, Criterion criterion, Span<const double> lambdas, MatrixView scores,
              MatrixView errors, MatrixView uncertainty)
      : problem_(problem),
        criterion_(criterion),
        lambdas_(lambdas),
        scores_(scores),
        errors_(errors),
        uncertainty_(uncertainty) {}

  bool enough(ConstMatrixView residual, const DiagonalEvidence& evidence) const override {
    if (criterion_ == Criterion::gcv) return true;
    for (Index j = 0; j < residual.cols; ++j) {
      const Estimate loo = estimated_loo(evidence, {residual.col(j), residual.rows}, problem_.sum_w);
      if (!(loo.error <= sharp * loo.value)) return false;
    }
    return true;
  }

  void at(Index lambda, ConstMatrixView residual, const DiagonalEvidence& evidence) override {
    const bool gcv = criterion_ == Criterion::gcv;
    const Estimate trace = gcv || evidence.trace_error > 0 ? estimated_trace(evidence.raw) : Estimate{};
    const auto put_with = [&](Index j, Estimate estimate) {
      const Span<const double> c(residual.col(j), residual.rows);
      estimate.error = std::hypot(estimate.error, error_of_solutions(evidence, trace.value, j, c, estimate.value));
      put(lambda, j, estimate);
    };
    if (gcv) {
      for (Index j = 0; j < residual.cols; ++j) {
        const double norm = norm2(residual.rows, residual.col(j));
        put_with(j, estimated_gcv(problem_.n(), norm * norm, trace));
      }
      return;
    }
    for (Index j = 0; j < residual.cols; ++j) {
      put_with(j, estimated_loo(evidence, {residual.col(j), residual.rows}, problem_.sum_w));
      if (errors_.data != nullptr)
        errors_(lambda, j) = error_of_mean(evidence.base, residual.col(j), scores_(lambda, j));
    }
  }

  void undefined(Index lambda, const std::string& reason) override {
    keep_first(reason_, text(reason, " (lambda = ", lambdas_[lambda], ")"));
    for (Index j = 0; j < scores_.cols; ++j) put(lambda, j, {nan, nan});
  }

  const std::string& finish() {
    if (errors_.data != nullptr && problem_.n() == 1) keep_first(reason_, one_term());
    return reason_;
  }

 private:
  void put(Index lambda, Index j, Estimate estimate) {
    if (!std::isfinite(estimate.value)) {
      keep_first(reason_, text("the criterion has no value (lambda = ", lambdas_[lambda], ")"));
      estimate = {nan, nan};
    }
    scores_(lambda, j) = estimate.value;
    if (uncertainty_.data != nullptr) uncertainty_(lambda, j) = estimate.error;
    if (errors_.data != nullptr) errors_(lambda, j) = nan;
  }

  double error_of_mean(Span<const double> d, const double* c, double mean) const {
    double sum = 0;
    for (Index i = 0; i < problem_.n(); ++i) {
      const double e = c[i] / d[i] / problem_.sqrt_w[i];
      sum += problem_.weight(i) / problem_.sum_w * (e * e - mean) * (e * e - mean);
    }
    return problem_.n() > 1 && !std::isnan(mean) ? std::sqrt(sum / static_cast<double>(problem_.n() - 1)) : nan;
  }

  const Problem& problem_;
  Criterion criterion_;
  Span<const double> lambdas_;
  MatrixView scores_, errors_, uncertainty_;
  std::string reason_;
};

}  // namespace

std::string estimated_scores(const Factorization& factorization, Criterion criterion, Span<const double> lambdas,
                             Index first, MatrixView scores, MatrixView errors, MatrixView uncertainty, Index probes) {
  if (criterion != Criterion::loo && criterion != Criterion::gcv)
    fail(Status::invalid_state, "criterion is ", name_of(criterion),
         ", which takes a solution for each point on the ITERATIVE route; take LOO or GCV, another route, or "
         "landmarks");
  EstimateSum sum(factorization.problem(), criterion, lambdas, scores, errors, uncertainty);
  if (probes == 0) probes = usual_probes(factorization.problem().n());
  factorization.estimating()->estimate(lambdas, first, scores.cols, probes, sum);
  return sum.finish();
}

}  // namespace freeridge
