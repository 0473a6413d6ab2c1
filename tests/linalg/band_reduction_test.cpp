// A = Q B Q' and Q'Q = I, for sizes around the bandwidth, the panels and the blocks of reflectors, each with one bandwidth
// and, deep, with all; Q applied before, amid and after it is formed.
#include "libcore/linalg/band_reduction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "linalg/dense.hpp"
#include "support/deep.hpp"

namespace band_reduction_test {

using namespace freeridge;

struct Case {
  const char* name;
  Matrix (*make)(Index m);
};

Matrix gaussian_like(Index m) {
  Matrix a(m, m);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < m; ++i) {
      const double gap = static_cast<double>(i - j) / 20;
      a(i, j) = std::exp(-gap * gap);
    }
  return a;
}

Matrix random_symmetric(Index m) {
  Matrix a = dense::random(m, m, 11);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < j; ++i) a(i, j) = a(j, i);
  return a;
}

Matrix diagonal(Index m) {
  Matrix a(m, m, 0.0);
  for (Index i = 0; i < m; ++i) a(i, i) = static_cast<double>(1 + i % 7);
  return a;
}

Matrix rank_one(Index m) {
  return Matrix(m, m, 3.0);
}

Matrix zero(Index m) {
  return Matrix(m, m, 0.0);
}

Matrix tiny(Index m) {
  Matrix a = random_symmetric(m);
  for (double& value : a.values()) value *= 1e-290;
  return a;
}

constexpr Case cases[] = {{"gaussian", gaussian_like},
                          {"random", random_symmetric},
                          {"diagonal", diagonal},
                          {"rank one", rank_one},
                          {"zero", zero},
                          {"tiny", tiny}};

// Only the lower triangle may be read.
Matrix lower_alone(const Matrix& a) {
  Matrix out = dense::copy(a);
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < j; ++i) out(i, j) = std::numeric_limits<double>::quiet_NaN();
  return out;
}

TEST(BandReduction, GivesTheMatrixBack) {
  int turn = 0;
  for (const Case& c : cases)
    for (const Index b : {16, 32, 64})
      for (const Index m : {1, 2, 15, 16, 17, 18, 31, 33, 64, 65, 100, 145, 200, 301}) {
        if (!support::deep() && turn++ % 3 != 0) continue;  // each size with one bandwidth
        SCOPED_TRACE(::testing::Message() << c.name << ", b = " << b << ", m = " << m);
        const Matrix a = c.make(m);
        Matrix storage = lower_alone(a);
        BandMatrix band;
        BandBasis q(storage.view(), b, band);
        ASSERT_EQ(band.bandwidth(), b);
        ASSERT_EQ(band.size(), m);

        const Matrix x = dense::random(m, 3, 12);
        Matrix before = dense::copy(x), before_transposed = dense::copy(x);
        q.multiply(before.view());
        q.multiply_transposed(before_transposed.view());

        q.form();
        ASSERT_TRUE(q.formed());
        const Matrix full = dense::full(band), qb = dense::product(q.q(), full.view()),
                     back = dense::product(qb.view(), q.q(), true), square = dense::product(q.q(), q.q(), true);
        const double limit = 2e-14 * std::sqrt(static_cast<double>(m));
        EXPECT_LE(dense::difference(square.view(), dense::identity(m).view()), limit);
        EXPECT_LE(dense::difference(back.view(), a.view()), 1e-14 * dense::norm(a.view()));

        Matrix after = dense::copy(x), after_transposed = dense::copy(x);
        q.multiply(after.view());
        q.multiply_transposed(after_transposed.view());
        EXPECT_LE(dense::difference(after.view(), dense::product(q.q(), x.view()).view()), limit);
        EXPECT_LE(dense::difference(after.view(), before.view()), limit);
        EXPECT_LE(dense::difference(after_transposed.view(), before_transposed.view()), limit);
      }
}

// Forms Q until another block is formed, and then cancels. Returns whether that happened.
bool cancelled_after_a_block(BandBasis& q) {
  struct Before {
    const BandBasis* q;
    Index formed_from;
  } before{&q, q.formed_from()};
  const auto hear = [](double, void* user) -> std::int32_t {
    const auto* was = static_cast<Before*>(user);
    return was->q->formed_from() < was->formed_from ? 1 : 0;
  };
  try {
    const Hearing hearing(Listener{hear, &before});
    q.form();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::cancelled);
    return true;
  }
  return false;
}

TEST(BandReduction, FormingGoesOnAfterCancelling) {
  const Index m = 1000;
  Matrix storage = gaussian_like(m), other = gaussian_like(m);
  BandMatrix band;
  BandBasis q(storage.view(), 16, band), straight(other.view(), 16, band);
  straight.form();
  const Matrix x = dense::random(m, 2, 13);
  const auto expect_same = [&] {
    for (const bool transposed : {false, true}) {
      Matrix one = dense::copy(x), two = dense::copy(x);
      transposed ? q.multiply_transposed(one.view()) : q.multiply(one.view());
      transposed ? straight.multiply_transposed(two.view()) : straight.multiply(two.view());
      EXPECT_LE(dense::difference(one.view(), two.view()), 1e-13);
    }
  };
  expect_same();
  int cancelled = 0;
  while (!q.formed()) {
    if (cancelled_after_a_block(q)) ++cancelled;
    expect_same();
  }
  EXPECT_GE(cancelled, 3);
  EXPECT_EQ(dense::difference(q.q(), straight.q()), 0.0);
}

TEST(BandReduction, IsRestoredFromItsNumbersAtEachBlock) {
  // With nothing of Q formed, with parts of it, and with all.
  const Index m = 700;
  for (const Case& c : cases) {
    if (!support::deep() && c.make != gaussian_like && c.make != rank_one) continue;
    SCOPED_TRACE(c.name);
    Matrix storage = c.make(m);
    BandMatrix band;
    BandBasis q(storage.view(), 16, band);
    const Matrix x = dense::random(m, 2, 14);
    for (bool last = false; !last;) {
      last = q.formed();
      SCOPED_TRACE(::testing::Message() << "formed from " << q.formed_from());
      Matrix other(m, m, std::numeric_limits<double>::quiet_NaN());
      BandBasis copy(other.view(), 16, {q.tau().begin(), q.tau().end()}, q.formed_from());
      std::vector<double> numbers;
      q.each_run([&](std::span<const double> run) { numbers.insert(numbers.end(), run.begin(), run.end()); });
      for (const double value : numbers) ASSERT_LE(std::abs(value), 1 + 1e-12);
      std::size_t at = 0;
      copy.each_run([&](std::span<double> run) {
        ASSERT_LE(at + run.size(), numbers.size());
        std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(at), run.size(), run.begin());
        at += run.size();
      });
      EXPECT_EQ(at, numbers.size());
      for (const bool transposed : {false, true}) {
        Matrix one = dense::copy(x), two = dense::copy(x);
        transposed ? q.multiply_transposed(one.view()) : q.multiply(one.view());
        transposed ? copy.multiply_transposed(two.view()) : copy.multiply(two.view());
        EXPECT_TRUE(std::ranges::equal(one.values(), two.values()));
      }
      copy.form();
      Matrix straight = dense::copy(storage);
      BandBasis rest(straight.view(), 16, {q.tau().begin(), q.tau().end()}, q.formed_from());
      rest.form();
      EXPECT_EQ(dense::difference(copy.q(), rest.q()), 0.0);
      cancelled_after_a_block(q);
    }
  }
}

TEST(BandReduction, NothingFiniteFromInfinity) {
  Matrix a = random_symmetric(60);
  a(40, 10) = std::numeric_limits<double>::infinity();
  BandMatrix band;
  const BandBasis q(a.view(), 16, band);
  double sum = 0;
  for (const double value : band.values.values()) sum += value;
  EXPECT_FALSE(std::isfinite(sum));
}

}  // namespace band_reduction_test
