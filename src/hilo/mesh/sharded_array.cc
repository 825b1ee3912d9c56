// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/sharded_array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "hilo/array/refuse.h"
#include "hilo/device/client.h"
#include "hilo/mesh/reshard_array.h"
#include "hilo/mesh/sharding_constraint.h"
#include "hilo/mesh/shards.h"
#include "hilo/trace/eval_trace.h"

namespace hilo {
namespace {

ShardIndex index_of(const NamedSharding& sharding, const Box& box) {
  ShardIndex index;
  for (size_t d = 0; d < box.begin.size(); ++d)
    index.push_back(sharding.parts(d) == 1 ? all : range(box.begin[d], box.begin[d] + box.size[d]));
  return index;
}

int64_t offset_of(std::span<const int64_t> begin, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < begin.size(); ++d) offset += begin[d] * strides[d];
  return offset;
}

const DevicePtr& device_at(const NamedSharding& sharding, int64_t place) { return sharding.mesh().devices()[place]; }

/// Cuts the shards of this process's devices out of host memory. `begin_of(its box)` returns where a shard begins.
template <typename BeginOf>
Array cut_here(const Array& local, const Shape& shape, const NamedSharding& sharding, const BeginOf& begin_of) {
  const HostView view = host_view_of(local);
  const std::vector<int64_t> strides = row_major_strides(local.shape());
  std::vector<BufferPtr> buffers;
  for (const int64_t place : sharding.mesh().local_places()) {
    const Box box = box_of(sharding, shape.dimensions(), place);
    const int64_t offset = offset_of(begin_of(box), strides) * element_size_bytes(shape.element_type());
    const Shape part = Shape::array(shape.element_type(), box.size);
    buffers.push_back(or_throw(device_at(sharding, place)->from_host({part, view.data + offset, strides})));
  }
  return array_from_shards(shape, sharding, std::move(buffers), local.weak_type());
}

Array dealt(const Array& array, const NamedSharding& sharding) {
  sharding.shard_shape(array.shape());
  return cut_here(array, array.aval_shape(), sharding, [](const Box& box) { return box.begin; });
}

/// Returns the spec with its open dimensions unsharded, because no propagation follows.
NamedSharding closed(const NamedSharding& sharding) {
  std::vector<SpecEntry> entries = sharding.spec().entries();
  bool open = false;
  for (SpecEntry& entry : entries) {
    open |= entry.is_unconstrained();
    if (entry.is_unconstrained()) entry = SpecEntry(std::nullopt);
  }
  return open ? NamedSharding(sharding.mesh(), PartitionSpec(std::move(entries))) : sharding;
}

Array put(const Array& array, const NamedSharding& expected) {
  if (expected.mesh().axis_names().empty()) return device_put(array, expected.mesh().devices()[0]);
  const NamedSharding sharding = closed(expected);
  refuse_unreachable("device_put", sharding.mesh());
  const NamedSharding* const from = sharding_of(array);
  if (from == nullptr) return dealt(array, sharding);
  if (!from->is_equivalent_to(sharding, array.ndim())) return resharded(array, sharding);
  if (*from == sharding) return array;
  const std::span<const BufferPtr> shards = array.impl().buffers();
  return array_from_shards(array.aval_shape(), sharding, {shards.begin(), shards.end()}, array.weak_type());
}

/// Returns the only buffer of a part; a number gets one on the part's device.
BufferPtr buffer_of_part(const char* function, const Array& part, const Shape& expected, const DevicePtr& device,
                         size_t number) {
  if (part.aval_shape() != expected) {
    refuse(function,
           fmt::format("part {} is {}; wanted {}", number, part.aval_shape().to_string(), expected.to_string()));
  }
  const BufferArray* const placed = on_a_device(part);
  return placed != nullptr ? placed->buffer : part.impl().on(device);
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
  refuse_unreachable(kName, sharding.mesh());
  std::vector<BufferPtr> buffers;
  std::optional<ElementType> type;
  for (const int64_t place : sharding.mesh().local_places()) {
    const Array given = f(index_of(sharding, box_of(sharding, shape, place)));
    refuse_tracers(kName, std::span(&given, 1));
    if (!type) type = given.dtype();
    const DevicePtr& device = device_at(sharding, place);
    const BufferPtr buffer = buffer_of_part(kName, given, Shape::array(*type, part), device, buffers.size());
    buffers.push_back(buffer->device() == device ? buffer : or_throw(device->copy(buffer)));
  }
  return array_from_shards(or_throw(Shape::make_array(*type, shape)), sharding, std::move(buffers));
}

namespace {

/// Returns the distinct starts, in ascending order, of the parts of a dimension on this process's devices.
std::vector<int64_t> begins_here(const NamedSharding& sharding, std::span<const int64_t> shape, size_t dimension) {
  std::set<int64_t> begins;
  for (const int64_t place : sharding.mesh().local_places())
    begins.insert(box_of(sharding, shape, place).begin[dimension]);
  return {begins.begin(), begins.end()};
}

/// Returns the number of parts of a dimension on this process's devices.
int64_t parts_here(const NamedSharding& sharding, size_t dimension) {
  std::set<int64_t> parts;
  for (const int64_t place : sharding.mesh().local_places()) parts.insert(sharding.part(dimension, place));
  return std::max<int64_t>(std::ssize(parts), 1);
}

std::vector<int64_t> global_shape_of(const NamedSharding& sharding, std::span<const int64_t> local) {
  std::vector<int64_t> shape(local.begin(), local.end());
  for (size_t d = 0; d < shape.size(); ++d) shape[d] = shape[d] / parts_here(sharding, d) * sharding.parts(d);
  return shape;
}

}  // namespace

Array make_array_from_process_local_data(const NamedSharding& sharding, const Array& local_data,
                                         const std::optional<std::vector<int64_t>>& global_shape,
                                         std::source_location location) {
  const UserLocation here(location);
  constexpr const char* kName = "make_array_from_process_local_data";
  refuse_unreachable(kName, sharding.mesh());
  refuse_tracers(kName, std::span(&local_data, 1));
  if (sharding.spec().size() > static_cast<size_t>(local_data.ndim())) sharding.shard_shape(local_data.shape());
  const std::vector<int64_t> shape = global_shape.value_or(global_shape_of(sharding, local_data.shape()));
  const std::vector<int64_t> part = sharding.shard_shape(shape);
  if (std::ranges::equal(shape, local_data.shape())) return device_put(local_data, sharding);
  std::vector<std::vector<int64_t>> begins;
  std::vector<int64_t> expected;
  for (size_t d = 0; d < shape.size(); ++d) {
    begins.push_back(begins_here(sharding, shape, d));
    expected.push_back(std::ssize(begins.back()) * part[d]);
  }
  if (!std::ranges::equal(expected, local_data.shape()))
    refuse(kName, fmt::format("this process has {} of ({}) by {}; wanted ({}), the parts of its devices",
                              local_data.aval_shape().to_string(), fmt::join(shape, ", "), sharding.to_string(),
                              fmt::join(expected, ", ")));
  return cut_here(local_data, or_throw(Shape::make_array(local_data.dtype(), shape)), sharding, [&](const Box& box) {
    std::vector<int64_t> begin;
    for (size_t d = 0; d < shape.size(); ++d)
      begin.push_back((std::ranges::find(begins[d], box.begin[d]) - begins[d].begin()) * part[d]);
    return begin;
  });
}

Array make_array_from_single_device_arrays(const std::vector<int64_t>& shape, const NamedSharding& sharding,
                                           const std::vector<Array>& arrays, std::source_location location) {
  const UserLocation here(location);
  constexpr const char* kName = "make_array_from_single_device_arrays";
  const std::vector<int64_t> part = sharding.shard_shape(shape);
  refuse_unreachable(kName, sharding.mesh());
  refuse_tracers(kName, arrays);
  std::vector<DevicePtr> devices;
  for (const int64_t place : sharding.mesh().local_places()) devices.push_back(device_at(sharding, place));
  if (arrays.size() != devices.size())
    refuse(kName, fmt::format("got {} arrays; wanted one for each of the mesh's {} devices{}", arrays.size(),
                              devices.size(), sharding.is_fully_addressable() ? "" : " in this process"));
  const ElementType type = arrays[0].dtype();
  std::vector<BufferPtr> buffers;
  for (size_t i = 0; i < arrays.size(); ++i) {
    buffers.push_back(buffer_of_part(kName, arrays[i], Shape::array(type, part), devices[i], i));
    if (sharding_of(arrays[i]) == nullptr && buffers[i]->device() == devices[i]) continue;
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

Box box_of(const NamedSharding& sharding, std::span<const int64_t> shape, int64_t place) {
  Box box;
  for (size_t d = 0; d < shape.size(); ++d) {
    box.size.push_back(shape[d] / sharding.parts(d));
    box.begin.push_back(sharding.part(d, place) * box.size[d]);
  }
  return box;
}

/// Copies row by row.
void copy_box(std::byte* to, std::span<const int64_t> to_strides, const std::byte* from,
              std::span<const int64_t> from_strides, std::span<const int64_t> sizes, int64_t element_bytes) {
  const size_t rank = sizes.size();
  const int64_t row = rank == 0 ? 1 : sizes.back();
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < rank; ++d) rows *= sizes[d];
  if (row == 0) return;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t left = r, into = 0, out_of = 0;
    for (size_t d = rank < 2 ? 0 : rank - 1; d-- > 0; left /= sizes[d]) {
      into += left % sizes[d] * to_strides[d];
      out_of += left % sizes[d] * from_strides[d];
    }
    std::memcpy(to + into * element_bytes, from + out_of * element_bytes, row * element_bytes);
  }
}

bool has_all_here(const NamedSharding& sharding) {
  if (sharding.is_fully_addressable()) return true;
  std::set<std::vector<int64_t>> had;
  for (const int64_t place : sharding.mesh().local_places()) {
    std::vector<int64_t> part;
    for (size_t d = 0; d < sharding.spec().size(); ++d) part.push_back(sharding.part(d, place));
    had.insert(std::move(part));
  }
  int64_t all = 1;
  for (size_t d = 0; d < sharding.spec().size(); ++d) all *= sharding.parts(d);
  return std::ssize(had) == all;
}

void refuse_unreachable(const char* function, const Mesh& mesh) {
  if (mesh.is_local() || mesh.size() == mesh.devices()[0]->client().device_count()) return;
  or_throw(
      unimplemented(at_user_line(function) +
                    fmt::format(": {} has {} of the {} devices of all processes; wanted all, or those of this process "
                                "alone",
                                mesh.to_string(), mesh.size(), mesh.devices()[0]->client().device_count())));
}

Literal ShardedArray::literal() const {
  const Shape& shape = aval.shape;
  if (!has_all_here(sharding)) {
    or_throw(failed_precondition(fmt::format(
        "array: fetching the value of {} with {}, which spans devices of other processes, is not possible. Hint: "
        "device_put(x, NamedSharding(mesh, P())) gives all of it to every process; addressable_shards() are "
        "this process's parts",
        shape.to_string(), sharding.to_string())));
  }
  Literal whole = or_throw(Literal::make(shape.with_default_layout()));
  const std::vector<int64_t> strides = row_major_strides(shape.dimensions());
  const int64_t element_bytes = element_size_bytes(shape.element_type());
  const std::span<const int64_t> places = sharding.mesh().local_places();
  std::set<std::vector<int64_t>> had;  // parts that several devices hold are requested once
  for (size_t i = 0; i < places.size(); ++i) {
    const Box box = box_of(sharding, shape.dimensions(), places[i]);
    if (!had.insert(box.begin).second) continue;
    const Literal value = or_throw(literal_from_buffer(*shards[i]));
    copy_box(whole.mutable_bytes().data() + offset_of(box.begin, strides) * element_bytes, strides,
             value.bytes().data(), row_major_strides(box.size), box.size, element_bytes);
  }
  return whole;
}

BufferPtr ShardedArray::on(const DevicePtr& device) const { return or_throw(buffer_from_literal(*device, literal())); }

std::string ShardedArray::to_string() const {
  if (has_all_here(sharding)) return SpreadArray::to_string();
  return "Array(" + aval.shape.to_string() + ", " + sharding.to_string() + ")";
}

std::vector<Shard> shards_of(const Array& array) {
  const Array value = concrete_value(array);
  if (sharding_of(value) == nullptr)
    return {{device_put(value, value.device()), ShardIndex(static_cast<size_t>(value.ndim()), hilo::all),
             value.device(), 0}};
  const NamedSharding& sharding = *sharding_of(value);
  const std::span<const BufferPtr> buffers = value.impl().buffers();
  std::map<std::vector<int64_t>, int64_t> replicas;
  std::vector<Shard> shards;
  for (int64_t place = 0; place < sharding.mesh().size(); ++place) {
    const Box box = box_of(sharding, value.shape(), place);
    const int64_t replica = replicas[box.begin]++;
    const size_t next = shards.size();
    if (next == buffers.size() || sharding.mesh().local_places()[next] != place) continue;
    shards.push_back({array_from_buffer(buffers[next], value.weak_type(), /*committed=*/true), index_of(sharding, box),
                      device_at(sharding, place), replica});
  }
  return shards;
}

}  // namespace hilo
