// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/host/host_client.h"

#include <fmt/format.h>

#include "hilo/backend/host/host_device.h"
#include "hilo/backend/host/host_executable.h"
#include "hilo/backend/run_collective.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/device/device_elsewhere.h"

namespace hilo {

HostClient::HostClient(HostEngine& engine, ClientOptions options) : Client(std::move(options)), engine_(engine) {
  const std::string kind = engine_.device_kind();
  const auto devices = static_cast<int>(this->options().replica_count);
  for (int id = 0; id < devices * this->options().process_count; ++id) {
    const int process = id / devices;
    if (process == this->options().process_index) add_device(std::make_unique<HostDevice>(*this, id, process, kind));
    else add_device(std::make_unique<DeviceElsewhere>(*this, id, process, kind));
  }
}

StatusOr<ClientPtr> make_host_client(HostEngine& engine, ClientOptions options) try {
  if (options.replica_count < 1) {
    return invalid_argument(fmt::format("client of platform {}: got {} replicas; wanted 1 or more",
                                        engine.platform_name(), options.replica_count));
  }
  return ClientPtr(std::make_shared<HostClient>(engine, std::move(options)));
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<std::unique_ptr<Executable>> HostClient::compile(const hlo::Module& module, const CompileOptions& options,
                                                          hlo::PassObserver* observer) try {
  if (module.entry == nullptr) return invalid_argument("module '" + module.name + "' has no entry computation");
  CompileOptions stated = options;
  HILO_ASSIGN_OR_RETURN(stated.replica_count, replica_count_of(module, options.replica_count));
  HILO_ASSIGN_OR_RETURN(std::vector<DevicePtr> devices, devices_for(module.name, stated, stated.replica_count));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HostProgram> program, engine_.compile(module, stated, observer));
  return std::unique_ptr<Executable>(std::make_unique<HostExecutable>(std::move(program), std::move(devices)));
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<std::unique_ptr<Executable>> HostClient::load(std::string_view bytes) {
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HostProgram> program, engine_.load(bytes));
  const ProgramSignature& signature = program->signature();
  HILO_ASSIGN_OR_RETURN(std::vector<DevicePtr> devices, devices_for(signature.name, {}, signature.replica_count));
  return std::unique_ptr<Executable>(std::make_unique<HostExecutable>(std::move(program), std::move(devices)));
}

StatusOr<ObjectFiles> HostClient::compile_object(const hlo::Module& module, const CompileOptions& options,
                                                 const ObjectOptions& object) try {
  if (module.entry == nullptr) return invalid_argument("module '" + module.name + "' has no entry computation");
  CompileOptions stated = options;
  HILO_ASSIGN_OR_RETURN(stated.replica_count, replica_count_of(module, options.replica_count));
  return engine_.compile_object(module, stated, object);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo
