// SPDX-License-Identifier: Apache-2.0
// array/device_put.h -- devices, and placement of arrays on them.
#pragma once

#include <string>
#include <vector>

#include "hilo/array/array.h"
#include "hilo/device/device.h"

namespace hilo {

/// Return the devices of the default client by id: jax.devices(); and those of this process: jax.local_devices().
/// Errors     throws those of the flags and of the platform
/// Example    devices()[0]->to_string()  // Host:0
std::vector<DevicePtr> devices();
std::vector<DevicePtr> local_devices();
/// Returns the number of devices() of all processes: jax.device_count().
/// Example    device_count()  // 1
int64_t device_count();
/// Returns the number of local_devices(): jax.local_device_count().
/// Example    local_device_count()  // 1
int64_t local_device_count();
/// Returns the platform's name, as devices(platform) accepts it: "Host", "CUDA". jax.default_backend() returns "cpu",
/// "gpu".
/// Errors     as devices()
std::string default_backend();

/// Return the index of this process, and the number of processes, among those started together by a launcher (mpirun,
/// srun): jax.process_index() and jax.process_count(). 0 and 1 for a process started alone.
/// Errors     throws those of the flags and of the platform; NOT_FOUND without an MPI library
/// Example    process_index()  // 0
int64_t process_index();
int64_t process_count();

/// Copies an array to a device and commits it there: jax.device_put. Computations that use a committed array run on its
/// device. Inside a transformation the array is returned unchanged. For trees see tree/device_put.h.
/// Errors     throws INVALID_ARGUMENT if the array is donated or deleted; RESOURCE_EXHAUSTED
/// Cost       one copy; none if the array is already there
/// Gradient   that of the identity
/// Example    device_put(numpy::arange(3), devices()[0])  // [0 1 2]
Array device_put(const Array& array, const DevicePtr& device,
                 std::source_location location = std::source_location::current());

/// Copies an array to the first of devices() without committing it, as jax.device_put without a device.
Array device_put(const Array& array, std::source_location location = std::source_location::current());

/// Sets a default device for the lifetime of the object.
class [[nodiscard("the setting ends with the object: const auto scope = ...;")]] DefaultDeviceScope {
 public:
  explicit DefaultDeviceScope(DevicePtr device);
  ~DefaultDeviceScope();
  DefaultDeviceScope(const DefaultDeviceScope&) = delete;
  DefaultDeviceScope& operator=(const DefaultDeviceScope&) = delete;

 private:
  DevicePtr before_;
};

/// Sets the device on which this thread computes and places uncommitted arrays, until the returned object is destroyed:
/// jax.default_device. Results aren't committed. Null selects the first of devices().
/// Example    const auto scope = default_device(devices()[1]);
DefaultDeviceScope default_device(DevicePtr device);

/// Waits until the array's value is computed: jax.block_until_ready.
/// Errors     throws the error of the run that computes it
const Array& block_until_ready(const Array& array, std::source_location location = std::source_location::current());

}  // namespace hilo
