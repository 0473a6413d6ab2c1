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
    ASSERT_EQ(
        freeridge_accumulator_add(to, support::at(FREERIDGE_COL_MAJOR, end - from, d, &x.values[std::size_t(from)], n),
                                  FREERIDGE_COL_MAJOR, &y.values[std::size_t(from)], n, &weights[std::size_t(from)]),
        FREERIDGE_OK);
  }
  void SetUp() override {
    ASSERT_EQ(freeridge_accumulator_create(d, t, 1, &own), FREERIDGE_OK);
    ASSERT_EQ(freeridge_accumulator_create(d, t, 1, &all), FREERIDGE_OK);
    add(own, first, last);
    add(all, 0, n);
  }
  // The rows of this rank as points in memory.
  support::Points own_rows(int64_t rows) const {
    return support::at(FREERIDGE_COL_MAJOR, rows, d, &x.values[std::size_t(std::min(first, n - 1))], n);
  }
  freeridge_status select(freeridge_criterion criterion, freeridge_search& search, double low = 0, double high = 0,
                          int64_t rows = -1, const int32_t* group = nullptr) const {
    return freeridge_mpi_accumulator_select_lambda(reduced, MPI_COMM_WORLD, criterion, low, high,
                                                   own_rows(rows < 0 ? last - first : rows), FREERIDGE_COL_MAJOR,
                                                   &y.values[std::size_t(std::min(first, n - 1))], n,
                                                   &weights[std::size_t(std::min(first, n - 1))], group, &search);
  }
  freeridge_status select(freeridge_criterion criterion, Vector& lambda, Vector& score, int64_t rows = -1,
                          double low = 0, double high = 0) const {
    freeridge_search search{};
    search.size = sizeof search;
    search.lambda = lambda.data();
    search.score = score.data();
    return select(criterion, search, low, high, rows);
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

// All that a search tells of t outputs.
struct Told {
  Vector lambda = Vector(2), score = Vector(2), error = Vector(2), decades = Vector(2), one_se_lambda = Vector(2),
         one_se_score = Vector(2);
  std::vector<int32_t> edge = std::vector<int32_t>(2), dips = edge, below = edge;

  freeridge_search fields(bool with_below = true) {
    freeridge_search out{};
    out.size = sizeof out;
    out.lambda = lambda.data();
    out.score = score.data();
    out.standard_error = error.data();
    out.decades = decades.data();
    out.one_se_lambda = one_se_lambda.data();
    out.one_se_score = one_se_score.data();
    out.edge = edge.data();
    out.dips = dips.data();
    if (with_below) out.below = below.data();
    return out;
  }
};

void expect_same(const Told& found, const Told& expected) {
  EXPECT_PRED_FORMAT3(support::close_to, found.score, expected.score, accuracy_of_rows);
  EXPECT_PRED_FORMAT3(support::close_to, found.error, expected.error, 1e-8);  // a lambda of a flat criterion
  EXPECT_PRED_FORMAT3(support::close_to, found.lambda, expected.lambda, 1e-4);
  EXPECT_PRED_FORMAT3(support::close_to, found.decades, expected.decades, 1e-6);
  EXPECT_PRED_FORMAT3(support::close_to, found.one_se_lambda, expected.one_se_lambda, 1e-4);
  EXPECT_PRED_FORMAT3(support::close_to, found.one_se_score, expected.one_se_score, 1e-6);
  EXPECT_EQ(found.edge, expected.edge);
  EXPECT_EQ(found.dips, expected.dips);
}

// Rows of a rank that a reader hands out, column-major; `most` at once, and from the row `end` on it fails.
struct RowsToRead {
  const Matrix &x, &y;
  const Vector& weights;
  int64_t first, rows, fails_at;
  int64_t passes = 0;

  static int64_t read(int64_t from, int64_t count, double* to_x, double* to_y, double* to_weights, void* user) {
    auto& it = *static_cast<RowsToRead*>(user);
    it.passes += from == 0 ? 1 : 0;
    const int64_t given = std::clamp<int64_t>(it.rows - from, 0, count);
    if (from + given > it.fails_at) return -1;
    for (int64_t i = 0; i < given; ++i) {
      const int64_t row = it.first + from + i;
      for (int64_t k = 0; k < it.x.cols; ++k) to_x[k * count + i] = it.x(row, k);
      if (to_y == nullptr) continue;  // landmarks are chosen by x alone
      for (int64_t k = 0; k < it.y.cols; ++k) to_y[k * count + i] = it.y(row, k);
      to_weights[i] = it.weights[std::size_t(row)];
    }
    return given;
  }
};

TEST_F(MpiRows, EachKindOfRowsHasTheSearchOfAModel) {
  EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_WORLD, &reduced), FREERIDGE_OK);
  // Groups of five rows at most, whole on each rank, and of each rank one row without a group.
  const std::vector<int64_t> ends = ranks::count() == 4   ? std::vector<int64_t>{0, 17, 90, 90, n}
                                    : ranks::count() == 1 ? std::vector<int64_t>{0, n}
                                                          : std::vector<int64_t>{0, 63, n};
  ASSERT_LE(ranks::count(), 4);
  std::vector<int32_t> group(n);
  for (std::size_t k = 0; k + 1 < ends.size(); ++k)
    for (int64_t i = ends[k]; i < ends[k + 1]; ++i)
      group[std::size_t(i)] = i == ends[k] ? -1 : int32_t(100 * k + std::size_t(i - ends[k]) / 5);
  support::Model model(Kernel::linear());
  model.data(x, y).weights(weights);
  model.groups(group);
  model.factorize();
  const int64_t rows = last - first;
  const Matrix own_x = [&] {
    Matrix out(rows, d);
    for (int64_t k = 0; k < d; ++k)
      for (int64_t i = 0; i < rows; ++i) out(i, k) = x(first + i, k);
    return out;
  }();
  const support::Sparse sparse(own_x, FREERIDGE_CSR);
  const auto at_first = [&](const auto& of) { return rows == 0 ? nullptr : &of[std::size_t(first)]; };
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GROUPS}) {
    Told expected;
    ASSERT_EQ(freeridge_select_lambda(model.get(), criterion, 0, 0, expected.lambda.data(), expected.score.data()),
              FREERIDGE_OK);
    freeridge_search of_model = expected.fields(false);
    ASSERT_EQ(freeridge_get_search(model.get(), &of_model), FREERIDGE_OK);
    const int32_t* labels = criterion == FREERIDGE_GROUPS ? at_first(group) : nullptr;
    for (const std::string kind : {"matrix", "sparse", "reader", "reader of unknown n"}) {
      SCOPED_TRACE(kind + ", criterion " + std::to_string(criterion));
      if (criterion == FREERIDGE_GROUPS && kind == "reader of unknown n") continue;
      RowsToRead to_read{x, y, weights, first, rows, n};
      const bool reads = kind.starts_with("reader");
      const support::Points points = kind == "matrix" ? own_rows(rows)
                                     : kind == "sparse"
                                         ? support::at(sparse)
                                         : support::at(FREERIDGE_COL_MAJOR, kind == "reader" || rows == 0 ? rows : -1,
                                                       d, RowsToRead::read, &to_read);
      Told found;
      freeridge_search search = found.fields();
      EXPECT_STATUS(freeridge_mpi_accumulator_select_lambda(reduced, MPI_COMM_WORLD, criterion, 0, 0, points,
                                                            FREERIDGE_COL_MAJOR, reads ? nullptr : at_first(y.values),
                                                            n, reads ? nullptr : at_first(weights), labels, &search),
                    FREERIDGE_OK);
      expect_same(found, expected);
      EXPECT_EQ(found.below, std::vector<int32_t>(2));
      EXPECT_GE(search.count, 100);
      if (reads && rows > 0) {
        EXPECT_GE(to_read.passes, 3);
      }
      if (!reads) continue;
      to_read.fails_at = ranks::rank() + 1 == ranks::count() ? rows - 1 : n;
      EXPECT_STATUS(freeridge_mpi_accumulator_select_lambda(reduced, MPI_COMM_WORLD, criterion, 0, 0, points,
                                                            FREERIDGE_COL_MAJOR, nullptr, 0, nullptr, labels, &search),
                    FREERIDGE_IO, "reader");
    }
  }
}

TEST_F(MpiRows, FieldsAndGroupsThatAreRefused) {
  EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_WORLD, &reduced), FREERIDGE_OK);
  Told told;
  const auto refused = [&](freeridge_criterion criterion, double* freeridge_search::*field, const char* words) {
    freeridge_search search{};
    search.size = sizeof search;
    search.*field = told.lambda.data();
    EXPECT_STATUS(select(criterion, search), FREERIDGE_INVALID_ARGUMENT, words);
  };
  for (double* freeridge_search::*const field :
       {&freeridge_search::lambdas, &freeridge_search::scores, &freeridge_search::next})
    refused(FREERIDGE_LOO, field, "it must be");
  for (double* freeridge_search::*const field :
       {&freeridge_search::standard_error, &freeridge_search::one_se_lambda, &freeridge_search::one_se_score})
    refused(FREERIDGE_REML, field, "no standard error");
  freeridge_search search = told.fields();
  const std::vector<int32_t> none(std::size_t(n), -1), one(std::size_t(n), 1);
  EXPECT_STATUS(select(FREERIDGE_GROUPS, search, 0, 0, -1, none.data()), FREERIDGE_INVALID_ARGUMENT, "no label >= 0");
  EXPECT_STATUS(select(FREERIDGE_GROUPS, search), FREERIDGE_INVALID_ARGUMENT, "group is NULL");
  EXPECT_STATUS(select(FREERIDGE_LOO, search, 0, 0, -1, one.data()), FREERIDGE_INVALID_ARGUMENT, "group is not NULL");
  if (ranks::count() > 1) {  // fields that another rank does not ask for
    if (ranks::rank() == 0) search.decades = nullptr;
    EXPECT_STATUS(select(FREERIDGE_LOO, search), FREERIDGE_DIMENSION_MISMATCH, "fields of search");
  }
  EXPECT_EQ(told.lambda, Vector(2));
  if (ranks::count() > 1) return;
  // One group: its score has no standard error, and all else is valid.
  search = told.fields();
  EXPECT_STATUS(select(FREERIDGE_GROUPS, search, 0.1, 1, -1, one.data()), FREERIDGE_UNDEFINED, "");
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
  EXPECT_STATUS(select(FREERIDGE_ERROR_RATE, lambda, score), FREERIDGE_INVALID_ARGUMENT, "criterion is ");
  EXPECT_EQ(lambda, Vector(t));
  EXPECT_EQ(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_NULL, &reduced), FREERIDGE_INVALID_ARGUMENT);
  freeridge_accumulator_destroy(other);
  freeridge_accumulator_destroy(empty);
}

// Rows that are not those that were added, on one rank, of the same number; and a row that another rank has now.
TEST_F(MpiRows, OtherRowsInTheSecondPass) {
  const Kernel kernel = Kernel::gaussian(2);
  for (const int of : {0, 1, 2}) {
    SCOPED_TRACE(of);
    if (of > 0) {
      freeridge_accumulator_destroy(own);
      own = nullptr;
      EXPECT_STATUS(freeridge_mpi_accumulator_create_landmarks(
                        kernel.get(), MPI_COMM_WORLD, own_rows(last - first), 100, FREERIDGE_LANDMARKS_PIVOTED, 1, 20,
                        t, 1, of == 1 ? FREERIDGE_REDUCTION_GRAM : FREERIDGE_REDUCTION_QR, &own),
                    FREERIDGE_OK);
      add(own, first, last);
    }
    freeridge_accumulator_destroy(reduced);
    reduced = nullptr;
    EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_WORLD, &reduced), FREERIDGE_OK);
    Vector lambda(t), score(t);
    EXPECT_STATUS(select(FREERIDGE_LOO, lambda, score, -1, 1e-3, 100), FREERIDGE_OK);
    const bool faulty = ranks::rank() == ranks::count() - 1;
    for (double* const value : {&x(n - 1, 2), &y(n - 3, 1), &weights[std::size_t(n - 2)]}) {
      const double before = *value;
      if (faulty) *value *= 1 + 1e-6;
      EXPECT_STATUS(select(FREERIDGE_LOO, lambda, score, -1, 1e-3, 100), FREERIDGE_DIMENSION_MISMATCH,
                    "not those that were added");
      *value = before;
    }
    const int64_t begin = first, end = last;
    if (faulty && ranks::count() > 1) first -= 1, last -= 1;  // the row before in the place of the last one
    EXPECT_STATUS(select(FREERIDGE_LOO, lambda, score, -1, 1e-3, 100),
                  ranks::count() == 1 ? FREERIDGE_OK : FREERIDGE_DIMENSION_MISMATCH, "not those that were added");
    first = begin, last = end;
    EXPECT_STATUS(select(FREERIDGE_LOO, lambda, score, -1, 1e-3, 100), FREERIDGE_OK);
  }
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

struct CancelAt {
  int calls = 0, last = 0;
};
int32_t count_down(double, void* user) {
  auto& it = *static_cast<CancelAt*>(user);
  return ++it.calls == it.last ? 1 : 0;
}

TEST_F(MpiRows, ReductionIsCancelledBetweenPhases) {
  const bool cancels = ranks::rank() == std::min(2, ranks::count() - 1);  // of four ranks the one without rows
  int cancelled = 0, went_on = 0;
  for (int last_call = 1; went_on == 0 && last_call < 20; ++last_call) {
    CancelAt at{0, last_call};
    freeridge_accumulator* part = nullptr;
    ASSERT_EQ(freeridge_accumulator_create(d, t, 1, &part), FREERIDGE_OK);
    add(part, first, last);
    ASSERT_EQ(freeridge_accumulator_set_progress(part, cancels ? count_down : nullptr, &at), FREERIDGE_OK);
    const freeridge_status status = freeridge_mpi_accumulator_allreduce(part, MPI_COMM_WORLD, &reduced);
    went_on = status == FREERIDGE_OK ? 1 : 0;
    if (went_on == 0) {
      EXPECT_STATUS(status, FREERIDGE_CANCELLED);
      EXPECT_EQ(reduced, nullptr);
      ++cancelled;
    }
    freeridge_accumulator_destroy(part);
  }
  EXPECT_EQ(went_on, 1);
  EXPECT_GE(cancelled, 4);  // compact, merge, prepare, broadcast
}

// A rank sends its triangle, however many rows it has, and receives the decomposition, too.
TEST_F(MpiRows, BytesOfATriangle) {
  const auto bytes = [](const freeridge_accumulator* of) {
    int64_t out = 0;
    EXPECT_EQ(freeridge_accumulator_save_to_memory(of, 0, nullptr, &out), FREERIDGE_OK);
    return out;
  };
  constexpr int64_t p = 1 + d + t, others = 8 * 32;
  const Vector lambda(std::size_t(t), 1);
  EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_WORLD, &reduced), FREERIDGE_OK);
  EXPECT_LE(bytes(own), 8 * (p * (p + 1) / 2 + p) + others);
  EXPECT_GT(bytes(reduced), bytes(own));
  const int64_t prepared = bytes(reduced);
  ASSERT_EQ(freeridge_accumulator_prepare(reduced), FREERIDGE_OK);
  EXPECT_EQ(bytes(reduced), prepared);
}

// The landmarks do not depend on how the rows are divided: those of a communicator of one rank with all rows.
TEST_F(MpiRows, LandmarksOfAnyDivision) {
  const Kernel kernel = Kernel::gaussian(2);
  for (const freeridge_landmark_method method : {1, 2, 3})
    for (const int64_t sample : {40, 1000}) {
      Matrix z(25, d), expected(25, d);
      int64_t found = 0, expected_found = 0;
      EXPECT_STATUS(freeridge_mpi_choose_landmarks(kernel.get(), MPI_COMM_WORLD, own_rows(last - first), sample, method,
                                                   7, 25, z.values.data(), 25, &found),
                    FREERIDGE_OK);
      EXPECT_EQ(freeridge_mpi_choose_landmarks(kernel.get(), MPI_COMM_SELF, support::at(x), sample, method, 7, 25,
                                               expected.values.data(), 25, &expected_found),
                FREERIDGE_OK);
      RowsToRead to_read{x, y, weights, first, last - first, n};
      Matrix read(25, d);
      EXPECT_STATUS(
          freeridge_mpi_choose_landmarks(kernel.get(), MPI_COMM_WORLD,
                                         support::at(FREERIDGE_COL_MAJOR, last - first, d, RowsToRead::read, &to_read),
                                         sample, method, 7, 25, read.values.data(), 25, &found),
          FREERIDGE_OK);
      EXPECT_TRUE(support::bit_equal(read, expected));
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

constexpr int64_t r = 20, drawn = 100;

// An accumulator over r of the rows of all ranks, for this rank's rows. Collective.
freeridge_accumulator* over_landmarks(const Kernel& kernel, const Matrix& x, int64_t first, int64_t rows,
                                      freeridge_reduction reduction) {
  freeridge_accumulator* out = nullptr;
  EXPECT_STATUS(
      freeridge_mpi_accumulator_create_landmarks(
          kernel.get(), MPI_COMM_WORLD,
          support::at(FREERIDGE_COL_MAJOR, rows, x.cols, rows == 0 ? nullptr : &x.values[std::size_t(first)], x.rows),
          drawn, FREERIDGE_LANDMARKS_PIVOTED, 1, r, 2, 1, reduction, &out),
      FREERIDGE_OK);
  return out;
}

// The rows that are the landmarks, chosen by one process that has all rows.
std::vector<int64_t> rows_chosen(const Kernel& kernel, const Matrix& x) {
  Matrix z(r, x.cols);
  int64_t found = 0;
  EXPECT_EQ(freeridge_mpi_choose_landmarks(kernel.get(), MPI_COMM_SELF, support::at(x), drawn,
                                           FREERIDGE_LANDMARKS_PIVOTED, 1, r, z.values.data(), r, &found),
            FREERIDGE_OK);
  EXPECT_EQ(found, r);
  std::vector<int64_t> out;
  for (int64_t k = 0; k < found; ++k)
    for (int64_t i = 0; i < x.rows; ++i)
      if (x(i, 0) == z(k, 0)) out.push_back(i);
  return out;
}

TEST_F(MpiRows, LandmarksInShardsAreThoseOfOneModel) {
  const Kernel kernel = Kernel::matern(0.5, 2);
  support::Model model(kernel);
  model.data(x, y).weights(weights);
  const std::vector<int64_t> rows = rows_chosen(kernel, x);
  ASSERT_EQ(freeridge_set_landmarks(model.get(), r, rows.data()), FREERIDGE_OK);
  model.factorize();
  for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_GRAM, FREERIDGE_REDUCTION_QR}) {
    SCOPED_TRACE(reduction);
    for (freeridge_accumulator** each : {&own, &all, &reduced}) {
      freeridge_accumulator_destroy(*each);
      *each = nullptr;
    }
    own = over_landmarks(kernel, x, first, last - first, reduction);
    all = over_landmarks(kernel, x, first, last - first, reduction);
    add(own, first, last);
    add(all, 0, n);
    EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_WORLD, &reduced), FREERIDGE_OK);
    const Vector lambdas{1e-3, 0.1, 10};
    for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_REML}) {
      Matrix scores(3, t), expected(3, t);
      ASSERT_EQ(freeridge_accumulator_score(reduced, criterion, 3, lambdas.data(), scores.values.data(), 3),
                FREERIDGE_OK);
      ASSERT_EQ(freeridge_accumulator_score(all, criterion, 3, lambdas.data(), expected.values.data(), 3),
                FREERIDGE_OK);
      EXPECT_PRED_FORMAT3(support::close_to, scores, expected, accuracy_of_rows);
    }
    Vector lambda(t), score(t), model_lambda(t), model_score(t);
    EXPECT_STATUS(select(FREERIDGE_LOO, lambda, score, -1, 1e-3, 100), FREERIDGE_OK);
    ASSERT_EQ(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 1e-3, 100, model_lambda.data(), model_score.data()),
              FREERIDGE_OK);
    EXPECT_PRED_FORMAT3(support::close_to, score, model_score, accuracy_of_rows);
  }
}

TEST_F(MpiRows, LandmarksOfRanksThatDiffer) {
  const Kernel kernel = Kernel::matern(0.5, 2);
  const bool differs = ranks::rank() == ranks::count() - 1 && ranks::count() > 1;
  freeridge_accumulator* part = over_landmarks(kernel, x, first, last - first, FREERIDGE_REDUCTION_GRAM);
  freeridge_accumulator_destroy(own);
  own = nullptr;
  const Vector z(std::size_t(d), 0.5);
  ASSERT_EQ(freeridge_accumulator_create_landmarks(kernel.get(), FREERIDGE_COL_MAJOR, 1, d, z.data(), 1, t, 1,
                                                   FREERIDGE_REDUCTION_GRAM, &own),
            FREERIDGE_OK);
  add(part, first, last);
  add(own, first, last);
  EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(differs ? own : part, MPI_COMM_WORLD, &reduced),
                ranks::count() > 1 ? FREERIDGE_DIMENSION_MISMATCH : FREERIDGE_OK, "differs between the ranks");
  freeridge_accumulator_destroy(part);
}

TEST_F(MpiRows, LandmarksRefused) {
  const Kernel kernel = Kernel::gaussian(2);
  Matrix z(300, d);
  int64_t found = 0;
  const auto choose = [&](int64_t rows, int64_t sample, int32_t method, int64_t count, int64_t ldz) {
    return freeridge_mpi_choose_landmarks(kernel.get(), MPI_COMM_WORLD,
                                          support::at(FREERIDGE_COL_MAJOR, rows, d, x.values.data(), n), sample, method,
                                          0, count, z.values.data(), ldz, &found);
  };
  EXPECT_STATUS(choose(-1, 10, 0, 5, 300), FREERIDGE_INVALID_ARGUMENT, "points.n is -1");
  EXPECT_STATUS(choose(10, 0, 0, 5, 300), FREERIDGE_INVALID_ARGUMENT, "sample is 0");
  EXPECT_STATUS(choose(10, 4, 0, 5, 300), FREERIDGE_INVALID_ARGUMENT, "count <= sample");
  EXPECT_STATUS(choose(10, 10, 9, 5, 300), FREERIDGE_INVALID_ARGUMENT, "method is 9");
  EXPECT_STATUS(choose(10, 10, 0, 5, 4), FREERIDGE_INVALID_ARGUMENT, "ld is 4");
  const Kernel linear = Kernel::linear();
  freeridge_accumulator* none = nullptr;
  const auto create = [&](const Kernel& of, int64_t outputs, freeridge_reduction reduction,
                          freeridge_accumulator** out) {
    return freeridge_mpi_accumulator_create_landmarks(of.get(), MPI_COMM_WORLD,
                                                      support::at(FREERIDGE_COL_MAJOR, 10, d, x.values.data(), n), 10,
                                                      0, 0, 5, outputs, 1, reduction, out);
  };
  EXPECT_STATUS(create(kernel, 0, 0, &none), FREERIDGE_INVALID_ARGUMENT, "t is 0");
  EXPECT_STATUS(create(kernel, 1, 9, &none), FREERIDGE_INVALID_ARGUMENT, "reduction is 9");
  EXPECT_STATUS(create(kernel, 1, 0, nullptr), FREERIDGE_INVALID_ARGUMENT, "out is NULL");
  EXPECT_STATUS(create(linear, 1, 0, &none), FREERIDGE_INVALID_ARGUMENT, "kernel is linear");
  if (ranks::count() > 1) {
    EXPECT_STATUS(create(ranks::rank() == 0 ? kernel : linear, 1, 0, &none), FREERIDGE_DIMENSION_MISMATCH, "differ");
  }
  EXPECT_EQ(none, nullptr);
  EXPECT_STATUS(choose(0, 10, 0, 5, 300), FREERIDGE_DIMENSION_MISMATCH, "0 rows");
  EXPECT_EQ(found, 0);
}

}  // namespace
