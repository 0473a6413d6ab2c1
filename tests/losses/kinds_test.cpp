// The table of a classifier's calls and kinds of points: dense points in either layout, sparse ones by rows and by columns,
// and a reader's give the same answers.
#include <gtest/gtest.h>

#include <algorithm>

#include "losses/classifier.hpp"
#include "support/sparse.hpp"

namespace classifier_kinds_test {

using namespace losses;

constexpr std::int64_t n = 30, m = 800, d = 90;  // a reader gives fewer points than that in a stretch

std::int64_t read_points(std::int64_t first, std::int64_t count, double* x, double* y, double* weights, void* user) {
  const Matrix& all = *static_cast<const Matrix*>(user);
  EXPECT_TRUE(y == nullptr && weights == nullptr);
  const std::int64_t got = std::min(count, all.rows - first);
  for (std::int64_t i = 0; i < got; ++i)
    for (std::int64_t k = 0; k < d; ++k) x[i * d + k] = all(first + i, k);
  return got;
}

Matrix with_zeros(Random& random, std::int64_t rows) {
  Matrix out = random.uniform_matrix(rows, d, -1, 1);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t k = 0; k < d; ++k)
      if ((3 * i + k) % 4 == 0) out(i, k) = 0;
  return out;
}

struct Answers {
  Vector decision = Vector(m, -7), probability = decision, distance = decision;
};
Answers answers_of(const Classifier& c, const Points& points) {
  Answers out;
  check(freeridge_classifier_predict(c.get(), points, out.decision.data(), out.probability.data()),
        "freeridge_classifier_predict");
  check(freeridge_classifier_distances(c.get(), points, out.distance.data()), "freeridge_classifier_distances");
  return out;
}
void expect_same(const Answers& found, const Answers& expected, double tolerance) {
  EXPECT_CLOSE(found.decision, expected.decision, tolerance);
  EXPECT_CLOSE(found.probability, expected.probability, tolerance);
  EXPECT_CLOSE(found.distance, expected.distance, tolerance);
}

TEST(ClassifierKinds, AllKindsOfPointsHaveTheSameAnswers) {
  Random random(5);
  const Matrix x = with_zeros(random, n);
  Matrix new_x = with_zeros(random, m);
  Vector y(n);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = i % 3 == 0 ? -1 : 1;
  for (const bool linear : {false, true}) {
    SCOPED_TRACE(linear ? "linear" : "gaussian");
    const auto fitted = [&](const Points& points) {
      Classifier out(linear ? Kernel::linear() : Kernel::gaussian(6.0), FREERIDGE_LOSS_LOGISTIC);
      check(freeridge_classifier_set_data(out.get(), points, y.data()), "freeridge_classifier_set_data");
      out.fit(0.5);
      return out;
    };
    const Classifier plain = fitted(at(x));
    const Answers expected = answers_of(plain, at(new_x));
    for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
      const freeridge_sparse_format format = layout == FREERIDGE_ROW_MAJOR ? FREERIDGE_CSR : FREERIDGE_CSC;
      const Packed dense = pack(x, layout, 2), new_dense = pack(new_x, layout, 2);
      const Sparse thin(x, format), new_thin(new_x, format);
      for (const Points& points : {at(dense, n, d), at(thin)}) {
        SCOPED_TRACE(points.fields.format);
        expect_same(answers_of(fitted(points), at(new_x)), expected, 0);
      }
      for (const Points& points : {at(new_dense, m, d), at(new_thin)}) {
        SCOPED_TRACE(points.fields.format);
        expect_same(answers_of(plain, points), expected, 1e-13);
      }
    }
    expect_same(answers_of(plain, at(FREERIDGE_ROW_MAJOR, m, d, read_points, &new_x)), expected, 1e-13);
  }
}

TEST(ClassifierKinds, WhatIsRefused) {
  Random random(6);
  Matrix x = with_zeros(random, n);
  const Vector y(n, 1.0), fixed(n, 1.0);
  Classifier c(Kernel::linear(), FREERIDGE_LOSS_HINGE);
  EXPECT_EQ(freeridge_classifier_set_data(c.get(), at(FREERIDGE_ROW_MAJOR, n, d, read_points, &x), y.data()),
            FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_classifier_set_data(c.get(), with(at(x), 1, fixed.data()), y.data()), FREERIDGE_INVALID_ARGUMENT);
  Vector labels = y, out(n, -7);
  labels[0] = -1;
  c.data(x, labels).fit(1);
  EXPECT_EQ(
      freeridge_classifier_predict(c.get(), at(FREERIDGE_COL_MAJOR, n, d - 1, x.values.data()), out.data(), nullptr),
      FREERIDGE_DIMENSION_MISMATCH);
  EXPECT_EQ(freeridge_classifier_predict(c.get(), with(at(x), 1, fixed.data()), out.data(), nullptr),
            FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_classifier_distances(c.get(), at(FREERIDGE_ROW_MAJOR, -1, d, read_points, &x), out.data()),
            FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(out, Vector(n, -7));
}

}  // namespace classifier_kinds_test
