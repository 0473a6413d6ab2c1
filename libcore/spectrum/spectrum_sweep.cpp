// Scores at many lambdas: tiles of rows of B outside, lambdas inside; notation of spectrum_factorization.hpp.
//     P~Y~ = B_I [p_l Gamma] + E_I,   diag P~ = (B_I o B_I) [p_l] + diag N_I     for a tile I of rows and all lambdas l
// as two matrix products, so that B is read once for each chunk of lambdas. Where diag N_I is far from zero the
// products are taken for a basis of the p_l alone (lambda_basis.hpp). The tiles are made side by side and handed over
// in their order.
#include <algorithm>
#include <optional>

#include "libcore/linalg/threads.hpp"
#include "libcore/spectrum/lambda_products.hpp"
#include "libcore/spectrum/spectrum_factorization.hpp"

namespace freeridge {
namespace {

constexpr Index sweep_rows = 1024;         // rows of B in one product
constexpr Index sweep_columns = 512;       // lambdas x outputs in one product, at least ...
constexpr Index sweep_doubles = 1 << 21;   // ... and more while the coefficients and the answers stay below 16 MiB each
constexpr Index worker_doubles = 3 << 21;  // a worker's tiles and answers: 48 MiB, or 64 rows

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
        tiles_(pieces(f.problem().n(), rows_)),
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
    Matrix residual, diagonal;
    LambdaProducts::Room products;
    SpectrumFactorization::Room room;
  };

  // Of the products of B with so many lambdas.
  double work(Index lambdas) const {
    return static_cast<double>(f_.problem().n() * std::max<Index>(f_.r(), 1)) * static_cast<double>(lambdas * t_);
  }

  void begin_chunk(Index first, Index count) {
    first_ = first;
    count_ = count;
    projects_.resize(count);
    products_.reset();
    Matrix shares(f_.r(), count);
    for (Index l = 0; l < count; ++l) {
      const SpectrumAt at(f_.spectrum(), lambdas_[first + l]);
      for (Index k = 0; k < f_.r(); ++k) shares(k, l) = f_.share(at, k);
      projects_[l] = at.projects();
    }
    const bool by_basis = f_.complement() && basis_pays(work(count));
    products_.emplace(std::move(shares), f_.spectrum().gamma.view().columns(first_output_, t_), by_basis);
    held_.emplace(count, t_);
  }

  Index height_of(Index i) const { return std::min(rows_, f_.problem().n() - i * rows_); }
  MatrixView residual_of(Index i, Worker& worker) const {
    return worker.residual.view().block(0, 0, height_of(i), count_ * t_);
  }
  MatrixView diagonal_of(Index i, Worker& worker) const {
    return worker.diagonal.view().block(0, 0, height_of(i), count_);
  }

  void make(Index i, Worker& worker) const {
    if (worker.residual.rows() == 0) {
      worker.residual = Matrix(rows_, pieces_.lambdas * t_);
      worker.diagonal = Matrix(rows_, pieces_.lambdas);
    }
    const Index height = height_of(i);
    const SpectrumFactorization::Tile part = f_.tile(i * rows_, height, worker.room);
    const MatrixView residual = residual_of(i, worker), diagonal = diagonal_of(i, worker);
    products_->multiply(part.b, part.rest_diagonal, worker.products, residual, diagonal);
    for (Index l = 0; l < count_; ++l) {
      if (f_.complement()) {
        for (Index j = 0; j < t_; ++j)
          for (Index row = 0; row < height; ++row) residual(row, l * t_ + j) += part.rest(row, first_output_ + j);
        for (Index row = 0; row < height; ++row) diagonal(row, l) += part.rest_diagonal[row];
      }
      f_.clear_rounding(projects_[l], {diagonal.col(l), height});
    }
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
        f_.clear_rounding(projects_[l], {diagonal.col(l), 1});
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
  Array<char> projects_;  // of each lambda: SpectrumAt::projects
  std::optional<LambdaProducts> products_;
  std::optional<HeldRows> held_;
};

}  // namespace

SweepPieces sweep_pieces(Index r, Index t, Index lambdas) {
  const Index columns = std::max(sweep_columns, sweep_doubles / std::max(r, sweep_rows));
  const Index chunk = std::clamp<Index>(columns / t, 1, lambdas);
  return {chunk, std::clamp<Index>(worker_doubles / (2 * r + 2 * chunk * (t + 1)), 64, sweep_rows), rows_of_squares};
}

void SpectrumFactorization::sweep(Span<const double> lambdas, Index first, Index outputs, SweepSink& sink) const {
  SpectrumSweep(*this, lambdas, first, outputs, sink).run();
}

}  // namespace freeridge
