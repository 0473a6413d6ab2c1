// The C layer, eigenvalues and whole matrices.
#include <utility>

#include "capi/handles.hpp"

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_eigenvalues(const freeridge_model* model, int64_t count, double* eigenvalues,
                                       double* vectors, int64_t ld) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    require_size("count", count);
    m.require_factorized();
    const MatrixView out =
        vectors != nullptr ? checked_output("vectors", vectors, "n", m.n(), count, ld) : MatrixView{};
    copy_to(m.eigenvalues(count, out), eigenvalues);
  });
}

freeridge_status freeridge_condition_number(const freeridge_model* model, int64_t count, const double* lambdas,
                                            double* condition, double* rank) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    Model::Conditions found = m.condition_number(checked_lambdas(count, lambdas));
    copy_to(found.rank, rank);
    if (condition == nullptr) return;
    copy_to(found.condition, condition);
    report_undefined(std::move(found.reason));
  });
}

freeridge_status freeridge_hat_matrix(const freeridge_model* model, double lambda, double* hat, double* inverse,
                                      int64_t ld) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    m.require_factorized();
    require_ld("ld", ld, "n", m.n(), m.n());
    m.hat_matrix(lambda, optional_output(hat, m.n(), m.n(), ld), optional_output(inverse, m.n(), m.n(), ld));
  });
}
