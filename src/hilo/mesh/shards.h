// SPDX-License-Identifier: Apache-2.0
// mesh/shards.h -- what an Array points to that several devices share. Not for users.
#pragma once

#include "hilo/mesh/named_sharding.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// An array that several devices share: one buffer for each device of this process, in the mesh's order. It is always committed.
struct ShardedArray final : SpreadArray {
  ShardedArray(const Shape& shape, NamedSharding sharding, std::vector<BufferPtr> shards, bool weak_type)
      : SpreadArray({shape, weak_type}), sharding(std::move(sharding)), shards(std::move(shards)) {}
  std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const override {
    return std::make_shared<ShardedArray>(aval.shape, sharding, shards, weak_type);
  }
  /// Errors    FAILED_PRECONDITION if a part is in another process only
  Literal literal() const override;
  std::span<const BufferPtr> buffers() const override { return shards; }
  /// The mesh's first of this process.
  DevicePtr device() const override { return shards[0]->device(); }
  BufferPtr on(const DevicePtr& device) const override;
  /// The elements, or the sharding if other processes have some of them.
  std::string to_string() const override;
  /// On the mesh: mesh/sharded_operation.cc.
  std::vector<Array> run(const Operation& operation) const override;

  NamedSharding sharding;
  std::vector<BufferPtr> shards;
};

/// How devices share the array; null for an array on one device, a number and a tracer.
inline const NamedSharding* sharding_of(const Array& array) {
  const ArrayImpl& impl = array.impl();
  return impl.kind == ArrayImpl::Kind::kSpread ? &static_cast<const ShardedArray&>(impl).sharding : nullptr;
}

/// The parts of Array::addressable_shards.
std::vector<Shard> shards_of(const Array& array);

/// A box in an array.
struct Box {
  std::vector<int64_t> begin, size;  ///< by dimension
  bool operator==(const Box&) const = default;
};
/// What the device at a place of the mesh has. Precondition: the devices divide the array.
Box box_of(const NamedSharding& sharding, std::span<const int64_t> shape, int64_t place);

/// Copies a box of elements between memories of such strides, which both begin with the box.
void copy_box(std::byte* to, std::span<const int64_t> to_strides, const std::byte* from,
              std::span<const int64_t> from_strides, std::span<const int64_t> sizes, int64_t element_bytes);

/// Whether this process's devices have all of an array that is shared like that.
bool has_all_here(const NamedSharding& sharding);

/// Refuses meshes that processes share unless they have all devices: who isn't in one doesn't know that others run.
void refuse_unreachable(const char* function, const Mesh& mesh);

/// The array of this process's parts in the mesh's order. Precondition: the buffers have the shapes that the sharding says.
Array array_from_shards(const Shape& shape, const NamedSharding& sharding, std::vector<BufferPtr> buffers,
                        bool weak_type = false);

}  // namespace hilo
