// The fixed effects of a fit and their standard errors. In the mixed model Y = F a + f + e, f ~ N(0, tau^2 K), e ~ N(0,
// lambda tau^2 W^-1), with M = K + lambda W^-1, tau^2 = Y~'PY~ / m by REML as for predictions (diagnostics.cpp):
//     Cov(a) = tau^2 (F'M^-1 F)^-1
// of generalised least squares; the variance of an effect is that which the smoother has for a functional that is the
// effect alone (Points of problem.hpp).
// C. Henderson, Best linear unbiased estimation and prediction under a selection model, Biometrics 31 (1975).
#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {

void Model::fixed_kept(Span<std::int32_t> kept) const {
  std::ranges::fill(kept, 0);
  for (const Index j :
       fit_->solution.fixed.rows() > 0 ? factorization_->problem().unpenalised.kept() : Span<const Index>())
    kept[j] = 1;
}

void Model::fixed_effects(MatrixView effects) const {
  copy(fit().solution.fixed.view(), effects);
}

std::string Model::fixed_errors(MatrixView errors) const {
  require_fitted();
  require_room(lambda_bytes(), "the errors of the fixed effects", "use fewer outputs, or landmarks");
  const Hearing hearing(listener_);
  const Problem& problem = factorization_->problem();
  const Span<const Index> kept = problem.unpenalised.kept();
  Matrix out(errors.rows, t(), 0.0), g(problem.q(), std::ssize(kept));
  Array<double> scale;
  for (Index k = 0; k < g.cols(); ++k) scale.push_back(problem.unpenalised.direction_of(kept[k], {g.col(k), g.rows()}));
  const Points functionals(g.view());
  std::string reason;
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& residual_maker, Index first, Index count) {
    const double lambda = fit_->lambdas[first];
    Array<double> v(g.cols());
    if (lambda > 0 && problem.degrees() > 0) {
      residual_maker.smoother(functionals, 0, {}, v);
    } else {
      std::ranges::fill(v, nan);
      if (reason.empty())
        reason = lambda <= 0
                     ? "the standard errors of the fixed effects are undefined at lambda = 0"
                     : "the standard errors of the fixed effects are undefined: there is no degree of freedom left";
    }
    for (Index j = first; j < first + count; ++j) {
      const double tau2 =
          problem.degrees() > 0 ? residual_maker.quadratic_form(j) / static_cast<double>(problem.degrees()) : nan;
      for (Index k = 0; k < g.cols(); ++k) {
        const double error = std::isnan(v[k]) ? nan : std::sqrt(tau2) * std::sqrt(std::max(v[k], 0.0)) / scale[k];
        if (!std::isfinite(error) && reason.empty())
          fail(Status::not_finite, "the standard error of fixed effect ", kept[k], " overflows; rescale y or f");
        out(kept[k], j) = error;
      }
    }
  });
  report(1);
  copy(out.view(), errors);
  return reason;
}

}  // namespace freeridge
