// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "hilo/base/buffer_pool.h"
#include "hilo/hlo/proto/sharding.h"
#include "hilo/pjrt/host_memory.h"

namespace hilo::pjrt {
namespace {

/// `{devices=[2,1,4]0,1,2,.. last_tile_dim_replicate}`: the devices of each part in the mesh's order.
StatusOr<std::string> op_sharding(const Placement& placement, std::span<const int64_t> parts, const hlo::Mesh& mesh,
                                  int64_t devices) {
  std::map<std::vector<int64_t>, std::vector<int64_t>> who;  // by part
  for (int64_t place = 0; place < devices; ++place) {
    const int64_t device = mesh.device_at(place);
    who[placement.begins[static_cast<size_t>(device)]].push_back(device);
  }
  std::string ids;
  size_t copies = 1;
  for (const auto& [begin, list] : who) {
    copies = list.size();
    for (const int64_t id : list) ids += fmt::format("{}{}", ids.empty() ? "" : ",", id);
  }
  std::vector<int64_t> dimensions(parts.begin(), parts.end());
  if (copies > 1) dimensions.push_back(static_cast<int64_t>(copies));
  const std::string text = fmt::format("{{devices={}{}{}}}", dimensions_to_string(dimensions), ids,
                                       copies > 1 ? " last_tile_dim_replicate" : "");
  HILO_ASSIGN_OR_RETURN(hlo::proto::WireWriter proto, hlo::proto::write_sharding(text));
  return std::move(proto).take();
}

/// Copies a box between two row-major arrays: `box` elements from `from` on, whose neighbours are `from_strides` apart.
void copy_box(std::span<const int64_t> box, const std::byte* from, std::span<const int64_t> from_strides, std::byte* to,
              std::span<const int64_t> to_strides, int64_t element) {
  if (box.empty()) {
    std::memcpy(to, from, static_cast<size_t>(element));
    return;
  }
  if (box.size() == 1 && from_strides[0] == 1 && to_strides[0] == 1) {
    std::memcpy(to, from, static_cast<size_t>(box[0] * element));
    return;
  }
  for (int64_t i = 0; i < box[0]; ++i)
    copy_box(box.subspan(1), from + i * from_strides[0] * element, from_strides.subspan(1),
             to + i * to_strides[0] * element, to_strides.subspan(1), element);
}

int64_t offset_of(const Shape& whole, std::span<const int64_t> begin) {
  const std::vector<int64_t> strides = row_major_strides(whole.dimensions());
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) offset += strides[d] * begin[d];
  return offset * element_size_bytes(whole.element_type());
}

}  // namespace

Placement replicated(const Shape& shape) { return {shape, shape, {}, {}}; }

StatusOr<Placement> placement_of(const Shape& shape, const hlo::Sharding& sharding, const hlo::Mesh& mesh,
                                 int64_t devices) {
  if (!sharding.unreduced.empty())
    return unimplemented(
        fmt::format("{}: arrays that are sums of what devices have are not implemented", shape.to_string()));
  Placement placement = replicated(shape);
  if (mesh.device_count() == 1 || devices == 1) return placement;
  if (mesh.device_count() != devices)
    return invalid_argument(fmt::format("{}: a sharding over {} devices, the program has {}", shape.to_string(),
                                        mesh.device_count(), devices));
  if (static_cast<int64_t>(sharding.dimensions.size()) != shape.rank())
    return invalid_argument(
        fmt::format("{}: a sharding of {} dimensions", shape.to_string(), sharding.dimensions.size()));
  std::vector<int64_t> parts, sizes;
  std::vector<std::vector<int64_t>> begins(static_cast<size_t>(devices));
  for (int64_t d = 0; d < shape.rank(); ++d) {
    HILO_ASSIGN_OR_RETURN(const hlo::DimensionSplit split,
                          hlo::split_dimension(mesh, sharding.dimensions[static_cast<size_t>(d)].axes));
    if (shape.dimension(d) % split.parts != 0)
      return unimplemented(
          fmt::format("{}: dimension {} in {} parts of different size", shape.to_string(), d, split.parts));
    parts.push_back(split.parts);
    sizes.push_back(shape.dimension(d) / split.parts);
    for (size_t k = 0; k < begins.size(); ++k) begins[k].push_back(split.part_of_device[k] * sizes.back());
  }
  if (std::ranges::all_of(parts, [](int64_t count) { return count == 1; })) return placement;
  placement.begins = std::move(begins);
  placement.part = shape.with_dimensions(sizes).with_layout(shape.minor_to_major());
  HILO_ASSIGN_OR_RETURN(placement.sharding, op_sharding(placement, parts, mesh, devices));
  return placement;
}

StatusOr<BufferPtr> gather(const Placement& placement, Device& device, std::span<const BufferPtr> parts) {
  const int64_t element = element_size_bytes(placement.whole.element_type());
  const std::vector<int64_t> to_strides = row_major_strides(placement.whole.dimensions());
  const std::vector<int64_t> from_strides = row_major_strides(placement.part.dimensions());
  HILO_ASSIGN_OR_RETURN(AlignedBuffer allocated, allocate_buffer(static_cast<size_t>(placement.whole.byte_size())));
  const auto memory = std::make_shared<AlignedBuffer>(std::move(allocated));
  for (size_t k = 0; k < parts.size(); ++k) {
    const auto copies =
        std::find(placement.begins.begin(), placement.begins.begin() + static_cast<ptrdiff_t>(k), placement.begins[k]);
    if (copies != placement.begins.begin() + static_cast<ptrdiff_t>(k)) continue;  // another device has the same part
    HILO_ASSIGN_OR_RETURN(const Literal part, literal_from_buffer(*parts[k]));
    if (part.bytes().empty()) continue;
    copy_box(placement.part.dimensions(), part.bytes().data(), from_strides,
             memory->data() + offset_of(placement.whole, placement.begins[k]), to_strides, element);
  }
  return device.from_host({placement.whole, memory->data(), to_strides, HostMemory::kBorrowed, [memory] {}});
}

StatusOr<BufferPtr> cut(const Placement& placement, Device& device, size_t k, const BufferPtr& whole) {
  const std::vector<int64_t> strides = row_major_strides(placement.whole.dimensions());
  const int64_t offset = offset_of(placement.whole, placement.begins[k]);
  if (const std::byte* const data = whole->host_view(); data != nullptr)
    return device.from_host({placement.part, data + offset, strides});
  HILO_ASSIGN_OR_RETURN(const Literal value, literal_from_buffer(*whole));
  return device.from_host({placement.part, value.bytes().data() + offset, strides});
}

}  // namespace hilo::pjrt
