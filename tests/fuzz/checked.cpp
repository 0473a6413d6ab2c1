#include "fuzz/checked.hpp"

#include <freeridge.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "capi/support/documented.hpp"

namespace fuzz {

void wrong(const std::string& what) {
  std::fprintf(stderr, "WRONG: %s\n", what.c_str());
  std::abort();
}

namespace {

bool documented(const std::string& call, freeridge_status status) {
  static std::map<std::pair<std::string, freeridge_status>, bool> known;
  const auto [at, is_new] = known.try_emplace({call, status}, false);
  if (is_new) at->second = Documented::has(call, status);
  return at->second;
}

}  // namespace

void Caller::inspect(const char* name, unsigned manners, freeridge_status status, const Outputs& all) const {
  const auto complain = [&](const char* what) {
    wrong(std::string(name) + " answers " + freeridge_status_name(status) + ", " + what +
          (status == FREERIDGE_OK ? "" : std::string("; its words: ") + freeridge_last_error()));
  };
  if (!all.guarded) complain("and wrote behind an output");
  if (status == FREERIDGE_INTERNAL) complain("which cannot happen");
  if (status == FREERIDGE_OUT_OF_MEMORY && !memory_may_lack) complain("for sizes that fit anywhere");
  const bool refused_by_a_predictor = of_a_predictor && status == FREERIDGE_INVALID_STATE;
  const bool singular_in_the_file = any_numbers && status == FREERIDGE_NOT_POSITIVE_DEFINITE;
  if (status != FREERIDGE_OK && !refused_by_a_predictor && !singular_in_the_file && !documented(name, status))
    complain("which its comment does not name");
  const bool has_values = status == FREERIDGE_OK || (status == FREERIDGE_UNDEFINED && !all.untouched);
  if (has_values && all.infinite && !(manners & may_be_inf) && !any_numbers) complain("with an Inf");
  if (status == FREERIDGE_OK) {
    if (all.nan && !(manners & may_be_nan) && !any_numbers && !missing_values) complain("with a NaN");
  } else if (status == FREERIDGE_UNDEFINED) {
    const bool in_part = (manners & in_pieces) != 0 && missing_values;  // as FREERIDGE_MISSING says
    if (!all.nan && !any_numbers && !all.untouched && !in_part) complain("without a NaN");
  } else if (!all.untouched && !(manners & (in_pieces | may_be_short))) {
    complain("and touched an output");
  }
}

}  // namespace fuzz
