// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/mpi/message_communicator.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/replica/mpi/memory_messages.h"
#include "tests/support/communicators.h"

namespace hilo {
namespace {

using tests::everyone;
using tests::Floats;
using tests::in;
using tests::kAddFloats;
using tests::out;

std::unique_ptr<MessageCommunicators> process(tests::Mailboxes& boxes, int64_t index, const SharedRun& run = {1, 99},
                                              const CancellationToken* token = nullptr) {
  return std::make_unique<MessageCommunicators>(std::make_unique<tests::MemoryMessages>(boxes), run, index, 1, token);
}

Status sum(CommunicatorGroup& group, int64_t participants, std::string_view what = "all-reduce 'sum'") {
  const std::vector<int64_t> members = everyone(participants);
  const Floats mine(3);
  Floats result(3);
  return group.of(0).all_reduce({1, members, what}, in(mine), out(result), kAddFloats);
}

TEST(MessageCommunicator, EverythingSentIsRead) {
  tests::Mailboxes boxes(3, 1);
  std::vector<std::unique_ptr<CommunicatorGroup>> groups;
  for (int64_t i = 0; i < 3; ++i) groups.push_back(process(boxes, i));
  const std::vector<int64_t> group = everyone(3);
  tests::expect_all_ok(tests::run_participants(groups, 1, [&](Communicator& c) -> Status {
    for (const size_t count : {size_t{0}, size_t{5}, size_t{3000}, size_t{200001}}) {
      Floats mine(3 * count), sum(3 * count), part(count), all(9 * count);
      HILO_RETURN_IF_ERROR(c.all_reduce({1, group, "a"}, in(mine), out(sum), kAddFloats));
      HILO_RETURN_IF_ERROR(c.reduce_scatter({2, group, "b"}, in(mine), out(part), kAddFloats));
      HILO_RETURN_IF_ERROR(c.all_gather({3, group, "c"}, in(mine), out(all)));
      HILO_RETURN_IF_ERROR(c.all_to_all({4, group, "d"}, in(mine), out(sum)));
      HILO_RETURN_IF_ERROR(c.permute({5, group, "e"}, (c.rank() + 1) % 3, (c.rank() + 2) % 3, in(mine), out(sum)));
      HILO_RETURN_IF_ERROR(
          c.permute({6, group, "f"}, c.rank() == 1 ? 1 : -1, c.rank() == 1 ? 1 : -1, in(mine), out(sum)));
      HILO_RETURN_IF_ERROR(c.broadcast({7, group, "g"}, in(mine), out(sum)));
    }
    return ok_status();
  }));
  EXPECT_EQ(boxes.unread(), 0u);
}

TEST(MessageCommunicator, ProcessesThatRunDifferentProgramsAreToldBoth) {
  tests::Mailboxes boxes(2, 1);
  const auto left = process(boxes, 0, {7, 0xabc}), right = process(boxes, 1, {7, 0xdef});
  Status status;
  std::thread other([&] { (void)sum(*right, 2); });
  status = sum(*left, 2);
  other.join();
  EXPECT_EQ(
      status.to_string(),
      "INVALID_ARGUMENT: called all-reduce 'sum' in run 7 of program 0000000000000abc, but replica 1 called "
      "all-reduce 'sum' in run 7 of program 0000000000000def. Hint: all processes must run the same programs in the "
      "same order");
}

TEST(MessageCommunicator, AProcessThatDiedIsNamedToThoseWhoWait) {
  tests::Mailboxes boxes(2, 1);
  const auto left = process(boxes, 0);
  boxes.die(1);
  EXPECT_EQ(sum(*left, 2).to_string(), "UNAVAILABLE: process 1 has died");
  EXPECT_EQ(left->failure().to_string(), "UNAVAILABLE: replica 0 failed: UNAVAILABLE: process 1 has died");
}

TEST(MessageCommunicator, AProcessThatEndsWithoutComingIsAnError) {
  tests::Mailboxes boxes(2, 1);
  const auto left = process(boxes, 0);
  boxes.end(1);
  EXPECT_EQ(sum(*left, 2).to_string(),
            "FAILED_PRECONDITION: all-reduce 'sum': replica 1 (process 1) has ended without this collective");
}

TEST(MessageCommunicator, AtTheDeadlineTheErrorNamesWhoDidNotCome) {
  tests::Mailboxes boxes(3, 1);
  CancellationToken token;
  token.cancel(kDeadlinePassed);
  const auto left = process(boxes, 0, {1, 99}, &token);
  EXPECT_EQ(sum(*left, 3).to_string(),
            "DEADLINE_EXCEEDED: all-reduce 'sum': timeout of the program while replica 1 (process 1) and replica 2 "
            "(process 2) had not arrived");
}

TEST(MessageCommunicator, WhatARunThatFailedLeftIsNotReadByTheNext) {
  tests::Mailboxes boxes(2, 1);
  CancellationToken token;
  token.cancel();
  {
    const auto left = process(boxes, 0, {1, 99}, &token), right = process(boxes, 1, {1, 99});
    const Status cancelled = sum(*left, 2);  // its message has arrived
    EXPECT_EQ(cancelled.code(), StatusCode::kCancelled);
    left->of(0).abort(cancelled);
    EXPECT_TRUE(sum(*right, 2).ok());                          // its first collective had completed
    EXPECT_EQ(sum(*right, 2).code(), StatusCode::kCancelled);  // at the next notification
  }
  std::vector<std::unique_ptr<CommunicatorGroup>> groups;
  for (int64_t i = 0; i < 2; ++i) groups.push_back(process(boxes, i, {2, 99}));
  tests::expect_all_ok(tests::run_participants(
      groups, 1, [&](Communicator& c) { return sum(*groups[static_cast<size_t>(c.rank())], 2); }));
}

}  // namespace
}  // namespace hilo
