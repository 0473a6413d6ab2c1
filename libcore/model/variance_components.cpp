// Variance components of the mixed model Y = F a + f + e, f ~ N(0, sigma_f^2 K), e ~ N(0, sigma_e^2 W^-1), at the
// lambdas in force, lambda = sigma_e^2 / sigma_f^2: with P and m of numerics.md
//     sigma_f^2 = Y~'PY~ / m,   sigma_e^2 = lambda sigma_f^2
//     h^2 = sigma_f^2 / (sigma_f^2 + sigma_e^2) = 1 / (1 + lambda)
// h^2 is the heritability where K is a relationship matrix (its diagonal is about one). With REML the restricted
// likelihood of lambda, the others profiled out, is
//     l(log lambda) = 1/2 (m log Y~'PY~ + log|Z'GZ|) + const,   l' = lambda / 2 (tr P - m |PY~|^2 / Y~'PY~)
// and as logit h^2 = -log lambda, the delta method says
//     se(h^2) = h^2 (1 - h^2) / l''^(1/2)
// l'' is the difference quotient of l' at four points, of fourth order. Of a kernel that is a sum, K = sum_k w_k K_k, the
// terms have the variances w_k sigma_f^2, and with W = sum_k w_k
//     s_k = w_k / (W + lambda),    d s_k / d log w_l = s_k (1_(k = l) - s_l),    cov(s) = J H^-1 J',   J these derivatives
// also of the share of the errors, lambda / (W + lambda), whose k is that of no term. H: the second derivatives of l by
// log w, at lambda, of the terms with w_k > 0, by the same quotients of the gradient. A
// variance is zero where its weight is, and all are where REML is least at the largest lambda of a search.
// H. Patterson, R. Thompson, Recovery of inter-block information when block sizes are unequal, Biometrika 58 (1971); H.
// Kang et al., Efficient control of population structure in model organism association mapping, Genetics 178 (2008); J.
// Endelman, Ridge regression and other kernels for genomic selection with R package rrBLUP, Plant Genome 4 (2011).
#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/symmetric_eigen.hpp"
#include "libcore/model/model.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {
namespace {

constexpr double step = 0.02;   // in log lambda: the error of l'' is about 1e-8 of it
constexpr double beyond = 1e7;  // times the largest lambda of a search, which leaves 1e-3 of K
constexpr double factors[] = {1, -8, 8, -1}, places[] = {-2, -1, 1, 2};  // of the difference quotient, times 12 step

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

// w_k, one for each term of a kernel that is a sum.
Array<double> Model::term_weights() const {
  const Array<double> weights = weights_of_sum(*kernel_).value;
  return weights.empty() ? Array<double>{1} : weights;
}

Model::VarianceComponents Model::variance_components(bool with_error) const {
  require_fitted();
  if (known_sigma2_ > 0)
    fail(Status::invalid_state, "SIGMA2 is ", known_sigma2_,
         ": the variance of the errors is known, and that of f is SIGMA2 / lambda times the kernel");
  require_room(lambda_bytes(), "the variance components", "use fewer outputs, or landmarks");
  const Hearing hearing(listener_);
  const Problem& problem = factorization_->problem();
  const Array<double>& lambdas = fit_->lambdas;
  const auto defined = [&](Index j) { return lambdas[j] > 0 && problem.reml_degrees_of(j) > 0; };
  const auto none = [&](Index j) {
    return search_ && search_->criterion == Criterion::reml && search_->edge[j] > 0 && search_->best[j] == lambdas[j];
  };
  const Array<double> weights = term_weights();
  const Index terms = std::ssize(weights);
  VarianceComponents out{
      Array<double>(t(), nan), Matrix(terms, t(), nan), Matrix(terms, t(), nan), Matrix(terms + 1, t(), nan), {}};
  Stage stage(0, 0.2);
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    for (Index j = first; j < first + count; ++j) {
      if (!defined(j)) continue;
      const double unit = maker.quadratic_form(j) / static_cast<double>(problem.reml_degrees_of(j)) / kept_share();
      out.residual[j] = lambdas[j] * unit;
      const double all = sum_of(weights) + lambdas[j];
      for (Index k = 0; k < terms; ++k) {
        out.random(k, j) = none(j) ? 0 : weights[k] * unit;
        out.share(k, j) = none(j) ? 0 : weights[k] / all;
        if (!std::isfinite(out.random(k, j)) || !std::isfinite(out.residual[j]))
          fail(Status::not_finite, "the variance components of output ", j, " overflow; rescale y or x");
      }
    }
  });
  // Where there is no variance but that of the errors it is Y~'P~Y~ / m in the limit.
  for (Index j = 0; j < t(); ++j) {
    if (!defined(j) || !none(j)) continue;
    const double there = beyond * lambdas[j];
    try_residual_maker(
        there, j, 1,
        [&](const ResidualMaker& maker, Index begin, Index) {
          out.residual[begin] =
              there * maker.quadratic_form(begin) / static_cast<double>(problem.reml_degrees_of(j)) / kept_share();
        },
        [](const std::string&) {});
  }
  stage.next(1);
  if (with_error) set_share_errors(out.share.view(), out.share_error.view());
  for (Index j = 0; j < t(); ++j) {
    if (!defined(j)) {
      keep_first(out.reason, lambdas[j] <= 0
                                 ? "the variance components are undefined at lambda = 0"
                                 : "the variance components are undefined: there is no degree of freedom left");
      continue;
    }
    for (Index k = 0; k < terms && with_error; ++k) {
      if (std::isfinite(out.share_error(k, j))) continue;
      const std::string of = text("the standard error of the share of ", terms > 1 ? text("term ", k, " in ") : "",
                                  "output ", j, " is undefined: ");
      keep_first(out.reason, out.share(k, j) == 0
                                 ? of + "its variance is zero, the least there is"
                                 : text(of, "the restricted likelihood has no maximum near lambda = ", lambdas[j]));
    }
  }
  report(1);
  return out;
}

// Stays NaN for variances of zero, and where there is no maximum.
void Model::set_share_errors(ConstMatrixView share, MatrixView error) const {
  const Array<double> weights = term_weights();
  Array<Index> moves;
  for (Index k = 0; k < share.rows; ++k)
    if (weights[k] > 0) moves.push_back(k);
  const Index count = std::ssize(moves);
  const Array<double> curvature = count == 1 ? curvatures() : Array<double>();
  for (Index j = 0; j < t(); ++j) {
    if (!(fit_->lambdas[j] > 0) || share(moves[0], j) == 0 || std::isnan(share(moves[0], j))) continue;
    Matrix h = count == 1 ? Matrix(1, 1, curvature[j]) : weight_curvatures(j, moves);
    if (!all_finite(h.values())) continue;
    Array<double> eigenvalues(count);
    symmetric_eigen(h.view(), eigenvalues);
    if (!(eigenvalues[0] > 0)) continue;
    const auto set_error = [&](Index k, double share_of_k) {
      double variance = 0;
      for (Index e = 0; e < count; ++e) {
        double along = 0;
        for (Index l = 0; l < count; ++l)
          along += share_of_k * ((moves[l] == k ? 1 : 0) - share(moves[l], j)) * h(l, e);
        variance += along * along / eigenvalues[e];
      }
      error(k, j) = std::sqrt(variance);
    };
    for (const Index k : moves) set_error(k, share(k, j));
    set_error(share.rows, fit_->lambdas[j] / (sum_of(weights) + fit_->lambdas[j]));
  }
}

// H of output j; NaN with landmarks, and where a gradient has no value.
Matrix Model::weight_curvatures(Index j, Span<const Index> moves) const {
  const Index count = std::ssize(moves);
  Matrix h(count, count, 0.0);
  if (data_->landmarks > 0) return Matrix(count, count, nan);
  Array<Index> rows = consecutive(0, n());
  if (data_->missing)
    std::erase_if(rows, [&](Index i) { return std::ranges::binary_search(data_->missing->rows_of(j), i); });
  const Array<Index> outputs = t() > 1 ? Array<Index>{j} : Array<Index>();
  Model there = of_rows(rows, false, outputs);
  there.route_ = route_;
  const Array<Index> place = weights_of_sum(*kernel_).place;
  const Array<double> numbers = hyperparameters(*kernel_);
  Stage stage(0, 0);
  for (Index a = 0; a < count; ++a)
    for (int q = 0; q < 4; ++q) {
      stage.next(fraction(4 * a + q + 1, 4 * count));
      Array<double> moved = numbers;
      moved[place[moves[a]]] *= std::exp(places[q] * step);
      there.kernel_ = with_hyperparameters(*kernel_, moved);
      const auto found =
          value_of([&] { return there.gradient_of_all(Criterion::reml, nullptr, fit_->lambdas[j]).kernel; });
      for (Index b = 0; b < count; ++b) h(b, a) += found ? factors[q] / (12 * step) * (*found)[place[moves[b]]] : nan;
    }
  for (Index a = 0; a < count; ++a)
    for (Index b = a; b < count; ++b) h(b, a) = (h(b, a) + h(a, b)) / 2;
  return h;
}

// l'' of each output. P~ of all rows is made once for the outputs with one lambda, at each of the four points.
Array<double> Model::curvatures() const {
  const Problem& problem = factorization_->problem();
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
