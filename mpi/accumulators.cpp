// The C layer for rows in shards: accumulators are reduced by a tree, and lambda is chosen by further passes.
//     allreduce   the triangles of the ranks are merged two by two; rank 0 prepares the sum, and broadcasts it
//     select      GCV, REML on rank 0. LOO: rank 0 says at which lambdas; each rank makes the moments of the left-out
//                 errors of its own rows, and these are joined two by two
#include <algorithm>

#include "libcore/base/checks.hpp"
#include "libcore/select/moments.hpp"
#include "mpi/own_accumulator.hpp"
#include "mpi/reduction.hpp"
#include "mpi/same_rows.hpp"
#include "mpi/served_search.hpp"
#include "mpi/wall.hpp"

namespace freeridge::mpi {
namespace {

struct Sizes {
  int64_t n = 0, d = 0, t = 0;
  double intercept = 0;
};

Sizes sizes_of(const freeridge_accumulator* accumulator) {
  Sizes out;
  ask(freeridge_accumulator_get_dimensions(accumulator, &out.n, &out.d, &out.t, nullptr));
  ask(freeridge_accumulator_get_parameter(accumulator, FREERIDGE_INTERCEPT, &out.intercept));
  return out;
}

// What the accumulators of all ranks have in common.
Sizes checked_sizes(const freeridge_accumulator* accumulator, Alike& alike) {
  const Sizes sizes = sizes_of(accumulator);
  int64_t unpenalised = 0;
  ask(freeridge_accumulator_get_unpenalised(accumulator, &unpenalised, nullptr));
  alike.number("d of the accumulator", sizes.d);
  alike.number("t of the accumulator", sizes.t);
  alike.number("the accumulator's intercept", static_cast<std::int64_t>(sizes.intercept));
  alike.number("the number of columns that are not penalised", unpenalised);
  return sizes;
}

// This rank's rows for the second pass.
struct RowsOfRank {
  const freeridge_accumulator* accumulator;
  freeridge_layout layout;
  Index n;
  const double* x;
  Index ldx;
  const double* y;
  Index ldy;
  const double* weights;
};

freeridge_points points_of(const RowsOfRank& own, Index d) {
  freeridge_points points{};
  points.size = sizeof points;
  points.n = own.n;
  points.d = d;
  points.layout = own.layout;
  points.x = own.x;
  points.ldx = own.ldx;
  return points;
}

struct Arrays {
  LayoutView x, y;
};

Arrays checked_shard(const RowsOfRank& own, const Sizes& sizes) {
  capi::require_one_of("layout", own.layout, {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR});
  if (own.n < 0 || own.n > capi::largest_size)
    fail(Status::invalid_argument, "n is ", own.n, "; it must be from 0 to ", capi::largest_size);
  const Layout order = capi::checked_layout(own.layout);
  if (own.n == 0) return {{nullptr, 0, sizes.d, 1, order}, {nullptr, 0, sizes.t, 1, order}};
  const Arrays shard{capi::checked_matrix("x", own.x, order, "n", own.n, "d", sizes.d, "ldx", own.ldx),
                     capi::checked_matrix("y", own.y, order, "n", own.n, "t", sizes.t, "ldy", own.ldy)};
  require_finite("x", shard.x);
  require_finite("y", shard.y);
  require_weights(own.weights, own.n);
  return shard;
}

// out(l, j): LOO of output first + j at lambdas[l], on rank 0; the reason for a NaN among them.
std::string joined_scores(const Team& team, const RowsOfRank& own, Span<const double> lambdas, const Sizes& sizes,
                          Index first, MatrixView out) {
  const Index count = std::ssize(lambdas), t = sizes.t;
  Array<double> moments;
  team.together([&] {
    moments.resize(moment_numbers * count * t);
    const freeridge_points points = points_of(own, sizes.d);
    ask(freeridge_accumulator_moments(own.accumulator, &points, own.layout, own.y, own.ldy, own.weights, nullptr, count,
                                      lambdas.data(), moments.data()));
  });
  const auto join = [&](const void* other, void* inout) {
    ask(freeridge_moments_join(count * t, static_cast<const double*>(other), static_cast<double*>(inout)));
  };
  reduce(team, moments, std::ref(join));
  std::string reason;
  team.together([&] {
    if (team.rank() != 0) return;
    Matrix scores(count, t);
    const freeridge_status status =
        freeridge_moments_score(count, lambdas.data(), t, moments.data(), scores.data(), nullptr, count);
    if (status != FREERIDGE_UNDEFINED) ask(status);
    if (status == FREERIDGE_UNDEFINED) reason = "a row has no leave-one-out error: its leverage is one";
    copy(scores.view().columns(first, out.cols), out);
  });
  return reason;
}

// LOO over the rows of all ranks, which must be those that the accumulator has.
void select_by_loo(const Team& team, const RowsOfRank& own, const Sizes& sizes, double low, double high,
                   Span<double> lambda, Span<double> score) {
  Arrays shard;
  Index before = 0, rows = 0;
  team.together([&] { shard = checked_shard(own, sizes); });
  team.count(own.n, before, rows);
  team.together([&] {
    if (rows != sizes.n)
      fail(Status::dimension_mismatch, "the ranks have ", rows, " rows, and the accumulator has ", sizes.n);
  });
  require_same_rows(team, own.accumulator, shard.x, shard.y, own.weights);
  const auto range = [&] {
    double ends[2] = {low, high};
    if (low > 0) return LambdaRange{low, high};
    const freeridge_status status = freeridge_accumulator_lambda_grid(own.accumulator, 2, ends);
    if (status == FREERIDGE_UNDEFINED) return LambdaRange{1, 1};  // no lambda matters
    ask(status);
    return LambdaRange{ends[0], ends[1]};
  };
  const auto evaluate = [&](Span<const double> lambdas, Index first, MatrixView out) {
    return joined_scores(team, own, lambdas, sizes, first, out);
  };
  served_search(team, Criterion::loo, sizes.t, true, std::ref(range), std::ref(evaluate), lambda, score);
}

}  // namespace
}  // namespace freeridge::mpi

using namespace freeridge;
using namespace freeridge::mpi;

freeridge_status freeridge_mpi_accumulator_allreduce(freeridge_accumulator* accumulator, MPI_Comm comm,
                                                     freeridge_accumulator** out) {
  return guarded(__func__, [&](const char* call) {
    const Team team(comm);
    begin_together(team, call, [&](Alike& alike) {
      checked_sizes(accumulator, alike);
      capi::required("out", out);
    });
    const auto compact = [&] { team.together([&] { ask(freeridge_accumulator_compact(accumulator)); }); };
    // Before each phase all ranks agree on whether to go on. For an accumulator that is compact already, compact does
    // nothing but call the callback.
    const auto listen = compact;
    compact();
    Array<unsigned char> bytes;
    Alike alike;
    team.together([&] {
      bytes = bytes_of(accumulator);
      alike.number("the accumulator's kernel, landmarks or reduction", bytes.size());
    });
    alike.require(team);
    listen();
    const auto join = [size = std::ssize(bytes)](const void* other, void* inout) {
      ask(freeridge_accumulator_merge_bytes(other, size, inout));
    };
    reduce(team, bytes, std::ref(join));
    listen();
    AccumulatorPtr sum;
    team.together([&] {
      if (team.rank() != 0) return;
      sum = accumulator_of(bytes);
      if (sizes_of(sum.get()).n == 0)
        fail(Status::invalid_state, "no rank has rows; call freeridge_accumulator_add first");
      ask(freeridge_accumulator_prepare(sum.get()));
    });
    listen();
    *out = broadcast_accumulator(team, std::move(sum)).release();
  });
}

freeridge_status freeridge_mpi_accumulator_select_lambda(const freeridge_accumulator* accumulator, MPI_Comm comm,
                                                         freeridge_criterion criterion, double low, double high,
                                                         freeridge_layout layout, int64_t n, const double* x,
                                                         int64_t ldx, const double* y, int64_t ldy,
                                                         const double* weights, double* lambda, double* score) {
  return guarded(__func__, [&](const char* call) {
    const Team team(comm);
    Sizes sizes;
    Array<double> best, best_score;
    begin_together(team, call, [&](Alike& alike) {
      sizes = checked_sizes(accumulator, alike);
      alike.number("the number of the accumulator's rows", sizes.n);
      capi::require_one_of("criterion", criterion, {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML});
      require_range("low", low, "high", high);
      alike.number("criterion", criterion);
      alike.number("low", low);
      alike.number("high", high);
      capi::required("lambda", lambda);
      capi::required("score", score);
      if (sizes.n == 0)
        fail(Status::invalid_state, "the accumulator has no rows; call freeridge_accumulator_add first");
      best.resize(sizes.t);
      best_score.resize(sizes.t);
    });
    if (criterion == FREERIDGE_LOO) {
      select_by_loo(team, {accumulator, layout, n, x, ldx, y, ldy, weights}, sizes, low, high, best, best_score);
    } else {
      team.together([&] {
        if (team.rank() != 0) return;
        freeridge_search search{};
        search.size = sizeof search;
        search.lambda = best.data();
        search.score = best_score.data();
        ask(freeridge_accumulator_select_lambda(accumulator, criterion, low, high, &search));
      });
      team.broadcast(best);
      team.broadcast(best_score);
    }
    std::copy(best.begin(), best.end(), lambda);
    std::copy(best_score.begin(), best_score.end(), score);
  });
}
