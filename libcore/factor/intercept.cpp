#include "libcore/factor/intercept.hpp"

#include <algorithm>
#include <utility>

namespace freeridge {
namespace {
constexpr double as_heavy = 0.25;  // of the largest q1: the first row stays where it is
}

Contrast::Contrast(Index n, Span<const double> q1, Pivot pivot) : n_(n), v_(q1.begin(), q1.end()) {
  if (v_.empty()) return;
  const auto heaviest = std::max_element(v_.begin(), v_.end());
  if (pivot == Pivot::heaviest && v_[0] < as_heavy * *heaviest) {
    pivot_ = heaviest - v_.begin();
    std::swap(v_[0], *heaviest);
  }
  tau_ = 1 / (1 + v_[0]);
  v_[0] += 1;
}

void Contrast::reflect(MatrixView b) const {
  if (b.cols == 0) return;
  Array<double> projection(b.cols);
  gemv(Op::transpose, 1, b, v_.data(), 0, projection.data());
  ger(-tau_, v_.data(), projection.data(), b);
}

void Contrast::exchange(MatrixView b) const {
  if (pivot_ == 0) return;
  for (Index j = 0; j < b.cols; ++j) std::swap(b(0, j), b(pivot_, j));
}

void Contrast::exchange_symmetric(MatrixView k) const {
  if (pivot_ == 0) return;
  std::swap(k(0, 0), k(pivot_, pivot_));
  for (Index i = 1; i < pivot_; ++i) std::swap(k(i, 0), k(pivot_, i));
  for (Index i = pivot_ + 1; i < n_; ++i) std::swap(k(i, 0), k(i, pivot_));
}

void Contrast::reduce_symmetric(MatrixView k) const {
  if (!active()) return;
  exchange_symmetric(k);
  reflect_symmetric(k);
}

void Contrast::expand_symmetric(MatrixView k) const {
  if (!active()) return;
  for (Index i = 0; i < n_; ++i) k(i, 0) = 0;
  reflect_symmetric(k);
  exchange_symmetric(k);
}

void Contrast::reflect_symmetric(MatrixView k) const {
  // HKH = K - v p' - p v',  p = tau K v - (tau^2 v'Kv / 2) v
  Array<double> p(v_.size());
  symv(k, v_.data(), p.data());
  for (double& value : p) value *= tau_;
  const double half = tau_ * dot(n_, p.data(), v_.data()) / 2;
  for (std::size_t i = 0; i < p.size(); ++i) p[i] -= half * v_[i];
  syr2(-1, v_.data(), p.data(), k);
}

MatrixView Contrast::reduce(MatrixView b) const {
  exchange(b);
  if (active()) reflect(b);
  return rows(b);
}

void Contrast::reduce_right(MatrixView b) const {
  if (!active() || b.rows == 0) return;
  if (pivot_ > 0) std::swap_ranges(b.col(0), b.col(0) + b.rows, b.col(pivot_));
  Array<double> projection(b.rows);
  gemv(Op::none, 1, b, v_.data(), 0, projection.data());
  ger(-tau_, projection.data(), v_.data(), b);
}

void Contrast::expand(MatrixView b) const {
  if (!active()) return;
  for (Index j = 0; j < b.cols; ++j) b(0, j) = 0;
  reflect(b);
  exchange(b);
}

}  // namespace freeridge
