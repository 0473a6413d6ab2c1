// The calls of "Gradients and descent" for tests, and their definitions in long double or complex numbers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numeric>

#include "support/classical.hpp"
#include "support/compare.hpp"
#include "support/random.hpp"

namespace gradients {

using namespace support;

struct Data {
  freeridge_loss loss = FREERIDGE_LOSS_SQUARED;
  Matrix x;
  Vector y, weights;  // weights empty: all one
  double lambda = 0;
  bool intercept = true;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  std::int64_t padding = 0;

  bool labels() const { return loss == FREERIDGE_LOSS_LOGISTIC || loss == FREERIDGE_LOSS_HINGE; }
  const double* weights_or_null() const { return weights.empty() ? nullptr : weights.data(); }
  double weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }
};

const std::vector<freeridge_loss> all_losses = {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE, FREERIDGE_LOSS_SQUARED,
                                                FREERIDGE_LOSS_ABSOLUTE};

inline Data some_data(freeridge_loss loss, std::uint64_t seed, std::int64_t n, std::int64_t d, bool weighted = false) {
  Random random(seed);
  Data out;
  out.loss = loss;
  out.x = random.uniform_matrix(n, d, -1.0, 1.0);
  for (std::int64_t i = 0; i < n; ++i) {
    const double f = 1.5 * out.x(i, 0) - out.x(i, d - 1) + 0.4 + 0.5 * random.normal();
    out.y.push_back(out.labels() ? (f > 0 ? 1 : -1) : f);
  }
  if (weighted) out.weights = random.uniform_vector(n, 0.3, 2.5);
  return out;
}

struct Gradient {
  Vector objective, intercept;
  Matrix gradient;
};

// At the columns of w.
inline Gradient gradient_at(const Data& data, const Matrix& w, const Vector& b) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Packed x = pack(data.x, data.layout, data.padding);
  Gradient out{Vector(b.size(), nan), Vector(b.size(), nan), Matrix(w.rows, w.cols, nan)};
  check(freeridge_loss_gradient(data.loss, data.layout, data.x.rows, data.x.cols, x.values.data(), x.ld, data.y.data(),
                                data.weights_or_null(), data.lambda, w.cols, w.values.data(), b.data(),
                                out.objective.data(), out.gradient.values.data(), out.intercept.data()),
        "freeridge_loss_gradient");
  return out;
}

struct Plan {
  std::vector<std::int64_t> steps = {100};
  std::int64_t batch = 0;  // 0: all rows
  double step = 0;
  freeridge_step_rule rule = FREERIDGE_STEP_AUTO;
  bool average = false;
  std::int64_t seed = 1, done = 0;
  Vector start_w = {};
  double start_b = 0;
  freeridge_progress callback = nullptr;
  void* user = nullptr;
};

struct Path {
  Matrix w;
  Vector b, objective;
  double step = std::numeric_limits<double>::quiet_NaN();
  freeridge_status status = FREERIDGE_OK;

  Vector last() const {  // w and b of the last record
    Vector out(w.values.end() - w.rows, w.values.end());
    out.push_back(b.back());
    return out;
  }
};

inline Path descend(const Data& data, const Plan& plan, bool status_wanted = false) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<std::int64_t>(plan.steps.size());
  const Packed x = pack(data.x, data.layout, data.padding);
  Path out{Matrix(data.x.cols, count, nan), Vector(plan.steps.size(), nan), Vector(plan.steps.size(), nan)};
  freeridge_descent descent{sizeof descent,
                            data.intercept ? 1 : 0,
                            plan.average ? 1 : 0,
                            plan.start_w.empty() ? nullptr : plan.start_w.data(),
                            plan.start_b,
                            plan.done,
                            plan.rule,
                            plan.step,
                            plan.batch,
                            plan.seed,
                            plan.callback,
                            plan.user,
                            nan};
  out.status = freeridge_gradient_descent(data.loss, data.layout, data.x.rows, data.x.cols, x.values.data(), x.ld,
                                          data.y.data(), data.weights_or_null(), data.lambda, count, plan.steps.data(),
                                          &descent, out.w.values.data(), out.b.data(), out.objective.data());
  out.step = descent.step_used;
  if (!status_wanted) check(out.status, "freeridge_gradient_descent");
  return out;
}

// ---- definitions ----

// T: long double, or a complex number near the real axis.
inline Real real_part(Real value) {
  return value;
}
inline Real real_part(const std::complex<Real>& value) {
  return value.real();
}

template <class T>
T loss_of(freeridge_loss loss, Real y, T f) {
  const T z = y * f;
  switch (loss) {
    case FREERIDGE_LOSS_LOGISTIC:
      return real_part(z) > 0 ? std::log(T(1) + std::exp(-z)) : std::log(T(1) + std::exp(z)) - z;
    case FREERIDGE_LOSS_HINGE:
      return real_part(z) < 1 ? T(1) - z : T(0);
    case FREERIDGE_LOSS_SQUARED:
      return (f - y) * (f - y) / T(2);
    default:
      return real_part(f) > y ? f - y : y - f;
  }
}

// J at (w, b) with w = coefficients but the last, b = the last.
template <class T>
T objective_of(const Data& data, const std::vector<T>& coefficients) {
  const auto d = static_cast<std::size_t>(data.x.cols);
  T total = 0;
  for (std::size_t k = 0; k < d; ++k) total += T(data.lambda / 2) * coefficients[k] * coefficients[k];
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    T f = coefficients[d];
    for (std::size_t k = 0; k < d; ++k)
      f += T(data.x(static_cast<std::int64_t>(i), static_cast<std::int64_t>(k))) * coefficients[k];
    total += T(data.weight(i)) * loss_of(data.loss, Real(data.y[i]), f);
  }
  return total;
}

// dJ by each coefficient: the imaginary part of J at a point that is moved by h i, over h (complex step).
template <class Objective>
Vector complex_step(const Vector& at, const Objective& objective) {
  using Complex = std::complex<Real>;
  const Real h = 1e-200L;
  Vector out;
  for (std::size_t k = 0; k < at.size(); ++k) {
    std::vector<Complex> moved(at.begin(), at.end());
    moved[k] += Complex(0, h);
    out.push_back(static_cast<double>(objective(moved).imag() / h));
  }
  return out;
}

inline std::vector<Real> in_reals(const Vector& values) {
  return {values.begin(), values.end()};
}

}  // namespace gradients
