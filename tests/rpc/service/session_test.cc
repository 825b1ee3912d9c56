// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>

#include "hilo/base/text.h"
#include "hilo/client/platforms.h"
#include "hilo/hlo/ops/custom_call_registry.h"
#include "hilo/hlo/ops/custom_call_results.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"

namespace hilo::rpc {
namespace {

constexpr const char* kTwice =
    "HloModule twice\nENTRY e {\n  x = f32[3] parameter(0)\n  ROOT y = f32[3] add(x, x)\n}\n";
constexpr const char* kForever = R"(HloModule forever
body {
  p = (f32[2048]) parameter(0)
  x = f32[2048] get-tuple-element(p), index=0
  y = f32[2048] sine(x)
  ROOT t = (f32[2048]) tuple(y)
}
condition {
  p = (f32[2048]) parameter(0)
  x = f32[2048] get-tuple-element(p), index=0
  first = f32[1] slice(x), slice={[0:1]}
  f = f32[] reshape(first)
  two = f32[] constant(2)
  ROOT c = pred[] compare(f, two), direction=LT
}
ENTRY e {
  x = f32[2048] parameter(0)
  t = (f32[2048]) tuple(x)
  w = (f32[2048]) while(t), condition=condition, body=body
  ROOT r = f32[2048] get-tuple-element(w), index=0
})";

/// Replies by call number.
struct Replies {
  std::mutex mutex;
  std::condition_variable changed;
  std::multimap<int64_t, Reply> all;

  void add(const Reply& reply) {
    const std::scoped_lock lock(mutex);
    all.emplace(reply.id, reply);
    changed.notify_all();
  }
  Reply wait(int64_t id, size_t count = 1) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return all.count(id) >= count; });
    return std::prev(all.upper_bound(id))->second;
  }
  size_t count(int64_t id) {
    const std::scoped_lock lock(mutex);
    return all.count(id);
  }
};

class TheSession : public testing::Test {
 protected:
  void begin(const Quota& quota = {}, int64_t devices = 1) {
    session_ =
        std::make_unique<Session>(SessionOptions{.client = *make_platform_client("Host", {.replica_count = devices}),
                                                 .quota = quota,
                                                 .custom_calls = {},
                                                 .on_stuck = {}});
  }
  void TearDown() override { session_.reset(); }

  void send(const Request& request) {
    session_->handle(request, [this](const Reply& reply) { replies_.add(reply); });
  }
  /// Sends a call with the next number.
  int64_t ask(RequestBody body, std::vector<Handle> releases = {}) {
    send({.id = next_, .acked = 0, .releases = std::move(releases), .body = std::move(body)});
    return next_++;
  }
  Reply call(RequestBody body, std::vector<Handle> releases = {}) {
    return replies_.wait(ask(std::move(body), std::move(releases)));
  }
  static Upload upload(const Handle& name, std::vector<float> values, int64_t device = 0) {
    const Shape shape = Shape::array(ElementType::kF32, {std::ssize(values)});
    return {.buffer = name,
            .device = device,
            .shape = shape,
            .bytes = {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}};
  }
  std::vector<float> download(const Handle& name, int64_t count) {
    const Reply reply = call(Download{.buffer = name, .size = count * 4});
    EXPECT_TRUE(reply.status.ok()) << reply.status.to_string();
    std::vector<float> values(static_cast<size_t>(count));
    if (const auto* part = std::get_if<BytesReply>(&reply.body))
      part->bytes.copy_to(reinterpret_cast<char*>(values.data()));
    return values;
  }
  static std::string program(const char* text) { return *hlo::to_proto(*hlo::parse_module(text)); }
  void compile(const Handle& name, const char* text) {
    const Reply reply = call(Compile{.executable = name, .program = program(text)});
    ASSERT_TRUE(reply.status.ok()) << reply.status.to_string();
  }
  static Execute execute(const Handle& program, std::vector<Handle> arguments, std::vector<Handle> results) {
    return {.executable = program, .parts = {{.arguments = std::move(arguments), .results = std::move(results)}}};
  }

  Replies replies_;
  std::unique_ptr<Session> session_;
  int64_t next_ = 1;
  const Handle f_{9, 1}, x_{9, 2}, y_{9, 3}, z_{9, 4};
};

TEST_F(TheSession, GreetsWithItsDevicesAndRefusesOtherVersions) {
  begin({}, 2);
  send({.id = 0, .body = Hello{}});
  const Reply hello = replies_.wait(0);
  ASSERT_TRUE(hello.status.ok());
  const auto& body = std::get<HelloReply>(hello.body);
  EXPECT_EQ(body.platform, "Host");
  ASSERT_EQ(body.devices.size(), 2u);
  EXPECT_EQ(body.devices[1].id, 1);
  EXPECT_FALSE(body.devices[0].memories.empty());
  send({.id = 0, .body = Hello{.version = 2}});
  EXPECT_EQ(replies_.wait(0, 2).status.to_string(),
            "UNIMPLEMENTED: Hello: got version 2 of hilo.xrt; this server has version 1");
}

TEST_F(TheSession, CompilesRunsAndKeepsWhatTheClientNames) {
  begin();
  const Reply compiled = call(Compile{.executable = f_, .program = program(kTwice)});
  ASSERT_TRUE(compiled.status.ok()) << compiled.status.to_string();
  const auto& reply = std::get<CompileReply>(compiled.body);
  EXPECT_EQ(reply.signature.name, "twice");
  EXPECT_EQ(reply.signature.argument_names, std::vector<std::string>{"x"});
  EXPECT_EQ(reply.devices, std::vector<int64_t>{0});
  // None of these calls waits for an earlier reply.
  ask(upload(x_, {1, 2, 3}));
  ask(execute(f_, {x_}, {y_}));
  ask(execute(f_, {y_}, {z_}));
  ask(Free{}, {y_});
  EXPECT_EQ(download(z_, 3), (std::vector<float>{4, 8, 12}));
  EXPECT_EQ(session_->counts().buffers, 2);
  const int64_t live = session_->counts().live_bytes;  // of two arrays and a program
  EXPECT_EQ(call(Download{.buffer = y_, .size = 4}).status.to_string(), "NOT_FOUND: no such buffer");
  EXPECT_TRUE(call(Free{}, {x_, z_}).status.ok());
  EXPECT_EQ(session_->counts().live_bytes, live - 24);
  EXPECT_TRUE(call(Free{}, {f_}).status.ok());
  EXPECT_EQ(session_->counts().buffers, 0);
  EXPECT_EQ(session_->counts().executables, 0);
  EXPECT_EQ(call(execute(f_, {x_}, {y_})).status.to_string(), "NOT_FOUND: no such executable");
}

TEST_F(TheSession, ACallThatComesTwiceRunsOnce) {
  begin();
  compile(f_, kTwice);
  ask(upload(x_, {1, 2, 3}));
  const int64_t id = ask(execute(f_, {x_}, {y_}));
  ASSERT_TRUE(replies_.wait(id).status.ok());
  send({.id = id, .body = execute(f_, {x_}, {y_})});  // its handle is in use: a second run would fail
  EXPECT_TRUE(replies_.wait(id, 2).status.ok());
  EXPECT_EQ(session_->counts().buffers, 2);
  EXPECT_EQ(session_->counts().kept_replies, 3);
  send({.id = next_++, .acked = next_ - 1, .body = Free{}});
  EXPECT_EQ(session_->counts().kept_replies, 1);
  send({.id = id, .body = Free{}});
  EXPECT_EQ(replies_.wait(id, 3).status.code(), StatusCode::kInvalidArgument);
}

TEST_F(TheSession, DonatedBuffersEndAndFailuresAreWhatTheirResultsSay) {
  begin();
  compile(f_, kTwice);
  ask(upload(x_, {1, 2, 3}));
  Execute donates = execute(f_, {x_}, {y_});
  donates.donated = {0};
  EXPECT_TRUE(call(donates).status.ok());
  EXPECT_EQ(session_->counts().buffers, 1);
  EXPECT_EQ(call(execute(f_, {x_}, {z_})).status.to_string(), "NOT_FOUND: argument 0: no such buffer");
  EXPECT_EQ(call(Download{.buffer = z_, .size = 4}).status.to_string(), "NOT_FOUND: argument 0: no such buffer");
  EXPECT_TRUE(call(Free{}, {z_}).status.ok());
  ask(upload(x_, {1, 2}));
  EXPECT_EQ(call(execute(f_, {x_}, {z_})).status.to_string(),
            "INVALID_ARGUMENT: Execute 'twice': argument 0 'x' is f32[2], compiled for f32[3]");
}

TEST_F(TheSession, RefusesWhatDoesNotFit) {
  begin();
  compile(f_, kTwice);
  ask(upload(x_, {1, 2, 3}));
  const auto code = [&](RequestBody body) { return call(std::move(body)).status.code(); };
  EXPECT_EQ(code(upload(x_, {1})), StatusCode::kAlreadyExists);
  EXPECT_EQ(code(upload(y_, {1}, 1)), StatusCode::kInvalidArgument);  // no such device
  EXPECT_EQ(code(Upload{.buffer = y_, .shape = Shape::tuple({})}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Upload{.buffer = y_, .shape = Shape::array(ElementType::kF32, {1 << 20})}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Chunk{.buffer = x_, .bytes = Pieces("1234")}), StatusCode::kNotFound);
  EXPECT_EQ(code(Download{.buffer = x_, .offset = 8, .size = 8}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Download{.buffer = x_, .offset = -1, .size = 4}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Download{.buffer = x_, .offset = INT64_MAX, .size = INT64_MAX}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Slice{.from = x_, .to = y_, .index = 3}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Slice{.from = x_, .to = y_, .index = -1}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Stack{.to = y_}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Copy{.from = y_, .to = z_}), StatusCode::kNotFound);
  EXPECT_EQ(code(Execute{.executable = f_}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(execute(f_, {x_}, {})), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(execute(f_, {}, {y_})), StatusCode::kInvalidArgument);
  Execute donates = execute(f_, {x_}, {z_});
  donates.donated = {1};
  EXPECT_EQ(code(donates), StatusCode::kInvalidArgument);
  EXPECT_TRUE(call(Free{}, {z_}).status.ok());
  EXPECT_EQ(code(Compile{.executable = z_, .program = "x"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Compile{.executable = z_, .program = program(kTwice), .replica_count = 0}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Compile{.executable = z_, .program = program(kTwice), .replica_count = 2}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Compile{.executable = f_, .program = program(kTwice)}), StatusCode::kAlreadyExists);
  EXPECT_EQ(code(Hello{}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Statistics{.device = 5}), StatusCode::kInvalidArgument);
  Execute timeless = execute(f_, {x_}, {z_});
  timeless.seconds = std::numeric_limits<double>::quiet_NaN();  // a missing time, and NaN
  EXPECT_EQ(code(timeless), StatusCode::kOk);
  CompileLimits odd{.instructions = -1, .compile_seconds = timeless.seconds, .memory_bytes = -1, .run_seconds = -1};
  EXPECT_EQ(code(Compile{.executable = {7, 7}, .program = program(kTwice), .limits = odd}), StatusCode::kOk);
  EXPECT_EQ(download(x_, 3), (std::vector<float>{1, 2, 3}));  // the session continues
}

TEST_F(TheSession, CustomCallsAreRefusedUnlessTheOperatorAllowsThem) {
  begin();
  const char* const text =
      "HloModule m\nENTRY e {\n  x = f32[3] parameter(0)\n  ROOT y = f32[3] custom-call(x), "
      "custom_call_target=\"steal\"\n}\n";
  EXPECT_EQ(call(Compile{.executable = f_, .program = program(text)}).status.to_string(),
            "PERMISSION_DENIED: custom-call 'y': this server doesn't allow programs to call 'steal'");
}

TEST_F(TheSession, CallsOfAnotherPlatformMayStandWhereNobodyMakesThem) {
  begin();
  const char* const text = R"(HloModule m
there {
  p = f32[3] parameter(0)
  ROOT y = f32[3] custom-call(p), custom_call_target="of_another_platform"
}
here {
  p = f32[3] parameter(0)
  ROOT y = f32[3] add(p, p)
}
ENTRY e {
  x = f32[3] parameter(0)
  platform = s32[] constant(1)
  ROOT r = f32[3] conditional(platform, x, x), branch_computations={there, here}
})";
  compile(f_, text);
  ask(upload(x_, {1, 2, 3}));
  ask(execute(f_, {x_}, {y_}));
  EXPECT_EQ(download(y_, 3), (std::vector<float>{2, 4, 6}));
}

TEST_F(TheSession, ChunksGoToTheRoomThatIsMadeForThem) {
  alignas(64) std::array<float, 6> room{};  // aligned like arrays: it isn't copied
  int lives = 0;
  session_ = std::make_unique<Session>(
      SessionOptions{.client = *make_platform_client("Host", {}),
                     .custom_calls = {},
                     .allocate_upload = [&](const Handle& buffer, int64_t bytes) -> StatusOr<UploadMemory> {
                       if (buffer == z_) return resource_exhausted("no room");
                       EXPECT_EQ(bytes, 24);
                       ++lives;
                       return UploadMemory{reinterpret_cast<std::byte*>(room.data()),
                                           std::shared_ptr<const void>(&room, [&lives](const void*) { --lives; })};
                     },
                     .on_stuck = {}});
  const Shape shape = Shape::array(ElementType::kF32, {6});
  EXPECT_TRUE(call(Upload{.buffer = x_, .shape = shape, .is_chunked = true}).status.ok());
  std::iota(room.begin(), room.end(), 1.0f);  // as a server writes it
  const std::string_view bytes(reinterpret_cast<const char*>(room.data()), 24);
  EXPECT_TRUE(call(Chunk{.buffer = x_, .bytes = Pieces::view(bytes.substr(0, 8))}).status.ok());
  EXPECT_TRUE(call(Chunk{.buffer = x_, .offset = 8, .bytes = Pieces::view(bytes.substr(8))}).status.ok());
  EXPECT_EQ(download(x_, 6), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(call(Upload{.buffer = z_, .shape = shape, .is_chunked = true}).status.to_string(),
            "RESOURCE_EXHAUSTED: no room");
  EXPECT_EQ(lives, 1);
  call(Free{}, {x_});
  EXPECT_EQ(lives, 0);
}

TEST_F(TheSession, ValuesComeInChunksAndLieAsTheirShapeSays) {
  begin();
  const Shape shape = Shape::array(ElementType::kF32, {2, 3}).with_layout(std::vector<int64_t>{0, 1});
  ASSERT_TRUE(call(Upload{.buffer = x_, .shape = shape, .is_chunked = true}).status.ok());
  EXPECT_EQ(call(Download{.buffer = x_, .size = 4}).status.code(), StatusCode::kFailedPrecondition);
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::string bytes(reinterpret_cast<const char*>(values.data()), 24);
  EXPECT_EQ(call(Chunk{.buffer = x_, .offset = 4, .bytes = Pieces(bytes)}).status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(call(Chunk{.buffer = x_, .offset = 0, .bytes = Pieces(bytes.substr(0, 20))}).status.ok());
  EXPECT_EQ(call(Chunk{.buffer = x_, .offset = 20, .bytes = Pieces("12345")}).status.code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(call(Chunk{.buffer = x_, .offset = 20, .bytes = Pieces(bytes.substr(20))}).status.ok());
  EXPECT_EQ(download(x_, 6), values);
  const Reply part = call(Download{.buffer = x_, .offset = 12, .size = 4});
  EXPECT_EQ(std::get<BytesReply>(part.body).bytes.whole(), bytes.substr(12, 4));
}

TEST_F(TheSession, CopiesSlicesAndStacksWhereTheBuffersAre) {
  begin({}, 2);
  ask(upload(x_, {1, 2, 3}));
  ask(Copy{.from = x_, .to = y_, .device = 1});
  ask(Stack{.parts = {x_, y_}, .to = z_, .device = 1});
  EXPECT_EQ(download(z_, 6), (std::vector<float>{1, 2, 3, 1, 2, 3}));
  ask(Slice{.from = z_, .to = f_, .index = 1, .device = 0});
  EXPECT_EQ(download(f_, 3), (std::vector<float>{1, 2, 3}));
}

TEST_F(TheSession, KeepsToItsQuotas) {
  begin({.live_bytes = 1 << 20, .buffers = 3, .executables = 1});
  compile(f_, kTwice);
  const int64_t of_program = session_->counts().live_bytes;  // its code and its description count too
  EXPECT_GT(of_program, 0);
  EXPECT_EQ(call(Compile{.executable = z_, .program = program(kTwice)}).status.to_string(),
            "RESOURCE_EXHAUSTED: quota: 1 executables of 1");
  ASSERT_TRUE(call(upload(x_, {1, 2, 3})).status.ok());
  EXPECT_EQ(call(upload(y_, std::vector<float>(1 << 18))).status.to_string(),
            "RESOURCE_EXHAUSTED: quota: " + bytes_text(static_cast<uint64_t>(of_program + 12)) +
                " live of 1.00 MiB; 1.00 MiB more requested");
  ASSERT_TRUE(call(execute(f_, {x_}, {y_})).status.ok());
  ASSERT_TRUE(call(upload({1, 1}, {})).status.ok());
  EXPECT_EQ(call(upload({1, 2}, {})).status.to_string(),
            "RESOURCE_EXHAUSTED: quota: 3 live buffers of 3; 1 more requested");
  EXPECT_EQ(call(Upload{.buffer = z_, .shape = Shape::array(ElementType::kF32, {int64_t{1} << 60}), .is_chunked = true})
                .status.code(),
            StatusCode::kResourceExhausted);
  EXPECT_TRUE(call(upload(z_, {1, 2}), {y_}).status.ok());  // released memory no longer counts
}

/// A program with an argument of `count` floats and one result.
std::string first_of(int64_t count) {
  return fmt::format(
      "HloModule first\nENTRY e {{\n  x = f32[{}] parameter(0)\n  ROOT y = f32[1] slice(x), slice={{[0:1]}}\n}}\n",
      count);
}

TEST_F(TheSession, WhatRunsHoldCountsUntilTheyEnd) {
  constexpr int64_t kLarge = 1 << 18;  // floats: 1 MiB
  begin({.live_bytes = 3 << 20});
  compile(f_, kForever);
  compile({8, 1}, first_of(kLarge).c_str());
  ask(upload(x_, std::vector<float>(2048)));
  const int64_t endless = ask(execute(f_, {x_}, {y_}));
  const int64_t before = session_->counts().live_bytes;
  const auto large = [&](const Handle& name) { return call(upload(name, std::vector<float>(kLarge))).status; };
  ASSERT_TRUE(large({1, 1}).ok());
  ask(execute({8, 1}, {{1, 1}}, {{2, 1}}));
  ASSERT_TRUE(large({1, 2}).ok());
  const int64_t last = ask(execute({8, 1}, {{1, 2}}, {{2, 2}}));
  call(Free{}, {{1, 1}, {1, 2}});
  EXPECT_GE(session_->counts().live_bytes, before + (2 << 20));  // pending runs still read them
  EXPECT_EQ(large({1, 3}).code(), StatusCode::kResourceExhausted);
  ASSERT_TRUE(call(Cancel{.call = endless}).status.ok());
  ASSERT_TRUE(replies_.wait(last).status.ok());
  EXPECT_LT(session_->counts().live_bytes, before + 4096);
  EXPECT_TRUE(large({1, 3}).ok());
  // A result counts too if its handle is released before it is computed.
  call(Free{}, {{1, 3}});
}

TEST_F(TheSession, AResultThatIsReleasedBeforeItIsThereCountsUntilItsRunEnds) {
  const char* const kBig =
      "HloModule big\nENTRY e {\n  x = f32[1] parameter(0)\n  b = f32[1,262144] broadcast(x), dimensions={0}\n  ROOT y "
      "= "
      "f32[262144] reshape(b)\n}\n";
  begin({.live_bytes = 2 << 20});
  compile(f_, kForever);
  compile({8, 1}, kBig);
  ask(upload(x_, std::vector<float>(2048)));
  ask(upload(z_, {1}));
  const int64_t endless = ask(execute(f_, {x_}, {y_}));
  const int64_t big = ask(execute({8, 1}, {z_}, {{2, 1}}));
  call(Free{}, {{2, 1}});
  EXPECT_EQ(call(execute({8, 1}, {z_}, {{2, 2}})).status.code(), StatusCode::kResourceExhausted);
  call(Cancel{.call = endless});
  EXPECT_TRUE(replies_.wait(big).status.ok());
  EXPECT_TRUE(call(execute({8, 1}, {z_}, {{2, 3}})).status.ok());
}

TEST_F(TheSession, AStateThatIsDonatedFromStepToStepCountsOnce) {
  constexpr int64_t kCount = 1 << 18;
  const std::string step = fmt::format(
      "HloModule step, input_output_alias={{ {{}}: (0, {{}}, may-alias) }}\nENTRY e {{\n  x = f32[{0}] parameter(0)\n  "
      "ROOT "
      "y = f32[{0}] add(x, x)\n}}\n",
      kCount);
  begin({.live_bytes = 5 << 19});  // two and a half arrays
  compile(f_, kForever);
  compile({8, 1}, step.c_str());
  ask(upload(x_, std::vector<float>(2048)));
  ASSERT_TRUE(call(upload({5, 0}, std::vector<float>(kCount))).status.ok());
  const int64_t endless = ask(execute(f_, {x_}, {y_}));
  int64_t last = 0;
  for (uint64_t i = 0; i < 20; ++i) {  // without waiting for earlier calls
    Execute run = execute({8, 1}, {{5, i}}, {{5, i + 1}});
    run.donated = {0};
    last = ask(run);
  }
  call(Cancel{.call = endless});
  EXPECT_TRUE(replies_.wait(last).status.ok()) << replies_.wait(last).status.to_string();
  EXPECT_LT(session_->counts().live_bytes, 3 << 19);
}

TEST_F(TheSession, ProgramsCountWithTheirConstantsAndWhileTheyWait) {
  std::string values;
  for (int i = 0; i < 20000; ++i) values += fmt::format("{}{}", i == 0 ? "" : ",", i % 97);
  const std::string text = fmt::format(
      "HloModule c\nENTRY e {{\n  p = s32[] parameter(0)\n  c = f32[20000] constant({{{}}})\n  ROOT r = f32[1] "
      "dynamic-slice(c, p), dynamic_slice_sizes={{1}}\n}}\n",
      values);
  begin({.live_bytes = 1 << 20});
  uint64_t made = 0;
  while (made < 20 && call(Compile{.executable = {6, made}, .program = program(text.c_str())}).status.ok()) ++made;
  EXPECT_GT(made, 1u);
  EXPECT_LE(made, 12u);  // of 80,000 bytes each
  EXPECT_GE(session_->counts().live_bytes, static_cast<int64_t>(made) * 80000);
  std::vector<Handle> all;
  for (uint64_t i = 0; i < made; ++i) all.push_back({6, i});
  call(Free{}, all);
  EXPECT_EQ(session_->counts().live_bytes, 0);
  EXPECT_EQ(call(Compile{.executable = {6, 99}, .program = std::string(1 << 20, 'x')}).status.code(),
            StatusCode::kResourceExhausted);  // before the body is read
}

TEST_F(TheSession, AnExecutableHasItsPlaceBeforeItIsCompiled) {
  begin({.executables = 2});
  std::vector<int64_t> calls;
  for (uint64_t i = 0; i < 6; ++i) calls.push_back(ask(Compile{.executable = {6, i}, .program = program(kTwice)}));
  int made = 0;
  for (const int64_t id : calls) made += replies_.wait(id).status.ok() ? 1 : 0;
  EXPECT_EQ(made, 2);
  EXPECT_EQ(session_->counts().executables, 2);
  call(Free{}, {{6, 0}, {6, 1}});
  EXPECT_TRUE(call(Compile{.executable = {7, 0}, .program = program(kTwice)}).status.ok());
  EXPECT_FALSE(call(Compile{.executable = {7, 1}, .program = "x"}).status.ok());  // a failed call frees its slot
  EXPECT_TRUE(call(Compile{.executable = {7, 2}, .program = program(kTwice)}).status.ok());
}

TEST_F(TheSession, ACopyThatIsReadInPartsCounts) {
  begin({.live_bytes = 100});
  const Shape shape = Shape::array(ElementType::kF32, {2, 3}).with_layout(std::vector<int64_t>{0, 1});
  for (const Handle& name : {x_, y_, z_}) {
    ASSERT_TRUE(call(Upload{.buffer = name, .shape = shape, .bytes = std::string(24, 'a')}).status.ok());
  }
  EXPECT_TRUE(call(Download{.buffer = x_, .size = 4}).status.ok());
  EXPECT_EQ(session_->counts().live_bytes, 96);
  EXPECT_EQ(call(Download{.buffer = y_, .size = 4}).status.code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(call(Download{.buffer = x_, .offset = 20, .size = 4}).status.ok());  // the last part
  EXPECT_EQ(session_->counts().live_bytes, 72);
}

TEST_F(TheSession, ReplyOfAnObservedCompilationCountsUntilTheClientHasIt) {
  begin();
  ASSERT_TRUE(call(Compile{.executable = f_, .program = program(kTwice), .is_observed = true}).status.ok());
  const int64_t with_reply = session_->counts().live_bytes;
  send({.id = next_, .acked = next_, .body = Free{}});
  replies_.wait(next_++);
  EXPECT_LT(session_->counts().live_bytes, with_reply - 100);
}

TEST_F(TheSession, AnUndefinedArrayIsZeros) {
  begin();
  for (const int64_t count : {1, 3, 16, 100, 3000, 70000}) {
    ASSERT_TRUE(call(upload(x_, std::vector<float>(static_cast<size_t>(count), 7))).status.ok());
    call(Free{}, {x_});  // the memory is reused for the next array
    const Shape shape = Shape::array(ElementType::kF32, {count});
    ASSERT_TRUE(call(Upload{.buffer = y_, .shape = shape, .is_undefined = true}).status.ok());
    EXPECT_EQ(download(y_, count), std::vector<float>(static_cast<size_t>(count))) << count;
    call(Free{}, {y_});
  }
}

TEST_F(TheSession, ResultsThatAHandlerDoesNotFillAreZeros) {
  const auto registered =
      register_custom_call("test.fills_nothing", [](const CustomCallFrame&) { return ok_status(); });
  ASSERT_TRUE(registered.ok());
  session_ = std::make_unique<Session>(SessionOptions{
      .client = *make_platform_client("Host", {}), .custom_calls = {"test.fills_nothing"}, .on_stuck = {}});
  compile(f_,
          "HloModule m\nENTRY e {\n  x = f32[900] parameter(0)\n  ROOT y = f32[900] custom-call(x), "
          "custom_call_target=\"test.fills_nothing\"\n}\n");
  clear_custom_call_results();  // as workers do
  ASSERT_TRUE(call(upload(x_, std::vector<float>(900, 7))).status.ok());
  for (uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(call(upload({5, i}, std::vector<float>(900, 7))).status.ok());
    call(Free{}, {{5, i}});
    ASSERT_TRUE(call(execute(f_, {x_}, {{6, i}})).status.ok());
    EXPECT_EQ(download({6, i}, 900), std::vector<float>(900));
  }
  clear_custom_call_results(false);
}

TEST_F(TheSession, ACompilationThatDoesNotStopIsAnsweredBeforeTheSessionEnds) {
  std::mutex mutex;
  std::condition_variable changed;
  bool may_end = false;
  session_ = std::make_unique<Session>(
      SessionOptions{.client = *make_platform_client("Host", {}),
                     .quota = {.compile_seconds = 0.01},
                     .custom_calls = {},
                     .compile = [&](const hlo::Module&, const CompileOptions&,
                                    hlo::PassObserver*) -> StatusOr<std::shared_ptr<Executable>> {
                       std::unique_lock lock(mutex);
                       changed.wait(lock, [&] { return may_end; });  // LLVM doesn't poll a stop flag
                       return internal_error("it ended late");
                     },
                     .on_stuck = [&](const std::function<void()>& answer) { answer(); }});
  const int64_t id = ask(Compile{.executable = f_, .program = program(kTwice)});
  EXPECT_EQ(replies_.wait(id).status.code(), StatusCode::kDeadlineExceeded);
  const std::scoped_lock lock(mutex);
  may_end = true;
  changed.notify_all();
  EXPECT_EQ(replies_.count(id), 1u);
}

TEST_F(TheSession, ARunHasItsOwnTimeOnItsOwnDevice) {
  begin({.run_seconds = 0.05}, 2);
  for (const int64_t device : {0, 1}) {
    const auto id = static_cast<uint64_t>(device);
    ASSERT_TRUE(call(Compile{.executable = {6, id}, .program = program(kForever), .devices = {device}}).status.ok());
    ask(upload({5, id}, std::vector<float>(2048), device));
  }
  Execute unbounded = execute({6, 0}, {{5, 0}}, {{4, 0}});
  std::vector<int64_t> first;
  for (uint64_t i = 0; i < 20; ++i) {
    unbounded.parts[0].results = {{4, i}};
    first.push_back(ask(unbounded));
  }
  Execute there = execute({6, 1}, {{5, 1}}, {{3, 1}});
  there.device = 1;
  EXPECT_EQ(call(there).status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(replies_.count(first.back()), 0u);  // of twenty runs on the other device, one or two have ended
  for (const int64_t id : first) call(Cancel{.call = id});
}

TEST_F(TheSession, TooManyCallsAtOnceAreRefused) {
  begin({.calls_in_flight = 2});
  ask(Free{});
  ask(Free{});
  EXPECT_EQ(call(Free{}).status.to_string(), "RESOURCE_EXHAUSTED: quota: 2 calls in flight of 2");
  send({.id = 9, .acked = 9, .body = Free{}});
  EXPECT_TRUE(replies_.wait(9).status.ok());
}

TEST_F(TheSession, AnEndlessProgramStopsWhenItIsCancelledOrItsTimeIsOver) {
  begin({.run_seconds = 0.05});
  compile(f_, kForever);
  const Upload zeros = upload(x_, std::vector<float>(2048));
  ask(zeros);
  const int64_t run = ask(execute(f_, {x_}, {y_}));
  const int64_t later = ask(execute(f_, {x_}, {z_}));  // its time starts when it starts
  EXPECT_EQ(replies_.wait(run).status.code(), StatusCode::kDeadlineExceeded) << replies_.wait(run).status.to_string();
  EXPECT_EQ(replies_.wait(later).status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(call(Download{.buffer = y_, .size = 4}).status.code(), StatusCode::kDeadlineExceeded);
  Execute cancelled = execute(f_, {x_}, {{7, 1}});
  cancelled.seconds = 3600;
  begin();  // without a quota
  compile(f_, kForever);
  ask(zeros);
  const int64_t call_id = ask(cancelled);
  EXPECT_TRUE(call(Cancel{.call = call_id}).status.ok());
  EXPECT_EQ(replies_.wait(call_id).status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(call(Cancel{.call = 12345}).status.ok());
  cancelled.seconds = 0.05;
  cancelled.parts[0].results = {{7, 2}};
  EXPECT_EQ(call(cancelled).status.code(), StatusCode::kDeadlineExceeded);
  cancelled.seconds = -1;
  cancelled.parts[0].results = {{7, 3}};
  const int64_t last = ask(cancelled);
  session_.reset();  // ends running programs
  EXPECT_EQ(replies_.wait(last).status.code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace hilo::rpc
