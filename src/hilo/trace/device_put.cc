// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/device_put.h"

#include "hilo/client/xla_bridge.h"
#include "hilo/trace/placement.h"
#include "hilo/trace/shards.h"

namespace hilo {

std::vector<DevicePtr> devices() { return or_throw(get_xla_client())->devices(); }

std::vector<DevicePtr> local_devices() { return or_throw(get_xla_client())->local_devices(); }

int64_t device_count() { return or_throw(get_xla_client())->device_count(); }

int64_t local_device_count() { return static_cast<int64_t>(local_devices().size()); }

std::string default_backend() { return std::string(or_throw(get_xla_client())->platform_name()); }

int64_t process_index() { return or_throw(get_xla_client())->process_index(); }

int64_t process_count() { return or_throw(get_xla_client())->process_count(); }

namespace {

Array put(const Array& array, const DevicePtr& device, bool committed) {
  const ArrayImpl& impl = array.impl();
  const bool weak = impl.aval.weak_type;
  switch (impl.kind) {
    case ArrayImpl::Kind::kTracer: return array;
    case ArrayImpl::Kind::kNumber:
      return array_from_buffer(static_cast<const HostNumber&>(impl).new_on(device), weak, committed);
    case ArrayImpl::Kind::kSharded:
      return array_from_buffer(or_throw(buffer_from_literal(*device, literal_of(array))), weak, committed);
    case ArrayImpl::Kind::kConcrete: break;
  }
  const auto& placed = static_cast<const ConcreteArray&>(impl);
  if (placed.buffer->device() != device)
    return array_from_buffer(or_throw(device->copy(placed.buffer)), weak, committed);
  return placed.committed == committed ? array : array_from_buffer(placed.buffer, weak, committed);
}

}  // namespace

Array device_put(const Array& array, const DevicePtr& device, std::source_location location) {
  const UserLocation here(location);
  return put(array, device, /*committed=*/true);
}

Array device_put(const Array& array, std::source_location location) {
  const UserLocation here(location);
  return put(array, default_device(), /*committed=*/false);
}

const Array& block_until_ready(const Array& array, std::source_location location) {
  const UserLocation here(location);
  const ArrayImpl& impl = array.impl();
  if (impl.kind == ArrayImpl::Kind::kConcrete)
    or_throw(static_cast<const ConcreteArray&>(impl).buffer->ready().await());
  if (const ShardedArray* const sharded = as_sharded(array)) {
    for (const BufferPtr& buffer : sharded->buffers) or_throw(buffer->ready().await());
  }
  return array;
}

}  // namespace hilo
