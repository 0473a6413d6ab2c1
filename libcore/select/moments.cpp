#include "libcore/select/moments.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/select/criteria.hpp"
#include "libcore/select/score_curve.hpp"

namespace freeridge {
namespace {

bool is_count(double value) {
  return value >= 0 && value == std::floor(value);
}

// One output's scores, ascending in lambda. A lambda that is given twice counts once.
ScoreCurve curve_of(Span<const double> lambdas, ConstMatrixView scores, ConstMatrixView errors, Index output) {
  ScoreCurve curve;
  for (Index l = 0; l < std::ssize(lambdas); ++l)
    curve.push_back({lambdas[l], std::log(lambdas[l]), scores(l, output), errors(l, output)});
  std::ranges::stable_sort(curve, {}, &Tried::lambda);
  const auto same = [](const Tried& one, const Tried& next) { return one.lambda == next.lambda; };
  curve.erase(std::unique(curve.begin(), curve.end(), same), curve.end());
  return curve;
}

double next_of(const ScoreCurve& curve, std::size_t best) {
  if (best == 0 || best + 1 == curve.size()) return curve[best].lambda;
  const Minimum minimum = interpolated_minimum(curve, curve[best - 1].x, curve[best + 1].x);
  for (const std::size_t near : {best, best - 1, best + 1})
    if (std::abs(curve[near].x - minimum.x) <= log_tolerance) return curve[best].lambda;
  return std::clamp(std::exp(minimum.x), curve.front().lambda, curve.back().lambda);
}

}  // namespace

void Moments::join(const Moments& part) {
  Spread all{weight, mean, spread};
  all.join({part.weight, part.mean, part.spread});
  *this = {rows + part.rows, all.v, all.mean, all.root, undefined + part.undefined};
}

void require_moments(const char* name, Span<const double> moments) {
  for (std::size_t k = 0; k < moments.size(); ++k)
    if (!std::isfinite(moments[k])) fail(Status::not_finite, name, "[", k, "] is ", moments[k], "; it must be finite");
  for (std::size_t k = 0; k < moments.size(); k += moment_numbers) {
    const Moments m = moments_at(moments, static_cast<Index>(k) / moment_numbers);
    const auto refuse = [&](Index which, const char* rule) {
      fail(Status::invalid_argument, name, "[", static_cast<Index>(k) + which, "] is ",
           moments[static_cast<Index>(k) + which], "; ", rule, " (see freeridge_accumulator_moments)");
    };
    for (const Index which : {0, 4})
      if (!is_count(moments[static_cast<Index>(k) + which])) refuse(which, "it must be a number of rows");
    for (const Index which : {1, 2, 3})
      if (moments[static_cast<Index>(k) + which] < 0) refuse(which, "it must not be negative");
    if ((m.rows > 0) != (m.weight > 0)) refuse(1, "rows have a weight, and no rows have none");
    if (m.rows == 0 && (m.mean != 0 || m.spread != 0)) refuse(m.mean != 0 ? 2 : 3, "it must be 0 without rows");
  }
}

Moments moments_at(Span<const double> moments, Index pair) {
  const double* const m = moments.data() + moment_numbers * pair;
  return {m[0], m[1], m[2], m[3], m[4]};
}

void put_moments(const Moments& from, Index pair, Span<double> moments) {
  double* const m = moments.data() + moment_numbers * pair;
  m[0] = from.rows;
  m[1] = from.weight;
  m[2] = from.mean;
  m[3] = from.spread;
  m[4] = from.undefined;
}

void join_moments(Span<double> inout, Span<const double> more) {
  Array<double> joined(inout.begin(), inout.end());
  for (Index pair = 0; pair < std::ssize(inout) / moment_numbers; ++pair) {
    Moments m = moments_at(inout, pair);
    m.join(moments_at(more, pair));
    put_moments(m, pair, joined);
  }
  if (first_not_finite(joined) < std::ssize(joined))
    fail(Status::not_finite, "the weights or the spread of the moments together overflow; rescale weights or y");
  std::ranges::copy(joined, inout.begin());
}

std::string moment_scores(Span<const double> lambdas, Span<const double> moments, MatrixView scores,
                          MatrixView errors) {
  std::string reason;
  for (Index l = 0; l < scores.rows; ++l)
    for (Index j = 0; j < scores.cols; ++j) {
      const Moments m = moments_at(moments, l * scores.cols + j);
      const bool defined = m.rows > 0 && m.undefined == 0;
      if (!defined)
        keep_first(reason, m.rows == 0 && m.undefined == 0
                               ? text("the moments are those of no rows")
                               : text(m.undefined, " of the rows have no left-out error of output ", j,
                                      " (lambda = ", lambdas[l], ")"));
      scores(l, j) = defined ? m.mean : nan;
      if (errors.data == nullptr) continue;
      if (defined && m.rows == 1) keep_first(reason, one_term());
      errors(l, j) = defined && m.rows > 1 ? m.spread / std::sqrt(m.weight) / std::sqrt(m.rows - 1) : nan;
    }
  return reason;
}

MomentChoice choose_by_moments(Span<const double> lambdas, Index t, Span<const double> moments) {
  const Index count = std::ssize(lambdas);
  Matrix scores(count, t), errors(count, t);
  const std::string reason = moment_scores(lambdas, moments, scores.view(), errors.view());
  MomentChoice out;
  LambdaSearch& search = out.search;
  for (Index j = 0; j < t; ++j) {
    const ScoreCurve curve = curve_of(lambdas, scores.view(), errors.view(), j);
    if (j == 0) {
      search.scores = Matrix(std::ssize(curve), t);
      for (const Tried& tried : curve) search.lambdas.push_back(tried.lambda);
    }
    for (std::size_t l = 0; l < curve.size(); ++l) search.scores(static_cast<Index>(l), j) = curve[l].score;
    const std::size_t best = choice(curve);
    if (best == curve.size())
      fail(Status::undefined, "the criterion has no value for output ", j, " at any lambda: ", reason);
    search.best.push_back(curve[best].lambda);
    search.best_score.push_back(curve[best].score);
    search.standard_error.push_back(curve[best].error);
    search.decades.push_back(decades_below(curve, best, 1.01 * curve[best].score));
    out.next.push_back(next_of(curve, best));
    const bool one = curve.size() == 1;
    search.edge.push_back(one ? 0 : best == 0 ? -1 : best + 1 == curve.size() ? 1 : 0);
    search.dips.push_back(count_minima(curve));
  }
  return out;
}

}  // namespace freeridge
