// Where the searches begin by default: errors left out of what they choose have six digits, against the definition in
// 64 or 113 bits, on problems that drive lambda down and on data sets; what is below is said to be; ties go up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "support/accumulator.hpp"
#include "support/compare.hpp"
#include "support/csv.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/quad.hpp"

namespace default_search_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

constexpr freeridge_route dual_routes[] = {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND};
constexpr double six_digits = 1e-6;  // of the largest error left out

using support::square_root;  // of 113 bits

Real square_root(Real a) {
  return std::sqrt(a);
}

// L of a = L L', in place of its lower triangle.
template <class Scalar>
void cholesky(Table<Scalar>& a) {
  for (std::int64_t j = 0; j < a.cols; ++j) {
    for (std::int64_t k = 0; k < j; ++k)
      for (std::int64_t i = j; i < a.rows; ++i) a(i, j) -= a(i, k) * a(j, k);
    const Scalar root = square_root(a(j, j));
    for (std::int64_t i = j; i < a.rows; ++i) a(i, j) /= root;
  }
}

// e_i = (P Y)_i / P_ii with P = M^-1 - M^-1 1 1'M^-1 / (1'M^-1 1), M = K + lambda W^-1, from K.
template <class Scalar>
Vector left_out(const Problem& problem, Table<Scalar> l, double lambda) {
  const std::int64_t n = l.rows;
  for (std::int64_t i = 0; i < n; ++i) l(i, i) += static_cast<Scalar>(lambda) / static_cast<Scalar>(problem.weight(i));
  cholesky(l);
  Table<Scalar> inverse(n, n);                                         // of L
  Table<Scalar> y(n, 1), one(n, 1), c(n, 1), u(n, 1), diagonal(n, 1);  // L^-1 Y, L^-1 1, M^-1 Y, M^-1 1, diag M^-1
  for (std::int64_t j = 0; j < n; ++j) {
    inverse(j, j) = 1;
    for (std::int64_t k = j; k < n; ++k) {
      inverse(k, j) /= l(k, k);
      for (std::int64_t i = k + 1; i < n; ++i) inverse(i, j) -= l(i, k) * inverse(k, j);
    }
    for (std::int64_t i = j; i < n; ++i) {
      y(i, 0) += inverse(i, j) * static_cast<Scalar>(problem.y(j, 0));
      one(i, 0) += inverse(i, j);
    }
  }
  Scalar of_y = 0, of_one = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) {
      c(j, 0) += inverse(i, j) * y(i, 0);
      u(j, 0) += inverse(i, j) * one(i, 0);
      diagonal(j, 0) += inverse(i, j) * inverse(i, j);
    }
  for (std::int64_t i = 0; i < n; ++i) {
    of_y += u(i, 0) * static_cast<Scalar>(problem.y(i, 0));
    of_one += u(i, 0);
  }
  Vector out;
  for (std::int64_t i = 0; i < n; ++i) {
    const Scalar ones = problem.intercept ? u(i, 0) / of_one : Scalar(0);
    out.push_back(static_cast<double>((c(i, 0) - ones * of_y) / (diagonal(i, 0) - ones * u(i, 0))));
  }
  return out;
}

// In long double; linear kernels, whose range reaches far lower, in 113 bits.
Vector left_out(const Problem& problem, double lambda) {
  if (problem.kernel.family != oracle::Family::linear)
    return left_out(problem, oracle::kernel_matrix(problem.kernel, problem.x, problem.x), lambda);
  QuadMatrix x = to_quad(problem.x);
  for (std::int64_t k = 0; k < x.cols && !problem.kernel.columns.empty(); ++k)
    for (std::int64_t i = 0; i < x.rows; ++i) x(i, k) /= Quad(problem.kernel.columns[static_cast<std::size_t>(k)]);
  return left_out(problem, multiply(x, transpose(x)), lambda);
}

double distance(const Vector& errors, const Vector& expected) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    most = std::max(most, std::abs(errors[i] - expected[i]));
    size = std::max(size, std::abs(expected[i]));
  }
  return most / size;
}

// The default search, its choice, and errors left out that are right there.
void expect_digits(const Problem& problem, Model& model, freeridge_criterion criterion = FREERIDGE_LOO) {
  const LambdaChoice choice = model.select_lambda(criterion);
  const LambdaFlags flags = model.lambda_flags();
  EXPECT_EQ(flags.below, Labels{0});
  EXPECT_EQ(flags.edge, model.search().edge);
  EXPECT_GE(model.lambda_grid(1)[0], flags.floor);
  const Vector expected = left_out(problem, choice.lambda[0]);
  EXPECT_LE(distance(model.loo().values, expected), six_digits) << "lambda " << choice.lambda[0];
  if (criterion != FREERIDGE_LOO) return;
  double score = 0, weights = 0;
  for (std::int64_t i = 0; i < problem.x.rows; ++i) {
    const double e = expected[static_cast<std::size_t>(i)];
    score += problem.weight(i) * e * e;
    weights += problem.weight(i);
  }
  EXPECT_NEAR(choice.score[0], score / weights, 3 * six_digits * score / weights);
}

Problem cosine(std::int64_t n, double frequency, KernelSpec kernel) {
  Problem problem{std::move(kernel), Matrix(n, 1), Matrix(n, 1), {}, true};
  for (std::int64_t i = 0; i < n; ++i) {
    problem.x(i, 0) = -1 + 2 * static_cast<double>(i) / static_cast<double>(n - 1);
    problem.y(i, 0) = std::cos(frequency * problem.x(i, 0));
  }
  return problem;
}

TEST(DefaultSearch, SmoothFunctionsWithoutNoise) {
  Random random(20);
  for (const std::int64_t n : {10, 20, 45})
    for (const double sigma : {0.3, 0.7, 2.0, 10.0})
      for (const double frequency : {1.0, 3.0, 10.0})
        for (const bool weighted : {false, true}) {
          Problem problem = cosine(n, frequency, KernelSpec::gaussian(sigma));
          problem.intercept = !weighted || sigma < 1;
          if (weighted)
            for (std::int64_t i = 0; i < n; ++i) problem.weights.push_back(std::pow(10, random.uniform(-2, 2)));
          for (const freeridge_route route : dual_routes) {
            SCOPED_TRACE(::testing::Message() << route_name(route) << " n " << n << " sigma " << sigma << " cos "
                                              << frequency << (weighted ? " weights" : ""));
            Model model = oracle::make_model(problem, route);
            model.factorize();
            expect_digits(problem, model);
          }
        }
}

// K_TR K_RR^-1 K_RT: problem (2) is that of this kernel matrix.
QuadMatrix restricted_kernel(const Problem& problem, const Rows& landmarks) {
  const Dense all = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
  const auto r = static_cast<std::int64_t>(landmarks.size());
  QuadMatrix k_rt(r, all.cols), k_rr(r, r);
  for (std::int64_t q = 0; q < r; ++q) {
    const std::int64_t row = landmarks[static_cast<std::size_t>(q)];
    for (std::int64_t i = 0; i < all.cols; ++i) k_rt(q, i) = all(row, i);
    for (std::int64_t p = 0; p < r; ++p) k_rr(q, p) = all(row, landmarks[static_cast<std::size_t>(p)]);
  }
  return multiply(transpose(k_rt), solve(k_rr, k_rt));
}

TEST(DefaultSearch, Landmarks) {
  for (const double sigma : {0.3, 0.7, 2.0})
    for (const double frequency : {1.0, 3.0, 10.0})
      for (const bool intercept : {false, true})
        for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_GRAM, FREERIDGE_REDUCTION_QR}) {
          SCOPED_TRACE(::testing::Message()
                       << "sigma " << sigma << " cos " << frequency << " reduction " << reduction << intercept);
          Problem problem = cosine(60, frequency, KernelSpec::gaussian(sigma));
          problem.intercept = intercept;
          Model model = oracle::make_model(problem);
          choose_landmarks(model, 12, FREERIDGE_LANDMARKS_AUTO);
          set_reduction(model, reduction).factorize();
          const double lambda = model.select_lambda(FREERIDGE_LOO).lambda[0];
          const Vector expected = left_out(problem, restricted_kernel(problem, landmark_rows(model)), lambda);
          EXPECT_LE(distance(model.loo().values, expected), six_digits) << lambda;
        }
}

// Columns as they are, of other sizes each, and more rows than monomials: eigenvalues that are zero by the kernel's
// rank beside small ones, and rows of leverage near one.
TEST(DefaultSearch, PolynomialsOfFewMonomials) {
  for (int seed = 0; seed < 30; ++seed)
    for (const std::int32_t degree : {2, 3})
      for (const bool intercept : {false, true}) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << " degree " << degree << intercept);
        Random random(static_cast<unsigned>(300 + seed));
        const std::int64_t n = 24, d = 2;
        Problem problem{KernelSpec::polynomial(degree, 1, 1), Matrix(n, d), Matrix(n, 1), {}, intercept};
        const double spread = 0.5 + 0.75 * (seed % 3);
        for (std::int64_t k = 0; k < d; ++k) {
          const double unit = std::pow(10.0, random.uniform(-spread, spread));
          for (std::int64_t i = 0; i < n; ++i) problem.x(i, k) = unit * (random.normal() + seed % 2);
          for (std::int64_t i = 0; i < n; ++i) problem.y(i, 0) += problem.x(i, k) / unit;
        }
        for (std::int64_t i = 0; i < n; ++i) problem.y(i, 0) += (seed % 4 == 0 ? 1e-4 : 0.1) * random.normal();
        const QuadMatrix x = to_quad(problem.x);
        QuadMatrix k = multiply(x, transpose(x));
        for (Quad& value : k.values) {
          const Quad base = value + 1;
          value = degree == 2 ? base * base : base * base * base;
        }
        for (const freeridge_route route : {FREERIDGE_ROUTE_AUTO, FREERIDGE_ROUTE_SPECTRAL}) {
          Model model = oracle::make_model(problem, route);
          model.factorize();
          const double lambda = model.select_lambda(FREERIDGE_LOO).lambda[0];
          EXPECT_EQ(model.lambda_flags().below, Labels{0});
          EXPECT_LE(distance(model.loo().values, left_out(problem, k, lambda)), six_digits) << "lambda " << lambda;
        }
      }
}

TEST(DefaultSearch, TheOracleIsARefit) {
  const Problem problem = cosine(12, 3, KernelSpec::gaussian(0.7));
  EXPECT_CLOSE(left_out(problem, 1e-6), oracle::loo(problem, 1e-6).values, 1e-12);
}

// Base R's data sets as the R package fits them: columns divided by their standard deviations, a Gaussian kernel with its
// bandwidth chosen; and a linear kernel.
Problem data_set(const CsvFile& file) {
  Problem problem{KernelSpec::gaussian(1), {}, numbers(file, {"y"}), {}, true};
  problem.x = numbers(file, {file.header.begin() + 1, file.header.end()});
  const std::int64_t n = problem.x.rows;
  for (std::int64_t k = 0; k < problem.x.cols; ++k) {
    double mean = 0, squares = 0;
    for (std::int64_t i = 0; i < n; ++i) mean += problem.x(i, k) / static_cast<double>(n);
    for (std::int64_t i = 0; i < n; ++i) squares += (problem.x(i, k) - mean) * (problem.x(i, k) - mean);
    problem.kernel.columns.push_back(squares > 0 ? std::sqrt(squares / static_cast<double>(n - 1)) : 1);
  }
  return problem;
}

TEST(DefaultSearch, DataSets) {
  for (const auto& entry : std::filesystem::directory_iterator(std::string(FREERIDGE_TEST_DATA) + "/base_r")) {
    SCOPED_TRACE(entry.path().filename());
    Problem problem = data_set(read_csv("base_r/" + entry.path().filename().string()));
    Model model = oracle::make_model(problem);
    problem.kernel.sigma = model.select_bandwidth(FREERIDGE_LOO, 0, 0, 15).sigma;
    EXPECT_EQ(model.lambda_flags().below, Labels{0});
    EXPECT_LE(distance(model.loo().values, left_out(problem, model.lambda_in_force()[0])), six_digits)
        << "sigma " << problem.kernel.sigma << " lambda " << model.lambda_in_force()[0];
    problem.kernel.family = oracle::Family::linear;
    Model linear = oracle::make_model(problem);
    linear.factorize();
    expect_digits(problem, linear);
  }
}

// ---- below ----

TEST(DefaultSearch, ALambdaBelowTheFloorIsSaidToBe) {
  Problem problem = cosine(30, 10, KernelSpec::gaussian(0.7));
  problem.y = Matrix(30, 2, 1.0);
  for (std::int64_t i = 0; i < 30; ++i) problem.y(i, 1) = std::cos(10 * problem.x(i, 0));
  const auto expect_said = [](Model& model) {
    model.factorize().lambda(1.0);
    const double floor = model.lambda_flags().floor;
    ASSERT_GT(floor, 0);
    EXPECT_EQ(model.lambda(floor).lambda_flags().below, (Labels{0, 0}));
    EXPECT_EQ(model.lambda(floor / 10).lambda_flags().below, (Labels{1, 1}));
    EXPECT_EQ(model.lambdas({floor / 10, 1.0}).lambda_flags().below, (Labels{1, 0}));
    // A search below it as well; the flags of the edge are the search's as long as its lambda is in force.
    model.select_lambda(FREERIDGE_LOO, floor / 100, floor / 10);
    const LambdaFlags flags = model.lambda_flags();
    EXPECT_EQ(flags.below, (Labels{1, 1}));
    EXPECT_EQ(flags.edge, (Labels{1, -1}));  // a constant; a smooth function
    EXPECT_EQ(model.lambda(1.0).lambda_flags().edge, (Labels{0, 0}));
  };
  for (const freeridge_route route : dual_routes) {
    SCOPED_TRACE(route_name(route));
    Model model = oracle::make_model(problem, route);
    expect_said(model);
    if (route == FREERIDGE_ROUTE_SPECTRAL) {
      EXPECT_EQ(model.lambda(0.0).lambda_flags().below, (Labels{1, 1}));
    }
  }
  for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_GRAM, FREERIDGE_REDUCTION_QR}) {
    SCOPED_TRACE(reduction);
    Model model = oracle::make_model(problem);
    choose_landmarks(model, 15, FREERIDGE_LANDMARKS_AUTO);
    set_reduction(model, reduction);
    expect_said(model);
  }
}

TEST(DefaultSearch, WhereAllEigenvaluesAreKnownNoLambdaIsBelow) {
  Random random(5);
  Problem linear = random_problem(random, KernelSpec::linear(), 40, 3, 1, false, true);
  Model primal = oracle::make_model(linear, FREERIDGE_ROUTE_PRIMAL);
  primal.factorize();
  for (const double lambda : {0.0, 1e-300, 1e-20, 1.0}) {
    EXPECT_EQ(primal.lambda(lambda).lambda_flags().below, Labels{0}) << lambda;
    EXPECT_EQ(primal.lambda_flags().floor, 0.0);
  }
  Problem regular = random_problem(random, KernelSpec::radial(oracle::Family::laplacian, 0.05), 40, 3, 1, true, true);
  for (const freeridge_route route : dual_routes) {
    SCOPED_TRACE(route_name(route));
    Model model = oracle::make_model(regular, route);
    model.factorize();
    for (const double lambda : {0.0, 1e-18, 1e-10}) {
      EXPECT_EQ(model.lambda(lambda).lambda_flags().below, Labels{0}) << lambda;
      EXPECT_LE(distance(model.loo().values, left_out(regular, lambda)), 1e-12);
    }
  }
}

// Columns that are nearly collinear are known to six digits from some lambda on; exactly collinear ones, and rows twice,
// also at lambda = 0, where their directions are left out.
TEST(DefaultSearch, NearlyCollinearColumns) {
  Random random(6);
  for (const double apart : {1e-5, 1e-8, 1e-11, 0.0})
    for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM}) {
      SCOPED_TRACE(::testing::Message() << apart << ", reduction " << reduction);
      Problem problem = random_problem(random, KernelSpec::linear(), 40, 3, 1, false, true);
      for (std::int64_t i = 0; i < 40; ++i) problem.x(i, 2) = problem.x(i, 0) + apart * random.normal();
      Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
      set_reduction(model, reduction).factorize();
      expect_digits(problem, model);
      const double floor = model.lambda_flags().floor;
      if (floor > 0) {
        EXPECT_EQ(model.lambda(floor / 10).lambda_flags().below, Labels{1});
        EXPECT_LE(distance(model.lambda(floor).loo().values, left_out(problem, floor)), six_digits) << floor;
      }
      if (apart == 0) {
        EXPECT_EQ(model.lambda(0.0).lambda_flags().below, Labels{0});
      }
      const Accumulator rows(problem);
      const double low = rows.lambda_grid(1)[0];
      EXPECT_LE(distance(rows.loo(problem, {low}).values, left_out(problem, low)), six_digits) << low;
    }
}

// ---- ties ----

TEST(DefaultSearch, OfScoresEqualWithinRoundingTheLargerLambdaWins) {
  Random random(7);
  for (const std::int64_t n : {1, 2, 25}) {  // K = I to rounding: e = Y at every lambda
    Problem problem{KernelSpec::gaussian(1e-3),
                    random.uniform_matrix(n, 2, -1.0, 1.0),
                    random.uniform_matrix(n, 1, 1.0, 2.0),
                    {},
                    false};
    for (const freeridge_route route : dual_routes)
      for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV}) {
        SCOPED_TRACE(::testing::Message() << route_name(route) << ", n " << n << ", criterion " << criterion);
        Model model = oracle::make_model(problem, route);
        model.factorize();
        EXPECT_EQ(model.select_lambda(criterion).lambda[0], model.lambda_grid(2)[1]);
        EXPECT_EQ(model.lambda_flags().edge, Labels{1});
        EXPECT_EQ(model.select_lambda(criterion, 1e-3, 10).lambda[0], 10);
      }
  }
}

}  // namespace default_search_test
