// Which statuses the comment of a call in freeridge.h names: after the word "Statuses", and in the comments of the calls
// that it refers to there ("as freeridge_score"). Any call may also return OUT_OF_MEMORY or INTERNAL.
#pragma once

#include <freeridge.h>

#include <string>

struct Documented {
  static bool has(const std::string& call, freeridge_status status);
};
