#include "saved/system_calls.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstring>

Watch watch;

namespace {

// Whether that call is to fail; errno is set then.
bool fails(const char* name) {
  if (!watch.active) return false;
  ++watch.calls;
  if (std::strlen(watch.log) + std::strlen(name) + 2 < sizeof watch.log) {
    std::strcat(watch.log, name);
    std::strcat(watch.log, " ");
  }
  if (watch.calls == watch.kill_before) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  if (watch.calls != watch.fail_at && watch.calls != watch.fail_again) return false;
  errno = watch.error;
  return true;
}

// The same of a read or a write, which may also stutter; `size` becomes what is done of it.
bool fails(const char* name, std::size_t& size) {
  if (fails(name)) return true;
  if (!watch.active || !watch.stutter) return false;
  if (watch.calls % 2 == 0) {
    errno = EINTR;
    return true;
  }
  size = size > 5 ? size / 3 : size;
  return false;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return fails("open") ? -1 : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return fails("openat") ? -1 : static_cast<int>(syscall(SYS_openat, directory, path, flags, mode));
}

ssize_t write(int file, const void* bytes, size_t size) {
  return fails("write", size) ? -1 : syscall(SYS_write, file, bytes, size);
}

ssize_t pread(int file, void* bytes, size_t size, off_t at) {
  return fails("pread", size) ? -1 : syscall(SYS_pread64, file, bytes, size, at);
}

int fchmod(int file, mode_t mode) noexcept {
  return fails("fchmod") ? -1 : static_cast<int>(syscall(SYS_fchmod, file, mode));
}

int fchown(int file, uid_t owner, gid_t group) noexcept {
  return fails("fchown") ? -1 : static_cast<int>(syscall(SYS_fchown, file, owner, group));
}

int fsync(int file) {
  return fails("fsync") ? -1 : static_cast<int>(syscall(SYS_fsync, file));
}

// As the system's: the descriptor is gone, whatever the answer is.
int close(int file) {
  const bool failed = fails("close");
  const int error = errno, done = static_cast<int>(syscall(SYS_close, file));
  if (failed) errno = error;
  return failed ? -1 : done;
}

int renameat(int from, const char* old_name, int to, const char* new_name) noexcept {
  return fails("renameat") ? -1 : static_cast<int>(syscall(SYS_renameat2, from, old_name, to, new_name, 0));
}

int unlinkat(int directory, const char* name, int flags) noexcept {
  if (watch.active && watch.fail_unlink != 0) {
    errno = watch.fail_unlink;
    return -1;
  }
  return static_cast<int>(syscall(SYS_unlinkat, directory, name, flags));
}

}  // extern "C"

int open_descriptors() {
  int count = 0;
  for (int file = 0; file < 1000; ++file) count += fcntl(file, F_GETFD) >= 0 ? 1 : 0;
  return count;
}
