// What the tests of gradients share: problems for the core, and five-point central differences of a criterion in log lambda
// and in the logarithms of the kernel's hyperparameters,
//     (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / (12 h),   h = 1e-3:  relative error about h^4 / 30 and eps / h
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/routes/routes.hpp"
#include "libcore/select/bandwidth.hpp"
#include "libcore/select/criteria.hpp"
#include "libcore/select/score_gradient.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace gradient_checks {

using freeridge::Criterion;
using freeridge::Index;
using freeridge::KernelPtr;
using support::Labels;
using support::Matrix;
using support::Random;
using support::Vector;

constexpr Criterion all_criteria[] = {Criterion::loo, Criterion::gcv, Criterion::reml, Criterion::groups};

inline freeridge::LayoutView view(const Matrix& a) {
  return {a.values.data(), a.rows, a.cols, a.rows, freeridge::Layout::col_major};
}

struct Data {
  Matrix x, y;
  Vector weights;  // empty: all one
  bool intercept = true;
  Labels labels, gaps;  // for GROUPS, of all divisions; gaps: empty, or one layer
  std::int64_t divisions = 1;
  Matrix fixed;       // F, or without columns
  double sigma2 = 0;  // of the errors, where it is known

  freeridge::ProblemPtr problem(const KernelPtr& kernel) const {
    const auto out = std::make_shared<freeridge::Problem>(kernel, freeridge::Rows(view(x)), view(y), weights, intercept,
                                                          fixed.cols > 0 ? view(fixed) : freeridge::LayoutView{});
    out->known_sigma2 = sigma2;
    return out;
  }
  freeridge::Groups groups() const {
    const freeridge::Groups out(labels, divisions);
    return gaps.empty() ? out : out.with_gaps(gaps, 1);
  }
};

// A smooth function of the first columns with noise; a row in five is in no group, and with weights a row in three in the
// gap of one.
inline Data smooth_data(Random& random, Index n, Index d, Index t, bool weighted, bool intercept) {
  Data out;
  out.x = random.uniform_matrix(n, d, -1, 1);
  out.y = Matrix(n, t);
  for (Index j = 0; j < t; ++j)
    for (Index i = 0; i < n; ++i)
      out.y(i, j) = 2 + std::sin(2 * out.x(i, 0) + static_cast<double>(j)) + out.x(i, d - 1) + 0.3 * random.normal();
  if (weighted) out.weights = random.uniform_vector(n, 0.3, 3);
  if (weighted) out.sigma2 = 0.2;
  out.intercept = intercept;
  for (Index i = 0; i < n; ++i) {
    out.labels.push_back(i % 5 == 4 ? -1 : static_cast<std::int32_t>(random.index(4)));
    if (weighted) out.gaps.push_back(i % 3 == 2 ? static_cast<std::int32_t>(i / 3 % 4) : -1);
  }
  return out;
}

using Factorize = std::function<freeridge::FactorizationPtr(freeridge::ProblemPtr)>;

inline double score(const Data& data, const KernelPtr& kernel, const Factorize& factorize, Criterion criterion,
                    double lambda) {
  const freeridge::FactorizationPtr f = factorize(data.problem(kernel));
  const freeridge::Groups groups = data.groups();
  Vector values(static_cast<std::size_t>(data.y.cols));
  const std::string reason = freeridge::scores(*f, criterion, &groups, {lambda}, 0, {values.data(), 1, data.y.cols, 1});
  EXPECT_EQ(reason, "");
  return freeridge::combined_score(f->problem(), criterion, values);
}

// By log lambda, then by the logarithms.
inline Vector differences(const Data& data, const KernelPtr& kernel, const Factorize& factorize, Criterion criterion,
                          double lambda) {
  const auto numbers = freeridge::hyperparameters(*kernel);
  const auto slope = [&](const std::function<double(double)>& f) {
    const double h = 1e-3;
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  };
  Vector out;
  out.push_back(slope([&](double h) { return score(data, kernel, factorize, criterion, lambda * std::exp(h)); }));
  for (std::size_t k = 0; k < numbers.size(); ++k)
    out.push_back(slope([&](double h) {
      auto moved = numbers;
      moved[k] *= std::exp(h);
      return score(data, freeridge::with_hyperparameters(*kernel, moved), factorize, criterion, lambda);
    }));
  return out;
}

inline Vector all_of(const freeridge::ScoreGradient& gradient) {
  Vector out{gradient.log_lambda};
  out.insert(out.end(), gradient.kernel.begin(), gradient.kernel.end());
  return out;
}

// The largest difference over the largest of the expected.
inline double relative_error(const Vector& actual, const Vector& expected) {
  if (actual.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double size = 0, worst = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double here = std::abs(actual[k] - expected[k]);
    size = std::max(size, std::abs(expected[k]));
    worst = std::max(worst, std::isnan(here) ? std::numeric_limits<double>::infinity() : here);
  }
  return worst / size;
}

}  // namespace gradient_checks
