#include "libcore/select/criteria.hpp"

#include <cmath>
#include <numbers>

#include "libcore/base/constants.hpp"
#include "libcore/select/estimated_criteria.hpp"
#include "libcore/select/group_criteria.hpp"
#include "libcore/select/observed_scores.hpp"
#include "libcore/select/point_criteria.hpp"
#include "libcore/spectrum/estimating.hpp"

namespace freeridge {

double gcv(Index n, double squared_norm, double trace) {
  return static_cast<double>(n) * (squared_norm / trace) / trace;
}

double reml(Index degrees, double s2, double quadratic_form, double log_determinant, double log_weights) {
  const double m = static_cast<double>(degrees);
  return (m * std::log(2 * std::numbers::pi * s2) + quadratic_form / s2 + log_determinant + log_weights) / 2;
}

double reml(const Problem& problem, Index output, double lambda, double quadratic_form, double log_determinant) {
  const Copies& copies = problem.copies_of(output);
  return reml(
      problem.reml_degrees_of(output), problem.prior_variance(output, lambda, quadratic_form), quadratic_form,
      copies.count == 0 ? log_determinant : log_determinant - static_cast<double>(copies.count) * std::log(lambda),
      problem.unpenalised.log_determinant() - problem.sum_log_w_of(output) - copies.log_weights);
}

std::string no_left_out_error(Index row) {
  return text("the leave-one-out error of row ", row, " is undefined: its leverage is one");
}

std::string no_score(Criterion criterion, Index output) {
  return text("the criterion of output ", output, " has no value",
              criterion == Criterion::reml ? "; REML has none for an output that does not vary" : "");
}

std::string one_term() {
  return "the standard error is undefined: the criterion is a mean of one term";
}

std::string error_overflows(Index output) {
  return text("the standard error of output ", output, " overflows");
}

std::string loo_errors(const Problem& problem, const ResidualMaker& residual_maker, Index first, MatrixView out) {
  Array<double> diagonal(problem.n());
  residual_maker.residual_and_diagonal(first, out, diagonal);
  problem.clear_decisive(0, diagonal);
  std::string reason;
  auto missing = residual_maker.unobserved().begin();
  for (Index i = 0; i < out.rows; ++i) {
    const double p = diagonal[i];
    if (missing != residual_maker.unobserved().end() && *missing == i)
      ++missing;
    else if (p == 0)
      keep_first(reason, no_left_out_error(i));
    for (Index j = 0; j < out.cols; ++j) {
      out(i, j) = p == 0 ? nan : out(i, j) / p / problem.sqrt_w[i];
      if (p != 0 && !std::isfinite(out(i, j)))
        fail(Status::not_finite, "the leave-one-out error of row ", i, " overflows; rescale y or x");
    }
  }
  return reason;
}

std::string scores(const Factorization& factorization, Criterion criterion, const Groups* groups,
                   Span<const double> lambdas, Index first, MatrixView out, MatrixView errors) {
  if (factorization.estimating() != nullptr)
    return estimated_scores(factorization, criterion, lambdas, first, out, errors);
  if (factorization.problem().missing)
    return observed_scores(factorization, criterion, groups, lambdas, first, out, errors);
  if (criterion == Criterion::loo) return loo_scores(factorization, lambdas, first, out, errors);
  if (criterion == Criterion::error_rate) return error_rates(factorization, lambdas, out, errors);
  if (criterion == Criterion::log_loss) return log_losses(factorization, lambdas, first, out, errors);

  if (criterion == Criterion::groups) return group_scores(factorization, *groups, lambdas, first, out, errors);

  const Problem& problem = factorization.problem();
  std::string reason;
  Stage stage(0, 0);
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    stage.next(fraction(l + 1, lambdas.size()));
    const auto why = [&](const std::string& cause) { keep_first(reason, text(cause, " (lambda = ", lambdas[l], ")")); };
    const std::unique_ptr<ResidualMaker> residual_maker = factorization.try_at(lambdas[l], why);
    const double trace = residual_maker && criterion == Criterion::gcv ? residual_maker->trace() : 0;
    for (Index j = 0; j < out.cols; ++j) {
      double& score = out(static_cast<Index>(l), j);
      score = !residual_maker ? nan
              : criterion == Criterion::gcv
                  ? gcv(problem.n(), residual_maker->squared_norm(first + j), trace)
                  : reml(problem, first + j, lambdas[l], residual_maker->quadratic_form(first + j),
                         residual_maker->log_determinant());
      if (std::isfinite(score)) continue;
      score = nan;
      why(no_score(criterion, first + j));
    }
    report(1);
  }
  return reason;
}

}  // namespace freeridge
