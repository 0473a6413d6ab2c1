#include "libcore/factor/left_out_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lower_triangle.hpp"

namespace freeridge {
namespace {

constexpr double well_conditioned = 1e-3;  // reciprocal condition from which a product with the inverse has all digits
constexpr Index columns_at_once = 1024;

}  // namespace

LeftOutFactor::LeftOutFactor(MatrixView p, Span<const double> noise) : l_(p), root_(p.rows) {
  const Index s = p.rows;
  // An error E of P with |E_ij| <= (noise_i noise_j)^1/2 moves the eigenvalues of D^-1/2 P D^-1/2 by sum noise_i /
  // P_ii.
  double limit = static_cast<double>(s) * std::numeric_limits<double>::epsilon();
  for (Index i = 0; i < s; ++i) {
    if (!(p(i, i) > 0)) return;
    if (!noise.empty()) limit += noise[i] / p(i, i);
    root_[i] = std::sqrt(p(i, i));
  }
  for (Index j = 0; j < s; ++j) {
    for (Index i = j; i < s; ++i) p(i, j) /= root_[i] * root_[j];
    worked(touched * static_cast<double>(s - j));
  }
  const double norm = symmetric_norm1(p);
  if (!potrf(p)) return;
  condition_ = reciprocal_condition(p, norm);
  regular_ = condition_ > limit;
  error_ = regular_ ? limit / condition_ : 1;
}

void LeftOutFactor::half_solve(MatrixView v) const {
  divide_rows(root_, v);
  trsm(Op::none, l_, v);
}

void LeftOutFactor::other_half_solve(MatrixView v) const {
  trsm(Op::transpose, l_, v);
  divide_rows(root_, v);
}

void LeftOutFactor::half_solve_rows(MatrixView v) const {
  for (Index j = 0; j < v.cols; ++j)
    for (Index i = 0; i < v.rows; ++i) v(i, j) /= root_[j];
  trsm_right(Op::transpose, l_, v);
}

void LeftOutFactor::solve(MatrixView v) const {
  half_solve(v);
  other_half_solve(v);
}

// Of many columns by the inverse, which is one product where two triangular systems are two slower ones.
void LeftOutFactor::solve_last(MatrixView v) {
  if (v.cols < 2 * v.rows || !(condition_ > well_conditioned)) return solve(v);
  potri(l_);
  mirror_lower(l_);
  Matrix part(v.rows, std::min(columns_at_once, v.cols));
  for (Index first = 0; first < v.cols; first += part.cols()) {
    const MatrixView out = v.columns(first, std::min(part.cols(), v.cols - first)),
                     right = part.view().columns(0, out.cols);
    copy(out, right);
    divide_rows(root_, right);
    gemm(Op::none, Op::none, 1, l_, right, 0, out);
    divide_rows(root_, out);
  }
}

double LeftOutFactor::log_determinant() const {
  double sum = 0;
  for (Index k = 0; k < l_.rows; ++k) sum += 2 * (std::log(l_(k, k)) + std::log(root_[k]));
  return sum;
}

bool solve_left_out(MatrixView p, MatrixView v, Span<const double> noise) {
  LeftOutFactor factor(p, noise);
  if (factor.regular()) factor.solve_last(v);
  return factor.regular();
}

}  // namespace freeridge
