// The C layer, answers at many lambdas: each call is one lambda behind the wall, checks its arguments, and calls the
// core.
#include "capi/handles.hpp"

namespace freeridge::capi {
namespace {

// The lambdas, and room for t x count intercepts.
struct Path {
  Span<const double> lambdas;
  Index columns;  // count t
  MatrixView b;
};

Path path_of(const Model& model, Span<const double> lambdas, double* b) {
  const Index count = std::ssize(lambdas);
  require_product("count", count, "t", model.t());
  return {lambdas, count * model.t(), optional_output(b, model.t(), count, model.t())};
}

// The solutions `out` (rows x count t) and b at many lambdas, by a member of Model.
using SolutionsPath = void (Model::*)(Span<const double> lambdas, MatrixView out, MatrixView b) const;

struct SolutionRows {
  const char* name;
  Index (Model::*count)() const;
};

freeridge_status solutions_path(const char* call, const freeridge_model* model, std::int64_t count,
                                const double* lambdas, const char* name, const SolutionRows& rows, double* out,
                                std::int64_t ld, double* b, SolutionsPath answer) noexcept {
  return guarded(call, [&] {
    const Model& m = model_of(model);
    const Span<const double> values = checked_lambdas(count, lambdas);
    required(name, out);
    m.require_factorized();
    const Path path = path_of(m, values, b);
    (m.*answer)(path.lambdas, checked_output(name, out, rows.name, (m.*rows.count)(), path.columns, ld), path.b);
  });
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_coefficients_path(const freeridge_model* model, int64_t count, const double* lambdas,
                                             double* c, int64_t ld, double* b) {
  return solutions_path(__func__, model, count, lambdas, "c", {"n", &Model::n}, c, ld, b, &Model::coefficients_path);
}

freeridge_status freeridge_hyperplane_path(const freeridge_model* model, int64_t count, const double* lambdas,
                                           double* w, int64_t ld, double* b) {
  return solutions_path(__func__, model, count, lambdas, "w", {"d", &Model::d}, w, ld, b, &Model::hyperplane_path);
}
