// The engines PDSYEVD and ELPA: G = V diag(Lambda) V' once. With y = the first m rows of H Y~ and R = V'y,
//     U = B V,   U_ik = V_ik - tau v_i h_k,   h = V'v         (row i = n of V: zero)
//     P Y~ = U diag(1 / (Lambda + lambda)) R,   P_ii = sum_k U_ik^2 / (Lambda_k + lambda)
//     tr P = sum 1 / (Lambda_k + lambda)
//     |P Y~|^2 = sum (R_k / (Lambda_k + lambda))^2,   Y~'P Y~ = sum R_k^2 / (Lambda_k + lambda)
// for many lambdas at once: two matrix products on this rank's blocks, and a sum over the ranks.
// Once 9 m^3 (ELPA: 4/3 m^3 by matrix-vector products or, in two stages, by matrix products, and twice as much for the
// vectors); then 2 n^2 (1 + outputs) a lambda.
#include <algorithm>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/factor/reduced_kernel.hpp"
#include "libcore/linalg/blas.hpp"
#include "mpi/dense_factor.hpp"
#include "mpi/scalapack.hpp"

namespace freeridge::mpi {
namespace {

constexpr Index most_counted = 2147483647;  // that pdsyevd counts in its workspace

// What pdsyevd needs, as its documentation has it: its own answer is counted in 32 bits, and wrong beyond them.
//     1 + 8 n + max(2 np nq, 3 n + max(nb (np + 1), 3 nb))          np, nq: the rows and columns of this rank
Index workspace_of(const Dealing& dealing) {
  const Index np = std::ssize(dealing.row), nq = std::ssize(dealing.col), nb = dealing.nb;
  return 1 + 8 * dealing.n + std::max(2 * np * nq, 3 * dealing.n + std::max(nb * (np + 1), 3 * nb));
}

constexpr Index squares_at_once = 64;           // columns of U whose squares are in hand
constexpr Index sums_at_once = Index{1} << 22;  // numbers of answers

Index lambdas_at_once(Index n, Index outputs) {
  return std::clamp<Index>(sums_at_once / (n * (outputs + 1)), 1, 128);
}

class EigenvectorFactor final : public DenseFactor {
 public:
  EigenvectorFactor(const Team& team, const Grid& grid, const Problem& problem, bool elpa)
      : team_(team),
        grid_(grid),
        problem_(problem),
        elpa_(elpa),
        kernel_(team, problem),
        dealing_(grid, problem.n()),
        value_(problem.n(), 0.0),
        u_(std::ssize(dealing_.row), std::ssize(dealing_.col), 0.0) {}

  void make() override {
    Matrix blocks;
    team_.together([&] { blocks = Matrix(u_.rows(), u_.cols()); });
    kernel_.make(dealing_, elpa_, blocks.view());
    if (elpa_)
      by_elpa(blocks);
    else
      by_pdsyevd(blocks);
    blocks = {};
    finish();
  }

  EigenvalueRange eigenvalue_range() const override {
    const double largest = value_[m() - 1];
    for (Index k = 0; k < m(); ++k)
      if (value_[k] > noise()) return {value_[k], largest};
    return {0, 0};
  }
  bool at_is_free() const override { return true; }
  const Matrix& k_q1() const override { return kernel_.k_q1(); }
  double noise() const override { return relative_noise(problem_.n()) * std::max(value_[m() - 1], kernel_.constant()); }

  void answers(Span<const double> lambdas, Outputs outputs, Wanted wanted, const Sink& sink) override {
    const Index count = std::ssize(lambdas), most = lambdas_at_once(problem_.n(), outputs.count);
    for (Index l = 0; l < count; l += most) {
      const auto some = [&](Index k, const Answer& answer) { sink(l + k, answer); };
      some_answers(lambdas.subspan(l, std::min(most, count - l)), outputs, wanted, std::ref(some));
    }
  }

 private:
  Index m() const { return kernel_.m(); }

  void by_elpa(Matrix& blocks) {
    const int local_rows = dealing_.descriptor[8], local_cols = static_cast<int>(std::max<Index>(blocks.cols(), 1));
    const char* const failed =
        freeridge_elpa_eigenvectors(team_.comm(), static_cast<int>(m()), dealing_.nb, local_rows, local_cols, grid_.row,
                                    grid_.col, blocks.data(), value_.data(), u_.data());
    team_.together([&] {
      if (failed != nullptr) fail(Status::not_converged, "ELPA has no eigenvectors: ", failed);
    });
  }

  void by_pdsyevd(Matrix& blocks) {
    const int n = static_cast<int>(m()), one = 1;
    const int* const descriptor = dealing_.descriptor.data();
    int info = 0;
    const auto call = [&](double* work, int lwork, int* iwork, int liwork) {
      pdsyevd_("V", "L", &n, blocks.data(), &one, &one, descriptor, value_.data(), u_.data(), &one, &one, descriptor,
               work, &lwork, iwork, &liwork, &info);
    };
    double size = 0;
    int integers = 0;
    call(&size, -1, &integers, 1);
    Array<double> work;
    Array<int> integer_work;
    team_.together([&] {
      work.resize(std::max(static_cast<Index>(size), workspace_of(dealing_)));
      integer_work.resize(integers);
    });
    call(work.data(), static_cast<int>(std::ssize(work)), integer_work.data(), integers);
    team_.together([&] {
      if (info != 0) fail(Status::not_converged, "pdsyevd has no eigenvectors: it answers ", info);
    });
  }

  // Makes R, h and U from V, which is in u_.
  void finish() {
    const Index t = problem_.t();
    Matrix sum;
    team_.together([&] {
      sum = Matrix(problem_.n(), t + 1, 0.0);
      for (Index k = 0; k < m(); ++k) value_[k] = std::max(value_[k], 0.0);
      clear_rest();
      Matrix y = copy_of(problem_.y_tilde.view()), given(problem_.n(), t + 1);
      kernel_.reflect(y.view());
      copy(y.view(), given.view().columns(0, t));
      std::copy(kernel_.v().begin(), kernel_.v().end(), given.col(t));
      const Matrix part = part_of(given.view(), dealing_.row, m());
      Matrix product(u_.cols(), t + 1);
      gemm(Op::transpose, Op::none, 1, u_.view(), part.view(), 0, product.view());
      add_part(product.view(), dealing_.col, sum.view());
    });
    team_.sum(sum.values());
    team_.broadcast(sum.values());
    team_.broadcast(value_);
    team_.together([&] {
      r_ = copy_of(sum.view().block(0, 0, m(), t));
      for (Index j = 0; j < u_.cols(); ++j) {
        const double h = dealing_.col[j] < m() ? kernel_.tau() * sum(dealing_.col[j], t) : 0;
        for (Index i = 0; i < u_.rows(); ++i) u_(i, j) -= h * kernel_.v()[dealing_.row[i]];
        worked(touched * static_cast<double>(u_.rows()));
      }
    });
  }

  // Sets the last row and column to zero, which the engines do not write.
  void clear_rest() {
    const Index rows = Dealing::first_from(dealing_.row, m()), cols = Dealing::first_from(dealing_.col, m());
    for (Index j = 0; j < u_.cols(); ++j) {
      const Index from = j < cols ? rows : 0;
      std::fill(u_.col(j) + from, u_.col(j) + u_.rows(), 0.0);
    }
  }

  bool exists(double lambda) const { return lambda >= noise() || value_[0] > noise(); }

  // The sums of P Y~ (lambda by lambda, outputs fastest) and diag P over this rank's columns of U.
  void add_sums(Span<const double> lambdas, Outputs outputs, MatrixView residual, MatrixView diagonal) const {
    const Index count = std::ssize(lambdas), cols = u_.cols();
    Matrix weight(cols, count), weighted(cols, count * outputs.count),
        square(u_.rows(), std::min(squares_at_once, cols));
    for (Index l = 0; l < count; ++l)
      for (Index k = 0; k < cols; ++k) {
        const Index column = dealing_.col[k];
        weight(k, l) = column < m() && exists(lambdas[l]) ? 1 / (value_[column] + lambdas[l]) : 0;
        for (Index j = 0; j < outputs.count; ++j)
          weighted(k, l * outputs.count + j) = column < m() ? weight(k, l) * r_(column, outputs.first + j) : 0;
      }
    Matrix part(u_.rows(), weighted.cols(), 0.0);
    gemm(Op::none, Op::none, 1, u_.view(), weighted.view(), 0, part.view());
    add_part(part.view(), dealing_.row, residual);
    if (diagonal.cols == 0) return;
    part = Matrix(u_.rows(), count, 0.0);
    for (Index first = 0; first < cols; first += squares_at_once) {
      const MatrixView squares = square.view().columns(0, std::min(squares_at_once, cols - first));
      for (Index j = 0; j < squares.cols; ++j)
        for (Index i = 0; i < squares.rows; ++i) squares(i, j) = u_(i, first + j) * u_(i, first + j);
      gemm(Op::none, Op::none, 1, squares, weight.view().row_range(first, squares.cols), 1, part.view());
      worked(touched * static_cast<double>(squares.rows * squares.cols));
    }
    add_part(part.view(), dealing_.row, diagonal);
  }

  void add_traces(double lambda, Outputs outputs, Answer& answer) const {
    answer.squared_norm.assign(outputs.count, 0.0);
    answer.quadratic_form = answer.squared_norm;
    for (Index k = 0; k < m(); ++k) {
      const double at = value_[k] + lambda;
      answer.trace += 1 / at;
      answer.log_determinant += std::log(at);
      for (Index j = 0; j < outputs.count; ++j) {
        const double r = r_(k, outputs.first + j);
        answer.quadratic_form[j] += r * (r / at);
        answer.squared_norm[j] += r / at * (r / at);
      }
    }
  }

  void some_answers(Span<const double> lambdas, Outputs outputs, Wanted wanted, const Sink& sink) const {
    const Index n = problem_.n(), count = std::ssize(lambdas);
    Matrix residual, diagonal;
    team_.together([&] {
      if (wanted == Wanted::traces) return;
      residual = Matrix(n, count * outputs.count, 0.0);
      diagonal = Matrix(n, wanted == Wanted::errors ? count : 0, 0.0);
      add_sums(lambdas, outputs, residual.view(), diagonal.view());
    });
    team_.sum(residual.values());
    team_.sum(diagonal.values());
    team_.together([&] {
      for (Index l = 0; l < count; ++l) {
        Answer answer;
        if (exists(lambdas[l]))
          add_traces(lambdas[l], outputs, answer);
        else
          answer.reason = singular();
        if (wanted != Wanted::traces)
          answer.residual = copy_of(residual.view().columns(l * outputs.count, outputs.count));
        if (wanted == Wanted::errors) answer.diagonal.assign(diagonal.col(l), diagonal.col(l) + n);
        sink(l, answer);
      }
    });
  }

  const Team& team_;
  const Grid& grid_;
  const Problem& problem_;
  const bool elpa_;
  ReflectedKernel kernel_;
  Dealing dealing_;
  Array<double> value_;  // Lambda, ascending, in the first m places
  Matrix u_;             // this rank's blocks of U, n x n with zeros in the last column
  Matrix r_;             // R, m x t
};

}  // namespace

std::unique_ptr<DenseFactor> factor_by_eigenvectors(const Team& team, const Grid& grid, const Problem& problem,
                                                    bool elpa) {
  return std::make_unique<EigenvectorFactor>(team, grid, problem, elpa);
}

// pdsyevd: A, Z and a workspace of twice that. ELPA: its own copies come to about as much.
Index numbers_of_eigenvectors(const Dealing& dealing, Index d, Index t, bool elpa) {
  const Index answers = 3 * std::max(sums_at_once, dealing.n * (t + 1));
  return (elpa ? 9 : 8) * dealing.numbers() / 2 + dealing.n * (2 * d + 4 * t + 20) + answers;
}

void require_workspace(const Dealing& dealing) {
  if (const Index wanted = workspace_of(dealing); wanted > most_counted)
    fail(Status::invalid_argument, "n is ", dealing.n, ": pdsyevd needs a workspace of ", wanted,
         " numbers on this rank, and counts in 32 bits; take more ranks, ELPA or CHOLESKY");
}

#ifdef FREERIDGE_MPI_ELPA
constexpr bool with_elpa = true;
#else
constexpr bool with_elpa = false;
extern "C" const char* freeridge_elpa_eigenvectors(MPI_Comm, int, int, int, int, int, int, double*, double*, double*) {
  return "the library was built without it";
}
#endif

bool has_elpa() {
  return with_elpa;
}

}  // namespace freeridge::mpi
