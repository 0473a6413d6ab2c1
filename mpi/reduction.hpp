// Joins one element of each rank two by two, along the tree of MPI_Reduce. Elements are bytes of accumulators, or
// moments.
#pragma once

#include <functional>

#include "mpi/team.hpp"

namespace freeridge::mpi {

// inout = other and inout; both have the bytes of one element.
using Join = std::function<void(const void* other, void* inout)>;

// On rank 0 `element` becomes the elements of all ranks, joined in the order of the ranks; on other ranks it is
// overwritten. All elements have the same length. What `join` throws is thrown on all ranks. Collective.
void reduce(const Team& team, Array<unsigned char>& element, const Join& join);
void reduce(const Team& team, Array<double>& element, const Join& join);

}  // namespace freeridge::mpi
