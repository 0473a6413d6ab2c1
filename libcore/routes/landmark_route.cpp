// Landmark route (subset of regressors), notation of feature_reduction.hpp: a ridge problem in the features of
// landmark_features.hpp. K_TR is formed by tiles in each of two passes and never stored:
//     pass 1   Phi~'[Phi~, Y~] (or its QR)     n r kernel values, 2 n r^2
//     pass 2   B_I = Phi~_I V diag(S)^-1       n r kernel values, 2 n r^2 for each sweep over lambdas
// Where rounding of K_RR or phi raises the floor much (landmark_features.hpp), both passes are made with a map of more
// digits in its place.
// Memory: about 6 r^2, and for each worker 2 r^2 and tiles of 2304 r; n t for Y~.
#include <algorithm>

#include "libcore/base/constants.hpp"
#include "libcore/factor/reduced_kernel.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/scaling.hpp"
#include "libcore/routes/landmark_features.hpp"
#include "libcore/routes/saved_route.hpp"
#include "libcore/spectrum/spectrum_factorization.hpp"

namespace freeridge {
namespace {

// A precomputed K is refused where it is seen not to be positive semi-definite: K_RR, or K of the landmarks and another
// row, with delta = indefinite() added to the diagonal. With K_RR + delta I = L L' each row has
//     |L^-1 k(R, i)|^2 <= K_ii + delta
// n r^2. With a free intercept, too: phi has no part along a constant to spare.
void require_semidefinite(const Problem& problem, Span<const Index> rows) {
  if (!problem.kernel->precomputed() || rows.empty()) return;
  const Stage still(0, 0);
  const bool square = problem.x.cols == problem.n();  // else a model of some rows, whose K_ii stand elsewhere
  const Index r = std::ssize(rows), n = square ? problem.n() : 0, tile = std::min<Index>(1024, n);
  const Support support(problem.kernel, problem.basis, rows);
  Matrix l(r, r);
  for (Index i = 0; i < r; ++i) support.evaluate(problem.basis, rows[i], l.view().row_range(i, 1));
  Array<double> own(n);
  if (square) own_diagonal(*problem.kernel, problem.x, own);
  const double delta = indefinite(r, std::max(symmetric_norm1(l.view()), largest_magnitude(own)));
  for (Index i = 0; i < r; ++i) l(i, i) += delta;
  if (delta > 0 && !potrf(l.view(), Triangle::lower))
    fail_indefinite(0, text("at the landmarks it has an eigenvalue below ", -delta));
  Matrix k(tile, r);
  for (Index row = 0; row < n && delta > 0; row += tile) {
    const MatrixView part = k.view().row_range(0, std::min(tile, n - row));
    support.evaluate(problem.x, row, part);
    trsm_right(Op::transpose, l.view(), part);
    for (Index i = 0; i < part.rows; ++i) {
      double left = own[row + i] + delta;
      for (Index q = 0; q < r; ++q) left -= part(i, q) * part(i, q);
      if (left < -delta) fail_indefinite(0, text("it has a negative eigenvalue at the landmarks and row ", row + i));
    }
    worked(2 * touched * static_cast<double>(part.rows * r));
  }
}

}  // namespace

FactorizationPtr factorize_landmark(ProblemPtr problem, const Landmarks& landmarks, Reduction reduction) {
  require_symmetric(*problem->kernel, problem->basis);
  Stage stage(0, 0.3);
  Array<Index> rows = choose_landmarks(*problem->kernel, problem->basis, landmarks);
  require_semidefinite(*problem, rows);
  stage.next(0.35);
  auto map = std::make_unique<LandmarkFeatures>(*problem, rows);
  const Reduction used = reduction == Reduction::qr ? Reduction::qr : Reduction::gram;
  const auto factorized = [&](bool more_digits) {
    if (used != Reduction::qr) map->prepare_partial(*problem, 1.5);
    return factorize_streamed(problem, Route::landmark, std::move(map), used, more_digits);
  };
  stage.next(1);
  FactorizationPtr out = factorized(false);
  const auto& spectrum = static_cast<const SpectrumFactorization&>(*out).spectrum();
  if (!spectrum.features_are_rounded()) return out;
  map = LandmarkFeatures::with_more_digits(*problem, std::move(rows));
  if (!map) return out;
  out.reset();
  map->keep_features(*problem);
  return factorized(true);
}

FactorizationPtr load_landmark(ProblemPtr problem, ByteReader& in) {
  auto map = std::make_unique<LandmarkFeatures>(*problem, in);
  require_semidefinite(*problem, map->landmarks());
  return load_streamed(std::move(problem), Route::landmark, std::move(map), in);
}

LandmarkTrace landmark_trace(const Problem& problem, Span<const Index> landmarks) {
  Array<Index> rows(landmarks.begin(), landmarks.end());
  auto map = std::make_unique<LandmarkFeatures>(problem, rows);
  if (!map->well_conditioned())
    if (auto more = LandmarkFeatures::with_more_digits(problem, std::move(rows))) map = std::move(more);
  constexpr Index tile_rows = 1024;
  const Index n = problem.n(), step = std::min(tile_rows, n);
  Matrix phi(step, map->features());
  Array<double> diagonal(n);
  own_diagonal(*problem.kernel, problem.x, diagonal);
  LandmarkTrace out{0, 0};
  for (Index row = 0; row < n; row += step) {
    const MatrixView part = phi.view().row_range(0, std::min(step, n - row));
    map->raw(problem.x, row, part);
    map->apply(part);
    for (Index i = 0; i < part.rows; ++i) {
      double left = diagonal[row + i];
      out.all += left;
      for (Index k = 0; k < part.cols; ++k) left -= part(i, k) * part(i, k);
      out.left += std::max(left, 0.0);
    }
    report(fraction(row + part.rows, n));
  }
  return out;
}

}  // namespace freeridge
