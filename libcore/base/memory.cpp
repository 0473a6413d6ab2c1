#include "libcore/base/memory.hpp"

#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>

namespace freeridge {
namespace {

constexpr Index always_fits = Index{1} << 26;

double gibibytes(Index bytes) {
  return std::round(static_cast<double>(bytes) / 1073741824.0 * 100) / 100;
}

}  // namespace

Index available_memory() {
  std::ifstream info("/proc/meminfo");
  for (std::string key; info >> key;) {
    Index kibibytes = 0;
    if (key == "MemAvailable:" && info >> kibibytes) return kibibytes * 1024;
    info.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? Index{pages} * page : std::numeric_limits<Index>::max();
}

void require_memory(Index bytes, std::string_view what, std::string_view advice, Index limit) {
  if (limit > 0 && bytes > limit)
    fail(Status::out_of_memory, what, " needs ", gibibytes(bytes), " GiB (", bytes, " bytes), ", limit,
         " bytes is the limit that was set; ", advice);
  const Index available = available_memory();
  if (bytes <= available) return;
  fail(Status::out_of_memory, what, " needs ", gibibytes(bytes), " GiB (", bytes, " bytes), ", gibibytes(available),
       " GiB are available; ", advice);
}

bool fits_into_memory(Index bytes, Index limit) {
  if (limit > 0 && bytes > limit) return false;
  return bytes < always_fits || bytes <= available_memory();
}

}  // namespace freeridge
