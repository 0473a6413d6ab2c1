// The C layer, diagnostics.
#include <algorithm>
#include <utility>

#include "capi/handles.hpp"

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_degrees_of_freedom(const freeridge_model* model, double* df, double* sigma2) {
  return guarded(__func__, [&] {
    Model::Freedom found = Answering(model).model().degrees_of_freedom(sigma2 != nullptr);
    copy_to(found.df, df);
    if (sigma2 == nullptr) return;
    std::ranges::copy(found.sigma2, sigma2);
    report_undefined(std::move(found.reason));
  });
}

freeridge_status freeridge_cooks_distance(const freeridge_model* model, double* distance, int64_t ld) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("distance", distance);
    m.require_fitted();
    report_undefined(m.cooks_distance(checked_output("distance", distance, "n", m.n(), m.t(), ld)));
  });
}

freeridge_status freeridge_influence(const freeridge_model* model, double* df, double* sigma, int64_t ld,
                                     double* dfbeta, int64_t ldb) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    m.require_fitted();
    const Index n = m.n(), t = m.t();
    const Index p = dfbeta == nullptr ? 0 : m.coefficient_count() + m.fixed_count();
    require_product("the number of coefficients", p, "t", t);
    if (df != nullptr || sigma != nullptr) require_ld("ld", ld, "n", n, t);
    if (dfbeta != nullptr) require_ld("ldb", ldb, "n", n, p * t);
    report_undefined(m.influence(optional_output(df, n, t, ld), optional_output(sigma, n, t, ld),
                                 optional_output(dfbeta, n, p * t, ldb)));
  });
}

freeridge_status freeridge_score_test(const freeridge_model* model, const double* difference, int64_t ld,
                                      double* statistic, double* p) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("difference", difference);
    required("statistic", statistic);
    required("p", p);
    m.require_fitted();
    const Index n = m.n();
    require_ld("ld", ld, "n", n, n);
    report_undefined(m.score_test({difference, n, n, ld}, {statistic, static_cast<std::size_t>(m.t())},
                                  {p, static_cast<std::size_t>(m.t())}));
  });
}
