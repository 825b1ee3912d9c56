// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/plugin_executable.h"

#include <fmt/format.h>

#include <boost/container/small_vector.hpp>
#include <chrono>

#include "hilo/backend/pjrt/call.h"
#include "hilo/backend/pjrt/plugin_buffer.h"
#include "hilo/base/text.h"
#include "hilo/base/text_hash.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/proto/writer.h"

namespace hilo::plugins {
namespace {

using Clock = std::chrono::steady_clock;

int64_t nanoseconds(Clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

/// All of the program, as one unit.
ExecutionUnit unit_of(const hlo::Module& program, const ProgramSignature& signature) {
  ExecutionUnit unit{.kind = "execute", .instructions = {}};
  for (const hlo::Instruction& i : program.entry->instructions()) unit.instructions.push_back(&i);
  for (const Shape& shape : signature.argument_shapes) unit.bytes += static_cast<double>(shape.byte_size());
  for (const Shape& shape : signature.result_shapes) unit.bytes += static_cast<double>(shape.byte_size());
  return unit;
}

/// A view of an executable that only tells.
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

// ---- What it is.

PluginExecutable::PluginExecutable(ProgramSignature signature, std::vector<DevicePtr> devices, hlo::Module program,
                                   RawExecutable raw)
    : Executable(std::move(signature), std::move(devices)),
      program_(std::move(program)),
      raw_(std::move(raw)),
      unit_(unit_of(program_, Executable::signature())) {}

StatusOr<std::unique_ptr<Executable>> PluginExecutable::make(ProgramSignature signature, std::vector<DevicePtr> devices,
                                                             hlo::Module program, RawExecutable raw,
                                                             double compile_milliseconds) {
  std::unique_ptr<PluginExecutable> made(
      new PluginExecutable(std::move(signature), std::move(devices), std::move(program), std::move(raw)));
  made->statistics_.compile_milliseconds = compile_milliseconds;
  HILO_RETURN_IF_ERROR(made->read_statistics());
  return std::unique_ptr<Executable>(std::move(made));
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
  if (call(plugin, &PJRT_Api::PJRT_Executable_GetCompiledMemoryStats, memory).ok()) {  // not every plugin counts
    statistics_.temporary_bytes = memory.temp_size_in_bytes;
    statistics_.code_bytes = memory.generated_code_size_in_bytes;
  }
  return ok_status();
}

// ---- Running it.

/// What the plugin has begun. Until it is handed on, it is destroyed with this.
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
  boost::container::small_vector<PJRT_Buffer*, 8> results;  // run by run
  boost::container::small_vector<PJRT_Event*, 2> events;
};

Status PluginExecutable::execute_now(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                                     Started& started) {
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
  PJRT_ExecuteOptions options{};
  options.struct_size = kPjrtStructSize<PJRT_ExecuteOptions>;
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
                                     Started& started) {
  if (signature().meets_others) {
    const std::scoped_lock lock(plugin_client().launch_mutex());
    return execute_now(runs, devices, started);
  }
  for (size_t k = 0; k < runs.size(); ++k)
    HILO_RETURN_IF_ERROR(execute_now(runs.subspan(k, 1), devices.subspan(k, 1), started));
  return ok_status();
}

Event PluginExecutable::told(Started& started, std::string_view what) {
  boost::container::small_vector<Event, 2> events;
  for (PJRT_Event*& one : started.events)
    events.push_back(event_of(started.plugin, plugin_client().pending(), std::exchange(one, nullptr), what));
  return events.size() == 1 ? events[0] : Event::all(events);
}

void PluginExecutable::hand_over(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
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

StatusOr<Event> PluginExecutable::start(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                                        const ExecuteOptions& options, ArgumentHolds& holds) {
  const Clock::time_point began = options.observer == nullptr ? Clock::time_point() : Clock::now();
  const Deadline deadline = options.deadline ? *options.deadline : deadline_in(signature().run_seconds);
  const bool may_stop = options.cancellation != nullptr || deadline != kNoDeadline;  // the wait; a plugin goes on
  const auto where = [this] { return fmt::format("Execute '{}'", name()); };
  const Plugin& plugin = plugin_client().plugin();
  Started started(plugin);
  if (const Status status = execute_all(runs, devices, started); !status.ok()) return status.with_context(where());
  Event event;
  Status status;
  if (options.asynchronous && !may_stop) {
    event = told(started, where());
  } else if (may_stop) {
    status = told(started, "").await(options.cancellation, deadline);
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
  hand_over(runs, devices, event, started);
  holds.donate();
  for (const DeviceRun& run : runs) {
    for (size_t i = 0; i < options.donated.size(); ++i) {
      if (options.donated[i]) plugin_buffer(run.arguments[i]).forget();
    }
  }
  return event;
}

// ---- On the disk.

namespace {

// What is saved, field by field.
constexpr uint32_t kIdentity = 1, kName = 2, kShapes = 3, kReplicas = 4, kMeetsOthers = 5, kRunSeconds = 6,
                   kProgram = 7, kCode = 8, kArgumentNames = 9;
constexpr std::string_view kMagic = "hilo plugin program 1\n";

using hlo::proto::WireMessage;
using hlo::proto::WireWriter;

std::string checksum(std::string_view body) { return fmt::format("{:016x}\n", TextHash()(body)); }

StatusOr<std::string> code_of(const Plugin& plugin, PJRT_LoadedExecutable* executable) {
  HILO_ASSIGN_OR_RETURN(const Description description, describe(plugin, executable));
  PJRT_Executable_Serialize_Args args{};
  args.executable = description.get();
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Executable_Serialize, args));
  std::string code(args.serialized_bytes, args.serialized_bytes_size);
  if (args.serialized_executable_deleter != nullptr) args.serialized_executable_deleter(args.serialized_executable);
  return code;
}

StatusOr<RawExecutable> executable_of(PluginClient& client, std::string_view code) {
  PJRT_Executable_DeserializeAndLoad_Args args{};
  args.client = client.raw();
  args.serialized_executable = code.data();
  args.serialized_executable_size = code.size();
  HILO_RETURN_IF_ERROR(call(client.plugin(), &PJRT_Api::PJRT_Executable_DeserializeAndLoad, args));
  return RawExecutable(args.loaded_executable, {&client.plugin()});
}

StatusOr<ProgramSignature> signature_of(const WireMessage& saved) {
  ProgramSignature signature;
  HILO_ASSIGN_OR_RETURN(const std::string_view name, saved.text(kName));
  HILO_ASSIGN_OR_RETURN(const std::string_view shapes, saved.text(kShapes));
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> names, saved.items(kArgumentNames));
  hlo::proto::ShapeReader reader;
  HILO_ASSIGN_OR_RETURN(hlo::proto::ProgramShape program, hlo::proto::read_program_shape(shapes, reader));
  HILO_ASSIGN_OR_RETURN(signature.replica_count, saved.integer(kReplicas));
  HILO_ASSIGN_OR_RETURN(signature.meets_others, saved.boolean(kMeetsOthers));
  HILO_ASSIGN_OR_RETURN(signature.run_seconds, saved.real64(kRunSeconds));
  signature.name = name;
  signature.argument_shapes = std::move(program.parameters);
  signature.argument_names.assign(names.begin(), names.end());
  signature.result_shapes = program.result.leaves();
  signature.result_shape = std::move(program.result);
  if (signature.argument_names.size() == signature.argument_shapes.size()) return signature;
  return invalid_argument("load: a saved program has other names than arguments");
}

}  // namespace

StatusOr<std::string> PluginExecutable::serialize() const {
  for (size_t k = 0; signature().meets_others && k < devices().size(); ++k) {
    if (devices()[k]->id() != static_cast<int>(k))
      return unimplemented(fmt::format("serialize '{}': its replicas have devices of their own", name()));
  }
  WireWriter saved;
  HILO_ASSIGN_OR_RETURN(const std::string identity, plugin_client().identity());
  HILO_ASSIGN_OR_RETURN(const std::string program, hlo::to_proto(program_));
  HILO_ASSIGN_OR_RETURN(const std::string code, code_of(plugin_client().plugin(), raw_.get()));
  saved.bytes(kIdentity, identity);
  saved.bytes(kName, name());
  saved.message(kShapes, hlo::proto::write_program_shape({signature().argument_shapes, result_shape()},
                                                         signature().argument_names));
  for (const std::string& argument : signature().argument_names) saved.bytes(kArgumentNames, argument);
  saved.integer(kReplicas, replica_count());
  saved.boolean(kMeetsOthers, signature().meets_others);
  saved.real64(kRunSeconds, signature().run_seconds);
  saved.bytes(kProgram, program);
  saved.bytes(kCode, code);
  const std::string body = std::move(saved).take();
  return std::string(kMagic) + checksum(body) + body;
}

StatusOr<std::unique_ptr<Executable>> load_executable(PluginClient& client, std::string_view bytes) {
  const auto began = Clock::now();
  const size_t head = kMagic.size() + checksum("").size();
  if (!bytes.starts_with(kMagic) || bytes.size() < head ||
      bytes.substr(kMagic.size(), head - kMagic.size()) != checksum(bytes.substr(head)))
    return invalid_argument("load: these bytes are no program of a plugin, or are damaged");
  HILO_ASSIGN_OR_RETURN(const WireMessage saved, WireMessage::read(bytes.substr(head), "saved program"));
  HILO_ASSIGN_OR_RETURN(const std::string_view made_by, saved.text(kIdentity));
  HILO_ASSIGN_OR_RETURN(const std::string identity, client.identity());
  if (made_by != identity) {
    return failed_precondition(
        fmt::format("load: it was saved for {}; this is {}", printable(made_by), printable(identity)));
  }
  HILO_ASSIGN_OR_RETURN(ProgramSignature signature, signature_of(saved));
  HILO_ASSIGN_OR_RETURN(std::vector<DevicePtr> devices, client.devices_of(signature.name, signature.replica_count));
  HILO_ASSIGN_OR_RETURN(const std::string_view proto, saved.text(kProgram));
  HILO_ASSIGN_OR_RETURN(hlo::Module program, hlo::from_proto(proto));
  HILO_ASSIGN_OR_RETURN(const std::string_view code, saved.text(kCode));
  HILO_ASSIGN_OR_RETURN(RawExecutable raw, executable_of(client, code));
  return PluginExecutable::make(std::move(signature), std::move(devices), std::move(program), std::move(raw),
                                std::chrono::duration<double, std::milli>(Clock::now() - began).count());
}

}  // namespace hilo::plugins
