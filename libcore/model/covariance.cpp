// Covariances of the coefficients of a linear kernel, in the units of x. With the directions X~ = U diag(S) V', w =
// diag(root) v of linear_directions.hpp,
//     frequentist   Cov(v) = sigma^2 V diag(S^2 / (S^2 + lambda)^2) V'                            of the estimates
//     bayesian      Cov(v) = sigma^2 (V diag(1 / (S^2 + lambda)) V' + (I - V V') / lambda)        of the posterior
// The prior of the Bayesian one is N(0, sigma^2 / lambda) for each v_k.
// b = ybar - shift'w, and ybar is not correlated with w: Var(b) = sigma^2 / sum(w) + shift'Cov(w) shift. With fixed
// effects b is the coefficient of 1 in A - C w, and its variance follows likewise. A penalised b is the last slope of
// the problem, that of its column of ones (penalised_offset.hpp).
// With lambda_j of output j: g_kj g_kl stands for the number of direction k in the covariance of the outputs j and l,
// g = 1 / (S^2 + lambda_j)^(1/2) or S / (S^2 + lambda_j), and 1 / (lambda_j lambda_l)^(1/2) for 1 / lambda. sigma^2 is
//     sigma2_jl = r_j'r_l / ((n - df_j)(n - df_l))^(1/2),     r_j = W^(1/2) residuals = rho P~Y~
// Outputs with missing values: each part of outputs that are observed in the same rows has a model of these rows. There
// is no covariance between two parts.
// A. Hoerl, R. Kennard, Ridge regression: biased estimation for nonorthogonal problems, Technometrics 12 (1970), (3.1);
// G. Wahba, Bayesian "confidence intervals" for the cross-validated smoothing spline, JRSS B 45 (1983).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/base/checks.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/model/error_variance.hpp"
#include "libcore/model/model.hpp"
#include "libcore/routes/linear_directions.hpp"

namespace freeridge {

struct Model::CoefficientVariances {
  LinearDirections directions;
  Matrix g;       // r x t
  Matrix sigma2;  // t x t
  // Whether directions that the data do not show have the variance of the prior. (With landmarks there are none: the
  // landmarks are rows of the data.)
  bool free = false;
  Array<double> shift, lambdas;
  Array<Index> outputs;  // which these t are among all
  double of_mean = 0;    // 1 / sum(w); without an intercept 0
  std::string reason;

  Index d() const { return directions.v.rows(); }  // of the problem: with a penalised offset one more than the model's
  // Of a combination z of the slopes, scaled = diag(root) z: along  V'scaled, and outside  |scaled|^2 - |along|^2, the
  // square of its part in directions that the data do not show; 0 unless `free`. Var(z'w_j) / sigma2_jj is
  //     sum_r (along_r g_rj)^2 + outside / lambda_j
  Array<double> scaled(Span<const double> z) const;
  Array<double> along(Span<const double> scaled) const;
  double outside(Span<const double> scaled, Span<const double> along) const;
  // [I - V V']_kk
  double outside(Index k) const;
  // Cov(w_j, w_l) / sigma2_jl, d x d.
  Matrix slopes(Index j, Index l) const;
};

namespace {

// The sum of the squares of row k.
double row_norm2(ConstMatrixView a, Index k) {
  double sum = 0;
  for (Index j = 0; j < a.cols; ++j) sum += a(k, j) * a(k, j);
  return sum;
}

double norm2_of(Span<const double> values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

// The intercept is a combination of the coefficients of U. Its factors, divided by nu: their sum of squares is
// 1 / sum(w) where there are no fixed effects.
Array<double> mean_direction(const Problem& problem) {
  Array<double> g(problem.q());
  problem.unpenalised.intercept_direction(g);
  return g;
}

// b = b_0 - centre'w, where the fixed effects explain parts of the columns of x.
Array<double> centre_beside_effects(const Problem& problem) {
  const Array<double> g = mean_direction(problem);
  Array<double> out = problem.shift;
  for (Index k = 1; k < problem.q(); ++k)
    for (Index j = 0; j < problem.d(); ++j) out[j] += g[k] * problem.unpenalised.nu(k) * problem.x_free(j, k);
  return out;
}

// A point stands for (1, x - shift); a functional has any multiple of the 1, and is centred by the problem's shift.
void take_functionals(const Problem& problem, const Functionals& of, Index row, Span<const double> shift,
                      MatrixView rows, MatrixView ones) {
  copy(of.slopes.row_range(row, rows.rows), rows);
  for (Index q = 0; q < rows.rows; ++q) {
    ones(0, q) = problem.intercept ? of.g(0, row + q) * problem.unpenalised.nu(0) : 0;
    for (std::size_t k = 0; k < shift.size(); ++k)
      rows(q, static_cast<Index>(k)) += ones(0, q) * (problem.shift[k] - shift[k]);
  }
}

}  // namespace

Array<double> Model::CoefficientVariances::scaled(Span<const double> z) const {
  Array<double> out(d(), 0.0);
  for (std::size_t k = 0; k < z.size(); ++k) out[k] = directions.root[k] * z[k];
  return out;
}

Array<double> Model::CoefficientVariances::along(Span<const double> scaled) const {
  Array<double> out(directions.v.cols(), 0.0);
  for (Index r = 0; r < directions.v.cols(); ++r)
    for (Index k = 0; k < d(); ++k) out[r] += directions.v(k, r) * scaled[k];
  return out;
}

double Model::CoefficientVariances::outside(Span<const double> scaled, Span<const double> along) const {
  return free ? std::max(norm2_of(scaled) - norm2_of(along), 0.0) : 0;
}

double Model::CoefficientVariances::outside(Index k) const {
  return std::max(1 - row_norm2(directions.v.view(), k), 0.0);
}

Matrix Model::CoefficientVariances::slopes(Index j, Index l) const {
  const Matrix& v = directions.v;
  const double rest = free ? 1 / std::sqrt(lambdas[j] * lambdas[l]) : 0;
  Matrix weighted(d(), v.cols()), out(d(), d(), 0.0);
  for (Index r = 0; r < v.cols(); ++r)
    for (Index k = 0; k < d(); ++k) weighted(k, r) = v(k, r) * (g(r, j) * g(r, l) - rest);
  for (Index k = 0; k < d() && free; ++k) out(k, k) = rest;
  if (v.cols() > 0) gemm(Op::none, Op::transpose, 1, weighted.view(), v.view(), 1, out.view());
  for (Index q = 0; q < d(); ++q)
    for (Index k = 0; k < q; ++k) out(k, q) = out(q, k) = (out(k, q) + out(q, k)) / 2;
  for (Index q = 0; q < d(); ++q)
    for (Index k = 0; k < d(); ++k) out(k, q) *= directions.root[k] * directions.root[q];
  worked(8 * touched * static_cast<double>(d() * d()));
  return out;
}

Matrix Model::error_roots(std::string& reason) const {
  Matrix out(n(), t());
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& residual_maker, Index first, Index count) {
    const MatrixView part = out.view().columns(first, count);
    residual_maker.residual(first, part);
    const double trace = residual_maker.trace();
    const double unit = std::sqrt(error_variance(residual_maker, 1, trace, absent_) / kept_share());
    if (std::isnan(unit)) keep_first(reason, no_error_variance(first));
    multiply_by(part, unit);
    for (Index j = 0; j < count && known_sigma2_ > 0; ++j)
      if (const double norm = norm2(n(), part.col(j)); norm > 0)
        multiply_by(part.columns(j, 1), std::sqrt(known_sigma2_) / norm);
  });
  return out;
}

Array<Model::CoefficientVariances> Model::coefficient_variances(CovarianceType type) const {
  Array<CoefficientVariances> out;
  if (!data_->missing) {
    out.push_back(own_variances(type));
    out[0].outputs = consecutive(0, t());
    return out;
  }
  each_part_model("a covariance of the coefficients",
                  [&](const Model& part, Span<const Index> /*rows*/, Span<const Index> outputs) {
                    CoefficientVariances& own = out.emplace_back(part.own_variances(type));
                    own.outputs.assign(outputs.begin(), outputs.end());
                    if (!own.reason.empty()) own.reason = of_part(own.reason, outputs);
                  });
  return out;
}

Model::CoefficientVariances Model::own_variances(CovarianceType type) const {
  const Problem& problem = factorization_->problem();
  const Array<double>& lambdas = fit_->lambdas;
  CoefficientVariances out;
  out.sigma2 = Matrix(t(), t());
  out.shift = problem.shift;
  if (problem.intercept && problem.q() > 1) out.shift = centre_beside_effects(problem);
  out.lambdas = lambdas;
  if (problem.intercept) out.of_mean = norm2_of(mean_direction(problem));
  const bool zero = std::ranges::all_of(lambdas, [](double lambda) { return lambda == 0; });
  out.directions = linear_directions(problem, landmarks(), zero);
  const LinearDirections& directions = out.directions;
  const Index r = directions.v.cols(), rank = directions.rank();
  out.free = type == CovarianceType::bayesian && r < directions.dimension();
  out.g = Matrix(r, t());
  Matrix roots = error_roots(out.reason);
  gemm(Op::transpose, Op::none, 1, roots.view(), roots.view(), 0, out.sigma2.view());
  for (Index j = 0; j < t(); ++j) {
    const double lambda = lambdas[j];
    const bool known = lambda > 0 || rank == directions.dimension();
    for (Index k = 0; k < r; ++k) {
      const double s = directions.s[k], root = std::hypot(s, std::sqrt(lambda));
      out.g(k, j) = !known ? nan : type == CovarianceType::bayesian ? 1 / root : s / root / root;
    }
    if (known) continue;
    out.reason = text("the covariances are undefined: lambda is 0, and the ", directions.v.rows(), " columns of x",
                      offset_ == Offset::penalised ? " and of ones" : "", ", of rank ", rank,
                      ", do not determine the coefficients");
    for (Index l = 0; l < t(); ++l) out.sigma2(j, l) = out.sigma2(l, j) = nan;
  }
  return out;
}

std::string Model::each_hyperplane_at_zero(const TakeHyperplane& take) const {
  std::string reason;
  for (const CoefficientVariances& parts : coefficient_variances(CovarianceType::bayesian)) {
    for (Index j = 0; j < std::ssize(parts.outputs); ++j) {
      if (parts.lambdas[j] > 0) continue;
      const Matrix slopes = parts.slopes(j, j);
      take(parts.outputs[j], [&](const Points& points, Index row, const Covariances& v) {
        Matrix ones(1, v.count(), 1.0);
        Matrix rows(v.count(), parts.d()), z(parts.d(), v.count()), moved(parts.d(), v.count());
        if (points.functionals == nullptr)
          pack_rows(points.x, row, parts.shift, rows.view());
        else
          take_functionals(factorization_->problem(), *points.functionals, row, parts.shift, rows.view(), ones.view());
        transpose(rows.view(), z.view());
        gemm(Op::none, Op::none, 1, slopes.view(), z.view(), 0, moved.view());
        v.add(1, z.view(), moved.view());
        v.add(parts.of_mean, ones.view());
        if (parts.reason.empty()) v.require_finite(points.functionals != nullptr);
      });
    }
    keep_first(reason, parts.reason);
  }
  return reason;
}

void Model::require_room_for_directions(Index doubles) const {
  Index bytes = linear_directions_bytes(n(), factorization_->problem().d(), static_cast<Index>(landmarks().size()));
  if (__builtin_add_overflow(bytes, 8 * doubles, &bytes) || __builtin_add_overflow(bytes, lambda_bytes(), &bytes))
    bytes = std::numeric_limits<Index>::max();
  require_room(bytes, "the covariances of the coefficients", "use fewer features or outputs");
}

namespace {

void require_linear(const Problem& problem) {
  if (!problem.linear())
    fail(Status::invalid_state, "only a linear kernel has slopes with covariances; see freeridge_average_gradient");
}

// The last row and column in front of the others.
Matrix last_first(const Matrix& a) {
  const Index side = a.rows(), last = side - 1;
  Matrix out(side, side);
  for (Index q = 0; q < side; ++q)
    for (Index k = 0; k < side; ++k) out(k, q) = a(k == 0 ? last : k - 1, q == 0 ? last : q - 1);
  return out;
}

}  // namespace

std::string Model::coefficient_covariance(CovarianceType type, MatrixView out) const {
  require_fitted();
  require_linear(factorization_->problem());
  const Index side = coefficient_count(), columns = factorization_->problem().d(), first = side - columns;
  require_room_for_directions(checked_doubles(side * t(), side * t()) + checked_doubles(4 * columns, columns));
  const Hearing hearing(listener_);
  Matrix whole(side * t(), side * t(), nan);
  std::string reason;
  for (const CoefficientVariances& parts : coefficient_variances(type)) {
    for (Index j = 0; j < std::ssize(parts.outputs); ++j)
      for (Index l = 0; l <= j; ++l) {
        const Matrix slopes = parts.slopes(j, l);
        Matrix block(side, side);
        copy(slopes.view(), block.view().block(first, first, columns, columns));
        if (first > 0) {
          Array<double> with_mean(columns, 0.0);
          gemv(Op::none, 1, slopes.view(), parts.shift.data(), 0, with_mean.data());
          block(0, 0) = parts.of_mean + dot(columns, with_mean.data(), parts.shift.data());
          for (Index k = 0; k < columns; ++k) block(0, 1 + k) = block(1 + k, 0) = -with_mean[k];
        } else if (offset_ == Offset::penalised) {
          block = last_first(slopes);
        }
        const Index row = parts.outputs[j] * side, column = parts.outputs[l] * side;
        for (Index q = 0; q < side; ++q)
          for (Index k = 0; k < side; ++k) {
            const double value = parts.sigma2(j, l) * block(k, q);
            if (std::isinf(value) || (std::isnan(value) && parts.reason.empty()))
              fail(Status::not_finite, "a covariance of the coefficients overflows; rescale x or y");
            whole(row + k, column + q) = whole(column + q, row + k) = value;
          }
      }
    keep_first(reason, parts.reason);
  }
  report(1);
  copy(whole.view(), out);
  return reason;
}

std::string Model::coefficient_errors(CovarianceType type, MatrixView w, double* b) const {
  require_fitted();
  require_linear(factorization_->problem());
  require_room_for_directions(checked_doubles(d() + 1, t()));
  const Hearing hearing(listener_);
  const Index columns = factorization_->problem().d();
  Matrix errors(columns, t());
  Array<double> of_b(t());
  std::string reason;
  for (const CoefficientVariances& parts : coefficient_variances(type)) {
    const LinearDirections& directions = parts.directions;
    const Array<double> scaled_shift = parts.scaled(parts.shift), along = parts.along(scaled_shift);
    const double centre_outside = parts.outside(scaled_shift, along);
    for (Index j = 0; j < std::ssize(parts.outputs); ++j) {
      const Index output = parts.outputs[j];
      const double sigma2 = parts.sigma2(j, j), rest = parts.free ? 1 / parts.lambdas[j] : 0;
      for (Index k = 0; k < columns; ++k) {
        double variance = parts.free ? parts.outside(k) * rest : 0;
        for (Index r = 0; r < directions.v.cols(); ++r) {
          const double value = directions.v(k, r) * parts.g(r, j);
          variance += value * value;
        }
        double& error = errors(k, output);
        error = directions.root[k] * std::sqrt(sigma2 * variance);
        if (std::isinf(error) || (std::isnan(error) && parts.reason.empty()))
          fail(Status::not_finite, "a standard error of the coefficients overflows; rescale x or y");
      }
      double variance = parts.of_mean + (parts.free ? centre_outside * rest : 0);
      for (Index r = 0; r < directions.v.cols(); ++r) variance += along[r] * parts.g(r, j) * along[r] * parts.g(r, j);
      of_b[output] = std::sqrt(sigma2 * variance);
      worked(8 * touched * static_cast<double>(columns * directions.v.cols()));
    }
    keep_first(reason, parts.reason);
  }
  report(1);
  copy(errors.view().row_range(0, d()), w);
  if (offset_ == Offset::penalised)
    for (Index j = 0; j < t(); ++j) of_b[j] = errors(d(), j);
  if (b != nullptr)
    for (Index j = 0; j < t(); ++j) b[j] = offset_ == Offset::none ? 0 : of_b[j];
  return reason;
}

}  // namespace freeridge
