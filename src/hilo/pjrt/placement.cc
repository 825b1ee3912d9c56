// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "hilo/backend/combine.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/hlo/proto/sharding.h"
#include "hilo/pjrt/host_memory.h"

namespace hilo::pjrt {
namespace {

/// The part of an array on each device: its position in each dimension, then the index of its summand.
struct Parts {
  std::vector<int64_t> counts;               ///< by dimension
  std::vector<std::vector<int64_t>> places;  ///< by device
  hlo::DimensionSplit summands;
};

StatusOr<Parts> parts_of(const Shape& shape, const hlo::Sharding& sharding, const hlo::Mesh& mesh) {
  Parts parts;
  parts.places.resize(mesh.device_count());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    HILO_ASSIGN_OR_RETURN(const hlo::DimensionSplit split, hlo::split_dimension(mesh, sharding.dimensions[d].axes));
    if (shape.dimension(d) % split.parts != 0)
      return unimplemented(
          fmt::format("{}: dimension {} is split into {} parts of different size", shape.to_string(), d, split.parts));
    parts.counts.push_back(split.parts);
    for (size_t k = 0; k < parts.places.size(); ++k) parts.places[k].push_back(split.part_of_device[k]);
  }
  HILO_ASSIGN_OR_RETURN(parts.summands, hlo::split_dimension(mesh, sharding.unreduced));
  return parts;
}

/// Returns `{devices=[2,1,4]0,1,2,.. last_tile_dims={replicated}}`. For each part, devices are in the mesh's order:
/// first the copies of a summand, then the next summand. As in XLA, metadata names a reduction other than a sum.
StatusOr<std::string> op_sharding(const Parts& parts, const hlo::Mesh& mesh, hlo::ReducerKind reduction) {
  const size_t summands = parts.summands.parts;
  std::map<std::vector<int64_t>, std::vector<std::vector<int64_t>>> who;  // devices by part and summand
  for (int64_t place = 0; place < mesh.device_count(); ++place) {
    const size_t device = mesh.device_at(place);
    std::vector<std::vector<int64_t>>& lists = who[parts.places[device]];
    lists.resize(summands);
    lists[parts.summands.part_of_device[device]].push_back(device);
  }
  const size_t copies = who.begin()->second[0].size();
  std::vector<int64_t> ids, dimensions = parts.counts;
  for (const auto& [part, lists] : who) {
    for (size_t copy = 0; copy < copies; ++copy) {
      for (const std::vector<int64_t>& list : lists) ids.push_back(list[copy]);
    }
  }
  std::vector<std::string_view> kinds;
  const auto add_kind = [&](size_t count, std::string_view kind) {
    if (count == 1) return;
    dimensions.push_back(count);
    kinds.push_back(kind);
  };
  add_kind(copies, "replicated");
  add_kind(summands, "unreduced");
  std::string suffix;
  if (!kinds.empty()) suffix = fmt::format(" last_tile_dims={{{}}}", fmt::join(kinds, ", "));
  if (summands == 1 && copies > 1) suffix = " last_tile_dim_replicate";
  HILO_ASSIGN_OR_RETURN(hlo::proto::WireWriter proto,
                        hlo::proto::write_sharding(fmt::format("{{devices={}{}{}}}", dimensions_to_string(dimensions),
                                                               fmt::join(ids, ","), suffix)));
  if (summands > 1 && reduction != hlo::ReducerKind::kAdd) {
    constexpr uint32_t kMetadata = 7, kType = 1, kName = 2;  // of OpSharding, and of OpMetadata
    hlo::proto::WireWriter metadata;
    metadata.text(kType, "sdy::reduction_op");
    metadata.text(kName, reduction == hlo::ReducerKind::kMaximum ? "MAX" : "MIN");
    proto.message(kMetadata, metadata);
  }
  return std::move(proto).take();
}

/// Copies a box of `box` elements from one row-major array to another, beginning at `from` with strides `from_strides`.
/// With `combine`, the elements are combined with the existing ones.
void take_box(std::span<const int64_t> box, const std::byte* from, std::span<const int64_t> from_strides, std::byte* to,
              std::span<const int64_t> to_strides, int64_t element, CombineFunction combine) {
  if (box.size() > 1 || (box.size() == 1 && (from_strides[0] != 1 || to_strides[0] != 1))) {
    for (int64_t i = 0; i < box[0]; ++i)
      take_box(box.subspan(1), from + i * from_strides[0] * element, from_strides.subspan(1),
               to + i * to_strides[0] * element, to_strides.subspan(1), element, combine);
    return;
  }
  const int64_t count = box.empty() ? 1 : box[0];
  if (combine != nullptr) {
    combine(to, from, count);
  } else {
    std::memcpy(to, from, count * element);
  }
}

int64_t offset_of(const Shape& whole, std::span<const int64_t> begin) {
  const std::vector<int64_t> strides = row_major_strides(whole.dimensions());
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) offset += strides[d] * begin[d];
  return offset * element_size_bytes(whole.element_type());
}

}  // namespace

Placement replicated(const Shape& shape) { return {shape, shape, {}, {}, {}, hlo::ReducerKind::kAdd}; }

StatusOr<Placement> placement_of(const Shape& shape, const hlo::Sharding& sharding, const hlo::Mesh& mesh,
                                 int64_t devices) {
  Placement placement = replicated(shape);
  if (mesh.device_count() == 1 || devices == 1) return placement;
  if (mesh.device_count() != devices)
    return invalid_argument(fmt::format("{}: got a sharding over {} devices; the program has {}", shape.to_string(),
                                        mesh.device_count(), devices));
  if (std::ssize(sharding.dimensions) != shape.rank())
    return invalid_argument(
        fmt::format("{}: a sharding of {} dimensions", shape.to_string(), sharding.dimensions.size()));
  HILO_ASSIGN_OR_RETURN(const Parts parts, parts_of(shape, sharding, mesh));
  const bool is_partial = parts.summands.parts > 1;
  if (!is_partial && std::ranges::all_of(parts.counts, [](int64_t count) { return count == 1; })) return placement;
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  for (size_t d = 0; d < sizes.size(); ++d) sizes[d] /= parts.counts[d];
  placement.begins = parts.places;
  for (std::vector<int64_t>& begin : placement.begins) {
    for (size_t d = 0; d < sizes.size(); ++d) begin[d] *= sizes[d];
  }
  if (is_partial) placement.summands = parts.summands.part_of_device;
  placement.reduction = sharding.reduction;
  placement.part = shape.with_dimensions(sizes).with_layout(shape.minor_to_major());
  HILO_ASSIGN_OR_RETURN(placement.sharding, op_sharding(parts, mesh, sharding.reduction));
  return placement;
}

namespace {

/// How device k's part is joined to those of earlier devices: copied, combined with them, or skipped if it is equal to
/// one of them.
enum class Joining : uint8_t { kPut, kCombine, kNone };

Joining joining(const Placement& placement, size_t k) {
  Joining found = Joining::kPut;
  for (size_t j = 0; j < k; ++j) {
    if (placement.begins[j] != placement.begins[k]) continue;
    if (placement.summands.empty() || placement.summands[j] == placement.summands[k]) return Joining::kNone;
    found = Joining::kCombine;
  }
  return found;
}

}  // namespace

StatusOr<BufferPtr> gather(const Placement& placement, Device& device, std::span<const BufferPtr> parts) {
  const ElementType type = placement.whole.element_type();
  const CombineFunction combine = combine_function(placement.reduction, type);
  if (!placement.summands.empty() && combine == nullptr)
    return unimplemented(fmt::format("{}: a reduction over devices", placement.whole.to_string()));
  const std::vector<int64_t> to_strides = row_major_strides(placement.whole.dimensions());
  const std::vector<int64_t> from_strides = row_major_strides(placement.part.dimensions());
  HILO_ASSIGN_OR_RETURN(AlignedBuffer allocated, allocate_buffer(placement.whole.byte_size()));
  const auto memory = std::make_shared<AlignedBuffer>(std::move(allocated));
  for (size_t k = 0; k < parts.size(); ++k) {
    const Joining how = joining(placement, k);
    if (how == Joining::kNone) continue;
    HILO_ASSIGN_OR_RETURN(const Literal part, literal_from_buffer(*parts[k]));
    if (part.bytes().empty()) continue;
    take_box(placement.part.dimensions(), part.bytes().data(), from_strides,
             memory->data() + offset_of(placement.whole, placement.begins[k]), to_strides, element_size_bytes(type),
             how == Joining::kCombine ? combine : nullptr);
  }
  return device.from_host({placement.whole, memory->data(), to_strides, HostMemory::kBorrowed, [memory] {}});
}

StatusOr<BufferPtr> cut(const Placement& placement, Device& device, size_t k, const BufferPtr& whole) {
  const bool is_sum = !placement.summands.empty() && placement.reduction == hlo::ReducerKind::kAdd;
  if (is_sum && placement.summands[k] != 0) {
    const Shape& part = placement.part;
    HILO_ASSIGN_OR_RETURN(const Literal zeros, Literal::make(Shape::array(part.element_type(), part.dimensions())));
    const std::vector<int64_t> own_strides = row_major_strides(part.dimensions());
    return device.from_host({part, zeros.bytes().data(), own_strides});
  }
  const std::vector<int64_t> strides = row_major_strides(placement.whole.dimensions());
  const int64_t offset = offset_of(placement.whole, placement.begins[k]);
  if (const std::byte* const data = whole->host_view(); data != nullptr)
    return device.from_host({placement.part, data + offset, strides});
  HILO_ASSIGN_OR_RETURN(const Literal value, literal_from_buffer(*whole));
  return device.from_host({placement.part, value.bytes().data() + offset, strides});
}

}  // namespace hilo::pjrt
