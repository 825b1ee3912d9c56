// SPDX-License-Identifier: Apache-2.0
// array/array_impl.h -- the implementations of Array, one struct for each kind. Not for users.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>

#include "hilo/array/array.h"
#include "hilo/device/buffer.h"

namespace hilo {

/// The object to which an Array refers. Each kind implements the queries. `kind` is for the hot path, which avoids
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
  /// Returns the same value with another weak bit.
  virtual std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const = 0;
  /// Copies the whole value to the host; waits for its computation.
  /// Errors     throws INVALID_ARGUMENT if donated or deleted; the error of the run that computes it;
  ///            ConcretizationError
  virtual Literal literal() const = 0;
  /// Returns a view of the value; without a copy if it is in host memory.
  virtual HostView host_view() const;
  /// Returns the value's buffers in this process, one per device; numbers and tracers have none.
  virtual std::span<const BufferPtr> buffers() const { return {}; }
  /// Returns the value's device; for a number, the default device.
  /// Errors     ConcretizationError
  virtual DevicePtr device() const = 0;
  /// Returns a buffer on `device` with the whole value; the array's own if it is on that device.
  /// Errors     as literal(); throws RESOURCE_EXHAUSTED
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
  bool committed;  ///< placed by device_put(); computations that use it run on its device
};

/// A number that stays on the host until a device needs it.
struct HostNumber final : ArrayImpl {
  /// Precondition: `bytes` are one element of the type
  HostNumber(ElementType type, std::span<const std::byte> bytes, bool weak_type);
  std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const override;
  Literal literal() const override;
  DevicePtr device() const override;
  BufferPtr on(const DevicePtr& device) const override;
  /// Returns a buffer that is stored with the number. Returns null if it is stored for another device, or another
  /// thread is creating it.
  /// Errors     throws RESOURCE_EXHAUSTED
  const BufferPtr* stored_on(const DevicePtr& device) const;

  alignas(16) std::array<std::byte, 16> bytes;  ///< aligned as every element type, because programs may read them

 private:
  enum BufferState : uint8_t { kNone, kCopying, kStored };
  mutable std::atomic<BufferState> state_{kNone};
  mutable BufferPtr stored_;
};

/// An array inside a trace. Answers queries by its value, if the trace knows one. Tracers are defined in trace/trace.h.
struct TracedArray : ArrayImpl {
  explicit TracedArray(Aval aval) : ArrayImpl(Kind::kTracer, std::move(aval)) {}
  /// Returns the value, which may be a tracer of an outer trace.
  /// Errors     LeakedTracer; ConcretizationError if none exists
  virtual Array value() const = 0;
  Literal literal() const final { return value().impl().literal(); }
  HostView host_view() const final { return value().impl().host_view(); }
  DevicePtr device() const final { return value().impl().device(); }
  BufferPtr on(const DevicePtr& device) const final { return value().impl().on(device); }
  std::string to_string() const final;
};

/// Whether the array has a value, on a device or on the host.
inline bool is_concrete(const Array& array) { return array.impl().kind != ArrayImpl::Kind::kTracer; }
/// Returns the array as a BufferArray; null for other kinds.
inline const BufferArray* on_a_device(const Array& array) {
  const ArrayImpl& impl = array.impl();
  return impl.kind == ArrayImpl::Kind::kBuffer ? static_cast<const BufferArray*>(&impl) : nullptr;
}
/// Returns the array behind tracers with known values.
/// Errors     LeakedTracer; ConcretizationError
Array concrete_value(Array array);
/// Returns the array's buffer. Numbers, and arrays on several devices, are copied to the default device.
/// Precondition: is_concrete(array)
BufferPtr buffer_of(const Array& array);
Array array_from_buffer(BufferPtr buffer, bool weak_type = false, bool committed = false);
/// Returns the same value with this weak bit; also for tracers.
Array with_weak_type(const Array& array, bool weak_type);

/// Returns the device of the innermost default_device(device) of this thread, else the default client's first.
/// Errors     throws those of get_xla_client
DevicePtr default_device();
/// Returns the device of the scope alone; null outside of scopes.
const DevicePtr& scoped_default_device();

}  // namespace hilo
