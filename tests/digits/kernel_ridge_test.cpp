// Kernel ridge regression by every route that takes any kernel: n, d in the sizes of designs.hpp, points scaled by
// 2^+-500, weights and intercept on and off, lambda; with kernel matrices of full rank, with a quarter of the points
// twice, and smooth ones, which are singular to working precision. Kernel values are compared with those in long
// double, so the rounding of the kernel is in the ratios, too; precomputed matrices have none. Ratios: ratios.hpp; of
//     c            DPOT02: A = K + lambda W^-1, and |1'c|; where K is singular, at lambdas that are not below
//                  freeridge_get_tolerance: from there on c is that of the directions above it alone
//     unweighted   DQRT17: A = K, centred on both sides, R = Y - b - (K + lambda I) c, |B| the larger one of |Y| and
//                  |K + lambda I| |c| (which a singular K makes large, and no rounded c does better); every lambda
//     Y = I        DPOT03: c is the inverse of K + lambda I
//     LANDMARK     DQRT17 of (2): K_RT W R - lambda K_RR c over |K_TR| max(|W B|, |W||K_TR||c|) max(n, r) eps. A Gram
//                  matrix loses directions of eigenvalues below freeridge_get_tolerance, and so up to tolerance^(1/2)
//                  |W^(1/2) Y| K_ii^(1/2) of it: where K is smooth, as polynomials always are, that is no error, and the
//                  whole is over eps^(1/2)
// Where K + lambda I is singular within the noise, CHOLESKY and BAND may refuse, and nothing else may.
#include "digits/largest.hpp"
#include "digits/ratios.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"

namespace kernel_ridge_test {

using namespace digits;
using oracle::Family;
using oracle::KernelSpec;
using oracle::Problem;

enum class Points { separated, twice, smooth };

constexpr const char* names_of_points[] = {"separated", "twice", "smooth"};

constexpr freeridge_route dense_routes[] = {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND};

// Points about one apart along the first axis, in a random order; twice: the last quarter repeats the first one;
// smooth: kernels as wide as all of them.
Problem make_problem(Family family, Points kind, std::int64_t n, std::int64_t d, bool weighted, bool intercept) {
  Random random(static_cast<std::uint64_t>(300000 + 1000 * n + d));
  Problem problem;
  problem.intercept = intercept;
  problem.x = random.uniform_matrix(n, d, 0, 1);
  const std::vector<std::int64_t> order = random.permutation(n);
  for (std::int64_t i = 0; i < n; ++i)
    problem.x(i, 0) = static_cast<double>(order[static_cast<std::size_t>(i)]) + random.uniform(0, 0.3);
  for (std::int64_t i = 0; i < n / 4 && kind == Points::twice; ++i)
    for (std::int64_t k = 0; k < d; ++k) problem.x(n - 1 - i, k) = problem.x(i, k);
  const double width = kind == Points::smooth ? 2 * static_cast<double>(n) : 0.8;
  problem.kernel = family == Family::polynomial ? KernelSpec::polynomial(2, 1.0 / static_cast<double>(n * n), 1.0)
                                                : KernelSpec::radial(family, width);
  problem.y = Matrix(n, outputs);
  for (double& value : problem.y.values) value = random.normal() + (intercept ? 1.5 : 0);
  for (std::int64_t i = 0; i < n; ++i) problem.y(i, 0) = std::sin(problem.x(i, 0)) + (intercept ? 1.5 : 0);
  if (weighted) problem.weights = random.uniform_vector(n, 0.4, 2.5);
  return problem;
}

Problem moved(Problem problem, int e) {
  problem.x = scaled(problem.x, e);
  if (problem.kernel.family == Family::polynomial)
    problem.kernel.scale = std::ldexp(problem.kernel.scale, -2 * e);
  else
    problem.kernel.sigma = std::ldexp(problem.kernel.sigma, e);
  return problem;
}

class KernelRidge : public Ratios {
 protected:
  void place(const std::string& what) { place_ = what; }
  void at_lambda(double lambda) {
    at(place_ + ", lambda " + (lambda > 0 ? "2^" + std::to_string(std::ilogb(lambda)) : "0"));
  }

  // The solution at lambda of a model, however it came by K; regular: K has full rank, far from rounding.
  void note_solution(support::Model& model, freeridge_route route, const Dense& k, const Problem& problem,
                     double lambda, bool regular) {
    const std::int64_t n = problem.y.rows;
    if (support::needs_positive_definite(route)) {
      const freeridge_status status = freeridge_set_lambda(model.get(), lambda);
      if (status == FREERIDGE_NOT_POSITIVE_DEFINITE) {
        expect(!regular && lambda <= 1e-10 * static_cast<double>(norm(k)), "an answer");
        return;
      }
      support::check(status, "freeridge_set_lambda");
    }
    model.lambda(lambda);
    const Matrix c = model.coefficients();
    const Vector b = model.intercepts();
    const Expansion left(k, problem.y, problem.weights, lambda, c, b);
    if (problem.intercept) note("1'c", left.sum);
    const bool in_the_noise = !regular && (lambda == 0 || lambda < support::tolerance_of(model));
    if (!in_the_noise) note("DPOT02", system_ratio(left.a, c, b, left.r));
    if (!problem.weights.empty()) return;
    // K is centred on both sides with an intercept: K c = y - b on what is orthogonal to the ones.
    Dense centred = k;
    for (int side = 0; side < 2 && problem.intercept; ++side) {
      for (std::int64_t j = 0; j < n; ++j) {
        Real mean = 0;
        for (std::int64_t i = 0; i < n; ++i) mean += centred(i, j) / static_cast<Real>(n);
        for (std::int64_t i = 0; i < n; ++i) centred(i, j) -= mean;
      }
      centred = support::transpose(centred);
    }
    const Dense gradient = support::multiply(centred, left.r);
    const Real size = norm(centred);
    for (std::int64_t j = 0; j < outputs; ++j) {
      const Real right =
          std::max(column_sum(support::to_real(problem.y), j), norm(left.a) * column_sum(support::to_real(c), j));
      note("DQRT17", ratio(max_entry(gradient, j), size * right * largest_size({n, outputs})));
    }
  }

  std::string place_;
};

class KernelRoutes : public KernelRidge, public ::testing::WithParamInterface<freeridge_route> {};

TEST_P(KernelRoutes, Ratios) {
  for (const Family kernel : {Family::gaussian, Family::laplacian, Family::matern52, Family::polynomial})
    for (const std::int64_t n : sizes)
      for (const std::int64_t d : sizes)
        for (const Points kind : {Points::separated, Points::twice, Points::smooth}) {
          if (kernel == Family::polynomial && kind == Points::separated) continue;  // its rank is small
          family(std::string(support::family_name(kernel)) + ", " + support::route_name(GetParam()));
          const bool intercept = n % 2 == d % 2, weighted = d % 3 == 1;
          const Problem problem = make_problem(kernel, kind, n, d, weighted, intercept);
          const Dense k = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
          for (const int e : exponents_for(n, d)) {
            const Problem here = moved(problem, e);
            support::Model model = oracle::make_model(here, GetParam());
            model.factorize();
            place(std::to_string(n) + " x " + std::to_string(d) + " " + names_of_points[static_cast<int>(kind)] +
                  (intercept ? ", intercept" : "") + (weighted ? ", weights" : "") + ", 2^" + std::to_string(e));
            for (const double lambda : lambdas(0)) {
              at_lambda(lambda);
              note_solution(model, GetParam(), k, here, lambda, kind == Points::separated);
            }
          }
        }
}

// K = V diag(s) V', times 2^e.
TEST_P(KernelRoutes, Precomputed) {
  family(std::string("precomputed, ") + support::route_name(GetParam()));
  for (const std::int64_t n : sizes)
    for (const Rank rank : {Rank::full, Rank::deficient})
      for (const bool intercept : {false, true}) {
        Random random(static_cast<std::uint64_t>(400000 + n));
        const std::int64_t r = rank == Rank::full ? n : 3 * n / 4;
        const Dense v = random_orthonormal(random, n, r, false);
        Matrix k = support::to_double(product(v, singular_values(random, r, 0.1, 1), v));
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t i = 0; i < j; ++i) k(i, j) = k(j, i);
        Problem problem;
        problem.intercept = intercept;
        problem.y = Matrix(n, outputs);
        for (double& value : problem.y.values) value = random.normal();
        for (const int e : exponents_for(n, n)) {
          const Matrix here = scaled(k, e);
          support::Model model = support::precomputed_model(here, problem.y);
          model.intercept(intercept).route(GetParam()).factorize();
          place(std::to_string(n) + ", rank " + std::to_string(r) + (intercept ? ", intercept" : "") + ", 2^" +
                std::to_string(e));
          Vector all = {0, 0x1p-52, 1, 0x1p52};
          for (const int power : {-52, 0, 52})
            if (e != 0) all.push_back(std::ldexp(1.0, e + power));
          for (const double lambda : all) {
            at_lambda(lambda);
            note_solution(model, GetParam(), support::to_real(here), problem, lambda, rank == Rank::full);
          }
        }
        if (intercept || rank == Rank::deficient) continue;
        problem.y = support::to_double(support::identity(n));
        support::Model model = support::precomputed_model(k, problem.y);
        model.intercept(false).route(GetParam()).factorize();
        for (const double lambda : {0.0, 0x1p-52, 1.0, 0x1p52}) {
          place(std::to_string(n) + ", Y = I");
          at_lambda(lambda);
          Dense a = support::to_real(k);
          for (std::int64_t i = 0; i < n; ++i) a(i, i) += Real(lambda);
          note("DPOT03", inverse_ratio(a, model.lambda(lambda).coefficients()));
        }
      }
}

INSTANTIATE_TEST_SUITE_P(, KernelRoutes, ::testing::ValuesIn(dense_routes),
                         [](const auto& tested) { return std::string(support::route_name(tested.param)); });

class Landmarks : public KernelRidge, public ::testing::WithParamInterface<freeridge_reduction> {};

TEST_P(Landmarks, Ratios) {
  for (const Family kernel : {Family::gaussian, Family::laplacian, Family::polynomial, Family::linear})
    for (const std::int64_t n : sizes)
      for (const std::int64_t d : sizes)
        for (const Points kind : {Points::separated, Points::twice, Points::smooth}) {
          family(std::string(support::family_name(kernel)) + ", Landmark, " + support::reduction_name(GetParam()));
          const bool intercept = n % 2 == d % 2, weighted = d % 3 == 1;
          const bool smooth = kind == Points::smooth || kernel == Family::polynomial;
          Problem problem =
              make_problem(kernel == Family::linear ? Family::gaussian : kernel, kind, n, d, weighted, intercept);
          if (kernel == Family::linear) problem.kernel = KernelSpec::linear();
          support::Rows rows;
          for (std::int64_t i = 0; i < n; i += 2) rows.push_back(i);
          const auto count = static_cast<std::int64_t>(rows.size());
          for (const int e : exponents_for(n, d)) {
            if (kernel == Family::linear && e != 0) continue;  // in linear_models_test.cpp
            const Problem here = moved(problem, e);
            const Dense k = oracle::kernel_matrix(here.kernel, here.x, here.x);
            support::Model model = oracle::make_model(here, FREERIDGE_ROUTE_LANDMARK);
            support::set_landmarks(model, rows);
            support::set_reduction(model, GetParam());
            model.factorize();
            place(std::to_string(n) + " x " + std::to_string(d) + " " + names_of_points[static_cast<int>(kind)] +
                  (intercept ? ", intercept" : "") + (weighted ? ", weights" : "") + ", 2^" + std::to_string(e));
            for (const double lambda : lambdas(0)) {
              at_lambda(lambda);
              model.lambda(lambda);
              const Matrix c = model.coefficients();
              const Vector b = model.intercepts();
              const Dense f = support::multiply(k, support::to_real(c));
              for (std::int64_t j = 0; j < outputs; ++j) {
                Real y_size = 0, y_square = 0, k_most = 0, error = 0, sum = 0, c_size = 0, k_size = 0;
                for (std::int64_t i = 0; i < n; ++i) {
                  y_size += here.weight(i) * std::abs(here.y(i, j));
                  y_square += here.weight(i) * Real(here.y(i, j)) * here.y(i, j);
                  k_most = std::max(k_most, k(i, i));
                  c_size += std::abs(c(i, j));
                  sum += here.weight(i) * (here.y(i, j) - f(i, j) - b[static_cast<std::size_t>(j)]);
                }
                for (const std::int64_t m : rows) {
                  Real column = 0;
                  for (std::int64_t i = 0; i < n; ++i) column += here.weight(i) * std::abs(k(i, m));
                  k_size = std::max(k_size, column);
                }
                const Real size = std::max(y_size, k_size * c_size) * largest_size({n, count});
                for (const std::int64_t m : rows) {
                  if (c(m, j) == 0) continue;  // left out
                  Real inner = -Real(lambda) * f(m, j);
                  for (std::int64_t i = 0; i < n; ++i)
                    inner += k(i, m) * here.weight(i) * (here.y(i, j) - f(i, j) - b[static_cast<std::size_t>(j)]);
                  error = std::max(error, std::abs(inner));
                }
                if (smooth && GetParam() == FREERIDGE_REDUCTION_GRAM) {
                  note("DQRT17 with all directions, smooth", error / (k_size * size * eps) * 0x1p-26);
                  error -= std::sqrt(support::tolerance_of(model) * y_square * k_most);
                }
                note("DQRT17", ratio(std::max(error, Real(0)), k_size * size));
                if (intercept) note("DQRT17 of the ones", ratio(std::abs(sum), size));
              }
            }
          }
        }
}

INSTANTIATE_TEST_SUITE_P(, Landmarks, ::testing::Values(FREERIDGE_REDUCTION_GRAM, FREERIDGE_REDUCTION_QR),
                         [](const auto& tested) { return std::string(support::reduction_name(tested.param)); });

}  // namespace kernel_ridge_test
