// What can be wrong with CUDA: libraries that are absent, too old or without a function, by libraries that this test
// compiles; and each call that fails, one after another, in a fit by each route (fake_cuda.cpp). The status says so, the
// model is as before, and nothing is left allocated.
#include <dlfcn.h>
#include <freeridge.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "libcore/device/cuda_api.hpp"
#include "support/compare.hpp"
#include "support/problems.hpp"

namespace cuda_test {

using namespace support;

struct Name {
  const char *library, *function;
};
const std::vector<Name> functions = {
#define NAMED(name, ...) {"libcuda.so.1", #name},
    FREERIDGE_CUDA_DRIVER(NAMED)
#undef NAMED
#define NAMED(name, ...) {"libnvrtc.so.13", #name},
        FREERIDGE_CUDA_NVRTC(NAMED)
#undef NAMED
#define NAMED(name, ...) {"libcublas.so.13", #name},
            FREERIDGE_CUDA_CUBLAS(NAMED)
#undef NAMED
#define NAMED(name, ...) {"libcusolver.so.12", #name},
                FREERIDGE_CUDA_CUSOLVER(NAMED)
#undef NAMED
};

// A folder with libraries of functions that answer 0; the driver is of this version.
class Folder {
 public:
  explicit Folder(const std::string& name) : path_(std::string(TEST_FOLDER) + "/" + name) {
    [[maybe_unused]] const int emptied = std::system(("rm -rf " + path_).c_str());
    mkdir(path_.c_str(), 0777);
  }
  // `as`: the file that has the functions of `library`; without: the function that it has not.
  Folder& with(const std::string& library, const std::string& as, const std::string& without = "", int driver = 13000) {
    const std::string file = path_ + "/" + as;
    std::ofstream out(file + ".c");
    for (const Name& it : functions)
      if (it.library == library && it.function != without)
        out << "int " << it.function
            << (std::string(it.function) == "cuDriverGetVersion"
                    ? "(int* v) { *v = " + std::to_string(driver) + "; return 0; }\n"
                    : "(void) { return 0; }\n");
    out.close();
    const std::string command =
        std::string(TEST_COMPILER) + " -x c -O0 -shared -fPIC -w -o " + file + " " + file + ".c";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return *this;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

freeridge_status set_device(freeridge_model* model, double device) {
  return freeridge_set_parameter(model, FREERIDGE_DEVICE, device);
}

void expect_unavailable(const std::string& path, const std::vector<std::string>& words) {
  setenv("FREERIDGE_CUDA_PATH", path.c_str(), 1);
  Model model(Kernel::gaussian(1.0));
  EXPECT_EQ(set_device(model.get(), FREERIDGE_DEVICE_CUDA), FREERIDGE_DEVICE_UNAVAILABLE) << path;
  const std::string said = freeridge_last_error();
  for (const std::string& word : words) EXPECT_NE(said.find(word), std::string::npos) << word << ": " << said;
  double device = -5;
  EXPECT_EQ(freeridge_get_parameter(model.get(), FREERIDGE_DEVICE, &device), FREERIDGE_OK);
  EXPECT_EQ(device, 0);
}

// A machine with a driver has a libcuda.so.1 where the system looks: there the first of these says nothing.
bool has_driver() {
  return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr;
}

TEST(Cuda, WhatIsMissingIsNamed) {
  const Folder empty("empty");
  if (!has_driver())
    expect_unavailable(empty.path(), {"libcuda.so.1", "not found", empty.path(), "FREERIDGE_CUDA_PATH"});
  Folder driver("driver");
  driver.with("libcuda.so.1", "libcuda.so.1");
  if (!has_driver()) expect_unavailable(driver.path(), {"libnvrtc.so.13 or libnvrtc.so.12", "not found"});
  std::ofstream(driver.path() + "/libnvrtc.so.13") << "no library";
  if (!has_driver()) expect_unavailable(driver.path(), {"cannot be loaded", "libnvrtc.so.13"});
}

TEST(Cuda, TooOldADriverIsRefused) {
  Folder old("old");
  old.with("libcuda.so.1", "libcuda.so.1", "", 11040);
  expect_unavailable(old.path(), {"CUDA 11.4", "12.0"});
}

// A driver of CUDA 12 takes the libraries of CUDA 12; here they have all functions, and there is no device.
TEST(Cuda, TheLibrariesAreOfTheDriversVersion) {
  Folder folder("twelve"), wheels("wheels");
  folder.with("libcuda.so.1", "libcuda.so.1", "", 12040);
  for (const auto& [library, as] :
       std::vector<std::pair<std::string, std::string>>{{"libnvrtc.so.13", "libnvrtc.so.12"},
                                                        {"libcublas.so.13", "libcublas.so.12"},
                                                        {"libcusolver.so.12", "libcusolver.so.11"}})
    wheels.with(library, as);
  expect_unavailable(folder.path() + ":" + wheels.path(), {"there is no CUDA device 0", "0 devices"});
  // The folders of pip's wheels below one that is named.
  const std::string site = std::string(TEST_FOLDER) + "/site", inner = site + "/nvidia/cublas";
  EXPECT_EQ(
      std::system(
          ("rm -rf " + site + " && mkdir -p " + inner + " && cp -r " + wheels.path() + " " + inner + "/lib").c_str()),
      0);
  expect_unavailable(folder.path() + "::" + site, {"there is no CUDA device 0"});
}

TEST(Cuda, EachFunctionThatIsMissingIsNamed) {
  Folder whole("whole");
  for (const char* const library : {"libcuda.so.1", "libnvrtc.so.13", "libcublas.so.13", "libcusolver.so.12"})
    whole.with(library, library);
  expect_unavailable(whole.path(), {"there is no CUDA device 0"});
  for (const Name& it : functions) {
    Folder without(std::string("without_") + it.function);
    without.with(it.library, it.library, it.function);
    expect_unavailable(without.path() + ":" + whole.path(), {it.library, it.function, "another version"});
  }
}

class Fake : public ::testing::Test {
 protected:
  Fake() {
    setenv("FREERIDGE_CUDA_PATH", FAKE_FOLDER, 1);
    const std::string file = std::string(FAKE_FOLDER) + "/libcuda.so.1";
    library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  int& number(const char* name) { return *static_cast<int*>(dlsym(library_, name)); }

  void* library_;
};

// A fit and its left-out errors, of rows and groups; the first status that is not OK.
freeridge_status fit(freeridge_model* model, freeridge_route route, std::vector<double>& errors) {
  const std::vector<std::int32_t> group = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
  freeridge_status status = set_device(model, FREERIDGE_DEVICE_CUDA);
  if (status == FREERIDGE_OK) status = freeridge_set_parameter(model, FREERIDGE_ROUTE, route);
  if (status == FREERIDGE_OK) status = freeridge_factorize(model);
  if (status == FREERIDGE_OK) status = freeridge_set_lambda(model, 0.1);
  if (status == FREERIDGE_OK) status = freeridge_loo(model, errors.data(), 12);
  if (status == FREERIDGE_OK) status = freeridge_group_errors(model, group.data(), 0, nullptr, errors.data(), 12);
  return status;
}

TEST_F(Fake, EachCallThatFailsIsAStatus) {
  Random random(3);
  const oracle::Problem problem = random_problem(random, kernel_of(oracle::Family::gaussian, 2), 12, 2, 1, true, true);
  for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL}) {
    std::vector<double> errors(12);
    std::set<freeridge_status> seen;
    int failed = 0;
    for (int at = 1;; ++at) {
      SCOPED_TRACE(::testing::Message() << route_name(route) << ", call " << at);
      {
        Model model = oracle::make_model(problem, FREERIDGE_ROUTE_AUTO);
        number("fake_code") = at % 2 == 0 ? 700 : freeridge::cuda::driver_out_of_memory;
        number("fake_calls") = number("fake_failed_push") = 0;
        number("fake_fail_at") = at;
        const freeridge_status status = fit(model.get(), route, errors);
        const bool reached = number("fake_calls") >= at;
        number("fake_fail_at") = 0;
        if (!reached) {
          EXPECT_EQ(status, FREERIDGE_OK) << freeridge_last_error();
          EXPECT_GT(failed, 100);
          break;
        }
        // Memory that cannot be freed at once is freed with the engine.
        const bool freed_later = status == FREERIDGE_OK && number("fake_failed_push") == 1;
        EXPECT_TRUE(status == FREERIDGE_DEVICE_UNAVAILABLE || status == FREERIDGE_OUT_OF_MEMORY || freed_later)
            << status;
        if (!freed_later) seen.insert(status);
        ++failed;
        // All is well again: so is the model.
        EXPECT_EQ(fit(model.get(), route, errors), FREERIDGE_OK) << freeridge_last_error();
        EXPECT_CLOSE(model.loo(), oracle::loo(problem, 0.1), 1e-9);
      }
      EXPECT_EQ(number("fake_live"), 0);
    }
    EXPECT_EQ(seen.size(), 2U);
    EXPECT_EQ(number("fake_live"), 0);
  }
}

TEST_F(Fake, AFailureWhileExplainingIsAStatus) {
  Random random(3);
  Model model = oracle::make_model(random_problem(random, kernel_of(oracle::Family::gaussian, 2), 12, 2, 1, true, true),
                                   FREERIDGE_ROUTE_AUTO);
  model.device(FREERIDGE_DEVICE_CUDA);
  std::vector<char> text(4096);
  std::int64_t length = 0;
  number("fake_calls") = 0;
  number("fake_code") = 700;
  number("fake_fail_at") = 1;
  EXPECT_EQ(freeridge_explain(model.get(), 4096, text.data(), &length), FREERIDGE_DEVICE_UNAVAILABLE);
  number("fake_fail_at") = 0;
  EXPECT_EQ(freeridge_explain(model.get(), 4096, text.data(), &length), FREERIDGE_OK);
  EXPECT_NE(std::string(text.data()).find("on CUDA device 0 (fake)"), std::string::npos) << text.data();
}

// Models that use the device at the same time compile a kernel once.
TEST_F(Fake, ModelsShareAnEngine) {
  std::vector<double> errors(12);
  Random random(3);
  const oracle::Problem problem = random_problem(random, kernel_of(oracle::Family::gaussian, 2), 12, 2, 1, true, true);
  Model first = oracle::make_model(problem, FREERIDGE_ROUTE_AUTO),
        second = oracle::make_model(problem, FREERIDGE_ROUTE_AUTO);
  EXPECT_EQ(fit(first.get(), FREERIDGE_ROUTE_CHOLESKY, errors), FREERIDGE_OK);
  const int calls = number("fake_calls");
  EXPECT_EQ(fit(first.get(), FREERIDGE_ROUTE_CHOLESKY, errors), FREERIDGE_OK);
  const int again = number("fake_calls") - calls;
  EXPECT_EQ(fit(second.get(), FREERIDGE_ROUTE_CHOLESKY, errors), FREERIDGE_OK);
  EXPECT_NEAR(number("fake_calls") - calls - again, again, 20);
}

TEST_F(Fake, ThereIsOneDevice) {
  Model model(Kernel::gaussian(1.0));
  EXPECT_EQ(set_device(model.get(), FREERIDGE_DEVICE_CUDA + 1), FREERIDGE_DEVICE_UNAVAILABLE);
  EXPECT_NE(std::string(freeridge_last_error()).find("there is no CUDA device 1; the driver has 1 device"),
            std::string::npos)
      << freeridge_last_error();
}

}  // namespace cuda_test
