// The hard margin, lambda = 0: against all sets of active constraints of small problems, tried one after another in long
// double; closed forms; classes that overlap; what goes on after it.
#include <optional>

#include "losses/classifier.hpp"

namespace hard_margin_test {

using namespace losses;

constexpr Real too_large = 1e10;  // |f|^2 of a singular set, whose pivots are rounding

struct Solution {
  std::vector<Real> f;  // f(x_i) + b
  Real square = 0;      // the norm that is minimised
};

// min 1/2 c'K c subject to y_i ((K c)_i + b) >= 1. On the set S of active constraints c solves
//     [ K_SS  1 ] [c]   [y_S]
//     [ 1'    0 ] [b] = [ 0 ]           (without intercept: the first block alone)
// and is 0 elsewhere; of the sets whose solution fulfils all constraints the one with the smallest norm.
std::optional<Solution> by_active_sets(const Dense& k, const Vector& y, bool intercept) {
  const auto n = static_cast<std::int64_t>(y.size());
  std::optional<Solution> best;
  for (std::int64_t set = 1; set < std::int64_t{1} << n; ++set) {
    std::vector<std::int64_t> active;
    for (std::int64_t i = 0; i < n; ++i)
      if ((set >> i & 1) != 0) active.push_back(i);
    const auto s = static_cast<std::int64_t>(active.size()), size = s + (intercept ? 1 : 0);
    Dense a(size, size), right(size, 1);
    for (std::int64_t i = 0; i < s; ++i) {
      for (std::int64_t j = 0; j < s; ++j)
        a(i, j) = k(active[static_cast<std::size_t>(i)], active[static_cast<std::size_t>(j)]);
      right(i, 0) = y[static_cast<std::size_t>(active[static_cast<std::size_t>(i)])];
      if (intercept) a(i, s) = a(s, i) = 1;
    }
    Dense z;
    try {
      z = support::solve(a, right);
    } catch (const std::domain_error&) {
      continue;
    }
    Solution found{std::vector<Real>(y.size(), intercept ? z(s, 0) : 0), 0};
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < s; ++j)
        found.f[static_cast<std::size_t>(i)] += k(i, active[static_cast<std::size_t>(j)]) * z(j, 0);
    bool feasible = true;
    for (std::size_t i = 0; i < y.size(); ++i) feasible = feasible && y[i] * found.f[i] >= 1 - 1e-9L;
    for (std::int64_t j = 0; j < s; ++j)
      found.square += z(j, 0) * (found.f[static_cast<std::size_t>(active[static_cast<std::size_t>(j)])] -
                                 (intercept ? z(s, 0) : 0));
    if (feasible && found.square > 0 && found.square < too_large && (!best || found.square < best->square))
      best = found;
  }
  return best;
}

Dense plus_one(Dense k) {
  for (Real& value : k.values) value += 1;
  return k;
}

TEST(HardMargin, IsTheBestOfAllActiveSets) {
  int separable = 0, overlapping = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed)
    for (const freeridge_intercept kind :
         {FREERIDGE_INTERCEPT_NONE, FREERIDGE_INTERCEPT_FREE, FREERIDGE_INTERCEPT_PENALISED})
      for (const bool gaussian : {false, true}) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ", intercept " << kind << ", gaussian " << gaussian);
        const oracle::KernelSpec kernel = gaussian ? oracle::KernelSpec::gaussian(1.2) : oracle::KernelSpec::linear();
        Problem p = random_problem(seed, kernel, 8, 2, seed % 2 == 0, true, seed % 3 == 0 ? 0.2 : 0.0);
        const Dense k = oracle::kernel_matrix(p.kernel, p.x, p.x);
        const bool free = kind == FREERIDGE_INTERCEPT_FREE, penalised = kind == FREERIDGE_INTERCEPT_PENALISED;
        const std::optional<Solution> expected = by_active_sets(penalised ? plus_one(k) : k, p.y, free);
        Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
        m.intercept_kind(kind);
        if (!expected) {
          ++overlapping;
          EXPECT_EQ(freeridge_classifier_fit(m.get(), 0), FREERIDGE_UNDEFINED);
          continue;
        }
        ++separable;
        ASSERT_EQ(freeridge_classifier_fit(m.get(), 0), FREERIDGE_OK) << freeridge_last_error();
        EXPECT_EQ(m.convergence().stationarity <= 1e-8, true);
        const Vector f = m.decision(p.x);
        const double size = static_cast<double>(expected->square);
        for (std::size_t i = 0; i < f.size(); ++i)
          EXPECT_NEAR(f[i], static_cast<double>(expected->f[i]), 1e-6 * (1 + std::abs(f[i])));
        EXPECT_NEAR(m.convergence().objective, size / 2, 1e-7 * size);
        const Duality duality = m.duality();
        EXPECT_LE(duality.dual, size / 2 * (1 + 1e-9));
        EXPECT_GE(duality.primal, size / 2 * (1 - 1e-9));
        EXPECT_LE(duality.gap, 1e-6 * size);
        EXPECT_NEAR(duality.primal - duality.dual, duality.gap, 1e-9 * size);
        Vector alpha(8);
        std::vector<std::int32_t> support(8);
        ASSERT_EQ(freeridge_classifier_get_margins(m.get(), nullptr, nullptr, alpha.data(), support.data()),
                  FREERIDGE_OK);
        for (std::size_t i = 0; i < 8; ++i)
          EXPECT_EQ(support[i], alpha[i] == 0 ? FREERIDGE_SUPPORT_NONE : FREERIDGE_SUPPORT_FREE);
      }
  EXPECT_GT(separable, 60);
  EXPECT_GT(overlapping, 20);
}

// Four corners of a rectangle, at any scale and place: half the street is half the distance of the sides.
TEST(HardMargin, TheWidestStreetAtAnyScale) {
  for (const double scale : {1e-100, 1e-3, 1.0, 1e50})
    for (const double shift : {0.0, 1e4}) {
      SCOPED_TRACE(scale);
      Matrix x(4, 2);
      const Vector first = {0, 0, 4, 4}, second = {0, 1, 0, 1};
      for (std::int64_t i = 0; i < 4; ++i) {
        x(i, 0) = scale * (shift + first[static_cast<std::size_t>(i)]);
        x(i, 1) = scale * second[static_cast<std::size_t>(i)];
      }
      Classifier m(Kernel::linear(), FREERIDGE_LOSS_HINGE);
      m.data(x, {-1, -1, 1, 1}).fit(0);
      EXPECT_NEAR(m.support().margin / scale, 2, 1e-7);
      for (std::int64_t i = 0; i < 4; ++i)
        EXPECT_NEAR(m.distances(x)[static_cast<std::size_t>(i)] / scale, i < 2 ? -2 : 2, 1e-7);
    }
}

// As lambda falls the soft margin comes to the hard one, and stays there.
TEST(HardMargin, IsTheLimitOfSoftMargins) {
  const Problem p = random_problem(7, kernel_of(oracle::Family::gaussian, 3), 60, 3, true, true, 0.1);
  Classifier hard = make_classifier(p, FREERIDGE_LOSS_HINGE), soft = make_classifier(p, FREERIDGE_LOSS_HINGE);
  hard.fit(0);
  soft.fit(1e-9);
  EXPECT_CLOSE(hard.decision(p.x), soft.decision(p.x), 1e-6);
  EXPECT_CLOSE(hard.c(), soft.c(), 1e-5);
  // and goes on from there
  soft.intercept(true).fit(0.3);
  hard.fit(0.3);
  EXPECT_CLOSE(hard.decision(p.x), soft.decision(p.x), 1e-6);
  double lambda = -1;
  ASSERT_EQ(freeridge_classifier_get_lambda(hard.fit(0).get(), &lambda), FREERIDGE_OK);
  EXPECT_EQ(lambda, 0);
}

TEST(HardMargin, OverlappingClassesHaveNone) {
  for (const std::int64_t n : {12, 60, 300}) {
    SCOPED_TRACE(n);
    const Problem p = random_problem(8, oracle::KernelSpec::linear(), n, 2, false, true, 0.2);
    Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
    m.fit(0.5);
    const Vector before = m.c();
    EXPECT_EQ(freeridge_classifier_fit(m.get(), 0), FREERIDGE_UNDEFINED) << freeridge_last_error();
    EXPECT_NE(std::string(freeridge_last_error()).find("lambda is 0"), std::string::npos);
    EXPECT_TRUE(bit_equal(m.c(), before));
  }
  // One point with both labels; all points equal.
  Classifier twice(Kernel::gaussian(1), FREERIDGE_LOSS_HINGE);
  twice.data(to_column({0, 0, 1}), {-1, 1, 1});
  EXPECT_EQ(freeridge_classifier_fit(twice.get(), 0), FREERIDGE_UNDEFINED);
  twice.data(to_column({2, 2, 2}), {-1, 1, 1});
  EXPECT_EQ(freeridge_classifier_fit(twice.get(), 0), FREERIDGE_UNDEFINED);
  // A plane through the origin must separate where there is no intercept.
  Classifier line(Kernel::linear(), FREERIDGE_LOSS_HINGE);
  line.data(to_column({1, 2}), {-1, 1}).intercept(false);
  EXPECT_EQ(freeridge_classifier_fit(line.get(), 0), FREERIDGE_UNDEFINED);
  line.intercept(true).fit(0);
  EXPECT_NEAR(line.decision(to_column({1.5}))[0], 0, 1e-8);
}

}  // namespace hard_margin_test
