// SPDX-License-Identifier: Apache-2.0
// scipy/spatial/transform/rotation.h -- jax.scipy.spatial.transform.Rotation: rotations in three dimensions.
#pragma once

#include <string_view>

#include "hilo/numpy/dtypes.h"
#include "hilo/random/keys.h"

namespace hilo::scipy::spatial::transform {

// What methods take by keyword; the flags may also stand by position.
struct DegreesOptions {
  bool degrees = false;  ///< instead of radians
};
struct ApplyOptions {
  bool inverse = false;  ///< turns back
};
struct QuatOptions {
  bool canonical = false;     ///< of the two quaternions of a rotation the one whose w isn't negative
  bool scalar_first = false;  ///< (w, x, y, z)
};
struct MeanOptions {
  std::optional<Array> weights = std::nullopt;  ///< one a rotation, by default 1
};

/// A rotation, or an array of them: unit quaternions (x, y, z, w) along the last axis. A tree, so jit, grad and vmap take it.
/// Types      quat: floats [..., 4]; integers become floats
/// Errors     INVALID_ARGUMENT where the last axis hasn't the extent that the form wants, or a sequence of axes isn't up to
///            three letters of xyz (about fixed axes) or XYZ (about axes that turn along), neighbours different
/// Gradient   in both modes, at the identity too
/// Example    const auto r = Rotation::from_euler("z", 90, true);
///            (r * r).apply(numpy::array({1.0f, 0.0f, 0.0f}))  // [-1. 0. 0.]
struct Rotation {
  Array quat;

  static Rotation identity(std::optional<int64_t> num = std::nullopt, numpy::Dtype dtype = std::nullopt);
  /// Uniform over all rotations: `num` of them, or one.
  /// Source    Shoemake, "Uniform random rotations", in Graphics Gems III (1992)
  static Rotation random(const hilo::random::Key& random_key, std::optional<int64_t> num = std::nullopt,
                         numpy::Line line = numpy::Line::current());
  static Rotation concatenate(const std::vector<Rotation>& rotations, numpy::Line line = numpy::Line::current());
  /// Of quaternions of any norm but 0.
  static Rotation from_quat(const Operand& quat);
  /// Of angles [..., n] about n axes, or of one angle about one.
  static Rotation from_euler(std::string_view seq, const Operand& angles, const DegreesOptions& options = {});
  static Rotation from_euler(std::string_view seq, const Operand& angles, std::same_as<bool> auto degrees) {
    return from_euler(seq, angles, DegreesOptions{degrees});
  }
  /// Source    Markley, "Unit quaternion from rotation matrix" (2008)
  static Rotation from_matrix(const Operand& matrix);
  /// Of modified Rodrigues parameters: the axis times tan(angle / 4).
  static Rotation from_mrp(const Operand& mrp);
  /// Of the axis times the angle.
  static Rotation from_rotvec(const Operand& rotvec, const DegreesOptions& options = {});
  static Rotation from_rotvec(const Operand& rotvec, std::same_as<bool> auto degrees) {
    return from_rotvec(rotvec, DegreesOptions{degrees});
  }

  /// The vectors [..., 3] turned; shapes broadcast.
  Array apply(const Operand& vectors, const ApplyOptions& options = {}) const;
  Array apply(const Operand& vectors, std::same_as<bool> auto inverse) const {
    return apply(vectors, ApplyOptions{inverse});
  }
  Array as_quat(const QuatOptions& options = {}) const;
  Array as_quat(std::same_as<bool> auto canonical, bool scalar_first = false) const {
    return as_quat(QuatOptions{canonical, scalar_first});
  }
  /// Three angles. Where the middle one leaves only a sum of the others, the third (of fixed axes) is 0.
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
  /// The angles, in [0, pi].
  Array magnitude() const;
  /// The rotation nearest to all, by the squares of the distances of their matrices.
  /// Errors    INVALID_ARGUMENT of a single rotation, or for weights of another number
  /// Source    Markley et al., "Averaging quaternions" (2007)
  Rotation mean(const MeanOptions& options = {}, numpy::Line line = numpy::Line::current()) const;

  bool single() const { return quat.ndim() == 1; }
  /// How many there are. Errors    INVALID_ARGUMENT of a single rotation
  int64_t size(numpy::Line line = numpy::Line::current()) const;
  /// Some of them. Errors    INVALID_ARGUMENT of a single rotation
  Rotation operator[](const Indexer& index) const;
};

/// First q, then p.
Rotation operator*(const Rotation& p, const Rotation& q);

}  // namespace hilo::scipy::spatial::transform
