// SPDX-License-Identifier: Apache-2.0
// pjrt/program.h -- a compiled program and its properties in the C API.
#pragma once

#include "hilo/pjrt/compile_request.h"
#include "hilo/pjrt/custom_partitioner.h"
#include "hilo/pjrt/objects.h"
#include "hilo/pjrt/placement.h"

namespace hilo::pjrt {

/// An argument or a result.
struct ProgramValue {
  Placement placement;
  int memory_kind = 0;       ///< index in kMemoryKinds
  bool donated = false;      ///< for an argument: whether the run may reuse its memory
  bool donor = false;        ///< for an argument: whether it is donated if a result of its size is left
  bool free_layout = false;  ///< whether the caller leaves the layout to the compiler
};

/// How runs of the executable implement a run of the program on all its devices.
enum class RunKind : uint8_t {
  kAsIs,   ///< one run per device, with the devices' arguments and results
  kOnce,   ///< a single run on whole arrays, for all devices
  kWhole,  ///< one run per device, on whole arrays
};

/// Lists in the format of the C API.
struct ValueLists {
  std::vector<const char*> kinds;
  std::vector<size_t> kind_sizes;
  std::vector<const char*> shardings;
  std::vector<size_t> sharding_sizes;
  std::vector<PJRT_Buffer_Type> types;
  std::vector<int64_t> dimensions;  ///< of all values, concatenated
  std::vector<size_t> ranks;
  std::vector<OwnHandle<PJRT_Layouts_MemoryLayout>> own_layouts;
  std::vector<PJRT_Layouts_MemoryLayout*> layouts;
};

/// Immutable after its creation; shared by its handles.
struct Program {
  ClientStatePtr client;
  std::shared_ptr<Executable> executable;
  std::string code, format, options;               ///< the source of the compilation
  CompileRequest request;                          ///< with its devices
  std::vector<PartitionAnswer> partition_answers;  ///< answers of the partitioners of its custom calls
  RunKind run_kind = RunKind::kAsIs;
  bool partitioned = false;     ///< whether the executable is the program of one device, on parts of the arrays
  bool calls_handlers = false;  ///< whether it contains custom calls
  std::vector<ProgramValue> arguments, results;

  std::vector<PJRT_Device*> devices;  ///< in the order of runs
  std::vector<PJRT_LogicalDeviceIds> logical_ids;
  std::string fingerprint, device_assignment;
  ValueLists argument_lists, result_lists;
  std::vector<PJRT_NamedValue> properties;  ///< of the cost analysis
};
using ProgramPtr = std::shared_ptr<Program>;

/// Results of an earlier compilation of the same program.
struct SavedParts {
  /// result of Executable::serialize(), which replaces compilation; empty means that it is compiled again
  std::string_view executable;
  std::vector<PartitionAnswer> partition_answers;  ///< used instead of queries
};

/// Compiles code of format "mlir" (StableHLO as text or bytecode, VHLO) or "hlo" (HloModuleProto or text).
/// Errors    INVALID_ARGUMENT for other formats, options and programs; UNIMPLEMENTED for unsupported operations
StatusOr<ProgramPtr> compile_program(const ClientStatePtr& client, std::string_view code, std::string_view format,
                                     std::string_view options, SavedParts saved = {});

/// Save a program as bytes, and load it, with other options unless they are empty.
/// Errors    INVALID_ARGUMENT for other bytes; FAILED_PRECONDITION for those of another build or kind of device
StatusOr<std::string> save_program(const Program& program);
StatusOr<ProgramPtr> load_program(const ClientStatePtr& client, std::string_view bytes, std::string_view new_options);

/// Runs a program: sets the results and, if requested, the events in the arguments of Execute.
Status run_program(const Program& program, PJRT_LoadedExecutable_Execute_Args& args);

}  // namespace hilo::pjrt
