#include "libcore/classical/regression.hpp"

#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/classical/least_squares.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

SolvedLeastSquares solve(const LayoutView& x, const LayoutView& y, bool intercept, double lambda,
                         Span<const double> penalty, Index max_steps) {
  require_finite("x", x);
  require_finite("y", y);
  return solve_least_squares({x, y, intercept, lambda, penalty}, max_steps);
}

RegressionResult unscaled(const SolvedLeastSquares& solved) {
  const PenalisedProblem& problem = solved.scaled.problem();
  RegressionResult out(problem.d(), problem.t());
  out.rank = solved.rank;
  solved.scaled.unscale(solved.solution, out.w.view(), out.b);
  return out;
}

Array<double> ones(Index count) {
  return Array<double>(count, 1.0);
}

// sum_i r_ij^2, in twice the precision: r_squared is 1 - a / b for such sums, and a / b may be near one
DoubleDouble squared_norm(const TwofoldMatrix& r, Index j) {
  DoubleDouble sum;
  for (Index i = 0; i < r.rows(); ++i) sum += r(i, j) * r(i, j);
  return sum;
}

// (G^-1)_kk of the scaled columns (in the order of x) and 1/n + xbar'G^-1 xbar, from L L' = G.
struct Variances {
  Array<double> w;
  double b = 0;
};
Variances variances(const SolvedLeastSquares& solved) {
  const Index d = solved.l.rows();
  Matrix inverse(d, d + 1, 0.0);  // L^-1 and L^-1 xbar
  for (Index k = 0; k < d; ++k) {
    inverse(k, k) = 1;
    inverse(k, d) = solved.scaled.shift(solved.columns[k]);
  }
  trsm(Op::none, solved.l.view(), inverse.view());
  Variances out{Array<double>(d), 0};
  for (Index k = 0; k < d; ++k) out.w[solved.columns[k]] = dot(d, inverse.col(k), inverse.col(k));
  out.b = 1 / static_cast<double>(solved.scaled.problem().n()) + dot(d, inverse.col(d), inverse.col(d));
  return out;
}

}  // namespace

RegressionResult ols(const LayoutView& x, const LayoutView& y, bool intercept, Index max_steps) {
  const Array<double> penalty = ones(x.cols);
  return unscaled(solve(x, y, intercept, 0, penalty, max_steps));
}

RegressionResult ols(const LayoutView& x, const LayoutView& y, bool intercept) {
  return ols(x, y, intercept, enough_steps);
}

RegressionResult ridge(const LayoutView& x, const LayoutView& y, bool intercept, double lambda,
                       Span<const double> penalty) {
  require_lambdas("lambda", {&lambda, 1});
  for (std::size_t k = 0; k < penalty.size(); ++k) {
    if (!std::isfinite(penalty[k]))
      fail(Status::not_finite, "penalty[", k, "] is ", penalty[k], "; every penalty must be finite");
    if (penalty[k] < 0)
      fail(Status::invalid_argument, "penalty[", k, "] is ", penalty[k], "; a penalty must not be negative");
  }
  const Array<double> all_one = ones(x.cols);
  return unscaled(solve(x, y, intercept, lambda, penalty.empty() ? all_one : penalty, enough_steps));
}

OlsSummary ols_summary(const LayoutView& x, const LayoutView& y, bool intercept) {
  const Index n = x.rows, d = x.cols, t = y.cols;
  const Array<double> penalty = ones(d);
  SolvedLeastSquares solved = solve(x, y, intercept, 0, penalty, enough_steps);
  const ScaledProblem& scaled = solved.scaled;
  OlsSummary out(d, t);
  out.regression = unscaled(solved);

  const Index freedom = n - solved.rank - (intercept ? 1 : 0);
  const bool full_rank = solved.rank == d && solved.l.rows() == d;
  if (freedom <= 0)
    out.sigma_undefined = text("no degrees of freedom are left: n is ", n, ", the rank of x is ", solved.rank,
                               intercept ? ", and there is an intercept" : "");
  if (!full_rank)
    out.errors_undefined = text("x is rank deficient (", solved.rank, " of ", d, " columns): w has no standard errors");
  else
    out.errors_undefined = out.sigma_undefined;

  const Variances unit = full_rank ? variances(solved) : Variances{};
  const TwofoldMatrix r = twofold_residual(scaled.data(), solved.solution);
  LeastSquaresSolution nothing(d, t);
  const TwofoldMatrix centred_y = twofold_residual(scaled.data(), nothing);
  for (Index j = 0; j < t; ++j) {
    const DoubleDouble rest = squared_norm(r, j), total = squared_norm(centred_y, j);
    const double sigma = freedom > 0 ? std::sqrt(rest.hi / static_cast<double>(freedom)) : nan;
    const int e = scaled.y_exponent(j);
    out.sigma[j] = std::ldexp(sigma, e);
    out.b_error[j] = !full_rank ? nan : intercept ? std::ldexp(sigma * std::sqrt(unit.b), e) : 0.0;
    if (freedom <= 0) out.b_error[j] = nan;
    for (Index k = 0; k < d; ++k)
      out.w_error(k, j) = full_rank ? std::ldexp(sigma * std::sqrt(unit.w[k]), e - scaled.x_exponent(k)) : nan;
    bool constant = true;
    for (Index i = 0; i < n && constant; ++i) constant = y(i, j) == (intercept ? y(0, j) : 0);
    out.r_squared[j] = constant ? nan : ((total - rest) / total).hi;
    if (constant) out.r_squared_undefined = text("output ", j, " is constant: r_squared has no value");
  }
  return out;
}

}  // namespace freeridge
