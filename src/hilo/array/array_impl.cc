// SPDX-License-Identifier: Apache-2.0
#include "hilo/array/array_impl.h"

#include <algorithm>
#include <cstring>

#include "hilo/array/print.h"
#include "hilo/base/recycled.h"

namespace hilo {
namespace {

/// Throws for a C++ integer that s32 can't hold and that has no other type.
void refuse_wide(const HostNumber& number) {
  if (!number.aval.weak_type || number.aval.shape.element_type() != ElementType::kS64) return;
  if (canonical_type(ElementType::kS64) == ElementType::kS64) return;
  int64_t value;
  std::memcpy(&value, number.bytes.data(), sizeof value);
  or_throw(out_of_range(at_user_line("array") + ": the integer " + std::to_string(value) +
                        " does not fit s32. Hint: give it a type, as numpy::uint32(value), or set jax_enable_x64"));
}

}  // namespace

HostView ArrayImpl::host_view() const {
  const auto copy = std::make_shared<const Literal>(literal());
  return {copy->bytes().data(), copy};
}

std::string ArrayImpl::to_string() const { return numpy_text(literal()); }

Literal BufferArray::literal() const { return or_throw(literal_from_buffer(*buffer)); }

HostView BufferArray::host_view() const {
  auto use = std::make_shared<BufferUse>(or_throw(BufferUse::of(buffer, at_user_line("data"))));
  or_throw(buffer->ready().await());
  if (const std::byte* const data = buffer->host_view(); data != nullptr) return {data, std::move(use)};
  return ArrayImpl::host_view();
}

BufferPtr BufferArray::on(const DevicePtr& device) const {
  return buffer->device() == device ? buffer : or_throw(device->copy(buffer));
}

HostNumber::HostNumber(ElementType type, std::span<const std::byte> bytes, bool weak_type)
    : ArrayImpl(Kind::kNumber, {Shape::scalar(type), weak_type}), bytes{} {
  std::ranges::copy(bytes, this->bytes.begin());
}

std::shared_ptr<const ArrayImpl> HostNumber::with_weak_type(bool weak_type) const {
  refuse_wide(*this);
  const size_t size = aval.shape.byte_size();
  return make_recycled<HostNumber>(aval.shape.element_type(), std::span(bytes).first(size), weak_type);
}

Literal HostNumber::literal() const {
  refuse_wide(*this);
  return Literal::from_bytes(aval.shape, std::span(bytes).first(aval.shape.byte_size()));
}

DevicePtr HostNumber::device() const { return default_device(); }

BufferPtr HostNumber::on(const DevicePtr& device) const {
  refuse_wide(*this);
  return or_throw(device->from_host({aval.shape, bytes.data()}));
}

const BufferPtr* HostNumber::stored_on(const DevicePtr& device) const {
  refuse_wide(*this);
  BufferState state = kNone;
  if (state_.compare_exchange_strong(state, kCopying, std::memory_order_acquire)) {
    const StatusOr<BufferPtr> copy = device->from_host({aval.shape, bytes.data()});
    if (copy.ok()) stored_ = *copy;
    state_.store(copy.ok() ? kStored : kNone, std::memory_order_release);
    or_throw(copy.status());
    return &stored_;
  }
  return state == kStored && stored_->device() == device ? &stored_ : nullptr;
}

std::string TracedArray::to_string() const { return "Traced<" + aval.shape.to_string() + ">"; }

Array concrete_value(Array array) {
  while (!is_concrete(array)) array = static_cast<const TracedArray&>(array.impl()).value();
  return array;
}

BufferPtr buffer_of(const Array& array) {
  const BufferArray* const placed = on_a_device(array);
  return placed != nullptr ? placed->buffer : array.impl().on(default_device());
}

Array array_from_buffer(BufferPtr buffer, bool weak_type, bool committed) {
  return Array(make_recycled<BufferArray>(std::move(buffer), weak_type, committed));
}

Array with_weak_type(const Array& array, bool weak_type) {
  return array.weak_type() == weak_type ? array : Array(array.impl().with_weak_type(weak_type));
}

}  // namespace hilo
