// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hilo {
namespace {

using Messages = std::vector<std::pair<LogLevel, std::string>>;

// Collects messages at one level, and restores the log.
class Log : public ::testing::Test {
 protected:
  Log() : before_(log_level()) {
    set_log_sink([this](LogLevel level, std::string_view text) { messages_.emplace_back(level, text); });
  }
  ~Log() override {
    set_log_sink({});
    set_log_level(before_);
  }
  Messages messages_;
  LogLevel before_;
};

TEST_F(Log, ShowsItsLevelAndGraverOnes) {
  set_log_level(LogLevel::kWarning);
  log_error("e {}", 1);
  log_warning("w {}", 2);
  log_info("i {}", 3);
  log_debug("d {}", 4);
  EXPECT_EQ(messages_, (Messages{{LogLevel::kError, "e 1"}, {LogLevel::kWarning, "w 2"}}));
}

TEST_F(Log, ShowsAllAtDebug) {
  set_log_level(LogLevel::kDebug);
  log_error("e");
  log_warning("w");
  log_info("i");
  log_debug("d");
  EXPECT_EQ(messages_.size(), 4u);
}

TEST_F(Log, ShowsNothingAtOff) {
  set_log_level(LogLevel::kOff);
  log_error("e");
  log_text(LogLevel::kOff, "o");
  EXPECT_TRUE(messages_.empty());
}

TEST_F(Log, WarnsOncePerKey) {
  set_log_level(LogLevel::kWarning);
  for (int i = 0; i < 3; ++i) log_warning_once("log_test.key", "{}", i);
  log_warning_once("log_test.other", "other");
  EXPECT_EQ(messages_, (Messages{{LogLevel::kWarning, "0"}, {LogLevel::kWarning, "other"}}));
}

TEST_F(Log, HiddenWarningDoesNotUseUpItsKey) {
  set_log_level(LogLevel::kError);
  log_warning_once("log_test.hidden", "x");
  set_log_level(LogLevel::kWarning);
  log_warning_once("log_test.hidden", "x");
  EXPECT_EQ(messages_.size(), 1u);
}

TEST_F(Log, SinkMayLogAndThrow) {
  set_log_level(LogLevel::kWarning);
  int calls = 0;
  set_log_sink([&calls](LogLevel, std::string_view text) {
    ++calls;
    if (text == "outer") log_warning("inner");
    throw std::runtime_error("a user's sink");
  });
  EXPECT_NO_THROW(log_warning("outer"));
  EXPECT_EQ(calls, 2);
}

TEST_F(Log, StderrLineNamesTheLevel) {
  set_log_level(LogLevel::kWarning);
  set_log_sink({});
  ::testing::internal::CaptureStderr();
  log_warning("{} left", 3);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "hilo: warning: 3 left\n");
}

TEST_F(Log, StderrGetsNoControlCharactersOfNames) {
  set_log_level(LogLevel::kWarning);
  set_log_sink({});
  ::testing::internal::CaptureStderr();
  log_warning("module {}", "\x1b[2Jx");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "hilo: warning: module \\x1b[2Jx\n");
}

TEST(LogLevels, NamesRoundTripInAnyCase) {
  for (LogLevel level : {LogLevel::kOff, LogLevel::kError, LogLevel::kWarning, LogLevel::kInfo, LogLevel::kDebug}) {
    EXPECT_EQ(log_level_from_name(log_level_name(level)), level);
  }
  EXPECT_EQ(log_level_from_name("DEBUG"), LogLevel::kDebug);
  EXPECT_EQ(log_level_from_name("loud"), std::nullopt);
}

// The level is read once per process, so each case runs in a separate process.
void exit_saying_level() {
  const LogLevel level = log_level();
  std::fprintf(stderr, "level=%s\n", std::string(log_level_name(level)).c_str());
  std::exit(0);
}

TEST(LogLevels, ComeFromTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((::setenv("HILO_LOG", "info", 1), exit_saying_level()), ::testing::ExitedWithCode(0), "level=info");
}

TEST(LogLevels, DefaultToWarning) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((::unsetenv("HILO_LOG"), exit_saying_level()), ::testing::ExitedWithCode(0), "level=warning");
}

TEST(LogLevels, UnknownLevelIsReportedAndLeftAtWarning) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((::setenv("HILO_LOG", "loud", 1), exit_saying_level()), ::testing::ExitedWithCode(0),
              "hilo: warning: HILO_LOG: unknown level; got 'loud'; wanted one of off, error, warning, info, debug; "
              "using warning\nlevel=warning");
}

TEST(Colour, IsOffBecauseAPipeIsNoTerminal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_FALSE(may_colour(ends[1]));
  ::close(ends[0]);
  ::close(ends[1]);
}

// A pseudo-terminal, or -1.
int open_terminal() { return ::posix_openpt(O_RDWR | O_NOCTTY); }

TEST(Colour, IsOnForATerminalUnlessNoColorIsSet) {
  const int terminal = open_terminal();
  ASSERT_GE(terminal, 0);
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(may_colour(terminal));
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(may_colour(terminal));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(may_colour(terminal));
  ::unsetenv("NO_COLOR");
  ::close(terminal);
}

}  // namespace
}  // namespace hilo
