#include "libcore/linalg/blas_buffer.hpp"

#ifdef __linux__

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "libcore/base/memory.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/blas_library.hpp"

namespace freeridge {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{128} << 20;  // of OpenBLAS since 0.3.8, on x86-64 and ARM

// Whether the process can have so many buffers and, beside them, address space that is only reserved.
bool can_map(int buffers, std::size_t spare = 0) {
  const auto map = [](std::size_t bytes, int access, int more) {
    return mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | more, -1, 0);
  };
  void* const reserved = spare > 0 ? map(spare, PROT_NONE, MAP_NORESERVE) : nullptr;
  if (reserved == MAP_FAILED) return false;
  const std::size_t bytes = static_cast<std::size_t>(buffers) * buffer_bytes;
  void* const place = map(bytes, PROT_READ | PROT_WRITE, 0);
  if (place != MAP_FAILED) munmap(place, bytes);
  if (reserved != nullptr) munmap(reserved, spare);
  return place != MAP_FAILED;
}

bool asks_for_ever() {
  static const bool is = is_openblas();
  return is;
}

// What other threads may take between the core's mapping and OpenBLAS's: glibc gives a thread 64 MiB of address space of
// its own when the thread first allocates, to at most eight threads a core.
std::size_t first_allocations_of_others() {
  constexpr std::size_t of_a_thread = std::size_t{64} << 20;
  const std::size_t most = 8 * std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::error_code failed;
  std::size_t others = 0;
  for (std::filesystem::directory_iterator task("/proc/self/task", failed), end; task != end; task.increment(failed))
    ++others;
  return std::min<std::size_t>(others == 0 ? most : others - 1, most) * of_a_thread;
}

// Whether each other thread of the process sleeps.
bool others_sleep() {
  const std::string own = std::to_string(gettid());
  std::error_code failed;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", failed)) {
    if (task.path().filename() == own) continue;
    std::string line;
    std::getline(std::ifstream(task.path() / "stat"), line);
    if (const std::size_t name_end = line.rfind(") "); name_end != line.npos && line[name_end + 2] != 'S') return false;
  }
  return !failed;
}

// OpenBLAS's own threads take their buffers when it is loaded, and sleep then; one that gets no buffer never sleeps.
// Answers whether they sleep, now or within two seconds.
bool own_threads_settle() {
  constexpr std::chrono::milliseconds nap{5};
  int asleep = 0;  // times in sequence
  for (int naps = 0; naps < 400 && asleep < 3; ++naps) {
    asleep = others_sleep() ? asleep + 1 : 0;
    std::this_thread::sleep_for(nap);
  }
  return asleep == 3;
}

// A process in which a thread of OpenBLAS asks for ever for its buffer cannot end: OpenBLAS waits for its threads then.
void end_without_openblas() {
  on_exit(
      [](int status, void*) {
        std::fflush(nullptr);
        syscall(SYS_exit_group, status);  // without OpenBLAS's own farewell
      },
      nullptr);
}

[[noreturn]] void refuse() {
  fail(Status::out_of_memory, "OpenBLAS needs a buffer of 128 MiB of address space for each thread, and this process",
       " cannot have it; raise its limit (ulimit -v), or use fewer threads (OPENBLAS_NUM_THREADS=1)");
}

// Whether the first thread may call OpenBLAS, whose threads of OpenMP take their buffers at its first large call.
bool has_room_at_first() {
  const int team = std::max(1, blas_control().get());
  if (can_map(team)) return true;
  if (team == 1 || openblas_threads() == openmp) return false;
  if (own_threads_settle()) return can_map(1);
  end_without_openblas();
  return false;
}

// Takes a buffer by a call and gives it back, where OpenBLAS does not show how it takes one. (Small products of other
// kinds do without.)
void use_buffer() {
  const double one = 1;
  double square = 0;
  syrk(Op::none, 1, {&one, 1, 1, 1}, 0, {&square, 1, 1, 1});
}

std::mutex buffers_mutex;
int callers = 0;  // threads that live, and have been told that they have a buffer
int mapped = 0;   // buffers that OpenBLAS has for them and for the threads of loops

// Has OpenBLAS map buffers until it has `wanted` of them, as far as there is room; returns how many there are. The mutex
// is held.
int map_buffers(int wanted) {
  constexpr int most = 64;  // OpenBLAS has places for twice as many as it was built for threads
  void* taken[most] = {};
  const BufferCalls& calls = openblas_buffers();
  int count = 0;
  for (; mapped < wanted && count < std::min(wanted, most) && can_map(1, first_allocations_of_others()); ++count) {
    if (calls.take == nullptr)
      use_buffer();
    else if ((taken[count] = calls.take(0)) == nullptr)
      break;
  }
  mapped = std::max(mapped, count == most ? wanted : count);
  while (count > 0)
    if (void* const place = taken[--count]; place != nullptr) calls.give_back(place);
  return mapped;
}

struct Caller {
  ~Caller() {
    if (!told) return;
    const std::lock_guard lock(buffers_mutex);
    --callers;
  }
  bool told = false;
};
thread_local Caller caller;

}  // namespace

void require_buffer_of_blas() {
  if (caller.told) return;
  const std::lock_guard lock(buffers_mutex);
  if (asks_for_ever()) {
    if (mapped == 0 && !has_room_at_first()) refuse();
    const int wanted = address_space_is_limited() ? callers + 1 : 1;
    if (map_buffers(wanted) < wanted) refuse();
  }
  ++callers;
  caller.told = true;
}

int team_with_buffers(int team) {
  if (team == 1 || !asks_for_ever() || !address_space_is_limited()) return team;
  const std::lock_guard lock(buffers_mutex);
  const int others = std::max(0, callers - 1);
  return std::clamp(map_buffers(others + team) - others, 1, team);
}

void set_threads_with_buffers(void (*set)(int), int now, int count) {
  const bool takes = count > now && asks_for_ever() && address_space_is_limited();
  if (takes && !can_map(count - now)) refuse();
  set(count);
  if (!takes) return;
  if (openblas_threads() == openmp)
    openblas_take_buffers(count);  // else it would at its next call, with whatever room there is then
  else
    own_threads_settle();
}

}  // namespace freeridge

#else

namespace freeridge {

void require_buffer_of_blas() {}

int team_with_buffers(int team) {
  return team;
}

void set_threads_with_buffers(void (*set)(int), int, int count) {
  set(count);
}

}  // namespace freeridge

#endif
