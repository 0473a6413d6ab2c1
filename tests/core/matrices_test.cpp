// Eigenvalues, condition numbers, the hat matrix and the inverse against dense formulas in long double on every route:
// K_c formed as it is defined, its eigenvalues by Jacobi's rotations, H and P from fits of the columns of the identity,
// the pseudo-inverse by the equations of Moore and Penrose.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "core/diagnostics_oracle.hpp"
#include "support/compare.hpp"
#include "support/landmarks.hpp"
#include "support/sparse.hpp"

namespace matrices_test {

using namespace diagnostics;
using oracle::Family;

// C W^(1/2) K W^(1/2) C, C = I - q q', q = W^(1/2) 1 / |W^(1/2) 1| with an intercept, else C = I.
Dense centred(const Problem& problem, const Dense& k) {
  const std::int64_t n = k.rows;
  Dense out(n, n), c = identity(n);
  Real sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<Real>(problem.weight(i));
  const auto root = [&](std::int64_t i) { return std::sqrt(static_cast<Real>(problem.weight(i))); };
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      out(i, j) = root(i) * k(i, j) * root(j);
      if (problem.intercept) c(i, j) -= root(i) * root(j) / sum;
    }
  return multiply(c, multiply(out, c));
}

// The eigenvalues of a symmetric matrix, descending.
Vector eigenvalues_of(Dense a) {
  const std::int64_t n = a.rows;
  Real size = 0;
  for (std::int64_t i = 0; i < n; ++i) size = std::max(size, std::abs(a(i, i)));
  for (bool rotated = true; rotated;) {
    rotated = false;
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) {
        if (std::abs(a(p, q)) <= 1e-17L * size) continue;
        rotated = true;
        const Real theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
        const Real t = std::copysign(1 / (std::abs(theta) + std::hypot(theta, Real{1})), theta);
        const Real c = 1 / std::hypot(t, Real{1}), s = t * c;
        for (std::int64_t i = 0; i < n; ++i) {
          const Real x = a(i, p), y = a(i, q);
          a(i, p) = c * x - s * y;
          a(i, q) = s * x + c * y;
        }
        for (std::int64_t i = 0; i < n; ++i) {
          const Real x = a(p, i), y = a(q, i);
          a(p, i) = c * x - s * y;
          a(q, i) = s * x + c * y;
        }
      }
  }
  Vector out;
  for (std::int64_t i = 0; i < n; ++i) out.push_back(static_cast<double>(a(i, i)));
  std::sort(out.begin(), out.end(), std::greater<>());
  return out;
}

Vector eigenvalues(const Model& model, std::int64_t count) {
  Vector out(static_cast<std::size_t>(count), -1);
  check(freeridge_eigenvalues(model.get(), count, out.data(), nullptr, 0), "freeridge_eigenvalues");
  return out;
}

Matrix eigenvectors(const Model& model, std::int64_t n, std::int64_t count) {
  return padded_output(n, count, "freeridge_eigenvalues", nullptr, [&](double* out, std::int64_t ld) {
    return freeridge_eigenvalues(model.get(), count, nullptr, out, ld);
  });
}

struct Conditions {
  Vector condition, rank;
};

Conditions conditions(const Model& model, const Vector& lambdas) {
  Conditions out{lambdas, lambdas};
  check(freeridge_condition_number(model.get(), std::ssize(lambdas), lambdas.data(), out.condition.data(),
                                   out.rank.data()),
        "freeridge_condition_number");
  return out;
}

struct Whole {
  Matrix hat, inverse;
};

// Each by a call of its own, and both by one: the same bits.
Whole whole(const Model& model, std::int64_t n, double lambda) {
  Whole out{padded_output(n, n, "freeridge_hat_matrix", nullptr,
                          [&](double* to, std::int64_t ld) {
                            return freeridge_hat_matrix(model.get(), lambda, to, nullptr, ld);
                          }),
            padded_output(n, n, "freeridge_hat_matrix", nullptr, [&](double* to, std::int64_t ld) {
              return freeridge_hat_matrix(model.get(), lambda, nullptr, to, ld);
            })};
  Whole both{Matrix(n, n), Matrix(n, n)};
  check(freeridge_hat_matrix(model.get(), lambda, both.hat.values.data(), both.inverse.values.data(), n),
        "freeridge_hat_matrix");
  EXPECT_TRUE(bit_equal(both.hat, out.hat) && bit_equal(both.inverse, out.inverse));
  return out;
}

double largest(const Matrix& a) {
  double out = 0;
  for (const double value : a.values) out = std::max(out, std::abs(value));
  return out;
}

// Relative to the largest number of the whole matrix.
void expect_near(const Matrix& found, const Dense& expected, double tolerance, const char* what) {
  const Matrix wanted = to_double(expected);
  const double size = largest(wanted);
  double difference = 0;
  for (std::size_t k = 0; k < wanted.values.size(); ++k)
    difference = std::max(difference, std::abs(found.values[k] - wanted.values[k]));
  EXPECT_LE(difference, tolerance * size) << what;
}

struct Case {
  const char* name;
  Family family;
  freeridge_route route;
  std::int64_t n = 17, d = 3;
  freeridge_reduction reduction = FREERIDGE_REDUCTION_AUTO;
  bool sparse = false;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class Matrices : public ::testing::TestWithParam<Case> {
 protected:
  // body(problem, model, kernel matrix)
  template <class Body>
  void for_each_problem(Body body) {
    const Case c = GetParam();
    Random random(7300);
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true}) {
        SCOPED_TRACE(::testing::Message() << (weighted ? "weights " : "") << (intercept ? "intercept" : ""));
        Problem problem = random_problem(random, kernel_of(c.family, c.d), c.n, c.d, 2, weighted, intercept);
        if (c.sparse)
          for (double& value : problem.x.values)
            if (random.uniform(0, 1) > 0.4) value = 0;
        Model model = oracle::make_model(problem, c.route);
        set_reduction(model, c.reduction);
        if (c.sparse) {
          check(set_sparse(model.get(), Sparse(problem.x, FREERIDGE_CSR), problem.y, false), "freeridge_set_points");
          model.weights(problem.weights);
        }
        if (c.route != FREERIDGE_ROUTE_LANDMARK) {
          body(problem, model.factorize(), oracle::kernel_matrix(problem.kernel, problem.x, problem.x));
          continue;
        }
        const Rows landmarks = {6, 0, 3, 8, 5};
        const Matrix none(1, c.d);
        body(problem, set_landmarks(model, landmarks).factorize(), restricted_values(problem, none, landmarks).rows);
      }
  }
  bool knows_eigenvalues() const { return GetParam().route != FREERIDGE_ROUTE_CHOLESKY; }
  bool knows_eigenvectors() const {
    return knows_eigenvalues() && GetParam().route != FREERIDGE_ROUTE_BAND &&
           !(GetParam().sparse && GetParam().reduction != FREERIDGE_REDUCTION_QR);
  }
};

TEST_P(Matrices, Eigenvalues) {
  for_each_problem([&](const Problem& problem, Model& model, const Dense& k) {
    const Dense k_c = centred(problem, k);
    const std::int64_t n = k.rows, m = problem.intercept ? n - 1 : n;
    Vector one(static_cast<std::size_t>(n));
    if (!knows_eigenvalues()) {
      EXPECT_EQ(freeridge_eigenvalues(model.get(), 1, one.data(), nullptr, 0), FREERIDGE_INVALID_STATE);
      EXPECT_NE(std::string(freeridge_last_error()).find("SPECTRAL"), std::string::npos);
      return;
    }
    Vector expected = eigenvalues_of(k_c);
    expected.resize(static_cast<std::size_t>(m));  // without the zero of the intercept
    const Vector found = eigenvalues(model, m);
    EXPECT_CLOSE(found, expected, 1e-13 * std::sqrt(static_cast<double>(n)));
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), std::greater<>()));
    const auto rank = std::count_if(found.begin(), found.end(), [](double value) { return value > 0; });
    std::int64_t known = -1;
    if (freeridge_get_rank(model.get(), &known) != FREERIDGE_OK) known = rank;
    EXPECT_EQ(known, rank);
    EXPECT_TRUE(bit_equal(eigenvalues(model, 2), {found[0], found[1]}));
    if (!knows_eigenvectors()) {
      EXPECT_EQ(freeridge_eigenvalues(model.get(), 1, nullptr, one.data(), n), FREERIDGE_INVALID_STATE);
      return;
    }
    const Matrix vectors = eigenvectors(model, n, rank);
    const Dense v = to_real(vectors), product = multiply(k_c, v), gram = multiply(transpose(v), v);
    for (std::int64_t j = 0; j < rank; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        const auto value = static_cast<Real>(found[static_cast<std::size_t>(j)]);
        EXPECT_LE(std::abs(static_cast<double>(product(i, j) - value * v(i, j))), 1e-11 * found[0]);
      }
    for (std::int64_t j = 0; j < rank; ++j)
      for (std::int64_t i = 0; i < rank; ++i) EXPECT_NEAR(static_cast<double>(gram(i, j)), i == j ? 1 : 0, 1e-9);
    if (rank < m) {
      EXPECT_EQ(freeridge_eigenvalues(model.get(), rank + 1, nullptr, Matrix(n, n).values.data(), n),
                FREERIDGE_INVALID_ARGUMENT);
    }
  });
}

TEST_P(Matrices, ConditionAndEffectiveRank) {
  for_each_problem([&](const Problem& problem, Model& model, const Dense& k) {
    const Vector lambdas = {1e-2, 1.0, 1e3, 1e12};
    if (!knows_eigenvalues()) {
      Vector one(1);
      EXPECT_EQ(freeridge_condition_number(model.get(), 1, lambdas.data(), one.data(), nullptr),
                FREERIDGE_INVALID_STATE);
      return;
    }
    Vector all = eigenvalues_of(centred(problem, k));
    all.resize(all.size() - (problem.intercept ? 1 : 0));
    const Conditions found = conditions(model, lambdas);
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      double rank = 0;
      for (const double value : all) rank += value / (value + lambdas[l]);
      EXPECT_NEAR(found.condition[l], (all.front() + lambdas[l]) / (all.back() + lambdas[l]),
                  1e-11 * found.condition[l]);
      EXPECT_NEAR(found.rank[l], rank, 1e-11 * rank);
      model.lambda(lambdas[l]);
      EXPECT_NEAR(found.rank[l] + (problem.intercept ? 1 : 0), model.degrees_of_freedom()[0], 1e-9);
    }
    const Vector own = eigenvalues(model, std::ssize(all));
    const auto known = std::count_if(own.begin(), own.end(), [](double value) { return value > 0; });
    const Conditions zero = conditions(model, {0});
    EXPECT_NEAR(zero.condition[0], own.front() / own[static_cast<std::size_t>(known - 1)], 1e-14 * zero.condition[0]);
    EXPECT_EQ(zero.rank[0], static_cast<double>(known));
  });
}

TEST_P(Matrices, HatMatrixAndInverse) {
  for_each_problem([&](const Problem& problem, Model& model, const Dense& k) {
    const std::int64_t n = k.rows;
    for (const double lambda : {1e-2, 1.0, 1e6}) {
      SCOPED_TRACE(lambda);
      const Whole found = whole(model, n, lambda);
      const oracle::Fit fit = oracle::fit_with(problem, k, identity(n), all_but(n, -1), lambda);
      const bool by_difference = needs_positive_definite(GetParam().route);
      expect_near(found.hat, evaluate(k, fit), by_difference ? 1e-11 : 1e-12, "H");
      expect_near(found.inverse, fit.c, 1e-11, "P");
      // what the header says of them
      model.lambda(lambda);
      const Matrix fitted = to_double(multiply(to_real(found.hat), to_real(problem.y))), same = model.fitted();
      for (std::size_t i = 0; i < same.values.size(); ++i) EXPECT_NEAR(fitted.values[i], same.values[i], 1e-11);
      if (GetParam().route != FREERIDGE_ROUTE_LANDMARK) {
        EXPECT_CLOSE(to_double(multiply(to_real(found.inverse), to_real(problem.y))), model.coefficients(), 1e-9);
      }
      const Matrix leverage = model.leverage();
      for (std::int64_t i = 0; i < n; ++i) EXPECT_NEAR(found.hat(i, i), leverage(i, 0), 1e-12);
    }
  });
}

// H projects and P is the pseudo-inverse: S = W^(1/2), P' = S^-1 P S^-1, K' = K_c:
//     K' P' K' = K',   P' K' P' = P',   P' K' symmetric,   S H S^-1 = q q' + K' P'
TEST_P(Matrices, LambdaZero) {
  for_each_problem([&](const Problem& problem, Model& model, const Dense& k) {
    const std::int64_t n = k.rows;
    Matrix room(n, n);
    if (freeridge_hat_matrix(model.get(), 0, room.values.data(), nullptr, n) == FREERIDGE_NOT_POSITIVE_DEFINITE) {
      EXPECT_TRUE(needs_positive_definite(GetParam().route) || GetParam().sparse);
      return;
    }
    const Whole found = whole(model, n, 0);
    const Dense k_c = centred(problem, k);
    Dense p = to_real(found.inverse), hat = to_real(found.hat);
    Real sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += static_cast<Real>(problem.weight(i));
    const auto root = [&](std::int64_t i) { return std::sqrt(static_cast<Real>(problem.weight(i))); };
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        p(i, j) /= root(i) * root(j);
        hat(i, j) *= root(i) / root(j);
        if (problem.intercept) hat(i, j) -= root(i) * root(j) / sum;
      }
    const Dense pk = multiply(p, k_c);
    const double allowed = 1e-8;
    expect_near(to_double(multiply(k_c, pk)), k_c, allowed, "K P K = K");
    expect_near(to_double(multiply(pk, p)), p, allowed, "P K P = P");
    expect_near(to_double(pk), transpose(pk), allowed, "P K = K P");
    expect_near(to_double(hat), pk, allowed, "H = P K");
  });
}

INSTANTIATE_TEST_SUITE_P(Every, Matrices,
                         ::testing::Values(Case{"LinearCholesky", Family::linear, FREERIDGE_ROUTE_CHOLESKY},
                                           Case{"GaussianCholesky", Family::gaussian, FREERIDGE_ROUTE_CHOLESKY},
                                           Case{"LinearSpectral", Family::linear, FREERIDGE_ROUTE_SPECTRAL},
                                           Case{"GaussianSpectral", Family::gaussian, FREERIDGE_ROUTE_SPECTRAL},
                                           Case{"PolynomialSpectral", Family::polynomial, FREERIDGE_ROUTE_SPECTRAL},
                                           Case{"Matern32Band", Family::matern32, FREERIDGE_ROUTE_BAND},
                                           Case{"LaplacianBandLarger", Family::laplacian, FREERIDGE_ROUTE_BAND, 45, 4},
                                           Case{"LinearPrimal", Family::linear, FREERIDGE_ROUTE_PRIMAL},
                                           Case{"LinearPrimalGram", Family::linear, FREERIDGE_ROUTE_PRIMAL, 17, 3,
                                                FREERIDGE_REDUCTION_GRAM},
                                           Case{"LinearPrimalWide", Family::linear, FREERIDGE_ROUTE_PRIMAL, 9, 12},
                                           Case{"LinearPrimalSparse", Family::linear, FREERIDGE_ROUTE_PRIMAL, 44, 22,
                                                FREERIDGE_REDUCTION_AUTO, true},
                                           Case{"LinearPrimalSparseQr", Family::linear, FREERIDGE_ROUTE_PRIMAL, 30, 6,
                                                FREERIDGE_REDUCTION_QR, true},
                                           Case{"GaussianLandmark", Family::gaussian, FREERIDGE_ROUTE_LANDMARK},
                                           Case{"Matern32Landmark", Family::matern32, FREERIDGE_ROUTE_LANDMARK}),
                         ::testing::PrintToStringParamName());

// More columns than are made at once, also where the features are made from the data at each pass.
TEST(MatricesOf, SeveralBlocks) {
  Random random(7301);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 300, 2, 1, true, true);
  Model spectral = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL), chosen = oracle::make_model(problem);
  spectral.factorize().lambda(0.2);
  choose_landmarks(chosen, 20, FREERIDGE_LANDMARKS_AUTO, 3).factorize().lambda(0.2);
  for (const Model* model : {&spectral, &chosen}) {
    const Whole found = whole(*model, 300, 0.2);
    EXPECT_CLOSE(to_double(multiply(to_real(found.hat), to_real(problem.y))), model->fitted(), 1e-11);
  }
  EXPECT_CLOSE(to_double(multiply(to_real(whole(spectral, 300, 0.2).inverse), to_real(problem.y))),
               spectral.coefficients(), 1e-10);
}

// Singular values of x, centred: the square roots of the eigenvalues, also where columns differ by many decades.
TEST(MatricesOf, SingularValues) {
  Problem problem;
  problem.kernel = oracle::KernelSpec::linear();
  problem.intercept = false;
  problem.x = Matrix(4, 2);
  problem.x(0, 0) = 3e8;
  problem.x(1, 1) = 2e-8;
  problem.y = Matrix(4, 1, 1.0);
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
  EXPECT_CLOSE(eigenvalues(model.factorize(), 4), (Vector{9e16, 4e-16, 0, 0}), 1e-15);
  EXPECT_NEAR(eigenvalues(model, 2)[1], 4e-16, 1e-29);
  EXPECT_NEAR(conditions(model, {0}).condition[0], 2.25e32, 1e18);
}

TEST(MatricesOf, DuplicatesAndConstants) {
  Problem problem;
  problem.kernel = oracle::KernelSpec::linear();
  problem.x = Matrix(5, 2, 3.0);  // constant: nothing but the intercept
  problem.y = to_column({1, 2, 3, 4, 5});
  double condition = 0, rank = -1;
  const double zero = 0, one = 1;
  for (const freeridge_route route :
       {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_CHOLESKY}) {
    Model model = oracle::make_model(problem, route);
    model.factorize();
    const Whole found = whole(model, 5, 2);
    for (std::int64_t j = 0; j < 5; ++j)
      for (std::int64_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(found.hat(i, j), 0.2, 1e-15);
        EXPECT_NEAR(found.inverse(i, j), ((i == j ? 1 : 0) - 0.2) / 2, 1e-15);
      }
    if (route == FREERIDGE_ROUTE_CHOLESKY) continue;
    EXPECT_TRUE(bit_equal(eigenvalues(model, 4), Vector(4, 0.0)));
    EXPECT_EQ(freeridge_condition_number(model.get(), 1, &zero, &condition, &rank), FREERIDGE_UNDEFINED);
    EXPECT_TRUE(std::isnan(condition) && rank == 0);
    EXPECT_EQ(freeridge_condition_number(model.get(), 1, &zero, nullptr, &rank), FREERIDGE_OK);
    EXPECT_EQ(freeridge_condition_number(model.get(), 1, &one, &condition, &rank), FREERIDGE_OK);
    EXPECT_EQ(condition, 1);
  }
}

// One point with an intercept: no eigenvalue, H = 1, P = 0. Without one K = 4, H = 4 / (4 + lambda), P = 1 / (4 + lambda).
TEST(MatricesOf, OnePoint) {
  Problem problem;
  problem.kernel = oracle::KernelSpec::linear();
  problem.x = to_column({2});
  problem.y = to_column({5});
  double condition = 0, value = 0;
  const double lambda = 1;
  for (const freeridge_route route :
       {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_CHOLESKY})
    for (const bool intercept : {true, false}) {
      problem.intercept = intercept;
      Model model = oracle::make_model(problem, route);
      model.factorize();
      const Whole found = whole(model, 1, lambda);
      EXPECT_NEAR(found.hat(0, 0), intercept ? 1 : 0.8, 1e-15);
      EXPECT_NEAR(found.inverse(0, 0), intercept ? 0 : 0.2, 1e-15);
      if (route == FREERIDGE_ROUTE_CHOLESKY) continue;
      if (!intercept) {
        EXPECT_NEAR(eigenvalues(model, 1)[0], 4, 1e-14);
        EXPECT_NEAR(conditions(model, {0, 1}).condition[1], 1, 1e-15);
        continue;
      }
      EXPECT_EQ(freeridge_eigenvalues(model.get(), 1, &value, nullptr, 0), FREERIDGE_INVALID_ARGUMENT);
      EXPECT_EQ(freeridge_condition_number(model.get(), 1, &lambda, &condition, nullptr), FREERIDGE_UNDEFINED);
    }
}

// x times 2^k: eigenvalues times 4^k, H at lambda 4^k the same.
TEST(MatricesOf, HugeScales) {
  Random random(7302);
  Problem problem = random_problem(random, oracle::KernelSpec::linear(), 25, 4, 1, true, true);
  for (const freeridge_route route :
       {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_CHOLESKY}) {
    Model plain = oracle::make_model(problem, route);
    const Whole expected = whole(plain.factorize(), 25, 0.5);
    for (const int e : {-240, 240}) {
      Problem scaled = problem;
      for (double& value : scaled.x.values) value = std::ldexp(value, e);
      Model model = oracle::make_model(scaled, route);
      model.factorize();
      EXPECT_CLOSE(whole(model, 25, std::ldexp(0.5, 2 * e)).hat, expected.hat, 1e-12);
      if (route == FREERIDGE_ROUTE_CHOLESKY) continue;
      Vector wanted = eigenvalues(plain, 4), found = eigenvalues(model, 4);
      for (double& value : found) value = std::ldexp(value, -2 * e);
      EXPECT_CLOSE(found, wanted, 1e-13);
    }
  }
}

// k(x, z) = sum_k x_k z_k / scale_k^2, of kernels that are linear and of those that are not.
TEST(MatricesOf, LinearKernels) {
  const struct {
    const char* text;
    bool linear;
    Vector scale;
  } cases[] = {{"linear()", true, {1, 1}},
               {"scaled([2, 0.5], linear())", true, {2, 0.5}},
               {"3 * linear() + scaled([1, 2], linear())", true, {0.5, 1 / std::sqrt(3.25)}},
               {"product(linear())", true, {1, 1}},
               {"additive(linear())", true, {std::sqrt(2), std::sqrt(2)}},
               {"additive([0, -1], linear())", true, {1, 0x1p500}},
               {"4 * additive([0, -1], linear()) + 9 * additive([-1, 0], linear())", true, {0.5, 1 / 3.0}},
               {"additive(gaussian(sigma = 1))", false, {}},
               {"polynomial(degree = 1, scale = 1, offset = 0)", false, {}},
               {"linear() + gaussian(sigma = 1)", false, {}},
               {"precomputed()", false, {}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    Kernel kernel = Kernel::linear();
    try {
      kernel = Kernel::parse(c.text);
    } catch (const std::exception&) {
      ADD_FAILURE() << freeridge_last_error();
      continue;
    }
    Vector scale(2, -7);
    std::int32_t linear = -1, alone = -1;
    EXPECT_EQ(freeridge_kernel_linear_scale(kernel.get(), 2, scale.data(), &linear), FREERIDGE_OK);
    EXPECT_EQ(freeridge_kernel_linear_scale(kernel.get(), -9, nullptr, &alone), FREERIDGE_OK);
    EXPECT_EQ(linear, c.linear ? 1 : 0);
    EXPECT_EQ(alone, linear);
    EXPECT_CLOSE(scale, c.linear ? c.scale : Vector(2, -7), 1e-15);
  }
  Vector scale(3, -7);
  EXPECT_EQ(freeridge_kernel_linear_scale(Kernel::parse("scaled([2, 0.5], linear())").get(), 3, scale.data(), nullptr),
            FREERIDGE_DIMENSION_MISMATCH);
  EXPECT_TRUE(bit_equal(scale, Vector(3, -7)));
}

}  // namespace matrices_test
