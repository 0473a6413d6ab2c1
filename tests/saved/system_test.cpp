// The system's calls, as saving and loading make them: their order, each of them failing in turn, each of them the last
// one before the process is killed. The functions below stand in front of those of the C library, in the shared library,
// too.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstring>

#include "capi/support/sample.hpp"
#include "support/saved.hpp"

namespace {

// What happens to the calls while it is active.
struct Watch {
  bool active = false;
  int calls = 0;
  char log[4096] = "";  // the names of the calls, each with a space behind it
  int fail_at = 0;      // the number of the call that fails, from 1
  int error = 0;
  int kill_before = 0;   // the number of the call that is never made
  bool stutter = false;  // every second read or write is interrupted, and the others do a part of what is asked
};
Watch watch;

// Whether that call is to fail; errno is set then.
bool fails(const char* name) {
  if (!watch.active) return false;
  ++watch.calls;
  if (std::strlen(watch.log) + std::strlen(name) + 2 < sizeof watch.log) {
    std::strcat(watch.log, name);
    std::strcat(watch.log, " ");
  }
  if (watch.calls == watch.kill_before) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  if (watch.calls != watch.fail_at) return false;
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

}  // extern "C"

namespace {

using sample::State;
using support::Bytes;
using support::Directory;

// `call` with the system's calls watched.
template <class Call>
freeridge_status watched(const Watch& wanted, const Call& call) {
  watch = wanted;
  watch.active = true;
  const freeridge_status status = call();
  watch.active = false;
  return status;
}

// The number of the first call of that name, from 1; 0 when there is none.
int number_of(const std::string& name, const std::string& log) {
  int number = 1;
  for (std::size_t at = 0; at < log.size(); at = log.find(' ', at) + 1, ++number)
    if (log.compare(at, name.size() + 1, name + " ") == 0) return number;
  return 0;
}

int open_descriptors() {
  int count = 0;
  for (int file = 0; file < 1000; ++file) count += fcntl(file, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

class SavedSystem : public testing::Test {
 protected:
  const Directory directory;
  const std::string path = directory / "model";
  const Model old = sample::model(State::data), model = sample::model(State::fitted);
  const Bytes of_old = support::saved(old.get()), of_model = support::saved(model.get());

  freeridge_status save() const { return freeridge_save(model.get(), path.c_str()); }
  void put_old() const { ASSERT_EQ(freeridge_save(old.get(), path.c_str()), FREERIDGE_OK) << freeridge_last_error(); }
};

TEST_F(SavedSystem, WrittenAsideSyncedRenamedSynced) {
  ASSERT_EQ(watched({}, [&] { return save(); }), FREERIDGE_OK);
  EXPECT_STREQ(watch.log, "open openat write write fsync close renameat fsync close ");
  ASSERT_EQ(watched({}, [&] { return save(); }), FREERIDGE_OK);
  EXPECT_STREQ(watch.log, "open openat write write fchown fchmod fsync close renameat fsync close ");
}

// A full disk, a broken one, a name that cannot be moved: whatever call it is that fails, and in whatever way.
TEST_F(SavedSystem, EachCallFails) {
  put_old();
  ASSERT_EQ(watched({}, [&] { return save(); }), FREERIDGE_OK);
  const int calls = watch.calls, files = open_descriptors(), owner = number_of("fchown", watch.log);
  ASSERT_GT(calls, 8);
  for (const int error : {EIO, ENOSPC, EDQUOT, EROFS})
    for (int call = 1; call <= calls; ++call) {
      SCOPED_TRACE(std::string(std::strerror(error)) + " at call " + std::to_string(call));
      put_old();
      Watch failing;
      failing.fail_at = call;
      failing.error = error;
      const freeridge_status status = watched(failing, [&] { return save(); });
      EXPECT_EQ(directory.names(), (std::set<std::string>{"model"}));
      EXPECT_EQ(open_descriptors(), files);
      const Bytes now = support::file_bytes(path);
      if (call >= calls - 1) {  // after the rename, a directory that cannot be synced (EROFS: has no need to) or closed
        EXPECT_EQ(status, call == calls || error == EROFS ? FREERIDGE_OK : FREERIDGE_IO);
        EXPECT_EQ(now, of_model);
        continue;
      }
      if (call == owner) {  // who may not give the file away keeps it
        EXPECT_EQ(status, FREERIDGE_OK);
        EXPECT_EQ(now, of_model);
        continue;
      }
      EXPECT_EQ(status, FREERIDGE_IO);
      EXPECT_EQ(now, of_old);
      EXPECT_NE(std::string(freeridge_last_error()).find(path + ": " + std::strerror(error)), std::string::npos)
          << freeridge_last_error();
    }
}

// Signals in between, and calls that do a part of what they are asked.
TEST_F(SavedSystem, InterruptedAndInParts) {
  Watch stuttering;
  stuttering.stutter = true;
  ASSERT_EQ(watched(stuttering, [&] { return save(); }), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_EQ(support::file_bytes(path), of_model);
  freeridge_model* out = nullptr;
  ASSERT_EQ(watched(stuttering, [&] { return freeridge_load(path.c_str(), &out); }), FREERIDGE_OK);
  EXPECT_EQ(support::saved(support::Handle(out).get()), of_model);
}

TEST_F(SavedSystem, EachCallOfLoadingFails) {
  ASSERT_EQ(save(), FREERIDGE_OK);
  freeridge_model* out = nullptr;
  ASSERT_EQ(watched({}, [&] { return freeridge_load(path.c_str(), &out); }), FREERIDGE_OK);
  freeridge_destroy(out);
  const int calls = watch.calls, files = open_descriptors();
  ASSERT_GT(calls, 4);
  for (int call = 1; call < calls; ++call) {  // the last one closes the file
    Watch failing;
    failing.fail_at = call;
    failing.error = EIO;
    out = nullptr;
    EXPECT_EQ(watched(failing, [&] { return freeridge_load(path.c_str(), &out); }), FREERIDGE_IO) << call;
    EXPECT_EQ(out, nullptr);
    EXPECT_EQ(open_descriptors(), files);
    EXPECT_NE(std::string(freeridge_last_error()).find(path + ": " + std::strerror(EIO)), std::string::npos)
        << freeridge_last_error();
  }
}

// Killed before each call in turn: the old file until the rename, the new one from then on, and both are whole.
TEST_F(SavedSystem, KilledBeforeEachCall) {
  put_old();
  ASSERT_EQ(watched({}, [&] { return save(); }), FREERIDGE_OK);
  const int calls = watch.calls;
  const int renamed = number_of("renameat", watch.log);
  ASSERT_GT(renamed, 0) << watch.log;
  for (int call = 1; call <= calls; ++call) {
    SCOPED_TRACE(call);
    put_old();
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Watch killing;
      killing.kill_before = call;
      watched(killing, [&] { return save(); });
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    EXPECT_EQ(support::file_bytes(path), call <= renamed ? of_old : of_model);
    EXPECT_NE(support::loaded_file(path), nullptr);
    for (const std::string& name : directory.names())
      if (name != "model") {
        EXPECT_TRUE(name.starts_with(".freeridge-") && name.ends_with(".tmp")) << name;
        unlink((directory / name).c_str());
      }
  }
}

}  // namespace
