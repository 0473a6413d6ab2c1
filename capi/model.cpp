// The C layer, models: each call checks its arguments and hands over to the core, behind the exception wall. Choosing
// lambda and the bandwidth: selection.cpp; coefficients, hyperplane and intercept: solutions.cpp.
#include <algorithm>
#include <memory>
#include <optional>

#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "libcore/base/checks.hpp"

namespace freeridge::capi {
namespace {

// Other unpenalised columns beside the rows that the model has.
void keep_rows(freeridge_model& model, const GivenPoints& given, const double* y) {
  if (y != nullptr)
    fail(Status::invalid_argument,
         "x, start and reader of points are NULL, but y is not NULL; without rows the model keeps its own, and its y");
  Model& m = model_of(&model);
  m.require_data();
  given.require_columns(m.d());
  if (given.n() != m.n())
    fail(Status::dimension_mismatch, "points.n is ", given.n(), ", but the model has ", m.n(), " rows");
  m.set_fixed_effects(given.unpenalised());
}

// The points are a reader's, which hands out t outputs beside them.
void read_rows(freeridge_model& model, const GivenPoints& points, Index t, const double* y) {
  points.refuse_unpenalised("those of a reader are the first columns of its x (FREERIDGE_UNPENALISED)");
  if (y != nullptr) fail(Status::invalid_argument, "y is not NULL, but the reader hands it out");
  require_product("points.d", points.d(), "t", t);
  model.model.kernel()->check_data(1, points.d());
  auto reader = std::make_unique<ReaderModel>(model.model, points.reader(t));
  model.model.drop_data();
  model.reader = std::move(reader);
}

// A getter of an n x t matrix.
template <class Get>
freeridge_status get_matrix(const char* call, const freeridge_model* model, const char* name, double* out, int64_t ld,
                            const Get& get) noexcept {
  return guarded(call, [&] {
    const Model& m = model_of(model);
    required(name, out);
    m.require_fitted();
    get(m, checked_output(name, out, "n", m.n(), m.t(), ld));
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
    *out = new freeridge_model{Model(inner)};
  });
}

freeridge_status freeridge_clone(const freeridge_model* model, freeridge_model** out) {
  return guarded(__func__, [&] {
    const freeridge_model& from = required("model", model);
    freeridge_model*& to = required("out", out);  // before `new`: an assignment evaluates its right side first
    std::unique_ptr<freeridge_model> copy(
        new freeridge_model{from.model.clone(), from.predictor, nullptr, from.reduced});
    if (from.reader) copy->reader = std::make_unique<ReaderModel>(copy->model, *from.reader);
    to = copy.release();
  });
}

void freeridge_destroy(freeridge_model* model) {
  delete model;
}

freeridge_status freeridge_set_kernel(freeridge_model* model, const freeridge_kernel* kernel) {
  return guarded(__func__, [&] {
    AbstractModel& m = whole_of(model);
    m.set_kernel(required("kernel", kernel).kernel);
  });
}

freeridge_status freeridge_set_data(freeridge_model* model, freeridge_layout layout, int64_t n, int64_t d,
                                    const double* x, int64_t ldx, int64_t t, const double* y, int64_t ldy) {
  return guarded(__func__, [&] {
    Model& m = settings_of(model);
    const Layout order = checked_layout(layout);
    require_size("n", n);
    require_size("d", d);
    require_size("t", t);
    const LayoutView x_view = checked_matrix("x", x, order, "n", n, "d", d, "ldx", ldx);
    m.set_data(x_view, checked_matrix("y", y, order, "n", n, "t", t, "ldy", ldy), true);
    model->reader.reset();
  });
}

freeridge_status freeridge_set_points(freeridge_model* model, const freeridge_points* points, int32_t borrow,
                                      freeridge_layout layout, int64_t t, const double* y, int64_t ldy) {
  return guarded(__func__, [&] {
    Model& m = settings_of(model);
    const GivenPoints given("points", points, {.unknown_number = true, .of_no_kind = true});
    if (!given.any()) return keep_rows(*model, given, y);
    require_size("t", t);
    if (given.read()) return read_rows(*model, given, t, y);
    const Layout order = checked_layout(layout);
    m.set_data(given.in_memory(), checked_matrix("y", y, order, "points.n", given.n(), "t", t, "ldy", ldy),
               borrow == 0);
    model->reader.reset();
  });
}

freeridge_status freeridge_set_weights(freeridge_model* model, const double* weights) {
  return guarded(__func__, [&] { model_of(model).set_weights(weights); });
}

freeridge_status freeridge_set_groups(freeridge_model* model, int64_t divisions, const int32_t* group, int64_t layers,
                                      const int32_t* gap) {
  return guarded(__func__, [&] {
    AbstractModel& m = whole_of(model);
    if (group != nullptr) require_size("divisions", divisions);
    require_gaps(layers, gap);
    if (group == nullptr && layers > 0)
      fail(Status::invalid_argument, "layers is ", layers, ", but group is NULL; gaps are those of groups");
    std::optional<Groups> groups;
    if (group != nullptr) {
      const Index n = m.require_n();
      require_product("n", n, "divisions", divisions);
      require_product("n", n, "layers divisions", layers * divisions);
      groups.emplace(Span(group, n * divisions), divisions);
      if (layers > 0) groups = groups->with_gaps(Span(gap, layers * divisions * n), layers);
    }
    m.set_groups(std::move(groups));
  });
}

freeridge_status freeridge_set_progress(freeridge_model* model, freeridge_progress callback, void* user) {
  return guarded(__func__, [&] { required("model", model).model.set_listener({callback, user}); });
}

// ---- factorize and lambda ----

freeridge_status freeridge_memory_required(const freeridge_model* model, int64_t* bytes) {
  return guarded(__func__, [&] {
    const AbstractModel& m = whole_of(model);
    required("bytes", bytes);
    *bytes = m.memory_required();
  });
}

freeridge_status freeridge_explain(const freeridge_model* model, int64_t size, char* text, int64_t* length) {
  return guarded(__func__, [&] {
    const AbstractModel& m = whole_of(model);
    hand_out(size, text, length, [&] { return m.explain(); });
  });
}

freeridge_status freeridge_factorize(freeridge_model* model) {
  return guarded(__func__, [&] { whole_of(model).factorize(); });
}

freeridge_status freeridge_set_lambda(freeridge_model* model, double lambda) {
  return guarded(__func__, [&] { whole_of(model).set_lambdas({&lambda, 1}); });
}

freeridge_status freeridge_set_lambdas(freeridge_model* model, const double* lambda) {
  return guarded(__func__, [&] {
    AbstractModel& m = whole_of(model);
    required("lambda", lambda);
    m.require_factorized();
    m.set_lambdas({lambda, m.t()});
  });
}

// ---- answers ----

freeridge_status freeridge_loo(const freeridge_model* model, double* errors, int64_t ld) {
  return guarded(__func__, [&] {
    const AbstractModel& m = whole_of(model);
    required("errors", errors);
    m.require_fitted();
    report_undefined(m.loo(checked_output("errors", errors, "n", m.n(), m.t(), ld)));
  });
}

freeridge_status freeridge_group_errors(const freeridge_model* model, const int32_t* group, int64_t layers,
                                        const int32_t* gap, double* errors, int64_t ld) {
  return guarded(__func__, [&] {
    const AbstractModel& m = whole_of(model);
    required("group", group);
    require_gaps(layers, gap);
    required("errors", errors);
    m.require_fitted();
    require_product("n", m.n(), "layers", layers);
    report_undefined(m.group_errors(group, layers, gap, checked_output("errors", errors, "n", m.n(), m.t(), ld)));
  });
}

freeridge_status freeridge_get_accuracy(const freeridge_model* model, double* accuracy) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("accuracy", accuracy);
    m.accuracy(accuracy);
  });
}

freeridge_status freeridge_get_fitted(const freeridge_model* model, double* fitted, int64_t ld) {
  return get_matrix(__func__, model, "fitted", fitted, ld, [](const Model& m, MatrixView out) { m.fitted(out); });
}

freeridge_status freeridge_get_leverage(const freeridge_model* model, double* leverage, int64_t ld) {
  return get_matrix(__func__, model, "leverage", leverage, ld, [](const Model& m, MatrixView out) { m.leverage(out); });
}

freeridge_status freeridge_get_lambda(const freeridge_model* model, double* lambda) {
  return guarded(__func__, [&] {
    const Predictor* const predictor = predictor_of(model);
    required("lambda", lambda);
    std::ranges::copy(predictor != nullptr ? predictor->lambdas() : whole_of(model).lambdas(), lambda);
  });
}

freeridge_status freeridge_get_route(const freeridge_model* model, freeridge_route* route) {
  return guarded(__func__, [&] {
    const AbstractModel& m = whole_of(model);
    required("route", route);
    *route = static_cast<freeridge_route>(m.route());
  });
}

freeridge_status freeridge_get_dimensions(const freeridge_model* model, int64_t* n, int64_t* d, int64_t* t) {
  return guarded(__func__, [&] {
    const freeridge_model& asked = required("model", model);
    required("n", n);
    required("d", d);
    required("t", t);
    const auto tell = [&](const auto& m) {
      *n = m.n();
      *d = m.d();
      *t = m.t();
    };
    if (asked.predictor) return tell(*asked.predictor);
    tell(whole_of(model));
  });
}
