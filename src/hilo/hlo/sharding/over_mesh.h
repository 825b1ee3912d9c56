// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/over_mesh.h -- a sharding in the words of another mesh.
#pragma once

#include <optional>

#include "hilo/hlo/sharding/sharding.h"

namespace hilo::hlo {

/// The same parts on the same devices by axes of `mesh`; nothing where other devices, or an order that its axes don't make,
/// leave no words for it.
/// Errors    INVALID_ARGUMENT for axes that the sharding's own mesh lacks
/// Cost      linear in devices, for each dimension and prime of the mesh
/// Example   {"a"} of ["a"=4] over ["x"=2, "y"=2] -> {"x", "y"}
StatusOr<std::optional<Sharding>> over_mesh(const Sharding& sharding, const Mesh& mesh);

}  // namespace hilo::hlo
