// freeridge_ols and freeridge_ridge, without and with penalties: every size, rank, scale and lambda. The ratios and
// their LAPACK names: ratios.hpp.
#include "digits/largest.hpp"
#include "digits/ratios.hpp"
#include "support/classical.hpp"

namespace least_squares_test {

using namespace digits;
using support::Regression;
using support::RegressionData;

constexpr int y_exponents[] = {0, 500, -500};

class LeastSquares : public Ratios, public ::testing::WithParamInterface<bool> {
 protected:
  // body(design) for every size, rank and scale.
  template <class Body>
  void for_each_design(Body body) {
    const bool intercept = GetParam();
    for (const std::int64_t n : sizes)
      for (const std::int64_t d : sizes)
        for (const Rank rank : {Rank::full, Rank::deficient}) {
          const Design design = make_design(n, d, rank, intercept);
          for (const int ex : exponents_for(n, d))
            for (const int ey : y_exponents) {
              if (n * d > 2000 && ex == 0 && ey != 0) continue;  // the large ones: y as x, or the other way
              x_exponent_ = ex;
              place_ = std::to_string(n) + " x " + std::to_string(d) + ", rank " + std::to_string(design.rank()) +
                       (intercept ? ", intercept" : "") + ", x 2^" + std::to_string(ex) + ", y 2^" + std::to_string(ey);
              at(place_);
              body(scaled(design, ex, ey));
            }
        }
  }

  void note_ratios(const Design& design, const Regression& fit, double lambda) {
    const std::int64_t n = design.x.rows, ones = design.intercept ? 1 : 0;
    const LinearProblem problem(design.x, design.y, design.intercept);
    const Dense r = problem.residual(fit.w, fit.b);
    note("DQRT17", normal_ratio(problem, r, fit.w, lambda));
    if (design.intercept) note("DQRT17 of the ones", ones_ratio(problem, r, fit.w));
    if (row_space_is_known(design, lambda)) note("DQRT14", row_space_ratio(design.v, fit.w, n));
    if (lambda > 0) return;
    for (std::int64_t j = 0; j < outputs; ++j)
      if (j == 0 || design.rank() == n - ones) note("DQRT16", solve_ratio(problem, r, fit.w, j));
  }

  int x_exponent_ = 0;
  std::string place_;
};

TEST_P(LeastSquares, Ols) {
  family("OLS");
  for_each_design([&](const Design& design) {
    const Regression fit = support::ols({design.x, design.y, design.intercept});
    note_ratios(design, fit, 0);
    expect(fit.rank == design.rank(), "rank " + std::to_string(fit.rank));
  });
}

TEST_P(LeastSquares, Ridge) {
  family("ridge");
  for_each_design([&](const Design& design) {
    for (const double lambda : lambdas(x_exponent_)) {
      at(place_ + ", lambda " + std::to_string(std::log2(lambda)));
      note_ratios(design, support::ridge({design.x, design.y, design.intercept}, lambda), lambda);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(, LeastSquares, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Intercept" : "NoIntercept"; });

}  // namespace least_squares_test
