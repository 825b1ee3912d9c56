// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/buffer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <thread>

#include "hilo/backend/host/host_buffer.h"
#include "hilo/device/client.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

BufferPtr three_floats() { return tests::cpu_buffer(Literal::array<float>({3}, {1, 2, 3})); }

TEST(Buffer, ManyMayUseItAndOneMayDonateIt) {
  const BufferPtr x = three_floats();
  EXPECT_TRUE(x->try_use());
  EXPECT_TRUE(x->try_use());
  EXPECT_FALSE(x->try_donate());
  x->end_use();
  EXPECT_FALSE(x->try_donate());
  x->end_use();
  EXPECT_TRUE(x->try_donate());
  EXPECT_FALSE(x->try_donate());
  EXPECT_FALSE(x->try_use());
  EXPECT_EQ(x->state(), BufferState::kLive);
  x->keep();
  EXPECT_TRUE(x->try_use());
  x->end_use();
  EXPECT_EQ(literal_from_buffer(*x)->to_string(), "f32[3] {1, 2, 3}");
}

TEST(Buffer, ThatWasReleasedIsNeverUsedAgain) {
  for (const BufferState reason : {BufferState::kDonated, BufferState::kDeleted}) {
    const BufferPtr x = three_floats();
    ASSERT_TRUE(x->try_donate());
    x->end_life(reason);
    x->keep();  // as at the end of a run, also for donated arguments
    EXPECT_EQ(x->state(), reason);
    EXPECT_FALSE(x->try_use());
    EXPECT_FALSE(x->try_donate());
    EXPECT_EQ(x->state(), reason);
    const std::string words = reason == BufferState::kDonated ? "has been donated" : "has been deleted";
    EXPECT_NE(literal_from_buffer(*x).status().message().find(words), std::string::npos);
  }
}

TEST(Buffer, IsRemovedOnceAndNotWhileItIsUsed) {
  const BufferPtr x = three_floats();
  ASSERT_TRUE(x->try_use());
  EXPECT_EQ(x->remove().code(), StatusCode::kInvalidArgument);
  x->end_use();
  EXPECT_TRUE(x->remove().ok());
  EXPECT_EQ(x->state(), BufferState::kDeleted);
  EXPECT_EQ(x->remove().code(), StatusCode::kInvalidArgument);
}

TEST(Buffer, HeldAloneRefusesReadersWithAWord) {
  const BufferPtr x = three_floats();
  ASSERT_TRUE(x->try_donate());
  const Status status = literal_from_buffer(*x).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("in use by a run on another thread"), std::string::npos) << status.message();
  EXPECT_EQ(BufferUse::of(x, "x").status().code(), StatusCode::kInvalidArgument);
  x->keep();
  const StatusOr<BufferUse> use = BufferUse::of(x, "x");
  ASSERT_TRUE(use.ok());
  EXPECT_FALSE(x->try_donate());
}

/// A program with `count` arguments f32[3] and no results, which runs `step`.
class Program final : public Executable {
 public:
  Program(int count, std::function<Status()> step)
      : Executable(signature_with(count), {*tests::cpu_client()->local_device(0)}), step_(std::move(step)) {}
  Status call(std::span<const BufferPtr> arguments, std::span<const bool> donated) {
    ExecuteOptions options;
    options.donated = donated;
    return execute(arguments, {}, options);
  }

 protected:
  StatusOr<Event> start(std::span<const DeviceRun> runs, std::span<const DevicePtr>, const ExecuteOptions& options,
                        ArgumentHolds&) override {
    HILO_RETURN_IF_ERROR(step_());
    for (size_t i = 0; i < options.donated.size(); ++i) {
      if (options.donated[i]) host(runs[0].arguments[i]).take_memory();
    }
    return Event();
  }

 private:
  static ProgramSignature signature_with(int count) {
    ProgramSignature signature;
    signature.name = "program";
    signature.argument_shapes.assign(static_cast<size_t>(count), Shape::array(ElementType::kF32, {3}));
    signature.argument_names.resize(signature.argument_shapes.size());
    signature.result_shape = Shape::tuple({});
    return signature;
  }
  std::function<Status()> step_;
};

constexpr bool kDonates[] = {true};

TEST(Execute, RefusesABufferThatARunningOneDonates) {
  const BufferPtr arguments[] = {three_floats()};
  Program inner(1, ok_status);
  Program outer(1, [&] {
    EXPECT_EQ(inner.call(arguments, {}).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(inner.call(arguments, kDonates).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(literal_from_buffer(*arguments[0]).status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(host(arguments[0]).data(), nullptr);
    return ok_status();
  });
  EXPECT_TRUE(outer.call(arguments, kDonates).ok());
  EXPECT_EQ(arguments[0]->state(), BufferState::kDonated);
}

TEST(Execute, RefusesToDonateABufferThatARunningOneReads) {
  const BufferPtr arguments[] = {three_floats()};
  Program inner(1, ok_status);
  Program outer(1, [&] {
    const Status refused = inner.call(arguments, kDonates);
    EXPECT_NE(refused.message().find("in use by a run on another thread"), std::string::npos) << refused.message();
    EXPECT_TRUE(inner.call(arguments, {}).ok());  // concurrent readers are allowed
    return ok_status();
  });
  EXPECT_TRUE(outer.call(arguments, {}).ok());
  EXPECT_TRUE(inner.call(arguments, kDonates).ok());  // all holds have been released
}

TEST(Execute, ThatFailsBeforeItTakesLeavesItsArgumentsAlive) {
  const BufferPtr arguments[] = {three_floats(), three_floats()};
  Program fails(2, [] { return resource_exhausted("no"); });
  const bool donated[] = {true, false};
  EXPECT_EQ(fails.call(arguments, donated).code(), StatusCode::kResourceExhausted);
  for (const BufferPtr& x : arguments) {
    EXPECT_EQ(x->state(), BufferState::kLive);
    EXPECT_TRUE(x->try_donate());
    x->keep();
  }
}

TEST(Execute, RefusesABufferTwiceIfItIsDonatedAndLeavesAllAlive) {
  const BufferPtr x = three_floats(), y = three_floats();
  const BufferPtr arguments[] = {y, x, x};
  Program program(3, ok_status);
  const bool both[] = {false, true, true}, first[] = {false, true, false}, second[] = {false, false, true};
  EXPECT_NE(program.call(arguments, both).message().find("Attempt to donate the same buffer twice (arguments 1 and 2)"),
            std::string::npos);
  for (const std::span<const bool> one : {std::span<const bool>(first), std::span<const bool>(second)})
    EXPECT_NE(program.call(arguments, one)
                  .message()
                  .find("a donated buffer is also a read-only argument (arguments 1 and 2)"),
              std::string::npos);
  EXPECT_TRUE(program.call(arguments, {}).ok());
  for (const BufferPtr& buffer : arguments) EXPECT_EQ(buffer->state(), BufferState::kLive);
}

TEST(Execute, GivesABufferToOneOfManyDonors) {
  constexpr int kThreads = 4, kTurns = 200;
  Program program(1, ok_status);
  std::vector<BufferPtr> buffers;
  for (int i = 0; i < kTurns; ++i) buffers.push_back(three_floats());
  std::vector<std::atomic<int>> donors(kTurns);
  std::atomic<int> read{0}, wrong{0};
  std::barrier together(kThreads + 1);
  const auto donate_all = [&] {
    together.arrive_and_wait();
    for (int i = 0; i < kTurns; ++i)
      donors[static_cast<size_t>(i)] += program.call({&buffers[static_cast<size_t>(i)], 1}, kDonates).ok();
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(donate_all);
  together.arrive_and_wait();
  for (const BufferPtr& buffer : buffers) {
    const StatusOr<Literal> value = literal_from_buffer(*buffer);
    if (!value.ok()) continue;
    ++read;
    wrong += value->to_string() != "f32[3] {1, 2, 3}";
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  for (size_t i = 0; i < donors.size(); ++i) {
    EXPECT_LE(donors[i], 1);
    // If every donation failed because of a reader, the buffer can still be donated.
    EXPECT_EQ(program.call({&buffers[i], 1}, kDonates).ok(), donors[i] == 0);
  }
}

}  // namespace
}  // namespace hilo
