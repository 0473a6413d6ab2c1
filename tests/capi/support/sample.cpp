#include "capi/support/sample.hpp"

#include <cmath>

#include "support/landmarks.hpp"

namespace sample {

std::vector<double> x() {
  std::vector<double> values;
  for (int64_t j = 0; j < d; ++j) {
    for (int64_t i = 0; i < n; ++i) values.push_back(2.0 * std::sin(1.7 * static_cast<double>(i * (j + 1)) + 0.3));
  }
  return values;
}

std::vector<double> y() {
  const std::vector<double> points = x();
  std::vector<double> values;
  for (int64_t j = 0; j < t; ++j) {
    for (int64_t i = 0; i < n; ++i) {
      const double noise = 0.2 * std::cos(5.1 * static_cast<double>(i) + static_cast<double>(j));
      values.push_back(1.0 + std::sin(points[size(i)]) - 0.5 * static_cast<double>(j) * points[size(i + n)] + noise);
    }
  }
  return values;
}

std::vector<double> new_x() {
  return {-1.0, 0.25, 1.5, 0.5, -0.75, 2.0};
}

std::vector<double> fixed() {
  std::vector<double> values;
  for (int64_t k = 0; k < n * q; ++k) values.push_back(1.5 + std::sin(2.3 * static_cast<double>(k)));
  return values;
}

std::vector<double> new_fixed() {
  return {1.0, 2.0, 1.5, 0.75, 2.25, 1.0};
}

std::vector<int64_t> starts(int64_t rows, int64_t columns) {
  std::vector<int64_t> out;
  for (int64_t k = 0; k <= columns; ++k) out.push_back(k * rows);
  return out;
}

std::vector<int32_t> places(int64_t rows, int64_t columns) {
  std::vector<int32_t> out;
  for (int64_t k = 0; k < rows * columns; ++k) out.push_back(static_cast<int32_t>(k % rows));
  return out;
}

std::vector<double> weights() {
  return {1, 2, 1, 0.5, 1, 3, 1, 1, 0.25, 1, 1.5, 1};
}

std::vector<int32_t> group() {
  return {0, 0, 7, 7, 7, 2, -1, 2, 3, 3, 4, 4};
}

std::vector<int32_t> gap() {
  return {-1, 7, 0, -1, 2, 7, 2, -1, 2, 4, -1, 3};
}

std::vector<double> scale() {
  return {0.5, 2.0};
}

std::vector<int64_t> landmarks() {
  return {8, 1, 5, 11, 2};
}

State state_of(const freeridge_model* model) {
  int64_t rows, columns, outputs;
  if (freeridge_get_dimensions(model, &rows, &columns, &outputs) != FREERIDGE_OK) return State::empty;
  freeridge_route route;
  if (freeridge_get_route(model, &route) != FREERIDGE_OK) return State::data;
  std::vector<double> lambda(size(outputs));
  return freeridge_get_lambda(model, lambda.data()) == FREERIDGE_OK ? State::fitted : State::factorized;
}

support::Matrix matrix(int64_t rows, const std::vector<double>& columns) {
  support::Matrix result(rows, static_cast<int64_t>(columns.size()) / rows);
  result.values = columns;
  return result;
}

Model model(State state, Variant variant) {
  Model result = variant == Variant::primal     ? Model(Kernel::linear())
                 : variant == Variant::cholesky ? Model(Kernel::scaled(Kernel::gaussian(sigma), scale()))
                                                : Model(Kernel::gaussian(sigma));
  result.route(variant == Variant::primal      ? FREERIDGE_ROUTE_PRIMAL
               : variant == Variant::cholesky  ? FREERIDGE_ROUTE_CHOLESKY
               : variant == Variant::landmark  ? FREERIDGE_ROUTE_LANDMARK
               : variant == Variant::iterative ? FREERIDGE_ROUTE_ITERATIVE
                                               : FREERIDGE_ROUTE_SPECTRAL);
  if (state == State::empty) return result;
  if (variant == Variant::fixed)
    result.data(matrix(n, x()), matrix(n, y()), matrix(n, fixed()));
  else
    result.data(matrix(n, x()), matrix(n, y()));
  result.weights(weights()).groups(group(), 1, gap());
  if (variant == Variant::landmark) support::set_landmarks(result, landmarks());
  if (state == State::data) return result;
  result.factorize();
  if (state == State::factorized) return result;
  result.select_lambda(FREERIDGE_LOO, 1e-3, 1e3);
  return result;
}

Model model_of(const Kernel& kernel, const std::vector<double>& x, const std::vector<double>& y, int64_t rows) {
  Model result(kernel);
  result.data(matrix(rows, x), matrix(rows, y));
  return result;
}

}  // namespace sample
