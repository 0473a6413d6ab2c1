// The C layer for landmarks of rows in shards. Rank 0 draws a sample of all rows by their places, chooses the landmarks
// among these (libcore/data/choose_landmarks.hpp), and makes an accumulator over the landmarks.
#include <algorithm>
#include <set>

#include "capi/points.hpp"
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

struct Wish {
  const freeridge_kernel* kernel;
  const freeridge_points* points;
  Index sample;
  freeridge_landmark_method method;
  std::int64_t seed;
  Index count;
};

// The rows at these places among those of all ranks, on all ranks; `before` rows are those of ranks before this one.
Matrix gathered(const Team& team, const capi::GivenPoints& own, Index before, const Array<Index>& places) {
  Matrix out;
  team.together([&] {
    out = Matrix(std::ssize(places), own.d(), 0.0);
    if (own.n() == 0) return;
    own.each({}, [&](Index first, const Points& points) {
      const Index begin = before + first;
      Index i = std::ranges::lower_bound(places, begin) - places.begin();
      for (; i < out.rows() && places[i] < begin + points.x.rows; ++i)
        copy_rows(points.x, places[i] - begin, out.view().row_range(i, 1));
    });
  });
  team.sum(out.values());
  return out;
}

// This rank's rows, checked.
capi::GivenPoints checked_points(const Kernel& kernel, const Wish& wish) {
  capi::GivenPoints out("points", wish.points, {.none = true});
  out.refuse_unpenalised("landmarks are chosen by x alone");
  capi::require_size("sample", wish.sample);
  capi::require_one_of(
      "method", wish.method,
      {FREERIDGE_LANDMARKS_AUTO, FREERIDGE_LANDMARKS_RANDOM, FREERIDGE_LANDMARKS_KMEANS, FREERIDGE_LANDMARKS_PIVOTED});
  capi::require_size("count", wish.count);
  if (wish.count > wish.sample)
    fail(Status::invalid_argument, "count is ", wish.count, " and sample is ", wish.sample,
         "; count <= sample must hold");
  if (kernel.precomputed()) fail(Status::invalid_argument, "kernel is precomputed: its landmarks have no coordinates");
  kernel.check_features(out.d());
  if (out.n() > 0 && !out.read()) out.require_finite();
  return out;
}

// The landmarks' coordinates, the same on all ranks.
Matrix chosen(const Team& team, const KernelPtr& kernel, const capi::GivenPoints& own, const Wish& wish) {
  Index before = 0, all = 0;
  team.count(own.n(), before, all);
  Array<Index> places;
  team.together([&] {
    if (all < wish.count)
      fail(Status::dimension_mismatch, "count is ", wish.count, ", and all ranks together have ", all, " rows");
    places = random_places(all, std::min(wish.sample, all), wish.seed);  // the same integers everywhere
  });
  const Matrix sample = gathered(team, own, before, places);
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
  std::optional<capi::GivenPoints> own;
  begin_together(team, call, [&](Alike& alike) {
    kernel = own_kernel(wish.kernel);
    own.emplace(checked_points(*kernel, wish));
    alike.text("kernel", describe(*kernel));
    alike.number("points.d", own->d());
    alike.number("sample", wish.sample);
    alike.number("method", wish.method);
    alike.number("seed", wish.seed);
    alike.number("count", wish.count);
    check(alike);
  });
  return chosen(team, kernel, *own, wish);
}

}  // namespace
}  // namespace freeridge::mpi

using namespace freeridge;
using namespace freeridge::mpi;

freeridge_status freeridge_mpi_choose_landmarks(const freeridge_kernel* kernel, MPI_Comm comm,
                                                const freeridge_points* points, int64_t sample,
                                                freeridge_landmark_method method, int64_t seed, int64_t count,
                                                double* z, int64_t ldz, int64_t* found) {
  return guarded(__func__, [&](const char* call) {
    const Team team(comm);
    const Wish wish{kernel, points, sample, method, seed, count};
    const Matrix made = landmarks_of(team, call, wish, [&](Alike&) {
      capi::checked_output("z", z, "count", count, points->d, ldz);
      capi::required("found", found);
    });
    copy(made.view(), {z, made.rows(), made.cols(), ldz});
    *found = made.rows();
  });
}

freeridge_status freeridge_mpi_accumulator_create_landmarks(const freeridge_kernel* kernel, MPI_Comm comm,
                                                            const freeridge_points* points, int64_t sample,
                                                            freeridge_landmark_method method, int64_t seed,
                                                            int64_t count, int64_t t, int32_t intercept,
                                                            freeridge_reduction reduction,
                                                            freeridge_accumulator** out) {
  return guarded(__func__, [&](const char* call) {
    const Team team(comm);
    const Wish wish{kernel, points, sample, method, seed, count};
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
      ask(freeridge_accumulator_create_landmarks(kernel, FREERIDGE_COL_MAJOR, z.rows(), z.cols(), z.data(), z.rows(), t,
                                                 intercept, reduction, &own));
      made.reset(own);
    });
    *out = broadcast_accumulator(team, std::move(made)).release();
  });
}
