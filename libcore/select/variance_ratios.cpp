#include "libcore/select/variance_ratios.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/linalg/symmetric_eigen.hpp"
#include "libcore/select/noise_prior.hpp"

namespace freeridge {
namespace {

constexpr double nearly_zero = 1e-9;  // of gamma, where zero is meant
constexpr double step_of_difference = 1e-3, least_difference = 1e-6;
constexpr Index most_steps = 30, most_halvings = 30;
constexpr double same = 1e-9;          // of gamma
constexpr double largest_growth = 30;  // of gamma in a step
constexpr double no_higher = 1e-3;     // of REML
constexpr double flat = 1e-7;          // of the largest curvature

// REML and its derivatives by the ratios gamma of the groups of weights, at the lambda of the search.
class Ratios {
 public:
  struct At {
    double f = infinity;
    Array<double> gamma, slope;
  };

  Ratios(const KernelSearch& search, const RowsOfSearch& rows, Array<Array<Index>> groups)
      : kernel_(*search.kernel),
        rows_(rows),
        numbers_(hyperparameters(kernel_)),
        lambda_(search.lambda),
        groups_(std::move(groups)) {
    for (const Array<Index>& group : groups_) {
      Array<double> alone = numbers_;
      for (const Array<Index>& other : groups_)
        for (const Index i : other)
          if (&other != &group) alone[i] = 0;
      unit_.push_back(std::exp(search.objective->size(with_hyperparameters(kernel_, alone)).log_size) / lambda_);
    }
  }

  // The kernel's numbers at these ratios.
  Array<double> numbers(Span<const double> gamma) const {
    Array<double> out = numbers_;
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const Index i : groups_[g]) out[i] *= gamma[g] / unit_[g];
    return out;
  }

  At at(Array<double> gamma) const {
    At out{infinity, std::move(gamma), Array<double>(groups_.size(), 0.0)};
    const auto found = value_of(
        [&] { return rows_.gradient(with_hyperparameters(kernel_, numbers(out.gamma)), Criterion::reml, lambda_); });
    if (!found || !std::isfinite(found->score)) return out;
    out.f = found->score;
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const Index i : groups_[g]) out.slope[g] += found->kernel[i] / out.gamma[g];
    return out;
  }

  // The place of the least REML.
  At least() const {
    At here = at(unit_);
    for (Index step = 0; step < most_steps && std::isfinite(here.f); ++step) {
      const Array<double> by = newton_step(here);
      At there = moved(here, by);
      if (!std::isfinite(there.f)) return here;
      double change = 0;
      for (std::size_t g = 0; g < by.size(); ++g)
        change = std::max(change, std::abs(there.gamma[g] - here.gamma[g]) / (here.gamma[g] + nearly_zero / same));
      here = std::move(there);
      if (change < same) break;
    }
    return here;
  }

 private:
  Array<double> newton_step(const At& here) const {
    Array<Index> moves;
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (here.gamma[g] > nearly_zero || here.slope[g] < 0) moves.push_back(static_cast<Index>(g));
    const Index count = std::ssize(moves);
    Array<double> out(groups_.size(), 0.0), curvature(count);
    if (count == 0) return out;
    Matrix h(count, count);
    for (Index j = 0; j < count; ++j) {
      const Index g = moves[j];
      const double by = std::max(step_of_difference * here.gamma[g], least_difference);
      Array<double> up = here.gamma, down = here.gamma;
      up[g] += by;
      if (down[g] > 2 * by) down[g] -= by;
      const At above = at(up), below = down[g] == here.gamma[g] ? here : at(down);
      for (Index i = 0; i < count; ++i) h(i, j) = (above.slope[moves[i]] - below.slope[moves[i]]) / (up[g] - down[g]);
    }
    for (Index j = 0; j < count; ++j)
      for (Index i = j; i < count; ++i) h(i, j) = (h(i, j) + h(j, i)) / 2;
    symmetric_eigen(h.view(), curvature);
    const double largest = std::max(std::abs(curvature.front()), std::abs(curvature.back()));
    if (!(largest > 0) || !std::isfinite(largest)) return out;
    for (Index k = 0; k < count; ++k) {
      double along = 0;
      for (Index i = 0; i < count; ++i) along += h(i, k) * here.slope[moves[i]];
      along /= std::max(std::abs(curvature[k]), flat * largest);
      for (Index i = 0; i < count; ++i) out[moves[i]] -= along * h(i, k);
    }
    return out;
  }

  At moved(const At& here, Span<const double> by) const {
    double part = 1;
    At there;
    for (Index halving = 0; halving < most_halvings; ++halving, part /= 2) {
      Array<double> gamma = here.gamma;
      for (std::size_t g = 0; g < gamma.size(); ++g)
        gamma[g] = std::clamp(gamma[g] + part * by[g], nearly_zero, largest_growth * std::max(gamma[g], 0.1));
      there = at(std::move(gamma));
      if (there.f <= here.f + 1e-12 * std::abs(here.f)) return there;
    }
    return here;
  }

  const Kernel& kernel_;
  const RowsOfSearch& rows_;
  Array<double> numbers_;
  double lambda_;
  Array<Array<Index>> groups_;
  Array<double> unit_;  // gamma at numbers_
};

// Weights of terms without other numbers become zero where REML, with its prior of the noise, is no higher then.
void try_zeros(KernelSearch& search, const RowsOfSearch& rows, Span<const Index> weights) {
  const KernelObjective& objective = *search.objective;
  const bool prior = has_noise_prior(Criterion::reml, objective.options);
  const auto f = [&](const KernelPtr& kernel) {
    const auto found = value_of([&] { return rows.gradient(kernel, Criterion::reml, search.lambda).score; });
    if (!found || !prior) return found.value_or(infinity);
    const double spread = objective.size(kernel).spread;
    return *found + static_cast<double>(rows.outputs) * noise_penalty(search.lambda, spread).value;
  };
  Array<double> numbers = hyperparameters(*search.kernel);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const Index i = weights[k], next = k + 1 < weights.size() ? weights[k + 1] : std::ssize(numbers);
    if (search.variable[i] < 0 || next - i != 1) continue;
    Array<double> without = numbers;
    without[i] = 0;
    const KernelPtr kernel = with_hyperparameters(*search.kernel, without);
    if (!(f(kernel) <= f(search.kernel) + no_higher)) continue;
    numbers = std::move(without);
    search.kernel = kernel;
    search.spread = objective.size(kernel).spread;
    search.at[i] = -1;
    search.low[i] = 0;
  }
}

}  // namespace

void refine_variances(KernelSearch& search, const RowsOfSearch& rows) {
  const KernelObjective& objective = *search.objective;
  const Array<Index> weights = weights_of_sum(*search.kernel).place;
  if (weights.size() < 2 || objective.options.evaluations == 1 || objective.options.criterion != Criterion::reml)
    return;
  const Stage at_end(1, 1);
  const Array<double> before = hyperparameters(*search.kernel);
  Array<Array<Index>> groups(1);  // the first: what is held, the place of which lambda takes
  Index free = 0;
  for (const Index i : weights) {
    if (before[i] == 0) continue;
    if (search.variable[i] < 0) {
      groups[0].push_back(i);
    } else {
      groups.push_back({i});
      ++free;
    }
  }
  if (has_noise_prior(Criterion::reml, objective.options) || objective.options.known_noise || free != search.learnt ||
      groups[0].empty())
    return try_zeros(search, rows, weights);
  const auto found = value_of([&] {
    const Ratios ratios(search, rows, groups);
    const Ratios::At least = ratios.least();
    Array<double> numbers = ratios.numbers(least.gamma);
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (const Index i : groups[g])
        if (least.gamma[g] <= nearly_zero) numbers[i] = 0;
    return std::pair(numbers, least);
  });
  if (!found || !std::isfinite(found->second.f)) return;
  Array<double> numbers = found->first;
  const Ratios::At least = found->second;
  if (std::ranges::all_of(weights, [&](Index i) { return numbers[i] == 0; })) return;  // lambda says so
  // The weights that are held keep their values, unless they are zero.
  const Index reference = groups[0][0];
  double factor = numbers[reference] / before[reference];
  if (factor == 0) {
    double sum = 0, given = 0;
    for (const Index i : weights) {
      sum += numbers[i];
      given += before[i];
    }
    factor = sum / given;
  }
  EndOfSearch& end = search.ends.front();
  for (const Index i : weights) {
    numbers[i] /= factor;
    const Index v = search.variable[i];
    if (v < 0) continue;
    const double u = std::log(numbers[i] / objective.variables.given[i]);
    end.z[v + 1] = std::clamp(u, search.low_z[v + 1], search.high_z[v + 1]);
    search.at[i] = numbers[i] == 0 ? -1 : 0;
    search.low[i] = 0;
  }
  search.kernel = with_hyperparameters(*search.kernel, numbers);
  search.kept = false;
  search.lambda /= factor;
  const KernelSize size = objective.size(search.kernel);
  search.spread = size.spread;
  end.z[0] = std::clamp(std::log(search.lambda) - size.log_size, search.low_z[0], search.high_z[0]);
  end.known.clear();
  search.trials.push_back({KernelStage::likelihood, least.f, search.lambda, 0});
}

}  // namespace freeridge
