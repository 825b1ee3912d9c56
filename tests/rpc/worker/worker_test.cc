// SPDX-License-Identifier: Apache-2.0
// A worker's replies to clients of other versions, and to programs that are not clients.
#include "hilo/rpc/worker/worker.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "hilo/base/files.h"
#include "hilo/hlo/proto/wire.h"
#include "hilo/rpc/proto/codec.h"
#include "hilo/rpc/proto/fields.h"
#include "tests/paths.h"

namespace hilo::rpc {
namespace {

/// A worker on a thread, and the other end of its socket.
class Worker {
 public:
  Worker() : Worker(*make_socket_pair()) {}
  ~Worker() {
    socket_.shut_down();
    thread_.join();
  }
  void send(std::string_view batch) { EXPECT_TRUE(socket_.write(0, batch).ok()); }
  void send(const Request& request) {
    std::string batch;
    append_to_batch(batch, encode(request));
    send(batch);
  }
  /// The next received message.
  std::string next() {
    Frame frame;
    const StatusOr<bool> is_there = socket_.read(frame);
    EXPECT_TRUE(is_there.ok() && *is_there);
    return std::string(frame.message);
  }
  Reply reply() { return *decode_reply(next()); }
  void greet() {
    send(Request{.body = Hello{.session = {1, 1}}});
    EXPECT_TRUE(reply().status.ok());
  }

 private:
  explicit Worker(SocketPair pair)
      : socket_(std::move(pair.here)), thread_([this, socket = std::make_shared<OwnedFile>(std::move(pair.there))] {
          serve_session({.socket = std::move(*socket)}, options_, {});
        }) {}
  const WorkerOptions options_;
  FrameSocket socket_;
  std::thread thread_;
};

std::vector<hlo::proto::WireField> fields_of(std::string_view message) {
  std::vector<hlo::proto::WireField> fields;
  hlo::proto::WireReader reader(message, "message");
  while (!reader.at_end()) EXPECT_TRUE(reader.next(fields.emplace_back()).ok());
  return fields;
}

TEST(Serve, AClientOfTheFirstReleaseIsAnsweredInFieldsThatItKnows) {
  // The last field of each body of Reply in xrt.proto. The requests are in protoc's serialization.
  const std::map<uint32_t, uint32_t> known = {{10, 0}, {11, 5}, {12, 4}, {13, 1}, {14, 2}};
  for (const char* const file : {"arrays.bin", "chunks.bin", "program.bin"}) {
    const std::string batch = *read_file(std::string(tests::kSourceDir) + "/tests/fuzz/rpc_session/" + file);
    Worker worker;
    worker.greet();
    worker.send(batch);
    for (std::string_view left = batch; !left.empty();) {
      const StatusOr<std::string_view> request = take_from_batch(left);
      if (left.empty() && std::holds_alternative<End>(decode_request(*request)->body))
        break;  // the last message ends the session
      const std::string message = worker.next();
      for (const hlo::proto::WireField& field : fields_of(message)) {
        if (field.number < kFirstBody) continue;
        ASSERT_TRUE(known.contains(field.number)) << file << ": " << field.number;
        for (const hlo::proto::WireField& inner : fields_of(field.bytes))
          EXPECT_LE(inner.number, known.at(field.number)) << file;
      }
    }
  }
}

TEST(Serve, ACallOfANewerClientIsRefusedByNumberAndTheSessionGoesOn) {
  Worker worker;
  worker.greet();
  std::string batch;
  append_to_batch(batch, std::string_view("\x08\x01\x9a\x06\x00", 5));              // call 1: field 99
  append_to_batch(batch, std::string_view("\x08\x02\xa2\x01\x03\xf8\x01\x07", 8));  // call 2: Execute with field 31
  append_to_batch(batch, encode(Request{.id = 3, .body = Free{}}));
  worker.send(batch);
  const std::string newer = " is unknown to version 1 of hilo.xrt. Hint: the other side is newer";
  const Reply call = worker.reply(), field = worker.reply(), good = worker.reply();
  EXPECT_EQ(call.id, 1);
  EXPECT_EQ(call.status.to_string(), "UNIMPLEMENTED: Request: field 99" + newer);
  EXPECT_EQ(field.id, 2);
  EXPECT_EQ(field.status.to_string(), "UNIMPLEMENTED: Execute: field 31" + newer);
  EXPECT_EQ(good.id, 3);
  EXPECT_TRUE(good.status.ok());
}

TEST(Serve, AClientOfAnotherVersionIsRefusedByNumber) {
  Worker worker;
  worker.send(Request{.body = Hello{.version = 2, .session = {1, 1}}});
  EXPECT_EQ(worker.reply().status.to_string(),
            "UNIMPLEMENTED: Hello: got version 2 of hilo.xrt; this server has version 1");
}

TEST(Serve, WhoDoesNotSayHelloGetsNothing) {
  Worker worker;
  worker.send(Request{.id = 1, .body = Statistics{}});
  EXPECT_EQ(worker.reply().status.code(), StatusCode::kFailedPrecondition);
  worker.send(Request{.body = Hello{.session = {1, 1}, .resumes = true}});
  EXPECT_EQ(worker.reply().status.code(), StatusCode::kNotFound);
  worker.send("no batch");
  const Reply garbage = worker.reply();
  EXPECT_EQ(garbage.id, 0);
  EXPECT_EQ(garbage.status.code(), StatusCode::kInvalidArgument);
  worker.greet();
}

TEST(Serve, TheLastRequestIsAnsweredWithGoodbye) {
  Worker worker;
  worker.greet();
  worker.send(Request{.id = 1, .body = End{}});
  EXPECT_EQ(worker.reply().id, 1);
  EXPECT_EQ(worker.next(), kGoodbye);
}

}  // namespace
}  // namespace hilo::rpc
