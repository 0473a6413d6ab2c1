// The C layer for landmarks of rows in shards. Rank 0 draws a sample of all rows by their places, chooses the landmarks
// among these (libcore/data/choose_landmarks.hpp), and makes an accumulator over the landmarks.
#include <algorithm>
#include <set>

#include "libcore/base/checks.hpp"
#include "libcore/base/random.hpp"
#include "libcore/data/choose_landmarks.hpp"
#include "mpi/own_accumulator.hpp"
#include "mpi/own_kernel.hpp"
#include "mpi/wall.hpp"

namespace freeridge::mpi {
namespace {

// `count` of the places 0, ..., n - 1, ascending, each choice equally likely (R. Floyd's way: J. Bentley, R. Floyd, A
// sample of brilliance, Communications of the ACM 30 (1987)). Memory O(count).
Array<Index> random_places(Index n, Index count, std::int64_t seed) {
  Random random(seed);
  std::set<Index> places;
  for (Index last = n - count; last < n; ++last) {
    const Index place = random.uniform_index(last + 1);
    if (!places.insert(place).second) places.insert(last);
  }
  return Array<Index>(places.begin(), places.end());
}

struct Shard {
  LayoutView x;
  Index first = 0, all = 0;  // the place of its first row among those of all ranks, and how many these are
};

// The rows at these places, on all ranks.
Matrix gathered(const Team& team, const Shard& shard, const Array<Index>& places) {
  Matrix out;
  team.together([&] {
    out = Matrix(std::ssize(places), shard.x.cols, 0.0);
    for (Index i = 0; i < out.rows(); ++i) {
      const Index row = places[i] - shard.first;
      for (Index k = 0; k < out.cols() && row >= 0 && row < shard.x.rows; ++k) out(i, k) = shard.x(row, k);
    }
  });
  team.sum(out.values());
  return out;
}

struct Wish {
  const freeridge_kernel* kernel;
  freeridge_layout layout;
  Index n, d;
  const double* x;
  Index ldx, sample;
  freeridge_landmark_method method;
  std::int64_t seed;
  Index count;
};

// This rank's rows, checked.
LayoutView checked_shard(const Kernel& kernel, const Wish& wish) {
  const Layout order = capi::checked_layout(wish.layout);
  capi::require_size("d", wish.d);
  if (wish.n < 0 || wish.n > capi::largest_size)
    fail(Status::invalid_argument, "n is ", wish.n, "; it must be from 0 to ", capi::largest_size);
  LayoutView x{nullptr, 0, wish.d, 1, order};
  if (wish.n > 0) x = capi::checked_matrix("x", wish.x, order, "n", wish.n, "d", wish.d, "ldx", wish.ldx);
  capi::require_size("sample", wish.sample);
  capi::require_one_of(
      "method", wish.method,
      {FREERIDGE_LANDMARKS_AUTO, FREERIDGE_LANDMARKS_RANDOM, FREERIDGE_LANDMARKS_KMEANS, FREERIDGE_LANDMARKS_PIVOTED});
  capi::require_size("count", wish.count);
  if (wish.count > wish.sample)
    fail(Status::invalid_argument, "count is ", wish.count, " and sample is ", wish.sample,
         "; count <= sample must hold");
  if (kernel.precomputed()) fail(Status::invalid_argument, "kernel is precomputed: its landmarks have no coordinates");
  kernel.check_features(wish.d);
  if (wish.n > 0) require_finite("x", x);
  return x;
}

// The landmarks' coordinates, the same on all ranks.
Matrix chosen(const Team& team, const KernelPtr& kernel, const Shard& shard, const Wish& wish) {
  Array<Index> places;
  Index size = std::min(wish.sample, shard.all);
  team.together([&] {
    if (shard.all < wish.count)
      fail(Status::dimension_mismatch, "count is ", wish.count, ", and all ranks together have ", shard.all, " rows");
    places = random_places(shard.all, size, wish.seed);  // the same integers everywhere
  });
  const Matrix sample = gathered(team, shard, places);
  Array<Index> rows;
  team.together([&] {
    if (team.rank() != 0) return;
    const Landmarks landmarks{wish.count, {}, static_cast<LandmarkMethod>(wish.method), wish.seed};
    rows = choose_landmarks(*kernel, layout_view(sample), landmarks);
  });
  Index found = std::ssize(rows);
  team.broadcast_bytes(&found, sizeof found);
  Matrix z;
  team.together([&] { z = team.rank() == 0 ? picked_rows(sample.view(), rows) : Matrix(found, sample.cols()); });
  team.broadcast(z.values());
  return z;
}

// Begins the call: checks the rows, and that the arguments are the same on all ranks; check(alike) does the rest. Then
// chooses the landmarks.
template <class Check>
Matrix landmarks_of(const Team& team, const char* call, const Wish& wish, const Check& check) {
  KernelPtr kernel;
  Shard shard;
  begin_together(team, call, [&](Alike& alike) {
    kernel = own_kernel(wish.kernel);
    shard.x = checked_shard(*kernel, wish);
    alike.text("kernel", describe(*kernel));
    alike.number("d", wish.d);
    alike.number("sample", wish.sample);
    alike.number("method", wish.method);
    alike.number("seed", wish.seed);
    alike.number("count", wish.count);
    check(alike);
  });
  team.count(shard.x.rows, shard.first, shard.all);
  return chosen(team, kernel, shard, wish);
}

}  // namespace
}  // namespace freeridge::mpi

using namespace freeridge;
using namespace freeridge::mpi;

freeridge_status freeridge_mpi_choose_landmarks(const freeridge_kernel* kernel, MPI_Comm comm, freeridge_layout layout,
                                                int64_t n, int64_t d, const double* x, int64_t ldx, int64_t sample,
                                                freeridge_landmark_method method, int64_t seed, int64_t count,
                                                double* z, int64_t ldz, int64_t* found) {
  return guarded(__func__, [&](const char* call) {
    const Team team(comm);
    const Wish wish{kernel, layout, n, d, x, ldx, sample, method, seed, count};
    const Matrix made = landmarks_of(team, call, wish, [&](Alike&) {
      capi::checked_output("z", z, "count", count, d, ldz);
      capi::required("found", found);
    });
    copy(made.view(), {z, made.rows(), d, ldz});
    *found = made.rows();
  });
}

freeridge_status freeridge_mpi_accumulator_create_landmarks(
    const freeridge_kernel* kernel, MPI_Comm comm, freeridge_layout layout, int64_t n, int64_t d, const double* x,
    int64_t ldx, int64_t sample, freeridge_landmark_method method, int64_t seed, int64_t count, int64_t t,
    int32_t intercept, freeridge_reduction reduction, freeridge_accumulator** out) {
  return guarded(__func__, [&](const char* call) {
    const Team team(comm);
    const Wish wish{kernel, layout, n, d, x, ldx, sample, method, seed, count};
    const Matrix z = landmarks_of(team, call, wish, [&](Alike& alike) {
      capi::required("out", out);
      alike.number("t", t);
      alike.number("intercept", intercept);
      alike.number("reduction", reduction);
    });
    AccumulatorPtr made;
    team.together([&] {
      if (team.rank() != 0) return;
      freeridge_accumulator* own = nullptr;
      ask(freeridge_accumulator_create_landmarks(kernel, FREERIDGE_COL_MAJOR, z.rows(), d, z.data(), z.rows(), t,
                                                 intercept, reduction, &own));
      made.reset(own);
    });
    *out = broadcast_accumulator(team, std::move(made)).release();
  });
}
