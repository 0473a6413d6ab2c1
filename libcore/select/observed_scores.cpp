#include "libcore/select/observed_scores.hpp"

#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/factor/observed_rows.hpp"
#include "libcore/select/group_criteria.hpp"
#include "libcore/select/log_loss.hpp"
#include "libcore/select/spread.hpp"

namespace freeridge {
namespace {

struct Scored {
  double score = nan, error = nan;
  std::string reason;
};

// r: P~Y~ of an output, p: diag P~; zero where it is not observed.
Scored loo_of(const Problem& problem, Index output, Span<const double> r, Span<const double> p) {
  Array<double> v, q;
  const double sum_w = problem.sum_w_of(output);
  Scored out{0, 0, {}};
  auto next = problem.missing_rows(output).begin();
  const auto end = problem.missing_rows(output).end();
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (next != end && *next == static_cast<Index>(i)) {
      ++next;
      continue;
    }
    if (p[i] == 0) return {nan, nan, no_left_out_error(static_cast<Index>(i))};
    const double root = problem.sqrt_w[i], e = r[i] / p[i];
    v.push_back(root / sum_w * root);
    q.push_back(e / root);
    out.score += e / sum_w * e;
  }
  out.error = spread_of_squares(q, v.data()).root / std::sqrt(static_cast<double>(q.size() - 1));
  return out;
}

Scored log_loss_of(const Problem& problem, Index output, Span<const double> r, Span<const double> p) {
  Array<double> f, y, weights;
  for (const Index i : other_indices(problem.missing_rows(output), problem.n())) {
    if (p[i] == 0) return {nan, nan, no_left_out_error(i)};
    y.push_back(problem.y(i, output));
    weights.push_back(problem.weight(i));
    f.push_back(y.back() - r[i] / p[i] / problem.sqrt_w[i]);
  }
  try {
    const LogLoss found = log_loss(f, y, weights);
    return {found.score, found.error, {}};
  } catch (const Error& error) {
    if (error.status() != Status::not_finite && error.status() != Status::not_converged) throw;
    return {};
  }
}

class ObservedScores {
 public:
  ObservedScores(const Factorization& factorization, Criterion criterion, Span<const double> lambdas, Index first,
                 MatrixView scores, MatrixView errors)
      : f_(factorization),
        problem_(f_.problem()),
        criterion_(criterion),
        lambdas_(lambdas),
        first_(first),
        scores_(scores),
        errors_(errors) {}

  std::string run() {
    Stage stage(0, 0);
    for (Index l = 0; l < scores_.rows; ++l) {
      stage.next(fraction(l + 1, scores_.rows));
      for (Index j = 0; j < scores_.cols; ++j) set(l, j, {});
      std::shared_ptr<const ResidualMaker> maker =
          f_.try_at(lambdas_[l], [&](const std::string& cause) { keep_reason(l, cause); });
      if (maker) at(l, std::move(maker));
      report(1);
    }
    return reason_;
  }

 private:
  void keep_reason(Index l, const std::string& cause) {
    keep_first(reason_, text(cause, " (lambda = ", lambdas_[l], ")"));
  }
  void set(Index l, Index j, const Scored& scored) {
    scores_(l, j) = scored.score;
    if (errors_.data != nullptr) errors_(l, j) = scored.error;
  }

  void at(Index l, std::shared_ptr<const ResidualMaker> maker) {
    Stage stage(0, 0.5);
    const AllRows all(f_, std::move(maker), first_, scores_.cols);
    const Array<MissingOutputs::Part>& parts = problem_.missing->parts();
    Index done = 0;
    for (const MissingOutputs::Part& part : parts) {
      stage.next(0.5 + 0.5 * fraction(++done, std::ssize(parts)));
      bool any = false;
      MissingOutputs::each_run(part, first_, scores_.cols, [&](Index, Index) { any = true; });
      if (!any) continue;
      try {
        const ObservedRows rows(all, part);
        MissingOutputs::each_run(part, first_, scores_.cols,
                                 [&](Index begin, Index count) { add(l, rows, begin, count); });
      } catch (const Error& error) {
        if (error.status() != Status::undefined) throw;
        keep_reason(l, error.what());
      }
    }
  }

  void add(Index l, const ObservedRows& rows, Index begin, Index count) {
    Matrix r(problem_.n(), count);
    Array<double> p(problem_.n());
    rows.residual_and_diagonal(begin, r.view(), p);
    for (Index j = 0; j < count; ++j) {
      Scored scored = score(rows, lambdas_[l], begin + j, {r.col(j), r.rows()}, p);
      if (!scored.reason.empty()) keep_reason(l, scored.reason);
      if (!std::isfinite(scored.score)) {
        keep_reason(l, no_score(criterion_, begin + j));
        scored = {};
      } else if (errors_.data != nullptr && !std::isfinite(scored.error)) {
        keep_reason(l, error_overflows(begin + j));
        scored.error = nan;
      }
      set(l, begin + j - first_, scored);
    }
  }

  Scored score(const ObservedRows& rows, double lambda, Index output, Span<const double> r,
               Span<const double> p) const {
    if (criterion_ == Criterion::loo) return loo_of(problem_, output, r, p);
    if (criterion_ == Criterion::log_loss) return log_loss_of(problem_, output, r, p);
    if (criterion_ == Criterion::gcv) {
      double norm2 = 0, trace = 0;
      for (std::size_t i = 0; i < r.size(); ++i) norm2 += r[i] * r[i], trace += p[i];
      return {gcv(problem_.n_of(output), norm2, trace), nan, {}};
    }
    return {reml(problem_, output, lambda, rows.quadratic_form(output), rows.log_determinant()), nan, {}};
  }

  const Factorization& f_;
  const Problem& problem_;
  Criterion criterion_;
  Span<const double> lambdas_;
  Index first_;
  MatrixView scores_, errors_;
  std::string reason_;
};

// GROUPS: the rows that a part does not observe are in the gap of every group.
std::string observed_group_scores(const Factorization& factorization, const Groups& groups, Span<const double> lambdas,
                                  Index first, MatrixView out, MatrixView errors) {
  std::string reason;
  const Array<MissingOutputs::Part>& parts = factorization.problem().missing->parts();
  Stage stage(0, 0);
  Index done = 0;
  for (const MissingOutputs::Part& part : parts) {
    stage.next(fraction(++done, std::ssize(parts)));
    const Groups observed = groups.without(part.rows);
    MissingOutputs::each_run(part, first, out.cols, [&](Index begin, Index count) {
      const auto columns = [&](MatrixView of) { return of.data == nullptr ? of : of.columns(begin - first, count); };
      std::string why = group_scores(factorization, observed, lambdas, begin, columns(out), columns(errors));
      if (!why.empty()) keep_first(reason, std::move(why));
    });
  }
  return reason;
}

}  // namespace

std::string observed_scores(const Factorization& factorization, Criterion criterion, const Groups* groups,
                            Span<const double> lambdas, Index first, MatrixView out, MatrixView errors) {
  if (criterion == Criterion::groups) return observed_group_scores(factorization, *groups, lambdas, first, out, errors);
  return ObservedScores(factorization, criterion, lambdas, first, out, errors).run();
}

}  // namespace freeridge
