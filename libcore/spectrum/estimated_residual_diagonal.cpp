#include "libcore/spectrum/estimated_residual_diagonal.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

constexpr double trace_units = 4;
constexpr Index most_classes = 32, least_in_class = 32;
constexpr double significant = 3;  // standard errors
constexpr double most_ratio = 0.99;

// Sums of powers of some numbers, and from them the means of products of different ones.
struct Powers {
  double first = 0, second = 0, third = 0;
  void add(double x, double times = 1) {
    first += times * x;
    second += times * x * x;
    third += times * x * x * x;
  }
  double pairs(double s) const { return (first * first - second) / (s * (s - 1)); }
  double triples(double s) const {
    return (first * (first * first - 3 * second) + 2 * third) / (s * (s - 1) * (s - 2));
  }
  // 1 - 2 U1 + 3 U2
  double series(double s) const { return 1 - 2 * first / s + 3 * pairs(s); }
};

// What is left of sum_k (k + 1) (-rho)^k after the first three terms, where rho^3 is -+third.
double rest_of_series(double third) {
  const double r = std::min(std::cbrt(std::abs(third)), most_ratio);
  return 1 / ((1 - r) * (1 - r)) - 1 - 2 * r - 3 * r * r;
}

// The mean of some values, and the sum of the squares of what is left of each without it.
struct Deviations {
  explicit Deviations(Span<const double> values) {
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) squares += (value - mean) * (value - mean);
  }
  double mean = 0, squares = 0;
};

// The standard error of a mean by the values without each of its terms.
double jackknife(Span<const double> without) {
  const double s = static_cast<double>(without.size());
  return std::sqrt((s - 1) / s * Deviations(without).squares);
}

}  // namespace

double error_of_solutions(const DiagonalEvidence& evidence, double trace, Index j, Span<const double> c, double value) {
  double relative = evidence.trace_error > 0 ? evidence.trace_error / trace : 0;
  if (!evidence.residual_error.empty() && evidence.residual_error[j] > 0)
    relative += evidence.residual_error[j] / norm2(std::ssize(c), c.data());
  return 2 * value * relative;
}

Estimate estimated_loo(const DiagonalEvidence& evidence, Span<const double> c, double sum_w) {
  const ConstMatrixView raw = evidence.raw;
  const double s = static_cast<double>(raw.cols);
  Array<double> without(raw.cols, 0.0), rho(raw.cols);
  double sum = 0, first = 0, third = 0, least = 0, slopes = 0;
  for (Index i = 0; i < raw.rows; ++i) {
    const double b = evidence.base[i], e = c[i] / b, share = e * e / sum_w;
    Powers powers;
    for (Index p = 0; p < raw.cols; ++p) powers.add(rho[p] = raw(i, p) / b - 1);
    sum += share * powers.series(s);
    first += share;
    third += share * powers.triples(s);
    slopes += 4 * (share / b) * (share / b);
    least += c[i] / evidence.high[i] * (c[i] / evidence.high[i]) / sum_w;
    for (Index p = 0; p < raw.cols; ++p) {
      Powers others = powers;
      others.add(rho[p], -1);
      without[p] += share * others.series(s - 1);
    }
  }
  worked(touched * static_cast<double>(raw.rows * raw.cols));
  const double rest = first > 0 ? first * rest_of_series(third / first) : 0;
  const double early = std::sqrt(slopes / static_cast<double>(raw.rows)) * evidence.probe_error;
  return {sum < least ? least : sum, std::hypot(jackknife(without), rest, early)};
}

void recentre(Span<double> base, ConstMatrixView raw) {
  const Index n = raw.rows, classes = std::clamp<Index>(n / least_in_class, 1, most_classes);
  const double s = static_cast<double>(raw.cols);
  Array<Index> rows = consecutive(0, n);
  std::ranges::stable_sort(rows, [&](Index a, Index b) { return base[a] < base[b]; });
  for (Index k = 0; k < classes; ++k) {
    const Span<const Index> own(rows.data() + n * k / classes, n * (k + 1) / classes - n * k / classes);
    Array<double> ratio(raw.cols, 0.0);
    for (Index p = 0; p < raw.cols; ++p)
      for (const Index i : own) ratio[p] += raw(i, p) / base[i] / static_cast<double>(own.size());
    const Deviations deviations(ratio);
    const double error = std::sqrt(deviations.squares / (s - 1) / s);
    if (deviations.mean > 0 && std::abs(deviations.mean - 1) > significant * error)
      for (const Index i : own) base[i] *= deviations.mean;
  }
  worked(touched * static_cast<double>(n * raw.cols));
}

Array<Index> most_uncertain_rows(const DiagonalEvidence& evidence, ConstMatrixView c, Index count) {
  const ConstMatrixView raw = evidence.raw;
  Array<double> share(raw.rows, 0.0), of_output(raw.rows), of_row(raw.cols);
  for (Index j = 0; j < c.cols; ++j) {
    for (Index i = 0; i < raw.rows; ++i) of_output[i] = c(i, j) / evidence.base[i] * (c(i, j) / evidence.base[i]);
    const double all = sum_of(of_output);
    for (Index i = 0; i < raw.rows && all > 0; ++i) share[i] += of_output[i] / all;
  }
  for (Index i = 0; i < raw.rows; ++i) {
    for (Index p = 0; p < raw.cols; ++p) of_row[p] = raw(i, p);
    share[i] *= std::sqrt(Deviations(of_row).squares) / evidence.base[i];
    if (std::isnan(share[i])) share[i] = 0;
  }
  worked(2 * touched * static_cast<double>(raw.rows * raw.cols));
  Array<Index> rows = consecutive(0, raw.rows);
  const auto end = rows.begin() + std::min(count, raw.rows);
  std::partial_sort(rows.begin(), end, rows.end(),
                    [&](Index a, Index b) { return share[a] > share[b] || (share[a] == share[b] && a < b); });
  rows.erase(end, rows.end());
  return rows;
}

Estimate estimated_trace(ConstMatrixView raw) {
  const double s = static_cast<double>(raw.cols);
  Array<double> sums(raw.cols, 0.0);
  for (Index p = 0; p < raw.cols; ++p) {
    for (Index i = 0; i < raw.rows; ++i) sums[p] += raw(i, p);
    worked(trace_units * static_cast<double>(raw.rows));
  }
  const Deviations deviations(sums);
  return {deviations.mean, std::sqrt(deviations.squares / (s - 1) / s)};
}

Estimate estimated_gcv(Index n, double squared_norm, Estimate trace) {
  const double value = static_cast<double>(n) * (squared_norm / trace.value) / trace.value;
  return {value, 2 * value * (trace.error / trace.value)};
}

}  // namespace freeridge
