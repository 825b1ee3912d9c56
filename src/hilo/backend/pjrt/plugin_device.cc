// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/plugin_device.h"

#include <fmt/format.h>

#include "hilo/backend/host/relayout.h"
#include "hilo/backend/pjrt/call.h"
#include "hilo/backend/pjrt/element_types.h"
#include "hilo/backend/pjrt/plugin_buffer.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/device/transfers.h"

namespace hilo::plugins {
namespace {

/// Errors    UNIMPLEMENTED for types that the PJRT API doesn't have
StatusOr<PJRT_Buffer_Type> type_of(const Shape& shape) {
  const PJRT_Buffer_Type type = buffer_type(shape.element_type());
  if (type != PJRT_Buffer_Type_INVALID) return type;
  return unimplemented(fmt::format("buffer: got {}; plugins support arrays only", shape.to_string()));
}

}  // namespace

PluginClient& PluginDevice::plugin_client() const { return static_cast<PluginClient&>(client()); }

StatusOr<std::unique_ptr<PluginDevice>> PluginDevice::make(PluginClient& client, PJRT_Device* raw, bool is_local) {
  const Plugin& plugin = client.plugin();
  PJRT_Device_GetDescription_Args description{};
  description.device = raw;
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Device_GetDescription, description));
  PJRT_DeviceDescription_Id_Args id{};
  PJRT_DeviceDescription_ProcessIndex_Args process{};
  PJRT_DeviceDescription_Kind_Args kind{};
  id.device_description = process.device_description = kind.device_description = description.device_description;
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_DeviceDescription_Id, id));
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_DeviceDescription_ProcessIndex, process));
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_DeviceDescription_Kind, kind));
  std::unique_ptr<PluginDevice> device(new PluginDevice(client, raw, id.id, process.process_index,
                                                        std::string(kind.device_kind, kind.device_kind_size)));
  if (is_local) HILO_RETURN_IF_ERROR(device->read_memories());
  return device;
}

Status PluginDevice::read_memories() {
  const Plugin& plugin = plugin_client().plugin();
  if (!has(plugin, &PJRT_Api::PJRT_Device_AddressableMemories)) return ok_status();
  PJRT_Device_AddressableMemories_Args all{};
  all.device = device_;
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Device_AddressableMemories, all));
  PJRT_Device_DefaultMemory_Args first{};
  first.device = device_;
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Device_DefaultMemory, first));
  for (PJRT_Memory* memory : std::span(all.memories, all.num_memories)) {
    PJRT_Memory_Id_Args id{};
    PJRT_Memory_Kind_Args kind{};
    id.memory = kind.memory = memory;
    HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Memory_Id, id));
    HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Memory_Kind, kind));
    memory_kinds_.emplace_back(kind.kind, kind.kind_size);
    const bool is_first = memory == first.memory;  // where buffers are created
    memories_.insert(is_first ? memories_.begin() : memories_.end(), Memory{id.id, memory_kinds_.back()});
  }
  return ok_status();
}

DeviceStatistics PluginDevice::statistics() const {
  DeviceStatistics counted{.live_buffers = live_buffers_, .live_bytes = live_bytes_};
  PJRT_Device_MemoryStats_Args stats{};
  stats.device = device_;
  if (call(plugin_client().plugin(), &PJRT_Api::PJRT_Device_MemoryStats, stats).ok())
    counted.live_bytes = stats.bytes_in_use;
  return counted;
}

void PluginDevice::add_buffer(int64_t bytes) {
  live_buffers_.fetch_add(1, std::memory_order_relaxed);
  live_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

void PluginDevice::remove_buffer(int64_t bytes) {
  live_buffers_.fetch_sub(1, std::memory_order_relaxed);
  live_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

void DestroyBuffer::operator()(PJRT_Buffer* buffer) const {
  PJRT_Buffer_Destroy_Args args{};
  args.buffer = buffer;
  call_quietly(*plugin, &PJRT_Api::PJRT_Buffer_Destroy, args);
}

BufferPtr PluginDevice::buffer(const Shape& shape, RawBuffer raw, Event ready) {
  return std::make_shared<PluginBuffer>(shape, DevicePtr(client().shared_from_this(), this), std::move(raw),
                                        std::move(ready));
}

StatusOr<BufferPtr> PluginDevice::filled(const Shape& shape, RawBuffer raw) {
  const Plugin& plugin = plugin_client().plugin();
  PJRT_Buffer_ReadyEvent_Args args{};
  args.buffer = raw.get();
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Buffer_ReadyEvent, args));
  return buffer(shape, std::move(raw),
                event_of(plugin, plugin_client().pending(), args.event, "copy to " + to_string()));
}

StatusOr<BufferPtr> PluginDevice::allocate(const Shape& shape) {
  HILO_ASSIGN_OR_RETURN(const Literal zeros, Literal::make(shape.with_default_layout()));
  return from_host({shape, zeros.bytes().data()});
}

StatusOr<BufferPtr> PluginDevice::from_host(const HostData& data) try {
  const TransferWatch watch;
  std::shared_ptr<const void> lent(data.data, [release = data.release](const void*) {
    if (release) release();
  });
  HILO_ASSIGN_OR_RETURN(const PJRT_Buffer_Type type, type_of(data.shape));
  AlignedBuffer copy;
  HILO_ASSIGN_OR_RETURN(const std::byte* const bytes, dense_row_major(data, copy));
  // Borrowed memory may be read later, but never becomes the buffer itself: the owner may change it after release.
  const bool reads_later = data.semantics == HostMemory::kBorrowed && data.release && copy.size() == 0;
  PJRT_Client_BufferFromHostBuffer_Args args{};
  args.client = plugin_client().raw();
  args.data = bytes;
  args.type = type;
  args.dims = data.shape.dimensions().data();
  args.num_dims = data.shape.dimensions().size();
  args.host_buffer_semantics = reads_later ? PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes
                                           : PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = device_;
  const Plugin& plugin = plugin_client().plugin();
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Client_BufferFromHostBuffer, args));
  RawBuffer raw(args.buffer, {&plugin});
  const Event was_read =
      event_of(plugin, plugin_client().pending(), args.done_with_host_buffer, "copy to " + to_string(),
               [lent = reads_later ? lent : nullptr]() mutable { lent.reset(); });
  StatusOr<BufferPtr> result = filled(data.shape, std::move(raw));
  if (result.ok()) watch.until((*result)->ready(), *this, Direction::kToDevice, data.shape.byte_size());
  if (!reads_later) HILO_RETURN_IF_ERROR(was_read.await());
  return result;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<BufferPtr> PluginDevice::copy(const BufferPtr& from) {
  const Plugin& plugin = plugin_client().plugin();
  if (&from->device()->client() != &client() || !has(plugin, &PJRT_Api::PJRT_Buffer_CopyToDevice) ||
      from->device().get() == this)  // a copy to the same device, which plugins reject
    return Device::copy(from);
  HILO_ASSIGN_OR_RETURN(const BufferUse use, BufferUse::of(from, "copy"));
  PJRT_Buffer_CopyToDevice_Args args{};
  args.buffer = plugin_buffer(from).raw();
  args.dst_device = device_;
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Buffer_CopyToDevice, args));
  return filled(from->shape(), RawBuffer(args.dst_buffer, {&plugin}));
}

}  // namespace hilo::plugins
