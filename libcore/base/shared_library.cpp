#include "libcore/base/shared_library.hpp"

#ifdef _WIN32
#include "libcore/base/windows.hpp"

#include <psapi.h>
#else
#include <dlfcn.h>
#endif

#include <algorithm>
#include <iterator>
#include <string_view>

#include "libcore/base/error.hpp"

namespace freeridge {

#ifdef _WIN32

AnyFunction function_of_process(const char* name) {
  HMODULE modules[1024];
  DWORD bytes = 0;
  if (!K32EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &bytes)) return nullptr;
  const std::size_t count = std::min<std::size_t>(bytes / sizeof(HMODULE), std::size(modules));
  for (std::size_t i = 0; i < count; ++i)
    if (const AnyFunction found = function_of(modules[i], name)) return found;
  return nullptr;
}

std::string file_with(void* address) {
  HMODULE module = nullptr;
  char path[MAX_PATH + 1] = {};
  constexpr DWORD how = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExA(how, static_cast<const char*>(address), &module)) return "";
  return GetModuleFileNameA(module, path, MAX_PATH) > 0 ? path : "";
}

void* open_library(const std::string& path, std::string& why) {
  if (void* const library = LoadLibraryA(path.c_str())) return library;
  const DWORD error = GetLastError();
  if (error != ERROR_MOD_NOT_FOUND) why = text(why, why.empty() ? "" : "; ", path, ": error ", error, " of Windows");
  return nullptr;
}

AnyFunction function_of(void* library, const char* name) {
  return reinterpret_cast<AnyFunction>(GetProcAddress(static_cast<HMODULE>(library), name));
}

#else

AnyFunction function_of_process(const char* name) {
  return reinterpret_cast<AnyFunction>(dlsym(RTLD_DEFAULT, name));
}

std::string file_with(void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

void* open_library(const std::string& path, std::string& why) {
  if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const char* const said = dlerror();
  if (said != nullptr && std::string_view(said).find("No such file") == std::string_view::npos)
    why = text(why, why.empty() ? "" : "; ", said);
  return nullptr;
}

AnyFunction function_of(void* library, const char* name) {
  return reinterpret_cast<AnyFunction>(dlsym(library, name));
}

#endif

}  // namespace freeridge
