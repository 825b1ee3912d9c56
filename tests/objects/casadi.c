/* SPDX-License-Identifier: Apache-2.0 */
/* tests/objects/casadi.c -- calls an object through CasADi's interface: compares jac_NAME with differences of NAME, and
 * jac_jac_NAME with differences of jac_NAME. MODEL: the name. Prints "NAME VALUE" lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef long long number;

typedef struct {
  int (*call)(const double**, double**, number*, double*, int);
  int (*work)(number*, number*, number*, number*);
  number (*n_in)(void);
  number (*n_out)(void);
  const char* (*name_in)(number);
  const char* (*name_out)(number);
  const number* (*sparsity_in)(number);
  const number* (*sparsity_out)(number);
} Interface;

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define DECLARE(name)                                         \
  int name(const double**, double**, number*, double*, int);  \
  int JOIN(name, _work)(number*, number*, number*, number*);  \
  number JOIN(name, _n_in)(void);                             \
  number JOIN(name, _n_out)(void);                            \
  const char* JOIN(name, _name_in)(number);                   \
  const char* JOIN(name, _name_out)(number);                  \
  const number* JOIN(name, _sparsity_in)(number);             \
  const number* JOIN(name, _sparsity_out)(number);            \
  void JOIN(name, _incref)(void);                             \
  void JOIN(name, _decref)(void);                             \
  int JOIN(name, _checkout)(void);                            \
  void JOIN(name, _release)(int);
#define INTERFACE(name)                                                                            \
  {name, JOIN(name, _work), JOIN(name, _n_in), JOIN(name, _n_out), JOIN(name, _name_in), JOIN(name, _name_out), \
   JOIN(name, _sparsity_in), JOIN(name, _sparsity_out)}

DECLARE(MODEL)
DECLARE(JOIN(jac_, MODEL))
DECLARE(JOIN(jac_jac_, MODEL))

static number nonzeros(const number* sparsity) {
  return sparsity[2] == 1 ? sparsity[0] * sparsity[1] : sparsity[2 + sparsity[1]];
}

/* Writes the elements of a matrix, column after column, from its nonzeros. */
static void spread(const number* sparsity, const double* values, double* elements) {
  const number rows = sparsity[0], columns = sparsity[1];
  number c, k;
  for (k = 0; k < rows * columns; ++k) elements[k] = sparsity[2] == 1 ? values[k] : 0;
  if (sparsity[2] == 1) return;
  for (c = 0; c < columns; ++c) {
    for (k = sparsity[2 + c]; k < sparsity[3 + c]; ++k) elements[c * rows + sparsity[3 + columns + k]] = values[k];
  }
}

static double* doubles(number count) { return calloc((size_t)count + 1, sizeof(double)); }

/* Memory for a call; `arguments` has as many arrays as the widest function. */
typedef struct {
  const Interface* f;
  double** results;
  double* work;
} Call;

static Call prepare(const Interface* f) {
  Call call;
  number arg, res, iw, w, k;
  call.f = f;
  if (f->work(&arg, &res, &iw, &w) != 0 || arg < f->n_in() || res < f->n_out()) exit(2);
  f->work(NULL, NULL, NULL, NULL);
  call.work = doubles(w);
  call.results = calloc((size_t)res + 1, sizeof(double*));
  for (k = 0; k < f->n_out(); ++k) call.results[k] = doubles(nonzeros(f->sparsity_out(k)));
  return call;
}

static void run(const Call* call, const double** arguments) {
  if (call->f->call(arguments, call->results, NULL, call->work, 0) != 0) exit(3);
}

/* Returns the largest difference between a derivative's blocks and central differences of its function. */
static double compare(const Interface* f, const Interface* derivative, double** arguments) {
  const Call low = prepare(f), high = prepare(f), slope = prepare(derivative);
  double largest = 0;
  number i, j, c, r;
  run(&slope, (const double**)arguments);
  for (j = 0; j < f->n_in(); ++j) {
    const number* in = f->sparsity_in(j);
    for (c = 0; c < nonzeros(in); ++c) {
      const double before = arguments[j][c];
      arguments[j][c] = before - 1e-6;
      run(&low, (const double**)arguments);
      arguments[j][c] = before + 1e-6;
      run(&high, (const double**)arguments);
      arguments[j][c] = before;
      for (i = 0; i < f->n_out(); ++i) {
        const number* out = f->sparsity_out(i);
        const number rows = out[0] * out[1], *block = derivative->sparsity_out(i * f->n_in() + j);
        double *a = doubles(rows), *b = doubles(rows), *whole = doubles(block[0] * block[1]);
        if (block[0] != rows || block[1] != in[0] * in[1]) exit(4);
        spread(out, low.results[i], a);
        spread(out, high.results[i], b);
        spread(block, slope.results[i * f->n_in() + j], whole);
        for (r = 0; r < rows; ++r) largest = fmax(largest, fabs((b[r] - a[r]) / 2e-6 - whole[c * rows + r]));
        free(a), free(b), free(whole);
      }
    }
  }
  return largest;
}

/* Whether null arguments are zeros and null results change nothing else. */
static int handles_null(const Interface* f, double** arguments) {
  const Call all = prepare(f), one = prepare(f);
  const number last = f->n_out() - 1;
  double* const wanted = one.results[last];
  const double** none = calloc((size_t)f->n_in() + 1, sizeof(double*));
  number k, same = 1;
  for (k = 0; k < last; ++k) one.results[k] = NULL;
  run(&all, (const double**)arguments);
  run(&one, (const double**)arguments);
  for (k = 0; k < nonzeros(f->sparsity_out(last)); ++k) same &= wanted[k] == all.results[last][k];
  run(&all, none);
  return (int)same;
}

int main(void) {
  const Interface f = INTERFACE(MODEL), first = INTERFACE(JOIN(jac_, MODEL)), second = INTERFACE(JOIN(jac_jac_, MODEL));
  double** arguments = calloc((size_t)second.n_in() + 1, sizeof(double*));
  number j, k, entries = 0, all = 0;
  if (f.name_in(f.n_in()) != NULL || f.sparsity_out(-1) != NULL || JOIN(MODEL, _checkout)() != 0) return 5;
  JOIN(MODEL, _incref)();
  JOIN(MODEL, _decref)();
  JOIN(MODEL, _release)(0);
  for (j = 0; j < f.n_in(); ++j) {
    const number count = nonzeros(f.sparsity_in(j));
    arguments[j] = doubles(count);
    for (k = 0; k < count; ++k) arguments[j][k] = 0.3 + 0.5 * fabs(sin((double)(7 * j + 3 * k + 1)));
  }
  for (k = 0; k < first.n_out(); ++k) {
    entries += nonzeros(first.sparsity_out(k));
    all += first.sparsity_out(k)[0] * first.sparsity_out(k)[1];
  }
  for (k = 0; k < first.n_in() - f.n_in(); ++k) {
    if (nonzeros(first.sparsity_in(f.n_in() + k)) != 0) return 6;
  }
  printf("in %lld\nout %lld\nentries %lld\nelements %lld\n", f.n_in(), f.n_out(), entries, all);
  printf("first %.3e\n", compare(&f, &first, arguments));
  printf("second %.3e\n", compare(&first, &second, arguments));
  printf("null %d\n", handles_null(&f, arguments) && handles_null(&first, arguments));
  return 0;
}
