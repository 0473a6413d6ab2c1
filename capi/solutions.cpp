// The C layer, solutions: coefficients, hyperplanes and intercepts, at the lambdas in force or at others. Each call
// checks its arguments and hands over to the core, behind the exception wall.
#include "capi/handles.hpp"
#include "libcore/base/checks.hpp"

namespace freeridge::capi {
namespace {

struct Coefficients {
  static constexpr const char *name = "c", *rows_name = "the rows of c";
  static constexpr auto at_many = &Model::coefficients_path;
  static Index rows(const Predictor& from) { return from.n(); }
  static Index rows(const AbstractModel& from) { return from.coefficient_rows(); }
  static void in_force(const auto& from, MatrixView c) { from.coefficients(c); }
};

struct Hyperplane {
  static constexpr const char *name = "w", *rows_name = "d";
  static constexpr auto at_many = &Model::hyperplane_path;
  static Index rows(const auto& from) { return from.d(); }
  static void in_force(const auto& from, MatrixView w) { from.hyperplane(w); }
};

template <class Kind>
MatrixView output_of(const auto& from, Index columns, double* out, Index ld) {
  return checked_output(Kind::name, out, Kind::rows_name, Kind::rows(from), columns, ld);
}

// The intercepts are known, and are written last: nothing fails after them.
template <class Kind>
void solutions_in_force(const freeridge_model* model, double* out, Index ld, double* b) {
  if (const Predictor* const saved = required("model", model).predictor.get(); saved != nullptr) {
    if (out != nullptr) Kind::in_force(*saved, output_of<Kind>(*saved, saved->t(), out, ld));
    return copy_to(saved->intercept(), b);
  }
  const AbstractModel& m = whole_of(model);
  m.require_fitted();
  if (out != nullptr) Kind::in_force(m, output_of<Kind>(m, m.t(), out, ld));
  if (b != nullptr) m.intercept(b);
}

template <class Kind>
freeridge_status solutions(const char* call, const freeridge_model* model, std::int64_t count, const double* lambdas,
                           double* out, std::int64_t ld, double* b) noexcept {
  return guarded(call, [&] {
    if (count == 0 && lambdas == nullptr) return solutions_in_force<Kind>(model, out, ld, b);
    const Model& m = model_of(model);
    const Span<const double> values = checked_lambdas(count, lambdas);
    m.require_factorized();
    require_product("count", count, "t", m.t());
    if (out == nullptr && b == nullptr) return require_lambdas("lambdas", values);
    const MatrixView to = out == nullptr ? MatrixView{} : output_of<Kind>(m, count * m.t(), out, ld);
    (m.*Kind::at_many)(values, to, optional_output(b, m.t(), count, m.t()));
  });
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_coefficients(const freeridge_model* model, int64_t count, const double* lambdas, double* c,
                                        int64_t ld, double* b) {
  return solutions<Coefficients>(__func__, model, count, lambdas, c, ld, b);
}

freeridge_status freeridge_hyperplane(const freeridge_model* model, int64_t count, const double* lambdas, double* w,
                                      int64_t ld, double* b) {
  return solutions<Hyperplane>(__func__, model, count, lambdas, w, ld, b);
}
