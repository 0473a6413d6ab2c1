// The C layer, models: each call is one lambda behind the wall, checks its arguments, and hands over to the core.
#include <algorithm>
#include <memory>
#include <string>

#include "capi/handles.hpp"

namespace freeridge::capi {
namespace {

Model& model_of(freeridge_model* model) {
  return required("model", model).model;
}
const Model& model_of(const freeridge_model* model) {
  return required("model", model).model;
}

Criterion checked_criterion(freeridge_criterion criterion) {
  require_one_of("criterion", criterion, {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS});
  return static_cast<Criterion>(criterion);
}

freeridge_status set_data(const char* call, freeridge_model* model, freeridge_layout layout, int64_t n, int64_t d,
                          const double* x, int64_t ldx, int64_t t, const double* y, int64_t ldy, bool copy) noexcept {
  return guarded(call, [&] {
    Model& m = model_of(model);
    const Layout order = checked_layout(layout);
    require_size("n", n);
    require_size("d", d);
    require_size("t", t);
    const LayoutView x_view = checked_matrix("x", x, order, "n", n, "d", d, "ldx", ldx);
    const LayoutView y_view = checked_matrix("y", y, order, "n", n, "t", t, "ldy", ldy);
    m.set_data(x_view, y_view, copy);
  });
}

// Entries without a value are in the output by now; the status and the sentence say so.
void report_undefined(const std::string& reason) {
  if (!reason.empty()) throw Error(Status::undefined, reason);
}

// A getter of an n x t or d x t matrix.
template <class Get>
freeridge_status get_matrix(const char* call, const freeridge_model* model, const char* name, double* out,
                            const char* rows_name, int64_t ld, const Get& get) noexcept {
  return guarded(call, [&] {
    const Model& m = model_of(model);
    required(name, out);
    m.require_fitted();
    const Index rows = *rows_name == 'd' ? m.d() : m.n();
    get(m, checked_output(name, out, rows_name, rows, m.t(), ld));
  });
}

}  // namespace

}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

// ---- a model and its data ----

freeridge_status freeridge_create(const freeridge_kernel* kernel, freeridge_model** out) {
  return guarded(__func__, [&] {
    const KernelPtr& inner = required("kernel", kernel).kernel;
    required("out", out);
    *out = std::unique_ptr<freeridge_model>(new freeridge_model{Model(inner)}).release();
  });
}

void freeridge_destroy(freeridge_model* model) {
  delete model;
}

freeridge_status freeridge_set_kernel(freeridge_model* model, const freeridge_kernel* kernel) {
  return guarded(__func__, [&] {
    Model& m = model_of(model);
    m.set_kernel(required("kernel", kernel).kernel);
  });
}

freeridge_status freeridge_set_data(freeridge_model* model, freeridge_layout layout, int64_t n, int64_t d,
                                    const double* x, int64_t ldx, int64_t t, const double* y, int64_t ldy) {
  return set_data(__func__, model, layout, n, d, x, ldx, t, y, ldy, true);
}

freeridge_status freeridge_set_data_view(freeridge_model* model, freeridge_layout layout, int64_t n, int64_t d,
                                         const double* x, int64_t ldx, int64_t t, const double* y, int64_t ldy) {
  return set_data(__func__, model, layout, n, d, x, ldx, t, y, ldy, false);
}

freeridge_status freeridge_set_weights(freeridge_model* model, const double* weights) {
  return guarded(__func__, [&] { model_of(model).set_weights(weights); });
}

freeridge_status freeridge_set_intercept(freeridge_model* model, int32_t on) {
  return guarded(__func__, [&] { model_of(model).set_intercept(on != 0); });
}

freeridge_status freeridge_set_groups(freeridge_model* model, const int32_t* group) {
  return guarded(__func__, [&] { model_of(model).set_groups(group); });
}

freeridge_status freeridge_set_route(freeridge_model* model, freeridge_route route) {
  return guarded(__func__, [&] {
    Model& m = model_of(model);
    require_one_of("route", route, {FREERIDGE_AUTO, FREERIDGE_CHOLESKY, FREERIDGE_SPECTRAL, FREERIDGE_PRIMAL});
    m.set_route(static_cast<Route>(route));
  });
}

freeridge_status freeridge_set_expected_lambdas(freeridge_model* model, int64_t count) {
  return guarded(__func__, [&] {
    Model& m = model_of(model);
    require_size("count", count);
    m.set_expected_lambdas(count);
  });
}

freeridge_status freeridge_set_progress(freeridge_model* model, freeridge_progress callback, void* user) {
  return guarded(__func__, [&] { model_of(model).set_progress(Progress(callback, user)); });
}

// ---- factorize and lambda ----

freeridge_status freeridge_memory_required(const freeridge_model* model, int64_t* bytes) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("bytes", bytes) = m.memory_required();
  });
}

freeridge_status freeridge_factorize(freeridge_model* model) {
  return guarded(__func__, [&] { model_of(model).factorize(); });
}

freeridge_status freeridge_set_lambda(freeridge_model* model, double lambda) {
  return guarded(__func__, [&] { model_of(model).set_lambdas({&lambda, 1}); });
}

freeridge_status freeridge_set_lambdas(freeridge_model* model, const double* lambda) {
  return guarded(__func__, [&] {
    Model& m = model_of(model);
    required("lambda", lambda);
    m.require_factorized();
    m.set_lambdas({lambda, static_cast<std::size_t>(m.t())});
  });
}

// ---- answers ----

freeridge_status freeridge_loo(const freeridge_model* model, double* errors, int64_t ld) {
  return get_matrix(__func__, model, "errors", errors, "n", ld,
                    [](const Model& m, MatrixView out) { report_undefined(m.loo(out)); });
}

freeridge_status freeridge_group_errors(const freeridge_model* model, const int32_t* group, double* errors,
                                        int64_t ld) {
  return get_matrix(__func__, model, "errors", errors, "n", ld, [&](const Model& m, MatrixView out) {
    report_undefined(m.group_errors(&required("group", group), out));
  });
}

freeridge_status freeridge_predict(const freeridge_model* model, freeridge_layout layout, int64_t m, const double* x,
                                   int64_t ldx, double* out, int64_t ldout) {
  return guarded(__func__, [&] {
    const Model& fitted = model_of(model);
    const Layout order = checked_layout(layout);
    require_size("m", m);
    required("x", x);
    required("out", out);
    fitted.require_fitted();
    const LayoutView points = checked_matrix("x", x, order, "m", m, "d", fitted.d(), "ldx", ldx);
    checked_matrix("out", out, order, "m", m, "t", fitted.t(), "ldout", ldout);
    fitted.predict(points, out, ldout);
  });
}

freeridge_status freeridge_get_coefficients(const freeridge_model* model, double* c, int64_t ld) {
  return get_matrix(__func__, model, "c", c, "n", ld, [](const Model& m, MatrixView out) { m.coefficients(out); });
}

freeridge_status freeridge_get_hyperplane(const freeridge_model* model, double* w, int64_t ld) {
  return get_matrix(__func__, model, "w", w, "d", ld, [](const Model& m, MatrixView out) { m.hyperplane(out); });
}

freeridge_status freeridge_get_intercept(const freeridge_model* model, double* b) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    m.intercept(&required("b", b));
  });
}

freeridge_status freeridge_get_fitted(const freeridge_model* model, double* fitted, int64_t ld) {
  return get_matrix(__func__, model, "fitted", fitted, "n", ld, [](const Model& m, MatrixView out) { m.fitted(out); });
}

freeridge_status freeridge_get_leverage(const freeridge_model* model, double* leverage, int64_t ld) {
  return get_matrix(__func__, model, "leverage", leverage, "n", ld,
                    [](const Model& m, MatrixView out) { m.leverage(out); });
}

freeridge_status freeridge_get_lambda(const freeridge_model* model, double* lambda) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("lambda", lambda);
    std::ranges::copy(m.lambdas(), lambda);
  });
}

freeridge_status freeridge_get_route(const freeridge_model* model, freeridge_route* route) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("route", route) = static_cast<freeridge_route>(m.route());
  });
}

freeridge_status freeridge_get_dimensions(const freeridge_model* model, int64_t* n, int64_t* d, int64_t* t) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("n", n);
    required("d", d);
    required("t", t);
    m.require_data();
    *n = m.n();
    *d = m.d();
    *t = m.t();
  });
}

freeridge_status freeridge_get_bandwidth(const freeridge_model* model, double* sigma) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("sigma", sigma) = m.bandwidth();
  });
}

// ---- choosing lambda and the bandwidth ----

freeridge_status freeridge_lambda_grid(const freeridge_model* model, int64_t count, double* lambdas) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    require_size("count", count);
    required("lambdas", lambdas);
    std::ranges::copy(m.lambda_grid(count), lambdas);
  });
}

freeridge_status freeridge_score(const freeridge_model* model, freeridge_criterion criterion, int64_t count,
                                 const double* lambdas, double* scores, int64_t ld) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    const Criterion chosen = checked_criterion(criterion);
    require_size("count", count);
    required("lambdas", lambdas);
    required("scores", scores);
    m.require_factorized();
    const MatrixView out = checked_output("scores", scores, "count", count, m.t(), ld);
    report_undefined(m.score(chosen, {lambdas, static_cast<std::size_t>(count)}, out));
  });
}

freeridge_status freeridge_select_lambda(freeridge_model* model, freeridge_criterion criterion, double low, double high,
                                         double* lambda, double* score) {
  return guarded(__func__, [&] {
    Model& m = model_of(model);
    const Criterion chosen = checked_criterion(criterion);
    required("lambda", lambda);
    required("score", score);
    const LambdaSearch& search = m.select_lambda(chosen, low, high);
    std::ranges::copy(search.best, lambda);
    std::ranges::copy(search.best_score, score);
  });
}

freeridge_status freeridge_get_search_count(const freeridge_model* model, int64_t* count) {
  return guarded(__func__, [&] {
    const LambdaSearch* const search = model_of(model).search();
    required("count", count) = search == nullptr ? 0 : static_cast<int64_t>(search->lambdas.size());
  });
}

freeridge_status freeridge_get_search(const freeridge_model* model, double* lambdas, double* scores, int64_t ld,
                                      int32_t* edge) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("lambdas", lambdas);
    required("scores", scores);
    required("edge", edge);
    const LambdaSearch* const search = m.search();
    if (search == nullptr) fail(Status::invalid_state, "there has been no search; call freeridge_select_lambda first");
    const MatrixView out = checked_output("scores", scores, "count", search->scores.rows(), search->scores.cols(), ld);
    copy_out(search->scores.view(), Layout::col_major, out.data, out.ld);
    std::ranges::copy(search->lambdas, lambdas);
    std::ranges::copy(search->edge, edge);
  });
}

freeridge_status freeridge_select_bandwidth(freeridge_model* model, freeridge_criterion criterion, double low,
                                            double high, int64_t budget, double* sigma, double* tried, int64_t* used) {
  return guarded(__func__, [&] {
    Model& m = model_of(model);
    const Criterion chosen = checked_criterion(criterion);
    if (budget < 3 || budget > largest_size)
      fail(Status::invalid_argument, "budget is ", budget, "; it must be from 3 to ", largest_size);
    required("sigma", sigma);
    required("tried", tried);
    required("used", used);
    const BandwidthSearch search = m.select_bandwidth(chosen, low, high, budget);
    std::ranges::copy(search.sigma, tried);
    std::ranges::copy(search.score, tried + budget);
    *sigma = search.best;
    *used = static_cast<int64_t>(search.sigma.size());
  });
}
