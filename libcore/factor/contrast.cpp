#include "libcore/factor/contrast.hpp"

#include <algorithm>

namespace freeridge {

Contrast::Contrast(Index n, std::span<const double> q1) : n_(n), v_(q1.begin(), q1.end()) {
  if (v_.empty()) return;
  tau_ = 1 / (1 + v_[0]);
  v_[0] += 1;
}

void Contrast::reflect(MatrixView b) const {
  if (b.cols == 0) return;
  std::vector<double> projection(static_cast<std::size_t>(b.cols));
  gemv(Op::transpose, 1, b, v_.data(), 0, projection.data());
  ger(-tau_, v_.data(), projection.data(), b);
}

void Contrast::reduce_symmetric(MatrixView k) const {
  if (!active()) return;
  // HKH = K - v p' - p v',  p = tau K v - (tau^2 v'Kv / 2) v
  std::vector<double> p(v_.size());
  symv(k, v_.data(), p.data());
  for (double& value : p) value *= tau_;
  const double half = tau_ * dot(n_, p.data(), v_.data()) / 2;
  for (std::size_t i = 0; i < p.size(); ++i) p[i] -= half * v_[i];
  syr2(-1, v_.data(), p.data(), k);
}

MatrixView Contrast::reduce(MatrixView b) const {
  if (active()) reflect(b);
  return rows(b);
}

void Contrast::reduce_right(MatrixView b) const {
  if (!active() || b.rows == 0) return;
  std::vector<double> projection(static_cast<std::size_t>(b.rows));
  gemv(Op::none, 1, b, v_.data(), 0, projection.data());
  ger(-tau_, projection.data(), v_.data(), b);
}

void Contrast::expand(MatrixView b) const {
  if (!active()) return;
  for (Index j = 0; j < b.cols; ++j) b(0, j) = 0;
  reflect(b);
}

}  // namespace freeridge
