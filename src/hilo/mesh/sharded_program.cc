// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/sharded_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "hilo/base/memoize.h"
#include "hilo/client/compile.h"
#include "hilo/client/xla_bridge.h"
#include "hilo/hlo/partition/partition.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/sharding/over_mesh.h"
#include "hilo/mesh/sharded_array.h"
#include "hilo/mesh/sharding_constraint.h"
#include "hilo/mesh/shards.h"

namespace hilo {

static int64_t held_bytes(const MeshProgramPtr& program) { return held_bytes(program->executable); }

namespace {

using Shardings = std::vector<std::optional<NamedSharding>>;

/// Messages name the caller's line.
constexpr std::source_location kNoLine = {};

// ---- shardings as hlo/sharding represents them
// -----------------------------------------------------------------------

/// Returns the mesh for programs: place i is replica i, whichever device runs it. If processes share the mesh, device i
/// runs replica i, so that collectives match.
hlo::Mesh hlo_mesh(const Mesh& mesh) {
  hlo::Mesh created;
  for (const auto& [name, size] : mesh.shape()) or_throw(created.add_axis(name, size));
  if (mesh.is_local()) return created;
  std::vector<int64_t> ids;
  for (const DevicePtr& device : mesh.devices()) ids.push_back(device->id());
  or_throw(created.set_device_ids(std::move(ids)));
  return created;
}

hlo::Sharding hlo_sharding(const NamedSharding& sharding, int64_t rank) {
  hlo::Sharding created;
  created.mesh = hlo_mesh(sharding.mesh());
  for (int64_t d = 0; d < rank; ++d) {
    const SpecEntry& entry = sharding.spec().entry(d);
    hlo::DimensionSharding& dimension = created.dimensions.emplace_back();
    for (const std::string& axis : entry.axes()) dimension.axes.push_back({axis});
    dimension.open = entry.is_unconstrained();
  }
  return created;
}

NamedSharding named_sharding(const hlo::Sharding& sharding, const Mesh& mesh) {
  std::vector<SpecEntry> entries;
  for (const hlo::DimensionSharding& dimension : sharding.dimensions) {
    std::vector<std::string> axes;
    for (const hlo::AxisReference& axis : dimension.axes) axes.push_back(axis.name);
    entries.emplace_back(SpecEntry(std::move(axes)));
  }
  return {mesh, PartitionSpec(std::move(entries))};
}

/// Returns the sharding in terms of the mesh's axes; nullopt if they can't express it, or it has other devices.
std::optional<hlo::Sharding> sharding_in_axes_of(const NamedSharding& sharding, int64_t rank, const Mesh& mesh) {
  if (sharding.mesh().devices() != mesh.devices()) return std::nullopt;
  return or_throw(hlo::over_mesh(hlo_sharding(sharding, rank), hlo_mesh(mesh)));
}

/// Returns the sharding over the mesh. A part of an axis has no name, so it is left to propagation.
std::optional<NamedSharding> over(const NamedSharding& sharding, int64_t rank, const Mesh& mesh) {
  if (sharding.mesh() == mesh) return sharding;
  const std::optional<hlo::Sharding> specified = sharding_in_axes_of(sharding, rank, mesh);
  if (!specified) return std::nullopt;
  for (const hlo::DimensionSharding& dimension : specified->dimensions) {
    for (const hlo::AxisReference& axis : dimension.axes) {
      if (axis.size != 0) return std::nullopt;
    }
  }
  return named_sharding(*specified, mesh);
}

// ---- devices --------------------------------------------------------------------------------------------------------

std::string devices_text(const std::vector<DevicePtr>& devices) {
  std::string ids;
  for (const DevicePtr& device : devices) ids += (ids.empty() ? "" : ", ") + std::to_string(device->id());
  return fmt::format("device ids [{}] on platform {}", ids, devices[0]->platform_name());
}

bool same_devices(const Mesh& a, const Mesh& b) {
  if (a.devices() == b.devices()) return true;
  return std::set(a.devices().begin(), a.devices().end()) == std::set(b.devices().begin(), b.devices().end());
}

/// Checks the devices of a sharding that the program specifies.
void check_devices(const NamedSharding& sharding, const Mesh& mesh) {
  if (same_devices(sharding.mesh(), mesh)) return;
  or_throw(invalid_argument(
      at_user_line("computation") +
      fmt::format(
          ": Received incompatible devices for jitted computation. Got {} with {}, and another sharding with {}",
          sharding.to_string(), devices_text(sharding.mesh().devices()), devices_text(mesh.devices()))));
}

// ---- constraints of the program
// --------------------------------------------------------------------------------------

/// A program in which copies represent the sharding constraints, and the constraints by the copies' keys.
struct ConstrainedProgram {
  hlo::Module module;
  std::map<std::string, NamedSharding> shardings;
};

hlo::AnnotationsPtr stating(const hlo::AnnotationsPtr& before, std::string text) {
  auto created = before == nullptr ? std::make_shared<hlo::Annotations>() : std::make_shared<hlo::Annotations>(*before);
  created->frontend_attributes = std::move(text);
  return created;
}

/// Replaces constraints by copies. Memoised by computation instead of fingerprint, because copies with different
/// shardings have the same fingerprint.
hlo::ComputationPtr with_constraints_as_copies(
    const hlo::ComputationPtr& source, const std::unordered_map<const hlo::Computation*, hlo::ComputationPtr>& done,
    std::map<std::string, NamedSharding>& shardings) {
  const auto done_of = [&](const hlo::ComputationPtr& called) { return done.at(called.get()); };
  hlo::Builder builder(source->name());
  std::vector<hlo::InstructionId> mapped(source->size());
  bool changed = false;
  for (const hlo::InstructionId id : source->parameters()) {
    const hlo::Instruction& parameter = source->instruction(id);
    mapped[id] = builder.parameter(parameter.shape, parameter.name);
  }
  for (const hlo::Instruction& i : source->instructions()) {
    if (i.opcode == hlo::Opcode::kParameter) continue;
    if (const auto sharding = constraint_in(i)) {
      shardings.emplace(sharding->key(), *sharding);
      builder.set_annotations(stating(i.annotations, sharding->key()));
      mapped[i.id] = or_throw(builder.add(hlo::Opcode::kCopy, {mapped[i.operands[0]]}));
      changed = true;
      continue;
    }
    const hlo::AttributesPtr attributes = hlo::map_called_computations(i, done_of);
    changed |= attributes != i.attributes;
    mapped[i.id] = or_throw(builder.copy(i, mapped, attributes));
  }
  return changed ? or_throw(std::move(builder).build(mapped[source->root_id()])) : source;
}

ConstrainedProgram constrained_program(hlo::Module module) {
  ConstrainedProgram program{std::move(module), {}};
  std::unordered_map<const hlo::Computation*, hlo::ComputationPtr> done;
  for (const hlo::ComputationPtr& c : hlo::computations_of(program.module))
    done.emplace(c.get(), with_constraints_as_copies(c, done, program.shardings));
  program.module.entry = done.at(program.module.entry.get());
  return program;
}

// ---- compiled programs ----------------------------------------------------------------------------------------------

/// Whether the mesh is the default of a client: this process's first devices in order, or those of all processes.
bool is_default_mesh(const Mesh& mesh) {
  if (!mesh.is_local()) return true;
  const std::vector<DevicePtr> local = mesh.devices()[0]->client().local_devices();
  return std::ranges::equal(mesh.devices(), std::span(local).first(mesh.devices().size()));
}

/// Returns, for each run of the executable, the index of its device among the mesh's devices of this process.
std::vector<size_t> places_of_runs(const Executable& executable, const Mesh& mesh) {
  std::vector<size_t> places;
  for (const DevicePtr& device : executable.devices()) {
    size_t place = 0;
    for (const int64_t local : mesh.local_places()) {
      if (mesh.devices()[local] == device) places.push_back(place);
      ++place;
    }
  }
  return places;
}

std::shared_ptr<Executable> compiled_for(const Mesh& mesh, const hlo::Module& module) {
  CompileOptions options = or_throw(get_compile_options()).value_or(CompileOptions());
  options.replica_count = mesh.size();
  if (!is_default_mesh(mesh)) {
    std::vector<int> ids;
    for (const DevicePtr& device : mesh.devices()) ids.push_back(device->id());
    options.device_assignment = or_throw(DeviceAssignment::make(mesh.size(), 1, std::move(ids)));
  }
  return or_throw(compile_for_client(mesh.devices()[0]->client(), module, options));
}

hlo::PropagationRequest request_for(const ConstrainedProgram& program, const Mesh& mesh, const Shardings& in,
                                    const Shardings& out) {
  hlo::PropagationRequest request;
  request.mesh = hlo_mesh(mesh);
  const hlo::Computation& entry = *program.module.entry;
  const std::vector<Shape> parameters = entry.parameter_shapes(), results = entry.result_shape().leaves();
  const auto state = [&](const Shardings& specified, const std::vector<Shape>& shapes,
                         std::vector<std::optional<hlo::Sharding>>& stated, std::vector<bool>& free) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      stated.emplace_back();
      if (i < specified.size() && specified[i])
        stated.back() = sharding_in_axes_of(*specified[i], shapes[i].rank(), mesh);
      free.push_back(!stated.back());
    }
  };
  state(in, parameters, request.parameters, request.free_parameters);
  state(out, results, request.results, request.free_results);
  request.stated = [&program, mesh](const hlo::Instruction& i) -> StatusOr<std::vector<hlo::Sharding>> {
    const auto found = program.shardings.find(i.annotations->frontend_attributes);
    if (found == program.shardings.end()) return std::vector<hlo::Sharding>();
    const std::optional<hlo::Sharding> specified = sharding_in_axes_of(found->second, i.shape.rank(), mesh);
    return specified ? std::vector<hlo::Sharding>{*specified} : std::vector<hlo::Sharding>();
  };
  return request;
}

MeshProgramPtr make_program(const ShardedCall& call, const Mesh& mesh, const Shardings& in, hlo::Module module) {
  refuse_unreachable("computation", mesh);
  or_throw(hlo::dce(module));  // unused collectives are removed
  const ConstrainedProgram program = constrained_program(std::move(module));
  for (const auto& [key, sharding] : program.shardings) check_devices(sharding, mesh);
  const hlo::PropagationRequest request = request_for(program, mesh, in, call.out);
  const StatusOr<hlo::PartitionedProgram> partitioned = hlo::partition(program.module, request);
  if (!partitioned.ok()) or_throw(partitioned.status().with_context(at_user_line("partition")));
  MeshProgram created;
  for (const hlo::Sharding& sharding : partitioned->parameters)
    created.parameters.push_back(named_sharding(sharding, mesh));
  for (const hlo::Sharding& sharding : partitioned->results) created.results.push_back(named_sharding(sharding, mesh));
  created.result_shapes = program.module.entry->result_shape().leaves();
  created.executable = compiled_for(mesh, partitioned->module);
  created.places = places_of_runs(*created.executable, mesh);
  return std::make_shared<const MeshProgram>(std::move(created));
}

/// Returns the program's key: its meaning, the mesh, and the shardings of its arrays.
std::string key_of(const ShardedCall& call, const Mesh& mesh, const Shardings& in) {
  std::string key = fmt::format("{:x}{:x} {} {}", call.meaning.high, call.meaning.low, client_generation(), mesh.key());
  for (const Shardings* list : {&in, &call.out}) {
    key += " /";
    for (const auto& sharding : *list) key += " " + (sharding ? sharding->key() : std::string("-"));
  }
  return key;
}

MeshProgramPtr program_of(const ShardedCall& call, const Mesh& mesh, const Shardings& in,
                          FunctionRef<hlo::Module()> module) {
  static auto* const programs = new MemoTable<std::string, MeshProgramPtr, std::hash<std::string>>;
  const std::string key = key_of(call, mesh, in);
  if (const auto known = programs->find(key)) return *known;
  return programs->insert(key, make_program(call, mesh, in, module()));
}

// ---- arguments ------------------------------------------------------------------------------------------------------

const BufferArray* committed_elsewhere(const Array& array, const Mesh& mesh) {
  const BufferArray* const placed = on_a_device(array);
  if (placed == nullptr || !placed->committed) return nullptr;
  const DevicePtr& device = placed->buffer->device();
  if (mesh.size() == 1 && device == mesh.devices()[0]) return nullptr;
  const Client& home = mesh.devices()[0]->client();
  const bool forgotten = &device->client() != &home && device->platform_name() == home.platform_name();
  return forgotten ? nullptr : placed;
}

[[noreturn]] void refuse_devices(size_t number, const Array& array, const std::vector<DevicePtr>& its,
                                 const std::string& other, const std::vector<DevicePtr>& expected) {
  or_throw(invalid_argument(at_user_line("computation") +
                            fmt::format(": Received incompatible devices for jitted computation. Got argument {} with "
                                        "shape {} and {}, and {} with {}. Hint: device_put() one of them",
                                        number, array.aval_shape().to_string(), devices_text(its), other,
                                        devices_text(expected))));
  __builtin_unreachable();
}

/// Describes the origin of the mesh, for messages.
std::string mesh_origin(std::span<const Array> arguments, const Mesh& mesh) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const NamedSharding* const sharding = sharding_of(arguments[i]);
    if (sharding != nullptr && sharding->mesh() == mesh)
      return fmt::format("argument {} with shape {}", i, arguments[i].aval_shape().to_string());
  }
  return "the program's sharding";
}

void check_devices(const ShardedCall& call, const Mesh& mesh) {
  for (const Shardings* list : {&call.in, &call.out}) {
    for (const auto& sharding : *list) {
      if (sharding) check_devices(*sharding, mesh);
    }
  }
}

/// Returns the sharding of each argument: the specified one, else that of the array.
Shardings argument_shardings(const ShardedCall& call, const Mesh& mesh, std::span<const Array> arguments) {
  check_devices(call, mesh);
  Shardings known(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Array& array = arguments[i];
    const NamedSharding* const sharding = sharding_of(array);
    if (i < call.in.size() && call.in[i]) known[i] = call.in[i];
    if (sharding != nullptr) {
      if (!same_devices(sharding->mesh(), mesh))
        refuse_devices(i, array, sharding->mesh().devices(), mesh_origin(arguments, mesh), mesh.devices());
      if (!known[i]) known[i] = over(*sharding, array.ndim(), mesh);
      else if (!sharding->is_equivalent_to(*known[i], array.ndim()))
        or_throw(invalid_argument(
            at_user_line("computation") +
            fmt::format(": Sharding passed to jit does not match the sharding on the respective arg. Got arg sharding: "
                        "{}, in_shardings: {} for argument {} with shape {}. Hint: device_put() it",
                        sharding->to_string(), known[i]->to_string(), i, array.aval_shape().to_string())));
    } else if (const BufferArray* const elsewhere = committed_elsewhere(array, mesh)) {
      refuse_devices(i, array, {elsewhere->buffer->device()}, mesh_origin(arguments, mesh), mesh.devices());
    }
  }
  return known;
}

/// Marks donated arrays as deleted, even if the program used copies.
void mark_donated(const ShardedCall& call, std::span<const Array> arguments,
                  std::span<const std::vector<BufferPtr>> given) {
  for (size_t i = 0; i < call.donated.size(); ++i) {
    if (!call.donated[i]) continue;
    for (const BufferPtr& buffer : arguments[i].impl().buffers()) {
      if (std::ranges::any_of(given, [&](const auto& list) { return list[i] == buffer; })) continue;
      if (buffer->state() == BufferState::kLive) or_throw(buffer->remove());
    }
  }
}

/// Returns one list per device of this process, in the mesh's order: the buffer of each argument, placed as the program
/// requires.
std::vector<std::vector<BufferPtr>> placed(const MeshProgram& program, std::span<const Array> arguments) {
  std::vector<std::vector<BufferPtr>> lists(program.places.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Array there = device_put(arguments[i], program.parameters[i], kNoLine);
    const std::span<const BufferPtr> buffers = there.impl().buffers();
    for (size_t place = 0; place < lists.size(); ++place) lists[place].push_back(buffers[place]);
  }
  return lists;
}

/// Runs the program on all devices; returns one list of results per device of this process.
std::vector<std::vector<BufferPtr>> launched(const MeshProgram& program, const ShardedCall& call,
                                             std::span<const std::vector<BufferPtr>> arguments) {
  std::vector<std::vector<BufferPtr>> created(arguments.size(), std::vector<BufferPtr>(program.results.size()));
  std::vector<DeviceRun> runs;
  for (const size_t place : program.places) runs.push_back({arguments[place], created[place]});
  const std::unique_ptr<bool[]> donated(new bool[call.donated.size()]());
  std::ranges::copy(call.donated, donated.get());
  ExecuteOptions options;
  options.donated = {donated.get(), call.donated.size()};
  options.asynchronous = program.executable->client().options().asynchronous;
  const StatusOr<Event> event = program.executable->launch(runs, options);
  Status status = event.status();
  if (status.ok() && !options.asynchronous) status = event->await();
  if (!status.ok()) or_throw(status.with_context(at_user_line("computation")));
  return created;
}

std::vector<Array> run(const MeshProgram& program, const ShardedCall& call, std::span<const Array> arguments) {
  const std::vector<std::vector<BufferPtr>> given = placed(program, arguments);
  std::vector<std::vector<BufferPtr>> created = launched(program, call, given);
  mark_donated(call, arguments, given);
  std::vector<Array> results;
  for (size_t k = 0; k < program.results.size(); ++k) {
    std::vector<BufferPtr> buffers;
    for (std::vector<BufferPtr>& of_device : created) buffers.push_back(std::move(of_device[k]));
    const Array whole = array_from_shards(program.result_shapes[k], program.results[k], std::move(buffers));
    results.push_back(k < call.out.size() && call.out[k] ? device_put(whole, *call.out[k], kNoLine) : whole);
  }
  return results;
}

}  // namespace

std::optional<Mesh> mesh_of_call(const ShardedCall& call, std::span<const Array> arguments) {
  for (const Shardings* list : {&call.in, &call.out}) {
    for (const auto& sharding : *list) {
      if (sharding) return sharding->mesh();
    }
  }
  if (call.mesh) return call.mesh;
  for (const Array& array : arguments) {
    if (const NamedSharding* const sharding = sharding_of(array)) return sharding->mesh();
  }
  return std::nullopt;
}

bool can_express(const Mesh& mesh, const NamedSharding& sharding, int64_t rank) {
  return sharding_in_axes_of(sharding, rank, mesh).has_value();
}

MeshProgramPtr program_on_mesh(const ShardedCall& call, const Mesh& mesh, FunctionRef<hlo::Module()> module) {
  check_devices(call, mesh);
  return program_of(call, mesh, call.in, module);
}

std::vector<Array> run_program(const MeshProgram& program, const ShardedCall& call, const Mesh& mesh,
                               std::span<const Array> arguments) {
  static_cast<void>(argument_shardings(call, mesh, arguments));  // for its errors
  return run(program, call, arguments);
}

std::vector<Array> run_on_mesh(const ShardedCall& call, const Mesh& mesh, std::span<const Array> arguments,
                               FunctionRef<hlo::Module()> module) {
  return run(*program_of(call, mesh, argument_shardings(call, mesh, arguments), module), call, arguments);
}

}  // namespace hilo
