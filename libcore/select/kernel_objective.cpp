#include "libcore/select/kernel_objective.hpp"

#include <algorithm>

#include "libcore/base/constants.hpp"
#include "libcore/select/noise_prior.hpp"

namespace freeridge {

bool means_no_value(Status status) {
  return status == Status::undefined || status == Status::not_positive_definite || status == Status::not_finite ||
         status == Status::not_converged;
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
  if (!found || !std::isfinite(found->score) || (criterion != Criterion::reml && found->score <= 0)) return out;
  std::ranges::fill(g, 0.0);
  out.f = out.score = found->score;
  g[0] = found->log_lambda;
  Array<double> by_number = found->kernel;
  const auto outputs = static_cast<double>(rows.outputs);
  if (has_noise_prior(criterion, options)) {
    const NoisePenalty noise = noise_penalty(out.lambda, of_kernel.spread);
    out.f += outputs * noise.value;
    g[0] += outputs * noise.log_lambda;
    for (std::size_t i = 0; i < by_number.size(); ++i)
      by_number[i] += outputs * noise.spread * of_kernel.spread_gradient[i];
  }
  for (std::size_t i = 0; i < by_number.size(); ++i) by_number[i] += g[0] * of_kernel.gradient[i];
  variables.gradient(by_number, g.subspan(1));
  if (criterion != Criterion::reml) {
    const double half = static_cast<double>(rows.rows) * outputs / 2;
    out.f = half * std::log(found->score);
    for (double& slope : g) slope *= half / found->score;
  }
  out.f += shrinkage_penalty(variables, options.shrinkage, u, g.subspan(1));
  return out;
}

}  // namespace freeridge
