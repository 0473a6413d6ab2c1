// On a device: Z'K_wZ, both triangles, and L of a lambda in a matrix of its own: 2 n^2 there, and n^2 for each other
// lambda at the same time. The diagonal of P~ takes m^3/3 in blocks of columns of L^-1.
#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/factor/residual_diagonal.hpp"
#include "libcore/linalg/work_done.hpp"
#include "libcore/routes/cholesky_matrix.hpp"

namespace freeridge {
namespace {

constexpr Index columns_at_once = 1024;    // of L^-1
constexpr Index columns_of_factor = 2048;  // of L, between two reports

// A = L L' in the lower triangle, by blocks of columns J with the rows I from J on: A_IJ less what the columns before it
// say of it, the factor of A_JJ, and the rows below that. False when A is not positive definite.
bool factored(Engine& engine, DeviceView a) {
  const Stage stage(0, 1);
  for (Index from = 0; from < a.rows; from += columns_of_factor) {
    const Index count = std::min(columns_of_factor, a.rows - from), below = a.rows - from - count;
    const DeviceView own = a.block(from, from, count, count);
    if (from > 0)
      engine.gemm(Op::none, Op::transpose, -1, a.block(from, 0, a.rows - from, from), a.block(from, 0, count, from), 1,
                  a.block(from, from, a.rows - from, count));
    if (!engine.potrf(own)) return false;
    engine.trsm_right(Op::transpose, own, a.block(from + count, from, below, count));
    report(work_done(below, a.rows));
  }
  return true;
}

class FactorOnDevice final : public CholeskyFactor {
 public:
  FactorOnDevice(const EnginePtr& engine, ConstDeviceView k, Span<const double> diagonal, const RegularMatrix& about)
      : engine_(engine), m_(k.rows), l_(engine, m_, m_) {
    const Array<int> units = row_units(about);
    Array<double> down(m_, 1.0), up, shifted(m_);  // D^-1 and D, powers of two
    for (Index i = 0; i < std::ssize(units); ++i) down[i] = std::ldexp(1.0, -units[i]);
    for (Index i = 0; i < m_; ++i) shifted[i] = (diagonal[i] / about.s + about.lambda / about.s) * down[i] * down[i];
    engine_->scale(Array<double>(m_, 1 / about.s), {}, k, l_.view());
    if (!units.empty()) engine_->scale(down, down, std::as_const(l_).view(), l_.view());
    set_diagonal(engine_, shifted, l_.view());
    const double norm = norm1(*engine_, std::as_const(l_).view());
    const bool is_factored = factored(*engine_, l_.view());
    const auto solve = [&](Span<double> b) {
      const MatrixView column{b.data(), m_, 1, m_};
      half_solve(column);
      other_half_solve(column);
    };
    const double rcond = is_factored ? reciprocal_condition(m_, norm, solve) : 0;
    smallest_ = regular_eigenvalue(about, m_, norm, rcond, regular_from(about, m_, norm));
    for (const int unit : units) up.push_back(std::ldexp(1.0, unit));
    if (!up.empty()) engine_->scale(up, {}, std::as_const(l_).view(), l_.view());
    for (const double value : diagonal_from(engine_, std::as_const(l_).view())) log_sum_ += std::log(value);
  }

  double smallest() const override { return smallest_; }
  double log_sum() const override { return log_sum_; }
  void half_solve(MatrixView b) const override { solve(Op::none, b); }
  void other_half_solve(MatrixView b) const override { solve(Op::transpose, b); }

  void diagonal(const Contrast& contrast, Span<double> out) const override {
    Matrix z = copy_of(contrast.tail());
    if (contrast.active()) half_solve(z.view());
    const Index block = std::min(columns_at_once, std::max<Index>(m_, 1));
    const DeviceMatrix z_there = uploaded(engine_, z.view());
    DeviceMatrix columns(engine_, m_, block);
    const auto norms = [&](Index from, ConstMatrixView f, Span<double> norms2) {
      const Index height = m_ - from;
      const DeviceView u = columns.view().block(0, 0, height, f.rows);
      engine_->fill(0, u);
      engine_->fill(1, diagonal_of(u.block(0, 0, f.rows, f.rows)));
      engine_->trsm(Op::none, l_.view().block(from, from, height, height), u);
      if (f.cols > 0)
        engine_->gemm(Op::none, Op::transpose, -1, z_there.view().row_range(from, height), uploaded(engine_, f).view(),
                      1, u);
      engine_->squares(1, u, norms2);
      worked(beat);
    };
    const Index blocks = (m_ + block - 1) / block;
    residual_diagonal(contrast, z.view(), block, beat * static_cast<double>(blocks), norms, out);
  }

  void block(MatrixView c, MatrixView out) const override {
    DeviceMatrix there = uploaded(engine_, c), product(engine_, out.rows, out.cols);
    engine_->trsm(Op::none, l_.view(), there.view());
    engine_->gemm(Op::transpose, Op::none, 1, std::as_const(there).view(), std::as_const(there).view(), 0,
                  product.view());
    engine_->download(product.view(), out);
  }

 private:
  void solve(Op op, MatrixView b) const {
    DeviceMatrix there = uploaded(engine_, b);
    engine_->trsm(op, l_.view(), there.view());
    engine_->download(there.view(), b);
  }

  EnginePtr engine_;
  Index m_;
  DeviceMatrix l_;
  double smallest_ = 0, log_sum_ = 0;
};

class MatrixOnDevice final : public CholeskyMatrix {
 public:
  MatrixOnDevice(EnginePtr engine, DeviceMatrix storage, Index m)
      : engine_(std::move(engine)), m_(m), storage_(std::move(storage)), diagonal_(diagonal_from(engine_, inner())) {}

  Array<double> diagonal() const override { return diagonal_; }
  Span<const double> below(Index j, Span<double> room) const override {
    const Index rows = m_ - j - 1;
    engine_->download(inner().block(j + 1, j, rows, 1), {room.data(), rows, 1, rows});
    return room.first(rows);
  }
  double quadratic_form(const double* u) const override {
    Array<double> product(m_);
    const DeviceMatrix there = uploaded(engine_, {u, m_, 1, m_});
    DeviceMatrix k_u(engine_, m_, 1);
    engine_->gemm(Op::none, Op::none, 1, inner(), there.view(), 0, k_u.view());
    engine_->download(k_u.view(), {product.data(), m_, 1, m_});
    return dot(m_, u, product.data());
  }
  Array<double> square_sums(double unit) const override {
    Array<double> out(m_);
    engine_->squares(1 / unit, inner(), out);
    return out;
  }
  std::unique_ptr<CholeskyFactor> factor(const RegularMatrix& about) const override {
    return std::make_unique<FactorOnDevice>(engine_, inner(), diagonal_, about);
  }

 private:
  ConstDeviceView inner() const {
    const Index q = storage_.rows() - m_;
    return storage_.view().block(q, q, m_, m_);
  }

  EnginePtr engine_;
  Index m_;
  DeviceMatrix storage_;  // n x n; Z'K_wZ in its last m rows and columns
  Array<double> diagonal_;
};

}  // namespace

std::unique_ptr<CholeskyMatrix> matrix_on_device(EnginePtr engine, DeviceMatrix storage, Index m) {
  return std::make_unique<MatrixOnDevice>(std::move(engine), std::move(storage), m);
}

}  // namespace freeridge
