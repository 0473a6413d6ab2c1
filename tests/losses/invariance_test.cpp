// What must not change the answer, for both losses.
#include "losses/classifier.hpp"

namespace invariance_test {

using namespace losses;

constexpr freeridge_loss both[] = {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE};
constexpr double tolerance = 1e-6;  // of decision values: the answers have 1e-10 of stationarity

Matrix new_points(std::int64_t d) {
  Random random(99);
  return random.uniform_matrix(15, d, -1.5, 1.5);
}

Vector decision_of(const Problem& p, freeridge_loss loss, double lambda, const Matrix& at) {
  Classifier m = make_classifier(p, loss);
  m.control(1e-10, 10000).fit(lambda);
  return m.decision(at);
}

// body(problem, loss, lambda, name)
template <class Body>
void for_each_case(Body body) {
  for (const freeridge_loss loss : both)
    for (const Setting& s : settings())
      for (const double lambda : {5.0, 0.05}) {
        SCOPED_TRACE(text(s) + (loss == FREERIDGE_LOSS_HINGE ? " hinge" : " logistic") + " lambda " +
                     std::to_string(lambda));
        body(random_problem(41, kernel_of(s.family, 3), 30, 3, s.weighted, s.intercept), loss, lambda);
      }
}

TEST(LossInvariance, WeightTwoIsARowTwice) {
  for_each_case([](Problem p, freeridge_loss loss, double lambda) {
    p.weights.resize(30, 1.0);
    Problem doubled = p, repeated = p;
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < p.n(); ++i) rows.push_back(i);
    for (const std::int64_t i : {0, 1, 7, 20}) {
      const auto at = static_cast<std::size_t>(i);
      doubled.weights[at] *= 2;
      rows.push_back(i);
      repeated.y.push_back(p.y[at]);
      repeated.weights.push_back(p.weights[at]);
    }
    repeated.x = select_rows(p.x, rows);
    EXPECT_CLOSE(decision_of(doubled, loss, lambda, new_points(3)), decision_of(repeated, loss, lambda, new_points(3)),
                 tolerance);
  });
}

TEST(LossInvariance, WeightsAndLambdaScaleTogether) {
  for_each_case([](const Problem& p, freeridge_loss loss, double lambda) {
    Problem scaled = p;
    scaled.weights.resize(30, 1.0);
    for (const double factor : {7.0, 1e150, 1e-150}) {
      Problem other = scaled;
      for (double& weight : other.weights) weight *= factor;
      EXPECT_CLOSE(decision_of(other, loss, factor * lambda, new_points(3)),
                   decision_of(scaled, loss, lambda, new_points(3)), tolerance)
          << factor;
    }
  });
}

TEST(LossInvariance, TheOrderOfTheRows) {
  for_each_case([](const Problem& p, freeridge_loss loss, double lambda) {
    Random random(5);
    const std::vector<std::int64_t> order = random.permutation(p.n());
    Problem shuffled = p;
    shuffled.x = select_rows(p.x, order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      shuffled.y[i] = p.label(order[i]);
      if (!p.weights.empty()) shuffled.weights[i] = p.weight(order[i]);
    }
    EXPECT_CLOSE(decision_of(shuffled, loss, lambda, new_points(3)), decision_of(p, loss, lambda, new_points(3)),
                 tolerance);
  });
}

TEST(LossInvariance, TheClassesNames) {
  for_each_case([](const Problem& p, freeridge_loss loss, double lambda) {
    Problem turned = p;
    for (double& label : turned.y) label = -label;
    Vector expected = decision_of(p, loss, lambda, new_points(3));
    for (double& value : expected) value = -value;
    EXPECT_CLOSE(decision_of(turned, loss, lambda, new_points(3)), expected, tolerance);
  });
}

TEST(LossInvariance, LayoutsAndPaddingBitForBit) {
  for_each_case([](const Problem& p, freeridge_loss loss, double lambda) {
    Classifier plain = make_classifier(p, loss);
    plain.fit(lambda);
    for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
      for (const std::int64_t padding : {0, 3}) {
        Classifier other = make_classifier(p, loss, layout, padding);
        other.fit(lambda);
        EXPECT_TRUE(bit_equal(other.c(), plain.c()));
        EXPECT_TRUE(bit_equal(other.decision(new_points(3), layout, padding), plain.decision(new_points(3))));
      }
    }
  });
}

TEST(LossInvariance, TheLambdaBefore) {
  for_each_case([](const Problem& p, freeridge_loss loss, double lambda) {
    Classifier m = make_classifier(p, loss);
    const Vector expected = decision_of(p, loss, lambda, new_points(3));
    for (const double before : {lambda, 1e4 * lambda, lambda / 50, 1e100}) {
      m.control(1e-10, 10000).fit(before).fit(lambda);
      EXPECT_CLOSE(m.decision(new_points(3)), expected, tolerance) << before;
    }
  });
}

// The kernel matrix of a linear kernel is centred when there is an intercept, and only then. x far from zero.
TEST(LossInvariance, TheInterceptBefore) {
  for (const freeridge_loss loss : both)
    for (const bool intercept : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "loss " << loss << (intercept ? ", intercept" : ""));
      Problem p = random_problem(45, oracle::KernelSpec::linear(), 30, 3, true, intercept);
      p.x = shifted(p.x, 2.0);
      Problem before = p;
      before.intercept = !intercept;
      Classifier m = make_classifier(before, loss), fresh = make_classifier(p, loss);
      m.control(1e-10, 10000).fit(0.1).intercept(intercept).fit(0.1);
      fresh.control(1e-10, 10000).fit(0.1);
      EXPECT_TRUE(bit_equal(m.c(), fresh.c()));
      EXPECT_TRUE(bit_equal(m.decision(new_points(3)), fresh.decision(new_points(3))));
    }
}

// Linear kernels: x times s is lambda times s^2, at any scale that leaves K finite; the centre of x does not matter
// with an intercept.
TEST(LossInvariance, ScaleAndCentreOfLinearKernels) {
  for (const freeridge_loss loss : both) {
    for (const bool intercept : {false, true}) {
      const Problem p = random_problem(42, oracle::KernelSpec::linear(), 30, 3, true, intercept);
      const Vector expected = decision_of(p, loss, 0.1, p.x);
      for (const double factor : {1e-145, 1e-30, 1e-3, 1e5, 1e145}) {
        Problem other = p;
        other.x = scaled(p.x, factor);
        EXPECT_CLOSE(decision_of(other, loss, 0.1 * factor * factor, other.x), expected, tolerance) << factor;
      }
      if (!intercept) continue;
      Problem far = p;
      far.x = shifted(p.x, 1e6);  // leaves 1e-10 of x
      EXPECT_CLOSE(decision_of(far, loss, 0.1, far.x), expected, 1e-5);
    }
  }
}

TEST(LossInvariance, MoreFeaturesThanRowsAndConstantColumns) {
  for (const freeridge_loss loss : both) {
    const Problem p = random_problem(43, oracle::KernelSpec::linear(), 12, 40, true, true);
    Problem more = p;
    more.x = Matrix(12, 42, 3.5);  // two constant columns, which centring removes
    std::copy(p.x.values.begin(), p.x.values.end(), more.x.values.begin());
    EXPECT_CLOSE(decision_of(more, loss, 0.1, more.x), decision_of(p, loss, 0.1, p.x), tolerance);
  }
}

// An intercept is what a feature of constant value with a vanishing penalty gives.
TEST(LossInvariance, AnInterceptIsAnUnpenalisedConstant) {
  for (const freeridge_loss loss : both) {
    const Problem p = random_problem(44, oracle::KernelSpec::linear(), 25, 2, true, true);
    const double big = 300;  // a penalty of lambda b^2 / big^2
    Problem with_constant = p;
    with_constant.intercept = false;
    with_constant.x = Matrix(25, 3, big);
    std::copy(p.x.values.begin(), p.x.values.end(), with_constant.x.values.begin());
    Classifier m = make_classifier(with_constant, loss);
    m.fit(0.5);
    EXPECT_CLOSE(m.decision(with_constant.x), decision_of(p, loss, 0.5, p.x), 1e-4);
  }
}

TEST(LossInvariance, PairsOfPoints) {  // the smallest problem there is, and many copies of it
  for (const freeridge_loss loss : both) {
    Problem p{oracle::KernelSpec::gaussian(1.0), Matrix(2, 1), {1, -1}, {}, true};
    p.x(0, 0) = 0.5, p.x(1, 0) = -0.25;
    Problem many{p.kernel, Matrix(40, 1), {}, {}, true};
    for (std::int64_t i = 0; i < 40; ++i) {
      many.x(i, 0) = p.x(i % 2, 0);
      many.y.push_back(p.label(i % 2));
    }
    EXPECT_CLOSE(decision_of(many, loss, 20 * 0.3, new_points(1)), decision_of(p, loss, 0.3, new_points(1)), tolerance);
  }
}

}  // namespace invariance_test
