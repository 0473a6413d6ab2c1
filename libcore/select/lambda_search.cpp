#include "libcore/select/lambda_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/constants.hpp"
#include "libcore/select/estimated_criteria.hpp"
#include "libcore/select/score_curve.hpp"
#include "libcore/spectrum/estimating.hpp"

namespace freeridge {
namespace {

constexpr Index fine_grid = 100;   // under half a natural log unit apart on 17 decades
constexpr Index coarse_grid = 50;  // where every lambda has a factor of its own
// The sparse grid. Criteria are analytic in log lambda within pi of the real line, so that a polynomial through points
// 1.3 apart shows every dip, and the minimum that it foretells is tried.
constexpr Index sparse_grid = 32;
constexpr double widest = 0.5;  // between grid points, in log lambda; beyond it cells are divided
constexpr double widest_sparse = 1.6;
constexpr std::size_t most_dips = 5;  // refined for an output, the deepest first
constexpr int most_rounds = 8;
constexpr double foretold = 1e-12;           // relative: with no larger error of the polynomial the dip is done
constexpr double surprise = 1e-6;            // relative: with a larger one its bracket is divided
constexpr Index divisions = 5;               // of a bracket, after a surprise
constexpr double estimated_tolerance = 0.1;  // of log lambda, on a route that estimates
constexpr int estimated_rounds = 3;
constexpr Index estimated_pieces = 3;  // of the decades beside the lowest
constexpr double caution = 2;          // standard errors of an estimate that are added to it
constexpr Index tried_together = 2;    // decades of lambda that share passes
constexpr Index rises = 2;             // of the score, over as many decades, that end the descent
constexpr Index many_outputs = 16;
constexpr Index block_outputs = 4;  // refined together: a call tries the lambdas of each of them for all of them

// Ascending, each once.
Array<double> sorted(Array<double> lambdas) {
  std::ranges::sort(lambdas);
  lambdas.erase(std::unique(lambdas.begin(), lambdas.end()), lambdas.end());
  return lambdas;
}

// A bracket of one output, in log lambda.
struct Dip {
  Index output;
  double low, high;
  bool done = false, divide = false;
  double lambda = nan, expected = nan;  // the polynomial's minimum, tried in this round
};

class Search {
 public:
  Search(const Searched& searched, LambdaRange range)
      : searched_(searched),
        estimated_(searched.estimates != nullptr),
        criterion_(searched.criterion),
        range_(range),
        grid_count_(range.low == range.high                                ? 1
                    : sparse()                                             ? sparse_grid
                    : searched.fine || criterion_ == Criterion::error_rate ? fine_grid
                                                                           : coarse_grid),
        t_(searched.t),
        curves_(t_),
        minima_(t_, 0) {}

  LambdaSearch run() {
    if (estimated_) return descend();
    Array<double> grid = log_grid(range_, grid_count_);
    grid.erase(std::unique(grid.begin(), grid.end()), grid.end());  // a range of a few last digits
    Stage stage(0, 0.6);
    attempt(grid, 0, t_);
    std::transform(curves_.begin(), curves_.end(), minima_.begin(), count_minima);
    if (criterion_ != Criterion::error_rate && grid.size() > 1)
      for (Index first = 0, block = searched_.alone ? 1 : block_outputs; first < t_; first += block) {
        const Index count = std::min(block, t_ - first);
        stage.next(0.6 + 0.4 * fraction(first + count, t_));
        refine(first, count);
      }
    return result();
  }

 private:
  // With many outputs the grid, which all of them share, would be most of the work.
  bool sparse() const {
    return criterion_ != Criterion::error_rate && (searched_.alone || searched_.sparse || searched_.t >= many_outputs);
  }
  double lambda_at(double x) const { return std::clamp(std::exp(x), range_.low, range_.high); }

  // One call of scores(), whose results are recorded. lambdas: ascending, none of them tried for these outputs yet.
  void attempt(Span<const double> lambdas, Index first, Index count) {
    const auto size = static_cast<Index>(lambdas.size());
    Matrix score(size, count), error(size, count, nan), uncertainty(size, count, 0.0);
    const MatrixView errors = is_mean(criterion_) ? error.view() : MatrixView{};
    std::string reason = estimated_ ? searched_.estimates(lambdas, first, score.view(), errors, uncertainty.view())
                                    : searched_.scores(lambdas, first, score.view(), errors);
    if (!reason.empty()) keep_first(reason_, std::move(reason));
    for (Index j = 0; j < count; ++j) {
      ScoreCurve& tried = curves_[first + j];
      tried.reserve(std::ssize(tried) + size);
      const std::ptrdiff_t known = std::ssize(tried);
      for (Index l = 0; l < size; ++l) {
        const double lambda = lambdas[l];
        const double above = caution * uncertainty(l, j) + (searched_.penalty ? searched_.penalty(lambda) : 0);
        tried.push_back({lambda, std::log(lambda), score(l, j) + above, error(l, j), above});
      }
      std::inplace_merge(tried.begin(), tried.begin() + known, tried.end(),
                         [](const Tried& a, const Tried& b) { return a.lambda < b.lambda; });
    }
  }

  static const Tried* find(const ScoreCurve& curve, double lambda) {
    const auto found = std::lower_bound(curve.begin(), curve.end(), lambda,
                                        [](const Tried& a, double value) { return a.lambda < value; });
    return found != curve.end() && found->lambda == lambda ? &*found : nullptr;
  }

  // The neighbours of a point: the bracket of its dip.
  static Dip bracket(const ScoreCurve& curve, Index output, std::size_t l) {
    return {output, curve[l > 0 ? l - 1 : l].x, curve[std::min(l + 1, curve.size() - 1)].x};
  }

  void divide(double low, double high, Index pieces, Array<double>& wanted) const {
    for (Index k = 1; k < pieces; ++k)
      wanted.push_back(lambda_at(low + (high - low) * static_cast<double>(k) / static_cast<double>(pieces)));
  }

  // One call for the wanted lambdas that are new. All outputs of a block have tried the same lambdas.
  void attempt_new(const Array<double>& wanted, Index first, Index count) {
    Array<double> lambdas = sorted(wanted);
    std::erase_if(lambdas, [&](double lambda) { return find(curves_[first], lambda) != nullptr; });
    if (!lambdas.empty()) attempt(lambdas, first, count);
  }

  LambdaSearch descend() {
    const double decade = std::log(10.0), high = std::log(range_.high), low = std::log(range_.low);
    const Index decades = static_cast<Index>(std::ceil((high - low) / decade));
    Stage stage(0, 0);
    for (Index next = 0; next <= decades && (next == 0 || !all_are_done()); next += tried_together) {
      stage.next(0.7 * fraction(std::min(next + tried_together, decades + 1), decades + 1));
      Array<double> wanted;
      for (Index k = next; k < next + tried_together; ++k)
        wanted.push_back(lambda_at(high - decade * static_cast<double>(k)));
      for (Index first = 0; first < t_; first += block_outputs)
        attempt_new(wanted, first, std::min(block_outputs, t_ - first));
    }
    std::transform(curves_.begin(), curves_.end(), minima_.begin(), count_minima);
    stage.next(1);
    for (Index first = 0; first < t_ && range_.low < range_.high; first += block_outputs)
      refine(first, std::min(block_outputs, t_ - first));
    return result();
  }

  // Whether the descent can end for every output: its lowest score has `rises` scores at smaller lambdas, or there is
  // no score at the smallest lambda. A score that cannot be estimated at one lambda cannot be estimated at smaller ones
  // either.
  bool all_are_done() const {
    return std::ranges::all_of(curves_, [](const ScoreCurve& tried) {
      const std::size_t best = choice(tried);
      return std::isnan(tried.front().score) || (best < tried.size() && best >= static_cast<std::size_t>(rises));
    });
  }

  void refine(Index first, Index count) {
    const double spacing =
        (std::log(range_.high) - std::log(range_.low)) / static_cast<double>(std::max<Index>(grid_count_ - 1, 1));
    const double wide = sparse() ? widest_sparse : widest;
    const Index pieces = estimated_       ? estimated_pieces
                         : spacing > wide ? static_cast<Index>(std::ceil(spacing / wide)) + 1
                                          : 1;
    double done = pieces > 1 ? 0.5 : 0;
    Stage stage(0, done);
    if (pieces > 1) attempt_new(cells_of_dips(first, count, pieces, false), first, count);
    // At an end of the grid the polynomial has points on one side alone, and takes narrower cells.
    if (sparse() && pieces == 1 && spacing > widest)
      attempt_new(cells_of_dips(first, count, 2 * static_cast<Index>(std::ceil(spacing / widest)) + 1, true), first,
                  count);
    Array<Dip> open;
    for (Index j = first; j < first + count; ++j)
      for (const std::size_t l : dips_of(j)) open.push_back(bracket(curves_[j], j, l));
    for (int round = 0; round < (estimated_ ? estimated_rounds : most_rounds); ++round) {
      const Array<double> wanted = propose(open);
      if (wanted.empty()) break;
      done = (1 + done) / 2;
      stage.next(done);
      attempt_new(wanted, first, count);
      for (Dip& dip : open)
        if (!dip.done) judge(dip);
    }
  }

  Array<std::size_t> dips_of(Index output) { return dips(curves_[output], estimated_ ? 1 : most_dips); }

  // The lambdas that divide the cells on both sides of every dip, or of every dip at an end of the grid, into `pieces`.
  // Outputs that share a cell share the lambdas.
  Array<double> cells_of_dips(Index first, Index count, Index pieces, bool at_ends) {
    Array<double> wanted;
    for (Index j = first; j < first + count; ++j)
      for (const std::size_t l : dips_of(j)) {
        if (at_ends && l > 1 && l + 2 < curves_[j].size()) continue;
        if (l > 0) divide(curves_[j][l - 1].x, curves_[j][l].x, pieces, wanted);
        if (l + 1 < curves_[j].size()) divide(curves_[j][l].x, curves_[j][l + 1].x, pieces, wanted);
      }
    return wanted;
  }

  // The minimum of the parabola through the lowest point and its neighbours. A polynomial through more points would
  // follow the scores far below the best lambda, where estimates may be many times too large.
  static Minimum nearby_minimum(const ScoreCurve& tried, double low, double high) {
    const auto best = static_cast<std::ptrdiff_t>(lowest(tried, low, high)), size = std::ssize(tried);
    const ScoreCurve three(tried.begin() + std::max<std::ptrdiff_t>(best - 1, 0),
                           tried.begin() + std::min(best + 2, size));
    return interpolated_minimum(three, low, high);
  }

  // The minimum of each polynomial, unless it is a place where the dip's output has been before.
  Array<double> propose(Array<Dip>& open) {
    Array<double> wanted;
    for (Dip& dip : open) {
      if (dip.done) continue;
      const ScoreCurve& tried = curves_[dip.output];
      const Minimum minimum =
          estimated_ ? nearby_minimum(tried, dip.low, dip.high) : interpolated_minimum(tried, dip.low, dip.high);
      const bool known = std::any_of(tried.begin(), tried.end(), [&](const Tried& point) {
        return std::abs(point.x - minimum.x) <= (estimated_ ? estimated_tolerance : log_tolerance);
      });
      dip.lambda = known ? nan : lambda_at(minimum.x);
      dip.expected = minimum.score;
      dip.done = known && !dip.divide;
      if (!known) wanted.push_back(dip.lambda);
      if (dip.divide) divide(dip.low, dip.high, divisions, wanted);
    }
    return wanted;
  }

  void judge(Dip& dip) {
    const ScoreCurve& tried = curves_[dip.output];
    dip.divide = false;
    if (!std::isnan(dip.lambda)) {
      const double found = find(tried, dip.lambda)->score;
      const double missed = std::abs(found - dip.expected);
      dip.done = missed <= foretold * std::abs(found);
      dip.divide = !estimated_ && !(missed <= surprise * std::abs(found));
    }
    const Dip inner = bracket(tried, dip.output, lowest(tried, dip.low, dip.high));
    dip.low = std::max(dip.low, inner.low);
    dip.high = std::min(dip.high, inner.high);
  }

  LambdaSearch result() const {
    LambdaSearch search;
    search.criterion = criterion_;
    search.dips = minima_;
    Array<double> all;
    for (const ScoreCurve& tried : curves_)
      for (const Tried& point : tried) all.push_back(point.lambda);
    search.lambdas = sorted(std::move(all));
    search.scores = Matrix(std::ssize(search.lambdas), t_, nan);
    for (Index j = 0; j < t_; ++j) {
      const ScoreCurve& tried = curves_[j];
      auto place = search.lambdas.begin();
      for (const Tried& point : tried) {
        place = std::lower_bound(place, search.lambdas.end(), point.lambda);
        search.scores(place - search.lambdas.begin(), j) = point.score - point.above;
      }
      const std::size_t best = choice(tried);
      if (best == tried.size())
        fail(Status::undefined, "the criterion has no value for output ", j, " between lambda = ", range_.low, " and ",
             range_.high, ": ", reason_);
      const double score = tried[best].score;
      search.best.push_back(tried[best].lambda);
      search.best_score.push_back(score - tried[best].above);
      search.standard_error.push_back(tried[best].error);
      search.edge.push_back(range_.low == range_.high ? 0 : best == 0 ? -1 : best + 1 == tried.size() ? 1 : 0);
      const double limit = criterion_ == Criterion::reml ? score + 0.5 : score + 0.01 * std::abs(score);
      search.decades.push_back(decades_below(tried, best, limit));
    }
    return search;
  }

  const Searched& searched_;
  bool estimated_;
  Criterion criterion_;
  LambdaRange range_;
  Index grid_count_;
  Index t_;
  Array<ScoreCurve> curves_;  // of each output
  Array<std::int32_t> minima_;
  std::string reason_;  // for the first NaN
};

}  // namespace

Index lambdas_of_search(Index t) {
  return fine_grid + 8 * t;
}

LambdaRange lambda_range(EigenvalueRange range, double floor) {
  const double low = std::max({range.smallest / 1000, eps * range.largest, floor});
  const double high = 1000 * std::max(range.largest, floor);
  if (!(range.largest > 0 && low > 0) || !std::isfinite(high))
    fail(Status::undefined, "there is no lambda to choose: the eigenvalues of the kernel matrix reach from ",
         range.smallest, " to ", range.largest,
         " (is x constant, or do fixed effects explain all of it? Then every lambda has the same answer); set lambda, "
         "or "
         "give low and high");
  return {low, high};
}

LambdaRange search_range(double low, double high, EigenvalueRange eigenvalues, double floor) {
  if (low != 0 || high != 0) return {low, high};
  if (eigenvalues.largest == 0) return {std::max(floor, 1.0), std::max(floor, 1.0)};
  return lambda_range(eigenvalues, floor);
}

Array<double> log_grid(LambdaRange range, Index count) {
  Array<double> grid(count, range.low);
  const double low = std::log(range.low), high = std::log(range.high);
  for (Index l = 1; l < count; ++l)
    grid[l] = std::exp(low + (high - low) * static_cast<double>(l) / static_cast<double>(count - 1));
  if (count > 1) grid.back() = range.high;
  for (double& lambda : grid) lambda = std::clamp(lambda, range.low, range.high);
  return grid;
}

LambdaSearch search_lambda(const Factorization& factorization, Criterion criterion, const Groups* groups,
                           LambdaRange range, std::function<double(double lambda)> penalty, bool sparse) {
  const bool missing = factorization.problem().missing != nullptr;
  Searched searched{criterion,
                    factorization.problem().t(),
                    factorization.at_is_free() && !missing,
                    [&](Span<const double> lambdas, Index first, MatrixView out, MatrixView errors) {
                      return scores(factorization, criterion, groups, lambdas, first, out, errors);
                    },
                    {},
                    missing,
                    sparse,
                    std::move(penalty)};
  if (factorization.estimating() != nullptr)
    searched.estimates = [&](Span<const double> lambdas, Index first, MatrixView out, MatrixView errors,
                             MatrixView uncertainty) {
      return estimated_scores(factorization, criterion, lambdas, first, out, errors, uncertainty);
    };
  return search_lambda(searched, range);
}

LambdaSearch search_lambda(const Searched& searched, LambdaRange range) {
  LambdaSearch search = Search(searched, range).run();
  report(1);
  return search;
}

}  // namespace freeridge
