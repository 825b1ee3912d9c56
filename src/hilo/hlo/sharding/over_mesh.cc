// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/over_mesh.h"

#include <algorithm>
#include <functional>

#include "hilo/hlo/sharding/prime_factors.h"

namespace hilo::hlo {
namespace {

/// A part of an axis with a prime size, and its stride in the mesh's device order.
struct PrimePart {
  AxisReference axis;
  int64_t stride = 1;
};

std::vector<PrimePart> prime_parts(const Mesh& mesh) {
  std::vector<PrimePart> parts;
  int64_t left = mesh.device_count();
  for (const MeshAxis& axis : mesh.axes) {
    int64_t before = 1;
    for (const int64_t prime : prime_factors(axis.size)) {
      left /= prime;
      const bool whole = prime == axis.size;
      parts.push_back({{axis.name, before, whole ? 0 : prime}, left});
      before *= prime;
    }
  }
  return parts;
}

/// Returns axes of `mesh` that split a dimension in this way, or nothing if no axes do. One step along a prime part of
/// the mesh advances the shard number by a fixed step; parts with larger steps are more major.
StatusOr<std::optional<std::vector<AxisReference>>> axes_of(const DimensionSplit& split, const Mesh& mesh) {
  using Axes = std::optional<std::vector<AxisReference>>;
  if (split.parts == 1) return Axes(std::vector<AxisReference>());
  std::vector<std::pair<int64_t, AxisReference>> digits;  // shard step of each prime part
  for (const PrimePart& part : prime_parts(mesh)) {
    const size_t device = mesh.device_at(part.stride);
    const int64_t step = split.part_of_device[device] - split.part_of_device[mesh.device_at(0)];
    if (step != 0) digits.emplace_back(step, part.axis);
  }
  std::ranges::stable_sort(digits, std::greater<>{}, [](const auto& digit) { return digit.first; });
  std::vector<AxisReference> axes;
  for (auto& [step, axis] : digits) axes.push_back(std::move(axis));
  HILO_ASSIGN_OR_RETURN(const DimensionSplit result, split_dimension(mesh, axes));
  return result.part_of_device == split.part_of_device ? Axes(std::move(axes)) : Axes();
}

}  // namespace

StatusOr<std::optional<Sharding>> over_mesh(const Sharding& sharding, const Mesh& mesh) {
  if (sharding.mesh == mesh) return std::optional(sharding);
  const bool nowhere = sharding.mesh.device_count() == 1;  // a mesh of one device splits nothing, whatever the device
  if (!nowhere && sharding.mesh.device_count() != mesh.device_count()) return std::optional<Sharding>();
  Sharding result = sharding;
  result.mesh_name.clear();
  result.mesh = mesh;
  std::vector<std::vector<AxisReference>*> lists = {&result.replicated, &result.unreduced};
  for (DimensionSharding& dimension : result.dimensions) lists.push_back(&dimension.axes);
  for (std::vector<AxisReference>* const list : lists) {
    HILO_ASSIGN_OR_RETURN(const DimensionSplit split, split_dimension(sharding.mesh, *list));
    HILO_ASSIGN_OR_RETURN(auto axes, axes_of(split, mesh));
    if (!axes) return std::optional<Sharding>();
    *list = *std::move(axes);
  }
  return std::optional(std::move(result));
}

}  // namespace hilo::hlo
