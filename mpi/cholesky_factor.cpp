// The engine CHOLESKY. For each lambda the blocks are made anew, G + lambda I = L L' by pdpotrf, T = L^-1 by pdtrtri,
// so that (G + lambda I)^-1 = T'T. With b_i the first m numbers of H e_i = e_i - tau v_i v,
//     P_ii = |T b_i|^2,   T b_i = t_i - tau v_i T v       t_i: column i of T, zero for i = n
//     P Y~ = B T' (T y),   y = the first m rows of H Y~;  Y~'P Y~ = |T y|^2,   log det = 2 sum log L_ii
// Each rank sums over its own rows, and these sums are added over the ranks. 2/3 m^3 a lambda; memory: the blocks.
#include <algorithm>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/factor/reduced_kernel.hpp"
#include "libcore/linalg/blas.hpp"
#include "mpi/dense_factor.hpp"
#include "mpi/scalapack.hpp"

namespace freeridge::mpi {
namespace {

class CholeskyFactor final : public DenseFactor {
 public:
  CholeskyFactor(const Team& team, const Grid& grid, const Problem& problem)
      : team_(team),
        problem_(problem),
        kernel_(team, problem),
        dealing_(grid, problem.n()),
        blocks_(std::ssize(dealing_.row), std::ssize(dealing_.col)),
        y_(copy_of(problem.y_tilde.view())) {
    kernel_.reflect(y_.view());
  }

  void make() override {
    kernel_.make(dealing_, false, blocks_.view());
    fresh_ = true;
  }

  EigenvalueRange eigenvalue_range() const override { return {std::min(noise(), kernel_.trace()), kernel_.trace()}; }
  bool at_is_free() const override { return false; }
  const Matrix& k_q1() const override { return kernel_.k_q1(); }
  double noise() const override { return relative_noise(problem_.n()) * kernel_.largest(); }

  void answers(Span<const double> lambdas, Outputs outputs, Wanted wanted, const Sink& sink) override {
    for (Index l = 0; l < std::ssize(lambdas); ++l) {
      const Answer answer = at(lambdas[l], outputs, wanted);
      team_.together([&] { sink(l, answer); });
    }
  }

 private:
  Index m() const { return kernel_.m(); }

  Answer at(double lambda, Outputs outputs, Wanted wanted) {
    Answer answer;
    if (!(lambda >= noise() && factorized(lambda))) {
      team_.together([&] { answer.reason = singular(); });
      return answer;
    }
    answer.log_determinant = log_determinant();
    invert();
    // T [y, v]
    Matrix half;
    team_.together([&] {
      clear_rest();
      half = Matrix(problem_.n(), outputs.count + 1, 0.0);
      Matrix given(problem_.n(), outputs.count + 1);
      copy(y_.view().columns(outputs.first, outputs.count), given.view().columns(0, outputs.count));
      std::copy(kernel_.v().begin(), kernel_.v().end(), given.col(outputs.count));
      const Matrix part = part_of(given.view(), dealing_.col, m());
      Matrix product(blocks_.rows(), part.cols());
      gemm(Op::none, Op::none, 1, blocks_.view(), part.view(), 0, product.view());
      add_part(product.view(), dealing_.row, half.view());
    });
    team_.sum(half.values());
    finish(half, outputs, wanted, answer);
    return answer;
  }

  // False where it is not positive definite: all ranks see that.
  bool factorized(double lambda) {
    if (!fresh_) kernel_.make(dealing_, false, blocks_.view());
    fresh_ = false;
    team_.together([&] { each_diagonal([&](double& value) { value += lambda; }); });
    const int n = static_cast<int>(m()), one = 1;
    int info = 0;
    pdpotrf_("L", &n, blocks_.data(), &one, &one, dealing_.descriptor.data(), &info);
    return info == 0;
  }

  void invert() {
    const int n = static_cast<int>(m()), one = 1;
    int info = 0;
    pdtrtri_("L", "N", &n, blocks_.data(), &one, &one, dealing_.descriptor.data(), &info);
    team_.together([&] {
      if (info != 0) fail(Status::internal, "pdtrtri answers ", info);
    });
  }

  // use(the numbers of the first m diagonal places that this rank has)
  template <class Use>
  void each_diagonal(const Use& use) {
    for (Index j = 0; j < blocks_.cols(); ++j) {
      const Index column = dealing_.col[j];
      const Index i = Dealing::first_from(dealing_.row, column);
      if (column < m() && i < blocks_.rows() && dealing_.row[i] == column) use(blocks_(i, j));
    }
  }

  double log_determinant() {
    double sum = 0;
    each_diagonal([&](double& value) { sum += 2 * std::log(value); });
    team_.sum({&sum, 1});
    return sum;
  }

  // Sets the elements that are no part of T to zero: above the diagonal, and beyond the first m rows and columns.
  void clear_rest() {
    const Index end = Dealing::first_from(dealing_.row, m());
    for (Index j = 0; j < blocks_.cols(); ++j) {
      double* const column = blocks_.col(j);
      const Index first = dealing_.col[j] < m() ? Dealing::first_from(dealing_.row, dealing_.col[j]) : end;
      std::fill_n(column, first, 0.0);
      std::fill(column + end, column + blocks_.rows(), 0.0);
    }
  }

  // From half = T [y, v].
  void finish(const Matrix& half, Outputs outputs, Wanted wanted, Answer& answer) {
    Array<double> diagonal;
    Matrix residual;
    team_.together([&] {
      diagonal.assign(problem_.n(), 0.0);
      residual = Matrix(problem_.n(), outputs.count, 0.0);
      add_diagonal(half.col(outputs.count), diagonal);
      const Matrix part = part_of(half.view().columns(0, outputs.count), dealing_.row, m());
      Matrix product(blocks_.cols(), outputs.count);
      gemm(Op::transpose, Op::none, 1, blocks_.view(), part.view(), 0, product.view());
      add_part(product.view(), dealing_.col, residual.view());
      answer.squared_norm.resize(outputs.count);
      answer.quadratic_form.resize(outputs.count);
    });
    team_.sum(diagonal);
    team_.sum(residual.values());
    answer.trace = sum_of(diagonal);
    for (Index j = 0; j < outputs.count; ++j) {
      answer.squared_norm[j] = dot(m(), residual.col(j), residual.col(j));
      answer.quadratic_form[j] = dot(m(), half.col(j), half.col(j));
    }
    if (wanted == Wanted::traces) return;
    kernel_.reflect(residual.view());
    answer.residual = std::move(residual);
    answer.diagonal = std::move(diagonal);
  }

  // This rank's part of |T b_i|^2.
  void add_diagonal(const double* t_v, Array<double>& sum) const {
    Array<double> own(blocks_.rows(), 0.0);
    for (Index i = 0; i < blocks_.rows(); ++i)
      if (dealing_.row[i] < m()) own[i] = kernel_.tau() * t_v[dealing_.row[i]];
    for (Index j = 0; j < blocks_.cols(); ++j) {
      const double v_j = kernel_.v()[dealing_.col[j]];
      double squares = 0;
      for (Index i = 0; i < blocks_.rows(); ++i) {
        const double value = blocks_(i, j) - own[i] * v_j;
        squares += value * value;
      }
      sum[dealing_.col[j]] += squares;
      worked(touched * static_cast<double>(blocks_.rows()));
    }
  }

  const Team& team_;
  const Problem& problem_;
  ReflectedKernel kernel_;
  Dealing dealing_;
  Matrix blocks_;  // of H K_w H, then of L, then of T
  Matrix y_;       // H Y~
  bool fresh_ = false;
};

}  // namespace

std::unique_ptr<DenseFactor> factor_by_cholesky(const Team& team, const Grid& grid, const Problem& problem) {
  return std::make_unique<CholeskyFactor>(team, grid, problem);
}

Index numbers_of_cholesky(const Dealing& dealing, Index d, Index t) {
  return dealing.numbers() + dealing.n * (2 * d + 5 * t + 12);
}

}  // namespace freeridge::mpi
