// SPDX-License-Identifier: Apache-2.0
// Every transport: threads of one process, or messages between processes with one or two participants each.
#include "hilo/device/communicator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "hilo/replica/mpi/message_communicator.h"
#include "hilo/replica/thread_communicator.h"
#include "tests/replica/mpi/memory_messages.h"
#include "tests/support/communicators.h"

namespace hilo {
namespace {

using tests::awkward;
using tests::everyone;
using tests::expect_all_ok;
using tests::Floats;
using tests::in;
using tests::kAddFloats;
using tests::out;
using tests::sum_of;
using tests::values_of;

/// The parameter is the number of participants per process, or 0 if they are threads of one process.
class CommunicatorTest : public ::testing::TestWithParam<int64_t> {
 protected:
  std::vector<std::unique_ptr<CommunicatorGroup>> groups_of(int64_t n) {
    std::vector<std::unique_ptr<CommunicatorGroup>> groups;
    if (GetParam() == 0) {
      groups.push_back(std::make_unique<ThreadCommunicators>(n));
      return groups;
    }
    const int64_t each = each_of(n);
    boxes_ = std::make_unique<tests::Mailboxes>(n, each);
    for (int64_t first = 0; first < n; first += each) {
      groups.push_back(std::make_unique<MessageCommunicators>(std::make_unique<tests::MemoryMessages>(*boxes_),
                                                              SharedRun{1, 99}, first, each, nullptr));
    }
    return groups;
  }
  /// Returns the status of each process. Writes the first process's summary to `failure` if it isn't null.
  std::vector<Status> run(int64_t n, const std::function<Status(Communicator&)>& body, Status* failure = nullptr) {
    const auto groups = groups_of(n);
    std::vector<Status> statuses = tests::run_participants(groups, GetParam() == 0 ? n : each_of(n), body);
    if (failure != nullptr) *failure = groups[0]->failure();
    return statuses;
  }

 private:
  /// An odd number of participants can't be two per process.
  int64_t each_of(int64_t n) const { return n % GetParam() == 0 ? GetParam() : 1; }

  std::unique_ptr<tests::Mailboxes> boxes_;
};

INSTANTIATE_TEST_SUITE_P(Carried, CommunicatorTest, ::testing::Values(0, 1, 2), [](const auto& kind) {
  return kind.param == 0 ? std::string("ByThreads") : "ByMessages" + std::to_string(kind.param);
});

TEST_P(CommunicatorTest, AllReduceIsALeftFoldBitForBitForAnyScheduleAndCount) {
  // 0, 1 and odd counts, below and above the size from which each member reduces a slice.
  for (int64_t n = 1; n <= 8; ++n) {
    const std::vector<int64_t> group = everyone(n);
    for (size_t count : {size_t{0}, size_t{1}, size_t{17}, size_t{4095}, size_t{4096}, size_t{9001}, size_t{300001}}) {
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

TEST_P(CommunicatorTest, TheOrderOfTheGroupIsTheOrderOfTheFold) {
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

TEST_P(CommunicatorTest, ReduceScatterGathersAndExchangesBlocks) {
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

TEST_P(CommunicatorTest, PermutesAndBroadcasts) {
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

TEST_P(CommunicatorTest, GroupsThatShareNobodyDontWaitForEachOther) {
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

TEST_P(CommunicatorTest, ManyMeetingsInARowKeepApart) {
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

TEST_P(CommunicatorTest, AReplicaThatFailsFailsThoseWhoWaitAndThoseWhoComeLater) {
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

TEST_P(CommunicatorTest, DifferentMeetingsAtTheSamePlaceAreAnError) {
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
  EXPECT_NE(failure.message().find("failed: INVALID_ARGUMENT: called sum (all_reduce, "), std::string_view::npos)
      << failure.to_string();
}

TEST_P(CommunicatorTest, AnErrorOfTheReductionComesToAllMembers) {
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

TEST_P(CommunicatorTest, WhoIsNotInTheGroupOrDoesNotExistIsRefused) {
  const Floats mine(1);
  Floats sum(1);
  for (const auto& [group, wanted] : std::vector<std::pair<std::vector<int64_t>, std::string>>{
           {{1}, "the replica isn't in the group"}, {{0, 5}, "replica 5 doesn't exist"}}) {
    const auto groups = groups_of(2);
    const Status status = groups[0]->of(0).all_reduce({1, group, "sum"}, in(mine), out(sum), kAddFloats);
    EXPECT_EQ(status.to_string(), "INVALID_ARGUMENT: sum: " + wanted);
  }
}

}  // namespace
}  // namespace hilo
