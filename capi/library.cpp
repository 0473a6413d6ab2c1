// The C layer, about the library: names, versions, threads, and the last error of each thread.
#include <cstdio>
#include <string>

#include "capi/handles.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge::capi {
namespace {

// The status numbers of the header must be those of the core.
static_assert(FREERIDGE_INVALID_ARGUMENT == int(Status::invalid_argument) &&
              FREERIDGE_INVALID_STATE == int(Status::invalid_state) &&
              FREERIDGE_NOT_FINITE == int(Status::not_finite) &&
              FREERIDGE_DIMENSION_MISMATCH == int(Status::dimension_mismatch) &&
              FREERIDGE_OUT_OF_MEMORY == int(Status::out_of_memory) &&
              FREERIDGE_DEVICE_UNAVAILABLE == int(Status::device_unavailable) &&
              FREERIDGE_NOT_POSITIVE_DEFINITE == int(Status::not_positive_definite) &&
              FREERIDGE_NOT_CONVERGED == int(Status::not_converged) && FREERIDGE_UNDEFINED == int(Status::undefined) &&
              FREERIDGE_CANCELLED == int(Status::cancelled) && FREERIDGE_INTERNAL == int(Status::internal));
static_assert(FREERIDGE_ROUTE_AUTO == int(Route::automatic) && FREERIDGE_ROUTE_CHOLESKY == int(Route::cholesky) &&
              FREERIDGE_ROUTE_SPECTRAL == int(Route::spectral) && FREERIDGE_ROUTE_BAND == int(Route::band) &&
              FREERIDGE_ROUTE_PRIMAL == int(Route::primal) && FREERIDGE_ROUTE_LANDMARK == int(Route::landmark) &&
              FREERIDGE_ROUTE_ITERATIVE == int(Route::iterative));
static_assert(FREERIDGE_COVARIANCE_BAYESIAN == int(CovarianceType::bayesian) &&
              FREERIDGE_COVARIANCE_FREQUENTIST == int(CovarianceType::frequentist));
static_assert(FREERIDGE_LOO == int(Criterion::loo) && FREERIDGE_GCV == int(Criterion::gcv) &&
              FREERIDGE_REML == int(Criterion::reml) && FREERIDGE_GROUPS == int(Criterion::groups) &&
              FREERIDGE_ERROR_RATE == int(Criterion::error_rate) && FREERIDGE_LOG_LOSS == int(Criterion::log_loss) &&
              FREERIDGE_EVIDENCE == int(Criterion::evidence));
static_assert(FREERIDGE_COL_MAJOR == int(Layout::col_major) && FREERIDGE_ROW_MAJOR == int(Layout::row_major));

thread_local char last_error[1024] = "";

}  // namespace

void remember(const char* call, const char* message) noexcept {
  write_message(last_error, sizeof last_error, call, message);
}

}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

const char* freeridge_status_name(freeridge_status status) {
  switch (status) {
    case FREERIDGE_OK:
      return "OK";
    case FREERIDGE_INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case FREERIDGE_INVALID_STATE:
      return "INVALID_STATE";
    case FREERIDGE_NOT_FINITE:
      return "NOT_FINITE";
    case FREERIDGE_DIMENSION_MISMATCH:
      return "DIMENSION_MISMATCH";
    case FREERIDGE_OUT_OF_MEMORY:
      return "OUT_OF_MEMORY";
    case FREERIDGE_DEVICE_UNAVAILABLE:
      return "DEVICE_UNAVAILABLE";
    case FREERIDGE_NOT_POSITIVE_DEFINITE:
      return "NOT_POSITIVE_DEFINITE";
    case FREERIDGE_NOT_CONVERGED:
      return "NOT_CONVERGED";
    case FREERIDGE_UNDEFINED:
      return "UNDEFINED";
    case FREERIDGE_CANCELLED:
      return "CANCELLED";
    case FREERIDGE_IO:
      return "IO";
    case FREERIDGE_CORRUPT:
      return "CORRUPT";
    case FREERIDGE_NEWER_FORMAT:
      return "NEWER_FORMAT";
    case FREERIDGE_INTERNAL:
      return "INTERNAL";
    default:
      return "UNKNOWN";
  }
}

const char* freeridge_last_error(void) {
  return last_error;
}

freeridge_status freeridge_version(int32_t* major, int32_t* minor, int32_t* patch) {
  if (major != nullptr) *major = FREERIDGE_VERSION_MAJOR;
  if (minor != nullptr) *minor = FREERIDGE_VERSION_MINOR;
  if (patch != nullptr) *patch = FREERIDGE_VERSION_PATCH;
  return FREERIDGE_OK;
}

freeridge_status freeridge_set_threads(int32_t count) {
  return guarded(__func__, [&] {
    if (count < 0 || count > most_threads)
      fail(Status::invalid_argument, "count is ", count, "; it must be from 1 to ", most_threads,
           ", or 0 for what the BLAS and the environment say");
    set_thread_count(count);
  });
}

freeridge_status freeridge_get_threads(int32_t* count) {
  return guarded(__func__, [&] { required("count", count) = thread_count(); });
}

// The text is in a plain thread-local array. A thread-local object with a destructor would need memory when a thread
// first gets here, and the C++ library ends the process if there is none.
const char* freeridge_build_info(void) {
  thread_local char info[1024] = "";
  const freeridge_status status = guarded(__func__, [&] {
    const int threads = thread_count();
    const std::string advice = blas_advice();
    const std::string words =
        text("freeridge ", FREERIDGE_VERSION_MAJOR, ".", FREERIDGE_VERSION_MINOR, ".", FREERIDGE_VERSION_PATCH,
             "; compiler ", std::string_view(__VERSION__), "; ", blas_description(), "; ", threads,
             threads == 1 ? " thread" : " threads", advice.empty() ? "" : "; ", advice);
    std::snprintf(info, sizeof info, "%s", words.c_str());
  });
  return status == FREERIDGE_OK ? info : "freeridge";
}
