#include "libcore/data/pivoted_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/progress.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

constexpr Index block_size = 64;  // pivots proposed at a time

class Pivoting {
 public:
  Pivoting(const Kernel& kernel, const Rows& x, Span<const double> sqrt_w, Index count)
      : kernel_(kernel), x_(x), sqrt_w_(sqrt_w), columns_(x.rows, std::min(block_size, count)) {
    out_.factor = Matrix(x.rows, count);
    out_.left.assign(x.rows, 0.0);
    own_diagonal(kernel, x, out_.left);
    for (std::size_t i = 0; i < sqrt_w.size(); ++i) out_.left[i] *= sqrt_w[i] * sqrt_w[i];
    if (!std::isfinite(sum_of(out_.left)))
      fail(Status::not_finite, "the trace of the kernel matrix overflows; rescale x");
  }

  PivotedCholesky run(Random& random) {
    const Index count = out_.factor.cols();
    const double enough = static_cast<double>(x_.rows) * std::numeric_limits<double>::epsilon() * sum_of(out_.left);
    while (done() < count && sum_of(out_.left) > enough) {
      const Array<Index> proposed = propose(std::min(block_size, count - done()), random);
      const MatrixView residual = columns_.view().columns(0, std::ssize(proposed));
      fill_residual(proposed, residual);
      Matrix core(residual.cols, residual.cols);
      for (Index j = 0; j < core.cols(); ++j)
        for (Index i = 0; i < core.rows(); ++i) core(i, j) = residual(proposed[i], j);
      add(proposed, accepted(proposed, core.view(), random), core.view(), residual);
      report(fraction(done(), count));
    }
    return std::move(out_);
  }

 private:
  Index done() const { return std::ssize(out_.rows); }

  Array<Index> propose(Index block, Random& random) const {
    Array<Index> proposed;
    for (Index b = 0; b < block; ++b) {
      const Index s = random.weighted_index(out_.left);
      if (std::find(proposed.begin(), proposed.end(), s) == proposed.end()) proposed.push_back(s);
    }
    return proposed;
  }

  // What is left of A at the proposed pivots, column by column.
  void fill_residual(Span<const Index> proposed, MatrixView residual) const {
    const Index n = x_.rows;
    for (Index b = 0; b < residual.cols; ++b) {
      cross_kernel(kernel_, x_, {}, x_, proposed[b], residual.columns(b, 1));
      if (sqrt_w_.empty()) continue;
      for (Index i = 0; i < n; ++i) residual(i, b) *= sqrt_w_[i] * sqrt_w_[proposed[b]];
    }
    Matrix at_proposed(residual.cols, done());
    for (Index j = 0; j < done(); ++j)
      for (Index b = 0; b < residual.cols; ++b) at_proposed(b, j) = out_.factor(proposed[b], j);
    gemm(Op::none, Op::transpose, -1, out_.factor.view().columns(0, done()), at_proposed.view(), 1, residual);
  }

  // Which of the proposed pivots are accepted: each with the probability that the exact method would give it after the
  // accepted ones before it. `core`: what is left of A at the proposed pivots; it becomes L in the rows and columns of
  // the accepted ones.
  Array<Index> accepted(Span<const Index> proposed, MatrixView core, Random& random) const {
    Array<Index> out;
    for (Index b = 0; b < core.cols; ++b) {
      const double before = out_.left[proposed[b]], now = core(b, b);
      if (!(random.uniform() * before < now)) continue;
      out.push_back(b);
      const double root = std::sqrt(now);
      for (Index i = b; i < core.rows; ++i) core(i, b) /= root;
      for (Index j = b + 1; j < core.cols; ++j)
        for (Index i = j; i < core.rows; ++i) core(i, j) -= core(i, b) * core(j, b);
    }
    return out;
  }

  // The new columns of F: those accepted, times L^-T of what was eliminated.
  void add(Span<const Index> proposed, Span<const Index> taken, ConstMatrixView core, ConstMatrixView residual) {
    const Index n = x_.rows, gained = std::ssize(taken);
    Matrix l(gained, gained, 0.0);
    const MatrixView fresh = out_.factor.view().columns(done(), gained);
    for (Index j = 0; j < gained; ++j) {
      const Index b = taken[j];
      for (Index i = j; i < gained; ++i) l(i, j) = core(taken[i], b);
      std::copy_n(residual.col(b), n, fresh.col(j));
      out_.rows.push_back(proposed[b]);
    }
    trsm_right(Op::transpose, l.view(), fresh);
    for (Index j = 0; j < gained; ++j)
      for (Index i = 0; i < n; ++i) {
        double& value = out_.left[i];
        value = std::max(value - fresh(i, j) * fresh(i, j), 0.0);
      }
    for (const Index row : out_.rows) out_.left[row] = 0;
  }

  const Kernel& kernel_;
  const Rows& x_;
  Span<const double> sqrt_w_;
  Matrix columns_;
  PivotedCholesky out_;
};

}  // namespace

PivotedCholesky pivoted_cholesky(const Kernel& kernel, const Rows& x, Span<const double> sqrt_w, Index count,
                                 Random& random) {
  return Pivoting(kernel, x, sqrt_w, count).run(random);
}

}  // namespace freeridge
