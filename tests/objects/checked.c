/* SPDX-License-Identifier: Apache-2.0
 * checked.c -- calls an object from 16 threads with an arena each, for valgrind: compiled with -DMODEL=name,
 * -DPREFIX=NAME, -DHEADER="name.h" and -DSIZES=bytes of all arrays. Arrays and arenas are exactly as large as a call
 * needs, up to the alignment, and results depend on nothing that isn't set. Exits with 0 if all threads have the same results. */
#include HEADER

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)
#define CALL NAME(MODEL, _call)
#define FIGURE(name) NAME(NAME(PREFIX, _), name)

static const size_t sizes[] = {SIZES 0};
enum { kArguments = FIGURE(ARGUMENTS), kArrays = kArguments + FIGURE(RESULTS), kThreads = 16, kAlign = 64 };

struct arrays {
  void* all[kArrays + 1];
  void* arena;
  int code;
};

/* Arguments hold small positive numbers of any type. What isn't set stays unset, so that valgrind sees its use. */
static void fill(struct arrays* a) {
  int k;
  size_t i;
  for (k = 0; k < kArrays; ++k) {
    a->all[k] = malloc(sizes[k] + (sizes[k] == 0));
    for (i = 0; k < kArguments && i < sizes[k]; ++i)
      ((unsigned char*)a->all[k])[i] = i % 8 == 7 ? 0x3f : i % 8 == 6 ? (unsigned char)(0x80 + i % 97) : 0;
  }
  a->arena = aligned_alloc(kAlign, FIGURE(ARENA_BYTES) / kAlign * kAlign + kAlign);
}

static void* call(void* data) {
  struct arrays* a = data;
  a->code = CALL((const void* const*)a->all, a->all + kArguments, a->arena, NULL);
  return NULL;
}

int main(void) {
  static struct arrays all[kThreads];
  pthread_t threads[kThreads];
  int t, k, wrong = 0;
  for (t = 0; t < kThreads; ++t) {
    fill(&all[t]);
    wrong |= pthread_create(&threads[t], NULL, call, &all[t]) != 0;
  }
  for (t = 0; t < kThreads; ++t) {
    pthread_join(threads[t], NULL);
    wrong |= all[t].code != HILO_OK;
    for (k = kArguments; k < kArrays; ++k) wrong |= memcmp(all[t].all[k], all[0].all[k], sizes[k]) != 0;
  }
  for (t = 0; t < kThreads; ++t) {
    for (k = 0; k < kArrays; ++k) free(all[t].all[k]);
    free(all[t].arena);
  }
  return wrong;
}
