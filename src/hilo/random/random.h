// SPDX-License-Identifier: Apache-2.0
// random/random.h -- jax.random: the same seeds give the same bits, on every instruction set. They are JAX's on CPUs that
// multiply and add in one rounding; docs/numerics.md says which of them also elsewhere.
#pragma once

#include "hilo/numpy/numpy.h"
#include "hilo/random/counts.h"
#include "hilo/random/distributions.h"
#include "hilo/random/key_arrays.h"
#include "hilo/random/keys.h"
#include "hilo/random/sampling.h"
