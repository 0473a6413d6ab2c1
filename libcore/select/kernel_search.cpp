#include "libcore/select/kernel_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "libcore/base/constants.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/select/bandwidth.hpp"

namespace freeridge {
namespace {

constexpr Index multiples = 8;           // that the first stage tries
constexpr double gradient_small = 1e-4;  // of n t
constexpr double change_small = 1e-6;    // of n t
constexpr double longest_log_step = 2;   // a factor of e^2
constexpr double lambda_gain = 4;        // so many natural log units another lambda can be away, for the given kernel
constexpr Index lambda_evaluations = 8;  // for the given kernel
constexpr double part_of_sample = 0.15, part_of_given = 0.2;  // of the stretch of progress

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

// z = (log lambda, u) and what is minimised there.
struct Found {
  Array<double> z;
  double f = infinity;
};

class KernelSearcher {
 public:
  KernelSearcher(const KernelPtr& kernel, const KernelVariables& variables, const RowsOfSearch& sample,
                 const SearchLambdaOfSample& lambda_of_sample, const RowsOfSearch& rows,
                 const KernelSearchOptions& options)
      : kernel_(kernel),
        variables_(variables),
        sample_(sample),
        lambda_of_sample_(lambda_of_sample),
        rows_(rows),
        options_(options) {
    out_.end.assign(kernel_stages, SearchEnd::none);
    out_.rows = rows.rows;
    out_.sample = sample.rows;
  }

  KernelSearch run() {
    Found start, given;
    {
      const Stage stage(0, part_of_sample);
      start = first_stages(given);
    }
    Stage stage(part_of_sample, part_of_given);
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
    const LambdaOfSample plain = lambda_of_sample_(kernel_);
    low_ = {std::log(plain.range.low)};
    high_ = {std::log(plain.range.high)};
    const double more = std::log(static_cast<double>(rows_.rows) / static_cast<double>(sample_.rows));
    low_[0] += more;  // as the largest eigenvalue, which rounding is measured by
    high_[0] += more;
    low_.insert(low_.end(), variables_.low.begin(), variables_.low.end());
    high_.insert(high_.end(), variables_.high.begin(), variables_.high.end());
    given.z.assign(low_.size(), 0.0);
    given.z[0] = std::clamp(std::log(plain.lambda), low_[0], high_[0]);
    keep(KernelStage::multiple, plain.score, plain.lambda, nan);
    Found start = given;
    if (variables_.typical > 0) best_multiple(plain, start);
    stage.next(1);
    if (rows_.rows > sample_.rows)
      start = minimum(KernelStage::sample, sample_, Criterion::reml, start, options_.evaluations);
    return start;
  }

  void best_multiple(const LambdaOfSample& plain, Found& start) {
    struct Tried {
      double multiple, lambda;
    };
    Array<Tried> tried{{1, plain.lambda}};
    double best = plain.score, chosen = 0;
    Index step = 0;
    const auto score = [&](double multiple) {
      const Stage stage(fraction(step, multiples), fraction(step + 1, multiples));
      ++step;
      const auto found = value_of([&] { return lambda_of_sample_(multiplied(multiple)); });
      if (!found) return infinity;
      keep(KernelStage::multiple, found->score, found->lambda, nan);
      if (found->score < best) best = found->score, chosen = std::log(multiple), start.z[0] = std::log(found->lambda);
      return found->score;
    };
    const BandwidthRange range = bandwidth_range(variables_.typical);
    (void)value_of([&] { return search_bandwidth(range, variables_.typical, multiples, Criterion::reml, score).best; });
    start.z[0] = std::clamp(start.z[0], low_[0], high_[0]);
    for (Index v = 0; v < variables_.count(); ++v)
      if (variables_.length[v] != 0) start.z[v + 1] = std::clamp(chosen, low_[v + 1], high_[v + 1]);
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
    for (std::size_t v = 1; v < low_.size(); ++v) low_[v] = high_[v] = 0;
    Found out = minimum(KernelStage::given, rows_, options_.criterion, from, evaluations);
    given_slope_ = out_.trials.back().gradient;
    low_ = low;
    high_ = high;
    return out;
  }

  // Half of the budget for REML where another criterion comes after it, which has the rest.
  Found on_all_rows(const Found& start) {
    const bool reml = options_.criterion == Criterion::reml;
    const Index first = reml ? left_ : left_ / 2;
    Found out = start;
    Stage stage(0, reml ? 1 : 0.4);
    if (first > 0) out = within_budget(KernelStage::likelihood, Criterion::reml, start, first);
    if (reml) return out;
    stage.next(1);
    out.f = infinity;
    return left_ > 0 ? within_budget(KernelStage::criterion, options_.criterion, out, left_) : out;
  }

  // Nothing is better than the kernel that is given: the criterion from there.
  Found from_given(const Found& given) {
    out_.kept = true;
    if (left_ == 0) return given;
    const Found out = within_budget(KernelStage::criterion, options_.criterion, given, left_);
    if (!(out.f < given.f)) return given;
    out_.kept = false;
    return out;
  }

  Found within_budget(KernelStage stage, Criterion criterion, const Found& from, Index evaluations) {
    const std::size_t before = out_.trials.size();
    Found out = minimum(stage, rows_, criterion, from, evaluations);
    left_ -= static_cast<Index>(out_.trials.size() - before);
    return out;
  }

  Found minimum(KernelStage stage, const RowsOfSearch& rows, Criterion criterion, const Found& from,
                Index evaluations) {
    const double size = static_cast<double>(rows.rows) * static_cast<double>(rows.outputs);
    LbfgsOptions options;
    options.evaluations = evaluations;
    options.gradient_tolerance = gradient_small * size;
    options.change_tolerance = change_small;
    options.scale = size;
    options.longest = longest_log_step;
    Index step = 0;
    const auto f = [&](Span<const double> z, Span<double> g) {
      const Stage part(fraction(step, evaluations), fraction(step + 1, evaluations));
      ++step;
      return evaluate(stage, rows, criterion, z, g);
    };
    const BoundedMinimum found = minimise_in_box(f, from.z, low_, high_, options);
    out_.end[static_cast<Index>(stage) - 1] = found.end;
    return {found.x, std::isfinite(found.f) ? found.f : infinity};
  }

  double evaluate(KernelStage stage, const RowsOfSearch& rows, Criterion criterion, Span<const double> z,
                  Span<double> g) {
    const Span<const double> u = z.subspan(1);
    const double lambda = std::exp(z[0]);
    const auto found = value_of([&] { return rows.gradient(variables_.kernel(*kernel_, u), criterion, lambda); });
    if (!found || !std::isfinite(found->score) || (criterion != Criterion::reml && found->score <= 0)) {
      keep(stage, nan, lambda, nan);
      return nan;
    }
    std::ranges::fill(g, 0.0);
    g[0] = found->log_lambda;
    variables_.gradient(found->kernel, g.subspan(1));
    double f = found->score;
    if (criterion != Criterion::reml) {
      const double half = static_cast<double>(rows.rows) * static_cast<double>(rows.outputs) / 2;
      f = half * std::log(found->score);
      for (double& slope : g) slope *= half / found->score;
    }
    f += shrinkage_penalty(variables_, options_.shrinkage, u, g.subspan(1));
    keep(stage, found->score, lambda, projected_gradient(z, g, low_, high_));
    return f;
  }

  void keep(KernelStage stage, double score, double lambda, double gradient) {
    out_.trials.push_back({stage, score, lambda, gradient});
  }

  KernelSearch answer(const Found& best) {
    const Span<const double> u = Span<const double>(best.z).subspan(1);
    out_.kernel = variables_.kernel(*kernel_, u);
    out_.lambda = std::exp(best.z[0]);
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

  const KernelPtr& kernel_;
  const KernelVariables& variables_;
  const RowsOfSearch& sample_;
  const SearchLambdaOfSample& lambda_of_sample_;
  const RowsOfSearch& rows_;
  const KernelSearchOptions& options_;
  Array<double> low_, high_;  // of z
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

KernelSearch search_kernel(const KernelPtr& kernel, const KernelVariables& variables, const RowsOfSearch& sample,
                           const SearchLambdaOfSample& lambda_of_sample, const RowsOfSearch& rows,
                           const KernelSearchOptions& options) {
  return KernelSearcher(kernel, variables, sample, lambda_of_sample, rows, options).run();
}

}  // namespace freeridge
