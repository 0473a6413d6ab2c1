#include "libcore/factor/solution.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/factor/reduced_kernel.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {
constexpr Index rows_at_once = 512;  // tile of x in X'c
constexpr Index sparse_rows = 4096;  // whose entries are in hand
}  // namespace

void set_hyperplane(const Problem& problem, Index first, ConstMatrixView w_s, Solution& solution) {
  const Array<double>& scale = *problem.linear_scale;
  for (Index j = 0; j < w_s.cols; ++j) {
    double b = problem.mean_of_column(first + j), level = b;
    for (Index k = 0; k < problem.d(); ++k) {
      const double w = w_s(k, j) / scale[k];
      solution.w(k, first + j) = w;
      if (problem.shift.empty()) continue;
      b -= problem.shift[k] * w + problem.shift_rest[k] * w;
      level -= problem.shift_rest[k] * w;
    }
    solution.b[first + j] = b;
    solution.level[first + j] = level;
  }
}

namespace {

// W^(1/2) c~
Matrix unweighted(const Problem& problem, ConstMatrixView c_tilde) {
  Matrix c(c_tilde.rows, c_tilde.cols);
  for (Index j = 0; j < c.cols(); ++j)
    for (Index i = 0; i < c.rows(); ++i) c(i, j) = problem.sqrt_w[i] * c_tilde(i, j);
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
  for (Index j = 0; j < c.cols; ++j)
    for (Index k = 0; k < d; ++k) w_s(k, j) /= (*problem.linear_scale)[k];
  return w_s;
}

}  // namespace

void set_expansion(const Problem& problem, Span<const double> k_q1, Index first, ConstMatrixView c_tilde,
                   Solution& solution, ConstMatrixView nearly_none) {
  const Index n = problem.n(), count = c_tilde.cols;
  const Matrix c = unweighted(problem, c_tilde);
  if (problem.linear()) {  // the mean of the centred columns is zero, so b = ybar - shift'w
    const Matrix w_s = hyperplane_of(problem, c.view(), unweighted(problem, nearly_none).view());
    return set_hyperplane(problem, first, w_s.view(), solution);
  }

  for (Index j = 0; j < count; ++j) {
    std::copy_n(c.col(j), n, solution.c.col(first + j));
    const double mean = problem.mean_of_column(first + j);
    solution.b[first + j] = k_q1.empty() ? mean : mean - dot(n, k_q1.data(), c_tilde.col(j)) / std::sqrt(problem.sum_w);
  }
}

void centred_cross_kernel(const Problem& problem, Span<const double> k_q1, const Rows& points, Index first,
                          MatrixView out, Span<double> prior) {
  const Index n = problem.n(), count = out.cols;
  cross_kernel(*problem.kernel, problem.x, problem.shift, points, first, out);
  if (!prior.empty()) kernel_diagonal(*problem.kernel, points, first, problem.shift, prior);
  for (Index q = 0; q < count; ++q)
    for (Index i = 0; i < n; ++i) out(i, q) *= problem.sqrt_w[i];
  if (k_q1.empty()) return;
  const double root = std::sqrt(problem.sum_w);
  const double constant = dot(n, k_q1.data(), problem.q1.data()) / problem.sum_w;
  for (Index q = 0; q < count; ++q) {
    if (!prior.empty()) prior[q] += constant - 2 * dot(n, problem.q1.data(), out.col(q)) / root;
    for (Index i = 0; i < n; ++i) out(i, q) -= k_q1[i] / root;
  }
}

}  // namespace freeridge
