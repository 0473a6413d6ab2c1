#include "libcore/device/cuda.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "libcore/base/array.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/shared_library.hpp"

namespace freeridge::cuda {
namespace {

constexpr int least_driver = 12000;  // CUDA 12.0
constexpr const char* variable = "FREERIDGE_CUDA_PATH";

// What is in a folder, by name; nothing where it cannot be read.
Array<std::string> folders_in(const std::string& folder) {
  Array<std::string> out;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; at != end; at.increment(failed))
    out.push_back(at->path().string());
  std::ranges::sort(out);
  return out;
}

// The folders that the environment names, with those in them that may have libraries.
Array<std::string> named_folders() {
  Array<std::string> out;
  const char* const value = std::getenv(variable);
  std::string_view rest = value != nullptr ? value : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string folder(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (folder.empty()) continue;
    out.push_back(folder);
    out.push_back(folder + "/lib");
    out.push_back(folder + "/lib64");
    for (const std::string& above : {folder, folder + "/nvidia"})
      for (const std::string& inner : folders_in(above)) out.push_back(inner + "/lib");
  }
  return out;
}

// A library, or NULL; why: what the system said of those that are there.
void* open(const std::string& name, std::string& why) {
  Array<std::string> places = named_folders();
  places.emplace_back();  // as the system looks for it
  places.emplace_back("/usr/local/cuda/lib64");
  for (const std::string& folder : places) {
    const std::string path = folder.empty() ? name : text(folder, "/", name);
    if (void* const library = open_library(path, why)) return library;
  }
  return nullptr;
}

[[noreturn]] void fail_missing(const std::string& names, const std::string& why) {
  const char* const folders = std::getenv(variable);
  fail(Status::device_unavailable, names, " was not found",
       why.empty() ? "" : text(", or cannot be loaded (", why, ")"), "; it was looked for in ",
       folders != nullptr ? text("the folders of ", variable, " (", folders, "), ") : "",
       "where the system looks (LD_LIBRARY_PATH) and in /usr/local/cuda/lib64; set ", variable,
       " to the folder that has it");
}

template <class Function>
void look_up(void* library, const char* from, const char* name, Function*& to) {
  to = reinterpret_cast<Function*>(function_of(library, name));
  if (to == nullptr) fail(Status::device_unavailable, from, " has no function ", name, "; it is of another version");
}

#define FREERIDGE_LOOK_UP(name, ...) look_up(library, from, #name, out.name);
void take_driver(void* library, const char* from, Functions& out) {
  FREERIDGE_CUDA_DRIVER(FREERIDGE_LOOK_UP)
}
void take_nvrtc(void* library, const char* from, Functions& out) {
  FREERIDGE_CUDA_NVRTC(FREERIDGE_LOOK_UP)
}
void take_cublas(void* library, const char* from, Functions& out) {
  FREERIDGE_CUDA_CUBLAS(FREERIDGE_LOOK_UP)
}
void take_cusolver(void* library, const char* from, Functions& out) {
  FREERIDGE_CUDA_CUSOLVER(FREERIDGE_LOOK_UP)
}
#undef FREERIDGE_LOOK_UP

struct Toolkit {
  int driver;  // the least version of the driver
  const char *nvrtc, *cublas, *cusolver;
};
constexpr Toolkit toolkits[] = {{13000, "libnvrtc.so.13", "libcublas.so.13", "libcusolver.so.12"},
                                {12000, "libnvrtc.so.12", "libcublas.so.12", "libcusolver.so.11"}};

}  // namespace

Functions load() {
  constexpr const char* driver = "libcuda.so.1";
  Functions out;
  std::string why, missing;
  void* const library = open(driver, why);
  if (library == nullptr) fail_missing(text(driver, " (NVIDIA's driver)"), why);
  take_driver(library, driver, out);
  check(out, out.cuInit(0), "cuInit");
  int version = 0;
  check(out, out.cuDriverGetVersion(&version), "cuDriverGetVersion");
  if (version < least_driver)
    fail(Status::device_unavailable, "NVIDIA's driver is of CUDA ", version / 1000, ".", version % 1000 / 10,
         "; 12.0 or later is needed");
  for (const Toolkit& kit : toolkits) {
    if (version < kit.driver) continue;
    void *const nvrtc = open(kit.nvrtc, why), *const cublas = open(kit.cublas, why),
                *const cusolver = open(kit.cusolver, why);
    if (nvrtc != nullptr && cublas != nullptr && cusolver != nullptr) {
      take_nvrtc(nvrtc, kit.nvrtc, out);
      take_cublas(cublas, kit.cublas, out);
      take_cusolver(cusolver, kit.cusolver, out);
      return out;
    }
    missing = text(missing, missing.empty() ? "" : " or ",
                   nvrtc == nullptr    ? kit.nvrtc
                   : cublas == nullptr ? kit.cublas
                                       : kit.cusolver);
  }
  fail_missing(missing, why);
}

void check(const Functions& functions, int code, const char* call) {
  if (code == 0) return;
  const std::string_view name = call;
  const bool solver = name.starts_with("cusolver"), blas = name.starts_with("cublas"),
             driver = !solver && !blas && !name.starts_with("nvrtc");
  const bool no_memory = code == (solver   ? cusolver_alloc_failed
                                  : blas   ? cublas_alloc_failed
                                  : driver ? driver_out_of_memory
                                           : nvrtc_out_of_memory);
  const char* words = nullptr;
  if (driver && functions.cuGetErrorString(code, &words) != 0) words = nullptr;
  fail(no_memory ? Status::out_of_memory : Status::device_unavailable, call, " answered ", code,
       words != nullptr ? text(" (", words, ")") : "",
       no_memory ? "; the device has not enough memory: use fewer points, or the CPU" : "");
}

}  // namespace freeridge::cuda
