// SPDX-License-Identifier: Apache-2.0
// pjrt/answers.h -- the functions of the C API that this plugin implements, overloaded by their arguments. Other
// functions return UNIMPLEMENTED (api.cc). The arguments have the size of this version, whatever the caller's size is.
// Pointers in them may be null.
#pragma once

#include "hilo/base/status.h"
#include "hilo/pjrt_abi/api.h"

namespace hilo::pjrt {

// plugin.cc
Status answer(PJRT_Plugin_Initialize_Args& args);
Status answer(PJRT_Plugin_Attributes_Args& args);

// errors.cc
Status answer(PJRT_Error_Destroy_Args& args);
Status answer(PJRT_Error_Message_Args& args);
Status answer(PJRT_Error_GetCode_Args& args);
Status answer(PJRT_Error_ForEachPayload_Args& args);

// events.cc
Status answer(PJRT_Event_Destroy_Args& args);
Status answer(PJRT_Event_IsReady_Args& args);
Status answer(PJRT_Event_Error_Args& args);
Status answer(PJRT_Event_Await_Args& args);
Status answer(PJRT_Event_OnReady_Args& args);
Status answer(PJRT_Event_Create_Args& args);
Status answer(PJRT_Event_Set_Args& args);

// clients.cc
Status answer(PJRT_Client_Create_Args& args);
Status answer(PJRT_Client_Destroy_Args& args);
Status answer(PJRT_Client_PlatformName_Args& args);
Status answer(PJRT_Client_ProcessIndex_Args& args);
Status answer(PJRT_Client_PlatformVersion_Args& args);
Status answer(PJRT_Client_TopologyDescription_Args& args);
Status answer(PJRT_Client_Devices_Args& args);
Status answer(PJRT_Client_AddressableDevices_Args& args);
Status answer(PJRT_Client_AddressableMemories_Args& args);
Status answer(PJRT_Client_LookupDevice_Args& args);
Status answer(PJRT_Client_LookupAddressableDevice_Args& args);
Status answer(PJRT_Client_DefaultDeviceAssignment_Args& args);

// devices.cc
Status answer(PJRT_DeviceDescription_Id_Args& args);
Status answer(PJRT_DeviceDescription_ProcessIndex_Args& args);
Status answer(PJRT_DeviceDescription_Attributes_Args& args);
Status answer(PJRT_DeviceDescription_Kind_Args& args);
Status answer(PJRT_DeviceDescription_DebugString_Args& args);
Status answer(PJRT_DeviceDescription_ToString_Args& args);
Status answer(PJRT_Device_GetDescription_Args& args);
Status answer(PJRT_Device_IsAddressable_Args& args);
Status answer(PJRT_Device_LocalHardwareId_Args& args);
Status answer(PJRT_Device_AddressableMemories_Args& args);
Status answer(PJRT_Device_DefaultMemory_Args& args);
Status answer(PJRT_Device_GetAttributes_Args& args);
Status answer(PJRT_Memory_Id_Args& args);
Status answer(PJRT_Memory_Kind_Args& args);
Status answer(PJRT_Memory_Kind_Id_Args& args);
Status answer(PJRT_Memory_DebugString_Args& args);
Status answer(PJRT_Memory_ToString_Args& args);
Status answer(PJRT_Memory_AddressableByDevices_Args& args);

// topology.cc
Status answer(PJRT_TopologyDescription_Create_Args& args);
Status answer(PJRT_TopologyDescription_Destroy_Args& args);
Status answer(PJRT_TopologyDescription_PlatformName_Args& args);
Status answer(PJRT_TopologyDescription_PlatformVersion_Args& args);
Status answer(PJRT_TopologyDescription_GetDeviceDescriptions_Args& args);
Status answer(PJRT_TopologyDescription_Attributes_Args& args);
Status answer(PJRT_TopologyDescription_Fingerprint_Args& args);
Status answer(PJRT_TopologyDescription_Serialize_Args& args);
Status answer(PJRT_TopologyDescription_Deserialize_Args& args);

// buffers.cc
Status answer(PJRT_Client_BufferFromHostBuffer_Args& args);
Status answer(PJRT_Client_CreateViewOfDeviceBuffer_Args& args);
Status answer(PJRT_Client_CreateUninitializedBuffer_Args& args);
Status answer(PJRT_Buffer_Destroy_Args& args);
Status answer(PJRT_Buffer_ElementType_Args& args);
Status answer(PJRT_Buffer_Dimensions_Args& args);
Status answer(PJRT_Buffer_UnpaddedDimensions_Args& args);
Status answer(PJRT_Buffer_DynamicDimensionIndices_Args& args);
Status answer(PJRT_Buffer_GetMemoryLayout_Args& args);
Status answer(PJRT_Buffer_OnDeviceSizeInBytes_Args& args);
Status answer(PJRT_Buffer_Device_Args& args);
Status answer(PJRT_Buffer_Memory_Args& args);
Status answer(PJRT_Buffer_Delete_Args& args);
Status answer(PJRT_Buffer_IsDeleted_Args& args);
Status answer(PJRT_Buffer_CopyToMemory_Args& args);
Status answer(PJRT_Buffer_CopyToDevice_Args& args);
Status answer(PJRT_Buffer_ToHostBuffer_Args& args);
Status answer(PJRT_Buffer_CopyRawToHost_Args& args);
Status answer(PJRT_Buffer_IsOnCpu_Args& args);
Status answer(PJRT_Buffer_ReadyEvent_Args& args);
Status answer(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args);
Status answer(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args);
Status answer(PJRT_Buffer_UnsafePointer_Args& args);
Status answer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args);

// executables.cc
Status answer(PJRT_Client_Compile_Args& args);
Status answer(PJRT_Compile_Args& args);
Status answer(PJRT_Client_Load_Args& args);
Status answer(PJRT_Executable_DeserializeAndLoad_Args& args);
Status answer(PJRT_Executable_Destroy_Args& args);
Status answer(PJRT_LoadedExecutable_Destroy_Args& args);
Status answer(PJRT_LoadedExecutable_Delete_Args& args);
Status answer(PJRT_LoadedExecutable_IsDeleted_Args& args);
Status answer(PJRT_LoadedExecutable_GetExecutable_Args& args);
Status answer(PJRT_LoadedExecutable_AddressableDevices_Args& args);
Status answer(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args);
Status answer(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args);
Status answer(PJRT_LoadedExecutable_Execute_Args& args);
Status answer(PJRT_LoadedExecutable_Fingerprint_Args& args);
Status answer(PJRT_Executable_Fingerprint_Args& args);
Status answer(PJRT_Executable_Name_Args& args);
Status answer(PJRT_Executable_NumReplicas_Args& args);
Status answer(PJRT_Executable_NumPartitions_Args& args);
Status answer(PJRT_Executable_NumOutputs_Args& args);
Status answer(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args);
Status answer(PJRT_Executable_GetCostAnalysis_Args& args);
Status answer(PJRT_Executable_OutputMemoryKinds_Args& args);
Status answer(PJRT_Executable_ParameterMemoryKinds_Args& args);
Status answer(PJRT_Executable_OutputElementTypes_Args& args);
Status answer(PJRT_Executable_OutputDimensions_Args& args);
Status answer(PJRT_Executable_OptimizedProgram_Args& args);
Status answer(PJRT_Executable_Serialize_Args& args);
Status answer(PJRT_Executable_GetCompileOptions_Args& args);
Status answer(PJRT_Executable_GetCompiledMemoryStats_Args& args);
Status answer(PJRT_ExecuteContext_Create_Args& args);
Status answer(PJRT_ExecuteContext_Destroy_Args& args);

// layouts.cc
Status answer(PJRT_Layouts_MemoryLayout_Destroy_Args& args);
Status answer(PJRT_Layouts_MemoryLayout_Serialize_Args& args);
Status answer(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args& args);
Status answer(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args& args);
Status answer(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args& args);
Status answer(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args& args);
Status answer(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args& args);

// ffi.cc
Status answer(PJRT_FFI_Type_Register_Args& args);
Status answer(PJRT_FFI_UserData_Add_Args& args);
Status answer(PJRT_FFI_Register_Handler_Args& args);

// extensions.cc
Status answer(PJRT_DeviceDescription_MemoryDescriptions_Args& args);
Status answer(PJRT_MemoryDescription_Kind_Args& args);
Status answer(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args& args);
Status answer(PJRT_Shardings_PJRT_Executable_OutputShardings_Args& args);

// custom_partitioner.cc
Status answer(PJRT_Register_Custom_Partitioner_Args& args);
Status answer(PJRT_Register_Batch_Partitionable_Args& args);

}  // namespace hilo::pjrt
