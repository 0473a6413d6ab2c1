#include "libcore/spectrum/estimated_residual_diagonal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr Index cubic_rows = 100, straight_rows = 30;  // fewer rows have a trend of a lower degree
constexpr Index most_terms = 7;                        // 1, and three of each of two numbers
constexpr double ridge = 1e-10;                        // of a trend, relative: two numbers may tell the same
constexpr double trace_units = 4;
constexpr int rounds = 2;

using Terms = std::array<double, most_terms>;

// The Chebyshev polynomials 1, T_1, ..., T_degree of one or two numbers of each row, each scaled to [-1, 1].
class Basis {
 public:
  Basis(Span<const double> first, Span<const double> second) {
    add(first);
    add(second);
  }
  Index terms(int degree) const { return 1 + degree * std::ssize(numbers_); }
  Terms at(Index i, int degree) const {
    Terms out{1};
    Index k = 1;
    for (const Number& number : numbers_) {
      const double x = (number.value[i] - number.centre) / number.half;
      double before = 1, now = x;
      for (int power = 1; power <= degree; ++power) {
        out[k++] = now;
        const double next = 2 * x * now - before;
        before = now;
        now = next;
      }
    }
    return out;
  }

 private:
  struct Number {
    Span<const double> value;
    double centre, half;
  };
  void add(Span<const double> value) {
    if (value.empty()) return;
    const auto [low, high] = std::ranges::minmax_element(value);
    const double half = (*high - *low) / 2;
    if (half > 1e-9 * std::max(1.0, std::abs(*high))) numbers_.push_back({value, *low + half, half});
  }
  Array<Number> numbers_;
};

double value_at(const Terms& terms, const double* coefficient, Index count) {
  double sum = 0;
  for (Index k = 0; k < count; ++k) sum += terms[k] * coefficient[k];
  return sum;
}

// The coefficients of weighted least squares, one column for each right-hand side (n x r).
Matrix fit(const Basis& basis, int degree, Span<const double> weight, ConstMatrixView of) {
  const Index count = basis.terms(degree);
  Matrix gram(count, count, 0.0), out(count, of.cols, 0.0);
  for (Index i = 0; i < of.rows; ++i) {
    const Terms x = basis.at(i, degree);
    for (Index k = 0; k < count; ++k) {
      const double w_x = weight[i] * x[k];
      for (Index j = 0; j <= k; ++j) gram(k, j) += w_x * x[j];
      for (Index j = 0; j < of.cols; ++j) out(k, j) += w_x * of(i, j);
    }
  }
  const double most = gram(0, 0);
  for (Index k = 0; k < count; ++k) gram(k, k) += ridge * most;
  if (!potrf(gram.view())) {  // not a number anywhere
    for (double& value : out.values()) value = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  trsm(Op::none, gram.view(), out.view());
  trsm(Op::transpose, gram.view(), out.view());
  worked(2 * touched * static_cast<double>(of.rows * count));
  return out;
}

// exp of a polynomial with the mean of q >= 0 and the shape of log q.
Array<double> smooth_variance(const Basis& basis, int degree, Span<const double> q) {
  Array<double> weight(q.size()), out(q.size(), 0.0);
  Matrix logs(std::ssize(q), 1);
  double sum = 0;
  Index positive = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const bool counts = q[i] > 0;
    weight[i] = counts ? 1 : 0;
    logs(static_cast<Index>(i), 0) = counts ? std::log(q[i]) : 0;
    sum += q[i];
    positive += counts ? 1 : 0;
  }
  if (positive == 0) return out;
  if (2 * positive < std::ssize(q)) degree = 0;
  const Matrix c = fit(basis, degree, weight, logs.view());
  const Index count = basis.terms(degree);
  double total = 0;
  for (std::size_t i = 0; i < q.size(); ++i)
    total += out[i] = std::exp(value_at(basis.at(static_cast<Index>(i), degree), c.data(), count));
  for (double& value : out) value *= sum / total;
  return out;
}

class Shrinkage {
 public:
  explicit Shrinkage(const DiagonalEvidence& evidence)
      : e_(evidence),
        n_(evidence.raw.rows),
        probes_(evidence.raw.cols),
        degree_(n_ >= cubic_rows      ? 3
                : n_ >= straight_rows ? 1
                                      : 0),
        logs_(n_),
        mean_(n_, 1),
        weight_(n_),
        share_(n_),
        ratio_(n_, probes_) {
    for (Index i = 0; i < n_; ++i) logs_[i] = std::log(e_.base[i]);
  }

  DiagonalEstimate run() {
    const Basis basis(logs_, e_.other);
    set_means(basis);
    set_shares(basis);
    const Index count = basis.terms(degree_);
    const Matrix c = fit(basis, degree_, weight_, mean_.view()),
                 of_probes = fit(basis, degree_, weight_, ratio_.view());
    // The trend is linear in the means: (s f - f_p) / (s - 1) without probe p.
    DiagonalEstimate out{Array<double>(n_), Array<double>(n_), Array<double>(n_), Matrix(n_, probes_)};
    const double s = static_cast<double>(probes_);
    for (Index i = 0; i < n_; ++i) {
      const Terms x = basis.at(i, degree_);
      const double f = value_at(x, c.data(), count);
      out.value[i] = posterior(i, f, mean_(i, 0));
      out.spread[i] = e_.base[i] * std::sqrt(share_[i] * noise_[i]);
      out.hidden[i] = (1 - share_[i]) * out.spread[i] * out.spread[i];
      for (Index p = 0; p < probes_; ++p)
        out.without(i, p) = posterior(i, (s * f - value_at(x, of_probes.col(p), count)) / (s - 1),
                                      (s * mean_(i, 0) - ratio_(i, p)) / (s - 1));
    }
    worked(touched * static_cast<double>(n_ * probes_));
    return out;
  }

 private:
  bool is_exact(Index i) const { return !e_.exact.empty() && !std::isnan(e_.exact[i]); }

  double posterior(Index i, double f, double m) const {
    if (is_exact(i)) return e_.exact[i];
    const double low = std::max(e_.low.empty() ? 0 : e_.low[i], e_.base[i] * f / 2);
    return std::min(std::max(e_.base[i] * (f + share_[i] * (m - f)), low), e_.high[i]);
  }

  void set_means(const Basis& basis) {
    Array<double> variance(n_, 0.0);
    for (Index i = 0; i < n_; ++i) {
      double sum = 0;
      for (Index p = 0; p < probes_; ++p) sum += ratio_(i, p) = (is_exact(i) ? e_.exact[i] : e_.raw(i, p)) / e_.base[i];
      const double mean = mean_(i, 0) = sum / static_cast<double>(probes_);
      for (Index p = 0; p < probes_; ++p) variance[i] += (ratio_(i, p) - mean) * (ratio_(i, p) - mean);
      variance[i] /= static_cast<double>(probes_ * (probes_ - 1));
    }
    worked(2 * touched * static_cast<double>(n_ * probes_));
    noise_ = smooth_variance(basis, std::min(degree_, 2), variance);
    for (Index i = 0; i < n_; ++i)
      if (is_exact(i)) noise_[i] = 0;
  }

  // k, and the weights of the trend, 1 / (t + v): in the first round v alone.
  void set_shares(const Basis& basis) {
    const Index count = basis.terms(degree_);
    Array<double> all = noise_, q(n_);
    for (int round = 0; round <= rounds; ++round) {
      const double least = 1e-12 * *std::ranges::max_element(all) + std::numeric_limits<double>::min();
      for (Index i = 0; i < n_; ++i) weight_[i] = 1 / (all[i] + least);
      const double scale = *std::ranges::max_element(weight_);
      for (double& value : weight_) value /= scale;
      if (round == rounds) break;
      const Matrix c = fit(basis, degree_, weight_, mean_.view());
      const double free = static_cast<double>(n_) / static_cast<double>(std::max<Index>(n_ - count, 1));
      for (Index i = 0; i < n_; ++i) {
        const double left = mean_(i, 0) - value_at(basis.at(i, degree_), c.data(), count);
        q[i] = left * left * free;
      }
      all = smooth_variance(basis, std::min(degree_, 2), q);
      for (Index i = 0; i < n_; ++i) {
        const double t = std::max(all[i] - noise_[i], 0.0);
        share_[i] = noise_[i] > 0 ? t / (t + noise_[i]) : 1;
        all[i] = t + noise_[i];
      }
    }
  }

  const DiagonalEvidence& e_;
  Index n_, probes_;
  int degree_;
  Array<double> logs_;    // log b
  Matrix mean_;           // m, n x 1
  Array<double> noise_;   // v
  Array<double> weight_;  // of the trend
  Array<double> share_;   // k
  Matrix ratio_;          // raw / b
};

// The standard error of a mean by the values without each of its terms.
double jackknife(Span<const double> without) {
  const double s = static_cast<double>(without.size());
  double mean = 0, squares = 0;
  for (const double value : without) mean += value / s;
  for (const double value : without) squares += (value - mean) * (value - mean);
  return std::sqrt((s - 1) / s * squares);
}

}  // namespace

double DiagonalEstimate::effective(Index i) const {
  if (spread[i] == 0) return value[i];
  const double ratio = spread[i] / value[i];
  return value[i] / std::sqrt(1 + 3 * ratio * ratio);
}

DiagonalEstimate estimated_residual_diagonal(const DiagonalEvidence& evidence) {
  return Shrinkage(evidence).run();
}

double error_of_solutions(const DiagonalEvidence& evidence, double trace, Index j, Span<const double> c, double value) {
  double relative = evidence.trace_error > 0 ? evidence.trace_error / trace : 0;
  if (!evidence.residual_error.empty() && evidence.residual_error[j] > 0)
    relative += evidence.residual_error[j] / norm2(std::ssize(c), c.data());
  return 2 * value * relative;
}

Estimate estimated_loo(const DiagonalEstimate& diagonal, Span<const double> c, double sum_w) {
  const Index probes = diagonal.without.cols();
  Array<double> without(probes, 0.0);
  double sum = 0, own = 0, next = 0;
  const auto term = [&](std::size_t i, double d) {
    const double e = c[i] / d, ratio = diagonal.spread[i] / d;
    return e * e * (1 + 3 * ratio * ratio);
  };
  for (std::size_t i = 0; i < c.size(); ++i) {
    const double d = diagonal.value[i], e = c[i] / d, ratio = diagonal.spread[i] / d;
    const double slope = 2 * e * (e / d) / sum_w;
    sum += term(i, d);
    own += slope * slope * diagonal.hidden[i];
    next += e * e * 15 * (ratio * ratio) * (ratio * ratio);
    for (Index p = 0; p < probes; ++p) without[p] += term(i, diagonal.without(static_cast<Index>(i), p)) / sum_w;
  }
  worked(touched * static_cast<double>(std::ssize(c) * probes));
  return {sum / sum_w, std::hypot(jackknife(without), std::sqrt(own), next / sum_w)};
}

Estimate estimated_trace(ConstMatrixView raw) {
  const double s = static_cast<double>(raw.cols);
  Array<double> sums(raw.cols, 0.0);
  double mean = 0, squares = 0;
  for (Index p = 0; p < raw.cols; ++p) {
    for (Index i = 0; i < raw.rows; ++i) sums[p] += raw(i, p);
    mean += sums[p] / s;
    worked(trace_units * static_cast<double>(raw.rows));
  }
  for (const double value : sums) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (s - 1) / s)};
}

Estimate estimated_gcv(Index n, double squared_norm, Estimate trace) {
  const double value = static_cast<double>(n) * (squared_norm / trace.value) / trace.value;
  return {value, 2 * value * (trace.error / trace.value)};
}

}  // namespace freeridge
