// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/executable.h"

#include "hilo/base/out_of_memory.h"
#include "hilo/device/client.h"

namespace hilo {
namespace {

int64_t bytes_of(std::span<const Shape> shapes) {
  int64_t bytes = 0;
  for (const Shape& shape : shapes) bytes += shape.byte_size();
  return bytes;
}

/// Describes how two shapes differ. Layouts are printed only if nothing else differs.
std::string difference(const Shape& got, const Shape& wanted) {
  if (got.compatible(wanted)) return got.to_string_with_layout() + ", compiled for " + wanted.to_string_with_layout();
  return got.to_string() + ", compiled for " + wanted.to_string();
}

}  // namespace

MemoryAnalysis memory_analysis(const ProgramSignature& signature, const ExecutableStatistics& statistics) {
  MemoryAnalysis m{.argument_bytes = bytes_of(signature.argument_shapes),
                   .output_bytes = bytes_of(signature.result_shapes),
                   .alias_bytes = statistics.alias_bytes,
                   .temporary_bytes = statistics.temporary_bytes,
                   .constant_bytes = statistics.constant_bytes,
                   .code_bytes = statistics.code_bytes};
  m.peak_bytes = m.argument_bytes + m.output_bytes + m.temporary_bytes;
  return m;
}

StatusOr<std::string> Executable::serialize() const {
  return unimplemented("serialize '" + name() + "': executables of platform " + std::string(client().platform_name()) +
                       " can't be saved in this version");
}

const DevicePtr& Executable::device_of(const DeviceRun& run, const ExecuteOptions& options) const {
  if (options.device != nullptr) return *options.device;
  const bool placed = !run.arguments.empty() && run.arguments[0] != nullptr;
  return placed ? run.arguments[0]->device() : devices_[0];
}

Status Executable::check(const DeviceRun& run, const DevicePtr& device) const {
  const std::span<const BufferPtr> arguments = run.arguments;
  const std::span<const Shape> wanted = signature_.argument_shapes;
  if (arguments.size() != wanted.size()) {
    return invalid_argument("got " + std::to_string(arguments.size()) + " arguments, compiled for " +
                            std::to_string(wanted.size()));
  }
  if (run.results.size() != signature_.result_shapes.size()) {
    return invalid_argument("room for " + std::to_string(run.results.size()) + " results, the program has " +
                            std::to_string(signature_.result_shapes.size()));
  }
  if (&device->client() != &client()) {
    return invalid_argument("the program runs on " + device->to_string() + ", which is another client's");
  }
  const auto named = [&](size_t i) { return argument_text(i, signature_.argument_names); };
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == nullptr) return invalid_argument(named(i) + " is null");
    if (arguments[i]->shape() != wanted[i])
      return invalid_argument(named(i) + " is " + difference(arguments[i]->shape(), wanted[i]));
    if (arguments[i]->device() != device) {
      return invalid_argument(named(i) + " is a buffer of " + arguments[i]->device()->to_string() +
                              ", the program runs on " + device->to_string());
    }
  }
  return ok_status();
}

StatusOr<Event> Executable::launch(std::span<const DeviceRun> runs, const ExecuteOptions& options) try {
  const auto where = [&] { return "Execute '" + name() + "'"; };
  const bool alone = runs.size() == 1 && !signature_.meets_others;
  if (!alone && runs.size() != devices_.size()) {
    return invalid_argument(where() + ": compiled for " + std::to_string(devices_.size()) +
                            " replicas with collectives; got " + std::to_string(runs.size()) +
                            ". Hint: run all replicas together");
  }
  const std::span<const DevicePtr> devices = alone ? std::span(&device_of(runs[0], options), 1) : std::span(devices_);
  for (size_t k = 0; k < runs.size(); ++k) {
    if (const Status status = check(runs[k], devices[k]); !status.ok()) return status.with_context(where());
  }
  ArgumentHolds holds(runs, options.donated);
  if (const Status status = holds.take(signature_.argument_names); !status.ok()) return status.with_context(where());
  return start(runs, devices, options, holds);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

Status Executable::execute(std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                           const ExecuteOptions& options) {
  const DeviceRun run{arguments, results};
  HILO_ASSIGN_OR_RETURN(const Event event, launch({&run, 1}, options));
  return event.await();
}

StatusOr<const hlo::Module*> optimized_module_of(const Executable& executable) {
  const hlo::Module* const module = executable.optimized_module();
  if (module != nullptr) return module;
  return unimplemented("'" + executable.name() + "': platform " + std::string(executable.client().platform_name()) +
                       " doesn't provide its optimized program");
}

StatusOr<std::vector<std::vector<BufferPtr>>> execute_replicas(Executable& executable,
                                                               std::span<const std::vector<BufferPtr>> arguments,
                                                               const ExecuteOptions& options) try {
  if (arguments.size() != executable.devices().size()) {
    return invalid_argument("Execute '" + executable.name() + "': arguments of " + std::to_string(arguments.size()) +
                            " replicas, compiled for " + std::to_string(executable.devices().size()));
  }
  std::vector<std::vector<BufferPtr>> results(arguments.size());
  std::vector<DeviceRun> runs;
  for (size_t k = 0; k < arguments.size(); ++k) {
    results[k].resize(executable.result_shapes().size());
    runs.push_back({arguments[k], results[k]});
  }
  HILO_ASSIGN_OR_RETURN(const Event event, executable.launch(runs, options));
  HILO_RETURN_IF_ERROR(event.await());
  return results;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo
