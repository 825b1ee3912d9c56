// SPDX-License-Identifier: Apache-2.0
// trace/placement.h -- where a computation on arrays runs, and their buffers there. Not for users.
#pragma once

#include <memory_resource>

#include "hilo/device/executable.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// The buffers of a run's arguments, all on one device.
class PlacedArguments {
 public:
  /// Places arrays for a program that was compiled for `home`: on the device that one of them is committed to, or else at
  /// home, where those go that are elsewhere.
  /// `donated`: a flag per array, or empty; a number that is donated is lost to nobody else.
  /// Precondition: all are concrete. `lists` live as long as this, unless it owns the buffers.
  /// Errors    throws INVALID_ARGUMENT "... incompatible devices" if two are committed to different ones; of copies
  PlacedArguments(const DevicePtr& home, std::initializer_list<std::span<const Array>> lists,
                  std::span<const bool> donated, bool owns);

  std::span<const BufferPtr> buffers() const { return buffers_; }
  const DevicePtr& device() const { return *device_; }
  /// An array is committed to the device; so will be the results.
  bool committed() const { return committed_; }

 private:
  void place(const Array& array, bool donated, bool owns);

  const DevicePtr* device_;
  bool committed_ = false;
  // Few buffers stand on the stack: two allocations less a call.
  std::array<std::byte, 256> room_;
  std::pmr::monotonic_buffer_resource pool_{room_.data(), room_.size()};
  std::pmr::vector<BufferPtr> buffers_{&pool_};
};

/// The default client's first device.
/// Errors    throws those of get_xla_client
DevicePtr default_device();

/// The array's buffer: a number's on the default device. Precondition: is_concrete(array).
BufferPtr buffer_of(const Array& array);

}  // namespace hilo
