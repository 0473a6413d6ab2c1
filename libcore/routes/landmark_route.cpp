// Landmark route (subset of regressors), notation of feature_reduction.hpp: a ridge problem in the features of
// landmark_features.hpp. K_TR is formed by tiles in each of two passes and never stored:
//     pass 1   Phi~'[Phi~, Y~] (or its QR)     n r kernel values, 2 n r^2
//     pass 2   B_I = Phi~_I V diag(S)^-1       n r kernel values, 2 n r^2 for each sweep over lambdas
// Where rounding of K_RR or phi raises the floor much (landmark_features.hpp), both passes are made with a map of more
// digits in its place.
// Memory: about 6 r^2, and for each worker 2 r^2 and tiles of 2304 r; n t for Y~.
#include <algorithm>

#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/routes/landmark_features.hpp"
#include "libcore/routes/saved_route.hpp"
#include "libcore/spectrum/spectrum_factorization.hpp"

namespace freeridge {

FactorizationPtr factorize_landmark(ProblemPtr problem, const Landmarks& landmarks, Reduction reduction) {
  require_symmetric(*problem->kernel, problem->basis);
  Stage stage(0, 0.3);
  Array<Index> rows = choose_landmarks(*problem->kernel, problem->basis, landmarks);
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
  return load_streamed(std::move(problem), Route::landmark, std::move(map), in);
}

LandmarkTrace landmark_trace(const Problem& problem, Span<const Index> landmarks) {
  const LandmarkFeatures map(problem, {landmarks.begin(), landmarks.end()});
  constexpr Index tile_rows = 1024;
  const Index n = problem.n(), step = std::min(tile_rows, n);
  Matrix phi(step, map.features());
  Array<double> diagonal(n);
  own_diagonal(*problem.kernel, problem.x, diagonal);
  LandmarkTrace out{0, 0};
  for (Index row = 0; row < n; row += step) {
    const MatrixView part = phi.view().row_range(0, std::min(step, n - row));
    map.raw(problem.x, row, part);
    map.apply(part);
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
