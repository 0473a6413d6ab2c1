#include "libcore/select/one_standard_error.hpp"

#include <cmath>

#include "libcore/base/constants.hpp"

namespace freeridge {

OneStandardError one_standard_error(const LambdaSearch& search) {
  OneStandardError out{search.best, search.best_score};
  for (std::size_t j = 0; j < search.best.size(); ++j) {
    const double limit = search.best_score[j] + search.standard_error[j];
    if (std::isnan(limit)) out.lambda[j] = out.score[j] = nan;
    for (std::size_t l = 0; l < search.lambdas.size(); ++l) {
      const double score = search.scores(static_cast<Index>(l), static_cast<Index>(j));
      if (!(search.lambdas[l] > out.lambda[j]) || std::isnan(score)) continue;
      if (score > limit) break;
      out.lambda[j] = search.lambdas[l];
      out.score[j] = score;
    }
  }
  return out;
}

}  // namespace freeridge
