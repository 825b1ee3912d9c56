// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/door.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace hilo::rpc {
namespace {

/// Stores the connections that the door forwards.
class TheDoor : public testing::Test {
 protected:
  void open(const DoorLimits& limits = {}) { ASSERT_TRUE(open_at("127.0.0.1:0", limits).ok()); }
  Status open_at(const std::string& listen, const DoorLimits& limits = {}, DoorRules rules = {}) {
    rules.told = [this](const AuditEvent& event) {
      const std::scoped_lock lock(mutex_);
      told_.push_back(fmt::format("{} {} {}", event.event, event.peer, event.cause));
      changed_.notify_all();
    };
    StatusOr<std::unique_ptr<Door>> made = Door::open(
        listen, limits,
        [this](OwnedFile file) {
          const std::scoped_lock lock(mutex_);
          taken_.push_back(std::move(file));
          changed_.notify_all();
        },
        std::move(rules));
    if (made.ok()) door_ = *std::move(made);
    return made.status();
  }
  /// Waits for a notification.
  void expect_told(const std::string& text) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return std::ranges::find(told_, text) != told_.end(); });
  }
  static OwnedFile connected_to(const std::string& path) {
    OwnedFile file(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (::connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) return OwnedFile();
    return file;
  }
  void wait_for(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return taken_.size() >= count; });
  }
  OwnedFile guest() const { return connected(door_->port()); }
  static OwnedFile connected(int port) {
    OwnedFile file(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    EXPECT_EQ(::connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    return file;
  }
  /// The peer in gRPC's format.
  static std::string peer(const OwnedFile& guest) {
    sockaddr_in own{};
    socklen_t size = sizeof(own);
    EXPECT_EQ(::getsockname(guest.get(), reinterpret_cast<sockaddr*>(&own), &size), 0);
    return fmt::format("ipv4:127.0.0.1:{}", ntohs(own.sin_port));
  }
  /// Waits until the other side has closed the connection.
  static void expect_end(const OwnedFile& guest) {
    char byte = 0;
    EXPECT_LE(::recv(guest.get(), &byte, 1, 0), 0);
  }
  static bool is_open(const OwnedFile& guest) {
    char byte = 0;
    return ::recv(guest.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<OwnedFile> taken_;
  std::vector<std::string> told_;
  std::unique_ptr<Door> door_;
};

TEST_F(TheDoor, HandsConnectionsOnWhichOutliveIt) {
  open();
  const OwnedFile guest = this->guest();
  wait_for(1);
  EXPECT_EQ(door_->counts().connections, 1);
  EXPECT_EQ(door_->counts().strangers, 1);
  door_->let_in(peer(guest));
  EXPECT_EQ(door_->counts().strangers, 0);
  door_.reset();
  EXPECT_TRUE(is_open(guest));
}

TEST_F(TheDoor, CutsAStrangerThatSendsTooMuchAndNobodyElse) {
  open({.stranger_bytes = 1000});
  const OwnedFile good = guest(), bad = guest();
  wait_for(2);
  door_->let_in(peer(good));
  const std::string much(2000, 'x');
  EXPECT_EQ(::send(good.get(), much.data(), much.size(), MSG_NOSIGNAL), 2000);
  EXPECT_EQ(::send(bad.get(), much.data(), much.size(), MSG_NOSIGNAL), 2000);
  expect_end(bad);
  EXPECT_TRUE(is_open(good));
  EXPECT_EQ(door_->counts().connections, 1);
  EXPECT_EQ(door_->counts().cut, 1);
}

TEST_F(TheDoor, WhatACutStrangerSentIsNotRead) {
  open({.stranger_bytes = 1000});
  const OwnedFile bad = guest();
  wait_for(1);
  const std::string much(2000, 'x');
  EXPECT_EQ(::send(bad.get(), much.data(), much.size(), MSG_NOSIGNAL), 2000);
  expect_end(bad);
  const std::scoped_lock lock(mutex_);
  char byte = 0;
  EXPECT_LE(::recv(taken_[0].get(), &byte, 1, 0), 0);
}

TEST_F(TheDoor, CutsAStrangerWhoseCallsAreRefusedAndNobodyElse) {
  open({.stranger_calls = 3});
  const OwnedFile good = guest(), bad = guest();
  wait_for(2);
  door_->let_in(peer(good));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(is_open(bad));
    door_->refuse(peer(good));
    door_->refuse(peer(bad));
  }
  expect_end(bad);
  door_->refuse("ipv4:127.0.0.1:1");  // without a user
  EXPECT_TRUE(is_open(good));
  EXPECT_EQ(door_->counts().cut, 1);
}

TEST_F(TheDoor, CutsAStrangerThatSaysNothingForLong) {
  open({.stranger_time = std::chrono::milliseconds(20)});
  expect_end(guest());
}

TEST_F(TheDoor, TheOldestStrangerGoesForTheNext) {
  open({.strangers = 2});
  const OwnedFile first = guest();
  wait_for(1);
  const OwnedFile second = guest();
  wait_for(2);
  const OwnedFile third = guest();
  expect_end(first);
  wait_for(3);
  EXPECT_TRUE(is_open(second));
  EXPECT_TRUE(is_open(third));
}

TEST_F(TheDoor, TakesNoMoreThanItMayHave) {
  open({.connections = 1});
  const OwnedFile known = guest();
  wait_for(1);
  door_->let_in(peer(known));
  expect_end(guest());
  EXPECT_TRUE(is_open(known));
  EXPECT_EQ(door_->counts().taken, 1);
}

TEST_F(TheDoor, WhoHangsUpIsForgotten) {
  open();
  {
    const OwnedFile guest = this->guest();
    wait_for(1);
  }
  while (door_->counts().connections > 0) std::this_thread::yield();
  EXPECT_EQ(door_->counts().cut, 0);
}

/// The socket of this process that listens at the port.
int listening_at(int port) {
  for (int file = 0; file < 1024; ++file) {
    int listens = 0;
    socklen_t size = sizeof(listens);
    sockaddr_in own{};
    socklen_t own_size = sizeof(own);
    if (::getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) continue;
    if (::getsockname(file, reinterpret_cast<sockaddr*>(&own), &own_size) == 0 && ntohs(own.sin_port) == port)
      return file;
  }
  return -1;
}

TEST_F(TheDoor, ListensAnewAtItsPortWhereTheListenerDies) {
  open();
  const int port = door_->port();
  ASSERT_EQ(::shutdown(listening_at(port), SHUT_RDWR), 0);
  while (door_->counts().listeners < 2) std::this_thread::yield();
  const OwnedFile guest = connected(port);
  wait_for(1);
  EXPECT_TRUE(is_open(guest));
}

TEST_F(TheDoor, KnocksAtItselfAndNobodySeesIt) {
  open({.probe_every = std::chrono::milliseconds(1), .probe_answer = std::chrono::milliseconds(2)});
  const OwnedFile first = guest();
  wait_for(1);
  const OwnedFile second = guest();
  wait_for(2);
  while (door_->counts().knocks < 3) std::this_thread::yield();
  EXPECT_EQ(door_->counts().taken, 2);
  EXPECT_EQ(door_->counts().listeners, 1);
}

TEST_F(TheDoor, AnAddressThatIsTakenOrUnknownIsAnError) {
  open();
  const auto status = [](const std::string& listen) { return Door::open(listen, {}, [](OwnedFile) {}).status(); };
  EXPECT_EQ(status(fmt::format("127.0.0.1:{}", door_->port())).to_string(),
            fmt::format("UNAVAILABLE: 127.0.0.1:{}: can't listen there: Address already in use", door_->port()));
  EXPECT_EQ(status("192.0.2.1:0").code(), StatusCode::kUnavailable);  // without an owner
}

// ---- The operator's messages.

TEST_F(TheDoor, TellsWhomItCutsAndWhy) {
  open({.strangers = 1, .stranger_bytes = 1000});
  const OwnedFile first = guest();
  wait_for(1);
  const OwnedFile second = guest();
  expect_told("cut " + peer(first) + " replaced by the next connection");
  wait_for(2);
  const std::string much(2000, 'x');
  EXPECT_EQ(::send(second.get(), much.data(), much.size(), MSG_NOSIGNAL), 2000);
  expect_told("cut " + peer(second) + " more than 1000 bytes without an accepted call");
}

TEST_F(TheDoor, TellsOfCallsThatWereRefusedAndOfTime) {
  open({.stranger_calls = 2, .stranger_time = std::chrono::milliseconds(30)});
  const OwnedFile bad = guest();
  const std::string name = peer(bad);
  wait_for(1);
  door_->refuse(name);
  door_->refuse(name);
  const OwnedFile slow = guest();
  expect_told("cut " + peer(slow) + " 30 ms without an accepted call");
  const std::scoped_lock lock(mutex_);
  EXPECT_NE(std::ranges::find(told_, "cut " + name + " 2 calls were rejected"), told_.end());
}

TEST_F(TheDoor, TellsOfAStrangerThatLeavesAndOfNobodyElse) {
  open();
  std::string known, stranger;
  {
    const OwnedFile good = guest();
    wait_for(1);
    door_->let_in(known = peer(good));
  }
  {
    const OwnedFile bad = guest();
    wait_for(2);
    stranger = peer(bad);
  }
  expect_told("left " + stranger + " it closed its connection without an accepted call");
  const std::scoped_lock lock(mutex_);
  EXPECT_EQ(told_.size(), 1u);
}

TEST_F(TheDoor, CutsAConnectionThatMakesTooManyCallsAtOnce) {
  open({.calls_at_once = 2});
  const OwnedFile good = guest();
  wait_for(1);
  for (int i = 0; i < 20; ++i) {
    door_->begin_call(peer(good));
    door_->end_call(peer(good));
  }
  for (int i = 0; i < 2; ++i) door_->begin_call(peer(good));
  EXPECT_TRUE(is_open(good));
  door_->begin_call(peer(good));
  expect_told("cut " + peer(good) + " more than 2 concurrent calls");
}

TEST_F(TheDoor, CutsAConnectionThatMakesTooManyCallsASecond) {
  open({.calls_at_once = 1000, .calls_each_second = 5});
  const OwnedFile good = guest();
  wait_for(1);
  for (int i = 0; i < 5; ++i) door_->begin_call(peer(good));
  EXPECT_TRUE(is_open(good));
  while (is_open(good)) door_->begin_call(peer(good));
  expect_told("cut " + peer(good) + " more than 5 calls per second");
}

// ---- Unix sockets.

TEST_F(TheDoor, OfAUnixSocketLetsInThisUserWithoutACall) {
  const std::string path = testing::TempDir() + "hilo_door.sock";
  ::unlink(path.c_str());
  ASSERT_TRUE(open_at("unix:" + path).ok());
  EXPECT_EQ(door_->port(), 0);
  EXPECT_EQ(door_->address(), "unix:" + path);
  struct stat about{};
  ASSERT_EQ(::stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  const OwnedFile guest = connected_to(path);
  wait_for(1);
  EXPECT_EQ(door_->counts().connections, 1);
  EXPECT_EQ(door_->counts().strangers, 0);
  EXPECT_EQ(door_->name_of("unix:"), fmt::format("unix:uid={}", ::geteuid()));
  door_.reset();
  EXPECT_TRUE(is_open(guest));
  EXPECT_NE(::stat(path.c_str(), &about), 0);  // its socket file is removed
}

TEST_F(TheDoor, OfAUnixSocketTakesThePlaceOfADeadServerOnly) {
  const std::string path = testing::TempDir() + "hilo_door_taken.sock";
  ::unlink(path.c_str());
  ASSERT_TRUE(open_at("unix:" + path).ok());
  const auto living = std::move(door_);
  EXPECT_EQ(open_at("unix:" + path).to_string(), "UNAVAILABLE: unix:" + path + ": another server listens there");
  const std::string copy = path + ".dead";  // a socket file whose listener has ended
  ::unlink(copy.c_str());
  {
    const OwnedFile dead(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    copy.copy(address.sun_path, sizeof(address.sun_path) - 1);
    ASSERT_EQ(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  EXPECT_TRUE(open_at("unix:" + copy).ok());
  const std::string file = path + ".file";
  std::fclose(std::fopen(file.c_str(), "w"));
  EXPECT_EQ(open_at("unix:" + file).code(), StatusCode::kUnavailable);
  EXPECT_EQ(::access(file.c_str(), F_OK), 0);
  EXPECT_EQ(open_at("unix:/" + std::string(200, 'x')).code(), StatusCode::kInvalidArgument);
}

TEST_F(TheDoor, OfAUnixSocketKnocksAtItselfAndListensAnewWhereItsSocketIsGone) {
  const std::string path = testing::TempDir() + "hilo_door_knock.sock";
  ::unlink(path.c_str());
  ASSERT_TRUE(open_at("unix:" + path,
                      {.probe_every = std::chrono::milliseconds(5), .probe_answer = std::chrono::milliseconds(20)})
                  .ok());
  while (door_->counts().knocks == 0) std::this_thread::yield();
  EXPECT_EQ(door_->counts().taken, 0);
  ::unlink(path.c_str());
  while (door_->counts().listeners < 2) std::this_thread::yield();
  EXPECT_GE(connected_to(path).get(), 0);
}

/// Only root can become another user. For other users this test does nothing.
TEST_F(TheDoor, OfAUnixSocketRefusesOtherUsersUnlessTheyMay) {
  if (::geteuid() != 0) return;
  const std::string path = "/tmp/hilo_door_users_" + std::to_string(::getpid()) + ".sock";
  const auto bytes_of_another = [&path] {  // 'x' if the server accepts another user's connection, "" if it rejects it
    const pid_t child = ::fork();
    if (child == 0) {
      if (::setuid(4321) != 0) ::_exit(2);
      const OwnedFile file = connected_to(path);
      char byte = 0;
      ::_exit(file.get() >= 0 && ::recv(file.get(), &byte, 1, 0) == 1 ? 1 : 0);
    }
    return child;
  };
  const auto exit_of = [](pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  ASSERT_TRUE(open_at("unix:" + path, {}, {.users = {77}}).ok());
  EXPECT_EQ(exit_of(bytes_of_another()), 0);
  {
    const std::scoped_lock lock(mutex_);
    ASSERT_EQ(told_.size(), 1u);
    EXPECT_TRUE(told_[0].starts_with("refused unix:uid=4321,pid=")) << told_[0];
  }
  door_.reset();
  for (DoorRules rules : {DoorRules{.users = {4321}}, DoorRules{.all_users = true}}) {
    ASSERT_TRUE(open_at("unix:" + path, {}, rules).ok());
    taken_.clear();
    const pid_t child = bytes_of_another();
    wait_for(1);
    EXPECT_EQ(::send(taken_[0].get(), "x", 1, MSG_NOSIGNAL), 1);
    EXPECT_EQ(exit_of(child), 1);
    door_.reset();
  }
}

}  // namespace
}  // namespace hilo::rpc
