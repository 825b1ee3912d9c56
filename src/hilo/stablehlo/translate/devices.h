// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/devices.h -- how programs for several devices become programs of replicas; part of the translation.
#pragma once

#include <unordered_set>
#include <vector>

#include "hilo/stablehlo/devices/device_grid.h"
#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/translate/translate.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// What the program says of its devices. Outside of manual computations every device has all arrays whole and does the
/// same; a manual computation cuts its operands and joins its results (manual.cc).
struct DevicePlan {
  DeviceGrid grid;
  /// Functions that interpreter.run_parallel runs one after the other in its place, since what they send each other is
  /// known; they are no computations of their own.
  std::unordered_set<OperationId> inlined;
};

/// From the module's attributes, the meshes of manual computations, and the processes of an interpreter.run_parallel.
/// A program for several partitions that has no manual computation, no custom call that is partitioned and no collective runs
/// whole on one device.
/// Errors    UNIMPLEMENTED for manual computations over other devices than the program's
StatusOr<DevicePlan> plan_devices(const ModuleTree& tree, const TranslateOptions& options);

/// The function of that name; kNone if there is none.
OperationId find_function(const ModuleTree& tree, std::string_view name);

}  // namespace hilo::stablehlo
