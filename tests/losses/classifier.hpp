// A classifier handle that frees itself, like Model in support/model.hpp, and the problems that the tests share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/compare.hpp"
#include "support/gauss.hpp"
#include "support/oracle.hpp"
#include "support/points.hpp"
#include "support/problems.hpp"

namespace losses {

using namespace support;

struct Convergence {
  double objective = 0;
  std::int64_t iterations = 0;
  double stationarity = 0;
};

struct Duality {
  double primal = 0, dual = 0, gap = 0;
};

struct Support {
  std::vector<std::int64_t> rows;
  double margin = 0;
};

class Classifier {
 public:
  Classifier(const Kernel& kernel, freeridge_loss loss) {
    freeridge_classifier* out = nullptr;
    check(freeridge_classifier_create(kernel.get(), loss, &out), "freeridge_classifier_create");
    handle_.reset(out);
  }
  freeridge_classifier* get() const { return handle_.get(); }
  freeridge_classifier* release() { return handle_.release(); }

  Classifier& data(const Matrix& x, const Vector& y, freeridge_layout layout = FREERIDGE_COL_MAJOR,
                   std::int64_t padding = 0) {
    const Packed px = pack(x, layout, padding);
    check(freeridge_classifier_set_data(get(), at(px, x.rows, x.cols), y.data()), "freeridge_classifier_set_data");
    n_ = x.rows;
    return *this;
  }
  Classifier& weights(const Vector& weights) {  // empty: all one
    check(freeridge_classifier_set_weights(get(), weights.empty() ? nullptr : weights.data()),
          "freeridge_classifier_set_weights");
    return *this;
  }
  Classifier& intercept(bool on) { return intercept_kind(on ? FREERIDGE_INTERCEPT_FREE : FREERIDGE_INTERCEPT_NONE); }
  Classifier& intercept_kind(freeridge_intercept on) {
    check(freeridge_classifier_set_parameter(get(), FREERIDGE_INTERCEPT, on), "freeridge_classifier_set_parameter");
    return *this;
  }
  Classifier& control(double tolerance, std::int64_t iterations) {
    check(freeridge_classifier_set_parameter(get(), FREERIDGE_TOLERANCE, tolerance),
          "freeridge_classifier_set_parameter");
    check(freeridge_classifier_set_parameter(get(), FREERIDGE_ITERATIONS, static_cast<double>(iterations)),
          "freeridge_classifier_set_parameter");
    return *this;
  }
  Classifier& progress(freeridge_progress callback, void* user) {
    check(freeridge_classifier_set_progress(get(), callback, user), "freeridge_classifier_set_progress");
    return *this;
  }
  Classifier& fit(double lambda) {
    check(freeridge_classifier_fit(get(), lambda), "freeridge_classifier_fit");
    return *this;
  }

  Vector decision(const Matrix& x, freeridge_layout layout = FREERIDGE_COL_MAJOR, std::int64_t padding = 0) const {
    return predict(x, layout, padding, true);
  }
  Vector probability(const Matrix& x, freeridge_layout layout = FREERIDGE_COL_MAJOR, std::int64_t padding = 0) const {
    return predict(x, layout, padding, false);
  }
  Vector loo(freeridge_status* status = nullptr) const {
    Vector out(static_cast<std::size_t>(n_));
    const freeridge_status answer = freeridge_classifier_loo(get(), out.data());
    if (status != nullptr) *status = answer;
    if (status == nullptr || answer != FREERIDGE_UNDEFINED) check(answer, "freeridge_classifier_loo");
    return out;
  }
  Vector c() const {
    Vector out(static_cast<std::size_t>(n_));
    check(freeridge_classifier_get_coefficients(get(), out.data(), nullptr), "freeridge_classifier_get_coefficients");
    return out;
  }
  double b() const {
    double out = 0;
    check(freeridge_classifier_get_coefficients(get(), nullptr, &out), "freeridge_classifier_get_coefficients");
    return out;
  }
  Convergence convergence() const {
    Convergence out;
    check(freeridge_classifier_get_convergence(get(), &out.objective, &out.iterations, &out.stationarity, nullptr,
                                               nullptr),
          "freeridge_classifier_get_convergence");
    return out;
  }
  Duality duality() const {
    Duality out;
    check(freeridge_classifier_get_convergence(get(), nullptr, nullptr, nullptr, &out.dual, &out.gap),
          "freeridge_classifier_get_convergence");
    out.primal = out.dual + out.gap;
    return out;
  }
  Vector distances(const Matrix& x) const {
    Vector out(static_cast<std::size_t>(x.rows));
    check(freeridge_classifier_distances(get(), at(x), out.data()), "freeridge_classifier_distances");
    return out;
  }
  Vector margins() const {
    Vector out(static_cast<std::size_t>(n_));
    check(freeridge_classifier_get_margins(get(), out.data(), nullptr, nullptr, nullptr),
          "freeridge_classifier_get_margins");
    return out;
  }
  Vector slacks() const {
    Vector out(static_cast<std::size_t>(n_));
    check(freeridge_classifier_get_margins(get(), nullptr, out.data(), nullptr, nullptr),
          "freeridge_classifier_get_margins");
    return out;
  }
  Support support() const {
    Support out{std::vector<std::int64_t>(static_cast<std::size_t>(n_)), 0};
    std::int64_t count = -1;
    check(freeridge_classifier_get_support(get(), &count, out.rows.data(), &out.margin),
          "freeridge_classifier_get_support");
    out.rows.resize(static_cast<std::size_t>(count));
    return out;
  }

 private:
  struct Destroy {
    void operator()(freeridge_classifier* classifier) const { freeridge_classifier_destroy(classifier); }
  };
  Vector predict(const Matrix& x, freeridge_layout layout, std::int64_t padding, bool decision) const {
    const Packed px = pack(x, layout, padding);
    Vector out(static_cast<std::size_t>(x.rows));
    check(freeridge_classifier_predict(get(), at(px, x.rows, x.cols), decision ? out.data() : nullptr,
                                       decision ? nullptr : out.data()),
          "freeridge_classifier_predict");
    return out;
  }
  std::unique_ptr<freeridge_classifier, Destroy> handle_;
  std::int64_t n_ = 0;
};

// Problem (3) of the header.
struct Problem {
  oracle::KernelSpec kernel;
  Matrix x;
  Vector y;
  Vector weights;  // empty: all one
  bool intercept = true;

  std::int64_t n() const { return x.rows; }
  double weight(std::int64_t i) const { return weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)]; }
  double label(std::int64_t i) const { return y[static_cast<std::size_t>(i)]; }
};

inline Classifier make_classifier(const Problem& problem, freeridge_loss loss,
                                  freeridge_layout layout = FREERIDGE_COL_MAJOR, std::int64_t padding = 0) {
  Classifier out(oracle::make_kernel(problem.kernel), loss);
  out.data(problem.x, problem.y, layout, padding).weights(problem.weights).intercept(problem.intercept);
  return out;
}

inline Problem without_row(const Problem& problem, std::int64_t left_out) {
  std::vector<std::int64_t> rows;
  Problem out = problem;
  out.y.clear();
  out.weights.clear();
  for (std::int64_t i = 0; i < problem.n(); ++i) {
    if (i == left_out) continue;
    rows.push_back(i);
    out.y.push_back(problem.label(i));
    out.weights.push_back(problem.weight(i));
  }
  out.x = select_rows(problem.x, rows);
  return out;
}

// Labels from a smooth boundary; `flips`: the share of labels that are turned.
inline Problem random_problem(std::uint64_t seed, const oracle::KernelSpec& kernel, std::int64_t n, std::int64_t d,
                              bool weighted, bool intercept, double flips = 0.15) {
  Random random(seed);
  Problem out{kernel, random.uniform_matrix(n, d, -1.0, 1.0), Vector(static_cast<std::size_t>(n)), {}, intercept};
  for (std::int64_t i = 0; i < n; ++i) {
    const double side = out.x(i, 0) + 0.6 * out.x(i, d - 1) * out.x(i, d - 1) - 0.15;
    out.y[static_cast<std::size_t>(i)] = (side > 0) != (random.uniform(0, 1) < flips) ? 1 : -1;
  }
  out.y[0] = 1;
  out.y[1] = -1;
  if (weighted) out.weights = random.uniform_vector(n, 0.4, 2.5);
  return out;
}

struct Setting {
  oracle::Family family;
  bool weighted, intercept;
};

inline std::vector<Setting> settings() {
  std::vector<Setting> out;
  for (const oracle::Family family :
       {oracle::Family::linear, oracle::Family::polynomial, oracle::Family::gaussian, oracle::Family::laplacian})
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true}) out.push_back({family, weighted, intercept});
  return out;
}

inline std::string text(const Setting& s) {
  return std::string(family_name(s.family)) + (s.weighted ? " weighted" : "") + (s.intercept ? " intercept" : "");
}

// f(x_i) + b of coefficients, in long double.
inline std::vector<Real> decision_values(const Problem& problem, const Vector& c, double b) {
  const Dense k = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
  std::vector<Real> out(c.size(), b);
  for (std::int64_t j = 0; j < problem.n(); ++j)
    for (std::int64_t i = 0; i < problem.n(); ++i)
      out[static_cast<std::size_t>(i)] += k(i, j) * c[static_cast<std::size_t>(j)];
  return out;
}

// The objective (3) of coefficients, in long double; loss(z) in Real.
template <class LossFunction>
Real objective(const Problem& problem, double lambda, const Vector& c, double b, LossFunction loss) {
  const std::vector<Real> f = decision_values(problem, c, b);
  Real total = 0;
  for (std::int64_t i = 0; i < problem.n(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    total += problem.weight(i) * loss(problem.label(i) * f[at]) + Real(lambda) / 2 * c[at] * (f[at] - b);
  }
  return total;
}

inline Real logistic_loss(Real z) {
  return std::max<Real>(0, -z) + std::log1p(std::exp(-std::abs(z)));
}
inline Real hinge_loss(Real z) {
  return std::max<Real>(0, 1 - z);
}

}  // namespace losses
