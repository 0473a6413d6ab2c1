#include "libcore/routes/band_route.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "libcore/linalg/banded.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/band_residual_maker.hpp"
#include "libcore/routes/routes.hpp"
#include "libcore/routes/saved_route.hpp"

namespace freeridge {
namespace {

constexpr Index most_bandwidth = 1024;  // of what is read: no route takes as much
constexpr double most_span = 0x1p27;    // of the weights: reflectors mix all rows
constexpr Index few_columns = 4;        // of q1: a product of matrices is faster for more of them

}  // namespace

Band::Band(ProblemPtr the_problem, ReducedKernel kernel, Index bandwidth, bool with_basis)
    : Factorization(std::move(the_problem)), kernel_(std::move(kernel)) {
  const Problem& p = problem();
  const double reduced = with_basis ? 0.5 : 0.95;  // of the time, by the usual rates
  Stage stage(0, reduced);
  basis_.emplace(kernel_.inner(), bandwidth, b_);
  if (!all_finite(b_.values.values())) fail_eigenvalues_overflow();

  bounds_ = eigenvalue_bounds(b_, relative_noise(p.n()));
  if (!std::isfinite(bounds_.largest)) fail_eigenvalues_overflow();
  tolerance_ = kernel_.noise(bounds_.largest);
  if (bounds_.smallest < tolerance_) bounds_.smallest = 0;
  const double below = kernel_.indefinite(bounds_.largest);
  if (p.kernel->precomputed() && bounds_.largest > 0 && !BandedCholesky::factor(b_, below))
    fail_indefinite(contrast(), text("it has an eigenvalue below ", -below, " and its largest is ", bounds_.largest));

  Matrix y = copy_of(p.y_tilde.view());
  gamma_ = copy_of(reduce(y.view()));
  if (contrast().active()) {
    tail_ = copy_of(contrast().tail());
    basis_->multiply_transposed(tail_.view());
  }
  stage.next(1);
  if (with_basis) basis_->form();
  report(1);
}

Band::Band(ProblemPtr the_problem, ReducedKernel kernel, Index bandwidth, Index formed_from, ByteReader& in)
    : Factorization(std::move(the_problem)), kernel_(std::move(kernel)) {
  const Index m = contrast().m(), t = problem().t();
  b_ = load_band_matrix(in, bandwidth, m);
  bounds_.smallest = in.number("the smallest eigenvalue", any_finite);
  bounds_.largest = in.number("the largest eigenvalue", any_finite);
  if (bounds_.smallest < 0 || bounds_.largest < bounds_.smallest)
    fail(Status::corrupt, "the saved eigenvalues are from ", bounds_.smallest, " to ", bounds_.largest);
  tolerance_ = kernel_.noise(bounds_.largest);
  Array<double> tau = in.vector("the reflectors", orthonormal, std::max<Index>(m - bandwidth, 0));
  basis_.emplace(kernel_.inner(), bandwidth, std::move(tau), formed_from);
  basis_->each_run([&](Span<double> run) { in.numbers("the reflectors", orthonormal, run); });
  tail_ = in.matrix("Q'v", any_finite, m, contrast().q());
  in.require("Gamma", m, t);
  gamma_ = Matrix(m, t);
  in.any_numbers("Gamma", gamma_.values());
}

void Band::save(ByteWriter& out) const {
  const std::shared_lock lock(forming_);
  out.integer(bandwidth() / 16);
  out.integer(basis_->formed_from());
  kernel_.save(out);
  save_band_matrix(b_, out);
  out.number(bounds_.smallest);
  out.number(bounds_.largest);
  out.numbers(basis_->tau());
  basis_->each_run([&](Span<const double> run) { out.numbers(run); });
  out.matrix(tail_.view());
  out.matrix(gamma_.view());
}

std::shared_ptr<const void> Band::hold() const {
  return std::make_shared<std::shared_lock<std::shared_mutex>>(held_);
}

EigenvalueRange Band::eigenvalue_range() const {
  return range_above(tolerance_, bounds_);
}

Eigenvalues Band::eigenvalues() const {
  Eigenvalues out{banded_eigenvalues(b_), {}};
  out.noise.assign(out.value.size(), tolerance_);
  return out;
}

BandFactor Band::factor(double lambda) const {
  if (const double span = weight_span(problem().weights); span > most_span)
    fail(Status::not_positive_definite, "the weights differ by a factor of ", span,
         ", and to the BAND route rows of low weight are rounding beside those of high weight; use the CHOLESKY or "
         "SPECTRAL route");
  const double unit = banded_unit(bounds_.largest, lambda);
  std::optional<BandedFactor> out;
  const bool nothing_to_solve = gamma_.rows() == 0;  // one point with an intercept
  if (lambda >= tolerance_ || bounds_.smallest > 0 || nothing_to_solve)
    out = banded_factor(b_, unit, lambda, gamma_.view());
  if (!out)
    fail(Status::not_positive_definite, "K + lambda I is numerically singular at lambda = ", lambda, " (below ",
         tolerance_, " the eigenvalues are rounding); use a larger lambda or the SPECTRAL route");
  return {std::move(*out), bounds_.smallest / unit + lambda / unit};
}

void Band::expand(MatrixView out) const {
  {
    std::shared_lock lock(forming_, std::defer_lock);
    lock_patiently(lock);
    basis_->multiply(contrast().rows(out));
  }
  contrast().expand(out);
}

MatrixView Band::reduce(MatrixView v) const {
  const MatrixView inner = contrast().reduce(v);
  std::shared_lock lock(forming_, std::defer_lock);
  lock_patiently(lock);
  basis_->multiply_transposed(inner);
  return inner;
}

void Band::require_basis() const {
  {
    std::shared_lock lock(forming_, std::defer_lock);
    lock_patiently(lock);
    if (basis_->formed()) return;
  }
  std::unique_lock allowed(held_, std::defer_lock), lock(forming_, std::defer_lock);
  lock_patiently(allowed);
  lock_patiently(lock);
  if (!basis_->formed()) basis_->form();
}

// Row i of Z is e_(i - q)' - f_i V[q:]' (no first term for i < q).
void Band::pack(Span<const Index> which, Index col, Index cols, double* strips, Index apart) const {
  const ConstMatrixView q = basis_->q();
  const Index offset = contrast().q(), count = static_cast<Index>(which.size());
  const ConstMatrixView factors = contrast().factors();
  Array<double> factor(strip * offset);
  Matrix more(offset > few_columns ? count : 0, cols);  // f V[q:]' of all rows at once
  if (more.rows() > 0) {
    gemm(Op::none, Op::transpose, 1, picked_rows(factors, which).view(), tail_.view().row_range(col, cols), 0,
         more.view());
  }
  for (Index first = 0; first < count; first += strip) {
    double* const to = strips + first / strip * apart;
    std::fill_n(to, strip_doubles(cols), 0.0);
    const Index rows = std::min(strip, count - first);
    Index from[strip];
    bool together = true;  // rows of Q next to each other, as they are for all but groups
    for (Index i = 0; i < rows; ++i) {
      const Index row = which[first + i];
      from[i] = row - offset;
      for (Index k = 0; k < offset; ++k) factor[k * strip + i] = factors(row, k);
      together = together && from[i] >= 0 && from[i] == from[0] + i;
    }
    for (Index j = 0; j < cols; ++j) {
      const double* const column = q.col(col + j);
      double* const values = to + j * strip;
      if (together)
        std::copy_n(column + from[0], rows, values);
      else
        for (Index i = 0; i < rows; ++i) values[i] = from[i] >= 0 ? column[from[i]] : 0;
      if (more.rows() > 0) {
        for (Index i = 0; i < rows; ++i) values[i] -= more(first + i, j);
        continue;
      }
      for (Index k = 0; k < offset; ++k) {
        const double tail = tail_(col + j, k);
        const double* const of_rows = factor.data() + k * strip;
        for (Index i = 0; i < rows; ++i) values[i] -= of_rows[i] * tail;
      }
    }
  }
}

void Band::multiply_rows(Index row, ConstMatrixView g, MatrixView out) const {
  const Index offset = contrast().q(), skip = std::clamp<Index>(offset - row, 0, out.rows);
  for (Index j = 0; j < out.cols; ++j) std::fill_n(out.col(j), skip, 0.0);
  gemm(Op::none, Op::none, 1, basis_->q().row_range(row + skip - offset, out.rows - skip), g, 0,
       out.row_range(skip, out.rows - skip));
  if (!contrast().active()) return;
  Matrix projection(offset, g.cols);
  gemm(Op::transpose, Op::none, 1, tail_.view(), g, 0, projection.view());
  gemm(Op::none, Op::none, -1, contrast().factors().row_range(row, out.rows), projection.view(), 1, out);
}

std::unique_ptr<ResidualMaker> Band::at(double lambda) const {
  return std::make_unique<BandResidualMaker>(*this, lambda);
}

std::unique_ptr<RowBlock> Band::rows(Span<const Index> which) const {
  return std::make_unique<BandRows>(*this, which);
}

FactorizationPtr factorize_band(ProblemPtr problem, Index bandwidth, bool with_basis) {
  Stage stage(0, 0.05);
  ReducedKernel kernel(*problem, Pivot::first);
  stage.next(1);
  return std::make_shared<Band>(std::move(problem), std::move(kernel), bandwidth, with_basis);
}

FactorizationPtr load_band(ProblemPtr problem, ByteReader& in) {
  const Index m = problem->degrees(), b = in.integer("bandwidth", 1, most_bandwidth / 16) * 16;
  const Index reflectors = std::max<Index>(m - b, 0), formed_from = in.integer("part of Q", 0, reflectors);
  // The file must hold at least the band and the reflectors, as one triangle: the rest is checked where it is read.
  ReducedKernel kernel(*problem, in, triangle_numbers(reflectors) + m, Pivot::first);
  return std::make_shared<Band>(std::move(problem), std::move(kernel), b, formed_from, in);
}

}  // namespace freeridge
