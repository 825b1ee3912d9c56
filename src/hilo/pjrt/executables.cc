// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "hilo/hlo/proto/header.h"
#include "hilo/hlo/proto/wire.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/clients.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/program.h"

namespace hilo::pjrt {
namespace {

StatusOr<ProgramPtr> compiled(const ClientStatePtr& client, const PJRT_Program* code, const char* options,
                              size_t options_size) {
  HILO_RETURN_IF_ERROR(check_not_null(code, "program"));
  HILO_RETURN_IF_ERROR(check_not_null(code->code, "program->code"));
  HILO_RETURN_IF_ERROR(check_not_null(code->format, "program->format"));
  if (options_size != 0) HILO_RETURN_IF_ERROR(check_not_null(options, "compile_options"));
  return compile_program(client, {code->code, code->code_size}, {code->format, code->format_size},
                         {options, options_size});
}

Status wanted_loaded(const PJRT_LoadedExecutable* executable) {
  HILO_RETURN_IF_ERROR(check_not_null(executable, "executable"));
  if (!executable->deleted) return ok_status();
  return invalid_argument(fmt::format("executable '{}' has been deleted", executable->program->executable->name()));
}

}  // namespace

Status answer(PJRT_Client_Compile_Args& args) {
  HILO_PJRT_WANTED(args, client);
  HILO_ASSIGN_OR_RETURN(ProgramPtr program,
                        compiled(args.client->state, args.program, args.compile_options, args.compile_options_size));
  args.executable = Handles<PJRT_LoadedExecutable>::make(std::move(program));
  return ok_status();
}

/// Compiles for a client with as many devices as the topology.
Status answer(PJRT_Compile_Args& args) {
  HILO_PJRT_WANTED(args, topology);
  ClientStatePtr state = args.client == nullptr ? nullptr : args.client->state;
  if (state == nullptr) {
    HILO_ASSIGN_OR_RETURN(state, make_client_state({.platform_name = args.topology->platform_name,
                                                    .device_count = std::ssize(args.topology->descriptions)}));
  }
  HILO_ASSIGN_OR_RETURN(ProgramPtr program,
                        compiled(state, args.program, args.compile_options, args.compile_options_size));
  args.executable = Handles<PJRT_Executable>::make(std::move(program));
  return ok_status();
}

Status answer(PJRT_Client_Load_Args& args) {
  HILO_PJRT_WANTED(args, client);
  HILO_PJRT_WANTED(args, executable);
  const Program& from = *args.executable->program;
  const std::string_view options = args.compile_options_size == 0
                                       ? std::string_view(from.options)
                                       : std::string_view(args.compile_options, args.compile_options_size);
  HILO_ASSIGN_OR_RETURN(ProgramPtr program, compile_program(args.client->state, from.code, from.format, options));
  args.loaded_executable = Handles<PJRT_LoadedExecutable>::make(std::move(program));
  return ok_status();
}

Status answer(PJRT_Executable_DeserializeAndLoad_Args& args) {
  HILO_PJRT_WANTED(args, client);
  HILO_PJRT_WANTED(args, serialized_executable);
  const std::string_view bytes(args.serialized_executable, args.serialized_executable_size);
  std::string_view options;
  if (args.overridden_serialized_compile_options != nullptr)
    options = {args.overridden_serialized_compile_options, args.overridden_serialized_compile_options_size};
  HILO_ASSIGN_OR_RETURN(ProgramPtr program, load_program(args.client->state, bytes, options));
  args.loaded_executable = Handles<PJRT_LoadedExecutable>::make(std::move(program));
  return ok_status();
}

Status answer(PJRT_Executable_Destroy_Args& args) { return Handles<PJRT_Executable>::destroy(args.executable); }

Status answer(PJRT_LoadedExecutable_Destroy_Args& args) {
  return Handles<PJRT_LoadedExecutable>::destroy(args.executable);
}

Status answer(PJRT_LoadedExecutable_Delete_Args& args) {
  HILO_PJRT_WANTED(args, executable);
  args.executable->deleted = true;
  return ok_status();
}

HILO_PJRT_GETTER(PJRT_LoadedExecutable_IsDeleted, executable, args.is_deleted = args.executable->deleted)
HILO_PJRT_GETTER(PJRT_LoadedExecutable_GetExecutable, loaded_executable,
                 args.executable = Handles<PJRT_Executable>::make(args.loaded_executable->program))
HILO_PJRT_GETTER(PJRT_LoadedExecutable_AddressableDevices, executable,
                 args.addressable_devices = args.executable->program->devices.data(),
                 args.num_addressable_devices = args.executable->program->devices.size())
HILO_PJRT_GETTER(PJRT_LoadedExecutable_AddressableDeviceLogicalIds, executable,
                 args.addressable_device_logical_ids = args.executable->program->logical_ids.data(),
                 args.num_addressable_device_logical_ids = args.executable->program->logical_ids.size())
HILO_PJRT_GETTER(PJRT_LoadedExecutable_GetDeviceAssignment, executable,
                 pass_bytes(args.executable->program->device_assignment, args.serialized_bytes,
                            args.serialized_bytes_size, args.serialized_device_assignment,
                            args.serialized_device_assignment_deleter))

Status answer(PJRT_LoadedExecutable_Execute_Args& args) {
  HILO_RETURN_IF_ERROR(wanted_loaded(args.executable));
  return run_program(*args.executable->program, args);
}

HILO_PJRT_GETTER(PJRT_LoadedExecutable_Fingerprint, executable,
                 args.executable_fingerprint = args.executable->program->fingerprint.data(),
                 args.executable_fingerprint_size = args.executable->program->fingerprint.size())
HILO_PJRT_GETTER(PJRT_Executable_Fingerprint, executable,
                 args.executable_fingerprint = args.executable->program->fingerprint.data(),
                 args.executable_fingerprint_size = args.executable->program->fingerprint.size())

Status answer(PJRT_Executable_Name_Args& args) {
  HILO_PJRT_WANTED(args, executable);
  const std::string& name = args.executable->program->executable->name();
  args.executable_name = name.data();
  args.executable_name_size = name.size();
  return ok_status();
}

HILO_PJRT_GETTER(PJRT_Executable_NumReplicas, executable,
                 args.num_replicas = static_cast<size_t>(args.executable->program->request.replicas))
HILO_PJRT_GETTER(PJRT_Executable_NumPartitions, executable,
                 args.num_partitions = static_cast<size_t>(args.executable->program->request.partitions))
HILO_PJRT_GETTER(PJRT_Executable_NumOutputs, executable, args.num_outputs = args.executable->program->results.size())
HILO_PJRT_GETTER(PJRT_Executable_SizeOfGeneratedCodeInBytes, executable,
                 args.size_in_bytes = args.executable->program->executable->statistics().code_bytes)
HILO_PJRT_GETTER(PJRT_Executable_GetCostAnalysis, executable,
                 args.properties = args.executable->program->properties.data(),
                 args.num_properties = args.executable->program->properties.size())
HILO_PJRT_GETTER(PJRT_Executable_OutputMemoryKinds, executable,
                 args.num_outputs = args.executable->program->result_lists.kinds.size(),
                 args.memory_kinds = args.executable->program->result_lists.kinds.data(),
                 args.memory_kind_sizes = args.executable->program->result_lists.kind_sizes.data())
HILO_PJRT_GETTER(PJRT_Executable_ParameterMemoryKinds, executable,
                 args.num_parameters = args.executable->program->argument_lists.kinds.size(),
                 args.memory_kinds = args.executable->program->argument_lists.kinds.data(),
                 args.memory_kind_sizes = args.executable->program->argument_lists.kind_sizes.data())
HILO_PJRT_GETTER(PJRT_Executable_OutputElementTypes, executable,
                 args.output_types = args.executable->program->result_lists.types.data(),
                 args.num_output_types = args.executable->program->result_lists.types.size())
HILO_PJRT_GETTER(PJRT_Executable_OutputDimensions, executable,
                 args.num_outputs = args.executable->program->result_lists.ranks.size(),
                 args.dims = args.executable->program->result_lists.dimensions.data(),
                 args.dim_sizes = args.executable->program->result_lists.ranks.data())

namespace {

/// Returns the memories of values if one of them is a host's.
std::vector<int64_t> memories(const std::vector<ProgramValue>& values) {
  constexpr int64_t kHost = 5;
  std::vector<int64_t> numbers;
  for (const ProgramValue& value : values) numbers.push_back(value.memory_kind == 0 ? 0 : kHost);
  if (std::ranges::find(numbers, kHost) == numbers.end()) numbers.clear();
  return numbers;
}

/// Returns an HloModuleProtoWithConfig. The configuration contains the fields that readers show: the entry's layout and
/// the numbers of devices.
StatusOr<std::string> module_with_config(const hlo::Module& module, const Program& program) {
  constexpr uint32_t kModule = 1, kConfig = 2;
  constexpr uint32_t kEntryLayout = 1, kReplicaCount = 4, kPartitionCount = 5;  // HloModuleConfigProto
  HILO_ASSIGN_OR_RETURN(const std::string proto, hlo::to_proto(module));
  hlo::proto::WireWriter config, out;
  config.message(kEntryLayout,
                 hlo::proto::write_entry_shape(module, {memories(program.arguments), memories(program.results)}));
  config.integer(kReplicaCount, program.request.replicas);
  config.integer(kPartitionCount, program.request.partitions);
  out.bytes(kModule, proto);
  out.message(kConfig, config);
  return std::move(out).take();
}

}  // namespace

/// If the program's memory is null, returns the required size.
Status answer(PJRT_Executable_OptimizedProgram_Args& args) {
  HILO_PJRT_WANTED(args, executable);
  HILO_PJRT_WANTED(args, program);
  static constexpr std::string_view kFormat = "hlo_with_config";
  HILO_ASSIGN_OR_RETURN(const hlo::Module* const module, optimized_module_of(*args.executable->program->executable));
  HILO_ASSIGN_OR_RETURN(const std::string bytes, module_with_config(*module, *args.executable->program));
  args.program->format = kFormat.data();
  args.program->format_size = kFormat.size();
  if (args.program->code != nullptr) {
    if (args.program->code_size < bytes.size())
      return invalid_argument(fmt::format("PJRT_Executable_OptimizedProgram: room for {} bytes; wanted {}",
                                          args.program->code_size, bytes.size()));
    std::memcpy(args.program->code, bytes.data(), bytes.size());
  }
  args.program->code_size = bytes.size();
  return ok_status();
}

Status answer(PJRT_Executable_Serialize_Args& args) {
  HILO_PJRT_WANTED(args, executable);
  HILO_ASSIGN_OR_RETURN(std::string saved, save_program(*args.executable->program));
  pass_bytes(std::move(saved), args.serialized_bytes, args.serialized_bytes_size, args.serialized_executable,
             args.serialized_executable_deleter);
  return ok_status();
}

HILO_PJRT_GETTER(PJRT_Executable_GetCompileOptions, executable,
                 pass_bytes(args.executable->program->options, args.serialized_bytes, args.serialized_bytes_size,
                            args.serialized_compile_options, args.serialized_compile_options_deleter))

Status answer(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  HILO_PJRT_WANTED(args, executable);
  const MemoryAnalysis memory = args.executable->program->executable->memory_analysis();
  args.generated_code_size_in_bytes = memory.code_bytes;
  args.argument_size_in_bytes = memory.argument_bytes;
  args.output_size_in_bytes = memory.output_bytes;
  args.alias_size_in_bytes = memory.alias_bytes;
  args.temp_size_in_bytes = memory.temporary_bytes;
  args.host_generated_code_size_in_bytes = args.host_argument_size_in_bytes = args.host_output_size_in_bytes = 0;
  args.host_alias_size_in_bytes = args.host_temp_size_in_bytes = 0;
  args.peak_memory_in_bytes = memory.peak_bytes;
  args.total_size_in_bytes = memory.peak_bytes + memory.constant_bytes + memory.code_bytes;
  args.total_allocation_bytes = memory.temporary_bytes + memory.output_bytes;
  args.indefinite_allocations = memory.constant_bytes;
  args.peak_unpadded_heap_bytes = memory.peak_bytes;
  return ok_status();
}

Status answer(PJRT_ExecuteContext_Create_Args& args) {
  args.context = Handles<PJRT_ExecuteContext>::make();
  return ok_status();
}

Status answer(PJRT_ExecuteContext_Destroy_Args& args) { return Handles<PJRT_ExecuteContext>::destroy(args.context); }

}  // namespace hilo::pjrt
