#include "libcore/select/group_criteria.hpp"

#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/select/criteria.hpp"
#include "libcore/select/spread.hpp"

namespace freeridge {
namespace {

double sum_of_weights(const Problem& problem, Span<const Index> rows) {
  double sum = 0;
  for (const Index i : rows) sum += problem.weight(i);
  return sum;
}

// The scores at some lambdas together. Groups are the outer loop and lambdas the inner one: the work on a group that
// does not depend on lambda is done once.
class GroupScores {
 public:
  GroupScores(const Factorization& factorization, const Groups& groups, Span<const double> lambdas, Index first,
              Index outputs, std::string& reason)
      : factorization_(factorization),
        groups_(groups.all()),
        lambdas_(lambdas),
        first_(first),
        outputs_(outputs),
        reason_(reason),
        spreads_(std::ssize(lambdas) * outputs),
        left_out_(groups.divisions(), groups.divisions() == 1 ? 1.0 : 0.0) {
    if (groups.divisions() == 1) return;
    const Problem& problem = factorization.problem();
    for (const Group& group : groups_) {
      const double weights = weight_of(group);
      left_out_[group.division] += weights;
      overlap_ += weights / (problem.sum_w - sum_of_weights(problem, group.rows));
    }
  }

  void add_groups() {
    const double share = factorization_.at_is_free() ? 0 : 0.3;
    Stage stage(0, share);
    for (std::size_t l = 0; l < lambdas_.size(); ++l)
      residual_makers_.push_back(
          factorization_.try_at(lambdas_[l], [&](const std::string& cause) { keep_reason(l, cause); }));
    Index done = 0;
    for (const Group& group : groups_) {
      stage.next(share + (1 - share) * fraction(++done, std::ssize(groups_)));
      add(group);
      report(1);
    }
  }

  // scores and errors: a row for each of the lambdas.
  void finish(MatrixView scores, MatrixView errors) {
    const double count = static_cast<double>(groups_.size());
    for (std::size_t l = 0; l < lambdas_.size(); ++l)
      for (Index j = 0; j < outputs_; ++j) {
        const Spread& spread = spread_of(l, j);
        const bool defined = residual_makers_[l] && spread.v > 0 && std::isfinite(spread.mean);
        if (!defined) keep_reason(l, no_score(Criterion::groups, first_ + j));
        scores(static_cast<Index>(l), j) = defined ? spread.mean : nan;
        if (errors.data == nullptr) continue;
        double& error = errors(static_cast<Index>(l), j);
        error = defined && count > 1 ? spread.root * std::sqrt((1 + overlap_) / (spread.v * (count - 1))) : nan;
        if (!defined || count <= 1 || std::isfinite(error)) continue;
        keep_reason(l, error_overflows(first_ + j));
        error = nan;
      }
  }

 private:
  void keep_reason(std::size_t l, const std::string& cause) {
    keep_first(reason_, text(cause, " (lambda = ", lambdas_[l], ")"));
  }
  Spread& spread_of(std::size_t l, Index j) {
    return spreads_[l * static_cast<std::size_t>(outputs_) + static_cast<std::size_t>(j)];
  }

  double weight_of(const Group& group) const {
    return sum_of_weights(factorization_.problem(), Span(group.rows).first(group.scored));
  }

  void add(const Group& group) {
    const Problem& problem = factorization_.problem();
    const std::unique_ptr<RowBlock> rows = factorization_.rows(group.rows);
    Matrix left_out(static_cast<Index>(group.rows.size()), outputs_);
    const double weights = weight_of(group), share = weights / left_out_[group.division];
    for (std::size_t l = 0; l < lambdas_.size(); ++l) {
      if (!residual_makers_[l]) continue;
      if (!group_errors(problem, *rows, group, *residual_makers_[l], first_, left_out.view()))
        keep_reason(l, no_group_error(group));
      for (Index j = 0; j < outputs_; ++j) {
        double sum = 0;
        for (Index i = 0; i < group.scored; ++i) sum += problem.weight(group.rows[i]) * left_out(i, j) * left_out(i, j);
        spread_of(l, j).join({share, sum / weights, 0});
      }
    }
  }

  const Factorization& factorization_;
  const Array<Group>& groups_;
  Span<const double> lambdas_;
  Index first_, outputs_;
  std::string& reason_;
  Array<std::unique_ptr<ResidualMaker>> residual_makers_;  // NULL where there is none
  Array<Spread> spreads_;                                  // of the means of the groups: lambdas x outputs
  Array<double> left_out_;  // the sum of weights that each division leaves out; of a single division 1
  double overlap_ = 0;      // G rho; 0 for a single division
};

}  // namespace

std::string group_errors(const Factorization& factorization, const ResidualMaker& residual_maker, const Groups& groups,
                         Index first, MatrixView out) {
  if (!residual_maker.unobserved().empty())
    return group_errors(factorization, residual_maker.of_all(), groups.without(residual_maker.unobserved()), first,
                        out);
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) = nan;
  std::string reason;
  Index done = 0;
  Stage stage(0, 0);
  for (const Group& group : groups.all()) {
    stage.next(fraction(++done, std::ssize(groups.all())));
    Matrix errors(static_cast<Index>(group.rows.size()), out.cols);
    const std::unique_ptr<RowBlock> rows = factorization.rows(group.rows);
    if (group_errors(factorization.problem(), *rows, group, residual_maker, first, errors.view()))
      require_no_overflow("the errors of a group", errors.view());
    else
      keep_first(reason, no_group_error(group));
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < group.scored; ++i) out(group.rows[i], j) = errors(i, j);
    report(1);
  }
  return reason;
}

std::string group_scores(const Factorization& factorization, const Groups& groups, Span<const double> lambdas,
                         Index first, MatrixView scores, MatrixView errors) {
  // One lambda at a time, where P~ at a lambda takes much time and memory.
  const std::size_t total = lambdas.size(), chunk = factorization.at_is_free() ? total : 1;
  std::string reason;
  Stage stage(0, 0);
  for (std::size_t begin = 0; begin < total; begin += chunk) {
    const auto row = static_cast<Index>(begin), rows = static_cast<Index>(chunk);
    GroupScores some(factorization, groups, lambdas.subspan(begin, chunk), first, scores.cols, reason);
    stage.next(fraction(begin + chunk, total));
    some.add_groups();
    some.finish(scores.row_range(row, rows), errors.data == nullptr ? errors : errors.row_range(row, rows));
  }
  if (errors.data != nullptr && groups.all().size() == 1) keep_first(reason, one_term());
  return reason;
}

}  // namespace freeridge
