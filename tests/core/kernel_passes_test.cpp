// Passes over all kernel values: the loops they are made of, with each instruction set, against long double; and products
// with the kernel matrix against those with its values, in both precisions, the same bits with one thread and two.
#include "libcore/kernel/kernel_passes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "libcore/linalg/threads.hpp"
#include "support/random.hpp"

namespace kernel_passes_test {

using freeridge::all_pass_loops;
using freeridge::Index;
using freeridge::KernelPasses;
using freeridge::Matrix;
using freeridge::PassLoops;
using freeridge::Precision;
using freeridge::Rows;
using freeridge::TileLoops;
using support::Random;
using Real = long double;

constexpr Index side = PassLoops::side, together = PassLoops::together;

template <class Number>
std::vector<Number> numbers(Random& random, Index count, double largest) {
  std::vector<Number> out(static_cast<std::size_t>(count));
  for (Number& value : out) value = static_cast<Number>(random.uniform(-largest, largest));
  return out;
}

// Points near and far: the first ones of b are those of a, some are so far away that nothing is left.
template <class Number>
void expect_values(const TileLoops<Number>& loops, double factor) {
  struct Case {
    typename TileLoops<Number>::Tile tile;
    bool squared;
    std::function<Real(Real)> value;
  };
  const Case cases[] = {{loops.gaussian, true, [](Real v) { return std::exp(-v); }},
                        {loops.laplacian, false, [](Real u) { return std::exp(-u); }},
                        {loops.matern32, false, [](Real u) { return (1 + u) * std::exp(-u); }},
                        {loops.matern52, false, [](Real u) { return (1 + u + u * u / 3) * std::exp(-u); }}};
  constexpr Index d = 3;
  Random random(71);
  std::vector<Number> a = numbers<Number>(random, d * side, 2), b = numbers<Number>(random, d * side, 2);
  for (std::size_t k = 0; k < d; ++k) {
    for (std::size_t j = 0; j < 8; ++j) b[k * side + j] = a[k * side + j];
    for (std::size_t j = 8; j < 16; ++j) b[k * side + j] *= static_cast<Number>(j == 15 ? 1e17 : 10);
  }
  std::vector<Number> tile(side * side);
  for (const Case& c : cases) {
    c.tile(a.data(), b.data(), d, factor, tile.data());
    Real worst = 0;
    for (std::size_t j = 0; j < side; ++j)
      for (std::size_t i = 0; i < side; ++i) {
        Real r2 = 0;
        for (std::size_t k = 0; k < d; ++k) r2 += std::pow(Real{a[k * side + i]} - Real{b[k * side + j]}, 2);
        const Real v = factor * (c.squared ? r2 : std::sqrt(r2));
        worst = std::max(worst, std::abs(tile[j * side + i] - c.value(v)));
        ASSERT_TRUE(r2 > 0 || tile[j * side + i] == 1);
      }
    EXPECT_LE(worst, 2.5 * std::numeric_limits<Number>::epsilon()) << "kernel " << (&c - cases);
  }
}

template <class Number>
void expect_products(const TileLoops<Number>& loops) {
  Random random(72);
  const std::vector<Number> tile = numbers<Number>(random, side * side, 1),
                            p_a = numbers<Number>(random, side * together, 1),
                            p_b = numbers<Number>(random, side * together, 1);
  const std::vector<double> start = numbers<double>(random, side * together, 1);
  std::vector<double> own = start, other = start;
  loops.products(tile.data(), p_a.data(), p_b.data(), own.data(), other.data());
  const auto at = [](Index i, Index c) { return static_cast<std::size_t>(PassLoops::place<Number>(i, c)); };
  const double allowed = 16 * std::sqrt(side) * std::numeric_limits<Number>::epsilon();
  for (Index c = 0; c < together; ++c)
    for (Index i = 0; i < side; ++i) {
      Real of_own = start[at(i, c)], of_other = start[at(i, c)];
      for (Index j = 0; j < side; ++j) {
        of_own += Real{tile[static_cast<std::size_t>(j * side + i)]} * p_b[at(j, c)];
        of_other += Real{tile[static_cast<std::size_t>(i * side + j)]} * p_a[at(j, c)];
      }
      ASSERT_NEAR(own[at(i, c)], static_cast<double>(of_own), allowed);
      ASSERT_NEAR(other[at(i, c)], static_cast<double>(of_other), allowed);
    }
}

TEST(KernelPasses, LoopsOfEachInstructionSet) {
  for (const PassLoops* const loops : all_pass_loops()) {
    SCOPED_TRACE(loops == &freeridge::pass_loops() ? "the best" : "another");
    for (const double factor : {1.0, 0.3}) {
      expect_values(loops->floats, factor);
      expect_values(loops->doubles, factor);
    }
    expect_products(loops->floats);
    expect_products(loops->doubles);
  }
}

// Points that fill no tile; the kernels that have loops of their own, and others.
TEST(KernelPasses, ProductsWithTheKernelMatrix) {
  constexpr Index n = 2 * side + 77, d = 3, k = 11;
  Random random(73);
  Matrix x(n, d), p(n, k);
  for (double& value : x.values()) value = random.uniform(-2.0, 2.0) + 5;
  for (double& value : p.values()) value = random.uniform(-1.0, 1.0);
  for (Index i = 0; i < n; ++i) p(i, 3) *= 1e-60;
  freeridge::Array<double> sqrt_w;
  for (Index i = 0; i < n; ++i) sqrt_w.push_back(random.uniform(0.5, 2.0));
  const double scale[] = {0.5, 3, 1}, weights[] = {2, 1};
  for (const freeridge::KernelPtr& kernel :
       {freeridge::gaussian_kernel(1.5), freeridge::laplacian_kernel(2), freeridge::matern_kernel(1.5, 2),
        freeridge::scaled_kernel(freeridge::matern_kernel(2.5, 1), scale), freeridge::gaussian_kernel(1e-155),
        freeridge::sum_kernel({freeridge::gaussian_kernel(1), freeridge::linear_kernel()}, weights)}) {
    SCOPED_TRACE(kernel->name());
    const KernelPasses passes(kernel, Rows(layout_view(x)), sqrt_w);
    Matrix values(n, n), one(n, k), two(n, k);
    kernel->evaluate(x.view(), x.view(), values.view());
    for (const Precision precision : {Precision::double_precision, Precision::single_precision}) {
      const bool single = precision == Precision::single_precision;
      if (single && !passes.has_single()) continue;
      freeridge::set_thread_count(1);
      passes.multiply(p.view(), one.view(), precision);
      freeridge::set_thread_count(2);
      passes.multiply(p.view(), two.view(), precision);
      freeridge::set_thread_count(0);
      for (const Index c : {0, 3, 10})
        for (Index i = 0; i < n; ++i) {
          Real sum = 0, size = 0;
          for (Index j = 0; j < n; ++j) {
            const Real term = sqrt_w[i] * Real{values(i, j)} * sqrt_w[j] * p(j, c);
            sum += term;
            size += std::abs(term);
          }
          ASSERT_LE(std::abs(one(i, c) - sum), (single ? 1e-6 : 2e-15) * size) << i << ", " << c;
          ASSERT_EQ(one(i, c), two(i, c));
        }
    }
  }
}

}  // namespace kernel_passes_test
