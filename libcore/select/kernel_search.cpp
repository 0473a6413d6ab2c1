#include "libcore/select/kernel_search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "libcore/base/constants.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/select/bandwidth.hpp"
#include "libcore/select/noise_prior.hpp"

namespace freeridge {
namespace {

constexpr Index multiples = 6;           // that the first stage tries
constexpr double gradient_small = 1e-4;  // of n t
constexpr double change_small = 1e-6;    // of n t
constexpr double reml_small = 2e-5;      // of n t: at n t = 500 a hundredth of a log-likelihood, which data do not tell
constexpr double longest_log_step = 2;   // a factor of e^2
constexpr double lambda_gain = 4;        // so many natural log units another lambda can be away, for the given kernel
constexpr double beyond_all = 1000;      // times the largest eigenvalue: at such a lambda f is nothing but the mean
constexpr double strong_shrinkage = 0.25;                     // s
constexpr Index least_for_two = 8;                            // evaluations, for two minima
constexpr Index lambda_rounds = 2;                            // of lambda searched once more
constexpr double lower_by = 1e-3;                             // of n t: REML is lower at another lambda
constexpr Index lambda_evaluations = 8;                       // for the given kernel
constexpr double part_of_sample = 0.15, part_of_given = 0.2;  // of the stretch of progress
constexpr double part_of_apart = 0.2;                         // of the rest of it, for the likelihood of fewer rows

// Whether a failure means that a kernel or a lambda has no value, and the search can go on elsewhere.
bool means_no_value(Status status) {
  return status == Status::undefined || status == Status::not_positive_definite || status == Status::not_finite ||
         status == Status::not_converged;
}

template <class F>
auto value_of(const F& f) -> std::optional<decltype(f())> {
  try {
    return f();
  } catch (const Error& error) {
    if (!means_no_value(error.status())) throw;
    return std::nullopt;
  }
}

// z and what is minimised there.
struct Found {
  Array<double> z;
  double f = infinity;
};

class KernelSearcher {
 public:
  KernelSearcher(const KernelPtr& kernel, const KernelVariables& variables, const SearchedRows& rows,
                 const KernelSearchOptions& options)
      : kernel_(kernel), variables_(variables), searched_(rows), options_(options) {
    out_.end.assign(kernel_stages, SearchEnd::none);
    out_.rows = searched_.all.rows;
    out_.sample = searched_.sample.rows;
  }

  KernelSearch run() {
    Found start, given;
    {
      const Stage stage(0, part_of_sample);
      start = first_stages(given);
    }
    Stage stage(part_of_sample, part_of_given);
    if (searched_.prepare) searched_.prepare(kernel_at(start));
    const Found kept = at_given(given, 1);
    left_ = options_.evaluations - 1;
    stage.next(1);
    Found best = on_all_rows(start);
    // A convex f of log lambda falls by at most |slope| times the way.
    if (!(best.f <= kept.f - lambda_gain * given_slope_)) {
      const Found better = at_given(kept, lambda_evaluations);
      if (!(best.f < better.f)) best = from_given(better);
    }
    return answer(best);
  }

 private:
  // The best multiple of all lengths, and from there REML on the sample. given: the same at the kernel that is given.
  Found first_stages(Found& given) {
    Stage stage(0, 1.0 / (multiples + 3));
    tried_ = Multiple{};
    try_multiple(1);
    const double plain = tried_.z;
    if (variables_.typical > 0) try_multiples();
    if (!std::isfinite(tried_.found.score)) searched_.lambda_of_few(kernel_);  // throws: there is no lambda anywhere
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
    if (searched_.all.rows > searched_.sample.rows)
      start = learn(KernelStage::sample, searched_.sample, Criterion::reml, start, options_.evaluations);
    return start;
  }

  // The leave-one-out error of a multiple of the kernel's lengths at its best lambda; the best multiple is kept.
  double try_multiple(double multiple) {
    const auto found = value_of([&] { return searched_.lambda_of_few(multiplied(multiple)); });
    if (!found) return infinity;
    keep(KernelStage::multiple, found->score, found->lambda, nan);
    if (found->score < tried_.found.score) {
      const double log_size = searched_.size(multiplied(multiple)).log_size;
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

  // The criterion at the given kernel over lambda alone.
  Found at_given(const Found& from, Index evaluations) {
    const Array<double> low = low_, high = high_;
    low_[0] = std::min(low_[0], from.z[0]);
    high_[0] = std::max(high_[0], from.z[0]);
    for (std::size_t v = 1; v < low_.size(); ++v) low_[v] = high_[v] = 0;
    Found out = minimum(KernelStage::given, searched_.all, options_.criterion, from, evaluations);
    given_slope_ = out_.trials.back().gradient;
    if (evaluations == 1) out_.end[static_cast<Index>(KernelStage::given) - 1] = SearchEnd::none;
    low_ = low;
    high_ = high;
    return out;
  }

  // REML gets half of the budget where another criterion follows, which gets the rest.
  Found on_all_rows(const Found& start) {
    const bool last = options_.criterion == Criterion::reml && !searched_.apart;
    const Index first = last ? left_ : left_ / 2;
    Found out = start;
    Stage stage(0, last ? 1 : searched_.apart ? part_of_apart : 0.4);
    if (first > 0) out = within_budget(KernelStage::likelihood, searched_.likelihood, Criterion::reml, start, first);
    if (last) return out;
    stage.next(1);
    out.f = infinity;
    return left_ > 0 ? within_budget(KernelStage::criterion, searched_.all, options_.criterion, out, left_) : out;
  }

  // Where nothing better than the given kernel was found: a search of the criterion from the given kernel.
  Found from_given(const Found& given) {
    out_.kept = true;
    if (left_ == 0) return given;
    twice_ = false;  // from another start
    Found out = within_budget(KernelStage::criterion, searched_.all, options_.criterion, given, left_);
    if (!(out.f < given.f)) return given;
    out_.kept = false;
    return out;
  }

  Found within_budget(KernelStage stage, const RowsOfSearch& rows, Criterion criterion, const Found& from,
                      Index evaluations) {
    const std::size_t before = out_.trials.size();
    Found out = learn(stage, rows, criterion, from, evaluations);
    left_ -= static_cast<Index>(out_.trials.size() - before);
    return out;
  }

  // Where the shrinkage is weak, the lower one of two minima: one found from `from`, the other from the place to which
  // a strong shrinkage leads from `from`. Half of the budget each.
  Found learn(KernelStage stage, const RowsOfSearch& rows, Criterion criterion, const Found& from, Index evaluations) {
    const bool twice = options_.shrinkage > weak_shrinkage && !twice_ && evaluations >= least_for_two && has_ratios();
    if (!twice) return learn_once(stage, rows, criterion, from, evaluations);
    twice_ = true;
    const std::size_t before = out_.trials.size();
    const auto left = [&] { return evaluations - static_cast<Index>(out_.trials.size() - before); };
    Found first = learn_once(stage, rows, criterion, from, evaluations / 2);
    Known of_first = std::exchange(known_, {});
    shrinkage_ = strong_shrinkage;
    const Found shrunk = minimum(stage, rows, criterion, from, left() / 2);
    shrinkage_ = options_.shrinkage;
    Found second = learn_once(stage, rows, criterion, shrunk, left());
    if (second.f < first.f) return second;
    known_ = std::move(of_first);
    return first;
  }

  // Whether some scaled kernel has several lengths, which a shrinkage draws together.
  bool has_ratios() const {
    return std::ranges::any_of(variables_.together, [](const Array<Index>& scales) { return scales.size() > 1; });
  }

  // A minimum. Where the sample shows a lower f at a lambda far away, the search goes on from that lambda.
  Found learn_once(KernelStage stage, const RowsOfSearch& rows, Criterion criterion, const Found& from,
                   Index evaluations) {
    const std::size_t before = out_.trials.size();
    const auto left = [&] { return evaluations - static_cast<Index>(out_.trials.size() - before); };
    Found out = minimum(stage, rows, criterion, from, evaluations);
    for (Index round = 0; round < lambda_rounds && criterion == options_.criterion; ++round) {
      if (rows.rows != searched_.sample.rows || left() < 2 || !std::isfinite(out.f)) break;
      const KernelPtr kernel = kernel_at(out);
      const auto found = value_of([&] { return searched_.lambda(kernel, criterion); });
      if (!found) break;
      keep(stage, found->score, found->lambda, nan);
      const KernelSize of_kernel = searched_.size(kernel);
      low_[0] = std::min(low_[0], std::log(found->low) - of_kernel.log_size);  // so far that of another kernel
      Found other = out;
      other.z[0] = std::clamp(std::log(found->lambda) - of_kernel.log_size, low_[0], high_[0]);
      if (other.z[0] == out.z[0]) break;
      Array<double> unused(variables_.count(), 0.0);
      const double size = static_cast<double>(rows.rows) * static_cast<double>(rows.outputs);
      other.f = (criterion == Criterion::reml ? found->score : size / 2 * std::log(found->score)) +
                shrinkage_penalty(variables_, shrinkage_, u_of(out), unused);
      if (has_noise_prior(criterion, options_)) {
        const double lambda = std::exp(other.z[0] + of_kernel.log_size);
        other.f += static_cast<double>(rows.outputs) * noise_penalty(lambda, of_kernel.spread).value;
      }
      if (!(other.f < out.f - lower_by * size)) break;
      other = minimum(stage, rows, criterion, other, left());
      if (other.f < out.f) out = std::move(other);
    }
    return out;
  }

  Found minimum(KernelStage stage, const RowsOfSearch& rows, Criterion criterion, const Found& from,
                Index evaluations) {
    const double size = static_cast<double>(rows.rows) * static_cast<double>(rows.outputs);
    LbfgsOptions options;
    options.evaluations = evaluations;
    options.gradient_tolerance = gradient_small * size;
    options.change_tolerance = criterion == Criterion::reml ? reml_small : change_small;
    options.scale = size;
    options.longest = longest_log_step;
    Index step = 0;
    const auto f = [&](Span<const double> z, Span<double> g) {
      const Stage part(fraction(step, evaluations), fraction(step + 1, evaluations));
      ++step;
      return evaluate(stage, rows, criterion, z, g);
    };
    const bool all_move = stage != KernelStage::given;
    if (all_move) options.known = known_curvature(size);
    BoundedMinimum found = minimise_in_box(f, from.z, low_, high_, options);
    if (all_move && !found.known.empty()) known_ = {std::move(found.known), size};
    out_.end[static_cast<Index>(stage) - 1] = found.end;
    return {found.x, std::isfinite(found.f) ? found.f : infinity};
  }

  // The pairs of the last search, scaled: the function and its gradients grow with the number of rows and outputs.
  Array<LbfgsPair> known_curvature(double size) const {
    Array<LbfgsPair> out = known_.pairs;
    for (LbfgsPair& pair : out)
      for (double& change : pair.y) change *= size / known_.size;
    return out;
  }

  double evaluate(KernelStage stage, const RowsOfSearch& rows, Criterion criterion, Span<const double> z,
                  Span<double> g) {
    const Span<const double> u = z.subspan(1);
    double lambda = nan;
    KernelSize size;
    const auto found = value_of([&] {
      const KernelPtr kernel = variables_.kernel(*kernel_, u);
      size = searched_.size(kernel);
      lambda = std::exp(z[0] + size.log_size);
      return rows.gradient(kernel, criterion, lambda);
    });
    if (!found || !std::isfinite(found->score) || (criterion != Criterion::reml && found->score <= 0)) {
      keep(stage, nan, lambda, nan);
      return nan;
    }
    std::ranges::fill(g, 0.0);
    double f = found->score;
    g[0] = found->log_lambda;
    Array<double> by_number = found->kernel;
    const auto outputs = static_cast<double>(rows.outputs);
    if (has_noise_prior(criterion, options_)) {
      const NoisePenalty noise = noise_penalty(lambda, size.spread);
      f += outputs * noise.value;
      g[0] += outputs * noise.log_lambda;
      for (std::size_t i = 0; i < by_number.size(); ++i)
        by_number[i] += outputs * noise.spread * size.spread_gradient[i];
    }
    for (std::size_t i = 0; i < by_number.size(); ++i) by_number[i] += g[0] * size.gradient[i];
    variables_.gradient(by_number, g.subspan(1));
    if (criterion != Criterion::reml) {
      const double half = static_cast<double>(rows.rows) * outputs / 2;
      f = half * std::log(found->score);
      for (double& slope : g) slope *= half / found->score;
    }
    f += shrinkage_penalty(variables_, shrinkage_, u, g.subspan(1));
    keep(stage, found->score, lambda, projected_gradient(z, g, low_, high_));
    return f;
  }

  static Span<const double> u_of(const Found& found) { return Span<const double>(found.z).subspan(1); }
  KernelPtr kernel_at(const Found& found) const { return variables_.kernel(*kernel_, u_of(found)); }

  void keep(KernelStage stage, double score, double lambda, double gradient) {
    out_.trials.push_back({stage, score, lambda, gradient});
  }

  KernelSearch answer(const Found& best) {
    out_.kernel = kernel_at(best);
    const KernelSize size = searched_.size(out_.kernel);
    out_.spread = size.spread;
    out_.lambda = std::exp(best.z[0] + size.log_size);
    const auto at_bound = [&](std::size_t v) { return best.z[v] <= low_[v] ? -1 : best.z[v] >= high_[v] ? 1 : 0; };
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

  const KernelPtr& kernel_;
  const KernelVariables& variables_;
  const SearchedRows& searched_;
  const KernelSearchOptions& options_;
  struct Known {
    Array<LbfgsPair> pairs;
    double size = 1;
  };

  Multiple tried_;  // the best
  Known known_;
  double shrinkage_ = options_.shrinkage;  // in force
  bool twice_ = false;                     // whether two minima have been looked for from the last start
  Array<double> low_, high_;               // of z
  double given_slope_ = 0;
  Index left_ = 0;  // of the budget
  KernelSearch out_;
};

}  // namespace

void require_learnable(Criterion criterion, Index variables) {
  if (criterion == Criterion::error_rate)
    fail(Status::invalid_argument,
         "criterion is 5 (ERROR_RATE), a step function without gradients: learn the kernel by LOO, REML or GROUPS");
  if (criterion == Criterion::gcv && variables > 1)
    fail(
        Status::invalid_argument, "criterion is 2 (GCV), and ", variables,
        " hyperparameters are free: over several GCV runs away to kernels that fit nothing but noise; use LOO, REML or "
        "GROUPS, or leave one free");
}

KernelSearch search_kernel(const KernelPtr& kernel, const KernelVariables& variables, const SearchedRows& rows,
                           const KernelSearchOptions& options) {
  return KernelSearcher(kernel, variables, rows, options).run();
}

}  // namespace freeridge
