// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/devices.h -- plans the translation of programs for several devices to programs of replicas.
#pragma once

#include <unordered_set>
#include <vector>

#include "hilo/stablehlo/devices/device_grid.h"
#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/translate/translate.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// The devices of a program. Outside of manual computations every device has all arrays and computes the same. A manual
/// computation cuts its operands and joins its results (manual.cc).
struct DevicePlan {
  DeviceGrid grid;
  /// Functions that interpreter.run_parallel runs one after the other in place, because their messages to each other
  /// are known. They don't become separate computations.
  std::unordered_set<OperationId> inlined;
};

/// Plans devices by the module's attributes, the meshes of manual computations, and the processes of an
/// interpreter.run_parallel. A program for several partitions without manual computations, partitioned custom calls and
/// collectives runs as a whole on one device.
/// Errors    UNIMPLEMENTED for manual computations over other devices than the program's
StatusOr<DevicePlan> plan_devices(const ModuleTree& tree, const TranslateOptions& options);

/// Returns the function with that name; kNone if none exists.
OperationId find_function(const ModuleTree& tree, std::string_view name);

}  // namespace hilo::stablehlo
