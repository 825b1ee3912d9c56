// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_client.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <thread>

#include "hilo/client/platforms.h"
#include "tests/support/clients.h"

namespace hilo::tests {
namespace {

/// Memory without a pointer: a file that is not mapped.
class FarMemory {
 public:
  FarMemory() : file_(::memfd_create("hilo_fake", MFD_CLOEXEC)) {}
  ~FarMemory() { ::close(file_); }
  FarMemory(const FarMemory&) = delete;
  FarMemory& operator=(const FarMemory&) = delete;

  void write(const void* from, size_t bytes) const {
    if (::pwrite(file_, from, bytes, 0) != static_cast<ssize_t>(bytes)) std::abort();
  }
  void read(void* to, size_t bytes) const {
    if (::pread(file_, to, bytes, 0) != static_cast<ssize_t>(bytes)) std::abort();
  }

 private:
  int file_;
};

/// The memory of one buffer, shared with pending runs.
struct Block {
  explicit Block(const Shape& shape, bool is_far) : literal(is_far ? Shape::scalar(ElementType::kPred) : shape) {
    if (is_far) far.emplace();
    ++fake_plan().live_blocks;
  }
  ~Block() { --fake_plan().live_blocks; }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  void write(const Literal& value) {
    if (far) far->write(value.bytes().data(), value.bytes().size());
    else literal = value;
  }
  Literal read(const Shape& shape) const {
    if (!far) return literal;
    Literal value(shape.with_default_layout());
    far->read(value.mutable_bytes().data(), value.bytes().size());
    return value;
  }

  std::optional<FarMemory> far;
  Literal literal;  // if the host can view it
};
using BlockPtr = std::shared_ptr<Block>;

class FakeClient final : public Client {
 public:
  FakeClient(ClientOptions options, ClientPtr inside);
  std::string_view platform_name() const override { return "Host2"; }
  StatusOr<std::unique_ptr<Executable>> compile(const hlo::Module& module, const CompileOptions& options,
                                                hlo::PassObserver* observer) override;
  /// Runs the work later on another thread, in the order of the calls.
  Event later(std::function<Status()> work) {
    auto source = std::make_shared<EventSource>();
    Event event = source->event();
    queue_.enqueue([work = std::move(work), source, turns = fake_plan().seed.fetch_add(7919) % 5]() mutable {
      for (uint64_t i = 0; i < turns; ++i) std::this_thread::yield();
      const Status status = work();
      work = nullptr;  // frees the captures before the notification
      source->finish(status);
    });
    return event;
  }
  Client& inside() { return *inside_; }

 private:
  ClientPtr inside_;  // its engine runs the programs
  DeviceQueue queue_;
};

FakeClient& client_of(const Device& device) { return static_cast<FakeClient&>(device.client()); }

class FakeBuffer final : public Buffer {
 public:
  FakeBuffer(const Shape& shape, DevicePtr device, BlockPtr block, Event ready)
      : Buffer(shape, std::move(device), std::move(ready)), block_(std::move(block)) {}
  const BlockPtr& block() const { return block_; }
  /// The buffer was donated: the run that received it owns the memory.
  void forget() { block_.reset(); }

  const std::byte* host_view() const override { return block_->far ? nullptr : block_->literal.bytes().data(); }
  Event read(std::byte* row_major) const override {
    if (const Status status = fake_plan().step("read"); !status.ok()) return Event::finished(status);
    return client_of(*device()).later([block = block_, ready = ready(), shape = shape(), row_major]() -> Status {
      HILO_RETURN_IF_ERROR(ready.await());
      const Literal value = block->read(shape);
      std::ranges::copy(value.bytes(), row_major);
      return ok_status();
    });
  }

 private:
  void free_memory() override { block_.reset(); }
  BlockPtr block_;
};

class FakeDevice final : public Device {
 public:
  FakeDevice(Client& client, int id) : Device(client, id, 0) {}
  bool is_far() const { return id() % 2 == 0; }
  std::string_view kind() const override { return is_far() ? "far" : "near"; }
  std::span<const Memory> memories() const override {
    static constexpr std::array kMemories = {Memory{0, "device"}};
    return kMemories;
  }
  DeviceStatistics statistics() const override { return {.live_buffers = fake_plan().live_blocks}; }

  StatusOr<BufferPtr> allocate(const Shape& shape) override { return buffer(shape, Event()); }
  StatusOr<BufferPtr> from_host(const HostData& data) override {
    const std::shared_ptr<const void> lent(data.data, [release = data.release](const void*) {
      if (release) release();
    });
    HILO_RETURN_IF_ERROR(fake_plan().step("from_host"));
    HILO_ASSIGN_OR_RETURN(const DevicePtr near, client_of(*this).inside().local_device(0));
    HostData now = data;
    now.semantics = HostMemory::kReadNow;
    now.release = {};
    now.shape = data.shape.with_default_layout();
    HILO_ASSIGN_OR_RETURN(const BufferPtr copy, near->from_host(now));
    HILO_ASSIGN_OR_RETURN(const Literal value, literal_from_buffer(*copy));
    HILO_RETURN_IF_ERROR(fake_plan().step("allocate"));
    auto block = std::make_shared<Block>(data.shape, is_far());
    const Event written = client_of(*this).later([block, value, lent] {
      block->write(value);
      return ok_status();
    });
    return BufferPtr(std::make_shared<FakeBuffer>(data.shape, shared(), std::move(block), written));
  }
  /// A buffer that is available once `ready` is finished.
  StatusOr<BufferPtr> buffer(const Shape& shape, const Event& ready) {
    HILO_RETURN_IF_ERROR(fake_plan().step("allocate"));
    return BufferPtr(std::make_shared<FakeBuffer>(shape, shared(), std::make_shared<Block>(shape, is_far()), ready));
  }

 private:
  DevicePtr shared() { return {client().shared_from_this(), this}; }
};

BlockPtr block_of(const BufferPtr& buffer) { return static_cast<const FakeBuffer&>(*buffer).block(); }

/// A queued run with all that it needs. It doesn't reference the buffers, which may be destroyed.
struct FakeRun {
  std::shared_ptr<Executable> inside;
  ExecuteOptions options;
  std::vector<std::vector<BlockPtr>> arguments, results;
  std::vector<Event> made;  // when the arguments are available

  Status run() {
    HILO_RETURN_IF_ERROR(fake_plan().step("run"));
    for (const Event& event : made) HILO_RETURN_IF_ERROR(event.await());
    std::vector<std::vector<BufferPtr>> near(arguments.size()), got(arguments.size());
    std::vector<DeviceRun> runs;
    for (size_t k = 0; k < arguments.size(); ++k) {
      for (size_t i = 0; i < arguments[k].size(); ++i) {
        const Shape& shape = inside->argument_shapes()[i];
        HILO_ASSIGN_OR_RETURN(BufferPtr buffer,
                              buffer_from_literal(*inside->devices()[k], arguments[k][i]->read(shape), shape));
        near[k].push_back(std::move(buffer));
      }
      got[k].resize(results[k].size());
    }
    for (size_t k = 0; k < near.size(); ++k) runs.push_back({near[k], got[k]});
    HILO_ASSIGN_OR_RETURN(const Event done, inside->launch(runs, options));
    HILO_RETURN_IF_ERROR(done.await());
    for (size_t k = 0; k < got.size(); ++k) {
      for (size_t i = 0; i < got[k].size(); ++i) {
        HILO_ASSIGN_OR_RETURN(const Literal value, literal_from_buffer(*got[k][i]));
        results[k][i]->write(value);
      }
    }
    return ok_status();
  }
};

class FakeExecutable final : public Executable {
 public:
  FakeExecutable(std::unique_ptr<Executable> inside, std::vector<DevicePtr> devices)
      : Executable(inside->signature(), std::move(devices)), inside_(std::move(inside)) {}
  ExecutableStatistics statistics() const override { return inside_->statistics(); }

 protected:
  StatusOr<Event> start(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                        const ExecuteOptions& options, ArgumentHolds& holds) override {
    HILO_RETURN_IF_ERROR(fake_plan().step("launch"));
    auto run = std::make_shared<FakeRun>();
    run->inside = inside_;
    run->options = options;
    run->options.donated = {};
    run->options.device = nullptr;
    run->options.asynchronous = false;
    if (!options.deadline) run->options.deadline = deadline_in(signature().run_seconds);
    const auto source = std::make_shared<EventSource>();
    for (size_t k = 0; k < runs.size(); ++k) {
      run->arguments.emplace_back();
      run->results.emplace_back();
      for (const BufferPtr& argument : runs[k].arguments) {
        run->arguments.back().push_back(block_of(argument));
        run->made.push_back(argument->ready());
      }
      for (size_t i = 0; i < runs[k].results.size(); ++i) {
        auto& device = static_cast<FakeDevice&>(*devices[k]);
        HILO_ASSIGN_OR_RETURN(runs[k].results[i], device.buffer(result_shapes()[i], source->event()));
        run->results.back().push_back(block_of(runs[k].results[i]));
      }
    }
    holds.donate();
    for (const DeviceRun& of_device : runs) {
      for (size_t i = 0; i < options.donated.size(); ++i) {
        if (options.donated[i]) static_cast<FakeBuffer&>(*of_device.arguments[i]).forget();
      }
    }
    Event event = source->event();
    static_cast<FakeClient&>(client()).later([run, source]() mutable {
      const Status status = run->run();
      run.reset();
      source->finish(status);
      return status;
    });
    run.reset();
    if (options.asynchronous) return event;
    const Status status = event.await();
    if (!status.ok()) return status;
    return event;
  }

 private:
  std::shared_ptr<Executable> inside_;
};

FakeClient::FakeClient(ClientOptions options, ClientPtr inside)
    : Client(std::move(options)), inside_(std::move(inside)) {
  for (int id = 0; id < this->options().replica_count; ++id) add_device(std::make_unique<FakeDevice>(*this, id));
}

StatusOr<std::unique_ptr<Executable>> FakeClient::compile(const hlo::Module& module, const CompileOptions& options,
                                                          hlo::PassObserver* observer) {
  HILO_RETURN_IF_ERROR(fake_plan().step("compile"));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> inside, inside_->compile(module, options, observer));
  HILO_ASSIGN_OR_RETURN(std::vector<DevicePtr> devices, devices_for(module.name, options, inside->replica_count()));
  return std::unique_ptr<Executable>(std::make_unique<FakeExecutable>(std::move(inside), std::move(devices)));
}

}  // namespace

Status FakePlan::step(std::string_view what) {
  if (calls.fetch_add(1) != fail_at.load()) return ok_status();
  return Status(StatusCode::kUnavailable, "fake device: no " + std::string(what));
}

FakePlan& fake_plan() {
  static auto* const plan = new FakePlan;
  return *plan;
}

StatusOr<ClientPtr> make_fake_client(ClientOptions options) {
  HILO_ASSIGN_OR_RETURN(ClientPtr inside, make_platform_client("Host", {.replica_count = options.replica_count}));
  return ClientPtr(std::make_shared<FakeClient>(std::move(options), std::move(inside)));
}

const ClientPtr& fake_client() {
  static const auto* const client = new ClientPtr(*make_fake_client({.replica_count = kDevices}));
  return *client;
}

void register_fake_platform() {
  static const Status registered = register_platform({"Host2", ok_status, make_fake_client});
  if (!registered.ok()) std::abort();
}

}  // namespace hilo::tests
