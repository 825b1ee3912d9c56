// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <unordered_map>

#include "hilo/backend/host/device_queue.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/text.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/custom_call_registry.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/rpc/pass_recorder.h"
#include "hilo/rpc/run_recorder.h"
#include "hilo/rpc/service/buffers.h"
#include "hilo/rpc/service/calls.h"
#include "hilo/rpc/service/reply_size.h"
#include "hilo/rpc/service/scratch.h"
#include "hilo/rpc/service/watchdog.h"
#include "hilo/version.h"

namespace hilo::rpc {
namespace {

using ExecutablePtr = std::shared_ptr<Executable>;

/// An executable of the session, with its counted memory.
struct Compiled {
  ExecutablePtr executable;
  std::shared_ptr<UnitDescriber> describer;
  HeldPtr held;
};

/// Objects that a run holds until it has ended.
struct RunHold {
  std::vector<HeldPtr> arguments = {};
  HeldPtr executable = {};
  Held donated = {};  // bytes of donated arguments that results don't reuse
  std::shared_ptr<const void> temporaries = {};
  std::shared_ptr<Leftovers> results = std::make_shared<Leftovers>();

  void end() {
    results->end();
    *this = RunHold();
  }
};

constexpr int64_t kExecutableBytes = 4096;  // bytes of an executable in addition to its program, constants and code
constexpr size_t kMessageText = 4096;       // maximum bytes of a reply's message

Status clipped(const Status& status) {
  if (status.message().size() <= kMessageText) return status;
  return {status.code(), fmt::format("{}...", status.message().substr(0, kMessageText))};
}

/// Creates a buffer of zeros, so that clients can't read memory of earlier uses.
StatusOr<BufferPtr> zeros_on(Device& device, const Shape& shape) {
  HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(shape.byte_size()));
  if (memory.size() > 0) std::memset(memory.data(), 0, memory.size());
  HostData host{.shape = shape, .data = memory.data(), .semantics = HostMemory::kBorrowed};
  host.release = [owner = std::make_shared<AlignedBuffer>(std::move(memory))]() mutable { owner.reset(); };
  return device.from_host(host);
}

/// Returns the smaller of two limits. Values that aren't positive, including NaN, mean no limit.
template <typename T>
T tighter(T a, T b) {
  if (!(a > 0)) return b > 0 ? b : T(0);
  return b > 0 ? std::min(a, b) : a;
}

int64_t total_bytes(std::span<const Shape> shapes) {
  int64_t bytes = 0;
  for (const Shape& shape : shapes) bytes += shape.byte_size();
  return bytes;
}

}  // namespace

class Session::Impl : public std::enable_shared_from_this<Impl> {
 public:
  explicit Impl(SessionOptions options)
      : options_(std::move(options)),
        account_(Account::make(options_.quota.live_bytes)),
        buffers_(options_.quota, options_.allocate_upload, account_),
        scratch_(std::make_shared<Scratch>(account_)),
        calls_(options_.quota.calls_in_flight),
        run_watch_(options_.quota.run_seconds, [this](const auto& token) { give_up(token); }),
        compile_watch_(options_.quota.compile_seconds, [this](const auto& token) { give_up(token); }) {}

  void handle(Request request, Sink sink);
  void stop() {
    std::vector<std::shared_ptr<CancellationToken>> tokens;
    {
      const std::scoped_lock lock(mutex_);
      for (const auto& [token, call] : watched_) tokens.push_back(token);
    }
    for (const auto& token : tokens) cancel(token);
    calls_.wait();
  }
  Counts counts() const {
    return {calls_.running(), calls_.kept(), buffers_.size(), account_->held(), executable_count()};
  }

 private:
  Reply greet(const Hello& hello) const;
  void begin(const CallPtr& call, RequestBody& body);
  void release(std::span<const Handle> handles);
  void end(const CallPtr& call, const Status& status, ReplyBody body = {});
  Status done(const CallPtr& call) {
    end(call, ok_status());
    return ok_status();
  }
  /// Limits the call's time; the watch ends with the call.
  Status watch(Watchdog& watchdog, const CallPtr& call, double seconds, std::span<const int> queues = {},
               int inputs = 0);
  void unwatch(const CallPtr& call);
  /// Ends a call that continues after its cancellation, and the session.
  void give_up(const std::shared_ptr<CancellationToken>& token);
  void cancel(const std::shared_ptr<CancellationToken>& token) {
    run_watch_.cancel(token);
    compile_watch_.cancel(token);
  }

  // Handlers of the calls. An error becomes the reply; otherwise the handler ends the call.
  Status start(const CallPtr&, Hello&) {
    return invalid_argument("Hello: must be the first message of a stream, without an id");
  }
  Status start(const CallPtr& call, Compile& compile);
  Status start(const CallPtr& call, const Describe& describe);
  Status start(const CallPtr& call, const Units& units);
  Status start(const CallPtr& call, Upload& upload);
  Status start(const CallPtr& call, const Chunk& chunk);
  Status start(const CallPtr& call, const Download& download);
  Status start(const CallPtr& call, const Copy& copy);
  Status start(const CallPtr& call, const Slice& slice);
  Status start(const CallPtr& call, const Stack& stack);
  Status start(const CallPtr& call, const Free&) { return done(call); }
  Status start(const CallPtr& call, const End&) { return done(call); }
  Status start(const CallPtr& call, const Execute& execute);
  Status start(const CallPtr& call, const Cancel& request);
  Status start(const CallPtr& call, const Statistics& statistics);

  StatusOr<ExecutablePtr> compile(const CallPtr& call, const Compile& request, hlo::PassObserver* observer);
  /// Compiles a program and describes the result.
  StatusOr<CompileReply> compile_and_describe(const CallPtr& call, const Compile& request);
  StatusOr<CompileOptions> compile_options(const CallPtr& call, const Compile& request) const;
  /// Checks the custom calls of a program. `of_known` limits the check to calls that have a handler here.
  /// Errors    PERMISSION_DENIED for a call that isn't allowed
  Status check_custom_calls(const hlo::Module& module, bool of_known) const;
  /// Reserves the place of an executable before its compilation.
  /// Errors    RESOURCE_EXHAUSTED above the quota
  Status begin_compiling();
  void end_compiling();
  /// Counts the executable's memory and stores it under its name.
  Status keep(const Handle& name, const ExecutablePtr& executable);
  /// Counts the bytes of a run's results, except those that reuse donated arguments, and of its temporaries.
  StatusOr<Held> make_room_for_run(const Execute& execute, const Executable& executable, std::span<const Handle> names,
                                   RunHold& hold);
  StatusOr<Event> launch(const CallPtr& call, const Execute& execute, Executable& executable,
                         ExecutionObserver* observer, Held room, RunHold& hold);
  /// Limits the run's time in the queues of its devices, from when its copied inputs are ready.
  Status watch_run(const CallPtr& call, const Execute& execute, const Executable& executable,
                   const std::vector<std::vector<BufferPtr>>& arguments);
  std::vector<int> devices_of(const Execute& execute, const Executable& executable) const;
  /// Ends the call with the run. The reply contains the recorded times, if any.
  void end_with_run(const CallPtr& call, const Event& event, std::shared_ptr<RunRecorder> recorder, RunHold hold);
  /// Adds the new buffer with its counted bytes. The source counts until the copy is complete.
  void insert_copy(const CallPtr& call, const Handle& name, BufferPtr made, Held held, std::vector<HeldPtr> sources);
  StatusOr<Compiled> find_executable(const Handle& handle) const;
  /// Returns a range of bytes of a ready buffer that the caller holds, without a copy if possible. `kept` caches the
  /// row-major value; may be null.
  StatusOr<Pieces> read_part(const Buffer& buffer, const Download& download, RowMajor* kept);
  int64_t executable_count() const {
    const std::scoped_lock lock(mutex_);
    return std::ssize(executables_);
  }

  const SessionOptions options_;
  const std::shared_ptr<Account> account_;
  Buffers buffers_;  // used by handle()'s thread only
  const std::shared_ptr<Scratch> scratch_;
  Calls calls_;
  std::mutex reading_;
  mutable std::mutex mutex_;
  std::unordered_map<Handle, Compiled> executables_;
  int64_t compiling_ = 0;  // executables that wait for compilation or are being compiled
  std::unordered_map<std::shared_ptr<CancellationToken>, CallPtr> watched_;
  Watchdog run_watch_, compile_watch_;
  DeviceQueue compiler_;
};

// ---- Calls.

void Session::Impl::handle(Request request, Sink sink) {
  if (const auto* hello = std::get_if<Hello>(&request.body); hello != nullptr && request.id == 0)
    return sink(greet(*hello));
  const CallPtr call = calls_.begin(request.id, request.acked, std::move(sink));
  if (call == nullptr) return;
  try {
    release(request.releases);
    begin(call, request.body);
  } catch (const std::bad_alloc&) {
    end(call, out_of_memory());
  }
}

void Session::Impl::begin(const CallPtr& call, RequestBody& body) {
  const Status status = std::visit([&](auto& one) { return start(call, one); }, body);
  if (!status.ok()) end(call, status);
}

void Session::Impl::release(std::span<const Handle> handles) {
  for (const Handle& handle : handles) {
    buffers_.erase(handle);
    const std::scoped_lock lock(mutex_);
    executables_.erase(handle);
  }
}

void Session::Impl::end(const CallPtr& call, const Status& status, ReplyBody body) {
  unwatch(call);
  Reply reply{.id = call->id, .status = clipped(status), .body = status.ok() ? std::move(body) : ReplyBody()};
  StatusOr<Held> held = account_->hold(stored_bytes(reply));
  if (!held.ok()) reply = Reply{.id = call->id, .status = held.status()};
  calls_.end(*call, std::move(reply), held.ok() ? *std::move(held) : Held());
}

Status Session::Impl::watch(Watchdog& watchdog, const CallPtr& call, double seconds, std::span<const int> queues,
                            int inputs) {
  HILO_RETURN_IF_ERROR(watchdog.begin(call->token, seconds, queues, inputs));
  const std::scoped_lock lock(mutex_);
  watched_.emplace(call->token, call);
  return ok_status();
}

void Session::Impl::unwatch(const CallPtr& call) {
  {
    const std::scoped_lock lock(mutex_);
    if (watched_.erase(call->token) == 0) return;
  }
  run_watch_.end(call->token);
  compile_watch_.end(call->token);
}

void Session::Impl::give_up(const std::shared_ptr<CancellationToken>& token) {
  if (!options_.on_stuck) return;
  CallPtr call;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = watched_.find(token);
    if (found == watched_.end()) return;  // the call has ended meanwhile
    call = found->second;
  }
  options_.on_stuck([&] { end(call, stop_status(token->word())); });
}

Reply Session::Impl::greet(const Hello& hello) const {
  if (hello.version != kVersion) {
    return {.status = unimplemented(
                fmt::format("Hello: got version {} of hilo.xrt; this server has version {}", hello.version, kVersion))};
  }
  HelloReply reply{.platform = std::string(options_.client->platform_name()),
                   .release = std::string(version()),
                   .calls_in_flight = options_.quota.calls_in_flight};
  for (const DevicePtr& device : options_.client->local_devices()) {
    DeviceDescription& shown = reply.devices.emplace_back();
    shown.id = device->id();
    shown.kind = device->kind();
    for (const Memory& memory : device->memories()) shown.memories.emplace_back(memory.kind);
  }
  return {.body = std::move(reply)};
}

Status Session::Impl::start(const CallPtr& call, const Cancel& request) {
  if (const auto token = calls_.token_of(request.call); token != nullptr) cancel(token);
  return done(call);
}

Status Session::Impl::start(const CallPtr& call, const Statistics& statistics) {
  HILO_RETURN_IF_ERROR(options_.client->local_device(statistics.device).status());
  end(call, ok_status(), StatisticsReply{{.live_buffers = buffers_.size(), .live_bytes = account_->held()}});
  return ok_status();
}

// ---- Executables.

StatusOr<Compiled> Session::Impl::find_executable(const Handle& handle) const {
  const std::scoped_lock lock(mutex_);
  const auto found = executables_.find(handle);
  if (found == executables_.end()) return not_found("no such executable");
  return found->second;
}

Status Session::Impl::check_custom_calls(const hlo::Module& module, bool of_known) const {
  const std::vector<std::string> known = custom_call_targets();
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    for (const hlo::Instruction& instruction : computation->instructions()) {
      if (instruction.opcode != hlo::Opcode::kCustomCall) continue;
      const std::string target =
          instruction.attributes == nullptr
              ? ""
              : hlo::custom_call_target(hlo::attributes_of<hlo::CustomCallAttributes>(instruction));
      if (std::ranges::find(options_.custom_calls, target) != options_.custom_calls.end()) continue;
      if (of_known && std::ranges::find(known, target) == known.end()) continue;
      return permission_denied(fmt::format("custom-call '{}': this server doesn't allow programs to call {}",
                                           instruction.name, quote(target)));
    }
  }
  return ok_status();
}

StatusOr<CompileOptions> Session::Impl::compile_options(const CallPtr& call, const Compile& request) const {
  const Quota& quota = options_.quota;
  CompileOptions options;
  options.result_shape = request.result_shape;
  options.replica_count = request.replica_count;
  options.limits = request.limits;
  options.limits.instructions = tighter(options.limits.instructions, quota.instructions);
  options.limits.run_seconds = tighter(options.limits.run_seconds, 0.0);
  options.limits.compile_seconds = tighter(options.limits.compile_seconds, quota.compile_seconds);
  options.limits.memory_bytes = tighter(options.limits.memory_bytes, quota.live_bytes);
  options.cancellation.token = call->token.get();
  if (request.devices.empty()) return options;
  std::vector<int> devices;
  for (const int64_t id : request.devices) devices.push_back(static_cast<int>(std::clamp<int64_t>(id, -1, 1 << 20)));
  HILO_ASSIGN_OR_RETURN(options.device_assignment,
                        DeviceAssignment::make(request.replica_count, 1, std::move(devices)));
  return options;
}

StatusOr<ExecutablePtr> Session::Impl::compile(const CallPtr& call, const Compile& request,
                                               hlo::PassObserver* observer) try {
  HILO_ASSIGN_OR_RETURN(const CompileOptions options, compile_options(call, request));
  HILO_ASSIGN_OR_RETURN(const hlo::Module module, hlo::from_proto(request.program));
  HILO_RETURN_IF_ERROR(check_custom_calls(module, true));
  // A program for several platforms has custom calls of other platforms, which don't run here.
  StatusOr<ExecutablePtr> made = options_.compile(module, options, observer);
  if (made.status().code() == StatusCode::kNotFound) HILO_RETURN_IF_ERROR(check_custom_calls(module, false));
  HILO_ASSIGN_OR_RETURN(ExecutablePtr executable, std::move(made));
  HILO_RETURN_IF_ERROR(keep(request.executable, executable));
  return executable;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

Status Session::Impl::keep(const Handle& name, const ExecutablePtr& executable) {
  const ExecutableStatistics statistics = executable->statistics();
  const int64_t bytes = kExecutableBytes + statistics.constant_bytes + statistics.program_bytes + statistics.code_bytes;
  HILO_ASSIGN_OR_RETURN(Held held, account_->hold(bytes));
  Compiled compiled{executable, std::make_shared<UnitDescriber>(executable), std::make_shared<Held>(std::move(held))};
  const std::scoped_lock lock(mutex_);
  if (!executables_.emplace(name, std::move(compiled)).second)
    return already_exists("an executable with this name already exists");
  return ok_status();
}

StatusOr<CompileReply> Session::Impl::compile_and_describe(const CallPtr& call, const Compile& request) {
  PassRecorder recorder(request.times_kernels);
  HILO_ASSIGN_OR_RETURN(const ExecutablePtr executable,
                        compile(call, request, request.is_observed ? &recorder : nullptr));
  CompileReply reply{.signature = executable->signature(), .statistics = executable->statistics()};
  for (const DevicePtr& device : executable->devices()) reply.devices.push_back(device->id());
  HILO_ASSIGN_OR_RETURN(reply.events, std::move(recorder).events());
  return reply;
}

Status Session::Impl::start(const CallPtr& call, Compile& compile) {
  if (compile.replica_count < 1) {
    return invalid_argument(fmt::format("Compile.replica_count: got {}; wanted one or more", compile.replica_count));
  }
  // The encoded program and the decoded one.
  HILO_ASSIGN_OR_RETURN(Held held, account_->hold(2 * std::ssize(compile.program)));
  HILO_RETURN_IF_ERROR(compiler_.start());
  HILO_RETURN_IF_ERROR(begin_compiling());
  if (const Status watched = watch(compile_watch_, call, 0); !watched.ok()) {
    end_compiling();
    return watched;
  }
  struct Waiting {
    Compile request;
    Held held;
  };
  const auto waiting = std::make_shared<std::optional<Waiting>>(Waiting{std::move(compile), std::move(held)});
  compiler_.enqueue([self = shared_from_this(), call, waiting] {
    StatusOr<CompileReply> reply = self->compile_and_describe(call, (*waiting)->request);
    waiting->reset();
    self->end_compiling();
    if (!reply.ok()) return self->end(call, reply.status());
    self->end(call, ok_status(), *std::move(reply));
  });
  return ok_status();
}

Status Session::Impl::begin_compiling() {
  const std::scoped_lock lock(mutex_);
  const int64_t made = executables_.size();
  if (made + compiling_ >= options_.quota.executables) {
    const std::string waiting = compiling_ == 0 ? "" : fmt::format(", and {} that wait for compilation", compiling_);
    return resource_exhausted(fmt::format("quota: {} executables of {}{}", made, options_.quota.executables, waiting));
  }
  ++compiling_;
  return ok_status();
}

void Session::Impl::end_compiling() {
  const std::scoped_lock lock(mutex_);
  --compiling_;
}

Status Session::Impl::start(const CallPtr& call, const Describe& describe) {
  HILO_ASSIGN_OR_RETURN(const Compiled compiled, find_executable(describe.executable));
  HILO_ASSIGN_OR_RETURN(const hlo::Module* const module, optimized_module_of(*compiled.executable));
  HILO_ASSIGN_OR_RETURN(std::string bytes, hlo::to_proto(*module));
  if (std::ssize(bytes) > kMessageBytes - kChunkBytes)
    return resource_exhausted(fmt::format("Describe: the program has {} bytes, too many for a message", bytes.size()));
  end(call, ok_status(), BytesReply{Pieces(std::move(bytes))});
  return ok_status();
}

Status Session::Impl::start(const CallPtr& call, const Units& units) {
  HILO_ASSIGN_OR_RETURN(const Compiled compiled, find_executable(units.executable));
  HILO_ASSIGN_OR_RETURN(UnitsReply reply, compiled.describer->describe_all());
  end(call, ok_status(), std::move(reply));
  return ok_status();
}

std::vector<int> Session::Impl::devices_of(const Execute& execute, const Executable& executable) const {
  if (!executable.signature().meets_others && execute.parts.size() == 1)
    return {static_cast<int>(std::clamp<int64_t>(execute.device, 0, std::numeric_limits<int>::max()))};
  std::vector<int> ids;
  for (const DevicePtr& device : executable.devices()) ids.push_back(device->id());
  return ids;
}

StatusOr<Held> Session::Impl::make_room_for_run(const Execute& execute, const Executable& executable,
                                                std::span<const Handle> names, RunHold& hold) {
  const int64_t parts = execute.parts.size();
  int64_t bytes = 0;
  if (__builtin_mul_overflow(total_bytes(executable.result_shapes()), parts, &bytes))
    return resource_exhausted("the size of the results overflows");
  int64_t donated = 0;
  for (const RunPart& part : execute.parts) {
    for (const int64_t i : execute.donated) {
      if (i >= 0 && i < std::ssize(part.arguments)) donated += buffers_.donated_bytes(part.arguments[i]);
    }
  }
  HILO_ASSIGN_OR_RETURN(Held room, buffers_.make_room(names, std::max<int64_t>(bytes - donated, 0)));
  // Results that aren't aliases exist twice while the program runs.
  const ExecutableStatistics statistics = executable.statistics();
  const int64_t twice = std::max<int64_t>(std::min(bytes, donated) / parts - statistics.alias_bytes, 0);
  HILO_ASSIGN_OR_RETURN(hold.temporaries,
                        scratch_->hold(devices_of(execute, executable), statistics.temporary_bytes + twice));
  return room;
}

Status Session::Impl::watch_run(const CallPtr& call, const Execute& execute, const Executable& executable,
                                const std::vector<std::vector<BufferPtr>>& arguments) {
  std::vector<Event> inputs;
  for (size_t k = 0; k < arguments.size(); ++k) {
    for (size_t i = 0; i < arguments[k].size(); ++i) {
      if (buffers_.is_copied(execute.parts[k].arguments[i]) && !arguments[k][i]->ready().is_ready())
        inputs.push_back(arguments[k][i]->ready());
    }
  }
  const double seconds = execute.seconds == 0 ? executable.signature().run_seconds : tighter(execute.seconds, 0.0);
  HILO_RETURN_IF_ERROR(
      watch(run_watch_, call, seconds, devices_of(execute, executable), static_cast<int>(inputs.size())));
  for (const Event& input : inputs)
    input.on_ready([self = shared_from_this(), call](const Status&) { self->run_watch_.input_ready(call->token); });
  return ok_status();
}

StatusOr<Event> Session::Impl::launch(const CallPtr& call, const Execute& execute, Executable& executable,
                                      ExecutionObserver* observer, Held room, RunHold& hold) {
  const std::span<const Shape> shapes = executable.result_shapes();
  std::vector<std::vector<BufferPtr>> arguments(execute.parts.size()), results(execute.parts.size());
  std::vector<DeviceRun> runs;
  const size_t argument_count = executable.argument_shapes().size();
  const auto donated = std::make_unique<bool[]>(argument_count);
  for (const int64_t i : execute.donated) {
    if (i < 0 || i >= static_cast<int64_t>(argument_count))
      return invalid_argument(fmt::format("donated argument {}: there are {}", i, argument_count));
    donated[i] = true;
  }
  for (size_t k = 0; k < execute.parts.size(); ++k) {
    const RunPart& part = execute.parts[k];
    if (part.results.size() != shapes.size()) {
      return invalid_argument(
          fmt::format("names for {} results, the program has {}", part.results.size(), shapes.size()));
    }
    for (size_t i = 0; i < part.arguments.size(); ++i) {
      StatusOr<CountedBuffer> found = buffers_.find(part.arguments[i]);
      if (!found.ok()) return found.status().with_context(fmt::format("argument {}", i));
      arguments[k].push_back(std::move(found->buffer));
      if (i >= argument_count || !donated[i]) hold.arguments.push_back(std::move(found->held));
    }
    results[k].resize(shapes.size());
    runs.push_back({arguments[k], results[k]});
  }
  HILO_RETURN_IF_ERROR(watch_run(call, execute, executable, arguments));
  ExecuteOptions options;
  options.donated = {donated.get(), argument_count};
  options.cancellation = call->token.get();
  options.deadline = kNoDeadline;  // the watchdog sets the token
  options.observer = observer;
  options.asynchronous = true;
  HILO_ASSIGN_OR_RETURN(const DevicePtr device, options_.client->local_device(execute.device));
  options.device = &device;
  HILO_ASSIGN_OR_RETURN(Event event, executable.launch(runs, options));
  for (const RunPart& part : execute.parts) {
    for (const int64_t i : execute.donated) room.join(buffers_.take_donated(part.arguments[i]));
  }
  for (size_t k = 0; k < runs.size(); ++k) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      HeldPtr held = std::make_shared<Held>(room.split(shapes[i].byte_size()));
      buffers_.insert(execute.parts[k].results[i], {results[k][i], std::move(held)}, hold.results);
    }
  }
  hold.donated = std::move(room);
  return event;
}

Status Session::Impl::start(const CallPtr& call, const Execute& execute) {
  HILO_ASSIGN_OR_RETURN(const Compiled compiled, find_executable(execute.executable));
  Executable* const executable = compiled.executable.get();
  std::vector<Handle> names;
  for (const RunPart& part : execute.parts) names.insert(names.end(), part.results.begin(), part.results.end());
  const int64_t parts = execute.parts.size();
  if (parts < 1 || parts > executable->replica_count()) {
    return invalid_argument(fmt::format("Execute '{}': {} parts; compiled for {} replicas", executable->name(), parts,
                                        executable->replica_count()));
  }
  RunHold hold{.executable = compiled.held};
  HILO_ASSIGN_OR_RETURN(Held room, make_room_for_run(execute, *executable, names, hold));
  const auto recorder = execute.is_observed ? std::make_shared<RunRecorder>(compiled.describer) : nullptr;
  const StatusOr<Event> event = launch(call, execute, *executable, recorder.get(), std::move(room), hold);
  for (const RunPart& part : execute.parts) {
    for (const int64_t i : execute.donated) {
      if (i >= 0 && i < std::ssize(part.arguments)) buffers_.erase(part.arguments[i]);
    }
  }
  if (!event.ok()) {  // later calls already refer to the results
    for (const Handle& name : names) buffers_.insert_failed(name, event.status());
    return event.status();
  }
  end_with_run(call, *event, recorder, std::move(hold));
  return ok_status();
}

void Session::Impl::end_with_run(const CallPtr& call, const Event& event, std::shared_ptr<RunRecorder> recorder,
                                 RunHold hold) {
  event.on_ready([self = shared_from_this(), call, recorder = std::move(recorder),
                  hold = std::make_shared<RunHold>(std::move(hold))](const Status& status) {
    hold->end();  // before the reply, so that the client finds it no longer counted
    if (!status.ok() || recorder == nullptr) return self->end(call, status);
    StatusOr<RunReply> reply = recorder->reply();
    if (!reply.ok()) return self->end(call, reply.status());
    self->end(call, ok_status(), *std::move(reply));
  });
}

// ---- Buffers.

Status Session::Impl::start(const CallPtr& call, Upload& upload) {
  HILO_ASSIGN_OR_RETURN(const DevicePtr device, options_.client->local_device(upload.device));
  if (!upload.shape.is_array())
    return invalid_argument("Upload.shape: only arrays can be copied to a device; got " + upload.shape.to_string());
  const int64_t bytes = upload.shape.byte_size();
  HILO_ASSIGN_OR_RETURN(Held held, buffers_.make_room({&upload.buffer, 1}, bytes));
  if (upload.is_chunked && bytes > 0) {
    HILO_RETURN_IF_ERROR(buffers_.begin_upload(upload.buffer, upload.shape, device, std::move(held)));
    return done(call);
  }
  if (!upload.is_undefined && std::ssize(upload.bytes) != bytes) {
    return invalid_argument(
        fmt::format("Upload.bytes: got {}; {} has {}", upload.bytes.size(), upload.shape.to_string(), bytes));
  }
  const HostData host{.shape = upload.shape, .data = reinterpret_cast<const std::byte*>(upload.bytes.data())};
  StatusOr<BufferPtr> buffer = upload.is_undefined ? zeros_on(*device, upload.shape) : device->from_host(host);
  if (!buffer.ok()) {
    buffers_.insert_failed(upload.buffer, buffer.status());
    return buffer.status();
  }
  insert_copy(call, upload.buffer, *std::move(buffer), std::move(held), {});
  return ok_status();
}

Status Session::Impl::start(const CallPtr& call, const Chunk& chunk) {
  HILO_RETURN_IF_ERROR(buffers_.add_chunk(chunk));
  return done(call);
}

Status Session::Impl::start(const CallPtr& call, const Download& download) {
  HILO_ASSIGN_OR_RETURN(const CountedBuffer counted, buffers_.find(download.buffer));
  const BufferPtr& buffer = counted.buffer;
  const int64_t whole = buffer->shape().byte_size();
  const bool fits = download.offset >= 0 && download.size >= 0 && download.size <= kChunkBytes &&
                    download.size <= whole && download.offset <= whole - download.size;
  if (!fits) {
    return invalid_argument(fmt::format("Download: {} bytes at {} of {}; wanted at most {} at once", download.size,
                                        download.offset, whole, kChunkBytes));
  }
  StatusOr<BufferUse> use = BufferUse::of(buffer, "read");
  if (!use.ok()) return use.status();
  const bool lies_otherwise = !buffer->shape().has_default_layout();
  std::shared_ptr<RowMajor> kept;
  if (lies_otherwise) {
    HILO_ASSIGN_OR_RETURN(kept, buffers_.row_major_of(download.buffer, download));
  }
  const auto held = std::make_shared<BufferUse>(*std::move(use));
  buffer->ready().on_ready([self = shared_from_this(), call, download, counted, kept, held](const Status& status) {
    if (!status.ok()) return self->end(call, status);
    StatusOr<Pieces> bytes = self->read_part(*counted.buffer, download, kept.get());
    if (!bytes.ok()) return self->end(call, bytes.status());
    self->end(call, ok_status(), BytesReply{*std::move(bytes)});
  });
  return ok_status();
}

StatusOr<Pieces> Session::Impl::read_part(const Buffer& buffer, const Download& download, RowMajor* kept) try {
  const auto part = [&](const std::byte* from) {
    return std::string_view(reinterpret_cast<const char*>(from) + download.offset, static_cast<size_t>(download.size));
  };
  if (const std::byte* const from = buffer.host_view(); from != nullptr) return Pieces({part(from)}, nullptr);
  Literal once;
  Literal& value = kept == nullptr ? once : kept->value;
  const std::scoped_lock lock(reading_);  // parts may be read in parallel
  if (value.is_tuple()) {
    HILO_ASSIGN_OR_RETURN(value, literal_from_held_buffer(buffer));
  }
  return Pieces(std::string(part(value.bytes().data())));
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

void Session::Impl::insert_copy(const CallPtr& call, const Handle& name, BufferPtr made, Held held,
                                std::vector<HeldPtr> sources) {
  const Event ready = made->ready();
  const auto leftovers = std::make_shared<Leftovers>();
  buffers_.insert(name, {std::move(made), std::make_shared<Held>(std::move(held))}, leftovers, true);
  ready.on_ready(
      [self = shared_from_this(), call, leftovers, sources = std::move(sources)](const Status& status) mutable {
        leftovers->end();
        sources.clear();
        self->end(call, status);
      });
}

Status Session::Impl::start(const CallPtr& call, const Copy& copy) {
  HILO_ASSIGN_OR_RETURN(const CountedBuffer from, buffers_.find(copy.from));
  HILO_ASSIGN_OR_RETURN(const DevicePtr device, options_.client->local_device(copy.device));
  HILO_ASSIGN_OR_RETURN(Held held, buffers_.make_room({&copy.to, 1}, from.buffer->shape().byte_size()));
  HILO_ASSIGN_OR_RETURN(BufferPtr made, device->copy(from.buffer));
  insert_copy(call, copy.to, std::move(made), std::move(held), {from.held});
  return ok_status();
}

Status Session::Impl::start(const CallPtr& call, const Slice& slice) {
  HILO_ASSIGN_OR_RETURN(const CountedBuffer from, buffers_.find(slice.from));
  HILO_ASSIGN_OR_RETURN(const DevicePtr device, options_.client->local_device(slice.device));
  const Shape& whole = from.buffer->shape();
  if (whole.rank() < 1 || !whole.has_default_layout() || slice.index < 0 || slice.index >= whole.dimension(0)) {
    return invalid_argument(
        fmt::format("Slice: {} has no row-major slice {}", whole.to_string_with_layout(), slice.index));
  }
  HILO_ASSIGN_OR_RETURN(Held held, buffers_.make_room({&slice.to, 1}, slice_shape(whole).byte_size()));
  HILO_ASSIGN_OR_RETURN(BufferPtr made, device->slice(from.buffer, slice.index));
  insert_copy(call, slice.to, std::move(made), std::move(held), {from.held});
  return ok_status();
}

Status Session::Impl::start(const CallPtr& call, const Stack& stack) {
  HILO_ASSIGN_OR_RETURN(const DevicePtr device, options_.client->local_device(stack.device));
  std::vector<BufferPtr> parts;
  std::vector<HeldPtr> sources;
  for (const Handle& handle : stack.parts) {
    HILO_ASSIGN_OR_RETURN(CountedBuffer part, buffers_.find(handle));
    const Shape& shape = part.buffer->shape();
    if (!shape.has_default_layout() || (!parts.empty() && shape != parts[0]->shape()))
      return invalid_argument("Stack.parts: wanted row-major arrays of one shape");
    parts.push_back(std::move(part.buffer));
    sources.push_back(std::move(part.held));
  }
  if (parts.empty()) return invalid_argument("Stack.parts: the list is empty");
  HILO_ASSIGN_OR_RETURN(const Shape shape, stack_shape(parts[0]->shape(), parts.size()));
  HILO_ASSIGN_OR_RETURN(Held held, buffers_.make_room({&stack.to, 1}, shape.byte_size()));
  HILO_ASSIGN_OR_RETURN(BufferPtr made, device->stack(parts));
  insert_copy(call, stack.to, std::move(made), std::move(held), std::move(sources));
  return ok_status();
}

// ---- The session.

Session::Session(SessionOptions options) {
  if (!options.compile) {
    options.compile = [client = options.client](const hlo::Module& module, const CompileOptions& how,
                                                hlo::PassObserver* observer) -> StatusOr<ExecutablePtr> {
      HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, client->compile(module, how, observer));
      return ExecutablePtr(std::move(executable));
    };
  }
  impl_ = std::make_shared<Impl>(std::move(options));
}
Session::~Session() { impl_->stop(); }
void Session::handle(Request request, Sink sink) { impl_->handle(std::move(request), std::move(sink)); }
Session::Counts Session::counts() const { return impl_->counts(); }

}  // namespace hilo::rpc
