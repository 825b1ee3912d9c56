// SPDX-License-Identifier: Apache-2.0
#include "hilo/array/device_put.h"

#include <utility>

#include "hilo/array/array_impl.h"
#include "hilo/client/xla_bridge.h"

namespace hilo {

std::vector<DevicePtr> devices() { return or_throw(get_xla_client())->devices(); }

std::vector<DevicePtr> local_devices() { return or_throw(get_xla_client())->local_devices(); }

int64_t device_count() { return or_throw(get_xla_client())->device_count(); }

int64_t local_device_count() { return std::ssize(local_devices()); }

std::string default_backend() { return std::string(or_throw(get_xla_client())->platform_name()); }

int64_t process_index() { return or_throw(get_xla_client())->process_index(); }

int64_t process_count() { return or_throw(get_xla_client())->process_count(); }

namespace {

thread_local DevicePtr scoped_device;  // of default_device(device); null: none

Array put(const Array& array, const DevicePtr& device, bool committed) {
  if (!is_concrete(array)) return array;
  const BufferArray* const placed = on_a_device(array);
  if (placed != nullptr && placed->committed == committed && placed->buffer->device() == device) return array;
  return array_from_buffer(array.impl().on(device), array.weak_type(), committed);
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
  for (const BufferPtr& buffer : array.impl().buffers()) or_throw(buffer->ready().await());
  return array;
}

DefaultDeviceScope::DefaultDeviceScope(DevicePtr device) : before_(std::exchange(scoped_device, std::move(device))) {}
DefaultDeviceScope::~DefaultDeviceScope() { scoped_device = std::move(before_); }
DefaultDeviceScope default_device(DevicePtr device) { return DefaultDeviceScope(std::move(device)); }

const DevicePtr& scoped_default_device() { return scoped_device; }

DevicePtr default_device() {
  if (scoped_device != nullptr) return scoped_device;
  const XlaClientPtr client = or_throw(get_xla_client());
  return client->default_device();
}

}  // namespace hilo
