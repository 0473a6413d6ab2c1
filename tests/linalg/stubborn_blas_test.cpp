// A BLAS that does not go by the number of threads that it is told: whoever sets it hears of it. This program shows the
// core such a BLAS under MKL's name: its dlsym (the linker's --wrap) finds these functions, and no others. And with
// FREERIDGE_TEST_LINKED_BLAS its own BLAS, of which dlsym finds nothing: as where a BLAS is linked statically.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/threads.hpp"

namespace {

int always_two() {
  return 2;
}
void set_nothing(int) {}

bool linked_alone() {
  static const bool wanted = std::getenv("FREERIDGE_TEST_LINKED_BLAS") != nullptr;
  return wanted;
}

}  // namespace

extern "C" void* __real_dlsym(void*, const char* name);
extern "C" void* __wrap_dlsym(void*, const char* name) {
  const std::string_view wanted = name;
  if (linked_alone()) return nullptr;
  if (wanted == "cblas_dgemm") return __real_dlsym(nullptr, name);  // the BLAS is a shared library
  if (wanted == "MKL_Get_Max_Threads") return reinterpret_cast<void*>(&always_two);
  if (wanted == "MKL_Set_Num_Threads") return reinterpret_cast<void*>(&set_nothing);
  return nullptr;
}

namespace {

using namespace freeridge;

TEST(StubbornBlas, IsReported) {
  try {
    set_thread_count(1);
    FAIL() << "one thread was promised";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::undefined);
    EXPECT_NE(std::string(error.what()).find("the BLAS keeps 2"), std::string::npos) << error.what();
  }
  EXPECT_EQ(thread_count(), 1) << "the core goes by what it was told";
  for (const int count : {2, 3, 0}) EXPECT_NO_THROW(set_thread_count(count));  // it has no more than that
  EXPECT_EQ(thread_count(), 2);
}

TEST(LinkedBlas, IsAskedByItsOwnFunctions) {
  if (!linked_alone()) return;
  const auto parallel = reinterpret_cast<int (*)()>(__real_dlsym(RTLD_DEFAULT, "openblas_get_parallel"));
  EXPECT_EQ(is_openblas(), parallel != nullptr);
  if (parallel == nullptr) return;
  EXPECT_EQ(openblas_threads(), parallel());
  EXPECT_NE(blas_description().find("OpenBLAS"), std::string::npos) << blas_description();
  set_thread_count(1);
  EXPECT_EQ(thread_count(), 1);
  set_thread_count(0);
}

}  // namespace
