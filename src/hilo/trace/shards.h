// SPDX-License-Identifier: Apache-2.0
// trace/shards.h -- what an Array points to that several devices share. Not for users.
#pragma once

#include "hilo/trace/named_sharding.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// An array that several devices share: one buffer for each device of this process, in the mesh's order. It is always committed.
struct ShardedArray final : ArrayImpl {
  ShardedArray(const Shape& shape, NamedSharding sharding, std::vector<BufferPtr> buffers, bool weak_type)
      : ArrayImpl(Kind::kSharded, {shape, weak_type}), sharding(std::move(sharding)), buffers(std::move(buffers)) {}
  std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const override {
    return std::make_shared<ShardedArray>(aval.shape, sharding, buffers, weak_type);
  }
  NamedSharding sharding;
  std::vector<BufferPtr> buffers;
};

/// The array as what it is; null for one of another kind.
inline const ShardedArray* as_sharded(const Array& array) {
  const ArrayImpl& impl = array.impl();
  return impl.kind == ArrayImpl::Kind::kSharded ? static_cast<const ShardedArray*>(&impl) : nullptr;
}

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

/// Whether this process's devices have all of the array.
bool has_all_here(const ShardedArray& array);

/// Refuses meshes that processes share unless they have all devices: who isn't in one doesn't know that others run.
void refuse_unreachable(const char* function, const Mesh& mesh);

/// The array of this process's parts in the mesh's order. Precondition: the buffers have the shapes that the sharding says.
Array array_from_shards(const Shape& shape, const NamedSharding& sharding, std::vector<BufferPtr> buffers,
                        bool weak_type = false);

/// The whole value on the host, waiting for it.
/// Errors    FAILED_PRECONDITION where a part is in another process; those of literal_from_buffer
StatusOr<Literal> gathered(const ShardedArray& array);

}  // namespace hilo
