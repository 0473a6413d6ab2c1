// Ridge regression in p features by its normal equations in quadruple precision, fitted again without each group:
//     [ A'W A + lambda P   A'W 1 ] [w]   [A'W Y]
//     [ 1'W A              1'W 1 ] [b] = [1'W Y]      (without intercept: the first block alone)
// A = X, P = I for linear kernels; A = K_TR, P = K_RR for landmarks. Nothing here is shared with the library.
#pragma once

#include <limits>

#include "support/quad.hpp"

namespace support {

struct QuadProblem {
  QuadMatrix a, penalty, y;
  Vector weights;  // empty: all one
  bool intercept = true;
};

// Y - prediction at the rows of each group, fitted without them; NaN where the label is negative, and where the rows
// that stay determine no intercept.
inline QuadMatrix quad_refit_errors(const QuadProblem& problem, const Labels& group, Quad lambda) {
  const std::int64_t n = problem.a.rows, p = problem.a.cols, t = problem.y.cols, ones = problem.intercept ? 1 : 0;
  QuadMatrix rows(n, p + ones);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < p; ++k) rows(i, k) = problem.a(i, k);
    if (ones == 1) rows(i, p) = 1;
  }
  const auto weight = [&](std::int64_t i) {
    return problem.weights.empty() ? Quad(1) : Quad(problem.weights[static_cast<std::size_t>(i)]);
  };
  QuadMatrix out(n, t);
  for (Quad& value : out.values) value = std::numeric_limits<double>::quiet_NaN();
  for (std::int32_t label = 0; label <= *std::max_element(group.begin(), group.end()); ++label) {
    const auto stays = [&](std::int64_t i) { return group[static_cast<std::size_t>(i)] != label; };
    QuadMatrix left(p + ones, p + ones), right(p + ones, t);
    std::int64_t count = 0;
    for (std::int64_t j = 0; j < p; ++j)
      for (std::int64_t k = 0; k < p; ++k) left(j, k) = lambda * problem.penalty(j, k);
    for (std::int64_t i = 0; i < n; ++i) {
      if (!stays(i)) continue;
      ++count;
      for (std::int64_t j = 0; j < p + ones; ++j) {
        for (std::int64_t k = 0; k < p + ones; ++k) left(j, k) += weight(i) * rows(i, j) * rows(i, k);
        for (std::int64_t k = 0; k < t; ++k) right(j, k) += weight(i) * rows(i, j) * problem.y(i, k);
      }
    }
    if (count == n || (count == 0 && problem.intercept)) continue;
    const QuadMatrix w = solve(left, right);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < t && !stays(i); ++k) {
        Quad error = problem.y(i, k);
        for (std::int64_t j = 0; j < p + ones; ++j) error -= rows(i, j) * w(j, k);
        out(i, k) = error;
      }
  }
  return out;
}

inline Matrix refit_errors(const QuadProblem& problem, const Labels& group, double lambda) {
  return to_double(quad_refit_errors(problem, group, lambda));
}

}  // namespace support
