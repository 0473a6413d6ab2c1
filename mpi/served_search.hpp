// A search over lambda on rank 0, for which all ranks compute the scores. Rank 0 alone decides on the next lambdas,
// because the steps of a search may differ in the last bits between processors.
#pragma once

#include <functional>

#include "libcore/select/lambda_search.hpp"
#include "mpi/team.hpp"

namespace freeridge::mpi {

// out(l, j), errors(l, j): the score of output first + j at lambdas[l] and its standard error, for criteria that have
// one, on all ranks; the reason for the first NaN. Collective.
using Evaluate = std::function<std::string(Span<const double> lambdas, Index first, MatrixView out, MatrixView errors)>;

// What the search saw: all of it on rank 0, and best and best_score on the others, too. range(): asked on rank 0 alone.
// Collective.
LambdaSearch served_search(const Team& team, Criterion criterion, Index t, bool fine,
                           const std::function<LambdaRange()>& range, const Evaluate& evaluate);

}  // namespace freeridge::mpi
