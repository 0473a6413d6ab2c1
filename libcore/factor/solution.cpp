#include "libcore/factor/solution.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/factor/reduced_kernel.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {
constexpr Index rows_at_once = 512;  // tile of x in X'c
constexpr Index sparse_rows = 4096;  // whose entries are taken at once
}  // namespace

void set_free(const Problem& problem, Index column, Span<const double> of_u, Solution& solution) {
  solution.b[column] = problem.unpenalised.effects(of_u, solution.fixed.col(column));
}

void set_hyperplane(const Problem& problem, Index first, ConstMatrixView w_s, Solution& solution) {
  const Array<double>& scale = *problem.linear_scale;
  for (Index j = 0; j < w_s.cols; ++j) {
    const Index column = first + j;
    double along = 0;  // shift'w
    for (Index k = 0; k < problem.d(); ++k) {
      const double w = w_s(k, j) / scale[k];
      solution.w(k, column) = w;
      if (!problem.shift.empty()) along += problem.shift[k] * w;
    }
    const Span<const double> of_y = problem.free_of_column(column);
    Array<double> of_u(of_y.begin(), of_y.end());
    for (Index k = 0; k < problem.q(); ++k) of_u[k] -= dot(problem.d(), problem.x_free.col(k), solution.w.col(column));
    set_free(problem, column, of_u, solution);
    solution.level[column] = solution.b[column];
    solution.b[column] -= along;
  }
}

void take_out(const Problem& problem, Span<const Index> which, ConstMatrixView e, Index first, Solution& solution) {
  if (problem.q() == 0) return;
  const Matrix q1 = problem.q1_of(which);
  Array<double> of_u(problem.q()), effects(solution.fixed.rows());
  for (Index j = 0; j < e.cols; ++j) {
    for (Index k = 0; k < problem.q(); ++k) of_u[k] = dot(e.rows, q1.col(k), e.col(j)) / problem.unpenalised.nu(k);
    const double less = problem.unpenalised.effects(of_u, effects.data());
    solution.b[first + j] -= less;
    if (!solution.level.empty()) solution.level[first + j] -= less;
    for (std::size_t k = 0; k < effects.size(); ++k) solution.fixed(static_cast<Index>(k), first + j) -= effects[k];
  }
}

namespace {

// W^(1/2) c~
Matrix unweighted(const Problem& problem, ConstMatrixView c_tilde) {
  Matrix c = copy_of(c_tilde);
  problem.weight_rows(c.view());
  return c;
}

// The same of sparse rows: every row has |shift_k|, and an entry |x_ik - shift_k| in its place.
Matrix sparse_sizes_of_sums(const Problem& problem, ConstMatrixView c) {
  Matrix size(problem.d(), c.cols, 0.0);
  const auto shift = [&](Index k) { return problem.shift.empty() ? 0 : problem.shift[k]; };
  SparseTile tile;
  for (Index row = 0; row < problem.n(); row += sparse_rows) {
    take_rows(problem.x.sparse(), row, std::min(sparse_rows, problem.n() - row), tile);
    for (Index j = 0; j < c.cols; ++j)
      for (Index i = 0; i < tile.rows(); ++i)
        for (Index p = tile.start[i]; p < tile.start[i + 1]; ++p) {
          const Index k = tile.column[p];
          size(k, j) += (std::abs(tile.value[p] - shift(k)) - std::abs(shift(k))) * std::abs(c(row + i, j));
        }
    worked(touched * static_cast<double>(tile.start.back() * c.cols));
  }
  for (Index j = 0; j < c.cols; ++j) {
    double total = 0;
    for (Index i = 0; i < c.rows; ++i) total += std::abs(c(i, j));
    for (Index k = 0; k < problem.d(); ++k) size(k, j) += std::abs(shift(k)) * total;
  }
  return size;
}

// sum_i |x_ik - shift_k| |c_ij|
Matrix sizes_of_sums(const Problem& problem, ConstMatrixView c) {
  if (problem.x.is_sparse()) return sparse_sizes_of_sums(problem, c);
  Matrix size(problem.d(), c.cols, 0.0), tile(std::min(rows_at_once, problem.n()), problem.d());
  for (Index row = 0; row < problem.n() && c.cols > 0; row += tile.rows()) {
    const MatrixView points = tile.view().row_range(0, std::min(tile.rows(), problem.n() - row));
    pack_rows(problem.x, row, problem.shift, points);
    for (Index j = 0; j < c.cols; ++j)
      for (Index k = 0; k < problem.d(); ++k)
        for (Index i = 0; i < points.rows; ++i) size(k, j) += std::abs(points(i, k) * c(row + i, j));
    worked(touched * static_cast<double>(points.rows * points.cols * c.cols));
  }
  return size;
}

// w_s = ((X - shift) / scale)'c
Matrix hyperplane_of(const Problem& problem, ConstMatrixView c, ConstMatrixView nearly_none) {
  const Index n = problem.n(), d = problem.d();
  Matrix w_s(d, c.cols, 0.0), more(d, nearly_none.cols, 0.0);
  add_transposed(problem.x, 0, problem.shift, c, w_s.view());
  if (nearly_none.cols > 0) {
    add_transposed(problem.x, 0, problem.shift, nearly_none, more.view());
    const Matrix size = sizes_of_sums(problem, nearly_none);
    for (Index j = 0; j < c.cols; ++j)
      for (Index k = 0; k < d; ++k)
        if (std::abs(more(k, j)) > relative_noise(n) * size(k, j)) w_s(k, j) += more(k, j);
  }
  divide_rows(*problem.linear_scale, w_s.view());
  return w_s;
}

}  // namespace

void set_expansion(const Problem& problem, ConstMatrixView k_q1, Index first, ConstMatrixView c_tilde,
                   Solution& solution, ConstMatrixView nearly_none) {
  const Index n = problem.n(), count = c_tilde.cols;
  const Matrix c = unweighted(problem, c_tilde);
  if (problem.linear()) {  // the parts of the centred columns along q1 are zero
    const Matrix w_s = hyperplane_of(problem, c.view(), unweighted(problem, nearly_none).view());
    return set_hyperplane(problem, first, w_s.view(), solution);
  }

  for (Index j = 0; j < count; ++j) {
    std::copy_n(c.col(j), n, solution.c.col(first + j));
    const Span<const double> of_y = problem.free_of_column(first + j);
    Array<double> of_u(of_y.begin(), of_y.end());
    for (Index k = 0; k < problem.q(); ++k) of_u[k] -= dot(n, k_q1.col(k), c_tilde.col(j)) / problem.unpenalised.nu(k);
    set_free(problem, first + j, of_u, solution);
  }
}

namespace {

// prior += k(x*, x*), of each point or of all pairs; of functionals the covariances that they bring.
void add_prior(const Problem& problem, const Points& points, Index first, const Covariances& prior) {
  if (points.functionals != nullptr) {
    const ConstMatrixView of = points.functionals->prior;
    for (Index q = 0; q < prior.whole().cols; ++q)
      for (Index p = 0; p < prior.whole().rows; ++p) prior.whole()(p, q) += of(p, q);
    for (std::size_t q = 0; q < prior.variances().size(); ++q) {
      const Index of_q = first + static_cast<Index>(q);
      prior.variances()[q] += of(of_q, of.cols > 1 ? of_q : 0);
    }
  } else if (prior.is_whole()) {
    Matrix values(prior.count(), prior.count());
    cross_kernel(*problem.kernel, points.x, problem.shift, points.x, first, values.view());
    for (Index q = 0; q < values.cols(); ++q)
      for (Index p = 0; p < values.rows(); ++p) prior.whole()(p, q) += values(p, q);
  } else if (prior.wanted()) {
    Array<double> values(prior.variances().size());
    kernel_diagonal(*problem.kernel, points.x, first, problem.shift, values);
    for (std::size_t q = 0; q < values.size(); ++q) prior.variances()[q] += values[q];
  }
}

}  // namespace

void centred_cross_kernel(const Problem& problem, ConstMatrixView k_q1, const Points& points, Index first,
                          MatrixView out, const Covariances& prior) {
  const Index n = problem.n(), count = out.cols, q = problem.q();
  const Functionals* const of = points.functionals;
  if (of == nullptr || of->of_function()) {
    if (of == nullptr)
      cross_kernel(*problem.kernel, problem.x, problem.shift, points.x, first, out);
    else
      copy(of->kappa.columns(first, count), out);
    add_prior(problem, points, first, prior);
    problem.weight_rows(out);
  } else {
    for (Index p = 0; p < count; ++p) std::fill_n(out.col(p), n, 0.0);
  }
  if (q == 0) return;
  Matrix g(q, count);
  problem.directions(points, first, g.view());
  if (prior.wanted()) {
    Matrix constant(q, q), along(q, count);
    gemm(Op::transpose, Op::none, 1, problem.q1().view(), k_q1, 0, constant.view());
    gemm(Op::transpose, Op::none, -2, problem.q1().view(), out, 0, along.view());
    gemm(Op::none, Op::none, 1, constant.view(), g.view(), 1, along.view());
    prior.add(1, g.view(), along.view());
  }
  gemm(Op::none, Op::none, -1, k_q1, g.view(), 1, out);
}

}  // namespace freeridge
