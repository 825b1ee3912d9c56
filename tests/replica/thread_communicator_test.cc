// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/thread_communicator.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/communicators.h"

namespace hilo {
namespace {

using tests::everyone;
using tests::Floats;
using tests::in;
using tests::kAddFloats;
using tests::out;

std::vector<Status> run(int64_t n, const std::function<Status(Communicator&)>& body, Status* failure) {
  std::vector<std::unique_ptr<CommunicatorGroup>> groups;
  groups.push_back(std::make_unique<ThreadCommunicators>(n));
  std::vector<Status> statuses = tests::run_participants(groups, n, body);
  *failure = groups[0]->failure();
  return statuses;
}

TEST(ThreadCommunicator, AReplicaThatEndsWithoutComingIsAnErrorForThoseWhoWait) {
  const std::vector<int64_t> group = everyone(3);
  Status failure;
  const std::vector<Status> statuses = run(
      3,
      [&](Communicator& c) -> Status {
        if (c.rank() == 1) return ok_status();
        const Floats mine(3);
        Floats sum(3);
        return c.all_reduce({1, group, "all-reduce 'sum'"}, in(mine), out(sum), kAddFloats);
      },
      &failure);
  EXPECT_FALSE(statuses[0].ok());
  EXPECT_FALSE(statuses[2].ok());
  EXPECT_EQ(failure.code(), StatusCode::kAborted);
  EXPECT_NE(failure.message().find("all-reduce 'sum'"), std::string_view::npos) << failure.to_string();
}

TEST(ThreadCommunicator, ReplicasThatWaitForEachOtherAreAnErrorAndNoHang) {
  const std::vector<int64_t> ab = {0, 1}, bc = {1, 2}, ca = {2, 0};
  Status failure;
  run(
      3,
      [&](Communicator& c) -> Status {
        const std::vector<int64_t>& group = c.rank() == 0 ? ab : c.rank() == 1 ? bc : ca;
        const Floats mine(1);
        Floats sum(1);
        return c.all_reduce({2, group, "ring"}, in(mine), out(sum), kAddFloats);
      },
      &failure);
  EXPECT_NE(failure.message().find("every replica waits for another collective or has ended"), std::string_view::npos)
      << failure.to_string();
}

TEST(ThreadCommunicator, CancellingEndsAllWhoWaitWithinOneWakeUpEach) {
  constexpr int64_t kReplicas = 4;  // the last one neither arrives nor ends
  const std::vector<int64_t> group = everyone(kReplicas);
  CancellationToken token;
  ThreadCommunicators all(kReplicas, &token);
  std::vector<Status> statuses(kReplicas - 1);
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < kReplicas - 1; ++r) {
    threads.emplace_back([&, r] {
      const Floats mine(1);
      Floats sum(1);
      statuses[static_cast<size_t>(r)] = all.of(r).all_reduce({1, group, "sum"}, in(mine), out(sum), kAddFloats);
    });
  }
  while (all.waiting() < kReplicas - 1) std::this_thread::yield();
  token.cancel();
  const int64_t before = all.wake_ups();  // a thread that wakes up after this sees the stop flag
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(all.wake_ups() - before, kReplicas - 1);
  for (const Status& status : statuses) EXPECT_EQ(status.code(), StatusCode::kCancelled) << status.to_string();
  EXPECT_EQ(all.failure().code(), StatusCode::kCancelled);
}

TEST(ThreadCommunicator, WhoComesWhenAllIsCancelledDoesNotWait) {
  CancellationToken token;
  token.cancel();
  ThreadCommunicators all(2, &token);
  const std::vector<int64_t> group = everyone(2);
  const Floats mine(1);
  Floats sum(1);
  EXPECT_EQ(all.of(0).all_reduce({1, group, "sum"}, in(mine), out(sum), kAddFloats).code(), StatusCode::kCancelled);
  EXPECT_EQ(all.wake_ups(), 0);
}

TEST(ThreadCommunicator, AtTheDeadlineTheErrorNamesWhoDidNotCome) {
  CancellationToken token;
  ThreadCommunicators all(4, &token);
  const std::vector<int64_t> group = everyone(4);
  std::vector<Status> statuses(2);
  std::vector<std::thread> threads;
  for (size_t r = 0; r < 2; ++r) {
    threads.emplace_back([&, r] {
      const Floats mine(1);
      Floats sum(1);
      statuses[r] =
          all.of(static_cast<int64_t>(r)).all_reduce({1, group, "all-reduce 'sum'"}, in(mine), out(sum), kAddFloats);
    });
  }
  while (all.waiting() < 2) std::this_thread::yield();
  token.cancel(kDeadlinePassed);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(all.failure().code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(
      all.failure().message().find("all-reduce 'sum': timeout of the program while replicas 2, 3 had not arrived"),
      std::string::npos)
      << all.failure().to_string();
  for (const Status& status : statuses) EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status.to_string();
}

}  // namespace
}  // namespace hilo
