#include "libcore/kernel/single_points.hpp"

#include <cmath>
#include <string_view>

#include "libcore/base/progress.hpp"

namespace freeridge {
namespace {

constexpr double too_far = 1e17;  // whose square, summed over features, is still a float

struct SingleProfile {
  SingleLoops::Tile make;
  double root;
};

std::optional<SingleProfile> profile_of(const Kernel& kernel) {
  const std::string_view name = kernel.name();
  const SingleLoops& loops = single_loops();
  if (name == "gaussian") return SingleProfile{loops.gaussian, 1};
  if (name == "laplacian") return SingleProfile{loops.laplacian, 1};
  if (name != "matern") return std::nullopt;
  const double nu = kernel.parameter(0).values[0];
  if (nu == 0.5) return SingleProfile{loops.laplacian, 1};
  if (nu == 1.5) return SingleProfile{loops.matern32, std::sqrt(3.0)};
  return SingleProfile{loops.matern52, std::sqrt(5.0)};
}

}  // namespace

std::optional<SinglePoints> SinglePoints::of(const Kernel& kernel, const Rows& x) {
  const Kernel* inner = &kernel;
  while (std::string_view(inner->name()) == "scaled") inner = inner->parts()[0].get();
  const std::optional<SingleProfile> profile = profile_of(*inner);
  if (!profile) return std::nullopt;
  constexpr Index side = SingleLoops::side;
  const Index n = x.rows, d = x.cols, tiles = (n + side - 1) / side;
  const Array<double> divisor = kernel.feature_scale(d);
  const double unit = *inner->bandwidth() / profile->root;
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
