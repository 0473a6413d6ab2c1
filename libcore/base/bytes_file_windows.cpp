// bytes_file.hpp on Windows: the same promises, but for owners and permissions, which the new file takes from its
// directory.
#ifdef _WIN32

#include "libcore/base/windows.hpp"

#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "libcore/base/aside_file.hpp"
#include "libcore/base/bytes_file.hpp"

namespace freeridge {
namespace {

constexpr std::size_t most_bytes = 1u << 30;  // of one call

[[noreturn]] void fail_with_last_error(const std::string& path) {
  fail(Status::io, path, ": ", std::system_category().message(static_cast<int>(GetLastError())));
}

class FileSink final : public ByteSink {
 public:
  FileSink(const std::string& path, int fd) : path_(path), fd_(fd) {}
  void put(Span<const unsigned char> bytes) override {
    while (!bytes.empty()) {
      const int written = _write(fd_, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), most_bytes)));
      if (written < 0) fail_with(path_, errno);
      bytes = bytes.subspan(written);
    }
  }

 private:
  const std::string& path_;
  int fd_;
};

// A new file beside the one that it will replace. The destructor deletes it unless it was renamed.
class AsideFile {
 public:
  explicit AsideFile(const std::string& path) : file_(make(path)) {}
  ~AsideFile() {
    file_.close();
    if (!name_.empty()) _unlink(name_.c_str());
  }
  AsideFile(const AsideFile&) = delete;
  AsideFile& operator=(const AsideFile&) = delete;

  Descriptor& file() { return file_; }
  void rename_to(const std::string& path) {
    if (!MoveFileExA(name_.c_str(), path.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
      fail_with_last_error(path);
    name_.clear();
  }

 private:
  int make(const std::string& path) {
    const std::size_t end = path.find_last_of("/\\:");
    const std::string directory = end == std::string::npos ? "" : path.substr(0, end + 1);
    return open_aside(directory, _getpid(), path, name_, [](const char* name) {
      return _open(name, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
    });
  }

  std::string name_;
  Descriptor file_;
};

}  // namespace

Descriptor::~Descriptor() {
  close();
}

int Descriptor::close() {
  const int fd = fd_;
  fd_ = -1;
  return fd >= 0 && _close(fd) != 0 ? errno : 0;
}

void write_file(const std::string& path, const std::function<void(ByteSink&)>& write) {
  struct _stat64 old;
  if (_stat64(path.c_str(), &old) == 0 && (old.st_mode & _S_IFDIR) != 0) fail_with(path, EISDIR);
  Descriptor there(_open(path.c_str(), _O_WRONLY | _O_BINARY | _O_NOINHERIT));
  if (there.get() < 0 && errno != ENOENT) fail_with(path, errno);  // it may not be written to
  const DWORD kind =
      there.get() < 0 ? DWORD{FILE_TYPE_DISK} : GetFileType(reinterpret_cast<HANDLE>(_get_osfhandle(there.get())));
  if (kind != FILE_TYPE_DISK && kind != FILE_TYPE_CHAR) fail(Status::io, path, ": it is neither a file nor a device");
  if (kind == FILE_TYPE_CHAR) {
    FileSink sink(path, there.get());
    return write(sink);
  }
  there.close();
  AsideFile aside(path);
  FileSink sink(path, aside.file().get());
  write(sink);
  if (_commit(aside.file().get()) != 0) fail_with(path, errno);
  if (const int error = aside.file().close(); error != 0) fail_with(path, error);
  aside.rename_to(path);
}

FileSource::FileSource(const std::string& path)
    : path_(path), file_(_open(path.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT)) {
  struct _stat64 info;
  if (_stat64(path.c_str(), &info) == 0 && (info.st_mode & _S_IFDIR) != 0) fail_with(path, EISDIR);
  if (file_.get() < 0 || _fstat64(file_.get(), &info) != 0) fail_with(path, errno);
  if ((info.st_mode & _S_IFREG) == 0) fail(Status::io, path, ": it is not a file");
  size_ = Index{info.st_size};
}

void FileSource::read(Index at, Span<unsigned char> out) const {
  void* const file = reinterpret_cast<void*>(_get_osfhandle(file_.get()));
  while (!out.empty()) {
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(at);
    place.OffsetHigh = static_cast<DWORD>(at >> 32);
    DWORD got = 0;
    if (!ReadFile(file, out.data(), static_cast<DWORD>(std::min(out.size(), most_bytes)), &got, &place) &&
        GetLastError() != ERROR_HANDLE_EOF)
      fail_with_last_error(path_);
    if (got == 0) fail(Status::corrupt, "the file has become shorter while it was read");
    at += Index{got};
    out = out.subspan(got);
  }
}

}  // namespace freeridge

#endif
