#include "libcore/select/kernel_objective.hpp"

#include <algorithm>

#include "libcore/base/constants.hpp"
#include "libcore/select/noise_prior.hpp"

namespace freeridge {

bool means_no_value(Status status) {
  return status == Status::undefined || status == Status::not_positive_definite || status == Status::not_finite ||
         status == Status::not_converged;
}

double in_units_of_likelihood(Criterion criterion, const RowsOfSearch& rows, double score) {
  const auto n = static_cast<double>(rows.rows);
  if (is_likelihood(criterion)) return score;
  return criterion == Criterion::log_loss ? n * score : n * static_cast<double>(rows.outputs) / 2 * std::log(score);
}

KernelObjective::Value KernelObjective::operator()(const RowsOfSearch& rows, Criterion criterion, Span<const double> z,
                                                   Span<double> g) const {
  const Span<const double> u = z.subspan(1);
  const bool alone = g.empty();
  Array<double> unused(alone ? z.size() : 0, 0.0);
  if (alone) g = unused;
  Value out{nan, nan, nan};
  KernelSize of_kernel;
  const auto found = value_of([&] {
    const KernelPtr at = kernel(z);
    of_kernel = size(at);
    out.lambda = std::exp(z[0] + of_kernel.log_size);
    if (alone) return ScoreGradient{rows.reml(at, out.lambda), 0, Array<double>(variables.given.size(), 0.0)};
    return rows.gradient(at, criterion, out.lambda);
  });
  if (!found || !std::isfinite(found->score) || (!is_likelihood(criterion) && found->score <= 0)) return out;
  std::ranges::fill(g, 0.0);
  out.score = found->score;
  out.f = in_units_of_likelihood(criterion, rows, out.score);
  const auto n = static_cast<double>(rows.rows), outputs = static_cast<double>(rows.outputs);
  const double unit = is_likelihood(criterion) ? 1 : criterion == Criterion::log_loss ? n : n * outputs / 2 / out.score;
  g[0] = unit * found->log_lambda;
  Array<double> by_number = found->kernel;
  for (double& slope : by_number) slope *= unit;
  if (has_noise_prior(criterion, options)) {
    const NoisePenalty noise = noise_penalty(criterion, outputs, out.lambda, of_kernel.spread);
    out.f += noise.value;
    g[0] += noise.log_lambda;
    for (std::size_t i = 0; i < by_number.size(); ++i) by_number[i] += noise.spread * of_kernel.spread_gradient[i];
  }
  for (std::size_t i = 0; i < by_number.size(); ++i) by_number[i] += g[0] * of_kernel.gradient[i];
  variables.gradient(by_number, g.subspan(1));
  out.f += shrinkage_penalty(variables, options.shrinkage, u, g.subspan(1));
  return out;
}

}  // namespace freeridge
