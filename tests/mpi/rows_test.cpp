// Rows in shards against one accumulator with all rows: uneven shards, ranks without rows, and what is refused.
#include <algorithm>
#include <cmath>

#include "mpi/ranks.hpp"
#include "support/compare.hpp"
#include "support/model.hpp"
#include "support/random.hpp"

namespace {

using support::Kernel;
using support::Matrix;
using support::Vector;

constexpr double accuracy_of_rows = 1e-12;

class MpiRows : public ranks::Together {
 protected:
  static constexpr int64_t n = 200, d = 4, t = 2;
  MpiRows()
      : x(support::Random(1).uniform_matrix(n, d, -1, 3)),
        y(n, t),
        weights(support::Random(2).uniform_vector(n, 0.2, 2)) {
    support::Random random(3);
    for (int64_t j = 0; j < t; ++j)
      for (int64_t i = 0; i < n; ++i) y(i, j) = 100 + x(i, 0) - 2 * x(i, 1 + j) + random.normal();
    // Uneven shards; with four ranks the third has no rows.
    const int64_t ends[] = {0, 17, 90, 90, n};
    first = ranks::count() == 4 ? ends[ranks::rank()] : ranks::rank() * 63;
    last = ranks::count() == 4 ? ends[ranks::rank() + 1] : ranks::rank() + 1 == ranks::count() ? n : 63;
  }
  ~MpiRows() override {
    for (freeridge_accumulator* each : {own, all, reduced}) freeridge_accumulator_destroy(each);
  }
  void add(freeridge_accumulator* to, int64_t from, int64_t end) const {
    if (end == from) return;
    ASSERT_EQ(freeridge_accumulator_add(to, FREERIDGE_COL_MAJOR, end - from, &x.values[std::size_t(from)], n,
                                        &y.values[std::size_t(from)], n, &weights[std::size_t(from)]),
              FREERIDGE_OK);
  }
  void SetUp() override {
    ASSERT_EQ(freeridge_accumulator_create(d, t, 1, &own), FREERIDGE_OK);
    ASSERT_EQ(freeridge_accumulator_create(d, t, 1, &all), FREERIDGE_OK);
    add(own, first, last);
    add(all, 0, n);
  }
  freeridge_status select(freeridge_criterion criterion, Vector& lambda, Vector& score, int64_t rows = -1) const {
    return freeridge_mpi_accumulator_select_lambda(
        reduced, MPI_COMM_WORLD, criterion, 0, 0, FREERIDGE_COL_MAJOR, rows < 0 ? last - first : rows,
        &x.values[std::size_t(std::min(first, n - 1))], n, &y.values[std::size_t(std::min(first, n - 1))], n,
        &weights[std::size_t(std::min(first, n - 1))], lambda.data(), score.data());
  }

  Matrix x, y;
  Vector weights;
  int64_t first, last;
  freeridge_accumulator *own = nullptr, *all = nullptr, *reduced = nullptr;
};

TEST_F(MpiRows, AnswersOfOneAccumulator) {
  EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_WORLD, &reduced), FREERIDGE_OK);
  const Vector lambdas{0, 1e-3, 1, 100};
  int64_t rows = 0;
  double sum_w = 0, expected_sum_w = 0;
  ASSERT_EQ(freeridge_accumulator_get_dimensions(reduced, &rows, nullptr, nullptr, &sum_w), FREERIDGE_OK);
  ASSERT_EQ(freeridge_accumulator_get_dimensions(all, nullptr, nullptr, nullptr, &expected_sum_w), FREERIDGE_OK);
  EXPECT_EQ(rows, n);
  EXPECT_NEAR(sum_w, expected_sum_w, 1e-13 * sum_w);
  const auto answers = [&](const freeridge_accumulator* of) {
    Matrix w(d + 1, 4 * t), scores(3, 2 * t), out(d + 5, 4 * t);
    EXPECT_EQ(freeridge_accumulator_solve(of, 4, lambdas.data(), w.values.data(), d + 1, &out(0, 0)), FREERIDGE_OK);
    for (int64_t c = 0; c < 2; ++c)
      EXPECT_EQ(freeridge_accumulator_score(of, c == 0 ? FREERIDGE_GCV : FREERIDGE_REML, 3, &lambdas[1],
                                            &scores(0, c * t), 3),
                FREERIDGE_OK);
    Matrix b(1, 4 * t);
    for (int64_t k = 0; k < 4 * t; ++k) b(0, k) = out.values[std::size_t(k)];
    return std::vector<Matrix>{w, b, scores};
  };
  const std::vector<Matrix> found = answers(reduced), expected = answers(all);
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_PRED_FORMAT3(support::close_to, found[k], expected[k], accuracy_of_rows);
  Vector bits = found[0].values;
  MPI_Bcast(bits.data(), static_cast<int>(bits.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  EXPECT_TRUE(support::bit_equal(found[0].values, bits));
}

TEST_F(MpiRows, LambdaIsThatOfAModelWithAllRows) {
  EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_WORLD, &reduced), FREERIDGE_OK);
  support::Model model(Kernel::linear());
  model.data(x, y).weights(weights).factorize();
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML}) {
    SCOPED_TRACE(criterion);
    Vector lambda(t), score(t), expected(t), expected_score(t);
    EXPECT_STATUS(select(criterion, lambda, score), FREERIDGE_OK);
    ASSERT_EQ(freeridge_select_lambda(model.get(), criterion, 0, 0, expected.data(), expected_score.data()),
              FREERIDGE_OK);
    EXPECT_PRED_FORMAT3(support::close_to, score, expected_score, accuracy_of_rows);
    EXPECT_PRED_FORMAT3(support::close_to, lambda, expected, 1e-4);
  }
}

TEST_F(MpiRows, WhatIsWrongOnOneRankIsKnownToAll) {
  const bool faulty = ranks::rank() == ranks::count() - 1;
  const std::string name = "rank " + std::to_string(ranks::count() - 1) + ": ";
  freeridge_accumulator *other = nullptr, *empty = nullptr;
  ASSERT_EQ(freeridge_accumulator_create(d + 1, t, 1, &other), FREERIDGE_OK);
  ASSERT_EQ(freeridge_accumulator_create(d, t, 1, &empty), FREERIDGE_OK);
  if (ranks::count() > 1) {
    EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(faulty ? other : own, MPI_COMM_WORLD, &reduced),
                  FREERIDGE_DIMENSION_MISMATCH, "differ");
  }
  EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(empty, MPI_COMM_WORLD, &reduced), FREERIDGE_INVALID_STATE,
                "no rank has rows");
  EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(faulty ? nullptr : own, MPI_COMM_WORLD, &reduced),
                FREERIDGE_INVALID_ARGUMENT,
                (name + "freeridge_accumulator_get_dimensions: accumulator is NULL").c_str());
  EXPECT_EQ(reduced, nullptr);
  EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_WORLD, &reduced), FREERIDGE_OK);
  Vector lambda(t), score(t);
  const double before = x(n - 1, 1);
  if (faulty) x(n - 1, 1) = std::nan("");
  EXPECT_STATUS(select(FREERIDGE_LOO, lambda, score), FREERIDGE_NOT_FINITE, (name + "x[").c_str());
  x(n - 1, 1) = before;
  EXPECT_STATUS(select(FREERIDGE_LOO, lambda, score, faulty ? 1 : last - first), FREERIDGE_DIMENSION_MISMATCH, "rows");
  EXPECT_STATUS(select(FREERIDGE_GROUPS, lambda, score), FREERIDGE_INVALID_ARGUMENT, "criterion is 4");
  EXPECT_EQ(lambda, Vector(t));
  EXPECT_EQ(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_NULL, &reduced), FREERIDGE_INVALID_ARGUMENT);
  freeridge_accumulator_destroy(other);
  freeridge_accumulator_destroy(empty);
}

int32_t cancel(double, void*) {
  return 1;
}

TEST_F(MpiRows, OneRankCancels) {
  EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_WORLD, &reduced), FREERIDGE_OK);
  const bool cancels = ranks::rank() == ranks::count() - 1;
  Vector lambda(t), score(t);
  ASSERT_EQ(freeridge_accumulator_set_progress(reduced, cancels ? cancel : nullptr, nullptr), FREERIDGE_OK);
  EXPECT_STATUS(select(FREERIDGE_LOO, lambda, score), FREERIDGE_CANCELLED);
  ASSERT_EQ(freeridge_accumulator_set_progress(reduced, nullptr, nullptr), FREERIDGE_OK);
  EXPECT_EQ(lambda, Vector(t));
  EXPECT_STATUS(select(FREERIDGE_LOO, lambda, score), FREERIDGE_OK);
}

// The landmarks do not depend on how the rows are divided: those of a communicator of one rank with all rows.
TEST_F(MpiRows, LandmarksOfAnyDivision) {
  const Kernel kernel = Kernel::gaussian(2);
  for (const freeridge_landmark_method method : {1, 2, 3})
    for (const int64_t sample : {40, 1000}) {
      Matrix z(25, d), expected(25, d);
      int64_t found = 0, expected_found = 0;
      EXPECT_STATUS(freeridge_mpi_choose_landmarks(kernel.get(), MPI_COMM_WORLD, FREERIDGE_COL_MAJOR, last - first, d,
                                                   first == last ? nullptr : &x.values[std::size_t(first)], n, sample,
                                                   method, 7, 25, z.values.data(), 25, &found),
                    FREERIDGE_OK);
      EXPECT_EQ(freeridge_mpi_choose_landmarks(kernel.get(), MPI_COMM_SELF, FREERIDGE_COL_MAJOR, n, d, x.values.data(),
                                               n, sample, method, 7, 25, expected.values.data(), 25, &expected_found),
                FREERIDGE_OK);
      EXPECT_EQ(found, 25);
      EXPECT_EQ(expected_found, 25);
      EXPECT_TRUE(support::bit_equal(z, expected));
      for (int64_t i = 0; i < 25; ++i) {  // each is a row
        int64_t row = 0;
        while (row < n && x(row, 0) != z(i, 0)) ++row;
        ASSERT_LT(row, n);
        for (int64_t k = 0; k < d; ++k) EXPECT_EQ(z(i, k), x(row, k));
      }
    }
}

// phi = L^-1 k(z, x), k(z, z) = L L': rows [from, end) of x as features, from which the linear problem is that of the
// landmarks z.
Matrix features(const Kernel& kernel, const Matrix& z, const Matrix& x, int64_t from, int64_t end) {
  const int64_t r = z.rows, m = end - from;
  Matrix l(r, r), phi(m, r);
  EXPECT_EQ(freeridge_kernel_evaluate(kernel.get(), FREERIDGE_COL_MAJOR, r, r, z.cols, z.values.data(), r,
                                      z.values.data(), r, l.values.data(), r),
            FREERIDGE_OK);
  if (m == 0) return phi;
  EXPECT_EQ(freeridge_kernel_evaluate(kernel.get(), FREERIDGE_COL_MAJOR, m, r, z.cols, &x.values[std::size_t(from)],
                                      x.rows, z.values.data(), r, phi.values.data(), m),
            FREERIDGE_OK);
  for (int64_t j = 0; j < r; ++j) {
    for (int64_t k = 0; k < j; ++k) {
      for (int64_t i = j; i < r; ++i) l(i, j) -= l(i, k) * l(j, k);
      for (int64_t i = 0; i < m; ++i) phi(i, j) -= phi(i, k) * l(j, k);
    }
    const double root = std::sqrt(l(j, j));
    for (int64_t i = j; i < r; ++i) l(i, j) /= root;
    for (int64_t i = 0; i < m; ++i) phi(i, j) /= root;
  }
  return phi;
}

TEST_F(MpiRows, LandmarksInShardsAreThoseOfOneModel) {
  constexpr int64_t r = 20;
  const Kernel kernel = Kernel::matern(0.5, 2);
  Matrix z(r, d);
  int64_t found = 0;
  EXPECT_STATUS(freeridge_mpi_choose_landmarks(kernel.get(), MPI_COMM_WORLD, FREERIDGE_COL_MAJOR, last - first, d,
                                               first == last ? nullptr : &x.values[std::size_t(first)], n, 100,
                                               FREERIDGE_LANDMARKS_PIVOTED, 1, r, z.values.data(), r, &found),
                FREERIDGE_OK);
  ASSERT_EQ(found, r);
  freeridge_accumulator *part = nullptr, *whole = nullptr, *sum = nullptr;
  ASSERT_EQ(freeridge_accumulator_create(r, t, 1, &part), FREERIDGE_OK);
  ASSERT_EQ(freeridge_accumulator_create(r, t, 1, &whole), FREERIDGE_OK);
  const Matrix own_phi = features(kernel, z, x, first, last), phi = features(kernel, z, x, 0, n);
  if (last > first) {
    ASSERT_EQ(freeridge_accumulator_add(part, FREERIDGE_COL_MAJOR, last - first, own_phi.values.data(), last - first,
                                        &y.values[std::size_t(first)], n, &weights[std::size_t(first)]),
              FREERIDGE_OK);
  }
  ASSERT_EQ(freeridge_accumulator_add(whole, FREERIDGE_COL_MAJOR, n, phi.values.data(), n, y.values.data(), n,
                                      weights.data()),
            FREERIDGE_OK);
  EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(part, MPI_COMM_WORLD, &sum), FREERIDGE_OK);
  const Vector lambdas{1e-3, 0.1, 10};
  Matrix scores(3, t), expected(3, t);
  ASSERT_EQ(freeridge_accumulator_score(sum, FREERIDGE_GCV, 3, lambdas.data(), scores.values.data(), 3), FREERIDGE_OK);
  ASSERT_EQ(freeridge_accumulator_score(whole, FREERIDGE_GCV, 3, lambdas.data(), expected.values.data(), 3),
            FREERIDGE_OK);
  EXPECT_PRED_FORMAT3(support::close_to, scores, expected, accuracy_of_rows);

  std::vector<int64_t> rows;
  for (int64_t k = 0; k < r; ++k)
    for (int64_t i = 0; i < n; ++i)
      if (x(i, 0) == z(k, 0)) rows.push_back(i);
  support::Model model(kernel);
  model.data(x, y).weights(weights);
  ASSERT_EQ(freeridge_set_landmarks(model.get(), r, rows.data()), FREERIDGE_OK);
  model.factorize();
  Vector lambda(t), score(t), model_lambda(t), model_score(t);
  EXPECT_STATUS(
      freeridge_mpi_accumulator_select_lambda(
          sum, MPI_COMM_WORLD, FREERIDGE_LOO, 1e-3, 100, FREERIDGE_COL_MAJOR, last - first, own_phi.values.data(),
          std::max<int64_t>(last - first, 1), &y.values[std::size_t(std::min(first, n - 1))], n,
          &weights[std::size_t(std::min(first, n - 1))], lambda.data(), score.data()),
      FREERIDGE_OK);
  ASSERT_EQ(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 1e-3, 100, model_lambda.data(), model_score.data()),
            FREERIDGE_OK);
  EXPECT_PRED_FORMAT3(support::close_to, score, model_score, 1e-10);  // two ways to reduce the rows
  for (freeridge_accumulator* each : {part, whole, sum}) freeridge_accumulator_destroy(each);
}

TEST_F(MpiRows, LandmarksRefused) {
  const Kernel kernel = Kernel::gaussian(2);
  Matrix z(300, d);
  int64_t found = 0;
  const auto choose = [&](int64_t rows, int64_t sample, int32_t method, int64_t count, int64_t ldz) {
    return freeridge_mpi_choose_landmarks(kernel.get(), MPI_COMM_WORLD, FREERIDGE_COL_MAJOR, rows, d, x.values.data(),
                                          n, sample, method, 0, count, z.values.data(), ldz, &found);
  };
  EXPECT_STATUS(choose(-1, 10, 0, 5, 300), FREERIDGE_INVALID_ARGUMENT, "n is -1");
  EXPECT_STATUS(choose(10, 0, 0, 5, 300), FREERIDGE_INVALID_ARGUMENT, "sample is 0");
  EXPECT_STATUS(choose(10, 4, 0, 5, 300), FREERIDGE_INVALID_ARGUMENT, "count <= sample");
  EXPECT_STATUS(choose(10, 10, 9, 5, 300), FREERIDGE_INVALID_ARGUMENT, "method is 9");
  EXPECT_STATUS(choose(10, 10, 0, 5, 4), FREERIDGE_INVALID_ARGUMENT, "ld is 4");
  EXPECT_STATUS(choose(0, 10, 0, 5, 300), FREERIDGE_DIMENSION_MISMATCH, "0 rows");
  EXPECT_EQ(found, 0);
}

}  // namespace
