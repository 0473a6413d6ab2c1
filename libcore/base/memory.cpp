#include "libcore/base/memory.hpp"

#ifdef _WIN32
#include "libcore/base/windows.hpp"
#else
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

namespace freeridge {
namespace {

constexpr Index always_fits = Index{1} << 26, unknown = std::numeric_limits<Index>::max();

double gibibytes(Index bytes) {
  return std::round(static_cast<double>(bytes) / 1073741824.0 * 100) / 100;
}

// The number behind `key` in a file of lines "key number"; `otherwise` where there is none.
Index number_of(const std::string& file, std::string_view key, Index otherwise) {
  std::ifstream in(file);
  for (std::string word; in >> word;) {
    Index number = 0;
    if (word == key && in >> number) return number;
    in.clear();
    in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return otherwise;
}

// The number that is all of a file; `otherwise` where the file has none ("max").
Index number_in(const std::string& file, Index otherwise) {
  std::ifstream in(file);
  Index number = 0;
  return in >> number ? number : otherwise;
}

#ifdef _WIN32

Index left_by_machine(const std::string&) {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (!GlobalMemoryStatusEx(&status)) return unknown;
  return static_cast<Index>(std::min(status.ullAvailPhys, status.ullAvailPageFile));
}

Index left_by_limits(const std::string&) {
  return unknown;
}

bool is_limited() {
  return false;
}

#else

Index left_by_machine(const std::string& root) {
  const Index kibibytes = number_of(root + "/proc/meminfo", "MemAvailable:", -1);
  if (kibibytes >= 0) return kibibytes * 1024;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? Index{pages} * page : unknown;
}

// What the limits of the address space (ulimit -v) and of the data in it (-d) leave.
Index left_by_limits(const std::string& root) {
  std::ifstream in(root + "/proc/self/statm");
  Index pages[6] = {};  // all, resident, shared, text, 0, data
  for (Index& each : pages) in >> each;
  const Index page = sysconf(_SC_PAGESIZE);
  Index left = unknown;
  const auto heed = [&](auto kind, Index used) {
    rlimit limit{};
    if (getrlimit(kind, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    const auto most = static_cast<Index>(std::min<rlim_t>(limit.rlim_cur, unknown));
    left = std::min(left, std::max<Index>(0, most - used * page));
  };
  heed(RLIMIT_AS, pages[0]);
  heed(RLIMIT_DATA, pages[5]);
  return left;
}

bool is_limited() {
  const auto limited = [](auto kind) {
    rlimit limit{};
    return getrlimit(kind, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  };
  return limited(RLIMIT_AS) || limited(RLIMIT_DATA);
}

#endif

// The names that the two versions of control groups have for the same things.
struct GroupFiles {
  std::string_view limit, used, cache[3];  // cache: what of `used` the system takes back where it is short
};
constexpr GroupFiles files_of_version[] = {
    {"memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file", "total_active_file", ""}},
    {"memory.max", "memory.current", {"inactive_file", "active_file", "slab_reclaimable"}}};

// What a group and those above it leave; `place` is a folder beneath `top`.
Index left_by_group(const std::string& top, std::string place, const GroupFiles& files) {
  Index left = unknown;
  for (;;) {
    const std::string here = top + place + "/";
    const Index limit = number_in(text(here, files.limit), unknown);
    const Index used = number_in(text(here, files.used), -1);
    if (limit < unknown && used >= 0) {
      Index cache = 0;
      for (const std::string_view key : files.cache)
        if (!key.empty()) cache += number_of(here + "memory.stat", key, 0);
      left = std::min(left, std::max<Index>(0, limit - std::max<Index>(0, used - cache)));
    }
    if (place.empty() || place == "/") return left;
    place.resize(place.rfind('/'));
  }
}

// The group of the process in a hierarchy: "/slurm/job7" of the line "4:memory:/slurm/job7", or "0::/slurm/job7"; empty
// where there is none.
std::string own_group(const std::string& root, bool second_version) {
  std::ifstream in(root + "/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (second_version ? names == ",," : names.find(",memory,") != names.npos) return line.substr(second + 1);
  }
  return "";
}

// The least that is left by the groups of the process, wherever their hierarchies are mounted. In a container a mount
// may show a part of the hierarchy alone; then the group of the process is that part's top.
Index left_by_groups(const std::string& root) {
  Index left = unknown;
  std::ifstream in(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word, part, top, kind, options;
    words >> word >> word >> word >> part >> top;
    while (words >> word && word != "-") {
    }
    words >> kind >> word >> options;
    const bool second_version = kind == "cgroup2";
    if (!second_version && !(kind == "cgroup" && ("," + options + ",").find(",memory,") != line.npos)) continue;
    std::string place = own_group(root, second_version);
    if (part != "/") place = place.starts_with(part) ? place.substr(part.size()) : "";
    if (place.find("/..") != place.npos) place = "";  // the group is above what this process can see
    left = std::min(left, left_by_group(root + top, place, files_of_version[second_version ? 1 : 0]));
  }
  return left;
}

}  // namespace

AvailableMemory available_memory(const std::string& root) {
  const AvailableMemory all[] = {{left_by_machine(root), ""},
                                 {left_by_limits(root), " within the process's limit (ulimit -v or -d)"},
                                 {left_by_groups(root), " within the limit of the control group"}};
  return *std::min_element(std::begin(all), std::end(all),
                           [](const auto& one, const auto& other) { return one.bytes < other.bytes; });
}

bool address_space_is_limited() {
  static const bool strict = number_in("/proc/sys/vm/overcommit_memory", 0) == 2;
  return strict || is_limited();
}

void require_memory(Index bytes, std::string_view what, std::string_view advice, Index limit) {
  if (limit > 0 && bytes > limit)
    fail(Status::out_of_memory, what, " needs ", gibibytes(bytes), " GiB (", bytes, " bytes), ", limit,
         " bytes is the limit that was set; ", advice);
  if (bytes < always_fits) return;
  const AvailableMemory available = available_memory();
  if (bytes <= available.bytes) return;
  fail(Status::out_of_memory, what, " needs ", gibibytes(bytes), " GiB (", bytes, " bytes), ",
       gibibytes(available.bytes), " GiB are available", available.bound, "; ", advice);
}

bool fits_into_memory(Index bytes, Index limit) {
  if (limit > 0 && bytes > limit) return false;
  return bytes < always_fits || bytes <= available_memory().bytes;
}

}  // namespace freeridge
