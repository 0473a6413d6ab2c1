// The C layer, accumulators: each call checks its arguments and hands over to the core, behind the exception wall.
#include <algorithm>

#include "capi/accumulators.hpp"
#include "capi/saving.hpp"
#include "capi/searches.hpp"
#include "libcore/base/checks.hpp"

namespace freeridge::capi {
namespace {

static_assert(FREERIDGE_CORRUPT == int(Status::corrupt) && FREERIDGE_NEWER_FORMAT == int(Status::newer_format));

Criterion checked_streamed_criterion(freeridge_criterion criterion) {
  if (criterion != FREERIDGE_GCV && criterion != FREERIDGE_REML)
    fail(Status::invalid_argument, "criterion is ", criterion,
         "; an accumulator knows GCV and REML (LOO needs the rows again: freeridge_accumulator_moments)");
  return static_cast<Criterion>(criterion);
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_accumulator_create(int64_t d, int64_t t, int32_t intercept, freeridge_accumulator** out) {
  return guarded(__func__, [&] {
    require_size("d", d);
    require_size("t", t);
    required("out", out);
    *out = new freeridge_accumulator{Accumulator(d, t, intercept != 0)};
  });
}

void freeridge_accumulator_destroy(freeridge_accumulator* accumulator) {
  delete accumulator;
}

freeridge_status freeridge_accumulator_get_unpenalised(const freeridge_accumulator* accumulator, int64_t* count,
                                                       int32_t* kept) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    const Index given = a.features().unpenalised();
    if (kept != nullptr) {
      a.require_rows();
      const Hearing hearing(a.listener());
      const auto problem = a.reduced();
      report(1);
      problem->unpenalised_kept({kept, given});
    }
    if (count != nullptr) *count = given;
  });
}

freeridge_status freeridge_accumulator_set_progress(freeridge_accumulator* accumulator, freeridge_progress callback,
                                                    void* user) {
  return guarded(__func__, [&] { accumulator_of(accumulator).set_listener({callback, user}); });
}

freeridge_status freeridge_accumulator_memory_required(const freeridge_accumulator* accumulator, int64_t* bytes) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    required("bytes", bytes);
    *bytes = a.memory_required();
  });
}

freeridge_status freeridge_accumulator_add(freeridge_accumulator* accumulator, const freeridge_points* points,
                                           freeridge_layout layout, const double* y, int64_t ldy,
                                           const double* weights) {
  return guarded(__func__, [&] {
    Accumulator& a = accumulator_of(accumulator);
    const GivenRows rows(a, points, layout, y, ldy, weights, {.unknown_number = true, .none = true});
    if (rows.read()) return a.add(rows.reader());
    rows.each([&](Index, const Rows& x, const LayoutView& outputs, const double* w) { a.add(x, outputs, w); });
  });
}

freeridge_status freeridge_accumulator_merge(freeridge_accumulator* accumulator, const freeridge_accumulator* other) {
  return guarded(__func__, [&] {
    Accumulator& a = accumulator_of(accumulator);
    a.merge(required("other", other).accumulator);
  });
}

freeridge_status freeridge_accumulator_get_dimensions(const freeridge_accumulator* accumulator, int64_t* n, int64_t* d,
                                                      int64_t* t, double* sum_w) {
  return guarded(__func__, [&] {
    const RowStack& rows = accumulator_of(accumulator).rows();
    if (n != nullptr) *n = rows.n();
    if (d != nullptr) *d = accumulator->accumulator.d();
    if (t != nullptr) *t = rows.t();
    if (sum_w != nullptr) *sum_w = rows.sum_w();
  });
}

freeridge_status freeridge_accumulator_solve(const freeridge_accumulator* accumulator, int64_t count,
                                             const double* lambdas, double* w, int64_t ld, double* b) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    const auto values = checked_lambdas(count, lambdas);
    const Index t = a.rows().t();
    require_product("count", count, "t", t);
    if (a.features().landmarks())
      fail(Status::invalid_state,
           "the accumulator has landmarks, and no hyperplane; freeridge_accumulator_predictor has the coefficients");
    const MatrixView planes = checked_output("w", w, "d", a.d(), count * t, ld);
    required("b", b);
    const Hearing hearing(a.listener());
    const auto problem = reduced(a);
    const Stage stage(0.5, 1);
    problem->solve(values, planes, {b, t, count, t});
  });
}

freeridge_status freeridge_accumulator_score(const freeridge_accumulator* accumulator, freeridge_criterion criterion,
                                             int64_t count, const double* lambdas, double* scores, int64_t ld) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    const Criterion by = checked_streamed_criterion(criterion);
    const auto values = checked_lambdas(count, lambdas);
    const MatrixView out = checked_output("scores", scores, "count", count, a.rows().t(), ld);
    const Hearing hearing(a.listener());
    const auto problem = reduced(a);
    report(1);
    report_undefined(problem->score(by, values, 0, out));
  });
}

freeridge_status freeridge_accumulator_lambda_grid(const freeridge_accumulator* accumulator, int64_t count,
                                                   double* lambdas) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    require_size("count", count);
    required("lambdas", lambdas);
    const Hearing hearing(a.listener());
    const auto problem = reduced(a);
    report(1);
    std::ranges::copy(log_grid(problem->lambda_range(), count), lambdas);
  });
}

freeridge_status freeridge_accumulator_select_lambda(const freeridge_accumulator* accumulator,
                                                     freeridge_criterion criterion, double low, double high,
                                                     freeridge_search* search) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    const Criterion by = checked_streamed_criterion(criterion);
    const GivenSearch given(search);
    given.refuse_standard_errors();
    given.refuse_tables();
    a.require_rows();
    require_range("low", low, "high", high);
    const Hearing hearing(a.listener());
    const auto problem = reduced(a);
    const Stage stage(0.5, 1);
    const LambdaSearch found = problem->select_lambda(by, low, high);
    given.give(found);
    for (std::size_t j = 0; j < found.best.size() && given->below != nullptr; ++j)
      given->below[j] = problem->below_floor(found.best[j]) ? 1 : 0;
  });
}

freeridge_status freeridge_accumulator_objective(const freeridge_accumulator* accumulator, int64_t count,
                                                 const double* lambdas, double* training, double* norm2,
                                                 double* objective, int64_t ld) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    const auto values = checked_lambdas(count, lambdas);
    const ObjectiveViews out = checked_objectives(training, norm2, objective, count, a.rows().t(), ld);
    const Hearing hearing(a.listener());
    ObjectiveTables tables = reduced(a)->objective(values);
    report(1);
    report_undefined(tables.give(out));
  });
}

freeridge_status freeridge_accumulator_squared_errors(const freeridge_accumulator* accumulator,
                                                      const freeridge_points* points, freeridge_layout layout,
                                                      const double* y, int64_t ldy, const double* weights,
                                                      int64_t count, const double* lambdas, double* sum_w,
                                                      double* squares, int64_t ld) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    const GivenRows rows(a, points, layout, y, ldy, weights, {.unknown_number = true});
    const auto values = checked_lambdas(count, lambdas);
    const Index t = a.rows().t();
    require_product("count", count, "t", t);
    const MatrixView out = checked_output("squares", squares, "count", count, t, ld);
    const Hearing hearing(a.listener());
    const auto problem = reduced(a);
    const Stage stage(0.5, 1);
    SquaredErrors sums{0, Matrix(count, t, 0.0)};
    rows.each([&](Index, const Rows& x, const LayoutView& outputs, const double* w) {
      const SquaredErrors some = problem->squared_errors(x, outputs, w, values);
      sums.sum_w += some.sum_w;
      for (Index j = 0; j < t; ++j)
        for (Index l = 0; l < count; ++l) sums.squares(l, j) += some.squares(l, j);
    });
    report(1);
    copy_out(sums.squares.view(), Layout::col_major, out.data, out.ld);
    if (sum_w != nullptr) *sum_w = sums.sum_w;
  });
}

freeridge_status freeridge_accumulator_save(const freeridge_accumulator* accumulator, const char* path) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    save_to_file(path, SavedKind::accumulator, a.listener(), [&](ByteWriter& out) { a.save(out); });
  });
}

freeridge_status freeridge_accumulator_save_to_memory(const freeridge_accumulator* accumulator, int64_t size,
                                                      void* bytes, int64_t* length) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    hand_out_bytes(size, bytes, length, SavedKind::accumulator, [&](ByteWriter& out) { a.save(out); });
  });
}

freeridge_status freeridge_accumulator_load(const char* path, freeridge_accumulator** out) {
  return guarded(__func__, [&] {
    checked_path(path);
    required("out", out);
    *out =
        load_from_file(path, [](const ByteSource& source) { return new freeridge_accumulator{Accumulator(source)}; });
  });
}

freeridge_status freeridge_accumulator_load_from_memory(const void* bytes, int64_t size, freeridge_accumulator** out) {
  return guarded(__func__, [&] {
    const MemorySource source = checked_bytes(bytes, size);
    required("out", out);
    *out = new freeridge_accumulator{Accumulator(source)};
  });
}
