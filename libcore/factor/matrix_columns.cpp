#include "libcore/factor/matrix_columns.hpp"

#include <algorithm>

namespace freeridge {
namespace {

void set_identity(Index first, MatrixView a) {
  for (Index q = 0; q < a.cols; ++q) {
    std::fill_n(a.col(q), a.rows, 0.0);
    a(first + q, q) = 1;
  }
}

void hat_by_smoother(const ResidualMaker& maker, const Problem& problem, Index first, MatrixView hat) {
  maker.smoother(problem.own_points(), first, hat, {});
  for (Index q = 0; q < hat.cols; ++q)
    for (Index i = 0; i < hat.rows; ++i) hat(i, q) *= problem.sqrt_w[first + q] / problem.sqrt_w[i];
}

}  // namespace

void remainder_over(double divisor, Index first, MatrixView a) {
  for (Index q = 0; q < a.cols; ++q)
    for (Index i = 0; i < a.rows; ++i) a(i, q) = ((i == first + q ? 1 : 0) - a(i, q)) / divisor;
}

void columns_by_product(const ResidualMaker& maker, const Problem& problem, double lambda, bool faint, Index first,
                        MatrixView hat, MatrixView inverse, const std::function<void(MatrixView v)>& apply) {
  const MatrixView p = inverse.cols > 0 ? inverse : hat;
  if (inverse.cols > 0 || !faint) {
    set_identity(first, p);
    apply(p);
  }
  if (hat.cols == 0) return;
  if (faint) return hat_by_smoother(maker, problem, first, hat);
  if (inverse.cols > 0) copy(inverse, hat);
  for (Index q = 0; q < hat.cols; ++q)
    for (Index i = 0; i < hat.rows; ++i) hat(i, q) = (i == first + q ? 1 : 0) - lambda * hat(i, q);
}

}  // namespace freeridge
