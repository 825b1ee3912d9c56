// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/program.h"

#include <fmt/format.h>

#include "hilo/backend/run_collective.h"
#include "hilo/base/text_hash.h"
#include "hilo/client/compile.h"
#include "hilo/client/cost_analysis.h"
#include "hilo/client/xla_bridge.h"
#include "hilo/hlo/ir/entry_shapes.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/wire.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/pjrt/custom_partitions.h"
#include "hilo/pjrt/dumps.h"
#include "hilo/pjrt/layout_choice.h"
#include "hilo/pjrt/module_facts.h"
#include "hilo/pjrt/named_values.h"
#include "hilo/pjrt/partition_program.h"
#include "hilo/pjrt/shapes.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::pjrt {
namespace {

constexpr std::string_view kSource = "program";  // name in messages

std::vector<ProgramValue> whole_values(std::span<const Shape> shapes) {
  std::vector<ProgramValue> values;
  for (const Shape& shape : shapes) values.push_back({.placement = replicated(shape)});
  return values;
}

/// Returns the number of replicas of the run: the module's, or else the requested one if its replicas differ.
int64_t participants_of(const hlo::Module& module, const Program& program) {
  const CompileRequest& request = program.request;
  if (program.partitioned) return request.partitions;
  for (const auto& [name, value] : module.other_attributes) {
    if (name == "replica_count") return std::strtoll(value.c_str(), nullptr, 10);
  }
  return request.partitions == 1 && depends_on_replicas(module) ? request.replicas : 1;
}

bool has_custom_calls(const hlo::Module& module) {
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    for (const hlo::Instruction& instruction : computation->instructions()) {
      if (instruction.opcode == hlo::Opcode::kCustomCall) return true;
    }
  }
  return false;
}

void set_values(const hlo::Module& module, Program& program) {
  const ProgramSignature signature = signature_of(module);
  program.arguments = whole_values(signature.argument_shapes);
  program.results = whole_values(signature.result_shapes);
}

/// Returns the module with the program's layouts of arguments and results.
StatusOr<hlo::Module> with_stated_layouts(hlo::Module module, const Program& program) {
  std::vector<Shape> parameters, results;
  bool plain = true;
  const auto add = [&](const ProgramValue& value, std::vector<Shape>& to) {
    const Shape& shape = program.partitioned ? value.placement.part : value.placement.whole;
    plain &= shape.has_default_layout() || !shape.is_array();
    to.push_back(shape);
  };
  for (const ProgramValue& value : program.arguments) add(value, parameters);
  for (const ProgramValue& value : program.results) add(value, results);
  if (plain) return module;
  const Shape result = module.entry->result_shape().is_tuple() ? Shape::tuple(results) : results[0];
  return with_entry_shapes(std::move(module), parameters, result);
}

StatusOr<hlo::Module> read_mlir(std::string_view code, Program& program) {
  HILO_ASSIGN_OR_RETURN(const stablehlo::ModuleTree tree, stablehlo::read_tree(code, kSource));
  HILO_ASSIGN_OR_RETURN(hlo::Module module, stablehlo::translate(tree, options_for_partitions(tree, program)));
  set_values(module, program);
  HILO_RETURN_IF_ERROR(read_facts(tree, program.request.partitions, program.arguments, program.results));
  HILO_ASSIGN_OR_RETURN(module, with_custom_partitions(tree, std::move(module), program));
  HILO_ASSIGN_OR_RETURN(std::optional<hlo::Module> of_device, partition_program(tree, module, program));
  choose_layouts(module, program.arguments, program.results);
  settle_donors(program.arguments, program.results);
  program.partitioned = of_device.has_value();
  if (program.partitioned) module = *std::move(of_device);
  return with_stated_layouts(std::move(module), program);
}

StatusOr<hlo::Module> read_hlo(std::string_view code, Program& program) {
  StatusOr<hlo::Module> module = hlo::is_proto(code) ? hlo::from_proto(code) : hlo::parse_module(code);
  if (!module.ok()) return module;
  set_values(*module, program);
  for (const hlo::Alias& alias : module->aliases) {
    const size_t parameter = alias.parameter_number;
    if (alias.parameter_index.empty() && parameter < program.arguments.size())
      program.arguments[parameter].donated = true;
  }
  return module;
}

StatusOr<hlo::Module> read_code(std::string_view code, std::string_view format, Program& program) {
  const bool is_binary = format == "mlir" ? code.starts_with("ML\xefR") : hlo::is_proto(code);
  while (!is_binary && code.ends_with('\0')) code.remove_suffix(1);  // end of a C string
  if (format == "mlir") return read_mlir(code, program);
  if (format == "hlo") return read_hlo(code, program);
  return invalid_argument(fmt::format("program format: got '{}'; wanted mlir or hlo", format));
}

/// Sets the devices if the options don't specify them.
Status set_devices(Program& program) {
  CompileRequest& request = program.request;
  const size_t count = request.count();
  if (request.devices.empty()) {
    if (count > program.client->devices.size())
      return invalid_argument(fmt::format("compile: the program is for {} devices, the client has {}", count,
                                          program.client->devices.size()));
    for (size_t i = 0; i < count; ++i) request.devices.push_back(program.client->devices[i]->description.id);
  }
  for (size_t i = 0; i < count; ++i) {
    PJRT_Device* const device = program.client->find(request.devices[i]);
    if (device == nullptr) return invalid_argument(fmt::format("compile: device {} doesn't exist", request.devices[i]));
    program.devices.push_back(device);
    program.logical_ids.push_back({static_cast<int32_t>(static_cast<int64_t>(i) / request.partitions),
                                   static_cast<int32_t>(static_cast<int64_t>(i) % request.partitions)});
  }
  program.device_assignment = device_assignment_proto(request);
  return ok_status();
}

StatusOr<RunKind> run_kind(const Program& program, int64_t participants) {
  const CompileRequest& request = program.request;
  if (participants == request.count())
    return request.partitions == 1 || program.partitioned ? RunKind::kAsIs : RunKind::kWhole;
  if (participants == 1 && request.replicas == 1) return RunKind::kOnce;
  if (participants == 1 && request.partitions == 1) return RunKind::kAsIs;  // replicas without communication
  return unimplemented(fmt::format("compile: a program of {} participants on {} replicas of {} partitions",
                                   participants, request.replicas, request.partitions));
}

StatusOr<std::shared_ptr<Executable>> compile(const hlo::Module& module, const Program& program, int64_t participants) {
  HILO_ASSIGN_OR_RETURN(const std::optional<CompileOptions> asked, get_compile_options());
  CompileOptions options = asked.value_or(CompileOptions{});
  options.replica_count = participants;
  if (program.request.effort) options.effort.effort = *program.request.effort;
  // A program of one device can run on any device.
  if (participants > 1) {
    HILO_ASSIGN_OR_RETURN(options.device_assignment, DeviceAssignment::make(participants, 1, program.request.devices));
  }
  return compile_for_client(*program.client->client, module, options);
}

void set_lists(const std::vector<ProgramValue>& values, ValueLists& lists) {
  for (const ProgramValue& value : values) {
    const std::string_view kind = kMemoryKinds[value.memory_kind];
    lists.kinds.push_back(kind.data());
    lists.kind_sizes.push_back(kind.size());
    lists.shardings.push_back(value.placement.sharding.data());
    lists.sharding_sizes.push_back(value.placement.sharding.size());
    const Shape& shape = value.placement.part;
    lists.types.push_back(buffer_type(shape.element_type()));
    lists.dimensions.insert(lists.dimensions.end(), shape.dimensions().begin(), shape.dimensions().end());
    lists.ranks.push_back(shape.rank());
    lists.own_layouts.emplace_back(Handles<PJRT_Layouts_MemoryLayout>::make(shape));
    lists.layouts.push_back(lists.own_layouts.back().get());
  }
}

Status set_answers(Program& program) {
  set_lists(program.arguments, program.argument_lists);
  set_lists(program.results, program.result_lists);
  program.fingerprint = fmt::format("{:016x}{:016x}", TextHash()(program.code), TextHash()(program.options));
  if (program.executable->optimized_module() == nullptr) return ok_status();
  HILO_ASSIGN_OR_RETURN(const hlo::Cost cost, cost_analysis(*program.executable));
  program.properties = {named("flops", static_cast<float>(cost.flops)),
                        named("transcendentals", static_cast<float>(cost.transcendentals)),
                        named("bytes accessed", static_cast<float>(cost.bytes))};
  return ok_status();
}

}  // namespace

StatusOr<ProgramPtr> compile_program(const ClientStatePtr& client, std::string_view code, std::string_view format,
                                     std::string_view options, SavedParts saved) {
  auto program = std::make_shared<Program>();
  program->client = client;
  program->code = code;
  program->format = format;
  program->options = options;
  program->partition_answers = std::move(saved.partition_answers);
  HILO_ASSIGN_OR_RETURN(program->request, compile_request(options));
  HILO_RETURN_IF_ERROR(set_devices(*program));
  HILO_ASSIGN_OR_RETURN(const hlo::Module module, read_code(code, format, *program));
  const int64_t participants = participants_of(module, *program);
  HILO_ASSIGN_OR_RETURN(program->run_kind, run_kind(*program, participants));
  program->calls_handlers = has_custom_calls(module);
  if (saved.executable.empty()) {
    HILO_ASSIGN_OR_RETURN(program->executable, compile(module, *program, participants));
  } else {
    HILO_ASSIGN_OR_RETURN(program->executable, client->client->load(saved.executable));
  }
  HILO_RETURN_IF_ERROR(set_answers(*program));
  dump_program(program->request.dump, module, program->executable->optimized_module());
  return program;
}

// ---- Saved programs: HILOPJRT2, then five texts, each after its length. --------------------------------------------

namespace {

constexpr std::string_view kMagic = "HILOPJRT2";

void put(std::string& out, std::string_view text) {
  uint64_t size = text.size();
  for (int i = 0; i < 8; ++i, size >>= 8) out += static_cast<char>(size & 0xff);
  out += text;
}

Status take(std::string_view& in, std::string_view& text) {
  uint64_t size = 0;
  for (size_t i = 0; i < 8 && i < in.size(); ++i) size |= uint64_t{static_cast<uint8_t>(in[i])} << 8 * i;
  if (in.size() < 8 || in.size() - 8 < size)
    return invalid_argument("serialized executable: got bytes that end too early");
  text = in.substr(8, size);
  in.remove_prefix(8 + size);
  return ok_status();
}

}  // namespace

StatusOr<std::string> save_program(const Program& program) {
  std::string out(kMagic);
  std::string saved;
  if (program.executable->replica_count() == 1) {  // other executables are compiled again when they are loaded
    HILO_ASSIGN_OR_RETURN(saved, program.executable->serialize());
  }
  for (const std::string& text :
       {program.code, program.format, program.options, saved, write_answers(program.partition_answers)})
    put(out, text);
  return out;
}

StatusOr<ProgramPtr> load_program(const ClientStatePtr& client, std::string_view bytes, std::string_view new_options) {
  if (!bytes.starts_with(kMagic)) return invalid_argument("serialized executable: got bytes that hilo didn't write");
  bytes.remove_prefix(kMagic.size());
  std::string_view code, format, options, answers;
  SavedParts saved;
  for (std::string_view* text : {&code, &format, &options, &saved.executable, &answers})
    HILO_RETURN_IF_ERROR(take(bytes, *text));
  HILO_ASSIGN_OR_RETURN(saved.partition_answers, read_answers(answers));
  return compile_program(client, code, format, new_options.empty() ? options : new_options, std::move(saved));
}

}  // namespace hilo::pjrt
