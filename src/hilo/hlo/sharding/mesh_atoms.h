// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/mesh_atoms.h -- a mesh whose axes are taken apart into primes: then lists of axes, and parts of axes, compare
// and split as lists of numbers do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hilo/hlo/sharding/sharding.h"

namespace hilo::hlo {

using Atoms = std::vector<uint16_t>;    ///< major first
using ArraySplit = std::vector<Atoms>;  ///< by dimension, what shares it

inline bool contains(const Atoms& atoms, uint16_t atom) { return std::ranges::find(atoms, atom) != atoms.end(); }

class MeshAtoms {
 public:
  explicit MeshAtoms(const Mesh& mesh);

  int64_t size(uint16_t atom) const { return atoms_[atom].size; }
  int64_t size(const Atoms& atoms) const;
  /// Errors    INVALID_ARGUMENT for axes that the mesh lacks, and parts that its primes, small ones first, don't make up
  StatusOr<Atoms> atoms_of(const std::vector<AxisReference>& axes) const;
  /// The axes that the atoms make up, up to the first that isn't whole.
  std::vector<AxisReference> whole_axes(const Atoms& atoms) const;
  /// Which of the parts that the atoms make falls to the device at a place of the mesh.
  int64_t part_at(const Atoms& atoms, int64_t place) const;
  int64_t place_count() const;
  size_t count() const { return atoms_.size(); }
  /// "x,y"; of axes that aren't whole "y:(2)2", the part of size 2 behind 2 others.
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
