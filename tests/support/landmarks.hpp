// The landmark calls of freeridge.h on a Model, and models with a precomputed kernel.
#pragma once

#include "support/model.hpp"
#include "support/random.hpp"

namespace support {

using Rows = std::vector<std::int64_t>;

// Some rows in no order; as many as leave K_RR well conditioned.
inline Rows some_landmarks(Random& random, std::int64_t n, std::int64_t count) {
  Rows rows = random.permutation(n);
  rows.resize(static_cast<std::size_t>(count));
  return rows;
}

struct Traces {
  double left = 0, all = 0;
};

inline Model& set_landmarks(Model& model, const Rows& rows) {
  check(freeridge_set_landmarks(model.get(), static_cast<std::int64_t>(rows.size()), rows.data()),
        "freeridge_set_landmarks");
  return model;
}

// The core chooses.
inline Model& choose_landmarks(Model& model, std::int64_t count, freeridge_landmark_method method,
                               std::int64_t seed = 0) {
  check(freeridge_set_landmarks(model.get(), count, nullptr), "freeridge_set_landmarks");
  check(freeridge_set_parameter(model.get(), FREERIDGE_LANDMARK_METHOD, method), "freeridge_set_parameter");
  check(freeridge_set_parameter(model.get(), FREERIDGE_LANDMARK_SEED, static_cast<double>(seed)),
        "freeridge_set_parameter");
  return model;
}

inline Model& set_reduction(Model& model, freeridge_reduction reduction) {
  check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, reduction), "freeridge_set_parameter");
  return model;
}

inline std::int64_t landmark_count(const Model& model) {
  std::int64_t count = -1;
  check(freeridge_get_landmarks(model.get(), &count, nullptr), "freeridge_get_landmarks");
  return count;
}

inline Rows landmark_rows(const Model& model) {
  Rows rows(static_cast<std::size_t>(landmark_count(model)), -1);
  check(freeridge_get_landmarks(model.get(), nullptr, rows.data()), "freeridge_get_landmarks");
  return rows;
}

inline Traces landmark_traces(const Model& model) {
  Traces out;
  check(freeridge_landmark_trace(model.get(), &out.left, &out.all), "freeridge_landmark_trace");
  return out;
}

inline std::int64_t rank_of(const Model& model) {
  std::int64_t rank = -1;
  check(freeridge_get_rank(model.get(), &rank), "freeridge_get_rank");
  return rank;
}

inline double tolerance_of(const Model& model) {
  double tolerance = -1;
  check(freeridge_get_tolerance(model.get(), &tolerance), "freeridge_get_tolerance");
  return tolerance;
}

// x is the kernel matrix.
inline Model precomputed_model(const Matrix& k, const Matrix& y) {
  Model model(Kernel::precomputed());
  model.data(k, y);
  return model;
}

inline const char* reduction_name(freeridge_reduction reduction) {
  switch (reduction) {
    case FREERIDGE_REDUCTION_QR:
      return "Qr";
    case FREERIDGE_REDUCTION_GRAM:
      return "Gram";
    default:
      return "Auto";
  }
}

}  // namespace support
