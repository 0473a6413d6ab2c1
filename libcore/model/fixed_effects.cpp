// The fixed effects of a fit and their standard errors. In the mixed model Y = F a + f + e, f ~ N(0, tau^2 K), e ~ N(0,
// lambda tau^2 W^-1), with M = K + lambda W^-1, tau^2 = Y~'PY~ / m by REML as for predictions (diagnostics.cpp):
//     Cov(a) = tau^2 (F'M^-1 F)^-1
// as for generalised least squares. An effect is a functional of the fit (problem.hpp), and the smoother
// gives its variance, and the covariances of several. Correlations are the covariances of the effects divided by their
// standard deviations, so that an effect with a small variance keeps its digits beside one with a large one.
// C. Henderson, Best linear unbiased estimation and prediction under a selection model, Biometrics 31 (1975).
#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

// The effects that are estimated, by their columns in F.
struct EffectFunctionals {
  Matrix g;             // q x effects, see Functionals
  Array<double> scale;  // the effect is what g says over it
  Array<Index> place;
};

EffectFunctionals effect_functionals(const Unpenalised& unpenalised) {
  const Span<const Index> kept = unpenalised.kept();
  EffectFunctionals out{Matrix(unpenalised.q(), std::ssize(kept)), {}, {kept.begin(), kept.end()}};
  for (Index k = 0; k < out.g.cols(); ++k)
    out.scale.push_back(unpenalised.direction_of(kept[k], {out.g.col(k), out.g.rows()}));
  return out;
}

// The correlations of the effects, from their variances v.
Matrix correlations_of(const ResidualMaker& maker, Matrix g, Span<const double> v) {
  for (Index k = 0; k < g.cols(); ++k)
    for (Index i = 0; i < g.rows(); ++i) g(i, k) = v[k] > 0 ? g(i, k) / std::sqrt(v[k]) : 0;
  Matrix out(g.cols(), g.cols(), 0.0);
  const Functionals of{g.view(), {}, {}, {}};
  maker.smoother(Points(of), 0, {}, Covariances(out.view()));
  for (double& value : out.values()) value = std::clamp(value, -1.0, 1.0);
  for (Index k = 0; k < g.cols(); ++k) out(k, k) = 1;
  return out;
}

}  // namespace

void Model::fixed_kept(Span<std::int32_t> kept) const {
  const Fit& fitted = fit();
  std::ranges::fill(kept, 0);
  for (const Index j :
       fitted.solution.fixed.rows() > 0 ? factorization_->problem().unpenalised.kept() : Span<const Index>())
    kept[j] = 1;
}

void Model::fixed_effects(MatrixView effects) const {
  copy(fit().solution.fixed.view(), effects);
}

std::string Model::each_effect_variance(ConstMatrixView g, const TakeVariances& take) const {
  const Problem& problem = factorization_->problem();
  std::string reason;
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& residual_maker, Index first, Index count) {
    const double lambda = fit_->lambdas[first];
    Array<double> v(g.cols, 0.0);
    if (lambda > 0 && problem.degrees_of(first) > 0) {
      const Functionals of{g, {}, {}, {}};
      residual_maker.smoother(Points(of), 0, {}, v);
      for (double& variance : v) variance = std::max(variance, 0.0);
    } else {
      std::ranges::fill(v, nan);
      keep_first(reason,
                 lambda <= 0
                     ? "the standard errors of the fixed effects are undefined at lambda = 0"
                     : "the standard errors of the fixed effects are undefined: there is no degree of freedom left");
    }
    take(residual_maker, v, first, count);
  });
  return reason;
}

double Model::effect_scale(const ResidualMaker& residual_maker, Index output) const {
  const double form = residual_maker.quadratic_form(output);
  return std::sqrt(factorization_->problem().prior_variance(output, fit_->lambdas[output], form) / kept_share());
}

std::string Model::fixed_errors(MatrixView errors) const {
  require_fitted();
  require_room(lambda_bytes(), "the errors of the fixed effects", "use fewer outputs, or landmarks");
  const Hearing hearing(listener_);
  const EffectFunctionals effects = effect_functionals(factorization_->problem().unpenalised);
  Matrix out(errors.rows, t(), 0.0);
  std::string reason = each_effect_variance(
      effects.g.view(), [&](const ResidualMaker& maker, Span<const double> v, Index first, Index count) {
        for (Index j = first; j < first + count; ++j) {
          const double tau = effect_scale(maker, j);
          for (std::size_t k = 0; k < v.size(); ++k) {
            const double error = tau * std::sqrt(v[k]) / effects.scale[k];
            if (!std::isfinite(error) && !std::isnan(v[k]) && !std::isnan(tau))
              fail(Status::not_finite, "the standard error of fixed effect ", effects.place[k],
                   " overflows; rescale y or f");
            out(effects.place[k], j) = error;
          }
        }
      });
  report(1);
  copy(out.view(), errors);
  return reason;
}

std::string Model::fixed_covariance(MatrixView covariance) const {
  require_fitted();
  const EffectFunctionals effects = effect_functionals(factorization_->problem().unpenalised);
  const Index side = covariance.rows, kept = effects.g.cols();
  require_room(lambda_bytes() + 8 * checked_doubles(n() + side * (t() + 1), side),
               "the covariances of the fixed effects", "use fewer outputs, or landmarks");
  const Hearing hearing(listener_);
  Matrix out(side, side * t(), 0.0);
  std::string reason = each_effect_variance(effects.g.view(), [&](const ResidualMaker& maker, Span<const double> v,
                                                                  Index first, Index count) {
    const bool known = kept > 0 && !std::isnan(v[0]);
    const Matrix correlations = known ? correlations_of(maker, copy_of(effects.g.view()), v) : Matrix(kept, kept, nan);
    for (Index j = first; j < first + count; ++j) {
      const double tau = effect_scale(maker, j);
      const auto error = [&](Index k) { return tau * (std::sqrt(v[k]) / effects.scale[k]); };
      for (Index l = 0; l < kept; ++l)
        for (Index k = 0; k < kept; ++k) {
          const double value = error(k) * correlations(k, l) * error(l);
          if (!std::isfinite(value) && !std::isnan(v[k]) && !std::isnan(tau))
            fail(Status::not_finite, "a covariance of the fixed effects overflows; rescale y or f");
          out(effects.place[k], side * j + effects.place[l]) = value;
        }
    }
  });
  report(1);
  copy(out.view(), covariance);
  return reason;
}

}  // namespace freeridge
