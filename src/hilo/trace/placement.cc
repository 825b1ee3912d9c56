// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/placement.h"

#include <algorithm>
#include <array>
#include <memory_resource>

#include "hilo/client/compile.h"
#include "hilo/client/xla_bridge.h"
#include "hilo/trace/direct_arguments.h"

namespace hilo {
namespace {

[[noreturn]] void refuse(const DevicePtr& one, const DevicePtr& other) {
  throw Error(invalid_argument(at_user_line("computation") +
                               ": received incompatible devices: one argument is committed to " + one->to_string() +
                               ", another to " + other->to_string() + ". Hint: device_put() one of them"));
}

/// Whether the device belongs to a client that was dropped; its arrays are copied to the new client of the same
/// platform.
bool is_forgotten(const DevicePtr& device, const DevicePtr& home) {
  return &device->client() != &home->client() && device->platform_name() == home->platform_name();
}

/// Returns a device of another platform than `home`'s to which an array is committed, or `scoped`, the default device
/// of a scope; null if none exists.
const DevicePtr* other_platform(const DevicePtr& home, const DevicePtr& scoped,
                                std::initializer_list<std::span<const Array>> lists) {
  bool committed = false;
  for (const std::span<const Array> list : lists) {
    for (const Array& array : list) {
      const BufferArray* const placed = on_a_device(array);
      if (placed == nullptr || !placed->committed) continue;
      const DevicePtr& device = placed->buffer->device();
      if (&device->client() != &home->client() && !is_forgotten(device, home)) return &device;
      committed = true;
    }
  }
  const bool elsewhere = scoped != nullptr && &scoped->client() != &home->client();
  return elsewhere && !committed ? &scoped : nullptr;
}

/// Returns the device on which a program of `home`'s client runs with uncommitted arrays.
const DevicePtr& home_of(const DevicePtr& home, const DevicePtr& scoped) {
  return scoped != nullptr && &scoped->client() == &home->client() ? scoped : home;
}

/// Returns a pointer without ownership, for a run that ends during the array's lifetime. Reference counting is a large
/// part of a call's cost.
BufferPtr borrowed(const BufferPtr& buffer) { return {BufferPtr(), buffer.get()}; }

/// The buffers of a run's arguments, all on one device.
class PlacedArguments {
 public:
  /// `lists` must outlive this object unless it owns the buffers.
  PlacedArguments(const DevicePtr& home, std::initializer_list<std::span<const Array>> lists,
                  std::span<const bool> donated, bool owns);

  std::span<const BufferPtr> buffers() const { return buffers_; }
  const DevicePtr& device() const { return *device_; }
  /// Whether an array is committed to the device; the results then are too.
  bool committed() const { return committed_; }

 private:
  void place(const Array& array, bool donated, bool owns);

  const DevicePtr* device_;
  bool committed_ = false;
  // Stack memory for a few buffers, which saves two allocations per call.
  std::array<std::byte, 256> room_;
  std::pmr::monotonic_buffer_resource pool_{room_.data(), room_.size()};
  std::pmr::vector<BufferPtr> buffers_{&pool_};
};

PlacedArguments::PlacedArguments(const DevicePtr& home, std::initializer_list<std::span<const Array>> lists,
                                 std::span<const bool> donated, bool owns)
    : device_(&home) {
  size_t count = 0;
  for (const std::span<const Array> list : lists) {
    count += list.size();
    for (const Array& array : list) {
      const BufferArray* const placed = on_a_device(array);
      if (placed == nullptr || !placed->committed || is_forgotten(placed->buffer->device(), home)) continue;
      if (committed_ && placed->buffer->device() != *device_) refuse(*device_, placed->buffer->device());
      device_ = &placed->buffer->device();
      committed_ = true;
    }
  }
  buffers_.reserve(count);
  for (const std::span<const Array> list : lists) {
    for (const Array& array : list) {
      const size_t i = buffers_.size();
      place(array, i < donated.size() && donated[i], owns);
    }
  }
}

void PlacedArguments::place(const Array& array, bool donated, bool owns) {
  const BufferArray* const placed = on_a_device(array);
  if (placed != nullptr && placed->buffer->device() == *device_) {
    buffers_.push_back(owns ? placed->buffer : borrowed(placed->buffer));
  } else if (array.impl().kind != ArrayImpl::Kind::kNumber || donated) {
    buffers_.push_back(array.impl().on(*device_));
  } else {
    const BufferPtr* const retained = static_cast<const HostNumber&>(array.impl()).stored_on(*device_);
    buffers_.push_back(retained == nullptr ? array.impl().on(*device_) : owns ? *retained : borrowed(*retained));
  }
}

/// Runs the program by the addresses of its arguments, if it and they allow that; else returns nullopt. Returns whether
/// the results are committed.
std::optional<StatusOr<bool>> run_directly(Executable& executable, std::initializer_list<std::span<const Array>> lists,
                                           std::span<BufferPtr> results) {
  const std::span<const Shape> shapes = executable.argument_shapes();
  if (!executable.runs_directly() || shapes.size() > DirectRun::kMax || results.size() > DirectRun::kMax)
    return std::nullopt;
  DirectArguments arguments(executable.devices()[0]);
  size_t count = 0;
  for (const std::span<const Array> list : lists) {
    for (const Array& array : list) {
      if (count == shapes.size() || !arguments.add(array.impl(), shapes[count++])) return std::nullopt;
    }
  }
  if (count != shapes.size() || results.size() != executable.result_shapes().size()) return std::nullopt;
  std::array<std::byte*, DirectRun::kMax> addresses;
  std::fill_n(addresses.begin(), results.size(), nullptr);
  std::optional<Status> status =
      executable.run_directly({arguments.data(), std::span(addresses).first(results.size()), results});
  if (!status) return std::nullopt;
  if (!status->ok()) return *std::move(status);
  return arguments.committed();
}

/// Runs on devices of the executable's client. Throws an error that names both devices for an array committed to
/// another client's device.
StatusOr<bool> run_on_client(Executable& executable, const DevicePtr& scoped,
                             std::initializer_list<std::span<const Array>> lists, std::span<const bool> donated,
                             std::span<BufferPtr> results) {
  ExecuteOptions options;
  options.donated = donated;
  options.asynchronous = executable.client().options().asynchronous;
  const PlacedArguments placed(home_of(executable.devices()[0], scoped), lists, donated, options.asynchronous);
  options.device = &placed.device();
  const DeviceRun run{placed.buffers(), results};
  HILO_RETURN_IF_ERROR(executable.launch({&run, 1}, options).status());
  return placed.committed();
}

}  // namespace

StatusOr<bool> run_on_arrays(Executable& executable, std::initializer_list<std::span<const Array>> lists,
                             std::span<const bool> donated, std::span<BufferPtr> results,
                             FunctionRef<hlo::Module()> program) {
  const DevicePtr& scoped = scoped_default_device();
  if (const DevicePtr* const place = other_platform(executable.devices()[0], scoped, lists); place != nullptr) {
    Client& client = (*place)->client();
    HILO_ASSIGN_OR_RETURN(const std::optional<CompileOptions> options, get_compile_options());
    HILO_ASSIGN_OR_RETURN(const std::shared_ptr<Executable> there,
                          compile_on(client, program(), options.value_or(CompileOptions())));
    return run_on_client(*there, scoped, lists, donated, results);
  }
  if (scoped == nullptr && donated.empty()) {
    if (std::optional<StatusOr<bool>> committed = run_directly(executable, lists, results))
      return *std::move(committed);
  }
  return run_on_client(executable, scoped, lists, donated, results);
}

}  // namespace hilo
