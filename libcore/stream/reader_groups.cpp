// Groups of a reader's rows that are left out together: their labels, the criterion GROUPS, their errors
// (group_pass.hpp).
#include <algorithm>
#include <utility>

#include "libcore/base/memory.hpp"
#include "libcore/stream/group_pass.hpp"
#include "libcore/stream/reader_model.hpp"

namespace freeridge {

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

void ReaderModel::require_memory_for(const Groups& groups, Index memory_limit) const {
  require_memory(GroupPass::memory_required(*problem_, groups), "leaving groups out",
                 "use groups whose rows are together, smaller groups, fewer groups, or fewer landmarks", memory_limit);
}

std::string ReaderModel::group_scores(Span<const double> lambdas, MatrixView scores, MatrixView errors,
                                      Index memory_limit) const {
  const Groups& groups = this->groups();
  require_memory_for(groups, memory_limit);
  StreamedGroupScores found(*problem_, groups, lambdas);
  GroupPass pass(*problem_, groups, [&](Index group, const GroupSum& sum) { found.take(group, sum); });
  reader_.pass(read_, [&](const RowReader::Chunk& chunk) { pass.add(chunk.x, chunk.y, chunk.weights); });
  return found.give(scores, errors);
}

std::string ReaderModel::group_errors(const Groups& groups, Span<const double> lambdas, MatrixView errors,
                                      Index memory_limit) const {
  require_memory_for(groups, memory_limit);
  const Array<double> distinct = distinct_lambdas(lambdas);
  const Index t = reader_.t();
  Array<Index> columns(std::ssize(distinct) * t, Index{-1});
  for (Index j = 0; j < t; ++j) {
    const Index l = std::ranges::lower_bound(distinct, lambdas[j]) - distinct.begin();
    columns[l * t + j] = j;
  }
  StreamedGroupErrors found(*problem_, groups, distinct, std::move(columns), errors);
  GroupPass pass(*problem_, groups, [&](Index group, const GroupSum& sum) { found.take(group, sum); });
  Stage stage(0, 0.5);
  reader_.pass(read_, [&](const RowReader::Chunk& chunk) { pass.add(chunk.x, chunk.y, chunk.weights); });
  stage.next(1);
  if (found.needs_rows_again())
    reader_.pass(read_, [&](const RowReader::Chunk& chunk) { found.add_again(chunk.x, chunk.y, chunk.weights); });
  found.require_finite();
  return found.reason();
}

}  // namespace freeridge
