// SPDX-License-Identifier: Apache-2.0
// tools/hilo/partitioned_file.h -- programs of MLIR that state shardings, partitioned.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "hilo/hlo/partition/partition.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::tool {

/// What a program becomes on its mesh.
struct PartitionedFile {
  std::unique_ptr<stablehlo::ModuleTree> tree;
  std::deque<std::string> meshes;  ///< of other sizes, which the tree refers to
  hlo::Module module;
  hlo::PropagationRequest request;
  hlo::PartitionedProgram program;
};

/// `devices`: as many as the mesh is to have; its first axis becomes longer or shorter.
/// Errors    INVALID_ARGUMENT for files that aren't MLIR, programs without a mesh, and numbers of devices that the
///           other axes don't divide; UNIMPLEMENTED for another number where the program says by hand what devices do;
///           those of partition
StatusOr<PartitionedFile> partition_file(const std::string& path, std::optional<int64_t> devices = std::nullopt);

/// The mesh; each parameter and result with its sharding and bytes a device; the report.
std::string explained(const PartitionedFile& file);

/// The program of one device as a picture, by the path's end: .html, .svg or .dot. Collectives stand in boxes that say
/// what goes over the links.
Status draw(const PartitionedFile& file, const std::string& path);

}  // namespace hilo::tool
