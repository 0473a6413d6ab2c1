// A BLAS that does not go by the number of threads that it is told: whoever sets it hears of it. This program shows the
// core such a BLAS under MKL's name: its dlsym (the linker's --wrap) finds these functions, and no others.
#include <gtest/gtest.h>

#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/linalg/threads.hpp"

namespace {

int always_two() {
  return 2;
}
void set_nothing(int) {}

}  // namespace

extern "C" void* __real_dlsym(void*, const char* name);
extern "C" void* __wrap_dlsym(void*, const char* name) {
  const std::string_view wanted = name;
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

}  // namespace
