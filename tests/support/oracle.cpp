#include "support/oracle.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "support/gauss.hpp"

namespace oracle {

namespace {

Real kernel_value(const KernelSpec& spec, std::vector<Real> a, std::vector<Real> b);

// The mean or the product of the inner kernel over terms.
Real value_of_terms(const KernelSpec& spec, const std::vector<Real>& a, const std::vector<Real>& b) {
  std::map<std::int64_t, std::pair<std::vector<Real>, std::vector<Real>>> terms;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto label = spec.label.empty() ? static_cast<std::int64_t>(k) : spec.label[k];
    if (label < 0) continue;
    terms[label].first.push_back(a[k]);
    terms[label].second.push_back(b[k]);
  }
  Real sum = 0, product = 1;
  for (const auto& [label, term] : terms) {
    const Real value = kernel_value(spec.parts[0], term.first, term.second);
    sum += value;
    product *= value;
  }
  return spec.family == Family::additive ? sum / static_cast<Real>(terms.size()) : product;
}

// The points on circles of radius 1 (period: 0: on the sphere of longitude and latitude).
std::vector<Real> on_circles(const std::vector<Real>& x, Real period) {
  constexpr Real pi = 3.14159265358979323846264338327950288L;
  if (period == 0) {
    const Real longitude = x[0] * pi / 180, latitude = x[1] * pi / 180;
    return {std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude), std::sin(latitude)};
  }
  std::vector<Real> out;
  for (const Real value : x) {
    out.push_back(std::cos(2 * pi * value / period));
    out.push_back(std::sin(2 * pi * value / period));
  }
  return out;
}

// k(a, b) of two points in long double.
Real kernel_value(const KernelSpec& spec, std::vector<Real> a, std::vector<Real> b) {
  Real product = 0, distance = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!spec.columns.empty()) {
      a[k] /= static_cast<Real>(spec.columns[k]);
      b[k] /= static_cast<Real>(spec.columns[k]);
    }
    product += a[k] * b[k];
    distance += (a[k] - b[k]) * (a[k] - b[k]);
  }
  const Real sigma = spec.sigma, r = std::sqrt(distance) / sigma;
  Real value = spec.family == Family::product ? 1 : 0;
  switch (spec.family) {
    case Family::linear:
      return product;
    case Family::polynomial:
      return std::pow(static_cast<Real>(spec.scale) * product + static_cast<Real>(spec.offset),
                      static_cast<Real>(spec.degree));
    case Family::gaussian:
      return std::exp(-distance / (sigma * sigma));
    case Family::laplacian:
      return std::exp(-r);
    case Family::matern32:
      return (1 + std::sqrt(Real{3}) * r) * std::exp(-std::sqrt(Real{3}) * r);
    case Family::matern52:
      return (1 + std::sqrt(Real{5}) * r + 5 * r * r / 3) * std::exp(-std::sqrt(Real{5}) * r);
    case Family::sum:
      for (std::size_t p = 0; p < spec.parts.size(); ++p)
        value += static_cast<Real>(spec.weights[p]) * kernel_value(spec.parts[p], a, b);
      return value;
    case Family::product:
      for (const KernelSpec& part : spec.parts) value *= kernel_value(part, a, b);
      return value;
    case Family::additive:
    case Family::multiplicative:
      return value_of_terms(spec, a, b);
    case Family::periodic:
      return kernel_value(spec.parts[0], on_circles(a, spec.scale), on_circles(b, spec.scale));
    case Family::sphere:
      return kernel_value(spec.parts[0], on_circles(a, 0), on_circles(b, 0));
    case Family::constant:
      return 1;
  }
  throw std::invalid_argument("kernel_value: family");
}

std::vector<Real> point(const Matrix& x, std::int64_t i) {
  std::vector<Real> out;
  for (std::int64_t k = 0; k < x.cols; ++k) out.push_back(x(i, k));
  return out;
}

std::vector<char> all_rows(const Problem& problem) {
  return std::vector<char>(static_cast<std::size_t>(problem.x.rows), 1);
}

// K c + b at the points whose kernel values with the data are the columns of k (n x m).
Dense evaluate(const Dense& k, const Fit& fit) {
  Dense out = support::multiply(support::transpose(k), fit.c);
  for (std::int64_t j = 0; j < out.cols; ++j)
    for (std::int64_t i = 0; i < out.rows; ++i) out(i, j) += fit.b(0, j);
  return out;
}

}  // namespace

Fit fit_with(const Problem& problem, const Dense& k, const Dense& y, const std::vector<char>& use, Real lambda) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < k.rows; ++i)
    if (use[static_cast<std::size_t>(i)]) rows.push_back(i);
  const auto count = static_cast<std::int64_t>(rows.size());
  Fit out{Dense(k.rows, y.cols), Dense(1, y.cols)};
  if (count == 0) {
    if (problem.intercept) throw std::domain_error("fit: an intercept needs a row");
    return out;
  }
  const std::int64_t size = count + (problem.intercept ? 1 : 0);
  Dense a(size, size), rhs(size, y.cols);
  for (std::int64_t q = 0; q < count; ++q) {
    const std::int64_t column = rows[static_cast<std::size_t>(q)];
    for (std::int64_t p = 0; p < count; ++p) a(p, q) = k(rows[static_cast<std::size_t>(p)], column);
    a(q, q) += lambda / static_cast<Real>(problem.weight(column));
    if (problem.intercept) a(q, count) = a(count, q) = 1;
    for (std::int64_t j = 0; j < y.cols; ++j) rhs(q, j) = y(column, j);
  }
  const Dense solution = support::solve(std::move(a), std::move(rhs));
  for (std::int64_t j = 0; j < y.cols; ++j) {
    for (std::int64_t q = 0; q < count; ++q) out.c(rows[static_cast<std::size_t>(q)], j) = solution(q, j);
    if (problem.intercept) out.b(0, j) = solution(count, j);
  }
  return out;
}

namespace {

std::string labels(const support::Labels& label) {
  std::string out;
  for (const std::int32_t one : label) out += (out.empty() ? "[" : ", ") + std::to_string(one);
  return out.empty() ? out : out + "], ";
}

}  // namespace

support::Kernel make_kernel(const KernelSpec& spec) {
  using support::Kernel;
  const auto inner = [&]() -> Kernel {
    std::vector<Kernel> parts;
    for (const KernelSpec& part : spec.parts) parts.push_back(make_kernel(part));
    switch (spec.family) {
      case Family::linear:
        return Kernel::linear();
      case Family::polynomial:
        return Kernel::polynomial(spec.degree, spec.scale, spec.offset);
      case Family::gaussian:
        return Kernel::gaussian(spec.sigma);
      case Family::laplacian:
        return Kernel::laplacian(spec.sigma);
      case Family::matern32:
        return Kernel::matern(1.5, spec.sigma);
      case Family::matern52:
        return Kernel::matern(2.5, spec.sigma);
      case Family::sum:
        return Kernel::sum(parts, spec.weights);
      case Family::product:
        return Kernel::product(parts);
      case Family::additive:
        return Kernel::additive(parts[0], spec.label);
      case Family::multiplicative:
        return Kernel::parse("multiplicative(" + labels(spec.label) + parts[0].description() + ")");
      case Family::periodic: {
        char period[64];
        std::snprintf(period, sizeof period, "periodic(period = %.17g, ", spec.scale);
        return Kernel::parse(period + parts[0].description() + ")");
      }
      case Family::sphere:
        return Kernel::parse("sphere(" + parts[0].description() + ")");
      case Family::constant:
        return Kernel::parse("constant()");
    }
    throw std::invalid_argument("make_kernel: family");
  };
  return spec.columns.empty() ? inner() : Kernel::scaled(inner(), spec.columns);
}

support::Model make_model(const Problem& problem, freeridge_route route, freeridge_layout layout,
                          std::int64_t padding) {
  support::Model model(make_kernel(problem.kernel));
  model.data(problem.x, problem.y, layout, padding).weights(problem.weights).intercept(problem.intercept).route(route);
  if (problem.sigma2 > 0)
    support::check(freeridge_set_parameter(model.get(), FREERIDGE_SIGMA2, problem.sigma2), "freeridge_set_parameter");
  return model;
}

Dense kernel_matrix(const KernelSpec& spec, const Matrix& x, const Matrix& z) {
  Dense out(x.rows, z.rows);
  for (std::int64_t j = 0; j < z.rows; ++j)
    for (std::int64_t i = 0; i < x.rows; ++i) out(i, j) = kernel_value(spec, point(x, i), point(z, j));
  return out;
}

Fit fit_rows(const Problem& problem, const std::vector<char>& use, double lambda) {
  const Dense k = kernel_matrix(problem.kernel, problem.x, problem.x);
  return fit_with(problem, k, support::to_real(problem.y), use, lambda);
}

Fit fit(const Problem& problem, double lambda) {
  return fit_rows(problem, all_rows(problem), lambda);
}

Matrix predict(const Problem& problem, const Fit& fit, const Matrix& points) {
  return support::to_double(evaluate(kernel_matrix(problem.kernel, problem.x, points), fit));
}

Matrix fitted(const Problem& problem, double lambda) {
  return predict(problem, fit(problem, lambda), problem.x);
}

Matrix hyperplane(const Problem& problem, const Fit& fit) {
  Dense x = support::to_real(problem.x);
  for (std::int64_t k = 0; k < x.cols && !problem.kernel.columns.empty(); ++k)
    for (std::int64_t i = 0; i < x.rows; ++i) {
      const Real unit = problem.kernel.columns[static_cast<std::size_t>(k)];
      x(i, k) /= unit * unit;
    }
  return support::to_double(support::multiply(support::transpose(x), fit.c));
}

Dense hat_matrix(const Problem& problem, double lambda) {
  const Dense k = kernel_matrix(problem.kernel, problem.x, problem.x);
  return evaluate(k, fit_with(problem, k, support::identity(k.rows), all_rows(problem), lambda));
}

Matrix group_errors(const Problem& problem, const Labels& group, double lambda) {
  const Dense k = kernel_matrix(problem.kernel, problem.x, problem.x), y = support::to_real(problem.y);
  Matrix out(y.rows, y.cols, std::numeric_limits<double>::quiet_NaN());
  for (const std::int32_t label : std::set<std::int32_t>(group.begin(), group.end())) {
    if (label < 0) continue;
    std::vector<char> use = all_rows(problem);
    for (std::size_t i = 0; i < use.size(); ++i)
      if (group[i] == label) use[i] = 0;
    const Dense left_out = evaluate(k, fit_with(problem, k, y, use, lambda));
    for (std::int64_t j = 0; j < y.cols; ++j)
      for (std::int64_t i = 0; i < y.rows; ++i)
        if (!use[static_cast<std::size_t>(i)]) out(i, j) = static_cast<double>(y(i, j) - left_out(i, j));
  }
  return out;
}

Matrix loo(const Problem& problem, double lambda) {
  Labels each(static_cast<std::size_t>(problem.x.rows));
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<std::int32_t>(i);
  return group_errors(problem, each, lambda);
}

}  // namespace oracle
