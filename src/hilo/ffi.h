// SPDX-License-Identifier: Apache-2.0
// ffi.h -- custom calls written in C: the typed call frame. Its memory layout is that of versions 0.3 to 0.5 of XLA's
// FFI, so a handler built for either works with both; the names are hilo's. C99; needs no other header of hilo.
//
// A handler reads operands from frame->args and attributes from frame->attrs, writes the results to frame->rets, and
// returns NULL, or an error from frame->api->error_create. Several threads may call it at once.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the table of functions, and the oldest one with which handlers built with this header run, unless they
   call newer functions. */
enum { HILO_FFI_MAJOR = 0, HILO_FFI_MINOR = 5, HILO_FFI_NEEDED_MINOR = 3 };

/* Every struct begins with its size in bytes, so that fields can be appended, and a list of extensions. */
typedef struct HiloFfi_Extension {
  size_t struct_size;
  int type; /* HILO_FFI_EXTENSION_METADATA, or one unknown to this version */
  struct HiloFfi_Extension* next;
} HiloFfi_Extension;
enum { HILO_FFI_EXTENSION_METADATA = 1 };

typedef struct HiloFfi_Version {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  int major_version, minor_version;
} HiloFfi_Version;

typedef struct HiloFfi_Error HiloFfi_Error;
typedef enum {
  HILO_FFI_OK = 0,
  HILO_FFI_CANCELLED = 1,
  HILO_FFI_UNKNOWN = 2,
  HILO_FFI_INVALID_ARGUMENT = 3,
  HILO_FFI_DEADLINE_EXCEEDED = 4,
  HILO_FFI_NOT_FOUND = 5,
  HILO_FFI_ALREADY_EXISTS = 6,
  HILO_FFI_PERMISSION_DENIED = 7,
  HILO_FFI_RESOURCE_EXHAUSTED = 8,
  HILO_FFI_FAILED_PRECONDITION = 9,
  HILO_FFI_ABORTED = 10,
  HILO_FFI_OUT_OF_RANGE = 11,
  HILO_FFI_UNIMPLEMENTED = 12,
  HILO_FFI_INTERNAL = 13,
  HILO_FFI_UNAVAILABLE = 14,
  HILO_FFI_DATA_LOSS = 15,
  HILO_FFI_UNAUTHENTICATED = 16
} HiloFfi_ErrorCode;

/* Element types, by XLA's numbers. */
typedef enum {
  HILO_FFI_INVALID = 0,
  HILO_FFI_PRED = 1,
  HILO_FFI_S8 = 2,
  HILO_FFI_S16 = 3,
  HILO_FFI_S32 = 4,
  HILO_FFI_S64 = 5,
  HILO_FFI_U8 = 6,
  HILO_FFI_U16 = 7,
  HILO_FFI_U32 = 8,
  HILO_FFI_U64 = 9,
  HILO_FFI_F16 = 10,
  HILO_FFI_F32 = 11,
  HILO_FFI_F64 = 12,
  HILO_FFI_C64 = 15,
  HILO_FFI_BF16 = 16,
  HILO_FFI_TOKEN = 17,
  HILO_FFI_C128 = 18
} HiloFfi_Type;

typedef struct HiloFfi_Buffer {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  int type;   /* HiloFfi_Type */
  void* data; /* elements of 2 and 4 bits are packed, the first one in the lowest bits */
  int64_t rank;
  int64_t* dims;
} HiloFfi_Buffer;

typedef struct HiloFfi_Bytes {
  const char* ptr; /* not terminated */
  size_t len;
} HiloFfi_Bytes;

/* An attribute is one of these four. */
typedef enum {
  HILO_FFI_ATTR_ARRAY = 1,      /* HiloFfi_Array */
  HILO_FFI_ATTR_DICTIONARY = 2, /* HiloFfi_Attrs */
  HILO_FFI_ATTR_SCALAR = 3,     /* HiloFfi_Scalar */
  HILO_FFI_ATTR_STRING = 4      /* HiloFfi_Bytes */
} HiloFfi_AttrType;
typedef struct HiloFfi_Scalar {
  int type; /* HiloFfi_Type */
  void* value;
} HiloFfi_Scalar;
typedef struct HiloFfi_Array {
  int type; /* HiloFfi_Type */
  size_t size;
  void* data;
} HiloFfi_Array;

enum { HILO_FFI_BUFFER = 1 }; /* the only kind of argument and result */
typedef struct HiloFfi_Args {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  int64_t size;
  int* types;  /* HILO_FFI_BUFFER */
  void** args; /* HiloFfi_Buffer* */
} HiloFfi_Args;
typedef struct HiloFfi_Rets {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  int64_t size;
  int* types;
  void** rets;
} HiloFfi_Rets;
typedef struct HiloFfi_Attrs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  int64_t size;
  int* types;            /* HiloFfi_AttrType */
  HiloFfi_Bytes** names; /* ascending */
  void** attrs;
} HiloFfi_Attrs;

typedef struct HiloFfi_Context HiloFfi_Context; /* of one run of a program */
typedef struct HiloFfi_Future HiloFfi_Future;   /* of an asynchronous handler; hilo supports none */
typedef struct HiloFfi_TypeId {
  int64_t type_id;
} HiloFfi_TypeId;
typedef enum {
  HILO_FFI_STAGE_INSTANTIATE = 0,
  HILO_FFI_STAGE_PREPARE = 1,
  HILO_FFI_STAGE_INITIALIZE = 2,
  HILO_FFI_STAGE_EXECUTE = 3,
  HILO_FFI_STAGE_RECORD = 4 /* since 0.5; hilo never calls it */
} HiloFfi_Stage;

typedef struct HiloFfi_Api HiloFfi_Api;
typedef struct HiloFfi_CallFrame {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  const HiloFfi_Api* api;
  HiloFfi_Context* ctx;
  int stage; /* HiloFfi_Stage */
  HiloFfi_Args args;
  HiloFfi_Rets rets;
  HiloFfi_Attrs attrs;
  HiloFfi_Future* future; /* out */
} HiloFfi_CallFrame;

typedef HiloFfi_Error* HiloFfi_Handler(HiloFfi_CallFrame* frame);

/* When a handler is registered, it is called once with only this extension: it sets the version for which it was built,
   and returns. hilo_ffi_answer_metadata does that. */
typedef struct HiloFfi_Metadata {
  size_t struct_size;
  HiloFfi_Version api_version;
  uint32_t traits;
  HiloFfi_TypeId state_type_id;
} HiloFfi_Metadata;
typedef struct HiloFfi_MetadataExtension {
  HiloFfi_Extension base;
  HiloFfi_Metadata* metadata;
} HiloFfi_MetadataExtension;

/* Returns 1 if the call only queries the version for which the handler was built; the handler then returns NULL. */
static inline int hilo_ffi_answer_metadata(HiloFfi_CallFrame* frame) {
  HiloFfi_Extension* extension = frame->extensions;
  if (extension == NULL || extension->type != HILO_FFI_EXTENSION_METADATA) return 0;
  HiloFfi_Metadata* metadata = ((HiloFfi_MetadataExtension*)extension)->metadata;
  metadata->api_version.major_version = HILO_FFI_MAJOR;
  metadata->api_version.minor_version = HILO_FFI_NEEDED_MINOR;
  return 1;
}

typedef struct HiloFfi_ErrorCreateArgs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  const char* message; /* copied */
  int code;            /* HiloFfi_ErrorCode */
} HiloFfi_ErrorCreateArgs;
typedef struct HiloFfi_ErrorGetDetailsArgs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  HiloFfi_Error* error;
  const char* message; /* out; lives as long as the error */
  int code;            /* out, HiloFfi_ErrorCode; since 0.5: struct_size tells whether it exists */
} HiloFfi_ErrorGetDetailsArgs;
typedef struct HiloFfi_ErrorDestroyArgs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  HiloFfi_Error* error;
} HiloFfi_ErrorDestroyArgs;
typedef struct HiloFfi_Bundle {
  HiloFfi_Handler *instantiate, *prepare, *initialize; /* may be NULL */
  HiloFfi_Handler* execute;
  HiloFfi_Handler* record; /* since 0.5 */
} HiloFfi_Bundle;
typedef struct HiloFfi_RegisterArgs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  HiloFfi_Bytes name, platform; /* "Host" */
  HiloFfi_Bundle bundle;
  uint32_t traits;
} HiloFfi_RegisterArgs;
typedef struct HiloFfi_MemoryArgs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  HiloFfi_Context* ctx;
  size_t size, alignment;
  void* data; /* out; owned by the engine, valid until the call ends */
} HiloFfi_MemoryArgs;
typedef struct HiloFfi_ThreadCountArgs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  HiloFfi_Context* ctx;
  int64_t* num_threads; /* out */
} HiloFfi_ThreadCountArgs;
typedef struct HiloFfi_OrdinalArgs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  HiloFfi_Context* ctx;
  int32_t device_ordinal; /* out */
} HiloFfi_OrdinalArgs;
typedef struct HiloFfi_ContextArgs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  HiloFfi_Context* ctx;
  HiloFfi_TypeId* type_id;
  void* data; /* out: the data of this type that the program's caller attached to this run */
} HiloFfi_ContextArgs;
typedef struct HiloFfi_StreamArgs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  HiloFfi_Context* ctx;
  void* stream; /* out: the device's queue of work, for CUDA a CUstream */
} HiloFfi_StreamArgs;
/* Data that XLA's backends attach to a run for their own handlers; since 0.5. */
typedef struct HiloFfi_FindExtensionArgs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  HiloFfi_Context* ctx;
  int64_t extension_type;
  const void* extension; /* out; NULL: hilo attaches none */
} HiloFfi_FindExtensionArgs;
/* Options of one run, next to the attributes of the call; since 0.5. */
typedef struct HiloFfi_CustomOptionsArgs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  HiloFfi_Context* ctx;
  const HiloFfi_Attrs* attrs; /* out; empty: hilo's runs have none */
} HiloFfi_CustomOptionsArgs;
/* Arguments of functions that this version rejects with HILO_FFI_UNIMPLEMENTED. */
typedef struct HiloFfi_AnyArgs {
  size_t struct_size;
  HiloFfi_Extension* extensions;
} HiloFfi_AnyArgs;

struct HiloFfi_Api {
  size_t struct_size;
  HiloFfi_Extension* extensions;
  HiloFfi_Version version;
  const void* internal;
  HiloFfi_Error* (*error_create)(HiloFfi_ErrorCreateArgs*);
  void (*error_get_details)(HiloFfi_ErrorGetDetailsArgs*);
  void (*error_destroy)(HiloFfi_ErrorDestroyArgs*);
  HiloFfi_Error* (*handler_register)(HiloFfi_RegisterArgs*);
  HiloFfi_Error* (*stream_get)(HiloFfi_StreamArgs*);   /* refused: processors have no stream */
  HiloFfi_Error* (*type_register)(HiloFfi_AnyArgs*);   /* refused, as is state */
  HiloFfi_Error* (*context_get)(HiloFfi_ContextArgs*); /* HILO_FFI_NOT_FOUND if the run has none */
  HiloFfi_Error* (*state_set)(HiloFfi_AnyArgs*);
  HiloFfi_Error* (*state_get)(HiloFfi_AnyArgs*);
  HiloFfi_Error* (*memory_allocate)(HiloFfi_MemoryArgs*);
  HiloFfi_Error* (*memory_free)(HiloFfi_AnyArgs*);          /* nothing to do: memory lives as long as the call */
  HiloFfi_Error* (*thread_pool_schedule)(HiloFfi_AnyArgs*); /* refused: a call ends when its handler returns */
  HiloFfi_Error* (*thread_pool_num_threads)(HiloFfi_ThreadCountArgs*);
  HiloFfi_Error* (*future_create)(HiloFfi_AnyArgs*); /* refused, as are the two after it */
  HiloFfi_Error* (*future_set_available)(HiloFfi_AnyArgs*);
  HiloFfi_Error* (*future_set_error)(HiloFfi_AnyArgs*);
  HiloFfi_Error* (*run_id_get)(HiloFfi_AnyArgs*); /* refused */
  HiloFfi_Error* (*device_ordinal_get)(HiloFfi_OrdinalArgs*);
  HiloFfi_Error* (*find_extension)(HiloFfi_FindExtensionArgs*);
  HiloFfi_Error* (*custom_options_get)(HiloFfi_CustomOptionsArgs*);
};

/* The functions above, for who isn't a handler. */
const HiloFfi_Api* hilo_ffi_api(void);

/* Lets programs call `execute` under `target`, on every engine of the process. An error belongs to the caller. */
HiloFfi_Error* hilo_ffi_register(const char* target, HiloFfi_Handler* execute);

#ifdef __cplusplus
}
#endif
