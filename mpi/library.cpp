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

void Fingerprint::add(const void* bytes, Index size) {
  const char* const from = static_cast<const char*>(bytes);
  for (Index k = 0; k < size; k += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + k, static_cast<std::size_t>(size - k < 8 ? size - k : 8));
    value_ = (value_ ^ word) * 1099511628211u;
    value_ ^= value_ >> 29;
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
