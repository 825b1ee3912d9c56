// SPDX-License-Identifier: Apache-2.0
// numpy/numpy.h -- the functions of jax.numpy, by their names there; a header for each family.
#pragma once

#include "hilo/numpy/array_like.h"
#include "hilo/numpy/contractions.h"
#include "hilo/numpy/creation.h"
#include "hilo/numpy/dtypes.h"
#include "hilo/numpy/elementwise.h"
#include "hilo/numpy/functional.h"
#include "hilo/numpy/indexing.h"
#include "hilo/numpy/manipulation.h"
#include "hilo/numpy/operators.h"
#include "hilo/numpy/polynomials.h"
#include "hilo/numpy/printing.h"
#include "hilo/numpy/reductions.h"
#include "hilo/numpy/ref.h"
#include "hilo/numpy/rows.h"
#include "hilo/numpy/sets.h"
#include "hilo/numpy/signal.h"
#include "hilo/numpy/sorting.h"
