/* SPDX-License-Identifier: Apache-2.0 */
/* tests/c/calls.c -- counts what calls of a function pointer allocate, on one thread and on several. Prints "NAME VALUE"
 * lines. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "hilo/c/hilo.h"

enum { kThreads = 4, kCalls = 1000 };

extern void* __libc_malloc(size_t size);
static volatile int counting;
static volatile long allocations;

/* Takes the place of the C library's, also for libhilo.so. */
void* malloc(size_t size) {
  if (counting) __sync_fetch_and_add(&allocations, 1);
  return __libc_malloc(size);
}

static hilo_pointer call;
static void* context;
static pthread_barrier_t warm, done;

static long calls(int count) {
  double x[10] = {0}, energy, gradient[10];
  const void* arguments[1];
  void* results[2];
  long wrong = 0;
  int i;
  arguments[0] = x;
  results[0] = &energy;
  results[1] = gradient;
  for (i = 0; i < count; ++i) {
    x[0] = i;
    wrong += call(arguments, results, context) != HILO_CODE_OK;
  }
  return wrong;
}

static void* many(void* argument) {
  long* const wrong = argument;
  *wrong += calls(1);
  pthread_barrier_wait(&warm);
  *wrong += calls(kCalls);
  pthread_barrier_wait(&done);
  return NULL;
}

int main(int argc, char** argv) {
  hilo_program *program, *both;
  hilo_function* function;
  pthread_t threads[kThreads];
  long wrong[kThreads] = {0}, all = 0;
  const size_t first = 0;
  long alone;
  int i;
  if (argc != 2 || hilo_load(argv[1], NULL, &program, NULL) != HILO_CODE_OK) return 1;
  if (hilo_grad(program, &first, 1, &both, NULL) != HILO_CODE_OK) return 2;
  if (hilo_compile(both, NULL, &function, NULL) != HILO_CODE_OK) return 3;
  hilo_program_free(both);
  hilo_program_free(program);
  call = hilo_function_pointer(function, &context);
  all += calls(1);
  counting = 1;
  all += calls(kCalls);
  counting = 0;
  alone = allocations;
  allocations = 0;
  pthread_barrier_init(&warm, NULL, kThreads + 1);
  pthread_barrier_init(&done, NULL, kThreads + 1);
  for (i = 0; i < kThreads; ++i) {
    if (pthread_create(&threads[i], NULL, many, &wrong[i]) != 0) return 4;
  }
  counting = 1;
  pthread_barrier_wait(&warm);
  pthread_barrier_wait(&done);
  counting = 0;
  for (i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
    all += wrong[i];
  }
  hilo_function_free(function);
  printf("alone %ld\ntogether %ld\nwrong %ld\n", alone, allocations, all);
  return 0;
}
