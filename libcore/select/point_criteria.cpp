#include "libcore/select/point_criteria.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/select/criteria.hpp"
#include "libcore/select/log_loss.hpp"
#include "libcore/select/spread.hpp"

namespace freeridge {
namespace {

constexpr Index most_values = 1 << 21;  // left-out values that LOG_LOSS keeps at a time

Array<double> relative_weights(const Problem& problem) {
  Array<double> v(problem.sqrt_w.size());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = problem.weight(static_cast<Index>(i)) / problem.sum_w;
  return v;
}

// The common part of the sinks: the lambdas without a value, and the reasons.
class PointSink : public SweepSink {
 public:
  PointSink(const Problem& problem, Span<const double> lambdas, MatrixView scores, MatrixView errors)
      : problem_(problem), scores_(scores), errors_(errors), lambdas_(lambdas) {
    fill(scores_, 0);
  }

  void undefined(Index lambda, const std::string& reason) override {
    keep_first(reason_, text(reason, " (lambda = ", lambdas_[lambda], ")"));
    fill(scores_.block(lambda, 0, 1, scores_.cols), nan);
  }

 protected:
  void undefined_leverages(Index row, Index lambda, const double* diagonal, Index rows) {
    const double* const zero = std::find(diagonal, diagonal + rows, 0.0);
    Index first = zero - diagonal;
    for (const Index i : problem_.decisive)
      if (i >= row) first = std::min(first, i - row);
    if (first < rows) undefined(lambda, no_left_out_error(row + first));
  }
  static void fill(MatrixView a, double value) {
    for (Index j = 0; j < a.cols; ++j)
      for (Index l = 0; l < a.rows; ++l) a(l, j) = value;
  }
  bool wants_errors() const { return errors_.data != nullptr; }

  // Called after the sweep: finds scores that overflowed, and removes errors where there is no score, or only one term.
  std::string finish(Index first) {
    for (Index j = 0; j < scores_.cols; ++j)
      for (Index l = 0; l < scores_.rows; ++l) {
        if (!std::isfinite(scores_(l, j))) {
          keep_first(reason_, text(no_score(Criterion::loo, first + j), " (lambda = ", lambdas_[l], ")"));
          scores_(l, j) = nan;
        }
        if (!wants_errors()) continue;
        double& error = errors_(l, j);
        const bool defined = !std::isnan(scores_(l, j)) && problem_.n() > 1;
        if (defined && std::isfinite(error)) continue;
        if (defined) keep_first(reason_, text(error_overflows(first + j), " (lambda = ", lambdas_[l], ")"));
        error = nan;
      }
    if (wants_errors() && problem_.n() == 1) keep_first(reason_, one_term());
    return reason_;
  }

  const Problem& problem_;
  MatrixView scores_, errors_;

 private:
  Span<const double> lambdas_;
  std::string reason_;
};

class LooSum final : public PointSink {
 public:
  LooSum(const Problem& problem, Span<const double> lambdas, MatrixView scores, MatrixView errors)
      : PointSink(problem, lambdas, scores, errors) {
    if (!wants_errors()) return;
    v_ = relative_weights(problem);
    spread_.resize(std::ssize(lambdas) * scores.cols);
  }

  void tile(Index row, Index lambda, Index lambdas, ConstMatrixView residual, ConstMatrixView diagonal) override {
    const Index t = scores_.cols, rows = residual.rows;
    e_.resize(rows);
    for (Index l = 0; l < lambdas; ++l) {
      for (Index j = 0; j < t; ++j) {
        // W_ii e_i^2 = ((P~Y~)_i / P~_ii)^2
        for (Index i = 0; i < rows; ++i) e_[i] = residual(i, l * t + j) / diagonal(i, l);
        scores_(lambda + l, j) += dot(rows, e_.data(), e_.data()) / problem_.sum_w;
        if (wants_errors()) add_spread(row, lambda + l, j);
      }
      undefined_leverages(row, lambda + l, diagonal.col(l), rows);
    }
  }

  std::string finish(Index first) {
    if (wants_errors())
      for (Index j = 0; j < scores_.cols; ++j)
        for (Index l = 0; l < scores_.rows; ++l)
          errors_(l, j) = spread(l, j).root / std::sqrt(static_cast<double>(problem_.n() - 1));
    return PointSink::finish(first);
  }

 private:
  Spread& spread(Index lambda, Index j) { return spread_[lambda * scores_.cols + j]; }

  // The spread of the e_i that are in e_, joined to that of the tiles before. e_ is used up.
  void add_spread(Index row, Index lambda, Index j) {
    const double* const sqrt_w = problem_.sqrt_w.data() + row;
    for (std::size_t i = 0; i < e_.size(); ++i) e_[i] /= sqrt_w[i];
    spread(lambda, j).join(spread_of_squares(e_, v_.data() + row));
  }

  Array<double> v_;       // n
  Array<double> e_;       // of one column of a tile
  Array<Spread> spread_;  // lambdas x outputs
};

// Needs all outputs of a tile at once.
class ErrorRateSum final : public PointSink {
 public:
  ErrorRateSum(const Problem& problem, Span<const double> lambdas, MatrixView scores, MatrixView errors)
      : PointSink(problem, lambdas, scores, errors),
        wrong_(lambdas.size(), 0.0),
        right_(lambdas.size(), 0.0),
        label_(problem.n(), problem.t()) {
    for (Index j = 0; j < problem.t(); ++j)
      for (Index i = 0; i < problem.n(); ++i) label_(i, j) = problem.y(i, j) > 0 ? 1 : -1;
  }

  void tile(Index row, Index lambda, Index lambdas, ConstMatrixView residual, ConstMatrixView diagonal) override {
    const Index t = label_.cols(), rows = residual.rows;
    own_.resize(rows);
    other_.resize(own_.size());
    for (Index l = 0; l < lambdas; ++l) {
      // The left-out value of the own class, and the largest of the others (one output: the other class is -f).
      std::fill(other_.begin(), other_.end(), -infinity);
      for (Index j = 0; j < t; ++j)
        for (Index i = 0; i < rows; ++i) {
          const double y = label_(row + i, j);
          const double e = residual(i, l * t + j) / diagonal(i, l) / problem_.sqrt_w[row + i];
          const double f = y - e;
          if (t == 1)
            own_[i] = y * f, other_[i] = 0;
          else if (y > 0)
            own_[i] = f;
          else
            other_[i] = std::max(other_[i], f);
        }
      const Index at_lambda = lambda + l;
      for (Index i = 0; i < rows; ++i) {
        const bool is_right = own_[i] > other_[i];
        (is_right ? right_ : wrong_)[at_lambda] += problem_.weight(row + i);
      }
      undefined_leverages(row, lambda + l, diagonal.col(l), rows);
    }
  }

  // q is 0 or 1: sum_i v_i (q_i - mean)^2 = mean (1 - mean).
  std::string finish() {
    for (Index l = 0; l < scores_.rows; ++l) {
      const double wrong = wrong_[l], right = right_[l];
      const double mean = wrong / (wrong + right), rest = right / (wrong + right);
      for (Index j = 0; j < scores_.cols; ++j) {
        scores_(l, j) += mean;  // NaN where undefined
        if (wants_errors()) errors_(l, j) = std::sqrt(mean * rest / static_cast<double>(problem_.n() - 1));
      }
    }
    return PointSink::finish(0);
  }

 private:
  Array<double> wrong_, right_;  // the weights of the points, for each lambda
  Matrix label_;                 // Y
  Array<double> own_, other_;    // of the rows of a tile
};

// Keeps the left-out values of all rows.
class LogLossSum final : public PointSink {
 public:
  LogLossSum(const Problem& problem, Span<const double> lambdas, Index first, MatrixView scores, MatrixView errors)
      : PointSink(problem, lambdas, scores, errors),
        first_(first),
        f_(problem.n(), std::ssize(lambdas) * scores.cols) {}

  void tile(Index row, Index lambda, Index lambdas, ConstMatrixView residual, ConstMatrixView diagonal) override {
    const Index t = scores_.cols;
    for (Index l = 0; l < lambdas; ++l) {
      for (Index j = 0; j < t; ++j)
        for (Index i = 0; i < residual.rows; ++i)
          f_(row + i, (lambda + l) * t + j) =
              problem_.y(row + i, first_ + j) - residual(i, l * t + j) / diagonal(i, l) / problem_.sqrt_w[row + i];
      undefined_leverages(row, lambda + l, diagonal.col(l), residual.rows);
    }
  }

  std::string finish() {
    Array<double> weights(problem_.n()), y(problem_.n());
    for (Index i = 0; i < problem_.n(); ++i) weights[i] = problem_.weight(i);
    for (Index j = 0; j < scores_.cols; ++j) {
      for (Index i = 0; i < problem_.n(); ++i) y[i] = problem_.y(i, first_ + j);
      for (Index l = 0; l < scores_.rows; ++l) {
        if (std::isnan(scores_(l, j))) continue;
        try {
          const LogLoss found = log_loss({f_.col(l * scores_.cols + j), problem_.n()}, y, weights);
          scores_(l, j) = found.score;
          if (wants_errors()) errors_(l, j) = found.error;
        } catch (const Error& error) {
          if (error.status() != Status::not_finite && error.status() != Status::not_converged) throw;
          scores_(l, j) = nan;
        }
      }
    }
    return PointSink::finish(first_);
  }

 private:
  Index first_;
  Matrix f_;  // n x (lambdas * outputs)
};

}  // namespace

std::string loo_scores(const Factorization& factorization, Span<const double> lambdas, Index first, MatrixView scores,
                       MatrixView errors) {
  LooSum sum(factorization.problem(), lambdas, scores, errors);
  factorization.sweep(lambdas, first, scores.cols, sum);
  return sum.finish(first);
}

std::string error_rates(const Factorization& factorization, Span<const double> lambdas, MatrixView scores,
                        MatrixView errors) {
  ErrorRateSum sum(factorization.problem(), lambdas, scores, errors);
  factorization.sweep(lambdas, 0, factorization.problem().t(), sum);
  return sum.finish();
}

std::string log_losses(const Factorization& factorization, Span<const double> lambdas, Index first, MatrixView scores,
                       MatrixView errors) {
  const Problem& problem = factorization.problem();
  const Index together = std::clamp<Index>(most_values / (problem.n() * scores.cols), 1, std::ssize(lambdas));
  std::string reason;
  Stage stage(0, 0);
  for (Index l = 0; l < std::ssize(lambdas); l += together) {
    const Index count = std::min(together, std::ssize(lambdas) - l);
    stage.next(fraction(l + count, std::ssize(lambdas)));
    const auto some = [&](MatrixView of) { return of.data == nullptr ? of : of.block(l, 0, count, of.cols); };
    LogLossSum sum(problem, lambdas.subspan(l, count), first, some(scores), some(errors));
    factorization.sweep(lambdas.subspan(l, count), first, scores.cols, sum);
    keep_first(reason, sum.finish());
  }
  return reason;
}

void require_labels(Criterion criterion, const LayoutView& y, const MissingOutputs* missing) {
  for (Index j = 0; j < y.cols; ++j) {
    const Span<const Index> unobserved = missing == nullptr ? Span<const Index>() : missing->rows_of(j);
    for (Index i = 0; i < y.rows; ++i)
      if (y(i, j) != 1 && y(i, j) != -1 && !std::ranges::binary_search(unobserved, i))
        fail(Status::invalid_argument, "criterion is ", name_of(criterion), ", which is for labels, and y[", i, ", ", j,
             "] is ", y(i, j), "; each number of y must be -1 or +1");
  }
}

void require_classes(const LayoutView& y) {
  const char* const rule = y.cols == 1 ? "each row must be -1 or +1" : "each row must have one +1, and -1 else";
  for (Index i = 0; i < y.rows; ++i) {
    Index ones = 0;
    for (Index j = 0; j < y.cols; ++j) {
      if (y(i, j) != 1 && y(i, j) != -1)
        fail(Status::invalid_argument, "criterion is ERROR_RATE, and y[", i, ", ", j, "] is ", y(i, j), "; ", rule);
      ones += y(i, j) == 1;
    }
    if (y.cols > 1 && ones != 1)
      fail(Status::invalid_argument, "criterion is ERROR_RATE, and row ", i, " of y has ", ones, " outputs of +1; ",
           rule);
  }
}

}  // namespace freeridge
