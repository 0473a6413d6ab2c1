// The fit of a reduced problem, for prediction.
#pragma once

#include <memory>

#include "libcore/model/prediction.hpp"
#include "libcore/stream/reduced_problem.hpp"
#include "libcore/stream/row_features.hpp"

namespace freeridge {

// At the lambda of each output: a hyperplane, or an expansion over the landmarks.
std::shared_ptr<const Predictor> predictor_at(const RowFeatures& features, const ReducedProblem& problem,
                                              Span<const double> lambdas);

}  // namespace freeridge
