// The passes over tall data, which freeridge.h does not show by themselves: the QR by blocks of rows against modified
// Gram-Schmidt in long double, the landmark route's partly whitened Gram matrix against the QR of whitened features and
// by the kernel values it asks for, and one worker against several.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "libcore/data/choose_landmarks.hpp"
#include "libcore/linalg/row_qr.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/routes.hpp"
#include "libcore/select/point_criteria.hpp"
#include "support/compare.hpp"
#include "support/random.hpp"
#include "support/tall_oracle.hpp"

namespace tall_passes_test {

using freeridge::Index;
using freeridge::LayoutView;
using support::Matrix;
using support::Random;
using support::Vector;
using Real = long double;

// ---- the QR by blocks of rows ----

freeridge::Matrix copy(const Matrix& a) {
  freeridge::Matrix out(a.rows, a.cols);
  std::copy(a.values.begin(), a.values.end(), out.values().begin());
  return out;
}

// |R_kj - expected| <= bound |a_j|, but for the signs of the rows.
void expect_triangle(const Matrix& a, freeridge::ConstMatrixView r, double bound) {
  const support::Dense expected = oracle::triangle(a);
  for (Index j = 0; j < a.cols; ++j) {
    Real norm = 0;
    for (Index k = 0; k <= j; ++k) norm = std::hypot(norm, expected(k, j));
    for (Index k = 0; k < a.cols; ++k) {
      const Real sign = r(k, k) < 0 ? -1 : 1;
      const Real wanted = k <= j ? expected(k, j) : 0;
      EXPECT_LE(std::abs(sign * r(k, j) - wanted), bound * norm) << k << ", " << j;
    }
  }
}

TEST(RowQr, EveryShape) {
  Random random(900);
  for (const std::int64_t p : {1, 2, 7, 8, 9, 16, 40, 63, 64, 65, 131})
    for (const std::int64_t rows : {p, p + 5, std::int64_t{512}, std::int64_t{513}, std::int64_t{1100}}) {
      SCOPED_TRACE(::testing::Message() << rows << " x " << p);
      // Well conditioned, so that R itself is determined: the identity above small numbers.
      Matrix a = random.uniform_matrix(rows, p, -0.1, 0.1);
      for (std::int64_t j = 0; j < p; ++j) {
        a(j, j) += 3;
        for (std::int64_t i = 0; i < rows; ++i) a(i, j) *= std::exp2(static_cast<double>((7 * j) % 60) - 30);
      }
      freeridge::RowQr whole(p), pieces(p);
      freeridge::Matrix work = copy(a);
      whole.absorb(work.view());
      expect_triangle(a, whole.r(), 1e-14);
      const freeridge::Matrix rows_of_a = copy(a);
      for (Index row = 0; row < rows; row += 100)
        pieces.add(rows_of_a.view().row_range(row, std::min<Index>(100, rows - row)));
      expect_triangle(a, pieces.r(), 1e-14);
    }
}

// What the square of the condition would lose: a column that differs from another by 1e-10 of its size.
TEST(RowQr, NearlyDependentColumns) {
  Random random(901);
  Matrix a = random.uniform_matrix(700, 12, -1, 1);
  for (std::int64_t i = 0; i < a.rows; ++i) a(i, 9) = a(i, 2) + 1e-10 * a(i, 9);
  freeridge::RowQr qr(12);
  qr.add(copy(a).view());
  EXPECT_NEAR(std::abs(qr.r()(9, 9)) / static_cast<double>(oracle::triangle(a)(9, 9)), 1, 1e-5);
}

// Columns whose squares over- or underflow, beside others.
TEST(RowQr, HugeAndTinyColumns) {
  Random random(902);
  Matrix a = random.uniform_matrix(600, 10, -0.1, 0.1);
  const std::vector<double> scale = {1, 1e-200, 1e200, 1e-300, 1e-160, 1, 1e160, 1e300, 1e-150, 1e150};
  for (std::int64_t j = 0; j < 10; ++j) {
    a(j, j) += 3;
    for (std::int64_t i = 0; i < a.rows; ++i) a(i, j) *= scale[static_cast<std::size_t>(j)];
  }
  freeridge::RowQr qr(10);
  qr.add(copy(a).view());
  expect_triangle(a, qr.r(), 1e-14);
}

TEST(RowQr, ColumnsOfZeros) {
  Random random(903);
  Matrix a = random.uniform_matrix(600, 20, -0.1, 0.1), packed(600, 18);
  for (std::int64_t j = 0, to = 0; j < 20; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) a(i, j) = j == 4 || j == 17 ? 0 : a(i, j) + (i == j ? 3 : 0);
    if (j == 4 || j == 17) continue;
    for (std::int64_t i = 0; i < a.rows; ++i) packed(i, to) = a(i, j);
    ++to;
  }
  freeridge::RowQr qr(20), without(18);
  qr.add(copy(a).view());
  without.add(copy(packed).view());
  expect_triangle(packed, without.r(), 1e-14);
  for (Index k = 0; k < 20; ++k) EXPECT_EQ(qr.r()(k, 4), 0);
  // R'R = A'A, zeros included
  for (Index j = 0; j < 20; ++j)
    for (Index l = 0; l <= j; ++l) {
      Real sum = 0, expected = 0;
      for (Index k = 0; k <= l; ++k) sum += static_cast<Real>(qr.r()(k, j)) * qr.r()(k, l);
      for (Index i = 0; i < 600; ++i) expected += static_cast<Real>(a(i, j)) * a(i, l);
      EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(expected), 1e-13);
    }
}

// ---- whole routes ----

struct Tall {
  Matrix x, y;
  Vector weights;

  freeridge::ProblemPtr problem(const freeridge::KernelPtr& kernel, bool intercept = true) const {
    const LayoutView x_view{x.values.data(), x.rows, x.cols, x.rows, freeridge::Layout::col_major};
    const LayoutView y_view{y.values.data(), y.rows, y.cols, y.rows, freeridge::Layout::col_major};
    return std::make_shared<const freeridge::Problem>(kernel, x_view, y_view, weights, intercept);
  }
};

Tall tall(Random& random, std::int64_t n, std::int64_t d) {
  Tall out{random.uniform_matrix(n, d, -1, 1), Matrix(n, 2), random.uniform_vector(n, 0.5, 2)};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < 2; ++j)
      out.y(i, j) = std::sin(3 * out.x(i, j)) + out.x(i, d - 1) + 0.1 * random.normal();
  return out;
}

const Vector lambdas = {1e-3, 0.03, 1, 30, 1e3};

Matrix scores(const freeridge::Factorization& factorization) {
  Matrix out(static_cast<std::int64_t>(lambdas.size()), 2);
  const std::string reason =
      freeridge::loo_scores(factorization, lambdas, 0, {out.values.data(), out.rows, out.cols, out.rows}, {});
  EXPECT_EQ(reason, "");
  return out;
}

TEST(TallRoutes, OneWorkerAndSeveral) {
  Random random(910);
  const Tall data = tall(random, 60000, 40), points = tall(random, 9000, 3);
  freeridge::Landmarks landmarks;
  for (Index i = 0; i < 60; ++i) landmarks.rows.push_back(100 * i);
  landmarks.count = 60;
  using freeridge::Reduction;
  for (const Reduction reduction : {Reduction::qr, Reduction::gram})
    for (const bool landmark : {false, true}) {
      const auto run = [&] {
        return scores(landmark ? *freeridge::factorize_landmark(points.problem(freeridge::gaussian_kernel(1.0)),
                                                                landmarks, reduction)
                               : *freeridge::factorize_primal(data.problem(freeridge::linear_kernel()), reduction));
      };
      freeridge::set_thread_count(2);
      const Matrix several = run();
      EXPECT_EQ(several.values, run().values);
      freeridge::set_thread_count(1);
      const Matrix one = run();
      EXPECT_EQ(one.values, run().values);
      freeridge::set_thread_count(0);
      EXPECT_CLOSE(several, one, 1e-13);
    }
}

// Counts the kernel values that are asked for.
class Counting final : public freeridge::Kernel {
 public:
  explicit Counting(freeridge::KernelPtr inner) : inner_(std::move(inner)) {}
  void evaluate(freeridge::ConstMatrixView a, freeridge::ConstMatrixView b, freeridge::MatrixView out) const override {
    count_ += a.rows * b.rows;
    inner_->evaluate(a, b, out);
  }
  void slopes(freeridge::ConstMatrixView a, freeridge::ConstMatrixView b, const freeridge::SlopeFactor& factor,
              const freeridge::TakeSlope& take) const override {
    inner_->slopes(a, b, factor, take);
  }
  freeridge::DoubleDouble twofold(freeridge::Span<const freeridge::DoubleDouble> x,
                                  freeridge::Span<const freeridge::DoubleDouble> z) const override {
    return inner_->twofold(x, z);
  }
  void along(freeridge::ConstMatrixView a, freeridge::ConstMatrixView b, freeridge::Index k,
             const freeridge::AlongColumn& out) const override {
    inner_->along(a, b, k, out);
  }
  void add_log_gradient(freeridge::ConstMatrixView a, freeridge::ConstMatrixView b, freeridge::MatrixView s,
                        const freeridge::LogGradient& to) const override {
    inner_->add_log_gradient(a, b, s, to);
  }
  freeridge::KernelPtr rebuilt(freeridge::Span<const double> numbers,
                               freeridge::Array<freeridge::KernelPtr> parts) const override {
    return inner_->rebuilt(numbers, std::move(parts));
  }
  const char* name() const override { return inner_->name(); }
  void describe(freeridge::KernelText& out) const override { inner_->describe(out); }
  std::int64_t count() const { return count_; }

 private:
  freeridge::KernelPtr inner_;
  mutable std::atomic<std::int64_t> count_{0};
};

struct Counted {
  Matrix scores;
  double passes;  // kernel values of factorize, in n r
};

Counted landmark_run(const Tall& data, double sigma, const freeridge::Landmarks& landmarks,
                     freeridge::Reduction reduction, bool intercept) {
  const auto kernel = std::make_shared<const Counting>(freeridge::gaussian_kernel(sigma));
  const auto factorization = freeridge::factorize_landmark(data.problem(kernel, intercept), landmarks, reduction);
  const auto all = static_cast<double>(data.x.rows * landmarks.count);
  const double passes = static_cast<double>(kernel->count()) / all;
  return {scores(*factorization), passes};
}

// 300 landmarks: well conditioned (nothing need be whitened), and less and less.
TEST(PartialWhitening, AgainstQr) {
  Random random(911);
  const Tall data = tall(random, 3000, 3);
  freeridge::Landmarks landmarks;
  for (Index i = 0; i < 300; ++i) landmarks.rows.push_back(10 * i + 3);
  landmarks.count = 300;
  for (const bool intercept : {true, false})
    for (const double sigma : {0.05, 0.3, 0.6, 1.0, 2.0}) {
      SCOPED_TRACE(::testing::Message() << "sigma = " << sigma);
      const Counted gram = landmark_run(data, sigma, landmarks, freeridge::Reduction::gram, intercept);
      const Counted qr = landmark_run(data, sigma, landmarks, freeridge::Reduction::qr, intercept);
      EXPECT_CLOSE(gram.scores, qr.scores, 1e-10);
      EXPECT_LT(gram.passes, 1.3);
    }
}

// The sample that decides how much is whitened sees points far from all landmarks; the others show that it was too
// little.
TEST(PartialWhitening, IsCheckedOnAllRows) {
  Random random(912);
  Tall data = tall(random, 256 * 24, 3);
  for (std::int64_t i = 0; i < data.x.rows; i += 24)
    for (std::int64_t k = 0; k < 3; ++k) data.x(i, k) = 1000;  // where the kernel is zero
  freeridge::Landmarks landmarks;
  for (Index i = 0; i < 300; ++i) landmarks.rows.push_back(20 * i + (20 * i % 24 == 0 ? 1 : 0));
  landmarks.count = 300;
  const Counted gram = landmark_run(data, 0.8, landmarks, freeridge::Reduction::gram, true);
  const Counted qr = landmark_run(data, 0.8, landmarks, freeridge::Reduction::qr, true);
  EXPECT_CLOSE(gram.scores, qr.scores, 1e-10);
  EXPECT_LT(qr.passes, 1.3);
  EXPECT_GT(gram.passes, 2.0);
}

// ---- candidates for landmarks ----

// More rows than the pivoted choice takes as candidates, and all but one in 200 of them the same point, of which one
// landmark is enough.
TEST(TallLandmarks, AreChosenAmongRandomRows) {
  constexpr Index count = 16, step = 200;
  const Index n = freeridge::pivoted_candidates(count) + 100000;
  std::vector<double> x(static_cast<std::size_t>(n), 0.0);
  for (Index i = 0; i < n; i += step) x[static_cast<std::size_t>(i)] = 10.0 * static_cast<double>(1 + i / step);
  const freeridge::KernelPtr kernel = freeridge::gaussian_kernel(1.0);
  const LayoutView view{x.data(), n, 1, n, freeridge::Layout::col_major};
  const freeridge::Landmarks wanted{count, {}, freeridge::LandmarkMethod::pivoted, 5};
  std::vector<Index> rows = freeridge::choose_landmarks(*kernel, view, wanted);
  EXPECT_EQ(std::ssize(rows), count);
  EXPECT_LE(std::ranges::count_if(rows, [&](Index row) { return x[static_cast<std::size_t>(row)] == 0; }), 1);
  std::ranges::sort(rows);
  EXPECT_TRUE(std::ranges::adjacent_find(rows) == rows.end());
  EXPECT_GE(rows.front(), 0);
  EXPECT_LT(rows.back(), n);
}

}  // namespace tall_passes_test
