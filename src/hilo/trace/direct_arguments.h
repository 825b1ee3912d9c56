// SPDX-License-Identifier: Apache-2.0
// trace/direct_arguments.h -- the arguments of a program that runs directly: their addresses, and holds on their
// buffers. Not for users.
#pragma once

#include <array>

#include "hilo/array/array_impl.h"
#include "hilo/device/executable.h"

namespace hilo {

/// The arguments of one run on a device in host memory. Their buffers are in use until the object is destroyed.
class DirectArguments {
 public:
  /// `device` must outlive the object.
  explicit DirectArguments(const DevicePtr& device) : device_(device) {}
  ~DirectArguments() {
    for (size_t i = 0; i < held_count_; ++i) held_[i]->end_use();
  }
  DirectArguments(const DirectArguments&) = delete;
  DirectArguments& operator=(const DirectArguments&) = delete;

  /// Adds an array of this shape, which must outlive the object. Returns false if the run has to place its arguments
  /// first, or ends with an error: the array is a tracer, on another device, not ready, deleted.
  /// Precondition: fewer than DirectRun::kMax arguments have been added
  bool add(const ArrayImpl& array, const Shape& shape) {
    if (array.aval.shape != shape) return false;
    if (array.kind == ArrayImpl::Kind::kBuffer) return add_buffer(static_cast<const BufferArray&>(array));
    return array.kind == ArrayImpl::Kind::kNumber && add_number(static_cast<const HostNumber&>(array));
  }
  /// Adds memory that the caller holds.
  void add(const std::byte* data) { data_[count_++] = data; }

  std::span<const std::byte* const> data() const { return std::span(data_).first(count_); }
  /// Whether an array is committed to the device; the results then are too.
  bool committed() const { return committed_; }

 private:
  bool add_buffer(const BufferArray& array) {
    const Buffer& buffer = *array.buffer;
    if (buffer.device() != device_ || !buffer.ready().was_always_ready() || !buffer.try_use()) return false;
    held_[held_count_++] = &buffer;
    committed_ |= array.committed;
    data_[count_++] = buffer.host_view();
    return data_[count_ - 1] != nullptr;
  }
  bool add_number(const HostNumber& number) {
    // an integer that has no type yet is converted, or rejected, when it is placed
    if (number.aval.weak_type && number.aval.shape.element_type() == ElementType::kS64) return false;
    add(number.bytes.data());
    return true;
  }

  const DevicePtr& device_;
  bool committed_ = false;
  size_t count_ = 0, held_count_ = 0;
  // not initialized: a call writes only what it uses
  std::array<const std::byte*, DirectRun::kMax> data_;
  std::array<const Buffer*, DirectRun::kMax> held_;
};

}  // namespace hilo
