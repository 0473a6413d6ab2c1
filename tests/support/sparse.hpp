// Models of sparse rows.
#pragma once

#include "support/model.hpp"

namespace support {

inline freeridge_status set_sparse(freeridge_model* model, const Sparse& x, const Matrix& y, bool view) {
  return freeridge_set_points(model, at(x), view ? 1 : 0, FREERIDGE_COL_MAJOR, y.cols, y.values.data(), y.rows);
}

inline Matrix predict_sparse(const freeridge_model* model, const Sparse& x, std::int64_t t, freeridge_layout layout) {
  Packed out = pack(Matrix(x.rows, t), layout, 1);
  check(freeridge_predict_points(model, at(x), 0, nullptr, layout, out.values.data(), out.ld),
        "freeridge_predict_points");
  return unpack(out, x.rows, t);
}

}  // namespace support
