// SPDX-License-Identifier: Apache-2.0
// c/hilo.h -- hilo for C and for languages that call C: loads programs, transforms, compiles and runs them. C99; needs
// no other header of hilo. docs/c_api.md has examples.
//
// Rules of all functions
//   Errors     A function that returns int returns HILO_CODE_OK, which is 0, or another hilo_code. Its last parameter,
//              `error`, may be NULL. Otherwise *error is set to a text that the caller frees by hilo_error_free(), or
//              to NULL after a success, or if no memory is left for a text. No exception leaves a function.
//   Ownership  A handle that a function stores in its parameter belongs to the caller, who frees it by the function
//              for its type. After an error NULL is stored. Handles are freed in any order: what a handle needs of
//              another one stays alive. Freeing NULL has no effect.
//   Threads    All functions may be called from several threads at once, also with the same handle. A handle is freed
//              once, when no other thread uses it.
//   NULL       A null handle or pointer where one is needed is an error, HILO_CODE_INVALID_ARGUMENT.
//   Versions   A struct begins with its size, which the caller sets: sizeof(hilo_load_options). Later versions add
//              fields at the end. Fields that an older caller doesn't have are as if they were 0. A field that an older
//              library doesn't know must be 0, or the call returns HILO_CODE_UNIMPLEMENTED.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. A library of the same major version runs a program that was built with it, if its minor
   version isn't lower. */
enum { HILO_C_MAJOR = 1, HILO_C_MINOR = 2 };

/* The numbers of absl, gRPC and PJRT. */
typedef enum hilo_code {
  HILO_CODE_OK = 0,
  HILO_CODE_CANCELLED = 1,
  HILO_CODE_UNKNOWN = 2,
  HILO_CODE_INVALID_ARGUMENT = 3,
  HILO_CODE_DEADLINE_EXCEEDED = 4,
  HILO_CODE_NOT_FOUND = 5,
  HILO_CODE_ALREADY_EXISTS = 6,
  HILO_CODE_PERMISSION_DENIED = 7,
  HILO_CODE_RESOURCE_EXHAUSTED = 8,
  HILO_CODE_FAILED_PRECONDITION = 9,
  HILO_CODE_ABORTED = 10,
  HILO_CODE_OUT_OF_RANGE = 11,
  HILO_CODE_UNIMPLEMENTED = 12,
  HILO_CODE_INTERNAL = 13,
  HILO_CODE_UNAVAILABLE = 14,
  HILO_CODE_DATA_LOSS = 15,
  HILO_CODE_UNAUTHENTICATED = 16
} hilo_code;

/* Element types, by XLA's numbers. Other numbers of XLA, of floats of 8 and 4 bits and integers of 4 and 2 bits, are
   valid too; each of their elements takes a byte. */
typedef enum hilo_type {
  HILO_TYPE_INVALID = 0,
  HILO_TYPE_PRED = 1, /* a byte, 0 or 1 */
  HILO_TYPE_S8 = 2,
  HILO_TYPE_S16 = 3,
  HILO_TYPE_S32 = 4,
  HILO_TYPE_S64 = 5,
  HILO_TYPE_U8 = 6,
  HILO_TYPE_U16 = 7,
  HILO_TYPE_U32 = 8,
  HILO_TYPE_U64 = 9,
  HILO_TYPE_F16 = 10,
  HILO_TYPE_F32 = 11,
  HILO_TYPE_F64 = 12,
  HILO_TYPE_C64 = 15, /* two floats: real and imaginary part */
  HILO_TYPE_BF16 = 16,
  HILO_TYPE_C128 = 18
} hilo_type;

typedef struct hilo_program hilo_program;   /* a program that can be transformed and compiled */
typedef struct hilo_function hilo_function; /* a compiled program */
typedef struct hilo_buffer hilo_buffer;     /* an array on a device */
typedef struct hilo_run hilo_run;           /* a call that may not have ended yet */

/* ---- The library ---- */

/* Returns the version of the library that runs: "0.1.0". The text is never freed. */
const char* hilo_version(void);

/* Returns the version of the C interface that the library has: 65536 * major + minor. */
uint32_t hilo_c_version(void);

/* Frees the text of an error. */
void hilo_error_free(char* error);

/* Sets a flag of docs/flags.md for the process: "jax_platform_name", "Host". Flags that choose the client take effect
   only before the first function that compiles.
   Errors   INVALID_ARGUMENT for an unknown name or an invalid value; then nothing changes */
int hilo_set_flag(const char* name, const char* value, char** error);

/* Sets the number of threads of the process's pool, which includes the calling thread; 0 means the number of
   processors. Must not be called while a program runs.
   Errors   INVALID_ARGUMENT for a negative number */
int hilo_set_thread_count(int32_t threads, char** error);

/* ---- Programs ---- */

typedef struct hilo_load_options {
  size_t size;          /* sizeof(hilo_load_options) */
  const char* function; /* entry of an MLIR module; NULL: main, or the only public function */
  /* The types of all arguments, in order, for a program whose types leave sizes open: "f32[8,3]". */
  const char* const* shapes;
  size_t shape_count; /* 0: all sizes are known */
} hilo_load_options;

/* Loads a program from a file: StableHLO as text or bytecode, HLO as text or proto, a file that
   jax.export.Exported.serialize() returned, or one of `hilo compile` or hilo_save(). The bytes determine the format.
   options  may be NULL
   program  receives the program; the caller owns it
   Errors   NOT_FOUND, PERMISSION_DENIED for the file; INVALID_ARGUMENT and others, with the place of a mistake, for
            wrong bytes; UNIMPLEMENTED for what hilo doesn't support; FAILED_PRECONDITION for a compiled program of
            another build or processor */
int hilo_load(const char* path, const hilo_load_options* options, hilo_program** program, char** error);

/* Loads a program from memory, which isn't used after the call.
   source   a name for the bytes in messages; may be NULL */
int hilo_load_bytes(const void* bytes, size_t count, const char* source, const hilo_load_options* options,
                    hilo_program** program, char** error);

void hilo_program_free(hilo_program* program);

/* Returns the program's name, or NULL for a null program. The text lives as long as the program. */
const char* hilo_program_name(const hilo_program* program);

/* Return the number of arrays that a call reads and writes: the leaves of JAX's trees, in JAX's order. 0 for NULL. */
size_t hilo_argument_count(const hilo_program* program);
size_t hilo_result_count(const hilo_program* program);

/* What an array is. Pointers live as long as the handle that was asked. */
typedef struct hilo_array {
  size_t size;               /* sizeof(hilo_array) */
  const char* path;          /* "args[0]['w']" in files of jax.export; else the name in the file, or a number */
  const char* text;          /* "f32[4,3]", or "f32[b,3]" if sizes are open */
  int32_t type;              /* hilo_type; HILO_TYPE_INVALID if sizes are open */
  int32_t rank;              /* entries of dimensions */
  const int64_t* dimensions; /* elements are in row-major order: the last index runs fastest */
  size_t bytes;              /* of all elements */
  size_t alignment; /* bytes: the address of memory for the array is a multiple. It is the size of an element */
} hilo_array;

/* Describe an argument and a result. The caller sets array->size.
   Errors   OUT_OF_RANGE for an index that isn't less than the count */
int hilo_argument(const hilo_program* program, size_t index, hilo_array* array, char** error);
int hilo_result(const hilo_program* program, size_t index, hilo_array* array, char** error);

/* Writes the program in a format that hilo_load_bytes() reads.
   format  "hlo" (text), "proto" (HloModuleProto), "stablehlo" (MLIR text) or "bytecode" (a portable artifact)
   bytes   receives the program and a final NUL that doesn't count; hilo_bytes_free() frees it
   Errors  INVALID_ARGUMENT for another format and for open sizes; UNIMPLEMENTED for a compiled program and for
           operations that StableHLO doesn't have */
int hilo_program_write(const hilo_program* program, const char* format, char** bytes, size_t* count, char** error);

/* Frees the bytes of a program. */
void hilo_bytes_free(char* bytes);

/* Returns the program whose results are those of `program`, then the gradients of the first one with respect to some
   arguments, in the order of `arguments`.
   derivative  receives the new program; the caller owns it
   Errors      INVALID_ARGUMENT if the first result isn't a scalar of a float type, or an argument isn't of a float type;
               UNIMPLEMENTED for a compiled program and for operations without a derivative */
int hilo_grad(const hilo_program* program, const size_t* arguments, size_t count, hilo_program** derivative,
              char** error);

/* Returns the program that computes a batch: jax.vmap. Each result gets a first dimension of size `batch`.
   axes     per argument the position of its dimension of size `batch`, or -1 if all elements of the batch share it;
            NULL: 0 for all
   batched  receives the new program; the caller owns it
   Errors   INVALID_ARGUMENT for a batch of less than 1, and for an axis beyond the dimensions; UNIMPLEMENTED for a
            compiled program */
int hilo_vmap(const hilo_program* program, int64_t batch, const int32_t* axes, hilo_program** batched, char** error);

/* ---- Compilation ---- */

typedef enum hilo_effort {
  HILO_EFFORT_DEFAULT = 0, /* that of the flag hilo_effort */
  HILO_EFFORT_FASTEST = 1, /* the first result comes early; code is up to twice as slow */
  HILO_EFFORT_BEST = 2
} hilo_effort;

typedef struct hilo_compile_options {
  size_t size; /* sizeof(hilo_compile_options) */
  /* Threads of a call, including the caller's. 0: the process's pool, which runs one call at a time on several threads.
     1: the caller's alone, for callers that have threads of their own. More: a pool of the function's own. */
  int32_t threads;
  /* Options by name, as jit's: "hilo_compile_seconds=60". docs/flags.md lists them. */
  const char* const* flags;
  size_t flag_count;
  /* Since 1.1. Time that the compiler spends on faster code: hilo_effort. The results are the same bits. */
  int32_t effort;
  /* 1: quick code stays. 0: code of HILO_EFFORT_FASTEST, and what a budget left over, is replaced by good code, which
     another thread generates once calls have taken about as long as that takes. */
  int32_t no_tiers;
  /* Seconds for the generation of good code; what would end later is generated as under HILO_EFFORT_FASTEST. 0: no
     limit. */
  double budget;
  /* Since 1.2. For a program with open sizes: a size is padded up to the next bucket, so that each bucket is compiled
     once, by the first call that needs it. hilo_call_buffers() and hilo_start() then run buffers of any size up to the
     largest bucket. Every operation must have a rule that keeps padding out of the results; otherwise a call returns
     UNIMPLEMENTED with the operation's name. */
  const int64_t* buckets;
  size_t bucket_count; /* 0: all sizes are known */
  /* Per argument the dimension that changes, or -1. NULL: those dimensions in which calls differ; the first call then
     has a program for its own sizes. */
  const int32_t* bucket_axes;
} hilo_compile_options;

/* Compiles a program for the default device of the process.
   options   may be NULL
   function  receives the compiled program; the caller owns it
   Errors    INVALID_ARGUMENT for a program with open sizes without buckets, or wrong options; UNIMPLEMENTED;
             RESOURCE_EXHAUSTED; DEADLINE_EXCEEDED */
int hilo_compile(const hilo_program* program, const hilo_compile_options* options, hilo_function** function,
                 char** error);

void hilo_function_free(hilo_function* function);

/* Returns the program that was compiled, or NULL for NULL. It belongs to the function and lives as long. */
const hilo_program* hilo_function_program(const hilo_function* function);

/* Writes a compiled program to a file, which hilo_load() reads and hilo_compile() then only starts.
   Errors   UNIMPLEMENTED if the platform can't save programs, and for buckets; those of the file system */
int hilo_save(const hilo_function* function, const char* path, char** error);

/* ---- Calls on the caller's memory ---- */

/* Runs a program. Returns when the results are complete.
   arguments  per argument, the address of its elements: hilo_array::bytes of them, aligned to hilo_array::alignment.
              NULL is valid for an array without elements
   results    per result, the address of memory for its elements. It overlaps neither an argument nor another result
   Errors     INVALID_ARGUMENT for a wrong count, a null or misaligned address, memory that overlaps, and a function
              with buckets; then nothing is written. Errors of the program; then the results are unspecified
   Cost       on the host without a copy or a lock. Memory for temporaries is allocated by the first call, and when more
              calls run at once than ever before; up to 8 of them reuse theirs, or one if it has more than 1 MiB. A call
              during a hilo_start() waits for it, and copies */
int hilo_call(const hilo_function* function, const void* const* arguments, size_t argument_count, void* const* results,
              size_t result_count, char** error);

/* A program as a function, for callers that know nothing of hilo. Returns a hilo_code; hilo_call() with the same memory
   has the text of an error. */
typedef int (*hilo_pointer)(const void* const* arguments, void* const* results, void* context);

/* Returns the function of a compiled program and stores the value for its last parameter in *context. Both are valid
   until hilo_function_free(). It does what hilo_call() does, from any number of threads at once. One function serves
   all programs: the context tells which one to run, so that no code is generated that would have to be kept.
   Returns NULL for a null argument. */
hilo_pointer hilo_function_pointer(const hilo_function* function, void** context);

/* ---- Buffers ---- */

/* Copies elements in row-major order to a new buffer on the default device.
   type     hilo_type
   buffer   receives the buffer; the caller owns it
   Errors   INVALID_ARGUMENT for an invalid type or dimension, or a null pointer to elements; RESOURCE_EXHAUSTED */
int hilo_buffer_copy(int32_t type, const int64_t* dimensions, size_t rank, const void* elements, hilo_buffer** buffer,
                     char** error);

/* Returns a buffer of the caller's memory. On the host, memory that is aligned to 64 bytes is used without a copy;
   other memory must be aligned to the size of an element, and is copied.
   release  called once with `context`, from any thread, when the memory is no longer used: when the buffer and all runs
            that read it have ended, or at once if the elements were copied, or after an error. Until then the memory
            doesn't change. May be NULL for memory that lives as long as the process
   Errors   those of hilo_buffer_copy(); INVALID_ARGUMENT for a misaligned address */
int hilo_buffer_borrow(int32_t type, const int64_t* dimensions, size_t rank, const void* elements,
                       void (*release)(void* context), void* context, hilo_buffer** buffer, char** error);

void hilo_buffer_free(hilo_buffer* buffer);

/* Describes a buffer. The caller sets array->size; array->path is "". */
int hilo_buffer_array(const hilo_buffer* buffer, hilo_array* array, char** error);

/* Waits for the elements and copies them to `elements`, in row-major order.
   bytes    size of the memory; must be that of the array
   Errors   INVALID_ARGUMENT for another size; the error of the run that computes the buffer */
int hilo_buffer_read(const hilo_buffer* buffer, void* elements, size_t bytes, char** error);

/* Waits for the elements and stores their address in *elements. They belong to the buffer and live as long.
   Errors   FAILED_PRECONDITION for a device whose memory isn't the host's; the error of the run that computes the buffer */
int hilo_buffer_elements(const hilo_buffer* buffer, const void** elements, char** error);

/* Runs a program on buffers. Returns when the results are complete.
   results  receives result_count buffers; the caller owns them
   Errors   INVALID_ARGUMENT for a wrong count, type or dimension, or a size beyond the largest bucket; those of the
            program */
int hilo_call_buffers(const hilo_function* function, const hilo_buffer* const* arguments, size_t argument_count,
                      hilo_buffer** results, size_t result_count, char** error);

/* ---- Asynchronous calls ---- */

/* Starts a program on buffers and may return before it ends; one with buckets has ended then. Runs of one device take
   place one after another. The buffers of arguments may be freed at once.
   results  receives result_count buffers; the caller owns them. They may be arguments of other calls at once
   run      receives a handle to wait for; the caller owns it. May be NULL: hilo_buffer_read() waits, too
   Errors   INVALID_ARGUMENT for a wrong count, type or dimension. Errors of the program are those of hilo_run_wait() */
int hilo_start(const hilo_function* function, const hilo_buffer* const* arguments, size_t argument_count,
               hilo_buffer** results, size_t result_count, hilo_run** run, char** error);

/* Returns 1 if the run has ended, else 0. 1 for NULL. */
int hilo_run_has_ended(const hilo_run* run);

/* Waits until the run has ended and returns its error. May be called any number of times.
   seconds  ends the wait, but not the run, after this time; 0 means no limit
   Errors   DEADLINE_EXCEEDED of the wait; INVALID_ARGUMENT for negative seconds; those of the program */
int hilo_run_wait(const hilo_run* run, double seconds, char** error);

/* Frees the handle. The run goes on. */
void hilo_run_free(hilo_run* run);

#ifdef __cplusplus
}
#endif
