// The table of an accumulator's calls and kinds of rows: dense rows in either layout, sparse ones by rows and by columns,
// and a reader's give the same answers; and a reader that fails leaves the accumulator as it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/accumulator.hpp"
#include "support/problems.hpp"
#include "support/sparse.hpp"

namespace stream_kinds_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

constexpr std::int64_t n = 3000, d = 90, t = 2;  // a reader gives fewer rows than that in a stretch
const Vector lambda_values = {0.5, 20.0};

// Hands out the rows of a problem, with weights.
struct Source {
  const Problem& problem;
  bool by_rows;
  std::int64_t fails_from = n;
  std::int64_t stretches = 0;

  static std::int64_t read(std::int64_t first, std::int64_t count, double* x, double* y, double* weights, void* user) {
    Source& source = *static_cast<Source*>(user);
    const Problem& problem = source.problem;
    ++source.stretches;
    if (first >= source.fails_from) return first == n ? 0 : -1;
    const std::int64_t got = std::min(count, problem.x.rows - first);
    const auto place = [&](std::int64_t i, std::int64_t k, std::int64_t columns) {
      return source.by_rows ? i * columns + k : i + k * count;
    };
    for (std::int64_t i = 0; i < got; ++i) {
      for (std::int64_t k = 0; k < d; ++k) x[place(i, k, d)] = problem.x(first + i, k);
      for (std::int64_t j = 0; j < t; ++j) y[place(i, j, t)] = problem.y(first + i, j);
      weights[i] = problem.weights[static_cast<std::size_t>(first + i)];
    }
    return got;
  }
};

Problem problem_with_zeros() {
  Random random(91);
  Problem out = random_problem(random, KernelSpec::linear(), n, d, t, true, true);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < d; ++k)
      if ((3 * i + k) % 4 == 0) out.x(i, k) = 0;
  return out;
}

struct Given {
  Points points;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  const double* y = nullptr;
  std::int64_t ldy = 0;
  const double* weights = nullptr;
};

struct Answers {
  Bytes state;
  Vector errors, of_groups, moments, of_group_moments, squares;
};

Answers answers_of(Accumulator& rows, const Given& g, const std::vector<std::int32_t>& group) {
  Answers out;
  const auto count = static_cast<std::int64_t>(lambda_values.size());
  const double* const at_lambdas = lambda_values.data();
  check(freeridge_accumulator_add(rows.get(), g.points, g.layout, g.y, g.ldy, g.weights), "freeridge_accumulator_add");
  out.state = rows.save();
  out.errors = out.of_groups = Vector(static_cast<std::size_t>(n * count * t), -7);
  out.moments = out.of_group_moments = Vector(static_cast<std::size_t>(5 * count * t), -7);
  out.squares = Vector(static_cast<std::size_t>(count * t + 1), -7);
  for (const bool together : {false, true}) {
    const std::int32_t* const labels = together ? group.data() : nullptr;
    check(freeridge_accumulator_errors(rows.get(), g.points, g.layout, g.y, g.ldy, g.weights, labels, count, at_lambdas,
                                       (together ? out.of_groups : out.errors).data(), n),
          "freeridge_accumulator_errors");
    check(freeridge_accumulator_moments(rows.get(), g.points, g.layout, g.y, g.ldy, g.weights, labels, count,
                                        at_lambdas, (together ? out.of_group_moments : out.moments).data()),
          "freeridge_accumulator_moments");
  }
  check(freeridge_accumulator_squared_errors(rows.get(), g.points, g.layout, g.y, g.ldy, g.weights, count, at_lambdas,
                                             &out.squares.back(), out.squares.data(), count),
        "freeridge_accumulator_squared_errors");
  return out;
}

void expect_same_answers(const Answers& found, const Answers& expected, double tolerance) {
  EXPECT_CLOSE(found.errors, expected.errors, tolerance);
  EXPECT_CLOSE(found.of_groups, expected.of_groups, tolerance);
  EXPECT_CLOSE(found.moments, expected.moments, tolerance);
  EXPECT_CLOSE(found.of_group_moments, expected.of_group_moments, tolerance);
  EXPECT_CLOSE(found.squares, expected.squares, tolerance);
}

TEST(StreamKinds, AllKindsOfRowsHaveTheSameAnswers) {
  const Problem problem = problem_with_zeros();
  std::vector<std::int32_t> group(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = static_cast<std::int32_t>(i / 40);
  const Kernel gaussian = Kernel::gaussian(9.0);
  Matrix z(12, d);
  for (std::int64_t i = 0; i < z.rows; ++i)
    for (std::int64_t k = 0; k < d; ++k) z(i, k) = problem.x(7 * i, k);
  for (const bool landmarks : {false, true}) {
    SCOPED_TRACE(landmarks ? "over landmarks" : "linear");
    const auto fresh = [&] {
      return landmarks ? Accumulator(gaussian, z, t, true, FREERIDGE_REDUCTION_AUTO) : Accumulator(d, t, true);
    };
    Accumulator first = fresh();
    const Given plain{at(problem.x), FREERIDGE_COL_MAJOR, problem.y.values.data(), n, problem.weights.data()};
    const Answers expected = answers_of(first, plain, group);
    for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
      const bool by_rows = layout == FREERIDGE_ROW_MAJOR;
      const Packed x = pack(problem.x, layout, 3), y = pack(problem.y, layout, 2);
      const Sparse thin(problem.x, by_rows ? FREERIDGE_CSR : FREERIDGE_CSC);
      for (const Points& points : {at(x, n, d), at(thin)}) {
        SCOPED_TRACE(points.fields.format);
        Accumulator rows = fresh();
        const Answers found = answers_of(rows, {points, layout, y.values.data(), y.ld, problem.weights.data()}, group);
        EXPECT_EQ(found.state, expected.state);
        expect_same_answers(found, expected, 0);
      }
      SCOPED_TRACE(by_rows ? "reader, by rows" : "reader, by columns");
      Accumulator rows = fresh();
      Source source{problem, by_rows};
      const Answers found = answers_of(rows, {at(layout, n, d, Source::read, &source)}, group);
      expect_same_answers(found, expected, 1e-9);
      EXPECT_GT(source.stretches, 10);
      Accumulator unknown = fresh();
      check(freeridge_accumulator_add(unknown.get(), at(layout, -1, d, Source::read, &source), 0, nullptr, 0, nullptr),
            "freeridge_accumulator_add");
      EXPECT_EQ(unknown.save(), found.state);
    }
  }
}

TEST(StreamKinds, AReaderThatFailsLeavesTheRowsAsTheyWere) {
  const Problem problem = problem_with_zeros();
  Accumulator rows(slice(problem, 0, 300));
  const Bytes before = rows.save();
  Source source{problem, true, 1500};
  const auto add = [&](std::int64_t count, const double* y, const double* weights) {
    return freeridge_accumulator_add(rows.get(), at(FREERIDGE_ROW_MAJOR, count, d, Source::read, &source),
                                     FREERIDGE_ROW_MAJOR, y, t, weights);
  };
  EXPECT_EQ(add(n, nullptr, nullptr), FREERIDGE_IO) << freeridge_last_error();
  EXPECT_EQ(rows.save(), before);
  EXPECT_EQ(add(n, problem.y.values.data(), nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(add(n, nullptr, problem.weights.data()), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(add(-2, nullptr, nullptr), FREERIDGE_INVALID_ARGUMENT);
  const double lambda = 1;
  Vector errors(static_cast<std::size_t>(n * t), -7);
  const Points unknown = at(FREERIDGE_ROW_MAJOR, -1, d, Source::read, &source);
  EXPECT_EQ(freeridge_accumulator_errors(rows.get(), unknown, FREERIDGE_ROW_MAJOR, nullptr, 0, nullptr, nullptr, 1,
                                         &lambda, errors.data(), n),
            FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(errors, Vector(errors.size(), -7));
  const Matrix fixed(300, 1);
  EXPECT_EQ(freeridge_accumulator_add(rows.get(), with(at(slice(problem, 0, 300).x), fixed), FREERIDGE_COL_MAJOR,
                                      problem.y.values.data(), n, nullptr),
            FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_accumulator_add(rows.get(), at(FREERIDGE_COL_MAJOR, 5, d - 1, problem.x.values.data(), n),
                                      FREERIDGE_COL_MAJOR, problem.y.values.data(), n, nullptr),
            FREERIDGE_DIMENSION_MISMATCH);
  EXPECT_EQ(rows.save(), before);
}

}  // namespace stream_kinds_test
