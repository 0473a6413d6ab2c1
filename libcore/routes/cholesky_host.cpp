// In the host's memory: the lower triangle and a separate diagonal hold Z'K_wZ, the upper triangle L' of one lambda at a
// time; a second lambda at the same time takes n^2 more.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "libcore/factor/residual_diagonal.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lower_triangle.hpp"
#include "libcore/routes/cholesky_matrix.hpp"

namespace freeridge {
namespace {

class MatrixOnHost final : public CholeskyMatrix {
 public:
  explicit MatrixOnHost(ReducedKernel& kernel)
      : diagonal_(kernel.diagonal()), q_(kernel.contrast.q()), storage_(std::move(kernel.storage)) {}

  Array<double> diagonal() const override { return diagonal_; }
  Span<const double> below(Index j, Span<double>) const override {
    return {inner().col(j) + j + 1, inner().rows - j - 1};
  }
  double quadratic_form(const double* u) const override {
    const Index m = inner().rows;
    double sum = 0;
    for (Index j = 0; j < m; ++j)
      sum += u[j] * (diagonal_[j] * u[j] + 2 * dot(m - j - 1, inner().col(j) + j + 1, u + j + 1));
    return sum;
  }
  Array<double> square_sums(double unit) const override {
    const ConstMatrixView k = inner();
    const Index m = k.rows;
    Array<double> out(m, 0.0);
    for (Index j = 0; j < m; ++j) {
      for (Index i = j; i < m; ++i) {
        const double share = (i == j ? diagonal_[j] : k(i, j)) / unit;
        out[i] += share * share;
        if (i != j) out[j] += share * share;
      }
      worked(2 * touched * static_cast<double>(m - j));
    }
    return out;
  }
  std::unique_ptr<CholeskyFactor> factor(const RegularMatrix& about) const override;

  // The strictly lower triangle.
  ConstMatrixView inner() const { return inner_of(std::as_const(storage_).view()); }
  // The upper triangle with the diagonal. One caller at a time can have it; the others get a view without data.
  MatrixView borrow_upper() const { return upper_taken_.exchange(true) ? MatrixView{} : inner_of(storage_.view()); }
  void give_back_upper() const { upper_taken_ = false; }
  // The same part of another n x n matrix: some BLAS sum in another order where the alignment differs, and the bits of
  // an answer must not depend on whether a fit is held.
  template <class T>
  BasicView<T> inner_of(BasicView<T> storage) const {
    return storage.block(q_, q_, storage.rows - q_, storage.cols - q_);
  }
  Index side() const { return storage_.rows(); }

 private:
  Array<double> diagonal_;
  Index q_;
  mutable Matrix storage_;
  mutable std::atomic<bool> upper_taken_{false};
};

// Room for an upper triangle: the matrix's own, or a new one while somebody else has that.
class Loan {
 public:
  explicit Loan(const MatrixOnHost& matrix)
      : matrix_(matrix), view_(matrix.borrow_upper()), borrowed_(view_.data != nullptr) {
    if (borrowed_) return;
    own_ = Matrix(matrix.side(), matrix.side());
    view_ = matrix.inner_of(own_.view());
  }
  ~Loan() {
    if (borrowed_) matrix_.give_back_upper();
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  MatrixView view() const { return view_; }

 private:
  const MatrixOnHost& matrix_;
  MatrixView view_;
  bool borrowed_;
  Matrix own_;
};

class FactorOnHost final : public CholeskyFactor {
 public:
  FactorOnHost(const MatrixOnHost& matrix, const RegularMatrix& about) : loan_(matrix), u_(loan_.view()), m_(u_.rows) {
    const ConstMatrixView k = matrix.inner();
    const Array<double> diagonal = matrix.diagonal();
    const double factor = 1 / about.s;
    each_pair_below(m_, [&, u = u_](Index i, Index j) { u(j, i) = factor * k(i, j); });
    for (Index j = 0; j < m_; ++j) u_(j, j) = diagonal[j] / about.s + about.lambda / about.s;
    smallest_ = regular_cholesky(u_, Triangle::upper, about);
  }

  double smallest() const override { return smallest_; }
  double log_sum() const override {
    double sum = 0;
    for (Index i = 0; i < m_; ++i) sum += std::log(u_(i, i));
    return sum;
  }
  void half_solve(MatrixView b) const override { solve_half(b, 0); }
  void other_half_solve(MatrixView b) const override { trsm(Op::none, u_, b, Triangle::upper); }
  void diagonal(const Contrast& contrast, Span<double> out) const override {
    residual_diagonal(
        contrast, [&](MatrixView b, Index from) { solve_half(b, from); }, out);
  }
  void block(MatrixView c, MatrixView out) const override {
    half_solve(c);
    syrk(Op::transpose, 1, c, 0, out);
  }
  // The diagonal comes from L^-1, which is made on the way.
  bool whole(const Contrast& contrast, MatrixView out, Span<double> diagonal_out) const override {
    const MatrixView inner = contrast.inner(out);
    for (Index j = 0; j < out.cols; ++j) std::fill_n(out.col(j), out.rows, 0.0);
    for (Index j = 0; j < m_; ++j)
      for (Index i = 0; i <= j; ++i) inner(j, i) = u_(i, j);
    worked(2 * touched * static_cast<double>(m_ * m_));
    trtri(inner);
    Matrix z = copy_of(contrast.tail());
    half_solve(z.view());
    residual_diagonal(contrast, inner, z.view(), diagonal_out);
    lauum(inner);
    contrast.expand_symmetric(out);
    mirror_lower(out);
    return true;
  }

 private:
  // L' = U. b: the rows from `from` on, where those above are zero.
  void solve_half(MatrixView b, Index from) const {
    trsm(Op::transpose, ConstMatrixView(u_).block(from, from, b.rows, b.rows), b, Triangle::upper);
  }

  Loan loan_;
  MatrixView u_;  // m x m, upper triangle: U = L'
  Index m_;
  double smallest_ = 0;
};

std::unique_ptr<CholeskyFactor> MatrixOnHost::factor(const RegularMatrix& about) const {
  return std::make_unique<FactorOnHost>(*this, about);
}

}  // namespace

std::unique_ptr<CholeskyMatrix> matrix_on_host(ReducedKernel& kernel) {
  return std::make_unique<MatrixOnHost>(kernel);
}

}  // namespace freeridge
