// Scores at many lambdas: tiles of rows of B outside, lambdas inside; notation of spectrum_factorization.hpp.
//     P~Y~ = B_I [p_l Gamma] + E_I,   diag P~ = (B_I o B_I) [p_l] + diag N_I     for a tile I of rows and all lambdas l
// as two matrix products, so that B is read once for each chunk of lambdas. Where diag N_I is far from zero the
// products are taken for a basis of the p_l alone (lambda_basis.hpp). The tiles are made side by side and handed over
// in their order.
#include <algorithm>
#include <cmath>
#include <optional>

#include "libcore/linalg/threads.hpp"
#include "libcore/spectrum/lambda_basis.hpp"
#include "libcore/spectrum/spectrum_factorization.hpp"

namespace freeridge {
namespace {

constexpr Index sweep_rows = 1024;         // rows of B in one product
constexpr Index square_rows = 64;          // rows of B o B at once
constexpr Index sweep_columns = 512;       // lambdas x outputs in one product, at least ...
constexpr Index sweep_doubles = 1 << 21;   // ... and more while the coefficients and the answers stay below 16 MiB each
constexpr Index worker_doubles = 3 << 21;  // a worker's tiles and answers: 48 MiB, or 64 rows
constexpr double basis_work = 1e8;         // products of B with a chunk of lambdas from which looking for a basis pays
constexpr double far_from_one = 0.1;       // N_ii above which rounding of size eps does not matter to diag P~

// What a chunk of lambdas, or the basis of their p, asks of a tile of B.
struct Columns {
  Matrix p, p_gamma;  // r x columns; r x (columns * outputs)

  // B [p Gamma] and (B o B) p, by as many rows as `squares` has, the room for B o B: few, so that they and their
  // squares stay in the cache for both products.
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

  Array<Index> rows;

 private:
  double* start(Index s) { return values_.data() + s * lambdas_ * (outputs_ + 1); }

  Index lambdas_, outputs_;
  Array<double> values_;
};

// The columns of every `stride`-th output.
template <class View>
View every(View a, Index first, Index stride) {
  return {a.data + first * a.ld, a.rows, a.cols / stride, a.ld * stride};
}

class SpectrumSweep {
 public:
  SpectrumSweep(const SpectrumFactorization& f, Span<const double> lambdas, Index first_output, Index t,
                SweepSink& sink)
      : f_(f),
        lambdas_(lambdas),
        first_output_(first_output),
        t_(t),
        sink_(sink),
        pieces_(sweep_pieces(f.r(), t, static_cast<Index>(lambdas.size()))),
        rows_(std::min({pieces_.rows, f.tile_rows(), f.problem().n()})),
        tiles_((f.problem().n() + rows_ - 1) / rows_),
        team_(team_size(tiles_, work(static_cast<Index>(lambdas.size())))),
        workers_(team_) {}

  void run() {
    const auto total = static_cast<Index>(lambdas_.size());
    Stage stage(0, 0);
    for (Index first = 0; first < total; first += pieces_.lambdas) {
      const Index count = std::min(pieces_.lambdas, total - first);
      stage.next(fraction(first + count, total));
      begin_chunk(first, count);
      parallel_in_order(
          tiles_, team_, [&](Index i, int number) { make(i, workers_[number]); },
          [&](Index i, int number) { hand_over(i, workers_[number]); });
      if (!held_->rows.empty()) hand_over_held();
    }
  }

 private:
  struct Worker {
    Matrix squares, residual, diagonal, basis_residual, basis_diagonal;
    SpectrumFactorization::Room room;
  };

  // Of the products of B with so many lambdas.
  double work(Index lambdas) const {
    return static_cast<double>(f_.problem().n() * std::max<Index>(f_.r(), 1)) * static_cast<double>(lambdas * t_);
  }

  void begin_chunk(Index first, Index count) {
    first_ = first;
    count_ = count;
    at_.clear();
    basis_.reset();
    all_ = Columns();
    few_ = Columns();
    Matrix shares(f_.r(), count);
    for (Index l = 0; l < count; ++l) {
      at_.emplace_back(f_.spectrum(), lambdas_[first + l]);
      for (Index k = 0; k < f_.r(); ++k) shares(k, l) = f_.share(at_.back(), k);
    }
    if (f_.complement() && f_.r() > 0 && work(count) >= basis_work) basis_ = lambda_basis(shares.view());
    all_ = columns_of(std::move(shares));
    few_ = columns_of(basis_ ? std::move(basis_->q) : Matrix(f_.r(), 0));
    held_.emplace(count, t_);
  }

  Columns columns_of(Matrix p) const {
    Columns out{std::move(p), Matrix(f_.r(), 0)};
    out.p_gamma = Matrix(f_.r(), out.p.cols() * t_);
    for (Index l = 0; l < out.p.cols(); ++l)
      for (Index j = 0; j < t_; ++j)
        for (Index k = 0; k < f_.r(); ++k)
          out.p_gamma(k, l * t_ + j) = out.p(k, l) * f_.spectrum().gamma(k, first_output_ + j);
    return out;
  }

  Index height_of(Index i) const { return std::min(rows_, f_.problem().n() - i * rows_); }
  MatrixView residual_of(Index i, Worker& worker) const {
    return worker.residual.view().block(0, 0, height_of(i), count_ * t_);
  }
  MatrixView diagonal_of(Index i, Worker& worker) const {
    return worker.diagonal.view().block(0, 0, height_of(i), count_);
  }

  // The rows of a tile whose N_ii is near zero: a point of leverage near one has a diagonal that is small, and a sum of
  // small terms, which the basis of the lambdas would drown.
  static Array<Index> near_one(const SpectrumFactorization::Tile& part) {
    Array<Index> out;
    for (Index i = 0; i < part.b.rows; ++i)
      if (part.rest_diagonal[i] < far_from_one) out.push_back(i);
    return out;
  }

  void reserve(Worker& worker) const {
    if (worker.squares.rows() == 0) {
      worker.squares = Matrix(std::min(rows_, pieces_.squares), f_.r());
      worker.residual = Matrix(rows_, pieces_.lambdas * t_);
      worker.diagonal = Matrix(rows_, pieces_.lambdas);
    }
    const Index rank = few_.p.cols();
    if (worker.basis_diagonal.cols() < rank) {
      worker.basis_residual = Matrix(rows_, rank * t_);
      worker.basis_diagonal = Matrix(rows_, rank);
    }
  }

  void make(Index i, Worker& worker) const {
    reserve(worker);
    const Index height = height_of(i);
    const SpectrumFactorization::Tile part = f_.tile(i * rows_, height, worker.room);
    const MatrixView residual = residual_of(i, worker), diagonal = diagonal_of(i, worker);
    multiply(part, worker, residual, diagonal);
    for (Index l = 0; l < count_; ++l) {
      if (f_.complement()) {
        for (Index j = 0; j < t_; ++j)
          for (Index row = 0; row < height; ++row) residual(row, l * t_ + j) += part.rest(row, first_output_ + j);
        for (Index row = 0; row < height; ++row) diagonal(row, l) += part.rest_diagonal[row];
      }
      f_.clear_rounding(at_[l], {diagonal.col(l), height});
    }
  }

  void multiply(const SpectrumFactorization::Tile& part, Worker& worker, MatrixView residual,
                MatrixView diagonal) const {
    const MatrixView squares = worker.squares.view();
    const Array<Index> alone = basis_ ? near_one(part) : Array<Index>();
    if (!basis_ || 8 * std::ssize(alone) > part.b.rows) return all_.multiply(part.b, squares, residual, diagonal);
    const Index rank = few_.p.cols();
    const MatrixView basis_residual = worker.basis_residual.view().block(0, 0, part.b.rows, rank * t_);
    const MatrixView basis_diagonal = worker.basis_diagonal.view().block(0, 0, part.b.rows, rank);
    few_.multiply(part.b, squares, basis_residual, basis_diagonal);
    const ConstMatrixView c = basis_->r.view();
    for (Index j = 0; j < t_; ++j)
      gemm(Op::none, Op::none, 1, every<ConstMatrixView>(basis_residual, j, t_), c, 0, every(residual, j, t_));
    gemm(Op::none, Op::none, 1, basis_diagonal, c, 0, diagonal);
    for (const Index i : alone)
      all_.multiply(part.b.row_range(i, 1), squares, residual.row_range(i, 1), diagonal.row_range(i, 1));
  }

  // Rows of high leverage wait until they have their E and N_ii: they come after all others, also where these are
  // known, so that sums over rows have the same bits.
  void hand_over(Index i, Worker& worker) {
    const MatrixView residual = residual_of(i, worker), diagonal = diagonal_of(i, worker);
    Index from = 0;
    const auto hand_over_to = [&](Index to) {
      if (to > from)
        sink_.tile(i * rows_ + from, first_, count_, residual.row_range(from, to - from),
                   diagonal.row_range(from, to - from));
      from = to + 1;
    };
    for (const Index small : worker.room.small) {
      held_->hold(i * rows_ + small, residual.row_range(small, 1), diagonal.row_range(small, 1));
      hand_over_to(small);
    }
    hand_over_to(residual.rows);
  }

  void hand_over_held() {
    const std::shared_ptr<const SmallResiduals> mended = f_.small_residuals(held_->rows);
    for (Index s = 0; s < std::ssize(held_->rows); ++s) {
      const MatrixView residual = held_->residual(s), diagonal = held_->diagonal(s);
      for (Index l = 0; l < count_; ++l) {
        for (Index j = 0; j < t_; ++j) residual(0, l * t_ + j) += mended->rest(s, first_output_ + j);
        diagonal(0, l) += mended->diagonal[s];
        f_.clear_rounding(at_[l], {diagonal.col(l), 1});
      }
      sink_.tile(held_->rows[s], first_, count_, residual, diagonal);
    }
  }

  const SpectrumFactorization& f_;
  Span<const double> lambdas_;
  Index first_output_, t_;
  SweepSink& sink_;
  SweepPieces pieces_;
  Index rows_, tiles_;
  int team_;
  Array<Worker> workers_;
  // of the chunk of lambdas at work
  Index first_ = 0, count_ = 0;
  Array<SpectrumAt> at_;
  std::optional<LambdaBasis> basis_;
  Columns all_, few_;
  std::optional<HeldRows> held_;
};

}  // namespace

SweepPieces sweep_pieces(Index r, Index t, Index lambdas) {
  const Index columns = std::max(sweep_columns, sweep_doubles / std::max(r, sweep_rows));
  const Index chunk = std::clamp<Index>(columns / t, 1, lambdas);
  return {chunk, std::clamp<Index>(worker_doubles / (2 * r + 2 * chunk * (t + 1)), 64, sweep_rows), square_rows};
}

void SpectrumFactorization::sweep(Span<const double> lambdas, Index first, Index outputs, SweepSink& sink) const {
  SpectrumSweep(*this, lambdas, first, outputs, sink).run();
}

}  // namespace freeridge
