#include "libcore/routes/feature_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "libcore/factor/refinement.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/row_qr.hpp"
#include "libcore/linalg/symmetric_eigen.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/spectrum/small_svd.hpp"

namespace freeridge {
namespace {

constexpr Index squares_doubles = 1 << 24;  // 128 MiB: where the workers' own p x p sums need more, there is one sum,
                                            // and the BLAS has the threads
constexpr Index wide = 1024;                // columns
constexpr Index gram_tiles = 24;            // (T / 2)^(2/3) is best for T of them

// The columns [w^(1/2) 1 (with intercept), W^(1/2) (Phi - 1 shift'), Y~] of the tall matrix, by tiles.
class TallMatrix {
 public:
  // partial: psi in place of phi, see FeatureMap
  TallMatrix(const Problem& problem, const FeatureMap& map, bool partial)
      : problem_(problem),
        map_(map),
        partial_(partial),
        ones_(problem.intercept ? 1 : 0),
        shift_(static_cast<std::size_t>(p()), 0.0) {
    if (!problem.intercept || map.centred()) return;
    // A provisional centre, from the first rows: with it, nothing cancels when the means are taken out.
    Matrix sample(std::min<Index>(problem.n(), 256), p());
    features(0, sample.view());
    for (Index k = 0; k < p(); ++k) {
      double sum = 0, weights = 0;
      for (Index i = 0; i < sample.rows(); ++i) {
        sum += problem.weight(i) * sample(i, k);
        weights += problem.weight(i);
      }
      shift_[static_cast<std::size_t>(k)] = sum / weights;
    }
  }

  Index p() const { return map_.features(); }
  Index ones() const { return ones_; }
  Index columns() const { return ones_ + p() + problem_.t(); }
  std::span<const double> shift() const { return shift_; }

  void rows(Index row, MatrixView out) const {
    const MatrixView phi = out.columns(ones_, p()), y = out.columns(ones_ + p(), problem_.t());
    features(row, phi);
    for (Index i = 0; i < out.rows && ones_ == 1; ++i) out(i, 0) = problem_.sqrt_w[static_cast<std::size_t>(row + i)];
    const double* const sqrt_w = problem_.sqrt_w.data() + row;
    for (Index k = 0; k < p(); ++k) {
      double* const column = phi.col(k);
      const double shift = shift_[static_cast<std::size_t>(k)];
      for (Index i = 0; i < out.rows; ++i) column[i] = (column[i] - shift) * sqrt_w[i];
      if (const Index i = first_not_finite({column, static_cast<std::size_t>(out.rows)}); i < out.rows)
        fail(Status::not_finite, "feature ", k, " of row ", row + i, ", weighted and scaled, overflows");
    }
    for (Index j = 0; j < y.cols; ++j) std::copy_n(problem_.y_tilde.col(j) + row, out.rows, y.col(j));
  }

 private:
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
  Index ones_;
  std::vector<double> shift_;
};

// Tiles of the tall matrix, in runs of neighbours, one run a worker: take(worker, tile). The tiles may be destroyed.
template <class Take>
void each_tile(const Problem& problem, const TallMatrix& tall, int workers, const Progress& progress,
               const Take& take) {
  const Index n = problem.n(), step = std::min(tile_rows(tall.p()), n), tiles = (n + step - 1) / step;
  std::vector<Matrix> rooms(static_cast<std::size_t>(workers));
  parallel_shares(tiles, workers, progress, [&](Index i, int worker) {
    Matrix& room = rooms[static_cast<std::size_t>(worker)];
    if (room.rows() == 0) room = Matrix(step, tall.columns());
    const MatrixView tile = room.view().row_range(0, std::min(step, n - i * step));
    tall.rows(i * step, tile);
    take(worker, tile);
  });
}

// R of the tall matrix: each worker's own, then one of them all, in order.
Matrix triangle_of(const Problem& problem, const TallMatrix& tall, const Progress& progress) {
  const int workers = reduction_workers(problem.n(), tall.columns());
  std::vector<std::optional<RowQr>> parts(static_cast<std::size_t>(workers));
  each_tile(problem, tall, workers, progress, [&](int worker, MatrixView tile) {
    std::optional<RowQr>& qr = parts[static_cast<std::size_t>(worker)];
    if (!qr) qr.emplace(tall.columns());
    qr->absorb(tile);
  });
  for (std::size_t k = 1; k < parts.size(); ++k) {
    parts[0]->add(parts[k]->r());
    parts[k].reset();
  }
  return parts[0]->take_r();
}

void add_to(Matrix& sum, const Matrix& other) {
  for (std::size_t i = 0; i < sum.values().size(); ++i) sum.values()[i] += other.values()[i];
  worked(3 * touched * static_cast<double>(sum.values().size()));
}

// A sum of many tiles' Gram matrices, in two levels: a few tiles, then the sums of a few.
class GramSum {
 public:
  void add(ConstMatrixView tile) {
    if (tiles_ == gram_tiles) add_up();
    if (few_.cols() == 0) few_ = Matrix(tile.cols, tile.cols, 0.0);
    syrk(Op::transpose, 1, tile, tiles_ == 0 ? 0 : 1, few_.view());
    ++tiles_;
  }
  Matrix take() {
    add_up();
    few_ = Matrix();
    return std::move(all_);
  }

 private:
  void add_up() {
    if (all_.cols() == 0)
      all_ = std::exchange(few_, Matrix());
    else
      add_to(all_, few_);
    tiles_ = 0;
  }

  Matrix all_, few_;
  Index tiles_ = 0;  // in few_
};

// The Gram matrix of the tall matrix, lower triangle: each worker's own, then their sum, in order.
Matrix gram_sum(const Problem& problem, const TallMatrix& tall, const Progress& progress) {
  const Index columns = tall.columns();
  const int workers = reduction_workers(problem.n(), columns);
  std::vector<GramSum> parts(static_cast<std::size_t>(workers));
  each_tile(problem, tall, workers, progress,
            [&](int worker, ConstMatrixView tile) { parts[static_cast<std::size_t>(worker)].add(tile); });
  Matrix sum = parts[0].take();
  for (std::size_t k = 1; k < parts.size(); ++k) add_to(sum, parts[k].take());
  return sum;
}

struct Gram {
  Matrix gram;
  std::vector<double> shift;  // what the features in it are centred by
};

Gram gram_of(const Problem& problem, const FeatureMap& map, const Progress& progress) {
  const auto pass = [&](bool partial, const Progress& part) {
    const TallMatrix tall(problem, map, partial);
    Gram out{gram_sum(problem, tall, part), {tall.shift().begin(), tall.shift().end()}};
    const bool complete = !partial || map.complete(out.gram.view(), tall.ones(), out.shift, problem.n());
    return complete ? std::optional(std::move(out)) : std::nullopt;
  };
  if (!map.has_partial()) return *pass(false, progress);
  if (std::optional<Gram> out = pass(true, progress.part(0, 0.9))) return std::move(*out);
  return *pass(false, progress.part(0.9, 1));
}

// The directions above their noise, at most `degrees` of them.
std::vector<Index> kept_directions(const ReducedFeatures& all, Index degrees) {
  std::vector<Index> kept;
  for (std::size_t k = 0; k < all.s.size() && static_cast<Index>(kept.size()) < degrees; ++k)
    if (all.s[k] > 0 && all.s[k] * all.s[k] > all.noise[k]) kept.push_back(static_cast<Index>(k));
  return kept;
}

}  // namespace

// Of few columns, 512 rows of those at hand are a worker's share of the cache. Products with many copy their operands
// less often with more rows, and less often with fewer where blas.cpp cuts them into fewer pieces: 768 are as fast as
// 1024.
Index tile_rows(Index p) {
  return p < wide ? 512 : 768;
}

// Independent errors of the T tiles, those within each, of which a sum of more has relatively less; those of adding up
// a few of them; and T / few sums of such.
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

ReducedFeatures reduce_features(const Problem& problem, const FeatureMap& map, Reduction reduction,
                                const Progress& progress) {
  const Index p = map.features(), t = problem.t(), ones = problem.intercept ? 1 : 0;
  // Not tall: I - q1 q1' = B B' is relied upon where there is no complement, and the columns of B must be orthonormal
  // to rounding also where the Gram matrix has few digits left. There are hardly more rows than columns, so QR costs
  // little.
  if (problem.degrees() <= p) reduction = Reduction::qr;
  // Squares that are subnormal are off by so much, whatever their size.
  const double underflow =
      static_cast<double>(problem.n()) * static_cast<double>(p) * std::numeric_limits<double>::denorm_min();
  ReducedFeatures out;
  out.rest_norm2.assign(static_cast<std::size_t>(t), 0.0);
  Matrix vt(p, p), rotated(p, t);
  out.s.resize(static_cast<std::size_t>(p));
  const auto add_to_mean = [&](double first, auto row) {  // row(k): w^(1/2)1 against the k-th column, over its norm
    for (Index k = 0; k < p; ++k) out.mean[static_cast<std::size_t>(k)] += row(k) / first;
  };

  if (reduction == Reduction::qr) {
    const TallMatrix tall(problem, map, false);
    const Matrix triangle = triangle_of(problem, tall, progress.part(0, 0.8));
    out.mean.assign(tall.shift().begin(), tall.shift().end());
    const ConstMatrixView r = triangle.view();
    if (ones == 1) add_to_mean(r(0, 0), [&](Index k) { return r(0, 1 + k); });
    Matrix small(p, p), u(p, p);
    out.r = Matrix(p, p);
    for (Index j = 0; j < p; ++j) {
      for (Matrix* to : {&small, &out.r}) std::copy_n(r.col(ones + j) + ones, p, to->col(j));
      worked(3 * touched * static_cast<double>(p));
    }
    const ConstMatrixView ry = r.block(ones, ones + p, p + t, t);
    const std::vector<double> norms = column_norms(small.view());
    require_finite_squares(norms, "the features");
    {
      const Stage stage(progress.part(0.8, 0.95), 0);
      small_svd(small.view(), out.s, u.view(), vt.view());
    }
    gemm(Op::transpose, Op::none, 1, u.view(), ry.row_range(0, p), 0, rotated.view());
    for (Index j = 0; j < t; ++j)
      for (Index i = p; i < p + t; ++i) out.rest_norm2[static_cast<std::size_t>(j)] += ry(i, j) * ry(i, j);
    out.noise = direction_noise(norms, vt.view(), problem.n());
    for (double& noise : out.noise) noise += underflow;
  } else {
    Gram sums = gram_of(problem, map, progress.part(0, 0.8));
    Matrix& gram = sums.gram;
    out.mean = std::move(sums.shift);
    const Index columns = gram.cols();
    if (ones == 1) {
      add_to_mean(gram(0, 0), [&](Index k) { return gram(1 + k, 0); });
      for (Index j = 1; j < columns; ++j) {
        for (Index i = j; i < columns; ++i) gram(i, j) -= gram(i, 0) / gram(0, 0) * gram(j, 0);
        worked(touched * static_cast<double>(columns - j));
      }
    }
    Matrix v(p, p);
    for (Index j = 0; j < p; ++j) {
      std::copy_n(gram.col(ones + j) + ones + j, p - j, v.col(j) + j);
      worked(2 * touched * static_cast<double>(p - j));
      if (first_not_finite({v.col(j) + j, static_cast<std::size_t>(p - j)}) < p - j)
        fail(Status::not_finite, "the Gram matrix of the features overflows; rescale x");
    }
    std::vector<double> eigenvalues(static_cast<std::size_t>(p));
    symmetric_eigen(v.view(), eigenvalues, progress.part(0.8, 0.95));
    const double noise = rounding_of_rows(problem.n(), p) * (p > 0 ? std::abs(eigenvalues.back()) : 0) + underflow;
    out.noise.assign(static_cast<std::size_t>(p), noise);
    Matrix xy(p, t);
    for (Index j = 0; j < t; ++j)
      for (Index k = 0; k < p; ++k) xy(k, j) = gram(ones + p + j, ones + k);
    for (Index k = 0; k < p; ++k) {  // descending
      const Index from = p - 1 - k;
      out.s[static_cast<std::size_t>(k)] = std::sqrt(std::max(eigenvalues[static_cast<std::size_t>(from)], 0.0));
      for (Index j = 0; j < p; ++j) vt(k, j) = v(j, from);
      worked(4 * touched * static_cast<double>(p));
    }
    gemm(Op::none, Op::none, 1, vt.view(), xy.view(), 0, rotated.view());
    for (Index j = 0; j < t; ++j) {
      double& rest = out.rest_norm2[static_cast<std::size_t>(j)];
      rest = gram(ones + p + j, ones + p + j);
      for (Index k = 0; k < p; ++k) {
        const double s = out.s[static_cast<std::size_t>(k)];
        rotated(k, j) = s > 0 ? rotated(k, j) / s : 0;
        if (s * s > noise) rest -= rotated(k, j) * rotated(k, j);
      }
      rest = std::max(rest, 0.0);
    }
  }
  require_finite_squares(out.s, "the features");

  const std::vector<Index> kept = kept_directions(out, problem.degrees());
  const Index r = static_cast<Index>(kept.size());
  ReducedFeatures all = std::move(out);
  out = {std::move(all.mean), std::move(all.r), {}, Matrix(r, p), Matrix(r, t), std::move(all.rest_norm2), {}};
  for (Index k = 0; k < r; ++k) {
    const Index from = kept[static_cast<std::size_t>(k)];
    const double s = all.s[static_cast<std::size_t>(from)], noise = all.noise[static_cast<std::size_t>(from)];
    out.s.push_back(s);
    out.noise.push_back(noise);
    for (Index j = 0; j < t; ++j) out.gamma(k, j) = rotated(from, j);
  }
  for (Index j = 0; j < p; ++j) {
    for (Index k = 0; k < r; ++k) out.vt(k, j) = vt(kept[static_cast<std::size_t>(k)], j);
    worked(2 * touched * static_cast<double>(p));
  }
  // What the directions left out hold of Y~ is part of the rest.
  if (reduction == Reduction::qr)
    for (Index k = 0; k < p; ++k)
      if (std::find(kept.begin(), kept.end(), k) == kept.end())
        for (Index j = 0; j < t; ++j) out.rest_norm2[static_cast<std::size_t>(j)] += rotated(k, j) * rotated(k, j);
  progress.report(1);
  return out;
}

void project_features(const Problem& problem, ConstMatrixView phi, ConstMatrixView vt, std::span<const double> s,
                      double lambda, MatrixView z, std::span<double> variance) {
  gemm(Op::none, Op::transpose, 1, vt, phi, 0, z);
  const bool outside = !variance.empty() && vt.rows < vt.cols;
  Matrix rest(outside ? phi.rows : 0, outside ? phi.cols : 0);
  if (outside) {
    for (Index j = 0; j < phi.cols; ++j) std::copy_n(phi.col(j), phi.rows, rest.col(j));
    gemm(Op::transpose, Op::none, -1, z, vt, 1, rest.view());
  }
  for (Index q = 0; q < static_cast<Index>(variance.size()); ++q) {
    double value = problem.intercept ? lambda / problem.sum_w : 0;
    for (Index k = 0; k < z.rows; ++k) {
      const double eigenvalue = s[static_cast<std::size_t>(k)] * s[static_cast<std::size_t>(k)];
      value += z(k, q) * z(k, q) * (eigenvalue > 0 ? lambda / (eigenvalue + lambda) : 1);
    }
    for (Index j = 0; j < rest.cols(); ++j) value += rest(q, j) * rest(q, j);
    variance[static_cast<std::size_t>(q)] = value;
  }
  for (Index q = 0; q < z.cols; ++q)
    for (Index k = 0; k < z.rows; ++k) z(k, q) *= s[static_cast<std::size_t>(k)];
}

void refine_features(const Problem& problem, ConstMatrixView r, ConstMatrixView vt, std::span<const double> inverse,
                     double lambda, Index first, Index count, Index steps, Solution& solution,
                     const Progress& progress) {
  const Index p = vt.cols;
  const bool regular = r.rows == p && p > 0 && static_cast<Index>(inverse.size()) == p &&
                       std::ranges::all_of(inverse, [](double value) { return value > 0; });
  if (!regular) {
    const auto solve = [&](MatrixView g) {
      Matrix u(vt.rows, g.cols);
      gemm(Op::none, Op::none, 1, vt, g, 0, u.view());
      for (Index j = 0; j < g.cols; ++j)
        for (Index k = 0; k < vt.rows; ++k) u(k, j) *= inverse[static_cast<std::size_t>(k)];
      gemm(Op::transpose, Op::none, 1, vt, u.view(), 0, g);
    };
    return refine_hyperplane(problem, solve, lambda, first, count, steps, solution, progress);
  }

  std::vector<double> scale = column_norms(r);
  for (double& value : scale) value = std::exp2(-static_cast<double>(std::ilogb(value)));
  Matrix stack(2 * p, p, 0.0), l(p, p, 0.0);
  for (Index j = 0; j < p; ++j) {
    for (Index i = 0; i <= j; ++i) stack(i, j) = r(i, j) * scale[static_cast<std::size_t>(j)];
    stack(p + j, j) = std::sqrt(lambda) * scale[static_cast<std::size_t>(j)];
  }
  RowQr qr(p);
  qr.add(stack.view());
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i <= j; ++i) l(j, i) = qr.r()(i, j);
  const auto solve = [&](MatrixView g) {
    const auto divide = [&] {
      for (Index j = 0; j < g.cols; ++j)
        for (Index k = 0; k < p; ++k) g(k, j) *= scale[static_cast<std::size_t>(k)];
    };
    divide();
    trsm(Op::none, l.view(), g);
    trsm(Op::transpose, l.view(), g);
    divide();
  };
  refine_hyperplane(problem, solve, lambda, first, count, steps, solution, progress);
}

}  // namespace freeridge
