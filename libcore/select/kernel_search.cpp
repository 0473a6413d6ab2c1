#include "libcore/select/kernel_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/constants.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/select/bandwidth.hpp"
#include "libcore/select/noise_prior.hpp"

namespace freeridge {
namespace {

constexpr Index multiples = 6;           // that the first stage tries
constexpr double gradient_small = 1e-4;  // of n t
constexpr double change_small = 1e-6;    // of n t
constexpr double reml_small = 2e-5;      // of n t: at n t = 500 a hundredth of a log-likelihood, which data do not tell
constexpr double part_small = 2e-4;      // the same on a part of the rows, or on a sample where blocks follow
constexpr double after_blocks_small = 2.5e-4;  // the same on all rows after blocks, where one such step is the last
constexpr Index first_on_blocks = 12;          // evaluations, before blocks are made anew
constexpr Index for_smoothness = 8;            // evaluations for each kernel
constexpr double smoother_is_shorter = -0.4;   // log of the factor on all lengths at which that search begins
constexpr double curvature_of_factor = 0.125;  // of n t: about that of f by log lambda, and by that log
constexpr double longest_log_step = 2;         // a factor of e^2
constexpr double lambda_gain = 4;    // so many natural log units another lambda can be away, for the given kernel
constexpr double beyond_all = 1000;  // times the largest eigenvalue: at such a lambda f is nothing but the mean
constexpr double much_noise = -2, little_noise = -6;           // log(lambda / size) of starts
constexpr double mostly_additive = 4;                          // log of a factor on weights of a start
constexpr Index least_for_two = 8;                             // evaluations, for two starts
constexpr double near_best = 6;                                // of REML: a minimum that is kept
constexpr double same_minimum = 0.05;                          // of REML: such ends of searches are one
constexpr Index first_look = 3;                                // evaluations at the end of which a start must be ahead
constexpr double ahead = 1, ahead_of_few = 3;                  // of REML; the second where the outputs have few values
constexpr Index few_values = 50;                               // n t
constexpr Index lambda_rounds = 2;                             // of lambda searched once more
constexpr double lower_by = 1e-3;                              // of n t: REML is lower at another lambda
constexpr Index lambda_evaluations = 8;                        // for the given kernel
constexpr double starts_of_evidence[] = {0, 2, 4};             // -log(lambda / size)
constexpr double most_of_factor = 2.5;                         // log of one factor on all lengths, by LOG_LOSS
constexpr double part_of_sample = 0.15, part_of_blocks = 0.5;  // of the stretch of progress
constexpr double part_of_given = 0.06;                         // of the rest of it
constexpr double part_of_apart = 0.2;                          // of the rest of it, for the likelihood of fewer rows

// The pairs of L-BFGS at the end of a search, and the size n t of what it minimised.
struct Known {
  Array<LbfgsPair> pairs;
  double size = 1;
};

// z and what is minimised there; of the search that ended there.
struct Found {
  Array<double> z;
  double f = infinity;
  Known known = {};
  SearchEnd end = SearchEnd::none;
};

LbfgsOptions search_options(const RowsOfSearch& rows, Index evaluations) {
  LbfgsOptions out;
  out.evaluations = evaluations;
  out.scale = static_cast<double>(rows.rows) * static_cast<double>(rows.outputs);
  out.gradient_tolerance = gradient_small * out.scale;
  out.change_tolerance = reml_small;
  out.longest = longest_log_step;
  return out;
}

// The criterion by which all numbers move, before the one that is asked for.
Criterion likelihood_for(Criterion criterion) {
  return is_of_labels(criterion) ? Criterion::evidence : Criterion::reml;
}

// The criterion by which LOG_LOSS moves lambda and one factor: itself or, where too many rows are copies, REML.
Criterion of_two_numbers(const KernelSearchOptions& options) {
  return options.has_copies ? Criterion::reml : options.criterion;
}

// The least f of that criterion over lambda and one factor e^x on all lengths of the kernel at `from`, beginning at
// log_noise and x; x costs x^2 / 2. seen(value, slope): each evaluation, with the largest entry of the projected
// gradient.
template <class Seen>
BoundedMinimum by_one_factor(const KernelObjective& objective, const RowsOfSearch& rows, Span<const double> from,
                             double log_noise, double x, Span<const double> low, Span<const double> high,
                             const LbfgsOptions& options, const Seen& seen) {
  const KernelVariables& variables = objective.variables;
  const double most = std::ranges::count(variables.length, 1) > 0 ? most_of_factor : 0;
  const Array<double> least = {low[0], -most}, largest = {high[0], most};
  Array<double> g(from.size());
  Array<char> moves(from.size(), 0);
  const auto z_of = [&](Span<const double> at) {
    Array<double> z(from.begin(), from.end());
    z[0] = at[0];
    for (Index v = 0; v < variables.count(); ++v) {
      if (variables.length[v] == 0) continue;
      z[v + 1] = std::clamp(from[v + 1] + at[1], low[v + 1], high[v + 1]);
      moves[v + 1] = z[v + 1] == from[v + 1] + at[1] ? 1 : 0;
    }
    return z;
  };
  const auto of_two = [&](Span<const double> at, Span<double> slopes) {
    const KernelObjective::Value value = objective(rows, of_two_numbers(objective.options), z_of(at), g);
    slopes[0] = g[0];
    slopes[1] = at[1];
    for (std::size_t v = 1; v < g.size(); ++v) slopes[1] += moves[v] != 0 ? g[v] : 0;
    seen(value, std::isfinite(value.f) ? projected_gradient(at, slopes, least, largest) : nan);
    return value.f + at[1] * at[1] / 2;
  };
  const Array<double> start = {std::clamp(log_noise, low[0], high[0]), std::clamp(x, -most, most)};
  BoundedMinimum found = minimise_in_box(of_two, start, least, largest, options);
  found.known.clear();  // they are of two variables
  found.x = z_of(found.x);
  return found;
}

// The least f over lambda and one factor on all lengths, from z, f by z.
BoundedMinimum on_common_factor(const ValueAndGradient& f, const KernelVariables& variables, const Array<double>& z,
                                double log_factor, Span<const double> low, Span<const double> high,
                                LbfgsOptions options) {
  const auto moved = [&](Span<const double> v) {
    Array<double> out = z;
    out[0] = v[0];
    for (Index k = 0; k < variables.count(); ++k)
      if (variables.length[k] != 0) out[k + 1] = std::clamp(z[k + 1] + v[1], low[k + 1], high[k + 1]);
    return out;
  };
  double first = nan;  // as in KernelSearcher::minimum
  const auto of_two = [&](Span<const double> v, Span<double> g) {
    const Array<double> at = moved(v);
    Array<double> slopes(at.size(), 0.0);
    const double value = f(at, slopes);
    if (std::isnan(first)) first = value;
    g[0] = slopes[0];
    g[1] = 0;
    for (Index k = 0; k < variables.count(); ++k)
      if (variables.length[k] != 0 && at[k + 1] == z[k + 1] + v[1]) g[1] += slopes[k + 1];
    return value - first;
  };
  const double curvature = curvature_of_factor * options.scale;
  options.known = {{{1, 1}, {curvature, curvature}}};
  options.change_tolerance = part_small;
  const Array<double> start = {z[0], log_factor}, least = {low[0], -longest_log_step},
                      most = {high[0], longest_log_step};
  BoundedMinimum out = minimise_in_box(of_two, start, least, most, options);
  out.x = moved(out.x);
  out.f += first;
  return out;
}

class KernelSearcher {
 public:
  KernelSearcher(const std::shared_ptr<const KernelObjective>& objective, const SearchedRows& rows)
      : objective_(*objective),
        kernel_(objective->given),
        variables_(objective->variables),
        searched_(rows),
        options_(objective->options) {
    out_.objective = objective;
    out_.end.assign(kernel_stages, SearchEnd::none);
    out_.rows = searched_.all.rows;
    out_.sample = searched_.sample.rows;
  }

  KernelSearch run() {
    Array<Found> starts;
    Found given;
    {
      const Stage stage(0, part_of_sample);
      starts = first_stages(given);
    }
    const double before = has_blocks() ? part_of_blocks : part_of_sample;
    if (has_blocks()) {
      const Stage stage(part_of_sample, part_of_blocks);
      starts = {by_blocks(std::move(starts.front()))};
    }
    Stage stage(before, before + part_of_given * (1 - before));
    if (searched_.prepare) searched_.prepare(kernel_at(starts.front()));
    const Found kept = at_given(given, 1);
    left_ = options_.evaluations - 1 - on_likelihood_;
    stage.next(1);
    Found best = on_all_rows(starts);
    // A convex f of log lambda falls by at most |slope| times the way.
    if (!(best.f <= kept.f - lambda_gain * given_slope_)) {
      const Found better = at_given(kept, lambda_evaluations);
      if (!(best.f < better.f)) best = from_given(better);
    }
    if (options_.smoothness && options_.criterion == Criterion::reml && !searched_.apart && !out_.kept)
      choose_smoothness(best);
    return answer(best);
  }

 private:
  // The places from which all rows are searched: the best multiple of all lengths, and short lengths; where there is a
  // sample, the minima of its REML that are found from there. given: the same at the kernel that is given.
  Array<Found> first_stages(Found& given) {
    Stage stage(0, 1.0 / (multiples + 3));
    tried_ = Multiple{};
    try_multiple(1);
    const double plain = tried_.z;
    if (variables_.typical > 0) try_multiples();
    if (!std::isfinite(tried_.found.score)) lambda_of_few(kernel_);  // throws: there is no lambda anywhere
    // The largest eigenvalue, in whose units rounding is measured, grows with the rows.
    const double more = std::log(static_cast<double>(searched_.all.rows) / static_cast<double>(searched_.few));
    low_ = {std::log(tried_.found.low) - tried_.log_size + more};
    // The largest eigenvalue is at most n size.
    high_ = {std::log(beyond_all * static_cast<double>(searched_.all.rows))};
    low_.insert(low_.end(), variables_.low.begin(), variables_.low.end());
    high_.insert(high_.end(), variables_.high.begin(), variables_.high.end());
    Found start{Array<double>(low_.size(), 0.0)};
    given = start;
    given.z[0] = std::isfinite(plain) ? plain : tried_.z;
    start.z[0] = std::clamp(tried_.z, low_[0], high_[0]);
    for (Index v = 0; v < variables_.count(); ++v)
      if (variables_.length[v] != 0) start.z[v + 1] = std::clamp(std::log(tried_.multiple), low_[v + 1], high_[v + 1]);
    stage.next(1);
    Array<Found> starts = {start};
    if (likelihood_ == Criterion::evidence) {
      starts.front() = best_noise(start);
    } else if (variables_.typical > 0 && options_.evaluations >= least_for_two) {
      starts.push_back(short_start(much_noise));
      if (std::ranges::count(variables_.additive, 0.0) == variables_.count())
        starts.push_back(short_start(little_noise));
    }
    if (searched_.part.rows > 0)  // for other starts than the first
      for (std::size_t k = 1; k < starts.size(); ++k)
        starts[k] = minimum(KernelStage::sample, searched_.part, likelihood_, starts[k], options_.evaluations);
    out_.end[static_cast<Index>(KernelStage::sample) - 1] = SearchEnd::none;
    if (searched_.all.rows > searched_.sample.rows)
      starts = {lowest(KernelStage::sample, searched_.sample, starts, options_.evaluations)};
    return starts;
  }

  // The start of EVIDENCE: the best of some lambdas, as its own has nothing to do with that of least squares.
  Found best_noise(const Found& start) {
    Found best = start;
    Array<double> g(start.z.size());
    for (const double log_amplitude : starts_of_evidence) {
      Found tried = start;
      tried.z[0] = std::clamp(-log_amplitude, low_[0], high_[0]);
      tried.f = evaluate(KernelStage::sample, searched_.sample, likelihood_, tried.z, g);
      if (tried.f < best.f) best = std::move(tried);
    }
    best.f = infinity;
    return best;
  }

  LambdaOfSample lambda_of_few(const KernelPtr& kernel) const {
    return searched_.lambda_of_few(kernel, Criterion::loo);
  }

  // Lengths at which points are far apart: of several lengths about a standard deviation each, as the typical factor is
  // that of a distance, (2 lengths)^(1/2) standard deviations. Additive kernels have nearly all weight.
  Found short_start(double log_noise) const {
    Found out{Array<double>(low_.size(), 0.0)};
    const auto lengths = static_cast<double>(std::ranges::count(variables_.length, 1));
    const double u = std::log(variables_.typical / std::sqrt(2 * lengths));
    out.z[0] = log_noise;
    for (Index v = 0; v < variables_.count(); ++v)
      out.z[v + 1] = variables_.length[v] != 0 ? u : mostly_additive * variables_.additive[v];
    for (std::size_t v = 0; v < out.z.size(); ++v) out.z[v] = std::clamp(out.z[v], low_[v], high_[v]);
    return out;
  }

  // The leave-one-out error of a multiple of the kernel's lengths at its best lambda; the best multiple is kept.
  double try_multiple(double multiple) {
    const auto found = value_of([&] { return lambda_of_few(multiplied(multiple)); });
    if (!found) return infinity;
    keep(KernelStage::multiple, found->score, found->lambda, nan);
    if (found->score < tried_.found.score) {
      const double log_size = objective_.size(multiplied(multiple)).log_size;
      tried_ = {*found, multiple, std::log(found->lambda) - log_size, log_size};
    }
    return found->score;
  }

  void try_multiples() {
    Index step = 0;
    const auto score = [&](double multiple) {
      const Stage stage(fraction(step, multiples), fraction(step + 1, multiples));
      ++step;
      return try_multiple(multiple);
    };
    const BandwidthRange range = bandwidth_range(variables_.typical);
    (void)value_of([&] { return search_bandwidth(range, variables_.typical, multiples, Criterion::loo, score).best; });
  }

  KernelPtr multiplied(double multiple) const {
    Array<double> u(variables_.count(), 0.0);
    for (Index v = 0; v < variables_.count(); ++v)
      if (variables_.length[v] != 0) u[v] = std::clamp(std::log(multiple), variables_.low[v], variables_.high[v]);
    return variables_.kernel(*kernel_, u);
  }

  bool has_blocks() const { return searched_.blocks && options_.evaluations >= least_for_two; }

  // REML on blocks, from the end on the sample. The lower of the two on all rows.
  Found by_blocks(Found sample) {
    Found out = sample;
    for (const Index evaluations : {std::min(first_on_blocks, options_.evaluations), options_.evaluations}) {
      const RowsOfSearch blocks = searched_.blocks(kernel_at(out));
      out = minimum(KernelStage::sample, blocks, Criterion::reml, out, evaluations);
    }
    Array<double> slopes(out.z.size(), 0.0);
    const double f = evaluate(KernelStage::likelihood, searched_.likelihood, Criterion::reml, out.z, slopes);
    const auto [of_sample, score, lambda] = objective_(searched_.likelihood, Criterion::reml, sample.z, {});
    keep(KernelStage::likelihood, score, lambda, nan);
    on_likelihood_ = 2;
    return of_sample < f || std::isnan(f) ? sample : out;
  }

  // The criterion at the given kernel over lambda alone.
  Found at_given(const Found& from, Index evaluations) {
    const Array<double> low = low_, high = high_;
    low_[0] = std::min(low_[0], from.z[0]);
    high_[0] = std::max(high_[0], from.z[0]);
    for (std::size_t v = 1; v < low_.size(); ++v) low_[v] = high_[v] = 0;
    Found out = minimum(KernelStage::given, searched_.all, of_two_numbers(options_), from, evaluations);
    given_slope_ = out_.trials.back().gradient;
    if (evaluations == 1) out_.end[static_cast<Index>(KernelStage::given) - 1] = SearchEnd::none;
    low_ = low;
    high_ = high;
    return out;
  }

  // REML gets half of the budget where another criterion follows, which gets the rest.
  Found on_all_rows(const Array<Found>& starts) {
    const bool last = options_.criterion == likelihood_ && !searched_.apart;
    const Index first = last ? left_ : left_ / 2;
    Found out = starts.front();
    Stage stage(0, last ? 1 : searched_.apart ? part_of_apart : 0.4);
    if (first > 0) {
      const std::size_t before = out_.trials.size();
      out = lowest(KernelStage::likelihood, searched_.likelihood, starts, first);
      left_ -= static_cast<Index>(out_.trials.size() - before);
    }
    if (last) return first > 0 ? at_best_lambda(KernelStage::likelihood, searched_.likelihood, out) : out;
    stage.next(1);
    out.f = infinity;
    return left_ > 0 ? by_criterion(out) : out;
  }

  // Where nothing better than the given kernel was found: a search of the criterion from the given kernel.
  Found from_given(const Found& given) {
    out_.kept = true;
    if (left_ <= 0) return given;
    Found out = by_criterion(given);
    if (!(out.f < given.f)) return given;
    out_.kept = false;
    return out;
  }

  // A minimum of the criterion on all rows, within the rest of the budget.
  Found by_criterion(const Found& from) {
    if (options_.criterion == Criterion::log_loss) return by_log_loss(from);
    const std::size_t before = out_.trials.size();
    Found out = minimum(KernelStage::criterion, searched_.all, options_.criterion, from, left_);
    left_ -= static_cast<Index>(out_.trials.size() - before);
    return at_best_lambda(KernelStage::criterion, searched_.all, std::move(out));
  }

  // With the ratios of lengths and the weights that EVIDENCE found: over all of them LOG_LOSS is too low where columns
  // are many. Of a problem of few rows lambda begins at its best one.
  Found by_log_loss(const Found& from) {
    const KernelPtr kernel = kernel_at(from);
    const auto start = value_of([&] {
      const Criterion by = of_two_numbers(options_);
      return searched_.lambda ? searched_.lambda(kernel, by) : searched_.lambda_of_few(kernel, by);
    });
    double log_noise = from.z[0];
    if (start) {
      const double log_size = objective_.size(kernel).log_size;
      low_[0] = std::min(low_[0], std::log(start->low) - log_size);
      log_noise = std::log(start->lambda) - log_size;
    }
    out_.ends = {{from.z, 0, from.known.pairs}};
    const BoundedMinimum found =
        by_one_factor(objective_, searched_.all, from.z, log_noise, 0, low_, high_,
                      search_options(searched_.all, left_), [&](const KernelObjective::Value& value, double slope) {
                        keep(KernelStage::criterion, value.score, value.lambda, slope);
                      });
    left_ -= found.evaluations;
    out_.end[static_cast<Index>(KernelStage::criterion) - 1] = found.end;
    return {found.x, found.f, {}, found.end};
  }

  // The minimum of the likelihood that is found from the first place, or from another one. A search from another place goes on
  // only while REML is lower there by a margin, which is larger where the outputs have few values (docs/defaults.md). Of
  // minima that are near the lowest, one is taken by its left-out errors, too.
  Found lowest(KernelStage stage, const RowsOfSearch& rows, const Array<Found>& starts, Index evaluations) {
    const std::size_t before = out_.trials.size();
    const auto left = [&] { return evaluations - static_cast<Index>(out_.trials.size() - before); };
    Array<Found> found = {minimum(stage, rows, likelihood_, starts.front(), evaluations)};
    const double margin = rows.rows * rows.outputs <= few_values ? ahead_of_few : ahead;
    double best = found.front().f;
    for (std::size_t k = 1; k < starts.size() && left() > 2 * first_look; ++k) {
      Found other = starts[k];
      const bool near = searched_.part.rows > 0;  // its minimum on a part of the rows
      if (near) other = minimum(stage, rows, likelihood_, other, first_look);
      if (!near || other.f < best - margin) other = minimum(stage, rows, likelihood_, other, left());
      if (!(other.f < best - margin)) {
        keep_end(other, best);
        continue;
      }
      best = other.f;
      found.push_back(std::move(other));
    }
    std::erase_if(found, [&](const Found& each) { return each.f > best + near_best; });
    std::ranges::stable_sort(found, {}, [](const Found& each) { return each.f; });
    Found& chosen = found.size() == 1 ? found.front() : by_left_out_errors(rows, found);
    out_.end[static_cast<Index>(stage) - 1] = chosen.end;
    for (const Found& each : found)
      if (&each != &chosen) keep_end(each, best);
    if (stage != KernelStage::likelihood) out_.ends.clear();
    return std::move(chosen);
  }

  void keep_end(const Found& found, double best) {
    if (found.f < best + near_best) out_.ends.push_back({found.z, found.f, found.known.pairs});
  }

  // The ends at different minima, the first of them that of the kernel.
  void keep_first_end(const Found& best) {
    if (options_.criterion == Criterion::log_loss && !out_.kept) {  // that of EVIDENCE, where it begins again
      out_.chosen_z = best.z;
      return;
    }
    if (options_.criterion != likelihood_) out_.ends.clear();  // f of another criterion is not that of the likelihood
    out_.ends.insert(out_.ends.begin(), {best.z, best.f, best.known.pairs});
    Array<EndOfSearch> different;
    for (EndOfSearch& end : out_.ends)
      if (std::ranges::none_of(different, [&](const auto& each) { return std::abs(each.f - end.f) < same_minimum; }))
        different.push_back(std::move(end));
    out_.ends = std::move(different);
  }

  // The sum of f and n t / 2 log LOO at z.
  static double with_left_out_errors(const RowsOfSearch& rows, const KernelObjective& of, const Array<double>& z,
                                     double f) {
    const auto errors = value_of([&] { return rows.gradient(of.kernel(z), Criterion::loo, of.lambda(z)).score; });
    const double half = static_cast<double>(rows.rows * rows.outputs) / 2;
    return errors && *errors > 0 ? f + half * std::log(*errors) : infinity;
  }

  // Where that sum is least.
  Found& by_left_out_errors(const RowsOfSearch& rows, Array<Found>& found) {
    double best = infinity;
    std::size_t chosen = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double sum = with_left_out_errors(rows, objective_, found[k].z, found[k].f);
      if (sum < best) {
        best = sum;
        chosen = k;
      }
    }
    return found[chosen];
  }

  // Where the rows are few, lambda is searched on its whole range at the end. If f is lower at a lambda far away, the
  // search goes on from that lambda.
  Found at_best_lambda(KernelStage stage, const RowsOfSearch& rows, Found out) {
    const Criterion criterion = options_.criterion;
    for (Index round = 0; round < lambda_rounds; ++round) {
      const bool searches = searched_.lambda && criterion != Criterion::evidence;  // each of whose lambdas is a mode
      if (!searches || left_ < 2 || !std::isfinite(out.f)) break;
      const std::size_t before = out_.trials.size();
      const KernelPtr kernel = kernel_at(out);
      const auto found = value_of([&] { return searched_.lambda(kernel, criterion); });
      if (!found) break;
      keep(stage, found->score, found->lambda, nan);
      const KernelSize of_kernel = objective_.size(kernel);
      low_[0] = std::min(low_[0], std::log(found->low) - of_kernel.log_size);  // so far that of another kernel
      Found other = out;
      other.z[0] = std::clamp(std::log(found->lambda) - of_kernel.log_size, low_[0], high_[0]);
      if (other.z[0] == out.z[0]) break;
      Array<double> unused(variables_.count(), 0.0);
      const auto outputs = static_cast<double>(rows.outputs);
      const double size = static_cast<double>(rows.rows) * outputs;
      other.f = in_units_of_likelihood(criterion, rows, found->score) +
                shrinkage_penalty(variables_, options_.shrinkage, u_of(out), unused);
      if (has_noise_prior(criterion, options_)) {
        const double lambda = std::exp(other.z[0] + of_kernel.log_size);
        other.f += noise_penalty(criterion, outputs, lambda, of_kernel.spread).value;
      }
      if (!(other.f < out.f - lower_by * size)) break;
      other = minimum(stage, rows, criterion, other, left_ - 1);
      left_ -= static_cast<Index>(out_.trials.size() - before);
      if (other.f < out.f) out = std::move(other);
    }
    return out;
  }

  Found minimum(KernelStage stage, const RowsOfSearch& rows, Criterion criterion, const Found& from,
                Index evaluations) {
    LbfgsOptions options = search_options(rows, evaluations);
    if (&rows == &searched_.part || (has_blocks() && &rows == &searched_.sample)) {
      options.change_tolerance = part_small;
    } else if (has_blocks() && stage == KernelStage::likelihood) {
      options.change_tolerance = after_blocks_small;
      options.small_changes = 1;
    } else if (!is_likelihood(criterion)) {
      options.change_tolerance = change_small;
    }
    const double size = options.scale;
    Index step = 0;
    double first = 0;  // f there: units of y add a constant to f, which must not count in what is a small change of f
    const auto f = [&](Span<const double> z, Span<double> g) {
      const Stage part(fraction(step, evaluations), fraction(step + 1, evaluations));
      const double value = evaluate(stage, rows, criterion, z, g);
      if (step++ == 0 && std::isfinite(value)) first = value;
      return value - first;
    };
    const bool all_move = stage != KernelStage::given;
    if (all_move) options.known = scaled_pairs(from.known, size);
    BoundedMinimum found = minimise_in_box(f, from.z, low_, high_, options);
    out_.end[static_cast<Index>(stage) - 1] = found.end;
    Found out{std::move(found.x), std::isfinite(found.f) ? found.f + first : infinity, from.known, found.end};
    if (all_move && !found.known.empty()) out.known = {std::move(found.known), size};
    return out;
  }

  // The pairs of the search before: the function and its gradients grow with the number of rows and outputs.
  static Array<LbfgsPair> scaled_pairs(const Known& known, double size) {
    Array<LbfgsPair> out = known.pairs;
    for (LbfgsPair& pair : out)
      for (double& change : pair.y) change *= size / known.size;
    return out;
  }

  // Takes a smoother kernel where REML is lower with it, at the same lengths but for a factor, and its sum with
  // n t / 2 log LOO, too.
  void choose_smoothness(const Found& best) {
    const bool on_sample = searched_.all.rows > searched_.sample.rows;
    const RowsOfSearch& rows = on_sample ? searched_.sample : searched_.likelihood;
    const KernelStage stage = on_sample ? KernelStage::sample : KernelStage::likelihood;
    const auto least = [&](const KernelObjective& of, const Array<double>& from, double log_factor) {
      const auto f = [&](Span<const double> z, Span<double> g) {
        const auto [value, score, lambda] = of(rows, Criterion::reml, z, g);
        keep(stage, score, lambda, std::isfinite(value) ? projected_gradient(z, g, low_, high_) : nan);
        return value;
      };
      return on_common_factor(f, variables_, from, log_factor, low_, high_, search_options(rows, for_smoothness));
    };
    Array<double> reference = best.z, z = best.z;
    double lowest = best.f;
    if (on_sample) {
      BoundedMinimum found = least(objective_, z, 0);
      lowest = found.f;
      reference = z = std::move(found.x);
    }
    std::shared_ptr<const KernelObjective> smoother;
    double judged = nan;  // with left-out errors
    for (const double nu : {2.5, infinity}) {
      const KernelPtr kernel = with_smoothness(*kernel_, nu);
      if (!kernel || left_ < for_smoothness) break;
      const auto of =
          std::make_shared<const KernelObjective>(KernelObjective{kernel, variables_, options_, objective_.size});
      BoundedMinimum found = least(*of, z, smoother ? 0 : smoother_is_shorter);
      if (!on_sample) left_ -= found.evaluations;
      if (!(found.f < lowest)) break;
      if (!smoother) judged = with_left_out_errors(rows, objective_, z, lowest);
      const double other = with_left_out_errors(rows, *of, found.x, found.f);
      if (!(other < judged)) break;
      judged = other;
      lowest = found.f;
      z = std::move(found.x);
      smoother = of;
    }
    if (!smoother) return;
    if (on_sample) {
      for (std::size_t v = 0; v < z.size(); ++v) z[v] = std::clamp(best.z[v] + z[v] - reference[v], low_[v], high_[v]);
      const auto [f, score, lambda] = (*smoother)(searched_.likelihood, Criterion::reml, z, {});
      keep(KernelStage::likelihood, score, lambda, nan);
      if (!(f < best.f)) return;
    }
    out_.smoother = smoother;
    out_.smoother_z = z;
  }

  // The last value on all rows is kept, as a search often begins where another one looked.
  double evaluate(KernelStage stage, const RowsOfSearch& rows, Criterion criterion, Span<const double> z,
                  Span<double> g) {
    const bool on_all = stage == KernelStage::likelihood;
    if (on_all && std::ranges::equal(last_.z, z)) {
      std::ranges::copy(last_.g, g.begin());
      return last_.f;
    }
    const auto [f, score, lambda] = objective_(rows, criterion, z, g);
    keep(stage, score, lambda, std::isfinite(f) ? projected_gradient(z, g, low_, high_) : nan);
    if (on_all) last_ = {Array<double>(z.begin(), z.end()), Array<double>(g.begin(), g.end()), f};
    return f;
  }

  static Span<const double> u_of(const Found& found) { return Span<const double>(found.z).subspan(1); }
  KernelPtr kernel_at(const Found& found) const { return objective_.kernel(found.z); }

  void keep(KernelStage stage, double score, double lambda, double gradient) {
    out_.trials.push_back({stage, score, lambda, gradient});
  }

  KernelSearch answer(const Found& best) {
    const Array<double>& z = out_.smoother ? out_.smoother_z : best.z;
    out_.kernel = (out_.smoother ? *out_.smoother : objective_).kernel(z);
    const KernelSize size = objective_.size(out_.kernel);
    out_.spread = size.spread;
    out_.lambda = std::exp(z[0] + size.log_size);
    if (options_.criterion == Criterion::evidence) {
      Array<double> g(z.size());
      out_.score = objective_(searched_.likelihood, Criterion::evidence, z, g).score;
    }
    const auto at_bound = [&](std::size_t v) { return z[v] <= low_[v] ? -1 : z[v] >= high_[v] ? 1 : 0; };
    out_.low_z = low_;
    out_.high_z = high_;
    keep_first_end(best);
    out_.lambda_at = at_bound(0);
    out_.learnt = variables_.count();
    out_.variable = variables_.variable;
    for (std::size_t i = 0; i < variables_.given.size(); ++i) {
      const Index v = variables_.variable[i];
      out_.low.push_back(v < 0 ? variables_.given[i] : variables_.given[i] * std::exp(variables_.low[v]));
      out_.high.push_back(v < 0 ? variables_.given[i] : variables_.given[i] * std::exp(variables_.high[v]));
      out_.at.push_back(v < 0 ? 0 : at_bound(static_cast<std::size_t>(v) + 1));
    }
    return std::move(out_);
  }

  struct Multiple {
    LambdaOfSample found{nan, nan, infinity};
    double multiple = 1, z = nan, log_size = nan;  // z: of its lambda
  };

  const KernelObjective& objective_;
  const KernelPtr& kernel_;
  const KernelVariables& variables_;
  const SearchedRows& searched_;
  const KernelSearchOptions& options_;
  const Criterion likelihood_ = likelihood_for(options_.criterion);

  struct Evaluated {
    Array<double> z, g;
    double f = nan;
  };

  Multiple tried_;  // the best
  Evaluated last_;
  Index on_likelihood_ = 0;   // evaluations before the search of the likelihood
  Array<double> low_, high_;  // of z
  double given_slope_ = 0;
  Index left_ = 0;  // of the budget
  KernelSearch out_;
};

}  // namespace

void require_learnable(Criterion criterion, Index variables) {
  if (criterion == Criterion::error_rate)
    fail(Status::invalid_argument,
         "criterion is 5 (ERROR_RATE), a step function without gradients: learn the kernel by LOO, REML, GROUPS or "
         "LOG_LOSS");
  if (criterion == Criterion::gcv && variables > 1)
    fail(
        Status::invalid_argument, "criterion is 2 (GCV), and ", variables,
        " hyperparameters are free: over several GCV runs away to kernels that fit nothing but noise; use LOO, REML or "
        "GROUPS, or leave one free");
}

KernelAndLambda search_again(const KernelSearch& search, const RowsOfSearch& rows, Index evaluations) {
  const auto f_of = [&](const KernelObjective& of, Criterion criterion) {
    return [&, criterion](Span<const double> z, Span<double> g) { return of(rows, criterion, z, g).f; };
  };
  LbfgsOptions options = search_options(rows, evaluations);
  const KernelObjective& objective = *search.objective;
  const Criterion criterion = search.chosen_z.empty() ? objective.options.criterion : Criterion::evidence;
  Array<double> best;
  double lowest = infinity;
  for (const EndOfSearch& end : search.ends) {
    double first = nan;
    const auto f = [&, of = f_of(objective, criterion)](Span<const double> z, Span<double> g) {
      const double value = of(z, g);
      if (std::isnan(first)) first = value;
      return value - first;
    };
    options.known = end.known;
    BoundedMinimum found = minimise_in_box(f, end.z, search.low_z, search.high_z, options);
    const double value = found.f + first + std::max(search.ends.front().f - end.f, 0.0);
    if (value < lowest) {
      lowest = value;
      best = std::move(found.x);
    }
  }
  if (best.empty()) return {};
  if (!search.chosen_z.empty()) {
    double x = 0;  // the factor that was found on all rows
    for (Index v = 0; v < objective.variables.count(); ++v)
      if (const double moved = search.chosen_z[v + 1] - search.ends.front().z[v + 1]; std::abs(moved) > std::abs(x))
        if (objective.variables.length[v] != 0) x = moved;
    options.known = {};
    const BoundedMinimum found = by_one_factor(objective, rows, best, search.chosen_z[0], x, search.low_z,
                                               search.high_z, options, [](const KernelObjective::Value&, double) {});
    if (!std::isfinite(found.f)) return {};
    return {objective.kernel(found.x), objective.lambda(found.x)};
  }
  if (!search.smoother) return {objective.kernel(best), objective.lambda(best)};
  for (std::size_t v = 0; v < best.size(); ++v)  // to where the factor and lambda were for all rows
    best[v] = std::clamp(best[v] + search.smoother_z[v] - search.ends.front().z[v], search.low_z[v], search.high_z[v]);
  const BoundedMinimum found =
      on_common_factor(f_of(*search.smoother, search.smoother->options.criterion), objective.variables, best, 0,
                       search.low_z, search.high_z, search_options(rows, evaluations));
  if (!std::isfinite(found.f)) return {};
  return {search.smoother->kernel(found.x), search.smoother->lambda(found.x)};
}

KernelSearch search_kernel(const std::shared_ptr<const KernelObjective>& objective, const SearchedRows& rows) {
  return KernelSearcher(objective, rows).run();
}

}  // namespace freeridge
