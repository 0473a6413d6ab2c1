// Many lambdas at once, on sparse rows: tiles of rows outside, lambdas inside; notation of primal_sparse_route.hpp. The
// residuals are a product of the tile with the hyperplanes of all lambdas. Leverages are computed at a few of the
// lambdas (resolvent_nodes.hpp), and for rows whose leverage is near one at all of them.
#include <algorithm>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/band_route.hpp"
#include "libcore/routes/primal_sparse_route.hpp"
#include "libcore/routes/resolvent_nodes.hpp"

namespace freeridge {
namespace {

constexpr Index most_rows = 1024, least_rows = 128;  // of a tile: Q is read once for each
constexpr Index room_doubles = 1 << 20;              // of a worker's banded solves
constexpr Index tile_coefficient_doubles = 1 << 21;  // of the factors at work on a tile: 16 MiB
constexpr Index tile_answer_doubles = 1 << 20;       // of residuals and leverages in hand
constexpr Index hyperplane_doubles = 1 << 22;        // of the hyperplanes in hand
constexpr double near_one = 0.9;                     // leverages from here on are made at each lambda

}  // namespace

SparsePieces sparse_pieces(Index n, Index d, Index t, Index lambdas) {
  const Index coefficients = tile_coefficient_doubles / (d * BandKernels::stride(SparsePrimal::bandwidth) + 1);
  const Index hyperplanes = hyperplane_doubles / (d * t), answers = tile_answer_doubles / (least_rows * (t + 1));
  const Index chunk =
      std::clamp<Index>(std::min({5 * std::max<Index>(coefficients, 1), hyperplanes, answers}), 1, lambdas);
  const Index in_hand = std::min(chunk, std::max<Index>(coefficients, 1));
  const Index rows =
      std::clamp(std::min(room_doubles / (SparsePrimal::bandwidth * in_hand), tile_answer_doubles / (chunk * (t + 1))),
                 least_rows, most_rows);
  return {chunk, std::min(n, rows / strip * strip)};
}

// The sweep of some of the lambdas, which go together.
class SparsePrimal::Sweep {
 public:
  Sweep(const SparsePrimal& factorization, Index first_output, Index outputs, Index rows, SweepSink& sink)
      : p_(factorization), first_output_(first_output), t_(outputs), rows_(rows), sink_(sink) {}

  // The lambdas first, first + 1, ... of the whole sweep.
  void run(Index first, Span<const double> lambdas) {
    factor(first, lambdas);
    if (count() == 0) return;
    const Index n = p_.problem().n(), tiles = pieces(n, rows_);
    const int team = team_size(tiles, static_cast<double>(n * p_.d()) * static_cast<double>(bandwidth * count()));
    workers_.resize(team);
    parallel_in_order(
        tiles, team, [&](Index tile, int worker) { make(tile, workers_[worker]); },
        [&](Index tile, int worker) { hand_over(tile, workers_[worker]); });
  }

 private:
  struct Worker {
    Matrix residual, leverage;
  };
  Index count() const { return std::ssize(known_); }
  Index height(Index tile) const { return std::min(rows_, p_.problem().n() - tile * rows_); }

  // The lambdas that have an answer, what their banded solves take, and their hyperplanes.
  void factor(Index first, Span<const double> lambdas) {
    Array<double> values;
    Matrix g(p_.d(), std::ssize(lambdas) * t_);
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      const Index place = first + static_cast<Index>(l);
      try {
        const BandedFactor f = p_.factor(lambdas[l]);
        for (Index j = 0; j < t_; ++j)
          for (Index k = 0; k < p_.d(); ++k) g(k, count() * t_ + j) = f.full(k, first_output_ + j) / f.unit;
        all_.push_back({f.l.row_coefficients(), f.unit});
        known_.push_back(place);
        values.push_back(lambdas[l]);
        worked(40.0 * static_cast<double>(p_.d() * bandwidth));
      } catch (const Error& error) {
        if (error.status() != Status::not_positive_definite) throw;
        sink_.undefined(place, error.what());
      }
    }
    w_ = p_.hyperplane(g.view().columns(0, count() * t_));
    nodes_ = resolvent_nodes(values, p_.bounds_.smallest, p_.bounds_.largest);
    if (!nodes_) return;
    for (const Index l : nodes_->nodes) at_nodes_.push_back(all_[l]);
  }

  // H_ii - |q1_i|^2 for the rows [row, row + h.rows) at all lambdas.
  void leverages(Index row, MatrixView h) const {
    const Entries tile = p_.entries(consecutive(row, h.rows));
    if (!nodes_) return p_.leverages(tile, all_, h);
    Matrix few(h.rows, std::ssize(at_nodes_));
    p_.leverages(tile, at_nodes_, few.view());
    gemm(Op::none, Op::none, 1, few.view(), nodes_->c.view(), 0, h);
    Array<Index> high;
    for (Index i = 0; i < h.rows; ++i) {
      double most = 0;
      for (Index l = 0; l < h.cols; ++l) most = std::max(most, h(i, l) + p_.problem().free_leverage(row + i));
      if (!(most < near_one)) high.push_back(row + i);
    }
    if (high.empty()) return;
    Matrix again(std::ssize(high), h.cols);
    p_.leverages(p_.entries(high), all_, again.view());
    for (Index s = 0; s < again.rows(); ++s)
      for (Index l = 0; l < h.cols; ++l) h(high[s] - row, l) = again(s, l);
  }

  void make(Index tile, Worker& worker) const {
    if (worker.residual.rows() == 0) worker = {Matrix(rows_, count() * t_), Matrix(rows_, count())};
    const Index row = tile * rows_;
    const MatrixView res = worker.residual.view().row_range(0, height(tile)),
                     h = worker.leverage.view().row_range(0, height(tile));
    p_.fitted(row, w_.view(), res);
    leverages(row, h);
    for (Index l = 0; l < count(); ++l) {
      for (Index j = 0; j < t_; ++j)
        for (Index i = 0; i < res.rows; ++i)
          res(i, l * t_ + j) = p_.problem().y_tilde(row + i, first_output_ + j) - res(i, l * t_ + j);
      for (Index i = 0; i < h.rows; ++i) h(i, l) = not_one(h(i, l) + p_.problem().free_leverage(row + i));
    }
  }

  // Hands neighbouring lambdas over together.
  void hand_over(Index tile, const Worker& worker) const {
    const auto place = [&](Index l) { return known_[l]; };
    for (Index begin = 0, end; begin < count(); begin = end) {
      for (end = begin + 1; end < count() && place(end) == place(end - 1) + 1;) ++end;
      sink_.tile(tile * rows_, place(begin), end - begin,
                 worker.residual.view().block(0, begin * t_, height(tile), (end - begin) * t_),
                 worker.leverage.view().block(0, begin, height(tile), end - begin));
    }
  }

  const SparsePrimal& p_;
  Index first_output_, t_, rows_;
  SweepSink& sink_;
  Array<Index> known_;
  Array<Coefficients> all_, at_nodes_;
  Matrix w_;  // d x (lambdas t)
  std::optional<ResolventNodes> nodes_;
  Array<Worker> workers_;
};

void SparsePrimal::sweep(Span<const double> lambdas, Index first_output, Index outputs, SweepSink& sink) const {
  const Index total = std::ssize(lambdas);
  const SparsePieces pieces = sparse_pieces(problem().n(), d(), outputs, total);
  Stage stage(0, 0);
  for (Index first = 0; first < total; first += pieces.lambdas) {
    const Index count = std::min(pieces.lambdas, total - first);
    stage.next(fraction(first + count, total));
    Sweep(*this, first_output, outputs, pieces.rows, sink).run(first, lambdas.subspan(first, count));
  }
}

}  // namespace freeridge
