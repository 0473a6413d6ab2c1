// The C layer for rows in shards: accumulators are reduced by a tree, and lambda is chosen by further passes.
//     allreduce   the triangles of the ranks are merged two by two; rank 0 prepares the sum, and broadcasts it
//     select      GCV, REML on rank 0. LOO, GROUPS: rank 0 says at which lambdas; each rank makes the moments of the
//                 left-out errors of its own rows, and these are joined two by two
#include <algorithm>
#include <cmath>

#include "capi/accumulators.hpp"
#include "capi/searches.hpp"
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
  const freeridge_points* points;
  freeridge_layout layout;
  const double* y;
  int64_t ldy;
  const double* weights;
  const int32_t* group;
};

// The fields of a freeridge_search that this call can answer.
constexpr double* freeridge_search::*real_fields[] = {
    &freeridge_search::lambda,  &freeridge_search::score,         &freeridge_search::standard_error,
    &freeridge_search::decades, &freeridge_search::one_se_lambda, &freeridge_search::one_se_score};
constexpr std::int32_t* freeridge_search::*integer_fields[] = {&freeridge_search::edge, &freeridge_search::dips,
                                                               &freeridge_search::below};

// What a search found, on rank 0, and then on all ranks.
class Found {
 public:
  explicit Found(Index t) : reals_(std::size(real_fields) * t, nan), integers_(std::size(integer_fields) * t), t_(t) {}

  // A search whose fields point into this object.
  freeridge_search fields(bool with_standard_errors) {
    freeridge_search out{};
    out.size = sizeof out;
    for (std::size_t k = 0; k < std::size(real_fields); ++k) out.*real_fields[k] = reals_.data() + k * t_;
    for (std::size_t k = 0; k < std::size(integer_fields); ++k) out.*integer_fields[k] = integers_.data() + k * t_;
    if (!with_standard_errors) out.standard_error = out.one_se_lambda = out.one_se_score = nullptr;
    return out;
  }
  void broadcast(const Team& team) {
    team.broadcast(reals_);
    team.broadcast_bytes(integers_.data(), std::ssize(integers_) * sizeof integers_[0]);
    team.broadcast_bytes(&count, sizeof count);
  }
  // Throws UNDEFINED where a standard error was asked for that is not there; all else is filled then.
  void give(freeridge_search& to) {
    freeridge_search from = fields(true);
    to.count = count;
    for (const auto field : real_fields) copy(from.*field, to.*field);
    for (const auto field : integer_fields) copy(from.*field, to.*field);
    if (to.standard_error == nullptr && to.one_se_lambda == nullptr && to.one_se_score == nullptr) return;
    for (Index j = 0; j < t_; ++j)
      if (std::isnan(from.standard_error[j]))
        fail(Status::undefined, "the best score of output ", j, " has no standard error");
  }

  int64_t count = 0;  // how many lambdas were tried

 private:
  template <class T>
  void copy(const T* from, T* to) const {
    if (to != nullptr) std::copy_n(from, t_, to);
  }

  Array<double> reals_;
  Array<std::int32_t> integers_;
  Index t_;
};

// out(l, j): the criterion of output first + j at lambdas[l], errors(l, j): its standard error, on rank 0; the reason
// for a NaN among them. n: how many rows have an error or none; 0: terms are not rows.
std::string joined_scores(const Team& team, const RowsOfRank& own, Span<const double> lambdas, Index t, Index n,
                          Index first, MatrixView out, MatrixView errors) {
  const Index count = std::ssize(lambdas);
  Array<double> moments;
  team.together([&] {
    moments.resize(moment_numbers * count * t);
    ask(freeridge_accumulator_moments(own.accumulator, own.points, own.layout, own.y, own.ldy, own.weights, own.group,
                                      count, lambdas.data(), moments.data()));
  });
  const auto join = [&](const void* other, void* inout) {
    ask(freeridge_moments_join(count * t, static_cast<const double*>(other), static_cast<double*>(inout)));
  };
  reduce(team, moments, std::ref(join));
  std::string reason;
  team.together([&] {
    if (team.rank() != 0) return;
    const Moments seen = moments_at(moments, 0);
    if (n > 0 && seen.rows + seen.undefined != static_cast<double>(n))
      fail(Status::dimension_mismatch, "the ranks have ", seen.rows + seen.undefined, " rows now, and had ", n);
    Matrix scores(count, t), deviations(count, t);
    reason = moment_scores(lambdas, moments, scores.view(), deviations.view());
    copy(scores.view().columns(first, out.cols), out);
    if (errors.data != nullptr) copy(deviations.view().columns(first, out.cols), errors);
  });
  return reason;
}

// LOO or GROUPS over the rows of all ranks, which must be those that the accumulator has.
void select_by_left_out(const Team& team, const RowsOfRank& own, Criterion criterion, double low, double high,
                        Found& out) {
  std::optional<Accumulator> all;
  std::optional<capi::GivenRows> rows;
  double labels = 0;
  team.together([&] {
    const Array<unsigned char> bytes = bytes_of(own.accumulator);
    all.emplace(MemorySource(bytes));
    if (!all->prepared()) all->compact();
    rows.emplace(*all, own.points, own.layout, own.y, own.ldy, own.weights,
                 capi::Allowed{.unknown_number = criterion == Criterion::loo, .none = true});
    rows->require_passed({});
    if (criterion == Criterion::loo) return;
    if (rows->n() > 0) capi::required("group", own.group);
    for (Index i = 0; i < rows->n(); ++i) labels += own.group[i] >= 0 ? 1 : 0;
  });
  team.sum({&labels, 1});
  team.together([&] {
    if (criterion == Criterion::groups && labels == 0)
      fail(Status::invalid_argument, "group has no label >= 0 on any rank");
  });
  require_same_rows(team, *all, *rows);
  const Index t = all->rows().t(), n = criterion == Criterion::loo ? all->rows().n() : 0;
  const auto range = [&] {
    double ends[2] = {low, high};
    if (low > 0) return LambdaRange{low, high};
    const freeridge_status status = freeridge_accumulator_lambda_grid(own.accumulator, 2, ends);
    if (status == FREERIDGE_UNDEFINED) return LambdaRange{1, 1};  // no lambda matters
    ask(status);
    return LambdaRange{ends[0], ends[1]};
  };
  const auto evaluate = [&](Span<const double> lambdas, Index first, MatrixView scores, MatrixView errors) {
    return joined_scores(team, own, lambdas, t, n, first, scores, errors);
  };
  const LambdaSearch found = served_search(team, criterion, t, true, std::ref(range), std::ref(evaluate));
  team.together([&] {
    if (team.rank() != 0) return;
    freeridge_search fields = out.fields(true);
    static_cast<void>(capi::GivenSearch(&fields).filled(found));
    out.count = fields.count;
    const auto problem = all->reduced();
    for (Index j = 0; j < t; ++j) fields.below[j] = problem->below_floor(found.best[j]) ? 1 : 0;
  });
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
                                                         const freeridge_points* points, freeridge_layout layout,
                                                         const double* y, int64_t ldy, const double* weights,
                                                         const int32_t* group, freeridge_search* search) {
  return guarded(__func__, [&](const char* call) {
    const Team team(comm);
    std::optional<Found> found;
    const bool left_out = criterion == FREERIDGE_LOO || criterion == FREERIDGE_GROUPS;
    begin_together(team, call, [&](Alike& alike) {
      const Sizes sizes = checked_sizes(accumulator, alike);
      alike.number("the number of the accumulator's rows", sizes.n);
      capi::require_one_of("criterion", criterion, {FREERIDGE_LOO, FREERIDGE_GROUPS, FREERIDGE_GCV, FREERIDGE_REML});
      require_range("low", low, "high", high);
      alike.number("criterion", criterion);
      alike.number("low", low);
      alike.number("high", high);
      if (criterion != FREERIDGE_GROUPS && group != nullptr)
        fail(Status::invalid_argument, "group is not NULL, and the criterion is not GROUPS");
      const capi::GivenSearch given(search);
      given.refuse_tables();
      if (!left_out) given.refuse_standard_errors();
      for (const auto field : real_fields) alike.number("the fields of search", search->*field == nullptr);
      for (const auto field : integer_fields) alike.number("the fields of search", search->*field == nullptr);
      if (sizes.n == 0)
        fail(Status::invalid_state, "the accumulator has no rows; call freeridge_accumulator_add first");
      found.emplace(sizes.t);
    });
    if (left_out) {
      select_by_left_out(team, {accumulator, points, layout, y, ldy, weights, group}, static_cast<Criterion>(criterion),
                         low, high, *found);
    } else {
      team.together([&] {
        if (team.rank() != 0) return;
        freeridge_search fields = found->fields(false);
        ask(freeridge_accumulator_select_lambda(accumulator, criterion, low, high, &fields));
        found->count = fields.count;
      });
    }
    found->broadcast(team);
    found->give(*search);
  });
}
