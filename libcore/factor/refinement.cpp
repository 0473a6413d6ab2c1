#include "libcore/factor/refinement.hpp"

#include <algorithm>

#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/refine.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index tile_rows = 256, tile_points = 256;

// r = Y - K c
void subtract_expansion(const Problem& problem, const LayoutView& y, const TwofoldMatrix& c, TwofoldMatrix& r) {
  const Index n = problem.n();
  const Array<Index> rows = consecutive(0, n);
  copy_rows(y, 0, r.hi.view());
  std::fill(r.lo.values().begin(), r.lo.values().end(), 0.0);
  Stage stage(0, 0);
  for (Index col = 0; col < n; col += tile_points) {
    const Index cols = std::min(tile_points, n - col);
    stage.next(fraction(col + cols, n));
    const Support support(problem.kernel, problem.x, Span(rows).subspan(col, cols));
    parallel_for(pieces(n, tile_rows), [&](Index piece) {
      const Index row = piece * tile_rows, count = std::min(tile_rows, n - row);
      Matrix k(count, cols);
      support.evaluate(problem.x, row, k.view());
      for (Index j = 0; j < c.cols(); ++j)
        for (Index q = 0; q < cols; ++q)
          subtract_multiple(count, k.col(q), c(col + q, j), r.hi.col(j) + row, r.lo.col(j) + row);
    });
  }
  for (Index j = 0; j < c.cols(); ++j) twofold_normalize(n, r.hi.col(j), r.lo.col(j));
}

// The columns of U with their weights.
class WeightedColumns {
 public:
  WeightedColumns(const Problem& problem, const Matrix& u) : problem_(problem), u_(u) {
    for (Index k = 0; k < u.cols(); ++k) {
      DoubleDouble sum;
      for (Index i = 0; i < u.rows(); ++i) sum += product(u(i, k), i, k);
      norm2_.push_back(sum);
    }
  }

  // Takes what they explain out of column j of r, twice, as U is orthogonal to working precision alone. sum: the q
  // coefficients.
  void take_out(TwofoldMatrix& r, Index j, Span<DoubleDouble> sum) const {
    std::ranges::fill(sum, DoubleDouble());
    for (int pass = 0; pass < (u_.cols() > 1 ? 2 : 1); ++pass)
      for (Index k = 0; k < u_.cols(); ++k) {
        DoubleDouble along;
        for (Index i = 0; i < u_.rows(); ++i) along += product(r(i, j), i, k);
        along = along / norm2_[k];
        for (Index i = 0; i < u_.rows(); ++i) r.set(i, j, r(i, j) - along * DoubleDouble(u_(i, k)));
        sum[k] += along;
        worked(20 * touched * static_cast<double>(u_.rows()));
      }
  }

 private:
  // w_i U_ik value
  DoubleDouble product(DoubleDouble value, Index i, Index k) const {
    const double w = problem_.weights.empty() ? 1 : problem_.weights[i];
    return value * DoubleDouble(u_(i, k)) * DoubleDouble(w);
  }

  const Problem& problem_;
  const Matrix& u_;
  Array<DoubleDouble> norm2_;
};

}  // namespace

void refine_hyperplane(const Problem& problem, const std::function<void(MatrixView)>& solve, double lambda, Index first,
                       Index count, Index steps, Solution& solution) {
  if (problem.x.is_sparse())
    fail(Status::invalid_state, "a hyperplane of sparse rows is not refined; give x as an ordinary matrix");
  if (problem.fixed.cols > 0)
    fail(Status::invalid_state, "a hyperplane beside fixed effects is not refined; set no refinement");
  const Array<double>& scale = *problem.linear_scale;
  Array<double> penalty;
  if (lambda > 0)
    for (const double s : scale) penalty.push_back(lambda * s * s);
  const LeastSquaresData data{.x = problem.x.dense(),
                              .y = problem.y.columns(first, count),
                              .weights = problem.weights,
                              .intercept = problem.intercept,
                              .penalty = penalty};
  LeastSquaresSolution refined(problem.d(), count);
  for (Index j = 0; j < count; ++j) std::copy_n(solution.w.col(first + j), problem.d(), refined.w.hi.col(j));
  refine(
      data,
      [&](MatrixView g) {
        divide_rows(scale, g);
        solve(g);
        divide_rows(scale, g);
      },
      steps, refined);
  for (Index j = 0; j < count; ++j) {
    std::copy_n(refined.w.hi.col(j), problem.d(), solution.w.col(first + j));
    solution.b[first + j] = static_cast<double>(refined.b[j]);
    DoubleDouble level = refined.b[j];
    for (std::size_t k = 0; k < problem.shift.size(); ++k)
      level += DoubleDouble(problem.shift[k]) * refined.w(static_cast<Index>(k), j);
    solution.level[first + j] = static_cast<double>(level);
  }
}

void refine_expansion(const Problem& problem, const std::function<void(MatrixView)>& solve, double lambda, Index first,
                      Index count, Index steps, Solution& solution) {
  const Index n = problem.n();
  const auto weight = [&](Index i) { return problem.weights.empty() ? 1 : problem.weights[i]; };
  const LayoutView y = problem.y.columns(first, count);
  const Index q = problem.q();
  Matrix u(n, q);
  for (Index k = 0; k < q; ++k)
    for (Index i = 0; i < n; ++i) u(i, k) = problem.free_function(i, k);
  const WeightedColumns columns(problem, u);
  Array<DoubleDouble> of_u(count * q);
  TwofoldMatrix c(n, count);
  for (Index j = 0; j < count; ++j) std::copy_n(solution.c.col(first + j), n, c.hi.col(j));

  const auto residual = [&](const TwofoldMatrix& now, TwofoldMatrix& r) {
    subtract_expansion(problem, y, now, r);
    for (Index j = 0; j < count; ++j) {
      columns.take_out(r, j, Span(of_u).subspan(j * q, q));
      for (Index i = 0; i < n; ++i) r.set(i, j, r(i, j) - DoubleDouble(lambda) * now(i, j) / DoubleDouble(weight(i)));
    }
  };
  refine_system(
      residual,
      [&](MatrixView v) {
        problem.weight_rows(v);
        solve(v);
        problem.weight_rows(v);
      },
      steps, c);
  TwofoldMatrix last(n, count);
  residual(c, last);  // the coefficients of U for the c that is kept
  for (Index j = 0; j < count; ++j) {
    std::copy_n(c.hi.col(j), n, solution.c.col(first + j));
    Array<double> rounded;
    for (Index k = 0; k < q; ++k) rounded.push_back(static_cast<double>(of_u[j * q + k]));
    set_free(problem, first + j, rounded, solution);
  }
}

}  // namespace freeridge
