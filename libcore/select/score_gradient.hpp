#pragma once

#include "libcore/base/array.hpp"

namespace freeridge {

struct ScoreGradient {
  double score = 0;
  double log_lambda = 0;
  Array<double> kernel;
};

}  // namespace freeridge
