// SPDX-License-Identifier: Apache-2.0
// tools/hilo/partitioned_file.h -- reads and partitions MLIR programs with shardings.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "hilo/hlo/partition/partition.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::tool {

/// A program, its meshes and its partitioned form.
struct PartitionedFile {
  std::unique_ptr<stablehlo::ModuleTree> tree;
  std::deque<std::string> meshes;  ///< texts of resized meshes, which the tree refers to
  hlo::Module module;
  hlo::PropagationRequest request;
  hlo::PartitionedProgram program;
};

/// Partitions the program in a file. If `devices` is set, the first axis of the mesh is resized to that number of
/// devices.
/// Errors    INVALID_ARGUMENT for files that aren't MLIR, programs without a mesh, and numbers of devices that the
///           other axes don't divide; UNIMPLEMENTED for another number of devices in a program with manual
///           computations; those of partition
StatusOr<PartitionedFile> partition_file(const std::string& path, std::optional<int64_t> devices = std::nullopt);

/// Returns the mesh, each parameter and result with its sharding and bytes per device, and the report.
std::string explained(const PartitionedFile& file);

/// Draws one device's program in the format of the path's extension: .html, .svg or .dot. Collectives are boxes with
/// the bytes that they send.
Status draw(const PartitionedFile& file, const std::string& path);

}  // namespace hilo::tool
