#include "libcore/select/one_standard_error.hpp"

#include <cmath>

#include "libcore/base/constants.hpp"

namespace freeridge {

Array<double> one_standard_error(const LambdaSearch& search) {
  Array<double> out = search.best;
  for (std::size_t j = 0; j < out.size(); ++j) {
    const double limit = search.best_score[j] + search.standard_error[j];
    if (std::isnan(limit)) out[j] = nan;
    for (std::size_t l = 0; l < search.lambdas.size(); ++l) {
      const double score = search.scores(static_cast<Index>(l), static_cast<Index>(j));
      if (!(search.lambdas[l] > out[j]) || std::isnan(score)) continue;
      if (score > limit) break;
      out[j] = search.lambdas[l];
    }
  }
  return out;
}

}  // namespace freeridge
