// Files for saved bytes. All failures of the system are IO, with the path and the system's own words. Paths are handed
// to the system as they are.
#pragma once

#include <functional>
#include <string>

#include "libcore/base/array.hpp"
#include "libcore/base/bytes.hpp"

namespace freeridge {

// An open file.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // Closes it now: errno when the system cannot, else 0.
  int close();

 private:
  int fd_;
};

// Writes a file such that `path` is at every moment the whole old file or the whole new one: into a new file in the
// same directory (".freeridge-<process>-<k>.tmp", which a crash may leave behind), then fsync, rename to `path`, and
// fsync of the directory. Any failure leaves the old file as it was.
//   - The new file gets the old one's permissions, and its owner where the system allows that.
//   - A symbolic link stays a link; the file that it leads to is replaced.
//   - A file that may not be written to is not replaced.
//   - A device is written to directly.
void write_file(const std::string& path, const std::function<void(ByteSink&)>& write);

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path);
  Index size() const override { return size_; }
  void read(Index at, Span<unsigned char> out) const override;

 private:
  std::string path_;
  Descriptor file_;
  Index size_ = 0;
};

}  // namespace freeridge
