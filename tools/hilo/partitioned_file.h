// SPDX-License-Identifier: Apache-2.0
// tools/hilo/partitioned_file.h -- partitions MLIR programs that specify shardings.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "hilo/hlo/partition/partition.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::tool {

/// A program partitioned over its mesh.
struct PartitionedFile {
  std::unique_ptr<stablehlo::ModuleTree> tree;
  std::deque<std::string> meshes;  ///< meshes of other sizes, which the tree refers to
  hlo::Module module;
  hlo::PropagationRequest request;
  hlo::PartitionedProgram program;
};

/// `devices`: the size of the mesh; its first axis is changed to reach it.
/// Errors    INVALID_ARGUMENT for files that aren't MLIR, programs without a mesh, and numbers of devices that the
///           other axes don't divide; UNIMPLEMENTED for another number if the program has manual computations;
///           those of partition
StatusOr<PartitionedFile> partition_file(const std::string& path, std::optional<int64_t> devices = std::nullopt);

/// The mesh, each parameter and result with its sharding and bytes per device, and the report.
std::string explained(const PartitionedFile& file);

/// The program of one device as a picture, by the path's end: .html, .svg or .dot. Collectives are boxes with the bytes
/// that are sent over the links.
Status draw(const PartitionedFile& file, const std::string& path);

}  // namespace hilo::tool
