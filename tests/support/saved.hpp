// Saved models for C++ tests: bytes and files as values, the frame written down once more, and a directory that removes
// itself.
#pragma once

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/model.hpp"

namespace support {

using Bytes = std::vector<unsigned char>;

// --- the frame ----------------------------------------------------------------------------------------------------

namespace frame {

constexpr std::size_t version = 8, kind = 16, payload_length = 24, payload = 32, tail = 8;

inline void put(Bytes& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t k = 0; k < 8; ++k) bytes[at + k] = static_cast<unsigned char>(value >> (8 * k) & 0xff);
}

inline std::uint64_t get(const Bytes& bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t k = 0; k < 8; ++k) value |= static_cast<std::uint64_t>(bytes[at + k]) << (8 * k);
  return value;
}

// CRC-32C bit by bit.
inline std::uint32_t crc(const unsigned char* bytes, std::size_t size) {
  std::uint32_t value = 0xffffffffu;
  for (std::size_t k = 0; k < size; ++k) {
    value ^= bytes[k];
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? value >> 1 ^ 0x82f63b78u : value >> 1;
  }
  return value ^ 0xffffffffu;
}

inline Bytes with_checksum(Bytes bytes) {
  put(bytes, bytes.size() - tail, crc(bytes.data(), bytes.size() - tail));
  return bytes;
}

// The payload made that long: cut, or continued with zeros.
inline Bytes with_payload_length(Bytes bytes, std::size_t length) {
  bytes.resize(payload + length);
  bytes.resize(payload + length + tail);
  put(bytes, payload_length, length);
  return with_checksum(bytes);
}

}  // namespace frame

// --- saving and loading -------------------------------------------------------------------------------------------

template <class Call, class Saved>
Bytes saved_by(const Call& call, const Saved* handle, const char* name) {
  std::int64_t length = -1, again = -1;
  check(call(handle, 0, nullptr, &length), name);
  Bytes out(static_cast<std::size_t>(length));
  check(call(handle, length, out.data(), &again), name);
  if (again != length) throw std::logic_error(std::string(name) + ": two lengths");
  return out;
}

inline Bytes saved_model(const freeridge_model* model, freeridge_save_kind what) {
  const auto save = [what](const freeridge_model* it, std::int64_t size, void* bytes, std::int64_t* length) {
    return freeridge_save_to_memory(it, what, size, bytes, length);
  };
  return saved_by(save, model, "freeridge_save_to_memory");
}
inline Bytes saved(const freeridge_model* model) {
  return saved_model(model, FREERIDGE_SAVE_MODEL);
}
inline Bytes saved(const freeridge_accumulator* accumulator) {
  return saved_by(freeridge_accumulator_save_to_memory, accumulator, "freeridge_accumulator_save_to_memory");
}
inline Bytes saved(const freeridge_classifier* classifier) {
  return saved_by(freeridge_classifier_save_to_memory, classifier, "freeridge_classifier_save_to_memory");
}
inline Bytes saved_predictor(const freeridge_model* model) {
  return saved_model(model, FREERIDGE_SAVE_PREDICTOR);
}

struct DestroyModel {
  void operator()(freeridge_model* model) const { freeridge_destroy(model); }
};
using Handle = std::unique_ptr<freeridge_model, DestroyModel>;

// Loads a copy that ends where its memory ends; the copy is gone afterwards. NULL, and the status, on failure.
inline Handle loaded(const Bytes& bytes, freeridge_status* status = nullptr) {
  const std::unique_ptr<unsigned char[]> exact(new unsigned char[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  freeridge_model* out = nullptr;
  const freeridge_status answer =
      freeridge_load_from_memory(exact.get(), static_cast<std::int64_t>(bytes.size()), &out);
  if ((out != nullptr) != (answer == FREERIDGE_OK)) throw std::logic_error("a model with a failure, or none without");
  if (status == nullptr) check(answer, "freeridge_load_from_memory");
  if (status != nullptr) *status = answer;
  return Handle(out);
}

inline Handle loaded_file(const std::string& path) {
  freeridge_model* out = nullptr;
  check(freeridge_load(path.c_str(), &out), "freeridge_load");
  return Handle(out);
}

// --- files --------------------------------------------------------------------------------------------------------

inline Bytes file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) throw std::runtime_error("cannot read " + path);
  Bytes bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0).read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

inline void write_bytes(const std::string& path, const Bytes& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

class Directory {
 public:
  Directory() {
    const char* const base = std::getenv("TMPDIR");
    std::string name = std::string(base != nullptr ? base : "/tmp") + "/freeridge-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~Directory() {
    chmod(path_.c_str(), 0700);
    for (const std::string& name : names()) {
      const std::string path = path_ + "/" + name;
      if (unlink(path.c_str()) != 0) rmdir(path.c_str());
    }
    rmdir(path_.c_str());
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::set<std::string> names() const {
    std::set<std::string> out;
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path_.c_str()), closedir);
    while (const dirent* entry = readdir(directory.get()))
      if (std::string(entry->d_name) != "." && std::string(entry->d_name) != "..") out.insert(entry->d_name);
    return out;
  }

 private:
  std::string path_;
};

}  // namespace support
