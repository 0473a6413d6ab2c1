#include "libcore/model/batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index rows_of_small = 64;  // of a model, on average
constexpr Work work_of_small = 3e4;
constexpr Index most_together = 16;  // models between two reports
constexpr Index least_blocks = 8;    // for a thread, where there are so many models

// Whether a failure is that of one model, and the others have their answers.
bool is_of_one(Status status) {
  switch (status) {
    case Status::invalid_argument:  // fewer rows than unpenalised columns, than landmarks, labels of another kind
    case Status::not_finite:        // an overflow
    case Status::not_positive_definite:
    case Status::not_converged:
    case Status::undefined:
      return true;
    default:
      return false;
  }
}

void set_nan(MatrixView a) {
  for (Index j = 0; j < a.cols; ++j) std::fill_n(a.col(j), a.rows, nan);
}

// The rows [first, first + rows) and columns [col, col + cols) of an answer; nothing of one that is not wanted.
MatrixView part(MatrixView of, Index first, Index rows, Index col, Index cols) {
  return of.data == nullptr ? of : of.block(first, col, rows, cols);
}

class Batch {
 public:
  Batch(const Model& settings, const BatchRows& rows, Criterion criterion, double low, double high,
        const BatchAnswers& out)
      : rows_(rows), criterion_(criterion), low_(low), high_(high), out_(out), empty_(settings.clone()) {
    empty_.drop_data();
  }

  std::string run() {
    const Index models = std::ssize(rows_.start) - 1;
    const Index together = std::clamp<Index>(models / (least_blocks * thread_count()), 1, most_together);
    const Index blocks = pieces(models, together);
    const bool small = rows_.y.rows <= rows_of_small * models;
    const int team = team_size(blocks, small ? work_of_small * static_cast<Work>(models) : plenty);
    Array<Worker> workers(team);
    for (Worker& worker : workers) worker.model = empty_.clone();
    parallel_shares(blocks, team, [&](Index block, int number) {
      for (Index g = block * together; g < std::min(models, (block + 1) * together); ++g) fit(g, workers[number]);
    });
    const auto first = std::ranges::min_element(workers, {}, &Worker::failed);
    return first->reason.empty() ? "" : text("model ", first->failed, ": ", first->reason);
  }

 private:
  struct Worker {
    Model model{nullptr};
    Index failed = std::numeric_limits<Index>::max();  // the first model of which something has no value, and why
    std::string reason;
  };

  void fit(Index g, Worker& worker) const {
    Status status = Status::ok;
    std::string reason;
    try {
      reason = answers(g, worker.model);
      if (!reason.empty()) status = Status::undefined;
    } catch (const Error& error) {
      if (!is_of_one(error.status())) throw Error(error.status(), text("model ", g, ": ", error.what()));
      status = error.status();
      reason = error.what();
      each(g, [](MatrixView of) { set_nan(of); });
    }
    if (!out_.status.empty()) out_.status[g] = static_cast<std::int32_t>(status);
    if (status == Status::ok || !worker.reason.empty()) return;
    worker.failed = g;
    worker.reason = std::move(reason);
  }

  // The part that model g has in each answer.
  struct Parts {
    MatrixView w, effects, b, lambda, score, df, sigma2, c, errors;
  };
  Parts parts(Index g) const {
    const Index t = rows_.y.cols, first = rows_.start[g], n = rows_.start[g + 1] - first;
    const auto columns = [&](MatrixView of) { return part(of, 0, of.rows, g * t, t); };
    const auto column = [&](MatrixView of) { return part(of, 0, t, g, 1); };
    const auto rows = [&](MatrixView of) { return part(of, first, n, 0, t); };
    return {columns(out_.w), columns(out_.effects), column(out_.b), column(out_.lambda), column(out_.score),
            column(out_.df), column(out_.sigma2),   rows(out_.c),   rows(out_.errors)};
  }
  template <class Use>
  void each(Index g, const Use& use) const {
    const Parts p = parts(g);
    for (const MatrixView of : {p.w, p.effects, p.b, p.lambda, p.score, p.df, p.sigma2, p.c, p.errors}) use(of);
  }

  // Writes the answers of model g; returns why some of them are NaN.
  std::string answers(Index g, Model& model) const {
    const Index first = rows_.start[g], n = rows_.start[g + 1] - first;
    if (n == 0) fail(Status::undefined, "there are no rows");
    const LayoutView& fixed = rows_.points.fixed;
    model.set_data({rows_.points.x.dense().row_range(first, n), fixed.cols > 0 ? fixed.row_range(first, n) : fixed},
                   rows_.y.row_range(first, n), false);
    model.set_weights(rows_.weights == nullptr ? nullptr : rows_.weights + first);
    model.factorize();
    const Parts to = parts(g);
    std::string reason;
    const bool held = low_ == high_ && low_ > 0;
    if (held) model.set_lambdas({&low_, 1});
    const LambdaSearch* search = held ? nullptr : &model.select_lambda(criterion_, low_, high_, true);
    if (to.lambda.data != nullptr) std::ranges::copy(model.lambdas(), to.lambda.data);
    if (to.score.data != nullptr && held) {
      Matrix scores(1, rows_.y.cols);
      reason = model.score(criterion_, {&low_, 1}, scores.view());
      std::ranges::copy(scores.values(), to.score.data);
    } else if (to.score.data != nullptr) {
      std::ranges::copy(search->best_score, to.score.data);
    }
    if (to.w.data != nullptr) model.hyperplane(to.w);
    if (to.effects.data != nullptr) model.fixed_effects(to.effects);
    if (to.b.data != nullptr) model.intercept(to.b.data);
    if (to.c.data != nullptr) model.coefficients(to.c);
    if (to.errors.data != nullptr) keep_first(reason, model.loo(to.errors));
    if (to.df.data != nullptr || to.sigma2.data != nullptr) {
      Model::Freedom freedom = model.degrees_of_freedom(to.sigma2.data != nullptr);
      if (to.df.data != nullptr) std::ranges::copy(freedom.df, to.df.data);
      if (to.sigma2.data != nullptr) std::ranges::copy(freedom.sigma2, to.sigma2.data);
      keep_first(reason, std::move(freedom.reason));
    }
    return reason;
  }

  const BatchRows& rows_;
  Criterion criterion_;
  double low_, high_;
  const BatchAnswers& out_;
  Model empty_;
};

// Throws NOT_FINITE for an infinity, and for NaN where it does not stand for a missing value.
void require_outputs(const LayoutView& y, bool missing) {
  if (!missing) return require_finite("y", y);
  for (Index j = 0; j < y.cols; ++j)
    for (Index i = 0; i < y.rows; ++i)
      if (std::isinf(y(i, j)))
        fail(Status::not_finite, "y[", i, ", ", j, "] is ", y(i, j), "; every value must be finite, or NaN");
}

}  // namespace

std::string fit_batch(const Model& settings, const BatchRows& rows, Criterion criterion, double low, double high,
                      const BatchAnswers& out) {
  if (settings.kernel()->precomputed())
    fail(Status::invalid_argument, "the kernel is precomputed: it has values of one set of rows, not of many");
  settings.kernel()->check_data(rows.points.x.rows, rows.points.x.cols);
  require_finite("points.x", rows.points.x);
  require_outputs(rows.y, settings.missing_allowed());
  if (rows.points.fixed.cols > 0) require_finite("points.unpenalised", rows.points.fixed);
  require_weights(rows.weights, rows.points.x.rows);
  require_range("low", low, "high", high);
  const Hearing hearing(settings.listener());
  std::string reason = Batch(settings, rows, criterion, low, high, out).run();
  report(1);
  return reason;
}

}  // namespace freeridge
