// SPDX-License-Identifier: Apache-2.0
// Asynchronous runs: order, errors, donation, cancellation.
#include "hilo/backend/host/host_executable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <optional>
#include <span>
#include <thread>

#include "hilo/client/platforms.h"
#include "hilo/hlo/ops/custom_call_registry.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

/// Blocks programs that call "test_gate" until it is opened.
struct Gate {
  std::atomic<bool> open{false};
  std::atomic<int> passed{0};
} gate;

Status pass_gate(const CustomCallFrame& frame) {
  const StopWord* const word = frame.context->stop_word;
  while (!gate.open && (word == nullptr || word->load() == kRunning)) std::this_thread::yield();
  ++gate.passed;
  std::ranges::copy_n(static_cast<const float*>(frame.operands[0].data), 3, static_cast<float*>(frame.results[0].data));
  return ok_status();
}
Status refuse(const CustomCallFrame&) { return data_loss("no more"); }

/// A handler runs this program on the same device and waits for it.
Executable* inner = nullptr;
Status run_inner_program(const CustomCallFrame& frame) {
  const auto* const numbers = static_cast<const float*>(frame.operands[0].data);
  const BufferPtr x = *buffer_from_literal(*frame.context->device, Literal::array<float>({3}, {numbers[0], 5, 6}));
  BufferPtr y;
  HILO_RETURN_IF_ERROR(inner->execute({&x, 1}, {&y, 1}));
  HILO_ASSIGN_OR_RETURN(const Literal value, literal_from_buffer(*y));
  std::ranges::copy(value.data<float>(), static_cast<float*>(frame.results[0].data));
  return ok_status();
}

class Asynchronous : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_TRUE(register_custom_call("test_gate", pass_gate).ok());
    ASSERT_TRUE(register_custom_call("test_refuse", refuse).ok());
    ASSERT_TRUE(register_custom_call("test_inner", run_inner_program).ok());
  }
  void SetUp() override {
    gate.open = false;
    gate.passed = 0;
  }

  /// y = f(x) over f32[3].
  std::unique_ptr<Executable> program(const std::string& op) {
    const StatusOr<hlo::Module> module =
        hlo::parse_module("HloModule f\nENTRY main {\n  x = f32[3] parameter(0)\n  ROOT y = f32[3] " + op + "\n}\n");
    EXPECT_TRUE(module.ok()) << module.status().to_string();
    return *client_->compile(*module, {}, nullptr);
  }
  std::unique_ptr<Executable> gated() { return program("custom-call(x), custom_call_target=\"test_gate\""); }
  BufferPtr one_two_three() { return tests::buffer_on(*client_, Literal::array<float>({3}, {1, 2, 3})); }

  StatusOr<BufferPtr> launch(Executable& program, const BufferPtr& x, ExecuteOptions options = {}) {
    BufferPtr y;
    const DeviceRun run{{&x, 1}, {&y, 1}};
    options.asynchronous = true;
    HILO_RETURN_IF_ERROR(program.launch({&run, 1}, options).status());
    return y;
  }

  ClientPtr client_ = *make_platform_client("Host", {.replica_count = 2});
};

TEST_F(Asynchronous, CallsReturnBeforeTheirRunsHaveEndedAndKeepTheirOrder) {
  const auto first = gated(), second = program("negate(x)");
  const BufferPtr y = *launch(*first, one_two_three());
  const BufferPtr z = *launch(*second, y);  // small, but waits for its argument
  EXPECT_FALSE(y->ready().is_ready());
  EXPECT_FALSE(z->ready().is_ready());
  gate.open = true;
  EXPECT_EQ(literal_from_buffer(*z)->to_string(), "f32[3] {-1, -2, -3}");
  EXPECT_TRUE(y->ready().is_ready());
}

TEST_F(Asynchronous, ASmallProgramRunsAtOnceIfNothingIsBeforeIt) {
  const auto negation = program("negate(x)");
  EXPECT_TRUE((*launch(*negation, one_two_three()))->ready().is_ready());
}

TEST_F(Asynchronous, ADirectRunReadsAndWritesMemoryOfTheCaller) {
  const std::unique_ptr<Executable> negate = program("negate(x)");
  ASSERT_TRUE(negate->runs_directly());
  std::array<float, 3> x = {1, 2, 3}, y = {};
  const std::byte* const argument = std::as_bytes(std::span(x)).data();
  for (const bool has_memory : {true, false}) {
    std::byte* result = has_memory ? std::as_writable_bytes(std::span(y)).data() : nullptr;
    BufferPtr buffer;
    const std::optional<Status> status = negate->run_directly({{&argument, 1}, {&result, 1}, {&buffer, 1}});
    ASSERT_TRUE(status && status->ok());
    EXPECT_EQ(buffer != nullptr, !has_memory);
    if (buffer != nullptr) std::ranges::copy(literal_from_buffer(*buffer)->data<float>(), y.begin());
    EXPECT_EQ(y, (std::array<float, 3>{-1, -2, -3}));
    y = {};
  }
}

TEST_F(Asynchronous, ADirectRunIsForProgramsThatNeedNothingElse) {
  EXPECT_TRUE(gated()->runs_directly());
  const StatusOr<hlo::Module> module =
      hlo::parse_module("HloModule f\nENTRY main {\n  x = f32[3] parameter(0)\n  ROOT y = f32[3] negate(x)\n}\n");
  CompileOptions options;
  options.limits.run_seconds = 5;
  EXPECT_FALSE((*client_->compile(*module, options, nullptr))->runs_directly());
}

TEST_F(Asynchronous, ADirectRunIsRefusedWhileOthersAreBeforeIt) {
  const std::unique_ptr<Executable> gate_program = gated(), negate = program("negate(x)");
  const BufferPtr waits = *launch(*gate_program, one_two_three());
  const std::array<float, 3> x = {1, 2, 3};
  const std::byte* const argument = std::as_bytes(std::span(x)).data();
  std::byte* result = nullptr;
  BufferPtr buffer;
  EXPECT_FALSE(negate->run_directly({{&argument, 1}, {&result, 1}, {&buffer, 1}}).has_value());
  gate.open = true;
  EXPECT_TRUE(waits->ready().await().ok());
}

TEST_F(Asynchronous, ACallThatWaitsComesAfterThoseThatDont) {
  const auto first = gated(), second = program("negate(x)");
  const BufferPtr y = *launch(*first, one_two_three());
  BufferPtr z;
  std::thread opens([] { gate.open = true; });
  ASSERT_TRUE(second->execute({&y, 1}, {&z, 1}).ok());
  EXPECT_TRUE(y->ready().is_ready());
  EXPECT_TRUE(z->ready().is_ready());
  opens.join();
}

TEST_F(Asynchronous, AnErrorReachesAllThatDependOnIt) {
  const auto first = gated(), fails = program("custom-call(x), custom_call_target=\"test_refuse\"");
  const auto negation = program("negate(x)");
  const BufferPtr x = *launch(*first, one_two_three());
  const BufferPtr y = *launch(*fails, x), z = *launch(*negation, y);
  std::promise<StatusCode> told;  // possibly after the waiting threads have continued
  z->ready().on_ready([&](const Status& status) { told.set_value(status.code()); });
  gate.open = true;
  EXPECT_EQ(literal_from_buffer(*y).status().code(), StatusCode::kDataLoss);
  const Status status = literal_from_buffer(*z).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_NE(status.message().find("Execute 'f': argument 0 'x': "), std::string::npos) << status.to_string();
  EXPECT_EQ(told.get_future().get(), StatusCode::kDataLoss);
  EXPECT_EQ(literal_from_buffer(*x)->to_string(), "f32[3] {1, 2, 3}");  // other runs continue
}

TEST_F(Asynchronous, ADonatedArgumentIsGoneAtOnceAndLivesForRunsBeforeIt) {
  const auto reads = gated(), negation = program("negate(x)");
  const BufferPtr x = one_two_three();
  const bool donated[] = {true};
  const BufferPtr y = *launch(*reads, x), z = *launch(*negation, x, {.donated = donated});
  EXPECT_EQ(x->state(), BufferState::kDonated);
  EXPECT_EQ(launch(*negation, x).status().code(), StatusCode::kInvalidArgument);
  gate.open = true;
  EXPECT_EQ(literal_from_buffer(*y)->to_string(), "f32[3] {1, 2, 3}");
  EXPECT_EQ(literal_from_buffer(*z)->to_string(), "f32[3] {-1, -2, -3}");
}

TEST_F(Asynchronous, ABufferThatIsRemovedLivesForRunsThatWait) {
  const auto first = gated(), negation = program("negate(x)");
  const BufferPtr x = one_two_three();
  const BufferPtr y = *launch(*first, x), z = *launch(*negation, x);
  EXPECT_TRUE(x->remove().ok());
  gate.open = true;
  EXPECT_EQ(literal_from_buffer(*z)->to_string(), "f32[3] {-1, -2, -3}");
}

TEST_F(Asynchronous, CancellingARunReachesWhoWaitsForIt) {
  const auto waits = gated(), negation = program("negate(x)");
  CancellationToken token;
  const BufferPtr y = *launch(*waits, one_two_three(), {.cancellation = &token});
  const BufferPtr z = *launch(*negation, y);
  token.cancel();
  EXPECT_EQ(literal_from_buffer(*y).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(literal_from_buffer(*z).status().code(), StatusCode::kCancelled);
}

TEST_F(Asynchronous, ACustomCallMayRunProgramsAndWaitForThem) {
  const auto negation = program("negate(x)"), outer = program("custom-call(x), custom_call_target=\"test_inner\"");
  inner = negation.get();
  EXPECT_EQ(literal_from_buffer(**launch(*outer, one_two_three()))->to_string(), "f32[3] {-1, -5, -6}");
}

TEST_F(Asynchronous, ADeadlineEndsARun) {
  const auto waits = gated();
  const BufferPtr y = *launch(*waits, one_two_three(), {.deadline = deadline_in(0.01)});
  EXPECT_EQ(literal_from_buffer(*y).status().code(), StatusCode::kDeadlineExceeded);
}

TEST_F(Asynchronous, WhatIsDroppedIsFinishedAllTheSame) {
  {
    const auto first = gated();
    ASSERT_TRUE(launch(*first, one_two_three()).ok());
    gate.open = true;
  }
  client_.reset();  // The queue ends with its client, after its tasks.
  while (gate.passed == 0) std::this_thread::yield();
}

TEST_F(Asynchronous, ManyThreadsLaunchDonateAndReadAtOnce) {
  constexpr int kThreads = 16, kTurns = 200;
  const auto negation = program("negate(x)"), by_queue = gated();
  gate.open = true;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  const BufferPtr shared = one_two_three();
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const bool donated[] = {true};
      for (int i = 0; i < kTurns; ++i) {
        const StatusOr<BufferPtr> y = launch(*negation, shared);
        if (!y.ok()) {
          ++wrong;
          continue;
        }
        const StatusOr<BufferPtr> z = launch(t % 2 == 0 ? *negation : *by_queue, *y, {.donated = donated});
        wrong += !z.ok() || (*y)->state() != BufferState::kDonated || !literal_from_buffer(**z).ok();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

/// Counts loops and runs them on the calling thread.
class CountingExecutor final : public Executor {
 public:
  std::atomic<int> loops{0};
  int threads() const override { return 4; }
  void parallel_for(int64_t tasks, FunctionRef<void(int64_t)> task) override {
    ++loops;
    for (int64_t i = 0; i < tasks; ++i) task(i);
  }
};

TEST_F(Asynchronous, ACallersOwnExecutorTakesTheTasksOfItsRunAlone) {
  const StatusOr<hlo::Module> module = hlo::parse_module(
      "HloModule f\nENTRY main {\n  x = f32[4194304] parameter(0)\n  ROOT y = f32[4194304] tanh(x)\n}\n");
  const std::unique_ptr<Executable> program = *client_->compile(*module, {}, nullptr);
  const BufferPtr x = tests::argument_of(*program, Literal(program->argument_shapes()[0]));
  CountingExecutor mine;
  BufferPtr y;
  ASSERT_TRUE(program->execute({&x, 1}, {&y, 1}, {.executor = &mine}).ok());
  EXPECT_EQ(mine.loops, 1);
  ASSERT_TRUE(program->execute({&x, 1}, {&y, 1}).ok());
  EXPECT_EQ(mine.loops, 1);
  const DeviceRun run{{&x, 1}, {&y, 1}};
  const StatusOr<Event> event = program->launch({&run, 1}, {.executor = &mine, .asynchronous = true});
  ASSERT_TRUE(event.ok() && event->await().ok());
  EXPECT_EQ(mine.loops, 2);
}

TEST_F(Asynchronous, ReplicasOfTwoRunsNeverWaitForEachOtherCrosswise) {
  const hlo::Module module = *hlo::parse_module(R"(HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
ENTRY main {
  p = f32[3] parameter(0)
  ROOT r = f32[3] all-reduce(p), replica_groups={}, to_apply=add
})");
  CompileOptions compile;
  compile.replica_count = 2;
  const std::unique_ptr<Executable> total = *client_->compile(module, compile, nullptr);
  const BufferPtr arguments[] = {tests::argument_of(*total, Literal::array<float>({3}, {1, 2, 3}), 0),
                                 tests::argument_of(*total, Literal::array<float>({3}, {10, 20, 30}), 1)};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        BufferPtr results[2];
        const DeviceRun runs[] = {{{&arguments[0], 1}, {&results[0], 1}}, {{&arguments[1], 1}, {&results[1], 1}}};
        const StatusOr<Event> event = total->launch(runs, {.asynchronous = true});
        wrong += !event.ok() || !event->await().ok() ||
                 literal_from_buffer(*results[1])->to_string() != "f32[3] {11, 22, 33}";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace hilo
