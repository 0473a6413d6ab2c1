// A penalised intercept: the model without one on the columns (x, 1) for linear kernels, on the matrix K + 1 for others,
// along every route and for every answer; its solution by the definition in long double.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/gauss.hpp"
#include "support/oracle.hpp"
#include "support/problems.hpp"
#include "support/saved.hpp"
#include "support/sparse.hpp"

namespace penalised_intercept_test {

using namespace support;

constexpr std::int64_t n = 30, m = 6, t = 2;
constexpr double lambda = 0.4;

struct Sample {
  Matrix x, y, fresh;
  Vector weights;
};

Sample sample(std::int64_t d, bool weighted) {
  Random random(21);
  Sample out{
      random.uniform_matrix(n, d, -1, 2), random.uniform_matrix(n, t, 0, 3), random.uniform_matrix(m, d, -1, 2), {}};
  if (weighted) out.weights = random.uniform_vector(n, 0.4, 2.5);
  return out;
}

Matrix with_ones(const Matrix& x) {
  Matrix out(x.rows, x.cols + 1, 1.0);
  std::copy(x.values.begin(), x.values.end(), out.values.begin());
  return out;
}

Matrix plus_one(const oracle::KernelSpec& kernel, const Matrix& x, const Matrix& z) {
  Matrix out = to_double(oracle::kernel_matrix(kernel, x, z));
  for (double& value : out.values) value += 1;
  return out;
}

// H, P, and where the route has them the eigenvalues: those of the problem without an intercept.
void expect_equal_matrices(const Model& ours, const Model& theirs, double tolerance) {
  Matrix hat(n, n), inverse(n, n), hat_theirs(n, n), inverse_theirs(n, n);
  check(freeridge_hat_matrix(ours.get(), lambda, hat.values.data(), inverse.values.data(), n), "freeridge_hat_matrix");
  check(freeridge_hat_matrix(theirs.get(), lambda, hat_theirs.values.data(), inverse_theirs.values.data(), n),
        "freeridge_hat_matrix");
  EXPECT_CLOSE(hat, hat_theirs, tolerance);
  EXPECT_CLOSE(inverse, inverse_theirs, 100 * tolerance);
  Vector values(n), others(n), numbers(2), other_numbers(2);
  const freeridge_status status = freeridge_eigenvalues(ours.get(), n, values.data(), nullptr, 0);
  EXPECT_EQ(freeridge_eigenvalues(theirs.get(), n, others.data(), nullptr, 0), status);
  if (status == FREERIDGE_INVALID_STATE) return;  // CHOLESKY
  EXPECT_CLOSE(values, others, 100 * tolerance);
  for (auto& [model, out] : {std::pair{&ours, &numbers}, std::pair{&theirs, &other_numbers}})
    check(freeridge_condition_number(model->get(), 1, &lambda, out->data(), out->data() + 1),
          "freeridge_condition_number");
  EXPECT_NEAR(numbers[0], other_numbers[0], 10 * tolerance * numbers[0]);
  EXPECT_NEAR(numbers[1], other_numbers[1], 10 * tolerance);
}

// What both models answer about their rows, and at new points that each sees in its own way.
void expect_equal(Model& ours, Model& theirs, const Matrix& fresh, const Matrix& their_fresh, double tolerance) {
  EXPECT_CLOSE(ours.fitted().values, theirs.fitted().values, tolerance);
  EXPECT_CLOSE(ours.loo().values, theirs.loo().values, tolerance);
  EXPECT_CLOSE(ours.leverage().values, theirs.leverage().values, tolerance);
  EXPECT_CLOSE(ours.degrees_of_freedom(), theirs.degrees_of_freedom(), tolerance);
  EXPECT_CLOSE(ours.error_variance(), theirs.error_variance(), tolerance);
  EXPECT_CLOSE(ours.cooks_distance().values, theirs.cooks_distance().values, 10 * tolerance);
  EXPECT_CLOSE(ours.predict(fresh).values, theirs.predict(their_fresh).values, tolerance);
  Labels groups;
  for (std::int32_t i = 0; i < n; ++i) groups.push_back(i % 4);
  EXPECT_CLOSE(ours.group_errors(groups).values, theirs.group_errors(groups).values, tolerance);
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML})
    EXPECT_CLOSE(ours.score(criterion, {0.1, 3}).values, theirs.score(criterion, {0.1, 3}).values, tolerance);
  Vector lower(m * t), upper(m * t), low(m * t), high(m * t);
  const auto jackknife = [](const Model& model, const Matrix& x, Vector& from, Vector& to) {
    check(freeridge_predict_jackknife(model.get(), at(x), 0.8, -1, 0, FREERIDGE_COL_MAJOR, from.data(), to.data(), m),
          "freeridge_predict_jackknife");
  };
  jackknife(ours, fresh, lower, upper);
  jackknife(theirs, their_fresh, low, high);
  EXPECT_CLOSE(lower, low, tolerance);
  EXPECT_CLOSE(upper, high, tolerance);
  const Vector lambdas = {0.2, 2};
  Vector path(2 * m * t), other(2 * m * t);
  check(freeridge_predict_points(ours.get(), at(fresh), 2, lambdas.data(), FREERIDGE_COL_MAJOR, path.data(), m),
        "freeridge_predict_points");
  check(
      freeridge_predict_points(theirs.get(), at(their_fresh), 2, lambdas.data(), FREERIDGE_COL_MAJOR, other.data(), m),
      "freeridge_predict_points");
  EXPECT_CLOSE(path, other, tolerance);
  expect_equal_matrices(ours, theirs, tolerance);
}

// The predictions of a copy, of a loaded model and of a loaded predictor.
void expect_kept(const Model& model, const Matrix& fresh) {
  const Vector expected = model.predict(fresh).values, b = model.intercepts();
  for (const bool whole : {true, false}) {
    const Handle loaded = support::loaded(whole ? saved(model.get()) : saved_predictor(model.get()));
    Vector values(expected.size()), loaded_b(t);
    check(freeridge_predict(loaded.get(), FREERIDGE_COL_MAJOR, m, fresh.values.data(), m, values.data(), m), "predict");
    check(freeridge_coefficients(loaded.get(), 0, nullptr, nullptr, 0, loaded_b.data()), "freeridge_coefficients");
    EXPECT_TRUE(bit_equal(values, expected));
    EXPECT_TRUE(bit_equal(loaded_b, b));
    if (!whole) continue;
    double on = -1;
    check(freeridge_get_parameter(loaded.get(), FREERIDGE_INTERCEPT, &on), "freeridge_get_parameter");
    EXPECT_EQ(on, FREERIDGE_INTERCEPT_PENALISED);
    Vector errors(n * t);
    check(freeridge_loo(loaded.get(), errors.data(), n), "freeridge_loo");
    EXPECT_CLOSE(errors, model.loo().values, 1e-12);
  }
}

TEST(PenalisedIntercept, OfALinearKernelIsAColumnOfOnes) {
  for (const std::int64_t d : {3, 50})
    for (const bool weighted : {false, true})
      for (const freeridge_route route :
           {FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_CHOLESKY}) {
        SCOPED_TRACE(::testing::Message() << "route " << route << ", d " << d << ", weighted " << weighted);
        const Sample s = sample(d, weighted);
        Vector scale(static_cast<std::size_t>(d), 2.0), scale_of_ones = scale;
        scale_of_ones.push_back(1);
        Model ours(Kernel::scaled(Kernel::linear(), scale)), theirs(Kernel::scaled(Kernel::linear(), scale_of_ones));
        ours.data(s.x, s.y).weights(s.weights).intercept_kind(FREERIDGE_INTERCEPT_PENALISED).route(route);
        theirs.data(with_ones(s.x), s.y).weights(s.weights).intercept(false).route(route);
        ours.factorize().lambda(lambda);
        theirs.factorize().lambda(lambda);
        expect_equal(ours, theirs, s.fresh, with_ones(s.fresh), 1e-9);
        const Matrix w = ours.hyperplane(), w_theirs = theirs.hyperplane();
        for (std::int64_t j = 0; j < t; ++j) {
          for (std::int64_t k = 0; k < d; ++k) EXPECT_NEAR(w(k, j), w_theirs(k, j), 1e-9);
          EXPECT_NEAR(ours.intercepts()[static_cast<std::size_t>(j)], w_theirs(d, j), 1e-9);
        }
        Vector variance(m * t), noise(t), variance_theirs(m * t), noise_theirs(t);
        const Matrix wide = with_ones(s.fresh);
        check(
            freeridge_predict_variance(ours.get(), at(s.fresh), FREERIDGE_COL_MAJOR, variance.data(), m, noise.data()),
            "freeridge_predict_variance");
        check(freeridge_predict_variance(theirs.get(), at(wide), FREERIDGE_COL_MAJOR, variance_theirs.data(), m,
                                         noise_theirs.data()),
              "freeridge_predict_variance");
        EXPECT_CLOSE(variance, variance_theirs, 1e-8);
        EXPECT_CLOSE(noise, noise_theirs, 1e-9);
        expect_kept(ours, s.fresh);
      }
}

TEST(PenalisedIntercept, OfOtherKernelsIsKPlusOne) {
  for (const oracle::Family family : {oracle::Family::gaussian, oracle::Family::polynomial, oracle::Family::sum})
    for (const bool weighted : {false, true})
      for (const freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_CHOLESKY}) {
        SCOPED_TRACE(::testing::Message() << family_name(family) << ", route " << route << ", weighted " << weighted);
        const Sample s = sample(2, weighted);
        const oracle::KernelSpec kernel = kernel_of(family, 2);
        const Matrix k = plus_one(kernel, s.x, s.x), k_fresh = plus_one(kernel, s.fresh, s.x);
        Model ours(oracle::make_kernel(kernel)), theirs(Kernel::precomputed());
        ours.data(s.x, s.y).weights(s.weights).intercept_kind(FREERIDGE_INTERCEPT_PENALISED).route(route);
        theirs.data(k, s.y).weights(s.weights).intercept(false).route(route);
        ours.factorize().lambda(lambda);
        theirs.factorize().lambda(lambda);
        expect_equal(ours, theirs, s.fresh, k_fresh, 1e-8);
        expect_kept(ours, s.fresh);
        // (K + 1 + lambda W^-1) c = Y, b = sum c
        Dense a = to_real(k);
        for (std::int64_t i = 0; i < n; ++i)
          a(i, i) += Real(lambda) / (weighted ? s.weights[static_cast<std::size_t>(i)] : 1);
        const Dense c = solve(a, to_real(s.y));
        EXPECT_CLOSE(ours.coefficients().values, to_double(c).values, 1e-8);
        for (std::int64_t j = 0; j < t; ++j) {
          Real b = 0;
          for (std::int64_t i = 0; i < n; ++i) b += c(i, j);
          EXPECT_NEAR(ours.intercepts()[static_cast<std::size_t>(j)], static_cast<double>(b), 1e-8);
        }
        // a given K is changed in the same way
        Matrix plain = to_double(oracle::kernel_matrix(kernel, s.x, s.x)),
               plain_fresh = to_double(oracle::kernel_matrix(kernel, s.fresh, s.x));
        Model given(Kernel::precomputed());
        given.data(plain, s.y).weights(s.weights).intercept_kind(FREERIDGE_INTERCEPT_PENALISED).route(route);
        given.factorize().lambda(lambda);
        expect_equal(given, theirs, plain_fresh, k_fresh, 1e-8);
        expect_kept(given, plain_fresh);
      }
}

TEST(PenalisedIntercept, WithLandmarksAndChosenBandwidth) {
  const Sample s = sample(2, true);
  const oracle::KernelSpec kernel = oracle::KernelSpec::gaussian(1.3);
  const std::vector<std::int64_t> rows = {3, 8, 15, 20, 21};
  const Matrix k = plus_one(kernel, s.x, s.x);
  Model ours(oracle::make_kernel(kernel)), theirs(Kernel::precomputed());
  ours.data(s.x, s.y).weights(s.weights).intercept_kind(FREERIDGE_INTERCEPT_PENALISED);
  theirs.data(k, s.y).weights(s.weights).intercept(false);
  for (Model* model : {&ours, &theirs}) {
    check(freeridge_set_landmarks(model->get(), 5, rows.data()), "freeridge_set_landmarks");
    model->factorize().lambda(lambda);
  }
  expect_equal(ours, theirs, s.fresh, plus_one(kernel, s.fresh, s.x), 1e-8);
  expect_kept(ours, s.fresh);

  Model searched(Kernel::gaussian(1));
  searched.data(s.x, s.y).intercept_kind(FREERIDGE_INTERCEPT_PENALISED);
  const BandwidthChoice choice = searched.select_bandwidth(FREERIDGE_LOO, 0.3, 5, 6);
  Model same(Kernel::gaussian(choice.sigma));
  same.data(s.x, s.y).intercept_kind(FREERIDGE_INTERCEPT_PENALISED).factorize();
  same.lambdas(searched.lambda_in_force());
  EXPECT_CLOSE(same.predict(s.fresh).values, searched.predict(s.fresh).values, 1e-9);
}

TEST(PenalisedIntercept, OfSparseRows) {
  const Sample s = sample(4, true);
  Matrix x = s.x;
  for (std::size_t i = 0; i < x.values.size(); ++i)
    if (i % 3 != 0) x.values[i] = 0;
  for (const freeridge_sparse_format format : {FREERIDGE_CSR, FREERIDGE_CSC})
    for (const char* const kernel : {"linear()", "gaussian(sigma = 1)"}) {
      Model dense(Kernel::parse(kernel)), sparse(Kernel::parse(kernel));
      dense.data(x, s.y);
      check(set_sparse(sparse.get(), Sparse(x, format), s.y, false), "freeridge_set_points");
      Vector values(m * t);
      for (Model* model : {&dense, &sparse}) {
        model->weights(s.weights).intercept_kind(FREERIDGE_INTERCEPT_PENALISED);
        check(freeridge_factorize(model->get()), "freeridge_factorize");
        check(freeridge_set_lambda(model->get(), lambda), "freeridge_set_lambda");
      }
      check(freeridge_predict(sparse.get(), FREERIDGE_COL_MAJOR, m, s.fresh.values.data(), m, values.data(), m),
            "freeridge_predict");
      EXPECT_CLOSE(values, dense.predict(s.fresh).values, 1e-9);
      Vector errors(n * t);
      check(freeridge_loo(sparse.get(), errors.data(), n), "freeridge_loo");
      EXPECT_CLOSE(errors, dense.loo().values, 1e-8);
    }
}

}  // namespace penalised_intercept_test
