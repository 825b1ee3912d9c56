// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/worker/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/base/sizes.h"
#include "hilo/base/text.h"
#include "hilo/client/compile.h"
#include "hilo/client/platforms.h"
#include "hilo/hlo/ops/custom_call_registry.h"
#include "hilo/rpc/proto/codec.h"
#include "hilo/rpc/service/session.h"
#include "hilo/rpc/worker/arena.h"

namespace hilo::rpc {
namespace {

constexpr int64_t kMaxCachedBytes = int64_t{64} << 20;  // bytes of freed arrays in the arena

/// Returns the resident bytes of this process; 0 if the system doesn't report them.
int64_t resident_bytes() {
  constexpr int64_t kMaxBytes = 4096;
  const StatusOr<std::string> sizes = read_file("/proc/self/statm", kMaxBytes);  // in pages; the second number
  const size_t space = sizes.ok() ? sizes->find(' ') : std::string::npos;
  if (space == std::string::npos) return 0;
  return parse_int64(sizes->substr(space + 1, sizes->find(' ', space + 1) - space - 1)).value_or(0) * ::getpagesize();
}

/// State of serving a session. The socket outlives the session, because the last replies are written to it.
struct Serving {
  FrameSocket socket;
  const WorkerOptions& options;
  OnStuck on_stuck;
  std::shared_ptr<Arena> arena = nullptr;  // empty: chunks arrive in their messages
  std::unique_ptr<Session> session = nullptr;

  Serving(WorkerFiles files, const WorkerOptions& options, OnStuck on_stuck)
      : socket(std::move(files.socket)), options(options), on_stuck(std::move(on_stuck)) {
    if (files.arena.get() < 0) return;
    const int64_t live = options.quota.live_bytes;
    arena = Arena::make(
        std::move(files.arena), [this](const Place& place) { write(Lane::kPlaces, bytes_of(place)); },
        live > 0 ? std::min(live / 4, kMaxCachedBytes) : kMaxCachedBytes);
  }
  ~Serving() {
    session.reset();
    if (arena != nullptr) arena->close();
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  void write(Lane lane, std::string_view message) {
    static_cast<void>(
        socket.write(static_cast<uint32_t>(lane), message));  // if the server has ended, read() reports it
  }
  Session::Sink sink(uint32_t lane) {
    return [this, lane](const Reply& reply) { static_cast<void>(socket.write(lane, encode_in_pieces(reply).parts)); };
  }
  AllocateUpload allocate_upload() const {
    if (arena == nullptr) return nullptr;
    return [arena = arena](const Handle& buffer, int64_t bytes) { return arena->allocate(buffer, bytes); };
  }
  /// Returns hilo's own custom calls, LAPACK's, and those that the operator allows.
  std::vector<std::string> custom_calls() const {
    std::vector<std::string> all = options.custom_calls;
    for (const std::string& target : custom_call_targets()) {
      if (!means_this_process(target)) all.push_back(target);
    }
    return all;
  }
  Status make_session(const Hello& hello) {
    if (hello.resumes) return not_found("no such session: it has ended");
    if (hello.replica_count < 1 || hello.replica_count > options.devices) {
      return invalid_argument(fmt::format("Hello.replica_count: got {}; wanted 1 to {}, the devices per session",
                                          hello.replica_count, options.devices));
    }
    HILO_ASSIGN_OR_RETURN(const ClientPtr client,
                          make_platform_client(options.platform, {.replica_count = hello.replica_count}));
    const CompileFunction compile = [client](const hlo::Module& module, const CompileOptions& how,
                                             hlo::PassObserver* observer) -> StatusOr<std::shared_ptr<Executable>> {
      // A program that another session compiled may be on disk, but an observer needs a compilation.
      if (observer == nullptr) return compile_for_client(*client, module, how);
      HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, client->compile(module, how, observer));
      return std::shared_ptr<Executable>(std::move(executable));
    };
    session = std::make_unique<Session>(SessionOptions{.client = client,
                                                       .quota = options.quota,
                                                       .custom_calls = custom_calls(),
                                                       .compile = compile,
                                                       .allocate_upload = allocate_upload(),
                                                       .on_stuck = on_stuck});
    return ok_status();
  }
  SessionReport report() const {
    SessionReport report{.memory_bytes = resident_bytes()};
    if (session == nullptr) return report;
    const Session::Counts counts = session->counts();
    report.calls = counts.calls;
    report.buffers = counts.buffers;
    report.live_bytes = counts.live_bytes;
    report.executables = counts.executables;
    return report;
  }
  /// Handles a request. Returns false after the last one.
  bool answer(const Frame& frame) {
    if (frame.lane == ordinal(Lane::kReports)) {
      write(Lane::kReports, encode(report()));
      return true;
    }
    if (frame.lane == ordinal(Lane::kPlaces)) return take_chunk(frame.message);
    const Session::Sink reply = sink(frame.lane);
    for (std::string_view left = frame.message; !left.empty();) {
      const StatusOr<std::string_view> message = take_from_batch(left);
      if (!message.ok()) reply(Reply{.id = 0, .status = message.status()});
      if (!message.ok()) return true;
      if (!answer(*message, reply)) return false;
    }
    return true;
  }
  /// Handles a chunk that is at its place. Returns false for an invalid frame.
  bool take_chunk(std::string_view frame) {
    const StatusOr<Placed> placed = placed_of(frame);
    if (!placed.ok() || arena == nullptr || session == nullptr) return false;
    StatusOr<Request> request = arena->chunk_at(*placed);
    if (!request.ok())  // the buffer was released meanwhile
      request =
          Request{.id = placed->id, .acked = placed->acked, .body = Chunk{.buffer = placed->buffer, .offset = -1}};
    session->handle(*std::move(request), sink(ordinal(Lane::kBytes)));
    return true;
  }
  bool answer(std::string_view message, const Session::Sink& reply) {
    const auto refuse = [&](const Status& why) {
      reply(Reply{.id = request_id(message), .status = why});
      return true;
    };
    StatusOr<Request> request = decode_request(message);
    if (!request.ok()) return refuse(request.status());
    const auto* hello = std::get_if<Hello>(&request->body);
    if (session == nullptr && hello == nullptr)
      return refuse(failed_precondition("the first message of a session must be Hello"));
    if (session == nullptr) {
      if (const Status made = make_session(*hello); !made.ok()) return refuse(made);
    }
    const bool is_last = std::holds_alternative<End>(request->body);
    session->handle(*std::move(request), reply);
    return !is_last;
  }
};

}  // namespace

void serve_session(WorkerFiles files, const WorkerOptions& options, OnStuck on_stuck) {
  Serving serving(std::move(files), options, std::move(on_stuck));
  for (Frame frame;;) {
    const StatusOr<bool> is_there = serving.socket.read(frame);
    if (!is_there.ok()) log_warning("a worker's socket: {}", is_there.status().to_string());
    if (!is_there.ok() || !*is_there) break;
    if (serving.answer(frame)) continue;
    serving.session.reset();
    static_cast<void>(serving.socket.write(0, kGoodbye));
    break;
  }
  serving.socket.shut_down();  // later writes of the session are dropped
}

}  // namespace hilo::rpc
