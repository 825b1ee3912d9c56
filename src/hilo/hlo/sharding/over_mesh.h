// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/over_mesh.h -- converts a sharding to another mesh.
#pragma once

#include <optional>

#include "hilo/hlo/sharding/sharding.h"

namespace hilo::hlo {

/// Returns the same sharding expressed by axes of `mesh`. Returns nothing if the devices differ, or if no axes of
/// `mesh` give the same order.
/// Errors    INVALID_ARGUMENT for axes that the sharding's own mesh lacks
/// Cost      linear in devices, for each dimension and prime factor of the mesh
/// Example   {"a"} of ["a"=4] over ["x"=2, "y"=2] -> {"x", "y"}
StatusOr<std::optional<Sharding>> over_mesh(const Sharding& sharding, const Mesh& mesh);

}  // namespace hilo::hlo
