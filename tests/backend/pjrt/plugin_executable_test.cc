// SPDX-License-Identifier: Apache-2.0
// Programs on a plugin: formats, shapes, donation, replicas, events, disk cache.
#include "hilo/backend/pjrt/plugin_executable.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "hilo/backend/custom_call.h"
#include "hilo/device/buffer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/inspect/profile/profile.h"
#include "tests/paths.h"
#include "tests/support/fake_plugins.h"

namespace hilo::plugins {
namespace {

constexpr char kAdd[] = R"(HloModule add
ENTRY e {
  a = f32[2,3] parameter(0)
  b = f32[2,3] parameter(1)
  s = f32[2,3] add(a, b)
  ROOT t = f32[3,2] transpose(s), dimensions={1,0}
})";

constexpr char kSum[] = R"(HloModule sum, replica_count=2
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}
ENTRY e {
  a = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(a), replica_groups={{0,1}}, to_apply=add
})";

/// Runs each test with HLO and with StableHLO.
class Programs : public testing::TestWithParam<ProgramFormat> {
 protected:
  void TearDown() override {
    plan_.fail_at = plan_.fail_events_at = -1;
    plan_.holds_work = false;
    client_.reset();
    while (plan_.live != 0) std::this_thread::yield();
  }
  std::unique_ptr<Executable> compiled(const std::string& text, const CompileOptions& options = {}) {
    StatusOr<std::unique_ptr<Executable>> made = client_->compile(*hlo::parse_module(text), options, nullptr);
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    return *std::move(made);
  }
  BufferPtr buffer(const Literal& value, int device = 0) {
    return *buffer_from_literal(*client_->devices()[static_cast<size_t>(device)], value);
  }
  static Literal numbers() { return Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6}); }
  static std::vector<float> floats(const BufferPtr& buffer) {
    const StatusOr<Literal> value = literal_from_buffer(*buffer);
    EXPECT_TRUE(value.ok()) << value.status().to_string();
    return {value->data<float>().begin(), value->data<float>().end()};
  }

  tests::FakePluginPlan& plan_ = tests::fake_plugin_plan();
  ClientPtr client_ = tests::fake_plugin_client(2, GetParam());
};

const std::vector<float> kTwice = {2, 8, 4, 10, 6, 12};

TEST_P(Programs, RunOnAnyDeviceNowAndLater) {
  const auto program = compiled(kAdd);
  EXPECT_EQ(program->units().size(), 1u);
  EXPECT_EQ(program->optimized_module()->name, "add");
  for (const int device : {0, 1}) {
    for (const bool later : {false, true}) {
      const BufferPtr x = buffer(numbers(), device);
      const BufferPtr arguments[] = {x, x};
      BufferPtr result;
      ExecuteOptions options;
      options.asynchronous = later;
      plan_.holds_work = later;
      const DeviceRun run{arguments, {&result, 1}};
      const StatusOr<Event> event = program->launch({&run, 1}, options);
      ASSERT_TRUE(event.ok()) << event.status().to_string();
      EXPECT_EQ(event->is_ready(), !later);
      plan_.holds_work = false;
      EXPECT_EQ(floats(result), kTwice);
      EXPECT_EQ(result->device(), x->device());
    }
  }
}

TEST_P(Programs, ShapesAreCheckedHere) {
  const auto program = compiled(kAdd);
  const BufferPtr good = buffer(numbers()), bad = buffer(Literal::array<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  BufferPtr result;
  const BufferPtr arguments[] = {good, bad}, mixed[] = {good, buffer(numbers(), 1)};
  EXPECT_EQ(program->execute(arguments, {&result, 1}).code(), StatusCode::kInvalidArgument);
  const Status status = program->execute(mixed, {&result, 1});
  EXPECT_NE(status.message().find("is a buffer of Fake:1, the program runs on Fake:0"), std::string_view::npos)
      << status.to_string();
}

TEST_P(Programs, DonationIsEachRunsBusiness) {
  const std::string aliased = std::string(kAdd).insert(13, ", input_output_alias={ {}: (0, {}, may-alias) }");
  const auto program = compiled(std::string(aliased).replace(
      aliased.find("ROOT t = f32[3,2] transpose(s), dimensions={1,0}"), 48, "ROOT t = f32[2,3] negate(s)"));
  for (const bool later : {false, true}) {
    const BufferPtr kept = buffer(numbers()), given = buffer(numbers());
    const BufferPtr arguments[] = {given, kept};
    BufferPtr result;
    ASSERT_TRUE(program->execute(arguments, {&result, 1}).ok());
    EXPECT_EQ(given->state(), BufferState::kLive) << "whatever the header says";
    const bool donated[] = {true, false};
    ExecuteOptions options{.donated = donated};
    options.asynchronous = later;
    const DeviceRun run{arguments, {&result, 1}};
    ASSERT_TRUE(program->launch({&run, 1}, options).ok());
    EXPECT_EQ(given->state(), BufferState::kDonated);
    EXPECT_EQ(kept->state(), BufferState::kLive);
    EXPECT_EQ(floats(result)[5], -12);
    EXPECT_FALSE(literal_from_buffer(*given).ok());
    const BufferPtr twice[] = {kept, kept};
    EXPECT_EQ(program->execute(twice, {&result, 1}, {.donated = donated}).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(kept->state(), BufferState::kLive);
  }
}

TEST_P(Programs, TakeTheMemoryOfWhatARunDonates) {
  const auto program = compiled(
      "HloModule f, input_output_alias={ {1}: (0, {1}, must-alias) }\nENTRY e {\n  p = (f32[], f32[2,3]) parameter(0)\n"
      "  a = f32[] get-tuple-element(p), index=0\n  b = f32[2,3] get-tuple-element(p), index=1\n"
      "  n = f32[2,3] negate(b)\n  ROOT t = (f32[], f32[2,3]) tuple(a, n)\n}");
  const BufferPtr given = buffer(numbers()), number = buffer(Literal::scalar(7.0f));
  const BufferPtr arguments[] = {number, given};
  BufferPtr results[2];
  plan_.taken = 0;
  ASSERT_TRUE(program->execute(arguments, results).ok());
  EXPECT_EQ(plan_.taken, 0) << "though the program's header says must";
  EXPECT_EQ(floats(given)[5], 6);
  const bool other[] = {true, false}, donated[] = {false, true};
  ASSERT_TRUE(program->execute(arguments, results, {.donated = other}).ok());
  EXPECT_EQ(plan_.taken, 0);
  EXPECT_EQ(number->state(), BufferState::kDonated);
  const BufferPtr again[] = {buffer(Literal::scalar(8.0f)), given};
  ASSERT_TRUE(program->execute(again, results, {.donated = donated}).ok());
  EXPECT_EQ(plan_.taken, 1);
  EXPECT_EQ(given->state(), BufferState::kDonated);
  EXPECT_EQ(floats(results[1])[5], -6);
}

/// Counts the calls of `sum`, a C++ function that sums an array.
std::atomic<int> sums{0};
Status sum(const CustomCallFrame& frame) {
  HILO_ASSIGN_OR_RETURN(const float start, frame.attribute<float>("start"));
  if (start < 0) return out_of_range("a sum starts at 0");
  const std::span x(static_cast<const float*>(frame.operands[0].data),
                    static_cast<size_t>(frame.operands[0].element_count()));
  *static_cast<float*>(frame.results[0].data) = std::accumulate(x.begin(), x.end(), start);
  ++sums;
  return ok_status();
}
std::string sum_of(const std::string& target, const std::string& start) {
  return "HloModule f\nENTRY e {\n  a = f32[2,3] parameter(0)\n  ROOT t = f32[] custom-call(a), custom_call_target=\"" +
         target + "\", api_version=API_VERSION_TYPED_FFI, backend_config={start = " + start + " : f32}\n}";
}

TEST_P(Programs, CallFunctionsOfThisProcess) {
  static const Status once = register_custom_call("tests.sum", sum);
  static const Status own = register_custom_call("tests.own_sum", sum, CustomCallMeaning::kInThisProcess);
  ASSERT_TRUE(once.ok() && own.ok());
  const auto program = compiled(sum_of("tests.sum", "1.0"));
  const BufferPtr x = buffer(numbers());
  const BufferPtr arguments[] = {x};
  BufferPtr result;
  sums = 0;
  ASSERT_TRUE(program->execute(arguments, {&result, 1}).ok());
  EXPECT_EQ(floats(result), std::vector<float>{22});
  EXPECT_EQ(sums, 1);
  const StatusOr<std::string> bytes = program->serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
  const auto loaded = client_->load(*bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().to_string();
  ASSERT_TRUE((*loaded)->execute(arguments, {&result, 1}).ok());
  EXPECT_EQ(floats(result), std::vector<float>{22});
  const Status refused = compiled(sum_of("tests.sum", "-1.0"))->execute(arguments, {&result, 1});
  EXPECT_EQ(refused.code(), StatusCode::kOutOfRange) << refused.to_string();
  EXPECT_NE(refused.message().find("a sum starts at 0"), std::string_view::npos) << refused.to_string();
  EXPECT_EQ(compiled(sum_of("tests.own_sum", "1.0"))->serialize().status().code(), StatusCode::kUnimplemented);
}

TEST_P(Programs, CallNoFunctionsOfThisProcessWhereAPluginCant) {
  static const Status once = register_custom_call("tests.sum_elsewhere", sum);
  ASSERT_TRUE(once.ok());
  for (const char* variable : {"gpu", "no ffi", "null:PJRT_Client_PlatformName"}) {
    const tests::FakePluginCopy copy(variable);
    const ClientPtr client = *make_plugin_client({.name = "Fake", .path = copy.path(), .format = GetParam()}, {});
    const Status status =
        client->compile(*hlo::parse_module(sum_of("tests.sum_elsewhere", "1.0")), {}, nullptr).status();
    EXPECT_EQ(status.code(), StatusCode::kUnimplemented) << variable << status.to_string();
    EXPECT_NE(status.message().find("custom-call 't'"), std::string_view::npos) << status.to_string();
  }
}

TEST_P(Programs, CallFunctionsOfThisProcessOnCopiesOfWhatAGpuHas) {
  static const Status once = register_custom_call("tests.sum_of_device", sum);
  ASSERT_TRUE(once.ok());
  ASSERT_NE(::dlopen((std::string(tests::kBinDir) + "/tests/libfake_driver.so").c_str(), RTLD_NOW), nullptr);
  const tests::FakePluginCopy copy("cuda");
  const ClientPtr client = *make_plugin_client({.name = "Fake", .path = copy.path(), .format = GetParam()}, {});
  const auto run = [&](const std::string& start) -> StatusOr<float> {
    HILO_ASSIGN_OR_RETURN(const hlo::Module module, hlo::parse_module(sum_of("tests.sum_of_device", start)));
    HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> program, client->compile(module, {}, nullptr));
    HILO_ASSIGN_OR_RETURN(const BufferPtr x, buffer_from_literal(*client->devices()[0], numbers(), numbers().shape()));
    const BufferPtr arguments[] = {x};
    BufferPtr result;
    HILO_RETURN_IF_ERROR(program->execute(arguments, {&result, 1}));
    return floats(result)[0];
  };
  EXPECT_EQ(*run("1.0"), 22);
  EXPECT_EQ(run("-1.0").status().code(), StatusCode::kOutOfRange);
}

TEST_P(Programs, ReplicasMeetInOneCall) {
  CompileOptions options;
  options.replica_count = 2;
  const auto program = compiled(kSum, options);
  std::vector<std::vector<BufferPtr>> arguments(2);
  for (int k : {0, 1})
    arguments[static_cast<size_t>(k)].push_back(
        buffer(Literal::array<float>({2}, {1, 10.0f * static_cast<float>(k)}), k));
  for (int i = 0; i < 3; ++i) {
    const auto results = execute_replicas(*program, arguments);
    ASSERT_TRUE(results.ok()) << results.status().to_string();
    for (int k : {0, 1}) EXPECT_EQ(floats((*results)[static_cast<size_t>(k)][0]), (std::vector<float>{2, 10}));
  }
  BufferPtr result;
  EXPECT_EQ(program->execute(arguments[0], {&result, 1}).code(), StatusCode::kInvalidArgument);
}

TEST_P(Programs, ThatDontMeetRunOnEveryDevice) {
  CompileOptions options;
  options.replica_count = 2;
  const auto program = compiled(kAdd, options);
  std::vector<std::vector<BufferPtr>> arguments(2);
  for (int k : {0, 1}) arguments[static_cast<size_t>(k)].assign(2, buffer(numbers(), k));
  const auto results = execute_replicas(*program, arguments);
  ASSERT_TRUE(results.ok()) << results.status().to_string();
  for (const auto& of_device : *results) EXPECT_EQ(floats(of_device[0]), kTwice);
}

TEST_P(Programs, TuplesAndLayoutsAreFlatAndRowMajorOutside) {
  const auto program = compiled(R"(HloModule tuples
ENTRY e {
  p = (f32[2,3], (s32[], f32[2])) parameter(0)
  a = f32[2,3] get-tuple-element(p), index=0
  q = (s32[], f32[2]) get-tuple-element(p), index=1
  c = f32[2,3]{0,1} copy(a)
  ROOT t = ((s32[], f32[2]), f32[2,3]{0,1}) tuple(q, c)
})");
  const BufferPtr arguments[] = {buffer(numbers()), buffer(Literal::scalar<int32_t>(7)),
                                 buffer(Literal::array<float>({2}, {8, 9}))};
  BufferPtr results[3];
  const Status status = program->execute(arguments, results);
  ASSERT_TRUE(status.ok()) << status.to_string();
  EXPECT_EQ(literal_from_buffer(*results[0])->data<int32_t>()[0], 7);
  EXPECT_EQ(floats(results[2]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(results[2]->shape().has_default_layout());
}

TEST_P(Programs, HaveNoScalarsInThePlaceOfArrays) {
  const auto program = compiled(R"(HloModule scalars
ENTRY e {
  p = pred[] parameter(0)
  a = f32[2,3] parameter(1)
  low = f32[] constant(2)
  high = f32[] constant(5)
  c = f32[2,3] clamp(low, a, high)
  ROOT s = f32[2,3] select(p, c, a)
})");
  for (const hlo::Instruction& i : program->optimized_module()->entry->instructions()) {
    if (i.opcode != hlo::Opcode::kSelect && i.opcode != hlo::Opcode::kClamp) continue;
    for (const hlo::InstructionId operand : i.operands)
      EXPECT_EQ(program->optimized_module()->entry->instruction(operand).shape.rank(), 2);
  }
  for (const bool p : {false, true}) {
    const BufferPtr arguments[] = {buffer(Literal::scalar<bool>(p)), buffer(numbers())};
    BufferPtr result;
    ASSERT_TRUE(program->execute(arguments, {&result, 1}).ok());
    EXPECT_EQ(floats(result), p ? (std::vector<float>{2, 2, 3, 4, 5, 5}) : (std::vector<float>{1, 2, 3, 4, 5, 6}));
  }
}

TEST_P(Programs, WhatFailsIsSaid) {
  const auto program = compiled(kAdd);
  const BufferPtr x = buffer(numbers());
  const BufferPtr arguments[] = {x, x};
  BufferPtr result;
  plan_.calls = 0;
  plan_.fail_code = 8;
  plan_.fail_at = 0;
  EXPECT_EQ(program->execute(arguments, {&result, 1}).to_string(),
            "RESOURCE_EXHAUSTED: Execute 'add': fake plugin: as planned");
  plan_.fail_at = -1;
  EXPECT_EQ(result, nullptr);
  for (const bool later : {false, true}) {
    ASSERT_TRUE(x->ready().await().ok());
    plan_.work = 0;
    plan_.fail_events_at = 0;
    ExecuteOptions options;
    options.asynchronous = later;
    const DeviceRun run{arguments, {&result, 1}};
    const StatusOr<Event> event = program->launch({&run, 1}, options);
    const Status status = event.ok() ? event->await() : event.status();
    EXPECT_EQ(status.to_string(), "DATA_LOSS: Execute 'add': fake plugin: the work was lost");
    EXPECT_EQ(event.ok(), later);
    if (later) {
      EXPECT_EQ(literal_from_buffer(*result).status().code(), StatusCode::kDataLoss);
    }
    plan_.fail_events_at = -1;
  }
}

TEST_P(Programs, AWaitEndsAtItsDeadline) {
  const auto program = compiled(kAdd);
  const BufferPtr x = buffer(numbers());
  ASSERT_TRUE(x->ready().await().ok());
  const BufferPtr arguments[] = {x, x};
  BufferPtr result;
  plan_.holds_work = true;
  ExecuteOptions options;
  options.deadline = deadline_in(1e-6);
  const Status status = program->execute(arguments, {&result, 1}, options);
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status.to_string();
  CancellationToken token;
  token.cancel();
  options = {};
  options.cancellation = &token;
  EXPECT_EQ(program->execute(arguments, {&result, 1}, options).code(), StatusCode::kCancelled);
  plan_.holds_work = false;
  EXPECT_TRUE(program->execute(arguments, {&result, 1}).ok());
}

TEST_P(Programs, KeepWhatABitcastMeansThoughPluginsGetNoLayouts) {
  const auto program =
      client_->compile(*hlo::parse_module("HloModule f\nENTRY e {\n  c = f32[2,3] constant({{0, 1, 2}, {3, 4, 5}})\n"
                                          "  a = f32[2,3]{0,1} copy(c)\n  ROOT t = f32[6] bitcast(a)\n}"),
                       {}, nullptr);
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  BufferPtr result;
  ASSERT_TRUE((*program)->execute({}, {&result, 1}).ok());
  EXPECT_EQ(literal_from_buffer(*result)->to_string(), "f32[6] {0, 3, 1, 4, 2, 5}");
}

TEST_P(Programs, ThatNoPluginRunsAreRefusedWhenCompiled) {
  const auto error = [&](const std::string& text) {
    return client_->compile(*hlo::parse_module(text), {}, nullptr).status().to_string();
  };
  EXPECT_EQ(error("HloModule f\nENTRY e {\n  ROOT t = token[] after-all()\n}"),
            "UNIMPLEMENTED: Compile 'f': a result is a token[]; plugins support arrays only");
  const std::string call = error(
      "HloModule f\nENTRY e {\n  a = f32[2] parameter(0)\n  ROOT t = f32[2] custom-call(a), "
      "custom_call_target=\"nobody_has_it\", metadata={source_file=\"train.cc\" source_line=41}\n}");
  EXPECT_NE(call.find("(train.cc:41)"), std::string::npos) << call;
  EXPECT_NE(call.find("UNIMPLEMENTED: Compile 'f'"), std::string::npos) << call;
}

TEST_P(Programs, AreLoadedAsTheyWereSaved) {
  CompileOptions both;
  both.replica_count = 2;
  const auto alone = compiled(kAdd), together = compiled(kSum, both);
  const StatusOr<std::string> bytes = alone->serialize(), more = together->serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
  ASSERT_TRUE(more.ok()) << more.status().to_string();
  const auto loaded = client_->load(*bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().to_string();
  EXPECT_EQ((*loaded)->name(), "add");
  EXPECT_EQ((*loaded)->signature().argument_names, alone->signature().argument_names);
  const BufferPtr x = buffer(numbers(), 1);
  const BufferPtr arguments[] = {x, x};
  BufferPtr result;
  ASSERT_TRUE((*loaded)->execute(arguments, {&result, 1}).ok());
  EXPECT_EQ(floats(result), kTwice);
  const auto met = client_->load(*more);
  ASSERT_TRUE(met.ok()) << met.status().to_string();
  EXPECT_TRUE((*met)->signature().meets_others);
  EXPECT_EQ((*met)->devices().size(), 2u);

  EXPECT_EQ(client_->load("").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(client_->load(bytes->substr(0, bytes->size() - 1)).status().code(), StatusCode::kInvalidArgument);
  std::string damaged = *bytes;
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_EQ(client_->load(damaged).status().code(), StatusCode::kInvalidArgument);
  const tests::FakePluginCopy copy("");
  const ClientPtr other = *make_plugin_client({.name = "Fake", .path = copy.path()}, {});
  EXPECT_EQ(other->load(*bytes).status().code(), StatusCode::kFailedPrecondition);
}

TEST_P(Programs, RunFromManyThreads) {
  const auto program = compiled(kAdd);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 8; ++i) {
        const BufferPtr x = buffer(numbers(), t % 2);
        const BufferPtr arguments[] = {x, x};
        BufferPtr result;
        ExecuteOptions options;
        options.asynchronous = i % 2 == 0;
        const DeviceRun run{arguments, {&result, 1}};
        wrong += program->launch({&run, 1}, options).ok() && floats(result) == kTwice ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Forms, Programs, testing::Values(ProgramFormat::kHlo, ProgramFormat::kStablehlo),
                         [](const auto& info) {
                           return std::string(info.param == ProgramFormat::kHlo ? "Hlo" : "Stablehlo");
                         });

}  // namespace
}  // namespace hilo::plugins
