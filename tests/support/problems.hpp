// The random problems that the tests share.
#pragma once

#include <cmath>

#include "support/oracle.hpp"
#include "support/random.hpp"

namespace support {

// Columns divided by 0.6, 0.9, 1.2, 1.5, 0.6, ...
inline Vector column_scales(std::int64_t d) {
  Vector out(static_cast<std::size_t>(d));
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = 0.6 + 0.3 * static_cast<double>(k % 4);
  return out;
}

// A kernel of the family whose values on uniform (-1, 1) data of d columns are of the order of one.
inline oracle::KernelSpec kernel_of(oracle::Family family, std::int64_t d, bool scaled_columns = false) {
  const auto size = static_cast<double>(d);
  const auto spec_of = [&]() -> oracle::KernelSpec {
    using oracle::Family;
    using oracle::KernelSpec;
    switch (family) {
      case Family::linear:
        return KernelSpec::linear();
      case Family::polynomial:
        return KernelSpec::polynomial(3, 1.5 / size, 0.7);
      case Family::sum:  // a sum with a scaled part and a product inside
        return KernelSpec::sum({KernelSpec::linear().with_columns(column_scales(d)),
                                KernelSpec::product({KernelSpec::polynomial(2, 1.0 / size, 0.5),
                                                     KernelSpec::radial(Family::laplacian, size)})},
                               {0.3, 1.7});
      case Family::product:
        return KernelSpec::product({KernelSpec::gaussian(1.5 * std::sqrt(size)), KernelSpec::polynomial(1, 1.0, 2.0),
                                    KernelSpec::radial(Family::matern32, 2.0 * std::sqrt(size))});
      case Family::additive: {  // the first and the last column are one term
        support::Labels label;
        for (std::int64_t k = 0; k < d; ++k) label.push_back(static_cast<std::int32_t>(k + 1 < d ? k : 0));
        return KernelSpec::additive(KernelSpec::radial(Family::matern52, 1.0), d < 3 ? support::Labels() : label);
      }
      case Family::multiplicative: {  // the ANOVA kernel; of many columns three terms
        support::Labels label;
        for (std::int64_t k = 0; k < d && d > 3; ++k) label.push_back(static_cast<std::int32_t>(k % 3));
        return KernelSpec::multiplicative(
            KernelSpec::sum({KernelSpec::constant(), KernelSpec::radial(Family::matern52, std::sqrt(size))},
                            {0.8, 0.6}),
            label);
      }
      case Family::periodic:
        return KernelSpec::periodic(3.7, KernelSpec::gaussian(1.2 * std::sqrt(size)));
      default:
        return KernelSpec::radial(family, std::sqrt(size));
    }
  };
  const oracle::KernelSpec spec = spec_of();
  return scaled_columns ? spec.with_columns(column_scales(d)) : spec;
}

// t outputs, each a smooth function of its own of the first columns, plus noise, and away from zero.
inline Matrix responses(Random& random, const Matrix& x, std::int64_t t, double noise) {
  Matrix y(x.rows, t);
  for (std::int64_t j = 0; j < t; ++j) {
    const double phase = 0.5 + static_cast<double>(j);
    for (std::int64_t i = 0; i < x.rows; ++i)
      y(i, j) = 2.0 + phase + std::sin(2.0 * x(i, 0) + phase) + 0.7 * x(i, x.cols - 1) + noise * random.normal();
  }
  return y;
}

inline oracle::Problem random_problem(Random& random, const oracle::KernelSpec& kernel, std::int64_t n, std::int64_t d,
                                      std::int64_t t, bool weighted, bool intercept, double noise = 0.3) {
  oracle::Problem problem;
  problem.kernel = kernel;
  problem.x = random.uniform_matrix(n, d, -1.0, 1.0);
  problem.y = responses(random, problem.x, t, noise);
  if (weighted) problem.weights = random.uniform_vector(n, 0.4, 2.5);
  problem.intercept = intercept;
  return problem;
}

inline Labels modulo_groups(std::int64_t n, std::int32_t folds) {
  Labels out(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::int32_t>(i) % folds;
  return out;
}

// Each row a group of its own.
inline Labels single_groups(std::int64_t n) {
  return modulo_groups(n, static_cast<std::int32_t>(n));
}

// The routes without an answer where K + lambda I is singular.
inline bool needs_positive_definite(freeridge_route route) {
  return route % on_device == FREERIDGE_ROUTE_CHOLESKY || route == FREERIDGE_ROUTE_BAND;
}

inline const char* route_name(freeridge_route route) {
  switch (route) {
    case FREERIDGE_ROUTE_CHOLESKY:
      return "Cholesky";
    case FREERIDGE_ROUTE_BAND:
      return "Band";
    case FREERIDGE_ROUTE_SPECTRAL:
      return "Spectral";
    case FREERIDGE_ROUTE_PRIMAL:
      return "Primal";
    case FREERIDGE_ROUTE_CHOLESKY + on_device:
      return "CholeskyOnDevice";
    case FREERIDGE_ROUTE_SPECTRAL + on_device:
      return "SpectralOnDevice";
    default:
      return "Auto";
  }
}

inline const char* family_name(oracle::Family family) {
  constexpr const char* names[] = {"Linear",   "Polynomial", "Gaussian", "Laplacian", "Matern32",
                                   "Matern52", "Sum",        "Product",  "Additive",  "Multiplicative",
                                   "Periodic", "Constant",   "Sphere"};
  return names[static_cast<std::size_t>(family)];
}

}  // namespace support
