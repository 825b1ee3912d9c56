// SPDX-License-Identifier: Apache-2.0
// pjrt_abi/extensions.h -- the extensions that hilo supports: layouts, FFI, kinds of memory, shardings, partitioners. A
// plugin lists those that it has.
#pragma once

#include "hilo/pjrt_abi/buffers.h"

struct PJRT_Layouts_MemoryLayout_Destroy_Args {
  HILO_PJRT_HEAD;
  PJRT_Layouts_MemoryLayout* layout;
};
HILO_PJRT_SIZE(PJRT_Layouts_MemoryLayout_Destroy_Args, layout, 24);

struct PJRT_Layouts_MemoryLayout_Serialize_Args {
  HILO_PJRT_HEAD;
  PJRT_Layouts_MemoryLayout* layout;
  const char* serialized_bytes;                                       // out
  size_t serialized_bytes_size;                                       // out
  PJRT_Layouts_SerializedLayout* serialized_layout;                   // out
  void (*serialized_layout_deleter)(PJRT_Layouts_SerializedLayout*);  // out
};
HILO_PJRT_SIZE(PJRT_Layouts_MemoryLayout_Serialize_Args, serialized_layout_deleter, 56);

struct PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  PJRT_Buffer_Type type;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Layouts_MemoryLayout* layout;  // out
};
HILO_PJRT_SIZE(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, layout, 56);

struct PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  PJRT_Layouts_MemoryLayout* layout;  // out
};
HILO_PJRT_SIZE(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, layout, 32);

struct PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args {
  HILO_PJRT_HEAD;
  PJRT_TopologyDescription* topology_description;
  PJRT_Buffer_Type type;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Layouts_MemoryLayout* layout;  // out
};
HILO_PJRT_SIZE(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, layout, 56);

struct PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  size_t num_outputs;                   // out
  PJRT_Layouts_MemoryLayout** layouts;  // out
};
HILO_PJRT_SIZE(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, layouts, 40);

struct PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  size_t num_parameters;                // out
  PJRT_Layouts_MemoryLayout** layouts;  // out
};
HILO_PJRT_SIZE(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, layouts, 40);

struct PJRT_Layouts_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_Layouts_MemoryLayout_Destroy)(PJRT_Layouts_MemoryLayout_Destroy_Args*);
  PJRT_Error* (*PJRT_Layouts_MemoryLayout_Serialize)(PJRT_Layouts_MemoryLayout_Serialize_Args*);
  PJRT_Error* (*PJRT_Layouts_PJRT_Client_GetDefaultLayout)(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args*);
  PJRT_Error* (*PJRT_Layouts_PJRT_Buffer_MemoryLayout)(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args*);
  PJRT_Error* (*PJRT_Layouts_PJRT_Topology_GetDefaultLayout)(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args*);
  PJRT_Error* (*PJRT_Layouts_PJRT_Executable_GetOutputLayouts)(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args*);
  PJRT_Error* (*PJRT_Layouts_PJRT_Executable_GetParameterLayouts)(
      PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args*);
};

struct PJRT_FFI_Type_Info {
  void (*deleter)(void*);
  void* serialize;
  void* deserialize;
};

struct PJRT_FFI_Type_Register_Args {
  HILO_PJRT_HEAD;
  const char* type_name;
  size_t type_name_size;
  int64_t type_id;
  const PJRT_FFI_Type_Info* type_info;
};
HILO_PJRT_SIZE(PJRT_FFI_Type_Register_Args, type_info, 48);

struct PJRT_FFI_UserData {
  int64_t type_id;
  void* data;
};

struct PJRT_FFI_UserData_Add_Args {
  HILO_PJRT_HEAD;
  PJRT_ExecuteContext* context;
  PJRT_FFI_UserData user_data;
};
HILO_PJRT_SIZE(PJRT_FFI_UserData_Add_Args, user_data, 40);

/// Bits of PJRT_FFI_Register_Handler_Args::traits.
enum PJRT_FFI_Handler_TraitsBits : uint32_t {
  PJRT_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1,
};

struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;
  const char* target_name;
  size_t target_name_size;
  void* handler;
  const char* platform_name;
  size_t platform_name_size;
  uint32_t traits;
};
HILO_PJRT_SIZE(PJRT_FFI_Register_Handler_Args, traits, 52);

struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*type_register)(PJRT_FFI_Type_Register_Args*);
  PJRT_Error* (*user_data_add)(PJRT_FFI_UserData_Add_Args*);
  PJRT_Error* (*register_handler)(PJRT_FFI_Register_Handler_Args*);
};

struct PJRT_DeviceDescription_MemoryDescriptions_Args {
  HILO_PJRT_HEAD;
  PJRT_DeviceDescription* device_description;
  const PJRT_MemoryDescription* const* memory_descriptions;  // out
  size_t num_memory_descriptions;                            // out
  size_t default_memory_index;                               // out
};
HILO_PJRT_SIZE(PJRT_DeviceDescription_MemoryDescriptions_Args, default_memory_index, 48);

struct PJRT_MemoryDescription_Kind_Args {
  HILO_PJRT_HEAD;
  const PJRT_MemoryDescription* memory_description;
  const char* kind;  // out
  size_t kind_size;  // out
  int32_t kind_id;   // out
};
HILO_PJRT_SIZE(PJRT_MemoryDescription_Kind_Args, kind_id, 44);

struct PJRT_MemoryDescriptions_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_DeviceDescription_MemoryDescriptions)(PJRT_DeviceDescription_MemoryDescriptions_Args*);
  PJRT_Error* (*PJRT_MemoryDescription_Kind)(PJRT_MemoryDescription_Kind_Args*);
};

struct PJRT_Shardings_PJRT_Executable_ParameterShardings_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  size_t num_parameters;         // out
  const char* const* shardings;  // out
  const size_t* sharding_sizes;  // out
};
HILO_PJRT_SIZE(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, sharding_sizes, 48);

struct PJRT_Shardings_PJRT_Executable_OutputShardings_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  size_t num_outputs;            // out
  const char* const* shardings;  // out
  const size_t* sharding_sizes;  // out
};
HILO_PJRT_SIZE(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, sharding_sizes, 48);

struct PJRT_Shardings_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_Shardings_PJRT_Executable_ParameterShardings)(
      PJRT_Shardings_PJRT_Executable_ParameterShardings_Args*);
  PJRT_Error* (*PJRT_Shardings_PJRT_Executable_OutputShardings)(PJRT_Shardings_PJRT_Executable_OutputShardings_Args*);
};

struct JAX_CustomCallPartitioner_string {
  const char* data;
  size_t size;
};

/// An array of a custom call: ShapeProto and OpSharding.
struct JAX_CustomCallPartitioner_aval {
  JAX_CustomCallPartitioner_string shape;
  bool has_sharding;
  JAX_CustomCallPartitioner_string sharding;
};

/// Head of a callback's arguments. Results live until the cleanup function is called with `data`.
struct JAX_CustomCallPartitioner_version_and_error {
  int64_t api_version;
  void* data;                                  // out
  void (*cleanup_fn)(void* data);              // out
  bool has_error;                              // out
  PJRT_Error_Code code;                        // out
  JAX_CustomCallPartitioner_string error_msg;  // out
};

struct JAX_CustomCallPartitioner_Partition_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  JAX_CustomCallPartitioner_aval* op_args;
  JAX_CustomCallPartitioner_aval op_result;
  JAX_CustomCallPartitioner_string backend_config;
  JAX_CustomCallPartitioner_string mlir_module;      // out
  JAX_CustomCallPartitioner_string* args_sharding;   // out
  JAX_CustomCallPartitioner_string result_sharding;  // out
};

struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  JAX_CustomCallPartitioner_aval* op_args;
  JAX_CustomCallPartitioner_string result_shape;
  JAX_CustomCallPartitioner_string backend_config;
  bool has_result_sharding;                          // out
  JAX_CustomCallPartitioner_string result_sharding;  // out
};

struct JAX_CustomCallPartitioner_PropagateUserSharding_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  JAX_CustomCallPartitioner_string backend_config;
  JAX_CustomCallPartitioner_string result_shape;
  JAX_CustomCallPartitioner_string result_sharding;  // in and out
};

/// The plugin owns it from its registration on, and destroys it by `dtor`.
struct JAX_CustomCallPartitioner_Callbacks {
  int64_t version;
  void* private_data;
  void (*dtor)(JAX_CustomCallPartitioner_Callbacks* data);
  void (*partition)(JAX_CustomCallPartitioner_Callbacks* data, JAX_CustomCallPartitioner_Partition_Args* args);
  void (*infer_sharding)(JAX_CustomCallPartitioner_Callbacks* data,
                         JAX_CustomCallPartitioner_InferShardingFromOperands_Args* args);
  void (*propagate_user_sharding)(JAX_CustomCallPartitioner_Callbacks* data,
                                  JAX_CustomCallPartitioner_PropagateUserSharding_Args* args);
  bool can_side_effecting_have_replicated_sharding;
};

struct PJRT_Register_Custom_Partitioner_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
  JAX_CustomCallPartitioner_Callbacks* callbacks;
};
HILO_PJRT_SIZE(PJRT_Register_Custom_Partitioner_Args, callbacks, 32);

struct PJRT_Register_Batch_Partitionable_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
};
HILO_PJRT_SIZE(PJRT_Register_Batch_Partitionable_Args, name_size, 24);

struct PJRT_Custom_Partitioner_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*register_custom_partitioner)(PJRT_Register_Custom_Partitioner_Args*);
  PJRT_Error* (*register_batch_partitionable)(PJRT_Register_Batch_Partitionable_Args*);
};
