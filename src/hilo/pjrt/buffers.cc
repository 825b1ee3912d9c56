// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <numeric>

#include "hilo/backend/host/relayout.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/device/buffer.h"
#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/host_memory.h"
#include "hilo/pjrt/objects.h"
#include "hilo/pjrt/shapes.h"

namespace hilo::pjrt {
namespace {

/// Returns the memory that the caller passes, or the default memory of the device.
StatusOr<PJRT_Memory*> chosen(PJRT_Memory* memory, PJRT_Device* device) {
  if (memory != nullptr) return memory;
  if (device != nullptr) return device->memories[0];
  return invalid_argument("neither 'memory' nor 'device' is set for the new buffer");
}

/// Checks that a buffer is alive.
/// Errors    INVALID_ARGUMENT for a deleted buffer
Status check_live(const PJRT_Buffer* buffer, std::string_view what) {
  HILO_RETURN_IF_ERROR(check_not_null(buffer, "buffer"));
  if (!buffer->deleted && buffer->buffer->state() == BufferState::kLive) return ok_status();
  return invalid_argument(
      fmt::format("{}: buffer {} has been deleted or donated", what, buffer->buffer->shape().to_string()));
}

/// Copies elements with any strides in bytes to row-major order.
void copy_bytes(const std::byte* from, std::span<const int64_t> dims, std::span<const int64_t> strides, size_t element,
                std::byte*& to) {
  if (dims.empty()) {
    std::memcpy(to, from, element);
    to += element;
    return;
  }
  for (int64_t i = 0; i < dims[0]; ++i)
    copy_bytes(from + i * strides[0], dims.subspan(1), strides.subspan(1), element, to);
}

/// Copies a host array whose strides aren't multiples of the element size, such as a field of a record.
StatusOr<BufferPtr> from_odd_strides(Device& device, const Shape& shape, const std::byte* data,
                                     std::span<const int64_t> byte_strides) {
  HILO_ASSIGN_OR_RETURN(const AlignedBuffer memory, allocate_buffer(shape.byte_size()));
  std::byte* to = const_cast<std::byte*>(memory.data());
  if (shape.element_count() != 0)
    copy_bytes(data, shape.dimensions(), byte_strides, element_size_bytes(shape.element_type()), to);
  return device.from_host({shape, memory.data(), row_major_strides(shape.dimensions())});
}

}  // namespace

PJRT_Buffer* new_buffer(const ClientStatePtr& client, BufferPtr buffer, PJRT_Memory* memory) {
  const std::span<const int64_t> order = buffer->shape().minor_to_major();
  std::vector<int64_t> minor_to_major(order.begin(), order.end());
  return Handles<PJRT_Buffer>::make(client, std::move(buffer), memory, false, 0, std::move(minor_to_major));
}

PJRT_Buffer* new_buffer(const ClientStatePtr& client, BufferPtr buffer) {
  PJRT_Memory* const memory = client->find(buffer->device()->id())->memories[0];
  return new_buffer(client, std::move(buffer), memory);
}

Status answer(PJRT_Client_BufferFromHostBuffer_Args& args) {
  HILO_PJRT_WANTED(args, client);
  HILO_ASSIGN_OR_RETURN(PJRT_Memory* const memory, chosen(args.memory, args.device));
  HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(args.type, args.dims, args.num_dims, args.device_layout));
  if (shape.byte_size() != 0) HILO_PJRT_WANTED(args, data);
  if (args.num_byte_strides != 0 && args.num_byte_strides != args.num_dims)
    return invalid_argument(fmt::format("got {} byte strides for {}", args.num_byte_strides, shape.to_string()));
  Device& device = *object(memory).device->device;
  const auto* const data = static_cast<const std::byte*>(args.data);
  const std::span<const int64_t> byte_strides(args.byte_strides, args.num_byte_strides);
  const int64_t element = element_size_bytes(shape.element_type());
  std::vector<int64_t> strides;
  bool odd = false;
  for (const int64_t stride : byte_strides) {
    odd |= stride % element != 0;
    strides.push_back(stride / element);
  }
  EventSource source;
  Event done = source.event();
  BufferPtr buffer;
  if (odd) {
    HILO_ASSIGN_OR_RETURN(buffer, from_odd_strides(device, shape, data, byte_strides));
    source.finish(ok_status());
  } else {
    const bool lent = args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
                      args.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
    HostData host{shape, data, strides, lent ? HostMemory::kBorrowed : HostMemory::kReadNow};
    if (lent) {
      host.release = [shared = std::make_shared<EventSource>(std::move(source))] { shared->finish(ok_status()); };
    }
    HILO_ASSIGN_OR_RETURN(buffer, device.from_host(host));
    if (!lent) source.finish(ok_status());
  }
  args.buffer = new_buffer(args.client->state, std::move(buffer), memory);
  args.done_with_host_buffer = new_event(std::move(done));
  return ok_status();
}

Status answer(PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  HILO_PJRT_WANTED(args, client);
  HILO_ASSIGN_OR_RETURN(PJRT_Memory* const memory, chosen(args.memory, args.device));
  HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(args.element_type, args.dims, args.num_dims, args.layout));
  if (shape.byte_size() != 0) HILO_PJRT_WANTED(args, device_buffer_ptr);
  if (shape.byte_size() != 0 && reinterpret_cast<uintptr_t>(args.device_buffer_ptr) % kBufferAlignment != 0) {
    // JAX recognizes this text and copies then.
    return invalid_argument(fmt::format("Can't create a view of memory at {}, which is not aligned to {} bytes.",
                                        args.device_buffer_ptr, kBufferAlignment));
  }
  const std::vector<int64_t> strides = strides_of(shape);
  const auto release = [callback = args.on_delete_callback, pointer = args.device_buffer_ptr,
                        user_arg = args.on_delete_callback_arg] {
    if (callback != nullptr) callback(pointer, user_arg);
  };
  HILO_ASSIGN_OR_RETURN(BufferPtr buffer, object(memory).device->device->from_host(
                                              {shape, static_cast<const std::byte*>(args.device_buffer_ptr), strides,
                                               HostMemory::kBorrowed, release}));
  args.buffer = new_buffer(args.client->state, std::move(buffer), memory);
  return ok_status();
}

Status answer(PJRT_Client_CreateUninitializedBuffer_Args& args) {
  HILO_PJRT_WANTED(args, client);
  HILO_ASSIGN_OR_RETURN(PJRT_Memory* const memory, chosen(args.memory, args.device));
  HILO_ASSIGN_OR_RETURN(const Shape shape,
                        shape_of(args.shape_element_type, args.shape_dims, args.shape_num_dims, args.shape_layout));
  HILO_ASSIGN_OR_RETURN(BufferPtr buffer, object(memory).device->device->allocate(shape));
  args.buffer = new_buffer(args.client->state, std::move(buffer), memory);
  return ok_status();
}

Status answer(PJRT_Buffer_Destroy_Args& args) {
  PJRT_Buffer* const buffer = args.buffer;
  if (buffer == nullptr) return ok_status();
  if (!Handles<PJRT_Buffer>::lives(buffer)) return failed_precondition("the buffer is already destroyed");
  for (int i = buffer->external_references; i > 0; --i) buffer->buffer->end_use();
  return Handles<PJRT_Buffer>::destroy(buffer);
}

HILO_PJRT_GETTER(PJRT_Buffer_ElementType, buffer, args.type = buffer_type(args.buffer->buffer->shape().element_type()))

Status answer(PJRT_Buffer_Dimensions_Args& args) {
  HILO_PJRT_WANTED(args, buffer);
  const std::span<const int64_t> dimensions = args.buffer->buffer->shape().dimensions();
  args.dims = dimensions.data();
  args.num_dims = dimensions.size();
  return ok_status();
}

Status answer(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  HILO_PJRT_WANTED(args, buffer);
  const std::span<const int64_t> dimensions = args.buffer->buffer->shape().dimensions();
  args.unpadded_dims = dimensions.data();
  args.num_dims = dimensions.size();
  return ok_status();
}

HILO_PJRT_GETTER(PJRT_Buffer_DynamicDimensionIndices, buffer, args.dynamic_dim_indices = nullptr,
                 args.num_dynamic_dims = 0)  // all dimensions are static

Status answer(PJRT_Buffer_GetMemoryLayout_Args& args) {
  HILO_PJRT_WANTED(args, buffer);
  args.layout = {};
  args.layout.struct_size = kPjrtStructSize<PJRT_Buffer_MemoryLayout>;
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled.struct_size = kPjrtStructSize<PJRT_Buffer_MemoryLayout_Tiled>;
  args.layout.tiled.minor_to_major = args.buffer->minor_to_major.data();
  args.layout.tiled.minor_to_major_size = args.buffer->minor_to_major.size();
  return ok_status();
}

HILO_PJRT_GETTER(PJRT_Buffer_OnDeviceSizeInBytes, buffer,
                 args.on_device_size_in_bytes = static_cast<size_t>(args.buffer->buffer->shape().byte_size()))
HILO_PJRT_GETTER(PJRT_Buffer_Device, buffer, args.device = object(args.buffer->memory).device)
HILO_PJRT_GETTER(PJRT_Buffer_Memory, buffer, args.memory = args.buffer->memory)

/// Readers that still use the memory keep it alive; the last one frees it.
Status answer(PJRT_Buffer_Delete_Args& args) {
  HILO_PJRT_WANTED(args, buffer);
  if (args.buffer->deleted.exchange(true)) return ok_status();
  const Status removed = args.buffer->buffer->remove();
  return args.buffer->buffer->state() == BufferState::kLive || removed.ok() ? ok_status() : removed;
}

HILO_PJRT_GETTER(PJRT_Buffer_IsDeleted, buffer,
                 args.is_deleted = args.buffer->deleted || args.buffer->buffer->state() != BufferState::kLive)

Status answer(PJRT_Buffer_CopyToMemory_Args& args) {
  HILO_RETURN_IF_ERROR(check_live(args.buffer, "PJRT_Buffer_CopyToMemory"));
  HILO_PJRT_WANTED(args, dst_memory);
  HILO_ASSIGN_OR_RETURN(BufferPtr copy, object(args.dst_memory).device->device->copy(args.buffer->buffer));
  args.dst_buffer = new_buffer(args.buffer->client, std::move(copy), args.dst_memory);
  return ok_status();
}

Status answer(PJRT_Buffer_CopyToDevice_Args& args) {
  HILO_RETURN_IF_ERROR(check_live(args.buffer, "PJRT_Buffer_CopyToDevice"));
  HILO_PJRT_WANTED(args, dst_device);
  HILO_ASSIGN_OR_RETURN(BufferPtr copy, args.dst_device->device->copy(args.buffer->buffer));
  args.dst_buffer = new_buffer(args.buffer->client, std::move(copy), args.dst_device->memories[0]);
  return ok_status();
}

Status answer(PJRT_Buffer_ToHostBuffer_Args& args) {
  HILO_PJRT_WANTED(args, src);
  const Shape& shape = args.src->buffer->shape();
  const size_t bytes = shape.byte_size();
  if (args.dst == nullptr) {
    args.dst_size = bytes;
    return ok_status();
  }
  HILO_RETURN_IF_ERROR(check_live(args.src, "PJRT_Buffer_ToHostBuffer"));
  if (args.dst_size < bytes)
    return invalid_argument(
        fmt::format("PJRT_Buffer_ToHostBuffer: room for {} bytes; {} has {}", args.dst_size, shape.to_string(), bytes));
  HILO_ASSIGN_OR_RETURN(const Shape host, with_layout(shape, args.host_layout));
  HILO_ASSIGN_OR_RETURN(const Literal value, literal_from_buffer(*args.src->buffer));
  if (bytes != 0)
    copy_from_strides(host, value.bytes().data(), row_major_strides(shape.dimensions()),
                      static_cast<std::byte*>(args.dst));
  args.event = new_event({});
  return ok_status();
}

/// Copies the bytes in the layout of the device's memory.
Status answer(PJRT_Buffer_CopyRawToHost_Args& args) {
  HILO_RETURN_IF_ERROR(check_live(args.buffer, "PJRT_Buffer_CopyRawToHost"));
  const Buffer& buffer = *args.buffer->buffer;
  if (args.offset < 0 || args.transfer_size < 0 || args.transfer_size > buffer.shape().byte_size() - args.offset)
    return invalid_argument(fmt::format("PJRT_Buffer_CopyRawToHost: got {} bytes from {} on; {} has {}",
                                        args.transfer_size, args.offset, buffer.shape().to_string(),
                                        buffer.shape().byte_size()));
  HILO_ASSIGN_OR_RETURN(const BufferUse use, BufferUse::of(args.buffer->buffer, "PJRT_Buffer_CopyRawToHost"));
  HILO_RETURN_IF_ERROR(buffer.ready().await());
  const std::byte* const data = host_memory(buffer);
  if (data == nullptr) return unimplemented("PJRT_Buffer_CopyRawToHost: the buffer is on another machine");
  if (args.transfer_size != 0) {
    HILO_PJRT_WANTED(args, dst);
    std::memcpy(args.dst, data + args.offset, args.transfer_size);
  }
  args.event = new_event({});
  return ok_status();
}

HILO_PJRT_GETTER(PJRT_Buffer_IsOnCpu, buffer, args.is_on_cpu = is_host_buffer(*args.buffer->buffer))
HILO_PJRT_GETTER(PJRT_Buffer_ReadyEvent, buffer, args.event = new_event(args.buffer->buffer->ready()))

Status answer(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  HILO_RETURN_IF_ERROR(check_live(args.buffer, "PJRT_Buffer_IncreaseExternalReferenceCount"));
  if (!args.buffer->buffer->try_use())
    return not_free(*args.buffer->buffer, "PJRT_Buffer_IncreaseExternalReferenceCount");
  ++args.buffer->external_references;
  return ok_status();
}

Status answer(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) {
  HILO_PJRT_WANTED(args, buffer);
  PJRT_Buffer& buffer = *args.buffer;
  int count = buffer.external_references;
  do {
    if (count == 0)
      return invalid_argument("PJRT_Buffer_DecreaseExternalReferenceCount: there is no external reference");
  } while (!buffer.external_references.compare_exchange_weak(count, count - 1));
  buffer.buffer->end_use();
  if (count == 1 && buffer.deleted && buffer.buffer->state() == BufferState::kLive)
    (void)buffer.buffer->remove();  // if it is in use, the memory is freed with the handle
  return ok_status();
}

namespace {

/// Returns the address of the bytes, for readers without a copy.
StatusOr<std::byte*> address_of(const PJRT_Buffer* buffer, std::string_view what) {
  HILO_RETURN_IF_ERROR(check_not_null(buffer, "buffer"));
  const bool referenced = buffer->external_references > 0;
  if (!referenced) HILO_RETURN_IF_ERROR(check_live(buffer, what));
  HILO_RETURN_IF_ERROR(buffer->buffer->ready().await());
  const std::byte* const data = host_memory(*buffer->buffer);
  if (data == nullptr && buffer->buffer->shape().byte_size() != 0)
    return unimplemented(fmt::format("{}: the buffer is on another machine", what));
  return const_cast<std::byte*>(data);
}

}  // namespace

Status answer(PJRT_Buffer_UnsafePointer_Args& args) {
  HILO_ASSIGN_OR_RETURN(std::byte* const data, address_of(args.buffer, "PJRT_Buffer_UnsafePointer"));
  args.buffer_pointer = reinterpret_cast<uintptr_t>(data);
  return ok_status();
}

Status answer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  HILO_ASSIGN_OR_RETURN(args.device_memory_ptr, address_of(args.buffer, "PJRT_Buffer_OpaqueDeviceMemoryDataPointer"));
  return ok_status();
}

}  // namespace hilo::pjrt
