// Dual band route, for any kernel and many lambdas at large n: Z'K_wZ = Q B Q' with B banded (band_reduction.hpp), and
// no eigenvectors. With ZQ (n x m) and Gamma = (ZQ)'Y~ a lambda costs a banded factorization B + lambda I = L L':
//     T = ZQ L^-T                               row by row, 2 n m b flops (band_kernels.hpp)
//     diag P = the squared norms of the rows of T,   P_SS = T_S T_S'
//     P Y~ = ZQ (B + lambda I)^-1 Gamma,   |P Y~| = |(B + lambda I)^-1 Gamma|,   Y~'P Y~ = |L^-1 Gamma|^2
//     log|Z'GZ| = 2 sum log L_ii,   tr P = tr (B + lambda I)^-1 by the inverse within the band
//     H_ii = 1 - rho P~_ii;  above the largest eigenvalue, where that loses digits, q1_i^2 + (K_ii - |L^-1 B q_i|^2) /
//     lambda, q_i row i of ZQ
// s = smallest eigenvalue + lambda. Once: n^2 kernel values, 4/3 m^3 flops for B; 4/3 m^3 more for Q, which GCV, REML,
// the solution and predictions do without: it is formed when rows of it are first needed. Memory: n^2, K's place, where
// the reflectors and then Q stay.
// A lambda has units of its own, a power of two next to its largest eigenvalue of B + lambda I, so that squares of the
// inverse exist at any scale of x.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <shared_mutex>

#include "libcore/factor/contrast.hpp"
#include "libcore/factor/refinement.hpp"
#include "libcore/factor/routes.hpp"
#include "libcore/factor/row_block.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/band_kernels.hpp"
#include "libcore/linalg/banded.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double indefinite = 1e-8;  // of the largest eigenvalue, as in spectral.cpp
constexpr Index strip = BandKernels::strip;
constexpr Index most_tile_rows = 256;           // a matrix product's worth of rows, and a piece of work for a thread
constexpr Index coefficient_doubles = 1 << 21;  // of the factors of the lambdas that are swept together: 16 MiB
constexpr Index answer_doubles = 1 << 20;       // of residuals and diagonals in hand
constexpr Index solved_columns = 512;           // of T at once, for a block of rows

// (B + lambda I) / unit = L L' and what follows from it alone; s in these units.
struct BandFactor {
  BandedCholesky l;
  Matrix half;  // L^-1 Gamma, m x t
  Matrix full;  // (L L')^-1 Gamma, m x t
  double unit, s;
};

class Band final : public Factorization {
 public:
  Band(ProblemPtr problem, Index bandwidth, bool with_basis, const Progress& progress);

  Route route() const override { return Route::band; }
  Range eigenvalue_range() const override;
  double tolerance() const override { return tolerance_; }
  std::unique_ptr<ResidualMaker> at(double lambda) const override;
  // What a lambda leaves is as large as Gamma, twice: one at a time.
  bool at_is_free() const override { return false; }
  std::unique_ptr<RowBlock> rows(std::span<const Index> which) const override;
  void sweep(std::span<const double> lambdas, Index first, Index outputs, SweepSink& sink,
             const Progress& progress) const override;

  const Contrast& contrast() const { return contrast_; }
  const BandMatrix& b() const { return b_; }
  Index bandwidth() const { return b_.bandwidth(); }
  const BandKernels& kernels() const { return kernels_; }
  double largest() const { return bounds_.largest; }
  std::span<const double> k_q1() const { return k_q1_; }

  // Throws NOT_POSITIVE_DEFINITE.
  BandFactor factor(double lambda) const;
  // Z Q c in the rows of `out` (n x k), from C = rows(out); and (ZQ)'v in rows(v) from v.
  void expand(MatrixView out) const;
  MatrixView reduce(MatrixView v) const;

  // Forms Q now, if it is not.
  void require_basis() const;
  // `count` rows of ZQ, of its columns [col, col + cols), as strips: each padded(cols) x strip by columns, zeros
  // beyond.
  template <class RowOf>
  void pack(Index count, const RowOf& row_of, Index col, Index cols, double* strips) const;
  // Rows [row, row + out.rows) of ZQ g.
  void multiply_rows(Index row, ConstMatrixView g, MatrixView out) const;
  // L and its coefficients, in flops.
  double work_of_factor() const {
    return 40.0 * static_cast<double>(contrast_.m() * bandwidth()) + static_cast<double>(gamma_.rows() * gamma_.cols());
  }
  static Index strip_doubles(Index cols) { return BandKernels::padded(cols) * strip; }
  Index strip_doubles() const { return strip_doubles(contrast_.m()); }
  // Pieces of work, whatever the number of threads: the answers must not depend on it.
  Index tile_rows() const { return std::clamp((problem().n() / 8 + strip - 1) / strip * strip, strip, most_tile_rows); }
  // diag(P) at several lambdas (row_coefficients of each), rows [row, row + out.rows) x lambdas, over unit.
  void squared_norms(Index row, std::span<const std::vector<double>> coefficients, MatrixView out) const;

 private:
  BandKernels kernels_ = band_kernels().front();
  Contrast contrast_;
  Matrix storage_;
  BandMatrix b_;
  std::vector<double> k_q1_;
  double constant_part_ = 0;           // q1'K_w q1
  mutable std::shared_mutex forming_;  // held alone while Q is formed
  mutable std::optional<BandBasis> basis_;
  std::vector<double> tail_;  // Q'v[1:] of the contrast's reflector; empty without intercept
  Matrix gamma_;              // m x t
  EigenvalueBounds bounds_{0, 0};
  double tolerance_ = 0;
};

Band::Band(ProblemPtr the_problem, Index bandwidth, bool with_basis, const Progress& progress)
    : Factorization(std::move(the_problem)),
      contrast_(problem().n(), problem().q1),
      storage_(problem().n(), problem().n()),
      k_q1_(problem().q1.size()) {
  const Problem& p = problem();
  const Index n = p.n(), m = contrast_.m();
  const double reduced = with_basis ? 0.5 : 0.95;  // of the time, by the usual rates
  weighted_kernel_matrix(*p.kernel, p.x, p.shift, p.sqrt_w, storage_.view(), progress.part(0, 0.05));
  if (contrast_.active()) {
    symv(storage_.view(), p.q1.data(), k_q1_.data());
    constant_part_ = dot(n, k_q1_.data(), p.q1.data());
  }
  contrast_.reduce_symmetric(storage_.view());
  basis_.emplace(contrast_.inner(storage_.view()), bandwidth, b_, progress.part(0.05, reduced));
  for (const double value : b_.values.values())
    if (!std::isfinite(value))
      fail(Status::not_finite, "the eigenvalues of the kernel matrix overflow; rescale x or the weights");

  const double root = 4 * std::sqrt(static_cast<double>(n)) * eps;
  bounds_ = eigenvalue_bounds(b_, root);
  if (!std::isfinite(bounds_.largest))
    fail(Status::not_finite, "the eigenvalues of the kernel matrix overflow; rescale x or the weights");
  // The noise is that of spectral.cpp.
  tolerance_ = root * std::max(bounds_.largest, constant_part_);
  if (bounds_.smallest < tolerance_) bounds_.smallest = 0;
  if (p.kernel->precomputed() && bounds_.largest > 0 && !BandedCholesky::factor(b_, indefinite * bounds_.largest))
    fail(Status::invalid_argument, "x is a precomputed kernel matrix and must be positive semi-definite",
         contrast_.active() ? " (but for a constant)" : "", ", but it has an eigenvalue below ",
         -indefinite * bounds_.largest, " and its largest is ", bounds_.largest);

  Matrix y(n, p.t());
  std::copy(p.y_tilde.values().begin(), p.y_tilde.values().end(), y.values().begin());
  const MatrixView reduced_y = reduce(y.view());
  gamma_ = Matrix(m, p.t());
  for (Index j = 0; j < p.t(); ++j) std::copy_n(reduced_y.col(j), m, gamma_.col(j));
  if (contrast_.active()) {
    tail_.assign(contrast_.tail().begin(), contrast_.tail().end());
    basis_->multiply_transposed({tail_.data(), m, 1, std::max<Index>(m, 1)});
  }
  if (with_basis) basis_->form(progress.part(reduced, 1));
  progress.report(1);
}

Factorization::Range Band::eigenvalue_range() const {
  const double largest = bounds_.largest;
  if (!(largest > tolerance_)) return {0, 0};
  // A search begins at a thousandth of the smallest; below the tolerance there is no answer.
  return {std::min(bounds_.smallest > 0 ? bounds_.smallest : 1000 * tolerance_, largest), largest};
}

BandFactor Band::factor(double lambda) const {
  const double most = std::max(bounds_.largest, lambda), unit = most > 0 ? std::exp2(std::ilogb(most)) : 1;
  std::optional<BandedCholesky> l;
  if (lambda >= tolerance_ || bounds_.smallest > 0) l = BandedCholesky::factor(b_, lambda / unit, unit);
  if (!l)
    fail(Status::not_positive_definite, "K + lambda I is numerically singular at lambda = ", lambda, " (below ",
         tolerance_, " the eigenvalues are rounding); use a larger lambda or the SPECTRAL route");
  BandFactor out{std::move(*l), Matrix(gamma_.rows(), gamma_.cols()), Matrix(gamma_.rows(), gamma_.cols()), unit,
                 bounds_.smallest / unit + lambda / unit};
  std::copy(gamma_.values().begin(), gamma_.values().end(), out.half.values().begin());
  out.l.half_solve(out.half.view());
  std::copy(gamma_.values().begin(), gamma_.values().end(), out.full.values().begin());
  out.l.solve(out.full.view());
  return out;
}

void Band::expand(MatrixView out) const {
  {
    const std::shared_lock lock(forming_);
    basis_->multiply(contrast_.rows(out));
  }
  contrast_.expand(out);
}

MatrixView Band::reduce(MatrixView v) const {
  const MatrixView inner = contrast_.reduce(v);
  const std::shared_lock lock(forming_);
  basis_->multiply_transposed(inner);
  return inner;
}

void Band::require_basis() const {
  {
    const std::shared_lock lock(forming_);
    if (basis_->formed()) return;
  }
  const std::lock_guard lock(forming_);
  if (!basis_->formed()) basis_->form(Progress());
}

// Row i of Z is e_(i - 1)' - f_i v[1:]' (no first term for i = 0).
template <class RowOf>
void Band::pack(Index count, const RowOf& row_of, Index col, Index cols, double* strips) const {
  const ConstMatrixView q = basis_->q();
  const Index offset = problem().n() - contrast_.m();
  std::fill_n(strips, (count + strip - 1) / strip * strip_doubles(cols), 0.0);
  for (Index first = 0; first < count; first += strip) {
    double* const to = strips + first / strip * strip_doubles(cols);
    const Index rows = std::min(strip, count - first);
    Index from[strip];
    double factor[strip];
    bool together = true;  // rows of Q next to each other, as they are for all but groups
    for (Index i = 0; i < rows; ++i) {
      const Index row = row_of(first + i);
      from[i] = row - offset;
      factor[i] = contrast_.active() ? contrast_.row_factor(row) : 0;
      together = together && from[i] >= 0 && from[i] == from[0] + i;
    }
    for (Index j = 0; j < cols; ++j) {
      const double* const column = q.col(col + j);
      double* const values = to + j * strip;
      if (together)
        std::copy_n(column + from[0], rows, values);
      else
        for (Index i = 0; i < rows; ++i) values[i] = from[i] >= 0 ? column[from[i]] : 0;
      if (!contrast_.active()) continue;
      const double tail = tail_[static_cast<std::size_t>(col + j)];
      for (Index i = 0; i < rows; ++i) values[i] -= factor[i] * tail;
    }
  }
}

void Band::multiply_rows(Index row, ConstMatrixView g, MatrixView out) const {
  const Index offset = problem().n() - contrast_.m(), skip = row < offset ? offset - row : 0;
  for (Index j = 0; j < out.cols; ++j) std::fill_n(out.col(j), skip, 0.0);
  gemm(Op::none, Op::none, 1, basis_->q().row_range(row + skip - offset, out.rows - skip), g, 0,
       out.row_range(skip, out.rows - skip));
  if (!contrast_.active()) return;
  for (Index j = 0; j < out.cols; ++j) {
    const double projection = dot(g.rows, tail_.data(), g.col(j));
    for (Index i = 0; i < out.rows; ++i) out(i, j) -= contrast_.row_factor(row + i) * projection;
  }
}

// Blocks of columns outside, lambdas inside: a block of the rows stays in the L2 cache while the lambdas go by, each
// with its last b columns of T in a room of its own.
void Band::squared_norms(Index row, std::span<const std::vector<double>> coefficients, MatrixView out) const {
  const Index m = contrast_.m(), b = bandwidth(), strips = (out.rows + strip - 1) / strip, room_doubles = 2 * b * strip;
  const auto lambdas = static_cast<Index>(coefficients.size());
  std::vector<double> q(static_cast<std::size_t>(strips * strip_doubles(std::min(m, solved_columns))));
  std::vector<double> rooms(static_cast<std::size_t>(strips * lambdas * room_doubles), 0.0);
  Matrix sums(strip, strips * lambdas, 0.0);
  for (Index col = 0; col < m; col += solved_columns) {
    const Index cols = std::min(solved_columns, m - col);
    pack(
        out.rows, [&](Index i) { return row + i; }, col, cols, q.data());
    for (Index piece = 0; piece < strips; ++piece)
      for (Index l = 0; l < lambdas; ++l)
        kernels_.squared_norms(BandKernels::padded(cols), b, q.data() + piece * strip_doubles(cols),
                               coefficients[static_cast<std::size_t>(l)].data() + col * BandKernels::stride(b),
                               rooms.data() + (piece * lambdas + l) * room_doubles, sums.col(piece * lambdas + l));
  }
  for (Index l = 0; l < lambdas; ++l)
    for (Index i = 0; i < out.rows; ++i) out(i, l) = sums(i % strip, i / strip * lambdas + l);
}

void Band::sweep(std::span<const double> lambdas, Index first_output, Index t, SweepSink& sink,
                 const Progress& progress) const {
  // Some lambdas together, so that Q is read from memory once for them; rows of Q that stay in the cache outside, the
  // lambdas inside.
  require_basis();
  const Index n = problem().n(), m = contrast_.m(), total = static_cast<Index>(lambdas.size());
  const Index height = tile_rows(), tiles = (n + height - 1) / height;
  const int team = team_size(tiles, 2.0 * static_cast<double>(n * m * (bandwidth() + 2)) * static_cast<double>(total));
  const Index chunk = std::clamp<Index>(
      std::min(coefficient_doubles / (m * BandKernels::stride(bandwidth()) + 1), answer_doubles / (height * (t + 1))),
      1, total);
  for (Index first = 0; first < total; first += chunk) {
    const Index wanted = std::min(chunk, total - first);
    struct Swept {
      Matrix full;
      double s;
      std::string reason;  // why there is no answer
    };
    std::vector<Swept> factors(static_cast<std::size_t>(wanted));
    std::vector<std::vector<double>> rows_of(factors.size());
    parallel_for(
        wanted, Progress(),
        [&](Index l) {
          const auto at = static_cast<std::size_t>(l);
          try {
            BandFactor f = factor(lambdas[static_cast<std::size_t>(first + l)]);
            rows_of[at] = f.l.row_coefficients();
            factors[at] = {std::move(f.full), f.s, {}};
          } catch (const Error& error) {
            if (error.status() != Status::not_positive_definite) throw;
            factors[at].reason = error.what();
          }
        },
        work_of_factor() * static_cast<double>(wanted));
    // Runs of lambdas that have an answer.
    for (Index begin = 0, end; begin < wanted; begin = end) {
      const auto reason = [&](Index l) -> const std::string& { return factors[static_cast<std::size_t>(l)].reason; };
      end = begin + 1;
      if (!reason(begin).empty()) {
        sink.undefined(first + begin, reason(begin));
        continue;
      }
      while (end < wanted && reason(end).empty()) ++end;
      const Index count = end - begin;
      Matrix g(m, count * t);
      for (Index l = 0; l < count; ++l) {
        const Swept& f = factors[static_cast<std::size_t>(begin + l)];
        for (Index j = 0; j < t; ++j)
          for (Index k = 0; k < m; ++k) g(k, l * t + j) = f.s * f.full(k, first_output + j);
      }
      Matrix residual(height, team * count * t), diagonal(height, team * count);
      const auto rows_in = [&](Index tile) { return std::min(height, n - tile * height); };
      const auto residual_of = [&](Index tile, int worker) {
        return residual.view().block(0, worker * count * t, rows_in(tile), count * t);
      };
      const auto diagonal_of = [&](Index tile, int worker) {
        return diagonal.view().block(0, worker * count, rows_in(tile), count);
      };
      const auto done = [&](Index lambda) { return static_cast<double>(lambda) / static_cast<double>(total); };
      parallel_in_order(
          tiles, team, progress.part(done(first + begin), done(first + end)),
          [&](Index tile, int worker) {
            const MatrixView d = diagonal_of(tile, worker);
            multiply_rows(tile * height, g.view(), residual_of(tile, worker));
            squared_norms(tile * height,
                          std::span(rows_of).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)),
                          d);
            for (Index l = 0; l < count; ++l)
              for (Index i = 0; i < d.rows; ++i) d(i, l) *= factors[static_cast<std::size_t>(begin + l)].s;
          },
          [&](Index tile, int worker) {
            sink.tile(tile * height, first + begin, count, residual_of(tile, worker), diagonal_of(tile, worker));
          });
    }
  }
}

// ---- one lambda ----

class BandMaker final : public ResidualMaker {
 public:
  BandMaker(const Band& factor, double lambda) : band_(factor), lambda_(lambda), f_(factor.factor(lambda)) {}

  void residual(Index first, MatrixView out) const override {
    coefficients(first, out);
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < out.rows; ++i) out(i, j) *= f_.s * f_.unit;
  }

  void diagonal(std::span<double> out) const override { each_squared_norm(f_.s, out); }

  void residual_and_diagonal(Index first, MatrixView out, std::span<double> diagonal_out) const override {
    diagonal(diagonal_out);  // first: it forms Q, and the residual is the same to the last bit whenever it is asked for
    residual(first, out);
  }

  double trace() const override {
    const BandMatrix z = f_.l.inverse_band();
    double sum = 0;
    for (Index j = 0; j < z.size(); ++j) sum += z.values(0, j);
    return f_.s * sum;
  }

  double shrinkage() const override { return f_.s == 0 ? 1 : lambda_ / f_.unit / f_.s; }  // 0/0: no eigenvalues

  void leverage(std::span<double> out) const override {
    if (!is_faint()) {
      diagonal(out);
      for (double& value : out) value = 1 - shrinkage() * value;
      return;
    }
    faint_leverage(out);
  }

  double degrees_of_freedom() const override {
    const Problem& problem = band_.problem();
    if (!is_faint()) return static_cast<double>(problem.n()) - shrinkage() * trace();
    return band_inner_product(band_.b(), f_.l.inverse_band()) / f_.unit + (problem.intercept ? 1 : 0);
  }

  double log_determinant() const override {
    return f_.l.log_determinant() + static_cast<double>(f_.l.size()) * std::log(f_.unit);
  }
  double quadratic_form(Index output) const override {
    return dot(f_.half.rows(), f_.half.col(output), f_.half.col(output)) / f_.unit;
  }
  double squared_norm(Index output) const override {
    return f_.s * dot(f_.full.rows(), f_.full.col(output), f_.full.col(output)) * f_.s;
  }

  void coefficients(Index first, MatrixView out) const override {
    const MatrixView inner = band_.contrast().rows(out);
    for (Index j = 0; j < out.cols; ++j)
      for (Index k = 0; k < inner.rows; ++k) inner(k, j) = f_.full(k, first + j) / f_.unit;
    band_.expand(out);
  }

  void solve(Index first, Index count, Solution& solution) const override {
    Matrix c(band_.problem().n(), count);
    coefficients(first, c.view());
    set_expansion(band_.problem(), band_.k_q1(), first, c.view(), solution);
  }

  void refine(Index first, Index count, Index steps, Solution& solution, const Progress& progress) const override {
    if (band_.problem().linear())
      fail(Status::invalid_state, "the BAND route refines no linear kernel; set the route PRIMAL");
    const auto apply = [&](MatrixView v) {  // v = P v
      const MatrixView inner = band_.reduce(v);
      f_.l.solve(inner);
      for (Index j = 0; j < inner.cols; ++j)
        for (Index k = 0; k < inner.rows; ++k) inner(k, j) /= f_.unit;
      band_.expand(v);
    };
    refine_expansion(band_.problem(), apply, lambda_, first, count, steps, solution, progress);
  }

  void smoother(const LayoutView& points, Index first, MatrixView a, std::span<double> variance) const override {
    const Problem& problem = band_.problem();
    Matrix kappa(problem.n(), std::max(a.cols, static_cast<Index>(variance.size())));
    std::vector<double> prior(variance.size());
    centred_cross_kernel(problem, band_.k_q1(), points, first, kappa.view(), prior);
    const MatrixView inner = band_.reduce(kappa.view());
    Matrix half(inner.rows, static_cast<Index>(variance.size()));
    for (Index q = 0; q < half.cols(); ++q) std::copy_n(inner.col(q), inner.rows, half.col(q));
    f_.l.half_solve(half.view());
    for (Index q = 0; q < half.cols(); ++q)
      variance[static_cast<std::size_t>(q)] = prior[static_cast<std::size_t>(q)] +
                                              (problem.intercept ? lambda_ / problem.sum_w : 0) -
                                              dot(half.rows(), half.col(q), half.col(q)) / f_.unit;
    if (a.cols == 0) return;
    f_.l.solve(inner);
    band_.expand(kappa.view());
    for (Index q = 0; q < a.cols; ++q)
      for (Index i = 0; i < a.rows; ++i) a(i, q) = problem.smoother(i, kappa(i, q) / f_.unit);
  }

  const BandFactor& factor() const { return f_; }

 private:
  bool is_faint() const { return lambda_ >= band_.largest(); }

  void each_squared_norm(double factor, std::span<double> out) const {
    band_.require_basis();
    const Index n = band_.problem().n(), height = band_.tile_rows();
    const std::vector<double> rows_of[1] = {f_.l.row_coefficients()};
    parallel_for((n + height - 1) / height, Progress(),
                 [&](Index tile) {
                   const Index row = tile * height, rows = std::min(height, n - row);
                   const MatrixView part{out.data() + row, rows, 1, rows};
                   band_.squared_norms(row, rows_of, part);
                   for (Index i = 0; i < rows; ++i) part(i, 0) *= factor;
                 },
                 2.0 * static_cast<double>(n * f_.l.size() * band_.bandwidth()));
  }

  void faint_leverage(std::span<double> out) const {
    band_.require_basis();
    const Index n = band_.problem().n(), m = f_.l.size(), b = band_.bandwidth();
    const std::vector<double>& q1 = band_.problem().q1;
    const std::vector<double> rows_of = f_.l.row_coefficients();
    const double lambda = lambda_ / f_.unit;
    parallel_for((n + strip - 1) / strip, Progress(), [&](Index piece) {
      const Index row = piece * strip, rows = std::min(strip, n - row);
      const auto size = static_cast<std::size_t>(band_.strip_doubles());
      std::vector<double> q(size), bq(size, 0.0), room(static_cast<std::size_t>(2 * b * strip), 0.0);
      double own[strip] = {}, sums[strip] = {};  // q_i'B q_i, |L^-1 B q_i|^2
      band_.pack(
          rows, [&](Index i) { return row + i; }, 0, m, q.data());
      const auto add = [&](Index to, Index from, double value) {
        for (Index i = 0; i < strip; ++i)
          bq[static_cast<std::size_t>(to * strip + i)] += value * q[static_cast<std::size_t>(from * strip + i)];
      };
      for (Index j = 0; j < m; ++j) {
        add(j, j, band_.b().values(0, j) / f_.unit);
        for (Index d = 1; d <= b && j + d < m; ++d) {
          add(j + d, j, band_.b().values(d, j) / f_.unit);
          add(j, j + d, band_.b().values(d, j) / f_.unit);
        }
      }
      for (std::size_t k = 0; k < size; ++k) own[k % strip] += q[k] * bq[k];
      band_.kernels().squared_norms(BandKernels::padded(m), b, bq.data(), rows_of.data(), room.data(), sums);
      for (Index i = 0; i < rows; ++i) {
        const auto at = static_cast<std::size_t>(row + i);
        out[at] = (own[i] - sums[i]) / lambda + (q1.empty() ? 0 : q1[at] * q1[at]);
      }
    });
  }

  const Band& band_;
  double lambda_;
  BandFactor f_;
};

// ---- rows ----

// Keeps the rows of ZQ, s m doubles. A lambda costs 2 s m b and s^2 m.
class BandRows final : public RowBlock {
 public:
  BandRows(const Band& factor, std::span<const Index> which) : band_(factor), count_(static_cast<Index>(which.size())) {
    band_.require_basis();
    rows_.resize(static_cast<std::size_t>((count_ + strip - 1) / strip * band_.strip_doubles()));
    band_.pack(
        count_, [&](Index i) { return which[static_cast<std::size_t>(i)]; }, 0, factor.contrast().m(), rows_.data());
  }

  bool left_out(const ResidualMaker& of_factor, Index first, MatrixView out) const override {
    const auto& maker = static_cast<const BandMaker&>(of_factor);
    const Index m = maker.factor().l.size(), b = band_.bandwidth(), strips = (count_ + strip - 1) / strip;
    const std::vector<double> rows_of = maker.factor().l.row_coefficients();
    // T by columns, and P~_SS += s T T', P~Y~ = s T (L^-1 Gamma)
    Matrix t(strips * strip, solved_columns), p(count_, count_, 0.0);
    Matrix solved(strip, (b + solved_columns) * strips, 0.0);
    for (Index j = 0; j < out.cols; ++j) std::fill_n(out.col(j), out.rows, 0.0);
    for (Index col = 0; col < m; col += solved_columns) {
      const Index columns = std::min(solved_columns, m - col);
      parallel_for(strips, Progress(), [&](Index piece) {
        double sums[strip];
        double* const from = solved.col(piece * (b + solved_columns));
        band_.kernels().solve(BandKernels::padded(columns), b,
                              rows_.data() + piece * band_.strip_doubles() + col * strip,
                              rows_of.data() + col * BandKernels::stride(b), from, sums);
        for (Index j = 0; j < columns; ++j) std::copy_n(from + (b + j) * strip, strip, t.col(j) + piece * strip);
        std::copy_n(from + columns * strip, b * strip, from);
      });
      const ConstMatrixView part = t.view().block(0, 0, count_, columns);
      syrk(Op::none, maker.factor().s, part, 1, p.view());
      gemm(Op::none, Op::none, maker.factor().s, part, maker.factor().half.view().block(col, first, columns, out.cols),
           1, out);
    }
    return solve_left_out(p.view(), out);
  }

 private:
  const Band& band_;
  Index count_;
  std::vector<double> rows_;
};

std::unique_ptr<ResidualMaker> Band::at(double lambda) const {
  return std::make_unique<BandMaker>(*this, lambda);
}

std::unique_ptr<RowBlock> Band::rows(std::span<const Index> which) const {
  return std::make_unique<BandRows>(*this, which);
}

}  // namespace

FactorizationPtr factorize_band(ProblemPtr problem, Index bandwidth, bool with_basis, const Progress& progress) {
  return std::make_shared<Band>(std::move(problem), bandwidth, with_basis, progress);
}

}  // namespace freeridge
