// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/door.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace hilo::rpc {
namespace {

/// Keeps what the door hands on.
class TheDoor : public testing::Test {
 protected:
  void open(const DoorLimits& limits = {}) {
    StatusOr<std::unique_ptr<Door>> made = Door::open("127.0.0.1:0", limits, [this](OwnedFile file) {
      const std::scoped_lock lock(mutex_);
      taken_.push_back(std::move(file));
      changed_.notify_all();
    });
    ASSERT_TRUE(made.ok()) << made.status().to_string();
    door_ = *std::move(made);
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
  /// As gRPC writes it.
  static std::string peer(const OwnedFile& guest) {
    sockaddr_in own{};
    socklen_t size = sizeof(own);
    EXPECT_EQ(::getsockname(guest.get(), reinterpret_cast<sockaddr*>(&own), &size), 0);
    return fmt::format("ipv4:127.0.0.1:{}", ntohs(own.sin_port));
  }
  /// Waits until the other side has hung up.
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
  door_->refuse("ipv4:127.0.0.1:1");  // of nobody
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
            fmt::format("UNAVAILABLE: 127.0.0.1:{}: it can't be listened at: Address already in use", door_->port()));
  EXPECT_EQ(status("192.0.2.1:0").code(), StatusCode::kUnavailable);  // nobody's
}

}  // namespace
}  // namespace hilo::rpc
