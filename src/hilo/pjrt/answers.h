// SPDX-License-Identifier: Apache-2.0
// pjrt/answers.h -- the functions of the C API that this plugin implements, overloaded by their arguments. Other
// functions return UNIMPLEMENTED (api.cc). The arguments have the size of this version, whatever the caller's size is.
// Pointers in them may be null.
#pragma once

#include <boost/preprocessor/cat.hpp>
#include <boost/preprocessor/seq/for_each.hpp>
#include <boost/preprocessor/variadic/to_seq.hpp>

#include "hilo/base/status.h"
#include "hilo/pjrt_abi/api.h"

namespace hilo::pjrt {

#define HILO_PJRT_ANSWER(r, data, name) Status answer(BOOST_PP_CAT(name, _Args) & args);
/// Declares `Status answer(NAME_Args& args)` for each name.
#define HILO_PJRT_ANSWERS(...) BOOST_PP_SEQ_FOR_EACH(HILO_PJRT_ANSWER, _, BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__))

// plugin.cc
HILO_PJRT_ANSWERS(PJRT_Plugin_Initialize, PJRT_Plugin_Attributes)
// errors.cc
HILO_PJRT_ANSWERS(PJRT_Error_Destroy, PJRT_Error_Message, PJRT_Error_GetCode, PJRT_Error_ForEachPayload)
// events.cc
HILO_PJRT_ANSWERS(PJRT_Event_Destroy, PJRT_Event_IsReady, PJRT_Event_Error, PJRT_Event_Await, PJRT_Event_OnReady,
                  PJRT_Event_Create, PJRT_Event_Set)
// clients.cc
HILO_PJRT_ANSWERS(PJRT_Client_Create, PJRT_Client_Destroy, PJRT_Client_PlatformName, PJRT_Client_ProcessIndex,
                  PJRT_Client_PlatformVersion, PJRT_Client_TopologyDescription, PJRT_Client_Devices,
                  PJRT_Client_AddressableDevices, PJRT_Client_AddressableMemories, PJRT_Client_LookupDevice,
                  PJRT_Client_LookupAddressableDevice, PJRT_Client_DefaultDeviceAssignment)
// devices.cc
HILO_PJRT_ANSWERS(PJRT_DeviceDescription_Id, PJRT_DeviceDescription_ProcessIndex, PJRT_DeviceDescription_Attributes,
                  PJRT_DeviceDescription_Kind, PJRT_DeviceDescription_DebugString, PJRT_DeviceDescription_ToString,
                  PJRT_Device_GetDescription, PJRT_Device_IsAddressable, PJRT_Device_LocalHardwareId,
                  PJRT_Device_AddressableMemories, PJRT_Device_DefaultMemory, PJRT_Device_GetAttributes, PJRT_Memory_Id,
                  PJRT_Memory_Kind, PJRT_Memory_Kind_Id, PJRT_Memory_DebugString, PJRT_Memory_ToString,
                  PJRT_Memory_AddressableByDevices)
// topology.cc
HILO_PJRT_ANSWERS(PJRT_TopologyDescription_Create, PJRT_TopologyDescription_Destroy,
                  PJRT_TopologyDescription_PlatformName, PJRT_TopologyDescription_PlatformVersion,
                  PJRT_TopologyDescription_GetDeviceDescriptions, PJRT_TopologyDescription_Attributes,
                  PJRT_TopologyDescription_Fingerprint, PJRT_TopologyDescription_Serialize,
                  PJRT_TopologyDescription_Deserialize)
// buffers.cc
HILO_PJRT_ANSWERS(PJRT_Client_BufferFromHostBuffer, PJRT_Client_CreateViewOfDeviceBuffer,
                  PJRT_Client_CreateUninitializedBuffer, PJRT_Buffer_Destroy, PJRT_Buffer_ElementType,
                  PJRT_Buffer_Dimensions, PJRT_Buffer_UnpaddedDimensions, PJRT_Buffer_DynamicDimensionIndices,
                  PJRT_Buffer_GetMemoryLayout, PJRT_Buffer_OnDeviceSizeInBytes, PJRT_Buffer_Device, PJRT_Buffer_Memory,
                  PJRT_Buffer_Delete, PJRT_Buffer_IsDeleted, PJRT_Buffer_CopyToMemory, PJRT_Buffer_CopyToDevice,
                  PJRT_Buffer_ToHostBuffer, PJRT_Buffer_CopyRawToHost, PJRT_Buffer_IsOnCpu, PJRT_Buffer_ReadyEvent,
                  PJRT_Buffer_IncreaseExternalReferenceCount, PJRT_Buffer_DecreaseExternalReferenceCount,
                  PJRT_Buffer_UnsafePointer, PJRT_Buffer_OpaqueDeviceMemoryDataPointer)
// executables.cc
HILO_PJRT_ANSWERS(PJRT_Client_Compile, PJRT_Compile, PJRT_Client_Load, PJRT_Executable_DeserializeAndLoad,
                  PJRT_Executable_Destroy, PJRT_LoadedExecutable_Destroy, PJRT_LoadedExecutable_Delete,
                  PJRT_LoadedExecutable_IsDeleted, PJRT_LoadedExecutable_GetExecutable,
                  PJRT_LoadedExecutable_AddressableDevices, PJRT_LoadedExecutable_AddressableDeviceLogicalIds,
                  PJRT_LoadedExecutable_GetDeviceAssignment, PJRT_LoadedExecutable_Execute,
                  PJRT_LoadedExecutable_Fingerprint, PJRT_Executable_Fingerprint, PJRT_Executable_Name,
                  PJRT_Executable_NumReplicas, PJRT_Executable_NumPartitions, PJRT_Executable_NumOutputs,
                  PJRT_Executable_SizeOfGeneratedCodeInBytes, PJRT_Executable_GetCostAnalysis,
                  PJRT_Executable_OutputMemoryKinds, PJRT_Executable_ParameterMemoryKinds,
                  PJRT_Executable_OutputElementTypes, PJRT_Executable_OutputDimensions,
                  PJRT_Executable_OptimizedProgram, PJRT_Executable_Serialize, PJRT_Executable_GetCompileOptions,
                  PJRT_Executable_GetCompiledMemoryStats, PJRT_ExecuteContext_Create, PJRT_ExecuteContext_Destroy)
// layouts.cc
HILO_PJRT_ANSWERS(PJRT_Layouts_MemoryLayout_Destroy, PJRT_Layouts_MemoryLayout_Serialize,
                  PJRT_Layouts_PJRT_Client_GetDefaultLayout, PJRT_Layouts_PJRT_Topology_GetDefaultLayout,
                  PJRT_Layouts_PJRT_Buffer_MemoryLayout, PJRT_Layouts_PJRT_Executable_GetOutputLayouts,
                  PJRT_Layouts_PJRT_Executable_GetParameterLayouts)
// ffi.cc
HILO_PJRT_ANSWERS(PJRT_FFI_Type_Register, PJRT_FFI_UserData_Add, PJRT_FFI_Register_Handler)
// extensions.cc
HILO_PJRT_ANSWERS(PJRT_DeviceDescription_MemoryDescriptions, PJRT_MemoryDescription_Kind,
                  PJRT_Shardings_PJRT_Executable_ParameterShardings, PJRT_Shardings_PJRT_Executable_OutputShardings)
// custom_partitioner.cc
HILO_PJRT_ANSWERS(PJRT_Register_Custom_Partitioner, PJRT_Register_Batch_Partitionable)

#undef HILO_PJRT_ANSWERS
#undef HILO_PJRT_ANSWER

}  // namespace hilo::pjrt
