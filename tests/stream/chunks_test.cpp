// However the rows come - one at a time, in chunks, in any order, by way of other accumulators - the answers are those
// of all rows at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <thread>

#include "support/accumulator.hpp"
#include "support/problems.hpp"

namespace chunks_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

const Vector lambda_values = {0.0, 1e-3, 0.1, 10.0};

struct Answers {
  Matrix w, b, gcv, reml, loo;
};

Answers answers(const Accumulator& accumulator, const Problem& rows) {
  const Planes planes = accumulator.solve(lambda_values);
  const Vector positive(lambda_values.begin() + 1, lambda_values.end());  // REML has no value at 0
  return {planes.w, planes.b, accumulator.score(FREERIDGE_GCV, lambda_values),
          accumulator.score(FREERIDGE_REML, positive), accumulator.loo(rows, lambda_values)};
}

// The same from a model of all rows.
Answers answers(const Problem& problem) {
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
  model.factorize();
  const std::int64_t t = problem.y.cols, count = static_cast<std::int64_t>(lambda_values.size());
  const Vector positive(lambda_values.begin() + 1, lambda_values.end());
  Answers out{Matrix(problem.x.cols, count * t), Matrix(t, count), model.score(FREERIDGE_GCV, lambda_values),
              model.score(FREERIDGE_REML, positive), Matrix(problem.x.rows, count * t)};
  for (std::int64_t l = 0; l < count; ++l) {
    model.lambda(lambda_values[static_cast<std::size_t>(l)]);
    const Matrix w = model.hyperplane(), loo = model.loo();
    const Vector b = model.intercepts();
    std::copy(w.values.begin(), w.values.end(), &out.w(0, l * t));
    std::copy(loo.values.begin(), loo.values.end(), &out.loo(0, l * t));
    std::copy(b.begin(), b.end(), &out.b(0, l));
  }
  return out;
}

void expect_same(const Answers& actual, const Answers& expected, double tolerance) {
  EXPECT_CLOSE(actual.w, expected.w, tolerance);
  EXPECT_CLOSE(actual.b, expected.b, tolerance);
  EXPECT_CLOSE(actual.gcv, expected.gcv, tolerance);
  EXPECT_CLOSE(actual.reml, expected.reml, tolerance);
  EXPECT_CLOSE(actual.loo, expected.loo, tolerance);
}

template <class Body>
void for_each_setting(Body body) {
  for (const bool weighted : {false, true})
    for (const bool intercept : {false, true}) {
      SCOPED_TRACE(::testing::Message() << (weighted ? "weights" : "") << (intercept ? " intercept" : ""));
      body(weighted, intercept);
    }
}

Problem problem_of(std::uint64_t seed, std::int64_t n, std::int64_t d, bool weighted, bool intercept) {
  Random random(seed);
  return random_problem(random, KernelSpec::linear(), n, d, 2, weighted, intercept);
}

// Several reductions happen on the way: at 512 rows and d + t more.
TEST(StreamChunks, OfAnySizeGiveTheSameBits) {
  for_each_setting([](bool weighted, bool intercept) {
    const Problem problem = problem_of(1, 2500, 6, weighted, intercept);
    const auto expected = Accumulator(problem).save();
    for (const std::int64_t chunk : {1, 7, 520, 521, 522, 1000, 2499}) {
      SCOPED_TRACE(chunk);
      EXPECT_EQ(Accumulator(problem, chunk).save(), expected);
    }
    expect_same(answers(Accumulator(problem, 7), problem), answers(problem), 1e-12);
  });
}

TEST(StreamChunks, ManyFeatures) {  // blocks of 4 p rows, p above 128
  const Problem problem = problem_of(2, 2000, 150, true, true);
  const Accumulator accumulator(problem, 333);
  EXPECT_EQ(accumulator.save(), Accumulator(problem, 1).save());
  expect_same(answers(accumulator, problem), answers(problem), 1e-11);
}

TEST(StreamChunks, NoWeightsAreOnes) {
  Problem problem = problem_of(3, 700, 4, false, true);
  const Accumulator without(problem, 30);
  const Matrix loo = without.loo(problem, lambda_values);
  problem.weights.assign(700, 1.0);
  const Accumulator ones(problem, 30);
  EXPECT_EQ(ones.save(), without.save());
  EXPECT_TRUE(bit_equal(ones.loo(problem, lambda_values), loo));
}

TEST(StreamChunks, AnyOrderOfRows) {
  for_each_setting([](bool weighted, bool intercept) {
    const Problem problem = problem_of(4, 1500, 5, weighted, intercept);
    const Answers expected = answers(problem);
    Random random(5);
    for (int order = 0; order < 3; ++order) {
      std::vector<std::int64_t> rows = random.permutation(1500);
      if (order == 0) std::iota(rows.rbegin(), rows.rend(), 0);
      expect_same(answers(Accumulator(rows_of(problem, rows), 250), problem), expected, 1e-12);
    }
  });
}

// Pieces of 1, 2, ..., rows and more; the last ones are reduced before they are merged.
std::vector<Accumulator> pieces(const Problem& problem) {
  std::vector<Accumulator> out;
  std::int64_t first = 0;
  for (const std::int64_t size : {1, 2, 5, 40, 530, 3, 1200, 600, 19}) {
    out.emplace_back(slice(problem, first, size), 64);
    first += size;
  }
  EXPECT_EQ(first, problem.x.rows);
  return out;
}

TEST(StreamMerge, AnyTreeGivesTheAnswersOfAllRows) {
  for_each_setting([](bool weighted, bool intercept) {
    const Problem problem = problem_of(6, 2400, 6, weighted, intercept);
    const Answers expected = answers(problem);

    const std::vector<Accumulator> from = pieces(problem);
    Accumulator forward(6, 2, intercept), backward(6, 2, intercept);
    for (const Accumulator& piece : from) forward.merge(piece);
    std::for_each(from.rbegin(), from.rend(), [&](const Accumulator& piece) { backward.merge(piece); });
    expect_same(answers(forward, problem), expected, 1e-12);
    expect_same(answers(backward, problem), expected, 1e-12);

    std::vector<Accumulator> tree = pieces(problem);
    while (tree.size() > 1) {
      std::vector<Accumulator> next;
      for (std::size_t k = 0; k < tree.size(); k += 2) {
        if (k + 1 < tree.size()) tree[k].merge(tree[k + 1]);
        next.push_back(std::move(tree[k]));
      }
      tree = std::move(next);
    }
    expect_same(answers(tree[0], problem), expected, 1e-12);

    // and rows after a merge
    Accumulator mixed(slice(problem, 1200, 1200));
    mixed.merge(Accumulator(slice(problem, 0, 700), 100));
    mixed.add(slice(problem, 700, 500));
    expect_same(answers(mixed, problem), expected, 1e-12);
    for (const Accumulator* each : {&forward, &backward, &tree[0], &mixed}) {
      EXPECT_EQ(each->n(), 2400);
      EXPECT_NEAR(each->sum_w(), Accumulator(problem).sum_w(), 1e-11);
    }
  });
}

TEST(StreamMerge, WithNothing) {
  const Problem problem = problem_of(7, 900, 3, true, true);
  const Accumulator full(problem), empty(3, 2, true);
  const auto bytes = full.save(), no_bytes = empty.save();
  Accumulator left(problem), right(3, 2, true);
  left.merge(empty);
  right.merge(full);
  EXPECT_EQ(left.save(), bytes);
  EXPECT_EQ(right.save(), bytes);
  EXPECT_EQ(full.save(), bytes);
  EXPECT_EQ(empty.save(), no_bytes);
}

// What was answered before more rows came is forgotten.
TEST(StreamMerge, AnswersInBetweenLeaveNoTrace) {
  for_each_setting([](bool weighted, bool intercept) {
    const Problem all = problem_of(9, 300, 4, weighted, intercept), some = slice(all, 0, 200), few = slice(all, 0, 100);
    Accumulator accumulator(few);
    expect_same(answers(accumulator, few), answers(few), 1e-12);
    accumulator.merge(Accumulator(slice(all, 100, 100)));
    expect_same(answers(accumulator, some), answers(some), 1e-12);
    accumulator.add(slice(all, 200, 100));
    expect_same(answers(accumulator, all), answers(all), 1e-12);
  });
}

// Machines that saw different parts of the data: their means differ by much more than their spread, and the pieces are
// still brought together without loss. The oracle's x is the same, exactly, 2^24 lower.
TEST(StreamMerge, PartsWithMeansOfTheirOwn) {
  Random random(8);
  for (const bool weighted : {false, true}) {
    Problem problem = random_problem(random, KernelSpec::linear(), 60, 3, 2, weighted, true);
    for (double& value : problem.x.values) value = std::round(value * 0x1p20) / 0x1p20;
    for (std::int64_t i = 0; i < 60; ++i) problem.x(i, 0) += static_cast<double>(i / 20) * 4;
    Problem moved = problem;
    moved.x = shifted(problem.x, 0x1p24);
    Accumulator whole(3, 2, true);
    for (const std::int64_t first : {40, 0, 20}) whole.merge(Accumulator(slice(moved, first, 20), 6));
    for (const double lambda : {0.0, 0.2}) {
      const Planes planes = whole.solve({lambda});
      // The digits that b has to give for its 2^24 w are those of x itself, 2^24 eps; w and the errors lose none.
      const Accumulator low(problem);
      const Planes expected = low.solve({lambda});
      EXPECT_CLOSE(planes.w, expected.w, 1e-12);
      EXPECT_CLOSE(whole.loo(moved, {lambda}), low.loo(problem, {lambda}), 1e-12);
      Matrix b = expected.b;
      for (std::int64_t j = 0; j < 2; ++j)
        for (std::int64_t k = 0; k < 3; ++k) b(j, 0) -= 0x1p24 * expected.w(k, j);
      EXPECT_CLOSE(planes.b, b, 1e-12);
      if (lambda == 0) continue;
      EXPECT_CLOSE(planes.w, oracle::hyperplane(problem, oracle::fit(problem, lambda)), 1e-12);
      EXPECT_CLOSE(whole.loo(moved, {lambda}), oracle::loo(problem, lambda), 1e-12);
    }
  }
}

// x and Y far from zero cost no digits: x + 2^20 and Y - 2^20 are exact here.
TEST(StreamScale, LargeMeans) {
  Problem problem = problem_of(9, 1800, 4, true, true);
  for (double& value : problem.x.values) value = std::round(value * 0x1p20) / 0x1p20;
  for (double& value : problem.y.values) value = std::round(value * 0x1p20) / 0x1p20;
  Problem moved = problem;
  moved.x = shifted(problem.x, 0x1p20);
  moved.y = shifted(problem.y, -0x1p20);
  for (const std::int64_t chunk : {1, 1000}) {
    const Answers actual = answers(Accumulator(moved, chunk), moved), expected = answers(problem);
    EXPECT_CLOSE(actual.w, expected.w, 1e-12);
    EXPECT_CLOSE(actual.loo, expected.loo, 1e-12);
    EXPECT_CLOSE(actual.gcv, expected.gcv, 1e-12);
    EXPECT_CLOSE(actual.reml, expected.reml, 1e-12);
  }
}

// The first row sets the shift at first. When it is far off, and of no weight, nothing is lost once the mean is known:
// all differences are exact here, and so are the weights' square roots.
TEST(StreamScale, AFirstRowFarAway) {
  Problem problem = problem_of(10, 1500, 3, true, true);
  for (double& value : problem.x.values) value = std::round(value * 0x1p20) / 0x1p20;
  for (std::int64_t k = 0; k < 3; ++k) problem.x(0, k) = 0x1p24;
  problem.weights.assign(1500, 1.0);
  problem.weights[0] = 0x1p-60;
  const Answers actual = answers(Accumulator(problem, 50), problem), expected = answers(problem);
  EXPECT_CLOSE(actual.w, expected.w, 1e-12);
  EXPECT_CLOSE(actual.b, expected.b, 1e-12);
}

TEST(StreamScale, UnitsOfXAndYAndWeights) {
  const Problem problem = problem_of(11, 600, 3, true, true);
  const Accumulator expected(problem);
  const Planes planes = expected.solve({0.2});
  const Matrix loo = expected.loo(problem, {0.2});
  for (const double unit : {0x1p490, 0x1p-490}) {  // 3e147
    SCOPED_TRACE(unit);
    Problem moved = problem;
    moved.x = scaled(problem.x, unit);
    const Accumulator of_x(moved, 100);
    EXPECT_CLOSE(scaled(of_x.solve({0.2 * unit * unit}).w, unit), planes.w, 1e-13);
    EXPECT_CLOSE(of_x.loo(moved, {0.2 * unit * unit}), loo, 1e-13);
    for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_REML})
      EXPECT_CLOSE(of_x.score(criterion, {0.2 * unit * unit}), expected.score(criterion, {0.2}), 1e-12);

    moved = problem;
    moved.y = scaled(problem.y, unit);
    const Accumulator of_y(moved, 100);
    EXPECT_CLOSE(of_y.solve({0.2}).w, scaled(planes.w, unit), 1e-13);
    EXPECT_CLOSE(of_y.solve({0.2}).b, scaled(planes.b, unit), 1e-13);
    EXPECT_CLOSE(of_y.loo(moved, {0.2}), scaled(loo, unit), 1e-13);
    EXPECT_CLOSE(of_y.score(FREERIDGE_GCV, {0.2}), scaled(expected.score(FREERIDGE_GCV, {0.2}), unit * unit), 1e-12);

    moved = problem;
    for (double& weight : moved.weights) weight *= unit;
    const Accumulator of_w(moved, 100);
    EXPECT_CLOSE(of_w.solve({0.2 * unit}).w, planes.w, 1e-13);
    EXPECT_CLOSE(of_w.solve({0.2 * unit}).b, planes.b, 1e-13);
    EXPECT_CLOSE(of_w.loo(moved, {0.2 * unit}), loo, 1e-13);
  }
}

TEST(StreamThreads, ConstCallsSideBySide) {
  const Problem problem = problem_of(12, 1200, 5, true, true);
  const Answers expected = answers(Accumulator(problem), problem);
  const auto bytes = Accumulator(problem).save();
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Accumulator accumulator(problem);  // nothing is solved yet: the threads are the first to ask
    std::vector<Answers> actual(4);
    std::vector<std::vector<unsigned char>> saved(4);
    std::vector<Accumulator> merged;
    for (int k = 0; k < 4; ++k) merged.emplace_back(5, 2, true);
    std::vector<std::thread> running;
    for (std::size_t k = 0; k < 4; ++k)
      running.emplace_back([&, k] {
        actual[k] = answers(accumulator, problem);
        saved[k] = accumulator.save();
        merged[k].merge(accumulator);
      });
    for (std::thread& thread : running) thread.join();
    for (std::size_t k = 0; k < 4; ++k) {
      expect_same(actual[k], expected, 1e-13);
      EXPECT_EQ(saved[k], bytes);
      EXPECT_EQ(merged[k].save(), bytes);
    }
  }
}

}  // namespace chunks_test
