// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "tests/support/in_child.h"

namespace hilo {
namespace {

// A temporary folder for each test.
class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "hilo_files_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string at(const std::string& name) const { return directory_ + "/" + name; }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      result.push_back(entry.path().filename().string());
    }
    std::ranges::sort(result);
    return result;
  }
  std::string directory_;
};

TEST_F(Files, ReadsBackWhatWasWritten) {
  for (size_t size : {0u, 1u, 4095u, 4096u, 4097u, 100000u}) {
    std::string content(size, 'x');
    if (size > 2) content[1] = '\0';
    ASSERT_TRUE(write_file_atomic(at("a"), content).ok());
    StatusOr<std::string> back = read_file(at("a"));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, content);
  }
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(Files, ReadsFilesThatTellNoSize) {
  StatusOr<std::string> status = read_file("/proc/self/status");
  ASSERT_TRUE(status.ok());
  EXPECT_NE(status->find("Pid:"), std::string::npos);
}

TEST_F(Files, ReadFailsBecauseNothingIsThere) {
  EXPECT_EQ(read_file(at("none")).status().to_string(),
            "NOT_FOUND: opening " + at("none") + ": No such file or directory");
}

TEST_F(Files, ReadFailsBecauseItIsADirectory) {
  EXPECT_EQ(read_file(directory_).status().to_string(), "INVALID_ARGUMENT: opening " + directory_ + ": Is a directory");
}

TEST_F(Files, ReadFailsBecauseThePathHasANul) {
  EXPECT_EQ(read_file(std::string("a\0b", 3)).status().to_string(),
            "INVALID_ARGUMENT: 'a\\x00b': a path may not contain a NUL byte");
  EXPECT_EQ(write_file_atomic(std::string("a\0b", 3), "").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(make_directories(std::string("a\0b", 3)).code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(file_exists(std::string("/\0b", 3)));
}

TEST_F(Files, ReadFailsBecauseTheFileIsOverTheLimit) {
  ASSERT_TRUE(write_file_atomic(at("a"), "12345").ok());
  EXPECT_TRUE(read_file(at("a"), 5).ok());
  EXPECT_EQ(read_file(at("a"), 4).status().to_string(),
            "RESOURCE_EXHAUSTED: reading " + at("a") + ": more than 4 bytes; got 5");
}

TEST_F(Files, ReadStopsAtTheLimitOfAnEndlessFile) {
  EXPECT_EQ(read_file("/dev/zero", 10000).status().to_string(),
            "RESOURCE_EXHAUSTED: reading /dev/zero: more than 10000 bytes; got at least 10001");
}

TEST_F(Files, ReadStopsWhereTheFormatSaysThatAFileEnds) {
  std::vector<size_t> asked;
  const auto longest = [&](std::string_view beginning) -> StatusOr<int64_t> {
    asked.push_back(beginning.size());
    return asked.size() < 3 ? kDefaultFileLimit : 200000;
  };
  EXPECT_EQ(read_file("/dev/zero", longest).status().to_string(),
            "RESOURCE_EXHAUSTED: reading /dev/zero: more than 200000 bytes; got at least 262144");
  EXPECT_EQ(asked, (std::vector<size_t>{65536, 131072, 262144}));
}

TEST_F(Files, ReadStopsBecauseTheBeginningIsNoneOfTheFormat) {
  const auto refuse = [](std::string_view) -> StatusOr<int64_t> { return invalid_argument("no"); };
  EXPECT_EQ(read_file("/dev/zero", refuse).status().to_string(), "INVALID_ARGUMENT: no");
  // A sparse file uses no disk space.
  ASSERT_TRUE(write_file_atomic(at("a"), "x").ok());
  ASSERT_EQ(::truncate(at("a").c_str(), off_t{3} << 30), 0);
  EXPECT_EQ(read_file(at("a"), refuse).status().to_string(), "INVALID_ARGUMENT: no");
}

TEST_F(Files, ReadAsksNothingOfAShortFile) {
  ASSERT_TRUE(write_file_atomic(at("a"), "short").ok());
  EXPECT_EQ(*read_file(at("a"), [](std::string_view) -> StatusOr<int64_t> { return invalid_argument("no"); }), "short");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their operator new aborts
TEST_F(Files, ReadFailsBecauseMemoryRunsOut) {
  // A sparse file uses no disk space.
  ASSERT_TRUE(write_file_atomic(at("a"), "x").ok());
  ASSERT_EQ(::truncate(at("a").c_str(), off_t{1} << 42), 0);
  const Status status = read_file(at("a"), int64_t{1} << 43).status();
  EXPECT_EQ(status.to_string(), "RESOURCE_EXHAUSTED: reading " + at("a") + ": out of memory; wanted 4.00 TiB");
}
#endif

TEST_F(Files, WriteReplacesTheOldFile) {
  ASSERT_TRUE(write_file_atomic(at("a"), "old and longer").ok());
  ASSERT_TRUE(write_file_atomic(at("a"), "new").ok());
  EXPECT_EQ(*read_file(at("a")), "new");
}

TEST_F(Files, WriteObeysTheUmask) {
  const mode_t before = ::umask(027);
  ASSERT_TRUE(write_file_atomic(at("a"), "").ok());
  ::umask(before);
  struct stat about = {};
  ASSERT_EQ(::stat(at("a").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0640u);
}

TEST_F(Files, WriteTakesTheLongestNameThereIs) {
  EXPECT_TRUE(write_file_atomic(at(std::string(255, 'n')), "x").ok());
  const Status status = write_file_atomic(at(std::string(256, 'n')), "x");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(names(), std::vector<std::string>{std::string(255, 'n')});
}

TEST_F(Files, WriteFailsBecauseTheDirectoryIsMissing) {
  EXPECT_EQ(write_file_atomic(at("none/a"), "x").to_string(),
            "NOT_FOUND: writing " + at("none/a") + ": No such file or directory");
}

TEST_F(Files, WriteFailsBecauseADirectoryHasTheNameAndLeavesNothing) {
  ASSERT_TRUE(make_directories(at("d")).ok());
  EXPECT_EQ(write_file_atomic(at("d"), "x").to_string(), "INVALID_ARGUMENT: writing " + at("d") + ": Is a directory");
  EXPECT_EQ(names(), std::vector<std::string>{"d"});
}

TEST_F(Files, WriteThatFailsHalfWayLeavesTheOldFileAndNothingElse) {
  ASSERT_TRUE(write_file_atomic(at("a"), "old").ok());
  const std::string content(100000, 'x');
  const int result = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {5000, 5000};  // the maximum file size in bytes
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Status status = write_file_atomic(at("a"), content);
    const std::string wanted = "RESOURCE_EXHAUSTED: writing " + at("a") + ": File too large";
    return status.to_string() == wanted ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(*read_file(at("a")), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(Files, WriteBeyondTheLimitOfFileSizesEndsNoProcess) {
  // whether the caller's signal mask blocks SIGXFSZ; if not, no signal may be pending afterwards
  for (const bool held : {false, true}) {
    const int result = in_child([&] {
      sigset_t only, pending;
      sigemptyset(&only);
      sigaddset(&only, SIGXFSZ);
      ::pthread_sigmask(held ? SIG_BLOCK : SIG_UNBLOCK, &only, nullptr);
      const rlimit limit = {5000, 5000};  // the maximum file size in bytes
      ::setrlimit(RLIMIT_FSIZE, &limit);
      if (write_file_atomic(at("a"), std::string(100000, 'x')).code() != StatusCode::kResourceExhausted) return 1;
      if (write_new_file(at("b"), std::string(100000, 'x')).code() != StatusCode::kResourceExhausted) return 2;
      if (append_to_own_file(at("c"), std::string(100000, 'x')).code() != StatusCode::kResourceExhausted) return 3;
      ::sigpending(&pending);
      return !held && sigismember(&pending, SIGXFSZ) ? 4 : 0;
    });
    EXPECT_EQ(result, 0);
    EXPECT_EQ(names(), std::vector<std::string>{"c"});
  }
}

// ---- An existing file at the path.

struct stat about(const std::string& path) {
  struct stat found = {};
  EXPECT_EQ(::lstat(path.c_str(), &found), 0) << path;
  return found;
}

/// What a reader of the fifo receives while `write` runs.
std::string read_through(const std::string& fifo, const std::function<Status()>& write) {
  std::string got;
  std::thread reader([&] { got = *read_file(fifo); });
  const Status status = write();
  reader.join();
  EXPECT_TRUE(status.ok()) << status.to_string();
  return got;
}

TEST_F(Files, WritesToAFifoWhichStays) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("fifo", at("link").c_str()), 0);
  const std::string content(300000, 'x');  // exceeds the capacity of a pipe
  for (const std::string& path : {at("fifo"), at("link")}) {
    EXPECT_EQ(read_through(at("fifo"), [&] { return write_file_atomic(path, content); }), content);
    EXPECT_TRUE(S_ISFIFO(about(at("fifo")).st_mode));
    EXPECT_TRUE(S_ISLNK(about(at("link")).st_mode));
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"fifo", "link"}));
}

TEST_F(Files, AReaderThatGoesIsAnErrorAndNoSignal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const Status status = write_file_atomic("/dev/fd/" + std::to_string(ends[1]), "lost");
  EXPECT_NE(status.message().find("Broken pipe"), std::string::npos) << status.to_string();
  ::close(ends[1]);
}

TEST_F(Files, WritesToADeviceWhichStays) {
  const struct stat before = about("/dev/null");
  ASSERT_EQ(::symlink("/dev/null", at("link").c_str()), 0);
  for (const std::string& path : {std::string("/dev/null"), at("link")}) {
    ASSERT_TRUE(write_file_atomic(path, "gone").ok());
    EXPECT_TRUE(S_ISCHR(about("/dev/null").st_mode));
    EXPECT_EQ(about("/dev/null").st_ino, before.st_ino);
  }
  EXPECT_EQ(write_file_atomic("/dev/full", "x").code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(names(), std::vector<std::string>{"link"});
}

TEST_F(Files, WritesToATerminal) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  const std::string name = ::ptsname(terminal);
  const int keeps_it = ::open(name.c_str(), O_RDWR | O_NOCTTY);
  ASSERT_TRUE(write_file_atomic(name, "seen\n").ok());
  char seen[16];
  EXPECT_EQ(::read(terminal, seen, sizeof seen), 6);  // a terminal puts a carriage return before the line feed
  EXPECT_EQ(std::string(seen, 4), "seen");
  ::close(keeps_it);
  ::close(terminal);
}

TEST_F(Files, RefusesDirectoriesAndSockets) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  ASSERT_LT(at("socket").size(), sizeof address.sun_path);
  at("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  std::filesystem::create_directory(at("directory"));
  ASSERT_EQ(::symlink("socket", at("to_socket").c_str()), 0);
  ASSERT_EQ(::symlink("directory", at("to_directory").c_str()), 0);
  const std::vector<std::string> before = names();
  for (const char* name : {"socket", "to_socket"}) {
    const Status status = write_file_atomic(at(name), "x");
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("is a socket"), std::string::npos) << status.to_string();
  }
  for (const char* name : {"directory", "to_directory", "directory/", "none/"}) {
    const Status status = write_file_atomic(at(name), "x");
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << name;
    EXPECT_NE(status.message().find("Is a directory"), std::string::npos) << status.to_string();
  }
  EXPECT_EQ(names(), before);
  EXPECT_TRUE(S_ISSOCK(about(at("socket")).st_mode));
  ::close(socket);
}

TEST_F(Files, WritesWhereALinkLeads) {
  for (const char* name : {"a", "b", "a/deep"}) std::filesystem::create_directory(at(name));
  ASSERT_TRUE(write_file_atomic(at("b/target"), "old").ok());
  ASSERT_EQ(::symlink("../../b/target", at("a/deep/first").c_str()), 0);
  ASSERT_EQ(::symlink("a/deep/first", at("second").c_str()), 0);
  ASSERT_EQ(::symlink(at("second").c_str(), at("third").c_str()), 0);
  ASSERT_TRUE(write_file_atomic(at("third"), "new").ok());
  EXPECT_EQ(*read_file(at("b/target")), "new");
  for (const char* name : {"a/deep/first", "second", "third"}) EXPECT_TRUE(S_ISLNK(about(at(name)).st_mode)) << name;

  ASSERT_EQ(::symlink("b/new", at("dangling").c_str()), 0);
  ASSERT_TRUE(write_file_atomic(at("dangling"), "made").ok());
  EXPECT_EQ(*read_file(at("b/new")), "made");
  EXPECT_TRUE(S_ISLNK(about(at("dangling")).st_mode));
  ASSERT_EQ(::symlink("none/new", at("astray").c_str()), 0);
  EXPECT_EQ(write_file_atomic(at("astray"), "x").code(), StatusCode::kNotFound);

  ASSERT_EQ(::symlink("two", at("one").c_str()), 0);
  ASSERT_EQ(::symlink("one", at("two").c_str()), 0);
  const Status circle = write_file_atomic(at("one"), "x");
  EXPECT_EQ(circle.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(circle.message().find("Too many levels of symbolic links"), std::string::npos) << circle.to_string();
}

TEST_F(Files, WritesToWhatThisProcessHasOpen) {
  const int file = ::open(at("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ASSERT_EQ(::write(file, "first ", 6), 6);
  const std::string number = std::to_string(file);
  for (const std::string& path : {"/dev/fd/" + number, "/proc/self/fd/" + number, "/proc/thread-self/fd/" + number,
                                  "/proc/" + std::to_string(::getpid()) + "/fd/" + number})
    ASSERT_TRUE(write_file_atomic(path, "more ").ok()) << path;
  EXPECT_EQ(*read_file(at("log")), "first more more more more ");
  ASSERT_EQ(::symlink(("/dev/fd/" + number).c_str(), at("link").c_str()), 0);
  ASSERT_TRUE(write_file_atomic(at("link"), "last").ok());
  EXPECT_EQ(*read_file(at("log")), "first more more more more last");
  ::close(file);
  EXPECT_FALSE(write_file_atomic("/dev/fd/" + number, "x").ok());
  const int reads = ::open(at("log").c_str(), O_RDONLY);
  EXPECT_FALSE(write_file_atomic("/dev/fd/" + std::to_string(reads), "x").ok());
  ::close(reads);

  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);  // some programs pass a socket as stdout to their children
  ASSERT_TRUE(write_file_atomic("/dev/fd/" + std::to_string(ends[1]), "through").ok());
  char got[16];
  EXPECT_EQ(::read(ends[0], got, sizeof got), 7);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(Files, WritesAllToAPipeThatDoesNotWait) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  ASSERT_EQ(::fcntl(ends[0], F_SETFL, 0), 0);
  const std::string content(300000, 'y');
  std::string got;
  std::thread reader([&] { got = *read_file("/dev/fd/" + std::to_string(ends[0])); });
  EXPECT_TRUE(write_file_atomic("/dev/fd/" + std::to_string(ends[1]), content).ok());
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  EXPECT_EQ(got, content);
}

TEST_F(Files, KeepsModeAndOtherNames) {
  for (const mode_t mode : {0600u, 0640u, 0666u, 0755u}) {
    ASSERT_TRUE(write_file_atomic(at("a"), "old").ok());
    ASSERT_EQ(::chmod(at("a").c_str(), mode), 0);
    ASSERT_TRUE(write_file_atomic(at("a"), "new").ok());
    EXPECT_EQ(about(at("a")).st_mode & 07777, mode);
  }
  ASSERT_EQ(::link(at("a").c_str(), at("other").c_str()), 0);
  ASSERT_TRUE(write_file_atomic(at("a"), "newest").ok());
  EXPECT_EQ(*read_file(at("a")), "newest");
  EXPECT_EQ(*read_file(at("other")), "new");
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "other"}));
}

/// The other tests are about users without privileges. They run in a child that drops root's privileges, in `folder`,
/// whose parents the child may be unable to enter.
constexpr uid_t kNobody = 65534;
int as_nobody(const std::string& folder, const std::function<bool()>& holds) {
  return in_child([&] {
    if (::chdir(folder.c_str()) != 0) return 2;
    if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
      return 2;
    return holds() ? 0 : 1;
  });
}

TEST_F(Files, WhoMayNotWriteToAFileMayNotReplaceIt) {
  ASSERT_EQ(::chmod(directory_.c_str(), 0777), 0);
  ASSERT_TRUE(write_file_atomic(at("a"), "old").ok());
  ASSERT_EQ(::chmod(at("a").c_str(), 0444), 0);
  EXPECT_EQ(
      as_nobody(directory_, [&] { return write_file_atomic("a", "new").code() == StatusCode::kPermissionDenied; }), 0);
  EXPECT_EQ(*read_file(at("a")), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(Files, WritesInPlaceWhereTheFolderOrTheOwnerForbidsAnother) {
  ASSERT_TRUE(write_file_atomic(at("a"), "the old content, which is longer").ok());
  ASSERT_EQ(::chmod(at("a").c_str(), 0666), 0);
  const struct stat before = about(at("a"));
  ASSERT_EQ(::chmod(directory_.c_str(), 0555), 0);
  EXPECT_EQ(as_nobody(directory_, [&] { return write_file_atomic("a", "new").ok(); }), 0);
  EXPECT_EQ(*read_file(at("a")), "new");
  EXPECT_EQ(
      as_nobody(directory_, [&] { return write_file_atomic("none", "x").code() == StatusCode::kPermissionDenied; }), 0);
  ASSERT_EQ(::chmod(directory_.c_str(), 01777), 0);
  EXPECT_EQ(as_nobody(directory_, [&] { return write_file_atomic("a", "newer").ok(); }), 0);
  ASSERT_EQ(::chmod(directory_.c_str(), 0777), 0);
  EXPECT_EQ(as_nobody(directory_, [&] { return write_file_atomic("a", "newest").ok(); }), 0);
  EXPECT_EQ(*read_file(at("a")), "newest");
  EXPECT_EQ(about(at("a")).st_uid, before.st_uid);
  EXPECT_EQ(about(at("a")).st_gid, before.st_gid);
  EXPECT_EQ(about(at("a")).st_mode, before.st_mode);
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(Files, FollowsNoLinkOfAnotherUserInAFolderOfAll) {
  if (::geteuid() != 0) return;  // only root can create links owned by another user
  ASSERT_EQ(::chmod(directory_.c_str(), 01777), 0);
  ASSERT_TRUE(write_file_atomic(at("victim"), "safe").ok());
  for (const auto& [name, target] : {std::pair("there", "victim"), std::pair("not_there", "none")}) {
    ASSERT_EQ(::symlink(target, at(name).c_str()), 0);
    ASSERT_EQ(::lchown(at(name).c_str(), kNobody, kNobody), 0);
    EXPECT_EQ(write_file_atomic(at(name), "x").code(), StatusCode::kPermissionDenied) << name;
  }
  EXPECT_EQ(*read_file(at("victim")), "safe");
  EXPECT_FALSE(file_exists(at("none")));
}

TEST_F(Files, AppendsToAFileOfOnesOwn) {
  ASSERT_TRUE(append_to_own_file(at("a"), "one\n").ok());
  ASSERT_TRUE(append_to_own_file(at("a"), "two\n").ok());
  EXPECT_EQ(*read_file(at("a")), "one\ntwo\n");
}

TEST_F(Files, AppendsToNothingThatSomebodyElsePutThere) {
  ASSERT_TRUE(write_file_atomic(at("victim"), "old").ok());
  ASSERT_EQ(::symlink(at("victim").c_str(), at("link").c_str()), 0);
  EXPECT_FALSE(append_to_own_file(at("link"), "x").ok());
  ASSERT_EQ(::link(at("victim").c_str(), at("second_name").c_str()), 0);
  EXPECT_EQ(
      append_to_own_file(at("second_name"), "x").to_string(),
      "ALREADY_EXISTS: writing " + at("second_name") + ": it already exists and is not a private file of this user");
  EXPECT_EQ(*read_file(at("victim")), "old");
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(append_to_own_file(at("pipe"), "x").ok());
  const int reader = ::open(at("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(append_to_own_file(at("pipe"), "x").code(), StatusCode::kAlreadyExists);
  ::close(reader);
  ASSERT_TRUE(write_file_atomic(at("shared"), "old").ok());
  ASSERT_EQ(::chmod(at("shared").c_str(), 0666), 0);
  EXPECT_EQ(append_to_own_file(at("shared"), "x").code(), StatusCode::kAlreadyExists);
}

TEST_F(Files, ReaderSeesOneWholeFileOrTheOther) {
  const std::string first(50000, '1'), second(70000, '2');
  ASSERT_TRUE(write_file_atomic(at("a"), first).ok());
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(write_file_atomic(at("a"), i % 2 == 0 ? second : first).ok());
  });
  for (int i = 0; i < 200; ++i) {
    const StatusOr<std::string> seen = read_file(at("a"));
    EXPECT_TRUE(seen.ok() && (*seen == first || *seen == second));
  }
  writer.join();
}

TEST_F(Files, MakesDirectoriesWithTheirParents) {
  ASSERT_TRUE(make_directories(at("x/y//z/")).ok());
  EXPECT_TRUE(file_exists(at("x/y/z")));
  EXPECT_TRUE(make_directories(at("x/y/z")).ok());
  EXPECT_TRUE(make_directories("/").ok());
  EXPECT_TRUE(make_directories(".").ok());
}

TEST_F(Files, MakeDirectoriesFailsBecauseAFileIsInTheWay) {
  ASSERT_TRUE(write_file_atomic(at("f"), "").ok());
  EXPECT_EQ(make_directories(at("f/g")).to_string(),
            "INVALID_ARGUMENT: making directory " + at("f/g") + ": " + at("f") + ": Not a directory");
  EXPECT_EQ(make_directories("").code(), StatusCode::kNotFound);
}

TEST_F(Files, MakeDirectoriesFailsBecauseTheSystemRefuses) {
  EXPECT_EQ(make_directories("/proc/hilo").to_string(),
            "NOT_FOUND: making directory /proc/hilo: No such file or directory");
}

TEST(ErrnoStatus, MapsToTheCodeThatFits) {
  EXPECT_EQ(errno_status(EACCES, "w").to_string(), "PERMISSION_DENIED: w: Permission denied");
  EXPECT_EQ(errno_status(ENOSPC, "w").to_string(), "RESOURCE_EXHAUSTED: w: No space left on device");
  EXPECT_EQ(errno_status(EEXIST, "w").to_string(), "ALREADY_EXISTS: w: File exists");
  EXPECT_EQ(errno_status(EIO, "w").to_string(), "DATA_LOSS: w: Input/output error");
  EXPECT_EQ(errno_status(ENOSYS, "w").to_string(), "UNKNOWN: w: Function not implemented");
}

TEST(FileStem, KeepsPlainNames) {
  EXPECT_EQ(file_stem("train_step.v2-x"), "train_step.v2-x");
  EXPECT_EQ(file_stem(std::string(80, 'a')), std::string(80, 'a'));
}

TEST(FileStem, TamesHostileNames) {
  for (std::string_view name : {std::string_view("../../etc/passwd"), std::string_view("/abs"),
                                std::string_view("a\0b", 3), std::string_view("%s"), std::string_view("a\nb"),
                                std::string_view(""), std::string_view(".."), std::string_view(".hidden")}) {
    const std::string stem = file_stem(name);
    EXPECT_EQ(stem.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."),
              std::string::npos);
    EXPECT_NE(stem.front(), '.');
    EXPECT_GT(stem.size(), 16u);
  }
  EXPECT_EQ(file_stem(std::string(4096, 'a')).size(), 80u);
}

TEST(FileStem, TellsChangedNamesApart) {
  EXPECT_NE(file_stem("a/b"), file_stem("a:b"));
  EXPECT_NE(file_stem(std::string(4096, 'a')), file_stem(std::string(4097, 'a')));
}

TEST_F(Files, NewFilesAppearOnlyWhereNothingIs) {
  ASSERT_TRUE(write_new_file(at("a"), "first").ok());
  EXPECT_EQ(write_new_file(at("a"), "second").code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(*read_file(at("a")), "first");
  ASSERT_EQ(::symlink(at("b").c_str(), at("link").c_str()), 0);
  EXPECT_EQ(write_new_file(at("link"), "x").code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "link"}));
}

}  // namespace
}  // namespace hilo
