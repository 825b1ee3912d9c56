// SPDX-License-Identifier: Apache-2.0
// trace/shards.h -- what an Array points to that several devices share. Not for users.
#pragma once

#include "hilo/trace/named_sharding.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// An array that several devices share: one buffer a device, in the mesh's order. It is always committed.
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

/// The array of its parts in the mesh's order. Precondition: the buffers have the shapes that the sharding says.
Array array_from_shards(const Shape& shape, const NamedSharding& sharding, std::vector<BufferPtr> buffers,
                        bool weak_type = false);

/// The whole value on the host, waiting for it.
/// Errors    those of literal_from_buffer
StatusOr<Literal> gathered(const ShardedArray& array);

}  // namespace hilo
