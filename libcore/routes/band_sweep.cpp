// Scores at many lambdas by the band route; notation of band_route.hpp. Some lambdas together, so that Q is read from
// memory once for them; rows of Q that stay in the cache outside, the lambdas inside.
#include <algorithm>
#include <string>

#include "libcore/linalg/threads.hpp"
#include "libcore/routes/band_route.hpp"

namespace freeridge {
namespace {

constexpr Index most_tile_rows = 256;           // a matrix product's worth of rows, and a piece of work for a thread
constexpr Index coefficient_doubles = 1 << 21;  // of the factors of the lambdas that are swept together: 16 MiB
constexpr Index answer_doubles = 1 << 20;       // of residuals and diagonals in hand
constexpr Index swept_columns = 256;            // of ZQ at once, while the lambdas go by

class BandSweep {
 public:
  BandSweep(const Band& band, Span<const double> lambdas, Index first_output, Index t, SweepSink& sink)
      : band_(band), lambdas_(lambdas), first_output_(first_output), t_(t), sink_(sink) {
    const auto total = static_cast<Index>(lambdas.size());
    pieces_ = band_pieces(n(), band.bandwidth(), t, total);
    tiles_ = (n() + pieces_.rows - 1) / pieces_.rows;
    team_ = team_size(tiles_, 2.0 * static_cast<double>(n() * band.contrast().m() * (band.bandwidth() + 2)) *
                                  static_cast<double>(total));
  }

  void run() {
    const auto total = static_cast<Index>(lambdas_.size());
    Stage stage(0, 0);
    for (Index first = 0; first < total; first += pieces_.lambdas) {
      factor(first, std::min(pieces_.lambdas, total - first));
      const auto count = static_cast<Index>(factors_.size());
      // Runs of lambdas that have an answer.
      for (Index begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        if (!reason(begin).empty()) {
          sink_.undefined(first + begin, reason(begin));
          continue;
        }
        while (end < count && reason(end).empty()) ++end;
        stage.next(fraction(first + end, total));
        sweep_run(first, begin, end - begin);
      }
    }
  }

 private:
  struct Swept {
    Matrix full;
    double s;
    std::string reason;  // why there is no answer
  };

  Index n() const { return band_.problem().n(); }
  const std::string& reason(Index l) const { return factors_[l].reason; }

  void factor(Index first, Index count) {
    factors_.clear();
    factors_.resize(count);
    coefficients_.assign(factors_.size(), {});
    parallel_for(
        count,
        [&](Index l) {
          try {
            BandFactor f = band_.factor(lambdas_[first + l]);
            coefficients_[l] = f.l.row_coefficients();
            factors_[l] = {std::move(f.full), f.s, {}};
          } catch (const Error& error) {
            if (error.status() != Status::not_positive_definite) throw;
            factors_[l].reason = error.what();
          }
        },
        band_.work_of_factor() * static_cast<double>(count));
  }

  // s (B + lambda I)^-1 Gamma at the lambdas [begin, begin + count) of those in hand.
  Matrix scaled_solutions(Index begin, Index count) const {
    Matrix g(band_.contrast().m(), count * t_);
    for (Index l = 0; l < count; ++l) {
      const Swept& f = factors_[begin + l];
      for (Index j = 0; j < t_; ++j)
        for (Index k = 0; k < g.rows(); ++k) g(k, l * t_ + j) = f.s * f.full(k, first_output_ + j);
    }
    return g;
  }

  void sweep_run(Index first, Index begin, Index count) {
    const Matrix g = scaled_solutions(begin, count);
    const auto coefficients = Span(coefficients_).subspan(begin, count);
    const Index height = pieces_.rows;
    Matrix residual(height, team_ * count * t_), diagonal(height, team_ * count);
    const auto rows_in = [&](Index tile) { return std::min(height, n() - tile * height); };
    const auto residual_of = [&](Index tile, int worker) {
      return residual.view().block(0, worker * count * t_, rows_in(tile), count * t_);
    };
    const auto diagonal_of = [&](Index tile, int worker) {
      return diagonal.view().block(0, worker * count, rows_in(tile), count);
    };
    parallel_in_order(
        tiles_, team_,
        [&](Index tile, int worker) {
          const MatrixView d = diagonal_of(tile, worker);
          band_.multiply_rows(tile * height, g.view(), residual_of(tile, worker));
          band_.squared_norms(tile * height, coefficients, d);
          for (Index l = 0; l < count; ++l)
            for (Index i = 0; i < d.rows; ++i) d(i, l) *= factors_[begin + l].s;
        },
        [&](Index tile, int worker) {
          sink_.tile(tile * height, first + begin, count, residual_of(tile, worker), diagonal_of(tile, worker));
        });
  }

  const Band& band_;
  Span<const double> lambdas_;
  Index first_output_, t_;
  SweepSink& sink_;
  BandPieces pieces_;
  Index tiles_;
  int team_;
  // of the lambdas in hand
  Array<Swept> factors_;
  Array<Array<double>> coefficients_;
};

}  // namespace

BandPieces band_pieces(Index n, Index b, Index t, Index lambdas) {
  const Index rows = std::clamp((n / 8 + strip - 1) / strip * strip, strip, most_tile_rows);
  const Index chunk =
      std::min(coefficient_doubles / (n * BandKernels::stride(b) + 1), answer_doubles / (rows * (t + 1)));
  return {std::clamp<Index>(chunk, 1, lambdas), rows};
}

// Blocks of columns outside, lambdas inside, strips of rows innermost: a block of all strips stays in the L2 cache
// while the lambdas go by, and the coefficients of a lambda in the L1 cache while the strips go by. Each strip has the
// last b columns of T at each lambda.
void Band::squared_norms(Index row, Span<const Array<double>> coefficients, MatrixView out) const {
  const Index m = contrast().m(), b = bandwidth(), strips = pieces(out.rows, strip);
  const auto lambdas = static_cast<Index>(coefficients.size());
  Array<double> q(strips * strip_doubles(std::min(m, swept_columns)));
  Matrix last(b * strip, strips * lambdas, 0.0), room(strip, BandKernels::room_columns(b)),
      sums(strip, strips * lambdas, 0.0);
  const Array<Index> rows = consecutive(row, out.rows);
  for (Index col = 0; col < m; col += swept_columns) {
    const Index cols = std::min(swept_columns, m - col);
    pack(rows, col, cols, q.data(), strip_doubles(cols));
    worked(touched * static_cast<double>(out.rows * cols));
    for (Index l = 0; l < lambdas; ++l) {
      const double* const factor = coefficients[l].data() + col * BandKernels::stride(b);
      for (Index piece = 0; piece < strips; ++piece) {
        const Index at = l * strips + piece;
        kernels_.squared_norms(BandKernels::padded(cols), b, q.data() + piece * strip_doubles(cols), factor,
                               last.col(at), room.data(), sums.col(at));
        worked(3 * static_cast<double>(strip * cols * b));
      }
    }
  }
  for (Index l = 0; l < lambdas; ++l)
    for (Index i = 0; i < out.rows; ++i) out(i, l) = sums(i % strip, l * strips + i / strip);
}

void Band::sweep(Span<const double> lambdas, Index first, Index outputs, SweepSink& sink) const {
  {
    const Stage stage(0, 0.5);
    require_basis();
  }
  BandSweep(*this, lambdas, first, outputs, sink).run();
}

}  // namespace freeridge
