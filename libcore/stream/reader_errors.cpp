// The left-out errors of a reader's rows: of each row, and of groups that are left out together (group_pass.hpp), with
// their labels and the criterion GROUPS.
#include <algorithm>
#include <set>
#include <utility>

#include "libcore/base/memory.hpp"
#include "libcore/stream/group_pass.hpp"
#include "libcore/stream/reader_model.hpp"

namespace freeridge {
namespace {

// The lambdas of the outputs, each once, ascending.
struct DistinctLambdas {
  Array<double> values;

  explicit DistinctLambdas(Span<const double> lambdas) {
    const std::set<double> all(lambdas.begin(), lambdas.end());
    values.assign(all.begin(), all.end());
  }
  Index place(double lambda) const { return std::ranges::lower_bound(values, lambda) - values.begin(); }
};

}  // namespace

Index ReaderModel::require_n() const {
  if (reader_.n() < 0)
    fail(Status::invalid_state,
         "the number of the reader's rows is not known, and there is a label for each: give n to freeridge_set_points");
  return reader_.n();
}

void ReaderModel::set_groups(std::optional<Groups> groups) {
  groups_ = groups ? std::make_shared<const Groups>(std::move(*groups)) : nullptr;
}

const Groups& ReaderModel::groups() const {
  if (!groups_) fail(Status::invalid_state, "the model has no groups; call freeridge_set_groups first");
  return *groups_;
}

void ReaderModel::require_memory_for(const Groups& groups) const {
  require_memory(group_pass_bytes(*problem_, groups), "leaving groups out",
                 "use groups whose rows are together, smaller groups, fewer groups, or fewer landmarks",
                 settings_->memory_limit());
}

PassOverRows ReaderModel::again() const {
  return [this](const UseRows& use) {
    reader_.pass(read_, [&](const RowReader::Chunk& chunk) { use(chunk.x, chunk.y, chunk.weights); });
  };
}

std::string ReaderModel::group_scores(Span<const double> lambdas, MatrixView scores, MatrixView errors) const {
  const Groups& groups = this->groups();
  require_memory_for(groups);
  return StreamedGroupScores(*problem_, groups, lambdas, again()).give(scores, errors);
}

std::string ReaderModel::loo(MatrixView errors) const {
  const Span<const double> lambdas = fitted().lambdas();
  const Hearing hearing(settings_->listener());
  const DistinctLambdas distinct(lambdas);
  std::string reason;
  reader_.pass(read_, [&](const RowReader::Chunk& chunk) {
    Matrix room(chunk.x.rows, std::ssize(distinct.values) * t());
    keep_first(reason, problem_->loo(chunk.x, chunk.y, chunk.weights, distinct.values, room.view(), chunk.first));
    for (Index j = 0; j < t(); ++j)
      std::copy_n(room.col(distinct.place(lambdas[j]) * t() + j), room.rows(), errors.col(j) + chunk.first);
  });
  report(1);
  return reason;
}

std::string ReaderModel::group_errors(const std::int32_t* label, Index layers, const std::int32_t* gap,
                                      MatrixView errors) const {
  const Span<const double> lambdas = fitted().lambdas();
  const Groups groups = Groups(Span(label, n())).with_gaps(Span(gap, layers * n()), layers);
  require_memory_for(groups);
  const Hearing hearing(settings_->listener());
  const DistinctLambdas distinct(lambdas);
  Array<Index> columns(std::ssize(distinct.values) * t(), Index{-1});
  for (Index j = 0; j < t(); ++j) columns[distinct.place(lambdas[j]) * t() + j] = j;
  std::string reason = streamed_group_errors(*problem_, groups, distinct.values, std::move(columns), errors, again());
  report(1);
  return reason;
}

}  // namespace freeridge
