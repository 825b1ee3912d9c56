// SPDX-License-Identifier: Apache-2.0
// scipy/spatial/transform/slerp.h -- jax.scipy.spatial.transform.Slerp: interpolation between rotations.
#pragma once

#include "hilo/scipy/spatial/transform/rotation.h"

namespace hilo::scipy::spatial::transform {

/// Interpolates at a constant rate from each rotation to the next. A pytree.
/// Source     Shoemake, "Animating rotation with quaternion curves" (1985)
/// Example    const auto slerp = Slerp::init(numpy::array({0.0f, 1.0f}), Rotation::from_euler("z", angles, true));
///            slerp(0.25f).as_matrix()
struct Slerp {
  Array times, timedelta;
  Rotation rotations;  ///< rotations at all times but the last
  Array rotvecs;       ///< rotation vectors from each rotation to the next

  /// Creates an interpolation; `times` increase.
  /// Errors    INVALID_ARGUMENT for fewer than two rotations, or another number of times
  static Slerp init(const Operand& times, const Rotation& rotations);
  /// Returns the rotation at a time, or at a vector of times. Beyond the first and last time, extrapolates.
  Rotation operator()(const Operand& times) const;
};

}  // namespace hilo::scipy::spatial::transform
