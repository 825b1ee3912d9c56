// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>

#include "hilo/base/text_hash.h"
#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/clients.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/objects.h"

namespace hilo::pjrt {
namespace {

constexpr std::string_view kBegin = "hilo topology 1";

/// Returns one line that is equal for equal topologies.
std::string text_of(const PJRT_TopologyDescription& topology) {
  return fmt::format("{} {} {}", kBegin, topology.platform_name, topology.descriptions.size());
}

/// Creates a topology from a temporary client.
StatusOr<PJRT_TopologyDescription*> make_topology(const CreateOptions& options) {
  HILO_ASSIGN_OR_RETURN(const ClientStatePtr state, make_client_state(options));
  OwnHandle<PJRT_TopologyDescription> topology(Handles<PJRT_TopologyDescription>::make());
  topology->platform_name = state->platform_name;
  topology->platform_version = state->platform_version;
  for (const PJRT_Device* device : state->devices) {
    topology->own.push_back(std::make_unique<PJRT_DeviceDescription>(device->description));
    topology->descriptions.push_back(topology->own.back().get());
  }
  return topology.release();
}

}  // namespace

/// The name is only a label. The topology is that of this machine, with the number of devices in the options.
Status answer(PJRT_TopologyDescription_Create_Args& args) {
  if (args.num_options != 0) HILO_PJRT_WANTED(args, create_options);
  HILO_ASSIGN_OR_RETURN(const CreateOptions options, create_options({args.create_options, args.num_options}));
  HILO_ASSIGN_OR_RETURN(args.topology, make_topology(options));
  return ok_status();
}

Status answer(PJRT_TopologyDescription_Destroy_Args& args) {
  // A client's own topology is destroyed with the client.
  PJRT_TopologyDescription* const topology = args.topology;
  if (topology != nullptr && Handles<PJRT_TopologyDescription>::lives(topology) && topology->own.empty())
    return ok_status();
  return Handles<PJRT_TopologyDescription>::destroy(topology);
}

HILO_PJRT_GETTER(PJRT_TopologyDescription_PlatformName, topology,
                 args.platform_name = args.topology->platform_name.data(),
                 args.platform_name_size = args.topology->platform_name.size())
HILO_PJRT_GETTER(PJRT_TopologyDescription_PlatformVersion, topology,
                 args.platform_version = args.topology->platform_version.data(),
                 args.platform_version_size = args.topology->platform_version.size())
HILO_PJRT_GETTER(PJRT_TopologyDescription_GetDeviceDescriptions, topology,
                 args.descriptions = args.topology->descriptions.data(),
                 args.num_descriptions = args.topology->descriptions.size())
HILO_PJRT_GETTER(PJRT_TopologyDescription_Attributes, topology, args.attributes = nullptr,
                 args.num_attributes = 0)  // topologies have no attributes
HILO_PJRT_GETTER(PJRT_TopologyDescription_Fingerprint, topology, args.fingerprint = TextHash()(text_of(*args.topology)))

HILO_PJRT_GETTER(PJRT_TopologyDescription_Serialize, topology,
                 pass_bytes(text_of(*args.topology), args.serialized_bytes, args.serialized_bytes_size,
                            args.serialized_topology, args.serialized_topology_deleter))

Status answer(PJRT_TopologyDescription_Deserialize_Args& args) {
  HILO_PJRT_WANTED(args, serialized_topology);
  const std::string_view text(args.serialized_topology, args.serialized_topology_size);
  CreateOptions options;
  for (const std::string_view platform : {"cpu", "hilo"}) {
    const std::string begin = fmt::format("{} {} ", kBegin, platform);
    if (!text.starts_with(begin)) continue;
    const std::string count(text.substr(begin.size()));
    options.platform_name = platform;
    options.device_count = std::strtoll(count.c_str(), nullptr, 10);
    if (options.device_count < 1 || std::to_string(options.device_count) != count) break;
    HILO_ASSIGN_OR_RETURN(args.topology, make_topology(options));
    return ok_status();
  }
  return invalid_argument("topology: got bytes that PJRT_TopologyDescription_Serialize of hilo didn't write");
}

}  // namespace hilo::pjrt
