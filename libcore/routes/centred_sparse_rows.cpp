#include "libcore/routes/centred_sparse_rows.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/rows/entry_loops.hpp"

namespace freeridge {
namespace {

constexpr Index lines_of_a_run = 2048;

// The same numbers, stored by rows. A matrix that is stored by columns is its transpose stored by rows.
SparseView turned_to_rows(const SparseView& x, SparseMatrix& room) {
  const SparseView transposed{SparseFormat::csr, x.cols, x.rows, x.start, x.index, x.value};
  const SparseView out = by_columns(transposed, room);
  return {SparseFormat::csr, x.rows, x.cols, out.start, out.index, out.value};
}

double dot_of_few(Index count, const double* a, const double* b) {
  double sum = 0;
  for (Index k = 0; k < count; ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

CentredSparseRows::CentredSparseRows(const Problem& problem) : problem_(problem) {
  const SparseView& x = problem.x.sparse();
  const bool is_by_rows = x.format == SparseFormat::csr;
  by_rows_ = is_by_rows ? x : turned_to_rows(x, turned_);
  by_columns_ = is_by_rows ? by_columns(x, turned_) : x;
  const Index q = problem.q();
  u_ = Matrix(q, n());
  b_ = Matrix(q, d());
  for (Index i = 0; i < n(); ++i)
    for (Index k = 0; k < q; ++k) u_(k, i) = problem.q1()(i, k) * problem.unpenalised.nu(k);
  for (Index j = 0; j < d(); ++j)
    for (Index k = 0; k < q; ++k) {
      const double part = k == 0 && problem.intercept ? problem.shift[j] : problem.x_free(j, k);
      b_(k, j) = part / (*problem.linear_scale)[j];
    }
  worked(touched * static_cast<double>((n() + d()) * q));
  set_squares();
}

void CentredSparseRows::each_run(Index lines, Index columns, const Lines& f) const {
  const Index runs = pieces(lines, lines_of_a_run);
  const double work = static_cast<double>(by_rows_.entries() + lines) * static_cast<double>(columns);
  parallel_for(
      runs, [&](Index run) { f(run * lines_of_a_run, std::min(lines, (run + 1) * lines_of_a_run)); }, work);
}

// D_j = sum_i x~_ij^2. Entries of x are summed one by one. A zero of x has x~_ij = -U_i B_j': the sum of (U_i B_j')^2
// over the zeros is the sum over all rows, which is sum_k (nu_k B_jk)^2, less the sum over the entries.
void CentredSparseRows::set_squares() {
  squares_.assign(d(), 0.0);
  const Index q = problem_.q();
  each_run(d(), 1, [&](Index first, Index last) {
    for (Index j = first; j < last; ++j) {
      double all = 0, of_entries = 0, sum = 0;
      for (Index k = 0; k < q; ++k) all += std::pow(problem_.unpenalised.nu(k) * b_(k, j), 2);
      for (Index p = by_columns_.start[j]; p < by_columns_.start[j + 1]; ++p) {
        const Index i = by_columns_.index[p];
        const double part = dot_of_few(q, u_.col(i), b_.col(j));
        const double value = problem_.sqrt_w[i] * (by_columns_.value[p] / (*problem_.linear_scale)[j]) - part;
        sum += value * value;
        of_entries += part * part;
      }
      squares_[j] = sum + std::max(all - of_entries, 0.0);
    }
  });
  for (Index j = 0; j < d(); ++j)
    if (!std::isfinite(squares_[j])) fail(Status::not_finite, "the squares of column ", j, " of x overflow; rescale x");
}

Matrix CentredSparseRows::scaled(ConstMatrixView w) const {
  Matrix out(w.cols, w.rows);
  transpose(w, out.view());
  for (Index j = 0; j < w.rows; ++j) {
    const double scale = (*problem_.linear_scale)[j];
    if (scale == 1) continue;
    for (Index k = 0; k < w.cols; ++k) out(k, j) /= scale;
  }
  return out;
}

void CentredSparseRows::multiply(ConstMatrixView w, MatrixView out) const {
  const EntryLoops loops = entry_loops().front();
  const Index q = problem_.q(), columns = w.cols;
  const Matrix from = scaled(w);
  Matrix along(q, columns);
  if (q > 0) gemm(Op::none, Op::none, 1, b_.view(), w, 0, along.view());
  each_run(n(), columns, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Index start = by_rows_.start[i];
      loops.combine(by_rows_.start[i + 1] - start, by_rows_.index + start, by_rows_.value + start, from.data(), columns,
                    columns, out.data + i, out.ld);
      for (Index k = 0; k < columns; ++k)
        out(i, k) = problem_.sqrt_w[i] * out(i, k) - dot_of_few(q, u_.col(i), along.col(k));
    }
  });
}

void CentredSparseRows::gather_columns(const Matrix& weighted, ConstMatrixView along, MatrixView out) const {
  const EntryLoops loops = entry_loops().front();
  const Index q = problem_.q(), columns = out.cols;
  each_run(d(), columns, [&](Index first, Index last) {
    for (Index j = first; j < last; ++j) {
      const Index start = by_columns_.start[j];
      const double scale = (*problem_.linear_scale)[j];
      loops.combine(by_columns_.start[j + 1] - start, by_columns_.index + start, by_columns_.value + start,
                    weighted.data(), columns, columns, out.data + j, out.ld);
      for (Index k = 0; k < columns; ++k) out(j, k) = out(j, k) / scale - dot_of_few(q, b_.col(j), along.col(k));
    }
  });
}

void CentredSparseRows::transpose_multiply(ConstMatrixView c, MatrixView out) const {
  const Index q = problem_.q();
  Matrix weighted(c.cols, c.rows), along(q, c.cols);
  transpose(c, weighted.view());
  for (Index i = 0; i < c.rows; ++i)
    for (Index k = 0; k < c.cols; ++k) weighted(k, i) *= problem_.sqrt_w[i];
  worked(touched * static_cast<double>(c.rows * c.cols));
  if (q > 0) gemm(Op::none, Op::none, 1, u_.view(), c, 0, along.view());
  gather_columns(weighted, along.view(), out);
}

void CentredSparseRows::normal_multiply(ConstMatrixView w, MatrixView out) const {
  const EntryLoops loops = entry_loops().front();
  const Index q = problem_.q(), columns = w.cols;
  const Matrix from = scaled(w);
  Matrix along(q, columns), weighted(columns, n());
  if (q > 0) gemm(Op::none, Op::none, 1, b_.view(), w, 0, along.view());
  each_run(n(), columns, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Index start = by_rows_.start[i];
      double* const to = weighted.col(i);
      const double root = problem_.sqrt_w[i];
      loops.combine(by_rows_.start[i + 1] - start, by_rows_.index + start, by_rows_.value + start, from.data(), columns,
                    columns, to, 1);
      for (Index k = 0; k < columns; ++k) to[k] = root * to[k] - dot_of_few(q, u_.col(i), along.col(k));
    }
  });
  // U'c, then W^(1/2) c
  if (q > 0) gemm(Op::none, Op::transpose, 1, u_.view(), weighted.view(), 0, along.view());
  for (Index i = 0; i < n(); ++i) {
    const double root = problem_.sqrt_w[i];
    for (Index k = 0; k < columns && root != 1; ++k) weighted(k, i) *= root;
  }
  gather_columns(weighted, along.view(), out);
}

CentredSparseRows::Bounds CentredSparseRows::bounds(double lambda) const {
  const Index q = problem_.q();
  // sum_j B_j B_j' over D_j + lambda, and over 1
  Matrix weighed(q, d()), of_guess(q, q), of_norm(q, q);
  for (Index j = 0; j < d(); ++j)
    for (Index k = 0; k < q; ++k) weighed(k, j) = b_(k, j) / (squares_[j] + lambda);
  if (q > 0) {
    gemm(Op::none, Op::transpose, 1, weighed.view(), b_.view(), 0, of_guess.view());
    gemm(Op::none, Op::transpose, 1, b_.view(), b_.view(), 0, of_norm.view());
  }
  const auto quadratic = [&](const Matrix& a, const double* u) {
    double sum = 0;
    for (Index k = 0; k < q; ++k) sum += u[k] * dot_of_few(q, a.col(k), u);
    return sum;
  };
  Bounds out{Array<double>(n()), Array<double>(n()), Array<double>(n())};
  each_run(n(), 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const double* const u = u_.col(i);
      const double g = std::max(1 - problem_.free_leverage(i), 0.0);
      double k = quadratic(of_guess, u), norm = quadratic(of_norm, u), most = 0;
      for (Index p = by_rows_.start[i]; p < by_rows_.start[i + 1]; ++p) {
        const Index j = by_rows_.index[p];
        const double part = dot_of_few(q, u, b_.col(j)), of_zero = part * part;
        const double value = problem_.sqrt_w[i] * (by_rows_.value[p] / (*problem_.linear_scale)[j]) - part;
        const double square = value * value, others = g > 0 ? std::max(squares_[j] - square / g, 0.0) : 0;
        k += square / (others + lambda) - of_zero / (squares_[j] + lambda);
        norm += square - of_zero;
        most = std::max(most, square / (squares_[j] + lambda));
      }
      out.guess[i] = g > 0 ? g * (g / (g + std::max(k, 0.0))) : 0;
      out.low[i] = g > 0 ? g * (g / (g + std::max(norm, 0.0) / lambda)) : 0;
      out.high[i] = std::max(g - most, out.low[i]);
      out.guess[i] = std::clamp(out.guess[i], out.low[i], out.high[i]);
    }
  });
  return out;
}

}  // namespace freeridge
