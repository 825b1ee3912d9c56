// SPDX-License-Identifier: Apache-2.0
// pjrt_abi/values.h -- the C API of PJRT 0.114, declared for hilo: errors, events, named values, the plugin itself.
// Names, order and sizes of fields are facts of the API, taken from PyPI's pypjrt 0.1.1; tests/interop/pjrt_abi.py
// compares them. "out" means that the callee sets the field.
#pragma once

#include <cstddef>
#include <cstdint>

/// The size of an arguments struct in version 0.114, which callers store in its struct_size.
template <class Struct>
inline constexpr size_t kPjrtStructSize = 0;
/// Checks a struct's size by its last field. Fields are only appended, so the size and the order determine all offsets.
#define HILO_PJRT_SIZE(name, last, size)                            \
  static_assert(offsetof(name, last) + sizeof(name::last) == size); \
  template <>                                                       \
  inline constexpr size_t kPjrtStructSize<name> = size

/// The first two members of most structs.
#define HILO_PJRT_HEAD \
  size_t struct_size;  \
  PJRT_Extension_Base* extension_start

struct PJRT_AsyncHostToDeviceTransferManager;
struct PJRT_AsyncTrackingEvent;
struct PJRT_Buffer;
struct PJRT_Client;
struct PJRT_CopyToDeviceStream;
struct PJRT_Device;
struct PJRT_DeviceAssignmentSerialized;
struct PJRT_Device_Attributes;
struct PJRT_DeviceDescription;
struct PJRT_Error;
struct PJRT_ErrorPayload;
struct PJRT_Event;
struct PJRT_Executable;
struct PJRT_ExecuteContext;
struct PJRT_FulfillAliasBufferCallback;
struct PJRT_Layouts_MemoryLayout;
struct PJRT_Layouts_SerializedLayout;
struct PJRT_LoadedExecutable;
struct PJRT_Memory;
struct PJRT_MemoryDescription;
struct PJRT_MultiSlice_Config;
struct PJRT_SerializedCompileOptions;
struct PJRT_SerializedExecutable;
struct PJRT_SerializedShape;
struct PJRT_SerializedTopology;
struct PJRT_TopologyDescription;
struct PJRT_TransferMetadata;

enum PJRT_Extension_Type : uint32_t {
  PJRT_Extension_Type_Gpu_Custom_Call = 0,
  PJRT_Extension_Type_Profiler = 1,
  PJRT_Extension_Type_Custom_Partitioner = 2,
  PJRT_Extension_Type_Stream = 3,
  PJRT_Extension_Type_Layouts = 4,
  PJRT_Extension_Type_FFI = 5,
  PJRT_Extension_Type_MemoryDescriptions = 6,
  PJRT_Extension_Type_Triton = 7,
  PJRT_Extension_Type_RawBuffer = 8,
  PJRT_Extension_Type_PhaseCompile = 9,
  PJRT_Extension_Type_Example = 10,
  PJRT_Extension_Type_Unknown = 11,
  PJRT_Extension_Type_CrossHostTransfers = 12,
  PJRT_Extension_Type_ExecutableMetadata = 13,
  PJRT_Extension_Type_Callback = 14,
  PJRT_Extension_Type_HostAllocator = 15,
  PJRT_Extension_Type_TpuTopology = 16,
  PJRT_Extension_Type_TpuExecutable = 17,
  PJRT_Extension_Type_Megascale = 18,
  PJRT_Extension_Type_Shardings = 19,
  PJRT_Extension_Type_AbiVersion = 20,
  PJRT_Extension_Type_Collectives = 21,
  PJRT_Extension_Type_MultiSlice = 22,
  PJRT_Extension_Type_HostMemoryAllocator = 23,
  PJRT_Extension_Type_XlaTransform = 24,
};

enum PJRT_Error_Code : uint32_t {
  PJRT_Error_Code_OK = 0,
  PJRT_Error_Code_CANCELLED = 1,
  PJRT_Error_Code_UNKNOWN = 2,
  PJRT_Error_Code_INVALID_ARGUMENT = 3,
  PJRT_Error_Code_DEADLINE_EXCEEDED = 4,
  PJRT_Error_Code_NOT_FOUND = 5,
  PJRT_Error_Code_ALREADY_EXISTS = 6,
  PJRT_Error_Code_PERMISSION_DENIED = 7,
  PJRT_Error_Code_RESOURCE_EXHAUSTED = 8,
  PJRT_Error_Code_FAILED_PRECONDITION = 9,
  PJRT_Error_Code_ABORTED = 10,
  PJRT_Error_Code_OUT_OF_RANGE = 11,
  PJRT_Error_Code_UNIMPLEMENTED = 12,
  PJRT_Error_Code_INTERNAL = 13,
  PJRT_Error_Code_UNAVAILABLE = 14,
  PJRT_Error_Code_DATA_LOSS = 15,
  PJRT_Error_Code_UNAUTHENTICATED = 16,
};

enum PJRT_NamedValue_Type : uint32_t {
  PJRT_NamedValue_kString = 0,
  PJRT_NamedValue_kInt64 = 1,
  PJRT_NamedValue_kInt64List = 2,
  PJRT_NamedValue_kFloat = 3,
  PJRT_NamedValue_kBool = 4,
};

/// Receives additional texts of an error, which are not terminated.
using PJRT_Error_PayloadVisitor = void (*)(const char* key, size_t key_size, const char* value, size_t value_size,
                                           void* user_arg);
/// The callee owns the error, which is null for success.
using PJRT_Event_OnReadyCallback = void (*)(PJRT_Error* error, void* user_arg);
/// Creates an error that a callback of the caller returns to the plugin. The message is copied.
using PJRT_CallbackError = PJRT_Error* (*)(PJRT_Error_Code code, const char* message, size_t message_size);

struct PJRT_Extension_Base {
  size_t struct_size;
  PJRT_Extension_Type type;
  PJRT_Extension_Base* next;
};
HILO_PJRT_SIZE(PJRT_Extension_Base, next, 24);

struct PJRT_Api_Version {
  HILO_PJRT_HEAD;
  int32_t major_version;
  int32_t minor_version;
};
HILO_PJRT_SIZE(PJRT_Api_Version, minor_version, 24);

struct PJRT_NamedValue {
  HILO_PJRT_HEAD;
  const char* name;
  size_t name_size;
  PJRT_NamedValue_Type type;
  union {
    const char* string_value;
    int64_t int64_value;
    const int64_t* int64_array_value;
    float float_value;
    bool bool_value;
  };
  size_t value_size;
};
HILO_PJRT_SIZE(PJRT_NamedValue, value_size, 56);

struct PJRT_Error_FunctionTable {
  size_t struct_size;
  size_t instance_size;
  PJRT_Extension_Base* extension_start;
  void (*destroy)(PJRT_Error*);
  void (*message)(const PJRT_Error*, const char** message, size_t* message_size);
  PJRT_Error_Code (*get_code)(const PJRT_Error*);
  void (*for_each_payload)(const PJRT_Error*, PJRT_Error_PayloadVisitor, void* user_arg);
};
HILO_PJRT_SIZE(PJRT_Error_FunctionTable, for_each_payload, 56);

struct PJRT_Error {
  const PJRT_Error_FunctionTable* vtable;
};

struct PJRT_Error_Destroy_Args {
  HILO_PJRT_HEAD;
  PJRT_Error* error;
};
HILO_PJRT_SIZE(PJRT_Error_Destroy_Args, error, 24);

struct PJRT_Error_Message_Args {
  HILO_PJRT_HEAD;
  const PJRT_Error* error;
  const char* message;  // out
  size_t message_size;  // out
};
HILO_PJRT_SIZE(PJRT_Error_Message_Args, message_size, 40);

struct PJRT_Error_GetCode_Args {
  HILO_PJRT_HEAD;
  const PJRT_Error* error;
  PJRT_Error_Code code;  // out
};
HILO_PJRT_SIZE(PJRT_Error_GetCode_Args, code, 28);

struct PJRT_Plugin_Initialize_Args {
  HILO_PJRT_HEAD;
};
HILO_PJRT_SIZE(PJRT_Plugin_Initialize_Args, extension_start, 16);

struct PJRT_Plugin_Attributes_Args {
  HILO_PJRT_HEAD;
  const PJRT_NamedValue* attributes;  // out
  size_t num_attributes;              // out
};
HILO_PJRT_SIZE(PJRT_Plugin_Attributes_Args, num_attributes, 32);

struct PJRT_Event_Destroy_Args {
  HILO_PJRT_HEAD;
  PJRT_Event* event;
};
HILO_PJRT_SIZE(PJRT_Event_Destroy_Args, event, 24);

struct PJRT_Event_IsReady_Args {
  HILO_PJRT_HEAD;
  PJRT_Event* event;
  bool is_ready;  // out
};
HILO_PJRT_SIZE(PJRT_Event_IsReady_Args, is_ready, 25);

struct PJRT_Event_Error_Args {
  HILO_PJRT_HEAD;
  PJRT_Event* event;
};
HILO_PJRT_SIZE(PJRT_Event_Error_Args, event, 24);

struct PJRT_Event_Await_Args {
  HILO_PJRT_HEAD;
  PJRT_Event* event;
};
HILO_PJRT_SIZE(PJRT_Event_Await_Args, event, 24);

struct PJRT_Event_OnReady_Args {
  HILO_PJRT_HEAD;
  PJRT_Event* event;
  PJRT_Event_OnReadyCallback callback;
  void* user_arg;
};
HILO_PJRT_SIZE(PJRT_Event_OnReady_Args, user_arg, 40);

struct PJRT_Event_Create_Args {
  HILO_PJRT_HEAD;
  PJRT_Event* event;  // out
};
HILO_PJRT_SIZE(PJRT_Event_Create_Args, event, 24);

struct PJRT_Event_Set_Args {
  HILO_PJRT_HEAD;
  PJRT_Event* event;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
};
HILO_PJRT_SIZE(PJRT_Event_Set_Args, error_message_size, 48);

struct PJRT_Error_ForEachPayload_Args {
  HILO_PJRT_HEAD;
  const PJRT_Error* error;
  PJRT_Error_PayloadVisitor visitor;
  void* user_arg;
};
HILO_PJRT_SIZE(PJRT_Error_ForEachPayload_Args, user_arg, 40);
