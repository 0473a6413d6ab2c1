// What the programs of this folder share: their arguments, data in files, a clock, memory, and how results are told.
//
// Arguments are name=value. Data are files of doubles in one folder, column-major, written by make_data: x (n x d), y
// (n) and lambdas. A result is a line "name value ...", which compare.py reads; names are listed there.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace bench {

[[noreturn]] inline void stop(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

class Arguments {
 public:
  Arguments(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      const std::size_t equals = argument.find('=');
      if (equals == std::string::npos) stop("not name=value: " + argument);
      values_[argument.substr(0, equals)] = argument.substr(equals + 1);
    }
  }
  bool has(const std::string& name) const { return values_.count(name) > 0; }
  std::string text(const std::string& name) const {
    if (!has(name)) stop("missing: " + name + "=");
    return values_.at(name);
  }
  std::string text(const std::string& name, const std::string& otherwise) const {
    return has(name) ? values_.at(name) : otherwise;
  }
  std::int64_t whole(const std::string& name) const { return std::stoll(text(name)); }
  std::int64_t whole(const std::string& name, std::int64_t otherwise) const {
    return has(name) ? whole(name) : otherwise;
  }
  double number(const std::string& name) const { return std::stod(text(name)); }

 private:
  std::map<std::string, std::string> values_;
};

inline std::vector<double> read_doubles(const std::string& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) stop("cannot read " + file);
  std::vector<double> values(static_cast<std::size_t>(stream.tellg()) / sizeof(double));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(double)));
  return values;
}

inline void write_doubles(const std::string& file, const std::vector<double>& values) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!stream.flush()) stop("cannot write " + file);
}

struct Data {
  std::int64_t n, d;
  std::vector<double> x, y, lambdas;
};

// The data in a folder whose name ends in <n>x<d>.
inline Data read_data(const std::string& folder) {
  const std::vector<double> y = read_doubles(folder + "/y");
  Data data{static_cast<std::int64_t>(y.size()), 0, read_doubles(folder + "/x"), y, read_doubles(folder + "/lambdas")};
  data.d = static_cast<std::int64_t>(data.x.size() / data.y.size());
  return data;
}

// Wall-clock seconds that action() takes.
template <class Action>
double seconds(const Action& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A line of /proc/self/status in bytes: VmRSS, what the process holds now; VmHWM, the most that it held.
inline std::int64_t status_bytes(const std::string& name) {
  std::ifstream stream("/proc/self/status");
  for (std::string line; std::getline(stream, line);)
    if (line.rfind(name + ":", 0) == 0) return 1024 * std::stoll(line.substr(name.size() + 1));
  return 0;
}

// Memory from here on: to be made when the data are there, and told at the end.
class Memory {
 public:
  Memory() {
    std::ofstream("/proc/self/clear_refs") << 5;  // VmHWM starts again from VmRSS
    at_start_ = status_bytes("VmRSS");
  }
  void tell() const {
    const std::int64_t peak = status_bytes("VmHWM");
    std::printf("peak %lld\nbeyond %lld\n", static_cast<long long>(peak), static_cast<long long>(peak - at_start_));
  }

 private:
  std::int64_t at_start_ = 0;
};

inline void tell_numbers(const std::string& name, const std::vector<double>& values) {
  std::printf("%s", name.c_str());
  for (const double value : values) std::printf(" %.17g", value);
  std::printf("\n");
}

inline void tell(const std::string& name, const std::string& value) {
  std::printf("%s %s\n", name.c_str(), value.c_str());
}

// The files of the BLAS and LAPACK that this process has loaded, links resolved.
inline void tell_blas() {
  std::set<std::string> files;
  std::ifstream stream("/proc/self/maps");
  for (std::string line; std::getline(stream, line);) {
    if (line.find('/') == std::string::npos) continue;
    const std::string path = line.substr(line.find('/')), file = path.substr(path.rfind('/'));
    for (const char* name : {"blas", "blis", "lapack.so", "mkl"})
      if (file.find(name) != std::string::npos) files.insert(path);
  }
  std::string all;
  for (const std::string& file : files) all += (all.empty() ? "" : " ") + file;
  tell("blas", all);
}

}  // namespace bench
