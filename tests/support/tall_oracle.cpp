#include "support/tall_oracle.hpp"

#include <cmath>
#include <limits>
#include <set>

#include "support/gauss.hpp"

namespace oracle {

namespace {

using support::Real;

// Moments of the rows in use around their weighted means (zeros without intercept).
struct Moments {
  std::vector<Real> x_mean, y_mean;
  Dense xx, xy;
  Real weights = 0;
};

Real weight(const TallProblem& problem, std::int64_t i) {
  return problem.weights.empty() ? 1 : static_cast<Real>(problem.weights[static_cast<std::size_t>(i)]);
}

Moments moments(const TallProblem& problem, double lambda, const std::vector<char>& use) {
  const std::int64_t n = problem.x.rows, d = problem.x.cols, t = problem.y.cols;
  const auto used = [&](std::int64_t i) { return use.empty() || use[static_cast<std::size_t>(i)] != 0; };
  Moments out{std::vector<Real>(static_cast<std::size_t>(d)), std::vector<Real>(static_cast<std::size_t>(t)),
              Dense(d, d), Dense(d, t)};
  for (std::int64_t i = 0; i < n; ++i)
    if (used(i)) out.weights += weight(problem, i);
  const auto means = [&](const Matrix& of, std::vector<Real>& mean) {
    for (std::int64_t k = 0; k < of.cols && problem.intercept; ++k) {
      Real& sum = mean[static_cast<std::size_t>(k)];
      for (std::int64_t i = 0; i < n; ++i)
        if (used(i)) sum += weight(problem, i) * of(i, k);
      sum /= out.weights;
    }
  };
  means(problem.x, out.x_mean);
  means(problem.y, out.y_mean);
  std::vector<Real> row(static_cast<std::size_t>(d));
  for (std::int64_t i = 0; i < n; ++i) {
    if (!used(i)) continue;
    for (std::int64_t k = 0; k < d; ++k)
      row[static_cast<std::size_t>(k)] = problem.x(i, k) - out.x_mean[static_cast<std::size_t>(k)];
    for (std::int64_t l = 0; l < d; ++l) {
      const Real factor = weight(problem, i) * row[static_cast<std::size_t>(l)];
      for (std::int64_t k = l; k < d; ++k) out.xx(k, l) += factor * row[static_cast<std::size_t>(k)];
      for (std::int64_t j = 0; j < t; ++j)
        out.xy(l, j) += factor * (problem.y(i, j) - out.y_mean[static_cast<std::size_t>(j)]);
    }
  }
  for (std::int64_t l = 0; l < d; ++l) {
    out.xx(l, l) += static_cast<Real>(lambda);
    for (std::int64_t k = 0; k < l; ++k) out.xx(k, l) = out.xx(l, k);
  }
  return out;
}

}  // namespace

Plane fit(const TallProblem& problem, double lambda, const std::vector<char>& use) {
  const Moments m = moments(problem, lambda, use);
  Plane out{support::solve(m.xx, m.xy), Dense(1, problem.y.cols)};
  for (std::int64_t j = 0; j < problem.y.cols && problem.intercept; ++j) {
    out.b(0, j) = m.y_mean[static_cast<std::size_t>(j)];
    for (std::int64_t k = 0; k < problem.x.cols; ++k)
      out.b(0, j) -= m.x_mean[static_cast<std::size_t>(k)] * out.w(k, j);
  }
  return out;
}

Matrix predict(const Plane& plane, const Matrix& points) {
  Dense out = support::multiply(support::to_real(points), plane.w);
  for (std::int64_t j = 0; j < out.cols; ++j)
    for (std::int64_t i = 0; i < out.rows; ++i) out(i, j) += plane.b(0, j);
  return support::to_double(out);
}

Matrix group_errors(const TallProblem& problem, const Labels& group, double lambda) {
  Matrix out(problem.y.rows, problem.y.cols, std::numeric_limits<double>::quiet_NaN());
  for (const std::int32_t label : std::set<std::int32_t>(group.begin(), group.end())) {
    if (label < 0) continue;
    std::vector<char> use(group.size(), 1);
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < use.size(); ++i)
      if (group[i] == label) {
        use[i] = 0;
        rows.push_back(static_cast<std::int64_t>(i));
      }
    const Dense points = support::to_real(support::select_rows(problem.x, rows));
    const Plane plane = fit(problem, lambda, use);
    const Dense values = support::multiply(points, plane.w);
    for (std::size_t q = 0; q < rows.size(); ++q)
      for (std::int64_t j = 0; j < out.cols; ++j)
        out(rows[q], j) =
            static_cast<double>(problem.y(rows[q], j) - values(static_cast<std::int64_t>(q), j) - plane.b(0, j));
  }
  return out;
}

Matrix leverage(const TallProblem& problem, double lambda) {
  const std::int64_t n = problem.x.rows, d = problem.x.cols;
  const Moments m = moments(problem, lambda, {});
  const Dense inverse = support::solve(m.xx, support::identity(d));
  Matrix out(n, problem.y.cols);
  std::vector<Real> row(static_cast<std::size_t>(d));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < d; ++k)
      row[static_cast<std::size_t>(k)] = problem.x(i, k) - m.x_mean[static_cast<std::size_t>(k)];
    Real sum = problem.intercept ? 1 / m.weights : 0;
    for (std::int64_t l = 0; l < d; ++l)
      for (std::int64_t k = 0; k < d; ++k)
        sum += row[static_cast<std::size_t>(k)] * inverse(k, l) * row[static_cast<std::size_t>(l)];
    for (std::int64_t j = 0; j < out.cols; ++j) out(i, j) = static_cast<double>(weight(problem, i) * sum);
  }
  return out;
}

Dense triangle(const Matrix& a) {
  const std::int64_t n = a.rows, p = a.cols;
  Dense q(n, p), r(p, p);
  for (std::int64_t j = 0; j < p; ++j) {
    for (std::int64_t i = 0; i < n; ++i) q(i, j) = a(i, j);
    for (int pass = 0; pass < 2; ++pass)
      for (std::int64_t k = 0; k < j; ++k) {
        Real sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += q(i, k) * q(i, j);
        r(k, j) += sum;
        for (std::int64_t i = 0; i < n; ++i) q(i, j) -= sum * q(i, k);
      }
    Real norm = 0;
    for (std::int64_t i = 0; i < n; ++i) norm += q(i, j) * q(i, j);
    r(j, j) = norm = std::sqrt(norm);
    for (std::int64_t i = 0; i < n; ++i) q(i, j) /= norm;
  }
  return r;
}

}  // namespace oracle
