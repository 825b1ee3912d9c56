// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/mpi/heartbeat.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

namespace hilo {
namespace {

constexpr uint32_t kLoopback = 0x7f000001;
constexpr HeartbeatTimes kQuick{std::chrono::milliseconds(5), std::chrono::seconds(30)};

/// Processes of one test; 0 is the centre.
std::vector<std::unique_ptr<Heartbeat>> star_of(int count, const HeartbeatTimes& times = kQuick) {
  std::vector<std::unique_ptr<Heartbeat>> star;
  star.push_back(*Heartbeat::listen(count, kLoopback, times));
  for (int i = 1; i < count; ++i) star.push_back(*Heartbeat::connect(i, count, star[0]->address(), times));
  return star;
}

/// Waits until the condition holds. The test runner ends tests that hang.
void wait_until(const std::function<bool()>& is_so) {
  while (!is_so()) std::this_thread::yield();
}

TEST(Heartbeat, EverybodyHearsWhatEverybodyDoes) {
  const auto star = star_of(3);
  EXPECT_EQ(star[2]->last_of(1), "no collective yet");
  star[1]->note("all-reduce 'sum'");
  star[1]->note("all-gather 'all'");
  for (const int listener : {0, 2})
    wait_until([&] { return star[static_cast<size_t>(listener)]->last_of(1) == "all-gather 'all', its meeting 2"; });
  EXPECT_TRUE(star[0]->failure().ok());
}

TEST(Heartbeat, WhoseConnectionEndsHasDiedAndIsNamedToAll) {
  auto star = star_of(3);
  star[1]->note("all-reduce 'sum'");
  wait_until([&] { return star[2]->last_of(1) == "all-reduce 'sum', its meeting 1"; });
  star[1].reset();
  for (const int listener : {0, 2}) {
    wait_until([&] { return star[static_cast<size_t>(listener)]->is_lost(); });
    EXPECT_EQ(star[static_cast<size_t>(listener)]->failure().to_string(),
              "UNAVAILABLE: process 1 has died; it was last at all-reduce 'sum', its meeting 1");
  }
}

TEST(Heartbeat, TheCentreThatDiesIsNamed) {
  auto star = star_of(2);
  wait_until([&] {
    star[1]->note("x");
    return star[0]->last_of(1) != "no collective yet";
  });
  star[0].reset();
  wait_until([&] { return star[1]->is_lost(); });
  EXPECT_EQ(star[1]->failure().to_string(), "UNAVAILABLE: process 0 has died; it was last at no collective yet");
}

TEST(Heartbeat, WhoTakesLeaveHasEndedAndNotDied) {
  auto star = star_of(3);
  star[1]->take_leave();
  for (const int listener : {0, 2}) wait_until([&] { return star[static_cast<size_t>(listener)]->has_ended(1); });
  star[1].reset();
  star[2]->note("x");
  wait_until([&] { return star[0]->last_of(2) != "no collective yet"; });
  EXPECT_TRUE(star[0]->failure().ok());
  EXPECT_FALSE(star[2]->has_ended(0));
}

TEST(Heartbeat, WhoNeverSpeaksIsSilent) {
  const HeartbeatTimes times{std::chrono::milliseconds(5), std::chrono::milliseconds(50)};
  const auto centre = *Heartbeat::listen(2, kLoopback, times);
  wait_until([&] { return centre->is_lost(); });
  EXPECT_EQ(centre->failure().to_string(),
            "UNAVAILABLE: process 1 has sent no heartbeat for 0.1 s: it is stopped or can't be reached; it was last at "
            "no collective yet");
}

TEST(Heartbeat, AStrangerWithoutTheSecretIsNotAdmitted) {
  const auto centre = *Heartbeat::listen(2, kLoopback, kQuick);
  HeartbeatAddress wrong = centre->address();
  ++wrong.secret;
  const auto stranger = *Heartbeat::connect(1, 2, wrong, kQuick);
  wait_until([&] { return stranger->is_lost(); });  // the centre has closed the connection
  const auto known = *Heartbeat::connect(1, 2, centre->address(), kQuick);
  known->note("x");
  wait_until([&] { return centre->last_of(1) == "x, its meeting 1"; });
  EXPECT_TRUE(centre->failure().ok());
}

TEST(Heartbeat, WhereNobodyListensNobodyConnects) {
  const HeartbeatAddress address = Heartbeat::listen(2, kLoopback, kQuick).value()->address();
  EXPECT_EQ(Heartbeat::connect(1, 2, address, kQuick).status().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace hilo
