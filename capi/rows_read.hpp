// The C layer, models whose rows a reader hands out (freeridge_set_points): what the calls on models do then.
#pragma once

#include "capi/handles.hpp"
#include "capi/points.hpp"

namespace freeridge::capi {

ReaderModel::Settings reader_settings(const Model& model);
// The points are a reader's, which hands out t outputs beside them; y must be NULL.
void read_points(freeridge_model& model, const GivenPoints& points, Index t, const double* y);
void factorize_rows_read(freeridge_model& model);
void set_lambdas_of_reader(freeridge_model& model, const Array<double>& lambdas);
freeridge_status loo_of_reader(const char* call, const freeridge_model& model, double* errors, int64_t ld) noexcept;
void score_rows_read(const freeridge_model& model, Criterion criterion, Span<const double> lambdas, double* scores,
                     double* errors, std::int64_t ld);
void coefficients_of_reader(const freeridge_model& model, double* c, int64_t ld);
freeridge_status group_errors_of_reader(const char* call, const freeridge_model& model, const int32_t* group,
                                        int64_t layers, const int32_t* gap, double* errors, int64_t ld) noexcept;
const LambdaSearch& select_by_reader(freeridge_model& model, Criterion criterion, double low, double high);

}  // namespace freeridge::capi
