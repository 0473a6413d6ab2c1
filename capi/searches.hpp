// freeridge_search: what a call is asked about a search for lambda, and its answers.
#pragma once

#include "capi/wall.hpp"
#include "libcore/select/lambda_search.hpp"

namespace freeridge::capi {

class GivenSearch {
 public:
  explicit GivenSearch(freeridge_search* search);
  const freeridge_search* operator->() const { return &given_; }

  // Throws INVALID_ARGUMENT where the field, which the call cannot answer, is not NULL.
  void refuse(const char* field, const void* pointer, const char* reason) const;
  // For a search that nobody can ask again: refuses lambdas and scores, whose sizes are not known before it, and next.
  void refuse_tables() const;
  // For GCV and REML: refuses standard_error, one_se_lambda and one_se_score.
  void refuse_standard_errors() const;

  // Fills the fields that are not NULL, but for below and next. Throws, with all outputs untouched, INVALID_STATE where
  // standard errors are asked for and the criterion is no mean, and INVALID_ARGUMENT for a wrong ld.
  // Returns the reason for the first NaN among the standard errors, for report_undefined().
  [[nodiscard]] std::string filled(const LambdaSearch& search) const;
  void give(const LambdaSearch& search) const { report_undefined(filled(search)); }

 private:
  freeridge_search* callers_;
  freeridge_search given_;
};

}  // namespace freeridge::capi
