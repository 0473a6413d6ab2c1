#include "libcore/select/criteria.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace freeridge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string no_left_out_error(Index row) {
  return text("the leave-one-out error of row ", row, " is undefined: its leverage is one");
}

std::string no_group_error(std::int32_t label) {
  return text("the errors of group ", label, " are undefined: the other rows do not determine its predictions");
}

// Adds up sum_i W_ii e_i^2 for every lambda and output while the tiles go by.
class LooSum final : public SweepSink {
 public:
  LooSum(const Problem& problem, std::span<const double> lambdas, MatrixView scores)
      : problem_(problem), lambdas_(lambdas), scores_(scores) {
    for (Index j = 0; j < scores.cols; ++j)
      for (Index l = 0; l < scores.rows; ++l) scores(l, j) = 0;
  }

  void tile(Index row, Index lambda, Index lambdas, ConstMatrixView residual, ConstMatrixView diagonal) override {
    const Index t = scores_.cols;
    for (Index l = 0; l < lambdas; ++l) {
      for (Index j = 0; j < t; ++j) {
        double sum = 0;  // W_ii e_i^2 = ((P~Y~)_i / P~_ii)^2
        for (Index i = 0; i < residual.rows; ++i) {
          const double e = residual(i, l * t + j) / diagonal(i, l);
          sum += e * e;
        }
        scores_(lambda + l, j) += sum / problem_.sum_w;
      }
      for (Index i = 0; i < residual.rows; ++i)
        if (diagonal(i, l) == 0) {
          undefined(lambda + l, no_left_out_error(row + i));
          break;
        }
    }
  }

  void undefined(Index lambda, const std::string& reason) override {
    keep_first(reason_, text(reason, " (lambda = ", lambdas_[static_cast<std::size_t>(lambda)], ")"));
    for (Index j = 0; j < scores_.cols; ++j) scores_(lambda, j) = nan;
  }

  std::string reason() const { return reason_; }

 private:
  const Problem& problem_;
  std::span<const double> lambdas_;
  MatrixView scores_;
  std::string reason_;
};

double gcv(const Problem& problem, const ResidualMaker& maker, double trace, Index j) {
  return static_cast<double>(problem.n()) * (maker.squared_norm(j) / trace) / trace;
}

double reml(const Problem& problem, const ResidualMaker& maker, Index j) {
  const double m = static_cast<double>(problem.degrees());
  const double s2 = maker.quadratic_form(j) / m;
  const double log_det =
      maker.log_determinant() - problem.sum_log_w + (problem.intercept ? std::log(problem.sum_w) : 0);
  return (m * std::log(2 * std::numbers::pi * s2) + m + log_det) / 2;
}

double groups_score(const Problem& problem, const Groups& groups, ConstMatrixView errors, Index j) {
  double sum = 0, weights = 0;
  for (const Group& group : groups.all())
    for (const Index i : group.rows) {
      const double e = errors(i, j);
      sum += problem.weight(i) * e * e;
      weights += problem.weight(i);
    }
  return sum / weights;
}

}  // namespace

std::string loo_errors(const Problem& problem, const ResidualMaker& maker, Index first, MatrixView out) {
  std::vector<double> diagonal(static_cast<std::size_t>(problem.n()));
  maker.residual(first, out);
  maker.diagonal(diagonal);
  std::string reason;
  for (Index i = 0; i < out.rows; ++i) {
    const double p = diagonal[static_cast<std::size_t>(i)];
    if (p == 0) keep_first(reason, no_left_out_error(i));
    for (Index j = 0; j < out.cols; ++j)
      out(i, j) = p == 0 ? nan : out(i, j) / p / problem.sqrt_w[static_cast<std::size_t>(i)];
  }
  return reason;
}

std::string group_errors(const Problem& problem, const ResidualMaker& maker, const Groups& groups, Index first,
                         MatrixView out, const Progress& progress) {
  Matrix residual(problem.n(), out.cols);
  maker.residual(first, residual.view());
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) = nan;
  std::string reason;
  double done = 0;
  for (const Group& group : groups.all()) {
    Matrix errors(static_cast<Index>(group.rows.size()), out.cols);
    if (!group_errors(problem, maker, group, residual.view(), errors.view()))
      keep_first(reason, no_group_error(group.label));
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < errors.rows(); ++i) out(group.rows[static_cast<std::size_t>(i)], j) = errors(i, j);
    progress.report(++done / static_cast<double>(groups.all().size()));
  }
  return reason;
}

std::string scores(const Factorization& factorization, Criterion criterion, const Groups* groups,
                   std::span<const double> lambdas, Index first, MatrixView out, const Progress& progress) {
  const Problem& problem = factorization.problem();
  if (criterion == Criterion::loo) {
    LooSum sum(problem, lambdas, out);
    factorization.sweep(lambdas, first, out.cols, sum, progress);
    return sum.reason();
  }

  std::string reason;
  const double total = static_cast<double>(lambdas.size());
  Matrix errors;
  if (criterion == Criterion::groups) errors = Matrix(problem.n(), out.cols);
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    const double lambda = lambdas[l];
    const Progress part = progress.part(static_cast<double>(l) / total, static_cast<double>(l + 1) / total);
    const auto why = [&](const std::string& cause) { keep_first(reason, text(cause, " (lambda = ", lambda, ")")); };
    std::unique_ptr<ResidualMaker> maker;
    try {
      maker = factorization.at(lambda);
    } catch (const Error& error) {
      if (error.status() != Status::not_positive_definite) throw;
      why(error.what());
    }
    const double trace = maker && criterion == Criterion::gcv ? maker->trace() : 0;
    if (maker && criterion == Criterion::groups) {
      const std::string cause = group_errors(problem, *maker, *groups, first, errors.view(), part);
      if (!cause.empty()) why(cause);
    }
    for (Index j = 0; j < out.cols; ++j) {
      double& score = out(static_cast<Index>(l), j);
      score = !maker                         ? nan
              : criterion == Criterion::gcv  ? gcv(problem, *maker, trace, first + j)
              : criterion == Criterion::reml ? reml(problem, *maker, first + j)
                                             : groups_score(problem, *groups, errors.view(), j);
      if (std::isfinite(score)) continue;
      score = nan;
      why(text("the criterion of output ", first + j, " has no value"));
    }
    part.report(1);
  }
  return reason;
}

}  // namespace freeridge
