// The C layer, rows in shards: accumulators reduced by a tree, and lambda by further passes.
//     allreduce   each rank's saved bytes, merged two by two by MPI_Reduce; rank 0 broadcasts the sum
//     select      GCV, REML on rank 0. LOO: rank 0 says at which lambdas, each rank sums W_ii e_i^2 over its own rows
#include <algorithm>
#include <cmath>
#include <cstring>

#include "libcore/base/checks.hpp"
#include "mpi/served_search.hpp"
#include "mpi/wall.hpp"

namespace freeridge::mpi {
namespace {

struct DestroyAccumulator {
  void operator()(freeridge_accumulator* accumulator) const { freeridge_accumulator_destroy(accumulator); }
};
using AccumulatorPtr = std::unique_ptr<freeridge_accumulator, DestroyAccumulator>;

struct Sizes {
  int64_t n = 0, d = 0, t = 0;
  double sum_w = 0;
  int32_t intercept = 0;
};

Sizes sizes_of(const freeridge_accumulator* accumulator) {
  Sizes out;
  ask(freeridge_accumulator_get_dimensions(accumulator, &out.n, &out.d, &out.t, &out.sum_w));
  ask(freeridge_accumulator_has_intercept(accumulator, &out.intercept));
  return out;
}

// An element of the reduction: the length of the saved bytes, and room for the longest that there can be, an
// accumulator's p (p + max(512, 4 p)) doubles and what is saved beside them.
constexpr Index head = 8;

Index room_of(const Sizes& sizes) {
  const Index p = 1 + sizes.d + sizes.t;
  Index numbers = 0, bytes = 0;
  if (__builtin_mul_overflow(p, p + std::max<Index>(512, 4 * p) + 8, &numbers) ||
      __builtin_mul_overflow(numbers + 64, Index{8}, &bytes) || bytes / 8 > 2147483647)
    fail(Status::invalid_argument, "d is ", sizes.d,
         ": its accumulators have more than 16 GiB, and MPI counts in 32 bits");
  return head + bytes;
}

void put(const freeridge_accumulator* accumulator, unsigned char* element, Index room) {
  int64_t length = 0;
  ask(freeridge_accumulator_save_to_memory(accumulator, 0, nullptr, &length));
  if (length > room - head) fail(Status::internal, "an accumulator has ", length, " bytes, more than ", room - head);
  ask(freeridge_accumulator_save_to_memory(accumulator, length, element + head, &length));
  std::memcpy(element, &length, sizeof length);
}

AccumulatorPtr take(const unsigned char* element) {
  int64_t length = 0;
  std::memcpy(&length, element, sizeof length);
  freeridge_accumulator* made = nullptr;
  ask(freeridge_accumulator_load_from_memory(element + head, length, &made));
  return AccumulatorPtr(made);
}

// What went wrong within an MPI_Op, which can answer nothing: MPI calls it on the thread that reduces.
thread_local Fault merge_fault;

void merge_elements(void* in, void* inout, int* count, MPI_Datatype* type) {
  int room = 0;
  MPI_Type_size(*type, &room);
  for (int k = 0; k < *count && merge_fault.status == 0; ++k)
    merge_fault = fault_of([&] {
      auto* const to = static_cast<unsigned char*>(inout) + Index{k} * room;
      const AccumulatorPtr sum = take(static_cast<const unsigned char*>(in) + Index{k} * room), other = take(to);
      if (sizes_of(other.get()).n > 0) ask(freeridge_accumulator_merge(sum.get(), other.get()));
      put(sum.get(), to, room);
    });
}

// element of rank 0 = all of them, merged in the order of the ranks.
void reduce(const Team& team, Array<unsigned char>& element) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Type_contiguous(static_cast<int>(std::ssize(element) / 8), MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(merge_elements, 0, &op);
  merge_fault = {};
  if (team.rank() == 0)
    MPI_Reduce(MPI_IN_PLACE, element.data(), 1, type, op, 0, team.comm());
  else
    MPI_Reduce(element.data(), nullptr, 1, type, op, 0, team.comm());
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  team.agree(merge_fault);
}

// That all ranks have accumulators of one kind, and the same arguments.
Sizes require_alike(const Team& team, const freeridge_accumulator* accumulator, std::initializer_list<double> kind) {
  Sizes sizes;
  team.together([&] { sizes = sizes_of(accumulator); });
  Fingerprint print;
  print.number(sizes.d);
  print.number(sizes.t);
  print.number(std::int64_t{sizes.intercept});
  for (const double number : kind) print.number(number);
  const bool same = team.same(print.value());
  team.together([&] {
    if (!same) fail(Status::dimension_mismatch, "d, t, intercept or the arguments differ between the ranks");
  });
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

constexpr Index errors_at_once = Index{1} << 21;

// sums(l, j) += W_ii e_i^2 of this rank's rows, in tiles of rows; NaN where a row has no error left out.
void add_squares(const RowsOfRank& own, Span<const double> lambdas, Index t, MatrixView sums) {
  const Index count = std::ssize(lambdas), rows = std::clamp<Index>(errors_at_once / (count * t), 1, 4096);
  Matrix errors(std::min(rows, std::max<Index>(own.n, 1)), count * t);
  for (Index row = 0; row < own.n; row += rows) {
    const Index m = std::min(rows, own.n - row);
    const auto from = [&](const double* a, Index ld) {
      return a + (own.layout == FREERIDGE_COL_MAJOR ? row : row * ld);
    };
    const double* const weights = own.weights == nullptr ? nullptr : own.weights + row;
    const freeridge_status status =
        freeridge_accumulator_loo(own.accumulator, own.layout, m, from(own.x, own.ldx), own.ldx, from(own.y, own.ldy),
                                  own.ldy, weights, count, lambdas.data(), errors.data(), errors.rows());
    if (status != FREERIDGE_UNDEFINED) ask(status);
    for (Index l = 0; l < count; ++l)
      for (Index j = 0; j < t; ++j)
        for (Index i = 0; i < m; ++i) {
          const double e = errors(i, l * t + j);
          sums(l, j) += (weights == nullptr ? 1 : weights[i]) * e * e;
        }
  }
}

void require_shard(const RowsOfRank& own, const Sizes& sizes) {
  capi::require_one_of("layout", own.layout, {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR});
  if (own.n < 0 || own.n > capi::largest_size)
    fail(Status::invalid_argument, "n is ", own.n, "; it must be from 0 to ", capi::largest_size);
  if (own.n == 0) return;
  const Layout order = capi::checked_layout(own.layout);
  require_finite("x", capi::checked_matrix("x", own.x, order, "n", own.n, "d", sizes.d, "ldx", own.ldx));
  require_finite("y", capi::checked_matrix("y", own.y, order, "n", own.n, "t", sizes.t, "ldy", own.ldy));
  require_weights(own.weights, own.n);
}

// LOO over the rows of all ranks, which must be as many as the accumulator has.
void select_by_loo(const Team& team, const RowsOfRank& own, const Sizes& sizes, double low, double high,
                   Span<double> lambda, Span<double> score) {
  double rows = static_cast<double>(own.n);
  team.together([&] { require_shard(own, sizes); });
  team.sum({&rows, 1});
  team.together([&] {
    if (rows != static_cast<double>(sizes.n))
      fail(Status::dimension_mismatch, "the ranks have ", rows, " rows, and the accumulator has ", sizes.n);
  });
  const auto range = [&] {
    double ends[2] = {low, high};
    if (low == 0) ask(freeridge_accumulator_lambda_grid(own.accumulator, 2, ends));
    return LambdaRange{ends[0], ends[1]};
  };
  const auto evaluate = [&](Span<const double> lambdas, Index first, MatrixView out) {
    Matrix sums;
    team.together([&] {
      sums = Matrix(std::ssize(lambdas), sizes.t, 0.0);
      add_squares(own, lambdas, sizes.t, sums.view());
    });
    team.sum(sums.values());
    team.broadcast(sums.values());
    std::string reason;
    for (Index j = 0; j < out.cols; ++j)
      for (Index l = 0; l < out.rows; ++l) {
        out(l, j) = sums(l, first + j) / sizes.sum_w;
        if (std::isnan(out(l, j))) reason = "a row has no leave-one-out error: its leverage is one";
      }
    return reason;
  };
  served_search(team, Criterion::loo, sizes.t, true, range, evaluate, lambda, score);
}

}  // namespace
}  // namespace freeridge::mpi

using namespace freeridge;
using namespace freeridge::mpi;

freeridge_status freeridge_mpi_accumulator_allreduce(const freeridge_accumulator* accumulator, MPI_Comm comm,
                                                     freeridge_accumulator** out) {
  return guarded(__func__, [&] {
    const Team team(comm);
    const Sizes sizes = require_alike(team, accumulator, {});
    Array<unsigned char> element;
    team.together([&] {
      capi::required("out", out);
      element.resize(room_of(sizes));
      put(accumulator, element.data(), std::ssize(element));
    });
    reduce(team, element);
    Index length = 0;
    team.together([&] { std::memcpy(&length, element.data(), sizeof length); });
    team.broadcast_bytes(&length, sizeof length);
    team.broadcast_bytes(element.data(), head + length);
    AccumulatorPtr made;
    team.together([&] {
      made = take(element.data());
      if (sizes_of(made.get()).n == 0)
        fail(Status::invalid_state, "no rank has rows; call freeridge_accumulator_add first");
    });
    *out = made.release();
  });
}

freeridge_status freeridge_mpi_accumulator_select_lambda(const freeridge_accumulator* accumulator, MPI_Comm comm,
                                                         freeridge_criterion criterion, double low, double high,
                                                         freeridge_layout layout, int64_t n, const double* x,
                                                         int64_t ldx, const double* y, int64_t ldy,
                                                         const double* weights, double* lambda, double* score) {
  return guarded(__func__, [&] {
    const Team team(comm);
    const Sizes sizes = require_alike(team, accumulator, {double(criterion), low, high});
    Array<double> best, best_score;
    team.together([&] {
      capi::require_one_of("criterion", criterion, {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML});
      require_range("low", low, "high", high);
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
        if (team.rank() == 0)
          ask(freeridge_accumulator_select_lambda(accumulator, criterion, low, high, best.data(), best_score.data(),
                                                  nullptr, nullptr, nullptr, nullptr));
      });
      team.broadcast(best);
      team.broadcast(best_score);
    }
    std::copy(best.begin(), best.end(), lambda);
    std::copy(best_score.begin(), best_score.end(), score);
  });
}
