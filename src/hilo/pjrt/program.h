// SPDX-License-Identifier: Apache-2.0
// pjrt/program.h -- a compiled program, and all that the C API shows of it.
#pragma once

#include "hilo/pjrt/compile_request.h"
#include "hilo/pjrt/custom_partitioner.h"
#include "hilo/pjrt/objects.h"
#include "hilo/pjrt/placement.h"

namespace hilo::pjrt {

/// An argument or a result.
struct ProgramValue {
  Placement placement;
  int memory_kind = 0;       ///< place in kMemoryKinds
  bool donated = false;      ///< of an argument: the run may take its memory
  bool donor = false;        ///< of an argument: donated, if a result of its size is left for it
  bool free_layout = false;  ///< the caller leaves the layout to the compiler
};

/// How a run of the executable stands for a run of the program on all its devices.
enum class RunKind : uint8_t {
  kAsIs,   ///< arguments and results of the executable are those of the devices
  kOnce,   ///< one run, on whole arrays, for all devices
  kWhole,  ///< a run on each device, on whole arrays
};

/// Lists in the form that the C API gives them out.
struct ValueLists {
  std::vector<const char*> kinds;
  std::vector<size_t> kind_sizes;
  std::vector<const char*> shardings;
  std::vector<size_t> sharding_sizes;
  std::vector<PJRT_Buffer_Type> types;
  std::vector<int64_t> dimensions;  ///< of all, one after the other
  std::vector<size_t> ranks;
  std::vector<OwnHandle<PJRT_Layouts_MemoryLayout>> own_layouts;
  std::vector<PJRT_Layouts_MemoryLayout*> layouts;
};

/// Immutable once it is made; shared by its handles.
struct Program {
  ClientStatePtr client;
  std::shared_ptr<Executable> executable;
  std::string code, format, options;               ///< what it was compiled from
  CompileRequest request;                          ///< its devices are filled in
  std::vector<PartitionAnswer> partition_answers;  ///< of those who partition its custom calls
  RunKind run_kind = RunKind::kAsIs;
  bool partitioned = false;     ///< the executable is the program of one device, on parts of the arrays
  bool calls_handlers = false;  ///< there are custom calls in it
  std::vector<ProgramValue> arguments, results;

  std::vector<PJRT_Device*> devices;  ///< in the order of runs
  std::vector<PJRT_LogicalDeviceIds> logical_ids;
  std::string fingerprint, device_assignment;
  ValueLists argument_lists, result_lists;
  std::vector<PJRT_NamedValue> properties;  ///< of the cost analysis
};
using ProgramPtr = std::shared_ptr<Program>;

/// What an earlier compilation of the same program left.
struct SavedParts {
  std::string_view executable;  ///< what Executable::serialize() gave: nothing is compiled then; empty: compiled again
  std::vector<PartitionAnswer> partition_answers;  ///< which aren't asked for then
};

/// Compiles code of format "mlir" (StableHLO as text or bytecode, VHLO) or "hlo" (HloModuleProto or text).
/// Errors    INVALID_ARGUMENT for other formats, options and programs; UNIMPLEMENTED for what the engine lacks
StatusOr<ProgramPtr> compile_program(const ClientStatePtr& client, std::string_view code, std::string_view format,
                                     std::string_view options, SavedParts saved = {});

/// The program as bytes, and back.
/// Errors    INVALID_ARGUMENT for other bytes; FAILED_PRECONDITION for those of another build or kind of device
StatusOr<std::string> save_program(const Program& program);
StatusOr<ProgramPtr> load_program(const ClientStatePtr& client, std::string_view bytes);

/// Runs it: fills in the results and, where they are asked for, the events of the arguments to Execute.
Status run_program(const Program& program, PJRT_LoadedExecutable_Execute_Args& args);

}  // namespace hilo::pjrt
