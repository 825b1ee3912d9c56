// SPDX-License-Identifier: Apache-2.0
// pjrt_abi/executables.h -- the C API of programs, executables, and runs.
#pragma once

#include "hilo/pjrt_abi/buffers.h"

struct PJRT_Program {
  HILO_PJRT_HEAD;
  char* code;
  size_t code_size;
  const char* format;
  size_t format_size;
};
HILO_PJRT_SIZE(PJRT_Program, format_size, 48);

struct PJRT_LoadOptions {
  size_t struct_size;
  const char* computation_origin;
  size_t computation_origin_size;
  PJRT_MultiSlice_Config* multi_slice_config;
};
HILO_PJRT_SIZE(PJRT_LoadOptions, multi_slice_config, 32);

struct PJRT_LogicalDeviceIds {
  int32_t replica;
  int32_t partition;
};

using PJRT_SendCallback = PJRT_Error* (*)(PJRT_Chunk* chunk, PJRT_CallbackError* callback_error,
                                          size_t total_size_in_bytes, bool done, void* user_arg);
using PJRT_RecvCallback = void (*)(PJRT_CopyToDeviceStream* stream, void* user_arg);

struct PJRT_SendCallbackInfo {
  int64_t channel_id;
  void* user_arg;
  PJRT_SendCallback send_callback;
};

struct PJRT_RecvCallbackInfo {
  int64_t channel_id;
  void* user_arg;
  PJRT_RecvCallback recv_callback;
};

struct PJRT_HloOutputCallbackInfo {
  void* user_arg;
  void* callback;
  int64_t callback_id;
  size_t num_operands;
};

struct PJRT_ExecuteOptions {
  HILO_PJRT_HEAD;
  PJRT_SendCallbackInfo** send_callbacks;
  PJRT_RecvCallbackInfo** recv_callbacks;
  size_t num_send_ops;
  size_t num_recv_ops;
  int32_t launch_id;
  const int64_t* non_donatable_input_indices;
  size_t num_non_donatable_input_indices;
  PJRT_ExecuteContext* context;
  const char* call_location;
  size_t num_tasks;
  int* task_ids;
  int64_t* incarnation_ids;
  PJRT_MultiSlice_Config* multi_slice_config;
  bool use_major_to_minor_data_layout_for_callbacks;
  PJRT_HloOutputCallbackInfo** hlo_output_callbacks;
  size_t num_hlo_output_callbacks;
};
HILO_PJRT_SIZE(PJRT_ExecuteOptions, num_hlo_output_callbacks, 144);

struct PJRT_Client_Compile_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  const PJRT_Program* program;
  const char* compile_options;
  size_t compile_options_size;
  PJRT_LoadedExecutable* executable;  // out
};
HILO_PJRT_SIZE(PJRT_Client_Compile_Args, executable, 56);

struct PJRT_Client_Load_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  PJRT_Executable* executable;
  const char* compile_options;
  size_t compile_options_size;
  PJRT_LoadedExecutable* loaded_executable;  // out
};
HILO_PJRT_SIZE(PJRT_Client_Load_Args, loaded_executable, 56);

struct PJRT_Compile_Args {
  HILO_PJRT_HEAD;
  const PJRT_TopologyDescription* topology;
  const PJRT_Program* program;
  const char* compile_options;
  size_t compile_options_size;
  PJRT_Client* client;
  PJRT_Executable* executable;  // out
};
HILO_PJRT_SIZE(PJRT_Compile_Args, executable, 64);

struct PJRT_Executable_Destroy_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
};
HILO_PJRT_SIZE(PJRT_Executable_Destroy_Args, executable, 24);

struct PJRT_Executable_Name_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  const char* executable_name;  // out
  size_t executable_name_size;  // out
};
HILO_PJRT_SIZE(PJRT_Executable_Name_Args, executable_name_size, 40);

struct PJRT_Executable_NumReplicas_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  size_t num_replicas;  // out
};
HILO_PJRT_SIZE(PJRT_Executable_NumReplicas_Args, num_replicas, 32);

struct PJRT_Executable_NumPartitions_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  size_t num_partitions;  // out
};
HILO_PJRT_SIZE(PJRT_Executable_NumPartitions_Args, num_partitions, 32);

struct PJRT_Executable_NumOutputs_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  size_t num_outputs;  // out
};
HILO_PJRT_SIZE(PJRT_Executable_NumOutputs_Args, num_outputs, 32);

struct PJRT_Executable_SizeOfGeneratedCodeInBytes_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  int64_t size_in_bytes;  // out
};
HILO_PJRT_SIZE(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, size_in_bytes, 32);

struct PJRT_Executable_GetCostAnalysis_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  size_t num_properties;              // out
  const PJRT_NamedValue* properties;  // out
};
HILO_PJRT_SIZE(PJRT_Executable_GetCostAnalysis_Args, properties, 40);

struct PJRT_Executable_OutputMemoryKinds_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  size_t num_outputs;               // out
  const char* const* memory_kinds;  // out
  const size_t* memory_kind_sizes;  // out
};
HILO_PJRT_SIZE(PJRT_Executable_OutputMemoryKinds_Args, memory_kind_sizes, 48);

struct PJRT_Executable_OptimizedProgram_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  PJRT_Program* program;  // out
};
HILO_PJRT_SIZE(PJRT_Executable_OptimizedProgram_Args, program, 32);

struct PJRT_Executable_Serialize_Args {
  HILO_PJRT_HEAD;
  const PJRT_Executable* executable;
  const char* serialized_bytes;                                       // out
  size_t serialized_bytes_size;                                       // out
  PJRT_SerializedExecutable* serialized_executable;                   // out
  void (*serialized_executable_deleter)(PJRT_SerializedExecutable*);  // out
};
HILO_PJRT_SIZE(PJRT_Executable_Serialize_Args, serialized_executable_deleter, 56);

struct PJRT_LoadedExecutable_Destroy_Args {
  HILO_PJRT_HEAD;
  PJRT_LoadedExecutable* executable;
};
HILO_PJRT_SIZE(PJRT_LoadedExecutable_Destroy_Args, executable, 24);

struct PJRT_LoadedExecutable_GetExecutable_Args {
  HILO_PJRT_HEAD;
  PJRT_LoadedExecutable* loaded_executable;
  PJRT_Executable* executable;  // out
};
HILO_PJRT_SIZE(PJRT_LoadedExecutable_GetExecutable_Args, executable, 32);

struct PJRT_LoadedExecutable_AddressableDevices_Args {
  HILO_PJRT_HEAD;
  PJRT_LoadedExecutable* executable;
  PJRT_Device* const* addressable_devices;  // out
  size_t num_addressable_devices;           // out
};
HILO_PJRT_SIZE(PJRT_LoadedExecutable_AddressableDevices_Args, num_addressable_devices, 40);

struct PJRT_LoadedExecutable_Delete_Args {
  HILO_PJRT_HEAD;
  PJRT_LoadedExecutable* executable;
};
HILO_PJRT_SIZE(PJRT_LoadedExecutable_Delete_Args, executable, 24);

struct PJRT_LoadedExecutable_IsDeleted_Args {
  HILO_PJRT_HEAD;
  PJRT_LoadedExecutable* executable;
  bool is_deleted;  // out
};
HILO_PJRT_SIZE(PJRT_LoadedExecutable_IsDeleted_Args, is_deleted, 25);

struct PJRT_LoadedExecutable_Execute_Args {
  HILO_PJRT_HEAD;
  PJRT_LoadedExecutable* executable;
  PJRT_ExecuteOptions* options;
  PJRT_Buffer* const* const* argument_lists;
  size_t num_devices;
  size_t num_args;
  PJRT_Buffer** const* output_lists;    // out
  PJRT_Event** device_complete_events;  // out
  PJRT_Device* execute_device;
};
HILO_PJRT_SIZE(PJRT_LoadedExecutable_Execute_Args, execute_device, 80);

struct PJRT_Executable_DeserializeAndLoad_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  const char* serialized_executable;
  size_t serialized_executable_size;
  PJRT_LoadedExecutable* loaded_executable;  // out
  const char* overridden_serialized_compile_options;
  size_t overridden_serialized_compile_options_size;
  PJRT_LoadOptions* load_options;
};
HILO_PJRT_SIZE(PJRT_Executable_DeserializeAndLoad_Args, load_options, 72);

struct PJRT_LoadedExecutable_Fingerprint_Args {
  HILO_PJRT_HEAD;
  PJRT_LoadedExecutable* executable;
  const char* executable_fingerprint;  // out
  size_t executable_fingerprint_size;  // out
};
HILO_PJRT_SIZE(PJRT_LoadedExecutable_Fingerprint_Args, executable_fingerprint_size, 40);

struct PJRT_Executable_OutputElementTypes_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  PJRT_Buffer_Type* output_types;  // out
  size_t num_output_types;         // out
};
HILO_PJRT_SIZE(PJRT_Executable_OutputElementTypes_Args, num_output_types, 40);

struct PJRT_Executable_OutputDimensions_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  size_t num_outputs;       // out
  const int64_t* dims;      // out
  const size_t* dim_sizes;  // out
};
HILO_PJRT_SIZE(PJRT_Executable_OutputDimensions_Args, dim_sizes, 48);

struct PJRT_Executable_Fingerprint_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  const char* executable_fingerprint;  // out
  size_t executable_fingerprint_size;  // out
};
HILO_PJRT_SIZE(PJRT_Executable_Fingerprint_Args, executable_fingerprint_size, 40);

struct PJRT_Executable_GetCompiledMemoryStats_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  int64_t generated_code_size_in_bytes;       // out
  int64_t argument_size_in_bytes;             // out
  int64_t output_size_in_bytes;               // out
  int64_t alias_size_in_bytes;                // out
  int64_t temp_size_in_bytes;                 // out
  int64_t host_generated_code_size_in_bytes;  // out
  int64_t host_argument_size_in_bytes;        // out
  int64_t host_output_size_in_bytes;          // out
  int64_t host_alias_size_in_bytes;           // out
  int64_t host_temp_size_in_bytes;            // out
  int64_t peak_memory_in_bytes;               // out
  int64_t total_size_in_bytes;                // out
  int64_t total_allocation_bytes;             // out
  int64_t indefinite_allocations;             // out
  int64_t peak_unpadded_heap_bytes;           // out
};
HILO_PJRT_SIZE(PJRT_Executable_GetCompiledMemoryStats_Args, peak_unpadded_heap_bytes, 144);

struct PJRT_ExecuteContext_Create_Args {
  HILO_PJRT_HEAD;
  PJRT_ExecuteContext* context;  // out
};
HILO_PJRT_SIZE(PJRT_ExecuteContext_Create_Args, context, 24);

struct PJRT_ExecuteContext_Destroy_Args {
  HILO_PJRT_HEAD;
  PJRT_ExecuteContext* context;
};
HILO_PJRT_SIZE(PJRT_ExecuteContext_Destroy_Args, context, 24);

struct PJRT_LoadedExecutable_GetDeviceAssignment_Args {
  HILO_PJRT_HEAD;
  PJRT_LoadedExecutable* executable;
  const char* serialized_bytes;                                                    // out
  size_t serialized_bytes_size;                                                    // out
  PJRT_DeviceAssignmentSerialized* serialized_device_assignment;                   // out
  void (*serialized_device_assignment_deleter)(PJRT_DeviceAssignmentSerialized*);  // out
};
HILO_PJRT_SIZE(PJRT_LoadedExecutable_GetDeviceAssignment_Args, serialized_device_assignment_deleter, 56);

struct PJRT_Executable_GetCompileOptions_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  const char* serialized_bytes;                                                // out
  size_t serialized_bytes_size;                                                // out
  PJRT_SerializedCompileOptions* serialized_compile_options;                   // out
  void (*serialized_compile_options_deleter)(PJRT_SerializedCompileOptions*);  // out
};
HILO_PJRT_SIZE(PJRT_Executable_GetCompileOptions_Args, serialized_compile_options_deleter, 56);

struct PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args {
  HILO_PJRT_HEAD;
  PJRT_LoadedExecutable* executable;
  PJRT_LogicalDeviceIds* addressable_device_logical_ids;  // out
  size_t num_addressable_device_logical_ids;              // out
};
HILO_PJRT_SIZE(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args, num_addressable_device_logical_ids, 40);

struct PJRT_Executable_ParameterMemoryKinds_Args {
  HILO_PJRT_HEAD;
  PJRT_Executable* executable;
  size_t num_parameters;            // out
  const char* const* memory_kinds;  // out
  const size_t* memory_kind_sizes;  // out
};
HILO_PJRT_SIZE(PJRT_Executable_ParameterMemoryKinds_Args, memory_kind_sizes, 48);
