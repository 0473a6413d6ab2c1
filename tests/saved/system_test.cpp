// The system's calls, as saving and loading make them: their order, each of them failing in turn, and two of them, each
// of them the last one before the process is killed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "saved/old_and_new.hpp"
#include "saved/system_calls.hpp"

namespace {

using support::Bytes;

// The number of the first call of that name, from 1; 0 when there is none.
int number_of(const std::string& name, const std::string& log) {
  int number = 1;
  for (std::size_t at = 0; at < log.size(); at = log.find(' ', at) + 1, ++number)
    if (log.compare(at, name.size() + 1, name + " ") == 0) return number;
  return 0;
}

class SavedSystem : public OldAndNew {};

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

// Two of them fail: the second while the first is answered, or after it. Nothing is left, and the file is whole.
TEST_F(SavedSystem, EachPairOfCallsFails) {
  put_old();
  ASSERT_EQ(watched({}, [&] { return save(); }), FREERIDGE_OK);
  const int calls = watch.calls, files = open_descriptors();
  for (int first = 1; first <= calls; ++first)
    for (int again = first + 1; again <= calls + 1; ++again) {
      SCOPED_TRACE("calls " + std::to_string(first) + " and " + std::to_string(again));
      put_old();
      Watch failing;
      failing.fail_at = first;
      failing.fail_again = again;
      failing.error = EIO;
      const freeridge_status status = watched(failing, [&] { return save(); });
      const int renamed = number_of("renameat", watch.log);
      const bool is_new = renamed > 0 && renamed != first && renamed != again;
      EXPECT_EQ(support::file_bytes(path), is_new ? of_model : of_old) << watch.log;
      EXPECT_TRUE(status == FREERIDGE_IO || (status == FREERIDGE_OK && is_new)) << freeridge_status_name(status);
      if (status != FREERIDGE_OK) {
        EXPECT_EQ(std::string(freeridge_last_error()), "freeridge_save: " + path + ": " + std::strerror(EIO));
      }
      EXPECT_EQ(directory.names(), (std::set<std::string>{"model"}));
      EXPECT_EQ(open_descriptors(), files);
    }
}

// The disk is full, and what was begun cannot be removed: the first failure is the one that is told, the old file is
// whole, what stays is named as documented, and the next save passes by it.
TEST_F(SavedSystem, AndWhatWasBegunCannotBeRemoved) {
  put_old();
  ASSERT_EQ(watched({}, [&] { return save(); }), FREERIDGE_OK);
  const int write = number_of("write", watch.log);
  put_old();
  Watch failing;
  failing.fail_at = write;
  failing.error = ENOSPC;
  failing.fail_unlink = EACCES;
  EXPECT_EQ(watched(failing, [&] { return save(); }), FREERIDGE_IO);
  EXPECT_NE(std::string(freeridge_last_error()).find(std::strerror(ENOSPC)), std::string::npos)
      << freeridge_last_error();
  EXPECT_EQ(support::file_bytes(path), of_old);
  const std::set<std::string> left = directory.names();
  ASSERT_EQ(left.size(), 2u);
  EXPECT_TRUE(left.begin()->starts_with(".freeridge-") && left.begin()->ends_with(".tmp")) << *left.begin();
  ASSERT_EQ(save(), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_EQ(support::file_bytes(path), of_model);
  EXPECT_EQ(directory.names(), left);
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
