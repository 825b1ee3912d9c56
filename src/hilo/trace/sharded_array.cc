// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/sharded_array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "hilo/trace/eval_trace.h"
#include "hilo/trace/placement.h"
#include "hilo/trace/refuse.h"
#include "hilo/trace/sharding_constraint.h"
#include "hilo/trace/shards.h"

namespace hilo {
namespace {

/// Where the part of the device at a place begins.
std::vector<int64_t> begin_of(const NamedSharding& sharding, std::span<const int64_t> part, int64_t place) {
  std::vector<int64_t> begin;
  for (size_t d = 0; d < part.size(); ++d) begin.push_back(sharding.part(d, place) * part[d]);
  return begin;
}

ShardIndex index_of(const NamedSharding& sharding, std::span<const int64_t> part, int64_t place) {
  const std::vector<int64_t> begin = begin_of(sharding, part, place);
  ShardIndex index;
  for (size_t d = 0; d < part.size(); ++d)
    index.push_back(sharding.parts(d) == 1 ? all : range(begin[d], begin[d] + part[d]));
  return index;
}

int64_t offset_of(std::span<const int64_t> begin, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < begin.size(); ++d) offset += begin[d] * strides[d];
  return offset;
}

void refuse_elsewhere(const char* function, const NamedSharding& sharding) {
  if (sharding.is_fully_addressable()) return;
  or_throw(
      unimplemented(at_user_line(function) + ": " + sharding.to_string() +
                    " has devices of other processes; wanted those of this one. Hint: pmap, whose replicas may be in "
                    "several processes"));
}

/// A dense row-major box of elements, copied row by row into the place it has in a larger one.
void copy_into(std::byte* whole, std::span<const int64_t> strides, const std::byte* part,
               std::span<const int64_t> sizes, int64_t element_bytes) {
  const int64_t rank = static_cast<int64_t>(sizes.size());
  const int64_t row = rank == 0 ? 1 : sizes.back();
  int64_t rows = 1;
  for (int64_t d = 0; d + 1 < rank; ++d) rows *= sizes[static_cast<size_t>(d)];
  if (row == 0) return;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t left = r, place = 0;
    for (int64_t d = rank - 2; d >= 0; left /= sizes[static_cast<size_t>(d--)])
      place += left % sizes[static_cast<size_t>(d)] * strides[static_cast<size_t>(d)];
    std::memcpy(whole + place * element_bytes, part + r * row * element_bytes,
                static_cast<size_t>(row * element_bytes));
  }
}

/// The part of the device at a place, cut out of host memory that has the whole array.
BufferPtr cut(const Shape& shape, const std::byte* whole, const NamedSharding& sharding, const Shape& part,
              int64_t place) {
  const std::vector<int64_t> strides = row_major_strides(shape.dimensions());
  const int64_t offset = offset_of(begin_of(sharding, part.dimensions(), place), strides);
  const DevicePtr& device = sharding.mesh().devices()[static_cast<size_t>(place)];
  return or_throw(device->from_host({part, whole + offset * element_size_bytes(shape.element_type()), strides}));
}

Array dealt(const Array& array, const NamedSharding& sharding) {
  const Shape& shape = array.aval_shape();
  const Shape part = Shape::array(shape.element_type(), sharding.shard_shape(shape.dimensions()));
  refuse_elsewhere("device_put", sharding);
  const HostView view = host_view_of(array);
  std::vector<BufferPtr> buffers;
  for (int64_t place = 0; place < sharding.mesh().size(); ++place)
    buffers.push_back(cut(shape, view.data, sharding, part, place));
  return array_from_shards(shape, sharding, std::move(buffers), array.weak_type());
}

/// The spec without dimensions that are left open: here nobody chooses for them.
NamedSharding closed(const NamedSharding& sharding) {
  std::vector<SpecEntry> entries = sharding.spec().entries();
  bool open = false;
  for (SpecEntry& entry : entries) {
    open |= entry.is_unconstrained();
    if (entry.is_unconstrained()) entry = SpecEntry(std::nullopt);
  }
  return open ? NamedSharding(sharding.mesh(), PartitionSpec(std::move(entries))) : sharding;
}

Array put(const Array& array, const NamedSharding& wanted) {
  if (wanted.mesh().axis_names().empty()) return device_put(array, wanted.mesh().devices()[0]);
  const NamedSharding sharding = closed(wanted);
  const ShardedArray* const sharded = as_sharded(array);
  if (sharded == nullptr || !sharded->sharding.is_equivalent_to(sharding, array.ndim())) return dealt(array, sharding);
  if (sharded->sharding == sharding) return array;
  return array_from_shards(array.aval_shape(), sharding, sharded->buffers, array.weak_type());
}

/// The one buffer of a part; a number gets one on its device.
BufferPtr part_buffer(const char* function, const Array& part, const Shape& wanted, const DevicePtr& device,
                      size_t number) {
  if (part.aval_shape() != wanted) {
    refuse(function,
           fmt::format("part {} is {}; wanted {}", number, part.aval_shape().to_string(), wanted.to_string()));
  }
  const auto* const number_value =
      part.impl().kind == ArrayImpl::Kind::kNumber ? static_cast<const HostNumber*>(&part.impl()) : nullptr;
  return number_value != nullptr ? number_value->new_on(device) : buffer_of(part);
}

void refuse_tracers(const char* function, std::span<const Array> arrays) {
  if (&current_trace() == &eval_trace() && std::ranges::all_of(arrays, is_concrete)) return;
  or_throw(unimplemented(at_user_line(function) +
                         ": inside a transformation; wanted arrays that have values. Hint: make the array before, or "
                         "with_sharding_constraint"));
}

}  // namespace

Array device_put(const Array& array, const NamedSharding& sharding, std::source_location location) {
  const UserLocation here(location);
  if (!is_concrete(array)) return with_sharding_constraint(array, sharding);
  return put(array, sharding);
}

Array make_array_from_callback(const std::vector<int64_t>& shape, const NamedSharding& sharding, const ShardCallback& f,
                               std::source_location location) {
  const UserLocation here(location);
  constexpr const char* kName = "make_array_from_callback";
  const std::vector<int64_t> part = sharding.shard_shape(shape);
  refuse_elsewhere(kName, sharding);
  std::vector<BufferPtr> buffers;
  std::optional<ElementType> type;
  for (int64_t place = 0; place < sharding.mesh().size(); ++place) {
    const Array given = f(index_of(sharding, part, place));
    refuse_tracers(kName, std::span(&given, 1));
    if (!type) type = given.dtype();
    const DevicePtr& device = sharding.mesh().devices()[static_cast<size_t>(place)];
    const BufferPtr buffer = part_buffer(kName, given, Shape::array(*type, part), device, buffers.size());
    buffers.push_back(buffer->device() == device ? buffer : or_throw(device->copy(buffer)));
  }
  return array_from_shards(or_throw(Shape::make_array(*type, shape)), sharding, std::move(buffers));
}

Array make_array_from_single_device_arrays(const std::vector<int64_t>& shape, const NamedSharding& sharding,
                                           const std::vector<Array>& arrays, std::source_location location) {
  const UserLocation here(location);
  constexpr const char* kName = "make_array_from_single_device_arrays";
  const std::vector<int64_t> part = sharding.shard_shape(shape);
  refuse_elsewhere(kName, sharding);
  refuse_tracers(kName, arrays);
  const std::vector<DevicePtr>& devices = sharding.mesh().devices();
  if (arrays.size() != devices.size())
    refuse(kName,
           fmt::format("got {} arrays; wanted one for each of the mesh's {} devices", arrays.size(), devices.size()));
  const ElementType type = arrays[0].dtype();
  std::vector<BufferPtr> buffers;
  for (size_t i = 0; i < arrays.size(); ++i) {
    buffers.push_back(part_buffer(kName, arrays[i], Shape::array(type, part), devices[i], i));
    if (as_sharded(arrays[i]) == nullptr && buffers[i]->device() == devices[i]) continue;
    refuse(kName,
           fmt::format("part {} lies on {}; wanted {}", i, arrays[i].sharding().to_string(), devices[i]->to_string()));
  }
  return array_from_shards(or_throw(Shape::make_array(type, shape)), sharding, std::move(buffers));
}

Array array_from_shards(const Shape& shape, const NamedSharding& sharding, std::vector<BufferPtr> buffers,
                        bool weak_type) {
  if (sharding.mesh().axis_names().empty()) return array_from_buffer(buffers[0], weak_type, /*committed=*/true);
  return Array(std::make_shared<ShardedArray>(shape, sharding, std::move(buffers), weak_type));
}

StatusOr<Literal> gathered(const ShardedArray& array) {
  const Shape& shape = array.aval.shape;
  HILO_ASSIGN_OR_RETURN(Literal whole, Literal::make(shape.with_default_layout()));
  const std::vector<int64_t> strides = row_major_strides(shape.dimensions());
  const int64_t element_bytes = element_size_bytes(shape.element_type());
  const std::vector<int64_t> part = array.sharding.shard_shape(shape.dimensions());
  std::vector<std::vector<int64_t>> had;  // devices that have the same are asked once
  for (size_t place = 0; place < array.buffers.size(); ++place) {
    const std::vector<int64_t> begin = begin_of(array.sharding, part, static_cast<int64_t>(place));
    if (std::ranges::find(had, begin) != had.end()) continue;
    had.push_back(begin);
    HILO_ASSIGN_OR_RETURN(const Literal value, literal_from_buffer(*array.buffers[place]));
    copy_into(whole.mutable_bytes().data() + offset_of(begin, strides) * element_bytes, strides, value.bytes().data(),
              part, element_bytes);
  }
  return whole;
}

NamedSharding Array::sharding() const {
  const Array value = concrete_value(*this);
  const ShardedArray* const sharded = as_sharded(value);
  return sharded != nullptr ? sharded->sharding : SingleDeviceSharding(value.device());
}

bool Array::is_fully_replicated() const { return sharding().is_fully_replicated(); }
bool Array::is_fully_addressable() const { return sharding().is_fully_addressable(); }

std::vector<Shard> Array::addressable_shards() const {
  const Array value = concrete_value(*this);
  const ShardedArray* const sharded = as_sharded(value);
  if (sharded == nullptr)
    return {{device_put(value, value.device()), ShardIndex(static_cast<size_t>(ndim()), hilo::all), value.device(), 0}};
  const std::vector<int64_t> part = sharded->sharding.shard_shape(shape());
  std::map<std::vector<int64_t>, int64_t> replicas;
  std::vector<Shard> shards;
  for (size_t i = 0; i < sharded->buffers.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    shards.push_back({array_from_buffer(sharded->buffers[i], weak_type(), /*committed=*/true),
                      index_of(sharded->sharding, part, place), sharded->sharding.mesh().devices()[i],
                      replicas[begin_of(sharded->sharding, part, place)]++});
  }
  return shards;
}

}  // namespace hilo
