// SPDX-License-Identifier: Apache-2.0
// scipy/spatial/transform/rotation.h -- jax.scipy.spatial.transform.Rotation: rotations in three dimensions.
#pragma once

#include <string_view>

#include "hilo/numpy/dtypes.h"
#include "hilo/random/keys.h"

namespace hilo::scipy::spatial::transform {

// Options of the methods; the flags may also be passed by position.
struct DegreesOptions {
  bool degrees = false;  ///< degrees instead of radians
};
struct ApplyOptions {
  bool inverse = false;  ///< whether to apply the inverse rotation
};
struct QuatOptions {
  bool canonical = false;     ///< whether to return the quaternion with nonnegative w
  bool scalar_first = false;  ///< (w, x, y, z) instead of (x, y, z, w)
};
struct MeanOptions {
  std::optional<Array> weights = std::nullopt;  ///< one for each rotation; default 1
};

/// A rotation, or an array of rotations: unit quaternions (x, y, z, w) along the last axis. A pytree, so that jit, grad
/// and vmap accept it.
/// Types      quat: floats [..., 4]; integers become floats
/// Errors     INVALID_ARGUMENT for a last axis of another extent, or an invalid sequence of axes. A sequence has up to
///            three letters of xyz (fixed axes) or XYZ (axes that rotate along), and adjacent letters differ
/// Gradient   in both modes, also at the identity
/// Example    const auto r = Rotation::from_euler("z", 90, true);
///            (r * r).apply(numpy::array({1.0f, 0.0f, 0.0f})).round(3)  // [-1. 0. 0.]
struct Rotation {
  Array quat;

  static Rotation identity(std::optional<int64_t> num = std::nullopt, numpy::Dtype dtype = std::nullopt);
  /// Samples rotations uniformly: `num` of them, or one.
  /// Source    Muller, "A note on a method for generating points uniformly on n-dimensional spheres" (1959)
  static Rotation random(const hilo::random::Key& random_key, std::optional<int64_t> num = std::nullopt,
                         numpy::Line line = numpy::Line::current());
  static Rotation concatenate(const std::vector<Rotation>& rotations, numpy::Line line = numpy::Line::current());
  /// Creates rotations from quaternions of any norm but 0.
  static Rotation from_quat(const Operand& quat);
  /// Creates rotations from angles [..., n] about n axes, or from one angle about one axis.
  static Rotation from_euler(std::string_view seq, const Operand& angles, const DegreesOptions& options = {});
  static Rotation from_euler(std::string_view seq, const Operand& angles, std::same_as<bool> auto degrees) {
    return from_euler(seq, angles, DegreesOptions{degrees});
  }
  /// Creates rotations from rotation matrices.
  /// Source    Markley, "Unit quaternion from rotation matrix" (2008)
  static Rotation from_matrix(const Operand& matrix);
  /// Creates rotations from modified Rodrigues parameters: axis * tan(angle / 4).
  static Rotation from_mrp(const Operand& mrp);
  /// Creates rotations from rotation vectors: axis * angle.
  static Rotation from_rotvec(const Operand& rotvec, const DegreesOptions& options = {});
  static Rotation from_rotvec(const Operand& rotvec, std::same_as<bool> auto degrees) {
    return from_rotvec(rotvec, DegreesOptions{degrees});
  }

  /// Rotates vectors [..., 3]; shapes broadcast.
  Array apply(const Operand& vectors, const ApplyOptions& options = {}) const;
  Array apply(const Operand& vectors, std::same_as<bool> auto inverse) const {
    return apply(vectors, ApplyOptions{inverse});
  }
  Array as_quat(const QuatOptions& options = {}) const;
  Array as_quat(std::same_as<bool> auto canonical, bool scalar_first = false) const {
    return as_quat(QuatOptions{canonical, scalar_first});
  }
  /// Returns three Euler angles. If the middle angle makes the others ambiguous (gimbal lock), the third angle (for
  /// fixed axes) is 0.
  /// Source    Bernardes and Viollet, "Quaternion to Euler angles conversion" (2022)
  Array as_euler(std::string_view seq, const DegreesOptions& options = {},
                 numpy::Line line = numpy::Line::current()) const;
  Array as_euler(std::string_view seq, std::same_as<bool> auto degrees,
                 numpy::Line line = numpy::Line::current()) const {
    return as_euler(seq, DegreesOptions{degrees}, line);
  }
  Array as_matrix() const;
  Array as_mrp() const;
  Array as_rotvec(const DegreesOptions& options = {}) const;
  Array as_rotvec(std::same_as<bool> auto degrees) const { return as_rotvec(DegreesOptions{degrees}); }

  Rotation inv() const;
  /// Returns the angles of the rotations, in [0, pi].
  Array magnitude() const;
  /// Returns the mean rotation: it minimizes the squared distances of the rotation matrices.
  /// Errors    INVALID_ARGUMENT for a single rotation, or another number of weights
  /// Source    Markley et al., "Averaging quaternions" (2007)
  Rotation mean(const MeanOptions& options = {}, numpy::Line line = numpy::Line::current()) const;

  bool single() const { return quat.ndim() == 1; }
  /// Returns the number of rotations.
  /// Errors    INVALID_ARGUMENT for a single rotation
  int64_t size(numpy::Line line = numpy::Line::current()) const;
  /// Selects rotations of an array.
  /// Errors    INVALID_ARGUMENT for a single rotation
  Rotation operator[](const Indexer& index) const;
};

/// Composes rotations: applies q first, then p.
Rotation operator*(const Rotation& p, const Rotation& q);

}  // namespace hilo::scipy::spatial::transform
