// SPDX-License-Identifier: Apache-2.0
// Remote devices without gRPC: the client, messages, the relay, the worker and its session in one process.
#include "hilo/rpc/client/rpc_client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "hilo/base/stop.h"
#include "hilo/client/platforms.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/rpc/proto/codec.h"
#include "tests/rpc/rpc_sessions.h"

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
  ROOT c = pred[] constant(true)
}
ENTRY e {
  x = f32[2048] parameter(0)
  t = (f32[2048]) tuple(x)
  w = (f32[2048]) while(t), condition=condition, body=body
  ROOT r = f32[2048] get-tuple-element(w), index=0
})";

class RpcClientTest : public testing::Test {
 protected:
  ClientPtr client(int64_t replicas = 1) { return client(server_, replicas); }
  /// A client for one server. The server is destroyed before the objects that its functions use, unlike the shared one.
  static ClientPtr client(tests::RpcSessions& server, int64_t replicas = 1) {
    StatusOr<ClientPtr> made =
        make_rpc_client({.backend = "xrt", .target = "rpc:here", .replica_count = replicas}, server.connect());
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    return *made;
  }
  static std::unique_ptr<Executable> compiled(Client& client, const char* text, const CompileOptions& options = {}) {
    StatusOr<std::unique_ptr<Executable>> made = client.compile(*hlo::parse_module(text), options, nullptr);
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    return *std::move(made);
  }
  static BufferPtr buffer(Client& client, const Literal& value, int64_t device = 0) {
    return *buffer_from_literal(**client.local_device(device), value);
  }

  tests::RpcSessions server_;
};

TEST_F(RpcClientTest, HasTheServersDevices) {
  const ClientPtr remote = client(2);
  EXPECT_EQ(remote->platform_name(), "Host");
  ASSERT_EQ(remote->device_count(), 2);
  EXPECT_EQ((*remote->local_device(1))->to_string(), "Host:1");
  EXPECT_EQ((*remote->local_device(0))->memories()[0].id, 0);
  EXPECT_EQ(make_rpc_client({.target = "rpc:here", .replica_count = 1000}, server_.connect()).status().to_string(),
            "INVALID_ARGUMENT: rpc:here: Hello.replica_count: got 1000; wanted 1 to 64, the devices per session");
}

TEST_F(RpcClientTest, RunsProgramsOnBuffersThatStayThere) {
  const ClientPtr remote = client();
  const auto program = compiled(*remote, kTwice);
  EXPECT_EQ(program->name(), "twice");
  EXPECT_EQ(program->signature().argument_names, std::vector<std::string>{"x"});
  ASSERT_NE(program->optimized_module(), nullptr);
  BufferPtr x = buffer(*remote, Literal::array<float>({3}, {1, 2, 3}));
  EXPECT_EQ(x->host_view(), nullptr);
  for (int i = 0; i < 100; ++i) {
    BufferPtr y;
    const DeviceRun run{{&x, 1}, {&y, 1}};
    ASSERT_TRUE(program->launch({&run, 1}, {.asynchronous = true}).ok());
    x = i % 10 == 0 ? y : x;
  }
  EXPECT_EQ(literal_from_buffer(*x)->to_string(), "f32[3] {1024, 2048, 3072}");
  EXPECT_EQ((*remote->local_device(0))->statistics().live_buffers, 1);
}

/// The events that an observer received, as lines.
class Told final : public hlo::PassObserver {
 public:
  void before(std::string_view pass, const hlo::Module& module) override {
    lines.push_back("before " + std::string(pass) + "\n" + hlo::print_module(module));
  }
  void after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) override {
    EXPECT_GE(milliseconds, 0);
    lines.push_back("after " + std::string(pass) + (changed ? " changed\n" : "\n") + hlo::print_module(module));
  }
  bool times_kernels() const override { return true; }
  void generated(std::string_view, int64_t, double) override { ++kernels; }

  std::vector<std::string> lines;
  int kernels = 0;
};

/// The server receives a program as HloModuleProto, which contains the layout of the entry.
hlo::Module as_it_arrives(const hlo::Module& module) { return *hlo::from_proto(*hlo::to_proto(module)); }

TEST_F(RpcClientTest, WhoWatchesACompilationSeesThePassesOfTheServer) {
  const hlo::Module module =
      as_it_arrives(*hlo::parse_module("HloModule m\nENTRY e {\n  x = f32[3] parameter(0)\n  a = f32[3] add(x, x)\n"
                                       "  b = f32[3] add(x, x)\n  ROOT y = f32[3] multiply(a, b)\n}\n"));
  Told here, there;
  ASSERT_TRUE((*make_platform_client("Host", {}))->compile(module, {}, &here).ok());
  ASSERT_TRUE(client()->compile(module, {}, &there).ok());
  EXPECT_EQ(there.lines, here.lines);
  EXPECT_GT(there.lines.size(), 4u);
}

/// The units that an observer received, as text, and their devices.
class Watcher final : public ExecutionObserver {
 public:
  void on_unit(const ExecutionUnit& unit, const UnitTimes& times) override {
    const std::scoped_lock lock(mutex);
    std::string text = unit.kind + " " + unit.form + " " + std::to_string(unit.bytes);
    for (const hlo::Instruction* const i : unit.instructions) text += " " + i->name;
    texts.push_back(text);
    units.push_back(&unit);
    EXPECT_GE(times.duration, 0);
    EXPECT_GT(times.begin, 0);
  }
  std::mutex mutex;
  std::vector<std::string> texts;
  std::vector<const ExecutionUnit*> units;
};

constexpr const char* kSeveralUnits = R"(HloModule several
body {
  p = (s32[], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[64,64] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (s32[], f32[64,64]) tuple(next, y)
}
condition {
  p = (s32[], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  three = s32[] constant(3)
  ROOT c = pred[] compare(i, three), direction=LT
}
ENTRY e {
  x = f32[64,64] parameter(0)
  zero = s32[] constant(0)
  small = f32[64,64] tanh(x)
  t = (s32[], f32[64,64]) tuple(zero, small)
  w = (s32[], f32[64,64]) while(t), condition=condition, body=body
  r = f32[64,64] get-tuple-element(w), index=1
  ROOT s = f32[64,64] sine(r)
})";

std::vector<std::string> texts_of(std::span<const ExecutionUnit> units) {
  Watcher watcher;
  for (const ExecutionUnit& unit : units) watcher.on_unit(unit, {.begin = 1});
  return watcher.texts;
}

/// Runs the program twice under the observer.
void watch(Client& client, const hlo::Module& module, Watcher& watcher) {
  const std::unique_ptr<Executable> program = *client.compile(module, {}, nullptr);
  const BufferPtr x =
      *buffer_from_literal(**client.local_device(0), Literal(Shape::array(ElementType::kF32, {64, 64})));
  for (const bool asynchronous : {false, true}) {
    BufferPtr y;
    const DeviceRun run{{&x, 1}, {&y, 1}};
    const auto event = program->launch({&run, 1}, {.observer = &watcher, .asynchronous = asynchronous});
    ASSERT_TRUE(event.ok()) << event.status().to_string();
    ASSERT_TRUE(event->await().ok());
  }
}

TEST_F(RpcClientTest, ShowsTheUnitsOfTheServersProgram) {
  const hlo::Module module = as_it_arrives(*hlo::parse_module(kSeveralUnits));
  const auto here = *(*make_platform_client("Host", {}))->compile(module, {}, nullptr);
  const auto there = *client()->compile(module, {}, nullptr);
  EXPECT_EQ(texts_of(there->units()), texts_of(here->units()));
  EXPECT_GT(there->units().size(), 2u);
}

TEST(RpcClient, WhoWatchesARunIsToldWhatRanOnTheServer) {
  for (const char* const platform : {"Host", "Reference"}) {
    tests::RpcSessions server({.platform = platform});
    const ClientPtr remote = *make_rpc_client({.backend = "xrt", .target = "rpc:here"}, server.connect());
    const hlo::Module module = as_it_arrives(*hlo::parse_module(kSeveralUnits));
    Watcher here, there;
    watch(**make_platform_client(platform, {}), module, here);
    watch(*remote, module, there);
    EXPECT_EQ(there.texts, here.texts) << platform;
    ASSERT_GE(there.units.size(), 8u);
    for (size_t k = 0; k < there.units.size() / 2; ++k)  // the second run has the units of the first
      EXPECT_EQ(there.units[k], there.units[k + there.units.size() / 2]) << k;
  }
}

TEST_F(RpcClientTest, GivesTheErrorsOfTheServer) {
  const ClientPtr remote = client();
  const hlo::Module bad = *hlo::parse_module(
      "HloModule m\nENTRY e {\n  x = f32[3] parameter(0)\n  ROOT y = f32[3] custom-call(x), "
      "custom_call_target=\"nobody\"\n}\n");
  EXPECT_EQ(remote->compile(bad, {}, nullptr).status().code(), StatusCode::kPermissionDenied);
  const auto program = compiled(*remote, kTwice);
  BufferPtr x = buffer(*remote, Literal::array<float>({2}, {1, 2})), y;
  EXPECT_EQ(program->execute({&x, 1}, {&y, 1}).to_string(),
            "INVALID_ARGUMENT: Execute 'twice': argument 0 'x' is f32[2], compiled for f32[3]");
}

/// The reply with another body, as from a server of another version.
template <typename Body>
std::string changed(const std::string& message, const std::function<void(Body&)>& change) {
  Reply reply = *decode_reply(message);
  auto* const body = std::get_if<Body>(&reply.body);
  if (body == nullptr) return message;
  change(*body);
  return encode(reply);
}

TEST_F(RpcClientTest, AServerOfAnotherVersionIsRefusedByNumber) {
  server_.on_reply = [](const std::string& message) {
    return changed<HelloReply>(message, [](HelloReply& hello) {
      hello.version = 2;
      hello.release = "9.0";
    });
  };
  EXPECT_EQ(make_rpc_client({.target = "rpc:here"}, server_.connect()).status().to_string(),
            "UNIMPLEMENTED: rpc:here: the server 9.0 has version 2 of hilo.xrt; this client has version 1");
}

TEST_F(RpcClientTest, NumbersThatAServerMakesUpAreAnError) {
  std::function<void(HelloReply&)> lie;
  tests::RpcSessions server;
  server.on_reply = [&](const std::string& message) { return changed<HelloReply>(message, lie); };
  const auto said = [&](std::function<void(HelloReply&)> what) {
    lie = std::move(what);
    return make_rpc_client({.target = "rpc:here", .replica_count = 2}, server.connect()).status().to_string();
  };
  EXPECT_EQ(said([](HelloReply& hello) { hello.devices[1].id = -1; }),
            "DATA_LOSS: rpc:here: HelloReply.devices: -1 is not a valid device id or occurs twice");
  EXPECT_EQ(said([](HelloReply& hello) { hello.devices[1].id = int64_t{1} << 32; }),
            "DATA_LOSS: rpc:here: HelloReply.devices: 4294967296 is not a valid device id or occurs twice");
  EXPECT_EQ(said([](HelloReply& hello) { hello.devices[1].id = 0; }),
            "DATA_LOSS: rpc:here: HelloReply.devices: 0 is not a valid device id or occurs twice");
  EXPECT_EQ(said([](HelloReply& hello) { hello.devices.clear(); }), "UNAVAILABLE: rpc:here: the server has no devices");
}

TEST_F(RpcClientTest, WhatAServerSaysOfAProgramIsChecked) {
  std::function<void(CompileReply&)> lie;
  tests::RpcSessions server;
  server.on_reply = [&](const std::string& message) { return changed<CompileReply>(message, lie); };
  const ClientPtr remote = client(server);
  const auto code = [&](std::function<void(CompileReply&)> what) {
    lie = std::move(what);
    return remote->compile(*hlo::parse_module(kTwice), {}, nullptr).status().code();
  };
  EXPECT_EQ(code([](CompileReply& reply) { reply.statistics.program_bytes = -1; }), StatusCode::kDataLoss);
  EXPECT_EQ(code([](CompileReply& reply) { reply.statistics.constant_bytes = int64_t{1} << 62; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(code([](CompileReply& reply) { reply.devices = {0, 0}; }), StatusCode::kDataLoss);
  EXPECT_EQ(code([](CompileReply& reply) { reply.signature.argument_names = {}; }), StatusCode::kDataLoss);
  EXPECT_NE(code([](CompileReply& reply) { reply.devices = {int64_t{1} << 40}; }), StatusCode::kOk);
  EXPECT_EQ(code([](CompileReply&) {}), StatusCode::kOk);
}

TEST_F(RpcClientTest, AnUploadThatIsCutIsWholeAndLetsGoOfItsMemory) {
  std::atomic<int> messages = 0;
  tests::RpcSessions server;
  server.on_request = [&](std::string_view) {
    if (++messages == 6) server.cut();  // among the chunks
    return true;
  };
  const ClientPtr remote = client(server);
  const int64_t count = (int64_t{5} << 18) + 3;  // of four bytes each: more than five chunks
  BufferPtr x;
  Literal value(Shape::array(ElementType::kF32, {count}));
  std::iota(value.data<float>().begin(), value.data<float>().end(), 1.0f);
  {
    const Literal lent = value;
    x = buffer(*remote, lent);
  }
  EXPECT_GT(messages, 6);
  EXPECT_TRUE(std::ranges::equal(literal_from_buffer(*x)->bytes(), value.bytes()));
}

TEST_F(RpcClientTest, AFieldThatANewerServerSendsIsNamed) {
  std::atomic<bool> is_newer = false;
  tests::RpcSessions server;
  server.on_reply = [&](std::string message) { return is_newer ? message + "\x9a\x06\x01x" : message; };
  const ClientPtr remote = client(server);
  is_newer = true;
  EXPECT_EQ(remote->compile(*hlo::parse_module(kTwice), {}, nullptr).status().to_string(),
            "UNAVAILABLE: rpc:here: invalid reply: Reply: field 99 is unknown to version 1 of hilo.xrt. Hint: "
            "the other side is newer");
}

TEST_F(RpcClientTest, AnOlderServerDoesWhatItKnows) {
  // A server that knows neither Units nor Execute.is_observed.
  const std::string why = "Request: field 24 is unknown to version 1 of hilo.xrt. Hint: the other side is newer";
  tests::RpcSessions server;
  server.on_reply = [&](const std::string& message) {
    const Reply reply = *decode_reply(message);
    const bool is_new = std::holds_alternative<UnitsReply>(reply.body) || std::holds_alternative<RunReply>(reply.body);
    return is_new ? encode(Reply{.id = reply.id, .status = unimplemented(why)}) : message;
  };
  const ClientPtr remote = client(server);
  const auto program = compiled(*remote, kTwice);
  EXPECT_TRUE(program->units().empty());
  BufferPtr x = buffer(*remote, Literal::array<float>({3}, {1, 2, 3})), y;
  Watcher watcher;
  EXPECT_EQ(program->execute({&x, 1}, {&y, 1}, {.observer = &watcher}).to_string(), "UNIMPLEMENTED: " + why);
  ASSERT_TRUE(program->execute({&x, 1}, {&y, 1}).ok());
  EXPECT_EQ(literal_from_buffer(*y)->to_string(), "f32[3] {2, 4, 6}");
}

TEST_F(RpcClientTest, AProgramThatIsNoMessageIsRefusedHere) {
  hlo::Module module =
      *hlo::parse_module("HloModule big\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] add(x, x)\n}\n");
  module.other_attributes.emplace_back("frontend_attributes", "{note=\"" + std::string(65 << 20, 'x') + "\"}");
  const Status status = client()->compile(module, {}, nullptr).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.to_string();
  EXPECT_EQ(status.message().find("Compile 'big': the program has 6"), 0u) << status.to_string();
  EXPECT_NE(status.message().find("Hint: pass constants as arguments"), std::string::npos) << status.to_string();
}

TEST_F(RpcClientTest, DonatesDeletesAndReleases) {
  const ClientPtr remote = client();
  const auto program = compiled(*remote, kTwice);
  BufferPtr x = buffer(*remote, Literal::array<float>({3}, {1, 2, 3})), y;
  const bool donated[] = {true};
  ASSERT_TRUE(program->execute({&x, 1}, {&y, 1}, {.donated = donated}).ok());
  EXPECT_EQ(x->state(), BufferState::kDonated);
  EXPECT_EQ(program->execute({&x, 1}, {&y, 1}).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(y->remove().ok());
  EXPECT_EQ(literal_from_buffer(*y).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*remote->local_device(0))->statistics().live_buffers, 0);
}

TEST_F(RpcClientTest, LargeArraysTravelInChunks) {
  const ClientPtr remote = client();
  Literal large(Shape::array(ElementType::kS32, {3, 1 << 20}));  // 12 MiB
  std::iota(large.data<int32_t>().begin(), large.data<int32_t>().end(), -7);
  const Shape otherwise = large.shape().with_layout(std::vector<int64_t>{0, 1});
  for (const Shape& shape : {large.shape(), otherwise}) {
    const BufferPtr there = *buffer_from_literal(**remote->local_device(0), large, shape);
    EXPECT_EQ(there->shape(), shape);
    EXPECT_TRUE(literal_from_buffer(*there)->identical(large));
  }
  EXPECT_EQ((*remote->local_device(0))->statistics().live_bytes, 0);
}

TEST_F(RpcClientTest, ReadsMemoryWithStridesAndEmptyArrays) {
  const ClientPtr remote = client();
  const DevicePtr device = *remote->local_device(0);
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> transposed = {1, 2};
  std::atomic<int> released = 0;
  const BufferPtr x = *device->from_host({.shape = Shape::array(ElementType::kF32, {2, 3}),
                                          .data = reinterpret_cast<const std::byte*>(values.data()),
                                          .strides = transposed,
                                          .semantics = HostMemory::kBorrowed,
                                          .release = [&] { ++released; }});
  EXPECT_EQ(literal_from_buffer(*x)->to_string(), "f32[2,3] {{1, 3, 5}, {2, 4, 6}}");
  EXPECT_EQ(released, 1);
  const BufferPtr nothing = *buffer_from_literal(*device, Literal(Shape::array(ElementType::kF64, {0, 3})));
  EXPECT_EQ(literal_from_buffer(*nothing)->shape().to_string(), "f64[0,3]");
}

TEST_F(RpcClientTest, CopiesSlicesAndStacksOnTheServer) {
  const ClientPtr remote = client(2);
  const DevicePtr second = *remote->local_device(1);
  const BufferPtr x = buffer(*remote, Literal::array<float>({2}, {1, 2}));
  const BufferPtr copy = *second->copy(x);
  EXPECT_EQ(copy->device(), second);
  const BufferPtr both = *second->stack(std::vector{x, copy});
  EXPECT_EQ(literal_from_buffer(*both)->to_string(), "f32[2,2] {{1, 2}, {1, 2}}");
  for (const DevicePtr& device : remote->devices()) {
    const BufferPtr part = *device->slice(both, 1);
    EXPECT_EQ(part->device(), device);
    EXPECT_EQ(literal_from_buffer(*part)->to_string(), "f32[2] {1, 2}");
  }
  EXPECT_EQ(literal_from_buffer(**second->allocate(x->shape()))->shape(), x->shape());
}

TEST_F(RpcClientTest, ReplicasMeetOnTheServer) {
  const ClientPtr remote = client(2);
  CompileOptions options;
  options.replica_count = 2;
  const auto total = compiled(*remote, R"(HloModule total
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
ENTRY main {
  p = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(p), replica_groups={}, to_apply=add
})",
                              options);
  std::vector<std::vector<BufferPtr>> arguments;
  for (int k : {0, 1}) {
    const float x = static_cast<float>(k) + 1;
    arguments.push_back({buffer(*remote, Literal::array<float>({2}, {x, 5}), k)});
  }
  const auto results = execute_replicas(*total, arguments);
  ASSERT_TRUE(results.ok()) << results.status().to_string();
  EXPECT_EQ(literal_from_buffer(*(*results)[1][0])->to_string(), "f32[2] {3, 10}");
}

TEST_F(RpcClientTest, ARunThatIsCancelledStopsThere) {
  const ClientPtr remote = client();
  const auto program = compiled(*remote, kForever);
  BufferPtr x = buffer(*remote, Literal(Shape::array(ElementType::kF32, {2048}))), y;
  EXPECT_EQ(program->execute({&x, 1}, {&y, 1}, {.deadline = deadline_in(0.05)}).code(), StatusCode::kDeadlineExceeded);
  CancellationToken token;
  std::thread other([&] { token.cancel(); });
  EXPECT_EQ(program->execute({&x, 1}, {&y, 1}, {.cancellation = &token}).code(), StatusCode::kCancelled);
  other.join();
  EXPECT_EQ(y, nullptr);
  EXPECT_TRUE(literal_from_buffer(*x).ok());
}

TEST_F(RpcClientTest, ARunThatIsCancelledAfterTheCallReturnedStopsThere) {
  const ClientPtr remote = client();
  const auto forever = compiled(*remote, kForever), twice = compiled(*remote, kTwice);
  BufferPtr x = buffer(*remote, Literal(Shape::array(ElementType::kF32, {2048}))), y, z;
  const DeviceRun run{{&x, 1}, {&y, 1}}, later{{&x, 1}, {&z, 1}};
  CancellationToken first, second, never;
  const Event running = *forever->launch({&run, 1}, {.cancellation = &first, .asynchronous = true});
  const Event waiting = *forever->launch({&later, 1}, {.cancellation = &second, .asynchronous = true});
  EXPECT_FALSE(running.is_ready());
  second.cancel();  // before it starts
  first.cancel();
  EXPECT_EQ(running.await().code(), StatusCode::kCancelled);
  EXPECT_EQ(waiting.await().code(), StatusCode::kCancelled);
  EXPECT_EQ(literal_from_buffer(*y).status().code(), StatusCode::kCancelled);
  BufferPtr three = buffer(*remote, Literal::array<float>({3}, {1, 2, 3})), six;
  const DeviceRun good{{&three, 1}, {&six, 1}};
  ASSERT_TRUE(twice->launch({&good, 1}, {.cancellation = &never, .asynchronous = true})->await().ok());
  never.cancel();  // after it ended
  EXPECT_EQ(literal_from_buffer(*six)->to_string(), "f32[3] {2, 4, 6}");
}

TEST_F(RpcClientTest, ARunOfAThreadThatIsToldToStopStopsThere) {
  const ClientPtr remote = client();
  const auto program = compiled(*remote, kForever);
  const BufferPtr x = buffer(*remote, Literal(Shape::array(ElementType::kF32, {2048})));
  for (const auto& [reason, code] : {std::pair(kCancelRequested, StatusCode::kCancelled),
                                     std::pair(kDeadlinePassed, StatusCode::kDeadlineExceeded)}) {
    BufferPtr y;
    const DeviceRun run{{&x, 1}, {&y, 1}};
    CancellationToken token;
    std::thread other([&, why = reason] { token.cancel(why); });
    {
      const StopScope scope(token.word());
      EXPECT_EQ(program->launch({&run, 1}, {.asynchronous = true}).status().code(), code);
    }
    other.join();
    EXPECT_EQ(y, nullptr);
  }
}

TEST_F(RpcClientTest, ABrokenConnectionIsMadeAnewAndNothingRunsTwice) {
  std::atomic<int> messages = 0;
  tests::RpcSessions server;
  server.on_request = [&](std::string_view) {
    const int n = ++messages;
    if (n % 40 == 0) server.cut();                 // after it was forwarded
    return n % 40 != 20 || (server.cut(), false);  // or before it is forwarded
  };
  const ClientPtr remote = client(server);
  const auto program = compiled(*remote, kTwice);
  BufferPtr x = buffer(*remote, Literal::array<float>({3}, {1, 2, 3}));
  const bool donated[] = {true};
  for (int i = 0; i < 100; ++i) {  // the state is donated, so a lost or repeated run would be visible
    BufferPtr y;
    const DeviceRun run{{&x, 1}, {&y, 1}};
    ASSERT_TRUE(program->launch({&run, 1}, {.donated = donated, .asynchronous = true}).ok());
    x = y;
    if (i % 10 == 9) {
      const StatusOr<Literal> value = literal_from_buffer(*x);
      ASSERT_TRUE(value.ok()) << i << ": " << value.status().to_string();
      EXPECT_EQ(value->data<float>()[0], std::ldexp(1.0f, i + 1));
    }
  }
  EXPECT_GT(messages, 100);
}

TEST_F(RpcClientTest, AWorkerThatDiesCostsItsSessionAndNobodyElse) {
  const ClientPtr first = client();
  const BufferPtr x = buffer(*first, Literal::array<float>({3}, {1, 2, 3}));
  ASSERT_TRUE(literal_from_buffer(*x).ok());
  server_.kill_workers();
  const ClientPtr second = client();
  const Status lost = literal_from_buffer(*x).status();
  EXPECT_EQ(lost.code(), StatusCode::kUnavailable);
  EXPECT_NE(lost.message().find("objects on the server are lost"), std::string::npos) << lost.to_string();
  EXPECT_EQ(first->compile(*hlo::parse_module(kTwice), {}, nullptr).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(literal_from_buffer(*buffer(*second, Literal::array<float>({1}, {4})))->to_string(), "f32[1] {4}");
}

TEST_F(RpcClientTest, AClientThatEndsTakesItsSessionAlong) {
  ClientPtr remote = client();
  EXPECT_EQ(server_.sessions().counts().live, 1);
  const BufferPtr x = buffer(*remote, Literal::array<float>({3}, {1, 2, 3}));
  remote.reset();
  ASSERT_TRUE(literal_from_buffer(*x).ok());  // a buffer owns the memory
}

}  // namespace
}  // namespace hilo::rpc
