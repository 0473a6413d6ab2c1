// The C layer, many small models.
#include "libcore/model/batch.hpp"
#include "capi/handles.hpp"
#include "capi/points.hpp"

namespace freeridge::capi {
namespace {

// The rows of each model: models + 1 numbers that ascend from 0 to n.
Span<const Index> checked_start(Index models, const int64_t* start, Index n) {
  required("start", start);
  for (Index g = 0; g <= models; ++g) {
    const Index low = g == 0 ? 0 : start[g - 1], high = g == 0 ? 0 : n;
    if (start[g] < low || start[g] > high || (g == models && start[g] != n))
      fail(Status::invalid_argument, "start[", g, "] is ", start[g], "; start must ascend from 0 to points.n = ", n);
  }
  return {start, models + 1};
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_batch(const freeridge_model* model, const freeridge_points* points, freeridge_layout layout,
                                 int64_t t, const double* y, int64_t ldy, const double* weights, int64_t models,
                                 const int64_t* start, freeridge_criterion criterion, double low, double high,
                                 freeridge_batch_answers* answers) {
  return guarded(__func__, [&] {
    const Model& settings = settings_of(model);
    const GivenPoints given("points", points);
    if (given.read() || given.in_memory().x.is_sparse())
      fail(Status::invalid_argument, "points.x is NULL; the rows of many small models are an ordinary matrix");
    require_size("t", t);
    const Index n = given.n(), d = given.d();
    const LayoutView outputs = checked_matrix("y", y, checked_layout(layout), "points.n", n, "t", t, "ldy", ldy);
    require_size("models", models);
    const Span<const Index> of_models = checked_start(models, start, n);
    const Criterion by = checked_criterion(criterion);
    if (by == Criterion::groups)
      fail(Status::invalid_argument, "criterion is ", criterion,
           ", GROUPS; the rows of many small models have no groups within them");
    const auto to = checked_struct("answers", answers, sizeof(freeridge_batch_answers));
    const Index q = given.unpenalised().cols;
    require_product("models", models, "t", t);
    require_product("d", std::max(d, q), "models t", models * t);
    if (to.effects != nullptr && q == 0)
      fail(Status::invalid_argument, "answers.effects is not NULL, but points.unpenalised_count is 0");
    const auto column_of_each = [&](double* a) { return optional_output(a, t, models, t); };
    const auto of_rows = [&](double* a) { return optional_output(a, n, t, n); };
    report_undefined(fit_batch(settings, {given.in_memory(), outputs, weights, of_models}, by, low, high,
                               {optional_output(to.w, d, models * t, d),
                                optional_output(to.effects, q, models * t, q),
                                column_of_each(to.b),
                                column_of_each(to.lambda),
                                column_of_each(to.score),
                                column_of_each(to.df),
                                column_of_each(to.sigma2),
                                of_rows(to.c),
                                of_rows(to.errors),
                                {to.status, to.status == nullptr ? 0 : models}}));
  });
}
