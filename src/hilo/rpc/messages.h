// SPDX-License-Identifier: Apache-2.0
// rpc/messages.h -- what a client of a remote hilo asks, and what it is answered: plain data, without a wire in sight.
// rpc/proto says how each is written.
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

/// The version of these messages. Each side refuses another one by its number.
inline constexpr int64_t kVersion = 1;
/// The most bytes of an array that one message carries.
inline constexpr int64_t kChunkBytes = 1 << 20;
/// The most bytes of one message, and of one batch of messages.
inline constexpr int64_t kMessageBytes = int64_t{64} << 20;
inline constexpr int64_t kMostBatchBytes = kMessageBytes + kChunkBytes;

/// The streams of a session: calls, and the bytes of large arrays, which would stand before them. Between a server and
/// a worker there are two more: of empty questions and SessionReports, and of what rpc/worker/arena.h says.
enum class Lane : uint8_t { kCalls, kBytes, kReports, kPlaces };
inline constexpr size_t kLanes = 2;  // of a client

// ---- What a client asks.

/// The first message of each stream.
struct Hello {
  int64_t version = kVersion;
  Handle session = {};   ///< made by the client, and secret: who knows it is the client
  bool resumes = false;  ///< the session is there already
  int64_t replica_count =
      1;  ///< devices that the session shall have, where the platform makes as many as it is asked for
};
/// Compiles an HloModuleProto.
struct Compile {
  Handle executable = {};  ///< what it shall be called
  std::string program = {};
  int64_t replica_count = 1;
  std::vector<int64_t> devices = {};  ///< by replica; empty: replica r on device r
  std::optional<Shape> result_shape = {};
  CompileLimits limits = {};
  bool is_observed = false;    ///< the reply says what the passes did
  bool times_kernels = false;  ///< as PassObserver::times_kernels
};
/// The optimised program of an executable.
struct Describe {
  Handle executable = {};
};
/// A new buffer. Its row-major value comes with it, or in chunks after the reply; or its contents are undefined.
struct Upload {
  Handle buffer = {};
  int64_t device = 0;
  Shape shape = {};
  std::string bytes = {};
  bool is_chunked = false;
  bool is_undefined = false;
};
/// A part of a value that comes in chunks. Its bytes stay where they are: with who sends it, or in the message that
/// came.
struct Chunk {
  Handle buffer = {};
  int64_t offset = 0;
  Pieces bytes = {};
};
/// Some bytes of a buffer's row-major value.
struct Download {
  Handle buffer = {};
  int64_t offset = 0;
  int64_t size = 0;
};
/// A new buffer with another's value.
struct Copy {
  Handle from = {}, to = {};
  int64_t device = 0;
};
/// As Device::slice.
struct Slice {
  Handle from = {}, to = {};
  int64_t index = 0;
  int64_t device = 0;
};
/// As Device::stack.
struct Stack {
  std::vector<Handle> parts = {};
  Handle to = {};
  int64_t device = 0;
};
/// Only what Request::releases says.
struct Free {};
/// One replica's part of a run.
struct RunPart {
  std::vector<Handle> arguments = {};
  std::vector<Handle> results = {};  ///< what the results shall be called
};
struct Execute {
  Handle executable = {};
  std::vector<RunPart> parts = {};    ///< one a replica; one for a program that runs alone
  std::vector<int64_t> donated = {};  ///< arguments whose memory the run may take; their handles end in any case
  int64_t device = 0;                 ///< of a program that runs alone
  double seconds = 0;  ///< what it may take; 0: as long as it was compiled to take; below: as long as the server allows
  bool is_observed = false;  ///< the reply says what ran when
};
/// Tells a call to stop. The call's own reply says whether it did.
struct Cancel {
  int64_t call = 0;
};
struct Statistics {
  int64_t device = 0;
};

/// The client needs the session no more.
struct End {};
/// What a device runs in one go of an executable: Executable::units().
struct Units {
  Handle executable = {};
};

using RequestBody = std::variant<Hello, Compile, Describe, Upload, Chunk, Download, Copy, Slice, Stack, Free, Execute,
                                 Cancel, Statistics, End, Units>;

struct Request {
  int64_t id = 0;                     ///< counts the session's calls from 1 on: a call that is sent twice runs once
  int64_t acked = 0;                  ///< the client has the replies of all calls before this one
  std::vector<Handle> releases = {};  ///< buffers and executables that the client has dropped
  RequestBody body = {};
};

// ---- What it is answered.

struct DeviceDescription {
  int64_t id = 0;
  std::string kind = {};
  std::vector<std::string> memories = {};
};
struct HelloReply {
  int64_t version = kVersion;
  std::string platform = {};
  std::string release = {};  ///< the server's version of hilo, for messages
  std::vector<DeviceDescription> devices = {};
  int64_t calls_in_flight = 0;  ///< how many the session may have
};
/// What a hlo::PassObserver is told.
struct PassEvent {
  static constexpr int64_t kBefore = 0, kAfter = 1, kGenerated = 2;  // a pass, a pass, a kernel
  int64_t kind = kBefore;
  std::string name = {};
  bool changed = false;
  double milliseconds = 0;
  int64_t code_bytes = 0;
  std::string module = {};  ///< a HloModuleProto; empty: as in the event before
};
struct CompileReply {
  ProgramSignature signature = {};
  ExecutableStatistics statistics = {};
  std::vector<int64_t> devices = {};
  std::vector<PassEvent> events = {};  ///< of one that is observed
};
/// An array's bytes, or a program's. They stay where they are, as those of a Chunk.
struct BytesReply {
  Pieces bytes = {};
};
struct StatisticsReply {
  DeviceStatistics statistics = {};
};
/// An ExecutionUnit.
struct UnitDescription {
  int64_t number = 0;  ///< its own, in all runs of the executable
  std::string kind = {};
  std::vector<int64_t> instructions = {};  ///< as InstructionPlaces counts those of the optimised program
  double bytes = 0;
  std::string form = {};
};
/// What an ExecutionObserver of a run is told, a list for each field: line k says that units[rows[k]] ran.
struct RunReply {
  std::vector<UnitDescription> units = {};
  std::vector<int64_t> rows = {};
  std::vector<int64_t> begins = {};
  std::vector<int64_t> durations = {};  ///< together, where it ran more than once
  std::vector<int64_t> lanes = {};
  std::vector<int64_t> counts = {};  ///< how often it ran
};
struct UnitsReply {
  std::vector<UnitDescription> units = {};
};
/// It was done.
struct DoneReply {};

using ReplyBody = std::variant<DoneReply, HelloReply, CompileReply, BytesReply, StatisticsReply, RunReply, UnitsReply>;

struct Reply {
  int64_t id = 0;  ///< of the request
  Status status = {};
  ReplyBody body = {};  ///< DoneReply if the status isn't OK
};

}  // namespace hilo::rpc
