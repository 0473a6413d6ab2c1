// Linear combinations of predictions, with factors a_i, and their covariances:
//     L_g = sum_{i in g} a_i (f(x_i) + b)
// They are linear functionals of the fit (data/problem.hpp):
//     kappa_lg = sum_{i in g} a_i k(x_i, x_l)            values at k(x_l, .)
//     v_gh     = sum_{i in g, j in h} a_i a_j k(x_i, x_j)      covariances under f ~ N(0, k)
//     z_g      = sum_{i in g} a_i (x_i - shift)          linear kernels: L_g = z_g'w + ...
// An average has the factors 1 / m; a difference of two averages has 1 / m and -1 / m in one group, and loses no digits to
// a constant.
#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/kernel/given_values.hpp"
#include "libcore/kernel/kernel_gradient.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

constexpr Index tile_doubles = 1 << 20;

// take(row, tile) for the rows of `make`, as many at once.
template <class Make, class Take>
void each_tile(Index rows, Index columns, const Make& make, const Take& take) {
  const Index height = std::min(std::clamp<Index>(tile_doubles / std::max<Index>(columns, 1), 1, 1024), rows);
  Matrix space(height, columns);
  for (Index row = 0; row < rows; row += height) {
    const MatrixView tile = space.view().row_range(0, std::min(height, rows - row));
    make(row, tile);
    take(row, tile);
    worked(4 * touched * static_cast<double>(tile.rows * tile.cols));
  }
}

// out(k, g) = sum_{i in g} a_i tile(i, k), made by tiles.
template <class Make>
Matrix sums_of(const Combinations& of, Index columns, const Make& make) {
  Matrix out(columns, of.count(), 0.0);
  each_tile(of.points(), columns, make, [&](Index row, MatrixView tile) {
    for (Index k = 0; k < columns; ++k)
      for (Index i = 0; i < tile.rows; ++i) out(k, of.group(row + i)) += of.factor(row + i) * tile(i, k);
  });
  return out;
}

// The points in the order of their groups.
struct Grouped {
  Grouped(const Rows& x, const Combinations& of) : of_(of), x_(x.rows, x.cols) {
    each_tile(
        x.rows, x.cols, [&](Index row, MatrixView tile) { copy_rows(x, row, tile); },
        [&](Index row, MatrixView tile) {
          for (Index k = 0; k < tile.cols; ++k)
            for (Index i = 0; i < tile.rows; ++i) x_(of.place(row + i), k) = tile(i, k);
        });
  }
  Rows between(Index first, Index last) const {
    return LayoutView{x_.data() + first, last - first, x_.cols(), x_.rows(), Layout::col_major};
  }
  // values += those of combination q at the points x.
  void add(const Kernel& kernel, Index q, const Rows& x, Span<double> values) const {
    add_value_functional(kernel, between(of_.start(q), of_.start(q + 1)), of_.factors_from(q), x, values);
  }
  // v, or its diagonal.
  Matrix prior(const Kernel& kernel, bool pairs) const {
    Matrix out(of_.count(), pairs ? of_.count() : 1, 0.0);
    for (Index q = 0; q < of_.count(); ++q) {
      const Index first = pairs ? 0 : of_.start(q), last = of_.start(q + 1);
      Array<double> values(last - first, 0.0);
      add(kernel, q, between(first, last), values);
      for (Index h = pairs ? 0 : q; h <= q; ++h) {
        const Span<const double> a = of_.factors_from(h);
        double sum = 0;
        for (Index j = of_.start(h); j < of_.start(h + 1); ++j) sum += a[j - of_.start(h)] * values[j - first];
        out(q, pairs ? h : 0) = sum;
        if (pairs) out(h, q) = sum;
      }
    }
    return out;
  }

 private:
  const Combinations& of_;
  Matrix x_;
};

}  // namespace

void Model::sum_predictions(const Points& points, const Combinations& of, MatrixView value) const {
  const Array<double> none(t(), 0.0);
  Prediction from = prediction();
  const Span<const double> constant = from.w.rows > 0 ? from.level : from.b;
  from.level = from.b = none;
  const Matrix sums = sums_of(of, t(), [&](Index row, MatrixView tile) { predict_rows(from, points, row, tile); });
  Array<double> total(of.count(), 0.0);
  for (Index i = 0; i < of.points(); ++i) total[of.group(i)] += of.factor(i);
  for (Index j = 0; j < t(); ++j)
    for (Index q = 0; q < of.count(); ++q) {
      value(q, j) = sums(j, q) + total[q] * constant[j];
      if (!std::isfinite(value(q, j))) fail(Status::not_finite, "combination ", q, " of the predictions overflows");
    }
}

std::string Model::predict_combinations(const Points& points, const Combinations& of, CovarianceType type,
                                        MatrixView value, MatrixView errors, MatrixView covariance) const {
  require_fitted();
  const bool pairs = covariance.cols > 0, wanted = pairs || errors.cols > 0;
  const bool bayesian = type == CovarianceType::bayesian;
  if (wanted) require_prior(type);
  require_fixed(fixed_count(), points.fixed);
  const Problem& problem = factorization_->problem();
  const Index m = points.x.rows, count = of.count(), d = problem.d();
  const Index support = landmarks().empty() ? n() : std::ssize(landmarks());
  require_room_to_predict(count, pairs ? count + 2 : 1, wanted ? (pairs ? count : smoother_rows(n(), count)) : 0);
  require_room(8 * (checked_doubles(m, d + 4) + checked_doubles(count, support + d + problem.q() + count)),
               "combinations of predictions", "use fewer points or groups");
  const Hearing hearing(listener_);
  require_finite("x", points.x);
  Stage stage(0, wanted ? 0.2 : 1);
  Matrix sums(count, t());
  sum_predictions(points, of, sums.view());
  std::string reason;
  if (wanted) {
    stage.next(0.5);
    const OffsetRows rows = problem_rows(*kernel_, points.x);
    const Points seen(rows.x, points.fixed);
    Matrix slopes, kappa, prior;
    const Matrix g = sums_of(of, problem.q(), [&](Index row, MatrixView tile) {
      Matrix columns(tile.cols, tile.rows);
      problem.directions(seen, row, columns.view());
      transpose(columns.view(), tile);
    });
    if (problem.linear()) {
      const Matrix z = sums_of(of, d, [&](Index row, MatrixView tile) { pack_rows(rows.x, row, problem.shift, tile); });
      slopes = Matrix(count, d);
      transpose(z.view(), slopes.view());
    }
    const bool dual = route() != Route::primal && !(problem.linear() && route() == Route::iterative);
    if (kernel_->precomputed()) {
      const Matrix all = sums_of(
          of, n(), [&](Index row, MatrixView tile) { given_values(*problem.kernel, rows.x.dense(), row, 0, tile); });
      kappa = landmarks().empty() ? copy_of(all.view()) : picked_rows(all.view(), landmarks());
    } else if (problem.linear() && landmarks().empty() && dual) {
      const Functionals along{g.view(), {}, {}, slopes.view()};
      Matrix scaled(count, d);
      problem.scaled_rows(Points(along), 0, scaled.view());
      kappa = Matrix(n(), count);
      each_tile(
          n(), d, [&](Index row, MatrixView tile) { problem.scaled_rows(problem.x, row, tile); },
          [&](Index row, MatrixView tile) {
            gemm(Op::none, Op::transpose, 1, tile, scaled.view(), 0, kappa.view().row_range(row, tile.rows));
          });
      prior = Matrix(count, count);
      gemm(Op::none, Op::transpose, 1, scaled.view(), scaled.view(), 0, prior.view());
    } else if (dual) {
      Matrix chosen(std::ssize(landmarks()), d);
      for (Index k = 0; k < chosen.rows(); ++k) copy_rows(problem.basis, landmarks()[k], chosen.view().row_range(k, 1));
      const Rows at = landmarks().empty() ? problem.x : Rows(layout_view(chosen));
      const Grouped grouped(rows.x, of);
      kappa = Matrix(support, count, 0.0);
      for (Index q = 0; q < count; ++q) grouped.add(*problem.kernel, q, at, {kappa.col(q), support});
      if (bayesian && landmarks().empty()) prior = grouped.prior(*problem.kernel, pairs);
    }
    const Functionals functionals{g.view(), kappa.view(), prior.view(), slopes.view()};
    stage.next(1);
    reason = covariances_of(Points(functionals), count, type, errors, covariance);
  } else {
    report(1);
  }
  copy(sums.view(), value);
  return reason;
}

}  // namespace freeridge
