// SPDX-License-Identifier: Apache-2.0
// array/array_impl.h -- what an Array points to: kinds that answer for themselves. Not for users.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>

#include "hilo/array/array.h"
#include "hilo/device/buffer.h"

namespace hilo {

/// What an Array handle points to. Each kind answers for itself. `kind` is for the path of every call, which makes no
/// virtual calls.
struct ArrayImpl {
  enum class Kind : uint8_t {
    kBuffer,  ///< BufferArray
    kNumber,  ///< HostNumber
    kTracer,  ///< TracedArray
    kSpread,  ///< SpreadArray (trace/trace.h): on several devices
  };
  ArrayImpl(Kind kind, Aval aval) : kind(kind), aval(std::move(aval)) {}
  virtual ~ArrayImpl() = default;
  /// The same value with another weak bit.
  virtual std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const = 0;
  /// The whole value on the host. Waits for it.
  /// Errors    throws INVALID_ARGUMENT if donated or deleted; the error of the run that was to compute it; ConcretizationError
  virtual Literal literal() const = 0;
  /// The same without a copy where the memory is the host's.
  virtual HostView host_view() const;
  /// The memory of the value in this process, one buffer a device. A number and a tracer have none.
  virtual std::span<const BufferPtr> buffers() const { return {}; }
  /// The device of the value; a number's is the default device.
  /// Errors    ConcretizationError
  virtual DevicePtr device() const = 0;
  /// A buffer on `device` with the whole value: the array's own if it is there.
  /// Errors    as literal(); throws RESOURCE_EXHAUSTED
  virtual BufferPtr on(const DevicePtr& device) const = 0;
  virtual std::string to_string() const;

  Kind kind;
  Aval aval;
};

/// An array on one device.
struct BufferArray final : ArrayImpl {
  BufferArray(BufferPtr buffer, bool weak_type, bool committed = false)
      : ArrayImpl(Kind::kBuffer, {buffer->shape(), weak_type}), buffer(std::move(buffer)), committed(committed) {}
  std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const override {
    return std::make_shared<BufferArray>(buffer, weak_type, committed);
  }
  Literal literal() const override;
  HostView host_view() const override;
  std::span<const BufferPtr> buffers() const override { return {&buffer, 1}; }
  DevicePtr device() const override { return buffer->device(); }
  BufferPtr on(const DevicePtr& device) const override;

  BufferPtr buffer;
  bool committed;  ///< device_put() said where it is; what is computed with it is computed there
};

/// A number that stays on the host until a device asks for it.
struct HostNumber final : ArrayImpl {
  /// Precondition: `bytes` are one element of the type.
  HostNumber(ElementType type, std::span<const std::byte> bytes, bool weak_type);
  std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const override;
  Literal literal() const override;
  DevicePtr device() const override;
  BufferPtr on(const DevicePtr& device) const override;
  /// A buffer that is kept as long as the number; null if another device was the first to ask, or another thread is just
  /// asking.
  /// Errors    throws RESOURCE_EXHAUSTED
  const BufferPtr* kept_on(const DevicePtr& device) const;

  std::array<std::byte, 16> bytes;

 private:
  enum Asked : uint8_t { kNobody, kNow, kKept };
  mutable std::atomic<Asked> asked_{kNobody};
  mutable BufferPtr kept_;
};

/// An array inside a trace. It answers by its value, if the trace knows one: tracers are in trace/trace.h.
struct TracedArray : ArrayImpl {
  explicit TracedArray(Aval aval) : ArrayImpl(Kind::kTracer, std::move(aval)) {}
  /// The value, which may be a tracer of an outer trace.
  /// Errors    LeakedTracer; ConcretizationError if there is none
  virtual Array value() const = 0;
  Literal literal() const final { return value().impl().literal(); }
  HostView host_view() const final { return value().impl().host_view(); }
  DevicePtr device() const final { return value().impl().device(); }
  BufferPtr on(const DevicePtr& device) const final { return value().impl().on(device); }
  std::string to_string() const final;
};

/// Has a value, on a device or on the host.
inline bool is_concrete(const Array& array) { return array.impl().kind != ArrayImpl::Kind::kTracer; }
/// The array as one on one device; null for other kinds.
inline const BufferArray* on_a_device(const Array& array) {
  const ArrayImpl& impl = array.impl();
  return impl.kind == ArrayImpl::Kind::kBuffer ? static_cast<const BufferArray*>(&impl) : nullptr;
}
/// The array behind tracers that know their value.
/// Errors    LeakedTracer; ConcretizationError
Array concrete_value(Array array);
/// The array's buffer. A number's, and the whole value of an array on several devices, is put on the default device.
/// Precondition: is_concrete(array).
BufferPtr buffer_of(const Array& array);
Array array_from_buffer(BufferPtr buffer, bool weak_type = false, bool committed = false);
/// The same value with the weak bit set as requested; tracers included.
Array with_weak_type(const Array& array, bool weak_type);

/// The device of the innermost default_device(device) of this thread, else the default client's first.
/// Errors    throws those of get_xla_client
DevicePtr default_device();
/// That of the scope alone; null without one.
const DevicePtr& scoped_default_device();

}  // namespace hilo
