// SPDX-License-Identifier: Apache-2.0
// rpc/messages.h -- the requests and replies of a remote hilo as plain data. rpc/proto defines their encoding.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hilo/device/compile_options.h"
#include "hilo/device/executable.h"
#include "hilo/rpc/handle.h"
#include "hilo/rpc/pieces.h"

namespace hilo::rpc {

/// The version of these messages. Each side rejects other versions.
inline constexpr int64_t kVersion = 1;
/// Maximum bytes of an array in one message.
inline constexpr int64_t kChunkBytes = 1 << 20;
/// Maximum bytes of one message, and of one batch of messages.
inline constexpr int64_t kMessageBytes = int64_t{64} << 20;
inline constexpr int64_t kMaxBatchBytes = kMessageBytes + kChunkBytes;

/// The streams of a session: kCalls, and kBytes for the contents of large arrays, which would delay calls. Between a
/// server and a worker there are two more: kReports for empty requests and SessionReports, and kPlaces for the messages
/// of rpc/worker/arena.h.
enum class Lane : uint8_t { kCalls, kBytes, kReports, kPlaces };
inline constexpr size_t kLanes = 2;  // number of a client's streams

// ---- Requests.

/// The first message of each stream.
struct Hello {
  int64_t version = kVersion;
  Handle session = {};        ///< secret name that the client creates; it authenticates the client
  bool resumes = false;       ///< whether the session exists already
  int64_t replica_count = 1;  ///< number of devices of the session, for platforms with virtual devices
};
/// Compiles an HloModuleProto.
struct Compile {
  Handle executable = {};  ///< name of the new executable
  std::string program = {};
  int64_t replica_count = 1;
  std::vector<int64_t> devices = {};  ///< device of each replica; empty means replica r on device r
  std::optional<Shape> result_shape = {};
  CompileLimits limits = {};
  bool is_observed = false;    ///< whether the reply contains the events of the passes
  bool times_kernels = false;  ///< value of PassObserver::times_kernels
};
/// Requests the optimized program of an executable.
struct Describe {
  Handle executable = {};
};
/// Creates a buffer. Its row-major value is in this message, or follows in chunks after the reply, or is undefined.
struct Upload {
  Handle buffer = {};
  int64_t device = 0;
  Shape shape = {};
  std::string bytes = {};
  bool is_chunked = false;
  bool is_undefined = false;
};
/// A part of an uploaded value. Its bytes are not copied: they stay in the sender's memory or in the received message.
struct Chunk {
  Handle buffer = {};
  int64_t offset = 0;
  Pieces bytes = {};
};
/// Requests a range of bytes of a buffer's row-major value.
struct Download {
  Handle buffer = {};
  int64_t offset = 0;
  int64_t size = 0;
};
/// Creates a buffer with the value of another one.
struct Copy {
  Handle from = {}, to = {};
  int64_t device = 0;
};
/// Performs Device::slice.
struct Slice {
  Handle from = {}, to = {};
  int64_t index = 0;
  int64_t device = 0;
};
/// Performs Device::stack.
struct Stack {
  std::vector<Handle> parts = {};
  Handle to = {};
  int64_t device = 0;
};
/// A request that only carries Request::releases.
struct Free {};
/// One replica's part of a run.
struct RunPart {
  std::vector<Handle> arguments = {};
  std::vector<Handle> results = {};  ///< names of the new result buffers
};
struct Execute {
  Handle executable = {};
  std::vector<RunPart> parts = {};  ///< one per replica; a single one for a program that runs alone
  /// indices of arguments whose memory the run may reuse; their handles end in any case
  std::vector<int64_t> donated = {};
  int64_t device = 0;        ///< device of a program that runs alone
  double seconds = 0;        ///< timeout in seconds; 0 means the program's own, negative the server's limit
  bool is_observed = false;  ///< whether the reply contains the times of units
};
/// Cancels a call. The reply of that call tells whether it stopped.
struct Cancel {
  int64_t call = 0;
};
struct Statistics {
  int64_t device = 0;
};

/// Ends the session.
struct End {};
/// Requests Executable::units() of an executable.
struct Units {
  Handle executable = {};
};

using RequestBody = std::variant<Hello, Compile, Describe, Upload, Chunk, Download, Copy, Slice, Stack, Free, Execute,
                                 Cancel, Statistics, End, Units>;

struct Request {
  int64_t id = 0;     ///< number of the call in its session, from 1 on; a call that is sent twice runs once
  int64_t acked = 0;  ///< the client has the replies of all calls with lower numbers
  std::vector<Handle> releases = {};  ///< buffers and executables that the client has dropped
  RequestBody body = {};
};

// ---- Replies.

struct DeviceDescription {
  int64_t id = 0;
  std::string kind = {};
  std::vector<std::string> memories = {};
};
struct HelloReply {
  int64_t version = kVersion;
  std::string platform = {};
  std::string release = {};  ///< the server's version of hilo, for error messages
  std::vector<DeviceDescription> devices = {};
  int64_t calls_in_flight = 0;  ///< maximum number of calls in flight in the session
};
/// A call of an hlo::PassObserver.
struct PassEvent {
  // before a pass, after a pass, after a kernel's generation
  static constexpr int64_t kBefore = 0, kAfter = 1, kGenerated = 2;
  int64_t kind = kBefore;
  std::string name = {};
  bool changed = false;
  double milliseconds = 0;
  int64_t code_bytes = 0;
  std::string module = {};  ///< an HloModuleProto; empty if it equals that of the previous event
};
struct CompileReply {
  ProgramSignature signature = {};
  ExecutableStatistics statistics = {};
  std::vector<int64_t> devices = {};
  std::vector<PassEvent> events = {};  ///< events of an observed compilation
};
/// Bytes of an array or a program. They are not copied, like those of a Chunk.
struct BytesReply {
  Pieces bytes = {};
};
struct StatisticsReply {
  DeviceStatistics statistics = {};
};
/// The description of an ExecutionUnit.
struct UnitDescription {
  int64_t number = 0;  ///< number of the unit, constant for all runs of the executable
  std::string kind = {};
  std::vector<int64_t> instructions = {};  ///< numbers of instructions in the optimized program, by InstructionPlaces
  double bytes = 0;
  std::string form = {};
};
/// The calls of an ExecutionObserver, one list per field: entry k means that units[rows[k]] ran.
struct RunReply {
  std::vector<UnitDescription> units = {};
  std::vector<int64_t> rows = {};
  std::vector<int64_t> begins = {};
  std::vector<int64_t> durations = {};  ///< total durations of units that ran several times
  std::vector<int64_t> lanes = {};
  std::vector<int64_t> counts = {};  ///< numbers of runs
};
struct UnitsReply {
  std::vector<UnitDescription> units = {};
};
/// Success without a value.
struct DoneReply {};

using ReplyBody = std::variant<DoneReply, HelloReply, CompileReply, BytesReply, StatisticsReply, RunReply, UnitsReply>;

struct Reply {
  int64_t id = 0;  ///< number of the request
  Status status = {};
  ReplyBody body = {};  ///< DoneReply if the status is an error
};

}  // namespace hilo::rpc
