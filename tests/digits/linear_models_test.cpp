// Ridge regression by the routes of a model with the linear kernel, and by an accumulator: w, b, c, the spectrum; every
// size, rank and scale (x and y both, as LAPACK scales them), weights, lambda. Ratios: ratios.hpp; of
//     w      DQRT17, that of the ones, and DQRT14; at lambda = 0 DQRT16
//     c      DPOT02: A = K + lambda W^-1; and |1'c|: at lambdas that are not below freeridge_get_tolerance; with a Gram
//            matrix, whose B is not orthonormal to rounding and is not kept, from the largest eigenvalue on
//     Lambda DQRT12: the ends of freeridge_lambda_grid are a thousandth of the smallest eigenvalue of K (but not
//            below the floor) and a thousand times the largest; and tr H = sum s^2 / (s^2 + lambda) (+ 1), over max(n, d) eps tr H
// Where K + lambda I is singular within the noise, CHOLESKY and BAND may refuse, and nothing else may.
#include "digits/largest.hpp"
#include "digits/ratios.hpp"
#include "support/accumulator.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"

namespace linear_models_test {

using namespace digits;

struct Setting {
  freeridge_route route;
  freeridge_reduction reduction;
  const char* name;
};

constexpr Setting settings[] = {{FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_AUTO, "Primal"},
                                {FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_GRAM, "PrimalGram"},
                                {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_REDUCTION_AUTO, "Spectral"},
                                {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_REDUCTION_AUTO, "Cholesky"},
                                {FREERIDGE_ROUTE_BAND, FREERIDGE_REDUCTION_AUTO, "Band"}};

// Unweighted without, weighted with an intercept, and the other way round: by the size.
struct Case {
  Design design;
  oracle::Problem problem;
  int exponent = 0;
  std::string place;
};

template <class Body>
void for_each_case(Body body) {
  for (const std::int64_t n : sizes)
    for (const std::int64_t d : sizes)
      for (const Rank rank : {Rank::full, Rank::deficient})
        for (const bool intercept : {false, true}) {
          const Design design = make_design(n, d, rank, intercept);
          const bool weighted = (n + d) % 2 == 1;
          Random random(static_cast<std::uint64_t>(n + 1000 * d));
          for (const int e : exponents_for(n, d)) {
            Case one{scaled(design, e, e), {}, e, {}};
            one.problem.x = one.design.x;
            one.problem.y = one.design.y;
            one.problem.intercept = intercept;
            if (weighted) one.problem.weights = random.uniform_vector(n, 0.4, 2.5);
            one.place = std::to_string(n) + " x " + std::to_string(d) + ", rank " + std::to_string(design.rank()) +
                        (intercept ? ", intercept" : "") + (weighted ? ", weights" : "") + ", 2^" + std::to_string(e);
            body(one);
          }
        }
}

class LinearModels : public Ratios {
 protected:
  void note_hyperplane(const Case& one, const LinearProblem& problem, const Matrix& w, const Vector& b, double lambda) {
    const std::int64_t n = one.problem.x.rows, ones = one.problem.intercept ? 1 : 0;
    const Dense r = problem.residual(w, b);
    note("DQRT17", normal_ratio(problem, r, w, lambda));
    if (ones > 0) note("DQRT17 of the ones", ones_ratio(problem, r, w));
    if (row_space_is_known(one.design, lambda)) note("DQRT14", row_space_ratio(one.design.v, w, n));
    for (std::int64_t j = 0; j < outputs && lambda == 0; ++j)
      if (j == 0 || one.design.rank() == n - ones) note("DQRT16", solve_ratio(problem, r, w, j));
  }

  void note_coefficients(const Case& one, const Dense& k, const Matrix& c, const Vector& b, double lambda) {
    const Expansion left(k, one.problem.y, one.problem.weights, lambda, c, b);
    if (one.problem.intercept) note("1'c", left.sum);
    note("DPOT02", system_ratio(left.a, c, b, left.r));
  }
};

class Routes : public LinearModels, public ::testing::WithParamInterface<Setting> {};

TEST_P(Routes, Ratios) {
  const Setting& setting = GetParam();
  family(std::string("linear kernel, ") + setting.name, setting.route == FREERIDGE_ROUTE_PRIMAL ? svd_limit : limit);
  for_each_case([&](const Case& one) {
    at(one.place);
    const std::int64_t n = one.problem.x.rows, d = one.problem.x.cols, ones = one.problem.intercept ? 1 : 0;
    support::Model model = oracle::make_model(one.problem, setting.route);
    support::set_reduction(model, setting.reduction);
    model.factorize();
    const LinearProblem problem(one.problem.x, one.problem.y, one.problem.intercept, one.problem.weights);
    const Dense k = oracle::kernel_matrix(one.problem.kernel, one.problem.x, one.problem.x);
    const bool refuses = support::needs_positive_definite(setting.route);
    if (!refuses) expect(support::rank_of(model) == one.design.rank(), "rank");
    if (!refuses && one.problem.weights.empty() && one.design.rank() > 0) {
      const Vector grid = model.lambda_grid(2);
      const bool at_floor = grid[0] == model.lambda(1.0).lambda_flags().floor;
      const Real last = std::sqrt(Real(grid[1]) / 1000), first = std::sqrt(Real(grid[0]) * 1000);
      note("DQRT12", singular_ratio({last, at_floor ? one.design.s.back() : first},
                                    {one.design.s.front(), one.design.s.back()}, std::max(n, d)));
    }
    for (const double lambda : lambdas(one.exponent)) {
      at(one.place + ", lambda 2^" + std::to_string(std::log2(lambda)));
      if (refuses) {
        const freeridge_status status = freeridge_set_lambda(model.get(), lambda);
        if (status == FREERIDGE_NOT_POSITIVE_DEFINITE) {
          const bool regular = one.design.rank() == n - ones && lambda >= 0;
          expect(!regular && lambda <= 1e-10 * std::ldexp(1.0, 2 * one.exponent), "an answer");
          continue;
        }
        support::check(status, "freeridge_set_lambda");
      }
      model.lambda(lambda);
      const Vector b = model.intercepts();
      note_hyperplane(one, problem, model.hyperplane(), b, lambda);
      const bool streamed = setting.reduction == FREERIDGE_REDUCTION_GRAM;
      const double least = streamed ? std::ldexp(1.0, 2 * one.exponent) : support::tolerance_of(model);
      if (lambda > 0 && lambda >= least) note_coefficients(one, k, model.coefficients(), b, lambda);
      if (!one.problem.weights.empty()) continue;
      Real df = static_cast<Real>(ones);
      for (const Real s : one.design.s) df += s * s / (s * s + Real(lambda));
      const Real error = std::abs(Real(model.degrees_of_freedom()[0]) - df) - smallest * largest_size({n, d});
      if (df > 0) note("DQRT12 (tr H)", ratio(std::max(error, Real(0)), df * largest_size({n, d})));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(, Routes, ::testing::ValuesIn(settings), [](const auto& tested) { return tested.param.name; });

TEST_F(LinearModels, Accumulator) {
  family("accumulator");
  for_each_case([&](const Case& one) {
    const support::Accumulator accumulator(one.problem, 40);
    const Vector all = lambdas(one.exponent);
    const support::Planes planes = accumulator.solve(all);
    const LinearProblem problem(one.problem.x, one.problem.y, one.problem.intercept, one.problem.weights);
    for (std::size_t l = 0; l < all.size(); ++l) {
      at(one.place + ", lambda 2^" + std::to_string(std::log2(all[l])));
      Matrix w(one.problem.x.cols, outputs);
      Vector b(static_cast<std::size_t>(outputs));
      for (std::int64_t j = 0; j < outputs; ++j) {
        b[static_cast<std::size_t>(j)] = planes.b(j, static_cast<std::int64_t>(l));
        for (std::int64_t k = 0; k < w.rows; ++k) w(k, j) = planes.w(k, static_cast<std::int64_t>(l) * outputs + j);
      }
      note_hyperplane(one, problem, w, b, all[l]);
    }
  });
}

}  // namespace linear_models_test
