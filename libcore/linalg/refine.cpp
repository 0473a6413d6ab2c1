#include "libcore/linalg/refine.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index rows_at_once = 512,
                cols_at_once = 32;       // 128 KiB of x: in the second-level cache, read once for all outputs
constexpr Index gradient_cols = 8;       // at least: a cache line of a row of x
constexpr Index gradient_items = 16384;  // numbers of x that are worth a thread's while
constexpr double negligible = 0x1p-75, small = 0x1p-40;
constexpr int vain_steps = 2;

// to = X(row + i, col + k)
void pack(const LeastSquaresData& data, Index row, Index col, MatrixView to) {
  LayoutView from = data.x;
  from.data += data.x.layout == Layout::col_major ? col * from.ld : col;
  copy_rows(from, row, to);
  if (data.x_factor.empty()) return;
  for (Index k = 0; k < to.cols; ++k)
    for (Index i = 0; i < to.rows; ++i) to(i, k) *= data.x_factor[col + k];
}

// out(k, j) = sum_i X_ik v_ij
void transposed_product(const LeastSquaresData& data, const TwofoldMatrix& v, TwofoldMatrix& out) {
  const Index n = data.n(), d = data.d(), share = std::max(gradient_cols, gradient_items / n);
  parallel_for(pieces(d, share), [&](Index piece) {
    const Index col = piece * share, cols = std::min(share, d - col);
    Matrix buffer(std::min(n, rows_at_once), cols);
    for (Index row = 0; row < n; row += rows_at_once) {
      const MatrixView x = buffer.view().row_range(0, std::min(rows_at_once, n - row));
      pack(data, row, col, x);
      for (Index j = 0; j < v.cols(); ++j)
        for (Index k = 0; k < cols; ++k)
          out.set(col + k, j,
                  (row == 0 ? DoubleDouble() : out(col + k, j)) +
                      twofold_dot(x.rows, x.col(k), v.hi.col(j) + row, v.lo.col(j) + row));
    }
  });
}

// r = Y - X w
void subtract_fit(const LeastSquaresData& data, const TwofoldMatrix& w, TwofoldMatrix& r) {
  const Index n = data.n(), d = data.d(), t = data.t();
  parallel_for(pieces(n, rows_at_once), [&](Index piece) {
    const Index row = piece * rows_at_once, rows = std::min(rows_at_once, n - row);
    Matrix buffer(rows, std::min(d, cols_at_once));
    copy_rows(data.y, row, r.hi.view().row_range(row, rows));
    for (Index j = 0; j < t; ++j) {
      for (Index i = row; i < row + rows; ++i) r.hi(i, j) *= data.y_factor.empty() ? 1 : data.y_factor[j];
      std::fill_n(r.lo.col(j) + row, rows, 0.0);
    }
    for (Index col = 0; col < d; col += cols_at_once) {
      const MatrixView x = buffer.view().columns(0, std::min(cols_at_once, d - col));
      pack(data, row, col, x);
      for (Index j = 0; j < t; ++j)
        for (Index k = 0; k < x.cols; ++k)
          subtract_multiple(rows, x.col(k), w(col + k, j), r.hi.col(j) + row, r.lo.col(j) + row);
    }
    for (Index j = 0; j < t; ++j) twofold_normalize(rows, r.hi.col(j) + row, r.lo.col(j) + row);
  });
}

// Adds corrections to the solution, output by output, and decides when to stop by the size of their first `measured`
// rows.
class Corrections {
 public:
  Corrections(Index rows, Index t, Index measured)
      : best_(rows, t), measured_(measured), size_(t, HUGE_VAL), ratio_(t, 1.0), vain_(t, 0), done_(t, false) {}

  // solution += correction for the outputs that are not done.
  void add(ConstMatrixView correction, TwofoldMatrix& solution) {
    for (Index j = 0; j < correction.cols; ++j) {
      if (done_[j]) continue;
      double size = 0, scale = 0;
      for (Index k = 0; k < measured_; ++k) {
        size = std::max(size, std::isnan(correction(k, j)) ? HUGE_VAL : std::abs(correction(k, j)));
        scale = std::max(scale, std::abs(solution.hi(k, j)));
      }
      // Corrections get smaller at each step in the norm |R w| only: in that of w one may undo the one before it.
      const bool progress = std::isfinite(size) && size <= size_[j] / 2;
      if (!std::isfinite(size) || (!progress && ++vain_[j] > vain_steps)) {
        done_[j] = true;
        if (size_[j] < HUGE_VAL) copy(best_, j, solution);
        continue;
      }
      for (Index k = 0; k < correction.rows; ++k) solution.set(k, j, solution(k, j) + DoubleDouble(correction(k, j)));
      if (!progress) continue;
      vain_[j] = 0;
      copy(solution, j, best_);
      size_[j] = size;
      scale = std::max(scale, size);
      ratio_[j] = scale > 0 ? size / scale : 0;
      if (size <= negligible * scale) done_[j] = true;
    }
  }

  bool all_done() const {
    return std::ranges::all_of(done_, [](bool done) { return done; });
  }
  bool converged() const {
    return std::ranges::all_of(ratio_, [](double ratio) { return ratio <= small; });
  }

 private:
  static void copy(const TwofoldMatrix& from, Index j, TwofoldMatrix& to) {
    for (Index k = 0; k < from.rows(); ++k) to.set(k, j, from(k, j));
  }

  TwofoldMatrix best_;  // after the smallest correction
  Index measured_;
  Array<double> size_;   // of the smallest correction, infinity before the first
  Array<double> ratio_;  // the same beside the solution
  Array<int> vain_;      // corrections since then
  Array<char> done_;
};

}  // namespace

TwofoldMatrix twofold_residual(const LeastSquaresData& data, LeastSquaresSolution& solution) {
  const Index n = data.n(), t = data.t();
  TwofoldMatrix r(n, t);
  subtract_fit(data, solution.w, r);
  if (!data.intercept) return r;
  const auto weight = [&](Index i) { return DoubleDouble(data.weights.empty() ? 1 : data.weights[i]); };
  DoubleDouble total;
  for (Index i = 0; i < n; ++i) total += weight(i);
  for (Index j = 0; j < t; ++j) {
    DoubleDouble sum;
    for (Index i = 0; i < n; ++i) sum += weight(i) * r(i, j);
    const DoubleDouble b = sum / total;
    for (Index i = 0; i < n; ++i) r.set(i, j, r(i, j) - b);
    solution.b[j] = b;
  }
  return r;
}

Refinement refine(const LeastSquaresData& data, const NormalSolver& solve, Index max_steps,
                  LeastSquaresSolution& solution) {
  const Index n = data.n(), d = data.d(), t = data.t();
  Refinement out;
  Corrections corrections(d, t, d);
  TwofoldMatrix g(d, t);
  Stage stage(0, 0);
  for (;; ++out.steps) {
    const double steps = static_cast<double>(max_steps + 1), step = static_cast<double>(out.steps);
    stage.next((step + 0.5) / steps);
    TwofoldMatrix r = twofold_residual(data, solution);
    if (out.steps == max_steps || corrections.all_done()) break;
    if (!data.weights.empty())
      for (Index j = 0; j < t; ++j)
        for (Index i = 0; i < n; ++i) r.set(i, j, r(i, j) * DoubleDouble(data.weights[i]));
    stage.next((step + 1) / steps);
    transposed_product(data, r, g);
    for (Index j = 0; j < t; ++j)
      for (Index k = 0; k < d; ++k) {
        DoubleDouble value = g(k, j);
        if (!data.penalty.empty()) value -= DoubleDouble(data.penalty[k]) * solution.w(k, j);
        g.hi(k, j) = value.hi;
      }
    solve(g.hi.view());
    corrections.add(g.hi.view(), solution.w);
  }
  out.converged = corrections.converged();
  return out;
}

// The unknowns are stacked: a, then w (of the features with p_k = 0), then b.
Refinement refine_dual(const LeastSquaresData& data, double lambda, const DualSolver& solve, Index max_steps,
                       LeastSquaresSolution& solution) {
  const Index n = data.n(), d = data.d(), t = data.t();
  const auto free = [&](Index k) { return !(data.penalty[k] > 0); };
  Refinement out;
  Corrections corrections(n + d + 1, t, n);
  TwofoldMatrix unknown(n + d + 1, t), product(d, t), r(n, t);
  Matrix rest(n + d + 1, t);
  Array<double> ones(t);
  Stage stage(0, 0);
  for (;; ++out.steps) {
    const double steps = static_cast<double>(max_steps + 1), step = static_cast<double>(out.steps);
    stage.next((step + 0.5) / steps);
    transposed_product(data, unknown, product);
    for (Index j = 0; j < t; ++j) {
      for (Index k = 0; k < d; ++k)
        solution.w.set(k, j, free(k) ? unknown(n + k, j) : product(k, j) / DoubleDouble(data.penalty[k]));
      solution.b[j] = unknown(n + d, j);
    }
    if (out.steps == max_steps || corrections.all_done()) break;
    stage.next((step + 1) / steps);
    subtract_fit(data, solution.w, r);
    for (Index j = 0; j < t; ++j) {
      DoubleDouble sum;
      for (Index i = 0; i < n; ++i) {
        sum += unknown(i, j);
        rest(i, j) = (r(i, j) - solution.b[j] - DoubleDouble(lambda) * unknown(i, j)).hi;
      }
      for (Index k = 0; k < d; ++k) rest(n + k, j) = -product.hi(k, j);
      ones[j] = -sum.hi;
    }
    solve(rest.view().row_range(0, n), rest.view().row_range(n, d), ones);
    for (Index j = 0; j < t; ++j) {
      for (Index k = 0; k < d; ++k)
        if (!free(k)) rest(n + k, j) = 0;
      rest(n + d, j) = data.intercept ? ones[j] : 0;
    }
    corrections.add(rest.view(), unknown);
  }
  out.converged = corrections.converged();
  return out;
}

Refinement refine_system(const TwofoldResidual& residual, const SystemSolver& solve, Index max_steps,
                         TwofoldMatrix& solution) {
  Refinement out;
  Corrections corrections(solution.rows(), solution.cols(), solution.rows());
  TwofoldMatrix r(solution.rows(), solution.cols());
  Stage stage(0, 0);
  for (; out.steps < max_steps && !corrections.all_done(); ++out.steps) {
    stage.next(fraction(out.steps + 1, max_steps));
    residual(solution, r);
    solve(r.hi.view());
    corrections.add(r.hi.view(), solution);
  }
  out.converged = corrections.converged();
  return out;
}

}  // namespace freeridge
