/* SPDX-License-Identifier: Apache-2.0 */
/* examples/c/imported.c -- runs a model that JAX exported on buffers, asynchronously, and compares its output with what
 * JAX computed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hilo/c/hilo.h"

#define MODEL HILO_EXAMPLE_DATA "/imported/transformer_block"

static void stop_at(int code, char** error) {
  if (code == HILO_CODE_OK) return;
  fprintf(stderr, "%s\n", *error == NULL ? "out of memory" : *error);
  hilo_error_free(*error);
  exit(1);
}

static void show(const char* what, const hilo_program* program, size_t index,
                 int (*describe)(const hilo_program*, size_t, hilo_array*, char**)) {
  hilo_array array = {0};
  char* error;
  array.size = sizeof array;
  stop_at(describe(program, index, &array, &error), &error);
  printf("%s %s: %s, %zu bytes\n", what, array.path, array.text, array.bytes);
}

/* Reads the elements of an .npy file, which follow a header of 10 bytes and its length. The caller frees them. */
static float* read_elements(const char* path, size_t bytes) {
  unsigned char header[10];
  float* const elements = malloc(bytes);
  FILE* const file = fopen(path, "rb");
  const int good = file != NULL && elements != NULL && fread(header, 1, 10, file) == 10 &&
                   fseek(file, header[8] + 256 * header[9], SEEK_CUR) == 0 && fread(elements, 1, bytes, file) == bytes;
  if (!good) {
    fprintf(stderr, "can't read %s\n", path);
    exit(1);
  }
  fclose(file);
  return elements;
}

int main(void) {
  const char* const shape = "f32[3,6,16]"; /* the file leaves the size of the batch open */
  hilo_load_options load = {0};
  hilo_program* program;
  hilo_function* function;
  hilo_array input = {0}, output = {0};
  hilo_buffer *x, *y;
  hilo_run* run;
  const void* computed;
  float *in, *wanted;
  double difference = 0;
  size_t i;
  char* error;
  stop_at(hilo_set_flag("jax_platform_name", "Host", &error), &error); /* looks for no GPU */
  load.size = sizeof load;
  load.shapes = &shape;
  load.shape_count = 1;
  stop_at(hilo_load(MODEL ".jax", &load, &program, &error), &error);
  show("argument", program, 0, hilo_argument);
  show("result", program, 0, hilo_result);
  stop_at(hilo_compile(program, NULL, &function, &error), &error);

  input.size = output.size = sizeof input;
  stop_at(hilo_argument(program, 0, &input, &error), &error);
  stop_at(hilo_result(program, 0, &output, &error), &error);
  in = read_elements(MODEL ".input.npy", input.bytes);
  wanted = read_elements(MODEL ".output.npy", output.bytes);
  stop_at(hilo_buffer_borrow(input.type, input.dimensions, (size_t)input.rank, in, free, in, &x, &error), &error);
  stop_at(hilo_start(function, (const hilo_buffer* const*)&x, 1, &y, 1, &run, &error), &error);
  hilo_buffer_free(x); /* the run keeps it */
  stop_at(hilo_run_wait(run, 0, &error), &error);
  stop_at(hilo_buffer_elements(y, &computed, &error), &error);
  for (i = 0; i < output.bytes / sizeof(float); ++i)
    difference = fmax(difference, fabs((double)((const float*)computed)[i] - (double)wanted[i]));
  hilo_run_free(run);
  hilo_buffer_free(y);
  hilo_function_free(function);
  hilo_program_free(program);
  free(wanted);
  printf("imported model in C: %s\n", difference < 1e-4 ? "right" : "wrong");
  return difference < 1e-4 ? 0 : 1;
}
