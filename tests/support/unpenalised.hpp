// Unpenalised columns beside the rows of a model that has everything else already.
#pragma once

#include "support/model.hpp"

namespace support {

inline void set_unpenalised(Model& model, const Matrix& f, freeridge_layout layout = FREERIDGE_COL_MAJOR) {
  std::int64_t n = 0, d = 0, t = 0;
  check(freeridge_get_dimensions(model.get(), &n, &d, &t), "freeridge_get_dimensions");
  const Packed packed = pack(f, layout, 2);
  Points points = with(no_points(n, d), f.cols, packed.values.data(), packed.ld);
  points.fields.layout = layout;
  check(freeridge_set_points(model.get(), points, 0, layout, 0, nullptr, 0), "freeridge_set_points");
}

inline std::int64_t unpenalised_count(const freeridge_model* model) {
  std::int64_t q = -1;
  check(freeridge_get_unpenalised(model, &q, nullptr, nullptr, nullptr, 0), "freeridge_get_unpenalised");
  return q;
}

}  // namespace support
