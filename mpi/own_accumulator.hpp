// Accumulators of the caller's library, and their bytes.
#pragma once

#include <memory>

#include "mpi/wall.hpp"

namespace freeridge::mpi {

struct DestroyAccumulator {
  void operator()(freeridge_accumulator* accumulator) const { freeridge_accumulator_destroy(accumulator); }
};
using AccumulatorPtr = std::unique_ptr<freeridge_accumulator, DestroyAccumulator>;

// Throws where MPI could not count them.
inline Array<unsigned char> bytes_of(const freeridge_accumulator* accumulator) {
  int64_t length = 0;
  ask(freeridge_accumulator_save_to_memory(accumulator, 0, nullptr, &length));
  if (length / 8 >= 2147483647)
    fail(Status::invalid_argument, "an accumulator has ", length, " bytes, and MPI counts in 32 bits");
  Array<unsigned char> out(length);
  ask(freeridge_accumulator_save_to_memory(accumulator, length, out.data(), &length));
  return out;
}

inline AccumulatorPtr accumulator_of(const Array<unsigned char>& bytes) {
  freeridge_accumulator* made = nullptr;
  ask(freeridge_accumulator_load_from_memory(bytes.data(), std::ssize(bytes), &made));
  return AccumulatorPtr(made);
}

// The accumulator of rank 0 on all ranks, with the same bits. Collective.
inline AccumulatorPtr broadcast_accumulator(const Team& team, AccumulatorPtr own) {
  Array<unsigned char> bytes;
  team.together([&] {
    if (team.rank() == 0) bytes = bytes_of(own.get());
  });
  Index length = std::ssize(bytes);
  team.broadcast_bytes(&length, sizeof length);
  team.together([&] { bytes.resize(length); });
  team.broadcast_bytes(bytes.data(), length);
  team.together([&] {
    if (team.rank() != 0) own = accumulator_of(bytes);
  });
  return own;
}

}  // namespace freeridge::mpi
