// Gaps beside groups, rows that are left out and not scored: against refits in long double without both, on every route;
// what was set is kept, saved and cloned; blocks with gaps by their definition.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>

#include "support/compare.hpp"
#include "support/landmark_oracle.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/saved.hpp"
#include "support/sparse.hpp"
#include "support/unpenalised.hpp"

namespace gaps_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double lambda = 0.3;

struct Way {
  const char* name;
  freeridge_route route;
  Family family;
  std::int64_t n, d;
  bool landmarks = false, sparse = false;
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
  return out << way.name;
}

const Way ways[] = {
    {"Cholesky", FREERIDGE_ROUTE_CHOLESKY, Family::gaussian, 24, 3},
    {"Spectral", FREERIDGE_ROUTE_SPECTRAL, Family::gaussian, 24, 3},
    {"SpectralLinear", FREERIDGE_ROUTE_SPECTRAL, Family::linear, 24, 4},
    {"Band", FREERIDGE_ROUTE_BAND, Family::matern52, 40, 3},
    {"Primal", FREERIDGE_ROUTE_PRIMAL, Family::linear, 24, 5},
    {"PrimalWide", FREERIDGE_ROUTE_PRIMAL, Family::linear, 18, 30},
    {"PrimalHardlyTall", FREERIDGE_ROUTE_PRIMAL, Family::linear, 20, 16},
    {"PrimalSparse", FREERIDGE_ROUTE_PRIMAL, Family::linear, 60, 20, false, true},
    {"Landmark", FREERIDGE_ROUTE_LANDMARK, Family::gaussian, 30, 3, true},
};

struct Blocks {
  Labels group, gap;
  std::int64_t layers = -1;
};

Blocks blocks(std::int64_t n, std::int32_t folds, std::int64_t before, std::int64_t after) {
  Blocks out{Labels(static_cast<std::size_t>(n)), {}};
  check(freeridge_make_blocks(n, folds, before, after, &out.layers, out.group.data(), nullptr),
        "freeridge_make_blocks");
  out.gap.assign(static_cast<std::size_t>(n * out.layers), -7);
  check(freeridge_make_blocks(n, folds, before, after, nullptr, nullptr, out.gap.data()), "freeridge_make_blocks");
  return out;
}

bool beside(const Blocks& blocks, std::int64_t row, std::int32_t label) {
  const auto n = static_cast<std::int64_t>(blocks.group.size());
  for (std::int64_t l = 0; l < blocks.layers; ++l)
    if (blocks.gap[static_cast<std::size_t>(l * n + row)] == label) return true;
  return false;
}

// The errors of each group, refitted without it and its gap: refit leaves the rows with label 0 out.
Matrix refitted(const Blocks& blocks, std::int64_t t, const std::function<Matrix(const Labels&)>& refit) {
  const auto n = static_cast<std::int64_t>(blocks.group.size());
  Matrix out(n, t, nan);
  for (std::int32_t label = 0; label < n; ++label) {
    Labels out_of_use(blocks.group.size(), -1);
    bool any = false;
    for (std::int64_t i = 0; i < n; ++i) {
      const bool own = blocks.group[static_cast<std::size_t>(i)] == label;
      any = any || own;
      if (own || beside(blocks, i, label)) out_of_use[static_cast<std::size_t>(i)] = 0;
    }
    if (!any) continue;
    const Matrix errors = refit(out_of_use);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < t && blocks.group[static_cast<std::size_t>(i)] == label; ++j)
        out(i, j) = errors(i, j);
  }
  return out;
}

class Gaps : public ::testing::TestWithParam<Way> {
 protected:
  void make(bool weighted, bool intercept) {
    const Way& way = GetParam();
    Random random(812);
    problem = random_problem(random, kernel_of(way.family, way.d), way.n, way.d, 2, weighted, intercept);
    for (std::int64_t k = 0; k < way.d && way.sparse; ++k)
      for (std::int64_t i = 0; i < way.n; ++i)
        if ((i * 7 + k * 5) % 3 != 0) problem.x(i, k) = 0;
    model = oracle::make_model(problem, way.route);
    if (way.sparse) check(set_sparse(model.get(), Sparse(problem.x, FREERIDGE_CSR), problem.y, false), "set_sparse");
    model.weights(problem.weights);
    if (way.landmarks) support::set_landmarks(model, landmarks);
    model.factorize().lambda(lambda);
  }
  Matrix expected(const Blocks& of) const {
    return refitted(of, 2, [&](const Labels& out) {
      return GetParam().landmarks ? oracle::LandmarkOracle(problem, landmarks).group_errors(out, lambda)
                                  : oracle::group_errors(problem, out, lambda);
    });
  }

  const std::vector<std::int64_t> landmarks = {1, 4, 9, 15, 22, 27};
  Problem problem;
  Model model{Kernel::linear()};
};

TEST_P(Gaps, AreLeftOutAsByRefits) {
  for (const bool weighted : {false, true}) {
    make(weighted, !weighted);
    const std::int64_t n = GetParam().n;
    Blocks forward = blocks(n, 4, 0, n);  // a block from its past alone
    for (std::int64_t i = 0; i < n / 4; ++i) forward.group[static_cast<std::size_t>(i)] = -1;
    Blocks drawn{modulo_groups(n, 5), modulo_groups(2 * n, 7), 2};  // labels 5 and 6 are those of no group
    drawn.group[3] = -1;
    for (const Blocks& of : {blocks(n, 6, 2, 1), blocks(n, 8, n / 8 + 2, n / 4), forward, drawn}) {
      SCOPED_TRACE(::testing::Message() << of.layers << " layers" << (weighted ? ", weights" : ""));
      const Matrix errors = expected(of);
      EXPECT_CLOSE(model.group_errors(of.group, of.gap), errors, 1e-10);
      model.groups(of.group, 1, of.gap, of.layers);
      const Matrix score = model.score(FREERIDGE_GROUPS, {lambda});
      for (std::int64_t j = 0; j < 2; ++j) {
        Real sum = 0, weights = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          if (std::isnan(errors(i, j))) continue;
          weights += problem.weight(i);
          sum += static_cast<Real>(problem.weight(i)) * errors(i, j) * errors(i, j);
        }
        EXPECT_NEAR(score(0, j), static_cast<double>(sum / weights), 1e-10 * score(0, j));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, Gaps, ::testing::ValuesIn(ways), [](const auto& of) { return of.param.name; });

// Of two divisions each has its own gaps, which the search judges by; they are kept, cloned and saved, and go with the
// groups.
TEST(GapsOfAModel, AreKeptAndSearchedBy) {
  Random random(5);
  const Problem problem = random_problem(random, kernel_of(Family::gaussian, 2), 20, 2, 1, false, true);
  const Blocks first = blocks(20, 4, 3, 3), second = blocks(20, 5, 0, 1);
  ASSERT_EQ(first.layers, 2);
  ASSERT_EQ(second.layers, 1);
  Labels group = first.group, gap = first.gap;
  group.insert(group.end(), second.group.begin(), second.group.end());
  gap.insert(gap.end(), second.gap.begin(), second.gap.end());
  gap.resize(80, -1);
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
  const auto gaps_of = [](const freeridge_model* of) {
    std::int64_t layers = -1;
    check(freeridge_get_groups(of, nullptr, nullptr, &layers, nullptr), "freeridge_get_groups");
    Labels out(static_cast<std::size_t>(40 * layers), -7);
    check(freeridge_get_groups(of, nullptr, nullptr, nullptr, out.data()), "freeridge_get_groups");
    return out;
  };
  model.groups(group, 2, gap, 2).factorize();
  EXPECT_EQ(gaps_of(model.get()), gap);
  const auto mean = [&](double at) {
    Model one = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
    one.factorize();
    const double of_first = one.groups(first.group, 1, first.gap, 2).score(FREERIDGE_GROUPS, {at})(0, 0);
    return (of_first + one.groups(second.group, 1, second.gap).score(FREERIDGE_GROUPS, {at})(0, 0)) / 2;
  };
  const double chosen = model.select_lambda(FREERIDGE_GROUPS, 1e-4, 1e2).lambda[0];
  const double best = mean(chosen);
  for (const double factor : {0.5, 0.9, 1.1, 2.0}) EXPECT_LE(best, mean(factor * chosen) * (1 + 1e-9));
  EXPECT_NEAR(model.score(FREERIDGE_GROUPS, {chosen})(0, 0), best, 1e-12 * best);

  freeridge_model* clone = nullptr;
  check(freeridge_clone(model.get(), &clone), "freeridge_clone");
  EXPECT_EQ(gaps_of(clone), gap);
  freeridge_destroy(clone);
  EXPECT_EQ(gaps_of(loaded(saved(model.get())).get()), gap);
  model.groups(group, 2);
  EXPECT_EQ(gaps_of(model.get()), Labels());
  model.groups(group, 2, gap, 2).groups(first.group);
  std::int64_t layers = -1;
  check(freeridge_get_groups(model.get(), nullptr, nullptr, &layers, nullptr), "freeridge_get_groups");
  EXPECT_EQ(layers, 0);
}

// A fixed effect that only the rows of a block and its gap have is not determined without both, though it is without each.
TEST(GapsOfAModel, AreAskedWithTheirGroupWhetherTheOthersDetermineTheEffects) {
  Random random(6);
  const Problem problem = random_problem(random, kernel_of(Family::gaussian, 2), 12, 2, 1, false, true);
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_CHOLESKY);
  Matrix effect(12, 1);
  effect(3, 0) = effect(4, 0) = effect(7, 0) = 1;
  set_unpenalised(model, effect);
  model.factorize().lambda(1);
  const Labels group = {-1, -1, -1, 0, 0, -1, 1, 1, -1, -1, -1, -1};
  freeridge_status status = FREERIDGE_INTERNAL;
  EXPECT_FALSE(std::isnan(model.group_errors(group)(3, 0)));
  Labels gap(12, -1);
  gap[7] = 0;
  const Matrix errors = model.group_errors(group, gap, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  EXPECT_TRUE(std::isnan(errors(3, 0)));
  EXPECT_FALSE(std::isnan(errors(7, 0)));
}

TEST(BlocksWithGaps, AreRunsOfRowsAndTheirNeighbours) {
  for (const std::int64_t n : {2, 7, 10, 31})
    for (const std::int32_t folds : {2, 3, 7, 31})
      for (const std::int64_t before : {0, 1, 4, 40})
        for (const std::int64_t after : {0, 2, 9}) {
          if (folds > n) continue;
          SCOPED_TRACE(::testing::Message() << n << " rows, " << folds << " folds, " << before << ", " << after);
          const Blocks made = blocks(n, folds, before, after);
          std::vector<std::int64_t> begin(static_cast<std::size_t>(folds + 1), n);
          std::int64_t most = 0;
          for (std::int64_t i = n; i-- > 0;)
            begin[static_cast<std::size_t>(made.group[static_cast<std::size_t>(i)])] = i;
          for (std::int32_t f = 0; f < folds; ++f) {
            const std::int64_t first = begin[static_cast<std::size_t>(f)], end = begin[static_cast<std::size_t>(f) + 1];
            EXPECT_GE(end - first, n / folds);
            EXPECT_LE(end - first, (n + folds - 1) / folds);
            for (std::int64_t i = 0; i < n; ++i) {
              EXPECT_EQ(made.group[static_cast<std::size_t>(i)] == f, i >= first && i < end);
              EXPECT_EQ(beside(made, i, f), (i >= first - before && i < first) || (i >= end && i < end + after));
            }
          }
          for (std::int64_t i = 0; i < n; ++i) {
            std::int64_t gaps = 0;
            for (std::int32_t f = 0; f < folds; ++f) gaps += beside(made, i, f) ? 1 : 0;
            most = std::max(most, gaps);
          }
          EXPECT_EQ(made.layers, most);
        }
}

}  // namespace gaps_test
