#include "libcore/routes/primal_sparse_route.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/linalg/banded.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/band_route.hpp"
#include "libcore/routes/linear_features.hpp"
#include "libcore/routes/primal_sparse_maker.hpp"

namespace freeridge {
namespace {

constexpr double largest_square = 1e300;  // of a column of x: sums of them are finite, too
constexpr Index gram_rows = 4096;         // whose entries are in hand
constexpr Index dense_rows = 512;         // of a dense tile
constexpr double dense_from = 0.15;       // entries over n d from which a product of dense tiles is faster
constexpr Index solved_columns = 64;      // of Z at once: they and the rows of Q they come from stay in the cache
constexpr int bisections = 48;

// g(i, j) += sum_rows w x_i x_j (i >= j) for the columns j from `from` to `to`.
void add_products(const SparseTile& tile, Span<const double> sqrt_w, Index from, Index to, MatrixView g) {
  for (std::size_t i = 0; i + 1 < tile.start.size(); ++i) {
    const auto end = tile.column.begin() + tile.start[i + 1];
    const double w = sqrt_w[i] * sqrt_w[i];
    for (auto k = std::lower_bound(tile.column.begin() + tile.start[i], end, from); k != end && *k < to; ++k) {
      double* const column = g.col(*k);
      const double* value = tile.value.data() + (k - tile.column.begin());
      const double w_x = w * *value;
      for (auto other = k; other != end; ++other, ++value) column[*other] += w_x * *value;
    }
    worked(touched * static_cast<double>(tile.start[i + 1] - tile.start[i]));
  }
}

// X'W X in the lower triangle, x over scale, not centred.
void add_sparse(const Problem& problem, MatrixView g) {
  const Index n = problem.n(), d = problem.d(), shares = thread_count();
  const double each = static_cast<double>(problem.x.entries()) / static_cast<double>(n);
  parallel_for(
      shares,
      [&](Index share) {
        SparseTile tile;
        for (Index row = 0; row < n; row += gram_rows) {
          const Index count = std::min(gram_rows, n - row);
          problem.scaled_entries(row, count, tile);
          add_products(tile, Span(problem.sqrt_w).subspan(row), d * share / shares, d * (share + 1) / shares, g);
        }
      },
      static_cast<double>(n) * each * each);
}

void add_dense(const Problem& problem, MatrixView g) {
  Matrix room(std::min(dense_rows, problem.n()), problem.d());
  for (Index row = 0; row < problem.n(); row += dense_rows) {
    const MatrixView tile = room.view().row_range(0, std::min(dense_rows, problem.n() - row));
    problem.weighted_rows(row, tile);
    syrk(Op::transpose, 1, tile, 1, g);
    report(fraction(row + tile.rows, problem.n()));
  }
}

// Whether each column of x is one number (0 where nothing is centred), so that X~ = 0.
bool nothing_varies(const Problem& problem) {
  const auto centre = [&](Index k) {
    return problem.shift.empty() ? 0 : problem.shift[static_cast<std::size_t>(k)] / (*problem.linear_scale)[k];
  };
  Array<Index> entries(problem.d(), 0);
  SparseTile tile;
  for (Index row = 0; row < problem.n(); row += gram_rows) {
    problem.scaled_entries(row, std::min(gram_rows, problem.n() - row), tile);
    for (std::size_t p = 0; p < tile.value.size(); ++p) {
      if (tile.value[p] != centre(tile.column[p])) return false;
      ++entries[tile.column[p]];
    }
  }
  for (Index k = 0; k < problem.d(); ++k)
    if (centre(k) != 0 && entries[k] < problem.n()) return false;
  return true;
}

// The columns of Q in panels.
void make_panels(MatrixView q) {
  constexpr Index columns = SparsePrimal::panel_columns;
  Matrix room(columns, q.rows);
  for (Index col = 0; col < q.cols; col += columns) {
    const Index width = std::min(columns, q.cols - col);
    const MatrixView turned{room.data(), width, q.rows, width};
    transpose(q.columns(col, width), turned);
    std::copy_n(turned.data, width * q.rows, q.col(col));
  }
}

}  // namespace

SparsePrimal::SparsePrimal(ProblemPtr the_problem) : Factorization(std::move(the_problem)) {
  const Problem& p = problem();
  basis_ = Matrix(p.d(), p.d(), 0.0);
  Stage stage(0, 0.05);
  gram(basis_.view());
  stage.next(0.5);
  {
    BandBasis basis(basis_.view(), bandwidth, b_);
    bounds_ = eigenvalue_bounds(b_, eps, bisections);
    if (!std::isfinite(bounds_.largest)) fail(Status::not_finite, "the squares of x overflow; rescale x");
    if (bounds_.smallest < tolerance_) bounds_.smallest = 0;
    stage.next(1);
    basis.form();
  }
  make_panels(basis_.view());
  set_centre();

  Matrix y = copy_of(p.y_tilde.view()), xy(p.d(), p.t(), 0.0);
  p.weight_rows(y.view());
  add_transposed(p.x, 0, p.shift, y.view(), xy.view());
  for (Index j = 0; j < p.t(); ++j)
    for (Index k = 0; k < p.d(); ++k) xy(k, j) = is_zero() ? 0 : xy(k, j) / (*p.linear_scale)[k];
  gamma_ = Matrix(p.d(), p.t());
  reduce(xy.view(), gamma_.view());
  report(1);
}

// Makes G, and sets the tolerance below which its eigenvalues are rounding.
void SparsePrimal::gram(MatrixView g) {
  const Problem& p = problem();
  if (nothing_varies(p)) return;  // G = 0
  const bool dense =
      static_cast<double>(p.x.entries()) > dense_from * static_cast<double>(p.n()) * static_cast<double>(p.d());
  if (dense)
    add_dense(p, g);
  else
    add_sparse(p, g);
  const Matrix part = parts();
  double most = 0;
  for (Index k = 0; k < p.d(); ++k) {
    double taken = 0;
    for (Index l = 0; l < p.q(); ++l) taken += p.unpenalised.nu(l) * part(k, l) * part(k, l) * p.unpenalised.nu(l);
    most = std::max(most, g(k, k) + (dense ? taken : 0));
    if (!(most < largest_square)) fail(Status::not_finite, "the squares of x overflow; rescale x");
  }
  tolerance_ = static_cast<double>(std::max<Index>(p.d(), 10)) * eps * most;
  if (p.q() == 0 || dense) return;
  for (Index l = 0; l < p.q(); ++l)
    for (Index j = 0; j < p.d(); ++j) {
      const double of_j = p.unpenalised.nu(l) * part(j, l) * p.unpenalised.nu(l);
      for (Index i = j; i < p.d() && of_j != 0; ++i) g(i, j) -= part(i, l) * of_j;
      worked(touched * static_cast<double>(p.d() - j));
    }
}

Matrix SparsePrimal::parts() const {
  const Problem& p = problem();
  Matrix out = copy_of(p.x_free.view());
  for (std::size_t k = 0; k < p.shift.size(); ++k) out(static_cast<Index>(k), 0) = p.shift[k];
  for (Index l = 0; l < p.q(); ++l)
    for (Index k = 0; k < p.d(); ++k) out(k, l) /= (*p.linear_scale)[k];
  return out;
}

void SparsePrimal::set_centre() {
  centre_ = Matrix(problem().d(), problem().q());
  reduce(parts().view(), centre_.view());
}

SparsePrimal::SparsePrimal(ProblemPtr the_problem, ByteReader& in) : Factorization(std::move(the_problem)) {
  const Index d = problem().d(), t = problem().t();
  in.require("Q", d, d);
  b_ = load_band_matrix(in, bandwidth, d);
  bounds_.smallest = in.number("the smallest eigenvalue", any_finite);
  bounds_.largest = in.number("the largest eigenvalue", any_finite);
  tolerance_ = in.number("the tolerance", any_finite);
  if (bounds_.smallest < 0 || bounds_.largest < bounds_.smallest || tolerance_ < 0)
    fail(Status::corrupt, "the saved eigenvalues are from ", bounds_.smallest, " to ", bounds_.largest,
         " with a tolerance of ", tolerance_);
  basis_ = in.matrix("Q", orthonormal, d, d);
  in.require("Gamma", d, t);
  gamma_ = Matrix(d, t);
  in.any_numbers("Gamma", gamma_.values());
  set_centre();
}

void SparsePrimal::save(ByteWriter& out) const {
  out.integer(saved_sparse);
  save_band_matrix(b_, out);
  out.number(bounds_.smallest);
  out.number(bounds_.largest);
  out.number(tolerance_);
  out.matrix(basis_.view());
  out.matrix(gamma_.view());
}

EigenvalueRange SparsePrimal::eigenvalue_range() const {
  return range_above(tolerance_, bounds_);
}

Eigenvalues SparsePrimal::eigenvalues() const {
  Eigenvalues out{banded_eigenvalues(b_), {}};
  out.value.resize(std::min(d(), problem().degrees()));
  out.noise.assign(out.value.size(), tolerance_);
  return out;
}

// d, or where some eigenvalues are rounding the number of positive pivots of B - tolerance I (Sylvester's law of
// inertia).
std::optional<Index> SparsePrimal::rank() const {
  const Index most = std::min(d(), problem().degrees());
  if (bounds_.smallest > 0) return most;
  return std::min(most, positive_pivots(b_, tolerance_));
}

BandedFactor SparsePrimal::factor(double lambda) const {
  const double added = penalty(lambda), unit = banded_unit(bounds_.largest, added);
  std::optional<BandedFactor> out;
  if (bounds_.smallest + added > tolerance_) out = banded_factor(b_, unit, added, gamma_.view());
  if (!out)
    fail(Status::not_positive_definite, "x'x + lambda I is numerically singular at lambda = ", lambda, " (below ",
         tolerance_,
         " the eigenvalues of x'x are rounding); use a larger lambda, or the reduction QR, which has the "
         "limit lambda -> 0");
  return std::move(*out);
}

Matrix SparsePrimal::hyperplane(ConstMatrixView g) const {
  Matrix w(d(), g.cols);
  each_panel([&](Index col, ConstMatrixView q) {
    gemm(Op::transpose, Op::none, 1, q, g.row_range(col, q.rows), col == 0 ? 0 : 1, w.view());
  });
  return w;
}

void SparsePrimal::reduce(ConstMatrixView v, MatrixView out) const {
  each_panel([&](Index col, ConstMatrixView q) { gemm(Op::none, Op::none, 1, q, v, 0, out.row_range(col, q.rows)); });
}

void SparsePrimal::fitted(Index row, ConstMatrixView w_s, MatrixView out) const {
  const Problem& p = problem();
  const Index ones = p.intercept ? 1 : 0;
  Matrix w = copy_of(w_s);
  for (Index j = 0; j < w.cols(); ++j)
    for (Index k = 0; k < w.rows(); ++k) w(k, j) /= (*p.linear_scale)[k];
  multiply(p.x, row, p.shift, w.view(), out);
  if (p.q() > ones) {  // the shift of an intercept is in the product
    Matrix along(out.cols, p.q());
    gemm(Op::transpose, Op::none, 1, w.view(), p.x_free.view(), 0, along.view());
    p.subtract_free(row, ones, along.view(), out);
  }
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) *= p.sqrt_w[row + i];
}

double not_one(double h) {
  return 1 - h > 256 * eps ? 1 - h : 0;
}

SparsePrimal::Entries SparsePrimal::entries(Span<const Index> which) const {
  Entries out{{}, {which.begin(), which.end()}};
  out.tile.start.assign(1, 0);
  SparseTile run;
  for (std::size_t begin = 0, end; begin < which.size(); begin = end) {  // neighbours together
    for (end = begin + 1; end < which.size() && which[end] == which[end - 1] + 1;) ++end;
    problem().scaled_entries(which[begin], static_cast<Index>(end - begin), run);
    const Index before = out.tile.start.back();
    for (std::size_t i = 1; i < run.start.size(); ++i) out.tile.start.push_back(before + run.start[i]);
    out.tile.column.insert(out.tile.column.end(), run.column.begin(), run.column.end());
    out.tile.value.insert(out.tile.value.end(), run.value.begin(), run.value.end());
  }
  return out;
}

Matrix SparsePrimal::projected_rows(Span<const Index> which) const {
  const Entries rows = entries(which);
  const auto count = static_cast<Index>(which.size());
  Matrix by_rows(count, d()), z(d(), count);
  each_panel(
      [&](Index col, ConstMatrixView q) { multiply_columns(rows.tile, 0, q, by_rows.view().columns(col, q.rows)); });
  problem().centre_and_weigh(which, centre_.view(), by_rows.view());
  transpose(by_rows.view(), z.view());
  return z;
}

void SparsePrimal::project(const Points& points, Index first, MatrixView z) const {
  Matrix rows(z.cols, d()), phi(d(), z.cols);
  linear_rows(problem(), points, first, rows.view());
  transpose(rows.view(), phi.view());
  reduce(phi.view(), z);
}

// The outer loop is over blocks of columns of Z, made for all rows; the banded solves of all rows and lambdas then
// advance by that block.
void SparsePrimal::leverages(const Entries& rows, Span<const Coefficients> at, MatrixView out) const {
  const Index count = out.rows, strips = pieces(count, strip), lambdas = std::ssize(at);
  Matrix z(strip * panel_columns, strips, 0.0), last(bandwidth * strip, strips * lambdas, 0.0),
      room(BandKernels::room_columns(bandwidth), strip), sums(strip, strips * lambdas, 0.0);
  each_panel([&](Index col, ConstMatrixView q) {
    const Index cols = q.rows;
    if (cols < panel_columns) std::ranges::fill(z.values(), 0.0);
    for (Index s = 0; s < strips; ++s) {
      const Index height = std::min(strip, count - s * strip);
      const MatrixView part{z.col(s), height, cols, strip};
      multiply_columns(rows.tile, s * strip, q, part);
      problem().centre_and_weigh(Span(rows.rows).subspan(s * strip, height), centre_.view().row_range(col, cols), part);
    }
    for (Index l = 0; l < lambdas; ++l)
      for (Index s = 0; s < strips; ++s) {
        const Index place = l * strips + s;
        kernels_.squared_norms(BandKernels::padded(cols), bandwidth, z.col(s),
                               at[l].values.data() + col * BandKernels::stride(bandwidth), last.col(place), room.data(),
                               sums.col(place));
      }
    worked(2.0 * static_cast<double>(strips * strip * cols) * static_cast<double>(bandwidth * lambdas));
  });
  for (Index l = 0; l < lambdas; ++l)
    for (Index i = 0; i < count; ++i) out(i, l) = sums(i % strip, l * strips + i / strip) / at[l].unit;
}

void SparsePrimal::leverages(Index row, Span<const BandedFactor> factors, MatrixView out) const {
  Array<Coefficients> at;
  for (const BandedFactor& f : factors) at.push_back({f.l.row_coefficients(), f.unit});
  const Index rows = sparse_pieces(problem().n(), d(), problem().t(), std::ssize(factors)).rows;
  parallel_for(pieces(out.rows, rows), [&](Index piece) {
    const MatrixView part = out.row_range(piece * rows, std::min(rows, out.rows - piece * rows));
    leverages(entries(consecutive(row + piece * rows, part.rows)), at, part);
    for (Index l = 0; l < part.cols; ++l)
      for (Index i = 0; i < part.rows; ++i) part(i, l) += problem().free_leverage(row + piece * rows + i);
  });
}

std::unique_ptr<ResidualMaker> SparsePrimal::at(double lambda) const {
  return std::make_unique<SparseMaker>(*this, lambda);
}

// C from N = Q (B + lambda I) Q', which is as exact as G; without directions.
std::optional<FeatureSystem> SparsePrimal::feature_system(double lambda) const {
  const Index p = d(), b = b_.bandwidth();
  factor(lambda);  // refuses what is singular
  Matrix banded(p, p, 0.0), turned(p, p);
  for (Index j = 0; j < p; ++j) {
    for (Index i = j; i < std::min(j + b + 1, p); ++i) banded(i, j) = banded(j, i) = b_.values(i - j, j);
    banded(j, j) += lambda;
  }
  transpose(hyperplane(banded.view()).view(), turned.view());
  FeatureSystem out;
  out.c = hyperplane(turned.view());
  if (!potrf(out.c.view()))
    fail(Status::not_positive_definite, "x'x + lambda I is numerically singular at lambda = ", lambda,
         "; use a larger lambda, or the reduction QR");
  for (Index j = 0; j < p; ++j) std::fill_n(out.c.col(j), j, 0.0);
  out.products = hyperplane(gamma_.view());
  out.complement = p < problem().degrees();
  return out;
}

// Q (B + lambda I)^-1 Z'
Matrix SparsePrimal::unit_slopes(double lambda) const {
  Matrix z = projected_rows(consecutive(0, problem().n()));
  const BandedFactor f = factor(lambda);
  f.l.solve(z.view());
  divide_by(z.view(), f.unit);
  return hyperplane(z.view());
}

std::unique_ptr<RowBlock> SparsePrimal::rows(Span<const Index> which) const {
  return std::make_unique<SparseRows>(*this, which);
}

}  // namespace freeridge
