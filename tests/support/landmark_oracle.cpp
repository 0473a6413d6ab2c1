#include "support/landmark_oracle.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "support/gauss.hpp"

namespace oracle {

LandmarkOracle::LandmarkOracle(const Problem& problem, std::vector<std::int64_t> landmarks)
    : problem_(problem),
      landmarks_(std::move(landmarks)),
      k_tr_(kernel_matrix(problem.kernel, problem.x, support::select_rows(problem.x, landmarks_))),
      k_rr_(support::select_rows(k_tr_, landmarks_)) {
  for (std::int64_t i = 0; i < problem.x.rows; ++i) {
    const Matrix point = support::select_rows(problem.x, {i});
    diagonal_.push_back(kernel_matrix(problem.kernel, point, point)(0, 0));
  }
}

LandmarkOracle::LandmarkOracle(const Problem& problem, std::vector<std::int64_t> landmarks, const Dense& kernel)
    : problem_(problem),
      landmarks_(std::move(landmarks)),
      k_tr_(support::transpose(support::select_rows(support::transpose(kernel), landmarks_))),
      k_rr_(support::select_rows(k_tr_, landmarks_)) {
  for (std::int64_t i = 0; i < kernel.rows; ++i) diagonal_.push_back(kernel(i, i));
}

Fit LandmarkOracle::fit_rows(const Dense& y, const std::vector<char>& use, Real lambda) const {
  const auto r = static_cast<std::int64_t>(landmarks_.size());
  const std::int64_t n = k_tr_.rows, size = r + (problem_.intercept ? 1 : 0);
  Dense a(size, size), rhs(size, y.cols);
  for (std::int64_t i = 0; i < n; ++i) {
    if (!use[static_cast<std::size_t>(i)]) continue;
    const auto feature = [&](std::int64_t k) { return k < r ? k_tr_(i, k) : Real{1}; };
    for (std::int64_t k = 0; k < size; ++k) {
      const Real weighted = static_cast<Real>(problem_.weight(i)) * feature(k);
      for (std::int64_t l = 0; l < size; ++l) a(k, l) += weighted * feature(l);
      for (std::int64_t j = 0; j < y.cols; ++j) rhs(k, j) += weighted * y(i, j);
    }
  }
  for (std::int64_t k = 0; k < r; ++k)
    for (std::int64_t l = 0; l < r; ++l) a(k, l) += lambda * k_rr_(k, l);
  const Dense solution = support::solve(std::move(a), std::move(rhs));
  Fit out{Dense(n, y.cols), Dense(1, y.cols)};
  for (std::int64_t j = 0; j < y.cols; ++j) {
    for (std::int64_t k = 0; k < r; ++k) out.c(landmarks_[static_cast<std::size_t>(k)], j) = solution(k, j);
    if (problem_.intercept) out.b(0, j) = solution(r, j);
  }
  return out;
}

Dense LandmarkOracle::evaluate(const Fit& fit) const {
  Dense out = support::multiply(k_tr_, support::select_rows(fit.c, landmarks_));
  for (std::int64_t j = 0; j < out.cols; ++j)
    for (std::int64_t i = 0; i < out.rows; ++i) out(i, j) += fit.b(0, j);
  return out;
}

Fit LandmarkOracle::fit(double lambda) const {
  return fit_rows(support::to_real(problem_.y), std::vector<char>(diagonal_.size(), 1), lambda);
}

Matrix LandmarkOracle::fitted(double lambda) const {
  return support::to_double(evaluate(fit(lambda)));
}

Dense LandmarkOracle::hat_matrix(double lambda) const {
  return evaluate(fit_rows(support::identity(k_tr_.rows), std::vector<char>(diagonal_.size(), 1), lambda));
}

Matrix LandmarkOracle::leverage(double lambda) const {
  const Dense hat = hat_matrix(lambda);
  Matrix out(hat.rows, problem_.y.cols);
  for (std::int64_t j = 0; j < out.cols; ++j)
    for (std::int64_t i = 0; i < out.rows; ++i) out(i, j) = static_cast<double>(hat(i, i));
  return out;
}

Matrix LandmarkOracle::group_errors(const Labels& group, double lambda) const {
  const Dense y = support::to_real(problem_.y);
  Matrix out(y.rows, y.cols, std::numeric_limits<double>::quiet_NaN());
  for (const std::int32_t label : std::set<std::int32_t>(group.begin(), group.end())) {
    if (label < 0) continue;
    std::vector<char> use(group.size(), 1);
    for (std::size_t i = 0; i < use.size(); ++i)
      if (group[i] == label) use[i] = 0;
    const Dense left_out = evaluate(fit_rows(y, use, lambda));
    for (std::int64_t j = 0; j < y.cols; ++j)
      for (std::int64_t i = 0; i < y.rows; ++i)
        if (!use[static_cast<std::size_t>(i)]) out(i, j) = static_cast<double>(y(i, j) - left_out(i, j));
  }
  return out;
}

Matrix LandmarkOracle::loo(double lambda) const {
  Labels each(diagonal_.size());
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<std::int32_t>(i);
  return group_errors(each, lambda);
}

Matrix LandmarkOracle::mean_square(const Matrix& errors) const {
  Matrix out(1, errors.cols);
  for (std::int64_t j = 0; j < errors.cols; ++j) {
    Real sum = 0, weights = 0;
    for (std::int64_t i = 0; i < errors.rows; ++i) {
      if (std::isnan(errors(i, j))) continue;
      const Real weight = problem_.weight(i), e = errors(i, j);
      sum += weight * e * e;
      weights += weight;
    }
    out(0, j) = static_cast<double>(sum / weights);
  }
  return out;
}

Matrix LandmarkOracle::loo_score(double lambda) const {
  return mean_square(loo(lambda));
}

Matrix LandmarkOracle::group_score(const Labels& group, double lambda) const {
  return mean_square(group_errors(group, lambda));
}

Matrix LandmarkOracle::gcv(double lambda) const {
  const Dense hat = hat_matrix(lambda), fitted = support::multiply(hat, support::to_real(problem_.y));
  const std::int64_t n = hat.rows;
  Real trace = 0;
  for (std::int64_t i = 0; i < n; ++i) trace += 1 - hat(i, i);
  Matrix out(1, problem_.y.cols);
  for (std::int64_t j = 0; j < out.cols; ++j) {
    Real sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const Real residual = problem_.y(i, j) - fitted(i, j);
      sum += static_cast<Real>(problem_.weight(i)) * residual * residual;
    }
    out(0, j) = static_cast<double>(static_cast<Real>(n) * sum / (trace * trace));
  }
  return out;
}

Matrix LandmarkOracle::reml(double lambda) const {
  const std::int64_t n = k_tr_.rows;
  Dense m = restricted_kernel();
  for (std::int64_t i = 0; i < n; ++i) m(i, i) += static_cast<Real>(lambda) / static_cast<Real>(problem_.weight(i));
  Dense rhs(n, problem_.y.cols + 1, 1);  // [Y, 1]
  for (std::int64_t j = 0; j < problem_.y.cols; ++j)
    for (std::int64_t i = 0; i < n; ++i) rhs(i, j) = problem_.y(i, j);
  const Dense inverse = support::solve(m, rhs);
  const Dense forms = support::multiply(support::transpose(rhs), inverse);
  const std::int64_t one = problem_.y.cols;
  const Real degrees = static_cast<Real>(problem_.intercept ? n - 1 : n);
  Real log_det = support::log_determinant(m);
  if (problem_.intercept) log_det += std::log(forms(one, one));
  Matrix out(1, one);
  for (std::int64_t j = 0; j < one; ++j) {
    Real quadratic = forms(j, j);
    if (problem_.intercept) quadratic -= forms(one, j) * forms(one, j) / forms(one, one);
    out(0, j) = static_cast<double>(
        (degrees * std::log(2 * std::numbers::pi_v<Real> * quadratic / degrees) + degrees + log_det) / 2);
  }
  return out;
}

Dense LandmarkOracle::restricted_kernel() const {
  return support::multiply(k_tr_, support::solve(k_rr_, support::transpose(k_tr_)));
}

Real LandmarkOracle::trace_left() const {
  const Dense restricted = restricted_kernel();
  Real sum = 0;
  for (std::int64_t i = 0; i < restricted.rows; ++i) sum += diagonal_[static_cast<std::size_t>(i)] - restricted(i, i);
  return sum;
}

Real LandmarkOracle::trace() const {
  Real sum = 0;
  for (const Real value : diagonal_) sum += value;
  return sum;
}

}  // namespace oracle
