// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/thread_communicator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <numeric>
#include <thread>

namespace hilo {
namespace {

using Floats = std::vector<float>;

std::span<const std::byte> in(const Floats& values) { return std::as_bytes(std::span(values)); }
std::span<std::byte> out(Floats& values) { return std::as_writable_bytes(std::span(values)); }

constexpr auto add_floats = [](std::byte* accumulator, const std::byte* more, int64_t bytes) -> Status {
  float* a = reinterpret_cast<float*>(accumulator);
  const float* b = reinterpret_cast<const float*>(more);
  for (int64_t i = 0; i < bytes / 4; ++i) a[i] += b[i];
  return ok_status();
};
const Reduction kAddFloats{hlo::ReducerKind::kAdd, ElementType::kF32, add_floats};

std::vector<int64_t> everyone(int64_t n) {
  std::vector<int64_t> group(static_cast<size_t>(n));
  std::iota(group.begin(), group.end(), int64_t{0});
  return group;
}

/// Runs `body` as every replica, as execute_replicas does: who fails aborts the others. What each returned.
std::vector<Status> run(int64_t n, const std::function<Status(Communicator&)>& body, Status* failure = nullptr) {
  ThreadCommunicators all(n);
  std::vector<Status> statuses(static_cast<size_t>(n));
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < n; ++r) {
    threads.emplace_back([&, r] {
      Status& status = statuses[static_cast<size_t>(r)];
      status = body(all.of(r));
      if (!status.ok()) all.of(r).abort(status);
      all.end(r);
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failure != nullptr) *failure = all.failure();
  return statuses;
}

void expect_all_ok(const std::vector<Status>& statuses) {
  for (size_t r = 0; r < statuses.size(); ++r) EXPECT_TRUE(statuses[r].ok()) << r << ": " << statuses[r].to_string();
}

/// Numbers whose sum depends on the order of additions.
float awkward(int64_t replica, size_t i) {
  return static_cast<float>(replica + 1) * 1e7f / static_cast<float>(i % 97 + 3) - static_cast<float>(i) * 0.37f;
}

Floats values_of(int64_t replica, size_t count) {
  Floats values(count);
  for (size_t i = 0; i < count; ++i) values[i] = awkward(replica, i);
  return values;
}

Floats sum_of(std::span<const int64_t> group, size_t count) {
  Floats sum = values_of(group[0], count);
  for (int64_t r : group.subspan(1)) {
    for (size_t i = 0; i < count; ++i) sum[i] += awkward(r, i);
  }
  return sum;
}

TEST(ThreadCommunicator, AllReduceIsALeftFoldBitForBitForAnyScheduleAndCount) {
  // 0, 1 and odd counts, below and above the size from which members fold slices.
  for (int64_t n = 1; n <= 8; ++n) {
    const std::vector<int64_t> group = everyone(n);
    for (size_t count : {size_t{0}, size_t{1}, size_t{17}, size_t{4095}, size_t{4096}, size_t{9001}}) {
      const Floats wanted = sum_of(group, count);
      for (int repeat = 0; repeat < 3; ++repeat) {
        expect_all_ok(run(n, [&](Communicator& c) -> Status {
          const Floats mine = values_of(c.rank(), count);
          Floats sum(count, -1);
          HILO_RETURN_IF_ERROR(c.all_reduce({1, group, "sum"}, in(mine), out(sum), kAddFloats));
          EXPECT_EQ(count == 0 ? 0 : std::memcmp(sum.data(), wanted.data(), count * 4), 0) << n << " " << count;
          return ok_status();
        }));
      }
    }
  }
}

TEST(ThreadCommunicator, TheOrderOfTheGroupIsTheOrderOfTheFold) {
  const std::vector<int64_t> group = {2, 0, 1};
  const Floats wanted = sum_of(group, 1000);
  expect_all_ok(run(3, [&](Communicator& c) -> Status {
    Floats sum(1000);
    const Floats mine = values_of(c.rank(), 1000);
    HILO_RETURN_IF_ERROR(c.all_reduce({1, group, "sum"}, in(mine), out(sum), kAddFloats));
    EXPECT_EQ(sum, wanted);
    return ok_status();
  }));
}

TEST(ThreadCommunicator, ReduceScatterGathersAndExchangesBlocks) {
  const std::vector<int64_t> group = {3, 1, 0, 2};
  expect_all_ok(run(4, [&](Communicator& c) -> Status {
    const auto place = static_cast<size_t>(std::find(group.begin(), group.end(), c.rank()) - group.begin());
    const Floats mine = values_of(c.rank(), 12);
    Floats part(3), all(48), exchanged(12);
    HILO_RETURN_IF_ERROR(c.reduce_scatter({3, group, "scatter"}, in(mine), out(part), kAddFloats));
    HILO_RETURN_IF_ERROR(c.all_gather({4, group, "gather"}, in(mine), out(all)));
    HILO_RETURN_IF_ERROR(c.all_to_all({5, group, "exchange"}, in(mine), out(exchanged)));
    const Floats sum = sum_of(group, 12);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(part[i], sum[3 * place + i]);
    for (size_t k = 0; k < 4; ++k) {
      for (size_t i = 0; i < 12; ++i) EXPECT_EQ(all[12 * k + i], awkward(group[k], i));
      for (size_t i = 0; i < 3; ++i) EXPECT_EQ(exchanged[3 * k + i], awkward(group[k], 3 * place + i));
    }
    return ok_status();
  }));
}

TEST(ThreadCommunicator, PermutesAndBroadcasts) {
  const std::vector<int64_t> group = everyone(3);
  const int64_t sources[] = {-1, 0, 1}, targets[] = {1, 2, -1};
  expect_all_ok(run(3, [&](Communicator& c) -> Status {
    const auto r = static_cast<size_t>(c.rank());
    const Floats mine = {static_cast<float>(r) + 10};
    Floats got = {-1}, root = {-1};
    HILO_RETURN_IF_ERROR(c.permute({6, group, "shift"}, sources[r], targets[r], in(mine), out(got)));
    HILO_RETURN_IF_ERROR(c.broadcast({7, std::vector<int64_t>{2, 0, 1}, "root"}, in(mine), out(root)));
    EXPECT_EQ(got[0], r == 0 ? 0.0f : static_cast<float>(r) + 9);
    EXPECT_EQ(root[0], 12);
    return ok_status();
  }));
}

TEST(ThreadCommunicator, GroupsThatShareNobodyDontWaitForEachOther) {
  const std::vector<int64_t> left = {0, 1}, right = {2, 3};
  expect_all_ok(run(4, [&](Communicator& c) -> Status {
    const std::vector<int64_t>& group = c.rank() < 2 ? left : right;
    for (int turn = 0; turn < (c.rank() < 2 ? 3 : 50); ++turn) {
      Floats sum(5);
      const Floats mine = values_of(c.rank(), 5);
      HILO_RETURN_IF_ERROR(c.all_reduce({1, group, "sum"}, in(mine), out(sum), kAddFloats));
      EXPECT_EQ(sum, sum_of(group, 5));
    }
    return ok_status();
  }));
}

TEST(ThreadCommunicator, ManyMeetingsInARowKeepApart) {
  const std::vector<int64_t> group = everyone(4);
  expect_all_ok(run(4, [&](Communicator& c) -> Status {
    for (int turn = 0; turn < 500; ++turn) {
      const Floats mine = {static_cast<float>(turn * 10 + static_cast<int>(c.rank()))};
      Floats all(4);
      HILO_RETURN_IF_ERROR(c.all_gather({4, group, "gather"}, in(mine), out(all)));
      for (size_t k = 0; k < 4; ++k) EXPECT_EQ(all[k], static_cast<float>(turn * 10) + static_cast<float>(k));
    }
    return ok_status();
  }));
}

TEST(ThreadCommunicator, AReplicaThatFailsFailsThoseWhoWaitAndThoseWhoComeLater) {
  const std::vector<int64_t> group = everyone(4);
  Status failure;
  const std::vector<Status> statuses = run(
      4,
      [&](Communicator& c) -> Status {
        if (c.rank() == 2) return data_loss("the disk is gone");
        const Floats mine(3);
        Floats sum(3);
        return c.all_reduce({1, group, "sum"}, in(mine), out(sum), kAddFloats);
      },
      &failure);
  EXPECT_EQ(failure.to_string(), "ABORTED: replica 2 failed: DATA_LOSS: the disk is gone");
  for (size_t r : {size_t{0}, size_t{1}, size_t{3}}) EXPECT_EQ(statuses[r].to_string(), failure.to_string());
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

TEST(ThreadCommunicator, DifferentMeetingsAtTheSamePlaceAreAnError) {
  const std::vector<int64_t> group = everyone(2);
  Status failure;
  run(
      2,
      [&](Communicator& c) -> Status {
        const Floats mine(c.rank() == 0 ? 2 : 3);
        Floats sum(mine.size());
        return c.all_reduce({1, group, "sum"}, in(mine), out(sum), kAddFloats);
      },
      &failure);
  EXPECT_NE(failure.message().find("failed: INVALID_ARGUMENT: came to sum (all_reduce, "), std::string_view::npos)
      << failure.to_string();
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
  EXPECT_NE(failure.message().find("every replica waits elsewhere or has ended"), std::string_view::npos)
      << failure.to_string();
}

TEST(ThreadCommunicator, CancellingEndsAllWhoWaitWithinOneWakeUpEach) {
  constexpr int64_t kReplicas = 4;  // the last one never comes, nor ends
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
  const int64_t before = all.wake_ups();  // whoever wakes up after this sees the word
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
      all.failure().message().find("all-reduce 'sum': the program's time was over, and replicas 2, 3 hadn't come"),
      std::string::npos)
      << all.failure().to_string();
  for (const Status& status : statuses) EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status.to_string();
}

TEST(ThreadCommunicator, AnErrorOfTheReductionComesToAllMembers) {
  const std::vector<int64_t> group = everyone(3);
  for (size_t count : {size_t{8}, size_t{100000}}) {
    Status failure;
    const std::vector<Status> statuses = run(
        3,
        [&](Communicator& c) -> Status {
          const Floats mine(count);
          Floats sum(count);
          return c.all_reduce({1, group, "sum"}, in(mine), out(sum),
                              {hlo::ReducerKind::kGeneric, ElementType::kF32,
                               [](std::byte*, const std::byte*, int64_t) { return data_loss("no reducer"); }});
        },
        &failure);
    for (const Status& status : statuses) EXPECT_EQ(status.to_string(), "DATA_LOSS: no reducer");
    EXPECT_EQ(failure.code(), StatusCode::kAborted);
  }
}

TEST(ThreadCommunicator, WhoIsNotInTheGroupOrDoesNotExistIsRefused) {
  const Floats mine(1);
  Floats sum(1);
  for (const auto& [group, wanted] : std::vector<std::pair<std::vector<int64_t>, std::string>>{
           {{1}, "the replica isn't in the group"}, {{0, 5}, "there is no replica 5"}}) {
    ThreadCommunicators all(2);
    const Status status = all.of(0).all_reduce({1, group, "sum"}, in(mine), out(sum), kAddFloats);
    EXPECT_EQ(status.to_string(), "INVALID_ARGUMENT: sum: " + wanted);
  }
}

}  // namespace
}  // namespace hilo
