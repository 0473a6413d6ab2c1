// The numbers of a kernel's specification that freeridge_score_gradient has derivatives by, in the order of its text.
#pragma once

#include <vector>

#include "support/oracle.hpp"

namespace oracle {

inline std::vector<double*> numbers_of(KernelSpec& spec) {
  std::vector<double*> out;
  for (double& column : spec.columns) out.push_back(&column);
  if (spec.family == Family::polynomial) {
    out.push_back(&spec.scale);
    out.push_back(&spec.offset);
  } else if (spec.family == Family::periodic) {
    out.push_back(&spec.scale);
  } else if (spec.parts.empty() && spec.family != Family::linear && spec.family != Family::constant) {
    out.push_back(&spec.sigma);
  }
  for (std::size_t p = 0; p < spec.parts.size(); ++p) {
    if (spec.family == Family::sum) out.push_back(&spec.weights[p]);
    const std::vector<double*> of_part = numbers_of(spec.parts[p]);
    out.insert(out.end(), of_part.begin(), of_part.end());
  }
  return out;
}

}  // namespace oracle
