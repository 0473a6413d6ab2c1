// The memory that a process can still have: the least that the machine, the process's limits and its control groups
// leave, by files in a folder of the test's own.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "libcore/base/memory.hpp"

namespace {

using freeridge::available_memory;
using freeridge::Index;
namespace files = std::filesystem;

constexpr Index mib = Index{1} << 20;

class AvailableMemory : public ::testing::Test {
 protected:
  AvailableMemory() : root_(files::temp_directory_path() / ("freeridge-memory-" + std::to_string(getpid()))) {
    write("proc/meminfo", "MemTotal:       16384000 kB\nMemFree:  1 kB\nMemAvailable:    8192000 kB\n");
  }
  ~AvailableMemory() override { files::remove_all(root_); }

  void write(const std::string& name, const std::string& what) const {
    const files::path path = root_ / name;
    files::create_directories(path.parent_path());
    std::ofstream(path) << what;
  }
  // A group of the first or of the second version, with its limit, what is used, and what of that is cache.
  void group(int version, const std::string& folder, const std::string& limit, Index used, Index cache) const {
    const bool second = version == 2;
    write(folder + (second ? "/memory.max" : "/memory.limit_in_bytes"), limit + "\n");
    write(folder + (second ? "/memory.current" : "/memory.usage_in_bytes"), std::to_string(used) + "\n");
    const std::string total = second ? "" : "total_";
    write(folder + "/memory.stat", "anon 5\n" + total + "inactive_file " + std::to_string(cache / 4) + "\n" + total +
                                       "active_file " + std::to_string(cache - cache / 4) + "\n");
  }
  void mounted(const std::string& lines) const { write("proc/self/mountinfo", lines); }
  Index available() const { return available_memory(root_.string()).bytes; }
  std::string bound() const { return std::string(available_memory(root_.string()).bound); }

  files::path root_;
};

const std::string second_version = "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string first_version =
    "30 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";

TEST_F(AvailableMemory, OfTheMachine) {
  EXPECT_EQ(available(), Index{8192000} * 1024);
  EXPECT_EQ(bound(), "");
  write("proc/meminfo", "MemTotal: 16384000 kB\n");  // kernels before 3.14
  EXPECT_EQ(available(), Index{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE));
}

TEST_F(AvailableMemory, OfAGroupAndOfThoseAboveIt) {
  mounted(second_version);
  write("proc/self/cgroup", "0::/slice/job/step\n");
  group(2, "sys/fs/cgroup/slice/job/step", "max", 600 * mib, 100 * mib);
  group(2, "sys/fs/cgroup/slice/job", std::to_string(2000 * mib), 700 * mib, 200 * mib);
  group(2, "sys/fs/cgroup/slice", std::to_string(4000 * mib), 900 * mib, 0);
  EXPECT_EQ(available(), 1500 * mib);
  EXPECT_EQ(bound(), " within the limit of the control group");
  group(2, "sys/fs/cgroup/slice", std::to_string(2000 * mib), 1900 * mib, 0);  // others in the slice
  EXPECT_EQ(available(), 100 * mib);
  group(2, "sys/fs/cgroup/slice/job/step", std::to_string(500 * mib), 600 * mib, 0);
  EXPECT_EQ(available(), 0);
}

TEST_F(AvailableMemory, OfAGroupOfTheFirstVersion) {
  mounted(first_version);
  write("proc/self/cgroup", "5:cpu,cpuacct:/other\n4:memory:/docker/abc\n0::/\n");
  group(1, "sys/fs/cgroup/memory/docker/abc", std::to_string(1000 * mib), 300 * mib, 40 * mib);
  group(1, "sys/fs/cgroup/memory/docker", "9223372036854771712", 300 * mib, 40 * mib);
  group(1, "sys/fs/cgroup/cpu/other", std::to_string(mib), 0, 0);
  EXPECT_EQ(available(), 740 * mib);
}

// Within a container the mount shows the part of the hierarchy that begins with the process's own group, or a namespace
// calls that part the whole; a group outside of it begins with "/..".
TEST_F(AvailableMemory, InAContainer) {
  mounted("35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  write("proc/self/cgroup", "4:memory:/docker/abc/inner\n");
  group(1, "sys/fs/cgroup/memory", std::to_string(800 * mib), 100 * mib, 0);
  group(1, "sys/fs/cgroup/memory/inner", std::to_string(90 * mib), 10 * mib, 0);
  EXPECT_EQ(available(), 80 * mib);
  for (const std::string own : {"0::/\n", "0::/../../slice\n", ""}) {
    mounted(second_version);
    write("proc/self/cgroup", own);
    group(2, "sys/fs/cgroup", std::to_string(700 * mib), 100 * mib, 0);
    EXPECT_EQ(available(), 600 * mib) << own;
  }
}

TEST_F(AvailableMemory, DamagedFilesAreNoLimit) {
  mounted("nonsense\n\n1 2 3\n" + second_version);
  for (const std::string own : {"0::/a", "x", "0:", "::\n::/a\n"}) {
    write("proc/self/cgroup", own);
    write("sys/fs/cgroup/a/memory.max", "none of it\n");
    write("sys/fs/cgroup/memory.max", "");
    EXPECT_EQ(available(), Index{8192000} * 1024) << own;
  }
}

// A limit of the process itself, for as long as it is asked about.
TEST_F(AvailableMemory, OfTheProcess) {
  for (const auto kind : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit before{};
    ASSERT_EQ(getrlimit(kind, &before), 0);
    Index all = 0, data = 0, skipped = 0;
    std::ifstream("/proc/self/statm") >> all >> skipped >> skipped >> skipped >> skipped >> data;
    const Index used = (kind == RLIMIT_AS ? all : data) * sysconf(_SC_PAGESIZE);
    const rlimit limit{static_cast<rlim_t>(used + 300 * mib), before.rlim_max};
    ASSERT_EQ(setrlimit(kind, &limit), 0);
    const freeridge::AvailableMemory found = available_memory();
    const bool limited = freeridge::address_space_is_limited();
    ASSERT_EQ(setrlimit(kind, &before), 0);
    EXPECT_GT(found.bytes, 290 * mib);
    EXPECT_LE(found.bytes, 300 * mib);
    EXPECT_NE(found.bound.find("ulimit"), found.bound.npos) << found.bound;
    EXPECT_TRUE(limited);
  }
}

}  // namespace
