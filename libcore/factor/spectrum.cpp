#include "libcore/factor/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/factor/lambda_basis.hpp"
#include "libcore/factor/spectrum_maker.hpp"
#include "libcore/factor/spectrum_rows.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr Index sweep_rows = 1024;         // rows of B in one product
constexpr Index square_rows = 64;          // rows of B o B at once
constexpr Index sweep_columns = 512;       // lambdas x outputs in one product, at least ...
constexpr Index sweep_doubles = 1 << 21;   // ... and more while the coefficients and the answers stay below 16 MiB each
constexpr Index worker_doubles = 3 << 21;  // a worker's tiles and answers: 48 MiB, or 64 rows
constexpr double basis_work = 1e8;         // products of B with a chunk of lambdas from which looking for a basis pays
constexpr double far_from_one = 0.1;       // N_ii above which rounding of size eps does not matter to diag P~
constexpr double orthonormal_enough = 1e-10;

// What a chunk of lambdas, or the basis of their p, asks of a tile of B.
struct Columns {
  Matrix p, p_gamma;  // r x columns; r x (columns * outputs)

  // B [p Gamma] and (B o B) p, by as many rows as `squares` has, the room for B o B: few, so that they and their squares
  // stay in the cache for both products.
  void multiply(ConstMatrixView b, MatrixView squares, MatrixView residual, MatrixView diagonal) const {
    for (Index row = 0; row < b.rows; row += squares.rows) {
      const Index rows = std::min(squares.rows, b.rows - row);
      const ConstMatrixView part = b.row_range(row, rows);
      const MatrixView room = squares.row_range(0, rows);
      for (Index k = 0; k < b.cols; ++k)
        for (Index i = 0; i < rows; ++i) room(i, k) = part(i, k) * part(i, k);
      gemm(Op::none, Op::none, 1, room, p.view(), 0, diagonal.row_range(row, rows));
      gemm(Op::none, Op::none, 1, part, p_gamma.view(), 0, residual.row_range(row, rows));
    }
  }
};

// Rows of a sweep that are handed over later.
class HeldRows {
 public:
  HeldRows(Index lambdas, Index outputs) : lambdas_(lambdas), outputs_(outputs) {}

  void hold(Index row, ConstMatrixView residual, ConstMatrixView diagonal) {
    rows.push_back(row);
    for (Index c = 0; c < residual.cols; ++c) values_.push_back(residual(0, c));
    for (Index l = 0; l < diagonal.cols; ++l) values_.push_back(diagonal(0, l));
  }
  MatrixView residual(Index s) { return {start(s), 1, lambdas_ * outputs_, 1}; }
  MatrixView diagonal(Index s) { return {start(s) + lambdas_ * outputs_, 1, lambdas_, 1}; }

  std::vector<Index> rows;

 private:
  double* start(Index s) { return values_.data() + s * lambdas_ * (outputs_ + 1); }

  Index lambdas_, outputs_;
  std::vector<double> values_;
};

// The columns of every `stride`-th output.
template <class View>
View every(View a, Index first, Index stride) {
  return {a.data + first * a.ld, a.rows, a.cols / stride, a.ld * stride};
}

}  // namespace

void add_weighted_squares(ConstMatrixView b, std::span<const double> weight, std::span<double> out) {
  for (Index k = 0; k < b.cols; ++k) {
    const double* const column = b.col(k);
    const double factor = weight[static_cast<std::size_t>(k)];
    for (Index i = 0; i < b.rows; ++i) out[static_cast<std::size_t>(i)] += column[i] * column[i] * factor;
    worked(touched * static_cast<double>(b.rows));
  }
}

SweepPieces sweep_pieces(Index r, Index t, Index lambdas) {
  const Index columns = std::max(sweep_columns, sweep_doubles / std::max(r, sweep_rows));
  const Index chunk = std::clamp<Index>(columns / t, 1, lambdas);
  return {chunk, std::clamp<Index>(worker_doubles / (2 * r + 2 * chunk * (t + 1)), 64, sweep_rows), square_rows};
}

void SpectrumFactorization::set_spectrum(Spectrum spectrum) {
  spectrum_ = std::move(spectrum);
  tolerance_ = 0;
  for (const double value : spectrum_.noise) tolerance_ = std::max(tolerance_, value);
  if (!complement() || std::ranges::all_of(spectrum_.blur, [](double blur) { return blur <= orthonormal_enough; }))
    return;
  for (const double blur : spectrum_.blur) outside_.push_back(blur <= orthonormal_enough ? 0 : 1);
  gamma_inside_ = Matrix(r(), spectrum_.gamma.cols());
  for (Index j = 0; j < gamma_inside_.cols(); ++j)
    for (Index k = 0; k < r(); ++k) gamma_inside_(k, j) = in_projector(k) ? spectrum_.gamma(k, j) : 0;
}

double SpectrumFactorization::subtraction_noise() const {
  return 10 * eps * (1 + std::sqrt(static_cast<double>(r())));
}

double SpectrumFactorization::row_noise() const {
  double noise = subtraction_noise();
  for (std::size_t k = 0; k < spectrum_.blur.size(); ++k)
    if (in_projector(static_cast<Index>(k))) noise = std::max(noise, spectrum_.blur[k]);
  return noise;
}

void SpectrumFactorization::set_rest(ConstMatrixView b, ConstMatrixView y_rows, std::span<const double> q1_rows,
                                     MatrixView rest, std::span<double> rest_diagonal,
                                     std::vector<Index>& small) const {
  for (Index j = 0; j < rest.cols; ++j) std::copy_n(y_rows.col(j), rest.rows, rest.col(j));
  gemm(Op::none, Op::none, -1, b, gamma_inside(), 1, rest);
  for (std::size_t i = 0; i < rest_diagonal.size(); ++i)
    rest_diagonal[i] = q1_rows.empty() ? 1 : 1 - q1_rows[i] * q1_rows[i];
  for (Index k = 0; k < b.cols; ++k) {
    if (!in_projector(k)) continue;
    for (Index i = 0; i < b.rows; ++i) rest_diagonal[static_cast<std::size_t>(i)] -= b(i, k) * b(i, k);
  }
  small.clear();
  for (Index i = 0; i < b.rows; ++i)
    if (!(rest_diagonal[static_cast<std::size_t>(i)] >= small_residual)) small.push_back(i);
}

void SpectrumFactorization::drop_outside(MatrixView b) const {
  for (Index k = 0; k < b.cols; ++k)
    if (!in_projector(k)) std::fill_n(b.col(k), b.rows, 0.0);
}

std::shared_ptr<const SmallResiduals> SpectrumFactorization::small_residuals(std::vector<Index> rows) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (small_ && small_->rows == rows) return small_;
  }
  Room room;
  Matrix b;
  {
    const ConstMatrixView part = gather(rows, room).b;
    b = Matrix(part.rows, part.cols);
    for (Index k = 0; k < part.cols; ++k) std::copy_n(part.col(k), part.rows, b.col(k));
  }
  drop_outside(b.view());
  std::vector<double> q1;
  for (const Index i : rows)
    if (problem().intercept) q1.push_back(problem().q1[static_cast<std::size_t>(i)]);
  auto made = std::make_shared<const SmallResiduals>(
      freeridge::small_residuals(std::move(rows), b.view(), q1, problem().t(), row_noise(), projected_tiles()));
  const std::lock_guard<std::mutex> lock(mutex_);
  small_ = made;
  return made;
}

SpectrumFactorization::Weights SpectrumFactorization::weights(double lambda) const {
  Weights w{spectrum_.eigenvalues, {}, 0, false};
  double smallest = complement() || w.eigenvalues.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < w.eigenvalues.size(); ++k) {
    double& value = w.eigenvalues[k];
    const double floor = lambda < spectrum_.noise[k] ? spectrum_.noise[k] : 0;
    if (value < floor || value < 0) {
      value = 0;
      w.projects = w.projects || floor > 0;
    }
    smallest = std::min(smallest, value);
  }
  w.s = smallest + lambda;
  w.p.resize(w.eigenvalues.size());
  for (std::size_t k = 0; k < w.p.size(); ++k) {
    w.p[k] = ratio_or_one(w.s, w.eigenvalues[k] + lambda);
  }
  return w;
}

void SpectrumFactorization::clear_rounding(const Weights& w, std::span<double> diagonal) const {
  if (!w.projects) return;
  const double noise = eps * static_cast<double>(problem().n());
  for (double& value : diagonal)
    if (value <= noise) value = 0;
}

Factorization::Range SpectrumFactorization::eigenvalue_range() const {
  Range range{0, 0};
  for (std::size_t k = 0; k < spectrum_.eigenvalues.size(); ++k) {
    const double value = spectrum_.eigenvalues[k];
    if (value < spectrum_.noise[k] || value <= 0) continue;
    range.smallest = range.largest == 0 ? value : std::min(range.smallest, value);
    range.largest = std::max(range.largest, value);
  }
  return range;
}

std::optional<Index> SpectrumFactorization::rank() const {
  Index count = 0;
  for (std::size_t k = 0; k < spectrum_.eigenvalues.size(); ++k)
    if (spectrum_.eigenvalues[k] > 0 && spectrum_.eigenvalues[k] >= spectrum_.noise[k]) ++count;
  return count;
}

// Zeros by rank are exact.
double SpectrumFactorization::floor() const {
  double out = left_out().floor();
  for (Index k = 0; k < r(); ++k)
    if (spectrum_.eigenvalues[static_cast<std::size_t>(k)] != 0) out = std::max(out, direction(k).floor());
  return out;
}

bool SpectrumFactorization::below_floor(double lambda) const {
  bool known = left_out().known(lambda);
  for (Index k = 0; k < r() && known; ++k)
    known = spectrum_.eigenvalues[static_cast<std::size_t>(k)] == 0 || direction(k).known(lambda);
  return !known;
}

std::unique_ptr<ResidualMaker> SpectrumFactorization::at(double lambda) const {
  return std::make_unique<SpectrumMaker>(*this, lambda);
}

Matrix SpectrumFactorization::coefficients_of_each(std::span<const double> lambdas, bool functions) const {
  Matrix g(r(), static_cast<Index>(lambdas.size()));
  for (Index j = 0; j < g.cols(); ++j) {
    const SpectrumMaker maker(*this, lambdas[static_cast<std::size_t>(j)]);
    std::copy_n(maker.spectral_coefficients(j, 1, functions).data(), r(), g.col(j));
    worked(4 * touched * static_cast<double>(r()));
  }
  return g;
}

bool SpectrumFactorization::solve_each(std::span<const double> lambdas, Solution& solution) const {
  solve(0, coefficients_of_each(lambdas, true).view(), solution);
  return true;
}

bool SpectrumFactorization::coefficients_each(std::span<const double> lambdas, MatrixView out) const {
  if (complement()) return false;  // E / lambda has another lambda in each column
  coefficients(0, coefficients_of_each(lambdas, false).view(), 0, false, out);
  return true;
}

std::unique_ptr<RowBlock> SpectrumFactorization::rows(std::span<const Index> which) const {
  return std::make_unique<SpectrumRows>(*this, which);
}

void SpectrumFactorization::multiply(ConstMatrixView z, MatrixView out) const {
  const Index n = problem().n(), step = std::min(tile_rows(), n);
  Room room;
  for (Index row = 0; row < n; row += step) {
    const Tile part = tile(row, std::min(step, n - row), room);
    gemm(Op::none, Op::none, 1, part.b, z, 0, out.row_range(row, part.b.rows));
  }
}

void SpectrumFactorization::coefficients(Index first, ConstMatrixView g, double lambda, bool with_rest,
                                         MatrixView out) const {
  // B g + E / lambda: a column that N lacks has g - Gamma / lambda.
  Matrix shares(r(), g.cols);
  for (Index j = 0; j < g.cols; ++j)
    for (Index k = 0; k < r(); ++k)
      shares(k, j) = g(k, j) - (with_rest && !in_projector(k) ? spectrum_.gamma(k, first + j) / lambda : 0);
  products(shares.view(), {}, with_rest && complement() ? 1 / lambda : 0, first, out, {});
}

void SpectrumFactorization::products(ConstMatrixView shares, std::span<const double> squares, double rest_factor,
                                     Index first, MatrixView out, std::span<double> diagonal) const {
  const Index n = problem().n(), step = std::min(tile_rows(), n);
  std::vector<Index> small;
  std::ranges::fill(diagonal, 0.0);
  Room room;
  for (Index row = 0; row < n; row += step) {
    const Tile part = tile(row, std::min(step, n - row), room);
    const MatrixView to = out.cols > 0 ? out.row_range(row, part.b.rows) : MatrixView{};
    if (out.cols > 0) gemm(Op::none, Op::none, 1, part.b, shares, 0, to);
    for (Index j = 0; j < to.cols && rest_factor != 0; ++j)
      for (Index i = 0; i < to.rows; ++i) to(i, j) += part.rest(i, first + j) * rest_factor;
    if (!diagonal.empty()) {
      const std::span<double> here =
          diagonal.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(part.b.rows));
      std::ranges::copy(part.rest_diagonal, here.begin());
      add_weighted_squares(part.b, squares, here);
    }
    for (const Index i : part.small) small.push_back(row + i);
  }
  if (small.empty()) return;
  const std::shared_ptr<const SmallResiduals> mended = small_residuals(std::move(small));
  for (std::size_t s = 0; s < mended->rows.size(); ++s) {
    const Index i = mended->rows[s];
    for (Index j = 0; j < out.cols; ++j) out(i, j) += mended->rest(static_cast<Index>(s), first + j) * rest_factor;
    if (!diagonal.empty()) diagonal[static_cast<std::size_t>(i)] += mended->diagonal[s];
  }
}

void SpectrumFactorization::sweep(std::span<const double> lambdas, Index first_output, Index t, SweepSink& sink,
                                  const Progress& progress) const {
  // Row tiles outside, lambdas inside: B is read once for each chunk of lambdas, and both answers are matrix products,
  //   P~Y~ = B_I [p_l Gamma] + E_I     and     diag P~ = (B_I o B_I) [p_l] + diag N_I,
  // for a basis of the p_l alone where diag N_I is far from zero. The tiles are made side by side and handed over
  // in their order.
  const Index n = problem().n(), total = static_cast<Index>(lambdas.size());
  const SweepPieces pieces = sweep_pieces(r(), t, total);
  const Index chunk = pieces.lambdas, rows = std::min({pieces.rows, tile_rows(), n}), tiles = (n + rows - 1) / rows;
  const auto work = [&](Index count) {
    return static_cast<double>(n * std::max<Index>(r(), 1)) * static_cast<double>(count * t);
  };
  const int team = team_size(tiles, work(total));
  struct Worker {
    Matrix squares, residual, diagonal, basis_residual, basis_diagonal;
    Room room;
  };
  std::vector<Worker> workers(static_cast<std::size_t>(team));

  for (Index first = 0; first < total; first += chunk) {
    const Index count = std::min(chunk, total - first);
    std::vector<Weights> w;
    for (Index l = 0; l < count; ++l) w.push_back(weights(lambdas[static_cast<std::size_t>(first + l)]));
    const auto columns_of = [&](Matrix p) {
      Columns out{std::move(p), Matrix(r(), 0)};
      out.p_gamma = Matrix(r(), out.p.cols() * t);
      for (Index l = 0; l < out.p.cols(); ++l)
        for (Index j = 0; j < t; ++j)
          for (Index k = 0; k < r(); ++k)
            out.p_gamma(k, l * t + j) = out.p(k, l) * spectrum_.gamma(k, first_output + j);
      return out;
    };
    Matrix p(r(), count);
    for (Index l = 0; l < count; ++l)
      for (Index k = 0; k < r(); ++k) p(k, l) = share(w[static_cast<std::size_t>(l)], k);
    std::optional<LambdaBasis> basis;
    if (complement() && r() > 0 && work(count) >= basis_work) basis = lambda_basis(p.view());
    const Columns all = columns_of(std::move(p)), few = columns_of(basis ? std::move(basis->q) : Matrix(r(), 0));
    const Index rank = few.p.cols();

    const auto height_of = [&](Index i) { return std::min(rows, n - i * rows); };
    const auto residual_of = [&](Index i, Worker& worker) {
      return worker.residual.view().block(0, 0, height_of(i), count * t);
    };
    const auto diagonal_of = [&](Index i, Worker& worker) {
      return worker.diagonal.view().block(0, 0, height_of(i), count);
    };
    // A point of leverage near one has a diagonal that is small, and a sum of small terms: these rows go without.
    const auto near_one = [](const Tile& part) {
      std::vector<Index> out;
      for (Index i = 0; i < part.b.rows; ++i)
        if (part.rest_diagonal[static_cast<std::size_t>(i)] < far_from_one) out.push_back(i);
      return out;
    };
    const auto multiply_basis = [&](const Tile& part, Worker& worker, MatrixView res, MatrixView diag) {
      const MatrixView basis_res = worker.basis_residual.view().block(0, 0, part.b.rows, rank * t);
      const MatrixView basis_diag = worker.basis_diagonal.view().block(0, 0, part.b.rows, rank);
      few.multiply(part.b, worker.squares.view(), basis_res, basis_diag);
      const ConstMatrixView c = basis->r.view();
      for (Index j = 0; j < t; ++j)
        gemm(Op::none, Op::none, 1, every<ConstMatrixView>(basis_res, j, t), c, 0, every(res, j, t));
      gemm(Op::none, Op::none, 1, basis_diag, c, 0, diag);
      for (const Index i : near_one(part))
        all.multiply(part.b.row_range(i, 1), worker.squares.view(), res.row_range(i, 1), diag.row_range(i, 1));
    };
    const auto make = [&](Index i, int number) {
      Worker& worker = workers[static_cast<std::size_t>(number)];
      if (worker.squares.rows() == 0)
        worker = {Matrix(std::min(rows, pieces.squares), r()),
                  Matrix(rows, chunk * t),
                  Matrix(rows, chunk),
                  Matrix(),
                  Matrix(),
                  {}};
      if (worker.basis_diagonal.cols() < rank) {
        worker.basis_residual = Matrix(rows, rank * t);
        worker.basis_diagonal = Matrix(rows, rank);
      }
      const Index height = height_of(i);
      const Tile part = tile(i * rows, height, worker.room);
      const MatrixView res = residual_of(i, worker), diag = diagonal_of(i, worker);
      if (basis && 8 * std::ssize(near_one(part)) <= height)
        multiply_basis(part, worker, res, diag);
      else
        all.multiply(part.b, worker.squares.view(), res, diag);
      for (Index l = 0; l < count; ++l) {
        const std::span<double> column(diag.col(l), static_cast<std::size_t>(height));
        if (complement()) {
          for (Index j = 0; j < t; ++j)
            for (Index row = 0; row < height; ++row) res(row, l * t + j) += part.rest(row, first_output + j);
          for (Index row = 0; row < height; ++row) diag(row, l) += part.rest_diagonal[static_cast<std::size_t>(row)];
        }
        clear_rounding(w[static_cast<std::size_t>(l)], column);
      }
    };
    // Rows of high leverage wait until they have their E and N_ii: they come after all others, also where these are
    // known, so that sums over rows have the same bits.
    HeldRows held(count, t);
    const auto use = [&](Index i, int number) {
      Worker& worker = workers[static_cast<std::size_t>(number)];
      const MatrixView res = residual_of(i, worker), diag = diagonal_of(i, worker);
      Index from = 0;
      const auto hand_over = [&](Index to) {
        if (to > from)
          sink.tile(i * rows + from, first, count, res.row_range(from, to - from), diag.row_range(from, to - from));
        from = to + 1;
      };
      for (const Index small : worker.room.small) {
        held.hold(i * rows + small, res.row_range(small, 1), diag.row_range(small, 1));
        hand_over(small);
      }
      hand_over(res.rows);
    };
    parallel_in_order(tiles, team,
                      progress.part(static_cast<double>(first) / static_cast<double>(total),
                                    static_cast<double>(first + count) / static_cast<double>(total)),
                      make, use);
    if (held.rows.empty()) continue;
    const std::shared_ptr<const SmallResiduals> mended = small_residuals(held.rows);
    for (Index s = 0; s < std::ssize(held.rows); ++s) {
      const MatrixView res = held.residual(s), diag = held.diagonal(s);
      for (Index l = 0; l < count; ++l) {
        for (Index j = 0; j < t; ++j) res(0, l * t + j) += mended->rest(s, first_output + j);
        diag(0, l) += mended->diagonal[static_cast<std::size_t>(s)];
        clear_rounding(w[static_cast<std::size_t>(l)], {diag.col(l), 1});
      }
      sink.tile(held.rows[static_cast<std::size_t>(s)], first, count, res, diag);
    }
  }
}

// ---- B in storage ----

// N Y~ once more: where X meets Y to within rounding N Y~ is rounding alone, and along B and q1 as much as elsewhere; c
// at a small lambda would have that part, over lambda.
void StoredSpectrum::orthogonalise_rest(ConstMatrixView b) {
  const std::vector<double>& q1 = problem().q1;
  Matrix inside(b.cols, rest_.cols());
  gemm(Op::transpose, Op::none, 1, b, rest_.view(), 0, inside.view());
  gemm(Op::none, Op::none, -1, b, inside.view(), 1, rest_.view());
  for (Index j = 0; j < rest_.cols() && !q1.empty(); ++j) {
    const double along = dot(rest_.rows(), q1.data(), rest_.col(j));
    for (Index i = 0; i < rest_.rows(); ++i) rest_(i, j) -= along * q1[static_cast<std::size_t>(i)];
  }
}

EachProjectedTile StoredSpectrum::projected_tiles() const {
  return [this](ConstMatrixView directions, std::span<const double> constant, const UseProjectedTile& use) {
    const Index n = problem().n(), rows = std::min<Index>(sweep_rows, n);
    Matrix room(rows, directions.cols);
    for (Index row = 0; row < n; row += rows) {
      const Index count = std::min(rows, n - row);
      const MatrixView z = room.view().row_range(0, count);
      gemm(Op::none, Op::none, 1, basis().row_range(row, count), directions, 0, z);
      finish_projection(problem().q1, row, constant, z);
      use(row, z, rest_.view().row_range(row, count));
    }
  };
}

StoredSpectrum::StoredSpectrum(ProblemPtr the_problem, Matrix storage, std::vector<double> eigenvalues,
                               std::vector<double> noise)
    : SpectrumFactorization(std::move(the_problem)), storage_(std::move(storage)) {
  const Problem& p = problem();
  Spectrum spectrum{std::move(eigenvalues), std::move(noise), {}, {}, {}};
  const Index rank = static_cast<Index>(spectrum.eigenvalues.size());
  const ConstMatrixView b = storage_.view().columns(storage_.cols() - rank, rank);
  spectrum.gamma = Matrix(rank, p.t());
  gemm(Op::transpose, Op::none, 1, b, p.y_tilde.view(), 0, spectrum.gamma.view());
  set_spectrum(std::move(spectrum));
  if (!complement()) return;

  rest_ = Matrix(p.n(), p.t());
  rest_diagonal_.resize(static_cast<std::size_t>(p.n()));
  std::vector<Index> small;
  set_rest(b, p.y_tilde.view(), p.q1, rest_.view(), rest_diagonal_, small);
  orthogonalise_rest(b);
  if (!small.empty()) {
    const std::shared_ptr<const SmallResiduals> mended = small_residuals(std::move(small));
    for (std::size_t s = 0; s < mended->rows.size(); ++s) {
      const Index i = mended->rows[s];
      rest_diagonal_[static_cast<std::size_t>(i)] = mended->diagonal[s];
      for (Index j = 0; j < p.t(); ++j) rest_(i, j) = mended->rest(static_cast<Index>(s), j);
    }
  }
  std::vector<double> norm2(static_cast<std::size_t>(p.t()));
  for (Index j = 0; j < p.t(); ++j) norm2[static_cast<std::size_t>(j)] = dot(p.n(), rest_.col(j), rest_.col(j));
  set_rest_norm2(std::move(norm2));
}

SpectrumFactorization::Tile StoredSpectrum::tile(Index row, Index count, Room&) const {
  const ConstMatrixView b = basis().row_range(row, count);
  if (!complement()) return {b, {}, {}, {}};
  return {b,
          rest_.view().row_range(row, count),
          std::span(rest_diagonal_).subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(count)),
          {}};
}

SpectrumFactorization::Tile StoredSpectrum::gather(std::span<const Index> which, Room& room) const {
  const Index s = static_cast<Index>(which.size());
  const auto pick = [&](ConstMatrixView from, Matrix& to) {
    to = Matrix(s, from.cols);
    for (Index j = 0; j < from.cols; ++j) {
      for (Index i = 0; i < s; ++i) to(i, j) = from(which[static_cast<std::size_t>(i)], j);
      worked(4 * touched * static_cast<double>(s));
    }
  };
  pick(basis(), room.b);
  if (!complement()) return {room.b.view(), {}, {}, {}};
  pick(rest_.view(), room.rest);
  room.rest_diagonal.clear();
  for (const Index i : which) room.rest_diagonal.push_back(rest_diagonal_[static_cast<std::size_t>(i)]);
  return {room.b.view(), room.rest.view(), room.rest_diagonal, {}};
}

}  // namespace freeridge
