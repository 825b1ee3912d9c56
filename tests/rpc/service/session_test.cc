// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/session.h"

#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>

#include "hilo/client/platforms.h"
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

/// Replies by the number of their call.
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
  /// A call with the next number.
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
            "UNIMPLEMENTED: Hello: version 2 of hilo.xrt; this server speaks version 1");
}

TEST_F(TheSession, CompilesRunsAndKeepsWhatTheClientNames) {
  begin();
  const Reply compiled = call(Compile{.executable = f_, .program = program(kTwice)});
  ASSERT_TRUE(compiled.status.ok()) << compiled.status.to_string();
  const auto& reply = std::get<CompileReply>(compiled.body);
  EXPECT_EQ(reply.signature.name, "twice");
  EXPECT_EQ(reply.signature.argument_names, std::vector<std::string>{"x"});
  EXPECT_EQ(reply.devices, std::vector<int64_t>{0});
  // None of these waits for another's reply.
  ask(upload(x_, {1, 2, 3}));
  ask(execute(f_, {x_}, {y_}));
  ask(execute(f_, {y_}, {z_}));
  ask(Free{}, {y_});
  EXPECT_EQ(download(z_, 3), (std::vector<float>{4, 8, 12}));
  EXPECT_EQ(session_->counts().buffers, 2);
  EXPECT_EQ(session_->counts().live_bytes, 24);
  EXPECT_EQ(call(Download{.buffer = y_, .size = 4}).status.to_string(), "NOT_FOUND: no such buffer");
  EXPECT_TRUE(call(Free{}, {x_, z_, f_}).status.ok());
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
  send({.id = id, .body = execute(f_, {x_}, {y_})});  // its name is taken: a second run would fail
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
  timeless.seconds = std::numeric_limits<double>::quiet_NaN();  // no time at all, and none that isn't a number
  EXPECT_EQ(code(timeless), StatusCode::kOk);
  CompileLimits odd{.instructions = -1, .compile_seconds = timeless.seconds, .memory_bytes = -1, .run_seconds = -1};
  EXPECT_EQ(code(Compile{.executable = {7, 7}, .program = program(kTwice), .limits = odd}), StatusCode::kOk);
  EXPECT_EQ(download(x_, 3), (std::vector<float>{1, 2, 3}));  // the session goes on
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
  alignas(64) std::array<float, 6> room{};  // as arrays lie: it isn't copied
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
  begin({.live_bytes = 40, .buffers = 3, .executables = 1});
  compile(f_, kTwice);
  EXPECT_EQ(call(Compile{.executable = z_, .program = program(kTwice)}).status.to_string(),
            "RESOURCE_EXHAUSTED: quota: 1 executables of 1");
  ASSERT_TRUE(call(upload(x_, {1, 2, 3})).status.ok());
  EXPECT_EQ(call(upload(y_, std::vector<float>(8))).status.to_string(),
            "RESOURCE_EXHAUSTED: quota: 12 bytes live of 40 bytes; 32 bytes more asked for");
  ASSERT_TRUE(call(execute(f_, {x_}, {y_})).status.ok());
  ASSERT_TRUE(call(upload({1, 1}, {})).status.ok());
  EXPECT_EQ(call(upload({1, 2}, {})).status.to_string(),
            "RESOURCE_EXHAUSTED: quota: 3 live buffers of 3; 1 more asked for");
  EXPECT_EQ(call(Upload{.buffer = z_, .shape = Shape::array(ElementType::kF32, {int64_t{1} << 60}), .is_chunked = true})
                .status.code(),
            StatusCode::kResourceExhausted);
  EXPECT_TRUE(call(upload(z_, {1, 2}), {y_}).status.ok());  // what is released counts no more
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
  const int64_t later = ask(execute(f_, {x_}, {z_}));  // its time begins when its turn does
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
  session_.reset();  // ends what runs
  EXPECT_EQ(replies_.wait(last).status.code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace hilo::rpc
