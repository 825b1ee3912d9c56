/* SPDX-License-Identifier: Apache-2.0 */
/* examples/c/schools.c -- what coaching did in eight schools: Hamiltonian Monte Carlo in C, with the energy and its
 * gradient as a plain function pointer that four threads call. examples/statistics/eight_schools.cc explains the model. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "hilo/c/hilo.h"

enum { kSize = 10, kChains = 4, kSamples = 4000, kWarmUp = 200, kSteps = 12 };

/* The energy and its gradient; the last argument of `call` is `context`. */
typedef struct {
  hilo_pointer call;
  void* context;
} Energy;

typedef struct {
  Energy energy;
  uint64_t seed;
  double mu, tau, accepted; /* means */
  int code;
} Chain;

static double uniform(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t* state) {
  const double radius = sqrt(-2 * log(uniform(state)));
  return radius * cos(6.283185307179586 * uniform(state));
}

static int evaluate(const Energy* energy, const double* q, double* value, double* gradient) {
  const void* arguments[1];
  void* results[2];
  arguments[0] = q;
  results[0] = value;
  results[1] = gradient;
  return energy->call(arguments, results, energy->context);
}

/* Moves q. Returns whether the move was accepted, or -1 after an error. */
static int move(Chain* chain, double* q, double* value, double* gradient) {
  const double size = 0.25;
  double p[kSize], q_new[kSize], gradient_new[kSize], value_new = *value, before = *value, after;
  int i, step;
  for (i = 0; i < kSize; ++i) {
    q_new[i] = q[i];
    p[i] = normal(&chain->seed);
    before += p[i] * p[i] / 2;
    p[i] -= size / 2 * gradient[i];
  }
  for (step = 0; step < kSteps; ++step) {
    const double kick = step + 1 < kSteps ? size : size / 2;
    for (i = 0; i < kSize; ++i) q_new[i] += size * p[i];
    chain->code = evaluate(&chain->energy, q_new, &value_new, gradient_new);
    if (chain->code != HILO_CODE_OK) return -1;
    for (i = 0; i < kSize; ++i) p[i] -= kick * gradient_new[i];
  }
  after = value_new;
  for (i = 0; i < kSize; ++i) after += p[i] * p[i] / 2;
  if (!(log(uniform(&chain->seed)) < before - after)) return 0;
  *value = value_new;
  for (i = 0; i < kSize; ++i) {
    q[i] = q_new[i];
    gradient[i] = gradient_new[i];
  }
  return 1;
}

static void* sample(void* argument) {
  Chain* const chain = argument;
  double q[kSize] = {0}, gradient[kSize], value;
  int i;
  chain->code = evaluate(&chain->energy, q, &value, gradient);
  for (i = 0; i < kWarmUp + kSamples && chain->code == HILO_CODE_OK; ++i) {
    const int accepted = move(chain, q, &value, gradient);
    if (i < kWarmUp) continue;
    chain->mu += q[0] / kSamples;
    chain->tau += exp(q[1]) / kSamples;
    chain->accepted += accepted / (double)kSamples;
  }
  return NULL;
}

static void stop_at(int code, char** error) {
  if (code == HILO_CODE_OK) return;
  fprintf(stderr, "%s\n", *error == NULL ? "out of memory" : *error);
  hilo_error_free(*error);
  exit(1);
}

/* Returns the compiled energy with its gradient. The caller frees it. */
static hilo_function* compiled_energy(void) {
  hilo_program *energy, *both;
  hilo_function* function;
  hilo_compile_options options = {0};
  const size_t first = 0;
  char* error;
  stop_at(hilo_set_flag("jax_platform_name", "Host", &error), &error); /* looks for no GPU */
  stop_at(hilo_load(HILO_EXAMPLE_DATA "/schools.mlir", NULL, &energy, &error), &error);
  stop_at(hilo_grad(energy, &first, 1, &both, &error), &error);
  options.size = sizeof options;
  options.threads = 1; /* the chains are the threads */
  stop_at(hilo_compile(both, &options, &function, &error), &error);
  hilo_program_free(energy);
  hilo_program_free(both);
  return function;
}

int main(void) {
  hilo_function* const function = compiled_energy();
  Chain chains[kChains] = {{{0}, 0, 0, 0, 0, 0}};
  pthread_t threads[kChains];
  double mu = 0, tau = 0, accepted = 0;
  int i, right = 1;
  for (i = 0; i < kChains; ++i) {
    chains[i].energy.call = hilo_function_pointer(function, &chains[i].energy.context);
    chains[i].seed = 42 + (uint64_t)i * 1000003;
    if (pthread_create(&threads[i], NULL, sample, &chains[i]) != 0) return 1;
  }
  for (i = 0; i < kChains; ++i) {
    pthread_join(threads[i], NULL);
    right &= chains[i].code == HILO_CODE_OK;
    mu += chains[i].mu / kChains;
    tau += chains[i].tau / kChains;
    accepted += chains[i].accepted / kChains;
  }
  hilo_function_free(function);
  printf("mu %.2f, tau %.2f, accepted %.2f\n", mu, tau, accepted);
  /* posteriordb's reference draws of this model have means 4.4 and 3.6. */
  right &= fabs(mu - 4.4) < 0.4 && fabs(tau - 3.6) < 0.4 && accepted > 0.8;
  printf("eight schools in C: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
