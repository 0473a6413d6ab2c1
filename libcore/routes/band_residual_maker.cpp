#include "libcore/routes/band_residual_maker.hpp"

#include <algorithm>

#include "libcore/factor/left_out_rows.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {
constexpr Index packed_columns = 64;  // a multiple of BandKernels::pad
constexpr double number_read = 6;     // ns, out of order, and put where the memory is new
}  // namespace

// Z Q full factor / divisor. P~Y~ has the factor s and the divisor 1, c~ = P Y~ the factor 1 and the divisor `unit`:
// the quotient 1 / unit itself may be out of range.
void BandResidualMaker::expanded(Index first, double factor, double divisor, MatrixView out) const {
  const MatrixView inner = band_.contrast().rows(out);
  for (Index j = 0; j < out.cols; ++j)
    for (Index k = 0; k < inner.rows; ++k) inner(k, j) = f_.full(k, first + j) * factor / divisor;
  band_.expand(out);
}

void BandResidualMaker::residual(Index first, MatrixView out) const {
  expanded(first, f_.s, 1, out);
}

void BandResidualMaker::residual_and_diagonal(Index first, MatrixView out, Span<double> diagonal_out) const {
  diagonal(diagonal_out);  // first: it forms Q, and the residual is the same to the last bit whenever it is asked for
  residual(first, out);
}

double BandResidualMaker::trace() const {
  return f_.s * f_.inverse_trace();
}

void BandResidualMaker::leverage(Span<double> out) const {
  if (!is_faint()) {
    diagonal(out);
    for (double& value : out) value = 1 - shrinkage() * value;
    return;
  }
  faint_leverage(out);
}

double BandResidualMaker::degrees_of_freedom() const {
  const Problem& problem = band_.problem();
  if (!is_faint()) return static_cast<double>(problem.n()) - shrinkage() * trace();
  return f_.fitted_trace(band_.b()) + static_cast<double>(problem.q());
}

double BandResidualMaker::squared_norm(Index output) const {
  return f_.s * dot(f_.full.rows(), f_.full.col(output), f_.full.col(output)) * f_.s;
}

double BandResidualMaker::function_norm2(Index output) const {
  return band_quadratic_form(band_.b(), f_.full.col(output)) / f_.unit / f_.unit;
}

void BandResidualMaker::coefficients(Index first, MatrixView out) const {
  expanded(first, 1, f_.unit, out);
}

void BandResidualMaker::each_squared_norm(double factor, Span<double> out) const {
  band_.require_basis();
  const Index n = band_.problem().n(), height = band_.tile_rows();
  const Array<double> rows_of[1] = {f_.l.row_coefficients()};
  parallel_for(
      pieces(n, height),
      [&](Index tile) {
        const Index row = tile * height, rows = std::min(height, n - row);
        const MatrixView part{out.data() + row, rows, 1, rows};
        band_.squared_norms(row, rows_of, part);
        for (Index i = 0; i < rows; ++i) part(i, 0) *= factor;
      },
      2.0 * static_cast<double>(n * f_.l.size() * band_.bandwidth()));
}

void BandResidualMaker::faint_leverage(Span<double> out) const {
  band_.require_basis();
  const Index n = band_.problem().n(), m = f_.l.size(), b = band_.bandwidth();
  const Array<double> rows_of = f_.l.row_coefficients();
  const double lambda = lambda_ / f_.unit;
  parallel_for(pieces(n, strip), [&](Index piece) {
    const Index row = piece * strip, rows = std::min(strip, n - row);
    const Index size = band_.strip_doubles();
    Array<double> q(size), bq(size, 0.0), last(b * strip, 0.0);
    Matrix room(strip, BandKernels::room_columns(b));
    double own[strip] = {}, sums[strip] = {};  // q_i'B q_i, |L^-1 B q_i|^2
    band_.pack(consecutive(row, rows), 0, m, q.data(), band_.strip_doubles());
    const auto add = [&](Index to, Index from, double value) {
      for (Index i = 0; i < strip; ++i) bq[to * strip + i] += value * q[from * strip + i];
    };
    for (Index j = 0; j < m; ++j) {
      add(j, j, band_.b().values(0, j) / f_.unit);
      for (Index d = 1; d <= b && j + d < m; ++d) {
        add(j + d, j, band_.b().values(d, j) / f_.unit);
        add(j, j + d, band_.b().values(d, j) / f_.unit);
      }
    }
    for (Index k = 0; k < size; ++k) own[k % strip] += q[k] * bq[k];
    band_.kernels().squared_norms(BandKernels::padded(m), b, bq.data(), rows_of.data(), last.data(), room.data(), sums);
    for (Index i = 0; i < rows; ++i) {
      const Index at = row + i;
      out[at] = (own[i] - sums[i]) / lambda + band_.problem().free_leverage(at);
    }
  });
}

// ---- rows ----

BandRows::BandRows(const Band& factor, Span<const Index> which)
    : band_(factor), count_(static_cast<Index>(which.size())) {
  band_.require_basis();
  const Index m = factor.contrast().m(), apart = band_.strip_doubles();
  rows_ = Matrix(apart, pieces(count_, strip));
  // The outer loop is over blocks of columns of Q: a block is read from top to bottom, and each strip takes its rows
  // from it.
  parallel_for(
      pieces(m, packed_columns),
      [&](Index block) {
        const Index col = block * packed_columns, cols = std::min(packed_columns, m - col);
        band_.pack(which, col, cols, rows_.data() + col * strip, apart);
      },
      number_read * static_cast<double>(count_ * m));
}

bool BandRows::left_out(const ResidualMaker& of_factor, Index first, MatrixView out) const {
  const auto& residual_maker = static_cast<const BandResidualMaker&>(of_factor);
  const Index m = residual_maker.factor().l.size(), b = band_.bandwidth(), strips = pieces(count_, strip);
  const Index widest = std::min(solved_columns, BandKernels::padded(m));
  const Array<double> rows_of = residual_maker.factor().l.row_coefficients();
  // T by columns, and P~_SS += s T T', P~Y~ = s T (L^-1 Gamma)
  Matrix t(strips * strip, widest), p(count_, count_, 0.0);
  Matrix solved(strip, (b + widest) * strips, 0.0);
  for (Index j = 0; j < out.cols; ++j) std::fill_n(out.col(j), out.rows, 0.0);
  for (Index col = 0; col < m; col += widest) {
    const Index columns = std::min(widest, m - col);
    const Stage still(0, 0);  // one of many blocks of columns
    parallel_for(strips, [&](Index piece) {
      double sums[strip];
      double* const from = solved.col(piece * (b + widest));
      band_.kernels().solve(BandKernels::padded(columns), b, rows_.col(piece) + col * strip,
                            rows_of.data() + col * BandKernels::stride(b), from, sums);
      for (Index j = 0; j < columns; ++j) std::copy_n(from + (b + j) * strip, strip, t.col(j) + piece * strip);
      std::copy_n(from + columns * strip, b * strip, from);
    });
    const ConstMatrixView part = t.view().block(0, 0, count_, columns);
    syrk(Op::none, residual_maker.factor().s, part, 1, p.view());
    gemm(Op::none, Op::none, residual_maker.factor().s, part,
         residual_maker.factor().half.view().block(col, first, columns, out.cols), 1, out);
  }
  return solve_left_out(p.view(), out);
}

}  // namespace freeridge
