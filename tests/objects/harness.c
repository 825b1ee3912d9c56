/* SPDX-License-Identifier: Apache-2.0
 * harness.c -- what calls of an object may not do, counted: compiled with -DMODEL=name and -DHEADER="name.h", it
 * prints lines "name value". */
#define _GNU_SOURCE
#include HEADER

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

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

/* Sizes of the arrays: SIZES is a list of bytes, arguments first. */
static const size_t sizes[] = {SIZES 0};
enum { kArrays = FIGURE(ARGUMENTS) + FIGURE(RESULTS) };

/* Arrays of one call. Arguments hold small positive numbers of any type. */
struct arrays {
  void* all[kArrays + 1];
  unsigned char* memory;
  unsigned char* arena;
};

static unsigned char* aligned(unsigned char* p, size_t alignment) {
  return p + (alignment - (uintptr_t)p % alignment) % alignment;
}

static struct arrays new_arrays(void) {
  struct arrays a;
  int k;
  size_t i;
  for (k = 0; k < kArrays; ++k) {
    a.all[k] = calloc(1, sizes[k] + 8);
    for (i = 7; k < FIGURE(ARGUMENTS) && i < sizes[k]; i += 8) {
      ((unsigned char*)a.all[k])[i] = 0x3f; /* a double or a float between 2^-16 and 1 */
      ((unsigned char*)a.all[k])[i - 1] = (unsigned char)(0x80 + i % 97);
    }
  }
  a.memory = malloc(FIGURE(ARENA_BYTES) + 2 * FIGURE(ARENA_ALIGN));
  a.arena = aligned(a.memory, FIGURE(ARENA_ALIGN));
  memset(a.arena, 0xa5, FIGURE(ARENA_BYTES)); /* its contents must not matter */
  return a;
}

static int run(struct arrays* a, const hilo_rt* rt) {
  return CALL((const void* const*)a->all, a->all + FIGURE(ARGUMENTS), a->arena, rt);
}

static int same_results(const struct arrays* a, const struct arrays* b) {
  int k;
  for (k = FIGURE(ARGUMENTS); k < kArrays; ++k)
    if (memcmp(a->all[k], b->all[k], sizes[k]) != 0) return 0;
  return 1;
}

/* Faults. */
static int check_faults(struct arrays* a) {
  hilo_rt rt = {sizeof(hilo_rt), FIGURE(ARGUMENTS), FIGURE(RESULTS), FIGURE(ARENA_BYTES), 0, 0, 0};
  const uint32_t stop = 1;
  const void* const* args = (const void* const*)a->all;
  void** results = a->all + FIGURE(ARGUMENTS);
  int k, bad = 0;
  bad |= run(a, &rt) != HILO_OK;
  bad |= CALL(0, results, a->arena, 0) != (FIGURE(ARGUMENTS) ? HILO_NULL_POINTER : HILO_OK);
  bad |= CALL(args, 0, a->arena, 0) != HILO_NULL_POINTER;
  for (k = 0; k < kArrays; ++k) {
    void* kept = a->all[k];
    if (sizes[k] == 0) continue;
    a->all[k] = 0;
    bad |= run(a, 0) != HILO_NULL_POINTER;
    a->all[k] = kept;
  }
  if (FIGURE(ARENA_BYTES) != 0) {
    bad |= CALL(args, results, 0, 0) != HILO_NULL_POINTER;
    bad |= CALL(args, results, a->arena + 8, 0) != HILO_MISALIGNED_ARENA;
    rt.arena_bytes = FIGURE(ARENA_BYTES) - 1;
    bad |= run(a, &rt) != HILO_SMALL_ARENA;
  }
  rt.arena_bytes = 0;
  rt.argument_count = FIGURE(ARGUMENTS) + 1;
  bad |= run(a, &rt) != HILO_WRONG_COUNT;
  rt.argument_count = 0;
  rt.result_count = FIGURE(RESULTS) + 1;
  bad |= run(a, &rt) != HILO_WRONG_COUNT;
  rt.result_count = 0;
  rt.size = 8;
  bad |= run(a, &rt) != HILO_OLD_RT;
  rt.size = sizeof(hilo_rt);
  rt.stop = &stop;
  k = run(a, &rt); /* a program without loops ends first */
  bad |= k != HILO_OK && k != HILO_STOPPED;
  return bad;
}

/* Parts of kernels in any order. */
static void backwards(void* self, void (*task)(void*, int64_t), void* data, int64_t count) {
  *(long*)self += (long)count;
  while (count > 0) task(data, --count);
}

/* The stack of a call on a stack of its own. */
static ucontext_t outer, inner;
static struct arrays* on_stack;
static void call_on_stack(void) { run(on_stack, 0); }
static size_t used_stack(struct arrays* a) {
  enum { kBytes = 1 << 20 };
  unsigned char* stack = malloc(kBytes);
  size_t unused = 0, idle;
  int round;
  on_stack = a;
  for (round = 0; round < 2; ++round) {
    memset(stack, 0x5a, kBytes);
    getcontext(&inner);
    inner.uc_stack.ss_sp = stack;
    inner.uc_stack.ss_size = kBytes;
    inner.uc_link = &outer;
    makecontext(&inner, call_on_stack, 0);
    swapcontext(&outer, &inner);
    for (unused = 0; unused < kBytes && stack[unused] == 0x5a; ++unused) continue;
  }
  idle = kBytes - unused;
  free(stack);
  return idle;
}

enum { kThreads = 16 };
static void* many_calls(void* data) {
  int k;
  for (k = 0; k < 50; ++k)
    if (run(data, 0) != HILO_OK) return data;
  return 0;
}

int main(void) {
  struct arrays first = new_arrays(), second = new_arrays(), own[kThreads];
  pthread_t threads[kThreads];
  hilo_rt rt = {sizeof(hilo_rt), 0, 0, 0, 0, backwards, 0};
  struct timespec begin, end;
  long before, parts = 0;
  int k, bad = 0, calls;
  if (run(&first, 0) != HILO_OK) return 2;
  before = allocations;
  for (k = 0; k < 3; ++k) run(&second, 0);
  printf("allocations %ld\n", allocations - before);
  printf("repeatable %d\n", same_results(&first, &second));
  rt.self = &parts;
  if (run(&second, &rt) != HILO_OK) return 2;
  printf("parallel %d\n", same_results(&first, &second));
  printf("parts %ld\n", parts);
  printf("faults %d\n", check_faults(&second));
  printf("stack %lu\n", (unsigned long)used_stack(&second));
  for (k = 0; k < kThreads; ++k) own[k] = new_arrays();
  for (k = 0; k < kThreads; ++k) pthread_create(&threads[k], 0, many_calls, &own[k]);
  for (k = 0; k < kThreads; ++k) {
    void* failed;
    pthread_join(threads[k], &failed);
    bad |= failed != 0 || !same_results(&first, &own[k]);
  }
  printf("threads %d\n", bad);
  for (calls = 1;; calls *= 2) {
    double spent;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (k = 0; k < calls; ++k) run(&first, 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    spent = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
    if (spent < 1e7 && calls < (1 << 24)) continue;
    printf("nanoseconds %.1f\n", spent / calls);
    break;
  }
  return 0;
}
