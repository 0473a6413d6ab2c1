#include "libcore/linalg/blas_library.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/shared_library.hpp"

// The functions that are looked up. A BLAS that is linked statically is out of dlsym's reach, unless the program
// exports its functions. So they are declared, too: weak, which means null where nobody has them, and asks for no
// library. (Only ELF has such functions.)
#ifdef __ELF__
// clang-format off
#define FREERIDGE_FUNCTIONS_OF_BLAS(use) \
  use(openblas_get_num_threads) use(openblas_set_num_threads) use(openblas_get_parallel) \
  use(openblas_get_config) use(openblas_get_corename) \
  use(bli_thread_get_num_threads) use(bli_thread_set_num_threads) use(bli_info_get_version_str) \
  use(bli_arch_query_id) use(bli_arch_string) \
  use(MKL_Get_Max_Threads) use(MKL_Set_Num_Threads) use(MKL_Get_Version_String) \
  use(omp_get_max_threads) use(omp_set_num_threads) use(omp_get_max_active_levels) use(omp_set_max_active_levels)
// clang-format on
#define FREERIDGE_DECLARED(name) [[gnu::weak]] void name();
extern "C" {
FREERIDGE_FUNCTIONS_OF_BLAS(FREERIDGE_DECLARED)
}
#undef FREERIDGE_DECLARED
#else
#define FREERIDGE_FUNCTIONS_OF_BLAS(use) \
  {}
#endif

namespace freeridge {
namespace {

AnyFunction linked(std::string_view name) {
#define FREERIDGE_LINKED(function) {#function, &(function)},
  static const std::pair<std::string_view, AnyFunction> functions[] = {FREERIDGE_FUNCTIONS_OF_BLAS(FREERIDGE_LINKED)};
#undef FREERIDGE_LINKED
  const auto* const found = std::find_if(std::begin(functions), std::end(functions),
                                         [&](const auto& function) { return function.first == name; });
  return found != std::end(functions) ? found->second : nullptr;
}

// Whether the matrix product that the core calls is the one that dlsym finds. Else the BLAS is linked statically, and
// what dlsym finds may belong to another BLAS of the process. (On Windows a function of a library has an address of its
// own in each library that calls it.)
bool is_shared() {
  static const bool shared = [] {
    const AnyFunction found = function_of_process(product_name());
#ifdef _WIN32
    return found != nullptr;
#else
    return reinterpret_cast<void*>(found) == product_address();
#endif
  }();
  return shared;
}

template <class Function>
Function* symbol(const char* name) {
  if (is_shared()) return reinterpret_cast<Function*>(function_of_process(name));
  if (const AnyFunction function = linked(name)) return reinterpret_cast<Function*>(function);
  // OpenMP's functions belong to the process, whatever its BLAS.
  return std::string_view(name).starts_with("omp_") ? reinterpret_cast<Function*>(function_of_process(name)) : nullptr;
}

}  // namespace

int openblas_threads() {
  auto* parallel = symbol<int()>("openblas_get_parallel");
  return parallel != nullptr ? parallel() : pthread;
}

void openblas_take_buffers(int threads) {
  symbol<void(int)>("openblas_set_num_threads")(threads);
}

bool is_openblas() {
  return symbol<void(int)>("openblas_set_num_threads") != nullptr;
}

const BufferCalls& openblas_buffers() {
  static const BufferCalls calls = [] {
    const BufferCalls found{symbol<void*(int)>("blas_memory_alloc"), symbol<void(void*)>("blas_memory_free")};
    auto* config = symbol<char*()>("openblas_get_config");
    const bool own = config != nullptr && std::string_view(config()).find("USE_TLS") != std::string_view::npos;
    return found.take == nullptr || found.give_back == nullptr || own ? BufferCalls{} : found;
  }();
  return calls;
}

namespace {

// The functions by which a BLAS says its number of threads and takes another one.
constexpr const char* thread_numbers[][2] = {{"flexiblas_get_num_threads", "flexiblas_set_num_threads"},
                                             {"openblas_get_num_threads", "openblas_set_num_threads"},
                                             {"bli_thread_get_num_threads", "bli_thread_set_num_threads"},
                                             {"MKL_Get_Max_Threads", "MKL_Set_Num_Threads"}};

// True where the BLAS has one number of threads for the whole process, and uses it.
bool find_shared_number(BlasControl& control) {
  for (const auto& [get, set] : thread_numbers) {
    control.get = symbol<int()>(get);
    control.set = symbol<void(int)>(set);
    if (control.get == nullptr || control.set == nullptr) continue;
    // All builds of OpenBLAS take a number. The serial build ignores it; the build with OpenMP uses OpenMP's number of
    // the calling thread instead.
    return std::string_view(get) != "openblas_get_num_threads" || openblas_threads() == pthread;
  }
  return false;
}

BlasControl find_control() {
  BlasControl control;
  control.get_openmp = symbol<int()>("omp_get_max_threads");
  control.set_openmp = symbol<void(int)>("omp_set_num_threads");
  const bool openmp = control.get_openmp != nullptr && control.set_openmp != nullptr;
  if (!openmp) control.get_openmp = nullptr, control.set_openmp = nullptr;
  if (find_shared_number(control)) return control;
  control.get = control.get_openmp;
  control.set = control.set_openmp;
  control.of_thread = openmp;
  if (openmp && !is_openblas()) {
    control.get_levels = symbol<int()>("omp_get_max_active_levels");
    control.set_levels = symbol<void(int)>("omp_set_max_active_levels");
    if (control.get_levels == nullptr || control.set_levels == nullptr) {
      control.get_levels = nullptr;
      control.set_levels = nullptr;
    }
  }
  return control;
}

// The first two words of "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...".
std::string two_words(std::string_view sentence) {
  const std::size_t first = sentence.find(' ');
  const std::size_t second = first == sentence.npos ? first : sentence.find(' ', first + 1);
  return std::string(sentence.substr(0, second));
}

std::string openblas_config() {
  auto* config = symbol<char*()>("openblas_get_config");
  return config != nullptr ? config() : "OpenBLAS";
}

std::string openblas_core() {
  auto* core = symbol<char*()>("openblas_get_corename");
  return core != nullptr ? core() : "";
}

// The file that the loader took dgemm from, for a BLAS that has no name to tell.
std::string file_of_blas() {
  const std::string file = file_with(product_address());
  return file.empty() ? "" : text(" (", file, ")");
}

}  // namespace

const BlasControl& blas_control() {
  static const BlasControl control = find_control();
  return control;
}

double flop() {
  static const double units = std::any_of(std::begin(thread_numbers), std::end(thread_numbers),
                                          [](const auto& names) { return symbol<void(int)>(names[1]) != nullptr; })
                                  ? 1
                                  : 16;
  return units;
}

std::string blas_description() {
  if (is_openblas()) {
    constexpr std::array<const char*, 3> made = {"no threads of its own", "threads by pthread", "threads by OpenMP"};
    const std::string core = openblas_core();
    return text(two_words(openblas_config()), ", ", core, core.empty() ? "" : " kernels, ",
                std::string_view(made[static_cast<std::size_t>(std::clamp(openblas_threads(), 0, 2))]));
  }
  if (auto* version = symbol<const char*()>("bli_info_get_version_str")) {  // GCOVR_EXCL_START: other makes
    auto* id = symbol<int()>("bli_arch_query_id");
    auto* name = symbol<const char*(int)>("bli_arch_string");
    const std::string core = id != nullptr && name != nullptr ? text(", ", name(id()), " kernels") : "";
    return text("BLIS ", version(), core);
  }
  if (auto* version = symbol<void(char*, int)>("MKL_Get_Version_String")) {
    std::array<char, 200> words{};
    version(words.data(), static_cast<int>(words.size()) - 1);
    return words.data();
  }
  return text("BLAS of unknown make", file_of_blas());
}  // GCOVR_EXCL_STOP

Vectors processor_vectors() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq"))
    return Vectors::avx512;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Vectors::avx2 : Vectors::older;
#else
  return Vectors::unknown;
#endif
}

std::string blas_advice(std::string_view core, bool dynamic, Vectors processor) {
  constexpr std::array avx512 = {"SkylakeX", "Cooperlake", "Sapphirerapids"};
  constexpr std::array avx2 = {"Haswell", "Zen"};
  constexpr std::array older = {"Prescott", "Core2",      "Penryn",    "Dunnington", "Nehalem",   "Sandybridge",
                                "Atom",     "Nano",       "Opteron",   "Barcelona",  "Athlon",    "Opteron_SSE3",
                                "Bobcat",   "Katmai",     "Bulldozer", "Piledriver", "Northwood", "Steamroller",
                                "Banias",   "Coppermine", "Excavator"};
  const auto is_in = [&](const auto& names) { return std::find(names.begin(), names.end(), core) != names.end(); };
  const Vectors kernels = is_in(avx512)  ? Vectors::avx512
                          : is_in(avx2)  ? Vectors::avx2
                          : is_in(older) ? Vectors::older
                                         : Vectors::unknown;
  if (kernels == Vectors::unknown || kernels >= processor) return "";
  const std::string_view has = processor == Vectors::avx512 ? "AVX-512" : "AVX2";
  const std::string mend =
      dynamic ? text("set OPENBLAS_CORETYPE=", processor == Vectors::avx512 ? "SkylakeX" : "Haswell",
                     " in the environment before the program (R, Python) starts")
              : text("take an OpenBLAS that has the kernels of all processors (built with DYNAMIC_ARCH=1)");
  const std::string_view gain = kernels == Vectors::avx2 ? "up to twice" : "several times";
  return text("the BLAS runs below this processor: ", core, " kernels where it has ", has, "; ", mend,
              ", and matrix products may be ", gain, " as fast");
}

std::string blas_advice() {
  if (!is_openblas()) return "";
  return blas_advice(openblas_core(), openblas_config().find("DYNAMIC_ARCH") != std::string::npos, processor_vectors());
}

}  // namespace freeridge
