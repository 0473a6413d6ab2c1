// The objective of each loss and its gradient, at any w, c and b, against the definition in long double, against complex
// steps and central differences, and against the minima of the exact solvers, where the gradient is zero.
#include "losses/classifier.hpp"
#include "losses/gradients.hpp"

namespace gradient_test {

using namespace gradients;

struct Shape {
  std::int64_t n, d;
};

TEST(LossGradient, IsTheDerivativeOfTheDefinition) {
  for (const freeridge_loss loss : all_losses)
    for (const Shape shape : {Shape{30, 3}, Shape{4, 9}, Shape{1, 1}})
      for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
        SCOPED_TRACE(testing::Message() << "loss " << loss << ", " << shape.n << " x " << shape.d);
        Data data = some_data(loss, 5, shape.n, shape.d, layout == FREERIDGE_ROW_MAJOR);
        data.layout = layout, data.padding = 2, data.lambda = layout == FREERIDGE_ROW_MAJOR ? 0.7 : 0;
        Random random(6);
        const Matrix w = random.uniform_matrix(shape.d, 3, -2.0, 2.0);
        const Vector b = random.uniform_vector(3, -1.0, 1.0);
        const Gradient found = gradient_at(data, w, b);
        for (std::int64_t l = 0; l < 3; ++l) {
          Vector at = column(w, l).values, gradient = column(found.gradient, l).values;
          at.push_back(b[static_cast<std::size_t>(l)]);
          gradient.push_back(found.intercept[static_cast<std::size_t>(l)]);
          const auto objective = [&](const auto& coefficients) { return objective_of(data, coefficients); };
          EXPECT_CLOSE(gradient, complex_step(at, objective), 1e-14);
          const Vector value = {static_cast<double>(objective(in_reals(at)))};
          EXPECT_CLOSE(Vector{found.objective[static_cast<std::size_t>(l)]}, value, 1e-13);
          for (std::size_t k = 0; k < at.size(); ++k) {  // central differences, too
            std::vector<Real> low = in_reals(at), high = low;
            low[k] -= 1e-6L, high[k] += 1e-6L;
            EXPECT_NEAR(static_cast<double>((objective(high) - objective(low)) / 2e-6L), gradient[k],
                        1e-9 * value[0] + 1e-10);
          }
        }
      }
}

struct Expansion {
  double objective = 0, intercept = 0;
  Vector gradient;
};

Expansion expansion_at(const Data& data, const Matrix& k, const Vector& c, double b, std::int64_t ld) {
  Expansion out{0, 0, Vector(c.size())};
  const Packed packed = pack(k, FREERIDGE_COL_MAJOR, ld - k.rows);
  check(freeridge_expansion_gradient(data.loss, k.rows, packed.values.data(), ld, data.y.data(), data.weights_or_null(),
                                     data.lambda, c.data(), b, &out.objective, out.gradient.data(), &out.intercept),
        "freeridge_expansion_gradient");
  return out;
}

// J(c, b): with the rows of K in the place of x, and the penalty of c'K c in that of |w|^2.
template <class T>
T expansion_objective(const Data& data, const Matrix& k, const std::vector<T>& at) {
  Data plain = data;
  plain.x = k, plain.lambda = 0;
  T total = objective_of(plain, at);
  for (std::int64_t j = 0; j < k.cols; ++j)
    for (std::int64_t i = 0; i < k.rows; ++i)
      total += T(data.lambda / 2) * at[static_cast<std::size_t>(i)] * T(k(i, j)) * at[static_cast<std::size_t>(j)];
  return total;
}

TEST(LossGradient, OfAnExpansionIsTheDerivativeOfTheDefinition) {
  for (const freeridge_loss loss : all_losses)
    for (const std::int64_t n : {1, 2, 15})
      for (const bool weighted : {false, true}) {
        SCOPED_TRACE(testing::Message() << "loss " << loss << ", n " << n);
        Data data = some_data(loss, 7, n, 2, weighted);
        data.lambda = weighted ? 0.6 : 0;
        Matrix k(n, n);
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < n; ++j)
            k(i, j) = std::exp(-std::pow(data.x(i, 0) - data.x(j, 0), 2) - std::pow(data.x(i, 1) - data.x(j, 1), 2));
        Random random(8);
        Vector at = random.uniform_vector(n + 1, -2.0, 2.0);
        const Vector c(at.begin(), at.end() - 1);
        const Expansion found = expansion_at(data, k, c, at.back(), n + 3);
        Vector gradient = found.gradient;
        gradient.push_back(found.intercept);
        const auto objective = [&](const auto& point) { return expansion_objective(data, k, point); };
        EXPECT_CLOSE(gradient, complex_step(at, objective), 1e-13);
        EXPECT_CLOSE(Vector{found.objective}, Vector{static_cast<double>(objective(in_reals(at)))}, 1e-14);
      }
}

// At the minimum that the exact solvers find the gradients are zero, and the objective is theirs.
TEST(LossGradient, VanishesAtTheExactSolutions) {
  Data data = some_data(FREERIDGE_LOSS_LOGISTIC, 9, 40, 3, true);
  data.lambda = 0.5;
  losses::Classifier classifier(Kernel::linear(), FREERIDGE_LOSS_LOGISTIC);
  classifier.data(data.x, data.y).weights(data.weights).control(1e-12, 100).fit(data.lambda);
  const Vector c = classifier.c();
  Matrix w(3, 1), k(40, 40);
  for (std::int64_t j = 0; j < 3; ++j)
    for (std::int64_t i = 0; i < 40; ++i) w(j, 0) += data.x(i, j) * c[static_cast<std::size_t>(i)];
  for (std::int64_t i = 0; i < 40; ++i)
    for (std::int64_t l = 0; l < 40; ++l)
      for (std::int64_t j = 0; j < 3; ++j) k(i, l) += data.x(i, j) * data.x(l, j);
  const double objective = classifier.convergence().objective;
  const Gradient linear = gradient_at(data, w, {classifier.b()});
  const Expansion expansion = expansion_at(data, k, c, classifier.b(), 40);
  EXPECT_NEAR(linear.objective[0], objective, 1e-12 * objective);
  EXPECT_NEAR(expansion.objective, objective, 1e-12 * objective);
  EXPECT_NEAR(linear.intercept[0], 0, 1e-9);
  for (const double value : linear.gradient.values) EXPECT_NEAR(value, 0, 1e-9);
  for (const double value : expansion.gradient) EXPECT_NEAR(value, 0, 1e-9);

  RegressionData regression{data.x, to_column(some_data(FREERIDGE_LOSS_SQUARED, 9, 40, 3).y)};
  const Regression fit = ridge(regression, 0.5);
  data.loss = FREERIDGE_LOSS_SQUARED, data.y = regression.y.values, data.weights.clear();
  const Gradient squared = gradient_at(data, fit.w, fit.b);
  for (const double value : squared.gradient.values) EXPECT_NEAR(value, 0, 1e-13);
  EXPECT_NEAR(squared.intercept[0], 0, 1e-13);
}

// At the corner itself: the subgradients that the header names. And far out, where exp(-z) overflows.
TEST(LossGradient, CornersAndExtremes) {
  Data data;
  data.x = Matrix(1, 1, 1.0), data.y = {1};
  const auto at = [&](freeridge_loss loss, double w) {
    data.loss = loss;
    const Gradient found = gradient_at(data, Matrix(1, 1, w), {0});
    return std::pair(found.objective[0], found.gradient.values[0]);
  };
  EXPECT_EQ(at(FREERIDGE_LOSS_HINGE, 1), std::pair(0.0, 0.0));
  EXPECT_EQ(at(FREERIDGE_LOSS_HINGE, 0.5), std::pair(0.5, -1.0));
  EXPECT_EQ(at(FREERIDGE_LOSS_ABSOLUTE, 1), std::pair(0.0, 0.0));
  EXPECT_EQ(at(FREERIDGE_LOSS_ABSOLUTE, -1e300), std::pair(1e300, -1.0));
  EXPECT_EQ(at(FREERIDGE_LOSS_LOGISTIC, -1e300), std::pair(1e300, -1.0));
  EXPECT_EQ(at(FREERIDGE_LOSS_LOGISTIC, 1e300), std::pair(0.0, -0.0));
  EXPECT_NEAR(at(FREERIDGE_LOSS_LOGISTIC, 700).second, -std::exp(-700.0), 1e-14 * std::exp(-700.0));
  for (const freeridge_loss loss : all_losses) {  // f overflows
    data.loss = loss, data.x(0, 0) = -1e200;
    const double w = 1e200, b = 0;
    double objective = 5;
    EXPECT_EQ(freeridge_loss_gradient(loss, FREERIDGE_COL_MAJOR, 1, 1, data.x.values.data(), 1, data.y.data(), nullptr,
                                      0, 1, &w, &b, &objective, nullptr, nullptr),
              FREERIDGE_NOT_FINITE);
    EXPECT_EQ(objective, 5);
  }
  // losses of next to nothing, with weights whose sum overflows
  const Vector x = {0, 0}, y = {1, 1}, weights = {1e308, 1e308};
  const double w = 0, b = 1 + 0x1p-40;
  double objective = 5, intercept = 5;
  EXPECT_EQ(freeridge_loss_gradient(FREERIDGE_LOSS_ABSOLUTE, FREERIDGE_COL_MAJOR, 2, 1, x.data(), 2, y.data(),
                                    weights.data(), 0, 1, &w, &b, &objective, nullptr, &intercept),
            FREERIDGE_NOT_FINITE);
  EXPECT_EQ(std::pair(objective, intercept), std::pair(5.0, 5.0));
}

}  // namespace gradient_test
