// Dense problems in blocks against a model of one process (the route SPECTRAL), by every engine.
#include <cmath>

#include "mpi/ranks.hpp"
#include "support/compare.hpp"
#include "support/model.hpp"
#include "support/random.hpp"

namespace {

using support::Kernel;
using support::Matrix;
using support::Vector;

constexpr double accuracy = 1e-10;  // of the largest error left out, at lambda >= 1e-3

struct Data {
  Matrix x, y;
  Vector weights;  // empty: all one
};

Data data(std::int64_t n, std::int64_t d, std::int64_t t, bool weighted, std::uint64_t seed) {
  support::Random random(seed);
  Data out{random.uniform_matrix(n, d, -2, 2), Matrix(n, t), {}};
  for (std::int64_t j = 0; j < t; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      out.y(i, j) = 5 + std::sin(2 * out.x(i, 0) + static_cast<double>(j)) + 0.2 * random.normal();
  if (weighted) out.weights = random.uniform_vector(n, 0.1, 3);
  return out;
}

class Dense {
 public:
  Dense(const Kernel& kernel, const Data& data, int intercept, freeridge_layout layout = FREERIDGE_COL_MAJOR)
      : n_(data.x.rows), t_(data.y.cols) {
    const support::Packed x = support::pack(data.x, layout, 2), y = support::pack(data.y, layout, 1);
    check(freeridge_mpi_dense_create(kernel.get(), MPI_COMM_WORLD, layout, n_, data.x.cols, x.values.data(), x.ld, t_,
                                     y.values.data(), y.ld, data.weights.empty() ? nullptr : data.weights.data(),
                                     intercept, &dense_));
  }
  ~Dense() { freeridge_mpi_dense_destroy(dense_); }
  Dense(const Dense&) = delete;
  Dense& operator=(const Dense&) = delete;

  freeridge_mpi_dense* get() const { return dense_; }
  void factorize(freeridge_mpi_engine engine) { check(freeridge_mpi_dense_factorize(dense_, engine, 1)); }
  Matrix score(freeridge_criterion criterion, const Vector& lambdas) const {
    Matrix out(static_cast<std::int64_t>(lambdas.size()), t_);
    check(freeridge_mpi_dense_score(dense_, criterion, out.rows, lambdas.data(), out.values.data(), out.rows));
    return out;
  }
  Matrix loo(const Vector& lambdas) const {
    const auto count = static_cast<std::int64_t>(lambdas.size());
    Matrix out(n_, count * t_);
    check(freeridge_mpi_dense_loo(dense_, count, lambdas.data(), out.values.data(), n_));
    return out;
  }
  // Predictions at x by the model on rank 0; nothing on others.
  Matrix predict(const Vector& lambdas, const Matrix& x) const {
    freeridge_model* model = nullptr;
    check(freeridge_mpi_dense_predictor(dense_, lambdas.data(), &model));
    EXPECT_EQ(model != nullptr, ranks::rank() == 0);
    Matrix out(x.rows, t_);
    if (model == nullptr) return out;
    EXPECT_EQ(freeridge_predict(model, FREERIDGE_COL_MAJOR, x.rows, x.values.data(), x.rows, out.values.data(), x.rows),
              FREERIDGE_OK);
    freeridge_destroy(model);
    return out;
  }

 private:
  static void check(freeridge_status status) { ASSERT_EQ(status, FREERIDGE_OK) << freeridge_mpi_last_error(); }
  std::int64_t n_, t_;
  freeridge_mpi_dense* dense_ = nullptr;
};

support::Model model_of(const Kernel& kernel, const Data& data, bool intercept) {
  support::Model model(kernel);
  model.data(data.x, data.y).weights(data.weights).intercept(intercept).route(FREERIDGE_ROUTE_SPECTRAL).factorize();
  return model;
}

std::vector<freeridge_mpi_engine> engines() {
  std::vector<freeridge_mpi_engine> out{FREERIDGE_MPI_ENGINE_CHOLESKY, FREERIDGE_MPI_ENGINE_PDSYEVD};
  int32_t elpa = 0;
  EXPECT_EQ(freeridge_mpi_has_engine(FREERIDGE_MPI_ENGINE_ELPA, &elpa), FREERIDGE_OK);
  if (elpa != 0) out.push_back(FREERIDGE_MPI_ENGINE_ELPA);
  return out;
}

class MpiDense : public ranks::Together {};

void expect_as_one_process(const Kernel& kernel, const Data& data, bool intercept) {
  const Vector lambdas{1e-3, 0.1, 20};
  const support::Model model = model_of(kernel, data, intercept);
  const std::int64_t n = data.x.rows, t = data.y.cols;
  Matrix errors(n, 3 * t), scores(3, 3 * t);
  const freeridge_criterion criteria[] = {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML};
  for (std::int64_t c = 0; c < 3; ++c)
    ASSERT_EQ(freeridge_score(model.get(), criteria[c], 3, lambdas.data(), &scores(0, c * t), nullptr, 3),
              FREERIDGE_OK);
  const Matrix points = support::Random(77).uniform_matrix(9, data.x.cols, -2, 2);
  Vector chosen(static_cast<std::size_t>(t));
  for (std::int64_t j = 0; j < t; ++j) chosen[static_cast<std::size_t>(j)] = lambdas[static_cast<std::size_t>(j % 3)];
  for (std::int64_t l = 0; l < 3; ++l) {
    support::Model at = model_of(kernel, data, intercept);
    const Matrix e = at.lambda(lambdas[static_cast<std::size_t>(l)]).loo();
    std::copy(e.values.begin(), e.values.end(), &errors(0, l * t));
  }
  support::Model fitted = model_of(kernel, data, intercept);
  const Matrix predicted = fitted.lambdas(chosen).predict(points);
  Dense dense(kernel, data, intercept, n % 2 == 0 ? FREERIDGE_ROW_MAJOR : FREERIDGE_COL_MAJOR);
  for (const freeridge_mpi_engine engine : engines()) {
    SCOPED_TRACE(engine);
    dense.factorize(engine);
    EXPECT_PRED_FORMAT3(support::close_to, dense.loo(lambdas), errors, accuracy);
    for (std::int64_t c = 0; c < 3; ++c) {
      Matrix expected(3, t);
      std::copy_n(&scores(0, c * t), 3 * t, expected.values.begin());
      EXPECT_PRED_FORMAT3(support::close_to, dense.score(criteria[c], lambdas), expected, accuracy);
    }
    const Matrix found = dense.predict(chosen, points);
    if (ranks::rank() == 0) {
      EXPECT_PRED_FORMAT3(support::close_to, found, predicted, accuracy);
    }
  }
}

TEST_F(MpiDense, AnswersOfOneProcess) {
  const Kernel smooth = Kernel::gaussian(1.2), rough = Kernel::matern(0.5, 2), line = Kernel::linear();
  expect_as_one_process(smooth, data(150, 3, 1, false, 1), true);
  expect_as_one_process(rough, data(131, 2, 2, true, 2), true);
  expect_as_one_process(smooth, data(90, 2, 1, true, 3), false);
  expect_as_one_process(Kernel::scaled(rough, {0.5, 3}), data(64, 2, 3, false, 4), true);
  expect_as_one_process(line, data(40, 3, 2, true, 5), true);  // a kernel of low rank
}

TEST_F(MpiDense, SmallestProblems) {
  const Kernel kernel = Kernel::laplacian(1);
  for (const std::int64_t n : {2, 3, 5, 9}) {
    SCOPED_TRACE(n);
    expect_as_one_process(kernel, data(n, 1, 1, false, 10 + static_cast<std::uint64_t>(n)), true);
  }
  expect_as_one_process(kernel, data(1, 1, 1, false, 9), false);
}

TEST_F(MpiDense, RowsTwiceAndColumnsThatAreConstant) {
  Data given = data(60, 3, 1, false, 6);
  for (std::int64_t i = 0; i < 60; ++i) given.x(i, 2) = 7;
  for (std::int64_t k = 0; k < 3; ++k) given.x(1, k) = given.x(0, k);
  expect_as_one_process(Kernel::gaussian(1), given, true);
}

TEST_F(MpiDense, LambdaIsThatOfOneProcess) {
  const Data given = data(120, 2, 2, true, 7);
  const Kernel kernel = Kernel::gaussian(1);
  support::Model model = model_of(kernel, given, true);
  Dense dense(kernel, given, 1);
  for (const freeridge_mpi_engine engine : engines()) {
    const bool whole = engine != FREERIDGE_MPI_ENGINE_CHOLESKY;
    const double low = whole ? 0 : 1e-3, high = whole ? 0 : 10;  // CHOLESKY's own range reaches further up
    dense.factorize(engine);
    for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML}) {
      if (!whole && criterion != FREERIDGE_LOO) continue;
      SCOPED_TRACE(criterion);
      Vector lambda(2), score(2), expected(2), expected_score(2);
      ASSERT_EQ(freeridge_select_lambda(model.get(), criterion, low, high, expected.data(), expected_score.data()),
                FREERIDGE_OK);
      EXPECT_STATUS(freeridge_mpi_dense_select_lambda(dense.get(), criterion, low, high, lambda.data(), score.data()),
                    FREERIDGE_OK);
      EXPECT_PRED_FORMAT3(support::close_to, score, expected_score, 1e-10);
      EXPECT_PRED_FORMAT3(support::close_to, lambda, expected, 1e-4);  // the minimum is flat
    }
  }
}

TEST_F(MpiDense, AutoChoosesByTheLambdas) {
  Dense dense(Kernel::gaussian(1), data(30, 2, 1, false, 8), 1);
  freeridge_mpi_engine engine = -1;
  EXPECT_EQ(freeridge_mpi_dense_get_engine(dense.get(), &engine), FREERIDGE_OK);
  EXPECT_EQ(engine, FREERIDGE_MPI_ENGINE_AUTO);
  for (const std::int64_t lambdas : {1, 8, 9, 100}) {
    EXPECT_STATUS(freeridge_mpi_dense_factorize(dense.get(), FREERIDGE_MPI_ENGINE_AUTO, lambdas), FREERIDGE_OK);
    EXPECT_EQ(freeridge_mpi_dense_get_engine(dense.get(), &engine), FREERIDGE_OK);
    EXPECT_EQ(engine == FREERIDGE_MPI_ENGINE_CHOLESKY, lambdas <= 8);
  }
  int64_t cholesky = 0, pdsyevd = 0, n = 0, d = 0, t = 0;
  EXPECT_EQ(freeridge_mpi_dense_memory_required(dense.get(), FREERIDGE_MPI_ENGINE_CHOLESKY, &cholesky), FREERIDGE_OK);
  EXPECT_EQ(freeridge_mpi_dense_memory_required(dense.get(), FREERIDGE_MPI_ENGINE_PDSYEVD, &pdsyevd), FREERIDGE_OK);
  EXPECT_LT(cholesky, pdsyevd);
  EXPECT_EQ(freeridge_mpi_dense_get_dimensions(dense.get(), &n, &d, &t), FREERIDGE_OK);
  EXPECT_EQ((std::vector<int64_t>{n, d, t}), (std::vector<int64_t>{30, 2, 1}));
}

}  // namespace
