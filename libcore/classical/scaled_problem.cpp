#include "libcore/classical/scaled_problem.hpp"

#include <algorithm>
#include <limits>

#include "libcore/base/constants.hpp"

namespace freeridge {
namespace {

constexpr int largest_exponent = 1000;  // 2^-e and 2^e are numbers, and so is 2^-e times the largest double

double power_of_two(int e) {
  return std::ldexp(1.0, e);
}

}  // namespace

ColumnStatistics column_statistics(const LayoutView& x, Index column, bool intercept) {
  double largest = 0, mean = 0, rest = 0, deviation = 0;
  for (Index i = 0; i < x.rows; ++i) largest = std::max(largest, std::abs(x(i, column)));
  const int exponent = std::clamp(exponent_of(largest), -largest_exponent, largest_exponent);
  const double factor = power_of_two(-exponent);
  if (intercept) {
    const auto count = static_cast<double>(x.rows);
    for (Index i = 0; i < x.rows; ++i) mean += x(i, column) * factor;
    mean /= count;
    for (Index i = 0; i < x.rows; ++i) rest += x(i, column) * factor - mean;
    mean += rest / count;
  }
  for (Index i = 0; i < x.rows; ++i) deviation = std::max(deviation, std::abs(x(i, column) * factor - mean));
  if (intercept && deviation <= 2 * eps * largest * factor) deviation = 0;
  return {exponent, mean, deviation};
}

ScaledProblem::ScaledProblem(const PenalisedProblem& problem)
    : problem_(problem),
      x_exponent_(problem.d()),
      x_factor_(problem.d()),
      y_factor_(problem.t()),
      shift_(problem.d()),
      penalty_(problem.d(), 0.0) {
  for (Index k = 0; k < problem.d(); ++k) statistics_.push_back(column_statistics(problem.x, k, problem.intercept));
  for (Index j = 0; j < problem.t(); ++j) {
    y_statistics_.push_back(column_statistics(problem.y, j, problem.intercept));
    y_factor_[j] = power_of_two(-y_exponent(j));
  }
}

void ScaledProblem::set_exponent(Index k, int exponent) {
  const ColumnStatistics& u = statistics_[k];
  const int e = std::clamp(exponent, -largest_exponent, largest_exponent);
  x_exponent_[k] = e;
  x_factor_[k] = u.deviation > 0 ? power_of_two(-e) : 0;
  shift_[k] = u.deviation > 0 ? std::ldexp(u.mean, u.exponent - e) : 0;
}

ScaledProblem ScaledProblem::equilibrated(const PenalisedProblem& problem) {
  ScaledProblem out(problem);
  int lambda_exponent = 0;
  const double lambda = std::frexp(problem.lambda, &lambda_exponent);
  for (Index k = 0; k < problem.d(); ++k) {
    const ColumnStatistics& u = out.statistics_[k];
    int penalty_exponent = 0, e = u.exponent + (u.deviation > 0 ? exponent_of(u.deviation) : 0);
    const double p = lambda * std::frexp(problem.penalty[k], &penalty_exponent);
    penalty_exponent += lambda_exponent;
    if (p > 0) e = u.deviation > 0 ? std::max(e, penalty_exponent / 2) : penalty_exponent / 2;
    out.set_exponent(k, e);
    out.penalty_[k] = std::ldexp(p, penalty_exponent - 2 * out.x_exponent(k));
  }
  return out;
}

ScaledProblem ScaledProblem::uniform(const PenalisedProblem& problem) {
  ScaledProblem out(problem);
  const auto half_exponent = [&](Index k) { return exponent_of(problem.penalty[k]) / 2; };
  int e = problem.lambda > 0 ? exponent_of(problem.lambda) / 2 : std::numeric_limits<int>::min();
  for (Index k = 0; k < problem.d(); ++k)
    if (const ColumnStatistics& u = out.statistics_[k]; problem.penalty[k] > 0 && u.deviation > 0)
      e = std::max(e, u.exponent + exponent_of(u.deviation) - half_exponent(k));
  if (e == std::numeric_limits<int>::min()) e = 0;  // there are no columns
  for (Index k = 0; k < problem.d(); ++k) {
    const ColumnStatistics& u = out.statistics_[k];
    if (problem.penalty[k] > 0) {
      out.set_exponent(k, e + half_exponent(k));
      out.penalty_[k] = std::ldexp(problem.penalty[k], 2 * (e - out.x_exponent(k)));
    } else {
      out.set_exponent(k, u.exponent + exponent_of(u.deviation));
    }
  }
  out.lambda_ = std::ldexp(problem.lambda, -2 * e);
  return out;
}

int ScaledProblem::spread(Span<const Index> columns) const {
  int least = std::numeric_limits<int>::max(), most = std::numeric_limits<int>::min();
  for (const Index k : columns) {
    const ColumnStatistics& u = statistics_[k];
    const int e = u.exponent + exponent_of(u.deviation) - exponent_of(problem_.penalty[k]) / 2;
    least = std::min(least, e);
    most = std::max(most, e);
  }
  return columns.empty() ? 0 : most - least;
}

LeastSquaresData ScaledProblem::data() const {
  return {problem_.x, problem_.y, {}, problem_.intercept, penalty_, x_factor_, y_factor_};
}

void ScaledProblem::centred(Span<const Index> columns, MatrixView out) const {
  scaled(columns, out);
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) -= shift(columns[j]);
}

void ScaledProblem::scaled(Span<const Index> columns, MatrixView out) const {
  // By blocks of rows, so that each cache line of a row-major x is read once.
  constexpr Index block = 64;
  for (Index row = 0; row < out.rows; row += block)
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = row; i < std::min(row + block, out.rows); ++i)
        out(i, j) = problem_.x(i, columns[j]) * x_factor_[columns[j]];
}

void ScaledProblem::centred_y(MatrixView out) const {
  copy_rows(problem_.y, 0, out);
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) = out(i, j) * y_factor_[j] - y_statistics_[j].mean;
}

Array<Index> ScaledProblem::varying() const {
  Array<Index> out;
  for (Index k = 0; k < problem_.d(); ++k)
    if (x_factor_[k] > 0) out.push_back(k);
  return out;
}

void ScaledProblem::unscale(const LeastSquaresSolution& solution, MatrixView w, Span<double> b) const {
  for (Index j = 0; j < w.cols; ++j) {
    b[j] = std::ldexp(solution.b[j].hi, y_exponent(j));
    bool finite = std::isfinite(b[j]);
    for (Index k = 0; k < w.rows; ++k) {
      w(k, j) = x_factor_[k] > 0 ? std::ldexp(solution.w.hi(k, j), y_exponent(j) - x_exponent(k)) : 0;
      finite = finite && std::isfinite(w(k, j));
    }
    if (!finite) fail(Status::not_finite, "the solution for output ", j, " overflows; rescale x or y");
  }
}

}  // namespace freeridge
