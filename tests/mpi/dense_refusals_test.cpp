// Dense problems: what is refused, on which rank it was wrong, and cancelling. All ranks answer alike, and go on.
#include <cmath>
#include <limits>

#include "mpi/ranks.hpp"
#include "support/model.hpp"
#include "support/random.hpp"

namespace {

using support::Kernel;
using support::Matrix;
using support::Vector;

class MpiDenseRefusals : public ranks::Together {
 protected:
  MpiDenseRefusals()
      : x(support::Random(5).uniform_matrix(30, 2, -1, 1)), y(support::Random(6).uniform_matrix(30, 1, -1, 1)) {}
  ~MpiDenseRefusals() override { freeridge_mpi_dense_destroy(dense); }

  freeridge_status create(const freeridge_kernel* of, int intercept = 1, const double* weights = nullptr,
                          int64_t n = 30) {
    return freeridge_mpi_dense_create(of, MPI_COMM_WORLD, FREERIDGE_COL_MAJOR, n, 2, x.values.data(), 30, 1,
                                      y.values.data(), 30, weights, intercept, &dense);
  }
  // The rank on which something is wrong: the last one.
  static bool faulty() { return ranks::rank() == ranks::count() - 1; }
  static std::string name() { return "rank " + std::to_string(ranks::count() - 1) + ": "; }

  Kernel kernel = Kernel::gaussian(1);
  Matrix x, y;
  freeridge_mpi_dense* dense = nullptr;
};

TEST_F(MpiDenseRefusals, WhatIsWrongOnOneRankIsKnownToAll) {
  if (faulty()) x(7, 1) = std::nan("");
  EXPECT_STATUS(create(kernel.get()), FREERIDGE_NOT_FINITE, (name() + "x[7, 1] is nan").c_str());
  if (faulty()) x(7, 1) = 0;
  EXPECT_EQ(dense, nullptr);
  if (ranks::count() > 1) {
    EXPECT_STATUS(create(kernel.get()), FREERIDGE_DIMENSION_MISMATCH, "differs between the ranks");
  }
  EXPECT_STATUS(create(faulty() ? nullptr : kernel.get()), FREERIDGE_INVALID_ARGUMENT,
                (name() + "kernel is NULL").c_str());
  EXPECT_STATUS(create(kernel.get(), 1, nullptr, faulty() ? 31 : 30), FREERIDGE_INVALID_ARGUMENT, "ldx is 30");
}

TEST_F(MpiDenseRefusals, Arguments) {
  freeridge_kernel* given = nullptr;
  ASSERT_EQ(freeridge_kernel_precomputed(&given), FREERIDGE_OK);
  EXPECT_STATUS(create(given), FREERIDGE_INVALID_ARGUMENT, "precomputed");
  freeridge_kernel_destroy(given);
  EXPECT_STATUS(create(Kernel::scaled(kernel, {1, 2, 3}).get()), FREERIDGE_DIMENSION_MISMATCH, "3");
  EXPECT_STATUS(create(kernel.get(), FREERIDGE_INTERCEPT_PENALISED), FREERIDGE_INVALID_ARGUMENT, "PENALISED");
  EXPECT_STATUS(create(kernel.get(), 1, nullptr, 1), FREERIDGE_INVALID_ARGUMENT, "at least 2");
  EXPECT_STATUS(create(kernel.get(), 1, nullptr, 0), FREERIDGE_INVALID_ARGUMENT, "n is 0");
  EXPECT_STATUS(create(kernel.get(), 1, nullptr, int64_t{1} << 40), FREERIDGE_INVALID_ARGUMENT, "n is ");
  Vector weights(30, 1.0);
  weights[3] = 0;
  EXPECT_STATUS(create(kernel.get(), 1, weights.data()), FREERIDGE_INVALID_ARGUMENT, "weights[3] is 0");
  weights[3] = 1e12;
  EXPECT_STATUS(create(kernel.get(), 1, weights.data()), FREERIDGE_NOT_POSITIVE_DEFINITE, "weights differ");
  EXPECT_EQ(freeridge_mpi_dense_create(kernel.get(), MPI_COMM_NULL, FREERIDGE_COL_MAJOR, 30, 2, x.values.data(), 30, 1,
                                       y.values.data(), 30, nullptr, 1, &dense),
            FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(dense, nullptr);
  int32_t has = 7;
  EXPECT_EQ(freeridge_mpi_has_engine(4, &has), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_mpi_has_engine(1, nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(has, 7);
}

// K is not made: the share alone says that pdsyevd's workspace is beyond what it counts.
TEST_F(MpiDenseRefusals, WorkspaceBeyond32Bits) {
  const int64_t n = 33000 * (ranks::count() == 1 ? 1 : 2);
  const Vector points(static_cast<std::size_t>(n), 0.5);
  ASSERT_EQ(freeridge_mpi_dense_create(kernel.get(), MPI_COMM_WORLD, FREERIDGE_COL_MAJOR, n, 1, points.data(), n, 1,
                                       points.data(), n, nullptr, 1, &dense),
            ranks::count() == 2 ? FREERIDGE_INVALID_ARGUMENT : FREERIDGE_OK);
  if (dense == nullptr) return;  // on two ranks the share itself is too large
  EXPECT_STATUS(freeridge_mpi_dense_factorize(dense, FREERIDGE_MPI_ENGINE_PDSYEVD, 100), FREERIDGE_INVALID_ARGUMENT,
                "pdsyevd needs a workspace of 2");
}

// From the floor on left-out errors have six digits. (One process, which knows the smallest eigenvalue, may know better.)
TEST_F(MpiDenseRefusals, FloorOfLambda) {
  double floor = -1;
  EXPECT_STATUS(create(kernel.get()), FREERIDGE_OK);
  EXPECT_EQ(freeridge_mpi_dense_lambda_floor(dense, &floor), FREERIDGE_INVALID_STATE);
  support::Model model(kernel);
  model.data(x, y);
  ASSERT_EQ(freeridge_set_parameter(model.get(), FREERIDGE_ROUTE, FREERIDGE_ROUTE_SPECTRAL), FREERIDGE_OK);
  model.factorize();
  double of_model = 0;
  ASSERT_EQ(freeridge_set_lambda(model.get(), 1), FREERIDGE_OK);
  ASSERT_EQ(freeridge_lambda_flags(model.get(), &of_model, nullptr, nullptr), FREERIDGE_OK);
  for (const freeridge_mpi_engine engine : {FREERIDGE_MPI_ENGINE_CHOLESKY, FREERIDGE_MPI_ENGINE_PDSYEVD}) {
    EXPECT_STATUS(freeridge_mpi_dense_factorize(dense, engine, 1), FREERIDGE_OK);
    ASSERT_EQ(freeridge_mpi_dense_lambda_floor(dense, &floor), FREERIDGE_OK);
    EXPECT_TRUE(floor >= of_model && floor > 0 && floor < 1e-6) << floor << " " << of_model;
    double lambda = floor;
    Vector errors(30), exact(30);
    EXPECT_STATUS(freeridge_mpi_dense_loo(dense, 1, &lambda, errors.data(), 30), FREERIDGE_OK);
    ASSERT_EQ(freeridge_set_lambda(model.get(), lambda), FREERIDGE_OK);
    ASSERT_EQ(freeridge_loo(model.get(), exact.data(), 30), FREERIDGE_OK);
    double largest = 0;
    for (const double e : exact) largest = std::max(largest, std::abs(e));
    for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(errors[i], exact[i], 1e-6 * largest);
  }
  EXPECT_EQ(freeridge_mpi_dense_lambda_floor(dense, nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_mpi_dense_lambda_floor(nullptr, &floor), FREERIDGE_INVALID_ARGUMENT);
}

TEST_F(MpiDenseRefusals, OverflowingKernel) {
  for (double& value : x.values) value *= 1e200;
  EXPECT_STATUS(create(Kernel::polynomial(3, 1, 0).get(), 0), FREERIDGE_OK);
  EXPECT_STATUS(freeridge_mpi_dense_factorize(dense, FREERIDGE_MPI_ENGINE_CHOLESKY, 1), FREERIDGE_NOT_FINITE);
}

TEST_F(MpiDenseRefusals, AnswersNeedAFactorAndPositiveLambdas) {
  EXPECT_STATUS(create(kernel.get()), FREERIDGE_OK);
  double one[1] = {1}, out[30] = {};
  const auto score = [&](int32_t criterion, int64_t count, const double* lambdas, double* to, int64_t ld) {
    return freeridge_mpi_dense_score(dense, criterion, count, lambdas, to, ld);
  };
  EXPECT_STATUS(score(FREERIDGE_LOO, 1, one, out, 1), FREERIDGE_INVALID_STATE, "freeridge_mpi_dense_factorize");
  EXPECT_STATUS(freeridge_mpi_dense_factorize(dense, 9, 1), FREERIDGE_INVALID_ARGUMENT, "engine is 9");
  EXPECT_STATUS(freeridge_mpi_dense_factorize(dense, 1, 0), FREERIDGE_INVALID_ARGUMENT, "expected_lambdas is 0");
  EXPECT_STATUS(freeridge_mpi_dense_factorize(dense, FREERIDGE_MPI_ENGINE_PDSYEVD, 1), FREERIDGE_OK);
  EXPECT_STATUS(score(FREERIDGE_GROUPS, 1, one, out, 1), FREERIDGE_INVALID_ARGUMENT, "criterion is 4");
  EXPECT_STATUS(score(FREERIDGE_LOO, 0, one, out, 1), FREERIDGE_INVALID_ARGUMENT, "count is 0");
  EXPECT_STATUS(score(FREERIDGE_LOO, 1, nullptr, out, 1), FREERIDGE_INVALID_ARGUMENT, "lambdas is NULL");
  EXPECT_STATUS(score(FREERIDGE_LOO, 1, one, nullptr, 1), FREERIDGE_INVALID_ARGUMENT, "scores is NULL");
  EXPECT_STATUS(score(FREERIDGE_LOO, 1, one, out, 0), FREERIDGE_INVALID_ARGUMENT, "ld is 0");
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_STATUS(score(FREERIDGE_LOO, 1, &bad, out, 1),
                  std::isfinite(bad) ? FREERIDGE_INVALID_ARGUMENT : FREERIDGE_NOT_FINITE, "lambda");
  double own = 1 + ranks::rank();
  if (ranks::count() > 1) {
    EXPECT_STATUS(score(FREERIDGE_LOO, 1, &own, out, 1), FREERIDGE_DIMENSION_MISMATCH, "differ");
  }
  EXPECT_STATUS(freeridge_mpi_dense_loo(dense, 1, one, out, 29), FREERIDGE_INVALID_ARGUMENT, "ld is 29");
  EXPECT_STATUS(freeridge_mpi_dense_select_lambda(dense, FREERIDGE_LOO, 2, 1, out, out + 1), FREERIDGE_INVALID_ARGUMENT,
                "low");
  EXPECT_STATUS(freeridge_mpi_dense_predictor(dense, nullptr, nullptr), FREERIDGE_INVALID_ARGUMENT, "lambdas");
  for (const double value : out) EXPECT_EQ(value, 0);
  EXPECT_EQ(freeridge_mpi_dense_factorize(nullptr, 1, 1), FREERIDGE_INVALID_ARGUMENT);
}

TEST_F(MpiDenseRefusals, SingularAtSmallLambda) {
  for (std::int64_t k = 0; k < 2; ++k) x(1, k) = x(0, k);
  EXPECT_STATUS(create(kernel.get()), FREERIDGE_OK);
  for (const freeridge_mpi_engine engine : {FREERIDGE_MPI_ENGINE_CHOLESKY, FREERIDGE_MPI_ENGINE_PDSYEVD}) {
    EXPECT_STATUS(freeridge_mpi_dense_factorize(dense, engine, 1), FREERIDGE_OK);
    const double lambdas[] = {1e-30, 1};
    double scores[2] = {}, errors[60] = {};
    EXPECT_STATUS(freeridge_mpi_dense_score(dense, FREERIDGE_GCV, 2, lambdas, scores, 2), FREERIDGE_UNDEFINED,
                  "singular");
    EXPECT_TRUE(std::isnan(scores[0]) && scores[1] > 0);
    EXPECT_STATUS(freeridge_mpi_dense_loo(dense, 2, lambdas, errors, 30), FREERIDGE_UNDEFINED, "singular");
    EXPECT_TRUE(std::isnan(errors[0]) && std::isnan(errors[29]) && std::isfinite(errors[30]));
    freeridge_model* model = nullptr;
    EXPECT_STATUS(freeridge_mpi_dense_predictor(dense, lambdas, &model), FREERIDGE_NOT_POSITIVE_DEFINITE, "singular");
    EXPECT_EQ(model, nullptr);
  }
}

struct Wish {
  int left;  // reports until the wish to cancel
};

int32_t cancelling(double, void* user) {
  return static_cast<Wish*>(user)->left-- <= 0 ? 1 : 0;
}

// Rank 0 cancels at its k-th report, for each k: all ranks are CANCELLED, and the problem is as before.
TEST_F(MpiDenseRefusals, RankZeroCancels) {
  EXPECT_STATUS(create(kernel.get()), FREERIDGE_OK);
  const double lambdas[] = {0.1, 1};
  double lambda = 0, score = 0;
  const auto work = [&] {
    const freeridge_status made = freeridge_mpi_dense_factorize(dense, FREERIDGE_MPI_ENGINE_CHOLESKY, 1);
    if (made != FREERIDGE_OK) return made;
    double out[2];
    const freeridge_status scored = freeridge_mpi_dense_score(dense, FREERIDGE_LOO, 2, lambdas, out, 2);
    return scored != FREERIDGE_OK ? scored
                                  : freeridge_mpi_dense_select_lambda(dense, FREERIDGE_LOO, 0.01, 1, &lambda, &score);
  };
  int cancelled = 0;
  for (int k = 0; k < 100; k += 1 + k / 4) {
    Wish wish{k};
    EXPECT_EQ(freeridge_mpi_dense_set_progress(dense, cancelling, &wish), FREERIDGE_OK);
    const freeridge_status status = work();
    EXPECT_TRUE(status == FREERIDGE_OK || status == FREERIDGE_CANCELLED) << freeridge_mpi_last_error();
    if (status == FREERIDGE_OK) break;
    EXPECT_EQ(lambda, 0);
    ++cancelled;
  }
  EXPECT_GE(cancelled, 5);
  EXPECT_EQ(freeridge_mpi_dense_set_progress(dense, nullptr, nullptr), FREERIDGE_OK);
  EXPECT_STATUS(work(), FREERIDGE_OK);
  EXPECT_GT(lambda, 0);
}

// A communicator of some of the ranks.
TEST_F(MpiDenseRefusals, SomeOfTheRanks) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, ranks::rank() % 2, 0, &half);
  const double lambda = 0.5;
  double some = 0, all = 0;
  for (const MPI_Comm comm : {half, MPI_COMM_WORLD}) {
    ASSERT_EQ(freeridge_mpi_dense_create(kernel.get(), comm, FREERIDGE_COL_MAJOR, 30, 2, x.values.data(), 30, 1,
                                         y.values.data(), 30, nullptr, 1, &dense),
              FREERIDGE_OK);
    ASSERT_EQ(freeridge_mpi_dense_factorize(dense, FREERIDGE_MPI_ENGINE_CHOLESKY, 1), FREERIDGE_OK);
    ASSERT_EQ(freeridge_mpi_dense_score(dense, FREERIDGE_LOO, 1, &lambda, comm == half ? &some : &all, 1),
              FREERIDGE_OK);
    freeridge_mpi_dense_destroy(dense);
    dense = nullptr;
  }
  MPI_Comm_free(&half);
  EXPECT_NEAR(some, all, 1e-12 * all);
}

}  // namespace
