// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/mesh_atoms.h -- a mesh whose axes are split into prime factors ("atoms"). Lists of axes and of parts of
// axes then compare and split like lists of numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hilo/hlo/sharding/sharding.h"

namespace hilo::hlo {

using Atoms = std::vector<uint16_t>;    ///< major first
using ArraySplit = std::vector<Atoms>;  ///< by dimension, the atoms that shard it

/// Returns the length of the longest common prefix.
size_t common_prefix(const Atoms& a, const Atoms& b);
inline bool contains(const Atoms& atoms, uint16_t atom) { return std::ranges::find(atoms, atom) != atoms.end(); }

class MeshAtoms {
 public:
  explicit MeshAtoms(const Mesh& mesh);

  int64_t size(uint16_t atom) const { return atoms_[atom].size; }
  int64_t size(const Atoms& atoms) const;
  /// Returns the atoms of a list of axes.
  /// Errors    INVALID_ARGUMENT for axes that the mesh lacks, and for parts that aren't products of consecutive primes
  /// of the axis, smallest first
  StatusOr<Atoms> atoms_of(const std::vector<AxisReference>& axes) const;
  /// Returns the axes that the atoms form, up to the first incomplete axis.
  std::vector<AxisReference> whole_axes(const Atoms& atoms) const;
  /// Returns which shard the device at a place of the mesh has if `atoms` shard a dimension.
  int64_t part_at(const Atoms& atoms, int64_t place) const;
  int64_t place_count() const;
  size_t count() const { return atoms_.size(); }
  /// Returns "x,y". An incomplete axis is written as "y:(2)2": the part of size 2 after a part of size 2.
  std::string to_string(const Atoms& atoms) const;

 private:
  struct Atom {
    size_t axis;
    int64_t before, size;
  };
  std::vector<MeshAxis> axes_;
  std::vector<Atom> atoms_;
};

}  // namespace hilo::hlo
