// Checks of values that users hand in, and of answers. Each throws with a sentence that names the argument and the
// value.
#pragma once

#include <cmath>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"

namespace freeridge {

inline void require_finite(const char* name, const LayoutView& a) {
  const bool by_columns = a.layout == Layout::col_major;
  const Index lines = by_columns ? a.cols : a.rows, length = by_columns ? a.rows : a.cols;
  for (Index line = 0; line < lines; ++line) {
    const Span values(a.data + line * a.ld, length);
    if (const Index i = first_not_finite(values); i < length)
      fail(Status::not_finite, name, "[", by_columns ? i : line, ", ", by_columns ? line : i, "] is ", values[i],
           "; every value must be finite");
    worked(touched * static_cast<double>(length));
  }
}

// weights: n numbers, or NULL: none.
inline void require_weights(const double* weights, Index n) {
  for (Index i = 0; i < n && weights != nullptr; ++i) {
    if (!std::isfinite(weights[i]))
      fail(Status::not_finite, "weights[", i, "] is ", weights[i], "; every weight must be finite");
    if (weights[i] <= 0)
      fail(Status::invalid_argument, "weights[", i, "] is ", weights[i], "; every weight must be positive");
  }
}

// argument: its name; with several lambdas the message says which.
inline void require_lambdas(const char* argument, Span<const double> lambdas) {
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    const auto name = [&] { return lambdas.size() == 1 ? text(argument) : text(argument, "[", l, "]"); };
    if (!std::isfinite(lambdas[l])) fail(Status::not_finite, name(), " is ", lambdas[l], "; it must be finite");
    if (lambdas[l] < 0) fail(Status::invalid_argument, name(), " is ", lambdas[l], "; it must not be negative");
  }
}

// Throws NOT_FINITE when an answer is Inf or NaN: it exists, but a number overflowed while it was computed.
inline void require_no_overflow(const char* what, ConstMatrixView answer) {
  for (Index j = 0; j < answer.cols; ++j)
    if (first_not_finite({answer.col(j), answer.rows}) < answer.rows)
      fail(Status::not_finite, what, " overflow; rescale y or x");
}

// 0 < low <= high, or both 0.
inline void require_range(const char* low_name, double low, const char* high_name, double high) {
  if (!std::isfinite(low)) fail(Status::not_finite, low_name, " is ", low, "; it must be finite");
  if (!std::isfinite(high)) fail(Status::not_finite, high_name, " is ", high, "; it must be finite");
  if ((low == 0 && high == 0) || (low > 0 && low <= high)) return;
  fail(Status::invalid_argument, low_name, " is ", low, " and ", high_name, " is ", high, "; 0 < ", low_name,
       " <= ", high_name, " must hold, or both be 0");
}

}  // namespace freeridge
