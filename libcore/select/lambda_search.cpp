#include "libcore/select/lambda_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "libcore/select/brent.hpp"

namespace freeridge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index grid_count =
    100;  // under half a natural log unit apart on 17 decades; the criteria vary over several units
constexpr double log_tolerance = 1e-7;  // of log lambda: a score within 1e-14 of the minimum
constexpr int brent_calls = 60;
constexpr std::size_t most_dips = 5;  // refined for an output, the deepest first

// All that was tried: lambda -> one score an output.
using Seen = std::map<double, std::vector<double>>;

double or_infinity(double score) {
  return std::isnan(score) ? infinity : score;
}

// The grid indices where the score of output j dips, deepest first. A dip of rounding noise on a flat stretch is none.
std::vector<std::size_t> dips(ConstMatrixView grid_scores, Index j) {
  const auto at = [&](Index l) { return l < 0 || l >= grid_scores.rows ? infinity : or_infinity(grid_scores(l, j)); };
  std::vector<std::size_t> found;
  for (Index l = 0; l < grid_scores.rows; ++l) {
    const double here = at(l), noise = 1e-12 * std::abs(here);
    const bool inner_rise =
        (l > 0 && at(l - 1) > here + noise) || (l + 1 < grid_scores.rows && at(l + 1) > here + noise);
    if (here < infinity && here <= at(l - 1) && here <= at(l + 1) && inner_rise)
      found.push_back(static_cast<std::size_t>(l));
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](std::size_t a, std::size_t b) { return at(static_cast<Index>(a)) < at(static_cast<Index>(b)); });
  if (found.size() > most_dips) found.resize(most_dips);
  return found;
}

}  // namespace

LambdaRange lambda_range(const Factorization& factorization) {
  const Factorization::Range range = factorization.eigenvalue_range();
  const double low = std::max(range.smallest / 1000, std::numeric_limits<double>::epsilon() * range.largest);
  const double high = 1000 * range.largest;
  if (!(low > 0) || !std::isfinite(high))
    fail(Status::undefined, "there is no lambda to choose: the eigenvalues of the kernel matrix reach from ",
         range.smallest, " to ", range.largest, " (is x constant?); set lambda, or give low and high");
  return {low, high};
}

std::vector<double> log_grid(LambdaRange range, Index count) {
  std::vector<double> grid(static_cast<std::size_t>(count), range.low);
  const double low = std::log(range.low), high = std::log(range.high);
  for (Index l = 1; l < count; ++l)
    grid[static_cast<std::size_t>(l)] =
        std::exp(low + (high - low) * static_cast<double>(l) / static_cast<double>(count - 1));
  if (count > 1) grid.back() = range.high;
  for (double& lambda : grid) lambda = std::clamp(lambda, range.low, range.high);
  return grid;
}

LambdaSearch search_lambda(const Factorization& factorization, Criterion criterion, const Groups* groups,
                           LambdaRange range, const Progress& progress) {
  const Index t = factorization.problem().t();
  const std::vector<double> grid = log_grid(range, range.low == range.high ? 1 : grid_count);
  const Index count = static_cast<Index>(grid.size());
  Matrix grid_scores(count, t);
  const std::string reason =
      scores(factorization, criterion, groups, grid, 0, grid_scores.view(), progress.part(0, 0.5));

  Seen seen;
  for (Index l = 0; l < count; ++l) {
    std::vector<double>& row = seen[grid[static_cast<std::size_t>(l)]];
    row.resize(static_cast<std::size_t>(t));
    for (Index j = 0; j < t; ++j) row[static_cast<std::size_t>(j)] = grid_scores(l, j);
  }

  for (Index j = 0; j < t; ++j) {
    const Progress part = progress.part(0.5 + 0.5 * static_cast<double>(j) / static_cast<double>(t),
                                        0.5 + 0.5 * static_cast<double>(j + 1) / static_cast<double>(t));
    for (const std::size_t dip : dips(grid_scores.view(), j)) {
      const double low = std::log(grid[dip > 0 ? dip - 1 : dip]),
                   high = std::log(grid[std::min(dip + 1, grid.size() - 1)]);
      brent_minimum(low, high, log_tolerance, brent_calls, [&](double log_lambda) {
        const double lambda = std::clamp(std::exp(log_lambda), range.low, range.high);
        double score = nan;
        (void)scores(factorization, criterion, groups, {&lambda, 1}, j, {&score, 1, 1, 1}, Progress());
        part.report(0);
        std::vector<double>& row = seen.try_emplace(lambda, static_cast<std::size_t>(t), nan).first->second;
        row[static_cast<std::size_t>(j)] = score;
        return or_infinity(score);
      });
    }
  }

  LambdaSearch search;
  const Index tried = static_cast<Index>(seen.size());
  search.scores = Matrix(tried, t);
  Index l = 0;
  for (const auto& [lambda, row] : seen) {
    search.lambdas.push_back(lambda);
    for (Index j = 0; j < t; ++j) search.scores(l, j) = row[static_cast<std::size_t>(j)];
    ++l;
  }
  for (Index j = 0; j < t; ++j) {
    Index best = -1;
    for (Index i = 0; i < tried; ++i)
      if (!std::isnan(search.scores(i, j)) && (best < 0 || search.scores(i, j) <= search.scores(best, j))) best = i;
    if (best < 0)
      fail(Status::undefined, "the criterion has no value for output ", j, " between lambda = ", range.low, " and ",
           range.high, ": ", reason);
    search.best.push_back(search.lambdas[static_cast<std::size_t>(best)]);
    search.best_score.push_back(search.scores(best, j));
    search.edge.push_back(range.low == range.high ? 0 : best == 0 ? -1 : best == tried - 1 ? 1 : 0);
  }
  progress.report(1);
  return search;
}

}  // namespace freeridge
