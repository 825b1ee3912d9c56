// SPDX-License-Identifier: Apache-2.0
// random/random.h -- jax.random: the same seeds give the same bits, on every instruction set. They equal JAX's on CPUs
// with FMA. docs/numerics.md lists the functions for which they also do elsewhere.
#pragma once

#include "hilo/numpy/numpy.h"
#include "hilo/random/counts.h"
#include "hilo/random/distributions.h"
#include "hilo/random/key_arrays.h"
#include "hilo/random/keys.h"
#include "hilo/random/sampling.h"
