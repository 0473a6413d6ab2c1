// A search over lambda on rank 0, for which all ranks compute the scores. Rank 0 alone decides on the next lambdas,
// because the steps of a search may differ in the last bits between processors.
#pragma once

#include <functional>

#include "libcore/select/lambda_search.hpp"
#include "mpi/team.hpp"

namespace freeridge::mpi {

// out(l, j): the scores of output first + j at lambdas[l], on all ranks; the reason for the first NaN. Collective.
using Evaluate = std::function<std::string(Span<const double> lambdas, Index first, MatrixView out)>;

// lambda, score: t numbers each, the same on all ranks. range(): asked on rank 0 alone. Collective.
void served_search(const Team& team, Criterion criterion, Index t, bool fine, const std::function<LambdaRange()>& range,
                   const Evaluate& evaluate, Span<double> lambda, Span<double> score);

}  // namespace freeridge::mpi
