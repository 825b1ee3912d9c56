// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/reshard_array.h"

#include <algorithm>

#include "hilo/hlo/build/builder.h"
#include "hilo/mesh/sharded_program.h"
#include "hilo/mesh/shards.h"

namespace hilo {
namespace {

/// A shard of this process in host memory.
struct Source {
  Box box;
  HostView view;
  BufferPtr buffer;
};

bool are_host_memory(std::span<const BufferPtr> buffers) {
  return std::ranges::all_of(buffers, [](const BufferPtr& buffer) {
    or_throw(buffer->ready().await());
    return buffer->host_view() != nullptr;
  });
}

std::vector<Source> sources_of(const Array& array) {
  std::vector<Source> sources;
  const NamedSharding& sharding = *sharding_of(array);
  const std::span<const int64_t> places = sharding.mesh().local_places();
  const std::span<const BufferPtr> buffers = array.impl().buffers();
  for (size_t i = 0; i < places.size(); ++i) {
    Box box = box_of(sharding, array.shape(), places[i]);
    if (std::ranges::any_of(sources, [&](const Source& source) { return source.box == box; })) continue;
    sources.push_back({std::move(box), host_view_of(array_from_buffer(buffers[i])), buffers[i]});
  }
  return sources;
}

/// Returns the intersection of two boxes; nullopt if it is empty.
std::optional<Box> common(const Box& a, const Box& b) {
  Box both;
  for (size_t d = 0; d < a.begin.size(); ++d) {
    const int64_t begin = std::max(a.begin[d], b.begin[d]);
    const int64_t end = std::min(a.begin[d] + a.size[d], b.begin[d] + b.size[d]);
    if (begin >= end) return std::nullopt;
    both.begin.push_back(begin);
    both.size.push_back(end - begin);
  }
  return both;
}

/// Returns the offset, in elements, of a box in the memory of a larger one.
int64_t offset_in(const Box& box, const Box& inner, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) offset += (inner.begin[d] - box.begin[d]) * strides[d];
  return offset;
}

/// Assembles the shard of one device from sources that overlap it.
BufferPtr assembled_shard(std::span<const Source> sources, ElementType type, const Box& expected,
                          const DevicePtr& device) {
  const Shape part = Shape::array(type, expected.size);
  const int64_t element_bytes = element_size_bytes(type);
  std::shared_ptr<Literal> created;
  for (const Source& source : sources) {
    if (source.box == expected) return or_throw(device->copy(source.buffer));
    const std::optional<Box> shared = common(source.box, expected);
    if (!shared) continue;
    const std::vector<int64_t> strides = row_major_strides(source.box.size);
    const std::byte* const from = source.view.data + offset_in(source.box, *shared, strides) * element_bytes;
    if (*shared == expected) return or_throw(device->from_host({part, from, strides}));
    if (created == nullptr) created = std::make_shared<Literal>(or_throw(Literal::make(part)));
    const std::vector<int64_t> into = row_major_strides(expected.size);
    copy_box(created->mutable_bytes().data() + offset_in(expected, *shared, into) * element_bytes, into, from, strides,
             shared->size, element_bytes);
  }
  if (created == nullptr) return or_throw(device->allocate(part));  // a shard without elements
  HostData lent{part, created->bytes().data()};
  lent.semantics = HostMemory::kBorrowed;
  lent.release = [created] {};
  return or_throw(device->from_host(lent));
}

Array by_copies(const Array& array, const NamedSharding& to) {
  const Shape& shape = array.aval_shape();
  const std::vector<Source> sources = sources_of(array);
  std::vector<BufferPtr> buffers;
  for (const int64_t place : to.mesh().local_places()) {
    const DevicePtr& device = to.mesh().devices()[place];
    buffers.push_back(assembled_shard(sources, shape.element_type(), box_of(to, shape.dimensions(), place), device));
  }
  return array_from_shards(shape, to, std::move(buffers), array.weak_type());
}

/// Reshards by a program that is the identity with other shardings.
Array by_program(const Array& array, const NamedSharding& from, const NamedSharding& to) {
  hlo::Module module;
  module.name = "reshard";
  hlo::Builder builder("reshard");
  const hlo::InstructionId parameter = builder.parameter(array.aval_shape());
  module.entry = or_throw(std::move(builder).build(parameter));
  const ShardedCall call{.meaning = module.entry->fingerprint(), .in = {from}, .out = {to}};
  const Array created = run_on_mesh(call, from.mesh(), {&array, 1}, [&] { return module; })[0];
  return with_weak_type(created, array.weak_type());
}

}  // namespace

Array resharded(const Array& array, const NamedSharding& to) {
  const NamedSharding& from = *sharding_of(array);
  to.shard_shape(array.shape());
  const bool here = has_all_here(from);
  if (!here && to.mesh().is_local())
    or_throw(
        failed_precondition(at_user_line("device_put") + ": " + from.to_string() +
                            " spans devices of other processes, and " + to.to_string() +
                            " has those of this one alone. Hint: device_put(x, NamedSharding(mesh, P())) first, which "
                            "every process calls"));
  if (here && are_host_memory(array.impl().buffers())) return by_copies(array, to);
  if (can_express(from.mesh(), to, array.ndim())) return by_program(array, from, to);
  if (here) return by_copies(array, to);
  // The mesh can't express the sharding, so all devices first get the whole array.
  return by_copies(by_program(array, from, NamedSharding(from.mesh(), PartitionSpec())), to);
}

}  // namespace hilo
