#include "libcore/routes/iterative_neighbourhoods.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/progress.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index most_neighbours = 8;  // the row itself included
constexpr Index rows_at_a_time = 16;

// L L' = e, L in the place of e, for an e that is positive semidefinite up to rounding errors `noise` of its diagonal.
// Where a pivot is not above the noise, its column of L is zero.
void semidefinite_cholesky(MatrixView e, Span<const double> noise) {
  for (Index j = 0; j < e.cols; ++j) {
    const bool pivot = e(j, j) > noise[j];
    const double root = pivot ? std::sqrt(e(j, j)) : 1;
    for (Index i = j; i < e.rows; ++i) e(i, j) = pivot ? e(i, j) / root : 0;
    for (Index k = j + 1; k < e.cols; ++k)
      for (Index i = k; i < e.rows; ++i) e(i, k) -= e(i, j) * e(k, j);
    for (Index i = 0; i < j; ++i) e(i, j) = 0;
  }
}

}  // namespace

// One thread's work on the rows of a tile.
class IterativeNeighbourhoods::Neighbourhood {
 public:
  // weights: r x (1 + lambdas), Lambda and Lambda / (Lambda + lambda).
  Neighbourhood(const IterativeNeighbourhoods& of, Span<const double> lambdas, ConstMatrixView weights)
      : of_(of),
        lambdas_(lambdas),
        weights_(weights),
        m_(of.size_),
        u_(weights.rows, m_ * rows_at_a_time),
        pairs_(weights.rows, m_ * (m_ + 1) / 2),
        sums_(pairs_.cols(), weights.cols, 0.0),
        e_(m_, m_),
        a_(m_, m_),
        ab_(m_, m_),
        c_(m_, m_),
        y_(m_, 1),
        noise_(m_),
        g_(m_) {}

  // Copies the rows of U of all neighbours, one column of U after the other: so the places that are read are near each
  // other.
  void gather(Index first, Index rows) {
    const std::int32_t* const places = of_.neighbour_.data() + first * m_;
    const ConstMatrixView u = of_.preconditioner_.u();
    for (Index k = 0; k < u.cols; ++k) {
      const double* const column = u.col(k);
      double* const to = u_.data() + k;
      for (Index p = 0; p < rows * m_; ++p) to[p * u.cols] = column[places[p]];
    }
  }

  // The row i, whose U_N begins in the given column.
  void set_row(Index i, Index column) {
    n_ = {of_.neighbour_.data() + i * m_, static_cast<std::size_t>(m_)};
    set_sums(u_.view().columns(column, m_));
    const Problem& problem = of_.problem_;
    const Support support(problem.kernel, problem.x, Array<Index>(n_.begin(), n_.end()));
    for (Index a = 0; a < m_; ++a) {
      support.evaluate(problem.x, n_[a], e_.view().row_range(a, 1));
      for (Index b = 0; b <= a; ++b)
        e_(a, b) = problem.sqrt_w[n_[a]] * e_(a, b) * problem.sqrt_w[n_[b]] + of_.centre(n_[a], n_[b]) - sum(a, b, 0);
      noise_[a] = 64 * std::numeric_limits<double>::epsilon() * problem.weight(n_[a]) * of_.own_[n_[a]];
    }
    semidefinite_cholesky(e_.view(), noise_);
  }

  // b_i and g at the lambda of this number.
  double solve(Index l) {
    const double root = std::sqrt(lambdas_[l]);
    const Matrix& q1 = of_.problem_.q1();
    for (Index a = 0; a < m_; ++a)
      for (Index b = 0; b <= a; ++b) {
        double value = (a == b ? 1 : 0) - sum(a, b, l + 1);
        for (Index q = 0; q < q1.cols(); ++q) value -= q1(n_[a], q) * q1(n_[b], q);
        a_(a, b) = a_(b, a) = value;
        c_(a, b) = a == b ? 1 : 0;
      }
    gemm(Op::none, Op::none, 1 / root, a_.view(), e_.view(), 0, ab_.view());
    gemm(Op::transpose, Op::none, 1 / root, e_.view(), ab_.view(), 1, c_.view());
    for (Index a = 0; a < m_; ++a) y_(a, 0) = ab_(0, a);
    if (!potrf(c_.view())) return std::numeric_limits<double>::quiet_NaN();
    trsm(Op::none, c_.view(), y_.view());
    const double taken = dot(m_, y_.data(), y_.data());
    trsm(Op::transpose, c_.view(), y_.view());
    gemv(Op::none, 1 / root, e_.view(), y_.data(), 0, g_.data());
    return std::max(a_(0, 0) - taken, 0.0);
  }

  // g'z_N
  double share(const double* z) const {
    double sum = 0;
    for (Index a = 0; a < m_; ++a) sum += g_[a] * z[n_[a]];
    return sum;
  }

 private:
  // U_N diag(weight) U_N', for each column of the weights.
  void set_sums(ConstMatrixView u) {
    for (Index a = 0; a < m_; ++a)
      for (Index b = 0; b <= a; ++b) {
        double* const pair = pairs_.col(a * (a + 1) / 2 + b);
        for (Index k = 0; k < u.rows; ++k) pair[k] = u(k, a) * u(k, b);
      }
    if (u.rows > 0) gemm(Op::transpose, Op::none, 1, pairs_.view(), weights_, 0, sums_.view());
  }
  double sum(Index a, Index b, Index weight) const { return sums_(a * (a + 1) / 2 + b, weight); }

  const IterativeNeighbourhoods& of_;
  Span<const double> lambdas_;
  ConstMatrixView weights_;
  Index m_;
  Span<const std::int32_t> n_;
  Matrix u_, pairs_, sums_, e_, a_, ab_, c_, y_;
  Array<double> noise_, g_;
};

IterativeNeighbourhoods::IterativeNeighbourhoods(const Problem& problem, const IterativePreconditioner& preconditioner,
                                                 ConstMatrixView k_q1)
    : problem_(problem),
      preconditioner_(preconditioner),
      k_q1_(k_q1),
      inner_(k_q1.cols, k_q1.cols),
      own_(problem.n()),
      size_(std::min(most_neighbours, problem.n())),
      neighbour_(problem.n() * size_) {
  if (k_q1.cols > 0) gemm(Op::transpose, Op::none, 1, problem.q1().view(), k_q1, 0, inner_.view());
  own_diagonal(*problem.kernel, problem.x, own_);
  find();
}

Index IterativeNeighbourhoods::doubles(Index n, Index rank, Index threads) {
  const Index tile = std::max(n, rank * most_neighbours) * rows_at_a_time;
  return n * most_neighbours / 2 + 2 * n + threads * (tile + (rank + 8) * most_neighbours * most_neighbours);
}

// ((I - q1 q1') K_w (I - q1 q1'))_ij - (K_w)_ij
double IterativeNeighbourhoods::centre(Index i, Index j) const {
  const Matrix& q1 = problem_.q1();
  double sum = 0;
  for (Index a = 0; a < q1.cols(); ++a) {
    sum -= q1(i, a) * k_q1_(j, a) + k_q1_(i, a) * q1(j, a);
    for (Index b = 0; b < q1.cols(); ++b) sum += q1(i, a) * inner_(a, b) * q1(j, b);
  }
  return sum;
}

double IterativeNeighbourhoods::centred_diagonal(Index i) const {
  return problem_.weight(i) * own_[i] + centre(i, i);
}

void IterativeNeighbourhoods::find() {
  const Index n = problem_.n(), tiles = pieces(n, rows_at_a_time);
  const Support support(problem_.kernel, problem_.x);
  Array<double> scale(n);
  for (Index j = 0; j < n; ++j) scale[j] = own_[j] > 0 ? 1 / own_[j] : 0;
  parallel_for(tiles, [&](Index tile) {
    struct Near {
      double value;
      std::int32_t row;
    };
    const Index first = tile * rows_at_a_time, rows = std::min(rows_at_a_time, n - first);
    Matrix values(rows, n);
    support.evaluate(problem_.x, first, values.view());
    Array<Near> nearest(rows * size_, Near{-1, 0});  // of each row, the largest first
    Array<double> last(rows, -1.0);                  // of each row, the value of the last one
    for (Index i = 0; i < rows; ++i) {
      nearest[i * size_] = {std::numeric_limits<double>::infinity(), static_cast<std::int32_t>(first + i)};
      values(i, first + i) = std::numeric_limits<double>::quiet_NaN();  // larger than none
    }
    for (Index j = 0; j < n; ++j) {
      double* const of_j = values.col(j);
      int nearer = 0;  // few columns have one: a loop without branches sees that
      for (Index i = 0; i < rows; ++i) {
        of_j[i] *= of_j[i] * scale[j];
        nearer |= of_j[i] > last[i];
      }
      for (Index i = 0; i < rows && nearer != 0; ++i) {
        if (!(of_j[i] > last[i])) continue;
        Near* const of_row = nearest.data() + i * size_;
        Index place = size_ - 1;
        while (of_j[i] > of_row[place - 1].value) --place;
        std::move_backward(of_row + place, of_row + size_ - 1, of_row + size_);
        of_row[place] = {of_j[i], static_cast<std::int32_t>(j)};
        last[i] = of_row[size_ - 1].value;
      }
    }
    worked(2 * static_cast<double>(rows * n));
    for (Index p = 0; p < rows * size_; ++p) neighbour_[first * size_ + p] = nearest[p].row;
  });
}

void IterativeNeighbourhoods::correct(Span<const double> lambdas, ConstMatrixView products, MatrixView base,
                                      MatrixView near) const {
  const Index n = problem_.n(), rank = preconditioner_.rank(), count = std::ssize(lambdas);
  const Index tiles = pieces(n, rows_at_a_time), s = products.cols / count;
  Matrix weights(rank, count + 1);
  for (Index k = 0; k < rank; ++k) {
    const double value = weights(k, 0) = preconditioner_.eigenvalues()[k];
    for (Index l = 0; l < count; ++l) weights(k, l + 1) = value / (value + lambdas[l]);
  }
  parallel_for(tiles, [&](Index tile) {
    const Index first = tile * rows_at_a_time, rows = std::min(rows_at_a_time, n - first);
    Neighbourhood at(*this, lambdas, weights.view());
    at.gather(first, rows);
    for (Index i = first; i < first + rows; ++i) {
      at.set_row(i, (i - first) * size_);
      for (Index l = 0; l < count; ++l) {
        base(i, l) = at.solve(l);
        for (Index p = l * s; p < (l + 1) * s; ++p) near(i, p) = products(i, p) - at.share(products.col(p));
      }
    }
    worked(static_cast<double>(rows * size_ * size_ * (rank + 8 * size_) * (count + 1)));
  });
}

}  // namespace freeridge
