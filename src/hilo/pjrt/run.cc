// SPDX-License-Identifier: Apache-2.0
// One call of Execute: converts arguments to buffers, runs the executable, and returns buffers as results.
#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <optional>

#include "hilo/backend/ffi_executor.h"
#include "hilo/pjrt/host_memory.h"
#include "hilo/pjrt/known_part.h"
#include "hilo/pjrt/program.h"

namespace hilo::pjrt {
namespace {

using Buffers = boost::container::small_vector<BufferPtr, 8>;

/// The checked arguments of Execute.
struct Call {
  const Program& program;
  PJRT_LoadedExecutable_Execute_Args& args;
  PJRT_ExecuteOptions options;        ///< zeros if the caller passes none
  std::vector<PJRT_Device*> devices;  ///< devices of the results, one per list
  std::unique_ptr<bool[]> donated;    ///< by argument; null means none
  std::vector<size_t> deleted;  ///< arguments that are deleted afterwards, although the run doesn't reuse their memory

  PJRT_Buffer& argument(size_t k, size_t i) const { return *args.argument_lists[k][i]; }
  std::span<const bool> donations() const {
    return donated == nullptr ? std::span<const bool>() : std::span<const bool>(donated.get(), args.num_args);
  }
};

Status check(const Program& program, const PJRT_LoadedExecutable_Execute_Args& args,
             const PJRT_ExecuteOptions& options) {
  const auto where = [&] { return fmt::format("Execute '{}'", program.executable->name()); };
  if (args.num_args != program.arguments.size())
    return invalid_argument(
        fmt::format("{}: got {} arguments; wanted {}", where(), args.num_args, program.arguments.size()));
  const size_t wanted = args.execute_device == nullptr ? program.devices.size() : 1;
  if (args.num_devices != wanted)
    return invalid_argument(fmt::format("{}: got lists for {} devices; wanted {}", where(), args.num_devices, wanted));
  if (options.num_send_ops != 0 || options.num_recv_ops != 0)
    return unimplemented(where() + ": callbacks for send and recv are not implemented");
  if (args.execute_device != nullptr && program.devices.size() != 1)
    return invalid_argument(where() + ": 'execute_device' is for programs of one device");
  if (args.num_args != 0 && args.argument_lists == nullptr)
    return invalid_argument(where() + ": 'argument_lists' is null");
  if (!program.results.empty() && args.output_lists == nullptr)
    return invalid_argument(where() + ": 'output_lists' is null");
  for (size_t k = 0; k < args.num_devices; ++k) {
    for (size_t i = 0; i < args.num_args; ++i) {
      const PJRT_Buffer* const buffer = args.argument_lists[k][i];
      if (buffer == nullptr) return invalid_argument(fmt::format("{}: argument {} is null", where(), i));
      if (buffer->deleted)
        return invalid_argument(
            fmt::format("{}: argument {} is a buffer that has been deleted or donated", where(), i));
    }
  }
  return ok_status();
}

/// Selects the arguments whose memory the run may reuse. External readers keep the memory of an argument alive, so it
/// isn't reused.
void plan_donations(Call& call) {
  const std::span kept(call.options.non_donatable_input_indices, call.options.num_non_donatable_input_indices);
  for (size_t i = 0; i < call.program.arguments.size(); ++i) {
    if (!call.program.arguments[i].donated || std::ranges::find(kept, i) != kept.end()) continue;
    bool taken = call.program.run_kind == RunKind::kAsIs;
    for (size_t k = 0; k < call.args.num_devices; ++k) taken &= call.argument(k, i).external_references == 0;
    if (!taken) {
      call.deleted.push_back(i);
      continue;
    }
    if (call.donated == nullptr) call.donated.reset(new bool[call.args.num_args]());
    call.donated[i] = true;
  }
}

/// Adds the user data for the handlers of the run, if there is any.
void add_user_data(const Call& call, std::optional<FfiExecutor>& executor, ExecuteOptions& options) {
  PJRT_ExecuteContext* const context = call.options.context;
  if (!call.program.calls_handlers || context == nullptr) return;
  const std::scoped_lock lock(context->mutex);
  executor.emplace(context->user_data);
  options.executor = &*executor;
}

StatusOr<Event> launch(const Call& call, std::span<const DeviceRun> runs) {
  ExecuteOptions options;
  options.donated = call.donations();
  std::optional<FfiExecutor> executor;
  add_user_data(call, executor, options);
  if (runs.size() == 1) options.device = &call.devices[0]->device;
  return call.program.executable->launch(runs, options);
}

PJRT_Buffer* result_handle(const Call& call, size_t k, size_t i, BufferPtr buffer) {
  return new_buffer(call.program.client, std::move(buffer),
                    call.devices[k]->memories[call.program.results[i].memory_kind]);
}

/// Returns argument i of device k. Callers pass any buffer as a token (JAX empty arrays), because it only orders runs.
StatusOr<BufferPtr> own_argument(const Call& call, size_t k, size_t i) {
  const Shape& shape = call.program.arguments[i].placement.part;
  if (shape.is_token()) return call.devices[k]->device->allocate(shape);
  return call.argument(k, i).buffer;
}

/// Runs with the arguments and results of the devices. Replicas without communication run one after the other.
Status run_as_is(const Call& call) {
  const size_t count = call.args.num_devices, results = call.program.results.size();
  std::vector<Buffers> arguments(count), made(count);
  std::vector<DeviceRun> runs;
  for (size_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < call.args.num_args; ++i) {
      HILO_ASSIGN_OR_RETURN(BufferPtr argument, own_argument(call, k, i));
      arguments[k].push_back(std::move(argument));
    }
    made[k].resize(results);
    runs.push_back({{arguments[k].data(), arguments[k].size()}, {made[k].data(), results}});
  }
  if (static_cast<int64_t>(count) == call.program.executable->replica_count()) {
    HILO_ASSIGN_OR_RETURN(const Event event, launch(call, runs));
    HILO_RETURN_IF_ERROR(event.await());
  } else {
    for (size_t k = 0; k < count; ++k) {
      ExecuteOptions options;
      options.donated = call.donations();
      std::optional<FfiExecutor> executor;
      add_user_data(call, executor, options);
      options.device = &call.devices[k]->device;
      HILO_ASSIGN_OR_RETURN(const Event event, call.program.executable->launch({&runs[k], 1}, options));
      HILO_RETURN_IF_ERROR(event.await());
    }
  }
  for (size_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < results; ++i)
      call.args.output_lists[k][i] = result_handle(call, k, i, std::move(made[k][i]));
  }
  return ok_status();
}

/// Returns the whole argument i on device k's device. `gathered` caches it for the next device.
StatusOr<BufferPtr> whole_argument(const Call& call, size_t k, size_t i, std::vector<BufferPtr>& gathered) {
  const Placement& placement = call.program.arguments[i].placement;
  if (placement.is_whole()) return own_argument(call, k, i);
  Device& device = *call.devices[k]->device;
  if (gathered[i] != nullptr) return shared_on(device, gathered[i]);
  std::vector<BufferPtr> parts;
  for (size_t j = 0; j < call.args.num_devices; ++j) parts.push_back(call.argument(j, i).buffer);
  HILO_ASSIGN_OR_RETURN(gathered[i], gather(placement, device, parts));
  return gathered[i];
}

/// Runs programs with sharded arrays on whole arrays, on one device or on each.
Status run_on_wholes(const Call& call) {
  const size_t count = call.args.num_devices, results = call.program.results.size();
  const size_t runs_count = call.program.run_kind == RunKind::kOnce ? 1 : count;
  std::vector<std::vector<BufferPtr>> arguments(runs_count), made(runs_count);
  std::vector<BufferPtr> gathered(call.args.num_args);
  std::vector<DeviceRun> runs;
  for (size_t k = 0; k < runs_count; ++k) {
    for (size_t i = 0; i < call.args.num_args; ++i) {
      HILO_ASSIGN_OR_RETURN(BufferPtr whole, whole_argument(call, k, i, gathered));
      arguments[k].push_back(std::move(whole));
    }
    made[k].resize(results);
    runs.push_back({arguments[k], made[k]});
  }
  HILO_ASSIGN_OR_RETURN(const Event event, launch(call, runs));
  HILO_RETURN_IF_ERROR(event.await());
  std::vector<std::vector<BufferPtr>> given(count, std::vector<BufferPtr>(results));
  for (size_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < results; ++i) {
      const BufferPtr& whole = made[runs_count == 1 ? 0 : k][i];
      const Placement& placement = call.program.results[i].placement;
      Device& device = *call.devices[k]->device;
      if (!placement.is_whole()) {
        HILO_ASSIGN_OR_RETURN(given[k][i], cut(placement, device, k, whole));
      } else if (runs_count == 1 && count > 1) {
        HILO_ASSIGN_OR_RETURN(given[k][i], shared_on(device, whole));
      } else {
        given[k][i] = whole;
      }
    }
  }
  for (size_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < results; ++i)
      call.args.output_lists[k][i] = result_handle(call, k, i, std::move(given[k][i]));
  }
  return ok_status();
}

void end_arguments(const Call& call) {
  for (size_t k = 0; k < call.args.num_devices; ++k) {
    for (const size_t i : call.deleted) {
      PJRT_Buffer& buffer = call.argument(k, i);
      if (!buffer.deleted.exchange(true)) (void)buffer.buffer->remove();  // otherwise its last reader frees it
    }
  }
}

}  // namespace

Status run_program(const Program& program, PJRT_LoadedExecutable_Execute_Args& args) {
  const PJRT_ExecuteOptions options = args.options == nullptr ? PJRT_ExecuteOptions{} : known_part(*args.options);
  HILO_RETURN_IF_ERROR(check(program, args, options));
  Call call{program, args, options, program.devices, nullptr, {}};
  if (args.execute_device != nullptr) call.devices = {args.execute_device};
  plan_donations(call);
  HILO_RETURN_IF_ERROR(program.run_kind == RunKind::kAsIs ? run_as_is(call) : run_on_wholes(call));
  end_arguments(call);
  if (args.device_complete_events != nullptr) {
    for (size_t k = 0; k < args.num_devices; ++k) args.device_complete_events[k] = new_event({});
  }
  return ok_status();
}

}  // namespace hilo::pjrt
