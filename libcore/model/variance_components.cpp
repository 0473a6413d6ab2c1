// Variance components of the mixed model Y = F a + f + e, f ~ N(0, sigma_f^2 K), e ~ N(0, sigma_e^2 W^-1), at the
// lambdas in force, lambda = sigma_e^2 / sigma_f^2: with P and m of numerics.md
//     sigma_f^2 = Y~'PY~ / m,   sigma_e^2 = lambda sigma_f^2
//     h^2 = sigma_f^2 / (sigma_f^2 + sigma_e^2) = 1 / (1 + lambda)
// h^2 is the heritability where K is a relationship matrix (its diagonal is about one). With REML the restricted
// likelihood of lambda, the others profiled out, is
//     l(log lambda) = 1/2 (m log Y~'PY~ + log|Z'GZ|) + const,   l' = lambda / 2 (tr P - m |PY~|^2 / Y~'PY~)
// and as logit h^2 = -log lambda, the delta method says
//     se(h^2) = h^2 (1 - h^2) / l''^(1/2)
// l'' is the difference quotient of l' at four points, of fourth order.
// H. Patterson, R. Thompson, Recovery of inter-block information when block sizes are unequal, Biometrika 58 (1971); H.
// Kang et al., Efficient control of population structure in model organism association mapping, Genetics 178 (2008); J.
// Endelman, Ridge regression and other kernels for genomic selection with R package rrBLUP, Plant Genome 4 (2011).
#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/model/model.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {
namespace {

constexpr double step = 0.02;  // in log lambda: the error of l'' is about 1e-8 of it

// Adds factor l' of the outputs. In the ratio |PY~|^2 / Y~'PY~ with |PY~| = |P~Y~| / s the units of Y cancel.
void add_slopes(const ResidualMaker& maker, Index degrees, double lambda, double factor, Index first,
                Span<double> sum) {
  const double rho = maker.shrinkage(), trace = rho * maker.trace();
  for (std::size_t j = 0; j < sum.size(); ++j) {
    const Index output = first + static_cast<Index>(j);
    const double share = rho * (maker.squared_norm(output) / maker.quadratic_form(output)) * (rho / lambda);
    sum[j] += factor * (trace - static_cast<double>(degrees) * share) / 2;
  }
}

}  // namespace

Model::VarianceComponents Model::variance_components(bool with_error) const {
  require_fitted();
  require_room(lambda_bytes(), "the variance components", "use fewer outputs, or landmarks");
  const Hearing hearing(listener_);
  const Problem& problem = factorization_->problem();
  const Array<double>& lambdas = fit_->lambdas;
  const auto defined = [&](Index j) { return lambdas[j] > 0 && problem.reml_degrees_of(j) > 0; };
  VarianceComponents out{
      Array<double>(t(), nan), Array<double>(t(), nan), Array<double>(t(), nan), Array<double>(t(), nan), {}};
  Stage stage(0, 0.2);
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    for (Index j = first; j < first + count; ++j) {
      if (!defined(j)) continue;
      out.random[j] = maker.quadratic_form(j) / static_cast<double>(problem.reml_degrees_of(j));
      out.residual[j] = lambdas[j] * out.random[j];
      out.share[j] = 1 / (1 + lambdas[j]);
      if (!std::isfinite(out.random[j]) || !std::isfinite(out.residual[j]))
        fail(Status::not_finite, "the variance components of output ", j, " overflow; rescale y or x");
    }
  });
  stage.next(1);
  const Array<double> curvature = with_error ? curvatures() : Array<double>();
  for (Index j = 0; j < t(); ++j) {
    const double h2 = out.share[j];
    if (!defined(j))
      keep_first(out.reason, lambdas[j] <= 0
                                 ? "the variance components are undefined at lambda = 0"
                                 : "the variance components are undefined: there is no degree of freedom left");
    else if (!with_error)
      continue;
    else if (curvature[j] > 0 && std::isfinite(curvature[j]))
      out.share_error[j] = h2 * (1 - h2) / std::sqrt(curvature[j]);
    else
      keep_first(out.reason,
                 text("the standard error of the share of output ", j,
                      " is undefined: the restricted likelihood has no maximum near lambda = ", lambdas[j]));
  }
  report(1);
  return out;
}

// l'' of each output. P~ of all rows is made once for the outputs with one lambda, at each of the four points.
Array<double> Model::curvatures() const {
  const Problem& problem = factorization_->problem();
  constexpr double factors[] = {1, -8, 8, -1}, places[] = {-2, -1, 1, 2};
  Array<double> out(t(), 0.0);
  Stage stage(0, 0);
  each_lambda(fit_->lambdas, [&](double lambda, Index first, Index end) {
    if (lambda <= 0 || problem.degrees() == 0) return;
    for (int k = 0; k < 4; ++k) {
      const double there = lambda * std::exp(places[k] * step);
      stage.next(fraction(4 * first + (k + 1) * (end - first), 4 * t()));
      try_residual_maker(
          there, first, end - first,
          [&](const ResidualMaker& beside, Index begin, Index count) {
            add_slopes(beside, problem.degrees_of(begin), there, factors[k] / (12 * step), begin,
                       Span(out).subspan(begin, count));
          },
          [&](const std::string&) { std::fill(out.begin() + first, out.begin() + end, nan); });
    }
  });
  return out;
}

}  // namespace freeridge
