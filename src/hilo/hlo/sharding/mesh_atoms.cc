// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/mesh_atoms.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/sharding/prime_factors.h"

namespace hilo::hlo {

size_t common_prefix(const Atoms& a, const Atoms& b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

MeshAtoms::MeshAtoms(const Mesh& mesh) : axes_(mesh.axes) {
  for (size_t axis = 0; axis < axes_.size(); ++axis) {
    int64_t before = 1;
    for (const int64_t prime : prime_factors(axes_[axis].size)) {
      atoms_.push_back({axis, before, prime});
      before *= prime;
    }
  }
}

int64_t MeshAtoms::size(const Atoms& atoms) const {
  int64_t product = 1;
  for (const uint16_t atom : atoms) product *= size(atom);
  return product;
}

StatusOr<Atoms> MeshAtoms::atoms_of(const std::vector<AxisReference>& axes) const {
  Atoms result;
  for (const AxisReference& reference : axes) {
    const auto axis = std::ranges::find(axes_, reference.name, &MeshAxis::name);
    if (axis == axes_.end()) return invalid_argument(fmt::format("the mesh has no axis \"{}\"", reference.name));
    const int64_t size = reference.size == 0 ? axis->size : reference.size;
    int64_t product = 1;
    for (size_t i = 0; i < atoms_.size(); ++i) {
      if (atoms_[i].axis != static_cast<size_t>(axis - axes_.begin()) || atoms_[i].before < reference.before ||
          atoms_[i].before >= reference.before * size)
        continue;
      result.push_back(static_cast<uint16_t>(i));
      product *= atoms_[i].size;
    }
    if (product != size)
      return invalid_argument(fmt::format("axis \"{}\" of size {}: got its part ({}){}; wanted one of whole primes",
                                          axis->name, axis->size, reference.before, size));
  }
  return result;
}

std::vector<AxisReference> MeshAtoms::whole_axes(const Atoms& atoms) const {
  std::vector<AxisReference> result;
  for (size_t i = 0; i < atoms.size();) {
    const size_t axis = atoms_[atoms[i]].axis;
    int64_t product = 1;
    for (; i < atoms.size() && atoms_[atoms[i]].axis == axis && atoms_[atoms[i]].before == product; ++i)
      product *= atoms_[atoms[i]].size;
    if (product != axes_[axis].size) break;
    result.push_back({axes_[axis].name});
  }
  return result;
}

int64_t MeshAtoms::part_at(const Atoms& atoms, int64_t place) const {
  int64_t part = 0;
  for (const uint16_t atom : atoms) {
    const Atom& own = atoms_[atom];
    int64_t minor = axes_[own.axis].size / (own.before * own.size);  // number of parts of the axis that are counted
    for (size_t axis = own.axis + 1; axis < axes_.size(); ++axis) minor *= axes_[axis].size;
    part = part * own.size + place / minor % own.size;
  }
  return part;
}

std::string MeshAtoms::to_string(const Atoms& atoms) const {
  std::string text;
  for (size_t i = 0; i < atoms.size();) {
    const Atom& first = atoms_[atoms[i]];
    int64_t size = 1;
    for (; i < atoms.size() && atoms_[atoms[i]].axis == first.axis && atoms_[atoms[i]].before == first.before * size;
         ++i)
      size *= atoms_[atoms[i]].size;
    const MeshAxis& axis = axes_[first.axis];
    text += (text.empty() ? "" : ",") + axis.name;
    if (size != axis.size) text += fmt::format(":({}){}", first.before, size);
  }
  return text;
}

int64_t MeshAtoms::place_count() const {
  int64_t count = 1;
  for (const MeshAxis& axis : axes_) count *= axis.size;
  return count;
}

}  // namespace hilo::hlo
