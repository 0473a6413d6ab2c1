// A directory of its own for a trial that writes or reads a file.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "faults/trials.hpp"

namespace faults {

struct Directory {
  std::filesystem::path path;
  std::string file;  // a name in it

  Directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "freeridge-faults-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory to be had");
    path = pattern;
    file = (path / "saved").string();
  }
  Directory(const Directory&) = delete;
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  void write(const Bytes& bytes) const {
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  // Names and bytes of all files in it, which are gone afterwards.
  Bytes take() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    Bytes bytes;
    for (const auto& one : files) {
      const std::string name = one.filename().string();
      append(bytes, name.data(), name.size());
      std::ifstream in(one, std::ios::binary);
      bytes.insert(bytes.end(), std::istreambuf_iterator<char>(in), {});
      std::filesystem::remove(one);
    }
    return bytes;
  }
};

}  // namespace faults
