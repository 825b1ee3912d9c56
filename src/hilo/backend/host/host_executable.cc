// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/host/host_executable.h"

#include <algorithm>
#include <atomic>

#include "hilo/backend/host/host_client.h"
#include "hilo/backend/host/host_device.h"
#include "hilo/backend/host/host_run.h"
#include "hilo/base/out_of_memory.h"

namespace hilo {
namespace {

DeviceQueue& queue_of(const DevicePtr& device) { return static_cast<HostDevice&>(*device).queue(); }

bool are_idle(std::span<const DevicePtr> devices) {
  return std::ranges::all_of(devices, [](const DevicePtr& device) { return queue_of(device).is_idle(); });
}

/// A run in the queues of its devices, and everything that it needs.
class QueuedRun {
 public:
  QueuedRun(std::shared_ptr<HostProgram> program, std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
            const ExecuteOptions& options)
      : program_(std::move(program)),
        options_(options),
        devices_(devices.begin(), devices.end()),
        missing_(runs.size()) {
    donated_.reset(new bool[options.donated.size()]);
    std::ranges::copy(options.donated, donated_.get());
    options_.donated = {donated_.get(), options.donated.size()};
    options_.device = nullptr;
    for (const DeviceRun& run : runs) {
      arguments_.emplace_back(run.arguments.begin(), run.arguments.end());
      results_.emplace_back(run.results.size());
    }
    for (size_t k = 0; k < runs.size(); ++k) runs_.push_back({arguments_[k], results_[k]});
    run_.emplace(*program_, runs_, devices_, options_);
  }

  Event event() const { return source_.event(); }

  /// Creates the results of participant k for the caller, without memory.
  void promise(size_t k, std::span<BufferPtr> results) {
    const std::span<const Shape> shapes = program_->signature().result_shapes;
    std::vector<std::shared_ptr<HostBuffer>>& promised = promised_.emplace_back();
    for (size_t i = 0; i < results.size(); ++i) {
      promised.push_back(new_host_buffer(shapes[i], devices_[k], event()));
      results[i] = promised.back();
    }
  }

  /// Runs the part of participant k, in its device's queue.
  void take_part(size_t k) {
    const Status arguments = check_arguments(k);
    if (!arguments.ok()) return give_up(k, arguments);
    run_->take_part(k);
    end_part();
  }
  /// Reports to the other participants that participant k failed before its part.
  void give_up(size_t k, const Status& reason) {
    run_->give_up(k, reason);
    end_part();
  }

 private:
  /// Each argument is finished, because its producer was queued earlier; but it may have failed.
  Status check_arguments(size_t k) const {
    for (size_t i = 0; i < arguments_[k].size(); ++i) {
      const Status made = arguments_[k][i]->ready().await();
      if (made.ok()) continue;
      return made.with_context("Execute '" + program_->signature().name +
                               "': " + argument_text(i, program_->signature().argument_names));
    }
    return ok_status();
  }

  void end_part() {
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) source_.finish(finished());
  }

  Status finished() {
    Status status;
    try {
      status = run_->outcome();
    } catch (const std::bad_alloc&) {
      status = out_of_memory();
    } catch (const std::exception& error) {  // of a custom call; no caller can catch it
      status = Status(StatusCode::kUnknown, std::string("an exception was thrown: ") + error.what());
    } catch (...) {  // NOLINT: as above
      status = Status(StatusCode::kUnknown, "an exception was thrown");
    }
    for (size_t k = 0; status.ok() && k < results_.size(); ++k) {
      for (size_t i = 0; i < results_[k].size(); ++i) promised_[k][i]->fill_from(host(results_[k][i]));
    }
    run_.reset();
    arguments_.clear();
    results_.clear();
    promised_.clear();
    return status;
  }

  std::shared_ptr<HostProgram> program_;
  ExecuteOptions options_;
  std::unique_ptr<bool[]> donated_;
  std::vector<DevicePtr> devices_;
  std::vector<std::vector<BufferPtr>> arguments_, results_;
  std::vector<std::vector<std::shared_ptr<HostBuffer>>> promised_;
  std::vector<DeviceRun> runs_;
  std::optional<HostRun> run_;
  std::atomic<size_t> missing_;
  EventSource source_;
};

/// Adds all parts to the queues, without another run in between.
void put_in_queues(const std::shared_ptr<QueuedRun>& run, std::span<const DevicePtr> devices) {
  const std::scoped_lock lock(static_cast<HostClient&>(devices[0]->client()).launch_mutex());
  size_t k = 0;
  try {
    for (; k < devices.size(); ++k) queue_of(devices[k]).enqueue([run, k] { run->take_part(k); });
  } catch (const std::bad_alloc&) {  // the others must not wait for a part that never runs
    for (; k < devices.size(); ++k) run->give_up(k, out_of_memory());
    throw;
  }
}

}  // namespace

bool HostExecutable::runs_directly() const {
  return program_->runs_at_addresses() && !signature().meets_others && signature().run_seconds == 0 &&
         (!client().options().asynchronous || program_->is_small());
}

std::optional<Status> HostExecutable::run_directly(const DirectRun& run) try {
  const DevicePtr& device = devices()[0];
  if (!queue_of(device).is_idle()) return std::nullopt;
  for (size_t r = 0; r < run.results.size(); ++r) {
    if (run.results[r] != nullptr) continue;
    const Shape& shape = result_shapes()[r];
    StatusOr<AlignedBuffer> memory = allocate_buffer(shape.byte_size());
    if (!memory.ok()) return memory.status();
    run.results[r] = memory->data();
    run.buffers[r] = new_host_buffer(shape, *std::move(memory), device);
  }
  return program_->run_at(run.arguments, run.results, device);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<Event> HostExecutable::start(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                                      const ExecuteOptions& options, ArgumentHolds& holds) {
  const bool now = !options.asynchronous || (runs.size() == 1 && program_->is_small());
  if (!now || !are_idle(devices)) return enqueue(runs, devices, options, holds);
  Status status;
  if (runs.size() == 1 && !signature().meets_others) {
    const Deadline deadline = deadline_of(signature(), options);
    const DeadlineWatch watch(options.cancellation, deadline);
    status = run_on_host(*program_, runs[0], devices[0], options, watch.word(), deadline, nullptr);
  } else {
    status = HostRun(*program_, runs, devices, options).run_here();
  }
  if (!status.ok()) return status;
  return Event();
}

StatusOr<Event> HostExecutable::enqueue(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                                        const ExecuteOptions& options, ArgumentHolds& holds) {
  for (const DevicePtr& device : devices) HILO_RETURN_IF_ERROR(queue_of(device).start());
  auto queued = std::make_shared<QueuedRun>(program_, runs, devices, options);
  for (size_t k = 0; k < runs.size(); ++k) queued->promise(k, runs[k].results);
  holds.donate();
  put_in_queues(queued, devices);
  holds.end();  // from here on the queues' order keeps the arguments alive
  Event event = queued->event();
  queued.reset();
  if (options.asynchronous) return event;
  const Status status = event.await();
  if (!status.ok()) return status;
  return event;
}

}  // namespace hilo
