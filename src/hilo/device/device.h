// SPDX-License-Identifier: Apache-2.0
// device/device.h -- the interface of a device that stores arrays and runs programs: the CPU, a GPU, a device of
// another machine.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"
#include "hilo/types/shape.h"

namespace hilo {

class Buffer;
class Client;
using BufferPtr = std::shared_ptr<Buffer>;

/// A kind of memory that a device can access; "device" is its own memory.
struct Memory {
  int id;
  std::string_view kind;
};

struct DeviceStatistics {
  int64_t live_buffers = 0;
  int64_t live_bytes = 0;
};

/// How long a device may access host memory that is passed to it.
enum class HostMemory : uint8_t {
  kReadNow,  ///< only until the call returns
  /// until HostData::release is called; the memory doesn't change until then. A device may also read it immediately.
  kBorrowed,
};

/// An array in host memory that is to be copied to a device.
struct HostData {
  Shape shape;  ///< shape with the layout of the new buffer
  const std::byte* data = nullptr;
  /// Stride of each dimension in elements; may be 0 or negative. Empty means dense and row-major.
  std::span<const int64_t> strides = {};
  HostMemory semantics = HostMemory::kReadNow;
  /// Called exactly once, from any thread, when the device no longer uses the memory; also after an error. May be
  /// empty.
  std::function<void()> release = {};
};

/// A device of a client. A reference to the device keeps the client alive, too.
class Device {
 public:
  Device(Client& client, int id, int process_index) : client_(client), id_(id), process_index_(process_index) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Client& client() const { return client_; }
  /// Returns the device's number among all devices of the client, including those of other processes.
  int id() const { return id_; }
  int process_index() const { return process_index_; }
  /// Returns the name of the platform: "Host".
  std::string_view platform_name() const;
  /// Returns the vendor's name of the device: "x86-64, AVX-512".
  virtual std::string_view kind() const = 0;
  /// Returns the memories of the device. New buffers are allocated in the first one.
  virtual std::span<const Memory> memories() const = 0;
  virtual DeviceStatistics statistics() const = 0;
  /// Returns the device's name: "Host:0".
  std::string to_string() const;

  /// Returns a new buffer with undefined contents. Precondition of this and the next functions: shapes are arrays, not
  /// tuples.
  /// Errors    RESOURCE_EXHAUSTED
  virtual StatusOr<BufferPtr> allocate(const Shape& shape) = 0;
  /// Returns a new buffer with the value of `data`.
  /// Errors    RESOURCE_EXHAUSTED
  /// Cost      one copy; none if the memory is borrowed, has the requested layout, and the device can read host memory
  virtual StatusOr<BufferPtr> from_host(const HostData& data) = 0;
  /// Returns a new buffer with the value of `from`, which may be on any device.
  /// Errors    INVALID_ARGUMENT if `from` is deleted or donated; RESOURCE_EXHAUSTED; the error of the computation of
  ///           `from`
  virtual StatusOr<BufferPtr> copy(const BufferPtr& from);
  /// Returns a new buffer with from[index], without the first dimension. Both are row-major.
  /// Example   f32[4,3], 2 -> f32[3]
  virtual StatusOr<BufferPtr> slice(const BufferPtr& from, int64_t index);
  /// Stacks buffers of one shape, from any devices, along a new first dimension.
  /// Example   f32[3], f32[3] -> f32[2,3]
  virtual StatusOr<BufferPtr> stack(std::span<const BufferPtr> parts);

 private:
  Client& client_;
  const int id_;
  const int process_index_;
};
/// A shared reference to a device, which keeps its client alive.
using DevicePtr = std::shared_ptr<Device>;

/// Return the result shapes of Device::slice and Device::stack: f32[4,3] -> f32[3]; f32[3], 2 -> f32[2,3].
/// Errors    INVALID_ARGUMENT if the result would have too many bytes
Shape slice_shape(const Shape& whole);
StatusOr<Shape> stack_shape(const Shape& part, int64_t count);

}  // namespace hilo
