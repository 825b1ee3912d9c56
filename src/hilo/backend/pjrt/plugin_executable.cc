// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/plugin_executable.h"

#include <fmt/format.h>

#include <boost/container/small_vector.hpp>
#include <chrono>

#include "hilo/backend/pjrt/call.h"
#include "hilo/backend/pjrt/host_calls.h"
#include "hilo/backend/pjrt/plugin_buffer.h"
#include "hilo/backend/pjrt/saved_executable.h"
#include "hilo/base/text.h"

namespace hilo::plugins {
namespace {

using Clock = std::chrono::steady_clock;

int64_t nanoseconds(Clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

/// Describes the whole program as one unit.
ExecutionUnit unit_of(const hlo::Module& program, const ProgramSignature& signature) {
  ExecutionUnit unit{.kind = "execute", .instructions = {}};
  for (const hlo::Instruction& i : program.entry->instructions()) unit.instructions.push_back(&i);
  for (const Shape& shape : signature.argument_shapes) unit.bytes += static_cast<double>(shape.byte_size());
  for (const Shape& shape : signature.result_shapes) unit.bytes += static_cast<double>(shape.byte_size());
  return unit;
}

/// A view of an executable that is only queried.
struct DestroyDescription {
  const Plugin* plugin;
  void operator()(PJRT_Executable* executable) const {
    PJRT_Executable_Destroy_Args args{};
    args.executable = executable;
    call_quietly(*plugin, &PJRT_Api::PJRT_Executable_Destroy, args);
  }
};
using Description = std::unique_ptr<PJRT_Executable, DestroyDescription>;

StatusOr<Description> describe(const Plugin& plugin, PJRT_LoadedExecutable* executable) {
  PJRT_LoadedExecutable_GetExecutable_Args args{};
  args.loaded_executable = executable;
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_LoadedExecutable_GetExecutable, args));
  return Description(args.executable, {&plugin});
}

PJRT_Device* raw_device(const DevicePtr& device) { return static_cast<PluginDevice&>(*device).raw(); }

}  // namespace

void DestroyExecutable::operator()(PJRT_LoadedExecutable* executable) const {
  PJRT_LoadedExecutable_Destroy_Args args{};
  args.executable = executable;
  call_quietly(*plugin, &PJRT_Api::PJRT_LoadedExecutable_Destroy, args);
}

// ---- Properties.

PluginExecutable::PluginExecutable(ProgramSignature signature, std::vector<DevicePtr> devices, hlo::Module program,
                                   RawExecutable raw)
    : Executable(std::move(signature), std::move(devices)),
      program_(std::move(program)),
      raw_(std::move(raw)),
      unit_(unit_of(program_, Executable::signature())) {
  for (const hlo::Alias& alias : program_.aliases) takeable_.push_back(alias.parameter_number);
}

StatusOr<std::unique_ptr<Executable>> PluginExecutable::make(ProgramSignature signature, std::vector<DevicePtr> devices,
                                                             hlo::Module program, RawExecutable raw,
                                                             double compile_milliseconds) {
  std::unique_ptr<PluginExecutable> result(
      new PluginExecutable(std::move(signature), std::move(devices), std::move(program), std::move(raw)));
  result->statistics_.compile_milliseconds = compile_milliseconds;
  HILO_RETURN_IF_ERROR(result->read_statistics());
  return std::unique_ptr<Executable>(std::move(result));
}

Status PluginExecutable::read_statistics() {
  const Plugin& plugin = plugin_client().plugin();
  HILO_ASSIGN_OR_RETURN(const Description description, describe(plugin, raw_.get()));
  PJRT_Executable_NumOutputs_Args outputs{};
  outputs.executable = description.get();
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Executable_NumOutputs, outputs));
  if (outputs.num_outputs != result_shapes().size()) {
    return internal_error(fmt::format("Compile '{}': the plugin's program has {} results; wanted {}", name(),
                                      outputs.num_outputs, result_shapes().size()));
  }
  PJRT_Executable_GetCompiledMemoryStats_Args memory{};
  memory.executable = description.get();
  if (call(plugin, &PJRT_Api::PJRT_Executable_GetCompiledMemoryStats, memory).ok()) {  // some plugins don't report it
    statistics_.temporary_bytes = memory.temp_size_in_bytes;
    statistics_.code_bytes = memory.generated_code_size_in_bytes;
  }
  return ok_status();
}

// ---- Execution.

/// Results of a call of the plugin. They are destroyed with this, unless they are passed on.
struct PluginExecutable::Started {
  explicit Started(const Plugin& plugin) : plugin(plugin) {}
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;
  ~Started() {
    for (PJRT_Buffer* buffer : results) {
      if (buffer != nullptr) DestroyBuffer{&plugin}(buffer);
    }
    for (PJRT_Event* event : events) (void)await_and_destroy(plugin, event);
  }

  const Plugin& plugin;
  boost::container::small_vector<PJRT_Buffer*, 8> results;  // by run
  boost::container::small_vector<PJRT_Event*, 2> events;
};

Status PluginExecutable::execute_now(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                                     std::span<const bool> donated, Started& started) {
  const size_t arguments_count = argument_shapes().size(), results_count = result_shapes().size();
  boost::container::small_vector<PJRT_Buffer*, 16> arguments;
  boost::container::small_vector<PJRT_Buffer* const*, 2> argument_lists;
  boost::container::small_vector<PJRT_Buffer**, 2> result_lists;
  arguments.reserve(runs.size() * arguments_count);
  for (const DeviceRun& run : runs) {
    argument_lists.push_back(arguments.data() + arguments.size());
    for (const BufferPtr& argument : run.arguments) arguments.push_back(plugin_buffer(argument).raw());
  }
  const size_t first = started.results.size(), first_event = started.events.size();
  started.results.resize(first + runs.size() * results_count, nullptr);
  started.events.resize(first_event + runs.size(), nullptr);
  for (size_t k = 0; k < runs.size(); ++k) result_lists.push_back(started.results.data() + first + k * results_count);
  boost::container::small_vector<int64_t, 8> undonated;  // arguments whose memory the program could use
  for (const int64_t i : takeable_) {
    if (donated.empty() || !donated[i]) undonated.push_back(i);
  }
  PJRT_ExecuteOptions options{};
  options.struct_size = kPjrtStructSize<PJRT_ExecuteOptions>;
  options.non_donatable_input_indices = undonated.data();
  options.num_non_donatable_input_indices = undonated.size();
  PJRT_LoadedExecutable_Execute_Args args{};
  args.executable = raw_.get();
  args.options = &options;
  args.argument_lists = argument_lists.data();
  args.num_devices = runs.size();
  args.num_args = arguments_count;
  args.output_lists = result_lists.data();
  args.device_complete_events = started.events.data() + first_event;
  args.execute_device = signature().meets_others ? nullptr : raw_device(devices[0]);
  return call(started.plugin, &PJRT_Api::PJRT_LoadedExecutable_Execute, args);
}

Status PluginExecutable::execute_all(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                                     std::span<const bool> donated, Started& started) {
  if (signature().meets_others) {
    const std::scoped_lock lock(plugin_client().launch_mutex());
    return execute_now(runs, devices, donated, started);
  }
  for (size_t k = 0; k < runs.size(); ++k)
    HILO_RETURN_IF_ERROR(execute_now(runs.subspan(k, 1), devices.subspan(k, 1), donated, started));
  return ok_status();
}

Event PluginExecutable::joined_event(Started& started, std::string_view what) {
  boost::container::small_vector<Event, 2> events;
  for (PJRT_Event*& one : started.events)
    events.push_back(event_of(started.plugin, plugin_client().pending(), std::exchange(one, nullptr), what));
  return events.size() == 1 ? events[0] : Event::all(events);
}

void PluginExecutable::fill_results(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                                    const Event& ready, Started& started) {
  const std::span<const Shape> shapes = result_shapes();
  size_t next = 0;
  for (size_t k = 0; k < runs.size(); ++k) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      RawBuffer raw(std::exchange(started.results[next++], nullptr), {&started.plugin});
      runs[k].results[i] = std::make_shared<PluginBuffer>(shapes[i], devices[k], std::move(raw), ready);
    }
  }
}

void PluginExecutable::donate(std::span<const DeviceRun> runs, std::span<const bool> donated, ArgumentHolds& holds) {
  holds.donate();
  for (const DeviceRun& run : runs) {
    for (size_t i = 0; i < donated.size(); ++i) {
      if (donated[i]) plugin_buffer(run.arguments[i]).forget();
    }
  }
}

StatusOr<Event> PluginExecutable::start(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                                        const ExecuteOptions& options, ArgumentHolds& holds) {
  const Clock::time_point began = options.observer == nullptr ? Clock::time_point() : Clock::now();
  const Deadline deadline = options.deadline ? *options.deadline : deadline_in(signature().run_seconds);
  // only the wait stops; the plugin continues
  const bool may_stop = options.cancellation != nullptr || deadline != kNoDeadline;
  const auto where = [this] { return fmt::format("Execute '{}'", name()); };
  const Plugin& plugin = plugin_client().plugin();
  Started started(plugin);
  if (const Status status = execute_all(runs, devices, options.donated, started); !status.ok())
    return status.with_context(where());
  donate(runs, options.donated, holds);  // the plugin owns them, whether or not the run fails
  Event event;
  Status status;
  if (options.asynchronous && !may_stop) {
    event = joined_event(started, where());
  } else if (may_stop) {
    status = joined_event(started, "").await(options.cancellation, deadline);
  } else {
    for (PJRT_Event*& one : started.events) {
      const Status ended = await_and_destroy(plugin, std::exchange(one, nullptr));
      if (status.ok()) status = ended;
    }
  }
  if (!status.ok()) return status.with_context(where());
  if (options.observer != nullptr) {
    event.on_ready([this, observer = options.observer, began, lane = devices[0]->id()](const Status&) {
      observer->on_unit(unit_, {nanoseconds(began.time_since_epoch()), nanoseconds(Clock::now() - began),
                                static_cast<uint64_t>(lane)});
    });
  }
  fill_results(runs, devices, event, started);
  return event;
}

// ---- Serialization.

StatusOr<std::string> PluginExecutable::serialize() const {
  for (size_t k = 0; signature().meets_others && k < devices().size(); ++k) {
    if (devices()[k]->id() != static_cast<int>(k))
      return unimplemented(fmt::format("serialize '{}': its replicas run on selected devices", name()));
  }
  HILO_RETURN_IF_ERROR(check_can_be_saved(program_));
  const Plugin& plugin = plugin_client().plugin();
  HILO_ASSIGN_OR_RETURN(std::string identity, plugin_client().identity());
  HILO_ASSIGN_OR_RETURN(const Description description, describe(plugin, raw_.get()));
  PJRT_Executable_Serialize_Args args{};
  args.executable = description.get();
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Executable_Serialize, args));
  std::string code(args.serialized_bytes, args.serialized_bytes_size);
  if (args.serialized_executable_deleter != nullptr) args.serialized_executable_deleter(args.serialized_executable);
  return save_executable({std::move(identity), signature(), program_, std::move(code)});
}

StatusOr<std::unique_ptr<Executable>> load_executable(PluginClient& client, std::string_view bytes) {
  const auto began = Clock::now();
  HILO_ASSIGN_OR_RETURN(SavedExecutable saved, read_executable(bytes));
  HILO_ASSIGN_OR_RETURN(const std::string identity, client.identity());
  if (saved.identity != identity) {
    return failed_precondition(
        fmt::format("load: it was saved for {}; this is {}", printable(saved.identity), printable(identity)));
  }
  HILO_ASSIGN_OR_RETURN(std::vector<DevicePtr> devices,
                        client.devices_of(saved.signature.name, saved.signature.replica_count));
  HILO_RETURN_IF_ERROR(register_for_saved_program(client.plugin(), client.raw(), saved.program));
  PJRT_Executable_DeserializeAndLoad_Args args{};
  args.client = client.raw();
  args.serialized_executable = saved.code.data();
  args.serialized_executable_size = saved.code.size();
  HILO_RETURN_IF_ERROR(call(client.plugin(), &PJRT_Api::PJRT_Executable_DeserializeAndLoad, args));
  RawExecutable raw(args.loaded_executable, {&client.plugin()});
  return PluginExecutable::make(std::move(saved.signature), std::move(devices), std::move(saved.program),
                                std::move(raw),
                                std::chrono::duration<double, std::milli>(Clock::now() - began).count());
}

}  // namespace hilo::plugins
