// SPDX-License-Identifier: Apache-2.0
// stablehlo/devices/mesh_axes.h -- groups of devices by the axes of a mesh: #stablehlo.replica_group_mesh_axes.
#pragma once

#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Returns the mesh of an attribute `#stablehlo.mesh<...>` or of Shardy's equivalent.
/// Errors    those of parse_mesh; INVALID_ARGUMENT for other attributes
StatusOr<Mesh> mesh_of(const ModuleTree& tree, const Attribute& attribute);

/// Returns the mesh @name: the attribute `mesh` or `stablehlo.mesh` of the operation with this name.
/// Errors    NOT_FOUND; those of mesh_of
StatusOr<Mesh> find_mesh(const ModuleTree& tree, std::string_view name);

bool is_mesh_axes(const Attribute& attribute);

/// Returns the lists of devices that differ only along these axes, one list per position on the other axes.
/// Errors    those of mesh_of, find_mesh and split_dimension
StatusOr<std::vector<std::vector<int64_t>>> mesh_groups(const ModuleTree& tree, const Attribute& attribute);

}  // namespace hilo::stablehlo
