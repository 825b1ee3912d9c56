// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/clients.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "hilo/client/platforms.h"
#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/named_values.h"
#include "hilo/version.h"

namespace hilo::pjrt {
namespace {

constexpr int64_t kMaxDevices = 4096;

/// Returns the number of devices in XLA_FLAGS, or nothing.
std::optional<int64_t> forced_device_count() {
  const char* const flags = std::getenv("XLA_FLAGS");
  if (flags == nullptr) return std::nullopt;
  constexpr std::string_view kFlag = "--xla_force_host_platform_device_count=";
  const std::string_view text = flags;
  const size_t at = text.rfind(kFlag);
  if (at == std::string_view::npos) return std::nullopt;
  int64_t count = 0;
  const char* const begin = text.data() + at + kFlag.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), count);
  return error == std::errc() ? std::optional(count) : std::nullopt;
}

/// Sets the names: "HILO_CPU_0", and "CpuDevice(id=0)", which is JAX's format.
void describe(PJRT_DeviceDescription& description, const Device& device, std::string_view platform) {
  description.id = device.id();
  description.process_index = device.process_index();
  description.kind = platform;
  description.text = fmt::format("HILO_CPU_{}", device.id());
  description.debug_text = fmt::format("CpuDevice(id={})", device.id());
}

void* get_user_data(PJRT_Memory* memory, const void* key) {
  MemoryObject& m = object(memory);
  const std::scoped_lock lock(m.mutex);
  const auto found = m.user_data.find(key);
  return found == m.user_data.end() ? nullptr : found->second.data;
}

void set_user_data(PJRT_Memory* memory, const void* key, void* data, void (*destroy)(void*)) {
  MemoryObject& m = object(memory);
  UserData before;
  {
    const std::scoped_lock lock(m.mutex);
    before = std::exchange(m.user_data[key], {data, destroy});
  }
  if (before.destroy != nullptr) before.destroy(before.data);
}

constexpr PJRT_Memory_FunctionTable kMemoryFunctions = {kPjrtStructSize<PJRT_Memory_FunctionTable>, nullptr,
                                                        sizeof(MemoryObject), get_user_data, set_user_data};

void add_memories(ClientState& state, PJRT_Device& device) {
  for (int kind = 0; kind < static_cast<int>(std::size(kMemoryKinds)); ++kind) {
    auto memory = std::make_unique<MemoryObject>();
    memory->vtable = &kMemoryFunctions;
    memory->client = &state;
    memory->device = &device;
    memory->kind_id = kind;
    memory->id = static_cast<int>(state.memories.size());
    memory->text = fmt::format("{}_{}", kMemoryKinds[kind], device.description.id);
    memory->debug_text =
        fmt::format("HiloMemory(id={}, kind={}, device={})", memory->id, kMemoryKinds[kind], device.description.id);
    device.memories.push_back(memory.get());
    state.memories.push_back(memory.get());
    state.own_memories.push_back(std::move(memory));
  }
}

}  // namespace

MemoryObject::~MemoryObject() {
  for (const auto& [key, data] : user_data) {
    if (data.destroy != nullptr) data.destroy(data.data);
  }
}

StatusOr<CreateOptions> create_options(std::span<const PJRT_NamedValue> values) {
  CreateOptions options;
  options.device_count = forced_device_count().value_or(1);
  for (const PJRT_NamedValue& value : values) {
    const std::string_view name = name_of(value);
    if (name == "cpu_device_count") {
      HILO_ASSIGN_OR_RETURN(options.device_count, integer_of(value));
    } else if (name == "platform_name") {
      HILO_ASSIGN_OR_RETURN(options.platform_name, text_of(value));
    } else if (name == "target") {
      HILO_ASSIGN_OR_RETURN(options.target, text_of(value));
    } else {
      return invalid_argument(fmt::format(
          "PJRT_Client_Create: option '{}' is unknown; known: cpu_device_count, platform_name, target", name));
    }
  }
  if (options.device_count < 1 || options.device_count > kMaxDevices)
    return invalid_argument(fmt::format("PJRT_Client_Create: cpu_device_count: got {}; wanted a number from 1 to {}",
                                        options.device_count, kMaxDevices));
  if (options.platform_name != "cpu" && options.platform_name != "hilo")
    return invalid_argument(
        fmt::format("PJRT_Client_Create: platform_name: got '{}'; wanted cpu or hilo", options.platform_name));
  return options;
}

StatusOr<ClientStatePtr> make_client_state(const CreateOptions& options) {
  ClientOptions wanted{.target = options.target, .replica_count = options.device_count};
  auto state = std::make_shared<ClientState>();
  if (options.target == "local") {
    HILO_ASSIGN_OR_RETURN(state->client, make_platform_client("Host", std::move(wanted)));
  } else {
    wanted.backend = "xrt";
    HILO_ASSIGN_OR_RETURN(state->client, make_server_client(std::move(wanted)));
  }
  state->platform_name = options.platform_name;
  state->platform_version = fmt::format("hilo {}", version());
  for (const DevicePtr& device : state->client->devices()) {
    auto own = std::make_unique<PJRT_Device>();
    own->client = state.get();
    own->device = device;
    describe(own->description, *device, options.platform_name);
    add_memories(*state, *own);
    state->devices.push_back(own.get());
    state->topology->descriptions.push_back(&own->description);
    state->own_devices.push_back(std::move(own));
  }
  state->topology->platform_name = state->platform_name;
  state->topology->platform_version = state->platform_version;
  return state;
}

Status answer(PJRT_Client_Create_Args& args) {
  if (args.num_options != 0) HILO_PJRT_WANTED(args, create_options);
  HILO_ASSIGN_OR_RETURN(const CreateOptions options, create_options({args.create_options, args.num_options}));
  HILO_ASSIGN_OR_RETURN(ClientStatePtr state, make_client_state(options));
  args.client = Handles<PJRT_Client>::make(std::move(state));
  return ok_status();
}

Status answer(PJRT_Client_Destroy_Args& args) { return Handles<PJRT_Client>::destroy(args.client); }

HILO_PJRT_GETTER(PJRT_Client_PlatformName, client, args.platform_name = args.client->state->platform_name.data(),
                 args.platform_name_size = args.client->state->platform_name.size())
HILO_PJRT_GETTER(PJRT_Client_ProcessIndex, client, args.process_index = args.client->state->client->process_index())
HILO_PJRT_GETTER(PJRT_Client_PlatformVersion, client,
                 args.platform_version = args.client->state->platform_version.data(),
                 args.platform_version_size = args.client->state->platform_version.size())
HILO_PJRT_GETTER(PJRT_Client_TopologyDescription, client, args.topology = args.client->state->topology.get())
HILO_PJRT_GETTER(PJRT_Client_Devices, client, args.devices = args.client->state->devices.data(),
                 args.num_devices = args.client->state->devices.size())
HILO_PJRT_GETTER(PJRT_Client_AddressableDevices, client, args.addressable_devices = args.client->state->devices.data(),
                 args.num_addressable_devices = args.client->state->devices.size())
HILO_PJRT_GETTER(PJRT_Client_AddressableMemories, client,
                 args.addressable_memories = args.client->state->memories.data(),
                 args.num_addressable_memories = args.client->state->memories.size())

Status answer(PJRT_Client_LookupDevice_Args& args) {
  HILO_PJRT_WANTED(args, client);
  args.device = args.client->state->find(args.id);
  if (args.device != nullptr) return ok_status();
  return invalid_argument(fmt::format("device {}: no device with that id; the client has {} devices", args.id,
                                      args.client->state->devices.size()));
}

Status answer(PJRT_Client_LookupAddressableDevice_Args& args) {
  HILO_PJRT_WANTED(args, client);
  args.addressable_device = args.client->state->find(args.local_hardware_id);
  if (args.addressable_device != nullptr) return ok_status();
  return invalid_argument(fmt::format("device {}: no device with that local hardware id; the client has {} devices",
                                      args.local_hardware_id, args.client->state->devices.size()));
}

Status answer(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  HILO_PJRT_WANTED(args, client);
  HILO_PJRT_WANTED(args, default_assignment);
  const int64_t count = int64_t{args.num_replicas} * args.num_partitions;
  const size_t devices = args.client->state->devices.size();
  if (args.num_replicas < 1 || args.num_partitions < 1 || count > static_cast<int64_t>(devices))
    return invalid_argument(
        fmt::format("default device assignment: got {} replicas of {} partitions; the client has {} devices",
                    args.num_replicas, args.num_partitions, devices));
  if (static_cast<int64_t>(args.default_assignment_size) < count)
    return invalid_argument(
        fmt::format("default device assignment: room for {} devices; wanted {}", args.default_assignment_size, count));
  for (int64_t i = 0; i < count; ++i) args.default_assignment[i] = args.client->state->devices[i]->description.id;
  return ok_status();
}

}  // namespace hilo::pjrt
