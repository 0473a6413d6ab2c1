// Sparse matrices as the library takes them, of a dense matrix with zeros.
#pragma once

#include "freeridge.h"
#include "support/matrix.hpp"

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

}  // namespace support
