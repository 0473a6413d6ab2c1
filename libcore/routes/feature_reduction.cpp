#include "libcore/routes/feature_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/row_qr.hpp"
#include "libcore/linalg/symmetric_eigen.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/gram_sum.hpp"
#include "libcore/spectrum/small_svd.hpp"

namespace freeridge {
namespace {

constexpr Index squares_doubles = 1 << 24;  // 128 MiB: where the workers' own p x p sums need more, there is one sum,
                                            // and the BLAS has the threads
constexpr Index many_columns = 1024;

// The columns [W^(1/2) U, W^(1/2) (Phi - U start'), Y~] of the tall matrix, by tiles.
class TallMatrix {
 public:
  // partial: psi in place of phi, see FeatureMap
  TallMatrix(const Problem& problem, const FeatureMap& map, bool partial)
      : problem_(problem), map_(map), partial_(partial), start_(map.known_parts()) {
    set_explained();
    if (start_.cols() > 0 || free() == 0) return;
    start_ = Matrix(p(), free(), 0.0);
    if (!problem.intercept) return;
    // A provisional centre, from the first rows: with it nothing cancels when the means are subtracted later.
    Matrix sample(std::min<Index>(problem.n(), 256), p());
    features(0, sample.view());
    for (Index k = 0; k < p(); ++k) {
      double sum = 0, weights = 0;
      for (Index i = 0; i < sample.rows(); ++i) {
        sum += problem.weight(i) * sample(i, k);
        weights += problem.weight(i);
      }
      start_(k, 0) = sum / weights;
    }
  }

  Index p() const { return map_.features(); }
  Index free() const { return problem_.q(); }
  Index columns() const { return free() + p() + problem_.t(); }
  const Matrix& start() const { return start_; }
  // The norms of the known parts of the features, |W^(1/2) U_l start_kl|: features are known to eps of them.
  Span<const double> explained() const { return explained_; }

  void rows(Index row, MatrixView out) const {
    const MatrixView phi = out.columns(free(), p()), y = out.columns(free() + p(), problem_.t());
    features(row, phi);
    for (Index k = 0; k < free(); ++k)
      for (Index i = 0; i < out.rows; ++i) out(i, k) = problem_.free_function(row + i, k) * problem_.sqrt_w[row + i];
    problem_.centre_and_weigh(consecutive(row, out.rows), start_.view(), phi);
    for (Index k = 0; k < p(); ++k)
      if (const Index i = first_not_finite({phi.col(k), out.rows}); i < out.rows)
        fail(Status::not_finite, "feature ", k, " of row ", row + i, ", weighted and scaled, overflows");
    for (Index j = 0; j < y.cols; ++j) std::copy_n(problem_.y_tilde.col(j) + row, out.rows, y.col(j));
  }

 private:
  void set_explained() {
    explained_.assign(p(), 0.0);
    for (Index l = 0; l < start_.cols(); ++l)
      for (Index k = 0; k < p(); ++k)
        explained_[k] = std::hypot(explained_[k], start_(k, l) * problem_.unpenalised.given_norm(l));
  }

  void features(Index row, MatrixView out) const {
    map_.raw(problem_.x, row, out);
    if (partial_)
      map_.apply_partial(out);
    else
      map_.apply(out);
  }

  const Problem& problem_;
  const FeatureMap& map_;
  bool partial_;
  Matrix start_;
  Array<double> explained_;
};

// Tiles of the tall matrix, in runs of neighbours, one run a worker: take(worker, tile). The tiles may be destroyed.
template <class Take>
void each_tile(const Problem& problem, const TallMatrix& tall, int workers, const Take& take) {
  const Index n = problem.n(), step = std::min(tile_rows(tall.p()), n), tiles = pieces(n, step);
  Array<Matrix> rooms(workers);
  parallel_shares(tiles, workers, [&](Index i, int worker) {
    Matrix& room = rooms[worker];
    if (room.rows() == 0) room = Matrix(step, tall.columns());
    const MatrixView tile = room.view().row_range(0, std::min(step, n - i * step));
    tall.rows(i * step, tile);
    take(worker, tile);
  });
}

// R of the tall matrix: each worker makes one of its rows; the R of these, stacked in order, is that of all rows.
Matrix triangle_of(const Problem& problem, const TallMatrix& tall) {
  const int workers = reduction_workers(problem.n(), tall.columns());
  Array<std::optional<RowQr>> parts(workers);
  each_tile(problem, tall, workers, [&](int worker, MatrixView tile) {
    std::optional<RowQr>& qr = parts[worker];
    if (!qr) qr.emplace(tall.columns());
    qr->absorb(tile);
  });
  for (std::size_t k = 1; k < parts.size(); ++k) {
    parts[0]->add(parts[k]->r());
    parts[k].reset();
  }
  return parts[0]->take_r();
}

// The Gram matrix of the tall matrix, lower triangle: the sum of those of the workers, in order.
Matrix gram_sum(const Problem& problem, const TallMatrix& tall) {
  const Index columns = tall.columns();
  const int workers = reduction_workers(problem.n(), columns);
  Array<GramSum> parts(workers);
  each_tile(problem, tall, workers, [&](int worker, ConstMatrixView tile) { parts[worker].add(tile); });
  Matrix sum = parts[0].take();
  for (std::size_t k = 1; k < parts.size(); ++k) add_to(sum, parts[k].take());
  return sum;
}

struct Gram {
  Matrix gram;
  Matrix start;  // what the features in it are centred by
  Array<double> explained;
};

Gram gram_of(const Problem& problem, const FeatureMap& map) {
  const auto pass = [&](bool partial) {
    const TallMatrix tall(problem, map, partial);
    Gram out{gram_sum(problem, tall), copy_of(tall.start().view()), {tall.explained().begin(), tall.explained().end()}};
    const bool complete =
        !partial || map.complete(out.gram.view(), tall.free(), out.start.values(), problem.n()).fine();
    return complete ? std::optional(std::move(out)) : std::nullopt;
  };
  if (!map.has_partial()) return *pass(false);
  Stage stage(0, 0.9);
  if (std::optional<Gram> out = pass(true)) return std::move(*out);
  stage.next(1);
  return *pass(false);
}

// The absolute error of squares that are subnormal, whatever their size.
double underflow(Index n, Index p) {
  return static_cast<double>(n) * static_cast<double>(p) * std::numeric_limits<double>::denorm_min();
}

// M from the provisional centre (p x q) and the coefficients that were subtracted after it (q x p).
Matrix sum_of_parts(const Matrix& start, const Matrix& more) {
  Matrix out(more.cols(), more.rows());
  transpose(more.view(), out.view());
  if (start.cols() == 0) return out;
  for (std::size_t k = 0; k < out.values().size(); ++k) out.values()[k] += start.values()[k];
  return out;
}

// All p directions, by the triangle [R_11 R_12; 0 R] of the tall matrix.
ReducedFeatures reduce_by_qr(const Problem& problem, const FeatureMap& map) {
  const Index p = map.features(), t = problem.t(), free = problem.q();
  const TallMatrix tall(problem, map, false);
  Stage stage(0, 0.8);
  const Matrix triangle = triangle_of(problem, tall);
  const ConstMatrixView r = triangle.view();
  stage.next(1);
  // R_11 M' = R_12
  Matrix more = copy_of(r.block(0, free, free, p)), u;
  if (free > 0) trsm(Op::none, r.block(0, 0, free, free), more.view(), Triangle::upper);
  const Array<double> removed = with_parts(column_norms(r.block(0, free, free, p)), tall.explained());
  ReducedFeatures out = reduce_triangle(r.block(free, free, p + t, p + t), t, problem.n(), removed, "the features", u);
  out.parts = sum_of_parts(tall.start(), more);
  out.r = copy_of(r.block(free, free, p, p));
  for (double& noise : out.noise) noise += underflow(problem.n(), p);
  const Array<double> of_features = map.feature_noise(problem, out.vt.view());
  for (std::size_t k = 0; k < of_features.size(); ++k) out.noise[k] = std::max(out.noise[k], of_features[k]);
  return out;
}

// Eliminates the first rows and columns of G (lower triangle), as many as M' has rows, one after the other: G becomes
// G - G_21 G_11^-1 G_12, and M' = G_11^-1 G_12 of the next columns. Answers with the sum of squares that was subtracted
// from those columns, without the share of the first row and column, for which the columns are centred already.
double remove_free(MatrixView gram, Matrix& parts) {
  const Index q = parts.rows(), p = parts.cols();
  double removed = 0;
  for (Index k = 0; k < q; ++k) {
    double squares = 0;
    for (Index j = k + 1; j < gram.cols; ++j) {
      for (Index i = j; i < gram.cols; ++i) gram(i, j) -= gram(i, k) / gram(k, k) * gram(j, k);
      worked(touched * static_cast<double>(gram.cols - j));
    }
    for (Index j = 0; j < p; ++j) squares += gram(q + j, k) / gram(k, k) * gram(q + j, k);
    removed += k > 0 ? squares : 0;
  }
  for (Index j = 0; j < p; ++j)  // the columns of G_11 = L diag L' are still there
    for (Index k = q - 1; k >= 0; --k) {
      parts(k, j) = gram(q + j, k) / gram(k, k);
      for (Index l = k + 1; l < q; ++l) parts(k, j) -= gram(l, k) / gram(k, k) * parts(l, j);
    }
  return removed;
}

// S, descending, and V' from the Gram matrix Phi~'Phi~, lower triangle.
// removed: the sum of squares that was subtracted from it before.
void set_directions(ConstMatrixView gram, Index n, double removed, double least_noise, ReducedFeatures& out) {
  const Index p = gram.cols;
  Matrix v(p, p);
  for (Index j = 0; j < p; ++j) {
    std::copy_n(gram.col(j) + j, p - j, v.col(j) + j);
    worked(2 * touched * static_cast<double>(p - j));
    if (first_not_finite({v.col(j) + j, p - j}) < p - j)
      fail(Status::not_finite, "the Gram matrix of the features overflows; rescale x");
  }
  Array<double> eigenvalues(p);
  symmetric_eigen(v.view(), eigenvalues);
  const double reckoned = rounding_of_rows(n, p) * std::max(p > 0 ? std::abs(eigenvalues.back()) : 0, removed);
  const double noise = std::max(reckoned, least_noise) + underflow(n, p);
  out.noise.assign(p, noise);
  out.vt = Matrix(p, p);
  for (Index k = 0; k < p; ++k) {
    const Index from = p - 1 - k;
    out.s.push_back(std::sqrt(std::max(eigenvalues[from], 0.0)));
    for (Index j = 0; j < p; ++j) out.vt(k, j) = v(j, from);
    worked(4 * touched * static_cast<double>(p));
  }
  require_finite_squares(out.s, "the features");
}

// All p directions, from the Gram matrix of the tall matrix.
ReducedFeatures directions_of_gram(MatrixView gram, Index free, Index t, Index n, const Matrix& start,
                                   double least_noise) {
  const Index p = gram.cols - free - t;
  Stage stage(0, 0.6);
  ReducedFeatures out;
  Matrix more(free, p);
  const double removed = remove_free(gram, more);
  out.parts = sum_of_parts(start, more);
  set_directions(gram.block(free, free, p, p), n, removed, least_noise, out);
  stage.next(1);
  Matrix xy(p, t);
  transpose(gram.block(free + p, free, t, p), xy.view());
  out.gamma = Matrix(p, t);
  gemm(Op::none, Op::none, 1, out.vt.view(), xy.view(), 0, out.gamma.view());
  for (Index j = 0; j < t; ++j) {
    double rest = gram(free + p + j, free + p + j);
    for (Index k = 0; k < p; ++k) {
      const double s = out.s[k];
      double& gamma = out.gamma(k, j);
      gamma = s > 0 ? gamma / s : 0;
      if (s * s > out.noise[k]) rest -= gamma * gamma;
    }
    out.rest_norm2.push_back(std::max(rest, 0.0));
  }
  return out;
}

ReducedFeatures reduce_by_gram(const Problem& problem, const FeatureMap& map) {
  Stage stage(0, 0.8);
  Gram sums = gram_of(problem, map);
  stage.next(1);
  double known = 0;  // the square of what the subtraction of known parts left as rounding
  for (const double norm : sums.explained)
    known = std::hypot(known, rounding_of_rows(problem.n(), map.features()) * norm);
  return directions_of_gram(sums.gram.view(), problem.q(), problem.t(), problem.n(), sums.start, known * known);
}

// The directions above their noise, at most `degrees` of them. rest_grows: the shares of the other directions in Y~ are
// added to |E|^2 (for QR; with the Gram matrix only the shares of directions above the noise were subtracted from
// |E|^2).
ReducedFeatures without_noise(ReducedFeatures all, Index degrees, bool rest_grows) {
  const Index p = all.vt.cols(), t = all.gamma.cols();
  Array<Index> kept;
  for (Index k = 0; k < p; ++k) {
    const double s = all.s[k];
    if (std::ssize(kept) < degrees && s > 0 && s * s > all.noise[k]) {
      kept.push_back(k);
      continue;
    }
    for (Index j = 0; j < t && rest_grows; ++j) all.rest_norm2[j] += all.gamma(k, j) * all.gamma(k, j);
  }
  const Index r = std::ssize(kept);
  ReducedFeatures out{std::move(all.parts), std::move(all.r),          {}, Matrix(r, p),
                      Matrix(r, t),         std::move(all.rest_norm2), {}};
  for (Index k = 0; k < r; ++k) {
    const Index from = kept[k];
    out.s.push_back(all.s[from]);
    out.noise.push_back(all.noise[from]);
    for (Index j = 0; j < t; ++j) out.gamma(k, j) = all.gamma(from, j);
  }
  for (Index j = 0; j < p; ++j) {
    for (Index k = 0; k < r; ++k) out.vt(k, j) = all.vt(kept[k], j);
    worked(2 * touched * static_cast<double>(p));
  }
  return out;
}

}  // namespace

// With few columns 512 rows fill a worker's share of the cache. Products with many columns copy their operands less
// often for tiles of more rows, but blas.cpp cuts large tiles into more pieces: 768 rows are as fast as 1024.
Index tile_rows(Index p) {
  return p < many_columns ? 512 : 768;
}

// The errors of the T tiles are independent of each other. Three parts: the errors within the tiles, which are
// relatively smaller in a sum of more tiles; those of adding up a few tiles; and those of adding up T / few such sums.
double gram_rounding(Index n, Index p) {
  const double tiles = std::max(static_cast<double>(n) / static_cast<double>(tile_rows(p)), 1.0);
  const double few = std::min<double>(gram_tiles, tiles);
  return (2 / std::sqrt(tiles) + few / std::sqrt(32 * tiles) + std::sqrt(tiles / few / 32)) *
         std::numeric_limits<double>::epsilon();
}

int reduction_workers(Index n, Index columns) {
  if (columns > squares_doubles) return 1;  // whose square may overflow
  const Index square = std::max<Index>(columns * columns, 1);
  const int team = team_size((n + tile_rows(columns) - 1) / tile_rows(columns),
                             static_cast<double>(n) * static_cast<double>(square));
  return team > squares_doubles / square ? 1 : team;
}

ReducedFeatures reduce_triangle(ConstMatrixView triangle, Index t, Index n, Span<const double> removed,
                                const char* what, Matrix& u) {
  const Index p = triangle.cols - t, count = std::min(triangle.rows, p);
  ReducedFeatures out;
  Matrix r = copy_of(triangle.block(0, 0, count, p));
  u = Matrix(count, count);
  out.s.resize(count);
  out.vt = Matrix(count, p);
  out.gamma = Matrix(count, t);
  const Array<double> norms = with_parts(column_norms(r.view()), removed);
  require_finite_squares(norms, what);
  small_svd(r.view(), out.s, u.view(), out.vt.view());
  require_finite_squares(out.s, what);
  const ConstMatrixView ry = triangle.columns(p, t);
  gemm(Op::transpose, Op::none, 1, u.view(), ry.row_range(0, count), 0, out.gamma.view());
  out.rest_norm2.assign(t, 0.0);
  for (Index j = 0; j < t; ++j)
    for (Index i = count; i < ry.rows; ++i) out.rest_norm2[j] += ry(i, j) * ry(i, j);
  out.noise = direction_noise(norms, out.vt.view(), n);
  return out;
}

ReducedFeatures reduce_gram(MatrixView gram, Index q, Index t, Index n, Index degrees, const Matrix& start,
                            double least_noise) {
  return without_noise(directions_of_gram(gram, q, t, n, start, least_noise), degrees, false);
}

ReducedFeatures reduce_features(const Problem& problem, const FeatureMap& map, Reduction reduction) {
  // Where the matrix is not tall there is no complement, and I - q1 q1' = B B' is used: the columns of B must be
  // orthonormal to rounding, and the Gram matrix may have few digits left. With hardly more rows than columns QR costs
  // little.
  const bool by_qr = reduction == Reduction::qr || problem.degrees() <= map.features();
  ReducedFeatures all = by_qr ? reduce_by_qr(problem, map) : reduce_by_gram(problem, map);
  ReducedFeatures out = without_noise(std::move(all), problem.degrees(), by_qr);
  report(1);
  return out;
}

}  // namespace freeridge
