// A penalised intercept: the classifier without one on the columns (x, 1), and on the matrix K + 1.
#include "losses/classifier.hpp"

namespace penalised_test {

using namespace losses;

Matrix with_ones(const Matrix& x) {
  Matrix out(x.rows, x.cols + 1, 1.0);
  std::copy(x.values.begin(), x.values.end(), out.values.begin());
  return out;
}

TEST(PenalisedIntercept, IsAColumnOfOnesOrKPlusOne) {
  for (const Setting& setting : settings())
    for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE}) {
      if (!setting.intercept) continue;
      SCOPED_TRACE(text(setting) + ", loss " + std::to_string(loss));
      const Problem p = random_problem(71, kernel_of(setting.family, 2), 40, 2, setting.weighted, true);
      const Matrix fresh = Random(5).uniform_matrix(7, 2, -1, 1);
      Classifier ours = make_classifier(p, loss);
      ours.intercept_kind(FREERIDGE_INTERCEPT_PENALISED).control(1e-10, 10000).fit(0.3);

      Matrix k = to_double(oracle::kernel_matrix(p.kernel, p.x, p.x)),
             k_fresh = to_double(oracle::kernel_matrix(p.kernel, fresh, p.x));
      for (Matrix* values : {&k, &k_fresh})
        for (double& value : values->values) value += 1;
      Classifier given(Kernel::precomputed(), loss);
      given.data(k, p.y).weights(p.weights).intercept(false).control(1e-10, 10000).fit(0.3);
      EXPECT_CLOSE(ours.decision(fresh), given.decision(k_fresh), 1e-7);
      EXPECT_CLOSE(ours.decision(p.x), given.decision(k), 1e-7);
      EXPECT_NEAR(ours.convergence().objective, given.convergence().objective, 1e-8 * given.convergence().objective);

      const Vector c = ours.c();
      double total = 0;
      for (const double value : c) total += value;
      EXPECT_NEAR(ours.b(), total, 1e-12 * (1 + std::abs(total)));
      const std::vector<Real> f = decision_values(p, c, ours.b());
      for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(ours.decision(p.x)[i], static_cast<double>(f[i]), 1e-8);
      // ||f|| is that of f alone: of k, not of k + 1
      Real square = 0;
      for (std::size_t i = 0; i < f.size(); ++i) square += c[i] * (f[i] - ours.b());
      EXPECT_NEAR(ours.distances(p.x)[0], static_cast<double>(f[0] / std::sqrt(square)), 1e-7);
      EXPECT_LE(ours.duality().gap, 1e-7 * ours.duality().primal);
      if (loss == FREERIDGE_LOSS_LOGISTIC) {
        EXPECT_CLOSE(ours.loo(), given.loo(), 1e-5);
      }

      if (setting.family != oracle::Family::linear) continue;
      Classifier wide(Kernel::linear(), loss);
      wide.data(with_ones(p.x), p.y).weights(p.weights).intercept(false).control(1e-10, 10000).fit(0.3);
      EXPECT_CLOSE(ours.decision(fresh), wide.decision(with_ones(fresh)), 1e-7);
    }
}

// Two points of different classes, nearer one another than the digits of c'K c show: c = +-1 / lambda, b = 0, and
// |f|^2 = 2 c^2 (1 - exp(-r^2)), of points that coincide 0.
TEST(PenalisedIntercept, OfPointsThatNearlyCoincide) {
  const double lambda = 0.5;
  for (const double r : {0.0, 0x1p-20, 0x1p-18}) {
    Matrix x(2, 1, 0.0);
    x(1, 0) = r;
    Classifier m = make_classifier({oracle::KernelSpec::gaussian(1), x, {1, -1}, {}, true}, FREERIDGE_LOSS_HINGE);
    m.intercept_kind(FREERIDGE_INTERCEPT_PENALISED).fit(lambda);
    EXPECT_EQ(m.c(), (Vector{1 / lambda, -1 / lambda}));
    EXPECT_EQ(m.b(), 0);
    if (r == 0)
      EXPECT_EQ(m.support().margin, std::numeric_limits<double>::infinity());
    else
      EXPECT_NEAR(m.support().margin * std::sqrt(-2 * std::expm1(-r * r)) / lambda, 1, 1e-3);
  }
}

}  // namespace penalised_test
