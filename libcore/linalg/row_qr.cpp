#include "libcore/linalg/row_qr.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

constexpr Index block_rows = 512;  // 512 rows of a panel and of the columns it meets stay in the L2 cache
constexpr Index panel_columns = 64;
constexpr Index narrow = 8;  // columns factorized one by one, their 8 x 512 numbers in the L1 cache

// Two numbers to an operation, four operations in flight: a sum in one variable would wait for each addition, and the
// compiler may not reorder it.
using Pair = double __attribute__((vector_size(16)));
constexpr Index step = 8;

Pair load(const double* from) {
  Pair out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

double total(const std::array<Pair, 4>& sum) {
  const Pair all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  return all[0] + all[1];
}

// a'b
double product(Index n, const double* a, const double* b) {
  std::array<Pair, 4> sum{};
  Index i = 0;
  for (; i + step <= n; i += step)
    for (Index k = 0; k < 4; ++k) sum[static_cast<std::size_t>(k)] += load(a + i + 2 * k) * load(b + i + 2 * k);
  double out = total(sum);
  for (; i < n; ++i) out += a[i] * b[i];
  return out;
}

// b -= f v, answers with a'b; a = nullptr: with b'b
double subtract_and_multiply(Index n, double f, const double* v, const double* a, double* b) {
  std::array<Pair, 4> sum{};
  const Pair factor = {f, f};
  Index i = 0;
  for (; i + step <= n; i += step)
    for (Index k = 0; k < 4; ++k) {
      const Pair value = load(b + i + 2 * k) - factor * load(v + i + 2 * k);
      std::memcpy(b + i + 2 * k, &value, sizeof value);
      sum[static_cast<std::size_t>(k)] += value * (a == nullptr ? value : load(a + i + 2 * k));
    }
  double out = total(sum);
  for (; i < n; ++i) {
    b[i] -= f * v[i];
    out += b[i] * (a == nullptr ? b[i] : a[i]);
  }
  return out;
}

// A sum of squares between these has neither overflowed nor lost terms that matter to underflow.
constexpr double small_square = 0x1p-900, large_square = 0x1p900;

}  // namespace

RowQr::RowQr(Index p) : r_(p, p, 0.0), t_(std::min(p, panel_columns), std::min(p, panel_columns), 0.0) {}

void RowQr::add(ConstMatrixView rows) {
  const Index step_rows = std::min(block_rows, rows.rows);
  if (block_.rows() < step_rows) block_ = Matrix(step_rows, p());
  for (Index row = 0; row < rows.rows; row += step_rows) {
    const MatrixView part = block_.view().row_range(0, std::min(step_rows, rows.rows - row));
    for (Index j = 0; j < p(); ++j) std::copy_n(rows.col(j) + row, part.rows, part.col(j));
    absorb_block(part);
  }
}

void RowQr::absorb(MatrixView rows) {
  for (Index row = 0; row < rows.rows; row += block_rows)
    absorb_block(rows.row_range(row, std::min(block_rows, rows.rows - row)));
}

void RowQr::absorb_block(MatrixView block) {
  if (w_.cols() == 0) w_ = Matrix(t_.rows(), p());
  for (Index first = 0; first < p(); first += panel_columns) {
    const Index count = std::min(panel_columns, p() - first);
    factorize(block, first, first, count);
    apply(block, first, first, count, first + count, p() - first - count);
  }
}

void RowQr::factorize(MatrixView block, Index panel, Index first, Index count) {
  if (count <= narrow) return factorize_narrow(block, panel, first, count);
  const Index left = (count / 2 + narrow - 1) / narrow * narrow, right = count - left;
  factorize(block, panel, first, left);
  apply(block, panel, first, left, first + left, right);
  factorize(block, panel, first + left, right);
  gemm(Op::transpose, Op::none, 1, block.columns(first + left, right), block.columns(first, left), 0,
       t_.view().block(first + left - panel, first - panel, right, left));
}

void RowQr::apply(MatrixView block, Index panel, Index first, Index count, Index to, Index columns) {
  if (columns == 0) return;
  const MatrixView v = block.columns(first, count), target = block.columns(to, columns);
  const MatrixView r = r_.view().block(first, to, count, columns), w = w_.view().block(0, 0, count, columns);
  for (Index j = 0; j < columns; ++j) std::copy_n(r.col(j), count, w.col(j));
  gemm(Op::transpose, Op::none, 1, v, target, 1, w);
  trsm(Op::none, t_.view().block(first - panel, first - panel, count, count), w);
  for (Index j = 0; j < columns; ++j)
    for (Index k = 0; k < count; ++k) r(k, j) -= w(k, j);
  gemm(Op::none, Op::none, -1, v, w, 1, target);
}

// Column j of [R; block] has alpha = R_jj above b = block_j. With beta = -sign(alpha) |(alpha, b)|, u = b / scale:
//     v = (1, b / (alpha - beta)),   tau = (beta - alpha) / beta,   R_jj = beta,
//     f_l = tau (R_jl + v'block_l),  R_jl -= f_l,  block_l -= f_l v         for the columns l > j
// block_l is met once for each j: it is updated, and multiplied with the next pivot column. Where squares could over-
// or underflow v is formed first.
void RowQr::factorize_narrow(MatrixView block, Index panel, Index first, Index count) {
  const Index m = block.rows;
  std::array<double, narrow> dots{};  // block_j'block_l for l >= j
  std::array<double, narrow> inverse_tau{}, scale{};
  for (Index l = 0; l < count; ++l)
    dots[static_cast<std::size_t>(l)] = product(m, block.col(first), block.col(first + l));
  for (Index j = 0; j < count; ++j) {
    const auto at = static_cast<std::size_t>(j);
    double* const b = block.col(first + j);
    double& alpha = r_(first + j, first + j);
    double norm = std::sqrt(dots[at]);
    const bool safe = dots[at] > small_square && dots[at] < large_square;
    if (!safe) norm = norm2(m, b);
    double beta = -std::copysign(std::hypot(alpha, norm), alpha), tau = 2, factor = 1;
    if (norm == 0) {  // a reflection that turns the sign of row j of R: never tau = 0, so that T^-1 exists
      beta = -alpha;
      for (Index l = j; l < count; ++l) dots[static_cast<std::size_t>(l)] = 0;
    } else {
      tau = (beta - alpha) / beta;
      if (safe) {
        factor = 1 / (alpha - beta);
      } else {
        for (Index i = 0; i < m; ++i) b[i] /= alpha - beta;
        for (Index l = j + 1; l < count; ++l) dots[static_cast<std::size_t>(l)] = product(m, b, block.col(first + l));
      }
    }
    alpha = beta;
    inverse_tau[at] = 1 / tau;
    scale[at] = factor;
    for (Index l = j + 1; l < count; ++l) {
      double& r = r_(first + j, first + l);
      double& dot_l = dots[static_cast<std::size_t>(l)];
      const double f = tau * (r + factor * dot_l);
      r -= f;
      const double* const next = l == j + 1 ? nullptr : block.col(first + j + 1);
      dot_l = subtract_and_multiply(m, f * factor, b, next, block.col(first + l));
    }
  }
  for (Index j = 0; j < count; ++j) {
    double* const b = block.col(first + j);
    const double factor = scale[static_cast<std::size_t>(j)];
    for (Index i = 0; i < m; ++i) b[i] *= factor;
  }
  const MatrixView t = t_.view().block(first - panel, first - panel, count, count);
  syrk(Op::transpose, 1, block.columns(first, count), 0, t);
  for (Index j = 0; j < count; ++j) t(j, j) = inverse_tau[static_cast<std::size_t>(j)];
}

}  // namespace freeridge
