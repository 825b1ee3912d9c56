// SPDX-License-Identifier: Apache-2.0
// pjrt_abi/buffers.h -- the C API of buffers and of transfers to them.
#pragma once

#include "hilo/pjrt_abi/values.h"

enum PJRT_Buffer_Type : uint32_t {
  PJRT_Buffer_Type_INVALID = 0,
  PJRT_Buffer_Type_PRED = 1,
  PJRT_Buffer_Type_S8 = 2,
  PJRT_Buffer_Type_S16 = 3,
  PJRT_Buffer_Type_S32 = 4,
  PJRT_Buffer_Type_S64 = 5,
  PJRT_Buffer_Type_U8 = 6,
  PJRT_Buffer_Type_U16 = 7,
  PJRT_Buffer_Type_U32 = 8,
  PJRT_Buffer_Type_U64 = 9,
  PJRT_Buffer_Type_F16 = 10,
  PJRT_Buffer_Type_F32 = 11,
  PJRT_Buffer_Type_F64 = 12,
  PJRT_Buffer_Type_BF16 = 13,
  PJRT_Buffer_Type_C64 = 14,
  PJRT_Buffer_Type_C128 = 15,
  PJRT_Buffer_Type_F8E5M2 = 16,
  PJRT_Buffer_Type_F8E4M3FN = 17,
  PJRT_Buffer_Type_F8E4M3B11FNUZ = 18,
  PJRT_Buffer_Type_F8E5M2FNUZ = 19,
  PJRT_Buffer_Type_F8E4M3FNUZ = 20,
  PJRT_Buffer_Type_S4 = 21,
  PJRT_Buffer_Type_U4 = 22,
  PJRT_Buffer_Type_TOKEN = 23,
  PJRT_Buffer_Type_S2 = 24,
  PJRT_Buffer_Type_U2 = 25,
  PJRT_Buffer_Type_F8E4M3 = 26,
  PJRT_Buffer_Type_F8E3M4 = 27,
  PJRT_Buffer_Type_F8E8M0FNU = 28,
  PJRT_Buffer_Type_F4E2M1FN = 29,
  PJRT_Buffer_Type_S1 = 30,
  PJRT_Buffer_Type_U1 = 31,
  PJRT_Buffer_Type_F6E2M3FN = 32,
  PJRT_Buffer_Type_F6E3M2FN = 33,
};

enum PJRT_HostBufferSemantics : uint32_t {
  PJRT_HostBufferSemantics_kImmutableOnlyDuringCall = 0,
  PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes = 1,
  PJRT_HostBufferSemantics_kImmutableZeroCopy = 2,
  PJRT_HostBufferSemantics_kMutableZeroCopy = 3,
};

enum PJRT_Buffer_MemoryLayout_Type : uint32_t {
  PJRT_Buffer_MemoryLayout_Type_Tiled = 0,
  PJRT_Buffer_MemoryLayout_Type_Strides = 1,
};

struct PJRT_Buffer_MemoryLayout_Tiled {
  HILO_PJRT_HEAD;
  const int64_t* minor_to_major;
  size_t minor_to_major_size;
  const int64_t* tile_dims;
  const size_t* tile_dim_sizes;
  size_t num_tiles;
};
HILO_PJRT_SIZE(PJRT_Buffer_MemoryLayout_Tiled, num_tiles, 56);

struct PJRT_Buffer_MemoryLayout_Strides {
  HILO_PJRT_HEAD;
  const int64_t* byte_strides;
  size_t num_byte_strides;
};
HILO_PJRT_SIZE(PJRT_Buffer_MemoryLayout_Strides, num_byte_strides, 32);

struct PJRT_Buffer_MemoryLayout {
  HILO_PJRT_HEAD;
  union {
    PJRT_Buffer_MemoryLayout_Tiled tiled;
    PJRT_Buffer_MemoryLayout_Strides strides;
  };
  PJRT_Buffer_MemoryLayout_Type type;
};
HILO_PJRT_SIZE(PJRT_Buffer_MemoryLayout, type, 76);

struct PJRT_ShapeSpec {
  HILO_PJRT_HEAD;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
};
HILO_PJRT_SIZE(PJRT_ShapeSpec, element_type, 36);

struct PJRT_Chunk {
  void* data;
  size_t size;
  void (*deleter)(void*);
  void* deleter_arg;
};

struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args {
  size_t struct_size;
  void* callback_data;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
  void* dst;
};
HILO_PJRT_SIZE(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, dst, 48);

struct PJRT_Buffer_DonateWithControlDependency_Callback_Args {
  size_t struct_size;
  void* callback_data;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
};
HILO_PJRT_SIZE(PJRT_Buffer_DonateWithControlDependency_Callback_Args, error_message_size, 40);

struct PJRT_Client_BufferFromHostBuffer_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  const void* data;
  PJRT_Buffer_Type type;
  const int64_t* dims;
  size_t num_dims;
  const int64_t* byte_strides;
  size_t num_byte_strides;
  PJRT_HostBufferSemantics host_buffer_semantics;
  PJRT_Device* device;
  PJRT_Memory* memory;
  PJRT_Buffer_MemoryLayout* device_layout;
  PJRT_Event* done_with_host_buffer;  // out
  PJRT_Buffer* buffer;                // out
};
HILO_PJRT_SIZE(PJRT_Client_BufferFromHostBuffer_Args, buffer, 120);

struct PJRT_Client_CreateViewOfDeviceBuffer_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  void* device_buffer_ptr;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
  PJRT_Buffer_MemoryLayout* layout;
  PJRT_Device* device;
  void (*on_delete_callback)(void* device_buffer_ptr, void* user_arg);
  void* on_delete_callback_arg;
  intptr_t stream;
  PJRT_Buffer* buffer;  // out
  PJRT_Memory* memory;
};
HILO_PJRT_SIZE(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory, 112);

struct PJRT_Client_CreateBuffersForAsyncHostToDevice_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  PJRT_ShapeSpec* shape_specs;
  size_t num_shape_specs;
  PJRT_Buffer_MemoryLayout** device_layouts;
  size_t num_device_layouts;
  PJRT_Memory* memory;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  // out
};
HILO_PJRT_SIZE(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, transfer_manager, 72);

struct PJRT_Client_CreateUninitializedBuffer_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  const int64_t* shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  PJRT_Buffer_MemoryLayout* shape_layout;
  PJRT_Device* device;
  PJRT_Memory* memory;
  PJRT_Buffer* buffer;  // out
};
HILO_PJRT_SIZE(PJRT_Client_CreateUninitializedBuffer_Args, buffer, 80);

struct PJRT_Client_CreateAliasBuffer_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  PJRT_Memory* memory;
  const int64_t* shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  PJRT_Buffer_MemoryLayout* shape_layout;
  PJRT_Buffer* alias_buffer;                                 // out
  PJRT_FulfillAliasBufferCallback* fulfill_alias_buffer_cb;  // out
};
HILO_PJRT_SIZE(PJRT_Client_CreateAliasBuffer_Args, fulfill_alias_buffer_cb, 80);

struct PJRT_Client_FulfillAliasBuffer_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  PJRT_Buffer* buffer;
  PJRT_Error_Code status_code;
  const char* error_message;
  size_t error_message_size;
  PJRT_FulfillAliasBufferCallback* fulfill_alias_buffer_cb;
};
HILO_PJRT_SIZE(PJRT_Client_FulfillAliasBuffer_Args, fulfill_alias_buffer_cb, 64);

struct PJRT_Client_CreateErrorBuffer_Args {
  HILO_PJRT_HEAD;
  PJRT_Client* client;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
  const int64_t* shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  PJRT_Buffer_MemoryLayout* shape_layout;
  PJRT_Memory* memory;
  PJRT_Buffer* buffer;  // out
  PJRT_ErrorPayload* payload;
  size_t num_payload;
};
HILO_PJRT_SIZE(PJRT_Client_CreateErrorBuffer_Args, num_payload, 112);

struct PJRT_Buffer_Destroy_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
};
HILO_PJRT_SIZE(PJRT_Buffer_Destroy_Args, buffer, 24);

struct PJRT_Buffer_ElementType_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  PJRT_Buffer_Type type;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_ElementType_Args, type, 28);

struct PJRT_Buffer_Dimensions_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  const int64_t* dims;  // out
  size_t num_dims;      // out
};
HILO_PJRT_SIZE(PJRT_Buffer_Dimensions_Args, num_dims, 40);

struct PJRT_Buffer_UnpaddedDimensions_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  const int64_t* unpadded_dims;  // out
  size_t num_dims;               // out
};
HILO_PJRT_SIZE(PJRT_Buffer_UnpaddedDimensions_Args, num_dims, 40);

struct PJRT_Buffer_DynamicDimensionIndices_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  const size_t* dynamic_dim_indices;  // out
  size_t num_dynamic_dims;            // out
};
HILO_PJRT_SIZE(PJRT_Buffer_DynamicDimensionIndices_Args, num_dynamic_dims, 40);

struct PJRT_Buffer_GetMemoryLayout_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  PJRT_Buffer_MemoryLayout layout;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_GetMemoryLayout_Args, layout, 104);

struct PJRT_Buffer_OnDeviceSizeInBytes_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  size_t on_device_size_in_bytes;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_OnDeviceSizeInBytes_Args, on_device_size_in_bytes, 32);

struct PJRT_Buffer_Device_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  PJRT_Device* device;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_Device_Args, device, 32);

struct PJRT_Buffer_Memory_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  PJRT_Memory* memory;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_Memory_Args, memory, 32);

struct PJRT_Buffer_Delete_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
};
HILO_PJRT_SIZE(PJRT_Buffer_Delete_Args, buffer, 24);

struct PJRT_Buffer_IsDeleted_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  bool is_deleted;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_IsDeleted_Args, is_deleted, 25);

struct PJRT_Buffer_CopyToDevice_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  PJRT_Device* dst_device;
  PJRT_Buffer* dst_buffer;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_CopyToDevice_Args, dst_buffer, 40);

struct PJRT_Buffer_ToHostBuffer_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* src;
  PJRT_Buffer_MemoryLayout* host_layout;
  void* dst;
  size_t dst_size;
  PJRT_Event* event;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_ToHostBuffer_Args, event, 56);

struct PJRT_Buffer_IsOnCpu_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  bool is_on_cpu;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_IsOnCpu_Args, is_on_cpu, 25);

struct PJRT_Buffer_ReadyEvent_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  PJRT_Event* event;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_ReadyEvent_Args, event, 32);

struct PJRT_Buffer_UnsafePointer_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  uintptr_t buffer_pointer;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_UnsafePointer_Args, buffer_pointer, 32);

struct PJRT_Buffer_IncreaseExternalReferenceCount_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
};
HILO_PJRT_SIZE(PJRT_Buffer_IncreaseExternalReferenceCount_Args, buffer, 24);

struct PJRT_Buffer_DecreaseExternalReferenceCount_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
};
HILO_PJRT_SIZE(PJRT_Buffer_DecreaseExternalReferenceCount_Args, buffer, 24);

struct PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  void* device_memory_ptr;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, device_memory_ptr, 32);

struct PJRT_CopyToDeviceStream_Destroy_Args {
  HILO_PJRT_HEAD;
  PJRT_CopyToDeviceStream* stream;
};
HILO_PJRT_SIZE(PJRT_CopyToDeviceStream_Destroy_Args, stream, 24);

struct PJRT_CopyToDeviceStream_AddChunk_Args {
  HILO_PJRT_HEAD;
  PJRT_CopyToDeviceStream* stream;
  PJRT_Chunk* chunk;
  PJRT_Event* transfer_complete;  // out
};
HILO_PJRT_SIZE(PJRT_CopyToDeviceStream_AddChunk_Args, transfer_complete, 40);

struct PJRT_CopyToDeviceStream_TotalBytes_Args {
  HILO_PJRT_HEAD;
  PJRT_CopyToDeviceStream* stream;
  int64_t total_bytes;  // out
};
HILO_PJRT_SIZE(PJRT_CopyToDeviceStream_TotalBytes_Args, total_bytes, 32);

struct PJRT_CopyToDeviceStream_GranuleSize_Args {
  HILO_PJRT_HEAD;
  PJRT_CopyToDeviceStream* stream;
  int64_t granule_size_in_bytes;  // out
};
HILO_PJRT_SIZE(PJRT_CopyToDeviceStream_GranuleSize_Args, granule_size_in_bytes, 32);

struct PJRT_CopyToDeviceStream_CurrentBytes_Args {
  HILO_PJRT_HEAD;
  PJRT_CopyToDeviceStream* stream;
  int64_t current_bytes;  // out
};
HILO_PJRT_SIZE(PJRT_CopyToDeviceStream_CurrentBytes_Args, current_bytes, 32);

struct PJRT_Buffer_CopyToMemory_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  PJRT_Memory* dst_memory;
  PJRT_Buffer* dst_buffer;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_CopyToMemory_Args, dst_buffer, 40);

struct PJRT_Buffer_CopyRawToHost_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  void* dst;
  int64_t offset;
  int64_t transfer_size;
  PJRT_Event* event;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_CopyRawToHost_Args, event, 56);

struct PJRT_AsyncHostToDeviceTransferManager_Destroy_Args {
  HILO_PJRT_HEAD;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
};
HILO_PJRT_SIZE(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, transfer_manager, 24);

struct PJRT_AsyncHostToDeviceTransferManager_TransferData_Args {
  HILO_PJRT_HEAD;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  int32_t buffer_index;
  const void* data;
  int64_t offset;
  int64_t transfer_size;
  bool is_last_transfer;
  PJRT_Event* done_with_h2d_transfer;  // out
};
HILO_PJRT_SIZE(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, done_with_h2d_transfer, 72);

struct PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args {
  HILO_PJRT_HEAD;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  int32_t buffer_index;
  PJRT_Buffer* buffer_out;  // out
};
HILO_PJRT_SIZE(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, buffer_out, 40);

struct PJRT_AsyncHostToDeviceTransferManager_Device_Args {
  HILO_PJRT_HEAD;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  PJRT_Device* device_out;  // out
};
HILO_PJRT_SIZE(PJRT_AsyncHostToDeviceTransferManager_Device_Args, device_out, 32);

struct PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args {
  HILO_PJRT_HEAD;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  size_t buffer_count;  // out
};
HILO_PJRT_SIZE(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, buffer_count, 32);

struct PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args {
  HILO_PJRT_HEAD;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  int32_t buffer_index;
  size_t buffer_size;  // out
};
HILO_PJRT_SIZE(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, buffer_size, 40);

struct PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args {
  HILO_PJRT_HEAD;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  int32_t buffer_index;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
};
HILO_PJRT_SIZE(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, error_message_size, 48);

struct PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args {
  HILO_PJRT_HEAD;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  PJRT_TransferMetadata* transfer_metadata;
  size_t num_metadata;
};
HILO_PJRT_SIZE(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, num_metadata, 40);

struct PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args {
  HILO_PJRT_HEAD;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  int32_t buffer_index;
  const void* data;
  const int64_t* shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  PJRT_Buffer_MemoryLayout* shape_layout;
  PJRT_Event* done_with_h2d_transfer;  // out
};
HILO_PJRT_SIZE(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, done_with_h2d_transfer, 80);

struct PJRT_Buffer_CopyRawToHostFuture_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  int64_t offset;
  int64_t transfer_size;
  PJRT_Event* event;  // out
  void* callback_data;
  void (*future_ready_callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args*);
};
HILO_PJRT_SIZE(PJRT_Buffer_CopyRawToHostFuture_Args, future_ready_callback, 64);

struct PJRT_Buffer_DonateWithControlDependency_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  void* callback_data;
  void (*dependency_ready_callback)(PJRT_Buffer_DonateWithControlDependency_Callback_Args*);
  PJRT_Buffer* out_buffer;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_DonateWithControlDependency_Args, out_buffer, 48);

struct PJRT_Buffer_Bitcast_Args {
  HILO_PJRT_HEAD;
  PJRT_Buffer* buffer;
  PJRT_Buffer_Type element_type;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_MemoryLayout* device_layout;
  PJRT_Buffer* out_buffer;  // out
};
HILO_PJRT_SIZE(PJRT_Buffer_Bitcast_Args, out_buffer, 64);
