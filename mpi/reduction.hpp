// One element of each rank, joined two by two along the tree of MPI_Reduce: bytes of accumulators that merge, moments.
#pragma once

#include <functional>

#include "mpi/team.hpp"

namespace freeridge::mpi {

// inout = other and inout; both have the bytes of one element.
using Join = std::function<void(const void* other, void* inout)>;

// element of rank 0 = those of all ranks, joined in the order of the ranks; it is as long on all ranks. Of the other
// ranks it is used up. What `join` throws is agreed. Collective.
void reduce(const Team& team, Array<unsigned char>& element, const Join& join);
void reduce(const Team& team, Array<double>& element, const Join& join);

}  // namespace freeridge::mpi
