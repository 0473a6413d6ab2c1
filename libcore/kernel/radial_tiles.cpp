#include "libcore/kernel/radial_tiles.hpp"

#include <cmath>
#include <string_view>

#include "libcore/base/progress.hpp"

namespace freeridge {
namespace {

constexpr double too_far = 1e17;  // whose square, summed over features, is still a float

// v = r^2 / bandwidth^2, or, where root is not 0, u = root r / bandwidth.
template <class Number>
struct RadialProfile {
  typename TileLoops<Number>::Tile make;
  double root, bandwidth;
};

template <class Number>
std::optional<RadialProfile<Number>> profile_of(const Kernel& kernel, const TileLoops<Number>& loops) {
  const Kernel* inner = &kernel;
  while (std::string_view(inner->name()) == "scaled") inner = inner->parts()[0].get();
  const std::string_view name = inner->name();
  const double bandwidth = inner->bandwidth().value_or(1);
  if (name == "gaussian") return {{loops.gaussian, 0, bandwidth}};
  if (name == "laplacian") return {{loops.laplacian, 1, bandwidth}};
  if (name != "matern") return std::nullopt;
  const double nu = inner->parameter(0).values[0];
  if (nu == 0.5) return {{loops.laplacian, 1, bandwidth}};
  if (nu == 1.5) return {{loops.matern32, std::sqrt(3.0), bandwidth}};
  return {{loops.matern52, std::sqrt(5.0), bandwidth}};
}

}  // namespace

std::optional<RadialTiles> radial_tiles(const Kernel& kernel, Index d) {
  const auto profile = profile_of(kernel, pass_loops().doubles);
  if (!profile) return std::nullopt;
  const double factor =
      profile->root > 0 ? profile->root / profile->bandwidth : 1 / (profile->bandwidth * profile->bandwidth);
  if (!(factor > 1e-300 && factor < 1e300)) return std::nullopt;
  const bool scaled = std::string_view(kernel.name()) == "scaled";
  return RadialTiles{profile->make, factor, scaled ? kernel.feature_scale(d) : Array<double>()};
}

std::optional<SinglePoints> SinglePoints::of(const Kernel& kernel, const Rows& x) {
  const auto profile = profile_of(kernel, pass_loops().floats);
  if (!profile) return std::nullopt;
  constexpr Index side = PassLoops::side;
  const Index n = x.rows, d = x.cols, tiles = (n + side - 1) / side;
  const Array<double> divisor = kernel.feature_scale(d);
  const double unit = profile->root > 0 ? profile->bandwidth / profile->root : profile->bandwidth;
  SinglePoints out(profile->make, tiles, d);
  Matrix tile(std::min(side, n), d);
  Array<double> centre(d, 0.0);
  for (const bool second : {false, true})
    for (Index i = 0; i < tiles; ++i) {
      const MatrixView rows = tile.view().row_range(0, std::min(side, n - i * side));
      copy_rows(x, i * side, rows);
      for (Index k = 0; k < d; ++k) {
        float* const to = out.points_.data() + (i * d + k) * side;
        for (Index p = 0; p < rows.rows; ++p) {
          const double value = rows(p, k) / divisor[k] / unit;
          if (!second) {
            centre[k] += value / static_cast<double>(n);
            continue;
          }
          const double from_centre = value - centre[k];
          if (!(std::abs(from_centre) < too_far)) return std::nullopt;
          to[p] = static_cast<float>(from_centre);
        }
      }
      worked(touched * static_cast<double>(rows.rows * d));
    }
  return out;
}

}  // namespace freeridge
