// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/client.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo {

DevicePtr Client::shared(Device* device) const { return {std::const_pointer_cast<Client>(shared_from_this()), device}; }

std::vector<DevicePtr> Client::devices() const {
  std::vector<DevicePtr> all;
  for (const auto& device : devices_) all.push_back(shared(device.get()));
  return all;
}

std::vector<DevicePtr> Client::local_devices() const {
  std::vector<DevicePtr> local;
  for (const auto& device : devices_) {
    if (device->process_index() == process_index()) local.push_back(shared(device.get()));
  }
  return local;
}

DevicePtr Client::default_device() const {
  const auto is_local = [&](const auto& device) { return device->process_index() == process_index(); };
  return shared(std::ranges::find_if(devices_, is_local)->get());
}

StatusOr<DevicePtr> Client::local_device(int64_t id) const {
  for (const auto& device : devices_) {
    if (device->id() == id && device->process_index() == process_index()) return shared(device.get());
  }
  return invalid_argument(
      fmt::format("device {}: platform {} has no such device in this process; its total number of devices is {}", id,
                  platform_name(), devices_.size()));
}

StatusOr<std::vector<DevicePtr>> Client::devices_for(const std::string& name, const CompileOptions& options,
                                                     int64_t replica_count) const {
  if (replica_count > device_count() && !options.device_assignment) {
    return invalid_argument(
        fmt::format("Compile '{}': needs {} replicas, but only {} {} available. Hint: jax_replica_count", name,
                    replica_count, device_count(), device_count() == 1 ? "is" : "are"));
  }
  if (std::vector<DevicePtr> local = local_devices();
      !options.device_assignment && replica_count <= std::ssize(local)) {
    local.resize(replica_count);
    return local;
  }
  const DeviceAssignment assignment = options.device_assignment.value_or(DeviceAssignment::replicas(replica_count));
  if (assignment.replica_count() != replica_count || assignment.partition_count() != 1) {
    return invalid_argument(
        fmt::format("Compile '{}': a device assignment of {} replicas and {} partitions; wanted {} "
                    "and 1",
                    name, assignment.replica_count(), assignment.partition_count(), replica_count));
  }
  std::vector<DevicePtr> here;
  for (const int id : assignment.devices()) {
    const auto known = std::ranges::find(devices_, id, [](const auto& device) { return device->id(); });
    if (known == devices_.end()) return local_device(id).status();
    if ((*known)->process_index() == process_index()) here.push_back(shared(known->get()));
  }
  if (here.empty()) {
    return invalid_argument(fmt::format("Compile '{}': none of its {} replicas is on a device of process {}", name,
                                        replica_count, process_index()));
  }
  return here;
}

StatusOr<std::unique_ptr<Executable>> Client::load(std::string_view) {
  return unimplemented(fmt::format("load: executables of platform {} can't be saved in this version", platform_name()));
}

StatusOr<ObjectFiles> Client::compile_object(const hlo::Module& module, const CompileOptions&, const ObjectOptions&) {
  return unimplemented(
      fmt::format("writing '{}' as an object: platform {} writes no objects", module.name, platform_name()));
}

}  // namespace hilo
