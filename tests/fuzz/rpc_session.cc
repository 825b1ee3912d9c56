// SPDX-License-Identifier: Apache-2.0
// Any bytes are a batch of requests or an error. A session answers each call once, respects its quotas and continues to
// answer.
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include "hilo/client/platforms.h"
#include "hilo/rpc/proto/codec.h"
#include "hilo/rpc/service/session.h"

namespace {

using hilo::rpc::Request;

constexpr int64_t kBytes = 1 << 16;

/// Replaces handles by small numbers that the fuzzer finds: their low bits.
hilo::rpc::Handle small(const hilo::rpc::Handle& handle) { return {0, handle.low & 7}; }

void make_names_small(Request& request) {
  for (auto& handle : request.releases) handle = small(handle);
  std::visit(
      [](auto& body) {
        if constexpr (requires { body.buffer; }) body.buffer = small(body.buffer);
        if constexpr (requires { body.executable; }) body.executable = small(body.executable);
        if constexpr (requires { body.from; }) body.from = small(body.from);
        if constexpr (requires { body.to; }) body.to = small(body.to);
      },
      request.body);
}

/// Splits the bytes into pieces of this length.
hilo::rpc::Pieces cut(std::string_view bytes, size_t size) {
  std::vector<std::string_view> parts;
  for (size_t i = 0; i < bytes.size(); i += size) parts.push_back(bytes.substr(i, size));
  return {std::move(parts), nullptr};
}

/// Checks that a message in pieces is decoded like the whole one.
void read_in_pieces(std::string_view message, size_t size) {
  const hilo::rpc::Pieces pieces = cut(message, size);
  const auto whole = hilo::rpc::decode_request(message), read = hilo::rpc::decode_request(pieces);
  if (whole.ok() != read.ok() || (whole.ok() && hilo::rpc::encode(*whole) != hilo::rpc::encode(*read))) std::abort();
  const auto chunk = hilo::rpc::chunk_of(pieces);
  if (chunk && (!whole.ok() || hilo::rpc::encode(*chunk) != hilo::rpc::encode(*whole))) std::abort();
}

void take_apart_in_pieces(std::string_view batch, size_t size) {
  hilo::rpc::Pieces left = cut(batch, size);
  while (!left.empty()) {
    const auto message = hilo::rpc::take_from_batch(left);
    if (!message.ok()) break;
    const std::string whole = message->whole();
    read_in_pieces(whole, size);
    static_cast<void>(hilo::rpc::decode_reply(*message));
  }
}

void run_session(std::string_view batch) {
  const hilo::ClientPtr client = *hilo::make_platform_client("Host", {.replica_count = 2});
  std::mutex mutex;
  std::condition_variable answered;
  std::map<int64_t, int> answers;
  int64_t asked = 0;
  // The destructor waits for pending answers.
  auto session = std::make_unique<hilo::rpc::Session>(hilo::rpc::SessionOptions{.client = client,
                                                                                .quota = {.live_bytes = kBytes,
                                                                                          .buffers = 8,
                                                                                          .executables = 2,
                                                                                          .calls_in_flight = 64,
                                                                                          .compile_seconds = 1,
                                                                                          .run_seconds = 1}});
  while (!batch.empty()) {
    const auto message = hilo::rpc::take_from_batch(batch);
    if (!message.ok()) break;
    auto request = hilo::rpc::decode_request(*message);
    static_cast<void>(hilo::rpc::request_id(*message));
    if (!request.ok()) continue;
    if (hilo::rpc::encode(*hilo::rpc::decode_request(hilo::rpc::encode(*request))) != hilo::rpc::encode(*request))
      std::abort();
    make_names_small(*request);
    request->id = ++asked;
    const bool compiles = std::holds_alternative<hilo::rpc::Compile>(request->body);
    session->handle(*request, [&, id = asked](const hilo::rpc::Reply& reply) {
      const std::scoped_lock lock(mutex);
      if (reply.id != id) std::abort();
      ++answers[id];
      answered.notify_all();
    });
    if (compiles) {  // so that later requests may use the program
      std::unique_lock lock(mutex);
      answered.wait(lock, [&] { return answers.contains(asked); });
    }
    if (session->counts().live_bytes > kBytes || session->counts().buffers > 8) std::abort();
  }
  session.reset();
  if (std::ssize(answers) != asked) std::abort();
  for (const auto& [call, count] : answers) {
    if (count != 1) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(hilo::rpc::decode_reply(bytes));
  for (const size_t piece : {1u, 5u, 300u}) take_apart_in_pieces(bytes, piece);
  run_session(bytes);
  return 0;
}
