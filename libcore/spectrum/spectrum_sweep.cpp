// Many lambdas at once: tiles of rows of B outside, lambdas inside; notation of spectrum.hpp.
#include <algorithm>
#include <cmath>
#include <optional>

#include "libcore/linalg/threads.hpp"
#include "libcore/spectrum/lambda_basis.hpp"
#include "libcore/spectrum/spectrum.hpp"

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

SweepPieces sweep_pieces(Index r, Index t, Index lambdas) {
  const Index columns = std::max(sweep_columns, sweep_doubles / std::max(r, sweep_rows));
  const Index chunk = std::clamp<Index>(columns / t, 1, lambdas);
  return {chunk, std::clamp<Index>(worker_doubles / (2 * r + 2 * chunk * (t + 1)), 64, sweep_rows), square_rows};
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

}  // namespace freeridge
