// Gradients of criteria with landmarks: against central differences of the library's own criteria, which other tests hold
// to refits, and against the gradients by all pairs of points where every point is a landmark.
#include <gtest/gtest.h>

#include "core/gradient_checks.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/select/landmark_gradient.hpp"
#include "support/problems.hpp"

namespace landmark_gradient_test {

using namespace gradient_checks;
using freeridge::Array;
using freeridge::landmark_gradient;

Factorize by_landmarks(const std::vector<std::int64_t>& rows,
                       freeridge::Reduction reduction = freeridge::Reduction::automatic) {
  return [=](freeridge::ProblemPtr problem) {
    return freeridge::factorize_landmark(std::move(problem), {static_cast<Index>(rows.size()), rows}, reduction);
  };
}

std::vector<std::int64_t> some_rows(Random& random, Index n, Index count) {
  std::vector<std::int64_t> out = random.permutation(n);
  out.resize(static_cast<std::size_t>(count));
  return out;
}

freeridge::ScoreGradient gradient(const Data& data, const KernelPtr& kernel, const Factorize& factorize,
                                  Criterion criterion, double lambda) {
  const freeridge::Groups groups = data.groups();
  return landmark_gradient(*factorize(data.problem(kernel)), criterion, &groups, lambda);
}

std::vector<KernelPtr> kernels(Index d) {
  using namespace freeridge;
  Array<double> scale(d);
  for (Index k = 0; k < d; ++k) scale[k] = 0.7 + 0.3 * static_cast<double>(k);
  const KernelPtr gaussian = scaled_kernel(gaussian_kernel(1.1), scale),
                  matern = scaled_kernel(matern_kernel(2.5, 1.3), scale), cubic = polynomial_kernel(3, 0.4, 0.8);
  return {gaussian,
          matern,
          matern_kernel(1.5, 0.9),
          laplacian_kernel(1.4),
          cubic,
          linear_kernel(),
          sum_kernel({gaussian, scaled_kernel(linear_kernel(), scale), cubic}, Array<double>{0.8, 0.3, 0.1}),
          product_kernel({matern, polynomial_kernel(2, 0.3, 1.1)})};
}

// Against differences of the library's own criteria, and its own score.
void expect_right(const Data& data, const KernelPtr& kernel, const Factorize& factorize, Criterion criterion,
                  double lambda, double tolerance = 1e-7) {
  SCOPED_TRACE(::testing::Message() << "criterion " << static_cast<int>(criterion) << ", lambda " << lambda);
  const freeridge::ScoreGradient actual = gradient(data, kernel, factorize, criterion, lambda);
  const double value = score(data, kernel, factorize, criterion, lambda);
  EXPECT_NEAR(actual.score, value, 1e-10 * std::abs(value));
  EXPECT_LE(relative_error(all_of(actual), differences(data, kernel, factorize, criterion, lambda)), tolerance);
}

TEST(LandmarkGradient, CentralDifferences) {
  Random random(81);
  const Index n = 45, d = 3;
  for (const Index t : {1, 3})
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true}) {
        const Data data = smooth_data(random, n, d, t, weighted, intercept);
        const Factorize factorize = by_landmarks(some_rows(random, n, 9));
        std::size_t number = 0;
        for (const KernelPtr& kernel : kernels(d)) {
          SCOPED_TRACE(::testing::Message() << "t = " << t << ", weighted " << weighted << ", intercept " << intercept
                                            << ", kernel " << ++number);
          for (const Criterion criterion : all_criteria) expect_right(data, kernel, factorize, criterion, 0.3);
        }
      }
}

// As many features as rows, where P is made of pairs: also at a lambda far below the eigenvalues.
TEST(LandmarkGradient, EveryRowIsALandmark) {
  Random random(82);
  const Index n = 20, d = 2;
  for (const Index t : {1, 3})
    for (const bool intercept : {false, true})
      for (const double lambda : {1e-3, 0.1, 10.0}) {
        const Data data = smooth_data(random, n, d, t, true, intercept);
        const Factorize factorize = by_landmarks(some_rows(random, n, n));
        for (const Criterion criterion : all_criteria)
          expect_right(data, freeridge::matern_kernel(1.5, 0.4), factorize, criterion, lambda);
      }
}

// Columns away from zero, of which the last depends on the first and the intercept's ones.
Matrix effects_of(Random& random, const Matrix& x, Index q) {
  Matrix out(x.rows, q);
  for (Index i = 0; i < x.rows; ++i)
    for (Index j = 0; j < q; ++j)
      out(i, j) = j == 0 ? 2 + x(i, 0) * x(i, 0) : j == 3 ? 3 - 2 * out(i, 0) : 1 + random.normal();
  return out;
}

TEST(LandmarkGradient, FixedEffects) {
  Random random(91);
  const Index n = 45, d = 2;
  const KernelPtr kernel = freeridge::sum_kernel(
                      {freeridge::scaled_kernel(freeridge::gaussian_kernel(1.1), Array<double>{0.8, 1.2}),
                       freeridge::polynomial_kernel(2, 0.4, 0.8)},
                      Array<double>{0.8, 0.3}),
                  narrow = freeridge::matern_kernel(1.5, 0.4);
  for (const Index q : {1, 4})
    for (const Index t : {2})
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true})
          for (const Index landmarks : {9, 45}) {  // with a complement and without
            Data data = smooth_data(random, n, d, t, weighted, intercept);
            data.fixed = effects_of(random, data.x, q);
            SCOPED_TRACE(::testing::Message() << "q = " << q << ", t = " << t << ", weighted " << weighted
                                              << ", intercept " << intercept << ", landmarks " << landmarks);
            const auto rows = some_rows(random, n, landmarks);
            const auto reduction = weighted == intercept ? freeridge::Reduction::qr : freeridge::Reduction::gram;
            for (const Criterion criterion : all_criteria)
              expect_right(data, landmarks == n ? narrow : kernel, by_landmarks(rows, reduction), criterion, 0.3);
          }
}

// (c K, c lambda) has the same criteria: the derivatives by the log of a weight and by log lambda cancel.
TEST(LandmarkGradient, AFactorOfTheKernelIsOneOverLambda) {
  Random random(84);
  const Data data = smooth_data(random, 60, 2, 2, true, true);
  const KernelPtr kernel = freeridge::sum_kernel({freeridge::gaussian_kernel(0.8)}, {0.6});
  for (const Index landmarks : {12, 60})
    for (const Criterion criterion : all_criteria) {
      const freeridge::ScoreGradient actual =
          gradient(data, kernel, by_landmarks(some_rows(random, 60, landmarks)), criterion, 0.05);
      EXPECT_NEAR(actual.kernel[0], -actual.log_lambda, 1e-9 * std::abs(actual.log_lambda));
    }
}

// Several tiles of rows, several divisions, groups with more rows than landmarks and with fewer, single rows.
TEST(LandmarkGradient, ManyRowsAndDivisions) {
  Random random(85);
  const Index n = 1300;
  Data data = smooth_data(random, n, 2, 2, true, true);
  data.divisions = 3;
  data.labels.clear();
  for (Index i = 0; i < n; ++i) data.labels.push_back(static_cast<std::int32_t>(i % 4));
  for (Index i = 0; i < n; ++i) data.labels.push_back(static_cast<std::int32_t>(random.index(260)));
  for (Index i = 0; i < n; ++i) data.labels.push_back(i % 9 == 0 ? static_cast<std::int32_t>(i) : -1);
  const KernelPtr kernel = freeridge::scaled_kernel(freeridge::gaussian_kernel(0.9), {1.0, 0.8});
  const Factorize factorize = by_landmarks(some_rows(random, n, 20));
  for (const Criterion criterion : all_criteria) expect_right(data, kernel, factorize, criterion, 0.5);
}

// The sums of several workers, with fixed effects and without an intercept, are those of one.
TEST(LandmarkGradient, OneWorkerAndSeveral) {
  Random random(92);
  const Index n = 6000;
  for (const bool effects : {false, true}) {
    Data data = smooth_data(random, n, 2, 2, true, !effects);
    if (effects) data.fixed = effects_of(random, data.x, 2);
    const KernelPtr kernel = freeridge::scaled_kernel(freeridge::matern_kernel(1.5, 0.4), {1.0, 0.8});
    const Factorize factorize = by_landmarks(some_rows(random, n, 40));
    for (const Criterion criterion : all_criteria) {
      freeridge::set_thread_count(2);
      const freeridge::ScoreGradient several = gradient(data, kernel, factorize, criterion, 0.5);
      freeridge::set_thread_count(1);
      const freeridge::ScoreGradient one = gradient(data, kernel, factorize, criterion, 0.5);
      freeridge::set_thread_count(0);
      EXPECT_NEAR(several.score, one.score, 1e-12 * std::abs(one.score));
      EXPECT_LE(relative_error(all_of(several), all_of(one)), 1e-10);
    }
  }
}

// Groups of one row are leave-one-out.
TEST(LandmarkGradient, GroupsOfOneRow) {
  Random random(86);
  Data data = smooth_data(random, 40, 2, 3, true, true);
  data.gaps.clear();
  for (std::size_t i = 0; i < data.labels.size(); ++i) data.labels[i] = static_cast<std::int32_t>(i);
  const KernelPtr kernel = freeridge::matern_kernel(2.5, 0.8);
  for (const Index landmarks : {10, 40}) {
    const Factorize factorize = by_landmarks(some_rows(random, 40, landmarks));
    const Vector by_groups = all_of(gradient(data, kernel, factorize, Criterion::groups, 0.1));
    EXPECT_LE(relative_error(by_groups, all_of(gradient(data, kernel, factorize, Criterion::loo, 0.1))), 1e-10);
  }
}

// Duplicate rows among the landmarks (they depend on the others), a constant column, a kernel without parameters of its own
// columns, both reductions.
TEST(LandmarkGradient, DependentLandmarksAndConstantColumns) {
  Random random(87);
  const Index n = 50;
  Data data = smooth_data(random, n, 3, 1, false, true);
  for (Index k = 0; k < 3; ++k)
    for (Index i = 1; i < 5; ++i) data.x(i, k) = data.x(0, k);
  for (Index i = 0; i < n; ++i) data.x(i, 1) = 7;
  const KernelPtr kernel = freeridge::scaled_kernel(freeridge::gaussian_kernel(0.9), {1.0, 0.5, 2.0});
  for (const freeridge::Reduction reduction : {freeridge::Reduction::qr, freeridge::Reduction::gram})
    for (const Criterion criterion : all_criteria) {
      const Factorize factorize = by_landmarks({0, 1, 2, 3, 4, 9, 17, 30, 41}, reduction);
      expect_right(data, kernel, factorize, criterion, 0.1);
      EXPECT_EQ(gradient(data, kernel, factorize, criterion, 0.1).kernel[1], 0);
    }
}

// Landmarks at 0, where a kernel of products is zero: the fit is the intercept alone.
TEST(LandmarkGradient, LandmarksWithoutFeatures) {
  Random random(88);
  Data data = smooth_data(random, 20, 3, 1, false, true);
  for (const Index i : {2, 5, 11})
    for (Index k = 0; k < 3; ++k) data.x(i, k) = 0;
  const Factorize factorize = by_landmarks({2, 5, 11});
  for (const KernelPtr& kernel : {freeridge::linear_kernel(), freeridge::polynomial_kernel(2, 0.5, 0)})
    for (const Criterion criterion : all_criteria) {
      const freeridge::ScoreGradient actual = gradient(data, kernel, factorize, criterion, 0.1);
      const double value = score(data, kernel, factorize, criterion, 0.1);
      EXPECT_NEAR(actual.score, value, 1e-12 * std::abs(value));
      for (const double slope : actual.kernel) EXPECT_EQ(slope, 0);
    }
}

// Points of a narrow kernel that stand alone have leverages near one.
TEST(LandmarkGradient, HighLeverage) {
  Random random(88);
  const Index n = 60;
  Data data = smooth_data(random, n, 2, 1, false, true);
  for (Index i = 0; i < 3; ++i) data.x(i, 0) = 5 + 3 * static_cast<double>(i);
  for (const Criterion criterion : {Criterion::loo, Criterion::groups})
    expect_right(data, freeridge::gaussian_kernel(0.9), by_landmarks({0, 1, 2, 10, 20, 30, 40, 50}), criterion, 2e-5,
                 1e-6);
}

// Half of the rows go, and fewer stay than there are landmarks.
TEST(LandmarkGradient, GroupsThatLeaveFewRows) {
  Random random(90);
  for (const bool intercept : {false, true}) {
    Data data = smooth_data(random, 24, 2, 2, false, intercept);
    for (std::size_t i = 0; i < 24; ++i) data.labels[i] = static_cast<std::int32_t>(i % 2);
    for (const double lambda : {1e-4, 1e-6})
      expect_right(data, freeridge::matern_kernel(0.5, 0.4), by_landmarks(some_rows(random, 24, 14)), Criterion::groups,
                   lambda, 1e-6);
  }
}

TEST(LandmarkGradient, PrecomputedKernelsHaveLambdaAlone) {
  Random random(89);
  Data data = smooth_data(random, 30, 2, 2, true, true);
  const auto landmarks = some_rows(random, 30, 8);
  const KernelPtr gaussian = freeridge::gaussian_kernel(0.8);
  Data with_k = data;
  with_k.x = support::to_double(oracle::kernel_matrix(oracle::KernelSpec::gaussian(0.8), data.x, data.x));
  for (const Criterion criterion : all_criteria) {
    const freeridge::ScoreGradient of_k =
        gradient(with_k, freeridge::precomputed_kernel(), by_landmarks(landmarks), criterion, 0.3);
    const freeridge::ScoreGradient of_x = gradient(data, gaussian, by_landmarks(landmarks), criterion, 0.3);
    EXPECT_TRUE(of_k.kernel.empty());
    EXPECT_NEAR(of_k.log_lambda, of_x.log_lambda, 1e-9 * std::abs(of_x.log_lambda));
    EXPECT_NEAR(of_k.score, of_x.score, 1e-10 * std::abs(of_x.score));
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

TEST(LandmarkGradient, WhatHasNoDerivatives) {
  Random random(90);
  Data data = smooth_data(random, 12, 2, 1, false, true);
  const KernelPtr kernel = freeridge::gaussian_kernel(0.7);
  const auto status = [&](const std::vector<std::int64_t>& landmarks, Criterion criterion, double lambda) {
    return status_of([&] { gradient(data, kernel, by_landmarks(landmarks), criterion, lambda); });
  };
  using freeridge::Status;
  EXPECT_EQ(status({0, 1, 2}, Criterion::error_rate, 1), Status::invalid_argument);
  EXPECT_EQ(status({0, 1, 2}, Criterion::reml, 0), Status::undefined);
  EXPECT_EQ(status({0, 1, 2}, Criterion::loo, 0), Status::ok);
  data.labels.assign(12, 0);  // nothing stays
  EXPECT_EQ(status({0, 1, 2}, Criterion::groups, 1), Status::undefined);
  data.y = random.uniform_matrix(12, 1, -1e200, 1e200);
  EXPECT_NE(status({0, 1, 2}, Criterion::loo, 1), Status::ok);
}

}  // namespace landmark_gradient_test
