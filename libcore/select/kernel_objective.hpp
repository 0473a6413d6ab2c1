// What a search for a kernel minimises, as a function of
//     z = (log lambda - log size, u)
// where u are the logarithms of factors on the hyperparameters (kernel_variables.hpp) and `size` is the size of the
// kernel matrix (kernel_size.hpp):
//     f = REML, EVIDENCE or n LOG_LOSS + penalty,   or for another criterion   n t / 2 log(criterion) + penalty
//     penalty = 1/2 sum_v (u_v - mean)^2 / s^2 for each scaled kernel,   with the first three + that of noise_prior.hpp
// n t / 2 log(criterion) is REML without its log-determinant, with the criterion in the place of the variance of the
// residuals. So the first part of the penalty has the same weight in both. Left-out errors need no penalty of the noise:
// they are large for a fit without noise.
#pragma once

#include <cmath>
#include <functional>
#include <optional>

#include "libcore/select/kernel_size.hpp"
#include "libcore/select/kernel_variables.hpp"
#include "libcore/select/score_gradient.hpp"

namespace freeridge {

struct KernelSearchOptions {
  Criterion criterion;
  double shrinkage;  // s; infinity: no penalty at all
  Index evaluations;
  // Of LOG_LOSS: so many rows are copies of others (repeated_rows.hpp) that left-out values, which have the copies beside
  // them, say nothing of new rows.
  bool has_copies = false;
  bool smoothness = false;   // whether smoother kernels are tried in the place of Matern 3/2
  bool known_noise = false;  // whether the noise is known (Problem::known_sigma2): then REML has no prior of it
};

// Whether noise_penalty is added to the criterion, in the search and in the choice of lambda for the kernel found.
inline bool has_noise_prior(Criterion criterion, const KernelSearchOptions& options) {
  return (is_likelihood(criterion) || criterion == Criterion::log_loss) && std::isfinite(options.shrinkage) &&
         !(options.known_noise && criterion == Criterion::reml);
}

// A criterion and its gradient on some rows. Calls throw Error where there is no value.
struct RowsOfSearch {
  Index rows = 0, outputs = 0;
  std::function<ScoreGradient(const KernelPtr&, Criterion, double lambda)> gradient;
  std::function<double(const KernelPtr&, double lambda)> reml;  // alone
};

// f without the penalty, of a criterion on these rows.
double in_units_of_likelihood(Criterion criterion, const RowsOfSearch& rows, double score);

// Whether a failure means that a kernel or a lambda has no value, and the search can go on elsewhere.
bool means_no_value(Status status);

// f(), or nothing where it has no value.
template <class F>
auto value_of(const F& f) -> std::optional<decltype(f())> {
  try {
    return f();
  } catch (const Error& error) {
    if (!means_no_value(error.status())) throw;
    return std::nullopt;
  }
}

struct KernelObjective {
  struct Value {
    double f, score, lambda;  // score: the criterion without the penalty; NaN where f has no value
  };

  KernelPtr given;  // at which u is 0
  KernelVariables variables;
  KernelSearchOptions options;
  std::function<KernelSize(const KernelPtr&)> size;

  KernelPtr kernel(Span<const double> z) const { return variables.kernel(*given, z.subspan(1)); }
  double lambda(Span<const double> z) const { return std::exp(z[0] + size(kernel(z)).log_size); }
  // f on these rows, with its gradient in g. Empty g: of REML f alone, for a third of the flops.
  Value operator()(const RowsOfSearch& rows, Criterion criterion, Span<const double> z, Span<double> g) const;
};

}  // namespace freeridge
