// SPDX-License-Identifier: Apache-2.0
#include "hilo/array/dlpack.h"

#include <array>
#include <memory>

#include "hilo/array/array_impl.h"

namespace hilo {
namespace {

// The structs of the specification, with their layout.
struct Dtype {
  uint8_t code, bits;
  uint16_t lanes;
};
struct Tensor {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  Dtype dtype;
  int64_t* shape;
  int64_t* strides;  ///< in elements; null: row-major
  uint64_t byte_offset;
};
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed* self);
};
struct Versioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(Versioned* self);
  uint64_t flags;
  Tensor tensor;
};
static_assert(sizeof(Tensor) == 48 && sizeof(Managed) == 64 && sizeof(Versioned) == 80);

constexpr int32_t kCpu = 1;
constexpr uint64_t kReadOnly = 1;
enum Code : uint8_t { kInt = 0, kUint = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };

struct TypeRow {
  ElementType type;
  uint8_t code, bits;
};
constexpr std::array kTypes = {TypeRow{ElementType::kPred, kBool, 8},     TypeRow{ElementType::kS8, kInt, 8},
                               TypeRow{ElementType::kS16, kInt, 16},      TypeRow{ElementType::kS32, kInt, 32},
                               TypeRow{ElementType::kS64, kInt, 64},      TypeRow{ElementType::kU8, kUint, 8},
                               TypeRow{ElementType::kU16, kUint, 16},     TypeRow{ElementType::kU32, kUint, 32},
                               TypeRow{ElementType::kU64, kUint, 64},     TypeRow{ElementType::kF16, kFloat, 16},
                               TypeRow{ElementType::kF32, kFloat, 32},    TypeRow{ElementType::kF64, kFloat, 64},
                               TypeRow{ElementType::kBf16, kBfloat, 16},  TypeRow{ElementType::kC64, kComplex, 64},
                               TypeRow{ElementType::kC128, kComplex, 128}};

Dtype dtype_of(ElementType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return {row.code, row.bits, 1};
  }
  or_throw(unimplemented(at_user_line("to_dlpack") + ": DLPack 1.0 has no type for " +
                         std::string(element_type_name(type)) + ". Hint: convert the array first"));
  return {};
}

ElementType element_type_of_dtype(const Dtype& dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.code == dtype.code && row.bits == dtype.bits) return row.type;
  }
  or_throw(unimplemented(at_user_line("from_dlpack") + ": type code " + std::to_string(dtype.code) + " of " +
                         std::to_string(dtype.bits) + " bits is none of hilo's"));
  return {};
}

/// The context of an exported tensor.
struct Exported {
  Versioned tensor{};
  std::vector<int64_t> shape, strides;
  HostView view;
};

/// Calls the tensor's deleter when the last copy is destroyed.
template <typename T>
std::shared_ptr<T> owned(T* tensor) {
  return {tensor, [](T* it) {
            if (it->deleter != nullptr) it->deleter(it);
          }};
}

Status check(const Tensor& tensor) {
  if (tensor.device_type != kCpu) {
    return unimplemented("a tensor of device type " + std::to_string(tensor.device_type) +
                         "; wanted 1, the CPU. Hint: copy it there first");
  }
  if (tensor.dtype.lanes != 1)
    return invalid_argument("a tensor of vectors; got " + std::to_string(tensor.dtype.lanes) + " lanes, wanted 1");
  if (tensor.ndim < 0 || (tensor.ndim > 0 && tensor.shape == nullptr))
    return invalid_argument("a tensor of " + std::to_string(tensor.ndim) + " dimensions without sizes");
  return ok_status();
}

template <typename T>
Array imported(T* tensor) {
  if (tensor == nullptr) or_throw(invalid_argument(at_user_line("from_dlpack") + ": the tensor is null"));
  const std::shared_ptr<T> retained = owned(tensor);
  if constexpr (std::is_same_v<T, Versioned>) {
    if (retained->major != 1) {
      or_throw(invalid_argument(at_user_line("from_dlpack") + ": DLPack of major version " +
                                std::to_string(retained->major) + "; wanted 1"));
    }
  }
  const Tensor& from = retained->tensor;
  or_throw(check(from).with_context(at_user_line("from_dlpack")));
  const size_t rank = from.ndim;
  const StatusOr<Shape> shape = Shape::make_array(element_type_of_dtype(from.dtype), {from.shape, rank});
  if (!shape.ok()) or_throw(shape.status().with_context(at_user_line("from_dlpack")));
  HostData data{*shape, static_cast<const std::byte*>(from.data) + from.byte_offset};
  if (from.strides != nullptr) data.strides = {from.strides, rank};
  data.semantics = HostMemory::kBorrowed;
  data.release = [retained] {};
  return array_from_buffer(or_throw(default_device()->from_host(data)));
}

}  // namespace

DLManagedTensorVersioned* to_dlpack(const Array& array, std::source_location location) {
  const UserLocation here(location);
  auto exported = std::make_unique<Exported>();
  exported->view = host_view_of(array);
  exported->shape.assign(array.shape().begin(), array.shape().end());
  exported->strides = row_major_strides(array.shape());
  Versioned& to = exported->tensor;
  to.major = 1;
  to.flags = kReadOnly;
  to.tensor = {const_cast<std::byte*>(exported->view.data),
               kCpu,
               0,
               static_cast<int32_t>(array.ndim()),
               dtype_of(array.dtype()),
               exported->shape.data(),
               exported->strides.data(),
               0};
  to.context = exported.get();
  to.deleter = [](Versioned* self) { delete static_cast<Exported*>(self->context); };
  return reinterpret_cast<DLManagedTensorVersioned*>(&exported.release()->tensor);
}

Array from_dlpack(DLManagedTensorVersioned* tensor, std::source_location location) {
  const UserLocation here(location);
  return imported(reinterpret_cast<Versioned*>(tensor));
}

Array from_dlpack(DLManagedTensor* tensor, std::source_location location) {
  const UserLocation here(location);
  return imported(reinterpret_cast<Managed*>(tensor));
}

}  // namespace hilo
