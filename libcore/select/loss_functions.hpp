// The losses of one output y at the value f, and their derivatives by f:
//     squared    1/2 (y - f)^2             f - y
//     absolute   |y - f|                   sign(f - y), 0 at f = y
//     logistic   log(1 + exp(-y f))        -y / (1 + exp(y f))             y = -1, +1
//     hinge      max(0, 1 - y f)           -y where y f < 1, else 0        y = -1, +1
// Absolute and hinge have a corner. The derivative there is a subgradient: the slope of a line through the corner that
// lies nowhere above the loss.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace freeridge {

// The same numbers as FREERIDGE_LOSS_LOGISTIC ... in freeridge.h.
enum class PointLoss : std::int32_t { logistic = 1, hinge = 2, squared = 3, absolute = 4 };

// 1 / (1 + exp(-z)), without overflow and with full relative accuracy for large negative z.
inline double sigmoid(double z) {
  const double t = std::exp(-std::abs(z));
  return z >= 0 ? 1 / (1 + t) : t / (1 + t);
}

// log(1 + exp(-z))
inline double logistic_loss(double z) {
  return std::max(0.0, -z) + std::log1p(std::exp(-std::abs(z)));
}

inline double loss_value(PointLoss loss, double y, double f) {
  switch (loss) {
    case PointLoss::logistic:
      return logistic_loss(y * f);
    case PointLoss::hinge:
      return 1 - y * f < 0 ? 0 : 1 - y * f;  // NaN stays NaN
    case PointLoss::squared:
      return (y - f) * (y - f) / 2;
    default:
      return std::abs(y - f);
  }
}

inline double loss_slope(PointLoss loss, double y, double f) {
  switch (loss) {
    case PointLoss::logistic:
      return -y * sigmoid(-y * f);
    case PointLoss::hinge:
      return y * f < 1 ? -y : 0;
    case PointLoss::squared:
      return f - y;
    default:
      return f > y ? 1 : f < y ? -1 : 0;
  }
}

// Whether y is a label, -1 or +1.
inline bool takes_labels(PointLoss loss) {
  return loss == PointLoss::logistic || loss == PointLoss::hinge;
}

inline bool has_corner(PointLoss loss) {
  return loss == PointLoss::hinge || loss == PointLoss::absolute;
}

// The largest second derivative by f of a loss without a corner.
inline double largest_curvature(PointLoss loss) {
  return loss == PointLoss::logistic ? 0.25 : 1;
}

}  // namespace freeridge
