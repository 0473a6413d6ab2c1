// The C layer, rows in shards: accumulators as bytes that merge, moments of left-out errors that join, and the
// predictor of an accumulator.
#include <algorithm>
#include <string>
#include <utility>

#include "capi/accumulators.hpp"
#include "capi/saving.hpp"
#include "capi/searches.hpp"
#include "libcore/base/checks.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/select/moments.hpp"
#include "libcore/stream/group_pass.hpp"
#include "libcore/stream/streamed_fit.hpp"

namespace freeridge::capi {
namespace {

Span<double> checked_moments(const char* name, double* moments, std::int64_t pairs) {
  required(name, moments);
  require_product("count", pairs, "the numbers of a pair", moment_numbers);
  return {moments, static_cast<std::size_t>(moment_numbers * pairs)};
}

Span<const double> checked_moments(const char* name, const double* moments, std::int64_t count, std::int64_t t) {
  require_size("t", t);
  required(name, moments);
  require_product("count", count, "t", t);
  require_product("count", count * t, "the numbers of a pair", moment_numbers);
  const Span<const double> out(moments, static_cast<std::size_t>(moment_numbers * count * t));
  require_moments(name, out);
  return out;
}

// Groups that are whole in these rows.
void require_memory_for(const ReducedProblem& problem, const Groups& groups) {
  require_memory(group_pass_bytes(problem, groups), "leaving groups out",
                 "hand over fewer groups at a time, with the rows of each together");
}

// The leave-one-out errors.
std::string loo_errors_of(const ReducedProblem& problem, const GivenRows& rows, Span<const double> lambdas,
                          MatrixView out) {
  std::string reason;
  rows.each([&](Index first, const Rows& x, const LayoutView& y, const double* weights) {
    const std::string some = problem.loo(x, y, weights, lambdas, out.row_range(first, x.rows), first);
    if (reason.empty()) reason = some;
  });
  return reason;
}

PassOverRows all_of(const GivenRows& rows) {
  return [&rows](const UseRows& use) {
    rows.each([&](Index, const Rows& x, const LayoutView& y, const double* weights) { use(x, y, weights); });
  };
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_accumulator_create_landmarks(const freeridge_kernel* kernel, freeridge_layout layout,
                                                        int64_t r, int64_t d, const double* z, int64_t ldz, int64_t t,
                                                        int32_t intercept, freeridge_reduction reduction,
                                                        freeridge_accumulator** out) {
  return guarded(__func__, [&] {
    const KernelPtr& inner = required("kernel", kernel).kernel;
    const Layout order = checked_layout(layout);
    require_size("r", r);
    require_size("d", d);
    const LayoutView points = checked_matrix("z", z, order, "r", r, "d", d, "ldz", ldz);
    require_size("t", t);
    require_one_of("reduction", reduction,
                   {FREERIDGE_REDUCTION_AUTO, FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM});
    required("out", out);
    auto features =
        std::make_shared<const RowFeatures>(inner, points, intercept != 0, static_cast<Reduction>(reduction));
    *out = new freeridge_accumulator{Accumulator(std::move(features), t, intercept != 0)};
  });
}

freeridge_status freeridge_accumulator_compact(freeridge_accumulator* accumulator) {
  return guarded(__func__, [&] { accumulator_of(accumulator).compact(); });
}

freeridge_status freeridge_accumulator_prepare(freeridge_accumulator* accumulator) {
  return guarded(__func__, [&] { accumulator_of(accumulator).prepare(); });
}

freeridge_status freeridge_accumulator_merge_bytes(const void* other, int64_t size, void* inout) {
  return guarded(__func__, [&] {
    auto* const to = static_cast<unsigned char*>(inout);
    const auto* const from = static_cast<const unsigned char*>(other);
    required("inout", to);
    required("other", from);
    if (size < 1) fail(Status::invalid_argument, "size is ", size, "; it must be at least 1");
    const auto count = static_cast<std::size_t>(size);
    merge_bytes({to, count}, {from, count});
  });
}

freeridge_status freeridge_accumulator_errors(const freeridge_accumulator* accumulator, const freeridge_points* points,
                                              freeridge_layout layout, const double* y, int64_t ldy,
                                              const double* weights, const int32_t* group, int64_t count,
                                              const double* lambdas, double* errors, int64_t ld) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    const GivenRows rows(a, points, layout, y, ldy, weights);
    const auto values = checked_lambdas(count, lambdas);
    const Index n = rows.n(), t = a.rows().t();
    require_product("count", count, "t", t);
    const MatrixView out = checked_output("errors", errors, "points.n", n, count * t, ld);
    if (group == nullptr) {
      const Hearing hearing(a.listener());
      const auto problem = reduced(a);
      const Stage stage(0.5, 1);
      return report_undefined(loo_errors_of(*problem, rows, values, out));
    }
    a.require_rows();
    rows.require_passed(values);
    const Groups groups(Span(group, n));
    const Hearing hearing(a.listener());
    const auto problem = reduced(a);
    require_memory_for(*problem, groups);
    const Stage stage(0.5, 1);
    Matrix table(n, count * t);
    std::string reason =
        streamed_group_errors(*problem, groups, values, consecutive(0, count * t), table.view(), all_of(rows));
    report(1);
    copy_out(table.view(), Layout::col_major, out.data, out.ld);
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_accumulator_moments(const freeridge_accumulator* accumulator, const freeridge_points* points,
                                               freeridge_layout layout, const double* y, int64_t ldy,
                                               const double* weights, const int32_t* group, int64_t count,
                                               const double* lambdas, double* moments) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    const GivenRows rows(a, points, layout, y, ldy, weights, {.unknown_number = group == nullptr, .none = true});
    const auto values = checked_lambdas(count, lambdas);
    require_product("count", count, "t", a.rows().t());
    const Span<double> out = checked_moments("moments", moments, count * a.rows().t());
    a.require_rows();
    rows.require_passed(values);
    const Hearing hearing(a.listener());
    Array<Moments> found(out.size() / moment_numbers);
    const Index n = rows.n();
    if (group != nullptr && std::any_of(group, group + n, [](std::int32_t label) { return label >= 0; })) {
      const Groups groups(Span(group, n));
      const auto problem = reduced(a);
      require_memory_for(*problem, groups);
      const Stage stage(0.5, 1);
      found = StreamedGroupScores(*problem, groups, values, all_of(rows)).moments();
    } else if (group == nullptr && n != 0) {
      const auto problem = reduced(a);
      const Stage stage(0.5, 1);
      rows.each([&](Index, const Rows& x, const LayoutView& outputs, const double* w) {
        problem->add_loo_moments(x, outputs, w, values, found);
      });
    }
    report(1);
    for (std::size_t pair = 0; pair < found.size(); ++pair) put_moments(found[pair], static_cast<Index>(pair), out);
  });
}

freeridge_status freeridge_accumulator_predictor(const freeridge_accumulator* accumulator, const double* lambda,
                                                 freeridge_model** out) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    required("lambda", lambda);
    required("out", out);
    a.require_rows();
    const Span<const double> lambdas(lambda, a.rows().t());
    require_lambdas("lambda", lambdas);
    const Hearing hearing(a.listener());
    const auto problem = reduced(a);
    const Stage stage(0.5, 1);
    auto predictor = predictor_at(a.features(), *problem, lambdas);
    auto reduced = std::make_shared<const ReducedModel>(problem, lambdas);
    *out = new freeridge_model{Model(predictor->kernel()), std::move(predictor), nullptr, std::move(reduced)};
  });
}

freeridge_status freeridge_moments_join(int64_t count, const double* other, double* inout) {
  return guarded(__func__, [&] {
    require_size("count", count);
    const Span<double> to = checked_moments("inout", inout, count);
    const Span<const double> from = checked_moments("other", other, count, 1);
    require_moments("inout", to);
    join_moments(to, from);
  });
}

freeridge_status freeridge_moments_score(int64_t count, const double* lambdas, int64_t t, const double* moments,
                                         double* scores, double* errors, int64_t ld) {
  return guarded(__func__, [&] {
    const auto values = checked_lambdas(count, lambdas);
    const Span<const double> from = checked_moments("moments", moments, count, t);
    const MatrixView out = checked_output("scores", scores, "count", count, t, ld);
    require_lambdas("lambdas", values);
    report_undefined(moment_scores(values, from, out, optional_output(errors, count, t, ld)));
  });
}

freeridge_status freeridge_moments_select_lambda(int64_t count, const double* lambdas, int64_t t, const double* moments,
                                                 freeridge_search* search) {
  return guarded(__func__, [&] {
    const auto values = checked_lambdas(count, lambdas);
    const Span<const double> from = checked_moments("moments", moments, count, t);
    const GivenSearch given(search);
    given.refuse("below", given->below, "moments do not tell it; freeridge_accumulator_select_lambda does");
    require_lambdas("lambdas", values);
    for (std::size_t l = 0; l < values.size(); ++l)
      if (values[l] == 0) fail(Status::invalid_argument, "lambdas[", l, "] is 0; a choice is made among positive ones");
    const MomentChoice found = choose_by_moments(values, t, from);
    std::string reason = given.filled(found.search);
    copy_to(found.next, given->next);
    report_undefined(std::move(reason));
  });
}
