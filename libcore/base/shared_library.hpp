// Functions of shared libraries that are looked up while the program runs.
#pragma once

#include <string>

namespace freeridge {

using AnyFunction = void (*)();

// The function of this name in the libraries that the process has loaded, the first that there is; or NULL.
AnyFunction function_of_process(const char* name);
// The file that has the code at this address; empty where the system does not tell.
std::string file_with(void* address);

// A library, which is loaded now unless it has been, or NULL. why: what the system said, where the library is there.
void* open_library(const std::string& path, std::string& why);
AnyFunction function_of(void* library, const char* name);

}  // namespace freeridge
