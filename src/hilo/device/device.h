// SPDX-License-Identifier: Apache-2.0
// device/device.h -- where arrays live and programs run: the processor, a card, a device of another machine.
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

/// A kind of memory that a device can use: "device" is its own.
struct Memory {
  int id;
  std::string_view kind;
};

struct DeviceStatistics {
  int64_t live_buffers = 0;
  int64_t live_bytes = 0;
};

/// What a device may do with host memory that it is given.
enum class HostMemory : uint8_t {
  kReadNow,  ///< only until the call returns
  kBorrowed,  ///< until HostData::release is called; it doesn't change meanwhile. A device may read it at once all the same.
};

/// An array in host memory, on its way to a device.
struct HostData {
  Shape shape;  ///< with the layout that the buffer shall have
  const std::byte* data = nullptr;
  /// From one element to the next of each dimension, in elements; they may be 0 or negative. Empty: dense and row-major.
  std::span<const int64_t> strides = {};
  HostMemory semantics = HostMemory::kReadNow;
  /// Called once when the device needs the memory no more, from any thread: also if the call fails. May be empty.
  std::function<void()> release = {};
};

/// A device of a client. It lives as long as anyone holds it, and its client as well.
class Device {
 public:
  Device(Client& client, int id, int process_index) : client_(client), id_(id), process_index_(process_index) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Client& client() const { return client_; }
  /// The number of the device among all of the client's, those of other processes included.
  int id() const { return id_; }
  int process_index() const { return process_index_; }
  /// "Host"
  std::string_view platform_name() const;
  /// What the maker calls it: "x86-64, AVX-512".
  virtual std::string_view kind() const = 0;
  /// The first is where buffers are made.
  virtual std::span<const Memory> memories() const = 0;
  virtual DeviceStatistics statistics() const = 0;
  /// "Host:0"
  std::string to_string() const;

  /// A new buffer whose contents are undefined. Precondition of all of these: shapes are arrays, no tuples.
  /// Errors    RESOURCE_EXHAUSTED
  virtual StatusOr<BufferPtr> allocate(const Shape& shape) = 0;
  /// A new buffer with this value.
  /// Errors    RESOURCE_EXHAUSTED
  /// Cost      one copy; none where the memory is lent, lies as the device wants it, and the device reads host memory
  virtual StatusOr<BufferPtr> from_host(const HostData& data) = 0;
  /// A new buffer with the value of `from`, a buffer of any device.
  /// Errors    INVALID_ARGUMENT if `from` is deleted or donated; RESOURCE_EXHAUSTED; the error of what makes `from`
  virtual StatusOr<BufferPtr> copy(const BufferPtr& from);
  /// A new buffer with from[index], of one dimension less. Both are row-major.
  /// Example    f32[4,3], 2 -> f32[3]
  virtual StatusOr<BufferPtr> slice(const BufferPtr& from, int64_t index);
  /// A new buffer with the parts, of one shape and of any devices, one after the other along a new first dimension.
  /// Example    f32[3], f32[3] -> f32[2,3]
  virtual StatusOr<BufferPtr> stack(std::span<const BufferPtr> parts);

 private:
  Client& client_;
  const int id_;
  const int process_index_;
};
/// Holds the device's client as well.
using DevicePtr = std::shared_ptr<Device>;

/// The shapes of what Device::slice and Device::stack make: f32[4,3] -> f32[3]; f32[3], 2 -> f32[2,3].
/// Errors    INVALID_ARGUMENT if there is no such shape: it would have too many bytes
Shape slice_shape(const Shape& whole);
StatusOr<Shape> stack_shape(const Shape& part, int64_t count);

}  // namespace hilo
