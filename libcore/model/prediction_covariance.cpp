// The covariances of f(x) + b at new points, at the lambdas in force, with sigma2 and a(x), v of diagnostics.cpp:
//     bayesian      sigma2 / lambda v(x, z)     of the posterior, f ~ N(0, sigma2 / lambda k)
//     frequentist   sigma2 a(x)'W^-1 a(z)       of a(x)'Y, the errors of Y having variances sigma2 / W_ii
// Both are those of combinations of the coefficients where the kernel is linear (covariance.cpp). These also have the
// limit lambda = 0 of the first, where v = 0.
#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/model/model.hpp"
#include "libcore/model/penalised_offset.hpp"

namespace freeridge {
namespace {

// The covariances of f(x) + b at `points`, those of f(x) + b over tau^2, or those of a(x)'Y over sigma2.
void add_covariances(const ResidualMaker& maker, const Problem& problem, const Points& points, Index first,
                     CovarianceType type, const Covariances& out) {
  if (type == CovarianceType::bayesian) return maker.smoother(points, first, {}, out);
  Matrix a(problem.n(), out.count());
  maker.smoother(points, first, a.view(), {});
  divide_rows(problem.sqrt_w, a.view());
  out.add(1, a.view());
}

}  // namespace

std::string Model::predict_covariance(const Points& points, CovarianceType type, MatrixView errors,
                                      MatrixView covariance) const {
  require_fitted();
  const bool whole = covariance.cols > 0;
  require_prior(type);
  require_fixed(fixed_count(), points.fixed);
  const Index m = points.x.rows;
  require_room_to_predict(m, whole ? m + 2 : 1, whole ? m : smoother_rows(n(), m));
  const Hearing hearing(listener_);
  require_finite("x", points.x);
  const OffsetRows rows_seen = problem_rows(*kernel_, points.x);
  return covariances_of(Points(rows_seen.x, points.fixed), m, type, errors, covariance);
}

void Model::require_prior(CovarianceType type) const {
  if (type == CovarianceType::bayesian && kernel_->precomputed())
    fail(Status::invalid_argument, "the model's kernel is precomputed: k(x, z) of new points is not known");
}

std::string Model::covariances_of(const Points& seen, Index m, CovarianceType type, MatrixView errors,
                                  MatrixView covariance) const {
  const bool bayesian = type == CovarianceType::bayesian, whole = covariance.cols > 0;
  const Index n = this->n(), at_once = whole ? m : smoother_rows(n, m);
  const Problem& problem = factorization_->problem();

  Stage stage(0, 0.2);
  Freedom freedom = degrees_of_freedom(true);
  std::string reason = std::move(freedom.reason);
  stage.next(1);
  Matrix of_points(whole ? 0 : m, t()), of_pairs(whole ? m : 0, whole ? m * t() : 0);
  const auto set = [&](Index output, double unit, Index row, const Covariances& v) {
    const double sigma2 = freedom.sigma2[output], factor = sigma2 * unit;
    const auto scaled = [&](double value) {
      const double product = factor * value;
      if (!std::isnan(sigma2) && !std::isnan(unit) && !std::isnan(value) && !std::isfinite(product))
        fail(Status::not_finite, "a covariance of output ", output, " overflows; rescale y or x");
      return product;
    };
    // A variance that is tiny beside the prior's is a difference of nearly equal numbers, which rounding can make
    // negative.
    for (std::size_t q = 0; q < v.variances().size(); ++q)
      of_points(row + static_cast<Index>(q), output) = scaled(v.variances()[q] < 0 ? 0 : v.variances()[q]);
    for (Index q = 0; q < v.whole().cols; ++q)
      for (Index p = 0; p < m; ++p) {
        const double value = (v.whole()(p, q) + v.whole()(q, p)) / 2;
        of_pairs(p, m * output + q) = scaled(p == q && value < 0 ? 0 : value);
      }
  };
  const auto each_tile = [&](const auto& add) {  // add(row, covariances), which take what is added
    if (whole) {
      Matrix v(m, m, 0.0);
      return add(Index{0}, Covariances(v.view()));
    }
    each_smoother_tile(n, m, [&](Index row, Index rows) {
      Array<double> v(rows, 0.0);
      add(row, Covariances(v));
    });
  };
  // At lambda = 0 the first kind is a limit, which the coefficients of a linear kernel have.
  const bool by_coefficients = bayesian && problem.linear() && fixed_count() == 0;
  bool at_zero = false;
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    const double lambda = fit_->lambdas[first];
    const bool limit = bayesian && lambda == 0;
    if (limit && by_coefficients) return void(at_zero = true);
    if (limit) keep_first(reason, "the covariances of the posterior are undefined at lambda = 0");
    each_tile([&](Index row, const Covariances& v) {
      if (!limit) {
        add_covariances(maker, problem, seen, row, type, v);
        v.require_finite(seen.functionals != nullptr);
      }
      for (Index j = first; j < first + count; ++j) set(j, limit ? nan : bayesian ? 1 / lambda : 1, row, v);
    });
  });
  if (at_zero) {
    require_room_for_directions(checked_doubles(3 * at_once + problem.d(), problem.d()));
    keep_first(reason, each_hyperplane_at_zero([&](Index output, const AddCovariances& add) {
                 each_tile([&](Index row, const Covariances& v) {
                   add(seen, row, v);
                   set(output, 1, row, v);
                 });
               }));
  }
  report(1);
  for (Index j = 0; j < t() && errors.cols > 0; ++j)
    for (Index p = 0; p < m; ++p) errors(p, j) = std::sqrt(whole ? of_pairs(p, m * j + p) : of_points(p, j));
  if (whole) copy(of_pairs.view(), covariance);
  return reason;
}

}  // namespace freeridge
