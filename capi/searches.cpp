#include "capi/searches.hpp"

#include <cmath>

#include "libcore/select/criteria.hpp"
#include "libcore/select/one_standard_error.hpp"

namespace freeridge::capi {
namespace {

// The size of freeridge_search in the first header that had it.
constexpr std::size_t first_search = offsetof(freeridge_search, ld) + sizeof(freeridge_search::ld);

}  // namespace

GivenSearch::GivenSearch(freeridge_search* search)
    : callers_(search), given_(checked_struct("search", search, first_search)) {}

void GivenSearch::refuse(const char* field, const void* pointer, const char* reason) const {
  if (pointer != nullptr) fail(Status::invalid_argument, "search.", field, " is not NULL, and it must be: ", reason);
}

void GivenSearch::refuse_tables() const {
  constexpr const char* unknown = "how many lambdas a search tries is not known before it";
  refuse("lambdas", given_.lambdas, unknown);
  refuse("scores", given_.scores, unknown);
  refuse("next", given_.next, "the search has tried it");
}

void GivenSearch::refuse_standard_errors() const {
  constexpr const char* none = "GCV and REML have no standard error";
  refuse("standard_error", given_.standard_error, none);
  refuse("one_se_lambda", given_.one_se_lambda, none);
  refuse("one_se_score", given_.one_se_score, none);
}

std::string GivenSearch::filled(const LambdaSearch& search) const {
  const Index count = search.scores.rows(), t = search.scores.cols();
  const Index ld = given_.ld == 0 ? count : given_.ld;
  if (given_.scores != nullptr) require_ld("search.ld", ld, "search.count", count, t);
  const bool asks_for_rule = given_.one_se_lambda != nullptr || given_.one_se_score != nullptr;
  const bool asks_for_errors = asks_for_rule || given_.standard_error != nullptr;
  if (asks_for_errors && !is_mean(search.criterion))
    fail(Status::invalid_state, "the search was by criterion ", static_cast<int32_t>(search.criterion),
         ", which has no standard error; set search.standard_error, one_se_lambda and one_se_score to NULL, or call "
         "freeridge_select_lambda with LOO, GROUPS or ERROR_RATE first");
  const OneStandardError rule = asks_for_rule ? one_standard_error(search) : OneStandardError{};
  std::string reason;
  if (asks_for_errors) {
    const auto undefined = std::ranges::find_if(search.standard_error, [](double value) { return std::isnan(value); });
    if (undefined != search.standard_error.end())
      reason = text("the best score of output ", undefined - search.standard_error.begin(), " has no standard error");
  }
  callers_->count = count;
  copy_to(search.best, given_.lambda);
  copy_to(search.best_score, given_.score);
  copy_to(search.standard_error, given_.standard_error);
  copy_to(search.edge, given_.edge);
  copy_to(search.decades, given_.decades);
  copy_to(search.dips, given_.dips);
  if (asks_for_rule) {
    copy_to(rule.lambda, given_.one_se_lambda);
    copy_to(rule.score, given_.one_se_score);
  }
  copy_to(search.lambdas, given_.lambdas);
  if (given_.scores != nullptr) copy_out(search.scores.view(), Layout::col_major, given_.scores, ld);
  return reason;
}

}  // namespace freeridge::capi
