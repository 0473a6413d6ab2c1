// A model whose rows a reader hands out.
#pragma once

#include <algorithm>
#include <functional>

#include "support/oracle.hpp"

namespace support {

// Hands out the rows of a problem; `spoil` may do anything to them.
struct Source {
  oracle::Problem problem;
  bool by_rows = true;
  std::int64_t stretches = 0, passes = 0, largest = 0;
  std::function<std::int64_t(std::int64_t first, std::int64_t got, double* x, double* y, double* weights)> spoil = {};

  static std::int64_t read(std::int64_t first, std::int64_t count, double* x, double* y, double* weights, void* user) {
    Source& source = *static_cast<Source*>(user);
    const oracle::Problem& p = source.problem;
    const std::int64_t got = std::max<std::int64_t>(std::min(count, p.x.rows - first), 0), d = p.x.cols, t = p.y.cols;
    source.stretches += 1;
    source.passes += first == 0 ? 1 : 0;
    source.largest = std::max(source.largest, count);
    for (std::int64_t i = 0; i < got; ++i) {
      for (std::int64_t k = 0; k < d; ++k) x[source.by_rows ? i * d + k : i + k * count] = p.x(first + i, k);
      for (std::int64_t j = 0; j < t && y != nullptr; ++j)
        y[source.by_rows ? i * t + j : i + j * count] = p.y(first + i, j);
      if (!p.weights.empty() && weights != nullptr) weights[i] = p.weight(first + i);
    }
    return source.spoil ? source.spoil(first, got, x, y, weights) : got;
  }
};

inline void set_reader(Model& model, Source& source, bool knows_n = true) {
  const freeridge_layout layout = source.by_rows ? FREERIDGE_ROW_MAJOR : FREERIDGE_COL_MAJOR;
  const std::int64_t n = knows_n ? source.problem.x.rows : -1;
  check(freeridge_set_points(model.get(), at(layout, n, source.problem.x.cols, Source::read, &source), 0, layout,
                             source.problem.y.cols, nullptr, 0),
        "freeridge_set_points");
}

}  // namespace support
