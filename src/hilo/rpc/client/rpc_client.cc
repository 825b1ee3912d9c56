// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/client/rpc_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <unordered_set>

#include "hilo/backend/host/relayout.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/rpc/client/caller.h"
#include "hilo/rpc/pass_recorder.h"
#include "hilo/rpc/run_recorder.h"

namespace hilo::rpc {
namespace {

using CallerPtr = std::shared_ptr<Caller>;

/// Arrays up to this size are sent in the stream of calls, in order; larger ones in chunks on the other stream.
constexpr int64_t kInlineBytes = 64 << 10;
constexpr int64_t kChunksInFlight = 8;

class RpcClient final : public Client {
 public:
  RpcClient(ClientOptions options, CallerPtr caller);
  ~RpcClient() override { caller_->close(); }
  std::string_view platform_name() const override { return caller_->server().platform; }
  StatusOr<std::unique_ptr<Executable>> compile(const hlo::Module& module, const CompileOptions& options,
                                                hlo::PassObserver* observer) override;
  Caller& caller() { return *caller_; }

 private:
  CallerPtr caller_;
};

Caller& caller_of(const Device& device) { return static_cast<RpcClient&>(device.client()).caller(); }

// ---- Buffers.

/// Downloads a large value: several parts in parallel, each of which requests the next one.
class Reading : public std::enable_shared_from_this<Reading> {
 public:
  Reading(DevicePtr device, const Handle& buffer, std::byte* to, int64_t bytes)
      : device_(std::move(device)), buffer_(buffer), to_(to), bytes_(bytes) {}
  Event event() const { return source_.event(); }

  void start() {
    for (int64_t i = 0; i < kChunksInFlight; ++i) ask();
  }
  void fail(const Status& status) { source_.finish(status); }

 private:
  void ask() {
    int64_t offset = 0, size = 0;
    {
      const std::scoped_lock lock(mutex_);
      if (!status_.ok() || asked_ == bytes_) return;
      offset = asked_;
      size = std::min(kChunkBytes, bytes_ - asked_);
      asked_ += size;
      ++missing_;
    }
    caller_of(*device_).send(
        Lane::kBytes, Download{.buffer = buffer_, .offset = offset, .size = size},
        [self = shared_from_this(), offset, size](Reply& reply) { self->take(offset, size, reply); },
        Caller::WhenFull::kExceed);
  }
  void take(int64_t offset, int64_t size, const Reply& reply) {
    const auto* part = std::get_if<BytesReply>(&reply.body);
    Status status = reply.status;
    if (status.ok() && (part == nullptr || std::ssize(part->bytes) != size))
      status = data_loss("the server sent another number of bytes than requested");
    if (status.ok()) part->bytes.copy_to(reinterpret_cast<char*>(to_ + offset));
    bool is_over = false;
    {
      const std::scoped_lock lock(mutex_);
      if (status_.ok()) status_ = status;
      --missing_;
      is_over = missing_ == 0 && (!status_.ok() || asked_ == bytes_);
      status = status_;
    }
    if (is_over) source_.finish(status);
    else ask();
  }

  const DevicePtr device_;
  const Handle buffer_;
  std::byte* const to_;
  const int64_t bytes_;
  EventSource source_;
  std::mutex mutex_;
  Status status_;
  int64_t asked_ = 0, missing_ = 0;
};

class RpcBuffer final : public Buffer {
 public:
  RpcBuffer(const Shape& shape, DevicePtr device, const Handle& handle, Event ready)
      : Buffer(shape, std::move(device), std::move(ready)), handle_(handle) {}
  ~RpcBuffer() override {
    if (state() == BufferState::kLive) free_memory();
  }
  const Handle& handle() const { return handle_; }

  Event read(std::byte* row_major) const override {
    const int64_t bytes = shape().byte_size();
    const auto reading = std::make_shared<Reading>(device(), handle_, row_major, bytes);
    if (bytes > kInlineBytes) {  // the reply of the upload may arrive after a request on the other stream
      ready().on_ready([reading](const Status& status) { status.ok() ? reading->start() : reading->fail(status); });
      return reading->event();
    }
    const auto source = std::make_shared<EventSource>();
    Event event = source->event();
    caller_of(*device()).send(
        Lane::kCalls, Download{.buffer = handle_, .size = bytes}, [source, row_major, bytes](Reply& reply) {
          const auto* part = std::get_if<BytesReply>(&reply.body);
          if (reply.status.ok() && (part == nullptr || part->bytes.size() != static_cast<size_t>(bytes)))
            reply.status = data_loss("the server sent another number of bytes than requested");
          if (reply.status.ok()) part->bytes.copy_to(reinterpret_cast<char*>(row_major));
          source->finish(reply.status);
        });
    return event;
  }

 private:
  void free_memory() override { caller_of(*device()).release(handle_, shape().byte_size()); }
  const Handle handle_;
};

const Handle& handle_of(const BufferPtr& buffer) { return static_cast<const RpcBuffer&>(*buffer).handle(); }

// ---- Devices.

class RpcDevice final : public Device {
 public:
  RpcDevice(Client& client, const DeviceDescription& description)
      : Device(client, static_cast<int>(description.id), 0), description_(description) {
    for (const std::string& kind : description_.memories)
      memories_.push_back({static_cast<int>(memories_.size()), kind});
  }
  std::string_view kind() const override { return description_.kind; }
  std::span<const Memory> memories() const override { return memories_; }
  DeviceStatistics statistics() const override {
    const StatusOr<Reply> reply = caller_of(*this).call(Lane::kCalls, rpc::Statistics{.device = id()});
    const auto* counted = reply.ok() ? std::get_if<StatisticsReply>(&reply->body) : nullptr;
    return counted == nullptr ? DeviceStatistics() : counted->statistics;
  }

  StatusOr<BufferPtr> allocate(const Shape& shape) override {
    Upload upload{.buffer = random_handle(), .device = id(), .shape = shape, .is_undefined = true};
    const Handle handle = upload.buffer;
    return buffer(shape, handle, caller_of(*this).begin(Lane::kCalls, std::move(upload)));
  }
  StatusOr<BufferPtr> from_host(const HostData& data) override;
  StatusOr<BufferPtr> copy(const BufferPtr& from) override {
    if (!is_here(from)) return Device::copy(from);
    HILO_ASSIGN_OR_RETURN(const BufferUse use, BufferUse::of(from, "copy"));
    const Handle to = random_handle();
    return buffer(from->shape(), to,
                  caller_of(*this).begin(Lane::kCalls, Copy{.from = handle_of(from), .to = to, .device = id()}));
  }
  StatusOr<BufferPtr> slice(const BufferPtr& from, int64_t index) override {
    if (!is_here(from)) return Device::slice(from, index);
    HILO_ASSIGN_OR_RETURN(const BufferUse use, BufferUse::of(from, "slice"));
    const Handle to = random_handle();
    return buffer(
        slice_shape(from->shape()), to,
        caller_of(*this).begin(Lane::kCalls, Slice{.from = handle_of(from), .to = to, .index = index, .device = id()}));
  }
  StatusOr<BufferPtr> stack(std::span<const BufferPtr> parts) override {
    if (!std::ranges::all_of(parts, [this](const BufferPtr& part) { return is_here(part); }))
      return Device::stack(parts);
    HILO_ASSIGN_OR_RETURN(const Shape shape, stack_shape(parts[0]->shape(), std::ssize(parts)));
    Stack stack{.to = random_handle(), .device = id()};
    std::vector<BufferUse> uses;
    for (const BufferPtr& part : parts) {
      HILO_ASSIGN_OR_RETURN(BufferUse use, BufferUse::of(part, "stack"));
      uses.push_back(std::move(use));
      stack.parts.push_back(handle_of(part));
    }
    const Handle to = stack.to;
    return buffer(shape, to, caller_of(*this).begin(Lane::kCalls, std::move(stack)));
  }

 private:
  DevicePtr shared() { return {client().shared_from_this(), this}; }
  BufferPtr buffer(const Shape& shape, const Handle& handle, Event ready) {
    return std::make_shared<RpcBuffer>(shape, shared(), handle, std::move(ready));
  }
  bool is_here(const BufferPtr& buffer) { return &buffer->device()->client() == &client(); }
  Status send_chunks(const Handle& buffer, const std::byte* data, int64_t bytes);

  const DeviceDescription description_;
  std::vector<Memory> memories_;
};

StatusOr<BufferPtr> RpcDevice::from_host(const HostData& data) try {
  const std::shared_ptr<const void> lent(data.data, [release = data.release](const void*) {
    if (release) release();
  });
  AlignedBuffer when_full;
  HILO_ASSIGN_OR_RETURN(const std::byte* const bytes, dense_row_major(data, when_full));
  const int64_t size = data.shape.byte_size();
  Upload upload{.buffer = random_handle(), .device = id(), .shape = data.shape};
  const Handle handle = upload.buffer;
  if (size <= kInlineBytes) {
    upload.bytes.assign(reinterpret_cast<const char*>(bytes), size);
    return buffer(data.shape, handle, caller_of(*this).begin(Lane::kCalls, std::move(upload)));
  }
  upload.is_chunked = true;
  HILO_RETURN_IF_ERROR(caller_of(*this).call(Lane::kCalls, std::move(upload)).status());
  const BufferPtr made = buffer(data.shape, handle, Event());  // the destructor releases the handle from here on
  HILO_RETURN_IF_ERROR(send_chunks(handle, bytes, size));
  return made;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

/// The caller's memory, which is sent from while it has owners.
struct Loan {
  std::shared_ptr<EventSource> returned = std::make_shared<EventSource>();
  std::shared_ptr<const void> owner{this, [returned = returned](const void*) { returned->finish(ok_status()); }};
  Loan() = default;
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  /// Waits until the last owner releases it.
  ~Loan() {
    owner.reset();
    static_cast<void>(returned->event().await());
  }
};

Status RpcDevice::send_chunks(const Handle& buffer, const std::byte* data, int64_t bytes) {
  const Loan loan;
  std::vector<Event> sent;
  for (int64_t offset = 0; offset < bytes; offset += kChunkBytes) {
    const int64_t size = std::min(kChunkBytes, bytes - offset);
    if (std::ssize(sent) >= kChunksInFlight) HILO_RETURN_IF_ERROR(sent[sent.size() - kChunksInFlight].await());
    const std::string_view part(reinterpret_cast<const char*>(data) + offset, size);
    sent.push_back(caller_of(*this).begin(
        Lane::kBytes, Chunk{.buffer = buffer, .offset = offset, .bytes = Pieces({part}, loan.owner)}));
  }
  return Event::all(sent).await();
}

// ---- Executables.

class RpcExecutable final : public Executable {
 public:
  RpcExecutable(ProgramSignature signature, std::vector<DevicePtr> devices, const Handle& handle,
                const ExecutableStatistics& statistics)
      : Executable(std::move(signature), std::move(devices)), handle_(handle), statistics_(statistics) {}
  ~RpcExecutable() override { caller().release(handle_, statistics_.program_bytes + statistics_.constant_bytes); }
  ExecutableStatistics statistics() const override { return statistics_; }
  const hlo::Module* optimized_module() const override {
    std::call_once(shown_->asked, [this] { describe(); });
    return shown_->module ? &*shown_->module : nullptr;
  }
  std::span<const ExecutionUnit> units() const override {
    std::call_once(shown_->asked_for_units, [this] { list_units(); });
    return shown_->all_units;
  }

 protected:
  StatusOr<Event> start(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                        const ExecuteOptions& options, ArgumentHolds& holds) override;

 private:
  /// The executable's optimized program and units. Replies of its runs share it, because they may arrive after the
  /// executable's destruction.
  struct Shown {
    std::once_flag asked, asked_for_units;
    std::optional<hlo::Module> module;
    RemoteUnits units;
    std::vector<ExecutionUnit> all_units;
  };
  Caller& caller() const { return caller_of(*Executable::devices()[0]); }
  void describe() const;
  void list_units() const;
  /// Returns the callback that finishes a run's event after the reply. It calls the observer (may be null) first.
  Caller::Done ending(std::shared_ptr<EventSource> source, ExecutionObserver* observer) const;

  const Handle handle_;
  const ExecutableStatistics statistics_;
  const std::shared_ptr<Shown> shown_ = std::make_shared<Shown>();
};

void RpcExecutable::describe() const {
  const StatusOr<Reply> reply = caller().call(Lane::kCalls, Describe{.executable = handle_});
  const auto* bytes = reply.ok() ? std::get_if<BytesReply>(&reply->body) : nullptr;
  if (bytes == nullptr) return;
  StatusOr<hlo::Module> module = hlo::from_proto(bytes->bytes.whole());
  if (module.ok()) shown_->module = *std::move(module);
}

void RpcExecutable::list_units() const {
  const hlo::Module* const module = optimized_module();
  if (module == nullptr) return;
  const StatusOr<Reply> reply = caller().call(Lane::kCalls, Units{.executable = handle_});
  const auto* const listed = reply.ok() ? std::get_if<UnitsReply>(&reply->body) : nullptr;
  if (listed == nullptr) return;
  if (StatusOr<std::vector<ExecutionUnit>> all = shown_->units.read_all(*listed, *module); all.ok())
    shown_->all_units = *std::move(all);
}

Caller::Done RpcExecutable::ending(std::shared_ptr<EventSource> source, ExecutionObserver* observer) const {
  if (observer == nullptr) return [source = std::move(source)](Reply& reply) { source->finish(reply.status); };
  return [source = std::move(source), observer, shown = shown_](Reply& reply) {
    const auto* const run = std::get_if<RunReply>(&reply.body);
    if (reply.status.ok() && run != nullptr) reply.status = shown->units.replay(*run, *shown->module, *observer);
    source->finish(reply.status);
  };
}

/// Returns the timeout for Execute in seconds.
double seconds_of(const ExecuteOptions& options) {
  if (!options.deadline) return 0;
  if (*options.deadline == kNoDeadline) return -1;
  const std::chrono::duration<double> left = *options.deadline - std::chrono::steady_clock::now();
  return std::max(left.count(), 1e-9);
}

StatusOr<Event> RpcExecutable::start(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                                     const ExecuteOptions& options, ArgumentHolds& holds) {
  // A stop word may be destroyed after the call, a token only after the run.
  const bool waits = !options.asynchronous || stop_word() != nullptr;
  const CancellationToken* const watched = waits ? nullptr : options.cancellation;
  if (watched != nullptr) HILO_RETURN_IF_ERROR(caller().start_watching());
  // Without the optimized program there are no units.
  const bool is_observed = options.observer != nullptr && optimized_module() != nullptr;
  ExecutionObserver* const observer = is_observed ? options.observer : nullptr;
  Execute execute{
      .executable = handle_, .device = devices[0]->id(), .seconds = seconds_of(options), .is_observed = is_observed};
  const std::span<const Shape> shapes = result_shapes();
  for (const DeviceRun& run : runs) {
    RunPart& part = execute.parts.emplace_back();
    for (const BufferPtr& argument : run.arguments) part.arguments.push_back(handle_of(argument));
    for (size_t i = 0; i < shapes.size(); ++i) part.results.push_back(random_handle());
  }
  for (size_t i = 0; i < options.donated.size(); ++i) {
    if (options.donated[i]) execute.donated.push_back(i);
  }
  const auto source = std::make_shared<EventSource>();
  const Event event = source->event();
  for (size_t k = 0; k < runs.size(); ++k) {
    for (size_t i = 0; i < shapes.size(); ++i)
      runs[k].results[i] = std::make_shared<RpcBuffer>(shapes[i], devices[k], execute.parts[k].results[i], event);
  }
  holds.donate();
  const int64_t call =
      caller().send(Lane::kCalls, std::move(execute), ending(source, observer), Caller::WhenFull::kWait, watched);
  holds.end();  // the order of the stream keeps the arguments alive
  if (!waits) return event;
  const Status status = caller().await(event, call, options.cancellation);
  if (status.ok()) return event;
  for (const DeviceRun& run : runs) std::ranges::fill(run.results, nullptr);
  return status;
}

// ---- The client.

RpcClient::RpcClient(ClientOptions options, CallerPtr caller) : Client(std::move(options)), caller_(std::move(caller)) {
  for (const DeviceDescription& device : caller_->server().devices)
    add_device(std::make_unique<RpcDevice>(*this, device));
}

constexpr int64_t kMaxCountedBytes = int64_t{1} << 60;  // bytes; sums of a few don't overflow

/// Checks a server's reply, because it contains indices, as the server checks requests.
Status check_reply(const CompileReply& reply, size_t replicas) {
  const ProgramSignature& signature = reply.signature;
  const auto is_array = [](const Shape& shape) { return !shape.is_tuple(); };
  const ExecutableStatistics& sizes = reply.statistics;
  const bool is_counted = std::ranges::all_of(
      std::array{sizes.program_bytes, sizes.constant_bytes, sizes.temporary_bytes, sizes.alias_bytes, sizes.code_bytes},
      [](int64_t bytes) { return bytes >= 0 && bytes <= kMaxCountedBytes; });
  const bool fits = is_counted && signature.argument_names.size() == signature.argument_shapes.size() &&
                    std::ranges::all_of(signature.argument_shapes, is_array) && reply.devices.size() == replicas &&
                    signature.replica_count == static_cast<int64_t>(replicas);
  return fits ? ok_status() : data_loss("Compile: the server's description of the program is inconsistent");
}

StatusOr<std::unique_ptr<Executable>> RpcClient::compile(const hlo::Module& module, const CompileOptions& options,
                                                         hlo::PassObserver* observer) {
  HILO_RETURN_IF_ERROR(devices_for(module.name, options, options.replica_count).status());
  Compile request{.executable = random_handle(),
                  .replica_count = options.replica_count,
                  .result_shape = options.result_shape,
                  .limits = options.limits,
                  .is_observed = observer != nullptr,
                  .times_kernels = observer != nullptr && observer->times_kernels()};
  HILO_ASSIGN_OR_RETURN(request.program, hlo::to_proto(module));
  if (std::ssize(request.program) > kMessageBytes - kChunkBytes) {
    return resource_exhausted(
        fmt::format("Compile '{}': the program has {} bytes; limit is {}. Hint: pass constants as arguments",
                    module.name, request.program.size(), kMessageBytes - kChunkBytes));
  }
  if (options.device_assignment) {
    for (const int id : options.device_assignment->devices()) request.devices.push_back(id);
  }
  const Handle handle = request.executable;
  HILO_ASSIGN_OR_RETURN(Reply reply, caller_->call(Lane::kCalls, std::move(request), options.cancellation.token));
  auto* const compiled = std::get_if<CompileReply>(&reply.body);
  if (compiled == nullptr) return data_loss("Compile: the server sent a reply of another type");
  HILO_RETURN_IF_ERROR(check_reply(*compiled, options.replica_count));
  if (observer != nullptr) HILO_RETURN_IF_ERROR(replay(compiled->events, *observer));
  std::vector<DevicePtr> devices;
  for (const int64_t id : compiled->devices) {
    HILO_ASSIGN_OR_RETURN(DevicePtr device, local_device(id));
    devices.push_back(std::move(device));
  }
  return std::unique_ptr<Executable>(
      new RpcExecutable(std::move(compiled->signature), std::move(devices), handle, compiled->statistics));
}

/// Checks devices, because they contain indices, too.
Status check_devices(const HelloReply& server) {
  std::unordered_set<int64_t> seen;
  for (const DeviceDescription& device : server.devices) {
    const bool is_good =
        device.id >= 0 && device.id <= std::numeric_limits<int>::max() && seen.insert(device.id).second;
    if (!is_good)
      return data_loss(fmt::format("HelloReply.devices: {} is not a valid device id or occurs twice", device.id));
  }
  return ok_status();
}

}  // namespace

StatusOr<ClientPtr> make_rpc_client(ClientOptions options, Connect connect, RetryPolicy retry) {
  HILO_ASSIGN_OR_RETURN(CallerPtr caller,
                        Caller::open(options.target, std::move(connect), options.replica_count, std::move(retry)));
  const Status checked =
      caller->server().devices.empty() ? unavailable("the server has no devices") : check_devices(caller->server());
  if (!checked.ok()) {
    caller->close();
    return checked.with_context(options.target);
  }
  options.asynchronous = true;
  return ClientPtr(std::make_shared<RpcClient>(std::move(options), std::move(caller)));
}

}  // namespace hilo::rpc
