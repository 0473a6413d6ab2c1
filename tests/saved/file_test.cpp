// Files: what replaces what, permissions, links, and every failure of the system with its words; nothing is left behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstring>
#include <functional>
#include <thread>

#include "capi/support/refusals.hpp"
#include "capi/support/saved_calls.hpp"

namespace file_test {

using sample::State;
using support::Bytes;
using support::Directory;

Input<char> text_input(const std::string& path) {
  Input<char> out{{path.begin(), path.end()}};
  out.values.push_back('\0');
  return out;
}

freeridge_status save(const Model& model, const std::string& path) {
  return freeridge_save(model.get(), FREERIDGE_SAVE_MODEL, path.c_str());
}

// Both kinds of saving fail with the system's words for that error.
void expect_save_fails(const std::string& path, const std::string& words) {
  const Model model = sample::model(State::fitted);
  Save whole;
  whole.model = model.get();
  whole.path = text_input(path);
  expect_failure(whole, FREERIDGE_IO, {});
  EXPECT_NE(std::string(freeridge_last_error()).find(path + ": " + words), std::string::npos) << freeridge_last_error();
  SavePredictor predictor;
  predictor.model = model.get();
  predictor.path = text_input(path);
  expect_failure(predictor, FREERIDGE_IO, {});
  EXPECT_NE(std::string(freeridge_last_error()).find(path + ": " + words), std::string::npos) << freeridge_last_error();
}

void expect_load_fails(const std::string& path, freeridge_status status, const std::string& words) {
  Load call;
  call.path = text_input(path);
  expect_failure(call, status, {});
  EXPECT_NE(std::string(freeridge_last_error()).find(path + ": " + words), std::string::npos) << freeridge_last_error();
}

mode_t mode_of(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) throw std::runtime_error("no " + path);
  return info.st_mode;
}

// Runs it in a child process without the rights of an administrator; the failures of its expectations come back.
void without_rights(const std::function<void()>& body) {
  Documented::has("freeridge_save",
                  FREERIDGE_IO);  // reads the header, which may be where only an administrator may look
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) _exit(99);
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(SavedFile, HasTheBytesThatMemoryHas) {
  const Directory directory;
  const Model model = sample::model(State::fitted);
  ASSERT_EQ(save(model, directory / "model"), FREERIDGE_OK);
  ASSERT_EQ(freeridge_save(model.get(), FREERIDGE_SAVE_PREDICTOR, (directory / "predictor").c_str()), FREERIDGE_OK);
  EXPECT_EQ(support::file_bytes(directory / "model"), support::saved(model.get()));
  EXPECT_EQ(support::file_bytes(directory / "predictor"), support::saved_predictor(model.get()));
  EXPECT_EQ(directory.names(), (std::set<std::string>{"model", "predictor"}));
  const support::Handle copy = support::loaded_file(directory / "model");
  EXPECT_EQ(difference(fingerprint(model.get()), fingerprint(copy.get())), "");
  EXPECT_EQ(support::saved_predictor(support::loaded_file(directory / "predictor").get()),
            support::saved_predictor(model.get()));
}

// More than is read or written at once, several times; a size that is no multiple of it.
TEST(SavedFile, Large) {
  const Directory directory;
  constexpr int64_t n = 333;
  support::Matrix x(n, 2), y(n, 1);
  for (std::size_t k = 0; k < x.values.size(); ++k) x.values[k] = std::sin(1e3 * static_cast<double>(k));
  for (std::size_t k = 0; k < y.values.size(); ++k) y.values[k] = std::cos(1e3 * static_cast<double>(k));
  Model model(Kernel::gaussian(0.5));
  model.data(x, y).route(FREERIDGE_ROUTE_SPECTRAL).factorize().lambda(0.1);
  ASSERT_EQ(save(model, directory / "model"), FREERIDGE_OK);
  const Bytes bytes = support::file_bytes(directory / "model");
  EXPECT_GT(bytes.size(), 800000u);
  EXPECT_EQ(support::frame::with_checksum(bytes), bytes);
  EXPECT_EQ(support::saved(model.get()), bytes);
  EXPECT_EQ(support::saved(support::loaded_file(directory / "model").get()), bytes);
}

TEST(SavedFile, NewFilesHaveTheUsualPermissionsAndOldOnesKeepTheirs) {
  const Directory directory;
  const Model model = sample::model(State::fitted);
  const mode_t before = umask(027);
  ASSERT_EQ(save(model, directory / "new"), FREERIDGE_OK);
  support::write_bytes(directory / "old", {1, 2, 3});
  ASSERT_EQ(chmod((directory / "old").c_str(), 0604), 0);
  ASSERT_EQ(save(model, directory / "old"), FREERIDGE_OK);
  umask(before);
  EXPECT_EQ(mode_of(directory / "new") & 07777, 0640u);
  EXPECT_EQ(mode_of(directory / "old") & 07777, 0604u);
  EXPECT_EQ(support::file_bytes(directory / "old"), support::saved(model.get()));
}

// Who may give files away leaves them to whom they belonged.
TEST(SavedFile, OwnersKeepTheirFiles) {
  if (geteuid() != 0) GTEST_SKIP() << "only the administrator may give files away";
  const Directory directory;
  support::write_bytes(directory / "model", {1});
  ASSERT_EQ(chown((directory / "model").c_str(), 12345, 54321), 0);
  ASSERT_EQ(save(sample::model(State::fitted), directory / "model"), FREERIDGE_OK);
  struct stat info {};
  ASSERT_EQ(stat((directory / "model").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 12345u);
  EXPECT_EQ(info.st_gid, 54321u);
}

TEST(SavedFile, SymbolicLinksStay) {
  const Directory directory;
  const Model model = sample::model(State::fitted);
  ASSERT_EQ(mkdir((directory / "other").c_str(), 0700), 0);
  support::write_bytes(directory / "other/file", {1});
  ASSERT_EQ(symlink("other/file", (directory / "link").c_str()), 0);
  ASSERT_EQ(symlink("../link", (directory / "other/back").c_str()), 0);  // a link to a link, relative to its place
  ASSERT_EQ(symlink("other/none", (directory / "dangling").c_str()), 0);
  ASSERT_EQ(symlink((directory / "absolute").c_str(), (directory / "to_absolute").c_str()), 0);
  ASSERT_EQ(symlink("loop", (directory / "loop").c_str()), 0);
  const auto expect_saved_at = [&](const std::string& link, const std::string& file) {
    SCOPED_TRACE(link);
    ASSERT_EQ(save(model, directory / link), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_TRUE(S_ISLNK(mode_of(directory / link)));
    EXPECT_TRUE(S_ISREG(mode_of(directory / file)));
    EXPECT_EQ(support::file_bytes(directory / file), support::saved(model.get()));
    EXPECT_NE(support::loaded_file(directory / link), nullptr);
    unlink((directory / file).c_str());
  };
  expect_saved_at("link", "other/file");
  expect_saved_at("other/back", "other/file");
  expect_saved_at("dangling", "other/none");
  expect_saved_at("to_absolute", "absolute");
  expect_save_fails(directory / "loop", std::strerror(ELOOP));
  expect_load_fails(directory / "loop", FREERIDGE_IO, std::strerror(ELOOP));
  unlink((directory / "other/back").c_str());
  EXPECT_EQ(rmdir((directory / "other").c_str()), 0) << "something was left behind";
}

TEST(SavedFile, AnyNameThatTheSystemTakes) {
  const Directory directory;
  const Model model = sample::model(State::fitted);
  const std::vector<std::string> names = {
      "caf\xc3\xa9 \xe6\xa8\xa1\xe5\x9e\x8b", "\xff\xfe bytes", "-", " ", "new\nline", std::string(255, 'x')};
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    ASSERT_EQ(save(model, directory / name), FREERIDGE_OK) << freeridge_last_error();
    ASSERT_EQ(save(model, directory / name), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_EQ(support::saved(support::loaded_file(directory / name).get()), support::saved(model.get()));
  }
  EXPECT_EQ(directory.names(), std::set<std::string>(names.begin(), names.end()));
}

TEST(SavedFile, RelativePaths) {
  const Directory directory;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Model model = sample::model(State::fitted);
    if (chdir(directory.path().c_str()) != 0) _exit(2);
    _exit(save(model, "model") == FREERIDGE_OK && save(model, "./model") == FREERIDGE_OK ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(directory.names(), (std::set<std::string>{"model"}));
  EXPECT_NE(support::loaded_file(directory / "model"), nullptr);
}

// Files that an earlier process of the same number has left behind are not touched.
TEST(SavedFile, LeftOversAreNoObstacle) {
  const Directory directory;
  const std::string mine = ".freeridge-" + std::to_string(getpid());
  support::write_bytes(directory / (mine + "-0.tmp"), {1});
  ASSERT_EQ(symlink("nowhere", (directory / (mine + "-1.tmp")).c_str()), 0);
  ASSERT_EQ(save(sample::model(State::fitted), directory / "model"), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_EQ(directory.names(), (std::set<std::string>{"model", mine + "-0.tmp", mine + "-1.tmp"}));
  EXPECT_EQ(support::file_bytes(directory / (mine + "-0.tmp")), (Bytes{1}));
}

TEST(SavedFile, TheSystemRefuses) {
  const Directory directory;
  support::write_bytes(directory / "file", {1, 2});
  const std::string missing = directory / "none/model", below_file = directory / "file/model",
                    long_name = directory / std::string(256, 'x');
  expect_save_fails(missing, std::strerror(ENOENT));
  expect_save_fails(below_file, std::strerror(ENOTDIR));
  expect_save_fails(directory.path(), std::strerror(EISDIR));
  expect_save_fails(directory.path() + "/", std::strerror(EISDIR));
  expect_save_fails(directory / "none/", std::strerror(ENOENT));
  expect_save_fails(long_name, std::strerror(ENAMETOOLONG));
  expect_load_fails(missing, FREERIDGE_IO, std::strerror(ENOENT));
  expect_load_fails(below_file, FREERIDGE_IO, std::strerror(ENOTDIR));
  expect_load_fails(directory.path(), FREERIDGE_IO, std::strerror(EISDIR));
  expect_load_fails(long_name, FREERIDGE_IO, std::strerror(ENAMETOOLONG));
  EXPECT_EQ(directory.names(), (std::set<std::string>{"file"}));
  EXPECT_EQ(support::file_bytes(directory / "file"), (Bytes{1, 2}));
}

TEST(SavedFile, DevicesAndPipes) {
  expect_save_fails("/dev/full", std::strerror(ENOSPC));
  EXPECT_TRUE(S_ISCHR(mode_of("/dev/full")));
  EXPECT_EQ(save(sample::model(State::fitted), "/dev/null"), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_TRUE(S_ISCHR(mode_of("/dev/null")));
  expect_load_fails("/dev/null", FREERIDGE_IO, "");
  expect_load_fails("/dev/zero", FREERIDGE_IO, "");
  const Directory directory;
  ASSERT_EQ(mkfifo((directory / "pipe").c_str(), 0600), 0);
  expect_save_fails(directory / "pipe", "");  // nobody reads: it must not wait
  expect_load_fails(directory / "pipe", FREERIDGE_IO, "");
  EXPECT_TRUE(S_ISFIFO(mode_of(directory / "pipe")));
  EXPECT_EQ(directory.names(), (std::set<std::string>{"pipe"}));
}

TEST(SavedFile, NoPermission) {
  const Directory directory;
  ASSERT_EQ(chmod(directory.path().c_str(), 0777), 0);
  support::write_bytes(directory / "protected", {1, 2});
  ASSERT_EQ(chmod((directory / "protected").c_str(), 0444), 0);
  support::write_bytes(directory / "secret", {1, 2});
  ASSERT_EQ(chmod((directory / "secret").c_str(), 0), 0);
  without_rights([&] {
    expect_save_fails(directory / "protected", std::strerror(EACCES));
    expect_load_fails(directory / "secret", FREERIDGE_IO, std::strerror(EACCES));
  });
  ASSERT_EQ(chmod(directory.path().c_str(), 0555), 0);
  without_rights([&] { expect_save_fails(directory / "new", std::strerror(EACCES)); });
  EXPECT_EQ(support::file_bytes(directory / "protected"), (Bytes{1, 2}));
  EXPECT_EQ(directory.names(), (std::set<std::string>{"protected", "secret"}));
}

// The system takes no more after that many bytes, wherever in the file that is: the old file stays, nothing is left.
TEST(SavedFile, NoRoomForAllOfIt) {
  const Directory directory;
  const Model old = sample::model(State::data), model = sample::model(State::fitted);
  ASSERT_EQ(save(old, directory / "model"), FREERIDGE_OK);
  const rlim_t whole = support::saved(model.get()).size();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t room = 0; room <= whole; room += room + 64 < whole ? 61 : 1) {
      const rlimit limit{room, RLIM_INFINITY};
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
      const freeridge_status status = save(model, directory / "model");
      if (status != (room < whole ? FREERIDGE_IO : FREERIDGE_OK)) _exit(3);
      if (directory.names().size() != 1) _exit(4);
      if (room < whole && support::file_bytes(directory / "model") != support::saved(old.get())) _exit(5);
      if (room < whole && std::string(freeridge_last_error()).find(std::strerror(EFBIG)) == std::string::npos) _exit(6);
    }
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(support::file_bytes(directory / "model"), support::saved(model.get()));
}

TEST(SavedFile, DamagedFilesAreNamed) {
  const Directory directory;
  const std::string path = directory / "model";
  const Bytes bytes = support::saved(sample::model(State::fitted).get());
  const auto expect_refused_as = [&](const Bytes& content, freeridge_status status) {
    support::write_bytes(path, content);
    expect_load_fails(path, status, "");
    EXPECT_EQ(support::file_bytes(path), content);
  };
  expect_refused_as({}, FREERIDGE_CORRUPT);
  expect_refused_as({'P', 'K', 3, 4}, FREERIDGE_CORRUPT);
  Bytes changed = bytes;
  changed[100] ^= 4;
  expect_refused_as(changed, FREERIDGE_CORRUPT);
  changed = bytes;
  support::frame::put(changed, support::frame::version, 8);
  expect_refused_as(support::frame::with_checksum(changed), FREERIDGE_NEWER_FORMAT);
  for (std::size_t size = 0; size < bytes.size(); size += size < 100 ? 1 : 97)
    expect_refused_as(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)), FREERIDGE_CORRUPT);
}

// Threads that save over one file: always a whole one of theirs, and nothing left behind.
TEST(SavedFile, SavedByManyAtOnce) {
  const Directory directory;
  const std::string path = directory / "model";
  const Model first = sample::model(State::fitted), second = sample::model(State::data);
  const Bytes of_first = support::saved(first.get()), of_second = support::saved(second.get());
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      for (int i = 0; i < 25; ++i)
        if (save(k % 2 == 0 ? first : second, path) != FREERIDGE_OK) ++failures;
    });
  std::atomic<bool> done{false};
  int read = 0;
  std::thread reader([&] {
    while (!done) {
      freeridge_model* out = nullptr;
      const freeridge_status status = freeridge_load(path.c_str(), &out);
      if (status == FREERIDGE_OK) ++read;
      if (status != FREERIDGE_OK && status != FREERIDGE_IO) ++failures;  // IO: before there is a file
      freeridge_destroy(out);
    }
  });
  for (std::thread& thread : threads) thread.join();
  while (read == 0 && failures == 0) std::this_thread::yield();
  done = true;
  reader.join();
  EXPECT_EQ(failures, 0);
  const Bytes last = support::file_bytes(path);
  EXPECT_TRUE(last == of_first || last == of_second);
  EXPECT_EQ(directory.names(), (std::set<std::string>{"model"}));
}

// --- arguments ----------------------------------------------------------------------------------------------------

template <class Call>
void expect_lengths() {
  const Model model = sample::model(State::fitted);
  Call length_alone;
  length_alone.model = model.get();
  length_alone.size = 0;
  length_alone.bytes.null = true;
  ASSERT_EQ(length_alone(), FREERIDGE_OK);
  const int64_t needed = length_alone.length.values[0];
  for (const int64_t size : {int64_t{1}, needed - 1, int64_t{-1}, INT64_MIN}) {
    SCOPED_TRACE(size);
    Call call;
    call.model = model.get();
    call.size = size;
    EXPECT_EQ(call(), FREERIDGE_INVALID_ARGUMENT);
    expect_message(freeridge_last_error(), {"size", text_of(size), text_of(needed)});
    EXPECT_TRUE(call.bytes.untouched());
    EXPECT_EQ(call.length.values[0], needed);
  }
  for (const int64_t size : {needed, needed + 1}) {
    Call call;
    call.model = model.get();
    call.size = size;
    EXPECT_EQ(call(), FREERIDGE_OK);
    EXPECT_TRUE(call.bytes.untouched_from(static_cast<std::size_t>(needed)));
    EXPECT_EQ(call.length.values[0], needed);
  }
}

TEST(ContractSaved, Lengths) {
  expect_lengths<SaveToMemory>();
  expect_lengths<SavePredictorToMemory>();
}

}  // namespace file_test
