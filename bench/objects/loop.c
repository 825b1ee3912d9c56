/* SPDX-License-Identifier: Apache-2.0
 * loop.c -- times the ways to call one program, in turn, in one process: its object, the code of jit, and peers.
 *
 *     loop FILE INPUTS RESULTS [NAME=PEER.so ...]
 *
 * It is compiled with -DMODEL=name, -DPREFIX=NAME, -DHEADER="name.h" and -DSIZES=bytes of all arrays, and linked with the
 * object. FILE is the program, INPUTS has the bytes of its arguments. A peer's library has
 * int entry(const void* const* arguments, void* const* results). Prints lines "name<TAB>nanoseconds", the least of the
 * rounds, and the number of allocations; RESULTS.name receives the bytes of the results. */
#define _GNU_SOURCE
#include HEADER

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hilo/c/hilo.h"

#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)
#define CALL NAME(MODEL, _call)
#define FIGURE(name) NAME(NAME(PREFIX, _), name)

/* Counts allocations: the linker takes these before the C library's. */
static volatile long allocations = 0;
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* malloc(size_t n) { ++allocations; return __libc_malloc(n); }
void* calloc(size_t n, size_t m) { ++allocations; return __libc_calloc(n, m); }
void* realloc(void* p, size_t n) { ++allocations; return __libc_realloc(p, n); }

enum { kArguments = FIGURE(ARGUMENTS), kArrays = kArguments + FIGURE(RESULTS), kMaxWays = 8, kRounds = 300 };
static const size_t sizes[] = {SIZES 0};
static unsigned char memory[FIGURE(ARENA_BYTES) + FIGURE(ARENA_ALIGN)];
static unsigned char* arena;
static void* jit_context;
static hilo_pointer jit_function;

typedef int (*entry)(const void* const* arguments, void* const* results);
static int nothing(const void* const* a, void* const* r) { return a == NULL && r == NULL; }
static int object(const void* const* a, void* const* r) { return CALL(a, r, arena, NULL); }
static int jit(const void* const* a, void* const* r) { return jit_function(a, r, jit_context); }
/* All checks of a call, and no work: its last result is null. */
static void* without_last[FIGURE(RESULTS)];
static int checks(const void* const* a, void* const* r) {
  (void)r;
  return CALL(a, without_last, arena, NULL) != HILO_NULL_POINTER;
}

struct way {
  const char* name;
  volatile entry call; /* volatile: no call is inlined or left out */
  long repeat;
  double least;
};
static struct way ways[kMaxWays] = {{"nothing", nothing, 1, 1e300},
                                    {"checks", checks, 1, 1e300},
                                    {"object", object, 1, 1e300},
                                    {"jit", jit, 1, 1e300}};
static int way_count = 4;
static void* arrays[kArrays + 1];

static void fail(const char* what) {
  fprintf(stderr, "loop: %s\n", what);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double timed(const struct way* way) {
  const double start = now();
  long k;
  for (k = 0; k < way->repeat; ++k) way->call((const void* const*)arrays, arrays + kArguments);
  return (now() - start) / (double)way->repeat;
}

static void read_inputs(const char* path) {
  FILE* file = fopen(path, "rb");
  int k;
  for (k = 0; k < kArrays; ++k) {
    arrays[k] = aligned_alloc(64, (sizes[k] + 127) / 64 * 64);
    if (k < kArguments && (file == NULL || fread(arrays[k], 1, sizes[k], file) != sizes[k])) fail(path);
  }
  fclose(file);
}

static void write_results(const char* path, const char* name) {
  char full[4096];
  FILE* file;
  int k;
  snprintf(full, sizeof full, "%s.%s", path, name);
  file = fopen(full, "wb");
  if (file == NULL) fail(full);
  for (k = kArguments; k < kArrays; ++k) fwrite(arrays[k], 1, sizes[k], file);
  fclose(file);
}

static void compile(const char* path) {
  hilo_program* program;
  hilo_function* function;
  hilo_compile_options options = {0};
  char* error;
  options.size = sizeof options;
  options.threads = 1;
  if (hilo_load(path, NULL, &program, &error) || hilo_compile(program, &options, &function, &error)) fail(error);
  jit_function = hilo_function_pointer(function, &jit_context);
}

static void add_peer(char* argument) {
  char* equals = strchr(argument, '=');
  void* library = equals == NULL ? NULL : dlopen(equals + 1, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL || way_count == kMaxWays) fail(argument);
  *equals = '\0';
  ways[way_count].name = argument;
  ways[way_count].least = 1e300;
  *(void**)&ways[way_count].call = dlsym(library, "entry");
  if (ways[way_count].call == NULL) fail(argument);
  ++way_count;
}

int main(int argc, char** argv) {
  long allocated = 0;
  int k, round;
  if (argc < 4) fail("wants FILE INPUTS RESULTS");
  arena = memory + (FIGURE(ARENA_ALIGN) - (uintptr_t)memory % FIGURE(ARENA_ALIGN)) % FIGURE(ARENA_ALIGN);
  read_inputs(argv[2]);
  memcpy(without_last, arrays + kArguments, sizeof without_last);
  without_last[FIGURE(RESULTS) - 1] = NULL;
  compile(argv[1]);
  for (k = 4; k < argc; ++k) add_peer(argv[k]);
  for (k = 0; k < way_count; ++k) {
    double probe;
    for (round = kArguments; round < kArrays; ++round) memset(arrays[round], 0, sizes[round]);
    if (ways[k].call((const void* const*)arrays, arrays + kArguments) != 0) fail(ways[k].name);
    if (k >= 2) write_results(argv[3], ways[k].name);
    probe = timed(&ways[k]);
    ways[k].repeat = probe > 20000 ? 1 : (long)(20000 / (probe + 1)) + 1; /* 20 us, so that the clock doesn't count */
  }
  for (round = 0; round < kRounds; ++round) {
    for (k = 0; k < way_count; ++k) {
      const long before = allocations;
      const double nanoseconds = timed(&ways[k]);
      if (ways[k].call == object) allocated += allocations - before;
      if (nanoseconds < ways[k].least) ways[k].least = nanoseconds;
    }
  }
  for (k = 0; k < way_count; ++k) printf("%s\t%.2f\n", ways[k].name, ways[k].least);
  printf("allocations\t%ld\n", allocated);
  return 0;
}
