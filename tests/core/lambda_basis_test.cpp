// Many lambdas by a few of them: the bound on p itself, and a sweep over many lambdas against the same factorization
// at one lambda after the other, leverages of one and near one among them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "libcore/routes/routes.hpp"
#include "libcore/spectrum/lambda_basis.hpp"
#include "support/random.hpp"

namespace lambda_basis_test {

using freeridge::ConstMatrixView;
using freeridge::Index;
using support::Matrix;
using support::Random;
using support::Vector;

Vector geometric(double low, double high, std::int64_t count) {
  Vector out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(low * std::pow(high / low, static_cast<double>(i) / static_cast<double>(count - 1)));
  return out;
}

struct Range {
  double low, high;
};

// How many columns the same choice of pivots takes in long double, to an eighth of the remainder at which it ends in
// double. There the remainders are rounding errors already, of which double takes up a few columns more: how many of them
// depends on the BLAS.
std::int64_t columns_enough(const freeridge::Matrix& p) {
  const Index rows = p.rows(), count = p.cols();
  std::vector<std::vector<long double>> left;
  for (Index l = 0; l < count; ++l) {
    const double most = *std::max_element(p.col(l), p.col(l) + rows);
    left.emplace_back();
    for (Index k = 0; k < rows; ++k) left.back().push_back(static_cast<long double>(p(k, l)) / most);
  }
  const auto dot = [](const std::vector<long double>& a, const std::vector<long double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0L);
  };
  long double first = 0;
  for (std::int64_t rank = 0;; ++rank) {
    std::vector<long double> q = *std::max_element(left.begin(), left.end(),
                                                   [&](const auto& a, const auto& b) { return dot(a, a) < dot(b, b); });
    const long double norm = std::sqrt(dot(q, q));
    if (rank == 0) first = norm;
    if (norm <= 0x1p-55L * first || rank == count) return rank;
    for (long double& value : q) value /= norm;
    for (auto& column : left) {
      const long double part = dot(q, column);
      for (std::size_t k = 0; k < q.size(); ++k) column[k] -= part * q[k];
    }
  }
}

TEST(LambdaBasis, SpansAllLambdasToRounding) {
  Random random(920);
  const std::int64_t r = 200;
  for (const Range& eigenvalues : {Range{1, 2}, Range{1e-3, 1e3}, Range{1e-12, 1}})
    for (const Range& lambda : {Range{1e-8, 1e8}, Range{0.1, 10}})
      for (const std::int64_t count : {90, 400}) {
        SCOPED_TRACE(::testing::Message() << eigenvalues.low << ", " << lambda.low << ", " << count);
        freeridge::Matrix p(r, count);
        const Vector lambdas = geometric(lambda.low, lambda.high, count);
        for (Index k = 0; k < r; ++k) {
          const double eigenvalue =
              eigenvalues.low * std::pow(eigenvalues.high / eigenvalues.low, random.uniform(0, 1));
          for (Index l = 0; l < count; ++l) {
            const double value = lambdas[static_cast<std::size_t>(l)];
            p(k, l) = value / (eigenvalue + value);
          }
        }
        const auto basis = freeridge::lambda_basis(p.view());
        ASSERT_TRUE(basis.has_value());
        const Index rank = basis->q.cols();
        EXPECT_LE(rank, columns_enough(p) * 5 / 4);
        ASSERT_EQ(basis->r.rows(), rank);
        ASSERT_EQ(basis->r.cols(), count);
        for (Index l = 0; l < count; l += count / 90) {
          const double most = *std::max_element(p.col(l), p.col(l) + r);
          std::vector<long double> gap(p.col(l), p.col(l) + r);
          for (Index j = 0; j < rank; ++j) {
            const double *const q = basis->q.col(j), factor = basis->r(j, l);
            for (std::size_t k = 0; k < gap.size(); ++k) gap[k] -= static_cast<long double>(q[k]) * factor;
          }
          for (const long double each : gap) ASSERT_LE(std::abs(static_cast<double>(each)), 4e-15 * most) << l;
        }
      }
}

TEST(LambdaBasis, NoneWhereItWouldSaveNothing) {
  Random random(921);
  freeridge::Matrix noise(40, 30), few(40, 3), zero(4, 100, 0.0);
  for (double& value : noise.values()) value = random.uniform(0, 1);
  for (double& value : few.values()) value = random.uniform(0, 1);
  EXPECT_FALSE(freeridge::lambda_basis(noise.view()).has_value());
  EXPECT_FALSE(freeridge::lambda_basis(few.view()).has_value());
  EXPECT_FALSE(freeridge::lambda_basis(zero.view()).has_value());
  noise(3, 3) = std::nan("");
  EXPECT_FALSE(freeridge::lambda_basis(noise.view()).has_value());
}

// Keeps the whole sweep: P~Y~ and diag P~ at each lambda.
class Keeper final : public freeridge::SweepSink {
 public:
  Keeper(std::int64_t n, std::int64_t lambdas, std::int64_t t)
      : residual(n, lambdas * t), diagonal(n, lambdas), t_(t) {}
  void tile(Index row, Index lambda, Index lambdas, ConstMatrixView res, ConstMatrixView diag) override {
    for (Index l = 0; l < lambdas; ++l)
      for (Index i = 0; i < res.rows; ++i) {
        for (Index j = 0; j < t_; ++j) residual(row + i, (lambda + l) * t_ + j) = res(i, l * t_ + j);
        diagonal(row + i, lambda + l) = diag(i, l);
      }
  }
  void undefined(Index, const std::string& reason) override { ADD_FAILURE() << reason; }

  Matrix residual, diagonal;

 private:
  Index t_;
};

TEST(LambdaBasis, SweepAgainstOneLambdaAfterTheOther) {
  Random random(922);
  const std::int64_t n = 21000, d = 104, t = 2, alone = n - 1, nearly = 7;
  Matrix x = random.uniform_matrix(n, d, -1, 1), y(n, t);
  for (std::int64_t i = 0; i < n; ++i) {
    x(i, d - 1) = i == alone ? 1 : 0;                                 // leverage one in the unpenalised fit
    x(i, d - 2) = i == nearly ? 1 : 1e-7 * random.uniform(-1, 1);     // near one
    x(i, d - 3) = i % 8 == 0 && i < 800 ? random.uniform(0, 20) : 0;  // and large for many in the first tiles
    for (std::int64_t j = 0; j < t; ++j) y(i, j) = x(i, j) - 2 * x(i, 5) + random.normal();
  }
  const Vector weights = random.uniform_vector(n, 0.5, 2), lambdas = geometric(1e-9, 1e6, 48);
  const auto problem = [&](bool intercept) {
    return std::make_shared<const freeridge::Problem>(
        freeridge::linear_kernel(), freeridge::LayoutView{x.values.data(), n, d, n, freeridge::Layout::col_major},
        freeridge::LayoutView{y.values.data(), n, t, n, freeridge::Layout::col_major}, weights, intercept);
  };
  for (const bool intercept : {true, false}) {
    const auto factorization = freeridge::factorize_primal(problem(intercept), freeridge::Reduction::qr);
    Keeper all(n, std::ssize(lambdas), t);
    factorization->sweep(lambdas, 0, t, all);
    freeridge::Matrix residual(n, t);
    Vector diagonal(static_cast<std::size_t>(n));
    for (std::int64_t l = 0; l < std::ssize(lambdas); ++l) {
      SCOPED_TRACE(lambdas[static_cast<std::size_t>(l)]);
      factorization->at(lambdas[static_cast<std::size_t>(l)])
          ->residual_and_diagonal(0, residual.view(), {diagonal.data(), diagonal.size()});
      double worst = 0, worst_residual = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const double expected = diagonal[static_cast<std::size_t>(i)];
        worst = std::max(worst, std::abs(all.diagonal(i, l) - expected) / expected);
        // A row of P~ has the norm sqrt(P~_ii) at most, and |Y~| is near sqrt(n).
        for (std::int64_t j = 0; j < t; ++j)
          worst_residual = std::max(worst_residual, std::abs(all.residual(i, l * t + j) - residual(i, j)) /
                                                        std::sqrt(expected * static_cast<double>(n)));
      }
      EXPECT_LE(worst, 1e-13);
      EXPECT_LE(worst_residual, 1e-14);
      EXPECT_LT(diagonal[static_cast<std::size_t>(alone)], 2 * lambdas[static_cast<std::size_t>(l)]);
    }
  }
}

}  // namespace lambda_basis_test
