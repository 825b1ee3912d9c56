// SPDX-License-Identifier: Apache-2.0
// pjrt_abi/client.h -- the C API of clients, devices and memories.
#pragma once

#include "hilo/pjrt_abi/values.h"

struct PJRT_KeyValueGetCallback_Args {
  HILO_PJRT_HEAD;
  const char* key;
  size_t key_size;
  int32_t timeout_in_ms;
  PJRT_CallbackError* callback_error;
  void* user_arg;
  char* value;                            // out
  size_t value_size;                      // out
  void (*value_deleter_callback)(char*);  // out
};
HILO_PJRT_SIZE(PJRT_KeyValueGetCallback_Args, value_deleter_callback, 80);

using PJRT_KeyValueGetCallback = PJRT_Error* (*)(PJRT_KeyValueGetCallback_Args* args);

struct PJRT_KeyValueTryGetCallback_Args {
  HILO_PJRT_HEAD;
  const char* key;
  size_t key_size;
  PJRT_CallbackError* callback_error;
  void* user_arg;
  char* value;                            // out
  size_t value_size;                      // out
  void (*value_deleter_callback)(char*);  // out
};
HILO_PJRT_SIZE(PJRT_KeyValueTryGetCallback_Args, value_deleter_callback, 72);

using PJRT_KeyValueTryGetCallback = PJRT_Error* (*)(PJRT_KeyValueTryGetCallback_Args* args);

struct PJRT_KeyValuePutCallback_Args {
  HILO_PJRT_HEAD;
  const char* key;
  size_t key_size;
  const char* value;
  size_t value_size;
  PJRT_CallbackError* callback_error;
  void* user_arg;
};
HILO_PJRT_SIZE(PJRT_KeyValuePutCallback_Args, user_arg, 64);

using PJRT_KeyValuePutCallback = PJRT_Error* (*)(PJRT_KeyValuePutCallback_Args* args);

enum PJRT_ProcessState : uint32_t {
  PJRT_ProcessState_kUnspecified = 0,
  PJRT_ProcessState_kUninitialized = 1,
  PJRT_ProcessState_kDisconnected = 2,
  PJRT_ProcessState_kConnected = 3,
  PJRT_ProcessState_kError = 4,
};

struct PJRT_ProcessInfo {
  size_t struct_size;
  int32_t task_id;
  uint64_t incarnation_id;
  PJRT_ProcessState state;
  int32_t error_code;
  const char* error_message;
  size_t error_message_size;
};
HILO_PJRT_SIZE(PJRT_ProcessInfo, error_message_size, 48);

struct PJRT_Client_Create_Args {
  HILO_PJRT_HEAD;
  const PJRT_NamedValue* create_options;
  size_t num_options;
  PJRT_KeyValueGetCallback kv_get_callback;
  void* kv_get_user_arg;
  PJRT_KeyValuePutCallback kv_put_callback;
  void* kv_put_user_arg;
  PJRT_Client* client;  // out
  PJRT_KeyValueTryGetCallback kv_try_get_callback;
  void* kv_try_get_user_arg;
};
HILO_PJRT_SIZE(PJRT_Client_Create_Args, kv_try_get_user_arg, 88);

struct PJRT_Client_Destroy_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
};
HILO_PJRT_SIZE(PJRT_Client_Destroy_Args, client, 24);

struct PJRT_Client_PlatformName_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  const char* platform_name;  // out
  size_t platform_name_size;  // out
};
HILO_PJRT_SIZE(PJRT_Client_PlatformName_Args, platform_name_size, 40);

struct PJRT_Client_ProcessIndex_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  int32_t process_index;  // out
};
HILO_PJRT_SIZE(PJRT_Client_ProcessIndex_Args, process_index, 28);

struct PJRT_Client_PlatformVersion_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  const char* platform_version;  // out
  size_t platform_version_size;  // out
};
HILO_PJRT_SIZE(PJRT_Client_PlatformVersion_Args, platform_version_size, 40);

struct PJRT_Client_Devices_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  PJRT_Device* const* devices;  // out
  size_t num_devices;           // out
};
HILO_PJRT_SIZE(PJRT_Client_Devices_Args, num_devices, 40);

struct PJRT_Client_AddressableDevices_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  PJRT_Device* const* addressable_devices;  // out
  size_t num_addressable_devices;           // out
};
HILO_PJRT_SIZE(PJRT_Client_AddressableDevices_Args, num_addressable_devices, 40);

struct PJRT_Client_LookupDevice_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  int32_t id;
  PJRT_Device* device;  // out
};
HILO_PJRT_SIZE(PJRT_Client_LookupDevice_Args, device, 40);

struct PJRT_Client_LookupAddressableDevice_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  int32_t local_hardware_id;
  PJRT_Device* addressable_device;  // out
};
HILO_PJRT_SIZE(PJRT_Client_LookupAddressableDevice_Args, addressable_device, 40);

struct PJRT_Client_AddressableMemories_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  PJRT_Memory* const* addressable_memories;  // out
  size_t num_addressable_memories;           // out
};
HILO_PJRT_SIZE(PJRT_Client_AddressableMemories_Args, num_addressable_memories, 40);

struct PJRT_Client_DefaultDeviceAssignment_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  int32_t num_replicas;
  int32_t num_partitions;
  size_t default_assignment_size;
  int* default_assignment;
};
HILO_PJRT_SIZE(PJRT_Client_DefaultDeviceAssignment_Args, default_assignment, 48);

struct PJRT_Client_DmaMap_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  void* data;
  size_t size;
};
HILO_PJRT_SIZE(PJRT_Client_DmaMap_Args, size, 40);

struct PJRT_Client_DmaUnmap_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  void* data;
};
HILO_PJRT_SIZE(PJRT_Client_DmaUnmap_Args, data, 32);

struct PJRT_Client_UpdateGlobalProcessInfo_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  PJRT_ProcessInfo* process_infos;
  size_t num_process_infos;
};
HILO_PJRT_SIZE(PJRT_Client_UpdateGlobalProcessInfo_Args, num_process_infos, 40);

struct PJRT_DeviceDescription_Id_Args {
  HILO_PJRT_HEAD;
  PJRT_DeviceDescription* device_description;
  int32_t id;  // out
};
HILO_PJRT_SIZE(PJRT_DeviceDescription_Id_Args, id, 28);

struct PJRT_DeviceDescription_ProcessIndex_Args {
  HILO_PJRT_HEAD;
  PJRT_DeviceDescription* device_description;
  int32_t process_index;  // out
};
HILO_PJRT_SIZE(PJRT_DeviceDescription_ProcessIndex_Args, process_index, 28);

struct PJRT_DeviceDescription_Attributes_Args {
  HILO_PJRT_HEAD;
  PJRT_DeviceDescription* device_description;
  size_t num_attributes;              // out
  const PJRT_NamedValue* attributes;  // out
};
HILO_PJRT_SIZE(PJRT_DeviceDescription_Attributes_Args, attributes, 40);

struct PJRT_DeviceDescription_Kind_Args {
  HILO_PJRT_HEAD;
  PJRT_DeviceDescription* device_description;
  const char* device_kind;  // out
  size_t device_kind_size;  // out
};
HILO_PJRT_SIZE(PJRT_DeviceDescription_Kind_Args, device_kind_size, 40);

struct PJRT_DeviceDescription_DebugString_Args {
  HILO_PJRT_HEAD;
  PJRT_DeviceDescription* device_description;
  const char* debug_string;  // out
  size_t debug_string_size;  // out
};
HILO_PJRT_SIZE(PJRT_DeviceDescription_DebugString_Args, debug_string_size, 40);

struct PJRT_DeviceDescription_ToString_Args {
  HILO_PJRT_HEAD;
  PJRT_DeviceDescription* device_description;
  const char* to_string;  // out
  size_t to_string_size;  // out
};
HILO_PJRT_SIZE(PJRT_DeviceDescription_ToString_Args, to_string_size, 40);

struct PJRT_Device_GetDescription_Args {
  HILO_PJRT_HEAD;
  PJRT_Device* device;
  PJRT_DeviceDescription* device_description;  // out
};
HILO_PJRT_SIZE(PJRT_Device_GetDescription_Args, device_description, 32);

struct PJRT_Device_IsAddressable_Args {
  HILO_PJRT_HEAD;
  PJRT_Device* device;
  bool is_addressable;  // out
};
HILO_PJRT_SIZE(PJRT_Device_IsAddressable_Args, is_addressable, 25);

struct PJRT_Device_LocalHardwareId_Args {
  HILO_PJRT_HEAD;
  PJRT_Device* device;
  int32_t local_hardware_id;  // out
};
HILO_PJRT_SIZE(PJRT_Device_LocalHardwareId_Args, local_hardware_id, 28);

struct PJRT_Device_AddressableMemories_Args {
  HILO_PJRT_HEAD;
  PJRT_Device* device;
  PJRT_Memory* const* memories;  // out
  size_t num_memories;           // out
};
HILO_PJRT_SIZE(PJRT_Device_AddressableMemories_Args, num_memories, 40);

struct PJRT_Device_DefaultMemory_Args {
  HILO_PJRT_HEAD;
  PJRT_Device* device;
  PJRT_Memory* memory;  // out
};
HILO_PJRT_SIZE(PJRT_Device_DefaultMemory_Args, memory, 32);

struct PJRT_Device_MemoryStats_Args {
  HILO_PJRT_HEAD;
  PJRT_Device* device;
  int64_t bytes_in_use;                  // out
  int64_t peak_bytes_in_use;             // out
  bool peak_bytes_in_use_is_set;         // out
  int64_t num_allocs;                    // out
  bool num_allocs_is_set;                // out
  int64_t largest_alloc_size;            // out
  bool largest_alloc_size_is_set;        // out
  int64_t bytes_limit;                   // out
  bool bytes_limit_is_set;               // out
  int64_t bytes_reserved;                // out
  bool bytes_reserved_is_set;            // out
  int64_t peak_bytes_reserved;           // out
  bool peak_bytes_reserved_is_set;       // out
  int64_t bytes_reservable_limit;        // out
  bool bytes_reservable_limit_is_set;    // out
  int64_t largest_free_block_bytes;      // out
  bool largest_free_block_bytes_is_set;  // out
  int64_t pool_bytes;                    // out
  bool pool_bytes_is_set;                // out
  int64_t peak_pool_bytes;               // out
  bool peak_pool_bytes_is_set;           // out
  int64_t peak_allocated_bytes;          // out
  bool peak_allocated_bytes_is_set;      // out
};
HILO_PJRT_SIZE(PJRT_Device_MemoryStats_Args, peak_allocated_bytes_is_set, 201);

struct PJRT_Device_PoisonExecution_Args {
  HILO_PJRT_HEAD;
  PJRT_Device* device;
  int32_t launch_id;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
  bool poisoned;  // out
  PJRT_ErrorPayload* payload;
  size_t num_payload;
};
HILO_PJRT_SIZE(PJRT_Device_PoisonExecution_Args, num_payload, 72);

struct PJRT_Device_CreateAsyncTrackingEvent_Args {
  HILO_PJRT_HEAD;
  PJRT_Device* device;
  const char* description;
  size_t description_size;
  PJRT_AsyncTrackingEvent* event;  // out
};
HILO_PJRT_SIZE(PJRT_Device_CreateAsyncTrackingEvent_Args, event, 48);

struct PJRT_AsyncTrackingEvent_Destroy_Args {
  HILO_PJRT_HEAD;
  PJRT_AsyncTrackingEvent* event;
};
HILO_PJRT_SIZE(PJRT_AsyncTrackingEvent_Destroy_Args, event, 24);

struct PJRT_Device_GetAttributes_Args {
  HILO_PJRT_HEAD;
  PJRT_Device* device;
  const PJRT_NamedValue* attributes;                    // out
  size_t num_attributes;                                // out
  PJRT_Device_Attributes* device_attributes;            // out
  void (*attributes_deleter)(PJRT_Device_Attributes*);  // out
};
HILO_PJRT_SIZE(PJRT_Device_GetAttributes_Args, attributes_deleter, 56);

struct PJRT_Device_ClearMemoryStats_Args {
  HILO_PJRT_HEAD;
  PJRT_Device* device;
};
HILO_PJRT_SIZE(PJRT_Device_ClearMemoryStats_Args, device, 24);

struct PJRT_Memory_FunctionTable {
  HILO_PJRT_HEAD;
  size_t instance_struct_size;
  void* (*get_user_data)(PJRT_Memory*, const void* key);
  void (*set_user_data)(PJRT_Memory*, const void* key, void* data, void (*destroy)(void*));
};
HILO_PJRT_SIZE(PJRT_Memory_FunctionTable, set_user_data, 40);

struct PJRT_Memory {
  const PJRT_Memory_FunctionTable* vtable;
};

struct PJRT_Memory_Id_Args {
  HILO_PJRT_HEAD;
  PJRT_Memory* memory;
  int32_t id;  // out
};
HILO_PJRT_SIZE(PJRT_Memory_Id_Args, id, 28);

struct PJRT_Memory_Kind_Args {
  HILO_PJRT_HEAD;
  PJRT_Memory* memory;
  const char* kind;  // out
  size_t kind_size;  // out
};
HILO_PJRT_SIZE(PJRT_Memory_Kind_Args, kind_size, 40);

struct PJRT_Memory_DebugString_Args {
  HILO_PJRT_HEAD;
  PJRT_Memory* memory;
  const char* debug_string;  // out
  size_t debug_string_size;  // out
};
HILO_PJRT_SIZE(PJRT_Memory_DebugString_Args, debug_string_size, 40);

struct PJRT_Memory_ToString_Args {
  HILO_PJRT_HEAD;
  PJRT_Memory* memory;
  const char* to_string;  // out
  size_t to_string_size;  // out
};
HILO_PJRT_SIZE(PJRT_Memory_ToString_Args, to_string_size, 40);

struct PJRT_Memory_AddressableByDevices_Args {
  HILO_PJRT_HEAD;
  PJRT_Memory* memory;
  PJRT_Device* const* devices;  // out
  size_t num_devices;           // out
};
HILO_PJRT_SIZE(PJRT_Memory_AddressableByDevices_Args, num_devices, 40);

struct PJRT_Memory_Kind_Id_Args {
  HILO_PJRT_HEAD;
  PJRT_Memory* memory;
  int32_t kind_id;  // out
};
HILO_PJRT_SIZE(PJRT_Memory_Kind_Id_Args, kind_id, 28);
