// SPDX-License-Identifier: Apache-2.0
// c/buffer.cc -- arrays on a device.
#include <fmt/format.h>

#include <algorithm>

#include "hilo/c/guarded.h"
#include "hilo/c/handles.h"
#include "hilo/c/struct_size.h"
#include "hilo/client/xla_bridge.h"
#include "hilo/device/buffer.h"
#include "hilo/import/callable.h"

namespace hilo::c {
namespace {

struct NamedType {
  hilo_type number;
  ElementType type;
};
constexpr NamedType kNamedTypes[] = {
    {HILO_TYPE_PRED, ElementType::kPred}, {HILO_TYPE_S8, ElementType::kS8},     {HILO_TYPE_S16, ElementType::kS16},
    {HILO_TYPE_S32, ElementType::kS32},   {HILO_TYPE_S64, ElementType::kS64},   {HILO_TYPE_U8, ElementType::kU8},
    {HILO_TYPE_U16, ElementType::kU16},   {HILO_TYPE_U32, ElementType::kU32},   {HILO_TYPE_U64, ElementType::kU64},
    {HILO_TYPE_F16, ElementType::kF16},   {HILO_TYPE_F32, ElementType::kF32},   {HILO_TYPE_F64, ElementType::kF64},
    {HILO_TYPE_C64, ElementType::kC64},   {HILO_TYPE_BF16, ElementType::kBf16}, {HILO_TYPE_C128, ElementType::kC128},
};
static_assert(std::ranges::all_of(kNamedTypes, [](const NamedType& named) {
  return static_cast<int>(named.number) == element_type_info(named.type).proto_value;
}));

StatusOr<Shape> shape_of(int32_t type, const int64_t* dimensions, size_t rank) {
  if (dimensions == nullptr && rank != 0) return null_parameter("hilo_buffer", "dimensions");
  if (rank > Shape::kMaxRank)
    return invalid_argument(fmt::format("hilo_buffer: got {} dimensions; wanted at most {}", rank, Shape::kMaxRank));
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.proto_value == type && is_array_type(info.type)) return Shape::make_array(info.type, {dimensions, rank});
  }
  return invalid_argument(fmt::format("hilo_buffer: {} is no element type", type));
}

Status check_elements(const Shape& shape, const void* elements) {
  if (shape.byte_size() == 0) return ok_status();
  if (elements == nullptr) return null_parameter("hilo_buffer", "elements");
  const auto address = reinterpret_cast<uintptr_t>(elements);
  const auto alignment = static_cast<uintptr_t>(element_size_bytes(shape.element_type()));
  if (address % alignment == 0) return ok_status();
  return invalid_argument(
      fmt::format("hilo_buffer: elements are at address {}; wanted a multiple of {}", fmt::ptr(elements), alignment));
}

StatusOr<DevicePtr> default_device() {
  HILO_ASSIGN_OR_RETURN(const XlaClientPtr client, get_xla_client());
  return client->default_device();
}

Status create(Device& device, const HostData& data, std::unique_ptr<hilo_buffer> handle, hilo_buffer** buffer) {
  HILO_ASSIGN_OR_RETURN(handle->buffer, device.from_host(data));
  *buffer = handle.release();
  return ok_status();
}

std::unique_ptr<hilo_buffer> new_handle(const Shape& shape) {
  return std::make_unique<hilo_buffer>(nullptr, loaded_value("", shape));
}

/// Calls a function at the end of its life, unless hand_on() passed the call to another object.
class Release {
 public:
  Release(void (*release)(void*), void* context) : release_(release), context_(context) {}
  ~Release() {
    if (release_ != nullptr) release_(context_);
  }
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  /// Returns the call, which then happens once.
  std::function<void()> hand_on() {
    return [release = std::exchange(release_, nullptr), context = context_] {
      if (release != nullptr) release(context);
    };
  }

 private:
  void (*release_)(void*);
  void* context_;
};

}  // namespace

extern "C" {

int hilo_buffer_copy(int32_t type, const int64_t* dimensions, size_t rank, const void* elements, hilo_buffer** buffer,
                     char** error) {
  return guarded(error, [&]() -> Status {
    if (buffer == nullptr) return null_parameter("hilo_buffer_copy", "buffer");
    *buffer = nullptr;
    HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(type, dimensions, rank));
    if (elements == nullptr && shape.byte_size() != 0) return null_parameter("hilo_buffer_copy", "elements");
    HILO_ASSIGN_OR_RETURN(const DevicePtr device, default_device());
    const HostData data = {.shape = shape, .data = static_cast<const std::byte*>(elements)};
    return create(*device, data, new_handle(shape), buffer);
  });
}

int hilo_buffer_borrow(int32_t type, const int64_t* dimensions, size_t rank, const void* elements,
                       void (*release)(void* context), void* context, hilo_buffer** buffer, char** error) {
  Release once(release, context);
  return guarded(error, [&]() -> Status {
    if (buffer == nullptr) return null_parameter("hilo_buffer_borrow", "buffer");
    *buffer = nullptr;
    HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(type, dimensions, rank));
    HILO_RETURN_IF_ERROR(check_elements(shape, elements));
    HILO_ASSIGN_OR_RETURN(const DevicePtr device, default_device());
    std::unique_ptr<hilo_buffer> handle = new_handle(shape);
    HostData data = {.shape = shape, .data = static_cast<const std::byte*>(elements)};
    data.semantics = HostMemory::kBorrowed;
    data.release = once.hand_on();  // the device calls it, also after an error
    return create(*device, data, std::move(handle), buffer);
  });
}

void hilo_buffer_free(hilo_buffer* buffer) { delete buffer; }

int hilo_buffer_array(const hilo_buffer* buffer, hilo_array* array, char** error) {
  return guarded(error, [&] {
    if (buffer == nullptr) return null_parameter("hilo_buffer_array", "buffer");
    if (array == nullptr) return null_parameter("hilo_buffer_array", "array");
    return write_struct(described(buffer->value), array, "hilo_array");
  });
}

int hilo_buffer_read(const hilo_buffer* buffer, void* elements, size_t bytes, char** error) {
  return guarded(error, [&]() -> Status {
    if (buffer == nullptr) return null_parameter("hilo_buffer_read", "buffer");
    const auto wanted = static_cast<size_t>(buffer->value.shape.byte_size());
    if (bytes != wanted)
      return invalid_argument(
          fmt::format("hilo_buffer_read: got {} bytes; {} has {}", bytes, buffer->value.type, wanted));
    if (elements == nullptr && wanted != 0) return null_parameter("hilo_buffer_read", "elements");
    HILO_ASSIGN_OR_RETURN(const BufferUse use, BufferUse::of(buffer->buffer, "hilo_buffer_read"));
    return buffer->buffer->read(static_cast<std::byte*>(elements)).await();
  });
}

int hilo_buffer_elements(const hilo_buffer* buffer, const void** elements, char** error) {
  return guarded(error, [&]() -> Status {
    if (elements == nullptr) return null_parameter("hilo_buffer_elements", "elements");
    *elements = nullptr;
    if (buffer == nullptr) return null_parameter("hilo_buffer_elements", "buffer");
    HILO_ASSIGN_OR_RETURN(const BufferUse use, BufferUse::of(buffer->buffer, "hilo_buffer_elements"));
    HILO_RETURN_IF_ERROR(buffer->buffer->ready().await());
    *elements = buffer->buffer->host_view();
    if (*elements == nullptr && buffer->value.shape.byte_size() != 0)
      return failed_precondition("hilo_buffer_elements: the device's memory isn't the host's. Hint: hilo_buffer_read");
    return ok_status();
  });
}

}  // extern "C"

}  // namespace hilo::c
