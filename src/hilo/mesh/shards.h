// SPDX-License-Identifier: Apache-2.0
// mesh/shards.h -- the implementation of Array for sharded arrays. Not for users.
#pragma once

#include "hilo/mesh/named_sharding.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// An array on several devices: one buffer for each device of this process, in the mesh's order. Always committed.
struct ShardedArray final : SpreadArray {
  ShardedArray(const Shape& shape, NamedSharding sharding, std::vector<BufferPtr> shards, bool weak_type)
      : SpreadArray({shape, weak_type}), sharding(std::move(sharding)), shards(std::move(shards)) {}
  std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const override {
    return std::make_shared<ShardedArray>(aval.shape, sharding, shards, weak_type);
  }
  /// Returns the whole array.
  /// Errors     FAILED_PRECONDITION if only another process holds a shard
  Literal literal() const override;
  std::span<const BufferPtr> buffers() const override { return shards; }
  /// Returns the mesh's first device of this process.
  DevicePtr device() const override { return shards[0]->device(); }
  BufferPtr on(const DevicePtr& device) const override;
  /// Returns the elements, or the sharding if other processes hold some of them.
  std::string to_string() const override;
  /// Runs on the mesh; see mesh/sharded_operation.cc.
  std::vector<Array> run(const Operation& operation) const override;

  NamedSharding sharding;
  std::vector<BufferPtr> shards;
};

/// Returns the sharding; null for an array on one device, a number and a tracer.
inline const NamedSharding* sharding_of(const Array& array) {
  const ArrayImpl& impl = array.impl();
  return impl.kind == ArrayImpl::Kind::kSpread ? &static_cast<const ShardedArray&>(impl).sharding : nullptr;
}

/// Implements Array::addressable_shards.
std::vector<Shard> shards_of(const Array& array);

/// A box in an array.
struct Box {
  std::vector<int64_t> begin, size;  ///< one entry per dimension
  bool operator==(const Box&) const = default;
};
/// Returns the part of the device at a place of the mesh.
/// Precondition: the devices divide the array
Box box_of(const NamedSharding& sharding, std::span<const int64_t> shape, int64_t place);

/// Copies a box of elements between memories with these strides; both begin with the box.
void copy_box(std::byte* to, std::span<const int64_t> to_strides, const std::byte* from,
              std::span<const int64_t> from_strides, std::span<const int64_t> sizes, int64_t element_bytes);

/// Returns whether this process's devices hold all of an array with this sharding.
bool has_all_here(const NamedSharding& sharding);

/// Rejects meshes that several processes share without having all devices, because the others wouldn't take part in the
/// run.
void refuse_unreachable(const char* function, const Mesh& mesh);

/// Creates an array from this process's shards in the mesh's order.
/// Precondition: the buffers have the shapes of the sharding
Array array_from_shards(const Shape& shape, const NamedSharding& sharding, std::vector<BufferPtr> buffers,
                        bool weak_type = false);

}  // namespace hilo
