// SPDX-License-Identifier: Apache-2.0
// pjrt_abi/topology.h -- the C API of device descriptions without a client.
#pragma once

#include "hilo/pjrt_abi/buffers.h"

struct PJRT_Client_TopologyDescription_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  PJRT_TopologyDescription* topology;  // out
};
HILO_PJRT_SIZE(PJRT_Client_TopologyDescription_Args, topology, 32);

struct PJRT_TopologyDescription_Create_Args {
  HILO_PJRT_HEAD;
  const char* topology_name;
  size_t topology_name_size;
  const PJRT_NamedValue* create_options;
  size_t num_options;
  PJRT_TopologyDescription* topology;  // out
};
HILO_PJRT_SIZE(PJRT_TopologyDescription_Create_Args, topology, 56);

struct PJRT_TopologyDescription_Destroy_Args {
  HILO_PJRT_HEAD;
  PJRT_TopologyDescription* topology;
};
HILO_PJRT_SIZE(PJRT_TopologyDescription_Destroy_Args, topology, 24);

struct PJRT_TopologyDescription_PlatformName_Args {
  HILO_PJRT_HEAD;
  PJRT_TopologyDescription* topology;
  const char* platform_name;  // out
  size_t platform_name_size;  // out
};
HILO_PJRT_SIZE(PJRT_TopologyDescription_PlatformName_Args, platform_name_size, 40);

struct PJRT_TopologyDescription_PlatformVersion_Args {
  HILO_PJRT_HEAD;
  PJRT_TopologyDescription* topology;
  const char* platform_version;  // out
  size_t platform_version_size;  // out
};
HILO_PJRT_SIZE(PJRT_TopologyDescription_PlatformVersion_Args, platform_version_size, 40);

struct PJRT_TopologyDescription_GetDeviceDescriptions_Args {
  HILO_PJRT_HEAD;
  PJRT_TopologyDescription* topology;
  PJRT_DeviceDescription* const* descriptions;  // out
  size_t num_descriptions;                      // out
};
HILO_PJRT_SIZE(PJRT_TopologyDescription_GetDeviceDescriptions_Args, num_descriptions, 40);

struct PJRT_TopologyDescription_Serialize_Args {
  HILO_PJRT_HEAD;
  PJRT_TopologyDescription* topology;
  const char* serialized_bytes;                                   // out
  size_t serialized_bytes_size;                                   // out
  PJRT_SerializedTopology* serialized_topology;                   // out
  void (*serialized_topology_deleter)(PJRT_SerializedTopology*);  // out
};
HILO_PJRT_SIZE(PJRT_TopologyDescription_Serialize_Args, serialized_topology_deleter, 56);

struct PJRT_TopologyDescription_Attributes_Args {
  HILO_PJRT_HEAD;
  PJRT_TopologyDescription* topology;
  const PJRT_NamedValue* attributes;  // out
  size_t num_attributes;              // out
};
HILO_PJRT_SIZE(PJRT_TopologyDescription_Attributes_Args, num_attributes, 40);

struct PJRT_TopologyDescription_Deserialize_Args {
  HILO_PJRT_HEAD;
  const char* serialized_topology;
  size_t serialized_topology_size;
  PJRT_TopologyDescription* topology;  // out
};
HILO_PJRT_SIZE(PJRT_TopologyDescription_Deserialize_Args, topology, 40);

struct PJRT_TopologyDescription_Fingerprint_Args {
  HILO_PJRT_HEAD;
  PJRT_TopologyDescription* topology;
  uint64_t fingerprint;  // out
};
HILO_PJRT_SIZE(PJRT_TopologyDescription_Fingerprint_Args, fingerprint, 32);

struct PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args {
  HILO_PJRT_HEAD;
  PJRT_TopologyDescription* topology;
  int32_t memory_space_kind_id;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
  const PJRT_Buffer_MemoryLayout* layout;
  PJRT_SerializedShape* serialized_shape;                   // out
  size_t serialized_shape_size;                             // out
  void (*serialized_shape_deleter)(PJRT_SerializedShape*);  // out
};
HILO_PJRT_SIZE(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, serialized_shape_deleter, 88);

struct PJRT_TopologyDescription_GetMemorySpaceKindIds_Args {
  HILO_PJRT_HEAD;
  PJRT_TopologyDescription* topology;
  const int32_t* memory_space_kind_ids;  // out
  size_t num_memory_space_kind_ids;      // out
};
HILO_PJRT_SIZE(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, num_memory_space_kind_ids, 40);
