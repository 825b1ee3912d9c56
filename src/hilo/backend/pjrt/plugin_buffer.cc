// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/plugin_buffer.h"

#include <boost/container/small_vector.hpp>

#include "hilo/backend/pjrt/call.h"
#include "hilo/device/transfers.h"

namespace hilo::plugins {
namespace {

/// Plugins return numbers narrower than a byte padded with zeros. hilo's bytes have the number's sign.
void extend_signs(ElementType type, std::byte* data, int64_t count) {
  const int unused = 8 - element_type_info(type).bits;
  auto* const numbers = reinterpret_cast<int8_t*>(data);
  for (int64_t i = 0; i < count; ++i)
    numbers[i] = static_cast<int8_t>(static_cast<int8_t>(static_cast<uint8_t>(numbers[i]) << unused) >> unused);
}

}  // namespace

PluginBuffer::PluginBuffer(const Shape& shape, DevicePtr device, RawBuffer raw, Event ready)
    : Buffer(shape, std::move(device), std::move(ready)), raw_(std::move(raw)) {
  plugin_device().add_buffer(shape.byte_size());
}

PluginBuffer::~PluginBuffer() {
  if (raw_ != nullptr) free_memory();
}

void PluginBuffer::free_memory() {
  raw_.reset();
  plugin_device().remove_buffer(shape().byte_size());
}

Event PluginBuffer::read(std::byte* row_major) const {
  auto& client = static_cast<PluginClient&>(device()->client());
  if (shape().byte_size() == 0) return ready();
  const TransferWatch watch;
  // Without a layout the bytes would have the device's layout.
  boost::container::small_vector<int64_t, 8> minor_to_major;
  for (int64_t dimension = shape().rank(); dimension > 0; --dimension) minor_to_major.push_back(dimension - 1);
  PJRT_Buffer_MemoryLayout layout{};
  layout.struct_size = kPjrtStructSize<PJRT_Buffer_MemoryLayout>;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = kPjrtStructSize<PJRT_Buffer_MemoryLayout_Tiled>;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  PJRT_Buffer_ToHostBuffer_Args args{};
  args.src = raw();
  args.host_layout = &layout;
  args.dst = row_major;
  args.dst_size = shape().byte_size();
  const Status status = call(client.plugin(), &PJRT_Api::PJRT_Buffer_ToHostBuffer, args);
  if (!status.ok()) return Event::finished(status);
  std::function<void()> then;
  const ElementType type = shape().element_type();
  if (is_signed_integer(type) && element_type_info(type).bits < 8)
    then = [type, row_major, count = shape().element_count()] { extend_signs(type, row_major, count); };
  Event done =
      event_of(client.plugin(), client.pending(), args.event, "copy from " + device()->to_string(), std::move(then));
  watch.until(done, *device(), Direction::kFromDevice, shape().byte_size());
  return done;
}

}  // namespace hilo::plugins
