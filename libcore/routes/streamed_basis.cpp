// B formed from the data at each pass; notation of feature_reduction.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "libcore/linalg/scaling.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/feature_reduction.hpp"
#include "libcore/routes/saved_route.hpp"
#include "libcore/spectrum/small_svd.hpp"
#include "libcore/spectrum/spectrum_factorization.hpp"

namespace freeridge {
namespace {

constexpr double least_rest = 1e-5;  // |E|^2 over |Y~|^2 from which on |Y~|^2 - |Gamma|^2 has nine digits or so

class StreamedBasis final : public SpectrumFactorization {
 public:
  // more_digits: the map has more digits than doubles give it, if it may have them.
  StreamedBasis(ProblemPtr the_problem, Route route, std::unique_ptr<const FeatureMap> map, ReducedFeatures reduced,
                bool more_digits)
      : SpectrumFactorization(std::move(the_problem)),
        route_(route),
        more_digits_(more_digits && map->may_have_more_digits()),
        map_(std::move(map)),
        parts_(std::move(reduced.parts)),
        raw_parts_(copy_of(parts_.view())),
        r_(std::move(reduced.r)),
        s_(std::move(reduced.s)),
        vt_(std::move(reduced.vt)),
        to_basis_(vt_.cols(), vt_.rows()) {
    transpose(vt_.view(), to_basis_.view());
    for (Index k = 0; k < to_basis_.cols(); ++k) {
      for (Index j = 0; j < to_basis_.rows(); ++j) to_basis_(j, k) /= s_[k];
      worked(touched * static_cast<double>(to_basis_.rows()));
    }
    folded_ = map_->fold(to_basis_.view(), raw_parts_.view());
    clears_ = rounding_may_exceed_one();
    if (rest_cancels(reduced)) measure_rest(reduced);
    Array<double> not_orthonormal = blur(reduced.noise);
    Spectrum spectrum{.eigenvalues = squares(s_),
                      .noise = std::move(reduced.noise),
                      .gamma = std::move(reduced.gamma),
                      .rest_norm2 = std::move(reduced.rest_norm2)};
    set_digits(spectrum);
    set_spectrum(std::move(spectrum), std::move(not_orthonormal));
  }

  Route route() const override { return route_; }
  void save(ByteWriter& out) const override {
    map_->save(out);
    out.integer(r());
    out.integer(r_.cols() > 0 ? 1 : 0);
    out.matrix(parts_.view());
    save_triangle(out, r_.view(), Triangle::upper);
    out.numbers(s_);
    out.numbers(spectrum().noise);
    out.matrix(vt_.view());
    out.matrix(spectrum().gamma.view());
    out.numbers(spectrum().rest_norm2);
  }
  Span<const Index> landmarks() const override { return map_->landmarks(); }
  std::optional<FeatureSystem> feature_system(double lambda) const override {
    FeatureSystem out = make_feature_system(vt_.view(), s_, spectrum().noise, spectrum().gamma.view(), lambda);
    const Span<const Index> kept = map_->kept();
    out.parts = copy_of(parts_.view());
    out.kept.assign(kept.begin(), kept.end());
    if (!kept.empty()) out.l = copy_of(map_->whitening());
    out.complement = complement();
    return out;
  }

 protected:
  Tile tile(Index row, Index count, Room& room) const override {
    reserve(room, count);
    map_->raw(problem().x, row, room.features.view().row_range(0, count));
    const Tile out = finish(
        count, room, [&](Index i) { return row + i; }, problem().y_tilde.view().row_range(row, count),
        problem().q1().view().row_range(row, count));
    for (const Index i : out.small) {
      room.rest_diagonal[i] = 0;
      for (Index j = 0; j < room.rest.cols(); ++j) room.rest(i, j) = 0;
    }
    return out;
  }

  Tile gather(Span<const Index> which, Room& room) const override {
    const Index count = static_cast<Index>(which.size());
    reserve(room, count);
    Matrix y(count, problem().t());
    for (Index i = 0; i < count; ++i) {
      const Index row = which[i];
      map_->raw(problem().x, row, room.features.view().row_range(i, 1));
      worked(10 * nanosecond * static_cast<double>(vt_.cols()));  // each number from another column
      for (Index j = 0; j < y.cols(); ++j) y(i, j) = problem().y_tilde(row, j);
    }
    return finish(
        count, room, [&](Index i) { return which[i]; }, y.view(), problem().q1_of(which).view());
  }

  Index tile_rows() const override { return freeridge::tile_rows(vt_.cols()); }

  // Each tile costs the raw features and 2 p numbers for each direction, not 2 p r as B would.
  EachProjectedTile projected_tiles() const override {
    return [this](ConstMatrixView directions, ConstMatrixView constant, const UseProjectedTile& use) {
      const Index n = problem().n(), t = problem().t(), width = directions.cols, rows = std::min(tile_rows(), n),
                  tiles = pieces(n, rows);
      Matrix both(r(), width + t);
      copy(directions, both.view().columns(0, width));
      copy(gamma_inside(), both.view().columns(width, t));
      const Matrix from = of_features(both.view());
      struct Worker {
        Room room;
        Matrix out;
      };
      const int team = team_size(tiles, static_cast<double>(n * vt_.cols()) * static_cast<double>(width + t));
      Array<Worker> workers(team);
      const auto out_of = [&](Index i, int number) {
        Worker& worker = workers[number];
        if (worker.out.rows() == 0) worker.out = Matrix(rows, width + t);
        return worker.out.view().row_range(0, std::min(rows, n - i * rows));
      };
      const auto make = [&](Index i, int number) {
        const MatrixView out = out_of(i, number), z = out.columns(0, width), fit = out.columns(width, t);
        multiply(i * rows, from.view(), workers[number].room, out);
        finish_projection(problem().q1().view().row_range(i * rows, z.rows), constant, z);
        for (Index j = 0; j < t; ++j)
          for (Index k = 0; k < fit.rows; ++k) fit(k, j) = problem().y_tilde(i * rows + k, j) - fit(k, j);
      };
      const auto hand_over = [&](Index i, int number) {
        const MatrixView out = out_of(i, number);
        use(i * rows, out.columns(0, width), out.columns(width, t));
      };
      const Stage still(0, 0);  // no part of the progress that is told; it can be cancelled
      parallel_in_order(tiles, team, make, hand_over);
    };
  }

  void multiply(ConstMatrixView z, MatrixView out) const override {
    const Index step = std::min(tile_rows(), out.rows);
    const Matrix from = of_features(z);
    Room room;
    for (Index row = 0; row < out.rows; row += step)
      multiply(row, from.view(), room, out.row_range(row, std::min(step, out.rows - row)));
  }

  void solve(Index first, ConstMatrixView g, Solution& solution) const override {
    const Matrix w = hyperplane(g);
    map_->solve(problem(), first, w.view(), parts_.view(), solution);
  }

  void coefficients(Index first, ConstMatrixView g, double lambda, bool with_rest, MatrixView out) const override {
    if (!map_->own_coefficients(problem(), hyperplane(g).view(), out))
      SpectrumFactorization::coefficients(first, g, lambda, with_rest, out);
  }

  void refine(Index first, Index count, Index steps, double lambda, Span<const double> inverse,
              Solution& solution) const override {
    if (route_ == Route::landmark) fail(Status::invalid_state, "the LANDMARK route has no iterative refinement");
    refine_features(problem(), r_.view(), vt_.view(), inverse, lambda, first, count, steps, solution);
  }

  void project(const Points& points, Index first, double lambda, MatrixView z,
               const Covariances& variance) const override {
    Matrix phi(z.cols, vt_.cols(), 0.0);
    const Functionals* const of = points.functionals;
    if (of == nullptr || of->of_function()) {
      if (of == nullptr)
        map_->raw(points.x, first, phi.view());
      else
        map_->raw_functionals(*of, first, phi.view());
      map_->apply(phi.view());
    }
    subtract_parts(problem(), points, first, parts_.view(), phi.view());
    project_features(phi.view(), vt_.view(), s_, lambda, z, variance);
    problem().add_free_variance(points, first, lambda, variance);
  }

 private:
  // The noise that digits.hpp needs: of the directions, and of the directions and landmarks that were left out as
  // rounding.
  void set_digits(Spectrum& spectrum) const {
    if (by_qr())
      spectrum.sure = sure_of_qr;
    else
      spectrum.common_noise = matrix_noise();
    const Index wanted = std::min(problem().degrees(), std::max(map_->features(), std::ssize(landmarks())));
    if (spectrum.r() != wanted && spectrum.r() != 0)
      spectrum.left_out = {0, spectrum.common_noise.value_or(spectrum.tolerance()), spectrum.sure};
    const double below_noise =
        static_cast<double>(vt_.cols() - spectrum.r()) * spectrum.common_noise.value_or(spectrum.tolerance());
    for (const bool more : {false, true}) {
      FeatureMap::Rounding rounding = map_->rounding(problem(), vt_.view(), s_, parts_.view(), more);
      spectrum.feature_noise = std::move(rounding.noise);
      spectrum.wanting = std::max(rounding.wanting - below_noise, 0.0);
      if (r_.cols() > 0) spectrum.left_out.more = rounding.left;
      if (!more_digits_ || !spectrum.features_are_rounded()) break;
    }
  }
  // Whether S has the noise of a QR. Landmarks have that of K_RR in any case.
  bool by_qr() const { return route_ == Route::primal && r_.cols() > 0; }
  // The noise of Lambda, where it is that of a matrix: as ReducedKernel::noise, with the constant part |diag(nu) M'|^2.
  double matrix_noise() const {
    const double first = s_.empty() ? 0 : s_.front();
    double removed = 0;
    for (Index k = 0; k < parts_.cols(); ++k) {
      const double part = norm2(parts_.rows(), parts_.col(k)) * problem().unpenalised.nu(k);
      removed += part * part;
    }
    return rounding_of_rows(problem().n(), vt_.cols()) * std::max(first * first, removed);
  }

  // Gram: |E_j|^2 = |Y~_j|^2 - |Gamma_j|^2 loses its digits where Y~ is almost in the span of B.
  bool rest_cancels(const ReducedFeatures& reduced) const {
    if (reduced.loaded || r_.cols() > 0 || std::ssize(s_) >= problem().degrees()) return false;
    for (Index j = 0; j < problem().t(); ++j) {
      const double* const y = problem().y_tilde.col(j);
      if (reduced.rest_norm2[j] < least_rest * dot(problem().n(), y, y)) return true;
    }
    return false;
  }

  // E = Y~ - B Gamma itself, in one pass more. As |B'E| is small beside |E|,
  //     Gamma <- Gamma + B'E,      |E|^2 <- |E|^2 - |B'E|^2
  // leave of the rounding errors of Gamma what one step of refinement leaves.
  void measure_rest(ReducedFeatures& reduced) const {
    const Index n = problem().n(), r = std::ssize(s_), t = problem().t(), rows = std::min(tile_rows(), n);
    struct Worker {
      Room room;
      Matrix along;
      Array<double> norm2;
    };
    Array<Worker> workers(reduction_workers(n, vt_.cols() + t));
    parallel_shares(pieces(n, rows), static_cast<int>(workers.size()), [&](Index tile, int number) {
      Worker& worker = workers[number];
      if (worker.norm2.empty()) {
        worker.along = Matrix(r, t, 0.0);
        worker.norm2.assign(t, 0.0);
        worker.room.features = Matrix(rows, vt_.cols());
        worker.room.b = Matrix(rows, r);
        worker.room.rest = Matrix(rows, t);
      }
      const Index row = tile * rows, count = std::min(rows, n - row);
      const MatrixView b = worker.room.b.view().row_range(0, count), e = worker.room.rest.view().row_range(0, count),
                       features = worker.room.features.view().row_range(0, count);
      map_->raw(problem().x, row, features);
      basis_rows(
          features, [&](Index i) { return row + i; }, b);
      copy(problem().y_tilde.view().row_range(row, count), e);
      gemm(Op::none, Op::none, -1, b, reduced.gamma.view(), 1, e);
      gemm(Op::transpose, Op::none, 1, b, e, 1, worker.along.view());
      for (Index j = 0; j < t; ++j) worker.norm2[j] += dot(count, e.col(j), e.col(j));
    });
    for (Index j = 0; j < t; ++j) {
      double norm2 = 0;
      Array<double> along(r, 0.0);
      for (const Worker& worker : workers) {
        if (worker.norm2.empty()) continue;
        norm2 += worker.norm2[j];
        for (Index k = 0; k < r; ++k) along[k] += worker.along(k, j);
      }
      for (Index k = 0; k < r; ++k) reduced.gamma(k, j) += along[k];
      reduced.rest_norm2[j] = std::max(norm2 - dot(r, along.data(), along.data()), 0.0);
    }
  }

  void reserve(Room& room, Index count) const {
    if (room.features.rows() >= count && room.b.rows() >= count) return;
    room.features = Matrix(count, vt_.cols());
    room.b = Matrix(count, r());
    room.rest = Matrix(count, problem().t());
    room.rest_diagonal.resize(count);
  }

  // From raw features to rows of Phi~, or of what to_basis_ is folded for.
  template <class RowOf>
  void centre(MatrixView features, const RowOf& row_of) const {
    if (!folded_) map_->apply(features);
    Array<Index> rows(features.rows);
    for (Index i = 0; i < features.rows; ++i) rows[i] = row_of(i);
    problem().centre_and_weigh(rows, raw_parts_.view(), features);
  }

  // From raw features to rows of B.
  template <class RowOf>
  void basis_rows(MatrixView features, const RowOf& row_of, MatrixView b) const {
    centre(features, row_of);
    gemm(Op::none, Op::none, 1, features, to_basis_.view(), 0, b);
    if (clears_) clear_rounding_beyond_one(b);
  }

  // From raw features in the room to the tile.
  template <class RowOf>
  Tile finish(Index count, Room& room, const RowOf& row_of, ConstMatrixView y, ConstMatrixView q1) const {
    const MatrixView b = room.b.view().row_range(0, count);
    basis_rows(room.features.view().row_range(0, count), row_of, b);
    if (!complement()) return {b, {}, {}, {}};
    const MatrixView rest = room.rest.view().row_range(0, count);
    const Span<double> diagonal(room.rest_diagonal.data(), count);
    set_rest(b, y, q1, rest, diagonal, room.small);
    return {b, rest, diagonal, room.small};
  }

  // The matrix by which the centred features are multiplied to give B z; z itself where elements of B are cleared.
  Matrix of_features(ConstMatrixView z) const {
    Matrix out(clears_ ? z.rows : to_basis_.rows(), z.cols, 0.0);
    if (clears_)
      copy(z, out.view());
    else
      gemm(Op::none, Op::none, 1, to_basis_.view(), z, 0, out.view());
    return out;
  }

  // B_I z for the rows I = row, row + 1, ..., from = of_features(z): B itself is formed only where its elements are
  // cleared.
  void multiply(Index row, ConstMatrixView from, Room& room, MatrixView out) const {
    if (clears_) return gemm(Op::none, Op::none, 1, tile(row, out.rows, room).b, from, 0, out);
    if (room.features.rows() < out.rows) room.features = Matrix(out.rows, vt_.cols());
    const MatrixView features = room.features.view().row_range(0, out.rows);
    map_->raw(problem().x, row, features);
    centre(features, [&](Index i) { return row + i; });
    gemm(Op::none, Op::none, 1, features, from, 0, out);
  }

  // How far the columns of B = Phi~ V diag(S)^-1 are from orthonormal to each other: after QR Phi~ v_k has an error of
  // noise_k^(1/2), after the Gram reduction S_k^2 has one of noise_k.
  Array<double> blur(Span<const double> noise) const {
    Array<double> out;
    for (std::size_t k = 0; k < s_.size(); ++k)
      out.push_back(r_.cols() > 0 ? std::sqrt(noise[k]) / s_[k] : noise[k] / (s_[k] * s_[k]));
    return out;
  }

  // The columns of B are orthonormal, so no element is beyond 1. But the rounding error of B_ik is that of a row of
  // features, and of the mean in it, divided by s_k. Where rows differ by more magnitudes than there are digits, as
  // with weights of 1 and 1e100, it may be of any size.
  bool rounding_may_exceed_one() const {
    if (s_.empty()) return false;
    const auto [least, most] = std::ranges::minmax(s_);
    const double largest_mean = largest_magnitude(parts_.values()),
                 largest_weight = largest_magnitude(problem().sqrt_w);
    return !(std::numeric_limits<double>::epsilon() * (most + largest_weight * largest_mean) <= least / 16);
  }

  // An element beyond 1 is small beside its error, and becomes 0.
  void clear_rounding_beyond_one(MatrixView b) const {
    for (Index k = 0; k < b.cols; ++k) {
      for (Index i = 0; i < b.rows; ++i)
        if (!(std::abs(b(i, k)) <= 2)) b(i, k) = 0;
      worked(touched * static_cast<double>(b.rows));
    }
  }

  // w = V diag(S) g
  Matrix hyperplane(ConstMatrixView g) const {
    Matrix w(vt_.cols(), g.cols, 0.0);
    gemm(Op::transpose, Op::none, 1, vt_.view(), scaled_rows(s_, g).view(), 0, w.view());
    return w;
  }

  Route route_;
  bool more_digits_;
  std::unique_ptr<const FeatureMap> map_;
  Matrix parts_, raw_parts_;  // M of phi, and of what tile() starts from: phi or, folded, r
  Matrix r_;                  // for refinement; empty after the Gram reduction
  Array<double> s_;
  Matrix vt_, to_basis_;  // V'; V diag(S)^-1, folded: F'V diag(S)^-1
  bool folded_ = false;
  bool clears_ = false;  // rounding_may_exceed_one()
};

}  // namespace

FactorizationPtr factorize_streamed(ProblemPtr problem, Route route, std::unique_ptr<const FeatureMap> map,
                                    Reduction reduction, bool more_digits) {
  ReducedFeatures reduced = reduce_features(*problem, *map, reduction);
  return std::make_shared<StreamedBasis>(std::move(problem), route, std::move(map), std::move(reduced), more_digits);
}

FactorizationPtr load_streamed(ProblemPtr problem, Route route, std::unique_ptr<const FeatureMap> map, ByteReader& in) {
  const Index p = map->features(), t = problem->t();
  const Index r = in.integer("number of directions", 0, std::min(p, problem->degrees()));
  const bool with_r = in.integer("presence of R", 0, 1) == 1;
  ReducedFeatures reduced{};
  reduced.loaded = true;
  reduced.parts = in.matrix("the means", any_finite, p, problem->q());
  if (with_r) reduced.r = load_triangle(in, "R", p, Triangle::upper);
  reduced.s = load_scales(in, "the singular values", std::sqrt(any_finite), r, true);
  reduced.noise = load_scales(in, "the noise", any_finite, r, false);
  reduced.vt = in.matrix("V'", orthonormal, r, p);
  in.require("Gamma", r, t);
  reduced.gamma = Matrix(r, t);
  in.any_numbers("Gamma", reduced.gamma.values());
  in.require("the rest of y", t);
  reduced.rest_norm2.resize(t);
  in.any_numbers("the rest of y", reduced.rest_norm2);
  if (in.version() < 2) load_scales(in, "the blur", any_finite, 1, false);  // is made of S and the noise
  return std::make_shared<StreamedBasis>(std::move(problem), route, std::move(map), std::move(reduced), true);
}

Array<double> squares(Span<const double> s) {
  Array<double> out;
  for (const double value : s) out.push_back(value * value);
  return out;
}

}  // namespace freeridge
