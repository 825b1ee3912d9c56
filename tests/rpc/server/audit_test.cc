// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/audit.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <vector>

namespace hilo::rpc {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string fresh_path(const std::string& name) {
  std::string path = testing::TempDir() + name;
  for (const char* const age : {"", ".1", ".2", ".3"}) ::unlink((path + age).c_str());
  return path;
}

TEST(AuditLine, IsJsonWithWhatThereIs) {
  EXPECT_EQ(audit_line({.event = "refused", .peer = "ipv4:127.0.0.1:5", .cause = "the token is \"wrong\""}, 1001, 0),
            R"({"time": "1970-01-01T00:00:01.001Z", "event": "refused", "peer": "ipv4:127.0.0.1:5", )"
            R"("cause": "the token is \"wrong\""})");
  EXPECT_EQ(audit_line({.event = "opened", .token = "alice", .session = 3}, 0, 12),
            R"({"time": "1970-01-01T00:00:00.000Z", "event": "opened", "token": "alice", "session": 3, "lost": 12})");
}

TEST(AuditLine, FitsIntoAPipeAtOnceWhateverTheTexts) {
  for (const char byte : {'\x01', '"', '\xff', '\n'}) {
    const std::string text(10000, byte);
    const std::string line =
        audit_line({.event = "closed", .peer = text, .token = text, .session = 1, .cause = text}, 0, 1);
    EXPECT_LT(line.size(), 4096u);
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(Audit, WithoutAFileThereIsNone) { EXPECT_EQ(*Audit::open({}), nullptr); }

TEST(Audit, WritesALineForEachEventToAFileOfThisUserAlone) {
  const std::string path = fresh_path("hilo_audit");
  {
    const auto audit = *Audit::open({.to = path});
    for (int i = 1; i <= 100; ++i) audit->record({.event = "opened", .session = i});
  }
  const std::vector<std::string> lines = lines_of(path);
  ASSERT_EQ(lines.size(), 100u);
  EXPECT_NE(lines[99].find("\"session\": 100}"), std::string::npos) << lines[99];
  struct stat about{};
  ASSERT_EQ(::stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST(Audit, RotatesAFileAtItsSizeAndKeepsSoManyOldOnes) {
  const std::string path = fresh_path("hilo_audit_rotated");
  {
    const auto audit = *Audit::open({.to = path, .file_bytes = 1000, .old_files = 2});
    for (int i = 1; i <= 100; ++i) audit->record({.event = "opened", .session = i});
  }
  size_t last = 100;
  for (const char* const age : {"", ".1", ".2"}) {
    const std::vector<std::string> lines = lines_of(path + age);
    ASSERT_FALSE(lines.empty()) << age;
    EXPECT_NE(lines.back().find("\"session\": " + std::to_string(last) + "}"), std::string::npos) << lines.back();
    last -= lines.size();
    struct stat about{};
    ASSERT_EQ(::stat((path + age).c_str(), &about), 0);
    EXPECT_LE(about.st_size, 1000);
  }
  EXPECT_NE(::access((path + ".3").c_str(), F_OK), 0);
}

TEST(Audit, AFileThatCannotBeOpenedIsAnError) {
  EXPECT_EQ(Audit::open({.to = testing::TempDir() + "hilo_no_folder/audit"}).status().code(), StatusCode::kNotFound);
  const std::string path = fresh_path("hilo_audit_link");
  ASSERT_EQ(::symlink("/etc/passwd", path.c_str()), 0);
  EXPECT_FALSE(Audit::open({.to = path}).ok());
  ::unlink(path.c_str());
}

/// Redirects stderr to a pipe without a reader during its lifetime.
class StuckStderr {
 public:
  StuckStderr() : stderr_(::dup(STDERR_FILENO)) {
    EXPECT_EQ(::pipe2(pipe_, O_CLOEXEC), 0);
    ::dup2(pipe_[1], STDERR_FILENO);
    ::close(pipe_[1]);
  }
  ~StuckStderr() {
    ::dup2(stderr_, STDERR_FILENO);
    ::close(stderr_);
    ::close(pipe_[0]);
  }
  int reader() const { return pipe_[0]; }

 private:
  const int stderr_;
  int pipe_[2] = {};
};

TEST(Audit, AReaderThatIsStuckHoldsUpNobodyAndLosesLinesThatAreCounted) {
  const StuckStderr stuck;
  const auto audit = *Audit::open({.to = "stderr"});
  for (int i = 1; i <= 20000; ++i)
    audit->record({.event = "refused", .cause = "more than the pipe and the queue hold"});
  std::string text;
  while (text.find("\"lost\"") == std::string::npos) {
    char some[4096];
    const ssize_t got = ::read(stuck.reader(), some, sizeof(some));
    ASSERT_GT(got, 0);
    text.append(some, static_cast<size_t>(got));
    audit->record({.event = "refused"});  // once there is room, the log reports the number of lost lines
  }
}

TEST(Audit, EndsThoughNobodyReads) {
  const StuckStderr stuck;
  const auto audit = *Audit::open({.to = "stderr"});
  for (int i = 1; i <= 5000; ++i)
    audit->record({.event = "opened", .cause = "more than the pipe holds, for sure it is"});
}

TEST(Audit, StrangersDoNotPushOutLinesAboutSessions) {
  const StuckStderr stuck;
  std::string text;
  {
    const auto audit = *Audit::open({.to = "stderr"});
    for (int i = 1; i <= 20000; ++i) audit->record({.event = "refused", .cause = std::string(200, 'x')});
    for (int i = 1; i <= 1000; ++i) audit->record({.event = "opened", .session = i});
    while (text.find("\"session\": 1000") == std::string::npos) {
      char some[4096];
      const ssize_t got = ::read(stuck.reader(), some, sizeof(some));
      ASSERT_GT(got, 0);
      text.append(some, static_cast<size_t>(got));
    }
  }
  EXPECT_EQ(std::ranges::count(text, 'o') > 1000, true);
}

/// Limits the file size, like a full disk, in a separate process.
TEST(Audit, AFullDiskLeavesNoHalfLines) {
  const std::string path = fresh_path("hilo_audit_full");
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit few{.rlim_cur = 1050, .rlim_max = 1050};
    ::setrlimit(RLIMIT_FSIZE, &few);
    {
      const auto audit = *Audit::open({.to = path});
      for (int i = 1; i <= 100; ++i) audit->record({.event = "opened", .session = i});
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const std::vector<std::string> lines = lines_of(path);
  EXPECT_GT(lines.size(), 10u);
  for (const std::string& line : lines) EXPECT_EQ(line.back(), '}') << line;
}

}  // namespace
}  // namespace hilo::rpc
