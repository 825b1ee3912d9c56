// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/proto/codec.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "hilo/base/files.h"
#include "hilo/hlo/proto/wire.h"
#include "hilo/rpc/proto/fields.h"
#include "tests/paths.h"

namespace hilo::rpc {
namespace {

/// One request of each call, with every field set.
std::vector<RequestBody> bodies() {
  const Shape shape = Shape::array(ElementType::kBf16, {3, 0, 5}).with_layout(std::vector<int64_t>{0, 2, 1});
  const Handle a{1, 2}, b{~uint64_t{0}, 1};
  static const std::string chunk(3000, 'x');
  return {
      Hello{.version = 7, .session = a, .resumes = true, .replica_count = 3},
      Compile{.executable = a,
              .program = std::string("\0\xff", 2),
              .replica_count = 2,
              .devices = {1, 0},
              .result_shape = Shape::tuple({shape, Shape::scalar(ElementType::kS4)}),
              .limits = {.instructions = 5, .compile_seconds = 0.5, .memory_bytes = -1, .run_seconds = 1e300},
              .is_observed = true,
              .times_kernels = true},
      Describe{.executable = b},
      Upload{.buffer = a, .device = -1, .shape = shape, .bytes = "abc", .is_chunked = true, .is_undefined = true},
      Chunk{.buffer = a, .offset = int64_t{1} << 40, .bytes = Pieces({chunk}, nullptr)},
      Download{.buffer = b, .offset = 1, .size = 2},
      Copy{.from = a, .to = b, .device = 2},
      Slice{.from = a, .to = b, .index = 9, .device = 1},
      Stack{.parts = {a, b, a}, .to = b, .device = 1},
      Free{},
      Execute{.executable = a,
              .parts = {{.arguments = {a, b}, .results = {}}, {.arguments = {}, .results = {b}}},
              .donated = {0, 300, -1},
              .device = 1,
              .seconds = -1,
              .is_observed = true},
      Cancel{.call = 12},
      Statistics{.device = 1},
      End{},
      Units{.executable = b},
  };
}

std::vector<ReplyBody> reply_bodies() {
  CompileReply compiled;
  compiled.devices = {0, 1};
  compiled.events = {
      {.kind = PassEvent::kAfter, .name = "dce", .changed = true, .milliseconds = 2, .code_bytes = 3, .module = "m"}};
  compiled.signature.name = "f";
  compiled.signature.result_shape = Shape::scalar(ElementType::kF32);
  compiled.signature.argument_shapes = {Shape::array(ElementType::kF32, {2})};
  compiled.signature.argument_names = {""};
  compiled.statistics.compile_milliseconds = 1.5;
  compiled.statistics.program_bytes = 9;
  return {DoneReply{},
          HelloReply{.platform = "Host", .release = "1", .devices = {{1, "x", {"device", ""}}}, .calls_in_flight = 3},
          compiled,
          BytesReply{Pieces(std::string(1, '\0'))},
          StatisticsReply{{.live_buffers = 1, .live_bytes = 2}},
          RunReply{.units = {{.number = 1, .kind = "dot", .instructions = {3, 300}, .bytes = 0.5, .form = "row"}},
                   .rows = {0, 0},
                   .begins = {int64_t{1} << 62, -1},
                   .durations = {0, 5},
                   .lanes = {-1, 7},
                   .counts = {1, 1 << 20}},
          UnitsReply{{{.number = 4, .kind = "copy"}}}};
}

TEST(Codec, EveryRequestIsReadBackAsItWasWritten) {
  std::vector<RequestBody> all = bodies();
  ASSERT_EQ(all.size(), std::variant_size_v<RequestBody>);
  for (size_t i = 0; i < all.size(); ++i) {
    const Request request{.id = 5, .acked = 3, .releases = {{1, 1}, {2, 2}}, .body = all[i]};
    const std::string bytes = encode(request);
    const StatusOr<Request> read = decode_request(bytes);
    ASSERT_TRUE(read.ok()) << i << ": " << read.status().to_string();
    EXPECT_EQ(read->body.index(), i);
    EXPECT_EQ(read->id, 5);
    EXPECT_EQ(read->releases, request.releases);
    EXPECT_EQ(encode(*read), bytes) << call_name(request);
    EXPECT_EQ(request_id(bytes), 5);
  }
  const Request back = *decode_request(encode(Request{.id = 1, .body = all[3]}));
  const auto& upload = std::get<Upload>(back.body);
  EXPECT_EQ(upload.shape.to_string_with_layout(), "bf16[3,0,5]{0,2,1}");
  EXPECT_EQ(upload.device, -1);
}

TEST(Codec, EveryReplyIsReadBackAsItWasWritten) {
  const std::vector<ReplyBody> all = reply_bodies();
  ASSERT_EQ(all.size(), std::variant_size_v<ReplyBody>);
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string bytes = encode(Reply{.id = 5, .status = not_found("no \xc3\xa9"), .body = all[i]});
    const StatusOr<Reply> read = decode_reply(bytes);
    ASSERT_TRUE(read.ok()) << i << ": " << read.status().to_string();
    EXPECT_EQ(read->body.index(), i);
    EXPECT_EQ(read->status.to_string(), "NOT_FOUND: no \xc3\xa9");
    EXPECT_EQ(encode(*read), bytes);
  }
  const Reply back = *decode_reply(encode(Reply{.id = 1, .body = all[2]}));
  EXPECT_EQ(std::get<CompileReply>(back.body).signature.result_shapes.size(), 1u);
}

TEST(Codec, AnOverviewIsReadBackAsItWasWritten) {
  const Overview overview{
      .release = "1",
      .seconds = 0.5,
      .connections_cut = 3,
      .sessions = {{.number = 1, .report_seconds = -1}, {.has_client = true, .report = {.calls = 7}}}};
  const std::string bytes = encode(overview);
  const StatusOr<Overview> read = decode_overview(bytes);
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(encode(*read), bytes);
  EXPECT_EQ(read->sessions[0].report_seconds, -1);
  EXPECT_EQ(read->sessions[1].report.calls, 7);
  EXPECT_EQ(decode_session_report(encode(SessionReport{.memory_bytes = 1 << 30}))->memory_bytes, 1 << 30);
  EXPECT_EQ(decode_session_report("\x08").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(decode_overview(std::string_view("\x98\x06\x01", 3)).status().code(), StatusCode::kUnimplemented);
}

TEST(Codec, WhatIsNoMessageIsAnErrorThatNamesTheField) {
  const std::string upload = encode(Request{.id = 1, .body = Upload{.buffer = {1, 2}, .bytes = "abcdef"}});
  for (size_t i = 0; i + 1 < upload.size(); ++i) {
    const StatusOr<Request> cut = decode_request(std::string_view(upload).substr(0, i));
    EXPECT_TRUE(cut.ok() || cut.status().code() == StatusCode::kInvalidArgument) << i;
  }
  EXPECT_EQ(decode_request("").status().to_string(), "INVALID_ARGUMENT: Request: the call is missing");
  // Field 14 (Chunk), 3 bytes: field 1 (buffer), 1 byte.
  EXPECT_EQ(decode_request(std::string_view("\x72\x03\x0a\x01x", 5)).status().to_string(),
            "INVALID_ARGUMENT: Chunk.buffer: a handle of 1 bytes; wanted 16");
  EXPECT_EQ(decode_request(std::string_view("\x72\x02\x10", 3)).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(decode_reply(std::string_view("\x10\x63", 2)).status().to_string(),
            "INVALID_ARGUMENT: Reply.code: 99 is not a status code");
}

TEST(Codec, NumbersThatAreNotThereAreZero) {
  for (const std::string& empty : {std::string("\x52\x00", 2), std::string("\x52\x02\x20\x00", 4)}) {
    const Request read = *decode_request(empty);
    EXPECT_EQ(std::get<Hello>(read.body).version, 0);
    EXPECT_EQ(std::get<Hello>(read.body).replica_count, 0);
    EXPECT_EQ(encode(*decode_request(encode(read))), encode(read));
  }
}

TEST(Codec, FieldsAndCallsOfANewerSideAreRefusedByNumber) {
  // Field 21 (Cancel) with field 9; then a request's field 99.
  EXPECT_EQ(decode_request(std::string_view("\xaa\x01\x02\x48\x01", 5)).status().to_string(),
            "UNIMPLEMENTED: Cancel: field 9 is unknown to version 1 of hilo.xrt. Hint: the other side is newer");
  const std::string_view call("\x08\x07\x9a\x06\x00", 5);
  EXPECT_EQ(decode_request(call).status().to_string(),
            "UNIMPLEMENTED: Request: field 99 is unknown to version 1 of hilo.xrt. Hint: the other side is newer");
  EXPECT_EQ(request_id(call), 7);
}

/// Splits the bytes into pieces of this length.
Pieces cut(const std::string& bytes, size_t size) {
  const auto kept = std::make_shared<const std::string>(bytes);
  std::vector<std::string_view> parts;
  for (size_t i = 0; i < kept->size(); i += size) parts.push_back(std::string_view(*kept).substr(i, size));
  return {std::move(parts), kept};
}

TEST(Codec, MessagesInPiecesAreReadAsTheWhole) {
  std::vector<std::string> requests, replies;
  for (RequestBody& body : bodies())
    requests.push_back(encode(Request{.id = 5, .acked = 3, .releases = {{1, 1}}, .body = std::move(body)}));
  for (ReplyBody& body : reply_bodies())
    replies.push_back(encode(Reply{.id = 5, .status = not_found("nothing"), .body = std::move(body)}));
  for (const size_t size : {1u, 2u, 7u, 100u, 5000u}) {
    for (const std::string& bytes : requests) EXPECT_EQ(encode(*decode_request(cut(bytes, size))), bytes) << size;
    for (const std::string& bytes : replies) EXPECT_EQ(encode(*decode_reply(cut(bytes, size))), bytes) << size;
  }
  EXPECT_EQ(decode_request(cut("\x0a\x05x", 1)).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(decode_reply(Pieces()).status().code(), StatusCode::kOk);
}

TEST(Codec, AnArraysBytesStayWhereTheyAre) {
  const Pieces array = cut(std::string(3000, 'x'), 1000);
  const Pieces sent = encode_in_pieces(Request{.id = 1, .body = Chunk{.buffer = {1, 2}, .offset = 7, .bytes = array}});
  ASSERT_EQ(sent.parts.size(), 4u);
  const std::optional<Request> chunk = chunk_of(sent);
  ASSERT_TRUE(chunk.has_value());
  EXPECT_EQ(chunk->id, 1);
  EXPECT_EQ(std::get<Chunk>(chunk->body).offset, 7);
  const Reply reply = *decode_reply(encode_in_pieces(Reply{.id = 1, .body = BytesReply{array}}));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sent.parts[i + 1].data(), array.parts[i].data());
    EXPECT_EQ(std::get<Chunk>(chunk->body).bytes.parts[i].data(), array.parts[i].data());
    EXPECT_EQ(std::get<BytesReply>(reply.body).bytes.parts[i].data(), array.parts[i].data());
  }
}

TEST(Codec, OnlyAMessageThatEndsWithAnArraysBytesIsAChunk) {
  const std::string good = encode(Request{.id = 1, .body = Chunk{.buffer = {1, 2}, .bytes = Pieces("abc")}});
  EXPECT_TRUE(chunk_of(Pieces(good)));
  EXPECT_FALSE(chunk_of(Pieces(good + std::string("\x10\x01", 2))));  // followed by Request.acked
  for (size_t i = 0; i < good.size(); ++i) EXPECT_FALSE(chunk_of(Pieces(good.substr(0, i)))) << i;
  for (RequestBody& body : bodies()) {
    const bool is_chunk = std::holds_alternative<Chunk>(body);
    EXPECT_EQ(chunk_of(Pieces(encode(Request{.id = 1, .body = std::move(body)}))).has_value(), is_chunk);
  }
  // A request whose handles exceed the first bytes is decoded as a whole.
  const Request many{
      .id = 1, .releases = std::vector<Handle>(40), .body = Chunk{.buffer = {1, 2}, .bytes = Pieces("abc")}};
  EXPECT_FALSE(chunk_of(encode_in_pieces(many)));
  EXPECT_EQ(decode_request(cut(encode(many), 9))->releases.size(), 40u);
}

TEST(Codec, BatchesInPiecesAreTakenApart) {
  std::string batch;
  const std::vector<std::string> messages = {"", "a", std::string(127, 'b'), std::string(128, 'c'),
                                             std::string(7000, 'd')};
  for (const std::string& message : messages) append_to_batch(batch, message);
  for (const size_t size : {1u, 3u, 1000u, 100000u}) {
    Pieces left = cut(batch, size);
    for (const std::string& message : messages) EXPECT_EQ(take_from_batch(left)->whole(), message) << size;
    EXPECT_TRUE(left.empty());
  }
  Pieces bad = cut("\x0a\x05x", 1);
  EXPECT_EQ(take_from_batch(bad).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(bad.size(), 3u);
}

TEST(Codec, BatchesAreTakenApart) {
  std::string batch;
  const std::vector<std::string> messages = {"", "a", std::string(127, 'b'), std::string(128, 'c'),
                                             std::string(70000, 'd')};
  for (const std::string& message : messages) append_to_batch(batch, message);
  std::string_view left = batch;
  for (const std::string& message : messages) {
    const StatusOr<std::string_view> taken = take_from_batch(left);
    ASSERT_TRUE(taken.ok());
    EXPECT_EQ(*taken, message);
  }
  EXPECT_TRUE(left.empty());
  for (const std::string_view bad :
       {"\x0a", "\x0a\x05x", "\x12\x01x", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
    std::string_view rest = bad;
    EXPECT_EQ(take_from_batch(rest).status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(Codec, ReadsWhatAnotherWriterOfXrtProtoWrote) {  // Written by protoc --encode=hilo.xrt.v1.Requests.
  const std::string batch = *read_file(std::string(tests::kSourceDir) + "/tests/fuzz/rpc_session/arrays.bin");
  std::vector<Request> requests;
  for (std::string_view left = batch; !left.empty();) requests.push_back(*decode_request(*take_from_batch(left)));
  ASSERT_EQ(requests.size(), 6u);
  EXPECT_EQ(std::get<Hello>(requests[0].body).replica_count, 2);
  const auto& upload = std::get<Upload>(requests[1].body);
  EXPECT_EQ(upload.shape.to_string_with_layout(), "f32[2]{0}");
  EXPECT_EQ(upload.buffer, (Handle{0, 1}));
  EXPECT_EQ(upload.bytes, std::string("\0\0\x80?\0\0\0@", 8));
  EXPECT_EQ(std::get<Stack>(requests[3].body).parts.size(), 2u);
  EXPECT_EQ(requests[5].acked, 3);
  EXPECT_EQ(std::get<Download>(requests[5].body).size, 8);
}

// ---- xrt.proto describes the written messages.

/// Fields of messages by name: {"Hello.version", 1}.
using Fields = std::map<std::string, uint32_t>;

template <typename T>
void add_fields(Fields& fields) {
  T message;
  visit_fields(message, [&](std::string_view name, uint32_t number, const auto&) {
    fields[std::string(kMessageName<T>) + "." + std::string(name)] = number;
  });
}
template <typename... T>
void add_all(Fields& fields, const std::variant<T...>*) {
  (add_fields<T>(fields), ...);
}
template <typename Body>
std::string alternative(size_t index) {
  std::string name;
  size_t i = 0;
  const auto look = [&]<typename... T>(const std::variant<T...>*) {
    ((i++ == index ? void(name = kMessageName<T>) : void()), ...);
  };
  look(static_cast<const Body*>(nullptr));
  return name;
}

TEST(Codec, TextThatIsNoUtf8IsWrittenAsUtf8) {
  const std::string bad = "a\xff\xc3(";
  CompileReply compiled;
  compiled.signature.name = bad;
  compiled.signature.argument_names = {bad, "", "x"};
  compiled.events = {{.name = bad, .module = bad}};
  const Reply read = *decode_reply(encode(Reply{.id = 1, .body = compiled}));
  const auto& body = std::get<CompileReply>(read.body);
  EXPECT_EQ(body.signature.name, hlo::proto::utf8(bad));
  EXPECT_NE(body.signature.name, bad);
  EXPECT_EQ(body.signature.argument_names, (std::vector<std::string>{hlo::proto::utf8(bad), "", "x"}));
  EXPECT_EQ(body.events[0].name, hlo::proto::utf8(bad));
  EXPECT_EQ(body.events[0].module, bad);  // bytes
  const UnitsReply units{{{.kind = bad, .form = bad}}};
  EXPECT_EQ(std::get<UnitsReply>(decode_reply(encode(Reply{.id = 1, .body = units}))->body).units[0].form,
            hlo::proto::utf8(bad));
}

TEST(Codec, WritesWhatTheProtoFileSays) {
  Fields ours;
  add_all(ours, static_cast<const RequestBody*>(nullptr));
  add_all(ours, static_cast<const ReplyBody*>(nullptr));
  add_fields<CompileLimits>(ours);
  add_fields<RunPart>(ours);
  add_fields<DeviceDescription>(ours);
  add_fields<PassEvent>(ours);
  add_fields<UnitDescription>(ours);
  add_fields<ProgramSignature>(ours);
  add_fields<ExecutableStatistics>(ours);
  add_fields<SessionReport>(ours);
  add_fields<SessionOverview>(ours);
  add_fields<Overview>(ours);

  std::ifstream file(std::string(tests::kSourceDir) + "/src/hilo/rpc/proto/hilo/xrt/v1/xrt.proto");
  ASSERT_TRUE(file.good());
  const std::regex message("message (\\w+) \\{.*"), field("\\s+(?:repeated )?(\\w+) (\\w+) = (\\d+);.*");
  const std::set<std::string> elsewhere = {"Requests", "Replies", "Shape", "Layout"};
  Fields theirs;
  std::string current;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, message)) current = match[1];
    else if (std::regex_match(line, match, field) && !elsewhere.contains(current)) {
      const uint32_t number = static_cast<uint32_t>(std::stoul(match[3]));
      const bool is_body = number >= kFirstBody && (current == "Request" || current == "Reply");
      if (is_body) {
        EXPECT_EQ(match[1], current == "Request" ? alternative<RequestBody>(number - kFirstBody)
                                                 : alternative<ReplyBody>(number - kFirstBody));
      }
      if (current != "Request" && current != "Reply") theirs[current + "." + std::string(match[2])] = number;
    }
  }
  EXPECT_EQ(ours, theirs);
  EXPECT_GT(theirs.size(), 50u);
}

}  // namespace
}  // namespace hilo::rpc
