// Sparse matrices as the library takes them, of a dense matrix with zeros.
#pragma once

#include "support/model.hpp"

namespace support {

struct Sparse {
  Sparse(const Matrix& x, freeridge_sparse_format wanted) : format(wanted), rows(x.rows), cols(x.cols) {
    const bool by_rows = format == FREERIDGE_CSR;
    const std::int64_t lines = by_rows ? rows : cols, length = by_rows ? cols : rows;
    for (std::int64_t line = 0; line < lines; ++line) {
      for (std::int64_t place = 0; place < length; ++place) {
        const double number = by_rows ? x(line, place) : x(place, line);
        if (number == 0) continue;
        index.push_back(static_cast<std::int32_t>(place));
        value.push_back(number);
      }
      start.push_back(static_cast<std::int64_t>(value.size()));
    }
    index.reserve(1);  // a pointer, also where there is no entry
    value.reserve(1);
  }

  freeridge_sparse_format format;
  std::int64_t rows, cols;
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> index;
  Vector value;
};

inline freeridge_status set_sparse(freeridge_model* model, const Sparse& x, const Matrix& y, bool view) {
  return (view ? freeridge_set_sparse_view : freeridge_set_sparse)(model, x.format, x.rows, x.cols, x.start.data(),
                                                                   x.index.data(), x.value.data(), FREERIDGE_COL_MAJOR,
                                                                   y.cols, y.values.data(), y.rows);
}

inline Matrix predict_sparse(const freeridge_model* model, const Sparse& x, std::int64_t t, freeridge_layout layout) {
  Packed out = pack(Matrix(x.rows, t), layout, 1);
  check(freeridge_predict_sparse(model, x.format, x.rows, x.start.data(), x.index.data(), x.value.data(), layout,
                                 out.values.data(), out.ld),
        "freeridge_predict_sparse");
  return unpack(out, x.rows, t);
}

}  // namespace support
