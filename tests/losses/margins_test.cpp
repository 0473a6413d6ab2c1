// Margins, slacks, distances, dual numbers and the certificate of the optimum, by their definitions in long double.
#include "losses/classifier.hpp"

namespace margins_test {

using namespace losses;

// sum_i W_ii (p log p + (1 - p) log(1 - p)) with the sign of the dual; 0 log 0 = 0.
Real entropy(Real p) {
  const auto part = [](Real q) { return q > 0 ? q * std::log(q) : 0; };
  return part(p) + part(1 - p);
}

Real dual_value(const Problem& p, freeridge_loss loss, double lambda, const Vector& c) {
  const std::vector<Real> f = decision_values(p, c, 0);
  Real value = 0;
  for (std::int64_t i = 0; i < p.n(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Real alpha = Real(p.label(i)) * c[at];
    value -= Real(lambda) / 2 * c[at] * f[at];
    if (loss == FREERIDGE_LOSS_HINGE)
      value += lambda * alpha;
    else
      value -= p.weight(i) * entropy(std::min<Real>(1, lambda * alpha / p.weight(i)));
  }
  return value;
}

TEST(Margins, AreWhatTheirNamesSay) {
  for (const Setting& setting : settings())
    for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE})
      for (const double lambda : {5.0, 0.05}) {
        SCOPED_TRACE(text(setting) + ", loss " + std::to_string(loss) + ", lambda " + std::to_string(lambda));
        const Problem p = random_problem(61, kernel_of(setting.family, 2), 40, 2, setting.weighted, setting.intercept);
        Classifier m = make_classifier(p, loss);
        m.fit(lambda);
        const Vector c = m.c(), margins = m.margins(), distances = m.distances(p.x);
        const std::vector<Real> f = decision_values(p, c, m.b());
        Real square = 0, scale = 1;
        for (std::size_t i = 0; i < c.size(); ++i)
          square += c[i] * (f[i] - m.b()), scale = std::max(scale, std::abs(f[i]));
        Vector alpha(c.size());
        ASSERT_EQ(freeridge_classifier_get_margins(m.get(), nullptr, nullptr, alpha.data(), nullptr), FREERIDGE_OK);
        for (std::size_t i = 0; i < c.size(); ++i) {
          EXPECT_NEAR(margins[i], static_cast<double>(p.y[i] * f[i]), static_cast<double>(1e-10L * scale));
          EXPECT_NEAR(distances[i], static_cast<double>(f[i] / std::sqrt(square)),
                      1e-9 * static_cast<double>(scale / std::sqrt(square)));
          EXPECT_EQ(alpha[i], p.y[i] * c[i]);
        }
        if (loss == FREERIDGE_LOSS_HINGE) {
          const Vector slacks = m.slacks();
          std::vector<std::int32_t> support(c.size());
          ASSERT_EQ(freeridge_classifier_get_margins(m.get(), nullptr, nullptr, nullptr, support.data()), FREERIDGE_OK);
          for (std::size_t i = 0; i < c.size(); ++i) {
            const double bound = p.weight(static_cast<std::int64_t>(i)) / lambda;
            EXPECT_EQ(slacks[i], std::max(0.0, 1 - margins[i]));
            EXPECT_EQ(support[i], alpha[i] == 0       ? FREERIDGE_SUPPORT_NONE
                                  : alpha[i] >= bound ? FREERIDGE_SUPPORT_BOUNDED
                                                      : FREERIDGE_SUPPORT_FREE);
          }
        }
        // The certificate: primal and dual by definition, and their difference.
        const Real primal = loss == FREERIDGE_LOSS_HINGE ? objective(p, lambda, c, m.b(), hinge_loss)
                                                         : objective(p, lambda, c, m.b(), logistic_loss);
        const Real dual = dual_value(p, loss, lambda, c);
        const Duality found = m.duality();
        const double size = static_cast<double>(std::abs(primal));
        EXPECT_NEAR(found.primal, static_cast<double>(primal), 1e-12 * size);
        EXPECT_NEAR(found.dual, static_cast<double>(dual), 1e-11 * size);
        EXPECT_GE(found.gap, 0);
        EXPECT_NEAR(found.gap, static_cast<double>(primal - dual), 1e-11 * size);
        EXPECT_LE(found.gap, 1e-7 * size);
      }
}

// A coarse tolerance has a gap that can be seen, and it is that of primal and dual to all digits.
TEST(Margins, ACoarseFitHasAGap) {
  const Problem p = random_problem(62, kernel_of(oracle::Family::gaussian, 2), 60, 2, true, false);
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE}) {
    Classifier m = make_classifier(p, loss), exact = make_classifier(p, loss);
    m.control(0.3, 1000).fit(0.5);
    exact.fit(0.5);
    const Vector c = m.c();
    const Real primal = loss == FREERIDGE_LOSS_HINGE ? objective(p, 0.5, c, m.b(), hinge_loss)
                                                     : objective(p, 0.5, c, m.b(), logistic_loss);
    const Duality found = m.duality();
    EXPECT_GT(found.gap, 1e-9);
    EXPECT_NEAR(found.gap, static_cast<double>(primal - dual_value(p, loss, 0.5, c)), 1e-12 * found.primal);
    EXPECT_LE(found.dual, exact.duality().primal);
    EXPECT_GE(found.primal, exact.duality().dual);
  }
}

// A weight that is 0 beside the largest one, in double precision: its point counts for nothing in the certificate.
TEST(Margins, TheGapOfAWeightThatVanishesBesideTheLargest) {
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE}) {
    Classifier all(Kernel::linear(), loss), without(Kernel::linear(), loss);
    all.data(to_column({-1, 0, 2, 3, 5}), {-1, -1, 1, 1, -1}).weights({1e300, 1e300, 1e300, 1e300, 1e-320}).fit(1e299);
    without.data(to_column({-1, 0, 2, 3}), {-1, -1, 1, 1}).weights({1e300, 1e300, 1e300, 1e300}).fit(1e299);
    const Duality found = all.duality(), expected = without.duality();
    EXPECT_NEAR(found.primal / 1e300, expected.primal / 1e300, 1e-12);
    EXPECT_NEAR(found.dual / 1e300, expected.dual / 1e300, 1e-7);
    EXPECT_GE(found.gap, 0);
    EXPECT_LE(found.gap / 1e300, 1e-7);
  }
}

// One feature: (w x + b) / |w|. Where f is constant there is no hyperplane.
TEST(Margins, DistancesOnALine) {
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE}) {
    Classifier m(Kernel::linear(), loss);
    m.data(to_column({-1, 0, 2, 3}), {-1, -1, 1, 1}).fit(0.1);
    const Vector at = m.distances(to_column({1, 3.5, -2}));
    EXPECT_NEAR(at[0], 0, 1e-6);
    EXPECT_NEAR(at[1], 2.5, 1e-6);
    EXPECT_NEAR(at[2], -3, 1e-6);
    m.data(to_column({2, 2, 2}), {-1, 1, 1}).fit(0.1);
    Vector none(2, 7.0);
    const Vector x = {1, 2};
    EXPECT_EQ(freeridge_classifier_distances(m.get(), support::at(FREERIDGE_COL_MAJOR, 2, 1, x.data()), none.data()),
              FREERIDGE_UNDEFINED);
    EXPECT_TRUE(std::isnan(none[0]) && std::isnan(none[1]));
  }
}

// The norm of a linear f is |w| at every lambda, and so are distances in a polynomial kernel of degree 1, which is a
// linear one: c'Kc would have no digits where lambda is tiny.
TEST(Margins, TheNormAtTinyLambda) {
  const Matrix x = to_column({2.6, 2.9, 2.3, 3.2, 3.4, 3.5, 3.6, 3.2, 3.1, 3.4, 2.2, 1.6, 1.8, 2.5, 5.2, 5.4});
  const Vector y = {1, 1, 1, -1, -1, -1, -1, -1, 1, -1, 1, 1, 1, -1, -1, -1};
  for (const freeridge_intercept ones : {FREERIDGE_INTERCEPT_FREE, FREERIDGE_INTERCEPT_PENALISED})
    for (const double lambda : {1.0, 1e-4, 1e-8}) {
      SCOPED_TRACE(lambda);
      const auto distances = [&](Kernel kernel) {
        Classifier m(std::move(kernel), FREERIDGE_LOSS_LOGISTIC);
        m.data(x, y).intercept_kind(ones).control(1e-6, 200).fit(lambda);
        return m.distances(to_column({2, 3, 5}));
      };
      const Vector found = distances(Kernel::linear());
      EXPECT_NEAR(found[2] - found[1], found[2] > found[1] ? 2 : -2, 1e-12);
      EXPECT_NEAR(found[1] - found[0], found[1] > found[0] ? 1 : -1, 1e-12);
      if (ones == FREERIDGE_INTERCEPT_PENALISED) continue;
      const Vector same = distances(Kernel::polynomial(1, 1, 0));
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(same[i], found[i], 1e-6);
    }
}

// With a penalised intercept ||f||^2 = c'Kc is that of k alone, however small k is beside the 1 of k + 1.
TEST(Margins, TheNormBesideAPenalisedIntercept) {
  Random random(41);
  const Matrix x = random.uniform_matrix(24, 2, -1, 1);
  Vector y(24);
  for (std::int64_t i = 0; i < 24; ++i)
    y[static_cast<std::size_t>(i)] = x(i, 0) + 0.5 * random.normal() > -0.2 ? 1 : -1;
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE})
    for (const double weight : {1e8, 1.0, 1e-8, 1e-14, 1e-20})
      for (const double lambda : {1e4, 1.0, 1e-3}) {
        SCOPED_TRACE(::testing::Message() << "loss " << loss << ", weight " << weight << ", lambda " << lambda);
        const oracle::KernelSpec kernel = oracle::KernelSpec::sum({oracle::KernelSpec::gaussian(1)}, {weight});
        Classifier m(oracle::make_kernel(kernel), loss);
        m.data(x, y).intercept_kind(FREERIDGE_INTERCEPT_PENALISED).control(1e-6, 1000).fit(lambda);
        const Vector c = m.c();
        const oracle::Dense k = oracle::kernel_matrix(kernel, x, x);
        Real squared = 0;
        for (std::int64_t j = 0; j < 24; ++j)
          for (std::int64_t i = 0; i < 24; ++i)
            squared += static_cast<Real>(c[static_cast<std::size_t>(i)]) * k(i, j) * c[static_cast<std::size_t>(j)];
        const Vector f = m.decision(x), distance = m.distances(x);
        for (std::size_t i = 0; i < 24; ++i)
          EXPECT_NEAR(distance[i], f[i] / std::sqrt(static_cast<double>(squared)), 1e-10 * std::abs(distance[i]));
      }
}

// Far from the margin the logistic loss underflows, and the gap has no NaN.
TEST(Margins, ALogisticGapAtTinyLambda) {
  for (const double lambda : {1e-3, 1e-30, 1e-200}) {
    Classifier m(Kernel::linear(), FREERIDGE_LOSS_LOGISTIC);
    m.data(to_column({-5, -4, 1, 900}), {-1, -1, 1, 1}).fit(lambda);
    const Duality found = m.duality();
    EXPECT_GE(found.gap, 0);
    EXPECT_LE(found.gap, 1e-6 * found.primal) << lambda;
  }
}

}  // namespace margins_test
