// SPDX-License-Identifier: Apache-2.0
// The input selects client requests with a few names, and shapes and programs that mostly fit. Requests are in any
// order and number, and some have a changed byte. So a session gets further than with arbitrary bytes (rpc_session.cc).
// It answers each call once, respects its quotas and continues to work: at the end a new array is uploaded and
// downloaded unchanged.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include "hilo/client/platforms.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/rpc/proto/codec.h"
#include "hilo/rpc/proto/limit_reply.h"
#include "hilo/rpc/service/session.h"

namespace {

using namespace hilo::rpc;
using hilo::ElementType;
using hilo::Shape;

constexpr int64_t kBytes = 1 << 20;      // the quota of a session
constexpr int64_t kMaxUpload = 1 << 16;  // the maximum bytes of a generated array
constexpr int64_t kMaxBuffers = 12, kMaxExecutables = 4;
constexpr int kMaxRequests = 200;  // of one session

const char* const kPrograms[] = {
    "HloModule a\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] add(x, x)\n}\n",
    "HloModule b\nENTRY e {\n  x = f32[4] parameter(0)\n  y = s32[2,3] parameter(1)\n  ROOT t = (s32[2,3], f32[4]) "
    "tuple(y, "
    "x)\n}\n",
    "HloModule c\nENTRY e {\n  ROOT z = f32[0] constant({})\n}\n",
    "HloModule d\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[16384] broadcast(x), dimensions={}\n}\n",
    "HloModule e, is_scheduled=false\nc {\n  s = s32[] parameter(0)\n  ROOT t = pred[] constant(true)\n}\nb {\n  s = "
    "s32[] "
    "parameter(0)\n  ROOT u = s32[] add(s, s)\n}\nENTRY e {\n  x = s32[] parameter(0)\n  ROOT w = s32[] while(x), "
    "condition=c, body=b\n}\n",
    "HloModule f\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] custom-call(x), "
    "custom_call_target=\"none\"\n}\n",
    "HloModule g\ns {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\nENTRY e {\n  "
    "x = "
    "f32[4] parameter(0)\n  ROOT y = f32[4] all-reduce(x), to_apply=s\n}\n",
};

const std::vector<std::string>& programs() {
  static const auto* const all = [] {
    auto* const made = new std::vector<std::string>;
    for (const char* const text : kPrograms) made->push_back(*hilo::hlo::to_proto(*hilo::hlo::parse_module(text)));
    return made;
  }();
  return *all;
}

/// Reads choices from the input; zeros once it is used up.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  int64_t below(int64_t count) { return byte() % count; }
  bool rarely() { return byte() >= 240; }
  /// Usually a small number, sometimes any.
  int64_t number() {
    if (!rarely()) return below(5);
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return static_cast<int64_t>(value);
  }
  Handle name() { return {0, static_cast<uint64_t>(below(16))}; }

 private:
  const uint8_t* data_;
  size_t left_;
};

Shape shape(Choices& choices) {
  switch (choices.below(8)) {
    case 0: return Shape::array(ElementType::kS32, {2, 3});
    case 1: return Shape::array(ElementType::kF32, {});
    case 2: return Shape::array(ElementType::kS32, {});
    case 3: return Shape::array(ElementType::kU8, {choices.number()});
    case 4: return Shape::array(ElementType::kF32, {choices.number(), choices.number()});
    default: return Shape::array(ElementType::kF32, {4});
  }
}

/// The bytes of such an array, sometimes too many or too few.
std::string bytes_for(const Shape& wanted, Choices& choices) {
  const auto size = wanted.byte_size();
  const bool is_small = size >= 0 && size <= kMaxUpload;
  return std::string(static_cast<size_t>(choices.rarely() || !is_small ? choices.byte() : size), 'b');
}

std::vector<Handle> names(Choices& choices, int64_t most) {
  std::vector<Handle> some(static_cast<size_t>(choices.below(most + 1)));
  for (Handle& one : some) one = choices.name();
  return some;
}

Execute execute(Choices& choices) {
  Execute run{.executable = choices.name()};
  run.parts.resize(static_cast<size_t>(1 + choices.rarely()));
  for (RunPart& part : run.parts) part = {names(choices, 2), names(choices, 2)};
  if (choices.rarely()) run.donated = {choices.number()};
  run.device = choices.below(3);
  run.is_observed = choices.rarely();
  return run;
}

Compile compile(Choices& choices) {
  Compile compile{.executable = choices.name(), .replica_count = 1 + choices.rarely()};
  compile.program = programs()[static_cast<size_t>(choices.below(std::ssize(programs())))];
  while (choices.rarely() && !choices.empty()) {  // a nearly valid program
    const size_t at = static_cast<size_t>(choices.byte()) * 256 + choices.byte();
    compile.program[at % compile.program.size()] = static_cast<char>(choices.byte());
  }
  compile.is_observed = choices.rarely();
  if (choices.rarely()) compile.devices = {choices.number()};
  return compile;
}

RequestBody body(Choices& choices) {
  switch (choices.below(20)) {
    case 0: return Hello{};
    case 1:
    case 2: return compile(choices);
    case 3: return Describe{choices.name()};
    case 4:
    case 5:
    case 6: {
      Upload upload{.buffer = choices.name(), .device = choices.below(3), .shape = shape(choices)};
      upload.is_chunked = choices.below(4) == 0;
      upload.is_undefined = choices.below(4) == 0;
      if (!upload.is_chunked && !upload.is_undefined) upload.bytes = bytes_for(upload.shape, choices);
      return upload;
    }
    case 7:
    case 8: return Chunk{choices.name(), choices.number(), Pieces(std::string(choices.byte() + size_t{1}, 'c'))};
    case 9:
    case 10: return Download{choices.name(), choices.number(), choices.rarely() ? choices.number() : 4};
    case 11: return Copy{choices.name(), choices.name(), choices.below(3)};
    case 12: return Slice{choices.name(), choices.name(), choices.number(), choices.below(3)};
    case 13: return Stack{names(choices, 3), choices.name(), choices.below(3)};
    case 14: return Free{};
    case 15: return Cancel{choices.number()};
    case 16: return Statistics{choices.number()};
    case 17: return Units{choices.name()};
    default: return execute(choices);
  }
}

/// The request that a server's worker decodes, sometimes after a changed byte. None if the message is no longer a
/// request.
std::optional<Request> sent(const Request& request, Choices& choices) {
  std::string message = encode(request);
  if (choices.rarely())
    message[static_cast<size_t>(choices.byte()) % message.size()] = static_cast<char>(choices.byte());
  hilo::StatusOr<Request> got = decode_request(Pieces(std::move(message)));  // the request references the message
  if (!got.ok()) return std::nullopt;
  return *std::move(got);
}

/// A session and its answers.
class Asked {
 public:
  Asked()
      : session_(std::make_unique<Session>(SessionOptions{.client = client(),
                                                          .quota = {.live_bytes = kBytes,
                                                                    .buffers = kMaxBuffers,
                                                                    .executables = kMaxExecutables,
                                                                    .calls_in_flight = 64,
                                                                    .compile_seconds = 5,
                                                                    .run_seconds = 0.02}})) {}
  ~Asked() {
    session_.reset();  // the destructor waits for pending answers
    if (std::ssize(answers_) != asked_) std::abort();
    for (const auto& [call, count] : answers_) {
      if (count != 1) std::abort();
    }
  }
  /// Sends a request, and returns the answer if `waits`.
  Reply ask(Request request, bool waits) {
    request.id = ++asked_;
    request.acked = asked_;
    Reply answer;
    session_->handle(std::move(request), [this, &answer, waits, id = asked_](const Reply& reply) {
      if (reply.id != id) std::abort();
      const auto limit = limit_of(encode(reply));
      const bool is_limit = reply.status.code() == hilo::StatusCode::kResourceExhausted ||
                            reply.status.code() == hilo::StatusCode::kDeadlineExceeded;
      if (limit.has_value() != is_limit) std::abort();
      const std::scoped_lock lock(mutex_);
      if (waits) answer = reply;
      ++answers_[id];
      answered_.notify_all();
    });
    if (waits) {
      std::unique_lock lock(mutex_);
      answered_.wait(lock, [&] { return answers_.contains(asked_); });
    }
    const Session::Counts counts = session_->counts();
    if (counts.live_bytes > kBytes || counts.buffers > kMaxBuffers || counts.executables > kMaxExecutables)
      std::abort();
    return answer;
  }

 private:
  static hilo::ClientPtr client() {
    static const auto* const one = new hilo::ClientPtr(*hilo::make_platform_client("Host", {.replica_count = 2}));
    return *one;
  }

  std::mutex mutex_;
  std::condition_variable answered_;
  std::map<int64_t, int> answers_;
  int64_t asked_ = 0;
  std::unique_ptr<Session> session_;
};

/// Uploads and downloads an array, whatever happened before.
void check_that_it_works(Asked& asked) {
  Request request;
  for (uint64_t i = 0; i < 16; ++i) request.releases.push_back({0, i});
  request.body = Free{};
  asked.ask(request, true);
  const std::string bytes = "sixteen bytes ok";
  const Handle name{1, 1};
  const Reply up =
      asked.ask({.body = Upload{.buffer = name, .shape = Shape::array(ElementType::kF32, {4}), .bytes = bytes}}, true);
  if (up.status.code() == hilo::StatusCode::kResourceExhausted) return;  // pending runs hold their arguments
  const Reply down = asked.ask({.body = Download{name, 0, 16}}, true);
  const auto* const got = std::get_if<BytesReply>(&down.body);
  if (!up.status.ok() || !down.status.ok() || got == nullptr || got->bytes.whole() != bytes) std::abort();
}

std::atomic<int64_t> requests{0};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool once = [] {
    std::atexit([] { std::fprintf(stderr, "%lld requests\n", static_cast<long long>(requests.load())); });
    return true;
  }();
  static_cast<void>(once);
  Choices choices(data, size);
  Asked asked;
  for (int i = 0; i < kMaxRequests && !choices.empty(); ++i) {
    Request request{.releases = choices.rarely() ? names(choices, 4) : std::vector<Handle>()};
    request.body = body(choices);
    std::optional<Request> got = sent(request, choices);
    if (!got || std::holds_alternative<End>(got->body)) continue;
    const bool waits = std::holds_alternative<Compile>(got->body) || choices.below(4) == 0;
    asked.ask(*std::move(got), waits);
    ++requests;
  }
  check_that_it_works(asked);
  return 0;
}
