// SPDX-License-Identifier: Apache-2.0
// array/device_put.h -- which devices there are, and arrays on them.
#pragma once

#include <string>
#include <vector>

#include "hilo/array/array.h"
#include "hilo/device/device.h"

namespace hilo {

/// The devices of the default client, by id, as jax.devices(); those of this process, as jax.local_devices().
/// Errors    throws those of the flags and of the platform
/// Example   devices()[0]->to_string() == "Host:0"
std::vector<DevicePtr> devices();
std::vector<DevicePtr> local_devices();
int64_t device_count();
int64_t local_device_count();
/// The name of their platform, as devices(platform) takes it: "Host", "CUDA". jax.default_backend(), which says "cpu", "gpu".
/// Errors    as devices()
std::string default_backend();

/// This process among those that a launcher (mpirun, srun) started together, and how many they are: 0 and 1 for one that was
/// started alone. As jax.process_index() and jax.process_count().
/// Errors    throws those of the flags and of the platform; NOT_FOUND without a library of MPI
int64_t process_index();
int64_t process_count();

/// The array on a device, committed to it: what is computed with it is computed there. As jax.device_put. Inside a
/// transformation it is the array as it is. Of whole trees: tree/device_put.h.
/// Errors    throws INVALID_ARGUMENT if the array is donated or deleted; RESOURCE_EXHAUSTED
/// Cost      a copy; none where the array is there already
/// Gradient  that of the identity
Array device_put(const Array& array, const DevicePtr& device,
                 std::source_location location = std::source_location::current());

/// The same for the first of devices(), to which the array isn't committed: it is what jax.device_put does without a device.
Array device_put(const Array& array, std::source_location location = std::source_location::current());

/// Has a default device for as long as it lives.
class [[nodiscard("the setting ends with the object: const auto scope = ...;")]] DefaultDeviceScope {
 public:
  explicit DefaultDeviceScope(DevicePtr device);
  ~DefaultDeviceScope();
  DefaultDeviceScope(const DefaultDeviceScope&) = delete;
  DefaultDeviceScope& operator=(const DefaultDeviceScope&) = delete;

 private:
  DevicePtr before_;
};

/// Where this thread computes and puts what isn't committed to another device, instead of on the first of devices().
/// Results aren't committed. Null: the first again. jax.default_device.
/// Example    const auto scope = default_device(devices()[1]);
DefaultDeviceScope default_device(DevicePtr device);

/// Waits until the array has its value. As jax.block_until_ready.
/// Errors    throws the error of the run that was to make it
const Array& block_until_ready(const Array& array, std::source_location location = std::source_location::current());

}  // namespace hilo
