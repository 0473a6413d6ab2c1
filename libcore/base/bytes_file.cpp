#ifndef _WIN32  // bytes_file_windows.cpp

#include "libcore/base/bytes_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

#include "libcore/base/aside_file.hpp"

namespace freeridge {
namespace {

constexpr int most_links = 40;  // followed one after another, as by the system

// Makes a system call again when a signal interrupted it.
template <class Call>
auto uninterrupted(const Call& call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

int open_file(const std::string& path, int flags) {
  return uninterrupted([&] { return open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY); });
}

class FileSink final : public ByteSink {
 public:
  FileSink(const std::string& path, int fd) : path_(path), fd_(fd) {}
  void put(Span<const unsigned char> bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = uninterrupted([&] { return write(fd_, bytes.data(), bytes.size()); });
      if (written < 0) fail_with(path_, errno);
      bytes = bytes.subspan(written);
    }
  }

 private:
  const std::string& path_;
  int fd_;
};

// Asks the system to write the file to the disk (fsync). Some kinds of files cannot, which is no error.
void sync_file(const std::string& path, int fd, bool regular) {
  if (uninterrupted([&] { return fsync(fd); }) == 0) return;
  if (!regular && (errno == EINVAL || errno == ENOTSUP || errno == EROFS)) return;
  fail_with(path, errno);
}

void close_file(const std::string& path, Descriptor& file) {
  if (const int error = file.close(); error != 0) fail_with(path, error);
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// The path that a symbolic link leads to in the end, or `path` itself when it is no link. The file need not exist.
std::string without_links(const std::string& path) {
  std::string at = path;
  for (int links = 0; links <= most_links; ++links) {
    struct stat info;
    if (lstat(at.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return at;
    std::array<char, PATH_MAX> target;
    const ssize_t length = readlink(at.c_str(), target.data(), target.size());
    if (length < 0) fail_with(path, errno);
    const std::string next(target.data(), static_cast<std::size_t>(length));
    at = next.starts_with('/') ? next : directory_of(at) + "/" + next;
  }
  fail_with(path, ELOOP);
}

// A new file beside the one that it will replace. The destructor deletes it unless it was renamed.
class AsideFile {
 public:
  AsideFile(const std::string& path, int directory, mode_t mode) : directory_(directory), file_(make(path, mode)) {}
  ~AsideFile() {
    if (!name_.empty()) unlinkat(directory_, name_.c_str(), 0);
  }
  AsideFile(const AsideFile&) = delete;
  AsideFile& operator=(const AsideFile&) = delete;

  Descriptor& file() { return file_; }
  void rename_to(const std::string& path, const std::string& name) {
    if (renameat(directory_, name_.c_str(), directory_, name.c_str()) != 0) fail_with(path, errno);
    name_.clear();
  }

 private:
  int make(const std::string& path, mode_t mode) {
    return open_aside("", getpid(), path, name_, [&](const char* name) {
      return uninterrupted(
          [&] { return openat(directory_, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode); });
    });
  }

  int directory_;
  std::string name_;
  Descriptor file_;
};

// Gives the new file the owner, the group and the permissions of the file that it replaces. Where the process may not
// change the owner, the new file belongs to the process, and the set-user-ID and set-group-ID bits are cleared.
void take_over(const std::string& path, int fd, const struct stat& old) {
  constexpr uid_t unchanged = static_cast<uid_t>(-1);
  const bool same = fchown(fd, old.st_uid, old.st_gid) == 0;
  if (!same && fchown(fd, unchanged, old.st_gid) != 0 && errno != EPERM) fail_with(path, errno);
  if (fchmod(fd, old.st_mode & (same ? 07777 : 0777)) != 0) fail_with(path, errno);
}

void write_device(const std::string& path, const std::function<void(ByteSink&)>& write) {
  Descriptor file(open_file(path, O_WRONLY));
  if (file.get() < 0) fail_with(path, errno);
  FileSink sink(path, file.get());
  write(sink);
  sync_file(path, file.get(), false);
  close_file(path, file);
}

}  // namespace

Descriptor::~Descriptor() {
  close();
}

int Descriptor::close() {
  const int fd = fd_;
  fd_ = -1;
  return fd >= 0 && ::close(fd) != 0 && errno != EINTR ? errno : 0;
}

void write_file(const std::string& path, const std::function<void(ByteSink&)>& write) {
  struct stat old;
  const bool exists = stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) fail_with(path, errno);
  if (exists && S_ISDIR(old.st_mode)) fail_with(path, EISDIR);
  if (exists && (S_ISCHR(old.st_mode) || S_ISBLK(old.st_mode))) return write_device(path, write);
  if (exists && !S_ISREG(old.st_mode)) fail(Status::io, path, ": it is neither a file nor a device");
  if (exists && faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail_with(path, errno);

  const std::string target = without_links(path);
  const Descriptor directory(open_file(directory_of(target), O_RDONLY | O_DIRECTORY));
  if (directory.get() < 0) fail_with(path, errno);
  AsideFile aside(path, directory.get(), exists ? 0600 : 0666);
  FileSink sink(path, aside.file().get());
  write(sink);
  if (exists) take_over(path, aside.file().get(), old);
  sync_file(path, aside.file().get(), true);
  close_file(path, aside.file());
  aside.rename_to(path, target.substr(target.rfind('/') + 1));  // npos + 1 is 0
  sync_file(path, directory.get(), false);
}

FileSource::FileSource(const std::string& path) : path_(path), file_(open_file(path, O_RDONLY | O_NONBLOCK)) {
  struct stat info;
  if (file_.get() < 0 || fstat(file_.get(), &info) != 0) fail_with(path, errno);
  if (S_ISDIR(info.st_mode)) fail_with(path, EISDIR);
  if (!S_ISREG(info.st_mode)) fail(Status::io, path, ": it is not a file");
  size_ = Index{info.st_size};
}

void FileSource::read(Index at, Span<unsigned char> out) const {
  while (!out.empty()) {
    const ssize_t got = uninterrupted([&] { return pread(file_.get(), out.data(), out.size(), off_t{at}); });
    if (got < 0) fail_with(path_, errno);
    if (got == 0) fail(Status::corrupt, "the file has become shorter while it was read");
    at += Index{got};
    out = out.subspan(got);
  }
}

}  // namespace freeridge

#endif
