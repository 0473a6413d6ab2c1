// About the library, and the last error of each thread.
#include <cstring>

#include "mpi/dense_factor.hpp"
#include "mpi/wall.hpp"

namespace freeridge::mpi {
namespace {
thread_local char last_error[1024] = "";
}  // namespace

void remember(const char* call, const char* message) noexcept {
  capi::write_message(last_error, sizeof last_error, call, message);
}

// FNV-1a, on words of eight bytes.
void Alike::bytes(const char* name, const void* from, Index size) {
  const char* const at = static_cast<const char*>(from);
  std::uint64_t value = 14695981039346656037u ^ static_cast<std::uint64_t>(size);
  for (Index k = 0; k < size; k += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + k, static_cast<std::size_t>(size - k < 8 ? size - k : 8));
    value = (value ^ word) * 1099511628211u;
    value ^= value >> 29;
  }
  prints_.push_back({name, value});
}

void Alike::require(const Team& team) const {
  Array<std::uint64_t> values;
  team.together([&] {
    for (const Print& print : prints_) values.push_back(print.value);
  });
  if (const Index k = team.first_that_differs(values); k >= 0) {
    team.together([&] { fail(Status::dimension_mismatch, prints_[k].name, " differs between the ranks"); });
  }
}

}  // namespace freeridge::mpi

using namespace freeridge;
using namespace freeridge::mpi;

const char* freeridge_mpi_last_error(void) {
  return last_error;
}

freeridge_status freeridge_mpi_has_engine(freeridge_mpi_engine engine, int32_t* has) {
  return guarded(__func__, [&] {
    capi::require_one_of("engine", engine,
                         {FREERIDGE_MPI_ENGINE_AUTO, FREERIDGE_MPI_ENGINE_CHOLESKY, FREERIDGE_MPI_ENGINE_PDSYEVD,
                          FREERIDGE_MPI_ENGINE_ELPA});
    capi::required("has", has) = engine != FREERIDGE_MPI_ENGINE_ELPA || has_elpa() ? 1 : 0;
  });
}
