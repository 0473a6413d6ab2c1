// The answers by their definitions, in long double and with no shortcut: kernel matrices entry by entry, every fit by
// Gaussian elimination on
//     [ K + lambda W^-1   1 ] [c]   [Y]
//     [ 1'                0 ] [b] = [0]        (without intercept: the first block alone)
// and every point or group left out by fitting again without it. Nothing here is shared with the library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/matrix.hpp"
#include "support/model.hpp"

namespace oracle {

using support::Dense;
using support::Labels;
using support::Matrix;
using support::Real;
using support::Vector;

enum class Family {
  linear,
  polynomial,
  gaussian,
  laplacian,
  matern32,
  matern52,
  sum,
  product,
  additive,
  multiplicative,
  periodic,
  constant,
  sphere
};
// Those of any number of columns that are no constant.
constexpr Family all_families[] = {Family::linear,   Family::polynomial,     Family::gaussian, Family::laplacian,
                                   Family::matern32, Family::matern52,       Family::sum,      Family::product,
                                   Family::additive, Family::multiplicative, Family::periodic};

struct KernelSpec {
  Family family = Family::linear;
  std::int32_t degree = 1;
  double scale = 1, offset = 0;        // polynomial; scale: the period of periodic
  double sigma = 1;                    // gaussian, laplacian; the length of matern
  Vector columns;                      // not empty: a scaled kernel, column k divided by columns[k]
  std::vector<KernelSpec> parts = {};  // sum, product; additive, multiplicative, periodic, sphere: the one
  Vector weights = {};                 // sum: one a part
  support::Labels label = {};          // of terms: columns with equal ones are a term, -1: in none; empty: each is one

  static KernelSpec linear() { return {}; }
  static KernelSpec polynomial(std::int32_t degree, double scale, double offset) {
    return {Family::polynomial, degree, scale, offset, 1, {}};
  }
  static KernelSpec radial(Family family, double sigma) { return {family, 1, 1, 0, sigma, {}}; }
  static KernelSpec gaussian(double sigma) { return radial(Family::gaussian, sigma); }
  static KernelSpec sum(std::vector<KernelSpec> terms, Vector weights) {
    return {Family::sum, 1, 1, 0, 1, {}, std::move(terms), std::move(weights)};
  }
  static KernelSpec product(std::vector<KernelSpec> factors) {
    return {Family::product, 1, 1, 0, 1, {}, std::move(factors), {}};
  }
  static KernelSpec additive(KernelSpec inner, support::Labels label = {}) {
    return {Family::additive, 1, 1, 0, 1, {}, {std::move(inner)}, {}, std::move(label)};
  }
  static KernelSpec multiplicative(KernelSpec inner, support::Labels label = {}) {
    return {Family::multiplicative, 1, 1, 0, 1, {}, {std::move(inner)}, {}, std::move(label)};
  }
  static KernelSpec periodic(double period, KernelSpec inner) {
    return {Family::periodic, 1, period, 0, 1, {}, {std::move(inner)}};
  }
  static KernelSpec sphere(KernelSpec inner) { return {Family::sphere, 1, 1, 0, 1, {}, {std::move(inner)}}; }
  static KernelSpec constant() { return radial(Family::constant, 1); }
  KernelSpec with_columns(Vector columns_) const {
    KernelSpec out = *this;
    out.columns = std::move(columns_);
    return out;
  }
};

// The library's kernel of that specification.
support::Kernel make_kernel(const KernelSpec& spec);

// k(x_i, z_j) for all i, j.
Dense kernel_matrix(const KernelSpec& spec, const Matrix& x, const Matrix& z);

struct Problem {
  KernelSpec kernel;
  Matrix x;
  Matrix y;
  Vector weights;  // empty: all one
  bool intercept = true;
  double sigma2 = 0;  // of the errors, where it is known

  double weight(std::int64_t i) const { return weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)]; }
};

// The library's model of that problem, with its data set and not yet factorized.
support::Model make_model(const Problem& problem, freeridge_route route = FREERIDGE_ROUTE_AUTO,
                          freeridge_layout layout = FREERIDGE_COL_MAJOR, std::int64_t padding = 0);

struct Fit {
  Dense c;  // n x t; zero in rows that were left out
  Dense b;  // 1 x t
};

Fit fit(const Problem& problem, double lambda);

// The fit to the rows marked in `use`, with a kernel matrix (n x n) and outputs (n x any) of one's own.
Fit fit_with(const Problem& problem, const Dense& k, const Dense& y, const std::vector<char>& use, Real lambda);

// The fit to the rows marked in `use` alone.
Fit fit_rows(const Problem& problem, const std::vector<char>& use, double lambda);

Matrix predict(const Problem& problem, const Fit& fit, const Matrix& points);
Matrix fitted(const Problem& problem, double lambda);

// w of f(x) = w'x for the linear kernels, in the units of x.
Matrix hyperplane(const Problem& problem, const Fit& fit);

// H of fitted = H Y, column by column from fits to unit vectors.
Dense hat_matrix(const Problem& problem, double lambda);

// Y - prediction at the rows of each group, fitted again without them; NaN where the label is negative.
Matrix group_errors(const Problem& problem, const Labels& group, double lambda);
Matrix loo(const Problem& problem, double lambda);

// The answers with lambda[j] for output j: column j of answer(lambda[j]).
template <class Answer>
Matrix per_output(const Vector& lambda, Answer answer) {
  Matrix out;
  for (std::int64_t j = 0; j < static_cast<std::int64_t>(lambda.size()); ++j) {
    const Matrix all = answer(lambda[static_cast<std::size_t>(j)]);
    if (j == 0) out = Matrix(all.rows, all.cols);
    for (std::int64_t i = 0; i < all.rows; ++i) out(i, j) = all(i, j);
  }
  return out;
}

}  // namespace oracle
