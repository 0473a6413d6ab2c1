// The C layer, models whose rows a reader hands out (freeridge_set_reader): what the calls on models do then.
#pragma once

#include "capi/handles.hpp"

namespace freeridge::capi {

ReaderModel::Settings reader_settings(const Model& model);
void factorize_rows_read(freeridge_model& model);
void set_lambdas_of_reader(freeridge_model& model, const Array<double>& lambdas);
freeridge_status loo_of_reader(const char* call, const freeridge_model& model, double* errors, int64_t ld) noexcept;
void score_rows_read(const freeridge_model& model, Criterion criterion, Span<const double> lambdas, double* scores,
                     double* errors, std::int64_t ld);
const LambdaSearch& select_by_reader(freeridge_model& model, Criterion criterion, double low, double high);

}  // namespace freeridge::capi
