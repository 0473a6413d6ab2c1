// Gradients of criteria for linear kernels: against central differences of the library's own criteria on the PRIMAL route,
// which other tests hold to refits, and the gradients with every point a landmark, which come from K.
#include <gtest/gtest.h>

#include "core/gradient_checks.hpp"
#include "libcore/select/landmark_gradient.hpp"
#include "libcore/select/primal_gradient.hpp"
#include "support/quad_refit.hpp"
#include "support/sparse.hpp"

namespace primal_gradient_test {

using namespace gradient_checks;
using freeridge::Array;
using freeridge::primal_gradient;
using freeridge::Reduction;

Factorize by_features(Reduction reduction = Reduction::automatic) {
  return [=](freeridge::ProblemPtr problem) { return freeridge::factorize_primal(std::move(problem), reduction); };
}

freeridge::ScoreGradient gradient(const Data& data, const KernelPtr& kernel, const Factorize& factorize,
                                  Criterion criterion, double lambda) {
  const freeridge::Groups groups = data.groups();
  return primal_gradient(*factorize(data.problem(kernel)), *kernel, data.x.cols, criterion, &groups, lambda);
}

Array<double> scales(Index d, double step) {
  Array<double> out;
  for (Index k = 0; k < d; ++k) out.push_back(0.6 + step * static_cast<double>(k % 5));
  return out;
}

std::vector<KernelPtr> kernels(Index d) {
  using namespace freeridge;
  const KernelPtr one = scaled_kernel(linear_kernel(), scales(d, 0.3)),
                  other = scaled_kernel(linear_kernel(), scales(d, 0.7));
  return {linear_kernel(), one, scaled_kernel(one, scales(d, 0.2)),
          sum_kernel({one, linear_kernel(), scaled_kernel(other, scales(d, 0.1))}, Array<double>{0.5, 0.2, 1.1}),
          scaled_kernel(sum_kernel({product_kernel({one}), other}, Array<double>{0.7, 0.0}), scales(d, 0.4))};
}

void expect_right(const Data& data, const KernelPtr& kernel, const Factorize& factorize, Criterion criterion,
                  double lambda, double tolerance = 1e-7) {
  SCOPED_TRACE(::testing::Message() << "criterion " << static_cast<int>(criterion) << ", lambda " << lambda);
  const freeridge::ScoreGradient actual = gradient(data, kernel, factorize, criterion, lambda);
  const double value = score(data, kernel, factorize, criterion, lambda);
  EXPECT_NEAR(actual.score, value, 1e-10 * std::abs(value));
  const Vector expected = differences(data, kernel, factorize, criterion, lambda);
  EXPECT_LE(relative_error(all_of(actual), expected), tolerance);
}

// More rows than features and fewer, Q kept, and the features streamed.
TEST(PrimalGradient, CentralDifferences) {
  struct Shape {
    Index n, d;
    Reduction reduction;
  };
  Random random(91);
  for (const Shape shape : {Shape{40, 4, Reduction::automatic}, Shape{40, 4, Reduction::gram},
                            Shape{9, 14, Reduction::automatic}, Shape{12, 11, Reduction::automatic}})
    for (const Index t : {1, 3})
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true}) {
          const Data data = smooth_data(random, shape.n, shape.d, t, weighted, intercept);
          std::size_t number = 0;
          for (const KernelPtr& kernel : kernels(shape.d)) {
            SCOPED_TRACE(::testing::Message() << shape.n << " x " << shape.d << ", t = " << t << ", weighted "
                                              << weighted << ", intercept " << intercept << ", kernel " << ++number);
            for (const Criterion criterion : all_criteria)
              expect_right(data, kernel, by_features(shape.reduction), criterion, 0.7);
          }
        }
}

// The same criteria by K: with every row a landmark the derivatives go down the kernel's tree pair by pair.
TEST(PrimalGradient, AsByTheKernelMatrix) {
  Random random(92);
  for (const Index d : {3, 18})
    for (const Index t : {1, 3}) {
      const Data data = smooth_data(random, 14, d, t, true, true);
      std::vector<std::int64_t> rows;
      for (Index i = 0; i < 14; ++i) rows.push_back(i);
      const freeridge::Groups groups = data.groups();
      for (const KernelPtr& kernel : kernels(d))
        for (const Criterion criterion : all_criteria) {
          const Vector by_x = all_of(gradient(data, kernel, by_features(), criterion, 0.4));
          const auto with_landmarks =
              freeridge::factorize_landmark(data.problem(kernel), {14, rows}, Reduction::automatic);
          EXPECT_LE(
              relative_error(all_of(freeridge::landmark_gradient(*with_landmarks, criterion, &groups, 0.4)), by_x),
              1e-9);
        }
    }
}

// Several tiles of rows, large means, columns in other units, constant and equal columns.
TEST(PrimalGradient, ManyRowsAndHardColumns) {
  Random random(94);
  const Index n = 1400;
  Data data = smooth_data(random, n, 6, 2, true, true);
  for (Index i = 0; i < n; ++i) {
    data.x(i, 1) += 1e4;
    data.x(i, 2) = 3;
    data.x(i, 3) *= 1e5;
    data.x(i, 4) = data.x(i, 0);
  }
  const KernelPtr kernel = freeridge::scaled_kernel(freeridge::linear_kernel(), {1.0, 0.5, 2.0, 1e5, 0.7, 1.5});
  for (const Reduction reduction : {Reduction::automatic, Reduction::gram})
    for (const Criterion criterion : all_criteria) {
      expect_right(data, kernel, by_features(reduction), criterion, 20, 1e-6);
      EXPECT_NEAR(gradient(data, kernel, by_features(reduction), criterion, 20).kernel[2], 0, 1e-20);
    }
}

TEST(PrimalGradient, SparseRows) {
  Random random(95);
  for (const Index d : {7, 40}) {
    Data data = smooth_data(random, 35, d, 2, true, true);
    for (double& value : data.x.values) value = value < 0.3 ? 0 : value;
    const KernelPtr kernel = freeridge::scaled_kernel(freeridge::linear_kernel(), scales(d, 0.3));
    const freeridge::Groups groups = data.groups();
    for (const freeridge_sparse_format format : {FREERIDGE_CSR, FREERIDGE_CSC}) {
      const support::Sparse x(data.x, format);
      const freeridge::SparseView sparse{
          format == FREERIDGE_CSR ? freeridge::SparseFormat::csr : freeridge::SparseFormat::csc,
          x.rows,
          x.cols,
          x.start.data(),
          x.index.data(),
          x.value.data()};
      for (const Reduction reduction : {Reduction::automatic, Reduction::qr})
        for (const Criterion criterion : all_criteria) {
          const auto problem =
              std::make_shared<freeridge::Problem>(kernel, freeridge::Rows(sparse), view(data.y), data.weights, true);
          problem->known_sigma2 = data.sigma2;
          const auto f = freeridge::factorize_primal(problem, reduction);
          const freeridge::ScoreGradient actual = primal_gradient(*f, *kernel, d, criterion, &groups, 0.5),
                                         wanted = gradient(data, kernel, by_features(), criterion, 0.5);
          EXPECT_NEAR(actual.score, wanted.score, 1e-11 * std::abs(wanted.score));
          EXPECT_LE(relative_error(all_of(actual), all_of(wanted)), 1e-9);
        }
    }
  }
}

// A row that alone determines a direction has a leverage near one.
TEST(PrimalGradient, HighLeverage) {
  Random random(96);
  Data data = smooth_data(random, 50, 4, 1, false, true);
  data.x(7, 2) = 400;
  for (const Criterion criterion : {Criterion::loo, Criterion::groups})
    expect_right(data, freeridge::linear_kernel(), by_features(), criterion, 1e-2, 1e-6);
}

// GROUPS of one output in quadruple precision, sum_i w_i e_i^2 / sum_i w_i, and its central differences by log lambda and
// by the logarithm of each column's scale, with the error h^2.
Vector quad_differences(const Data& data, double lambda) {
  const support::Quad h = 1e-9;
  const Index d = data.x.cols;
  const auto score = [&](Index column, support::Quad factor, support::Quad of_lambda) {
    support::QuadProblem problem{support::to_quad(data.x), support::QuadMatrix(d, d), support::to_quad(data.y),
                                 data.weights, data.intercept};
    for (Index k = 0; k < d; ++k) problem.penalty(k, k) = 1;
    for (Index i = 0; i < data.x.rows && column >= 0; ++i) problem.a(i, column) /= factor;
    const support::QuadMatrix errors = support::quad_refit_errors(problem, data.labels, lambda * of_lambda);
    support::Quad sum = 0, weights = 0;
    for (Index i = 0; i < data.x.rows; ++i) {
      const double w = data.weights.empty() ? 1 : data.weights[static_cast<std::size_t>(i)];
      sum += w * errors(i, 0) * errors(i, 0), weights += w;
    }
    return sum / weights;
  };
  const support::Quad step = 2 * h - h * h;  // log((1 + h)^2), but for h^3
  Vector out{static_cast<double>((score(-1, 1, 1 + h) - score(-1, 1, 1 / (1 + h))) / step)};
  for (Index k = 0; k < d; ++k)
    out.push_back(static_cast<double>((score(k, 1 + h, 1) - score(k, 1 / (1 + h), 1)) / step));
  return out;
}

// Half of the rows go where there are hardly more rows than columns, and a row goes that is 10^6 times the others.
TEST(PrimalGradient, GroupsThatLeaveFewRowsOrHoldAllTheLeverage) {
  struct Case {
    Index n, d, folds;
    double lambda, row, mean;
    bool weighted, intercept;
  };
  for (const Case& c : {Case{20, 12, 2, 1e-4, 1, 0, false, true}, Case{20, 12, 2, 1e-8, 1, 0, true, true},
                        Case{20, 12, 2, 1e-6, 1, 0, false, false}, Case{40, 4, 5, 100, 1e6, 0, false, true},
                        Case{40, 4, 40, 100, 1e6, 0, true, false}, Case{30, 20, 2, 1e-2, 1, 66280, false, false}}) {
    SCOPED_TRACE(::testing::Message() << c.n << " x " << c.d << ", " << c.folds << " groups, lambda " << c.lambda);
    Random random(98);
    Data data = smooth_data(random, c.n, c.d, 1, c.weighted, c.intercept);
    data.gaps.clear();
    for (Index i = 0; i < c.n; ++i) {
      data.labels[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i % c.folds);
      for (Index k = 0; k < c.d; ++k) data.x(i, k) = c.mean + data.x(i, k) * (i == 3 ? c.row : 1);
    }
    const Vector expected = quad_differences(data, c.lambda);
    const KernelPtr kernel =
        freeridge::scaled_kernel(freeridge::linear_kernel(), Array<double>(static_cast<std::size_t>(c.d), 1.0));
    const freeridge::Groups groups = data.groups();
    const support::Sparse x(data.x, FREERIDGE_CSR);
    const freeridge::SparseView sparse{
        freeridge::SparseFormat::csr, x.rows, x.cols, x.start.data(), x.index.data(), x.value.data()};
    for (const bool is_sparse : {false, true}) {
      SCOPED_TRACE(is_sparse ? "sparse" : "dense");
      const auto f =
          freeridge::factorize_primal(std::make_shared<const freeridge::Problem>(
                                          kernel, is_sparse ? freeridge::Rows(sparse) : freeridge::Rows(view(data.x)),
                                          view(data.y), data.weights, data.intercept),
                                      Reduction::automatic);
      const freeridge::ScoreGradient actual = primal_gradient(*f, *kernel, c.d, Criterion::groups, &groups, c.lambda);
      EXPECT_LE(relative_error(all_of(actual), expected), 1e-9);
      EXPECT_NEAR(actual.log_lambda, expected[0], 1e-13 * actual.score + 1e-9 * std::abs(expected[0]));
    }
  }
}

// Columns far from zero, without an intercept, the last of ones as for a penalised one, and no fewer columns than rows.
TEST(PrimalGradient, AsManyColumnsAsRowsFarFromZero) {
  for (const Index d : {9, 12}) {
    Random random(99);
    Data data = smooth_data(random, 9, d, 2, false, false);
    for (Index k = 0; k < d; ++k)
      for (Index i = 0; i < 9; ++i) data.x(i, k) = k + 1 == d ? 1 : 15000 + data.x(i, k);
    data.labels = {0, 0, 1, 1, 2, 2, 3, 3, 3};
    const KernelPtr kernel =
        freeridge::scaled_kernel(freeridge::linear_kernel(), Array<double>(static_cast<std::size_t>(d), 1.0));
    for (const double lambda : {1e-2, 1.0})
      for (const Criterion criterion : all_criteria) expect_right(data, kernel, by_features(), criterion, lambda, 1e-6);
  }
}

template <class Call>
freeridge::Status status_of(const Call& call) {
  try {
    call();
  } catch (const freeridge::Error& error) {
    EXPECT_STRNE(error.what(), "");
    return error.status();
  }
  return freeridge::Status::ok;
}

TEST(PrimalGradient, WhatHasNoDerivatives) {
  Random random(97);
  Data data = smooth_data(random, 12, 3, 1, false, true);
  const KernelPtr kernel = freeridge::linear_kernel();
  const auto status = [&](Criterion criterion, double lambda) {
    return status_of([&] { gradient(data, kernel, by_features(), criterion, lambda); });
  };
  using freeridge::Status;
  EXPECT_EQ(status(Criterion::error_rate, 1), Status::invalid_argument);
  EXPECT_EQ(status(Criterion::reml, 0), Status::undefined);
  EXPECT_EQ(status(Criterion::loo, 0), Status::ok);
  EXPECT_TRUE(gradient(data, kernel, by_features(), Criterion::loo, 1).kernel.empty());
  for (Index i = 0; i < 12; ++i) data.x(i, 0) = i == 0 ? 1 : 0;  // without penalty the fit meets row 0
  EXPECT_EQ(status(Criterion::loo, 0), Status::undefined);
  data.labels.assign(12, 0);
  EXPECT_EQ(status(Criterion::groups, 1), Status::undefined);
}

}  // namespace primal_gradient_test
